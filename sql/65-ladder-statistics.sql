-- What a leaderboard says of its players beside the rating: marks, peaks, streaks and the like.

CREATE FUNCTION skillrating_internal.check_statistics(statistics jsonb)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    all_columns constant text[] := '{provisional,inactive,peak,streak,last_change,percentile}';
    wrong text;
BEGIN
    IF jsonb_typeof(statistics) <> 'object' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('statistics must be an object, not %s', statistics),
            HINT = 'As in {"inactive_after": "30 days", "columns": ["inactive", "peak"]}.';
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(statistics) AS k
    WHERE k NOT IN ('columns', 'provisional_games', 'provisional_deviation', 'inactive_after') LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('invalid key "%s" in statistics', wrong),
            HINT = 'Valid keys are columns, provisional_games, provisional_deviation and inactive_after.';
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(statistics) AS k
    WHERE jsonb_typeof(statistics->k) <> CASE k
        WHEN 'columns' THEN 'array' WHEN 'inactive_after' THEN 'string' ELSE 'number' END LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE wrong
                WHEN 'columns' THEN format('columns in statistics must be an array of texts, not %s', statistics->wrong)
                WHEN 'inactive_after' THEN format('inactive_after in statistics must be an interval as text, not %s', statistics->wrong)
                ELSE format('%s in statistics must be a number, not %s', wrong, statistics->wrong) END;
    END IF;
    SELECT c::text INTO wrong FROM jsonb_array_elements(statistics->'columns') AS c
    WHERE jsonb_typeof(c) <> 'string' OR NOT c #>> '{}' = ANY (all_columns) LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('invalid column %s in statistics', wrong),
            HINT = format('Valid columns are %s.', array_to_string(all_columns, ', '));
    END IF;
    IF (statistics->>'provisional_games')::numeric <> trunc((statistics->>'provisional_games')::numeric)
        OR NOT (statistics->>'provisional_games')::numeric BETWEEN 0 AND 1000000 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('provisional_games in statistics must be an integer from 0 to 1000000, not %s',
                statistics->'provisional_games');
    END IF;
    IF (statistics->>'provisional_deviation')::numeric < 0 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('provisional_deviation in statistics must not be negative, not %s',
                statistics->'provisional_deviation');
    END IF;
    IF (statistics->>'inactive_after')::interval < '0' THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('inactive_after in statistics must not be negative, not %s',
                statistics->'inactive_after');
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_statistics(jsonb) IS
'Error 22023, 22003 or 22007 that says what is wrong with the argument statistics of leaderboard().';

CREATE FUNCTION skillrating_internal.provisional_condition(
    ladder text,
    statistics jsonb)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    model record;
    initial_deviation float8;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT m.name, m.deviation_column, m.state_columns, l.params
        FROM %I.ladder AS l, skillrating.models(l.model, l.params) AS m', ladder)
    INTO model;
    IF statistics ? 'provisional_deviation' THEN
        IF model.deviation_column IS NULL THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('model "%s" of ladder "%s" has no deviation', model.name, ladder),
                HINT = 'Give provisional_games instead.';
        END IF;
        RETURN format('(r.games < %L OR r.%I > %L)',
            coalesce((statistics->>'provisional_games')::numeric::bigint, 0),
            model.deviation_column, (statistics->>'provisional_deviation')::float8);
    ELSIF statistics ? 'provisional_games' OR model.deviation_column IS NULL THEN
        RETURN format('r.games < %L', coalesce((statistics->>'provisional_games')::numeric,
            (model.params->>'shadow_games')::numeric, 10)::bigint);
    END IF;
    initial_deviation := (skillrating.initial_state(model.name, model.params))[
        array_position(model.state_columns, model.deviation_column)];
    RETURN format('NOT r.%I < %L', model.deviation_column, initial_deviation / 2);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.provisional_condition(text, jsonb) IS
'A part of statistics_join(): the condition on a row r of the board for a rating that is
provisional, by the argument statistics of leaderboard(). If that does not say, it is that of
pool_quality(): a deviation not below half of the initial one, or, under models without, fewer games
than the parameter shadow_games, or else 10. Error 22023 for a provisional_deviation under a model
that has none.';

CREATE FUNCTION skillrating_internal.peak_query(
    ladder text,
    span text,
    placement_games bigint,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    -- At a time the rating of the board also has idle time, and what pools share.
    RETURN format(
        'SELECT greatest(p.rating, r.rating) AS peak,
            CASE WHEN r.rating > p.rating THEN coalesce(%6$L, r.last_played) ELSE p.played_at END AS peak_at
        FROM (
            SELECT skillrating.state_rating(l.model, %2$s, l.params) AS rating, e.played_at, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE %3$s AND e.games_before + (e.score IS NOT NULL)::integer >= %4$L
                AND e.seq > coalesce((
                    SELECT n.seq FROM %1$I.event AS n
                    WHERE n.player_id %5$s r.player_id AND n.pool = r.pool AND n.kind = ''reset''
                        AND (%6$L::timestamptz IS NULL OR n.seq <= w.last_seq)
                    ORDER BY n.seq DESC LIMIT 1), 0)
            ORDER BY rating DESC, e.seq LIMIT 1) AS p',
        ladder, s.after, span, placement_games, t.player_equals, at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.peak_query(text, text, bigint, timestamptz) IS
'A part of statistics_join(): the query of the highest rating of a row r of the board, and when it
came, among the events e of a span since the last reset that are behind placement_games matches.';

CREATE FUNCTION skillrating_internal.last_matches_query(
    ladder text,
    span text,
    streak boolean,
    last_change boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    -- Matches since the last reset are those that the row of the board counts.
    RETURN format(
        'SELECT CASE WHEN %5$L THEN coalesce(e.sign * least(r.games, (
                SELECT count(*) FROM %1$I.event AS c
                WHERE c.player_id %2$s e.player_id AND c.pool = e.pool AND c.score IS NOT NULL
                    AND c.seq <= e.seq AND c.seq > coalesce((
                        SELECT d.seq FROM %1$I.event AS d
                        WHERE d.player_id %2$s e.player_id AND d.pool = e.pool
                            AND d.score <> e.score AND d.seq < e.seq
                        ORDER BY d.seq DESC LIMIT 1), 0))), 0) END::integer AS streak,
            CASE WHEN %6$L AND e.seq IS NOT NULL THEN skillrating.state_rating(l.model, %4$s, l.params)
                - skillrating.state_rating(l.model, %3$s, l.params) END AS last_change
        FROM %1$I.ladder AS l LEFT JOIN (
            SELECT e.*, CASE e.score WHEN 1 THEN 1 WHEN 0 THEN -1 ELSE 0 END AS sign
            FROM %1$I.event AS e
            WHERE r.games > 0 AND e.score IS NOT NULL AND %7$s
            ORDER BY e.seq DESC LIMIT 1) AS e ON true',
        ladder, t.player_equals, s.before, s.after, streak, last_change, span);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.last_matches_query(text, text, boolean, boolean) IS
'A part of statistics_join(): the query of the streak of a row r of the board and of what its last
match changed, among the events e of a span; it reads no more matches than the streak has.';

CREATE FUNCTION skillrating_internal.statistics_join(
    ladder text,
    statistics jsonb,
    display jsonb,
    at timestamptz,
    eligible text,
    ranked boolean)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    asked jsonb;
    last_seq text := 'NULL::bigint';
    span text;
    peak text := 'SELECT NULL::float8 AS peak, NULL::timestamptz AS peak_at';
    last_matches text := 'SELECT NULL::integer AS streak, NULL::float8 AS last_change';
    percentile text := 'NULL::float8';
BEGIN
    IF ladder IS NULL OR statistics IS NULL OR eligible IS NULL THEN
        RETURN '';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_statistics(statistics);
    asked := coalesce(statistics->'columns',
        '["provisional", "inactive", "peak", "streak", "last_change", "percentile"]');
    IF asked ?| '{peak,streak,last_change}' THEN
        PERFORM skillrating_internal.check_readable(ladder, 'event');
        span := format('e.player_id %s r.player_id AND e.pool = r.pool', t.player_equals);
        IF at IS NOT NULL THEN
            last_seq := format(
                '(SELECT e.seq FROM %I.event AS e WHERE %s AND e.played_at <= %L ORDER BY e.seq DESC LIMIT 1)',
                ladder, span, at);
            span := span || ' AND e.seq <= w.last_seq';
        END IF;
    END IF;
    IF asked ? 'peak' THEN
        peak := skillrating_internal.peak_query(ladder, span,
            CASE WHEN display IS NULL THEN 0
                ELSE coalesce((display->>'placement_games')::numeric::bigint, 10) END, at);
    END IF;
    IF asked ?| '{streak,last_change}' THEN
        last_matches := skillrating_internal.last_matches_query(ladder, span, asked ? 'streak',
            asked ? 'last_change');
    END IF;
    IF asked ? 'percentile' THEN
        percentile := format(
            '(SELECT (100 * (a.n - (q.place - 1) - b.n + (b.n - 1) / 2.0) / nullif(a.n - 1, 0))::float8
            FROM (SELECT (%2$s) AS n OFFSET 0) AS a,
                (SELECT %3$s AS n FROM (SELECT FROM board AS r WHERE %1$s AND r.rating = q.rating%4$s) AS r) AS b)',
            eligible,
            CASE WHEN ranked THEN format('SELECT c.total FROM skillrating_internal.range_counts(%L, $1, 0) AS c', ladder)
                ELSE format('SELECT count(*) FROM board AS r WHERE %s', eligible) END,
            -- Where many share a rating, it is the counts that know how many.
            CASE WHEN ranked THEN format('CASE WHEN count(*) <= 100 THEN count(*) ELSE (SELECT c.at_least - c.above FROM (%s) AS c) END',
                skillrating_internal.counts_query(ladder, true, eligible, 'q.rating')) ELSE 'count(*)' END,
            CASE WHEN ranked THEN ' LIMIT 101' ELSE '' END);
    END IF;
    RETURN format(
        'CROSS JOIN LATERAL (SELECT r.*) AS q
        CROSS JOIN LATERAL (
            SELECT %1$s AS provisional, %2$s AS inactive, p.peak, p.peak_at, m.streak, m.last_change,
                %3$s AS percentile
            FROM (SELECT %4$s AS last_seq) AS w
            LEFT JOIN LATERAL (%5$s) AS p ON true
            LEFT JOIN LATERAL (%6$s) AS m ON true) AS s',
        CASE WHEN asked ? 'provisional'
            THEN skillrating_internal.provisional_condition(ladder, statistics) ELSE 'NULL::boolean' END,
        CASE WHEN asked ? 'inactive' THEN format('coalesce(r.last_played < %L, true)',
                coalesce(at, now()) - coalesce((statistics->>'inactive_after')::interval, '30 days'))
            ELSE 'NULL::boolean' END,
        percentile, last_seq, peak, last_matches);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.statistics_join(text, jsonb, jsonb, timestamptz, text, boolean) IS
'A part of leaderboard() and around(): what joins a row s of the columns that the argument
statistics adds to a row r of the board at a time, which has its place; empty without it. eligible
is the condition of the board, and ranked says that the counts of the ladder are those of it. Errors
as for check_statistics() and provisional_condition(), 42501 unless the caller may read table event
too where the peak, the streak or the last change is asked for.';
