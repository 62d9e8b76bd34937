-- The page's part about analysis.

SELECT $$<h2 id="analyst">As an analyst</h2>
<p>Without a ladder, <code>rate()</code> is a window function that rates the rows of any query.</p>
<h3>Models compared</h3>
<p>Each model rates the whole football history in one query. Forecasts count from the second season on.
Less is better for both scores, and a draw is half a win.</p>$$;
SELECT demo.shown($$
SELECT model, count(*) AS matches, round(brier_score(p, y)::numeric, 4) AS "Brier score",
    round(log_loss(p, y)::numeric, 4) AS log_loss
FROM (
    SELECT model, team, played_at, (r).win_probability AS p, (r).score AS y
    FROM (SELECT *, rate(model, player, team, rank, played_at => played_at, pool => league)
              OVER (PARTITION BY model ORDER BY played_at, match_id) AS r
          FROM demo.football,
              unnest('{elo,glicko,glicko2,hive,synelo,trueskill,weng_lin}'::text[]) AS model
         ) AS rated
) AS forecast
WHERE team = 1 AND played_at >= '2013-07-01'
GROUP BY model ORDER BY log_loss(p, y)$$, 'Scores of seven models, with default parameters');

SELECT $$<h3>Calibration</h3>
<p>Of the matches given a chance of 60 %, six in ten should be won. Each dot is a group of forecasts.
The sentences are computed from the same groups as the pictures. In football, the chances are those of
the home side, and a draw counts as half a win.</p>$$;
SELECT format('<p class="calibration">%s</p>', demo.escape(demo.unbroken(demo.calibration_sentence(model, c)))) FROM demo.judged ORDER BY n;
SELECT '<div class="pictures">';
SELECT demo.figure(skillrating.plot_calibration(c, title, 'forecast chance to win', 'share of matches won', 360)) FROM demo.judged ORDER BY n;
SELECT '</div>';
SELECT format('<p>The team game is simulated, so the best possible forecast is known. The log loss from match 1001 on is %s for Hive, %s for state_space, and %s for the true probabilities.</p>',
    (SELECT round((c).log_loss::numeric, 4) FROM demo.judged WHERE n = 2),
    (SELECT round((c).log_loss::numeric, 4) FROM demo.judged WHERE n = 3),
    (SELECT round(skillrating.log_loss(true_probability, (winner = first_team)::int::float8)::numeric, 4) FROM demo.match WHERE match_id > 1000));

SELECT $$<h3>Maps, learned from results</h3>
<p><code>state_space</code> sees the name of each map and nothing else about it. Values are log-odds in
favour of side 1.</p>$$;
SELECT demo.result($$
SELECT map.name AS map, round(((home.mu + c.mu) / sqrt(pi() / 4))::numeric, 2) AS learned,
    round((sqrt(home.deviation ^ 2 + c.deviation ^ 2) / sqrt(pi() / 4))::numeric, 2) AS deviation,
    round(map.log_odds::numeric, 2) AS truth, c.games AS matches
FROM learned.components AS home
JOIN learned.components AS c ON home.kind = 'home' AND c.kind = 'home_context'
JOIN demo.map ON map.name = c.key
ORDER BY map.log_odds DESC$$, 'Advantage of side 1 on each map, learned and true');

SELECT $$<h3>Histories and distributions</h3>
<div class="pictures">$$;
SELECT demo.figure(skillrating.plot_history(array_agg(player_id ORDER BY player_id), array_agg(played_at ORDER BY player_id),
    array_agg(rating_after ORDER BY player_id), title => 'Five clubs of the Premier League', x_title => 'date of the match',
    y_title => 'Elo rating, points', width => 360))
FROM league.event
WHERE pool = 'en.1' AND match_id <> 9001
    AND player_id IN ('Arsenal', 'Chelsea', 'Leicester City', 'Liverpool', 'Manchester City');
SELECT demo.figure(skillrating.plot_distribution(array_agg(rating), 'All clubs of the four leagues', 'Elo rating at the end, points', 'clubs', 360))
FROM league.rating;
SELECT demo.figure(skillrating.plot_history(array_agg('player ' || player_id ORDER BY player_id), array_agg(games_before::float8 ORDER BY player_id),
    array_agg(skill_after ORDER BY player_id), title => 'The most active players of the team game', x_title => 'matches played',
    y_title => 'Hive skill, log-odds', width => 360))
FROM rounds.event
WHERE kind = 'match' AND player_id IN (SELECT player_id FROM rounds.rating ORDER BY games DESC, player_id LIMIT 6);
SELECT '</div>';
