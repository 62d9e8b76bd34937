-- predict() says of given states what preview() says of players who have them, and rate() of matches:
-- for all models, with all inputs that a model supports.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE FUNCTION chance(seed int, what int, player int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
'SELECT (hashint8extended(player, seed * 100 + what) & 1048575) / 1048576.0::float8';
CREATE TABLE predict_model AS
SELECT m.*, p.params FROM skillrating.models() AS m, LATERAL (SELECT '{}'::jsonb
    UNION ALL SELECT '{"draw_sigma": 0.5}' WHERE m.name = 'state_space'
    UNION ALL SELECT '{"squad_offset": [[2, 0.5], [3, 1.25]], "initial_base_sigma": 0.7, "base_weight": 0.8, "experience_offset": [[0, -1], [3, 0.5]]}' WHERE m.name = 'trueskill2'
    UNION ALL SELECT '{"variant": "thurstone_mosteller_full"}' WHERE m.name = 'weng_lin') AS p(params);
-- Seven players in two or three teams, with all state columns set, and what is known of them.
CREATE TABLE predict_match AS
SELECT m.name AS model, m.params, seed, array_agg(10 * seed + i ORDER BY i) AS players, array_agg(CASE WHEN 'many_teams' = ANY (m.supports) AND seed % 3 = 0 THEN 4 + (i + seed) % 3 ELSE 4 + (i + seed) % 2 * 5 END ORDER BY i) AS team,
    array_agg(CASE WHEN 'weight' = ANY (m.supports) AND seed % 2 = 0 THEN 0.25 + 0.75 * chance(seed, 3, i) ELSE 1 END ORDER BY i) AS weight,
    CASE WHEN 'weight' = ANY (m.supports) AND seed % 4 = 1 THEN array_agg(100 * chance(seed, 4, i) ORDER BY i) END AS joined,
    CASE WHEN 'weight' = ANY (m.supports) AND seed % 4 = 1 THEN array_agg(100 + 100 * chance(seed, 5, i) ORDER BY i) END AS left_at,
    CASE WHEN m.command_column IS NOT NULL AND seed % 2 = 0 THEN array_agg(CASE WHEN i < 3 THEN 0.5 ELSE 0 END ORDER BY i) END AS commanding,
    CASE WHEN m.side_column IS NOT NULL AND NOT ('many_teams' = ANY (m.supports) AND seed % 3 = 0) THEN array_agg(1 + (i + seed) % 2 ORDER BY i) END AS side,
    CASE WHEN 'squads' = ANY (m.supports) THEN array_agg(CASE WHEN i % 3 > 0 THEN i % 3 END::bigint ORDER BY i) END AS squad,
    CASE WHEN 'log_odds' = ANY (m.supports) AND seed % 3 > 0 THEN chance(seed, 6, 0) - 0.5 ELSE 0 END AS log_odds, array_agg(s.state ORDER BY i) AS state, count(*) AS n
FROM predict_model AS m, generate_series(1, 8) AS seed, generate_series(1, 7) AS i,
    LATERAL (SELECT array_agg(c.initial + CASE WHEN c.n = 1 THEN (chance(seed, 7, i) - 0.5) * 3 * (SELECT log_odds_unit FROM skillrating.models(m.name, m.params)) ELSE (0.2 + c.initial * 0.3) * chance(seed, 7 + c.n::int, i) END ORDER BY c.n) AS state
        FROM unnest(m.state_columns, skillrating.initial_state(m.name, m.params)) WITH ORDINALITY AS c(name, initial, n)) AS s
GROUP BY m.name, m.params, m.supports, m.command_column, m.side_column, seed;
\set ECHO all

-- To the bit: within a transaction states do not age.
\set ECHO none
CREATE TABLE predict_found (model text, params jsonb, seed int, teams bigint, same boolean, adds_up boolean);
CREATE FUNCTION compare_predictions(m predict_model) RETURNS void LANGUAGE sql AS $$
    SELECT skillrating.create_ladder('predicted', m.name, m.params, player_type => 'integer');
    SELECT skillrating.set_rating('predicted', l.players[i], (SELECT jsonb_object_agg(m.state_columns[c], l.state[i][c]) FROM generate_subscripts(m.state_columns, 1) AS c))
    FROM predict_match AS l, generate_subscripts(l.players, 1) AS i WHERE l.model = m.name AND l.params = m.params;
    -- What pools share is in a row of its own.
    SELECT skillrating.set_rating('predicted', l.players[i], jsonb_build_object('base_mu', l.state[i][3], 'base_sigma', l.state[i][4]), pool => '*')
    FROM predict_match AS l, generate_subscripts(l.players, 1) AS i WHERE l.model = m.name AND l.params = m.params AND m.params ? 'initial_base_sigma';
    INSERT INTO predict_found
    SELECT m.name, m.params, l.seed, count(*), bool_and(predicted = previewed AND predicted BETWEEN 0 AND 1), abs(sum(predicted) - 1) < 1e-9
    FROM predict_match AS l,
        LATERAL (SELECT p.win_probability AS predicted, v.win_probability AS previewed FROM skillrating.predict(m.name, l.state, l.team, CASE WHEN l.joined IS NULL THEN l.weight END, l.joined, l.left_at, l.commanding, l.side, l.squad, log_odds => l.log_odds, params => m.params) AS p
        FULL JOIN (SELECT v.team, min(v.win_probability) AS win_probability FROM skillrating.preview('predicted', l.players, l.team, weight => CASE WHEN l.joined IS NULL THEN l.weight END, joined => l.joined, left_at => l.left_at,
            commanding => l.commanding, side => l.side, squad => l.squad, log_odds => l.log_odds) AS v GROUP BY v.team) AS v USING (team)) AS w
    WHERE l.model = m.name AND l.params = m.params GROUP BY l.seed;
    SELECT skillrating.drop_ladder('predicted');
$$;
CREATE PROCEDURE compare_all() LANGUAGE plpgsql AS $$
DECLARE
    m predict_model;
BEGIN
    FOR m IN SELECT f.* FROM predict_model AS f LOOP
        PERFORM compare_predictions(m);
        COMMIT;
    END LOOP;
END $$;
\set ECHO all
CALL compare_all();
SELECT string_agg(model || CASE WHEN with_params THEN '*' ELSE '' END, ' ' ORDER BY model, with_params), matches, teams, as_preview, adds_up FROM (
SELECT model, params <> '{}' AS with_params, count(*) AS matches, max(teams) AS teams, bool_and(same) AS as_preview, bool_and(adds_up) AS adds_up FROM predict_found GROUP BY 1, 2
) AS q GROUP BY matches, teams, as_preview, adds_up ORDER BY 1;
-- States in a row are as one below the other, and neither the order of players nor the numbers of teams matter.
SELECT bool_and(a.p = b.p) AS in_a_row, bool_and(a.p = c.p) AS reversed FROM predict_match AS l,
    LATERAL (SELECT array_agg(win_probability ORDER BY team) AS p FROM skillrating.predict(model, state, team, weight, side => side, squad => squad, commanding => commanding, log_odds => log_odds, params => params)) AS a,
    LATERAL (SELECT array_agg(win_probability ORDER BY team) AS p FROM skillrating.predict(model, ARRAY(SELECT unnest(state)), team, weight, side => side, squad => squad, commanding => commanding, log_odds => log_odds, params => params)) AS b,
    LATERAL (SELECT array_agg(win_probability ORDER BY team) AS p FROM skillrating.predict(model, (SELECT array_agg((SELECT array_agg(state[i][c] ORDER BY c) FROM generate_subscripts(state, 2) AS c) ORDER BY i DESC) FROM generate_subscripts(players, 1) AS i),
        (SELECT array_agg(team[i] * 10 ORDER BY i DESC) FROM generate_subscripts(players, 1) AS i), (SELECT array_agg(weight[i] ORDER BY i DESC) FROM generate_subscripts(players, 1) AS i), side => (SELECT array_agg(side[i] ORDER BY i DESC) FROM generate_subscripts(players, 1) AS i WHERE side IS NOT NULL),
        squad => (SELECT array_agg(squad[i] ORDER BY i DESC) FROM generate_subscripts(players, 1) AS i WHERE squad IS NOT NULL), commanding => (SELECT array_agg(commanding[i] ORDER BY i DESC) FROM generate_subscripts(players, 1) AS i WHERE commanding IS NOT NULL),
        log_odds => log_odds, params => params)) AS c;

-- A history says of each match what predict() says of the states before it, and of the matches that players had.
SELECT string_agg(name || CASE WHEN with_params THEN '*' ELSE '' END, ' ' ORDER BY name, with_params), matches, as_rated FROM (
WITH bout AS (
    SELECT m, p, (p + m) % 2 AS team, 1 + (p * m) % 2 AS rank FROM generate_series(1, 20) AS m, generate_series(1, 4) AS p
), rated AS (
    SELECT f.name, f.params, m, p, team, skillrating.rate(f.name, p, team, CASE WHEN team = m % 2 THEN 1 ELSE 2 END, options => f.params) OVER (PARTITION BY f.name, f.params ORDER BY m) AS r FROM predict_model AS f, bout
), forecast AS (
    SELECT name, m, params, array_agg((r).state_before ORDER BY p) AS state, array_agg(team ORDER BY p) AS team, array_agg((r).games_before::int ORDER BY p) AS games, min((r).win_probability) FILTER (WHERE team = 0) AS p
    FROM rated GROUP BY name, params, m
)
SELECT name, params <> '{}' AS with_params, count(*) AS matches, bool_and(f.p = (SELECT w.win_probability FROM skillrating.predict(name, state, f.team, experience => games, params => params, components =>
        (SELECT skillrating.final_components(f.name, b.m, b.p, b.team, CASE WHEN b.team = b.m % 2 THEN 1 ELSE 2 END, NULL, f.params ORDER BY b.m) FROM bout AS b WHERE b.m < f.m)) AS w WHERE w.team = 0)) AS as_rated
FROM forecast AS f GROUP BY 1, 2
) AS q GROUP BY matches, as_rated ORDER BY 1;

-- Draws: the probability between equals who are known; by quadrature, of what the models say is normal.
SELECT abs(draw_probability - 0.1) < 1e-12 AS between_equals FROM skillrating.predict('trueskill', '{{25,1e-9},{25,1e-9}}', '{1,2}', params => '{"tau": 0}') LIMIT 1;
CREATE FUNCTION normal_band(lead float8, margin float8, c float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS
'SELECT sum(exp(-(((i - 0.5) / 10000 * 2 * margin - margin - lead) ^ 2) / (2 * c ^ 2))) * 2 * margin / 10000 / c / sqrt(2 * pi()) FROM generate_series(1, 10000) AS i';
SELECT what, count(*) AS teams, bool_and(abs(p.draw_probability - d.draw) < 1e-8) AS as_computed, abs(sum(win_probability) - 1) < 1e-12 AS adds_up FROM (VALUES
    ('trueskill', 'trueskill', '{{25,8},{30,3},{27,2},{20,4}}'::float8[], '{1,1,2,2}'::int[], 0::float8, '{"tau": 0}'::jsonb, normal_band(8, 0.125661346855074 * sqrt(4) * 25 / 6, sqrt(64 + 9 + 4 + 16 + 4 * (25 / 6.0) ^ 2)::float8)),
    ('trueskill2', 'trueskill2', '{{25,8,0,0},{30,3,0,0}}', '{1,2}', 0.5, '{"draw_margin": 2, "tau": 0, "beta": 1}', NULL),
    ('weng_lin', 'weng_lin', '{{25,8},{30,3}}', '{1,2}', 0, '{"variant": "thurstone_mosteller_full", "epsilon": 2, "tau": 0}', normal_band(5, 2, sqrt(64 + 9 + 2 * (25 / 6.0) ^ 2)::float8))) AS v(what, model, state, team, log_odds, params, draw),
    LATERAL (SELECT CASE what WHEN 'trueskill2' THEN (SELECT normal_band(-5 + sqrt(pi() / 8) * 0.5 * c, 2, c) FROM (SELECT sqrt(64 + 9 + 2 * ((SELECT parameters FROM skillrating.models('trueskill2', v.params)) ->> 'beta')::float8 ^ 2) AS c) AS c) ELSE v.draw END AS draw) AS d,
    LATERAL skillrating.predict(v.model, v.state, v.team, log_odds => v.log_odds, params => v.params) AS p GROUP BY what ORDER BY what;
SELECT model, count(*) AS matches, count(draw_probability) AS draws FROM predict_match AS l, LATERAL (SELECT min(draw_probability) AS draw_probability FROM skillrating.predict(model, state, team, side => side, params => params)) AS p GROUP BY model ORDER BY model;

-- Bare parameters work.
PREPARE forecast AS SELECT team, round(win_probability::numeric, 4) AS p FROM skillrating.predict($1, $2, $3, weight => $4, squad => $5, log_odds => $6, params => $7);
EXECUTE forecast('elo', '{1500,1600,1400}', '{1,2,1}', '{1,1,0.5}', '{1,NULL,1}', 0.1, '{}');
SELECT count(*) FROM skillrating.predict('elo', NULL, '{1,2}');
SELECT count(*) FROM skillrating.predict('elo', '{}', '{}');
-- What cannot be is an error.
SELECT * FROM skillrating.predict(NULL, '{1,2}', '{1,2}');
SELECT * FROM skillrating.predict('elo', '{1,2}', '{1,2}', log_odds => NULL);
\set VERBOSITY terse
SELECT * FROM skillrating.predict('nosuch', '{1,2}', '{1,2}');
SELECT * FROM skillrating.predict('elo', '{1,2}', '{1,2}', log_odds => 'infinity');
SELECT * FROM skillrating.predict('elo', '{1,2}', '{1,2}', params => '{"k": -1}');
SELECT * FROM skillrating.predict('elo', '{1,2}', '{1,1}');
SELECT * FROM skillrating.predict('elo', '{1,2,3}', '{1,2}');
SELECT * FROM skillrating.predict('elo', '{1,NULL}', '{1,2}');
SELECT * FROM skillrating.predict('elo', '{1,NaN}', '{1,2}');
\set VERBOSITY default
SELECT * FROM skillrating.predict('elo', '{1,2}', '{1,NULL}');
SELECT * FROM skillrating.predict('trueskill', '{25,8,25}', '{1,2}');
\set VERBOSITY terse
SELECT * FROM skillrating.predict('trueskill', '{{25,8,25,8}}', '{1,2}');
SELECT * FROM skillrating.predict('trueskill', '{25,8,25,-1}', '{1,2}');
SELECT * FROM skillrating.predict('glicko', '{{1500,350},{1500,350}}', '{1,2}', weight => '{1}');
SELECT * FROM skillrating.predict('glicko', '{{1500,350},{1500,350}}', '{1,2}', weight => '{1,-1}');
SELECT * FROM skillrating.predict('hive', (SELECT array_agg(skillrating.initial_state('hive')) FROM generate_series(1, 2)), '{1,2}', side => '{1,3}');
SELECT * FROM skillrating.predict('hive', (SELECT array_agg(skillrating.initial_state('hive')) FROM generate_series(1, 3)), '{1,2,3}');

DROP PROCEDURE compare_all;
DROP FUNCTION compare_predictions, chance, normal_band;
DROP TABLE predict_model, predict_match, predict_found;
DEALLOCATE forecast;
