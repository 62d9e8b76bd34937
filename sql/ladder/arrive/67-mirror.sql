-- Ratings in a table of the user's own.
--
-- Triggers on rating and on the mirrored table run one UPDATE, which mirror_statement() spells out
-- and of which mirrors.c keeps the plan.

CREATE FUNCTION skillrating_internal.mirror_statement(
    ladder text,
    relation regclass,
    pool text,
    key text,
    columns jsonb,
    event text,
    pool_key text,
    gone text DEFAULT 'TABLE changed')
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    rating regclass := to_regclass(format('%I.rating', ladder));
    pools text := CASE pool_key WHEN '' THEN format('r.pool = %L', pool) ELSE 'true' END;
    same_pool text := CASE WHEN pool_key <> '' THEN format(' AND coalesce(CAST(u.%I AS text), '''') COLLATE "C" = r.pool', pool_key) END;
    wrong text;
    written record;
BEGIN
    SELECT format('table %s has no column "%s"', w.relation, w.name) INTO wrong
    FROM (
        SELECT mirror_statement.relation, c.key AS name FROM jsonb_each_text(columns) AS c
        UNION ALL SELECT rating, c.value FROM jsonb_each_text(columns) AS c) AS w(relation, name)
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = w.relation AND a.attname = w.name AND a.attnum > 0 AND NOT a.attisdropped)
    LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = wrong,
            HINT = format('The keys of columns are those of %s, and their values those of %s: %s.', relation, rating, (
                SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
                WHERE a.attrelid = rating AND a.attnum > 0 AND NOT a.attisdropped));
    END IF;
    -- Where the table wants a value and rating may have none, the value stays.
    SELECT string_agg(format('%I = DEFAULT', m.key), ', ')
            FILTER (WHERE a.atthasdef OR y.typdefault IS NOT NULL OR NOT required.v) AS defaults,
        string_agg(format('%I = %s', m.key, CASE WHEN stays.v THEN kept.v ELSE format('r.%I', m.value) END), ', ') AS assigned,
        string_agg(format('u.%I IS DISTINCT FROM %s', m.key, CASE WHEN stays.v THEN kept.v ELSE value.v END), ' OR ') AS differs
    INTO written
    FROM jsonb_each_text(columns) AS m
    JOIN pg_attribute AS a ON a.attrelid = relation AND a.attname = m.key
    JOIN pg_attribute AS b ON b.attrelid = rating AND b.attname = m.value
    JOIN pg_type AS y ON y.oid = a.atttypid
    CROSS JOIN LATERAL (SELECT a.attnotnull OR y.typnotnull) AS required(v)
    CROSS JOIN LATERAL (SELECT required.v AND NOT b.attnotnull) AS stays(v)
    CROSS JOIN LATERAL (SELECT format('CAST(r.%I AS %s)', m.value, format_type(a.atttypid, a.atttypmod))) AS value(v)
    CROSS JOIN LATERAL (SELECT format('coalesce(%s, u.%I)', value.v, m.key)) AS kept(v);
    IF event = 'gone' THEN
        RETURN CASE WHEN written.defaults IS NOT NULL THEN format(
            'UPDATE %1$s AS u SET %2$s FROM (%3$s) AS r
            WHERE %4$s AND u.%5$I %6$s r.player_id%7$s AND NOT EXISTS (
                SELECT FROM %8$s AS o WHERE o.player_id %6$s r.player_id AND o.pool = r.pool)',
            relation, written.defaults, gone, pools, key, t.player_equals, same_pool, rating) END;
    END IF;
    -- Whoever is rating the players of inserted rows does not see these: one waits for the other,
    -- and the second writes what is right. All in the order in which those who rate lock players.
    RETURN format(
        'UPDATE %s AS u SET %s FROM (SELECT r.* FROM %s AND %s ORDER BY r.player_id%s, r.pool COLLATE "C"%s) AS r
        WHERE u.%I %s r.player_id%s AND (%s)', relation, written.assigned, CASE event
            WHEN 'changed' THEN 'changed AS r WHERE true'
            WHEN 'all' THEN format('%s AS r WHERE true', rating)
            WHEN 'inserted' THEN format('%s AS r WHERE r.player_id %s ANY (ARRAY(SELECT i.%I FROM inserted AS i))',
                rating, t.player_equals, key)
        END, pools, t.player_order, CASE WHEN event = 'inserted' THEN ' FOR SHARE' END,
        key, t.player_equals, same_pool, written.differs);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_statement(text, regclass, text, text, jsonb, text, text, text) IS
'The statement that writes ratings to a mirroring table after an event: for the rows of rating in the
transition table changed, the players in the transition table inserted, all rows, or rows that are
gone, which a query gives; or null. Error 42703 for an unknown column.';

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
    t record := skillrating_internal.ladder_facts(ladder);
    c record;
    key_type regtype;
    is_distributed boolean := false;
    other record;
BEGIN
    SELECT r.relkind, r.relnamespace INTO c FROM pg_class AS r WHERE r.oid = relation;
    IF (c.relkind IN ('r', 'p')) IS NOT TRUE THEN
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
        SELECT v.name, v.hint, a.atttypid
        FROM (VALUES (key, 'Pass the column that identifies players as key.'),
            (pool_key, 'Pass the column with the rating pool as pool_key.')) AS v(name, hint)
        LEFT JOIN pg_attribute AS a ON a.attrelid = relation AND a.attname = v.name AND a.attnum > 0 AND NOT a.attisdropped
        WHERE v.name <> '' OR v.name = key
    LOOP
        IF other.atttypid IS NULL THEN
            RAISE undefined_column USING
                MESSAGE = format('table %s has no column "%s"', relation, other.name),
                HINT = other.hint;
        END IF;
        key_type := CASE other.name WHEN key THEN other.atttypid ELSE key_type END;
    END LOOP;
    IF key_type IS DISTINCT FROM t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = format('column "%s" of table %s is of type %s, not %s', key, relation,
                key_type, t.player_type::regtype),
            HINT = 'The key must identify players as the ladder does.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_mirror(text, regclass, text, jsonb, text, text) IS
'The errors of mirror_rating() for a relation, a key or columns that cannot be mirrored.';

CREATE FUNCTION skillrating_internal.tell_mirrors(ladder text, relation regclass, pools text[])
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
'Warns of the mirrors of a ladder, or of one table, that are of another pool than these.';

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
DECLARE
    other record;
    taken record;
BEGIN
    IF pool <> '' AND pool_key <> '' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'pool and pool_key must not both be given',
            HINT = 'A table has the ratings of one pool, or a column with the pool of each row.';
    END IF;
    pool := CASE WHEN pool_key <> '' THEN ''
        ELSE coalesce(pool, skillrating_internal.only_pool(ladder, 'Pass pool => ..., and call mirror_rating() with another table or other columns for each further pool; or pool_key => ..., the column of the pool, for a table with a row for each player and pool.')) END;
    PERFORM skillrating_internal.check_mirror(ladder, relation, key, columns, pool, pool_key);
    -- Other ladders that write to the table have triggers there.
    FOR other IN
        SELECT DISTINCT n.nspname AS ladder
        FROM pg_trigger AS g
        JOIN pg_depend AS d ON d.classid = 'pg_trigger'::regclass AND d.objid = g.oid AND d.refclassid = 'pg_class'::regclass
        JOIN pg_class AS s ON s.oid = d.refobjid AND s.relname = 'source'
        JOIN pg_namespace AS n ON n.oid = s.relnamespace
        -- A policy on another role's table would run as the current one.
        JOIN pg_class AS m ON m.relnamespace = n.oid AND m.relname = 'mirror' AND m.relkind = 'r'
            AND pg_get_userbyid(m.relowner) = current_user
        WHERE g.tgrelid = relation AND g.tgfoid = 'skillrating_internal.fill_mirror'::regproc
            AND has_schema_privilege(n.oid, 'USAGE')
    LOOP
        EXECUTE format(
            'SELECT m.pool, k.key FROM %I.mirror AS m, jsonb_object_keys(m.columns) AS k(key)
            WHERE m.relation = $1 AND $2 ? k.key AND (%L, m.pool) <> ($3, $4) ORDER BY k.key LIMIT 1', other.ladder, other.ladder)
        INTO taken USING relation, columns, ladder, pool;
        IF taken.key IS NOT NULL THEN
            RAISE duplicate_object USING
                MESSAGE = format('ladder "%s" writes its ratings of pool "%s" to column "%s" of table %s', other.ladder, taken.pool,
                    taken.key, relation),
                HINT = format('Pass another column, or SELECT skillrating.unmirror_rating(%L, %L, %L) first.',
                    other.ladder, relation, taken.pool);
        END IF;
    END LOOP;
    -- Behind whoever writes to the table and rates.
    PERFORM skillrating_internal.hold_objects(ladder, '{}', ARRAY[to_regnamespace(quote_ident(ladder))],
            array_remove(ARRAY[format('%I.rating', ladder)::regclass, CASE WHEN skillrating_internal.owns_relation(relation) THEN relation END], NULL), 3),
        skillrating_internal.hold_ladder(ladder, false),
        skillrating_internal.lock_mirror(ladder, relation);
    PERFORM skillrating_internal.create_tables(ladder, '{mirror}');
    EXECUTE format(
        'INSERT INTO %I.mirror (relation, pool, key, columns, pool_key) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (relation, pool) DO UPDATE
        SET key = excluded.key, columns = excluded.columns, pool_key = excluded.pool_key', ladder)
    USING relation, pool, key, columns, pool_key;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.create_triggers(ladder, 'rating');
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
    PERFORM skillrating_internal.ladder_facts(ladder);
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
    PERFORM skillrating_internal.hold_objects(ladder, '{}', ARRAY[to_regnamespace(quote_ident(ladder))],
            array_remove(ARRAY[format('%I.rating', ladder)::regclass, CASE WHEN skillrating_internal.owns_relation(relation) THEN relation END], NULL), 0),
        skillrating_internal.hold_ladder(ladder, true);
    IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation) THEN
        RAISE NOTICE USING
            MESSAGE = format('table %s keeps the ratings that it has of ladder "%s"', relation, ladder);
    END IF;
    EXECUTE format('DELETE FROM %I.mirror AS m WHERE m.relation = $1 AND m.pool = $2', ladder)
    USING relation, pool;
    IF NOT EXISTS (
        SELECT FROM skillrating_internal.mirrors(ladder) AS m WHERE m.relation = unmirror_rating.relation)
    THEN
        PERFORM skillrating_internal.drop_source_triggers(
            to_regclass(format('%I.source', ladder)), relation, true);
    END IF;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.create_triggers(ladder, 'rating');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unmirror_rating(text, regclass, text) IS
'Undoes mirror_rating(): the table keeps what it has, which a notice says. Without pool it is the
only one that the table mirrors. Errors: 42704 for an unknown ladder or a table that is no mirror,
22023 without a pool where the table mirrors several.';
