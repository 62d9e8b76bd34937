-- How queues do.

CREATE FUNCTION skillrating_queue.queue_status(
    home regclass,
    queue text DEFAULT NULL,
    since timestamptz DEFAULT '-infinity',
    at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    queue_name text,
    pool text,
    waiting_tickets bigint,
    waiting_players bigint,
    longest_wait float8,
    open_proposals bigint,
    open_backfills bigint,
    free_instances bigint,
    matches bigint,
    cancelled bigint,
    matched_tickets bigint,
    ended jsonb,
    wait_p50 float8,
    wait_p90 float8,
    wait_p99 float8,
    quality_mean float8,
    quality_p10 float8)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant text := queue;
    asked_at constant timestamptz := at;
BEGIN
    PERFORM skillrating_queue.enter(home);
    IF wanted IS NOT NULL THEN
        PERFORM skillrating_queue.settings(wanted);
    END IF;
    RETURN QUERY
    WITH t AS (
        SELECT t.*, extract(epoch FROM coalesce(t.ended_at, asked_at) - t.joined_at)::float8 AS waited
        FROM ticket AS t
        WHERE t.ended_at IS NULL OR t.ended_at >= since
    ), tickets AS (
        SELECT t.queue, t.pool, count(*) FILTER (WHERE w.waits) AS waiting_tickets,
            coalesce(sum(t.size) FILTER (WHERE w.waits), 0) AS waiting_players,
            max(greatest(0, t.waited)) FILTER (WHERE w.waits) AS longest_wait,
            count(*) FILTER (WHERE t.status = 'matched') AS matched,
            percentile_cont('{0.5,0.9,0.99}'::float8[]) WITHIN GROUP (ORDER BY t.waited)
                FILTER (WHERE t.status = 'matched') AS wait
        FROM t, LATERAL (SELECT t.status = 'waiting') AS w(waits) GROUP BY t.queue, t.pool
    ), reasons AS (
        SELECT e.queue, e.pool, jsonb_object_agg(e.reason, e.n) AS reasons
        FROM (SELECT t.queue, t.pool, t.reason, count(*) AS n FROM t
            WHERE t.status = 'ended' GROUP BY t.queue, t.pool, t.reason) AS e
        GROUP BY e.queue, e.pool
    ), proposals AS (
        SELECT p.queue, p.pool, count(*) FILTER (WHERE p.status = 'open') AS open,
            count(*) FILTER (WHERE p.status = 'made' AND p.backfill IS NULL) AS made,
            count(*) FILTER (WHERE p.status = 'cancelled') AS cancelled,
            avg(p.quality) FILTER (WHERE p.status = 'made') AS quality,
            percentile_cont(0.1) WITHIN GROUP (ORDER BY p.quality)
                FILTER (WHERE p.status = 'made') AS quality_p10
        FROM proposal AS p WHERE p.ended_at IS NULL OR p.ended_at >= since
        GROUP BY p.queue, p.pool
    ), backfills AS (
        SELECT b.queue, b.pool, count(*) AS open
        FROM backfill AS b WHERE b.status = 'open' GROUP BY b.queue, b.pool
    ), places AS (
        SELECT t.queue, t.pool FROM tickets AS t UNION SELECT p.queue, p.pool FROM proposals AS p
        UNION SELECT b.queue, b.pool FROM backfills AS b
    )
    SELECT q.queue, a.pool, coalesce(t.waiting_tickets, 0), coalesce(t.waiting_players, 0)::bigint,
        t.longest_wait, coalesce(p.open, 0), coalesce(b.open, 0), (
            SELECT count(*) FROM instance AS i
            WHERE i.session IS NULL AND i.free_until > asked_at AND q.needs_instance),
        coalesce(p.made, 0), coalesce(p.cancelled, 0), coalesce(t.matched, 0),
        coalesce(e.reasons, '{}'), t.wait[1], t.wait[2], t.wait[3], p.quality, p.quality_p10
    FROM queue AS q
    LEFT JOIN places AS a ON a.queue = q.queue
    LEFT JOIN tickets AS t ON (t.queue, t.pool) = (a.queue, a.pool)
    LEFT JOIN reasons AS e ON (e.queue, e.pool) = (a.queue, a.pool)
    LEFT JOIN proposals AS p ON (p.queue, p.pool) = (a.queue, a.pool)
    LEFT JOIN backfills AS b ON (b.queue, b.pool) = (a.queue, a.pool)
    WHERE q.queue = wanted OR wanted IS NULL
    ORDER BY q.queue, a.pool;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.queue_status(regclass, text, timestamptz, timestamptz) IS
'How a queue does, or with null each queue: a row for each of its pools, and one with null for a
queue that has seen nobody.

waiting_tickets, waiting_players, longest_wait (in seconds), open_proposals (matches that not all
have accepted), open_backfills, free_instances (in any region): now.
matches, cancelled, matched_tickets, and ended (other tickets, by the reason): since a time, by
default as far back as tickets are kept.
wait_p50, wait_p90, wait_p99: percentiles of the seconds from joining to the match, of tickets that
got one.  quality_mean, quality_p10: the mean and the tenth percentile of the quality of matches.
Error 42704 for an unknown queue.';
