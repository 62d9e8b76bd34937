-- One page about the demo with pictures, as HTML on the standard output.
--
-- Needs the ladders league of football.sql, and rounds and learned of rounds.sql.  Pictures are SVG
-- in the page itself, so that it stands alone, and suit light and dark.

\pset format unaligned
\pset tuples_only on

SELECT $$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>skillrating: the demo</title>
<style>
:root{color-scheme:light dark}
body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;background:#fff;color:#222}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd}
th:first-child,td:first-child{text-align:left}
svg{max-width:100%;height:auto;display:block;margin:1rem 0}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e8e8e8}th,td{border-color:#2e323a}}
</style>
</head>
<body>
<h1>skillrating: the demo</h1>$$;

SELECT format($$<p>%s football matches of four leagues, rated by Elo as they came in, and %s matches of a simulated team game, rated
by Hive and by state_space. Everything below was computed by the database: tables, ratings and pictures.</p>
<h2>Football: which model predicts best?</h2>
<p>Each model rates the whole history in one query and is scored from the second season on. Less is better, and a draw is half a win.</p>
<table>
<thead><tr><th scope="col">model</th><th scope="col">matches</th><th scope="col">Brier score</th><th scope="col">log loss</th><th scope="col">skill score</th></tr></thead>
<tbody>$$, (SELECT count(*) FROM league.rated_match WHERE status = 'rated'), (SELECT count(*) FROM rounds.rated_match WHERE status = 'rated'));
SELECT format('<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>', model, count(*), round(skillrating.brier_score(p, y)::numeric, 4),
    round(skillrating.log_loss(p, y)::numeric, 4), round(skillrating.skill_score(p, y)::numeric, 3))
FROM (
    SELECT model, team, played_at, (r).win_probability AS p, (r).score AS y
    FROM (SELECT *, skillrating.rate(model, player, team, rank, params => params, played_at => played_at, pool => league)
            OVER (PARTITION BY model ORDER BY played_at, match_id) AS r
        FROM demo.football, (VALUES ('elo', '{"k": 20}'::jsonb), ('glicko', '{}'), ('glicko2', '{}'), ('hive', '{}'), ('synelo', '{}'), ('trueskill', '{}'), ('weng_lin', '{}')) AS m(model, params)) AS q
) AS f
WHERE team = 1 AND played_at >= '2013-07-01'
GROUP BY model ORDER BY skillrating.log_loss(p, y);
SELECT $$</tbody>
</table>
<h2>Football: are the forecasts calibrated?</h2>
<p>Those of the ladder, which knows what playing at home is worth.</p>$$;
SELECT skillrating.plot_calibration(skillrating.calibration(probability, outcome), 'Elo with the advantage of playing at home')
FROM demo.forecasts('league') WHERE played_at >= '2013-07-01';
SELECT '<h2>Football: five clubs</h2>';
SELECT skillrating.plot_history(array_agg(player_id ORDER BY player_id), array_agg(played_at ORDER BY player_id), array_agg(rating_after ORDER BY player_id),
    title => 'Five clubs of the Premier League')
FROM league.event
WHERE pool = 'en.1' AND player_id IN ('Arsenal', 'Chelsea', 'Leicester City', 'Liverpool', 'Manchester City');
SELECT '<h2>Football: all clubs</h2>';
SELECT skillrating.plot_distribution(array_agg(rating), 'Ratings at the end') FROM league.rating;
SELECT $$<h2>A team game: are the forecasts calibrated?</h2>$$;
SELECT skillrating.plot_calibration(skillrating.calibration(probability, outcome, 20), 'Hive, from match 1001 on')
FROM demo.forecasts('rounds') WHERE played_at > (SELECT played_at FROM demo.match WHERE match_id = 1000);
SELECT skillrating.plot_calibration(skillrating.calibration(probability, outcome, 20), 'State space, from match 1001 on')
FROM demo.forecasts('learned') WHERE played_at > (SELECT played_at FROM demo.match WHERE match_id = 1000);
SELECT format('<p>Log loss from match 1001 on: hive %s, state_space %s, the truth itself %s.</p>',
    (SELECT round(skillrating.log_loss(f.probability, f.outcome)::numeric, 4) FROM demo.forecasts('rounds') AS f, demo.match AS m WHERE m.match_id = 1000 AND f.played_at > m.played_at),
    (SELECT round(skillrating.log_loss(f.probability, f.outcome)::numeric, 4) FROM demo.forecasts('learned') AS f, demo.match AS m WHERE m.match_id = 1000 AND f.played_at > m.played_at),
    (SELECT round(skillrating.log_loss(true_probability, (winner = first_team)::int::float8)::numeric, 4) FROM demo.match WHERE match_id > 1000));
SELECT '<h2>A team game: the most active players</h2>';
SELECT skillrating.plot_history(array_agg('player ' || player_id ORDER BY player_id), array_agg(games_before::float8 ORDER BY player_id), array_agg(skill_after ORDER BY player_id),
    title => 'Skill over matches played')
FROM rounds.event
WHERE kind = 'match' AND player_id IN (SELECT player_id FROM rounds.rating ORDER BY games DESC, player_id LIMIT 6);
SELECT $$</body>
</html>$$;
