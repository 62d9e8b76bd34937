-- What models have learned of components at the end of a history.

CREATE TYPE skillrating.final_component AS (
    kind text,
    pool text,
    key text,
    player_id text,
    mu float8,
    deviation float8,
    games bigint,
    last_played timestamptz,
    state float8[]);

COMMENT ON TYPE skillrating.final_component IS
'Result of final_components() for a component at the end of a history.
kind: a name of model_components().  pool: '''' by default.
key: the context or the club, null for a kind that goes by neither.
player_id: the identifier as text, of a kind that belongs to players, else null.
mu, deviation: the first state column of the kind, as a rule its mean in units of the skill, and
the deviation of that.
games: rated matches in which it took part.  last_played: as that of final_rating.
state: the whole state, in the order of state_columns in model_components().';

CREATE FUNCTION skillrating_internal.final_components_final(internal)
RETURNS skillrating.final_component[]
AS 'MODULE_PATHNAME', 'skillrating_final_components_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.final_components_final(internal) IS
'Final function of final_components().';

CREATE AGGREGATE skillrating.final_components(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_components_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_components(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb) IS
'What a model has learned, at the end of a history of matches, of components: of home advantage,
maps, clubs, players on a map, as model_components() lists them.  The arguments are those of
final_ratings(), and the states those with which final_ratings() and rate() rate:
SELECT c.* FROM (SELECT skillrating.final_components(''state_space'', match_id, player_id, team,
rank, skillrating.inputs(side => side, context => map, club => club), NULL ORDER BY played_at,
match_id) AS components FROM ...) AS q, unnest(q.components) AS c
Sorted by kind, in the order of model_components(), pool, key and player_id.
Null without rows; an empty array under a model without components.  Errors: those of
final_ratings().';

CREATE AGGREGATE skillrating.final_components(model text, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs, params jsonb, strict boolean) (
    SFUNC = skillrating_internal.final_ratings_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.final_components_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating.final_components(text, anycompatible, anyelement, integer, float8, skillrating.inputs, jsonb, boolean) IS
'As the form with seven arguments, of which inputs and params may be null, with strict, read from
the first row: whether a mistake in a match is an error.';
