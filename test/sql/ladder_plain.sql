-- What users add to the tables of a ladder works, and comes out the same where a table has a
-- trigger besides.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('plain', 'weng_lin', apply_at => 'statement', on_error => 'raise') \gset
SELECT skillrating.create_ladder('queried', 'weng_lin', apply_at => 'statement', on_error => 'raise') \gset

CREATE FUNCTION do_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER nothing AFTER INSERT ON queried.event FOR EACH ROW EXECUTE FUNCTION do_nothing();

-- A match of 12 of 40 players, some of them new, in pools.
CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO %I.match (match_id, played_at, pool)
        SELECT m, timestamptz ''2026-01-01'' + m * interval ''1 hour'', (ARRAY['''', ''b''])[1 + m %% 2]
        FROM generate_series(%s, %s) AS m', ladder, first, last);
    EXECUTE format(
        'INSERT INTO %I.match_player (match_id, player_id, team, rank)
        SELECT m, (m * 7 + p * 11) %% 40, 1 + p %% 2, 1 + (p + m / 3) %% 2
        FROM generate_series(%s, %s) AS m, generate_series(0, 11) AS p', ladder, first, last);
END $$;

-- How the tables of the two differ.
CREATE FUNCTION differences() RETURNS TABLE (relation text, n bigint) LANGUAGE sql AS $$
    SELECT 'event', count(*) FROM (
        (SELECT to_jsonb(e) - 'seq' FROM plain.event AS e EXCEPT ALL SELECT to_jsonb(e) - 'seq' FROM queried.event AS e)
        UNION ALL (SELECT to_jsonb(e) - 'seq' FROM queried.event AS e EXCEPT ALL SELECT to_jsonb(e) - 'seq' FROM plain.event AS e)) AS d
    UNION ALL SELECT 'rated_match', count(*) FROM (
        (SELECT to_jsonb(m) - '{seq,rated_at}'::text[] FROM plain.rated_match AS m EXCEPT ALL SELECT to_jsonb(m) - '{seq,rated_at}'::text[] FROM queried.rated_match AS m)
        UNION ALL (SELECT to_jsonb(m) - '{seq,rated_at}'::text[] FROM queried.rated_match AS m EXCEPT ALL SELECT to_jsonb(m) - '{seq,rated_at}'::text[] FROM plain.rated_match AS m)) AS d
    UNION ALL SELECT 'rating', count(*) FROM (
        (SELECT to_jsonb(r) FROM plain.rating AS r EXCEPT ALL SELECT to_jsonb(r) FROM queried.rating AS r)
        UNION ALL (SELECT to_jsonb(r) FROM queried.rating AS r EXCEPT ALL SELECT to_jsonb(r) FROM plain.rating AS r)) AS d
$$;

-- When a match was rated.
CREATE FUNCTION rated_at(ladder text, match bigint) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz;
BEGIN
    EXECUTE format('SELECT rated_at FROM %I.rated_match WHERE match_id = %s', ladder, match) INTO STRICT at;
    RETURN at;
END $$;
\set ECHO all

SELECT play(l, m, m) FROM unnest(ARRAY['plain', 'queried']) AS l, generate_series(1, 9) AS m \g /dev/null
SELECT play(l, 10, 50) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT play(l, 51, 150) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM differences();
SELECT count(*), count(DISTINCT seq) FROM plain.event;

-- Columns of the user's keep their values, generated ones get theirs, indexes their entries.
\set ECHO none
DO $$
DECLARE
    l text;
BEGIN
    FOREACH l IN ARRAY ARRAY['plain', 'queried'] LOOP
        EXECUTE format('ALTER TABLE %I.rating ADD note text, ADD lowest float8 GENERATED ALWAYS AS (mu - 5 * sigma) STORED', l);
        EXECUTE format('ALTER TABLE %I.event ADD gained float8 GENERATED ALWAYS AS (mu_after - mu_before) STORED', l);
        EXECUTE format('UPDATE %I.rating SET note = player_id || '' of pool '' || pool', l);
        EXECUTE format('CREATE INDEX ON %I.rating (games) WHERE games > 20', l);
        EXECUTE format('CREATE INDEX ON %I.event ((score > 0.5), player_id)', l);
    END LOOP;
END $$;
\set ECHO all
SELECT play(l, m, m + 2) FROM unnest(ARRAY['plain', 'queried']) AS l, generate_series(151, 160, 3) AS m \g /dev/null
SELECT * FROM differences();
SELECT count(*) AS ratings, count(*) FILTER (WHERE note = player_id || ' of pool ' || pool) AS notes,
    count(*) FILTER (WHERE lowest = mu - 5 * sigma) AS computed FROM plain.rating;
SELECT count(*) FILTER (WHERE gained = mu_after - mu_before) = count(*) AS computed FROM plain.event;
SET enable_seqscan = off;
SELECT count(*) = (SELECT count(*) FROM plain.event WHERE score > 0.5 IS TRUE) AS found FROM plain.event WHERE (score > 0.5);
SELECT bool_and(games > 20) AS found FROM plain.rating WHERE games > 20;
RESET enable_seqscan;

-- Defaults of the user's are taken, those that call a function of the user's as it is now.
CREATE FUNCTION author() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'nobody' $$;
ALTER TABLE plain.event ADD written_by text DEFAULT 'no' || 'body', ADD written_at timestamptz DEFAULT now();
ALTER TABLE plain.rated_match ADD written_by text DEFAULT 'nobody';
SELECT play('plain', 164, 164) \gset
SELECT written_by, count(*) FROM plain.event WHERE written_at = rated_at('plain', 164) GROUP BY written_by;
SELECT written_by, corrections, rated_at = rated_at('plain', 164) AS now FROM plain.rated_match WHERE match_id = 164;
ALTER TABLE plain.event ALTER written_by SET DEFAULT author();
SELECT play('plain', 165, 165) \gset
CREATE OR REPLACE FUNCTION author() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'somebody' $$;
SELECT play('plain', 166, 166) \gset
SELECT match_id, written_by, count(*) FROM plain.event WHERE match_id > 164 GROUP BY match_id, written_by ORDER BY match_id;
ALTER TABLE plain.event DROP written_by, DROP written_at;
ALTER TABLE plain.rated_match DROP written_by;
SELECT play('queried', m, m) FROM generate_series(164, 166) AS m \g /dev/null
SELECT * FROM differences();

-- Constraints keep a match out, with its transaction.
\set ECHO none
ALTER TABLE plain.event ADD CONSTRAINT few_games CHECK (games_before < 60);
ALTER TABLE plain.rating ADD CONSTRAINT sound CHECK (sigma > 0), ADD CONSTRAINT some_games CHECK (games < 1000);
SELECT play('plain', 167, 167) \gset
ALTER TABLE plain.rating ADD CONSTRAINT fewer_games CHECK (games < 20) NOT VALID;
\set VERBOSITY sqlstate
\set ECHO all
SELECT play('plain', 168, 187);
\set VERBOSITY default
ALTER TABLE plain.rating DROP CONSTRAINT fewer_games;
SELECT play('queried', 167, 167) \gset
SELECT * FROM differences();

-- A published table without a replica identity takes no UPDATE, as by a query.
ALTER TABLE plain.rating REPLICA IDENTITY NOTHING;
SET client_min_messages = error;
CREATE PUBLICATION regress_plain FOR TABLE plain.rating;
RESET client_min_messages;
SELECT play('plain', 168, 168);
DROP PUBLICATION regress_plain;
SELECT play(l, 168, 168) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM differences();

-- A trigger that comes later fires.
CREATE TABLE noticed (n bigint);
CREATE FUNCTION notice() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.noticed SELECT count(*) FROM new_rows; RETURN NULL; END';
CREATE TRIGGER notice AFTER UPDATE ON plain.rating REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION notice();
SELECT play(l, 169, 169) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM noticed;
DROP TRIGGER notice ON plain.rating;
SELECT play(l, 170, 170) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM noticed;
SELECT * FROM differences();
SELECT l, (SELECT bool_and(ok) FROM skillrating.verify(l)) FROM unnest(ARRAY['plain', 'queried']) AS l;

-- A match is read from the tables behind a view that is a plain join, and through any other
-- view: with all that participants have, once it is finished, and as the view computes it.
\set ECHO none
DO $$
BEGIN
    EXECUTE regexp_replace(format('CREATE OR REPLACE VIEW queried.source AS %s', pg_get_viewdef('queried.source')), ';$', ' AND (SELECT true)');
END $$;
CREATE FUNCTION play_in_full(ladder text, m int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %1$I.match (match_id, played_at, finished, pool, log_odds, gain, context, duration, surrendered)
        VALUES (%2$s, timestamptz ''2026-01-01'' + %2$s * interval ''1 hour'', false, ''c'', 0.1, 1.5, ''map'', 1800, true)', ladder, m);
    EXECUTE format('INSERT INTO %1$I.match_player (match_id, player_id, stint, team, team_score, weight, joined, left_at, commanding, side, context, club, squad, kills, deaths, quit, experience, player_gain, bot)
        SELECT %2$s, p, 1, 1 + p %% 2, 10 + p %% 2 + %2$s, 0.3 + p / 10.0, 60 * p, 1800, CASE WHEN p < 2 THEN 900 END, 1 + p %% 2,
            CASE WHEN p = 3 THEN ''other'' END, ''club '' || p, p / 4, p, 2 * p, p = 5, 100 * p, CASE WHEN p > 3 THEN 0.5 END, p = 7
        FROM generate_series(0, 7) AS p', ladder, m);
    EXECUTE format('UPDATE %1$I.match SET finished = true WHERE match_id = %2$s', ladder, m);
END $$;
\set ECHO all
SELECT play_in_full(l, 201) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM differences();
SELECT match_id, status, count(e) AS events FROM plain.rated_match LEFT JOIN plain.event AS e USING (match_id) WHERE match_id > 200 GROUP BY 1, 2;

-- A view that computes more is followed at once, as are the functions that it calls.
\set ECHO none
CREATE FUNCTION spread() RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT 0.25::float8';
CREATE FUNCTION replace_in_source(a text, b text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    l text;
BEGIN
    FOREACH l IN ARRAY ARRAY['plain', 'queried'] LOOP
        EXECUTE format('CREATE OR REPLACE VIEW %I.source AS %s', l, replace(pg_get_viewdef(format('%I.source', l)::regclass), a, b));
    END LOOP;
END $$;
\set ECHO all
SELECT replace_in_source('m.log_odds', 'm.log_odds + 0.5::float8 * abs(p.team)::float8 / abs(p.team)::float8 AS log_odds') \gset
SELECT play_in_full(l, 202) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM differences();
SELECT replace_in_source('(0.5)::double precision', 'spread()') \gset
SELECT play_in_full(l, 203) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
CREATE OR REPLACE FUNCTION spread() RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT 0.75::float8';
SELECT play_in_full(l, 204) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM differences();
SELECT match_id, round(s.log_odds::numeric, 2) AS log_odds FROM plain.source AS s WHERE match_id > 200 GROUP BY 1, 2 ORDER BY 1;
SELECT replace_in_source('spread()', '0.5::float8') \gset
ALTER TABLE plain.match_player ENABLE ROW LEVEL SECURITY;
SELECT play_in_full(l, 205) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
ALTER TABLE plain.match_player DISABLE ROW LEVEL SECURITY;
SELECT * FROM differences();
DROP FUNCTION replace_in_source, play_in_full, spread;

SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['plain', 'queried']) AS l;
DROP TABLE noticed;
DROP FUNCTION do_nothing, notice, play, differences, rated_at, author;

-- A narrower type of one of our columns.
SELECT skillrating.create_ladder('narrow', 'weng_lin', apply_at => 'statement', on_error => 'raise') \gset
\set ECHO none
DROP VIEW narrow.history, narrow.leaderboard;
ALTER TABLE narrow.event ALTER played_at TYPE timestamptz(0);
ALTER TABLE narrow.rating ALTER last_played TYPE timestamptz(0);
INSERT INTO narrow.match (match_id, played_at) VALUES (1, '2026-01-01 00:00:00.7Z');
INSERT INTO narrow.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
\set ECHO all
SELECT count(*) AS events, count(*) FILTER (WHERE played_at = '2026-01-01 00:00:01Z') AS narrow FROM narrow.event;
SELECT count(*) AS ratings, count(*) FILTER (WHERE last_played = '2026-01-01 00:00:01Z') AS narrow FROM narrow.rating;
SELECT skillrating.drop_ladder('narrow') \gset

-- Rules that a session keeps are the owner's still: who may not call what they need writes no row.
\set ECHO none
CREATE ROLE regress_keeper;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_keeper', current_database()); END $$;
SET ROLE regress_keeper;
SELECT skillrating.create_ladder('kept', 'weng_lin', apply_at => 'statement', on_error => 'raise') \gset
ALTER TABLE kept.event ADD CHECK (numeric_inc(team) > 1);
CREATE FUNCTION pg_temp.play(m int) RETURNS void LANGUAGE sql AS $$
    WITH m AS (INSERT INTO kept.match (match_id) VALUES (m) RETURNING match_id)
    INSERT INTO kept.match_player (match_id, player_id, team, rank) SELECT match_id, p, p, p FROM m, generate_series(1, 2) AS p
$$;
SELECT pg_temp.play(1) \gset
RESET ROLE;
BEGIN;
REVOKE EXECUTE ON FUNCTION numeric_inc(numeric) FROM PUBLIC;
\set ECHO all
SET LOCAL ROLE regress_keeper;
SELECT pg_temp.play(2);
ROLLBACK;
SET ROLE regress_keeper;
SELECT pg_temp.play(2) \gset
SELECT count(*) FROM kept.event;

-- A row of rated_match that is there is overwritten, as one of a match that had no rows.
INSERT INTO kept.rated_match (match_id, status, reason, digest) VALUES (3, 'unrated', 'no_match', 0);
SELECT pg_temp.play(3) \gset
SELECT match_id, status, reason, seq IS NOT NULL AS placed FROM kept.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('kept');
SELECT skillrating.drop_ladder('kept') \gset
RESET ROLE;
DROP FUNCTION pg_temp.play;
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM regress_keeper', current_database()); END $$;
DROP ROLE regress_keeper;
