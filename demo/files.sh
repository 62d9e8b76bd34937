#!/bin/bash
# Rate the match files of a directory, on the server that PGHOST leads to.
#
#   demo/files.sh DIR
#
# demo/run.sh calls this, after demo/common.sql.  Files are *.csv or *.csv.gz in
# the long form of demo/README.md; others are named and passed over.  A file that
# cannot be read or rated does not keep the others from it, but the status is 1.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

run() { psql -qX -v ON_ERROR_STOP=1 -P footer=off -P pager=off "$@"; }

run -f demo/files_setup.sql

# The names of the columns, one a line.  Of what spreadsheets write, the byte order
# mark goes, and a comma within quotes separates nothing.
columns() {
	head -n 1 "$1" | tr -d '\r\0' |
		LC_ALL=C sed -E 's/^\xEF\xBB\xBF//; :a; s/^(([^"]*"[^"]*")*[^"]*"[^",]*),/\1_/; ta; s/"//g; s/,/\n/g'
}

# rate FILE NAME NUMBER: the status is not 0 if a step fails.
rate() {
	local width
	width=$(columns "$1" | wc -l) &&
		run -c "DROP TABLE IF EXISTS demo.staging" \
			-c "CREATE UNLOGGED TABLE demo.staging ($(seq -s ', ' -f 'c%.0f text' "$width"))" &&
		run -c "\\copy demo.staging FROM pstdin WITH (FORMAT csv, HEADER)" <"$1" &&
		run -v number="$3" -v name="$2" "${arguments[@]}" -f demo/files.sql
}

number=0
failed=
shopt -s nullglob
for file in "$1"/*.csv "$1"/*.csv.gz; do
	name=$(basename "$file")
	name=${name%.gz}
	name=${name%.csv}
	plain=$TMPDIR/plain.csv
	if ! zcat -f -- "$file" >"$plain"; then
		echo "$name: cannot be read"
		failed="$failed $name"
		continue
	fi

	# Columns are called by their place, so that no header can be more than data.
	arguments=()
	missing=
	for column in match_id played_at team rank player \
		weight pct_played joined left_at side commanding; do
		where=$(columns "$plain" | grep -nxF -m 1 -- "$column" | cut -d: -f1 || :)
		if [ -n "$where" ]; then
			arguments+=(-v "$column=c$where")
		else
			arguments+=(-v "$column=NULL")
			case $column in
				match_id | played_at | team | rank | player) missing="$missing $column" ;;
			esac
		fi
	done
	if [ -n "$missing" ]; then
		echo "$name: passed over, as it has no column$missing"
		continue
	fi

	number=$((number + 1))
	echo "$name ..."
	if ! rate "$plain" "$name" "$number"; then
		echo "$name: failed, see above"
		failed="$failed $name"
	fi
done

if [ "$number" -eq 0 ] && [ -z "$failed" ]; then
	echo "There is no file in the long form in $1; see demo/README.md." >&2
	exit 1
fi
echo
run -f demo/files_summary.sql
if [ -n "$failed" ]; then
	echo "failed:$failed" >&2
	exit 1
fi
