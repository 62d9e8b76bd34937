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
SELECT round(p.objective::numeric, 6) AS objective, p.gradient, p.curvature, p.product
FROM (SELECT (skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, ARRAY[1, 2, 3, 4], ARRAY[0, 0, 0, 0], NULL)).* FROM part_maximum) AS p;
SELECT p.objective, p.gradient, p.product
FROM (SELECT (skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, ARRAY[1, 2, 3, 4], ARRAY[0, 0, 0, 0], ARRAY[1, 0, 0, 2])).* FROM part_maximum) AS p;
SELECT abs(a.objective - sum(b.objective)) < 1e-9 AS adds_up
FROM (SELECT array_agg(DISTINCT player_id) AS players, array_agg(DISTINCT sin(hashtext(player_id))) AS point FROM part_plain) AS k,
    LATERAL (SELECT (skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, k.players, k.point, NULL)).* FROM part_plain) AS a,
    LATERAL (SELECT (skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, k.players, k.point, NULL)).* FROM part_plain GROUP BY season) AS b
GROUP BY a.objective;
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
SELECT skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, ARRAY[1, 2, 3], ARRAY[0, 0, 0], NULL) FROM part_maximum;
SELECT skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, ARRAY[1, 2, 3, 2], ARRAY[0, 0, 0, 0], NULL) FROM part_maximum;
SELECT skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, ARRAY[1, 2, 3, 4], ARRAY[0, 0, 0], NULL) FROM part_maximum;
SELECT skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, ARRAY[1, 2, 3, 4], ARRAY[0, 0, 0, 'NaN'::float8], NULL) FROM part_maximum;
SELECT skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, NULL, NULL::int[], ARRAY[0, 0, 0], NULL) FROM part_maximum;
SELECT skillrating_internal.solve_pass('{"solver": "hive"}', match_id, player_id, team, rank, skillrating.inputs(context => 'here'), ARRAY[1, 2, 3, 4], ARRAY[0, 0, 0, 0], NULL) FROM part_maximum;
SELECT skillrating_internal.solve_pass('{"solver": "bradley_terry"}', match_id, player_id, team, rank, skillrating.inputs(side => team), ARRAY[1, 2, 3, 4], ARRAY[0, 0, 0, 0], NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "bradley_terry", "sides": 1}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey(NULL, match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('[]', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "elo"}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "whole_history"}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "draw": "much"}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "strict": 1}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "contexts": [1]}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "params": 3}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"solver": "hive", "x": {"draw": 1}}', match_id, player_id, team, rank, NULL) FROM part_maximum;
SELECT skillrating_internal.solve_survey('{"params": {"solver": 1}, "solver": "hive"}', match_id, player_id, team, rank, NULL) FROM part_maximum;

-- A partition without the right to read it.
CREATE ROLE regress_skillrating_part;
GRANT SELECT ON part_all TO regress_skillrating_part;
GRANT ALL ON part_skills TO regress_skillrating_part;
GRANT USAGE ON SCHEMA skillrating TO regress_skillrating_part;
SET ROLE regress_skillrating_part;
CALL skillrating.solve_distributed('part_all', 'part_skills');
RESET ROLE;

DROP VIEW part_named;
DROP FUNCTION part_difference;
DROP TABLE part_plain, part_all, part_skills, part_contexts, part_summary, part_maximum, part_by_player;
DROP OWNED BY regress_skillrating_part;
DROP ROLE regress_skillrating_part;
