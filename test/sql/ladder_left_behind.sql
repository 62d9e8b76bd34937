-- What is left when parts of a ladder are dropped: it never keeps users from their own tables, and
-- what is left can be dropped, or made whole again.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA regress_left_behind;
SET search_path = regress_left_behind;
SET client_min_messages = warning;
CREATE TABLE game (id bigint PRIMARY KEY, at timestamptz, map text);
CREATE TABLE game_player (game_id bigint, player text, team int, score int);
CREATE VIEW game_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
-- A ladder over both tables with a match in it.
CREATE FUNCTION make_ladder(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE game, game_player;
    INSERT INTO game VALUES (1, '2026-01-01', 'a');
    INSERT INTO game_player VALUES (1, 'x', 1, 5), (1, 'y', 2, 3);
    PERFORM skillrating.create_ladder(ladder, 'elo', source => 'game_source'),
        skillrating.attach(ladder, 'game', 'id'), skillrating.attach(ladder, 'game_player', 'game_id');
    PERFORM count(*) FROM skillrating.catch_up(ladder, search => true);
END
$$;
-- Another match, as a user would bring it.
CREATE FUNCTION play(game_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO game VALUES (game_id, '2026-01-01'::timestamptz + game_id * interval '1 day', 'a');
    INSERT INTO game_player VALUES (game_id, 'x', 1, 1), (game_id, 'y', 2, 2);
END
$$;
CREATE VIEW our_triggers AS
    SELECT t.tgrelid::regclass AS relation, t.tgname, substring(pg_get_triggerdef(t.oid) FROM 'WHEN (.*) EXECUTE') AS condition
    FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
    WHERE p.pronamespace = 'skillrating_internal'::regnamespace;
\set ECHO all

-- The triggers name the ladder's source, and the ladder follows when its schema is renamed.
SELECT make_ladder('left') \gset
SELECT * FROM our_triggers WHERE relation = 'game'::regclass ORDER BY tgname;
ALTER SCHEMA "left" RENAME TO renamed;
SELECT play(2) \gset
SELECT status FROM renamed.rated_match WHERE match_id = 2;
SELECT bool_and(ok) FROM skillrating.verify('renamed');
TRUNCATE game;
SELECT skillrating.drop_ladder('renamed') \gset
SELECT count(*) FROM our_triggers;

-- The view of the user is dropped, with all that depends on it: the ladder is at rest.
SELECT make_ladder('left') \gset
DROP VIEW game_source CASCADE;
SELECT count(*) FROM our_triggers WHERE relation = 'game'::regclass;
SELECT play(3) \gset
SELECT * FROM skillrating.catch_up('left');
SELECT skillrating.attach('left', 'game', 'id');
SELECT skillrating.restore_triggers('left');
SELECT skillrating.refresh_source('left');
CREATE VIEW game_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
SELECT skillrating.refresh_source('left', 'game_source') \gset
SELECT count(*) FROM our_triggers WHERE relation IN ('game'::regclass, 'game_player'::regclass);
SELECT match_id FROM "left".rated_match ORDER BY match_id;
SELECT player_id, games_after FROM skillrating.catch_up('left', search => true) ORDER BY player_id;
SELECT play(4) \gset
SELECT bool_and(ok), (SELECT count(*) FROM "left".rated_match) AS matches FROM skillrating.verify('left');
-- Without the view it can be dropped, and tables detached.
DROP VIEW game_source CASCADE;
SELECT skillrating.detach('left', 'game') \gset
SELECT skillrating.detach('left', 'game');
SELECT skillrating.drop_ladder('left') \gset
CREATE VIEW game_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;

-- The schema is dropped.
SELECT make_ladder('left') \gset
DROP SCHEMA "left" CASCADE;
SELECT play(3) \gset
SELECT skillrating.drop_ladder('left');
SELECT skillrating.detach('left', 'game');

-- Any of its tables is dropped: users write on, and are warned.
DO $$
DECLARE
    relation text;
    triggers bigint;
BEGIN
    FOREACH relation IN ARRAY '{ladder,rating,event,rated_match,pending,correction,operation,attached,component_event}'::text[] LOOP
        PERFORM make_ladder('left');
        EXECUTE format('DROP TABLE "left".%I CASCADE', relation);
        UPDATE game_player SET score = 2 WHERE player = 'x';
        PERFORM skillrating.drop_ladder('left');
        SELECT count(*) INTO triggers FROM our_triggers;
        IF triggers > 0 OR to_regnamespace('left') IS NOT NULL THEN
            RAISE WARNING 'without % it cannot be dropped', relation;
        END IF;
    END LOOP;
END
$$;
SELECT make_ladder('left') \gset
DROP TABLE "left".rated_match, "left".attached;
TRUNCATE game;
SELECT skillrating.detach('left', 'game') \gset
SELECT skillrating.drop_ladder('left') \gset
-- But no other schema is taken for a ladder.
CREATE SCHEMA stranger;
CREATE TABLE stranger.match ();
CREATE TABLE stranger.event (player_id bigint, seq bigint);
SELECT skillrating.drop_ladder('stranger');
DROP SCHEMA stranger CASCADE;
-- Nor is more dropped than the ladder.
SELECT make_ladder('left') \gset
CREATE VIEW top AS SELECT * FROM "left".rating;
SELECT skillrating.drop_ladder('left');
SELECT count(*) FROM our_triggers WHERE relation = 'game'::regclass;
DROP VIEW top;

-- An attached table is dropped, or a mirrored one.
CREATE TABLE person (name text PRIMARY KEY, elo float8);
INSERT INTO person VALUES ('x', 7), ('z', 7);
SELECT skillrating.mirror_rating('left', 'person', 'name', '{"elo": "rating"}');
SELECT name, elo = 7 AS kept FROM person ORDER BY name;
\set ECHO none
DROP TABLE person;
CREATE TABLE gone (match_id bigint);
SELECT skillrating.attach('left', 'gone') \gset
SELECT 'gone'::regclass::oid AS gone \gset
DROP TABLE gone;
\set ECHO all
SELECT play(6) \gset
SELECT count(*) FROM skillrating.catch_up('left');
SELECT bool_and(ok) FROM skillrating.verify('left');
SELECT skillrating.detach('left', :gone) \gset
SELECT skillrating.restore_triggers('left');
SELECT count(*) FROM "left".mirror;
SELECT skillrating.drop_ladder('left') \gset

-- In a transaction that has matches waiting.
SELECT make_ladder('left') \gset
\set ECHO none
BEGIN;
SELECT play(7) \gset
SELECT skillrating.drop_ladder('left') \gset
COMMIT;
SELECT skillrating.create_ladder('own', 'elo') \gset
BEGIN;
INSERT INTO own.match (match_id) VALUES (1);
INSERT INTO own.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
\set ECHO all
SELECT skillrating.drop_ladder('own') \gset
COMMIT;
-- Under a cursor it says what to do.
SELECT skillrating.create_ladder('own', 'elo') \gset
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM own.rating;
SELECT skillrating.drop_ladder('own');
ROLLBACK;
SELECT skillrating.drop_ladder('own') \gset

-- Triggers that are missing are noticed, one by one.
SELECT make_ladder('left'), skillrating.create_ladder('own', 'elo') \gset
DROP TRIGGER skillrating_update ON game;
SELECT * FROM skillrating.verify('left');
SELECT * FROM skillrating.catch_up('left');
SELECT skillrating.restore_triggers('left'), skillrating.restore_triggers('left');
DROP TRIGGER apply_pending ON "left".pending;
SELECT play(8);
SELECT skillrating.new_season('left', 'second');
SELECT skillrating.restore_triggers('left');
SELECT play(8) \gset
SELECT bool_and(ok) FROM skillrating.verify('left');
DROP TRIGGER collect_update ON own.match;
SELECT skillrating.report_match('own', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.restore_triggers('own');
SELECT count(*) FROM skillrating.report_match('own', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.restore_triggers('nowhere');
-- What is lost, disabled or silenced is told.
SELECT triggers FROM unnest('{left,own}'::text[]) AS l, skillrating.ladder_status(l);
DROP TRIGGER skillrating_insert ON game_player;
ALTER TABLE game DISABLE TRIGGER USER;
ALTER TABLE own.pending DISABLE TRIGGER ALL;
ALTER TABLE own.match_player ENABLE REPLICA TRIGGER collect_insert;
SELECT triggers FROM unnest('{left,own}'::text[]) AS l, skillrating.ladder_status(l);
SELECT check_name, ok, detail FROM skillrating.verify('own') WHERE check_name = 'complete';
SELECT skillrating.restore_triggers(l) FROM unnest('{left,own,left,own}'::text[]) AS l;
SELECT triggers FROM unnest('{left,own}'::text[]) AS l, skillrating.ladder_status(l);
SELECT play(60) \gset
SELECT max(match_id) FROM "left".rated_match;
SET session_replication_role = replica;
SELECT triggers FROM skillrating.ladder_status('own');
RESET session_replication_role;
SELECT bool_and(ok) FROM unnest('{left,own}'::text[]) AS l, skillrating.verify(l);
SELECT skillrating.drop_ladder('left'), skillrating.drop_ladder('own') \gset

-- Who owns the ladder may attach what they may put triggers on, and takes these away from a table
-- that became another role's.
CREATE ROLE regress_left_owner;
CREATE ROLE regress_left_other;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_left_owner', current_database()) \gexec
\set ECHO none
GRANT CREATE, USAGE ON SCHEMA regress_left_behind TO regress_left_owner, regress_left_other;
GRANT SELECT ON game, game_player TO regress_left_owner;
SET ROLE regress_left_owner;
CREATE VIEW own_source AS
    SELECT g.id AS match_id, g.at AS played_at, p.player AS player_id, p.team, p.score AS team_score
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
\set ECHO all
SELECT skillrating.create_ladder('left', 'elo', source => 'own_source', attach => false) \gset
SELECT skillrating.attach('left', 'game', 'id');
RESET ROLE;
GRANT TRIGGER ON game, game_player TO regress_left_owner, regress_left_other;
GRANT USAGE ON SCHEMA "left" TO regress_left_other;
GRANT ALL ON "left".attached TO regress_left_other;
SET ROLE regress_left_other;
SELECT skillrating.attach('left', 'game', 'id');
SET ROLE regress_left_owner;
SELECT skillrating.attach('left', 'game', 'id'), skillrating.attach('left', 'game_player', 'game_id') \gset
RESET ROLE;
REVOKE TRIGGER ON game, game_player FROM regress_left_owner;
ALTER TABLE game OWNER TO regress_left_other;
SELECT play(9) \gset
SELECT status FROM "left".rated_match WHERE match_id = 9;
SET ROLE regress_left_other;
SELECT skillrating.detach('left', 'game');
SELECT skillrating_internal.drop_source_triggers('"left".source', 'game', NULL);
SET ROLE regress_left_owner;
SELECT skillrating.detach('left', 'game') \gset
SELECT skillrating.drop_ladder('left') \gset
RESET ROLE;
SELECT * FROM our_triggers;
ALTER TABLE game OWNER TO CURRENT_USER;
DROP SCHEMA regress_left_behind CASCADE;
DROP OWNED BY regress_left_owner, regress_left_other;
DROP ROLE regress_left_owner, regress_left_other;
