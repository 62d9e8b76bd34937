-- Linear regression on match statistics, for initial ranks.

SELECT skillrating_internal.make_type('linear_model',
'What linear_fit() found: y = intercept + sum of coefficient * x.', '
intercept float8: The intercept, in the unit of y.
coefficient float8[]: A coefficient for each x.
r_squared float8: The share of the variance of y that it explains; null if y does not vary.
residual_deviation float8: The standard deviation of what is left; null without degrees of freedom.
observations bigint: The number of rows.');

SELECT skillrating_internal.make_aggregate('linear_fit',
    'y float8, x float8[], weight float8, ridge float8', 'skillrating.linear_model',
'The least squares fit of y on up to 100 features, for example of a rank on match statistics:
linear_fit(rank, ARRAY[kills, deaths, damage], 1, 0).
weight: of the row, 0 or more.
ridge: 0 or more, the same in all rows; it is added to the diagonal of the features'' correlations,
and keeps coefficients small, and finite where features depend on each other.
Rows with a null, also in x, do not count; null if none counts. Errors: 2202E if x has another
length in some row, 22003 for numbers that are not finite or whose squares (from about 1e154 on) do
not fit into a double precision, 22023 if a feature is constant or depends on those before it.',
    'INITCOND = ''{}''', combine => 'linear_fit');

COMMENT ON FUNCTION skillrating_internal.linear_fit_transition(float8[], float8, float8[], float8, float8) IS
'Transition function of linear_fit(): {features, rows, weight, ridge, means, sums of products}.';

SELECT skillrating_internal.make_function('skillrating.linear_predict', 'fit skillrating.linear_model, x float8[]',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The prediction of a fit for the features x: intercept + sum of coefficient * x.
fit: of linear_fit().  x: an element for each coefficient.
Errors: 2202E for an array of another length, 22004 for null elements, 22003 for a result too large.');
