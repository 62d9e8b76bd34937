-- No input of solve() is silently ignored: what solvers() says of a solver holds for each of them.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

-- Teams of two.
CREATE TABLE fact AS
SELECT m AS match_id, t AS team, (m * 5 + t * 4 + p * (1 + m % 3)) % 16 AS player_id, CASE WHEN m % 9 = 0 THEN 1 ELSE 1 + (hashint4(m * 3 + t) & 1023) END AS rank, hashint4(m * 16 + t * 2 + p) & 1023 AS noise,
    '2026-01-01'::timestamptz + m * interval '1 hour' AS played_at
FROM generate_series(1, 90) AS m, generate_series(1, 2) AS t, generate_series(0, 1) AS p;

-- A fact that is not the same for everybody, one at a time.
\set ECHO none
CREATE FUNCTION fact_inputs(fact, input text) RETURNS skillrating.inputs LANGUAGE sql STABLE AS $$
    SELECT skillrating.inputs(
        played_at => CASE WHEN input = 'played_at' THEN $1.played_at + $1.match_id / 30 * interval '400 days' ELSE $1.played_at END,
        weight => CASE WHEN input = 'weight' THEN 0.2 + $1.noise / 1024.0 END,
        commanding => CASE WHEN input = 'commanding' THEN $1.noise % 3 / 4.0 END,
        side => CASE WHEN input = 'side' THEN $1.team END,
        squad => CASE WHEN input = 'squad' THEN $1.team END,
        kills => CASE WHEN input = 'counts' THEN $1.noise % 20 END,
        deaths => CASE WHEN input = 'counts' THEN $1.noise % 13 END,
        quit => CASE WHEN input = 'quit' THEN $1.noise % 5 = 0 END,
        experience => CASE WHEN input = 'experience' THEN $1.noise END,
        log_odds => CASE WHEN input = 'log_odds' THEN $1.match_id % 4 END,
        player_gain => CASE WHEN input = 'gain' THEN 1 + $1.match_id % 3 END,
        context => CASE WHEN input = 'context' THEN 'map ' || $1.match_id % 3 END) $$;
CREATE FUNCTION fact_solution(solver text, input text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE solution float8[];
BEGIN
    SELECT array_agg(e.mu ORDER BY e.player_id::int, e.at) INTO solution
    FROM (SELECT skillrating.solve($1, match_id, player_id, team, rank, fact_inputs(f, $2), CASE $1 WHEN 'hive' THEN '{"command": true, "offset_deviation": 1}' WHEN 'through_time' THEN '{"drift": 0.3, "tolerance": 1e-8, "margin": 0.1, "initial_command_sigma": 5}' ELSE '{}' END::jsonb ORDER BY match_id, team, player_id) AS x FROM fact AS f) AS q, unnest(x) AS e;
    RETURN solution;
EXCEPTION WHEN feature_not_supported THEN
    RETURN NULL;
END $$;
\set ECHO all
-- An input changes the solution if it is supported, and is refused or changes nothing, to the last bit, if it is not.
SELECT s.name, i.input, i.input = ANY (s.supports) AS supported,
    CASE WHEN x IS NULL THEN 'refused' WHEN x = plain THEN 'no effect' ELSE 'counts' END AS effect
FROM skillrating.solvers() AS s, LATERAL (SELECT fact_solution(s.name, 'nothing') AS plain) AS p,
    unnest(ARRAY['played_at', 'weight', 'commanding', 'side', 'squad', 'counts', 'quit', 'experience', 'log_odds', 'gain', 'context']) AS i(input),
    LATERAL (SELECT fact_solution(s.name, i.input) AS x) AS q
WHERE (i.input = ANY (s.supports)) <> (x IS NOT NULL AND x <> plain) OR i.input = 'context' OR plain IS NULL
ORDER BY s.name, i.input;
-- More than two teams and draws, likewise.
SELECT s.name, 'many_teams' = ANY (s.supports) AS many_teams, m.counted, 'draws' = ANY (s.supports) AS draws, d.different
FROM skillrating.solvers() AS s,
    LATERAL (SELECT (skillrating.solve_summary(s.name, m, t, t, t, skillrating.inputs(played_at => '2026-01-01'), '{}' ORDER BY m)).observations > 0 AS counted FROM generate_series(1, 2) AS m, generate_series(1, 3) AS t) AS m,
    LATERAL (SELECT skillrating.solve(s.name, m, t, t, t, skillrating.inputs(played_at => '2026-01-01'), '{}' ORDER BY m) <> skillrating.solve(s.name, m, t, t, 1, skillrating.inputs(played_at => '2026-01-01'), '{}' ORDER BY m) AS different FROM generate_series(1, 2) AS m, generate_series(1, 2) AS t) AS d
ORDER BY s.name;

-- The first side wins two of three, among equals: its advantage is the logarithm of the odds, shrunk by the prior.
CREATE TABLE home AS
SELECT m AS match_id, t AS team, chr(96 + CASE WHEN t = 1 THEN 1 + m % 4 ELSE 1 + (m + 1 + m / 4 % 3) % 4 END) AS player_id, t AS side, CASE WHEN (m / 12 % 3 < 2) = (t = 1) THEN 1 ELSE 2 END AS rank,
    CASE WHEN m / 12 % 3 < 2 THEN 'cave' ELSE 'hill' END AS map
FROM generate_series(0, 359) AS m, generate_series(1, 2) AS t;
SELECT solver, c.context, round(c.log_odds::numeric, 2) AS advantage, round(c.standard_error::numeric, 2) AS error, (SELECT max(abs(e.mu)) < 1e-6 FROM unnest(x) AS e) AS equal
FROM unnest(ARRAY['bradley_terry', 'plackett_luce', 'whole_history']) AS solver,
    LATERAL (SELECT skillrating.solve_summary(solver, match_id, player_id, team, rank, skillrating.inputs(side => side, played_at => '2026-01-01'), '{"side_deviation": 1000}') AS s,
        skillrating.solve(solver, match_id, player_id, team, rank, skillrating.inputs(side => side, played_at => '2026-01-01'), '{"side_deviation": 1000}') AS x FROM home) AS q,
    unnest((s).contexts) AS c ORDER BY solver;
SELECT round(ln(2)::numeric, 2) AS ln_2;
-- Sides that have no advantage orient contexts and log-odds. An advantage that is known leaves none to be found.
SELECT c.context, c.log_odds > 0 AS favours_the_first_side, (s).unknowns
FROM (SELECT skillrating.solve_summary('bradley_terry', match_id, player_id, 3 - team, rank, skillrating.inputs(side => side, context => map), '{"side_deviation": 0}') AS s FROM home) AS q, unnest((s).contexts) AS c ORDER BY c.context;
SELECT solver, c.context, round(c.log_odds::numeric, 6) + 0 AS advantage
FROM unnest(ARRAY['bradley_terry', 'plackett_luce', 'whole_history']) AS solver,
    LATERAL (SELECT skillrating.solve_summary(solver, match_id, player_id, team, rank, skillrating.inputs(side => side, log_odds => ln(2::float8), played_at => '2026-01-01'), '{}') AS s FROM home) AS q, unnest((s).contexts) AS c ORDER BY solver;

DROP TABLE home;
DROP FUNCTION fact_solution, fact_inputs;
DROP TABLE fact;
