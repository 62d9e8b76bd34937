-- The owner of a ladder can alter its tables.  A value that C took for one of another
-- type would be an address: every column that has another type, may be null or is gone
-- is an error, or of no account.
\pset format unaligned
\pset tuples_only on
SELECT skillrating.create_ladder('shape', 'trueskill', player_type => 'bigint', late => 'reorder') \gset
SELECT count(*) FROM skillrating.report_match('shape', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], '2024-01-01');
SELECT players FROM skillrating.set_rating('shape', 1, '{"mu": 30}', at => '2024-01-02');
SELECT skillrating.void_match('shape', 1) \gset

\set ECHO none
CREATE FUNCTION use_shape() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM * FROM skillrating.preview('shape', ARRAY[1, 2], ARRAY[1, 2]);
    PERFORM * FROM skillrating.verify('shape');
    PERFORM * FROM skillrating.catch_up('shape', rebuild => true);
    PERFORM * FROM skillrating.report_match('shape', 2, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], '2024-01-03');
    PERFORM skillrating.new_season('shape', 'spring', at => '2024-01-04');
END
$$;

-- What comes of a change of the ladder; nothing of it stays.
CREATE FUNCTION try_shape(change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE change;
    BEGIN
        PERFORM use_shape();
    EXCEPTION WHEN OTHERS THEN
        RAISE EXCEPTION USING ERRCODE = 'XX999', MESSAGE = SQLSTATE;
    END;
    RAISE EXCEPTION USING ERRCODE = 'XX999', MESSAGE = 'none';
EXCEPTION
    WHEN SQLSTATE 'XX999' THEN
        RETURN SQLERRM;
    WHEN OTHERS THEN
        RETURN 'cannot be changed';
END
$$;
\set ECHO all

-- Views over a column keep it as it is.
\set ECHO none
DROP VIEW shape.leaderboard, shape.history, shape.components;
SET client_min_messages = warning;
CREATE TEMPORARY TABLE attempt AS
SELECT c.relname, a.attname, a.attnotnull, way, try_shape(format('SET LOCAL session_replication_role = replica; ALTER TABLE shape.%I %s', c.relname,
    CASE way
        WHEN 'nullable' THEN format('ALTER %I DROP NOT NULL', a.attname)
        WHEN 'drop' THEN format('DROP %I CASCADE', a.attname)
        ELSE format('ALTER %1$I DROP DEFAULT, ALTER %1$I TYPE %2$s USING CAST(1 AS %2$s)', a.attname,
            CASE a.atttypid WHEN 'bool'::regtype THEN 'bigint' ELSE 'boolean' END) END)) AS outcome
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
CROSS JOIN unnest('{retype,nullable,drop}'::text[]) AS way
WHERE c.relnamespace = 'shape'::regnamespace AND c.relname IN ('ladder', 'rating', 'event', 'rated_match', 'pending', 'correction', 'operation', 'attached');
\set ECHO all
RESET client_min_messages;

-- Every error is one of those that say what is wrong: with the type, with null, or a column that is missing.
SELECT DISTINCT outcome FROM attempt WHERE outcome NOT IN ('none', 'cannot be changed') ORDER BY outcome;
SELECT relname, attname, way, outcome FROM attempt WHERE outcome LIKE 'XX%' ORDER BY 1, 2, 3;
-- Most columns are needed, and they are what they were.
SELECT relname, count(DISTINCT attname) FILTER (WHERE outcome = '42804') AS other_type, count(DISTINCT attname) FILTER (WHERE outcome = '55000') AS null_allowed,
    count(DISTINCT attname) FILTER (WHERE outcome = '42703') AS missing
FROM attempt GROUP BY relname ORDER BY relname;
\set VERBOSITY terse
SELECT try_shape('SELECT 1');

-- A message says what it should be.
ALTER TABLE shape.rated_match ALTER void_reason TYPE bigint USING 1;
SELECT * FROM skillrating.catch_up('shape');
ALTER TABLE shape.rated_match ALTER void_reason TYPE text USING 'void';
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('shape');
SELECT bool_and(ok) FROM skillrating.verify('shape');

-- An operation's number is not given again in a ladder that takes the place.
SELECT skillrating.create_ladder('first', 'elo') \gset
SELECT count(*) FROM skillrating.report_match('first', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], '2024-01-01');
SELECT operation FROM skillrating.set_rating('first', 1, '{"rating": 1800}', at => '2024-01-02') \gset
SET client_min_messages = error;
SELECT matches FROM skillrating.shadow_ladder('first', 'second', 'glicko2');
SELECT skillrating.promote_ladder('second', 'former');
ALTER SCHEMA former RENAME TO second;
RESET client_min_messages;
SELECT operation > :operation AS another FROM skillrating.new_season('first', 'spring', at => '2024-01-03');

SELECT count(skillrating.drop_ladder(l)) FROM unnest('{shape,second,first}'::text[]) AS l;
DROP FUNCTION use_shape, try_shape;
