-- Elo for two players, and for contests of many.

SELECT skillrating_internal.make_function('skillrating.elo_win_probability', '
    rating_a float8,
    rating_b float8,
    scale float8 DEFAULT 400,
    curve text DEFAULT ''logistic''',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'Expected score of player a against player b, 0 to 1.
rating_a, rating_b: in points, finite.
scale: in points, above 0.
curve: logistic, 1 / (1 + 10^((rating_b - rating_a) / scale)), where a lead of scale gives odds of
10 to 1; or normal, Elo''s original form, Phi(sqrt(2) * (rating_a - rating_b) / scale), where one
performance has a standard deviation of half of scale (beta of model elo).
Errors: 22003 for numbers out of range, 22023 for another curve.');

SELECT skillrating_internal.make_function('skillrating.elo_update', '
    rating_a float8,
    rating_b float8,
    score_a float8,
    k float8 DEFAULT 32,
    scale float8 DEFAULT 400,
    OUT new_rating_a float8,
    OUT new_rating_b float8',
    NULL, 'IMMUTABLE STRICT PARALLEL SAFE',
'Both ratings after a game: a gains and b loses
k * (score_a - elo_win_probability(rating_a, rating_b, scale)).
rating_a, rating_b: in points, finite.
score_a: 1 won, 0.5 drew, 0 lost; anything from 0 to 1.
k: the most that a game can move a rating, in points, 0 or more.
scale: lead in points at which the odds are 10 to 1, above 0.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.elo_contest_update', '
    rating float8[],
    rank float8[],
    k float8 DEFAULT 32,
    scale float8 DEFAULT 400,
    score_base float8 DEFAULT 1',
    'TABLE (ordinal integer, expected_share float8, new_rating float8)', 'IMMUTABLE STRICT PARALLEL SAFE ROWS 10',
'Ratings after a contest of 2 to 1000 players, each against all others; a row a player, in the order
of the arrays; ordinal is the position in them.
rating, rank: an element a player.  rating: in points, finite.  rank: 1 is best, equals are a tie.
k: points for each of n - 1 games, 0 or more; the change is k * (n - 1) * (score - expected_share).
scale: lead in points at which the odds of a game are 10 to 1, above 0.
score_base: 1 or more.  With 1 scores fall evenly from the first place to the last, which is Elo for
every pair; with more they are as score_base^(n - place) - 1, for contests where the first places
count most.  They add up to 1, and ties share those of their places.
expected_share: the mean of elo_win_probability() over all pairs; all of them add up to 1.
Errors: 22023 for other numbers of players, 22004 for null elements, 2202E for other lengths, 22003
for numbers out of range.');
