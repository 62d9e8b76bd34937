-- Forecasts of a match between players of given states.

SELECT skillrating_internal.make_function('skillrating.predict', '
    model text,
    state float8[],
    team integer[],
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    left_at float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    experience integer[] DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    params jsonb DEFAULT ''{}'',
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    player_id text[] DEFAULT NULL,
    pool text DEFAULT '''',
    components skillrating.final_component[] DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    tournament text DEFAULT NULL',
    'TABLE (team integer, win_probability float8, draw_probability float8)', 'IMMUTABLE PARALLEL SAFE ROWS 2',
'What a model says of a match between players of given states, without a ladder: what preview() says
of players who go into the match with these states.

Result: a row for each team, in the order of their numbers.
win_probability: of the team; a draw counts half.
draw_probability: that two teams draw; null for more teams, and where the model knows no draws.
state_space, trueskill, trueskill2 and the variants thurstone_mosteller of weng_lin know them.

model, params: one of models(), and an object of its parameters that differ from their defaults.
state: all state columns of each player, one player after another or, from array_agg(), a row for
each, such as state_after of rate() or state of final_ratings(), with idle time in them.
played_at, tournament: when the match is played, or in what, for models with rating periods: states
are brought to its period, at whose start forecasts are made.  Without them states are as given.
team: of each player; any numbers.  The other arrays have an element for each player, too, and mean
what source_columns() says.  weight, or joined and left_at: the share of the match, which is all of
it by default.  experience: matches played before, 0 by default.
context, club: an element may be null; under models that know components, see models().
components: these, such as final_components() returns them, with idle time in them already; others
are as before their first match.  player_id: who the players are, for components that have one;
1, 2 and so on by default.  pool: theirs.
log_odds: what the first side, or the first team where there are no sides, has in advance.

No rows if state or team are null or empty.  Errors: 22023 for an unknown model and for a match that
could not be rated, 22003 for numbers out of range and states that are not sound, 22004 for nulls,
2202E for arrays that do not fit, 22008 for an infinite played_at.');
