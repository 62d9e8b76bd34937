-- Scores of forecasts, their correction, and what the catalogue says of models, against formulas
-- in SQL.  Each column names the functions that it is about; see test/oracles.sh.
\set ECHO none
\pset format unaligned
CREATE SCHEMA oracles_scores;
SET search_path = oracles_scores;
SET extra_float_digits = 1;
SET timezone = 'UTC';

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION sigmoid(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + exp(-x)) $$;
CREATE FUNCTION logit(p float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT ln(p / (1 - p)) $$;

-- Two forecasts of the same matches, with the probability of a draw.
CREATE TABLE forecast AS
SELECT i, 0.05 + 0.9 * mod(i * 0.381966, 1)::float8 AS p, 0.05 + 0.9 * mod(i * 0.7548777, 1)::float8 AS q,
    0.1 * (i % 4 + 1)::float8 * least(0.05 + 0.9 * mod(i * 0.381966, 1), 0.95 - 0.9 * mod(i * 0.381966, 1))::float8 AS d,
    CASE WHEN i % 6 = 0 THEN 0.5 WHEN mod(i * 0.569840291, 1) < 0.15 + 0.7 * mod(i * 0.381966, 1) THEN 1 ELSE 0 END::float8 AS y,
    CASE WHEN i % 3 > 0 THEN 1 + i % 2 END::float8 AS side
FROM generate_series(1, 240) AS i;
\set ECHO all

SELECT near(skillrating.brier_score(p, y), avg(power(p - y, 2))) AS "brier_score: closed form",
    near(skillrating.log_loss(p, y), -avg(y * ln(p) + (1 - y) * ln(1 - p))) AND near(skillrating.log_loss(CASE y WHEN 1 THEN p WHEN 0.5 THEN d ELSE 1 - p - d END, 1), -avg(ln(CASE y WHEN 1 THEN p WHEN 0.5 THEN d ELSE 1 - p - d END))) AS "log_loss: closed form",
    near(skillrating.ranked_probability_score(p, d, y), avg((power(p - (y = 1)::int, 2) + power(p + d - (y > 0)::int, 2)) / 2)) AS "ranked_probability_score: closed form"
FROM forecast;
SELECT near(skillrating.accuracy(p, y), avg(CASE WHEN y = 0.5 OR p = 0.5 THEN 0.5 ELSE ((p > 0.5) = (y = 1))::int END)) AS "accuracy: closed form",
    near(skillrating.skill_score(p, y), 1 - avg(power(p - y, 2)) / (avg(y * y) - avg(y) ^ 2)) AS "skill_score: closed form",
    near(skillrating.surprise(p, y), sum(y - p) / sqrt(sum(p * (1 - p)))) AS "surprise: closed form"
FROM forecast;
-- Murphy's parts add up; the fit has no slope left; z is Spiegelhalter's.
WITH bins AS (
    SELECT least(floor(p * 10), 9) AS bin, count(*) AS n, avg(p) AS p, avg(y) AS y FROM forecast GROUP BY 1
), parts AS (
    SELECT sum(n * power(p - y, 2)) / 240 AS reliability, sum(n * power(y - (SELECT avg(y) FROM forecast), 2)) / 240 AS resolution, sum(n * abs(p - y)) / 240 AS error FROM bins
), c AS (
    SELECT (skillrating.calibration(p, y, 10)).* FROM forecast
)
SELECT forecasts = 240 AND near(base_rate, (SELECT avg(y) FROM forecast)) AND near(mean_probability, (SELECT avg(p) FROM forecast))
    AND near(c.brier_score, (SELECT avg(power(p - y, 2)) FROM forecast)) AND near(c.log_loss, (SELECT -avg(y * ln(p) + (1 - y) * ln(1 - p)) FROM forecast))
    AND near(c.reliability, parts.reliability) AND near(c.resolution, parts.resolution) AND near(expected_calibration_error, error)
    AND near(c.reliability - c.resolution + uncertainty + within_bins, c.brier_score)
    AND near(z, (SELECT sum((y - p) * (1 - 2 * p)) / sqrt(sum(p * (1 - p) * power(1 - 2 * p, 2))) FROM forecast))
    AND (SELECT bool_and(b.forecasts = bins.n AND near(b.mean_probability, bins.p) AND near(b.mean_outcome, bins.y)) AND count(*) = 10 FROM unnest(c.bins) AS b JOIN bins ON near(b.low * 10, bin)) AS "calibration: closed form",
    (SELECT abs(sum(y - sigmoid(intercept + slope * logit(p)))) < 0.01 AND abs(sum((y - sigmoid(intercept + slope * logit(p))) * logit(p))) < 0.01
        AND near(round((1 / slope_error ^ 2)::numeric, 1), round((sum(w * x * x) - sum(w * x) ^ 2 / sum(w))::numeric, 1))
        AND near(round((1 / intercept_error ^ 2)::numeric, 1), round((sum(w) - sum(w * x) ^ 2 / sum(w * x * x))::numeric, 1))
        FROM forecast, LATERAL (SELECT logit(p) AS x, sigmoid(intercept + slope * logit(p)) * (1 - sigmoid(intercept + slope * logit(p))) AS w) AS f) AS "calibration: brute force"
FROM c, parts;

-- Log-odds of contexts: counts with a prior.
SELECT bool_and(near(skillrating.context_log_odds(n, 50, 0.55, 20), ln((n + 11) / (50 - n + 9.0)))) AS "context_log_odds: closed form" FROM generate_series(0, 50) AS n;
SELECT bool_and(near(odds, ln((wins + 11) / (games - wins + 9.0)))) AS "context_log_odds: closed form"
FROM (SELECT skillrating.context_log_odds(count(*) FILTER (WHERE y = 1), count(*), 0.55, 20) AS odds, count(*) FILTER (WHERE y = 1) AS wins, count(*) AS games FROM forecast GROUP BY side) AS g;

-- Regressions: the server's own, and with two features no residual that correlates.
SELECT near(fit.intercept, regr_intercept(q, p)) AND near(fit.coefficient[1], regr_slope(q, p)) AND near(fit.r_squared, regr_r2(q, p)) AND fit.observations = 240
    AND near(fit.residual_deviation, sqrt(regr_syy(q, p) * (1 - regr_r2(q, p)) / 238)) AS "linear_fit: other implementation"
FROM forecast, (SELECT (skillrating.linear_fit(q, ARRAY[p], 1, 0)).* FROM forecast) AS fit GROUP BY fit.*, fit.intercept, fit.coefficient, fit.r_squared, fit.observations, fit.residual_deviation;
SELECT abs(sum(rest)) < 1e-9 AND abs(sum(rest * p)) < 1e-9 AND abs(sum(rest * q)) < 1e-9 AS "linear_fit: closed form",
    bool_and(near(skillrating.linear_predict(fit, ARRAY[p, q]), fitted)) AS "linear_predict: closed form"
FROM (SELECT *, y - fitted AS rest FROM (SELECT *, (fit).intercept + (fit).coefficient[1] * p + (fit).coefficient[2] * q AS fitted FROM forecast, (SELECT skillrating.linear_fit(y, ARRAY[p, q], 1, 0) AS fit FROM forecast) AS f) AS g) AS h;

-- Online corrections.  Each step goes to the mode of the posterior: with the information P of the
-- rows before, P (c after - c before) = x (y - forecast after), and P grows by w x x' at the mode.
-- Forecasts of the same moment without an outcome show the coefficients: those of log-odds 0 the
-- intercept, and those where one model says 1 and the other 0 the coefficient of that model.
\set ECHO none
CREATE TABLE step (kind text, i int, x float8[], y float8, c float8[], q float8, prior float8[]);
CREATE TABLE probed AS SELECT i, 0 AS shows, p, q, y, side FROM forecast
UNION ALL SELECT i, s.shows, sigmoid(s.p), sigmoid(s.q), NULL, s.side FROM forecast, (VALUES (1, 0, 0, 1), (2, 1, 0, NULL), (3, 0, 1, NULL)) AS s(shows, p, q, side);
INSERT INTO step SELECT 'recalibrate', f.i, ARRAY[CASE f.side WHEN 1 THEN 1 WHEN 2 THEN -1 ELSE 0 END, logit(f.p)], f.y,
    array_agg(logit(r.q) ORDER BY shows) FILTER (WHERE shows IN (1, 2)), min(r.q) FILTER (WHERE shows = 0), ARRAY[1 / 0.49, 1 / 0.16]
FROM forecast AS f JOIN (SELECT i, shows, skillrating.recalibrate(p, y, deviation => 0.4, side => side, side_deviation => 0.7) OVER (ORDER BY i) AS q FROM probed) AS r USING (i) GROUP BY f.i, f.p, f.y, f.side;
INSERT INTO step SELECT 'stack', f.i, ARRAY[CASE f.side WHEN 1 THEN 1 WHEN 2 THEN -1 ELSE 0 END, logit(f.p), logit(f.q)], f.y,
    array_agg(logit(r.q[1]) ORDER BY shows) FILTER (WHERE shows > 0), min(r.q[1]) FILTER (WHERE shows = 0), ARRAY[1 / 0.49, 1 / 0.16, 1 / 0.16]
FROM forecast AS f JOIN (SELECT i, shows, skillrating.stack(ARRAY[p, q], ARRAY[y], deviation => 0.4, side => side, side_deviation => 0.7) OVER (ORDER BY i) AS q FROM probed) AS r USING (i) GROUP BY f.i, f.p, f.q, f.y, f.side;
CREATE TABLE mode AS
WITH next AS (
    SELECT *, lead(c) OVER (PARTITION BY kind ORDER BY i) AS after FROM step
), term AS (
    SELECT n.*, a, b, x[a] * x[b] * f * (1 - f) AS information, after[b] - c[b] AS moved, x[a] * (y - f) AS gradient
    FROM next AS n, LATERAL (SELECT sigmoid((SELECT sum(k * v) FROM unnest(after, x) AS u(k, v))) AS f) AS p,
        generate_series(1, cardinality(x)) AS a, generate_series(1, cardinality(x)) AS b
    WHERE after IS NOT NULL
), known AS (
    SELECT *, coalesce(sum(information) OVER (PARTITION BY kind, a, b ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) + CASE WHEN a = b THEN prior[a] ELSE 0 END AS p FROM term
)
SELECT kind, i, a, sum(p * moved) AS pull, gradient FROM known GROUP BY kind, i, a, gradient;
\set ECHO all
SELECT count(*) = 478 AND bool_and(abs(pull - gradient) < 1e-7) AS "recalibrate: closed form" FROM mode WHERE kind = 'recalibrate';
SELECT count(*) = 717 AND bool_and(abs(pull - gradient) < 1e-7) AS "stack: closed form" FROM mode WHERE kind = 'stack';
SELECT bool_and(near(q, f)) FILTER (WHERE kind = 'recalibrate') AS "recalibrate: closed form", bool_and(near(q, f)) FILTER (WHERE kind = 'stack') AS "stack: closed form"
FROM (SELECT *, sigmoid((SELECT sum(k * v) FROM unnest(c, x) AS u(k, v))) AS f FROM step) AS s;
-- Before the first outcome the correction is none, and the stack is the mean of the log-odds.
SELECT bool_and(near(q, CASE kind WHEN 'stack' THEN sigmoid((x[2] + x[3]) / 2) ELSE sigmoid(x[2]) END)) AS "recalibrate, stack: invariant" FROM step WHERE i = 1;
SELECT bool_and(near((SELECT sum(u) FROM unnest(a) AS u), 1) AND near((SELECT sum(u) FROM unnest(b) AS u), 1)) AS "stack: invariant"
FROM (SELECT skillrating.stack(ARRAY[[p, d, 1 - p - d]], ARRAY[(y = 1)::int, (y = 0.5)::int, (y = 0)::int]::float8[]) OVER w AS a,
        skillrating.stack(ARRAY[ARRAY[p, d, 1 - p - d], ARRAY[q, (1 - q) / 2, (1 - q) / 2]], ARRAY[(y = 1)::int, (y = 0.5)::int, (y = 0)::int]::float8[]) OVER w AS b
    FROM forecast WINDOW w AS (ORDER BY i)) AS f;

-- What is worth odds of e : 1 in a duel: the slope of the forecast between two who are sure.
CREATE TABLE certain AS
SELECT m.name, array_agg(CASE c WHEN m.deviation_column THEN 1e-6 ELSE s END ORDER BY n) AS state
FROM skillrating.models() AS m, LATERAL (SELECT skillrating.initial_state(m.name) AS initial) AS i, unnest(m.state_columns, initial) WITH ORDINALITY AS u(c, s, n) GROUP BY m.name;
SELECT count(*) > 9 AND bool_and(abs(logit(f.win_probability) / 0.01 - 1) < 1e-3) AS "models, predict: brute force"
FROM (SELECT c.*, m.log_odds_unit AS unit FROM certain AS c JOIN skillrating.models() AS m USING (name)) AS c,
    skillrating.predict(name, (state[1] + 0.005 * unit) || state[2:] || (state[1] - 0.005 * unit) || state[2:], '{1,2}') AS f WHERE f.team = 1;
SET client_min_messages = warning;
DROP SCHEMA oracles_scores CASCADE;
