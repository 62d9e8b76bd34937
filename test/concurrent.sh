#!/bin/bash
# Four sessions insert matches of few players at once, for a few seconds, against
# the server that PGHOST leads to: nothing deadlocks, no update is lost.
#
#   test/concurrent.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any
# check does.

set -euo pipefail

database=skillrating_concurrent
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"; psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database"' EXIT

psql -qX -d postgres -c "DROP DATABASE IF EXISTS $database" -c "CREATE DATABASE $database" 2>/dev/null
export PGDATABASE=$database
psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('arena', 'elo');
SQL

# Twelve players in any order, some of them new, two statements a transaction; or
# the same as one call.
cat >"$scratch/insert.sql" <<'SQL'
\set a random(1, 40)
\set b :a + random(1, 20)
BEGIN;
INSERT INTO arena.match (match_id) VALUES (DEFAULT) RETURNING match_id \gset
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT :match_id, p, 1 + (n % 2), 1 + ((n + :a) % 2)
FROM (SELECT p, row_number() OVER (ORDER BY random()) AS n
      FROM (SELECT (:a + i * 7) % 60 AS p FROM generate_series(0, 11) AS i) AS q) AS r;
COMMIT;
SQL
cat >"$scratch/report.sql" <<'SQL'
\set id random(1000000000, 2000000000)
\set a random(0, 59)
\set b random(1, 59)
SELECT skillrating.report_match('arena', :id, ARRAY[:a, (:a + :b) % 60], ARRAY[1, 2], ARRAY[1, 1 + :b % 2]);
SQL

failed=0
check() {
	if [ "$2" = t ]; then echo "ok $1"; else echo "not ok $1 ($2)"; failed=1; fi
}

log=$scratch/pgbench.log
if pgbench -n -c 4 -j 2 -T 5 -f "$scratch/insert.sql@4" -f "$scratch/report.sql@1" >"$log" 2>&1; then
	check "concurrent: no transaction fails" t
else
	check "concurrent: no transaction fails" f
	cat "$log" >&2
fi
check "concurrent: no deadlock" \
	"$(psql -qXAt -c "SELECT deadlocks = 0 FROM pg_stat_database WHERE datname = current_database()")"
check "concurrent: many matches" \
	"$(psql -qXAt -c "SELECT count(*) > 200 FROM arena.rated_match WHERE status = 'rated'")"
check "concurrent: points are conserved" \
	"$(psql -qXAt -c "SELECT abs(sum(rating) - 1500 * count(*)) < 1e-6 FROM arena.rating")"
check "concurrent: every player's history is unbroken" \
	"$(psql -qXAt -c "SELECT count(*) = 0 FROM (SELECT rating_before <> lag(rating_after, 1, 1500::float8) OVER (PARTITION BY player_id ORDER BY seq) AS broken FROM arena.event) AS e WHERE broken")"
check "concurrent: verify" \
	"$(psql -qXAt -c "SELECT bool_and(ok) FROM skillrating.verify('arena')")"
check "concurrent: nothing is left pending" \
	"$(psql -qXAt -c "SELECT count(*) = 0 FROM arena.pending")"
exit $failed
