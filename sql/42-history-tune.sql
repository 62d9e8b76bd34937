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
'A parameter as tune() fitted it: where the search started, the value found, its standard error and the ends of its 95 % interval from the curvature of the likelihood (those of the logarithm where the bounds are positive; null at a bound and where the likelihood does not curve), and whether it ended at a bound.';

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
    stopped text);

COMMENT ON TYPE skillrating.tuning IS
'What tune() found: the model; all its parameters, ready for rate(), create_ladder() or rerate(); those that were fitted; how many matches they were fitted to, and their mean log loss, one step ahead, before and after; the same of the matches that were held out, which the search never saw (null without any); how often the history was rated; whether the search converged, and why it stopped.';

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

CREATE FUNCTION skillrating_internal.tune_final(internal)
RETURNS skillrating.tuning
AS 'MODULE_PATHNAME', 'skillrating_tune_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.tune_final(internal) IS
'Final function of tune().';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match anycompatible, player anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8) IS
'The parameters of a model that predict a history best: (t).* FROM (SELECT skillrating.tune(''elo'', ARRAY[''k''], match_id, player_id, team, rank ORDER BY played_at, match_id) AS t FROM ...) AS q. Maximises the likelihood of who won, each match predicted from those before it: the first tenth of the matches only sets the ratings (burn-in), the last fifth in the order is held out and scored afterwards. fit: 1 to 8 parameters that are numbers (see model_parameters()), searched from their defaults between a hundredth and a hundred times that, on a log scale, by BOBYQA of the library NLopt (Powell, The BOBYQA algorithm for bound constrained optimization without derivatives, 2009). Only ratios are determined where a model has a scale of its own: leave one such parameter fixed. Deterministic. A draw of two counts as half a win of each; of more than two teams it counts who came first. Memory: 8 bytes a participant, 8 for each column that is not null, 40 a match; each evaluation rates the history once. Null without rows. Errors: 22023 without the match in ORDER BY, for unknown models, parameters and options, and without matches to fit to; and as rate().';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match anycompatible, player anyelement, team integer, rank float8, options jsonb) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with six arguments, with options: params, an object of parameters that differ from their defaults (the search starts there, and what is not fitted stays); bounds, an object of pairs such as {"k": [4, 64]} (needed where the start is 0 or less; a linear scale where the lower one is not above 0); burn_in and holdout, shares of the matches (0.1 and 0.2); max_evaluations (500); tolerance of the variables, relative on a log scale (1e-4); progress, the level of a message for each evaluation: debug2, debug1 (default), log, info or notice. Those of the first row hold.';

CREATE AGGREGATE skillrating.tune(model text, fit text[], match anycompatible, player anyelement, team integer, rank float8, inputs skillrating.inputs, options jsonb) (
    SFUNC = skillrating_internal.tune_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.tune_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.tune(text, text[], anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with seven arguments, with all else that is known of a participant, made by inputs(): times, scores, stints, sides and so on.';
