-- tune(): known parameters come back from simulated histories, within what it says of its error.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SELECT setseed(0.1618);

-- Duels of players who are as the model says: each outcome is drawn with the model's own prediction.
\set ECHO none
CREATE TABLE simulated(model text, match_id int, played_at timestamptz, winner int, loser int);
CREATE FUNCTION simulate_elo(matches int, players int, k float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    rating float8[] := array_fill(1500::float8, ARRAY[players]);
    a int;
    b int;
    p float8;
BEGIN
    FOR i IN 1 .. matches LOOP
        a := 1 + floor(random() * players)::int;
        b := 1 + (a + floor(random() * (players - 1))::int) % players;
        p := skillrating.elo_win_probability(rating[a], rating[b]);
        IF random() >= p THEN
            SELECT b, a, 1 - p INTO a, b, p;
        END IF;
        INSERT INTO simulated VALUES ('elo', i, '2024-01-01'::timestamptz + i * interval '1 hour', a, b);
        rating[a] := rating[a] + k * (1 - p);
        rating[b] := rating[b] - k * (1 - p);
    END LOOP;
END
$$;
CREATE FUNCTION simulate_trueskill(matches int, players int, sigma_0 float8, beta float8, tau float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    mu float8[] := array_fill(25::float8, ARRAY[players]);
    sigma float8[] := array_fill(sigma_0, ARRAY[players]);
    a int;
    b int;
    p float8;
    u record;
BEGIN
    FOR i IN 1 .. matches LOOP
        a := 1 + floor(random() * players)::int;
        b := 1 + (a + floor(random() * (players - 1))::int) % players;
        p := (SELECT win_probability FROM skillrating.trueskill_win_probability(ARRAY[1, 2], ARRAY[mu[a], mu[b]],
            ARRAY[sqrt(sigma[a] ^ 2 + tau ^ 2), sqrt(sigma[b] ^ 2 + tau ^ 2)], beta => simulate_trueskill.beta, draw_probability => 0) WHERE team = 1);
        IF random() >= p THEN
            SELECT b, a INTO a, b;
        END IF;
        INSERT INTO simulated VALUES ('trueskill', i, NULL, a, b);
        FOR u IN SELECT * FROM skillrating.trueskill_update(ARRAY[1, 2], ARRAY[1, 2], ARRAY[mu[a], mu[b]], ARRAY[sigma[a], sigma[b]],
            beta => simulate_trueskill.beta, tau => simulate_trueskill.tau, draw_probability => 0)
        LOOP
            mu[CASE u.ordinal WHEN 1 THEN a ELSE b END] := u.new_mu;
            sigma[CASE u.ordinal WHEN 1 THEN a ELSE b END] := u.new_sigma;
        END LOOP;
    END LOOP;
END
$$;
CREATE FUNCTION simulate_glicko2(matches int, players int, volatility_0 float8, tau float8, days float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    rating float8[] := array_fill(1500::float8, ARRAY[players]);
    deviation float8[] := array_fill(350::float8, ARRAY[players]);
    volatility float8[] := array_fill(volatility_0, ARRAY[players]);
    played float8[] := array_fill(NULL::float8, ARRAY[players]);
    a int;
    b int;
    u record;
    v record;
BEGIN
    FOR i IN 1 .. matches LOOP
        a := 1 + floor(random() * players)::int;
        b := 1 + (a + floor(random() * (players - 1))::int) % players;
        deviation[a] := (skillrating.idle_state('glicko2', ARRAY[rating[a], deviation[a], volatility[a]], make_interval(secs => (i * days - coalesce(played[a], i * days)) * 86400), '{"period_days": 7}'))[2];
        deviation[b] := (skillrating.idle_state('glicko2', ARRAY[rating[b], deviation[b], volatility[b]], make_interval(secs => (i * days - coalesce(played[b], i * days)) * 86400), '{"period_days": 7}'))[2];
        IF random() >= skillrating.glicko2_win_probability(rating[a], deviation[a], rating[b], deviation[b]) THEN
            SELECT b, a INTO a, b;
        END IF;
        INSERT INTO simulated VALUES ('glicko2', i, '2024-01-01'::timestamptz + i * days * interval '1 day', a, b);
        u := skillrating.glicko2_update(rating[a], deviation[a], volatility[a], ARRAY[rating[b]], ARRAY[deviation[b]], ARRAY[1], tau, 0);
        v := skillrating.glicko2_update(rating[b], deviation[b], volatility[b], ARRAY[rating[a]], ARRAY[deviation[a]], ARRAY[0], tau, 0);
        rating[a] := u.new_rating;
        rating[b] := v.new_rating;
        deviation[a] := u.new_deviation;
        deviation[b] := v.new_deviation;
        volatility[a] := u.new_volatility;
        volatility[b] := v.new_volatility;
        played[a] := i * days;
        played[b] := i * days;
    END LOOP;
END
$$;
\set ECHO all
SELECT simulate_elo(12000, 100, 48), simulate_trueskill(8000, 100, 5, 25 / 6.0, 0.3), simulate_glicko2(20000, 20, 0.3, 1.0, 0.3) \gset
\set ECHO none
CREATE VIEW history AS
SELECT model, match_id, played_at, player_id, team, team AS rank FROM simulated, LATERAL (VALUES (winner, 1), (loser, 2)) AS s(player_id, team);

CREATE TABLE fit AS
SELECT 'elo' AS model, 'k' AS parameter, 48::float8 AS truth,
    skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"]}' ORDER BY match_id) AS t FROM history WHERE model = 'elo'
UNION ALL
SELECT 'trueskill', 'initial_sigma', 5,
    skillrating.tune('trueskill', match_id, player_id, team, rank, NULL, '{"fit": ["initial_sigma", "tau"], "params": {"draw_probability": 0}, "burn_in": 0}' ORDER BY match_id)
FROM history WHERE model = 'trueskill'
UNION ALL
SELECT 'trueskill', 'beta', 25 / 6.0,
    skillrating.tune('trueskill', match_id, player_id, team, rank, NULL,
        '{"fit": ["beta"], "params": {"draw_probability": 0, "initial_sigma": 5, "tau": 0.3, "beta": 2}, "burn_in": 0}' ORDER BY match_id)
FROM history WHERE model = 'trueskill'
UNION ALL
SELECT 'glicko2', 'tau', 1,
    skillrating.tune('glicko2', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at),
        '{"fit": ["tau"], "params": {"initial_volatility": 0.3}, "bounds": {"tau": [0.2, 2]}}' ORDER BY played_at, match_id)
FROM history WHERE model = 'glicko2';
\set ECHO all
SELECT model, parameter, abs(ln(p.value / truth)) < 2.5 * p.standard_error / p.value AS within_its_error, p.standard_error / p.value < 0.3 AS informative,
    p.low < p.value AND p.value < p.high AND NOT p.at_bound AS inside, (t).converged, (t).stopped,
    (t).log_loss < (t).log_loss_before AS better, (t).held_out_log_loss < (t).held_out_log_loss_before AS better_held_out,
    (t).evaluations < 200 AS few_evaluations, ((t).params ->> parameter)::float8 = p.value AS in_params
FROM fit, unnest((t).fitted) AS p WHERE p.name = parameter ORDER BY model, parameter;

-- The scores are those of rate() over the same matches: 1200 burnt in, 2400 held out.
SELECT (t).matches, (t).held_out_matches, abs((t).log_loss - fitted) < 1e-12 AS same, abs((t).held_out_log_loss - held_out) < 1e-12 AS same,
    abs((t).log_loss_before - before) < 1e-12 AS same
FROM fit, LATERAL (
    SELECT skillrating.log_loss((r).win_probability, (r).score) FILTER (WHERE match_id BETWEEN 1201 AND 9600) AS fitted,
        skillrating.log_loss((r).win_probability, (r).score) FILTER (WHERE match_id > 9600) AS held_out,
        skillrating.log_loss((d).win_probability, (d).score) FILTER (WHERE match_id BETWEEN 1201 AND 9600) AS before
    FROM (SELECT match_id, team, skillrating.rate('elo', player_id, team, rank, options => (t).params) OVER (ORDER BY match_id) AS r,
            skillrating.rate('elo', player_id, team, rank) OVER (ORDER BY match_id) AS d FROM history WHERE model = 'elo') AS q
    WHERE team = 1) AS s
WHERE model = 'elo';

-- Twice the same, in whatever order the rows come.
SELECT (skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"]}' ORDER BY match_id)) = (SELECT t FROM fit WHERE model = 'elo') AS same
FROM (SELECT * FROM history WHERE model = 'elo' ORDER BY md5(match_id::text || player_id)) AS s;
SELECT (t).evaluations > 3 AS searched FROM (
    SELECT skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"], "max_evaluations": 2}' ORDER BY match_id) AS t
    FROM history WHERE model = 'elo' AND match_id < 50) AS q;
-- A search that is cut short says so.
SELECT (t).converged, (t).stopped FROM (
    SELECT skillrating.tune('trueskill', match_id, player_id, team, rank, NULL, '{"fit": ["initial_sigma", "tau"], "max_evaluations": 5}' ORDER BY match_id) AS t
    FROM history WHERE model = 'elo' AND match_id < 500) AS q;
-- What pays at a bound ends there; where only a ratio counts nothing is said of errors.
SELECT p.name, p.value, p.standard_error, p.low, p.at_bound FROM (
    SELECT skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"], "bounds": {"k": [4, 20]}}' ORDER BY match_id) AS t
    FROM history WHERE model = 'elo' AND match_id < 5000) AS q, unnest((t).fitted) AS p;
SELECT p.name, p.start, p.standard_error, p.at_bound FROM (
    SELECT skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k", "scale"], "params": {"k": 50}}' ORDER BY match_id) AS t
    FROM history WHERE model = 'elo' AND match_id < 5000) AS q, unnest((t).fitted) AS p;
-- Without anything held out there are no scores of it; matches that do not count are passed over.
SELECT (t).matches, (t).held_out_matches, (t).held_out_log_loss FROM (
    SELECT skillrating.tune('elo', match_id, player_id, CASE WHEN match_id % 10 = 0 THEN 1 ELSE team END, CASE WHEN match_id % 10 = 0 THEN 1 ELSE rank END,
        skillrating.inputs(unrated_reason => CASE WHEN match_id % 10 = 1 THEN 'a test' END), '{"fit": ["k"], "holdout": 0, "burn_in": 0, "max_evaluations": 3}' ORDER BY match_id) AS t
    FROM history WHERE model = 'elo' AND match_id <= 100) AS q;
-- Teams of several pools under a model that shares between them.
SELECT (t).matches, (t).log_loss < (t).log_loss_before AS better FROM (
    SELECT skillrating.tune('trueskill2', match_id, player_id, team, rank,
        skillrating.inputs(pool => (match_id % 2)::text, played_at => played_at), '{"fit": ["initial_base_sigma"], "params": {"initial_base_sigma": 1}, "max_evaluations": 8}' ORDER BY match_id) AS t
    FROM history WHERE model = 'elo' AND match_id < 3000) AS q;
SELECT match_id % 2 AS half, (skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"], "max_evaluations": 2}' ORDER BY match_id)).matches
FROM history WHERE model = 'elo' AND match_id <= 200 GROUP BY half ORDER BY half;

-- Mistakes.
\set ECHO none
CREATE FUNCTION try(fit text[], options jsonb, model text DEFAULT 'elo') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    PERFORM skillrating.tune(try.model, match_id, player_id, team, rank, NULL, coalesce(options, '{}') || jsonb_build_object('fit', fit) ORDER BY match_id) FROM history AS h WHERE h.model = 'elo' AND match_id <= 100;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', sqlstate, sqlerrm, nullif(hint, ''));
END
$$;
\set ECHO all
SELECT try(fit, options::jsonb) FROM (VALUES
    ('{}'::text[], '{}'), ('{k,k}', '{}'), ('{kay}', '{}'), ('{NULL}', '{}'), ('{form}', '{}'), ('{floor}', '{}'), (NULL, '{}'),
    ('{k}', '3'), ('{k}', '{"patience": 1}'), ('{k}', '{"burn_in": 1}'), ('{k}', '{"holdout": "0.1"}'), ('{k}', '{"holdout": 0.9, "burn_in": 0.9}'),
    ('{k}', '{"max_evaluations": 0}'), ('{k}', '{"tolerance": 0}'), ('{k}', '{"bounds": 1}'), ('{k}', '{"bounds": {"k": 1}}'),
    ('{k}', '{"bounds": {"k": [1]}}'), ('{k}', '{"bounds": {"k": [10, 5]}}'), ('{k}', '{"bounds": {"k": [-1, 5]}}'), ('{k}', '{"bounds": {"scale": [1, 5]}}'),
    ('{k}', '{"bounds": {"kay": [1, 5]}}'), ('{k}', '{"params": {"k": 0}}'), ('{k}', '{"params": {"kay": 1}}'), ('{k}', '{"params": []}'),
    ('{initial_rating}', '{"bounds": {"initial_rating": [-100, 100]}, "max_evaluations": 2}')) AS m(fit, options);
SELECT try('{k}', '{}', 'chess'), try('{k}', '{}', NULL);
SELECT skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"]}') FROM history;
SELECT skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"]}' ORDER BY match_id) FROM history WHERE false;
SELECT skillrating.tune('elo', match_id, player_id, team, 1 + rank * (match_id - 3), NULL, '{"fit": ["k"], "strict_rows": true}' ORDER BY match_id) FROM history WHERE model = 'elo' AND match_id < 10;
SELECT skillrating.tune('elo', match_id, player_id, 1, 1, NULL, '{"fit": ["k"]}' ORDER BY match_id) FROM history WHERE model = 'elo' AND match_id < 10;

-- A search can be cancelled; nothing is left behind.
SET statement_timeout = '300ms';
SELECT skillrating.tune('trueskill', match_id, player_id, team, rank, NULL, '{"fit": ["initial_sigma", "tau", "beta"], "tolerance": 1e-9}' ORDER BY match_id) FROM history WHERE model = 'glicko2';
RESET statement_timeout;

DROP FUNCTION simulate_elo, simulate_trueskill, simulate_glicko2, try;
DROP VIEW history;
DROP TABLE simulated, fit;
