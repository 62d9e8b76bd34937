-- What work beside rating does and counts, against rows and sums.  Each column names the
-- functions that it is about; see test/oracles.sh.
CREATE SCHEMA oracles_work;
SET search_path = oracles_work;
SET extra_float_digits = 1;
SET timezone = 'UTC';
SET client_min_messages = warning;

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION curve(ahead float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + power(10, -ahead / 400)) $$;

-- A publisher's rows wait for drain(), and push() writes to a table of its own: as many as there are.
CREATE TABLE duel (match_id int PRIMARY KEY, played_at timestamptz, a int, b int);
CREATE VIEW source AS SELECT match_id, played_at, player AS player_id, team, team AS rank FROM duel, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team);
SELECT skillrating.create_ladder('oracle_replica', 'elo', player_type => 'int', match_type => 'int', source => 'source', late => 'reorder');
SELECT skillrating.attach('oracle_replica', 'duel', replica => true), skillrating.keep_changes('oracle_replica');
INSERT INTO duel SELECT i, timestamptz '2024-01-01' + i * interval '1 hour', i % 7, (i + 1 + i % 3) % 7 FROM generate_series(1, 30) AS i;
SELECT r.waiting = 30 AND r.put_aside = 0 AND r.copied = '{}' AS "ladder_status: invariant" FROM skillrating.ladder_status('oracle_replica') AS r;
SELECT taken, looked_at, late_matches, unrated, set_aside FROM skillrating.drain_batch('oracle_replica', 10) \gset
SELECT :taken = 10 AND :looked_at = 10 AND :late_matches = 0 AND :unrated = 0 AND :set_aside = 0 AND count(*) = 10 AS "drain_batch: invariant" FROM oracle_replica.rated_match WHERE status = 'rated';
CALL skillrating.drain('oracle_replica') \gset
SELECT :matches = 20 AND :late_matches = 0 AND :unrated = 0 AND :set_aside = 0 AND count(*) = 30 AS "drain: invariant" FROM oracle_replica.rated_match WHERE status = 'rated';
CREATE TABLE target (player int PRIMARY KEY, elo float8, position bigint);
SELECT skillrating.push_rating('oracle_replica', 'target', '{"player": "player_id", "elo": "rating"}');
CALL skillrating.push('oracle_replica') \gset
SELECT :pushed = 7 AND :failures = 0 AND count(*) = 7 AND bool_and(t.elo = r.rating) AS "push: invariant" FROM target AS t FULL JOIN oracle_replica.rating AS r ON r.player_id = t.player;
SELECT p.pushed = 7 AND p.refused = 0 AND p.attempts = 0 AND p.columns = '{"player": "player_id", "elo": "rating"}' AS "push_status: invariant" FROM skillrating.push_status('oracle_replica') AS p;
INSERT INTO duel VALUES (31, '2024-01-03', 0, 6);
SELECT count(*) = 2 AND bool_and(near(c.rating_after, e)) AS changed
FROM (SELECT * FROM skillrating.drain_batch('oracle_replica')) AS d, LATERAL (SELECT rating AS rating_after, rating AS e FROM oracle_replica.rating WHERE player_id IN (0, 6) AND d.taken = 1) AS c;
SELECT cardinality(skillrating.push_begin('oracle_replica', at_once => true)) AS relations;
SELECT pushed FROM skillrating.push_step('oracle_replica', 'target') \gset
SELECT :pushed = 2 AND bool_and(t.elo = r.rating) AS "push_step: invariant" FROM target AS t FULL JOIN oracle_replica.rating AS r ON r.player_id = t.player;

-- Work: what is due is done, and counted.
SELECT skillrating.schedule_work('oracle_replica', 'drain', '1 hour', starting_at => '2024-01-01'), skillrating.schedule_work('oracle_replica', 'trim_changes', '1 hour', keep => '0', starting_at => '2024-01-01');
INSERT INTO duel SELECT i, timestamptz '2024-01-04' + i * interval '1 hour', i % 7, (i + 2) % 7 FROM generate_series(32, 36) AS i;
SELECT skillrating.work_step('oracle_replica', 'drain') AS done \gset
SELECT :done = 5 AND count(*) = 36 AS "work_step: invariant" FROM oracle_replica.rated_match WHERE status = 'rated';
SELECT bool_and(s.done = :done) AS "scheduled_work: invariant" FROM skillrating.scheduled_work('oracle_replica') AS s WHERE s.task = 'drain';
SELECT count(*) AS kept FROM oracle_replica.change \gset
SELECT skillrating.trim_changes('oracle_replica', '2100-01-01') AS trimmed \gset
SELECT :kept > 2 AND :trimmed = :kept AND count(*) FILTER (WHERE number > 0) = 0 AS "trim_changes: invariant" FROM oracle_replica.change;
INSERT INTO duel VALUES (37, '2024-01-07', 1, 2), (38, '2024-01-08', 1, 3);
UPDATE oracle_replica.work SET due_at = '2024-01-01' WHERE task = 'drain';
CALL skillrating.work('oracle_replica') \gset
SELECT (:'done'::jsonb->'oracle_replica'->>'drain')::int = 2 AND :failures = 0 AND count(*) = 38 AS "work: invariant" FROM oracle_replica.rated_match WHERE status = 'rated';
-- A session that works is shown while it does: here by the source that it reads.
CREATE TABLE seen (done bigint, total bigint, phase text, pid int);
CREATE FUNCTION look(match_id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO oracles_work.seen SELECT p.done, p.total, p.phase, p.pid FROM skillrating.progress() AS p WHERE p.pid = pg_backend_pid();
    RETURN true;
END
$$;
CREATE TABLE more AS SELECT * FROM duel;
CREATE VIEW watched AS SELECT match_id, played_at, player AS player_id, team, team AS rank FROM more, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team) WHERE oracles_work.look(match_id);
SELECT skillrating.create_ladder('oracle_watched', 'elo', player_type => 'int', match_type => 'int', source => 'watched');
CALL skillrating.backfill('oracle_watched', 10) \gset
SELECT count(DISTINCT total) = 1 AND max(total) = 38 AND array_agg(DISTINCT done) @> '{0,10,20,30}' AS "progress: invariant" FROM seen WHERE phase = 'rating';

-- Views and functions of an API, as many as it says; and the integers
-- of a document are the server's.
SELECT functions, views FROM skillrating.create_api('oracle_replica', 'oracle_api') \gset
SELECT :functions = (SELECT count(*) FROM pg_proc WHERE pronamespace = 'oracle_api'::regnamespace AND proname IN (SELECT proname FROM pg_proc WHERE pronamespace = 'skillrating'::regnamespace)) AND :functions > 30 AND :views = (SELECT count(*) FROM pg_class WHERE relnamespace = 'oracle_api'::regnamespace AND relkind = 'v') AND :views > 0 AS "create_api: invariant";
WITH RECURSIVE part(name, value) AS (
    SELECT '', skillrating.document_schema()
    UNION ALL
    SELECT c.* FROM part, LATERAL (SELECT k, x FROM jsonb_each(CASE jsonb_typeof(value) WHEN 'object' THEN value ELSE '{}' END) AS e(k, x)
        UNION ALL SELECT name, x FROM jsonb_array_elements(CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE '[]' END) AS a(x)) AS c
)
SELECT count(*) = 12 AND bool_and(value = CASE name WHEN 'maximum' THEN to_jsonb(~(1 << 31)) WHEN 'minimum' THEN to_jsonb(1 << 31) WHEN 'minItems' THEN '1' END) AS "document_schema: closed form" FROM part WHERE jsonb_typeof(value) = 'number';
DROP SCHEMA oracle_api CASCADE;
SELECT skillrating.drop_ladder(l) FROM unnest('{oracle_replica,oracle_watched}'::text[]) AS l;
DROP SCHEMA oracles_work CASCADE;
