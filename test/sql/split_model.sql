-- split_teams() with a model: even is what it says is even.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE TABLE model_lobby AS
SELECT lobby, array_agg(i ORDER BY i) AS players, array_agg(25 + ((hashint8extended(i, lobby) % 1000) / 60.0)::float8 ORDER BY i) AS rating, array_agg(25 + ((hashint8extended(i, lobby + 100) % 1000) / 60.0)::float8 ORDER BY i) AS other,
    array_agg((1 + abs(hashint8extended(i, lobby + 200) % 70) / 10.0)::float8 ORDER BY i) AS deviation
FROM generate_series(1, 20) AS lobby, generate_series(1, 6 + lobby % 2) AS i GROUP BY lobby;
CREATE TABLE model_split AS
SELECT lobby, code, array_agg(i) AS who, array_agg(code / (3 ^ (i - 1))::int % 3 ORDER BY i) AS team FROM model_lobby, generate_series(0, (3 ^ cardinality(players))::int - 1) AS code, unnest(players) AS i GROUP BY lobby, code
HAVING count(*) FILTER (WHERE code / (3 ^ (i - 1))::int % 3 = 1) = 3 AND count(*) FILTER (WHERE code / (3 ^ (i - 1))::int % 3 = 2) = 3;
\set ECHO all

-- TrueSkill: what the first team has in advance counts by the deviations of all who play, so that it is another difference for other players.
WITH all_splits AS (
    SELECT s.lobby, s.code, log_odds, p.win_probability + p.draw_probability / 2 AS p
    FROM model_split AS s JOIN model_lobby AS l USING (lobby), unnest('{0,0.4,-1}'::float8[]) AS log_odds, LATERAL (SELECT array_agg(s.team[i] ORDER BY i) AS team, array_agg(l.rating[i] + CASE s.team[i] WHEN 1 THEN log_odds * advantage / 3 ELSE 0 END ORDER BY i) AS mu, array_agg(l.deviation[i] ORDER BY i) AS sigma
        FROM unnest(players) AS i, (SELECT sqrt(pi() / 8 * sum(l.deviation[j] ^ 2 + (25 / 6.0) ^ 2)) AS advantage FROM unnest(players) AS j WHERE s.team[j] > 0) AS a WHERE s.team[i] > 0) AS m,
        skillrating.trueskill_win_probability(m.team, m.mu, m.sigma) AS p WHERE p.team = 1
), found AS (
    SELECT l.lobby, log_odds, sum(coalesce(f.team, 0) * (3 ^ (f.player_id::int - 1))::int) AS code, max(f.win_probability) FILTER (WHERE f.team = 1) AS p, max(f.win_probability) FILTER (WHERE f.team = 2) AS second, bool_and((f.team IS NULL) = (f.win_probability IS NULL)) AS bench, bool_and(f.exact OR cardinality(players) = 7 AND log_odds <> 0) AS exact
    FROM model_lobby AS l, unnest('{0,0.4,-1}'::float8[]) AS log_odds, skillrating.split_teams(skillrating.lobby(l.players::text[], l.rating, log_odds => log_odds, model => 'trueskill', params => '{"tau": 0}', sigma => l.deviation), team_size => 3) AS f GROUP BY l.lobby, log_odds)
SELECT log_odds, bool_and(abs(a.p - f.p) < 1e-9 AND abs(a.p + f.second - 1) < 1e-9 AND f.bench) AS as_predicted, max(abs(f.p - 0.5) - (SELECT min(abs(b.p - 0.5)) FROM all_splits AS b WHERE b.lobby = f.lobby AND b.log_odds = f.log_odds)) < 0.02 AS nearly_best,
    count(*) FILTER (WHERE abs(f.p - 0.5) <= (SELECT min(abs(b.p - 0.5)) FROM all_splits AS b WHERE b.lobby = f.lobby AND b.log_odds = f.log_odds) + 1e-9) >= 15 AS mostly_best, bool_and(exact) AS exact
FROM found AS f JOIN all_splits AS a USING (lobby, code, log_odds) GROUP BY log_odds ORDER BY log_odds;

-- Hive: sides and commanders, the share of all who play and half of the commanders' difference.
WITH found AS (SELECT l.lobby, f.*, rating[player_id::int] AS r1, other[player_id::int] AS r2, deviation[player_id::int] AS command FROM model_lobby AS l, skillrating.split_teams(skillrating.lobby(l.players::text[], l.rating, mu_2 => l.other, log_odds => 0.3, command_mu => l.deviation, model => 'hive'), team_size => 3) AS f)
SELECT bool_and(abs(p - 1 / (1 + exp(-d - 0.3))) < 1e-9) AS predicted FROM (SELECT max(win_probability) FILTER (WHERE team = 1) AS p, sum(CASE team WHEN 1 THEN r1 WHEN 2 THEN -r2 END) FILTER (WHERE NOT commands) / 4 + sum(CASE team WHEN 1 THEN command WHEN 2 THEN -command END) FILTER (WHERE commands) / 2 AS d FROM found GROUP BY lobby) AS s;
-- Of three teams each has its own probability.
SELECT round(sum(p)::numeric, 9) AS sum, min(p) > 0.2 AS even FROM (SELECT team, min(win_probability) AS p FROM model_lobby, skillrating.split_teams(skillrating.lobby(players::text[], rating, sigma => deviation, model => 'trueskill'), teams => 3, team_size => 2) WHERE lobby = 1 AND team IS NOT NULL GROUP BY team) AS t;
-- SynElo favours larger teams: what it takes for even is more than as strong.
SELECT count(*) FILTER (WHERE team = 1) AS first, max(difference) * (count(*) FILTER (WHERE team = 1) - 3.5) < 0 AS larger_is_weaker, abs(max(win_probability) - 0.5) < 0.05 AS even
FROM (SELECT array_agg(i) AS p, array_agg(1000.0 + i * i * 40) AS r FROM generate_series(1, 7) AS i) AS a, skillrating.split_teams(skillrating.lobby(p::text[], r, model => 'synelo'));
-- All sizes at once are the splits of each by the model, too.
SELECT model, log_odds, count(DISTINCT a.team_size) AS sizes, bool_and(a.team IS NOT DISTINCT FROM b.team AND a.difference = b.difference AND a.win_probability IS NOT DISTINCT FROM b.win_probability AND a.exact = b.exact) AS same
FROM (SELECT array_agg(i) AS p, array_agg(20.0 + i * i % 17) AS r, array_agg(1.0 + i % 5) AS d FROM generate_series(1, 12) AS i) AS l, unnest('{trueskill,glicko,elo}'::text[]) AS model, unnest('{0,0.3}'::float8[]) AS log_odds,
    LATERAL skillrating.split_all_sizes(skillrating.lobby(p::text[], r, sigma => CASE WHEN model <> 'elo' THEN d END, model => model, log_odds => log_odds)) AS a,
    LATERAL skillrating.split_teams(skillrating.lobby(p::text[], r, sigma => CASE WHEN model <> 'elo' THEN d END, model => model, log_odds => log_odds), team_size => a.team_size) AS b WHERE a.player_id = b.player_id GROUP BY model, log_odds ORDER BY 1, 2;

SELECT * FROM skillrating.split_all_sizes(skillrating.lobby('{1,2,3,4}'::text[], '{1,2,3,4}', model => 'elo', sigma => '{1,2,3,4}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'none'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'hive'), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'elo', sigma => '{1,2,3}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'elo', mu_2 => '{1,2,3}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'elo', command_mu => '{1,2,3}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'hive', command_mu => '{1,2,3}', command_mu_2 => '{1,2,3}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'glicko', sigma => '{1,2,-3}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', model => 'elo', params => '{"none": 1}'));
DROP TABLE model_lobby, model_split;
