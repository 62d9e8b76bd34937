-- Existing matches: what waits is said, and backfill() rates it in the order of time, whatever was
-- rated before.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA filling;
SET search_path = filling;
CREATE TABLE duel (id bigint PRIMARY KEY, winner text, loser text, at timestamptz);
CREATE VIEW duels AS
    SELECT id AS match_id, at AS played_at, winner AS player_id, 1 AS team, true AS won FROM duel
    UNION ALL SELECT id, at, loser, 2, false FROM duel;
INSERT INTO duel
SELECT n, chr(97 + n % 5), chr(97 + (n + 1 + n / 5 % 4) % 5), timestamptz '2024-01-01' + interval '1 hour' * (n * 37 % 40) FROM generate_series(1, 40) AS n;
\set ECHO all

-- In one pass, which is what all others are compared with.
\set ECHO none
CREATE FUNCTION same_ratings(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    EXECUTE format('SELECT NOT EXISTS (
        (SELECT player_id, pool, rating, games, wins, losses, last_played FROM %1$I.rating EXCEPT ALL SELECT player_id, pool, rating, games, wins, losses, last_played FROM %2$I.rating)
        UNION ALL (SELECT player_id, pool, rating, games, wins, losses, last_played FROM %2$I.rating EXCEPT ALL SELECT player_id, pool, rating, games, wins, losses, last_played FROM %1$I.rating))', a, b) INTO same;
    RETURN same;
END
$$;
CREATE FUNCTION in_order(ladder text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    ordered boolean;
BEGIN
    EXECUTE format('SELECT bool_and(o.ordered) FROM (SELECT played_at >= lag(played_at, 1, ''-infinity'') OVER (ORDER BY seq) AS ordered FROM %I.rated_match WHERE seq IS NOT NULL) AS o', ladder) INTO ordered;
    RETURN ordered;
END
$$;
\set ECHO all
\set VERBOSITY terse
SELECT skillrating.create_ladder('one_pass', 'elo', source => 'duels') \gset
SELECT count(*) FROM skillrating.catch_up('one_pass', search => true);
SELECT in_order('one_pass');

-- Batches: by time, and what waits in pending among the rest.
SELECT skillrating.create_ladder('backed', 'elo', source => 'duels', apply_at => 'manual') \gset
SELECT skillrating.attach('backed', 'duel', match_id => 'id') \gset
UPDATE duel SET at = at WHERE id IN (3, 4);
CALL skillrating.backfill('backed', 15);
SELECT array_agg(match_id ORDER BY seq) = (SELECT array_agg(id ORDER BY at, id) FROM duel) AS in_order, count(DISTINCT xmin::text) AS batches FROM backed.rated_match;
SELECT same_ratings('backed', 'one_pass'), in_order('backed'), bool_and(ok) AS verified, (SELECT count(*) FROM backed.pending) AS pending FROM skillrating.verify('backed');
-- Once more there is nothing to do; a changed match that waits is one.
CALL skillrating.backfill('backed');
UPDATE duel SET winner = loser, loser = winner WHERE id = 7;
CALL skillrating.backfill('backed');
SELECT bool_and(ok) AS verified, (SELECT count(*) FROM backed.correction) AS corrections FROM skillrating.verify('backed');
SELECT count(*) FROM skillrating.catch_up('one_pass', search => true, rebuild => true);
SELECT same_ratings('backed', 'one_pass');

-- After the first live match the old ones get their places all the same; the ladder appends what
-- comes late by itself, and goes on to.
CREATE TABLE new_duel (LIKE duel);
CREATE VIEW all_duels AS
    SELECT id AS match_id, at AS played_at, winner AS player_id, 1 AS team, true AS won FROM (TABLE duel UNION ALL TABLE new_duel) AS d
    UNION ALL SELECT id, at, loser, 2, false FROM (TABLE duel UNION ALL TABLE new_duel) AS d;
SELECT skillrating.create_ladder('late', 'elo', source => 'all_duels', attach => false) \gset
SELECT skillrating.attach('late', 'new_duel', match_id => 'id') \gset
SELECT skillrating.create_ladder('appended', 'elo', source => 'all_duels', attach => false) \gset
SELECT skillrating.attach('appended', 'new_duel', match_id => 'id') \gset
SELECT skillrating.create_ladder('reordered', 'elo', source => 'all_duels', late => 'reorder', attach => false) \gset
SELECT skillrating.attach('reordered', 'new_duel', match_id => 'id') \gset
INSERT INTO new_duel VALUES (100, 'a', 'b', '2024-02-01');
CALL skillrating.backfill('late', 7, catch_up => false);
SELECT skillrating.match_outcome('late', 1), (SELECT count(*) FROM late.correction) > 0 AS waits;
CALL skillrating.backfill('late', 7);
CALL skillrating.backfill('reordered', 7);
CALL skillrating.backfill('appended', 7, late => 'append');
SELECT skillrating.create_ladder('new_one_pass', 'elo', source => 'all_duels') \gset
\set VERBOSITY default
SELECT count(*) FROM skillrating.catch_up('new_one_pass', search => true);
SELECT l, same_ratings(l, 'new_one_pass'), in_order(l), (SELECT bool_and(ok) FROM skillrating.verify(l)) AS verified
FROM unnest(ARRAY['late', 'reordered', 'appended']) AS l;
-- A match of between is late for one ladder, and appended by the other.
INSERT INTO new_duel VALUES (101, 'a', 'b', '2024-01-15');
SELECT in_order('late'), (SELECT status FROM reordered.rated_match WHERE match_id = 101);
-- A rebuild gives an old match no other place where they are appended.
SELECT count(*) FROM skillrating.catch_up('late', search => true, rebuild => true);
SELECT in_order('late');

-- How many of them do not count, whatever batch they are in; a late one does not yet.
\set ECHO none
CREATE TABLE bout (id bigint PRIMARY KEY, winner text, loser text, first_rank float8, at timestamptz);
CREATE TABLE bout_name (id text PRIMARY KEY);
CREATE VIEW bouts AS
    SELECT id AS match_id, at AS played_at, winner AS player_id, 1 AS team, first_rank AS rank FROM bout
    UNION ALL SELECT id, at, loser, 2, 2 FROM bout;
\set ECHO all
SELECT skillrating.create_ladder('counted', 'elo', source => 'bouts') \gset
SELECT skillrating.attach('counted', 'bout', match_id => 'id') \gset
INSERT INTO bout VALUES (100, 'a', 'b', 1, '2024-02-01');
ALTER TABLE bout DISABLE TRIGGER USER;
INSERT INTO bout SELECT n, chr(97 + n % 5), chr(102 + n % 3), CASE WHEN n % 4 = 0 THEN float8 '-Infinity' WHEN n % 7 = 0 THEN NULL ELSE 1 END, '2024-01-01'::timestamptz + n * interval '1 hour' FROM generate_series(1, 40) AS n;
ALTER TABLE bout ENABLE TRIGGER USER;
CALL skillrating.backfill('counted', 7);
SELECT status, reason, count(*) FROM counted.rated_match GROUP BY status, reason ORDER BY status, reason;
-- There is nothing more to look at.
CALL skillrating.backfill('counted', 7);
-- Of several tables behind a new ladder the first one says what waits; later each one does.
\set VERBOSITY terse
SELECT skillrating.create_ladder('told', 'elo', source => 'bouts') \gset
SELECT skillrating.attach('told', 'bout', match_id => 'id') \gset
SELECT skillrating.attach('told', 'bout_name', match_id => 'id::bigint') \gset
SELECT skillrating.detach('told', 'bout_name') \gset
CALL skillrating.backfill('told');
SELECT skillrating.attach('told', 'bout_name', match_id => 'id::bigint') \gset
SELECT skillrating.detach('told', 'bout_name'), skillrating.detach('told', 'bout') \gset
INSERT INTO bout VALUES (101, 'a', 'b', 1, '2024-02-02');
SELECT skillrating.attach('told', 'bout', match_id => 'id') \gset
SELECT skillrating.attach('told', 'bout_name', match_id => 'id::bigint') \gset
\set VERBOSITY default

-- What is said of matches that wait: how many, or what is known of that.
CREATE TABLE crowd (id bigint PRIMARY KEY, at timestamptz DEFAULT now());
INSERT INTO crowd SELECT generate_series(1, 12000);
CREATE VIEW crowds AS SELECT id AS match_id, at AS played_at, 2 * id + t AS player_id, t AS team, t AS rank FROM crowd, generate_series(0, 1) AS t;
SELECT skillrating.create_ladder('crowded', 'elo', source => 'crowds') \gset
\set VERBOSITY terse
SELECT skillrating.attach('crowded', 'crowd', 'id') \gset
SELECT skillrating.create_ladder('single', 'elo', source => 'one_pass.source') \gset
SELECT skillrating.drop_ladder('single') \gset
DELETE FROM duel WHERE id > 1;
SELECT skillrating.create_ladder('single', 'elo', source => 'duels') \gset
SELECT skillrating.attach('single', 'duel', match_id => 'id') \gset
SELECT skillrating.detach('single', 'duel') \gset
-- Nothing of that where nothing waits, and for a shadow.
CALL skillrating.backfill('single');
SELECT skillrating.attach('single', 'duel', match_id => 'id') \gset
SELECT skillrating.shadow_ladder('single', 'single_again');
-- A source that raises errors keeps no ladder from being made.
CREATE VIEW broken AS SELECT 1 / (id - 1) AS match_id, at AS played_at, winner AS player_id, 1 AS team, 1 AS rank FROM duel;
SELECT skillrating.create_ladder('broken_ladder', 'elo', source => 'broken', attach => false) \gset
SELECT skillrating.attach('broken_ladder', 'duel', match_id => 'id') \gset
SELECT skillrating.detach('broken_ladder', 'duel') \gset

-- Progress, as seen by a trigger within.
\set ECHO none
CREATE TABLE seen (n int GENERATED ALWAYS AS IDENTITY, work text, ladder text, phase text, done bigint, total bigint, in_order boolean);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO filling.seen (work, ladder, phase, done, total, in_order)
    SELECT p.work, p.ladder, p.phase, p.done, p.total, p.phase_started_at >= p.started_at AND p.started_at <= clock_timestamp() AND p.pid = pg_backend_pid()
    FROM skillrating.progress() AS p;
    RETURN NULL;
END
$$;
INSERT INTO duel SELECT n, 'a', 'b', timestamptz '2024-03-01' + interval '1 hour' * n FROM generate_series(2, 26) AS n;
\set ECHO all
SELECT skillrating.create_ladder('watched', 'elo', source => 'duels', attach => false) \gset
\set VERBOSITY default
CREATE TRIGGER look AFTER INSERT OR UPDATE ON watched.rating FOR EACH STATEMENT EXECUTE FUNCTION look();
CALL skillrating.backfill('watched', 10);
SELECT work, ladder, phase, done, total, in_order, count(*) FROM seen GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY min(n);
TRUNCATE seen;
SELECT skillrating.void_match('watched', 4) \gset
SELECT count(*) FROM skillrating.catch_up('watched');
SELECT work, ladder, phase, done, total, in_order, count(*) FROM seen GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY min(n);
-- Whatever ends work ends the report, also where the error is caught.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
CREATE TRIGGER refuse AFTER UPDATE ON watched.rating FOR EACH STATEMENT EXECUTE FUNCTION refuse();
SELECT skillrating.void_match('watched', 5) \gset
DO $$
BEGIN
    PERFORM skillrating.catch_up('watched');
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE '%, % at work', SQLERRM, (SELECT count(*) FROM skillrating.progress());
END
$$;
SELECT count(*) FROM skillrating.catch_up('watched');
SELECT count(*) FROM skillrating.progress();

-- Errors: before anything is done.
CALL skillrating.backfill('watched', 0);
CALL skillrating.backfill('watched', NULL);
CALL skillrating.backfill('watched', late => 'sometimes');
CALL skillrating.backfill('reordered', late => 'append');
INSERT INTO duel VALUES (99, 'a', 'b', '2024-05-01');
CALL skillrating.backfill('nowhere');
BEGIN;
CALL skillrating.backfill('watched');
ROLLBACK;
DROP TRIGGER refuse ON watched.rating;
CALL skillrating.backfill('watched');

-- Nothing is committed before it is known whether the ladder is there.
\set ECHO none
CREATE TABLE before_it (n integer);
CREATE PROCEDURE note_and_backfill() LANGUAGE plpgsql AS $$
DECLARE
    a bigint;
    b bigint;
    c bigint;
BEGIN
    INSERT INTO before_it VALUES (1);
    CALL skillrating.backfill('nowhere', 1000, 'reorder', true, a, b, c);
END
$$;
\set ECHO all
CALL note_and_backfill();
SELECT count(*) FROM before_it;

-- A list that is longer than work_mem leaves no file behind, at the end or with an error.
\set ECHO none
CREATE TABLE many AS SELECT g AS match_id, timestamptz '2024-01-01' + g * interval '1 s' AS played_at, 1 + (g + p) % 50 AS player_id, p AS team, p AS rank FROM generate_series(1, 6000) AS g, generate_series(1, 2) AS p;
CREATE VIEW many_matches AS SELECT * FROM many;
SET client_min_messages = error;
SELECT skillrating.create_ladder('lengthy', 'elo', source => 'many_matches', on_error => 'raise') \gset
SET work_mem = '64kB';
\set VERBOSITY terse
\set ECHO all
ALTER TABLE lengthy.rating ADD CONSTRAINT no_more CHECK (games < 200);
CALL skillrating.backfill('lengthy', catch_up => false);
SELECT count(*) FROM pg_ls_tmpdir();
ALTER TABLE lengthy.rating DROP CONSTRAINT no_more;
CALL skillrating.backfill('lengthy', catch_up => false);
SELECT count(*) FROM pg_ls_tmpdir();
SELECT count(*) FILTER (WHERE status = 'rated') FROM lengthy.rated_match;

-- Whoever calls it is told whose right is missing.
\set ECHO none
CREATE ROLE regress_backfiller;
CREATE TABLE other AS SELECT * FROM many;
ALTER TABLE other OWNER TO regress_backfiller;
GRANT SELECT ON other TO CURRENT_USER;
CREATE ROLE regress_backfilled;
GRANT ALL ON SCHEMA filling TO regress_backfilled;
GRANT SELECT ON other TO regress_backfilled;
CREATE VIEW other_matches AS SELECT * FROM other;
ALTER VIEW other_matches OWNER TO regress_backfilled;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_backfilled', current_database()); END $$;
SET ROLE regress_backfilled;
SELECT skillrating.create_ladder('lent', 'elo', source => 'filling.other_matches') \gset
RESET ROLE;
REVOKE SELECT ON other FROM regress_backfilled;
\set VERBOSITY default
\set SHOW_CONTEXT never
\set ECHO all
CALL skillrating.backfill('lent');
\set ECHO none
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{lent,lengthy}'::text[]) AS l \gset
DROP VIEW other_matches;
DROP TABLE other;
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM regress_backfilled', current_database()); END $$;
DROP OWNED BY regress_backfilled, regress_backfiller;
DROP ROLE regress_backfilled, regress_backfiller;
RESET client_min_messages;
RESET work_mem;
\set ECHO all

-- It is for the owner.
CREATE ROLE regress_backfiller;
GRANT USAGE ON SCHEMA watched TO regress_backfiller;
GRANT ALL ON ALL TABLES IN SCHEMA watched TO regress_backfiller;
SET ROLE regress_backfiller;
CALL skillrating.backfill('watched');
RESET ROLE;
REVOKE ALL ON ALL TABLES IN SCHEMA watched FROM regress_backfiller;
REVOKE USAGE ON SCHEMA watched FROM regress_backfiller;
DROP ROLE regress_backfiller;

-- No name of the caller's decides anything, and no setting is left changed.
\set ECHO none
CREATE SCHEMA decoy;
CREATE FUNCTION decoy.no(bigint, bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'decoy'; END $$;
CREATE OPERATOR decoy.+ (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = decoy.no);
CREATE FUNCTION decoy.never(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'decoy'; END $$;
CREATE OPERATOR decoy.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = decoy.never);
CREATE DOMAIN decoy.int8 AS bigint CHECK (VALUE < 0);
SET search_path = decoy, pg_catalog;
SET DateStyle = 'German';
SET extra_float_digits = -15;
INSERT INTO filling.duel VALUES (98, 'a', 'b', '01.06.2024');
\set ECHO all
CALL skillrating.backfill('watched');
SHOW search_path;
SHOW DateStyle;
SET search_path = filling;
RESET DateStyle;
RESET extra_float_digits;
SELECT bool_and(ok) AS verified FROM skillrating.verify('watched');

SET client_min_messages = warning;
SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['one_pass', 'backed', 'late', 'appended', 'reordered', 'new_one_pass', 'crowded', 'single_again', 'single', 'broken_ladder', 'watched', 'counted', 'told']) AS l;
DROP SCHEMA decoy, filling CASCADE;
