-- Elo for two players.

CREATE FUNCTION skillrating.elo_win_probability(
    rating_a float8,
    rating_b float8,
    scale float8 DEFAULT 400)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_elo_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_win_probability(float8, float8, float8) IS
'Expected score of player a against player b, between 0 and 1, by Elo''s logistic curve: 1 / (1 + 10^((rating_b - rating_a) / scale)). Ratings and scale are in points. Error 22003 unless the ratings are finite and the scale is positive.';

CREATE FUNCTION skillrating.elo_normal_win_probability(
    rating_a float8,
    rating_b float8,
    deviation float8 DEFAULT 200)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_elo_normal_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.elo_normal_win_probability(float8, float8, float8) IS
'Expected score of player a against player b, between 0 and 1, when each performs with a normal distribution of the given standard deviation around the rating: Phi((rating_a - rating_b) / (sqrt(2) * deviation)), Elo''s original form. Error 22003 unless the ratings are finite and the deviation is positive.';

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
'Both ratings after a game in which player a scored score_a (1 won, 0.5 drew, 0 lost): a gains and b loses k * (score_a - elo_win_probability(rating_a, rating_b, scale)). Error 22003 unless the ratings are finite, the score lies between 0 and 1, k is not negative and the scale is positive.';
