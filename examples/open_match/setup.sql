-- What the match function reads of a ladder: run as the ladder's owner, in its database.
--
--   psql -v ladder=arena -v role=match_function -f setup.sql

CREATE SCHEMA IF NOT EXISTS matchmaking;
GRANT USAGE ON SCHEMA matchmaking TO :"role";

-- The skills of players by their identifiers as texts, those of a new player for whoever has none, and
-- the model that they are of.  It reads the ladder with the rights of whoever calls it.
CREATE OR REPLACE FUNCTION matchmaking.skills(ladder text, players text[])
RETURNS TABLE (player_id text, mu float8, deviation float8, model text, params jsonb)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m record;
BEGIN
    EXECUTE format(
        'SELECT l.model, l.params, m.state_columns[1] AS mu, m.deviation_column AS deviation,
            skillrating.initial_state(l.model, l.params) AS initial,
            array_position(m.state_columns, m.deviation_column) AS place,
            (SELECT format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_attribute AS a
             WHERE a.attrelid = (quote_ident($1) || ''.rating'')::regclass AND a.attname = ''player_id'') AS type
        FROM %I.ladder AS l JOIN skillrating.models() AS m ON m.name = l.model', ladder)
    INTO m USING ladder;
    RETURN QUERY EXECUTE format(
        'SELECT u.id, coalesce(r.%2$I, $2), coalesce(%3$s, $3), $4, $5
        FROM (SELECT DISTINCT u.id FROM unnest($1) AS u(id)) AS u
        LEFT JOIN %1$I.rating AS r ON r.player_id = CAST(u.id AS %4$s) AND r.pool = ''''',
        ladder, m.mu, CASE WHEN m.deviation IS NULL THEN 'NULL' ELSE format('r.%I', m.deviation) END,
        m.type)
    USING players, m.initial[1], m.initial[m.place], m.model, m.params;
END
$$;
SELECT skillrating.grant_ladder(:'ladder', :'role', 'reader');
