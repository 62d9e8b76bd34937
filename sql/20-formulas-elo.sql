-- Elo for two players.

CREATE FUNCTION skillrating.elo_win_probability(
    rating_a float8,
    rating_b float8,
    scale float8 DEFAULT 400)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_elo_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_win_probability(float8, float8, float8) IS
'Expected score of player a against player b, 0 to 1, by Elo''s logistic curve:
1 / (1 + 10^((rating_b - rating_a) / scale)).
rating_a, rating_b: in points, finite.
scale: lead in points at which the odds are 10 to 1, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.elo_normal_win_probability(
    rating_a float8,
    rating_b float8,
    beta float8 DEFAULT 200)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_elo_normal_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_normal_win_probability(float8, float8, float8) IS
'Expected score of player a against player b, 0 to 1, in Elo''s original form: each player performs
with a normal distribution around the rating, so that it is
Phi((rating_a - rating_b) / (sqrt(2) * beta)).
rating_a, rating_b: in points, finite.
beta: standard deviation of one performance in points, above 0.
Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.elo_update(
    rating_a float8,
    rating_b float8,
    score_a float8,
    k float8 DEFAULT 32,
    scale float8 DEFAULT 400,
    OUT new_rating_a float8,
    OUT new_rating_b float8)
AS 'MODULE_PATHNAME', 'skillrating_elo_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_update(float8, float8, float8, float8, float8) IS
'Both ratings after a game: a gains and b loses
k * (score_a - elo_win_probability(rating_a, rating_b, scale)).
rating_a, rating_b: in points, finite.
score_a: 1 won, 0.5 drew, 0 lost; anything from 0 to 1.
k: the most that a game can move a rating, in points, 0 or more.
scale: lead in points at which the odds are 10 to 1, above 0.
Error 22003 for numbers out of range.';
