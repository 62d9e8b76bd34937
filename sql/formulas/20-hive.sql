-- The Hive model over the players of one match.

CREATE FUNCTION skillrating.hive_weight(
    joined float8,
    left_at float8,
    median_round float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_hive_weight'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.hive_weight(float8, float8, float8) IS
'Weight of a stint: a^-joined - a^-left_at with a = 2^(2 / median_round).  The first half of a median
round weighs 0.5, the second 0.25, and everything after it 0.25.  Weights of several stints add up.
joined, left_at: seconds from the start of the match, 0 <= joined <= left_at.
median_round: median length of a match in seconds, above 0.
Error 22003 for numbers out of range.';

CREATE TYPE skillrating.hive_state AS (
    skill float8,
    skill_squares float8,
    side_offset float8,
    command_skill float8,
    command_squares float8);

COMMENT ON TYPE skillrating.hive_state IS
'State of a player under the Hive model, made by the function hive_state().';
COMMENT ON COLUMN skillrating.hive_state.skill IS 'Mean of the skills on both sides, in log-odds.';
COMMENT ON COLUMN skillrating.hive_state.skill_squares IS 'Sum of the squared gradients of skill, 0 or more.';
COMMENT ON COLUMN skillrating.hive_state.side_offset IS 'Added to skill on side 1 and subtracted on side 2, in log-odds.';
COMMENT ON COLUMN skillrating.hive_state.command_skill IS 'Skill as a commander, in log-odds.';
COMMENT ON COLUMN skillrating.hive_state.command_squares IS 'Sum of the squared gradients of command_skill, 0 or more.';

CREATE FUNCTION skillrating.hive_state(
    skill float8 DEFAULT 4,
    skill_squares float8 DEFAULT 0,
    side_offset float8 DEFAULT 0,
    command_skill float8 DEFAULT 4,
    command_squares float8 DEFAULT 0)
RETURNS skillrating.hive_state
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ROW(skill, skill_squares, side_offset, command_skill, command_squares)::skillrating.hive_state;

COMMENT ON FUNCTION skillrating.hive_state(float8, float8, float8, float8, float8) IS
'The state of a player for hive_win_probability() and hive_update(), best given by name:
skillrating.hive_state(skill => 5.2, side_offset => 0.1).
What is left out has the value of a new player under the default parameters.  Units and ranges are
those of the type hive_state; the aggregates check them.';

CREATE TYPE skillrating.hive_rating AS (
    player_id text,
    skill float8,
    skill_squares float8,
    side_offset float8,
    command_skill float8,
    command_squares float8,
    gradient float8,
    win_probability float8);

COMMENT ON TYPE skillrating.hive_rating IS
'Result of hive_update() for a player after a match, with the new state.';
COMMENT ON COLUMN skillrating.hive_rating.player_id IS 'The identifier as text.';
COMMENT ON COLUMN skillrating.hive_rating.gradient IS 'Derivative of the log likelihood by skill.';
COMMENT ON COLUMN skillrating.hive_rating.win_probability IS 'Predicted for the side of the player, 0 to 1; a draw counts half.';
