-- The Hive model over the players of one match.

SELECT skillrating_internal.make_function('skillrating.hive_weight', '
    joined float8,
    left_at float8,
    median_round float8',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'Weight of a stint: a^-joined - a^-left_at with a = 2^(2 / median_round).  The first half of a median
round weighs 0.5, the second 0.25, and everything after it 0.25.  Weights of several stints add up.
joined, left_at: seconds from the start of the match, 0 <= joined <= left_at.
median_round: median length of a match in seconds, above 0.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_type('hive_state',
'State of a player under the Hive model, made by the function hive_state().', '
skill float8: Mean of the skills on both sides, in log-odds.
skill_squares float8: Sum of the squared gradients of skill, 0 or more.
side_offset float8: Added to skill on side 1 and subtracted on side 2, in log-odds.
command_skill float8: Skill as a commander, in log-odds.
command_squares float8: Sum of the squared gradients of command_skill, 0 or more.');

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

SELECT skillrating_internal.make_type('hive_rating',
'Result of hive_update() for a player after a match, with the new state.', '
player_id text: The identifier as text.
skill float8
skill_squares float8
side_offset float8
command_skill float8
command_squares float8
gradient float8: Derivative of the log likelihood by skill.
win_probability float8: Predicted for the side of the player, 0 to 1; a draw counts half.');

