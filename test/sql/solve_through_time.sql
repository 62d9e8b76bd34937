-- Solver through_time with all that model state_space has, and the filter that goes on from it.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION chance(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
'SELECT (hashtextextended(what, 44) & 1048575) / 1048576.0::float8';
CREATE TABLE paired_duel AS
SELECT i AS match_id, '2024-01-01'::timestamptz + i / 3 * interval '30 hours' AS played_at, a, (a + 1 + i % 7) % 12 AS b, 'map ' || i % 3 AS map,
    floor(6 * chance('score ' || i) + a / 3.0 + 1)::int AS score_a, floor(6 * chance('other ' || i) + ((a + 1 + i % 7) % 12) / 3.0)::int AS score_b
FROM generate_series(1, 400) AS i, LATERAL (SELECT floor(12 * chance('who ' || i))::int AS a) AS s;
CREATE VIEW duel_row AS
SELECT match_id, played_at, player_id, team, score, team AS side, map, 'club ' || player_id % 4 AS club
FROM paired_duel, LATERAL (VALUES (a, 1, score_a), (b, 2, score_b)) AS v(player_id, team, score);
\set ECHO all

-- Two scores of the same two, whose difference has a variance of 2 * 8^2 before, and noise of 2 * 4^2
-- each time: a normal density of two numbers, for points that are worth half a unit of skill each.
WITH n AS (SELECT 128.0::float8 AS v, 32.0::float8 AS noise, 1.5::float8 AS x, -0.5::float8 AS y), d AS (
    SELECT -0.5 * ln(4 * pi() ^ 2 * ((v + noise) ^ 2 - v ^ 2)) - 0.5 * ((v + noise) * (x ^ 2 + y ^ 2) - 2 * v * x * y) / ((v + noise) ^ 2 - v ^ 2) + 2 * ln(0.5) AS density,
        v * (x + y) / (2 * v + noise) AS lead, sqrt(32 + v * noise / (2 * v + noise) / 4) AS error FROM n)
SELECT abs((s).log_evidence - density) < 1e-9 AS density, (s).evidence, abs(mus[1] - mus[3] - lead) < 1e-9 AS lead, abs(errors[1] - error) < 1e-9 AS error
FROM d, (SELECT skillrating.solve_summary('through_time', m, p, p, NULL, skillrating.inputs(team_score => score), q.params ORDER BY m) AS s,
        (SELECT array_agg(e.mu ORDER BY e.player_id) FILTER (WHERE e.at IS NULL) FROM unnest(skillrating.solve('through_time', m, p, p, NULL, skillrating.inputs(team_score => score), q.params ORDER BY m)) AS e) AS mus,
        (SELECT array_agg(e.standard_error) FROM unnest(skillrating.solve('through_time', m, p, p, NULL, skillrating.inputs(team_score => score), q.params ORDER BY m)) AS e) AS errors
    FROM (VALUES (1, 1, 5), (1, 2, 2), (2, 1, 1), (2, 2, 2)) AS v(m, p, score),
        (VALUES ('{"initial_sigma": 8, "beta": 4, "tau": 0, "drift": 0, "margin": 0.5, "margin_exponent": 1, "errors": "joint"}'::jsonb)) AS q(params) GROUP BY q.params) AS s;

-- The evidence depends on no order of simultaneous matches, by either method, with draws and rankings.
CREATE TABLE field AS SELECT i AS match_id, '2024-02-01'::timestamptz + i / 8 * interval '1 day' AS played_at, p AS team, 'p' || (i * 5 + p * (1 + i % 3)) % 9 AS player_id,
    1 + floor((CASE WHEN i % 3 = 0 THEN 2 ELSE 3 END) * chance(i || 'place' || p)) AS rank
FROM generate_series(1, 32) AS i, generate_series(1, CASE WHEN i % 2 = 0 THEN 2 ELSE 3 END) AS p;
SELECT method, ties, (b.s).evidence, abs((a.s).log_evidence - (b.s).log_evidence) < 1e-6 AS same, (b.s).converged
FROM (VALUES ('messages', 'alike'), ('messages', 'chain'), ('joint', 'chain'), ('auto', 'chain'), ('auto', 'alike')) AS v(method, ties),
    LATERAL (SELECT skillrating.solve_summary('through_time', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), jsonb_build_object('evidence', method, 'ties', ties, 'tolerance', 1e-9, 'max_iterations', 2000) ORDER BY played_at, match_id) AS s FROM field) AS a,
    LATERAL (SELECT skillrating.solve_summary('through_time', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), jsonb_build_object('evidence', method, 'ties', ties, 'tolerance', 1e-9, 'max_iterations', 2000) ORDER BY played_at, match_id DESC) AS s FROM field) AS b;

-- Where nobody meets again messages are exact, and both methods agree.
SELECT method, (s).evidence, abs((s).log_evidence + 20 * ln(2)) < 1e-9 AS half_each
FROM unnest('{messages,joint}'::text[]) AS method,
    LATERAL (SELECT skillrating.solve_summary('through_time', i, 2 * i + j, j, j, NULL, jsonb_build_object('evidence', method, 'draw_probability', 0) ORDER BY i) AS s FROM generate_series(1, 20) AS i, generate_series(1, 2) AS j) AS q;

-- Components, each at the times when it took part, with as many rows as there are times.
CREATE FUNCTION duel_inputs(d duel_row) RETURNS skillrating.inputs LANGUAGE sql STABLE AS
'SELECT skillrating.inputs(played_at => d.played_at, team_score => d.score, side => d.side, context => d.map, club => d.club)';
SELECT c.kind, c.key, count(*) AS times, max(c.games) AS games, bool_and(c.standard_error BETWEEN 0.01 AND 2) AS error, count(c.player_id) AS players, min(c.at) AS since
FROM (SELECT skillrating.solve_components('through_time', match_id, player_id, team, NULL, duel_inputs(d), '{"margin": 0.3, "player_context_sigma": 0}' ORDER BY played_at, match_id) AS components FROM duel_row AS d) AS q,
    unnest(q.components) AS c GROUP BY 1, 2 ORDER BY 1, 2;
SELECT c.kind, count(DISTINCT (c.key, c.player_id)) AS components FROM (SELECT skillrating.solve_components('through_time', match_id, player_id, team, NULL, duel_inputs(d), '{"margin": 0.3}' ORDER BY played_at, match_id) AS components FROM duel_row AS d) AS q,
    unnest(q.components) AS c WHERE c.kind = 'player_context' GROUP BY 1;
-- Side 1 scores a point more, which is one unit of skill; the home advantage takes most of it.
SELECT c.mu BETWEEN 0.3 AND 1.5 AS home FROM (SELECT skillrating.solve_components('through_time', match_id, player_id, team, NULL, duel_inputs(d), '{"margin": 1, "margin_exponent": 1, "home_context_sigma": 0, "home_sigma": 3, "beta": 2}' ORDER BY played_at, match_id) AS components FROM duel_row AS d) AS q,
    unnest(q.components) AS c WHERE c.kind = 'home' ORDER BY c.at DESC LIMIT 1;
SELECT cardinality(skillrating.solve_components('bradley_terry', match_id, player_id, team, NULL, skillrating.inputs(team_score => score), NULL ORDER BY match_id)) AS others FROM duel_row;
SELECT skillrating.solve_components('through_time', match_id, player_id, team, NULL, NULL, NULL ORDER BY match_id) IS NULL AS no_rows FROM duel_row WHERE false;

-- The learning curve: a row for each time, with a band that is narrowest inside.
SELECT count(*) AS times, bool_and(at > '2024-01-01') AS dated, max(standard_error) FILTER (WHERE first OR last) > min(standard_error) AS widest_outside
FROM (SELECT e.*, row_number() OVER (ORDER BY at) = 1 AS first, row_number() OVER (ORDER BY at DESC) = 1 AS last
    FROM (SELECT skillrating.solve('through_time', match_id, player_id, team, NULL, duel_inputs(d), '{"margin": 0.3, "drift": 0.1}' ORDER BY played_at, match_id) AS x FROM duel_row AS d) AS q, unnest(x) AS e WHERE e.player_id = '3') AS c;
-- Messages take others to be independent; the joint distribution knows better, and is less certain.
SELECT bool_and(j.standard_error >= m.standard_error - 1e-9) AS wider, max(abs(j.mu - m.mu)) < 0.01 AS same_means
FROM (SELECT skillrating.solve('through_time', match_id, player_id, team, NULL, duel_inputs(d), '{"margin": 0.3, "errors": "joint", "tolerance": 1e-7, "max_iterations": 3000}' ORDER BY played_at, match_id) AS x,
        skillrating.solve('through_time', match_id, player_id, team, NULL, duel_inputs(d), '{"margin": 0.3, "tolerance": 1e-7, "max_iterations": 3000}' ORDER BY played_at, match_id) AS y FROM duel_row AS d) AS q,
    unnest(x) AS j JOIN unnest(y) AS m USING (player_id, at);

-- Sides and commanders are players' own, in columns of the estimates.
SELECT count(*) - count(side_offset) AS without_side, count(command_skill) AS commanders
FROM (SELECT skillrating.solve('through_time', match_id, player_id, team, NULL, skillrating.inputs(played_at => played_at, team_score => score, side => side, commanding => CASE WHEN match_id = 7 AND side = 1 THEN 1 ELSE 0 END), '{"initial_side_sigma": 1, "initial_command_sigma": 1}' ORDER BY played_at, match_id) AS x FROM duel_row) AS q, unnest(x) AS e;
-- Reversion: after years of absence little is left of a skill.
SELECT round(e.mu::numeric, 1) AS mu, e.at::date FROM (SELECT skillrating.solve('through_time', m, p, p, p, skillrating.inputs(played_at => at), '{"initial_mu": 3, "initial_sigma": 0.7, "beta": 1, "draw_probability": 0.1, "reversion": 0.01, "tau": 0, "drift": 0}' ORDER BY m) AS x
    FROM (SELECT m, p, '2000-01-01'::timestamptz + m * interval '1 hour' AS at FROM generate_series(1, 30) AS m, generate_series(1, 2) AS p UNION ALL SELECT 31, p, '2020-01-01' FROM (VALUES (1), (2)) AS v(p)) AS s) AS q, unnest(x) AS e
WHERE e.player_id = '1' AND e.at::date IN ('2000-01-01', '2020-01-01') AND extract(hour FROM e.at) IN (0, 1) ORDER BY e.at;

-- The joint distribution is an error where it cannot be had, if it is asked for.
SELECT skillrating.solve_summary('through_time', m, p, p, p, skillrating.inputs(player_gain => 2), '{"evidence": "joint"}' ORDER BY m) FROM generate_series(1, 2) AS m, generate_series(1, 3) AS p;
SELECT (skillrating.solve_summary('through_time', m, p, p, p, skillrating.inputs(player_gain => 2), '{}' ORDER BY m)).evidence FROM generate_series(1, 2) AS m, generate_series(1, 3) AS p;
SELECT (skillrating.solve_summary('through_time', m, (m * 7919 + p * p) % 1999, p, p, NULL, '{"evidence": "joint", "memory": 60, "drift": 0, "max_iterations": 1}' ORDER BY m)).evidence FROM generate_series(1, 20000) AS m, generate_series(1, 2) AS p;

-- rate_through_time(): without a refit it is rate(), to the last bit; with some it is not.
\set ECHO none
CREATE FUNCTION differences(refits int, days float8) RETURNS TABLE (rows bigint, equal bigint, first_different int, deviations_fall boolean) LANGUAGE sql STABLE AS $$
    SELECT count(*), count(*) FILTER (WHERE a = b), min(match_id) FILTER (WHERE (a).win_probability <> (b).win_probability), sum((a).deviation_after) <= sum((b).deviation_after) + 1
    FROM (SELECT match_id, skillrating.rate_through_time('state_space', player_id, team, team_score => score, played_at => played_at, side => side, context => map, club => club, options => '{"margin": 0.4, "initial_side_sigma": 0.1}' || jsonb_build_object('refit_matches', $1, 'refit_days', $2)) OVER (ORDER BY played_at, match_id) AS a,
            skillrating.rate('state_space', player_id, team, team_score => score, played_at => played_at, side => side, context => map, club => club, options => '{"margin": 0.4, "initial_side_sigma": 0.1}') OVER (ORDER BY played_at, match_id) AS b FROM duel_row) AS q
$$;
\set ECHO all
SELECT 'never' AS refits, rows, equal = rows AS all_equal, first_different FROM differences(NULL, NULL)
UNION ALL SELECT 'matches', rows, equal = rows, first_different FROM differences(100, NULL)
UNION ALL SELECT 'days', rows, equal = rows, first_different FROM differences(NULL, 50);
-- The states at a refit are those at the end of the solution: here of all matches before day 100.
SELECT count(*) AS players, bool_and(abs((r).mu_before - e.mu) < 0.02) AS skills, bool_and(abs((r).deviation_before / e.standard_error - 1) < 0.02) AS deviations
FROM (SELECT DISTINCT ON (player_id) player_id, r FROM (
        SELECT player_id, match_id, skillrating.rate_through_time('state_space', player_id, team, team_score => score, played_at => played_at, side => side, context => map, club => club, options => '{"refit_matches": 300, "margin": 0.4, "tau": 0, "drift": 0, "draw_sigma": 0}') OVER (ORDER BY played_at, match_id) AS r FROM duel_row) AS q
        WHERE match_id >= 303 ORDER BY player_id, match_id) AS a
    JOIN (SELECT DISTINCT ON (e.player_id) e.* FROM (SELECT skillrating.solve('through_time', match_id, player_id, team, NULL, duel_inputs(d), '{"margin": 0.4, "tau": 0, "drift": 0}' ORDER BY played_at, match_id) AS x
        FROM duel_row AS d WHERE match_id < 303) AS q, unnest(x) AS e ORDER BY e.player_id, e.at DESC) AS e ON e.player_id = a.player_id::text;
-- Rows come in any order, and names of players change nothing.
SELECT count(*) AS rows, count(*) FILTER (WHERE a = b) AS same
FROM (SELECT match_id, player_id, skillrating.rate_through_time('state_space', player_id, team, team_score => score, played_at => played_at, context => map, options => '{"refit_matches": 60}') OVER (ORDER BY played_at, match_id) AS a FROM (SELECT * FROM duel_row ORDER BY match_id DESC, team) AS s) AS x
    JOIN (SELECT match_id, player_id, skillrating.rate_through_time('state_space', md5(player_id::text), team, team_score => score, played_at => played_at, context => map, options => '{"refit_matches": 60}') OVER (ORDER BY played_at, match_id) AS b FROM (SELECT * FROM duel_row ORDER BY match_id, team DESC) AS s) AS y USING (match_id, player_id);
-- A match without a result is forecast, also right after a refit, and none is refitted with it.
SELECT bool_and((r).win_probability IS NOT NULL AND (r).unrated_reason = 'no_result') AS forecast
FROM (SELECT match_id, skillrating.rate_through_time('state_space', player_id, team, team_score => CASE WHEN match_id < 399 THEN score END, played_at => played_at, options => '{"refit_matches": 10}') OVER (ORDER BY played_at, match_id) AS r FROM duel_row) AS q WHERE match_id >= 399;

SELECT skillrating.rate_through_time('elo', player_id, team, team_score => score) OVER (ORDER BY match_id) FROM duel_row;
SELECT skillrating.rate_through_time('state_space', player_id, team, team_score => score, options => '{"refit_matches": 0}') OVER (ORDER BY match_id) FROM duel_row;
-- An error names the function.
SELECT skillrating.rate_through_time('state_space', player_id, team, rank => CASE WHEN match_id = 2 THEN -1 ELSE team END, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM duel_row;
SELECT skillrating.rate_through_time('state_space', player_id, team, team_score => score, options => jsonb_build_object('refit_days', 'NaN')) OVER (ORDER BY match_id) FROM duel_row;
SELECT skillrating.rate_through_time('state_space', player_id, team, team_score => score) OVER () FROM duel_row;
SELECT skillrating.rate_through_time(NULL, player_id, team, team_score => score) OVER (ORDER BY match_id) FROM duel_row;

DROP FUNCTION differences, duel_inputs;
DROP TABLE paired_duel, field CASCADE;
DROP FUNCTION chance;
