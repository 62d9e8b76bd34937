-- Every team maker says of the teams that it returns what preview() says: for all models, with all
-- inputs that a model supports, so that a new model is tried on the day it is registered.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SET client_min_messages = warning;
\set SHOW_CONTEXT never
-- Parameters that make inputs matter.
CREATE TABLE forecast_model AS
SELECT m.*, coalesce(p.params, '{}') AS params
FROM skillrating.models() AS m LEFT JOIN (VALUES
    ('trueskill2', '{"squad_offset": [[2, 0.5], [3, 1.25]], "initial_base_sigma": 0.7, "base_weight": 0.8}'::jsonb),
    ('trueskill', '{"tau": 0.1}')) AS p(name, params) USING (name);
\set ECHO all

-- A number from 0 to 1.
CREATE FUNCTION chance(seed bigint, what int, player int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
'SELECT (hashint8extended(player, seed * 100 + what) & 1048575) / 1048576.0::float8';

-- Nine players of a model: new ones but for the columns that team makers ask for, and with all columns set.
\set ECHO none
CREATE TABLE forecast_lobby AS
SELECT m.name AS model, seed, (10 * seed + p.i)::int AS player, CASE WHEN (i + seed) % 9 < 3 THEN 7 WHEN (i + seed) % 9 < 5 THEN 3 WHEN (i + seed) % 9 = 5 THEN 1 END AS party,
    CASE WHEN 'weight' = ANY (m.supports) THEN 0.25 + 0.75 * chance(seed, 3, i) ELSE 1 END AS weight,
    CASE WHEN 'log_odds' = ANY (m.supports) AND seed % 2 = 0 THEN 0.7 * chance(seed, 4, 0) ELSE 0 END AS log_odds,
    array_agg(s.initial + CASE
        WHEN s.n = 1 THEN (chance(seed, 5, i) - 0.5) * 3 * (SELECT log_odds_unit FROM skillrating.models(m.name, m.params))
        WHEN s.name = m.deviation_column THEN -s.initial * 0.6 * chance(seed, 6, i)
        WHEN s.name IN (m.side_column, m.command_column) THEN chance(seed, 7 + s.n::int, i) - 0.5
        ELSE 0 END ORDER BY s.n) AS state,
    array_agg(s.initial + CASE WHEN s.n = 1 THEN (chance(seed, 5, i) - 0.5) * 3 * (SELECT log_odds_unit FROM skillrating.models(m.name, m.params))
        ELSE (0.2 + s.initial * 0.3) * chance(seed, 7 + s.n::int, i) END ORDER BY s.n) AS full_state
FROM forecast_model AS m, generate_series(1, 4) AS seed, generate_series(1, 9) AS p(i),
    LATERAL unnest(m.state_columns, skillrating.initial_state(m.name, m.params)) WITH ORDINALITY AS s(name, initial, n)
GROUP BY m.name, m.supports, seed, i;

-- What preview() says of teams, whose bench is null, by team.
CREATE FUNCTION forecast(ladder text, players int[], team int[], weight float8[], party int[], sides boolean, commands boolean[], log_odds float8) RETURNS float8[] LANGUAGE sql STABLE AS $$
    SELECT array_agg(p ORDER BY t) FROM (
        SELECT w.team AS t, min(w.win_probability) AS p
        FROM (SELECT array_agg(u.player ORDER BY n) AS who, array_agg(u.team ORDER BY n) AS t, array_agg(coalesce(u.weight, 1) ORDER BY n) AS weights, array_agg(u.party::bigint ORDER BY n) AS squads, array_agg(coalesce(u.commands, false)::int::float8 ORDER BY n) AS commanding
            FROM unnest(players, team, weight, party, commands) WITH ORDINALITY AS u(player, team, weight, party, commands, n) WHERE u.team IS NOT NULL) AS a,
            skillrating.preview(ladder, who, a.t, weight => weights, squad => squads, side => CASE WHEN sides THEN a.t END, commanding => CASE WHEN commands IS NOT NULL THEN commanding END, log_odds => log_odds) AS w
        GROUP BY w.team) AS q
$$;
\set ECHO all

-- Who commands, by two commanders.
CREATE FUNCTION commanding(players int[], skill float8[], a int, b int) RETURNS boolean[] LANGUAGE sql IMMUTABLE AS
'SELECT array_agg(p IN (a, b) ORDER BY n) FROM unnest(players) WITH ORDINALITY AS u(p, n) WHERE skill IS NOT NULL';

-- By maker, how far from that it is at most, and how many answers were compared.
\set ECHO none
CREATE TABLE forecast_found (model text, seed bigint, maker text, off float8);
CREATE FUNCTION compare_forecasts(wanted text, lobby_seed bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m forecast_model;
    many boolean;
    sides boolean;
    p int[];
    mu float8[];
    mu_2 float8[];
    dev float8[];
    w float8[];
    par int[];
    lo float8;
    com float8[];
    may boolean[] := CASE WHEN lobby_seed = 2 THEN '{t,f,t,t,f,t,t,t,t}'::boolean[] END;
    now_in int[] := '{1,1,1,1,1,2,2,2,2}';
BEGIN
    SELECT * INTO m FROM forecast_model AS f WHERE f.name = wanted;
    many := 'many_teams' = ANY (m.supports);
    sides := m.side_column IS NOT NULL;
    SELECT array_agg(player ORDER BY player),
        array_agg(state[1] + CASE WHEN sides THEN state[array_position(m.state_columns, m.side_column)] ELSE 0 END ORDER BY player),
        array_agg(state[1] - state[array_position(m.state_columns, m.side_column)] ORDER BY player) FILTER (WHERE sides),
        array_agg(state[array_position(m.state_columns, m.deviation_column)] ORDER BY player) FILTER (WHERE m.deviation_column IS NOT NULL),
        array_agg(weight ORDER BY player), array_agg(party ORDER BY player), max(log_odds),
        array_agg(state[array_position(m.state_columns, m.command_column)] ORDER BY player) FILTER (WHERE m.command_column IS NOT NULL)
    INTO p, mu, mu_2, dev, w, par, lo, com FROM forecast_lobby WHERE model = wanted AND seed = lobby_seed;
    -- Splits of two teams, with and without a bench, commanders, and of three.
    INSERT INTO forecast_found SELECT wanted, lobby_seed, maker, abs(found.p[t] - (forecast(ladder, players, team, weights, parties, with_sides, commands, odds))[t])
    FROM (
        SELECT 'split_teams' AS maker, 'forecast_new' AS ladder, p AS players, array_agg(s.team ORDER BY n) AS team, w AS weights, par AS parties, sides AS with_sides, array_agg(s.commands ORDER BY n) FILTER (WHERE com IS NOT NULL) AS commands, lo AS odds,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2)] AS p
        FROM unnest(ARRAY[NULL, 3]) AS size, LATERAL skillrating.split_teams(skillrating.lobby(p::text[], mu, mu_2 => mu_2, sigma => dev, weight => w, party => par::text[], log_odds => lo, model => m.name, params => m.params, command_mu => com), team_size => size) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n) GROUP BY size
        UNION ALL
        SELECT 'split_teams of three', 'forecast_new', p, array_agg(s.team ORDER BY n), w, par, false, NULL, 0,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2), max(win_probability) FILTER (WHERE s.team = 3)]
        FROM skillrating.split_teams(skillrating.lobby((CASE WHEN many THEN p END)::text[], (SELECT array_agg(state[1] ORDER BY player) FROM forecast_lobby WHERE model = wanted AND seed = lobby_seed), sigma => dev, weight => w, party => par::text[], model => m.name, params => m.params), teams => CASE WHEN many THEN 3 ELSE 2 END) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n)
        UNION ALL
        SELECT 'split_all_sizes', 'forecast_new', p, array_agg(s.team ORDER BY array_position(p, s.player_id::int)), w, par, sides, array_agg(s.commands ORDER BY array_position(p, s.player_id::int)) FILTER (WHERE com IS NOT NULL), lo,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2)]
        FROM skillrating.split_all_sizes(skillrating.lobby(p::text[], mu, mu_2 => mu_2, sigma => dev, weight => w, party => par::text[], log_odds => lo, model => m.name, params => m.params, command_mu => com, commanders => may)) AS s GROUP BY team_size
        UNION ALL
        SELECT 'split_teams, ladder', 'forecast_full', p, array_agg(s.team ORDER BY n), w, par, sides, array_agg(s.commands ORDER BY n) FILTER (WHERE com IS NOT NULL), lo,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2)]
        FROM unnest(ARRAY[NULL, 3]) AS size, LATERAL skillrating.split_teams(skillrating.lobby('forecast_full', p, weight => w, party => par::text[], sides => sides, commanders => CASE WHEN com IS NOT NULL THEN '{t}'::boolean[] END, log_odds => lo), team_size => size) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n) GROUP BY size
        UNION ALL
        SELECT 'split_teams of three, ladder', 'forecast_full', p, array_agg(s.team ORDER BY n), w, par, false, NULL, 0,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2), max(win_probability) FILTER (WHERE s.team = 3)]
        FROM skillrating.split_teams(skillrating.lobby('forecast_full', CASE WHEN many THEN p END, weight => w, party => par::text[]), teams => CASE WHEN many THEN 3 ELSE 2 END) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n)
        UNION ALL
        SELECT 'suggest_swaps, ladder', 'forecast_full', p, (SELECT array_agg(CASE WHEN p[i] = ANY ((array_agg(s.player_id_a) || array_agg(s.player_id_b))::int[]) THEN 3 - now_in[i] ELSE now_in[i] END ORDER BY i) FROM generate_series(1, 9) AS i), w, par, sides, commanding(p, com, min(s.commander_1)::int, min(s.commander_2)::int), lo, ARRAY[max(win_probability)]
        FROM skillrating.suggest_swaps(skillrating.lobby('forecast_full', p, weight => w, party => par::text[], current => now_in, sides => sides, commanders => CASE WHEN com IS NOT NULL THEN coalesce(may, '{t,t,t,t,t,t,t,t,t}') END, log_odds => lo)) AS s GROUP BY swaps
        UNION ALL
        SELECT 'place_joiner, ladder', 'forecast_full', p, (SELECT array_agg(coalesce(t[i], (array_agg(s.team))[array_position(array_agg(s.player_id::int), p[i])]) ORDER BY i) FROM generate_series(1, 9) AS i), w, par, sides, commanding(p, com, min(s.commander_1)::int, min(s.commander_2)::int), lo, ARRAY[max(win_probability)]
        FROM (VALUES ('{1,1,1,2,2,2,NULL,NULL,NULL}'::int[])) AS l(t), skillrating.place_joiner(skillrating.lobby('forecast_full', p, weight => w, party => par::text[], current => t, sides => sides, commanders => CASE WHEN com IS NOT NULL THEN coalesce(may, '{t,t,t,t,t,t,t,t,t}') END, log_odds => lo), max_lead => 3) AS s GROUP BY t
        UNION ALL
        SELECT 'suggest_swaps', 'forecast_new', p, (SELECT array_agg(CASE WHEN p[i] = ANY ((array_agg(s.player_id_a) || array_agg(s.player_id_b))::int[]) THEN 3 - now_in[i] ELSE now_in[i] END ORDER BY i) FROM generate_series(1, 9) AS i), w, par, sides, commanding(p, com, min(s.commander_1)::int, min(s.commander_2)::int), lo, ARRAY[max(win_probability)]
        FROM skillrating.suggest_swaps(skillrating.lobby(p::text[], mu, current => now_in, mu_2 => mu_2, sigma => dev, weight => w, party => par::text[], log_odds => lo, model => m.name, params => m.params, command_mu => com, commanders => may)) AS s GROUP BY swaps
        UNION ALL
        SELECT 'suggest_swaps, greedy', 'forecast_new', p, (SELECT array_agg(CASE WHEN p[i] = ANY ((array_agg(s.player_id_a) || array_agg(s.player_id_b))::int[]) THEN 3 - now_in[i] ELSE now_in[i] END ORDER BY i) FROM generate_series(1, 9) AS i), w, par, sides, commanding(p, com, min(s.commander_1)::int, min(s.commander_2)::int), lo, ARRAY[max(win_probability)]
        FROM skillrating.suggest_swaps(skillrating.lobby(p::text[], mu, current => now_in, mu_2 => mu_2, sigma => dev, weight => w, party => par::text[], log_odds => lo, model => m.name, params => m.params, command_mu => com, commanders => may), method => 'greedy', max_swaps => 1) AS s GROUP BY swaps
        UNION ALL
        SELECT 'suggest_transfers', 'forecast_new', p, (SELECT array_agg(CASE WHEN p[i] = ANY (array_agg(s.player_id)::int[]) THEN 3 - t[i] ELSE t[i] END ORDER BY i) FROM generate_series(1, 9) AS i), w, par, sides, commanding(p, com, min(s.commander_1)::int, min(s.commander_2)::int), lo, ARRAY[max(win_probability)]
        FROM (VALUES ('{1,1,1,1,2,1,1,2,2}'::int[])) AS l(t), skillrating.suggest_transfers(skillrating.lobby(p::text[], mu, current => t, mu_2 => mu_2, sigma => dev, weight => w, party => par::text[], log_odds => lo, model => m.name, params => m.params, command_mu => com, commanders => may), max_swaps => 1) AS s GROUP BY t
        UNION ALL
        SELECT 'place_joiner', 'forecast_new', p, (SELECT array_agg(coalesce(t[i], (array_agg(s.team))[array_position(array_agg(s.player_id::int), p[i])]) ORDER BY i) FROM generate_series(1, 9) AS i), w, par, sides, commanding(p, com, min(s.commander_1)::int, min(s.commander_2)::int), lo, ARRAY[max(win_probability)]
        FROM (VALUES ('{1,1,1,2,2,2,NULL,NULL,NULL}'::int[])) AS l(t), skillrating.place_joiner(skillrating.lobby(p::text[], mu, current => t, mu_2 => mu_2, sigma => dev, weight => w, party => par::text[], log_odds => lo, model => m.name, params => m.params, command_mu => com, commanders => may), max_lead => 3) AS s GROUP BY t
        UNION ALL
        SELECT 'pair_queue', 'forecast_new', array_agg(s.player_id::int ORDER BY s.player_id::int), array_agg(s.team ORDER BY s.player_id::int), array_agg(w[array_position(p, s.player_id::int)] ORDER BY s.player_id::int), array_agg(par[array_position(p, s.player_id::int)] ORDER BY s.player_id::int), sides,
            array_agg(s.commands ORDER BY s.player_id::int) FILTER (WHERE com IS NOT NULL), lo,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2)]
        FROM unnest(ARRAY[1, 2, 4]) AS size, LATERAL skillrating.pair_queue(skillrating.lobby(p::text[], mu, mu_2 => mu_2, sigma => dev, weight => w, party => par::text[], command_mu => com, commanders => may, log_odds => lo, model => m.name, params => m.params), team_size => size, initial_window => 1e9) AS s GROUP BY size, match_number
        UNION ALL
        SELECT 'pair_queue of three', 'forecast_new', array_agg(s.player_id::int ORDER BY s.player_id::int), array_agg(s.team ORDER BY s.player_id::int), array_agg(w[array_position(p, s.player_id::int)] ORDER BY s.player_id::int), array_agg(par[array_position(p, s.player_id::int)] ORDER BY s.player_id::int), false, NULL, 0,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2), max(win_probability) FILTER (WHERE s.team = 3)]
        FROM skillrating.pair_queue(skillrating.lobby((CASE WHEN many THEN p END)::text[], (SELECT array_agg(state[1] ORDER BY player) FROM forecast_lobby WHERE model = wanted AND seed = lobby_seed), sigma => dev, weight => w, party => par::text[], model => m.name, params => m.params), teams => CASE WHEN many THEN 3 ELSE 2 END, team_size => 3, initial_window => 1e9) AS s GROUP BY match_number
        UNION ALL
        SELECT 'pair_queue, plain', 'forecast_new', array_agg(s.player_id::int ORDER BY s.player_id::int), array_agg(s.team ORDER BY s.player_id::int), NULL, (SELECT array_agg(par[array_position(p, s.player_id::int)] ORDER BY s.player_id::int)), false, NULL, 0,
            ARRAY[max(win_probability) FILTER (WHERE s.team = 1), max(win_probability) FILTER (WHERE s.team = 2)]
        FROM unnest(ARRAY[1, 2, 4]) AS size, LATERAL skillrating.pair_queue(skillrating.lobby(p::text[], (SELECT array_agg(state[1] ORDER BY player) FROM forecast_lobby WHERE model = wanted AND seed = lobby_seed), sigma => dev, party => par::text[], model => m.name, params => m.params), team_size => size, initial_window => 1e9) AS s GROUP BY size, match_number
        UNION ALL
        SELECT 'find_opponents', 'forecast_full', ARRAY[p[1], s.player_id::int], '{1,2}', NULL, NULL, false, NULL, 0, ARRAY[s.win_probability] FROM skillrating.find_opponents('forecast_full', p[1], 5) AS s
    ) AS found, LATERAL generate_subscripts(found.p, 1) AS t WHERE found.p[1] IS NOT NULL;
END $$;
-- A transaction for each model, within which states do not age.
CREATE PROCEDURE compare_models() LANGUAGE plpgsql AS $$
DECLARE
    m forecast_model;
BEGIN
    FOR m IN SELECT f.* FROM forecast_model AS f LOOP
        PERFORM skillrating.create_ladder('forecast_new', m.name, m.params, player_type => 'integer'),
            skillrating.create_ladder('forecast_full', m.name, m.params, player_type => 'integer');
        PERFORM skillrating.set_rating('forecast_new', player, (SELECT jsonb_object_agg(c, v) FROM unnest(m.state_columns, state) AS u(c, v))),
            skillrating.set_rating('forecast_full', player, (SELECT jsonb_object_agg(c, v) FROM unnest(m.state_columns, full_state) AS u(c, v)))
        FROM forecast_lobby WHERE model = m.name;
        PERFORM compare_forecasts(m.name, seed) FROM generate_series(1, 4) AS seed;
        PERFORM skillrating.drop_ladder('forecast_new'), skillrating.drop_ladder('forecast_full');
        COMMIT;
    END LOOP;
END $$;
\set ECHO all
CALL compare_models();
SELECT string_agg(maker, ' ' ORDER BY maker), compared, as_preview FROM (
SELECT maker, count(*) >= 6 AS compared, bool_and(coalesce(off < 1e-12, false)) AS as_preview FROM forecast_found GROUP BY maker
) AS q GROUP BY compared, as_preview ORDER BY 1;
SELECT name FROM forecast_model EXCEPT SELECT model FROM forecast_found WHERE maker = 'split_teams';


-- Squads and base skills decide which split is best, too: of all that keep the parties, by preview().
SELECT skillrating.create_ladder('forecast_squads', 'trueskill2', (SELECT params FROM forecast_model WHERE name = 'trueskill2'), player_type => 'integer') \gset
SELECT count(*) FROM (SELECT skillrating.set_rating('forecast_squads', player, (SELECT jsonb_object_agg(c, v) FROM unnest(state_columns, full_state) AS u(c, v))) FROM forecast_lobby AS l JOIN forecast_model AS m ON m.name = l.model WHERE l.model = 'trueskill2') AS s;
WITH lobby AS (SELECT seed, array_agg(player ORDER BY player) AS players, ARRAY[1, 1, NULL, NULL, 2 + (seed % 2)::int, 2] AS party FROM forecast_lobby WHERE model = 'trueskill2' AND player % 10 <= 6 GROUP BY seed),
    splits AS (SELECT seed, players, party, array_agg(1 + (code >> i & 1) ORDER BY i) AS team FROM lobby, generate_series(0, 63) AS code, generate_series(0, 5) AS i WHERE bit_count(code::bit(6)) = 3 GROUP BY seed, players, party, code),
    best AS (SELECT seed, min(abs((forecast('forecast_squads', players, team, array_fill(1.0::float8, '{6}'), party, false, NULL, 0))[1] - 0.5)) AS off
        FROM splits WHERE team[1] = team[2] AND (party[5] <> party[6] OR team[5] = team[6]) GROUP BY seed),
    found AS (SELECT seed, max(abs(s.win_probability - 0.5)) AS off, bool_and(exact) AS exact FROM lobby, skillrating.split_teams(skillrating.lobby('forecast_squads', players, party => party::text[])) AS s GROUP BY seed)
SELECT seed, f.off < b.off + 1e-9 AS best, exact FROM best AS b JOIN found AS f USING (seed) ORDER BY seed;
SELECT skillrating.drop_ladder('forecast_squads') \gset
-- Two squads of equals: a performance of a pair is one more, each of deviation 1 and of a skill known to the square root of 1.6.
SELECT maker, abs(p - skillrating.elo_win_probability(2, 0, 2 * sqrt(2 * 2.6), 'normal')) < 1e-12 AS as_computed, round(p::numeric, 3) AS p
FROM (SELECT 'split_teams' AS maker, max(win_probability) AS p FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d}'::text[], '{3,3,3,3}', party => '{1,1,NULL,NULL}', model => 'trueskill2', params => '{"squad_offset": [[2, 1]], "draw_margin": 0}')) AS s
    UNION ALL SELECT 'pair_queue', max(win_probability) FROM skillrating.pair_queue(skillrating.lobby('{a,b,c,d}'::text[], '{3,3,3,3}', party => '{1,1,NULL,NULL}', model => 'trueskill2', params => '{"squad_offset": [[2, 1]], "draw_margin": 0}'), team_size => 2, initial_window => 10) AS s) AS p ORDER BY maker;

DROP PROCEDURE compare_models;
DROP FUNCTION compare_forecasts, forecast, commanding, chance;
DROP TABLE forecast_model, forecast_lobby, forecast_found;
