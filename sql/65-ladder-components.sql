-- What a ladder knows of components: states that belong to something else than a player alone.

CREATE FUNCTION skillrating_internal.components(
    ladder text,
    player_id anycompatible DEFAULT NULL,
    kind text DEFAULT NULL,
    pool text DEFAULT NULL,
    at timestamptz DEFAULT now(),
    OUT kind text,
    OUT pool text,
    OUT key text,
    OUT player_id text,
    OUT mu float8,
    OUT deviation float8,
    OUT games bigint,
    OUT last_played timestamptz,
    OUT state float8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_components'
LANGUAGE C STABLE ROWS 100;

SELECT skillrating_internal.create_entry('components');

COMMENT ON FUNCTION skillrating.components(text, anycompatible, text, text, timestamptz) IS
'What a ladder has learned of components: of home advantage, maps, clubs, players on a map, or
whatever its model has. A row for each that was in a rated match, of one player, kind or pool, or,
where these are null, of all, by kind, pool, key and player.

kind: one of the model''s kinds of components. key: the context or the club, null for a kind
without. player_id: whose it is, null for what is nobody''s.
mu, deviation: the mean, in units of the rating or of whatever the model says of the kind, and its
deviation, as of the time at, past or future, null for now. A component without a match by then has
no row. state: all state columns of the kind, mu among them.
games, last_played: in how many rated matches, and when in the last one.

An account that is merged counts as the player it is merged into. No rows under a model without
components. Errors: 42704 for an unknown ladder, 22008 for an infinite at, 55000 for one before the
horizon; 42501 for a time of the past unless the caller may read table component_event.';
