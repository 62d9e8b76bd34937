-- The tables of a ladder's seasons.

CREATE FUNCTION skillrating_internal.season_bounds(
    ladder text,
    season text,
    pool text,
    OUT first_seq bigint,
    OUT start_seq bigint,
    OUT next_seq bigint,
    OUT operation bigint,
    OUT behind bigint,
    OUT kept text)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    horizon bigint := (skillrating_internal.ladder_facts(ladder)).horizon;
BEGIN
    -- A season that begins towards solved skills is two operations.
    EXECUTE format(
        'WITH season AS (
            SELECT o.seq, o.operation, o.params->>''name'' AS name FROM %1$I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND (o.pool IS NULL OR o.pool = $2)
        ), first AS (
            SELECT f.seq, f.name FROM (SELECT s.seq, s.name FROM season AS s UNION ALL VALUES (0, '''')) AS f
            WHERE f.name = coalesce($1, f.name) ORDER BY f.seq DESC LIMIT 1)
        SELECT f.seq, coalesce((
                SELECT max(o.seq) FROM %1$I.operation AS o
                WHERE o.kind = ''seed'' AND o.undone_at IS NULL AND o.pool = $2 AND o.params->>''season'' = f.name), f.seq),
            n.seq, n.operation
        FROM first AS f
        LEFT JOIN LATERAL (SELECT s.* FROM season AS s WHERE s.seq > f.seq ORDER BY s.seq LIMIT 1) AS n ON true', ladder)
    INTO first_seq, start_seq, next_seq, operation USING season, pool;
    IF first_seq IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no season "%s" in pool "%s"', ladder, season, pool),
            HINT = 'A season has the name that new_season() gave it when it began: see table operation.';
    END IF;
    behind := greatest(first_seq, horizon);
    IF first_seq <= horizon THEN
        kept := format('%I.season_horizon AS k WHERE k.began = %L::bigint AND k.pool = %L', ladder, first_seq, pool);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_bounds(text, text, text) IS
'The places of the seasons that begin and end a season of a pool, by its name as season_table() has
it: 0 before any, null if it goes on. start_seq is where the last operation that begins it is,
operation the one that ends it; events count behind the place behind, and kept is SQL for the rows k
of season_horizon with what came before. Error 42704 for an unknown season.';

CREATE FUNCTION skillrating_internal.season_players(
    ladder text,
    bounds record,
    pool text,
    min_games bigint,
    quick boolean)
RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    most constant integer := 500;
    t record := skillrating_internal.ladder_facts(ladder);
    matches text := format(
        'FROM %I.event AS m WHERE m.pool = %L AND m.kind = ''match'' AND m.seq > %s%s', ladder, pool, bounds.behind,
        ' AND m.seq < ' || bounds.next_seq);
    everybody text;
    events bigint;
    players text[];
BEGIN
    IF bounds.next_seq IS NOT NULL AND min_games > 0 THEN
        RETURN format('SELECT s.player_id, s.rating, %s AS place FROM %I.standing AS s WHERE s.operation = %L::bigint AND s.pool = %L%s',
            CASE WHEN min_games = 1 THEN 's.place' ELSE 'NULL::bigint' END, ladder, bounds.operation, pool,
            CASE WHEN min_games > 1 THEN format(' AND s.games >= %s', min_games) END);
    END IF;
    -- The season that followed has an event for every player, with the state that it found.
    everybody := 'SELECT r.player_id, r.rating, NULL::bigint AS place FROM ' || CASE
        WHEN bounds.next_seq IS NULL THEN format('%I.rating AS r WHERE r.pool = %L', ladder, pool)
        WHEN bounds.next_seq <= t.horizon THEN format(
            '(SELECT k.player_id, k.rating_before AS rating FROM %I.season_horizon AS k
            WHERE k.began = %L::bigint AND k.pool = %L AND k.rating_before IS NOT NULL) AS r WHERE true', ladder, bounds.next_seq, pool)
        ELSE format(
            '(SELECT e.player_id, %s AS rating FROM %I.event AS e
            WHERE e.kind = ''season'' AND e.seq = %L::bigint AND e.pool = %L) AS r WHERE true',
            skillrating_internal.display_expression(t.model, t.params, 'e.', '_before'), ladder, bounds.next_seq, pool) END;
    IF min_games <= 0 THEN
        RETURN everybody;
    END IF;
    IF NOT quick THEN
        RETURN everybody || format(
            ' AND r.player_id IN (
                SELECT m.player_id FROM (
                    SELECT m.player_id, count(*) AS games %s GROUP BY m.player_id%s) AS m
                GROUP BY m.player_id HAVING sum(m.games) >= %s)', matches,
            ' UNION ALL SELECT k.player_id, k.games FROM ' || bounds.kept, min_games);
    END IF;
    -- Of a season that has just begun few have played.
    IF bounds.kept IS NULL THEN
        EXECUTE format(
            'SELECT count(*), array_agg(DISTINCT e.player_id::text) FILTER (WHERE e.kind = ''match'' AND e.pool = $2)
            FROM (SELECT e.* FROM %I.event AS e WHERE e.seq > $1 ORDER BY e.seq LIMIT $3) AS e', ladder)
        INTO events, players USING bounds.first_seq, pool, most + 1;
    END IF;
    RETURN everybody || format(
        ' AND (SELECT count(*) FROM (SELECT %1$s AND m.player_id %2$s r.player_id LIMIT %3$s) AS m)%4$s >= %3$s%5$s',
        matches, t.player_equals, min_games,
        ' + coalesce((SELECT k.games FROM ' || bounds.kept || format(' AND k.player_id %s r.player_id), 0)', t.player_equals),
        CASE WHEN events <= most THEN
            format(' AND r.player_id %s ANY (CAST(%L AS %s[]))', t.player_equals, coalesce(players, '{}'), t.player_type) END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_players(text, record, text, bigint, boolean) IS
'A query for the players with so many matches in a season, with their ratings and, where stored,
places; quick if a few of them are wanted, in order.';

CREATE FUNCTION skillrating_internal.season_details(ladder text, bounds record, pool text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
BEGIN
    RETURN format(
        'LEFT JOIN LATERAL (%6$s) AS k ON true
        CROSS JOIN LATERAL (
            SELECT count(*) + coalesce(k.games, 0) AS games,
                count(*) FILTER (WHERE m.score = 1) + coalesce(k.wins, 0) AS wins,
                count(*) FILTER (WHERE m.score = 0.5) + coalesce(k.draws, 0) AS draws,
                count(*) FILTER (WHERE m.score = 0) + coalesce(k.losses, 0) AS losses,
                greatest(max(m.played_at), k.last_played) AS last_played
            FROM %1$I.event AS m
            WHERE m.player_id %2$s q.player_id AND m.pool = %10$L AND m.kind = ''match''
                AND m.seq > %5$s AND m.seq < %8$s) AS c
        LEFT JOIN LATERAL (
            (SELECT k.start_rating AS rating, %5$s + 1 AS seq WHERE k.games IS NOT NULL)
            UNION ALL
            (SELECT CASE WHEN e.seq <= %9$s THEN skillrating.state_rating(l.model, %3$s, l.params)
                ELSE skillrating.state_rating(l.model, %4$s, l.params) END AS rating, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE k.games IS NULL AND e.player_id %2$s q.player_id AND e.pool = %10$L AND e.seq > %7$s
                AND e.seq >= coalesce((
                    SELECT max(x.seq) FROM %1$I.event AS x
                    WHERE x.player_id %2$s q.player_id AND x.pool = %10$L AND x.seq <= %9$s), 0)
            ORDER BY e.seq LIMIT 1)) AS b ON true
        LEFT JOIN LATERAL (
            SELECT skillrating.state_rating(l.model, %3$s, l.params) AS rating, e.played_at, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE e.player_id %2$s q.player_id AND e.pool = %10$L AND e.seq >= b.seq AND e.seq < %8$s
            ORDER BY 1 DESC, e.seq LIMIT 1) AS p ON true
        CROSS JOIN LATERAL (
            SELECT greatest(k.peak, p.rating) AS peak,
                CASE WHEN k.peak < p.rating THEN p.played_at ELSE coalesce(k.peak_at, p.played_at) END AS peak_at
            ) AS h',
        ladder, t.player_equals, t.state_after, t.state_before, bounds.behind,
        coalesce('SELECT k.* FROM ' || bounds.kept || format(' AND k.player_id %s q.player_id', t.player_equals),
            'SELECT NULL::bigint AS games, NULL::bigint AS wins, NULL::bigint AS draws, NULL::bigint AS losses,
                NULL::timestamptz AS last_played, NULL::float8 AS start_rating, NULL::float8 AS peak,
                NULL::timestamptz AS peak_at'),
        CASE WHEN bounds.kept IS NULL THEN 0 ELSE bounds.behind END, coalesce(bounds.next_seq, 9223372036854775807),
        bounds.start_seq, pool);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_details(text, record, text) IS
'Joins to a player q of a season''s table the counts (c) of the matches, the rating with which it
began (b) and the peak (h), of events and of what is kept of those before the horizon.';

CREATE FUNCTION skillrating_internal.season_table(
    ladder text,
    season text DEFAULT NULL,
    n integer DEFAULT 10,
    pool text DEFAULT NULL,
    min_games bigint DEFAULT 1,
    after_player anycompatible DEFAULT NULL,
    player anycompatible DEFAULT NULL,
    OUT place bigint,
    OUT player_id text,
    OUT rating float8,
    OUT games bigint,
    OUT wins bigint,
    OUT draws bigint,
    OUT losses bigint,
    OUT last_played timestamptz,
    OUT start_rating float8,
    OUT peak float8,
    OUT peak_at timestamptz)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    bounds record;
    players text;
    page text;
    other text;
    other_rating float8;
    above bigint := 0;
    at_least bigint := 0;
BEGIN
    bounds := skillrating_internal.season_bounds(ladder, season, pool);
    players := skillrating_internal.season_players(ladder, bounds, pool, min_games, true);
    IF player IS NOT NULL OR after_player IS NOT NULL THEN
        -- The page before may have ended with a row of an account that is merged.
        FOREACH other IN ARRAY CASE WHEN player IS NOT NULL THEN ARRAY[skillrating_internal.counted_player(ladder, player::text)]
            ELSE ARRAY[after_player::text, skillrating_internal.counted_player(ladder, after_player::text)] END
        LOOP
            EXECUTE format('SELECT q.rating FROM (%s) AS q WHERE q.player_id %s CAST($1 AS %s)',
                skillrating_internal.season_players(ladder, bounds, pool, 0, true), t.player_equals, t.player_type)
            INTO other_rating USING other;
            EXIT WHEN other_rating IS NOT NULL;
        END LOOP;
        IF other_rating IS NULL AND player IS NULL THEN
            RAISE undefined_object USING
                MESSAGE = format('player %s has no rating in the season in pool "%s" of ladder "%s"', after_player, pool, ladder);
        END IF;
        IF bounds.next_seq IS NULL OR min_games <> 1 THEN
            EXECUTE format('SELECT count(*) FILTER (WHERE q.rating > $1), count(*) FROM (%s) AS q WHERE q.rating >= $1',
                skillrating_internal.season_players(ladder, bounds, pool, min_games, false))
            INTO above, at_least USING other_rating;
        END IF;
    END IF;
    -- After a player each part in the order of an index, however many share the rating.
    page := format(CASE WHEN player IS NOT NULL THEN 'SELECT q.* FROM (%1$s) AS q WHERE q.player_id %4$s CAST($4 AS %2$s) AND q.rating = $2'
        WHEN after_player IS NOT NULL THEN
            '(SELECT q.* FROM (%1$s) AS q WHERE q.rating = $2 AND CAST($4 AS %2$s) %3$s q.player_id ORDER BY q.player_id LIMIT $1)
            UNION ALL
            (SELECT q.* FROM (%1$s) AS q WHERE q.rating < $2 ORDER BY q.rating DESC, q.player_id LIMIT $1)'
        ELSE '%1$s' END, players, t.player_type, t.player_less, t.player_equals);
    RETURN QUERY EXECUTE format(
        'SELECT coalesce(q.place, CASE WHEN q.rating = $2 THEN 1 + $3
                ELSE $5 + rank() OVER (PARTITION BY q.rating = $2 ORDER BY q.rating DESC) END),
            q.player_id::text, q.rating, c.games, c.wins, c.draws, c.losses, c.last_played,
            b.rating, h.peak, h.peak_at
        FROM (SELECT q.* FROM (%s) AS q ORDER BY q.rating DESC, q.player_id LIMIT $1) AS q %s
        ORDER BY q.rating DESC, q.player_id', page,
        skillrating_internal.season_details(ladder, bounds, pool))
    USING n, other_rating, above, other, at_least;
    IF FOUND OR n = 0 OR min_games > 1 OR after_player IS NOT NULL OR player IS NOT NULL THEN
        RETURN;
    END IF;
    RAISE NOTICE USING
        MESSAGE = CASE WHEN season IS NULL THEN format('the running season of ladder "%s" has no match in pool "%s"', ladder, pool)
            WHEN season = '' THEN format('ladder "%s" has no match in pool "%s" before its first season', ladder, pool)
            ELSE format('season "%s" of ladder "%s" has no match in pool "%s"', season, ladder, pool) END,
        HINT = 'Seasons are named in table operation, and rating pools in table rating.';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_table(text, text, integer, text, bigint, anycompatible, anycompatible) IS
'The table of a season: the n players with the highest displayed rating at its end, or that is stored
if it has not ended, among those with at least min_games matches in it, and the counts of these
matches and the time of the last one. Equal ratings share a place. season: its name, the empty name
for the time before the first season, or null for the running one. after_player: the last player of
the page before. player: only the row of this player, if there is one. An account that is merged
counts as the player it is merged into. start_rating: the rating with which the player began it,
that of a newcomer for one who came later. peak, peak_at: the highest rating in it, with the one
that the season began with where that is no newcomer''s, and when it came first. A season without a
match is a notice. Without pool it is that of leaderboard(). Errors: 42704 for an unknown ladder,
season, player or pool, 22023 for a negative n or min_games, or without a pool where there are
several.';
