-- Elo for two players: known values, tails, and errors.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

-- Ten to one at a lead of 400; Elo's own normal form gives Phi(sqrt(2)).
SELECT skillrating.elo_win_probability(1900, 1500) AS ten_elevenths,
    skillrating.elo_win_probability(1500, 1900) AS one_eleventh,
    skillrating.elo_win_probability(1500, 1500) AS half,
    skillrating.elo_win_probability(1600, 1500, scale => 100) AS scaled;
SELECT round(skillrating.elo_win_probability(1900, 1500, curve => 'normal')::numeric, 12) AS phi_sqrt_2,
    skillrating.elo_win_probability(1500, 1500, 100, 'normal') AS half;

-- Any finite difference is safe.
SELECT skillrating.elo_win_probability(1e308, -1e308) AS one,
    skillrating.elo_win_probability(-1e308, 1e308) AS zero,
    skillrating.elo_win_probability(0, 100000) > 0 AS tiny,
    skillrating.elo_win_probability(1e308, -1e308, curve => 'normal') AS one,
    skillrating.elo_win_probability(-1e308, 1e308, curve => 'normal') AS zero;

-- What one wins the other loses.
SELECT * FROM skillrating.elo_update(1500, 1500, 1);
SELECT * FROM skillrating.elo_update(1500, 1500, 0.5);
SELECT round(new_rating_a::numeric, 6), round(new_rating_b::numeric, 6)
FROM skillrating.elo_update(2400, 2000, 0, k => 10);
SELECT round(new_rating_a::numeric, 6), round(new_rating_b::numeric, 6)
FROM skillrating.elo_update(2400, 2000, 0.5, 20, 400);

-- A null is unknown, and a mistake is an error.
SELECT skillrating.elo_win_probability(NULL, 1500), skillrating.elo_update(1500, NULL, 1);
SELECT skillrating.elo_win_probability('NaN', 1500);
SELECT skillrating.elo_win_probability(1500, 'infinity');
SELECT skillrating.elo_win_probability(1500, 1500, 0);
SELECT skillrating.elo_win_probability(1500, 1500, 'NaN');
SELECT skillrating.elo_win_probability(1500, 'NaN', curve => 'normal');
SELECT skillrating.elo_win_probability(1500, 1500, -200, 'normal');
SELECT skillrating.elo_win_probability(1500, 1500, curve => 'linear');
SELECT skillrating.elo_update(1500, 1500, 2);
SELECT skillrating.elo_update(1500, 1500, 1, -1);
SELECT skillrating.elo_update(1500, 1500, 1, 'infinity');
SELECT skillrating.elo_update('-infinity', 1500, 1);
SELECT skillrating.elo_update(1500, 1500, 1, 32, -400);

-- Contests: linear scores, exponential ones, and ties, which share the scores of their places.
SELECT score_base, ordinal, round(expected_share::numeric, 8) AS expected_share, round(new_rating::numeric, 6) AS new_rating
FROM unnest(ARRAY[1, 1.5]) AS score_base,
    skillrating.elo_contest_update('{1200,1000,900,1000}', '{1,3,2,3}', score_base => score_base)
ORDER BY score_base, ordinal;
-- Two players are Elo; nobody creates points.
SELECT round((c.new_rating - u.new_rating_a)::numeric, 9) AS difference
FROM skillrating.elo_update(1400, 1500, 1) AS u, skillrating.elo_contest_update('{1400,1500}', '{1,2}') AS c WHERE c.ordinal = 1;
SELECT round((sum(new_rating) - 4 * 1500)::numeric, 9) AS created
FROM skillrating.elo_contest_update('{1500,1400,1700,1400}', '{4,1,2,2}', score_base => 2);
SELECT count(*) FROM skillrating.elo_contest_update(NULL, '{1,2}');
SELECT * FROM skillrating.elo_contest_update('{1500}', '{1}');
SELECT * FROM skillrating.elo_contest_update('{1500,1500}', '{1}');
SELECT * FROM skillrating.elo_contest_update('{1500,1500}', '{1,NaN}');
SELECT * FROM skillrating.elo_contest_update('{1500,1500}', '{1,2}', score_base => 0.5);
SELECT * FROM skillrating.elo_contest_update('{1500,1500}', '{1,2}', k => -1);
SELECT * FROM skillrating.elo_contest_update('{1500,1500}', '{1,2}', scale => 0);
