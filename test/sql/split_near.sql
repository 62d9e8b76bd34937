-- split_teams() with current, secondary and tolerance: of the splits that are even enough, which one.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE TABLE near_lobby AS
SELECT lobby, array_agg(i ORDER BY i) AS players, array_agg((1000 + abs(hashint8extended(lobby, i)) % 1000)::float8 ORDER BY i) AS rating,
    array_agg((CASE abs(hashint8extended(i, lobby)) % 5 WHEN 0 THEN NULL WHEN 1 THEN 1 WHEN 2 THEN 1 WHEN 3 THEN 2 ELSE 0 END)::int ORDER BY i) AS current
FROM generate_series(1, 8) AS lobby, generate_series(1, 8 - lobby % 2) AS i GROUP BY lobby;
-- All splits of each lobby there are: everybody plays, or two on a bench of those who are 8.
CREATE TABLE near_split AS
SELECT lobby, team_size, code, abs(avg(rating[i]) FILTER (WHERE team = 1) - avg(rating[i]) FILTER (WHERE team = 2)) AS d, count(*) FILTER (WHERE current[i] <> team) AS moves,
    round(abs(avg((rating[i] - mean) ^ 2) FILTER (WHERE team = 1) - avg((rating[i] - mean) ^ 2) FILTER (WHERE team = 2))::numeric, 6) AS spread, abs(max(rating[i]) FILTER (WHERE team = 1) - max(rating[i]) FILTER (WHERE team = 2)) AS best
FROM near_lobby, unnest(ARRAY[NULL, 3]) AS team_size, generate_series(0, (3 ^ cardinality(players))::int - 1) AS code, LATERAL (SELECT avg(r) AS mean FROM unnest(rating) AS r) AS m, LATERAL (SELECT i, code / (3 ^ (i - 1))::int % 3 AS team FROM unnest(players) AS i) AS p
WHERE cardinality(players) = 8 OR team_size IS NULL
GROUP BY lobby, players, team_size, code
HAVING CASE WHEN team_size IS NULL THEN count(*) FILTER (WHERE team = 0) = 0 AND abs(count(*) FILTER (WHERE team = 1) - count(*) FILTER (WHERE team = 2)) <= 1 ELSE count(*) FILTER (WHERE team = 1) = 3 AND count(*) FILTER (WHERE team = 2) = 3 END;
CREATE INDEX ON near_split (lobby);
ANALYZE near_split;
CREATE TABLE near_found AS
SELECT l.lobby, s.team_size, t AS tolerance, moving, secondary, min(a.d) AS d, min(a.moves) AS moves, min(a.spread) AS spread, min(a.best) AS best, bool_and(found.exact) AS exact
FROM near_lobby AS l, (VALUES (NULL::int), (3)) AS s(team_size), unnest('{0,5,40}'::float8[]) AS t, unnest('{t,f}'::bool[]) AS moving, unnest('{NULL,spread,best}'::text[]) AS secondary,
    LATERAL (SELECT sum(coalesce(f.team, 0) * (3 ^ (f.player_id::int - 1))::int) AS code, bool_and(f.exact) AS exact
        FROM skillrating.split_teams(skillrating.lobby(l.players::text[], l.rating, current => CASE WHEN moving THEN l.current END), team_size => s.team_size, secondary => secondary, tolerance => t) AS f) AS found,
    LATERAL (SELECT * FROM near_split AS a WHERE a.lobby = l.lobby AND a.team_size IS NOT DISTINCT FROM s.team_size AND a.code = found.code) AS a
WHERE cardinality(l.players) = 8 OR s.team_size IS NULL GROUP BY l.lobby, s.team_size, t, moving, secondary;
\set ECHO all

-- Every answer is near, and none of the near ones moves fewer, or is better otherwise of those that move as few.
SELECT moving, secondary, count(*) AS answers, bool_and(exact) AS exact, bool_and(d <= least + tolerance + 1e-9) AS near, bool_and(NOT moving OR f.moves = (SELECT min(a.moves) FROM near_split AS a WHERE a.lobby = f.lobby AND a.team_size IS NOT DISTINCT FROM f.team_size AND a.d <= least + tolerance + 1e-9)) AS fewest,
    bool_and(secondary IS NULL OR CASE secondary WHEN 'spread' THEN f.spread ELSE f.best END <= 1e-5 + (SELECT min(CASE secondary WHEN 'spread' THEN a.spread ELSE a.best END) FROM near_split AS a
        WHERE a.lobby = f.lobby AND a.team_size IS NOT DISTINCT FROM f.team_size AND a.d <= least + tolerance + 1e-9 AND (NOT moving OR a.moves = f.moves))) AS best
FROM near_found AS f, LATERAL (SELECT min(a.d) AS least FROM near_split AS a WHERE a.lobby = f.lobby AND a.team_size IS NOT DISTINCT FROM f.team_size) AS l
GROUP BY moving, secondary ORDER BY moving, secondary;

-- Large lobbies: where not everybody can be free to move for the spread, what is found is near.
SELECT n, secondary, max(abs(difference)) <= 1 + max(best) AS near
FROM unnest('{60,100}'::int[]) AS n, unnest('{spread,best}'::text[]) AS secondary, LATERAL (SELECT array_agg(i) AS p, array_agg(1500.0 + hashint4(i) % 500) AS r FROM generate_series(1, n) AS i) AS a,
    LATERAL (SELECT max(abs(difference)) AS best FROM skillrating.split_teams(p, r)) AS b, skillrating.split_teams(skillrating.lobby(p::text[], r), secondary => secondary, tolerance => 1) GROUP BY n, secondary ORDER BY 1, 2;
-- With commanders, parties and everything; the priority of the bench comes first.
SELECT player_id, team, round(difference::numeric, 6) AS difference, exact, commands FROM near_lobby, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{1,1,NULL,NULL,NULL,NULL,NULL,NULL}', avoid => '{{1,5}}', command_mu => rating, current => '{1,2,1,2,0,0,NULL,NULL}', priority => '{1,1,2,2,3,3,3,3}'), team_size => 3, secondary => 'best', tolerance => 30) WHERE lobby = 2;

SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', current => '{3,NULL,NULL}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', current => '{1,2}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}'), secondary => 'sum');
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}'), tolerance => -1);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', current => '{1,2,1}'), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}'), teams => 3, secondary => 'best');
DROP TABLE near_lobby, near_split, near_found;
