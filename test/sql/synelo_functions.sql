-- SynElo: its formulas, errors, a ladder, and the source's own behaviour.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

SELECT skillrating.synelo_theta(1) AS one, skillrating.synelo_theta(12) AS twelve, skillrating.synelo_theta(32) AS thirty_two;
SELECT round(skillrating.synelo_win_probability(12400, 12000)::numeric, 9) AS p, skillrating.synelo_win_probability(1, 1, theta => 5) AS half;
-- Halves of 1005 and 1045, results 0.25 beyond expectation, a deviation of sqrt(525).
SELECT round(skillrating.synelo_convergence('{1000,1010,1030,1060}', '{0.5,0.5,0.5,0.5}', '{1,1,1,0}')::numeric, 9) AS source,
    round(skillrating.synelo_convergence('{1000,1010,1030,1060}', '{0.5,0.5,0.5,0.5}', '{1,1,1,0}', saturate => true)::numeric, 9) AS saturated,
    skillrating.synelo_convergence('{}', '{}', '{}') AS nothing;
SELECT skillrating.synelo_k(1000, 1) AS newcomer, round(skillrating.synelo_k(1400, 0.5)::numeric, 9) AS one_width, skillrating.synelo_k(1000, 0) AS settled;
SELECT skillrating.synelo_update(1000, 72, 1, 0.5) AS won, skillrating.synelo_update(101, 72, 0, 0.5) AS floor,
    -- Half to even: a half of a point is one, or none.
    skillrating.synelo_update(1000, 1, 1, 0.5, rounded => true) AS even, skillrating.synelo_update(1001, 1, 1, 0.5, rounded => true) AS odd;
SELECT skillrating.synelo_status(49, '2026-01-01', '2026-01-02') AS shadow, skillrating.synelo_status(50, '2026-01-01', '2026-01-31') AS visible,
    skillrating.synelo_status(50, '2026-01-01', '2026-02-01') AS stale, skillrating.synelo_status(3, '2020-01-01', '2026-01-01', shadow_games => 3) AS stale;

-- Mistakes.
SELECT skillrating.synelo_theta(0);
SELECT skillrating.synelo_win_probability('NaN', 0);
SELECT skillrating.synelo_win_probability(1, 0, 0);
SELECT skillrating.synelo_convergence('{1000,1010}', '{0.5}', '{1,1}');
SELECT skillrating.synelo_convergence('{1000,NULL}', '{0.5,0.5}', '{1,1}');
SELECT skillrating.synelo_convergence('{1000}', '{0.5}', '{2}');
SELECT skillrating.synelo_convergence('{infinity}', '{0.5}', '{1}');
SELECT skillrating.synelo_k(1000, 2);
SELECT skillrating.synelo_k(1000, 1, compression_width => 0);
SELECT skillrating.synelo_update(1000, -1, 1, 0.5);
SELECT skillrating.synelo_update(1000, 10, 1, 1.5);
SELECT skillrating.synelo_status(-1, '2026-01-01', '2026-01-01');

-- A ladder, and one that is the source to the letter: ratings are integers there.
SELECT skillrating.create_ladder('arena', 'synelo'), skillrating.create_ladder('document', 'synelo', '{"strict": true}') \gset
\set ECHO none
INSERT INTO arena.match (match_id, played_at)
SELECT m, '2026-01-01'::timestamptz + m * interval '10 minutes' FROM generate_series(1, 400) AS m;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT m, 1 + (m * 7 + p * 5) % 24, p % 2, 1 + ((p + m * m / 7) % 2) FROM generate_series(1, 400) AS m, generate_series(0, 7) AS p;
INSERT INTO document.match SELECT * FROM arena.match;
INSERT INTO document.match_player SELECT * FROM arena.match_player;
\set ECHO all
SELECT count(*), bool_and(rating = round(rating)) AS integers FROM document.rating;
SELECT count(*) FILTER (WHERE rating = round(rating)) AS integers, bool_and(rating >= 100) AS above_floor FROM arena.rating;
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT bool_and(ok) FROM skillrating.verify('document');
-- The model's score of a window that is not full is the formula's, but for the drift.
SELECT max(abs(skillrating.synelo_convergence(e.ratings, e.expected, e.outcomes, velocity_weight => 0)
    - least(0.25 * abs(r.surprise) / 0.1 + 0.5 * sqrt(r.rating_variance) / 72, 1))) < 1e-9 AS same
FROM arena.rating AS r
JOIN (SELECT player_id, array_agg(rating_after ORDER BY seq) AS ratings, array_agg(win_probability ORDER BY seq) AS expected,
        array_agg(score ORDER BY seq) AS outcomes
      FROM arena.event GROUP BY player_id) AS e USING (player_id);
-- More than two teams are not for this model.
SELECT count(*) FROM skillrating.report_match('arena', 999, ARRAY[1, 2, 3], ARRAY[1, 2, 3], ARRAY[1, 2, 3]);
SELECT reason FROM arena.rated_match WHERE match_id = 999;
SELECT skillrating.drop_ladder('arena'), skillrating.drop_ladder('document') \gset
