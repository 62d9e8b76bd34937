-- Rows in any order: taken as they come while they ascend by match, and sorted from the first one that does not.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA regress_solve_rows;
SET search_path = regress_solve_rows;
SET timezone = 'UTC';

CREATE TABLE played AS
SELECT m AS match_id, (m * 7919 + p * 811) % 300 AS player_id, 1 + p % 2 AS team,
    CASE WHEN (p % 2 = 1) = (hashint8(m) % 100 > (m * 7919) % 60 - 30) THEN 1 ELSE 2 END AS rank,
    CASE WHEN p = 3 THEN 0.5 END AS weight, 'map ' || m % 5 AS context
FROM generate_series(1::bigint, 3000) AS m, generate_series(0, 5) AS p;
-- Matches that do not count: of one team, of two ranks in a team; and one in which somebody is
-- a whole team, which counts where a row says that it is a share.
INSERT INTO played SELECT 1000000 + m, m, 1, 1 FROM generate_series(1, 3) AS m;
\set ECHO all
UPDATE played SET rank = player_id % 3 + 1 WHERE match_id = 77;
UPDATE played SET player_id = 5 WHERE match_id = 78 AND player_id % 2 = 0;

-- The result of all rows in the order of a number, and where the first row is that does not ascend.
\set ECHO none
CREATE TABLE way (way text, n bigint, match_id bigint, player_id bigint, team integer, rank float8, weight float8, context text);
INSERT INTO way
SELECT w.way, row_number() OVER (PARTITION BY w.way ORDER BY w.place, match_id, hashint8(player_id), played.ctid), played.*
FROM played, LATERAL (VALUES ('ascending', match_id), ('descending', -match_id), ('shuffled', hashint8(match_id * 100 + player_id)),
    ('two runs', CASE WHEN match_id > 2000 THEN 0 ELSE 1 END),
    ('a split match', CASE WHEN match_id = 1500 AND team = 1 THEN 1 ELSE 0 END),
    ('the last row first', CASE WHEN match_id = 1000003 THEN 0 ELSE 1 END),
    ('the first row last', CASE WHEN match_id = 1 AND team = 2 THEN 1 ELSE 0 END)) AS w (way, place);
\set ECHO all
SELECT way, min(n) FILTER (WHERE match_id < before) AS first_that_does_not_ascend
FROM (SELECT *, lag(match_id) OVER (PARTITION BY way ORDER BY n) AS before FROM way) AS q GROUP BY 1 ORDER BY 1;

\set ECHO none
CREATE FUNCTION results(work_mem text) RETURNS TABLE (solver text, way text, estimates integer, hash bigint, matches bigint, unrated bigint)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('work_mem', results.work_mem, true);
    RETURN QUERY
    SELECT 'hive', w.way, cardinality(s), hashtextextended(s::text, 0), (t).matches, (t).unrated FROM
        (SELECT r.way, skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{}') AS s, skillrating.solve_summary('hive', match_id, player_id, team, rank, NULL, '{}') AS t
         FROM (SELECT * FROM way ORDER BY way.way, way.n) AS r GROUP BY r.way) AS w
    UNION ALL
    SELECT 'texts', w.way, cardinality(s), hashtextextended(s::text, 0), (t).matches, (t).unrated FROM
        (SELECT r.way, skillrating.solve('bradley_terry', lpad(match_id::text, 9, '0'), 'player ' || player_id, team, rank, skillrating.inputs(weight => weight, context => context), '{}') AS s,
            skillrating.solve_summary('bradley_terry', lpad(match_id::text, 9, '0'), 'player ' || player_id, team, rank, skillrating.inputs(weight => weight, context => context), '{}') AS t
         FROM (SELECT * FROM way ORDER BY way.way, way.n) AS r GROUP BY r.way) AS w
    UNION ALL
    SELECT 'ordered', w.way, cardinality(s), hashtextextended(s::text, 0), (t).matches, (t).unrated FROM
        (SELECT r.way, skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{}' ORDER BY match_id) AS s, skillrating.solve_summary('hive', match_id, player_id, team, rank, NULL, '{}' ORDER BY match_id) AS t
         FROM way AS r GROUP BY r.way) AS w;
END
$$;
\set ECHO all

-- All ways give the same bits, also those of rows that ORDER BY sorts, in memory and by files.
CREATE TABLE result AS
SELECT 'memory' AS place, * FROM results('64MB') UNION ALL SELECT 'files', * FROM results('64kB');
SELECT solver IN ('hive', 'ordered') AS hive, count(*), count(DISTINCT way) AS ways, count(DISTINCT hash) AS hashes, min(estimates) AS estimates,
    min(matches) AS matches, min(unrated) AS unrated, bool_and((matches, unrated) = (3003 - 4 - (solver <> 'texts')::integer, 4 + (solver <> 'texts')::integer)) AS counted
FROM result GROUP BY 1 ORDER BY 1;

-- So do more matches than are turned into rows together, of which only late ones have contexts and a player who
-- counts less: rows that have an order, and rows of which the last one has them sorted.
CREATE TABLE long AS
SELECT m AS match_id, (m * 7919 + p * 811) % 300 AS player_id, 1 + p % 2 AS team, 1 + (p + hashint8(m) & 1) AS rank,
    CASE WHEN p = 3 AND m > 5000 THEN 0.5 END AS weight, CASE WHEN m > 4800 THEN 'map ' || m / 700 END AS context
FROM generate_series(1::bigint, 9000) AS m, generate_series(0, 5) AS p;
SELECT solver, (t).matches, (t).players, (t).observations, (t).converged, cardinality((t).contexts) AS contexts, (t).log_posterior = (late).log_posterior AND s = late_s AS same_bits
FROM (SELECT solver, skillrating.solve_summary(solver, match_id, player_id, team, rank, skillrating.inputs(weight => weight, context => context), '{}' ORDER BY match_id) AS t,
        skillrating.solve(solver, match_id, player_id, team, rank, skillrating.inputs(weight => weight, context => context), '{}' ORDER BY match_id) AS s
      FROM long, unnest(ARRAY['bradley_terry', 'hive', 'plackett_luce']) AS solver GROUP BY solver) AS ordered
JOIN (SELECT solver, skillrating.solve_summary(solver, match_id, player_id, team, rank, skillrating.inputs(weight => weight, context => context), '{}') AS late,
        skillrating.solve(solver, match_id, player_id, team, rank, skillrating.inputs(weight => weight, context => context), '{}') AS late_s
      FROM (SELECT * FROM long ORDER BY match_id = 1 AND player_id % 2 = 0, match_id) AS l, unnest(ARRAY['bradley_terry', 'hive', 'plackett_luce']) AS solver
      GROUP BY solver) AS late USING (solver) ORDER BY 1;

-- A mistake is an error where strict, also then not one of a match of which some rows are still to come.
\set ECHO none
CREATE FUNCTION message(strict boolean, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    context text;
    matches bigint;
BEGIN
    EXECUTE format('SELECT (skillrating.solve_summary(''hive'', match_id, player_id, team, rank, skillrating.inputs(weight => weight), %L)).matches FROM (%s) AS q', jsonb_build_object('strict_rows', strict), source)
    INTO matches;
    RETURN matches || ' matches';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, context = PG_EXCEPTION_CONTEXT;
    RETURN message || coalesce('; ' || (regexp_match(context, '^match [^\n]*'))[1], '');
END
$$;
\set ECHO all
SELECT w, strict, message(strict, format('SELECT * FROM way WHERE way = %L AND match_id NOT BETWEEN 1 AND 70 ORDER BY n', w))
FROM unnest(ARRAY['ascending', 'descending', 'shuffled']) AS w, unnest(ARRAY[true, false]) AS strict ORDER BY 2, 1;
-- A team whose first rows have not played: a mistake only without the rest.
SELECT strict, message(strict, $$SELECT * FROM (VALUES (1::bigint, 1::bigint, 1, 1::float8, 0::float8), (1, 2, 2, 2, 1), (2, 1, 1, 1, 1), (2, 2, 2, 2, 1), (1, 3, 1, 1, 1)) AS v (match_id, player_id, team, rank, weight)$$)
FROM unnest(ARRAY[true, false]) AS strict ORDER BY 1;
SELECT message(false, 'SELECT * FROM (SELECT match_id, player_id, team, rank, weight FROM played UNION ALL SELECT NULL, 1, 1, 1, 1) AS u');

\set VERBOSITY terse
DROP SCHEMA regress_solve_rows CASCADE;
