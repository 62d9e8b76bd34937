-- What replicas and long work do and count, against rows and sums.  Each column names the
-- functions that it is about; see test/oracles.sh.
\set ECHO none
\pset format unaligned
CREATE SCHEMA oracles_work;
SET search_path = oracles_work;
SET extra_float_digits = 1;
SET timezone = 'UTC';
SET client_min_messages = warning;

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION curve(ahead float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + power(10, -ahead / 400)) $$;
\set ECHO all

-- A publisher's rows wait for catch_up(): as many as there are.
CREATE TABLE duel (match_id int PRIMARY KEY, played_at timestamptz, a int, b int);
CREATE VIEW source AS SELECT match_id, played_at, player AS player_id, team, team AS rank FROM duel, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team);
SELECT skillrating.create_ladder('oracle_replica', 'elo', player_type => 'int', match_type => 'int', source => 'source', late => 'reorder') \gset
SELECT skillrating.attach('oracle_replica', 'duel', replica => true) \gset
INSERT INTO duel SELECT i, timestamptz '2024-01-01' + i * interval '1 hour', i % 7, (i + 1 + i % 3) % 7 FROM generate_series(1, 38) AS i;
SELECT r.waiting = 38 AND r.put_aside = 0 AND r.copied = '{}' AS "ladder_status: invariant" FROM skillrating.ladder_status('oracle_replica') AS r;
SELECT count(*) = 7 AS changed FROM skillrating.catch_up('oracle_replica');
SELECT r.waiting = 0 AND r.rated = 38 AND (SELECT sum(games) FROM oracle_replica.rating) = 76 AS "ladder_status: invariant" FROM skillrating.ladder_status('oracle_replica') AS r;
-- A session that works is shown while it does: here by the source that it reads.
\set ECHO none
CREATE TABLE seen (done bigint, total bigint, phase text, pid int);
CREATE FUNCTION look(match_id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO oracles_work.seen SELECT p.done, p.total, p.phase, p.pid FROM skillrating.progress() AS p WHERE p.pid = pg_backend_pid();
    RETURN true;
END
$$;
CREATE TABLE more AS SELECT * FROM duel;
CREATE VIEW watched AS SELECT match_id, played_at, player AS player_id, team, team AS rank FROM more, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team) WHERE oracles_work.look(match_id);
\set ECHO all
SELECT skillrating.create_ladder('oracle_watched', 'elo', player_type => 'int', match_type => 'int', source => 'watched') \gset
CALL skillrating.backfill('oracle_watched', 10) \gset
SELECT count(DISTINCT total) = 1 AND max(total) = 38 AND array_agg(DISTINCT done) @> '{0,10,20,30}' AS "progress: invariant" FROM seen WHERE phase = 'rating';
-- No part of catch_up() reads the source before it says what for.
DELETE FROM seen;
SELECT count(*) FROM skillrating.catch_up('oracle_watched', search => true, rebuild => true);
SELECT array_agg(DISTINCT phase) @> '{searching,reading}' AND 'beginning' <> ALL (array_agg(phase)) AS phases_are_told FROM seen;

SELECT skillrating.drop_ladder(l) FROM unnest('{oracle_replica,oracle_watched}'::text[]) AS l;
DROP SCHEMA oracles_work CASCADE;
