-- Ranks by counts, an option of a ladder: counts of players by rating, and the way back.

CREATE FUNCTION skillrating_internal.rating_range(rating float8)
RETURNS integer
AS 'MODULE_PATHNAME', 'skillrating_rating_range'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.rating_range(float8) IS
'The range in which a player with this displayed rating is counted.';

CREATE FUNCTION skillrating_internal.add_ranges(
    counts integer[],
    places integer[],
    nets integer[])
RETURNS integer[]
AS 'MODULE_PATHNAME', 'skillrating_add_ranges'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.add_ranges(integer[], integer[], integer[]) IS
'The counts of 64 ranges, zero where counts is null, with changes added to those at some places from
0, or to all of them where places is null. Error 55000 for arrays that do not go together.';

CREATE FUNCTION skillrating_internal.fold_rating_counts(ladder text)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_fold_rating_counts'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.fold_rating_counts(text) IS
'Adds all changes in table rating_count_delta to table rating_count, as sessions that rate do now
and then, and returns how many rows of it that wrote; none while another transaction that has done
so is open. Error 55000 unless the ladder has been entered.';

CREATE FUNCTION skillrating_internal.range_counts(
    ladder text,
    pool text,
    rating float8,
    OUT above bigint,
    OUT below bigint,
    OUT total bigint,
    OUT bottom float8,
    OUT top float8)
AS 'MODULE_PATHNAME', 'skillrating_range_counts'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.range_counts(text, text, float8) IS
'How many players of a pool with rated matches there are, and of them above and below the range of
ratings from bottom to top that a rating is in; where ranks are counted.';

CREATE FUNCTION skillrating_internal.ranks(ladder text)
RETURNS text
LANGUAGE sql STABLE STRICT
RETURN CASE WHEN NOT skillrating_internal.has_table(ladder, 'rating_count') THEN 'indexed' ELSE 'counted' END;

COMMENT ON FUNCTION skillrating_internal.ranks(text) IS
'Where the ranks of a ladder come from, as set_ranks() takes it: a ladder has the tables of counts if
they are counted.';

CREATE FUNCTION skillrating_internal.create_count_tables(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.rating_count (
            pool text NOT NULL,
            level integer NOT NULL,
            place integer NOT NULL,
            total bigint NOT NULL,
            ranges integer[],
            PRIMARY KEY (pool, level, place)) WITH (fillfactor = 50)', ladder);
    EXECUTE format(
        'CREATE TABLE %I.rating_count_delta (
            pool text NOT NULL,
            ranges integer[] NOT NULL,
            nets integer[] NOT NULL) WITH (autovacuum_vacuum_scale_factor = 0,
                autovacuum_vacuum_threshold = 1000)', ladder);
    -- A publication of all tables must not keep rows from being deleted.
    EXECUTE format('ALTER TABLE %I.rating_count_delta REPLICA IDENTITY FULL', ladder);
    PERFORM skillrating_internal.create_comments(ladder, '{rating_count,rating_count_delta}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_count_tables(text) IS
'A part of create_ladder() and set_ranks(): the tables rating_count and rating_count_delta, which a
ladder has whose ranks are counted.';

CREATE FUNCTION skillrating_internal.rebuild_rating_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
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
'A part of set_ranks() and catch_up(): counts the players of a ladder by their ratings anew. Nobody
rates meanwhile. Error 55000 unless the ladder has been entered.';

CREATE FUNCTION skillrating_internal.wrong_rating_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    wrong bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
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
'A part of verify(): how many counts of players by rating are not what table rating says; where ranks
are counted. Error 55000 unless the ladder has been entered.';

CREATE FUNCTION skillrating_internal.set_ranks(
    ladder text,
    ranks text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    old text := skillrating_internal.ranks(ladder);
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_choice('ranks', ranks, 'indexed', 'counted');
    IF ranks = old THEN
        PERFORM skillrating_internal.hold_ladder(ladder, false);
    ELSE
        -- Readers have a lock on this table and wait for it.  Those with an older snapshot fail, as
        -- the row of the table in pg_class is a new one: they would see the new tables empty.
        PERFORM skillrating_internal.hold_tables(ladder, CASE ranks WHEN 'counted' THEN '{ladder}'::text[]
            ELSE '{ladder,rating_count,rating_count_delta}' END);
        IF ranks = 'counted' THEN
            PERFORM skillrating_internal.create_count_tables(ladder);
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
    ranked boolean,
    eligible text,
    rating text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ranked THEN
        RETURN format(
            'SELECT c.above + (
                    SELECT count(*) FROM %1$I.rating AS r
                    WHERE r.pool = $1 AND r.games > 0 AND r.rating > %2$s AND r.rating <= c.top) AS above,
                c.total - c.below - (
                    SELECT count(*) FROM %1$I.rating AS r
                    WHERE r.pool = $1 AND r.games > 0 AND r.rating < %2$s AND r.rating >= c.bottom) AS at_least,
                c.total
            FROM skillrating_internal.range_counts(%1$L, $1, %2$s) AS c', ladder, rating);
    END IF;
    RETURN format(
        'SELECT c.above, c.above + (
                SELECT count(*) FROM board AS r WHERE %1$s AND r.rating = %2$s) AS at_least,
            (SELECT count(*) FROM board AS r WHERE %1$s) AS total
        FROM (
            SELECT (SELECT count(*) FROM board AS r WHERE %1$s AND r.rating > %2$s) AS above
            OFFSET 0) AS c', eligible, rating);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.counts_query(text, boolean, text, text) IS
'A part of leaderboard() and its like: the query, below WITH board AS, of how many players of the
board are rated above an expression, at least as high, and in all. ranked says that the counts of
the ladder are those of this board, and eligible is its condition. Its parameters are those of
eligible_players(). Error 55000 unless the ladder has been entered.';
