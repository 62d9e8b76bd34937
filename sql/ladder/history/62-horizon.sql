-- The horizon of a ladder: the place in the order where its history begins.

CREATE FUNCTION skillrating_internal.keep_seasons(ladder text, first_seq bigint, last_seq bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE
-- Without statistics, as in a new ladder, a join of all players would look small.
SET enable_nestloop = off
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
BEGIN
    -- The events of a player from the last one with which a season begins count for the peak.
    EXECUTE format(
        'INSERT INTO %1$I.season_horizon AS k (player_id, pool, began, rating_before, start_rating, peak,
            peak_at, games, wins, draws, losses, last_played)
        WITH season AS MATERIALIZED (
            SELECT o.seq, o.pool, o.params->>''name'' AS name FROM %1$I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.seq <= %3$L::bigint
            UNION ALL
            SELECT 0, NULL, NULL
        ), e AS (
            SELECT e.*, b.began, skillrating.state_rating(l.model, %4$s, l.params) AS before,
                skillrating.state_rating(l.model, %5$s, l.params) AS after,
                max(e.seq) FILTER (WHERE e.seq <= b.start_seq)
                    OVER (PARTITION BY e.player_id, e.pool, b.began) AS start_seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            JOIN (
                SELECT p.seq, p.pool, b.began, coalesce((
                    SELECT max(o.seq) FROM %1$I.operation AS o
                    WHERE o.kind = ''seed'' AND o.undone_at IS NULL AND o.pool = p.pool
                        AND o.params->>''season'' = (SELECT x.name FROM season AS x WHERE x.seq = b.began)),
                    b.began) AS start_seq
                FROM (
                    SELECT DISTINCT x.seq, x.pool FROM %1$I.event AS x
                    WHERE x.seq > %2$L::bigint AND x.seq <= %3$L::bigint) AS p
                CROSS JOIN LATERAL (
                    SELECT max(x.seq) AS began FROM season AS x
                    WHERE x.seq <= p.seq AND (x.pool IS NULL OR x.pool = p.pool)) AS b
            ) AS b ON b.seq = e.seq AND b.pool = e.pool
            WHERE e.seq > %2$L::bigint AND e.seq <= %3$L::bigint
        )
        SELECT e.player_id, e.pool, e.began,
            min(e.before) FILTER (WHERE e.kind = ''season'' AND e.seq = e.began),
            coalesce(min(e.after) FILTER (WHERE e.seq = e.start_seq), (array_agg(e.before ORDER BY e.seq))[1]),
            max(e.after) FILTER (WHERE e.seq >= coalesce(e.start_seq, 0)),
            (array_agg(e.played_at ORDER BY e.after DESC, e.seq) FILTER (WHERE e.seq >= coalesce(e.start_seq, 0)))[1],
            count(*) FILTER (WHERE e.kind = ''match''),
            count(*) FILTER (WHERE e.kind = ''match'' AND e.score = 1),
            count(*) FILTER (WHERE e.kind = ''match'' AND e.score = 0.5),
            count(*) FILTER (WHERE e.kind = ''match'' AND e.score = 0),
            max(e.played_at) FILTER (WHERE e.kind = ''match'')
        FROM e GROUP BY 1, 2, 3
        ON CONFLICT (player_id, pool, began) DO UPDATE SET
            peak = greatest(k.peak, excluded.peak),
            peak_at = CASE WHEN excluded.peak > k.peak THEN excluded.peak_at ELSE k.peak_at END,
            games = k.games + excluded.games,
            wins = k.wins + excluded.wins,
            draws = k.draws + excluded.draws,
            losses = k.losses + excluded.losses,
            last_played = greatest(k.last_played, excluded.last_played)',
        ladder, coalesce(first_seq, 0), last_seq, t.state_before, t.state_after);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.keep_seasons(text, bigint, bigint) IS
'Adds to table season_horizon what events say of seasons, from the horizon of before, null for none,
to the next one.';

CREATE FUNCTION skillrating_internal.set_horizon(
    ladder text,
    at timestamptz,
    OUT horizon bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    place record;
    is_ordered boolean := false;
    last_at timestamptz;
BEGIN
    EXECUTE format('SELECT max(m.played_at) FROM %I.rated_match AS m WHERE m.seq IS NOT NULL', ladder) INTO last_at;
    IF at > greatest(clock_timestamp(), last_at) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('horizon of ladder "%s" cannot lie ahead of its matches, at %s', ladder, at),
            DETAIL = concat_ws(' ', 'A horizon never moves back, and matches to come would lie before it.',
                'The last match was played at ' || last_at || '.'),
            HINT = 'Give a time in the past, or that of the last match.';
    END IF;
    LOOP
        -- The last place before all of that time and later, and what is earlier and comes behind it.
        EXECUTE format(
            'WITH place AS MATERIALIZED (
                SELECT m.seq, m.played_at AS at FROM %1$I.rated_match AS m WHERE m.seq IS NOT NULL
                UNION ALL
                SELECT o.seq, o.at FROM %1$I.operation AS o
                WHERE o.kind NOT IN (''exclude'', ''merge'', ''eligibility'') AND o.undone_at IS NULL
            ), last(seq) AS (
                SELECT coalesce((SELECT min(p.seq) FROM place AS p WHERE p.at >= $1) - 1,
                    (SELECT max(p.seq) FROM place AS p), 0))
            SELECT l.seq, min(p.seq) AS first_behind, min(p.at) AS first_at,
                EXISTS (SELECT FROM %1$I.correction AS c WHERE c.seq IS NULL OR c.seq <= l.seq)
                    OR EXISTS (SELECT FROM %1$I.pending) AS waits
            FROM last AS l LEFT JOIN place AS p ON p.seq > l.seq AND p.at < $1
            GROUP BY l.seq', ladder)
        INTO place USING at;
        horizon := place.seq;
        IF horizon < t.horizon OR at < t.horizon_at THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('horizon of ladder "%s" cannot move back', ladder),
                DETAIL = format('It is at %s, behind place %s.', t.horizon_at, t.horizon);
        END IF;
        IF place.waits THEN
            RAISE object_not_in_prerequisite_state USING
                MESSAGE = format('corrections of ladder "%s" wait for catch_up()', ladder),
                DETAIL = 'Corrections before the horizon are not possible.';
        END IF;
        -- What has no players in common needs no order, and may lie behind although it was played before:
        -- by time, where that makes the order, it goes before the horizon as well.
        EXIT WHEN is_ordered OR t.late <> 'reorder' OR place.first_behind IS NULL;
        PERFORM skillrating_internal.note_correction(ladder, 'reorder', place.first_behind, played_at => place.first_at);
        PERFORM skillrating_internal.catch_up(ladder);
        is_ordered := true;
    END LOOP;
    IF NOT skillrating_internal.has_table(ladder, 'season_horizon') THEN
        PERFORM skillrating_internal.create_tables(ladder, '{horizon,component_horizon,season_horizon}', t.player_type::regtype,
                t.match_type::regtype, t.model, t.params),
            skillrating_internal.note_change(ladder, tables => true);
    END IF;
    PERFORM skillrating_internal.write_horizon(ladder, horizon),
        skillrating_internal.keep_seasons(ladder, t.horizon, horizon);
    EXECUTE format(
        'UPDATE %1$I.ladder AS l SET horizon = $1, horizon_at = $2
        RETURNING (SELECT count(DISTINCT h.player_id) FROM %1$I.horizon AS h)', ladder)
    INTO players USING horizon, at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.set_horizon(text, timestamptz) IS
'Has the history of a ladder begin at a time: keeps, in its tables horizon and component_horizon, how
everybody was behind the last place in the order before all matches and operations of that time and
later, and in season_horizon what seasons had until then. catch_up(), with rebuild too, and verify()
start from there, bit for bit as without a horizon, and rows of event and component_event up to that
place, and matches of the source, may be deleted, detached or moved. What would correct history
before it is refused, by name; a match of it that changes or goes stays as it was rated, with a
warning. A later call moves the horizon on. Returns the place, and how many players were there.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 22008 for a time that is
infinite, 22023 for one before the horizon that there is or later than now and the last match, 55000
if corrections wait for catch_up(), or if events of before are gone already.';
