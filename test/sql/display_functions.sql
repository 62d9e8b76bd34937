-- What players see of ratings, where newcomers start, and linear regression.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

SELECT skillrating.display_rating(30, 2) AS sure, skillrating.display_rating(30, 2, z => 1, factor => 40, shift => 500) AS scaled,
    skillrating.display_rating(25, 8.5, floor => 0) AS floored;
SELECT r AS rating, d.*, g.label AS of_a_gold_player
FROM unnest(ARRAY[900, 999.99, 1000, 1149.99, 1150, 1200, 1510, 1520]) AS r,
    skillrating.division(r, '{1000,1200,1500}', '{bronze,silver,gold,diamond}') AS d,
    skillrating.division(r, '{1000,1200,1500}', '{bronze,silver,gold,diamond}', 2, margin => 50, promotion_margin => 20) AS g;
SELECT * FROM skillrating.division(1, '{}');
SELECT skillrating.division(NULL, '{1}') IS NULL AS unknown, skillrating.division(1200, '{1000}', margin => NULL) IS NULL AS unknown, (skillrating.division(1200, '{1000}')).label IS NULL AS no_label;

-- Ten matches find a rating among 1024 if results are certain.
WITH RECURSIVE search AS (
    SELECT 0 AS match, 0::float8 AS low, 1024::float8 AS high, 512::float8 AS rating
    UNION ALL
    SELECT match + 1, s.new_low, s.new_high, s.rating
    FROM search, skillrating.placement_step(low, high, (700 > search.rating)::int, shrink => 1) AS s
    WHERE match < 10)
SELECT match, low, high, rating FROM search WHERE match IN (1, 2, 3, 10);
SELECT * FROM skillrating.placement_step(0, 1000, 0.5);
SELECT skillrating.placement_gain(0) AS first, skillrating.placement_gain(5) AS fifth, skillrating.placement_gain(10) AS tenth, skillrating.placement_gain(0, boost => 4) AS boosted;
SELECT skillrating.season_state('elo', '{2000}') AS half, skillrating.season_state('elo', '{2000}', keep => 0) AS new, skillrating.season_state('elo', '{2000}', mean => 1000) AS to_a_mean,
    round((skillrating.season_state('glicko', '{2000,50}'))[2]::numeric, 6) AS deviation, skillrating.season_state('glicko', '{2000,50}', keep => 1) AS kept,
    skillrating.season_state('elo', '{2000}', params => '{"initial_rating": 1000}') AS to_the_initial, skillrating.season_state('elo', NULL) AS unknown;
-- Points that idle time takes from a rating that is shown, and a rating that drifts to a mean.
SELECT idle, grace, skillrating.idle_state('frag', '{1500}', greatest(idle - grace, '0'), params) AS decayed
FROM (VALUES (interval '29 days', interval '30 days', '{"decay": 1}'::jsonb), ('2 months', '30 days', '{"decay": 5}'), ('10 years', '30 days', '{"decay": 5, "decay_floor": 1000}'), ('36 hours', '12 hours', '{"decay": 1}')) AS i(idle, grace, params);
SELECT skillrating.season_state('elo', '{2000}', 0.5 ^ ((120 - 30) / 90.0), mean => 1500) AS half_way;

-- Regression: a line, two features, weights, and a merge of stored states.
CREATE TEMP TABLE stats AS
SELECT i, i % 7 AS kills, i * i % 5 AS deaths, 3 + 2 * (i % 7) - 1.5 * (i * i % 5) + sin(i) / 10 AS rank
FROM generate_series(1, 200) AS i;
SELECT round((m).coefficient[1]::numeric, 9) = round(slope::numeric, 9) AS slope, round((m).intercept::numeric, 9) = round(y0::numeric, 9) AS intercept,
    round((m).r_squared::numeric, 9) = round(r2::numeric, 9) AS r_squared, (m).observations
FROM (SELECT skillrating.linear_fit(rank, ARRAY[kills]::float8[], 1, 0) AS m, regr_slope(rank, kills) AS slope, regr_intercept(rank, kills) AS y0, regr_r2(rank, kills) AS r2 FROM stats) AS fit;
SELECT round((m).intercept::numeric, 4) AS intercept, round((m).coefficient[1]::numeric, 4) AS kills, round((m).coefficient[2]::numeric, 4) AS deaths,
    round((m).r_squared::numeric, 4) AS r_squared, round((m).residual_deviation::numeric, 4) AS residual_deviation, (m).observations,
    round(skillrating.linear_predict(m, '{4,1}')::numeric, 2) AS predicted
FROM (SELECT skillrating.linear_fit(rank, ARRAY[kills, deaths]::float8[], 1, 0) AS m FROM stats) AS fit;
-- Rows with nulls do not count, weights of 0 neither, and weight 2 is twice.
SELECT (skillrating.linear_fit(rank, CASE WHEN i % 2 = 0 THEN ARRAY[kills, NULL]::float8[] WHEN i % 3 > 0 THEN ARRAY[kills, deaths]::float8[] END, 1, 0)).observations FROM stats;
SELECT round((a).coefficient[1]::numeric, 9) = round((b).coefficient[1]::numeric, 9) AS weight_is_repetition
FROM (SELECT skillrating.linear_fit(rank, ARRAY[kills]::float8[], CASE WHEN i < 20 THEN 2 WHEN i > 100 THEN 0 ELSE 1 END, 0) AS a FROM stats) AS w,
    (SELECT skillrating.linear_fit(rank, ARRAY[kills]::float8[], 1, 0) AS b FROM (SELECT * FROM stats WHERE i <= 100 UNION ALL SELECT * FROM stats WHERE i < 20) AS twice) AS r;
\set ECHO none
CREATE TEMP TABLE monthly (month int, state float8[]);
INSERT INTO monthly
SELECT 1, skillrating_internal.linear_fit_transition(skillrating_internal.linear_fit_transition('{}', 1, '{1,2}', 1, 0), 5, '{2,1}', 1, 0)
UNION ALL
SELECT 2, skillrating_internal.linear_fit_transition(skillrating_internal.linear_fit_transition('{}', 0, '{0,0}', 1, 0), 7, '{3,2}', 1, 0);
\set ECHO all
SELECT round((m).intercept::numeric, 9) AS intercept, (SELECT array_agg(round(c::numeric, 9)) FROM unnest((m).coefficient) AS c) AS coefficient, (m).observations
FROM (SELECT skillrating_internal.linear_fit_final(skillrating_internal.linear_fit_combine(a.state, b.state)) AS m
      FROM monthly AS a, monthly AS b WHERE a.month = 1 AND b.month = 2) AS fit;
SELECT round((m).intercept::numeric, 9) AS intercept, (SELECT array_agg(round(c::numeric, 9)) FROM unnest((m).coefficient) AS c) AS coefficient
FROM (SELECT skillrating.linear_fit(y, x, 1, 0) AS m
      FROM (VALUES (1::float8, '{1,2}'::float8[]), (5, '{2,1}'), (0, '{0,0}'), (7, '{3,2}')) AS v(y, x)) AS fit;
-- A parallel plan gives the same to the digits that matter.
\set ECHO none
CREATE TABLE many_stats AS SELECT i, random() AS a, random() AS b, random() AS y FROM generate_series(1, 50000) AS i;
ANALYZE many_stats;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
\set ECHO all
EXPLAIN (COSTS OFF) SELECT skillrating.linear_fit(y, ARRAY[a, b], 1, 0) FROM many_stats;
CREATE TEMP TABLE parallel_fit AS SELECT skillrating.linear_fit(y, ARRAY[a, b], 1, 0) AS m FROM many_stats;
SET max_parallel_workers_per_gather = 0;
SELECT abs((s.m).coefficient[1] - (p.m).coefficient[1]) < 1e-12 AS coefficient, abs((s.m).intercept - (p.m).intercept) < 1e-12 AS intercept
FROM parallel_fit AS p, (SELECT skillrating.linear_fit(y, ARRAY[a, b], 1, 0) AS m FROM many_stats) AS s;
DROP TABLE many_stats;
-- Features that depend on each other need a ridge.
SELECT skillrating.linear_fit(rank, ARRAY[kills, 2 * kills]::float8[], 1, 0) FROM stats;
SELECT round((m).coefficient[1]::numeric, 6) AS one, round((m).coefficient[2]::numeric, 6) AS two
FROM (SELECT skillrating.linear_fit(rank, ARRAY[kills, 2 * kills]::float8[], 1, 0.01) AS m FROM stats) AS fit;
SELECT skillrating.linear_fit(rank, ARRAY[kills, 5]::float8[], 1, 0) FROM stats;
SELECT skillrating.linear_fit(rank, ARRAY[kills]::float8[], 1, 0) IS NULL AS nothing FROM stats WHERE false;

-- Mistakes.
SELECT skillrating.display_rating(30, -2);
SELECT skillrating.display_rating(30, 2, factor => 0);
SELECT skillrating.division(1, '{2,2}');
SELECT skillrating.division(1, '{2,NULL}');
SELECT skillrating.division('NaN', '{2}');
SELECT skillrating.division(1, '{2}', current => 2);
SELECT skillrating.division(1, '{2}', margin => -1);
SELECT skillrating.division(1, '{2}', '{one}');
SELECT skillrating.placement_step(10, 0, 1);
SELECT skillrating.placement_step(0, 10, 2);
SELECT skillrating.placement_step(0, 10, 1, shrink => 1.5);
SELECT skillrating.placement_gain(-1);
SELECT skillrating.season_state('elo', '{2000}', keep => 2);
SELECT skillrating.season_state('elo', '{2000,1}');
SELECT skillrating.season_state('elo', '{2000}', mean => 'infinity');
SELECT skillrating.season_state('none', '{2000}');
SELECT skillrating.linear_fit(1, '{}', 1, 0);
SELECT skillrating.linear_fit(y, x, 1, 0) FROM (VALUES (1::float8, '{1,2}'::float8[]), (2, '{1}')) AS v(y, x);
SELECT skillrating.linear_fit('NaN', '{1}', 1, 0);
SELECT skillrating.linear_fit(1, '{infinity}', 1, 0);
-- Numbers whose squares overflow are an error, not NaN; those just below are fitted.
SELECT skillrating.linear_fit(y, ARRAY[y * 2], 1, 0) FROM (VALUES (1e160::float8), (2e160), (5e160)) AS v(y);
\set VERBOSITY terse
SELECT skillrating.linear_fit(y, ARRAY[1e-200 * y * y], 1, 0) FROM (VALUES (1e160::float8), (2e160), (5e160)) AS v(y);
SELECT skillrating.linear_fit(i, ARRAY[y], 1, 0) FROM (VALUES (1, 1e308::float8), (2, -1e308), (3, 0)) AS v(i, y);
SELECT skillrating.linear_fit(i, ARRAY[i], 1e308, 0) FROM generate_series(1, 3) AS i;
SELECT skillrating_internal.linear_fit_final('{1,3,3,0,NaN,0,0,0,0}');
SELECT abs((m).intercept) < 1e140 AS intercept, round((m).coefficient[1]::numeric, 9) AS slope, round((m).r_squared::numeric, 9) AS r_squared
FROM (SELECT skillrating.linear_fit(y, ARRAY[y * 2], 1, 0) AS m FROM (VALUES (1e150::float8), (-2e150), (1e150)) AS v(y)) AS q;
SELECT skillrating.linear_fit(1, '{1}', 1, r) FROM unnest(ARRAY[0, 1]) AS r;
SELECT skillrating_internal.linear_fit_final('{1,2,3}');
SELECT skillrating_internal.linear_fit_transition('{NaN,0,0,0,0,0,0,0,0}', 1, '{1}', 1, 0);
SELECT skillrating.linear_predict(ROW(1, '{1,2}', NULL, NULL, 2)::skillrating.linear_model, '{1}');
\set VERBOSITY default
SELECT skillrating.linear_predict(ROW(NULL, NULL, NULL, NULL, 2)::skillrating.linear_model, '{1}') IS NULL AS unknown;

-- Whatever overflows says so.
SELECT skillrating.display_rating(25, 8, floor => 'Infinity');
SELECT skillrating.display_rating(1e308, 8, factor => 1e308);
SELECT skillrating.linear_predict((1e308, '{1e308}', 1, 1, 1)::skillrating.linear_model, '{1}');
SELECT skillrating.glicko_win_probability(1e308, 1e308, -1e308, 0);
SELECT skillrating.context_log_odds(0, 1, 1e-300, 1e-300);
