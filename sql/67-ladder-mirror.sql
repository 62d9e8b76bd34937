-- Ratings in a table of the user's own.

CREATE FUNCTION skillrating_internal.mirror_columns(
    ladder text,
    relation regclass,
    columns jsonb,
    alias text,
    OUT name text,
    OUT source_name text,
    OUT value text,
    OUT cast_value text,
    OUT converts boolean,
    OUT has_default boolean)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
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
            HINT = 'The keys of columns are columns of the table, and their values columns of '
                'rating.';
    END IF;
    -- Where the table wants a value and rating may have none, the value stays.
    RETURN QUERY
    SELECT c.key, c.value,
        CASE WHEN required.v AND NOT b.attnotnull
            THEN format('coalesce(CAST(%s.%I AS %s), u.%I)', alias, c.value, type.v, c.key)
            ELSE format('%s.%I', alias, c.value) END,
        CASE WHEN required.v AND NOT b.attnotnull
            THEN format('coalesce(CAST(%s.%I AS %s), u.%I)', alias, c.value, type.v, c.key)
            ELSE format('CAST(%s.%I AS %s)', alias, c.value, type.v) END,
        (a.atttypid, a.atttypmod) <> (b.atttypid, b.atttypmod),
        a.atthasdef OR t.typdefault IS NOT NULL OR NOT required.v
    FROM jsonb_each_text(columns) AS c
    JOIN pg_attribute AS a ON a.attrelid = relation AND a.attname = c.key
    JOIN pg_attribute AS b ON b.attrelid = rating AND b.attname = c.value
    JOIN pg_type AS t ON t.oid = a.atttypid
    CROSS JOIN LATERAL (SELECT a.attnotnull OR t.typnotnull) AS required(v)
    CROSS JOIN LATERAL (SELECT format_type(a.atttypid, a.atttypmod)) AS type(v);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_columns(text, regclass, jsonb, text) IS
'A part of mirror_rating(): for each column of a table that mirrors one of rating, its new value
over rows u of the table and those of rating under an alias, as it is assigned and cast to the
column''s type; whether the types differ, so that a value may not fit; and whether there is a value
for a row without rating: a default, or null. Error 42703 for a column that is not there.';

CREATE FUNCTION skillrating_internal.check_mirror_owner(
    ladder text,
    relation regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- What hangs on a table of another role would run with the rights of the ladder's owner.
    IF NOT skillrating_internal.owns_mirror(ladder, relation) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('table %s does not belong to the owner of ladder "%s"', relation,
                ladder),
            HINT = 'Its partitions, and tables that inherit from it, must belong to that role as well.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_mirror_owner(text, regclass) IS
'A part of mirror_rating(): error 42501 unless a table belongs to the owner of the ladder.';

CREATE FUNCTION skillrating_internal.owns_mirror(
    ladder text,
    relation regclass)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_class AS c
        JOIN pg_class AS r ON r.relowner = c.relowner
        WHERE c.oid = relation AND r.oid = to_regclass(format('%I.rating', ladder))
            -- What hangs on a table below it runs as well.
            AND NOT EXISTS (
                WITH RECURSIVE below(oid) AS (
                    SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = c.oid
                    UNION
                    SELECT i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid)
                SELECT FROM below AS b JOIN pg_class AS d ON d.oid = b.oid
                WHERE d.relowner <> r.relowner))
$function$;

COMMENT ON FUNCTION skillrating_internal.owns_mirror(text, regclass) IS
'Whether a table exists and belongs to the owner of a ladder, with all partitions and tables that
inherit from it.';

CREATE FUNCTION skillrating_internal.rated_condition(
    ladder text,
    alias text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    RETURN format(
        '(%2$s.games > 0 OR EXISTS (
            SELECT FROM %1$I.event AS e
            WHERE e.player_id %3$s %2$s.player_id AND e.pool = %2$s.pool)%4$s)',
        ladder, alias, t.player_equals,
        CASE WHEN to_regclass(format('%I.horizon', ladder)) IS NOT NULL THEN format(' OR EXISTS (
            SELECT FROM %1$I.horizon AS h
            WHERE h.player_id %3$s %2$s.player_id AND h.pool = %2$s.pool)', ladder, alias,
            t.player_equals) END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rated_condition(text, text) IS
'A part of mirror_rating(): the condition that a match or an operation has made a row of rating,
which otherwise only has room for the first match of a player.';

CREATE FUNCTION skillrating_internal.mirror_statement(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text,
    OUT statement text,
    OUT converts boolean)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    -- OFFSET keeps the planner from casting the ratings of others, which need not fit.
    SELECT format(
            'UPDATE %1$s AS u SET %2$s
            FROM (
                SELECT r.* FROM (%3$s) AS k(player_id)
                JOIN %4$I.rating AS r ON r.player_id %5$s k.player_id AND r.pool = %6$L
                WHERE %8$s OFFSET 0) AS r
            WHERE u.%7$I %5$s r.player_id AND (%9$s)',
            relation, string_agg(format('%I = %s', c.name, c.value), ', '), players, ladder,
            t.player_equals, pool, mirror_statement.key,
            skillrating_internal.rated_condition(ladder, 'r'),
            string_agg(format('u.%I IS DISTINCT FROM %s', c.name, c.cast_value), ' OR ')),
        bool_or(c.converts)
    INTO statement, converts
    FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r') AS c;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_statement(text, regclass, text, text, jsonb, text) IS
'A part of mirror_rating(): the statement that makes the columns of a table equal to those of
rating, for those of the players that a query gives who have a rating, and whether a value is
converted on the way, so that it may not fit. Errors: 42501 if the table is not the ladder''s
owner''s, 42703 for a column that does not exist.';

CREATE FUNCTION skillrating_internal.unrated_statement(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    RETURN (
        SELECT format(
            'UPDATE %1$s AS u SET %2$s
            FROM (%3$s) AS o
            WHERE u.%4$I %5$s o.player_id
                AND NOT EXISTS (
                    SELECT FROM %6$I.rating AS r
                    WHERE r.player_id %5$s o.player_id AND r.pool = %7$L AND %8$s)',
            relation, string_agg(format('%I = DEFAULT', c.name), ', '), players,
            unrated_statement.key, t.player_equals, ladder, pool,
            skillrating_internal.rated_condition(ladder, 'r'))
        FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r') AS c
        WHERE c.has_default
        HAVING count(*) > 0);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unrated_statement(text, regclass, text, text, jsonb, text) IS
'A part of mirror_rating(): the statement that gives the columns of a table their defaults for those
of the players, rows o that a query gives, who have no rating any more; columns that may not be null
and have no default stay. Null if all do. Errors as for mirror_statement().';

CREATE FUNCTION skillrating_internal.mirror_fault(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    query constant text := format('SELECT unnest(CAST($1 AS %s[]))', t.player_type);
    half integer;
    c record;
    detail text;
BEGIN
    WHILE cardinality(players) > 1 LOOP
        half := cardinality(players) / 2;
        BEGIN
            EXECUTE (skillrating_internal.mirror_statement(ladder, relation, key, pool, columns,
                query)).statement
            USING players[:half];
            players := players[half + 1:];
        EXCEPTION
            WHEN data_exception OR integrity_constraint_violation THEN
                players := players[:half];
        END;
    END LOOP;
    FOR c IN SELECT * FROM jsonb_each_text(columns) AS e(name, source_name) LOOP
        BEGIN
            EXECUTE (skillrating_internal.mirror_statement(ladder, relation, key, pool,
                jsonb_build_object(c.name, c.source_name), query)).statement
            USING players;
        EXCEPTION
            WHEN data_exception OR integrity_constraint_violation THEN
                GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
                RAISE USING
                    ERRCODE = SQLSTATE,
                    MESSAGE = format('column "%s" of table %s cannot have the %s of player %s: %s',
                        c.name, relation, c.source_name, players[1], SQLERRM),
                    DETAIL = detail,
                    HINT = 'Change the type of the column or its constraint, or end the mirror by '
                        'skillrating.unmirror_rating().';
        END;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_fault(text, regclass, text, text, jsonb, text[]) IS
'A part of mirror_rating(), after mirror_statement() has failed for one of some players: finds by
halves who that is and in which column, and raises the error with their names.';

CREATE FUNCTION skillrating_internal.write_mirror(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    write record;
    n bigint;
BEGIN
    IF players = '{}' THEN
        RETURN 0;
    END IF;
    write := skillrating_internal.mirror_statement(ladder, relation, key, pool, columns,
        CASE WHEN players IS NULL
            THEN format('SELECT p.player_id FROM %I.rating AS p WHERE p.pool = %L', ladder, pool)
            ELSE format('SELECT unnest(CAST($1 AS %s[]))', t.player_type) END);
    -- Values of the same type fit, and the errors of constraints and triggers name the row.
    IF NOT write.converts THEN
        EXECUTE write.statement USING players;
        GET DIAGNOSTICS n = ROW_COUNT;
        RETURN n;
    END IF;
    BEGIN
        EXECUTE write.statement USING players;
        GET DIAGNOSTICS n = ROW_COUNT;
        RETURN n;
    EXCEPTION
        WHEN data_exception OR integrity_constraint_violation THEN
            IF players IS NULL THEN
                EXECUTE format(
                    'SELECT array_agg(p.player_id::text) FROM %I.rating AS p WHERE p.pool = $1',
                    ladder)
                INTO players USING pool;
            END IF;
            PERFORM skillrating_internal.mirror_fault(ladder, relation, key, pool, columns,
                players);
            RAISE;
    END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_mirror(text, regclass, text, text, jsonb, text[]) IS
'A part of mirror_rating(): writes the ratings of some players, or of all (null), to a table, and
returns how many rows that were. An error because a value does not fit names the column, the table
and the player.';

CREATE FUNCTION skillrating_internal.has_mirror_table(ladder text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM pg_class AS c JOIN pg_class AS l ON l.relowner = c.relowner
        WHERE c.oid = to_regclass(format('%I.mirror', ladder)) AND c.relkind = 'r'
            AND l.oid = to_regclass(format('%I.ladder', ladder)))
$function$;

COMMENT ON FUNCTION skillrating_internal.has_mirror_table(text) IS
'Whether a ladder has the table mirror, which comes with its first mirror.';

CREATE FUNCTION skillrating_internal.mirrors(
    ladder text,
    OUT relation regclass,
    OUT pool text,
    OUT key text,
    OUT columns jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 2
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF skillrating_internal.has_mirror_table(ladder) THEN
        RETURN QUERY EXECUTE format('SELECT m.relation, m.pool, m.key, m.columns FROM %I.mirror AS m', ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirrors(text) IS
'The rows of table mirror, none in a ladder that never had a mirror. Error 55000 unless the door to
the ladder is open.';

CREATE FUNCTION skillrating_internal.create_mirror_table(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.mirror (
            relation regclass NOT NULL,
            pool text NOT NULL DEFAULT '''',
            key text NOT NULL,
            columns jsonb NOT NULL,
            PRIMARY KEY (relation, pool))', ladder);
    EXECUTE format('COMMENT ON TABLE %I.mirror IS %L', ladder,
        'Tables of the user some of whose columns are kept equal to those of rating; see mirror_rating().');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_mirror_table(text) IS
'A part of mirror_rating(): the table mirror.';

CREATE FUNCTION skillrating_internal.working_mirrors(
    ladder text,
    table_oid regclass DEFAULT NULL,
    OUT relation regclass,
    OUT pool text,
    OUT key text,
    OUT columns jsonb)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    suspended regclass;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.mirror', ladder)) IS NULL THEN
        RETURN;
    END IF;
    FOR relation, pool, key, columns IN EXECUTE format(
        'SELECT m.relation, m.pool, m.key, m.columns
        FROM %I.mirror AS m JOIN pg_class AS c ON c.oid = m.relation
        WHERE m.relation = coalesce($1, m.relation) ORDER BY m.relation::oid, m.pool', ladder)
    USING table_oid
    LOOP
        IF skillrating_internal.owns_mirror(ladder, relation) THEN
            -- From here on it cannot be given away: what writes to it asks again who owns it.
            IF EXISTS (
                SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind IN ('r', 'p'))
            THEN
                EXECUTE format('LOCK TABLE %s IN ROW EXCLUSIVE MODE', relation);
            END IF;
            RETURN NEXT;
        ELSIF relation IS DISTINCT FROM suspended THEN
            suspended := relation;
            RAISE WARNING USING
                ERRCODE = 'insufficient_privilege',
                MESSAGE = format('table %s mirrors ladder "%s" and gets no ratings, because it '
                    'does not belong to the ladder''s owner', relation, ladder),
                HINT = 'Give it and its partitions to that role and call '
                    'skillrating.mirror_rating() again, or end the mirror by '
                    'skillrating.unmirror_rating().';
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.working_mirrors(text, regclass) IS
'A part of mirror_rating(): the rows of table mirror of a ladder, or those of one table, that are to
be written to. A table that was dropped is left out; one that belongs to another role by now is left
out with a warning, because what hangs on it would run with the rights of the ladder''s owner, and
keeps nobody from rating.';

CREATE FUNCTION skillrating_internal.update_mirrors()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_update_mirrors'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.update_mirrors() IS
'Trigger function on the table rating of a ladder, after each statement: opens the door to the
ladder and calls write_mirrors(). Error 39P01 if it is attached otherwise, 55000 on any other
table.';

CREATE FUNCTION skillrating_internal.write_mirrors()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    m record;
    players text[];
    statement text;
BEGIN
    FOR m IN SELECT w.* FROM skillrating_internal.working_mirrors(TG_TABLE_SCHEMA) AS w LOOP
        IF TG_OP <> 'DELETE' THEN
            players := ARRAY(
                SELECT c.player_id::text FROM changed AS c WHERE c.pool = m.pool);
            PERFORM skillrating_internal.write_mirror(TG_TABLE_SCHEMA, m.relation, m.key, m.pool,
                m.columns, players);
            CONTINUE;
        END IF;
        statement := skillrating_internal.unrated_statement(TG_TABLE_SCHEMA, m.relation, m.key,
            m.pool, m.columns, format('SELECT r.player_id FROM changed AS r WHERE r.pool = %L',
                m.pool));
        IF statement IS NOT NULL THEN
            EXECUTE statement;
        END IF;
    END LOOP;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_mirrors() IS
'The body of update_mirrors(): writes what changed to the tables that mirror_rating() has named.';

CREATE FUNCTION skillrating_internal.fill_mirror()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_fill_mirror'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.fill_mirror() IS
'Trigger function on a table that mirrors a ladder, after rows are inserted: opens the door to the
ladder, whose view source the WHEN condition of the trigger names, and calls write_inserted(). Error
39P01 if it is attached otherwise, 55000 on a table that mirror_rating() was not given.';

CREATE FUNCTION skillrating_internal.write_inserted()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    ladder constant text := TG_ARGV[0];
    t record := skillrating_internal.ladder_types(ladder);
    m record;
    players text[];
BEGIN
    FOR m IN SELECT w.* FROM skillrating_internal.working_mirrors(ladder, TG_RELID) AS w LOOP
        IF TG_LEVEL = 'ROW' THEN
            EXECUTE format('SELECT ARRAY[($1).%I::text]', m.key) INTO players USING NEW;
        ELSE
            EXECUTE format('SELECT array_agg(DISTINCT i.%1$I::text) FROM inserted AS i', m.key)
            INTO players;
        END IF;
        players := coalesce(array_remove(players, NULL), '{}');
        -- Whoever is rating them does not see these rows: one waits for the other, and the second
        -- writes what is right. In the order in which those who rate lock players.
        EXECUTE format(
            'SELECT FROM unnest(CAST($1 AS %2$s[])) AS u(player)
            JOIN %1$I.rating AS r ON r.player_id %3$s u.player
            WHERE r.pool = $2 ORDER BY r.player_id%4$s FOR SHARE OF r',
            ladder, t.player_type, t.player_equals, t.player_order)
        USING players, m.pool;
        PERFORM skillrating_internal.write_mirror(ladder, TG_RELID, m.key, m.pool, m.columns,
            players);
    END LOOP;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_inserted() IS
'The body of fill_mirror(): gives the rows that were inserted into a mirrored table the ratings of
their players, whom nobody rates until the end of the transaction. The argument is the ladder; the
rows are the transition table inserted, or NEW.';

CREATE FUNCTION skillrating_internal.drop_mirror_triggers(
    source regclass,
    relation regclass DEFAULT NULL)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_drop_mirror_triggers'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.drop_mirror_triggers(regclass, regclass) IS
'The same as drop_collect_triggers() for the triggers that mirror_rating() made on mirrored
tables.';

CREATE FUNCTION skillrating_internal.create_fill_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    source regclass := to_regclass(format('%I.source', ladder));
    m record;
    name text;
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR m IN EXECUTE format(
        'SELECT DISTINCT m.relation, c.relkind FROM skillrating_internal.mirrors($1) AS m
        JOIN pg_class AS c ON c.oid = m.relation
        WHERE skillrating_internal.owns_mirror($1, m.relation) AND NOT EXISTS (
            SELECT FROM pg_depend AS d JOIN pg_trigger AS t ON t.oid = d.objid
            WHERE d.refclassid = ''pg_class''::regclass AND d.refobjid = $2
                AND d.classid = ''pg_trigger''::regclass AND t.tgrelid = m.relation
                AND t.tgfoid = ''skillrating_internal.fill_mirror''::regproc)
        ORDER BY m.relation', ladder)
    USING ladder, source
    LOOP
        -- A table may mirror several ladders. Nothing is found by these names.
        SELECT format('skillrating_mirror%s', '_' || nullif(s.i, 1)) INTO name
        FROM generate_series(1, 1000) AS s(i)
        WHERE NOT EXISTS (
            SELECT FROM pg_trigger AS t
            WHERE t.tgrelid = m.relation
                AND t.tgname = format('skillrating_mirror%s', '_' || nullif(s.i, 1)))
        ORDER BY s.i LIMIT 1;
        -- Foreign tables have no transition tables.
        EXECUTE format(
            'CREATE TRIGGER %I AFTER INSERT ON %s %s WHEN (%L::regclass IS NOT NULL)
            EXECUTE FUNCTION skillrating_internal.fill_mirror()', name, m.relation,
            CASE m.relkind WHEN 'f' THEN 'FOR EACH ROW'
                ELSE 'REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT' END, source);
        n := n + 1;
    END LOOP;
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_fill_triggers(text) IS
'A part of mirror_rating() and restore_triggers(): makes those triggers on mirrored tables that do
not exist, as far as the tables belong to the ladder''s owner, and returns how many.';

CREATE FUNCTION skillrating_internal.mirror_triggers(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    rating regclass := to_regclass(format('%I.rating', ladder));
    wanted boolean;
    t record;
    there boolean;
    n bigint := 0;
BEGIN
    -- Error unless the door to the ladder is open.
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
    RETURN n + skillrating_internal.create_fill_triggers(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_triggers(text) IS
'A part of mirror_rating(): makes or drops the triggers of the table rating, as there are mirrors or
not, and makes those of mirrored tables. Returns how many it made.';

CREATE FUNCTION skillrating_internal.check_mirror(
    ladder text,
    relation regclass,
    key text,
    columns jsonb,
    pool text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = relation);
    key_type regtype;
    c record;
BEGIN
    IF kind NOT IN ('r', 'p', 'f') THEN
        RAISE wrong_object_type USING
            MESSAGE = format('%s is not a table', relation),
            HINT = 'Ratings are written to tables, partitioned and foreign ones too. Name the '
                'table behind a view.';
    END IF;
    PERFORM skillrating_internal.check_mirror_owner(ladder, relation);
    IF relation IN (
        SELECT to_regclass(format('%I.%I', ladder, n.name))
        FROM unnest(ARRAY['attached', 'component', 'component_event', 'correction', 'event',
            'component_horizon', 'horizon', 'season_horizon',
            'ladder', 'match', 'match_player', 'mirror', 'operation', 'pending', 'rated_match', 'rating', 'rating_count', 'rating_count_delta', 'solved',
            'solved_context', 'standing', 'replica_note']) AS n(name))
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('table %s is one of the ladder''s own', relation);
    END IF;
    IF jsonb_typeof(columns) <> 'object' OR columns = '{}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must be an object of columns and those of rating, not %s',
                columns),
            HINT = 'As in {"elo": "rating", "played": "games"}.';
    END IF;
    FOR c IN SELECT e.name, e.value FROM jsonb_each(columns) AS e(name, value)
        WHERE jsonb_typeof(e.value) <> 'string'
    LOOP
        RAISE invalid_parameter_value USING
            MESSAGE = format('column "%s" in columns must map to a column of rating, not %s',
                c.name, c.value),
            HINT = 'As in {"elo": "rating", "played": "games"}.';
    END LOOP;
    IF columns ? key THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('column "%s" of table %s identifies players, and cannot mirror %s',
                key, relation, columns->>key);
    END IF;
    SELECT a.atttypid INTO key_type
    FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF key_type IS NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column "%s"', relation, key),
            HINT = 'Pass the column that identifies players as key.';
    END IF;
    IF key_type IS DISTINCT FROM t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = format('column "%s" of table %s is of type %s, not %s', key, relation,
                key_type, t.player_type::regtype),
            HINT = 'The key must identify players as the ladder does.';
    END IF;
    -- Planning a statement for each column shows what its type and the table do not allow.
    FOR c IN
        SELECT m.* FROM skillrating_internal.mirror_columns(ladder, relation, columns, 'r') AS m
    LOOP
        BEGIN
            EXECUTE 'EXPLAIN ' || (skillrating_internal.mirror_statement(ladder, relation, key,
                pool, jsonb_build_object(c.name, c.source_name),
                format('SELECT r.player_id FROM %I.rating AS r', ladder))).statement;
        EXCEPTION
            WHEN datatype_mismatch OR cannot_coerce OR undefined_function OR generated_always THEN
                RAISE USING
                    ERRCODE = SQLSTATE,
                    MESSAGE = format('column "%s" of table %s cannot be kept equal to %s: %s',
                        c.name, relation, c.source_name, SQLERRM);
        END;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_mirror(text, regclass, text, jsonb, text) IS
'A part of mirror_rating(): errors for a relation, a key or columns that cannot be written to, which
name the column.';

CREATE FUNCTION skillrating_internal.check_table_is_local(relation regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    is_distributed boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition AS d WHERE d.logicalrelid = $1)'
        INTO is_distributed
        USING relation;
    END IF;
    IF is_distributed THEN
        RAISE feature_not_supported USING
            MESSAGE = format('table %s is distributed by Citus', relation),
            HINT = 'Mirror into a local table, or read the ladder''s table rating.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_table_is_local(regclass) IS
'A part of mirror_rating(): error 0A000 for a table whose rows Citus keeps on other servers, where
the ladder''s triggers do not see them.';

CREATE FUNCTION skillrating_internal.mirror_rating(
    ladder text,
    relation regclass,
    key text,
    columns jsonb,
    pool text DEFAULT '',
    OUT players bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_relation(relation);
    PERFORM skillrating_internal.check_table_is_local(relation);
    PERFORM skillrating_internal.check_mirror(ladder, relation, key, columns, pool);
    IF NOT skillrating_internal.has_tables(ladder, '{mirror}') THEN
        PERFORM skillrating_internal.create_mirror_table(ladder);
    END IF;
    EXECUTE format(
        'INSERT INTO %I.mirror (relation, pool, key, columns) VALUES ($1, $2, $3, $4)
        ON CONFLICT (relation, pool) DO UPDATE
        SET key = excluded.key, columns = excluded.columns', ladder)
    USING relation, pool, key, columns;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.mirror_triggers(ladder);
    -- Players without a rating keep what the table has: it may be all that is known of them.
    players := skillrating_internal.write_mirror(ladder, relation, key, pool, columns, NULL);
    PERFORM skillrating_internal.rate_failed(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('mirror_rating');

COMMENT ON FUNCTION skillrating.mirror_rating(text, regclass, text, jsonb, text) IS
'Keeps columns of a table of the user''s own equal to those of rating in a pool, from now on, in the
transaction that rates and for the rows that change only; a row that is inserted there gets the
rating of its player at once. Players who have no rating yet keep what the table has; for those
whose rating goes, as by merge_players(), the columns get their defaults, and columns that may not
be null and have none keep the last value. columns maps the table''s columns to those of rating, as
in {"elo": "rating", "played": "games"}, and key is its column that identifies players, of the
ladder''s type. The table may be partitioned or foreign. Called again for the same table and pool it
replaces what was. Returns the number of players whose rows it wrote at once. Errors: 42704 for an
unknown ladder, 42809 for a view, 42804 for a key of another type or a column that cannot have the
value, 0A000 for a table that Citus distributes, 428C9 for a generated column, 42703 for an unknown
column, 22023 for columns that are no object of names, 42501 if the table does not belong to the
ladder''s owner. A value that does not fit is an error that names the column, the table and the
player; matches wait because of it, see ladder_status(), and are tried again by the next call. While
the table, or a partition of it, belongs to another role than the ladder it gets no ratings, with a
warning, and matches are rated all the same.';

CREATE FUNCTION skillrating_internal.unmirror_rating(
    ladder text,
    relation regclass,
    pool text DEFAULT '')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT EXISTS (
        SELECT FROM skillrating_internal.mirrors(ladder) AS m
        WHERE m.relation = unmirror_rating.relation AND m.pool = unmirror_rating.pool)
    THEN
        RAISE undefined_object USING
            MESSAGE = format('table %s mirrors no rating of pool "%s" of ladder "%s"', relation,
                pool, ladder);
    END IF;
    EXECUTE format('DELETE FROM %I.mirror AS m WHERE m.relation = $1 AND m.pool = $2', ladder)
    USING relation, pool;
    IF NOT EXISTS (
        SELECT FROM skillrating_internal.mirrors(ladder) AS m WHERE m.relation = unmirror_rating.relation)
    THEN
        PERFORM skillrating_internal.drop_mirror_triggers(
            to_regclass(format('%I.source', ladder)), relation);
    END IF;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.mirror_triggers(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('unmirror_rating');

COMMENT ON FUNCTION skillrating.unmirror_rating(text, regclass, text) IS
'Undoes mirror_rating(): the table keeps what it has. Error 42704 for an unknown ladder or a table
that is no mirror.';
