-- Rating periods in a query: all games of a period count from the states at its start.
\pset format unaligned
\pset tuples_only on

\set VERBOSITY terse
SET TIME ZONE 'UTC';

-- Games of two players each; a scores 1, 1/2 or 0.  They fall into four months.
CREATE TABLE games AS
SELECT g, timestamptz '2026-01-03 12:00Z' + g * interval '19 hours' AS at,
    1 + g * 7 % 11 AS a, 1 + (g * 7 + 1 + g % 10) % 11 AS b, (g * 5 % 7 % 3) / 2.0 AS score
FROM generate_series(1, 140) AS g;
SELECT count(*), count(DISTINCT date_trunc('month', at)) AS months, bool_and(a <> b) FROM games;

CREATE VIEW rows AS
SELECT g, at, p.player, p.team, p.rank
FROM games, LATERAL (VALUES (a, 1, 2 - score), (b, 2, 1 + score)) AS p(player, team, rank);

-- A row without a result is the state with which a player goes into a match at its time: the first of
-- each month closes the month before.
\set ECHO none
CREATE VIEW starts AS
SELECT 1000 + player AS g, m.month AS at, p.player, o.team, NULL::float8 AS rank, m.month
FROM (SELECT (timestamp '2026-01-01' + n * interval '1 month') AT TIME ZONE 'UTC' FROM generate_series(0, 5) AS n) AS m(month),
    generate_series(1, 11) AS p(player), (VALUES (1), (2)) AS o(team)
WHERE o.team = 1;

CREATE VIEW list AS
SELECT model, month, player, r
FROM (
    SELECT m.model, s.month, s.player, skillrating.rate(m.model, s.who, s.team, s.rank, played_at => s.at,
        options => m.params) OVER (PARTITION BY m.model ORDER BY s.at, s.g) AS r
    FROM (VALUES ('elo', '{"period": "month", "k": 20}'::jsonb), ('glicko', '{"period": "month", "c": 40}'),
            ('glicko2', '{"period": "month", "tau": 0.7}')) AS m(model, params),
        (SELECT g, at, player AS who, team, rank, NULL::timestamptz AS month, NULL::integer AS player FROM rows
        UNION ALL
        SELECT g, at, player, 1, NULL, month, player FROM starts
        UNION ALL
        SELECT g, at, player + 100, 2, NULL, NULL, NULL FROM starts) AS s) AS q
WHERE month IS NOT NULL;

-- What the formulas make of the whole month at once.
CREATE VIEW expected AS
WITH opponents AS (
    SELECT l.model, l.month, l.player, (l.r).state_before AS state,
        coalesce(array_agg((o.r).state_before[1] ORDER BY m.g) FILTER (WHERE m.g IS NOT NULL), '{}') AS ratings,
        coalesce(array_agg((o.r).state_before[2] ORDER BY m.g) FILTER (WHERE m.g IS NOT NULL), '{}') AS deviations,
        coalesce(array_agg(m.score::float8 ORDER BY m.g) FILTER (WHERE m.g IS NOT NULL), '{}') AS scores,
        (SELECT count(*) FROM games AS e WHERE l.player IN (e.a, e.b) AND e.at < l.month) AS before
    FROM list AS l
    LEFT JOIN (
        SELECT g, at, a AS player, b AS opponent, score FROM games
        UNION ALL SELECT g, at, b, a, 1 - score FROM games) AS m
        ON m.player = l.player AND date_trunc('month', m.at) = l.month
    LEFT JOIN list AS o ON o.model = l.model AND o.month = l.month AND o.player = m.opponent
    GROUP BY l.model, l.month, l.player, l.r
)
SELECT model, month, player, state, scores, before, CASE model
    WHEN 'elo' THEN ARRAY[state[1] + 20 * coalesce((
        SELECT sum(s - skillrating.elo_win_probability(state[1], r)) FROM unnest(scores, ratings) AS u(s, r)), 0)]
    WHEN 'glicko2' THEN (SELECT ARRAY[u.new_rating, u.new_deviation, u.new_volatility]
        FROM skillrating.glicko2_update(state[1], state[2], state[3], ratings, deviations, scores, tau => 0.7) AS u)
    -- The deviation grew when the month began, but not before the first games.
    ELSE (SELECT ARRAY[u.new_rating, CASE WHEN before + cardinality(scores) = 0 THEN 350
            ELSE least(sqrt(u.new_deviation ^ 2 + 40 ^ 2), 350) END]
        FROM skillrating.glicko_update(state[1], state[2], ratings, deviations, scores, c => 0) AS u)
    END AS next
FROM opponents;
\set ECHO all

SELECT model, count(*), max(cardinality(scores)) AS most, count(*) FILTER (WHERE scores = '{}') AS idle,
    bool_and(abs(e.next[1] - (l.r).state_before[1]) < 1e-9) AS rating,
    bool_and(abs(e.next[2] - (l.r).state_before[2]) < 1e-9) FILTER (WHERE model <> 'elo') AS deviation,
    bool_and(abs(e.next[3] - (l.r).state_before[3]) < 1e-12) FILTER (WHERE model = 'glicko2') AS volatility
FROM expected AS e JOIN list AS l USING (model, player)
WHERE l.month = e.month + interval '1 month' AND (model <> 'glicko2' OR e.before + cardinality(e.scores) > 0)
GROUP BY model ORDER BY model;

-- Glickman's examples, by rate() of three games on three days.
SELECT model, round((r).state_before[1]::numeric, 4) AS rating, round((r).state_before[2]::numeric, 4) AS deviation,
    CASE model WHEN 'glicko2' THEN round((r).state_before[3]::numeric, 6) END AS volatility
FROM (
    SELECT m.model, x.rank, x.player, skillrating.rate(m.model, player, team, rank, played_at => at, options => m.params, start => ARRAY[
        skillrating.starting_rating(0, 1500, 200), skillrating.starting_rating(1, 1400, 30),
        skillrating.starting_rating(2, 1550, 100), skillrating.starting_rating(3, 1700, 300)])
        OVER (PARTITION BY m.model ORDER BY at) AS r
    FROM (VALUES ('glicko', '{"period": "week", "c": 0}'::jsonb), ('glicko2', '{"period": "week"}')) AS m(model, params),
        (VALUES (0, 1, 1, timestamptz '2026-03-02 Z'), (1, 2, 2, '2026-03-02 Z'), (0, 1, 2, '2026-03-05 Z'), (2, 2, 1, '2026-03-05 Z'),
            (0, 1, 2, '2026-03-08 23:59Z'), (3, 2, 1, '2026-03-08 23:59Z'), (0, 1, NULL, '2026-03-09 Z'), (3, 2, NULL, '2026-03-09 Z'))
            AS x(player, team, rank, at)) AS q
WHERE rank IS NULL AND player = 0 ORDER BY model;

-- The time zone of the session has no say in it.
CREATE TABLE here AS SELECT * FROM list;
SET TIME ZONE 'Pacific/Auckland';
SELECT count(*), bool_and(list.r = h.r) AS same FROM list JOIN here AS h USING (model, month, player);
SET TIME ZONE 'UTC';

-- Tournaments; columns of the match, so that all its rows have the same.
\set ECHO none
CREATE TABLE swiss AS
SELECT g, 'cup ' || (g - 1) / 50 AS tournament, 1 + g % 8 AS a, 1 + (g + 1 + g % 7) % 8 AS b, (g * 3 % 5 % 3) / 2.0 AS score
FROM generate_series(1, 200) AS g;
CREATE VIEW swiss_rows AS
SELECT g, tournament, p.player, p.team, p.rank
FROM swiss, LATERAL (VALUES (a, 1, 2 - score), (b, 2, 1 + score)) AS p(player, team, rank);
\set ECHO all

WITH rated AS (
    SELECT *, skillrating.rate('elo', player, team, rank, tournament => tournament, options => '{"period": "tournament"}')
        OVER (ORDER BY g) AS r FROM swiss_rows
), starts AS (
    SELECT DISTINCT tournament, player, (r).rating_before AS rating FROM rated
), changes AS (
    SELECT s.tournament, p.player, sum(32 * (p.score - skillrating.elo_win_probability(x.rating, y.rating))) AS change
    FROM swiss AS s, LATERAL (VALUES (a, b, score), (b, a, 1 - score)) AS p(player, opponent, score)
    JOIN starts AS x ON x.player = p.player JOIN starts AS y ON y.player = p.opponent
    WHERE x.tournament = s.tournament AND y.tournament = s.tournament GROUP BY s.tournament, p.player
)
SELECT count(*) AS players_and_cups, bool_and(abs(x.rating + c.change - y.rating) < 1e-9) AS next_cup
FROM changes AS c JOIN starts AS x USING (tournament, player)
JOIN starts AS y ON y.player = c.player AND y.tournament = 'cup ' || substr(c.tournament, 5)::integer + 1;

-- Every way to a rating has them.
WITH finals AS (
    SELECT f.* FROM (SELECT skillrating.final_ratings('glicko2', g, player, team, rank, skillrating.inputs(tournament => tournament),
        '{"period": "tournament"}' ORDER BY g) AS a FROM swiss_rows) AS q, unnest(q.a) AS f
), windows AS (
    SELECT DISTINCT ON (player) player, (r).state_after AS state
    FROM (SELECT g, player, skillrating.rate('glicko2', player, team, rank, tournament => tournament, options => '{"period": "tournament"}')
        OVER (ORDER BY g) AS r FROM swiss_rows) AS q ORDER BY player, g DESC
), arrays AS (
    SELECT DISTINCT ON (player) player, ARRAY(SELECT (r).state_after[n][k] FROM generate_series(1, 9) AS k ORDER BY k) AS state
    FROM (SELECT g, a, b, skillrating.rate_match('glicko2', ARRAY[a, b], '{1,2}', ARRAY[2 - score, 1 + score], tournament => tournament,
        options => '{"period": "tournament"}') OVER (ORDER BY g) AS r FROM swiss) AS q, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, n)
    ORDER BY player, g DESC
)
SELECT count(*), bool_and(f.state = w.state) AS rate, bool_and(f.state = a.state) AS rate_match
FROM finals AS f JOIN windows AS w ON w.player = f.player_id::integer JOIN arrays AS a USING (player);

-- Half of the matches and then the rest are all of them, in an open tournament too.
SELECT (SELECT skillrating.final_ratings('glicko', g, player, team, rank, skillrating.inputs(tournament => tournament),
        '{"period": "tournament"}' ORDER BY g) FROM swiss_rows)
    = (SELECT skillrating.final_ratings('glicko', g, player, team, rank, skillrating.inputs(tournament => tournament),
        '{"period": "tournament"}', (SELECT skillrating.final_ratings('glicko', g, player, team, rank,
            skillrating.inputs(tournament => tournament), '{"period": "tournament"}' ORDER BY g) FROM swiss_rows WHERE g <= 77), NULL
        ORDER BY g) FROM swiss_rows WHERE g > 77) AS continued;

-- A player who comes from elsewhere has rested since the last match there, three months here.
SELECT s.last, (r).deviation_before, abs((r).deviation_before - s.deviation) < 1e-9 AS right
FROM (VALUES (NULL::timestamptz, 50), ('2026-01-31Z', sqrt(50 ^ 2 + 3 * 63.2 ^ 2)), ('2026-04-01Z', 50)) AS s(last, deviation),
    LATERAL (SELECT p, skillrating.rate('glicko', p, p, p, played_at => '2026-04-30Z', options => '{"period": "month"}',
        start => ARRAY[skillrating.starting_rating(1, 1600, 50, last_played => s.last)]) OVER (ORDER BY 1) AS r FROM (VALUES (1), (2)) AS o(p)) AS q
WHERE p = 1 ORDER BY s.last;

-- Before the first tournament, too: the whole multiples of period_days, and none within one.
SELECT m.model, s.last, round((r).deviation_before::numeric, 4) AS deviation, abs((r).deviation_before - CASE m.model WHEN 'glicko' THEN sqrt(50 ^ 2 + s.n * 63.2 ^ 2)
        ELSE sqrt(50 ^ 2 + s.n * (400 / ln(10) * 0.06) ^ 2) END) < 1e-9 AS right
FROM (VALUES ('glicko'), ('glicko2')) AS m(model),
    (VALUES (NULL::timestamptz, 0), ('2026-01-30 12:00Z', 3), ('2026-01-31Z', 2), ('2026-03-31 Z', 1), ('2026-04-29Z', 0), ('2026-05-20Z', 0)) AS s(last, n),
    LATERAL (SELECT p, skillrating.rate(m.model, p, p, p, played_at => '2026-04-30Z', tournament => 'cup',
        options => '{"period": "tournament", "period_days": 30}', start => ARRAY[skillrating.starting_rating(1, 1600, 50, last_played => s.last)])
        OVER (ORDER BY 1) AS r FROM (VALUES (1), (2)) AS o(p)) AS q
WHERE p = 1 ORDER BY m.model, s.last;

-- Ordinals are days: a rating period each.
SELECT skillrating.final_ratings('glicko2', g, player, team, rank, skillrating.inputs(period => g / 20), '{"period": "day"}' ORDER BY g)
    = skillrating.final_ratings('glicko2', g, player, team, rank, skillrating.inputs(played_at => timestamptz '2000-01-01 Z' + g / 20 * interval '1 day'),
        '{"period": "day"}' ORDER BY g) AS ordinals
FROM swiss_rows;

-- What is shown within a period: that of the start, or that of the games so far.
SELECT g, p.shown, (r).rating_after
FROM (VALUES ('every match', '{}'::jsonb), ('start', '{"period": "day"}'), ('so far', '{"period": "day", "period_shown": "so_far"}')) AS p(shown, params),
    LATERAL (SELECT g, player, skillrating.rate('elo', player, player, player, played_at => '2026-01-01Z', options => p.params)
        OVER (ORDER BY g) AS r FROM generate_series(1, 3) AS g, (VALUES (1), (2)) AS o(player)) AS q
WHERE player = 1 ORDER BY g, shown;

-- Forecasts: from the start of the open period, or from that of the match.
WITH finals AS (
    SELECT array_agg(f.state ORDER BY f.player_id) AS state FROM (
        SELECT skillrating.final_ratings('elo', g, player, team, team, skillrating.inputs(played_at => '2026-01-01Z'), '{"period": "week"}' ORDER BY g) AS a
        FROM generate_series(1, 10) AS g, (VALUES (1, 1), (2, 2)) AS p(player, team)) AS q, unnest(q.a) AS f)
SELECT at, p.win_probability, p.win_probability = CASE WHEN at >= '2026-01-05Z' THEN skillrating.elo_win_probability(1660, 1340) ELSE 0.5 END AS right
FROM finals, (VALUES (NULL::timestamptz), ('2026-01-04 23:59Z'), ('2026-01-05Z')) AS t(at),
    skillrating.predict('elo', state, '{1,2}', params => '{"period": "week"}', played_at => at) AS p
WHERE p.team = 1 ORDER BY at NULLS FIRST;
SELECT * FROM skillrating.predict('elo', '{1500,1400}', '{1,2}', params => '{"period": "week"}');
SELECT * FROM skillrating.predict('elo', '{1500,1400}', '{1,2}', played_at => 'infinity');

-- A season closes the open period early.
SELECT g, (r).rating_before, (r).state_before
FROM (SELECT g, p, skillrating.rate('elo', p, p, p, played_at => '2026-01-01Z', season => g / 3, options => '{"season_mean": 1500, "period": "month"}')
    OVER (ORDER BY g) AS r FROM generate_series(1, 4) AS g, (VALUES (1), (2)) AS o(p)) AS q WHERE p = 1 ORDER BY g;

-- Parameters are fitted with periods, by the forecasts of rate(); periods are not fitted themselves.
SELECT (t.tuning).held_out_matches, (t.tuning).held_out_log_loss_before = r.loss AS forecasts_of_rate
FROM (SELECT skillrating.tune('glicko', g, player, team, rank, skillrating.inputs(tournament => tournament),
    '{"fit": ["initial_deviation"], "params": {"period": "tournament"}, "burn_in": 0, "holdout": 0.5}' ORDER BY g) AS tuning FROM swiss_rows) AS t,
    (SELECT skillrating.log_loss((r).win_probability, (r).score) AS loss
    FROM (SELECT g, team, skillrating.rate('glicko', player, team, rank, tournament => tournament, options => '{"period": "tournament"}')
        OVER (ORDER BY g) AS r FROM swiss_rows) AS q WHERE team = 1 AND g > 100) AS r;
SELECT skillrating.tune('elo', g, player, team, rank, NULL, '{"fit": ["period"]}' ORDER BY g) FROM swiss_rows;

-- Mistakes.
SELECT g, (r).unrated_reason, (r).unrated_detail
FROM (SELECT g, p, skillrating.rate('elo', p, p, p, tournament => CASE WHEN g = 2 THEN NULL ELSE 'cup' || CASE WHEN g = 3 THEN p ELSE 1 END END,
    options => '{"period": "tournament"}') OVER (ORDER BY g) AS r FROM generate_series(1, 3) AS g, (VALUES (1), (2)) AS o(p)) AS q WHERE p = 1 ORDER BY g;
SELECT skillrating.final_ratings('glicko', 1, p, p, p, skillrating.inputs(), '{"strict_rows": true, "period": "day"}' ORDER BY 1) FROM (VALUES (1), (2)) AS o(p);
SELECT skillrating.final_ratings('glicko', 1, p, p, p, skillrating.inputs(tournament => p::text), '{"strict_rows": true, "period": "tournament"}' ORDER BY 1) FROM (VALUES (1), (2)) AS o(p);
SELECT skillrating.final_ratings('glicko', 1, p, p, p, skillrating.inputs(), '{"period": 30}' ORDER BY 1) FROM (VALUES (1), (2)) AS o(p);

SELECT skillrating.idle_state('glicko', skillrating.initial_state('glicko', '{"period": "day"}'), '1 month', '{"period": "day"}');
-- A ladder gets them when it is made.
SELECT skillrating.create_ladder('periods', 'elo') \gset
UPDATE periods.ladder SET params = params || '{"period": "month"}';
SELECT skillrating.report_match('periods', 1, '{1,2}', '{1,2}', '{1,2}');
SET client_min_messages = warning;
DROP SCHEMA periods CASCADE;

-- The state has more columns then.
SELECT m.name, p.period, cardinality(m.state_columns) AS columns, m.state_columns
FROM (VALUES ('elo'), ('glicko'), ('glicko2')) AS x(name), (VALUES ('none'), ('month'), ('tournament')) AS p(period),
    skillrating.models(x.name, jsonb_build_object('period', p.period)) AS m
ORDER BY 1, 3;
SELECT skillrating.initial_state('glicko', '{"period": "day"}');

DROP VIEW expected, list, starts, rows, swiss_rows;
DROP TABLE games, swiss, here;
