#!/bin/bash
# Draw the pictures of docs/state_space.md by the queries that the page shows above them.
#
#   docs/pictures.sh [DIR]
#
# The blocks of the page are run in their order, and what the last statement of a block
# draws becomes the file that the picture below it links to.  Blocks that begin with
# "-- With DIRECTORY" need match files of others and are run if DIR has them.
#
# Environment:
#   PICTURES  folder for the pictures (default: docs/pictures)
#
# It works on a throw-away cluster of its own, or in a database of its own on the one that
# test/cluster.sh has started, and fails if a query does, if a picture
# is not drawn or is larger than 60 kB, or, where xmllint is installed, if one is not
# well-formed.  The same data make the same pictures, to the byte.

set -euo pipefail
if [ $# -gt 0 ]; then
	[ -d "$1" ] || { echo "$1 is not a directory" >&2; exit 1; }
	set -- "$(realpath -- "$1")"
fi
[ -z "${PICTURES:-}" ] || PICTURES=$(realpath -m -- "$PICTURES")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PICTURES=${PICTURES:-$PWD/docs/pictures}

if [ -z "${CLUSTER_DIRECTORY:-}" ]; then
	export CLUSTER_OPTIONS="shared_buffers=256MB work_mem=64MB jit=off"
	exec test/cluster.sh docs/pictures.sh "$@"
fi
mkdir -p "$PICTURES"

# The statements of the page, with \o before each that draws; $1 is the directory or empty.
statements() {
	awk -v directory="${1:-}" -v pictures="$PICTURES" '
		function flush() {
			if (statement != "")
				printf "%s", statement
			statement = ""
		}
		/^    / {
			line = substr($0, 5)
			if (!inside) {
				inside = 1
				skipped = line ~ /^-- With DIRECTORY/ && directory == ""
				sql = line ~ /^(--|\\|[A-Z]+ )/
			}
			if (!sql || skipped)
				next
			gsub(/DIRECTORY/, directory, line)
			# What a statement prints is no statement.
			if (!running && line ~ /^ |^-+(\+|$)/)
				next
			if (!running)
				flush()
			statement = statement line "\n"
			running = line !~ /;$/ && line !~ /^(\\|--)/
			next
		}
		{ inside = 0 }
		match($0, /\]\(pictures\/[a-z_]+\.svg\)/) {
			if (!skipped)
				printf "\\o %s/%s\n%s\\o /dev/null\n", pictures,
					substr($0, RSTART + 11, RLENGTH - 12), statement
			statement = ""
		}
		END { flush() }
	' docs/state_space.md
}

statements "$@" >"$TMPDIR/pictures.sql"
export PGOPTIONS="-c client_min_messages=warning"
database=skillrating_pictures
drop() { psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database"; }
trap drop EXIT
drop
psql -qX -v ON_ERROR_STOP=1 -d postgres -c "CREATE DATABASE $database"
psql -qX -v ON_ERROR_STOP=1 -d "$database" -c 'CREATE EXTENSION skillrating'
{
	printf '%s\n' '\pset format unaligned' '\pset tuples_only on' '\o /dev/null'
	cat "$TMPDIR/pictures.sql"
} | psql -qX -v ON_ERROR_STOP=1 -d "$database"

status=0
while read -r picture; do
	if [ ! -s "$picture" ]; then
		echo "nothing was drawn into $picture" >&2
		status=1
	elif [ "$(wc -c <"$picture")" -gt 60000 ]; then
		echo "$picture is larger than 60 kB" >&2
		status=1
	elif command -v xmllint >/dev/null && ! xmllint --noout "$picture"; then
		status=1
	else
		echo "${picture#"$PWD/"}"
	fi
done < <(sed -n "s|^\\\\o \\(.*\\.svg\\)\$|\\1|p" "$TMPDIR/pictures.sql")
exit $status
