-- The registry of models, and how parameters are checked.
SELECT name, state_columns, supports FROM skillrating.models();
SELECT name, type, default_value, min, max, choices, unit FROM skillrating.model_parameters('elo');
SELECT name, type, default_value, min, max, choices, unit FROM skillrating.model_parameters('hive');
SELECT count(*) FROM skillrating.model_parameters('elo') WHERE description IS NULL;

-- Parameters come back complete.
SELECT jsonb_pretty(skillrating.complete_parameters('elo',
    '{"k": 20, "k_by_games": [[30, 40]], "k_by_rating": [[2400, 10]], "floor": 100}'));
SELECT skillrating.complete_parameters('elo', '{}')
     = skillrating.complete_parameters('elo', skillrating.complete_parameters('elo', '{}')) AS idempotent;
-- Exactly, whatever the session wants to see: ladders keep them.
SET extra_float_digits = 0;
SELECT skillrating.complete_parameters('trueskill', '{}')->>'initial_sigma' AS sigma, skillrating_internal.display_expression('trueskill', '{"display_deviations": 0.30000000000000004}') AS displayed;
RESET extra_float_digits;
SELECT skillrating.initial_state('elo'), skillrating.initial_state('hive', '{"initial_skill": 2}');
SELECT skillrating_internal.display_expression('elo'), skillrating_internal.display_expression('hive');

-- Every mistake is named, with what would be right.
SELECT skillrating.complete_parameters('elo9000', '{}');
SELECT * FROM skillrating.model_parameters('Elo');
SELECT skillrating.complete_parameters('elo', '{"K": 20}');
SELECT skillrating.complete_parameters('elo', '[]');
SELECT skillrating.complete_parameters('elo', '3');
SELECT skillrating.complete_parameters('elo', '{"k": "20"}');
SELECT skillrating.complete_parameters('elo', '{"k": null}');
SELECT skillrating.complete_parameters('elo', '{"k": -1}');
SELECT skillrating.complete_parameters('elo', '{"scale": 0}');
SELECT skillrating.complete_parameters('elo', '{"k": 1e400}');
SELECT skillrating.complete_parameters('elo', '{"form": "cubic"}');
SELECT skillrating.complete_parameters('elo', '{"form": 1}');
SELECT skillrating.complete_parameters('elo', '{"k_by_games": 30}');
SELECT skillrating.complete_parameters('elo', '{"k_by_games": [30, 40]}');
SELECT skillrating.complete_parameters('elo', '{"k_by_games": [[30]]}');
SELECT skillrating.complete_parameters('elo', '{"k_by_games": [[30, "x"]]}');
SELECT skillrating.complete_parameters('elo', '{"k_by_games": [[30, 40], [30, 20]]}');
SELECT skillrating.complete_parameters('elo', '{"k_by_games": [[30, -40]]}');
SELECT skillrating.complete_parameters('elo',
    jsonb_build_object('k_by_games', (SELECT jsonb_agg(jsonb_build_array(i, i)) FROM generate_series(1, 9) AS i)));
SELECT skillrating.complete_parameters('hive', '{"epsilon": 0}');

-- A parameter that another one leaves without effect, also where that is the model's default.
SELECT skillrating.complete_parameters('elo', '{"size_advantage": "none", "size_advantage_difference": 1}');
SELECT skillrating.complete_parameters('hive', '{"size_advantage_ratio": 1}');
SELECT skillrating.complete_parameters('glicko', '{"period_shown": "so_far"}');
SELECT skillrating.complete_parameters('glicko', '{"period": "month", "period_days": 7}');
SELECT skillrating.complete_parameters('elo', '{"period_days": 7}');
SELECT skillrating.complete_parameters('elo', '{"k_for_life": true}');
SELECT skillrating.complete_parameters('elo', '{"form": "normal", "scale": 200}');
SELECT skillrating.complete_parameters('frag', '{"decay_floor": 5}');
SELECT skillrating.create_ladder('idle', 'elo', '{"size_advantage": "none", "size_advantage_ratio": 1}');
-- The complete set of any parameters is one, too.
SELECT bool_and(complete = skillrating.complete_parameters(model, complete)) AS again
FROM (VALUES ('elo', '{"form": "normal", "beta": 150, "margin": "log", "margin_unit": 2}'::jsonb), ('glicko', '{"period": "days", "period_days": 7, "period_shown": "so_far"}'), ('glicko', '{"period_days": 7}'),
    ('hive', '{"size_advantage": "learned", "size_advantage_ratio": 1}'), ('elo', '{"size_advantage_difference": 1}'), ('weng_lin', '{"weights": "openskill", "weight_low": 0.5}')) AS p(model, params),
    LATERAL (SELECT skillrating.complete_parameters(model, params) AS complete) AS c;

-- What changes the database is volatile, and nothing else is.
SELECT DISTINCT p.proname
FROM pg_proc AS p
WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace) AND p.provolatile = 'v'
ORDER BY 1;
