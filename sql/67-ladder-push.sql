-- Ratings in tables of other servers, written by a session of its own.
--
-- A target has a column for the position: the number of the push that wrote a row, which only
-- grows. The greatest one says what the target has. If it is not what was left there, the target
-- has gone back in time, or somebody else has written to it, and is compared with all ratings.

CREATE TYPE skillrating_internal.push_target AS (
    relation regclass,
    key_column text,
    pool_column text,
    position_column text,
    names text[],
    sources text[],
    types text[]);

COMMENT ON TYPE skillrating_internal.push_target IS
'A table to which push() writes ratings: its columns for the player, for the pool (null if it has
none) and for the position, and the others (names), with the columns of rating that they get
(sources) and their types.';

CREATE FUNCTION skillrating_internal.has_push_tables(ladder text)
RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN skillrating_internal.has_tables(ladder, '{push,push_failure}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_push_tables(text) IS
'Whether a ladder has the tables push and push_failure. Errors as has_tables().';

CREATE FUNCTION skillrating_internal.check_pushed(
    ladder text,
    relation regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint := 0;
BEGIN
    IF skillrating_internal.has_push_tables(ladder) THEN
        EXECUTE format('SELECT count(*) FROM %I.push AS p WHERE p.relation = $1', ladder)
        INTO n USING relation;
    END IF;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('ratings of ladder "%s" are not pushed to table %s', ladder, relation);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_pushed(text, regclass) IS
'Error 42704 unless push_rating() was given a table, 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.create_push_tables(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    IF skillrating_internal.has_push_tables(ladder) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %1$I.push (
            relation regclass PRIMARY KEY,
            columns jsonb NOT NULL,
            pool text,
            position_column text NOT NULL,
            every interval CHECK (every > ''0''),
            due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            phase text NOT NULL DEFAULT ''compare'' CHECK (phase IN (''compare'', ''remove'', ''follow'')),
            cursor text,
            last_player %2$s,
            last_pool text,
            position bigint NOT NULL DEFAULT 0,
            target_position bigint NOT NULL DEFAULT 0,
            attempts integer NOT NULL DEFAULT 0,
            pushed_at timestamptz,
            pushed bigint NOT NULL DEFAULT 0,
            failed_at timestamptz,
            error text)', ladder, t.player_type);
    EXECUTE format('COMMENT ON TABLE %I.push IS %L', ladder,
        'Tables to which skillrating.push() writes ratings, and how far it is with each: the phase (compare all ratings, remove rows without rating, follow changes), the cursor of changes(), the last row compared, the number of the last push that wrote anything (position), the greatest position that it left in the table (target_position), and attempts since the last one that succeeded. See push_rating().');
    EXECUTE format(
        'CREATE TABLE %1$I.push_failure (
            relation regclass NOT NULL,
            player_id %2$s NOT NULL,
            pool text NOT NULL,
            attempts integer NOT NULL,
            failed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            retry_at timestamptz NOT NULL,
            error text NOT NULL)', ladder, t.player_type);
    EXECUTE format('CREATE INDEX ON %I.push_failure (relation, pool, player_id)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.push_failure IS %L', ladder,
        'Ratings that a table did not take when skillrating.push() wrote them there, with the error of the last attempt, and when the next one is due (retry_at).');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_push_tables(text) IS
'A part of push_rating(): the tables push and push_failure, unless the ladder has them. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_push_columns(
    ladder text,
    relation regclass,
    columns jsonb)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name text;
    n bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF jsonb_typeof(columns) <> 'object' OR columns = '{}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must be an object of columns and those of rating, not %s',
                columns),
            HINT = 'As in {"player": "player_id", "elo": "rating"}.';
    END IF;
    SELECT c.key INTO name FROM jsonb_each(columns) AS c WHERE jsonb_typeof(c.value) <> 'string';
    IF name IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('column "%s" in columns must map to a column of rating, not %s', name,
                columns -> name),
            HINT = 'As in {"player": "player_id", "elo": "rating"}.';
    END IF;
    -- Names of columns that do not exist are an error of this one.
    PERFORM FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r');
    SELECT count(*) FILTER (WHERE c.value = 'player_id') INTO n FROM jsonb_each_text(columns) AS c;
    IF n <> 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must map one column of table %s to player_id, not %s', relation,
                n);
    END IF;
    SELECT count(*) FILTER (WHERE c.value = 'pool') INTO n FROM jsonb_each_text(columns) AS c;
    IF n > 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must map one column of table %s at most to pool, not %s',
                relation, n);
    END IF;
    SELECT count(*) INTO n
    FROM jsonb_each_text(columns) AS c WHERE c.value NOT IN ('player_id', 'pool');
    IF n = 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must map a column of table %s to more than player_id and pool',
                relation);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_push_columns(text, regclass, jsonb) IS
'A part of push_rating(): error 22023 for columns that are no object of names or have not one for
the player, 42703 for a column that does not exist.';

CREATE FUNCTION skillrating_internal.push_target(
    ladder text,
    relation regclass,
    columns jsonb,
    position_column text)
RETURNS skillrating_internal.push_target
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    target skillrating_internal.push_target;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    target.relation := relation;
    target.position_column := position_column;
    SELECT min(c.key) FILTER (WHERE c.value = 'player_id'), min(c.key) FILTER (WHERE c.value = 'pool'),
        array_agg(c.key ORDER BY c.key) FILTER (WHERE c.value NOT IN ('player_id', 'pool')),
        array_agg(c.value ORDER BY c.key) FILTER (WHERE c.value NOT IN ('player_id', 'pool')),
        array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY c.key)
            FILTER (WHERE c.value NOT IN ('player_id', 'pool'))
    INTO target.key_column, target.pool_column, target.names, target.sources, target.types
    FROM jsonb_each_text(columns) AS c
    LEFT JOIN pg_attribute AS a
        ON a.attrelid = relation AND a.attname = c.key AND a.attnum > 0 AND NOT a.attisdropped;
    IF array_position(target.types, NULL) IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column "%s"', relation,
                target.names[array_position(target.types, NULL)]);
    END IF;
    RETURN target;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_target(text, regclass, jsonb, text) IS
'A part of push(): the columns of a table as the catalogs have them now. Error 55000 unless the door
to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_push_target(
    ladder text,
    target skillrating_internal.push_target)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = target.relation);
    type regtype;
BEGIN
    IF kind NOT IN ('r', 'p', 'f') THEN
        RAISE wrong_object_type USING
            MESSAGE = format('%s is not a table', target.relation),
            HINT = 'Ratings are written to tables, partitioned and foreign ones too.';
    END IF;
    PERFORM skillrating_internal.check_mirror_owner(ladder, target.relation);
    SELECT a.atttypid INTO type FROM pg_attribute AS a
    WHERE a.attrelid = target.relation AND a.attname = target.key_column;
    IF type <> t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = format('column "%s" of table %s is of type %s, not %s', target.key_column,
                target.relation, type, t.player_type::regtype),
            HINT = 'It must identify players as the ladder does.';
    END IF;
    SELECT a.atttypid INTO type FROM pg_attribute AS a
    WHERE a.attrelid = target.relation AND a.attname = target.position_column AND a.attnum > 0
        AND NOT a.attisdropped;
    IF type IS DISTINCT FROM 'bigint'::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = CASE WHEN type IS NULL
                THEN format('table %s has no column "%s"', target.relation, target.position_column)
                ELSE format('column "%s" of table %s is of type %s, not bigint',
                    target.position_column, target.relation, type) END,
            HINT = 'push() keeps the number of the last change there.';
    END IF;
    -- What cannot be cast fails here.
    PERFORM FROM skillrating_internal.push_page(ladder, target, '', '{}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_push_target(text, skillrating_internal.push_target) IS
'A part of push_rating(): errors 42809 for what is no table, 42501 for one that is not the ladder''s
owner''s, 42804 for columns for the player or the position of other types, and whatever is wrong
with the others.';

CREATE FUNCTION skillrating_internal.push_page(
    ladder text,
    target skillrating_internal.push_target,
    pool text,
    players text[],
    OUT rated text[],
    OUT rows text[],
    OUT columns text[])
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n constant integer := cardinality(target.names);
BEGIN
    -- OFFSET keeps the planner from casting the ratings of others, which need not fit.
    EXECUTE format(
        'SELECT coalesce(array_agg(k.player_id::text), ''{}''),
            coalesce(array_agg(ROW(%1$s)::text), ''{}''), ARRAY[%2$s]
        FROM (
            SELECT o.player_id, %3$s
            FROM (
                SELECT r.* FROM unnest(CAST($1 AS %4$s[])) AS u(player_id)
                JOIN %5$I.rating AS r ON r.player_id %6$s u.player_id
                WHERE r.pool = $2 OFFSET 0) AS o) AS k',
        (SELECT string_agg(format('k.c%s', i), ', ' ORDER BY i) FROM generate_series(1, n) AS i),
        (SELECT string_agg(format('array_agg(k.c%s)::text', i), ', ' ORDER BY i)
        FROM generate_series(1, n) AS i),
        (SELECT string_agg(format('CAST(o.%I AS %s) AS c%s', target.sources[i], target.types[i], i),
            ', ' ORDER BY i) FROM generate_series(1, n) AS i),
        t.player_type, ladder, t.player_equals)
    INTO rated, rows, columns USING players, pool;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_page(text, skillrating_internal.push_target, text, text[]) IS
'A part of push(): what a table is to have of some players of a pool: those who have a rating
(rated), their rows without the key, as text (rows), and for each column the values of all of them,
as the text of an array (columns).';

CREATE FUNCTION skillrating_internal.write_push(
    ladder text,
    target skillrating_internal.push_target,
    pool text,
    players text[],
    number bigint,
    OUT written bigint,
    OUT deleted bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    page record := skillrating_internal.push_page(ladder, target, pool, players);
    of_pool constant text := CASE WHEN target.pool_column IS NOT NULL
        THEN format('AND t.%I = %L', target.pool_column, pool) END;
    -- Arrays of values go over in one statement, which the other server runs by itself.
    keys constant text := t.player_type || '[]';
    there record;
    changed text[];
    new text[];
    gone text[];
    n bigint;
BEGIN
    written := 0;
    deleted := 0;
    EXECUTE format(
        'SELECT coalesce(array_agg(t.%1$I::text), ''{}'') AS players,
            coalesce(array_agg(ROW(%2$s)::text), ''{}'') AS rows
        FROM (SELECT * FROM %3$s AS t WHERE t.%1$I = ANY (%4$L::%5$s) %6$s) AS t',
        target.key_column,
        (SELECT string_agg(format('t.%I', c.name), ', ' ORDER BY c.n)
        FROM unnest(target.names) WITH ORDINALITY AS c(name, n)),
        target.relation, players, keys, of_pool)
    INTO there;
    SELECT array_agg(p.player) FILTER (WHERE h.player IS NOT NULL AND h.row <> p.row),
        array_agg(p.player) FILTER (WHERE h.player IS NULL)
    INTO changed, new
    FROM unnest(page.rated, page.rows) AS p(player, row)
    LEFT JOIN unnest(there.players, there.rows) AS h(player, row) ON h.player = p.player;
    gone := ARRAY(SELECT unnest(there.players) EXCEPT SELECT unnest(page.rated));
    IF changed IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %1$s AS t SET %2$s, %3$I = %4$s
            WHERE t.%5$I = ANY (%6$L::%7$s) %8$s AND (t.%3$I IS NULL OR t.%3$I < %4$s)',
            target.relation,
            (SELECT string_agg(format('%I = (%L::%s[])[array_position(%L::%s, t.%I)]', c.name,
                page.columns[c.n], target.types[c.n], page.rated, keys, target.key_column), ', ')
            FROM unnest(target.names) WITH ORDINALITY AS c(name, n)),
            target.position_column, number, target.key_column, changed, keys, of_pool);
        GET DIAGNOSTICS n = ROW_COUNT;
        written := n;
    END IF;
    IF new IS NOT NULL THEN
        EXECUTE format(
            'INSERT INTO %1$s (%2$s) SELECT u.key, %3$s %4$s, %5$s
            FROM unnest(%6$L::%7$s, %8$s) AS u(key, %4$s) WHERE u.key = ANY (%9$L::%7$s)',
            target.relation,
            (SELECT string_agg(quote_ident(c), ', ') FROM unnest(array_remove(
                ARRAY[target.key_column, target.pool_column] || target.names
                || target.position_column, NULL)) AS c),
            CASE WHEN target.pool_column IS NOT NULL THEN format('%L,', pool) END,
            (SELECT string_agg(format('c%s', i), ', ' ORDER BY i)
            FROM generate_series(1, cardinality(target.names)) AS i),
            number, page.rated, keys,
            (SELECT string_agg(format('%L::%s[]', page.columns[i], target.types[i]), ', ' ORDER BY i)
            FROM generate_series(1, cardinality(target.names)) AS i), new);
        GET DIAGNOSTICS n = ROW_COUNT;
        written := written + n;
    END IF;
    IF gone <> '{}' THEN
        EXECUTE format('DELETE FROM %s AS t WHERE t.%I = ANY (%L::%s) %s', target.relation,
            target.key_column, gone, keys, of_pool);
        GET DIAGNOSTICS deleted = ROW_COUNT;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_push(text, skillrating_internal.push_target, text, text[], bigint) IS
'A part of push(): makes the rows of some players of a pool equal to their ratings, at a position,
in at most four statements: rows that differ and have no later position are updated, missing ones
are inserted, and those without a rating are deleted.';

CREATE FUNCTION skillrating_internal.note_push_failure(
    ladder text,
    relation regclass,
    pool text,
    player text,
    message text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n bigint;
BEGIN
    EXECUTE format(
        'UPDATE %I.push_failure AS f SET attempts = f.attempts + 1, failed_at = clock_timestamp(),
            retry_at = clock_timestamp() + skillrating_internal.push_delay(f.attempts + 1),
            error = $4
        WHERE f.relation = $1 AND f.pool = $2 AND f.player_id %s CAST($3 AS %s)', ladder,
        t.player_equals, t.player_type)
    USING relation, pool, player, message;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        EXECUTE format(
            'INSERT INTO %I.push_failure (relation, pool, player_id, attempts, retry_at, error)
            VALUES ($1, $2, CAST($3 AS %s), 1,
                clock_timestamp() + skillrating_internal.push_delay(1), $4)', ladder, t.player_type)
        USING relation, pool, player, message;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_push_failure(text, regclass, text, text, text) IS
'A part of push(): notes that a table did not take the rating of a player, and when to try again.';

CREATE FUNCTION skillrating_internal.push_delay(attempts integer)
RETURNS interval
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT make_interval(secs => least(2.0 ^ least(attempts - 1, 20), 300))
$function$;

COMMENT ON FUNCTION skillrating_internal.push_delay(integer) IS
'A part of push(): how long to wait after so many attempts that failed, from a second to five
minutes.';

CREATE FUNCTION skillrating_internal.push_players(
    ladder text,
    target skillrating_internal.push_target,
    pool text,
    players text[],
    number bigint,
    OUT written bigint,
    OUT deleted bigint,
    OUT failed bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n constant integer := cardinality(players);
    message text;
    part record;
BEGIN
    written := 0;
    deleted := 0;
    failed := 0;
    BEGIN
        SELECT w.written, w.deleted INTO written, deleted
        FROM skillrating_internal.write_push(ladder, target, pool, players, number) AS w;
    EXCEPTION
        WHEN data_exception OR integrity_constraint_violation OR raise_exception
            OR with_check_option_violation OR program_limit_exceeded THEN
            message := SQLERRM;
    END;
    IF message IS NULL THEN
        EXECUTE format(
            'DELETE FROM %I.push_failure AS f USING unnest(CAST($3 AS %s[])) AS k(player_id)
            WHERE f.relation = $1 AND f.pool = $2 AND f.player_id %s k.player_id', ladder,
            t.player_type, t.player_equals)
        USING target.relation, pool, players;
        RETURN;
    END IF;
    IF n = 1 THEN
        PERFORM skillrating_internal.note_push_failure(ladder, target.relation, pool, players[1],
            message);
        failed := 1;
        RETURN;
    END IF;
    FOR part IN
        SELECT d.*
        FROM (VALUES (1, players[:n / 2]), (2, players[n / 2 + 1:])) AS h(half, players),
            skillrating_internal.push_players(ladder, target, pool, h.players, number) AS d
        ORDER BY h.half
    LOOP
        written := written + part.written;
        deleted := deleted + part.deleted;
        failed := failed + part.failed;
    END LOOP;
    -- A table that takes nobody is not a matter of single rows.
    IF n > 16 AND failed = n THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table %s takes none of %s ratings: %s', target.relation, n, message);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_players(text, skillrating_internal.push_target, text, text[], bigint) IS
'A part of push(): write_push(), where a row that the table does not take is found by halves, noted
in push_failure, and keeps no other from being written. Error 55000 if it takes none of many.';

CREATE FUNCTION skillrating_internal.push_keys(
    ladder text,
    target skillrating_internal.push_target,
    only_pool text,
    players text[],
    pools text[],
    number bigint,
    batch_size integer,
    OUT written bigint,
    OUT deleted bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    shared_pool text := skillrating_internal.shared_pool(ladder);
    k record;
    step record;
BEGIN
    written := 0;
    deleted := 0;
    FOR k IN
        SELECT q.pool, array_agg(q.player ORDER BY q.n) AS players
        FROM (
            SELECT d.*, row_number() OVER (PARTITION BY d.pool ORDER BY d.player) AS n
            FROM (SELECT DISTINCT u.player, u.pool FROM unnest(players, pools) AS u(player, pool)) AS d
            WHERE d.pool IS DISTINCT FROM shared_pool AND d.pool = coalesce(only_pool, d.pool)) AS q
        GROUP BY q.pool, (q.n - 1) / batch_size
        ORDER BY q.pool, min(q.n)
    LOOP
        step := skillrating_internal.push_players(ladder, target, k.pool, k.players, number);
        written := written + step.written;
        deleted := deleted + step.deleted;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.push_keys(text, skillrating_internal.push_target, text, text[], text[], bigint, integer) IS
'A part of push(): push_players() for players in pools, once each, so many at a time; of one pool
only, if that is given. What pools share is left out.';

CREATE FUNCTION skillrating_internal.mark_push(
    target skillrating_internal.push_target,
    number bigint)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    player text;
    pool text;
    n bigint;
BEGIN
    EXECUTE format('SELECT t.%I::text, %s FROM %s AS t ORDER BY t.%I DESC NULLS LAST LIMIT 1',
        target.key_column, CASE WHEN target.pool_column IS NULL THEN 'NULL'
            ELSE format('t.%I::text', target.pool_column) END, target.relation, target.position_column)
    INTO player, pool;
    EXECUTE format('UPDATE %s AS t SET %I = %s WHERE t.%I = %L %s', target.relation,
        target.position_column, number, target.key_column, player,
        CASE WHEN pool IS NOT NULL THEN format('AND t.%I = %L', target.pool_column, pool) END);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mark_push(skillrating_internal.push_target, bigint) IS
'A part of push(): after rows have only been deleted, gives another row the position, so that the
target shows if it loses that. False if there is none.';
