-- Results of many rows: expanded arrays, which unnest() reads row by row, and which are the same when flat.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA regress_large_results;
SET search_path = regress_large_results;
SET extra_float_digits = 1;
SET timezone = 'UTC';

-- Some 20000 players, whose ratings take more than the megabyte up to which arrays are flat.
CREATE TABLE played AS
SELECT m AS match_id, CASE p WHEN 1 THEN m % 10007 ELSE 10007 + m % 9973 END AS player_id, p AS team,
    CASE WHEN (p = 1) = (m % 7 < 3) THEN 1 ELSE 2 END AS rank, '2020-01-01'::timestamptz + m * interval '1 hour' AS played_at
FROM generate_series(1, 12000) AS m, generate_series(1, 2) AS p;

CREATE VIEW final AS
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), NULL ORDER BY match_id) AS rows FROM played;
CREATE VIEW solved AS
SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, '{}') AS rows,
    skillrating.solve('through_time', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{}' ORDER BY match_id) AS tt
FROM played;
\set ECHO all

-- Read in the select list, beside the aggregate, and flat: by a table, and by a scalar subquery.
CREATE TABLE flat AS SELECT rows FROM final;
SELECT cardinality(rows), array_ndims(rows), array_lower(rows, 1), pg_column_size(rows) > 1024 * 1024 AS large FROM final;
CREATE TABLE listed AS SELECT n, (r).* FROM (SELECT generate_series(1, cardinality(rows)) AS n, unnest(rows) AS r FROM final) AS q;
CREATE TABLE beside AS SELECT r.ordinality AS n, r.player_id, r.rating, r.state, r.last_played FROM final, unnest(rows) WITH ORDINALITY AS r;
CREATE TABLE subquery AS SELECT * FROM unnest((SELECT rows FROM final)) WITH ORDINALITY;
SELECT count(*) AS rows, count(DISTINCT l.player_id) AS players,
    bool_and((l.rating, l.state, l.last_played) = (b.rating, b.state, b.last_played) AND
        (s.rating, s.mu, s.games, s.wins, s.state, s.as_of) = (l.rating, l.mu, l.games, l.wins, l.state, l.as_of) AND
        (f.rating, f.games, f.losses, f.state) = (l.rating, l.games, l.losses, l.state)) AS same
FROM listed AS l JOIN beside AS b USING (n, player_id) JOIN subquery AS s ON (s.ordinality, s.player_id) = (l.n, l.player_id)
JOIN (SELECT * FROM flat, unnest(rows) WITH ORDINALITY) AS f ON (f.ordinality, f.player_id) = (l.n, l.player_id);
-- They are what rate() says at the end, and in order.
SELECT count(*) AS players, bool_and(r.rating = l.rating) AS same FROM
    (SELECT DISTINCT ON (player_id) player_id, (rated).rating_after AS rating
     FROM (SELECT *, skillrating.rate('elo', player_id, team, rank, played_at => played_at) OVER (ORDER BY match_id) AS rated FROM played) AS q
     ORDER BY player_id, match_id DESC) AS r
JOIN listed AS l ON l.player_id = r.player_id::text;
SELECT count(*) FILTER (WHERE later.rating > l.rating) AS misplaced FROM listed AS l JOIN listed AS later ON later.n = l.n + 1;

-- Elements, slices, and going on from it, which need the array as a whole.
SELECT rows[1] = (SELECT rows[1] FROM flat) AS first, rows[cardinality(rows)] = (SELECT rows[cardinality(rows)] FROM flat) AS last,
    rows[0] IS NULL AS none, cardinality(rows[2:5]) AS slice, rows = (SELECT rows FROM flat) AS all,
    cardinality(rows || rows) = 2 * cardinality(rows) AS twice
FROM final;
\set ECHO none
DO $$
DECLARE
    rows skillrating.final_rating[] := (SELECT f.rows FROM final AS f);
    n integer := cardinality(rows);
BEGIN
    rows[1] := rows[2];
    ASSERT rows[1] = rows[2] AND cardinality(rows) = n;
END
$$;
\set ECHO all
SELECT cardinality(skillrating.final_ratings('elo', match_id, player_id, team, rank, skillrating.inputs(), '{}', rows, NULL ORDER BY match_id)) = max(cardinality(rows)) AS went_on
FROM (SELECT * FROM played ORDER BY match_id LIMIT 4) AS p, flat GROUP BY rows;

-- Groups, of which each has its own.
SELECT parity, count(*) AS rows, count(DISTINCT player_id) AS players FROM
    (SELECT match_id % 2 AS parity, skillrating.final_ratings('elo', match_id, player_id, team, rank ORDER BY match_id) AS rows FROM played GROUP BY 1) AS q,
    unnest(rows) AS r GROUP BY 1 ORDER BY 1;

-- solve(), with one row for a player, and with one for each day.
CREATE TABLE solved_flat AS SELECT * FROM solved;
SELECT (SELECT count(*) FROM solved, unnest(rows)) AS players, (SELECT count(*) FROM solved, unnest(tt)) AS times,
    (SELECT count(*) FROM solved_flat, unnest(rows) AS e WHERE e.mu IS NULL) AS without_mu;
SELECT bool_and(a = b) AS same, count(*) FROM
    (SELECT row_number() OVER () AS n, a FROM (SELECT unnest(rows) AS a FROM solved) AS q) AS x FULL JOIN
    (SELECT row_number() OVER () AS n, b FROM (SELECT unnest(rows) AS b FROM solved_flat) AS q) AS y USING (n);
SELECT bool_and(a = b) AS same, count(*) FROM
    (SELECT row_number() OVER () AS n, a FROM (SELECT unnest(tt) AS a FROM solved) AS q) AS x FULL JOIN
    (SELECT row_number() OVER () AS n, b FROM (SELECT unnest(tt) AS b FROM solved_flat) AS q) AS y USING (n);

-- Solutions that a ladder keeps are rows all the way, in temporary files where they are many, and the next search
-- reads them from there.
SET work_mem = '64kB';
SELECT skillrating.create_ladder('regress_large_ladder', 'elo') \gset
INSERT INTO regress_large_ladder.match (match_id, played_at) SELECT DISTINCT match_id, played_at FROM played;
INSERT INTO regress_large_ladder.match_player (match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM played;
SELECT (skillrating.solve_ladder('regress_large_ladder')).iterations > 2 AS searched, (skillrating.solve_ladder('regress_large_ladder')).iterations AS again;
SELECT (skillrating.solve_ladder('regress_large_ladder', 'through_time')).converged;
SELECT s.solver, count(*), bool_and(abs(e.mu - s.mu) < 1e-9 AND abs(e.standard_error - s.standard_error) < 1e-9 AND (s.games, s.component) = (e.games, e.component)) AS same
FROM regress_large_ladder.solved AS s JOIN
    (SELECT 'bradley_terry' AS solver, (unnest(rows)).* FROM solved UNION ALL SELECT 'through_time', (unnest(tt)).* FROM solved) AS e
    ON (e.solver, e.player_id) = (s.solver, s.player_id::text) AND e.at IS NOT DISTINCT FROM s.at GROUP BY 1 ORDER BY 1;
SELECT skillrating.drop_ladder('regress_large_ladder') \gset
RESET work_mem;

-- A parallel worker hands over less than 1 GB, once for each aggregate; one process reads more.
\set ECHO none
CREATE TABLE bulky AS SELECT m AS match_id, team, team AS rank FROM generate_series(1, 70) AS m, generate_series(1, 2) AS team;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 1;
\set VERBOSITY default
\set SHOW_CONTEXT never
\set ECHO all
SELECT skillrating.solve_summary('hive', convert_to(match_id || repeat('x', 8000000), 'UTF8'), team, team, rank) FROM bulky;
SELECT skillrating.solve_summary('hive', convert_to(match_id || repeat('x', 8000000), 'UTF8'), team, team, rank) AS s, skillrating.solve('hive', convert_to(match_id || repeat('x', 8000000), 'UTF8'), team, team, rank) FROM bulky WHERE match_id <= 40;
SET max_parallel_workers_per_gather = 0;
SELECT (skillrating.solve_summary('hive', convert_to(match_id || repeat('x', 8000000), 'UTF8'), team, team, rank)).matches FROM bulky;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Memory beyond the limit is an error, and the next result is whole.
\set VERBOSITY terse
SET skillrating.memory_limit = '6MB';
SELECT count(*) FROM final, unnest(rows);
RESET skillrating.memory_limit;
SELECT count(*) FROM final, unnest(rows);

DROP SCHEMA regress_large_results CASCADE;
