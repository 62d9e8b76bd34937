-- The tables of a ladder's seasons.

CREATE FUNCTION skillrating_internal.season_bounds(
    ladder text,
    season text,
    pool text,
    OUT first_seq bigint,
    OUT start_seq bigint,
    OUT next_seq bigint,
    OUT operation bigint)
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
    IF ladder IS NULL OR pool IS NULL THEN
        RETURN;
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    first_seq := 0;
    IF season IS DISTINCT FROM '' THEN
        EXECUTE format(
            'SELECT max(o.seq) FROM %I.operation AS o
            WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.params->>''name'' = coalesce($1, o.params->>''name'')
                AND (o.pool IS NULL OR o.pool = $2)', ladder)
        INTO first_seq USING season, pool;
        IF first_seq IS NULL AND season IS NOT NULL THEN
            RAISE undefined_object USING
                MESSAGE = format('ladder "%s" has no season "%s" in pool "%s"', ladder, season, pool),
                HINT = 'A season has the name that new_season() gave it when it began: see table operation.';
        END IF;
        first_seq := coalesce(first_seq, 0);
    END IF;
    -- A season that begins towards solved skills is two operations.
    EXECUTE format(
        'SELECT coalesce(max(o.seq), $1) FROM %1$I.operation AS o
        WHERE o.kind = ''seed'' AND o.undone_at IS NULL AND o.pool = $2 AND o.params->>''season'' = (
            SELECT s.params->>''name'' FROM %1$I.operation AS s WHERE s.seq = $1 AND s.kind = ''season'')', ladder)
    INTO start_seq USING first_seq, pool;
    EXECUTE format(
        'SELECT o.seq, o.operation FROM %I.operation AS o
        WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.seq > $1 AND (o.pool IS NULL OR o.pool = $2)
        ORDER BY o.seq LIMIT 1', ladder)
    INTO next_seq, operation USING first_seq, pool;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_bounds(text, text, text) IS
'The places of the seasons that begin and end a season of a pool, by its name, the empty one for the
time before the first and null for the running one: 0 where there is none before, null where it has
not ended. start_seq is the place of the last operation with which it begins, and operation the
number of that which ends it. Error 42704 for an unknown ladder or season.';

CREATE FUNCTION skillrating_internal.display_columns(
    model text,
    params jsonb,
    prefix text,
    suffix text)
RETURNS text
LANGUAGE sql STABLE STRICT
AS $function$
    -- Whether names are in quotes, and what a backslash is, are settings of the session.
    SELECT regexp_replace(skillrating_internal.display_expression(model, params),
        E'"?\\m(' || array_to_string(m.state_columns, '|') || E')\\M"?',
        prefix || E'\\1' || suffix, 'g')
    FROM skillrating.models(model, params) AS m
$function$;

COMMENT ON FUNCTION skillrating_internal.display_columns(text, jsonb, text, text) IS
'The displayed rating before or after an event as an SQL expression of columns of event, each
between a prefix and a suffix; of a model with complete parameters.';

CREATE FUNCTION skillrating_internal.new_season_players(
    ladder text,
    first_seq bigint,
    pool text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    most constant integer := 500;
    events bigint;
    players text[];
BEGIN
    EXECUTE format(
        'SELECT count(*), array_agg(DISTINCT e.player_id::text) FILTER (WHERE e.kind = ''match'' AND e.pool = $2)
        FROM (SELECT e.* FROM %I.event AS e WHERE e.seq > $1 ORDER BY e.seq LIMIT $3) AS e', ladder)
    INTO events, players USING first_seq, pool, most + 1;
    IF events > most THEN
        RETURN '';
    END IF;
    RETURN format(' AND r.player_id %s ANY (CAST(%L AS %s[]))', t.player_equals,
        coalesce(players, '{}'), t.player_type);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.new_season_players(text, bigint, text) IS
'A part of season_table(): a further condition on rows r of rating, for those who have played in a
season that has just begun; empty once there is more of it than is read in a moment.';

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
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    kept record;
    matches text;
BEGIN
    IF bounds.next_seq IS NOT NULL AND min_games > 0 THEN
        RETURN format(
            'SELECT s.player_id, s.rating FROM %I.standing AS s
            WHERE s.operation = %L::bigint AND s.pool = $3%s', ladder, bounds.operation,
            CASE WHEN min_games > 1 THEN ' AND s.games >= $4' ELSE '' END);
    END IF;
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO l;
    kept := skillrating_internal.kept_season(ladder, bounds.first_seq);
    matches := format(
        'FROM %I.event AS m WHERE m.pool = $3 AND m.kind = ''match''
            AND m.seq > %s AND ($2::bigint IS NULL OR m.seq < $2)', ladder, kept.behind);
    RETURN format('SELECT r.player_id, r.rating FROM %s WHERE %s',
        -- The season that followed has an event for every player, with the state that it found.
        CASE WHEN bounds.next_seq IS NULL
            THEN format('(SELECT r.player_id, r.rating FROM %I.rating AS r WHERE r.pool = $3) AS r', ladder)
            WHEN bounds.next_seq <= l.horizon THEN format(
                '(SELECT k.player_id, k.rating_before AS rating FROM %I.season_horizon AS k
                WHERE k.began = $2 AND k.pool = $3 AND k.rating_before IS NOT NULL) AS r', ladder)
            ELSE format(
                '(SELECT e.player_id, %s AS rating FROM %I.event AS e
                WHERE e.kind = ''season'' AND e.seq = $2 AND e.pool = $3) AS r',
                skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'), ladder) END,
        CASE WHEN min_games <= 0 THEN 'true'
            WHEN quick THEN format(
                '(SELECT count(*) FROM (
                    SELECT %s AND m.player_id %s r.player_id LIMIT $4) AS m)%s >= $4%s', matches,
                t.player_equals,
                ' + coalesce((SELECT k.games FROM ' || kept.players
                    || format(' AND k.player_id %s r.player_id), 0)', t.player_equals),
                CASE WHEN kept.players IS NULL THEN
                    skillrating_internal.new_season_players(ladder, bounds.first_seq, pool) END)
            ELSE format(
                'r.player_id IN (
                    SELECT m.player_id FROM (
                        SELECT m.player_id, count(*) AS games %s GROUP BY m.player_id%s) AS m
                    GROUP BY m.player_id HAVING sum(m.games) >= $4)', matches,
                ' UNION ALL SELECT k.player_id, k.games FROM ' || kept.players) END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_players(text, record, text, bigint, boolean) IS
'A part of season_table(): a query for the players with so many matches in a season, with their
ratings at its end, or now if it is running. quick says that a few of them are wanted, in order. Its
parameters are those of season_table().';

CREATE FUNCTION skillrating_internal.season_counts(
    ladder text,
    bounds record,
    pool text,
    min_games bigint,
    rating float8,
    OUT above bigint,
    OUT at_least bigint)
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF bounds.next_seq IS NULL OR min_games <> 1 THEN
        EXECUTE format(
            'SELECT count(*) FILTER (WHERE q.rating > $5), count(*) FROM (%s) AS q WHERE q.rating >= $5',
            skillrating_internal.season_players(ladder, bounds, pool, min_games, false))
        INTO above, at_least USING bounds.first_seq, bounds.next_seq, pool, min_games, rating;
        RETURN;
    END IF;
    -- From the next marked row above, or of the same rating; fewer than 256 lie between.
    EXECUTE format(
        'SELECT CASE WHEN m.rating = $3 THEN m.above ELSE coalesce(m.at_least, 0) + c.above END,
            CASE WHEN m.rating = $3 THEN m.at_least
                ELSE coalesce(m.at_least, 0) + c.above + c.same END
        FROM (VALUES (0)) AS one(x)
        LEFT JOIN LATERAL (
            SELECT s.rating, s.above, s.at_least FROM %1$I.standing AS s
            WHERE s.operation = $1 AND s.pool = $2 AND s.above IS NOT NULL AND s.rating >= $3
            ORDER BY s.rating LIMIT 1) AS m ON true
        CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE s.rating > $3) AS above,
                count(*) FILTER (WHERE s.rating = $3) AS same
            FROM %1$I.standing AS s
            WHERE s.operation = $1 AND s.pool = $2 AND s.rating >= $3
                AND m.rating IS DISTINCT FROM $3 AND s.rating < coalesce(m.rating, ''Infinity'')) AS c',
        ladder)
    INTO above, at_least USING bounds.operation, pool, rating;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_counts(text, record, text, bigint, float8) IS
'A part of season_table(): how many players of the table of a season are rated
above, and at least as high. Error 55000 unless the ladder has been entered.';

CREATE FUNCTION skillrating_internal.season_end_rating(
    ladder text,
    bounds record,
    pool text,
    player text)
RETURNS float8
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
    rating float8;
BEGIN
    EXECUTE format('SELECT l.* FROM %I.ladder AS l', ladder) INTO l;
    EXECUTE CASE WHEN bounds.next_seq IS NULL
        THEN format('SELECT r.rating FROM %I.rating AS r WHERE r.player_id %s CAST($1 AS %s) AND r.pool = $2',
            ladder, t.player_equals, t.player_type)
        ELSE format('SELECT %s FROM %I.event AS e WHERE e.player_id %s CAST($1 AS %s) AND e.pool = $2 AND e.seq = $3',
            skillrating_internal.display_columns(l.model, l.params, 'e.', '_before'), ladder,
            t.player_equals, t.player_type) END
    INTO rating USING player, pool, bounds.next_seq;
    -- The events of a season before the horizon may be gone; the table has no index by player.
    IF rating IS NULL AND bounds.next_seq <= l.horizon THEN
        EXECUTE format(
            'SELECT s.rating FROM %I.standing AS s
            WHERE s.operation = $3 AND s.pool = $2 AND s.player_id %s CAST($1 AS %s)',
            ladder, t.player_equals, t.player_type)
        INTO rating USING player, pool, bounds.operation;
    END IF;
    RETURN rating;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_end_rating(text, record, text, text) IS
'A part of season_table(): the rating of a player at the end of a season, or now if it is running;
null for a player who had none.';

CREATE FUNCTION skillrating_internal.season_page(
    ladder text,
    bounds record,
    pool text,
    min_games bigint,
    after_player text,
    player text,
    OUT page text,
    OUT above bigint,
    OUT at_least bigint,
    OUT after text,
    OUT after_rating float8)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    players text := skillrating_internal.season_players(ladder, bounds, pool, min_games, true);
BEGIN
    above := 0;
    at_least := 0;
    page := format('SELECT q.* FROM (%s) AS q ORDER BY q.rating DESC, q.player_id LIMIT $5', players);
    IF player IS NOT NULL THEN
        after := skillrating_internal.counted_player(ladder, player);
        after_rating := skillrating_internal.season_end_rating(ladder, bounds, pool, after);
        SELECT c.above INTO above
        FROM skillrating_internal.season_counts(ladder, bounds, pool, min_games, after_rating) AS c;
        page := format('SELECT q.* FROM (%s) AS q WHERE q.player_id %s CAST($8 AS %s) AND q.rating = $7',
            players, t.player_equals, t.player_type);
        RETURN;
    END IF;
    IF after_player IS NULL THEN
        RETURN;
    END IF;
    -- The page before may have ended with a row of an account that is merged.
    FOREACH after IN ARRAY ARRAY[after_player, skillrating_internal.counted_player(ladder, after_player)] LOOP
        after_rating := skillrating_internal.season_end_rating(ladder, bounds, pool, after);
        EXIT WHEN after_rating IS NOT NULL;
    END LOOP;
    IF after_rating IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('player %s has no rating in the season in pool "%s" of ladder "%s"',
                after_player, pool, ladder);
    END IF;
    SELECT c.above, c.at_least INTO above, at_least
    FROM skillrating_internal.season_counts(ladder, bounds, pool, min_games, after_rating) AS c;
    -- Each part in the order of an index, however many share the rating.
    page := format(
        'SELECT q.* FROM (
            (SELECT q.* FROM (%1$s) AS q WHERE q.rating = $7 AND CAST($8 AS %2$s) %3$s q.player_id
             ORDER BY q.player_id LIMIT $5)
            UNION ALL
            (SELECT q.* FROM (%1$s) AS q WHERE q.rating < $7 ORDER BY q.rating DESC, q.player_id LIMIT $5)
        ) AS q ORDER BY q.rating DESC, q.player_id LIMIT $5', players, t.player_type, t.player_less);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_page(text, record, text, bigint, text, text) IS
'A part of season_table(): the query of the players of a page, or of one player, and, for that one
and for a page that comes after a player, how many are rated above that one, and at least as high,
that player, and the rating. Error 42704 for a page after a player without one.';

CREATE FUNCTION skillrating_internal.season_details(
    ladder text,
    bounds record)
RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    kept record := skillrating_internal.kept_season(ladder, bounds.first_seq);
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
            WHERE m.player_id %2$s q.player_id AND m.pool = $3 AND m.kind = ''match''
                AND m.seq > %5$s AND ($2 IS NULL OR m.seq < $2)) AS c
        LEFT JOIN LATERAL (
            (SELECT k.start_rating AS rating, %5$s + 1 AS seq WHERE k.games IS NOT NULL)
            UNION ALL
            (SELECT CASE WHEN e.seq <= $6 THEN skillrating.state_rating(l.model, %3$s, l.params)
                ELSE skillrating.state_rating(l.model, %4$s, l.params) END AS rating, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE k.games IS NULL AND e.player_id %2$s q.player_id AND e.pool = $3 AND e.seq > %7$s
                AND e.seq >= coalesce((
                    SELECT max(x.seq) FROM %1$I.event AS x
                    WHERE x.player_id %2$s q.player_id AND x.pool = $3 AND x.seq <= $6), 0)
            ORDER BY e.seq LIMIT 1)) AS b ON true
        LEFT JOIN LATERAL (
            SELECT skillrating.state_rating(l.model, %3$s, l.params) AS rating, e.played_at, e.seq
            FROM %1$I.ladder AS l CROSS JOIN %1$I.event AS e
            WHERE e.player_id %2$s q.player_id AND e.pool = $3 AND e.seq >= b.seq
                AND ($2 IS NULL OR e.seq < $2)
            ORDER BY 1 DESC, e.seq LIMIT 1) AS p ON true
        CROSS JOIN LATERAL (
            SELECT greatest(k.peak, p.rating) AS peak,
                CASE WHEN k.peak < p.rating THEN p.played_at ELSE coalesce(k.peak_at, p.played_at) END AS peak_at
            ) AS h',
        ladder, t.player_equals, s.after, s.before, kept.behind,
        coalesce('SELECT k.* FROM ' || kept.players || format(' AND k.player_id %s q.player_id', t.player_equals),
            'SELECT NULL::bigint AS games, NULL::bigint AS wins, NULL::bigint AS draws, NULL::bigint AS losses,
                NULL::timestamptz AS last_played, NULL::float8 AS start_rating, NULL::float8 AS peak,
                NULL::timestamptz AS peak_at'),
        CASE WHEN kept.players IS NULL THEN 0 ELSE kept.behind END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.season_details(text, record) IS
'A part of season_table(): what joins a player q of a page with the counts (c) of the matches in the
season, the rating with which it began (b) and the peak (h), of events and of what is kept of those
before the horizon. Its parameters are those of season_table().';

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
    bounds record := skillrating_internal.season_bounds(ladder, season, pool);
    p record;
BEGIN
    IF n < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('n must not be negative, not %s', n);
    END IF;
    PERFORM skillrating_internal.check_min_games(min_games);
    p := skillrating_internal.season_page(ladder, bounds, pool, min_games, after_player::text,
        player::text);
    -- Only of the players that are shown.
    RETURN QUERY EXECUTE format(
        'SELECT CASE WHEN q.rating = $7 THEN 1 + $9
                ELSE $10 + rank() OVER (PARTITION BY q.rating = $7 ORDER BY q.rating DESC) END,
            q.player_id::text, q.rating, c.games, c.wins, c.draws, c.losses, c.last_played,
            b.rating, h.peak, h.peak_at
        FROM (%s) AS q %s
        ORDER BY q.rating DESC, q.player_id', p.page,
        skillrating_internal.season_details(ladder, bounds))
    USING bounds.first_seq, bounds.next_seq, pool, min_games, n, bounds.start_seq,
        p.after_rating, p.after, p.above, p.at_least;
    IF FOUND OR n = 0 OR after_player IS NOT NULL OR player IS NOT NULL THEN
        RETURN;
    END IF;
    -- Where too many matches are asked for, one that anybody has is looked for.
    IF min_games > 1 THEN
        PERFORM FROM skillrating_internal.season_table(ladder, season, 1, pool);
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
'The table of a season: the n players with the highest displayed rating at its end, or that is
stored if it has not ended, among those with at least min_games matches in it, and the counts of
these matches and the time of the last one. Equal ratings share a place.
season: the name that new_season() gave it, the empty name for the time before the first season, or
null for the running one.
after_player: the last player of the page before; an account that was merged meanwhile, and is not
in the season any more, stands for the player it is merged into.
player: only the row of this player, if there is one; an account that is merged counts as the player
it is merged into.
start_rating: the rating with which the player began it, that of a newcomer for one who came later.
peak, peak_at: the highest rating in it, with the one that the season began with where that is no
newcomer''s, and when it came first.
A season without a match is a notice.
Corrections reach it as everything else. Without pool it is that of leaderboard(). Errors: 42704 for
an unknown ladder, season, player or pool, 22023 for a negative n or min_games, or without a pool
where there are several.';
