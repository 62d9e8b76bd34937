-- Whether what is forecast with a probability happens that often.

CREATE TYPE skillrating.calibration_bin AS (
    low float8,
    high float8,
    forecasts bigint,
    mean_probability float8,
    mean_outcome float8);

COMMENT ON TYPE skillrating.calibration_bin IS
'Forecasts with probabilities from low to below high (up to and including 1 in the last bin).
forecasts: how many.  mean_probability, mean_outcome: 0 to 1; null without forecasts.';

CREATE TYPE skillrating.calibration AS (
    forecasts bigint,
    base_rate float8,
    mean_probability float8,
    brier_score float8,
    log_loss float8,
    reliability float8,
    resolution float8,
    uncertainty float8,
    within_bins float8,
    expected_calibration_error float8,
    intercept float8,
    intercept_error float8,
    slope float8,
    slope_error float8,
    z float8,
    bins skillrating.calibration_bin[]);

COMMENT ON TYPE skillrating.calibration IS
'Result of calibration().
forecasts: how many.  base_rate: the mean outcome.  mean_probability: the mean forecast.
brier_score, log_loss: as the aggregates of that name.
reliability, resolution, uncertainty, within_bins: parts of the Brier score over the bins (Murphy):
reliability (0 is best) - resolution (more is better) + uncertainty (of the outcomes themselves)
+ within_bins (differences among the forecasts of a bin).
expected_calibration_error: mean distance of the probability of a bin from its outcome.
intercept, slope, and their standard errors: of the logistic recalibration
ln(q / (1 - q)) = intercept + slope ln(p / (1 - p)).  Calibrated forecasts have 0 and 1; a slope
below 1 is overconfident.  Null where it is not determined: when all were won, or a threshold
separates won from lost.
z: by how many standard deviations the Brier score is worse than the probabilities expect of
themselves; beyond 2 is overconfident, below -2 too timid.  Null if nothing was uncertain.
bins: an array of calibration_bin.';

CREATE FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8, integer)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_calibration_transition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8, integer) IS
'Transition function of calibration(): state {bins, first cell, cells, count, sums, then per bin and
per cell of log-odds a count and sums}.';

CREATE FUNCTION skillrating_internal.calibration_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_calibration_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.calibration_combine(float8[], float8[]) IS
'Merges two states of calibration() with as many bins.';

CREATE FUNCTION skillrating_internal.calibration_final(float8[])
RETURNS skillrating.calibration
AS 'MODULE_PATHNAME', 'skillrating_calibration_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.calibration_final(float8[]) IS
'What a state of calibration() says, or null if it has no rows.';

CREATE AGGREGATE skillrating.calibration(probability float8, outcome float8, bins integer) (
    SFUNC = skillrating_internal.calibration_transition,
    STYPE = float8[],
    INITCOND = '{}',
    FINALFUNC = skillrating_internal.calibration_final,
    COMBINEFUNC = skillrating_internal.calibration_combine,
    SSPACE = 16000,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.calibration(float8, float8, integer) IS
'How well predicted probabilities fit outcomes, with bins of equal width; see the type calibration.
SELECT (c).* FROM (SELECT skillrating.calibration(p, outcome, 10) AS c FROM ...) AS q;
unnest((c).bins) returns the bins.
probability: predicted, 0 to 1.  outcome: 1 won, 0.5 drew, 0 lost.
bins: 1 to 1000, the same in all rows.
Give one forecast a match: the forecast for the other team repeats it.  Draws count half, which
makes z and the standard errors a little cautious.  Log-odds beyond +-32 count as those.
Rows with a null do not count; null if none counts.
Errors: 22003 for numbers out of range, 22023 if bins vary.
Murphy, Journal of Applied Meteorology 12 (1973); Cox, Biometrika 45 (1958); Spiegelhalter,
Statistics in Medicine 5 (1986).';
