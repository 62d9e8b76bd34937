-- What a session keeps of ladders is freed when they are dropped, in transactions of their
-- own or within one, and after errors; and it keeps no more than so many.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE SCHEMA session_memory;
SET search_path = session_memory;

-- A source of the user, because PostgreSQL itself keeps the plans of dropped foreign keys.
CREATE TABLE result (match_id bigint, player_id bigint, team integer, rank integer, played_at timestamptz DEFAULT '2024-01-01');
CREATE VIEW results AS SELECT * FROM result;

CREATE PROCEDURE use_and_drop(n integer, at_once boolean, fail boolean)
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. n LOOP
        PERFORM skillrating.create_ladder('cycle', 'elo', source => 'results', apply_at => 'statement');
        PERFORM skillrating.attach('cycle', 'result');
        DELETE FROM result;
        INSERT INTO result VALUES (i, 1, 1, 1), (i, 2, 2, 2);
        PERFORM * FROM skillrating.catch_up('cycle');
        BEGIN
            PERFORM * FROM skillrating.preview('cycle', ARRAY[1, 2], ARRAY[1, CASE WHEN fail THEN 1 ELSE 2 END]);
        EXCEPTION WHEN invalid_parameter_value THEN
            NULL;
        END;
        PERFORM skillrating.drop_ladder('cycle');
        IF NOT at_once THEN
            COMMIT;
        END IF;
    END LOOP;
END
$$;

-- Ladders, plans and what belongs to them; and all memory by its contexts' names.  A plan loses its
-- queries and its generic plan whenever autovacuum says that a table has changed, and gets them again.
CREATE TABLE memory (step text PRIMARY KEY, ladders bigint, plans bigint, plan_bytes bigint);
CREATE TABLE context (step text, name text, bytes bigint, PRIMARY KEY (step, name));
CREATE PROCEDURE look(step text)
LANGUAGE sql AS $$
INSERT INTO memory
SELECT step, count(*) FILTER (WHERE name = 'skillrating ladder'),
    count(*) FILTER (WHERE name IN ('SPI Plan', 'CachedPlanSource')),
    sum(total_bytes) FILTER (WHERE name IN ('SPI Plan', 'CachedPlan', 'CachedPlanSource', 'CachedPlanQuery'))
FROM pg_backend_memory_contexts;
INSERT INTO context
SELECT step, coalesce(name, ''), sum(total_bytes)
FROM pg_backend_memory_contexts
-- The server's own caches, which grow with every name they meet, take blocks that double in size, and
-- parts of the cache of relations come and go; one without a checkpointer has the files to be synced
-- in memory.
WHERE name NOT IN ('CacheMemoryContext', 'relation rules', 'index info', 'Pending Ops Table', 'Pending ops context')
GROUP BY name
$$;
\set ECHO all

-- All plans of the functions that the cycles need, and of what looks.
CALL look('warm');
CALL use_and_drop(10, false, false);
CALL use_and_drop(2, false, true);
BEGIN;
CALL use_and_drop(2, true, true);
COMMIT;

CALL look('begin');
CALL use_and_drop(20, false, false);
CALL look('transactions');
CALL use_and_drop(8, false, true);
CALL look('errors');
CALL use_and_drop(8, false, true);
CALL look('errors again');
BEGIN;
CALL use_and_drop(5, true, true);
CALL look('within one, a few');
CALL use_and_drop(10, true, true);
CALL look('within one, more');
COMMIT;
CALL look('end');

SELECT m.step, m.ladders, m.plans - b.plans <= 0 AS plans_stay, m.plan_bytes - b.plan_bytes < 200000 AS bytes_stay
FROM memory AS m, memory AS b
WHERE b.step = 'begin' AND m.step IN ('transactions', 'errors', 'end')
ORDER BY m.step;
-- Tables of PostgreSQL itself, which grow with the names and sequences that it has met, double in size now
-- and then; what leaks grows in every round.
SELECT e.name AS grows, e.bytes - b.bytes AS first, a.bytes - e.bytes AS second
FROM context AS b JOIN context AS e USING (name) JOIN context AS a USING (name)
WHERE b.step = 'transactions' AND e.step = 'errors' AND a.step = 'errors again'
    AND least(e.bytes - b.bytes, a.bytes - e.bytes) > 50000;
SELECT more.ladders, more.plans - few.plans <= 0 AS plans_stay, more.plan_bytes - few.plan_bytes < 200000 AS bytes_stay
FROM memory AS few, memory AS more
WHERE few.step = 'within one, a few' AND more.step = 'within one, more';

-- Of more ladders than it keeps, the session keeps those that it has opened last.
\set ECHO none
CREATE PROCEDURE open_all(n integer)
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. n LOOP
        PERFORM * FROM skillrating.preview('many_' || i, ARRAY[1, 2], ARRAY[1, 2]);
    END LOOP;
END
$$;
DO $$
BEGIN
    FOR i IN 1 .. 68 LOOP
        PERFORM skillrating.create_ladder('many_' || i, 'elo', source => 'results');
        COMMIT;
    END LOOP;
END
$$;
\set ECHO all
CALL open_all(68);
CALL look('many');
-- Plans of one round differ a little in size from those of the next on some versions.
CALL open_all(68);
CALL open_all(68);
CALL look('many again');
SELECT ladders FROM memory WHERE step = 'many';
SELECT n.ladders, n.plans - m.plans <= 0 AS plans_stay, n.plan_bytes - m.plan_bytes < 200000 AS bytes_stay
FROM memory AS m, memory AS n
WHERE m.step = 'many' AND n.step = 'many again';

\set ECHO none
DO $$
BEGIN
    FOR i IN 1 .. 68 LOOP
        PERFORM skillrating.drop_ladder('many_' || i);
        COMMIT;
    END LOOP;
END
$$;
\set ECHO all
CALL look('none');
SELECT ladders FROM memory WHERE step = 'none';
DROP SCHEMA session_memory CASCADE;
