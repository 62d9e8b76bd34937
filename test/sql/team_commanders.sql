-- Commanders of existing teams and of queued players, against all that is possible.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE FUNCTION chance(seed int, what int, player int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
'SELECT (hashint8extended(player, seed * 100 + what) & 1048575) / 1048576.0::float8';
-- Eight players, in odd lobbies with sides, in every third with fewer who may command.
CREATE TABLE commander_lobby AS
SELECT seed, array_agg(i ORDER BY i) AS players, array_agg(round(1000 + 1000 * chance(seed, 1, i)) ORDER BY i) AS mu,
    CASE WHEN seed % 2 = 1 THEN array_agg(round(1000 + 1000 * chance(seed, 2, i)) ORDER BY i) END AS mu_2,
    array_agg(round(400 * chance(seed, 3, i)) ORDER BY i) AS command_mu,
    CASE WHEN seed % 2 = 1 THEN array_agg(round(400 * chance(seed, 4, i)) ORDER BY i) END AS command_mu_2,
    CASE WHEN seed % 3 = 0 THEN array_agg(i IN (2, 3, 6, 8) ORDER BY i) END AS commander,
    CASE WHEN seed % 4 = 0 THEN '{NULL,7,7,NULL,NULL,NULL,NULL,NULL}'::int[] END AS party,
    CASE WHEN seed % 5 = 0 THEN 0.3 ELSE 0 END AS log_odds, CASE WHEN seed % 7 = 0 THEN 'share' WHEN seed % 7 = 1 THEN 'sum' ELSE 'mean' END AS strength
FROM generate_series(1, 12) AS seed, generate_series(1, 8) AS i GROUP BY seed;

-- The strength of the first team less that of the second, and how far from even that is, by the definition.
CREATE FUNCTION lobby_lead(l commander_lobby, team int[], c1 int, c2 int, OUT difference float8, OUT off float8) LANGUAGE sql IMMUTABLE AS $$
    SELECT difference, abs(difference + l.log_odds * 400 / ln(10.0::float8))
    FROM (SELECT (sum(mu) FILTER (WHERE t = 1 AND i <> c1)) / CASE l.strength WHEN 'mean' THEN count(*) FILTER (WHERE t = 1) - 1 WHEN 'share' THEN count(*) FILTER (WHERE t > 0) - 2 ELSE 1 END
            - (sum(coalesce(mu_2, mu)) FILTER (WHERE t = 2 AND i <> c2)) / CASE l.strength WHEN 'mean' THEN count(*) FILTER (WHERE t = 2) - 1 WHEN 'share' THEN count(*) FILTER (WHERE t > 0) - 2 ELSE 1 END
            + 0.5 * (sum(c) FILTER (WHERE i = c1)) - 0.5 * (sum(coalesce(c_2, c)) FILTER (WHERE i = c2)) AS difference
        FROM unnest(l.players, l.mu, l.mu_2, l.command_mu, l.command_mu_2, team) AS u(i, mu, mu_2, c, c_2, t)) AS d
$$;
-- All teams that differ from those at present, by how many leave either; null is nobody's team.
CREATE TABLE team_code AS
SELECT code, array_agg(1 + (code >> (i - 1) & 1) ORDER BY i) AS team FROM generate_series(0, 255) AS code, generate_series(1, 8) AS i GROUP BY code;
CREATE FUNCTION possible(l commander_lobby, now_in int[], OUT swaps bigint, OUT transfers bigint, OUT first bigint, OUT off float8) RETURNS SETOF record LANGUAGE sql STABLE AS $$
    SELECT least(a, b), abs(a - b), first, min((lobby_lead(l, team, c1, c2)).off)
    FROM team_code, LATERAL (SELECT count(*) FILTER (WHERE n = 1 AND t = 2) AS a, count(*) FILTER (WHERE n = 2 AND t = 1) AS b, count(*) FILTER (WHERE t = 1) AS first
            FROM unnest(now_in, team) AS u(n, t)) AS m,
        generate_series(1, 8) AS c1, generate_series(1, 8) AS c2
    WHERE team[c1] = 1 AND team[c2] = 2 AND (l.commander IS NULL OR l.commander[c1] AND l.commander[c2]) AND (l.party IS NULL OR team[2] = team[3])
    GROUP BY 1, 2, 3
$$;
-- The teams after moves.
CREATE FUNCTION after(now_in int[], movers int[]) RETURNS int[] LANGUAGE sql IMMUTABLE AS
'SELECT array_agg(CASE WHEN n = ANY (movers) THEN 3 - t ELSE t END ORDER BY n) FROM unnest(now_in) WITH ORDINALITY AS u(t, n)';
\set ECHO all

-- Swaps: each suggestion is the best of its number, and those left out are no better than smaller ones.
WITH suggested AS (
    SELECT l.seed, s.swaps, min(s.difference) AS difference, bool_and(exact) AS exact, lobby_lead(l, after('{1,1,1,1,2,2,2,2}', (array_agg(s.player_id_a) || array_agg(s.player_id_b))::int[]), min(s.commander_1)::int, min(s.commander_2)::int) AS lead,
        bool_and(l.commander IS NULL OR l.commander[s.commander_1::int] AND l.commander[s.commander_2::int]) AS may
    FROM commander_lobby AS l, skillrating.suggest_swaps(skillrating.lobby(players::text[], mu, current => '{1,1,1,1,2,2,2,2}', mu_2 => mu_2, party => party::text[], command_mu => command_mu, command_mu_2 => command_mu_2, commanders => commander, log_odds => log_odds, strength => strength)) AS s
    GROUP BY l, l.seed, s.swaps
), best AS (
    SELECT l.seed, p.swaps, p.off, min(p.off) OVER (PARTITION BY l.seed ORDER BY p.swaps ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM commander_lobby AS l, possible(l, '{1,1,1,1,2,2,2,2}') AS p WHERE transfers = 0
)
SELECT count(s.swaps) > 20 AS many, bool_and(may) AS may, bool_and(exact) AS exact, bool_and(abs(s.difference - (s.lead).difference) < 1e-9) AS as_said,
    bool_and(abs((s.lead).off - b.off) < 1e-9) AS best, bool_and((s.swaps IS NOT NULL) = (coalesce(b.off < b.before - 1e-6, true))) AS all_that_help
FROM best AS b LEFT JOIN suggested AS s USING (seed, swaps);
-- Transfers from six to two: two move, and with a swap besides.
WITH suggested AS (
    SELECT l.seed, max_swaps, min(s.difference) AS difference, bool_and(exact) AS exact, count(*) AS movers, lobby_lead(l, after('{1,1,1,1,1,1,2,2}', array_agg(s.player_id)::int[]), min(s.commander_1)::int, min(s.commander_2)::int) AS lead
    FROM generate_series(0, 1) AS max_swaps, commander_lobby AS l, LATERAL skillrating.suggest_transfers(skillrating.lobby(players::text[], mu, current => '{1,1,1,1,1,1,2,2}', mu_2 => mu_2, party => party::text[], command_mu => command_mu, command_mu_2 => command_mu_2, commanders => commander, log_odds => log_odds, strength => strength), max_swaps => max_swaps) AS s
    GROUP BY l, l.seed, max_swaps
)
SELECT max_swaps, count(*) AS lobbies, bool_and(exact) AS exact, bool_and(abs(s.difference - (s.lead).difference) < 1e-9) AS as_said,
    bool_and(abs((s.lead).off - (SELECT min(p.off) FROM possible(l, '{1,1,1,1,1,1,2,2}') AS p WHERE p.transfers = 2 AND p.first = 4 AND p.swaps <= max_swaps)) < 1e-9) AS best
FROM suggested AS s JOIN commander_lobby AS l USING (seed) GROUP BY max_swaps ORDER BY max_swaps;
-- Joiners.
WITH placed AS (
    SELECT l.seed, min(s.difference) AS difference, bool_and(exact) AS exact, '{1,1,1,2,2,2}' || array_agg(s.team ORDER BY s.player_id) AS team, min(s.commander_1)::int AS c1, min(s.commander_2)::int AS c2
    FROM commander_lobby AS l, skillrating.place_joiner(skillrating.lobby(players::text[], mu, current => '{1,1,1,2,2,2,NULL,NULL}', mu_2 => mu_2, party => party::text[], command_mu => command_mu, command_mu_2 => command_mu_2, commanders => commander, log_odds => log_odds, strength => strength)) AS s
    GROUP BY l.seed
)
SELECT count(*) AS lobbies, bool_and(exact) AS exact, bool_and(abs(p.difference - (lobby_lead(l, p.team, c1, c2)).difference) < 1e-9) AS as_said,
    bool_and(abs((lobby_lead(l, p.team, c1, c2)).off - (SELECT min((lobby_lead(l, t.team, a, b)).off) FROM team_code AS t, generate_series(1, 8) AS a, generate_series(1, 8) AS b
        WHERE t.team[1:6] = '{1,1,1,2,2,2}' AND t.team[7] <> t.team[8] AND t.team[a] = 1 AND t.team[b] = 2 AND (l.commander IS NULL OR l.commander[a] AND l.commander[b]))) < 1e-9) AS best
FROM placed AS p JOIN commander_lobby AS l USING (seed);
-- All sizes are as one by one.
SELECT count(*) AS rows, bool_and(a.difference = s.difference AND a.exact AND a.commands IS NOT DISTINCT FROM s.commands AND a.team IS NOT DISTINCT FROM s.team) AS as_one_by_one
FROM commander_lobby AS l, LATERAL skillrating.split_all_sizes(skillrating.lobby(players::text[], mu, mu_2 => mu_2, party => party::text[], command_mu => command_mu, command_mu_2 => command_mu_2, commanders => commander, log_odds => log_odds, strength => strength)) AS a,
    LATERAL skillrating.split_teams(skillrating.lobby(players::text[], mu, mu_2 => mu_2, party => party::text[], command_mu => command_mu, command_mu_2 => command_mu_2, commanders => commander, log_odds => log_odds, strength => strength), team_size => a.team_size) AS s
WHERE s.player_id = a.player_id;
-- Without a model the greedy method takes them, too, and explanations name what is left.
SELECT swaps, player_id_a, player_id_b, difference, commander_1, commander_2, why -> 'terms' AS terms
FROM commander_lobby AS l, skillrating.suggest_swaps(skillrating.lobby(players::text[], mu, current => '{1,1,1,1,2,2,2,2}', command_mu => command_mu, commanders => '{t,f,f,f,f,f,f,t}'), method => 'greedy', max_swaps => 1, explain => true) AS s WHERE seed = 2;
SELECT * FROM skillrating.suggest_swaps(skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,2,2}', command_mu => '{1,2,3,4}', commanders => '{t,t,f,f}'));
SELECT * FROM skillrating.suggest_transfers(skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,1,2}', command_mu => '{1,2,3,4}', commanders => '{f,f,f,f}'));
SELECT * FROM skillrating.place_joiner(skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,NULL,2}', command_mu => '{1,2,3,4}', commanders => '{t,t,f,f}'));
SELECT * FROM skillrating.place_joiner(skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,NULL,2}', model => 'elo', command_mu => '{1,2,3,4}'));

-- The teams of a queue are the most even ones by the model, with all that it is told.
\set ECHO none
CREATE TABLE queue_input (name text, model text, mu float8[], mu_2 float8[], weight float8[], command_mu float8[], commander boolean[], log_odds float8, teams int, team_size int);
INSERT INTO queue_input
SELECT v.name, v.model, CASE WHEN v.model = 'hive' THEN ARRAY(SELECT (m - 1500) / 400 FROM unnest(l.mu) AS m) ELSE l.mu END, CASE WHEN v.sides THEN ARRAY(SELECT (m - 1500) / 400 FROM unnest(l.mu_2) AS m) END,
    CASE WHEN v.weight THEN '{1,0.5,1,0.25,1,1,0.75,1}'::float8[] END, CASE WHEN v.commands THEN ARRAY(SELECT c / 400 FROM unnest(l.command_mu) AS c) END, CASE WHEN v.commands AND l.seed > 3 THEN '{t,f,t,f,t,f,f,f}'::boolean[] END,
    v.log_odds, v.teams, 8 / v.teams
FROM commander_lobby AS l, (VALUES ('sides', 'hive', true, false, false, 0, 2), ('commanders', 'hive', false, false, true, 0, 2), ('all', 'hive', true, false, true, 0.4, 2), ('handicap', 'elo', false, false, false, 0.4, 2),
    ('handicap', 'glicko2', false, false, false, -0.7, 2), ('weights', 'elo', false, true, false, 0, 2), ('weights', 'elo', false, true, false, 0, 4)) AS v(name, model, sides, weight, commands, log_odds, teams)
WHERE l.seed % 2 = 1;
CREATE FUNCTION farthest(probabilities float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT max(p) - min(p) FROM unnest(probabilities) AS p';
\set ECHO all
SELECT name, model, teams, count(*) AS lobbies, bool_and(abs(farthest(q.p) - farthest(s.p)) < 1e-9) AS as_split_teams, bool_and(abs(q.difference - s.difference) < 1e-9 OR abs(q.difference + s.difference) < 1e-9) AS same_difference, bool_and(q.commands = CASE WHEN name IN ('commanders', 'all') THEN 2 ELSE 0 END) AS commanded,
    bool_and(abs(q.quality - teams * least) < 1e-12) AS quality
FROM queue_input AS i,
    LATERAL (SELECT array_agg(win_probability) AS p, min(difference) AS difference, count(*) FILTER (WHERE commands) AS commands, min(quality) AS quality, min(win_probability) AS least
        FROM skillrating.pair_queue(skillrating.lobby(ARRAY[1, 2, 3, 4, 5, 6, 7, 8]::text[], i.mu, mu_2 => i.mu_2, weight => i.weight, command_mu => i.command_mu, commanders => i.commander, log_odds => i.log_odds, model => i.model), teams => i.teams, team_size => i.team_size, initial_window => 1e9)) AS q,
    LATERAL (SELECT array_agg(win_probability) AS p, min(difference) AS difference
        FROM skillrating.split_teams(skillrating.lobby(ARRAY[1, 2, 3, 4, 5, 6, 7, 8]::text[], i.mu, mu_2 => i.mu_2, weight => i.weight, command_mu => i.command_mu, commanders => i.commander, log_odds => i.log_odds, model => i.model), teams => i.teams, team_size => i.team_size)) AS s
GROUP BY name, model, teams ORDER BY name, model, teams;
-- A match that nobody may command is not made; the next one is.
SELECT match_number, string_agg(player_id || CASE WHEN commands THEN '*' ELSE '' END, ' ' ORDER BY player_id) AS players
FROM skillrating.pair_queue(skillrating.lobby('{a,b,c,d,e,f,g,h}', mu => '{1,1,1,1,-1,-1,-1,-1}', command_mu => '{0,0,0,0,0,0,0,0}', commanders => '{t,f,f,f,t,t,f,f}', model => 'hive'), team_size => 2, initial_window => 1) GROUP BY match_number;
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{a,b,c}', mu => '{1,2,3}', command_mu => '{1,2,3}', model => 'hive'), teams => 3);
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{a,b,c}', mu => '{1,2,3}', log_odds => 1), teams => 3);
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{a,b}', mu => '{1,2}', mu_2 => '{1,2}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{a,b}', mu => '{1,2}', command_mu => '{1,2}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{a,b}', mu => '{1,2}', weight => '{1,0}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{a,b}', mu => '{1,2}', weight => '{1}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{a,b}', mu => '{1,2}', log_odds => 'NaN'));

DROP TABLE team_code, queue_input;
DROP FUNCTION lobby_lead, possible, after, chance, farthest;
DROP TABLE commander_lobby;
