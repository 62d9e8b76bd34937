-- What users have given to the relations of a ladder, and its shadow has not.

CREATE FUNCTION skillrating_internal.paired_relations(
    first_ladder text,
    shadow text,
    OUT name name,
    OUT first oid,
    OUT second oid,
    OUT kind "char")
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 16
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT l.relname, l.oid, s.oid, l.relkind
    FROM pg_class AS l
    JOIN pg_class AS s ON s.relname = l.relname AND s.relkind = l.relkind
    WHERE l.relnamespace = to_regnamespace(quote_ident(first_ladder)) AND s.relnamespace = to_regnamespace(quote_ident(shadow))
        AND l.relkind IN ('r', 'p', 'v', 'S')
        -- These follow the name, with the tables of matches.
        AND NOT (l.relname IN ('source', 'attached') AND EXISTS (
            SELECT FROM pg_class AS m
            WHERE m.relnamespace IN (l.relnamespace, s.relnamespace) AND m.relname = 'match'));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.paired_relations(text, text) IS
'A part of promote_ladder(): the relations that a ladder and its shadow both have and that get
another name by the promotion.';

CREATE FUNCTION skillrating_internal.grantee_name(role oid)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE role WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(role)) END
$function$;

COMMENT ON FUNCTION skillrating_internal.grantee_name(oid) IS
'A role of a list of privileges or of a policy, as GRANT and CREATE POLICY take it.';

CREATE FUNCTION skillrating_internal.grant_statements(
    first_ladder text,
    shadow text)
RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH object AS (
        SELECT 'SCHEMA ' || quote_ident(shadow) AS target, l.nspacl AS first, s.nspacl AS second, l.nspowner AS owner, '' AS columns
        FROM pg_namespace AS l, pg_namespace AS s
        WHERE l.nspname = first_ladder AND s.nspname = shadow
        UNION ALL
        SELECT format('%s %I.%I', CASE p.kind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, shadow, p.name), l.relacl, s.relacl, l.relowner, ''
        FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
        JOIN pg_class AS l ON l.oid = p.first JOIN pg_class AS s ON s.oid = p.second
        UNION ALL
        SELECT format('TABLE %I.%I', shadow, p.name), t.attacl, u.attacl, l.relowner, format(' (%I)', t.attname)
        FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
        JOIN pg_class AS l ON l.oid = p.first
        JOIN pg_attribute AS t ON t.attrelid = p.first AND t.attacl IS NOT NULL AND NOT t.attisdropped
        JOIN pg_attribute AS u ON u.attrelid = p.second AND u.attname = t.attname
    )
    SELECT format('GRANT %s%s ON %s TO %s%s', x.privilege_type, o.columns, o.target,
        skillrating_internal.grantee_name(x.grantee), CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM object AS o CROSS JOIN LATERAL aclexplode(o.first) AS x
    WHERE x.grantee <> o.owner AND NOT EXISTS (
        SELECT FROM aclexplode(o.second) AS y
        WHERE y.grantee = x.grantee AND y.privilege_type = x.privilege_type AND y.is_grantable >= x.is_grantable)
    UNION ALL
    SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT %s ON %s TO %s%s',
        pg_get_userbyid(d.defaclrole), shadow, x.privilege_type,
        CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END,
        skillrating_internal.grantee_name(x.grantee), CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM pg_default_acl AS d CROSS JOIN LATERAL aclexplode(d.defaclacl) AS x
    WHERE d.defaclnamespace = to_regnamespace(quote_ident(first_ladder)) AND NOT EXISTS (
        SELECT FROM pg_default_acl AS e CROSS JOIN LATERAL aclexplode(e.defaclacl) AS y
        WHERE e.defaclnamespace = to_regnamespace(quote_ident(shadow)) AND e.defaclrole = d.defaclrole
            AND e.defaclobjtype = d.defaclobjtype AND y.grantee = x.grantee
            AND y.privilege_type = x.privilege_type AND y.is_grantable >= x.is_grantable);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.grant_statements(text, text) IS
'A part of dress_statements(): the privileges and default privileges that the shadow lacks.';

CREATE FUNCTION skillrating_internal.comment_statements(
    first_ladder text,
    shadow text)
RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT format('COMMENT ON SCHEMA %I IS %L', shadow, obj_description(l.oid, 'pg_namespace'))
    FROM pg_namespace AS l, pg_namespace AS s
    WHERE l.nspname = first_ladder AND s.nspname = shadow
        AND NOT starts_with(obj_description(l.oid, 'pg_namespace'), 'A skillrating ladder under the model ')
        AND obj_description(l.oid, 'pg_namespace') IS DISTINCT FROM obj_description(s.oid, 'pg_namespace')
    UNION ALL
    SELECT format('COMMENT ON %s %I.%I IS %L',
        CASE p.kind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, shadow, p.name,
        obj_description(p.first, 'pg_class'))
    FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
    WHERE obj_description(p.first, 'pg_class') IS DISTINCT FROM obj_description(p.second, 'pg_class')
    UNION ALL
    SELECT format('COMMENT ON COLUMN %I.%I.%I IS %L', shadow, p.name, l.attname, col_description(p.first, l.attnum))
    FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
    JOIN pg_attribute AS l ON l.attrelid = p.first AND l.attnum > 0 AND NOT l.attisdropped
    JOIN pg_attribute AS s ON s.attrelid = p.second AND s.attname = l.attname
    WHERE col_description(p.first, l.attnum) IS DISTINCT FROM col_description(p.second, s.attnum);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.comment_statements(text, text) IS
'A part of dress_statements(): the comments that the shadow lacks or has otherwise.';

CREATE FUNCTION skillrating_internal.column_statements(
    ladder text,
    shadow text)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(shadow);
    p record;
    columns text;
BEGIN
    FOR p IN
        SELECT r.* FROM skillrating_internal.paired_relations(ladder, shadow) AS r
        WHERE r.kind IN ('r', 'p') AND EXISTS (
            SELECT FROM pg_attribute AS l
            WHERE l.attrelid = r.first AND l.attnum > 0 AND NOT l.attisdropped AND NOT EXISTS (
                SELECT FROM pg_attribute AS s WHERE s.attrelid = r.second AND s.attname = l.attname))
    LOOP
        -- States of the other model are no columns of the user's: the server reads the definitions.
        columns := 'none boolean';
        IF p.name IN ('rating', 'event', 'component', 'component_event') THEN
            EXECUTE format(
                'SELECT skillrating_internal.ladder_columns($1, l.model, l.params, $2, $3,
                    skillrating_internal.display_expression(l.model, l.params)) FROM %I.ladder AS l', ladder)
            INTO columns USING p.name, t.player_type::regtype, t.match_type::regtype;
        END IF;
        EXECUTE format('CREATE TABLE %I.skillrating_columns (%s)', shadow, columns);
        RETURN QUERY
        SELECT format('ALTER TABLE %I.%I ADD COLUMN %s', shadow, p.name, concat_ws(' ', quote_ident(l.attname),
            format_type(l.atttypid, l.atttypmod),
            CASE WHEN l.attidentity <> '' THEN 'GENERATED BY DEFAULT AS IDENTITY'
                WHEN l.attgenerated <> '' THEN format('GENERATED ALWAYS AS (%s) %s', pg_get_expr(d.adbin, d.adrelid),
                    CASE l.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END)
                ELSE 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
            CASE WHEN l.attnotnull THEN 'NOT NULL' END))
        FROM pg_attribute AS l
        LEFT JOIN pg_attrdef AS d ON d.adrelid = l.attrelid AND d.adnum = l.attnum
        WHERE l.attrelid = p.first AND l.attnum > 0 AND NOT l.attisdropped AND NOT EXISTS (
            SELECT FROM pg_attribute AS s
            WHERE s.attname = l.attname
                AND s.attrelid IN (p.second, to_regclass(format('%I.skillrating_columns', shadow))))
        ORDER BY l.attnum;
        EXECUTE format('DROP TABLE %I.skillrating_columns', shadow);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.column_statements(text, text) IS
'A part of dress_statements(): the columns that users have added to tables of a ladder. What they
hold stays there.';

CREATE FUNCTION skillrating_internal.index_statements(
    first_ladder text,
    shadow text)
RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH index AS (
        SELECT p.name AS relation, x.indrelid = p.first AS is_first, c.relname AS name, x.indisunique,
            k.oid AS constraint, k.conname,
            -- Names come first, of the index and of its table.
            substr(pg_get_indexdef(c.oid), length(format('CREATE %sINDEX %I ON %s%I.%I',
                CASE WHEN x.indisunique THEN 'UNIQUE ' END, c.relname,
                CASE WHEN c.relkind = 'I' THEN 'ONLY ' END, n.nspname, p.name)) + 1) AS definition
        FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
        JOIN pg_index AS x ON x.indrelid IN (p.first, p.second)
        JOIN pg_class AS c ON c.oid = x.indexrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        LEFT JOIN pg_constraint AS k ON k.conindid = x.indexrelid AND k.contype IN ('p', 'u', 'x')
    )
    SELECT CASE WHEN i.constraint IS NULL
        THEN format('CREATE %sINDEX %I ON %I.%I%s', CASE WHEN i.indisunique THEN 'UNIQUE ' END, i.name, shadow, i.relation, i.definition)
        ELSE format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', shadow, i.relation, i.conname, pg_get_constraintdef(i.constraint)) END
    FROM index AS i
    WHERE i.is_first AND NOT EXISTS (
        SELECT FROM index AS j
        WHERE NOT j.is_first AND j.relation = i.relation AND j.indisunique = i.indisunique
            AND j.definition = i.definition)
        -- States by their rounds, of a model that looks back on them: create_rounds_index().
        AND i.definition !~ '\(player_id, pool, rounds_after, seq\)$'
    UNION ALL
    SELECT format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', shadow, p.name, k.conname, pg_get_constraintdef(k.oid))
    FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
    JOIN pg_constraint AS k ON k.conrelid = p.first AND k.contype IN ('c', 'f')
    WHERE k.conparentid = 0
        AND NOT EXISTS (SELECT FROM pg_class AS r WHERE r.oid = k.confrelid
            AND r.relnamespace = to_regnamespace(quote_ident(first_ladder)))
        AND NOT EXISTS (
            SELECT FROM pg_constraint AS s
            WHERE s.conrelid = p.second AND s.contype = k.contype
                AND pg_get_constraintdef(s.oid) = pg_get_constraintdef(k.oid));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.index_statements(text, text) IS
'A part of dress_statements(): the indexes and constraints of tables of a ladder that the shadow
lacks, but for foreign keys between its own tables.';

CREATE FUNCTION skillrating_internal.policy_statement(policy oid, relation text)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT concat('CREATE POLICY ', quote_ident(p.polname), ' ON ', relation, ' AS ',
        CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END, ' FOR ',
        CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        ' TO ', (SELECT string_agg(skillrating_internal.grantee_name(r.oid), ', ') FROM unnest(p.polroles) AS r(oid)),
        ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
        ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
    FROM pg_policy AS p WHERE p.oid = policy
$function$;

COMMENT ON FUNCTION skillrating_internal.policy_statement(oid, text) IS
'The statement that makes the same policy on a relation, given as SQL.';

CREATE FUNCTION skillrating_internal.storage_statements(
    first_ladder text,
    shadow text)
RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT statement.text
    FROM skillrating_internal.paired_relations(first_ladder, shadow) AS p
    JOIN pg_class AS l ON l.oid = p.first
    JOIN pg_class AS s ON s.oid = p.second
    CROSS JOIN LATERAL (
        SELECT skillrating_internal.policy_statement(k.oid, format('%I.%I', shadow, p.name))
        FROM pg_policy AS k
        WHERE k.polrelid = p.first AND NOT EXISTS (
            SELECT FROM pg_policy AS o WHERE o.polrelid = p.second AND o.polname = k.polname)
        UNION ALL
        SELECT format('ALTER TABLE %I.%I %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY', shadow, p.name,
            CASE WHEN l.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
            CASE WHEN l.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
        WHERE (l.relrowsecurity, l.relforcerowsecurity) <> (s.relrowsecurity, s.relforcerowsecurity)
        UNION ALL
        SELECT format('ALTER %s %I.%I SET (%s)', CASE p.kind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, shadow, p.name,
            string_agg(format('%s = %L', split_part(o.text, '=', 1), substr(o.text, strpos(o.text, '=') + 1)), ', '))
        FROM unnest(l.reloptions) AS o(text)
        WHERE o.text <> ALL (coalesce(s.reloptions, '{}'))
        HAVING count(*) > 0
        UNION ALL
        SELECT format('ALTER TABLE %I.%I REPLICA IDENTITY %s', shadow, p.name,
            CASE l.relreplident WHEN 'f' THEN 'FULL' WHEN 'n' THEN 'NOTHING' ELSE 'DEFAULT' END)
        WHERE l.relreplident <> s.relreplident AND l.relreplident <> 'i' AND p.kind IN ('r', 'p')
    ) AS statement(text);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.storage_statements(text, text) IS
'A part of dress_statements(): the policies, storage parameters and replica identities that the
shadow lacks.';

CREATE FUNCTION skillrating_internal.dress_statements(
    ladder text,
    shadow text)
RETURNS SETOF text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN QUERY SELECT * FROM skillrating_internal.column_statements(ladder, shadow);
    RETURN QUERY SELECT * FROM skillrating_internal.index_statements(ladder, shadow);
    RETURN QUERY SELECT * FROM skillrating_internal.storage_statements(ladder, shadow);
    RETURN QUERY SELECT * FROM skillrating_internal.comment_statements(ladder, shadow);
    RETURN QUERY SELECT * FROM skillrating_internal.grant_statements(ladder, shadow);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.dress_statements(text, text) IS
'A part of shadow_ladder() and promote_ladder(): the statements that give the shadow what users have
given to the relations of a ladder: columns, indexes, constraints, policies, storage parameters,
comments and privileges.';
