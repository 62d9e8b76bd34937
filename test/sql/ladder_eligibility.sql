-- Rules of eligibility: against a plain statement of them over random matches, each by itself and
-- all together; as operations that are declared for a time, and undone.
SET extra_float_digits = 1;
SELECT setseed(0.1417);

SELECT name, type, default_value, min, max, choices, unit, reason FROM skillrating.parameters('eligibility');
-- Each has a reason of its own, but for the two that leave out who played too little.
SELECT r.reason, count(*), bool_and(u.reason IS NOT NULL AND NOT u.mistake) AS listed
FROM skillrating.parameters('eligibility') AS r LEFT JOIN skillrating.reasons() AS u USING (reason)
WHERE r.reason IS NOT NULL GROUP BY r.reason HAVING count(*) > 1 OR NOT bool_and(u.reason IS NOT NULL AND NOT u.mistake);

-- Matches of ten players, most of two teams, with everything that rules look at, or without.
CREATE TABLE random_match AS
SELECT n AS match_id, '2024-01-01'::timestamptz + n * interval '20 minutes' AS played_at,
    CASE WHEN random() < 0.8 THEN round(random() * 2000) END AS duration, random() < 0.3 AS surrendered,
    2 + (random() < 0.1)::int AS teams
FROM generate_series(1, 120) AS n;
-- What is drawn of a player comes from below, because calls of random() beside one that sorts would all be that one.
CREATE TABLE random_player AS
SELECT m.match_id, p.p AS player_id, 1 + (row_number() OVER (PARTITION BY m.match_id ORDER BY p.place) - 1) % m.teams AS team,
    CASE WHEN p.idle < 0.1 THEN 0 WHEN p.idle < 0.3 THEN p.play END AS weight,
    CASE WHEN p.machine < 0.3 THEN p.machine < 0.2 END AS bot
FROM random_match AS m
CROSS JOIN LATERAL (
    SELECT d.* FROM (
        SELECT p, random() AS place, random() AS idle, random() AS play, random() AS machine
        FROM generate_series(1, 10) AS p WHERE m.match_id > 0) AS d
    ORDER BY d.place LIMIT 2 + floor(random() * random() * 5)::int) AS p;
DELETE FROM random_match AS m WHERE (SELECT count(DISTINCT team) FROM random_player AS p WHERE p.match_id = m.match_id) < m.teams;
DELETE FROM random_player AS p WHERE NOT EXISTS (SELECT FROM random_match AS m WHERE m.match_id = p.match_id);
-- Three players who meet again and again; the first five have much experience from elsewhere.
UPDATE random_player SET player_id = 11 + (match_id % 3 + team) % 3
WHERE match_id % 5 = 0 AND match_id IN (SELECT match_id FROM random_player GROUP BY match_id HAVING count(*) = 2);

-- The rules, in plain SQL and in turn: what is rated with whom, or why it is not.
CREATE TABLE counted (match_id int, played_at timestamptz, player_id int, team int, PRIMARY KEY (match_id, player_id));
CREATE INDEX ON counted (player_id);
CREATE TABLE judged (match_id int, reason text);
CREATE TABLE side (rule text, rated bigint, broken bigint);
CREATE TABLE here (player_id int, team int, bot boolean, share float8, seconds float8);
CREATE FUNCTION judge(rules jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m record;
    why text;
    smallest int; largest int; players int; bots int; newcomers int; gone int; teams int; absent int; idle int; repeats int;
BEGIN
    TRUNCATE here, counted, judged;
    FOR m IN SELECT * FROM random_match ORDER BY played_at, match_id LOOP
        DELETE FROM here;
        INSERT INTO here SELECT player_id, team, bot, coalesce(weight, 1) AS share, coalesce(weight, 1) * m.duration AS seconds
            FROM random_player WHERE match_id = m.match_id;
        SELECT count(*) FILTER (WHERE t.play = 0) INTO idle FROM (SELECT sum(share) AS play FROM here GROUP BY team) AS t;
        SELECT count(*) FILTER (WHERE share = 0) INTO absent FROM here;
        why := CASE WHEN rules->>'no_show' = 'unrated' AND absent > 0 THEN CASE WHEN idle > 0 THEN 'no_play_time' ELSE 'no_show' END END;
        gone := 0;
        IF why IS NULL THEN
            DELETE FROM here WHERE rules->>'no_show' = 'leave_out' AND share = 0
                OR seconds < (rules->>'min_play_time')::float8 OR share < (rules->>'min_play_share')::float8;
            GET DIAGNOSTICS gone = ROW_COUNT;
        END IF;
        SELECT count(*), coalesce(sum(n), 0), min(n), max(n) INTO teams, players, smallest, largest FROM (SELECT count(*)::int AS n FROM here GROUP BY team) AS t;
        SELECT count(*) FILTER (WHERE bot),
            count(*) FILTER (WHERE h.player_id > 5 AND (SELECT count(*) FROM counted AS c WHERE c.player_id = h.player_id) < coalesce((rules->>'newcomer_games')::float8, 10))
        INTO bots, newcomers FROM here AS h;
        SELECT count(*) FILTER (WHERE t.play = 0) INTO idle FROM (SELECT sum(share) AS play FROM here GROUP BY team) AS t;
        -- Earlier matches nearby in which each pair of opponents were opponents.
        SELECT count(*) INTO repeats FROM (
            SELECT FROM here AS a JOIN here AS b ON a.team < b.team
            JOIN counted AS x ON x.player_id = a.player_id
            JOIN counted AS y ON y.match_id = x.match_id AND y.player_id = b.player_id AND y.team <> x.team
            WHERE rules ? 'max_repeats'
                AND x.played_at >= m.played_at - coalesce((rules->>'repeat_window')::float8, 86400) * interval '1 second'
            GROUP BY x.match_id
            HAVING count(*) = (SELECT count(*) FROM here AS a JOIN here AS b ON a.team < b.team)) AS e;
        why := coalesce(why, CASE
            WHEN teams < 2 AND gone > 0 THEN 'left out'
            WHEN idle > 0 THEN 'no_play_time'
            WHEN m.duration < (rules->>'min_duration')::float8 THEN 'too_short'
            WHEN m.surrendered AND m.duration < (rules->>'min_surrender_time')::float8 THEN 'early_surrender'
            WHEN smallest < (rules->>'min_team_size')::float8 THEN 'team_too_small'
            WHEN largest > (rules->>'max_team_size')::float8 THEN 'team_too_large'
            WHEN largest - smallest > (rules->>'max_size_difference')::float8 THEN 'uneven_teams'
            WHEN bots > (rules->>'max_bot_share')::float8 * players THEN 'too_many_bots'
            WHEN newcomers > (rules->>'max_newcomer_share')::float8 * players THEN 'too_many_newcomers'
            WHEN repeats >= (rules->>'max_repeats')::float8 THEN 'repeated_opponents' END);
        IF why IS NULL THEN
            INSERT INTO counted SELECT m.match_id, m.played_at, player_id, team FROM here;
        END IF;
        INSERT INTO judged VALUES (m.match_id, why);
    END LOOP;
END
$$;

CREATE FUNCTION fill(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at, duration, surrendered) SELECT match_id, played_at, duration, surrendered FROM random_match', ladder);
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank, weight, bot, experience) SELECT match_id, player_id, team, team, weight, bot, CASE WHEN player_id <= 5 THEN 50 END FROM random_player', ladder);
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;

-- A ladder with rules, as it comes out in one batch and when they are declared later.
CREATE FUNCTION try(rules jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    wrong bigint;
    rated bigint;
    broken bigint;
BEGIN
    PERFORM skillrating.drop_ladder(nspname) FROM pg_namespace WHERE nspname IN ('ruled', 'later');
    PERFORM judge(rules);
    PERFORM skillrating.create_ladder('ruled', 'elo', eligibility => rules), skillrating.create_ladder('later', 'elo', late => 'reorder');
    PERFORM fill('ruled'), fill('later');
    SELECT count(*) FILTER (WHERE r.reason IS DISTINCT FROM j.reason AND NOT (j.reason = 'left out' AND r.reason IN ('too_little_play', 'no_show'))),
        count(*) FILTER (WHERE r.status = 'rated'), count(*) FILTER (WHERE r.seq IS NOT NULL AND r.status = 'unrated')
    INTO wrong, rated, broken
    FROM ruled.rated_match AS r JOIN judged AS j USING (match_id);
    IF wrong > 0 OR (SELECT count(*) FROM ruled.rated_match) <> (SELECT count(*) FROM judged) THEN
        RETURN format('%s: %s matches judged otherwise', rules, wrong);
    END IF;
    SELECT count(*) INTO wrong FROM (
        (SELECT match_id, player_id FROM ruled.event EXCEPT SELECT match_id, player_id FROM counted)
        UNION ALL (SELECT match_id, player_id FROM counted EXCEPT SELECT match_id, player_id FROM ruled.event)) AS d;
    IF wrong > 0 THEN
        RETURN format('%s: %s participants otherwise', rules, wrong);
    END IF;
    -- Declared later, all comes out the same in the order of time.
    PERFORM skillrating.set_eligibility('later', rules);
    PERFORM skillrating.catch_up('later');
    SELECT count(*) INTO wrong FROM (
        (SELECT player_id, rating, games FROM ruled.rating WHERE games > 0 EXCEPT SELECT player_id, rating, games FROM later.rating)
        UNION ALL (SELECT player_id, rating, games FROM later.rating WHERE games > 0 EXCEPT SELECT player_id, rating, games FROM ruled.rating)) AS d;
    PERFORM skillrating.catch_up('ruled', rebuild => true);
    IF wrong > 0 OR EXISTS (SELECT FROM skillrating.verify('ruled') WHERE NOT ok) OR EXISTS (SELECT FROM skillrating.verify('later') WHERE NOT ok) THEN
        RETURN format('%s: %s other ratings when declared later', rules, wrong);
    END IF;
    -- Those that are broken by the reasons of the rule, or rated without somebody.
    INSERT INTO side
    SELECT r.rule, rated, (SELECT count(*) FROM ruled.rated_match AS m WHERE m.reason = r.reason)
        + (SELECT count(*) FROM (SELECT match_id, player_id FROM random_player EXCEPT SELECT match_id, player_id FROM counted) AS d
            WHERE rules->>'no_show' = 'leave_out' OR r.rule IN ('min_play_time', 'min_play_share'))
    FROM (SELECT e.name AS rule, coalesce(e.reason, (SELECT o.reason FROM skillrating.parameters('eligibility') AS o WHERE o.reason IS NOT NULL
            AND o.name = CASE e.name WHEN 'newcomer_games' THEN 'max_newcomer_share' ELSE 'max_repeats' END)) AS reason
        FROM skillrating.parameters('eligibility') AS e WHERE rules ? e.name) AS r
    WHERE (SELECT count(*) FROM jsonb_object_keys(rules) AS k WHERE k NOT IN ('newcomer_games', 'repeat_window')) = 1;
    RETURN format('%s: %s', rules, CASE WHEN rated < 15 OR broken < 5 THEN format('%s rated, %s not', rated, broken) ELSE 'as stated' END);
END
$$;

SELECT try('{"min_duration": 600}');
SELECT try('{"min_surrender_time": 1500}');
SELECT try('{"no_show": "unrated"}');
SELECT try('{"no_show": "leave_out"}');
SELECT try('{"min_play_time": 200}');
SELECT try('{"min_play_share": 0.5}');
SELECT try('{"min_team_size": 2}');
SELECT try('{"max_team_size": 1}');
SELECT try('{"max_size_difference": 0}');
SELECT try('{"max_bot_share": 0.3}');
SELECT try('{"max_newcomer_share": 0.6, "newcomer_games": 5}');
SELECT try('{"max_repeats": 1, "repeat_window": 7200}');
SELECT try('{"max_repeats": 2}');
SELECT try('{"max_repeats": 3, "repeat_window": 1e8}');
SELECT try('{"min_duration": 200, "min_surrender_time": 600, "no_show": "leave_out", "min_play_share": 0.2, "min_play_time": 50, "max_team_size": 3, "max_size_difference": 1, "max_bot_share": 0.6, "max_newcomer_share": 0.6, "newcomer_games": 3, "max_repeats": 2, "repeat_window": 50000}');

-- Of each rule by itself there were matches on both sides of it.
SELECT rule, bool_and(rated > 10 AND broken > 5) AS both_sides FROM side GROUP BY rule ORDER BY rule;
SELECT array_agg(name) AS not_tried FROM skillrating.parameters('eligibility') WHERE name NOT IN (SELECT rule FROM side);

-- Rules hold from a time on, the last that were declared for it; undoing them brings back those before.
SELECT skillrating.create_ladder('arena', 'elo', eligibility => '{"min_duration": 60}');
SELECT skillrating.set_eligibility('arena', '{"min_duration": 120}', '2024-02-01', 'longer in season 2') AS operation;
SELECT skillrating.set_eligibility('arena', '{"min_duration": 90}', '2024-01-15') AS operation;
SELECT skillrating.set_eligibility('arena', '{}', '2024-03-01') AS operation;
SELECT since AT TIME ZONE 'UTC' AS since, until AT TIME ZONE 'UTC' AS until, rules, operation, reason FROM skillrating.eligibility('arena');
SELECT m, (SELECT min(r.outcome) FROM skillrating.report_match('arena', m, ARRAY[1, 2], '{1,2}', '{1,2}', at, duration => 80) AS r) AS outcome
FROM (VALUES (1, '2024-01-10'::timestamptz), (2, '2024-01-15'), (3, '2024-02-10'), (4, '2024-03-01')) AS v(m, at);
SELECT match_id, status, reason, detail, seq IS NOT NULL AS placed FROM arena.rated_match ORDER BY match_id;
SELECT * FROM skillrating.match_outcome('arena', 2);
SELECT skillrating.undo_operation('arena', 3);
SELECT since AT TIME ZONE 'UTC' AS since, until AT TIME ZONE 'UTC' AS until, rules, operation, reason FROM skillrating.eligibility('arena');
SELECT kind, played_at AT TIME ZONE 'UTC' AS played_at FROM arena.correction ORDER BY kind;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('arena') ORDER BY player_id;
SELECT match_id, status, reason FROM arena.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Rules for matches to come correct nothing.
SELECT skillrating.set_eligibility('arena', '{"min_duration": 500}', '2024-04-01') AS operation;
SELECT count(*) FROM arena.correction;

-- A shadow has the rules of its ladder.
SELECT skillrating.shadow_ladder('arena', 'other', 'glicko2');
SELECT match_id, status, reason FROM other.rated_match ORDER BY match_id;
SELECT skillrating.undo_operation('arena', 2) IS NULL, skillrating.undo_operation('other', 2) IS NULL;
SELECT count(*) FROM skillrating.catch_up('other');
SELECT skillrating.promote_ladder('other', 'former');
ALTER SCHEMA former RENAME TO other;
SELECT match_id, status, reason FROM arena.rated_match ORDER BY match_id;
SELECT rules, count(*) FROM skillrating.eligibility('arena') GROUP BY rules ORDER BY rules;
SELECT bool_and(ok) FROM skillrating.verify('arena');
-- Other rules of both since then are refused.
SELECT skillrating.set_eligibility('arena', '{"min_duration": 10}') > 0 AS declared, skillrating.set_eligibility('other', '{"min_duration": 20}') > 0 AS declared;
SELECT skillrating.promote_ladder('other', 'former');

-- Columns of the match differ among its rows, or make no sense.
CREATE TABLE odd (match_id int, played_at timestamptz, player_id int, team int, rank int, duration float8, surrendered int, bot int);
CREATE VIEW odd_source AS SELECT * FROM odd;
SELECT skillrating.create_ladder('odds', 'elo', source => 'odd_source');
SELECT skillrating.attach('odds', 'odd', match_id => 'match_id');
INSERT INTO odd SELECT m, '2024-01-01'::timestamptz + m * interval '1 day', t, t, t,
    CASE m WHEN 1 THEN -1 WHEN 2 THEN 'NaN'::float8 WHEN 3 THEN t WHEN 4 THEN 60 END, CASE m WHEN 5 THEN t - 1 WHEN 8 THEN 2 WHEN 9 THEN 1 END, CASE m WHEN 6 THEN 2 WHEN 7 THEN t - 1 END
FROM generate_series(1, 9) AS m CROSS JOIN generate_series(1, 2) AS t;
SELECT match_id, status, reason, detail FROM odds.rated_match ORDER BY match_id;
-- What was rated before such a mistake no longer counts, and does again when it is corrected.
SELECT skillrating.create_ladder('told', 'elo', apply_at => 'statement');
SELECT match_id, outcome FROM (VALUES (4, 60, true, '{t,f}'::boolean[]), (5, NULL, false, '{f,NULL}'), (6, 0, NULL, NULL)) AS v(match_id, duration, surrendered, bot),
    LATERAL (SELECT DISTINCT outcome FROM skillrating.report_match('told', v.match_id, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-01-01'::timestamptz + v.match_id * interval '1 day',
        duration => v.duration, surrendered => v.surrendered, bot => v.bot)) AS r ORDER BY match_id;
-- Who reports a match is told of a mistake at once; surrendered and bot are boolean.
SELECT skillrating.report_match('told', 7, '{1,2}'::bigint[], '{1,2}', '{1,2}', duration => -1);
SELECT skillrating.report_match('told', 7, '{1,2}'::bigint[], '{1,2}', '{1,2}', duration => 'NaN');
SELECT skillrating.report_match('told', 7, '{1,2}'::bigint[], '{1,2}', '{1,2}', duration => 'infinity');
SELECT skillrating.report_match('told', 7, '{1,2}'::bigint[], '{1,2}', '{1,2}', bot => '{t}');
\set SHOW_CONTEXT never
\set SHOW_CONTEXT errors
SELECT count(*) FROM told.match WHERE match_id = 7;
UPDATE told.match SET duration = 'NaN' WHERE match_id = 4;
SELECT count(*) AS changed FROM skillrating.catch_up('told');
SELECT * FROM skillrating.match_outcome('told', 4);
UPDATE told.match SET duration = 61 WHERE match_id = 4;
SELECT count(*) AS changed FROM skillrating.catch_up('told');
SELECT skillrating.match_outcome('told', 4), (SELECT bool_and(ok) FROM skillrating.verify('told')) AS verified;
SELECT skillrating.drop_ladder('told');
-- What is false says nothing, so that the match is the same.
UPDATE odd SET surrendered = 0, bot = 0 WHERE match_id = 4;
SELECT count(*) FROM odds.correction;
UPDATE odd SET duration = 61 WHERE match_id = 4;
SELECT count(*) FROM odds.correction;

-- What is no rule.
\set VERBOSITY terse
SELECT skillrating.set_eligibility('odds', '{"max_length": 3}');
SELECT skillrating.set_eligibility('odds', '{"min_duration": 0}');
SELECT skillrating.set_eligibility('odds', '{"max_bot_share": 1.5}');
SELECT skillrating.set_eligibility('odds', '{"min_duration": "long"}');
SELECT skillrating.set_eligibility('odds', '{"min_duration": null}');
SELECT skillrating.set_eligibility('odds', '{"no_show": "shoot"}');
SELECT skillrating.set_eligibility('odds', '{"repeat_window": 3600}');
SELECT skillrating.set_eligibility('odds', '{"min_team_size": 5, "max_team_size": 4}');
SELECT skillrating.set_eligibility('odds', '[]');
SELECT skillrating.set_eligibility('odds', NULL);
SELECT skillrating.set_eligibility('odds', '{}', 'infinity');
SELECT skillrating.set_eligibility('nowhere', '{}');
SELECT skillrating.create_ladder('never', 'elo', eligibility => '{"min_duration": -3}');
\set VERBOSITY default

-- Every batch asks for the last match that the past of its players kept out: not of all matches.
CREATE FUNCTION reads_all(query text) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan::text ~ 'Seq Scan';
END $$;
SELECT reads_all($$SELECT m.played_at, m.match_id FROM later.rated_match AS m WHERE m.reason IN ('too_many_newcomers', 'repeated_opponents') AND m.seq IS NOT NULL ORDER BY m.played_at DESC, m.match_id DESC LIMIT 1$$);

SET client_min_messages = warning;
SELECT skillrating.drop_ladder('odds'), skillrating.drop_ladder('other'), skillrating.drop_ladder('arena'),
    skillrating.drop_ladder('ruled'), skillrating.drop_ladder('later');
DROP TABLE odd, random_match, random_player, here, counted, judged, side CASCADE;
DROP FUNCTION judge, fill, try, reads_all;
