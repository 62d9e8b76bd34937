-- What a match itself says, its source judges: a view that keeps matches unrated, and leaves
-- participants out.
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
SELECT skillrating.create_ladder('rules', 'elo') \gset
\set ECHO none
CREATE OR REPLACE VIEW rules.source AS
SELECT m.match_id, m.played_at, m.pool, m.log_odds, m.gain * coalesce(p.player_gain, 1) AS player_gain,
    CASE WHEN m.duration < 120 THEN 'shorter than two minutes' END AS unrated_reason,
    p.player_id, p.team, p.rank, p.team_score, p.player_score, p.won, p.weight, p.joined, p.left_at, p.commanding, p.side,
    coalesce(p.context, m.context) AS context, p.club, m.tournament, p.squad, p.kills, p.deaths, p.quit, p.experience, p.fixed
FROM rules.match AS m JOIN rules.match_player AS p ON p.match_id = m.match_id
WHERE m.finished AND p.bot IS NOT TRUE AND coalesce(p.weight, 1) > 0.25;
\set ECHO all

-- Player 3 never came, 4 played a tenth, and 6 is a program.
SELECT player_id, outcome, reason, detail, rating_after - rating_before AS change, win_probability IS NULL AS no_forecast
FROM skillrating.report_match('rules', 1, '{1,2,3,4,5,6}'::bigint[], '{1,1,1,2,2,2}', '{1,1,1,2,2,2}', weight => '{1,1,0,0.1,1,1}', bot => '{f,f,f,f,f,t}', duration => 120, played_at => '2024-01-01');
-- The oracle: the match without them.
SELECT skillrating.create_ladder('without', 'elo') \gset
SELECT count(*) FROM skillrating.report_match('without', 1, '{1,2,5}'::bigint[], '{1,1,2}', '{1,1,2}', played_at => '2024-01-01');
SELECT count(*) AS equal FROM rules.rating AS a JOIN without.rating AS b USING (player_id, rating, games, wins, losses, last_played);
SELECT count(*) AS all FROM rules.rating;
SELECT player_id, team, status, reason, detail, rank, rating_change FROM skillrating.match_journal('rules', 1);
-- Reported again it says the same; with other content, what was rated stands.
SELECT player_id, outcome, reason FROM skillrating.report_match('rules', 1, '{1,2,3,4,5,6}'::bigint[], '{1,1,1,2,2,2}', '{1,1,1,2,2,2}', weight => '{1,1,0,0.1,1,1}', bot => '{f,f,f,f,f,t}', duration => 120, played_at => '2024-01-01');
SELECT player_id, outcome, reason FROM skillrating.report_match('rules', 1, '{1,2,3,4,5,6}'::bigint[], '{1,1,1,2,2,2}', '{1,1,1,2,2,2}', weight => '{1,0.5,0,0.1,1,1}', bot => '{f,f,f,f,f,t}', duration => 120, played_at => '2024-01-01');
SELECT count(*) FROM skillrating.catch_up('rules');
-- A match that needs them does not count, for all alike; nor does a short one, or one of which nothing is left.
SELECT player_id, outcome, reason, detail FROM skillrating.report_match('rules', 2, '{1,3}'::bigint[], '{1,2}', '{1,2}', weight => '{1,0}', played_at => '2024-01-02');
SELECT player_id, outcome, reason, detail FROM skillrating.report_match('rules', 4, '{1,2}'::bigint[], '{1,2}', '{1,2}', duration => 119, played_at => '2024-01-02');
SELECT player_id, outcome, reason FROM skillrating.report_match('rules', 4, '{1,2}'::bigint[], '{1,2}', '{1,2}', duration => 119, played_at => '2024-01-02');
SELECT player_id, outcome, reason, detail FROM skillrating.report_match('rules', 5, '{1,2}'::bigint[], '{1,2}', '{1,2}', bot => '{t,t}', played_at => '2024-01-02');
SELECT * FROM skillrating.match_outcome('rules', 4);
-- An account that is merged keeps its name.
SELECT skillrating.merge_players('rules', 3, 30, allow_unknown => true) > 0 AS merged;
SELECT player_id, outcome, reason FROM skillrating.report_match('rules', 3, '{1,2,3}'::bigint[], '{1,2,2}', '{1,2,2}', weight => '{1,1,0}', played_at => '2024-01-03');
SELECT player_id, account, team, status, reason FROM skillrating.match_journal('rules', 3);
SELECT bool_and(ok) AS verified FROM skillrating.verify('rules');

SELECT skillrating.drop_ladder('rules'), skillrating.drop_ladder('without') \gset
