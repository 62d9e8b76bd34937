-- Who may do what: the ladder works as its owner, and nobody else gets hold of it.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE ROLE regress_owner;
CREATE ROLE regress_client;
CREATE ROLE regress_rogue;
\set ECHO all
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner, regress_rogue', current_database()) \gexec
\set ECHO none
\set SHOW_CONTEXT never

SET ROLE regress_owner;
SELECT skillrating.create_ladder('arena', 'elo') \gset
GRANT USAGE ON SCHEMA arena TO regress_client, regress_rogue;
GRANT INSERT ON arena.match, arena.match_player TO regress_client;
\set ECHO all

-- A client with no more than INSERT plays, and sees nothing.
SET ROLE regress_client;
INSERT INTO arena.match (match_id) VALUES (1);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
SELECT count(*) FROM arena.rating;
SELECT * FROM skillrating.leaderboard('arena');
SELECT * FROM skillrating.verify('arena');
UPDATE arena.rating SET rating = 3000;
DELETE FROM arena.match;
SELECT * FROM skillrating.report_match('arena', 2, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.drop_ladder('arena');
RESET ROLE;
SELECT player_id, rating FROM arena.rating ORDER BY player_id;

-- A client that reports needs to read what it gets, and still cannot write it.
GRANT SELECT ON ALL TABLES IN SCHEMA arena TO regress_client;
SET ROLE regress_client;
SELECT player_id, rating_after FROM skillrating.report_match('arena', 2, ARRAY[1, 2], ARRAY[1, 2], ARRAY[2, 1]) ORDER BY 1 LIMIT 0;
SELECT count(*) FROM arena.event;
SELECT bool_and(ok) FROM skillrating.verify('arena');
UPDATE arena.rating SET rating = 3000;
SELECT current_user = session_user AS unchanged, current_setting('search_path'), current_setting('enable_seqscan');

-- A search_path full of traps leads nobody astray: not the types, operators and
-- functions of the ladder's work, and not its tables.
SET ROLE regress_rogue;
\set ECHO none
CREATE SCHEMA traps;
GRANT USAGE ON SCHEMA traps TO PUBLIC;
CREATE FUNCTION traps.trap(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'trapped as %', current_user; END $$;
CREATE OPERATOR traps.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = traps.trap);
CREATE FUNCTION traps.unnest(anyarray) RETURNS SETOF anyelement LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'trapped as %', current_user; END $$;
CREATE FUNCTION traps.count() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'trapped as %', current_user; END $$;
CREATE TABLE traps.rating (player_id bigint, pool text, rating float8);
GRANT ALL ON traps.rating TO PUBLIC;
SET ROLE regress_client;
SET search_path = traps, pg_catalog;
INSERT INTO arena.match (match_id) VALUES (3);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (3, 1, 1, 1), (3, 2, 2, 2);
\set ECHO all
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT place FROM skillrating.leaderboard('arena', 1);
RESET search_path;
SET ROLE regress_rogue;
SELECT skillrating.create_ladder('traps', 'elo');
\set ECHO none
SET search_path = traps, pg_catalog;
SELECT skillrating.create_ladder('lair', 'elo') \gset
RESET search_path;
INSERT INTO lair.match (match_id) VALUES (1);
INSERT INTO lair.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
\set ECHO all
SELECT bool_and(ok) FROM skillrating.verify('lair');
SELECT skillrating.drop_ladder('lair') \gset

-- A trigger on a table of somebody else's making does nothing for the ladder.
CREATE TABLE traps.match (match_id bigint);
CREATE TRIGGER lure AFTER INSERT ON traps.match REFERENCING NEW TABLE AS n
    FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.collect_matches();
INSERT INTO traps.match VALUES (1);
CREATE TABLE traps.ladder ();
INSERT INTO traps.match VALUES (1);
-- Even in the ladder's schema, if its owner lets others create there.
RESET ROLE;
\set ECHO none
ALTER TABLE arena.match RENAME TO match_away;
GRANT CREATE ON SCHEMA arena TO regress_rogue;
SET ROLE regress_rogue;
CREATE TABLE arena.match (match_id bigint);
CREATE TRIGGER lure AFTER INSERT ON arena.match REFERENCING NEW TABLE AS n
    FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.collect_matches();
\set ECHO all
INSERT INTO arena.match VALUES (1);
DROP TABLE arena.match;
-- Nor does the ladder trust a relation of its own that changed hands.
RESET ROLE;
ALTER TABLE arena.match_away RENAME TO match;
ALTER VIEW arena.source OWNER TO regress_rogue;
SET ROLE regress_client;
INSERT INTO arena.match (match_id) VALUES (4);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (4, 1, 1, 1), (4, 2, 2, 2);
RESET ROLE;
ALTER VIEW arena.source OWNER TO regress_owner;
DELETE FROM arena.match_player WHERE match_id = 4;

-- Row-level security that hides players is noticed, and never taken for absence.
ALTER TABLE arena.rating ENABLE ROW LEVEL SECURITY;
ALTER TABLE arena.rating FORCE ROW LEVEL SECURITY;
CREATE POLICY shown ON arena.rating USING (player_id = 1) WITH CHECK (true);
SET ROLE regress_client;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (4, 1, 1, 1), (4, 2, 2, 2);
RESET ROLE;
ALTER TABLE arena.rating NO FORCE ROW LEVEL SECURITY;
ALTER TABLE arena.rating DISABLE ROW LEVEL SECURITY;
SELECT outcome, reason, sqlstate FROM skillrating.match_outcome('arena', 4);
DELETE FROM arena.match_player WHERE match_id = 4;
SELECT outcome, reason FROM skillrating.match_outcome('arena', 4);

-- Nobody else changes history, whatever they may read or however they name it.
DO $$
DECLARE
    statement text;
    message text;
BEGIN
    SET LOCAL ROLE regress_client;
    FOREACH statement IN ARRAY ARRAY[
        'SELECT skillrating.catch_up(''arena'')',
        'SELECT skillrating.void_match(''arena'', 1)',
        'SELECT skillrating.exclude_player(''arena'', 1)',
        'SELECT skillrating.merge_players(''arena'', 1, 2)',
        'SELECT skillrating.forget_players(''arena'', ARRAY[1], ''{99}'')',
        'SELECT skillrating.new_season(''arena'', ''mine'')',
        'SELECT skillrating.solve_ladder(''arena'')',
        'SELECT skillrating.decay(''arena'')',
        'SELECT skillrating.set_rating(''arena'', 1, ''{"rating": 3000}'')',
        'SELECT skillrating.seed_from(''arena'', ''arena'')',
        'SELECT skillrating.import_ratings(''arena'', ARRAY[1], ''[{"rating": 3000}]'')',
        'SELECT skillrating_internal.apply_operation(''arena'', 1)',
        'SELECT skillrating_internal.resequence(''arena'', true)',
        'SELECT skillrating.undo_operation(''arena'', 1)',
        'SELECT skillrating_internal.replay_shadow(''arena'', ''arena'', 1)',
        'SELECT skillrating.shadow_ladder(''arena'', ''stolen'')',
        'SELECT skillrating.promote_ladder(''arena'', ''stolen'')',
        'SELECT skillrating_internal.rename_ladders(''arena'', ''arena'', ''stolen'')',
        'SELECT skillrating.mirror_rating(''arena'', ''arena.match_player'', ''player_id'', ''{"rank": "games"}'')',
        'SELECT skillrating_internal.create_triggers(''arena'')',
        'SELECT skillrating.attach(''arena'', ''arena.match'')',
        'INSERT INTO arena.pending VALUES (1, pg_current_xact_id(), true)',
        'INSERT INTO arena.correction VALUES (1)',
        'SELECT skillrating_internal.create_tables(''arena'', ''{solved,replica_note}'', ''bigint'')'] LOOP
        BEGIN
            EXECUTE statement;
            RAISE NOTICE 'done: %', statement;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
            RAISE NOTICE '% %: %', SQLSTATE, statement, message;
        END;
    END LOOP;
END
$$;

-- The owner's own work is not led astray either.
GRANT CREATE ON SCHEMA public TO regress_owner;
SET ROLE regress_owner;
SET search_path = traps, pg_catalog;
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1;
SELECT (skillrating.new_season('arena', 'one')).players, skillrating.void_match('arena', 3), skillrating.exclude_player('arena', 9, allow_unknown => true) > 0 AS excluded,
    (skillrating.set_rating('arena', 1, '{"rating": 1500}')).players AS set;
SELECT pg_catalog.count(*) FROM skillrating.catch_up('arena');
SELECT skillrating.shadow_ladder('arena', 'second');
SELECT matches FROM skillrating.compare_ladders('arena', 'second');
SELECT skillrating.promote_ladder('second', 'former');
ALTER SCHEMA former RENAME TO second;
SELECT place FROM skillrating.leaderboard('arena', 1, after_player => '1');
SELECT (skillrating.place_of('arena', 1)).place, pg_catalog.round((skillrating.place_of('arena', 1)).percentile::numeric) AS percentile;
SELECT player_id FROM skillrating.around('arena', 1) LIMIT 1;
SELECT pg_catalog.count(*) FROM skillrating.history('arena', 1);
SELECT pg_catalog.count(*) FROM skillrating.pool_quality('arena');
CREATE SCHEMA annex;
CREATE TABLE annex.person (id bigint, elo float8);
INSERT INTO annex.person VALUES (1);
SELECT skillrating.mirror_rating('arena', 'annex.person', 'id', '{"elo": "rating"}');
RESET search_path;
SET ROLE regress_client;
INSERT INTO arena.match (match_id) VALUES (30);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (30, 1, 1, 1), (30, 2, 2, 2);
SELECT * FROM annex.person;
SET ROLE regress_owner;
SELECT pg_catalog.bool_and(p.elo = r.rating) AS mirrored FROM annex.person AS p JOIN arena.rating AS r ON r.player_id = p.id;
-- A mirror that has become another role's is not written with the owner's rights.
RESET ROLE;
ALTER TABLE annex.person OWNER TO regress_rogue;
SET ROLE regress_client;
INSERT INTO arena.match (match_id) VALUES (31);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (31, 1, 1, 1), (31, 2, 2, 2);
RESET ROLE;
ALTER TABLE annex.person OWNER TO regress_owner;
SET ROLE regress_owner;
SELECT skillrating.unmirror_rating('arena', 'annex.person') \gset
SELECT pg_catalog.count(*) FROM skillrating.catch_up('arena');
DROP SCHEMA annex CASCADE;
SELECT skillrating.drop_ladder('second') \gset
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- What an owner has put into a source runs with the owner's rights, not with those of a superuser who looks after the ladder.
CREATE FUNCTION public.whoever() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN current_user; END';
CREATE VIEW arena.told AS SELECT 1::bigint AS match_id, now() AS played_at, 1::bigint AS player_id, 1 AS team, 1 AS rank, public.whoever() AS unrated_reason;
SELECT skillrating.create_ladder('telling', 'elo', source => 'arena.told', attach => false) \gset
RESET ROLE;
SELECT count(*) FROM skillrating.catch_up('telling', search => true);
SELECT reason, detail FROM telling.rated_match;
SELECT skillrating.drop_ladder('telling') \gset
DROP VIEW arena.told;
DROP FUNCTION public.whoever();

-- Row-level security of the tables behind a source counts for the ladder's owner too.
RESET ROLE;
\set ECHO none
CREATE TABLE results (match_id bigint, played_at timestamptz DEFAULT '2024-01-01', player_id bigint, team int, rank int, ranked boolean);
ALTER TABLE results ENABLE ROW LEVEL SECURITY;
CREATE POLICY ranked ON results FOR SELECT TO regress_owner USING (ranked);
GRANT SELECT, TRIGGER ON results TO regress_owner;
SET ROLE regress_owner;
CREATE VIEW ranked_results AS SELECT match_id, played_at, player_id, team, rank FROM results;
\set ECHO all
SELECT skillrating.create_ladder('secured', 'elo', source => 'ranked_results') \gset
SELECT skillrating.attach('secured', 'results') \gset
RESET ROLE;
INSERT INTO results (match_id, player_id, team, rank, ranked) VALUES (1, 1, 1, 1, true), (1, 2, 2, 2, true), (2, 1, 1, 1, false), (2, 2, 2, 2, false);
SELECT match_id, status FROM secured.rated_match;
SELECT bool_and(ok) FROM skillrating.verify('secured');
UPDATE results SET ranked = NOT ranked;
SET ROLE regress_owner;
SELECT count(*) FROM skillrating.catch_up('secured');
SELECT match_id, status FROM secured.rated_match;
SELECT bool_and(ok) FROM skillrating.verify('secured');
-- The owner of the ladder takes its triggers away, whoever owns the table.
SELECT skillrating.drop_ladder('secured') \gset
RESET ROLE;
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'results'::regclass;
DROP VIEW ranked_results;
DROP TABLE results;
REVOKE CREATE ON SCHEMA public FROM regress_owner;

-- As the extension is trusted, an ordinary role may have made it; nothing of the
-- ladder belongs to it.
SELECT count(*) FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'skillrating'
WHERE d.deptype = 'e' AND d.classid = 'pg_class'::regclass AND d.objid IN
    (SELECT oid FROM pg_class WHERE relkind IN ('r', 'v', 'S') AND relnamespace <> 'skillrating_internal'::regnamespace);

SET ROLE regress_owner;
SELECT skillrating.drop_ladder('arena') \gset
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA traps CASCADE;
RESET client_min_messages;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_owner, regress_rogue', current_database()) \gexec
DROP ROLE regress_owner;
DROP ROLE regress_client;
DROP ROLE regress_rogue;
