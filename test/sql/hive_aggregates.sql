-- The Hive model over the players of a match.
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

-- Two against two, then one who played half: log-odds 0.5 and 1.75 / 3.5.
CREATE TABLE players (
    player int, side int, score float8, skill float8, squares float8, weight float8,
    side_offset float8, command_skill float8, command_squares float8, command_weight float8);
INSERT INTO players VALUES
    (1, 1, 1, 5, 0.01, 1,   0.2, 4, 0, 0.5),
    (2, 1, 1, 4, 0.02, 1,   0,   4, 0, 0),
    (3, 2, 0, 3, 0.03, 1,  -0.2, 5, 0, 0.25),
    (4, 2, 0, 4, 0.04, 0.5, 0,   4, 0, 0);
SELECT round(ln(p / (1 - p))::numeric, 12) AS log_odds
FROM (SELECT skillrating.hive_win_probability(side, skill, 1) AS p FROM players) AS m;
SELECT round(ln(p / (1 - p))::numeric, 12) AS log_odds, round((4 / 3.5)::numeric, 12) AS by_hand
FROM (SELECT skillrating.hive_win_probability(side, skill, weight) AS p FROM players) AS m;
-- Offsets cancel here; commanders: (0.5 * 4 - 0.25 * 5) / 0.75 = 1; context 0.3.
SELECT round(ln(p / (1 - p))::numeric, 12) AS log_odds, round((4 / 3.5 + 1 + 0.3)::numeric, 12) AS by_hand
FROM (SELECT skillrating.hive_win_probability(side, skill, weight, side_offset, command_skill, command_weight, 0.3) AS p
      FROM players) AS m;
SELECT skillrating.hive_win_probability(side, skill, weight, side_offset)
     = skillrating.hive_win_probability(side, skill, weight) AS offsets_cancel,
    skillrating.hive_win_probability(side, skill, weight, side_offset, command_skill, 0)
     = skillrating.hive_win_probability(side, skill, weight) AS nobody_commands
FROM players;
-- Nobody played, or nobody is there.
SELECT skillrating.hive_win_probability(side, skill, 0) FROM players;
SELECT skillrating.hive_win_probability(side, skill, weight) FROM players WHERE false;
SELECT skillrating.hive_win_probability(NULL, skill, weight) FROM players;
SELECT skillrating.hive_win_probability(3, skill, weight) FROM players;
SELECT skillrating.hive_win_probability(side, skill, -weight) FROM players;
SELECT skillrating.hive_win_probability(side, 'NaN', weight) FROM players;
SELECT skillrating.hive_win_probability(side, skill, weight, 0, 0, 0, skill) FROM players;

-- The update: p is that of the match, the gradient of player 1 is (1 - p) / 3.5.
SELECT (u).player, round((u).skill::numeric, 6) AS skill, round((u).skill_squares::numeric, 6) AS squares,
    round((u).side_offset::numeric, 6) AS side_offset, round((u).command_skill::numeric, 6) AS command_skill,
    round((u).command_squares::numeric, 6) AS command_squares,
    round((u).gradient::numeric, 6) AS gradient, round((u).win_probability::numeric, 6) AS p
FROM (SELECT unnest(skillrating.hive_update(player, side, score, skill, squares, weight,
        side_offset, command_skill, command_squares, command_weight, 0.3)) AS u
      FROM players) AS m;
SELECT round(((1 - 1 / (1 + exp(-(4 / 3.5 + 1.3)))) / 3.5)::numeric, 6) AS gradient_by_hand;
-- It says the same as the prediction, and the order of the rows is of no account but for
-- that of the result, in which players stand as they first occur.
SELECT (skillrating.hive_update(player, side, score, skill, squares, weight ORDER BY player))[1]
     = (skillrating.hive_update(player, side, score, skill, squares, weight ORDER BY player DESC))[4] AS order_free,
    (skillrating.hive_update(player, side, score, skill, squares, weight))[1].win_probability
     = skillrating.hive_win_probability(side, skill, weight) AS one_prediction
FROM players;
-- Several stints of one player are one player, on either side.
SELECT (u).player, round((u).gradient::numeric, 6) AS gradient
FROM (SELECT unnest(skillrating.hive_update(player, side, score, 4, 0, weight)) AS u
      FROM (VALUES ('b', 1, 1, 0.5), ('a', 1, 1, 1), ('b', 2, 0, 0.25), ('c', 2, 0, 1)) AS v(player, side, score, weight)) AS m;
SELECT (u).player
FROM (SELECT unnest(skillrating.hive_update(player, side, score, 4, 0, weight ORDER BY place)) AS u
      FROM (VALUES (1, 'd', 2, 0, 1), (2, 'b', 1, 1, 0.5), (3, 'a', 1, 1, 1), (4, 'b', 2, 0, 0.25), (5, 'c', 2, 0, 1)) AS v(place, player, side, score, weight)) AS m;
-- Parameters are those of the model.
SELECT round((u).skill::numeric, 6) AS skill
FROM (SELECT unnest(skillrating.hive_update(player, side, score, skill, squares, weight,
        0, 4, 0, 0, 0, '{"a": 0, "c": 3.5}')) AS u FROM players) AS m;
-- One side, or no play time, is no match.
SELECT skillrating.hive_update(player, side, score, skill, squares, weight) FROM players WHERE side = 1;
SELECT skillrating.hive_update(player, side, score, skill, squares, 0) FROM players;
SELECT skillrating.hive_update(player, side, score, skill, squares, weight) FROM players WHERE false;
-- Mistakes.
SELECT skillrating.hive_update(NULL::int, side, score, skill, squares, weight) FROM players;
SELECT skillrating.hive_update(player, side, NULL, skill, squares, weight) FROM players;
SELECT skillrating.hive_update(player, side, 2, skill, squares, weight) FROM players;
SELECT skillrating.hive_update(player, 0, score, skill, squares, weight) FROM players;
SELECT skillrating.hive_update(player, side, player / 4.0, skill, squares, weight) FROM players;
SELECT skillrating.hive_update(7, side, score, skill, squares, weight) FROM players;
SELECT skillrating.hive_update(player, side, score, skill, -1, weight) FROM players;
SELECT skillrating.hive_update(player, side, score, 'infinity', squares, weight) FROM players;
SELECT skillrating.hive_update(player, side, score, skill, squares, 'NaN') FROM players;
SELECT skillrating.hive_update(player, side, score, skill, squares, weight, 0, 4, 0, 0, 0, '{"b": 1}') FROM players;
SELECT array_length(skillrating.hive_update(i, 1 + i % 2, i % 2, 4, 0, 1), 1) FROM generate_series(1, 10000) AS i;
SELECT skillrating.hive_update(i, 1 + i % 2, i % 2, 4, 0, 1) FROM generate_series(1, 10001) AS i;
DROP TABLE players;
