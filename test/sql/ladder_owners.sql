-- An application goes on where a relation of a ladder, its schema or its source view has become
-- another role's, whose code never runs with the rights of the ladder's owner.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE ROLE regress_owners_owner;
CREATE ROLE regress_owners_rogue;
CREATE ROLE regress_owners_app;
\set ECHO all
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owners_owner', current_database()) \gexec
\set ECHO none
CREATE SCHEMA regress_owners;
GRANT CREATE, USAGE ON SCHEMA regress_owners TO regress_owners_owner, regress_owners_rogue;
GRANT USAGE ON SCHEMA regress_owners TO regress_owners_app;
SET search_path = regress_owners;
SET ROLE regress_owners_owner;
CREATE TABLE duel (id bigint PRIMARY KEY, winner bigint, loser bigint);
CREATE TABLE users (id bigint PRIMARY KEY, rating float8);
CREATE TABLE gained (who text);
CREATE VIEW duel_source AS SELECT d.id AS match_id, timestamptz '2024-01-01 UTC' + d.id * interval '1 hour' AS played_at, p.player_id, p.team, p.team AS rank
    FROM duel AS d CROSS JOIN LATERAL (VALUES (d.winner, 1), (d.loser, 2)) AS p(player_id, team);
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo', source => 'duel_source', ratings_to => 'users', key => 'id', columns => '{"rating": "rating"}') \gset
SELECT skillrating.create_ladder('raising', 'elo', source => 'duel_source', on_error => 'raise', attach => false) \gset
GRANT ALL ON duel, users TO regress_owners_app;
INSERT INTO users VALUES (1), (2);
RESET ROLE;
-- What the rogue writes wherever it can; it may do nothing where it runs with the owner's rights.
SET ROLE regress_owners_rogue;
\set ECHO none
CREATE FUNCTION trap() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'regress_owners_rogue' THEN
        INSERT INTO regress_owners.gained VALUES (current_user);
        RAISE WARNING 'the code of another role runs as %', current_user;
    END IF;
    RETURN true;
END
$$;
\set ECHO all
RESET ROLE;
SELECT format('GRANT %I TO CURRENT_USER', r) FROM unnest('{regress_owners_owner,regress_owners_rogue}'::text[]) AS r \gexec
CREATE FUNCTION play(id bigint) RETURNS void LANGUAGE sql AS $$INSERT INTO regress_owners.duel VALUES (id, 1 + id % 2, 2 - id % 2)$$;
CREATE VIEW waiting AS SELECT p.match_id, p.fires, p.sqlstate, p.message FROM arena.pending AS p;

-- The view below the source.
ALTER VIEW duel_source OWNER TO regress_owners_rogue;
SET ROLE regress_owners_rogue;
CREATE OR REPLACE VIEW duel_source AS SELECT d.id AS match_id, timestamptz '2024-01-01 UTC' + d.id * interval '1 hour' AS played_at, p.player_id, p.team, p.team AS rank
    FROM duel AS d CROSS JOIN LATERAL (VALUES (d.winner, 1), (d.loser, 2)) AS p(player_id, team) WHERE trap();
SET ROLE regress_owners_app;
SELECT play(1) \gset
BEGIN;
SELECT count(*) FROM generate_series(2, 40) AS i, play(i);
UPDATE duel SET winner = 2, loser = 1 WHERE id = 3;
COMMIT;
RESET ROLE;
SELECT count(*), bool_or(fires) AS fires, min(sqlstate) AS sqlstate, min(message) AS message FROM waiting;
-- The owner is told the same, and mends it.
SET ROLE regress_owners_owner;
SELECT count(*) FROM skillrating.catch_up('arena');
RESET ROLE;
ALTER VIEW duel_source OWNER TO regress_owners_owner;
SET ROLE regress_owners_owner;
CREATE OR REPLACE VIEW duel_source AS SELECT d.id AS match_id, timestamptz '2024-01-01 UTC' + d.id * interval '1 hour' AS played_at, p.player_id, p.team, p.team AS rank
    FROM duel AS d CROSS JOIN LATERAL (VALUES (d.winner, 1), (d.loser, 2)) AS p(player_id, team);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT rated, waiting FROM skillrating.ladder_status('arena');
RESET ROLE;

-- A table of the ladder, of which a trigger and a policy of the rogue wait.
\set ECHO none
CREATE FUNCTION trap_row() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM regress_owners.trap(); RETURN NEW; END$$;
GRANT USAGE ON SCHEMA arena TO regress_owners_rogue;
ALTER TABLE arena.rating OWNER TO regress_owners_rogue;
GRANT SELECT, INSERT, UPDATE ON arena.rating TO regress_owners_owner;
SET ROLE regress_owners_rogue;
CREATE TRIGGER trap BEFORE INSERT OR UPDATE ON arena.rating FOR EACH ROW EXECUTE FUNCTION trap_row();
CREATE POLICY trap ON arena.rating USING (trap()) WITH CHECK (trap());
ALTER TABLE arena.rating ENABLE ROW LEVEL SECURITY;
\set ECHO all
SET ROLE regress_owners_app;
SELECT play(41) \gset
INSERT INTO users VALUES (3);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT play(42) \gset
COMMIT;
RESET ROLE;
SELECT * FROM waiting ORDER BY match_id;
SET ROLE regress_owners_rogue;
\set ECHO none
DROP TRIGGER trap ON arena.rating;
DROP POLICY trap ON arena.rating;
ALTER TABLE arena.rating DISABLE ROW LEVEL SECURITY;
RESET ROLE;
ALTER TABLE arena.rating OWNER TO regress_owners_owner;
\set ECHO all
SET ROLE regress_owners_owner;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT rated, waiting FROM skillrating.ladder_status('arena');
RESET ROLE;

-- The table where matches wait, and the schema.
ALTER TABLE arena.pending OWNER TO regress_owners_rogue;
SET ROLE regress_owners_app;
SELECT play(43) \gset
RESET ROLE;
ALTER TABLE arena.pending OWNER TO regress_owners_owner;
ALTER SCHEMA arena OWNER TO regress_owners_rogue;
SET ROLE regress_owners_app;
SELECT play(44) \gset
INSERT INTO users VALUES (4);
RESET ROLE;
ALTER SCHEMA arena OWNER TO regress_owners_owner;
SELECT count(*) FROM waiting;
SET ROLE regress_owners_owner;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena', search => true);
SELECT rated, waiting FROM skillrating.ladder_status('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
RESET ROLE;

-- What inherits from a table of the ladder, with a trigger of its owner's.
\set ECHO none
CREATE TABLE child () INHERITS (arena.rating);
INSERT INTO child SELECT r.* FROM arena.rating AS r WHERE r.player_id = 1;
ALTER TABLE child OWNER TO regress_owners_rogue;
SET ROLE regress_owners_rogue;
CREATE TRIGGER trap BEFORE UPDATE ON child FOR EACH ROW EXECUTE FUNCTION trap_row();
\set ECHO all
SET ROLE regress_owners_app;
SELECT play(60) \gset
RESET ROLE;
SELECT * FROM waiting;
DROP TABLE child;

-- Matches that another ladder's work brings, and a ladder with tables of its own.
SET ROLE regress_owners_owner;
SELECT skillrating.create_ladder('outer', 'elo') \gset
\set ECHO none
CREATE FUNCTION play_too() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM regress_owners.play(61); RETURN NULL; END$$;
CREATE TRIGGER play_too AFTER INSERT ON "outer".event FOR EACH STATEMENT EXECUTE FUNCTION play_too();
SELECT skillrating.grant_ladder('outer', 'regress_owners_app', 'reporter') \gset
RESET ROLE;
ALTER VIEW duel_source OWNER TO regress_owners_rogue;
\set ECHO all
SET ROLE regress_owners_app;
SELECT count(*) FROM skillrating.report_match('outer', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
RESET ROLE;
SELECT match_id FROM waiting ORDER BY 1;
ALTER VIEW duel_source OWNER TO regress_owners_owner;
SET ROLE regress_owners_owner;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
DROP TRIGGER play_too ON "outer".event;
RESET ROLE;
ALTER TABLE "outer".ladder OWNER TO regress_owners_rogue;
SET ROLE regress_owners_app;
INSERT INTO "outer".match_player (match_id, player_id, team, rank) VALUES (1, 3, 3, 3);
RESET ROLE;
ALTER TABLE "outer".ladder OWNER TO regress_owners_owner;
SET ROLE regress_owners_owner;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('outer', search => true, rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('outer');
RESET ROLE;

-- Who calls is told whose rights are lacking; and an owner no longer of the schema is not told to ask
-- the owner.
REVOKE ALL ON duel FROM regress_owners_owner;
SET ROLE regress_owners_owner;
SELECT count(*) FROM skillrating.verify('arena');
SELECT count(*) FROM skillrating.catch_up('arena', search => true);
RESET ROLE;
GRANT ALL ON duel TO regress_owners_owner;
ALTER SCHEMA arena OWNER TO regress_owners_rogue;
SET ROLE regress_owners_owner;
SELECT count(*) FROM skillrating.verify('arena');
SELECT count(*) FROM skillrating.leaderboard('arena');
RESET ROLE;
ALTER SCHEMA arena OWNER TO regress_owners_owner;

-- A ladder that raises errors raises this one too.
SET ROLE regress_owners_owner;
SELECT skillrating.attach('raising', 'duel', match_id => 'id') \gset
RESET ROLE;
ALTER VIEW duel_source OWNER TO regress_owners_rogue;
SET ROLE regress_owners_app;
SELECT play(45);
RESET ROLE;
SELECT count(*) FROM duel WHERE id = 45;
SELECT * FROM gained;
ALTER VIEW duel_source OWNER TO regress_owners_owner;
DROP VIEW waiting;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{arena,raising,outer}'::text[]) AS l;
SET client_min_messages = warning;
DROP SCHEMA regress_owners CASCADE;
SELECT format('REVOKE ALL ON DATABASE %I FROM regress_owners_owner', current_database()) \gexec
DROP ROLE regress_owners_owner, regress_owners_rogue, regress_owners_app;
