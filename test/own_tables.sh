#!/bin/bash
# Sixteen clients insert, correct and delete matches in tables of an application, below a view with
# a ladder that writes ratings to table users, while the application inserts and updates users itself;
# then they insert while ladders over the same tables are made and dropped.  No update is lost, no
# client fails, and nothing is half attached.
#
#   test/cluster.sh test/own_tables.sh
#
# Environment:
#   OWN_TABLES_SECONDS  how long each of the three runs is (default: 6)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and how many matches and deadlocks there
# were; fails if any check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin_database own_tables
seconds=${OWN_TABLES_SECONDS:-6}

ask -o /dev/null <<SQL
CREATE EXTENSION skillrating;
ALTER DATABASE $database SET client_min_messages = error;
CREATE TABLE users (id bigint PRIMARY KEY, seen integer NOT NULL DEFAULT 0, rating float8, games bigint);
CREATE TABLE games (id bigserial PRIMARY KEY, played_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE game_players (game_id bigint REFERENCES games ON DELETE CASCADE, user_id bigint, team integer, score integer,
	PRIMARY KEY (game_id, user_id));
CREATE VIEW game_source AS
SELECT g.id AS match_id, g.played_at, p.user_id AS player_id, p.team, p.score AS team_score FROM games AS g JOIN game_players AS p ON p.game_id = g.id;
-- What the application has done, to be compared with what users say.
CREATE TABLE visit (user_id bigint, n integer);
CREATE TABLE caught_up (at timestamptz);
CREATE SEQUENCE guest START 1000;
INSERT INTO users (id) SELECT generate_series(1, 50);
SET client_min_messages = error;
SELECT skillrating.create_ladder('arena', 'elo', source => 'game_source', ratings_to => 'users', key => 'id',
	columns => '{"rating": "rating", "games": "games"}');
SQL

# Two to eight of sixty users, of whom ten are inserted meanwhile, in any order and two statements; one
# transaction in ten is rolled back.
cat >"$scratch/play.sql" <<'SQL'
\set a random(0, 59)
\set n 2 * random(1, 4)
\set back random(1, 10)
BEGIN;
INSERT INTO games DEFAULT VALUES RETURNING id \gset
INSERT INTO game_players
SELECT :id, 1 + (:a + i * 7) % 60, 1 + i % 2, (:a * (1 + i % 2)) % 3 FROM generate_series(1, :n) AS i ORDER BY random();
\if :back = 1
ROLLBACK;
\else
COMMIT;
\endif
SQL
cat >"$scratch/correct.sql" <<'SQL'
\set back random(1, 100)
\set what random(1, 4)
UPDATE game_players SET score = 2 - score WHERE game_id = (SELECT max(id) - :back FROM games) AND :what < 4;
DELETE FROM games WHERE id = (SELECT max(id) - :back FROM games) AND :what = 4;
\sleep 10 ms
SQL
cat >"$scratch/catch_up.sql" <<'SQL'
DO $$
BEGIN
	PERFORM skillrating.catch_up('arena');
	INSERT INTO caught_up VALUES (now());
EXCEPTION WHEN lock_not_available THEN
	-- A busy machine: all of the others are at it for half a minute.
	NULL;
END
$$;
\sleep 200 ms
SQL
# The application: a user at a time, several in the order of their identifiers, and new ones.
cat >"$scratch/visit.sql" <<'SQL'
\set a random(1, 50)
\set b random(51, 60)
BEGIN;
UPDATE users SET seen = seen + 1 WHERE id = :a;
INSERT INTO visit VALUES (:a, 1);
COMMIT;
BEGIN;
WITH u AS (SELECT id FROM users WHERE id % 10 = :a % 10 ORDER BY id FOR NO KEY UPDATE),
	seen AS (UPDATE users SET seen = seen + 1 FROM u WHERE users.id = u.id RETURNING users.id)
INSERT INTO visit SELECT id, 1 FROM seen;
COMMIT;
INSERT INTO users (id) VALUES (:b) ON CONFLICT DO NOTHING;
INSERT INTO users (id) VALUES (nextval('guest'));
SQL
# And in whatever order, before a match of the same transaction.
cat >"$scratch/untidy.sql" <<'SQL'
\set a random(1, 50)
\set b random(1, 50)
\set back random(1, 10)
BEGIN;
UPDATE users SET seen = seen + 1 WHERE id = :a;
INSERT INTO visit VALUES (:a, 1);
INSERT INTO games DEFAULT VALUES RETURNING id \gset
INSERT INTO game_players SELECT :id, p, n, n FROM (SELECT DISTINCT ON (p) p, n FROM unnest(ARRAY[:a, :b, 61, 62]) WITH ORDINALITY AS p(p, n)) AS p;
UPDATE users SET seen = seen + 1 WHERE id = :b;
INSERT INTO visit VALUES (:b, 1);
\if :back = 1
ROLLBACK;
\else
COMMIT;
\endif
\sleep 5 ms
SQL

# Run pgbench with more arguments, so many clients each, until the time is up; what failed is in the log.
load() {
	local name=$1 clients=$2
	shift 2
	pgbench -n -c "$clients" -j 1 -T "$seconds" --max-tries=1000 --failures-detailed "$@" >"$scratch/$name.log" 2>&1 &
	workers+=($!)
}
# The clients that failed, or t.
finish() {
	local worker status=t
	for worker in "${workers[@]}"; do wait "$worker" || status=f; done
	grep -h 'aborted\|ERROR\|FATAL' "$scratch"/*.log && status=f
	[ "$status" = t ] || cat "$scratch"/*.log >&2
	rm "$scratch"/*.log
	workers=()
	failed_clients=$status
}
deadlocks() {
	ask -o /dev/null -c 'SELECT pg_stat_force_next_flush()'
	ask -c "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
}
compare() {
	ask -o /dev/null -c "SELECT count(*) FROM skillrating.catch_up('arena')"
	check "$1: users have the ratings of the ladder" \
		"$(ask -c "SELECT count(*) > 0 AND count(*) FILTER (WHERE (u.rating, u.games) IS DISTINCT FROM (r.rating, r.games)) = 0
			FROM users AS u LEFT JOIN arena.rating AS r ON r.player_id = u.id")"
	check "$1: nothing of the application is lost" \
		"$(ask -c "SELECT sum(n) = (SELECT sum(seen) FROM users) FROM visit")"
	check "$1: each match is rated once, and no other" \
		"$(ask -c "SELECT count(*) > 100 AND bool_and(s.n IS NOT DISTINCT FROM e.n) FROM (
				SELECT match_id, count(*) AS n FROM game_source GROUP BY match_id HAVING count(DISTINCT team) > 1) AS s
			FULL JOIN (SELECT match_id, count(*) AS n FROM arena.event WHERE kind = 'match' GROUP BY match_id) AS e USING (match_id)")"
	check "$1: games are those of the players' matches" \
		"$(ask -c "SELECT bool_and(r.games = e.n) FROM arena.rating AS r JOIN (
			SELECT player_id, count(*) AS n FROM arena.event WHERE kind = 'match' GROUP BY 1) AS e USING (player_id)")"
	check "$1: nothing waits" "$(ask -c "SELECT count(*) = 0 FROM arena.pending")"
	check "$1: the ladder verifies" "$(ask -c "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('arena') AS v")"
}

workers=()
load play 16 -f "$scratch/play.sql"
load correct 2 -f "$scratch/correct.sql"
load catch_up 1 -f "$scratch/catch_up.sql"
load visit 3 -f "$scratch/visit.sql"
finish
check "in order: no client fails" "$failed_clients"
check "in order: history is replayed meanwhile" "$(ask -c "SELECT count(*) > 0 FROM caught_up")"
check "in order: no deadlock" "$([ "$(deadlocks)" = 0 ] && echo t)"
compare "in order"

# What deadlocks is repeated.
ask -c "ALTER DATABASE $database SET deadlock_timeout = '100ms'"
load play 12 -f "$scratch/play.sql"
load correct 1 -f "$scratch/correct.sql"
load catch_up 1 -f "$scratch/catch_up.sql"
load untidy 4 -f "$scratch/untidy.sql"
finish
check "in any order: no client fails but by deadlocks" "$failed_clients"
compare "in any order"
echo "in any order: $(ask -c "SELECT count(*) FROM arena.rated_match") matches, $(deadlocks) deadlocks"

# Ladders over the same tables come and go; each has all of its triggers in every snapshot, or does not
# exist.  A maker who cannot have the tables in time has made nothing.
ask -o /dev/null <<'SQL'
CREATE TABLE attempt (made boolean, message text);
CREATE VIEW fed AS
SELECT s.relnamespace::regnamespace AS ladder, count(d.objid) AS triggers
FROM pg_class AS s
LEFT JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid AND d.classid = 'pg_trigger'::regclass
WHERE s.relname = 'source' AND s.relkind = 'v' GROUP BY s.relnamespace;
CREATE PROCEDURE come_and_go(name text, seconds float8) LANGUAGE plpgsql AS $$
DECLARE
	until timestamptz := clock_timestamp() + seconds * interval '1 second';
BEGIN
	WHILE clock_timestamp() < until LOOP
		BEGIN
			PERFORM skillrating.create_ladder(name, 'elo', source => 'game_source', ratings_to => 'users', key => 'id', columns => jsonb_build_object('of_' || name, 'rating'));
			INSERT INTO attempt VALUES (true);
		EXCEPTION WHEN lock_not_available OR duplicate_schema THEN
			INSERT INTO attempt VALUES (false, SQLERRM);
		END;
		COMMIT;
		PERFORM pg_sleep(0.2 * random());
		IF to_regnamespace(name) IS NOT NULL THEN
			BEGIN
				PERFORM skillrating.drop_ladder(name);
			EXCEPTION WHEN lock_not_available THEN
				-- The next turn cannot make it again, and drops it.
				NULL;
			END;
		END IF;
		COMMIT;
	END LOOP;
	IF to_regnamespace(name) IS NOT NULL THEN
		PERFORM skillrating.drop_ladder(name);
	END IF;
END
$$;
ALTER TABLE users ADD COLUMN of_first float8, ADD COLUMN of_second float8;
SQL
cat >"$scratch/fed.sql" <<'SQL'
SELECT 1 / (bool_and(triggers = 9))::int FROM fed;
\sleep 5 ms
SQL
ask -c "ALTER DATABASE $database RESET deadlock_timeout"
before=$(deadlocks)
load play 13 -f "$scratch/play.sql"
load correct 1 -f "$scratch/correct.sql"
load visit 2 -f "$scratch/visit.sql"
load fed 1 -f "$scratch/fed.sql"
for name in first second; do
	ask -c "CALL come_and_go('$name', $seconds)" >"$scratch/$name.log" 2>&1 &
	workers+=($!)
done
finish
check "come and go: no client fails, and no ladder is half attached" "$failed_clients"
check "come and go: no deadlock" "$([ "$(deadlocks)" = "$before" ] && echo t)"
check "come and go: ladders were made" "$(ask -c "SELECT count(*) > 0 FROM attempt WHERE made")"
check "come and go: no trigger is left behind" \
	"$(ask -c "SELECT count(*) = 9 AND (SELECT count(*) = 1 FROM fed) FROM pg_trigger WHERE tgrelid IN ('users'::regclass, 'games'::regclass, 'game_players'::regclass) AND NOT tgisinternal")"
compare "come and go"
echo "come and go: $(ask -c "SELECT format('%s ladders made, %s not', count(*) FILTER (WHERE made), count(*) FILTER (WHERE NOT made)) FROM attempt")"
exit $failed
