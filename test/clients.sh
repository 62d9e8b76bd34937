#!/bin/bash
# Run the back ends of examples/clients on the server that PGHOST leads to, a server of
# test/cluster.sh.
#
#   test/clients.sh
#
# All must print examples/clients/expected.txt, though each transaction that reports a game
# fails twice, with 40001 and 40P01; the ladder must be right at the end.  Prints lines "ok
# clients ..." or "not ok clients ...", and "not run clients ..." for one whose language or
# driver is missing: Node and npm, Debian's python3-psycopg, golang-go and
# golang-github-jackc-pgx-v4-dev.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

scratch=$(mktemp -d)
clean_up() {
	psql -qX -d postgres -c 'DROP DATABASE IF EXISTS skillrating_clients WITH (FORCE)' 2>/dev/null
	psql -qX -d postgres -c 'DROP ROLE IF EXISTS back_end, arena_owner' 2>/dev/null
}
trap 'clean_up; rm -rf "$scratch"' EXIT
ask() { psql -qXAt -d skillrating_clients -c "$1"; }
status=0
result() {
	if [ "$1" -eq 0 ]; then
		echo "ok clients $2"
	else
		echo "not ok clients $2"
		status=1
	fi
}

# What a client needs that is not here, or nothing.
missing() {
	case $1 in
		pg | postgres) command -v node >/dev/null && command -v npm >/dev/null || echo "there is no node and npm"
			test/node_modules.sh examples/clients >/dev/null 2>&1 || echo "npm cannot install its packages" ;;
		psycopg) /usr/bin/python3 -c 'import psycopg' 2>/dev/null || echo "there is no python3-psycopg" ;;
		pgx) command -v go >/dev/null || echo "there is no go"
			[ -d /usr/share/gocode/src/github.com/jackc/pgx/v4 ] || echo "there is no golang-github-jackc-pgx-v4-dev" ;;
	esac | head -n 1
}

# Two failures before each row of site.game.  A sequence does not go back with its transaction.
export CLIENTS_SQL="
	CREATE SEQUENCE site.attempt;
	CREATE FUNCTION site.fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \$\$
	BEGIN
	    CASE nextval('site.attempt') % 3
	        WHEN 1 THEN RAISE 'in the way' USING ERRCODE = '40001';
	        WHEN 2 THEN RAISE 'in the way' USING ERRCODE = '40P01';
	        ELSE RETURN NEW;
	    END CASE;
	END \$\$;
	CREATE TRIGGER fail BEFORE INSERT ON site.game FOR EACH ROW EXECUTE FUNCTION site.fail();"

for client in pg postgres psycopg pgx; do
	why=$(missing $client)
	[ -z "$why" ] || { echo "not run clients: $client: $why"; continue; }
	clean_up
	examples/clients/run.sh $client >"$scratch/$client" 2>"$scratch/errors"
	result $? "$client: it runs"
	cat "$scratch/errors"
	[ -z "${CLIENTS_ACCEPT:-}" ] || cp "$scratch/$client" examples/clients/expected.txt
	diff examples/clients/expected.txt "$scratch/$client"
	result $? "$client: it prints what the others print"
	reports=$(grep -c '^report' examples/clients/expected.txt)
	attempts=$(ask 'SELECT last_value FROM site.attempt')
	[ "${attempts:-0}" -eq $((3 * reports)) ]
	result $? "$client: $reports reports took $attempts attempts"
	[ "$(ask "SELECT bool_and(ok) FROM skillrating.verify('arena')")" = t ]
	result $? "$client: the ladder is right"
done
exit $status
