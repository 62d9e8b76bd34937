#!/bin/bash
# Maintenance of a ladder against what may come in its way: a prepared transaction that has rated, a
# maintainer that is killed, a server that crashes, and full load with corrections, under which it ends
# after a bounded number of rounds.  In the end the ladder is, bit for bit, one that got the same matches
# one after another, in the order of seq.
#
#   CLUSTER_OPTIONS='max_prepared_transactions=10' test/cluster.sh bash test/maintenance.sh
#
# Environment:
#   MAINTENANCE_SECONDS  how long the load lasts (default: 10)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin maintenance
seconds=${MAINTENANCE_SECONDS:-10}
ask -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'glicko', '{"c": 60}');
CREATE SEQUENCE played;
INSERT INTO arena.match (match_id, played_at)
SELECT nextval('played'), timestamptz '2024-01-01' + n * interval '1 minute' FROM generate_series(1, 3000) AS n;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT n, (n * 7 + t * (1 + n % 50)) % 60, 1 + t, 1 + (n + t) % 2
FROM generate_series(1, 3000) AS n, generate_series(0, 1) AS t;
SQL
verify() { ask -c "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('arena') AS v"; }
play() { echo "INSERT INTO arena.match (match_id, played_at) SELECT m, timestamptz '2024-02-01' + m * interval '1 second' FROM nextval('played') AS m;
	INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (currval('played'), $1, 1, 1), (currval('played'), $2, 2, 2);"; }
correct() { echo "UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = $1;"; }
# Wait for a condition, for at most a minute.
wait_for() {
	for _ in $(seq 600); do
		[ "$(ask -c "SELECT $1")" != t ] || return 0
		sleep 0.1
	done
	echo "waited in vain for $1" >&2
}

#
# ---- Two that end one after the other ----
#

ask -o /dev/null <<'SQL'
CREATE ROLE regress_arena_owner;
CREATE ROLE regress_arena_app;
GRANT regress_arena_owner TO CURRENT_USER;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_arena_owner', current_database()) \gexec
SET ROLE regress_arena_owner;
SELECT skillrating.create_ladder('court', 'elo'), skillrating.grant_ladder('court', 'regress_arena_app', 'reporter');
SQL
for n in 1 2; do
	echo "SET SESSION AUTHORIZATION regress_arena_app; BEGIN; SELECT FROM skillrating.report_match('court', $n, ARRAY[$n, -$n], '{1,2}', '{1,2}');
		SET CONSTRAINTS ALL IMMEDIATE; SELECT pg_sleep($((2 * n))); COMMIT;" | ask -o /dev/null &
done
wait_for "count(*) = 2 FROM pg_locks AS l WHERE l.locktype = 'object' AND l.objid = 'court'::regnamespace AND l.mode = 'RowShareLock'"
error=$(echo "SET SESSION AUTHORIZATION regress_arena_owner; SET lock_timeout = '3s'; SELECT count(*) FROM skillrating.catch_up('court');" | ask -v VERBOSITY=verbose 2>&1 || :)
check "both of two in the way have lock_timeout together, and the detail tells no state of another role's session" \
	"$([[ $error == *"55P03: could not lock ladder \"court\" for maintenance within 3000 ms"*"In the way: process "+([0-9])" of role "+([!,.])"."* ]] && echo t || echo "$error")"
wait
ask -o /dev/null -c "SELECT skillrating.drop_ladder('court')"

#
# ---- A prepared transaction ----
#

{ echo "BEGIN;"; play 1 2; echo "PREPARE TRANSACTION 'rated';"; } | ask
correct 1 | ask
error=$(echo "SET lock_timeout = '500ms'; SELECT count(*) FROM skillrating.catch_up('arena');" | ask -v VERBOSITY=verbose 2>&1 || :)
check "an error names the prepared transaction in the way" \
	"$([[ $error == *"55P03: could not lock ladder \"arena\" for maintenance within 500 ms"*"In the way: prepared transaction 'rated'."* ]] && echo t || echo "$error")"
ask -o /dev/null -c "SELECT count(*) FROM skillrating.catch_up('arena')" &
maintainer=$!
wait_for "EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%catch_up(%' AND pid <> pg_backend_pid() AND wait_event_type = 'Lock')"
play 3 4 | PGOPTIONS='-c lock_timeout=5s' ask
check "others are rated beside it" "$(ask -c "SELECT status = 'rated' FROM arena.rated_match WHERE match_id = currval('played')" 2>/dev/null || ask -c "SELECT count(*) = 3001 FROM arena.rated_match")"
check "and maintenance goes on waiting" "$(ask -c "SELECT count(*) = 1 FROM arena.correction")"
ask -c "COMMIT PREPARED 'rated'"
wait $maintainer
check "the ladder verifies behind it" "$(verify)"

#
# ---- A killed maintainer ----
#

# It stops when it has written its first part.
ask -o /dev/null <<'SQL'
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(20); RETURN NULL; END $$;
CREATE TRIGGER stop AFTER UPDATE ON arena.event FOR EACH STATEMENT EXECUTE FUNCTION stop();
SQL
before=$(ask -c "SELECT md5(string_agg(r::text, ',' ORDER BY r.player_id)) FROM arena.rating AS r")
correct 2 | ask
# With a log of its own, in which a crash is no failure of the test.
pg_ctl -D "$data" -m fast stop
start
for signal in TERM KILL; do
	ask -o /dev/null -c "SELECT pg_advisory_lock(20), pg_sleep(600)" 2>/dev/null &
	wait_for "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = 20)"
	ask -o /dev/null -c "SELECT count(*) FROM skillrating.catch_up('arena')" 2>/dev/null &
	maintainer=$!
	wait_for "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 20)"
	pid=$(ask -c "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 20")
	kill -s $signal "$pid"
	wait $maintainer || :
	# The server ends all sessions then, and starts again.
	[ $signal = TERM ] || until grep -q reinitializing "$scratch/server.log"; do sleep 0.1; done
	until ask -o /dev/null -c "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 20" 2>/dev/null; do sleep 0.2; done
	check "nothing has changed after $signal" \
		"$(ask -c "SELECT md5(string_agg(r::text, ',' ORDER BY r.player_id)) = '$before' AND (SELECT count(*) = 1 FROM arena.correction) FROM arena.rating AS r")"
done
ask -o /dev/null -c "DROP TRIGGER stop ON arena.event" -c "SELECT count(*) FROM skillrating.catch_up('arena')"
check "the next call does the work" "$(verify)"
check "and the ratings are others" "$(ask -c "SELECT md5(string_agg(r::text, ',' ORDER BY r.player_id)) <> '$before' FROM arena.rating AS r")"

#
# ---- Full load ----
#

cat >"$scratch/play.sql" <<SQL
\set a random(0, 59)
\set b random(1, 59)
\set what random(1, 100)
BEGIN;
$(play :a '(:a + :b) % 60')
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = CASE WHEN :what <= 3 THEN currval('played') - 3000 * :what / 6 END;
COMMIT;
SQL
(cd "$scratch" && exec pgbench -n -c 4 -j 2 -T "$seconds" -f play.sql) >"$scratch/play.log" 2>&1 &
load=$!
calls=0
status=t
while kill -0 $load 2>/dev/null; do
	timeout 60 psql -qX -v ON_ERROR_STOP=1 -o /dev/null -c "SELECT count(*) FROM skillrating.catch_up('arena')" \
		-c "SELECT skillrating.settle('arena', timestamptz '2024-02-01' + last_value * interval '1 second') FROM played" || status=f
	calls=$((calls + 1))
done
wait $load || status=f
check "nothing fails under full load with 3 % of corrections, and each of $calls calls ends" "$status"
ask -o /dev/null -c "SELECT count(*) FROM skillrating.catch_up('arena')"
check "the ladder verifies after it" "$(verify)"

# The same, one after another, in one transaction.
ask -o /dev/null <<'SQL'
SELECT skillrating.create_ladder('turns', 'glicko', '{"c": 60}', apply_at => 'statement');
DO $$
DECLARE
	step record;
BEGIN
	FOR step IN
		SELECT m.seq, m.match_id, NULL::timestamptz AS at FROM arena.rated_match AS m
		UNION ALL SELECT o.seq, NULL, o.at FROM arena.operation AS o ORDER BY 1
	LOOP
		IF step.match_id IS NULL THEN
			PERFORM skillrating.settle('turns', step.at);
		ELSE
			INSERT INTO turns.match SELECT m.* FROM arena.match AS m WHERE m.match_id = step.match_id;
			INSERT INTO turns.match_player SELECT p.* FROM arena.match_player AS p WHERE p.match_id = step.match_id;
		END IF;
	END LOOP;
END
$$;
SQL
check "it is, bit for bit, what one pass in the order of seq gives" \
	"$(ask -c "SELECT count(*) = 0 FROM (SELECT to_jsonb(r) FROM arena.rating AS r EXCEPT ALL SELECT to_jsonb(r) FROM turns.rating AS r) AS d" -c "SELECT ''" | head -n 1)"
check "in all events too" "$(ask -c "SELECT count(*) = 0 FROM (
	SELECT to_jsonb(e) - '{seq,reason}'::text[], rank() OVER (PARTITION BY player_id ORDER BY seq) FROM arena.event AS e
	EXCEPT ALL SELECT to_jsonb(e) - '{seq,reason}'::text[], rank() OVER (PARTITION BY player_id ORDER BY seq) FROM turns.event AS e) AS d")"
exit $failed
