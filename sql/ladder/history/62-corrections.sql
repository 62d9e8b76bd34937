-- Corrections: what changes the history of a ladder, and bringing it up to date.

CREATE FUNCTION skillrating_internal.check_operation_time(at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    IF NOT isfinite(at) THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('at must be finite, not %s', at),
            HINT = 'The time gives an operation its place among the matches.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_operation_time(timestamptz) IS
'Error 22008 for an infinite time: no match could come behind the operation, or none before it.';

CREATE FUNCTION skillrating_internal.ladder_holders(
    schemas oid[],
    relations oid[],
    readers boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    RETURN (
        SELECT string_agg(w.who, ', ' ORDER BY w.who) FROM (
            SELECT DISTINCT CASE
                WHEN l.pid IS NULL THEN format('prepared transaction %L', p.gid)
                -- It may have ended since, and its state is not everybody's business.
                ELSE format('process %s', l.pid) || coalesce(' of role ' || quote_ident(a.usename), '')
                    || coalesce(', ' || a.state, '') END AS who
            FROM pg_locks AS l
            LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
            LEFT JOIN pg_locks AS x ON x.pid IS NULL AND x.locktype = 'transactionid'
                AND x.virtualtransaction = l.virtualtransaction
            LEFT JOIN pg_prepared_xacts AS p ON p.transaction = x.transactionid
            WHERE (l.locktype = 'object' AND l.classid = 'pg_namespace'::regclass AND l.objid = ANY (schemas)
                    AND l.objsubid = 0
                OR l.locktype = 'relation' AND l.relation = ANY (relations))
                AND l.granted AND (readers OR l.mode <> 'AccessShareLock')
                AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
                AND l.pid IS DISTINCT FROM pg_backend_pid()) AS w);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.ladder_holders(oid[], oid[], boolean) IS
'Who has locks on ladders in some schemas, or on relations, that keep others from their maintenance,
or, with readers, any lock: processes and prepared transactions, for the detail of an error. Null
for nobody.';

CREATE FUNCTION skillrating_internal.note_change(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('UPDATE %I.ladder AS l SET late = l.late', ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_change(text) IS
'Part of what changes which accounts are one player, who is excluded, which matches count, where
history begins or where ratings are mirrored: writes a new version of the row of table ladder, by
which transactions at higher isolation levels learn that their snapshot is older.';

CREATE FUNCTION skillrating_internal.note_operation(
    ladder text,
    kind text,
    player_id text DEFAULT NULL,
    into_id text DEFAULT NULL,
    pool text DEFAULT NULL,
    since timestamptz DEFAULT NULL,
    until timestamptz DEFAULT NULL,
    at timestamptz DEFAULT now(),
    state float8[] DEFAULT NULL,
    params jsonb DEFAULT '{}',
    reason text DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    operation bigint := nextval(format('%I.event_seq', ladder));
BEGIN
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.check_behind_horizon(ladder, kind, NULL, at => at);
    EXECUTE format(
        'INSERT INTO %1$I.operation (operation, seq, kind, player_id, into_id, pool, since, until, at, state, params, reason)
        VALUES ($1, $1, $2, CAST($3 AS %2$s), CAST($4 AS %2$s), $5, $6, $7, $8, $9, $10, $11)', ladder, t.player_type)
    USING operation, kind, player_id, into_id, pool, since, until, at, state, params, reason;
    -- These two take no maintenance lock, and their player has another row of rating anyway.
    IF kind NOT IN ('set', 'reset') THEN
        PERFORM skillrating_internal.note_change(ladder);
    END IF;
    RETURN operation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_operation(text, text, text, text, text, timestamptz, timestamptz, timestamptz, float8[], jsonb, text) IS
'Writes an operation into table operation of a ladder that was entered, at the next place in the
order, and returns its number, which is that place until a ladder with late => reorder gives it
another; the number stays. Identifiers are texts. Errors: 42704 for an unknown ladder, 22008 for an
infinite time, 55000 for one before the horizon where time gives operations their places.';

CREATE FUNCTION skillrating_internal.note_correction(
    ladder text,
    kind text,
    seq bigint,
    match_id text DEFAULT NULL,
    played_at timestamptz DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    PERFORM skillrating_internal.check_behind_horizon(ladder, kind, seq, match_id);
    IF seq IS NOT NULL THEN
        EXECUTE format('INSERT INTO %I.correction (seq, match_id, kind, played_at) VALUES ($1, CAST($2 AS %s), $3, $4)',
            ladder, t.match_type)
        USING seq, match_id, kind, played_at;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_correction(text, text, bigint, text, timestamptz) IS
'Writes into table correction of a ladder that history is out of date from a place in the order on;
nothing if that is null. The match and the time are those that a ladder with late => reorder has to
find a new place for. Errors: 42704 for an unknown ladder, 55000 for a place before the horizon.';

CREATE FUNCTION skillrating_internal.catch_up(
    ladder text,
    search boolean DEFAULT false,
    rebuild boolean DEFAULT false,
    dry_run boolean DEFAULT false,
    OUT player_id text,
    OUT pool text,
    OUT rating_before float8,
    OUT rating_after float8,
    OUT games_before bigint,
    OUT games_after bigint,
    OUT place_before bigint,
    OUT place_after bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'skillrating_catch_up'
LANGUAGE C VOLATILE STRICT ROWS 1000;

COMMENT ON FUNCTION skillrating_internal.catch_up(text, boolean, boolean, boolean) IS
'Brings a ladder up to date: rates the matches that wait in pending, and, where table correction says
that history is out of date, replays it from there, exactly, from the states that the events before
left behind. Only what comes out otherwise is written. Returns the players whose rows changed, those
rated for the first time too, once for each pool, with the displayed rating and the games before and
after the whole call; null where there is no row. With dry_run it returns the same, with the places
on the leaderboard of all who have played (null for a player who has not, and without dry_run), and
leaves everything as it was: the work is done in a subtransaction that is rolled back, with the
triggers that it fires. With search it also looks in the source for what no trigger has reported:
new matches are rated, and those that are gone no longer count, which a warning says. With rebuild
it replays from the very start, and sets sequences that a restored dump has put back. Matches are
rated meanwhile, and wait for its last step, which writes the ratings; where most of the work lies
behind a late match they wait from the beginning. Reading goes on. What is out of date before a
rated match that has gone from the source unreported waits, with a warning; another names columns
that the source has got since, see refresh_source(). Errors: 42704 for an unknown ladder, 42501
unless the caller owns it, 55006 within the work on it, 0A000 above READ COMMITTED, 40P01 if the
transaction has rated matches of the ladder and another one maintains it, 55P03 if somebody keeps it
from the last step for 30 s or lock_timeout, 55000 if triggers are missing, see restore_triggers(),
if such a match was rated while it worked, or, with rebuild, at all.';

CREATE FUNCTION skillrating_internal.void_match(
    ladder text,
    match_id anycompatible,
    reason text DEFAULT 'void')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    n bigint;
BEGIN
    EXECUTE format('UPDATE %I.rated_match AS m SET void_reason = $2, decided_at = clock_timestamp() WHERE m.match_id %s CAST($1 AS %s) RETURNING m.seq',
        ladder, t.match_equals, t.match_type)
    INTO place USING match_id::text, reason;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not know match %s', ladder, match_id),
            HINT = 'Known matches are in its table rated_match.';
    END IF;
    PERFORM skillrating_internal.note_correction(ladder, 'void', place, match_id::text);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.void_match(text, anycompatible, text) IS
'Takes a match out of the rating, whatever the source says, for the reason given; takes effect with
catch_up(). restore_match() brings it back. Error 42704 for an unknown ladder or match.';

CREATE FUNCTION skillrating_internal.restore_match(
    ladder text,
    match_id anycompatible)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    played_at timestamptz;
    n bigint;
BEGIN
    EXECUTE format('UPDATE %I.rated_match AS m SET void_reason = NULL, decided_at = clock_timestamp() WHERE m.match_id %s CAST($1 AS %s) AND m.void_reason IS NOT NULL RETURNING m.seq, m.played_at',
        ladder, t.match_equals, t.match_type)
    INTO place, played_at USING match_id::text;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('match %s of ladder "%s" is not void', match_id, ladder);
    END IF;
    PERFORM skillrating_internal.note_correction(ladder, 'restore', place, match_id::text, played_at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.restore_match(text, anycompatible) IS
'Undoes void_match(): the match counts again, at its old place in the order; takes effect with
catch_up(). Error 42704 for an unknown ladder or a match that is not void.';

CREATE FUNCTION skillrating_internal.note_exclusion(
    ladder text,
    player_id text,
    since timestamptz,
    until timestamptz,
    at timestamptz,
    reason text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    operation bigint;
    refund bigint;
BEGIN
    -- Points that were given back would come twice if the matches were taken out as well.
    EXECUTE format(
        'SELECT o.operation FROM %1$I.operation AS o
        WHERE o.kind = ''refund'' AND o.undone_at IS NULL AND o.into_id %3$s CAST($1 AS %2$s)
            AND EXISTS (
                SELECT FROM jsonb_array_elements_text(o.params->''matches'') AS k(id)
                JOIN %1$I.rated_match AS m ON m.match_id %5$s CAST(k.id AS %4$s)
                WHERE m.played_at >= $2 AND m.played_at < $3)
        LIMIT 1', ladder, t.player_type, t.player_equals, t.match_type, t.match_equals)
    INTO refund USING player_id, since, until;
    IF refund IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('operation %s of ladder "%s" has given back points of matches with player %s in that time',
                refund, ladder, player_id),
            HINT = 'Undo it first, or begin behind these matches.';
    END IF;
    PERFORM skillrating_internal.check_player_behind_horizon(ladder,
        skillrating_internal.counted_player(ladder, player_id), since);
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT CAST($1 AS %2$s)
            UNION ALL
            SELECT o.into_id FROM account AS a JOIN %1$I.operation AS o ON o.player_id %3$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT min(e.seq) FROM account AS a JOIN %1$I.event AS e ON e.player_id %3$s a.id
        WHERE e.kind = ''match'' AND e.played_at >= $2 AND e.played_at < $3',
        ladder, t.player_type, t.player_equals)
    INTO place USING player_id, since, until;
    operation := skillrating_internal.note_operation(ladder, 'exclude', player_id,
        since => since, until => until, at => at, reason => reason);
    PERFORM skillrating_internal.note_correction(ladder, 'exclude', place);
    RETURN operation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_exclusion(text, text, timestamptz, timestamptz, timestamptz, text) IS
'The part of exclude_player() for policy void: writes the operation, and from where on history is
out of date. Returns its number.';

CREATE FUNCTION skillrating_internal.counted_player(
    ladder text,
    player_id text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_counted_player'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.counted_player(text, text) IS
'The player that an account counts as, now and whatever catch_up() has still to do: the account that
it is merged into in the end, or itself. Functions of a ladder that take a player ask this one.';

CREATE FUNCTION skillrating_internal.counting_rows(ladder text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    merged text := format('FROM %I.operation AS o
        WHERE o.kind = ''merge'' AND o.undone_at IS NULL AND o.player_id %s r.player_id',
        ladder, t.player_equals);
    left_over boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.rating AS r, LATERAL (SELECT %s) AS m)',
        ladder, merged)
    INTO left_over;
    RETURN CASE WHEN left_over THEN format('NOT EXISTS (SELECT %s)', merged) ELSE 'true' END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.counting_rows(text) IS
'A part of find_opponents(): the condition on rows r of rating that they are of players who count,
and not of accounts that are merged, which have some until catch_up() only.';

CREATE FUNCTION skillrating_internal.merged_accounts(
    ladder text,
    OUT player_id text,
    OUT into_id text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 10
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH RECURSIVE merged(player_id, into_id) AS (
            SELECT o.player_id, o.into_id FROM %1$I.operation AS o
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL
            UNION ALL
            SELECT m.player_id, o.into_id
            FROM merged AS m JOIN %1$I.operation AS o ON o.player_id %2$s m.into_id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT m.player_id::text, m.into_id::text FROM merged AS m
        WHERE NOT EXISTS (
            SELECT FROM %1$I.operation AS o
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL AND o.player_id %2$s m.into_id)',
        ladder, t.player_equals);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.merged_accounts(text) IS
'The players of a ladder who are merged into others, each with the account that counts in the end.
Until catch_up() events may still have the former.';

CREATE FUNCTION skillrating_internal.lost_points(
    ladder text,
    player_id text,
    since timestamptz,
    until timestamptz,
    at timestamptz,
    OUT victim text,
    OUT pool text,
    OUT seq bigint,
    OUT match_id text,
    OUT points float8,
    OUT season_seq bigint)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT l.player_id::text, l.pool, l.seq, l.match_id::text, l.points, l.season_seq
        FROM (
            SELECT coalesce(CAST(a.into_id AS %2$s), e.player_id) AS player_id, e.pool, e.seq,
                e.match_id, b.season_seq,
                skillrating.state_rating(l.model, %4$s, l.params)
                    - skillrating.state_rating(l.model, %5$s, l.params) AS points
            FROM %1$I.ladder AS l
            CROSS JOIN %1$I.event AS c
            CROSS JOIN LATERAL (
                SELECT coalesce(max(o.seq), 0) AS season_seq FROM %1$I.operation AS o
                WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.at <= $4
                    AND (o.pool IS NULL OR o.pool = c.pool)) AS b
            JOIN %1$I.event AS e ON e.seq = c.seq AND e.pool = c.pool
            -- Merges that wait for catch_up() have not reached the events.
            LEFT JOIN skillrating_internal.merged_accounts(%6$L) AS a
                ON e.player_id %3$s CAST(a.player_id AS %2$s)
            WHERE c.player_id %3$s CAST($1 AS %2$s) AND c.kind = ''match''
                AND c.played_at >= $2 AND c.played_at < least($3, $4) AND c.seq > b.season_seq
                AND e.team <> c.team AND e.score <= c.score
                -- A rating that began anew since then knows nothing of the loss.
                AND NOT EXISTS (
                    SELECT FROM %1$I.event AS n
                    WHERE n.player_id %3$s e.player_id AND n.pool = e.pool AND n.seq > e.seq
                        AND n.kind IN (''reset'', ''set'', ''seed'') AND n.played_at <= $4)
                AND NOT EXISTS (
                    SELECT FROM %1$I.operation AS x
                    WHERE x.kind = ''exclude'' AND x.undone_at IS NULL AND x.player_id %3$s c.player_id
                        AND x.since <= c.played_at AND c.played_at < x.until)) AS l
        WHERE l.points > 0 AND NOT (l.player_id %3$s CAST($1 AS %2$s))
            AND NOT EXISTS (
                SELECT FROM %1$I.operation AS o
                WHERE o.kind = ''refund'' AND o.undone_at IS NULL
                    AND (o.into_id %3$s l.player_id
                        OR o.player_id %3$s l.player_id AND o.pool = l.pool
                            AND o.params->''matches'' ? l.match_id::text))',
        ladder, t.player_type, t.player_equals, s.before, s.after, ladder)
    USING player_id, since, until, at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lost_points(text, text, timestamptz, timestamptz, timestamptz) IS
'A part of exclude_player() for policy refund: who lost how many points of the displayed rating in
which match against a player whom the own team did not beat, from since on and before until and at,
in the season of that time, which began at season_seq; but for matches that were refunded before
or are excluded, losses before a rating was set or reset, and players to whom others lost what they
got back. victim is the account that counts, also if a merge waits for catch_up().';

CREATE FUNCTION skillrating_internal.note_refund(
    ladder text,
    player_id text,
    since timestamptz,
    until timestamptz,
    at timestamptz,
    reason text,
    cap_at_peak boolean)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    operation bigint := nextval(format('%I.event_seq', ladder));
    n bigint;
BEGIN
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.check_not_merged(ladder, player_id);
    EXECUTE format(
        'INSERT INTO %1$I.operation (operation, seq, kind, pool, player_id, into_id, since, until, at, params, reason)
        SELECT $1, $1, ''refund'', v.pool, CAST(v.victim AS %2$s), CAST($2 AS %2$s), $3, $4, $5,
            jsonb_strip_nulls(jsonb_build_object(''amount'', v.amount, ''matches'', v.matches,
                ''peak'', p.peak)), $6
        FROM (
            SELECT l.victim, l.pool, l.season_seq, sum(l.points ORDER BY l.seq) AS amount,
                jsonb_agg(l.match_id ORDER BY l.seq) AS matches
            FROM skillrating_internal.lost_points(%4$L, $2, $3, $4, $5) AS l
            GROUP BY l.victim, l.pool, l.season_seq) AS v
        LEFT JOIN LATERAL (
            SELECT max(greatest(skillrating.state_rating(r.model, %5$s, r.params),
                skillrating.state_rating(r.model, %6$s, r.params))) AS peak
            FROM %1$I.ladder AS r
            CROSS JOIN (
                SELECT CAST(v.victim AS %2$s)
                UNION ALL
                SELECT CAST(a.player_id AS %2$s)
                FROM skillrating_internal.merged_accounts(%4$L) AS a
                WHERE CAST(a.into_id AS %2$s) %3$s CAST(v.victim AS %2$s)) AS k(player_id)
            JOIN %1$I.event AS e ON e.player_id %3$s k.player_id
            WHERE e.pool = v.pool AND e.seq > v.season_seq AND e.played_at <= $5
                AND NOT EXISTS (
                    SELECT FROM %1$I.event AS n
                    WHERE n.player_id %3$s e.player_id AND n.pool = e.pool AND n.seq >= e.seq
                        AND n.kind IN (''reset'', ''set'', ''seed'') AND n.played_at <= $5)) AS p ON $7',
        ladder, t.player_type, t.player_equals, ladder, s.before, s.after)
    USING operation, player_id, since, until, at, reason, cap_at_peak;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RETURN NULL;
    END IF;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.apply_operation(ladder, operation);
    RETURN operation;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_refund(text, text, timestamptz, timestamptz, timestamptz, text, boolean) IS
'The part of exclude_player() for policy refund: writes the operation, a row for each opponent and
pool with the amount, the matches and with cap_at_peak the highest rating of the season, and does
it. Returns its number, or null if nobody gets anything.';

CREATE FUNCTION skillrating_internal.check_known_player(
    ladder text,
    player_id text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
AS $function$
BEGIN
    -- Their matches need not have an index by players, and are looked at last.
    IF skillrating_internal.known_players(ladder, ARRAY[player_id], false) = '{}'
        AND skillrating_internal.known_players(ladder, ARRAY[player_id], true) = '{}'
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not know player %s', ladder, player_id),
            HINT = 'Known players are those of its matches and operations. Set allow_unknown to true for others.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_known_player(text, text) IS
'A part of exclude_player() and merge_players(): error 42704 for a player of whom a ladder has no
match, rated or not, and no operation, so that a typing error does not pass for a ban.';

CREATE FUNCTION skillrating_internal.exclude_player(
    ladder text,
    player_id anycompatible,
    since timestamptz DEFAULT '-infinity',
    until timestamptz DEFAULT 'infinity',
    reason text DEFAULT NULL,
    policy text DEFAULT 'void',
    at timestamptz DEFAULT now(),
    cap_at_peak boolean DEFAULT false,
    allow_unknown boolean DEFAULT false,
    OUT operation bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    IF since >= until THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('since (%s) must lie before until (%s)', since, until);
    END IF;
    IF NOT allow_unknown THEN
        PERFORM skillrating_internal.check_known_player(ladder, player_id::text);
    END IF;
    CASE policy
        WHEN 'void' THEN
            IF cap_at_peak THEN
                RAISE invalid_parameter_value USING
                    MESSAGE = 'cap_at_peak is for policy "refund" only';
            END IF;
            operation := skillrating_internal.note_exclusion(ladder, player_id::text, since, until,
                at, reason);
        WHEN 'refund' THEN
            operation := skillrating_internal.note_refund(ladder, player_id::text, since, until,
                at, reason, cap_at_peak);
        ELSE
            PERFORM skillrating_internal.check_choice('policy', policy, 'void', 'refund');
    END CASE;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.exclude_player(text, anycompatible, timestamptz, timestamptz, text, text, timestamptz, boolean, boolean) IS
'Makes good for a player, for instance a cheater, in the matches played from since on and before
until. Policy void takes them out of the rating, those to come too, with effect for everybody who
played since; what was rated changes with catch_up(). Policy refund leaves them in, and at once
gives opponents back what they lost in those that they did not win: a match is given back once, in
the season of the time at and before it, and with cap_at_peak up to the highest rating of that
season only. Amounts are points of the displayed rating, as history has it at the moment, and come
on top of the first state column; they keep their place in the order and their size when history is
corrected. Returns the number of the operation, for undo_operation(); null if there is nothing to
give back. A player of whom the ladder has no match and no operation is an error, because that may
be a typing error; allow_unknown is for those who are to be kept out before their first match.
Errors: 42704 for an unknown ladder or player, 22023 for an empty time, an unknown policy, or the
refund of a player who is merged into another, or for policy void of matches whose points were given
back, 22008 for an infinite at.';

CREATE FUNCTION skillrating_internal.merge_players(
    ladder text,
    player_id anycompatible,
    into_id anycompatible,
    reason text DEFAULT NULL,
    allow_unknown boolean DEFAULT false,
    OUT operation bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record;
    place bigint;
    first_played_at timestamptz;
    bad boolean;
BEGIN
    t := skillrating_internal.ladder_types(ladder);

    -- Whoever follows the merges from into_id must not come back to player_id.
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT CAST($2 AS %2$s)
            UNION ALL
            SELECT o.into_id FROM account AS a JOIN %1$I.operation AS o ON o.player_id %3$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT EXISTS (SELECT FROM account AS a WHERE a.id %3$s CAST($1 AS %2$s))
            OR EXISTS (SELECT FROM %1$I.operation AS o WHERE o.player_id %3$s CAST($1 AS %2$s)
                AND o.kind = ''merge'' AND o.undone_at IS NULL)',
        ladder, t.player_type, t.player_equals)
    INTO bad USING player_id::text, into_id::text;
    IF bad THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s cannot be merged into %s', player_id, into_id),
            DETAIL = 'They are the same account, or the first is merged already.';
    END IF;
    IF NOT allow_unknown THEN
        PERFORM skillrating_internal.check_known_player(ladder, k.id)
        FROM unnest(ARRAY[player_id::text, into_id::text]) AS k(id);
    END IF;
    PERFORM skillrating_internal.check_player_behind_horizon(ladder, player_id::text, NULL);
    -- Matches that were not rated for want of games may have them now.
    EXECUTE format(
        'SELECT min(p.seq), min(p.at) FROM (
            SELECT e.seq, e.played_at AS at FROM %1$I.event AS e WHERE e.player_id %2$s CAST($1 AS %3$s)
            UNION ALL
            SELECT m.seq, m.played_at FROM %1$I.rated_match AS m
            WHERE m.reason = ''too_many_newcomers'' AND EXISTS (
                SELECT FROM %1$I.source AS s
                WHERE s.match_id %4$s m.match_id AND s.player_id %2$s CAST($1 AS %3$s))) AS p',
        ladder, t.player_equals, t.player_type, t.match_equals)
    INTO place, first_played_at USING player_id::text;
    operation := skillrating_internal.note_operation(ladder, 'merge', player_id::text, into_id::text, reason => reason);
    PERFORM skillrating_internal.note_correction(ladder, 'merge', place, played_at => first_played_at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.merge_players(text, anycompatible, anycompatible, text, boolean) IS
'Makes one player of two accounts: all matches of player_id, past and future, count as those of
into_id, as if it had always been one; what was set by hand, seeded, reset or given back for
player_id no longer counts. What was rated changes with catch_up(), after which player_id has no
rating. Returns the number of the operation, for undo_operation(). A player of whom the ladder has
no match and no operation is an error unless allow_unknown is true. Errors: 42704 for an unknown
ladder or player, 22023 if player_id is merged already or into_id leads back to it.';

CREATE FUNCTION skillrating_internal.undo_operation(
    ladder text,
    operation bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    operation_kind text;
    season text;
    season_pool text;
    operation_seq bigint;
    operation_since timestamptz;
    place bigint;
    first_played_at timestamptz;
BEGIN
    -- Matches and states of players who were excluded or merged count again from the first one on.
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT o.player_id FROM %1$I.operation AS o
            WHERE o.operation = $1 AND o.kind IN (''exclude'', ''merge'') AND o.undone_at IS NULL
            UNION
            SELECT o.player_id FROM account AS a JOIN %1$I.operation AS o ON o.into_id %2$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT min(p.seq), min(p.at) FROM (
            SELECT m.seq, m.played_at AS at
            FROM account AS a
            JOIN %1$I.source AS s ON s.player_id %2$s a.id
            JOIN %1$I.rated_match AS m ON m.match_id %3$s s.match_id
            UNION ALL
            SELECT o.seq, o.at FROM account AS a JOIN %1$I.operation AS o ON o.player_id %2$s a.id
            WHERE o.kind IN (''set'', ''seed'', ''reset'', ''refund'', ''fix'', ''unfix'') AND o.undone_at IS NULL) AS p',
        ladder, t.player_equals, t.match_equals)
    INTO place, first_played_at USING operation;
    EXECUTE format(
        'UPDATE %I.operation AS o SET undone_at = now()
        WHERE o.operation = $1 AND o.undone_at IS NULL
        RETURNING o.kind, o.params->>''name'', o.pool, o.seq, o.since', ladder)
    INTO operation_kind, season, season_pool, operation_seq, operation_since USING operation;
    IF operation_kind IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no operation %s to undo', ladder, operation),
            HINT = 'The numbers are in the column operation of its table operation.';
    END IF;
    PERFORM skillrating_internal.check_behind_horizon(ladder, operation_kind, operation_seq);
    IF operation_kind = 'eligibility' THEN
        PERFORM skillrating_internal.note_eligibility(ladder, operation_since, 'undo');
    ELSIF operation_kind NOT IN ('exclude', 'merge') THEN
        place := operation_seq;
    END IF;
    -- A season that began towards solved skills is two operations.
    IF operation_kind = 'season' THEN
        EXECUTE format(
            'UPDATE %I.operation AS o SET undone_at = now()
            WHERE o.kind = ''seed'' AND o.params->>''season'' = $1 AND o.undone_at IS NULL
                AND o.pool = coalesce($2, o.pool)', ladder)
        USING season, season_pool;
    END IF;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.note_correction(ladder, 'undo', place, played_at => first_played_at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.undo_operation(text, bigint) IS
'Undoes a season, decay, settle(), set_rating(), reset_rating(), set_fixed(), seed_from(),
exclude_player(), merge_players() or set_eligibility() by its number in table operation, as if it
had never been; takes effect with catch_up(). Error 42704 for an unknown ladder or operation.';
