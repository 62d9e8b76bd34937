#!/bin/bash
# Rate the match files of a directory, on the server that PGHOST leads to.
#
#   demo/files.sh DIR
#
# demo/run.sh calls this, after demo/common.sql.  Files are *.csv or *.csv.gz in
# the long form of demo/README.md; others are named and passed over.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

run() { psql -qX -v ON_ERROR_STOP=1 -P footer=off -P pager=off "$@"; }

run -f demo/files_setup.sql

# The place of a column in a header, counted from 1, or nothing.
place() {
	head -n 1 "$1" | tr -d '\r"' | tr ',' '\n' | grep -nxF -- "$2" | head -n 1 | cut -d: -f1
}

number=0
shopt -s nullglob
for file in "$1"/*.csv "$1"/*.csv.gz; do
	name=$(basename "$file")
	name=${name%.gz}
	plain=$TMPDIR/plain.csv
	if ! zcat -f -- "$file" >"$plain"; then
		echo "$name: cannot be read"
		continue
	fi

	# Columns are called by their place, so that no header can be more than data.
	columns=$(head -n 1 "$plain" | tr -cd ',' | wc -c)
	columns=$((columns + 1))
	arguments=()
	missing=
	for column in match_id played_at team rank player \
		weight pct_played joined left side commanding; do
		where=$(place "$plain" "$column" || :)
		case $column in
			match_id | played_at | team | rank | player)
				[ -n "$where" ] || missing="$missing $column" ;;
		esac
		arguments+=(-v "$column=${where:+c$where}")
		[ -n "$where" ] || arguments[${#arguments[@]}-1]="$column=NULL"
	done
	if [ -n "$missing" ]; then
		echo "$name: passed over, as it has no column$missing"
		continue
	fi

	number=$((number + 1))
	echo "$name ..."
	run -c "DROP TABLE IF EXISTS demo.staging" \
		-c "CREATE UNLOGGED TABLE demo.staging ($(seq -s ', ' -f 'c%.0f text' "$columns"))"
	run -c "\\copy demo.staging FROM pstdin WITH (FORMAT csv, HEADER)" <"$plain"
	run -v number="$number" -v name="$name" "${arguments[@]}" -f demo/files.sql
done

if [ "$number" -eq 0 ]; then
	echo "There is no file in the long form in $1; see demo/README.md." >&2
	exit 1
fi
echo
run -f demo/files_summary.sql
