-- Ratings that all matches together imply.

CREATE FUNCTION skillrating.solvers(
    OUT name text,
    OUT summary text,
    OUT source text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_solvers'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 4;

COMMENT ON FUNCTION skillrating.solvers() IS
'The solvers of solve(), one a row: name, a summary, and the paper or document that it comes from.';

CREATE FUNCTION skillrating.solver_parameters(
    solver text,
    OUT name text,
    OUT type text,
    OUT default_value jsonb,
    OUT min float8,
    OUT max float8,
    OUT choices text[],
    OUT unit text,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_solver_parameters'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 12;

COMMENT ON FUNCTION skillrating.solver_parameters(text) IS
'The parameters of a solver, or of frag_scores() by that name, one a row, as model_parameters() has those of a model. Error 22023 for an unknown solver.';

CREATE TYPE skillrating.estimate AS (
    player text,
    at timestamptz,
    skill float8,
    standard_error float8,
    side_offset float8,
    command_skill float8,
    games bigint,
    component integer);

COMMENT ON TYPE skillrating.estimate IS
'What solve() found of a player: the identifier as text; the day, for solvers with a skill for each, or the time of the match (through_time; the last row of several at one time); the skill in log-odds (null where there is no maximum, as for somebody who always loses, without a prior), or in the units of initial_mu (through_time); its standard error; what playing the first side adds, and the skill as commander, where the solver has them; matches that counted; and the component: skills of players who are not connected by matches, directly or by others, are not comparable (1 is the largest).';

CREATE TYPE skillrating.context_estimate AS (
    context text,
    log_odds float8,
    standard_error float8);

COMMENT ON TYPE skillrating.context_estimate IS
'What a context is worth to the first side, in log-odds, as solve() found it together with the skills.';

CREATE TYPE skillrating.solve_summary AS (
    solver text,
    matches bigint,
    players bigint,
    unknowns bigint,
    rows bigint,
    components integer,
    converged boolean,
    status text,
    iterations integer,
    products bigint,
    log_posterior float8,
    gradient float8,
    draw float8,
    memory bigint,
    contexts skillrating.context_estimate[]);

COMMENT ON TYPE skillrating.solve_summary IS
'How solve() went: the solver; matches, players, unknowns (through_time: appearances), rows of the likelihood (comparisons and virtual games) and components; whether it converged, and in words (converged, max_iterations reached, there is no maximum); iterations (through_time: passes forward and backward) and multiplications with the matrix of second derivatives; the logarithm of the posterior at the end, without constants, and its largest derivative (through_time: the log likelihood of the results, each predicted from those before it in the first pass, as tune() scores them, and the largest change of the last two passes in deviations); Davidson''s parameter of draws, if there is one; bytes of the problem; and what contexts are worth.';

CREATE FUNCTION skillrating_internal.solve_hint(status text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE status WHEN 'there is no maximum' THEN 'A prior gives everybody a skill, see skillrating.solver_parameters().'
    ELSE 'Raise parameter "max_iterations".' END;

COMMENT ON FUNCTION skillrating_internal.solve_hint(text) IS
'What can be done about the status of a summary that has not converged.';

CREATE FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8) IS
'Transition function of solve() and solve_summary().';

CREATE FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, jsonb) IS
'Transition function of solve() and solve_summary().';

CREATE FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_transition(internal, text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'Transition function of solve() and solve_summary().';

CREATE FUNCTION skillrating_internal.solve_final(internal)
RETURNS skillrating.estimate[]
AS 'MODULE_PATHNAME', 'skillrating_solve_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_final(internal) IS
'Final function of solve().';

CREATE FUNCTION skillrating_internal.solve_summary_final(internal)
RETURNS skillrating.solve_summary
AS 'MODULE_PATHNAME', 'skillrating_solve_summary_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_summary_final(internal) IS
'Final function of solve_summary().';

CREATE AGGREGATE skillrating.solve(solver text, match anycompatible, player anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve(text, anycompatible, anyelement, integer, float8) IS
'The skills that make all results together most probable: e.* FROM (SELECT skillrating.solve(''bradley_terry'', match_id, player_id, team, rank) AS estimates FROM ...) AS q, unnest(q.estimates) AS e. solver is one of solvers(): bradley_terry, hive, whole_history or through_time, whose order of matches is that of ORDER BY. A row is a participant (or a stint of one) of a match; they may come in any order, and without ORDER BY are sorted by match (in work_mem, or on disk); where they come in the order of an index, ORDER BY match_id says so and is cheaper; through_time needs that of time, ORDER BY played_at, match_id; rank is that of the team. Skills are in log-odds (times 400 / ln 10 = 173.7 they are Elo points). Players stand in the order in which they first occur, matches in their order and the rows of a match by team and player, each with its days in order; under through_time it is the matches that stand in their order. The maximum is found to the last digits by Newton''s method with conjugate gradients; solve_summary() over the same arguments says how, and is free beside it. GROUP BY solves each group. Memory: 8 bytes a participant and 8 for each column that is not null, then 4 to 12 a participant, 60 a match and 112 a player, limited by parameter memory. Null without rows. Errors: 22023 for an ORDER BY without the match, and for unknown solvers and parameters, 54000 beyond the memory allowed, 22004 without times where they are needed; and as rate().';

CREATE AGGREGATE skillrating.solve(solver text, match anycompatible, player anyelement, team integer, rank float8, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve(text, anycompatible, anyelement, integer, float8, jsonb) IS
'As the form with five arguments, with the parameters of the solver (see solver_parameters()) that differ from their defaults, and exact_for, an array of players whose standard errors are to be exact; those of the first row hold.';

CREATE AGGREGATE skillrating.solve(solver text, match anycompatible, player anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'As the form with six arguments, with all else that is known of a participant, made by inputs(): times, scores, stints, sides, contexts and so on.';

CREATE AGGREGATE skillrating.solve_summary(solver text, match anycompatible, player anyelement, team integer, rank float8) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_summary_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_summary(text, anycompatible, anyelement, integer, float8) IS
'How solve() with the same arguments goes: whether it converged, and what it took.';

CREATE AGGREGATE skillrating.solve_summary(solver text, match anycompatible, player anyelement, team integer, rank float8, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_summary_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_summary(text, anycompatible, anyelement, integer, float8, jsonb) IS
'The same with parameters.';

CREATE AGGREGATE skillrating.solve_summary(solver text, match anycompatible, player anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.solve_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_summary_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.solve_summary(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'The same with parameters and all else that is known of a participant.';
