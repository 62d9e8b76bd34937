-- The standings of seasons that have ended, kept so that their tables need not read all players.

CREATE FUNCTION skillrating_internal.first_unsettled(
    ladder text,
    from_seq bigint,
    OUT first_seq bigint,
    OUT unsettled bigint[])
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT greatest($1, l.horizon + 1) FROM %I.ladder AS l', ladder)
    INTO first_seq USING from_seq;
    IF NOT skillrating_internal.has_table(ladder, 'standing') THEN
        RETURN;
    END IF;
    -- From one operation in the index to the next.
    EXECUTE format(
        'WITH RECURSIVE known AS (
            SELECT (SELECT min(s.operation) FROM %1$I.standing AS s) AS operation
            UNION ALL
            SELECT (SELECT min(s.operation) FROM %1$I.standing AS s WHERE s.operation > k.operation)
            FROM known AS k WHERE k.operation IS NOT NULL)
        SELECT array_agg(k.operation) FROM known AS k
        WHERE k.operation IS NOT NULL AND NOT EXISTS (
            SELECT FROM %1$I.operation AS o
            WHERE o.operation = k.operation AND o.kind = ''season'' AND o.undone_at IS NULL
                AND o.seq < $1)', ladder)
    INTO unsettled USING first_seq;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.first_unsettled(text, bigint) IS
'A part of renew_standings() and wrong_standings(): the place in the order from which on standings
can be told, not before the horizon, and the operations in table standing that are no end of a
season before it. Error 55000 unless the ladder has been entered.';

CREATE FUNCTION skillrating_internal.standings_query(
    ladder text,
    from_seq bigint)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    places bigint[];
    began bigint;
    kept text := '';
BEGIN
    EXECUTE format(
        'SELECT array_agg(o.seq ORDER BY o.seq), min(o.began) FILTER (WHERE o.seq >= $1)
        FROM (
            SELECT o.seq, coalesce((
                SELECT max(x.seq) FROM %1$I.operation AS x
                WHERE x.kind = ''season'' AND x.undone_at IS NULL AND x.seq < o.seq
                    AND (x.pool IS NULL OR x.pool = o.pool)), 0) AS began
            FROM %1$I.operation AS o WHERE o.kind = ''season'' AND o.undone_at IS NULL) AS o', ladder)
    INTO places, began USING from_seq;
    IF began IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT l.model, l.params, l.horizon FROM %I.ladder AS l', ladder) INTO l;
    -- Events before a horizon may be gone: what they said of a season is kept.
    IF began <= l.horizon THEN
        kept := format(
            ' UNION ALL SELECT k.player_id, k.pool, width_bucket(k.began, %2$L::bigint[]), k.games
            FROM %1$I.season_horizon AS k WHERE k.games > 0 AND k.began >= %3$L::bigint', ladder, places,
            began);
    END IF;
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
            SELECT e.player_id, e.pool, s.operation, %5$s AS rating, coalesce(p.games, 0) AS games
            FROM %1$I.event AS e
            JOIN season AS s ON s.seq = e.seq
            LEFT JOIN played AS p ON p.player_id %6$s e.player_id AND p.pool = e.pool AND p.seq = e.seq
            WHERE e.kind = ''season'' AND e.seq = ANY (%7$L::bigint[])
        )
        SELECT q.player_id, q.pool, q.operation, q.rating, q.games,
            CASE WHEN q.marked THEN q.above END AS above,
            CASE WHEN q.marked THEN q.at_least END AS at_least
        FROM (
            SELECT e.*, rank() OVER rated - 1 AS above, count(*) OVER rated AS at_least,
                row_number() OVER placed %% 256 = 0
                    OR row_number() OVER placed = count(*) OVER (PARTITION BY e.operation, e.pool)
                    AS marked
            FROM ended AS e WHERE e.games > 0
            WINDOW rated AS (PARTITION BY e.operation, e.pool ORDER BY e.rating DESC),
                placed AS (PARTITION BY e.operation, e.pool ORDER BY e.rating DESC, e.player_id)) AS q',
        ladder, places, greatest(began, l.horizon), places[cardinality(places)],
        skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'), t.player_equals,
        ARRAY(SELECT u.seq FROM unnest(places) AS u(seq) WHERE u.seq >= from_seq), kept);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.standings_query(text, bigint) IS
'A part of renew_standings() and wrong_standings(): a query for the rows of table standing of the
seasons that have ended at a place in the order or behind it, or null if there is none.';

CREATE FUNCTION skillrating_internal.renew_standings(
    ladder text,
    from_seq bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
-- Without statistics, as in a new ladder, a join of all players would look small.
SET enable_nestloop = off
SET work_mem = '4MB'
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.first_unsettled(ladder, from_seq);
    query text := skillrating_internal.standings_query(ladder, s.first_seq);
BEGIN
    IF query IS NULL THEN
        IF s.unsettled IS NOT NULL THEN
            EXECUTE format('DELETE FROM %I.standing AS s WHERE s.operation = ANY ($1)', ladder)
            USING s.unsettled;
        END IF;
        RETURN;
    END IF;
    IF NOT skillrating_internal.has_table(ladder, 'standing') THEN
        EXECUTE format(
            'CREATE TABLE %I.standing (
                player_id %s NOT NULL,
                pool text NOT NULL,
                operation bigint NOT NULL,
                rating float8 NOT NULL,
                games bigint NOT NULL,
                above bigint,
                at_least bigint)', ladder, t.player_type);
        -- Rows are written in this order, so that it costs little; one by player would cost most.
        EXECUTE format('CREATE INDEX ON %I.standing (operation, pool, rating DESC, player_id)', ladder);
        EXECUTE format('CREATE INDEX ON %I.standing (operation, pool, rating) WHERE above IS NOT NULL', ladder);
        -- A publication of all tables must not keep rows from being deleted.
        EXECUTE format('ALTER TABLE %I.standing REPLICA IDENTITY FULL', ladder);
        PERFORM skillrating_internal.create_comments(ladder, '{standing}');
        PERFORM skillrating_internal.renew_ladder_cache(ladder);
    END IF;
    -- The memory that an index of as many rows would get; it ends with the function.
    PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
    IF s.unsettled IS NULL THEN
        EXECUTE format(
            'INSERT INTO %I.standing (player_id, pool, operation, rating, games, above, at_least) %s',
            ladder, query);
        RETURN;
    END IF;
    EXECUTE format(
        'WITH difference AS MATERIALIZED (
            SELECT old.tid, x.*
            FROM (%2$s) AS x FULL JOIN (
                SELECT s.*, s.ctid AS tid FROM %1$I.standing AS s WHERE s.operation = ANY ($1)) AS old
                ON old.player_id %3$s x.player_id AND old.pool = x.pool AND old.operation = x.operation
            WHERE old.rating IS DISTINCT FROM x.rating OR old.games IS DISTINCT FROM x.games
                OR old.above IS DISTINCT FROM x.above OR old.at_least IS DISTINCT FROM x.at_least
        ), gone AS (
            DELETE FROM %1$I.standing AS s
            WHERE s.ctid = ANY (ARRAY(SELECT d.tid FROM difference AS d WHERE d.tid IS NOT NULL)))
        INSERT INTO %1$I.standing AS s (player_id, pool, operation, rating, games, above, at_least)
        SELECT d.player_id, d.pool, d.operation, d.rating, d.games, d.above, d.at_least
        FROM difference AS d WHERE d.operation IS NOT NULL
        ORDER BY d.operation, d.pool, d.rating DESC, d.player_id', ladder, query, t.player_equals)
    USING s.unsettled;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renew_standings(text, bigint) IS
'Brings table standing up to date after events from a place in the order on were written: writes
rows that have changed, and no others. Error 55000 unless the ladder has been entered.';

CREATE FUNCTION skillrating_internal.wrong_standings(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
SET enable_nestloop = off
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.first_unsettled(ladder, 0);
    query text := skillrating_internal.standings_query(ladder, s.first_seq);
    wrong bigint;
BEGIN
    IF NOT skillrating_internal.has_table(ladder, 'standing') THEN
        EXECUTE coalesce('SELECT count(*) FROM (' || query || ') AS x', 'SELECT 0') INTO wrong;
        RETURN wrong;
    END IF;
    -- Of those with the same rating it does not matter who is marked.
    EXECUTE format(
        'WITH x AS MATERIALIZED (%2$s), s AS MATERIALIZED (
            SELECT s.* FROM %1$I.standing AS s WHERE s.operation = ANY ($1)
        ), mark AS (
            SELECT DISTINCT x.operation, x.pool, x.rating, x.above, x.at_least
            FROM x WHERE x.above IS NOT NULL
        ), stored_mark AS (
            SELECT DISTINCT s.operation, s.pool, s.rating, s.above, s.at_least
            FROM s WHERE ROW(s.above, s.at_least) IS DISTINCT FROM ROW(NULL::bigint, NULL::bigint)
        )
        SELECT (SELECT count(*) FROM x FULL JOIN s
                ON s.player_id %3$s x.player_id AND s.pool = x.pool AND s.operation = x.operation
                WHERE ROW(s.rating, s.games) IS DISTINCT FROM ROW(x.rating, x.games))
            + (SELECT count(*) FROM (TABLE mark EXCEPT TABLE stored_mark) AS m)
            + (SELECT count(*) FROM (TABLE stored_mark EXCEPT TABLE mark) AS m)', ladder,
        coalesce(query, format('SELECT s.* FROM %I.standing AS s WHERE false', ladder)), t.player_equals)
    INTO wrong USING s.unsettled;
    RETURN wrong;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_standings(text) IS
'A part of verify(): how many rows of table standing are not what the events say.';
