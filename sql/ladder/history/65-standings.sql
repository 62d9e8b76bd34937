-- The standings of seasons that have ended, kept so that their tables need not read all players.

CREATE FUNCTION skillrating_internal.standings_difference(ladder text, from_seq bigint)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    first_seq bigint := greatest(from_seq, t.horizon + 1);
    exists boolean := skillrating_internal.has_table(ladder, 'standing');
    s record;
BEGIN
    EXECUTE format(
        'SELECT coalesce(array_agg(o.seq ORDER BY o.seq) FILTER (WHERE o.undone_at IS NULL), ''{}'') AS places,
            array_agg(o.operation) FILTER (WHERE o.undone_at IS NOT NULL OR o.seq >= $1) AS operations,
            min(o.began) FILTER (WHERE o.undone_at IS NULL AND o.seq >= $1) AS began
        FROM (
            SELECT o.*, coalesce((
                SELECT max(x.seq) FROM %1$I.operation AS x
                WHERE x.kind = ''season'' AND x.undone_at IS NULL AND x.seq < o.seq
                    AND (x.pool IS NULL OR x.pool = o.pool)), 0) AS began
            FROM %1$I.operation AS o WHERE o.kind = ''season'') AS o', ladder)
    INTO s USING first_seq;
    IF s.operations IS NULL OR s.began IS NULL AND NOT exists THEN
        RETURN NULL;
    END IF;
    -- Of seasons that were undone all rows go.
    IF s.began IS NULL THEN
        RETURN format(
            'SELECT s.ctid AS tid, NULL::%s AS player_id, NULL::text AS pool, NULL::bigint AS operation, NULL::float8 AS rating,
                NULL::bigint AS games, NULL::bigint AS place
            FROM %I.standing AS s WHERE s.operation = ANY (%L)', t.player_type, ladder, s.operations);
    END IF;
    -- Events before a horizon may be gone: what they said of a season is kept.
    RETURN format(
        'WITH season AS (
            SELECT o.operation, o.seq, o.pool FROM %1$I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL
        ), part AS MATERIALIZED (
            SELECT m.player_id, m.pool, width_bucket(m.seq, %2$L::bigint[]) AS span, count(*) AS games
            FROM %1$I.event AS m
            WHERE m.kind = ''match'' AND m.seq > %3$L::bigint AND m.seq < %4$L::bigint
            GROUP BY 1, 2, 3%8$s
        ), place AS MATERIALIZED (
            SELECT p.pool, p.span, (
                SELECT min(s.seq) FROM season AS s
                WHERE s.seq > coalesce((%2$L::bigint[])[p.span], 0)
                    AND (s.pool IS NULL OR s.pool = p.pool)) AS seq
            FROM (SELECT DISTINCT p.pool, p.span FROM part AS p) AS p
        ), played AS (
            SELECT p.player_id, p.pool, q.seq, sum(p.games)::bigint AS games
            FROM part AS p JOIN place AS q ON q.pool = p.pool AND q.span = p.span
            GROUP BY 1, 2, 3
        ), ended AS (
            SELECT e.player_id, e.pool, s.operation, %5$s AS rating, p.games
            FROM %1$I.event AS e
            JOIN season AS s ON s.seq = e.seq
            JOIN played AS p ON p.player_id %6$s e.player_id AND p.pool = e.pool AND p.seq = e.seq
            WHERE e.kind = ''season'' AND e.seq = ANY (ARRAY(SELECT x.seq FROM season AS x WHERE x.seq >= %9$s))
        ), x AS (
            SELECT e.*, rank() OVER (PARTITION BY e.operation, e.pool ORDER BY e.rating DESC) AS place FROM ended AS e)
        SELECT s.tid, x.*
        FROM x FULL JOIN (%7$s) AS s ON s.player_id %6$s x.player_id AND s.pool = x.pool AND s.operation = x.operation
        WHERE s.rating IS DISTINCT FROM x.rating OR s.games IS DISTINCT FROM x.games OR s.place IS DISTINCT FROM x.place',
        ladder, s.places, greatest(s.began, t.horizon), s.places[cardinality(s.places)],
        skillrating_internal.display_expression(t.model, t.params, 'e.', '_before'), t.player_equals,
        CASE WHEN exists THEN format('SELECT s.*, s.ctid AS tid FROM %I.standing AS s WHERE s.operation = ANY (%L)', ladder, s.operations)
            ELSE 'SELECT NULL::tid AS tid, x.* FROM x WHERE false' END,
        CASE WHEN s.began <= t.horizon THEN format(
            ' UNION ALL SELECT k.player_id, k.pool, width_bucket(k.began, %2$L::bigint[]), k.games
            FROM %1$I.season_horizon AS k WHERE k.games > 0 AND k.began >= %3$L::bigint', ladder, s.places, s.began) END,
        first_seq);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.standings_difference(text, bigint) IS
'A query for the rows of table standing of the seasons that end at a place in the order or behind it
that are not what the events say, with the tid of the row to go; null if there can be none.';

CREATE FUNCTION skillrating_internal.renew_standings(ladder text, from_seq bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
-- Without statistics, as in a new ladder, a join of all players would look small.
SET enable_nestloop = off
SET work_mem = '4MB'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    difference text := skillrating_internal.standings_difference(ladder, from_seq);
BEGIN
    IF difference IS NULL THEN
        RETURN;
    END IF;
    IF NOT skillrating_internal.has_table(ladder, 'standing') THEN
        PERFORM skillrating_internal.create_tables(ladder, '{standing}', t.player_type::regtype),
            skillrating_internal.note_change(ladder, tables => true);
    END IF;
    -- The memory that an index of as many rows would get; it ends with the function.
    PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
    EXECUTE format(
        'WITH difference AS MATERIALIZED (%2$s), gone AS (
            DELETE FROM %1$I.standing AS s
            WHERE s.ctid = ANY (ARRAY(SELECT d.tid FROM difference AS d WHERE d.tid IS NOT NULL)))
        INSERT INTO %1$I.standing (player_id, pool, operation, rating, games, place)
        SELECT d.player_id, d.pool, d.operation, d.rating, d.games, d.place
        FROM difference AS d WHERE d.operation IS NOT NULL
        ORDER BY d.operation, d.pool, d.rating DESC, d.player_id', ladder, difference);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renew_standings(text, bigint) IS
'Brings table standing up to date after events from a place in the order on were written.';

CREATE FUNCTION skillrating_internal.wrong_standings(ladder text, OUT wrong bigint)
LANGUAGE plpgsql STABLE STRICT
SET enable_nestloop = off
AS $function$
BEGIN
    EXECUTE coalesce('SELECT count(*) FROM (' || skillrating_internal.standings_difference(ladder, 0) || ') AS d', 'SELECT 0') INTO wrong;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_standings(text) IS
'How many rows of table standing are not what the events say, under one snapshot.';
