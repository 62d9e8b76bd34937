#!/bin/bash
# List the messages of the extension, or check how they are written.
#
#   test/messages.sh         checks them
#   test/messages.sh list    lists them: place, severity, SQLSTATE, part, text
#
# The messages are those of ereport() and elog() in src/, of RAISE in sql/ and modules/, and the texts that they
# and results are made of: reasons, descriptions of parameters, the arguments of our helpers.  The
# list is for reading in one go.  The checks are what can be counted of the style of PostgreSQL:
# a message begins in lower case and has no full stop; DETAIL and HINT are sentences; nobody is
# addressed; no text has a space at its end, two in a row or a contraction; no message is longer
# than 120 characters; no two differ in quotes or capitals alone.  A message is a literal, or
# whole literals by case: none is put together, and no literal fills a placeholder.  A literal in
# a variable is beyond what this sees.  Needs perl, and no server.  Each check is a line "ok
# messages: ..." or "not ok messages: ...", with what is wrong in front of it.  The checks are
# themselves checked first, with files of made-up messages.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
if [ "${1:-}" = list ]; then
	exec perl test/messages.pl . list
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

result() {
	if [ -z "$1" ]; then
		echo "ok messages: $2"
	else
		echo "$1"
		echo "not ok messages: $2"
		status=1
	fi
}

mkdir -p "$scratch/src/pg" "$scratch/sql"
cat >"$scratch/src/pg/a.c" <<'C'
	/* errmsg("Not a message.") */
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("value \"%s\" is " INT64_FORMAT, name, n),
					errdetail("It is %s.", good ? "good" : "bad"), errhint("give another")));
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("You lose."), errdetail("Lost ")));
	ereport(ERROR, (errmsg(good ? "good" : "bad")));
	elog(ERROR, "value %s is %d", name, n);
	elog(ERROR, "Value");
C
cat >"$scratch/sql/a.sql" <<'SQL'
	-- RAISE EXCEPTION 'Not a message.';
	RAISE undefined_object USING MESSAGE = format('value "%s" is %s', name, n), DETAIL = 'It''s bad.',
	    HINT = CASE WHEN a = 'b' THEN 'Give  another.' ELSE format('Give %s.', CASE WHEN c THEN 'd' END) END;
	RAISE NOTICE 'value % is, %', name, n;
	RAISE USING ERRCODE = 'no_data_found', MESSAGE = 'value ' || name;
	RAISE NOTICE '%', 'none';
SQL
found=$(perl test/messages.pl "$scratch" check | sort)
[ "$found" = 'sql/a.sql:2: a contraction: It'"'"'s bad.
sql/a.sql:2: format() is given a literal for a placeholder: CASE WHEN c THEN '"'d'"' END
sql/a.sql:2: two spaces: Give  another.
sql/a.sql:4: spelt otherwise at sql/a.sql:2: value % is, %
sql/a.sql:5: MESSAGE is put together of pieces
sql/a.sql:5: a space at the end: value 
sql/a.sql:6: RAISE has no literal text
src/pg/a.c:3: HINT without a capital at the beginning: give another
src/pg/a.c:3: HINT without a full stop at the end: give another
src/pg/a.c:3: errdetail() is given a literal for a placeholder: good ? "good" : "bad"
src/pg/a.c:4: DETAIL without a full stop at the end: Lost 
src/pg/a.c:4: a capital at the beginning: You lose.
src/pg/a.c:4: a full stop at the end: You lose.
src/pg/a.c:4: a space at the end: Lost 
src/pg/a.c:4: the reader is addressed: You lose.
src/pg/a.c:5: errmsg() has no literal text: good ? "good" : "bad"
src/pg/a.c:7: a capital at the beginning: Value' ] && found=''
result "$found" "what is written otherwise is found"

found=$(perl test/messages.pl "$scratch" list | cut -f 1-3 | sort -u)
[ "$found" = "$(printf '%s\n' "sql/a.sql:2	ERROR	undefined_object" "sql/a.sql:4	NOTICE	-" \
	"sql/a.sql:5	ERROR	no_data_found" "sql/a.sql:6	NOTICE	-" "src/pg/a.c:2	ERROR	data_exception" \
	"src/pg/a.c:3	ERROR	data_exception" "src/pg/a.c:4	ERROR	data_exception" "src/pg/a.c:6	ERROR	internal_error" \
	"src/pg/a.c:7	ERROR	internal_error")" ] && found=''
result "$found" "messages are listed with their places, severities and SQLSTATEs"

result "$(perl test/messages.pl . check)" "messages are written in the style of PostgreSQL"
exit $status
