-- Elo-MMR for one contest given as arrays.

SELECT skillrating_internal.make_function('skillrating.elo_mmr_update', '
    team integer[],
    rank float8[],
    mu float8[],
    sigma float8[],
    weight float8[] DEFAULT NULL,
    beta float8 DEFAULT 200,
    tau float8 DEFAULT 35,
    form text DEFAULT ''normal'',
    split_ties boolean DEFAULT false',
    'TABLE (ordinal integer, new_mu float8, new_sigma float8, performance float8)', 'IMMUTABLE PARALLEL SAFE ROWS 100',
'Skills after a contest by Elo-MMR (Ebtekar and Liu, 2021), and performances in it; one row a
player, in the order of the arrays; ordinal is the position in them.
team, rank, mu, sigma, weight: arrays with one element a player.
team: any number, one of its own for each who plays alone; two teams or more, at most 10000.
rank: of the team; 1 is best, equal ranks are a tie.
mu, sigma: skill and deviation, in rating points; sigma is above 0.
weight: play, 0 or more, 1 by default: the noise of a performance averages out over it.
beta: deviation of one performance in rating points, above 0; the square root of
(1 + 1 / weight_limit) times sig_limit in the authors'' program.
tau: drift of a skill before the contest, in points, 0 or more; theirs is sqrt(weight_limit)
sig_limit.
form: normal (the paper''s Elo-MM-chi) or logistic (Elo-MMR with rho = infinity).
split_ties: a tie is half a win and half a loss, and not an equal performance.
performance: the level, in rating points, at which the place of the team is most likely.
No rows if an argument other than weight is null.
Errors: 22023 for an unknown form or fewer than two teams, 22004 for null elements, 2202E for
arrays of different length, 22003 for numbers out of range.');
