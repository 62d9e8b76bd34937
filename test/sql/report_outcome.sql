-- Reporting a match says what came of it, with a row for every player.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA outcomes;
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text', late => 'reorder') \gset
\set ECHO none
CREATE FUNCTION outcomes.report(match bigint, players text[], team integer[], rank integer[], at timestamptz DEFAULT '2024-01-01',
    OUT player text, OUT before numeric, OUT after numeric, OUT score float8, OUT outcome text, OUT reason text, OUT detail text, OUT correction text, OUT seq bigint)
RETURNS SETOF record LANGUAGE sql AS $$
    SELECT player_id, round(rating_before), round(rating_after), score, outcome, reason, detail, correction, correction_seq
    FROM skillrating.report_match('arena', match, players, team, rank, at)
$$;
\set ECHO all

-- New, then the same again.
SELECT * FROM outcomes.report(1, '{bob,ann}', '{1,2}', '{1,2}');
SELECT * FROM outcomes.report(1, '{bob,ann}', '{1,2}', '{1,2}');
SELECT * FROM outcomes.report(2, '{ann,bob}', '{1,2}', '{1,2}', '2024-01-02');
-- Other content, also when it is reported again: a correction waits, from the place of the match
-- on.  Players who were not in it have what they would go into it with.
SELECT * FROM outcomes.report(1, '{eve,ann}', '{1,2}', '{1,2}');
SELECT * FROM outcomes.report(1, '{eve,ann}', '{1,2}', '{1,2}');
SELECT seq, match_id, kind FROM arena.correction;
SELECT * FROM outcomes.report(3, '{ann,bob}', '{1,2}', '{1,2}', '2024-01-03');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT * FROM outcomes.report(1, '{eve,ann}', '{1,2}', '{1,2}');

-- A match that does not count, reported again, and then with what was missing.
SELECT * FROM outcomes.report(4, '{ann,bob}', '{1,1}', '{1,1}', '2024-01-04');
SELECT * FROM outcomes.report(4, '{ann,bob}', '{1,1}', '{1,1}', '2024-01-04');
SELECT * FROM outcomes.report(4, '{ann,bob}', '{1,2}', '{1,2}', '2024-01-04');
-- Or the other way round.
SELECT * FROM outcomes.report(4, '{ann,bob}', '{1,1}', '{1,1}', '2024-01-04');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT * FROM outcomes.report(4, '{ann,bob}', '{1,1}', '{1,1}', '2024-01-04');

-- One that comes late waits for its place.
SELECT * FROM outcomes.report(5, '{bob,new}', '{1,2}', '{1,2}', '2024-01-02 12:00');
SELECT * FROM outcomes.report(5, '{bob,new}', '{1,2}', '{1,2}', '2024-01-02 12:00');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT * FROM outcomes.report(5, '{bob,new}', '{1,2}', '{1,2}', '2024-01-02 12:00');

-- A match that is void, at first until catch_up(); and other content of it.
SELECT skillrating.void_match('arena', 5, 'cheats') \gset
SELECT player, score, outcome, reason, detail, correction, seq IS NOT NULL AS placed FROM outcomes.report(5, '{bob,new}', '{1,2}', '{1,2}', '2024-01-02 12:00');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT player, score, outcome, reason, detail, correction FROM outcomes.report(5, '{bob,new}', '{1,2}', '{1,2}', '2024-01-02 12:00');
SELECT player, score, outcome, reason, detail, correction, seq IS NOT NULL AS placed FROM outcomes.report(5, '{bob,new}', '{1,2}', '{2,1}', '2024-01-02 12:00');
SELECT count(*) FROM skillrating.catch_up('arena');

-- A player who is excluded, and one who is another.
SELECT skillrating.exclude_player('arena', 'eve', '2024-01-05') > 0 AS done;
SELECT * FROM outcomes.report(6, '{eve,bob}', '{1,2}', '{1,2}', '2024-01-06');
SELECT skillrating.merge_players('arena', 'smurf', 'ann', allow_unknown => true) > 0 AS done;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT r.player, r.before = round(a.rating) AS of_ann, r.score, r.outcome
FROM (SELECT rating FROM arena.rating WHERE player_id = 'ann') AS a, outcomes.report(7, '{bob,smurf}', '{1,2}', '{2,1}', '2024-01-07') AS r;
SELECT player, score, outcome, reason, detail FROM outcomes.report(8, '{ann,smurf}', '{1,2}', '{2,1}', '2024-01-08');
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Without a time it is that of the transaction, also for content that was reported before.
BEGIN;
SELECT DISTINCT outcome FROM skillrating.report_match('arena', 9, '{ann,bob}', '{1,2}', '{1,2}');
SELECT played_at = now() AS now FROM arena.rated_match WHERE match_id = 9;
COMMIT;
SELECT DISTINCT outcome FROM skillrating.report_match('arena', 9, '{ann,bob}', '{1,2}', '{1,2}');

-- Behind now(), and not so far ahead that they would not count.
CREATE TABLE outcomes.began AS SELECT now() AS at;
CREATE FUNCTION outcomes.soon(n integer) RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT b.at + n * interval '10 minutes' FROM outcomes.began AS b $$;

-- Where matches wait for a worker, one that is reported is rated now, also if its rows came before.
UPDATE arena.ladder SET apply_at = 'manual';
INSERT INTO arena.match (match_id, played_at) VALUES (10, outcomes.soon(1));
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (10, 'ann', 1, 1), (10, 'bob', 2, 2);
SELECT outcome, reason, detail, sqlstate, since IS NOT NULL AS since FROM skillrating.match_outcome('arena', 10);
SELECT player, score, outcome, reason FROM outcomes.report(10, '{ann,bob}', '{1,2}', '{1,2}', outcomes.soon(1));
SELECT player, score, outcome, reason FROM outcomes.report(10, '{ann,bob}', '{1,2}', '{1,2}', outcomes.soon(1));
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
UPDATE arena.ladder SET apply_at = 'commit';

-- A trigger that reports another match while one is rated learns that it waits.
\set ECHO none
CREATE TABLE outcomes.heard (player text, before numeric, outcome text, reason text, detail text);
CREATE FUNCTION outcomes.report_more() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.match_id = 11 AND NEW.player_id = 'ann' THEN
        INSERT INTO outcomes.heard
        SELECT r.player_id, round(r.rating_before), r.outcome, r.reason, r.detail
        FROM skillrating.report_match('arena', 12, '{zoe,yan}', '{1,2}', '{1,2}', outcomes.soon(3)) AS r;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER report_more BEFORE INSERT ON arena.event FOR EACH ROW EXECUTE FUNCTION outcomes.report_more();
\set ECHO all
SELECT player, outcome FROM outcomes.report(11, '{ann,bob}', '{1,2}', '{1,2}', outcomes.soon(2));
DROP TRIGGER report_more ON arena.event;
TABLE outcomes.heard;
SELECT player, before, after, outcome FROM outcomes.report(12, '{zoe,yan}', '{1,2}', '{1,2}', outcomes.soon(3));

-- Whoever may report hears the outcome, and needs nothing else for it.
CREATE ROLE regress_reporter;
GRANT USAGE ON SCHEMA arena TO regress_reporter;
GRANT INSERT ON arena.match, arena.match_player TO regress_reporter;
GRANT SELECT ON arena.event TO regress_reporter;
SELECT outcomes.soon(4) AS fourth \gset
SET ROLE regress_reporter;
SELECT player_id, outcome, reason, correction FROM skillrating.report_match('arena', 13, '{ann,bob}', '{1,1}', '{1,1}', :'fourth');
SELECT player_id, outcome, reason, correction FROM skillrating.report_match('arena', 14, '{ann,bob}', '{1,2}', '{1,1}', '2000-01-04');
RESET ROLE;

-- What a match that does not count would be entered with is what preview() says, under every model
-- and in every pool.
\set ECHO none
CREATE TABLE outcomes.entered (model text, pool text, same boolean);
DO $$
DECLARE
    model text;
BEGIN
    FOR model IN SELECT name FROM skillrating.models() LOOP
        PERFORM skillrating.create_ladder('each', model, player_type => 'text');
        PERFORM FROM generate_series(1, 4) AS m,
            skillrating.report_match('each', m, '{a,b,c,d}', '{1,1,2,2}', ARRAY[1, 1, 2, 2], timestamptz '2024-01-01' + m * interval '1 day',
                side => '{1,1,2,2}', team_score => '{4,4,1,1}', pool => CASE m WHEN 4 THEN 'other' ELSE '' END);
        INSERT INTO outcomes.entered
        SELECT model, q.pool, array_agg(r ORDER BY r.player_id) IS NOT NULL AND bool_and(r.outcome = 'unrated' AND r.rating_before = p.rating
            AND r.rating_after = p.rating AND r.state_before = r.state_after)
        FROM (VALUES (5, ''), (6, 'other')) AS q(m, pool),
            skillrating.report_match('each', q.m, '{d,c,nobody}', '{1,1,1}', '{1,1,1}', '2024-03-01', side => '{1,1,1}', pool => q.pool) AS r
        JOIN skillrating.preview('each', '{d,c,nobody}', '{1,1,2}', side => '{1,1,2}', pool => q.pool, at => '2024-03-01') AS p USING (player_id)
        GROUP BY q.pool;
        PERFORM skillrating.drop_ladder('each');
    END LOOP;
END $$;
\set ECHO all
SELECT string_agg(concat_ws(' ', model, nullif(pool, '')), ', ' ORDER BY model COLLATE "C", pool), same FROM outcomes.entered GROUP BY same;

-- Never no row: whatever is reported, each player has one, in the order given.
SELECT setseed(0.18);
\set ECHO none
CREATE TABLE outcomes.tally (outcome text, complete boolean, has_reason boolean, waits boolean);
DO $$
DECLARE
    players text[];
BEGIN
    FOR i IN 1 .. 400 LOOP
        players := ARRAY(SELECT 'p' || floor(random() * 6) FROM generate_series(1, 2 + floor(random() * 3)::integer));
        BEGIN
            INSERT INTO outcomes.tally
            SELECT min(r.outcome), array_agg(r.player_id ORDER BY r.n) = (SELECT array_agg(u.p ORDER BY u.n) FROM (SELECT p, min(n) AS n FROM unnest(players) WITH ORDINALITY AS u(p, n) GROUP BY p) AS u)
                AND min(r.outcome) = max(r.outcome), min(r.reason) IS NOT NULL, min(r.correction) IS NOT NULL
            FROM skillrating.report_match('arena', 100 + floor(random() * 60), players, ARRAY(SELECT 1 + floor(random() * 1.8)::integer FROM unnest(players)),
                team_score => array_fill(1::float8, ARRAY[cardinality(players)]), played_at => outcomes.soon(10) + floor(random() * 9) * interval '1 hour') WITH ORDINALITY AS r(player_id, rating_before, rating_after,
                win_probability, score, state_before, state_after, outcome, reason, detail, correction, correction_seq, n);
        EXCEPTION WHEN invalid_parameter_value THEN
            INSERT INTO outcomes.tally VALUES ('error: on several teams');
        END;
        IF i % 50 = 0 THEN
            PERFORM skillrating.catch_up('arena');
        END IF;
    END LOOP;
END $$;
\set ECHO all
SELECT outcome, complete, has_reason, waits, count(*) > 3 AS many FROM outcomes.tally GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
SELECT bool_and(ok) FROM skillrating.verify('arena');

SELECT skillrating.drop_ladder('arena') \gset
DROP SCHEMA outcomes CASCADE;
DROP ROLE regress_reporter;
