-- A schema for applications: a ladder's functions and tables in the types of its identifiers,
-- without its name in every call and without its inside.

CREATE FUNCTION skillrating_internal.api_types(
    ladder text,
    OUT player_type text,
    OUT match_type text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format_type(p.atttypid, NULL), format_type(m.atttypid, NULL)
    FROM pg_attribute AS p, pg_attribute AS m
    WHERE p.attrelid = to_regclass(format('%I.rating', ladder)) AND p.attname = 'player_id'
        AND m.attrelid = to_regclass(format('%I.rated_match', ladder)) AND m.attname = 'match_id'
        AND to_regclass(format('%I.source', ladder)) IS NOT NULL
$function$;

COMMENT ON FUNCTION skillrating_internal.api_types(text) IS
'A part of create_api(): the types of a ladder''s players and matches, as SQL text; no row if there
is no ladder of that name.';

CREATE FUNCTION skillrating_internal.api_type(
    name text,
    type regtype,
    player_type text,
    match_type text)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE
        WHEN NOT (t.typtype = 'p' OR t.oid = 'text'::regtype AND (
            name ~ '^(pseudonym|match_id|(player|opponent)_id(_[a-z]+)?)$'))
            THEN format_type(t.oid, NULL)
        WHEN name ~ '^match_id' THEN match_type
        -- forget_player() takes one identifier or several.
        WHEN t.typelem <> 0 OR t.oid IN ('anyarray'::regtype, 'anycompatiblearray'::regtype)
            OR name IN ('players', 'pseudonyms') THEN player_type || '[]'
        ELSE player_type
    END
    FROM pg_type AS t WHERE t.oid = type
$function$;

COMMENT ON FUNCTION skillrating_internal.api_type(text, regtype, text, text) IS
'A part of create_api(): the type of an argument or column of a function on ladders once the types
of its players and matches are known. Identifiers are what is polymorphic, and texts that are named
as identifiers.';

CREATE FUNCTION skillrating_internal.api_functions(
    ladder text,
    OUT function text,
    OUT role text,
    OUT arguments text,
    OUT signature text,
    OUT result text,
    OUT query text,
    OUT attributes text,
    OUT comment text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH body AS (
        SELECT p.*, e.function,
            CASE WHEN e.needs ~ '^to be' THEN 'owner' WHEN e.needs ~ 'INSERT' THEN 'reporter'
                ELSE 'reader' END AS role,
            t.typtype = 'c' AS is_composite, t.typrelid, k.*
        FROM skillrating_internal.ladder_entries() AS e
        JOIN pg_proc AS p ON p.proname = e.function
            AND p.pronamespace = 'skillrating_internal'::regnamespace
        JOIN pg_type AS t ON t.oid = p.prorettype
        CROSS JOIN skillrating_internal.api_types(ladder) AS k
        WHERE e.in_api
    ), argument AS (
        SELECT b.oid, u.n, b.proargnames[u.n] AS name, u.type::regtype AS old_type,
            skillrating_internal.api_type(b.proargnames[u.n], u.type, b.player_type, b.match_type)
                AS type,
            pg_get_function_arg_default(b.oid, u.n::integer) AS default_value
        FROM body AS b
        CROSS JOIN unnest(b.proargtypes::oid[]) WITH ORDINALITY AS u(type, n)
    ), input AS (
        SELECT a.oid,
            string_agg(format('%I %s%s', a.name, a.type, ' DEFAULT ' || d.value), ', ' ORDER BY a.n)
                FILTER (WHERE a.n > 1) AS arguments,
            string_agg(a.type, ', ' ORDER BY a.n) FILTER (WHERE a.n > 1) AS signature,
            -- Whoever cannot leave an argument out passes null in its place.
            string_agg(
                CASE WHEN a.n = 1 THEN quote_literal(ladder)
                    ELSE format(CASE WHEN a.old_type = 'text'::regtype AND a.type <> 'text'
                            THEN 'CAST(%s AS text)' ELSE '%s' END,
                        CASE WHEN d.value IS NULL OR d.value = 'NULL'
                            THEN format('$%s', a.n - 1)
                            ELSE format('coalesce($%s, %s)', a.n - 1, d.value) END)
                END, ', ' ORDER BY a.n) AS passed
        FROM argument AS a
        -- A null has the type that the argument has in the body.
        CROSS JOIN LATERAL (
            SELECT regexp_replace(a.default_value, '^NULL::.*$', 'NULL')) AS d(value)
        GROUP BY a.oid
    ), result_column AS (
        SELECT b.oid, u.n, b.proargnames[u.n] AS name, u.type AS old_type
        FROM body AS b
        CROSS JOIN unnest(b.proallargtypes, b.proargmodes) WITH ORDINALITY AS u(type, mode, n)
        WHERE u.mode IN ('o', 't')
        UNION ALL
        SELECT b.oid, a.attnum, a.attname, a.atttypid
        FROM body AS b
        JOIN pg_attribute AS a ON a.attrelid = b.typrelid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE b.is_composite
    ), output AS (
        SELECT c.oid,
            string_agg(format('%I %s', c.name, t.type), ', ' ORDER BY c.n) AS columns,
            string_agg(format(CASE WHEN t.type = format_type(c.old_type, NULL)
                THEN 'q.%I' ELSE 'CAST(q.%I AS %s)' END, c.name, t.type), ', ' ORDER BY c.n)
                AS list
        FROM result_column AS c
        JOIN body AS b ON b.oid = c.oid
        CROSS JOIN LATERAL (SELECT skillrating_internal.api_type(c.name, c.old_type, b.player_type,
            b.match_type)) AS t(type)
        GROUP BY c.oid
    )
    SELECT b.function, b.role, coalesce(i.arguments, ''), coalesce(i.signature, ''),
        coalesce('TABLE (' || o.columns || ')',
            CASE WHEN b.proretset THEN 'SETOF ' ELSE '' END || format_type(b.prorettype, NULL)),
        -- Names of types may have percent signs, and so are no part of a format.
        format('SELECT %sskillrating.%I(%s)%s', o.list || ' FROM ', b.function, i.passed,
            CASE WHEN o.list IS NOT NULL THEN ' AS q' END),
        concat_ws(' ', CASE b.provolatile WHEN 'v' THEN 'VOLATILE' ELSE 'STABLE' END,
            'ROWS ' || nullif(CASE WHEN o.list IS NOT NULL THEN greatest(b.prorows, 1)
                ELSE b.prorows END, 0)),
        obj_description(f.oid, 'pg_proc')
    FROM body AS b
    JOIN input AS i ON i.oid = b.oid
    LEFT JOIN output AS o ON o.oid = b.oid AND (b.is_composite OR b.prorettype = 'record'::regtype)
    CROSS JOIN LATERAL (
        SELECT p.oid FROM pg_proc AS p
        WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname = b.function
        ORDER BY obj_description(p.oid, 'pg_proc') IS NULL, p.oid LIMIT 1) AS f
$function$;

COMMENT ON FUNCTION skillrating_internal.api_functions(text) IS
'A part of create_api(): what a function of the schema for applications is made of, for each
function on ladders that concerns matches and players: who may call it (reader, reporter or owner),
its arguments, their types, its result, query, attributes and comment.';

CREATE FUNCTION skillrating_internal.create_api_view(
    ladder text,
    schema text,
    relation text,
    tags text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    list text;
    columns text;
    about text := obj_description(to_regclass(format('%I.%I', ladder, relation)), 'pg_class');
    made record;
BEGIN
    SELECT string_agg(format('r.%I', a.attname), ', ' ORDER BY a.attnum),
        string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', '
            ORDER BY a.attnum)
    INTO list, columns
    FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass(format('%I.%I', ladder, relation)) AND a.attnum > 0
        AND NOT a.attisdropped;
    -- A view that named the table would follow it to where swap_ladders() takes it. This text
    -- is read when it is used, and is then a part of the query around it.
    EXECUTE format('CREATE FUNCTION %1$I.%2$I() RETURNS TABLE (%3$s) LANGUAGE sql STABLE AS %4$L',
        schema, relation || '_rows', columns,
        format('SELECT %s FROM %I.%I AS r', list, ladder, relation));
    EXECUTE format('REVOKE ALL ON FUNCTION %I.%I() FROM PUBLIC', schema, relation || '_rows');
    EXECUTE format('COMMENT ON FUNCTION %I.%I() IS %L', schema, relation || '_rows',
        E'@omit\n' || format('The rows of view %I.', relation));
    EXECUTE format('CREATE VIEW %1$I.%2$I AS SELECT * FROM %1$I.%3$I() AS r', schema, relation,
        relation || '_rows');
    EXECUTE format('COMMENT ON VIEW %I.%I IS %L', schema, relation, concat_ws(E'\n', tags, about));
    FOR made IN
        SELECT a.attname, col_description(a.attrelid, a.attnum) AS about
        FROM pg_attribute AS a
        WHERE a.attrelid = to_regclass(format('%I.%I', ladder, relation)) AND a.attnum > 0
            AND NOT a.attisdropped
    LOOP
        EXECUTE format('COMMENT ON COLUMN %I.%I.%I IS %L', schema, relation, made.attname,
            made.about);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_api_view(text, text, text, text) IS
'A part of create_api(): a view of the rows of a table of the ladder, whichever table has that name
when the view is read, with the comments of the table behind tags for PostGraphile.';

CREATE FUNCTION skillrating_internal.create_api_grants(
    ladder text,
    schema text,
    role text,
    kind text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    grantee text := skillrating_internal.grantee(role);
    statement text;
BEGIN
    PERFORM skillrating.grant_reader(ladder, role);
    IF kind = 'reporter' THEN
        PERFORM skillrating.grant_reporter(ladder, role);
    END IF;
    FOR statement IN
        SELECT format('GRANT USAGE ON SCHEMA %I TO %s', schema, grantee)
        UNION ALL
        SELECT format('GRANT SELECT ON %s TO %s', c.oid::regclass, grantee)
        FROM pg_class AS c
        WHERE c.relnamespace = to_regnamespace(quote_ident(schema)) AND c.relkind = 'v'
        UNION ALL
        SELECT format('GRANT EXECUTE ON FUNCTION %s TO %s', p.oid::regprocedure, grantee)
        FROM pg_proc AS p
        LEFT JOIN skillrating_internal.api_functions(ladder) AS f ON f.function = p.proname
        WHERE p.pronamespace = to_regnamespace(quote_ident(schema))
            AND (f.role IS NULL OR f.role IN ('reader', kind))
    LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_api_grants(text, text, text, text) IS
'A part of create_api(): lets a role read, or read and report, through the schema and in the ladder.
Errors as for grant_reader() and grant_reporter().';

CREATE FUNCTION skillrating.create_api(
    ladder text,
    schema text,
    readers text[] DEFAULT '{}',
    reporters text[] DEFAULT '{}',
    OUT functions bigint,
    OUT views bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    made record;
    name text;
BEGIN
    IF ladder IS NULL OR schema IS NULL OR readers IS NULL OR reporters IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, schema, readers and reporters must not be null';
    END IF;
    IF NOT EXISTS (SELECT FROM skillrating_internal.api_types(ladder)) THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder);
    END IF;
    IF schema <> schema::name::text THEN
        RAISE name_too_long USING
            MESSAGE = format('name of a schema is too long: "%s"', schema),
            HINT = format('The longest possible is "%s".', schema::name);
    END IF;
    IF EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = schema) THEN
        RAISE duplicate_schema USING
            MESSAGE = format('schema "%s" already exists', schema),
            HINT = 'Drop it to make it again, or choose a name that is not taken.';
    END IF;
    EXECUTE format('CREATE SCHEMA %I', schema);
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', schema,
        format('Ladder %s for applications.', ladder));
    views := 0;
    FOR made IN
        SELECT v.*
        FROM (VALUES
            ('rating', '@primaryKey player_id,pool'),
            ('rated_match', '@primaryKey match_id'),
            ('event', concat_ws(E'\n', '@primaryKey player_id,pool,seq',
                '@foreignKey (player_id, pool) references rating (player_id, pool)',
                '@foreignKey (match_id) references rated_match (match_id)')),
            ('operation', '')) AS v(name, tags)
    LOOP
        PERFORM skillrating_internal.create_api_view(ladder, schema, made.name, made.tags);
        views := views + 1;
    END LOOP;
    functions := 0;
    FOR made IN SELECT f.* FROM skillrating_internal.api_functions(ladder) AS f LOOP
        EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE sql %s AS %L', schema,
            made.function, made.arguments, made.result, made.attributes, made.query);
        name := format('%I.%I(%s)', schema, made.function, made.signature);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', name, made.comment);
        functions := functions + 1;
    END LOOP;
    PERFORM skillrating_internal.create_api_grants(ladder, schema, r, 'reader') FROM unnest(readers) AS r;
    PERFORM skillrating_internal.create_api_grants(ladder, schema, r, 'reporter')
    FROM unnest(reporters) AS r;
END
$function$;

COMMENT ON FUNCTION skillrating.create_api(text, text, text[], text[]) IS
'Makes a schema for applications, owned by the caller: a function of the same name for every
function that concerns the matches and players of a ladder, without the argument ladder, and the
views rating, event, rated_match and operation. Identifiers have the ladder''s own types, also in
results, where they are text otherwise; null stands for the default of an argument that has one.
Comments come along, with tags by which PostGraphile finds keys; nothing of the inside of the ladder
shows. The functions run with the rights of whoever calls them. readers, and reporters, who read as
well, are roles that get what grant_reader() and grant_reporter() give, and the right to what they
may call here; all else is the owner''s. Returns how many functions and views there are. The schema
follows the name of the ladder, through swap_ladders() too; drop it and make it again after an
update, a change of the model, or another name. Errors: 42704 for an unknown ladder or role, 42P06
if the schema exists, 42501 unless the caller may create schemas and, to name roles, owns the
ladder.';
