#!/bin/bash
# Eight clients rate, in transactions of one match and of a few, some rolled back, while partitions
# of the events are made ahead by work() and by whoever rates, old ones are detached, and others
# read; against the server that PGHOST leads to.  Every match is rated, no place is without a
# partition, and the ladder verifies.  Then four clients read the events before they rate, or rate
# in one statement, while partitions are detached, joined and made, the board changes, and the
# ladder is emptied: none fails.  Whoever reads for long is waited for, up to lock_timeout.
#
#   test/partitions.sh
#
# Environment:
#   PARTITIONS_SECONDS  how long each (default: 8)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does; and how
# many of the looks at the locks have found somebody who waited for a table.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin_database partitions
seconds=${PARTITIONS_SECONDS:-8}
psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo');
SELECT skillrating.partition_history('arena', 1000);
SELECT skillrating.schedule_work('arena', 'make_partitions', '0.5 seconds');
CREATE SEQUENCE reported;
-- So that there are partitions to detach, however few matches the clients manage.
INSERT INTO arena.match (match_id, played_at)
SELECT nextval('reported'), now() - interval '2 hours' + g * interval '1 second' FROM generate_series(1, 5000) AS g;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT m.match_id, (m.match_id * 7 + t * 31) % 211, t, t FROM arena.match AS m, generate_series(1, 2) AS t;
SQL


match() {
	cat <<-SQL
		INSERT INTO arena.match (match_id) SELECT nextval('reported') FROM generate_series(1, $1) RETURNING match_id AS first
		\gset
		INSERT INTO arena.match_player (match_id, player_id, team, rank)
		SELECT m, (:a + m * 7 + t * :b) % 211, t, t FROM generate_series(:first, :first) AS m, generate_series(1, 2) AS t;
	SQL
}
{
	echo '\set a random(0, 210)'
	echo '\set b random(1, 210)'
	echo BEGIN\;
	match 1
	echo COMMIT\;
} >"$scratch/one.sql"
{
	echo '\set a random(0, 210)'
	echo '\set b random(1, 210)'
	echo BEGIN\;
	match 1
	match 1
	match 1
	echo 'SET CONSTRAINTS ALL IMMEDIATE;'
	echo ROLLBACK\;
} >"$scratch/rolled_back.sql"

pgbench -n -c 8 -j 2 -T "$seconds" -f "$scratch/one.sql@9" -f "$scratch/rolled_back.sql@1" \
	--max-tries=100 >"$scratch/pgbench" 2>&1 &
clients=$!
looks=0
waits=0
while kill -0 "$clients" 2>/dev/null; do
	found=$(ask -c "SELECT count(*) FROM pg_locks AS l WHERE NOT l.granted AND l.locktype = 'relation' AND l.pid <> pg_backend_pid()")
	looks=$((looks + 1))
	[ "$found" -eq 0 ] || waits=$((waits + 1))
	ask -c "CALL skillrating.work('arena')" >/dev/null
	ask -c "SELECT count(*) FROM skillrating.history('arena', $((RANDOM % 211)), n => 3)" >/dev/null
	sleep 0.05
done
wait "$clients" || { cat "$scratch/pgbench"; failed=1; }
check "no client failed" "$(grep -q 'failed transactions: 0 ' "$scratch/pgbench" && ! grep -q aborted "$scratch/pgbench" && echo t || tail -3 "$scratch/pgbench")"
check "every match is rated" "$(ask -c "SELECT count(*) = count(r.match_id) FROM arena.match AS m LEFT JOIN arena.rated_match AS r ON r.match_id = m.match_id AND r.status = 'rated'")"
check "partitions were made" "$(ask -c "SELECT count(*) > 5 FROM pg_inherits WHERE inhparent = 'arena.event'::regclass")"
check "the ladder verifies" "$(ask -c "SELECT bool_and(ok) FROM skillrating.verify('arena')")"
ask -c "SELECT cardinality(detached) FROM skillrating.detach_history('arena', (SELECT played_at FROM arena.rated_match ORDER BY seq OFFSET (SELECT count(*) FROM arena.rated_match) / 2 LIMIT 1))" >"$scratch/detached"
check "half of them are detached" "$([ "$(cat "$scratch/detached")" -gt 1 ] && echo t)"
check "the rest verifies" "$(ask -c "SELECT bool_and(ok) FROM skillrating.verify('arena')")"

# What changes tables comes between those who have read them, or noted a match down, and now rate.
{
	echo '\set a random(0, 210)'
	echo '\set b random(1, 210)'
	echo BEGIN\;
	echo 'SELECT max(seq) FROM arena.event;'
	echo 'SELECT max(rating) FROM arena.rating;'
	match 1
	echo COMMIT\;
} >"$scratch/read.sql"
cat >"$scratch/statement.sql" <<'SQL'
\set a random(0, 210)
\set b random(1, 210)
WITH m AS (INSERT INTO arena.match (match_id) VALUES (nextval('reported')) RETURNING match_id)
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT m.match_id, (:a + t * :b) % 211, t, t FROM m, generate_series(1, 2) AS t;
SQL
pgbench -n -c 4 -j 2 -T "$seconds" -f "$scratch/read.sql" -f "$scratch/statement.sql" >"$scratch/pgbench" 2>&1 &
clients=$!
while kill -0 "$clients" 2>/dev/null; do
	for change in \
		"detach_history('arena', (SELECT max(played_at) FROM arena.rated_match))" \
		"set_ranks('arena', 'counted')" \
		"partition_history('arena', NULL)" \
		"set_ranks('arena', 'indexed')" \
		"partition_history('arena', 1000)"; do
		ask -o /dev/null -c "SELECT skillrating.$change" || check "$change" failed
	done
done
wait "$clients" || { cat "$scratch/pgbench"; failed=1; }
check "no client failed while tables changed" "$(grep -q 'failed transactions: 0 ' "$scratch/pgbench" && ! grep -q aborted "$scratch/pgbench" && echo t || grep -i error "$scratch/pgbench" | head -3)"

# Who has drawn a number of the ladder's for a match has locked its sequence before the ladder.
cat >"$scratch/numbered.sql" <<'SQL'
\set a random(0, 210)
\set b random(1, 210)
WITH m AS (INSERT INTO arena.match DEFAULT VALUES RETURNING match_id)
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT m.match_id, (:a + t * :b) % 211, t, t FROM m, generate_series(1, 2) AS t;
SQL
ask -o /dev/null -c "SELECT skillrating.reset_ladder('arena')"
pgbench -n -c 4 -j 2 -T "$seconds" -f "$scratch/numbered.sql" >"$scratch/pgbench" 2>&1 &
clients=$!
while kill -0 "$clients" 2>/dev/null; do
	ask -o /dev/null -c "SELECT skillrating.reset_ladder('arena')" || check "reset_ladder" failed
	sleep 0.2
done
wait "$clients" || { cat "$scratch/pgbench"; failed=1; }
check "no client failed while the ladder was emptied" "$(grep -q 'failed transactions: 0 ' "$scratch/pgbench" && ! grep -q aborted "$scratch/pgbench" && echo t || grep -i error "$scratch/pgbench" | head -3)"
check "the ladder verifies after that" "$(ask -c "SELECT bool_and(ok) FROM skillrating.verify('arena')")"

# A reader who stays: the wait for him has an end, and what was locked meanwhile is free.
mkfifo "$scratch/reader"
ask -o "$scratch/read" <"$scratch/reader" &
reader=$!
exec 3>"$scratch/reader"
echo 'BEGIN; SELECT count(*) FROM arena.event;' >&3
until [ "$(ask -c "SELECT count(*) FROM pg_locks WHERE relation = 'arena.event'::regclass AND pid <> pg_backend_pid()")" -gt 0 ]; do
	sleep 0.05
done
PGOPTIONS='-c lock_timeout=200ms' ask -v VERBOSITY=sqlstate -c "SELECT skillrating.detach_history('arena', now())" >"$scratch/error" 2>&1 || :
check "lock_timeout ends the wait" "$(grep -q '55P03$' "$scratch/error" && echo t || cat "$scratch/error")"
PGAPPNAME=waits ask -o "$scratch/detached" -c "SELECT skillrating.detach_history('arena', now())" &
waiting=$!
sleep 0.5
check "others rate while it waits" "$(PGOPTIONS='-c statement_timeout=10s' ask -c "SELECT r.outcome = 'rated' FROM skillrating.report_match('arena', 1000000, '{1,2}', '{1,2}', '{1,2}') AS r LIMIT 1")"
check "it waits for the reader" "$(ask -c "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'waits' AND state = 'active'")"
echo 'COMMIT;' >&3
exec 3>&-
wait "$reader"
check "and goes on after him" "$(tail --pid="$waiting" -f /dev/null; [ -s "$scratch/detached" ] && echo t)"
echo "in $waits of $looks looks somebody waited for a table; $(grep -o 'tps = [0-9]*' "$scratch/pgbench" | head -1)"
exit "$failed"
