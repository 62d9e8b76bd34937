#!/bin/bash
# Measure what rating a history in a query costs, as ratios.
#
#   bench/queries.sh
#
# `make bench` calls this.  It works on a throw-away cluster unless PGHOST is set;
# SCALE=0.1 takes a tenth of the size.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. bench/common.sh
begin bench/queries.sh 5

# Matches of twice so many players, in no order; the stronger side wins more often.
history() {
	sql -c "DROP TABLE IF EXISTS history" -c "CREATE TABLE history AS
		SELECT '2020-01-01'::timestamptz + m * interval '1 minute' AS played_at, m AS match_id, (m * 7919 + p * 811) % 20000 AS player_id,
			1 + p % 2 AS team, CASE WHEN (p % 2 = 1) = (hashint8(m) % 100 > (m * 7919) % 60 - 30) THEN 1 ELSE 2 END AS rank
		FROM generate_series(1::bigint, $1) AS m, generate_series(0, 2 * $2 - 1) AS p
		ORDER BY hashint8(m * 12 + p)" -c 'VACUUM ANALYZE history' 2>/dev/null
	sql -c "DROP TABLE IF EXISTS lobby" -c "CREATE TABLE lobby AS
		SELECT played_at, match_id, array_agg(player_id ORDER BY player_id) AS players, array_agg(team ORDER BY player_id) AS team,
			array_agg(rank::float8 ORDER BY player_id) AS rank FROM history GROUP BY 1, 2 ORDER BY hashint8(match_id)" -c 'VACUUM ANALYZE lobby' 2>/dev/null
}

# What is paid anyway: the same columns through the same window.
numbered="SELECT sum(n + player_id + team + rank) FROM (SELECT row_number() OVER (ORDER BY played_at, match_id) AS n, player_id, team, rank FROM history) AS q;"
rated() { echo "SELECT count(r) FROM (SELECT skillrating.rate('$1', player_id, team, rank) OVER (ORDER BY played_at, match_id) AS r FROM history) AS q;"; }
# The same matches in a table with a row for each, whose players are arrays.
matched() { echo "SELECT count(r) FROM (SELECT skillrating.rate_match('$1', players, team, rank) OVER (ORDER BY played_at, match_id) AS r FROM lobby) AS q;"; }
final() { echo "SELECT cardinality(skillrating.final_ratings('$1', match_id, player_id, team, rank ORDER BY played_at, match_id)) FROM history;"; }

compare() {
	local model=$1 matches=$2 size=$3 target=$4 _
	rm -f "$scratch"/{numbered,rated,matched,final,tune}
	sql -c "$numbered" -o /dev/null
	for _ in $(seq "$rounds"); do
		timed >>"$scratch/numbered" <<<"$numbered"
		timed >>"$scratch/rated" <<<"$(rated "$model")"
		timed >>"$scratch/matched" <<<"$(matched "$model")"
		timed >>"$scratch/final" <<<"$(final "$model")"
	done
	report "rate() of $matches $model matches $size : $size, against row_number()" "$scratch/rated" "$scratch/numbered" "$target"
	report '  rate_match() of as many rows of arrays, against rate()' "$scratch/matched" "$scratch/rated" 'for information'
	report '  final_ratings()' "$scratch/final" "$scratch/numbered" 'for information'

	# How long the core alone takes: what an evaluation more costs a search.
	local fit=k
	[ "$model" = elo ] || fit=beta
	for evaluations in 1 30; do
		tune="SELECT (t).evaluations FROM (SELECT skillrating.tune('$model', match_id, player_id, team, rank, NULL, '{\"fit\": [\"$fit\"], \"holdout\": 0, \"burn_in\": 0, \"starts\": 1, \"tolerance\": 1e-10, \"max_evaluations\": $evaluations}' ORDER BY played_at, match_id) AS t FROM history) AS q;"
		printf '%s\n' '\timing on' "$tune" | sql | awk '/^Time: / { print ms / 1000 + $2 / 1000, n; next } { n = $1 }' >>"$scratch/tune"
	done
	paste -s "$scratch/tune" | awk -v n="$matches" -v s="$size" -v r="$(median "$scratch/rated")" -v m="$(median "$scratch/matched")" -v w="$(median "$scratch/numbered")" -v f="$(median "$scratch/final")" '{
		core = ($3 - $1) / ($4 - $2)
		printf "    rate_match() %.0f matches/s (%.2f us a participant)\n", n / m, m / n / s / 2 * 1e6
		printf "    rate() %.0f matches/s (%.2f us a participant), row_number() %.2f us, final_ratings() %.2f us, the core alone %.2f us (%.0f matches/s)\n", \
			n / r, r / n / s / 2 * 1e6, w / n / s / 2 * 1e6, f / n / s / 2 * 1e6, core / n / s / 2 * 1e6, n / core }'
}

matches=$(sized 1000000)
history "$matches" 1
compare elo "$matches" 1 'at most 2.5'
compare trueskill "$matches" 1 'for information'
matches=$(sized 200000)
history "$matches" 6
compare elo "$matches" 6 'for information'
compare trueskill "$matches" 6 'rate_match() 150000 matches/s'

# Aggregates over forecasts.
sql -c "CREATE TABLE forecast AS SELECT random() AS p, (random() < 0.5)::int::float8 AS y FROM generate_series(1, $(sized 5000000))" -c 'VACUUM ANALYZE forecast'
rm -f "$scratch"/{sum,brier,calibration}
sql -c 'SELECT sum(p + y) FROM forecast' -o /dev/null
for _ in $(seq "$rounds"); do
	timed >>"$scratch/sum" <<<'SELECT sum(p + y) FROM forecast;'
	timed >>"$scratch/brier" <<<'SELECT skillrating.brier_score(p, y) FROM forecast;'
	timed >>"$scratch/calibration" <<<'SELECT skillrating.calibration(p, y, 10) FROM forecast;'
done
report "brier_score, $(sized 5000000) forecasts, against sum(p + y)" "$scratch/brier" "$scratch/sum" 'for information'
report '  calibration' "$scratch/calibration" "$scratch/sum" 'for information'
