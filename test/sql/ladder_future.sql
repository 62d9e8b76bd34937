-- Matches whose time lay more than a day ahead when they came: they do not count, and a rebuild
-- later than that finds the same.
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
\set VERBOSITY terse
SELECT l, skillrating.create_ladder(l, 'glicko2', late => late) FROM (VALUES ('plain', 'append'), ('timely', 'reorder')) AS v(l, late);
\set ECHO none
CREATE PROCEDURE report(ladder text, id bigint, played_at timestamptz, winner int DEFAULT 1) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at) VALUES ($1, $2)', ladder) USING id, played_at;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) VALUES ($1, 1, 1, 3 - $2), ($1, 2, 2, $2)', ladder) USING id, winner;
END $$;
CREATE VIEW recorded AS
SELECT 'plain' AS ladder, m.* FROM plain.rated_match AS m UNION ALL SELECT 'timely', m.* FROM timely.rated_match AS m;
\set ECHO all

-- A year that was typed wrong, one that is barely too far ahead, and one that is not.
DO $$
DECLARE
    l text;
BEGIN
    FOREACH l IN ARRAY '{plain,timely}'::text[] LOOP
        CALL report(l, 1, '2020-01-01');
        CALL report(l, 2, '2206-01-01');
        CALL report(l, 3, clock_timestamp() + '24 hours 3 seconds');
        CALL report(l, 4, clock_timestamp() + '23 hours');
        CALL report(l, 5, '2020-01-02');
        CALL report(l, 6, 'infinity');
    END LOOP;
END $$;
SELECT ladder, match_id, status, reason, detail, seq IS NOT NULL AS placed, arrived_at BETWEEN now() - interval '1 minute' AND now() + interval '1 minute' AS arrived
FROM recorded ORDER BY ladder, match_id;
-- Nobody waits because of them.
SELECT player_id, games, last_played < now() + interval '1 day' AS sound FROM plain.rating ORDER BY 1;
SELECT outcome, reason, detail, rating_before = rating_after AS unchanged FROM skillrating.report_match('plain', 7, '{1,3}'::bigint[], '{1,2}', '{1,2}', played_at => '2206-01-01') LIMIT 1;
SELECT * FROM skillrating.match_outcome('plain', 7);
SELECT * FROM skillrating.reasons() WHERE reason = 'future_time';

-- Three seconds later match 3 lies no more than a day ahead, and has not arrived again.
CREATE TABLE before AS SELECT * FROM recorded;
SELECT pg_sleep(3.2) \gset
SELECT m.played_at < now() + interval '1 day' AS near FROM plain.match AS m WHERE match_id = 3;
SELECT count(*) FROM skillrating.catch_up('plain', search => true, rebuild => true);
SELECT count(*) FROM skillrating.catch_up('timely', search => true, rebuild => true);
UPDATE plain.match SET log_odds = log_odds WHERE match_id IN (2, 3);
SELECT count(*) FROM (SELECT * FROM recorded EXCEPT SELECT * FROM before) AS d;
SELECT l, bool_and(ok) FROM unnest('{plain,timely}'::text[]) AS l, skillrating.verify(l) GROUP BY 1 ORDER BY 1;
-- Other content at that time is no other time.
UPDATE plain.match SET log_odds = 0.1 WHERE match_id = 3;
SELECT status, reason FROM plain.rated_match WHERE match_id = 3;
-- A ladder by another formula takes the verdict over.
SELECT count(*) >= 0 AS made FROM (SELECT skillrating.shadow_ladder('plain', 'other', 'elo')) AS r;
SELECT match_id, status, reason FROM other.rated_match WHERE match_id IN (2, 3) ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('other');

-- A dump, restored into a ladder that knows nothing: the verdict is in the table.
CREATE TABLE dump AS SELECT * FROM plain.rated_match WHERE match_id = 3;
DELETE FROM plain.rated_match WHERE match_id = 3;
INSERT INTO plain.rated_match SELECT * FROM dump;
SELECT count(*) FROM skillrating.catch_up('plain', search => true, rebuild => true);
SELECT status, reason FROM plain.rated_match WHERE match_id = 3;

-- Another time is a new arrival.
UPDATE plain.match SET played_at = '2020-06-01' WHERE match_id IN (2, 3);
UPDATE timely.match SET played_at = '2020-06-01' WHERE match_id IN (2, 3);
SELECT ladder, match_id, status, reason, arrived_at IS NULL AS in_time FROM recorded WHERE match_id IN (2, 3) ORDER BY 1, 2;
SELECT count(*) > 0 AS late FROM skillrating.catch_up('timely');
SELECT ladder, match_id, status, reason, arrived_at IS NULL AS in_time FROM recorded WHERE match_id IN (2, 3) ORDER BY 1, 2;
SELECT l, bool_and(ok) FROM unnest('{plain,timely}'::text[]) AS l, skillrating.verify(l) GROUP BY 1 ORDER BY 1;

-- A rated match that moves ahead leaves the ratings with catch_up(), keeps its place, and stays out.
UPDATE plain.match SET played_at = clock_timestamp() + '24 hours 3 seconds' WHERE match_id = 5;
UPDATE timely.match SET played_at = clock_timestamp() + '24 hours 3 seconds' WHERE match_id = 5;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('plain');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('timely');
SELECT ladder, status, reason, seq IS NOT NULL AS placed, arrived_at IS NOT NULL AS arrived FROM recorded WHERE match_id = 5 ORDER BY 1;
-- Made void, and back again, it is what it was.
SELECT count(skillrating.void_match(l, 5, 'a test')) FROM unnest('{plain,timely}'::text[]) AS l;
SELECT count(*) FROM skillrating.catch_up('plain');
SELECT count(*) FROM skillrating.catch_up('timely');
SELECT ladder, status, reason FROM recorded WHERE match_id = 5 ORDER BY 1;
SELECT pg_sleep(3.2) \gset
SELECT count(skillrating.restore_match(l, 5)) FROM unnest('{plain,timely}'::text[]) AS l;
SELECT count(*) FROM skillrating.catch_up('plain');
SELECT count(*) FROM skillrating.catch_up('timely', rebuild => true);
SELECT ladder, status, reason FROM recorded WHERE match_id = 5 ORDER BY 1;
CALL report('timely', 8, '2021-01-01');
SELECT status, reason FROM timely.rated_match WHERE match_id = 8;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('timely');
SELECT l, bool_and(ok) FROM unnest('{plain,timely}'::text[]) AS l, skillrating.verify(l) GROUP BY 1 ORDER BY 1;
UPDATE plain.match SET played_at = '2020-01-02' WHERE match_id = 5;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('plain');
SELECT status, reason, arrived_at FROM plain.rated_match WHERE match_id = 5;

-- An import on a machine whose clock is behind: what was found then is deleted, and looked at again.
INSERT INTO plain.match (match_id, played_at) VALUES (20, '2024-01-01'), (21, '2206-01-01');
INSERT INTO plain.match_player (match_id, player_id, team, rank) SELECT m, p, p, p FROM unnest('{20,21}'::int[]) AS m, unnest('{1,2}'::int[]) AS p;
DELETE FROM plain.rated_match WHERE reason = 'future_time' AND seq IS NULL;
SELECT count(*) FROM skillrating.catch_up('plain', search => true);
SELECT match_id, status, reason FROM plain.rated_match WHERE match_id IN (2, 7, 20, 21) ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('plain');

-- A history in a query has no arrival.
SELECT r.unrated_reason FROM (SELECT skillrating.rate('elo', p, p, p, played_at => '2206-01-01') OVER (ORDER BY 1) AS r FROM generate_series(1, 2) AS p) AS q, LATERAL (SELECT (q.r).*) AS r;

DROP VIEW recorded;
DROP TABLE dump, before;
DROP PROCEDURE report;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{other,plain,timely}'::text[]) AS l;
