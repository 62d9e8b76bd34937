-- What of the user's hangs on the relations of a ladder that promote_ladder() gives another name.

CREATE FUNCTION skillrating_internal.renamed_relations(
    first_ladder text,
    OUT relation oid,
    OUT name name,
    OUT row_type oid,
    OUT array_type oid)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 16
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT c.oid, c.relname, c.reltype, t.typarray
    FROM pg_class AS c
    LEFT JOIN pg_type AS t ON t.oid = c.reltype
    WHERE c.relnamespace = to_regnamespace(quote_ident(first_ladder)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        AND NOT (c.relname IN ('match', 'match_player', 'source', 'attached')
            AND to_regclass(format('%I.match', first_ladder)) IS NOT NULL)
        -- What a column owns goes where its table goes.
        AND NOT EXISTS (
            SELECT FROM pg_depend AS d
            WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')
                AND d.refclassid = 'pg_class'::regclass);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renamed_relations(text) IS
'A part of promote_ladder(): the relations in the schema of a ladder that stay there when it gets
another name.';

CREATE FUNCTION skillrating_internal.hanging_views(
    first_ladder text,
    former text,
    OUT what text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT DISTINCT pg_describe_object('pg_class'::regclass, v.oid, 0),
        CASE WHEN v.relkind = 'v'
            THEN format('CREATE OR REPLACE VIEW %s%s AS%s', v.oid::regclass,
                ' WITH (' || array_to_string(v.reloptions, ', ') || ')', rtrim(E'\n' || pg_get_viewdef(v.oid), ';'))
            -- Its query is its owner's, and runs as such: not as whoever runs these statements.
            ELSE concat_ws(E';\n', format('DROP MATERIALIZED VIEW IF EXISTS %s', v.oid::regclass),
                format(E'CREATE MATERIALIZED VIEW %s AS%s\nWITH NO DATA', v.oid::regclass, rtrim(E'\n' || pg_get_viewdef(v.oid), ';')),
                format('ALTER MATERIALIZED VIEW %s OWNER TO %I', v.oid::regclass, pg_get_userbyid(v.relowner)),
                CASE WHEN v.relispopulated THEN format('REFRESH MATERIALIZED VIEW %s', v.oid::regclass) END,
                (SELECT string_agg(pg_get_indexdef(x.indexrelid), E';\n') FROM pg_index AS x WHERE x.indrelid = v.oid)) END
    FROM skillrating_internal.renamed_relations(first_ladder) AS r
    JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass
        AND (d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation
            OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (r.row_type, r.array_type))
    JOIN pg_rewrite AS w ON w.oid = d.objid AND w.rulename = '_RETURN'
    JOIN pg_class AS v ON v.oid = w.ev_class AND v.oid <> r.relation
    WHERE v.relnamespace <> to_regnamespace(quote_ident(first_ladder))
        OR v.relname NOT IN ('source', 'leaderboard', 'history', 'components')
    UNION ALL
    SELECT DISTINCT pg_describe_object('pg_rewrite'::regclass, w.oid, 0),
        concat_ws(E';\n', CASE WHEN o.relation IS NOT NULL
                THEN format('DROP RULE IF EXISTS %I ON %I.%I', w.rulename, former, o.name) END,
            regexp_replace(rtrim(pg_get_ruledef(w.oid), ';'), '^CREATE RULE', 'CREATE OR REPLACE RULE'))
    FROM skillrating_internal.renamed_relations(first_ladder) AS r
    JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
        AND d.refobjid = r.relation
    JOIN pg_rewrite AS w ON w.oid = d.objid AND w.rulename <> '_RETURN'
    LEFT JOIN skillrating_internal.renamed_relations(first_ladder) AS o ON o.relation = w.ev_class;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hanging_views(text, text) IS
'A part of hanging_objects(): views, materialized views and rules.';

CREATE FUNCTION skillrating_internal.hanging_triggers(
    first_ladder text,
    former text,
    OUT what text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT DISTINCT pg_describe_object('pg_trigger'::regclass, g.oid, 0),
        concat_ws(E';\n', format('DROP TRIGGER IF EXISTS %I ON %s', g.tgname,
                CASE WHEN o.relation IS NULL THEN g.tgrelid::regclass::text ELSE format('%I.%I', former, o.name) END),
            pg_get_triggerdef(g.oid),
            CASE WHEN g.tgenabled <> 'O' THEN format('ALTER TABLE %s %s TRIGGER %I', g.tgrelid::regclass,
                CASE g.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE REPLICA' END,
                g.tgname) END)
    FROM skillrating_internal.renamed_relations(first_ladder) AS r
    JOIN pg_depend AS d ON d.classid = 'pg_trigger'::regclass AND d.refclassid = 'pg_class'::regclass
        AND d.refobjid = r.relation
    JOIN pg_trigger AS g ON g.oid = d.objid AND NOT g.tgisinternal AND g.tgparentid = 0
    JOIN pg_proc AS f ON f.oid = g.tgfoid AND f.pronamespace <> 'skillrating_internal'::regnamespace
    LEFT JOIN skillrating_internal.renamed_relations(first_ladder) AS o ON o.relation = g.tgrelid
    UNION ALL
    SELECT DISTINCT pg_describe_object('pg_constraint'::regclass, k.oid, 0),
        format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I, ADD CONSTRAINT %2$I %3$s', k.conrelid::regclass,
            k.conname, pg_get_constraintdef(k.oid))
    FROM skillrating_internal.renamed_relations(first_ladder) AS r
    JOIN pg_constraint AS k ON k.confrelid = r.relation AND k.contype = 'f' AND k.conparentid = 0
    UNION ALL
    SELECT DISTINCT pg_describe_object('pg_policy'::regclass, p.oid, 0),
        format(E'DROP POLICY IF EXISTS %I ON %s;\n%s', p.polname, p.polrelid::regclass,
            skillrating_internal.policy_statement(p.oid, p.polrelid::regclass::text))
    FROM skillrating_internal.renamed_relations(first_ladder) AS r
    JOIN pg_depend AS d ON d.classid = 'pg_policy'::regclass AND d.refclassid = 'pg_class'::regclass
        AND d.refobjid = r.relation
    JOIN pg_policy AS p ON p.oid = d.objid AND p.polrelid <> r.relation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hanging_triggers(text, text) IS
'A part of hanging_objects(): triggers, foreign keys, and policies of other tables.';

CREATE FUNCTION skillrating_internal.hanging_functions(
    first_ladder text,
    former text,
    OUT what text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH followed AS (
        SELECT DISTINCT f.oid, bool_or(d.refclassid = 'pg_type'::regclass) AS by_type
        FROM skillrating_internal.renamed_relations(first_ladder) AS r
        JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass
            AND (d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation
                OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (r.row_type, r.array_type))
        JOIN pg_proc AS f ON f.oid = d.objid AND f.prokind <> 'a'
        GROUP BY f.oid
    )
    SELECT pg_describe_object('pg_proc'::regclass, f.oid, 0),
        concat_ws(E';\n', CASE WHEN w.by_type THEN format('DROP ROUTINE IF EXISTS %s(%s)', f.oid::regproc, (
                SELECT string_agg(CASE WHEN t.typnamespace = to_regnamespace(quote_ident(first_ladder))
                    THEN format('%I.%I', former, t.typname) ELSE format_type(t.oid, -1) END, ', ' ORDER BY a.n)
                FROM unnest(f.proargtypes) WITH ORDINALITY AS a(type, n) JOIN pg_type AS t ON t.oid = a.type)) END,
            rtrim(pg_get_functiondef(f.oid), E'\n'),
            -- What is made again would belong to whoever runs these statements, with that role's rights.
            CASE WHEN w.by_type THEN format('ALTER ROUTINE %s OWNER TO %I', f.oid::regprocedure, pg_get_userbyid(f.proowner)) END)
    FROM followed AS w JOIN pg_proc AS f ON f.oid = w.oid;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hanging_functions(text, text) IS
'A part of hanging_objects(): functions and procedures whose bodies the server has parsed, or that
take or give rows.';

CREATE FUNCTION skillrating_internal.hanging_publications(
    first_ladder text,
    shadow text,
    former text,
    OUT what text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH published AS (
        SELECT r.prpubid, format('TABLE %I.%I%s%s', first_ladder, k.name,
                ' (' || (SELECT string_agg(quote_ident(t.attname), ', ' ORDER BY t.attnum) FROM pg_attribute AS t
                    WHERE t.attrelid = k.relation AND t.attnum = ANY (r.prattrs)) || ')',
                ' WHERE (' || pg_get_expr(r.prqual, r.prrelid) || ')') AS added,
            EXISTS (SELECT FROM pg_publication_rel AS s
                WHERE s.prpubid = r.prpubid AND s.prrelid = to_regclass(format('%I.%I', shadow, k.name))) AS is_there
        FROM skillrating_internal.renamed_relations(first_ladder) AS k
        JOIN pg_publication_rel AS r ON r.prrelid = k.relation
        UNION ALL
        SELECT n.pnpubid, format('TABLES IN SCHEMA %I', first_ladder), EXISTS (
            SELECT FROM pg_publication_namespace AS s
            WHERE s.pnpubid = n.pnpubid AND s.pnnspid = to_regnamespace(quote_ident(shadow)))
        FROM pg_publication_namespace AS n WHERE n.pnnspid = to_regnamespace(quote_ident(first_ladder))
        UNION ALL
        SELECT p.oid, NULL, true FROM pg_publication AS p WHERE p.puballtables
    )
    SELECT 'publication ' || quote_ident(p.pubname), concat_ws(E';\n',
        string_agg(format('ALTER PUBLICATION %I ADD %s', p.pubname, d.added), E';\n' ORDER BY d.added)
            FILTER (WHERE NOT d.is_there),
        -- A subscriber that has not done this stops at the first match, because it lacks the former name.
        E'-- Each subscriber needs the same names, and then the tables that it lacks:\n-- '
        || concat_ws('; ', format('ALTER SCHEMA %I RENAME TO %I', first_ladder, former),
            CASE WHEN bool_or(d.is_there) THEN format('ALTER SCHEMA %I RENAME TO %I', shadow, first_ladder) END)
        || '; ALTER SUBSCRIPTION ... REFRESH PUBLICATION')
    FROM published AS d JOIN pg_publication AS p ON p.oid = d.prpubid
    GROUP BY p.pubname;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hanging_publications(text, text, text) IS
'A part of hanging_objects(): publications, those of all tables too.';

CREATE FUNCTION skillrating_internal.hanging_objects(
    first_ladder text,
    shadow text,
    former text,
    OUT what text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    -- What the user has put into the schema first, because others may need it.
    SELECT pg_describe_object('pg_class'::regclass, r.relation, 0),
        format('ALTER %s %I.%I SET SCHEMA %I', CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
            WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, former, r.name, first_ladder)
    FROM skillrating_internal.renamed_relations(first_ladder) AS r
    JOIN pg_class AS c ON c.oid = r.relation AND NOT c.relispartition
    WHERE to_regclass(format('%I.%I', shadow, r.name)) IS NULL
        AND r.name NOT IN ('horizon', 'component_horizon', 'season_horizon', 'replica_note',
            'rating_count', 'rating_count_delta', 'standing', 'mirror', 'solved', 'solved_context')
    UNION ALL
    SELECT pg_describe_object('pg_proc'::regclass, f.oid, 0),
        format('ALTER ROUTINE %I.%I(%s) SET SCHEMA %I', former, f.proname, pg_get_function_identity_arguments(f.oid), first_ladder)
    FROM pg_proc AS f WHERE f.pronamespace = to_regnamespace(quote_ident(first_ladder))
    UNION ALL
    SELECT pg_describe_object('pg_statistic_ext'::regclass, e.oid, 0), pg_get_statisticsobjdef(e.oid)
    FROM pg_statistic_ext AS e JOIN skillrating_internal.renamed_relations(first_ladder) AS r ON r.relation = e.stxrelid
    UNION ALL
    SELECT * FROM skillrating_internal.hanging_functions(first_ladder, former)
    UNION ALL
    SELECT * FROM skillrating_internal.hanging_views(first_ladder, former)
    UNION ALL
    SELECT * FROM skillrating_internal.hanging_triggers(first_ladder, former)
    UNION ALL
    -- Nothing makes these again.
    SELECT DISTINCT o.what, format('-- %s', o.what)
    FROM skillrating_internal.renamed_relations(first_ladder) AS r
    JOIN pg_depend AS d ON d.deptype IN ('n', 'a')
        AND (d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation
            OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (r.row_type, r.array_type))
    CROSS JOIN LATERAL (
        SELECT pg_describe_object(d.classid, d.objid, d.objsubid) || ' depends on ' || r.relation::regclass AS what) AS o
    WHERE d.classid NOT IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_constraint'::regclass, 'pg_policy'::regclass,
            'pg_publication_rel'::regclass, 'pg_statistic_ext'::regclass, 'pg_proc'::regclass)
        -- Its own indexes, sequences and defaults.
        AND NOT (d.classid = 'pg_class'::regclass AND d.deptype = 'a')
        AND NOT EXISTS (SELECT FROM pg_attrdef AS a WHERE d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
            AND a.adrelid = r.relation)
    UNION ALL
    SELECT * FROM skillrating_internal.hanging_publications(first_ladder, shadow, former);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hanging_objects(text, text, text) IS
'A part of promote_ladder(): the objects of the user that go on meaning the ladder that gets the
former name, and for each the statements, to be run after the promotion, that have it mean the new
one.';
