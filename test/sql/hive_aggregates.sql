-- The Hive model over the players of a match.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

-- Half of the weight lies in the first half of a median round, a quarter in the
-- second, and stints add up.
SELECT skillrating.hive_weight(0, 600, 1200) AS half,
    skillrating.hive_weight(600, 1200, 1200) AS quarter,
    skillrating.hive_weight(1200, 1e9, 1200) AS rest,
    skillrating.hive_weight(600, 600, 1200) AS nothing,
    abs(skillrating.hive_weight(0, 300, 1200) + skillrating.hive_weight(300, 600, 1200) - 0.5) < 1e-15 AS additive;
-- A short and late stint does not cancel: 1 ms after ten median rounds.
SELECT abs(skillrating.hive_weight(12000, 12000.001, 1200) / (2 * ln(2::float8) / 1200 * 0.001 * 2::float8 ^ -20) - 1) < 1e-6 AS precise;
SELECT skillrating.hive_weight(10, 5, 1200);
SELECT skillrating.hive_weight(-1, 5, 1200);
SELECT skillrating.hive_weight(0, 'infinity', 1200);
SELECT skillrating.hive_weight(0, 5, 0);
SELECT skillrating.hive_weight(0, 5, NULL);

-- A new player has the initial state of the model.
SELECT to_jsonb(skillrating.hive_state()) AS state,
    ARRAY[(s).skill, (s).skill_squares, (s).side_offset, (s).command_skill, (s).command_squares] = skillrating.initial_state('hive') AS initial
FROM (SELECT skillrating.hive_state() AS s) AS q;

-- Two against two, then one who played half: log-odds 0.5 and 1.75 / 3.5.
\set ECHO none
CREATE TABLE players (
    player_id int, side int, score float8, skill float8, squares float8, weight float8,
    side_offset float8, command_skill float8, command_squares float8, command_weight float8);
INSERT INTO players VALUES
    (1, 1, 1, 5, 0.01, 1,   0.2, 4, 0, 0.5),
    (2, 1, 1, 4, 0.02, 1,   0,   4, 0, 0),
    (3, 2, 0, 3, 0.03, 1,  -0.2, 5, 0, 0.25),
    (4, 2, 0, 4, 0.04, 0.5, 0,   4, 0, 0);
-- Play and commanding of a player as two rows, so that no share is rounded.
CREATE VIEW stints AS
SELECT player_id, side, score, n,
    skillrating.hive_state(skill, squares, side_offset, command_skill, command_squares) AS state,
    skillrating.inputs(weight => CASE n WHEN 1 THEN weight ELSE command_weight END, commanding => n - 1, log_odds => 0.3) AS inputs
FROM players CROSS JOIN generate_series(1, 2) AS n WHERE n = 1 OR command_weight > 0;
\set ECHO all
SELECT round(ln(p / (1 - p))::numeric, 12) AS log_odds
FROM (SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => 1)) AS p FROM players) AS m;
SELECT round(ln(p / (1 - p))::numeric, 12) AS log_odds, round((4 / 3.5)::numeric, 12) AS by_hand
FROM (SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => weight)) AS p FROM players) AS m;
-- Offsets cancel here; commanders: (0.5 * 4 - 0.25 * 5) / 0.75 = 1; context 0.3.
SELECT round(ln(p / (1 - p))::numeric, 12) AS log_odds, round((4 / 3.5 + 1 + 0.3)::numeric, 12) AS by_hand
FROM (SELECT skillrating.hive_win_probability(state, side, inputs) AS p FROM stints) AS m;
-- The same as shares of a stint, half of it all: .75 of which a third was spent commanding.
SELECT round(ln(p / (1 - p))::numeric, 12) AS log_odds
FROM (SELECT skillrating.hive_win_probability(skillrating.hive_state(skill, squares, side_offset, command_skill), side,
        skillrating.inputs(weight => (weight + command_weight) / 2, commanding => command_weight / (weight + command_weight), log_odds => 0.3)) AS p
      FROM players) AS m;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill, side_offset => side_offset), side, skillrating.inputs(weight))
     = skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => weight)) AS offsets_cancel,
    skillrating.hive_win_probability(skillrating.hive_state(skill, command_skill => command_skill), side, skillrating.inputs(weight, commanding => 0))
     = skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => weight)) AS nobody_commands,
    skillrating.hive_win_probability(skillrating.hive_state(skill), side, NULL)
     = skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => 1)) AS all_play_in_full,
    skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(joined => 100 * player_id, left_at => 1000))
     = skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => skillrating.hive_weight(100 * player_id, 1000, 1200))) AS stints,
    skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(joined => 0, left_at => 1000, commanding => 250 * (player_id % 2)))
     = skillrating.hive_win_probability(skillrating.hive_state(skill), side,
        skillrating.inputs(skillrating.hive_weight(0, 1000, 1200), commanding => 0.25 * (player_id % 2))) AS seconds_of_command
FROM players;
-- Nobody played, or nobody is there.
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => 0)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => weight)) FROM players WHERE false;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), NULL, skillrating.inputs(weight => weight)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(0)) FROM players;
SELECT skillrating.hive_win_probability(NULL, side, skillrating.inputs(1)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), NULL, skillrating.inputs(1)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), 3, skillrating.inputs(weight => weight)) FROM players;
\set VERBOSITY terse
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => -weight)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => 'NaN'), side, skillrating.inputs(weight => weight)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(log_odds => skill)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(log_odds => 'infinity')) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(-weight)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs('NaN')) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(joined => 10)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(joined => 10, left_at => 5)) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill), side, skillrating.inputs(commanding => 60)) FROM players;
\set VERBOSITY default
SELECT skillrating.hive_win_probability(skillrating.hive_state(NULL), side, NULL) FROM players;
SELECT skillrating.hive_win_probability(skillrating.hive_state(command_skill => 'infinity'), side, NULL) FROM players;

-- The update: p is that of the match, the gradient of player 1 is (1 - p) / 3.5.
SELECT (u).player_id, round((u).skill::numeric, 6) AS skill, round((u).skill_squares::numeric, 6) AS squares,
    round((u).side_offset::numeric, 6) AS side_offset, round((u).command_skill::numeric, 6) AS command_skill,
    round((u).command_squares::numeric, 6) AS command_squares,
    round((u).gradient::numeric, 6) AS gradient, round((u).win_probability::numeric, 6) AS p
FROM (SELECT unnest(skillrating.hive_update(player_id, state, side, score, inputs, NULL)) AS u
      FROM stints) AS m;
SELECT round(((1 - 1 / (1 + exp(-(4 / 3.5 + 1.3)))) / 3.5)::numeric, 6) AS gradient_by_hand;
CREATE VIEW rows AS
SELECT player_id, skillrating.hive_state(skill, squares) AS state, side, score, skill, weight, skillrating.inputs(weight) AS inputs FROM players;
-- It says the same as the prediction, and the order of the rows decides about that of the result only.
SELECT (skillrating.hive_update(player_id, state, side, score, inputs, NULL ORDER BY player_id))[1]
     = (skillrating.hive_update(player_id, state, side, score, inputs, NULL ORDER BY player_id DESC))[4] AS order_free,
    (skillrating.hive_update(player_id, state, side, score, inputs, NULL ORDER BY player_id))[1].win_probability
     = skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, skillrating.inputs(weight => weight)) AS one_prediction,
    skillrating.hive_update(player_id, state, side, score, skillrating.inputs(1), NULL ORDER BY player_id)
     = skillrating.hive_update(player_id, state, side, score ORDER BY player_id) AS weight_is_1
FROM rows;
-- Several stints of one player are one player, on either side; results are in the order of first rows.
SELECT (u).player_id, round((u).gradient::numeric, 6) AS gradient
FROM (SELECT unnest(skillrating.hive_update(player_id, skillrating.hive_state(), side, score, skillrating.inputs(weight), NULL)) AS u
      FROM (VALUES ('b', 1, 1, 0.5), ('a', 1, 1, 1), ('b', 2, 0, 0.25), ('c', 2, 0, 1)) AS v(player_id, side, score, weight)) AS m;
SELECT array_agg((u).player_id) AS players
FROM (SELECT unnest(skillrating.hive_update(player_id, state, side, score, inputs, NULL ORDER BY skill, player_id)) AS u FROM rows) AS m;
-- The same, to the last bit, as a match of rate() and of a ladder.
SELECT bool_and(ARRAY[(u).skill, (u).skill_squares, (u).side_offset, (u).command_skill, (u).command_squares] = (r).state_after) AS as_rate
FROM (SELECT unnest(skillrating.hive_update(player_id, skillrating.hive_state(), side, score, skillrating.inputs(weight, player_gain => 0.7, log_odds => 0.2), NULL)) AS u
      FROM players) AS m
JOIN (SELECT player_id, skillrating.rate('hive', player_id, side, NULL, weight, team_score => score, side => side, player_gain => 0.7, log_odds => 0.2) OVER (ORDER BY 1) AS r
      FROM players) AS n ON (u).player_id = n.player_id::text;
-- Parameters are those of the model; side, score and won are those of the arguments.
SELECT round((u).skill::numeric, 6) AS skill
FROM (SELECT unnest(skillrating.hive_update(player_id, state, side, score, inputs, '{"a": 0, "c": 3.5}')) AS u FROM rows) AS m;
SELECT skillrating.hive_update(player_id, state, side, score, skillrating.inputs(side => 3 - side, team_score => 7, won => true), NULL)
     = skillrating.hive_update(player_id, state, side, score) AS same
FROM rows;
-- One side, or no play time, is no match, nor is one that is not to be rated.
SELECT skillrating.hive_update(player_id, state, side, score) FROM rows WHERE side = 1;
SELECT skillrating.hive_update(player_id, state, side, score, skillrating.inputs(0), NULL) FROM rows;
SELECT skillrating.hive_update(player_id, state, side, score) FROM rows WHERE false;
SELECT skillrating.hive_update(player_id, state, side, score, skillrating.inputs(unrated_reason => 'a test'), NULL) FROM rows;
-- A mistake keeps its match from being rated, and no other; where strict it is an error.
SELECT m.what, skillrating.hive_update(CASE WHEN m.what = 'no player' THEN NULL WHEN m.what = 'another state' THEN 1 ELSE r.player_id END,
        CASE m.what WHEN 'no state' THEN NULL WHEN 'null in a state' THEN skillrating.hive_state(skill_squares => NULL)
            WHEN 'infinite state' THEN skillrating.hive_state('infinity') WHEN 'state out of range' THEN skillrating.hive_state(skill_squares => -1) ELSE r.state END,
        CASE m.what WHEN 'no side' THEN NULL WHEN 'bad side' THEN 0 ELSE r.side END,
        CASE m.what WHEN 'no score' THEN NULL WHEN 'bad score' THEN 2 WHEN 'score differs' THEN r.player_id / 4.0 ELSE r.score END,
        CASE m.what WHEN 'weight is NaN' THEN skillrating.inputs('NaN') WHEN 'bad weight' THEN skillrating.inputs(-1)
            WHEN 'log_odds differ' THEN skillrating.inputs(log_odds => r.player_id) ELSE r.inputs END, NULL) IS NOT NULL AS rated
FROM rows AS r, unnest(ARRAY['nothing', 'no player', 'no state', 'no side', 'no score', 'null in a state', 'infinite state', 'state out of range',
    'bad side', 'bad score', 'score differs', 'another state', 'weight is NaN', 'bad weight', 'log_odds differ']) WITH ORDINALITY AS m(what, n)
GROUP BY m.n, m.what ORDER BY m.n;
SELECT skillrating.hive_update(i, skillrating.hive_state(), 1 + i % 2, i % 2) IS NULL AS too_many FROM generate_series(1, 10001) AS i;
-- Nobody plays against oneself; a change of sides is none.
SELECT c.what, skillrating.hive_update(p.player_id, skillrating.hive_state(), p.side, p.side - 1,
    CASE WHEN c.what = 'whole match' OR p.player_id <> 1 THEN skillrating.inputs(joined => 0, left_at => 1200)
        WHEN c.what = 'overlap' THEN skillrating.inputs(joined => 500 * (p.side - 1), left_at => 600 * p.side)
        WHEN c.what = 'half' THEN skillrating.inputs(weight => 0.5)
        WHEN c.what = 'stints' THEN skillrating.inputs(joined => 600 * (p.side - 1), left_at => 600 * p.side) END, NULL) IS NOT NULL AS rated
FROM unnest(ARRAY['nothing known', 'whole match', 'overlap', 'half', 'stints']) WITH ORDINALITY AS c(what, n),
    (VALUES (1, 1), (1, 2), (2, 1), (3, 2)) AS p(player_id, side)
GROUP BY c.n, c.what ORDER BY c.n;
SELECT skillrating.hive_update(NULL::int, state, side, score, NULL, '{"strict_rows": true}') FROM rows;
\set VERBOSITY terse
SELECT skillrating.hive_update(player_id, NULL, side, score, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, NULL, score, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, side, NULL, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, skillrating.hive_state(skill_squares => NULL), side, score, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, side, 2, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, 0, score, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, side, player_id / 4.0, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(7, state, side, score, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, skillrating.hive_state(skill_squares => -1), side, score, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, skillrating.hive_state('infinity'), side, score, NULL, '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, side, score, skillrating.inputs('NaN'), '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, side, score, skillrating.inputs(-1), '{"strict_rows": true}') FROM rows;
\set VERBOSITY default
SELECT skillrating.hive_update(player_id, state, side, score, skillrating.inputs(log_odds => player_id), '{"strict_rows": true}') FROM rows;
SELECT skillrating.hive_update(player_id, state, side, score, inputs, '{"b": 1}') FROM rows;
SELECT skillrating.hive_update(point(0, 0), state, side, score) FROM rows;
SELECT array_length(skillrating.hive_update(i, skillrating.hive_state(), 1 + i % 2, i % 2), 1) FROM generate_series(1, 10000) AS i;
SELECT skillrating.hive_update(i, skillrating.hive_state(), 1 + i % 2, i % 2, NULL, '{"strict_rows": true}') FROM generate_series(1, 10001) AS i;
DROP VIEW rows, stints;
DROP TABLE players;
