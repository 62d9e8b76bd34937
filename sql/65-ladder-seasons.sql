-- The tables of a ladder's seasons.

CREATE FUNCTION skillrating_internal.season_table(
    ladder text,
    season text,
    n integer DEFAULT 10,
    pool text DEFAULT '',
    min_games bigint DEFAULT 1,
    OUT place bigint,
    OUT player_id text,
    OUT rating float8,
    OUT games bigint,
    OUT wins bigint,
    OUT draws bigint,
    OUT losses bigint)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    first_seq bigint := 0;
    next_seq bigint;
    players text;
BEGIN
    IF season <> '' THEN
        EXECUTE format(
            'SELECT o.seq FROM %I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.params->>''name'' = $1 AND (o.pool IS NULL OR o.pool = $2)', ladder)
        INTO first_seq USING season, pool;
        IF first_seq IS NULL THEN
            RAISE undefined_object USING
                MESSAGE = format('ladder "%s" has no season "%s" in pool "%s"', ladder, season, pool),
                HINT = 'A season has the name that new_season() gave it when it began.';
        END IF;
    END IF;
    EXECUTE format(
        'SELECT min(o.seq) FROM %I.operation AS o
        WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.seq > $1 AND (o.pool IS NULL OR o.pool = $2)', ladder)
    INTO next_seq USING first_seq, pool;

    -- The season that followed has an event for every player, with the state that it found.
    players := CASE WHEN next_seq IS NULL
        THEN format('SELECT r.player_id, r.rating FROM %I.rating AS r WHERE r.pool = $3', ladder)
        ELSE format(
            'SELECT e.player_id, skillrating.state_rating(l.model, %1$s, l.params) AS rating
            FROM %2$I.ladder AS l CROSS JOIN %2$I.event AS e WHERE e.seq = $2 AND e.pool = $3', s.before, ladder) END;
    RETURN QUERY EXECUTE format(
        'SELECT rank() OVER (ORDER BY q.rating DESC), q.player_id::text, q.rating, c.games, c.wins, c.draws, c.losses
        FROM (%1$s) AS q
        CROSS JOIN LATERAL (
            SELECT count(*) AS games, count(*) FILTER (WHERE m.score = 1) AS wins,
                count(*) FILTER (WHERE m.score = 0.5) AS draws, count(*) FILTER (WHERE m.score = 0) AS losses
            FROM %2$I.event AS m
            WHERE m.player_id %3$s q.player_id AND m.pool = $3 AND m.kind = ''match''
                AND m.seq > $1 AND ($2 IS NULL OR m.seq < $2)) AS c
        WHERE c.games >= $4
        ORDER BY q.rating DESC, q.player_id::text LIMIT $5', players, ladder, t.player_equals)
    USING first_seq, next_seq, pool, min_games, n;
END
$function$;

SELECT skillrating_internal.create_entry('season_table');

COMMENT ON FUNCTION skillrating.season_table(text, text, integer, text, bigint) IS
'The table of the season that new_season() began under that name, or of the time before the first
season for the empty name: the n players with the highest displayed rating at its end, or that is
stored if it has not ended, among those with at least min_games matches in it, and the counts of
these matches. Equal ratings share a place. Corrections reach it as everything else. Error 42704
for an unknown ladder or season.';
