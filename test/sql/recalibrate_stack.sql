-- Forecasts corrected and combined online: recalibrate() and stack().
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA corrected;
SET search_path = corrected;
CREATE FUNCTION logit(p float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT ln(p / (1 - p)) $$;

-- Forecasts that are too sure of themselves, of three models of which one knows nothing.
CREATE TABLE forecast AS
WITH truth AS (
    SELECT i, sin(i * 12.9898) * 2 AS strength, mod((sin(i * 78.233) + 1)::numeric * 43758, 1)::float8 AS luck
    FROM generate_series(1, 600) AS i),
outcome AS (
    SELECT *, 1 / (1 + exp(-strength - 0.4)) AS p FROM truth)
SELECT i, timestamptz '2026-01-01 00:00 UTC' + i * interval '6 hours' AS played_at,
    1 / (1 + exp(-2 * strength)) AS p, 1 / (1 + exp(-0.7 * strength - 0.3 * sin(i * 3.1))) AS timid,
    1 / (1 + exp(-sin(i * 5.7))) AS ignorant,
    CASE WHEN luck < 0.9 * p THEN 1 WHEN luck < 0.9 * p + 0.1 THEN 0.5 ELSE 0 END::float8 AS y
FROM outcome;
\set ECHO all

-- The slope by hand: for each row the root of the derivative, by bisection, and forgetting in natural parameters.
\set ECHO none
CREATE FUNCTION slopes(deviation float8, half_life float8) RETURNS TABLE (i int, slope float8)
LANGUAGE plpgsql AS $$
DECLARE
    f record;
    x float8;
    b float8 := 1;
    info float8 := 0;
    prior float8 := 1 / deviation ^ 2;
    share float8 := 2 ^ (-1 / half_life);
    eta float8;
    low float8;
    high float8;
    q float8;
BEGIN
    FOR f IN SELECT * FROM forecast ORDER BY forecast.i LOOP
        i := f.i;
        slope := b;
        RETURN NEXT;
        x := ln(f.p / (1 - f.p));
        eta := share * ((prior + info) * b - prior);
        info := share * info;
        b := (prior + eta) / (prior + info);
        low := -10;
        high := 10;
        FOR step IN 1 .. 80 LOOP
            IF (prior + info) * (b - (low + high) / 2) + (f.y - 1 / (1 + exp(-x * (low + high) / 2))) * x > 0 THEN
                low := (low + high) / 2;
            ELSE
                high := (low + high) / 2;
            END IF;
        END LOOP;
        b := low;
        q := 1 / (1 + exp(-x * b));
        info := info + q * (1 - q) * x ^ 2;
    END LOOP;
END
$$;
\set ECHO all
SELECT count(*), max(abs(r.slope - s.slope)) < 1e-9 AS same_slopes, max(abs(r.q - 1 / (1 + exp(-s.slope * ln(r.p / (1 - r.p)))))) < 1e-9 AS same_forecasts
FROM (SELECT i, p, logit(skillrating.recalibrate(p, y, deviation => 0.3, half_life_matches => 50) OVER w) / logit(p) AS slope,
        skillrating.recalibrate(p, y, deviation => 0.3, half_life_matches => 50) OVER w AS q
    FROM forecast WINDOW w AS (ORDER BY i)) AS r JOIN slopes(0.3, 50) AS s USING (i);
SELECT max(abs(r.slope - s.slope)) < 1e-9 AS without_forgetting
FROM (SELECT i, logit(skillrating.recalibrate(p, y) OVER (ORDER BY i)) / logit(p) AS slope FROM forecast) AS r
JOIN slopes(0.5, 1e300) AS s USING (i);

-- Before any outcome all is as it was; then the slope falls to about a half, and the log loss with it.
SELECT i, q = p AS unchanged FROM (SELECT i, p, skillrating.recalibrate(p, y) OVER (ORDER BY i) AS q FROM forecast) AS r WHERE i <= 2 ORDER BY i;
-- A forecast of the same moment with log-odds of 0 shows the intercept, and one of 1 without a side the slope.
CREATE VIEW probed AS SELECT i, played_at, p, y, 1 AS side, NULL AS shows FROM forecast
UNION ALL VALUES (600, NULL::timestamptz, 0.5, NULL::float8, 1, 'intercept'), (600, NULL, 1 / (1 + exp(-1)), NULL, NULL, 'slope');
SELECT min(c) FILTER (WHERE shows = 'intercept') BETWEEN 0.1 AND 0.4 AS intercept, min(c) FILTER (WHERE shows = 'slope') BETWEEN 0.3 AND 0.6 AS slope
FROM (SELECT shows, logit(skillrating.recalibrate(p, y, side => side) OVER (ORDER BY i)) AS c FROM probed) AS r;
SELECT skillrating.log_loss(q, y) < skillrating.log_loss(p, y) - 0.02 AS better, skillrating.log_loss(r, y) < skillrating.log_loss(q, y) - 0.002 AS better_with_side
FROM (SELECT p, y, skillrating.recalibrate(p, y) OVER w AS q, skillrating.recalibrate(p, y, side => 1) OVER w AS r
    FROM forecast WINDOW w AS (ORDER BY i)) AS f;

-- Rows of one moment are fitted jointly: at the maximum the derivatives of the penalised likelihood are 0.
WITH fit AS (
    SELECT min(c) FILTER (WHERE shows = 'intercept') AS a, min(c) FILTER (WHERE shows = 'slope') AS b FROM (
        SELECT shows, logit(skillrating.recalibrate(p, y, side => side, deviation => 0.7, side_deviation => 0.2)
            OVER (ORDER BY i > 599)) AS c FROM probed) AS f)
SELECT abs(sum(y - 1 / (1 + exp(-a - b * x))) - min(a) / 0.2 ^ 2) < 1e-9 AS intercept,
    abs(sum(x * (y - 1 / (1 + exp(-a - b * x)))) - min(b - 1) / 0.7 ^ 2) < 1e-9 AS slope
FROM (SELECT ln(p / (1 - p)) AS x, y FROM forecast WHERE i < 600) AS f, fit;
-- They do not know of each other, and come in any order.
SELECT count(DISTINCT round(c::numeric, 9)) AS slopes, count(*) FROM (
    SELECT i, logit(skillrating.recalibrate(p, y) OVER (ORDER BY i / 100)) / logit(p) AS c FROM forecast) AS f;
SELECT count(*) AS rows, count(*) FILTER (WHERE a.q IS DISTINCT FROM b.q) AS differ
FROM (SELECT i, skillrating.stack(ARRAY[p, timid], ARRAY[y], half_life_matches => 70, side => 1) OVER (ORDER BY i / 10) AS q
    FROM (SELECT * FROM forecast ORDER BY i) AS f) AS a
JOIN (SELECT i, skillrating.stack(ARRAY[p, timid], ARRAY[y], half_life_matches => 70, side => 1) OVER (ORDER BY i / 10) AS q
    FROM (SELECT * FROM forecast ORDER BY i DESC) AS f) AS b USING (i);

-- Outcomes of a row or later have no part in its forecast, to the last bit, wherever the cut is.
SELECT cut, count(*) AS rows, count(*) FILTER (WHERE a.q <> b.q OR a.s <> b.s) AS differ
FROM (VALUES (1), (2), (99), (100), (101), (250), (599)) AS c(cut), LATERAL (
    SELECT i, skillrating.recalibrate(p, y, played_at => played_at, half_life_days => 20) OVER w AS q,
        skillrating.stack(ARRAY[p, timid, ignorant], ARRAY[y], half_life_matches => 100) OVER w AS s
    FROM forecast WINDOW w AS (ORDER BY i / 3)) AS a
JOIN LATERAL (
    SELECT i, skillrating.recalibrate(p, y, played_at => played_at, half_life_days => 20) OVER w AS q,
        skillrating.stack(ARRAY[p, timid, ignorant], ARRAY[y], half_life_matches => 100) OVER w AS s
    FROM (SELECT i, played_at, p, timid, ignorant, CASE WHEN i / 3 < cut / 3 THEN y WHEN i % 2 = 0 THEN 1 - y END AS y FROM forecast) AS changed
    WINDOW w AS (ORDER BY i / 3)) AS b USING (i)
WHERE i <= cut GROUP BY cut ORDER BY cut;

-- A row without an outcome is forecast and changes nothing; one without a forecast has none.
SELECT count(*) AS rows, count(*) FILTER (WHERE a.q <> b.q) AS differ
FROM (SELECT i, skillrating.recalibrate(p, y, played_at => played_at, half_life_days => 20, half_life_matches => 80) OVER (ORDER BY i) AS q
    FROM forecast WHERE i % 3 > 0) AS a
JOIN (SELECT i, skillrating.recalibrate(p, CASE WHEN i % 3 > 0 THEN y END, played_at => played_at, half_life_days => 20, half_life_matches => 80) OVER (ORDER BY i) AS q
    FROM forecast) AS b USING (i);
SELECT count(*) FILTER (WHERE q IS NULL) AS without_forecast, count(*) FILTER (WHERE s IS NULL) AS without_stack
FROM (SELECT skillrating.recalibrate(CASE WHEN i % 3 > 0 THEN p END, y) OVER w AS q, skillrating.stack(ARRAY[p, CASE WHEN i % 4 > 0 THEN timid END], ARRAY[y]) OVER w AS s
    FROM forecast WINDOW w AS (ORDER BY i)) AS f;

-- Both rows of a match at half the weight are as good as one; without sides they are complementary.
WITH twice AS (
    SELECT i, team, CASE team WHEN 1 THEN p ELSE 1 - p END AS p, CASE team WHEN 1 THEN y ELSE 1 - y END AS y
    FROM forecast, generate_series(1, 2) AS team)
SELECT max(abs(a.q - CASE b.team WHEN 1 THEN b.q ELSE 1 - b.q END)) < 1e-11 AS same, max(abs(a.s - CASE b.team WHEN 1 THEN b.s ELSE 1 - b.s END)) < 1e-11 AS same_with_sides
FROM (SELECT i, skillrating.recalibrate(p, y, half_life_matches => 60) OVER w AS q, skillrating.recalibrate(p, y, side => 1) OVER w AS s
    FROM forecast WINDOW w AS (ORDER BY i)) AS a
JOIN (SELECT i, team, skillrating.recalibrate(p, y, half_life_matches => 60, weight => 0.5) OVER w AS q,
        skillrating.recalibrate(p, y, side => team, weight => 0.5) OVER w AS s
    FROM twice WINDOW w AS (ORDER BY i)) AS b USING (i);

-- A weight is so many rows, nothing of it teaches nothing, and null is 1.
SELECT max(abs(a.q - b.q)) < 1e-11 AS thrice, bool_and(a.q = a.n) AS null_is_one
FROM (SELECT i, skillrating.recalibrate(p, y, half_life_matches => 60, weight => CASE WHEN i % 2 = 0 THEN 3 ELSE 0 END) OVER w AS q,
        skillrating.recalibrate(p, y, half_life_matches => 60, weight => CASE WHEN i % 2 = 0 THEN 3 ELSE 0 END * CASE WHEN i % 5 > 0 THEN 1 END) OVER w AS unused,
        skillrating.recalibrate(p, CASE WHEN i % 2 = 0 THEN y END, half_life_matches => 20, weight => NULL) OVER w AS n1,
        skillrating.recalibrate(p, y, half_life_matches => 60, weight => CASE WHEN i % 2 = 0 THEN 3 ELSE 0 END) OVER w AS n
    FROM forecast WINDOW w AS (ORDER BY i)) AS a
JOIN (SELECT DISTINCT i, skillrating.recalibrate(p, y, half_life_matches => 60) OVER (ORDER BY i) AS q
    FROM forecast, generate_series(1, CASE WHEN i % 2 = 0 THEN 3 ELSE 1 END) AS copy WHERE i % 2 = 0) AS b USING (i);
SELECT bool_and(a = b) AS null_is_one FROM (
    SELECT skillrating.recalibrate(p, y, weight => NULL) OVER w AS a, skillrating.recalibrate(p, y, weight => 1) OVER w AS b FROM forecast WINDOW w AS (ORDER BY i)) AS f;

-- PARTITION BY starts afresh.
SELECT count(*) AS rows, count(*) FILTER (WHERE a.q <> b.q) AS differ
FROM (SELECT i, skillrating.recalibrate(p, y) OVER (PARTITION BY i > 300 ORDER BY i) AS q FROM forecast) AS a
JOIN (SELECT i, skillrating.recalibrate(p, y) OVER (ORDER BY i) AS q FROM forecast WHERE i > 300) AS b USING (i);

-- Days and matches are the same where there is a match a day, asked at the time of the last one.
WITH daily AS (
    SELECT 2 * i AS i, timestamptz '2026-01-01 UTC' + i * interval '24 hours' AS played_at, p, y FROM forecast
    UNION ALL SELECT 2 * i + 1, timestamptz '2026-01-01 UTC' + i * interval '24 hours', p, NULL FROM forecast)
SELECT max(abs(a - b)) < 1e-12 AS same FROM (
    SELECT y, skillrating.recalibrate(p, y, played_at => played_at, half_life_days => 30) OVER w AS a,
        skillrating.recalibrate(p, y, half_life_matches => 30) OVER w AS b
    FROM daily WINDOW w AS (ORDER BY i)) AS f WHERE y IS NULL;
-- After half a life half of what was learned is left, and after a long silence nothing.
SELECT (1 - half) / (1 - start) BETWEEN 0.5 AND 0.501 AS about_half, round(late::numeric, 9) AS late FROM (
    SELECT max(c) FILTER (WHERE i = 1000) AS start, max(c) FILTER (WHERE i = 1001) AS half, max(c) FILTER (WHERE i = 1002) AS late FROM (
        SELECT i, logit(skillrating.recalibrate(p, y, played_at => played_at, half_life_days => 10, deviation => 0.002) OVER (ORDER BY i)) / logit(p) AS c
        FROM (SELECT i, timestamptz '2026-01-01 UTC' AS played_at, p, y FROM forecast
            UNION ALL VALUES (1000, timestamptz '2026-01-01 UTC', 0.75, NULL::float8), (1001, '2026-01-11 UTC', 0.75, NULL), (1002, '2036-01-01 UTC', 0.75, NULL)) AS f) AS c) AS s;

-- Two models that say the same are one whose slope has twice the variance.
SELECT max(abs(a[1] - b)) < 1e-11 AS same FROM (
    SELECT skillrating.stack(ARRAY[p, p], ARRAY[y], deviation => 0.3, half_life_matches => 99) OVER w AS a,
        skillrating.recalibrate(p, y, deviation => 0.3 * sqrt(2), half_life_matches => 99) OVER w AS b
    FROM forecast WINDOW w AS (ORDER BY i)) AS f;
SELECT count(*) AS probes, max(abs(c - d)) < 1e-12 AS equal_shares FROM (
    SELECT i, min(c) FILTER (WHERE shows = 1) AS c, min(c) FILTER (WHERE shows = 2) AS d FROM (
        SELECT i, shows, (skillrating.stack(p, ARRAY[y], deviation => 0.3, half_life_matches => 99) OVER (ORDER BY i))[1] AS c
        FROM (SELECT i, 0 AS shows, ARRAY[p, p] AS p, y FROM forecast UNION ALL SELECT i, 1, ARRAY[0.7, 0.5], NULL FROM forecast UNION ALL SELECT i, 2, ARRAY[0.5, 0.7], NULL FROM forecast) AS q) AS s GROUP BY i) AS f;
SELECT bool_and(a = ARRAY[b]) AS one_model FROM (
    SELECT skillrating.stack(ARRAY[p], ARRAY[y], side => 2) OVER w AS a, skillrating.recalibrate(p, y, side => 2) OVER w AS b
    FROM forecast WINDOW w AS (ORDER BY i)) AS f;
-- The one that knows nothing ends with next to no weight, and three are better than each.
SELECT abs(min(c) FILTER (WHERE shows = 'ignorant')) < 0.2 AS ignorant, min(c) FILTER (WHERE shows = 'p') > 0.2 AS p
FROM (SELECT shows, logit((skillrating.stack(f.p, ARRAY[y], side => side) OVER (ORDER BY i))[1]) AS c
    FROM (SELECT i, NULL AS shows, ARRAY[p, timid, ignorant] AS p, y, 1 AS side FROM forecast
        UNION ALL SELECT 600, v.shows, v.p, NULL, NULL FROM (VALUES ('p', ARRAY[1 / (1 + exp(-1)), 0.5, 0.5]), ('ignorant', ARRAY[0.5, 0.5, 1 / (1 + exp(-1))])) AS v(shows, p)) AS f) AS g;
SELECT skillrating.log_loss(q, y) < least(skillrating.log_loss(p, y), skillrating.log_loss(timid, y), skillrating.log_loss(ignorant, y)) AS best
FROM (SELECT *, (skillrating.stack(ARRAY[p, timid, ignorant], ARRAY[y], side => 1) OVER (ORDER BY i))[1] AS q FROM forecast) AS f;

-- Of more than two teams the probabilities are tempered; of two it is the same as with numbers.
CREATE TABLE race AS
SELECT i, ARRAY[a / t, b / t, c / t] AS p, CASE mod(i * 7, 10) WHEN 0 THEN '{0,0.5,0.5}' WHEN 1 THEN '{0,0,1}' WHEN 2 THEN '{0,1,0}' ELSE '{1,0,0}' END::float8[] AS y
FROM (SELECT i, a, b, c, a + b + c AS t FROM (SELECT i, exp(2 + sin(i * 1.7)) AS a, exp(sin(i * 2.9)) AS b, exp(cos(i * 0.7)) AS c FROM generate_series(1, 400) AS i) AS e) AS f;
WITH fit AS (
    SELECT ln(q[1] / q[2]) / ln(p[1] / p[2]) AS b FROM (SELECT i, p, skillrating.stack(ARRAY[p], y, deviation => 0.4) OVER (ORDER BY i = 400) AS q FROM race) AS f WHERE i = 400)
SELECT abs(sum((y[k] - q) * ln(p[k])) - min(b - 1) / 0.4 ^ 2) < 1e-9 AS slope
FROM (SELECT k, y, p, b, p[k] ^ b / (SELECT sum(e ^ b) FROM unnest(p) AS e) AS q FROM race, generate_series(1, 3) AS k, fit WHERE i < 400) AS f;
-- A side has no part in it.
SELECT max(abs(q[1] + q[2] + q[3] - 1)) < 1e-14 AS whole, bool_and(q = s) AS no_intercept, bool_and(q = p) FILTER (WHERE i = 1) AS first_unchanged,
    max(abs(ln(q[1] / q[2]) * ln(p[2] / p[3]) - ln(q[2] / q[3]) * ln(p[1] / p[2]))) < 1e-12 AS tempered
FROM (SELECT i, p, skillrating.stack(ARRAY[p], y) OVER w AS q, skillrating.stack(ARRAY[p], y, side => 1) OVER w AS s FROM race WINDOW w AS (ORDER BY i)) AS f;
SELECT max(abs(a[1] - b)) < 1e-12 AS same, max(abs(s[1] - t[1])) < 1e-12 AS same_stack FROM (
    SELECT skillrating.stack(ARRAY[[p, 1 - p]], ARRAY[y, 1 - y], half_life_matches => 50) OVER w AS a, skillrating.recalibrate(p, y, half_life_matches => 50) OVER w AS b,
        skillrating.stack(ARRAY[[p, 1 - p], [timid, 1 - timid]], ARRAY[y, 1 - y]) OVER w AS s, skillrating.stack(ARRAY[p, timid], ARRAY[y]) OVER w AS t
    FROM forecast WINDOW w AS (ORDER BY i)) AS f;
SELECT count(*) AS rows, count(q) AS forecasts FROM (
    SELECT skillrating.stack(CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN ARRAY[[NULL, 0.5, 0.5]] ELSE ARRAY[p] END,
        CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN ARRAY[NULL, 0.5, 0.5] ELSE y END) OVER (ORDER BY i) AS q FROM race) AS f;

-- Certainty that errs is corrected, and nothing is more certain than log-odds of 32.
SELECT q BETWEEN 0 AND 1 AS sound, q < 0.9 AS humbled FROM (
    SELECT i, skillrating.recalibrate(1, i % 2) OVER (ORDER BY i) AS q FROM generate_series(1, 1000) AS i) AS f WHERE i = 1000;

-- What is not fixed by deviations of 0.
SELECT bool_and(a = p) AS unchanged, bool_and(b <> p) AS only_side FROM (
    SELECT i, p, skillrating.recalibrate(p, y, deviation => 0, side => 1, side_deviation => 0) OVER w AS a,
        skillrating.recalibrate(p, y, deviation => 0, side => 1) OVER w AS b FROM forecast WINDOW w AS (ORDER BY i)) AS f WHERE i > 1;

-- Mistakes.
SELECT skillrating.recalibrate(p, y) OVER () FROM forecast;
SELECT skillrating.stack(ARRAY[p], ARRAY[y]) OVER () FROM forecast;
SELECT skillrating.recalibrate(p, y) OVER (ORDER BY i ROWS 10 PRECEDING) FROM forecast;
SELECT skillrating.stack(ARRAY[p], ARRAY[y]) OVER (ORDER BY i ROWS 10 PRECEDING) FROM forecast;
SELECT skillrating.recalibrate(2, y) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate('NaN', y) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, -0.5) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, weight => -1) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, weight => 'infinity') OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, side => 3) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, played_at => 'infinity') OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, deviation => -1) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, deviation => NULL) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, side_deviation => 101) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, half_life_days => 'NaN') OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, half_life_matches => NULL) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.recalibrate(p, y, half_life_days => 365) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.stack(ARRAY[p], ARRAY[y], played_at => CASE WHEN i <> 5 THEN played_at END, half_life_days => 365) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.stack(p, y) OVER (ORDER BY i) FROM race;
SELECT skillrating.stack(array_fill(0.5::float8, ARRAY[17]), ARRAY[y]) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.stack(array_fill(0.5::float8, ARRAY[i]), ARRAY[y]) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.stack(ARRAY[]::float8[], ARRAY[y]) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.stack(ARRAY[p, 7], ARRAY[y]) OVER (ORDER BY i) FROM forecast;
SELECT skillrating.stack(ARRAY[[p]], y) OVER (ORDER BY i) FROM race;
SELECT skillrating.stack(ARRAY[p], y[1:2]) OVER (ORDER BY i) FROM race;
SELECT skillrating.stack(ARRAY[p], ARRAY[1, 1, 0]) OVER (ORDER BY i) FROM race;
SELECT skillrating.stack(ARRAY[[0.5, 0.4, 0.3]], y) OVER (ORDER BY i) FROM race;
