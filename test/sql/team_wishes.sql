-- Constraints as wishes: each may be broken at a price, and a contradiction is no error.
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
\set ECHO none
CREATE FUNCTION noise(n integer) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN (hashint4extended(n, 7) & 1048575) / 1048576.0::float8;
-- The least of an uneven chance and of the prices of what is broken, by all splits into two teams of half of the players, the first player
-- being in team 1: parties, pairs to avoid and locks of a lobby with a number of each.
CREATE FUNCTION by_brute_force(l skillrating.lobby) RETURNS float8 LANGUAGE sql AS $$
    WITH n AS (SELECT cardinality(l.players) AS n),
    split AS (SELECT ARRAY(SELECT 1 + (s >> i & 1) FROM generate_series(0, n - 1) AS i) AS team FROM n, generate_series(0, (1 << n) - 1) AS s),
    even AS (SELECT team FROM split, n WHERE (SELECT count(*) FROM unnest(team) AS t WHERE t = 1) = n / 2)
    SELECT min(abs(0.5 - 1 / (1 + exp(-d / l.log_odds_unit))) + parties + pairs + locks) FROM even, LATERAL (
        SELECT (SELECT avg(u.mu) FILTER (WHERE u.t = 1) - avg(u.mu) FILTER (WHERE u.t = 2) FROM unnest(team, l.mu) AS u(t, mu)) AS d,
            (SELECT coalesce(sum((l.wishes->>'party')::float8), 0) FROM (SELECT 1 FROM unnest(l.party, team) AS u(p, t) WHERE p IS NOT NULL GROUP BY p HAVING count(DISTINCT t) > 1) AS b) AS parties,
            (SELECT coalesce(sum((l.wishes->>'avoid')::float8), 0) FROM generate_series(1, cardinality(l.avoid) / 2) AS k
                WHERE team[array_position(l.players, l.avoid[2 * k - 1])] = team[array_position(l.players, l.avoid[2 * k])]) AS pairs,
            (SELECT coalesce(sum(coalesce((l.wishes->'locked'->>(i - 1)::int)::float8, 1000)), 0) FROM unnest(l.locked, team) WITH ORDINALITY AS u(k, t, i) WHERE k <> t) AS locks) AS x
$$;
CREATE VIEW wishing AS
SELECT g, skillrating.lobby(array_agg('p' || i ORDER BY i), array_agg(round(1500 + 600 * (noise(g * 10 + i) - 0.5)) ORDER BY i), party => ARRAY['a', 'a', 'b', 'b', 'b', NULL, NULL, NULL],
    avoid => ARRAY['p1', 'p3', 'p2', 'p6', 'p5', 'p7'], locked => ARRAY[1, NULL, NULL, 1, NULL, 2, NULL, 1],
    wishes => jsonb_build_object('party', round(noise(-g)::numeric / 5, 3), 'avoid', 0.02, 'locked', jsonb_build_array(0.03, NULL, NULL, 0.01, NULL, 0.05, NULL, 0.2 * (g % 2)))) AS l
FROM generate_series(1, 60) AS g, generate_series(1, 8) AS i GROUP BY g;
\set ECHO all
-- No split is worth more, whatever is broken, and each says what it broke.
SELECT count(*), bool_and(abs(p - b) < 1e-9) AS best, count(*) FILTER (WHERE broken IS NOT NULL) BETWEEN 20 AND 60 AS compromises, bool_and(exact) AS exact
FROM (SELECT by_brute_force(l) AS b, s.broken, s.exact, abs(s.win_probability - 0.5)
        + coalesce((SELECT sum(CASE WHEN w LIKE 'the party%' THEN ((l).wishes->>'party')::float8 WHEN w LIKE '%avoid each other' THEN 0.02
            ELSE ((l).wishes->'locked'->>(substr(w, 9, 1)::int - 1))::float8 END) FROM unnest(s.broken) AS w), 0) AS p
    FROM wishing, skillrating.split_teams(l) AS s WHERE s.player_id = 'p1') AS q;
-- A party is kept for less than its price, and separated for more.
SELECT w, min(round(abs(s.win_probability - 0.5)::numeric, 4)) AS off, max(s.broken::text) AS broken
FROM unnest('{0.001,0.05,0.2,null}'::text[]) AS w, skillrating.split_teams(skillrating.lobby('{ann,bob,cid,dan}'::text[], '{1600,1600,1500,1500}', party => '{x,x,NULL,NULL}', wishes => format('{"party": %s}', coalesce(w, 'null'))::jsonb)) AS s
WHERE w <> 'null' GROUP BY w ORDER BY w;
-- With each element its own: of two parties the cheaper one, of two pairs that of the second.
SELECT max(s.broken::text) FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d,e,f}'::text[], '{1,2,3,4,5,6}', party => '{x,x,x,x,y,y}', wishes => '{"party": [0.1, 0.3, null, 0.2, 0.01, 0.02]}')) AS s;
SELECT max(s.broken::text) FROM skillrating.split_teams(skillrating.lobby('{a,b,c}'::text[], '{1,2,3}', avoid => '{a,b,z,a,b,c,a,c}', wishes => '{"avoid": [0.3, 0, 0.1, 0.2]}')) AS s;
-- Without prices as few are broken as can be; strict lobbies have an error.
SELECT player_id, team, broken FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d}'::text[], '{1,2,3,4}', locked => '{1,1,1,NULL}'));
SELECT player_id, team, broken FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d}'::text[], '{1,2,3,4}', locked => '{1,1,1,NULL}', strict => true));
-- What has a price is given up before what has none.
SELECT bool_and(broken = '{"player a is not locked"}') FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d}'::text[], '{1,2,3,4}', locked => '{1,1,1,NULL}', wishes => '{"locked": [1, null, null, null]}', strict => true));
-- More than two teams, a bench, commanders, and all sizes.
SELECT team, string_agg(player_id, ' ' ORDER BY player_id), min(broken::text) FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d,e,f,g}'::text[], '{1,2,3,4,5,6,7}', party => '{x,x,x,NULL,NULL,NULL,NULL}', avoid => '{a,b}', wishes => '{"party": 0.2}'), teams => 3, team_size => 2) GROUP BY team ORDER BY team;
SELECT max(broken::text), count(*) FILTER (WHERE commands) FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d}'::text[], '{1,2,3,4}', command_mu => '{4,3,2,1}', commanders => '{t,f,f,f}', wishes => '{"commanders": 0.1}'));
SELECT team_size, count(*), max(broken::text) FROM skillrating.split_all_sizes(skillrating.lobby('{a,b,c,d,e,f}'::text[], '{1500,1501,1502,1503,1504,2000}', party => '{x,x,x,NULL,NULL,NULL}', wishes => '{"party": 0.02}')) GROUP BY team_size ORDER BY team_size;
SELECT DISTINCT team_size FROM skillrating.split_all_sizes(skillrating.lobby('{a,b,c,d,e,f}'::text[], '{1,2,3,4,5,6}', locked => '{1,1,1,NULL,NULL,NULL}'));
SELECT count(*) FROM skillrating.split_all_sizes(skillrating.lobby('{a,b,c,d}'::text[], '{1,2,3,4}', party => '{x,x,NULL,NULL}', avoid => '{a,b,c,d}', locked => '{1,2,NULL,NULL}', wishes => '{"avoid": 0.1}'));
-- A ladder's lobby.
SELECT skillrating.create_ladder('arena', 'trueskill', player_type => 'text') \gset
SELECT DISTINCT broken FROM skillrating.split_teams(skillrating.lobby('arena', '{a,b,c,d}'::text[], party => '{x,x,NULL,NULL}', avoid => '{a,b}', wishes => '{"avoid": 0.04}'));
SELECT skillrating.drop_ladder('arena') \gset
-- Errors.
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b}'::text[], '{1,2}', wishes => '{"parties": 1}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b}'::text[], '{1,2}', wishes => '{"party": 2}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b}'::text[], '{1,2}', wishes => '{"party": [0.1]}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b}'::text[], '{1,2}', wishes => '{"commanders": [0.1, 0.1]}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b}'::text[], '{1,2}', wishes => '[]'));
DROP VIEW wishing;
DROP FUNCTION by_brute_force, noise;
