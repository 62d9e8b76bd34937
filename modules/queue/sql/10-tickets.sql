-- Players join a queue and leave it, and accept matches or decline them.
--
-- Locks are those of rows.  Whoever answers a proposal waits for its row, then for that of the
-- running match that it is for (backfill), and then for those of tickets, in the order of their
-- numbers.  Whoever has one of these locks takes those that come before it only if they are free
-- (SKIP LOCKED), and leaves the rest to the next tick.  A tick waits for none of them.
--
-- A transaction at REPEATABLE READ locks rows that it sees in an old state.  That fails with 40001
-- if somebody has updated them since, but not if somebody has only locked them.  So each answer
-- makes a new version of its proposal (lock_proposal()), and each proposal for a running match one
-- of the match's row in backfill (write_proposals(), accept()).

CREATE FUNCTION skillrating_queue.settings(name text)
RETURNS record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    q record;
BEGIN
    SELECT r.* INTO q FROM queue AS r WHERE r.queue = name;
    IF NOT FOUND THEN
        RAISE undefined_object USING
            MESSAGE = format('there is no queue "%s"', name),
            HINT = 'A queue is a row of table queue.';
    END IF;
    RETURN q;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.settings(text) IS
'The row of a queue. Error 42704 if there is none.';

CREATE FUNCTION skillrating_queue.lobby_of(
    q record,
    players text[],
    at timestamptz,
    party integer[] DEFAULT NULL,
    commanders boolean[] DEFAULT '{t}',
    locked integer[] DEFAULT NULL)
RETURNS skillrating.lobby
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    e constant skillrating.lobby := skillrating.lobby(q.ladder, players, party => party::text[],
        locked => locked, commanders => CASE WHEN q.commanders THEN commanders END,
        context => CASE WHEN q.context IS NOT NULL THEN ARRAY[q.context] END,
        pool => q.rating_pool, sides => q.sides, caution => q.caution, log_odds => q.log_odds,
        at => lobby_of.at, strict => true);
BEGIN
    IF cardinality(players) > (SELECT count(DISTINCT u.id) FROM unnest(e.counts_as) AS u(id)) THEN
        RAISE invalid_parameter_value USING MESSAGE = 'array players contains a player twice';
    END IF;
    RETURN e;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.lobby_of(record, text[], timestamptz, integer[], boolean[], integer[]) IS
'Players as a lobby of the ladder of a queue, at a time. Errors are those of skillrating.lobby(), and
22023 for a player who occurs twice, under whatever account.';

CREATE FUNCTION skillrating_queue.not_admitted(q record, players text[])
RETURNS text[]
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    id_type text;
    result text[];
BEGIN
    IF q.accounts IS NULL THEN
        RETURN '{}';
    END IF;
    SELECT format_type(a.atttypid, a.atttypmod) INTO id_type FROM pg_attribute AS a
    WHERE a.attrelid = q.accounts::regclass AND a.attname = 'player_id' AND NOT a.attisdropped;
    IF id_type IS NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('%s has no column player_id', q.accounts);
    END IF;
    -- Functions in a view, and in policies, run with the rights of whoever reads.
    IF NOT (SELECT pg_has_role(c.relowner, current_user::regrole, 'USAGE')
        FROM pg_class AS c WHERE c.oid = q.accounts::regclass)
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('%s belongs to another role', q.accounts),
            HINT = 'Its functions would run with the rights of the coordinator''s owner, who has to own it.';
    END IF;
    -- By the type of the view, so that an index serves.
    EXECUTE format(
        'SELECT coalesce(array_agg(u.id), ''{}'') FROM unnest($1) AS u(id)
        WHERE NOT EXISTS (
            SELECT FROM (SELECT * FROM %s AS account WHERE (%s)) AS a
            WHERE a.player_id = CAST(u.id AS %s))', q.accounts::regclass, q.may_join, id_type)
    INTO result USING players;
    RETURN result;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.not_admitted(record, text[]) IS
'Those players who have no row in the view accounts of a queue that meets its condition may_join.
Errors are those of the view and the condition, which run with the rights of the owner; 42501 for
another role''s view.';

CREATE FUNCTION skillrating_queue.end_tickets(
    tickets bigint[],
    cause text,
    at timestamptz,
    fault text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    IF fault IS NOT NULL THEN
        RAISE WARNING 'ticket % is broken, and ends: %', array_to_string(tickets, ', '), fault;
    END IF;
    UPDATE ticket AS t SET status = 'ended', reason = cause, detail = fault, ended_at = at
    WHERE t.ticket = ANY (tickets) AND t.status IN ('waiting', 'proposed');
    DELETE FROM player AS p WHERE p.ticket = ANY (tickets);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_tickets(bigint[], text, timestamptz, text) IS
'Ends tickets that have not ended yet, with a warning if they have a fault.';

CREATE FUNCTION skillrating_queue.cancel_proposals(
    proposals bigint[],
    cause text,
    faulty bigint[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    IF proposals <> '{}' THEN
        UPDATE proposal AS p SET status = 'cancelled', ended_at = at, session_ended_at = at,
            reason = coalesce(
                (SELECT b.reason FROM backfill AS b WHERE b.backfill = p.backfill), cause)
        WHERE p.proposal = ANY (proposals);
        UPDATE instance AS i SET session = NULL, free_since = at
        FROM proposal AS p WHERE p.proposal = ANY (proposals) AND i.session = p.session;
        DELETE FROM present AS r USING proposal AS p
        WHERE p.proposal = ANY (proposals) AND r.backfill = p.backfill AND r.proposal = p.proposal;
        PERFORM skillrating_queue.end_tickets(faulty, cause, at);
    END IF;
    UPDATE ticket AS t SET status = 'waiting', proposal = NULL
    WHERE t.ticket = ANY (ARRAY(
        SELECT o.ticket FROM ticket AS o
        WHERE o.status = 'proposed' AND NOT EXISTS (
            SELECT FROM proposal AS p WHERE p.proposal = o.proposal AND p.status = 'open')
        FOR UPDATE SKIP LOCKED));
END
$function$;

COMMENT ON FUNCTION skillrating_queue.cancel_proposals(bigint[], text, bigint[], timestamptz) IS
'Cancels open proposals that the caller has locked: the faulty tickets end for the same reason, and
the others wait again, as if they had never stopped, with those that an earlier call has found
locked.';

CREATE FUNCTION skillrating_queue.join(
    queue text,
    players text[],
    pool text DEFAULT '',
    region bigint DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    lifetime interval DEFAULT NULL,
    at timestamptz DEFAULT clock_timestamp())
RETURNS bigint
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_column
DECLARE
    begun constant timestamptz := at;
    q constant record := skillrating_queue.settings(queue);
    e record;
    wrong text;
    made bigint;
    entered bigint;
    other record;
BEGIN
    IF coalesce(cardinality(players), 0) NOT BETWEEN 1 AND q.team_size THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s players cannot join queue "%s" together',
                coalesce(cardinality(players), 0), q.queue),
            HINT = format('A team of that queue has room for %s.', q.team_size);
    END IF;
    e := skillrating_queue.lobby_of(q, players, begun);
    SELECT min(u.player) INTO wrong
    FROM unnest(players, e.excluded) AS u(player, excluded) WHERE u.excluded;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s is excluded from ladder "%s"', wrong, q.ladder),
            DETAIL = 'A match of that player would not be rated.';
    END IF;
    SELECT min(u.id) INTO wrong FROM unnest(skillrating_queue.not_admitted(q, players)) AS u(id);
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s may not join queue "%s"', wrong, q.queue),
            DETAIL = format('The player has no row in %s with %s.', q.accounts, q.may_join);
    END IF;
    PERFORM skillrating_queue.end_tickets(ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.status = 'waiting' AND t.expires_at <= begun AND t.ticket IN (
            SELECT p.ticket FROM player AS p WHERE p.counts_as = ANY (e.counts_as))
        ORDER BY t.ticket FOR UPDATE), 'expired', begun);
    INSERT INTO ticket (queue, pool, region, size, mu, joined_at, expires_at, tried_at)
    SELECT q.queue, pool, region, cardinality(players), avg(u.mu), begun,
        begun + coalesce(lifetime, q.ticket_lifetime), begun
    FROM unnest(e.mu) AS u(mu)
    RETURNING ticket INTO made;
    -- In one order, so that two parties that share players do not wait for each other.
    INSERT INTO player (counts_as, player_id, ticket, commander)
    SELECT u.counts_as, u.id, made, coalesce(u.commander, true)
    FROM unnest(e.counts_as, players, commander) AS u(counts_as, id, commander)
    ORDER BY u.counts_as
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS entered = ROW_COUNT;
    IF entered < cardinality(players) THEN
        SELECT p.player_id, t.ticket, t.queue INTO other
        FROM player AS p JOIN ticket AS t ON t.ticket = p.ticket
        WHERE p.counts_as = ANY (e.counts_as) AND t.ticket <> made ORDER BY p.counts_as LIMIT 1;
        RAISE unique_violation USING
            MESSAGE = format('player %s has a ticket already', other.player_id),
            DETAIL = format('It is ticket %s in queue "%s".', other.ticket, other.queue),
            HINT = 'leave() ends it.';
    END IF;
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.join(text, text[], text, bigint, boolean[], interval, timestamptz) IS
'Has players wait for a match, together on one team, or a single player, and returns the number of
their ticket. A player has one ticket at a time in all queues of the coordinator, under whatever
account. pool: only tickets with the same meet. region: a set of bits, such as the data centers
within reach at an acceptable latency; null for all. commander: whether each player may command,
null for all, in a queue with commanders. lifetime: in place of the ticket_lifetime of the queue.

Errors: 42704 for an unknown queue or ladder, 23505 for a player who has a ticket, 22023 for a party
larger than a team, a player who occurs twice, is excluded or may not join; 22004 for nulls; and
those of table ticket, such as 23514 for a region of 0.';

CREATE FUNCTION skillrating_queue.leave(
    players text[],
    at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (ticket bigint, queue_name text, waited float8)
LANGUAGE plpgsql VOLATILE ROWS 1
AS $function$
#variable_conflict use_column
DECLARE
    tickets bigint[];
BEGIN
    tickets := ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.status IN ('waiting', 'proposed') AND t.ticket IN (
            SELECT p.ticket FROM player AS p
            WHERE p.player_id = ANY (players) OR p.counts_as = ANY (players))
        ORDER BY t.ticket FOR UPDATE);
    PERFORM skillrating_queue.end_tickets(tickets, 'left', at),
        skillrating_queue.cancel_proposals(ARRAY(
            SELECT p.proposal FROM proposal AS p
            WHERE p.status = 'open' AND p.proposal IN (
                SELECT t.proposal FROM ticket AS t WHERE t.ticket = ANY (tickets))
            FOR UPDATE SKIP LOCKED), 'left', '{}', at);
    RETURN QUERY
    SELECT t.ticket, t.queue, greatest(0, extract(epoch FROM t.ended_at - t.joined_at))::float8
    FROM ticket AS t WHERE t.ticket = ANY (tickets) ORDER BY t.ticket;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.leave(text[], timestamptz) IS
'Takes players out of the queue that they are in, with all of their party: a row for each ticket that
ends, with the seconds that it has waited. A match that not all have accepted is cancelled, and the
others wait again: at once, or with the next tick if somebody is just answering it. Waits for a tick
that has the ticket.';

CREATE FUNCTION skillrating_queue.lock_proposal(wanted bigint, players text[])
RETURNS text
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    found_status text;
    stranger text;
BEGIN
    UPDATE proposal AS p SET status = p.status WHERE p.proposal = wanted
    RETURNING p.status INTO found_status;
    IF found_status IS NULL THEN
        RAISE undefined_object USING MESSAGE = format('there is no proposal %s', wanted);
    END IF;
    SELECT min(u.id) INTO stranger FROM unnest(players) AS u(id)
    WHERE NOT EXISTS (SELECT FROM seat AS s WHERE s.proposal = wanted AND s.player_id = u.id);
    IF stranger IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s has no seat in proposal %s', stranger, wanted);
    END IF;
    RETURN found_status;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.lock_proposal(bigint, text[]) IS
'A part of accept() and decline(): locks a proposal, and returns what it is. Errors: 42704 for an
unknown proposal, 22023 for a player without a seat in it.';

CREATE FUNCTION skillrating_queue.accept(
    proposal bigint,
    players text[] DEFAULT NULL,
    at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant bigint := proposal;
    answered_at constant timestamptz := at;
    found_status constant text := skillrating_queue.lock_proposal(wanted, players);
    tickets bigint[];
    lost boolean;
BEGIN
    IF found_status <> 'open' THEN
        RETURN found_status;
    END IF;
    UPDATE seat AS s SET accepted_at = answered_at
    WHERE s.proposal = wanted AND s.accepted_at IS NULL
        AND (players IS NULL OR s.player_id = ANY (players));
    IF EXISTS (SELECT FROM seat AS s WHERE s.proposal = wanted AND s.accepted_at IS NULL) THEN
        RETURN 'open';
    END IF;
    -- Whoever leaves or ends the running match does not wait for us.
    UPDATE backfill AS b SET status = b.status
    WHERE b.backfill = (SELECT p.backfill FROM proposal AS p WHERE p.proposal = wanted);
    tickets := ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.ticket IN (SELECT s.ticket FROM seat AS s WHERE s.proposal = wanted)
        ORDER BY t.ticket FOR UPDATE);
    lost := EXISTS (
            SELECT FROM ticket AS t WHERE t.ticket = ANY (tickets)
                AND (t.status <> 'proposed' OR t.proposal <> wanted))
        OR EXISTS (
            SELECT FROM proposal AS p JOIN backfill AS b ON b.backfill = p.backfill
            WHERE p.proposal = wanted AND b.status = 'ended');
    IF lost THEN
        PERFORM skillrating_queue.cancel_proposals(ARRAY[wanted], 'left', '{}', answered_at);
        RETURN 'cancelled';
    END IF;
    UPDATE proposal AS p SET status = 'made', ended_at = answered_at WHERE p.proposal = wanted;
    UPDATE ticket AS t SET status = 'matched', ended_at = answered_at
    WHERE t.ticket = ANY (tickets);
    DELETE FROM player AS p WHERE p.ticket = ANY (tickets);
    RETURN 'made';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.accept(bigint, text[], timestamptz) IS
'Notes that players accept a match that a tick has proposed, or with a null in players that all do,
and returns what the proposal is now: open while others have not accepted, made, or cancelled.
Errors: 42704 for an unknown proposal, 22023 for a player without a seat in it.';

CREATE FUNCTION skillrating_queue.decline(
    proposal bigint,
    players text[] DEFAULT NULL,
    at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant bigint := proposal;
    found_status constant text := skillrating_queue.lock_proposal(wanted, players);
BEGIN
    IF found_status <> 'open' OR players = '{}' THEN
        RETURN found_status;
    END IF;
    PERFORM skillrating_queue.cancel_proposals(ARRAY[wanted], 'declined', ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.ticket IN (
            SELECT s.ticket FROM seat AS s
            WHERE s.proposal = wanted AND s.player_id = ANY (players))
        ORDER BY t.ticket FOR UPDATE), at);
    RETURN 'cancelled';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.decline(bigint, text[], timestamptz) IS
'Cancels a match that not all have accepted, because players decline it: their tickets end, with all
of their parties, and the others wait again, since when they did; or all, with a null in players.
Returns what the proposal is: cancelled, or made if it was too late. Errors as for accept().';
