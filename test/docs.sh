#!/bin/bash
# Run the examples of the README and of the pages in docs/, and compare what they
# print with what the pages show, on the server that PGHOST leads to.
#
#   test/docs.sh [PAGE...]
#
# An example is an indented block that starts with an SQL keyword.  The examples of a
# page are run in their order, in a database of the page's own.  Prints one line for
# each page that has any, "ok docs FILE" or "not ok docs FILE".

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

database=skillrating_docs
scratch=$(mktemp -d)
drop() { psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" 2>/dev/null; }
trap 'drop; rm -rf "$scratch"' EXIT

# The blocks, without their indentation.
examples() {
	awk '
		!/^    / { inside = sql = 0; next }
		!inside { inside = 1; sql = /^    (ALTER|BEGIN|CREATE|DELETE|DROP|INSERT|SELECT|SET|UPDATE|WITH) / || /^    (BEGIN|COMMIT|ROLLBACK);/ }
		sql { print substr($0, 5) }
	' "$1"
}

# Of an example only what is to be run: from a keyword to the semicolon that ends a
# line.  What comes then, and starts with a space or a dash, is output; where a page
# shows none, there is none to compare.
commands() {
	awk '
		function flush() {
			if (statement != "")
				printf "%s", shown ? statement : "\\o /dev/null\n" statement "\\o\n"
			statement = ""; shown = 0
		}
		!running && /^[ -]/ { shown = 1; next }
		!running { flush() }
		{ statement = statement $0 "\n"; running = !/;$/ }
		END { flush() }
	'
}

# The last digits depend on the machine, and widths on digits; psql puts empty lines
# after results.
normalise() {
	sed -E 's/([0-9]\.[0-9]{10})[0-9]+/\1/g; s/ +$//; s/  +/ /g; s/-+(\+|$)/-\1/g' | grep -v '^$\|^\\o'
}

[ $# -gt 0 ] || set -- README.md docs/*.md docs/models/*.md
status=0
for page; do
	examples "$page" >"$scratch/shown"
	[ -s "$scratch/shown" ] || continue
	drop
	psql -qX -d postgres -c "CREATE DATABASE $database"
	grep -q '^CREATE EXTENSION' "$scratch/shown" ||
		psql -qX -d "$database" -c 'CREATE EXTENSION skillrating'

	commands <"$scratch/shown" |
		psql -qXa -P footer=off -v ON_ERROR_STOP=1 -d "$database" 2>&1 | normalise >"$scratch/printed"
	if normalise <"$scratch/shown" | diff - "$scratch/printed"; then
		echo "ok docs $page"
	else
		echo "not ok docs $page"
		status=1
	fi
done
exit $status
