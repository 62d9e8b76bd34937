-- What users have given to the relations of a ladder, and its shadow has not.

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

CREATE FUNCTION skillrating_internal.paired_relations(
    first_ladder text,
    shadow text,
    OUT side bigint,
    OUT name text,
    OUT kind text,
    OUT other oid,
    OUT relation pg_class)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT ROWS 32
AS $function$
    WITH relation AS MATERIALIZED (
        SELECT s.side, c.relname, c.relkind, c.oid, c AS row
        FROM unnest(ARRAY[first_ladder, shadow]) WITH ORDINALITY AS s(ladder, side)
        JOIN pg_namespace AS n ON n.nspname = s.ladder
        JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'S')
        -- What another role has put there is not to be copied: defaults and checks run as the owner.
        WHERE skillrating_internal.owns_relation(c.oid)
    )
    SELECT r.side, format('%I.%I', shadow, r.relname), CASE r.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END,
        o.oid, r.row
    FROM relation AS r JOIN relation AS o ON o.relname = r.relname AND o.relkind = r.relkind AND o.side <> r.side
    -- These follow the name, with the tables of matches.
    WHERE r.relname NOT IN ('source', 'attached') OR NOT EXISTS (
        SELECT FROM pg_class AS m WHERE m.relnamespace IN ((r.row).relnamespace, (o.row).relnamespace) AND m.relname = 'match')
$function$;

COMMENT ON FUNCTION skillrating_internal.paired_relations(text, text) IS
'The relations that a ladder (side 1) and its shadow (side 2) both have and that get another name by
a promotion: their names in the shadow, and of each what pg_class says.';

CREATE FUNCTION skillrating_internal.shape_properties(
    first_ladder text,
    shadow text,
    OUT side bigint,
    OUT name text,
    OUT body text,
    OUT statement text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
AS $function$
    WITH pair AS MATERIALIZED (SELECT p.*, (p.relation).* FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p)
    SELECT p.side, format('index %s %I', p.name, c.relname), format('index %s %s %s', p.name, x.indisunique, d.text),
        CASE WHEN k.oid IS NULL THEN format('CREATE %sINDEX %I ON %s%s', u.text, c.relname, p.name, d.text)
            ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', p.name, k.conname, pg_get_constraintdef(k.oid)) END
    FROM pair AS p JOIN pg_index AS x ON x.indrelid = p.oid JOIN pg_class AS c ON c.oid = x.indexrelid
    LEFT JOIN pg_constraint AS k ON k.conindid = c.oid AND k.contype IN ('p', 'u', 'x')
    CROSS JOIN LATERAL (VALUES (CASE WHEN x.indisunique THEN 'UNIQUE ' END)) AS u(text)
    -- Names come first, of the index and of its table.
    CROSS JOIN LATERAL substr(pg_get_indexdef(c.oid), 1 + length(format('CREATE %sINDEX %I ON %s%s', u.text, c.relname,
        CASE WHEN c.relkind = 'I' THEN 'ONLY ' END, p.oid::regclass))) AS d(text)
    -- States by their rounds, of a model that looks back on them: create_tables().
    WHERE d.text !~ '\(player_id, pool, rounds_after, seq\)$'
    UNION ALL
    SELECT p.side, format('constraint %s %I', p.name, k.conname), format('constraint %s %s', p.name, d.text),
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', p.name, k.conname, d.text)
    FROM pair AS p JOIN pg_constraint AS k ON k.conrelid = p.oid AND k.contype IN ('c', 'f') AND k.conparentid = 0
    CROSS JOIN LATERAL pg_get_constraintdef(k.oid) AS d(text)
    WHERE NOT EXISTS (SELECT FROM pg_class AS r WHERE r.oid = k.confrelid AND r.relnamespace = p.relnamespace)
    UNION ALL
    SELECT p.side, format('policy %s %I', p.name, k.polname), NULL, skillrating_internal.policy_statement(k.oid, p.name)
    FROM pair AS p JOIN pg_policy AS k ON k.polrelid = p.oid
$function$;

COMMENT ON FUNCTION skillrating_internal.shape_properties(text, text) IS
'Indexes, constraints and policies of the relations that a ladder (side 1) and its shadow
(side 2) share: names that one relation can have once, bodies that need not be there twice, and the
statements that give them to the shadow.';

CREATE FUNCTION skillrating_internal.dress_statements(first_ladder text, shadow text)
RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    l record;
BEGIN
    EXECUTE format(
        'SELECT l.model, l.params, m.state_columns FROM %I.ladder AS l, skillrating.models(l.model, l.params) AS m', first_ladder)
    INTO l;
    -- What both have, in one list under the names of the shadow, and from it what only the first one has.
    RETURN QUERY
    WITH pair AS MATERIALIZED (SELECT p.*, (p.relation).* FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p),
    attribute AS MATERIALIZED (
        SELECT p.side, p.name, p.kind, p.other, p.relowner, a.*, o.attnum AS other_number
        FROM pair AS p JOIN pg_attribute AS a ON a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attribute AS o ON o.attrelid = p.other AND o.attname = a.attname
        -- Those that it is to get count, too; states of the other model are no columns of the user's.
        WHERE o.attnum IS NOT NULL OR (p.kind = 'TABLE' AND regexp_replace(a.attname, '_(before|after)$', '') <> ALL (l.state_columns))
    ), ladder AS (
        SELECT s.side, n.* FROM unnest(ARRAY[first_ladder, shadow]) WITH ORDINALITY AS s(ladder, side) JOIN pg_namespace AS n ON n.nspname = s.ladder
    ), acl(side, scope, columns, target, acl, owner) AS (
        SELECT n.side, '', '', 'SCHEMA ' || quote_ident(shadow), n.nspacl, n.nspowner FROM ladder AS n
        UNION ALL
        SELECT p.side, '', '', concat_ws(' ', replace(p.kind, 'VIEW', 'TABLE'), p.name), p.relacl, p.relowner FROM pair AS p
        UNION ALL
        SELECT a.side, '', format(' (%I)', a.attname), 'TABLE ' || a.name, a.attacl, a.relowner FROM attribute AS a
        UNION ALL
        SELECT n.side, format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I ', pg_get_userbyid(d.defaclrole), shadow), '',
            CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END, d.defaclacl, NULL
        -- Whoever may create objects there can set these for their own objects, which only they can undo.
        FROM ladder AS n JOIN pg_default_acl AS d ON d.defaclnamespace = n.oid AND pg_has_role(d.defaclrole, 'USAGE')
    ), property(side, name, body, statement) AS MATERIALIZED (
        (SELECT a.side, format('column %s.%I', a.name, a.attname), NULL, format('ALTER TABLE %s ADD COLUMN %s', a.name,
            concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
                'COLLATE ' || nullif(a.attcollation, (SELECT t.typcollation FROM pg_type AS t WHERE t.oid = a.atttypid))::regcollation::text,
                CASE WHEN a.attidentity <> '' THEN format('GENERATED %s AS IDENTITY', CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END)
                    WHEN a.attgenerated <> '' THEN format('GENERATED ALWAYS AS (%s) %s', pg_get_expr(d.adbin, d.adrelid),
                        CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END)
                    ELSE 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
                CASE WHEN a.attnotnull THEN 'NOT NULL' END))
        FROM attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.other_number IS NULL ORDER BY a.attrelid, a.attnum)
        UNION ALL
        SELECT s.* FROM skillrating_internal.shape_properties(first_ladder, shadow) AS s
        UNION ALL
        SELECT p.side, NULL, s.text, s.text
        FROM pair AS p CROSS JOIN LATERAL (
            SELECT format('ALTER TABLE %s %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY%s', p.name,
                CASE WHEN p.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END, CASE WHEN p.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END,
                ', REPLICA IDENTITY ' || CASE p.relreplident WHEN 'f' THEN 'FULL' WHEN 'n' THEN 'NOTHING' WHEN 'd' THEN 'DEFAULT' END)
            WHERE p.kind = 'TABLE'
            UNION ALL
            SELECT format('ALTER %s %s SET (%s = %L)', p.kind, p.name, split_part(o.o, '=', 1), substr(o.o, strpos(o.o, '=') + 1))
            FROM unnest(p.reloptions) AS o) AS s(text)
        UNION ALL
        SELECT 1, NULL, NULL, c.text
        FROM (
            SELECT d.objoid, d.objsubid, d.description, format('COMMENT ON %s %s%s IS %L',
                CASE d.objsubid WHEN 0 THEN p.kind ELSE 'COLUMN' END, p.name, '.' || quote_ident(a.attname), d.description) AS text
            FROM pair AS p JOIN pg_description AS d ON d.classoid = 'pg_class'::regclass AND d.objoid = p.oid
            LEFT JOIN attribute AS a ON a.attrelid = p.oid AND a.attnum = d.objsubid
            WHERE p.side = 1 AND (d.objsubid = 0 OR a.attnum IS NOT NULL)
                AND col_description(p.other, coalesce(a.other_number, 0)) IS DISTINCT FROM d.description
            OFFSET 0) AS c
        -- What the model of the ladder says of its states is nothing of the user's.
        WHERE (c.objoid, c.objsubid, c.description) NOT IN (
            SELECT f.relation, f.number, f.comment FROM skillrating_internal.default_comments(first_ladder, l.model, l.params) AS f)
        UNION ALL
        SELECT o.side, NULL, s, s
        FROM acl AS o JOIN LATERAL aclexplode(o.acl) AS x ON x.grantee IS DISTINCT FROM o.owner
        CROSS JOIN LATERAL format('%sGRANT %s%s ON %s TO %s%s', o.scope, x.privilege_type, o.columns, o.target,
            CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END, CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END) AS s
        UNION ALL
        SELECT 1, NULL, NULL, format('COMMENT ON SCHEMA %I IS %L', shadow, d.description)
        FROM obj_description(to_regnamespace(quote_ident(first_ladder)), 'pg_namespace') AS d(description)
        WHERE NOT starts_with(d.description, 'A skillrating ladder under the model ')
            AND d.description IS DISTINCT FROM obj_description(to_regnamespace(quote_ident(shadow)), 'pg_namespace')
    ), numbered AS MATERIALIZED (SELECT p.*, row_number() OVER () AS n FROM property AS p)
    SELECT p.statement FROM numbered AS p
    WHERE p.side = 1 AND NOT EXISTS (SELECT FROM numbered AS q WHERE q.side = 2 AND q.name = p.name)
        AND NOT EXISTS (SELECT FROM numbered AS q WHERE q.side = 2 AND q.body = p.body)
    ORDER BY p.n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.dress_statements(text, text) IS
'The statements that give the shadow what users have given to the relations of a ladder: columns,
without what they hold, indexes, constraints, policies, storage parameters, replica identities,
comments and privileges, with those on its schema and default ones, of roles whose rights the caller
has.';
