-- The views of a ladder: its boards with its own types of identifiers, to be joined and published.

CREATE FUNCTION skillrating_internal.provisional_expression(
    model text,
    params jsonb)
RETURNS text
LANGUAGE sql STABLE STRICT
AS $function$
    SELECT CASE WHEN m.deviation_column IS NULL
        THEN format('r.games < %s', coalesce((params->>'shadow_games')::numeric::bigint, 10))
        ELSE format('NOT r.%I < %L::float8', m.deviation_column, (skillrating.initial_state(model, params))[
            array_position(m.state_columns, m.deviation_column)] / 2) END
    FROM skillrating.models(model, params) AS m
$function$;

COMMENT ON FUNCTION skillrating_internal.provisional_expression(text, jsonb) IS
'Whether a row r of table rating is provisional, as SQL, of a model with complete parameters: its
deviation is not below half of the initial one, as pool_quality() has it, or, under models without,
it has fewer games than the parameter shadow_games, or else 10.';

CREATE FUNCTION skillrating_internal.create_views(
    ladder text,
    model text,
    params jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    deviation text;
    kinds text[];
BEGIN
    SELECT coalesce('r.' || quote_ident(m.deviation_column), 'NULL::float8') INTO deviation
    FROM skillrating.models(model, params) AS m;
    -- Players without a match are hidden, also from functions that a reader puts into a condition.
    EXECUTE format(
        'CREATE VIEW %1$I.leaderboard WITH (security_barrier) AS
        SELECT r.pool, rank() OVER (PARTITION BY r.pool ORDER BY r.rating DESC) AS place, r.player_id,
            r.rating, %2$s AS deviation, r.games, r.wins, r.draws, r.losses, r.last_played,
            %3$s AS provisional, r.fixed
        FROM %1$I.rating AS r WHERE r.games > 0', ladder, deviation,
        skillrating_internal.provisional_expression(model, params));
    EXECUTE format(
        'CREATE VIEW %1$I.history AS
        SELECT e.pool, e.player_id, e.seq, e.kind, e.match_id, e.played_at, e.games_before, e.team, e.score,
            e.win_probability, %2$s AS rating_before, %3$s AS rating_after, e.reason
        FROM %1$I.event AS e', ladder, skillrating_internal.display_columns(model, params, 'e.', '_before'),
        skillrating_internal.display_columns(model, params, 'e.', '_after'));
    SELECT coalesce(array_agg(c.kind), '{}') INTO kinds
    FROM skillrating.models(model, params) AS m, unnest(m.components) AS c WHERE c.state_columns[2] IN ('deviation', 'sigma');
    EXECUTE format(
        'CREATE VIEW %1$I.components WITH (security_barrier) AS
        SELECT c.kind, c.pool, nullif(c.key, '''') AS key, c.player_id, c.state[1] AS mu, CASE WHEN c.kind = ANY (%2$L) THEN c.state[2] END AS deviation,
            c.games, c.last_played, c.as_of, c.state
        FROM %1$I.component AS c WHERE c.games > 0', ladder,
        kinds);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_views(text, text, jsonb) IS
'A part of create_ladder(): the views leaderboard, history and components. They read with the rights
of the ladder''s owner, so that whoever may read them needs no privilege on a table.';
