#!/bin/bash
# Compare the SQLSTATEs that the extension raises with those that docs/errors.md lists.
#
#   test/errors.sh
#
# The codes of C are the arguments of errcode() and what is assigned to be one; elog(ERROR)
# raises XX000.  Those of SQL are the conditions of RAISE in sql/ and modules/; without USING it has no
# message and only leaves a block, and RAISE USING ERRCODE = SQLSTATE passes an error on.  The
# page has a row for each cause, which begins with the code and the name of its condition; those
# below the heading "Raised by PostgreSQL" may be raised by nothing of ours.  Codes and names come
# from errcodes.txt of the server.  Needs no server.  Each check is a line "ok errors: ..." or
# "not ok errors: ...", with the differences in front of it.  The checks are themselves checked
# first, with files of made-up errors.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

result() {
	if [ -z "$1" ]; then
		echo "ok errors: $2"
	else
		echo "$1"
		echo "not ok errors: $2"
		status=1
	fi
}

# Macros or names of conditions on standard input as codes.  $scratch/codes lists
# "CODE MACRO NAME".
codes() {
	sort -u | while read -r name; do
		awk -v name="$name" '$2 == name || $3 == name { print $1; found = 1; exit }
			END { if (!found) print "unknown condition " name }' "$scratch/codes"
	done | sort -u
}

# What the files below DIRECTORY/src, DIRECTORY/sql and DIRECTORY/modules raise.
raised() {
	{
		find "$1/src" -name '*.[ch]' -exec cat {} + | tr '\n' ' ' |
			grep -oE '(errcode\(|[^=!<>]=)[[:space:]]*ERRCODE_[A-Z0-9_]+\(?|\belog\(ERROR' |
			sed -E '/ERRCODE_.*\($/d; s/^elog.*/ERRCODE_INTERNAL_ERROR/; s/.*(ERRCODE_)/\1/'
		find "$1/sql" "$1/modules" -name '*.sql' -exec sed 's/--.*//' {} + | tr '\n' ' ' | awk '
			BEGIN { RS = ";" }
			{
				for (text = $0; match(text, /ERRCODE *= *'\''+[a-z0-9_]+/);
						text = substr(text, RSTART + RLENGTH)) {
					name = substr(text, RSTART, RLENGTH)
					sub(/.*'\''/, "", name)
					print name
				}
				for (text = $0; match(text, /RAISE +[A-Za-z_]+/); text = substr(text, RSTART + RLENGTH)) {
					split(substr(text, RSTART, RLENGTH), word, / +/)
					rest = substr(text, RSTART + RLENGTH)
					if (word[2] ~ /^[a-z_]+$/ && rest ~ /^ +USING/)
						print word[2]
					else if (word[2] == "EXCEPTION" && rest !~ /ERRCODE *=/)
						print "raise_exception"
				}
			}'
	} | codes
}

# The rows of a page, "CODE NAME", of the extension or, if $2 is 1, of PostgreSQL.
listed() {
	awk -v others="$2" '
		/^## / { inside = /^## Raised by PostgreSQL/ }
		inside == others && match($0, /^\| *[0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z] *\| *`[a-z_0-9]+`/) {
			gsub(/[|`]/, " ")
			print $1, $2
		}' "$1" | sort -u
}

# How what is raised below DIRECTORY differs from what a page lists.
differences() {
	raised "$1" >"$scratch/raised"
	listed "$2" 0 | cut -d ' ' -f 1 | sort -u >"$scratch/listed"
	comm -23 "$scratch/raised" "$scratch/listed" | sed 's/^\(.....\)$/the page lacks \1/'
	comm -13 "$scratch/raised" "$scratch/listed" | sed 's/^/nothing raises /'
	{ listed "$2" 0; listed "$2" 1; } | while read -r code name; do
		awk -v code="$code" -v name="$name" '$1 == code && $3 == name { found = 1 } END { exit !found }' \
			"$scratch/codes" || echo "$code is not $name"
	done
}

list=$("${PG_CONFIG:-pg_config}" --sharedir)/errcodes.txt
if [ ! -r "$list" ]; then
	echo "not run errors: $list is missing"
	exit 0
fi
awk '/^[0-9A-Z]/ && $3 ~ /^ERRCODE_/ { print $1, $3, $4 }' "$list" >"$scratch/codes"

mkdir -p "$scratch/src/pg" "$scratch/sql" "$scratch/modules"
cat >"$scratch/src/pg/a.c" <<'C'
	ereport(ERROR, (errcode( ERRCODE_INVALID_PARAMETER_VALUE), errmsg("no")));
	if (geterrcode() != ERRCODE_QUERY_CANCELED || code == ERRCODE_DATA_EXCEPTION)
		code = ERRCODE_OUT_OF_MEMORY;
	category = ERRCODE_TO_CATEGORY(code);
	elog(ERROR, "never");
C
cat >"$scratch/sql/a.sql" <<'SQL'
	RAISE undefined_object USING MESSAGE = 'no';
	RAISE lock_not_available;
	RAISE WARNING USING ERRCODE = 'insufficient_privilege', MESSAGE = 'no';
	RAISE WARNING 'no';
	RAISE USING ERRCODE = SQLSTATE;
	RAISE no_such_condition USING MESSAGE = 'no';
	RAISE EXCEPTION 'no';
	-- RAISE duplicate_object USING MESSAGE = 'no';
SQL
cat >"$scratch/page" <<'PAGE'
| 22023 | `invalid_parameter_value` | a |
| 42501 | `insufficient_privileges` | b |
| 55000 | `object_not_in_prerequisite_state` | c |

## Raised by PostgreSQL itself

| 57014 | `query_canceled` | d |
| 22000 | `query_canceled` | e |
PAGE
found=$(differences "$scratch" "$scratch/page" | sort)
[ "$found" = '22000 is not query_canceled
42501 is not insufficient_privileges
nothing raises 55000
the page lacks 42704
the page lacks 53200
the page lacks P0001
the page lacks XX000
unknown condition no_such_condition' ] && found=''
result "$found" "what is raised and not listed is found, and the reverse"

result "$(differences . docs/errors.md)" "docs/errors.md lists what is raised, and nothing else"
exit $status
