-- Groups divided between the teams.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
\set SHOW_CONTEXT never
-- Of all splits that divide the groups, the most even, by brute force; with a bench, too.
CREATE TABLE evenly_lobby AS
SELECT lobby, array_agg(i ORDER BY i) AS players, array_agg((hashint8extended(i, lobby) & 1023)::float8 ORDER BY i) AS mu, array_agg((ARRAY[1, 1, 2, NULL])[1 + (hashint8extended(i, lobby + 50) & 3)] ORDER BY i) AS evenly
FROM generate_series(1, 12) AS lobby, generate_series(1, 8) AS i GROUP BY lobby;
CREATE TABLE evenly_split AS
SELECT code, array_agg(code / (3 ^ (i - 1))::int % 3 ORDER BY i) AS team FROM generate_series(0, (3 ^ 8)::int - 1) AS code, generate_series(1, 8) AS i
GROUP BY code HAVING count(*) FILTER (WHERE code / (3 ^ (i - 1))::int % 3 = 1) = count(*) FILTER (WHERE code / (3 ^ (i - 1))::int % 3 = 2) AND count(*) FILTER (WHERE code / (3 ^ (i - 1))::int % 3 = 1) >= 3;
\set ECHO all
WITH every AS (
    SELECT lobby, count(*) FILTER (WHERE team[i] = 1) AS size, abs(sum(CASE team[i] WHEN 1 THEN mu[i] WHEN 2 THEN -mu[i] ELSE 0 END)) / count(*) FILTER (WHERE team[i] = 1) AS off
    FROM evenly_lobby, evenly_split, generate_series(1, 8) AS i GROUP BY lobby, code
    HAVING abs(sum(CASE WHEN evenly[i] = 1 THEN (ARRAY[0, 1, -1])[1 + team[i]] ELSE 0 END)) <= 1 AND abs(sum(CASE WHEN evenly[i] = 2 THEN (ARRAY[0, 1, -1])[1 + team[i]] ELSE 0 END)) <= 1
), found AS (
    SELECT lobby, size, max(abs(s.difference)) AS off, bool_and(s.exact) AS exact,
        greatest(abs(sum(CASE WHEN evenly[s.player_id::int] = 1 THEN (ARRAY[1, -1])[s.team] ELSE 0 END)), abs(sum(CASE WHEN evenly[s.player_id::int] = 2 THEN (ARRAY[1, -1])[s.team] ELSE 0 END))) AS apart
    FROM evenly_lobby, generate_series(3, 4) AS size, LATERAL skillrating.split_teams(skillrating.lobby(players::text[], mu, split_evenly => evenly::text[]), team_size => size) AS s GROUP BY lobby, size
)
SELECT size, count(*) AS lobbies, bool_and(abs(f.off - e.off) < 1e-9 AND exact AND apart <= 1) AS best
FROM found AS f JOIN (SELECT lobby, size, min(off) AS off FROM every GROUP BY lobby, size) AS e USING (lobby, size) GROUP BY size ORDER BY size;
-- All sizes at once are as even as each alone.
SELECT bool_and(abs(a.difference) = abs(b.difference)) AS as_even FROM evenly_lobby, LATERAL skillrating.split_all_sizes(skillrating.lobby(players::text[], mu, split_evenly => evenly::text[])) AS a, LATERAL skillrating.split_teams(skillrating.lobby(players::text[], mu, split_evenly => evenly::text[]), team_size => a.team_size) AS b
WHERE a.player_id = b.player_id AND a.team_size > 2;
-- It combines with the rest, says what is in the way, and what it costs.
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d,e,f}'::text[], '{1,2,3,4,5,6}', party => '{1,1,1,NULL,NULL,NULL}', split_evenly => '{9,9,9,NULL,NULL,NULL}', strict => true));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d}'::text[], '{1,2,3,4}', locked => '{1,1,NULL,NULL}', split_evenly => '{1,1,NULL,NULL}', strict => true));
SELECT player_id, team, why -> 'constraint' ->> 'if' AS without FROM skillrating.split_teams(skillrating.lobby('{a,b,c,d}'::text[], '{1,2,3,4}', split_evenly => '{1,NULL,NULL,1}'), explain => true);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b,c}'::text[], '{1,2,3}', split_evenly => '{1,1,NULL}'), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{a,b,c}'::text[], '{1,2,3}', split_evenly => '{1,1}'));
SELECT count(*) FROM (SELECT array_agg(i) AS p, array_agg(i::float8) AS r, array_agg(1) AS g FROM generate_series(1, 22) AS i) AS a, skillrating.split_teams(skillrating.lobby(p::text[], r, split_evenly => g::text[]));
SELECT skillrating.create_ladder('evenly', 'elo', player_type => 'text') \gset
SELECT player_id, team FROM skillrating.split_teams(skillrating.lobby('evenly', '{a,b,c,d}'::text[], split_evenly => '{1,NULL,1,NULL}')) WHERE player_id IN ('a', 'c') ORDER BY team;
SELECT skillrating.drop_ladder('evenly') \gset
DROP TABLE evenly_lobby, evenly_split;
