-- SynElo to the letter: the convergence score of the rounds themselves, on ladders and in queries.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE SCHEMA window_test;

-- Six players in changing teams, of whom the first are the best; some rounds are draws.
\set ECHO none
CREATE TABLE window_test.round (n integer, player integer, team integer, score float8);
INSERT INTO window_test.round
SELECT n, player, team, CASE WHEN n % 7 = 0 THEN 0.5 WHEN (team = 1) = (sum(CASE team WHEN 1 THEN 7 - player ELSE player - 7 END) OVER (PARTITION BY n) + (n * 37 + 11) % 13 > 6) THEN 1 ELSE 0 END
FROM (SELECT n, player, CASE WHEN player IN (1 + n % 6, 1 + (n / 6 + n * 2 + 1) % 6, 1 + (n / 36 + n * 5 + 2) % 6) THEN 1 ELSE 2 END AS team
    FROM generate_series(1, 110) AS n, generate_series(1, 6) AS player WHERE (n + player) % 9 > 0) AS r;
\set ECHO all
DELETE FROM window_test.round AS r WHERE (SELECT count(DISTINCT team) < 2 FROM window_test.round AS s WHERE s.n = r.n);
SELECT count(DISTINCT n) >= 100 AS enough, count(DISTINCT score) AS outcomes FROM window_test.round;

-- The document's formulas F1 to F5, each round from all the rounds of its players before.
\set ECHO none
CREATE FUNCTION window_test.expected(window_size integer)
RETURNS TABLE (n integer, player integer, rating float8)
LANGUAGE plpgsql
AS $$
DECLARE
    r integer;
BEGIN
    CREATE TEMPORARY TABLE past (n integer, player integer, rating float8, p float8, score float8) ON COMMIT DROP;
    FOR r IN SELECT DISTINCT q.n FROM window_test.round AS q ORDER BY q.n LOOP
        INSERT INTO past
        -- Without rounds the score is 0.
        SELECT r, s.player, greatest(100, round(s.now + (2 + 70 * s.c * exp(-((s.now - 1000) ^ 2) / (2 * 400.0 ^ 2))) * (s.score - s.p))), s.p, s.score
        FROM (SELECT o.*, (
                SELECT least(1, coalesce(0.25 * coalesce(abs(avg(w.rating) FILTER (WHERE w.age <= w.size / 2) - avg(w.rating) FILTER (WHERE w.age > w.size - w.size / 2)), 0) / 72
                    + 0.25 * abs(avg(w.score) - avg(w.p)) / 0.10 + 0.5 * stddev_pop(w.rating) / 72, 0))
                FROM (SELECT l.*, row_number() OVER (ORDER BY l.n DESC) AS age, count(*) OVER () AS size
                    FROM (SELECT * FROM past AS a WHERE a.player = o.player ORDER BY a.n DESC LIMIT window_size) AS l) AS w) AS c
            FROM (SELECT t.*, 1 / (1 + exp(CASE t.team WHEN 1 THEN -1 ELSE 1 END * sum(CASE t.team WHEN 1 THEN t.now ELSE -t.now END) OVER () / 800)) AS p
                FROM (SELECT q.*, coalesce((SELECT a.rating FROM past AS a WHERE a.player = q.player ORDER BY a.n DESC LIMIT 1), 1000) AS now
                    FROM window_test.round AS q WHERE q.n = r) AS t) AS o) AS s;
    END LOOP;
    RETURN QUERY SELECT a.n, a.player, a.rating FROM past AS a;
    DROP TABLE past;
END
$$;

CREATE TABLE window_test.variant (name text, size integer, params jsonb);
INSERT INTO window_test.variant
SELECT name, size, jsonb_build_object('strict', true, 'team_size_max', 3, 'window', size) FROM (VALUES ('window_all', 500), ('window_some', 21)) AS v(name, size);
CREATE TABLE window_test.expectation AS
SELECT v.name, e.* FROM window_test.variant AS v, window_test.expected(v.size) AS e;
\set ECHO all
-- They differ, and ratings go somewhere.
SELECT count(*) > 50 AS differ, max(a.rating) > 1100 AS up, min(a.rating) < 900 AS down
FROM window_test.expectation AS a JOIN window_test.expectation AS b USING (n, player) WHERE a.name = 'window_all' AND b.name = 'window_some' AND a.rating <> b.rating;

-- In a query: every rating after every round is the same number.
SELECT r.name, count(*) FILTER (WHERE (r.r).rating_after <> e.rating OR (r.r).rating_after IS NULL) AS wrong
FROM (SELECT v.name, q.n, q.player, skillrating.rate('synelo', q.player, q.team, team_score => q.score, options => v.params) OVER (PARTITION BY v.name ORDER BY q.n) AS r
    FROM window_test.round AS q, window_test.variant AS v) AS r JOIN window_test.expectation AS e USING (name, n, player) GROUP BY r.name ORDER BY r.name;

-- Tuning looks back on them, too: its log loss is that of these predictions.
SELECT t.name, abs((t.t).log_loss_before - r.log_loss) < 1e-12 AS same
FROM (SELECT v.name, skillrating.tune('synelo', q.n, q.player, q.team, 2 - q.score, NULL, jsonb_build_object('params', v.params, 'burn_in', 0, 'holdout', 0, 'max_evaluations', 3) || '{"fit": ["k_high"]}' ORDER BY q.n) AS t
    FROM window_test.round AS q, window_test.variant AS v GROUP BY v.name) AS t
JOIN (SELECT s.name, avg(s.loss) AS log_loss
    FROM (SELECT r.name, r.n, avg(-q.score * ln((r.r).win_probability) - (1 - q.score) * ln(1 - (r.r).win_probability)) AS loss
        FROM (SELECT v.name, q.n, q.player, skillrating.rate('synelo', q.player, q.team, team_score => q.score, options => v.params) OVER (PARTITION BY v.name ORDER BY q.n) AS r
            FROM window_test.round AS q, window_test.variant AS v) AS r JOIN window_test.round AS q USING (n, player)
        GROUP BY r.name, r.n) AS s GROUP BY s.name) AS r USING (name)
ORDER BY t.name;

-- Theta is tuned to the rounds, from a start above 0: the log loss of rate() is higher on either side.
CREATE TABLE window_test.theta AS
SELECT skillrating.tune('synelo', n, player, team, 2 - score, NULL, '{"fit": ["theta"], "params": {"theta": 2400, "base": "natural", "strength": "sum"}, "burn_in": 0, "holdout": 0, "priors": false}' ORDER BY n) AS t
FROM window_test.round;
WITH tried AS (SELECT part, ((t).params || jsonb_build_object('theta', part * ((t).params ->> 'theta')::float8)) AS params FROM window_test.theta, unnest('{0.9,1,1.1}'::float8[]) AS part),
    predicted AS (SELECT part, n, skillrating.rate('synelo', player, team, team_score => score, options => params) OVER (PARTITION BY part ORDER BY n) AS r, score FROM tried, window_test.round),
    loss AS (SELECT part, avg(loss) AS loss FROM (SELECT part, n, avg(-score * ln((r).win_probability) - (1 - score) * ln(1 - (r).win_probability)) AS loss FROM predicted GROUP BY part, n) AS p GROUP BY part)
SELECT (t).converged, (t).log_loss < (t).log_loss_before AS better, bool_and(part = 1 OR loss > at_best) AS lowest
FROM window_test.theta, loss, (SELECT loss AS at_best FROM loss WHERE part = 1) AS b GROUP BY t;
-- It starts at 0 as well, where it is as theta_by says.
SELECT (t).converged, (t).log_loss < (t).log_loss_before AS better, f.start, f.value > 100 AS is_on
FROM (SELECT skillrating.tune('synelo', n, player, team, 2 - score, NULL, '{"fit": ["theta"]}' ORDER BY n) AS t FROM window_test.round) AS q, unnest((t).fitted) AS f;

-- On ladders: some rounds at once, and each of the others in a transaction of its own.
SELECT count(skillrating.create_ladder(name, 'synelo', params)) FROM window_test.variant;
\set ECHO none
CREATE PROCEDURE window_test.play(a integer, b integer, each boolean)
LANGUAGE plpgsql
AS $$
DECLARE
    ladder text;
    r integer;
BEGIN
    FOR r IN SELECT i FROM generate_series(a, b, CASE WHEN each THEN 1 ELSE b - a + 1 END) AS i LOOP
        FOREACH ladder IN ARRAY '{window_all,window_some}'::text[] LOOP
            EXECUTE format('INSERT INTO %I.match (match_id, played_at) SELECT DISTINCT n, ''2026-01-01''::timestamptz + n * interval ''1 hour'' FROM window_test.round WHERE n BETWEEN $1 AND $2', ladder)
                USING r, CASE WHEN each THEN r ELSE b END;
            EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score) SELECT n, player, team, score FROM window_test.round WHERE n BETWEEN $1 AND $2', ladder)
                USING r, CASE WHEN each THEN r ELSE b END;
        END LOOP;
        COMMIT;
    END LOOP;
END
$$;
\set ECHO all
CALL window_test.play(1, 40, false);

-- A round reads three states of each player and what it has written, and no more when the history is twice as long.
\set ECHO none
CREATE FUNCTION window_test.events_read(match bigint)
RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    query constant text := 'SELECT sum(pg_stat_get_xact_tuples_fetched(indexrelid)) FROM pg_index WHERE indrelid = ''window_some.event''::regclass';
    before bigint;
    after bigint;
BEGIN
    EXECUTE query INTO before;
    PERFORM skillrating.report_match('window_some', match, '{1,2,3,4,5,6}'::integer[], '{1,1,1,2,2,2}', '{1,1,1,2,2,2}', '2026-01-20');
    EXECUTE query INTO after;
    RETURN after - before;
END
$$;
\set ECHO all
BEGIN;
SELECT min(games) > 21 AS whole_windows, window_test.events_read(901) = 6 * 3 + 6 AS few_read FROM window_some.rating;
ROLLBACK;
CALL window_test.play(41, 100, true);
BEGIN;
SELECT min(games) > 80 AS longer, window_test.events_read(902) = 6 * 3 + 6 AS few_read FROM window_some.rating;
ROLLBACK;
CALL window_test.play(101, 110, false);
CREATE VIEW window_test.played AS
SELECT 'window_all' AS name, match_id::integer AS n, player_id::integer AS player, rating_after FROM window_all.event
UNION ALL SELECT 'window_some', match_id::integer, player_id::integer, rating_after FROM window_some.event;
SELECT e.name, count(*) FILTER (WHERE p.rating_after IS DISTINCT FROM e.rating) AS wrong
FROM window_test.expectation AS e LEFT JOIN window_test.played AS p USING (name, n, player) GROUP BY e.name ORDER BY e.name;

-- A correction in the middle is replayed with the rounds before it.
UPDATE window_some.match_player SET team_score = 1 - team_score WHERE match_id = '71';
UPDATE window_test.round SET score = 1 - score WHERE n = 71;
SELECT count(*) > 0 AS replayed FROM skillrating.catch_up('window_some');
SELECT count(*) FILTER (WHERE p.rating_after IS DISTINCT FROM e.rating) AS wrong, count(*) FILTER (WHERE p.rating_after <> b.rating) > 50 AS changed
FROM window_test.expected(21) AS e JOIN window_test.expectation AS b ON b.name = 'window_some' AND b.n = e.n AND b.player = e.player
    LEFT JOIN window_test.played AS p ON p.name = 'window_some' AND p.n = e.n AND p.player = e.player;
SELECT name, count(*) AS faults FROM window_test.variant, skillrating.verify(name) WHERE NOT ok GROUP BY name;

-- A rating that was set begins the rounds anew: the next change is that of the smallest K.
SELECT skillrating.set_rating('window_some', 1, '{"rating": 1000}', at => '2026-02-01') IS NOT NULL AS set;
INSERT INTO window_some.match VALUES ('201', '2026-02-02');
INSERT INTO window_some.match_player (match_id, player_id, team, team_score) VALUES ('201', 1, 1, 1), ('201', 2, 2, 0);
SELECT rating_after - rating_before AS change FROM window_some.event WHERE match_id = '201' AND player_id = '1';
SELECT count(*) AS faults FROM skillrating.verify('window_some') WHERE NOT ok;

-- The last matches of all.
\set ECHO none
DROP VIEW window_test.played;
CREATE FUNCTION window_test.play_last(a integer, b integer) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT r.player_id::text FROM generate_series(a, b) AS g,
        LATERAL skillrating.report_match('window_all', 1000 + g, ARRAY[1 + g % 6, 1 + (g + 1) % 6], '{1,2}', CASE WHEN g % 3 = 0 THEN '{2,1}'::integer[] ELSE '{1,2}' END, '2026-03-01'::timestamptz + g * interval '1 hour') AS r;
END
$$;
\set ECHO all
SELECT count(*) FROM window_test.play_last(1, 50);
SELECT count(*) AS faults FROM skillrating.verify('window_all') WHERE NOT ok;
SELECT count(skillrating.drop_ladder(name)) FROM window_test.variant;
\set VERBOSITY terse
SET client_min_messages = warning;
DROP SCHEMA window_test CASCADE;
