-- TrueSkill for one match given as arrays.

SELECT skillrating_internal.make_function('skillrating.trueskill_update', '
    team integer[],
    rank float8[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0,
    tau float8 DEFAULT 25 / 300.0,
    draw_probability float8 DEFAULT 0.1,
    ties text DEFAULT ''alike''',
    'TABLE (ordinal integer, new_mu float8, new_sigma float8)', 'IMMUTABLE PARALLEL SAFE ROWS 10',
'Skills after a match under TrueSkill (Herbrich, Minka and Graepel, 2006), one row a player, in the
order of the arrays; ordinal is the position in them.
team, rank, mu, sigma, weight: arrays with one element a player.
team: any number; two teams or more.
rank: of the team; 1 is best, equal ranks are a draw.
mu, sigma: skill and deviation, in the unit of beta; sigma is above 0.
weight: share of the match played, 0 or more; 1 by default.
beta: deviation of one performance, above 0.
tau: drift of a skill before the match, in the unit of beta, 0 or more.
draw_probability: between equal players, at least 0 and below 1.
ties: of teams tied in a field of more than two; alike: each performed within its draw margin of a
common level; chain: within that of the next, in the order of their numbers, as in other
implementations, which treats equal teams differently.
No rows if an argument other than weight is null.
Errors: 22004 for null elements, 2202E for arrays of different length, 22003 for numbers out of
range, 22023 for fewer than two teams or an unknown word for ties.');

SELECT skillrating_internal.make_type('trueskill_prediction',
'Prediction of trueskill_win_probability() for a team; all probabilities lie between 0 and 1.', '
team integer: The number of the team.
win_probability float8: That it beats all others, alone; elsewhere win_probability counts a draw half.
draw_probability float8: That it shares the first place.
rank_probability float8[]: Element r is the probability that r - 1 teams beat it.');

SELECT skillrating_internal.make_function('skillrating.trueskill_win_probability', '
    team integer[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0,
    draw_probability float8 DEFAULT 0.1',
    'SETOF skillrating.trueskill_prediction', 'IMMUTABLE PARALLEL SAFE ROWS 10',
'Predicts a match of two or more teams under TrueSkill; one row a team, by its number.
A team beats another if its performance is ahead by more than their draw margin.
win_probability is the probability that the team beats all others, a win alone; the
win_probability of event, rate() and preview() counts a draw half.  draw_probability is the
probability that no team beats it and it does not beat all (a shared first place).
Element r of rank_probability is the probability that r - 1 teams beat it: the elements add up to 1,
and the first equals win_probability + draw_probability.
The method integrates over the performances of all teams, to 1e-8.
Arguments and errors as for trueskill_update().');

SELECT skillrating_internal.make_function('skillrating.trueskill_quality', '
    team integer[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 25 / 6.0',
    'float8', 'IMMUTABLE PARALLEL SAFE',
'How balanced a match of two or more teams would be under TrueSkill, 0 to 1: the probability that
all draw, relative to that between equals whose skills are certain.
Arguments and errors as for trueskill_update().');
