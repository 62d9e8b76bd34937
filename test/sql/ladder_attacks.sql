-- Attacks that need more than a trap on a table: types, casts, views that change hands,
-- cursors and policies.  What each would gain is asked after it.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE ROLE regress_attacker;
\set ECHO all
SELECT format('GRANT CREATE ON DATABASE %I TO regress_attacker', current_database()) \gexec
\set ECHO none
CREATE VIEW gained AS SELECT rolsuper AS superuser FROM pg_roles WHERE rolname = 'regress_attacker';
SET ROLE regress_attacker;
CREATE SCHEMA attack;
GRANT USAGE ON SCHEMA attack TO PUBLIC;
CREATE FUNCTION attack.strike() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'regress_attacker' THEN
        EXECUTE 'ALTER ROLE regress_attacker SUPERUSER';
    END IF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
CREATE TABLE attack.bait (i int);
CREATE FUNCTION attack.late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM attack.strike(); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON attack.bait DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION attack.late();
CREATE FUNCTION attack.spring() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM attack.strike();
    BEGIN
        INSERT INTO attack.bait VALUES (1);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    RETURN NEW;
END $$;
\set ECHO all
RESET ROLE;

-- A cast of the attacker's from a type of the attacker's, on somebody else's ladder.
SELECT skillrating.create_ladder('arena', 'elo') \gset
SELECT count(*) FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
\set ECHO none
GRANT USAGE ON SCHEMA arena TO regress_attacker;
GRANT SELECT ON ALL TABLES IN SCHEMA arena TO regress_attacker;
SET ROLE regress_attacker;
CREATE TYPE attack.id AS (i int);
CREATE FUNCTION attack.cast_text(attack.id) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM attack.strike(); RETURN ($1).i; END';
CREATE CAST (attack.id AS text) WITH FUNCTION attack.cast_text(attack.id);
CREATE FUNCTION attack.cast_number(attack.id) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN PERFORM attack.strike(); RETURN ($1).i; END';
CREATE CAST (attack.id AS bigint) WITH FUNCTION attack.cast_number(attack.id) AS IMPLICIT;
CREATE DOMAIN attack.number AS bigint CHECK (attack.strike() IS NOT NULL);
DO $$
DECLARE
    call text;
BEGIN
    FOREACH call IN ARRAY ARRAY['place_of(''arena'', %s)', 'around(''arena'', %s)', 'history(''arena'', %s)',
        'rating_at(''arena'', %s, now())', 'find_opponents(''arena'', %s)', 'match_outcome(''arena'', %s)', 'lobby(''arena'', ARRAY[%s])',
        'preview(''arena'', ARRAY[%1$s, %1$s], ARRAY[1, 2])', 'win_probability(''arena'', ARRAY[%1$s, %1$s], ARRAY[1, 2])'] LOOP
        BEGIN
            EXECUTE format('SELECT skillrating.' || call, 'ROW(1)::attack.id');
            RAISE WARNING '% was taken', call;
        EXCEPTION WHEN datatype_mismatch OR undefined_function THEN NULL;
        END;
    END LOOP;
END $$;
\set ECHO all
SELECT (skillrating.place_of('arena', ROW(1)::attack.id)).place;
-- A domain is what it is made of: its checks ran when the caller made the value.
RESET ROLE;
\set ECHO none
GRANT INSERT ON arena.match, arena.match_player TO regress_attacker;
SET ROLE regress_attacker;
CREATE FUNCTION attack.is_struck(bigint) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM attack.strike(); RETURN true; END';
CREATE DOMAIN attack.struck AS bigint CHECK (attack.is_struck(VALUE));
CREATE FUNCTION attack.struck_text(attack.struck) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM attack.strike(); RETURN $1::bigint; END';
\set ECHO all
CREATE CAST (attack.struck AS text) WITH FUNCTION attack.struck_text(attack.struck);
\set ECHO none
DO $$
DECLARE
    call text;
BEGIN
    FOREACH call IN ARRAY ARRAY['place_of(''arena'', %s)', 'around(''arena'', %s)', 'history(''arena'', %s)',
        'rating_at(''arena'', %s, now())', 'find_opponents(''arena'', %s)', 'find_opponents(''arena'', %s, explain => true)', 'match_outcome(''arena'', %s)',
        'split_teams(skillrating.lobby(''arena'', ARRAY[%s, 2::attack.struck], party => ''{1,2}''), explain => true)',
        'preview(''arena'', ARRAY[%s, 2::attack.struck], ARRAY[1, 2])', 'win_probability(''arena'', ARRAY[%s, 2::attack.struck], ARRAY[1, 2])',
        'report_match(''arena'', %1$s, ARRAY[%1$s, 2::attack.struck], ARRAY[1, 2], ARRAY[1, 2])'] LOOP
        BEGIN
            EXECUTE format('SELECT skillrating.' || call, '1::attack.struck');
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING '%: %', call, SQLERRM;
        END;
    END LOOP;
END $$;
RESET ROLE;
REVOKE INSERT ON ALL TABLES IN SCHEMA arena FROM regress_attacker;
\set ECHO all
TABLE gained;

-- The CHECK of a domain that somebody asks about.
SET ROLE regress_attacker;
CREATE FUNCTION attack.checks(bigint) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM attack.strike(); RETURN true; END';
CREATE DOMAIN attack.checked AS bigint CHECK (attack.checks(VALUE));
CREATE VIEW attack.asked AS SELECT 1::bigint AS match_id, now() AS played_at, NULL::attack.checked AS player_id, 1 AS team, 1 AS rank WHERE false;
RESET ROLE;
SELECT name, ok FROM skillrating.describe_source('attack.asked', 'elo') WHERE name ~ '_id$';
TABLE gained;

-- A view under the source of a ladder's source that becomes another role's.
\set ECHO none
CREATE TABLE game (match_id bigint, played_at timestamptz DEFAULT '2024-01-01', player_id bigint, team int, rank int);
GRANT SELECT ON game TO regress_attacker;
INSERT INTO game SELECT 1, '2024-01-01', t, t, t FROM generate_series(1, 2) AS t;
GRANT CREATE ON SCHEMA attack TO CURRENT_USER;
CREATE VIEW attack.given AS SELECT * FROM game;
\set ECHO all
SELECT skillrating.create_ladder('first', 'elo', source => 'attack.given', attach => false) \gset
SELECT count(*) FROM skillrating.catch_up('first', search => true);
SELECT skillrating.shadow_ladder('first', 'second', 'glicko2');
ALTER VIEW attack.given OWNER TO regress_attacker;
SELECT count(*) FROM skillrating.verify('first');
SELECT count(*) FROM skillrating.verify('second');
SELECT count(*) FROM skillrating.catch_up('second', search => true);

-- The source of a ladder with tables of its own, which a shadow reads too; and a circle of sources.
SELECT skillrating.create_ladder('origin', 'elo') \gset
SELECT skillrating.shadow_ladder('origin', 'shade', 'glicko2');
\set ECHO none
GRANT USAGE, CREATE ON SCHEMA origin TO regress_attacker;
GRANT SELECT ON origin.match, origin.match_player TO regress_attacker;
ALTER VIEW origin.source OWNER TO regress_attacker;
SELECT format('CREATE OR REPLACE VIEW origin.source AS %s AND attack.strike() IS NOT NULL', rtrim(pg_get_viewdef('origin.source'), ';')) AS replace \gset
SET ROLE regress_attacker;
:replace;
RESET ROLE;
INSERT INTO origin.match (match_id) VALUES (1);
\set ECHO all
INSERT INTO origin.match_player (match_id, player_id, team, rank) SELECT 1, t, t, t FROM generate_series(1, 2) AS t;
SELECT match_id, sqlstate, message FROM shade.pending;
SELECT count(*) FROM skillrating.catch_up('shade', search => true);
SELECT skillrating.promote_ladder('shade', former => 'origin_before');
TABLE gained;
ALTER VIEW origin.source OWNER TO CURRENT_USER;
SELECT (skillrating.new_season('origin', 'first')).players;
\set ECHO none
CREATE TABLE attack.copied AS TABLE origin.operation;
GRANT SELECT ON attack.copied TO regress_attacker;
ALTER TABLE origin.operation OWNER TO regress_attacker;
SET ROLE regress_attacker;
ALTER TABLE origin.operation RENAME TO operation_before;
CREATE VIEW origin.operation AS SELECT * FROM attack.copied WHERE attack.strike() IS NOT NULL;
\set ECHO all
RESET ROLE;
SELECT skillrating.promote_ladder('shade', former => 'origin_before', hanging => 'keep');
TABLE gained;
SELECT format('CREATE OR REPLACE VIEW origin.source AS SELECT %s FROM shade.source', string_agg(quote_ident(attname), ', ' ORDER BY attnum)) AS replace
    FROM pg_attribute WHERE attrelid = 'origin.source'::regclass AND attnum > 0 \gset
:replace;
SELECT count(*) FROM skillrating.leaderboard('shade');
DROP SCHEMA shade, origin CASCADE;

-- What runs while a row is written into pending.
SET ROLE regress_attacker;
CREATE VIEW attack.games AS SELECT * FROM public.game;
SELECT skillrating.create_ladder('lair', 'elo', source => 'attack.games', attach => false) \gset
GRANT USAGE ON SCHEMA lair TO PUBLIC;
CREATE TRIGGER spring BEFORE INSERT ON lair.event FOR EACH ROW EXECUTE FUNCTION attack.spring();
RESET ROLE;
SELECT skillrating.attach('lair', 'game') \gset
SELECT skillrating.attach('lair', 'game', 'ctid');
SET ROLE regress_attacker;
DROP TRIGGER apply_pending ON lair.pending;
CREATE CONSTRAINT TRIGGER apply_pending AFTER INSERT ON lair.pending DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN (NEW.fires) EXECUTE FUNCTION skillrating_internal.apply_pending();
RESET ROLE;
INSERT INTO game SELECT 2, '2024-01-01', t, t, t FROM generate_series(1, 2) AS t;
SET ROLE regress_attacker;
DROP TRIGGER apply_pending ON lair.pending;
SELECT skillrating.restore_triggers('lair');
CREATE INDEX again ON lair.pending (match_id);
RESET ROLE;
INSERT INTO game SELECT 2, '2024-01-01', t, t, t FROM generate_series(1, 2) AS t;
SET ROLE regress_attacker;
\set ECHO none
DROP INDEX lair.again;
CREATE FUNCTION attack.now() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN SET CONSTRAINTS lair.apply_pending IMMEDIATE; RETURN true; END';
ALTER TABLE lair.ladder ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY now ON lair.ladder USING (attack.now());
RESET ROLE;
INSERT INTO game SELECT 3, '2024-01-01', t, t, t FROM generate_series(1, 2) AS t;
\set ECHO all
SELECT match_id, status FROM lair.rated_match ORDER BY match_id;
TABLE gained;

-- The same, in the queue of a subscriber.
SET ROLE regress_attacker;
CREATE TABLE attack.replica AS SELECT 4::bigint AS match_id WHERE false;
SELECT skillrating.attach('lair', 'attack.replica', replica => true) \gset
CREATE FUNCTION attack.soon() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN INSERT INTO attack.bait VALUES (1); RETURN true; END';
ALTER POLICY now ON lair.ladder USING (attack.soon());
RESET ROLE;
INSERT INTO attack.replica VALUES (4);
TABLE gained;

-- Cursors that the work reads from are closed under it; a table is dropped under it.
SET ROLE regress_attacker;
SELECT skillrating.create_ladder('own', 'elo') \gset
\set ECHO none
INSERT INTO own.match (match_id) SELECT generate_series(1, 3000);
INSERT INTO own.match_player (match_id, player_id, team, rank) SELECT m, t, t, t FROM generate_series(1, 3000) AS m, generate_series(1, 2) AS t;
CREATE FUNCTION attack.close() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    cursor_name text;
    closed refcursor;
BEGIN
    FOR cursor_name IN SELECT name FROM pg_cursors LOOP
        closed := cursor_name;
        BEGIN
            CLOSE closed;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
    RETURN true;
END $$;
ALTER TABLE own.event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY close ON own.event USING (attack.close()) WITH CHECK (true);
\set ECHO all
SELECT count(*) FROM skillrating.catch_up('own', rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('own');
\set ECHO none
ALTER TABLE own.event NO FORCE ROW LEVEL SECURITY;
CREATE FUNCTION attack.drop() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('own.rating') IS NOT NULL THEN
        DROP TABLE own.rating CASCADE;
    END IF;
    RETURN true;
END $$;
ALTER TABLE own.ladder ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY drop ON own.ladder USING (attack.drop());
\set VERBOSITY sqlstate
\set ECHO all
SELECT count(*) FROM skillrating.forget_players('own', ARRAY[2::bigint], '{-9}');
SELECT count(*) FROM skillrating.decay('own');
SELECT count(*) FROM skillrating.verify('own');
SELECT count(*) FROM skillrating.catch_up('own');
\set VERBOSITY default
DROP POLICY drop ON own.ladder;
SELECT count(*) > 0 AS alive FROM own.rating;

-- The owner drops the checks of the tables, and leaves out what the functions always write.
SELECT skillrating.create_ladder('bare', 'elo', player_type => 'text', match_type => 'integer') \gset
SELECT outcome, reason FROM skillrating.report_match('bare', 1, ARRAY['a', 'b'], ARRAY[1, 1], rank => ARRAY[1, 1]);
SELECT format('ALTER TABLE bare.rated_match DROP CONSTRAINT %I', conname) FROM pg_constraint
WHERE conrelid = 'bare.rated_match'::regclass AND contype = 'c' ORDER BY conname COLLATE "C" \gexec
UPDATE bare.rated_match SET reason = NULL;
SELECT outcome, reason FROM skillrating.report_match('bare', 1, ARRAY['a', 'b'], ARRAY[1, 1], rank => ARRAY[1, 1]);
INSERT INTO bare.operation (operation, seq, kind, player_id) VALUES (-1, -1, 'merge', 'a');
SELECT outcome, reason FROM skillrating.report_match('bare', 2, ARRAY['a', 'b'], ARRAY[1, 2], rank => ARRAY[1, 2]);
SELECT count(*) FROM skillrating.catch_up('bare', rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('bare');

-- Another role makes what solve_ladder() has not made yet: a view, or a table with a trigger.
RESET ROLE;
\set ECHO none
GRANT CREATE ON SCHEMA arena TO regress_attacker;
SET ROLE regress_attacker;
CREATE FUNCTION attack.struck_id() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN PERFORM attack.strike(); RETURN 1; END';
CREATE VIEW arena.solved AS SELECT attack.struck_id() AS player_id;
GRANT ALL ON arena.solved TO PUBLIC;
\set ECHO all
RESET ROLE;
SELECT * FROM skillrating.forget_players('arena', ARRAY[1], '{3}');
TABLE gained;
SET ROLE regress_attacker;
DROP VIEW arena.solved;
CREATE TABLE arena.solved AS SELECT 2::bigint AS player_id;
GRANT ALL ON arena.solved TO PUBLIC;
CREATE TRIGGER spring BEFORE UPDATE ON arena.solved FOR EACH ROW EXECUTE FUNCTION attack.spring();
RESET ROLE;
SELECT * FROM skillrating.forget_players('arena', ARRAY[2], '{4}');
TABLE gained;
DROP TABLE arena.solved;

-- The same with each table that not every ladder has, like that of one that has all of them, while
-- the session knows the ladder without it.
\set ECHO none
CREATE VIEW regress_attacks_source AS SELECT n AS match_id, timestamptz '2020-01-01' + n * interval '1 day' AS played_at, p AS team, n % 3 + p AS player_id, p AS rank FROM generate_series(1, 9) AS n, generate_series(1, 2) AS p;
CREATE TABLE regress_attacks_mirror (player_id bigint PRIMARY KEY, rating float8);
CREATE TABLE regress_attacks_replica (match_id bigint);
SELECT skillrating.create_ladder('full', 'elo', ranks => 'counted'), skillrating.create_ladder('over', 'elo', source => 'regress_attacks_source', attach => false) \gset
INSERT INTO "full".match (match_id, played_at) SELECT DISTINCT match_id, played_at FROM regress_attacks_source;
INSERT INTO "full".match_player (match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM regress_attacks_source;
\set ECHO all
SELECT (skillrating.new_season('full', '1', at => '2020-01-05')).players > 0 AND (skillrating.new_season('full', '2', at => '2020-02-05')).players > 0 AND skillrating.mirror_rating('full', 'regress_attacks_mirror', 'player_id', '{"rating": "rating"}') = 0
    AND (skillrating.solve_ladder('full')).matches = 9 AND (skillrating.set_horizon('full', '2020-01-03')).players > 0 AS has_all;
SELECT skillrating.attach('over', 'regress_attacks_replica', replica => true) \gset
CREATE TABLE "full".replica_note (LIKE "over".replica_note);
GRANT USAGE ON SCHEMA "full" TO regress_attacker;
GRANT SELECT ON ALL TABLES IN SCHEMA "full" TO regress_attacker;
SELECT skillrating.drop_ladder('over') \gset
\set ECHO none
CREATE FUNCTION attack_by(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    call text;
    outcome text := '';
BEGIN
    PERFORM skillrating.create_ladder('over', 'elo', source => 'regress_attacks_source', attach => false);
    GRANT CREATE, USAGE ON SCHEMA "over" TO regress_attacker;
    PERFORM skillrating.catch_up('over', search => true), skillrating.leaderboard('over');
    PERFORM set_config('role', 'regress_attacker', true);
    EXECUTE format('CREATE TABLE "over".%I (LIKE "full".%1$I)', name);
    FOR call IN SELECT format('ALTER TABLE "over".%I ALTER %I DROP NOT NULL', name, a.attname) FROM pg_attribute AS a WHERE a.attrelid = format('"over".%I', name)::regclass AND a.attnotnull AND a.attnum > 0 LOOP
        EXECUTE call;
    END LOOP;
    EXECUTE format('GRANT ALL ON "over".%I TO PUBLIC; INSERT INTO "over".%1$I DEFAULT VALUES; CREATE TRIGGER spring BEFORE INSERT OR UPDATE OR DELETE ON "over".%1$I FOR EACH ROW EXECUTE FUNCTION attack.spring(); CREATE TRIGGER of_all BEFORE INSERT OR UPDATE OR DELETE ON "over".%1$I FOR EACH STATEMENT EXECUTE FUNCTION attack.spring()', name);
    PERFORM set_config('role', 'none', true);
    FOREACH call IN ARRAY ARRAY['catch_up(''over'', search => true)', 'new_season(''over'', ''1'', at => ''2020-01-05'')', 'new_season(''over'', ''2'', at => ''2020-02-05'')', 'void_match(''over'', 3)', 'catch_up(''over'')',
        'restore_triggers(''over'')', 'ladder_status(''over'')', 'leaderboard(''over'')', 'season_table(''over'', ''1'')', 'verify(''over'')', 'mirror_rating(''over'', ''regress_attacks_mirror'', ''player_id'', ''{"rating": "rating"}'')',
        'attach(''over'', ''regress_attacks_replica'', replica => true)', 'solve_ladder(''over'')', 'set_ranks(''over'', ''counted'')', 'set_horizon(''over'', ''2020-01-03'')', 'forget_players(''over'', ARRAY[1], ''{9}'')',
        'shadow_ladder(''over'', ''second'', ''elo'')', 'promote_ladder(''second'', ''former'')', 'reset_ladder(''over'')'] LOOP
        BEGIN
            EXECUTE 'SELECT skillrating.' || call;
        EXCEPTION WHEN OTHERS THEN
            outcome := 'refused';
        END;
    END LOOP;
    RETURN concat_ws(', ', (SELECT CASE WHEN superuser THEN 'gained' ELSE 'nothing gained' END FROM gained), nullif(outcome, ''));
END $$;
-- Each is taken back, with what it gained.
CREATE FUNCTION attack_by_each() RETURNS TABLE (name text, outcome text) LANGUAGE plpgsql AS $$
BEGIN
    FOR name IN
        SELECT c.relname FROM pg_class AS c
        WHERE c.relnamespace = '"full"'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('ladder', 'rating', 'event', 'rated_match', 'pending', 'correction', 'operation', 'component', 'component_event', 'attached')
        ORDER BY c.relname COLLATE "C"
    LOOP
        BEGIN
            outcome := attack_by(name);
            RAISE division_by_zero;
        EXCEPTION WHEN division_by_zero THEN
            RETURN NEXT;
        END;
    END LOOP;
END $$;
\set ECHO all
SELECT string_agg(name, ' ' ORDER BY name COLLATE "C"), outcome FROM attack_by_each() GROUP BY outcome ORDER BY 1;
SELECT skillrating.drop_ladder('full') \gset
DROP FUNCTION attack_by, attack_by_each;
DROP VIEW regress_attacks_source;
DROP TABLE regress_attacks_mirror, regress_attacks_replica;

-- Default privileges of whoever may create tables there do not stop a promotion by the owner.
CREATE ROLE regress_attacks_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_attacks_owner', current_database()) \gexec
SET ROLE regress_attacks_owner;
SELECT skillrating.create_ladder('held', 'elo') \gset
GRANT CREATE, USAGE ON SCHEMA held TO regress_attacker;
ALTER DEFAULT PRIVILEGES IN SCHEMA held GRANT SELECT ON TABLES TO regress_attacker;
SET ROLE regress_attacker;
ALTER DEFAULT PRIVILEGES IN SCHEMA held GRANT SELECT ON TABLES TO PUBLIC;
SET ROLE regress_attacks_owner;
SELECT skillrating.shadow_ladder('held', 'faster', params => '{"k": 64}');
-- Whoever promotes it is to run the statements in the detail of this error: a name adds none.
SET ROLE regress_attacker;
CREATE TABLE attack."depends
ALTER ROLE regress_attacker SUPERUSER; --" (r held.rating);
SET ROLE regress_attacks_owner;
SELECT skillrating.promote_ladder('faster', 'held_before');
SET ROLE regress_attacker;
DROP TABLE attack."depends
ALTER ROLE regress_attacker SUPERUSER; --";
-- A table of another role in the schema is none of the ladder's, to grant, analyse, alter or write to.
CREATE TABLE held.solved (i integer);
SET client_min_messages = error;
CREATE PUBLICATION regress_attacks FOR TABLE held.solved;
SET client_min_messages = warning;
SET ROLE regress_attacks_owner;
SELECT skillrating.grant_ladder('held', 'regress_attacker', 'reader'), skillrating.revoke_ladder('held', 'regress_attacker', 'reader') \gset
SELECT skillrating.promote_ladder('faster', 'held_before', hanging => 'keep');
SET ROLE regress_attacker;
DROP PUBLICATION regress_attacks;
DROP TABLE held_before.solved;
SET ROLE regress_attacks_owner;
SELECT pg_get_userbyid(defaclrole), defaclacl FROM pg_default_acl WHERE defaclnamespace = 'held'::regnamespace;
SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['held_before', 'held']) AS l;
RESET ROLE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_attacks_owner', current_database()) \gexec
DROP ROLE regress_attacks_owner;

-- A promotion copies what the owner has given to the tables of the ladder, and nothing of another role.
SELECT skillrating.shadow_ladder('arena', 'dark', params => '{"k": 64}');
SELECT count(*) FROM skillrating.solve_ladder('dark');
SET ROLE regress_attacker;
CREATE TABLE arena.solved (player_id bigint, own bigint DEFAULT attack.struck_id());
GRANT ALL ON arena.solved TO regress_attacker;
RESET ROLE;
SELECT skillrating.promote_ladder('dark', 'arena_before');
TABLE gained;
SELECT has_table_privilege('regress_attacker', 'arena.solved', 'TRIGGER');
DROP TABLE arena_before.solved;
SELECT skillrating.drop_ladder('arena_before') \gset
-- Of tables that are made together one can be missing, and be another role's.
\set ECHO none
DROP TABLE arena.solved_context;
SET ROLE regress_attacker;
CREATE TABLE arena.solved_context (solver text, pool text, context text, log_odds float8, standard_error float8);
GRANT ALL ON arena.solved_context TO PUBLIC;
CREATE TRIGGER spring BEFORE DELETE ON arena.solved_context FOR EACH STATEMENT EXECUTE FUNCTION attack.spring();
\set ECHO all
RESET ROLE;
SELECT count(*) FROM skillrating.solve_ladder('arena');
TABLE gained;
DROP TABLE arena.solved_context;

RESET ROLE;
TABLE gained;

SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['second', 'first', 'lair', 'own', 'arena', 'bare']) AS l;
-- A view of the attacker's that somebody attaches: to plan a query of it runs what it calls immutable.
SET ROLE regress_attacker;
\set ECHO none
CREATE FUNCTION attack.constant() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF current_user <> 'regress_attacker' THEN
        RAISE WARNING 'this runs with the rights of another role';
    END IF;
    RETURN 1;
END $$;
CREATE VIEW attack.lure AS SELECT attack.constant() AS id;
\set ECHO all
RESET ROLE;
CREATE VIEW lured AS SELECT 1 AS match_id, now() AS played_at, 1 AS player_id, 1 AS team, true AS won WHERE false;
SELECT skillrating.create_ladder('lured_ladder', 'elo', source => 'lured') \gset
SELECT skillrating.attach('lured_ladder', 'attack.lure', 'id');
SELECT skillrating.attach('lured_ladder', 'attack.lure', 'id + 1');
SELECT skillrating.drop_ladder('lured_ladder') \gset
DROP VIEW lured;

DROP VIEW gained;
DROP SCHEMA attack CASCADE;
DROP TABLE game;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_attacker', current_database()) \gexec
DROP ROLE regress_attacker;
