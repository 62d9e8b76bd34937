#!/bin/bash
# bench/predict.sh: what it makes of messy files, that it refuses forecasters that peek,
# and that its figures are those of a plain computation from the forecasts it writes.
#
#   test/cluster.sh bash test/predict.sh
#
# Forecasters of its own are awk programs.  The libraries of npm take part where there is
# node; otherwise it says "not run".

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

title=predict
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
check() {
	if [ "$2" = t ]; then echo "ok $title: $1"; else echo "not ok $title: $1 ($2)"; failed=1; fi
}
ask() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }
export PGOPTIONS='-c client_min_messages=warning -c TimeZone=UTC'

# Pairs with a home side, clubs, scores and draws, several matches a day; and races of
# four, with ordinals in place of times.
mkdir "$scratch/data"
ask -o /dev/null <<'SQL'
SELECT setseed(0.19);
CREATE TABLE sample_skill AS
SELECT p AS player, (random() - 0.5) * 3 AS skill FROM generate_series(1, 24) AS p;
CREATE TABLE sample_pair AS
WITH m AS MATERIALIZED (
    SELECT i AS match_id, '2024-01-01 18:00'::timestamp + i / 4 * interval '1 day' AS played_at, 1 + floor(random() * 24)::int AS a, floor(random() * 20)::int AS b,
        random() AS luck, random() AS played
    FROM generate_series(1, 240) AS i
), s AS (
    SELECT m.*, n, t, 1 + (a + n * 5 + t * 11 + b) % 24 AS player FROM m, generate_series(0, 1) AS n, generate_series(0, 1) AS t
), d AS (
    SELECT match_id, sum((1 - 2 * t) * skill) + 0.5 * (1 - 2 * (match_id % 2)) + ln(min(luck) / (1 - min(luck))) AS d FROM s JOIN sample_skill USING (player) GROUP BY match_id
)
SELECT match_id, played_at, t AS team, CASE WHEN abs(d) < 0.3 THEN 1 WHEN (d > 0) = (t = 0) THEN 1 ELSE 2 END AS rank, player,
    CASE WHEN abs(d) < 0.3 THEN 1 WHEN (d > 0) = (t = 0) THEN 1 + ceil(abs(d)) ELSE 0 END AS team_score, (t = match_id % 2)::int AS home,
    'club ' || player % 3 AS "group", 'a "note", ' || n AS note
FROM s JOIN d USING (match_id);
CREATE TABLE sample_race AS
SELECT i AS match_id, i / 2 AS played_at, player AS team, rank() OVER (PARTITION BY i ORDER BY skill + ln(luck / (1 - luck)) DESC) AS rank, player
FROM generate_series(1, 160) AS i, LATERAL (SELECT player, skill, random() AS luck FROM sample_skill WHERE i > 0 ORDER BY md5(i::text || player) LIMIT 4) AS p;
SQL
ask -c "COPY (SELECT * FROM sample_pair ORDER BY match_id, team, player) TO STDOUT (FORMAT csv, HEADER)" |
	sed -e '100s/$/\n\n   /' -e 's/$/\r/' >"$scratch/data/pairs.csv"
# A match of one team, one without a result, one whose rows disagree, and a missing score.
cat >>"$scratch/data/pairs.csv" <<'CSV'
alone,2024-02-01,0,1,1,3,1,club 1,
open,2024-02-01,0,,1,,1,club 1,
open,2024-02-01,1,,2,,0,club 1,
torn,2024-02-02,0,1,1,,1,club 1,
torn,2024-02-02,0,2,2,,1,club 1,
torn,2024-02-02,1,2,3,,0,club 1,
CSV
sed -i '0,/^5,\(.*\),[0-9]*,\([01],club\)/s//5,\1,,\2/' "$scratch/data/pairs.csv"
ask -c "COPY (SELECT * FROM sample_race ORDER BY match_id, rank, team) TO STDOUT (FORMAT csv, HEADER)" | gzip >"$scratch/data/races.csv.gz"
printf 'match_id,team,rank,player\n1,1,1,1\n' >"$scratch/data/no_time.csv"
printf 'match_id,played_at,team,rank,player\n1,1,1,1\n1,2\n' >"$scratch/data/torn.csv"
printf 'series = match_id\n' >"$scratch/data/races.conf"

# The first arguments of a forecaster are FILE and TRAIN.
forecaster() { printf '#!/bin/bash\nawk -F "\\t" -v train="$2" '"'%s'"' "$1" "$1"\n' "$2" >"$scratch/$1"; chmod +x "$scratch/$1"; }
# Twice through the file: the first time to know of each match who its teams are, and who won.
common='FNR == 1 { next } NR == FNR { if (!(($1, $3) in seen)) { seen[$1, $3]; n[$1]++ } if ($5 == 1) won[$1] = $3; if ($1 <= until && $3 == 1) { all++; first += $5 == 1 } next }
	!(($1, $3) in told) { told[$1, $3]; if (!started++) print params(); print $1 "\t" $3 "\t" p() } '
forecaster honest 'BEGIN { until = train } '"$common"' function params() { return "{\"share\": " first / all "}" } function p() { return n[$1] == 2 ? ($3 == 1 ? first / all : 1 - first / all) : 1 / n[$1] }'
forecaster peek_fit 'BEGIN { until = 1e9 } '"$common"' function params() { return "{\"share\": " first / all "}" } function p() { return n[$1] == 2 ? ($3 == 1 ? first / all : 1 - first / all) : $3 == 1 ? first / all : (1 - first / all) / (n[$1] - 1) }'
forecaster peek_result "$common"' function params() { return "{}" } function p() { return $3 == won[$1] ? .4 : .6 / (n[$1] - 1) }'
forecaster peek_next "$common"' function params() { return "{}" } function p() { return won[$1 + 1] == 1 ? ($3 == 1 ? .9 : .1 / (n[$1] - 1)) : 1 / n[$1] }'
forecaster too_sure "$common"' function params() { return "{}" } function p() { return .9 }'
forecaster silent 'END { print "{}" }'
forecaster broken 'END { print "this is broken" >"/dev/stderr"; exit 3 }'
arguments=()
for name in honest peek_fit peek_result peek_next too_sure silent broken; do
	arguments+=(-x "$name=$scratch/$name")
done
# What cannot be meant is refused before anything is loaded.
refused() {
	local said status=0
	said=$(bench/predict.sh -o "$scratch/none.md" -f "$scratch/none" "${@:2}" "$scratch/data" 2>&1) || status=$?
	[ "$status" -ne 2 ] || ! grep -qF -- "$1" <<<"$said" || echo t
}
check 'numbers are checked' "$([ "$(EVALUATIONS=abc refused 'EVALUATIONS must be' -m '^even$')$(SHARE=7 refused 'SHARE must be' -m '^even$')$(SHARE=0.0 refused 'SHARE must be' -m '^even$')$(
	MATCHES=-1 refused 'MATCHES must be' -m '^even$')$(TIMEOUT=0 refused 'TIMEOUT must be' -m '^even$')" = ttttt ] && echo t)"
check 'a setting of no file or of no key is refused' "$([ "$(refused 'no file racers.csv' -s racers.home=first)$(refused 'one of the keys' -s races.hom=first)$(refused 'one of the keys' -s home=first)" = ttt ] && echo t)"
check 'a name that no forecaster has is refused' "$(refused 'no forecaster has a name that matches ^eloo$' -m '^eloo$')"
check 'nothing is written then' "$([ ! -e "$scratch/none.md" ] && echo t)"

printf 'match_id,played_at,team,rank,player\n1,1,1,1,1\n1,1,2,2,2\n' | tee "$scratch/data/unset.csv" >"$scratch/data/unknown.csv"
printf 'home = ground\n' >"$scratch/data/unset.conf"
printf 'hom = first\n' >"$scratch/data/unknown.conf"
EVALUATIONS=12 MATCHES=0 SEED=7 bench/predict.sh -o "$scratch/page.md" -f "$scratch/out" -m '^(even|elo|trueskill|state_space|state_space/.*|npm:openskill/plackett_luce|honest|peek_.*|too_sure|silent|broken)$' \
	"${arguments[@]}" "$scratch/data" >"$scratch/log" 2>&1
status=$?
[ -e "$scratch/page.md" ] || { cat "$scratch/log"; check 'it runs' f; exit 1; }
[ "$status" -eq 1 ] && grep -qF "failed: $scratch/data/torn.csv" "$scratch/log" && status=t
check 'a file that cannot be read is named and fails nothing else' "$status"
grep -qx 'no_time: passed over, as it has no column played_at' "$scratch/log"; check 'a file without a column is passed over' "$([ $? -eq 0 ] && echo t)"

check 'and so is one without the column that is set, or set with an unknown key' "$(grep -qx 'unset: passed over, as it has no column ground, which is set for home' "$scratch/log" &&
	grep -q "^unknown: passed over, as $scratch/data/unknown.conf sets hom, " "$scratch/log" && echo t)"
check 'a file that cannot be read says so by its name' "$(grep -qx 'torn: passed over, as it cannot be read' "$scratch/log" && echo t)"

# What was read.
check 'matches that do not count are left out' "$(ask -c "SELECT matches = 240 AND left_out = 3 AND train = 168 FROM predict.data_set WHERE name = 'pairs'")"
check 'columns are found by their names' "$(ask -c "SELECT columns = 'home score=team_score club=group' FROM predict.data_set WHERE name = 'pairs'")"
check 'a model is told of all columns' "$(ask -c "SELECT bool_and(predict.arguments('inputs') ~ format('\m%s =>', attname)) FROM pg_attribute
	WHERE attrelid = 'predict.input'::regclass AND attnum > 0 AND attname NOT IN ('match', 'at', 'team', 'player', 'rank')")"
check 'all that was generated has come through' "$(ask -c "SELECT count(*) = 960 AND bool_and(p.rank = s.rank AND p.side = 2 - s.home AND p.series = s.day AND p.score = s.score AND p.club ~ '^club [012]\$')
	FROM predict.participant AS p JOIN predict.data_set AS d ON d.id = p.data_set AND d.name = 'pairs'
	JOIN (SELECT DISTINCT match_id, team, rank, home, team_score AS score, played_at::date::text AS day FROM sample_pair) AS s ON p.match_id = s.match_id::text AND p.team_name = s.team::text")"
check 'ordinals are days, and a setting names the column of series' "$(ask -c "SELECT count(*) = 640 AND bool_and(p.series = p.match_id AND p.at = '2000-01-01'::timestamp + (p.match_id::int / 2) * interval '1 day' AND p.side IS NULL)
	FROM predict.participant AS p JOIN predict.data_set AS d ON d.id = p.data_set AND d.name = 'races'")"

# Who is refused, and why.
failure() { ask -c "SELECT coalesce(string_agg(DISTINCT failure, '; '), 'none') FROM predict.run WHERE forecaster = '$1'"; }
for name in peek_fit peek_result peek_next; do
	check "$name is refused" "$(ask -c "SELECT count(*) = 2 AND bool_and(failure ~ '^refused: ') FROM predict.run WHERE forecaster = '$name'")"
	check "$name is on the page, and in no table" "$([ "$(grep -c "^- $name on .*: refused" "$scratch/page.md")" = 2 ] && ! grep -q "^| $name | \." "$scratch/page.md" && ! ls "$scratch/out" | grep -q "$name" && echo t)"
done
check 'probabilities have to add up' "$(ask -c "SELECT bool_and(failure ~ 'no probabilities that add up') FROM predict.run WHERE forecaster = 'too_sure'")"
check 'a forecaster that fails is reported' "$(ask -c "SELECT bool_and(failure = 'failed: this is broken') FROM predict.run WHERE forecaster = 'broken'")"
check 'one that says nothing counts as even' "$(ask -c "SELECT bool_and(s.missing = s.n AND abs(s.log_loss - e.log_loss) < 1e-12) FROM predict.score AS s JOIN predict.score AS e USING (data_set) WHERE s.forecaster = 'silent' AND e.forecaster = 'even'")"
for name in even elo trueskill state_space state_space/rate_through_time honest; do
	check "$name is taken" "$(ask -c "SELECT count(*) = 2 AND bool_and(failure IS NULL) AND bool_and(params IS NOT NULL) FROM predict.run WHERE forecaster = '$name'"; failure "$name" | grep -v none)"
done
if command -v node >/dev/null && command -v npm >/dev/null; then
	check 'a library is taken' "$(ask -c "SELECT count(*) = 2 AND bool_and(failure IS NULL) FROM predict.run WHERE forecaster ~ '^npm'")"
else
	echo "not run $title: libraries of npm"
fi
check 'to know something helps' "$(ask -c "SELECT bool_and(s.log_loss < e.log_loss) FROM predict.score AS s JOIN predict.score AS e USING (data_set) WHERE s.forecaster = 'trueskill' AND e.forecaster = 'even'")"

# The forecasts, scored again from the files by the formulas of the page.
ask -c 'CREATE TABLE again (data_set text, forecaster text, match_id text, series text, part text, teams json, p json, ranks json, params jsonb, seed int, sha256 text)'
for file in "$scratch"/out/*.csv.gz; do
	zcat "$file" | ask -c '\copy again FROM pstdin (FORMAT csv, HEADER)'
done
check 'the files have every match, with parameters, seed and hash' "$(ask -c "SELECT count(*) = 6 * 240 + 6 * 160 AND bool_and(seed = 7 AND sha256 ~ '^[0-9a-f]{64}\$' AND params IS NOT NULL)
	FROM again WHERE forecaster IN ('even', 'elo', 'trueskill', 'state_space', 'honest', 'silent')")"
check 'the hash is that of the file' "$([ "$(ask -c "SELECT DISTINCT sha256 FROM again WHERE data_set = 'races'")" = "$(sha256sum <"$scratch/data/races.csv.gz" | cut -d' ' -f1)" ] && echo t)"
ask -o /dev/null <<'SQL'
CREATE TABLE again_match AS
SELECT data_set, forecaster, match_id, series, -avg(ln(t.p)) FILTER (WHERE rank = 1) AS loss, sum((t.p - CASE WHEN rank = 1 THEN 1.0 / first ELSE 0 END) ^ 2) / 2 AS brier
FROM (SELECT a.data_set, a.forecaster, a.match_id, a.series, coalesce(q.p::float8, 1.0 / json_array_length(teams)) AS p, r.rank::float8 AS rank, count(*) FILTER (WHERE r.rank::float8 = 1) OVER (PARTITION BY data_set, forecaster, match_id) AS first
    FROM again AS a, json_array_elements_text(a.p) WITH ORDINALITY AS q(p, i) JOIN LATERAL json_array_elements_text(a.ranks) WITH ORDINALITY AS r(rank, i) USING (i) WHERE a.part = 'judged') AS t
GROUP BY 1, 2, 3, 4;
-- The variance of a mean of clusters, as Cameron and Miller have it (Journal of Human Resources 50, 2015).
CREATE TABLE again_score AS
SELECT data_set, forecaster, sum(loss_sum) / sum(n) AS log_loss, sum(brier_sum) / sum(n) AS brier,
    sqrt(count(*) / (count(*) - 1.0) * sum((loss_sum - n * mean) ^ 2)) / sum(n) AS error,
    sqrt(count(*) / (count(*) - 1.0) * sum((difference_sum - n * mean_difference) ^ 2)) / sum(n) AS difference_error
FROM (
    SELECT data_set, forecaster, series, count(*) AS n, sum(loss) AS loss_sum, sum(brier) AS brier_sum, sum(difference) AS difference_sum, min(mean) AS mean, min(mean_difference) AS mean_difference
    FROM (SELECT m.*, m.loss - b.loss AS difference, avg(m.loss) OVER f AS mean, avg(m.loss - b.loss) OVER f AS mean_difference
        FROM again_match AS m JOIN again_match AS b USING (data_set, match_id)
        WHERE b.forecaster = (SELECT forecaster FROM predict.score AS s JOIN predict.data_set AS d ON d.id = s.data_set WHERE d.name = m.data_set AND s.best) WINDOW f AS (PARTITION BY data_set, m.forecaster)) AS m
    GROUP BY data_set, forecaster, series) AS c
GROUP BY data_set, forecaster;
SQL
check 'scores and clustered errors are those of the files' "$(ask -c "SELECT count(*) >= 12 AND bool_and(abs(a.log_loss - s.log_loss) < 1e-12 AND abs(a.brier - s.brier) < 1e-12 AND abs(a.error - s.error) < 1e-12 AND abs(a.difference_error - s.difference_error) < 1e-12)
	FROM again_score AS a JOIN predict.data_set AS d ON d.name = a.data_set JOIN predict.score AS s ON (s.data_set, s.forecaster) = (d.id, a.forecaster)")"
check 'the page shows them' "$([ "$(ask -c "SELECT count(*) FROM predict.score WHERE missing = 0")" = "$(ask -F ' ' -c "SELECT s.forecaster, regexp_replace(round(s.log_loss::numeric, 4)::text, '^0', ''), regexp_replace(round(s.error::numeric, 4)::text, '^0', '') FROM predict.score AS s WHERE missing = 0" |
	while read -r name loss error; do grep -qF "| $name | $loss | $error |" "$scratch/page.md" && echo; done | wc -l)" ] && echo t)"
check 'the best has the least log loss' "$(ask -c "SELECT count(*) FILTER (WHERE best) = 2 AND bool_and(difference >= 0) AND bool_and((difference = 0) OR NOT best) FROM predict.score")"

# The formulas: Student's t, Holm's correction, calibration.
check "Student's t is that of the tables" "$(ask -c "SELECT abs(predict.two_sided(12.7062, 1) - 0.05) < 1e-6 AND abs(predict.two_sided(2.7764, 4) - 0.05) < 1e-5 AND abs(predict.two_sided(2.0860, 20) - 0.05) < 1e-5
	AND abs(predict.two_sided(-2.5758, 1000001) - 0.01) < 1e-5 AND predict.two_sided(0, 7) = 1 AND abs(predict.two_sided(1, 3) - 0.3910022) < 1e-6")"
check "Holm's correction is that of its definition" "$(ask -c "WITH r AS (
		SELECT data_set, forecaster, p, p_corrected, row_number() OVER w AS i, count(*) OVER (PARTITION BY data_set) AS m FROM predict.score WHERE p IS NOT NULL WINDOW w AS (PARTITION BY data_set ORDER BY p, forecaster COLLATE \"C\"))
	SELECT count(*) > 6 AND bool_and(abs(p_corrected - least(1, (SELECT max((o.m - o.i + 1) * o.p) FROM r AS o WHERE o.data_set = r.data_set AND o.i <= r.i))) < 1e-12) FROM r")"
check 'the slope is that of a logistic regression on both teams' "$(ask -c "SELECT count(*) > 2 AND bool_and(abs(s.slope - c.slope) < 1e-2 * c.slope) FROM predict.score AS s JOIN (
		SELECT data_set, forecaster, (skillrating.calibration(p, won, 10)).slope FROM predict.judged WHERE teams = 2 GROUP BY 1, 2) AS c USING (data_set, forecaster) WHERE s.slope IS NOT NULL")"

# Once more with the same seed gives the same forecasts, to the byte.
EVALUATIONS=12 MATCHES=0 SEED=7 bench/predict.sh -o "$scratch/page2.md" -f "$scratch/out2" -m '^(elo|npm:openskill/plackett_luce)$' "$scratch/data" >"$scratch/log2" 2>&1
check 'forecasts are the same in every run' "$(for file in "$scratch"/out2/*.csv.gz; do cmp -s "$file" "$scratch/out/$(basename "$file")" || echo "$file"; done | grep . || echo t)"
ask -c 'DROP SCHEMA predict CASCADE' -c 'DROP TABLE sample_skill, sample_pair, sample_race, again, again_match, again_score'
exit $failed
