-- Whether what is forecast with a probability happens that often.

SELECT skillrating_internal.make_type('calibration_bin',
'Forecasts of a range of probabilities, see calibration().', '
low float8: The lowest probability.
high float8: The end of the range, which only the last bin includes.
forecasts bigint: The number of forecasts.
mean_probability float8: The mean forecast, 0 to 1; null without forecasts.
mean_outcome float8: The mean outcome, 0 to 1; null without forecasts.');

SELECT skillrating_internal.make_type('calibration',
'Result of calibration(). The Brier score is, over the bins (Murphy), reliability - resolution +
uncertainty + within_bins. The logistic recalibration is ln(q / (1 - q)) = intercept + slope
ln(p / (1 - p)); null where all were won, or a threshold separates won from lost.', '
forecasts bigint: The number of forecasts.
base_rate float8: The mean outcome.
mean_probability float8: The mean forecast.
brier_score float8: As the aggregate of that name.
log_loss float8: As the aggregate of that name.
reliability float8: Part of the Brier score, 0 is best.
resolution float8: Part of the Brier score, more is better.
uncertainty float8: Part of the Brier score, of the outcomes themselves.
within_bins float8: Part of the Brier score, differences among the forecasts of a bin.
expected_calibration_error float8: Mean distance of the probability of a bin from its outcome.
intercept float8: Of the logistic recalibration; calibrated forecasts have 0.
intercept_error float8: Standard error of intercept.
slope float8: Of the logistic recalibration; calibrated forecasts have 1, overconfident ones less.
slope_error float8: Standard error of slope.
z float8: Deviations of the Brier score from its expectation; above 2 overconfident, below -2 timid, or null.
bins skillrating.calibration_bin[]: The bins.');

SELECT skillrating_internal.make_aggregate('calibration',
    'probability float8, outcome float8, bins integer', 'skillrating.calibration',
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
Statistics in Medicine 5 (1986).',
    'INITCOND = ''{}'', SSPACE = 16000', combine => 'calibration');

COMMENT ON FUNCTION skillrating_internal.calibration_transition(float8[], float8, float8, integer) IS
'Transition function of calibration(): state {bins, first cell, cells, count, sums, then per bin and
per cell of log-odds a count and sums}.';
