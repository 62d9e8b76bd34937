-- Scores of all forecasts of the last parts.

DROP TABLE IF EXISTS predict.judged, predict.loss, predict.score CASCADE;

-- A match without a forecast counts as if no team was a favourite, so that silence cannot gain.
CREATE TABLE predict.judged AS
SELECT r.data_set, r.forecaster, t.match, t.team, t.series, t.teams, t.rank, t.won,
    coalesce(f.p, 1.0 / t.teams) AS p, f.p IS NULL AS missing
FROM predict.run AS r
JOIN predict.data_set AS d ON d.id = r.data_set
JOIN predict.team AS t ON t.data_set = r.data_set AND t.match > d.train
LEFT JOIN predict.forecast AS f ON (f.data_set, f.forecaster, f.match, f.team) = (r.data_set, r.forecaster, t.match, t.team)
WHERE r.failure IS NULL;
CREATE INDEX ON predict.judged (data_set, forecaster, match);
ANALYZE predict.judged;

-- What each match costs: the log loss of first place, in nats, half the sum of the squares (which
-- of two teams is the Brier score), and pairs of teams in the right order.
CREATE TABLE predict.loss AS
SELECT data_set, forecaster, match, min(series) AS series, bool_or(missing) AS missing,
    -sum(won * ln(least(greatest(p, 1e-15), 1 - 1e-15))) AS log_loss, sum((p - won) ^ 2) / 2 AS brier,
    min(q.accuracy) AS accuracy
FROM predict.judged AS j LEFT JOIN LATERAL (
    SELECT avg((1 + sign(b.rank - a.rank) * sign(a.p - b.p)) / 2) AS accuracy
    FROM predict.judged AS a JOIN predict.judged AS b USING (data_set, forecaster, match)
    WHERE (data_set, forecaster, match) = (j.data_set, j.forecaster, j.match) AND a.team < b.team AND a.rank <> b.rank) AS q ON j.team = 1
GROUP BY data_set, forecaster, match;
CREATE INDEX ON predict.loss (data_set, forecaster, match);
ANALYZE predict.loss;

-- The gradient and the information of a power of the forecasts, a row for each match.
CREATE OR REPLACE FUNCTION predict.slope_terms(data_set integer, forecaster text, slope float8)
RETURNS TABLE (series text, gradient float8, information float8)
LANGUAGE sql STABLE
AS $function$
    WITH j AS (
        SELECT match, series, won, ln(greatest(p, 1e-15)) AS l FROM predict.judged AS j WHERE j.data_set = $1 AND j.forecaster = $2
    ), q AS (
        SELECT match, series, won, l, exp(slope * l - max(slope * l) OVER (PARTITION BY match)) AS q FROM j
    ), n AS (
        SELECT match, series, won, l, q / sum(q) OVER (PARTITION BY match) AS q FROM q
    )
    SELECT min(series), sum((won - q) * l), sum(q * l ^ 2) - sum(q * l) ^ 2 FROM n GROUP BY match
$function$;

CREATE OR REPLACE FUNCTION predict.slope(data_set integer, forecaster text, OUT slope float8, OUT error float8)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    gradient float8;
    information float8;
    step float8 := 1;
BEGIN
    slope := 1;
    FOR i IN 1 .. 50 LOOP
        SELECT sum(t.gradient), sum(t.information) INTO gradient, information FROM predict.slope_terms(data_set, forecaster, slope) AS t;
        EXIT WHEN abs(step) < 1e-9 OR information IS NULL OR information < 1e-9;
        step := greatest(-1, least(1, gradient / information));
        slope := slope + step;
    END LOOP;
    IF information IS NULL OR information < 1e-9 OR abs(step) >= 1e-9 THEN
        slope := NULL;
        RETURN;
    END IF;
    SELECT CASE WHEN count(*) > 1 THEN sqrt(sum(s.g ^ 2) * count(*) / (count(*) - 1)) / information END INTO error
    FROM (SELECT sum(t.gradient) AS g FROM predict.slope_terms(data_set, forecaster, slope) AS t GROUP BY t.series) AS s;
END
$function$;

COMMENT ON FUNCTION predict.slope(integer, text) IS
'The power to which the forecasts of a match have to be taken, before they are made to add up to 1
again, to be most likely: 1 is calibrated, less is overconfident.  With two teams it is the slope of
a logistic recalibration without intercept, on which the order of the teams has no influence.
error: by the sandwich of White, with series as clusters.  Both null where there is no such power.';

-- Means, with errors by clusters: matches of a series may depend on each other in any way.
CREATE TABLE predict.score AS
WITH best AS (
    SELECT DISTINCT ON (data_set) data_set, forecaster
    FROM (SELECT data_set, forecaster, avg(log_loss) AS log_loss FROM predict.loss GROUP BY 1, 2) AS m
    ORDER BY data_set, log_loss, forecaster COLLATE "C"
), paired AS (
    SELECT l.*, l.log_loss - b.log_loss AS difference, avg(l.log_loss) OVER w AS mean, avg(l.log_loss - b.log_loss) OVER w AS mean_difference
    FROM predict.loss AS l JOIN best USING (data_set) JOIN predict.loss AS b ON (b.data_set, b.forecaster, b.match) = (l.data_set, best.forecaster, l.match)
    WINDOW w AS (PARTITION BY l.data_set, l.forecaster)
), clusters AS (
    SELECT data_set, forecaster, series, count(*) AS n, count(*) FILTER (WHERE missing) AS missing, sum(log_loss) AS log_loss, sum(brier) AS brier,
        sum(accuracy) AS right_order, count(accuracy) AS decided, sum(difference) AS difference,
        sum(log_loss - mean) AS excess, sum(difference - mean_difference) AS excess_difference
    FROM paired GROUP BY 1, 2, 3
), s AS (
    SELECT data_set, forecaster, sum(n) AS n, sum(missing) AS missing, count(*) AS series,
        sum(log_loss) / sum(n) AS log_loss, sum(brier) / sum(n) AS brier, sum(right_order) / nullif(sum(decided), 0) AS accuracy,
        CASE WHEN count(*) > 1 THEN sqrt(sum(excess ^ 2) * count(*) / (count(*) - 1)) / sum(n) END AS error,
        sum(difference) / sum(n) AS difference,
        CASE WHEN count(*) > 1 THEN sqrt(sum(excess_difference ^ 2) * count(*) / (count(*) - 1)) / sum(n) END AS difference_error
    FROM clusters GROUP BY data_set, forecaster
), p AS (
    SELECT s.*, s.forecaster = best.forecaster AS best,
        CASE WHEN s.forecaster <> best.forecaster AND difference_error > 0 THEN predict.two_sided(difference / difference_error, series - 1) END AS p
    FROM s JOIN best USING (data_set)
)
-- Holm's correction: the smallest of m probabilities counts m times, the next m - 1 times, and none
-- less than one before it.
SELECT p.data_set, p.forecaster, n, missing, series, log_loss, p.error, difference, difference_error, best, brier,
    accuracy, c.slope, c.error AS slope_error,
    least(1, max(h.p) OVER (PARTITION BY p.data_set, p.p IS NULL ORDER BY p.p, p.forecaster COLLATE "C")) AS p_corrected, p.p
FROM p, LATERAL predict.slope(p.data_set, p.forecaster) AS c,
    LATERAL (SELECT p.p * count(*) AS p FROM p AS o WHERE o.data_set = p.data_set AND o.p IS NOT NULL AND (o.p, o.forecaster COLLATE "C") >= (p.p, p.forecaster COLLATE "C")) AS h;
