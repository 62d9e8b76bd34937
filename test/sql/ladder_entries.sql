-- Every function on a ladder enters ladders in the same way, and says what it needs; procedures and functions in SQL call these.
\pset format unaligned
\pset tuples_only on
SELECT coalesce(f.name, e.function) AS unknown
FROM (
    SELECT DISTINCT p.proname::text AS name FROM pg_proc AS p
    WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prokind = 'f' AND p.proargnames[1] IN ('ladder', 'a', 'shadow') AND p.proargtypes[0] = 'text'::regtype
        AND p.prolang <> (SELECT l.oid FROM pg_language AS l WHERE l.lanname = 'sql')) AS f
FULL JOIN skillrating_internal.ladder_entries() AS e ON e.function = f.name
WHERE f.name IS NULL OR e.function IS NULL;

-- Each opens it itself, some in C with a body that is no function of SQL, or its body has the same
-- arguments and result, but for those that share one of another name; text may be in the place of an
-- identifier of any type.
SELECT DISTINCT p.proname, p.prosrc
FROM pg_proc AS p JOIN skillrating_internal.ladder_entries() AS e ON e.function = p.proname
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prosrc <> 'skillrating_enter' AND e.lock IS NOT NULL AND p.proargnames[1] = 'ladder' ORDER BY 1;
SELECT p.oid::regprocedure AS without_body
FROM pg_proc AS p
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prosrc = 'skillrating_enter'
    AND NOT EXISTS (
        SELECT FROM pg_proc AS b
        WHERE b.pronamespace = 'skillrating_internal'::regnamespace AND b.proname = p.proname
            AND pg_get_function_arguments(p.oid) IN (pg_get_function_arguments(b.oid), replace(pg_get_function_arguments(b.oid), ' anyelement', ' text'))
            AND pg_get_function_result(b.oid) = pg_get_function_result(p.oid)
            AND b.provolatile = p.provolatile
            AND (b.proisstrict AND p.provolatile <> 'v' AND p.pronargs > 1 AND pg_get_function_arguments(b.oid) !~ ' DEFAULT NULL::') = p.proisstrict AND b.prorows = p.prorows)
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- The parts behind it do nothing by themselves, whoever calls them.  (Those in SQL, and
-- has_table(), read the catalogs only, and those of create_ladder() make tables as whoever calls them.)
SELECT skillrating.create_ladder('arena', 'elo') \gset
DO $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT p.oid::regprocedure AS signature, format('SELECT %s(%s)', p.oid::regproc,
            (SELECT string_agg(CASE WHEN n = 1 THEN '''arena''' WHEN t = 'text'::regtype THEN '''hive''' WHEN t = 'text[]'::regtype THEN 'ARRAY[''1'']' WHEN t IN ('anycompatible'::regtype, 'anyelement'::regtype) THEN '1::bigint'
                    WHEN t IN ('anyarray'::regtype, 'anycompatiblearray'::regtype) THEN 'ARRAY[1, 2]::bigint[]' WHEN t = 'integer[]'::regtype THEN 'ARRAY[1, 2]'
                    WHEN t = 'jsonb'::regtype THEN '''{}''' WHEN t = 'regclass'::regtype THEN '''arena.match''' WHEN t = 'regclass[]'::regtype THEN '''{arena.match}''' WHEN t = 'boolean'::regtype THEN 'true'
                    WHEN t = 'bigint[]'::regtype THEN 'ARRAY[1]::bigint[]' WHEN t IN ('bigint'::regtype, 'integer'::regtype, 'float8'::regtype) THEN '1' WHEN t = 'timestamptz'::regtype THEN 'now()'
                    WHEN t IN ('name'::regtype, 'xid8'::regtype, 'smallint'::regtype) THEN format('%L::%s', 1, t::regtype) WHEN t = 'name[]'::regtype THEN 'ARRAY[1]::name[]'
                    ELSE 'NULL::' || t::regtype END, ', ' ORDER BY n)
             FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(t, n) WHERE p.proisstrict AND 'pool' = ANY (p.proargnames) OR n <= p.pronargs - p.pronargdefaults)) AS call
        FROM pg_proc AS p
        WHERE p.pronamespace = 'skillrating_internal'::regnamespace AND p.proargnames[1] IN ('ladder', 'a') AND p.proname NOT LIKE 'create\_%' AND p.proname NOT IN ('new_tables', 'has_table')
            AND p.prolang <> (SELECT l.oid FROM pg_language AS l WHERE l.lanname = 'sql')
        ORDER BY 1
    LOOP
        BEGIN
            EXECUTE part.call;
            RAISE INFO '% can be called by itself', part.signature;
        EXCEPTION
            WHEN object_not_in_prerequisite_state THEN NULL;
            WHEN OTHERS THEN
                RAISE INFO '%: % %', part.call, SQLSTATE, SQLERRM;
        END;
    END LOOP;
END $$;

-- What a role is granted is enough, and no more than that is needed.
CREATE ROLE regress_other;
GRANT USAGE ON SCHEMA arena TO regress_other;
GRANT INSERT ON arena.match, arena.match_player TO regress_other;
GRANT SELECT ON arena.event TO regress_other;
SET ROLE regress_other;
SELECT count(*) FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
\set VERBOSITY terse
SELECT count(*) FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[2, 1]);
SELECT count(*) FROM skillrating.history('arena', 1);
SELECT count(*) FROM skillrating.season_table('arena', '');
SELECT count(*) FROM skillrating.leaderboard('arena');
RESET ROLE;
GRANT SELECT ON arena.rating TO regress_other;
GRANT UPDATE ON arena.match TO regress_other;
GRANT DELETE ON arena.match_player TO regress_other;
SET ROLE regress_other;
SELECT count(*) FROM skillrating.leaderboard('arena');
SELECT count(*) FROM skillrating.season_table('arena', '');
SELECT count(*) FROM skillrating.preview('arena', ARRAY[1, 2], ARRAY[1, 2]);
SELECT count(*) FROM skillrating.verify('arena');
SET client_min_messages = warning;
SELECT count(*) FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[2, 1]);
RESET client_min_messages;

-- Where policies decide which rows it sees, a function would show all of them.
RESET ROLE;
ALTER TABLE arena.rating ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON arena.rating USING (player_id = 1);
SET ROLE regress_other;
SELECT count(*) FROM skillrating.leaderboard('arena');
SELECT count(*) FROM arena.rating;
RESET ROLE;
SELECT count(*) FROM skillrating.leaderboard('arena');

-- Two ladders have one owner who works on both.
SELECT format('GRANT CREATE ON DATABASE %I TO regress_other', current_database()) \gexec
SET ROLE regress_other;
SELECT skillrating.create_ladder('others', 'elo') \gset
RESET ROLE;
SELECT matches FROM skillrating.compare_ladders('arena', 'others');
SELECT operation FROM skillrating.seed_from('others', 'arena');
SELECT operation FROM skillrating.seed_from('arena', 'arena');
SELECT skillrating.drop_ladder('others') \gset
SELECT skillrating.drop_ladder('arena') \gset
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_other', current_database()) \gexec
DROP ROLE regress_other;
