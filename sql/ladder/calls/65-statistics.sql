-- What a leaderboard says of its players beside the rating: peaks, streaks and the like.

CREATE FUNCTION skillrating_internal.statistics_join(
    ladder text,
    statistics text[],
    pool text,
    at timestamptz,
    eligible text,
    counted boolean)
RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    last_seq text := 'NULL::bigint';
    span text;
    peak text := 'SELECT NULL::float8 AS peak, NULL::timestamptz AS peak_at';
    last_matches text := 'SELECT NULL::integer AS streak, NULL::float8 AS last_change';
    percentile text := 'NULL::float8';
BEGIN
    PERFORM skillrating_internal.check_choice('statistics', u, 'peak', 'streak', 'last_change', 'percentile')
    FROM unnest(statistics) AS u;
    IF statistics && '{peak,streak,last_change}' THEN
        PERFORM skillrating_internal.check_inside(ladder, 'event');
        span := format('e.player_id %s r.player_id AND e.pool = r.pool', t.player_equals);
        IF at IS NOT NULL THEN
            last_seq := format(
                '(SELECT e.seq FROM %I.event AS e WHERE %s AND e.played_at <= %L ORDER BY e.seq DESC LIMIT 1)',
                ladder, span, at);
            span := span || ' AND e.seq <= w.last_seq';
        END IF;
    END IF;
    IF 'peak' = ANY (statistics) THEN
        -- At a time the rating of the board also has idle time, and what pools share.
        peak := format(
            'SELECT greatest(p.rating, r.rating) AS peak,
                CASE WHEN r.rating > p.rating THEN coalesce(%5$L, r.last_played) ELSE p.played_at END AS peak_at
            FROM (
                SELECT skillrating.state_rating(l.model, %2$s, l.params) AS rating, e.played_at, e.seq
                FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
                WHERE %3$s AND e.seq > coalesce((
                        SELECT n.seq FROM %1$I.event AS n
                        WHERE n.player_id %4$s r.player_id AND n.pool = r.pool AND n.kind = ''reset''
                            AND (%5$L::timestamptz IS NULL OR n.seq <= w.last_seq)
                        ORDER BY n.seq DESC LIMIT 1), 0)
                ORDER BY rating DESC, e.seq LIMIT 1) AS p',
            ladder, t.state_after, span, t.player_equals, at);
    END IF;
    IF statistics && '{streak,last_change}' THEN
        -- Matches since the last reset are those that the row of the board counts.
        last_matches := format(
            'SELECT CASE WHEN %5$L THEN coalesce(e.sign * least(r.games, (
                    SELECT count(*) FROM %1$I.event AS c
                    WHERE c.player_id %2$s e.player_id AND c.pool = e.pool AND c.score IS NOT NULL
                        AND c.seq <= e.seq AND c.seq > coalesce((
                            SELECT d.seq FROM %1$I.event AS d
                            WHERE d.player_id %2$s e.player_id AND d.pool = e.pool AND d.score <> e.score AND d.seq < e.seq
                            ORDER BY d.seq DESC LIMIT 1), 0))), 0) END::integer AS streak,
                CASE WHEN %6$L AND e.seq IS NOT NULL THEN skillrating.state_rating(l.model, %4$s, l.params)
                    - skillrating.state_rating(l.model, %3$s, l.params) END AS last_change
            FROM %1$I.ladder AS l LEFT JOIN (
                SELECT e.*, CASE e.score WHEN 1 THEN 1 WHEN 0 THEN -1 ELSE 0 END AS sign FROM %1$I.event AS e
                WHERE r.games > 0 AND e.score IS NOT NULL AND %7$s
                ORDER BY e.seq DESC LIMIT 1) AS e ON true', ladder, t.player_equals, t.state_before, t.state_after,
            'streak' = ANY (statistics), 'last_change' = ANY (statistics), span);
    END IF;
    IF 'percentile' = ANY (statistics) THEN
        percentile := format(
            '(SELECT (100 * (a.n - (q.place - 1) - b.n + (b.n - 1) / 2.0) / nullif(a.n - 1, 0))::float8
            FROM (SELECT (%2$s) AS n OFFSET 0) AS a,
                (SELECT %3$s AS n FROM (SELECT FROM board AS r WHERE %1$s AND r.rating = q.rating%4$s) AS r) AS b)',
            eligible,
            CASE WHEN counted THEN format('SELECT c.total FROM skillrating_internal.range_counts(%L, %L, 0) AS c', ladder, pool)
                ELSE format('SELECT count(*) FROM board AS r WHERE %s', eligible) END,
            -- Where many share a rating, it is the counts that know how many.
            CASE WHEN counted THEN format('CASE WHEN count(*) <= 100 THEN count(*) ELSE (SELECT c.at_least - c.above FROM (%s) AS c) END',
                skillrating_internal.counts_query(ladder, pool, true, eligible, 'q.rating')) ELSE 'count(*)' END,
            CASE WHEN counted THEN ' LIMIT 101' ELSE '' END);
    END IF;
    RETURN format(
        'CROSS JOIN LATERAL (SELECT r.*) AS q
        CROSS JOIN LATERAL (
            SELECT p.peak, p.peak_at, m.streak, m.last_change, %1$s AS percentile
            FROM (SELECT %2$s AS last_seq) AS w
            LEFT JOIN LATERAL (%3$s) AS p ON true
            LEFT JOIN LATERAL (%4$s) AS m ON true) AS s',
        percentile, last_seq, peak, last_matches);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.statistics_join(text, text[], text, timestamptz, text, boolean) IS
'What joins a row s with the statistics asked for to a row r of the board. Errors: 22023 for an
unknown name, 42501 unless the caller may read table event where it is needed.';
