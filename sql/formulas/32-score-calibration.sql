-- Whether what is forecast with a probability happens that often.

CREATE TYPE skillrating.calibration_bin AS (
    low float8,
    high float8,
    forecasts bigint,
    mean_probability float8,
    mean_outcome float8);

COMMENT ON TYPE skillrating.calibration_bin IS
'Forecasts of a range of probabilities, see calibration().';
COMMENT ON COLUMN skillrating.calibration_bin.low IS 'The lowest probability.';
COMMENT ON COLUMN skillrating.calibration_bin.high IS 'The end of the range, which only the last bin includes.';
COMMENT ON COLUMN skillrating.calibration_bin.forecasts IS 'The number of forecasts.';
COMMENT ON COLUMN skillrating.calibration_bin.mean_probability IS 'The mean forecast, 0 to 1; null without forecasts.';
COMMENT ON COLUMN skillrating.calibration_bin.mean_outcome IS 'The mean outcome, 0 to 1; null without forecasts.';

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
'Result of calibration(). The Brier score is, over the bins (Murphy), reliability - resolution +
uncertainty + within_bins. The logistic recalibration is ln(q / (1 - q)) = intercept + slope
ln(p / (1 - p)); null where it is not determined: when all were won, or a threshold separates won
from lost.';
COMMENT ON COLUMN skillrating.calibration.forecasts IS 'The number of forecasts.';
COMMENT ON COLUMN skillrating.calibration.base_rate IS 'The mean outcome.';
COMMENT ON COLUMN skillrating.calibration.mean_probability IS 'The mean forecast.';
COMMENT ON COLUMN skillrating.calibration.brier_score IS 'As the aggregate of that name.';
COMMENT ON COLUMN skillrating.calibration.log_loss IS 'As the aggregate of that name.';
COMMENT ON COLUMN skillrating.calibration.reliability IS 'Part of the Brier score, 0 is best.';
COMMENT ON COLUMN skillrating.calibration.resolution IS 'Part of the Brier score, more is better.';
COMMENT ON COLUMN skillrating.calibration.uncertainty IS 'Part of the Brier score, of the outcomes themselves.';
COMMENT ON COLUMN skillrating.calibration.within_bins IS 'Part of the Brier score, differences among the forecasts of a bin.';
COMMENT ON COLUMN skillrating.calibration.expected_calibration_error IS 'Mean distance of the probability of a bin from its outcome.';
COMMENT ON COLUMN skillrating.calibration.intercept IS 'Of the logistic recalibration; calibrated forecasts have 0.';
COMMENT ON COLUMN skillrating.calibration.intercept_error IS 'Standard error of intercept.';
COMMENT ON COLUMN skillrating.calibration.slope IS 'Of the logistic recalibration; calibrated forecasts have 1, overconfident ones less.';
COMMENT ON COLUMN skillrating.calibration.slope_error IS 'Standard error of slope.';
COMMENT ON COLUMN skillrating.calibration.z IS 'Deviations of the Brier score from its expectation; above 2 overconfident, below -2 timid, or null.';
COMMENT ON COLUMN skillrating.calibration.bins IS 'The bins.';

SELECT skillrating_internal.make_aggregate('calibration',
    'probability float8, outcome float8, bins integer',
    'skillrating.calibration', 'INITCOND = ''{}'', SSPACE = 16000', combine => 'calibration');

COMMENT ON FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8, integer) IS
'Transition function of calibration(): state {bins, first cell, cells, count, sums, then per bin and
per cell of log-odds a count and sums}.';

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
