-- Who is left out of a match by a rule of eligibility has an outcome and a reason of one's own.
\set ON_ERROR_STOP on
SELECT skillrating.create_ladder('rules', 'elo');
SELECT skillrating.set_eligibility('rules', '{"no_show": "leave_out", "min_play_share": 0.25}', since => '2020-01-01') > 0 AS set;

-- Player 3 never came, 4 played a tenth, and 6 under two stints a fifth.
SELECT player_id, outcome, reason, detail, rating_after - rating_before AS change, win_probability IS NULL AS no_forecast
FROM skillrating.report_match('rules', 1, '{1,2,3,4,5,6,6}'::bigint[], '{1,1,1,2,2,2,2}', '{1,1,1,2,2,2,2}', weight => '{1,1,0,0.1,1,0.1,0.1}', played_at => '2024-01-01');
-- The oracle: the match without them.
SELECT skillrating.create_ladder('without', 'elo');
SELECT count(*) FROM skillrating.report_match('without', 1, '{1,2,5}'::bigint[], '{1,1,2}', '{1,1,2}', played_at => '2024-01-01');
SELECT count(*) AS equal FROM rules.rating AS a JOIN without.rating AS b USING (player_id, rating, games, wins, losses, last_played);
SELECT count(*) AS all FROM rules.rating;
SELECT player_id, team, status, reason, detail, rank, rating_change FROM skillrating.match_journal('rules', 1);
-- Reported again it says the same; with other content, what was rated stands.
SELECT player_id, outcome, reason FROM skillrating.report_match('rules', 1, '{1,2,3,4,5,6,6}'::bigint[], '{1,1,1,2,2,2,2}', '{1,1,1,2,2,2,2}', weight => '{1,1,0,0.1,1,0.1,0.1}', played_at => '2024-01-01');
SELECT player_id, outcome, reason FROM skillrating.report_match('rules', 1, '{1,2,3,4,5,6,6}'::bigint[], '{1,1,1,2,2,2,2}', '{1,1,1,2,2,2,2}', weight => '{1,1,0,0.1,1,0.2,0.2}', played_at => '2024-01-01');
SELECT count(*) FROM skillrating.catch_up('rules');
SELECT player_id, status, reason FROM skillrating.match_journal('rules', 1);
-- A match that needs them does not count, for all alike; an account that is merged keeps its name.
SELECT player_id, outcome, reason, detail FROM skillrating.report_match('rules', 2, '{1,3}'::bigint[], '{1,2}', '{1,2}', weight => '{1,0}', played_at => '2024-01-02');
SELECT player_id, status, reason FROM skillrating.match_journal('rules', 2);
SELECT skillrating.merge_players('rules', 3, 30, allow_unknown => true) > 0 AS merged;
SELECT player_id, outcome, reason FROM skillrating.report_match('rules', 3, '{1,2,3}'::bigint[], '{1,2,2}', '{1,2,2}', weight => '{1,1,0}', played_at => '2024-01-03');
SELECT player_id, account, team, status, reason, rating_change IS NULL AS untouched FROM skillrating.match_journal('rules', 3);

SELECT skillrating.drop_ladder('rules'), skillrating.drop_ladder('without');
