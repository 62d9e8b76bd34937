-- Match making.

SELECT skillrating_internal.make_function('skillrating.pair_queue', '
    lobby skillrating.lobby,
    waited float8[] DEFAULT NULL,
    region bigint[] DEFAULT NULL,
    pool text[] DEFAULT NULL,
    teams integer DEFAULT 2,
    team_size integer DEFAULT 1,
    initial_window float8 DEFAULT NULL,
    widening float8 DEFAULT NULL,
    max_window float8 DEFAULT NULL,
    min_quality float8 DEFAULT 0,
    explain boolean DEFAULT false',
    'TABLE (match_number integer, player_id text, team integer, difference float8,
        win_probability float8, quality float8, region bigint, commands boolean, why jsonb)', 'IMMUTABLE PARALLEL SAFE ROWS 1000',
'Groups queued players into matches of teams that are as even as possible.

Result: a row for each player who got a match, by match, team and the order of players.  Numbers of
teams are drawn as by split_teams().
match_number: of the match within this call, from 1, that of the longest waiting player first.
difference: the strength of the first team less that of the second; with more teams, of the
strongest less that of the weakest, as split_teams() has it for these players with the model.
win_probability: of the player''s own team by the model: what preview() says, as in split_teams().
quality: the least win_probability times the number of teams, 1 for a balanced match.
region: the bit of the region that all of the match have in common; null without regions.
commands: whether the player commands the team; null without commanders.

lobby: up to 100000 players, by mu, the mean of it and mu_2 where sides differ.  The model is elo if
the lobby has none.  A party comes into one team; it is a squad to the model, and counts in the
queue and in difference by what it is worth together.  A match of too few who may command is not
made.  locked, avoid and split_evenly are errors; priority and current do not count, nor do clubs,
and contexts only as far as they are part of a player''s skill.

Players (arrays have one element for each player):
waited: seconds in the queue; null for nobody has waited.
region: a set of bits, such as the data centers within reach at an acceptable latency; null for all.
pool: only players with the same label meet, and those with null.

Scalars:
teams, team_size: up to 128 seats.
initial_window: the longest waiting player meets the nearest ones within so many points; null for
half a log-odds of the model.  widening: points more for each second waited; null for as much as the
initial window in 30 seconds.  max_window: points; null for no limit.  Without one nobody starves.
min_quality: matches of less than that, 0 to 1, are not made; it falls as the window widens.
explain: the first row of each match says in why how long its first player has waited, how far from
them others might be and are, and what quality was needed (match), and what split_teams() says.

A party that is larger than a team, in several pools or in no common region stays in the queue.
No rows for a null lobby, and without players or mu.
Errors: 22023 for an unknown model, a player who occurs twice or is in no region, what the model
has no column for, and counts out of range; 22003 for other numbers out of range; 2202E for arrays
of other lengths; 22004 for nulls; 54000 for over 100000 players or 64 MB of regions.');
