-- Rating periods on ladders: each match is one step, in any order, and nothing else is different.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
\set ON_ERROR_STOP on
SET TIME ZONE 'UTC';
SET client_min_messages = warning;
CREATE SCHEMA periods;
SET search_path = periods, skillrating;
\set ECHO all

-- 140 games of eleven players in four months, and in seven cups, of which some overlap.
\set ECHO none
CREATE TABLE game AS
SELECT g::bigint AS match_id, timestamptz '2026-01-03 12:00Z' + g * interval '19 hours' AS played_at, 'cup ' || (g - 1 + g % 3 * 5) / 20 AS tournament,
    1 + g * 7 % 11 AS a, 1 + (g * 7 + 1 + g % 10) % 11 AS b, g * 5 % 7 % 3 AS twice_score
FROM generate_series(1, 140) AS g;
CREATE VIEW lines AS
SELECT match_id, played_at, tournament, p.player_id::bigint AS player_id, p.team, p.rank
FROM game, LATERAL (VALUES (a, 1, 3 - twice_score), (b, 2, 1 + twice_score)) AS p(player_id, team, rank);
\set ECHO all
SELECT count(*), count(DISTINCT date_trunc('month', played_at)) AS months, count(DISTINCT tournament) AS cups FROM game;

-- Source and column by column, a ladder is the window function.
\set ECHO none
CREATE TABLE trial AS SELECT m || '_' || p || '_' || s AS ladder, m AS model, jsonb_build_object('period', p, 'period_shown', s) AS params
FROM unnest('{elo,glicko,glicko2}'::text[]) AS m, unnest('{day,week,month,days,tournament}'::text[]) AS p, unnest('{start,so_far}'::text[]) AS s
WHERE s = 'start' OR p IN ('week', 'tournament');
CREATE FUNCTION events(ladder text) RETURNS TABLE (match_id bigint, player_id bigint, event jsonb) LANGUAGE plpgsql AS
$$BEGIN RETURN QUERY EXECUTE format('SELECT match_id, player_id, to_jsonb(e) FROM %I.event AS e WHERE kind = ''match''', ladder); END$$;
CREATE FUNCTION state(model text, params jsonb, event jsonb, suffix text) RETURNS float8[] LANGUAGE sql STABLE AS
$$SELECT array_agg((event ->> (c || suffix))::float8 ORDER BY n) FROM skillrating.models(model, params) AS m, unnest(m.state_columns) WITH ORDINALITY AS u(c, n)$$;
CREATE FUNCTION same(ladder text, model text, params jsonb, OUT rows bigint, OUT same bigint) LANGUAGE sql AS $$
    SELECT count(*), count(*) FILTER (WHERE (r).state_before = state(model, params, event, '_before') AND (r).state_after = state(model, params, event, '_after')
        AND (r).win_probability = (event ->> 'win_probability')::float8)
    FROM (SELECT match_id, player_id, rate(model, player_id, team, rank, played_at => played_at, tournament => tournament, options => params) OVER (ORDER BY played_at, match_id) AS r
        FROM lines) AS w JOIN events(ladder) AS e USING (match_id, player_id) $$;
\set ECHO all
SELECT count(create_ladder(ladder, model, params, source => 'lines', attach => false)) FROM trial;
CREATE TABLE caught AS SELECT ladder, (SELECT count(*) FROM catch_up(ladder, search => true)) AS players FROM trial;
SELECT count(*) AS ladders, min(s.rows), bool_and(s.rows = s.same) AS same, bool_and((SELECT bool_and(ok) FROM verify(ladder))) AS verified FROM trial, same(ladder, model, params) AS s;

-- What is shown: the start of the period, or what it would be if the period ended now.
SELECT count(*) AS players, bool_and(s.rating = s.start_rating AND f.start_rating = s.start_rating AND f.rating = s.start_rating + s.period_change) AS shown,
    bool_or(s.period_change <> 0) AS open
FROM glicko2_week_start.rating AS s JOIN glicko2_week_so_far.rating AS f USING (player_id);
SELECT bool_and(l.rating = r.rating) AS on_boards FROM leaderboard('elo_week_so_far', min_games => 0) AS l JOIN elo_week_so_far.rating AS r ON r.player_id::text = l.player_id;

-- Corrections: a game that never was, and one with another result, in an earlier month.
SELECT void_match('glicko2_month_start', 31, 'test') \gset
UPDATE game SET twice_score = 2 - twice_score WHERE match_id IN (12, 55, 56);
SELECT count(*) > 0 AS caught_up FROM catch_up('glicko2_month_start', search => true, rebuild => true);
SELECT count(*) > 0 AS caught_up FROM catch_up('elo_tournament_start', search => true, rebuild => true);
CREATE TABLE voided AS SELECT * FROM game WHERE match_id = 31;
SELECT same(ladder, model, params) AS same, (SELECT bool_and(ok) FROM verify(ladder)) AS verified FROM trial WHERE ladder = 'elo_tournament_start';
DELETE FROM game WHERE match_id = 31;
SELECT same(ladder, model, params) AS same FROM trial WHERE ladder = 'glicko2_month_start';
INSERT INTO game TABLE voided;
SELECT bool_and(ok) AS verified FROM verify('glicko2_month_start');

-- Another formula, from no periods to some, and the other way round.
SELECT create_ladder('plain', 'glicko2', source => 'lines') \gset
SELECT count(*) > 0 AS caught_up FROM catch_up('plain', search => true);
SELECT shadow_ladder('plain', 'monthly', params => '{"period": "month", "period_shown": "so_far"}');
SELECT shadow_ladder('monthly', 'back', params => '{"period": "none"}');
SELECT l AS ladder, (SELECT bool_and(ok) FROM verify(l)) AS verified FROM unnest('{monthly,back}'::text[]) AS l;
SELECT same('monthly', 'glicko2', '{"period": "month", "period_shown": "so_far"}') AS monthly, same('back', 'glicko2', '{}') AS back;
SELECT promote_ladder('monthly', 'former') IS NOT NULL AS swapped;
ALTER SCHEMA former RENAME TO monthly;
SELECT (SELECT bool_and(ok) FROM verify('plain')) AS plain, (SELECT bool_and(ok) FROM verify('monthly')) AS monthly, same('plain', 'glicko2', '{"period": "month", "period_shown": "so_far"}') AS same;

-- Glickman's examples, by a ladder: settled when the week is over.
SELECT create_ladder('one', 'glicko', '{"period": "week", "c": 0}'), create_ladder('two', 'glicko2', '{"period": "week"}') \gset
SELECT ladder, (import_ratings(ladder, '{0,1,2,3}'::bigint[], '[{"rating": 1500, "deviation": 200}, {"rating": 1400, "deviation": 30}, {"rating": 1550, "deviation": 100}, {"rating": 1700, "deviation": 300}]', at => '2026-03-02Z')).ratings
FROM (VALUES ('one'), ('two')) AS l(ladder);
SELECT count(*) FROM (VALUES ('one'), ('two')) AS l(ladder), (VALUES (1, 1, 1, 2), (2, 2, 2, 1), (3, 3, 2, 1)) AS g(day, opponent, rank, other),
    LATERAL report_match(ladder, day, ARRAY[0, opponent]::bigint[], '{1,2}', ARRAY[rank, other], '2026-03-02Z'::timestamptz + day * interval '2 days') AS r;
SELECT (settle('one', '2026-03-08 23:59Z')).players AS too_early, (settle('one', '2026-03-09Z')).players AS one, (settle('two', '2026-03-09Z')).players AS two;
SELECT abs(r.rating - u.new_rating) < 1e-9 AS rating, abs(r.deviation - u.new_deviation) < 1e-9 AS deviation, round(r.rating::numeric, 4) AS is
FROM one.rating AS r, glicko_update(1500, 200, '{1400,1550,1700}', '{30,100,300}', '{1,0,0}', c => 0) AS u WHERE player_id = 0;
SELECT abs(r.rating - u.new_rating) < 1e-9 AS rating, abs(r.deviation - u.new_deviation) < 1e-9 AS deviation, abs(r.volatility - u.new_volatility) < 1e-12 AS volatility, round(r.rating::numeric, 2) AS is
FROM two.rating AS r, glicko2_update(1500, 200, 0.06, '{1400,1550,1700}', '{30,100,300}', '{1,0,0}', tau => 0.5) AS u WHERE player_id = 0;
SELECT l AS ladder, (SELECT bool_and(ok) FROM verify(l)) AS verified FROM unnest('{one,two}'::text[]) AS l;

-- In whichever order the games of a period arrive, its end is the same.
CREATE TABLE arrival AS
SELECT ladder, o.params, o.late FROM (VALUES ('first', '{"period": "month"}'::jsonb, 'append'), ('other', '{"period": "month"}', 'append')) AS o(ladder, params, late);
SELECT count(create_ladder(ladder, 'glicko2', params, late => late)) FROM arrival;
CREATE FUNCTION play(ladder text, m game) RETURNS bigint LANGUAGE sql AS
$$SELECT count(*) FROM report_match(ladder, m.match_id, ARRAY[m.a, m.b]::bigint[], '{1,2}', ARRAY[3 - m.twice_score, 1 + m.twice_score]::int[], m.played_at, tournament => m.tournament) AS r$$;
SELECT sum(play('first', g)) FROM (SELECT g FROM game AS g ORDER BY match_id LIMIT 200) AS q;
SELECT sum(play('other', g)) FROM (SELECT g FROM game AS g ORDER BY date_trunc('month', played_at), md5(match_id::text) LIMIT 200) AS q;
SELECT (settle('first', '2026-06-01Z')).players AS first, (settle('other', '2026-06-01Z')).players AS other;
SELECT count(*), max(abs(a.rating - b.rating)) < 1e-9 AS rating, max(abs(a.deviation - b.deviation)) < 1e-9 AS deviation, max(abs(a.volatility - b.volatility)) < 1e-12 AS volatility,
    max(abs(a.rating - 1500)) > 50 AS moved
FROM first.rating AS a JOIN other.rating AS b USING (player_id);
-- A game of an earlier period that comes late counts in the open one.
SELECT count(*) FROM report_match('first', 999, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2026-01-10Z') AS r;
SELECT l AS ladder, (SELECT bool_and(ok) FROM verify(l)) AS verified FROM unnest('{first,other}'::text[]) AS l;

-- In a ladder that goes by time it waits, and then all is as if it had come in time.
SELECT create_ladder('ordered', 'glicko2', '{"period": "month"}', late => 'reorder') \gset
SELECT sum(play('ordered', g)) FROM (SELECT g FROM game AS g WHERE match_id NOT IN (31, 70) ORDER BY match_id LIMIT 200) AS q;
SELECT sum(play('ordered', g)) FROM game AS g WHERE match_id IN (31, 70);
SELECT match_id, status, reason FROM ordered.rated_match WHERE match_id IN (31, 70) ORDER BY match_id;
SELECT count(*) > 0 AS caught_up FROM catch_up('ordered');
SELECT same('ordered', 'glicko2', '{"period": "month"}') AS same, (SELECT bool_and(ok) FROM verify('ordered')) AS verified;

-- Previews bring states to the period of the match, which then brings what they said.
CREATE TABLE foretold AS
SELECT p.*, at FROM (VALUES ('2026-04-29Z'::timestamptz), ('2026-05-03Z'), ('2026-09-03Z')) AS t(at), preview('ordered', '{1,2}'::bigint[], '{1,2}', at => at) AS p;
SELECT p.at, p.player_id, p.win_probability = w.win_probability AS same, p.win_change AS shown
FROM foretold AS p, win_probability('ordered', '{1,2}'::bigint[], '{1,2}', at => at) AS w WHERE w.team = p.team ORDER BY p.at, p.player_id;
SELECT r.player_id, r.win_probability = f.win_probability AS win_probability, r.rating_before = f.rating AS rating
FROM report_match('ordered', 1000, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2026-09-03Z') AS r JOIN foretold AS f USING (player_id) WHERE f.at = '2026-09-03Z' ORDER BY 1;
-- Of a month, only the rating at its start counts; a later month has another one.
SELECT count(DISTINCT win_probability) AS forecasts FROM foretold WHERE player_id = '1';

-- Boards of a time have the periods that were over by then, as settle() leaves them now.
SELECT b.at, count(*) AS players, count(*) FILTER (WHERE b.rating = s.rating_before) AS same
FROM (SELECT t.at, l.player_id, l.rating FROM (VALUES ('2026-02-01Z'::timestamptz), ('2026-04-01Z'), ('2026-05-01Z')) AS t(at), leaderboard('ordered', 100, at => t.at) AS l) AS b
JOIN (SELECT m.month AS at, p.player_id, (p.r).rating_before FROM (SELECT (date '2026-01-01' + n * interval '1 month') AT TIME ZONE 'UTC' FROM generate_series(1, 4) AS n) AS m(month),
    LATERAL (SELECT player_id, rank, rate('glicko2', player_id, team, rank, played_at => played_at, options => '{"period": "month"}') OVER (ORDER BY played_at, match_id) AS r
        FROM (SELECT match_id, played_at, player_id, team, rank FROM lines UNION ALL SELECT 1000 + n, m.month, n, 1, NULL FROM generate_series(1, 11) AS n
            UNION ALL SELECT 1000 + n, m.month, 100 + n, 2, NULL FROM generate_series(1, 11) AS n) AS u) AS p WHERE p.rank IS NULL AND p.player_id < 100) AS s
    ON s.at = b.at AND s.player_id::text = b.player_id GROUP BY b.at ORDER BY b.at;
SELECT rating_at('ordered', 1, '2026-04-01Z') = l.rating AS same FROM leaderboard('ordered', 100, at => '2026-04-01Z') AS l WHERE player_id = '1';

-- Tournaments: which one has to be said, or the match does not count.
SELECT create_ladder('cups', 'elo', '{"period": "tournament", "k": 20}') \gset
SELECT sum(play('cups', g)) FROM (SELECT g FROM game AS g ORDER BY match_id LIMIT 200) AS q;
SELECT DISTINCT outcome, reason FROM report_match('cups', 1000, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2026-09-03Z') AS r;
SELECT same('cups', 'elo', '{"period": "tournament", "k": 20}') AS same, (SELECT bool_and(ok) FROM verify('cups')) AS verified;
SELECT count(*) AS open FROM cups.rating WHERE player_id IN (1, 2) AND period_change <> 0;
SELECT abs(w.win_probability - elo_win_probability(a.start_rating + a.period_change, b.start_rating + b.period_change)) < 1e-12 AS as_expected
FROM win_probability('cups', '{1,2}'::bigint[], '{1,2}', tournament => 'another cup') AS w, cups.rating AS a, cups.rating AS b
WHERE w.team = 1 AND a.player_id = 1 AND b.player_id = 2;
\set ON_ERROR_STOP off
SELECT * FROM win_probability('cups', '{1,2}'::bigint[], '{1,2}');
SELECT * FROM split_teams(lobby('cups', '{1,2,3,4}'::bigint[]));
\set ON_ERROR_STOP on

-- Operations end the open period early: a season, decay, a rating that is set.
SELECT create_ladder('operated', 'elo', '{"period": "month", "k": 20}') \gset
SELECT count(*) FROM report_match('operated', 1, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2026-01-10Z') AS r;
SELECT player_id, rating, period_change FROM operated.rating ORDER BY 1;
SELECT players FROM new_season('operated', 'spring', keep => 0.5, at => '2026-01-20Z');
SELECT player_id, rating, period_change FROM operated.rating ORDER BY 1;
SELECT count(*) FROM report_match('operated', 2, '{1,2}'::bigint[], '{1,2}', '{2,1}', '2026-01-25Z') AS r;
SELECT players FROM set_rating('operated', 1, '{"rating": 1700}', at => '2026-01-26Z');
SELECT players FROM decay('operated', grace => '10 days', rate => 1, floor => 0, at => '2026-03-10Z');
-- Of 44 idle days 34 count.
SELECT player_id, abs(rating - CASE player_id WHEN 1 THEN 1700 - 34 ELSE 1495 + 20 * (1 - elo_win_probability(1495, 1505)) - 34 END) < 1e-9 AS as_expected, period_change
FROM operated.rating ORDER BY 1;
SELECT bool_and(ok) AS verified FROM verify('operated');
\set ON_ERROR_STOP off
SELECT set_rating('operated', 1, '{"period_change": 3}');
SELECT set_rating('operated', 1, '{"period": 3}');
\set ON_ERROR_STOP on

SET client_min_messages = warning;
SELECT count(drop_ladder(ladder)) FROM trial;
SELECT count(drop_ladder(l)) FROM unnest('{back,monthly,plain,one,two,first,other,ordered,cups,operated}'::text[]) AS l;
DROP SCHEMA periods CASCADE;
