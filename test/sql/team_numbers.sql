-- Which team is called 1: drawn by who plays and, on a ladder, how often they have.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\set ECHO none
CREATE FUNCTION noise(n integer) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN (hashint4extended(n, 7) & 1048575) / 1048576.0::float8;
-- How often the best player is in each team of so many lobbies, by estimates alone.
CREATE FUNCTION with_best(players integer, teams integer, lobbies integer, OUT team integer, OUT times bigint) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT s.team, count(*)
    FROM generate_series(1, lobbies) AS g, LATERAL (SELECT array_agg(i ORDER BY i) AS p, array_agg(1500 + 400 * noise(g * 100 + i) ORDER BY i) AS r FROM generate_series(1, players) AS i) AS q,
        skillrating.split_teams(q.p, q.r, teams) AS s
    WHERE q.r[s.player_id] = (SELECT max(x) FROM unnest(q.r) AS x) GROUP BY s.team;
$$;
\set ECHO all
-- In a thousand lobbies of the same players, and of as many others.
SELECT bool_and(times BETWEEN 450 AND 550) FROM with_best(4, 2, 1000);
SELECT bool_and(times BETWEEN 450 AND 550) FROM with_best(7, 2, 1000);
SELECT count(*) = 3 AND bool_and(times BETWEEN 60 AND 140) FROM with_best(9, 3, 300);
SELECT count(*) BETWEEN 450 AND 550 FROM generate_series(1, 1000) AS g, skillrating.split_teams(ARRAY[g, g + 1000, g + 2000, g + 3000], '{1900,1600,1500,1400}') AS s WHERE s.player_id = g AND s.team = 1;
-- Whatever the order in which they are given, and the same again.
SELECT count(DISTINCT t) = 1 FROM (VALUES ('{a,b,c,d,e,f}'::text[], '{1,2,3,4,5,7}'::float8[]), ('{f,e,d,c,b,a}', '{7,5,4,3,2,1}'), ('{c,a,f,b,e,d}', '{3,1,7,2,5,4}')) AS v(p, r),
    LATERAL (SELECT string_agg(player_id || team, ' ' ORDER BY player_id) AS t FROM skillrating.split_teams(p, r)) AS s;
-- Other numbers are the same split: the difference has the other sign, and each team its own chance.
SELECT count(*) = 2 AND bool_and(abs(d1 + d2) < 1e-9 AND abs(p1 + p2 - 1) < 1e-9) AND sum(least(d1, d2)) = -sum(greatest(d1, d2)) FROM (
    SELECT abs(s.difference) AS size, min(s.difference) AS d1, max(s.difference) AS d2, min(s.win_probability) AS p1, max(s.win_probability) AS p2
    FROM generate_series(1, 40) AS g, skillrating.split_teams(ARRAY[g, g + 1000, g + 2000], ARRAY[1900, 1600, 1500]) AS s GROUP BY 1
    UNION ALL
    SELECT abs(s.difference), min(s.difference), max(s.difference), min(s.win_probability), max(s.win_probability)
    FROM generate_series(1, 40) AS g, skillrating.split_teams(skillrating.lobby(ARRAY[g, g + 1000, g + 2000]::text[], ARRAY[25.0, 27, 31], model => 'trueskill')) AS s GROUP BY 1) AS q;
-- A difference has the sign of the first team, whoever that is; commanders go with their teams.
SELECT bool_and(abs(s.difference - d) < 1e-9), count(DISTINCT first) = 2
FROM generate_series(1, 40) AS g, LATERAL (SELECT skillrating.lobby(ARRAY['a' || g, 'b' || g, 'c' || g, 'd', 'e'], ARRAY[17.0, 12, 9, 5, 2], command_mu => ARRAY[1.0, 8, 3, 2, 6]) AS l) AS x, LATERAL (
    SELECT max(t.difference) AS difference, sum(CASE WHEN t.commands THEN 0.5 * (x.l).command_mu[n] ELSE (x.l).mu[n] / size END * (3 - 2 * t.team)) AS d,
        min(t.team) FILTER (WHERE n = 1) AS first, count(*) FILTER (WHERE t.commands) AS commanders
    FROM (SELECT t.*, count(*) FILTER (WHERE NOT t.commands) OVER (PARTITION BY t.team) AS size FROM skillrating.split_teams(x.l) WITH ORDINALITY AS t(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n)) AS t) AS s;
-- Where numbers mean something they are not drawn: locks, the present teams, a handicap, sides.
SELECT count(DISTINCT s.team) = 1 FROM generate_series(1, 40) AS g, LATERAL (VALUES (skillrating.lobby(ARRAY['a' || g, 'b', 'c'], ARRAY[19.0, 12, 9], locked => '{1,NULL,NULL}'))) AS l(l), skillrating.split_teams(l) AS s WHERE s.player_id = 'a' || g;
SELECT count(DISTINCT s.team) = 1 FROM generate_series(1, 40) AS g, LATERAL (VALUES (skillrating.lobby(ARRAY['a' || g, 'b', 'c'], ARRAY[19.0, 12, 9], current => '{1,2,2}'))) AS l(l), skillrating.split_teams(l) AS s WHERE s.player_id = 'a' || g;
SELECT count(DISTINCT s.team) = 1 FROM generate_series(1, 40) AS g, LATERAL (VALUES (skillrating.lobby(ARRAY['a' || g, 'b'], ARRAY[190.0, 120], log_odds => 0.3))) AS l(l), skillrating.split_teams(l) AS s WHERE s.player_id = 'a' || g;
SELECT count(DISTINCT s.team) = 1 FROM generate_series(1, 40) AS g, LATERAL (VALUES (skillrating.lobby(ARRAY['a' || g, 'b'], ARRAY[190.0, 120], mu_2 => ARRAY[170.0, 150]))) AS l(l), skillrating.split_teams(l) AS s WHERE s.player_id = 'a' || g;

-- On a ladder the same four get other numbers when they have played: about every other time.
SELECT skillrating.create_ladder('arena', 'elo') \gset
SELECT count(skillrating.set_rating('arena', p, jsonb_build_object('rating', 1500 + 100 * p))) FROM generate_series(1, 4) AS p;
\set ECHO none
CREATE TABLE called (n integer, team integer);
DO $$
BEGIN
    FOR n IN 1 .. 100 LOOP
        INSERT INTO called SELECT n, team FROM skillrating.split_teams(skillrating.lobby('arena', '{1,2,3,4}'::int[])) WHERE player_id = '4';
        PERFORM skillrating.report_match('arena', n, '{1,2,3,4}'::int[], '{1,2,2,1}'::int[], '{1,1,1,1}'::int[]);
    END LOOP;
END
$$;
\set ECHO all
SELECT count(*) FILTER (WHERE team = 1) BETWEEN 35 AND 65 FROM called;
-- What is said of the chances is what preview() says of these teams.
SELECT bool_and(s.win_probability = p.win_probability) FROM generate_series(2, 9) AS pool, LATERAL (SELECT array_agg(i) AS players FROM generate_series(1, pool) AS i) AS l, LATERAL (
    SELECT array_agg(player_id::int ORDER BY n) AS players, array_agg(team ORDER BY n) AS teams, array_agg(win_probability ORDER BY n) AS chances
    FROM skillrating.split_teams(skillrating.lobby('arena', l.players)) WITH ORDINALITY AS t(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n)) AS t,
    LATERAL unnest(t.players, t.chances) AS s(player_id, win_probability) JOIN skillrating.preview('arena', t.players, t.teams) AS p ON p.player_id::int = s.player_id;

-- In a queue who waits longest is no more often in one team.
SELECT count(*) BETWEEN 450 AND 550 FROM generate_series(1, 1000) AS g, skillrating.pair_queue(skillrating.lobby(ARRAY['a' || g, 'b' || g, 'c' || g, 'd' || g], ARRAY[3.0, 7, 2, 8]), waited => '{9,0,0,0}', team_size => 2) AS q
WHERE q.player_id = 'a' || g AND q.team = 1;
SELECT skillrating.drop_ladder('arena') \gset
DROP TABLE called;
DROP FUNCTION noise, with_best;
