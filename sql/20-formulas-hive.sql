-- The Hive model over the players of one match.

CREATE FUNCTION skillrating.hive_weight(
    joined float8,
    "left" float8,
    median_round float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_hive_weight'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.hive_weight(float8, float8, float8) IS
'Weight of a stint from joined to left, in seconds from the start of the match: a^-joined - a^-left with a = 2^(2 / median_round), so that the first half of a median round weighs 0.5, the second 0.25 and all that follows 0.25. Weights of several stints add up. Error 22003 unless 0 <= joined <= left, all finite, and median_round > 0.';

CREATE FUNCTION skillrating_internal.hive_win_probability_transition(
    float8[], int, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_transition(float8[], int, float8, float8) IS
'Transition function of hive_win_probability(): state {weight, signed skill, side offset, command weight, signed command skill, rows, log-odds}.';

CREATE FUNCTION skillrating_internal.hive_win_probability_transition(
    float8[], int, float8, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_transition(float8[], int, float8, float8, float8) IS
'Transition function of hive_win_probability(): state {weight, signed skill, side offset, command weight, signed command skill, rows, log-odds}.';

CREATE FUNCTION skillrating_internal.hive_win_probability_transition(
    float8[], int, float8, float8, float8, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_transition(float8[], int, float8, float8, float8, float8, float8) IS
'Transition function of hive_win_probability(): state {weight, signed skill, side offset, command weight, signed command skill, rows, log-odds}.';

CREATE FUNCTION skillrating_internal.hive_win_probability_transition(
    float8[], int, float8, float8, float8, float8, float8, float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_transition(float8[], int, float8, float8, float8, float8, float8, float8) IS
'Transition function of hive_win_probability(): state {weight, signed skill, side offset, command weight, signed command skill, rows, log-odds}.';

CREATE FUNCTION skillrating_internal.hive_win_probability_combine(float8[], float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_combine'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_combine(float8[], float8[]) IS
'Merges two states of hive_win_probability().';

CREATE FUNCTION skillrating_internal.hive_win_probability_final(float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_hive_win_probability_final'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_win_probability_final(float8[]) IS
'The probability of a state of hive_win_probability(), or null if nobody played.';

CREATE AGGREGATE skillrating.hive_win_probability(
    side int, skill float8, weight float8) (
    SFUNC = skillrating_internal.hive_win_probability_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    FINALFUNC = skillrating_internal.hive_win_probability_final,
    COMBINEFUNC = skillrating_internal.hive_win_probability_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_win_probability(int, float8, float8) IS
'Probability that side 1 wins, from the players of a match, one row for each stint or for each player: side is 1 or 2, skill in log-odds, weight the play time (a share, or hive_weight()). The log-odds are the difference of the weighted skills over the total weight. Rows with a null are no players; null if nobody played. Errors: 22023 for another side, 22003 for a number that is not finite or a negative weight. Source: A Skill Ranking System for Natural Selection 2.';

CREATE AGGREGATE skillrating.hive_win_probability(
    side int, skill float8, weight float8, side_offset float8) (
    SFUNC = skillrating_internal.hive_win_probability_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    FINALFUNC = skillrating_internal.hive_win_probability_final,
    COMBINEFUNC = skillrating_internal.hive_win_probability_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_win_probability(int, float8, float8, float8) IS
'As the form with three arguments, with a side offset that adds to skill on side 1 and subtracts on side 2.';

CREATE AGGREGATE skillrating.hive_win_probability(
    side int, skill float8, weight float8, side_offset float8, command_skill float8, command_weight float8) (
    SFUNC = skillrating_internal.hive_win_probability_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    FINALFUNC = skillrating_internal.hive_win_probability_final,
    COMBINEFUNC = skillrating_internal.hive_win_probability_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_win_probability(int, float8, float8, float8, float8, float8) IS
'As the form with four arguments, with commanders: the difference of the commander skills, weighted by command_weight (commanding time, not part of weight), over its total; no term if nobody commanded. A null is zero.';

CREATE AGGREGATE skillrating.hive_win_probability(
    side int, skill float8, weight float8, side_offset float8, command_skill float8, command_weight float8, log_odds float8) (
    SFUNC = skillrating_internal.hive_win_probability_transition,
    STYPE = float8[],
    INITCOND = '{0,0,0,0,0,0,0}',
    FINALFUNC = skillrating_internal.hive_win_probability_final,
    COMBINEFUNC = skillrating_internal.hive_win_probability_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_win_probability(int, float8, float8, float8, float8, float8, float8) IS
'As the form with six arguments, with the log-odds of the context (map, size) in favour of side 1, the same in all rows; error 22023 if they vary.';

CREATE TYPE skillrating.hive_rating AS (
    player text,
    skill float8,
    skill_squares float8,
    side_offset float8,
    command_skill float8,
    command_squares float8,
    gradient float8,
    win_probability float8
);

COMMENT ON TYPE skillrating.hive_rating IS
'A player after a match under the Hive model: the identifier as text, the new state (columns as in models()), the gradient of the log likelihood with respect to skill, and the probability to win that was predicted for the player''s side.';

CREATE FUNCTION skillrating_internal.hive_update_transition(
    internal, anyelement, int, float8, float8, float8, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_hive_update_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, int, float8, float8, float8, float8) IS
'Transition function of hive_update().';

CREATE FUNCTION skillrating_internal.hive_update_final(internal)
RETURNS skillrating.hive_rating[]
AS 'MODULE_PATHNAME', 'skillrating_hive_update_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_final(internal) IS
'Final function of hive_update().';

CREATE AGGREGATE skillrating.hive_update(
    player anyelement,
    side int,
    score float8,
    skill float8,
    skill_squares float8,
    weight float8) (
    SFUNC = skillrating_internal.hive_update_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.hive_update_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_update(anyelement, int, float8, float8, float8, float8) IS
'The players of a match after it, one element a player, in the order in which players first occur (ORDER BY within the call sets it): rows as for hive_win_probability(), with the player''s identifier, what its side scored (1 won, 0.5 drew, 0 lost, the same in all rows of a side) and the state before. A player with several stints has several rows with the same state. Null if there are fewer than two sides or one without play time. Errors: 22004 for a null, 22023 for rows that contradict each other, 22003 for numbers out of range, 54000 for more than 10000 stints of play and command.';

CREATE FUNCTION skillrating_internal.hive_update_transition(
    internal, anyelement, int, float8, float8, float8, float8, float8, float8, float8, float8, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_hive_update_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, int, float8, float8, float8, float8, float8, float8, float8, float8, float8) IS
'Transition function of hive_update().';

CREATE AGGREGATE skillrating.hive_update(
    player anyelement,
    side int,
    score float8,
    skill float8,
    skill_squares float8,
    weight float8,
    side_offset float8,
    command_skill float8,
    command_squares float8,
    command_weight float8,
    log_odds float8) (
    SFUNC = skillrating_internal.hive_update_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.hive_update_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_update(anyelement, int, float8, float8, float8, float8, float8, float8, float8, float8, float8) IS
'As the form with six arguments, with side offsets, commanders and the log-odds of the context; here a null is zero.';

CREATE FUNCTION skillrating_internal.hive_update_transition(
    internal, anyelement, int, float8, float8, float8, float8, float8, float8, float8, float8, float8, jsonb)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_hive_update_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.hive_update_transition(internal, anyelement, int, float8, float8, float8, float8, float8, float8, float8, float8, float8, jsonb) IS
'Transition function of hive_update().';

CREATE AGGREGATE skillrating.hive_update(
    player anyelement,
    side int,
    score float8,
    skill float8,
    skill_squares float8,
    weight float8,
    side_offset float8,
    command_skill float8,
    command_squares float8,
    command_weight float8,
    log_odds float8,
    params jsonb) (
    SFUNC = skillrating_internal.hive_update_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.hive_update_final,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.hive_update(anyelement, int, float8, float8, float8, float8, float8, float8, float8, float8, float8, jsonb) IS
'As the form with eleven arguments, with the parameters of the model (see model_parameters(''hive'')), which are read from the first row.';
