-- Ladders that an earlier version has made, brought up to what create_ladder() makes today: a new
-- ladder without matches, of the same model and options, is the pattern that says what they lack.

CREATE FUNCTION skillrating_internal.check_upgradable(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    wrong record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.ladder', ladder)) IS NULL
        OR to_regclass(format('%I.rating', ladder)) IS NULL
        OR to_regclass(format('%I.rated_match', ladder)) IS NULL
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    -- What is read here must be a table, which runs no code of others, and the owner's.
    SELECT c.relname, c.relkind, pg_get_userbyid(c.relowner) = current_user AS is_own INTO wrong
    FROM pg_class AS c
    WHERE c.oid IN (to_regclass(format('%I.ladder', ladder)),
            to_regclass(format('%I.rating', ladder)),
            to_regclass(format('%I.rated_match', ladder)))
        AND (c.relkind NOT IN ('r', 'p') OR pg_get_userbyid(c.relowner) <> current_user)
    ORDER BY c.relname LIMIT 1;
    IF wrong.relkind = 'f' THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format(
                'cannot call skillrating.upgrade_ladder() on ladder "%s", whose tables are foreign',
                ladder),
            HINT = 'Call it on the server that has the ladder.';
    ELSIF wrong.is_own THEN
        RAISE wrong_object_type USING
            MESSAGE = format('relation %I.%I is not a table', ladder, wrong.relname);
    ELSIF NOT wrong.is_own THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('relation %I.%I is not owned by the owner of the ladder', ladder,
                wrong.relname),
            HINT = 'Give all relations of a ladder to one role.';
    END IF;
    IF to_regclass(format('%I.source', ladder)) IS NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" has no relation "source"', ladder),
            HINT = format('SELECT skillrating.refresh_source(%L, source => ...) makes it again.',
                ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_upgradable(text) IS
'A part of upgrade_ladder(): error 42704 if there is no such ladder, 55000 if its tables are
foreign, it has no source or the door to it is not open, 42809 or 42501 if the relations that say
what it is are no tables or belong to another role.';

CREATE FUNCTION skillrating_internal.create_pattern(
    ladder text,
    pattern text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    l record;
    t record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT l.model, l.params, l.apply_at, l.late, l.strict, l.leaderboard FROM %I.ladder AS l',
        ladder)
    INTO l;
    SELECT p.atttypid::regtype AS player_type, m.atttypid::regtype AS match_type INTO t
    FROM pg_attribute AS p, pg_attribute AS m
    WHERE p.attrelid = to_regclass(format('%I.rating', ladder)) AND p.attname = 'player_id'
        AND m.attrelid = to_regclass(format('%I.rated_match', ladder)) AND m.attname = 'match_id';
    PERFORM skillrating_internal.create_ladder_schema(pattern, l.model, l.params, t.player_type,
        t.match_type, l.apply_at,
        CASE WHEN to_regclass(format('%I.match', ladder)) IS NULL
            THEN to_regclass(format('%I.source', ladder)) END,
        l.late, l."strict", '{}', l.leaderboard);
    -- What can be switched on, by one of its tables: an earlier version may lack others.
    IF to_regclass(format('%I.horizon', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_horizon_tables(pattern);
    END IF;
    IF to_regclass(format('%I.change', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.keep_changes(pattern, true);
    END IF;
    IF to_regclass(format('%I.work', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_work_table(pattern);
    END IF;
    IF to_regclass(format('%I.replica_note', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_replica_note(pattern);
    END IF;
    IF to_regclass(format('%I.queue', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_queue_tables(pattern);
    END IF;
    IF to_regclass(format('%I.push', ladder)) IS NOT NULL THEN
        PERFORM skillrating_internal.create_push_tables(pattern);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_pattern(text, text) IS
'A part of upgrade_ladder(): a new ladder, without matches, of the model, types and options of a
ladder, with the tables of what is switched on there. Errors as for create_ladder().';

CREATE FUNCTION skillrating_internal.missing_tables(
    ladder text,
    pattern text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT p.relname::text
    FROM pg_class AS p
    WHERE p.relnamespace = to_regnamespace(quote_ident(pattern)) AND p.relkind IN ('r', 'p')
        AND to_regclass(format('%I.%I', ladder, p.relname)) IS NULL
    ORDER BY p.relname
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_tables(text, text) IS
'A part of upgrade_ladder(): tables that a pattern has and a ladder lacks.';

CREATE FUNCTION skillrating_internal.take_tables(
    ladder text,
    pattern text,
    tables text[])
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT s.statement
    FROM (
        -- With its indexes, constraints, sequences and comments, but for triggers, which name
        -- where they are: create_own_triggers() makes them again.
        SELECT 1, t.relation, format('ALTER TABLE %I.%I SET SCHEMA %I', pattern, t.relation, ladder)
        FROM unnest(tables) AS t(relation)
        UNION ALL
        SELECT 2, t.relation, format('DROP TRIGGER %I ON %I.%I', g.tgname, ladder, t.relation)
        FROM unnest(tables) AS t(relation)
        JOIN pg_trigger AS g ON g.tgrelid = to_regclass(format('%I.%I', pattern, t.relation))
        WHERE NOT g.tgisinternal
        UNION ALL
        -- A foreign key is to the table of the ladder, and not to that of the pattern.
        SELECT k.n, t.relation, format(k.words, ladder, t.relation, c.conname,
            replace(pg_get_constraintdef(c.oid), quote_ident(pattern) || '.',
                quote_ident(ladder) || '.'))
        FROM unnest(tables) AS t(relation)
        JOIN pg_constraint AS c ON c.conrelid = to_regclass(format('%I.%I', pattern, t.relation))
        JOIN pg_class AS r ON r.oid = c.confrelid
        CROSS JOIN (VALUES
            (3, 'ALTER TABLE %I.%I DROP CONSTRAINT %I'),
            (4, 'ALTER TABLE %I.%I ADD CONSTRAINT %I %s')) AS k(n, words)
        WHERE c.contype = 'f' AND r.relnamespace = to_regnamespace(quote_ident(pattern))
    ) AS s(n, relation, statement)
    ORDER BY s.n, s.relation, s.statement
$function$;

COMMENT ON FUNCTION skillrating_internal.take_tables(text, text, text[]) IS
'A part of upgrade_ladder(): the statements that move tables from a pattern to a ladder.';

CREATE FUNCTION skillrating_internal.common_tables(
    ladder text,
    pattern text,
    OUT relation text,
    OUT old_table oid,
    OUT new_table oid)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT p.relname, l.oid, p.oid
    FROM pg_class AS p
    JOIN pg_class AS l ON l.relname = p.relname AND l.relkind IN ('r', 'p')
    WHERE p.relnamespace = to_regnamespace(quote_ident(pattern)) AND p.relkind IN ('r', 'p')
        AND l.relnamespace = to_regnamespace(quote_ident(ladder))
$function$;

COMMENT ON FUNCTION skillrating_internal.common_tables(text, text) IS
'A part of upgrade_ladder(): the tables that both a ladder and a pattern have.';

CREATE FUNCTION skillrating_internal.missing_columns(
    ladder text,
    pattern text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT s.statement
    FROM (
        SELECT 1, t.relation, a.attnum, format('ALTER TABLE %I.%I ADD COLUMN %I %s', ladder,
            t.relation, a.attname, concat_ws(' ',
                format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.attgenerated = 's'
                    THEN format('GENERATED ALWAYS AS (%s) STORED', d.text)
                    WHEN a.attidentity = 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY'
                    WHEN a.attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
                    ELSE 'DEFAULT ' || d.text END,
                CASE WHEN a.attnotnull THEN 'NOT NULL' END))
        FROM skillrating_internal.common_tables(ladder, pattern) AS t
        JOIN pg_attribute AS a ON a.attrelid = t.new_table AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN LATERAL (
            SELECT pg_get_expr(e.adbin, e.adrelid) AS text FROM pg_attrdef AS e
            WHERE e.adrelid = a.attrelid AND e.adnum = a.attnum) AS d ON true
        WHERE NOT EXISTS (
            SELECT FROM pg_attribute AS o
            WHERE o.attrelid = t.old_table AND o.attname = a.attname AND NOT o.attisdropped)
        UNION ALL
        SELECT 2, t.relation, a.attnum, format('COMMENT ON COLUMN %I.%I.%I IS %L', ladder,
            t.relation, a.attname, col_description(a.attrelid, a.attnum))
        FROM skillrating_internal.common_tables(ladder, pattern) AS t
        JOIN pg_attribute AS a ON a.attrelid = t.new_table AND a.attnum > 0 AND NOT a.attisdropped
        WHERE col_description(a.attrelid, a.attnum) IS NOT NULL AND NOT EXISTS (
            SELECT FROM pg_attribute AS o
            WHERE o.attrelid = t.old_table AND o.attname = a.attname AND NOT o.attisdropped)
    ) AS s(n, relation, attnum, statement)
    ORDER BY s.n, s.relation, s.attnum
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_columns(text, text) IS
'A part of upgrade_ladder(): the statements that add the columns that tables of a ladder lack.
Existing columns are left as they are.';

CREATE FUNCTION skillrating_internal.missing_constraints(
    ladder text,
    pattern text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH missing AS (
        SELECT t.relation, t.old_table, c.conname, c.definition
        FROM skillrating_internal.common_tables(ladder, pattern) AS t
        CROSS JOIN LATERAL (
            SELECT c.conname, replace(pg_get_constraintdef(c.oid), quote_ident(pattern) || '.',
                quote_ident(ladder) || '.') AS definition
            FROM pg_constraint AS c
            WHERE c.conrelid = t.new_table AND c.contype IN ('c', 'f', 'p', 'u')) AS c
        WHERE NOT EXISTS (
            SELECT FROM pg_constraint AS o
            WHERE o.conrelid = t.old_table AND pg_get_constraintdef(o.oid) = c.definition)
    )
    SELECT s.statement
    FROM (
        SELECT 1, m.relation, m.conname, format('ALTER TABLE %I.%I DROP CONSTRAINT %I', ladder,
            m.relation, m.conname)
        FROM missing AS m
        WHERE EXISTS (
            SELECT FROM pg_constraint AS o
            WHERE o.conrelid = m.old_table AND o.conname = m.conname)
        UNION ALL
        SELECT 2, m.relation, m.conname, format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', ladder,
            m.relation, m.conname, m.definition)
        FROM missing AS m
    ) AS s(n, relation, conname, statement)
    ORDER BY s.n, s.relation, s.conname
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_constraints(text, text) IS
'A part of upgrade_ladder(): the statements that give tables of a ladder the checks and keys that
they lack, in the place of one of the same name. Others, as users may have added, stay.';

CREATE FUNCTION skillrating_internal.missing_indexes(
    ladder text,
    pattern text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format('CREATE %sINDEX ON %I.%I %s', CASE WHEN i.indisunique THEN 'UNIQUE ' END, ladder,
        t.relation, d.text)
    FROM skillrating_internal.common_tables(ladder, pattern) AS t
    JOIN pg_index AS i ON i.indrelid = t.new_table
    CROSS JOIN LATERAL (
        SELECT substring(pg_get_indexdef(i.indexrelid) FROM ' (USING .*)$')) AS d(text)
    WHERE NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conindid = i.indexrelid)
        AND NOT EXISTS (
            SELECT FROM pg_index AS o
            WHERE o.indrelid = t.old_table AND o.indisunique = i.indisunique
                AND substring(pg_get_indexdef(o.indexrelid) FROM ' (USING .*)$') = d.text)
    ORDER BY t.relation, d.text
$function$;

COMMENT ON FUNCTION skillrating_internal.missing_indexes(text, text) IS
'A part of upgrade_ladder(): the statements that make the indexes that tables of a ladder lack.';

CREATE FUNCTION skillrating_internal.newer_source(
    ladder text,
    pattern text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format('CREATE OR REPLACE VIEW %I.source AS %s', ladder, n.text)
    FROM (SELECT rtrim(replace(pg_get_viewdef(to_regclass(format('%I.source', pattern))),
        quote_ident(pattern) || '.', quote_ident(ladder) || '.'), ';')) AS n(text)
    WHERE to_regclass(format('%I.match', ladder)) IS NOT NULL
        AND n.text <> rtrim(pg_get_viewdef(to_regclass(format('%I.source', ladder))), ';')
$function$;

COMMENT ON FUNCTION skillrating_internal.newer_source(text, text) IS
'A part of upgrade_ladder(): the statement that makes the view source of a ladder''s own tables as
it is today; that of a user''s source is for refresh_source().';

CREATE FUNCTION skillrating_internal.grants_on(
    ladder text,
    tables text[])
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format('GRANT %s ON %I.%I TO %s', p.privilege, ladder, p.relation, g.quoted_role)
    FROM (VALUES ('reader', 'ladder', 'SELECT'), ('reporter', 'match', 'INSERT'),
        ('matchmaker', 'queue_ticket', 'INSERT')) AS k(kind, marks, by)
    CROSS JOIN LATERAL (
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC'
            ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS quoted_role
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = to_regclass(format('%I.%I', ladder, k.marks)) AND a.privilege_type = k.by
            AND a.grantee <> c.relowner) AS g
    CROSS JOIN LATERAL skillrating_internal.granted_privileges(ladder, k.kind) AS p
    WHERE p.relation = ANY (tables)
    ORDER BY p.relation, g.quoted_role, p.privilege
$function$;

COMMENT ON FUNCTION skillrating_internal.grants_on(text, text[]) IS
'A part of upgrade_ladder(): the statements that grant what readers, reporters and matchmakers of a
ladder get on tables that it has not had before.';

CREATE FUNCTION skillrating_internal.upgrade_ladder(ladder text)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE STRICT ROWS 10
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- Who upgrades another ladder meanwhile waits until this schema is gone.
    pattern constant text := 'skillrating_upgrade';
    old_format integer;
    new_format integer;
    horizon bigint;
    new_tables text[];
    step text;
    statement text;
BEGIN
    PERFORM skillrating_internal.check_upgradable(ladder);
    EXECUTE format('SELECT l.format_version, l.horizon FROM %I.ladder AS l', ladder)
    INTO STRICT old_format, horizon;
    PERFORM skillrating_internal.create_pattern(ladder, pattern);
    EXECUTE format('SELECT l.format_version FROM %I.ladder AS l', pattern) INTO STRICT new_format;
    IF old_format > new_format THEN
        RAISE feature_not_supported USING
            MESSAGE = format(
                'ladder "%s" has format %s, which this version of skillrating does not know',
                ladder, old_format),
            DETAIL = format('It makes ladders of format %s.', new_format),
            HINT = 'Install a later version of skillrating.';
    END IF;
    new_tables := ARRAY(SELECT skillrating_internal.missing_tables(ladder, pattern));
    -- Each step sees what the one before has done.
    FOREACH step IN ARRAY ARRAY[
        'SELECT skillrating_internal.take_tables($1, $2, $3)',
        'SELECT skillrating_internal.missing_columns($1, $2)',
        'SELECT skillrating_internal.missing_constraints($1, $2)',
        'SELECT skillrating_internal.missing_indexes($1, $2)',
        'SELECT skillrating_internal.newer_source($1, $2)',
        'SELECT skillrating_internal.grants_on($1, $3)']
    LOOP
        FOR statement IN EXECUTE step USING ladder, pattern, new_tables LOOP
            EXECUTE statement;
            RETURN NEXT statement;
        END LOOP;
    END LOOP;
    -- An earlier version read the seasons from events before the horizon, as far as they still exist.
    IF 'season_horizon' = ANY (new_tables) THEN
        PERFORM skillrating_internal.keep_seasons(ladder, NULL, horizon);
    END IF;
    -- Without CASCADE: nothing of the ladder may depend on what the pattern still has.
    PERFORM skillrating_internal.drop_tables(pattern);
    IF old_format < new_format THEN
        statement := format('UPDATE %I.ladder SET format_version = %s', ladder, new_format);
        EXECUTE statement;
        RETURN NEXT statement;
    END IF;
    PERFORM skillrating_internal.restore_own_triggers(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('upgrade_ladder');

COMMENT ON FUNCTION skillrating.upgrade_ladder(text) IS
'Brings a ladder that an earlier version has made up to what create_ladder() makes today: adds the
tables, columns, constraints and indexes that it lacks, with the privileges of readers, reporters
and matchmakers, and gives it the format of today. Of a ladder with a horizon it keeps what the
events before it still say of seasons, as set_horizon() does. Rows, comments, existing columns and
whatever users have added stay. Returns the statements that it has executed, none if there was
nothing to do; it may be called again. A ladder of an earlier version goes on rating without it;
functions that set it up, such as attach(), may not find what they need. Waits until nobody is at
work on the ladder, and takes CREATE on the database, because it makes a ladder to compare with.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns the ladder, 0A000 for a ladder of
a later version, 55000 for one whose tables are foreign or that has no source.';
