-- Weng and Lin's models for one match given as arrays.

SELECT skillrating_internal.make_function('skillrating.weng_lin_update', '
    variant text,
    team integer[],
    rank float8[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0,
    kappa float8 DEFAULT 1e-4,
    tau float8 DEFAULT 25 / 300.0,
    span integer DEFAULT 4,
    prevent_sigma_increase boolean DEFAULT false,
    epsilon float8 DEFAULT 0.1,
    weights text DEFAULT ''partial''',
    'TABLE (ordinal integer, new_mu float8, new_sigma float8)', 'IMMUTABLE PARALLEL SAFE ROWS 10',
'Skills after a match under a model of Weng and Lin (2011), known from OpenSkill; one row a player,
in the order of the arrays; ordinal is the position in them, from 1.
variant: plackett_luce, bradley_terry_full, bradley_terry_part, thurstone_mosteller_full or
thurstone_mosteller_part.
team, rank, mu, sigma, weight: arrays with one element a player.
team: any number; two teams or more.  rank: of the team; 1 is best, equal ranks are a draw.
mu, sigma: skill and deviation, in the unit of beta; sigma is above 0.
weight: share of the match played, 0 or more, 1 by default; with weights => ''openskill'' a
contribution in the sense of that library.
beta: deviation of one performance, above 0.
kappa: the least share of a variance that is kept, above 0 and at most 1.
tau: drift of a skill before the match, in the unit of beta, 0 or more.
span: neighbours in the result that the part variants compare on either side, 1 to 1000 (1 in
OpenSkill for JavaScript, 4 in that for Python).
prevent_sigma_increase: a deviation never becomes larger.
epsilon: draw margin of the variants by Thurstone and Mosteller, in the unit of beta, 0 or more.
weights: partial or openskill.
No rows if an argument other than weight is null.
Errors: 22023 for an unknown variant or fewer than two teams, 22004 for null elements, 2202E for
arrays of different length, 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.weng_lin_win_probability', '
    team integer[],
    mu float8[],
    sigma float8[],
    beta float8 DEFAULT 25 / 6.0,
    curve text DEFAULT ''normal'',
    variant text DEFAULT ''plackett_luce'',
    epsilon float8 DEFAULT 0.1',
    'TABLE (team_number integer, win_probability float8, exact_win_probability float8)', 'IMMUTABLE STRICT PARALLEL SAFE ROWS 10',
'The probabilities of teams to win, by OpenSkill and by the model itself; one row a team, by number.
team, mu, sigma: arrays with one element a player.  team: any number; two teams or more.
mu, sigma: skill and deviation, in the unit of beta; sigma is above 0.
beta: deviation of one performance of a team, above 0.
curve: normal, as OpenSkill has it, or logistic, as its port to Rust does.
variant, epsilon: of the exact probability, as for weng_lin_update().
win_probability: the mean over all pairs of teams (predict_win of OpenSkill).
exact_win_probability: to come first, half a draw of two counted, as weng_lin_update() sees it.
Errors: 22023 for an unknown curve or variant or fewer than two teams, 22004 for null elements,
2202E for arrays of different length, 22003 for numbers out of range.');

SELECT skillrating_internal.make_function('skillrating.weng_lin_draw_probability', '
    team integer[],
    mu float8[],
    sigma float8[],
    beta float8 DEFAULT 25 / 6.0',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The probability of a draw by OpenSkill (predict_draw): the mean over all pairs of teams of that of a
difference within sqrt(n) * beta * Phi^-1((1 + 1 / n) / 2), n players.
It measures how even a match is, and no share of draws. Arguments and errors as for
weng_lin_win_probability().');
