-- Elo for two players: known values, tails, and errors.
SET extra_float_digits = 0;

-- Ten to one at a lead of 400; Elo's own normal form gives Phi(sqrt(2)).
SELECT skillrating.elo_win_probability(1900, 1500) AS ten_elevenths,
    skillrating.elo_win_probability(1500, 1900) AS one_eleventh,
    skillrating.elo_win_probability(1500, 1500) AS half,
    skillrating.elo_win_probability(1600, 1500, scale => 100) AS scaled;
SELECT round(skillrating.elo_normal_win_probability(1900, 1500)::numeric, 12) AS phi_sqrt_2,
    skillrating.elo_normal_win_probability(1500, 1500, beta => 50) AS half;

-- Any finite difference is safe.
SELECT skillrating.elo_win_probability(1e308, -1e308) AS one,
    skillrating.elo_win_probability(-1e308, 1e308) AS zero,
    skillrating.elo_win_probability(0, 100000) > 0 AS tiny,
    skillrating.elo_normal_win_probability(1e308, -1e308) AS one,
    skillrating.elo_normal_win_probability(-1e308, 1e308) AS zero;

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
SELECT skillrating.elo_normal_win_probability(1500, 'NaN');
SELECT skillrating.elo_normal_win_probability(1500, 1500, -200);
SELECT skillrating.elo_update(1500, 1500, 2);
SELECT skillrating.elo_update(1500, 1500, 1, -1);
SELECT skillrating.elo_update(1500, 1500, 1, 'infinity');
SELECT skillrating.elo_update('-infinity', 1500, 1);
SELECT skillrating.elo_update(1500, 1500, 1, 32, -400);
