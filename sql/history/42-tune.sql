-- Parameters that predict a history best.

CREATE TYPE skillrating.tuned_parameter AS (
    name text,
    start float8,
    value float8,
    standard_error float8,
    low float8,
    high float8,
    at_bound boolean,
    choice_start text,
    choice text);

COMMENT ON TYPE skillrating.tuned_parameter IS
'A parameter fitted by tune(), in its own unit.';
COMMENT ON COLUMN skillrating.tuned_parameter.name IS 'The parameter.';
COMMENT ON COLUMN skillrating.tuned_parameter.start IS 'Where the search began; null of a choice or flag, as are all numbers.';
COMMENT ON COLUMN skillrating.tuned_parameter.value IS 'The best value.';
COMMENT ON COLUMN skillrating.tuned_parameter.standard_error IS 'From the curvature of likelihood and priors; null at a bound, or without information.';
COMMENT ON COLUMN skillrating.tuned_parameter.low IS 'Lower end of the 95 % interval, symmetric on the scale of the search; null as standard_error.';
COMMENT ON COLUMN skillrating.tuned_parameter.high IS 'Upper end of the interval.';
COMMENT ON COLUMN skillrating.tuned_parameter.at_bound IS 'Whether the search ended at a bound.';
COMMENT ON COLUMN skillrating.tuned_parameter.choice_start IS 'Where the search of a choice or flag began, else null.';
COMMENT ON COLUMN skillrating.tuned_parameter.choice IS 'The best choice or flag, else null.';

CREATE TYPE skillrating.tuned_part AS (
    name text,
    taken boolean,
    gain float8,
    standard_error float8,
    matches bigint);

COMMENT ON TYPE skillrating.tuned_part IS
'A part of a model that tune() tried.';
COMMENT ON COLUMN skillrating.tuned_part.name IS 'The part, see models(), or log_odds.';
COMMENT ON COLUMN skillrating.tuned_part.taken IS 'Whether it is on in the result.';
COMMENT ON COLUMN skillrating.tuned_part.gain IS 'By how much it lowered the log loss of later matches, when last judged; null if it was not.';
COMMENT ON COLUMN skillrating.tuned_part.standard_error IS 'Of the gain, by blocks of time.';
COMMENT ON COLUMN skillrating.tuned_part.matches IS 'Matches on which it was judged.';

CREATE TYPE skillrating.tuning AS (
    model text,
    params jsonb,
    log_odds float8,
    fitted skillrating.tuned_parameter[],
    parts skillrating.tuned_part[],
    matches bigint,
    log_loss_before float8,
    log_loss float8,
    held_out_matches bigint,
    held_out_log_loss_before float8,
    held_out_log_loss float8,
    held_out_gain float8,
    held_out_gain_error float8,
    evaluations bigint,
    starts integer,
    starts_agreeing integer,
    converged boolean,
    stopped text,
    warnings text[],
    unrated bigint,
    unrated_reasons jsonb);

COMMENT ON TYPE skillrating.tuning IS
'Result of tune(). What is held out the search never saw; null without any.';
COMMENT ON COLUMN skillrating.tuning.model IS 'The model.';
COMMENT ON COLUMN skillrating.tuning.params IS 'All its parameters, ready for rate(), create_ladder() or shadow_ladder().';
COMMENT ON COLUMN skillrating.tuning.log_odds IS 'What a side is worth, in favour of side 1: for log_odds of matches with sides.';
COMMENT ON COLUMN skillrating.tuning.fitted IS 'The parameters that were searched, those of parts that were taken too.';
COMMENT ON COLUMN skillrating.tuning.parts IS 'The parts that were tried.';
COMMENT ON COLUMN skillrating.tuning.matches IS 'Matches that the search scored.';
COMMENT ON COLUMN skillrating.tuning.log_loss_before IS 'Their mean log loss at the start, one step ahead, in nats.';
COMMENT ON COLUMN skillrating.tuning.log_loss IS 'The same at the end.';
COMMENT ON COLUMN skillrating.tuning.held_out_matches IS 'Matches held out.';
COMMENT ON COLUMN skillrating.tuning.held_out_log_loss_before IS 'Their mean log loss at the start.';
COMMENT ON COLUMN skillrating.tuning.held_out_log_loss IS 'Their mean log loss at the end.';
COMMENT ON COLUMN skillrating.tuning.held_out_gain IS 'Mean difference of the two, positive where the fit is better; null below 20 matches.';
COMMENT ON COLUMN skillrating.tuning.held_out_gain_error IS 'Its standard error, by blocks of time; null below 20 matches.';
COMMENT ON COLUMN skillrating.tuning.evaluations IS 'How often the history, or the first part of it, was rated.';
COMMENT ON COLUMN skillrating.tuning.starts IS 'Searches from different starts, for the choices that were found.';
COMMENT ON COLUMN skillrating.tuning.starts_agreeing IS 'How many ended at the same likelihood, within one nat; few mean luck.';
COMMENT ON COLUMN skillrating.tuning.converged IS 'Whether the search converged, false where the start was kept.';
COMMENT ON COLUMN skillrating.tuning.stopped IS 'Why it ended.';
COMMENT ON COLUMN skillrating.tuning.warnings IS 'Reasons not to trust the result, which are raised as warnings too.';
COMMENT ON COLUMN skillrating.tuning.unrated IS 'Matches that do not count and are left out.';
COMMENT ON COLUMN skillrating.tuning.unrated_reasons IS 'How many, by the codes of reasons().';

SELECT skillrating_internal.make_aggregate('tune',
    'model text, match_id anycompatible, player_id anyelement, team integer, rank float8',
    'skillrating.tuning');

COMMENT ON AGGREGATE skillrating.tune(text, anycompatible, anyelement, integer, float8) IS
'The parameters of a model that predict a history best:
SELECT (t).* FROM (SELECT skillrating.tune(''elo'', match_id, player_id, team, rank
ORDER BY played_at, match_id) AS t FROM ...) AS q
tune() maximises the likelihood of who won, each match predicted from those before it, times weak
priors of the numbers, which keep few matches from driving them to the ends of their range; the log
losses are without these.  The first tenth of the matches only sets the ratings (burn-in); the last
fifth is held out and scored at the end.
Each number is searched where it is worthwhile, on a log scale: as a rule from a hundredth of its
default to a hundred times that, and at 0 if it may be 0.  Starts all over that range are screened
on the first matches, and the best searched from by quadratic models in trust regions (after
Powell, The BOBYQA algorithm for bound constrained optimization without derivatives, 2009).
Of choices and flags all combinations, at most 64, are screened, and the best three searched.
Where a model has a scale of its own only ratios are determined: keep one such parameter fixed.
match_id, player_id, team, rank: as in final_ratings().
A draw of two teams counts as half a win of each; of more teams, the one in first place counts.
Deterministic.  Memory: 8 bytes a participant, 8 for each column that is not null, 40 a match.
Each evaluation rates the history once.
Raises a warning where the result should not be trusted.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, for unknown models,
parameters and options, and without matches to fit to; and those of rate().';

SELECT skillrating_internal.make_aggregate('tune',
    'model text, match_id anycompatible, player_id anyelement, team integer, rank float8, '
    'inputs skillrating.inputs, options jsonb',
    'skillrating.tuning');

COMMENT ON AGGREGATE skillrating.tune(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with five arguments, with inputs, as in final_ratings(), and options; null is nothing.
options: an object, the same in all rows of a group, of
fit: an array of 1 to 16 numbers, choices or flags among the parameters of the model (see
parameters()), or log_odds, what side 1 is worth in matches that have sides and no log_odds of
their own.  Null: the usual ones of the model.
params: an object of parameters; the search starts there, and what is not fitted keeps its value.
bounds: an object of pairs such as {"k": [4, 64]}.  The scale is linear where the lower bound is
below 0.
parts: the parts to try, an array of names (see models()), true for all for which the matches
have what they need, or false.  A part is taken if its gain on later blocks of the matches that are
fitted, in the order of time, is more than one standard error and than one nat in all; the best one
first, the others again beside it.  Another view of the same, such as another strength of a team, is
a choice between equals: it comes before these, and half a nat in all is enough.
priors: false for the likelihood alone (true).  A prior is normal around the start, on the scale of
the search, and four deviations from the farther end of the range.
starts: searches for each result, 1 to 16 (4).
burn_in, holdout: shares of the matches, 0 to 0.9 (0.1 and 0.2).
max_evaluations: 1 or more (by default 500 for one number or two, more for others and for parts).
tolerance: of the variables, relative on a log scale (1e-4).
strict_rows: whether a mistake in a match is an error (false).';

-- The model that predicts a history best.

CREATE TYPE skillrating.model_suggestion AS (
    model text,
    params jsonb,
    log_odds float8,
    parts text[],
    matches bigint,
    held_out_matches bigint,
    held_out_log_loss_before float8,
    held_out_log_loss float8,
    held_out_accuracy float8,
    difference float8,
    difference_error float8,
    verdict text,
    warnings text[]);

COMMENT ON TYPE skillrating.model_suggestion IS
'A model as suggest_model() found it. All but model and verdict are null for a model that cannot rate
these matches, or none of those that no search saw.';
COMMENT ON COLUMN skillrating.model_suggestion.parts IS 'The parts that were taken.';
COMMENT ON COLUMN skillrating.model_suggestion.held_out_matches IS 'Matches that no search saw and that all these models have forecast.';
COMMENT ON COLUMN skillrating.model_suggestion.held_out_log_loss_before IS 'Their mean log loss at the defaults, in nats.';
COMMENT ON COLUMN skillrating.model_suggestion.held_out_log_loss IS 'Their mean log loss as fitted.';
COMMENT ON COLUMN skillrating.model_suggestion.held_out_accuracy IS 'How often the favourite won; a draw counts half.';
COMMENT ON COLUMN skillrating.model_suggestion.difference IS 'By how much the log loss is above the best model''s.';
COMMENT ON COLUMN skillrating.model_suggestion.difference_error IS 'Its standard error, by blocks of time; null for fewer than 20 matches.';
COMMENT ON COLUMN skillrating.model_suggestion.verdict IS 'A phrase, which says where a study was cut short.';
COMMENT ON COLUMN skillrating.model_suggestion.warnings IS 'As in tuning, not raised.';

SELECT skillrating_internal.make_aggregate('suggest_model',
    'match_id anycompatible, player_id anyelement, team integer, rank float8',
    'skillrating.model_suggestion[]');

COMMENT ON AGGREGATE skillrating.suggest_model(anycompatible, anyelement, integer, float8) IS
'The model that predicts a history best, of all that can rate it, the best first:
SELECT s.* FROM (SELECT skillrating.suggest_model(match_id, player_id, team, rank
ORDER BY played_at, match_id) AS found FROM ...) AS q, unnest(found) AS s
Each model is fitted as tune() does it, with its usual parameters and all parts for which the
matches have what they need, to all but the last fifth of the matches, which judges them.
match_id, player_id, team, rank: as in final_ratings().
Deterministic.  Memory: as tune(), and 24 bytes a match for each model.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, for unknown models and options,
and without matches to fit to or to judge by.';

SELECT skillrating_internal.make_aggregate('suggest_model',
    'match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb',
    'skillrating.model_suggestion[]');

COMMENT ON AGGREGATE skillrating.suggest_model(anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with four arguments, with inputs, as in final_ratings(), and options; null is nothing.
options: an object, the same in all rows of a group, of
budget: evaluations of all models together, 1 or more (10000).
models: names of the models to try (all).
parts, priors: as in tune() (true).
starts, burn_in, holdout, tolerance, strict_rows: as in tune() (3, 0.1, 0.2, 1e-3, false).';
