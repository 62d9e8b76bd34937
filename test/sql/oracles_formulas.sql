-- Formulas against others in SQL: closed forms, published values, roots and extremes that are
-- tried, and what must not change.  Each column names the functions that it is about; see
-- test/oracles.sh.
\pset format unaligned
CREATE SCHEMA oracles_formulas;
SET search_path = oracles_formulas;
SET extra_float_digits = 1;
SET timezone = 'UTC';

-- Whether two numbers agree to nine digits.
CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION sigmoid(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + exp(-x)) $$;
CREATE FUNCTION pdf(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT exp(-x * x / 2) / sqrt(2 * pi()) $$;
-- The normal distribution by Simpson's rule, which has no error function.
CREATE FUNCTION cdf(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT 0.5 + x / 1200 * sum(pdf(x * i / 400) * CASE WHEN i IN (0, 400) THEN 1 WHEN i % 2 = 1 THEN 4 ELSE 2 END)
    FROM generate_series(0, 400) AS i
$$;

-- Elo.
CREATE TABLE duel AS
SELECT a::float8, b::float8, s::float8, k::float8, scale::float8
FROM unnest('{-700,0,900,1500,1987.5,2900}'::float8[]) AS a, unnest('{100,1500,2811}'::float8[]) AS b,
    unnest('{0,0.5,1,0.3}'::float8[]) AS s, (VALUES (32, 400), (11.5, 250)) AS p(k, scale);
SELECT bool_and(near(skillrating.elo_win_probability(a, b, scale), 1 / (1 + power(10, (b - a) / scale)))) AS "elo_win_probability: closed form",
    bool_and(near(new_rating_a, a + k * (s - 1 / (1 + power(10, (b - a) / scale))))
        AND near(new_rating_b, b + k * (1 - s - 1 / (1 + power(10, (a - b) / scale))))) AS "elo_update: closed form"
FROM duel, skillrating.elo_update(a, b, s, k, scale);
SELECT bool_and(near(skillrating.elo_win_probability(a, b, 2 * beta, 'normal'), cdf((a - b) / (sqrt(2) * beta)))) AS "elo_win_probability: closed form"
FROM (SELECT DISTINCT a, b FROM duel) AS d, unnest('{200,750}'::float8[]) AS beta WHERE abs(a - b) < 8 * beta;
-- A place earns (base^(n - place) - 1) parts of the points, in the limit n - place; a tie shares them.
WITH contest AS (
    SELECT base, player.i, player.r, player.place, (SELECT count(*) FROM unnest(rank)) AS n, rating, rank
    FROM (VALUES ('{1200,1000,900,1510}'::float8[], '{1,3,2,4}'::float8[]), ('{1200,1000,900,1510,700}', '{2,2,1,5,2}')) AS c(rating, rank),
        unnest('{1,2,1.3}'::float8[]) AS base, unnest(rating, rank) WITH ORDINALITY AS player(r, place, i)
), expected AS (
    SELECT *, (SELECT sum(1 / (1 + power(10, (o - r) / 400))) - 0.5 FROM unnest(rating) AS o) / (n * (n - 1) / 2) AS e,
        (SELECT avg(CASE WHEN base = 1 THEN n - p ELSE power(base, n - p) - 1 END) FROM (SELECT row_number() OVER (ORDER BY q) AS p, q FROM unnest(rank) AS q) AS o WHERE q = place)
        / (SELECT sum(CASE WHEN base = 1 THEN n - p ELSE power(base, n - p) - 1 END) FROM generate_series(1, n) AS p) AS share
    FROM contest
)
SELECT bool_and(near(u.expected_share, e) AND near(u.new_rating, r + 20 * (n - 1) * (share - e))) AS "elo_contest_update: closed form"
FROM expected, LATERAL (SELECT * FROM skillrating.elo_contest_update(rating, rank, k => 20, score_base => base) AS c WHERE c.ordinal = i) AS u;

-- Glicko and Glicko-2, with the examples of Glickman's papers.
\set ECHO none
CREATE FUNCTION g(deviation float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT 1 / sqrt(1 + 3 * power(ln(10) / 400 * deviation / pi(), 2)) $$;
CREATE TABLE period AS
SELECT r::float8, rd::float8, '{1400,1550,1700}'::float8[] AS o, '{30,100,300}'::float8[] AS od, '{1,0,0}'::float8[] AS s
FROM (VALUES (1500, 200), (2100, 40), (900, 350)) AS p(r, rd);
\set ECHO all
WITH sums AS (
    SELECT p.*, sum(power(ln(10) / 400 * g(d), 2) * e * (1 - e)) AS information, sum(ln(10) / 400 * g(d) * (score - e)) AS gradient
    FROM period AS p, unnest(o, od, s) AS game(x, d, score), LATERAL (SELECT 1 / (1 + power(10, g(d) * (x - r) / 400)) AS e) AS f
    GROUP BY p.*, r, rd, o, od, s
)
SELECT bool_and(near(new_deviation, 1 / sqrt(1 / rd ^ 2 + information)) AND near(new_rating, r + gradient / (1 / rd ^ 2 + information))) AS "glicko_update: closed form",
    bool_or(r = 1500 AND round(new_rating) = 1464 AND round(new_deviation::numeric, 1) = 151.4) AS "glicko_update: published"
FROM sums, skillrating.glicko_update(r, rd, o, od, s);
SELECT bool_and(near(skillrating.glicko_win_probability(a, 10 + k, b, scale), 1 / (1 + power(10, g(sqrt((10 + k) ^ 2 + scale ^ 2)) * (b - a) / 400)))) AS "glicko_win_probability: closed form",
    bool_and(near(skillrating.glicko2_win_probability(a, 10 + k, b, scale), 1 / (1 + power(10, g(sqrt((10 + k) ^ 2 + scale ^ 2)) * (b - a) / 400)))) AS "glicko2_win_probability: closed form",
    bool_and(near((skillrating.idle_state('glicko', ARRAY[a, 50 + k], make_interval(secs => elapsed * 86400), '{"c": 34.6, "period_days": 1}'))[2], least(350, sqrt((50 + k) ^ 2 + 34.6 ^ 2 * elapsed)))
        AND near((skillrating.idle_state('glicko2', ARRAY[a, 50 + k, 0.06], make_interval(secs => elapsed * 86400), '{"period_days": 1}'))[2], least(350, sqrt((50 + k) ^ 2 + (0.06 * 400 / ln(10)) ^ 2 * elapsed)))
        AND near((skillrating.idle_state('frag', ARRAY[a], make_interval(secs => elapsed * 86400), jsonb_build_object('decay', s + 0.5, 'decay_floor', 500)))[1], greatest(least(a, 500), a - elapsed * (s + 0.5)))) AS "idle_state: closed form"
FROM duel, unnest('{0,0.3,1,12,1000,100000}'::float8[]) AS elapsed;
-- The volatility is a root of Glickman's f between his bounds; rating and deviation follow from it.
WITH scaled AS (
    SELECT p.*, volatility, tau, 400 / ln(10) AS unit,
        1 / sum(power(g(d), 2) * e * (1 - e)) AS v, sum(g(d) * (score - e)) AS gradient
    FROM period AS p, unnest('{0.06,0.3}'::float8[]) AS volatility, unnest('{0.5,1.2}'::float8[]) AS tau,
        unnest(o, od, s) AS game(x, d, score), LATERAL (SELECT 1 / (1 + power(10, g(d) * (x - r) / 400)) AS e) AS f
    GROUP BY p.*, r, rd, o, od, s, volatility, tau
), updated AS (
    SELECT *, new_volatility ^ 2 AS y, (rd / unit) ^ 2 AS phi2, (v * gradient) ^ 2 AS delta2
    FROM scaled, skillrating.glicko2_update(r, rd, volatility, o, od, s, tau)
)
SELECT bool_and(abs(y * (delta2 - phi2 - v - y) / (2 * (phi2 + v + y) ^ 2) - ln(y / volatility ^ 2) / tau ^ 2) < 1e-5
        AND near(new_deviation, unit / sqrt(1 / (phi2 + y) + 1 / v)) AND near(new_rating, r + unit * gradient / (1 / (phi2 + y) + 1 / v))) AS "glicko2_update: closed form",
    bool_or(r = 1500 AND round(new_rating::numeric, 2) BETWEEN 1464.05 AND 1464.06 AND round(new_deviation::numeric, 2) = 151.52 AND abs(new_volatility - 0.05999) < 1e-5) AS "glicko2_update: published"
FROM updated;

-- TrueSkill: two players, by the normal distribution.
CREATE TABLE pair AS
SELECT mu1::float8, s1::float8, mu2::float8, s2::float8, 25 / 6.0::float8 AS beta, 25 / 300.0::float8 AS tau, 0.6744897501960817::float8 AS quartile
FROM (VALUES (25, 25 / 3.0), (31, 2), (18, 5.5)) AS a(mu1, s1), (VALUES (25, 25 / 3.0), (29.5, 1.2)) AS b(mu2, s2);
-- 0.1256613468550740 is the normal quantile of 0.55, half of which is a draw of a tenth.
WITH won AS (
    SELECT *, sqrt(s1 ^ 2 + s2 ^ 2 + 2 * beta ^ 2 + 2 * tau ^ 2) AS c, 0.1256613468550740 * sqrt(2) * beta AS margin FROM pair
), truncated AS (
    SELECT *, (mu1 - mu2 - margin) / c AS t, pdf((mu1 - mu2 - margin) / c) / cdf((mu1 - mu2 - margin) / c) AS v FROM won
)
SELECT bool_and(CASE ordinal WHEN 1 THEN near(new_mu, mu1 + (s1 ^ 2 + tau ^ 2) / c * v) AND near(new_sigma, sqrt((s1 ^ 2 + tau ^ 2) * (1 - (s1 ^ 2 + tau ^ 2) / c ^ 2 * v * (v + t))))
    ELSE near(new_mu, mu2 - (s2 ^ 2 + tau ^ 2) / c * v) AND near(new_sigma, sqrt((s2 ^ 2 + tau ^ 2) * (1 - (s2 ^ 2 + tau ^ 2) / c ^ 2 * v * (v + t)))) END) AS "trueskill_update: closed form"
FROM truncated, skillrating.trueskill_update('{1,2}', '{1,2}', ARRAY[mu1, mu2], ARRAY[s1, s2]);
-- The first duel of Herbrich's page, and of every implementation: 29.396 and 7.171.
SELECT round(new_mu::numeric, 3) = 29.396 AND round(new_sigma::numeric, 3) = 7.171 AS "trueskill_update: published"
FROM skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8.333333333,8.333333333}') WHERE ordinal = 1;
SELECT bool_and(near(win_probability, cdf((CASE team WHEN 1 THEN 1 ELSE -1 END * (mu1 - mu2) - margin) / c))
        AND near(draw_probability, cdf((mu1 - mu2 + margin) / c) - cdf((mu1 - mu2 - margin) / c))) AS "trueskill_win_probability: closed form",
    bool_and(near(skillrating.trueskill_quality('{1,2}', ARRAY[mu1, mu2], ARRAY[s1, s2]), sqrt(2) * beta / c * exp(-power((mu1 - mu2) / c, 2) / 2))) AS "trueskill_quality: closed form"
FROM (SELECT *, sqrt(s1 ^ 2 + s2 ^ 2 + 2 * beta ^ 2) AS c, 0.1256613468550740 * sqrt(2) * beta AS margin FROM pair) AS p,
    skillrating.trueskill_win_probability('{1,2}', ARRAY[mu1, mu2], ARRAY[s1, s2]);
-- Someone comes in at each place, and each team at some place.
SELECT bool_and(near(total, 1)) AS "trueskill_win_probability: invariant"
FROM (SELECT sum(p) AS total FROM unnest('{0,0.3}'::float8[]) AS draw, skillrating.trueskill_win_probability('{1,2,2,3}', '{25,10,18,22}', '{3,4,5,6}', draw_probability => draw) AS w, unnest(w.rank_probability) AS p GROUP BY draw, w.team
    UNION ALL SELECT sum(p) FROM skillrating.trueskill_win_probability('{1,2,2,3}', '{25,10,18,22}', '{3,4,5,6}', draw_probability => 0) AS w, unnest(w.rank_probability) WITH ORDINALITY AS r(p, place) GROUP BY place) AS t;

-- Weng and Lin, with the values in the README of openskill for JavaScript.
WITH step AS (
    SELECT variant, p.*, sqrt(s1 ^ 2 + s2 ^ 2 + 2 * beta ^ 2) AS c FROM pair AS p, unnest('{plackett_luce,bradley_terry_full}'::text[]) AS variant
), change AS (
    SELECT *, sigmoid((mu2 - mu1) / c) AS lost FROM step
)
SELECT bool_and(CASE ordinal WHEN 1 THEN near(new_mu, mu1 + s1 ^ 2 / c * lost) AND near(new_sigma, s1 * sqrt(1 - s1 ^ 3 / c ^ 3 * lost * (1 - lost)))
    ELSE near(new_mu, mu2 - s2 ^ 2 / c * lost) AND near(new_sigma, s2 * sqrt(1 - s2 ^ 3 / c ^ 3 * lost * (1 - lost))) END) AS "weng_lin_update: closed form"
FROM change, skillrating.weng_lin_update(variant, '{1,2}', '{1,2}', ARRAY[mu1, mu2], ARRAY[s1, s2], tau => 0);
SELECT bool_and(near(new_mu, mu) AND near(new_sigma, sigma)) AS "weng_lin_update: published"
FROM skillrating.weng_lin_update('plackett_luce', '{1,1,2,2}', '{1,1,2,2}', '{25,32.444,43.381,25.188}', ARRAY[25 / 3.0, 5.123, 2.421, 6.211], tau => 0) AS u
JOIN (VALUES (1, 28.669648436582808, 8.071520788025197), (2, 33.83086971107981, 5.062772998705765), (3, 43.071274808241974, 2.4166900452721256), (4, 23.149503312339064, 6.1378606973362135)) AS p(ordinal, mu, sigma) USING (ordinal);
SELECT bool_and(near(win_probability, cdf(sign * (mu1 - mu2) / c)) AND near(exact_win_probability, sigmoid(sign * (mu1 - mu2) / c))) AS "weng_lin_win_probability: closed form",
    bool_and(near(skillrating.weng_lin_draw_probability('{1,2}', ARRAY[mu1, mu2], ARRAY[s1, s2]),
        cdf((quartile * sqrt(2) * beta - mu1 + mu2) / c) - cdf((-quartile * sqrt(2) * beta - mu1 + mu2) / c))) AS "weng_lin_draw_probability: closed form"
FROM (SELECT *, sqrt(s1 ^ 2 + s2 ^ 2 + 2 * beta ^ 2) AS c FROM pair) AS p,
    skillrating.weng_lin_win_probability('{1,2}', ARRAY[mu1, mu2], ARRAY[s1, s2]) AS w, LATERAL (SELECT 3 - 2 * w.team_number) AS t(sign);

-- Elo-MMR: the performances of a contest are where the derivative of their likelihood vanishes.
WITH before AS (
    SELECT i, rank, mu, sqrt(sigma ^ 2 + 35 ^ 2) AS s, sqrt(sigma ^ 2 + 35 ^ 2 + 200 ^ 2) AS delta
    FROM (VALUES (1, 2, 1500, 350), (2, 1, 1400, 100), (3, 4, 1900, 80), (4, 3, 1450, 200)) AS p(i, rank, mu, sigma)
)
SELECT bool_and(near(new_mu, mu + s ^ 2 / (s ^ 2 + 200 ^ 2) * (performance - mu)) AND near(new_sigma, 1 / sqrt(1 / s ^ 2 + 1 / 200 ^ 2.0))
    AND (SELECT abs(sum(CASE WHEN o.rank < b.rank THEN -pdf(z) / cdf(-z) WHEN o.rank = b.rank THEN -z ELSE pdf(z) / cdf(z) END / o.delta)) < 1e-9
        FROM before AS o, LATERAL (SELECT (performance - o.mu) / o.delta AS z) AS f)) AS "elo_mmr_update: closed form"
FROM skillrating.elo_mmr_update('{1,2,3,4}', '{2,1,4,3}', '{1500,1400,1900,1450}', '{350,100,80,200}') JOIN before AS b ON i = ordinal;

-- Hive.
SELECT bool_and(near(skillrating.hive_weight(u, u + d, r), power(2, -2 * u / r) - power(2, -2 * (u + d) / r))) AS "hive_weight: closed form"
FROM unnest('{0,17,900,4000}'::float8[]) AS u, unnest('{1,600,2500}'::float8[]) AS d, unnest('{1200,700}'::float8[]) AS r;
SELECT s.skill = 1 AND s.skill_squares = 2 AND s.side_offset = 3 AND s.command_skill = 4 AND s.command_squares = 5 AS "hive_state: closed form"
FROM skillrating.hive_state(1, 2, 3, 4, 5) AS s;
CREATE TABLE round AS
SELECT *, sum(w) OVER () AS total, CASE side WHEN 1 THEN 1 ELSE -1 END AS sign
FROM (VALUES (1, 1, 5.0::float8, 0.1::float8, 1.0::float8), (2, 1, 3.5, 0.2, 0.7), (3, 2, 4.2, 0.1, 1.0), (4, 2, 4.0, 0.0, 0.5)) AS m(id, side, skill, squares, w);
SELECT near(skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => w)), sigmoid(sum(sign * w * skill) / sum(w)))
    AND near(skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => w, log_odds => 0.3)), sigmoid(sum(sign * w * skill) / sum(w) + 0.3)) AS "hive_win_probability: closed form"
FROM round;
-- Gradients x (G - p) with AdaGrad's rate c + a / sqrt(sum of squares + epsilon).
WITH p AS (SELECT sigmoid(sum(sign * w * skill) / sum(w)) AS p FROM round), updated AS (
    SELECT u FROM (SELECT skillrating.hive_update(id, skillrating.hive_state(skill => skill, skill_squares => squares), side, 2 - side, skillrating.inputs(weight => w), NULL) AS us FROM round) AS q, unnest(us) AS u
)
SELECT count(*) = 4 AND bool_and(near((u).gradient, x) AND near((u).skill_squares, squares + x ^ 2) AND near((u).skill, skill + (0.5 + 0.5 / sqrt(squares + x ^ 2 + 0.001)) * x)
        AND near((u).side_offset, 0.5 * w / total * (1 - p)) AND near((u).win_probability, CASE side WHEN 1 THEN p ELSE 1 - p END)
    AND (u).command_skill = 4 AND (u).command_squares = 0) AS "hive_update: closed form"
FROM p, updated JOIN round ON id = (u).player_id::int, LATERAL (SELECT sign * w / total * (1 - p) AS x) AS g;

-- SynElo, F1 to F5.
SELECT bool_and(skillrating.synelo_theta(n) = 400 * floor((n + 1) / 2.0)) AS "synelo_theta: closed form" FROM generate_series(1, 40) AS n;
SELECT bool_and(near(skillrating.synelo_win_probability(a * 6, b * 6), sigmoid((a - b) * 6 / 2400))) AS "synelo_win_probability: closed form",
    bool_and(near(skillrating.synelo_k(a, s, 2, 72, 1000, 400), 2 + 70 * s * exp(-power(a - 1000, 2) / (2 * 400 ^ 2)))) AS "synelo_k: closed form",
    bool_and(near(skillrating.synelo_update(a, k, s, 0.37), greatest(100, a + k * (s - 0.37)))) AS "synelo_update: closed form"
FROM duel;
WITH rounds AS (
    SELECT q, r, e, o, i, count(*) OVER w AS n FROM (VALUES (1, '{1000,1012,1030,1060}'::float8[], '{0.5,0.45,0.5,0.6}'::float8[], '{1,1,1,0}'::float8[]), (2, '{1000,1001,1002,1001,999,1000}', '{0.5,0.5,0.4,0.5,0.6,0.5}', '{1,0,0.5,0,1,0}')) AS h(q, rs, es, os),
        unnest(rs, es, os) WITH ORDINALITY AS x(r, e, o, i) WINDOW w AS (PARTITION BY q)
), f3 AS (
    SELECT q, array_agg(r ORDER BY i) AS rs, array_agg(e ORDER BY i) AS es, array_agg(o ORDER BY i) AS os,
        0.25 * abs(avg(r) FILTER (WHERE i > n / 2) - avg(r) FILTER (WHERE i <= n / 2)) / 72 + 0.25 * abs(avg(o - e)) / 0.1 + 0.5 * stddev_pop(r) / 72 AS c
    FROM rounds GROUP BY q
)
SELECT bool_and(near(skillrating.synelo_convergence(rs, es, os), least(1, c))) AS "synelo_convergence: closed form" FROM f3;

-- Frags.
SELECT bool_and(near(skillrating.frag_win_share(a, b, scale), 1 / (1 + power(10, (b - a) / scale)))) AS "frag_win_share: closed form",
    bool_and(near(new_rating_a, a + k * (0.7 - 1 / (1 + power(10, (b - a) / scale)))) AND near(new_rating_a + new_rating_b, a + b)) AS "frag_update: closed form",
    bool_and(near(skillrating.frag_suicide(a, k, 3), a - k * 0.5)
        AND near(skillrating.frag_suicide(a, k, 3, points => 1), a - 3 * k * 0.5)) AS "frag_suicide: closed form",
    bool_and(near(skillrating.frag_event(a, ARRAY[b, b + 100], 7, k, scale, 1), a + k * 7 * (1 - 1 / (1 + power(10, (b + 50 - a) / scale))))) AS "frag_event: closed form"
FROM duel, skillrating.frag_update(a, b, 14, 6, k, scale);
SELECT bool_and(skillrating.frag_share(a, b) = share) AS "frag_share: closed form"
FROM (VALUES (15, 5, 0.75), (0, 0, 0.5), (6, -2, 1), (-3, -5, 0.625), (3, 0, 1), (1, 3, 0.25)) AS s(a, b, share);
-- A log of frags, one after another.
\set ECHO none
CREATE TABLE frag AS SELECT i, CASE WHEN i % 7 > 0 THEN i * i % 5 END AS killer, (i * i + 1 + i % 3) % 5 AS victim FROM generate_series(1, 200) AS i;
CREATE FUNCTION frag_by_frag() RETURNS TABLE (player int, rating float8, frags int, deaths int, suicides int) LANGUAGE plpgsql AS $$
DECLARE
    f record;
    r float8[] := '{1000,1000,1000,1000,1000}';
    n int[][] := '{{0,0,0,0,0},{0,0,0,0,0},{0,0,0,0,0}}';
    change float8;
BEGIN
    FOR f IN SELECT * FROM frag ORDER BY i LOOP
        IF f.killer IS NULL OR f.killer = f.victim THEN
            change := 20;
            n[3][f.victim + 1] := n[3][f.victim + 1] + 1;
        ELSE
            change := 40 * (1 - 1 / (1 + power(10, (r[f.victim + 1] - r[f.killer + 1]) / 400)));
            r[f.killer + 1] := r[f.killer + 1] + change;
            n[1][f.killer + 1] := n[1][f.killer + 1] + 1;
            n[2][f.victim + 1] := n[2][f.victim + 1] + 1;
        END IF;
        r[f.victim + 1] := r[f.victim + 1] - change;
    END LOOP;
    RETURN QUERY SELECT p, r[p + 1], n[1][p + 1], n[2][p + 1], n[3][p + 1] FROM generate_series(0, 4) AS p;
END
$$;
\set ECHO all
SELECT count(*) = 5 AND bool_and(near(f.rating, b.rating) AND f.frags = b.frags AND f.deaths = b.deaths AND f.team_kills = 0 AND f.suicides = b.suicides) AS "frag_ratings: other implementation"
FROM (SELECT skillrating.frag_ratings(killer, victim, 1, false, '{}' ORDER BY i) AS fs FROM frag) AS q, unnest(fs) AS f JOIN frag_by_frag() AS b ON b.player::text = f.player_id;
-- Static scores: the weighted sum of (score - score - (a - b) / (a + b + 2)) over the pairs of a player is 0.
WITH scores AS (
    SELECT f.* FROM (SELECT skillrating.frag_scores(killer, victim, 1, false, NULL) AS fs FROM frag) AS q, unnest(fs) AS f
), pairs AS (
    SELECT a.player_id, a.score - b.score AS ahead, count(*) FILTER (WHERE killer::text = a.player_id) AS won, count(*) FILTER (WHERE killer::text = b.player_id) AS lost, a.frags, a.deaths
    FROM frag, scores AS a, scores AS b WHERE a.player_id <> b.player_id AND a.player_id IN (killer::text, victim::text) AND b.player_id IN (killer::text, victim::text)
    GROUP BY a.player_id, b.player_id, a.score, b.score, a.frags, a.deaths
), sums AS (
    SELECT sum((won + lost) * (ahead - (won - lost) / (won + lost + 2.0)))::float8 AS gradient, sum(won) = frags AND sum(lost) = deaths AS counted FROM pairs GROUP BY player_id, frags, deaths
)
SELECT count(*) = 5 AND bool_and(abs(gradient) < 1e-7 AND counted) AS "frag_scores: closed form" FROM sums;

-- Display, seasons and placement.
SELECT bool_and(near(skillrating.display_rating(a, s, 2, 10, 5, 900), greatest(900, 5 + 10 * (a - 2 * s)))) AS "display_rating: closed form",
    bool_and(near((skillrating.season_state('elo', ARRAY[a], s, mean => b))[1], b + s * (a - b))
        AND near((skillrating.season_state('elo', ARRAY[a], s, jsonb_build_object('initial_rating', b)))[1], b + s * (a - b))
        AND near((skillrating.season_state('glicko', ARRAY[a, k], s))[2], sqrt(s ^ 2 * k ^ 2 + (1 - s ^ 2) * 350 ^ 2))
        AND (skillrating.season_state('glicko', ARRAY[a, k], s, keep_deviations => true))[2] = k) AS "season_state: closed form"
FROM duel;
SELECT bool_and(d.number = (a >= 0)::int + (a >= 1500)::int + (a >= 2500)::int AND d.label = substr('wxyz', d.number + 1, 1) AND d.low <= a AND d.high > a
    AND d.low = ('{-infinity,0,1500,2500}'::float8[])[d.number + 1] AND d.high = ('{0,1500,2500,infinity}'::float8[])[d.number + 1]) AS "division: closed form"
FROM duel, skillrating.division(a, '{0,1500,2500}', '{w,x,y,z}') AS d;
SELECT bool_and(near(skillrating.placement_gain(n, 3, 10), greatest(1, 3 - 0.2 * n))) AS "placement_gain: closed form" FROM generate_series(0, 15) AS n;
SELECT bool_and(near(new_low, low + s * shrink * (high - low) / 2) AND near(new_high, high - (1 - s) * shrink * (high - low) / 2) AND near(p.rating, (new_low + new_high) / 2)) AS "placement_step: closed form"
FROM unnest('{0,1}'::float8[]) AS s, unnest('{0.5,1}'::float8[]) AS shrink, (VALUES (0::float8, 1000::float8), (250, 600)) AS r(low, high), skillrating.placement_step(low, high, s, shrink) AS p;

-- Behaviour: sums that halve in 50 games and in 90 days, and a prior of 10 games at 0.9.
CREATE TABLE conduct AS
SELECT i, timestamptz '2026-03-01 00:00 UTC' + i * i * interval '6 hours' AS at, (i % 4 = 0)::int * 1.8::float8 AS reports, (i % 3 = 0)::int::float8 AS commends, (i = 17)::int::float8 AS quits
FROM generate_series(1, 25) AS i;
SELECT near(skillrating.behaviour_score(at, reports, commends, quits, NULL, NULL ORDER BY at),
    (9 + sum(fade * (1 + 0.25 * commends))) / (10 + sum(fade * (1 + 0.25 * commends + reports + 2 * quits)))) AS "behaviour_score: closed form"
FROM (SELECT *, power(0.5, (25 - i) / 50.0 + extract(epoch FROM timestamptz '2026-03-01 00:00 UTC' + 625 * interval '6 hours' - at)::float8 / 86400 / 90) AS fade FROM conduct) AS c;
SET client_min_messages = warning;
DROP SCHEMA oracles_formulas CASCADE;
