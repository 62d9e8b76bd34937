-- The page's part about applications.

SELECT $$<h2 id="application">In an application</h2>
<p>A ladder is a schema of tables. A match is rated when its transaction commits, and any driver can
ask for boards, chances and teams.</p>
<h3>Leaderboard</h3>$$;
SELECT demo.shown($$
SELECT place, player_id AS club, round(rating) AS rating, wins, draws, losses
FROM skillrating.leaderboard('league', 5, pool => 'en.1')$$, 'The best five clubs of the Premier League');

SELECT $$<h3>Prediction</h3>
<p>The first club plays at home. The ladder has a handicap for that, as log-odds, which the first season
taught. A draw counts as half a win.</p>$$;
SELECT round(log_odds::numeric, 3) AS home FROM demo.home_advantage WHERE league = 'en.1' \gset
SELECT demo.shown(format($$
SELECT player_id AS club, round(rating) AS rating,
    round(100 * win_probability::numeric, 1) AS "chance, %%",
    round(win_change::numeric, 1) AS if_won, round(draw_change::numeric, 1) AS if_drawn,
    round(loss_change::numeric, 1) AS if_lost
FROM skillrating.preview('league', ARRAY['Chelsea', 'Arsenal'], ARRAY[1, 2],
    pool => 'en.1', log_odds => %s)$$,
    :'home'), 'Chelsea at home to Arsenal: chances, and the change of each rating in points');

SELECT $$<h3>Report of a result</h3>
<p>Chelsea wins. <code>report_match</code> returns the new ratings, and does the same if a lost connection
makes the application repeat it.</p>$$;
SELECT demo.shown(format($$
SELECT player_id AS club, round(rating_before::numeric, 1) AS before,
    round(rating_after::numeric, 1) AS after, outcome
FROM skillrating.report_match('league', match_id => 9001,
    players => ARRAY['Chelsea', 'Arsenal'], team => ARRAY[1, 2], rank => ARRAY[1, 2], pool => 'en.1', log_odds => %s)$$, :'home'), 'Both ratings, in points, before and after the match');

SELECT $$<h3>Fair teams from a lobby</h3>
<p>Ten players of the team game wait in a lobby. <code>split_teams</code> finds the teams whose chances
are closest to equal.</p>$$;
CREATE TABLE demo.lobby AS
SELECT player_id FROM rounds.rating ORDER BY games DESC, player_id LIMIT 10;
SELECT format('ARRAY[%s]', string_agg(player_id::text, ', ' ORDER BY player_id)) AS lobby FROM demo.lobby \gset
SELECT demo.shown(format($$
SELECT team, string_agg(player_id, ', ' ORDER BY player_id::integer) AS players,
    round(avg(u.mu)::numeric, 2) AS "mean skill, log-odds",
    round(100 * avg(win_probability)::numeric, 1) AS "chance, %%"
FROM skillrating.lobby('rounds', %s) AS l
CROSS JOIN skillrating.split_teams(l)
JOIN unnest(l.players, l.mu) AS u(player_id, mu) USING (player_id)
GROUP BY team ORDER BY team$$, :'lobby'), 'The fairest teams of this lobby');
SELECT demo.result(format($$
SELECT team, string_agg(player_id, ', ' ORDER BY player_id::integer) AS players,
    round(avg(rating)::numeric, 2) AS "mean skill, log-odds",
    round(100 * avg(win_probability)::numeric, 1) AS "chance, %%"
FROM skillrating.preview('rounds', %s, ARRAY[1, 2, 1, 2, 1, 2, 1, 2, 1, 2])
GROUP BY team ORDER BY team$$, :'lobby'), 'For comparison: every other player in one team');
