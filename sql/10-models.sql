-- The registry of rating models.

CREATE FUNCTION skillrating.models(
    OUT name text,
    OUT summary text,
    OUT state_columns text[],
    OUT supports text[],
    OUT source text,
    OUT deviation_column text,
    OUT side_column text,
    OUT command_column text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_models'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.models() IS
'Every rating model, sorted by name: its name, one line about it, the state columns that a player
has under it (all float8), what of a match it takes into account, the paper or document that it
comes from, and the state columns that are the deviation of the skill, what it is more on side 1 and
less on side 2, and the skill of a commander, null where there are none.';

CREATE FUNCTION skillrating_internal.model_under(
    model text,
    params jsonb,
    OUT name text,
    OUT summary text,
    OUT state_columns text[],
    OUT supports text[],
    OUT source text,
    OUT deviation_column text,
    OUT side_column text,
    OUT command_column text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_model_under'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;

COMMENT ON FUNCTION skillrating_internal.model_under(text, jsonb) IS
'The row of models() for a model, with the state columns that it has under these parameters. Errors
as for complete_parameters().';

CREATE FUNCTION skillrating.model_parameters(
    model text,
    OUT name text,
    OUT type text,
    OUT default_value jsonb,
    OUT min float8,
    OUT max float8,
    OUT choices text[],
    OUT unit text,
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_model_parameters'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION skillrating.model_parameters(text) IS
'Every parameter of a model, one a row, in the order of the model''s definition: type is number,
choice, flag (true or false) or table (an array of [bound, value] pairs, ascending by bound).  A
null min or max is no limit; a default of null is a bound that is absent.
Error 22023 if there is no such model.';

CREATE FUNCTION skillrating.model_parts(
    model text,
    OUT name text,
    OUT description text,
    OUT parameters text[],
    OUT needs text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_model_parts'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 5;

COMMENT ON FUNCTION skillrating.model_parts(text) IS
'Every part of a model, one a row: what can be switched on, one line about it, the parameters that
switch it on and are fitted with it, and what of a match it needs, in the words of models() and
"times".  See tune().
Error 22023 if there is no such model.';

CREATE FUNCTION skillrating.complete_parameters(model text, params jsonb)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'skillrating_complete_parameters'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.complete_parameters(text, jsonb) IS
'The parameters given, checked, with the defaults of all others filled in. Errors: 22023 for an
unknown model or parameter or a wrong type, 22003 for a value out of range.';

CREATE FUNCTION skillrating.initial_state(model text, params jsonb DEFAULT '{}')
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_initial_state'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.initial_state(text, jsonb) IS
'The state of a player who has not played, in the order of the model''s state columns. Errors as for
complete_parameters().';

CREATE FUNCTION skillrating.state_rating(model text, state float8[], params jsonb DEFAULT '{}')
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_state_rating'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.state_rating(text, float8[], jsonb) IS
'The displayed rating of a state, given in the order of the model''s state columns. Errors as for
complete_parameters(), 2202E for an array of another length, 22004 for nulls in it.';

CREATE FUNCTION skillrating.idle_state(
    model text,
    state float8[],
    idle interval,
    params jsonb DEFAULT '{}',
    shared_state float8[] DEFAULT NULL,
    shared_idle interval DEFAULT NULL)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_idle_state'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.idle_state(text, float8[], interval, jsonb, float8[], interval) IS
'The state of a player after idle time, with which a match would find it: deviations grow and
ratings decay as the model''s parameters say.
state, shared_state: in the order of the model''s state columns.
idle, shared_idle: not negative; a month has 30 days.  shared_idle is 0 by default.
shared_state: where the model shares columns among pools (see initial_base_sigma of trueskill2),
the state that these columns come from, and age in by shared_idle; otherwise it is ignored, and
without it these columns stay.
Null if another argument is null.  Errors as for complete_parameters(), 2202E for an array of
another length, 22004 for nulls in it, 22003 for negative idle time or a state out of range, 0A000
for parameters with rating periods, under which rate() and predict() let time pass.';

CREATE FUNCTION skillrating.season_state(
    model text,
    state float8[],
    keep float8 DEFAULT 0.5,
    params jsonb DEFAULT '{}',
    mean float8 DEFAULT NULL)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_season_state'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.season_state(text, float8[], float8, jsonb, float8) IS
'The state of a player at the start of a season, by soft reset: each column moves towards its
initial value, to initial + keep * (value - initial), and a deviation to
sqrt(keep^2 * value^2 + (1 - keep^2) * initial^2), since what is not kept is as uncertain as a
newcomer.  What counts or has been reached stays.
state: in the order of the model''s state columns.
keep: 0 (all new) to 1 (unchanged).
mean: what the first column moves towards in place of its initial value.
Null if an argument other than mean is null.  Errors: those of state_rating(), and 22003 for numbers
out of range.';

CREATE FUNCTION skillrating_internal.state_in_period(
    model text,
    state float8[],
    at timestamptz,
    params jsonb)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'skillrating_state_in_period'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.state_in_period(text, float8[], timestamptz, jsonb) IS
'The state of a player in the rating period of a time: the open period is closed if that is a later
one.  The same state without periods and where tournaments are periods.  Errors as for
complete_parameters(), 2202E for an array of another length.';

CREATE FUNCTION skillrating.log_odds_unit(model text, params jsonb DEFAULT '{}')
RETURNS float8
AS 'MODULE_PATHNAME', 'skillrating_log_odds_unit'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating.log_odds_unit(text, jsonb) IS
'How much of the first state column (rating, mu or skill) is worth odds of e : 1 in a duel, if the
ratings of both are sure: what skills in log-odds, as solve() has them, are multiplied by. 400 / ln
10 under elo; in the limit of small differences where the model is not logistic. Errors as for
complete_parameters(), and 22003 where parameters leave no number.';

CREATE FUNCTION skillrating_internal.display_expression(model text, params jsonb DEFAULT '{}')
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_display_expression'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.display_expression(text, jsonb) IS
'The displayed rating, which leaderboards sort by, as an SQL expression over the model''s state
columns. Errors as for complete_parameters().';
