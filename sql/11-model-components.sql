-- The components of rating models.

CREATE FUNCTION skillrating.model_components(
    model text,
    params jsonb DEFAULT '{}',
    OUT kind text,
    OUT scope text,
    OUT key text,
    OUT used boolean,
    OUT state_columns text[],
    OUT initial_state float8[],
    OUT description text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_model_components'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 5;

COMMENT ON FUNCTION skillrating.model_components(text, jsonb) IS
'The kinds of components of a model: states that belong to something else than a player alone, such
as a side, a map, a club, or a player on a map.  No rows for a model without any.
kind: its name.  description: what its first state column is.
scope: match, side (in favour of side 1, where sides differ), team, or player (each has its own).
key: context or club, the source column by which there is one each; null for a kind without.
used: whether there are any under these parameters.
state_columns, initial_state: as models() and initial_state() have them of players; initial_state
is null if there are none.
Errors as for complete_parameters().';
