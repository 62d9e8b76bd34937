#!/bin/bash
# Sixteen sessions rate, two sessions do scheduled work and are killed at random, and so is one of
# two listeners: each change is told exactly once to the listener that stays.  Then two who
# do the same task at once, prepared transactions, a dump and restore, and pg_cron if that is asked for
# (package postgresql-NN-cron).
#
#   CLUSTER_OPTIONS='max_prepared_transactions=10' test/cluster.sh test/work.sh
#
# Environment:
#   KILLS  how often a worker and a listener are killed (default: 10)
#   CRON   "yes" waits for pg_cron too, whose minute takes a minute
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check
# does; and how much was told.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin work
kills=${KILLS:-10}

ask -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo'), skillrating.create_ladder('slow', 'glicko2', apply_at => 'manual');
SELECT skillrating.keep_changes(l), skillrating.notify_changes(l, 'news', '20 milliseconds'), skillrating.schedule_work(l, 'settle', '0.1 seconds')
FROM unnest('{arena,slow}'::text[]) AS l;
SELECT skillrating.schedule_work('slow', 'catch_up', '50 milliseconds');
CREATE SEQUENCE reported START 1000000000;
CREATE TABLE begun AS SELECT l AS ladder, c.next_cursor FROM unnest('{arena,slow}'::text[]) AS l, skillrating.changes(l) AS c;
CREATE TABLE heard (listener text, payload jsonb);
-- A match that waits for catch_up(); report_match() would rate it.
CREATE FUNCTION put(a bigint, b bigint) RETURNS void LANGUAGE sql AS $$
	WITH m AS (INSERT INTO slow.match (match_id) VALUES (nextval('reported')) RETURNING match_id)
	INSERT INTO slow.match_player (match_id, player_id, team, rank) SELECT match_id, p, n, n FROM m, unnest(ARRAY[a, b]) WITH ORDINALITY AS u(p, n)
$$;
SQL

# What a listener hears, from the output of psql, into table heard.
hear() {
	sed -n 's/^Asynchronous notification "news" with payload "\(.*\)" received from server process.*/\1/p' "$2" >"$2.payloads"
	ask -c "CREATE TEMP TABLE line (payload jsonb)" -c "\\copy line FROM '$2.payloads' WITH (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')" \
		-c "DELETE FROM heard WHERE listener = '$1'" -c "INSERT INTO heard SELECT '$1', payload FROM line"
}
# psql tells what it has heard with the result of the next command.
listen() {
	{ echo 'LISTEN news;'; while sleep 0.05; do echo 'SELECT;' || exit; done; } | PGAPPNAME=$1 psql -qX -v ON_ERROR_STOP=1 >>"$1.log" 2>"$1.errors" || :
}
# Wait until that listener has heard all that was told before: a listener hears in the order of commits.
markers=0
until_heard() {
	markers=$((markers + 1))
	for _ in $(seq 600); do
		ask -c "NOTIFY news, '{\"marker\": $markers}'"
		sleep 0.1
		grep -q "{\"marker\": $markers}" "$1" && return
	done
	echo "not ok work: a listener that hears"
	exit 1
}
# One of the processes of an application, as the client or in the server.
kill_one() {
	if [ $((RANDOM % 2)) -eq 0 ]; then
		ask -o /dev/null -c "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '$1' LIMIT 1"
	else
		ask -o /dev/null -c "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = '$1' LIMIT 1"
	fi
}
work_on() {
	while [ ! -e stop ]; do
		PGAPPNAME=$1 ask -o /dev/null -c "CALL skillrating.work(run_for => '1 minute')" >>"$1.log" 2>&1 || :
	done
}

cat >insert.sql <<'SQL'
\set a random(0, 99)
\set b random(1, 99)
\set which random(0, 9)
\if :which = 0
SELECT put(:a, (:a + :b) % 100);
\else
SELECT FROM skillrating.report_match('arena', nextval('reported'), ARRAY[:a, (:a + :b) % 100]::bigint[], '{1,2}', '{1,2}');
\endif
\sleep 1 ms
SQL

: >steady.log
: >killed.log
listen steady &
listener=$!
until_heard steady.log
pgbench -n -c 16 -j 2 -T 600 --max-tries=100 -f insert.sql >insert.log 2>&1 &
writers=$!
work_on one &
one=$!
work_on two &
two=$!
for k in $(seq "$kills"); do
	(PGAPPNAME=killed timeout -s KILL 0.$((RANDOM % 5 + 2)) psql -qX -c 'LISTEN news' -c 'SELECT pg_sleep(10)' >/dev/null 2>&1 || :) 2>/dev/null || :
	kill_one "$([ $((k % 2)) -eq 0 ] && echo one || echo two)"
done
check "workers are killed $kills times, and everybody goes on" "$(kill -0 $writers && kill -0 $one && kill -0 $two && kill -0 $listener && echo t)"
check "work() is what ends, and by nothing else" "$(grep -h 'ERROR\|FATAL\|WARNING' one.log two.log | grep -v 'canceling statement due to user request\|terminating connection' | head -n 1 | grep . || echo t)"
check "progress() shows it" "$(for _ in $(seq 200); do ask -c "SELECT 't' FROM skillrating.progress() WHERE work = 'work' AND phase IN ('settling', 'replaying', 'rating', 'writing', 'notifying') LIMIT 1"; done | sort -u)"
kill $writers
wait $writers 2>/dev/null || :
touch stop
ask -o /dev/null -c "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE application_name IN ('one', 'two')"
wait $one $two 2>/dev/null || :
check "no writer fails" "$(grep -h ERROR insert.log | head -n 1 | grep . || echo t)"
ask -o /dev/null -c "SELECT skillrating.schedule_work(l, 'settle', NULL) FROM unnest('{arena,slow}'::text[]) AS l" -c "CALL skillrating.work(run_for => '2 seconds')"
until_heard steady.log
hear steady steady.log
check "nothing waits any more" "$(ask -c "SELECT (SELECT count(*) FROM slow.pending) + (SELECT count(*) FROM slow.correction) = 0")"
for ladder in arena slow; do
	check "ladder $ladder: each change is told exactly once" "$(ask -c "SELECT CASE WHEN told = changed AND told > 0 THEN 't' ELSE format('%s told, %s changed', told, changed) END FROM (SELECT
		(SELECT sum((payload ->> 'changes')::bigint) FROM heard WHERE listener = 'steady' AND payload ->> 'ladder' = '$ladder') AS told,
		(SELECT count(*) FROM begun AS b, skillrating.changes('$ladder', b.next_cursor) AS c WHERE b.ladder = '$ladder' AND c.next_cursor IS NULL) AS changed) AS n")"
	check "ladder $ladder: every player is named, or one of those counted only" "$(ask -c "SELECT CASE WHEN count(*) = 0 OR EXISTS (SELECT FROM heard WHERE payload ->> 'ladder' = '$ladder' AND payload -> 'players' IS NULL) THEN 't' ELSE string_agg(player_id, ' ') END FROM (
		SELECT c.player_id FROM begun AS b, skillrating.changes('$ladder', b.next_cursor) AS c WHERE b.ladder = '$ladder' AND c.next_cursor IS NULL
		EXCEPT SELECT jsonb_array_elements_text(payload -> 'players') FROM heard WHERE listener = 'steady' AND payload ->> 'ladder' = '$ladder') AS missed")"
	check "ladder $ladder is as it should be" "$(ask -c "SELECT CASE WHEN bool_and(ok) THEN 't' ELSE string_agg(detail, ' ') END FROM skillrating.verify('$ladder')")"
done
ask -c "SELECT format('%s notifications of %s changes of %s; at most %s in one, the longest of %s bytes', count(*), sum((payload ->> 'changes')::bigint), payload ->> 'ladder', max((payload ->> 'changes')::bigint), max(octet_length(payload::text))) FROM heard WHERE payload ? 'ladder' GROUP BY payload ->> 'ladder' ORDER BY payload ->> 'ladder'"

# ---- The check can fail ----

ask -o /dev/null -c "SELECT skillrating.notify_changes('arena', NULL)" -c "SELECT skillrating.report_match('arena', nextval('reported'), '{801,802}'::bigint[], '{1,2}', '{1,2}')" \
	-c "SELECT skillrating.notify_changes('arena', 'news', '20 milliseconds')" -c "CALL skillrating.work()"
until_heard steady.log
hear steady steady.log
check "what is not told is found out" "$(ask -c "SELECT (SELECT sum((payload ->> 'changes')::bigint) FROM heard WHERE listener = 'steady' AND payload ->> 'ladder' = 'arena') + 2
	= (SELECT count(*) FROM begun AS b, skillrating.changes('arena', b.next_cursor) AS c WHERE b.ladder = 'arena' AND c.next_cursor IS NULL)")"

# ---- Two at once ----

ask -o /dev/null -c "SELECT skillrating.schedule_work('slow', 'catch_up', '1 hour')" -c "SELECT put(803, 804)"
PGAPPNAME=holder psql -qX -o /dev/null -c BEGIN -c "SELECT skillrating.work_step('slow', 'catch_up')" -c "SELECT pg_sleep(600)" 2>/dev/null &
holder=$!
for _ in $(seq 100); do
	[ "$(ask -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND wait_event = 'PgSleep'")" = 1 ] && break
	sleep 0.1
done
did=$(PGOPTIONS='-c statement_timeout=10s' ask -c "CALL skillrating.work('slow')" 2>&1 || :)
check "what one does the other leaves alone, and does not wait for" "$([ "$did" = '{"slow": {"notify": 0}}|0' ] && echo t || echo "$did")"
kill $holder
wait $holder 2>/dev/null || :
ask -o /dev/null -c "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = 'holder'"
did=$(ask -c "CALL skillrating.work('slow')")
check "and does when the first has ended without it" "$([[ $did == *'"catch_up": 2'* ]] && echo t || echo "$did")"

# ---- At commit ----

ask -o /dev/null -c "SELECT skillrating.notify_changes('arena', 'news', at_commit => true)" -c "SELECT skillrating.report_match('arena', nextval('reported'), '{805,806}'::bigint[], '{1,2}', '{1,2}')" \
	-c "BEGIN" -c "SELECT skillrating.report_match('arena', nextval('reported'), '{807,808}'::bigint[], '{1,2}', '{1,2}')" -c "ROLLBACK"
until_heard steady.log
hear steady steady.log
check "a transaction that rates notifies when it commits" "$(ask -c "SELECT count(*) = 1 FROM heard WHERE payload -> 'players' @> '[\"805\", \"806\"]' AND payload ->> 'changes' = '2' AND payload ? 'number'")"
check "and not when it does not" "$(ask -c "SELECT count(*) = 0 FROM heard WHERE payload -> 'players' @> '[\"807\"]'")"
prepared=$(psql -qXAt -v VERBOSITY=verbose -c BEGIN -c "SELECT FROM skillrating.report_match('arena', nextval('reported'), '{809,810}'::bigint[], '{1,2}', '{1,2}')" -c "PREPARE TRANSACTION 'p'" 2>&1 || :)
check "and cannot be prepared" "$([[ $prepared == *'ERROR:  0A000: cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY'* ]] && echo t || echo "$prepared")"
ask -o /dev/null -c "SELECT skillrating.notify_changes('arena', 'news', '20 milliseconds')" -c BEGIN -c "SELECT FROM skillrating.report_match('arena', nextval('reported'), '{811,812}'::bigint[], '{1,2}', '{1,2}')" -c "PREPARE TRANSACTION 'p'"
ask -o /dev/null -c "CALL skillrating.work()" -c "COMMIT PREPARED 'p'" -c "SELECT pg_sleep(0.1)" -c "CALL skillrating.work()"
until_heard steady.log
hear steady steady.log
check "what work() tells of can be, and is told after its commit" "$(ask -c "SELECT count(*) = 1 FROM heard WHERE payload -> 'players' @> '[\"811\", \"812\"]'")"
pids=$(jobs -p)
ask -o /dev/null -c "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = 'steady'"
wait $pids 2>/dev/null || :

# ---- A crash, and a dump ----

ask -o /dev/null -c "SELECT skillrating.report_match('arena', nextval('reported'), '{813,814}'::bigint[], '{1,2}', '{1,2}')"
pg_ctl -D "$data" -m immediate stop
start
did=$(ask -c "CALL skillrating.work('arena')")
check "after a crash what was not told is" "$([ "$did" = '{"arena": {"notify": 2}}|0' ] && echo t || echo "$did")"
"$bindir/pg_dump" -Fc -f ladders.dump -n arena -n slow
ask -c 'CREATE DATABASE restored'
ask -d restored -c 'CREATE EXTENSION skillrating'
"$bindir/pg_restore" -d restored ladders.dump
{ echo 'LISTEN news;'; echo 'CALL skillrating.work();'; echo 'SELECT;'; } | psql -qX -d restored >restored.log 2>&1
check "a restored ladder says start again" "$(grep -q 'payload "{"ladder": "arena", "start_again": true}"' restored.log && echo t || cat restored.log)"
check "and has its schedule" "$(ask -d restored -c "SELECT string_agg(task, ' ' ORDER BY task) = 'catch_up notify' FROM skillrating.scheduled_work('slow')")"

# ---- pg_cron ----

if [ "${CRON:-}" != yes ]; then
	:
elif [ -e "$("${PG_CONFIG:-pg_config}" --pkglibdir)/pg_cron.so" ]; then
	ask -c "ALTER SYSTEM SET shared_preload_libraries = 'pg_cron'"
	printf "cron.database_name = '%s'\ncron.host = '%s'\n" "$PGDATABASE" "$PGHOST" >>"$data/postgresql.conf"
	pg_ctl -D "$data" -m fast stop
	start
	ask -c 'CREATE EXTENSION pg_cron'
	ask -o /dev/null -c "SELECT cron.schedule('skillrating', '* * * * *', \$\$CALL skillrating.work(run_for => '20 seconds')\$\$)" \
		-c "SELECT put(815, 816)" \
		-c "SELECT skillrating.schedule_work('slow', 'catch_up', '1 second')"
	for _ in $(seq 110); do
		[ "$(ask -c "SELECT count(*) FROM cron.job_run_details WHERE status = 'succeeded'")" = 0 ] || break
		sleep 1
	done
	check "pg_cron rates and tells what waits" "$(ask -c "SELECT count(*) = 2 FROM slow.rating WHERE player_id IN (815, 816)" -c "SELECT count(*) = 0 FROM begun AS b, skillrating.changes('slow', (SELECT cursor FROM slow.work WHERE task = 'notify')) AS c WHERE c.next_cursor IS NULL" | sort -u)"
	check "and has nothing to complain of" "$(ask -c "SELECT CASE WHEN bool_and(status = 'succeeded') THEN 't' ELSE string_agg(return_message, ' ') END FROM cron.job_run_details WHERE status <> 'running'")"
	ask -o /dev/null -c "SELECT cron.unschedule('skillrating')"
else
	echo "not run work: pg_cron is not installed"
fi
exit $failed
