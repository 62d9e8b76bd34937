-- What users have given to the relations of a ladder, and its shadow has not.

CREATE FUNCTION skillrating_internal.paired_relations(
    first_ladder text,
    shadow text,
    OUT name text,
    OUT first oid,
    OUT second oid,
    OUT kind text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT ROWS 16
AS $function$
    SELECT format('%I.%I', shadow, l.relname), l.oid, s.oid,
        CASE l.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END
    FROM pg_class AS l
    JOIN pg_class AS s ON s.relname = l.relname AND s.relkind = l.relkind
    WHERE l.relnamespace = to_regnamespace(quote_ident(first_ladder)) AND s.relnamespace = to_regnamespace(quote_ident(shadow))
        AND l.relkind IN ('r', 'p', 'v', 'S')
        -- What another role has put there is not to be copied: defaults and checks run as the owner.
        AND skillrating_internal.owns_relation(l.oid) AND skillrating_internal.owns_relation(s.oid)
        -- These follow the name, with the tables of matches.
        AND NOT (l.relname IN ('source', 'attached') AND EXISTS (
            SELECT FROM pg_class AS m
            WHERE m.relnamespace IN (l.relnamespace, s.relnamespace) AND m.relname = 'match'))
$function$;

COMMENT ON FUNCTION skillrating_internal.paired_relations(text, text) IS
'A part of promote_ladder(): the relations that a ladder and its shadow both have and that get
another name by the promotion; the name is the second one''s, as SQL.';

CREATE FUNCTION skillrating_internal.policy_statement(policy oid, relation text)
RETURNS text
LANGUAGE sql STABLE STRICT
AS $function$
    SELECT concat('CREATE POLICY ', quote_ident(p.polname), ' ON ', relation, ' AS ',
        CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END, ' FOR ',
        CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        ' TO ', (SELECT string_agg(CASE r.oid WHEN 0 THEN 'PUBLIC' ELSE r.oid::regrole::text END, ', ') FROM unnest(p.polroles) AS r(oid)),
        ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
        ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
    FROM pg_policy AS p WHERE p.oid = policy
$function$;

COMMENT ON FUNCTION skillrating_internal.policy_statement(oid, text) IS
'The statement that makes the same policy on a relation, given as SQL.';

CREATE FUNCTION skillrating_internal.property_statements(
    first_ladder text,
    shadow text,
    model text,
    params jsonb)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
AS $function$
    WITH object AS (
        SELECT '' AS scope, '' AS columns, 'SCHEMA ' || quote_ident(shadow) AS target, l.nspacl AS first, s.nspacl AS second, l.nspowner AS owner
        FROM pg_namespace AS l, pg_namespace AS s
        WHERE l.nspname = first_ladder AND s.nspname = shadow
        UNION ALL
        SELECT '', '', format('%s %s', CASE p.kind WHEN 'SEQUENCE' THEN p.kind ELSE 'TABLE' END, p.name), l.relacl, s.relacl, l.relowner
        FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
        JOIN pg_class AS l ON l.oid = p.first JOIN pg_class AS s ON s.oid = p.second
        UNION ALL
        SELECT '', format(' (%I)', t.attname), 'TABLE ' || p.name, t.attacl, u.attacl, l.relowner
        FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
        JOIN pg_class AS l ON l.oid = p.first
        JOIN pg_attribute AS t ON t.attrelid = p.first AND t.attacl IS NOT NULL AND NOT t.attisdropped
        JOIN pg_attribute AS u ON u.attrelid = p.second AND u.attname = t.attname
        UNION ALL
        SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I ', pg_get_userbyid(d.defaclrole), shadow), '',
            CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END,
            d.defaclacl, e.defaclacl, NULL
        FROM pg_default_acl AS d
        LEFT JOIN pg_default_acl AS e ON e.defaclnamespace = to_regnamespace(quote_ident(shadow))
            AND e.defaclrole = d.defaclrole AND e.defaclobjtype = d.defaclobjtype
        -- Whoever may create objects there can set these for their own objects, which only they can undo.
        WHERE d.defaclnamespace = to_regnamespace(quote_ident(first_ladder)) AND pg_has_role(d.defaclrole, 'USAGE')
    )
    SELECT statement.text
    FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
    JOIN pg_class AS l ON l.oid = p.first
    JOIN pg_class AS s ON s.oid = p.second
    CROSS JOIN LATERAL (
        SELECT skillrating_internal.policy_statement(k.oid, p.name)
        FROM pg_policy AS k
        WHERE k.polrelid = p.first AND NOT EXISTS (
            SELECT FROM pg_policy AS o WHERE o.polrelid = p.second AND o.polname = k.polname)
        UNION ALL
        SELECT format('ALTER TABLE %s %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY', p.name,
            CASE WHEN l.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
            CASE WHEN l.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
        WHERE (l.relrowsecurity, l.relforcerowsecurity) <> (s.relrowsecurity, s.relforcerowsecurity)
        UNION ALL
        SELECT format('ALTER %s %s SET (%s)', p.kind, p.name,
            string_agg(format('%s = %L', split_part(o.text, '=', 1), substr(o.text, strpos(o.text, '=') + 1)), ', '))
        FROM unnest(l.reloptions) AS o(text)
        WHERE o.text <> ALL (coalesce(s.reloptions, '{}'))
        HAVING count(*) > 0
        UNION ALL
        SELECT format('ALTER TABLE %s REPLICA IDENTITY %s', p.name,
            CASE l.relreplident WHEN 'f' THEN 'FULL' WHEN 'n' THEN 'NOTHING' ELSE 'DEFAULT' END)
        WHERE l.relreplident <> s.relreplident AND l.relreplident <> 'i' AND p.kind = 'TABLE'
        UNION ALL
        SELECT format('COMMENT ON %s %s%s IS %L', CASE d.objsubid WHEN 0 THEN p.kind ELSE 'COLUMN' END, p.name,
            '.' || quote_ident(c.attname), d.description)
        FROM pg_description AS d
        LEFT JOIN pg_attribute AS c ON c.attrelid = p.first AND c.attnum = d.objsubid
        LEFT JOIN pg_attribute AS o ON o.attrelid = p.second AND o.attname = c.attname
        WHERE d.classoid = 'pg_class'::regclass AND d.objoid = p.first AND (d.objsubid = 0 OR o.attnum IS NOT NULL)
            AND NOT EXISTS (
                SELECT FROM pg_description AS e
                WHERE e.classoid = d.classoid AND e.objoid = p.second AND e.objsubid = coalesce(o.attnum, 0)
                    AND e.description = d.description)
            -- What the model of the ladder says of its states is nothing of the user's.
            AND (d.objoid, d.objsubid, d.description) NOT IN (
                SELECT f.relation, f.number, f.comment FROM skillrating_internal.default_comments(first_ladder, model, params) AS f)
    ) AS statement(text)
    UNION ALL
    SELECT format('COMMENT ON SCHEMA %I IS %L', shadow, d.description)
    FROM pg_namespace AS l, obj_description(l.oid, 'pg_namespace') AS d(description)
    WHERE l.nspname = first_ladder AND NOT starts_with(d.description, 'A skillrating ladder under the model ')
        AND d.description IS DISTINCT FROM obj_description(to_regnamespace(quote_ident(shadow)), 'pg_namespace')
    UNION ALL
    SELECT format('%sGRANT %s%s ON %s TO %s%s', o.scope, x.privilege_type, o.columns, o.target,
        CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END, CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END)
    FROM object AS o CROSS JOIN LATERAL aclexplode(o.first) AS x
    WHERE x.grantee IS DISTINCT FROM o.owner AND NOT EXISTS (
        SELECT FROM aclexplode(o.second) AS y
        WHERE y.grantee = x.grantee AND y.privilege_type = x.privilege_type AND y.is_grantable >= x.is_grantable)
$function$;

COMMENT ON FUNCTION skillrating_internal.property_statements(text, text, text, jsonb) IS
'A part of dress_statements(): the policies, storage parameters, replica identities, comments and
privileges that the shadow lacks or has otherwise, and the default privileges, of roles whose rights
the caller has.';

CREATE FUNCTION skillrating_internal.dress_statements(
    first_ladder text,
    shadow text)
RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    former record;
BEGIN
    EXECUTE format('SELECT l.model, l.params, m.state_columns FROM %I.ladder AS l, skillrating.models(l.model, l.params) AS m', first_ladder) INTO former;
    RETURN QUERY
    SELECT format('ALTER TABLE %s ADD COLUMN %s', p.name, concat_ws(' ', quote_ident(l.attname),
        format_type(l.atttypid, l.atttypmod),
        CASE WHEN l.attidentity <> '' THEN 'GENERATED BY DEFAULT AS IDENTITY'
            WHEN l.attgenerated <> '' THEN format('GENERATED ALWAYS AS (%s) %s', pg_get_expr(d.adbin, d.adrelid),
                CASE l.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END)
            ELSE 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
        CASE WHEN l.attnotnull THEN 'NOT NULL' END))
    FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
    JOIN pg_attribute AS l ON l.attrelid = p.first AND l.attnum > 0 AND NOT l.attisdropped
    LEFT JOIN pg_attrdef AS d ON d.adrelid = l.attrelid AND d.adnum = l.attnum
    -- States of the other model are no columns of the user's.
    WHERE p.kind = 'TABLE' AND regexp_replace(l.attname, '_(before|after)$', '') <> ALL (former.state_columns)
        AND NOT EXISTS (SELECT FROM pg_attribute AS s WHERE s.attrelid = p.second AND s.attname = l.attname)
    ORDER BY p.first, l.attnum;
    RETURN QUERY
    WITH index AS (
        SELECT p.name AS relation, x.indrelid = p.first AS is_first, c.oid, c.relname, x.indisunique,
            -- Names come first, of the index and of its table.
            length(format('CREATE %sINDEX %I ON %s%s', CASE WHEN x.indisunique THEN 'UNIQUE ' END, c.relname,
                CASE WHEN c.relkind = 'I' THEN 'ONLY ' END, x.indrelid::regclass)) AS skipped
        FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
        JOIN pg_index AS x ON x.indrelid IN (p.first, p.second)
        JOIN pg_class AS c ON c.oid = x.indexrelid
    ), lacking AS MATERIALIZED (
        SELECT i.* FROM index AS i
        WHERE i.is_first AND NOT EXISTS (
            SELECT FROM index AS j WHERE NOT j.is_first AND j.relation = i.relation AND j.relname = i.relname)
    ), checked AS MATERIALIZED (
        SELECT p.name AS relation, p.second, k.oid, k.conname, k.contype
        FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
        JOIN pg_constraint AS k ON k.conrelid = p.first AND k.contype IN ('c', 'f') AND k.conparentid = 0
        WHERE NOT EXISTS (SELECT FROM pg_class AS r WHERE r.oid = k.confrelid
                AND r.relnamespace = to_regnamespace(quote_ident(first_ladder)))
            AND NOT EXISTS (SELECT FROM pg_constraint AS s WHERE s.conrelid = p.second AND s.conname = k.conname)
    )
    SELECT CASE WHEN k.oid IS NULL
        THEN format('CREATE %sINDEX %I ON %s%s', CASE WHEN i.indisunique THEN 'UNIQUE ' END, i.relname, i.relation, d.text)
        ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.relation, k.conname, pg_get_constraintdef(k.oid)) END
    FROM lacking AS i
    LEFT JOIN pg_constraint AS k ON k.conindid = i.oid AND k.contype IN ('p', 'u', 'x')
    CROSS JOIN LATERAL substr(pg_get_indexdef(i.oid), i.skipped + 1) AS d(text)
    WHERE NOT EXISTS (
            SELECT FROM index AS j
            WHERE NOT j.is_first AND j.relation = i.relation AND j.indisunique = i.indisunique
                AND substr(pg_get_indexdef(j.oid), j.skipped + 1) = d.text)
        -- States by their rounds, of a model that looks back on them: create_rating_tables().
        AND d.text !~ '\(player_id, pool, rounds_after, seq\)$'
    UNION ALL
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.relation, k.conname, pg_get_constraintdef(k.oid))
    FROM checked AS k
    WHERE NOT EXISTS (
        SELECT FROM pg_constraint AS s
        WHERE s.conrelid = k.second AND s.contype = k.contype AND pg_get_constraintdef(s.oid) = pg_get_constraintdef(k.oid));
    RETURN QUERY SELECT p.* FROM skillrating_internal.property_statements(first_ladder, shadow, former.model, former.params) AS p;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.dress_statements(text, text) IS
'A part of shadow_ladder() and promote_ladder(): the statements that give the shadow what users have
given to the relations of a ladder: columns, without what they hold; indexes and constraints, but
for foreign keys between its own tables; policies, storage parameters, comments and privileges.';
