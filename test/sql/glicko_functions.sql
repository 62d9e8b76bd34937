-- Glicko and Glicko-2: the papers' examples, idle time, errors, ladders.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

SELECT round(new_rating::numeric, 4) AS new_rating, round(new_deviation::numeric, 4) AS new_deviation
FROM skillrating.glicko_update(1500, 200, '{1400,1550,1700}', '{30,100,300}', '{1,0,0}');
SELECT round(new_rating::numeric, 4) AS new_rating, round(new_deviation::numeric, 4) AS new_deviation,
    round(new_volatility::numeric, 6) AS new_volatility
FROM skillrating.glicko2_update(1500, 200, 0.06, '{1400,1550,1700}', '{30,100,300}', '{1,0,0}', tau => 0.5);
-- At once, after half a period, after two; the order of the games does not matter.
SELECT elapsed, round(new_rating::numeric, 4) AS new_rating, round(new_deviation::numeric, 4) AS new_deviation
FROM unnest(ARRAY[0, 0.5, 2]) AS elapsed,
    skillrating.glicko2_update(1500, 200, 0.06, '{1700,1400,1550}', '{300,30,100}', '{0,1,0}', elapsed => elapsed);
-- Periods without games: only the deviation grows, and not beyond 350.
SELECT round(new_rating::numeric, 4) AS new_rating, round(new_deviation::numeric, 4) AS new_deviation
FROM skillrating.glicko_update(1500, 50, '{}', '{}', '{}', c => 63.2);
SELECT round(new_rating::numeric, 4) AS new_rating, round(new_deviation::numeric, 4) AS new_deviation, new_volatility
FROM skillrating.glicko2_update(1500, 349, 0.3, '{}', '{}', '{}');
-- Another limit, or none: sqrt(349^2 + (0.3 * 173.7178)^2).
SELECT deviation_max, round(new_deviation::numeric, 4) AS new_deviation
FROM unnest(ARRAY[100, 350, 'infinity']::float8[]) AS deviation_max,
    skillrating.glicko2_update(1500, 349, 0.3, '{}', '{}', '{}', deviation_max => deviation_max);
SELECT skillrating.glicko2_update(1500, 349, 0.3, '{}', '{}', '{}', deviation_max => 0);
SELECT skillrating.glicko2_update(1500, 349, 0.3, '{}', '{}', '{}', deviation_max => 'NaN');
SELECT round((skillrating.idle_state('glicko', '{1500,50}', '30 days', '{"c": 63.2, "period_days": 1}'))[2]::numeric, 2) AS thirty,
    round((skillrating.idle_state('glicko', '{1500,50}', '31 days', '{"c": 63.2, "period_days": 1}'))[2]::numeric, 2) AS capped,
    round((skillrating.idle_state('glicko2', '{1500,60,0.06}', '12 hours', '{"period_days": 1}'))[2]::numeric, 4) AS half,
    round((skillrating.idle_state('glicko2', '{1500,60,0.06}', '1 day', '{"period_days": 1}'))[2]::numeric, 4) AS one;
SELECT round(skillrating.glicko_win_probability(1400, 40, 1500, 150)::numeric, 12) AS a,
    round(skillrating.glicko2_win_probability(1500, 150, 1400, 40)::numeric, 12) AS b;

-- Extremes are safe.
SELECT new_rating > 1500 AS up, new_deviation < 350 AS less, new_volatility > 0.06 AS wilder
FROM skillrating.glicko2_update(1500, 350, 0.06, '{100000}', '{30}', '{1}');
SELECT * FROM skillrating.glicko_update(1500, 350, '{100000}', '{0}', '{0}');

-- However many upsets a period has, a volatility rises by at most sqrt(e), and a rating by games * q RD^2 with the RD that this leaves.
CREATE FUNCTION pg_temp.most(games float8, deviation float8) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN
    games * ln(10) / 400 * (deviation ^ 2 + exp(1.0::float8) * (0.06 * 400 / ln(10)) ^ 2);
SELECT bool_and(new_volatility BETWEEN 0.06 AND 0.06 * exp(0.5::float8) * (1 + 1e-15) AND new_rating - 1500 BETWEEN 0 AND pg_temp.most(n, 50) AND new_deviation < 60) AS bounded
FROM generate_series(1, 200) AS n, skillrating.glicko2_update(1500, 50, 0.06, array_fill(3500::float8, ARRAY[n]), array_fill(30::float8, ARRAY[n]), array_fill(1::float8, ARRAY[n]), deviation_max => 'infinity');
-- One beats 39 who are 3000 points above: rated at once, and as the period so far.
SELECT period, bool_and((r).state_after[3] BETWEEN 0.05 AND 0.06 * exp(0.5::float8) * (1 + 1e-15)) AS volatility,
    bool_and(abs((r).rating_after - (r).rating_before) <= pg_temp.most(39, 50)) AS rating, max((r).rating_after - (r).rating_before) > 400 AS winner_gains
FROM (SELECT period, skillrating.rate('glicko2', i, i, CASE i WHEN 0 THEN 1 ELSE 2 END, played_at => timestamptz '2026-01-01Z',
        start => (SELECT array_agg(skillrating.starting_rating(p, CASE p WHEN 0 THEN -1500 ELSE 1500 END, 50)) FROM generate_series(0, 39) AS p),
        options => jsonb_build_object('opponents', 'each', 'period', period) || CASE period WHEN 'none' THEN '{}' ELSE '{"period_shown": "so_far"}' END::jsonb) OVER (PARTITION BY period ORDER BY 1) AS r
    FROM generate_series(0, 39) AS i, unnest('{none,month}'::text[]) AS period) AS q
GROUP BY period ORDER BY period;

-- A null is unknown, and a mistake is an error.
SELECT skillrating.glicko_update(1500, NULL, '{}', '{}', '{}');
SELECT skillrating.glicko_update(1500, 200, '{1400}', '{30,40}', '{1}');
SELECT skillrating.glicko_update(1500, 200, '{1400}', '{30}', '{NULL}');
SELECT skillrating.glicko_update(1500, 200, '{1400}', '{30}', '{2}');
SELECT skillrating.glicko_update(1500, 200, '{1400}', '{30}', '{NaN}');
SELECT skillrating.glicko_update(1500, 200, '{infinity}', '{30}', '{1}');
SELECT skillrating.glicko_update(1500, 200, '{1400}', '{-30}', '{1}');
SELECT skillrating.glicko_update(1500, 0, '{1400}', '{30}', '{1}');
SELECT skillrating.glicko_update(1500, 200, '{1400}', '{30}', '{1}', c => -1);
SELECT skillrating.glicko2_update(1500, 200, 0, '{1400}', '{30}', '{1}');
SELECT skillrating.glicko2_update('NaN', 200, 0.06, '{1400}', '{30}', '{1}');
SELECT skillrating.glicko2_update(1500, 200, 0.06, '{1400}', '{30}', '{1}', tau => 'infinity');
SELECT skillrating.glicko2_update(1500, 200, 0.06, '{1400}', '{30}', '{1}', elapsed => -1);
SELECT skillrating.glicko2_update(1e308, 1e200, 0.06, '{-1e308}', '{30}', '{1}');
SELECT skillrating.glicko_win_probability(1500, -1, 1500, 50);

-- Ladders, with idle time between the matches.
SELECT count(skillrating.create_ladder(model, model)) FROM unnest(ARRAY['glicko', 'glicko2']) AS model;
INSERT INTO glicko.match (match_id, played_at)
SELECT m, '2026-01-01'::timestamptz + m * m * interval '1 hour' FROM generate_series(1, 100) AS m;
INSERT INTO glicko.match_player (match_id, player_id, team, rank)
SELECT m, 1 + (m * 7 + p * 3) % 10, p % (2 + m % 2), 1 + (p % (2 + m % 2) + m) % 3
FROM generate_series(1, 100) AS m, generate_series(0, 3) AS p;
INSERT INTO glicko2.match SELECT * FROM glicko.match;
INSERT INTO glicko2.match_player SELECT * FROM glicko.match_player;
SELECT count(*), bool_and(deviation BETWEEN 30 AND 350) AS sound FROM glicko.rating;
SELECT count(*), bool_and(deviation < 350) AS sound, bool_and(volatility BETWEEN 0.05 AND 0.07) AS calm FROM glicko2.rating;
SELECT bool_and(ok) FROM skillrating.verify('glicko');
SELECT bool_and(ok) FROM skillrating.verify('glicko2');
-- A deviation that has grown in idle time.
SELECT round((SELECT deviation_after FROM glicko2.event WHERE player_id = 1 ORDER BY seq LIMIT 1)::numeric, 3) AS after_first,
    round((SELECT deviation_before FROM glicko2.event WHERE player_id = 1 ORDER BY seq OFFSET 1 LIMIT 1)::numeric, 3) AS before_second;
SELECT skillrating.drop_ladder('glicko'), skillrating.drop_ladder('glicko2') \gset
