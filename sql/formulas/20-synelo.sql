-- SynElo's formulas.

SELECT skillrating_internal.make_function('skillrating.synelo_theta', 'team_size_max integer',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The scale of SynElo''s curve for teams of up to team_size_max players, in points: 400 times the
median of 1 to team_size_max, rounded down (F1 of the source); 2400 for 12.
team_size_max: 1 or more.
Error 22003 below 1.');

SELECT skillrating_internal.make_function('skillrating.synelo_win_probability', '
    sum_a float8,
    sum_b float8,
    theta float8 DEFAULT 2400',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'Probability that team a beats team b, 0 to 1: 1 / (1 + e^((sum_b - sum_a) / theta)) (F1).
sum_a, sum_b: sums of the ratings of a team, in points, finite.
theta: in points, above 0; see synelo_theta().
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.synelo_convergence', '
    rating float8[],
    expected float8[],
    outcome float8[],
    k_high float8 DEFAULT 72,
    velocity_weight float8 DEFAULT 0.25,
    surprise_weight float8 DEFAULT 0.25,
    volatility_weight float8 DEFAULT 0.5,
    saturate boolean DEFAULT false',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'SynElo''s convergence score (F3) of a player, 0 (converged) to 1, from the last rounds.
rating, expected, outcome: arrays with one element a round, the oldest first: the rating after it,
in points; the expected score before it, 0 to 1; and the outcome, 0, 0.5 or 1.
k_high: in points, above 0.
velocity_weight, surprise_weight, volatility_weight: weights of three terms, 0 or more: the drift
between both halves over k_high, the mean of outcome less expected over 0.1, and the deviation of
the ratings over k_high.
saturate: no term counts for more than 1.
Fewer than two rounds have no drift; without rounds the score is 0.
Errors: 22003 for numbers out of range, 22004 for null elements, 2202E for other lengths.');

SELECT skillrating_internal.make_function('skillrating.synelo_k', '
    rating float8,
    convergence float8,
    k_low float8 DEFAULT 2,
    k_high float8 DEFAULT 72,
    initial_rating float8 DEFAULT 1000,
    compression_width float8 DEFAULT 400',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'SynElo''s K factor, in points (F4 and F5): k_low + (k_high - k_low) * convergence
* exp(-(rating - initial_rating)^2 / (2 * compression_width^2)).
rating, initial_rating: in points, finite.  convergence: of synelo_convergence(), 0 to 1.
k_low, k_high: in points, 0 or more.  compression_width: in points, above 0.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.synelo_update', '
    rating float8,
    k float8,
    score float8,
    expected float8,
    floor float8 DEFAULT 100,
    rounded boolean DEFAULT false',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'A rating after a round under SynElo (F2): rating + k * (score - expected), at least floor.
rating, floor: in points, finite.  k: in points, 0 or more.
score: 1 won, 0.5 drew, 0 lost.  expected: expected score, 0 to 1.
rounded: the result is an integer, half to even as in the source; a small k then moves nobody.
Error 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.synelo_status', '
    games bigint,
    last_played timestamptz,
    at timestamptz,
    shadow_games integer DEFAULT 50,
    stale_days integer DEFAULT 30',
    'text', 'IMMUTABLE STRICT PARALLEL SAFE',
'Whether to show a rating under SynElo: ''shadow'' before shadow_games games, ''stale'' if the last
game was more than stale_days days before the time at, otherwise ''visible''.
games, shadow_games, stale_days: 0 or more.
Error 22003 for negative numbers.');
