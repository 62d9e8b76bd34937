-- Teams by the ratings of a ladder: a lobby of its players.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('fair_elo', 'elo', player_type => 'text'), skillrating.create_ladder('fair_true', 'trueskill', player_type => 'bigint'), skillrating.create_ladder('fair_hive', 'hive') \gset
SELECT count(*) FROM generate_series(1, 40) AS m, skillrating.report_match('fair_elo', m, ARRAY['p' || m % 7, 'p' || (m % 7 + 1 + m % 5) % 7], ARRAY[1, 2], ARRAY[1 + (m % 3)::int / 2, 2 - (m % 3)::int / 2]);
SELECT count(*) FROM generate_series(1, 40) AS m, skillrating.report_match('fair_true', m, ARRAY[m % 7, (m % 7 + 1 + m % 5) % 7], ARRAY[1, 2], ARRAY[1 + (m % 3)::int / 2, 2 - (m % 3)::int / 2]);
SELECT count(*) FROM generate_series(1, 40) AS m, skillrating.report_match('fair_hive', m, ARRAY[m % 7, (m % 7 + 1 + m % 5) % 7], ARRAY[1, 2], ARRAY[1 + (m % 3)::int / 2, 2 - (m % 3)::int / 2]);

-- Ratings are the ladder's, and a newcomer's where there is none; the probability is the model's.
SELECT s.player_id, s.team, round((l.mu[array_position(l.players, s.player_id)] - coalesce(r.rating, 1500))::numeric, 9) AS off, round(s.difference::numeric, 4) AS difference, round(s.win_probability::numeric, 4) AS p, exact
FROM skillrating.lobby('fair_elo', ARRAY['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'new'], locked => ARRAY[1, NULL, NULL, NULL, NULL, NULL, NULL]) AS l, skillrating.split_teams(l, team_size => 3) AS s LEFT JOIN fair_elo.rating AS r ON r.player_id = s.player_id ORDER BY s.player_id;
SELECT ladder, bool_and(s.p[array_position(s.team, w.team)] = w.win_probability) AS as_predicted, max(abs(w.win_probability - 0.5)) < 0.1 AS even FROM
    (SELECT 'fair_true' AS ladder, array_agg(player_id ORDER BY player_id) AS who, array_agg(team ORDER BY player_id) AS team, array_agg(win_probability ORDER BY player_id) AS p FROM skillrating.split_teams(skillrating.lobby('fair_true', ARRAY[0, 1, 2, 3, 4, 5]::bigint[]))
    UNION ALL SELECT 'fair_hive', array_agg(player_id ORDER BY player_id), array_agg(team ORDER BY player_id), array_agg(win_probability ORDER BY player_id) FROM skillrating.split_teams(skillrating.lobby('fair_hive', ARRAY[0, 1, 2, 3, 4, 5]::bigint[]))) AS s,
    skillrating.win_probability(ladder, who, team) AS w GROUP BY ladder ORDER BY ladder;
-- Under elo and hive that is the logistic function of what split_teams() makes small.
SELECT bool_and(abs(e.win_probability - 1 / (1 + exp(-e.difference / (SELECT log_odds_unit FROM skillrating.models('elo')) * (3 - 2 * e.team)))) < 1e-9) AS elo, bool_and(abs(h.win_probability - 1 / (1 + exp(-h.difference * (3 - 2 * h.team)))) < 1e-9) AS hive
FROM skillrating.split_teams(skillrating.lobby('fair_elo', ARRAY['p0', 'p1', 'p2', 'p3', 'p4'])) AS e, skillrating.split_teams(skillrating.lobby('fair_hive', ARRAY[0, 1, 2, 3, 4]::bigint[])) AS h;
-- Sides and commanders, more than two teams: the probability is what preview() says of them.
SELECT count(*) FROM generate_series(41, 80) AS m, skillrating.report_match('fair_hive', m, ARRAY[m % 7, (m % 7 + 1 + m % 5) % 7, (m % 7 + 2 + m % 3) % 7 + 7, m % 3 + 14], ARRAY[1, 2, 1, 2], ARRAY[1 + (m % 3)::int / 2, 2 - (m % 3)::int / 2, 1 + (m % 3)::int / 2, 2 - (m % 3)::int / 2], side => '{1,2,1,2}', commanding => '{0,0,1,1}');
SELECT count(DISTINCT s.commands) AS commands, bool_and(s.win_probability = w.win_probability) AS as_predicted, count(*) AS players, bool_and(abs(s.win_probability - 1 / (1 + exp((-s.difference - 0.2) * (3 - 2 * s.team)))) < 1e-9) AS what_is_small, max(abs(s.win_probability - 0.5)) < 0.05 AS even
FROM (SELECT array_agg(player_id ORDER BY player_id) AS who, array_agg(team ORDER BY player_id) AS team, array_agg(commands::int::float8 ORDER BY player_id) AS commanding FROM skillrating.split_teams(skillrating.lobby('fair_hive', ARRAY[0, 1, 2, 3, 7, 8, 14, 15]::bigint[], sides => true, commanders => '{t}', log_odds => 0.2))) AS a,
    skillrating.preview('fair_hive', who, a.team, side => a.team, commanding => a.commanding, log_odds => 0.2) AS w, skillrating.split_teams(skillrating.lobby('fair_hive', who, sides => true, commanders => '{t}', log_odds => 0.2)) AS s WHERE w.player_id = s.player_id::text;
SELECT count(DISTINCT s.team) AS teams, bool_and(s.win_probability = w.win_probability) AS as_predicted
FROM (SELECT array_agg(player_id ORDER BY player_id) AS who, array_agg(team ORDER BY player_id) AS team FROM skillrating.split_teams(skillrating.lobby('fair_true', ARRAY[0, 1, 2, 3, 4, 5]::bigint[]), teams => 3)) AS a,
    skillrating.preview('fair_true', who, a.team) AS w JOIN skillrating.split_teams(skillrating.lobby('fair_true', ARRAY[0, 1, 2, 3, 4, 5]::bigint[]), teams => 3) AS s ON s.player_id::text = w.player_id;
-- A handicap and a bench: each team has its own probability, and the bench none.
SELECT s.team, count(*) AS players, bool_and(s.win_probability = w.win_probability) AS as_predicted, count(s.win_probability) AS known
FROM (SELECT array_agg(player_id ORDER BY player_id) AS who, array_agg(team ORDER BY player_id) AS team FROM skillrating.split_teams(skillrating.lobby('fair_true', ARRAY[0, 1, 2, 3, 4, 5]::bigint[], log_odds => 1), team_size => 2) WHERE team IS NOT NULL) AS a,
    skillrating.split_teams(skillrating.lobby('fair_true', ARRAY[0, 1, 2, 3, 4, 5]::bigint[], log_odds => 1), team_size => 2) AS s LEFT JOIN LATERAL (SELECT * FROM skillrating.preview('fair_true', a.who, a.team, log_odds => 1)) AS w ON w.player_id = s.player_id::text
GROUP BY s.team ORDER BY s.team;
-- Nobody moves for what is even enough.
SELECT tolerance, count(*) FILTER (WHERE team <> c) AS moves FROM unnest('{0,1000}'::float8[]) AS tolerance, skillrating.split_teams(skillrating.lobby('fair_elo', ARRAY['p0', 'p1', 'p2', 'p3', 'p4', 'p5'], current => '{1,1,1,2,2,2}'), tolerance => tolerance) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n),
    LATERAL (SELECT ('{1,1,1,2,2,2}'::int[])[n]) AS x(c) GROUP BY tolerance ORDER BY tolerance;
SELECT count(DISTINCT team) FROM skillrating.split_teams(skillrating.lobby('fair_elo', ARRAY['p0', 'p1', 'p2', 'p3', 'p4', 'p5']), secondary => 'best', tolerance => 50);
SELECT * FROM skillrating.split_teams(skillrating.lobby('fair_elo', ARRAY['p0', 'p1'], sides => true));
SELECT * FROM skillrating.split_teams(skillrating.lobby('fair_elo', ARRAY['p0', 'p1'], commanders => '{t}'));
-- With caution who is little known counts less.
SELECT bool_and(abs(l.mu[r.player_id + 1] - (r.mu - 2 * r.sigma)) < 1e-12) AS cautious FROM skillrating.lobby('fair_true', ARRAY[0, 1, 2, 3]::bigint[], caution => 2) AS l JOIN fair_true.rating AS r ON r.player_id <= 3;
SELECT count(*) FROM skillrating.split_teams(skillrating.lobby('fair_true', '{}'::bigint[])) AS a, skillrating.split_teams(skillrating.lobby('fair_true', NULL::bigint[])) AS b;
SELECT * FROM skillrating.split_teams(skillrating.lobby('fair_elo', ARRAY['p0', 'p1'], caution => 1));
SELECT * FROM skillrating.split_teams(skillrating.lobby('fair_none', ARRAY['p0', 'p1']));
SELECT * FROM skillrating.split_teams(skillrating.lobby('fair_elo', ARRAY['p0', 'p1']), team_size => 2);

-- Whom to play: by the model, against all that there are.
SELECT player_id, round(f.rating::numeric, 2) AS rating, games, round(win_probability::numeric, 4) AS p FROM skillrating.find_opponents('fair_elo', 'p3', 3) AS f;
SELECT ladder, array_agg(f.player_id ORDER BY f.n) = (SELECT array_agg(a.player_id ORDER BY abs(a.p - 0.5)) FROM (SELECT r.player_id::text, w.win_probability AS p FROM fair_true.rating AS r, skillrating.win_probability('fair_true', ARRAY[3, r.player_id], ARRAY[1, 2]) AS w
    WHERE r.player_id <> 3 AND w.team = 1 ORDER BY abs(w.win_probability - 0.5) LIMIT 4) AS a) AS nearest
FROM (VALUES ('fair_true')) AS l(ladder), skillrating.find_opponents(ladder, 3, 4) WITH ORDINALITY AS f(player_id, rating, games, win_probability, n) GROUP BY ladder;
SELECT count(*), min(abs(win_probability - 0.5)) < 0.1 AS even FROM skillrating.find_opponents('fair_elo', 'new', 2);
SELECT count(*) FROM skillrating.find_opponents('fair_elo', 'p1', 100);
SELECT count(*) FROM skillrating.find_opponents('fair_elo', 'p1', min_games => 1000), skillrating.find_opponents('fair_elo', NULL::text) AS b;
SELECT skillrating.find_opponents('fair_elo', 'p1', -1);
SELECT skillrating.find_opponents('fair_none', 'p1');
SELECT skillrating.lobby('fair_true', array_agg(g)) FROM generate_series(1, 100001) AS g;
SELECT skillrating.drop_ladder('fair_elo'), skillrating.drop_ladder('fair_true'), skillrating.drop_ladder('fair_hive') \gset
