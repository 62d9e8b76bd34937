-- Scores of forecasts and log-odds of contexts: values, nulls, parallel plans.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

SELECT skillrating.brier_score(p, o), round(skillrating.log_loss(p, o)::numeric, 12) AS ln_2
FROM (VALUES (0.5::float8, 1::float8), (0.5, 0)) AS f(p, o);
SELECT skillrating.brier_score(p, o) AS brier, round(skillrating.log_loss(p, o)::numeric, 12) AS log_loss
FROM (VALUES (0.9::float8, 1::float8), (0.2, 0), (0.6, 0.5), (NULL, 1), (0.3, NULL)) AS f(p, o);

-- Certainty is right for ever or wrong without bound.
SELECT skillrating.log_loss(1, 1) AS zero, skillrating.log_loss(0, 0) AS zero, skillrating.log_loss(0, 1) AS unbounded;
-- Nothing in, nothing out.
SELECT skillrating.brier_score(p, 1), skillrating.log_loss(p, 1)
FROM (VALUES (NULL::float8)) AS f(p);
SELECT skillrating.brier_score(1, 1) FILTER (WHERE false);

SELECT skillrating.brier_score(1.5, 1);
SELECT skillrating.brier_score(0.5, -1);
SELECT skillrating.log_loss('NaN', 1);
SELECT skillrating.log_loss(0.5, 'infinity');

-- Draws as a class of their own: 3 and 9 are the denominators of a uniform forecast.
SELECT outcome, round(skillrating.log_loss(CASE outcome WHEN 1 THEN 1 / 3.0 WHEN 0.5 THEN 1 / 3.0 ELSE 1 - 2 / 3.0 END, 1)::numeric, 12) AS ln_3,
    round(9 * skillrating.ranked_probability_score(1 / 3.0, 1 / 3.0, outcome)::numeric, 9) AS ranked,
    skillrating.ranked_probability_score(1, 0, outcome) AS sure_of_a_win
FROM (VALUES (1::float8), (0.5), (0)) AS o(outcome) GROUP BY outcome ORDER BY outcome DESC;
SELECT skillrating.ranked_probability_score(0.7, 0.4, 1);
SELECT skillrating.ranked_probability_score(0.7, 0.2, 0.6);
SELECT skillrating.ranked_probability_score(-0.7, 0.2, 1);

-- Favourites: right, wrong, none, a draw.
SELECT skillrating.accuracy(p, o) FROM (VALUES (0.9::float8, 1::float8), (0.8, 0), (0.5, 1), (0.7, 0.5)) AS f(p, o);
-- The base rate has no skill, perfection all of it, and where nothing varies there is none.
SELECT skillrating.skill_score(0.75, o) AS none, skillrating.skill_score(o, o) AS all, skillrating.skill_score(1 - o, o) < 0 AS negative,
    skillrating.skill_score(0.75, 1) AS undefined
FROM (VALUES (1::float8), (1), (1), (0)) AS f(o);
-- Four wins of four at even odds are two standard deviations.
SELECT skillrating.surprise(0.5, 1) AS two, skillrating.surprise(0.5, 0) AS minus_two, skillrating.surprise(1, 1) AS certain
FROM generate_series(1, 4);
SELECT skillrating.accuracy(2, 1);
SELECT skillrating.surprise(0.5, 'NaN');
SELECT skillrating.accuracy(p, 1), skillrating.skill_score(p, 1), skillrating.surprise(p, 1),
    skillrating.ranked_probability_score(p, 0, 1), skillrating.calibration(p, 1, 10)
FROM (VALUES (NULL::float8)) AS f(p);

-- Calibration: of ten forecasts of 0.8 eight come true, of ten of 0.25 two or three.
CREATE TABLE rain AS
SELECT p, (i <= round(10 * p))::int::float8 AS o FROM (VALUES (0.8::float8), (0.25)) AS f(p), generate_series(1, 10) AS i;
SELECT forecasts, base_rate, mean_probability, round(brier_score::numeric, 6) AS brier_score, round(log_loss::numeric, 6) AS log_loss,
    round(reliability::numeric, 6) AS reliability, round(resolution::numeric, 6) AS resolution, round(uncertainty::numeric, 6) AS uncertainty,
    round(within_bins::numeric, 6) + 0 AS within_bins, round(expected_calibration_error::numeric, 6) AS error,
    round(intercept::numeric, 5) AS intercept, round(intercept_error::numeric, 5) AS se, round(slope::numeric, 5) AS slope,
    round(slope_error::numeric, 5) AS se, round(z::numeric, 5) AS z
FROM (SELECT (skillrating.calibration(p, o, 10)).* FROM rain) AS c \gx
SELECT b.* FROM (SELECT skillrating.calibration(p, o, 4) AS c FROM rain) AS q, unnest((q.c).bins) AS b;
-- With two forecasts the recalibration goes through both frequencies.
SELECT round(1 / (1 + exp(-(intercept + slope * ln(p / (1 - p)))))::numeric, 6) AS frequency
FROM (SELECT (skillrating.calibration(p, o, 10)).* FROM rain) AS c, (VALUES (0.8), (0.25)) AS f(p);
-- Certainty, and nothing that varies: no recalibration, and the rest stands.
SELECT forecasts, brier_score, intercept, slope, z FROM (SELECT (skillrating.calibration(o, o, 10)).* FROM rain) AS c;
SELECT forecasts, brier_score, intercept, slope, z FROM (SELECT (skillrating.calibration(0.5, o, 10)).* FROM rain) AS c;
-- Sums in groups, in a window, of a filter.
SELECT p, (skillrating.calibration(p, o, 10)).forecasts, (skillrating.calibration(p, o, 10) FILTER (WHERE o = 1)).forecasts AS wins FROM rain GROUP BY p ORDER BY p;
SELECT DISTINCT (skillrating.calibration(p, o, 10) OVER (PARTITION BY p)).base_rate FROM rain ORDER BY 1;
SELECT skillrating.calibration(p, o, 0) FROM rain;
SELECT skillrating.calibration(p, o, 1001) FROM rain;
SELECT skillrating.calibration(p, o, CASE WHEN o = 1 THEN 5 ELSE 6 END) FROM rain;
SELECT skillrating.calibration(p + 1, o, 10) FROM rain;
SELECT skillrating_internal.calibration_final('{}') AS nothing;
SELECT skillrating_internal.calibration_final('{1,2,3}');
SELECT skillrating_internal.calibration_final(array_fill(0::float8, ARRAY[16]));
SELECT skillrating_internal.calibration_final(ARRAY[1, 0, 1e9] || array_fill(0::float8, ARRAY[18]));
SELECT (skillrating_internal.calibration_final(skillrating_internal.calibration_combine('{}', skillrating_internal.calibration_transition('{}', 0.75, 1, 10)))).base_rate;
SELECT skillrating_internal.calibration_combine(skillrating_internal.calibration_transition('{}', 0.5, 1, 10), skillrating_internal.calibration_transition('{}', 0.5, 1, 3));
DROP TABLE rain;

-- Contexts: finite for none and all, shrunk towards the prior.
SELECT round(skillrating.context_log_odds(3, 3)::numeric, 2) AS jeffreys,
    round(skillrating.context_log_odds(3, 3, 0.55, 20)::numeric, 2) AS shrunk,
    skillrating.context_log_odds(0, 0) AS unknown,
    round(skillrating.context_log_odds(0, 1000)::numeric, 3) AS never;
SELECT round(skillrating.context_log_odds(count(*) FILTER (WHERE won), count(won))::numeric, 6) AS all_won,
    round(skillrating.context_log_odds(count(*) FILTER (WHERE NOT won), count(won))::numeric, 6) AS none_won,
    round(skillrating.context_log_odds(count(*) FILTER (WHERE won), count(won), 0.55, 20)::numeric, 6) AS shrunk
FROM (VALUES (true), (true), (true), (NULL)) AS g(won);
SELECT skillrating.context_log_odds(5, 3);
SELECT skillrating.context_log_odds(-1, 3);
SELECT skillrating.context_log_odds(1, 'infinity');
SELECT skillrating.context_log_odds(1, 3, 1);
SELECT skillrating.context_log_odds(1, 3, 0.5, 0);

-- A state is an ordinary array: it can be stored, and merged later.
SELECT skillrating_internal.sums_final(skillrating_internal.sums_combine(
    skillrating_internal.sums_transition('{0,0,0}', 0.5, 1),
    skillrating_internal.sums_transition('{0,0,0}', 0.9, 1)));
SELECT skillrating_internal.sums_final('{1,2}');
SELECT skillrating_internal.sums_final('{{1,2,3}}');
SELECT skillrating_internal.sums_transition('{1,NULL,2}', 0.5, 1);

-- A transition does not write into a constant that it is given.
\set ECHO none
CREATE FUNCTION twice() RETURNS TABLE (first text, second text) LANGUAGE plpgsql AS $$
DECLARE
    state float8[] := '{0,0,0}';
BEGIN
    first := skillrating_internal.sums_transition(state, 0.5, 1)::text;
    second := skillrating_internal.sums_transition(state, 0.5, 1)::text;
    RETURN NEXT;
END $$;
\set ECHO all
SELECT * FROM twice();
DROP FUNCTION twice();

-- A parallel plan gives the same bits as a serial one.
\set ECHO none
CREATE TABLE forecast AS
SELECT i % 97 AS context, (hashint4(i)::float8 / 4294967296.0) + 0.5 AS p, (hashint4(-i) > 0)::int::float8 AS o,
    hashint4(-i) > 0 AS won, 1 + i % 2 AS side
FROM generate_series(1, 60000) AS i;
ALTER TABLE forecast SET (parallel_workers = 2);
ANALYZE forecast;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serial AS
SELECT skillrating.brier_score(p, o) AS brier, skillrating.log_loss(p, o) AS log_loss,
    skillrating.ranked_probability_score(p * 0.8, 0.1, o) AS ranked,
    skillrating.accuracy(p, o) AS accuracy, skillrating.skill_score(p, o) AS skill, skillrating.surprise(p, o) AS surprise,
    skillrating.calibration(p, o, 10) AS calibration
FROM forecast;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
\set ECHO all
EXPLAIN (COSTS OFF)
SELECT skillrating.brier_score(p, o), skillrating.log_loss(p, o),
    skillrating.ranked_probability_score(p * 0.8, 0.1, o),
    skillrating.accuracy(p, o), skillrating.skill_score(p, o), skillrating.surprise(p, o), skillrating.calibration(p, o, 10)
FROM forecast;
SELECT s = (skillrating.brier_score(p, o), skillrating.log_loss(p, o),
    skillrating.ranked_probability_score(p * 0.8, 0.1, o),
    skillrating.accuracy(p, o), skillrating.skill_score(p, o), skillrating.surprise(p, o), skillrating.calibration(p, o, 10))::serial AS same
FROM forecast, serial AS s GROUP BY s;
RESET ALL;
DROP TABLE forecast, serial;
