-- The views of a ladder: its boards with its own types of identifiers, to be joined and published.

CREATE FUNCTION skillrating_internal.provisional_expression(model text, params jsonb)
RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT CASE WHEN m.deviation_column IS NULL
        THEN format('r.games < %s', coalesce((params->>'shadow_games')::numeric::bigint, 10))
        ELSE format('NOT r.%I < %L::float8', m.deviation_column, (skillrating.initial_state(model, params))[
            array_position(m.state_columns, m.deviation_column)] / 2) END
    FROM skillrating.models(model, params) AS m);

COMMENT ON FUNCTION skillrating_internal.provisional_expression(text, jsonb) IS
'Whether a row r of table rating is provisional, as SQL.';

CREATE FUNCTION skillrating_internal.create_views(
    ladder text,
    model text,
    params jsonb,
    source regclass,
    source_list text)
RETURNS void
LANGUAGE plpgsql VOLATILE
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
        FROM %1$I.event AS e', ladder, skillrating_internal.display_expression(model, params, 'e.', '_before'),
        skillrating_internal.display_expression(model, params, 'e.', '_after'));
    SELECT coalesce(array_agg(c.kind), '{}') INTO kinds
    FROM skillrating.models(model, params) AS m, unnest(m.components) AS c WHERE c.state_columns[2] IN ('deviation', 'sigma');
    EXECUTE format(
        'CREATE VIEW %1$I.components WITH (security_barrier) AS
        SELECT c.kind, c.pool, nullif(c.key, '''') AS key, c.player_id, c.state[1] AS mu, CASE WHEN c.kind = ANY (%2$L) THEN c.state[2] END AS deviation,
            c.games, c.last_played, c.as_of, c.state
        FROM %1$I.component AS c WHERE c.games > 0', ladder,
        kinds);
    IF source IS NOT NULL THEN
        EXECUTE format('CREATE VIEW %I.source AS SELECT %s FROM %s AS s', ladder, source_list, source);
        EXECUTE format('COMMENT ON VIEW %I.source IS %L', ladder, format('What the ladder rates, from %s.', source));
    ELSE
        -- Equality of identifiers is that of their type, wherever the type lives, and not one that
        -- somebody else has put beside the type.
        EXECUTE format(
            'CREATE VIEW %1$I.source AS
            SELECT m.match_id, m.played_at, m.pool, m.log_odds,
                m.gain * coalesce(p.player_gain, 1) AS player_gain, m.unrated_reason,
                p.player_id, p.team, p.rank, p.team_score, p.player_score, p.won,
                p.weight, p.joined, p.left_at, p.commanding, p.side,
                coalesce(p.context, m.context) AS context, p.club, m.tournament, p.squad, p.kills, p.deaths, p.quit, p.experience, p.fixed
            FROM %1$I.match AS m
            JOIN %1$I.match_player AS p ON p.match_id %2$s m.match_id
            WHERE m.finished', ladder, (
                SELECT skillrating_internal.identifier_equals(a.atttypid, a.attname) FROM pg_attribute AS a
                WHERE a.attrelid = to_regclass(format('%I.match', ladder)) AND a.attname = 'match_id'));
    END IF;
    PERFORM skillrating_internal.create_comments(ladder, '{leaderboard,history,components,source}', model, params);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_views(text, text, jsonb, regclass, text) IS
'Makes the views of a ladder, source as a list of columns of the user''s relation or, if that is
null, over its own tables. They read with the rights of the ladder''s owner.';
