#!/bin/bash
# Measure how long fair teams take, and how fair they are beside simpler ways.
#
#   [PICTURE=FILE.svg] bench/split.sh
#
# PICTURE is a file for a picture of the comparison.
# `make bench` calls this.  It works on a throw-away cluster unless PGHOST is set.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/split.sh 5

# Lobbies of players with normally distributed ratings, rounded or not, the same in
# every run.
sql <<'SQL'
CREATE FUNCTION normal(i bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN sqrt(-2 * ln((hashint8extended(i, 1) / 18446744073709551616.0 + 0.5)::float8 + 1e-12)) * cos(2 * pi() * (hashint8extended(i, 2) / 18446744073709551616.0 + 0.5)::float8);
CREATE TABLE lobby AS
SELECT n, lobby, array_agg(i::text ORDER BY i) AS players, array_agg(round(1500 + 400 * normal(lobby * 1000 + n * 1000000 + i)) ORDER BY i) AS rating,
    array_agg(1500 + 400 * normal(lobby * 1000 + n * 1000000 + i) ORDER BY i) AS real_rating
FROM unnest(ARRAY[24, 32, 40, 64, 100]) AS n, generate_series(1, 20) AS lobby, generate_series(1, n) AS i GROUP BY n, lobby;
SQL
# Milliseconds that a query takes, of which it makes so many calls.
measure() {
	local _
	for _ in $(seq "$rounds"); do
		timed <<<"$3" >>"$scratch/each"
	done
	awk -v what="$1" -v calls="$2" -v s="$(median "$scratch/each")" -v target="$4" 'BEGIN { printf "%-62s %6.1f ms%s\n", what, s / calls * 1000, target == "" ? "" : " (target " target ")" }'
	rm "$scratch/each"
}
each() { measure "$1" 20 "SELECT sum(d) FROM lobby, LATERAL (SELECT max(abs(difference)) AS d FROM $3) AS s WHERE n = $2;" "$4"; }
each 'every size with a bench, exact, whole ratings, 24 players' 24 'skillrating.split_all_sizes(skillrating.lobby(players, rating))' 5
each '  32 players' 32 'skillrating.split_all_sizes(skillrating.lobby(players, rating))' 10
each '  64 players' 64 'skillrating.split_all_sizes(skillrating.lobby(players, rating))' 60
each '  100 players' 100 'skillrating.split_all_sizes(skillrating.lobby(players, rating))' ''
each 'everybody plays, exact, real ratings, 24 players' 24 'skillrating.split_teams(players, real_rating)' ''
each '  40 players' 40 'skillrating.split_teams(players, real_rating)' 60
each 'every size with a bench, exact, real ratings, 24 players' 24 'skillrating.split_all_sizes(skillrating.lobby(players, real_rating))' ''
each '  40 players, not exact' 40 'skillrating.split_all_sizes(skillrating.lobby(players, real_rating))' 1000
sql -F ' ' -c "SELECT max(bound), bool_and(exact) FROM lobby, LATERAL skillrating.split_all_sizes(skillrating.lobby(players, real_rating)) WHERE n = 40 AND lobby = 1" |
	awk '{ printf "    no split is better by more than %.2g points; exact: %s\n", $1, $2 }'
each 'all best numbers of swaps, real ratings, 32 players' 32 'skillrating.suggest_swaps(skillrating.lobby(players, real_rating, current => ARRAY(SELECT 1 + i % 2 FROM generate_series(1, 32) AS i)))' ''
each 'ten teams of ten, real ratings, 100 players' 100 'skillrating.split_teams(players, real_rating, teams => 10)' ''
each 'four teams of six, exact, real ratings, 24 players' 24 'skillrating.split_teams(players, real_rating, teams => 4)' ''
each 'twelve against twelve with the fewest moves, real ratings' 24 'skillrating.split_teams(skillrating.lobby(players, real_rating, current => ARRAY(SELECT 1 + i % 2 FROM generate_series(1, 24) AS i)), tolerance => 5)' ''

# A queue of ten thousand.
sql <<'SQL'
CREATE TABLE queue AS
SELECT array_agg(i::text) AS players, array_agg(1500 + 400 * normal(i)) AS rating, array_agg((abs(hashint8extended(i, 3)) % 300)::float8) AS waited, array_agg(CASE WHEN i % 3 = 0 THEN (i / 6)::text END) AS party,
    array_agg(1 + abs(hashint8extended(i, 4)) % 7) AS region, array_agg(CASE abs(hashint8extended(i, 5)) % 10 WHEN 0 THEN 'rude' ELSE 'kind' END) AS pool FROM generate_series(1, 10000) AS i;
SQL
queue() { measure "$1" 1 "SELECT count(*) FROM queue, skillrating.pair_queue(skillrating.lobby(players, rating${3:+, $3}), waited => waited, $2);" 100; }
queue 'a queue of 10000, one against one' 'team_size => 1'
queue '  five against five' 'team_size => 5'
queue '  five against five with parties, regions and pools' 'team_size => 5, region => queue.region, pool => pool' 'party => party'
queue '  twelve against twelve' 'team_size => 12'
queue '  four teams of four' 'team_size => 4, teams => 4'

# Twelve against twelve in a thousand lobbies, in points of the teams' sums and of the win probability.
sql <<'SQL'
CREATE TABLE fair AS
SELECT lobby, array_agg(i::text ORDER BY i) AS players, array_agg(1500 + 400 * normal(lobby * 100 + i) ORDER BY i) AS rating,
    array_agg((1 + place % 2)::int ORDER BY i) AS random_team, array_agg(1 + (ranked % 4 IN (2, 3))::int ORDER BY i) AS snake_team
FROM (SELECT lobby, i, row_number() OVER (PARTITION BY lobby ORDER BY hashint8extended(lobby * 100 + i, 5)) AS place, row_number() OVER (PARTITION BY lobby ORDER BY normal(lobby * 100 + i)) AS ranked
    FROM generate_series(1, 1000) AS lobby, generate_series(1, 24) AS i) AS p GROUP BY lobby;
SQL
echo
sql <<'SQL'
CREATE TABLE way AS
    SELECT lobby, 'as_they_came' AS way, (SELECT s.difference FROM skillrating.suggest_swaps(skillrating.lobby(players, rating, current => random_team, strength => 'sum'), max_swaps => 0) AS s) AS d FROM fair
    UNION ALL SELECT lobby, 'snake_draft', (SELECT s.difference FROM skillrating.suggest_swaps(skillrating.lobby(players, rating, current => snake_team, strength => 'sum'), max_swaps => 0) AS s) FROM fair
    UNION ALL SELECT lobby, 'greedy_swaps', (SELECT s.difference FROM skillrating.suggest_swaps(skillrating.lobby(players, rating, current => random_team, strength => 'sum'), method => 'greedy') AS s ORDER BY swaps DESC LIMIT 1) FROM fair
    UNION ALL SELECT lobby, 'two_exact_swaps', (SELECT s.difference FROM skillrating.suggest_swaps(skillrating.lobby(players, rating, current => random_team, strength => 'sum'), max_swaps => 2) AS s ORDER BY swaps DESC LIMIT 1) FROM fair
    UNION ALL SELECT lobby, 'exact_split', (SELECT s.difference FROM skillrating.split_teams(skillrating.lobby(players, rating, strength => 'sum')) AS s LIMIT 1) FROM fair;
SQL
sql -F ' ' <<'SQL' | awk '{ printf "%-44s difference of sums: median %.3g, 95 %% %.3g, worst %.3g; off even: median %.2g, 95 %% %.2g\n", $1, $2, $3, $4, $5, $6 }'
SELECT way, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(d)), percentile_cont(0.95) WITHIN GROUP (ORDER BY abs(d)), max(abs(d)),
    percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(1 / (1 + exp(-d / 12 / 173.7178)) - 0.5)), percentile_cont(0.95) WITHIN GROUP (ORDER BY abs(1 / (1 + exp(-d / 12 / 173.7178)) - 0.5))
FROM way GROUP BY way ORDER BY 3 DESC;
SQL
sql -F ' ' -c "SELECT 'greedy: ' || avg(greedy)::numeric(4, 2) || ' swaps on average; as many exact ones: median ' || percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(d))::numeric(8, 4) || ', 95 % ' || percentile_cont(0.95) WITHIN GROUP (ORDER BY abs(d))::numeric(8, 4)
FROM (SELECT (SELECT max(swaps) FROM skillrating.suggest_swaps(skillrating.lobby(players, rating, current => random_team, strength => 'sum'), method => 'greedy')) AS greedy, * FROM fair) AS f,
	LATERAL (SELECT s.difference AS d FROM skillrating.suggest_swaps(skillrating.lobby(players, rating, current => random_team, strength => 'sum'), max_swaps => greedy) AS s ORDER BY swaps DESC LIMIT 1) AS e"
if [ -n "${PICTURE:-}" ]; then
	# Of each way the hundredths of its differences, smallest first, as powers of ten.
	sql >"$PICTURE" <<'SQL'
SELECT skillrating.plot_history(array_agg(replace(way, '_', ' ') ORDER BY place DESC), array_agg(share::float8 ORDER BY place DESC), array_agg(d ORDER BY place DESC), NULL, 'Twelve against twelve: log10 of the difference of the sums, by percent of lobbies')
FROM (SELECT way, share, log(percentile_cont(share / 100.0) WITHIN GROUP (ORDER BY greatest(abs(d), 1e-9))) AS d, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(d)) AS place FROM way, generate_series(1, 99) AS share GROUP BY way, share) AS q;
SQL
fi
