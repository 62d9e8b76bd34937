-- What queues, replicas and long work do and count, against rows and sums.  Each column names the
-- functions that it is about; see test/oracles.sh.
CREATE SCHEMA oracles_work;
SET search_path = oracles_work;
SET extra_float_digits = 1;
SET timezone = 'UTC';
SET client_min_messages = warning;

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION curve(ahead float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + power(10, -ahead / 400)) $$;

-- A queue of duels: four join, the two nearest play, one leaves, one waits.
SELECT skillrating.create_ladder('oracle_queue', 'elo', player_type => 'text', match_type => 'int');
SELECT count(*) = 5 AS rated FROM skillrating.import_ratings('oracle_queue', '{ann,bob,cid,dan,eve}'::text[], '[{"rating": 1700}, {"rating": 1650}, {"rating": 1400}, {"rating": 1100}, {"rating": 1660}]', at => '2024-01-01') AS i, generate_series(1, 5);
SELECT skillrating.create_queue('oracle_queue', 'duel', initial_window => 60, widening => 0, ticket_lifetime => NULL);
CREATE TABLE ticket AS SELECT p, n, skillrating.queue_join('oracle_queue', 'duel', ARRAY[p], at => timestamptz '2024-03-01 12:00' + n * interval '10 seconds') AS ticket FROM unnest('{ann,bob,cid,dan}'::text[]) WITH ORDINALITY AS u(p, n);
SELECT count(*) = 4 AND bool_and(t.ticket = q.ticket AND q.joined_at = timestamptz '2024-03-01 12:00' + n * interval '10 seconds' AND s.player_id = p) AS "queue_join: invariant"
FROM ticket AS t LEFT JOIN oracle_queue.queue_ticket AS q USING (ticket) LEFT JOIN oracle_queue.queue_player AS s USING (ticket);
CREATE TABLE tick AS SELECT * FROM skillrating.queue_tick('oracle_queue', 'duel', at => '2024-03-01 12:01');
SELECT count(*) = 2 AND bool_and(p IN ('ann', 'bob') AND k.ticket = t.ticket AND k.waited = 60 - 10 * n AND near(k.win_probability, curve(CASE p WHEN 'ann' THEN 50 ELSE -50 END)) AND near(k.quality, 2 * curve(-50)) AND abs(k.difference) = 50
    AND k.proposal = (SELECT max(proposal) FROM oracle_queue.queue_proposal)) AND sum(k.team) = 3 AS "queue_tick: closed form"
FROM tick AS k JOIN ticket AS t ON t.p = k.player_id;
SELECT count(*) = 1 AND bool_and(l.ticket = t.ticket AND l.waited = 60) AS "queue_leave: closed form" FROM skillrating.queue_leave('oracle_queue', '{dan}', at => '2024-03-01 12:01:40') AS l, ticket AS t WHERE t.p = 'dan';
SELECT s.waiting_tickets = 1 AND s.waiting_players = 1 AND s.longest_wait = 90 AND s.open_proposals = 0 AND s.open_backfills = 0 AND s.matches = 1 AND s.cancelled = 0 AND s.matched_tickets = 2 AND (SELECT sum(v::int) FROM jsonb_each_text(s.ended) AS e(k, v)) = 1
    AND near(s.wait_p50, 45) AND near(s.wait_p90, 49) AND near(s.wait_p99, 49.9) AND near(s.quality_mean, 2 * curve(-50)) AND near(s.quality_p10, 2 * curve(-50)) AS "queue_status: closed form"
FROM skillrating.queue_status('oracle_queue', 'duel', at => '2024-03-01 12:02') AS s;
SELECT skillrating.queue_backfill('oracle_queue', 'duel', '{eve}'::text[], '{1}', at => '2024-03-01 12:03') AS backfill \gset
SELECT count(*) = 1 AND min(b.backfill) = :backfill AS "queue_backfill: invariant" FROM oracle_queue.queue_backfill AS b;
SELECT count(*) AS waiting FROM oracle_queue.queue_ticket WHERE status = 'waiting' \gset
SELECT skillrating.drop_queue('oracle_queue', 'duel') AS tickets \gset
SELECT :tickets = :waiting AND :waiting = 1 AS "drop_queue: invariant";

-- A publisher's rows wait for catch_up(): as many as there are.
CREATE TABLE duel (match_id int PRIMARY KEY, played_at timestamptz, a int, b int);
CREATE VIEW source AS SELECT match_id, played_at, player AS player_id, team, team AS rank FROM duel, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team);
SELECT skillrating.create_ladder('oracle_replica', 'elo', player_type => 'int', match_type => 'int', source => 'source', late => 'reorder');
SELECT skillrating.attach('oracle_replica', 'duel', replica => true);
INSERT INTO duel SELECT i, timestamptz '2024-01-01' + i * interval '1 hour', i % 7, (i + 1 + i % 3) % 7 FROM generate_series(1, 38) AS i;
SELECT r.waiting = 38 AND r.put_aside = 0 AND r.copied = '{}' AS "ladder_status: invariant" FROM skillrating.ladder_status('oracle_replica') AS r;
SELECT count(*) = 7 AS changed FROM skillrating.catch_up('oracle_replica');
SELECT r.waiting = 0 AND r.rated = 38 AND (SELECT sum(games) FROM oracle_replica.rating) = 76 AS "ladder_status: invariant" FROM skillrating.ladder_status('oracle_replica') AS r;
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

SELECT skillrating.drop_ladder(l) FROM unnest('{oracle_queue,oracle_replica,oracle_watched}'::text[]) AS l;
DROP SCHEMA oracles_work CASCADE;
