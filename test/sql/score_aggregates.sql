-- Scores of forecasts and log-odds of contexts: values, nulls, parallel plans.
SET extra_float_digits = 0;

SELECT skillrating.brier_score(p, o), round(skillrating.log_loss(p, o)::numeric, 12) AS ln_2
FROM (VALUES (0.5::float8, 1::float8), (0.5, 0)) AS f(p, o);
SELECT skillrating.brier_score(p, o) AS brier, round(skillrating.log_loss(p, o)::numeric, 12) AS log_loss
FROM (VALUES (0.9::float8, 1::float8), (0.2, 0), (0.6, 0.5), (NULL, 1), (0.3, NULL)) AS f(p, o);

-- Certainty is right for ever or wrong without bound.
SELECT skillrating.log_loss(1, 1) AS zero, skillrating.log_loss(0, 0) AS zero, skillrating.log_loss(0, 1) AS unbounded;
-- Nothing in, nothing out.
SELECT skillrating.brier_score(p, 1), skillrating.log_loss(p, 1), skillrating.context_log_odds(p > 0)
FROM (VALUES (NULL::float8)) AS f(p);
SELECT skillrating.brier_score(1, 1) FILTER (WHERE false);

SELECT skillrating.brier_score(1.5, 1);
SELECT skillrating.brier_score(0.5, -1);
SELECT skillrating.log_loss('NaN', 1);
SELECT skillrating.log_loss(0.5, 'infinity');

-- Contexts: finite for none and all, shrunk towards the prior.
SELECT round(skillrating.context_log_odds(3, 3)::numeric, 2) AS jeffreys,
    round(skillrating.context_log_odds(3, 3, 0.55, 20)::numeric, 2) AS shrunk,
    skillrating.context_log_odds(0, 0) AS unknown,
    round(skillrating.context_log_odds(0, 1000)::numeric, 3) AS never;
SELECT round(skillrating.context_log_odds(won)::numeric, 6) AS all_won,
    round(skillrating.context_log_odds(NOT won)::numeric, 6) AS none_won,
    round(skillrating.context_log_odds(won, 0.55, 20)::numeric, 6) AS shrunk
FROM (VALUES (true), (true), (true), (NULL)) AS g(won);
SELECT skillrating.context_log_odds(5, 3);
SELECT skillrating.context_log_odds(-1, 3);
SELECT skillrating.context_log_odds(1, 'infinity');
SELECT skillrating.context_log_odds(1, 3, 1);
SELECT skillrating.context_log_odds(1, 3, 0.5, 0);
SELECT skillrating.context_log_odds(true, 0, 1);
SELECT skillrating.context_log_odds(true, p, 1) FROM (VALUES (0.4::float8), (0.5)) AS v(p);

-- A state is an ordinary array: it can be stored, and merged later.
SELECT skillrating.mean_final(skillrating.mean_combine(
    skillrating.brier_score_transition('{0,0,0}', 0.5, 1),
    skillrating.brier_score_transition('{0,0,0}', 0.9, 1)));
SELECT skillrating.mean_final('{1,2}');
SELECT skillrating.mean_final('{{1,2,3}}');
SELECT skillrating.brier_score_transition('{1,NULL,2}', 0.5, 1);
SELECT skillrating.context_log_odds_final('{0,0,0.5}');
SELECT skillrating.hive_win_probability_final('{}');

-- A transition does not write into a constant that it is given.
CREATE FUNCTION twice() RETURNS TABLE (first text, second text) LANGUAGE plpgsql AS $$
DECLARE
    state float8[] := '{0,0,0}';
BEGIN
    first := skillrating.brier_score_transition(state, 0.5, 1)::text;
    second := skillrating.brier_score_transition(state, 0.5, 1)::text;
    RETURN NEXT;
END $$;
SELECT * FROM twice();
DROP FUNCTION twice();

-- A parallel plan gives the same bits as a serial one.
CREATE TABLE forecast AS
SELECT i % 97 AS context, (hashint4(i)::float8 / 4294967296.0) + 0.5 AS p, (hashint4(-i) > 0)::int::float8 AS o,
    hashint4(-i) > 0 AS won, 1 + i % 2 AS side
FROM generate_series(1, 60000) AS i;
ALTER TABLE forecast SET (parallel_workers = 2);
ANALYZE forecast;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serial AS
SELECT skillrating.brier_score(p, o) AS brier, skillrating.log_loss(p, o) AS log_loss,
    skillrating.context_log_odds(won) AS odds, skillrating.context_log_odds(won, 0.6, 30) AS shrunk
FROM forecast;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF)
SELECT skillrating.brier_score(p, o), skillrating.log_loss(p, o),
    skillrating.context_log_odds(won), skillrating.context_log_odds(won, 0.6, 30)
FROM forecast;
SELECT s = (skillrating.brier_score(p, o), skillrating.log_loss(p, o),
    skillrating.context_log_odds(won), skillrating.context_log_odds(won, 0.6, 30))::serial AS same
FROM forecast, serial AS s GROUP BY s;
-- Over the players of a match the sums are plain: the same to rounding.
EXPLAIN (COSTS OFF)
SELECT skillrating.hive_win_probability(side, p, 1) FROM forecast;
SELECT abs(parallel - serial) < 1e-12 AS same
FROM (SELECT skillrating.hive_win_probability(side, p, 1) AS parallel FROM forecast) AS a,
    (SELECT skillrating.hive_win_probability(side, p, 1 ORDER BY p) AS serial FROM forecast) AS b;
RESET ALL;
DROP TABLE forecast, serial;
