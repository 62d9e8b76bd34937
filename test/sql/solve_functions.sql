-- solve(): the skills that all matches together imply, and how the search went.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

SELECT name, supports FROM skillrating.solvers();
SELECT solver, count(*) AS parameters, count(*) FILTER (WHERE description IS NULL) AS undocumented
FROM unnest(ARRAY['bradley_terry', 'hive', 'plackett_luce', 'through_time', 'whole_history']) AS solver, skillrating.parameters(solver) WHERE kind = 'solver' GROUP BY solver ORDER BY solver;

\set ECHO none
CREATE TABLE played(match_id int PRIMARY KEY, played_at timestamptz, winner text, loser text);
INSERT INTO played
SELECT i, '2024-01-01'::timestamptz + i * interval '9 hours', CASE WHEN won THEN a ELSE b END, CASE WHEN won THEN b ELSE a END
FROM (SELECT i, 'p' || i % 7 AS a, 'p' || (i + 1 + i / 7 % 6) % 7 AS b, hashint4(i) % 10 > i % 7 - 3 AS won FROM generate_series(1, 200) AS i) AS q;
INSERT INTO played VALUES (901, '2024-02-01', 'q1', 'q2'), (902, '2024-02-02', 'q2', 'q1'), (903, '2024-02-03', 'q2', 'q1');
CREATE VIEW results AS
SELECT match_id, played_at, player_id, team, team AS rank FROM played, LATERAL (VALUES (winner, 1), (loser, 2)) AS s(player_id, team);
\set ECHO all

-- Seven who met each other, and two who met nobody else.
SELECT e.player_id, round(e.mu::numeric, 4) AS mu, round(e.standard_error::numeric, 4) AS error, e.games, e.component
FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY match_id) AS x FROM results) AS q, unnest(x) AS e ORDER BY e.component, e.player_id;
-- Without a prior each component has its own zero, and two players are apart by the logarithm of their odds.
SELECT e.component, round(sum(e.mu)::numeric, 10) + 0 AS sum, round((max(e.mu) - min(e.mu))::numeric, 6) AS range
FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, '{"prior_deviation": 0, "errors": "exact"}' ORDER BY match_id) AS x FROM results) AS q, unnest(x) AS e
GROUP BY e.component ORDER BY e.component;
SELECT round(ln(2)::numeric, 6) AS ln_2;
-- At the maximum every player has as many wins as expected.
SELECT max(abs(won - expected)) < 1e-8 AS as_expected FROM (
    SELECT p.player_id, sum((p.rank = 1)::int) AS won, sum(1 / (1 + exp(o.mu - s.mu))) AS expected
    FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, '{"prior_deviation": 0}' ORDER BY match_id) AS x FROM results) AS q,
        results AS p JOIN results AS r USING (match_id), LATERAL (SELECT mu FROM unnest(x) WHERE player_id = p.player_id) AS s, LATERAL (SELECT mu FROM unnest(x) WHERE player_id = r.player_id) AS o
    WHERE p.team <> r.team GROUP BY p.player_id) AS w;
-- The order of matches changes nothing but the last digits; types of identifiers nothing at all.
SELECT max(abs(a.mu - b.mu)) < 1e-9 AS same, max(abs(a.mu - c.mu)) < 1e-9 AS same
FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY match_id) AS x, skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY md5(match_id::text), match_id) AS y,
        skillrating.solve('bradley_terry', match_id::text, ascii(player_id) * 10 + substr(player_id, 2)::bigint, team, rank ORDER BY match_id::text) AS z FROM results) AS q,
    unnest(x) AS a JOIN unnest(y) AS b USING (player_id) JOIN unnest(z) AS c ON c.player_id = (ascii(a.player_id) * 10 + substr(a.player_id, 2)::bigint)::text;

-- How it went. Beside solve() it costs nothing more: both share what they collect.
SELECT (s).solver, (s).matches, (s).players, (s).unknowns, (s).observations, (s).components, (s).converged, (s).status, (s).iterations < 12 AS few_iterations, (s).gradient < 1e-8 AS flat, (s).draw, (s).contexts
FROM (SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank ORDER BY match_id) AS s, skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY match_id) AS x FROM results) AS q;
-- Plain ascent is not there yet after ten steps, and says so.
SELECT (s).converged, (s).status, (s).iterations FROM (
    SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank, NULL, '{"method": "gradient", "max_iterations": 3}' ORDER BY match_id) AS s FROM results) AS q;
SELECT (s).converged FROM (SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank, NULL, '{"method": "gradient", "max_iterations": 100000}' ORDER BY match_id) AS s FROM results) AS q;

-- Either method says why it stopped. Log-odds that overflow leave no skills.
SELECT method, reason, (s).converged, (s).status
FROM unnest(ARRAY['newton', 'gradient']) AS method,
    (VALUES ('done', '{}'), ('too early', '{"max_iterations": 1}'), ('beyond rounding', '{"max_iterations": 100000, "tolerance": 1e-300}')) AS v(reason, params),
    LATERAL (SELECT skillrating.solve_summary('hive', match_id, player_id, team, rank, NULL, ('{"max_iterations": 100000}' || params::jsonb || jsonb_build_object('method', method)) ORDER BY match_id) AS s FROM results) AS q ORDER BY reason, method;
SELECT method, (s).converged, (s).status
FROM unnest(ARRAY['newton', 'gradient']) AS method,
    LATERAL (SELECT skillrating.solve_summary('bradley_terry', m, m * 2 + t, t, t, NULL, jsonb_build_object('prior_deviation', 0, 'method', method, 'tolerance', 1e-3, 'max_iterations', 100000) ORDER BY m) AS s FROM generate_series(1, 2) AS m, generate_series(1, 2) AS t) AS q ORDER BY method;
SELECT method, (s).converged, (s).status, (SELECT count(e.mu) + count(e.standard_error) FROM unnest(x) AS e) AS numbers
FROM unnest(ARRAY['newton', 'gradient']) AS method,
    LATERAL (SELECT skillrating.solve_summary('bradley_terry', m, t, t, t, skillrating.inputs(log_odds => -1.7e308, player_gain => 10), jsonb_build_object('method', method) ORDER BY m) AS s,
        skillrating.solve('bradley_terry', m, t, t, t, skillrating.inputs(log_odds => -1.7e308, player_gain => 10), jsonb_build_object('method', method) ORDER BY m) AS x FROM generate_series(1, 2) AS m, generate_series(1, 2) AS t) AS q ORDER BY method;

-- Who always loses has no maximum without a prior; the others have.
SELECT e.player_id, round(e.mu::numeric, 4) AS mu, e.standard_error, (s).converged, (s).status
FROM (SELECT skillrating.solve('bradley_terry', m, p, t, t, NULL, '{"prior_deviation": 0}' ORDER BY m) AS x, skillrating.solve_summary('bradley_terry', m, p, t, t, NULL, '{"prior_deviation": 0}' ORDER BY m) AS s
    FROM (VALUES (1, 'ann', 1), (1, 'bob', 2), (2, 'bob', 1), (2, 'ann', 2), (3, 'ann', 1), (3, 'cid', 2)) AS v(m, p, t)) AS q, unnest(x) AS e ORDER BY e.player_id;
-- Games won and lost against somebody average are a prior, too.
SELECT e.player_id, round(e.mu::numeric, 4) AS mu
FROM (SELECT skillrating.solve('bradley_terry', m, p, t, t, NULL, '{"prior_deviation": 0, "prior_games": 0.5}' ORDER BY m) AS x
    FROM (VALUES (1, 'ann', 1), (1, 'bob', 2), (2, 'bob', 1), (2, 'ann', 2), (3, 'ann', 1), (3, 'cid', 2)) AS v(m, p, t)) AS q, unnest(x) AS e ORDER BY e.player_id;

-- Draws of their own.
SELECT round((s).draw::numeric, 6) AS draw, (s).converged FROM (
    SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, team, CASE WHEN match_id % 3 = 0 THEN 1 ELSE rank END, NULL, '{"draws": "davidson"}' ORDER BY match_id) AS s FROM results) AS q;

-- Day by day.
SELECT count(*) AS days, count(DISTINCT e.at) > 70 AS many_days, bool_and(e.standard_error > 0) AS errors, max(e.at) AS last
FROM (SELECT skillrating.solve('whole_history', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{"drift": 0.1}' ORDER BY played_at, match_id) AS x FROM results) AS q, unnest(x) AS e;
SELECT skillrating.solve('whole_history', match_id, player_id, team, rank ORDER BY match_id) FROM results;

-- TrueSkill Through Time: three who beat each other in a circle are equal, and as certain as published.
SELECT e.player_id, round(e.mu::numeric, 4) AS mu, round(e.standard_error::numeric, 5) AS sigma, e.games, e.component
FROM (SELECT skillrating.solve('through_time', m, p, t, t, skillrating.inputs(played_at => '2024-01-01'), '{"initial_mu": 25, "initial_sigma": 8.333333333333334, "beta": 4.166666666666667, "drift": 0, "tau": 0, "draw_probability": 0, "tolerance": 1e-8}' ORDER BY m) AS x
    FROM (VALUES (1, 'a', 1), (1, 'b', 2), (2, 'b', 1), (2, 'c', 2), (3, 'c', 1), (3, 'a', 2)) AS v(m, p, t)) AS q, unnest(x) AS e ORDER BY e.player_id;
SELECT (s).solver, (s).matches, (s).players, (s).unknowns, (s).observations, (s).components, (s).converged, (s).status, (s).iterations < 110 AS few_passes, (s).products, (s).gradient < 1e-4 AS settled
FROM (SELECT skillrating.solve_summary('through_time', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{"drift": 0.1}' ORDER BY played_at, match_id) AS s FROM results) AS q;
SELECT count(*) AS appearances, count(DISTINCT (e.player_id, e.at)) = count(*) AS once_a_time FROM (
    SELECT skillrating.solve('through_time', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{}' ORDER BY played_at, match_id) AS x FROM results) AS q, unnest(x) AS e;
SELECT (s).converged, (s).status FROM (SELECT skillrating.solve_summary('through_time', match_id, player_id, team, rank, NULL, '{"max_iterations": 1}' ORDER BY match_id) AS s FROM results) AS q;
SELECT skillrating.solve('through_time', match_id, player_id, team, rank, NULL, '{"exact_for": ["p1"]}' ORDER BY match_id) FROM results;
-- A draw has the probability that it was given, an order of equals one of all orders; a draw that nobody expects none at all.
SELECT round(exp((skillrating.solve_summary('through_time', 1, t, t, 1, NULL, '{"draw_probability": 0.25, "initial_sigma": 1e-6}' ORDER BY 1)).log_evidence)::numeric, 6) AS draw,
    round(exp((skillrating.solve_summary('through_time', 1, t, t, t, NULL, '{"draw_probability": 0}' ORDER BY 1)).log_evidence)::numeric, 6) AS won,
    (skillrating.solve_summary('through_time', 1, t, t, 1, NULL, '{"draw_probability": 0}' ORDER BY 1)).log_evidence AS impossible
FROM generate_series(1, 2) AS t;
SELECT round(exp((skillrating.solve_summary('through_time', 1, t, t, t, NULL, '{"draw_probability": 0}' ORDER BY 1)).log_evidence)::numeric, 6) AS one_in_24 FROM generate_series(1, 4) AS t;
-- Matches of one time are simultaneous: a skill does not drift between them, and there is one estimate.
SELECT e.player_id, e.at, count(*), min(e.mu) = max(e.mu) AS one_skill
FROM (SELECT skillrating.solve('through_time', m, p, t, t, skillrating.inputs(played_at => '2024-01-01'::timestamptz + m / 3 * interval '1 day'), '{"tau": 3}' ORDER BY m) AS x
    FROM (VALUES (1, 'a', 1), (1, 'b', 2), (2, 'b', 1), (2, 'a', 2), (3, 'a', 1), (3, 'b', 2)) AS v(m, p, t)) AS q, unnest(x) AS e GROUP BY e.player_id, e.at ORDER BY e.player_id, e.at;
SELECT (s).status, (s).converged, (s).log_evidence, (SELECT count(e.mu) FROM unnest(x) AS e) AS skills
FROM (SELECT skillrating.solve_summary('through_time', 1, t, t, 3 - t, skillrating.inputs(log_odds => 1.7e308), '{}' ORDER BY 1) AS s, skillrating.solve('through_time', 1, t, t, 3 - t, skillrating.inputs(log_odds => 1.7e308), '{}' ORDER BY 1) AS x FROM generate_series(1, 2) AS t) AS q;
SELECT skillrating.solve('through_time', i, i * 3 % 100000 + j, j, j, NULL, '{"memory": 1}' ORDER BY i) FROM generate_series(1, 50000) AS i, generate_series(1, 2) AS j;

-- Sides and contexts jointly with skills.
SELECT c.context, c.log_odds > 0 AS favours_the_first_side, c.standard_error > 0 AS error
FROM (SELECT skillrating.solve_summary('hive', match_id, player_id, team, rank,
        skillrating.inputs(side => 1 + (team + match_id) % 2, context => CASE WHEN match_id % 4 < 2 THEN 'cave' ELSE 'hill' END), '{"offset_deviation": 0.3}' ORDER BY match_id) AS s
    FROM results) AS q, unnest((s).contexts) AS c ORDER BY c.context;
SELECT count(e.side_offset) AS offsets, count(e.command_skill) AS commanders, bool_and(e.mu > 0) AS positive
FROM (SELECT skillrating.solve('hive', match_id, player_id, team, rank, skillrating.inputs(side => team, commanding => 0.2), '{"offset_deviation": 0.3, "command": true}' ORDER BY match_id) AS x
    FROM results) AS q, unnest(x) AS e;
SELECT skillrating.solve('hive', match_id, player_id, team, rank, skillrating.inputs(context => player_id), '{"strict_rows": true}' ORDER BY match_id) FROM results;

-- Errors of players by name are exact, and larger than what their own results say.
SELECT e.player_id, a.standard_error > b.standard_error AS larger
FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, '{"exact_for": ["p1", "p3"]}' ORDER BY match_id) AS x,
        skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY match_id) AS y FROM results) AS q,
    unnest(x) AS a JOIN unnest(y) AS b USING (player_id), LATERAL (SELECT a.player_id) AS e WHERE a.player_id ~ 'p[1-4]' ORDER BY e.player_id;
SELECT bool_and(abs(a.standard_error / b.standard_error - 1) < 0.35) AS near
FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, '{"errors": "exact"}' ORDER BY match_id) AS x,
        skillrating.solve('bradley_terry', match_id, player_id, team, rank, NULL, '{"errors": "probes", "probes": 300}' ORDER BY match_id) AS y FROM results) AS q, unnest(x) AS a JOIN unnest(y) AS b USING (player_id);

-- In no order at all: rows are brought together, with the same bits whatever order they come in.
CREATE TABLE shuffled AS SELECT * FROM results ORDER BY hashint8extended(match_id, 3) + ascii(player_id);
SELECT (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank) FROM shuffled)
    = (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY match_id) FROM results) AS same,
    (SELECT skillrating.solve('whole_history', match_id::text, player_id, team, rank, skillrating.inputs(played_at => played_at), '{}') FROM shuffled)
    = (SELECT skillrating.solve('whole_history', match_id::text, player_id, team, rank, skillrating.inputs(played_at => played_at), '{}' ORDER BY match_id::text) FROM results) AS same_days;
SELECT match_id > 100 AS late, cardinality(skillrating.solve('bradley_terry', match_id, player_id, team, rank)) AS players, (skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank)).matches FROM shuffled GROUP BY late ORDER BY late;
SET work_mem = '64kB';
SELECT (skillrating.solve_summary('bradley_terry', m, (m * 7919 + 1000003 * t) % 500, t, t)).matches FROM (SELECT * FROM generate_series(1, 20000) AS m, generate_series(1, 2) AS t ORDER BY hashint4(m * 2 + t)) AS f;
RESET work_mem;
SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY player_id) FROM results;
SELECT skillrating.solve('through_time', match_id, player_id, team, rank) FROM results;
DROP TABLE shuffled;

-- In groups; nothing in, nothing out.
SELECT match_id > 100 AS late, cardinality(skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY match_id)) AS players FROM results GROUP BY late ORDER BY late;
SELECT skillrating.solve('bradley_terry', match_id, player_id, team, rank ORDER BY match_id), skillrating.solve_summary('bradley_terry', match_id, player_id, team, rank ORDER BY match_id) FROM results WHERE false;
SELECT skillrating.solve('bradley_terry', match_id, player_id, 1, 1 ORDER BY match_id) AS nobody, (skillrating.solve_summary('bradley_terry', match_id, player_id, 1, 1 ORDER BY match_id)).status FROM results;

-- Mistakes and limits.
SELECT skillrating.solve('chess', match_id, player_id, team, rank ORDER BY match_id) FROM results;
SELECT skillrating.solve(NULL, match_id, player_id, team, rank ORDER BY match_id) FROM results;
SELECT skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{"k": 1}' ORDER BY match_id) FROM results;
SELECT skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{"prior_shape": 1}' ORDER BY match_id) FROM results;
SELECT skillrating.solve('hive', match_id, player_id, team, rank, NULL, '[]' ORDER BY match_id) FROM results;
SELECT skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{"exact_for": 3}' ORDER BY match_id) FROM results;
SELECT skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{"exact_for": ["nobody"]}' ORDER BY match_id) FROM results;
SELECT skillrating.solve('hive', match_id, player_id, team, rank - 1, NULL, '{"strict_rows": true}' ORDER BY match_id) FROM results;
SELECT skillrating.solve('hive', match_id, player_id, team, rank, NULL, '{"strict_rows": null}' ORDER BY match_id) FROM results;
SELECT skillrating.solve('bradley_terry', i, i * 3 % 100000 + j, j, j, NULL, '{"memory": 1}' ORDER BY i) FROM generate_series(1, 50000) AS i, generate_series(1, 2) AS j;
SELECT name FROM skillrating.parameters('chess');

-- A search can be cancelled.
SET statement_timeout = '500ms';
SELECT cardinality(skillrating.solve('bradley_terry', i, (i * j * 7919) % 20000, j, j, NULL, '{"errors": "exact"}' ORDER BY i)) FROM generate_series(1, 40000) AS i, generate_series(1, 2) AS j;
RESET statement_timeout;
-- Players stand in the order in which they first occur: matches in their order, in a match by team and player.
SELECT solver, (SELECT array_agg(e.player ORDER BY n) FROM unnest(x) WITH ORDINALITY AS e(player, at, skill, standard_error, side_offset, command_skill, games, component, n)) AS players
FROM unnest(ARRAY['bradley_terry', 'hive', 'plackett_luce', 'through_time', 'whole_history']) AS solver,
    LATERAL (SELECT skillrating.solve(solver, m, p, t, t, skillrating.inputs(played_at => '2024-01-01'::timestamptz + m * interval '1 day'), '{}' ORDER BY m, p)
             FROM (VALUES (1, 'd', 2), (1, 'c', 2), (1, 'e', 1), (2, 'a', 2), (2, 'd', 1), (3, 'b', 1), (3, 'a', 2)) AS v(m, p, t)) AS q(x) ORDER BY solver;
DROP VIEW results;
DROP TABLE played;
