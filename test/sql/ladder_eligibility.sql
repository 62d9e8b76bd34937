-- Rules of eligibility: against a plain statement of them over random matches, each by itself and
-- all together; as operations that are declared for a time, and undone.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SELECT setseed(0.1417);

SELECT name, type, default_value, min, max, choices, unit FROM skillrating.parameters('eligibility');

-- Matches of ten players, most of two teams.
\set ECHO none
CREATE TABLE random_match AS
SELECT n AS match_id, '2024-01-01'::timestamptz + n * interval '20 minutes' AS played_at, 2 + (random() < 0.1)::int AS teams
FROM generate_series(1, 120) AS n;
-- What is drawn of a player comes from below, because calls of random() beside one that sorts would all be that one.
CREATE TABLE random_player AS
SELECT m.match_id, p.p AS player_id, 1 + (row_number() OVER (PARTITION BY m.match_id ORDER BY p.place) - 1) % m.teams AS team,
    CASE WHEN p.idle < 0.1 THEN 0 WHEN p.idle < 0.3 THEN p.play END AS weight
FROM random_match AS m
CROSS JOIN LATERAL (
    SELECT d.* FROM (
        SELECT p, random() AS place, random() AS idle, random() AS play
        FROM generate_series(1, 10) AS p WHERE m.match_id > 0) AS d
    ORDER BY d.place LIMIT 2 + floor(random() * random() * 5)::int) AS p;
\set ECHO all
DELETE FROM random_match AS m WHERE (SELECT count(DISTINCT team) FROM random_player AS p WHERE p.match_id = m.match_id) < m.teams;
DELETE FROM random_player AS p WHERE NOT EXISTS (SELECT FROM random_match AS m WHERE m.match_id = p.match_id);
-- Three players who meet again and again; the first five have much experience from elsewhere.
UPDATE random_player SET player_id = 11 + (match_id % 3 + team) % 3
WHERE match_id % 5 = 0 AND match_id IN (SELECT match_id FROM random_player GROUP BY match_id HAVING count(*) = 2);

-- The rules, in plain SQL and in turn: what is rated with whom, or why it is not.
\set ECHO none
CREATE TABLE counted (match_id int, played_at timestamptz, player_id int, team int, PRIMARY KEY (match_id, player_id));
CREATE INDEX ON counted (player_id);
CREATE TABLE judged (match_id int, reason text);
CREATE TABLE here (player_id int, team int, share float8);
CREATE FUNCTION judge(rules jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m record;
    why text;
    players int; newcomers int; idle int; repeats int;
BEGIN
    TRUNCATE here, counted, judged;
    FOR m IN SELECT * FROM random_match ORDER BY played_at, match_id LOOP
        DELETE FROM here;
        INSERT INTO here SELECT player_id, team, coalesce(weight, 1) AS share FROM random_player WHERE match_id = m.match_id;
        SELECT count(*), count(*) FILTER (WHERE h.player_id > 5 AND (SELECT count(*) FROM counted AS c WHERE c.player_id = h.player_id) < coalesce((rules->>'newcomer_games')::float8, 10))
        INTO players, newcomers FROM here AS h;
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
        why := CASE
            WHEN idle > 0 THEN 'no_play_time'
            WHEN newcomers > (rules->>'max_newcomer_share')::float8 * players THEN 'too_many_newcomers'
            WHEN repeats >= (rules->>'max_repeats')::float8 THEN 'repeated_opponents' END;
        IF why IS NULL THEN
            INSERT INTO counted SELECT m.match_id, m.played_at, player_id, team FROM here;
        END IF;
        INSERT INTO judged VALUES (m.match_id, why);
    END LOOP;
END
$$;

CREATE FUNCTION fill(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at) SELECT match_id, played_at FROM random_match', ladder);
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank, weight, experience) SELECT match_id, player_id, team, team, weight, CASE WHEN player_id <= 5 THEN 50 END FROM random_player', ladder);
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
    SELECT count(*) FILTER (WHERE r.reason IS DISTINCT FROM j.reason),
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
    broken := (SELECT count(*) FROM ruled.rated_match AS m WHERE m.reason IN ('too_many_newcomers', 'repeated_opponents'));
    RETURN format('%s: %s', rules, CASE WHEN rated < 15 OR broken < 5 THEN format('%s rated, %s not', rated, broken) ELSE 'as stated' END);
END
$$;
\set ECHO all

\set VERBOSITY terse
SELECT try('{"max_newcomer_share": 0.6, "newcomer_games": 5}');
SELECT try('{"max_repeats": 1, "repeat_window": 7200}');
SELECT try('{"max_repeats": 2}');
SELECT try('{"max_repeats": 3, "repeat_window": 1e8}');
SELECT try('{"max_newcomer_share": 0.6, "newcomer_games": 3, "max_repeats": 2, "repeat_window": 50000}');
\set VERBOSITY default

-- Rules hold from a time on, the last that were declared for it; undoing them brings back those before.
SELECT skillrating.create_ladder('arena', 'elo', eligibility => '{"max_newcomer_share": 0.5, "newcomer_games": 1}') \gset
SELECT skillrating.set_eligibility('arena', '{"max_newcomer_share": 0.4, "newcomer_games": 5}', '2024-02-01', 'longer in season 2') AS operation;
SELECT skillrating.set_eligibility('arena', '{"max_newcomer_share": 0.9, "newcomer_games": 3}', '2024-01-15') AS operation;
SELECT skillrating.set_eligibility('arena', '{}', '2024-03-01') AS operation;
SELECT since AT TIME ZONE 'UTC' AS since, until AT TIME ZONE 'UTC' AS until, rules, operation, reason FROM skillrating.eligibility('arena');
SELECT m, (SELECT min(r.outcome) FROM skillrating.report_match('arena', m, ARRAY[1, 2], '{1,2}', '{1,2}', at, experience => '{1,0}') AS r) AS outcome
FROM (VALUES (1, '2024-01-10'::timestamptz), (2, '2024-01-15'), (3, '2024-02-10'), (4, '2024-03-01')) AS v(m, at);
SELECT match_id, status, reason, detail, seq IS NOT NULL AS placed FROM arena.rated_match ORDER BY match_id;
SELECT * FROM skillrating.match_outcome('arena', 2);
SELECT skillrating.undo_operation('arena', 3) \gset
SELECT since AT TIME ZONE 'UTC' AS since, until AT TIME ZONE 'UTC' AS until, rules, operation, reason FROM skillrating.eligibility('arena');
SELECT kind, played_at AT TIME ZONE 'UTC' AS played_at FROM arena.correction ORDER BY kind;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('arena') ORDER BY player_id;
SELECT match_id, status, reason FROM arena.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Rules for matches to come correct nothing.
SELECT skillrating.set_eligibility('arena', '{"max_repeats": 1}', '2024-04-01') AS operation;
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
SELECT skillrating.set_eligibility('arena', '{"max_repeats": 10}') > 0 AS declared, skillrating.set_eligibility('other', '{"max_repeats": 20}') > 0 AS declared;
SELECT skillrating.promote_ladder('other', 'former');

-- What is no rule.
\set VERBOSITY terse
SELECT skillrating.set_eligibility('arena', '{"min_duration": 3}');
SELECT skillrating.set_eligibility('arena', '{"repeat_window": 0}');
SELECT skillrating.set_eligibility('arena', '{"max_newcomer_share": 1.5}');
SELECT skillrating.set_eligibility('arena', '{"max_repeats": "often"}');
SELECT skillrating.set_eligibility('arena', '{"max_repeats": null}');
SELECT skillrating.set_eligibility('arena', '{"repeat_window": 3600}');
SELECT skillrating.set_eligibility('arena', '{"newcomer_games": 5, "max_repeats": 4}');
SELECT skillrating.set_eligibility('arena', '[]');
SELECT skillrating.set_eligibility('arena', NULL);
SELECT skillrating.set_eligibility('arena', '{}', 'infinity');
SELECT skillrating.set_eligibility('nowhere', '{}');
SELECT skillrating.create_ladder('never', 'elo', eligibility => '{"max_repeats": -3}');
\set VERBOSITY default

-- Every batch asks for the last match that the past of its players kept out: not of all matches.
\set ECHO none
CREATE FUNCTION reads_all(query text) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan::text ~ 'Seq Scan';
END $$;
\set ECHO all
SELECT reads_all($$SELECT m.played_at, m.match_id FROM later.rated_match AS m WHERE m.reason IN ('too_many_newcomers', 'repeated_opponents') AND m.seq IS NOT NULL ORDER BY m.played_at DESC, m.match_id DESC LIMIT 1$$);

\set ECHO none
SET client_min_messages = warning;
SELECT skillrating.drop_ladder('other'), skillrating.drop_ladder('arena'),
    skillrating.drop_ladder('ruled'), skillrating.drop_ladder('later') \gset
DROP TABLE random_match, random_player, here, counted, judged;
DROP FUNCTION judge, fill, try, reads_all;
\set ECHO all
