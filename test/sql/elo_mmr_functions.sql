-- Elo-MMR: values of the authors' program, the paper's sums, large contests, errors, ladders.
\pset format unaligned
\pset tuples_only on

-- What the authors' program gives with its defaults, sig_limit 80 and weight_limit 0.2.
SELECT form, split_ties, array_agg(round(new_mu::numeric, 7) ORDER BY ordinal) AS new_mu, array_agg(round(new_sigma::numeric, 7) ORDER BY ordinal) AS new_sigma,
    array_agg(round(performance) ORDER BY ordinal) AS performance
FROM unnest('{normal,logistic}'::text[]) AS form, unnest('{false,true}'::bool[]) AS split_ties,
    skillrating.elo_mmr_update('{1,2,3,4,5,6}', '{1,2,2,4,4,6}', '{1500,1800,1650,1400,2100,1900}', '{350,120,90,200,75,80}',
        beta => 80 * sqrt(6), tau => 80 * sqrt(0.2), form => form, split_ties => split_ties)
GROUP BY form, split_ties ORDER BY form DESC, split_ties;

-- The paper's formulas in SQL: the zero of the sum of losses, draws and victories by
-- bisection, and the average of prior and performance.
\set ECHO none
CREATE TABLE contest AS
SELECT i AS team, 1 + i * 7 % 13 AS rank, 1200 + i * 173 % 800 AS mu, 60 + i * 41 % 290 AS sigma FROM generate_series(1, 20) AS i;
CREATE FUNCTION performance(place int, OUT middle float8) LANGUAGE plpgsql AS $$
DECLARE
    low float8 := -3000;
    high float8 := 6000;
    total float8;
BEGIN
    FOR i IN 1 .. 60 LOOP
        middle := (low + high) / 2;
        SELECT sum(CASE WHEN rank < place THEN -(1 + tanh(x / 2)) / 2 WHEN rank > place THEN (1 - tanh(x / 2)) / 2 ELSE -tanh(x / 2) END / scale) INTO total
        FROM (SELECT rank, (middle - mu) / scale AS x, scale
            FROM (SELECT *, sqrt(3) / pi() * sqrt(sigma ^ 2 + 35 ^ 2 + 200 ^ 2) AS scale FROM contest) AS s) AS t;
        IF total > 0 THEN low := middle; ELSE high := middle; END IF;
    END LOOP;
END $$;
\set ECHO all
SELECT count(*), max(abs(u.performance - p.middle)) < 1e-9 AS performance
FROM (SELECT array_agg(team ORDER BY team) AS team, array_agg(rank ORDER BY team) AS rank, array_agg(mu ORDER BY team) AS mu, array_agg(sigma ORDER BY team) AS sigma FROM contest) AS c,
    skillrating.elo_mmr_update(team, rank, mu, sigma, form => 'logistic') AS u JOIN contest AS one ON one.team = u.ordinal, LATERAL performance(one.rank) AS p;
SELECT max(abs(u.new_mu - (one.mu / v + u.performance / 200 ^ 2) / (1 / v + 1 / 200.0 ^ 2))) < 1e-9 AS new_mu, max(abs(u.new_sigma - 1 / sqrt(1 / v + 1 / 200.0 ^ 2))) < 1e-9 AS new_sigma
FROM (SELECT array_agg(team ORDER BY team) AS team, array_agg(rank ORDER BY team) AS rank, array_agg(mu ORDER BY team) AS mu, array_agg(sigma ORDER BY team) AS sigma FROM contest) AS c,
    skillrating.elo_mmr_update(team, rank, mu, sigma) AS u JOIN contest AS one ON one.team = u.ordinal, LATERAL (SELECT one.sigma ^ 2 + 35 ^ 2 AS v) AS v;

-- Ten thousand, the most that a match has: better places are higher performances.
SELECT count(*), bool_and(lower_place IS NULL OR performance > lower_place) AS in_order
FROM (SELECT performance, lag(performance) OVER (ORDER BY ordinal DESC) AS lower_place
    FROM (SELECT array_agg(i) AS team, array_agg(1500 + 300 * sin(i)) AS mu, array_agg(100 + i % 200) AS sigma FROM generate_series(1, 10000) AS i) AS c,
        skillrating.elo_mmr_update(team, team, mu, sigma)) AS u;

-- Teams, and shares of the match played.
SELECT ordinal, round(new_mu::numeric, 6) AS new_mu, round(new_sigma::numeric, 6) AS new_sigma, round(performance::numeric, 6) AS performance
FROM skillrating.elo_mmr_update('{1,1,2,3}', '{1,1,2,3}', '{1500,1500,1600,1400}', '{200,100,150,50}', '{1,0.5,1,0.25}');

-- Nothing is known of a null.
SELECT * FROM skillrating.elo_mmr_update(NULL, '{1,2}', '{1500,1500}', '{350,350}');

-- Mistakes.
SELECT * FROM skillrating.elo_mmr_update('{1,2}', '{1,2}', '{1500,1500}', '{350,350}', form => 'cubic');
\set VERBOSITY terse
SELECT * FROM skillrating.elo_mmr_update('{1,2}', '{1,2}', '{1500,1500}', '{350,0}');
SELECT * FROM skillrating.elo_mmr_update('{1,2}', '{1,2}', '{1500}', '{350,350}');
SELECT * FROM skillrating.elo_mmr_update('{1,1}', '{1,1}', '{1500,1500}', '{350,350}');
SELECT * FROM skillrating.elo_mmr_update('{1,2}', '{1,2}', '{1500,1500}', '{350,350}', beta => 0);
SELECT * FROM skillrating.elo_mmr_update('{1,2}', '{1,2}', '{1500,1500}', '{350,350}', tau => 'NaN');
SELECT count(*) FROM (SELECT array_agg(i) AS i, array_agg(1500) AS mu, array_agg(350) AS sigma FROM generate_series(1, 10001) AS i) AS c, skillrating.elo_mmr_update(i, i, mu, sigma);

-- A contest of more teams than other models take, on a ladder; it verifies, and other models say why not.
SELECT skillrating.create_ladder('contests', 'elo_mmr', '{"drift": 5, "display_deviations": 1}'), skillrating.create_ladder('others', 'elo') \gset
INSERT INTO contests.match (match_id, played_at) SELECT m, '2026-01-01'::timestamptz + m * interval '7 days' FROM generate_series(1, 4) AS m;
INSERT INTO contests.match_player (match_id, player_id, team, team_score)
SELECT m, p, p, p * 7919 % 1009 + m * p % 997 FROM generate_series(1, 4) AS m, generate_series(1, 1200) AS p WHERE (p + m) % 8 > 0;
SELECT status, count(*), count(reason) AS reasons FROM contests.rated_match GROUP BY status;
SELECT count(*) AS players, sum(games) AS games, bool_and(sigma < 350) AS settled, max(abs(rating - mu + sigma)) < 1e-9 AS displayed FROM contests.rating;
SELECT match_id, count(*), abs(sum(win_probability) - 1) < 1e-9 AS sums_to_one FROM contests.event GROUP BY match_id ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('contests');
INSERT INTO others.match (match_id) VALUES (1);
INSERT INTO others.match_player (match_id, player_id, team, team_score) SELECT 1, p, p, p FROM generate_series(1, 1001) AS p;
SELECT status, reason, detail FROM others.rated_match;
SELECT skillrating.drop_ladder('contests'), skillrating.drop_ladder('others') \gset
DROP FUNCTION performance;
DROP TABLE contest;
