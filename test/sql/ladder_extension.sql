-- The extension is dropped, without its ladders, and created again: nothing claims to have rated
-- until the triggers are back. In a database of its own.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set from :DBNAME
CREATE DATABASE regress_skillrating_again TEMPLATE template0;
\set ECHO all
\c regress_skillrating_again
SET client_min_messages = warning;
CREATE EXTENSION skillrating;
SELECT skillrating.create_ladder('own', 'elo') \gset
SELECT count(*) FROM skillrating.report_match('own', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
CREATE TABLE person (id bigint PRIMARY KEY, elo float8);
INSERT INTO person SELECT i FROM generate_series(1, 5) AS i;
SELECT skillrating.mirror_rating('own', 'person', 'id', '{"elo": "rating"}');
\set ECHO none
CREATE TABLE duel (id bigint PRIMARY KEY, at timestamptz, winner text, loser text);
CREATE VIEW duel_source AS
    SELECT id AS match_id, at AS played_at, winner AS player_id, 1 AS team, true AS won FROM duel
    UNION ALL SELECT id, at, loser, 2, false FROM duel;
SELECT skillrating.create_ladder('duels', 'elo', source => 'duel_source'), skillrating.attach('duels', 'duel', 'id') \gset
INSERT INTO duel VALUES (1, '2026-01-01', 'ann', 'bob');

DROP EXTENSION skillrating CASCADE;
\set ECHO all
-- Tables stay as they are, and can be written.
SELECT player_id, rating, games FROM own.rating ORDER BY player_id;
INSERT INTO duel VALUES (2, '2026-01-02', 'ann', 'cid');
INSERT INTO own.match (match_id) VALUES (2);
INSERT INTO own.match_player (match_id, player_id, team, rank) VALUES (2, 1, 1, 1), (2, 3, 2, 2);

CREATE EXTENSION skillrating;
SELECT player_id FROM skillrating.leaderboard('own');
SELECT * FROM skillrating.report_match('own', 3, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
\set VERBOSITY terse
SELECT * FROM skillrating.catch_up('own');
SELECT * FROM skillrating.verify('own');
SELECT skillrating.decay('own');
\set VERBOSITY default
SELECT * FROM skillrating.verify('duels');
SELECT * FROM skillrating.catch_up('duels', search => true);
-- One call for each ladder puts triggers back, and one finds what came meanwhile.
SELECT skillrating.restore_triggers('own') AS own, skillrating.restore_triggers('duels') AS duels;
SELECT skillrating.restore_triggers('own') AS own, skillrating.restore_triggers('duels') AS duels;
SELECT check_name, detail FROM skillrating.verify('duels') WHERE NOT ok;
SELECT player_id, games_after FROM skillrating.catch_up('own', search => true, rebuild => true) ORDER BY player_id;
SELECT player_id, games_after FROM skillrating.catch_up('duels', search => true, rebuild => true) ORDER BY player_id;
INSERT INTO duel VALUES (3, '2026-01-03', 'bob', 'cid');
SELECT count(*) FROM skillrating.report_match('own', 3, ARRAY[1, 4], ARRAY[1, 2], ARRAY[1, 2]);
SELECT bool_and(ok) FROM skillrating.verify('own');
SELECT bool_and(ok) FROM skillrating.verify('duels');
SELECT id, elo = (SELECT r.rating FROM own.rating AS r WHERE r.player_id = id) AS mirrored FROM person ORDER BY id;

-- Ladders can be dropped, and tables detached, with and without triggers.
\set ECHO none
DROP EXTENSION skillrating CASCADE;
CREATE EXTENSION skillrating;
SELECT skillrating.detach('duels', 'duel') \gset
SELECT skillrating.drop_ladder('duels'), skillrating.drop_ladder('own') \gset
DROP TABLE duel CASCADE;
DROP EXTENSION skillrating;
\set ECHO all
\c :from
DROP DATABASE regress_skillrating_again;
