-- The order of matches and operations, by time, and how it is put right.

CREATE FUNCTION skillrating_internal.first_out_of_place(ladder text, kind text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    first_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Where rules look at what players have done, a correction may bring back matches behind it.
    -- Those had no events that others could come too late for.
    EXECUTE format(
        'SELECT least(
            (SELECT min(c.played_at) FROM %1$I.correction AS c WHERE c.kind = coalesce($1, c.kind)),
            (SELECT min(p.at)
             FROM (
                SELECT m.played_at AS at
                FROM %1$I.correction AS c JOIN %1$I.rated_match AS m ON m.seq = c.seq
                UNION ALL
                SELECT o.at
                FROM %1$I.correction AS c JOIN %1$I.operation AS o ON o.seq = c.seq) AS p
             WHERE $1 IS NULL AND EXISTS (
                SELECT FROM %1$I.operation AS o
                WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL
                    AND o.params ?| ''{max_newcomer_share,max_repeats}'')))', ladder)
    INTO first_at USING kind;
    RETURN first_at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.first_out_of_place(text, text) IS
'The time from which on places may change by the corrections of a kind, or of all (null); or null.';

CREATE FUNCTION skillrating_internal.resequence(ladder text, whole boolean)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    from_time timestamptz;
    from_seq bigint;
    last_seq bigint;
    n bigint;
    waits boolean;
    -- Where late matches are appended, a backfill alone gives some a place by time.
    kind constant text := CASE t.late WHEN 'append' THEN 'late' END;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.correction)', ladder) INTO waits;
    IF NOT (whole OR waits) THEN
        RETURN 0;
    END IF;

    -- When matches were played may have changed.
    EXECUTE format(
        'UPDATE %1$I.rated_match AS m SET played_at = s.played_at,
            arrived_at = CASE WHEN s.played_at > clock_timestamp() + ''24 hours'' THEN clock_timestamp() END
        FROM (SELECT s.match_id, min(CAST(s.played_at AS timestamptz)) AS played_at
              FROM %1$I.source AS s
              WHERE $1 OR s.match_id %2$s ANY (ARRAY(
                  SELECT c.match_id FROM %1$I.correction AS c WHERE c.match_id IS NOT NULL))
              GROUP BY s.match_id
              -- What is no time of a match changes no place.
              HAVING count(*) = count(s.played_at)
                  AND min(CAST(s.played_at AS timestamptz)) = max(CAST(s.played_at AS timestamptz))
                  AND isfinite(min(CAST(s.played_at AS timestamptz)))) AS s
        WHERE m.match_id %2$s s.match_id AND m.played_at <> s.played_at
            AND NOT EXISTS (SELECT FROM %1$I.ladder AS l WHERE m.seq <= l.horizon)', ladder, t.match_equals) USING whole;

    -- All that comes behind the first match whose place may be another.
    from_time := CASE WHEN whole THEN '-infinity'
        ELSE skillrating_internal.first_out_of_place(ladder, kind) END;
    EXECUTE format(
        'SELECT greatest(least((SELECT min(m.seq) FROM %1$I.rated_match AS m WHERE m.played_at >= $1),
                (SELECT min(o.seq) FROM %1$I.operation AS o WHERE o.at >= $1 AND o.undone_at IS NULL),
                (SELECT min(c.seq) FROM %1$I.correction AS c
                WHERE c.played_at IS NOT NULL AND c.kind = coalesce($2, c.kind))),
            (SELECT l.horizon + 1 FROM %1$I.ladder AS l))', ladder)
    INTO from_seq USING from_time, kind;
    last_seq := nextval(format('%I.event_seq', ladder));

    EXECUTE format(
        'WITH place AS (
            SELECT p.seq, p.at, p.match_id,
                row_number() OVER (ORDER BY p.at, p.match_id IS NOT NULL, p.match_id%2$s, p.seq) AS n,
                row_number() OVER (ORDER BY p.seq) AS old_n
            FROM (
                SELECT m.seq, m.played_at AS at, m.match_id FROM %1$I.rated_match AS m
                WHERE m.seq >= $2 OR (m.seq IS NULL AND m.played_at IS NOT NULL AND EXISTS (
                    SELECT FROM %1$I.correction AS c WHERE c.kind = ''late'' AND c.match_id %3$s m.match_id))
                UNION ALL
                SELECT DISTINCT o.seq, o.at, NULL::%4$s FROM %1$I.operation AS o WHERE o.seq >= $2
            ) AS p
        ), moved AS MATERIALIZED (
            SELECT p.match_id, p.seq AS old_seq, $1 + row_number() OVER (ORDER BY p.n) AS seq
            FROM place AS p WHERE p.n >= (SELECT min(f.n) FROM place AS f WHERE f.n <> f.old_n OR f.seq IS NULL)
        ), matches AS (
            UPDATE %1$I.rated_match AS m SET (seq, size_advantage_ratio, size_advantage_difference) = (p.seq, NULL, NULL)
            FROM moved AS p WHERE m.match_id %3$s p.match_id
        ), operations AS (
            UPDATE %1$I.operation AS o SET seq = p.seq FROM moved AS p WHERE o.seq = p.old_seq AND p.match_id IS NULL
        ), events AS (
            UPDATE %1$I.event AS e SET seq = p.seq FROM moved AS p WHERE e.seq = p.old_seq AND e.seq >= $2
        ), component_events AS (
            UPDATE %1$I.component_event AS e SET seq = p.seq FROM moved AS p
            WHERE e.seq = p.old_seq AND e.seq >= $2
        ), corrections AS (
            INSERT INTO %1$I.correction (seq, kind) SELECT min(p.seq), ''reorder'' FROM moved AS p HAVING count(*) > 0
        )
        SELECT count(*), setval(%5$L, $1 + count(*)) FROM moved',
        ladder, t.match_order, t.match_equals, t.match_type, format('%I.event_seq', ladder))
    INTO n USING last_seq, coalesce(from_seq, last_seq);
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.resequence(text, boolean) IS
'Gives matches and operations new places, by time and match_id, from the first whose place has
changed, and returns how many. In these all learn the advantage of the larger team.';

CREATE FUNCTION skillrating_internal.order_changes_from(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    first_at timestamptz := skillrating_internal.first_out_of_place(ladder, NULL);
    ruled boolean;
    from_time timestamptz;
    from_seq bigint;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I.operation AS o WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL
            AND o.params ?| ''{max_newcomer_share,max_repeats}'')', ladder)
    INTO ruled;
    -- Where places that are taken are not in the order of time, a replay finds out whether that
    -- matters, but not at equal times. With rules about what players have done it always does.
    EXECUTE format(
        'SELECT f.seq
        FROM %1$I.ladder AS l, least((SELECT min(m.seq) FROM %1$I.rated_match AS m WHERE m.played_at >= $1),
            (SELECT min(o.seq) FROM %1$I.operation AS o WHERE o.at >= $1 AND o.undone_at IS NULL),
            (SELECT min(c.seq) FROM %1$I.correction AS c WHERE c.played_at IS NOT NULL)) AS f(seq)
        WHERE l.late = ''reorder'' AND EXISTS (
            SELECT FROM (
                SELECT row_number() OVER (PARTITION BY p.part ORDER BY p.at, p.match_id IS NOT NULL, p.match_id%2$s, p.seq) AS n,
                    row_number() OVER (PARTITION BY p.part ORDER BY p.seq) AS old_n
                FROM (
                    SELECT m.seq, m.played_at AS at, m.match_id, CASE WHEN NOT $2 THEN m.played_at END AS part
                    FROM %1$I.rated_match AS m WHERE m.seq >= f.seq
                    UNION ALL
                    SELECT DISTINCT o.seq, o.at, NULL::%3$s, CASE WHEN NOT $2 THEN o.at END
                    FROM %1$I.operation AS o WHERE o.seq >= f.seq) AS p) AS q
            WHERE q.n <> q.old_n)',
        ladder, t.match_order, t.match_type)
    INTO from_seq USING first_at, ruled;
    IF from_seq IS NOT NULL THEN RETURN from_seq; END IF;

    -- Late matches and operations, and times that have changed, get other places.
    EXECUTE format(
        'SELECT min(c.played_at), min(c.seq) FROM %1$I.correction AS c CROSS JOIN %1$I.ladder AS l
        WHERE c.kind = ''late'' OR l.late = ''reorder'' AND (c.kind IN (''operation'', ''reorder'') OR EXISTS (
            SELECT FROM %1$I.rated_match AS m JOIN %1$I.source AS s ON s.match_id %2$s m.match_id
            WHERE m.match_id %2$s c.match_id
                AND CAST(s.played_at AS timestamptz) IS DISTINCT FROM m.played_at))',
        ladder, t.match_equals)
    INTO from_time, from_seq;
    IF from_time IS NULL THEN RETURN NULL; END IF;
    EXECUTE format(
        'SELECT least($2, (SELECT min(m.seq) FROM %1$I.rated_match AS m WHERE m.played_at >= $1),
            (SELECT min(o.seq) FROM %1$I.operation AS o WHERE o.at >= $1), 9223372036854775807)', ladder)
    INTO from_seq USING CASE WHEN ruled THEN first_at ELSE from_time END, from_seq;
    RETURN from_seq;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.order_changes_from(text) IS
'The first place that resequence() changes, or null; what lies before is put right while others rate.';
