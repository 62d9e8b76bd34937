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
'A parameter fitted by tune(), in its own unit.
name: the parameter.  start: where the search began.  value: the best value.
standard_error: from the curvature of what is searched, which is the likelihood, and the priors
unless they are switched off.  low, high: ends of the 95 % interval.  The interval is symmetric on
the scale of the search.  All three are null at a bound, and where the matches tell less than the
priors, or without these next to nothing.
at_bound: whether the search ended at a bound.
choice_start, choice: the same as start and value of a choice or flag, for which all the others are
null.';

CREATE TYPE skillrating.tuned_part AS (
    name text,
    taken boolean,
    gain float8,
    standard_error float8,
    matches bigint);

COMMENT ON TYPE skillrating.tuned_part IS
'A part of a model that tune() tried.
name: the part, see models(), or log_odds.  taken: whether it is on in the result.
gain: by how much it lowered the log loss of later matches, when last judged; null if it was not.
standard_error: of the gain, by blocks of time.  matches: those it was judged on.';

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
'Result of tune().
model: the model.  params: all its parameters, ready for rate(), create_ladder() or shadow_ladder().
log_odds: what a side is worth, in favour of side 1: to be given as log_odds of matches with sides.
fitted: the parameters that were searched, those of parts that were taken too.
parts: the parts that were tried.
matches: matches that the search scored.
log_loss_before, log_loss: their mean log loss, one step ahead, in nats, at the start and the end.
held_out_matches, held_out_log_loss_before, held_out_log_loss: the same for the matches held out,
which the search never saw; null without any.
held_out_gain, held_out_gain_error: the mean difference of the two, match by match, positive where
the fit is better, and its standard error by blocks of time; null for fewer than 20 matches.
evaluations: how often the history, or the first part of it, was rated.
starts: searches from different starts, for the choices that were found.
starts_agreeing: how many of them ended at the same likelihood, within one nat: the fewer, the more
the result is a matter of luck.
converged: whether the search converged, false where the start was kept.  stopped: why it ended.
warnings: reasons not to trust the result, which are raised as warnings too.
unrated: matches that do not count and are left out.  unrated_reasons: how many, by the codes of
reasons().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, anycompatible, anyelement, integer, float8) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_final(internal)
RETURNS skillrating.tuning
AS 'MODULE_PATHNAME', 'skillrating_tune_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_final(internal) IS
'Final function of tune().';

CREATE AGGREGATE skillrating.tune(model text, match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

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

CREATE AGGREGATE skillrating.tune(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

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
'A model as suggest_model() found it.
model: the model.  params: all its parameters, ready for rate(), create_ladder() or shadow_ladder().
log_odds: what a side is worth, in favour of side 1.  parts: those that were taken.
matches: matches that the search scored.
held_out_matches: matches that no search saw and that all these models have forecast.
held_out_log_loss_before, held_out_log_loss: their mean log loss, at the defaults and as fitted.
held_out_accuracy: how often the favourite won; a draw counts half.
difference, difference_error: by how much the log loss is above the best model''s, match by match,
with its standard error by blocks of time; the error is null for fewer than 20 matches.
verdict: a phrase, which says where a study was cut short.  warnings: as in tuning, not raised.
All but model and verdict are null for a model that cannot rate these matches, or none of those that
no search saw.';

CREATE FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8) IS
'Transition function of suggest_model().';

CREATE FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_transition(internal, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of suggest_model().';

CREATE FUNCTION skillrating_internal.suggest_model_final(internal)
RETURNS skillrating.model_suggestion[]
AS 'MODULE_PATHNAME', 'skillrating_suggest_model_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.suggest_model_final(internal) IS
'Final function of suggest_model().';

CREATE AGGREGATE skillrating.suggest_model(match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.suggest_model_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.suggest_model_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

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

CREATE AGGREGATE skillrating.suggest_model(match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb) (
    SFUNC = skillrating_internal.suggest_model_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.suggest_model_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.suggest_model(anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with four arguments, with inputs, as in final_ratings(), and options; null is nothing.
options: an object, the same in all rows of a group, of
budget: evaluations of all models together, 1 or more (10000).
models: names of the models to try (all).
parts, priors: as in tune() (true).
starts, burn_in, holdout, tolerance, strict_rows: as in tune() (3, 0.1, 0.2, 1e-3, false).';
