-- An application is not stopped by errors that are not about the data of a match.  The owner of a
-- ladder writes code that fails, and another role plays.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE ROLE regress_error_owner;
CREATE ROLE regress_error_app;
GRANT CREATE ON SCHEMA public TO regress_error_owner;
GRANT USAGE ON SCHEMA public TO regress_error_app, regress_error_owner;
\set ECHO all
SELECT format('GRANT CREATE ON DATABASE %I TO regress_error_owner', current_database()) \gexec
\set ECHO none
CREATE TABLE game (id bigint, player bigint, team int, place int, PRIMARY KEY (id, player));
CREATE TABLE secret (word text);
INSERT INTO secret VALUES ('swordfish');
CREATE TABLE trouble (id bigint, kind text);
GRANT SELECT, TRIGGER ON game TO regress_error_owner;
GRANT ALL ON game TO regress_error_app;
GRANT SELECT ON secret, trouble TO regress_error_owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON trouble TO regress_error_app;
\set ECHO all
SET ROLE regress_error_owner;
-- What the source does with a match is in table trouble.
\set ECHO none
CREATE FUNCTION trouble(bigint) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
    kind text := (SELECT t.kind FROM public.trouble AS t WHERE t.id = $1);
BEGIN
    CASE kind
        WHEN 'raise' THEN RAISE 'the word is %', (SELECT word FROM public.secret);
        WHEN 'long' THEN RAISE '%', repeat('ä', 500000);
        WHEN 'quotes' THEN RAISE E'it''s "%%s" \\ \n%%n; DROP TABLE game; --';
        WHEN 'data' THEN RETURN (SELECT word::int FROM public.secret);
        WHEN 'missing' THEN PERFORM no_such_function();
        WHEN 'rights' THEN EXECUTE 'SELECT FROM pg_authid';
        WHEN '40001', '40P01', '57014', '55P03', '53000', '53200', '58000', '58030', 'XX001', 'XX002', 'XX000', '0A000', 'P0004' THEN
            RAISE 'error %', kind USING ERRCODE = kind;
        ELSE NULL;
    END CASE;
    RETURN timestamptz '2024-01-01 UTC' + $1 * interval '1 hour';
END
$$;
CREATE VIEW game_source AS SELECT id AS match_id, trouble(id) AS played_at, player AS player_id, team, place AS rank FROM game;
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo', source => 'game_source') \gset
SELECT skillrating.attach('arena', 'game', match_id => 'id') \gset
RESET ROLE;
\set ECHO none
CREATE FUNCTION play(first bigint, last bigint) RETURNS void LANGUAGE sql AS
$$INSERT INTO public.game SELECT i, 1 + (i + p) % 7, p, 1 + (i + p) % 2 FROM generate_series(first, last) AS i, generate_series(1, 2) AS p$$;
CREATE FUNCTION status(ladder text) RETURNS TABLE (rated bigint, unrated jsonb, waiting bigint, corrections bigint, last_error text, verify_agrees boolean) LANGUAGE sql AS
-- verify() has one line of what waits if anything does, and one of corrections.
$$SELECT s.rated, s.unrated, s.waiting, s.corrections, left(s.last_error, 60),
    (SELECT coalesce(max(split_part(v.detail, ' ', 1)) FILTER (WHERE v.check_name = 'waiting'), '0') = s.waiting::text
        AND coalesce(max(split_part(v.detail, ' ', 1)) FILTER (WHERE v.check_name = 'corrections'), '0') = s.corrections::text
    FROM skillrating.verify(ladder) AS v)
FROM skillrating.ladder_status(ladder) AS s$$;
\set ECHO all

-- A good match; one with an error about data, which is unrated; and one that waits.
SET ROLE regress_error_app;
SELECT play(1, 1) \gset
INSERT INTO trouble VALUES (2, 'data'), (3, 'raise');
SELECT play(2, 2) \gset
SELECT play(3, 3) \gset
RESET ROLE;
SELECT match_id, status, reason FROM arena.rated_match ORDER BY match_id;
SELECT match_id, fires, sqlstate, message, failed_at >= since AS ordered FROM arena.pending;
SELECT outcome, reason, detail, sqlstate, since IS NOT NULL AS since FROM skillrating.match_outcome('arena', 3);
-- The same cause is no news; who may read table pending sees the message.
SET ROLE regress_error_app;
INSERT INTO trouble VALUES (4, 'raise');
SELECT play(4, 4) \gset
RESET ROLE;
GRANT INSERT ON game TO regress_error_owner;
SET ROLE regress_error_owner;
SELECT skillrating.create_ladder('second', 'elo', source => 'game_source') \gset
SELECT skillrating.attach('second', 'game', match_id => 'id') \gset
INSERT INTO game SELECT 4, p, p, p FROM generate_series(8, 9) AS p;
RESET ROLE;
SELECT match_id, sqlstate, count(*) FROM arena.pending GROUP BY 1, 2 ORDER BY 1;
SELECT match_id FROM second.pending;
-- Of two ladders on one table, one is broken: the other goes on.
SET ROLE regress_error_owner;
CREATE VIEW broken_source AS SELECT match_id, played_at, player_id, team, 1 / (SELECT count(*) FROM pg_authid) + rank AS rank FROM game_source;
SELECT skillrating.create_ladder('broken', 'elo', source => 'broken_source') \gset
SELECT skillrating.attach('broken', 'game', match_id => 'id') \gset
RESET ROLE;
SET ROLE regress_error_app;
SELECT play(5, 6) \gset
RESET ROLE;
SELECT (SELECT count(*) FROM arena.rated_match WHERE match_id IN (5, 6)) AS arena, (SELECT count(*) FROM second.rated_match WHERE match_id IN (5, 6)) AS second,
    (SELECT count(*) FROM broken.pending) AS broken;
SELECT skillrating.drop_ladder('second'), skillrating.drop_ladder('broken') \gset

-- Nothing tries again but what the owner calls, and it says so each time.
SELECT play(7, 7) \gset
SELECT count(*) FROM arena.pending;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT * FROM status('arena');
DELETE FROM trouble WHERE id IN (2, 3, 4);
SELECT count(*) FROM arena.pending;
SELECT count(*) FROM skillrating.catch_up('arena', dry_run => true);
SELECT count(*) FROM arena.pending;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena', search => true);
SELECT * FROM status('arena');
-- A match that is touched again is tried again, and does not wait twice, or any more.
INSERT INTO trouble VALUES (8, 'raise');
SELECT play(8, 8) \gset
SELECT since AS waits_since FROM arena.pending \gset
UPDATE game SET place = place WHERE id = 8;
SELECT count(*), bool_and(since = :'waits_since'), bool_and(failed_at > since) FROM arena.pending;
UPDATE trouble SET kind = 'missing' WHERE id = 8;
UPDATE game SET place = place WHERE id = 8;
SELECT sqlstate, message FROM arena.pending;
DELETE FROM trouble;
UPDATE game SET place = place WHERE id = 8;
SELECT * FROM status('arena');
-- So does one that was rated, whose change cannot be read: it counts as before until then.
INSERT INTO trouble VALUES (8, 'rights');
UPDATE game SET place = 3 - place WHERE id = 8;
SELECT outcome, reason, sqlstate FROM skillrating.match_outcome('arena', 8);
SELECT status FROM arena.rated_match WHERE match_id = 8;
DELETE FROM trouble;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT * FROM status('arena');

-- One among a thousand waits alone, and the ratings are those of a ladder that never met it.
\set ECHO none
CREATE FUNCTION difference(a text, b text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM (SELECT player_id, rating, games FROM %I.rating) AS x FULL JOIN (SELECT player_id, rating, games FROM %I.rating) AS y USING (player_id) WHERE (x.rating, x.games) IS DISTINCT FROM (y.rating, y.games)', a, b) INTO n;
    RETURN n;
END
$$;
\set ECHO all
SET ROLE regress_error_owner;
CREATE VIEW many_source AS SELECT * FROM game_source WHERE match_id BETWEEN 11 AND 3100;
SELECT skillrating.create_ladder('many', 'trueskill', source => 'many_source') \gset
SELECT skillrating.attach('many', 'game', match_id => 'id') \gset
RESET ROLE;
\set ECHO none
CREATE FUNCTION rate_without(matches bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('CREATE VIEW whole_source AS SELECT id AS match_id, timestamptz %L + id * interval %L AS played_at, player AS player_id, team, place AS rank FROM game WHERE id BETWEEN 11 AND 3100 AND id <> ALL (%L::bigint[])', '2024-01-01 UTC', '1 hour', matches);
    PERFORM skillrating.create_ladder('whole', 'trueskill', source => 'whole_source');
    PERFORM skillrating.catch_up('whole', search => true);
    n := difference('many', 'whole');
    IF (SELECT count(*) FROM whole.rating) < 7 THEN
        RAISE 'nothing was rated';
    END IF;
    PERFORM skillrating.drop_ladder('whole');
    DROP VIEW whole_source;
    RETURN n;
END
$$;
INSERT INTO trouble VALUES (503, 'raise'), (504, 'data');
\set ECHO all
SELECT play(11, 1010) \gset
SELECT * FROM status('many');
SELECT match_id FROM many.pending;
SELECT rate_without('{503, 504}');
-- The same with errors of what hangs on the tables.
\set ECHO none
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.match_id IN (2001, 2500, 2501, 3000) THEN
        RAISE 'match % brings bad luck', NEW.match_id;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER refuse BEFORE INSERT ON many.rated_match FOR EACH ROW EXECUTE FUNCTION refuse();
\set ECHO all
SELECT play(2001, 3000) \gset
SELECT * FROM status('many');
SELECT match_id, sqlstate, message FROM many.pending ORDER BY 1;
SELECT rate_without('{503, 504, 2001, 2500, 2501, 3000}');
DROP TRIGGER refuse ON many.rated_match;
-- A check of the user's on rating is no error about the data of a match: the earlier matches of the
-- transaction that pass it are rated.
SELECT 'ALTER TABLE many.rating ADD CONSTRAINT few CHECK (player_id <> 3 OR games <= ' || games + 4 || ')' FROM many.rating WHERE player_id = 3 \gexec
SELECT play(3001, 3030) \gset
SELECT sqlstate, count(*), min(match_id) FROM many.pending WHERE match_id > 3000 GROUP BY 1;
SELECT count(*) AS of_player_3, (SELECT p.match_id FROM (SELECT id AS match_id FROM game WHERE player = 3 AND id > 3000 ORDER BY id OFFSET 4 LIMIT 1) AS p) AS first_too_many
FROM game WHERE player = 3 AND id BETWEEN 3001 AND 3030;
SELECT rate_without(array_agg(match_id) || 504::bigint) FROM many.pending;
ALTER TABLE many.rating DROP CONSTRAINT few;
DELETE FROM trouble;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('many');
SELECT * FROM status('many');
SELECT skillrating.drop_ladder('many') \gset
-- A new source, another table and a mirror try again.
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
INSERT INTO trouble VALUES (3091, 'raise'), (3092, 'rights');
SELECT play(3091, 3092) \gset
DELETE FROM trouble WHERE id = 3091;
SET ROLE regress_error_owner;
SELECT skillrating.refresh_source('arena') \gset
RESET ROLE;
DELETE FROM trouble;
CREATE TABLE more (id bigint);
ALTER TABLE more OWNER TO regress_error_owner;
SELECT match_id, sqlstate FROM arena.pending;
SELECT skillrating.attach('arena', 'more', match_id => 'id') \gset
SELECT * FROM status('arena');

-- A mirror.
CREATE TABLE board (player bigint PRIMARY KEY, elo float8 CHECK (elo < 1e6), note text);
INSERT INTO board SELECT generate_series(1, 9);
ALTER TABLE board OWNER TO regress_error_owner;
SELECT skillrating.mirror_rating('arena', 'board', 'player', '{"elo": "rating"}');
ALTER TABLE board ADD CONSTRAINT low CHECK (elo < 0) NOT VALID;
SELECT play(3101, 3102) \gset
ALTER TABLE board DROP CONSTRAINT low;
SELECT * FROM status('arena');
SELECT skillrating.mirror_rating('arena', 'board', 'player', '{"elo": "rating"}');
SELECT * FROM status('arena');
SELECT count(*) FROM board AS b JOIN arena.rating AS r ON r.player_id = b.player WHERE b.elo <> r.rating;
-- Nor does the mirror stop those who insert rows into it.
ALTER TABLE board ADD CONSTRAINT low CHECK (player <> 5 OR elo IS NULL) NOT VALID;
\set VERBOSITY terse
DELETE FROM board WHERE player IN (5, 6);
GRANT INSERT ON board TO regress_error_app;
SET ROLE regress_error_app;
INSERT INTO board VALUES (5);
INSERT INTO board VALUES (6);
RESET ROLE;
UPDATE arena.ladder SET on_error = 'raise';
DELETE FROM board WHERE player = 5;
INSERT INTO board VALUES (5);
UPDATE arena.ladder SET on_error = 'wait';
\set VERBOSITY default
SELECT count(*) FILTER (WHERE player = 6 AND elo IS NOT NULL) AS six, count(*) FILTER (WHERE player = 5) AS five FROM board;
SELECT skillrating.unmirror_rating('arena', 'board') \gset

-- What passes, with its own code; the transaction fails, and nothing waits.
\set ECHO none
CREATE FUNCTION attempt(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE command;
    SET CONSTRAINTS ALL IMMEDIATE;
    RETURN 'none';
EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
    RETURN SQLSTATE;
END
$$;
SET client_min_messages = error;
\set ECHO all
SELECT k AS kind, attempt(format('INSERT INTO trouble VALUES (%s, %L); SELECT play(%s, %s)', i, k, i, i)) AS raised
FROM unnest('{40001,40P01,57014,55P03,53000,53200,58000,58030,XX001,XX002,XX000,0A000,P0004,raise,missing,rights,data}'::text[]) WITH ORDINALITY AS u(k, i0), LATERAL (SELECT 4000 + i0) AS l(i);
SELECT match_id, sqlstate FROM arena.pending ORDER BY 1;
-- The same where errors are raised, and back.
UPDATE arena.ladder SET on_error = 'raise';
DELETE FROM trouble;
SELECT k AS kind, attempt(format('INSERT INTO trouble VALUES (%s, %L); SELECT play(%s, %s)', i, k, i, i)) AS raised
FROM unnest('{40001,XX000,raise,missing,rights,data}'::text[]) WITH ORDINALITY AS u(k, i0), LATERAL (SELECT 4100 + i0) AS l(i);
UPDATE arena.ladder SET on_error = 'wait', strict = true;
-- A strict ladder raises errors about data, and no others.
SELECT k AS kind, attempt(format('INSERT INTO trouble VALUES (%s, %L); SELECT play(%s, %s)', i, k, i, i)) AS raised
FROM unnest('{40001,raise,data}'::text[]) WITH ORDINALITY AS u(k, i0), LATERAL (SELECT 4200 + i0) AS l(i);
SELECT attempt('INSERT INTO game VALUES (4300, 1, 1, 1); INSERT INTO trouble VALUES (4301, ''raise''); SELECT play(4301, 4301)');
SELECT attempt('INSERT INTO trouble VALUES (4302, ''raise''); SELECT play(4302, 4305)');
UPDATE arena.ladder SET strict = false;
DELETE FROM trouble;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena', search => true);
SELECT * FROM status('arena');
UPDATE arena.ladder SET on_error = 'ignore';
SELECT skillrating.create_ladder('other', 'elo', on_error => 'ignore');
SELECT skillrating.create_ladder('other', 'elo', on_error => NULL);
SET client_min_messages = warning;

-- Rated at each statement; savepoints; several statements in a transaction.
UPDATE arena.ladder SET apply_at = 'statement';
INSERT INTO trouble VALUES (5001, 'quotes'), (5003, 'long');
BEGIN;
SELECT play(5001, 5002) \gset
SAVEPOINT s;
SELECT play(5003, 5004) \gset
SELECT count(*) FROM arena.pending;
ROLLBACK TO s;
SELECT play(5005, 5005) \gset
COMMIT;
SELECT match_id, message FROM arena.pending WHERE match_id > 5000;
SELECT match_id, status FROM arena.rated_match WHERE match_id > 5000 ORDER BY 1;
UPDATE arena.ladder SET apply_at = 'commit';
SELECT play(5003, 5004) \gset
SELECT match_id, length(message), octet_length(message), message = repeat('ä', 500) FROM arena.pending WHERE match_id = 5003;
BEGIN;
SAVEPOINT s;
INSERT INTO trouble VALUES (5007, 'raise');
SELECT play(5007, 5008) \gset
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK TO s;
SELECT play(5009, 5010) \gset
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
SELECT play(5011, 5011) \gset
COMMIT;
SELECT match_id FROM arena.pending ORDER BY 1;
SELECT match_id, status FROM arena.rated_match WHERE match_id > 5006 ORDER BY 1;
DELETE FROM trouble;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT * FROM status('arena');

-- At the higher isolation levels.
INSERT INTO trouble VALUES (5021, 'raise');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT play(5021, 5022) \gset
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
UPDATE game SET place = place WHERE id = 5021;
SELECT play(5023, 5023) \gset
COMMIT;
SELECT match_id FROM arena.pending ORDER BY 1;
SELECT match_id, status FROM arena.rated_match WHERE match_id > 5020 ORDER BY 1;

-- Within other work on the same ladder: a trigger of the user's brings a match that fails.
\set ECHO none
CREATE FUNCTION echo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF NEW.match_id = 6001 THEN
        PERFORM public.play(6002, 6003);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER echo AFTER INSERT ON arena.rated_match FOR EACH ROW EXECUTE FUNCTION echo();
INSERT INTO trouble VALUES (6003, 'raise');
\set ECHO all
SET ROLE regress_error_app;
SELECT play(6001, 6001) \gset
RESET ROLE;
SELECT match_id, status FROM arena.rated_match WHERE match_id > 6000 ORDER BY 1;
SELECT match_id, sqlstate FROM arena.pending;
DROP TRIGGER echo ON arena.rated_match;
-- If the match whose work brought it fails, it was never there.
CREATE TRIGGER echo AFTER INSERT ON arena.rated_match FOR EACH ROW EXECUTE FUNCTION echo();
CREATE TRIGGER refuse AFTER INSERT ON arena.rated_match FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no match today'; END$$;
DELETE FROM game WHERE id IN (6001, 6002, 6003);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
DELETE FROM arena.rated_match WHERE match_id > 6000;
SELECT play(6001, 6001) \gset
SELECT count(*) FROM game WHERE id > 6000;
SELECT match_id, message FROM arena.pending ORDER BY 1;
DROP TRIGGER refuse ON arena.rated_match;
DROP TRIGGER echo ON arena.rated_match;
DELETE FROM trouble;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT * FROM status('arena');

-- report_match() says that a match waits.
SELECT skillrating.create_ladder('own', 'glicko') \gset
ALTER TABLE own.rating ADD CONSTRAINT no_one CHECK (player_id <> 2);
SELECT player_id, rating_after, outcome, reason, left(detail, 40) AS detail FROM skillrating.report_match('own', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT player_id, outcome, reason FROM skillrating.report_match('own', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT player_id, outcome, reason FROM skillrating.report_match('own', 2, ARRAY[1, 3], ARRAY[1, 2], ARRAY[1, 2]);
-- A reporter learns that a match waits, and not by which message; nor can it read table pending.
SELECT skillrating.grant_ladder('own', 'regress_error_app', 'reporter') \gset
SET ROLE regress_error_app;
SELECT player_id, outcome, reason, detail FROM skillrating.report_match('own', 3, ARRAY[3, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT outcome, reason, detail, sqlstate FROM skillrating.match_outcome('own', 3);
SELECT message FROM own.pending;
RESET ROLE;
-- Nor by a function of its own that somebody calls who may.
CREATE FUNCTION errors_of_app() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER AS
$$SELECT o.detail FROM skillrating.match_outcome('own', 3) AS o UNION ALL
SELECT r.detail FROM skillrating.report_match('own', 3, ARRAY[3, 2], ARRAY[1, 2], ARRAY[2, 1]) AS r$$;
ALTER FUNCTION errors_of_app() OWNER TO regress_error_app;
SELECT DISTINCT * FROM errors_of_app();
DROP FUNCTION errors_of_app();
SELECT outcome, reason, detail FROM skillrating.match_outcome('own', 3);
SELECT skillrating.revoke_ladder('own', 'regress_error_app', 'reporter') \gset
ALTER TABLE own.rating DROP CONSTRAINT no_one;
SELECT count(*) FILTER (WHERE outcome = 'rated') AS rated FROM skillrating.report_match('own', 3, ARRAY[3, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT player_id, outcome, reason FROM skillrating.report_match('own', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM status('own');

-- Many that wait are not read by whoever rates: of table pending no row is read one by one.
INSERT INTO arena.pending (match_id, xact, fires, since, sqlstate, message, failed_at)
SELECT i, pg_current_xact_id(), false, now(), 'P0001', 'one of many', now() FROM generate_series(1000001, 1100000) AS i;
ANALYZE arena.pending;
BEGIN;
-- What the session counted before is not reported yet.
SELECT pg_stat_get_xact_tuples_returned('arena.pending'::regclass) AS returned, pg_stat_get_xact_tuples_fetched('arena.pending'::regclass) AS fetched \gset
SELECT play(7001, 7002) \gset
SET CONSTRAINTS ALL IMMEDIATE;
SELECT pg_stat_get_xact_tuples_returned('arena.pending'::regclass) - :returned AS read_by_scans, pg_stat_get_xact_tuples_fetched('arena.pending'::regclass) - :fetched <= 4 AS few_by_index;
COMMIT;
-- Nor one by one where a match fails again.
INSERT INTO trouble VALUES (7003, 'raise');
BEGIN;
SELECT pg_stat_get_xact_tuples_returned('arena.pending'::regclass) AS returned, pg_stat_get_xact_tuples_fetched('arena.pending'::regclass) AS fetched \gset
SELECT play(7003, 7003) \gset
SET CONSTRAINTS ALL IMMEDIATE;
UPDATE game SET place = place WHERE id = 7003;
SELECT pg_stat_get_xact_tuples_returned('arena.pending'::regclass) - :returned AS read_by_scans, pg_stat_get_xact_tuples_fetched('arena.pending'::regclass) - :fetched <= 12 AS few_by_index;
COMMIT;
SELECT count(*) FROM arena.pending WHERE match_id = 7003;
SELECT rated = (SELECT count(*) FROM arena.rated_match WHERE status = 'rated'), waiting, last_error FROM skillrating.ladder_status('arena');
DELETE FROM arena.pending WHERE match_id > 1000000;

-- Among hundreds that fail alike the others are rated.
INSERT INTO trouble SELECT i, 'raise' FROM generate_series(8001, 8300) AS i WHERE i % 100 <> 3;
SELECT play(8001, 8300) \gset
SELECT match_id FROM arena.rated_match WHERE match_id > 8000 ORDER BY 1;
SELECT count(*) FROM arena.pending;
-- Once the cause is removed, one catch_up() takes up a change of a match that was rated before.
INSERT INTO trouble VALUES (8003, 'raise');
UPDATE game SET place = 3 - place WHERE id = 8003;
DELETE FROM trouble;
SELECT outcome, reason FROM skillrating.match_outcome('arena', 8003);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT * FROM status('arena');
SELECT * FROM skillrating.verify('arena');
SELECT m.corrections, e.player_id, e.score, g.place FROM arena.rated_match AS m JOIN arena.event AS e USING (seq) JOIN game AS g ON g.id = m.match_id AND g.player = e.player_id WHERE m.match_id = 8003 ORDER BY 2;

-- A match that fails again in a backfill waits since it failed first.
INSERT INTO trouble VALUES (8003, 'raise');
UPDATE game SET place = 3 - place WHERE id = 8003;
SELECT since, failed_at FROM arena.pending WHERE match_id = 8003 \gset
DELETE FROM trouble;
CREATE FUNCTION refuse_8003() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON arena.rated_match FOR EACH ROW WHEN (new.match_id = 8003) EXECUTE FUNCTION refuse_8003();
CALL skillrating.backfill('arena', catch_up => false);
SELECT match_id, since = :'since' AS since_then, failed_at > :'failed_at' AS tried_again FROM arena.pending;
DROP TRIGGER refuse ON arena.rated_match;
DROP FUNCTION refuse_8003;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
-- An error that a batch raises, by its plan, and no match alone: a strict ladder tries parts too.
\set ECHO none
CREATE TABLE duel (id bigint PRIMARY KEY, a bigint, b bigint);
CREATE FUNCTION pick(bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 0.0001 AS $$
BEGIN
    IF $1 = 0 THEN
        RAISE 'a row that nobody asked for';
    END IF;
    RETURN true;
END
$$;
CREATE VIEW duel_source AS SELECT d.id AS match_id, timestamptz '2024-01-01 UTC' + d.id * interval '1 minute' AS played_at, p.player_id, p.team, p.team AS rank
FROM duel AS d CROSS JOIN LATERAL (VALUES (d.a, 1), (d.b, 2)) AS p(player_id, team) WHERE pick(d.id);
INSERT INTO duel VALUES (0, 1, 2);
\set ECHO all
SELECT skillrating.create_ladder('duels', 'elo', source => 'duel_source', strict => true) \gset
SELECT skillrating.attach('duels', 'duel', 'id') \gset
INSERT INTO duel SELECT i, i, -i FROM generate_series(1, 1200) AS i;
SELECT rated, waiting FROM skillrating.ladder_status('duels');
SELECT skillrating.drop_ladder('duels') \gset
DROP TABLE duel CASCADE;
DROP FUNCTION pick(bigint);
-- Where thousands fail among others no match is tried many times, also behind the limit of those
-- that are tried alone.
\set ECHO none
CREATE SEQUENCE tries;
CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('public.tries');
    IF NEW.match_id % 3 <> 1 THEN
        RAISE 'no luck';
    END IF;
    RETURN NEW;
END
$$;
\set ECHO all
SELECT skillrating.create_ladder('luck', 'elo') \gset
CREATE TRIGGER refuse BEFORE INSERT ON luck.rated_match FOR EACH ROW EXECUTE FUNCTION refuse();
INSERT INTO luck.match (match_id) SELECT generate_series(1, 4800);
INSERT INTO luck.match_player (match_id, player_id, team, rank) SELECT i, 1 + (i + p) % 7, p, p FROM generate_series(1, 4800) AS i, generate_series(1, 2) AS p;
SELECT rated, waiting, (SELECT last_value < 4 * 4800 FROM tries) AS few_tries FROM skillrating.ladder_status('luck');
SELECT skillrating.drop_ladder('luck') \gset
DROP SEQUENCE tries;

-- Whoever calls the parts by themselves gets nowhere.
SELECT skillrating_internal.rate_failed('arena');
SELECT skillrating.drop_ladder('arena'), skillrating.drop_ladder('own') \gset
DROP TABLE game, board, secret, trouble, more CASCADE;
DROP FUNCTION trouble(bigint), play(bigint, bigint), status(text), difference(text, text), rate_without(bigint[]), refuse(), echo(), attempt(text);
SELECT format('REVOKE ALL ON DATABASE %I FROM regress_error_owner', current_database()) \gexec
REVOKE ALL ON SCHEMA public FROM regress_error_owner, regress_error_app;
DROP ROLE regress_error_owner, regress_error_app;
