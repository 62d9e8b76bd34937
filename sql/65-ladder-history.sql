-- What happened to a player of a ladder.

CREATE FUNCTION skillrating_internal.history(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT NULL,
    pool text DEFAULT '',
    since timestamptz DEFAULT '-infinity',
    until timestamptz DEFAULT 'infinity',
    OUT seq bigint,
    OUT kind text,
    OUT match_id text,
    OUT played_at timestamptz,
    OUT games_before integer,
    OUT team integer,
    OUT score float8,
    OUT win_probability float8,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT reason text,
    OUT rest_change float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT e.seq, e.kind, e.match_id::text, e.played_at, e.games_before, e.team, e.score, e.win_probability,
            skillrating.state_rating(l.model, %1$s, l.params), skillrating.state_rating(l.model, %2$s, l.params), e.reason,
            skillrating.state_rating(l.model, %1$s, l.params) - p.rating_after
        FROM %3$I.ladder AS l CROSS JOIN (
            SELECT e.* FROM %3$I.event AS e
            WHERE e.player_id %4$s CAST($1 AS %5$s) AND e.pool = $2 AND e.played_at >= $3 AND e.played_at < $4
            ORDER BY e.seq DESC LIMIT $5) AS q
        CROSS JOIN LATERAL (SELECT q.*) AS e
        LEFT JOIN LATERAL (
            SELECT skillrating.state_rating(l.model, %2$s, l.params) AS rating_after
            FROM %3$I.event AS e
            WHERE e.player_id %4$s q.player_id AND e.pool = q.pool AND e.seq < q.seq
            ORDER BY e.seq DESC LIMIT 1) AS p ON true
        ORDER BY e.seq', s.before, s.after, ladder, t.player_equals, t.player_type)
    USING player_id::text, pool, since, until, n;
END
$function$;

SELECT skillrating_internal.create_entry('history');

COMMENT ON FUNCTION skillrating.history(text, anycompatible, integer, text, timestamptz, timestamptz) IS
'What happened to a player in a pool, from since on and before until, in rated order, at most the
last n: matches and operations with the displayed rating before and after, the games before, the
predicted probability to win and the score. rating_before is as of played_at: rest_change is what
idle time has done to the rating since the event before, and, where pools share some of a state,
what matches in other pools have (0: nothing; null: this is the first event). A settle has what it
counted between rating_before and rating_after. Error 42704 for an unknown ladder.';

CREATE FUNCTION skillrating_internal.state_expressions(
    ladder text,
    OUT before text,
    OUT after text)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT format(''ARRAY[%%s]'', string_agg(format(''e.%%I'', c || ''_before''), '', '' ORDER BY n)),
            format(''ARRAY[%%s]'', string_agg(format(''e.%%I'', c || ''_after''), '', '' ORDER BY n))
        FROM skillrating.models() AS m
        JOIN %I.ladder AS l ON l.model = m.name
        CROSS JOIN unnest(m.state_columns) WITH ORDINALITY AS u(c, n)', ladder)
    INTO before, after;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.state_expressions(text) IS
'The states before and after in a row e of event, as SQL expressions that give arrays for
state_rating(). Error 42P01 for an unknown ladder.';

CREATE FUNCTION skillrating_internal.rating_at(
    ladder text,
    player_id anycompatible,
    at timestamptz,
    pool text DEFAULT '')
RETURNS float8
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    rating float8;
BEGIN
    PERFORM skillrating_internal.check_operation_time(at);
    EXECUTE format('SELECT q.rating FROM (%s) AS q', skillrating_internal.past_board(ladder, pool, at,
        format('r.player_id %s CAST($1 AS %s)', t.player_equals, t.player_type)))
    INTO rating USING player_id::text;
    RETURN rating;
END
$function$;

SELECT skillrating_internal.create_entry('rating_at');

COMMENT ON FUNCTION skillrating.rating_at(text, anycompatible, timestamptz, text) IS
'The displayed rating of a player at a time, as in leaderboard(at => ...): after the last of the
matches and operations up to then, in rated order, and idle time since; null before the first.
Errors: 42704 for an unknown ladder, 22008 for an infinite time.';
