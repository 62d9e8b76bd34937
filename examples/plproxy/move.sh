#!/bin/bash
# Move a ladder to another server, and lead to it there.
#
#   move.sh LADDER SERVER
#
# PGHOST, PGDATABASE and the like lead to the router (router.sql), as a user who may write
# ladders.place; the servers are reached as ladders.server says.  The ladder cannot be used
# meanwhile: calls fail, and are to be repeated.  Whatever goes wrong, it stays where it is.

set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 LADDER SERVER" >&2; exit 2; }
ladder=$1
target=$2
moving=${ladder}_moving

ask() { psql -qXAt -v ON_ERROR_STOP=1 -v ladder="$ladder" -v moving="$moving" "$@"; }
# psql replaces variables in what it reads, and not in the argument of -c.
router() { ask -v server="$target" <<<"$1"; }
old() { ask -d "$from" <<<"$1"; }
new() { ask -d "$to" <<<"$1"; }

source=$(router "SELECT server FROM ladders.place WHERE ladder = :'ladder'")
from=$(router "SELECT s.connection FROM ladders.place AS p JOIN ladders.server AS s ON s.name = p.server WHERE p.ladder = :'ladder'")
to=$(router "SELECT connection FROM ladders.server WHERE name = :'server'")
[ -n "$from" ] || { echo "there is no ladder \"$ladder\"" >&2; exit 1; }
[ -n "$to" ] || { echo "there is no server \"$target\"" >&2; exit 1; }
[ "$source" != "$target" ] || { echo "ladder \"$ladder\" is on server \"$target\" already" >&2; exit 1; }
[ "$(new "SELECT count(*) FROM pg_namespace WHERE nspname IN (:'ladder', :'moving')")" = 0 ] ||
	{ echo "server \"$target\" has a schema \"$ladder\" or \"$moving\"" >&2; exit 1; }
[ "$(router "UPDATE ladders.place SET moving = true WHERE ladder = :'ladder' AND NOT moving RETURNING 1")" = 1 ] ||
	{ echo "ladder \"$ladder\" is moving already" >&2; exit 1; }

renamed=
take_back() {
	[ -z "$renamed" ] || old 'ALTER SCHEMA :"moving" RENAME TO :"ladder"'
	new 'DROP SCHEMA IF EXISTS :"moving" CASCADE' 2>/dev/null || :
	router "UPDATE ladders.place SET moving = false WHERE ladder = :'ladder'"
}
trap take_back EXIT

# Calls that were on their way find no ladder of this name; those that had begun are waited for,
# because a dump would not see what they write.
old 'ALTER SCHEMA :"ladder" RENAME TO :"moving"'
renamed=t
last=$(old "SELECT pg_snapshot_xmax(pg_current_snapshot())")
until [ "$(old "SELECT pg_snapshot_xmin(pg_current_snapshot()) >= '$last'")" = t ]; do
	sleep 0.2
done

pg_dump -d "$from" -n "\"${moving//\"/\"\"}\"" | ask -d "$to" -o /dev/null --single-transaction
[ "$(new "SELECT bool_and(ok) FROM skillrating.verify(:'moving')")" = t ] ||
	{ echo "ladder \"$ladder\" does not verify on server \"$target\"" >&2; exit 1; }
new 'ALTER SCHEMA :"moving" RENAME TO :"ladder"'

trap - EXIT
router "UPDATE ladders.place SET server = :'server', moving = false WHERE ladder = :'ladder'"
old "SELECT skillrating.drop_ladder(:'moving')"
