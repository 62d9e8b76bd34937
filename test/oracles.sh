#!/bin/bash
# Check that each public function that returns numbers has an oracle, and that the oracle would
# notice if the numbers were others: a closed form, another implementation, brute force, an
# invariant or a published value.
#
#   test/oracles.sh [FUNCTION...]
#
# An oracle is a column of a regression test that has the name of one or more functions and one of
# the five kinds, as in
#
#   SELECT near(skillrating.elo_win_probability(1600, 1500), 1 / (1 + 10 ^ -0.25)) AS "elo_win_probability: closed form";
#
# in test/sql, and that is t in all rows in expected/.  Its paragraph, up to the next empty line,
# calls the function as skillrating.NAME(), or reads a table, view or function of the file that is
# filled with calls of it.  Functions with numbers are those of expected/public_surface.out whose
# result or OUT arguments have a number, an array of them, jsonb, or a type with numbers in it, and
# those whose pictures show numbers (plot_).
#
# Under test/cluster.sh the files are then run once more for each function, or for
# those that are given, with that function bent: each number of its results is another one by one
# percent and a hundredth, or by 1 if it is an integer.  An oracle that stays true then compares
# nothing.  Without a server, or with ORACLES=listed, only the first part runs.  Each check is a line "ok oracles: ..." or
# "not ok oracles: ...", with what is wrong in front of it.  The checks are themselves checked
# first.  Needs perl.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
scratch=$(mktemp -d)
database=skillrating_oracles
drop() { [ -z "${CLUSTER_DIRECTORY:-}" ] || psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" -c "DROP DATABASE IF EXISTS ${database}_bent" 2>/dev/null; }
trap 'drop; rm -rf "$scratch"' EXIT
status=0

result() {
	if [ -z "$1" ]; then
		echo "ok oracles: $2"
	else
		echo "$1"
		echo "not ok oracles: $2"
		status=1
	fi
}

#
# ---- The checks, checked: functions of made-up names, and a file of oracles of some ----
#

mkdir -p "$scratch/test/sql" "$scratch/expected"
cat >"$scratch/expected/public_surface.out" <<'OUT'
function bison(a integer) -> double precision
function elk(a integer, OUT b bigint, OUT c text) -> record
function gnu(a integer) -> SETOF skillrating.herd
function ibex(a integer) -> text
function kudu(a integer) -> integer[]
aggregate moose(a integer) -> skillrating.herd[]
function okapi(a integer) -> void
procedure oryx(IN a text, INOUT b bigint DEFAULT NULL::bigint)
function plot_yak(a integer) -> text
function saiga(a integer) -> boolean
function tapir(a integer) -> TABLE(b text, c integer)
window zebra(a integer) -> skillrating.flock
flock (name text, herds skillrating.herd[])
herd (name text, size integer)
OUT
cat >"$scratch/test/sql/a.sql" <<'SQL'
-- SELECT skillrating.elk(1) AS "elk: closed form";
CREATE TABLE filled AS SELECT skillrating.gnu(1);
CREATE VIEW seen AS SELECT * FROM filled;

SELECT skillrating.bison(1) = 1 AS "bison: closed form", true AS "kudu: invariant";

SELECT count(*) = 1 AS "gnu: brute force" FROM seen;
SELECT skillrating.moose(1) = 1 AS "moose: published";
SELECT skillrating.tapir(1) = 1 AS "tapir: it said so";
SELECT skillrating.oryx(1) = 1 AS "oryx: invariant";
SQL
cat >"$scratch/expected/a.out" <<'OUT'
bison: closed form|kudu: invariant
t|t
(1 row)
gnu: brute force
t
(1 row)
moose: published
t
f
(2 rows)
oryx: invariant
(0 rows)
OUT
found=$(perl test/oracles.pl missing "$scratch" | sed 's/; add .*//; s/: add a .*//')
[ "$found" = 'test/sql/a.sql: "kudu: invariant" calls no skillrating.kudu()
test/sql/a.sql: "moose: published" is not true in expected/a.out
test/sql/a.sql: "tapir: it said so" is not "FUNCTION: KIND", with one of the kinds closed form, other implementation, brute force, invariant, published
test/sql/a.sql: "oryx: invariant" is not true in expected/a.out
elk() has no oracle
kudu() has no oracle
moose() has no oracle
oryx() has no oracle
plot_yak() has no oracle
tapir() has no oracle
zebra() has no oracle' ] && found=
result "$found" "functions without an oracle, and oracles that are none, are found"

#
# ---- The functions ----
#

result "$(perl test/oracles.pl missing .)" "every function with numbers has one"
[ -n "${CLUSTER_DIRECTORY:-}" ] && [ "${ORACLES:-}" != listed ] || exit $status

drop
psql -qX -d postgres -c "CREATE DATABASE $database"
psql -qX -d "$database" -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION skillrating' -f test/oracles.sql >"$scratch/log" 2>&1 || result "$(cat "$scratch/log")" "functions are bent"

# Whether an oracle of a function in a file notices that it is bent.
notices() {
	local function=$1 file=$2 wraps=$3
	perl test/oracles.pl bend "$function" "$file" "$wraps" >"$scratch/bent.sql"
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS ${database}_bent" -c "CREATE DATABASE ${database}_bent TEMPLATE $database" 2>/dev/null
	psql -qX -d "${database}_bent" -f "$scratch/bent.sql" >"$scratch/bent.out" 2>&1
	perl test/oracles.pl verdicts "$function" "$scratch/bent.out" >"$scratch/verdicts"
	grep -qvx t "$scratch/verdicts"
}

# Of the functions of a list, "FUNCTION FILE WRAPS", those of which no oracle notices.
asleep() {
	local function file wraps awake=' ' tried=' '
	while read -r function file wraps; do
		[[ $tried == *" $function "* ]] || tried+="$function "
		[[ $awake == *" $function "* ]] || ! notices "$function" "$file" "$wraps" </dev/null || awake+="$function "
	done
	for function in $tried; do
		[[ $awake == *" $function "* ]] || echo "$function() has other numbers, and its oracles are true all the same"
	done
}

perl test/oracles.pl names . | while read -r function file; do
	if [ $# -eq 0 ] || [[ " $* " == *" $function "* ]]; then
		echo "$function $file $(psql -qXAt -d "$database" -c "SELECT (NOT bool_or(prokind IN ('f', 'p')))::int FROM pg_proc WHERE proname = '$function' AND pronamespace = 'skillrating'::regnamespace")"
	fi
done >"$scratch/all"
# What compares nothing is found.
mkdir "$scratch/sleep"
printf '%s\n' '\pset format unaligned' "SELECT skillrating.elo_win_probability(1500, 1500) IS NOT NULL AS \"elo_win_probability: invariant\";" \
	"SELECT skillrating.brier_score(0.5, 1) < 1 AS \"brier_score: invariant\";" "SELECT abs(skillrating.log_loss(0.5, 1) - ln(2)) < 1e-9 AS \"log_loss: invariant\";" >"$scratch/sleep/a.sql"
found=$(printf '%s\n' "elo_win_probability $scratch/sleep/a.sql 0" "brier_score $scratch/sleep/a.sql 1" "log_loss $scratch/sleep/a.sql 1" | asleep)
[ "$found" = 'elo_win_probability() has other numbers, and its oracles are true all the same
brier_score() has other numbers, and its oracles are true all the same' ] && found=
result "$found" "an oracle that compares nothing is found"
result "$(asleep <"$scratch/all")" "every oracle notices other numbers"
exit $status
