-- Parts of swap_ladders(): locks, checks, and what belongs to a table beside its rows: that stays
-- with its name.

CREATE FUNCTION skillrating_internal.swapped_tables(
    a text,
    b text,
    OUT name name,
    OUT kept oid,
    OUT moved oid,
    OUT is_sequence boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT x.relname, x.oid, y.oid, x.relkind = 'S'
    FROM unnest('{ladder,rating,rating_count,rating_count_delta,event,component,component_event,rated_match,pending,correction,operation,event_seq}'::name[])
        WITH ORDINALITY AS t(name, n)
    JOIN pg_class AS x ON x.relname = t.name AND x.relnamespace = to_regnamespace(quote_ident(a))
    JOIN pg_class AS y ON y.relname = t.name AND y.relnamespace = to_regnamespace(quote_ident(b))
    ORDER BY t.n
$function$;

COMMENT ON FUNCTION skillrating_internal.swapped_tables(text, text) IS
'A part of swap_ladders(): the relations that go from ladder b to ladder a (moved), each with the
one whose place it takes (kept: what belongs to that place is to be kept). The sequence goes with
its table.';

CREATE FUNCTION skillrating_internal.kept_rights(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH relation AS (
        SELECT t.*, format('%s %I.%I', CASE WHEN t.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END,
            a, t.name) AS target
        FROM skillrating_internal.swapped_tables(a, b) AS t
    ), given(relid, relowner, privilege, grantee, is_grantable) AS (
        SELECT c.oid, c.relowner, x.privilege_type, x.grantee, x.is_grantable
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
        UNION ALL
        SELECT c.oid, c.relowner, format('%s (%I)', x.privilege_type, t.attname), x.grantee,
            x.is_grantable
        FROM relation AS r
        JOIN pg_class AS c ON c.oid IN (r.kept, r.moved)
        JOIN pg_attribute AS t ON t.attrelid = c.oid AND NOT t.attisdropped
        CROSS JOIN LATERAL aclexplode(t.attacl) AS x
        WHERE EXISTS (
            SELECT FROM pg_attribute AS o WHERE o.attrelid = r.moved AND o.attname = t.attname)
    ), role AS (
        SELECT g.*, CASE g.grantee WHEN 0 THEN 'PUBLIC'
            ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS name
        FROM given AS g WHERE g.grantee <> g.relowner
    )
    SELECT s.statement
    FROM (
        SELECT DISTINCT 1, format('REVOKE ALL ON %s FROM %s CASCADE', r.target, g.name)
        FROM relation AS r JOIN role AS g ON g.relid = r.moved
        UNION ALL
        SELECT 2, format('GRANT %s ON %s TO %s%s', g.privilege, r.target, g.name,
            CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM relation AS r JOIN role AS g ON g.relid = r.kept
    ) AS s(step, statement)
    ORDER BY s.step
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_rights(text, text) IS
'A part of swap_ladders(): statements that give what comes from ladder b into ladder a the
privileges of what it replaces, and no others; those on columns, as far as it has them.';

CREATE FUNCTION skillrating_internal.kept_policies(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT s.statement
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_class AS k ON k.oid = t.kept
    JOIN pg_class AS m ON m.oid = t.moved
    CROSS JOIN LATERAL (
        SELECT 1, format('DROP POLICY %I ON %I.%I', p.polname, a, t.name)
        FROM pg_policy AS p WHERE p.polrelid = t.moved
        UNION ALL
        SELECT 2, format('CREATE POLICY %I ON %I.%I AS %s FOR %s TO %s%s%s', p.polname, a, t.name,
            CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
            CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
            (SELECT string_agg(CASE r.oid WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(r.oid)) END, ', ')
             FROM unnest(p.polroles) AS r(oid)),
            ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
            ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
        FROM pg_policy AS p WHERE p.polrelid = t.kept
        UNION ALL
        SELECT 3, format('ALTER TABLE %I.%I %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY',
            a, t.name,
            CASE WHEN k.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
            CASE WHEN k.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
        WHERE (k.relrowsecurity, k.relforcerowsecurity)
            <> (m.relrowsecurity, m.relforcerowsecurity)
    ) AS s(step, statement)
    ORDER BY s.step
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_policies(text, text) IS
'A part of swap_ladders(): statements that give the tables that come from ladder b into ladder a the
row-level security of those that they replace. A policy on a column that the new one lacks makes
the swap fail.';

CREATE FUNCTION skillrating_internal.kept_comments(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format('COMMENT ON %s %I.%I IS %L',
        CASE WHEN t.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END, a, t.name,
        obj_description(t.kept, 'pg_class'))
    FROM skillrating_internal.swapped_tables(a, b) AS t
    WHERE obj_description(t.kept, 'pg_class')
        IS DISTINCT FROM obj_description(t.moved, 'pg_class')
    UNION ALL
    SELECT format('COMMENT ON COLUMN %I.%I.%I IS %L', a, t.name, k.attname,
        col_description(t.kept, k.attnum))
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_attribute AS k ON k.attrelid = t.kept AND k.attnum > 0 AND NOT k.attisdropped
    JOIN pg_attribute AS m ON m.attrelid = t.moved AND m.attname = k.attname
    WHERE col_description(t.kept, k.attnum) IS DISTINCT FROM col_description(t.moved, m.attnum)
    UNION ALL
    -- That of create_ladder() names the model.
    SELECT format('COMMENT ON SCHEMA %I IS %L', a, s.new)
    FROM (SELECT obj_description(to_regnamespace(quote_ident(a)), 'pg_namespace'),
              obj_description(to_regnamespace(quote_ident(b)), 'pg_namespace')) AS s(old, new)
    WHERE starts_with(s.old, 'A skillrating ladder under the model ')
        AND starts_with(s.new, 'A skillrating ladder under the model ')
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_comments(text, text) IS
'A part of swap_ladders(): statements that give what comes from ladder b into ladder a the comments
of what it replaces.';

CREATE FUNCTION skillrating_internal.not_kept(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH belonging(relid, kind, name) AS (
        SELECT x.indrelid, 'index', c.relname::text
        FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
        UNION ALL
        SELECT g.tgrelid, 'trigger', g.tgname FROM pg_trigger AS g
        WHERE NOT g.tgisinternal
            AND g.tgfoid <> 'skillrating_internal.update_mirrors'::regproc
        UNION ALL
        SELECT w.ev_class, 'rule', w.rulename FROM pg_rewrite AS w
        UNION ALL
        SELECT s.conrelid, 'constraint', s.conname FROM pg_constraint AS s WHERE s.contype <> 'n'
        UNION ALL
        SELECT s.confrelid, 'foreign key of ' || s.conrelid::regclass, s.conname
        FROM pg_constraint AS s WHERE s.contype = 'f'
        UNION ALL
        SELECT e.stxrelid, 'statistics', e.stxname FROM pg_statistic_ext AS e
        UNION ALL
        SELECT i.inhparent, 'child table', i.inhrelid::regclass::text FROM pg_inherits AS i
        UNION ALL
        SELECT r.prrelid, 'publication', p.pubname
        FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid
        UNION ALL
        SELECT c.oid, 'storage parameters', array_to_string(c.reloptions, ', ')
        FROM pg_class AS c WHERE c.reloptions IS NOT NULL
    )
    SELECT format('%s of %I.%I: %s', k.kind, a, t.name, k.name)
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN belonging AS k ON k.relid = t.kept
    WHERE NOT EXISTS (
        SELECT FROM belonging AS m
        WHERE m.relid = t.moved AND m.kind = k.kind AND m.name = k.name)
    ORDER BY 1
$function$;

COMMENT ON FUNCTION skillrating_internal.not_kept(text, text) IS
'A part of swap_ladders(): what users have added to tables of ladder a and goes with them to ladder
b, because nothing there says the same.';

CREATE FUNCTION skillrating_internal.note_not_kept(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    followers text;
    goes text;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    SELECT string_agg(DISTINCT w.ev_class::regclass::text, ', ' ORDER BY w.ev_class::regclass::text)
    INTO followers
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.kept
        AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite AS w ON w.oid = d.objid
    WHERE w.ev_class <> t.kept;
    IF followers IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('views still read what is now in schema "%s": %s', b, followers),
            HINT = 'Create them again to read the new tables.';
    END IF;
    SELECT string_agg(n.what, '; ') INTO goes FROM skillrating_internal.not_kept(a, b) AS n(what);
    IF goes IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format(
                'what was added to tables of ladder "%s" goes with them to schema "%s"', a, b),
            DETAIL = goes,
            HINT = 'Add it to the new tables, too, if they need it.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_not_kept(text, text) IS
'A part of swap_ladders(): notices that name views over the tables of ladder a, and what not_kept()
finds.';

CREATE FUNCTION skillrating_internal.lock_swapped(
    a text,
    b text,
    tables text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name text;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    -- No weaker lock before: two sessions that both hold one would wait for each other.
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('LOCK TABLE %1$I.%3$I, %2$I.%3$I IN ACCESS EXCLUSIVE MODE',
            a, b, name);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lock_swapped(text, text, text[]) IS
'A part of swap_ladders(): locks tables of two ladders, so that nobody reads them.';

CREATE FUNCTION skillrating_internal.check_swap(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    types_a record := skillrating_internal.ladder_types(a);
    types_b record := skillrating_internal.ladder_types(b);
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_rewrite AS w
        JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        WHERE w.ev_class = to_regclass(format('%I.source', b))
            AND d.refobjid = to_regclass(format('%I.source', a)))
        OR a = b OR types_a IS DISTINCT FROM types_b
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladder "%s" is not made of the source of ladder "%s"', b, a),
            HINT = 'Make it by skillrating.rerate().';
    END IF;
    IF EXISTS (
        SELECT FROM skillrating_internal.swapped_tables(a, b) AS t
        JOIN pg_class AS k ON k.oid = t.kept JOIN pg_class AS m ON m.oid = t.moved
        WHERE k.relowner <> m.relowner)
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('ladders "%s" and "%s" belong to two roles', a, b),
            HINT = 'Give both to one role.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_swap(text, text) IS
'A part of swap_ladders(): errors 22023 unless ladder b is made of the source of ladder a, with the
same types, 42501 unless they belong to one role.';

CREATE FUNCTION skillrating_internal.renew_mirrors(
    ladder text,
    other text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    mirror record;
    statement text;
BEGIN
    PERFORM skillrating_internal.mirror_triggers(ladder);
    FOR mirror IN SELECT w.* FROM skillrating_internal.working_mirrors(ladder) AS w LOOP
        PERFORM skillrating_internal.write_mirror(ladder, mirror.relation, mirror.key,
            mirror.pool, mirror.columns, NULL);
        statement := skillrating_internal.unrated_statement(ladder, mirror.relation, mirror.key,
            mirror.pool, mirror.columns,
            format('SELECT r.player_id FROM %I.rating AS r WHERE r.pool = %L AND %s', other,
                mirror.pool, skillrating_internal.rated_condition(other, 'r')));
        IF statement IS NOT NULL THEN
            EXECUTE statement;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renew_mirrors(text, text) IS
'A part of swap_ladders(): the tables that mirror_rating() has named get the ratings of the tables
that are now in the ladder, and defaults where only those that are in the other ladder have one.';
