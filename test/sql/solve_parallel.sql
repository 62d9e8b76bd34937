-- solve(), solve_summary() and solve_components() in parallel workers: the bits of one process, whoever reads which row.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA regress_solve_parallel;
SET search_path = regress_solve_parallel;
SET timezone = 'UTC';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE played AS
SELECT m AS match_id, '2024-01-01'::timestamptz + m * interval '5 hours' AS played_at, (m * 7919 + p * 811) % 200 AS player_id, 1 + p % 2 AS team,
    CASE WHEN m % 17 = 0 THEN 1 WHEN (p % 2 = 1) = (hashint8(m) % 100 > (m * 7919) % 60 - 30) THEN 1 ELSE 2 END AS rank,
    CASE WHEN p = 3 THEN 0.5 END AS weight, CASE WHEN m % 3 > 0 THEN 'map ' || m % 5 END AS context, CASE WHEN m % 2 = 0 THEN 1 + p % 2 END AS side,
    CASE WHEN p < 2 AND m % 4 = 0 THEN 0.25 END AS commanding, CASE WHEN m % 7 = 0 THEN 0.3 END AS log_odds
FROM generate_series(1::bigint, 700) AS m, generate_series(0, 3) AS p;
\set ECHO all
-- What does not count: one team, two ranks in a team, who is a whole team, a weight that is none, nulls.
INSERT INTO played (match_id, played_at, player_id, team, rank)
SELECT 1000000 + m, '2024-01-01', m, 1, 1 FROM generate_series(1, 3) AS m UNION ALL VALUES (1000004, '2024-01-01', NULL, 1, 1), (1000004, '2024-01-01', 1, 2, 2);
UPDATE played SET rank = player_id % 3 + 1 WHERE match_id = 77;
UPDATE played SET weight = -1 WHERE match_id = 78;
UPDATE played SET team = NULL WHERE match_id = 79 AND team = 1;
-- In the order of matches, in none, and with the rows of a match as far apart as can be; and in partitions that have a team each.
\set ECHO none
CREATE TABLE ascending AS SELECT * FROM played ORDER BY match_id;
CREATE TABLE shuffled AS SELECT * FROM played ORDER BY hashint8(match_id * 1000 + coalesce(player_id, 0)), team;
CREATE TABLE apart AS SELECT * FROM played ORDER BY team, match_id DESC;
CREATE TABLE parts (LIKE played) PARTITION BY LIST (team);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF parts DEFAULT;
INSERT INTO parts TABLE shuffled;
ANALYZE ascending, shuffled, apart, parts;

-- What a query finds under some settings, and whether its plan has partial aggregates.
CREATE FUNCTION found(query text, workers integer, leader boolean DEFAULT true, partitionwise boolean DEFAULT false, work_mem text DEFAULT '4MB', OUT partial boolean, OUT hash text) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', workers::text, true), set_config('parallel_leader_participation', leader::text, true),
        set_config('enable_partitionwise_aggregate', partitionwise::text, true), set_config('work_mem', found.work_mem, true);
    partial := false;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        partial := partial OR line LIKE '%Partial %Aggregate%';
    END LOOP;
    EXECUTE format('SELECT md5(string_agg(q::text, E''\n'' ORDER BY q::text)) FROM (%s) AS q', query) INTO hash;
EXCEPTION WHEN OTHERS THEN
    hash := SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE TABLE way (n integer, workers integer, leader boolean, partitionwise boolean, work_mem text);
INSERT INTO way VALUES (1, 0, true, false, '4MB'), (2, 1, true, false, '4MB'), (3, 2, true, false, '64kB'), (4, 2, false, false, '4MB'),
    (5, 0, true, true, '4MB'), (6, 2, true, true, '64kB');
\set ECHO all

-- Workers come.
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT skillrating.solve('hive', match_id, player_id, team, rank) FROM ascending;
\set ECHO none
CREATE FUNCTION launched(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        IF line LIKE '%Launched%' THEN
            RETURN trim(line);
        END IF;
    END LOOP;
END
$$;
\set ECHO all
SELECT launched('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FROM ascending');

-- Every solver that takes rows in any order, with and without what it supports, and all aggregates of a state together.
\set ECHO none
CREATE TABLE query AS
SELECT s.name AS solver, i.name AS given, format($$SELECT skillrating.solve(%1$L, match_id, player_id, team, rank, %2$s, %3$L), skillrating.solve_summary(%1$L, match_id, player_id, team, rank, %2$s, %3$L),
        skillrating.solve_components(%1$L, match_id, player_id, team, rank, %2$s, %3$L) FROM %%s$$, s.name, i.inputs, p.params) AS query
FROM skillrating.solvers() AS s,
    LATERAL (VALUES ('times alone', 'skillrating.inputs(played_at => played_at)'),
        ('everything', format('skillrating.inputs(played_at => played_at, weight => weight, side => side, log_odds => log_odds, commanding => commanding, %s)',
            CASE WHEN s.supports @> '{context}' THEN 'context => context' ELSE 'player_gain => 0.9' END))) AS i (name, inputs),
    LATERAL (VALUES (CASE s.name WHEN 'hive' THEN '{"offset_deviation": 0.3, "command": true}' WHEN 'bradley_terry' THEN '{"draws": "davidson", "exact_for": ["7"]}' ELSE '{}' END)) AS p (params);
CREATE TABLE result AS
SELECT q.solver, q.given, t.source, w.n, f.* FROM query AS q CROSS JOIN unnest(ARRAY['ascending', 'apart', 'parts']) AS t (source)
    CROSS JOIN way AS w, LATERAL found(format(q.query, t.source), w.workers, w.leader, w.partitionwise, w.work_mem) AS f;
\set ECHO all
SELECT solver, given, count(*), count(DISTINCT hash) AS results, min(hash) FILTER (WHERE hash LIKE '_____ %') AS error,
    bool_and(partial = (n NOT IN (1, 5) OR n = 5 AND source = 'parts')) AS parallel
FROM result GROUP BY 1, 2 ORDER BY 1, 2;
-- Rows that ascend by match for longer than work_mem, and then do not.
CREATE TABLE late AS SELECT * FROM played ORDER BY match_id = 1, match_id;
SELECT q.solver, q.given, f.hash = r.hash AS same
FROM query AS q JOIN result AS r ON r.solver = q.solver AND r.given = q.given AND r.source = 'ascending' AND r.n = 1,
    LATERAL found(format(q.query, 'late'), 0, work_mem => '64kB') AS f WHERE r.hash NOT LIKE '_____ %' ORDER BY 1, 2;
-- With an order, as all solvers take it, nothing is partial, and rows that may come in any order give the same bits.
SELECT q.solver, q.given, bool_or(f.partial) AS parallel, count(DISTINCT f.hash) AS results, min(f.hash) FILTER (WHERE f.hash LIKE '_____ %') AS error,
    count(*) FILTER (WHERE r.hash <> f.hash AND q.solver <> 'through_time') AS differ
FROM query AS q CROSS JOIN unnest(ARRAY[0, 2]) AS w (workers) CROSS JOIN unnest(ARRAY['ascending', 'apart']) AS t (source)
    JOIN result AS r ON r.solver = q.solver AND r.given = q.given AND r.source = 'ascending' AND r.n = 1,
    LATERAL found(format(regexp_replace(q.query, '(\{[^()]*\}'')\)', '\1 ORDER BY match_id)', 'g'), t.source), w.workers) AS f
GROUP BY 1, 2 ORDER BY 1, 2;

-- The other forms, groups, FILTER, DISTINCT and identifiers of all kinds.
\set ECHO none
CREATE TYPE pair AS (a integer, b text);
CREATE TABLE form (n serial, query text);
INSERT INTO form (query) VALUES
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank), skillrating.solve_summary(''hive'', match_id, player_id, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank, NULL, NULL) FROM %s'),
    ('SELECT skillrating.solve_summary(''hive'', match_id, player_id, team, rank, NULL, ''{"prior_shape": 2}'') FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank, NULL, NULL) FROM %s'),
    ('SELECT skillrating.solve_components(''hive'', match_id, player_id, team, rank, NULL, NULL) FROM %s'),
    ('SELECT match_id %% 7, count(*), skillrating.solve(''plackett_luce'', match_id, player_id, team, rank) FROM %s GROUP BY 1'),
    ('SELECT match_id, skillrating.solve(''plackett_luce'', match_id, player_id, team, rank) FROM %s WHERE match_id < 200 GROUP BY 1'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FILTER (WHERE match_id %% 2 = 0), skillrating.solve(''hive'', match_id, player_id, team, rank) FILTER (WHERE match_id %% 2 = 1) FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FROM %s WHERE match_id %% 100000 = 99999'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FROM %s WHERE match_id + 0 = 5'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FROM %s WHERE match_id * 1000 + player_id = 5195'),
    ('SELECT skillrating.solve(''hive'', match_id::text, ''player '' || player_id, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''hive'', md5(match_id::text)::uuid, player_id::numeric, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''hive'', repeat(match_id::text, 3000), player_id, team, rank) FROM %s WHERE match_id < 100'),
    ('SELECT skillrating.solve(''hive'', match_id::numeric, ROW(player_id, ''x'' || player_id)::pair, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id::smallint, player_id::float4, team, rank, skillrating.inputs(weight => weight), NULL) FROM %s WHERE match_id < 1000');
CREATE TABLE form_result AS
SELECT q.n, t.source, w.n AS way, f.* FROM form AS q CROSS JOIN unnest(ARRAY['shuffled', 'parts']) AS t (source)
    CROSS JOIN way AS w, LATERAL found(format(q.query, t.source), w.workers, w.leader, w.partitionwise, w.work_mem) AS f;
\set ECHO all
-- PostgreSQL 18 rates groups of one match each (7) by one process.
SELECT string_agg(n::text, ' ' ORDER BY n), count, results, error, parallel FROM (
SELECT n, count(*), count(DISTINCT hash) AS results, min(hash) FILTER (WHERE hash LIKE '_____ %') AS error, bool_or(partial) OR n = 7 AS parallel FROM form_result GROUP BY 1
) AS q GROUP BY count, results, error, parallel ORDER BY 1;
-- FILTER is WHERE, DISTINCT leaves rows out that are there twice, and neither DISTINCT nor an order is partial.
SELECT name, f.partial, f.hash = g.hash AS same FROM (VALUES
    ('filter', 'SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FILTER (WHERE match_id % 2 = 0) FROM shuffled', 'SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FROM shuffled WHERE match_id % 2 = 0'),
    ('distinct', 'SELECT skillrating.solve(DISTINCT ''hive'', match_id, player_id, team, rank) FROM (TABLE shuffled UNION ALL TABLE ascending) AS u', 'SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FROM ascending'),
    ('order', 'SELECT skillrating.solve(''hive'', match_id, player_id, team, rank ORDER BY match_id) FROM shuffled', 'SELECT skillrating.solve(''hive'', match_id, player_id, team, rank) FROM ascending')) AS v (name, one, other),
    LATERAL found(one, 2) AS f, LATERAL found(other, 0) AS g;
\set VERBOSITY terse
SELECT skillrating.solve('hive', match_id, player_id, team, rank) OVER () FROM ascending;

-- Mistakes and errors are those of one process.
\set ECHO none
CREATE TABLE mistake (n serial, query text);
INSERT INTO mistake (query) VALUES
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank, NULL, ''{"strict_rows": true}'') FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank, NULL, ''{"strict_rows": true}'') FROM %s WHERE match_id BETWEEN 80 AND 700'),
    ('SELECT skillrating.solve(''nobody'', match_id, player_id, team, rank) FROM %s'),
    ('SELECT skillrating.solve(NULL, match_id, player_id, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank, NULL, ''{"nothing": 1}'') FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank, NULL, ''{"exact_for": ["nobody"]}'') FROM %s'),
    ('SELECT skillrating.solve(''hive'', nullif(match_id, 500), player_id, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''through_time'', match_id, player_id, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''whole_history'', match_id, player_id, team, rank) FROM %s'),
    ('SELECT skillrating.solve(''hive'', match_id, player_id, team, rank, skillrating.inputs(played_at => CASE WHEN team = 1 THEN played_at END, period => CASE WHEN team = 1 THEN NULL ELSE 7 END), NULL) FROM %s');
\set ECHO all
SELECT n, count(DISTINCT hash) AS errors, coalesce(min(hash) FILTER (WHERE hash LIKE '_____ %'), 'none') AS error FROM (SELECT q.n, f.hash FROM mistake AS q CROSS JOIN unnest(ARRAY['shuffled', 'parts']) AS source
    CROSS JOIN way AS w, LATERAL found(format(q.query, source), w.workers, w.leader, w.partitionwise, w.work_mem) AS f) AS r GROUP BY 1 ORDER BY 1;
-- Each partial aggregate reads the options from a first row of its own: they must be the same there, too.
SELECT name, f.* FROM (VALUES ('solver', 'CASE WHEN team = 1 THEN ''hive'' ELSE ''bradley_terry'' END', '''{}'''), ('params', '''hive''', 'CASE WHEN team = 1 THEN ''{}'' ELSE ''{"prior_shape": 2}'' END'),
        ('null', '''hive''', 'CASE WHEN team = 1 THEN ''{}'' END'), ('strict', '''hive''', 'jsonb_build_object(''strict_rows'', coalesce(team = 1, false))')) AS v (name, solver, options),
    LATERAL found(format('SELECT skillrating.solve(%s, match_id, player_id, team, rank, NULL, (%s)::jsonb) FROM parts', solver, options), 0, true, true) AS f;

-- Nobody else can call the functions of a state.
SELECT skillrating_internal.solve_deserial('\x00', NULL);
SELECT skillrating_internal.solve_combine(NULL, NULL);

DROP SCHEMA regress_solve_parallel CASCADE;
