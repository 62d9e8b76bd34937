-- What users add to the tables of a ladder works the same whether its rows are written by
-- queries, as where a table has a trigger, or without.
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('plain', 'weng_lin', apply_at => 'statement');
SELECT skillrating.create_ladder('queried', 'weng_lin', apply_at => 'statement');

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
    UNION ALL SELECT 'rating', count(*) FROM (
        (SELECT to_jsonb(r) FROM plain.rating AS r EXCEPT ALL SELECT to_jsonb(r) FROM queried.rating AS r)
        UNION ALL (SELECT to_jsonb(r) FROM queried.rating AS r EXCEPT ALL SELECT to_jsonb(r) FROM plain.rating AS r)) AS d
$$;

SELECT play(l, m, m) FROM unnest(ARRAY['plain', 'queried']) AS l, generate_series(1, 9) AS m \g /dev/null
SELECT play(l, 10, 50) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT play(l, 51, 150) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM differences();
SELECT count(*), count(DISTINCT seq) FROM plain.event;

-- Columns of the user's keep their values, generated ones get theirs, indexes their entries.
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
SELECT play(l, m, m + 2) FROM unnest(ARRAY['plain', 'queried']) AS l, generate_series(151, 160, 3) AS m \g /dev/null
SELECT * FROM differences();
SELECT count(*) AS ratings, count(*) FILTER (WHERE note = player_id || ' of pool ' || pool) AS notes,
    count(*) FILTER (WHERE lowest = mu - 5 * sigma) AS computed FROM plain.rating;
SELECT count(*) FILTER (WHERE gained = mu_after - mu_before) = count(*) AS computed FROM plain.event;
SET enable_seqscan = off;
SELECT count(*) = (SELECT count(*) FROM plain.event WHERE score > 0.5 IS TRUE) AS found FROM plain.event WHERE (score > 0.5);
SELECT bool_and(games > 20) AS found FROM plain.rating WHERE games > 20;
RESET enable_seqscan;

-- A default of the user's is taken, by queries.
ALTER TABLE plain.event ADD written_by text DEFAULT 'nobody';
SELECT play('plain', 164, 164);
SELECT written_by, count(*) FROM plain.event GROUP BY written_by;
ALTER TABLE plain.event DROP written_by;
SELECT play('queried', 164, 164);
SELECT * FROM differences();

-- Constraints keep a match out, with its transaction.
ALTER TABLE plain.event ADD CONSTRAINT few_games CHECK (games_before < 60);
ALTER TABLE plain.rating ADD CONSTRAINT sound CHECK (sigma > 0), ADD CONSTRAINT some_games CHECK (games < 1000);
SELECT play('plain', 165, 165);
ALTER TABLE plain.rating ADD CONSTRAINT fewer_games CHECK (games < 20) NOT VALID;
\set VERBOSITY sqlstate
SELECT play('plain', 166, 185);
\set VERBOSITY default
ALTER TABLE plain.rating DROP CONSTRAINT fewer_games;
SELECT play('queried', 165, 165);
SELECT * FROM differences();

-- A published table without a replica identity takes no UPDATE, as by a query.
ALTER TABLE plain.rating REPLICA IDENTITY NOTHING;
SET client_min_messages = error;
CREATE PUBLICATION regress_plain FOR TABLE plain.rating;
RESET client_min_messages;
SELECT play('plain', 166, 166);
DROP PUBLICATION regress_plain;
SELECT play(l, 166, 166) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM differences();

-- A trigger that comes later fires.
CREATE TABLE noticed (n bigint);
CREATE FUNCTION notice() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.noticed SELECT count(*) FROM new_rows; RETURN NULL; END';
CREATE TRIGGER notice AFTER UPDATE ON plain.rating REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION notice();
SELECT play(l, 167, 167) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM noticed;
DROP TRIGGER notice ON plain.rating;
SELECT play(l, 168, 168) FROM unnest(ARRAY['plain', 'queried']) AS l \g /dev/null
SELECT * FROM noticed;
SELECT * FROM differences();
SELECT l, (SELECT bool_and(ok) FROM skillrating.verify(l)) FROM unnest(ARRAY['plain', 'queried']) AS l;

SELECT skillrating.drop_ladder(l) FROM unnest(ARRAY['plain', 'queried']) AS l;
DROP TABLE noticed;
DROP FUNCTION do_nothing, notice, play, differences;

-- A narrower type of one of our columns.
SELECT skillrating.create_ladder('narrow', 'weng_lin', apply_at => 'statement');
ALTER TABLE narrow.event ALTER played_at TYPE timestamptz(0);
ALTER TABLE narrow.rating ALTER last_played TYPE timestamptz(0);
INSERT INTO narrow.match (match_id, played_at) VALUES (1, '2026-01-01 00:00:00.7Z');
INSERT INTO narrow.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
SELECT count(*) AS events, count(*) FILTER (WHERE played_at = '2026-01-01 00:00:01Z') AS narrow FROM narrow.event;
SELECT count(*) AS ratings, count(*) FILTER (WHERE last_played = '2026-01-01 00:00:01Z') AS narrow FROM narrow.rating;
SELECT skillrating.drop_ladder('narrow');
