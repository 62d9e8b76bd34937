-- solve_ladder(): all matches of a ladder at once.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
SELECT skillrating.create_ladder('solvable', 'elo', player_type => 'text') \gset
\set ECHO none
INSERT INTO solvable.match (match_id, played_at, pool)
SELECT i, '2026-01-01'::timestamptz + i * interval '6 hours', CASE WHEN i % 5 = 0 THEN 'cup' ELSE '' END FROM generate_series(1, 200) AS i;
INSERT INTO solvable.match_player (match_id, player_id, team, rank)
SELECT i, 'p' || CASE p WHEN 1 THEN i % 7 ELSE (i + 1 + i / 7 % 6) % 7 END, p, CASE WHEN (hashint4(i) % 3 = 0) = (p = 1) THEN 1 ELSE 2 END
FROM generate_series(1, 200) AS i, generate_series(1, 2) AS p;
\set ECHO all

-- The same as the aggregate, bit for bit.
SELECT (s).solver, (s).matches, (s).players, (s).converged, (s).status FROM (SELECT skillrating.solve_ladder('solvable', pool => '') AS s) AS q;
CREATE VIEW by_hand AS
SELECT (unnest(skillrating.solve('bradley_terry', m.match_id, p.player_id, p.team, p.rank ORDER BY m.match_id))).*
FROM solvable.match AS m JOIN solvable.match_player AS p USING (match_id) WHERE m.pool = '';
SELECT count(*) AS same FROM solvable.solved AS s JOIN by_hand AS h
ON (h.player_id, h.mu, h.standard_error, h.games, h.component) = (s.player_id, s.mu, s.standard_error, s.games, s.component) AND s.at IS NULL;
SELECT player_id, round(mu::numeric, 4) AS mu, round(standard_error::numeric, 4) AS error, games, component FROM solvable.solved ORDER BY player_id;

-- Again, from there: nothing left to do, and nothing changes beyond the last digits.
CREATE TABLE solved_before AS SELECT * FROM solvable.solved;
SELECT iterations <= 1 AS warm FROM skillrating.solve_ladder('solvable', pool => '');
SELECT iterations > 2 AS cold FROM skillrating.solve_ladder('solvable', warm => false, pool => '');
SELECT max(abs(s.mu - b.mu)) < 1e-9 AS same FROM solvable.solved AS s JOIN solved_before AS b USING (player_id);
-- New matches: fewer iterations.
INSERT INTO solvable.match (match_id, played_at) SELECT i, '2026-03-01' FROM generate_series(201, 204) AS i;
INSERT INTO solvable.match_player (match_id, player_id, team, rank) SELECT i, CASE p WHEN 1 THEN 'p1' ELSE 'new' END, p, p FROM generate_series(201, 204) AS i, generate_series(1, 2) AS p;
CREATE TABLE warm AS SELECT * FROM skillrating.solve_ladder('solvable', pool => '');
CREATE TABLE warmly AS SELECT * FROM solvable.solved;
SELECT w.iterations < c.iterations AS fewer, w.players, abs(w.log_posterior - c.log_posterior) < 1e-9 AS same
FROM warm AS w, skillrating.solve_ladder('solvable', warm => false, pool => '') AS c;
SELECT max(abs(s.mu - b.mu)) < 1e-9 AS same, count(*) FROM solvable.solved AS s JOIN warmly AS b USING (player_id);

-- Other pools and solvers have rows of their own.
SELECT (skillrating.solve_ladder('solvable', pool => 'cup')).matches;
SELECT (s).converged, (s).unknowns > 100 AS days FROM (SELECT skillrating.solve_ladder('solvable', 'whole_history', pool => '') AS s) AS q;
SELECT (s).converged FROM (SELECT skillrating.solve_ladder('solvable', 'through_time', pool => 'cup') AS s) AS q;
SELECT (s).converged, (s).iterations <= 1 AS warm FROM (SELECT skillrating.solve_ladder('solvable', 'whole_history', pool => '') AS s) AS q;
SELECT solver, pool, count(DISTINCT player_id) AS players, count(*) > count(DISTINCT player_id) AS days FROM solvable.solved GROUP BY solver, pool ORDER BY solver, pool;
-- Nobody there: an empty solution, and a summary that says so.
SELECT skillrating.create_ladder('nobody', 'elo') \gset
SELECT s.solver, (s).matches, (s).players, (s).converged, (s).status, (s).iterations, (s).components, (s).contexts, (s).unrated FROM (VALUES ('bradley_terry'), ('hive'), ('plackett_luce'), ('through_time'), ('whole_history')) AS v(solver),
    skillrating.solve_ladder('nobody', v.solver) AS s;
SELECT count(*) FROM nobody.solved;
SELECT skillrating.drop_ladder('nobody') \gset
SELECT (s).converged, (s).status FROM (SELECT skillrating.solve_ladder('solvable', 'hive', '{"offset_deviation": 0.5}', 'cup') AS s) AS q;
SELECT (s).converged, (s).iterations <= 1 AS warm FROM (SELECT skillrating.solve_ladder('solvable', 'hive', '{"offset_deviation": 0.5}', 'cup') AS s) AS q;

-- What does not count in rating does not count here; who has no matches any more has no row.
SELECT count(skillrating.void_match('solvable', i)) FROM generate_series(201::bigint, 204) AS i;
SELECT count(*) > 0 AS replayed FROM skillrating.catch_up('solvable');
SELECT (skillrating.solve_ladder('solvable', pool => '')).matches;
SELECT count(*) AS stay FROM solvable.solved WHERE solver = 'bradley_terry' AND pool = '' AND player_id = 'new';
SELECT skillrating.merge_players('solvable', 'p2', 'p1') IS NOT NULL AS merged;
SELECT count(*) > 0 AS replayed FROM skillrating.catch_up('solvable');
SELECT (s).players, (s).matches < 160 AS fewer FROM (SELECT skillrating.solve_ladder('solvable', pool => '') AS s) AS q;
SELECT found FROM skillrating.forget_players('solvable', '{p3}', '{nemo}');
SELECT count(*) AS replayed FROM skillrating.catch_up('solvable');
SELECT count(*) FILTER (WHERE player_id = 'p3') AS forgotten, count(*) FILTER (WHERE player_id = 'nemo') > 0 AS there FROM solvable.solved;

-- Seasons that begin from there: all, half and nothing of the distance from the solved skill.
SELECT name, round(log_odds_unit::numeric, 4) AS unit FROM skillrating.models() ORDER BY name;
CREATE VIEW distance AS
SELECT max(abs(r.rating - (1500 + s.mu * 400 / ln(10::float8)))) AS most, count(*) AS players
FROM solvable.rating AS r JOIN solvable.solved AS s USING (pool, player_id) WHERE s.solver = 'bradley_terry' AND pool = '';
CREATE TABLE distance_before AS SELECT * FROM distance;
\set VERBOSITY terse
SELECT players > 5 AS players FROM skillrating.new_season('solvable', 'one', keep => 0.5, pool => '', toward => 'bradley_terry');
SELECT abs(d.most - b.most / 2) < 1e-9 AS half FROM distance AS d, distance_before AS b;
SELECT players > 5 AS players FROM skillrating.new_season('solvable', 'two', keep => 0, toward => 'bradley_terry');
SELECT most < 1e-9 AS none FROM distance;
SELECT kind, count(*) > 1 AS for_each, bool_and(params->>'solver' = 'bradley_terry') AS solver FROM solvable.operation WHERE kind IN ('season', 'seed') GROUP BY kind ORDER BY kind;
SELECT players > 5 AS players FROM skillrating.new_season('solvable', 'three', keep => 1, toward => 'bradley_terry');
SELECT most < 1e-9 AS still_none FROM distance;
-- Undoing such a season takes both of its operations back.
CREATE TABLE rating_kept AS SELECT * FROM solvable.rating;
SELECT operation FROM skillrating.new_season('solvable', 'undone', keep => 0.25, toward => 'bradley_terry') \gset
\set VERBOSITY default
SELECT skillrating.undo_operation('solvable', :operation) \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('solvable');
SELECT count(*) FROM rating_kept AS k FULL JOIN solvable.rating AS r USING (player_id, pool) WHERE k.rating IS DISTINCT FROM r.rating;
SELECT skillrating.new_season('solvable', 'four', toward => 'hive');
SELECT skillrating.new_season('solvable', 'four', toward => 'bradley_terry', pool => 'nobody');
SELECT skillrating.new_season('solvable', 'four', toward => 'chess');
-- A replay comes to the same.
CREATE TABLE rating_before AS SELECT * FROM solvable.rating;
SELECT count(*) AS changed FROM skillrating.catch_up('solvable', rebuild => true) WHERE rating_before IS DISTINCT FROM rating_after;
SELECT count(*) AS differ FROM (SELECT * FROM solvable.rating EXCEPT SELECT * FROM rating_before) AS d;

-- No maximum, and mistakes.
INSERT INTO solvable.match (match_id, played_at, pool) VALUES (301, '2026-03-02', 'two');
INSERT INTO solvable.match_player (match_id, player_id, team, rank) VALUES (301, 'p1', 1, 1), (301, 'p4', 2, 2);
SELECT (skillrating.solve_ladder('solvable', params => '{"prior_deviation": 0}', pool => 'two')).status;
SELECT player_id, mu FROM solvable.solved WHERE pool = 'two' ORDER BY player_id;
SELECT (skillrating.solve_ladder('solvable', pool => 'two')).status;
SELECT (skillrating.solve_ladder('solvable', params => '{"max_iterations": 1, "method": "gradient"}', warm => false, pool => '')).status;
SELECT skillrating.solve_ladder('solvable', NULL, pool => '');
\set VERBOSITY terse
SELECT skillrating.solve_ladder('solvable', 'elo', pool => '');
SELECT skillrating.solve_ladder('nothing');
SELECT skillrating.solve_ladder('solvable', params => '{"k": 1}', pool => '');
SELECT count(*) > 0 AS replayed FROM skillrating.catch_up('solvable');
SELECT bool_and(ok) AS verified FROM skillrating.verify('solvable');

DROP VIEW by_hand, distance;
DROP TABLE rating_before, distance_before, solved_before, warm, warmly;
SELECT skillrating.drop_ladder('solvable') \gset

-- If those who were solved are other accounts by now, a season towards their skills has nothing to add.
SELECT skillrating.create_ladder('solvable', 'elo', apply_at => 'statement') \gset
INSERT INTO solvable.match (match_id, played_at) VALUES (1, '2026-01-01');
INSERT INTO solvable.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
SELECT (skillrating.solve_ladder('solvable', pool => '')).status;
SELECT skillrating.merge_players('solvable', p, p + 2, allow_unknown => true) > 0 AS merged FROM generate_series(1, 2) AS p;
SELECT players FROM skillrating.new_season('solvable', 'one', toward => 'bradley_terry', at => '2026-02-01');
SELECT kind FROM solvable.operation ORDER BY operation;
SELECT count(*) FROM skillrating.catch_up('solvable');
SELECT bool_and(ok) AS verified FROM skillrating.verify('solvable');
SELECT skillrating.drop_ladder('solvable') \gset

-- The advantage of a side is kept as skills are, and a parameter of draws follows from them: from its own solution a search takes one iteration.
SELECT skillrating.create_ladder('sided', 'elo') \gset
INSERT INTO sided.match (match_id, played_at) SELECT i, '2026-01-01'::timestamptz + i * interval '6 hours' FROM generate_series(1, 200) AS i;
INSERT INTO sided.match_player (match_id, player_id, team, side, rank)
SELECT i, CASE t WHEN 1 THEN i % 7 ELSE (i + 1 + i / 7 % 6) % 7 END, t, 1 + (t + i) % 2, CASE WHEN i % 6 = 0 OR (hashint4(i) % 3 = 0) = ((t + i) % 2 = 0) THEN 1 ELSE 2 END
FROM generate_series(1, 200) AS i, generate_series(1, 2) AS t;
SELECT status FROM skillrating.solve_ladder('sided');
CREATE TABLE sided_solved AS SELECT * FROM sided.solved;
DO $$
DECLARE v record; cold skillrating.solve_summary; warm skillrating.solve_summary; apart float8; sides text;
BEGIN
    FOR v IN SELECT * FROM (VALUES ('bradley_terry', '{}'), ('bradley_terry', '{"draws": "davidson"}'), ('bradley_terry', '{"side_deviation": 0}'), ('plackett_luce', '{}'), ('whole_history', '{}'), ('hive', '{"offset_deviation": 0.5}'), ('hive', '{}')) AS v(solver, params)
    LOOP
        cold := skillrating.solve_ladder('sided', v.solver, v.params::jsonb, warm => false);
        DELETE FROM sided_solved;
        INSERT INTO sided_solved SELECT * FROM sided.solved AS s WHERE s.solver = v.solver;
        warm := skillrating.solve_ladder('sided', v.solver, v.params::jsonb);
        SELECT max(abs(s.mu - b.mu) + coalesce(abs(s.side_offset - b.side_offset), 0)), CASE WHEN count(s.side_offset) < count(*) THEN 'none' WHEN count(DISTINCT s.side_offset) > 1 THEN 'by player' WHEN bool_and(s.side_offset = c.log_odds) THEN 'that of all' END INTO apart, sides
        FROM sided.solved AS s JOIN sided_solved AS b USING (solver, pool, player_id) LEFT JOIN unnest(warm.contexts) AS c ON c.context IS NULL WHERE s.at IS NOT DISTINCT FROM b.at;
        RAISE NOTICE '% %: %, then %; the same %; side offsets: %', v.solver, v.params, CASE WHEN cold.iterations > 2 THEN 'some iterations' END, warm.iterations, apart < 1e-8, sides;
    END LOOP;
END $$;
-- All matches are left out: none has two sides.
INSERT INTO sided.match (match_id, played_at, pool) SELECT i, '2026-04-01', 'three' FROM generate_series(301, 303) AS i;
INSERT INTO sided.match_player (match_id, player_id, team, rank) SELECT i, t, t, t FROM generate_series(301, 303) AS i, generate_series(1, 3) AS t;
SELECT s.solver, s.matches, s.players, s.unknowns, s.observations, s.converged, s.status, s.iterations, s.log_posterior, s.contexts, s.unrated, s.unrated_reasons FROM skillrating.solve_ladder('sided', 'hive', pool => 'three') AS s;
SELECT (q.s).solver, (q.s).matches, (q.s).players, (q.s).unknowns, (q.s).observations, (q.s).converged, (q.s).status, (q.s).iterations, (q.s).log_posterior, (q.s).contexts, (q.s).unrated, (q.s).unrated_reasons
FROM (SELECT skillrating.solve_summary('hive', match_id, player_id, team, rank) AS s FROM sided.match JOIN sided.match_player USING (match_id) WHERE pool = 'three') AS q;
SELECT count(*) FROM sided.solved WHERE pool = 'three';
DROP TABLE sided_solved;
SELECT skillrating.drop_ladder('sided') \gset
