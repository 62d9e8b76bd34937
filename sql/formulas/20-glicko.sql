-- Glicko and Glicko-2 for one player and a rating period.

SELECT skillrating_internal.make_function('skillrating.glicko_win_probability', '
    rating_a float8,
    deviation_a float8,
    rating_b float8,
    deviation_b float8',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'Expected score of player a against player b, 0 to 1, under Glicko: Elo''s curve, flattened by g of
the root of both squared deviations (Glickman, The Glicko system).
rating_a, rating_b: in points, finite.  deviation_a, deviation_b: in points, 0 or more.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.glicko_update', '
    rating float8,
    deviation float8,
    opponent_rating float8[],
    opponent_deviation float8[],
    score float8[],
    c float8 DEFAULT 0,
    OUT new_rating float8,
    OUT new_deviation float8',
    NULL, 'IMMUTABLE STRICT PARALLEL SAFE',
'The rating and deviation of a player after a rating period under Glicko (Glickman, 1999).
rating: in points, finite.  deviation: in points, above 0.
opponent_rating, opponent_deviation, score: arrays with one element for each game: rating and
deviation of the opponent before the period, in points, and the score of the player (1 won, 0.5
drew, 0 lost).  Empty arrays are a period without games.
c: points per root of a period, 0 or more: deviation grows to sqrt(deviation^2 + c^2), at most 350.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for other lengths.');

SELECT skillrating_internal.make_function('skillrating.glicko2_win_probability', '
    rating_a float8,
    deviation_a float8,
    rating_b float8,
    deviation_b float8',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'Expected score of player a against player b, 0 to 1, under Glicko-2: the same as
glicko_win_probability(), because both systems have the same points.
rating_a, rating_b: in points, finite.  deviation_a, deviation_b: in points, 0 or more.
Error 22003 for numbers out of range.', 'skillrating_glicko_win_probability');

SELECT skillrating_internal.make_function('skillrating.glicko2_update', '
    rating float8,
    deviation float8,
    volatility float8,
    opponent_rating float8[],
    opponent_deviation float8[],
    score float8[],
    tau float8 DEFAULT 0.5,
    elapsed float8 DEFAULT 1,
    deviation_max float8 DEFAULT 350,
    OUT new_rating float8,
    OUT new_deviation float8,
    OUT new_volatility float8',
    NULL, 'IMMUTABLE STRICT PARALLEL SAFE',
'A player''s rating, deviation and volatility after a rating period under Glicko-2 (Glickman, 2013).
rating: in points, finite.  deviation: in points, above 0.
volatility: above 0, in the units of the paper (173.7178 points).
opponent_rating, opponent_deviation, score: arrays with one element for each game: rating and
deviation of the opponent before the period, in points, and the score of the player (1 won, 0.5
drew, 0 lost).  Empty arrays are a period without games.
tau: how fast volatilities change, 0 or more.
elapsed: periods over which the deviation grows by the new volatility, 0 or more, also fractions.
deviation_max: to which the deviation grows at most, in points, above 0; the paper has ''infinity''.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for other lengths.');
