-- Fair teams.
--
-- All team makers have their arguments in one order: who (players, what they are worth, the teams
-- at present), with what (one element a player), how (scalars), and explain last.  The test
-- team_options compares them.

CREATE FUNCTION skillrating.split_teams(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    objective text DEFAULT 'squares',
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_teams'
LANGUAGE C STABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating.split_teams(anycompatiblearray, float8[], float8[], float8[], float8[], integer[], integer[], text[], integer[], float8[], integer[], float8[], float8[], boolean[], integer, integer, float8, text, float8, float8, text, jsonb, text, text, float8, float8, bigint, boolean) IS
'Splits players into two to ten teams that are as even as possible.

Result: a row for each player, in the order of players, with the team (null: the bench), its
probability to win and, the same in every row, how good the split is.
difference: the strength of the first team less that of the second; with more teams, of the
strongest less that of the weakest.
win_probability: of the player''s own team, null on the bench.  Of two teams the first has the
logistic function of difference / log_odds_unit + log_odds, and the second the rest; of more, each
has exp(strength / log_odds_unit) by the sum of these (Luce 1959) to come first.
exact: no split is more even, or moves fewer, or is better by the secondary objective.  Otherwise
no split is more even by more than bound, in points of difference; with more than two teams, of the
root mean square deviation, or of the range.
commands: whether the player commands the team; null without command_mu.

Players, up to 1000 (arrays have one element for each player):
mu: the estimate of skill, in points of the model, at most 1e12.  Pass the estimate, such as the
column mu of a ladder, and not a displayed rating such as mu - 3 sigma; for Elo they are the same.
mu_2: the same on the second team, where sides differ.
deviation: of the estimate, for a model that has one.
weight: the share of the match that each will play, above 0, such as 0.5 for one who has to leave at
half-time; null for all of it.  A team''s mean is then weighted, and shares are of all weights.
Except for sums, exact is false unless the teams are even.
party: players with the same number stay together, on a team or on the bench; null for none.  With a
model they are a squad, as players with the same squad in preview().
locked: the team on which a player has to be; 0 is the bench, null leaves the player free.
avoid: pairs of players, as text, who must not be on one team: ''{{a,b},{c,d}}''.  Players who are
not in the lobby do not matter.
split_evenly: players with the same number are divided between two teams as equally as possible,
such as last round''s winners: of those who play, no team gets two more than the other.  Null for
none.
priority: with team_size, players with higher priority play, such as those who have waited longest
(a party has the priority of its first member).  Among the lowest priority that still plays, the
split decides.  Locks, and other constraints that leave no such split, are stronger.
current: the team of each at present, 1 or 2, 0 for the bench, null for a player who was not there
and so does not move: of the splits within the tolerance, the one that moves the fewest players.
command_mu: what players are worth as commanders: each team gets one, who counts by command_mu times
command_weight and not as a player.  command_mu_2: the same on the second team.
commander: whether a player may command; null for all players.

Scalars:
teams: the number of teams, 2 to 10.  mu_2, split_evenly, current, command_mu, log_odds and
secondary are for two.
team_size: players on each team; the others sit out.  Null: all players play, in teams as equal in
size as possible.
log_odds: a handicap that favours the first team, in log-odds.
strength: a team is the ''mean'' or the ''sum'' of its players, or their ''share'': their sum by
the number of all who play, as in the Hive model.
log_odds_unit: points of strength for a log-odds of 1; 400 / ln 10 for Elo.
command_weight: 0 to 1e6.
model, params: a rating model that says what teams are and when they are balanced, in place of
strength, log_odds_unit and command_weight.  mu is its first state column, half of mu - mu_2 its
side offset.
win_probability is what it predicts, for players with this estimate and deviation who are otherwise
new: what preview() says, with squad => party, weight, side => team if there is a mu_2, and
commanding for commanders.  Strengths and difference contain what the model says that squads add.
With log_odds and a bench, exact is false, because the worth of log_odds depends on who plays.
objective: with more than two teams, the ''squares'' of the deviations of strengths from their mean,
or the ''range'' from the weakest to the strongest.
secondary: of the splits within the tolerance, the one whose teams are most alike in ''spread''
(mean square distance from the mean of all players), or in their ''best'' players; ''none'' or null.
tolerance: points of strength farther from even than the best split, for current and secondary.
budget: milliseconds that the search may take, roughly, up to 10000.  Null: about a second for up to
300 players.  The search becomes coarser where it would take longer; it does not depend on the
clock.
seed: another order in which players are considered, and so another one of equally good splits.
explain: the first row says in why what the split consists of (terms), the most even other split
(alternative), and the lock, party, pair to avoid or priority without which the split would be most
even, with its cost in points (constraint).  They are sought within half of the budget besides, so
that in a large lobby there may be better alternatives.

No rows if players or mu are null, or there are no players.  At most 64 MB of memory.
Errors: 22023 for constraints that contradict one another, naming one of them, for a player who
occurs twice, and for unknown names; 22003 for numbers out of range; 2202E for arrays of other
lengths; 22004 for nulls in arrays; 54000 for more than 1000 players, and for more than 24 who are
tied to one another, or in too many ways.
Source: sums that can be reached, or all sums of both halves (Horowitz and Sahni 1974); for more
than two teams a snake draft, whose pairs of teams are split again, and dynamic programming over
sets of players.';

CREATE FUNCTION skillrating_internal.split_states(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    priority float8[] DEFAULT NULL,
    current integer[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    objective text DEFAULT 'squares',
    secondary text DEFAULT NULL,
    tolerance float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false,
    state float8[] DEFAULT NULL)
RETURNS TABLE (
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_teams'
LANGUAGE C STABLE PARALLEL SAFE ROWS 24;

COMMENT ON FUNCTION skillrating_internal.split_states(anycompatiblearray, float8[], float8[], float8[], float8[], integer[], integer[], text[], integer[], float8[], integer[], float8[], float8[], boolean[], integer, integer, float8, text, float8, float8, text, jsonb, text, text, float8, float8, bigint, boolean, float8[]) IS
'split_teams() of players whose whole states are known: state has all state columns of the model for
each player, one player after another.  mu and the other arrays take the place of their columns.';

CREATE FUNCTION skillrating.split_all_sizes(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    split_evenly integer[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    command_mu_2 float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    strength text DEFAULT 'mean',
    log_odds_unit float8 DEFAULT 173.71779276130073,
    command_weight float8 DEFAULT 0.5,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL,
    explain boolean DEFAULT false)
RETURNS TABLE (
    team_size integer,
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    exact boolean,
    bound float8,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_split_all_sizes'
LANGUAGE C STABLE PARALLEL SAFE ROWS 200;

COMMENT ON FUNCTION skillrating.split_all_sizes(anycompatiblearray, float8[], float8[], float8[], float8[], integer[], integer[], text[], integer[], float8[], float8[], boolean[], float8, text, float8, float8, text, jsonb, float8, bigint, boolean) IS
'The most even split into two teams for every team size from 2 to half of the players, with the
other players on the bench, so that a game server has one ready whoever is still there.

Result: for each size, smallest first, a row for each player, in the order of players.  Sizes that
the constraints rule out are left out.  Columns, arguments and errors are those of split_teams().
budget: for all sizes together, and half of it for all explanations.
All sizes are one search; with a model or commanders each size is a search of its own.';
