-- What the extension skillrating consists of in the current database, or, if the variable schema is
-- set, what is in that schema, such as a ladder: the temporary table property gets a row for each
-- property of each member, with the member and the value as text that holds no OID, so that two
-- databases can be compared.  For \i in psql, as a superuser.
--
-- Members are what pg_depend says, and whatever belongs to one: columns, constraints, indexes,
-- array types, rows of pg_aggregate.  Of each catalog all columns are taken, as they come; what
-- they refer to is named as the server's own list of references says.  Expressions are taken as
-- the server prints them.  So this covers kinds of objects that the extension does not have yet.

SET search_path = pg_catalog, pg_temp;

CREATE TEMP TABLE root (classid oid, objid oid);
\if :{?schema}
INSERT INTO pg_temp.root
SELECT 'pg_class'::regclass, c.oid FROM pg_class AS c WHERE c.relnamespace = :'schema'::regnamespace
UNION ALL
SELECT 'pg_namespace'::regclass, :'schema'::regnamespace;
\else
INSERT INTO pg_temp.root
SELECT 'pg_extension'::regclass, e.oid FROM pg_extension AS e WHERE e.extname = 'skillrating'
UNION ALL
SELECT d.classid, d.objid
FROM pg_extension AS e
JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
WHERE e.extname = 'skillrating';
\endif

CREATE TEMP TABLE member AS
WITH RECURSIVE member(classid, objid) AS (
    SELECT r.classid, r.objid FROM pg_temp.root AS r
    UNION
    SELECT d.classid, d.objid
    FROM member AS m
    JOIN pg_depend AS d ON d.refclassid = m.classid AND d.refobjid = m.objid
        AND d.deptype IN ('i', 'a', 'P', 'S')
    -- What belongs to the extension in this way is a root.
    WHERE m.classid <> 'pg_extension'::regclass
)
SELECT m.classid, m.objid, i.type || ' ' || i.identity AS name
FROM member AS m
CROSS JOIN LATERAL pg_identify_object(m.classid, m.objid, 0) AS i
-- Those have numbers for names.
WHERE i.schema IS DISTINCT FROM 'pg_toast' AND i.identity !~ 'RI_ConstraintTrigger_';

CREATE UNIQUE INDEX ON pg_temp.member (classid, objid);

-- References by a single column; those by several are of columns, which have names here.
CREATE TEMP TABLE reference AS
SELECT f.fktable, f.fkcols[1] AS name, f.pktable
FROM pg_get_catalog_foreign_keys() AS f
WHERE cardinality(f.fkcols) = 1 AND f.pkcols = '{oid}';

-- Columns that say where and how something is stored, or how often it was, and expressions,
-- which are taken as text.
CREATE TEMP TABLE ignored AS
SELECT u.name
FROM unnest(ARRAY['oid', 'relfilenode', 'reltoastrelid', 'relpages', 'reltuples', 'relallvisible',
    'relallfrozen', 'relfrozenxid', 'relminmxid', 'attcacheoff', 'atthasmissing',
    'attmissingval']) AS u(name)
UNION
SELECT a.attname FROM pg_attribute AS a WHERE a.atttypid = 'pg_node_tree'::regtype;

-- The column that is a part of an object, or null for the object as a whole.
CREATE FUNCTION pg_temp.part(class oid, object oid, part integer)
RETURNS text
LANGUAGE sql
AS $$
    SELECT a.attname::text FROM pg_attribute AS a
    WHERE class = 'pg_class'::regclass AND a.attrelid = object AND a.attnum = part AND part > 0
$$;

CREATE TEMP TABLE property (
    member text NOT NULL,
    name text NOT NULL,
    value jsonb);

CREATE FUNCTION pg_temp.referred(referred regclass, value jsonb)
RETURNS jsonb
LANGUAGE sql
AS $$
    SELECT CASE
        WHEN jsonb_typeof(value) = 'array' THEN (
            SELECT jsonb_agg(pg_temp.referred(referred, u.element) ORDER BY u.n)
            FROM jsonb_array_elements(value) WITH ORDINALITY AS u(element, n))
        WHEN value #>> '{}' !~ '^[1-9][0-9]*$' THEN value
        ELSE to_jsonb((pg_identify_object(referred, (value #>> '{}')::oid, 0)).identity)
    END
$$;

-- The columns of a row of a catalog.
CREATE FUNCTION pg_temp.row_properties(catalog regclass, a_row jsonb)
RETURNS TABLE (name text, value jsonb)
LANGUAGE sql
AS $$
    SELECT e.key,
        CASE
            WHEN r.pktable IS NOT NULL THEN pg_temp.referred(r.pktable, e.value)
            -- Some servers keep a counter there.
            WHEN e.key = 'attoptions' AND jsonb_typeof(e.value) = 'array' THEN coalesce((
                SELECT jsonb_agg(u.item ORDER BY u.item) FROM jsonb_array_elements(e.value) AS u(item)
                WHERE u.item #>> '{}' NOT LIKE 'pg\_attver=%'), 'null')
            WHEN e.key LIKE '%acl' AND jsonb_typeof(e.value) = 'array' THEN (
                SELECT jsonb_agg(u.item ORDER BY u.item) FROM jsonb_array_elements(e.value) AS u(item))
            ELSE e.value
        END
    FROM jsonb_each(a_row) AS e
    LEFT JOIN pg_temp.reference AS r ON r.fktable = catalog AND r.name = e.key
    WHERE NOT EXISTS (SELECT FROM pg_temp.ignored AS i WHERE i.name = e.key)
$$;

DO $do$
DECLARE
    catalog regclass;
BEGIN
    FOR catalog IN SELECT DISTINCT m.classid FROM pg_temp.member AS m LOOP
        EXECUTE format(
            'INSERT INTO pg_temp.property
            SELECT m.name, p.name, p.value
            FROM pg_temp.member AS m JOIN %s AS t ON t.oid = m.objid
            CROSS JOIN LATERAL pg_temp.row_properties(%s::regclass, to_jsonb(t)) AS p
            WHERE m.classid = %s', catalog, quote_literal(catalog), catalog::oid);
    END LOOP;
END
$do$;

-- Parts that have no OID of their own, by the name of what they belong to.
INSERT INTO pg_temp.property
SELECT m.name, p.name, p.value
FROM pg_temp.member AS m JOIN pg_aggregate AS t ON t.aggfnoid = m.objid
CROSS JOIN LATERAL pg_temp.row_properties('pg_aggregate', to_jsonb(t)) AS p
WHERE m.classid = 'pg_proc'::regclass
UNION ALL
SELECT m.name, p.name, p.value
FROM pg_temp.member AS m JOIN pg_index AS t ON t.indexrelid = m.objid
CROSS JOIN LATERAL pg_temp.row_properties('pg_index', to_jsonb(t)) AS p
WHERE m.classid = 'pg_class'::regclass
UNION ALL
SELECT m.name, p.name, p.value
FROM pg_temp.member AS m JOIN pg_sequence AS t ON t.seqrelid = m.objid
CROSS JOIN LATERAL pg_temp.row_properties('pg_sequence', to_jsonb(t)) AS p
WHERE m.classid = 'pg_class'::regclass
UNION ALL
SELECT m.name, p.name, p.value
FROM pg_temp.member AS m JOIN pg_range AS t ON t.rngtypid = m.objid
CROSS JOIN LATERAL pg_temp.row_properties('pg_range', to_jsonb(t)) AS p
WHERE m.classid = 'pg_type'::regclass
UNION ALL
SELECT m.name, format('column %s: %s', t.attname, p.name), p.value
FROM pg_temp.member AS m JOIN pg_attribute AS t ON t.attrelid = m.objid AND t.attnum > 0
    AND NOT t.attisdropped
CROSS JOIN LATERAL pg_temp.row_properties('pg_attribute', to_jsonb(t)) AS p
WHERE m.classid = 'pg_class'::regclass
UNION ALL
SELECT m.name, format('label %s', t.enumlabel), to_jsonb(t.enumsortorder)
FROM pg_temp.member AS m JOIN pg_enum AS t ON t.enumtypid = m.objid
WHERE m.classid = 'pg_type'::regclass;

-- What takes an expression, as the server prints it.
INSERT INTO pg_temp.property
SELECT m.name, 'definition', to_jsonb(CASE m.classid
    WHEN 'pg_constraint'::regclass THEN pg_get_constraintdef(m.objid)
    WHEN 'pg_trigger'::regclass THEN pg_get_triggerdef(m.objid)
    WHEN 'pg_rewrite'::regclass THEN pg_get_ruledef(m.objid)
    WHEN 'pg_attrdef'::regclass THEN (
        SELECT pg_get_expr(t.adbin, t.adrelid) FROM pg_attrdef AS t WHERE t.oid = m.objid)
    WHEN 'pg_policy'::regclass THEN (
        SELECT concat_ws(' / ', pg_get_expr(t.polqual, t.polrelid), pg_get_expr(t.polwithcheck, t.polrelid))
        FROM pg_policy AS t WHERE t.oid = m.objid)
    WHEN 'pg_class'::regclass THEN (
        SELECT CASE WHEN t.relkind IN ('v', 'm') THEN pg_get_viewdef(t.oid)
            WHEN t.relkind IN ('i', 'I') THEN pg_get_indexdef(t.oid) END
        FROM pg_class AS t WHERE t.oid = m.objid)
    WHEN 'pg_proc'::regclass THEN (
        SELECT CASE WHEN t.prokind = 'a'
            THEN format('%s -> %s', pg_get_function_arguments(t.oid), pg_get_function_result(t.oid))
            ELSE pg_get_functiondef(t.oid) END
        FROM pg_proc AS t WHERE t.oid = m.objid)
    END)
FROM pg_temp.member AS m;

-- Comments, labels, privileges as they were given by the script, and dependencies.
INSERT INTO pg_temp.property
SELECT m.name, format('comment%s', ' on column ' || pg_temp.part(t.classoid, t.objoid, t.objsubid)), to_jsonb(t.description)
FROM pg_temp.member AS m JOIN pg_description AS t ON t.classoid = m.classid AND t.objoid = m.objid
UNION ALL
SELECT m.name, format('label of %s%s', t.provider, ' on column ' || pg_temp.part(t.classoid, t.objoid, t.objsubid)), to_jsonb(t.label)
FROM pg_temp.member AS m JOIN pg_seclabel AS t ON t.classoid = m.classid AND t.objoid = m.objid
UNION ALL
SELECT m.name, format('initial privileges%s', ' of column ' || pg_temp.part(t.classoid, t.objoid, t.objsubid)), (
    SELECT jsonb_build_object('type', t.privtype, 'acl', jsonb_agg(u.item ORDER BY u.item))
    FROM unnest(t.initprivs::text[]) AS u(item))
FROM pg_temp.member AS m JOIN pg_init_privs AS t ON t.classoid = m.classid AND t.objoid = m.objid
UNION ALL
SELECT m.name, format('depends%s on %s %s (%s)', ' by column ' || pg_temp.part(t.classid, t.objid, t.objsubid), i.type, i.identity, t.deptype),
    to_jsonb(count(*))
FROM pg_temp.member AS m JOIN pg_depend AS t ON t.classid = m.classid AND t.objid = m.objid
CROSS JOIN LATERAL pg_identify_object(t.refclassid, t.refobjid, t.refobjsubid) AS i
GROUP BY m.name, t.classid, t.objid, t.objsubid, i.type, i.identity, t.deptype
UNION ALL
SELECT m.name, format('depends on role %s (%s)', t.refobjid::regrole, t.deptype), to_jsonb(count(*))
FROM pg_temp.member AS m JOIN pg_shdepend AS t ON t.classid = m.classid AND t.objid = m.objid
    AND t.dbid = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
    AND t.refclassid = 'pg_authid'::regclass
GROUP BY m.name, t.refobjid, t.deptype;

DELETE FROM pg_temp.property WHERE value IS NULL;

-- For who wants to make statements of these: the words that DROP takes, and the place in the order of
-- creation.  They are no properties that could differ.
INSERT INTO pg_temp.property
SELECT m.name, '#target', jsonb_build_object('kind', upper(i.type), 'target', i.identity)
FROM pg_temp.member AS m CROSS JOIN LATERAL pg_identify_object(m.classid, m.objid, 0) AS i
UNION ALL
SELECT m.name, '#place', to_jsonb(m.objid::bigint) FROM pg_temp.member AS m;
