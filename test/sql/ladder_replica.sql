-- A ladder beside a publisher: triggers for each row put matches into a queue, as an apply worker
-- would fire them, and catch_up() rates them.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE TABLE game (id bigint, played_at timestamptz, mode text DEFAULT '');
CREATE TABLE seat (game text, player bigint, team int, place int);
CREATE VIEW game_source AS
    SELECT g.id AS match_id, g.played_at, g.mode AS pool, s.player AS player_id, s.team, s.place AS rank
    FROM game AS g JOIN seat AS s ON s.game = g.id::text;
CREATE FUNCTION play(first bigint, last bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO game SELECT n, timestamptz '2024-01-01' + n * interval '1 hour' FROM generate_series(first, last) AS n;
    INSERT INTO seat SELECT n, n % 4 + t, t, t FROM generate_series(first, last) AS n, generate_series(1, 2) AS t
$$;
\set ECHO all

-- What is refused.
SELECT skillrating.create_ladder('arena', 'elo', match_type => 'bigint', source => 'game_source', strict => true) \gset
SELECT skillrating.attach('arena', 'game', match_id => 'id', replica => true);
UPDATE arena.ladder SET strict = false;
\set VERBOSITY terse
SELECT skillrating.attach('arena', 'game', match_id => 'nothing', replica => true);
\set ECHO none
CREATE ROLE regress_replica_owner;
CREATE ROLE regress_replica_guest;
GRANT ALL ON SCHEMA public TO regress_replica_guest;
SET ROLE regress_replica_guest;
CREATE TABLE theirs (id bigint);
GRANT ALL ON theirs TO regress_replica_owner;
RESET ROLE;
SELECT skillrating.attach('arena', 'game', match_id => 'id', replica => true) \gset
SELECT skillrating.attach('arena', 'seat', match_id => 'game', replica => true) \gset
CREATE VIEW queue AS SELECT match_id, count(*) AS n FROM arena.pending GROUP BY match_id ORDER BY match_id;
\set ECHO all
SELECT relation, match_id, replica FROM arena.attached ORDER BY 1;
SELECT tgrelid::regclass AS relation, tgname, tgenabled, tgfoid::regproc FROM pg_trigger WHERE tgrelid IN ('game'::regclass, 'seat'::regclass) ORDER BY 1, 2;

-- An apply worker fires these only; an ordinary session has the same happen.
SET session_replication_role = replica;
SELECT play(1, 2) \gset
RESET session_replication_role;
TABLE queue;
SELECT count(*) FROM arena.rated_match;
SELECT play(3, 3) \gset
TABLE queue;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT match_id, status, seq FROM arena.rated_match ORDER BY seq;
SELECT rated, unrated, waiting, oldest_waiting, put_aside, last_error, corrections, last_match, truncated, copied FROM skillrating.ladder_status('arena');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');

-- Corrections, a key that changes, one that goes.
\set ECHO none
SET session_replication_role = replica;
UPDATE seat SET place = 3 - place WHERE game = '1';
UPDATE game SET id = 4 WHERE id = 3;
DELETE FROM seat WHERE game = '2';
SELECT play(5, 9) \gset
RESET session_replication_role;
\set ECHO all
SELECT count(*) > 0 FROM skillrating.catch_up('arena');
SELECT match_id, kind FROM arena.correction ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT match_id, status FROM arena.rated_match ORDER BY match_id;

-- What a row cannot tell is noted, and stops nothing.
SET session_replication_role = replica;
INSERT INTO game VALUES (NULL, '2024-02-01'), (10, '2024-02-01');
INSERT INTO seat VALUES (NULL, 1, 1, 1), ('no number', 1, 1, 1), ('99999999999999999999', 1, 1, 1), ('10', 1, 1, 1), ('10', 2, 2, 2);
RESET session_replication_role;
SELECT relation, event, error FROM arena.replica_note ORDER BY number;
DELETE FROM seat WHERE game IS NULL OR game IN ('no number', '99999999999999999999');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT waiting, put_aside FROM skillrating.ladder_status('arena');
DELETE FROM arena.replica_note;

-- A bad match, and one for which a trigger on the ladder raises an error, take nothing along.
\set ECHO none
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.match_id = 13 THEN
        RAISE 'match 13 brings bad luck';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER refuse BEFORE INSERT ON arena.rated_match FOR EACH ROW EXECUTE FUNCTION refuse();
\set ECHO all
SELECT play(11, 15) \gset
UPDATE seat SET team = 1 WHERE game = '12';
UPDATE game SET played_at = 'infinity' WHERE id = 14;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT match_id, status, reason FROM arena.rated_match WHERE match_id > 10 ORDER BY match_id;
SELECT match_id, fires, sqlstate, message FROM arena.pending;
SELECT waiting, last_error, put_aside FROM skillrating.ladder_status('arena');
-- It has another chance when its rows change.
DROP TRIGGER refuse ON arena.rated_match;
UPDATE seat SET place = place WHERE game = '13';
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT match_id, status, reason FROM arena.rated_match WHERE match_id = 13;
SELECT waiting, last_error, put_aside FROM skillrating.ladder_status('arena');

-- TRUNCATE is noted, for a search.
SET session_replication_role = replica;
TRUNCATE game;
RESET session_replication_role;
SELECT truncated FROM skillrating.ladder_status('arena');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT truncated, (SELECT count(*) > 0 FROM arena.rating) AS still_rated FROM skillrating.ladder_status('arena');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena', search => true);
SELECT truncated FROM skillrating.ladder_status('arena');
SELECT count(*) FROM arena.rating;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- The job of the recipe: a search if there was TRUNCATE, and nothing while rows are copied.
TRUNCATE seat;
SELECT play(21, 24) \gset
SELECT outcome, reason FROM skillrating.match_outcome('arena', 21);
SELECT count(*) FROM skillrating.ladder_status('arena') AS s, LATERAL skillrating.catch_up('arena', search => s.truncated > 0) AS c WHERE s.copied = '{}';
SELECT rated, waiting, truncated FROM skillrating.ladder_status('arena');
SELECT play(25, 25) \gset
SELECT count(*) FROM skillrating.catch_up('arena', dry_run => true);
SELECT waiting FROM skillrating.ladder_status('arena');
SELECT play(26, 26) \gset
CALL skillrating.backfill('arena');

-- A second ladder on the same tables, in the ordinary way.
SET client_min_messages = warning;
SELECT skillrating.create_ladder('second', 'glicko', source => 'game_source') \gset
SELECT skillrating.attach('second', 'game', match_id => 'id'), skillrating.attach('second', 'seat', match_id => 'game', replica => true) \gset
RESET client_min_messages;
SELECT play(27, 27) \gset
SELECT (SELECT count(*) FROM arena.pending) AS arena, (SELECT count(*) FROM second.pending) AS second, (SELECT count(*) FROM second.rated_match) AS rated;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('second');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT skillrating.drop_ladder('second') \gset

-- What waits in the queue is rated by the formula that takes the ladder's place.
SET client_min_messages = warning;
SELECT skillrating.shadow_ladder('arena', 'next', 'glicko');
SELECT play(31, 33) \gset
DROP VIEW queue;
SELECT skillrating.promote_ladder('next', 'former');
ALTER SCHEMA former RENAME TO next;
CREATE VIEW queue AS SELECT match_id, count(*) AS n FROM arena.pending GROUP BY match_id ORDER BY match_id;
RESET client_min_messages;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT count(*) FILTER (WHERE r.status = 'rated') = count(*) AS all_rated FROM (SELECT DISTINCT match_id FROM game_source) AS g LEFT JOIN arena.rated_match AS r USING (match_id);
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT replica FROM arena.attached;
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('game'::regclass, 'seat'::regclass) AND tgenabled = 'A';
SELECT skillrating.drop_ladder('next') \gset

-- Triggers that are gone, or that replication would not fire, come back.
ALTER TABLE game ENABLE TRIGGER skillrating_update_2;
SELECT triggers FROM skillrating.ladder_status('arena');
DROP TRIGGER skillrating_insert_2 ON seat;
SELECT play(28, 28) \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT skillrating.restore_triggers('arena');
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('game'::regclass, 'seat'::regclass) AND tgenabled = 'A';
SELECT play(29, 29) \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
ALTER SCHEMA arena RENAME TO hall;
SELECT play(30, 30) \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('hall');
ALTER SCHEMA hall RENAME TO arena;
SELECT skillrating.detach('arena', 'seat') \gset
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'seat'::regclass;
SELECT matches, players FROM skillrating.reset_ladder('arena');
SELECT waiting FROM skillrating.ladder_status('arena');

-- What calls by itself, wrongly, or as somebody else.
CREATE TRIGGER wrong BEFORE INSERT ON seat FOR EACH ROW EXECUTE FUNCTION skillrating_internal.enqueue_matches();
INSERT INTO seat VALUES ('1', 1, 1, 1);
DROP TRIGGER wrong ON seat;
CREATE TRIGGER wrong AFTER INSERT ON seat FOR EACH ROW EXECUTE FUNCTION skillrating_internal.enqueue_matches();
INSERT INTO seat VALUES ('1', 1, 1, 1);
\set VERBOSITY default
DROP TRIGGER wrong ON seat;
SET ROLE regress_replica_guest;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT skillrating.ladder_status('arena');
RESET ROLE;
DROP VIEW queue;
SELECT skillrating.drop_ladder('arena') \gset
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('game'::regclass, 'seat'::regclass);

-- Only the owner of a table can have triggers fire always.
SELECT format('GRANT CREATE ON DATABASE %I TO regress_replica_owner', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_replica_owner;
SET ROLE regress_replica_owner;
CREATE VIEW their_source AS SELECT id AS match_id, now() AS played_at, id AS player_id, 1 AS team, 1 AS rank FROM theirs;
SELECT skillrating.create_ladder('guests', 'elo', source => 'their_source') \gset
SELECT skillrating.attach('guests', 'theirs', match_id => 'id', replica => true);
SELECT skillrating.drop_ladder('guests') \gset
DROP VIEW their_source;
RESET ROLE;

-- The ladder's own tables, and a partitioned one, whose partitions come later too.
SELECT skillrating.create_ladder('own', 'elo') \gset
SELECT skillrating.attach('own', 'own.match');
SELECT skillrating.attach('own', 'own.match', replica => true) \gset
SELECT skillrating.attach('own', 'own.match_player', replica => true) \gset
SET session_replication_role = replica;
INSERT INTO own.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
INSERT INTO own.match (match_id, played_at) VALUES (1, '2024-01-01');
RESET session_replication_role;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('own');
SELECT count(*) FROM skillrating.report_match('own', 2, '{1,2}'::bigint[], '{1,2}', '{2,1}');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('own');
SELECT match_id, status FROM own.rated_match ORDER BY match_id;
SELECT skillrating.detach('own', 'own.match'), skillrating.detach('own', 'own.match_player') \gset
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid IN ('own.match'::regclass, 'own.match_player'::regclass) AND NOT tgisinternal ORDER BY 1, tgrelid;
INSERT INTO own.match (match_id) VALUES (3);
INSERT INTO own.match_player (match_id, player_id, team, rank) VALUES (3, 1, 1, 1), (3, 2, 2, 2);
SELECT match_id, status FROM own.rated_match ORDER BY match_id;
SELECT skillrating.drop_ladder('own') \gset
CREATE TABLE parted (id bigint, player bigint, team int) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE VIEW parted_source AS SELECT id AS match_id, timestamptz '2024-01-01' AS played_at, player AS player_id, team, team AS rank FROM parted;
SELECT skillrating.create_ladder('parts', 'elo', source => 'parted_source') \gset
SELECT skillrating.attach('parts', 'parted', match_id => 'id', replica => true) \gset
\set ECHO none
CREATE TABLE parted_2 (filler int, team int, player bigint, id bigint);
ALTER TABLE parted_2 DROP filler;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (10) TO (20);
SET session_replication_role = replica;
INSERT INTO parted VALUES (1, 1, 1), (1, 2, 2), (11, 1, 1), (11, 2, 2);
INSERT INTO parted_2 (id, player, team) VALUES (12, 1, 1), (12, 2, 2);
RESET session_replication_role;
\set ECHO all
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('parts');
SELECT skillrating.detach('parts', 'parted') \gset
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('parted'::regclass, 'parted_1'::regclass, 'parted_2'::regclass);
SELECT skillrating.drop_ladder('parts') \gset

-- Identifiers that no index takes: pending does, and keeps them.
CREATE TABLE named (name text, player bigint, team int);
CREATE VIEW named_source AS SELECT name AS match_id, timestamptz '2024-01-01' AS played_at, player AS player_id, team, team AS rank FROM named;
SELECT skillrating.create_ladder('names', 'elo', match_type => 'text', source => 'named_source') \gset
SELECT skillrating.attach('names', 'named', match_id => 'name', replica => true) \gset
SET session_replication_role = replica;
INSERT INTO named SELECT n, p, p FROM (SELECT string_agg(md5(i::text), '') AS n FROM generate_series(1, 1000) AS i UNION ALL SELECT 'short') AS l, generate_series(1, 2) AS p;
RESET session_replication_role;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('names');
SELECT left(match_id, 8), length(match_id), sqlstate, regexp_replace(message, '\d+', 'N', 'g') FROM names.pending;
SELECT match_id, status FROM names.rated_match;
SELECT skillrating.drop_ladder('names') \gset
DROP FUNCTION play(bigint, bigint), refuse();
DROP TABLE named, parted, game, seat, theirs CASCADE;
SELECT format('REVOKE ALL ON DATABASE %I FROM regress_replica_owner', current_database()) \gexec
REVOKE ALL ON SCHEMA public FROM regress_replica_owner, regress_replica_guest;
DROP ROLE regress_replica_owner, regress_replica_guest;
