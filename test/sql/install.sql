-- What the install script trusts: no schema that was there before, and no name that somebody else
-- can define.  In a database of its own, where traps lie under the names of everything that
-- pg_catalog has.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SELECT current_database() AS regression \gset
CREATE ROLE regress_install_evil;
CREATE ROLE regress_install_app;
DROP DATABASE IF EXISTS regress_skillrating_install;
CREATE DATABASE regress_skillrating_install TEMPLATE template0;
GRANT CREATE ON DATABASE regress_skillrating_install TO regress_install_evil;
\set ECHO all
\c regress_skillrating_install
SET client_min_messages = warning;

-- For each function of pg_catalog one of the same name with the same arguments; for each
-- polymorphic or variadic one some that fit text and numbers better; the operators of these
-- functions, and domains with the names of types.  Whatever is called counts, also if the error is
-- caught, and raises an error.
\set ECHO none
CREATE FUNCTION public.signatures(OUT name text, OUT arguments text[], OUT result text) RETURNS SETOF record
LANGUAGE sql SET search_path = pg_catalog AS $$
    WITH polymorphic(of, likes) AS (
        VALUES ('anyelement', '%s'), ('anynonarray', '%s'), ('anycompatible', '%s'), ('anycompatiblenonarray', '%s'),
            ('anyarray', '%s[]'), ('anycompatiblearray', '%s[]')
    ), plain AS (
        SELECT p.oid, p.proname, p.provariadic, e.type, format_type(p.prorettype, NULL) AS result,
            ARRAY(SELECT coalesce(replace(y.likes, '%s', e.type), format_type(a.type, NULL))
                FROM unnest(p.proargtypes) WITH ORDINALITY AS a(type, n)
                LEFT JOIN polymorphic AS y ON y.of = format_type(a.type, NULL)
                WHERE a.type <> '"any"'::regtype ORDER BY a.n) AS arguments
        FROM pg_proc AS p CROSS JOIN (VALUES ('text'), ('integer'), ('bigint'), ('double precision')) AS e(type)
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
    ), more(arguments) AS (
        SELECT ARRAY[a] FROM (VALUES ('text'), ('integer')) AS one(a)
        UNION ALL SELECT ARRAY[a, b] FROM (VALUES ('text'), ('integer')) AS one(a), (VALUES ('text'), ('integer')) AS two(b)
    )
    SELECT DISTINCT p.proname::text, p.arguments || coalesce(v.arguments, '{}'), coalesce(replace(y.likes, '%s', p.type), p.result)
    FROM plain AS p
    LEFT JOIN more AS v ON p.provariadic = '"any"'::regtype
    LEFT JOIN polymorphic AS y ON y.of = p.result
$$;
CREATE PROCEDURE public.set_traps(schema text) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    it record;
BEGIN
    EXECUTE format('CREATE SEQUENCE %I.sprung', schema);
    FOR it IN SELECT * FROM public.signatures() LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', schema, it.name, array_to_string(it.arguments, ', '), it.result,
                format('BEGIN PERFORM pg_catalog.nextval(%L); RAISE EXCEPTION %L; END', format('%I.sprung', schema), 'trapped by ' || it.name));
        EXCEPTION WHEN invalid_function_definition OR feature_not_supported OR duplicate_function OR datatype_mismatch THEN
            NULL;  -- arguments or results that no user can give a function
        END;
    END LOOP;
    FOR it IN
        SELECT DISTINCT o.oprname, p.oid::regprocedure AS function, p.pronargs, p.proargtypes[0]::regtype AS a, p.proargtypes[1]::regtype AS b
        FROM pg_operator AS o JOIN pg_proc AS c ON c.oid = o.oprcode
        JOIN pg_proc AS p ON p.proname = c.proname AND p.pronargs = c.pronargs
        WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND p.pronamespace = quote_ident(schema)::regnamespace
    LOOP
        BEGIN
            EXECUTE format('CREATE OPERATOR %I.%s (%s RIGHTARG = %s, FUNCTION = %s)', schema, it.oprname,
                CASE it.pronargs WHEN 2 THEN format('LEFTARG = %s,', it.a) ELSE '' END,
                CASE it.pronargs WHEN 2 THEN it.b ELSE it.a END, split_part(it.function::text, '(', 1));
        EXCEPTION WHEN duplicate_function OR invalid_function_definition THEN
            NULL;
        END;
    END LOOP;
    FOR it IN
        SELECT t.typname FROM pg_type AS t
        WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype IN ('b', 'r') AND t.typcategory <> 'A' AND t.typname !~ '^pg_'
    LOOP
        EXECUTE format('CREATE DOMAIN %1$I.%2$I AS pg_catalog.%2$I CHECK (false)', schema, it.typname);
    END LOOP;
    EXECUTE format('CREATE TYPE %I.record AS (trapped boolean)', schema);
END
$$;
-- The extension's schemas and what is in them, or depends on anything but them and pg_catalog.
CREATE VIEW public.schemas AS
SELECT n.nspname, n.nspowner::regrole::text AS owner, obj_description(n.oid, 'pg_namespace') IS NOT NULL AS described
FROM pg_namespace AS n WHERE n.nspname LIKE 'skillrating%' ORDER BY n.nspname;
CREATE VIEW public.strange_dependencies AS
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS object, pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid) AS depends_on
FROM pg_depend AS d
CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) AS o
CROSS JOIN LATERAL pg_identify_object(d.refclassid, d.refobjid, 0) AS r
WHERE o.schema IN ('skillrating', 'skillrating_internal') AND r.schema NOT IN ('pg_catalog', 'skillrating', 'skillrating_internal');
-- How much there is in the catalogs.
CREATE VIEW public.contents AS
SELECT (SELECT count(*) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_') AS schemas, (SELECT count(*) FROM pg_class WHERE relpersistence = 'p') AS relations,
    (SELECT count(*) FROM pg_proc) AS functions, (SELECT count(*) FROM pg_type) AS types, (SELECT count(*) FROM pg_operator) AS operators,
    (SELECT count(*) FROM pg_cast) AS casts, (SELECT count(*) FROM pg_opclass) AS opclasses, (SELECT count(*) FROM pg_extension) AS extensions,
    (SELECT count(*) FROM pg_description) AS comments, (SELECT count(*) FROM pg_init_privs) AS privileges, (SELECT count(*) FROM pg_event_trigger) AS event_triggers;
\set ECHO all
SELECT c::text AS before FROM public.contents AS c \gset

-- A schema that exists is refused, whatever is in it.
SET ROLE regress_install_evil;
\set ECHO none
CREATE SCHEMA skillrating;
CREATE FUNCTION skillrating.format(text, text, integer) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
CREATE FUNCTION skillrating.array_position(text[], text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
RESET ROLE;
\set VERBOSITY default
\set ECHO all
CREATE EXTENSION skillrating;
\set VERBOSITY terse
ALTER SCHEMA skillrating RENAME TO skillrating_internal;
CREATE EXTENSION skillrating;
DROP SCHEMA skillrating_internal CASCADE;
-- Even if it is the installing role's own and empty: its privileges may name others.
CREATE SCHEMA skillrating;
CREATE EXTENSION skillrating;
DROP SCHEMA skillrating;
CREATE SCHEMA elsewhere;
CREATE EXTENSION skillrating SCHEMA elsewhere;
DROP SCHEMA elsewhere;
SELECT c::text = :'before' AS nothing_is_left FROM public.contents AS c;

-- Names and operators are those of pg_catalog, whatever comes first in the search_path, and
-- whatever lies in the session's temporary schema.
SET ROLE regress_install_evil;
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
RESET ROLE;
CALL public.set_traps('evil');
SELECT count(*) > 2500 AS functions FROM pg_proc WHERE pronamespace = 'evil'::regnamespace;
SELECT count(*) > 700 AS operators FROM pg_operator WHERE oprnamespace = 'evil'::regnamespace;
SELECT count(*) > 50 AS types FROM pg_type WHERE typnamespace = 'evil'::regnamespace AND typtype = 'd';
ALTER DATABASE regress_skillrating_install SET search_path = evil, pg_catalog, public;
\c -
SET client_min_messages = warning;
SHOW search_path;
SELECT format('%s', 1);
SELECT 'a'::text;
SELECT last_value AS sprung FROM evil.sprung \gset
\set ECHO none
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (false);
CREATE DOMAIN pg_temp.jsonb AS pg_catalog.jsonb CHECK (false);
CREATE TEMP TABLE pg_namespace (nspname pg_catalog.name);
CREATE TEMP TABLE pg_extension (extname pg_catalog.name);
CREATE TEMP TABLE pg_attribute (attname pg_catalog.name);
CREATE EXTENSION skillrating;
\set ECHO all
-- Neither do they lead the functions astray, also those that cannot have a search_path of their own.
SELECT skillrating.create_ladder('arena', 'elo') \gset
SELECT player_id, rating_after FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT player_id, team FROM skillrating.split_teams(skillrating.lobby('arena', ARRAY[1, 2, 3, 4]));
SELECT skillrating.drop_ladder('arena') \gset
SET search_path = pg_catalog, public;
SELECT last_value > :sprung AS a_trap_was_sprung FROM evil.sprung;

SELECT * FROM public.strange_dependencies;
SELECT nspname, owner = current_user AS mine, described FROM public.schemas;
-- Nobody else creates anything in the schemas.
SELECT n.nspname, a.privilege_type, a.is_grantable
FROM pg_catalog.pg_namespace AS n, aclexplode(n.nspacl) AS a
WHERE n.nspname LIKE 'skillrating%' AND a.grantee <> n.nspowner ORDER BY n.nspname;
-- All members are in the two schemas, and nothing else is.
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS strange_member
FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid
CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS i
WHERE d.refclassid = 'pg_extension'::regclass AND e.extname = 'skillrating' AND d.deptype = 'e'
    AND coalesce(i.schema, i.name) NOT IN ('skillrating', 'skillrating_internal');
SELECT p.oid::regprocedure AS no_member
FROM pg_catalog.pg_proc AS p
WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace)
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e');

-- What is in SQL and PL/pgSQL is parsed when it runs, and so has a search_path of its own, or was
-- parsed at installation.  One that is inlined can have neither.
SELECT p.oid::regprocedure AS without_search_path
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace)
    AND l.lanname NOT IN ('c', 'internal') AND p.prosqlbody IS NULL
    AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (p.proconfig), false)
ORDER BY p.proname;
-- No function has more rights than its caller by its definition.
SELECT p.oid::regprocedure AS security_definer
FROM pg_catalog.pg_proc AS p
WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace) AND p.prosecdef;
DISCARD TEMP;
DROP EXTENSION skillrating;
DROP SCHEMA evil CASCADE;
ALTER DATABASE regress_skillrating_install RESET search_path;
\c -
SET client_min_messages = warning;
SELECT c::text = :'before' AS nothing_is_left, c.schemas FROM public.contents AS c;

-- An ordinary role needs CREATE on the database.  It may then drop the extension, and change
-- nothing in it: all of that is the bootstrap superuser's.
SET ROLE regress_install_app;
CREATE EXTENSION skillrating;
RESET ROLE;
GRANT CREATE ON DATABASE regress_skillrating_install TO regress_install_app;
SET ROLE regress_install_app;
CREATE EXTENSION skillrating;
SELECT extowner::regrole FROM pg_extension WHERE extname = 'skillrating';
SELECT nspname, owner = pg_get_userbyid(10) AS bootstrap_superusers FROM public.schemas;
SELECT count(*) AS of_others FROM pg_proc AS p WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace) AND p.proowner <> 10;
CREATE FUNCTION skillrating.initial_state(text) RETURNS float8[] LANGUAGE sql AS 'SELECT NULL::float8[]';
CREATE FUNCTION skillrating_internal.is_quick(name) RETURNS text LANGUAGE sql AS 'SELECT NULL::text';
ALTER FUNCTION skillrating.models(text, jsonb) COST 1;
DROP FUNCTION skillrating.models(text, jsonb);
ALTER EXTENSION skillrating DROP FUNCTION skillrating.models(text, jsonb);
SELECT skillrating.create_ladder('arena', 'elo') \gset
SELECT player_id, rating_after FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.drop_ladder('arena') \gset
-- Equality of identifiers is that of their type, not what somebody puts beside the type.
SET ROLE regress_install_evil;
\set ECHO none
CREATE SCHEMA shop;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
CREATE DOMAIN shop.code AS text;
CREATE FUNCTION shop.trap(shop.code, shop.code) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped as %'', current_user; END';
CREATE OPERATOR shop.= (LEFTARG = shop.code, RIGHTARG = shop.code, FUNCTION = shop.trap);
\set ECHO all
SET ROLE regress_install_app;
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'shop.code', match_type => 'shop.code') \gset
SELECT player_id, rating_after FROM skillrating.report_match('arena', 'm'::shop.code, ARRAY['a', 'b']::shop.code[], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.drop_ladder('arena') \gset
DROP EXTENSION skillrating;
RESET ROLE;
DROP SCHEMA shop CASCADE;
SELECT c::text = :'before' AS nothing_is_left FROM public.contents AS c;

\c :regression
DROP DATABASE regress_skillrating_install;
DROP ROLE regress_install_evil;
DROP ROLE regress_install_app;
