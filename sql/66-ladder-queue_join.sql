-- Players join a queue and leave it, and accept matches or decline them.
--
-- Locks, in the order in which they are taken: the row in queue_backfill, for a call that may end
-- or fill it; the row in queue_proposal; the row in queue_ticket.  A ticket that is waiting changes
-- under the lock of its row, and one that is proposed under that of its proposal (lock_ticket()).  A
-- tick waits for nobody: it skips what others have locked.  Whoever changes which account counts as
-- which player has the ladder for itself (recount_queues()).
--
-- A transaction at REPEATABLE READ locks rows that it sees in an old state.  That fails with 40001
-- if somebody has updated them since, but not if somebody has only locked them.  So each answer
-- makes a new version of its proposal (lock_proposal()), and each proposal for a running match one
-- of the match's row in queue_backfill (write_proposals()).

CREATE FUNCTION skillrating_internal.check_queue_time(
    name text,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF NOT isfinite(at) THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('%s must be finite, not %s', name, at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_queue_time(text, timestamptz) IS
'Error 22008 for an infinite time, in an argument of that name.';

CREATE FUNCTION skillrating_internal.queue_estimates(
    q skillrating_internal.queue_settings,
    states float8[],
    OUT mu float8[],
    OUT mu_2 float8[],
    OUT command_mu float8[])
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    SELECT array_agg(e.mu + e.side_offset ORDER BY e.n),
        array_agg(e.mu - e.side_offset ORDER BY e.n) FILTER (WHERE q.sides),
        array_agg(e.command ORDER BY e.n) FILTER (WHERE q.commanders)
    INTO mu, mu_2, command_mu
    FROM (
        SELECT p.n, states[p.n + 1] - CASE WHEN q.caution = 0 THEN 0
                ELSE q.caution * states[p.n + q.deviation] END AS mu,
            CASE WHEN q.sides THEN states[p.n + q.side] ELSE 0 END AS side_offset,
            states[p.n + q.command] AS command
        FROM generate_series(0, cardinality(states) - 1, q.nstate) AS p(n)) AS e;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_estimates(skillrating_internal.queue_settings, float8[]) IS
'What players with these states, one after another, are worth in a queue: on the first team, on the
second where sides differ, and as commanders where there are some.';

CREATE FUNCTION skillrating_internal.queue_states(
    ladder text,
    q skillrating_internal.queue_settings,
    players text[],
    at timestamptz)
RETURNS float8[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- As many as states_at() takes.
    most constant integer := 10000;
    states float8[] := '{}';
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR start IN 1 .. cardinality(players) BY most LOOP
        states := states || skillrating_internal.states_at(ladder,
            players[start : start + most - 1], q.rating_pool, at,
            CASE WHEN q.context IS NOT NULL THEN ARRAY[q.context] END);
    END LOOP;
    RETURN states;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_states(text, skillrating_internal.queue_settings, text[], timestamptz) IS
'The states with which players would go into a match of a queue at a time, one after another, as
states_at() has them, of any number of players. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.notify_proposals(
    ladder text,
    proposals bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT pg_notify(n.channel, n.payload::text)
        FROM (
            SELECT q.channel, jsonb_build_object(''ladder'', $2, ''queue'', p.queue,
                ''proposal'', p.proposal, ''status'', p.status) AS payload
            FROM %1$I.queue_proposal AS p JOIN %1$I.queue AS q ON q.queue = p.queue
            WHERE p.proposal = ANY ($1) AND q.channel IS NOT NULL
            ORDER BY p.proposal) AS n', ladder)
    USING proposals, ladder;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.notify_proposals(text, bigint[]) IS
'Notifies the channels of queues, at commit, of what has become of proposals. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.end_tickets(
    ladder text,
    tickets bigint[],
    reason text,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'UPDATE %I.queue_ticket AS t SET status = ''ended'', reason = $2, ended_at = $3
        WHERE t.ticket = ANY ($1)', ladder)
    USING tickets, reason, at;
    EXECUTE format('DELETE FROM %I.queue_player AS p WHERE p.ticket = ANY ($1)', ladder)
    USING tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_tickets(text, bigint[], text, timestamptz) IS
'Ends tickets that the caller has locked. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.cancel_proposals(
    ladder text,
    proposals bigint[],
    reason text,
    faulty bigint[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF proposals = '{}' THEN
        RETURN;
    END IF;
    EXECUTE format(
        'UPDATE %I.queue_proposal AS p SET status = ''cancelled'', reason = $2, ended_at = $3
        WHERE p.proposal = ANY ($1)', ladder)
    USING proposals, reason, at;
    EXECUTE format(
        'UPDATE %1$I.queue_ticket AS t SET status = ''waiting'', proposal = NULL
        WHERE t.ticket IN (SELECT s.ticket FROM %1$I.queue_seat AS s WHERE s.proposal = ANY ($1))
            AND t.ticket <> ALL ($2) AND t.status = ''proposed''', ladder)
    USING proposals, faulty;
    PERFORM skillrating_internal.end_tickets(ladder, faulty, reason, at);
    EXECUTE format(
        'DELETE FROM %1$I.queue_backfill_player AS b USING %1$I.queue_proposal AS p
        WHERE p.proposal = ANY ($1) AND b.backfill = p.backfill AND b.proposal = p.proposal',
        ladder)
    USING proposals;
    PERFORM skillrating_internal.notify_proposals(ladder, proposals);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.cancel_proposals(text, bigint[], text, bigint[], timestamptz) IS
'Cancels open proposals that the caller has locked: the faulty tickets end for the same reason, and
the others wait again, as if they had never stopped. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.close_full_backfills(
    ladder text,
    proposals bigint[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'UPDATE %1$I.queue_backfill AS b SET status = ''filled'', ended_at = $2
        FROM %1$I.queue AS q
        WHERE b.backfill IN (
                SELECT p.backfill FROM %1$I.queue_proposal AS p WHERE p.proposal = ANY ($1))
            AND b.status = ''open'' AND q.queue = b.queue
            AND q.teams * q.team_size <= (
                SELECT count(*) FROM %1$I.queue_backfill_player AS p WHERE p.backfill = b.backfill)
            AND NOT EXISTS (
                SELECT FROM %1$I.queue_proposal AS p
                WHERE p.queue = b.queue AND p.status = ''open'' AND p.backfill = b.backfill)',
        ladder)
    USING proposals, at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.close_full_backfills(text, bigint[], timestamptz) IS
'Of the running matches that proposals are for, those without a free seat ask for nobody any more.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.finish_proposal(
    ladder text,
    proposal bigint,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'UPDATE %I.queue_proposal AS p SET status = ''made'', ended_at = $2
        WHERE p.proposal = $1', ladder)
    USING proposal, at;
    EXECUTE format(
        'WITH s AS (SELECT s.ticket FROM %1$I.queue_seat AS s WHERE s.proposal = $1),
        t AS (
            UPDATE %1$I.queue_ticket AS t SET status = ''matched'', ended_at = $2
            WHERE t.ticket IN (SELECT s.ticket FROM s))
        DELETE FROM %1$I.queue_player AS p WHERE p.ticket IN (SELECT s.ticket FROM s)', ladder)
    USING proposal, at;
    PERFORM skillrating_internal.close_full_backfills(ladder, ARRAY[proposal], at),
        skillrating_internal.notify_proposals(ladder, ARRAY[proposal]);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.finish_proposal(text, bigint, timestamptz) IS
'An open proposal that the caller has locked is a match, and its tickets are matched. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.lock_ticket(
    ladder text,
    ticket bigint,
    OUT status text,
    OUT proposal bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    expected bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    LOOP
        EXECUTE format('SELECT t.proposal FROM %I.queue_ticket AS t WHERE t.ticket = $1', ladder)
        INTO expected USING ticket;
        EXECUTE format('SELECT FROM %I.queue_proposal AS p WHERE p.proposal = $1 FOR UPDATE',
            ladder)
        USING expected;
        BEGIN
            EXECUTE format(
                'SELECT t.status, t.proposal FROM %I.queue_ticket AS t WHERE t.ticket = $1
                FOR UPDATE', ladder)
            INTO status, proposal USING ticket;
            IF proposal IS NOT DISTINCT FROM expected THEN
                RETURN;
            END IF;
            RAISE SQLSTATE 'SR001' USING MESSAGE = 'ticket is in another proposal now';
        EXCEPTION
            -- The lock of the ticket is given back, to come after that of the proposal.
            WHEN SQLSTATE 'SR001' THEN
                NULL;
        END;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lock_ticket(text, bigint) IS
'Locks a ticket, and before that the proposal that it is in, if any; returns what it then is, nulls
if it is gone. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_party(
    ladder text,
    q skillrating_internal.queue_settings,
    players text[],
    counted text[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    excluded text;
BEGIN
    IF array_position(players, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'array players must not contain nulls';
    END IF;
    IF cardinality(players) = 0 OR cardinality(players) > q.team_size THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s players cannot join queue "%s" together', cardinality(players),
                q.queue),
            HINT = format('A team of that queue has room for %s.', q.team_size);
    END IF;
    IF NOT q.excludes THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT min(u.player)
        FROM unnest($1, $2) AS u(player, counted)
        JOIN %1$I.operation AS o ON o.player_id %2$s CAST(u.player AS %3$s)
            OR o.player_id %2$s CAST(u.counted AS %3$s)
        WHERE o.kind = ''exclude'' AND o.undone_at IS NULL AND o.since <= $3 AND o.until > $3',
        ladder, t.player_equals, t.player_type)
    INTO excluded USING players, counted, at;
    IF excluded IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s is excluded from ladder "%s"', excluded, ladder),
            DETAIL = 'A match of that player would not be rated.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_party(text, skillrating_internal.queue_settings, text[], text[], timestamptz) IS
'A part of queue_join(): error 22004 for nulls, 22023 for a party that is empty or larger than a
team, and for a player whom exclude_player() has excluded.';

CREATE FUNCTION skillrating_internal.enter_players(
    ladder text,
    ticket bigint,
    players text[],
    counted text[],
    commander boolean[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    n bigint;
    expired bigint[];
    other record;
BEGIN
    EXECUTE format(
        'SELECT array_agg(k.ticket) FROM (
            SELECT k.ticket FROM %1$I.queue_ticket AS k
            WHERE k.status = ''waiting'' AND k.expires_at <= $2 AND k.ticket IN (
                SELECT p.ticket FROM unnest(CAST($1 AS %2$s[])) AS u(counted)
                JOIN %1$I.queue_player AS p ON p.counts_as %3$s u.counted)
            ORDER BY k.ticket FOR UPDATE) AS k', ladder, t.player_type, t.player_equals)
    INTO expired USING counted, at;
    PERFORM skillrating_internal.end_tickets(ladder, expired, 'expired', at);
    -- Those who were entered before are still there.
    EXECUTE format(
        'WITH p AS (
            INSERT INTO %1$I.queue_player (counts_as, player_id, ticket, commander)
            SELECT u.counted, u.player, $1, u.commander
            FROM unnest(CAST($2 AS %2$s[]), CAST($3 AS %2$s[]), $4)
                AS u(player, counted, commander)
            ORDER BY u.counted %3$s
            ON CONFLICT DO NOTHING
            RETURNING 1)
        SELECT (SELECT count(*) FROM p)
            + (SELECT count(*) FROM %1$I.queue_player AS p WHERE p.ticket = $1)',
        ladder, t.player_type, t.player_order)
    INTO n USING ticket, players, counted, commander;
    IF n = cardinality(players) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT p.player_id::text AS player, k.ticket, k.queue
        FROM unnest(CAST($1 AS %2$s[])) AS u(counted)
        JOIN %1$I.queue_player AS p ON p.counts_as %3$s u.counted
        JOIN %1$I.queue_ticket AS k ON k.ticket = p.ticket
        WHERE k.ticket <> $2 ORDER BY p.counts_as %4$s LIMIT 1',
        ladder, t.player_type, t.player_equals, t.player_order)
    INTO other USING counted, ticket;
    IF other.ticket IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'array players contains duplicates';
    END IF;
    RAISE unique_violation USING
        MESSAGE = format('player %s has a ticket already', other.player),
        DETAIL = format('It is ticket %s in queue "%s".', other.ticket, other.queue),
        HINT = 'skillrating.queue_leave() ends it.';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.enter_players(text, bigint, text[], text[], boolean[], timestamptz) IS
'A part of queue_join(), where players of a ticket could not be entered: enters them if the tickets
in the way have expired, and ends these. Errors: 23505 for a player who has another ticket, 22023
for one who occurs twice.';

CREATE FUNCTION skillrating_internal.queue_join(
    ladder text,
    queue text,
    players anycompatiblearray,
    pool text DEFAULT '',
    region bigint DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    lifetime interval DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    OUT ticket bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    q skillrating_internal.queue_settings;
    joined_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    counted text[];
    mean float8;
    entered bigint;
BEGIN
    IF ladder IS NULL OR queue IS NULL OR players IS NULL OR pool IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, queue, players and pool must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    q := skillrating_internal.queue_settings(ladder, queue);
    PERFORM skillrating_internal.check_queue_time('at', joined_at),
        skillrating_internal.check_every('lifetime', lifetime);
    IF region = 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'region must not be 0',
            HINT = 'It is a set of bits, 1 for the first region, 2 for the second, 3 for both; '
                'null for all.';
    END IF;
    ids := ARRAY(SELECT unnest(players)::text);
    IF cardinality(commander) <> cardinality(ids) THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array commander must have %s elements, not %s', cardinality(ids),
                cardinality(commander));
    END IF;
    counted := ARRAY(
        SELECT skillrating_internal.counted_player(ladder, u.id)
        FROM unnest(ids) WITH ORDINALITY AS u(id, n) ORDER BY u.n);
    PERFORM skillrating_internal.check_party(ladder, q, ids, counted, joined_at);
    SELECT avg(u.mu) INTO mean
    FROM skillrating_internal.queue_estimates(q,
            skillrating_internal.queue_states(ladder, q, ids, joined_at)) AS e,
        unnest(e.mu) AS u(mu);
    -- In one order, so that two parties that share players do not wait for each other.
    EXECUTE format(
        'WITH t AS (
            INSERT INTO %1$I.queue_ticket (queue, pool, region, size, mu, joined_at, expires_at,
                tried_at)
            VALUES ($1, $2, $3, cardinality($4), $7, $8, $8 + $9, $8) RETURNING ticket
        ), p AS (
            INSERT INTO %1$I.queue_player (counts_as, player_id, ticket, commander)
            SELECT u.counted, u.player, t.ticket, u.commander
            FROM t, unnest(CAST($4 AS %2$s[]), CAST($5 AS %2$s[]), $6)
                AS u(player, counted, commander)
            ORDER BY u.counted %3$s
            ON CONFLICT DO NOTHING
            RETURNING 1)
        SELECT t.ticket, (SELECT count(*) FROM p) FROM t', ladder, t.player_type, t.player_order)
    INTO ticket, entered
    USING queue, pool, region, ids, counted, ARRAY(SELECT unnest(commander)), mean, joined_at,
        coalesce(lifetime, q.ticket_lifetime);
    IF entered < cardinality(ids) THEN
        PERFORM skillrating_internal.enter_players(ladder, ticket, ids, counted,
            ARRAY(SELECT unnest(commander)), joined_at);
    END IF;
END
$function$;

SELECT skillrating_internal.create_entry('queue_join');

COMMENT ON FUNCTION skillrating.queue_join(text, text, anycompatiblearray, text, bigint, boolean[], interval, timestamptz) IS
'Has players wait for a match, together on one team, or a single player, and returns the number of
their ticket in table queue_ticket.

Their ratings are those at the time of the match.  Whoever has no rating in the rating_pool of the
queue is a new player.  A player has one ticket at a time in all queues of the ladder, under
whatever account.
pool: only tickets with the same meet.  region: a set of bits, such as the data centers within reach
at an acceptable latency; null for all.
commander: whether each player may command, null for all, in a queue with commanders.
lifetime: the ticket ends when it has waited so long, in place of the ticket_lifetime of the queue.
at: since when they wait, now by default.

Takes INSERT on table queue_ticket and SELECT on rating and component, see grant_matchmaker().
Errors: 42704 for an unknown ladder or queue, 23505 for a player who has a ticket, 22023 for a party
larger than a team, a player who occurs twice or is excluded, two accounts of one player, and a
region of 0; 22004 for nulls, 2202E for an array of another length, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.queue_leave(
    ladder text,
    players anycompatiblearray,
    at timestamptz DEFAULT NULL)
RETURNS TABLE (
    ticket bigint,
    queue_name text,
    waited float8)
LANGUAGE plpgsql VOLATILE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    left_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    tickets bigint[];
    locked record;
BEGIN
    IF ladder IS NULL OR players IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and players must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_queue_time('at', left_at);
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    ids := skillrating_internal.id_texts(ARRAY(SELECT unnest(players)::text), t.player_type,
        'players');
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT p.ticket), ''{}'')
        FROM unnest(CAST($1 AS %2$s[])) AS u(counted)
        JOIN %1$I.queue_player AS p ON p.counts_as %3$s u.counted',
        ladder, t.player_type, t.player_equals)
    INTO tickets
    USING ARRAY(SELECT skillrating_internal.counted_player(ladder, u.id) FROM unnest(ids) AS u(id));
    -- In one order, whichever tickets they are of.
    EXECUTE format(
        'SELECT FROM %1$I.queue_proposal AS p
        WHERE p.proposal IN (
            SELECT k.proposal FROM %1$I.queue_ticket AS k WHERE k.ticket = ANY ($1))
        ORDER BY p.proposal FOR UPDATE', ladder)
    USING tickets;
    FOREACH ticket IN ARRAY tickets LOOP
        locked := skillrating_internal.lock_ticket(ladder, ticket);
        IF locked.status = 'waiting' THEN
            PERFORM skillrating_internal.end_tickets(ladder, ARRAY[ticket], 'left', left_at);
        ELSIF locked.status = 'proposed' THEN
            PERFORM skillrating_internal.cancel_proposals(ladder, ARRAY[locked.proposal], 'left',
                ARRAY[ticket], left_at);
        ELSE
            CONTINUE;
        END IF;
        EXECUTE format(
            'SELECT k.queue, greatest(0, extract(epoch FROM k.ended_at - k.joined_at))::float8
            FROM %I.queue_ticket AS k WHERE k.ticket = $1', ladder)
        INTO queue_name, waited USING ticket;
        RETURN NEXT;
    END LOOP;
END
$function$;

SELECT skillrating_internal.create_entry('queue_leave');

COMMENT ON FUNCTION skillrating.queue_leave(text, anycompatiblearray, timestamptz) IS
'Takes players out of the queue of a ladder that they are in, with all of their party: a row for
each ticket that ends, with the seconds that it has waited. No row for a player who has none, or
whose match was just made. A match that not all have accepted is cancelled, and the others wait
again.
at: now by default. Waits for a tick that is looking at the ticket. Takes INSERT on table
queue_ticket, see grant_matchmaker(). Errors: 42704 for an unknown ladder, 22004 for nulls, 22023
for a player who occurs twice, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.lock_proposal(
    ladder text,
    proposal bigint,
    players anycompatiblearray,
    at timestamptz,
    OUT status text,
    OUT ids text[])
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    accept_by timestamptz;
    stranger text;
BEGIN
    IF ladder IS NULL OR proposal IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and proposal must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_queue_time('at', at);
    IF skillrating_internal.has_queue_tables(ladder) THEN
        -- The last seat of a running match ends its request, whose lock comes first.
        EXECUTE format(
            'SELECT FROM %1$I.queue_backfill AS b
            WHERE b.backfill = (
                SELECT p.backfill FROM %1$I.queue_proposal AS p WHERE p.proposal = $1)
            FOR UPDATE', ladder)
        USING proposal;
        EXECUTE format(
            'UPDATE %I.queue_proposal AS p SET status = p.status WHERE p.proposal = $1
            RETURNING p.status, p.accept_by', ladder)
        INTO status, accept_by USING proposal;
    END IF;
    IF status IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" has no proposal %s', ladder, proposal);
    END IF;
    IF players IS NOT NULL THEN
        ids := skillrating_internal.id_texts(ARRAY(SELECT unnest(players)::text), t.player_type,
            'players');
        EXECUTE format(
            'SELECT min(u.id::text) FROM unnest(CAST($2 AS %2$s[])) AS u(id)
            WHERE NOT EXISTS (
                SELECT FROM %1$I.queue_seat AS s WHERE s.proposal = $1 AND s.player_id %3$s u.id)',
            ladder, t.player_type, t.player_equals)
        INTO stranger USING proposal, ids;
        IF stranger IS NOT NULL THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('player %s has no seat in proposal %s', stranger, proposal);
        END IF;
    END IF;
    IF status = 'open' AND accept_by <= at THEN
        PERFORM skillrating_internal.cancel_late_proposals(ladder, ARRAY[proposal], at);
        status := 'cancelled';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.lock_proposal(text, bigint, anycompatiblearray, timestamptz) IS
'A part of queue_accept() and queue_decline(): locks a proposal, which is cancelled if its time is
over, and returns what it is, and the players as texts. Errors: 42704 for an unknown proposal, 22023
for a player without a seat in it, 22004 for nulls, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.cancel_late_proposals(
    ladder text,
    proposals bigint[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    faulty bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Where nobody has answered, perhaps nobody was asked.
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT s.ticket), ''{}'') FROM %1$I.queue_seat AS s
        WHERE s.proposal = ANY ($1) AND s.accepted_at IS NULL AND EXISTS (
            SELECT FROM %1$I.queue_seat AS o
            WHERE o.proposal = s.proposal AND o.accepted_at IS NOT NULL)', ladder)
    INTO faulty USING proposals;
    PERFORM skillrating_internal.cancel_proposals(ladder, proposals, 'not_accepted', faulty, at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.cancel_late_proposals(text, bigint[], timestamptz) IS
'Cancels open proposals that the caller has locked, because their time is over. Tickets with a
player who has not accepted end, unless nobody in the match has. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.queue_accept(
    ladder text,
    proposal bigint,
    players anycompatiblearray,
    at timestamptz DEFAULT NULL,
    OUT status text)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    accepted_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    complete boolean;
BEGIN
    SELECT l.status, l.ids INTO status, ids
    FROM skillrating_internal.lock_proposal(ladder, proposal, players, accepted_at) AS l;
    IF status <> 'open' THEN
        RETURN;
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'UPDATE %1$I.queue_seat AS s SET accepted_at = $2
        WHERE s.proposal = $1 AND s.accepted_at IS NULL AND ($3 IS NULL OR EXISTS (
            SELECT FROM unnest(CAST($3 AS %2$s[])) AS u(id) WHERE u.id %3$s s.player_id))',
        ladder, t.player_type, t.player_equals)
    USING proposal, accepted_at, ids;
    EXECUTE format(
        'SELECT bool_and(s.accepted_at IS NOT NULL) FROM %I.queue_seat AS s
        WHERE s.proposal = $1', ladder)
    INTO complete USING proposal;
    IF complete THEN
        PERFORM skillrating_internal.finish_proposal(ladder, proposal, accepted_at);
        status := 'made';
    END IF;
END
$function$;

SELECT skillrating_internal.create_entry('queue_accept');

COMMENT ON FUNCTION skillrating.queue_accept(text, bigint, anycompatiblearray, timestamptz) IS
'Notes that players accept a match that queue_tick() has proposed, or with a null in players that
all do, and returns what the proposal is now: open while others have not accepted, made, or
cancelled, also because its time is over. at: now by default. Takes INSERT on table queue_ticket,
see grant_matchmaker(). Errors: 42704 for an unknown ladder or proposal, 22004 for nulls, 22023 for
a player without a seat in it, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.queue_decline(
    ladder text,
    proposal bigint,
    players anycompatiblearray,
    at timestamptz DEFAULT NULL,
    OUT status text)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    declined_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    faulty bigint[];
BEGIN
    SELECT l.status, l.ids INTO status, ids
    FROM skillrating_internal.lock_proposal(ladder, proposal, players, declined_at) AS l;
    IF status <> 'open' OR ids = '{}' THEN
        RETURN;
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT s.ticket), ''{}'') FROM %1$I.queue_seat AS s
        WHERE s.proposal = $1 AND EXISTS (
            SELECT FROM unnest(CAST($2 AS %2$s[])) AS u(id) WHERE u.id %3$s s.player_id)',
        ladder, t.player_type, t.player_equals)
    INTO faulty USING proposal, ids;
    PERFORM skillrating_internal.cancel_proposals(ladder, ARRAY[proposal], 'declined', faulty,
        declined_at);
    status := 'cancelled';
END
$function$;

SELECT skillrating_internal.create_entry('queue_decline');

COMMENT ON FUNCTION skillrating.queue_decline(text, bigint, anycompatiblearray, timestamptz) IS
'Cancels a match that not all have accepted, because players decline it: their tickets end, with all
of their parties, and the others wait again, since when they did. With a null in players nobody
is to blame, as if no server is free, and all wait again. Returns what the proposal is: cancelled,
or made if it was too late. at: now by default. Takes INSERT on table queue_ticket, see
grant_matchmaker(). Errors: 42704 for an unknown ladder or proposal, 22004 for nulls, 22023 for a
player without a seat in it, 22008 for an infinite time.';
