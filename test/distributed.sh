#!/bin/bash
# Matches solved where they lie: in the partitions of a table by parallel workers, and on
# two more servers through postgres_fdw; and ratings in a table there.
#
#   test/cluster.sh test/distributed.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any
# check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin distributed

# Two thousand matches of eight, of four seasons; two of these will be elsewhere.
columns='match_id bigint, season int, player_id bigint, team int, rank int, weight float8, side int, log_odds float8'
matches="SELECT m, m % 4, 1 + ((hashint8(m * 8 + p) & 65535) % 20 + 20 * p), 1 + p % 2,
		CASE WHEN (hashint8(m) & 1023) < 500 + 100 * (m % 3) THEN 1 + p % 2 ELSE 2 - p % 2 END, 0.5 + p % 3 / 4.0, 1 + p % 2, (m % 5 - 2) / 4.0
	FROM generate_series(1::bigint, 2000) AS m, generate_series(0, 7) AS p"
ask -o /dev/null <<SQL
CREATE EXTENSION skillrating;
CREATE TABLE plain ($columns);
INSERT INTO plain $matches;
CREATE TABLE partitioned (LIKE plain) PARTITION BY LIST (season);
SELECT format('CREATE TABLE season_%s PARTITION OF partitioned FOR VALUES IN (%1\$s)', s) FROM generate_series(0, 3) AS s \gexec
INSERT INTO partitioned SELECT * FROM plain;
CREATE TABLE skills (LIKE skillrating.estimate);
VACUUM ANALYZE plain, partitioned;
SQL
params() { if [ "$1" = hive ]; then echo '{"offset_deviation": 0.5}'; else echo '{}'; fi; }

# What solve() finds, where contexts may be known.
expect() {
	ask -c "DROP TABLE IF EXISTS expected" -c "CREATE TABLE expected AS SELECT e.* FROM (SELECT skillrating.solve('$1', match_id, player_id, team, rank,
		skillrating.inputs(weight => weight, side => side, log_odds => log_odds, context => $2), '$(params "$1")') AS x FROM plain) AS q, unnest(x) AS e" 2>/dev/null
}

# Solve a table by a solver, what is logged to solve.log; then compare.
solve() {
	ask -o /dev/null -c "LOAD 'auto_explain'" -c "SET auto_explain.log_nested_statements = on; SET auto_explain.log_min_duration = 0; SET auto_explain.log_verbose = on; SET auto_explain.log_analyze = on; SET client_min_messages = log; $3" \
		-c "CALL skillrating.solve_distributed('$1', 'skills', '$2', '$(params "$2")', warm => false)" >solve.log 2>&1 || { tail -3 solve.log >&2; return; }
	ask -c "SELECT coalesce(count(*) = 160 AND max(greatest(abs(s.mu - e.mu), abs(s.standard_error - e.standard_error), abs(s.side_offset - e.side_offset), abs(s.games - e.games), abs(s.component - e.component))) < 1e-6, false)
		FROM expected AS e FULL JOIN skills AS s USING (player_id)"
}
parallel='SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'
passes() { grep -c "Query Text: SELECT 0, skillrating_internal.solve_pass" solve.log; }

for solver in bradley_terry hive; do
	expect $solver NULL
	check "$solver on a plain table" "$(solve plain $solver '')"
	check "$solver in a parallel plan" "$(solve partitioned $solver "$parallel")"
	check "workers took passes of $solver over partitions" \
		"$([ "$(passes)" -gt 10 ] && awk '/Query Text: SELECT 0, skillrating_internal.solve_pass/ { plans++ } /Workers Launched: [1-9]/ && plans > told { told++ } END { exit told != plans }' solve.log && echo t)"
done

# ---- Two more servers ----

for server in 1 2; do
	make_cluster "shard$server"
	CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/shard$server" -l "$scratch/shard$server.log" -o "-p 644$server -c log_statement=all" -w start
	ask -h "$scratch" -p "644$server" -U postgres -d postgres -o /dev/null -c "CREATE EXTENSION skillrating" -c "CREATE TABLE season ($columns)" \
		-c "INSERT INTO season SELECT * FROM ($matches) AS m(match_id, season) WHERE season = $server" -c "VACUUM ANALYZE season"
done
ask -o /dev/null <<SQL
CREATE EXTENSION postgres_fdw;
SELECT format('CREATE SERVER shard%s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions %L, async_capable %L)', s, '$scratch', '644' || s, 'postgres', 'skillrating', 'true') FROM generate_series(1, 2) AS s \gexec
SELECT format('CREATE USER MAPPING FOR current_user SERVER shard%s OPTIONS (user %L)', s, 'postgres') FROM generate_series(1, 2) AS s \gexec
DROP TABLE season_1, season_2;
SELECT format('CREATE FOREIGN TABLE season_%s PARTITION OF partitioned FOR VALUES IN (%1\$s) SERVER shard%1\$s OPTIONS (table_name %L)', s, 'season') FROM generate_series(1, 2) AS s \gexec
SQL
# All passes go to both, and nothing else does.
sent() {
	check "$1 over two servers" "$(solve partitioned "$1" '')"
	check "$1 is solved on the servers" \
		"$([ "$(grep -c 'Remote SQL: SELECT [0-9]*, skillrating_internal.solve_pass' solve.log)" -eq $((2 * $(passes))) ] && [ "$(grep 'Remote SQL: ' solve.log | grep -vc 'solve_pass\|solve_survey')" -eq 0 ] && echo t)"
	check "both work on $1 at once" "$(grep -q 'Async Foreign Scan' solve.log && echo t)"
}
for solver in bradley_terry hive; do
	expect $solver NULL
	sent $solver
done
# Texts take another way.
for server in 1 2; do
	ask -h "$scratch" -p "644$server" -U postgres -d postgres -c "ALTER TABLE season ADD context text" -c "UPDATE season SET context = 'map ' || match_id % 3"
done
ask -c "ALTER TABLE partitioned ADD context text" -c "UPDATE season_0 SET context = 'map ' || match_id % 3" -c "UPDATE season_3 SET context = 'map ' || match_id % 3"
expect hive "'map ' || match_id % 3"
sent hive

# Without the extension among the server's options rows travel, and the result is the same.
ask -o /dev/null -c "ALTER SERVER shard1 OPTIONS (DROP extensions)"
check "rows that have to travel give the same" "$(solve partitioned hive '')"
check "and travel" "$(grep -q 'Remote SQL: SELECT match_id' solve.log && echo t)"

# A table on another server mirrors ratings.
ask -h "$scratch" -p 6441 -U postgres -d postgres -o /dev/null -c "CREATE TABLE person (id bigint PRIMARY KEY, elo int NOT NULL, played bigint)" \
	-c "INSERT INTO person VALUES (1, 900, 0), (2, 900, 0), (3, 900, 0)"
ask -o /dev/null <<SQL
CREATE FOREIGN TABLE person (id bigint, elo int NOT NULL DEFAULT 1000, played bigint) SERVER shard1;
SELECT skillrating.create_ladder('mirrored', 'elo', '{"k": 32}');
SELECT skillrating.mirror_rating('mirrored', 'person', 'id', '{"elo": "rating", "played": "games"}');
INSERT INTO mirrored.match (match_id) VALUES (1), (2);
INSERT INTO mirrored.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2), (2, 4, 1, 1), (2, 5, 2, 2);
INSERT INTO person (id) VALUES (4), (6);
SQL
people() { ask -h "$scratch" -p 6441 -U postgres -d postgres -c "SELECT string_agg(format('%s %s %s', id, elo, coalesce(played::text, '-')), ', ' ORDER BY id) FROM person"; }
check "a foreign table mirrors ratings" "$([ "$(people)" = "1 1516 1, 2 1484 1, 3 900 0, 4 1516 1, 6 1000 -" ] && echo t)"
ask -o /dev/null -c "SELECT skillrating.void_match('mirrored', 1)" -c "SELECT skillrating.catch_up('mirrored')"
check "and gets defaults for ratings that go" "$([ "$(people)" = "1 1000 -, 2 1000 -, 3 900 0, 4 1516 1, 6 1000 -" ] && echo t)"
ask -o /dev/null -c "SELECT skillrating.drop_ladder('mirrored')"
check "without a ladder it takes rows as before" "$(ask -c "INSERT INTO person (id) VALUES (5)" && [ "$(people)" = "1 1000 -, 2 1000 -, 3 900 0, 4 1516 1, 5 1000 -, 6 1000 -" ] && echo t)"

# A server that is gone is an error, and what was found before stays.
pg_ctl -D "$scratch/shard2" -m immediate stop
check "a server that is gone is an error" \
	"$( (ask -c "CALL skillrating.solve_distributed('partitioned', 'skills')" 2>&1 || true) | grep -c 'could not connect to server' | sed 's/^1$/t/')"
check "and changes nothing" "$(ask -c "SELECT count(*) = 160 FROM skills")"
check "no server process died" "$(! grep -E 'was terminated by signal|PANIC: ' "$scratch"/*.log "$CLUSTER_DIRECTORY/server.log" >&2 && echo t)"
exit $failed
