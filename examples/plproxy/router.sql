-- A database through which applications reach ladders on many servers, each by its name: schema
-- "ladders" has every function of the extension that works on a ladder, for the identifiers that
-- all these ladders have.
--
--   psql -v player=bigint -v match=bigint -f router.sql
--
-- Run it as a superuser, in a database of its own on a server that has PL/Proxy and this extension
-- in the version of the others, and again after ALTER EXTENSION UPDATE: it makes the functions
-- anew, and rights on them have to be granted again.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS plproxy;
CREATE EXTENSION IF NOT EXISTS skillrating;
CREATE SCHEMA IF NOT EXISTS ladders;

-- How to reach a server, without passwords: these belong into the file .pgpass of the router's own
-- system user, or there are none, as with certificates.
CREATE TABLE IF NOT EXISTS ladders.server (
    name text PRIMARY KEY,
    connection text NOT NULL);

-- Where a ladder is.  Nothing reaches one that is moving.
CREATE TABLE IF NOT EXISTS ladders.place (
    ladder text PRIMARY KEY,
    server text NOT NULL REFERENCES ladders.server,
    moving boolean NOT NULL DEFAULT false);

CREATE OR REPLACE FUNCTION ladders.connection_of(ladder text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    p record;
BEGIN
    SELECT s.connection, q.moving INTO p
    FROM ladders.place AS q JOIN ladders.server AS s ON s.name = q.server
    WHERE q.ladder = connection_of.ladder;
    IF NOT FOUND THEN
        RAISE invalid_schema_name USING
            MESSAGE = format('there is no ladder "%s"', ladder),
            HINT = 'Table ladders.place lists all of them.';
    END IF;
    IF p.moving THEN
        RAISE object_in_use USING
            MESSAGE = format('ladder "%s" is moving to another server', ladder),
            HINT = 'Try again in a while.';
    END IF;
    RETURN p.connection;
END
$$;
REVOKE EXECUTE ON FUNCTION ladders.connection_of(text) FROM PUBLIC;

-- They run as their owner, so that who may call one of them need not read how to connect.  Left
-- out is what names a table of the ladder's own server, and what commits within.
SELECT set_config('router.player', :'player', true), set_config('router.match', :'match', true) \g /dev/null
DO $make$
DECLARE
    f record;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure AS signature
        FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
        WHERE p.pronamespace = 'ladders'::regnamespace AND l.lanname = 'plproxy'
    LOOP
        EXECUTE format('DROP FUNCTION %s', f.signature);
    END LOOP;
    FOR f IN
        SELECT p.oid, p.proname,
            pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result
        FROM pg_proc AS p
        WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prokind = 'f' AND p.proargnames[1] = 'ladder'
            -- The same function may be there for a match of any type, and for one without a type.
            AND NOT EXISTS (
                SELECT FROM pg_proc AS o
                WHERE o.pronamespace = p.pronamespace AND o.proname = p.proname AND o.oid <> p.oid
                    AND 'anyelement'::regtype = ANY (o.proargtypes))
            AND NOT EXISTS (
                SELECT FROM generate_series(1, p.pronargs - p.pronargdefaults) AS n
                WHERE p.proargtypes[n - 1] = 'regclass'::regtype)
    LOOP
        EXECUTE format(
            'CREATE FUNCTION ladders.%1$I(%2$s) RETURNS %3$s
            LANGUAGE plproxy VOLATILE SECURITY DEFINER
            SET search_path = pg_catalog, pg_temp
            AS %4$L',
            f.proname,
            regexp_replace(regexp_replace(regexp_replace(f.arguments,
                '\mmatch_id any(compatible|element)\M', 'match_id ' || current_setting('router.match'), 'g'),
                '\manycompatiblearray\M', current_setting('router.player') || '[]', 'g'),
                '\many(compatible|element)\M', current_setting('router.player'), 'g'),
            regexp_replace(f.result, '\manycompatible\M', current_setting('router.player'), 'g'),
            format('CONNECT ladders.connection_of(ladder); TARGET skillrating.%I;', f.proname));
        EXECUTE format('COMMENT ON FUNCTION ladders.%I IS %L', f.proname,
            obj_description(f.oid, 'pg_proc'));
    END LOOP;
END
$make$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ladders FROM PUBLIC;
COMMIT;
