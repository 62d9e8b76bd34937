-- Forecasts corrected and combined online.

SELECT skillrating_internal.make_function('skillrating.recalibrate', '
    probability float8,
    outcome float8,
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5',
    'float8', 'WINDOW IMMUTABLE PARALLEL SAFE',
'Corrects a forecast by what the rows before it have taught:
ln(q / (1 - q)) = intercept + slope ln(p / (1 - p)), with coefficients that are refitted online.
SELECT *, skillrating.recalibrate(p, won, played_at => played_at) OVER (ORDER BY played_at) ...
probability: the forecast, 0 to 1; null has no result and teaches nothing.
outcome: 1 won, 0.5 drew, 0 lost; a row with null is forecast and teaches nothing.
Rows that are equal under ORDER BY do not know of each other''s outcomes; PARTITION BY starts afresh.
weight: how often the row counts, 0 to 1000000 (null: 1).  Give one row a match, or both with 0.5.
deviation: prior standard deviation of the slope, whose prior mean is 1; 0 fixes it.
half_life_matches: the weight of outcomes after which half of what was learned is forgotten; 0 is
never.  half_life_days: the same in days, by played_at.  What is forgotten gives way to the prior.
side: 1 or 2 where the forecast is that of a fixed side (home, white, attack), in favour of which,
1, there is an intercept; null: none, so that forecasts for both opponents stay complementary.
side_deviation: prior standard deviation of the intercept, whose prior mean is 0.
deviation, side_deviation and both half-lives are read from the first row of a partition.
Errors: 42P20 without ORDER BY or with a frame clause, 22003 for numbers out of range, 22004 for a
parameter that is null and for half_life_days without played_at, 22008 for an infinite played_at.');

SELECT skillrating_internal.make_function('skillrating.stack', '
    probability float8[],
    outcome float8[],
    weight float8 DEFAULT 1,
    played_at timestamptz DEFAULT NULL,
    deviation float8 DEFAULT 0.5,
    half_life_matches float8 DEFAULT 0,
    half_life_days float8 DEFAULT 0,
    side float8 DEFAULT NULL,
    side_deviation float8 DEFAULT 0.5',
    'float8[]', 'WINDOW IMMUTABLE PARALLEL SAFE',
'Combines the forecasts of up to 16 models into one, by what the rows before it have taught:
ln(q / (1 - q)) = intercept + sum of b_k ln(p_k / (1 - p_k)), with coefficients refitted online.
SELECT *, (skillrating.stack(ARRAY[elo, glicko], ARRAY[won]) OVER (ORDER BY played_at))[1] ...
probability: the forecasts of all models, in the same order in all rows.  For a match of more than
two teams an array with two dimensions: a row for each model, with the probability of each team to
win, adding up to 1; b_k then multiplies logarithms of probabilities, and the result is scaled to
add up to 1.
outcome: an array of one number, 1 won, 0.5 drew, 0 lost; or the share of each team in the first
place, adding up to 1 (1 for the winner, 0.5 for each of two who share it).
An array with a null counts as null.
deviation: prior standard deviation of each b_k, whose prior mean is 1 / k for k models.
The other arguments and errors are those of recalibrate(); with more teams side has no effect.
Further errors: 2202E for arrays that do not fit together and if the number of models varies, 22023
for sums other than 1, 54000 beyond 16.');
