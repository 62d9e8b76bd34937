-- A source view that gets columns, loses them, or is another.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA regress_source_changes;
SET search_path = regress_source_changes;
CREATE TABLE game (id bigint PRIMARY KEY, at timestamptz, map text);
CREATE TABLE game_player (game_id bigint, player text, team int, score int);
CREATE VIEW game_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
\set ECHO all
SELECT skillrating.create_ladder('games', 'elo', source => 'game_source') \gset
SELECT skillrating.attach('games', 'game', 'id'), skillrating.attach('games', 'game_player', 'game_id') \gset
BEGIN;
INSERT INTO game VALUES (1, '2026-01-01', 'a'), (2, '2026-01-02', 'b'), (3, '2026-01-03', 'c');
INSERT INTO game_player VALUES (1, 'x', 1, 5), (1, 'y', 2, 3), (2, 'x', 1, 1), (2, 'y', 2, 3), (3, 'x', 1, 1), (3, 'y', 2, 2);
COMMIT;
SELECT bool_and(ok) FROM skillrating.verify('games');

-- New columns that a ladder knows are noticed; others do not matter.
CREATE OR REPLACE VIEW game_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score, g.map
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
SELECT bool_and(ok) FROM skillrating.verify('games');
CREATE OR REPLACE VIEW game_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score, g.map, g.map AS pool,
        CASE WHEN g.map = 'b' THEN 'casual map' END AS unrated_reason
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
SELECT check_name, detail FROM skillrating.verify('games') WHERE NOT ok;
SELECT * FROM skillrating.catch_up('games', search => true, rebuild => true);
-- They are taken up by one call, and count with catch_up().
\set VERBOSITY terse
SELECT skillrating.refresh_source('games') \gset
SELECT check_name, detail FROM skillrating.verify('games') WHERE NOT ok ORDER BY check_name;
SELECT player_id, pool, games_before, games_after FROM skillrating.catch_up('games') ORDER BY pool, player_id;
SELECT bool_and(ok) FROM skillrating.verify('games');
SELECT pool, player_id, games FROM games.rating ORDER BY pool, player_id;
SELECT match_id, status, reason, detail FROM games.rated_match ORDER BY match_id;
SELECT skillrating.refresh_source('games') \gset
SELECT count(*) FROM skillrating.catch_up('games');

-- A shadow notices as well.
SELECT skillrating.shadow_ladder('games', 'other', 'glicko');
CREATE OR REPLACE VIEW game_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score, g.map, g.map AS pool,
        CASE WHEN g.map = 'b' THEN 'casual map' END AS unrated_reason, 2 AS player_gain
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
SELECT skillrating.refresh_source('games') \gset
SELECT detail FROM skillrating.verify('other') WHERE NOT ok;
SELECT skillrating.refresh_source('other') \gset
SELECT count(*) FROM skillrating.catch_up('other');
SELECT bool_and(ok) FROM skillrating.verify('other');
SELECT skillrating.drop_ladder('other') \gset
SELECT count(*) FROM skillrating.catch_up('games');

-- Another source with the same columns; one that lacks some takes the longer way.
CREATE VIEW late_source AS SELECT s.* FROM game_source AS s WHERE s.played_at >= '2026-01-02';
SELECT skillrating.refresh_source('games', 'late_source') \gset
SELECT * FROM skillrating.catch_up('games');
\set VERBOSITY default
SELECT player_id, pool, games_before, games_after FROM skillrating.catch_up('games', search => true) ORDER BY pool, player_id;
SELECT bool_and(ok) FROM skillrating.verify('games');
CREATE VIEW short_source AS SELECT s.match_id, s.played_at, s.player_id, s.team, s.team_score FROM game_source AS s;
SELECT skillrating.refresh_source('games', 'short_source');
SET client_min_messages = warning;
DROP VIEW games.source CASCADE;
RESET client_min_messages;
SELECT skillrating.refresh_source('games', 'short_source') \gset
SELECT count(*) FROM skillrating.catch_up('games', search => true, rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('games');
SELECT player_id, pool, games FROM games.rating ORDER BY player_id;
BEGIN;
INSERT INTO game VALUES (4, '2026-01-04', 'd');
INSERT INTO game_player VALUES (4, 'x', 1, 1), (4, 'y', 2, 2);
COMMIT;
SELECT status FROM games.rated_match WHERE match_id = 4;

-- What will not do is refused.
CREATE VIEW bad AS SELECT s.match_id, s.played_at, 1 AS player_id, s.team, s.team_score FROM game_source AS s;
SELECT skillrating.refresh_source('games', 'bad');
SET client_min_messages = warning;
DROP VIEW games.source CASCADE;
RESET client_min_messages;
SELECT skillrating.refresh_source('games', 'bad');
SELECT skillrating.refresh_source('games', 'game');
SELECT skillrating.refresh_source('games');
SELECT skillrating.refresh_source(NULL);
SELECT skillrating.refresh_source('nowhere', 'game_source');
SELECT skillrating.create_ladder('own', 'elo') \gset
SELECT skillrating.refresh_source('own');
SELECT skillrating.drop_ladder('own'), skillrating.drop_ladder('games') \gset
SET client_min_messages = warning;
DROP SCHEMA regress_source_changes CASCADE;
