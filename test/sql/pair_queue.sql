-- pair_queue(): queued players grouped into matches.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE TABLE queue_player (n int, player text, rating float8, waited float8, party int, region bigint, pool text);
INSERT INTO queue_player VALUES
    (1, 'ann', 1500, 10, NULL, 1, NULL), (2, 'bob', 1720, 60, NULL, 3, NULL), (3, 'cid', 1610, 5, 1, 3, NULL), (4, 'dan', 1400, 0, 1, 1, NULL), (5, 'eve', 1555, 30, NULL, 2, NULL),
    (6, 'fay', 1333, 20, NULL, NULL, NULL), (7, 'gus', 1444, 2, NULL, 2, NULL), (8, 'hal', 1490, 1, NULL, 1, 'rude'), (9, 'ina', 1505, 1, NULL, 1, 'rude'), (10, 'joe', 2400, 900, NULL, NULL, NULL);
CREATE VIEW queue_arrays AS
SELECT array_agg(player ORDER BY n) AS t, array_agg(rating ORDER BY n) AS r, array_agg(waited ORDER BY n) AS w, array_agg(party ORDER BY n) AS party, array_agg(region ORDER BY n) AS regions, array_agg(pool ORDER BY n) AS pools FROM queue_player;
\set ECHO all

-- Who has waited longest has the widest window, and is served first.
SELECT match_number, player_id, team, round(quality::numeric, 6) AS quality, round(win_probability::numeric, 6) AS p, round(difference::numeric, 6) AS difference, region FROM queue_arrays, skillrating.pair_queue(skillrating.lobby(t::text[], r), waited => w);
SELECT match_number, player_id, team, round(quality::numeric, 6) AS quality FROM queue_arrays, skillrating.pair_queue(skillrating.lobby(t::text[], r), waited => w, max_window => 100);
-- Regions, pools and parties.
SELECT match_number, player_id, team, round(quality::numeric, 6) AS quality, region FROM queue_arrays, skillrating.pair_queue(skillrating.lobby(t::text[], r), waited => w, region => regions, pool => pools);
SELECT match_number, player_id, team, round(quality::numeric, 6) AS quality, round(difference::numeric, 6) AS difference, region FROM queue_arrays, skillrating.pair_queue(skillrating.lobby(t::text[], r, party => party::text[]), waited => w, region => regions, pool => pools, team_size => 2, initial_window => 200);
SELECT match_number, player_id, team, round(quality::numeric, 6) AS quality, round(win_probability::numeric, 6) AS p FROM queue_arrays, skillrating.pair_queue(skillrating.lobby(t::text[], r, model => 'trueskill', params => '{"initial_mu": 1500, "initial_sigma": 500, "beta": 250, "tau": 5}', sigma => '{50,60,70,80,90,100,110,120,130,140}'), waited => w, teams => 3, team_size => 2, widening => 10);
-- A quality that falls as the window widens: kim is in joe's window after 108 seconds, and good enough after 119.
SELECT s AS seconds, count(*) FILTER (WHERE player_id = 'joe') AS joe FROM queue_arrays, unnest('{0,115,120,7200}'::float8[]) AS s, skillrating.pair_queue(skillrating.lobby((t || 'kim'::text)::text[], r || 2000.0::float8), waited => array_append(ARRAY(SELECT CASE WHEN i = 10 THEN s ELSE 0 END FROM generate_subscripts(t, 1) AS i), 0::float8), min_quality => 0.9) GROUP BY s ORDER BY s;

-- The quality is the model's: of two the smaller probability, twice.
SELECT bool_and(abs(quality - 2 * least(p, 1 - p)) < 1e-12) AS quality, bool_and(abs(sum - 1) < 1e-12) AS sum
FROM (SELECT match_number, min(quality) AS quality, sum(win_probability) AS sum, 1 / (1 + 10 ^ (abs(max(q.rating) - min(q.rating)) / 400)) AS p FROM queue_arrays, skillrating.pair_queue(skillrating.lobby(t::text[], r), waited => w) AS m JOIN queue_player AS q ON q.player = m.player_id GROUP BY match_number) AS m;
-- The difference of two teams is that of the first less that of the second.
SELECT bool_and(abs(d - sum) < 1e-9) AS signed, min(d) < 0 AND max(d) > 0 AS both
FROM (SELECT match_number, min(difference) AS d, sum(q.rating * CASE team WHEN 1 THEN 1 ELSE -1 END) / 2 AS sum FROM queue_arrays, skillrating.pair_queue(skillrating.lobby(t::text[], r), waited => w, team_size => 2, initial_window => 1000) AS m JOIN queue_player AS q ON q.player = m.player_id GROUP BY match_number) AS m;
-- Rows come by match and team, and then in the order of the players.
SELECT bool_and(n = sorted) AS sorted, count(*) > 90 AS many
FROM (SELECT n, row_number() OVER (ORDER BY match_number, team, array_position(p, player_id::int)) AS sorted
    FROM (SELECT array_agg(i ORDER BY hashint4(i)) AS p, array_agg((abs(hashint4(i + 7)) % 100)::float8 ORDER BY hashint4(i)) AS r, array_agg((i % 7)::float8 ORDER BY hashint4(i)) AS w FROM generate_series(1, 100) AS i) AS a,
        skillrating.pair_queue(skillrating.lobby(p::text[], r), waited => w, team_size => 3) WITH ORDINALITY AS q(match_number, player_id, team, difference, win_probability, quality, region, commands, why, n)) AS q;

-- An hour of a queue, a call every ten seconds.  Whoever has waited until the window is as wide as all ratings is
-- served as long as there are enough of the pool and region.
\set ECHO none
CREATE TABLE queue_hour (player int PRIMARY KEY, rating float8, arrived int, region bigint, pool text, served int, match int);
CREATE PROCEDURE queue_run(team_size int, widening float8) LANGUAGE plpgsql AS $$
DECLARE
    tick int;
BEGIN
    TRUNCATE queue_hour;
    FOR tick IN SELECT generate_series(0, 3600, 10) LOOP
        INSERT INTO queue_hour SELECT tick + i, abs(hashint4(tick + i)) % 2000, tick, 1 + abs(hashint8(tick + i)) % 3, CASE abs(hashint8extended(tick + i, 3)) % 10 WHEN 0 THEN 'rude' ELSE 'kind' END FROM generate_series(1, abs(hashint4(tick)) % 10) AS i;
        UPDATE queue_hour AS h SET served = tick, match = tick * 1000 + p.match_number
        FROM (SELECT array_agg(player ORDER BY player) AS t, array_agg(rating ORDER BY player) AS r, array_agg((tick - arrived)::float8 ORDER BY player) AS w, array_agg(region ORDER BY player) AS region, array_agg(pool ORDER BY player) AS pool FROM queue_hour WHERE served IS NULL) AS a,
            skillrating.pair_queue(skillrating.lobby(t::text[], r), waited => w, region => a.region, pool => a.pool, team_size => queue_run.team_size, initial_window => 20, widening => queue_run.widening) AS p
        WHERE h.player = p.player_id::int;
        -- Window and range: 20 + 5 * 396 = 2000.
        PERFORM FROM queue_hour AS h WHERE served IS NULL AND 20 + queue_run.widening * (tick - arrived) >= 2000
            AND EXISTS (SELECT FROM unnest('{1,2}'::bigint[]) AS bit WHERE h.region & bit <> 0 AND (SELECT count(*) FROM queue_hour AS o WHERE o.served IS NULL AND o.pool = h.pool AND o.region & bit <> 0) >= 2 * queue_run.team_size);
        IF FOUND THEN
            RAISE 'somebody starves at %', tick;
        END IF;
    END LOOP;
END $$;
\set ECHO all
CALL queue_run(1, 5);
SELECT count(*) > 1000 AS many, count(*) FILTER (WHERE served IS NULL) < 10 AS nearly_all, max(served - arrived) <= 400 + 60 AS soon, percentile_cont(0.5) WITHIN GROUP (ORDER BY served - arrived) <= 20 AS usually FROM queue_hour;
SELECT count(DISTINCT match) > 500 AS matches, bool_and(n = 2 AND pools = 1 AND together) AS sound FROM (SELECT match, count(*) AS n, count(DISTINCT pool) AS pools, bit_and(region) <> 0 AS together FROM queue_hour WHERE match IS NOT NULL GROUP BY match) AS m;
CALL queue_run(4, 5);
SELECT count(*) > 1000 AS many, count(*) FILTER (WHERE served IS NULL AND pool = 'kind') < 40 AS nearly_all FROM queue_hour;
SELECT bool_and(n = 8 AND pools = 1 AND together) AS sound FROM (SELECT match, count(*) AS n, count(DISTINCT pool) AS pools, bit_and(region) <> 0 AS together FROM queue_hour WHERE match IS NOT NULL GROUP BY match) AS m;

-- Ten thousand, in any shape.
SELECT teams, team_size, count(*) > 9900 AS nearly_all, count(*) = max(match_number) * teams * team_size AS full_matches, min(quality) > 0.5 AS even
FROM (SELECT array_agg(i) AS t, array_agg(1000.0 + abs(hashint4(i)) % 1000) AS r FROM generate_series(1, 10000) AS i) AS a, (VALUES (2, 1), (2, 5), (4, 1), (3, 3)) AS s(teams, team_size),
    LATERAL skillrating.pair_queue(skillrating.lobby(t::text[], r), teams => s.teams, team_size => s.team_size) GROUP BY teams, team_size ORDER BY 1, 2;

-- Nobody, and what is refused.
SELECT count(*) FROM skillrating.pair_queue(skillrating.lobby('{}'::text[], '{}'));
SELECT count(*) FROM skillrating.pair_queue(skillrating.lobby(NULL::text[], '{}'));
SELECT count(*) FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}', party => '{1,1}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,1}'::text[], '{1,2}'));
\set VERBOSITY terse
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,NULL}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,Infinity}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,1e13}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), waited => '{1,-1}');
\set VERBOSITY default
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}', sigma => '{1,1}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}', sigma => '{1,0}', model => 'glicko'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), region => '{1,0}');
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}', model => 'none'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}', params => '{"k": -1}'));
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), team_size => 0);
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), team_size => 65);
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), teams => 11);
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), team_size => NULL);
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), initial_window => -1);
SELECT * FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), min_quality => 2);
SELECT count(*) FROM (SELECT array_agg(i) AS t, array_agg(1.0::float8) AS r FROM generate_series(1, 100001) AS i) AS a, skillrating.pair_queue(skillrating.lobby(t::text[], r));
SELECT count(*) FROM (SELECT array_agg(i) AS t, array_agg(1.0::float8) AS r, array_agg(-1::bigint) AS g FROM generate_series(1, 50000) AS i) AS a, skillrating.pair_queue(skillrating.lobby(t::text[], r), region => g);
SELECT count(*), min(region) AS region FROM skillrating.pair_queue(skillrating.lobby('{1,2}'::text[], '{1,2}'), region => '{-9223372036854775808,-1}');
SET statement_timeout = '50ms';
-- It may strike in either function.
\set SHOW_CONTEXT never
SELECT count(*) FROM (SELECT array_agg(i) AS t, array_agg(hashint4(i)::float8) AS r FROM generate_series(1, 100000) AS i) AS a, skillrating.pair_queue(skillrating.lobby(t::text[], r), team_size => 12);
\set ECHO none
\set SHOW_CONTEXT errors
RESET statement_timeout;

DROP PROCEDURE queue_run;
DROP VIEW queue_arrays;
DROP TABLE queue_player, queue_hour;
\set ECHO all
