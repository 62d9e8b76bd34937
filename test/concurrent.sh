#!/bin/bash
# Sixteen sessions insert matches of twenty players at once, while others correct
# matches and catch up, against the server that PGHOST leads to: nothing deadlocks,
# no update is lost, and the ladder verifies.
#
#   test/concurrent.sh
#
# Environment:
#   CONCURRENT_SECONDS  how long (default: 10)
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any
# check does; and how many matches a second that was, rated and not.

set -euo pipefail

database=skillrating_concurrent
seconds=${CONCURRENT_SECONDS:-10}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"; psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database"' EXIT

psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" -c "CREATE DATABASE $database" 2>/dev/null
export PGDATABASE=$database
psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo');
CREATE SEQUENCE reported START 1000000000;
CREATE SCHEMA unrated;
CREATE TABLE unrated.match (LIKE arena.match INCLUDING ALL);
CREATE TABLE unrated.match_player (LIKE arena.match_player INCLUDING ALL, FOREIGN KEY (match_id) REFERENCES unrated.match);
SQL

# Two, four, six or eight of twenty players in any order, two statements a transaction, with one
# player more in so many per cent of matches; or the same as one call.
insert_into() {
	cat <<-SQL
		\set a random(0, 19)
		\set n 2 * random(1, 4) + CASE WHEN random(1, 100) <= $2 THEN 1 ELSE 0 END
		BEGIN;
		INSERT INTO $1.match (match_id) VALUES (DEFAULT) RETURNING match_id \gset
		INSERT INTO $1.match_player (match_id, player_id, team, rank)
		SELECT :match_id, p, 1 + n % 2, 1 + (n + :a) % 2
		FROM (SELECT p, row_number() OVER (ORDER BY random()) AS n
		      FROM (SELECT (:a + i * 7) % 20 AS p FROM generate_series(1, :n) AS i) AS q) AS r;
		COMMIT;
	SQL
}
insert_into arena 0 >"$scratch/insert.sql"
insert_into arena 30 >"$scratch/uneven.sql"
insert_into unrated 0 >"$scratch/unrated.sql"
# An id twice would be a correction, which waits for catch_up().
cat >"$scratch/report.sql" <<'SQL'
\set a random(0, 19)
\set b random(1, 19)
SELECT skillrating.report_match('arena', nextval('reported'), ARRAY[:a, (:a + :b) % 20], ARRAY[1, 2], ARRAY[1, 1 + :b % 2]);
SQL
# Of the last matches, as they come to be known.
cat >"$scratch/correct.sql" <<'SQL'
\set back random(1, 200)
UPDATE arena.match_player SET rank = 3 - rank
WHERE match_id = (SELECT max(match_id) - :back FROM arena.match WHERE match_id < 1000000000);
\sleep 20 ms
SQL
cat >"$scratch/catch_up.sql" <<'SQL'
SELECT count(*) FROM skillrating.catch_up('arena');
\sleep 200 ms
SQL

failed=0
check() {
	if [ "$2" = t ]; then echo "ok concurrent: $1"; else echo "not ok concurrent: $1 ($2)"; failed=1; fi
}
ask() { psql -qXAt -c "$1"; }
# The checks that verify() finds wrong, or t.
verify() { ask "SELECT coalesce(string_agg(v::text, '; ') FILTER (WHERE NOT ok), 't') FROM skillrating.verify('arena') AS v"; }
rate() { sed -n 's/^tps = \([0-9]*\).*/\1/p' "$1"; }

if pgbench -n -c 16 -j 2 -T "$seconds" -f "$scratch/insert.sql@4" -f "$scratch/report.sql@1" >"$scratch/rated.log" 2>&1; then
	check "no transaction fails" t
else
	check "no transaction fails" f
	cat "$scratch/rated.log" >&2
fi
check "no deadlock" "$(ask "SELECT deadlocks = 0 FROM pg_stat_database WHERE datname = current_database()")"
check "many matches" "$(ask "SELECT count(*) > 200 FROM arena.rated_match WHERE status = 'rated'")"
check "each is rated once" "$(ask "SELECT count(*) = (SELECT count(*) FROM arena.rated_match) FROM arena.match")"
check "points are conserved" "$(ask "SELECT abs(sum(rating) - 1500 * count(*)) < 1e-6 FROM arena.rating")"
check "every player's history is unbroken" \
	"$(ask "SELECT count(*) = 0 FROM (SELECT rating_before <> lag(rating_after, 1, 1500::float8) OVER (PARTITION BY player_id ORDER BY seq) AS broken FROM arena.event) AS e WHERE broken")"
check "the ladder verifies" "$(verify)"
check "nothing is left pending" "$(ask "SELECT count(*) = 0 FROM arena.pending")"

pgbench -n -c 16 -j 2 -T $(((seconds + 2) / 3)) -f "$scratch/unrated.sql" >"$scratch/unrated.log" 2>&1
echo "16 clients, 20 players: $(rate "$scratch/rated.log") matches/s rated, $(rate "$scratch/unrated.log") matches/s into the same tables without a ladder"

# The same with corrections and catching up, and with teams of unequal size.
pgbench -n -c 13 -j 2 -T $(((seconds + 1) / 2)) -f "$scratch/uneven.sql" >"$scratch/insert.log" 2>&1 &
inserting=$!
pgbench -n -c 2 -T $(((seconds + 1) / 2)) -f "$scratch/correct.sql" >"$scratch/correct.log" 2>&1 &
correcting=$!
status=t
pgbench -n -c 1 -T $(((seconds + 1) / 2)) -f "$scratch/catch_up.sql" >"$scratch/catch_up.log" 2>&1 || status=f
wait "$inserting" || status=f
wait "$correcting" || status=f
[ $status = t ] || cat "$scratch"/{insert,correct,catch_up}.log >&2
check "nothing fails while matches are corrected and histories replayed" "$status"
check "some matches learn what a player more is worth, and others do not wait for that" \
	"$(ask "SELECT count(*) FILTER (WHERE size_advantage_ratio IS NULL) > 0 AND count(*) FILTER (WHERE size_advantage_ratio IS NOT NULL) > 0 FROM arena.rated_match AS m WHERE (SELECT count(*) % 2 FROM arena.event AS e WHERE e.seq = m.seq) = 1")"
check "no deadlock there either" "$(ask "SELECT deadlocks = 0 FROM pg_stat_database WHERE datname = current_database()")"
ask "SELECT count(*) FROM skillrating.catch_up('arena')" >/dev/null
check "the ladder verifies after the last catch_up()" "$(verify)"
check "a rebuild changes nothing" "$(ask "SELECT count(*) = 0 FROM skillrating.catch_up('arena', search => true, rebuild => true)")"
exit $failed
