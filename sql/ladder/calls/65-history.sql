-- What happened to a player of a ladder, and in a match.

CREATE FUNCTION skillrating_internal.history(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT NULL,
    pool text DEFAULT NULL,
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
    OUT rest_change float8,
    OUT state_before jsonb,
    OUT state_after jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT e.seq, e.kind, e.match_id::text, e.played_at, e.games_before, e.team, e.score, e.win_probability,
            skillrating.state_rating(l.model, %1$s, l.params), skillrating.state_rating(l.model, %2$s, l.params), e.reason,
            skillrating.state_rating(l.model, %1$s, l.params) - p.rating_after,
            %6$s, %7$s
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
        ORDER BY e.seq', t.state_before, t.state_after, ladder, t.player_equals, t.player_type,
        t.object_before, t.object_after)
    USING player, pool, since, until, n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.history(text, anycompatible, integer, text, timestamptz, timestamptz) IS
'What happened to a player in a pool, from since on and before until, in rated order, at most the
last n: matches and operations with the displayed rating before and after, the games before, the
predicted probability to win and the score. rating_before is as of played_at: rest_change is what
idle time has done to the rating since the event before, and, where pools share some of a state,
what matches in other pools have (0: nothing; null: this is the first event). A settle has what it
counted between rating_before and rating_after. An account that is merged counts as the player it is
merged into, whom its matches reach with catch_up(). pool and its errors are those of leaderboard().';

CREATE FUNCTION skillrating_internal.rating_at(
    ladder text,
    player_id anycompatible,
    at timestamptz,
    pool text DEFAULT NULL)
RETURNS float8
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    player text := skillrating_internal.counted_player(ladder, player_id::text);
    which text := format('r.player_id %s CAST($1 AS %s)', t.player_equals, t.player_type);
    last bigint;
    rating float8;
BEGIN
    -- If all that the player has is older than that time, no event has a say.
    EXECUTE format(
        'SELECT CASE WHEN bool_and(r.as_of IS NOT NULL AND r.as_of <= $2)
            THEN 9223372036854775807 ELSE 0 END
        FROM %1$I.rating AS r WHERE %2$s', ladder, which)
    INTO last USING player, at;
    EXECUTE format('SELECT q.rating FROM (%s) AS q', skillrating_internal.past_board(ladder, pool, at,
        which, last))
    INTO rating USING player;
    RETURN rating;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rating_at(text, anycompatible, timestamptz, text) IS
'The displayed rating of a player at a time, as in leaderboard(at => ...): after the last of the
matches and operations up to then, in rated order, and idle time since; null before the first. An
account that is merged counts as the player it is merged into. pool and errors are those of
leaderboard().';

CREATE FUNCTION skillrating_internal.match_rows(
    ladder text,
    match_id text,
    seq bigint,
    match_played_at timestamptz,
    OUT account text,
    OUT player_id text,
    OUT pool text,
    OUT played_at timestamptz,
    OUT team integer,
    OUT rank float8,
    OUT weight float8,
    OUT win_probability float8,
    OUT score float8,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT state_before jsonb,
    OUT state_after jsonb,
    OUT operations jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
BEGIN
    -- The event of an account is its own or, if it is merged, that of the player whom it counts as;
    -- before catch_up() it can be either.
    RETURN QUERY EXECUTE format(
        'WITH source AS MATERIALIZED (
            SELECT p.* FROM skillrating_internal.match_participants(%1$L, $1) AS p
        ), rated AS MATERIALIZED (
            SELECT e.* FROM %1$I.event AS e WHERE e.seq = $2 AND e.kind = ''match''
        ), found AS (
            SELECT p.*, r.own, r.counts FROM source AS p
            CROSS JOIN LATERAL (
                SELECT CAST(p.account AS %2$s) AS own, CAST(p.player_id AS %2$s) AS counts) AS r
        ), line AS (
            SELECT f.account, f.player_id, f.pool, f.played_at, f.team, f.rank, f.weight, e.player_id AS event
            FROM found AS f LEFT JOIN LATERAL (
                SELECT e.player_id FROM rated AS e
                WHERE e.player_id %3$s f.own OR e.player_id %3$s f.counts
                ORDER BY e.player_id %3$s f.own DESC LIMIT 1) AS e ON true
            UNION ALL
            SELECT NULL, e.player_id::text, e.pool, e.played_at, e.team, NULL, NULL, e.player_id FROM rated AS e
            WHERE NOT EXISTS (
                SELECT FROM found AS f WHERE e.player_id %3$s f.own OR e.player_id %3$s f.counts)
        )
        SELECT r.account, r.player_id, r.pool, r.played_at, r.team, l.rank, l.weight, e.win_probability, e.score,
            (SELECT skillrating.state_rating(c.model, %4$s, c.params) FROM %1$I.ladder AS c WHERE e.seq IS NOT NULL),
            (SELECT skillrating.state_rating(c.model, %5$s, c.params) FROM %1$I.ladder AS c WHERE e.seq IS NOT NULL),
            CASE WHEN e.seq IS NOT NULL THEN %6$s END, CASE WHEN e.seq IS NOT NULL THEN %7$s END, o.operations
        FROM line AS l LEFT JOIN rated AS e ON e.player_id %3$s l.event
        CROSS JOIN LATERAL (
            SELECT l.account, coalesce(e.player_id::text, l.player_id) AS player_id, coalesce(e.pool, l.pool) AS pool,
                coalesce(e.played_at, l.played_at, $3) AS played_at, coalesce(e.team, l.team) AS team) AS r
        -- Merges of the account, exclusions of it or of whom it is merged into, and points of the match
        -- that were given back to the player or for the player.
        CROSS JOIN LATERAL (
            WITH RECURSIVE name(id) AS (
                SELECT CAST(coalesce(r.account, r.player_id) AS %2$s)
                UNION
                SELECT o.into_id FROM name AS a JOIN %1$I.operation AS o ON o.player_id %3$s a.id
                WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
            SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                ''operation'', o.operation, ''kind'', o.kind, ''player_id'', o.player_id::text,
                ''into_id'', o.into_id::text, ''reason'', o.reason, ''made_by'', o.made_by, ''made_at'', o.made_at))
                ORDER BY o.operation), ''[]'') AS operations
            FROM %1$I.operation AS o
            WHERE o.undone_at IS NULL AND CASE o.kind
                WHEN ''merge'' THEN EXISTS (SELECT FROM name AS a WHERE a.id %3$s o.player_id)
                WHEN ''exclude'' THEN o.since <= r.played_at AND r.played_at < o.until
                    AND EXISTS (SELECT FROM name AS a WHERE a.id %3$s o.player_id)
                WHEN ''refund'' THEN o.pool = r.pool AND o.params->''matches'' ? $1
                    AND CAST(r.player_id AS %2$s) %3$s ANY (ARRAY[o.player_id, o.into_id])
                END) AS o
        ORDER BY 5, coalesce(e.player_id, CAST(l.player_id AS %2$s)), 1',
        ladder, t.player_type, t.player_equals, t.state_before, t.state_after, t.object_before, t.object_after)
    USING match_id, seq, match_played_at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.match_rows(text, text, bigint, timestamptz) IS
'The participants of a match in its source, each with the event at that place and the operations
that concern the account; and events of players who are not in it any more.';

CREATE FUNCTION skillrating_internal.match_journal(
    ladder text,
    match_id anycompatible,
    OUT status text,
    OUT reason text,
    OUT detail text,
    OUT seq bigint,
    OUT played_at timestamptz,
    OUT pool text,
    OUT player_id text,
    OUT account text,
    OUT team integer,
    OUT rank float8,
    OUT weight float8,
    OUT win_probability float8,
    OUT score float8,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT rating_change float8,
    OUT state_before jsonb,
    OUT state_after jsonb,
    OUT operations jsonb,
    OUT rated_at timestamptz,
    OUT corrections integer,
    OUT waiting jsonb)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 12
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    m record;
    w record;
BEGIN
    EXECUTE format(
        'SELECT m.* FROM %I.rated_match AS m WHERE m.match_id %s CAST($1 AS %s)', ladder, t.match_equals, t.match_type)
    INTO m USING match_id::text;
    SELECT o.reason, o.detail INTO w FROM skillrating_internal.match_outcome(ladder, match_id) AS o;
    IF m.status IS NULL AND w.reason = 'no_match' THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no match %s', ladder, match_id),
            HINT = 'A match that is not finished is not in its source yet.';
    END IF;
    EXECUTE format(
        'SELECT coalesce(jsonb_agg(jsonb_build_object(''kind'', c.kind, ''noticed_at'', c.noticed_at,
                ''own'', coalesce(c.match_id %2$s CAST($1 AS %3$s), false)) ORDER BY c.noticed_at, c.seq), ''[]'')
        FROM %1$I.correction AS c
        WHERE c.match_id %2$s CAST($1 AS %3$s) OR c.seq <= $2
            -- A late match that has no place yet.
            OR c.seq IS NULL AND c.played_at <= $3', ladder, t.match_equals, t.match_type)
    INTO waiting USING match_id::text, m.seq, CASE WHEN m.seq IS NOT NULL THEN m.played_at END;
    -- One row where those of the match are gone, or cannot be read.
    RETURN QUERY SELECT m.status, w.reason, w.detail, m.seq, coalesce(r.played_at, m.played_at), r.pool, r.player_id,
        r.account, r.team, r.rank, r.weight, r.win_probability, r.score, r.rating_before, r.rating_after,
        r.rating_after - r.rating_before, r.state_before, r.state_after, coalesce(r.operations, '[]'), m.rated_at,
        m.corrections, waiting
    FROM (VALUES (true)) AS one
    LEFT JOIN skillrating_internal.match_rows(ladder, match_id::text, m.seq, m.played_at) AS r ON true;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.match_journal(text, anycompatible) IS
'All that is known of one match: a row for each account in it, by team and player; one without a
player if its rows are gone or cannot be read.
status, reason, detail: rated, unrated, void or null (not looked at yet); why, as match_outcome().
seq: its place in the order.
player_id, account: whom the result counts for, and the account in the source, which differs if it
is merged into another; null if the source has the player no more.
team, rank, weight: the team on which most was played, its rank and the share of the match played,
as the source has them now; rank and weight are null where its rows make no match.
win_probability, score: the forecast before, and what came of it (1 won, 0.5 drew, 0 lost).
rating_before to state_after: what it did to the player: the displayed rating, and all state columns
of the model by their names. Null for a match that does not count, as is the forecast.
operations: those in force that concern the account in this match (merge, exclude and refund), an
array of objects with operation, kind, player_id, into_id, reason, made_by and made_at.
rated_at, corrections: when it was last decided on, and how often catch_up() has changed that.
waiting: corrections that wait for catch_up() and may change it, an array of objects with kind,
noticed_at and own (of this match, or else of what lies before it).
Errors: 42704 for an unknown ladder, or a match that neither the ladder nor its source knows.';
