-- How queues do.

CREATE FUNCTION skillrating_queue.queue_status(
    home regclass,
    queue text DEFAULT NULL,
    since timestamptz DEFAULT '-infinity',
    at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    queue_name text,
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
    SELECT q.queue, w.tickets, w.players, w.longest, p.open, (
            SELECT count(*) FROM backfill AS b WHERE b.queue = q.queue AND b.status = 'open'), (
            SELECT count(*) FROM instance AS i
            WHERE i.session IS NULL AND i.free_until > asked_at AND q.needs_instance),
        p.made, p.cancelled, m.tickets, (
            SELECT coalesce(jsonb_object_agg(e.reason, e.n), '{}')
            FROM (SELECT t.reason, count(*) AS n FROM ticket AS t
                WHERE t.queue = q.queue AND t.status = 'ended' AND t.ended_at >= since
                GROUP BY t.reason) AS e),
        m.wait[1], m.wait[2], m.wait[3], p.quality, p.quality_p10
    FROM queue AS q, LATERAL (
        SELECT count(*) AS tickets, coalesce(sum(t.size), 0)::bigint AS players,
            max(greatest(0, extract(epoch FROM asked_at - t.joined_at))::float8) AS longest
        FROM ticket AS t WHERE t.queue = q.queue AND t.status = 'waiting') AS w, LATERAL (
        SELECT count(*) AS tickets, percentile_cont('{0.5,0.9,0.99}'::float8[]) WITHIN GROUP (
                ORDER BY extract(epoch FROM t.ended_at - t.joined_at)::float8) AS wait
        FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'matched' AND t.ended_at >= since) AS m, LATERAL (
        SELECT count(*) FILTER (WHERE p.status = 'open') AS open,
            count(*) FILTER (WHERE p.status = 'made' AND p.backfill IS NULL) AS made,
            count(*) FILTER (WHERE p.status = 'cancelled') AS cancelled,
            avg(p.quality) FILTER (WHERE p.status = 'made') AS quality,
            percentile_cont(0.1) WITHIN GROUP (ORDER BY p.quality)
                FILTER (WHERE p.status = 'made') AS quality_p10
        FROM proposal AS p
        WHERE p.queue = q.queue AND (p.ended_at IS NULL OR p.ended_at >= since)) AS p
    WHERE q.queue = wanted OR wanted IS NULL ORDER BY q.queue;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.queue_status(regclass, text, timestamptz, timestamptz) IS
'How a queue does, or with null each queue of the coordinator, in a row each.

waiting_tickets, waiting_players, longest_wait (in seconds), open_proposals (matches that not all
have accepted), open_backfills, free_instances (in any region): now.
matches, cancelled, matched_tickets, and ended (other tickets, by the reason): since a time, by
default as far back as tickets are kept.
wait_p50, wait_p90, wait_p99: percentiles of the seconds from joining to the match, of tickets that
got one.  quality_mean, quality_p10: the mean and the tenth percentile of the quality of matches.
Error 42704 for an unknown queue.';
