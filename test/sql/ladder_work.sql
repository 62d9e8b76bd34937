-- What is done beside rating: notifications, and a schedule that one procedure works through.
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text', apply_at => 'manual');
CREATE VIEW schedule AS SELECT n.nspname AS ladder, s.task, s.every, s.keep, s.channel, s.players, s.done, s.done_at IS NOT NULL AS was_done, s.due_at > now() AS waits, s.error
    FROM pg_namespace AS n, skillrating.scheduled_work(n.nspname) AS s
    WHERE n.nspname IN ('arena', 'other', 'third') ORDER BY n.nspname, s.task;
CREATE FUNCTION play(ladder text, first bigint, last bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id) SELECT generate_series($1, $2)', ladder) USING first, last;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) SELECT i, ''p'' || i %% 7 * 2 + n, n, n FROM generate_series($1, $2) AS i, generate_series(1, 2) AS n', ladder) USING first, last;
END
$$;

-- What is refused.
SELECT skillrating.notify_changes('arena', 'news');
SELECT skillrating.schedule_work('arena', 'trim_changes', '1 day', keep => '1 day');
SELECT skillrating.keep_changes('arena');
SELECT skillrating.notify_changes('arena', '');
SELECT skillrating.notify_changes('arena', repeat('x', 64));
SELECT skillrating.notify_changes('arena', 'news', '0');
SELECT skillrating.notify_changes('arena', 'news', '-1 s');
SELECT skillrating.notify_changes('arena', 'news', NULL);
SELECT skillrating.notify_changes('nowhere', 'news');
SELECT skillrating.notify_changes(NULL, 'news');
SELECT skillrating.schedule_work('arena', 'dance', '1 day');
SELECT skillrating.schedule_work('arena', 'notify', '1 day');
SELECT skillrating.schedule_work('arena', 'settle', '0');
SELECT skillrating.schedule_work('arena', 'settle', '1 day', keep => '1 day');
SELECT skillrating.schedule_work('arena', 'trim_changes', '1 day');
SELECT skillrating.schedule_work('arena', 'trim_changes', '1 day', keep => '-1 day');
SELECT skillrating.schedule_work('arena', 'settle', '1 day', starting_at => 'infinity');
SELECT skillrating.schedule_work('arena', NULL, '1 day');
SELECT skillrating.schedule_work('nowhere', 'settle', '1 day');
CALL skillrating.work('nowhere');
CALL skillrating.work(run_for => NULL);
CALL skillrating.work(run_for => '-1 s');
BEGIN;
CALL skillrating.work();
ROLLBACK;
SELECT skillrating_internal.end_task('arena', 'settle');
SELECT skillrating_internal.newest_cursor('arena');
SELECT skillrating_internal.note_task('arena', 'settle');

-- Nothing is scheduled yet: neither is there anything to end, nor to do.
SELECT skillrating.notify_changes('arena', NULL);
SELECT skillrating.schedule_work('arena', 'settle', NULL);
SELECT skillrating.work_step('arena', 'settle');
TABLE schedule;
CALL skillrating.work();
CALL skillrating.work('arena');

-- Each task once it is due, and not again before its time.
SELECT skillrating.notify_changes('arena', 'news', '1 hour');
SELECT skillrating.schedule_work('arena', 'catch_up', '1 hour');
SELECT skillrating.schedule_work('arena', 'settle', '1 day', starting_at => now() + interval '1 hour');
SELECT skillrating.schedule_work('arena', 'trim_changes', '1 day', keep => '1 hour');
SELECT play('arena', 1, 2);
CALL skillrating.work('arena');
TABLE schedule;
SELECT player_id, games FROM arena.rating ORDER BY player_id;
CALL skillrating.work();
SELECT skillrating.work_step('arena', 'catch_up');
-- Scheduled anew it is due, and each day at the same time from then on.
SELECT skillrating.schedule_work('arena', 'settle', '1 day', starting_at => date_trunc('day', now(), 'UTC') - interval '10 days' + interval '4 hours');
CALL skillrating.work();
SELECT due_at AT TIME ZONE 'UTC' - date_trunc('day', due_at AT TIME ZONE 'UTC') AS at, due_at > now() AND due_at < now() + interval '1 day 1 minute' AS next FROM arena.work WHERE task = 'settle';
SELECT count(*) FROM arena.operation WHERE kind = 'settle' AND reason = 'work';
-- Nothing that waits, and nothing that has changed, is nothing to do.
UPDATE arena.work SET due_at = now();
CALL skillrating.work('arena', done => '{"what": "ever"}', failures => 7);

-- For a while: notifications are sent as often as asked for, and a match that came meanwhile is in one of them.
SELECT skillrating.notify_changes('arena', 'news', '10 milliseconds');
SELECT play('arena', 3, 4);
SELECT skillrating.schedule_work('arena', 'catch_up', '1 hour');
CALL skillrating.work(run_for => '0.3 s');
SELECT done_at > now() - interval '1 minute' AS just_now, error FROM arena.work WHERE task = 'notify';

-- What is in a notification: below 8000 bytes, with the players as long as they fit.
SELECT skillrating_internal.notification('arena', 2, '{ada,"b\"en"}');
SELECT skillrating_internal.notification('arena', 2, NULL);
SELECT skillrating_internal.notification('arena', NULL, NULL);
SELECT octet_length(skillrating_internal.notification('arena', 2, ARRAY[repeat('x', n)])) AS bytes FROM unnest('{7949,7950,7951,7952}'::int[]) AS n;
SELECT octet_length(skillrating_internal.notification('arena', 2, ARRAY[repeat('ä', 4000)])) AS bytes;

-- A cursor that leads nowhere starts again, and a broken one is an error, which keeps nobody else.
SELECT skillrating.create_ladder('other', 'elo', player_type => 'text');
SELECT skillrating.keep_changes('other');
SELECT skillrating.notify_changes('other', 'news', '1 hour', players => false);
SELECT play('other', 1, 30);
UPDATE other.work SET cursor = (SELECT next_cursor FROM skillrating.changes('arena') WHERE next_cursor IS NOT NULL);
UPDATE arena.work SET cursor = 'nonsense', due_at = now() WHERE task = 'notify';
INSERT INTO arena.work (task, every, due_at) VALUES ('dance', '1 s', now());
CALL skillrating.work();
SELECT task, error, failed_at IS NOT NULL AS failed, due_at < now() + interval '2 minutes' AS soon FROM skillrating.scheduled_work('arena') WHERE error IS NOT NULL ORDER BY task;
DELETE FROM arena.work WHERE task = 'dance';
SELECT play('other', 31, 32);
UPDATE other.work SET due_at = now();
CALL skillrating.work('other');
-- In place of a cursor that was mended by hand everything is new.
SELECT skillrating.notify_changes('arena', NULL);
SELECT skillrating.notify_changes('arena', 'news', '1 hour');
CALL skillrating.work('arena');
TABLE schedule;

-- At commit: what waits for work() is told at once, and from then on there is nothing left to do.
SELECT play('other', 33, 33);
SELECT skillrating.notify_changes('other', 'Odd "channel"', at_commit => true);
SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'other.change'::regclass;
SELECT play('other', 34, 34);
CALL skillrating.work();
SELECT skillrating.notify_changes('other', 'news', '1 hour');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'other.change'::regclass;
SELECT play('other', 35, 35);
CALL skillrating.work('other');
SELECT skillrating.notify_changes('other', 'news', at_commit => true);
SELECT skillrating.notify_changes('other', NULL);
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'other.change'::regclass;
CREATE TABLE change (number bigint, pool text[], player_id text[]);
CREATE TRIGGER t AFTER INSERT ON change REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.notify_of_changes();
INSERT INTO change VALUES (1, '{}', '{}');
DROP TABLE change;

-- The schedule stays with the name when the formula changes, and goes along when the ladder is renamed.
SELECT skillrating.rerate('arena', 'glicko2', '{}', 'third') IS NOT NULL AS rerated;
SELECT skillrating.swap_ladders('arena', 'third');
SELECT ladder, task FROM schedule ORDER BY 1, 2;
SELECT skillrating.drop_ladder('third');
UPDATE arena.work SET due_at = now(), cursor = cursor;
CALL skillrating.work();
ALTER SCHEMA arena RENAME TO third;
UPDATE third.work SET due_at = now();
CALL skillrating.work();
ALTER SCHEMA third RENAME TO arena;
SELECT skillrating.keep_changes('arena', false);
SELECT task FROM schedule WHERE ladder = 'arena';
SELECT skillrating.keep_changes('arena');

-- Rights: a role works on its own ladders and on those of roles that it is a member of.
CREATE ROLE regress_worker;
CREATE ROLE regress_member IN ROLE regress_worker;
CREATE ROLE regress_other;
GRANT CREATE ON DATABASE contrib_regression TO regress_worker;
SET ROLE regress_worker;
SELECT skillrating.create_ladder('worked', 'elo', player_type => 'text', apply_at => 'manual');
SELECT skillrating.keep_changes('worked');
SELECT skillrating.notify_changes('worked', 'news', '1 hour');
SELECT skillrating.schedule_work('worked', 'catch_up', '1 hour');
SELECT skillrating.schedule_work('arena', 'settle', '1 day');
CALL skillrating.work('arena');
CALL skillrating.work();
GRANT USAGE ON SCHEMA worked TO regress_other;
GRANT ALL ON ALL TABLES IN SCHEMA worked TO regress_other;
SET ROLE regress_other;
CALL skillrating.work('worked');
SELECT * FROM skillrating.scheduled_work('worked');
SELECT skillrating.work_step('worked', 'catch_up');
SELECT skillrating.notify_changes('worked', 'news');
UPDATE worked.work SET due_at = now();
CALL skillrating.work();
SET ROLE regress_member;
CALL skillrating.work();

-- What the owner has put in the way runs with the owner's rights, whoever calls, and cannot leave anything behind.
SET ROLE regress_worker;
SET search_path = worked;
CREATE TABLE seen (who name, work text);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql SET search_path = worked AS $$
BEGIN
    INSERT INTO seen VALUES (current_user, TG_TABLE_NAME);
    BEGIN
        SET SESSION AUTHORIZATION DEFAULT;
        SET ROLE NONE;
        INSERT INTO seen VALUES (current_user, 'escaped');
    EXCEPTION WHEN OTHERS THEN
        INSERT INTO seen VALUES (current_user, 'refused ' || SQLSTATE);
    END;
    RETURN NULL;
END
$$;
CREATE TRIGGER look AFTER UPDATE ON worked.work FOR EACH STATEMENT EXECUTE FUNCTION worked.look();
CREATE TRIGGER look AFTER INSERT ON worked.change FOR EACH STATEMENT EXECUTE FUNCTION worked.look();
RESET search_path;
RESET ROLE;
SELECT play('worked', 1, 2);
UPDATE worked.work SET due_at = now();
TRUNCATE worked.seen;
CALL skillrating.work('worked');
SELECT current_user = session_user AS unchanged;
SELECT DISTINCT who, work FROM worked.seen ORDER BY work;

-- Whatever else there is under the names of the server's functions and operators is not called, and settings do not matter.
CREATE SCHEMA evil;
CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil function'; END $$;
CREATE FUNCTION evil.pg_sleep(float8) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil function'; END $$;
CREATE FUNCTION evil.add(int8, int8) RETURNS int8 LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil operator'; END $$;
CREATE FUNCTION evil.add(timestamptz, interval) RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil operator'; END $$;
CREATE FUNCTION evil.later(timestamptz, timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil operator'; END $$;
CREATE OPERATOR evil.+ (FUNCTION = evil.add, LEFTARG = int8, RIGHTARG = int8);
CREATE OPERATOR evil.+ (FUNCTION = evil.add, LEFTARG = timestamptz, RIGHTARG = interval);
CREATE OPERATOR evil.>= (FUNCTION = evil.later, LEFTARG = timestamptz, RIGHTARG = timestamptz);
CREATE OPERATOR evil.<= (FUNCTION = evil.later, LEFTARG = timestamptz, RIGHTARG = timestamptz);
SET search_path = evil, pg_catalog;
SET TimeZone = 'Asia/Kathmandu';
SET DateStyle = 'SQL, DMY';
SET IntervalStyle = 'iso_8601';
UPDATE worked.work SET due_at = pg_catalog.now();
CALL skillrating.work(run_for => '0.1 s');
RESET search_path;
RESET TimeZone;
RESET DateStyle;
RESET IntervalStyle;
DROP SCHEMA evil CASCADE;

-- A schema that looks like a ladder is looked at with the rights of its owner, and a warning.
SET ROLE regress_worker;
CREATE SCHEMA fake;
CREATE TABLE fake.ladder ();
CREATE TABLE fake.rated_match ();
CREATE TABLE fake.work (task text);
RESET ROLE;
\set VERBOSITY terse
CALL skillrating.work();
DROP SCHEMA fake CASCADE;

-- What the owner's code raises, or defers to the commit, keeps nobody else from being served.
UPDATE worked.ladder SET on_error = 'raise';
CREATE FUNCTION worked.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ASSERT TG_NAME <> 'fail', 'asserted'; RAISE 'deferred'; END $$;
CREATE TRIGGER fail AFTER INSERT OR UPDATE ON worked.rating FOR EACH STATEMENT EXECUTE FUNCTION worked.fail();
SELECT play('worked', 3, 3);
UPDATE worked.work SET due_at = now() WHERE task = 'catch_up';
CALL skillrating.work('worked');
CREATE OR REPLACE FUNCTION worked.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_NAME = 'fail' THEN RAISE query_canceled; END IF; RAISE 'deferred'; END $$;
UPDATE worked.work SET due_at = now() WHERE task = 'catch_up';
CALL skillrating.work('worked');
DROP TRIGGER fail ON worked.rating;
UPDATE worked.work SET due_at = now() WHERE task = 'catch_up';
CREATE FUNCTION worked.sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
CREATE TRIGGER fail AFTER UPDATE ON worked.work FOR EACH STATEMENT EXECUTE FUNCTION worked.sleep();
SET statement_timeout = '200 ms';
CALL skillrating.work('worked');
RESET statement_timeout;
DROP FUNCTION worked.sleep() CASCADE;
CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE ON worked.rating DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION worked.fail();
UPDATE worked.work SET due_at = now() WHERE task = 'catch_up';
SET SESSION AUTHORIZATION regress_worker;
CALL skillrating.work('worked');
SELECT task, error FROM skillrating.scheduled_work('worked') WHERE error IS NOT NULL;
RESET SESSION AUTHORIZATION;
DROP FUNCTION worked.fail() CASCADE;
UPDATE worked.ladder SET on_error = 'wait';

-- Where all transactions are serializable nobody tidies the counts of ranks but catch_up().
SELECT skillrating.set_ranks('other', 'counted');
SET default_transaction_isolation = 'serializable';
SELECT count(*) FROM (SELECT skillrating.report_match('other', 1000 + i, ARRAY['a', 'b'], ARRAY[1, 2], ARRAY[1, 2]) FROM generate_series(1, 5) AS i) AS r;
SELECT count(*) > 0 AS noted FROM other.rating_count_delta;
INSERT INTO other.rating_count_delta (pool, cells, nets) SELECT '', '{}', '{}' FROM generate_series(1, 10000);
SELECT skillrating.schedule_work('other', 'catch_up', '1 minute');
CALL skillrating.work('other') \gset
SELECT :'done'::jsonb AS done, :failures AS failures;
SELECT count(*) AS noted, (SELECT sum(total) FROM other.rating_count WHERE level = 1) AS players FROM other.rating_count_delta;
SELECT bool_and(ok) FROM skillrating.verify('other');
RESET default_transaction_isolation;
SELECT skillrating.schedule_work('other', 'catch_up', NULL);

-- Two at once are harmless whatever the default: each step sees what was committed before it.
CREATE FUNCTION worked.tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING '% is %', NEW.task, current_setting('transaction_isolation'); RETURN NULL; END $$;
CREATE TRIGGER tell AFTER UPDATE OF done ON worked.work FOR EACH ROW EXECUTE FUNCTION worked.tell();
UPDATE worked.work SET due_at = now();
SET default_transaction_isolation = 'serializable';
CALL skillrating.work('worked');
SHOW transaction_isolation;
RESET default_transaction_isolation;
DROP FUNCTION worked.tell() CASCADE;

-- A table work that another role has put there is not used.
GRANT CREATE ON SCHEMA worked TO regress_other;
ALTER TABLE worked.work RENAME TO away;
SET ROLE regress_other;
CREATE TABLE worked.work (LIKE worked.away INCLUDING ALL);
GRANT ALL ON worked.work TO regress_worker;
SET ROLE regress_worker;
SELECT skillrating.schedule_work('worked', 'catch_up', '1 hour');
SELECT skillrating.schedule_work('worked', 'catch_up', NULL);
SELECT skillrating.work_step('worked', 'catch_up');
CALL skillrating.work();
RESET ROLE;
DROP TABLE worked.work;
CREATE VIEW worked.work AS TABLE worked.away;
ALTER VIEW worked.work OWNER TO regress_worker;
SELECT skillrating.schedule_work('worked', 'catch_up', '1 hour');
DROP VIEW worked.work;
ALTER TABLE worked.away RENAME TO work;
DROP TABLE worked.seen;
DROP FUNCTION worked.look() CASCADE;
SELECT skillrating.drop_ladder(name) FROM unnest('{arena,other,worked}'::text[]) AS name;
\set VERBOSITY default
SELECT count(*) FROM pg_namespace WHERE nspname IN ('arena', 'other', 'worked');
DROP FUNCTION play;
DROP VIEW schedule;
REVOKE CREATE ON DATABASE contrib_regression FROM regress_worker;
DROP OWNED BY regress_worker, regress_other;
DROP ROLE regress_member, regress_worker, regress_other;
