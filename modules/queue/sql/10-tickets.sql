-- Players join a queue and leave it.
--
-- Locks, in the order in which they are taken: the row in backfill, for a call that may end or fill
-- it; the row in proposal; the row in ticket.  A ticket that is waiting changes under the lock of
-- its row, and one that is proposed under that of its proposal (lock_ticket()).  A tick waits for
-- nobody: it skips what others have locked.
--
-- A transaction at REPEATABLE READ locks rows that it sees in an old state.  That fails with 40001
-- if somebody has updated them since, but not if somebody has only locked them.  So each answer
-- makes a new version of its proposal (lock_proposal()), and each proposal for a running match one
-- of the match's row in backfill (write_proposals()).

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

CREATE FUNCTION skillrating_queue.check_arguments(at timestamptz, VARIADIC given boolean[])
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
    IF at IS NULL OR false = ANY (given) THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'arguments without a default must not be null';
    END IF;
    IF NOT isfinite(at) THEN
        RAISE datetime_field_overflow USING MESSAGE = format('at must be finite, not %s', at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.check_arguments(timestamptz, boolean[]) IS
'Error 22004 for a null in at, or unless all conditions are true, which say that an argument is not
null; 22008 for an infinite time.';

CREATE FUNCTION skillrating_queue.notify_proposals(proposals bigint[])
RETURNS void
LANGUAGE sql VOLATILE
AS $function$
    SELECT pg_notify(n.channel, n.payload::text)
    FROM (
        SELECT q.channel, jsonb_build_object('coordinator', current_schema, 'queue', p.queue,
            'proposal', p.proposal, 'status', p.status) AS payload
        FROM proposal AS p JOIN queue AS q ON q.queue = p.queue
        WHERE p.proposal = ANY (proposals) AND q.channel IS NOT NULL
        ORDER BY p.proposal) AS n
$function$;

COMMENT ON FUNCTION skillrating_queue.notify_proposals(bigint[]) IS
'Notifies the channels of queues, at commit, of what has become of proposals.';

CREATE FUNCTION skillrating_queue.end_tickets(
    tickets bigint[],
    cause text,
    at timestamptz,
    explanation text DEFAULT NULL)
RETURNS void
LANGUAGE sql VOLATILE
AS $function$
    WITH t AS (
        UPDATE ticket AS t
        SET status = 'ended', reason = cause, detail = explanation, ended_at = at
        WHERE t.ticket = ANY (tickets))
    DELETE FROM player AS p WHERE p.ticket = ANY (tickets)
$function$;

COMMENT ON FUNCTION skillrating_queue.end_tickets(bigint[], text, timestamptz, text) IS
'Ends tickets that the caller has locked.';

CREATE FUNCTION skillrating_queue.cancel_proposals(
    proposals bigint[],
    cause text,
    faulty bigint[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    IF proposals = '{}' THEN
        RETURN;
    END IF;
    UPDATE proposal AS p SET status = 'cancelled', reason = cause, ended_at = at
    WHERE p.proposal = ANY (proposals);
    UPDATE ticket AS t SET status = 'waiting', proposal = NULL
    WHERE t.ticket IN (SELECT s.ticket FROM seat AS s WHERE s.proposal = ANY (proposals))
        AND t.ticket <> ALL (faulty) AND t.status = 'proposed';
    PERFORM skillrating_queue.end_tickets(faulty, cause, at);
    DELETE FROM present AS r USING proposal AS p
    WHERE p.proposal = ANY (proposals) AND r.backfill = p.backfill AND r.proposal = p.proposal;
    PERFORM skillrating_queue.free_instances(
        ARRAY(SELECT s.session FROM session AS s WHERE s.proposal = ANY (proposals)), at);
    PERFORM skillrating_queue.notify_proposals(proposals);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.cancel_proposals(bigint[], text, bigint[], timestamptz) IS
'Cancels open proposals that the caller has locked: the faulty tickets end for the same reason, and
the others wait again, as if they had never stopped.';

CREATE FUNCTION skillrating_queue.lock_ticket(ticket bigint, OUT status text, OUT proposal bigint)
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant bigint := ticket;
    expected bigint;
BEGIN
    LOOP
        SELECT t.proposal INTO expected FROM ticket AS t WHERE t.ticket = wanted;
        PERFORM FROM proposal AS p WHERE p.proposal = expected FOR UPDATE;
        BEGIN
            SELECT t.status, t.proposal INTO status, proposal FROM ticket AS t
            WHERE t.ticket = wanted FOR UPDATE;
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

COMMENT ON FUNCTION skillrating_queue.lock_ticket(bigint) IS
'Locks a ticket, and before that the proposal that it is in, if any; returns what it then is, nulls
if it is gone.';

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
Errors are those of the view and the condition, which run with the rights of the owner; 42501 for a
view of a role that does not have these rights.';

CREATE FUNCTION skillrating_queue.check_party(q record, players text[], e record)
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    wrong text;
BEGIN
    IF cardinality(players) NOT BETWEEN 1 AND q.team_size THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s players cannot join queue "%s" together', cardinality(players),
                q.queue),
            HINT = format('A team of that queue has room for %s.', q.team_size);
    END IF;
    IF (SELECT count(DISTINCT u.id) FROM unnest(e.counts_as) AS u(id)) < cardinality(players) THEN
        RAISE invalid_parameter_value USING MESSAGE = 'array players contains a player twice';
    END IF;
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
END
$function$;

COMMENT ON FUNCTION skillrating_queue.check_party(record, text[], record) IS
'A part of join(): error 22023 for a party that is empty or larger than a team, a player who occurs
twice, and one who is excluded or may not join.';

CREATE FUNCTION skillrating_queue.join(
    home regclass,
    queue text,
    players text[],
    pool text DEFAULT '',
    region bigint DEFAULT NULL,
    commander boolean[] DEFAULT NULL,
    lifetime interval DEFAULT NULL,
    at timestamptz DEFAULT clock_timestamp())
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    party constant text[] := ARRAY(SELECT unnest(players));
    may_command constant boolean[] := ARRAY(SELECT coalesce(u.c, true) FROM unnest(commander) AS u(c));
    begun constant timestamptz := at;
    q record;
    e record;
    entered bigint;
    other record;
    made bigint;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, queue IS NOT NULL, players IS NOT NULL,
            pool IS NOT NULL, array_position(players, NULL) IS NULL);
    q := skillrating_queue.settings(queue);
    IF region = 0 OR lifetime <= '0' OR cardinality(may_command) NOT IN (0, cardinality(party)) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'region must not be 0, lifetime must be positive, and commander must have an element for each player',
            HINT = 'A region is a set of bits, 1 for the first, 2 for the second, 3 for both; null for all.';
    END IF;
    e := skillrating_queue.lobby_of(q, party, begun, commanders => ARRAY[true]);
    PERFORM skillrating_queue.check_party(q, party, e);
    INSERT INTO ticket (queue, pool, region, size, mu, joined_at, expires_at, tried_at)
    SELECT q.queue, pool, region, cardinality(party), avg(u.mu), begun,
        begun + coalesce(lifetime, q.ticket_lifetime), begun
    FROM unnest(e.mu) AS u(mu)
    RETURNING ticket INTO made;
    FOR attempt IN 1 .. 2 LOOP
        -- In one order, so that two parties that share players do not wait for each other.
        INSERT INTO player (counts_as, player_id, ticket, commander)
        SELECT u.counts_as, u.id, made, coalesce(may_command[u.n], true)
        FROM unnest(party, e.counts_as) WITH ORDINALITY AS u(id, counts_as, n)
        ORDER BY u.counts_as
        ON CONFLICT DO NOTHING;
        SELECT count(*) INTO entered FROM player AS p WHERE p.ticket = made;
        IF entered = cardinality(party) THEN
            RETURN made;
        END IF;
        PERFORM skillrating_queue.end_tickets(ARRAY(
            SELECT t.ticket FROM ticket AS t
            WHERE t.status = 'waiting' AND t.expires_at <= begun AND t.ticket IN (
                SELECT p.ticket FROM player AS p WHERE p.counts_as = ANY (e.counts_as))
            ORDER BY t.ticket FOR UPDATE), 'expired', begun);
    END LOOP;
    SELECT p.player_id, t.ticket, t.queue INTO other
    FROM player AS p JOIN ticket AS t ON t.ticket = p.ticket
    WHERE p.counts_as = ANY (e.counts_as) AND t.ticket <> made ORDER BY p.counts_as LIMIT 1;
    RAISE unique_violation USING
        MESSAGE = format('player %s has a ticket already', other.player_id),
        DETAIL = format('It is ticket %s in queue "%s".', other.ticket, other.queue),
        HINT = 'leave() ends it.';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.join(regclass, text, text[], text, bigint, boolean[], interval, timestamptz) IS
'Has players wait for a match, together on one team, or a single player, and returns the number of
their ticket.  A player has one ticket at a time in all queues of the coordinator, under whatever
account.  Ratings are those at the time of the match.

pool: only tickets with the same meet.  region: a set of bits, such as the data centers within reach
at an acceptable latency; null for all.
commander: whether each player may command, null for all, in a queue with commanders.
lifetime: the ticket ends when it has waited so long, in place of the ticket_lifetime of the queue.

Errors: 42704 for an unknown queue or ladder, 23505 for a player who has a ticket, 22023 for a party
larger than a team, a player who occurs twice, is excluded or may not join, and a region of 0; 22004
for nulls.';

CREATE FUNCTION skillrating_queue.leave(
    home regclass,
    players text[],
    at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (ticket bigint, queue_name text, waited float8)
LANGUAGE plpgsql VOLATILE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    left_at constant timestamptz := at;
    tickets bigint[];
    locked record;
    mine bigint;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, players IS NOT NULL);
    tickets := ARRAY(
        SELECT DISTINCT p.ticket FROM player AS p
        WHERE p.player_id = ANY (players) OR p.counts_as = ANY (players) ORDER BY 1);
    -- In one order, whichever tickets they are of.
    PERFORM FROM proposal AS p
    WHERE p.proposal IN (SELECT t.proposal FROM ticket AS t WHERE t.ticket = ANY (tickets))
    ORDER BY p.proposal FOR UPDATE;
    FOREACH mine IN ARRAY tickets LOOP
        locked := skillrating_queue.lock_ticket(mine);
        IF locked.status = 'waiting' THEN
            PERFORM skillrating_queue.end_tickets(ARRAY[mine], 'left', left_at);
        ELSIF locked.status = 'proposed' THEN
            PERFORM skillrating_queue.cancel_proposals(ARRAY[locked.proposal], 'left', ARRAY[mine],
                left_at);
        ELSE
            CONTINUE;
        END IF;
        RETURN QUERY
        SELECT t.ticket, t.queue, greatest(0, extract(epoch FROM t.ended_at - t.joined_at))::float8
        FROM ticket AS t WHERE t.ticket = mine;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.leave(regclass, text[], timestamptz) IS
'Takes players out of the queue that they are in, with all of their party: a row for each ticket
that ends, with the seconds that it has waited. No row for a player who has none, or whose match was
just made. A match that not all have accepted is cancelled, and the others wait again. Waits for a
tick that is looking at the ticket. Error 22004 for nulls.';

CREATE FUNCTION skillrating_queue.rename_players(
    home regclass,
    players text[],
    pseudonyms text[],
    at timestamptz DEFAULT clock_timestamp())
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    seats bigint;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, players IS NOT NULL, pseudonyms IS NOT NULL,
            cardinality(players) = cardinality(pseudonyms));
    PERFORM FROM skillrating_queue.leave(home, players, at);
    UPDATE present AS r SET player_id = u.pseudonym
    FROM unnest(players, pseudonyms) AS u(player, pseudonym) WHERE r.player_id = u.player;
    UPDATE seat AS s SET player_id = u.pseudonym
    FROM unnest(players, pseudonyms) AS u(player, pseudonym) WHERE s.player_id = u.player;
    GET DIAGNOSTICS seats = ROW_COUNT;
    RETURN seats;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.rename_players(regclass, text[], text[], timestamptz) IS
'Puts pseudonyms in the place of players, as forget_players() does in a ladder, and ends their
tickets; returns in how many seats. Errors: 22004 for nulls and arrays of different lengths, 23505
for a pseudonym that has a seat in the same match.';
