#!/bin/bash
# Sessions rate matches of two hundred players at once, in transactions of one match and of
# many, correct some, and begin seasons, while others compare ranks, pages and tables of seasons with
# plain SQL over tables rating and event under one snapshot, and catch up; against the server that
# PGHOST leads to.  Boards are exact in every snapshot, nobody waits for the session that folds the
# counts, and the ladder verifies.  Then sixteen clients rate and read while ranks are counted, and no
# longer, again and again: nothing fails, no match is lost, and the counts are those of the players.
#
#   test/boards.sh
#
# Environment:
#   BOARDS_SECONDS  how long (default: 8)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin_database boards
seconds=${BOARDS_SECONDS:-8}
psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'trueskill', ranks => 'counted');
CREATE SEQUENCE reported START 1000000000;
CREATE SEQUENCE begun;
CREATE TABLE compared (boards bigint);

-- Whoever adds a row has the counts folded in the same transaction, one time in ten.
CREATE FUNCTION fold_now() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF random() < 0.1 AND current_setting('transaction_isolation') = 'read committed' AND pg_try_advisory_xact_lock(1) THEN
		PERFORM skillrating_internal.fold_rating_counts('arena');
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER fold_now AFTER INSERT ON arena.rating_count_delta FOR EACH STATEMENT EXECUTE FUNCTION fold_now();

-- Compare the boards of a player with plain SQL; all under the snapshot of the transaction.
CREATE FUNCTION compare(player bigint, since interval) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	from_time timestamptz := (SELECT max(last_played) - since FROM arena.rating);
	wrong text;
BEGIN
	CREATE TEMP TABLE t ON COMMIT DROP AS
	SELECT row_number() OVER (ORDER BY r.rating DESC, r.player_id) AS n, rank() OVER (ORDER BY r.rating DESC) AS place, r.*
	FROM arena.rating AS r WHERE r.pool = '' AND r.games > 0;
	SELECT string_agg(w.what, ', ') INTO wrong FROM (
		SELECT 'place' WHERE (SELECT t.place FROM t WHERE t.player_id = player) IS DISTINCT FROM (skillrating.place_of('arena', player)).place
		UNION ALL
		SELECT 'percentile' WHERE (SELECT 100 * ((SELECT count(*) FROM t AS l WHERE l.rating < t.rating) + (SELECT count(*) - 1 FROM t AS e WHERE e.rating = t.rating) / 2.0)
			/ nullif((SELECT count(*) - 1 FROM t), 0) FROM t WHERE t.player_id = player)::float8 IS DISTINCT FROM (skillrating.place_of('arena', player)).percentile
		UNION ALL
		SELECT 'around' WHERE ARRAY(SELECT (o.place, o.player_id::text)::text FROM t JOIN t AS o ON o.n BETWEEN t.n - 2 AND t.n + 2 WHERE t.player_id = player ORDER BY o.n)
			IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id)::text FROM skillrating.around('arena', player) AS a)
		UNION ALL
		SELECT 'after' WHERE EXISTS (SELECT FROM t WHERE t.player_id = player) AND
			ARRAY(SELECT (o.place, o.player_id::text)::text FROM t JOIN t AS o ON o.n > t.n WHERE t.player_id = player ORDER BY o.n LIMIT 5)
			IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id)::text FROM skillrating.leaderboard('arena', 5, after_player => player) AS a)
		UNION ALL
		SELECT 'active' WHERE ARRAY(SELECT t.player_id::text FROM t WHERE t.last_played >= from_time ORDER BY t.n LIMIT 5)
			IS DISTINCT FROM ARRAY(SELECT a.player_id FROM skillrating.leaderboard('arena', 5, active_since => from_time) AS a)) AS w(what);
	IF wrong IS NOT NULL THEN
		RAISE 'boards of player % are wrong: %', player, wrong;
	END IF;
	DROP TABLE t;
END
$$;

-- The same of the tables of the last seasons, running or ended.
CREATE FUNCTION compare_seasons(player bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	season record;
	wrong text;
BEGIN
	FOR season IN
		SELECT s.name, s.seq, lead(s.seq) OVER (ORDER BY s.seq) AS next_seq
		FROM (SELECT params->>'name' AS name, seq FROM arena.operation WHERE kind = 'season' AND undone_at IS NULL UNION ALL SELECT '', 0) AS s
		ORDER BY s.seq DESC LIMIT 3
	LOOP
		CREATE TEMP TABLE t ON COMMIT DROP AS
		SELECT row_number() OVER (ORDER BY q.rating DESC, q.player_id) AS n, rank() OVER (ORDER BY q.rating DESC) AS place, q.player_id, q.rating, m.games
		FROM (
			SELECT r.player_id, r.rating FROM arena.rating AS r WHERE r.pool = '' AND season.next_seq IS NULL
			UNION ALL
			SELECT e.player_id, e.mu_before - 3 * e.sigma_before FROM arena.event AS e WHERE e.seq = season.next_seq AND e.kind = 'season') AS q
		JOIN (
			SELECT e.player_id, count(*) AS games FROM arena.event AS e
			WHERE e.kind = 'match' AND e.seq > season.seq AND (season.next_seq IS NULL OR e.seq < season.next_seq) GROUP BY 1) AS m USING (player_id);
		SELECT string_agg(w.what, ', ') INTO wrong FROM (
			SELECT 'table' WHERE ARRAY(SELECT (t.place, t.player_id::text, t.rating, t.games)::text FROM t ORDER BY t.n LIMIT 20)
				IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id, a.rating, a.games)::text FROM skillrating.season_table('arena', season.name, 20) AS a)
			UNION ALL
			SELECT 'place' WHERE (SELECT t.place FROM t WHERE t.player_id = player) IS DISTINCT FROM (SELECT s.place FROM skillrating.season_table('arena', season.name, player => player) AS s)
			UNION ALL
			SELECT 'after' WHERE EXISTS (SELECT FROM t WHERE t.player_id = player) AND
				ARRAY(SELECT (o.place, o.player_id::text)::text FROM t JOIN t AS o ON o.n > t.n WHERE t.player_id = player ORDER BY o.n LIMIT 5)
				IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id)::text FROM skillrating.season_table('arena', season.name, 5, after_player => player) AS a)) AS w(what);
		IF wrong IS NOT NULL THEN
			RAISE 'season "%" is wrong for player %: %', season.name, player, wrong;
		END IF;
		DROP TABLE t;
	END LOOP;
END
$$;
SQL

# A match of two to six in a transaction of its own; or many, one after another.
cat >"$scratch/one.sql" <<'SQL'
\set a random(0, 199)
\set n 2 * random(1, 3)
BEGIN;
INSERT INTO arena.match (match_id, played_at) VALUES (DEFAULT, now() - random() * interval '40 days') RETURNING match_id \gset
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT :match_id, (:a + i * 37) % 200, i % 2, 1 + (i + :a) % 2 FROM generate_series(1, :n) AS i;
COMMIT;
SQL
cat >"$scratch/many.sql" <<'SQL'
\set a random(0, 199)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM generate_series(1, 5) AS i CROSS JOIN LATERAL
	skillrating.report_match('arena', nextval('reported'), ARRAY[(:a + i) % 200, (:a + i + 100) % 200], ARRAY[1, 2], ARRAY[1, 1 + i % 2]);
COMMIT;
SQL
cat >"$scratch/correct.sql" <<'SQL'
\set back random(1, 100)
UPDATE arena.match_player SET rank = 3 - rank
WHERE match_id = (SELECT max(match_id) - :back FROM arena.match WHERE match_id < 1000000000);
SELECT count(*) FROM skillrating.catch_up('arena');
\sleep 300 ms
SQL
cat >"$scratch/season.sql" <<'SQL'
SELECT players FROM skillrating.new_season('arena', 'season ' || nextval('begun'), 0.9, at => now());
\sleep 700 ms
SQL
cat >"$scratch/compare.sql" <<'SQL'
\set a random(0, 199)
\set d random(1, 50)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT compare(:a, :d * interval '1 day');
SELECT compare_seasons(:a);
INSERT INTO compared VALUES (1);
COMMIT;
SQL

verify() { ask -c "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('arena') AS v"; }

pgbench -n -c 4 -j 2 -T "$seconds" -f "$scratch/one.sql" >"$scratch/one.log" 2>&1 &
ones=$!
# Who began before another rated the same players has to try again.
pgbench -n -c 2 -T "$seconds" --max-tries=100 -f "$scratch/many.sql" >"$scratch/many.log" 2>&1 &
manies=$!
pgbench -n -c 1 -T "$seconds" -f "$scratch/correct.sql" >"$scratch/correct.log" 2>&1 &
correcting=$!
pgbench -n -c 1 -T "$seconds" -f "$scratch/season.sql" >"$scratch/season.log" 2>&1 &
seasons=$!
status=t
pgbench -n -c 2 -j 2 -T "$seconds" -f "$scratch/compare.sql" >"$scratch/compare.log" 2>&1 || status=f
wait "$ones" || status=f
wait "$manies" || status=f
wait "$correcting" || status=f
wait "$seasons" || status=f
grep -l ABORTED\\\|aborted "$scratch"/*.log >/dev/null 2>&1 && status=f
[ $status = t ] || cat "$scratch"/{one,many,correct,season,compare}.log >&2
check "every board is that of its snapshot, and nothing fails" "$status"
check "many were compared" "$(ask -c "SELECT count(*) > 20 FROM compared")"
check "many matches were rated" "$(ask -c "SELECT count(*) > 100 FROM arena.rated_match WHERE status = 'rated'")"
check "seasons have ended" "$(ask -c "SELECT count(DISTINCT operation) > 2 FROM arena.standing")"
check "counts were folded meanwhile" "$(ask -c "SELECT count(*) > 0 FROM arena.rating_count")"
check "no deadlock" "$(ask -c "SELECT deadlocks = 0 FROM pg_stat_database WHERE datname = current_database()")"
ask -c "SELECT count(*) FROM skillrating.catch_up('arena')" >/dev/null
check "the ladder verifies" "$(verify)"

# Who has folded and is still open keeps nobody from rating, reading or folding later.
coproc OPEN { psql -qXAt -v ON_ERROR_STOP=1; }
open_pid=$OPEN_PID
echo "BEGIN; SELECT count(*) FROM skillrating.report_match('arena', 2000000001, ARRAY[1000, 1001], ARRAY[1, 2], ARRAY[1, 2]); SELECT 'open';" >&"${OPEN[1]}"
while read -r line <&"${OPEN[0]}"; do [ "$line" = open ] && break; done
check "others rate while a transaction is open" \
	"$(ask -c "SET lock_timeout = '20s'; SELECT count(*) = 2 FROM skillrating.report_match('arena', 2000000002, ARRAY[1002, 1003], ARRAY[1, 2], ARRAY[1, 2])")"
check "and read" "$(ask -c "SELECT (skillrating.place_of('arena', 1002)).place IS NOT NULL AND (skillrating.place_of('arena', 1000)).place IS NULL")"
echo "COMMIT; \\q" >&"${OPEN[1]}"
wait "$open_pid" || :
check "what was open is read afterwards" "$(ask -c "SELECT (skillrating.place_of('arena', 1000)).place IS NOT NULL")"
check "the ladder verifies again" "$(verify)"

# The option comes and goes while others rate, some of them in transactions that have read a board.
ask -c "SELECT skillrating.set_ranks('arena', 'indexed')" -o /dev/null
cat >"$scratch/duel.sql" <<'SQL'
\set a random(0, 199)
\set b random(1, 199)
SELECT count(*) FROM skillrating.report_match('arena', nextval('reported'), ARRAY[:a, (:a + :b) % 200], ARRAY[1, 2], ARRAY[1, 2]);
SQL
cat >"$scratch/read.sql" <<'SQL'
\set a random(0, 199)
\set b random(1, 199)
BEGIN;
SELECT (skillrating.place_of('arena', :a)).place, count(*) FROM skillrating.leaderboard('arena', active_since => '2000-01-01');
SELECT count(*) FROM skillrating.report_match('arena', nextval('reported'), ARRAY[:a, (:a + :b) % 200], ARRAY[1, 2], ARRAY[1, 2]);
COMMIT;
SQL
reported=$(ask -c "SELECT last_value FROM reported")
pgbench -n -c 16 -j 2 -T "$seconds" -f "$scratch/duel.sql@3" -f "$scratch/read.sql@1" >"$scratch/toggle.log" 2>&1 &
clients=$!
changes=0
while kill -0 "$clients" 2>/dev/null; do
	for choice in counted indexed counted counted indexed; do
		ask -o /dev/null -c "SELECT skillrating.set_ranks('arena', '$choice')" || check "set_ranks(arena, $choice)" failed
		changes=$((changes + 1))
	done
done
status=t
wait "$clients" || status=f
grep -q 'failed transactions: 0 ' "$scratch/toggle.log" || status=f
[ $status = t ] || cat "$scratch/toggle.log" >&2
check "no client failed while the option came and went" "$status"
check "it did so several times" "$([ "$changes" -gt 5 ] && echo t)"
check "every match is rated" "$(ask -c "SELECT count(*) > 50 AND bool_and(r.status IS NOT DISTINCT FROM 'rated') FROM arena.match AS m LEFT JOIN arena.rated_match AS r USING (match_id) WHERE m.match_id > $reported")"
ask -o /dev/null -c "SELECT skillrating.set_ranks('arena', 'counted')"
ask -o /dev/null -c "SELECT count(*) FROM skillrating.report_match('arena', 2000000003, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2])"
check "the ladder verifies at last" "$(verify)"
exit $failed
