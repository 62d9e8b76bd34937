-- Ranks by counts, an option of a ladder: counts of players by rating, and the way back.

CREATE FUNCTION skillrating_internal.rebuild_rating_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    EXECUTE format('DELETE FROM %I.rating_count', ladder);
    EXECUTE format('DELETE FROM %I.rating_count_delta', ladder);
    EXECUTE format(
        'INSERT INTO %1$I.rating_count_delta (pool, ranges, nets)
        SELECT c.pool, array_agg(c.range), array_agg(c.n)
        FROM (
            SELECT r.pool, skillrating_internal.rating_range(r.rating) AS range, count(*)::integer AS n
            FROM %1$I.rating AS r WHERE r.games > 0 GROUP BY 1, 2) AS c
        GROUP BY c.pool', ladder);
    RETURN skillrating_internal.fold_rating_counts(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rebuild_rating_counts(text) IS
'Counts the players of a ladder by their ratings anew, while nobody rates.';

CREATE FUNCTION skillrating_internal.wrong_rating_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    wrong bigint;
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    -- Sums by range, and over the ranges of a row and of 64 rows: each has to be 0.
    EXECUTE format(
        'WITH change AS (
            SELECT r.pool, skillrating_internal.rating_range(r.rating) AS range, 1 AS n
            FROM %1$I.rating AS r WHERE r.games > 0
            UNION ALL
            SELECT d.pool, u.range, -u.net
            FROM %1$I.rating_count_delta AS d CROSS JOIN LATERAL unnest(d.ranges, d.nets) AS u(range, net)
        ), part AS (
            SELECT c.pool, l.level, c.range >> (6 + 6 * l.level) AS key, c.n
            FROM change AS c CROSS JOIN (VALUES (-1), (0), (1)) AS l(level)
            UNION ALL
            SELECT c.pool, -1, c.place * 64::bigint + u.i - 1, -u.n
            FROM %1$I.rating_count AS c CROSS JOIN LATERAL unnest(c.ranges) WITH ORDINALITY AS u(n, i)
            UNION ALL
            SELECT c.pool, c.level, c.place, -c.total FROM %1$I.rating_count AS c
        )
        SELECT count(*) FROM (
            SELECT FROM part AS p GROUP BY p.pool, p.level, p.key HAVING sum(p.n) <> 0) AS w',
        ladder)
    INTO wrong;
    RETURN wrong;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_rating_counts(text) IS
'How many counts of players by rating are not what table rating says.';

CREATE FUNCTION skillrating_internal.set_ranks(ladder text, ranks text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    is_counted boolean := skillrating_internal.has_table(ladder, 'rating_count');
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    PERFORM skillrating_internal.check_choice('ranks', ranks, 'indexed', 'counted');
    IF (ranks = 'counted') = is_counted THEN
        PERFORM skillrating_internal.hold_ladder(ladder, false);
    ELSE
        -- Readers have a lock on this table and wait for it.  Those with an older snapshot fail, as
        -- the row of the table in pg_class is a new one: they would see the new tables empty.
        PERFORM skillrating_internal.hold_objects(ladder, '{}', ARRAY[to_regnamespace(quote_ident(ladder))], ARRAY(
                SELECT c.oid FROM pg_class AS c WHERE c.relnamespace = to_regnamespace(quote_ident(ladder))
                    AND c.relname IN ('ladder', 'rating_count', 'rating_count_delta') ORDER BY c.relname), 0),
            skillrating_internal.hold_ladder(ladder, true);
        IF ranks = 'counted' THEN
            PERFORM skillrating_internal.create_tables(ladder, '{rating_count,rating_count_delta}');
        ELSE
            EXECUTE format('DROP TABLE %1$I.rating_count, %1$I.rating_count_delta', ladder);
        END IF;
        EXECUTE format('ALTER TABLE %I.ladder RESET (fillfactor)', ladder);
    END IF;
    IF ranks = 'counted' THEN
        PERFORM skillrating_internal.rebuild_rating_counts(ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_ranks(text, text) IS
'Changes where the ranks of a ladder come from, indexed or counted, as create_ladder() takes it. For
counted it counts the players anew, also if they were counted before: after changes of table rating
by hand, which verify() reports. Rating waits meanwhile, and reading where the choice changes.
Errors: 42704 for an unknown ladder, 22023 for another choice, 42501 unless the caller owns the
ladder, 55P03 if lock_timeout ends the wait for sessions that read.';

CREATE FUNCTION skillrating_internal.counts_query(
    ladder text,
    pool text,
    counted boolean,
    eligible text,
    rating text)
RETURNS text
LANGUAGE sql STABLE STRICT
RETURN format(CASE WHEN counted THEN
        'SELECT c.above + (
                SELECT count(*) FROM board AS r WHERE %1$s AND r.rating > %2$s AND r.rating <= c.top) AS above,
            c.total - c.below - (
                SELECT count(*) FROM board AS r WHERE %1$s AND r.rating < %2$s AND r.rating >= c.bottom) AS at_least,
            c.total
        FROM skillrating_internal.range_counts(%3$L, %4$L, %2$s) AS c'
        ELSE
        'SELECT c.above, c.above + (
                SELECT count(*) FROM board AS r WHERE %1$s AND r.rating = %2$s) AS at_least,
            (SELECT count(*) FROM board AS r WHERE %1$s) AS total
        FROM (
            SELECT (SELECT count(*) FROM board AS r WHERE %1$s AND r.rating > %2$s) AS above
            OFFSET 0) AS c' END, eligible, rating, ladder, pool);

COMMENT ON FUNCTION skillrating_internal.counts_query(text, text, boolean, text, text) IS
'The query, behind the beginning of a board(), of how many eligible players are rated above an
expression, at least as high, and in all.';
