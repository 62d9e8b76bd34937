-- TrueSkill: known values, many teams, predictions, quality, errors, a ladder.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

-- A duel, a draw and a free-for-all between newcomers.
CREATE FUNCTION pg_temp.newcomers(n int, mu OUT float8[], sigma OUT float8[]) LANGUAGE sql AS
$$ SELECT array_fill(25::float8, ARRAY[n]), array_fill(25 / 3.0::float8, ARRAY[n]) $$;
SELECT ordinal, round(new_mu::numeric, 5) AS new_mu, round(new_sigma::numeric, 5) AS new_sigma
FROM pg_temp.newcomers(2), skillrating.trueskill_update('{1,2}', '{1,2}', mu, sigma);
SELECT ordinal, round(new_mu::numeric, 5) AS new_mu, round(new_sigma::numeric, 5) AS new_sigma
FROM pg_temp.newcomers(2), skillrating.trueskill_update('{1,2}', '{1,1}', mu, sigma);
SELECT ordinal, round(new_mu::numeric, 5) AS new_mu, round(new_sigma::numeric, 5) AS new_sigma
FROM pg_temp.newcomers(4), skillrating.trueskill_update('{1,2,3,4}', '{1,2,3,4}', mu, sigma);

-- Four tied behind one: alike, and as a chain, with the published values.
SELECT count(DISTINCT (new_mu, new_sigma)) = 2 AS alike
FROM pg_temp.newcomers(5), skillrating.trueskill_update('{1,2,3,4,5}', '{1,2,2,2,2}', mu, sigma);
SELECT bool_and(abs(new_mu - ('{30.62052,23.58454,23.59340,23.59930,23.60225}'::float8[])[ordinal]) < 1e-5) AS chain
FROM pg_temp.newcomers(5), skillrating.trueskill_update('{1,2,3,4,5}', '{1,2,2,2,2}', mu, sigma, ties => 'chain');
SELECT min((r).mu_after) = max((r).mu_after) AS one_value FROM (SELECT i, skillrating.rate('trueskill', i, i, least(i, 16)) OVER (ORDER BY 1) AS r FROM generate_series(1, 30) AS i) AS q WHERE i >= 16;
\set VERBOSITY terse
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,8}', ties => 'both');

-- Teams of unequal size, listed in any order; partial play.
SELECT ordinal, round(new_mu::numeric, 5) AS new_mu, round(new_sigma::numeric, 5) AS new_sigma
FROM pg_temp.newcomers(3), skillrating.trueskill_update('{20,10,20}', '{1,2,1}', mu, sigma);
SELECT ordinal, round(new_mu::numeric, 5) AS new_mu, round(new_sigma::numeric, 5) AS new_sigma
FROM pg_temp.newcomers(4), skillrating.trueskill_update('{1,1,2,2}', '{1,1,2,2}', mu, sigma, weight => '{1,0.25,1,1}');
-- A team without play time tells nothing about itself.
SELECT ordinal, round(new_mu::numeric, 5) AS new_mu, round(new_sigma::numeric, 5) AS new_sigma
FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{2,2}', '{6,6}', '{1,0}', beta => 1, tau => 0, draw_probability => 0);

-- Predictions for two and for more teams.
SELECT team, round(win_probability::numeric, 9) AS win, round(draw_probability::numeric, 9) AS draw
FROM skillrating.trueskill_win_probability('{1,2}', '{30,25}', '{4,4}');
-- Rows come by the numbers of teams, whatever the order of the arrays.
SELECT team, round(win_probability::numeric, 9) AS win, round(draw_probability::numeric, 9) AS draw
FROM skillrating.trueskill_win_probability('{7,-2}', '{25,30}', '{4,4}');
SELECT team, round(win_probability::numeric, 7) AS win, round(draw_probability::numeric, 7) AS draw,
    (SELECT array_agg(round(p::numeric, 7)) FROM unnest(rank_probability) AS p) AS rank_probability
FROM skillrating.trueskill_win_probability('{1,2,3}', '{25,25,29}', '{8,8,1}');
-- Equals share everything alike.
SELECT team, round(win_probability::numeric, 8) AS win, round(draw_probability::numeric, 8) AS draw,
    (SELECT array_agg(round(p::numeric, 8)) FROM unnest(rank_probability) AS p) AS rank_probability
FROM pg_temp.newcomers(4), skillrating.trueskill_win_probability('{1,2,3,4}', mu, sigma, draw_probability => 0);
-- A player of certain skill between two of any: deviations far apart.
SELECT team, round(win_probability::numeric, 7) AS win
FROM skillrating.trueskill_win_probability('{1,2,3}', '{25,25,25}', '{1000,0.001,1000}', beta => 0.001, draw_probability => 0);
SELECT round(skillrating.trueskill_quality('{1,2}', mu, sigma)::numeric, 7) AS duel FROM pg_temp.newcomers(2);
SELECT round(skillrating.trueskill_quality('{1,2,3,4,5,6,7,8}', mu, sigma)::numeric, 7) AS eight FROM pg_temp.newcomers(8);
SELECT round(skillrating.trueskill_quality('{1,1,2,2}', '{25,25,25,25}', '{1,1,1,1}', '{1,1,1,0.5}')::numeric, 7) AS shares;

-- Nothing is known of a null.
SELECT * FROM skillrating.trueskill_update('{1,2}', NULL, '{25,25}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,8}', beta => NULL);
SELECT skillrating.trueskill_quality('{1,2}', NULL, '{8,8}');

-- Mistakes.
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,NULL}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{{1,2}}', '{1,2}', '{25,25}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,NaN}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,infinity}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,0}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,-8}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{0,1}', '{25,25}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{1,1}', '{1,2}', '{25,25}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{1,1}', '{1,1}', '{25,25}', '{8,8}');
SELECT * FROM skillrating.trueskill_update('{}', '{}', '{}', '{}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,8}', '{1,-1}');
SELECT * FROM skillrating.trueskill_update('{1,2,3}', '{1,2,3}', '{25,25,25}', '{8,8,8}', '{1,1,0}');
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,8}', beta => 0);
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,8}', tau => -1);
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,8}', draw_probability => 1);
SELECT * FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{1e300,-1e300}', '{1e200,1e200}');
SELECT * FROM skillrating.trueskill_win_probability('{1,1}', '{25,25}', '{8,8}');
SELECT * FROM skillrating.trueskill_win_probability('{1,2,3}', '{25,25,25}', '{1e200,8,8}');
SELECT skillrating.trueskill_quality('{1,2}', '{25,25}', '{8,8}', beta => 'NaN');

-- A ladder of duels, team matches and free-for-alls, with draws and idle time.
SELECT skillrating.create_ladder('arena', 'trueskill', '{"drift": 0.05}') \gset
\set ECHO none
INSERT INTO arena.match (match_id, played_at)
SELECT m, '2026-01-01'::timestamptz + m * interval '5 hours' FROM generate_series(1, 300) AS m;
INSERT INTO arena.match_player (match_id, player_id, team, rank, weight)
SELECT m, 1 + (m * 7 + p * 3) % 20,
    p % (2 + m % 4), 1 + (p % (2 + m % 4) * 5 + m) % (1 + m % 5), CASE WHEN m % 11 = 0 THEN 0.5 END
FROM generate_series(1, 300) AS m, generate_series(0, 5) AS p
ON CONFLICT DO NOTHING;
\set ECHO all
SELECT status, count(*) FROM arena.rated_match GROUP BY status;
SELECT count(*), count(*) FILTER (WHERE sigma > 0 AND sigma < 8.4) AS sound FROM arena.rating;
SELECT count(*) FILTER (WHERE abs(total - 1) > 1e-9) AS wrong
FROM (SELECT seq, sum(p) AS total
      FROM (SELECT DISTINCT seq, team, win_probability AS p FROM arena.event) AS team GROUP BY seq) AS match;
SELECT * FROM skillrating.verify('arena');
SELECT skillrating.drop_ladder('arena') \gset

-- A computation that would take half an hour can be cancelled.
SET statement_timeout = '100ms';
SELECT count(*)
FROM (SELECT array_agg(i) AS team, array_agg(25 + i % 13.0)::float8[] AS mu, array_agg(8 - i % 7.0)::float8[] AS sigma
      FROM generate_series(1, 1000) AS i) AS teams,
    skillrating.trueskill_win_probability(team, mu, sigma);
RESET statement_timeout;
