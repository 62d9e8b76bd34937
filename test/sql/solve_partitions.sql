-- solve_distributed(): the solution of solve(), found by passes over partitions.
SET extra_float_digits = 0;
\set SHOW_CONTEXT never

-- Matches of two teams of three, on a plain table and in partitions.
CREATE TABLE part_plain AS
SELECT m AS match_id, 1 + p % 2 AS team, 'p' || (hashint4(m * 6 + p) & 1023) % 5 + 5 * p AS player_id,
    CASE WHEN (hashint4(m) & 7 > 4) = (p % 2 = 0) THEN 1 ELSE 2 END AS rank, (m % 4)::int AS season, 'map ' || m % 3 AS context, 1 + p % 2 AS side, p % 3 / 2.0 AS commanding,
    0.5 + (hashint4(m * 6 + p + 1) & 1) / 2.0 AS weight
FROM generate_series(1, 500) AS m, generate_series(0, 5) AS p;
CREATE TABLE part_all (LIKE part_plain) PARTITION BY LIST (season);
CREATE TABLE part_0 PARTITION OF part_all FOR VALUES IN (0);
CREATE TABLE part_12 PARTITION OF part_all FOR VALUES IN (1, 2) PARTITION BY HASH (match_id);
CREATE TABLE part_12_0 PARTITION OF part_12 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_12_1 PARTITION OF part_12 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE part_3 PARTITION OF part_all FOR VALUES IN (3);
CREATE TABLE part_none PARTITION OF part_all FOR VALUES IN (7);
INSERT INTO part_all SELECT * FROM part_plain;
CREATE TABLE part_skills (LIKE skillrating.estimate);
CREATE TABLE part_contexts (LIKE skillrating.context_estimate);

CALL skillrating.solve_distributed('part_plain', 'part_skills') \gset

-- The largest difference from what solve() finds, over everybody and everything.
CREATE FUNCTION part_difference(solver text, params jsonb) RETURNS float8 LANGUAGE sql AS $$
    SELECT CASE WHEN count(*) = count(e.player_id) AND count(*) = count(s.player_id) THEN
        max(greatest(abs(e.mu - s.mu), abs(e.standard_error - s.standard_error), abs(e.side_offset - s.side_offset), abs(e.command_skill - s.command_skill),
            abs(e.games - s.games), abs(e.component - s.component))) END
    FROM (SELECT e.* FROM (SELECT skillrating.solve($1, match_id, player_id, team, rank,
                skillrating.inputs(weight => weight, commanding => commanding, side => side, context => context), $2) AS x FROM part_plain) AS q, unnest(x) AS e) AS e
        FULL JOIN part_skills AS s USING (player_id) $$;
SELECT part_difference('bradley_terry', '{}') < 1e-8 AS same;
CALL skillrating.solve_distributed('part_all', 'part_skills', warm => false) \gset
SELECT part_difference('bradley_terry', '{}') < 1e-8 AS same;
-- Everything that the Hive model has: offsets, commanders, contexts; and exact errors.
CALL skillrating.solve_distributed('part_all', 'part_skills', 'hive', '{"offset_deviation": 0.3, "command": true, "errors": "exact", "prior_rate": 2}', warm => false) \gset
SELECT part_difference('hive', '{"offset_deviation": 0.3, "command": true, "errors": "exact", "prior_rate": 2}') < 1e-6 AS same;
-- Rankings of three or four, with ties.
CREATE TABLE part_ranked AS
SELECT m AS match_id, t AS team, (m * 7 + t * (1 + m % 3)) % 12 AS player_id, 1 + (hashint4(m * 5 + t) & 1023) % 4 AS rank, m % 5 AS season
FROM generate_series(1, 400) AS m, generate_series(0, 2 + m % 2) AS t;
CREATE TABLE part_rankings (LIKE part_ranked) PARTITION BY LIST (season);
CREATE TABLE part_rankings_01 PARTITION OF part_rankings FOR VALUES IN (0, 1);
CREATE TABLE part_rankings_234 PARTITION OF part_rankings FOR VALUES IN (2, 3, 4);
INSERT INTO part_rankings SELECT * FROM part_ranked;
CALL skillrating.solve_distributed('part_rankings', 'part_skills', 'plackett_luce', '{"errors": "exact"}', warm => false) \gset
SELECT count(*), max(abs(e.mu - s.mu)) < 1e-8 AS same, max(abs(e.standard_error - s.standard_error)) < 1e-6 AS same_errors
FROM (SELECT e.* FROM (SELECT skillrating.solve('plackett_luce', match_id, player_id, team, rank, '{"errors": "exact"}') AS x FROM part_ranked) AS q, unnest(x) AS e) AS e JOIN part_skills AS s USING (player_id);
DROP TABLE part_rankings, part_ranked;

-- How it went; the same without a way of its own for each.
CREATE TABLE part_summary (LIKE skillrating.solve_summary);
DO $$
DECLARE s skillrating.solve_summary; t skillrating.solve_summary;
BEGIN
    CALL skillrating.solve_distributed('part_all', 'part_skills', 'bradley_terry', '{"prior_games": 1, "prior_deviation": 0}', warm => false, contexts => 'part_contexts', summary => s);
    SELECT (q.s).* INTO t FROM (SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank, skillrating.inputs(weight => weight, side => side, context => context), '{"prior_games": 1, "prior_deviation": 0}') AS s FROM part_plain) AS q;
    RAISE NOTICE 'matches %, players %, observations %, components %: %, %', s.matches, s.players, s.observations, s.components, s.status, abs(s.log_posterior - t.log_posterior) < 1e-9;
    RAISE NOTICE 'the same: %', (s.solver, s.matches, s.players, s.unknowns, s.observations, s.components, s.converged, s.status, s.draw) IS NOT DISTINCT FROM (t.solver, t.matches, t.players, t.unknowns, t.observations, t.components, t.converged, t.status, t.draw);
    -- From the solution it takes one iteration; the advantages of contexts are not among the skills.
    CALL skillrating.solve_distributed('part_all', 'part_skills', 'bradley_terry', '{"prior_games": 1, "prior_deviation": 0}', contexts => 'part_contexts', summary => s);
    RAISE NOTICE 'again: % iteration, % contexts', s.iterations, cardinality(s.contexts);
    CALL skillrating.solve_distributed('part_all', 'part_skills', 'bradley_terry', '{"prior_games": 1, "prior_deviation": 0}', summary => s);
    RAISE NOTICE 'without contexts in more: %', s.iterations BETWEEN 2 AND 8;
    -- Draws from the data.
    UPDATE part_all SET rank = 1 WHERE match_id % 5 = 0;
    UPDATE part_plain SET rank = 1 WHERE match_id % 5 = 0;
    CALL skillrating.solve_distributed('part_all', 'part_skills', 'bradley_terry', '{"draws": "davidson"}', summary => s);
    SELECT (q.s).* INTO t FROM (SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank, skillrating.inputs(weight => weight, side => side, context => context), '{"draws": "davidson"}') AS s FROM part_plain) AS q;
    RAISE NOTICE 'draws: %', abs(s.draw - t.draw) < 1e-6;
END $$;
-- So it is for each solver, whatever it estimates.
DO $$
DECLARE s skillrating.solve_summary; t skillrating.solve_summary; v record; once skillrating.estimate[]; apart float8;
BEGIN
    FOR v IN SELECT * FROM (VALUES ('bradley_terry', '{}'), ('bradley_terry', '{"draws": "davidson"}'), ('bradley_terry', '{"context_deviation": 2, "side_deviation": 0}'),
        ('plackett_luce', '{"prior_games": 2}'), ('hive', '{}'), ('hive', '{"offset_deviation": 0.3, "command": true}')) AS v(solver, params)
    LOOP
        CALL skillrating.solve_distributed('part_all', 'part_skills', v.solver, v.params::jsonb, warm => false, contexts => 'part_contexts', summary => s);
        SELECT array_agg(ROW(p.*)::skillrating.estimate) INTO once FROM part_skills AS p;
        CALL skillrating.solve_distributed('part_all', 'part_skills', v.solver, v.params::jsonb, contexts => 'part_contexts', summary => t);
        SELECT max(abs(p.mu - o.mu) + coalesce(abs(p.side_offset - o.side_offset), 0) + coalesce(abs(p.command_skill - o.command_skill), 0)) INTO apart
        FROM part_skills AS p JOIN unnest(once) AS o USING (player_id);
        RAISE NOTICE '% %: %, then %; the same %; sides and contexts %, of the table %; offsets %', v.solver, v.params, CASE WHEN s.iterations > 2 THEN 'some iterations' END, t.iterations, apart < 1e-8,
            cardinality(t.contexts), (SELECT count(*) FROM part_contexts AS p JOIN unnest(t.contexts) AS c ON p.context IS NOT DISTINCT FROM c.context AND p.log_odds = c.log_odds AND p.standard_error = c.standard_error),
            (SELECT count(DISTINCT p.side_offset) FROM part_skills AS p);
    END LOOP;
END $$;
-- Iterations of transactions of their own keep the advantages as well.
SET client_min_messages = warning;
CALL skillrating.solve_distributed('part_all', 'part_skills', params => '{"max_iterations": 2}', warm => false, commits => true, contexts => 'part_contexts') \gset
CALL skillrating.solve_distributed('part_all', 'part_skills', commits => true, contexts => 'part_contexts') \gset
CALL skillrating.solve_distributed('part_all', 'part_skills', commits => true, contexts => 'part_contexts') \gset again_
RESET client_min_messages;
SELECT (:'again_summary'::skillrating.solve_summary).iterations;
CREATE TABLE part_both (LIKE skillrating.estimate, context text, log_odds float8);
CALL skillrating.solve_distributed('part_all', 'part_both', contexts => 'part_both');
DROP TABLE part_both;
CALL skillrating.solve_distributed('part_all', 'part_skills', contexts => 'part_plain');

-- An iteration at a time, each a transaction; the last one finds the errors.
SET client_min_messages = warning;
CALL skillrating.solve_distributed('part_all', 'part_skills', params => '{"errors": "exact"}', warm => false, commits => true) \gset
SELECT part_difference('bradley_terry', '{"errors": "exact"}') < 1e-6 AS same;
CALL skillrating.solve_distributed('part_all', 'part_skills', 'hive', '{"offset_deviation": 0.3, "command": true}', warm => false, commits => true) \gset
RESET client_min_messages;
SELECT part_difference('hive', '{"offset_deviation": 0.3, "command": true}') < 1e-6 AS same;
BEGIN;
CALL skillrating.solve_distributed('part_all', 'part_skills', warm => false, commits => true) \gset
ROLLBACK;
-- It may be told to stop.
CALL skillrating.solve_distributed('part_all', 'part_skills', params => '{"max_iterations": 1}', warm => false) \gset

-- By part: one query, each value of a column a partition of its own, whoever reads it, and null too.
CREATE TABLE part_whole (LIKE skillrating.estimate);
ALTER TABLE part_all ADD region text;
UPDATE part_all SET region = CASE match_id % 5 WHEN 0 THEN 'a"b' WHEN 1 THEN '' WHEN 2 THEN 'eu' END;
DO $$
DECLARE s skillrating.solve_summary; t skillrating.solve_summary; v record; apart float8;
BEGIN
    FOR v IN SELECT * FROM (VALUES ('bradley_terry', '{"errors": "exact"}'), ('plackett_luce', '{}'), ('hive', '{"offset_deviation": 0.3, "command": true, "errors": "exact"}')) AS v(solver, params),
        (VALUES ('season'), ('region'), ('match_id')) AS p(part) LOOP
        CALL skillrating.solve_distributed('part_all', 'part_whole', v.solver, v.params::jsonb, warm => false, summary => t);
        CALL skillrating.solve_distributed('part_all', 'part_skills', v.solver, v.params::jsonb, jsonb_build_object('part', v.part), warm => false, summary => s);
        SELECT max(abs(e.mu - k.mu) + abs(e.standard_error - k.standard_error) + coalesce(abs(e.side_offset - k.side_offset), 0) + coalesce(abs(e.command_skill - k.command_skill), 0) + abs(e.games - k.games)) INTO apart
        FROM part_skills AS k FULL JOIN part_whole AS e USING (player_id);
        RAISE NOTICE '% by %: % players, the same % and %', v.solver, v.part, s.players, apart < 1e-9,
            (s.matches, s.players, s.unknowns, s.observations, s.components, s.status, s.unrated, (SELECT array_agg(c.context ORDER BY c.context) FROM unnest(s.contexts) AS c)) =
            (t.matches, t.players, t.unknowns, t.observations, t.components, t.status, t.unrated, (SELECT array_agg(c.context ORDER BY c.context) FROM unnest(t.contexts) AS c));
    END LOOP;
END $$;
-- In workers, which hand their parts over, and where memory is short.
SET enable_partitionwise_aggregate = on;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET skillrating.memory_limit = '3MB';
CALL skillrating.solve_distributed('part_all', 'part_skills', 'hive', '{"offset_deviation": 0.3, "command": true, "errors": "exact"}', '{"part": "season"}', warm => false) \gset
SELECT count(*), max(abs(e.mu - s.mu) + abs(e.standard_error - s.standard_error)) < 1e-9 AS same FROM part_skills AS s FULL JOIN part_whole AS e USING (player_id);
RESET enable_partitionwise_aggregate;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET skillrating.memory_limit;
-- In transactions of their own, with what is kept from one to the next.
SET client_min_messages = warning;
CALL skillrating.solve_distributed('part_all', 'part_skills', 'hive', '{"offset_deviation": 0.3, "command": true, "errors": "exact"}', '{"part": "season"}', warm => false, commits => true) \gset
RESET client_min_messages;
SELECT count(*), max(abs(e.mu - s.mu) + abs(e.standard_error - s.standard_error)) < 1e-6 AS same FROM part_skills AS s FULL JOIN part_whole AS e USING (player_id);
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'skillrating kept rows';
-- Whoever is not at home hands rows over; a token is no key.
SELECT q.season, (q.s).matches, length((q.s).packed) > 0 AS packed, (q.s).kept FROM (
    SELECT season, skillrating_internal.solve_survey(('{"solver": "hive", "keep": "' || repeat('ab', 16) || '", "home": "' || repeat('cd', 16) || '"}')::jsonb, match_id, player_id, team, rank, NULL) AS s
    FROM part_all GROUP BY season) AS q ORDER BY season;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "home": 1}', match_id, player_id, team, rank, NULL) FROM part_all;
-- Parts that take matches apart, of no column, or too many.
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '{"part": "team"}');
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '{"part": "player_id"}');
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '{"rank": "season", "part": "season"}');
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '{"part": "nothing"}');
CREATE VIEW part_divided AS SELECT p.*, p.team + 10 AS own FROM part_plain AS p;
CALL skillrating.solve_distributed('part_divided', 'part_skills', columns => '{"part": "own"}');
SELECT count(*) > 0 AS kept FROM part_skills;
DROP VIEW part_divided;
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '{"part": null}');
CREATE VIEW part_many AS SELECT m AS match_id, t AS player_id, t AS team, t AS rank FROM generate_series(1, 4001) AS m, generate_series(1, 2) AS t;
\set VERBOSITY sqlstate
CALL skillrating.solve_distributed('part_many', 'part_skills', columns => '{"part": "match_id"}');
\set VERBOSITY default
CALL skillrating.solve_distributed('part_none', 'part_skills', columns => '{"part": "season"}');
SELECT count(*) FROM part_skills;
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'skillrating kept rows';
DROP VIEW part_many;
DROP TABLE part_whole;
ALTER TABLE part_all DROP region;

-- Other names, won in place of rank, and integers as players.
CREATE VIEW part_named AS
SELECT match_id AS "Match", substr(player_id, 2)::int AS who, team AS side_no, rank = 1 AS won, context::varchar AS context FROM part_plain WHERE match_id % 5 > 0;
CALL skillrating.solve_distributed('part_named', 'part_skills', columns => '{"match_id": "Match", "player_id": "who", "team": "side_no"}', warm => false) \gset
SELECT max(abs(e.mu - s.mu)) < 1e-8 AS same, count(*)
FROM (SELECT e.* FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, skillrating.inputs(context => context), '{}') AS x FROM part_plain WHERE match_id % 5 > 0) AS q, unnest(x) AS e) AS e
    JOIN part_skills AS s ON e.player_id = 'p' || s.player_id;
-- Nobody played, or nothing counts: an empty solution, and a summary that says so.
CREATE VIEW part_unrated AS SELECT *, 'bot match' AS unrated_reason FROM part_plain;
DO $$
DECLARE s skillrating.solve_summary; relation regclass;
BEGIN
    FOREACH relation IN ARRAY ARRAY['part_none', 'part_unrated']::regclass[] LOOP
        INSERT INTO part_skills (player_id) VALUES ('nobody');
        CALL skillrating.solve_distributed(relation, 'part_skills', contexts => 'part_contexts', summary => s);
        RAISE NOTICE '%: % of % matches, % players, %, % iterations, % unrated, % rows', relation, s.converged, s.matches, s.players, s.status, s.iterations, s.unrated, (SELECT count(*) FROM part_skills) + (SELECT count(*) FROM part_contexts);
    END LOOP;
END $$;
DROP VIEW part_unrated;
-- Who always wins.
CREATE TABLE part_maximum AS SELECT m AS match_id, CASE WHEN t = 1 THEN 1 ELSE 1 + m END AS player_id, t AS team, t AS rank FROM generate_series(1, 3) AS m, generate_series(1, 2) AS t;
CALL skillrating.solve_distributed('part_maximum', 'part_skills', params => '{"prior_deviation": 0}') \gset

-- The aggregates by themselves: passes over parts add up.
SELECT s.games, s.component, s.contexts, s.matches, s.observations FROM (SELECT (skillrating_internal.solve_survey('{"solver": "hive"}', match_id, player_id, team, rank, skillrating.inputs(context => 'map ' || match_id % 2))).* FROM part_maximum) AS s;

-- Kept rows: bytes are asked and answered, numbers in them with the lowest byte first.
CREATE FUNCTION part_reverse(bytea) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(substr($1, i, 1), '' ORDER BY i DESC) FROM generate_series(1, length($1)) AS i $$;
CREATE FUNCTION part_numbers(float8[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(part_reverse(float8send(x)), '' ORDER BY i) FROM unnest($1) WITH ORDINALITY AS u(x, i) $$;
CREATE FUNCTION part_request(kind int, x float8[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT part_reverse(int4send(kind)) || part_reverse(int4send(cardinality(x))) || part_numbers('{0}' || x) $$;
CREATE FUNCTION part_survey(plan jsonb) RETURNS int LANGUAGE sql AS $$
    SELECT cardinality((skillrating_internal.solve_survey(plan || jsonb_build_object('keep', repeat('ab', 20)), match_id, player_id, team, rank, NULL)).players) FROM part_maximum $$;
CREATE FUNCTION part_pass(kind int, x float8[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT skillrating_internal.solve_pass(decode(repeat('ab', 20), 'hex'), part_request(kind, x), 0) $$;
CREATE FUNCTION part_kept() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'skillrating kept rows' $$;
CREATE FUNCTION part_files() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%' $$;
-- Nothing is kept by now, nor found.
SELECT part_kept(), part_files(), part_pass(0, '{0, 0, 0, 0, 0}');
BEGIN;
SELECT part_survey('{"solver": "bradley_terry"}'), part_kept();
-- The gradient; a product before there is a matrix to multiply with; that matrix.
SELECT substr(part_pass(0, '{0, 0, 0, 0, 0}'), 25) = part_numbers('{-1.5, 0.5, 0.5, 0.5, 0}') AS gradient;
SAVEPOINT s;
SELECT part_pass(2, '{1, 0, 0, 2, 0}');
ROLLBACK TO s;
SELECT substr(part_pass(1, '{0, 0, 0, 0, 0}'), 25) = part_numbers('{-1.5, 0.5, 0.5, 0.5, 0, 0.75, 0.25, 0.25, 0.25, 0}') AS derivatives;
SELECT substr(part_pass(2, '{1, 0, 0, 2, 0}'), 25) = part_numbers('{0.25, -0.25, -0.25, 0.25, 0}') AS product;
-- Another user has none of it; nor is a request understood that is none.
CREATE ROLE regress_skillrating_other;
GRANT USAGE ON SCHEMA skillrating_internal TO regress_skillrating_other;
SET ROLE regress_skillrating_other;
SELECT part_pass(0, '{0, 0, 0, 0, 0}') IS NULL AS none, skillrating_internal.solve_reads(decode(repeat('ab', 20), 'hex'), true, 1) AS reads;
RESET ROLE;
SELECT skillrating_internal.solve_reads(decode(repeat('ab', 20), 'hex'), true, 1) AS reads, skillrating_internal.solve_kept(decode(repeat('ab', 20), 'hex'), NULL) AS survey;
SAVEPOINT s;
SELECT part_pass(0, '{0, 0}');
ROLLBACK TO s;
SELECT part_pass(9, '{0}');
ROLLBACK TO s;
SELECT skillrating_internal.solve_pass(decode(repeat('ab', 20), 'hex'), substr(part_request(0, '{0, 0}'), 1, 20), 0);
ROLLBACK TO s;
SELECT skillrating_internal.solve_pass(decode(repeat('ab', 20), 'hex'), part_reverse(int4send(0)) || part_reverse(int4send(0)) || part_numbers('{-1}'), 0);
ROLLBACK TO s;
SELECT skillrating_internal.solve_pass('short', part_request(0, '{}'), 0);
ROLLBACK TO s;
-- What a subtransaction has kept goes with it; so does everything at the end.
SELECT part_survey('{"solver": "hive"}'), part_kept();
ROLLBACK TO s;
SELECT part_kept();
SELECT part_survey('{"solver": "hive"}'), part_kept(), part_pass(3, '{}') AS released, part_kept();
SELECT part_survey('{"solver": "hive"}'), part_kept();
COMMIT;
SELECT part_kept();
-- Lasting rows last while transactions use them.
SELECT part_survey('{"solver": "plackett_luce", "lasting": true}'), part_kept();
SELECT (skillrating_internal.solve_kept(decode(repeat('ab', 20), 'hex'), NULL)).games, part_kept();
SELECT part_kept();
SELECT part_kept();
-- If one is aborted, only if they are held.
SELECT part_survey('{"solver": "plackett_luce", "lasting": true}');
BEGIN;
SELECT part_pass(4, '{}') AS held;
SELECT 1 / 0;
ROLLBACK;
SELECT part_pass(4, '{}') AS held, part_kept();
BEGIN;
SELECT part_pass(0, '{0, 0, 0, 0, 0}') IS NULL AS none;
ROLLBACK;
SELECT part_kept();
-- Two at once under one key.
SELECT skillrating_internal.solve_survey('{"solver": "hive", "keep": "abababababababababababababababababababab"}', match_id, player_id, team, rank, NULL) IS NULL,
    skillrating_internal.solve_survey('{"solver": "hive", "keep": "abababababababababababababababababababab", "strict": true}', match_id, player_id, team, rank, NULL) IS NULL
FROM part_maximum;
SELECT part_kept();

-- Where memory is short, rows go to a file, and the solution is the same.  So it is if that is short as well.
CREATE TABLE part_long AS SELECT m AS match_id, t AS team, (m * 7 + t * (1 + m % 13)) % 97 AS player_id, 1 + (hashint4(m * 5 + t) & 1023) % 3 AS rank, 1 + t % 2 AS side, (m % 3)::text AS context
FROM generate_series(1, 20000) AS m, generate_series(1, 2) AS t;
SET skillrating.memory_limit = '3MB';
DO $$
DECLARE v record; summary skillrating.solve_summary; apart float8;
BEGIN
    FOR v IN SELECT * FROM (VALUES ('bradley_terry', '{"draws": "davidson", "errors": "probes"}'), ('hive', '{"offset_deviation": 0.5}'), ('plackett_luce', '{}')) AS v(solver, params) LOOP
        CALL skillrating.solve_distributed('part_long', 'part_skills', v.solver, v.params::jsonb, warm => false, summary => summary);
        SET LOCAL skillrating.memory_limit = '1GB';
        SELECT max(abs(e.mu - s.mu) + abs(e.standard_error - s.standard_error) + coalesce(abs(e.side_offset - s.side_offset), 0)) INTO apart
        FROM part_skills AS s FULL JOIN (SELECT e.* FROM (SELECT skillrating.solve(v.solver, match_id, player_id, team, rank, skillrating.inputs(side => side, context => context), v.params::jsonb) AS x FROM part_long) AS q, unnest(x) AS e) AS e USING (player_id);
        SET LOCAL skillrating.memory_limit = '3MB';
        RAISE NOTICE '%: the same %', v.solver, apart < 1e-9;
    END LOOP;
END $$;
BEGIN;
SELECT (skillrating_internal.solve_survey('{"solver": "hive", "keep": "abababababababababababababababababababab"}', match_id, player_id, team, rank, NULL)).matches, part_files() FROM part_long;
SELECT part_files(), part_kept();
ABORT;
SELECT part_files(), part_kept();
SET temp_file_limit = '64kB';
SET work_mem = '64MB';
\set VERBOSITY sqlstate
SELECT skillrating_internal.solve_survey('{"solver": "hive", "keep": "abababababababababababababababababababab"}', match_id, player_id, team, rank, NULL) FROM part_long;
\set VERBOSITY default
SELECT part_files(), part_kept();
RESET skillrating.memory_limit;
RESET temp_file_limit;
RESET work_mem;
DROP TABLE part_long;
-- More matches than are taken together, one of them wrong.
SELECT (s).matches, cardinality((s).players) AS players FROM (
    SELECT skillrating_internal.solve_survey('{"solver": "bradley_terry"}', m, 3 * m / 2 + t, t, t, NULL) AS s FROM generate_series(1, 10000) AS m, generate_series(1, 2) AS t) AS q;
SELECT skillrating_internal.solve_survey('{"solver": "bradley_terry", "strict": true}', m, t, t, t, skillrating.inputs(weight => CASE WHEN m = 9000 AND t = 2 THEN -1 END)) FROM generate_series(1, 10000) AS m, generate_series(1, 2) AS t;
SELECT skillrating_internal.solve_survey('{"solver": "bradley_terry"}', m, t, t, t, skillrating.inputs(weight => CASE WHEN m = 9000 AND t = 2 THEN -1 END)) FROM generate_series(1, 10000) AS m, generate_series(1, 2) AS t;

-- What is refused.
CALL skillrating.solve_distributed('part_all', 'part_skills', 'whole_history');
CALL skillrating.solve_distributed('part_all', 'part_skills', 'through_time');
CALL skillrating.solve_distributed('part_all', 'part_skills', NULL);
CALL skillrating.solve_distributed('part_all', 'part_skills', 'hive', '{"prior_games": 1}');
CALL skillrating.solve_distributed('part_all', 'part_summary');
CALL skillrating.solve_distributed('part_summary', 'part_skills');
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '{"match_id": "game"}');
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '{"match": "match_id"}');
CALL skillrating.solve_distributed('part_all', 'part_skills', columns => '[]');
CREATE TABLE part_by_player (LIKE part_plain) PARTITION BY HASH (match_id);
CREATE TABLE part_by_player_0 PARTITION OF part_by_player FOR VALUES WITH (MODULUS 1, REMAINDER 0) PARTITION BY HASH (player_id);
CALL skillrating.solve_distributed('part_by_player', 'part_skills');
SELECT skillrating_internal.solve_survey('{"solver": "bradley_terry", "lasting": 1}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey(NULL, match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('[]', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "elo"}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "whole_history"}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "keep": "much"}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "keep": 1}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "strict": 1}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "keep": "zbababababababababababababababababababab"}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT * FROM skillrating_internal.solve_relation('part_plain', 'bradley_terry', '{}', '{}', NULL, NULL, false, 'short', NULL);
SELECT skillrating_internal.solve_survey('{"solver": "hive", "params": 3}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "x": {"draw": 1}}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"params": {"solver": 1}, "solver": "hive"}', match_id, player_id, team, rank, NULL) FROM part_maximum;

-- A cursor goes on after the savepoint behind which it has begun to keep rows was rolled back to.
BEGIN;
SET LOCAL enable_sort = off;
DECLARE part_cursor CURSOR FOR SELECT (skillrating_internal.solve_survey('{"solver": "bradley_terry", "keep": "00112233445566778899aabbccddeeff"}', match_id, player_id, team, rank, NULL)).matches FROM part_plain GROUP BY season;
SAVEPOINT part_savepoint;
FETCH 1 FROM part_cursor;
ROLLBACK TO part_savepoint;
FETCH 1 FROM part_cursor;
ROLLBACK;

-- A partition without the right to read it.
CREATE ROLE regress_skillrating_part;
GRANT SELECT ON part_all TO regress_skillrating_part;
GRANT ALL ON part_skills TO regress_skillrating_part;
GRANT USAGE ON SCHEMA skillrating TO regress_skillrating_part;
SET ROLE regress_skillrating_part;
CALL skillrating.solve_distributed('part_all', 'part_skills');
RESET ROLE;

DROP VIEW part_named;
DROP FUNCTION part_difference, part_survey, part_pass, part_request, part_numbers, part_reverse, part_kept, part_files;
DROP TABLE part_plain, part_all, part_skills, part_contexts, part_summary, part_maximum, part_by_player;
DROP OWNED BY regress_skillrating_part, regress_skillrating_other;
DROP ROLE regress_skillrating_part, regress_skillrating_other;
