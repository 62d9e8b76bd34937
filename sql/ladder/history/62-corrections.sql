-- Corrections: what changes the history of a ladder, and bringing it up to date.

CREATE FUNCTION skillrating_internal.ladder_holders(schemas oid[], relations oid[], readers boolean)
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
'Processes and prepared transactions with locks on ladders in some schemas, or on relations, that are
in the way of their maintenance or, with readers, of anything. Null for nobody.';

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
    reason text DEFAULT NULL,
    rows text DEFAULT NULL,
    players text[] DEFAULT NULL,
    states jsonb DEFAULT NULL,
    OUT operation bigint,
    OUT changed bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
BEGIN
    PERFORM skillrating_internal.note_correction(ladder, kind, at => at),
        skillrating_internal.hold_ladder(ladder, false);
    operation := nextval(format('%I.event_seq', ladder));
    EXECUTE format(
        'INSERT INTO %1$I.operation (operation, seq, kind, player_id, into_id, pool, since, until, at, state, params, reason)
        SELECT $1, $1, $2, r.player_id, CAST($4 AS %2$s), r.pool, $6, $7, $8, r.state, r.params, $11 FROM (%3$s) AS r',
        ladder, t.player_type, coalesce(
            'SELECT s.* FROM (' || rows || format(
                ') AS s WHERE NOT EXISTS (
                    SELECT FROM %I.operation AS m
                    WHERE m.player_id %s s.player_id AND m.kind = ''merge'' AND m.undone_at IS NULL)', ladder, t.player_equals),
            format('SELECT CAST($3 AS %s) AS player_id, $5 AS pool, $9 AS state, $10 AS params', t.player_type)))
    USING operation, kind, player_id, into_id, pool, since, until, at, state, params, reason, players, states;
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed = 0 THEN
        operation := NULL;
        RETURN;
    END IF;
    -- These two take no maintenance lock, and their player has another row of rating anyway.
    IF kind NOT IN ('set', 'reset') THEN
        PERFORM skillrating_internal.note_change(ladder);
    END IF;
    -- What these do is for catch_up().
    IF kind NOT IN ('exclude', 'merge', 'eligibility') THEN
        changed := skillrating_internal.apply_operation(ladder, operation);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_operation(text, text, text, text, text, timestamptz, timestamptz, timestamptz, float8[], jsonb, text, text, text[], jsonb) IS
'Writes an operation into table operation at the next place in the order, and applies it, unless
catch_up() does that. Returns its number, which is that place until a ladder with late => reorder
gives it another, and how many players it changed; identifiers are texts. One of several rows has a
query, rows, for player_id, pool, state and params, in which $1 and so on are the operation and the
arguments from kind on; it leaves out merged accounts, and with nobody left the number is null.
Errors as for undo_operation(), 22003 for a state out of range.';

CREATE FUNCTION skillrating_internal.note_correction(
    ladder text,
    kind text,
    seq bigint DEFAULT NULL,
    match_id text DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    player_id text DEFAULT NULL,
    since timestamptz DEFAULT '-infinity')
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    known boolean;
BEGIN
    IF t.horizon_at > since AND player_id IS NOT NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.horizon AS h WHERE h.player_id %s CAST($1 AS %s))',
            ladder, t.player_equals, t.player_type)
        INTO known USING player_id;
    END IF;
    -- Only where late matches get a place by time does it give an operation its place.
    IF known OR seq <= t.horizon OR t.late = 'reorder' AND at < t.horizon_at THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = CASE
                WHEN known THEN format('matches of player %s lie before the horizon of ladder "%s"', player_id, ladder)
                WHEN match_id IS NOT NULL THEN
                    format('match %s of ladder "%s" lies before its horizon', match_id, ladder)
                WHEN at IS NOT NULL THEN format('operation at %s lies before the horizon of ladder "%s"', at, ladder)
                ELSE format('%s concerns ladder "%s" before its horizon, from place %s on', kind, ladder, seq) END,
            DETAIL = format('History can be corrected behind place %s, for matches played from %s on.', t.horizon, t.horizon_at),
            HINT = CASE WHEN known IS NOT TRUE THEN 'What lies before the horizon stays as it was rated.'
                WHEN kind = 'exclude' THEN format('exclude_player() can begin since %s.', t.horizon_at)
                ELSE 'Only players who came after the horizon can be merged.' END;
    END IF;
    IF seq IS NOT NULL THEN
        EXECUTE format('INSERT INTO %I.correction (seq, match_id, kind, played_at) VALUES ($1, CAST($2 AS %s), $3, $4)',
            ladder, t.match_type)
        USING seq, match_id, kind, played_at;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_correction(text, text, bigint, text, timestamptz, timestamptz, text, timestamptz) IS
'Writes into table correction that history is out of date from a place in the order on, if not null,
with the match and the time that late => reorder has to find a new place for. Error 55000 if that
place, the time at of an operation, or matches of a player since a time lie before the horizon.';

SELECT skillrating_internal.make_function('skillrating_internal.catch_up', '
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
    OUT place_after bigint',
    'SETOF record', 'VOLATILE STRICT ROWS 1000',
'Brings a ladder up to date: rates the matches that wait in pending, and, where table correction says
that history is out of date, replays it from there, exactly, from the states that the events before
left behind. Only what comes out otherwise is written. Returns the players whose rows changed, those
rated for the first time too, once for each pool, with the displayed rating and the games before and
after the whole call; null where there is no row. With dry_run it returns the same, with the places
on the leaderboard of all who have played, and leaves everything as it was, by a subtransaction that
is rolled back. With search it also looks in the source for what no trigger has reported: new
matches are rated, and those that are gone no longer count, which a warning says. With rebuild it
replays from the very start, and sets sequences that a restored dump has put back. Matches are rated
meanwhile, and wait for its last step, which writes the ratings; where most of the work lies behind
a late match they wait from the beginning. What is out of date before a rated match that has gone
from the source unreported waits, with a warning; another names columns that the source has got
since, see refresh_source(). Errors: 42704 for an unknown ladder, 42501 unless the caller owns it,
55006 within the work on it, 0A000 above READ COMMITTED, 40P01 if the transaction has rated matches
of the ladder and another one maintains it, 55P03 if somebody keeps it from the last step for 30 s
or lock_timeout, 55000 if triggers are missing, see restore_triggers(), if such a match was rated
while it worked, or, with rebuild, at all.');

CREATE FUNCTION skillrating_internal.decide_match(
    ladder text,
    match_id anycompatible,
    reason text,
    called text)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    m record;
BEGIN
    EXECUTE format(
        'UPDATE %I.rated_match AS m SET void_reason = $2, decided_at = clock_timestamp()
        WHERE m.match_id %s CAST($1 AS %s) AND ($2 IS NOT NULL OR m.void_reason IS NOT NULL)
        RETURNING true AS is_there, m.seq, m.played_at', ladder, t.match_equals, t.match_type)
    INTO m USING match_id::text, reason;
    IF m.is_there IS NULL AND called = 'restore_match' THEN
        RAISE undefined_object USING
            MESSAGE = format('match %s of ladder "%s" is not void', match_id, ladder);
    ELSIF m.is_there IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not know match %s', ladder, match_id),
            HINT = 'Known matches are in its table rated_match.';
    END IF;
    PERFORM skillrating_internal.note_correction(ladder, split_part(called, '_', 1), m.seq, match_id::text,
        CASE called WHEN 'restore_match' THEN m.played_at END);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.decide_match(text, anycompatible, text, text) IS
'The body of void_match() and restore_match(), called with the name of one.';

SELECT skillrating_internal.make_function('skillrating.void_match', 'ladder text, match_id anycompatible, reason text DEFAULT ''void''',
    'void', 'VOLATILE',
'Takes a match out of the rating, whatever the source says, for the reason given; takes effect with
catch_up(). restore_match() brings it back. Error 42704 for an unknown ladder or match.', 'skillrating_enter');

SELECT skillrating_internal.make_function('skillrating.restore_match', 'ladder text, match_id anycompatible', 'void', 'VOLATILE',
'Undoes void_match(): the match counts again, at its old place in the order; takes effect with
catch_up(). Error 42704 for an unknown ladder or a match that is not void.', 'skillrating_enter');

CREATE FUNCTION skillrating_internal.refund_rows(ladder text, cap_at_peak boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    began_anew constant text := 'n.kind IN (''reset'', ''set'', ''seed'') AND n.played_at <= $8';
BEGIN
    RETURN format(
        -- Merges that wait for catch_up() have not reached the events.
        'WITH RECURSIVE merge AS (
            SELECT o.player_id, o.into_id FROM %1$I.operation AS o WHERE o.kind = ''merge'' AND o.undone_at IS NULL
        ), followed AS (
            SELECT m.* FROM merge AS m
            UNION ALL
            SELECT f.player_id, m.into_id FROM followed AS f JOIN merge AS m ON m.player_id %3$s f.into_id
        ), merged AS MATERIALIZED (
            SELECT f.* FROM followed AS f WHERE NOT EXISTS (SELECT FROM merge AS m WHERE m.player_id %3$s f.into_id)
        )
        SELECT v.player_id, v.pool, NULL::float8[] AS state, jsonb_strip_nulls(jsonb_build_object(
            ''amount'', v.amount, ''matches'', v.matches, ''peak'', p.peak)) AS params
        FROM (
            SELECT l.player_id, l.pool, l.season_seq, sum(l.points ORDER BY l.seq) AS amount,
                jsonb_agg(l.match_id::text ORDER BY l.seq) AS matches
            FROM (
                SELECT coalesce(a.into_id, e.player_id) AS player_id, e.pool, e.seq,
                    e.match_id, b.season_seq,
                    skillrating.state_rating(l.model, %4$s, l.params)
                        - skillrating.state_rating(l.model, %5$s, l.params) AS points
                FROM %1$I.ladder AS l
                CROSS JOIN %1$I.event AS c
                CROSS JOIN LATERAL (
                    SELECT coalesce(max(o.seq), 0) AS season_seq FROM %1$I.operation AS o
                    WHERE o.kind = ''season'' AND o.undone_at IS NULL AND o.at <= $8
                        AND (o.pool IS NULL OR o.pool = c.pool)) AS b
                JOIN %1$I.event AS e ON e.seq = c.seq AND e.pool = c.pool
                LEFT JOIN merged AS a ON a.player_id %3$s e.player_id
                WHERE c.player_id %3$s CAST($4 AS %2$s) AND c.kind = ''match''
                    AND c.played_at >= $6 AND c.played_at < least($7, $8) AND c.seq > b.season_seq
                    AND e.team <> c.team AND e.score <= c.score
                    -- A rating that began anew since then knows nothing of the loss.
                    AND NOT EXISTS (
                        SELECT FROM %1$I.event AS n
                        WHERE n.player_id %3$s e.player_id AND n.pool = e.pool AND n.seq > e.seq AND %6$s)
                    AND NOT EXISTS (
                        SELECT FROM %1$I.operation AS x
                        WHERE x.kind = ''exclude'' AND x.undone_at IS NULL AND x.player_id %3$s c.player_id
                            AND x.since <= c.played_at AND c.played_at < x.until)) AS l
            WHERE l.points > 0 AND NOT (l.player_id %3$s CAST($4 AS %2$s))
                AND NOT EXISTS (
                    SELECT FROM %1$I.operation AS o
                    WHERE o.kind = ''refund'' AND o.undone_at IS NULL
                        AND (o.into_id %3$s l.player_id
                            OR o.player_id %3$s l.player_id AND o.pool = l.pool
                                AND o.params->''matches'' ? l.match_id::text))
            GROUP BY 1, 2, 3) AS v
        LEFT JOIN LATERAL (
            SELECT max(greatest(skillrating.state_rating(r.model, %4$s, r.params),
                skillrating.state_rating(r.model, %5$s, r.params))) AS peak
            FROM %1$I.ladder AS r
            CROSS JOIN (
                SELECT v.player_id
                UNION ALL
                SELECT a.player_id FROM merged AS a WHERE a.into_id %3$s v.player_id) AS k(player_id)
            JOIN %1$I.event AS e ON e.player_id %3$s k.player_id
            WHERE e.pool = v.pool AND e.seq > v.season_seq AND e.played_at <= $8
                AND NOT EXISTS (
                    SELECT FROM %1$I.event AS n
                    WHERE n.player_id %3$s e.player_id AND n.pool = e.pool AND n.seq >= e.seq AND %6$s)) AS p ON %7$L',
        ladder, t.player_type, t.player_equals, t.state_before, t.state_after, began_anew, cap_at_peak);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.refund_rows(text, boolean) IS
'The rows of note_operation() for policy refund of exclude_player(): the points of the displayed
rating that accounts have lost to a player in the season, and with cap_at_peak their highest rating.';

CREATE FUNCTION skillrating_internal.check_player(
    ladder text,
    player_id text,
    should text,
    pool text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    counted text;
    counts boolean;
    rated boolean;
BEGIN
    IF should = 'be known' THEN
        -- Their matches need not have an index by players, and are looked at last.
        IF skillrating_internal.known_players(ladder, ARRAY[player_id], false) = '{}'
            AND skillrating_internal.known_players(ladder, ARRAY[player_id], true) = '{}'
        THEN
            RAISE undefined_object USING
                MESSAGE = format('ladder "%s" does not know player %s', ladder, player_id),
                HINT = 'Known players are those of its matches and operations. Set allow_unknown to true for others.';
        END IF;
        RETURN;
    END IF;
    counted := skillrating_internal.counted_player(ladder, player_id);
    EXECUTE format(
        'SELECT CAST($1 AS %3$s) %2$s CAST($2 AS %3$s), EXISTS (
            SELECT FROM %1$I.rating AS r
            WHERE r.player_id %2$s CAST($1 AS %3$s) AND r.pool = coalesce($3, r.pool)
                AND (r.games > 0 OR EXISTS (
                    SELECT FROM %1$I.event AS e WHERE e.player_id %2$s r.player_id AND e.pool = r.pool)))',
        ladder, t.player_equals, t.player_type)
    INTO counts, rated USING player_id, counted, pool;
    IF NOT counts THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s is merged into %s', player_id, counted),
            HINT = format('Operations on the merged account have no effect: name player %s.', counted);
    END IF;
    IF should = 'be rated' AND NOT rated THEN
        RAISE undefined_object USING
            MESSAGE = CASE WHEN pool IS NULL THEN format('player %s has no rating in any pool of ladder "%s"', player_id, ladder)
                ELSE format('player %s has no rating in pool "%s" of ladder "%s"', player_id, pool, ladder) END;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_player(text, text, text, text) IS
'Error 42704 unless a player is known: a ladder has a match, rated or not, or operation of the
player. Should count: error 22023 for one who is merged into another. Should be rated: also error
42704 for one without a rating in the pool, or any.';

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
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    player text := player_id::text;
    place bigint;
    refund bigint;
BEGIN
    IF since >= until THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('since (%s) must lie before until (%s)', since, until);
    END IF;
    IF NOT allow_unknown THEN
        PERFORM skillrating_internal.check_player(ladder, player, 'be known');
    END IF;
    PERFORM skillrating_internal.check_choice('policy', policy, 'void', 'refund');
    IF policy = 'refund' THEN
        PERFORM skillrating_internal.check_player(ladder, player, 'count');
        SELECT n.operation INTO operation
        FROM skillrating_internal.note_operation(ladder, 'refund', into_id => player, since => since, until => until,
            at => at, reason => reason, rows => skillrating_internal.refund_rows(ladder, cap_at_peak)) AS n;
        RETURN;
    END IF;
    IF cap_at_peak THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'cap_at_peak is for policy "refund" only';
    END IF;
    -- Points that were given back would come twice if the matches were taken out as well.
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT CAST($1 AS %2$s)
            UNION ALL
            SELECT o.into_id FROM account AS a JOIN %1$I.operation AS o ON o.player_id %3$s a.id
            WHERE o.kind = ''merge'' AND o.undone_at IS NULL)
        SELECT (SELECT min(e.seq) FROM account AS a JOIN %1$I.event AS e ON e.player_id %3$s a.id
                WHERE e.kind = ''match'' AND e.played_at >= $2 AND e.played_at < $3),
            (SELECT o.operation FROM %1$I.operation AS o
                WHERE o.kind = ''refund'' AND o.undone_at IS NULL AND o.into_id %3$s CAST($1 AS %2$s)
                    AND EXISTS (
                        SELECT FROM jsonb_array_elements_text(o.params->''matches'') AS k(id)
                        JOIN %1$I.rated_match AS m ON m.match_id %5$s CAST(k.id AS %4$s)
                        WHERE m.played_at >= $2 AND m.played_at < $3)
                LIMIT 1)',
        ladder, t.player_type, t.player_equals, t.match_type, t.match_equals)
    INTO place, refund USING player, since, until;
    IF refund IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('operation %s of ladder "%s" has given back points of matches with player %s in that time',
                refund, ladder, player),
            HINT = 'Undo it first, or begin behind these matches.';
    END IF;
    SELECT n.operation INTO operation
    FROM skillrating_internal.note_operation(ladder, 'exclude', player, since => since, until => until, at => at, reason => reason) AS n;
    PERFORM skillrating_internal.note_correction(ladder, 'exclude', place,
        player_id => skillrating_internal.counted_player(ladder, player), since => since);
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
corrected. A player of whom the ladder has no match and no operation is an error, because that may
be a typing error; allow_unknown is for those who are to be kept out before their first match.
Errors as for undo_operation(), and 22023 for an empty time, an unknown policy, or the refund of a
player who is merged into another, or for policy void of matches whose points were given back.';

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
    t record := skillrating_internal.ladder_facts(ladder);
    account text := player_id::text;
    place bigint;
    first_played_at timestamptz;
    bad boolean;
BEGIN
    -- Whoever follows the merges from into_id must not come back to player_id.
    EXECUTE format('SELECT NOT CAST($1 AS %1$s) %2$s CAST($2 AS %1$s) OR CAST($1 AS %1$s) %2$s CAST($3 AS %1$s)',
        t.player_type, t.player_equals)
    INTO bad USING account, skillrating_internal.counted_player(ladder, account),
        skillrating_internal.counted_player(ladder, into_id::text);
    IF bad THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s cannot be merged into %s', player_id, into_id),
            DETAIL = 'They are the same account, or the first is merged already.';
    END IF;
    IF NOT allow_unknown THEN
        PERFORM skillrating_internal.check_player(ladder, account, 'be known'),
            skillrating_internal.check_player(ladder, into_id::text, 'be known');
    END IF;
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
    INTO place, first_played_at USING account;
    SELECT n.operation INTO operation
    FROM skillrating_internal.note_operation(ladder, 'merge', account, into_id::text, reason => reason) AS n;
    PERFORM skillrating_internal.note_correction(ladder, 'merge', place, played_at => first_played_at, player_id => account);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.merge_players(text, anycompatible, anycompatible, text, boolean) IS
'Makes one player of two accounts: all matches of player_id, past and future, count as those of
into_id, as if it had always been one; what was set by hand, seeded, reset or given back for
player_id no longer counts. What was rated changes with catch_up(), after which player_id has no
rating. A player of whom the ladder has no match and no operation is an error unless allow_unknown
is true. Errors as for undo_operation(), and 22023 if player_id is merged already or into_id leads
back to it.';

CREATE FUNCTION skillrating_internal.undo_operation(
    ladder text,
    operation bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    undone record;
    place bigint;
    first_played_at timestamptz;
BEGIN
    -- Matches and states of players who were excluded or merged count again from the first one on, and
    -- matches to which rules applied.
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
            WHERE o.kind IN (''set'', ''seed'', ''reset'', ''refund'', ''fix'', ''unfix'') AND o.undone_at IS NULL
            UNION ALL
            SELECT m.seq, m.played_at FROM %1$I.operation AS o JOIN %1$I.rated_match AS m ON m.played_at >= o.since
            WHERE o.operation = $1 AND o.kind = ''eligibility'' AND o.undone_at IS NULL AND m.seq IS NOT NULL) AS p',
        ladder, t.player_equals, t.match_equals)
    INTO place, first_played_at USING operation;
    -- A season that began towards solved skills is two operations.
    EXECUTE format(
        'WITH undone AS (
            UPDATE %1$I.operation AS o SET undone_at = now() WHERE o.operation = $1 AND o.undone_at IS NULL
            RETURNING o.kind, o.params->>''name'' AS season, o.pool, o.seq
        ), seed AS (
            UPDATE %1$I.operation AS o SET undone_at = now() FROM undone AS u
            WHERE u.kind = ''season'' AND o.kind = ''seed'' AND o.params->>''season'' = u.season AND o.undone_at IS NULL
                AND o.pool = coalesce(u.pool, o.pool))
        SELECT u.kind, u.seq FROM undone AS u', ladder)
    INTO undone USING operation;
    IF undone.kind IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no operation %s to undo', ladder, operation),
            HINT = 'Its table operation has the numbers, and what is undone already.';
    END IF;
    IF undone.kind NOT IN ('exclude', 'merge', 'eligibility') OR undone.seq <= t.horizon THEN
        place := undone.seq;
    END IF;
    PERFORM skillrating_internal.note_change(ladder),
        skillrating_internal.note_correction(ladder, 'undo', place, played_at => first_played_at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.undo_operation(text, bigint) IS
'Undoes an operation by its number in table operation, as if it had never been; takes effect with
catch_up(). What makes one, such as new_season(), set_rating() or exclude_player(), returns that
number (operation), null if there was nothing to do, and how many players or rows of rating it
changed. It takes its place in the order by its time (at): matches before are replayed without it,
those after with it. Errors of all of these: 42704 for an unknown ladder, player or operation, 22008
for a time that is infinite or a day ahead, 55000 for one before the horizon.';
