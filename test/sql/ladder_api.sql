-- create_api(): a schema of a ladder's functions and tables for applications, in the types of its
-- identifiers.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE ROLE regress_api_owner;
CREATE ROLE regress_api_reader;
CREATE ROLE regress_api_reporter;
CREATE ROLE regress_api_guest;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_api_owner', current_database()) \gexec
SET ROLE regress_api_owner;

-- Every function that concerns matches and players is there, with the arguments behind the ladder
-- and a comment; what concerns the ladder as such is not.
SELECT skillrating.create_ladder('arena', 'glicko', player_type => 'uuid', match_type => 'text');
SELECT functions > 0 AS has_functions, views FROM skillrating.create_api('arena', 'api',
    readers => '{regress_api_reader}', reporters => '{regress_api_reporter}');
SELECT e.function, 'is missing' AS problem FROM skillrating_internal.ladder_entries() AS e
WHERE e.in_api AND NOT EXISTS (
    SELECT FROM pg_proc AS p
    JOIN pg_proc AS b ON b.proname = p.proname AND b.pronamespace = 'skillrating_internal'::regnamespace
    WHERE p.pronamespace = 'api'::regnamespace AND p.proname = e.function AND p.pronargs = b.pronargs - 1
        AND p.pronargdefaults = b.pronargdefaults AND p.provolatile = b.provolatile)
UNION ALL
SELECT p.proname, 'is too much' FROM pg_proc AS p
WHERE p.pronamespace = 'api'::regnamespace AND p.proname !~ '_rows$' AND NOT EXISTS (
    SELECT FROM skillrating_internal.ladder_entries() AS e WHERE e.function = p.proname AND e.in_api)
UNION ALL
SELECT p.proname, 'has no comment' FROM pg_proc AS p
WHERE p.pronamespace = 'api'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL
UNION ALL
SELECT p.proname, 'is polymorphic' FROM pg_proc AS p
WHERE p.pronamespace = 'api'::regnamespace AND pg_get_function_identity_arguments(p.oid) ~ 'any'
UNION ALL
SELECT p.proname, 'has identifiers as text' FROM pg_proc AS p
WHERE p.pronamespace = 'api'::regnamespace AND pg_get_function_result(p.oid) ~ '(player|opponent)_id[a-z_]* text';

-- Identifiers come back in their own types, so that they join.
CREATE SCHEMA site;
CREATE TABLE site.person (id uuid PRIMARY KEY, name text);
INSERT INTO site.person SELECT md5(name)::uuid, name FROM unnest('{ann,bob,cid,dan}'::text[]) AS name;
CREATE FUNCTION site.ids(VARIADIC names text[]) RETURNS uuid[] LANGUAGE sql STABLE AS $$
    SELECT array_agg(p.id ORDER BY n.o) FROM unnest(names) WITH ORDINALITY AS n(name, o) JOIN site.person AS p ON p.name = n.name
$$;
SELECT p.name, round(r.rating_after) AS rating
FROM api.report_match('one', site.ids('ann', 'bob', 'cid', 'dan'), '{1,1,2,2}', '{1,1,2,2}') AS r JOIN site.person AS p ON p.id = r.player_id
ORDER BY 1;
SELECT p.name, b.place, b.games FROM api.leaderboard() AS b JOIN site.person AS p ON p.id = b.player_id ORDER BY b.place, 1;
SELECT p.name, api.place_of(p.id), o.seq FROM site.person AS p JOIN api.rating AS r ON r.player_id = p.id
JOIN api.event AS o ON o.player_id = p.id ORDER BY 1;
SELECT match_id, status FROM api.rated_match;
-- Arguments in the ladder's types, by name too, and null where another layer cannot leave one out.
SELECT count(DISTINCT v.p) FROM (
    SELECT array_agg(p.win_probability) FROM api.preview(site.ids('ann', 'bob'), '{1,2}') AS p
    UNION ALL SELECT array_agg(p.win_probability) FROM api.preview(players => site.ids('ann', 'bob'), team => '{1,2}', pool => NULL, at => NULL, log_odds => NULL) AS p
    UNION ALL SELECT array_agg(p.win_probability) FROM skillrating.preview('arena', site.ids('ann', 'bob'), '{1,2}') AS p) AS v(p);
SELECT count(*) FROM api.leaderboard(n => NULL, pool => NULL, min_games => NULL);
PREPARE board AS SELECT player_id = $1 FROM api.leaderboard(n => $2) ORDER BY place, player_id;
EXECUTE board ('00000000-0000-0000-0000-000000000000', 1);

-- A view reads the table as if it were named.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT rating FROM api.rating WHERE player_id = md5('ann')::uuid AND pool = '';
RESET enable_seqscan;
RESET enable_bitmapscan;

-- It follows the name of the ladder when ladders are swapped.
SELECT skillrating.rerate('arena', 'glicko', '{"initial_deviation": 100}', 'trial');
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT b.rating = r.rating AND r.rating < 1600 AS new FROM api.leaderboard(n => 1) AS b JOIN api.rating AS r USING (player_id);
RESET ROLE;

-- Who may do what: readers read, reporters report as well, and the rest is the owner's.
CREATE FUNCTION pg_temp.attempt(role text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', role);
    EXECUTE statement;
    RETURN 'yes';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
SELECT s.what, pg_temp.attempt('regress_api_reader', s.statement) AS reader, pg_temp.attempt('regress_api_reporter', s.statement) AS reporter,
    pg_temp.attempt('regress_api_guest', s.statement) AS guest, pg_temp.attempt('regress_api_owner', s.statement) AS owner
FROM (VALUES
    ('leaderboard', 'SELECT * FROM api.leaderboard()'), ('rating', 'SELECT * FROM api.rating'), ('event', 'SELECT * FROM api.event'),
    ('verify', 'SELECT * FROM api.verify()'), ('preview', 'SELECT * FROM api.preview((SELECT array_agg(player_id) FROM api.rating), ''{1,1,2,2}'')'),
    ('report', 'SELECT * FROM api.report_match(''two'', (SELECT array_agg(player_id) FROM api.rating), ''{1,1,2,2}'', ''{1,1,2,2}'')'),
    ('settle', 'SELECT * FROM api.settle()')) AS s(what, statement);
-- What is granted is what one can call: a layer that asks for privileges shows no more.
SELECT count(*) FILTER (WHERE has_function_privilege('regress_api_reader', p.oid, 'EXECUTE')) < count(*) FILTER (WHERE has_function_privilege('regress_api_reporter', p.oid, 'EXECUTE')) AS reporters_more,
    count(*) FILTER (WHERE has_function_privilege('regress_api_guest', p.oid, 'EXECUTE')) AS guest,
    bool_or(has_function_privilege('regress_api_reporter', p.oid, 'EXECUTE')) FILTER (WHERE p.proname IN ('catch_up', 'set_rating', 'exclude_player')) AS corrections
FROM pg_proc AS p WHERE p.pronamespace = 'api'::regnamespace;

-- Odd names, and every type of identifiers.
SET ROLE regress_api_owner;
DO $$
DECLARE
    type text;
    one text;
BEGIN
    FOREACH type IN ARRAY '{bigint,integer,smallint,text,varchar,uuid,numeric,inet,date,"char"}'::text[] LOOP
        PERFORM skillrating.create_ladder('an ''odd" %s ladder', 'elo', player_type => type::regtype, match_type => type::regtype);
        PERFORM skillrating.create_api('an ''odd" %s ladder', 'an ''odd" %s api');
        one := CASE type WHEN 'uuid' THEN '00000000-0000-0000-0000-00000000000' WHEN 'inet' THEN '10.0.0.' WHEN 'date' THEN '2020-01-0' ELSE '' END;
        EXECUTE format('SELECT FROM "an ''odd"" %%s api".report_match($1::%1$s, $2::%1$s[], ''{1,2}'', ''{1,2}'')', type) USING one || 1, format('{%s1,%s2}', one, one);
        EXECUTE format('SELECT CAST(b.player_id AS text) FROM "an ''odd"" %%s api".leaderboard() AS b JOIN "an ''odd"" %%s api".rating AS r ON r.player_id = b.player_id WHERE b.player_id = $1::%1$s', type)
        INTO one USING one || 1;
        RAISE WARNING '%: %', type, one;
        DROP SCHEMA "an 'odd"" %s api" CASCADE;
        PERFORM skillrating.drop_ladder('an ''odd" %s ladder');
    END LOOP;
END
$$;

-- Types with percent signs in their names.
CREATE DOMAIN site."id%1$s" AS bigint;
CREATE DOMAIN site."100%" AS bigint;
SELECT skillrating.create_ladder('percent', 'elo', player_type => 'site."id%1$s"', match_type => 'site."100%"');
SELECT functions > 0 AS has_functions FROM skillrating.create_api('percent', 'percent_api');
SELECT player_id, round(rating_after) AS rating FROM percent_api.report_match(1, '{1,2}', '{1,2}', '{1,2}');
SELECT match_id, player_id FROM percent_api.event ORDER BY player_id;
DROP SCHEMA percent_api CASCADE;
SELECT skillrating.drop_ladder('percent');

-- Errors.
SELECT skillrating.create_api('nowhere', 'other');
SELECT skillrating.create_api('arena', 'api');
SELECT skillrating.create_api('arena', NULL);
SELECT skillrating.create_api('site', 'other');
SELECT skillrating.create_api('arena', repeat('a', 64));
SELECT skillrating.create_api('arena', 'other', readers => '{regress_api_nobody}');
RESET ROLE;

DROP SCHEMA api, site CASCADE;
SELECT skillrating.drop_ladder('trial'), skillrating.drop_ladder('arena');
DROP OWNED BY regress_api_owner, regress_api_reader, regress_api_reporter, regress_api_guest;
DROP ROLE regress_api_owner, regress_api_reader, regress_api_reporter, regress_api_guest;
