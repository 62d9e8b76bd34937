#!/bin/bash
# Histories of which each of two other servers has a part, read through postgres_fdw.
#
#   test/cluster.sh test/foreign.sh
#
# Prints one line for each check, "ok NAME" or "not ok NAME", and fails if any check does.

set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin foreign

# Matches of four of three seasons: here all of them, and on the servers 1 and 2 a season each.
history="SELECT m AS match_id, m % 3 AS season, (hashint8(m * 8 + p) & 65535) % 30 + 30 * p AS player_id, 1 + p % 2 AS team,
		CASE WHEN (hashint8(m) & 1023) < 600 THEN 1 + p % 2 ELSE 2 - p % 2 END AS rank, 'map ' || m % 4 AS context
	FROM generate_series(1::bigint, 3000) AS m, generate_series(0, 3) AS p"
on() { ask -h "$scratch" -p "$((6000 + $1))" -U postgres -d postgres "${@:2}"; }
for server in 1 2; do
	make_cluster "server$server"
	echo "port = $((6000 + server))" >>"$scratch/server$server/postgresql.conf"
	CLUSTER_DIRECTORY='' pg_ctl -D "$scratch/server$server" -l "$scratch/server$server.log" -w start
	on "$server" -c "CREATE EXTENSION skillrating" -c "CREATE TABLE result AS SELECT * FROM ($history) AS h WHERE season = $server"
done
ask -c "CREATE DATABASE foreign_histories"
export PGDATABASE=foreign_histories
ask -c "CREATE EXTENSION skillrating" -c "CREATE EXTENSION postgres_fdw" -c "CREATE TABLE result AS $history" \
	-c "CREATE TABLE everywhere (LIKE result) PARTITION BY LIST (season)" \
	-c "CREATE TABLE everywhere_0 PARTITION OF everywhere FOR VALUES IN (0)" -c "INSERT INTO everywhere SELECT * FROM result WHERE season = 0"
for server in 1 2; do
	ask -c "CREATE SERVER server_$server FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$scratch', port '$((6000 + server))', dbname 'postgres', extensions 'skillrating')" \
		-c "CREATE USER MAPPING FOR CURRENT_USER SERVER server_$server OPTIONS (user 'postgres')" \
		-c "CREATE FOREIGN TABLE everywhere_$server PARTITION OF everywhere FOR VALUES IN ($server) SERVER server_$server OPTIONS (table_name 'result')"
done
ask -c "ANALYZE"

arguments="match_id, player_id, team, rank, skillrating.inputs(context => context), '{}'"
# What TABLE has, with so many workers and further settings: the bits of both aggregates.
found() {
	ask -o /dev/null -c "SET parallel_setup_cost = 0" -c "SET parallel_tuple_cost = 0" -c "SET min_parallel_table_scan_size = 0" \
		-c "SET max_parallel_workers_per_gather = $3" -c "${4:-SET jit = off}" -o "|cat" \
		-c "${5:-} SELECT md5(skillrating.solve('$2', $arguments)::text), md5(skillrating.solve_summary('$2', $arguments)::text) FROM $1"
}
for solver in bradley_terry hive plackett_luce; do
	here=$(found result "$solver" 0)
	check "$solver has a solution" "$([[ $here =~ ^[0-9a-f]{32}\|[0-9a-f]{32}$ ]] && echo t)"
	for workers in 0 1 2; do
		check "$solver of rows of two servers and here, $workers workers" "$([ "$(found everywhere "$solver" "$workers")" = "$here" ] && echo t)"
	done
	check "$solver with a partial aggregate for each partition" \
		"$([ "$(found everywhere "$solver" 2 'SET enable_partitionwise_aggregate = on')" = "$here" ] && echo t)"
done
plan=$(found everywhere hive 2 'SET enable_partitionwise_aggregate = on' 'EXPLAIN')
check "these are partial, and the servers send rows" "$([ "$(grep -c 'Partial Aggregate' <<<"$plan")" = 3 ] && [ "$(grep -c 'Foreign Scan on everywhere_' <<<"$plan")" = 2 ] && echo t || echo "$plan")"
# Whether the other server solves or sends rows, the solution of its season is the same.
check "a history of one server" "$([ "$(found everywhere_1 hive 0)" = "$(found '(SELECT * FROM result WHERE season = 1) AS r' hive 0)" ] && echo t)"
check "no server process died" "$(! grep -E 'was terminated by signal|PANIC: ' "$scratch"/*.log >&2 && echo t)"
exit $failed
