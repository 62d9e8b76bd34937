-- Predicting and rating one match under the Hive model.

SELECT skillrating_internal.make_aggregate('hive_win_probability',
    'state skillrating.hive_state, side integer, inputs skillrating.inputs', 'float8',
'Probability that side 1 wins, 0 to 1, from the players of a match; one row for each player or stint:
SELECT skillrating.hive_win_probability(skillrating.hive_state(skill => skill), side, NULL) FROM ...
Its log-odds are the difference of the weighted skills over the total weight of play, plus that of
the command skills over the total weight of commanding (no term if nobody commanded), plus log_odds.
state: made by hive_state().  side: 1 or 2.
inputs: made by inputs(), may be null; of its columns these count:
weight: share of the match, 0 or more; without it joined and left_at (seconds from the start) weigh
as in hive_weight() under the default median_round, and without those the weight is 1.
commanding: share of the row spent commanding, 0 to 1, or seconds if more than 1; it is not play.
log_odds: of the context (map, size) in favour of side 1, the same in all rows; 0 by default.
Rows without state or side are no players.  Null unless somebody played on both sides, and where
somebody has joined and not left: give the time that is expected.
Errors: 22004 for a null in a state, 22023 for another side, numbers out of range and log_odds that
vary, 22003 for numbers that are not finite, 54000 for more than 10000 rows.
Source: A Skill Ranking System for Natural Selection 2.');

SELECT skillrating_internal.make_aggregate('hive_update',
    'player_id anyelement, state skillrating.hive_state, side integer, score float8', 'skillrating.hive_rating[]',
'The players of a match after it, all of whom played it in full:
SELECT u.* FROM (SELECT skillrating.hive_update(player_id, skillrating.hive_state(skill => skill),
side, score) AS players FROM ...) AS q, unnest(q.players) AS u
player_id: of any type that can be hashed and ordered.
state: of the player before the match, made by hive_state().
side: 1 or 2.  score: of the side, 1 won, 0.5 drew, 0 lost; the same in all its rows.
A player with several stints has several rows with the same state.
The result has one element a player, in the order of the first row of each.
Null for a match that does not count: without two sides that played, or with a mistake in its rows,
such as a null, a number out of range, rows that contradict each other, a player on both sides at
once or more than 10000 rows.  Such a match keeps no other from being rated; rate() says what is
wrong, and option strict_rows makes it an error.');

SELECT skillrating_internal.make_aggregate('hive_update',
    'player_id anyelement, state skillrating.hive_state, side integer, score float8, FACTS',
    'skillrating.hive_rating[]',
'As the form with four arguments, with what else there is; null is nothing.
inputs: made by inputs().  They mean what source_columns() says, and those that the model takes into
account count: weight, or joined and left_at; commanding; player_gain; log_odds.  side and score
are those of the arguments.  Null if unrated_reason is not null.
With several stints, play and commanding add up: hence one row with weight => 1 and one with
weight => 0.5, commanding => 1 is a player who played all the match and commanded with weight 0.5.
options: an object, the same in all rows of a match, of parameters of the model that differ from
their defaults (see parameters(''hive'')), and strict_rows: whether a mistake in the match is
an error (false).
Errors with strict_rows: 22004 for a null, 22023 for rows that contradict each other, 22003 for
numbers out of range, 54000 for more than 10000 rows.  Always 22023 for other or varying options.');
