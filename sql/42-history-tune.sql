-- Parameters that predict a history best.

CREATE TYPE skillrating.tuned_parameter AS (
    name text,
    start float8,
    value float8,
    standard_error float8,
    low float8,
    high float8,
    at_bound boolean);

COMMENT ON TYPE skillrating.tuned_parameter IS
'A parameter fitted by tune(), in its own unit.
name: the parameter.  start: where the search began.  value: the best value.
standard_error: from the curvature of the likelihood.  low, high: ends of the 95 % interval.
The standard error is that of the logarithm where the bounds are positive.  All three are null at
a bound and where the likelihood has no curvature.
at_bound: whether the search ended at a bound.';

CREATE TYPE skillrating.tuning AS (
    model text,
    params jsonb,
    fitted skillrating.tuned_parameter[],
    matches bigint,
    log_loss_before float8,
    log_loss float8,
    held_out_matches bigint,
    held_out_log_loss_before float8,
    held_out_log_loss float8,
    evaluations bigint,
    converged boolean,
    stopped text,
    unrated bigint,
    unrated_reasons jsonb);

COMMENT ON TYPE skillrating.tuning IS
'Result of tune().
model: the model.  params: all its parameters, ready for rate(), create_ladder() or rerate().
fitted: the parameters that were searched.
matches: matches that the search scored.
log_loss_before, log_loss: their mean log loss, one step ahead, in nats, at the start and the end.
held_out_matches, held_out_log_loss_before, held_out_log_loss: the same for the matches held out,
which the search never saw; null without any.
evaluations: how often the history was rated.
converged: whether the search converged.  stopped: why it ended.
unrated: matches that do not count and are left out.  unrated_reasons: how many, by the codes of
unrated_reasons().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, jsonb) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_tune_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_transition(internal, text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'Transition function of tune().';

CREATE FUNCTION skillrating_internal.tune_final(internal)
RETURNS skillrating.tuning
AS 'MODULE_PATHNAME', 'skillrating_tune_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_final(internal) IS
'Final function of tune().';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8) IS
'The parameters of a model that predict a history best:
SELECT (t).* FROM (SELECT skillrating.tune(''elo'', ARRAY[''k''], match_id, player_id, team, rank
ORDER BY played_at, match_id) AS t FROM ...) AS q
tune() maximises the likelihood of who won, each match predicted from those before it.  The first
tenth of the matches only sets the ratings (burn-in); the last fifth is held out and scored at
the end.
fit: 1 to 8 numeric parameters of the model (see model_parameters()).  The search starts at their
defaults and covers a hundredth to a hundred times that, on a log scale, by quadratic models in
trust regions (after Powell, The BOBYQA algorithm for bound constrained optimization without
derivatives, 2009).
Where a model has a scale of its own only ratios are determined: keep one such parameter fixed.
match_id, player_id, team, rank: as in final_ratings().
A draw of two teams counts as half a win of each; of more teams, the one in first place counts.
Deterministic.  Memory: 8 bytes a participant, 8 for each column that is not null, 40 a match.
Each evaluation rates the history once.
Null without rows.  Errors: 22023 unless ORDER BY includes match_id, for unknown models,
parameters and options, and without matches to fit to; and those of rate().';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8, options jsonb) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with six arguments, with options, an object read from the first row:
params: an object of parameters; the search starts there, and what is not fitted keeps its value.
bounds: an object of pairs such as {"k": [4, 64]}; required where the start is 0 or less.  The
scale is linear where the lower bound is 0 or less.
burn_in, holdout: shares of the matches, 0 to 1 (0.1 and 0.2).
max_evaluations: 1 or more (500).
tolerance: of the variables, relative on a log scale (1e-4).
progress: the level of a message for each evaluation: debug2, debug1 (the default), log, info or
notice.';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with seven arguments, with inputs, made by inputs(): times, scores, stints, sides and
other facts about a participant; null is nothing known.';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb, strict boolean) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with eight arguments, of which inputs and options may be null, with strict, read from
the first row: whether a mistake in a match is an error.';
