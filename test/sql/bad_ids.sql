-- Every type either identifies players and matches without fail, or is refused by create_ladder().
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA bad_ids;
SET search_path = bad_ids, public;

-- Beside the types of the server: domains over them and over each other, composites, enums, ranges.
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE SCHEMA "Odd types";
CREATE DOMAIN loose AS text COLLATE any_case;
CREATE DOMAIN looser AS loose CHECK (value <> 'nobody');
CREATE DOMAIN strict_again AS looser COLLATE "C";
CREATE DOMAIN loose_array AS text[] COLLATE any_case;
CREATE DOMAIN short AS varchar(3);
CREATE DOMAIN fixed AS char(3);
CREATE DOMAIN "Odd types"."Some number" AS integer CHECK (value > 0);
CREATE DOMAIN number_again AS "Odd types"."Some number";
CREATE DOMAIN numbers AS integer[];
CREATE DOMAIN never_null AS integer NOT NULL;
CREATE DOMAIN never_null_again AS never_null;
CREATE DOMAIN not_null_by_check AS integer CHECK (value IS NOT NULL);
CREATE TYPE server_id AS (server integer, id integer);
CREATE DOMAIN some_server_id AS server_id;
CREATE TYPE "Odd types".mood AS ENUM ('1', 'true', 'sad');
CREATE TYPE float_range AS RANGE (subtype = float8);
CREATE TYPE loose_range AS RANGE (subtype = text, collation = any_case);
CREATE DOMAIN some_range AS float_range;
CREATE TABLE as_row (a integer);
CREATE DOMAIN clock AS timestamptz;

-- Texts that some type or other takes.
CREATE TABLE sample (n serial, value text);
INSERT INTO sample (value) VALUES ('1'), ('2'), ('true'), ('false'), ('a'), ('b'), ('2024-01-01'), ('2024-01-02'),
    ('10:00'), ('11:00'), ('10.0.0.1'), ('10.0.0.2'), ('0/1'), ('0/2'), ('01:02:03:04:05:06'), ('01:02:03:04:05:07'),
    ('01:02:03:04:05:06:07:08'), ('01:02:03:04:05:06:07:09'), ('(1,2)'), ('(2,3)'), ('{1}'), ('{2}'), ('[1,2)'), ('[1,3)'),
    ('{[1,2)}'), ('{[1,3)}'), ('[2024-01-01,2024-01-02)'), ('[2024-01-01,2024-01-03)'), ('{[2024-01-01,2024-01-02)}'), ('{[2024-01-01,2024-01-03)}'),
    ('00000000-0000-0000-0000-000000000001'), ('00000000-0000-0000-0000-000000000002'), ('101'), ('[1]'), ('1:1:'), ('1:2:'), ('$.a'), ('$.b'),
    ('(1)'), ('(2)'), ('<a/>'), ('a=r/a'), ('((1,2),(3,4))'), ('pg_class'), ('pg_type'), ('int4'), ('int8'), ('sum(integer)'),
    ('1 day'), ('2 days'), ('00000001');

-- Two values of a type that are not equal, as text; null if it takes none of these.
CREATE FUNCTION two_values(type regtype) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    found text[] := '{}';
    s text;
    same boolean;
BEGIN
    FOR s IN SELECT value FROM sample ORDER BY n LOOP
        BEGIN
            IF found <> '{}' THEN
                EXECUTE format('SELECT CAST($1 AS %1$s) = CAST($2 AS %1$s)', format_type(type, -1)) INTO same USING s, found[1];
                CONTINUE WHEN same;
            END IF;
            EXECUTE format('SELECT CAST(CAST($1 AS %s) AS text)', format_type(type, -1)) INTO s USING s;
            found := found || s;
            EXIT WHEN cardinality(found) = 2;
        EXCEPTION WHEN OTHERS THEN
        END;
    END LOOP;
    RETURN CASE WHEN cardinality(found) = 2 THEN found END;
END $$;

-- What becomes of a ladder with such players or matches; all is taken back.
CREATE FUNCTION trial(type regtype, role text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v text[] := two_values(type);
    player text[] := CASE WHEN role = 'player' THEN v ELSE '{1,2}' END;
    match text[] := CASE WHEN role = 'match' THEN v ELSE '{1,2}' END;
    player_type regtype := CASE WHEN role = 'player' THEN type ELSE 'int8' END;
    match_type regtype := CASE WHEN role = 'match' THEN type ELSE 'int8' END;
    faults text;
    n bigint;
BEGIN
    BEGIN
        PERFORM skillrating.create_ladder('trial', 'elo', player_type => player_type, match_type => match_type, apply_at => 'statement', late => 'reorder');
    EXCEPTION
        WHEN datatype_mismatch THEN
            RETURN 'refused: ' || SQLERRM;
    END;
    BEGIN
        IF v IS NULL THEN
            RAISE 'no values';
        END IF;
        EXECUTE format('INSERT INTO trial.match (match_id) VALUES (%L), (%L)', match[1], match[2]);
        EXECUTE format('INSERT INTO trial.match_player (match_id, player_id, team, rank) VALUES (%1$L, %3$L, 1, 1), (%1$L, %4$L, 2, 2), (%2$L, %3$L, 1, 2), (%2$L, %4$L, 2, 1)',
            match[1], match[2], player[1], player[2]);
        SELECT string_agg(c.detail, ', ') INTO faults FROM skillrating.verify('trial') AS c WHERE NOT c.ok;
        IF faults IS NOT NULL THEN
            RAISE 'verify: %', faults;
        END IF;
        SELECT count(*) INTO n FROM trial.rated_match WHERE status = 'rated';
        IF n <> 2 OR (SELECT count(*) FROM trial.rating) <> 2 THEN
            RAISE 'rated % matches', n;
        END IF;
        PERFORM skillrating.void_match('trial', match[1], 'void');
        PERFORM skillrating.new_season('trial', 'first');
        PERFORM skillrating.set_rating('trial', player[1], '{"rating": 1600}', reason => 'trial');
        PERFORM skillrating.exclude_player('trial', player[2], policy => 'refund', at => now() + interval '1 hour');
        PERFORM skillrating.reset_rating('trial', player[2]);
        PERFORM skillrating.catch_up('trial', rebuild => true);
        PERFORM skillrating.merge_players('trial', player[1], player[2]);
        PERFORM skillrating.exclude_player('trial', player[2]);
        EXECUTE format('UPDATE trial.match SET played_at = ''2020-01-01'' WHERE match_id = %L', match[2]);
        PERFORM skillrating.catch_up('trial');
        PERFORM skillrating.leaderboard('trial', after_player => l.player_id) FROM skillrating.leaderboard('trial') AS l;
        PERFORM skillrating.history('trial', player[1]), skillrating.around('trial', player[2]);
        SELECT string_agg(c.detail, ', ') INTO faults FROM skillrating.verify('trial') AS c WHERE NOT c.ok;
        IF faults IS NOT NULL THEN
            RAISE 'verify: %', faults;
        END IF;
        RAISE 'all is well';
    EXCEPTION
        WHEN raise_exception THEN
            PERFORM skillrating.drop_ladder('trial');
            RETURN CASE SQLERRM WHEN 'all is well' THEN 'works' ELSE SQLERRM END;
        WHEN OTHERS THEN
            PERFORM skillrating.drop_ladder('trial');
            RETURN SQLSTATE || ' ' || SQLERRM;
    END;
END $$;
\set ECHO all

-- Each in a transaction of its own, as ladders take many locks.
\set ECHO none
CREATE TABLE verdict (type regtype, role text, verdict text);
CREATE PROCEDURE try_all() LANGUAGE plpgsql AS $$
DECLARE
    t record;
BEGIN
    FOR t IN
        SELECT p.oid::regtype AS type, r.role
        FROM pg_type AS p CROSS JOIN (VALUES ('player'), ('match')) AS r(role)
        WHERE p.typisdefined AND p.oid NOT IN ('sample'::regtype, '_sample'::regtype, 'verdict'::regtype, '_verdict'::regtype)
            AND (p.typnamespace IN ('bad_ids'::regnamespace, '"Odd types"'::regnamespace) OR (p.typnamespace = 'pg_catalog'::regnamespace AND p.typrelid = 0 AND (p.typcategory <> 'A' OR p.typname = '_int4')))
        ORDER BY p.oid, r.role
    LOOP
        INSERT INTO verdict VALUES (t.type, t.role, trial(t.type, t.role));
        COMMIT;
    END LOOP;
END $$;
\set ECHO all
CALL try_all();

SELECT * FROM verdict WHERE verdict <> 'works' AND verdict NOT LIKE 'refused: %' ORDER BY type::text COLLATE "C", role;
SELECT type, string_agg(verdict || ' ' || n, ', ' ORDER BY verdict COLLATE "C") FROM (
SELECT type, verdict, count(*) AS n FROM verdict
WHERE type IN ('bigint', 'text', 'uuid', 'integer[]', 'name', 'regclass', 'point', 'record')
    OR type IN (SELECT oid FROM pg_type WHERE typnamespace IN ('bad_ids'::regnamespace, '"Odd types"'::regnamespace) AND typelem = 0)
GROUP BY type, verdict) AS v GROUP BY type ORDER BY type::text COLLATE "C";
\set VERBOSITY default
SELECT skillrating_internal.check_identifier_type('loose', 'player_id');
SELECT skillrating_internal.check_identifier_type('some_server_id', 'player_id');
SELECT skillrating_internal.check_identifier_type('numbers', 'player_id');
SELECT skillrating_internal.check_identifier_type('not_null_by_check', 'player_id');
SELECT skillrating_internal.check_identifier_type('regclass', 'player_id');
\set VERBOSITY terse

-- A column with a collation of its own.
CREATE TABLE collated (match_id text COLLATE any_case, player_id text COLLATE "C", played_at timestamptz DEFAULT '2024-01-01', team integer, rank integer);
CREATE VIEW loose_source AS SELECT * FROM collated;
CREATE VIEW strict_source AS SELECT match_id COLLATE "POSIX" AS match_id, player_id, played_at, team, rank FROM collated;
SELECT name, ok, description FROM skillrating.describe_source('loose_source') WHERE name ~ '_id$';
SELECT skillrating.create_ladder('collated_ladder', 'elo', source => 'loose_source');
SELECT skillrating.create_ladder('collated_ladder', 'elo', source => 'strict_source') \gset
SELECT skillrating.attach('collated_ladder', 'collated') \gset
INSERT INTO collated (match_id, player_id, team, rank) VALUES ('a', 'x', 1, 1), ('a', 'y', 2, 2), ('A', 'X', 1, 1), ('A', 'y', 2, 2);
SELECT player_id, games FROM collated_ladder.rating ORDER BY player_id COLLATE "C";
SELECT bool_and(ok) FROM skillrating.verify('collated_ladder');

-- Equal is what the type says: zero has no sign, NaN is NaN, and blanks at the end are none.
SELECT skillrating.create_ladder('floats', 'elo', player_type => 'float8', match_type => 'float4') \gset
INSERT INTO floats.match (match_id) VALUES (0), ('NaN'), ('Infinity');
INSERT INTO floats.match (match_id) VALUES ('-0');
INSERT INTO floats.match_player (match_id, player_id, team, rank) VALUES
    (0, 0, 1, 1), (0, 'NaN', 2, 2), ('NaN', 'NaN', 1, 1), ('NaN', '-0', 2, 2), ('Infinity', 'Infinity', 1, 1), ('Infinity', '0', 2, 2);
SELECT abs(player_id) AS player_id, games FROM floats.rating ORDER BY 1;
SELECT skillrating.void_match('floats', 'NaN'::float4) \gset
SELECT count(*) FROM skillrating.catch_up('floats');
SELECT bool_and(ok) FROM skillrating.verify('floats');
SELECT skillrating.create_ladder('blanks', 'elo', player_type => 'bpchar', match_type => 'bpchar') \gset
SELECT player_id, rating_after FROM skillrating.report_match('blanks', 'match'::bpchar, ARRAY['ada  ', 'ben']::bpchar[], ARRAY[1, 2], ARRAY[1, 2]);
SELECT player_id, rating_after FROM skillrating.report_match('blanks', 'match two'::bpchar, ARRAY['ada', 'ben ']::bpchar[], ARRAY[1, 2], ARRAY[1, 2]);
SELECT bool_and(ok) FROM skillrating.verify('blanks');

-- Objects that do not exist, for every function that takes one; what is internal may say it otherwise.
\set ECHO none
CREATE FUNCTION state_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE call (function regproc, arguments text);
INSERT INTO call VALUES
    ('skillrating.describe_source', '%s'),
    ('skillrating.create_ladder', '''fresh'', ''elo'', source => %s'),
    ('skillrating.create_ladder', '''fresh'', ''elo'', player_type => %s::oid'),
    ('skillrating.create_ladder', '''fresh'', ''elo'', match_type => %s::oid'),
    ('skillrating.attach', '''collated_ladder'', %s'),
    ('skillrating.detach', '''collated_ladder'', %s'),
    ('skillrating.mirror_rating', '''collated_ladder'', %s, ''a'', ''{"a": "rating"}'''),
    ('skillrating.refresh_source', '''collated_ladder'', %s'),
    ('skillrating.unmirror_rating', '''collated_ladder'', %s'),
    ('skillrating_internal.check_source', '%s'),
    ('skillrating_internal.check_identifier_type', '%s, ''x''');
\set ECHO all
SELECT c.function, c.arguments, o.oid, state_of(format(CASE WHEN p.prokind = 'p' THEN 'CALL %s(%s)' ELSE 'SELECT %s(%s)' END, c.function, format(c.arguments, o.oid))) AS error
FROM call AS c JOIN pg_proc AS p ON p.oid = c.function CROSS JOIN (VALUES ('0'), ('999999')) AS o(oid)
ORDER BY c.function::text COLLATE "C", c.arguments COLLATE "C", o.oid;
SELECT p.oid::regproc AS function FROM pg_proc AS p
WHERE p.pronamespace = 'skillrating'::regnamespace AND NOT EXISTS (SELECT FROM call AS c WHERE c.function = p.oid)
    AND ('regclass'::regtype = ANY (p.proargtypes) OR 'regtype'::regtype = ANY (p.proargtypes));

-- Times at the ends of what can be written.
SELECT skillrating.create_ladder('ages', 'glicko') \gset
INSERT INTO ages.match (match_id, played_at) VALUES (1, '4714-11-24 00:00:00+00 BC'), (2, '4713-06-01 BC'), (3, '2024-02-29'), (4, '294276-12-31 23:00:00+00');
INSERT INTO ages.match_player (match_id, player_id, team, rank) SELECT m, p, p, p FROM generate_series(1, 4) AS m, generate_series(1, 2) AS p;
SELECT match_id, status FROM ages.rated_match ORDER BY match_id;
SELECT step, (SELECT string_agg(q.matches::text || CASE WHEN isfinite(q.period) THEN '' ELSE ' before' END, ', ' ORDER BY q.period)
    FROM skillrating.pool_quality('ages', step => step) AS q) AS periods
FROM unnest('{day,week,month,quarter,year}'::text[]) AS step;
SELECT bool_and(ok) FROM skillrating.verify('ages');

SELECT count(skillrating.drop_ladder(name)) FROM unnest(ARRAY['collated_ladder', 'floats', 'blanks', 'ages']) AS name;
RESET search_path;
DROP SCHEMA bad_ids, "Odd types" CASCADE;
