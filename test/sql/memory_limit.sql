-- skillrating.memory_limit: whatever is large fails with 53200 beyond it, in workers too, and works again with more.
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA regress_memory_limit;
SET search_path = regress_memory_limit;
SELECT skillrating.elo_win_probability(1500, 1500);
SHOW skillrating.memory_limit;
SELECT context, unit, vartype, min_val, boot_val FROM pg_settings WHERE name = 'skillrating.memory_limit';
\set VERBOSITY sqlstate
SET skillrating.memory_limit = '63kB';
\set VERBOSITY default
SET skillrating.memory_limits = '64kB';
CREATE ROLE regress_limited;
SET ROLE regress_limited;
SET skillrating.memory_limit = '8GB';
RESET ROLE;
DROP ROLE regress_limited;

-- 6000 duels of 2000 players, lobbies of 300, a frag log, and a queue.
\set ECHO none
CREATE TABLE duel AS
SELECT m AS match_id, 1 + (m * 7919 + side * 1009 + (m / 7) % 13) % 2000 AS player_id, side AS team, 1 + (side + m) % 2 AS rank, '2024-01-01'::timestamptz + m * interval '1 hour' AS played_at
FROM generate_series(1, 6000) AS m, generate_series(1, 2) AS side;
CREATE TABLE lobby AS SELECT array_agg(g) AS players, array_agg(1000 + 500 * sin(g)) AS mu, array_agg(1 + g % 2) AS team FROM generate_series(1, 300) AS g;
CREATE TABLE numbers AS SELECT array_agg(sin(g) ORDER BY g) AS x, array_agg('p' || g % 4 ORDER BY g) AS name, array_agg(g::float8 ORDER BY g) AS at FROM generate_series(1, 20000) AS g;
CREATE TABLE task(name text PRIMARY KEY, query text);
INSERT INTO task VALUES
    ('tune', $$SELECT skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"], "max_evaluations": 3}' ORDER BY match_id) FROM duel$$),
    ('final_ratings', $$SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank ORDER BY match_id) FROM duel$$),
    ('rate', $$SELECT skillrating.rate('elo', player_id, team, rank) OVER (ORDER BY match_id) FROM duel$$),
    ('frag_scores', $$SELECT skillrating.frag_scores(w.player_id, l.player_id, 1, false, NULL) FROM duel AS w JOIN duel AS l USING (match_id) WHERE w.rank < l.rank$$),
    ('plot_history', $$SELECT skillrating.plot_history(name, at, x) FROM numbers$$),
    ('plot_distribution', $$SELECT skillrating.plot_distribution(x) FROM numbers$$),
    ('split_teams', $$SELECT s.* FROM lobby, skillrating.split_teams(players, mu) AS s$$),
    ('split_teams into many', $$SELECT s.* FROM lobby, skillrating.split_teams(players, mu, teams => 10) AS s$$),
    ('split_teams with moves', $$SELECT s.* FROM lobby, skillrating.split_teams(skillrating.lobby(players::text[], mu, current => team)) AS s$$),
    ('split_all_sizes', $$SELECT s.* FROM lobby, skillrating.split_all_sizes(skillrating.lobby(players[1:60]::text[], mu[1:60])) AS s$$),
    ('suggest_swaps', $$SELECT s.* FROM lobby, skillrating.suggest_swaps(skillrating.lobby(players::text[], mu, current => team)) AS s$$),
    ('suggest_transfers', $$SELECT s.* FROM lobby, skillrating.suggest_transfers(skillrating.lobby(players::text[], mu, current => team), max_swaps => 3) AS s$$),
    ('place_joiner', $$SELECT s.* FROM lobby, skillrating.place_joiner(skillrating.lobby(players::text[], mu, current => array_replace(team, 1, NULL))) AS s$$),
    ('pair_queue', $$SELECT s.* FROM numbers, skillrating.pair_queue(skillrating.lobby(((SELECT array_agg(g) FROM generate_series(1, 20000) AS g))::text[], x), waited => at, initial_window => 1, widening => 1) AS s$$),
    ('trueskill_update', $$SELECT u.* FROM (SELECT array_agg(g) AS team, array_agg(25::float8) AS mu, array_agg(8::float8) AS sigma FROM generate_series(1, 1000) AS g) AS q, skillrating.trueskill_update(team, team, mu, sigma) AS u$$);
INSERT INTO task
SELECT 'solve ' || name, format($$SELECT skillrating.solve(%L, match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{}' ORDER BY played_at, match_id) FROM duel$$, name)
FROM (SELECT DISTINCT solver AS name FROM skillrating.solvers() AS s(solver)) AS q;
\set ECHO all
SELECT string_agg(name, ', ' ORDER BY name COLLATE "C") FROM task;

-- The state that running a query ends with.
\set ECHO none
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN '00000';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END
$$;
SET skillrating.memory_limit = '64kB';
\set ECHO all
SELECT name, outcome FROM (SELECT name, outcome(query) FROM task OFFSET 0) AS q WHERE outcome <> '53200' ORDER BY name COLLATE "C";
RESET skillrating.memory_limit;
SELECT name, outcome FROM (SELECT name, outcome(query) FROM task OFFSET 0) AS q WHERE outcome <> '00000' ORDER BY name COLLATE "C";

-- Nothing of what failed is counted any more: what fits alone still fits.
SET skillrating.memory_limit = '32MB';
SELECT count(*), count(DISTINCT outcome(query)) FROM task, generate_series(1, 20) WHERE name = 'split_teams into many';
-- Two at once share the limit.
SET skillrating.memory_limit = '2MB';
SELECT outcome((SELECT query FROM task WHERE name = 'final_ratings')) AS one,
    outcome(format('SELECT %s FROM duel', (SELECT string_agg(format('skillrating.final_ratings(%L, match_id, player_id, team, rank ORDER BY match_id)', name), ', ') FROM skillrating.models() WHERE name <> 'frag'))) AS all_models;
RESET skillrating.memory_limit;

-- A moment of many rows, whose outcomes are kept until it is over.
SET skillrating.memory_limit = '6MB';
SELECT outcome($$SELECT count(p) FROM (SELECT skillrating.recalibrate(0.6, (i % 3 > 0)::int) OVER (ORDER BY i / 1000000) FROM generate_series(1, 100000) AS i) AS q(p)$$);
RESET skillrating.memory_limit;

-- Ladders: at commit, in a replay, and in what reads one.
SELECT skillrating.create_ladder('limited', 'elo') \gset
INSERT INTO limited.match(match_id, played_at) SELECT DISTINCT match_id, played_at FROM duel;
SET skillrating.memory_limit = '64kB';
SELECT outcome($$INSERT INTO limited.match_player(match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM duel; SET CONSTRAINTS ALL IMMEDIATE$$);
RESET skillrating.memory_limit;
INSERT INTO limited.match_player(match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM duel;
SET skillrating.memory_limit = '64kB';
SELECT query, outcome(query) FROM (VALUES
    ($$SELECT skillrating.verify('limited')$$), ($$SELECT skillrating.solve_ladder('limited')$$), ($$SELECT skillrating.shadow_ladder('limited', 'limited_2', 'glicko')$$),
    ($$UPDATE limited.match_player SET rank = 3 - rank WHERE match_id = 1; SELECT skillrating.catch_up('limited')$$)) AS v(query);
RESET skillrating.memory_limit;
SELECT count(*) FROM limited.rating;
SELECT skillrating.verify('limited');
SELECT skillrating.drop_ladder('limited') \gset

-- Parallel workers have the limit, too.  The setting that asks for one has two names.
\set ECHO none
DO $$
BEGIN
    PERFORM set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
END
$$;
SET skillrating.memory_limit = '64kB';
\set VERBOSITY sqlstate
\set ECHO all
SELECT count(*) FROM lobby, skillrating.split_teams(players, mu) AS s;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT (skillrating.solve_summary('hive', match_id, player_id, team, rank)).matches FROM duel;
RESET skillrating.memory_limit;
SELECT (skillrating.solve_summary('hive', match_id, player_id, team, rank)).matches FROM duel;
SELECT count(*) FROM lobby, skillrating.split_teams(players, mu) AS s;
\set ECHO none
\set VERBOSITY default
DO $$
BEGIN
    PERFORM set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
END
$$;

DROP FUNCTION outcome;
DROP TABLE duel, lobby, numbers, task;
RESET search_path;
DROP SCHEMA regress_memory_limit;
\set ECHO all
