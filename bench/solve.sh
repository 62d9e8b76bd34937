#!/bin/bash
# Measure what it costs to solve a whole history, and where the time goes.
#
#   bench/solve.sh
#
# `make bench` calls this.  It works on a throw-away cluster unless PGHOST is set;
# SCALE=0.1 takes a tenth of the size.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/solve.sh 3 work_mem=64MB

# Matches of sixteen.  Few players play much and most play little; a sixteenth of all
# may have each of the seats, so that nobody has two.  The stronger side wins more often.
matches=$(sized 1000000)
sixteenth=$(sized 6250)
sql -c "CREATE TABLE seat AS SELECT m AS match_id, 1 + (p + m) % 2 AS team,
		p + 16 * floor($sixteenth * power((hashint8extended(m * 16 + p, 1) / 18446744073709551616.0 + 0.5)::float8, 3))::bigint AS player_id
	FROM generate_series(1::bigint, $matches) AS m, generate_series(0, 15) AS p" \
	-c "CREATE TABLE result AS SELECT match_id, 1 + (hashint8extended(match_id, 2) / 18446744073709551616.0 + 0.5 > 1 / (1 + exp(-sum((3 - 2 * team) * (2 + hashint8(player_id) / 1e9)) / 8)))::int AS winner FROM seat GROUP BY match_id" \
	-c "CREATE TABLE history AS SELECT match_id, player_id, team::int, CASE WHEN team = winner THEN 1 ELSE 2 END AS rank FROM seat JOIN result USING (match_id) ORDER BY match_id" \
	-c 'DROP TABLE seat, result' -c 'VACUUM ANALYZE history'

solved() { echo "SELECT $1 FROM (SELECT skillrating.$2('$3', match_id, player_id, team, rank, '$4'${5:-}) AS s FROM history) AS q;"; }

# What is paid anyway, what it takes to read and lay out the problem, all of it
# without the skills, and with them.
scan="SELECT count(*), sum(player_id + team + rank) FROM (SELECT * FROM history ORDER BY match_id OFFSET 0) AS s;"
sql -c "$scan" -o /dev/null
for _ in $(seq "$rounds"); do
	timed >>"$scratch/scan" <<<"$scan"
	solved '(s).iterations' solve_summary hive '{"max_iterations": 1}' | timed >>"$scratch/build"
	solved '(s).iterations' solve_summary hive '{}' | timed >>"$scratch/summary"
	solved 'cardinality(s)' solve hive '{}' | timed >>"$scratch/solve"
done
report "solve() of $matches hive matches x 16, against the rows in order" "$scratch/solve" "$scratch/scan" 'for information'
sql -F ' ' -c "$(solved '(s).iterations, (s).products, (s).observations, (s).players, (s).memory, (s).gradient, (s).converged' solve_summary hive '{}')" |
	awk -v n="$matches" -v scan="$(median "$scratch/scan")" -v build="$(median "$scratch/build")" -v summary="$(median "$scratch/summary")" -v solve="$(median "$scratch/solve")" '{
		iteration = (summary - build) / ($1 - 1)
		printf "    scan and order %.2f s, build %.2f s, solve %.2f s (%d iterations, %d products), emit %.2f s, in all %.2f s\n", \
			scan, build - scan - iteration, iteration * $1, $1, $2, solve - summary, solve
		printf "    %d players, %.1f bytes a participant for the problem, largest derivative %.1e, converged: %s\n", $4, $5 / n / 16, $6, $7 }'

# The same rows in no order, which have to be sorted.
sql -c 'CREATE TABLE shuffled AS SELECT * FROM history ORDER BY hashint8extended(match_id * 16 + player_id, 5)' -c 'VACUUM ANALYZE shuffled'
timed >>"$scratch/shuffled" <<<"SELECT cardinality(skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{}')) FROM shuffled;"
report "  of the same in no order, once" "$scratch/shuffled" <(head -1 "$scratch/scan") 'for information'

# With parallel workers, which take the rows, and sort those that have no order; and where a row
# takes more to make: a join, and a number out of a document.
sql -c "CREATE TABLE game AS SELECT match_id, '{\"length\": 1200}'::jsonb AS data FROM history GROUP BY match_id" -c 'VACUUM ANALYZE game'
in_parallel() {
	local workers
	for _ in $(seq "$rounds"); do
		for workers in 0 1 2; do
			timed >>"$scratch/$1.$workers" <<<"SET max_parallel_workers_per_gather = $workers; SELECT cardinality(skillrating.solve('hive', match_id, player_id, team, rank, NULL, $2)) FROM $3;"
		done
	done
}
for rows in "in_order|'{}'|history" "no_order|'{}'|shuffled" "joined|skillrating.inputs(weight => (data ->> 'length')::float8 / 1200), '{}'|history JOIN game USING (match_id)"; do
	IFS='|' read -r name arguments source <<<"$rows"
	in_parallel "$name" "$arguments" "$source"
	for workers in 1 2; do
		report "solve() of rows: ${name/_/ }, $workers workers, against none" "$scratch/$name.$workers" "$scratch/$name.0" 'for information'
	done
done
sql -c 'DROP TABLE shuffled, game'

sql -c 'DROP TABLE history'

# Duels over five years, where skills drift.
matches=$(sized 450000)
sql -c "CREATE TABLE history AS SELECT m AS match_id, team, CASE team WHEN 1 THEN a ELSE b END AS player_id, CASE WHEN won = (team = 1) THEN 1 ELSE 2 END AS rank
	FROM generate_series(1::bigint, $matches) AS m,
		LATERAL (SELECT (hashint8(m) & 1023)::bigint AS a, ((hashint8(m) & 1023) + 1 + (hashint8(m + 7) & 511) & 1023)::bigint AS b) AS pair,
		LATERAL (SELECT hashint8extended(m, 3) / 18446744073709551616.0 + 0.5 < 1 / (1 + exp((hashint8(b)::float8 - hashint8(a)) / 2e9)) AS won) AS result,
		generate_series(1, 2) AS team" -c 'VACUUM ANALYZE history'
rm -f "$scratch"/*
for _ in $(seq "$rounds"); do
	solved '(s).iterations' solve_summary through_time '{"max_iterations": 1, "tolerance": 1e-12}' ' ORDER BY match_id' | timed >>"$scratch/once"
	solved '(s).iterations' solve_summary through_time '{"max_iterations": 11, "tolerance": 1e-12}' ' ORDER BY match_id' | timed >>"$scratch/more"
done
awk -v n="$matches" -v once="$(median "$scratch/once")" -v more="$(median "$scratch/more")" 'BEGIN {
	printf "through_time, %d duels: %.2f us a game and pass (target 1), %.1f s to read and pass once\n", n, (more - once) / 10 / n * 1e6, once }'
sql -F ' ' -c "$(solved '(s).iterations, (s).converged' solve_summary through_time '{}' ' ORDER BY match_id')" | awk '{ print "    " $1 " passes to its tolerance" }'
