-- The registry of models, and how parameters are checked.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SELECT name, state_columns, supports FROM skillrating.models();
SELECT name, type, default_value, min, max, choices, unit FROM skillrating.parameters('elo');
-- One name of a model and of a solver.
SELECT kind, name, type, default_value, min, max, choices, unit FROM skillrating.parameters('hive');
SELECT count(*) FROM skillrating.parameters('elo') WHERE description IS NULL;

-- Parameters come back complete.
SELECT parameters FROM skillrating.models('elo', '{"k": 20, "k_by_games": [[30, 40]], "k_by_rating": [[2400, 10]], "floor": 100}');
SELECT c.parameters = m.parameters AS idempotent FROM skillrating.models('elo') AS m, skillrating.models('elo', m.parameters) AS c;
-- Exactly, whatever the session wants to see: ladders keep them.
SET extra_float_digits = 0;
SELECT (SELECT parameters FROM skillrating.models('trueskill', '{}'))->>'initial_sigma' AS sigma, skillrating_internal.display_expression('trueskill', '{"display_deviations": 0.30000000000000004}') AS displayed;
RESET extra_float_digits;
SELECT skillrating.initial_state('elo'), skillrating.initial_state('hive', '{"initial_skill": 2}');
SELECT skillrating_internal.display_expression('elo'), skillrating_internal.display_expression('hive');

-- Every mistake is named, with what would be right.
SELECT parameters FROM skillrating.models('elo9000', '{}');
SELECT * FROM skillrating.parameters('Elo');
SELECT parameters FROM skillrating.models('elo', '{"K": 20}');
SELECT parameters FROM skillrating.models('elo', '[]');
SELECT parameters FROM skillrating.models('elo', '3');
SELECT parameters FROM skillrating.models('elo', '{"k": "20"}');
SELECT parameters FROM skillrating.models('elo', '{"k": null}');
SELECT parameters FROM skillrating.models('elo', '{"k": -1}');
SELECT parameters FROM skillrating.models('elo', '{"scale": 0}');
\set VERBOSITY terse
SELECT parameters FROM skillrating.models('elo', '{"k": 1e400}');
SELECT parameters FROM skillrating.models('elo', '{"form": "cubic"}');
SELECT parameters FROM skillrating.models('elo', '{"form": 1}');
SELECT parameters FROM skillrating.models('elo', '{"k_by_games": 30}');
SELECT parameters FROM skillrating.models('elo', '{"k_by_games": [30, 40]}');
SELECT parameters FROM skillrating.models('elo', '{"k_by_games": [[30]]}');
SELECT parameters FROM skillrating.models('elo', '{"k_by_games": [[30, "x"]]}');
SELECT parameters FROM skillrating.models('elo', '{"k_by_games": [[30, 40], [30, 20]]}');
\set VERBOSITY default
SELECT parameters FROM skillrating.models('elo', '{"k_by_games": [[30, -40]]}');
SELECT parameters FROM skillrating.models('elo',
    jsonb_build_object('k_by_games', (SELECT jsonb_agg(jsonb_build_array(i, i)) FROM generate_series(1, 9) AS i)));
SELECT parameters FROM skillrating.models('hive', '{"epsilon": 0}');

-- A parameter that another one leaves without effect, also where that is the model's default.
SELECT parameters FROM skillrating.models('elo', '{"size_advantage": "none", "size_advantage_difference": 1}');
\set VERBOSITY terse
SELECT parameters FROM skillrating.models('hive', '{"size_advantage_ratio": 1}');
SELECT parameters FROM skillrating.models('glicko', '{"period_shown": "so_far"}');
SELECT parameters FROM skillrating.models('glicko', '{"period": "month", "period_days": 7}');
SELECT parameters FROM skillrating.models('elo', '{"period_days": 7}');
SELECT parameters FROM skillrating.models('elo', '{"k_for_life": true}');
SELECT parameters FROM skillrating.models('elo', '{"form": "normal", "scale": 200}');
SELECT parameters FROM skillrating.models('frag', '{"decay_floor": 5}');
SELECT skillrating.create_ladder('idle', 'elo', '{"size_advantage": "none", "size_advantage_ratio": 1}');
-- The complete set of any parameters is one, too.
SELECT bool_and(complete = (SELECT parameters FROM skillrating.models(model, complete))) AS again
FROM (VALUES ('elo', '{"form": "normal", "beta": 150, "margin": "log", "margin_unit": 2}'::jsonb), ('glicko', '{"period": "days", "period_days": 7, "period_shown": "so_far"}'), ('glicko', '{"period_days": 7}'),
    ('hive', '{"size_advantage": "learned", "size_advantage_ratio": 1}'), ('elo', '{"size_advantage_difference": 1}'), ('weng_lin', '{"weights": "openskill", "weight_low": 0.5}')) AS p(model, params),
    LATERAL (SELECT parameters AS complete FROM skillrating.models(model, params)) AS c;

-- What changes the database is volatile, and nothing else is.
SELECT string_agg(DISTINCT p.proname, ' ' ORDER BY p.proname)
FROM pg_proc AS p
WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace) AND p.provolatile = 'v'
GROUP BY left(p.proname, 1) ORDER BY 1;
