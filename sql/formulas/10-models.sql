-- The registry of rating models.

SELECT skillrating_internal.make_type('model_part',
'A part of a model, which can be switched on, see tune().', '
name text: The name.
description text: One line about it.
parameters text[]: The parameters that switch it on and are fitted with it.
needs text[]: What of a match it needs, in the words of supports in models() and "times".');

SELECT skillrating_internal.make_type('model_component',
'A kind of components of a model: states that belong to something else than a player alone, such as
a side, a map, a club, or a player on a map.', '
kind text: Its name.
scope text: Match, side (in favour of side 1, where sides differ), team, or player (each has its own).
key text: Context or club, the source column by which there is one each; null for a kind without.
used boolean: Whether there are any under the parameters.
state_columns text[]: As models() has them of players.
initial_state float8[]: As initial_state() has it of players; null if there are none.
description text: What its first state column is.');

SELECT skillrating_internal.make_function('skillrating.models', '
    model text DEFAULT NULL,
    params jsonb DEFAULT ''{}''',
    'TABLE (name text, summary text, state_columns text[], state_descriptions text[],
        supports text[], source text, deviation_column text, side_column text,
        command_column text, log_odds_unit float8, parameters jsonb,
        parts skillrating.model_part[], components skillrating.model_component[])', 'IMMUTABLE PARALLEL SAFE ROWS 10',
'Every rating model with its default parameters, by name; or one with parameters that are checked.
name, summary, source: the model, one line about it, and the paper or document that it comes from.
state_columns, state_descriptions: what a player has under it, all float8, and a phrase about each.
supports: what of a match it takes into account.
deviation_column, side_column, command_column: the state columns that are the deviation of the
skill, what it is more on side 1 and less on side 2, and the skill of a commander; null for none.
log_odds_unit: how much of the first state column (rating, mu or skill) is worth odds of e : 1 in a
duel, if the ratings of both are sure: what skills in log-odds, as solve() has them, are multiplied
by.  400 / ln 10 under elo; in the limit of small differences where the model is not logistic; null
where there is none.
parameters: the parameters given, with the defaults of all others; see parameters().
parts: what of the model can be switched on.  components: whose states there are beside players.
Errors: 22023 for an unknown model or parameter or a wrong type, and for a parameter that has no
effect, 22003 for a value out of range.');

SELECT skillrating_internal.make_function('skillrating.parameters', 'of text',
    'TABLE (kind text, name text, type text, default_value jsonb, min float8, max float8,
        choices text[], unit text, description text)', 'IMMUTABLE STRICT PARALLEL SAFE ROWS 20',
'The parameters of what has that name, one a row, in the order of its definition: of a model, a
solver, frag_scores or behaviour_score, or, by the name eligibility, the rules that
set_eligibility() takes, in the order in which a match is judged by them.
kind: model, solver, aggregate or rules; hive is a model and a solver.
type: number, choice, flag (true or false) or table ([bound, value] pairs, ascending by bound).
default_value: JSON''s null is a bound that is absent.
min, max: what a number may be; null is no limit.
Error 22023 for another name.');

SELECT skillrating_internal.make_function('skillrating.initial_state', 'model text, params jsonb DEFAULT ''{}''',
    'float8[]', 'IMMUTABLE STRICT PARALLEL SAFE',
'The state of a new player, in the order of the model''s state columns. Errors as for models().');

SELECT skillrating_internal.make_function('skillrating.state_rating', 'model text, state float8[], params jsonb DEFAULT ''{}''',
    'float8', 'IMMUTABLE STRICT PARALLEL SAFE',
'The displayed rating of a state, given in the order of the model''s state columns. Errors as for
models(), 2202E for an array of another length, 22004 for nulls in it.');

SELECT skillrating_internal.make_function('skillrating.idle_state', '
    model text,
    state float8[],
    idle interval,
    params jsonb DEFAULT ''{}'',
    shared_state float8[] DEFAULT NULL,
    shared_idle interval DEFAULT NULL',
    'float8[]', 'IMMUTABLE PARALLEL SAFE',
'The state of a player after idle time, with which a match would find it: deviations grow and
ratings decay as the model''s parameters say.
state, shared_state: in the order of the model''s state columns.
idle, shared_idle: not negative; a month has 30 days.  shared_idle is 0 by default.
shared_state: where the model shares columns among pools (see initial_base_sigma of trueskill2),
the state that these columns come from, and age in by shared_idle; without it these columns stay.
Null if another argument is null.  Errors as for models(), 2202E for an array of
another length, 22004 for nulls in it, 22003 for negative idle time or a state out of range, 0A000
for parameters with rating periods, under which rate() and predict() let time pass.');

SELECT skillrating_internal.make_function('skillrating.season_state', '
    model text,
    state float8[],
    keep float8 DEFAULT 0.5,
    params jsonb DEFAULT ''{}'',
    mean float8 DEFAULT NULL,
    keep_deviations boolean DEFAULT false',
    'float8[]', 'IMMUTABLE PARALLEL SAFE',
'The state of a player at the start of a season, by soft reset: each column moves towards its
initial value, to initial + keep * (value - initial), and a deviation to
sqrt(keep^2 * value^2 + (1 - keep^2) * initial^2), since what is not kept is as uncertain as a
newcomer.  What counts or has been reached stays.
state: in the order of the model''s state columns.
keep: 0 (all new) to 1 (unchanged).
mean: what the first column moves towards in place of its initial value.
keep_deviations: whether deviations stay as they are.
Null if an argument other than mean is null.  Errors: those of state_rating(), 22003 for numbers out
of range.');

SELECT skillrating_internal.make_function('skillrating_internal.state_in_period', '
    model text,
    state float8[],
    at timestamptz,
    params jsonb',
    'float8[]', 'IMMUTABLE STRICT PARALLEL SAFE',
'The state of a player in the rating period of a time: the open period is closed if that is a later
one.  The same state without periods and where tournaments are periods.  Errors as for
models(), 2202E for an array of another length.');

SELECT skillrating_internal.make_function('skillrating_internal.display_expression', '
    model text,
    params jsonb DEFAULT ''{}'',
    prefix text DEFAULT '''',
    suffix text DEFAULT ''''',
    'text', 'IMMUTABLE STRICT PARALLEL SAFE',
'The displayed rating, which leaderboards sort by, as an SQL expression over the model''s state
columns, each behind a prefix, and with a suffix to its name. Errors as for models().');
