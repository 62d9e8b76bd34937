-- split_teams() and split_all_sizes(): two teams and a bench.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
\set SHOW_CONTEXT never
CREATE TABLE split_players (n int, player text, rating float8, other float8, party int, locked int, command float8);
INSERT INTO split_players VALUES
    (1, 'ann', 1500, 1400, NULL, NULL, 10), (2, 'bob', 1720, 1800, 1, NULL, 20), (3, 'cid', 1610, 1650, 1, NULL, 30), (4, 'dan', 1400, 1300, NULL, 2, 40),
    (5, 'eve', 1555, 1500, NULL, NULL, 50), (6, 'fay', 1333, 1400, NULL, 0, 60), (7, 'gus', 1444, 1600, NULL, NULL, 70);
CREATE VIEW split_arrays AS
SELECT array_agg(player ORDER BY n) AS players, array_agg(rating ORDER BY n) AS rating, array_agg(other ORDER BY n) AS other, array_agg(party ORDER BY n) AS party,
    array_agg(locked ORDER BY n) AS locked, array_agg(command ORDER BY n) AS command FROM split_players;
\set ECHO all

-- Everybody plays: teams of four and three, of which the means are compared.
SELECT player_id, team, round(difference::numeric, 6) AS difference, round(win_probability::numeric, 6) AS p, exact, bound, commands FROM split_arrays, skillrating.split_teams(players, rating);
-- Three on either side and one on the bench; with all that ties players.
SELECT player_id, team, difference, round(win_probability::numeric, 6) AS p, exact FROM split_arrays, skillrating.split_teams(players, rating, team_size => 3);
SELECT player_id, team, round(difference::numeric, 6) AS difference, exact FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => party::text[], locked => locked), team_size => 3);
SELECT player_id, team, round(difference::numeric, 6) AS difference, exact FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, avoid => '{{ann,eve},{eve,gus},{gus,nobody}}'), team_size => 2);
-- Sides that differ, one of which is ahead; sums and shares.
SELECT player_id, team, round(difference::numeric, 6) AS difference, round(win_probability::numeric, 6) AS p
FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, mu_2 => other, log_odds => 0.4, strength => 'sum'), team_size => 3);
SELECT player_id, team, round(difference::numeric, 6) AS difference, round(win_probability::numeric, 6) AS p, commands
FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, strength => 'share', log_odds_unit => 100, command_mu => command, command_weight => 1, commanders => '{t,f,f,f,t,t,f}'), team_size => 3);

-- Who has waited longest plays; fairness decides among equals, and ties are stronger.
SELECT player_id, team, difference FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, priority => '{1,9,2,8,2,7,1}'), team_size => 2);
SELECT count(*) AS splits, min(d) = max(d) AS same, bool_and(benched = 1) AS one_of_two FROM (SELECT seed, abs(max(difference)) AS d, count(*) FILTER (WHERE player_id IN ('cid', 'eve') AND team IS NULL) AS benched
    FROM generate_series(1, 10) AS seed, split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, priority => '{1,9,2,8,2,7,1}'), team_size => 2, seed => seed) GROUP BY seed) AS s;
SELECT player_id, team, difference FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, priority => '{1,9,2,8,3,7,4}', party => '{1,1,NULL,NULL,NULL,NULL,NULL}', locked => '{NULL,NULL,NULL,0,NULL,NULL,NULL}'), team_size => 2) WHERE team IS NOT NULL;
SELECT player_id, team, difference FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, priority => '{9,5,4,3,2,1,0}', party => '{NULL,1,1,1,NULL,NULL,NULL}', avoid => '{ann,bob}'), team_size => 2) WHERE team IS NOT NULL;

-- The probability is what difference, log_odds_unit and log_odds say, for a player's own team, and what the teams are.
SELECT bool_and(abs(win_probability - 1 / (1 + exp((difference / 100 + 0.3) * CASE team WHEN 1 THEN -1 ELSE 1 END))) < 1e-12) AS predicted, abs(max(difference) - (avg(l.rating) FILTER (WHERE team = 1) - avg(l.rating) FILTER (WHERE team = 2))) < 1e-9 AS mean
FROM split_arrays AS a, skillrating.split_teams(skillrating.lobby(players::text[], a.rating, log_odds => 0.3, log_odds_unit => 100)) AS s JOIN split_players AS l ON l.player = s.player_id;

-- Whatever the players are called, and in whatever order they come.
SELECT count(DISTINCT d) FROM (
    SELECT max(abs(difference)) AS d FROM (SELECT array_agg(player::text::uuid ORDER BY n) AS p, array_agg(rating ORDER BY n) AS r FROM (SELECT n, md5(player) AS player, rating FROM split_players) AS l) AS a, skillrating.split_teams(p, r, team_size => 3)
    UNION ALL SELECT max(abs(difference)) FROM (SELECT array_agg(n ORDER BY player DESC) AS p, array_agg(rating ORDER BY player DESC) AS r FROM split_players) AS a, skillrating.split_teams(p, r, team_size => 3)) AS u;
-- Other seeds may find other splits, none of which is better.
SELECT count(DISTINCT teams) > 1 AS others, count(DISTINCT d) AS differences FROM (
    SELECT seed, string_agg(CASE team WHEN 1 THEN n::int WHEN 2 THEN -n::int END::text, ' ' ORDER BY n::int) AS teams, max(abs(difference)) AS d
    FROM generate_series(1, 20) AS seed, LATERAL (SELECT array_agg(n) AS p, array_agg(1000.0 + n % 3) AS r FROM generate_series(1, 12) AS n) AS a, skillrating.split_teams(skillrating.lobby(p::text[], r), team_size => 4, seed => seed) AS s(n) GROUP BY seed) AS q;

-- All sizes at once are the splits of each.
SELECT a.team_size, count(*) AS players, count(a.team) AS playing, bool_and(a.exact) AS exact, abs(max(abs(a.difference)) - max(abs(b.difference))) < 1e-9 AS same
FROM split_arrays, skillrating.split_all_sizes(skillrating.lobby(players::text[], rating, party => party::text[], locked => locked, log_odds => 0.1)) AS a,
    LATERAL (SELECT difference FROM skillrating.split_teams(skillrating.lobby(players::text[], rating, party => party::text[], locked => locked, log_odds => 0.1), team_size => a.team_size) LIMIT 1) AS b
GROUP BY a.team_size ORDER BY 1;
-- There, too, each team has its own probability, and the bench none.
SELECT team_size, count(DISTINCT win_probability) AS probabilities, bool_and(abs(win_probability - 1 / (1 + exp((difference / 100 + 0.3) * CASE team WHEN 1 THEN -1 ELSE 1 END))) < 1e-12) AS predicted,
    bool_and((team IS NULL) = (win_probability IS NULL)) AS bench
FROM split_arrays, skillrating.split_all_sizes(skillrating.lobby(players::text[], rating, locked => locked, log_odds => 0.3, log_odds_unit => 100)) GROUP BY team_size ORDER BY team_size;
-- Large lobbies; real ratings that need a bound, which holds.
SELECT n, count(DISTINCT team_size) AS sizes, max(abs(difference) * team_size) < 1.5 AS even, bool_and(exact) AS exact
FROM unnest(ARRAY[24, 32, 64]) AS n, LATERAL (SELECT array_agg(i) AS p, array_agg(1500.0 + hashint4(i) % 1000) AS r FROM generate_series(1, n) AS i) AS a, skillrating.split_all_sizes(skillrating.lobby(p::text[], r)) GROUP BY n ORDER BY n;
SELECT n, count(team), bool_and(abs(difference) <= bound OR exact) AS sound, max(abs(difference)) < 0.1 AS even
FROM unnest(ARRAY[40, 64, 100, 300]) AS n, LATERAL (SELECT array_agg(i) AS p, array_agg(1500 + hashint4(i) / 1e7) AS r FROM generate_series(1, n) AS i) AS a, skillrating.split_teams(skillrating.lobby(p::text[], r), budget => 50) GROUP BY n ORDER BY n;
SELECT max(abs(difference)) < 1 AS even, bool_and(exact) AS exact FROM (SELECT array_agg(i) AS p, array_agg(1500 + hashint4(i) / 1e7) AS r FROM generate_series(1, 30) AS i) AS a, skillrating.split_teams(skillrating.lobby(p::text[], r), team_size => 10, budget => 0.01);
-- Rows come in the order of the players, whatever the seed.
SELECT bool_and(of_teams = p::text[]) AS of_teams, bool_and(of_sizes = (p || p || p)::text[]) AS of_sizes
FROM generate_series(1, 5) AS seed, (SELECT array_agg(i ORDER BY hashint4(i)) AS p, array_agg(hashint4(i + 7)::float8 / 1e6 ORDER BY hashint4(i)) AS r FROM generate_series(1, 8) AS i) AS a,
    LATERAL (SELECT array_agg(player_id ORDER BY n) AS of_teams FROM skillrating.split_teams(skillrating.lobby(p::text[], r), seed => seed) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n)) AS t,
    LATERAL (SELECT array_agg(player_id ORDER BY n) AS of_sizes FROM skillrating.split_all_sizes(skillrating.lobby(p::text[], r), seed => seed) WITH ORDINALITY AS s(team_size, player_id, team, difference, win_probability, exact, bound, why, n)) AS z;

-- Nobody, and nothing known.
SELECT count(*) FROM skillrating.split_teams('{}'::int[], '{}');
SELECT count(*) FROM skillrating.split_all_sizes(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}'));
SELECT count(*) FROM skillrating.split_teams(NULL::int[], '{}'), skillrating.split_all_sizes(skillrating.lobby('{}'::text[], NULL));

-- What is refused, and why.
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{1,1,NULL,NULL,NULL,NULL,NULL}', locked => '{1,2,NULL,NULL,NULL,NULL,NULL}', strict => true), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, locked => '{1,1,1,1,NULL,NULL,NULL}', strict => true), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{1,1,1,1,NULL,NULL,NULL}', locked => '{NULL,NULL,NULL,2,NULL,NULL,NULL}', strict => true), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{1,1,NULL,NULL,NULL,NULL,NULL}', avoid => '{ann,bob}', locked => '{1,NULL,NULL,NULL,NULL,NULL,NULL}', strict => true), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{1,1,NULL,NULL,2,2,NULL}', locked => '{1,2,NULL,NULL,1,2,NULL}', strict => true), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{1,1,1,1,NULL,NULL,NULL}', locked => '{1,NULL,NULL,NULL,1,1,1}', strict => true), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, command_mu => command, commanders => '{f,f,f,f,f,f,t}', strict => true), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(players, rating, team_size => 4);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, locked => '{0,0,NULL,NULL,NULL,NULL,NULL}'), team_size => 3);
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, locked => '{3,0,NULL,NULL,NULL,NULL,NULL}'));
SELECT * FROM split_arrays, skillrating.split_teams(skillrating.lobby(players::text[], rating, locked => '{0,0,0,0,0,0,NULL}'));
SELECT * FROM split_arrays, skillrating.split_teams(players, '{1,2}');
SELECT * FROM split_arrays, skillrating.split_teams(players, '{1,2,3,4,5,6,NaN}');
SELECT * FROM skillrating.split_teams('{1,2,1}'::int[], '{1,2,3}');
SELECT * FROM skillrating.split_teams('{1,2,NULL}'::int[], '{1,2,3}');
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', avoid => '{1,2,3}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', avoid => '{1,1}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', avoid => '{1,x}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', avoid => '{1,NULL}'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', strength => 'max'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', log_odds_unit => 0));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}'), budget => -1);
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', log_odds => 'Infinity'));
SELECT * FROM skillrating.split_teams(skillrating.lobby('{1,2,3}'::text[], '{1,2,3}', command_weight => -1, command_mu => '{1,2,3}'));
SELECT count(*) FROM (SELECT array_agg(i) AS p, array_agg(1.0::float8) AS r FROM generate_series(1, 1001) AS i) AS a, skillrating.split_teams(p, r);
SELECT count(*) FROM (SELECT array_agg(i) AS p, array_agg(1.0::float8) AS r, array_agg(ARRAY[i, i % 40 + 1]::text[]) AS v FROM generate_series(1, 40) AS i) AS a, skillrating.split_teams(skillrating.lobby(p::text[], r, avoid => v));

-- A long search can be cancelled.
SET statement_timeout = '100ms';
SELECT count(*) FROM (SELECT array_agg(i) AS p, array_agg(hashint4(i)::float8) AS r FROM generate_series(1, 900) AS i) AS a, generate_series(1, 100) AS g, skillrating.split_teams(skillrating.lobby(p::text[], r), seed => g);
SELECT count(*) FROM (SELECT array_agg(i) AS p, array_agg(hashint4(i)::float8) AS r FROM generate_series(1, 40) AS i) AS a, generate_series(1, 100) AS g, skillrating.split_all_sizes(skillrating.lobby(p::text[], r), seed => g, explain => true);
RESET statement_timeout;

DROP VIEW split_arrays;
DROP TABLE split_players;
