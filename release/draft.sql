-- The statements that turn one version of the extension into another: for \i in psql, behind
-- members.sql, in a database that has the new version, with the rows of table property of a
-- database that has the old version in table old_property.  Prints an update script; what it cannot
-- know how to do is a line "By hand: ..." on standard error and makes the script end in a
-- statement that fails.  release/draft_update.sh calls this.

-- What there is now that can be made, dropped, commented on and granted by statements: the
-- words for it, and the place in the order of creation, which is one that dependencies allow.
CREATE TEMP TABLE thing AS
SELECT m.name AS member, m.classid, m.objid, m.objid::bigint AS place,
    CASE WHEN p.prokind = 'a' THEN 'AGGREGATE' WHEN p.prokind = 'p' THEN 'PROCEDURE'
        WHEN p.oid IS NOT NULL THEN 'FUNCTION' WHEN t.oid IS NOT NULL THEN 'TYPE' ELSE 'SCHEMA' END AS kind,
    CASE WHEN p.prokind = 'a' THEN format('%s(%s)', p.oid::regproc, coalesce(nullif(pg_get_function_identity_arguments(p.oid), ''), '*'))
        WHEN p.oid IS NOT NULL THEN p.oid::regprocedure::text
        WHEN t.oid IS NOT NULL THEN t.oid::regtype::text
        ELSE quote_ident(n.nspname) END AS target
FROM pg_temp.member AS m
LEFT JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
LEFT JOIN pg_type AS t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid AND t.typtype = 'c'
LEFT JOIN pg_namespace AS n ON m.classid = 'pg_namespace'::regclass AND n.oid = m.objid
WHERE p.oid IS NOT NULL OR t.oid IS NOT NULL OR n.oid IS NOT NULL;

CREATE FUNCTION pg_temp.old_value(of_member text, of_name text)
RETURNS jsonb LANGUAGE sql AS $$
    SELECT o.value FROM pg_temp.old_property AS o WHERE o.member = of_member AND o.name = of_name
$$;

CREATE FUNCTION pg_temp.new_value(of_member text, of_name text)
RETURNS jsonb LANGUAGE sql AS $$
    SELECT o.value FROM pg_temp.property AS o WHERE o.member = of_member AND o.name = of_name
$$;

CREATE INDEX ON pg_temp.property (member, name);
CREATE INDEX ON pg_temp.old_property (member, name);
ANALYZE pg_temp.property;
ANALYZE pg_temp.old_property;

-- Each property that is not the same, but for those that follow from others: who owns what and
-- which role it depends on is for the end of the script.
CREATE TEMP TABLE difference AS
SELECT coalesce(n.member, o.member) AS member, coalesce(n.name, o.name) AS name,
    o.value AS old_value, n.value AS new_value
FROM (SELECT * FROM pg_temp.property WHERE member NOT LIKE 'extension %') AS n
FULL JOIN (SELECT * FROM pg_temp.old_property WHERE member NOT LIKE 'extension %') AS o USING (member, name)
WHERE o.value IS DISTINCT FROM n.value AND coalesce(n.name, o.name) NOT LIKE '#%';

-- Routines that CREATE OR REPLACE would refuse, and aggregates, whose parts it may refuse.
CREATE TEMP TABLE dropped AS
SELECT DISTINCT o.member
FROM pg_temp.old_property AS o
WHERE (o.member LIKE 'function %' OR o.member LIKE 'procedure %' OR o.member LIKE 'aggregate %')
    AND (NOT EXISTS (SELECT FROM pg_temp.property AS n WHERE n.member = o.member)
        OR EXISTS (
            SELECT FROM pg_temp.difference AS d
            WHERE d.member = o.member AND (
                d.name IN ('prokind', 'prorettype', 'proretset', 'proargtypes', 'proallargtypes',
                    'proargmodes', 'proargnames', 'provariadic')
                -- Which default changes its type, only the server would know.
                OR d.name = 'pronargdefaults' AND d.new_value::integer < d.old_value::integer
                OR o.member LIKE 'aggregate %' AND (d.name LIKE 'agg%' OR d.name = 'definition'))));

-- Types that are gone.
INSERT INTO pg_temp.dropped
SELECT DISTINCT o.member FROM pg_temp.old_property AS o
WHERE o.member LIKE 'type %' AND o.name = 'typtype' AND o.value = '"c"'
    AND NOT EXISTS (SELECT FROM pg_temp.property AS n WHERE n.member = o.member);

-- And all members that depend on one, again and again.
INSERT INTO pg_temp.dropped
WITH RECURSIVE affected AS (
    SELECT d.member FROM pg_temp.dropped AS d
    UNION
    SELECT o.member
    FROM affected AS a
    JOIN pg_temp.old_property AS o ON o.name = format('depends on %s (n)', a.member)
)
SELECT a.member FROM affected AS a
WHERE NOT EXISTS (SELECT FROM pg_temp.dropped AS d WHERE d.member = a.member);

CREATE TEMP TABLE made AS
SELECT t.*, NOT EXISTS (SELECT FROM pg_temp.old_property AS o WHERE o.member = t.member) AS is_new
FROM pg_temp.thing AS t
WHERE t.kind <> 'SCHEMA' AND (
    EXISTS (SELECT FROM pg_temp.dropped AS d WHERE d.member = t.member)
    OR NOT EXISTS (SELECT FROM pg_temp.old_property AS o WHERE o.member = t.member));

-- Routines to replace: any other difference but of comments, privileges and owners.
CREATE TEMP TABLE replaced AS
SELECT t.*
FROM pg_temp.thing AS t
WHERE t.kind IN ('FUNCTION', 'PROCEDURE')
    AND NOT EXISTS (SELECT FROM pg_temp.made AS m WHERE m.member = t.member)
    AND EXISTS (
        SELECT FROM pg_temp.difference AS d
        WHERE d.member = t.member AND d.name NOT IN ('comment', 'proacl', 'proowner', 'initial privileges')
            AND d.name NOT LIKE 'depends on role %');

CREATE FUNCTION pg_temp.modify_word(letter "char")
RETURNS text LANGUAGE sql AS $$
    SELECT CASE letter WHEN 'r' THEN 'READ_ONLY' WHEN 's' THEN 'SHAREABLE' ELSE 'READ_WRITE' END
$$;

CREATE FUNCTION pg_temp.aggregate_statement(aggregate oid)
RETURNS text LANGUAGE sql AS $$
    SELECT format(E'CREATE AGGREGATE %s(%s) (\n    %s);', p.oid::regproc,
        coalesce(nullif(pg_get_function_arguments(p.oid), ''), '*'),
        concat_ws(E',\n    ',
            'SFUNC = ' || a.aggtransfn,
            'STYPE = ' || format_type(a.aggtranstype, NULL),
            'SSPACE = ' || nullif(a.aggtransspace, 0),
            'FINALFUNC = ' || nullif(a.aggfinalfn, 0)::regproc,
            CASE WHEN a.aggfinalextra THEN 'FINALFUNC_EXTRA' END,
            CASE WHEN a.aggfinalfn <> 0 THEN 'FINALFUNC_MODIFY = ' || pg_temp.modify_word(a.aggfinalmodify) END,
            'COMBINEFUNC = ' || nullif(a.aggcombinefn, 0)::regproc,
            'SERIALFUNC = ' || nullif(a.aggserialfn, 0)::regproc,
            'DESERIALFUNC = ' || nullif(a.aggdeserialfn, 0)::regproc,
            'INITCOND = ' || quote_literal(a.agginitval),
            'MSFUNC = ' || nullif(a.aggmtransfn, 0)::regproc,
            'MINVFUNC = ' || nullif(a.aggminvtransfn, 0)::regproc,
            'MSTYPE = ' || format_type(nullif(a.aggmtranstype, 0), NULL),
            'MSSPACE = ' || nullif(a.aggmtransspace, 0),
            'MFINALFUNC = ' || nullif(a.aggmfinalfn, 0)::regproc,
            CASE WHEN a.aggmfinalextra THEN 'MFINALFUNC_EXTRA' END,
            CASE WHEN a.aggmfinalfn <> 0 THEN 'MFINALFUNC_MODIFY = ' || pg_temp.modify_word(a.aggmfinalmodify) END,
            'MINITCOND = ' || quote_literal(a.aggminitval),
            CASE WHEN o.oid IS NOT NULL THEN format('SORTOP = OPERATOR(%I.%s)', o.nspname, o.oprname) END,
            CASE p.proparallel WHEN 's' THEN 'PARALLEL = SAFE' WHEN 'r' THEN 'PARALLEL = RESTRICTED' END,
            CASE a.aggkind WHEN 'h' THEN 'HYPOTHETICAL' END))
    FROM pg_proc AS p JOIN pg_aggregate AS a ON a.aggfnoid = p.oid
    LEFT JOIN (
        SELECT q.oid, q.oprname, s.nspname FROM pg_operator AS q JOIN pg_namespace AS s ON s.oid = q.oprnamespace
    ) AS o ON o.oid = a.aggsortop
    WHERE p.oid = aggregate
$$;

-- The statement that makes a routine or type; a function in C names its library as scripts do.
CREATE FUNCTION pg_temp.create_statement(kind text, object oid, word text)
RETURNS text LANGUAGE sql AS $$
    SELECT CASE kind
        WHEN 'AGGREGATE' THEN pg_temp.aggregate_statement(object)
        WHEN 'TYPE' THEN (
            SELECT format(E'CREATE TYPE %s AS (\n    %s);', object::regtype, string_agg(
                format('%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                    CASE WHEN a.attcollation <> y.typcollation THEN ' COLLATE ' || a.attcollation::regcollation END),
                E',\n    ' ORDER BY a.attnum))
            FROM pg_type AS t
            JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
            JOIN pg_type AS y ON y.oid = a.atttypid
            WHERE t.oid = object)
        ELSE (
            SELECT regexp_replace(rtrim(CASE WHEN l.lanname = 'c'
                    THEN replace(pg_get_functiondef(p.oid), E'\nAS ' || quote_literal(p.probin), E'\nAS ''MODULE_PATHNAME''')
                    ELSE pg_get_functiondef(p.oid) END, E'\n'),
                '^CREATE OR REPLACE', word) || ';'
            FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
            WHERE p.oid = object)
        END
$$;

-- The privileges that PUBLIC and others than the owner have on a routine or type.
CREATE FUNCTION pg_temp.grant_statements(kind text, target text, acl aclitem[], owner oid)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(E'\n',
        format('REVOKE ALL ON %s %s FROM PUBLIC;', kind, target),
        (SELECT string_agg(format('GRANT %s ON %s %s TO %s%s;', x.privilege_type, kind, target,
                CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END,
                CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END), E'\n')
            FROM aclexplode(acl) AS x WHERE x.grantee <> owner))
$$;

CREATE TEMP TABLE statement (section integer, place bigint, part integer, text text);

INSERT INTO pg_temp.statement
SELECT 1, -(pg_temp.old_value(d.member, '#place')::bigint), 0,
    format('DROP %s %s;', CASE o.value ->> 'kind' WHEN 'TYPE' THEN 'TYPE' ELSE 'ROUTINE' END, o.value ->> 'target')
FROM pg_temp.dropped AS d
JOIN pg_temp.old_property AS o ON o.member = d.member AND o.name = '#target';

INSERT INTO pg_temp.statement
SELECT 2, m.place, 0, pg_temp.create_statement(m.kind, m.objid, 'CREATE') FROM pg_temp.made AS m
UNION ALL
SELECT 2, r.place, 0, pg_temp.create_statement(r.kind, r.objid, 'CREATE OR REPLACE') FROM pg_temp.replaced AS r;

INSERT INTO pg_temp.statement
SELECT 2, t.place, 1, pg_temp.grant_statements(
    CASE t.kind WHEN 'TYPE' THEN 'TYPE' WHEN 'SCHEMA' THEN 'SCHEMA' ELSE 'ROUTINE' END,
    CASE t.kind WHEN 'AGGREGATE' THEN t.objid::regprocedure::text ELSE t.target END, a.acl, a.owner)
FROM pg_temp.thing AS t
CROSS JOIN LATERAL (
    SELECT p.proacl AS acl, p.proowner AS owner FROM pg_proc AS p WHERE t.classid = 'pg_proc'::regclass AND p.oid = t.objid
    UNION ALL
    SELECT y.typacl, y.typowner FROM pg_type AS y WHERE t.classid = 'pg_type'::regclass AND y.oid = t.objid
    UNION ALL
    SELECT n.nspacl, n.nspowner FROM pg_namespace AS n WHERE t.classid = 'pg_namespace'::regclass AND n.oid = t.objid) AS a
WHERE a.acl IS NOT NULL AND (
    EXISTS (SELECT FROM pg_temp.made AS m WHERE m.member = t.member)
    OR EXISTS (
        SELECT FROM pg_temp.difference AS d
        WHERE d.member = t.member AND d.name IN ('proacl', 'typacl', 'nspacl', 'initial privileges')));

INSERT INTO pg_temp.statement
SELECT 2, t.place, 2, format('COMMENT ON %s %s IS%s;', t.kind, t.target, coalesce(E'\n' || quote_literal(c.new #>> '{}'), ' NULL'))
FROM pg_temp.thing AS t
CROSS JOIN LATERAL (SELECT pg_temp.new_value(t.member, 'comment')) AS c(new)
WHERE c.new IS DISTINCT FROM CASE
    WHEN NOT EXISTS (SELECT FROM pg_temp.made AS m WHERE m.member = t.member)
    THEN pg_temp.old_value(t.member, 'comment') END;

-- What no statement above takes care of.
CREATE TEMP TABLE by_hand AS
SELECT DISTINCT d.member, d.name
FROM pg_temp.difference AS d
WHERE NOT EXISTS (SELECT FROM pg_temp.made AS m WHERE m.member = d.member)
    AND NOT EXISTS (SELECT FROM pg_temp.dropped AS x WHERE x.member = d.member)
    AND NOT EXISTS (SELECT FROM pg_temp.replaced AS r WHERE r.member = d.member)
    -- What comes and goes with a type that is made or dropped.
    AND NOT EXISTS (
        SELECT FROM pg_temp.thing AS t JOIN pg_temp.made AS m ON m.member = t.member
        WHERE t.kind = 'TYPE' AND d.member IN ('composite type ' || t.target, 'type ' || t.target || '[]'))
    AND NOT EXISTS (
        SELECT FROM pg_temp.dropped AS x
        WHERE d.member IN ('composite ' || x.member, x.member || '[]'))
    AND NOT (d.name IN ('comment', 'proowner', 'typowner', 'nspowner') OR d.name LIKE 'depends on role %'
        OR d.name = 'initial privileges' AND d.new_value IS NOT NULL
        OR d.name IN ('proacl', 'typacl', 'nspacl') AND d.new_value <> 'null');

INSERT INTO pg_temp.statement
SELECT 3, 0, 0, format('By hand, above: %s of %s;', string_agg(h.name, ', ' ORDER BY h.name), h.member)
FROM pg_temp.by_hand AS h GROUP BY h.member;

\pset format unaligned
\pset tuples_only on
\pset fieldsep ''
\pset recordsep '\n\n'
SELECT s.text FROM pg_temp.statement AS s ORDER BY s.section, s.place, s.part, s.text COLLATE "C";
