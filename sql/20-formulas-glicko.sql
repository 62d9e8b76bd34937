-- Glicko and Glicko-2 for one player and a rating period.

CREATE FUNCTION skillrating.glicko_win_probability(
    rating_a float8,
    deviation_a float8,
    rating_b float8,
    deviation_b float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko_win_probability(float8, float8, float8, float8) IS
'Expected score of player a against player b, between 0 and 1, with the uncertainty about both: Elo''s curve, flattened by g of the root of both squared deviations (Glickman, The Glicko system). Ratings and deviations are in points. Error 22003 unless ratings are finite and deviations finite and not negative.';

CREATE FUNCTION skillrating.glicko_update(
    rating float8,
    deviation float8,
    opponent_rating float8[],
    opponent_deviation float8[],
    score float8[],
    c float8 DEFAULT 0,
    OUT new_rating float8,
    OUT new_deviation float8)
AS 'MODULE_PATHNAME', 'skillrating_glicko_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko_update(float8, float8, float8[], float8[], float8[], float8) IS
'A player''s rating and deviation after a rating period under Glicko (Glickman, 1999), with one element of each array for every game: the opponent''s rating and deviation before the period, and the score (1 won, 0.5 drew, 0 lost). First the deviation grows to sqrt(deviation^2 + c^2), at most 350; empty arrays are a period without games. All in rating points. Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for arrays that do not fit.';

CREATE FUNCTION skillrating.glicko_idle_deviation(
    deviation float8,
    c float8,
    elapsed float8 DEFAULT 1,
    deviation_max float8 DEFAULT 350)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko_idle_deviation'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko_idle_deviation(float8, float8, float8, float8) IS
'The deviation after idle time under Glicko: sqrt(deviation^2 + c^2 * elapsed), which does not grow beyond deviation_max. Points; elapsed in rating periods, of which any fraction will do. Error 22003 for numbers out of range.';

CREATE FUNCTION skillrating.glicko2_win_probability(
    rating_a float8,
    deviation_a float8,
    rating_b float8,
    deviation_b float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko_win_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko2_win_probability(float8, float8, float8, float8) IS
'Expected score of player a against player b, between 0 and 1, with the uncertainty about both; the same as glicko_win_probability(), as both systems share their scale.';

CREATE FUNCTION skillrating.glicko2_update(
    rating float8,
    deviation float8,
    volatility float8,
    opponent_rating float8[],
    opponent_deviation float8[],
    score float8[],
    tau float8 DEFAULT 0.5,
    elapsed float8 DEFAULT 1,
    OUT new_rating float8,
    OUT new_deviation float8,
    OUT new_volatility float8)
AS 'MODULE_PATHNAME', 'skillrating_glicko2_update'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko2_update(float8, float8, float8, float8[], float8[], float8[], float8, float8) IS
'A player''s rating, deviation and volatility after a rating period under Glicko-2 (Glickman, 2013), with one element of each array for every game: the opponent''s rating and deviation before the period, and the score (1 won, 0.5 drew, 0 lost). The deviation grows by the new volatility over elapsed rating periods (a fraction for updates in between, 0 for none), and comes out at 350 at most; empty arrays are a period without games. Ratings and deviations in points; tau is how fast volatilities change. Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for arrays that do not fit.';

CREATE FUNCTION skillrating.glicko2_idle_deviation(
    deviation float8,
    volatility float8,
    elapsed float8 DEFAULT 1,
    deviation_max float8 DEFAULT 350)
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_glicko2_idle_deviation'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.glicko2_idle_deviation(float8, float8, float8, float8) IS
'The deviation after idle time under Glicko-2: sqrt(deviation^2 + (173.7178 * volatility)^2 * elapsed), which does not grow beyond deviation_max. Points; elapsed in rating periods, of which any fraction will do. Error 22003 for numbers out of range.';
