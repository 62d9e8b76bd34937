-- Ratings in a table of the user's own.
--
-- Triggers on rating and on the mirrored table run one UPDATE, which mirror_statement() spells out
-- and of which mirrors.c keeps the plan.

CREATE FUNCTION skillrating_internal.lock_mirror(
    ladder text,
    relation regclass)
RETURNS boolean
AS 'MODULE_PATHNAME', 'skillrating_lock_mirror'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.lock_mirror(text, regclass) IS
'A part of mirror_rating(): locks a table that is to be written to, so that nobody gives it to
another role; false if it does not exist. Error 42501 unless it belongs to the owner of the ladder,
with all partitions and tables that inherit from it: what hangs on them runs as that role.';

CREATE FUNCTION skillrating_internal.mirror_columns(
    ladder text,
    relation regclass,
    columns jsonb,
    OUT name text,
    OUT value text,
    OUT cast_value text,
    OUT has_default boolean)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    rating regclass := to_regclass(format('%I.rating', ladder));
    wrong text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT format('table %s has no column "%s"', w.relation, w.name) INTO wrong
    FROM (
        SELECT mirror_columns.relation, c.key AS name FROM jsonb_each_text(columns) AS c
        UNION ALL SELECT rating, c.value FROM jsonb_each_text(columns) AS c) AS w(relation, name)
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = w.relation AND a.attname = w.name AND a.attnum > 0
            AND NOT a.attisdropped)
    LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = wrong,
            HINT = format('The keys of columns are those of %s, and their values those of %s: %s.', relation, rating, (
                SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
                WHERE a.attrelid = rating AND a.attnum > 0 AND NOT a.attisdropped));
    END IF;
    -- Where the table wants a value and rating may have none, the value stays.
    RETURN QUERY
    SELECT c.key,
        CASE WHEN stays.v THEN format('coalesce(CAST(r.%I AS %s), u.%I)', c.value, type.v, c.key)
            ELSE format('r.%I', c.value) END,
        CASE WHEN stays.v THEN format('coalesce(CAST(r.%I AS %s), u.%I)', c.value, type.v, c.key)
            ELSE format('CAST(r.%I AS %s)', c.value, type.v) END,
        a.atthasdef OR t.typdefault IS NOT NULL OR NOT required.v
    FROM jsonb_each_text(columns) AS c
    JOIN pg_attribute AS a ON a.attrelid = relation AND a.attname = c.key
    JOIN pg_attribute AS b ON b.attrelid = rating AND b.attname = c.value
    JOIN pg_type AS t ON t.oid = a.atttypid
    CROSS JOIN LATERAL (SELECT a.attnotnull OR t.typnotnull) AS required(v)
    CROSS JOIN LATERAL (SELECT required.v AND NOT b.attnotnull) AS stays(v)
    CROSS JOIN LATERAL (SELECT format_type(a.atttypid, a.atttypmod)) AS type(v);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_columns(text, regclass, jsonb) IS
'A part of mirror_rating(): for each column of a table that mirrors one of rating, its new value
over rows u of the table and r of rating, as it is assigned and cast to the column''s type; and
whether there is a value for a row without rating: a default, or null. Error 42703 for a column that
does not exist.';

CREATE FUNCTION skillrating_internal.mirrored_pools(pool text, pool_key text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $function$
    SELECT CASE pool_key WHEN '' THEN format('r.pool = %L', pool) ELSE 'true' END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirrored_pools(text, text) IS
'A part of mirror_rating(): a condition on rows r with a pool, that a mirror has their ratings.';

CREATE FUNCTION skillrating_internal.unrated_statement(
    ladder text,
    relation regclass,
    key text,
    pool_key text,
    columns jsonb,
    players text)
RETURNS text
LANGUAGE sql STABLE STRICT
AS $function$
    SELECT format(
        'UPDATE %1$s AS u SET %2$s
        FROM (%3$s) AS o
        WHERE u.%4$I %5$s o.player_id%7$s
            AND NOT EXISTS (
                SELECT FROM %6$I.rating AS r WHERE r.player_id %5$s o.player_id AND r.pool = o.pool)',
        relation, string_agg(format('%I = DEFAULT', c.name), ', '), players, key,
        (skillrating_internal.ladder_types(ladder)).player_equals, ladder,
        CASE WHEN pool_key <> '' THEN format(' AND coalesce(CAST(u.%I AS text), '''') COLLATE "C" = o.pool', pool_key) END)
    FROM skillrating_internal.mirror_columns(ladder, relation, columns) AS c
    WHERE c.has_default
    HAVING count(*) > 0
$function$;

COMMENT ON FUNCTION skillrating_internal.unrated_statement(text, regclass, text, text, jsonb, text) IS
'A part of mirror_rating(): the statement that gives the columns of a table their defaults for those
of the players, rows with pools that a query gives, who have no rating there any more; columns that
may not be null and have no default stay. Null if all do. Error 42703 for a column that does not
exist.';

CREATE FUNCTION skillrating_internal.mirror_statement(
    ladder text,
    relation regclass,
    pool text,
    key text,
    columns jsonb,
    event text,
    pool_key text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    rows text;
BEGIN
    IF event = 'gone' THEN
        RETURN skillrating_internal.unrated_statement(ladder, relation, key, pool_key, columns,
            format('SELECT r.player_id, r.pool FROM changed AS r WHERE %s', skillrating_internal.mirrored_pools(pool, pool_key)));
    END IF;
    -- Whoever is rating the players of inserted rows does not see these: one waits for the other,
    -- and the second writes what is right. All in the order in which those who rate lock players.
    rows := CASE event
        WHEN 'changed' THEN 'changed AS r WHERE true'
        WHEN 'all' THEN format('%I.rating AS r WHERE true', ladder)
        WHEN 'inserted' THEN format('%I.rating AS r WHERE r.player_id %s ANY (ARRAY(SELECT i.%I FROM inserted AS i))',
            ladder, t.player_equals, key)
        END || format(' AND %s ORDER BY r.player_id%s, r.pool COLLATE "C"%s', skillrating_internal.mirrored_pools(pool, pool_key), t.player_order,
            CASE WHEN event = 'inserted' THEN ' FOR SHARE' END);
    RETURN (
        SELECT format('UPDATE %s AS u SET %s FROM (SELECT r.* FROM %s) AS r WHERE u.%I %s r.player_id%s AND (%s)',
            relation, string_agg(format('%I = %s', c.name, c.value), ', '), rows,
            key, t.player_equals,
            CASE WHEN pool_key <> '' THEN format(' AND coalesce(CAST(u.%I AS text), '''') COLLATE "C" = r.pool', pool_key) END,
            string_agg(format('u.%I IS DISTINCT FROM %s', c.name, c.cast_value), ' OR '))
        FROM skillrating_internal.mirror_columns(ladder, relation, columns) AS c);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_statement(text, regclass, text, text, jsonb, text, text) IS
'A part of mirror_rating(): the statement that makes the columns of a table equal to those of rating
after an event: for rows of rating that have changed or gone, the transition table changed; for rows
inserted into the table, the transition table inserted; or for all rows. Null if there is nothing to
write. Error 42703 for a column that does not exist.';

CREATE FUNCTION skillrating_internal.update_mirrors()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_update_mirrors'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.update_mirrors() IS
'Trigger function on the table rating of a ladder, after each statement: writes what has changed to
the tables that mirror_rating() was given. Error 39P01 if it is attached otherwise, 55000 on any
other table.';

CREATE FUNCTION skillrating_internal.fill_mirror()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_fill_mirror'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.fill_mirror() IS
'Trigger function on a table that mirrors a ladder, after rows are inserted: gives them the ratings
of their players, whom nobody rates until the end of the transaction. The WHEN condition of the
trigger names the view source of the ladder. Error 39P01 if it is attached otherwise, 55000 on a
table that mirror_rating() was not given.';

CREATE FUNCTION skillrating_internal.mirrors(
    ladder text,
    OUT relation regclass,
    OUT pool text,
    OUT key text,
    OUT columns jsonb,
    OUT pool_key text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 2
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF skillrating_internal.has_table(ladder, 'mirror') THEN
        RETURN QUERY EXECUTE format('SELECT m.relation, m.pool, m.key, m.columns, m.pool_key FROM %I.mirror AS m', ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirrors(text) IS
'The rows of table mirror, none in a ladder that never had a mirror.';

CREATE FUNCTION skillrating_internal.mirror_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    rating regclass := to_regclass(format('%I.rating', ladder));
    source regclass := to_regclass(format('%I.source', ladder));
    wanted boolean;
    t record;
    there boolean;
    m record;
    n bigint := 0;
BEGIN
    -- Error unless the ladder has been entered.
    PERFORM skillrating_internal.ladder_types(ladder);
    wanted := EXISTS (SELECT FROM skillrating_internal.mirrors(ladder));
    FOR t IN
        SELECT v.*
        FROM (VALUES
            ('mirror_insert', 'INSERT', 'NEW'),
            ('mirror_update', 'UPDATE', 'NEW'),
            ('mirror_delete', 'DELETE', 'OLD')) AS v(trigger_name, event, rows)
    LOOP
        there := EXISTS (
            SELECT FROM pg_trigger AS g
            WHERE g.tgrelid = rating AND g.tgname = t.trigger_name);
        IF wanted AND NOT there THEN
            EXECUTE format(
                'CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.update_mirrors()',
                t.trigger_name, t.event, rating, t.rows);
            n := n + 1;
        ELSIF there AND NOT wanted THEN
            EXECUTE format('DROP TRIGGER %I ON %s', t.trigger_name, rating);
        END IF;
    END LOOP;
    FOR m IN EXECUTE format(
        'SELECT DISTINCT m.relation FROM skillrating_internal.mirrors(%L) AS m
        JOIN pg_class AS c ON c.oid = m.relation
        WHERE c.relowner = (SELECT r.relowner FROM pg_class AS r WHERE r.oid = $2) AND NOT EXISTS (
            SELECT FROM pg_depend AS d JOIN pg_trigger AS t ON t.oid = d.objid
            WHERE d.refclassid = ''pg_class''::regclass AND d.refobjid = $1
                AND d.classid = ''pg_trigger''::regclass AND t.tgrelid = m.relation
                AND t.tgfoid = ''skillrating_internal.fill_mirror''::regproc)
        ORDER BY m.relation', ladder)
    USING source, rating
    LOOP
        PERFORM skillrating_internal.create_source_trigger(source, m.relation, 'mirror',
            'AFTER INSERT ON %s REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT', 'fill_mirror');
        n := n + 1;
    END LOOP;
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_triggers(text) IS
'A part of mirror_rating() and restore_triggers(): makes or drops the triggers of the table rating,
as there are mirrors or not, and makes those of mirrored tables that belong to the ladder''s owner.
Returns how many it made.';

CREATE FUNCTION skillrating_internal.mirrors_of(
    relation regclass,
    OUT ladder text,
    OUT pool text,
    OUT columns jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 2
AS $function$
BEGIN
    FOR ladder IN
        SELECT DISTINCT n.nspname
        FROM pg_trigger AS t
        JOIN pg_depend AS d ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid AND d.refclassid = 'pg_class'::regclass
        JOIN pg_class AS c ON c.oid = d.refobjid AND c.relname = 'source'
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        -- A policy on another role's table would run as the current one.
        JOIN pg_class AS m ON m.relnamespace = n.oid AND m.relname = 'mirror' AND m.relkind = 'r'
            AND pg_get_userbyid(m.relowner) = current_user
        WHERE t.tgrelid = relation AND t.tgfoid = 'skillrating_internal.fill_mirror'::regproc
            AND has_schema_privilege(n.oid, 'USAGE')
    LOOP
        FOR pool, columns IN EXECUTE format('SELECT m.pool, m.columns FROM %I.mirror AS m WHERE m.relation = $1', ladder) USING relation LOOP
            RETURN NEXT;
        END LOOP;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirrors_of(regclass) IS
'A part of mirror_rating(): the ladders of the current role that write to a table, by its triggers.';

CREATE FUNCTION skillrating_internal.check_mirror(
    ladder text,
    relation regclass,
    key text,
    columns jsonb,
    pool text,
    pool_key text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    c record;
    key_type regtype;
    is_distributed boolean := false;
    other record;
BEGIN
    PERFORM skillrating_internal.check_relation(relation);
    SELECT r.relkind, r.relnamespace INTO c FROM pg_class AS r WHERE r.oid = relation;
    IF c.relkind NOT IN ('r', 'p') THEN
        RAISE wrong_object_type USING
            MESSAGE = format('%s is not a table', relation),
            HINT = 'Ratings are written to tables of this database, partitioned ones too. Name the '
                'table behind a view.';
    END IF;
    IF c.relnamespace = to_regnamespace(quote_ident(ladder)) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('table %s is one of the ladder''s own', relation);
    END IF;
    -- Triggers do not see the rows that are on other servers.
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition AS d WHERE d.logicalrelid = $1)'
        INTO is_distributed USING relation;
    END IF;
    IF is_distributed THEN
        RAISE feature_not_supported USING
            MESSAGE = format('table %s is distributed by Citus', relation),
            HINT = 'Mirror into a local table, or read the ladder''s table rating.';
    END IF;
    IF jsonb_typeof(columns) <> 'object' OR columns = '{}'
        OR jsonb_path_exists(columns, '$.* ? (@.type() != "string")')
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must be an object of columns and those of rating, not %s',
                columns),
            HINT = 'As in {"elo": "rating", "played": "games"}.';
    END IF;
    IF columns ?| ARRAY[key, pool_key] THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns of the key of table %s cannot mirror ratings: %s', relation, columns);
    END IF;
    FOR other IN
        SELECT o.* FROM skillrating_internal.mirrors_of(relation) AS o
        WHERE o.columns ?| ARRAY(SELECT jsonb_object_keys(check_mirror.columns))
            AND (o.ladder, o.pool) <> (check_mirror.ladder, check_mirror.pool)
    LOOP
        RAISE duplicate_object USING
            MESSAGE = format('ladder "%s" writes its ratings of pool "%s" to column "%s" of table %s', other.ladder, other.pool,
                (SELECT min(k.k) FROM jsonb_object_keys(columns) AS k(k) WHERE other.columns ? k.k), relation),
            HINT = format('Pass another column, or SELECT skillrating.unmirror_rating(%L, %L, %L) first.', other.ladder, relation, other.pool);
    END LOOP;
    SELECT a.atttypid INTO key_type
    FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF key_type IS NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column "%s"', relation, key),
            HINT = 'Pass the column that identifies players as key.';
    END IF;
    IF pool_key <> '' AND NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = relation AND a.attname = pool_key AND a.attnum > 0 AND NOT a.attisdropped)
    THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column "%s"', relation, pool_key),
            HINT = 'Pass the column with the rating pool as pool_key.';
    END IF;
    IF key_type IS DISTINCT FROM t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = format('column "%s" of table %s is of type %s, not %s', key, relation,
                key_type, t.player_type::regtype),
            HINT = 'The key must identify players as the ladder does.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_mirror(text, regclass, text, jsonb, text, text) IS
'A part of mirror_rating(): errors for a relation, a key or columns that cannot be mirrored, but for
those that the first UPDATE raises.';

CREATE FUNCTION skillrating_internal.tell_mirrors(
    ladder text,
    relation regclass,
    pools text[])
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    max_named constant integer := 10;
    m record;
BEGIN
    FOR m IN
        SELECT o.relation, o.pool FROM skillrating_internal.mirrors(ladder) AS o
        WHERE o.pool_key = '' AND o.pool <> ALL (pools) AND o.relation = coalesce(tell_mirrors.relation, o.relation)
    LOOP
        RAISE WARNING USING
            MESSAGE = format('table %s mirrors rating pool "%s", which ladder "%s" does not have', m.relation, m.pool, ladder),
            DETAIL = format('It has "%s".', array_to_string(pools[1:max_named], '", "')),
            HINT = format('SELECT skillrating.unmirror_rating(%L, %L, %L), and mirror_rating() for another pool.', ladder, m.relation, m.pool);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tell_mirrors(text, regclass, text[]) IS
'A part of mirror_rating(), for one table, and of refresh_source() and catch_up(), for all (null):
a warning of each that mirrors a pool other than these.';

CREATE FUNCTION skillrating_internal.tell_kept(
    ladder text,
    relation regclass,
    pool text)
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    m record;
BEGIN
    FOR m IN
        SELECT o.relation, (SELECT string_agg(format('%I = DEFAULT', k.k), ', ' ORDER BY k.k) FROM jsonb_object_keys(o.columns) AS k(k)) AS defaults
        FROM skillrating_internal.mirrors(ladder) AS o JOIN pg_class AS c ON c.oid = o.relation
        WHERE tell_kept.relation IS NULL OR (o.relation, o.pool) = (tell_kept.relation, tell_kept.pool)
        ORDER BY o.relation::text, o.pool
    LOOP
        RAISE NOTICE USING
            MESSAGE = format('table %s keeps the ratings that it has of ladder "%s"', m.relation, ladder),
            HINT = format('UPDATE %s SET %s clears them.', m.relation, m.defaults);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tell_kept(text, regclass, text) IS
'A part of unmirror_rating(), for one mirror, and of drop_ladder(), for all (nulls): a notice that a
table keeps its ratings, and how to clear them.';

CREATE FUNCTION skillrating_internal.hold_mirror(
    ladder text,
    relation regclass,
    exclusively boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    tables oid[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    tables := array_remove(ARRAY[format('%I.rating', ladder)::regclass,
        CASE WHEN skillrating_internal.owns_relation(relation) THEN relation END], NULL)::oid[];
    PERFORM skillrating_internal.hold_objects(ladder, 'pg_namespace'::regclass || array_fill('pg_class'::regclass, ARRAY[cardinality(tables)]),
            to_regnamespace(quote_ident(ladder))::oid || tables, CASE WHEN exclusively THEN 0 ELSE 1 + cardinality(tables) END),
        skillrating_internal.hold_ladder(ladder, exclusively);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hold_mirror(text, regclass, boolean) IS
'A part of mirror_rating() and, exclusively, of unmirror_rating(): locks the ladder, its table rating
and the mirrored table, if the current role owns it, all or none, so that triggers can be made or
dropped. A transaction that has written to the table and then rates does not deadlock with it.
Errors: those of hold_objects(), and 40001 for an old snapshot.';

CREATE FUNCTION skillrating_internal.mirror_rating(
    ladder text,
    relation regclass,
    key text,
    columns jsonb,
    pool text DEFAULT NULL,
    pool_key text DEFAULT '',
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    IF num_nulls(ladder, relation, key, columns, pool_key) > 0 THEN
        RETURN;
    END IF;
    IF pool <> '' AND pool_key <> '' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'pool and pool_key must not both be given',
            HINT = 'A table has the ratings of one pool, or a column with the pool of each row.';
    END IF;
    pool := CASE WHEN pool_key <> '' THEN ''
        ELSE coalesce(pool, skillrating_internal.only_pool(ladder, 'Pass pool => ..., and call mirror_rating() with another table or other columns for each further pool; or pool_key => ..., the column of the pool, for a table with a row for each player and pool.')) END;
    PERFORM skillrating_internal.check_mirror(ladder, relation, key, columns, pool, pool_key);
    PERFORM skillrating_internal.hold_mirror(ladder, relation, false),
        skillrating_internal.lock_mirror(ladder, relation);
    IF NOT skillrating_internal.has_table(ladder, 'mirror') THEN
        EXECUTE format(
            'CREATE TABLE %I.mirror (
                relation regclass NOT NULL,
                pool text NOT NULL DEFAULT '''',
                key text NOT NULL,
                columns jsonb NOT NULL,
                pool_key text NOT NULL DEFAULT '''',
                PRIMARY KEY (relation, pool))', ladder);
        PERFORM skillrating_internal.create_comments(ladder, '{mirror}');
    END IF;
    EXECUTE format(
        'INSERT INTO %I.mirror (relation, pool, key, columns, pool_key) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (relation, pool) DO UPDATE
        SET key = excluded.key, columns = excluded.columns, pool_key = excluded.pool_key', ladder)
    USING relation, pool, key, columns, pool_key;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.mirror_triggers(ladder);
    -- Players without a rating keep what the table has: it may be all that is known of them.
    EXECUTE skillrating_internal.mirror_statement(ladder, relation, pool, key, columns, 'all', pool_key);
    GET DIAGNOSTICS players = ROW_COUNT;
    PERFORM skillrating_internal.rate_failed(ladder),
        skillrating_internal.tell_mirrors(ladder, relation, skillrating_internal.known_pools(ladder));
    IF pool_key <> '' AND players = 0 AND pg_relation_size(relation) = 0 THEN
        RAISE NOTICE USING
            MESSAGE = format('table %s has no rows, and gets none by mirror_rating()', relation),
            HINT = format('INSERT INTO %s (%I, %I) SELECT r.player_id, r.pool FROM %I.rating AS r.', relation, key, pool_key, ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_rating(text, regclass, text, jsonb, text, text) IS
'Keeps columns of a table of the user''s own equal to those of rating in a pool, the only one by
default, from now on, in the transaction that rates and for the rows that change only; a row that is
inserted there gets the rating of its player at once. Players who have no rating yet keep what the
table has; for those whose rating goes, as by merge_players(), the columns get their defaults, and
columns that may not be null and have none keep the last value. columns maps the table''s columns to
those of rating, as in {"elo": "rating", "played": "games"}, and key is its column that identifies
players, of the ladder''s type. A table with a row for each player and pool has the pool, as text or
cast to it and null for the pool without a name, in the column pool_key, and gets the ratings of all
pools. The table may be partitioned, and may be renamed. Called again for the same table and pool it
replaces what was, as after a column was renamed. Returns the number of players whose rows it wrote
at once. Errors: 42704 for an unknown ladder, 42809 for a view or a foreign table, 42804 for a key
of another type or a column that cannot have the value, 0A000 for a table that Citus distributes,
428C9 for a generated column, 42703 for an unknown column, 22023 for columns that are no object of
names, 42501 unless the table, with its partitions and tables that inherit from it, belongs to the
ladder''s owner, 42710 for a column that another mirror writes, 22023 without a pool where there are
several. A warning says so if others have ratings, but not that pool. An error while ratings are
written later, such as a value that does not fit, names the table; matches wait because of it, see
ladder_status(), and are tried again by the next call.';

CREATE FUNCTION skillrating_internal.unmirror_rating(
    ladder text,
    relation regclass,
    pool text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    pools text[];
BEGIN
    IF ladder IS NULL OR relation IS NULL THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    SELECT array_agg(m.pool ORDER BY m.pool) INTO pools
    FROM skillrating_internal.mirrors(ladder) AS m WHERE m.relation = unmirror_rating.relation;
    IF pools IS NULL OR pool <> ALL (pools) THEN
        RAISE undefined_object USING
            MESSAGE = format('table %s mirrors no rating of %s', relation, CASE WHEN pool IS NULL THEN format('ladder "%s"', ladder) ELSE format('pool "%s" of ladder "%s"', pool, ladder) END),
            HINT = CASE WHEN pools IS NULL THEN coalesce(
                    'Its tables are ' || (SELECT string_agg(DISTINCT m.relation::text, ', ') FROM skillrating_internal.mirrors(ladder) AS m) || '.', 'No table mirrors its ratings.')
                ELSE format('It mirrors those of "%s".', array_to_string(pools, '", "')) END;
    END IF;
    IF pool IS NULL AND cardinality(pools) > 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('table %s mirrors several rating pools of ladder "%s": "%s"', relation, ladder, array_to_string(pools, '", "')),
            HINT = 'Pass one of them as pool.';
    END IF;
    pool := coalesce(pool, pools[1]);
    PERFORM skillrating_internal.hold_mirror(ladder, relation, true);
    PERFORM skillrating_internal.tell_kept(ladder, relation, pool);
    EXECUTE format('DELETE FROM %I.mirror AS m WHERE m.relation = $1 AND m.pool = $2', ladder)
    USING relation, pool;
    IF NOT EXISTS (
        SELECT FROM skillrating_internal.mirrors(ladder) AS m WHERE m.relation = unmirror_rating.relation)
    THEN
        PERFORM skillrating_internal.drop_source_triggers(
            to_regclass(format('%I.source', ladder)), relation, true);
    END IF;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.mirror_triggers(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unmirror_rating(text, regclass, text) IS
'Undoes mirror_rating(): the table keeps what it has, which a notice says. Without pool it is the
only one that the table mirrors. Errors: 42704 for an unknown ladder or a table that is no mirror,
22023 without a pool where the table mirrors several.';
