-- What makes boards quick: the index on ratings, and the counts that ranks come from.

CREATE FUNCTION skillrating_internal.rating_cell(rating float8, last_played timestamptz)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_rating_cell'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.rating_cell(float8, timestamptz) IS
'The cell in which a player with this displayed rating and last match is counted: the range of the
rating in the upper 32 bits, the period of the match in the lower ones.';

CREATE FUNCTION skillrating_internal.rating_band(rating float8)
RETURNS integer
AS 'MODULE_PATHNAME', 'skillrating_rating_band'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.rating_band(float8) IS
'The band of ratings that a rating is in, of which there are 16 from each power of two to the next:
a higher rating is in the same band or a higher one.';

CREATE FUNCTION skillrating_internal.fold_rating_counts(ladder text, wait boolean DEFAULT true)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_fold_rating_counts'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.fold_rating_counts(text, boolean) IS
'Folds all changes in table rating_count_delta into table rating_count, as those who rate do now and
then, and returns how many rows these were. If another transaction is at it, waits for its end, or
does nothing. Error 55000 unless the door to the ladder is open.';

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
ratings from bottom to top that a rating is in; where the leaderboard is "ranks". Error 55000 unless
the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.active_players(
    ladder text,
    pool text,
    since timestamptz,
    min_games bigint,
    below float8,
    n integer)
RETURNS text[]
AS 'MODULE_PATHNAME', 'skillrating_active_players'
LANGUAGE C STABLE;

COMMENT ON FUNCTION skillrating_internal.active_players(text, text, timestamptz, bigint, float8, integer) IS
'The n players of a pool with the highest displayed ratings, below one unless that is null, among
those with so many rated matches and the last one since then; where the leaderboard is "ranks". It
passes over ranges of ratings in which nobody has played lately. Nothing but below may be null.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_leaderboard(leaderboard text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF leaderboard NOT IN ('ranks', 'bands', 'none') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('leaderboard must be "ranks", "bands" or "none", not "%s"', leaderboard);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_leaderboard(text) IS
'Error 22023 unless this is a choice of create_ladder() and set_leaderboard().';

CREATE FUNCTION skillrating_internal.band_column(
    leaderboard text,
    model text,
    params jsonb)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN leaderboard = 'bands' THEN format(
        ', band integer NOT NULL GENERATED ALWAYS AS (skillrating_internal.rating_band(%s)) STORED',
        skillrating_internal.display_expression(model, params)) ELSE '' END
$function$;

COMMENT ON FUNCTION skillrating_internal.band_column(text, text, jsonb) IS
'A part of create_ladder() and set_leaderboard(): the definition of the column of table rating for
bands, behind a comma, where the leaderboard has them, else nothing. params are complete.';

CREATE FUNCTION skillrating_internal.create_leaderboard(
    ladder text,
    leaderboard text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF leaderboard = 'ranks' THEN
        EXECUTE format('CREATE INDEX ON %I.rating (pool, rating DESC, player_id)', ladder);
    ELSIF leaderboard = 'bands' THEN
        EXECUTE format('CREATE INDEX ON %I.rating (pool, band DESC)', ladder);
    END IF;
    -- Without the index on the rating an update stays on its page, if there is room.
    EXECUTE format('ALTER TABLE %I.rating %s', ladder,
        CASE WHEN leaderboard = 'ranks' THEN 'RESET (fillfactor)' ELSE 'SET (fillfactor = 70)' END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_leaderboard(text, text) IS
'A part of create_ladder() and set_leaderboard(): the index of table rating that boards are read by,
which has the column of bands where they need it.';

CREATE FUNCTION skillrating_internal.rebuild_rating_counts(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    leaderboard text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT l.leaderboard FROM %I.ladder AS l', ladder) INTO leaderboard;
    EXECUTE format('DELETE FROM %I.rating_count', ladder);
    EXECUTE format('DELETE FROM %I.rating_count_delta', ladder);
    IF leaderboard <> 'ranks' THEN
        RETURN;
    END IF;
    EXECUTE format(
        'INSERT INTO %1$I.rating_count_delta (pool, cells, nets)
        SELECT g.pool, array_agg(g.cell), array_agg(g.n)
        FROM (
            SELECT c.pool, c.cell, c.n,
                (row_number() OVER (PARTITION BY c.pool ORDER BY c.cell) - 1) / 500 AS part
            FROM (
                SELECT r.pool, skillrating_internal.rating_cell(r.rating, r.last_played) AS cell,
                    count(*)::integer AS n
                FROM %1$I.rating AS r WHERE r.games > 0 GROUP BY 1, 2) AS c) AS g
        GROUP BY g.pool, g.part', ladder);
    PERFORM skillrating_internal.fold_rating_counts(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rebuild_rating_counts(text) IS
'A part of set_leaderboard(): counts the players of a ladder by their ratings anew, if it is to keep
counts. Nobody rates meanwhile. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.wrong_rating_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    wrong bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    -- Sums by range, by quarter and period, and over 64 rows: each has to be 0.
    EXECUTE format(
        'WITH cell AS (
            SELECT r.pool, skillrating_internal.rating_cell(r.rating, r.last_played) AS cell, 1 AS n
            FROM %1$I.rating AS r WHERE r.games > 0
            UNION ALL
            SELECT d.pool, u.cell, -u.net
            FROM %1$I.rating_count_delta AS d CROSS JOIN LATERAL unnest(d.cells, d.nets) AS u(cell, net)
        ), part AS (
            SELECT c.pool, 0 AS kind, c.cell >> 32 AS key, 0 AS period, c.n FROM cell AS c
            UNION ALL
            SELECT c.pool, 1, c.cell >> 36, c.cell::bit(32)::integer, c.n FROM cell AS c
            UNION ALL
            SELECT c.pool, 2 + l.level, c.cell >> (38 + 6 * l.level), 0, c.n
            FROM cell AS c CROSS JOIN (VALUES (0), (1)) AS l(level)
            UNION ALL
            SELECT c.pool, 0, c.place * 64::bigint + u.i - 1, 0, -u.n
            FROM %1$I.rating_count AS c CROSS JOIN LATERAL unnest(c.ranges) WITH ORDINALITY AS u(n, i)
            UNION ALL
            SELECT c.pool, 1, c.place * 4::bigint + (u.key & 3), u.key >> 2, -u.n
            FROM %1$I.rating_count AS c CROSS JOIN LATERAL unnest(c.active, c.active_counts) AS u(key, n)
            UNION ALL
            SELECT c.pool, 2 + c.level, c.place, 0, -c.total FROM %1$I.rating_count AS c
        )
        SELECT count(*) FROM (
            SELECT FROM part AS p GROUP BY p.pool, p.kind, p.key, p.period HAVING sum(p.n) <> 0) AS w',
        ladder)
    INTO wrong;
    RETURN wrong;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_rating_counts(text) IS
'A part of verify(): how many counts of players by rating are not what table rating says; where the
leaderboard is "ranks". Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.set_leaderboard(
    ladder text,
    leaderboard text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    old record;
    chosen text;
BEGIN
    IF ladder IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_leaderboard(leaderboard);
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO old;
    chosen := coalesce(leaderboard, old.leaderboard);
    IF chosen <> old.leaderboard THEN
        -- Who reads waits at the door, and is refused there if the snapshot is older: at a higher
        -- isolation level it would show the old choice with the new columns.
        PERFORM skillrating_internal.hold_tables(ladder, '{rating}');
        EXECUTE format('ALTER TABLE %I.ladder RESET (fillfactor)', ladder);
        IF to_regclass(format('%I.rating_pool_rating_player_id_idx', ladder)) IS NOT NULL THEN
            EXECUTE format('DROP INDEX %I.rating_pool_rating_player_id_idx', ladder);
        END IF;
        IF old.leaderboard = 'bands' THEN
            -- Its index goes with it.
            EXECUTE format('ALTER TABLE %I.rating DROP COLUMN band', ladder);
        END IF;
        IF chosen = 'bands' THEN
            EXECUTE format('ALTER TABLE %I.rating ADD COLUMN %s', ladder,
                ltrim(skillrating_internal.band_column(chosen, old.model, old.params), ', '));
        END IF;
        PERFORM skillrating_internal.create_leaderboard(ladder, chosen);
        EXECUTE format('UPDATE %I.ladder AS l SET leaderboard = $1', ladder) USING chosen;
    ELSE
        PERFORM skillrating_internal.hold_ladder(ladder, false);
    END IF;
    PERFORM skillrating_internal.rebuild_rating_counts(ladder);
    RETURN chosen;
END
$function$;

SELECT skillrating_internal.create_entry('set_leaderboard');

COMMENT ON FUNCTION skillrating.set_leaderboard(text, text) IS
'Changes what makes the boards of a ladder quick: ranks, bands or none, as create_ladder() takes it;
and counts the players by their ratings anew where that is ranks, also if it was before, or for
null, which leaves the choice as it is: after changes of table rating by hand, which verify() tells.
Rating waits meanwhile, and reading where the choice changes. Returns the choice. Errors: 42704 for
an unknown ladder, 22023 for another choice, 42501 unless the caller owns the ladder, 55P03 if
lock_timeout ends the wait for those who read.';

CREATE FUNCTION skillrating_internal.fold_counts(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF current_setting('transaction_isolation') = 'serializable' THEN
        RAISE invalid_transaction_state USING
            MESSAGE = 'fold_counts() cannot run in a serializable transaction',
            DETAIL = 'Concurrent transactions that rate would fail.',
            HINT = format('Begin it with BEGIN ISOLATION LEVEL READ COMMITTED, or have work() do it: '
                'SELECT skillrating.schedule_work(%L, ''fold_counts'', ''1 minute'').', ladder);
    END IF;
    RETURN skillrating_internal.fold_rating_counts(ladder, false);
END
$function$;

SELECT skillrating_internal.create_entry('fold_counts');

COMMENT ON FUNCTION skillrating.fold_counts(text) IS
'Sums up what those who rate have noted of the counts that ranks come from, and returns how many
notes there were. They do so themselves now and then, but not in serializable transactions: where
all transactions are serializable, have work() do it, see schedule_work(). Does nothing, and returns
0, if another transaction is at it, or if the leaderboard is not "ranks". Nobody waits for it.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 25000 in a serializable
transaction, 40001 at REPEATABLE READ if others have done it since the snapshot.';

CREATE FUNCTION skillrating_internal.has_ranks(
    ladder text,
    at timestamptz,
    max_deviation float8)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    leaderboard text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ladder IS NULL OR at IS NOT NULL OR max_deviation IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT l.leaderboard FROM %I.ladder AS l', ladder) INTO leaderboard;
    RETURN leaderboard = 'ranks';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_ranks(text, timestamptz, float8) IS
'A part of leaderboard() and its like: whether the counts of a ladder say anything of a board at a
time, with a limit to the deviation. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.has_time_index(ladder text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_index AS x
        JOIN pg_attribute AS p ON p.attrelid = x.indrelid AND p.attnum = x.indkey[0]
        JOIN pg_attribute AS t ON t.attrelid = x.indrelid AND t.attnum = x.indkey[1]
        WHERE x.indrelid = to_regclass(format('%I.rating', ladder)) AND x.indisvalid
            AND x.indpred IS NULL AND p.attname = 'pool' AND t.attname = 'last_played')
$function$;

COMMENT ON FUNCTION skillrating_internal.has_time_index(text) IS
'A part of leaderboard(): whether table rating has an index on the pool and the time of the last
match, with which the server finds active players by itself, be they few or many.';

CREATE FUNCTION skillrating_internal.band_order(
    ladder text,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    leaderboard text;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ladder IS NULL OR at IS NOT NULL THEN
        RETURN '';
    END IF;
    EXECUTE format('SELECT l.leaderboard FROM %I.ladder AS l', ladder) INTO leaderboard;
    RETURN CASE WHEN leaderboard = 'bands' THEN 'r.band DESC, ' ELSE '' END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.band_order(text, timestamptz) IS
'A part of leaderboard(): what comes before the rating in the ORDER BY of a board at a time: the
band, by which an index can give the order, or nothing. It does not change the order. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.counts_query(
    ladder text,
    ranked boolean,
    banded boolean,
    eligible text,
    rating text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
        'SELECT (SELECT count(*) FROM board AS r WHERE %1$s AND r.rating > %2$s%3$s) AS above,
            (SELECT count(*) FROM board AS r WHERE %1$s AND r.rating >= %2$s%3$s) AS at_least,
            (SELECT count(*) FROM board AS r WHERE %1$s) AS total', eligible, rating,
        CASE WHEN banded
            THEN format(' AND r.band >= skillrating_internal.rating_band(%s)', rating) ELSE '' END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.counts_query(text, boolean, boolean, text, text) IS
'A part of leaderboard() and its like: the query, below WITH board AS, of how many players of the
board are rated above an expression, at least as high, and in all. ranked says that the counts of
the ladder are those of this board, banded that it has bands, and eligible is its condition. Its
parameters are those of eligible_players(). Error 55000 unless the door to the ladder is open.';
