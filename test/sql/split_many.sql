-- split_teams() with more than two teams.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE VIEW many_arrays AS
SELECT array_agg(i) AS players, array_agg((1500 + hashint4(i) % 500)::float8) AS rating, array_agg(CASE WHEN i <= 3 THEN 1 WHEN i <= 5 THEN 2 END) AS party FROM generate_series(1, 13) AS i;
CREATE FUNCTION many_strengths(split text, OUT team int, OUT players text, OUT strength numeric, OUT difference numeric, OUT p numeric, OUT exact boolean, OUT bound numeric)
RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT s.team, string_agg(s.player_id::text, '' '' ORDER BY s.player_id::int), round(avg(rating[s.player_id::int])::numeric, 6), round(max(s.difference)::numeric, 6), round(max(s.win_probability)::numeric, 6), bool_and(s.exact), round(max(s.bound)::numeric, 6) FROM many_arrays, %s AS s GROUP BY s.team ORDER BY s.team', split);
END $$;
\set ECHO all

SELECT * FROM many_strengths('skillrating.split_teams(players, rating, teams => 3)');
SELECT * FROM many_strengths('skillrating.split_teams(players, rating, teams => 4, team_size => 3)');
SELECT * FROM many_strengths('skillrating.split_teams(skillrating.lobby(players::text[], rating), teams => 4, team_size => 3, objective => ''range'')');
-- All that ties players.
SELECT * FROM many_strengths('skillrating.split_teams(skillrating.lobby(players::text[], rating, party => party::text[], locked => ''{NULL,NULL,NULL,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,0}'', avoid => ''{{1,7},{4,8},{4,9},{7,8}}''), teams => 3, team_size => 4)');
-- Who has waited longest plays.
SELECT * FROM many_strengths('skillrating.split_teams(skillrating.lobby(players::text[], rating, priority => ''{5,5,5,5,5,5,5,1,5,1,5,2,5}''), teams => 5, team_size => 2)');
-- Sums and shares: the same split of teams of one size, in other points.
SELECT strength, round(max(s.difference)::numeric, 6) AS difference, round(min(win_probability)::numeric, 6) AS least
FROM many_arrays, unnest(ARRAY['mean', 'sum', 'share']) AS strength, skillrating.split_teams(skillrating.lobby(players[1:12]::text[], rating[1:12], strength => strength, log_odds_unit => CASE strength WHEN 'mean' THEN 100 WHEN 'sum' THEN 400 ELSE 100 / 3.0 END), teams => 3) AS s GROUP BY strength ORDER BY strength;
-- Probabilities are those of Plackett and Luce, and sum to one.
SELECT round(sum(p)::numeric, 9) AS sum, round((exp((max(s) - min(s)) / 173.71779276130073) / (max(p) / min(p)))::numeric, 9) AS ratio
FROM (SELECT team, max(win_probability) AS p, avg(rating[player_id]) AS s FROM many_arrays, skillrating.split_teams(players[1:12], rating[1:12], teams => 4) GROUP BY team) AS t;
-- Never worse than any split at random.
WITH best AS (SELECT objective, max(difference) AS range, (SELECT var_pop(s) FROM (SELECT avg(rating[b.player_id::int]) AS s FROM skillrating.split_teams(skillrating.lobby(players[1:12]::text[], rating[1:12]), teams => 3, objective => o.objective) AS b GROUP BY team) AS t) AS variance
        FROM many_arrays, unnest(ARRAY['squares', 'range']) AS o(objective), skillrating.split_teams(skillrating.lobby(players[1:12]::text[], rating[1:12]), teams => 3, objective => o.objective) GROUP BY objective, players, rating),
    random AS (SELECT try, max(s) - min(s) AS range, var_pop(s) AS variance FROM (SELECT try, (place - 1) / 4 AS team, avg(rating[i]) AS s FROM many_arrays, (SELECT try, i, row_number() OVER (PARTITION BY try ORDER BY hashint8extended(try, i)) AS place FROM generate_series(1, 5000) AS try, generate_series(1, 12) AS i) AS r GROUP BY try, team) AS t GROUP BY try)
SELECT objective, CASE objective WHEN 'range' THEN best.range <= min(random.range) + 1e-9 ELSE best.variance <= min(random.variance) + 1e-9 END AS best FROM best, random GROUP BY objective, best.range, best.variance ORDER BY 1;
-- More than can be gone through: what is found has a bound.
SELECT exact, bound > 0 AS bounded, max(difference) < 1 AS even, count(DISTINCT team) AS teams
FROM (SELECT array_agg(i) AS p, array_agg(1500 + hashint4(i) / 1e7) AS r FROM generate_series(1, 100) AS i) AS a, skillrating.split_teams(p, r, teams => 10) GROUP BY exact, bound;
-- Seeds find other splits that are as good.
SELECT count(DISTINCT teams) > 1 AS others, count(DISTINCT round(d::numeric, 9)) AS differences FROM (SELECT seed, string_agg(team::text, ' ' ORDER BY player_id::int) AS teams, max(difference) AS d
    FROM generate_series(1, 10) AS seed, LATERAL (SELECT array_agg(n) AS p, array_agg(1000.0 + n % 3) AS r FROM generate_series(1, 12) AS n) AS a, skillrating.split_teams(skillrating.lobby(p::text[], r), teams => 4, seed => seed) GROUP BY seed) AS s;

-- What is refused, and why.
SELECT * FROM skillrating.split_teams('{1,2,3}'::int[], '{1,2,3}', teams => 1);
SELECT * FROM skillrating.split_teams('{1,2,3}'::int[], '{1,2,3}', teams => 11);
SELECT * FROM skillrating.split_teams('{1,2,3}'::int[], '{1,2,3}', teams => 4);
SELECT * FROM skillrating.split_teams('{1,2,3}'::int[], '{1,2,3}', teams => 3, team_size => 2);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', mu_2 => '{1,2,3}'), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', command_mu => '{1,2,3}'), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', log_odds => 1), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', locked => '{4,NULL,NULL}'), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}'), teams => 3, objective => 'sum');
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3,4,5,6}'::text[], '{1,2,3,4,5,6}', locked => '{1,1,1,NULL,NULL,NULL}', strict => true), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3,4,5,6}'::text[], '{1,2,3,4,5,6}', party => '{1,1,1,NULL,NULL,NULL}', strict => true), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3,4,5,6}'::text[], '{1,2,3,4,5,6}', party => '{1,1,1,2,2,2}', strict => true), teams => 3);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3,4,5,6}'::text[], '{1,2,3,4,5,6}', avoid => '{{1,2},{1,3},{1,4},{1,5},{1,6}}', strict => true), teams => 3);

-- A long search can be cancelled.
SET statement_timeout = '100ms';
SELECT count(*) FROM (SELECT array_agg(i) AS p, array_agg(exp(hashint4(i) / 1e9)) AS r FROM generate_series(1, 32) AS i) AS a, generate_series(1, 100) AS g, skillrating.split_teams(skillrating.lobby(p::text[], r), teams => 10, team_size => 2, seed => g, budget => 100000);
RESET statement_timeout;

DROP FUNCTION many_strengths;
DROP VIEW many_arrays;
