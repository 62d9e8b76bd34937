-- Match making.

CREATE FUNCTION skillrating.pair_queue(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[] DEFAULT NULL,
    deviation float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    waited float8[] DEFAULT NULL,
    party integer[] DEFAULT NULL,
    region bigint[] DEFAULT NULL,
    pool text[] DEFAULT NULL,
    command_mu float8[] DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    state float8[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT 1,
    log_odds float8 DEFAULT 0,
    model text DEFAULT 'elo',
    params jsonb DEFAULT '{}',
    initial_window float8 DEFAULT NULL,
    widening float8 DEFAULT NULL,
    max_window float8 DEFAULT NULL,
    min_quality float8 DEFAULT 0,
    explain boolean DEFAULT false)
RETURNS TABLE (
    match_number integer,
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    quality float8,
    region bigint,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_pair_queue'
LANGUAGE C STABLE PARALLEL SAFE ROWS 1000;

COMMENT ON FUNCTION skillrating.pair_queue(anycompatiblearray, float8[], float8[], float8[], float8[], float8[], integer[], bigint[], text[], float8[], boolean[], float8[], integer, integer, float8, text, jsonb, float8, float8, float8, float8, boolean) IS
'Groups queued players into matches of teams that are as even as possible.

Result: a row for each player who got a match.  The rows of a match come by team, and within a team
in the order of players.
match_number: of the match within this call, from 1 as they are made, for the longest waiting player
first.
difference: the strength of the first team less that of the second; with more teams, of the
strongest less that of the weakest, as split_teams() has it for these players with the model.
win_probability: of the player''s own team by the model: what preview() says, as in split_teams().
quality: the least win_probability times the number of teams, 1 for a balanced match.
region: the bit of the region that all of the match have in common; null without regions.
commands: whether the player commands the team; null without command_mu.

Players, up to 100000 (arrays have one element for each player):
mu: the estimate of skill, the first state column of the model (see split_teams()).  mu_2: the same
on the second team, where sides differ; the queue goes by the mean of both.
deviation: of the estimate, for a model that has one; null for that of a new player.
weight: the share of the match that each will play; null for all of it.
waited: seconds in the queue; null for nobody has waited.
party: players with the same number come into one team; null for none.  They are a squad to the
model, and count in the queue and in difference by what they are worth together.
region: a set of bits, such as the data centers within reach at an acceptable latency; null for all.
pool: only players with the same label meet, and those with null.
command_mu: what players are worth as commanders.  Each team gets one; commander: whether a player
may command, null for all players.  A match of too few who may is not made.

Scalars:
teams, team_size: up to 128 seats.  mu_2, command_mu and log_odds are for two teams.
log_odds: a handicap that favours the first team, in log-odds, such as that of the map.
initial_window: the longest waiting player meets the nearest ones within so many points; null for
half a log-odds of the model.  widening: points more for each second waited; null for as much as the
initial window in 30 seconds.  max_window: points; null for no limit.  Without a limit nobody
starves, see docs/teams.md.
min_quality: matches of less than that, 0 to 1, are not made; as the window of the longest waiting
player widens, it falls in proportion.
state: all state columns of the model for each player, one player after another, as
ladder_estimates() has them; mu and the other arrays take the place of their columns.
explain: the first row of each match says in why how long its first player has waited, how far from
them others might be and are, and what quality was needed (match), and what split_teams() says of
the teams.

A party that is larger than a team, in several pools or in no common region stays in the queue.
No rows if players or mu are null.
Errors: 22023 for an unknown model, a player who occurs twice or is in no region, a deviation of a
model that has none (as mu_2 and command_mu), and counts out of range; 22003 for other numbers out
of range; 2202E for arrays of other lengths; 22004 for nulls; 54000 for more than 100000 players, or
if their regions take more than 64 MB.';
