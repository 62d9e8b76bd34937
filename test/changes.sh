#!/bin/bash
# Readers follow the changes of a ladder that sixteen sessions rate, while others correct
# matches, change seasons, ban, merge, forget and catch up; one reader is killed
# at random.  Then with prepared transactions, savepoints, other databases, a crash,
# a standby and its promotion, a subscriber, and a dump and restore.
#
#   CLUSTER_OPTIONS='wal_level=logical max_prepared_transactions=10' test/cluster.sh test/changes.sh
#
# Environment:
#   KILLS  how often the reader is killed (default: 30)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check
# does; and how much was read.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin changes
kills=${KILLS:-30}

ask -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'glicko2');
SELECT skillrating.keep_changes('arena');
CREATE SEQUENCE reported START 1000000000;
CREATE TABLE reader (name text PRIMARY KEY, cursor text, read bigint NOT NULL DEFAULT 0, calls bigint NOT NULL DEFAULT 0);
CREATE TABLE followed (reader text, player_id text, pool text, games bigint, wins bigint, draws bigint, losses bigint,
	last_played timestamptz, as_of timestamptz, rating float8, state float8[], PRIMARY KEY (reader, player_id, pool));
INSERT INTO reader SELECT name, next_cursor FROM skillrating.changes('arena'), unnest('{killed,steady}'::text[]) AS name;

-- Read on, store what was read, and only then the cursor, with a pause before that.  Of players who are
-- never forgotten each change must begin where the one before it ended: nothing is skipped or repeated.
CREATE FUNCTION follow(who text, max_changes bigint, pause float8) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	since text := (SELECT r.cursor FROM reader AS r WHERE r.name = who FOR UPDATE);
	n bigint := 0;
	c record;
	had record;
BEGIN
	FOR c IN SELECT * FROM skillrating.changes('arena', since, max_changes) LOOP
		IF c.next_cursor IS NOT NULL THEN
			since := c.next_cursor;
			CONTINUE;
		END IF;
		n := n + 1;
		DELETE FROM followed AS f WHERE f.reader = who AND f.player_id = c.player_id AND f.pool = c.pool
		RETURNING f.rating, f.games INTO had;
		IF c.player_id::bigint BETWEEN 0 AND 899 AND (had.rating, had.games) IS DISTINCT FROM (c.rating_before, c.games_before) THEN
			RAISE 'skipped or repeated: reader has %, not %', had, c;
		END IF;
		IF c.games_after IS NOT NULL THEN
			INSERT INTO followed VALUES (who, c.player_id, c.pool, c.games_after, c.wins, c.draws, c.losses, c.last_played, c.as_of, c.rating_after, c.state);
		END IF;
	END LOOP;
	PERFORM pg_sleep(pause);
	UPDATE reader SET cursor = since, read = read + n, calls = calls + 1 WHERE name = who;
	RETURN n;
END
$$;
CREATE PROCEDURE follow_on(who text) LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		PERFORM follow(who, 1 + floor(random() * 200)::bigint, random() * 0.02);
		COMMIT;
	END LOOP;
END
$$;
-- The rows of rating that the reader has otherwise, to the bit, or not at all, and the other way round.
CREATE FUNCTION wrong(who text) RETURNS bigint LANGUAGE sql AS $$
	WITH ladder AS (
		SELECT player_id::text, pool, games, wins, draws, losses, last_played, as_of, float8send(rating), array_send(ARRAY[rating, deviation, volatility]) FROM arena.rating),
	reader AS (
		SELECT player_id, pool, games, wins, draws, losses, last_played, as_of, float8send(rating), array_send(state) FROM followed WHERE reader = who)
	SELECT count(*) FROM ((TABLE ladder EXCEPT ALL TABLE reader) UNION ALL (TABLE reader EXCEPT ALL TABLE ladder)) AS d
$$;
-- Read until there is nothing new.
CREATE PROCEDURE finish(who text) LANGUAGE plpgsql AS $$
BEGIN
	WHILE follow(who, 1000, 0) > 0 LOOP
		COMMIT;
	END LOOP;
END
$$;
-- Remove what both readers have had, however far behind a reader is: no transaction that a cursor does
-- not see.  What is in progress now, or begins later, changes ratings after it has begun.
CREATE FUNCTION trim_read() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	begun timestamptz := (SELECT min(xact_start) FROM pg_stat_activity WHERE datname = current_database());
BEGIN
	PERFORM skillrating.trim_changes('arena', least(begun, (
		SELECT min(c.changed_at) FROM arena.change AS c
		WHERE c.number > 0 AND c.xact >= (SELECT min(split_part(split_part(r.cursor, '/', 4), ':', 1)::xid8) FROM reader AS r))));
END
$$;
-- Anything that an administrator may do; what cannot be done at the moment is not.
CREATE FUNCTION administrate(what int, who bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	CASE what
		WHEN 0 THEN PERFORM skillrating.catch_up('arena');
		WHEN 1 THEN PERFORM skillrating.new_season('arena', clock_timestamp()::text, 0.75);
		WHEN 2 THEN PERFORM skillrating.settle('arena', clock_timestamp());
		WHEN 3 THEN PERFORM skillrating.set_rating('arena', who, '{"rating": 1600}');
		WHEN 4 THEN PERFORM skillrating.reset_rating('arena', who);
		WHEN 5 THEN PERFORM skillrating.exclude_player('arena', who);
		WHEN 6 THEN PERFORM skillrating.exclude_player('arena', who, policy => 'refund');
		WHEN 7 THEN PERFORM skillrating.merge_players('arena', who + 100, who);
		WHEN 8 THEN PERFORM skillrating.undo_operation('arena', o.operation) FROM (SELECT operation FROM arena.operation WHERE undone_at IS NULL AND kind IN ('merge', 'exclude', 'refund') LIMIT 1) AS o;
		WHEN 9 THEN PERFORM skillrating.void_match('arena', match_id) FROM (SELECT match_id FROM arena.rated_match WHERE void_reason IS NULL ORDER BY random() LIMIT 1) AS m;
		WHEN 10 THEN PERFORM skillrating.forget_player('arena', 900 + who % 20);
		WHEN 11 THEN PERFORM skillrating.catch_up('arena', rebuild => true);
		WHEN 12 THEN PERFORM skillrating.decay('arena', grace => '0', rate => 1, floor => 0);
		WHEN 13 THEN PERFORM trim_read();
		WHEN 14 THEN PERFORM count(*) FROM skillrating.catch_up('arena', dry_run => true);
	END CASE;
EXCEPTION
	WHEN invalid_parameter_value OR undefined_object OR object_not_in_prerequisite_state OR serialization_failure OR unique_violation THEN
END
$$;
SQL

# Of players of one's own, of everybody's, and of those who will be forgotten.  Some rate
# early and commit late, and some take back what they have rated.
cat >insert.sql <<'SQL'
\set a random(0, 9) + 10 * (:client_id % 16)
\set b random(1, 9)
\set late random(0, 30)
\set point random(0, 9)
\set forgotten random(900, 919)
BEGIN;
\if :point = 0
SAVEPOINT a;
INSERT INTO arena.match (match_id) VALUES (DEFAULT) RETURNING match_id \gset
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (:match_id, :a, 1, 1), (:match_id, :forgotten, 2, 2);
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
ROLLBACK TO a;
\endif
INSERT INTO arena.match (match_id) VALUES (DEFAULT) RETURNING match_id \gset
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT :match_id, p, n, 1 + (n + :late) % 2 FROM (VALUES (:a, 1), (CASE WHEN :point < 3 THEN :forgotten ELSE (:a + :b) % 10 + 10 * (:a / 10) END, 2)) AS v(p, n);
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
\if :late = 0
\sleep 50 ms
\endif
COMMIT;
SQL
cat >correct.sql <<'SQL'
\set back random(1, 200)
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = (SELECT max(match_id) - :back FROM arena.match WHERE match_id < 1000000000);
\sleep 20 ms
SQL
cat >administrate.sql <<'SQL'
\set what random(0, 14)
\set who random(0, 99)
SELECT administrate(:what, :who);
\sleep 50 ms
SQL

pgbench -n -c 16 -j 2 -T 600 --max-tries=100 -f insert.sql >insert.log 2>&1 &
writers=$!
pgbench -n -c 2 -T 600 --max-tries=100 -f correct.sql >correct.log 2>&1 &
correctors=$!
pgbench -n -c 1 -T 600 --max-tries=100 -f administrate.sql >administrate.log 2>&1 &
administrator=$!
ask -c "CALL follow_on('steady')" >steady.log 2>&1 &
steady=$!
: >killed.log
killed=0
late=0
while [ $killed -lt "$kills" ]; do
	PGAPPNAME=killed ask -c "CALL follow_on('killed')" >>killed.log 2>&1 &
	client=$!
	sleep 0.$((RANDOM % 20 + 5))
	# The server's process, or the client and then what it has left behind.
	if [ $((killed % 2)) -eq 0 ]; then
		kill -9 $client
		disown $client
	fi
	[ "$(ask -c "SELECT count(pg_terminate_backend(pid, 5000)) >= 1 FROM pg_stat_activity WHERE application_name = 'killed' AND pid <> pg_backend_pid() AND state = 'active'")" = t ] || late=$((late + 1))
	# One that the server did not know yet would never end.
	kill -9 $client 2>/dev/null || :
	wait $client 2>/dev/null || : # which a killed one is not
	killed=$((killed + 1))
	if [ $((killed % 10)) -eq 0 ] && ! { kill -0 $writers && kill -0 $correctors && kill -0 $administrator && kill -0 $steady; } 2>/dev/null; then
		break
	fi
done
check "a reader is killed $kills times, and everybody goes on" "$([ $killed -eq "$kills" ] && [ $late -le $((kills / 10)) ] && echo t || echo "$killed, $late too late")"
check "no reader skips or repeats anything" "$(grep -q 'skipped or repeated' killed.log steady.log && head -c 500 killed.log steady.log || echo t)"
check "a reader fails by nothing else" "$(grep -h ERROR killed.log steady.log | head -n 1 | grep . || echo t)"
kill $writers $correctors $administrator
wait $writers $correctors $administrator 2>/dev/null || :
ask -c "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'" >/dev/null 2>&1
wait $steady 2>/dev/null || :
check "what was read is trimmed" "$(ask -c "SELECT trim_read()" -c "SELECT count(*) = 1 FROM arena.change WHERE number = 0" | tail -n 1)"
check "no writer fails" "$(grep -h 'ERROR' insert.log correct.log administrate.log | head -n 1 | grep . || echo t)"
for reader in killed steady; do
	ask -c "CALL finish('$reader')"
	check "the table of the $reader reader equals rating" "$(ask -c "SELECT CASE wrong('$reader') WHEN 0 THEN 't' ELSE wrong('$reader')::text END")"
done
check "much was read" "$(ask -c "SELECT min(read) > 10 * $kills AND min(calls) > $kills FROM reader")"
echo "$(ask -c "SELECT string_agg(format('%s: %s changes in %s calls', name, read, calls), '; ' ORDER BY name) FROM reader"); $(ask -c "SELECT format('%s matches, %s rows of change left, of kinds %s', (SELECT count(*) FROM arena.rated_match), count(*), string_agg(DISTINCT kind, ', ')) FROM arena.change"); $(ask -c "SELECT string_agg(format('%s %s', n, kind), ', ') FROM (SELECT kind, count(DISTINCT operation) AS n FROM arena.operation GROUP BY kind ORDER BY kind) AS k")"

# ---- The check can fail ----

ask -o /dev/null -c "SELECT skillrating.report_match('arena', nextval('reported'), '{801,802}'::bigint[], '{1,2}', '{1,2}')"
ask -o /dev/null -c "INSERT INTO reader SELECT 'careless', next_cursor FROM skillrating.changes('arena') WHERE next_cursor IS NOT NULL" \
	-c "INSERT INTO followed SELECT 'careless', player_id, pool, games, wins, draws, losses, last_played, as_of, rating, ARRAY[rating, deviation, volatility] FROM arena.rating" \
	-c "SELECT skillrating.report_match('arena', nextval('reported'), '{801,802}'::bigint[], '{1,2}', '{1,2}')"
ask -o /dev/null -c "BEGIN" -c "SELECT follow('careless', 1, 0)" -c "UPDATE reader SET cursor = (SELECT cursor FROM reader WHERE name = 'steady') WHERE name = 'careless'" -c "COMMIT"
repeated=$(ask -c "SELECT follow('careless', NULL, 0)" 2>&1 || :)
check "a reader who goes back to an older cursor is found out" "$([[ $repeated == *'skipped or repeated'* ]] && echo t || echo "$repeated")"
ask -o /dev/null -c "UPDATE reader SET cursor = (SELECT next_cursor FROM skillrating.changes('arena') WHERE next_cursor IS NOT NULL) WHERE name = 'careless'"
check "a reader who skips changes has another table" "$(ask -c "SELECT wrong('careless') > 0")"
for reader in killed steady; do ask -c "CALL finish('$reader')"; done

# ---- Transactions that commit in another order than they rate ----

prepare() {
	ask -o /dev/null <<-SQL
		BEGIN;
		SELECT skillrating.report_match('arena', nextval('reported'), ARRAY[$2, $2 + 1]::bigint[], '{1,2}', '{1,2}');
		PREPARE TRANSACTION '$1';
	SQL
}
finished() { ask -c "CALL finish('steady')" -c "SELECT CASE wrong('steady') WHEN 0 THEN 't' ELSE wrong('steady')::text END"; }
prepare early 811
prepare back 813
ask -o /dev/null -c "SELECT skillrating.report_match('arena', nextval('reported'), '{815,816}'::bigint[], '{1,2}', '{1,2}')"
check "a prepared transaction is not read" "$(finished)"
horizon=$(ask -c "SELECT pg_snapshot_xmin(pg_current_snapshot())")
check "nothing behind it is trimmed" "$(ask -c "SELECT skillrating.trim_changes('arena', now() + interval '1 hour')" -c "SELECT count(*) = 0 FROM arena.change WHERE number > 0 AND xact < '$horizon'" -c "SELECT count(*) > 0 FROM arena.change WHERE xact > '$horizon'" | tail -n 2 | sort -u)"
pg_ctl -D "$data" -m immediate stop
start
check "nor after a crash" "$(finished)"
ask -c "COMMIT PREPARED 'early'" -c "ROLLBACK PREPARED 'back'"
check "it is read once it is committed" "$(finished)"
check "and that was two changes" "$(ask -c "SELECT count(*) = 2 FROM followed WHERE reader = 'steady' AND player_id IN ('811', '812') AND last_played = (SELECT max(played_at) FROM arena.match WHERE match_id IN (SELECT match_id FROM arena.match_player WHERE player_id IN (811, 812)))")"
ask -c 'CREATE DATABASE beside' -c "CREATE TABLE held (a int)"
psql -qXAt -d beside -c "BEGIN" -c "SELECT pg_current_xact_id()" -c "SELECT pg_sleep(600)" >/dev/null 2>&1 &
open=$!
sleep 1
ask -o /dev/null -c "SELECT skillrating.report_match('arena', nextval('reported'), '{817,818}'::bigint[], '{1,2}', '{1,2}')"
before=$(ask -c "SELECT read FROM reader WHERE name = 'steady'")
check "a transaction of another database that stays open holds nothing up" "$(finished)"
check "and nothing is read again" "$(ask -c "SELECT follow('steady', NULL, 0) = 0 AND read = $before + 2 FROM reader WHERE name = 'steady'")"
ask -o /dev/null -c "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = 'beside'"
wait $open 2>/dev/null || :

# ---- Commits that a crash may lose ----

# The next to write the WAL would come in ten seconds, if reading did not.
ask -c "ALTER SYSTEM SET wal_writer_delay = '10s'" -c "SELECT pg_reload_conf()" >/dev/null
ask -o /dev/null -c "CALL finish('steady')"
sleep 1
since=$(ask -c "SELECT cursor FROM reader WHERE name = 'steady'")
ask -o /dev/null -c "SET synchronous_commit = off" -c "SELECT skillrating.report_match('arena', nextval('reported'), '{819,820}'::bigint[], '{1,2}', '{1,2}')"
seen=$(ask -c "SELECT max(match_id) FROM skillrating.changes('arena', '$since')")
pg_ctl -D "$data" -m immediate stop
start
check "what was read survives a crash" "$(ask -c "SELECT count(*) = 1 FROM arena.rated_match WHERE match_id = $seen")"
check "and the reader goes on" "$(finished)"

# ---- Old transactions ----

ask -o /dev/null -c "CALL finish('steady')" -c "SELECT skillrating.report_match('arena', nextval('reported'), '{821,822}'::bigint[], '{1,2}', '{1,2}')" \
	-c "VACUUM (FREEZE) arena.change"
# Three billion transactions later: the numbers of 32 bits have come round, the commit log is new.
pg_ctl -D "$data" -m fast stop
next=$("${as_server[@]}" "$bindir/pg_controldata" "$data" | sed -n 's/^Latest checkpoint.s NextXID: *\([0-9]*\):\([0-9]*\)$/\1 \2/p')
"${as_server[@]}" "$bindir/pg_resetwal" -f -e $((${next% *} + 1)) "$data" >/dev/null
start
check "after an epoch of transactions cursors lead on" "$(finished)"

# ---- Other servers ----

cursor=$(ask -c "SELECT cursor FROM reader WHERE name = 'steady'")
"${as_server[@]}" "$bindir/pg_basebackup" -D "$scratch/standby" -R -X stream -c fast
echo 'port = 5433' >>"$scratch/standby/postgresql.auto.conf"
pg_ctl -D "$scratch/standby" -l "$scratch/standby.log" -w start
state() { psql -qXAt -v VERBOSITY=verbose "${@:2}" -c "SELECT count(*) FROM skillrating.changes('arena', $1)" 2>&1 | sed -n 's/^ERROR:  \([0-9A-Z]*\):.*/\1/p'; }
check "a standby refuses" "$([ "$(state NULL -p 5433)" = 55000 ] && echo t)"
pg_ctl -D "$scratch/standby" -w promote
check "a promoted server says start again" "$([ "$(state "'$cursor'" -p 5433)" = 24000 ] && echo t)"
check "and starts" "$(ask -p 5433 -c "SELECT count(*) - 1 = (SELECT count(*) FROM arena.rating) FROM skillrating.changes('arena')")"
make_cluster subscriber
echo 'port = 5434' >>"$scratch/subscriber/postgresql.conf"
pg_ctl -D "$scratch/subscriber" -l "$scratch/subscriber.log" -w start
export PGOPTIONS=
ask -c 'CREATE PUBLICATION everything FOR ALL TABLES'
"$bindir/pg_dump" -s -n arena | sed '/^CREATE SCHEMA/d; s/^CREATE TABLE arena/&/' >schema.sql
"$bindir/pg_dump" -Fc -f arena.dump -n arena
restore() {
	ask -h "$scratch" -p 5434 -U postgres -d postgres -c "CREATE DATABASE $1" || return 1
	ask -h "$scratch" -p 5434 -U postgres -d "$1" -c 'CREATE EXTENSION skillrating'
	"$bindir/pg_restore" -h "$scratch" -p 5434 -U postgres -d "$1" --no-owner "${@:2}" arena.dump
}
restore restored
on_restored=(-h "$scratch" -p 5434 -U postgres -d restored)
check "a restored ladder says start again" "$([ "$(state "'$cursor'" "${on_restored[@]}")" = 24000 ] && echo t)"
first=$(ask "${on_restored[@]}" -c "SELECT next_cursor FROM skillrating.changes('arena') WHERE next_cursor IS NOT NULL")
check "old rows of a dump are not read" "$(ask "${on_restored[@]}" -c "SELECT count(*) = 1 FROM skillrating.changes('arena', '$first')")"
ask -o /dev/null "${on_restored[@]}" -c "SELECT skillrating.report_match('arena', 2000000000, '{821,822}'::bigint[], '{1,2}', '{1,2}')"
check "new ones are" "$(ask "${on_restored[@]}" -c "SELECT count(*) = 3 AND count(*) FILTER (WHERE player_id IN ('821', '822')) = 2 FROM skillrating.changes('arena', '$first')")"
check "and what the dump brought can be trimmed" "$(ask "${on_restored[@]}" -c "SELECT skillrating.trim_changes('arena', '2020-01-01') > 0" -c "SELECT count(*) > 0 AND count(DISTINCT origin) = 1 FROM arena.change" -c "SELECT count(*) > 2 FROM skillrating.changes('arena', '$first')" | sort -u)"
restore subscribed -s
on_subscriber=(-h "$scratch" -p 5434 -U postgres -d subscribed)
ask "${on_subscriber[@]}" -c "CREATE SUBSCRIPTION everything CONNECTION 'host=$PGHOST port=$PGPORT user=$PGUSER dbname=$PGDATABASE' PUBLICATION everything" >/dev/null 2>&1 || :
check "a subscriber refuses" "$([ "$(state NULL "${on_subscriber[@]}")" = 55000 ] && echo t || ask "${on_subscriber[@]}" -c "SELECT count(*) FROM pg_subscription_rel")"
exit $failed
