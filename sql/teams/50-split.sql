-- Fair teams.

SELECT skillrating_internal.make_function('skillrating.split_teams', '
    lobby skillrating.lobby,
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    objective text DEFAULT ''squares'',
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false',
    'TABLE (player_id text, team integer, difference float8, win_probability float8,
        exact boolean, bound float8, commands boolean, broken text[], why jsonb)', 'IMMUTABLE PARALLEL SAFE ROWS 24',
'Splits the players of a lobby into two to ten teams that are as even as possible.

Result: a row for each player, in the order of players, with the team (null: the bench), its
probability to win and, the same in every row, how good the split is.
team: which is called 1 is drawn by a hash of the players, of their games if a ladder knows them,
and of the seed, so that nobody is always in the first; not with locks to a team, current, mu_2,
command_mu_2 or log_odds.
difference: the strength of the first team less that of the second; with more teams, of the
strongest less that of the weakest.
win_probability: of the player''s own team, null on the bench.  Of two teams the first has the
logistic function of difference / log_odds_unit + log_odds, and the second the rest; of more, each
has exp(strength / log_odds_unit) by the sum of these (Luce 1959) to come first.
With a model it is what the model predicts, for players with these estimates who are otherwise new,
or as a ladder knows them: what preview() says, with squad => party, weight, context, club, side =>
team if there are sides, and commanding for commanders.  Strengths and difference contain what the
model says that squads add.  With log_odds and a bench, exact is false.
exact: no split is more even, or moves fewer, or is better by the secondary objective.  Otherwise
no split is more even by more than bound, in points of difference; with more than two teams, of the
root mean square deviation, or of the range.
commands: whether the player commands the team; null without commanders.
broken: the wishes of the lobby that the split breaks, in words, in every row; null for none.
With a price the split is the one for which the largest distance of any team''s win probability from
an equal one, and the prices of broken wishes, are together the least; the fewest constraints
without a price are broken before all.  exact: no split is better in this, either; false with more
than two teams, unless nothing is off.

teams: the number of teams, 2 to 10.
team_size: players on each team; the others sit out.  Null: all play, in teams of the same size if
possible.
objective: with more than two teams, the ''squares'' of the deviations of strengths from their mean,
or the ''range'' from the weakest to the strongest.
secondary: of the splits of two teams within the tolerance, the one whose teams are most alike in
''spread'' (mean square distance from the mean of all players), or in their ''best'' players;
''none'' or null.
tolerance: points of strength farther from even than the best split, within which the secondary
objective chooses, and the present teams: of these splits, the one that moves the fewest players.
budget: milliseconds that the search may take, roughly, up to 10000.  Null: about a second for up to
300 players.  The search becomes coarser where it would take longer, and reads no clock.
seed: another order in which players are considered, and so another one of equally good splits.
explain: the first row says in why what the split consists of (terms), the most even other split
(alternative), and the lock, party, pair to avoid or priority without which the split would be most
even, with its cost in points (constraint).  They are sought within half of the budget besides, so
that in a large lobby there may be better alternatives.

No rows for a null lobby, and without players or mu.  At most 64 MB of memory.
Errors: 22023 for constraints that contradict one another, naming one of them, if the lobby is
strict or more than a few of them would have to be broken, for a player who
occurs twice, and for unknown names; 22003 for numbers out of range; 2202E for arrays of other
lengths; 22004 for nulls in arrays; 54000 for more than 1000 players, and for more than 24 who are
tied to one another, or in too many ways.
Source: sums that can be reached, or all sums of both halves (Horowitz and Sahni 1974); for more
than two teams a snake draft whose pairs are split again, and dynamic programming over sets.');

SELECT skillrating_internal.make_function('skillrating.split_teams', '
    players anycompatiblearray,
    mu float8[],
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL',
    'TABLE (player_id anycompatible, team integer, difference float8, win_probability float8,
        exact boolean, bound float8, commands boolean, broken text[], why jsonb)', 'IMMUTABLE PARALLEL SAFE ROWS 24',
'split_teams(lobby(players, mu)), of players of any type that can be hashed and ordered.  With
arrays that have no type, name the second: mu => .');

SELECT skillrating_internal.make_function('skillrating.split_all_sizes', '
    lobby skillrating.lobby,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false',
    'TABLE (team_size integer, player_id text, team integer, difference float8,
        win_probability float8, exact boolean, bound float8, commands boolean, broken text[], why jsonb)', 'IMMUTABLE PARALLEL SAFE ROWS 200',
'The most even split into two teams for every team size from 2 to half of the players, with the
other players on the bench, so that a server has one ready.

Result: for each size, smallest first, a row for each player, in the order of players.  Sizes that
constraints without a price rule out are left out.  Columns, arguments and errors are those of
split_teams(); priority and current of the lobby do not count.
budget: for all sizes together, and half of it for all explanations.
All sizes are one search; with a model or commanders each size is a search of its own.');
