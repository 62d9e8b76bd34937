-- Code of the user that runs while a ladder is at work, and comes back to it or goes
-- to another: nothing is rated twice, lost, or rated from states that are out of date.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE FUNCTION summary(ladder text) RETURNS TABLE (matches bigint, rated bigint, events bigint, waits bigint, verified boolean) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT (SELECT count(*) FROM %1$I.match), (SELECT count(*) FROM %1$I.rated_match WHERE status = ''rated''),
        (SELECT count(*) FROM %1$I.event WHERE kind = ''match''), (SELECT count(*) FROM %1$I.pending), (SELECT bool_and(ok) FROM skillrating.verify(%1$L))', ladder);
END $$;
\set ECHO all

-- A trigger on event that inserts a match into the same ladder: it is rated after the
-- batch, and from the states that this has left, however the ladder is fed.
\set ECHO none
CREATE FUNCTION bonus() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    id bigint;
BEGIN
    FOR id IN EXECUTE format('SELECT DISTINCT match_id + 100 FROM nt WHERE match_id <= 100 AND NOT EXISTS (SELECT FROM %I.match AS m WHERE m.match_id = nt.match_id + 100)', TG_TABLE_SCHEMA) LOOP
        EXECUTE format('INSERT INTO %1$I.match (match_id) VALUES ($1)', TG_TABLE_SCHEMA) USING id;
        EXECUTE format('INSERT INTO %1$I.match_player (match_id, player_id, team, rank) VALUES ($1, 1, 1, 1), ($1, 2, 2, 2)', TG_TABLE_SCHEMA) USING id;
    END LOOP;
    RETURN NULL;
END $$;
CREATE FUNCTION play(ladder text, ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id) SELECT unnest($1)', ladder) USING ids;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) SELECT m, t, t, t FROM unnest($1) AS m, generate_series(1, 2) AS t', ladder) USING ids;
END $$;
\set ECHO all
SELECT count(skillrating.create_ladder('at_' || a, 'elo', apply_at => a)) FROM unnest(ARRAY['commit', 'statement', 'manual']) AS a;
SELECT format('CREATE TRIGGER bonus AFTER INSERT ON at_%s.event REFERENCING NEW TABLE AS nt FOR EACH STATEMENT EXECUTE FUNCTION bonus()', a) FROM unnest(ARRAY['commit', 'statement', 'manual']) AS a \gexec
SELECT count(play('at_' || a, ARRAY[1, 2])) FROM unnest(ARRAY['commit', 'statement', 'manual']) AS a;
SELECT count(*) FROM skillrating.report_match('at_commit', 3, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT count(*) FROM skillrating.report_match('at_statement', 3, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT count(*) FROM skillrating.report_match('at_manual', 3, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT count(*) FROM skillrating.catch_up('at_manual');
SELECT a, s.* FROM unnest(ARRAY['at_commit', 'at_statement', 'at_manual']) AS a, summary(a) AS s;
SELECT seq, match_id, player_id, games_before FROM at_statement.event ORDER BY seq, player_id;
-- Bulk, by COPY into event, with the trigger.
SELECT play('at_commit', array_agg(i)) FROM generate_series(1001, 4000) AS i \gset
SELECT play('at_commit', array_agg(i)) FROM generate_series(11, 60) AS i \gset
SELECT s.* FROM summary('at_commit') AS s;

-- Into another ladder, and back from there.
SELECT skillrating.create_ladder('far', 'glicko2', apply_at => 'statement') \gset
SELECT skillrating.create_ladder('near', 'elo', apply_at => 'manual') \gset
\set ECHO none
CREATE FUNCTION across() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.player_id = 1 AND NEW.match_id < 100 THEN
        IF TG_TABLE_SCHEMA = 'near' THEN
            PERFORM public.play('far', ARRAY[NEW.match_id]);
        ELSE
            PERFORM public.play('near', ARRAY[NEW.match_id + 100]);
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER across BEFORE INSERT ON near.event FOR EACH ROW EXECUTE FUNCTION across();
CREATE TRIGGER across BEFORE INSERT ON far.event FOR EACH ROW EXECUTE FUNCTION across();
\set ECHO all
SELECT play('near', ARRAY[1, 2, 3]) \gset
SELECT count(*) FROM skillrating.catch_up('near');
SELECT a, s.* FROM unnest(ARRAY['near', 'far']) AS a, summary(a) AS s;

-- catch_up() of another ladder within catch_up(), both by COPY.
SELECT count(skillrating.create_ladder(a, 'elo', apply_at => 'manual')) FROM unnest(ARRAY['one', 'two']) AS a;
SELECT play('one', array_agg(i)) FROM generate_series(1, 3000) AS i \gset
SELECT play('two', array_agg(i)) FROM generate_series(1, 3000) AS i \gset
\set ECHO none
CREATE FUNCTION two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq = 5 AND NEW.player_id = 1 THEN
        PERFORM count(*) FROM skillrating.catch_up('two');
    ELSIF NEW.seq = 6 AND NEW.player_id = 1 THEN
        BEGIN
            PERFORM skillrating.catch_up('two', rebuild => true), 1 / (SELECT 0);
        EXCEPTION WHEN division_by_zero THEN NULL;
        END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER two BEFORE INSERT ON one.event FOR EACH ROW EXECUTE FUNCTION two();
\set ECHO all
SELECT count(*) FROM skillrating.catch_up('one');
SELECT a, s.* FROM unnest(ARRAY['one', 'two']) AS a, summary(a) AS s;

-- The same ladder cannot be worked on twice at once, only read.
SELECT skillrating.create_ladder('own', 'elo') \gset
\set ECHO none
CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    statement text;
BEGIN
    IF NEW.match_id > 100 OR NEW.player_id <> 1 THEN
        RETURN NEW;
    END IF;
    FOREACH statement IN ARRAY ARRAY[
        'skillrating.catch_up(''own'', rebuild => true)', 'skillrating.new_season(''own'', ''s'')',
        'skillrating.set_rating(''own'', 1, ''{"rating": 3000}'')', 'skillrating.void_match(''own'', 1)',
        'skillrating.forget_players(''own'', ARRAY[1], ''{9}'')', 'skillrating.drop_ladder(''own'')', 'skillrating.promote_ladder(''own'', ''one'')',
        'skillrating.mirror_rating(''own'', ''own.operation'', ''player_id'', ''{"seq": "rating"}'')',
        'skillrating_internal.catch_up(''own'', false, true)', 'skillrating_internal.apply_operation(''own'', 1)',
        'skillrating.leaderboard(''own'')', 'skillrating.verify(''own'')', 'skillrating.history(''own'', 1)',
        'skillrating.report_match(''own'', 101, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2])'] LOOP
        BEGIN
            EXECUTE 'SELECT ' || statement;
            RAISE NOTICE 'done %', statement;
        EXCEPTION WHEN OTHERS THEN
            RAISE NOTICE '% % %', SQLSTATE, statement, SQLERRM;
        END;
    END LOOP;
    RETURN NEW;
END $$;
CREATE TRIGGER again BEFORE INSERT ON own.event FOR EACH ROW EXECUTE FUNCTION again();
\set ECHO all
SELECT count(*) FROM skillrating.report_match('own', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT s.* FROM summary('own') AS s;
SELECT match_id, player_id, games_before FROM own.event ORDER BY seq, player_id;
DROP TRIGGER again ON own.event;

-- A subtransaction that fails takes its matches along, and leaves no ladder entered.
\set ECHO none
CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.player_id = 1 AND NEW.match_id < 100 THEN
        BEGIN
            PERFORM public.play('own', ARRAY[NEW.match_id + 200]);
            RAISE division_by_zero;
        EXCEPTION WHEN division_by_zero THEN
            PERFORM public.play('own', ARRAY[NEW.match_id + 300]);
        END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fails BEFORE INSERT ON own.event FOR EACH ROW EXECUTE FUNCTION fails();
\set ECHO all
SELECT play('own', ARRAY[2]) \gset
CREATE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM public.play('far', ARRAY[500]); RAISE 'broken'; END $$;
CREATE TRIGGER breaks AFTER INSERT ON own.event FOR EACH ROW EXECUTE FUNCTION breaks();
UPDATE own.ladder SET on_error = 'raise';
DO $$
BEGIN
    PERFORM skillrating.report_match('own', 3, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
EXCEPTION WHEN raise_exception THEN
    RAISE NOTICE 'as %, %', current_user = session_user, current_setting('search_path');
END $$;
DROP TRIGGER breaks ON own.event;
UPDATE own.ladder SET on_error = 'wait';
SELECT count(*) FROM skillrating.report_match('own', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT match_id FROM own.rated_match ORDER BY seq;
SELECT a, s.verified FROM unnest(ARRAY['own', 'far']) AS a, summary(a) AS s;

-- A trigger without end is stopped.
\set ECHO none
CREATE FUNCTION endless() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.player_id = 1 THEN
        PERFORM public.play(TG_TABLE_SCHEMA, ARRAY[NEW.match_id + 1]);
    END IF;
    RETURN NEW;
END $$;
\set ECHO all
SELECT skillrating.create_ladder('endless', 'elo') \gset
CREATE TRIGGER endless BEFORE INSERT ON endless.event FOR EACH ROW EXECUTE FUNCTION endless();
SELECT play('endless', ARRAY[1]);
SELECT count(*) FROM endless.rated_match;

-- A trigger that alters the tables under the work is noticed.
SELECT skillrating.create_ladder('altered', 'elo', apply_at => 'manual') \gset
SELECT play('altered', ARRAY[1]) \gset
\set ECHO none
CREATE FUNCTION alters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    ALTER TABLE altered.rated_match ALTER COLUMN match_id TYPE text;
    IF TG_ARGV[0] = 'all' THEN
        ALTER TABLE altered.event ALTER COLUMN match_id TYPE text;
        ALTER TABLE altered.correction ALTER COLUMN match_id TYPE text;
        ALTER TABLE altered.pending ALTER COLUMN match_id TYPE text;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER alters AFTER DELETE ON altered.pending FOR EACH STATEMENT EXECUTE FUNCTION alters();
\set ECHO all
SELECT count(*) FROM skillrating.catch_up('altered');
DROP TRIGGER alters ON altered.pending;
CREATE TRIGGER alters AFTER INSERT ON altered.event FOR EACH STATEMENT EXECUTE FUNCTION alters('all');
SELECT count(*) FROM skillrating.catch_up('altered');
DROP TRIGGER alters ON altered.event;
SELECT count(*) FROM skillrating.catch_up('altered');
SELECT s.* FROM summary('altered') AS s;

-- A trigger that catches what the memory limit refuses, and goes on.
\set ECHO none
CREATE FUNCTION floods() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    failed integer := 0;
BEGIN
    FOR i IN 0 .. 79 LOOP
        BEGIN
            PERFORM public.play('far', ARRAY(SELECT 10000 + i * 50 + g FROM generate_series(1, 50) AS g));
        EXCEPTION WHEN out_of_memory THEN
            failed := failed + 1;
        END;
    END LOOP;
    RAISE NOTICE 'some failed: %', failed > 0;
    RETURN NULL;
END $$;
\set ECHO all
UPDATE far.ladder SET apply_at = 'commit';
SELECT play('altered', ARRAY[2]) \gset
CREATE TRIGGER floods AFTER INSERT ON altered.event FOR EACH STATEMENT EXECUTE FUNCTION floods();
BEGIN;
SET LOCAL skillrating.memory_limit = '512kB';
\set VERBOSITY terse
SELECT count(*) FROM skillrating.catch_up('altered');
\set VERBOSITY default
ROLLBACK;
SELECT s.verified FROM summary('far') AS s;

-- In the restricted operation of somebody else there is no commit to wait for.
CREATE FUNCTION played() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM public.play('far', ARRAY[700]); RETURN 1; END $$;
CREATE MATERIALIZED VIEW playing AS SELECT played() WITH NO DATA;
REFRESH MATERIALIZED VIEW playing;
UPDATE far.ladder SET apply_at = 'commit';
DELETE FROM far.match WHERE match_id = 700;
SELECT count(*) >= 0 AS caught_up FROM skillrating.catch_up('far');
REFRESH MATERIALIZED VIEW playing;
SELECT s.waits, s.verified FROM summary('far') AS s;
DROP MATERIALIZED VIEW playing;

SELECT count(skillrating.drop_ladder(a)) FROM unnest(ARRAY['at_commit', 'at_statement', 'at_manual', 'far', 'near', 'one', 'two', 'own', 'endless', 'altered']) AS a;
DROP FUNCTION summary, bonus, play, across, two, again, fails, breaks, endless, alters, floods, played;

-- The source calls a cast of the owner's through a function of the server, and the cast reads the
-- same match while functions change.
SELECT skillrating.create_ladder('inner', 'elo') \gset
\set ECHO none
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE FUNCTION mood_json(mood) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('skillrating_test.depth', true) IS DISTINCT FROM 'inner' THEN
        PERFORM set_config('skillrating_test.depth', 'inner', true);
        CREATE FUNCTION public.changes() RETURNS int LANGUAGE sql AS 'SELECT 1';
        DROP FUNCTION public.changes;
        RAISE NOTICE '% lines', (SELECT count(*) FROM skillrating.match_journal('inner', 1));
        PERFORM set_config('skillrating_test.depth', 'outer', true);
    END IF;
    RETURN '1';
END $$;
CREATE CAST (mood AS json) WITH FUNCTION mood_json(mood);
ALTER TABLE "inner".match_player ADD COLUMN mood mood DEFAULT 'good';
DO $$
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW "inner".source AS ' || replace(pg_get_viewdef('"inner".source'), 'p.weight',
        'CASE WHEN to_jsonb(p.mood) IS NOT NULL THEN p.weight END AS weight');
END $$;
INSERT INTO "inner".match (match_id, played_at) VALUES (1, '2024-01-01');
\set ECHO all
INSERT INTO "inner".match_player (match_id, player_id, team, rank, weight) VALUES (1, 1, 1, 1, 1), (1, 2, 2, 2, 1);
SELECT player_id, rating FROM "inner".rating ORDER BY player_id;
SELECT skillrating.drop_ladder('inner') \gset
DROP CAST (mood AS json);
DROP FUNCTION mood_json;
DROP TYPE mood;
