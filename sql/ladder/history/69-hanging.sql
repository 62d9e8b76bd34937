-- What of the user's hangs on the relations of a ladder that promote_ladder() gives another name.

CREATE FUNCTION skillrating_internal.hanging_dependents(
    relations oid[],
    first_ladder text,
    former text,
    OUT what text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
AS $function$
    WITH renamed AS MATERIALIZED (
        SELECT c.oid AS relation, format('%I.%I', former, c.relname) AS former_name, c.reltype, t.typarray
        FROM pg_class AS c LEFT JOIN pg_type AS t ON t.oid = c.reltype WHERE c.oid = ANY (relations)
    ), dependent AS MATERIALIZED (
        SELECT d.classid, d.objid, d.objsubid, d.deptype, r.relation, k.class = 'pg_type'::regclass AS by_type
        FROM renamed AS r
        CROSS JOIN LATERAL (VALUES ('pg_class'::regclass, r.relation), ('pg_type', r.reltype), ('pg_type', r.typarray)) AS k(class, object)
        JOIN pg_depend AS d ON d.refclassid = k.class AND d.refobjid = k.object
    ), hanging AS (
        -- What is made again would belong to whoever runs these statements, with that role's rights.
        SELECT 1 AS n, 'pg_proc'::regclass AS class, f.oid,
            concat_ws(E';\n', CASE WHEN d.by_type THEN format('DROP ROUTINE IF EXISTS %s(%s)', f.oid::regproc, (
                    SELECT string_agg(CASE WHEN t.typnamespace = to_regnamespace(quote_ident(first_ladder))
                        THEN format('%I.%I', former, t.typname) ELSE format_type(t.oid, -1) END, ', ' ORDER BY a.n)
                    FROM unnest(f.proargtypes) WITH ORDINALITY AS a(type, n) JOIN pg_type AS t ON t.oid = a.type)) END,
                rtrim(pg_get_functiondef(f.oid), E'\n'),
                CASE WHEN d.by_type THEN format('ALTER ROUTINE %s OWNER TO %I', f.oid::regprocedure, pg_get_userbyid(f.proowner)) END) AS statement
        FROM (SELECT d.objid, bool_or(d.by_type) AS by_type FROM dependent AS d WHERE d.classid = 'pg_proc'::regclass GROUP BY d.objid) AS d
        JOIN pg_proc AS f ON f.oid = d.objid AND f.prokind <> 'a'
        UNION
        SELECT 2, 'pg_class', v.oid, CASE WHEN v.relkind = 'v'
            THEN format('CREATE OR REPLACE VIEW %s%s AS%s', v.oid::regclass, ' WITH (' || array_to_string(v.reloptions, ', ') || ')', q.text)
            ELSE concat_ws(E';\n', format('DROP MATERIALIZED VIEW IF EXISTS %s', v.oid::regclass),
                format(E'CREATE MATERIALIZED VIEW %s AS%s\nWITH NO DATA', v.oid::regclass, q.text),
                format('ALTER MATERIALIZED VIEW %s OWNER TO %I', v.oid::regclass, pg_get_userbyid(v.relowner)),
                CASE WHEN v.relispopulated THEN format('REFRESH MATERIALIZED VIEW %s', v.oid::regclass) END,
                (SELECT string_agg(pg_get_indexdef(x.indexrelid), E';\n') FROM pg_index AS x WHERE x.indrelid = v.oid)) END
        FROM dependent AS d JOIN pg_rewrite AS w ON w.oid = d.objid AND w.rulename = '_RETURN' AND w.ev_class <> d.relation
        JOIN pg_class AS v ON v.oid = w.ev_class
        CROSS JOIN LATERAL rtrim(E'\n' || pg_get_viewdef(v.oid), ';') AS q(text)
        WHERE d.classid = 'pg_rewrite'::regclass
            AND (v.relnamespace <> to_regnamespace(quote_ident(first_ladder))
                OR v.relname NOT IN ('source', 'leaderboard', 'history', 'components'))
        UNION
        SELECT 3, 'pg_rewrite', w.oid,
            concat_ws(E';\n', format('DROP RULE IF EXISTS %I ON ', w.rulename) || o.former_name,
                regexp_replace(rtrim(pg_get_ruledef(w.oid), ';'), '^CREATE RULE', 'CREATE OR REPLACE RULE'))
        FROM dependent AS d JOIN pg_rewrite AS w ON w.oid = d.objid AND w.rulename <> '_RETURN'
        LEFT JOIN renamed AS o ON o.relation = w.ev_class
        WHERE d.classid = 'pg_rewrite'::regclass AND NOT d.by_type
        UNION
        SELECT 4, 'pg_trigger', g.oid,
            concat_ws(E';\n', format('DROP TRIGGER IF EXISTS %I ON %s', g.tgname, coalesce(o.former_name, g.tgrelid::regclass::text)),
                pg_get_triggerdef(g.oid),
                CASE WHEN g.tgenabled <> 'O' THEN format('ALTER TABLE %s %s TRIGGER %I', g.tgrelid::regclass,
                    CASE g.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE REPLICA' END,
                    g.tgname) END)
        FROM dependent AS d JOIN pg_trigger AS g ON g.oid = d.objid AND NOT g.tgisinternal AND g.tgparentid = 0
        JOIN pg_proc AS f ON f.oid = g.tgfoid AND f.pronamespace <> 'skillrating_internal'::regnamespace
        LEFT JOIN renamed AS o ON o.relation = g.tgrelid
        WHERE d.classid = 'pg_trigger'::regclass AND NOT d.by_type
        UNION
        SELECT 5, 'pg_constraint', k.oid,
            format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I, ADD CONSTRAINT %2$I %3$s', k.conrelid::regclass,
                k.conname, pg_get_constraintdef(k.oid))
        FROM renamed AS r JOIN pg_constraint AS k ON k.confrelid = r.relation AND k.contype = 'f' AND k.conparentid = 0
        UNION
        SELECT 6, 'pg_policy', p.oid,
            format(E'DROP POLICY IF EXISTS %I ON %s;\n%s', p.polname, p.polrelid::regclass,
                skillrating_internal.policy_statement(p.oid, p.polrelid::regclass::text))
        FROM dependent AS d JOIN pg_policy AS p ON p.oid = d.objid AND p.polrelid <> d.relation
        WHERE d.classid = 'pg_policy'::regclass AND NOT d.by_type
    )
    (SELECT pg_describe_object(h.class, h.oid, 0), h.statement FROM hanging AS h ORDER BY h.n, h.oid)
    UNION ALL
    -- Nothing makes these again. No line of a name may leave the comment: whoever promotes runs what is behind it.
    SELECT DISTINCT o.what, '-- ' || regexp_replace(o.what, '\r\n|\r|\n', E'\n-- ', 'g')
    FROM dependent AS d
    CROSS JOIN LATERAL (
        SELECT pg_describe_object(d.classid, d.objid, d.objsubid) || ' depends on ' || d.relation::regclass AS what) AS o
    WHERE d.deptype IN ('n', 'a')
        AND d.classid NOT IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_constraint'::regclass, 'pg_policy'::regclass,
            'pg_publication_rel'::regclass, 'pg_statistic_ext'::regclass, 'pg_proc'::regclass)
        -- Its own indexes, sequences and defaults.
        AND NOT (d.classid = 'pg_class'::regclass AND d.deptype = 'a')
        AND NOT EXISTS (SELECT FROM pg_attrdef AS a WHERE d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
            AND a.adrelid = d.relation)
$function$;

COMMENT ON FUNCTION skillrating_internal.hanging_dependents(oid[], text, text) IS
'What depends on relations or takes their rows: functions whose bodies the server has parsed, views,
rules, triggers, foreign keys, and policies of other tables.';

CREATE FUNCTION skillrating_internal.hanging_objects(
    first_ladder text,
    shadow text,
    former text,
    OUT what text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
AS $function$
    WITH renamed AS MATERIALIZED (
        SELECT c.oid AS relation, c.relname AS name, c.relkind, c.relispartition
        FROM pg_class AS c
        WHERE c.relnamespace = to_regnamespace(quote_ident(first_ladder)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
            AND NOT (c.relname IN ('match', 'match_player', 'source', 'attached')
                AND skillrating_internal.has_table(first_ladder, 'match'))
            -- What a column owns goes where its table goes.
            AND NOT EXISTS (
                SELECT FROM pg_depend AS d
                WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')
                    AND d.refclassid = 'pg_class'::regclass)
    ), published AS (
        SELECT r.prpubid, format('TABLE %I.%I%s%s', first_ladder, k.name,
                ' (' || (SELECT string_agg(quote_ident(t.attname), ', ' ORDER BY t.attnum) FROM pg_attribute AS t
                    WHERE t.attrelid = k.relation AND t.attnum = ANY (r.prattrs)) || ')',
                ' WHERE (' || pg_get_expr(r.prqual, r.prrelid) || ')') AS added,
            EXISTS (SELECT FROM pg_publication_rel AS s
                WHERE s.prpubid = r.prpubid AND s.prrelid = to_regclass(format('%I.%I', shadow, k.name))) AS is_there
        FROM renamed AS k JOIN pg_publication_rel AS r ON r.prrelid = k.relation
        UNION ALL
        SELECT n.pnpubid, format('TABLES IN SCHEMA %I', first_ladder), EXISTS (
            SELECT FROM pg_publication_namespace AS s
            WHERE s.pnpubid = n.pnpubid AND s.pnnspid = to_regnamespace(quote_ident(shadow)))
        FROM pg_publication_namespace AS n WHERE n.pnnspid = to_regnamespace(quote_ident(first_ladder))
        UNION ALL
        SELECT p.oid, NULL, true FROM pg_publication AS p WHERE p.puballtables
    )
    -- What the user has put into the schema first, because others may need it.
    SELECT pg_describe_object('pg_class'::regclass, r.relation, 0),
        format('ALTER %s %I.%I SET SCHEMA %I', CASE r.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
            WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, former, r.name, first_ladder)
    FROM renamed AS r
    WHERE NOT r.relispartition AND to_regclass(format('%I.%I', shadow, r.name)) IS NULL
        AND r.relation NOT IN (SELECT t.name::regclass FROM skillrating_internal.own_tables(first_ladder) AS t(name))
    UNION ALL
    SELECT pg_describe_object('pg_proc'::regclass, f.oid, 0),
        format('ALTER ROUTINE %I.%I(%s) SET SCHEMA %I', former, f.proname, pg_get_function_identity_arguments(f.oid), first_ladder)
    FROM pg_proc AS f WHERE f.pronamespace = to_regnamespace(quote_ident(first_ladder))
    UNION ALL
    SELECT pg_describe_object('pg_statistic_ext'::regclass, e.oid, 0), pg_get_statisticsobjdef(e.oid)
    FROM pg_statistic_ext AS e JOIN renamed AS r ON r.relation = e.stxrelid
    UNION ALL
    SELECT h.* FROM skillrating_internal.hanging_dependents(ARRAY(SELECT r.relation FROM renamed AS r), first_ladder, former) AS h
    UNION ALL
    SELECT 'publication ' || quote_ident(p.pubname), concat_ws(E';\n',
        string_agg(format('ALTER PUBLICATION %I ADD %s', p.pubname, d.added), E';\n' ORDER BY d.added) FILTER (WHERE NOT d.is_there),
        -- A subscriber that has not done this stops at the first match, because it lacks the former name.
        '-- ' || regexp_replace(E'Each subscriber needs the same names, and then the tables that it lacks:\n'
        || concat_ws('; ', format('ALTER SCHEMA %I RENAME TO %I', first_ladder, former),
            CASE WHEN bool_or(d.is_there) THEN format('ALTER SCHEMA %I RENAME TO %I', shadow, first_ladder)
                ELSE format('CREATE SCHEMA %I', first_ladder) END,
            CASE WHEN skillrating_internal.has_table(first_ladder, 'match') THEN
                format('ALTER TABLE IF EXISTS %I.match SET SCHEMA %I; ALTER TABLE IF EXISTS %1$I.match_player SET SCHEMA %2$I',
                    former, first_ladder) END)
        || '; ALTER SUBSCRIPTION ... REFRESH PUBLICATION', '\r\n|\r|\n', E'\n-- ', 'g'))
    FROM published AS d JOIN pg_publication AS p ON p.oid = d.prpubid
    GROUP BY p.pubname
$function$;

COMMENT ON FUNCTION skillrating_internal.hanging_objects(text, text, text) IS
'The objects of the user, publications too, that go on meaning the ladder that gets the former name,
and the statements, to be run after the promotion, that have them mean the new one.';
