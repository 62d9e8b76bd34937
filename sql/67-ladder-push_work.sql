-- The steps of push(): comparing, following changes, and the schedule of both.

CREATE FUNCTION skillrating_internal.next_compared(
    ladder text,
    pool text,
    last_player text,
    last_pool text,
    page_size integer,
    OUT players text[],
    OUT pools text[])
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    EXECUTE format(
        'SELECT coalesce(array_agg(k.player_id::text ORDER BY k.n), ''{}''),
            coalesce(array_agg(k.pool ORDER BY k.n), ''{}'')
        FROM (
            SELECT r.player_id, r.pool, row_number() OVER (ORDER BY r.player_id%2$s, r.pool) AS n
            FROM %1$I.rating AS r
            WHERE r.pool = coalesce($1, r.pool) AND ($2 IS NULL OR CAST($2 AS %3$s) %4$s r.player_id
                OR (CAST($2 AS %3$s) %5$s r.player_id AND $3 < r.pool))
            ORDER BY r.player_id%2$s, r.pool LIMIT $4) AS k', ladder, t.player_order,
        t.player_type, t.player_less, t.player_equals)
    INTO players, pools USING pool, last_player, last_pool, page_size;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.next_compared(text, text, text, text, integer) IS
'A part of push(): the next page of all rows of rating, in the order of its key, behind the last row
of the page before.';

CREATE FUNCTION skillrating_internal.targets_without_rating(
    ladder text,
    target skillrating_internal.push_target,
    pool text,
    OUT players text[],
    OUT pools text[])
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    EXECUTE format(
        'SELECT coalesce(array_agg(k.player::text), ''{}''), coalesce(array_agg(k.pool), ''{}'')
        FROM (SELECT t.%1$I AS player, %2$s AS pool FROM %3$s AS t) AS k
        WHERE k.pool = coalesce($1, k.pool) AND NOT EXISTS (
            SELECT FROM %4$I.rating AS r WHERE r.player_id %5$s k.player AND r.pool = k.pool)',
        target.key_column, CASE WHEN target.pool_column IS NULL THEN '$1::text'
            ELSE format('t.%I::text', target.pool_column) END, target.relation, ladder, t.player_equals)
    INTO players, pools USING pool;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.targets_without_rating(text, skillrating_internal.push_target, text) IS
'A part of push(): the rows of a table that have no rating any more.';

CREATE FUNCTION skillrating_internal.changed_players(
    ladder text,
    relation regclass,
    cursor text,
    max_changes integer,
    OUT players text[],
    OUT pools text[],
    OUT next_cursor text,
    OUT more boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    retried record;
BEGIN
    SELECT coalesce(array_agg(c.player_id) FILTER (WHERE c.next_cursor IS NULL), '{}'),
        coalesce(array_agg(c.pool) FILTER (WHERE c.next_cursor IS NULL), '{}'), max(c.next_cursor)
    INTO players, pools, next_cursor
    FROM skillrating_internal.changes(ladder, cursor, max_changes) AS c;
    more := cardinality(players) >= max_changes;
    EXECUTE format(
        'SELECT array_agg(f.player_id::text) AS players, array_agg(f.pool) AS pools
        FROM (
            SELECT f.* FROM %I.push_failure AS f
            WHERE f.relation = $1 AND f.retry_at <= clock_timestamp()
            ORDER BY f.retry_at LIMIT 100) AS f', ladder)
    INTO retried USING relation;
    players := players || retried.players;
    pools := pools || retried.pools;
EXCEPTION
    WHEN invalid_cursor_state THEN
        players := '{}';
        pools := '{}';
        next_cursor := NULL;
        more := true;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.changed_players(text, regclass, text, integer) IS
'A part of push(): whose ratings have changed since a cursor, with those whose rows a table did not
take before and that are due again; the next cursor, null if one has to start again; and whether
there may be more.';

CREATE FUNCTION skillrating_internal.push_phase(
    ladder text,
    target skillrating_internal.push_target,
    state jsonb,
    number bigint,
    batch_size integer,
    OUT next_state jsonb,
    OUT written bigint,
    OUT deleted bigint,
    OUT more boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    pages_at_once constant integer := 10;
    page_size constant integer := batch_size * pages_at_once;
    pool text := state ->> 'pool';
    k record;
    step record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    next_state := state;
    more := true;
    CASE state ->> 'phase'
        WHEN 'compare' THEN
            k := skillrating_internal.next_compared(ladder, pool, state ->> 'last_player',
                state ->> 'last_pool', page_size);
            next_state := next_state || CASE WHEN cardinality(k.players) < page_size
                THEN '{"phase": "remove", "last_player": null, "last_pool": null}'
                ELSE jsonb_build_object('last_player', k.players[page_size],
                    'last_pool', k.pools[page_size]) END;
        WHEN 'remove' THEN
            k := skillrating_internal.targets_without_rating(ladder, target, pool);
            next_state := next_state || '{"phase": "follow"}';
        ELSE
            k := skillrating_internal.changed_players(ladder, target.relation, state ->> 'cursor',
                batch_size);
            more := k.more;
            next_state := next_state || CASE WHEN k.next_cursor IS NULL
                THEN jsonb_build_object('phase', 'compare', 'cursor',
                    skillrating_internal.newest_cursor(ladder))
                ELSE jsonb_build_object('cursor', k.next_cursor) END;
    END CASE;
    step := skillrating_internal.push_keys(ladder, target, pool, k.players, k.pools, number,
        batch_size);
    written := step.written;
    deleted := step.deleted;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_phase(text, skillrating_internal.push_target, jsonb, bigint, integer) IS
'A part of push_step(): does the next piece of the phase in which the push of a table is, and
returns the state of the next one.';

CREATE FUNCTION skillrating_internal.lock_push(
    ladder text,
    relation regclass,
    OUT target skillrating_internal.push_target,
    OUT state jsonb,
    OUT number bigint,
    OUT target_position bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    p record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT p.columns, p.position_column, p.position, p.target_position,
            jsonb_build_object(''pool'', p.pool, ''phase'', p.phase, ''cursor'', p.cursor,
                ''last_player'', p.last_player::text, ''last_pool'', p.last_pool) AS state
        FROM %I.push AS p WHERE p.relation = $1 FOR UPDATE SKIP LOCKED', ladder)
    INTO p USING relation;
    IF p.columns IS NULL THEN
        RETURN;
    END IF;
    -- From here on a local table cannot be given away; nobody but its owner may have code there.
    IF EXISTS (
        SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind IN ('r', 'p'))
    THEN
        EXECUTE format('LOCK TABLE %s IN ROW EXCLUSIVE MODE', relation);
    END IF;
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    target := skillrating_internal.push_target(ladder, relation, p.columns, p.position_column);
    state := p.state;
    EXECUTE format('SELECT coalesce(max(t.%I), 0) FROM %s AS t', p.position_column, relation)
    INTO target_position;
    -- One more than the last is a push of ours whose end was not noted here: it is repeated.
    IF state ->> 'cursor' IS NULL
        OR target_position NOT IN (p.target_position, p.position + 1)
    THEN
        state := state || jsonb_build_object('phase', 'compare', 'last_player', NULL,
            'last_pool', NULL, 'cursor', skillrating_internal.newest_cursor(ladder));
    END IF;
    number := greatest(target_position, p.position);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lock_push(text, regclass) IS
'A part of push_step(): locks the row of a table in push, unless another session has done so, and
returns what is known of it, the state of its push, the greatest number of a push so far, and the
greatest position in the table. Where that is none that we have left there, all ratings are compared
anew. Error 42501 for a table that is not the ladder''s owner''s any more.';

CREATE FUNCTION skillrating_internal.push_step(
    ladder text,
    relation regclass,
    batch_size integer DEFAULT 1000,
    failure text DEFAULT NULL,
    OUT pushed bigint,
    OUT more boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    p record;
    step record;
    number bigint;
    left_there bigint;
BEGIN
    more := false;
    IF ladder IS NULL OR relation IS NULL OR batch_size IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, relation and batch_size must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_backfill(batch_size, true);
    PERFORM skillrating_internal.check_pushed(ladder, relation);
    IF failure IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %I.push AS p SET failed_at = clock_timestamp(), error = $2
            WHERE p.relation = $1', ladder)
        USING relation, failure;
        RETURN;
    END IF;
    p := skillrating_internal.lock_push(ladder, relation);
    IF p.state IS NULL THEN
        RETURN;
    END IF;
    number := p.number + 1;
    step := skillrating_internal.push_phase(ladder, p.target, p.state, number, batch_size);
    left_there := CASE WHEN step.written > 0 THEN number
        WHEN step.deleted = 0 THEN p.target_position
        WHEN skillrating_internal.mark_push(p.target, number) THEN number ELSE 0 END;
    EXECUTE format(
        'UPDATE %I.push AS p
        SET phase = $2 ->> ''phase'', cursor = $2 ->> ''cursor'',
            last_player = CAST($2 ->> ''last_player'' AS %s), last_pool = $2 ->> ''last_pool'',
            position = $3, target_position = $4, attempts = 0, pushed = p.pushed + $5,
            pushed_at = clock_timestamp(), failed_at = NULL, error = NULL,
            due_at = clock_timestamp() + CASE WHEN $6 THEN interval ''0''
                ELSE coalesce(p.every, interval ''1 second'') END
        WHERE p.relation = $1', ladder,
        (skillrating_internal.ladder_types(ladder)).player_type)
    USING relation, step.next_state,
        CASE WHEN step.written + step.deleted > 0 THEN number ELSE p.number END, left_there,
        step.written + step.deleted, step.more;
    pushed := step.written + step.deleted;
    more := step.more;
END
$function$;

SELECT skillrating_internal.create_entry('push_step');

COMMENT ON FUNCTION skillrating.push_step(text, regclass, integer, text) IS
'A step of push(): writes the next ratings of a ladder to a table that push_rating() was given, at
most about ten times batch_size of them, and returns how many rows that changed there (pushed; null
if another session is doing it) and whether there may be more. A row that the table does not take is
noted in push_failure. With a failure it notes that in table push instead. Errors: 42704 for an
unknown ladder, or a table to which nothing is pushed, 42501 unless the caller owns it, and the
table belongs to its owner, 22004 for nulls, 22003 for a batch_size below 1, 55000 if the table
takes none of many rows or the ladder does not keep its changes, and those of the table or its
server.';

CREATE FUNCTION skillrating_internal.push_begin(
    ladder text,
    relation regclass DEFAULT NULL,
    at_once boolean DEFAULT false,
    scheduled boolean DEFAULT false,
    OUT relations regclass[])
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    relations := '{}';
    IF ladder IS NULL OR at_once IS NULL OR scheduled IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, at_once and scheduled must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF relation IS NOT NULL THEN
        PERFORM skillrating_internal.check_pushed(ladder, relation);
    ELSIF NOT skillrating_internal.has_push_tables(ladder) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'WITH due AS MATERIALIZED (
            SELECT p.relation FROM %1$I.push AS p
            WHERE p.relation = coalesce($1, p.relation)
                AND ($2 OR p.due_at <= clock_timestamp()) AND (p.every IS NOT NULL OR NOT $3)
            FOR UPDATE SKIP LOCKED
        ), begun AS (
            UPDATE %1$I.push AS p
            SET attempts = p.attempts + 1,
                due_at = clock_timestamp() + skillrating_internal.push_delay(p.attempts + 1)
            FROM due WHERE p.relation = due.relation
            RETURNING p.relation)
        SELECT coalesce(array_agg(b.relation ORDER BY b.relation::text), ''{}'') FROM begun AS b',
        ladder)
    INTO relations USING relation, at_once, scheduled;
END
$function$;

SELECT skillrating_internal.create_entry('push_begin');

COMMENT ON FUNCTION skillrating.push_begin(text, regclass, boolean, boolean) IS
'A step of push(): the tables, or the one given, to which ratings are due to be written, or all with
at_once; with scheduled, only those that work() does. It notes the attempt, in a transaction before
the one that makes it: whatever ends that, the next one is due only a second later, and twice as
late each time, up to five minutes. Errors: 42704 for an unknown ladder, 42501 unless the caller
owns it, 22004 for nulls.';

CREATE FUNCTION skillrating_internal.push_rating(
    ladder text,
    relation regclass,
    columns jsonb,
    pool text DEFAULT NULL,
    every interval DEFAULT '1 second',
    position_column text DEFAULT 'position')
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    target skillrating_internal.push_target;
BEGIN
    IF ladder IS NULL OR relation IS NULL OR columns IS NULL OR position_column IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, relation, columns and position_column must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_relation(relation);
    PERFORM skillrating_internal.check_changes_kept(ladder);
    PERFORM skillrating_internal.check_every('every', every);
    PERFORM skillrating_internal.check_push_columns(ladder, relation, columns);
    target := skillrating_internal.push_target(ladder, relation, columns, position_column);
    PERFORM skillrating_internal.check_push_target(ladder, target);
    PERFORM skillrating_internal.create_push_tables(ladder);
    -- Where the table has no pools it has the ratings of one.
    EXECUTE format(
        'INSERT INTO %I.push AS p (relation, columns, pool, every, position_column)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (relation) DO UPDATE
        SET columns = excluded.columns, pool = excluded.pool, every = excluded.every,
            position_column = excluded.position_column, phase = ''compare'', cursor = NULL,
            last_player = NULL, last_pool = NULL, attempts = 0, due_at = excluded.due_at,
            failed_at = NULL, error = NULL', ladder)
    USING relation, columns, CASE WHEN target.pool_column IS NULL THEN coalesce(pool, '') ELSE pool END,
        every, position_column;
    EXECUTE format('DELETE FROM %I.push_failure AS f WHERE f.relation = $1', ladder) USING relation;
END
$function$;

SELECT skillrating_internal.create_entry('push_rating');

COMMENT ON FUNCTION skillrating.push_rating(text, regclass, jsonb, text, interval, text) IS
'Has push() write the ratings of a ladder to a table from now on, in transactions of its own: a
foreign table whose server may be down, or a local one. The table is the ladder''s: it has a row for
each player and pool with a rating, with the values of rating, and no others.
columns maps the table''s columns to those of rating, as in {"player": "player_id", "pool": "pool",
"elo": "rating", "played": "games"}: one to player_id, of the ladder''s type, which with the one for
pool is the key; without one for pool the table has the ratings of one pool.
pool: only ratings of this pool; the empty one where the table has no column for it.
every: work() writes what has changed when so much time has passed; null: only push() does.
position_column: a column of type bigint, which says how new a row is; it only grows. Index it.
Called again for the same table it replaces what was, and has all rows compared. The first push
compares them, too: rows that differ are written, and those without rating deleted. The ladder must
keep its changes, see keep_changes(). Writing is done with the rights of the ladder''s owner, whose
user mapping a foreign table takes. Errors: 42704 for an unknown ladder, 42P01 for an unknown table,
42809 for a view, 42501 unless the caller owns the ladder, and its owner the table, 42703 for an
unknown column, 42804 for columns of other types, 42846 for a value that cannot be cast, 22023 for
columns that are no object of names or an every that is not positive, 22004 for nulls, 55000 if the
ladder does not keep its changes.';

CREATE FUNCTION skillrating_internal.unpush_rating(
    ladder text,
    relation regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_pushed(ladder, relation);
    EXECUTE format('DELETE FROM %I.push AS p WHERE p.relation = $1', ladder) USING relation;
    EXECUTE format('DELETE FROM %I.push_failure AS f WHERE f.relation = $1', ladder) USING relation;
END
$function$;

SELECT skillrating_internal.create_entry('unpush_rating');

COMMENT ON FUNCTION skillrating.unpush_rating(text, regclass) IS
'Undoes push_rating(): the table keeps what it has. Works as well if the table was dropped (give its
OID). Errors: 42704 for an unknown ladder or a table to which nothing is pushed, 42501 unless the
caller owns the ladder.';

CREATE FUNCTION skillrating_internal.push_status(
    ladder text,
    OUT relation regclass,
    OUT columns jsonb,
    OUT pool text,
    OUT every interval,
    OUT phase text,
    OUT "position" bigint,
    OUT attempts integer,
    OUT due_at timestamptz,
    OUT pushed bigint,
    OUT pushed_at timestamptz,
    OUT refused bigint,
    OUT failed_at timestamptz,
    OUT error text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_push_tables(ladder) THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT p.relation, p.columns, p.pool, p.every, p.phase, p.position, p.attempts, p.due_at,
            p.pushed, p.pushed_at,
            (SELECT count(*) FROM %1$I.push_failure AS f WHERE f.relation = p.relation),
            p.failed_at, p.error
        FROM %1$I.push AS p ORDER BY p.relation::text', ladder);
END
$function$;

SELECT skillrating_internal.create_entry('push_status');

COMMENT ON FUNCTION skillrating.push_status(text) IS
'To which tables push() writes the ratings of a ladder, a row for each, and how it goes: what
push_rating() was given; the phase (compare and remove: all ratings, follow: what changes); the
number of the last push that wrote anything (position); attempts since the last one that succeeded,
and when the next one is due; how many rows were written, and when that succeeded last (pushed,
pushed_at); how many ratings the table has refused, see push_failure; and when it failed, and why,
if that was since. Errors: 42704 for an unknown ladder, 42501 unless the caller owns it.';

CREATE PROCEDURE skillrating.push(
    ladder text,
    relation regclass DEFAULT NULL,
    run_for interval DEFAULT '0',
    scheduled boolean DEFAULT false,
    INOUT pushed bigint DEFAULT NULL,
    INOUT failures bigint DEFAULT NULL)
LANGUAGE plpgsql
AS $procedure$
DECLARE
    max_steps constant pg_catalog.int4 := 100;
    until pg_catalog.timestamptz;
    at_once pg_catalog.bool := NOT scheduled;
    targets pg_catalog.regclass[];
    target pg_catalog.regclass;
    step pg_catalog.record;
    steps pg_catalog.int4;
    failure pg_catalog.text;
BEGIN
    -- As in backfill(), no bare operators or names here. Whatever works on a ladder checks the
    -- rights of the caller.
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    PERFORM skillrating_internal.check_run_for(run_for);
    until := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) run_for;
    pushed := 0;
    failures := 0;
    LOOP
        targets := '{}';
        BEGIN
            targets := skillrating.push_begin(ladder, relation, at_once, scheduled);
        EXCEPTION WHEN OTHERS OR assert_failure THEN
            -- work() goes on with other ladders.
            IF scheduled IS NOT TRUE THEN
                RAISE;
            END IF;
            RAISE WARNING 'no ratings of ladder "%" are written: %', ladder, SQLERRM;
            failures := failures OPERATOR(pg_catalog.+) 1;
            EXIT;
        END;
        at_once := false;
        FOREACH target IN ARRAY targets LOOP
            steps := 0;
            LOOP
                COMMIT AND CHAIN;
                failure := NULL;
                BEGIN
                    SELECT s.pushed, s.more INTO step FROM skillrating.push_step(ladder, target) AS s;
                    -- What is deferred here fails here, and not at the commit.
                    SET CONSTRAINTS ALL IMMEDIATE;
                EXCEPTION WHEN OTHERS OR assert_failure THEN
                    failure := SQLERRM;
                END;
                EXIT WHEN failure IS NOT NULL;
                pushed := pushed OPERATOR(pg_catalog.+) COALESCE(step.pushed, 0);
                steps := steps OPERATOR(pg_catalog.+) 1;
                EXIT WHEN NOT step.more OR steps OPERATOR(pg_catalog.>=) max_steps;
            END LOOP;
            CONTINUE WHEN failure IS NULL;
            RAISE WARNING 'ratings of ladder "%" cannot be written to table %: %', ladder, target,
                failure;
            failures := failures OPERATOR(pg_catalog.+) 1;
            -- A connection that is lost keeps the transaction from being committed.
            ROLLBACK AND CHAIN;
            BEGIN
                PERFORM FROM skillrating.push_step(ladder, target, failure => failure);
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                NULL;
            END;
        END LOOP;
        COMMIT AND CHAIN;
        EXIT WHEN pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>=) until;
        PERFORM pg_catalog.pg_sleep(0.1);
        COMMIT AND CHAIN;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.push(text, regclass, interval, boolean, bigint, bigint) IS
'Writes the ratings of a ladder to the tables that push_rating() was given, or to one of them, as
far as they have changed. Rating never waits for that. The steps for each table are transactions of
their own, and a session that writes to one keeps others from it. Whatever ends it, the next call
goes on there: what was written and not noted is compared again, and a row is never replaced by an
older one. A table that cannot be written to, as because its server is down, is a warning, is noted
in table push, and is tried again after a second, then after two, up to five minutes. A row that a
table refuses is noted in push_failure, keeps no other waiting, and is tried again in the same way,
or when the rating changes. If a table is not as it was left, as after a failover to a standby that
lacked the last changes, all ratings are compared with it.
run_for: go on for so long. scheduled: as work() does, only tables that have every and are due;
otherwise it begins with all at once. Then an error of the ladder as a whole is a warning and counts
as a failure.
pushed, failures: return how many rows were written, and how often a table could not be; values
given in the call are ignored. work() does the same for tables with every, see push_rating().
Errors: 2D000 within a transaction block, 42704 for an unknown ladder, or a table to which nothing
is pushed, 42501 unless the caller owns it, 22004 for nulls in run_for or scheduled, 22023 for a
run_for less than 0; and whatever a server that ends its part at the commit says.';

CREATE FUNCTION skillrating_internal.end_pushes(ladder text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint;
BEGIN
    IF NOT skillrating_internal.has_push_tables(ladder) THEN
        RETURN false;
    END IF;
    EXECUTE format('DELETE FROM %I.push', ladder);
    GET DIAGNOSTICS n = ROW_COUNT;
    EXECUTE format('DELETE FROM %I.push_failure', ladder);
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_pushes(text) IS
'A part of keep_changes(): ends push_rating() for all tables, and returns whether there were any.
Error 55000 unless the door to the ladder is open.';
