-- What is computed over a history, against loops, gradients and other functions in SQL.  Each
-- column names the functions that it is about; see test/oracles.sh.
\set ECHO none
\pset format unaligned
CREATE SCHEMA oracles_histories;
SET search_path = oracles_histories;
SET extra_float_digits = 1;
SET timezone = 'UTC';

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION sigmoid(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + exp(-x)) $$;

-- Duels of seven players, a few of them drawn; the stronger ones win more.
CREATE TABLE duel AS
SELECT i AS match_id, timestamptz '2026-01-01 00:00 UTC' + i * interval '7 hours' AS played_at, a, b, 1 + i % 2 AS side,
    CASE WHEN i % 9 = 0 THEN 0.5 WHEN mod(i * 0.569840291, 1) < 1 / (1 + exp((a - b) / 3.0)) THEN 1 ELSE 0 END::float8 AS score
FROM generate_series(1, 150) AS i, LATERAL (SELECT i * i % 7 AS a, (i * i + 1 + i / 7 % 6) % 7 AS b) AS p;
CREATE VIEW game AS
SELECT match_id, played_at, player_id, team, CASE WHEN score = 0.5 THEN 1 WHEN (score = 1) = (team = 1) THEN 1 ELSE 2 END AS rank,
    CASE team WHEN 1 THEN side ELSE 3 - side END AS side
FROM duel, LATERAL (VALUES (a, 1), (b, 2)) AS p(player_id, team);
CREATE FUNCTION elo_by_duel() RETURNS TABLE (match_id int, team int, player_id int, before float8, after float8, games int, p float8, score float8) LANGUAGE plpgsql AS $$
DECLARE
    d record;
    r float8[] := array_fill(1500::float8, ARRAY[7]);
    n int[] := array_fill(0, ARRAY[7]);
    e float8;
BEGIN
    FOR d IN SELECT * FROM duel ORDER BY duel.match_id LOOP
        e := 1 / (1 + power(10, (r[d.b + 1] - r[d.a + 1]) / 400));
        RETURN QUERY VALUES (d.match_id, 1, d.a, r[d.a + 1], r[d.a + 1] + 32 * (d.score - e), n[d.a + 1], e, d.score),
            (d.match_id, 2, d.b, r[d.b + 1], r[d.b + 1] - 32 * (d.score - e), n[d.b + 1], 1 - e, 1 - d.score);
        r[d.a + 1] := r[d.a + 1] + 32 * (d.score - e);
        r[d.b + 1] := r[d.b + 1] - 32 * (d.score - e);
        n[d.a + 1] := n[d.a + 1] + 1;
        n[d.b + 1] := n[d.b + 1] + 1;
    END LOOP;
END
$$;
CREATE TABLE elo AS SELECT * FROM elo_by_duel();
\set ECHO all

SELECT count(*) = 300 AND bool_and(near((r).rating_before, before) AND near((r).rating_after, after) AND (r).games_before = games AND near((r).win_probability, p) AND (r).score = e.score
    AND near((r).mu_after, after) AND near((r).state_after[1], after)) AS "rate: other implementation"
FROM (SELECT *, skillrating.rate('elo', player_id, team, rank) OVER (ORDER BY match_id) AS r FROM game) AS g JOIN elo AS e USING (match_id, team);
SELECT count(*) = 300 AND bool_and(near((r).rating_before[team], before) AND near((r).rating_after[team], after) AND (r).games_before[team] = games AND near((r).win_probability[team], p)) AS "rate_match: other implementation"
FROM (SELECT match_id, skillrating.rate_match('elo', players, '{1,2}', rank) OVER (ORDER BY match_id) AS r
    FROM (SELECT match_id, array_agg(player_id ORDER BY team) AS players, array_agg(rank::float8 ORDER BY team) AS rank FROM game GROUP BY match_id) AS g) AS m JOIN elo AS e USING (match_id);
SELECT count(*) = 7 AND bool_and(near(f.rating, after) AND near(f.mu, after) AND near(f.state[1], after) AND f.games = e.games + 1 AND f.wins = e.wins AND f.draws = e.draws AND f.losses = e.losses) AS "final_ratings: other implementation"
FROM (SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank ORDER BY match_id) AS fs FROM game) AS q, unnest(fs) AS f
JOIN (SELECT DISTINCT ON (player_id) *, count(*) FILTER (WHERE score = 1) OVER w AS wins, count(*) FILTER (WHERE score = 0.5) OVER w AS draws, count(*) FILTER (WHERE score = 0) OVER w AS losses
    FROM elo WINDOW w AS (PARTITION BY player_id) ORDER BY player_id, match_id DESC) AS e ON e.player_id::text = f.player_id;
-- A ladder of points: what one wins another loses.
SELECT near(sum(f.rating), 7 * 1500) AS "final_ratings: invariant"
FROM (SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank ORDER BY match_id) AS fs FROM game) AS q, unnest(fs) AS f;
-- TrueSkill, step by step by its own function for a match.
SELECT count(*) = 300 AND bool_and(near((r).mu_after, new_mu) AND near((r).deviation_after, new_sigma) AND near((r).rating_after, new_mu - 3 * new_sigma)
    AND near((r).sole_win_probability, p.win_probability) AND near((r).draw_probability, p.draw_probability) AND near((r).loss_probability, 1 - p.win_probability - p.draw_probability) AND near((r).win_probability, p.win_probability + p.draw_probability / 2)
    AND near((r).state_before[1], (r).mu_before) AND near((r).state_before[2], (r).deviation_before) AND near((r).state_after[2], new_sigma)) AS "rate: other implementation"
FROM (SELECT match_id, array_agg(r ORDER BY team) AS rs, array_agg(rank ORDER BY team) AS ranks FROM (SELECT *, skillrating.rate('trueskill', player_id, team, rank) OVER (ORDER BY match_id) AS r FROM game) AS g GROUP BY match_id) AS m,
    skillrating.trueskill_update('{1,2}', ranks, ARRAY[(rs[1]).mu_before, (rs[2]).mu_before], ARRAY[(rs[1]).deviation_before, (rs[2]).deviation_before]) AS u, LATERAL (SELECT rs[u.ordinal] AS r) AS s,
    -- The skills of a match have drifted by then.
    LATERAL (SELECT * FROM skillrating.trueskill_win_probability('{1,2}', ARRAY[(rs[1]).mu_before, (rs[2]).mu_before], ARRAY[sqrt((rs[1]).deviation_before ^ 2 + (25 / 300.0) ^ 2), sqrt((rs[2]).deviation_before ^ 2 + (25 / 300.0) ^ 2)]) AS w WHERE w.team = u.ordinal) AS p;
SELECT count(*) = 7 AND bool_and(f.mu = (r).mu_after AND f.deviation = (r).deviation_after AND f.state = (r).state_after) AS "final_ratings: other implementation"
FROM (SELECT skillrating.final_ratings('trueskill', match_id, player_id, team, rank ORDER BY match_id) AS fs FROM game) AS q, unnest(fs) AS f
JOIN (SELECT DISTINCT ON (player_id) * FROM (SELECT *, skillrating.rate('trueskill', player_id, team, rank) OVER (ORDER BY match_id) AS r FROM game) AS g ORDER BY player_id, match_id DESC) AS l ON l.player_id::text = f.player_id;
-- A filter that goes on from a solution: at match 101 it stands where the solution of the first hundred
-- ends, but for the drift of the days since.
SELECT count(*) = 2 AND bool_and(near((r).mu_before, mu) AND near((r).deviation_before, sqrt(standard_error ^ 2 + 0.01 ^ 2 * extract(epoch FROM played_at - at) / 86400))) AS "rate_through_time: other implementation"
FROM (SELECT *, skillrating.rate_through_time('state_space', player_id, team, rank, played_at => played_at, options => '{"refit_matches": 100}') OVER (ORDER BY match_id) AS r FROM game) AS g
JOIN (SELECT DISTINCT ON (e.player_id) e.* FROM (SELECT skillrating.solve('through_time', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{"tolerance": 0.001}' ORDER BY match_id) AS es FROM game WHERE match_id <= 100) AS q, unnest(es) AS e
    ORDER BY e.player_id, e.at DESC) AS e ON e.player_id = g.player_id::text
WHERE match_id = 101;
-- Sides exchanged change the sign of their advantage.
CREATE VIEW mirrored AS SELECT *, 3 - side AS other_side FROM game WHERE match_id % 9 > 0;
SELECT count(*) = 1 AND bool_and(near(a.mu, -b.mu) AND near(a.deviation, b.deviation) AND a.games = (SELECT count(DISTINCT match_id) FROM mirrored) AND a.deviation < 0.3 AND a.state[1] = a.mu AND a.state[2] = a.deviation) AS "final_components: invariant"
FROM (SELECT skillrating.final_components('state_space', match_id, player_id, team, rank, skillrating.inputs(side => side), NULL ORDER BY match_id) AS one,
        skillrating.final_components('state_space', match_id, player_id, team, rank, skillrating.inputs(side => other_side), NULL ORDER BY match_id) AS other FROM mirrored) AS q,
    unnest(one) AS a, unnest(other) AS b WHERE a.kind = 'home' AND b.kind = 'home';
SELECT count(*) > 0 AND bool_and(abs(a.mu + b.mu) < 1e-6 AND abs(a.standard_error - b.standard_error) < 1e-6 AND a.games = b.games) AS "solve_components: invariant"
FROM (SELECT skillrating.solve_components('through_time', match_id, player_id, team, rank, skillrating.inputs(side => side), NULL ORDER BY match_id) AS one,
        skillrating.solve_components('through_time', match_id, player_id, team, rank, skillrating.inputs(side => other_side), NULL ORDER BY match_id) AS other FROM mirrored) AS q,
    unnest(one) AS a, unnest(other) AS b WHERE a.kind = 'home' AND b.kind = 'home' AND a.at IS NOT DISTINCT FROM b.at;

-- Solved skills: the gradient of the posterior is 0 at them, and their errors are the root of the inverse of its curvature.
\set ECHO none
CREATE TABLE solved AS
SELECT e.player_id::int AS p, e.mu, e.standard_error, e.games
FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, '{"errors": "exact"}') AS es FROM game) AS q, unnest(es) AS e;
CREATE VIEW curvature AS
SELECT p.p, q.p AS q, CASE WHEN p.p = q.p THEN 0.25 ELSE 0 END
    + coalesce((SELECT sum(w * CASE WHEN p.p = q.p THEN 1 ELSE -1 END) FROM duel, LATERAL (SELECT sigmoid((SELECT mu FROM solved WHERE p = a) - (SELECT mu FROM solved WHERE p = b)) AS e) AS f, LATERAL (SELECT e * (1 - e) AS w) AS g
        WHERE p.p IN (a, b) AND q.p IN (a, b)), 0) AS h
FROM solved AS p, solved AS q;
\set ECHO all
SELECT count(*) = 7 AND bool_and(abs(gradient) < 1e-6 AND games = played) AS "solve: closed form"
FROM (SELECT p, mu, games, sum(CASE p WHEN a THEN score - e ELSE e - score END) - mu / 4 AS gradient, count(*) AS played
    FROM solved, duel, LATERAL (SELECT sigmoid((SELECT mu FROM solved WHERE p = a) - (SELECT mu FROM solved WHERE p = b)) AS e) AS f WHERE p IN (a, b) GROUP BY p, mu, games) AS g;
-- The inverse of the curvature, by Gauss and Jordan.
\set ECHO none
CREATE FUNCTION inverse_diagonal() RETURNS TABLE (p int, variance float8) LANGUAGE plpgsql AS $$
DECLARE
    m float8[][] := array_fill(0::float8, ARRAY[7, 14]);
    c record;
    f float8;
BEGIN
    FOR c IN SELECT * FROM curvature LOOP
        m[c.p + 1][c.q + 1] := c.h;
        m[c.p + 1][c.p + 8] := 1;
    END LOOP;
    FOR k IN 1 .. 7 LOOP
        f := m[k][k];
        FOR j IN 1 .. 14 LOOP m[k][j] := m[k][j] / f; END LOOP;
        FOR i IN 1 .. 7 LOOP
            CONTINUE WHEN i = k;
            f := m[i][k];
            FOR j IN 1 .. 14 LOOP m[i][j] := m[i][j] - f * m[k][j]; END LOOP;
        END LOOP;
    END LOOP;
    RETURN QUERY SELECT i - 1, m[i][i + 7] FROM generate_series(1, 7) AS i;
END
$$;
\set ECHO all
SELECT bool_and(abs(standard_error - sqrt(variance)) < 1e-6) AS "solve: other implementation" FROM solved JOIN inverse_diagonal() USING (p);
CREATE TABLE posterior AS
SELECT sum(score * ln(e) + (1 - score) * ln(1 - e)) - (SELECT sum(mu * mu) / 8 FROM solved) AS log_posterior FROM duel, LATERAL (SELECT sigmoid((SELECT mu FROM solved WHERE p = a) - (SELECT mu FROM solved WHERE p = b)) AS e) AS f;
SELECT (s).matches = 150 AND (s).players = 7 AND (s).components = 1 AND (s).converged AND (s).unrated = 0 AND near((s).log_posterior, log_posterior) AS "solve_summary: closed form"
FROM (SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank) AS s FROM game) AS q, posterior;

-- No K of forty others is better than that of tune(), whose score is that of rate() on all
-- matches but the first tenth and the last fifth.
CREATE FUNCTION loss_of(k float8) RETURNS float8 LANGUAGE sql AS $$
    SELECT skillrating.log_loss((r).win_probability, (r).score) FILTER (WHERE team = 1 AND match_id BETWEEN 16 AND 120)
    FROM (SELECT *, skillrating.rate('elo', player_id, team, rank, options => jsonb_build_object('k', k)) OVER (ORDER BY match_id) AS r FROM game) AS g
$$;
SELECT (t).matches = 105 AND near((t).log_loss, loss_of(((t).params->>'k')::float8)) AND near((t).log_loss_before, loss_of(32)) AS "tune: other implementation",
    (SELECT bool_and(loss_of(((t).params->>'k')::float8) <= loss_of(((t).params->>'k')::float8 * power(1.1, step)) + 1e-7) FROM generate_series(-20, 20) AS step) AS "tune: brute force"
FROM (SELECT skillrating.tune('elo', match_id, player_id, team, rank, NULL, '{"fit": ["k"], "parts": false, "priors": false, "tolerance": 1e-6}' ORDER BY match_id) AS t FROM game) AS q;

-- The first is the best on the matches held out, by the scores that rate() has, too; errors of differences take blocks of
-- ten matches for independent.
CREATE TABLE suggested AS
SELECT s.* FROM (SELECT skillrating.suggest_model(match_id, player_id, team, rank, NULL, '{"models": ["elo", "glicko", "trueskill"], "parts": false, "budget": 300}' ORDER BY match_id) AS found FROM game) AS q,
    unnest(found) WITH ORDINALITY AS s(model, params, log_odds, parts, matches, held_out_matches, held_out_log_loss_before, held_out_log_loss, held_out_accuracy, difference, difference_error, verdict, warnings, place);
SELECT bool_and(matches = 105 AND held_out_matches = 30 AND near(held_out_log_loss - (SELECT held_out_log_loss FROM suggested WHERE place = 1), difference)) AS "suggest_model: invariant"
FROM suggested;
WITH forecast AS (
    SELECT place, suggested.model, match_id, (r).win_probability AS p, (r).score
    FROM suggested, LATERAL (SELECT match_id, team, skillrating.rate(model, player_id, team, rank, log_odds => suggested.log_odds, options => suggested.params) OVER (ORDER BY match_id) AS r FROM game) AS g
    WHERE team = 1 AND match_id > 150 - held_out_matches
), own AS (
    SELECT place, -(score * ln(p) + (1 - score) * ln(1 - p)) AS loss, match_id, CASE WHEN score = 0.5 THEN 0.5 ELSE ((p > 0.5) = (score = 1))::int END AS right FROM forecast
), paired AS (
    SELECT o.place, o.loss, o.right, o.loss - b.loss AS d, (o.match_id - 121) / 10 AS block, avg(o.loss - b.loss) OVER (PARTITION BY o.place) AS difference FROM own AS o JOIN own AS b ON b.place = 1 AND b.match_id = o.match_id
), block AS (
    SELECT place, block, sum(d - difference) AS off, sum(loss) AS loss, sum(paired.right) AS right, difference FROM paired GROUP BY place, block, difference
), scored AS (
    SELECT place, sum(loss) / 30 AS loss, sum(block.right) / 30 AS right, difference, sqrt(3 / 2.0 * sum(off * off)) / 30 AS error FROM block GROUP BY place, difference
)
SELECT count(*) = 3 AND bool_and(matches = 105 AND held_out_matches = 30 AND near(held_out_log_loss, loss) AND near(held_out_accuracy, s.right)
    AND near(f.difference, s.difference) AND near(difference_error, error) AND s.difference >= 0) AS "suggest_model: other implementation"
FROM suggested AS f JOIN scored AS s USING (place);

-- Forecasts of given states: teams by the mean of their members, to which log-odds add.
SELECT bool_and(near(win_probability, sigmoid((3 - 2 * f.team) * (ln(10) / 400 * ((a + 1500) / 2 - 1600) + 0.2)))) AS "predict: closed form"
FROM unnest('{900,1500,2400.5}'::float8[]) AS a, skillrating.predict('elo', ARRAY[a, 1500, 1600], '{1,1,2}', log_odds => 0.2) AS f;
SELECT i.weight = 0.25 AND i.team_score = 3 AND i.joined = 1 AND i.left_at = 2 AND i.commanding = 4 AND i.side = 1 AND i.squad = 5 AND i.kills = 6 AND i.deaths = 7 AND i.experience = 8
    AND i.log_odds = 0.5 AND i.player_gain = 9 AND i.period = 10 AND i.season = 11 AS "inputs: closed form"
FROM skillrating.inputs(weight => 0.25, team_score => 3, joined => 1, left_at => 2, commanding => 4, side => 1, squad => 5, kills => 6, deaths => 7, experience => 8, log_odds => 0.5, player_gain => 9, period => 10, season => 11) AS i;

-- States: what parameters say, the rating mu - 3 sigma, and idle time as the formulas have it.
SELECT skillrating.initial_state('elo', '{"initial_rating": 1234}') = '{1234}' AND skillrating.initial_state('glicko2', '{"initial_rating": 1400, "initial_deviation": 222, "initial_volatility": 0.05}') = '{1400,222,0.05}'
    AND skillrating.initial_state('trueskill', '{"initial_mu": 30, "initial_sigma": 4}') = '{30,4}' AS "initial_state: closed form",
    near(skillrating.state_rating('trueskill', '{30,4}'), 18) AND near(skillrating.state_rating('trueskill', '{30,4}', '{"display_deviations": 1.5}'), 24) AND skillrating.state_rating('elo', '{1717}') = 1717 AS "state_rating: closed form",
    near((skillrating.idle_state('glicko', '{1600,60}', '90 days', '{"c": 40, "period_days": 30}'))[2], sqrt(60 ^ 2 + 3 * 40 ^ 2))
        AND near((skillrating.idle_state('trueskill', '{30,2}', '10 days', '{"drift": 0.5}'))[2], sqrt(2 ^ 2 + 10 * 0.5 ^ 2))
        AND (skillrating.idle_state('trueskill', '{30,2}', '10 days', '{"drift": 0.5}'))[1] = 30 AS "idle_state: closed form";
SELECT s.mu = 30 AND s.deviation = 4 AND s.games = 7 AND s.as_of_season = 2025 AND t.state = '{1,2,3}' AS "starting_rating: closed form"
FROM skillrating.starting_rating('ann', 30, 4, games => 7, as_of_season => 2025) AS s, skillrating.starting_rating('bob', state => '{1,2,3}') AS t;
SELECT count(*) = 4 AND bool_and(initial_state = ARRAY[0, CASE kind WHEN 'home' THEN 0.7::float8 WHEN 'home_context' THEN 0.11 WHEN 'player_context' THEN 0.22 WHEN 'club' THEN 0.55 END]) AS "models: closed form"
FROM unnest((SELECT components FROM skillrating.models('state_space', '{"home_sigma": 0.7, "home_context_sigma": 0.11, "player_context_sigma": 0.22, "club_sigma": 0.55}'))) WHERE kind IN ('home', 'home_context', 'player_context', 'club');

-- Defaults are what is meant without parameters; least and greatest values are taken, and none beyond.
\set ECHO none
CREATE FUNCTION takes(model text, name text, value float8) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.models(model, jsonb_build_object(name, value));
    RETURN true;
-- In range, but useless without another parameter.
EXCEPTION WHEN invalid_parameter_value OR numeric_value_out_of_range THEN
    RETURN SQLERRM LIKE '%has no effect%';
END
$$;
CREATE FUNCTION defaults(model text) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_object_agg(p.name, p.default_value) FROM skillrating.parameters(model) AS p WHERE kind = 'model' $$;
\set ECHO all
SELECT bool_and(same) AS "parameters: invariant", bool_and(complete) AS "models: invariant"
FROM (SELECT m.name, skillrating.rate(m.name, player_id, team, rank, played_at => played_at, options => defaults(m.name)) OVER w IS NOT DISTINCT FROM skillrating.rate(m.name, player_id, team, rank, played_at => played_at) OVER w AS same,
        skillrating.rate(m.name, player_id, team, rank, played_at => played_at, options => (SELECT parameters FROM skillrating.models(m.name, '{}'))) OVER w IS NOT DISTINCT FROM skillrating.rate(m.name, player_id, team, rank, played_at => played_at) OVER w AS complete
    FROM game, skillrating.models() AS m WHERE match_id <= 30 WINDOW w AS (PARTITION BY m.name ORDER BY match_id)) AS r;
SELECT bool_and(CASE p.name WHEN 'k' THEN c->p.name = '20' WHEN 'k_by_games' THEN c->p.name = '[[30, 40]]' ELSE c->p.name = p.default_value END) AND count(*) = (SELECT count(*) FROM jsonb_object_keys(c)) AS "models: other implementation"
FROM (SELECT parameters FROM skillrating.models('elo', '{"k": 20, "k_by_games": [[30, 40]]}')) AS m(c), skillrating.parameters('elo') AS p GROUP BY c;
SELECT count(*) > 50 AND bool_and(CASE WHEN p.min IS NULL THEN takes(m.name, p.name, NULL) ELSE takes(m.name, p.name, p.min + 1e-6) AND NOT takes(m.name, p.name, p.min - 1e-6) END
    AND (p.max IS NULL OR takes(m.name, p.name, p.max) AND NOT takes(m.name, p.name, p.max + greatest(p.max * 0.01, 1e-6)))) AS "parameters: brute force"
FROM skillrating.models() AS m, skillrating.parameters(m.name) AS p WHERE p.kind = 'model' AND p.type = 'number';
SELECT (SELECT bool_and(near(a.mu, b.mu)) FROM unnest(one) WITH ORDINALITY AS a(player_id, at, mu, e, s, c, g, co, n) JOIN unnest(other) WITH ORDINALITY AS b(player_id, at, mu, e, s, c, g, co, n) USING (n)) AS "parameters: invariant"
FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank) AS one,
    skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, (SELECT jsonb_object_agg(name, default_value) FROM skillrating.parameters('bradley_terry'))) AS other FROM game) AS q;
SELECT near(one, other) AS "parameters: invariant"
FROM (SELECT skillrating.behaviour_score(played_at, score, side, (match_id = 5)::int, NULL, NULL ORDER BY match_id) AS one,
    skillrating.behaviour_score(played_at, score, side, (match_id = 5)::int, NULL, (SELECT jsonb_object_agg(name, default_value) FROM skillrating.parameters('behaviour_score')) ORDER BY match_id) AS other FROM duel) AS q;
SET client_min_messages = warning;
DROP SCHEMA oracles_histories CASCADE;
