-- Hive learns contexts where matches have them, and nothing else changes.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SET search_path = public, skillrating;

-- A hundred matches of two new players each, every tenth lost: the recursion of the page gives .827 for the next two.
WITH RECURSIVE step(g, m, d2) AS (
    SELECT 0, 0::float8, 0.5::float8 ^ 2 UNION ALL
    SELECT g + 1, m + e2 * ((g % 10 <> 9)::integer - p), e2
    FROM (SELECT g, m, p, 1 / (1 / d2 + p * (1 - p)) AS e2 FROM (SELECT g, m, d2, 1 / (1 + exp(-m)) AS p FROM step) AS s) AS t WHERE g < 100
), forecast AS (
    SELECT (r).win_probability AS p, g FROM (SELECT g, rate('hive', 2 * g + team, team, CASE WHEN g % 10 = 0 THEN 3 - team ELSE team END, side => team, context => 'summit') OVER (ORDER BY g) AS r
        FROM generate_series(1, 101) AS g, generate_series(1, 2) AS team) AS q WHERE (r).score IS NOT NULL
)
SELECT abs(p - 1 / (1 + exp(-m))) < 1e-12 AS as_the_page, round(p::numeric, 3) = 0.827 AS published
FROM step, (SELECT max(p) AS p FROM forecast WHERE g = 101) AS f WHERE step.g = 100;

-- A context in which side 1 wins 90 of 100, of forty players on fixed sides, whose offsets take a part, and newcomers in it: about .8.
SELECT create_ladder('ctx', 'hive') \gset
SELECT count(*) FROM generate_series(1, 100) AS g,
    LATERAL report_match('ctx', g, array[g % 20 + 1, g % 20 + 21], array[1, 2],
        CASE WHEN g % 10 = 0 THEN array[2, 1] ELSE array[1, 2] END, '2026-01-01'::timestamptz + g * interval '1 hour',
        side => array[1, 2], context => array['summit', 'summit']) AS r;
SELECT w.win_probability BETWEEN 0.75 AND 0.85 AS about_right, w.win_probability - 1 / (1 + exp(-c.mu)) AS off
FROM ctx.components AS c,
    win_probability('ctx', array[1001, 1002], array[1, 2], side => array[1, 2], context => array['summit', 'summit']) AS w WHERE w.team = 1;
-- In another one, or in none, nothing was learned of newcomers.
SELECT win_probability FROM win_probability('ctx', array[1001, 1002], array[1, 2], side => array[1, 2], context => array['peak', 'peak']);
SELECT win_probability FROM win_probability('ctx', array[1001, 1002], array[1, 2], side => array[1, 2]);
SELECT count(*) AS faults FROM verify('ctx') WHERE NOT ok;
SELECT drop_ladder('ctx') \gset

--
-- Simulated matches of four against four by forty players, on twelve maps that differ
--
-- Uniform numbers in (0, 1), and normal ones.
\set ECHO none
CREATE FUNCTION uniform(text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$SELECT (('x' || left(md5($1), 8))::bit(32)::bigint + 0.5) / 4294967296.0$$;
CREATE FUNCTION normal(text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$SELECT sqrt(-2 * ln(uniform($1 || 'r'))) * cos(2 * pi() * uniform($1 || 'a'))$$;

CREATE TABLE round AS
SELECT s.seed, m.match_id, 'map ' || m.match_id % 12 AS map, array_agg(p.id ORDER BY p.place) AS players,
    -- The log-odds of side 1, by the skills of the model, deviation 2, and by the map, deviation .6.
    sum(CASE WHEN p.place <= 4 THEN p.skill ELSE -p.skill END) / 8 + 0.6 * normal(s.seed || 'map' || m.match_id % 12) AS log_odds
FROM generate_series(1, 5) AS s(seed), generate_series(1, 1200) AS m(match_id),
    LATERAL (SELECT id, row_number() OVER (ORDER BY md5(s.seed || ' ' || m.match_id || ' ' || id)) AS place, 2 * normal(s.seed || 'player' || id) AS skill
        FROM generate_series(1, 40) AS id) AS p
WHERE p.place <= 8 GROUP BY s.seed, m.match_id;
CREATE TABLE line AS
SELECT r.seed, r.match_id, r.map, r.log_odds, u.id AS player_id, 1 + (u.place > 4)::integer AS team,
    CASE WHEN (uniform(r.seed || 'result' || r.match_id) < 1 / (1 + exp(-r.log_odds))) = (u.place <= 4) THEN 1.0 ELSE 0.0 END AS score
FROM round AS r, unnest(r.players) WITH ORDINALITY AS u(id, place);

CREATE FUNCTION forecast(name text, params jsonb, with_map boolean)
RETURNS TABLE (name text, second_half boolean, win_probability float8, score float8, truth float8, map text, seed integer, match_id integer, player_id integer) LANGUAGE sql AS $$
    SELECT $1, q.match_id > 600, (q.r).win_probability, q.score, 1 / (1 + exp(CASE q.team WHEN 1 THEN -q.log_odds ELSE q.log_odds END)), q.map, q.seed, q.match_id, q.player_id
    FROM (SELECT l.*, rate('hive', l.player_id, l.team, team_score => l.score, side => l.team, context => CASE WHEN $3 THEN l.map END, options => $2) OVER (PARTITION BY l.seed ORDER BY l.match_id) AS r FROM line AS l) AS q
$$;
CREATE TABLE forecasts AS
SELECT * FROM forecast('without', '{"context_deviation": 0}', true) UNION ALL
SELECT * FROM forecast('default', '{}', true) UNION ALL
SELECT * FROM forecast('no map', '{}', false);
\set ECHO all

-- Log loss above the truth's in the second half: by default lower by more than .01, in the mean and with each seed.
SELECT d.loss < w.loss - 0.01 AS better, d.worst < 0 AS for_each_seed
FROM (SELECT log_loss(win_probability, score) - log_loss(truth, score) AS loss, max(s.gain) AS worst FROM forecasts,
        (SELECT log_loss(win_probability, score) FILTER (WHERE name = 'default') - log_loss(win_probability, score) FILTER (WHERE name = 'without') AS gain
        FROM forecasts WHERE second_half GROUP BY seed) AS s WHERE second_half AND name = 'default') AS d,
    (SELECT log_loss(win_probability, score) - log_loss(truth, score) AS loss FROM forecasts WHERE second_half AND name = 'without') AS w;
-- The same matches without their maps: each forecast is the one without the component, to the bit.
SELECT count(*) AS rows, count(*) FILTER (WHERE a.win_probability IS DISTINCT FROM b.win_probability) AS differ
FROM forecasts AS a JOIN forecasts AS b USING (seed, match_id, player_id) WHERE a.name = 'without' AND b.name = 'no map';

SET client_min_messages = warning;
DROP TABLE round, line, forecasts;
DROP FUNCTION forecast, uniform, normal;
