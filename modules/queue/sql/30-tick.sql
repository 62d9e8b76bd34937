-- What a worker does: a tick ends what has waited too long, finds players for the free seats of
-- running matches, and makes matches.

CREATE FUNCTION skillrating_queue.players_of(wanted bigint[], at timestamptz)
RETURNS skillrating_queue.queued
LANGUAGE sql STABLE
AS $function$
    -- In an order that does not depend on who has come first to the table.
    WITH p AS (
        SELECT p.player_id, p.counts_as, p.commander, t.*,
            row_number() OVER (ORDER BY t.joined_at, p.player_id COLLATE "C")::integer AS n
        FROM ticket AS t JOIN player AS p ON p.ticket = t.ticket
        WHERE t.ticket = ANY (wanted)
    ), o AS (
        SELECT p.*, min(p.n) OVER (PARTITION BY p.ticket) AS party FROM p
    )
    SELECT array_agg(o.player_id ORDER BY o.n), array_agg(o.counts_as ORDER BY o.n),
        array_agg(o.ticket ORDER BY o.n),
        array_agg(greatest(0, extract(epoch FROM at - o.joined_at))::float8 ORDER BY o.n),
        array_agg(CASE WHEN o.size > 1 THEN o.party END ORDER BY o.n),
        array_agg(o.region ORDER BY o.n), array_agg(o.pool ORDER BY o.n),
        array_agg(o.commander ORDER BY o.n)
    FROM o
$function$;

COMMENT ON FUNCTION skillrating_queue.players_of(bigint[], timestamptz) IS
'The players of tickets, the longest waiting first; nulls if there are none.';

CREATE FUNCTION skillrating_queue.slice(q record, at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    anchor record;
    tickets bigint[];
BEGIN
    IF q.max_tickets >= (
        SELECT count(*) FROM ticket AS t WHERE t.queue = q.queue AND t.status = 'waiting')
    THEN
        RETURN ARRAY(
            SELECT t.ticket FROM ticket AS t WHERE t.queue = q.queue AND t.status = 'waiting'
            FOR UPDATE SKIP LOCKED);
    END IF;
    -- The one whom no tick has looked at for longest, and the nearest who may meet.
    SELECT t.ticket, t.pool, t.region, t.mu INTO anchor
    FROM ticket AS t WHERE t.queue = q.queue AND t.status = 'waiting'
    ORDER BY t.tried_at, t.joined_at, t.mu, t.ticket LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN '{}';
    END IF;
    WITH above AS MATERIALIZED (
        SELECT t.ticket FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'waiting' AND t.pool = anchor.pool
            AND (anchor.region IS NULL OR t.region IS NULL OR t.region & anchor.region <> 0)
            AND t.mu >= anchor.mu
        ORDER BY t.mu LIMIT q.max_tickets / 2 FOR UPDATE SKIP LOCKED
    ), below AS MATERIALIZED (
        SELECT t.ticket FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'waiting' AND t.pool = anchor.pool
            AND (anchor.region IS NULL OR t.region IS NULL OR t.region & anchor.region <> 0)
            AND t.mu < anchor.mu
        ORDER BY t.mu DESC LIMIT q.max_tickets / 2 FOR UPDATE SKIP LOCKED
    ), near AS (
        SELECT a.ticket FROM above AS a UNION SELECT b.ticket FROM below AS b
        UNION SELECT anchor.ticket
    ), tried AS (
        UPDATE ticket AS t SET tried_at = at FROM near AS n WHERE t.ticket = n.ticket
        RETURNING t.ticket
    )
    SELECT array_agg(t.ticket) INTO tickets FROM tried AS t;
    RETURN tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.slice(record, timestamptz) IS
'Locks the tickets that a tick looks at, and that no other session is at work on: all that wait, or
if these are more than max_tickets, those nearest in skill to the one that has not been looked at
for longest, in its pool and regions. So workers at the same time have different parts of the range
of skills, in each of which there are neighbours.';

CREATE FUNCTION skillrating_queue.end_broken_ticket(
    queue text,
    ticket bigint,
    fault text,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    RAISE WARNING 'ticket % of queue "%" is broken, and ends: %', ticket, queue, fault;
    PERFORM skillrating_queue.end_tickets(ARRAY[ticket], 'broken', at, fault);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_broken_ticket(text, bigint, text, timestamptz) IS
'Ends a ticket that the caller has locked, and says so in a warning.';

CREATE FUNCTION skillrating_queue.set_aside(q record, tickets bigint[], at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    mine bigint;
    p skillrating_queue.queued;
    good bigint[] := '{}';
    faults text[] := '{}';
BEGIN
    FOREACH mine IN ARRAY tickets LOOP
        BEGIN
            p := skillrating_queue.players_of(ARRAY[mine], at);
            PERFORM skillrating_queue.lobby_of(q, p.players, at, commanders => ARRAY[true]);
            PERFORM skillrating_queue.not_admitted(q, p.players);
            good := good || mine;
        EXCEPTION
            WHEN data_exception OR raise_exception THEN
                PERFORM skillrating_queue.end_broken_ticket(q.queue, mine, SQLERRM, at);
                faults := faults || SQLERRM;
        END;
    END LOOP;
    -- What is wrong with all of them in the same words is wrong with the view accounts.
    IF good = '{}' AND faults[1] = ALL (faults) AND cardinality(faults) > 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('nobody can be looked up in %s with %s: %s', q.accounts, q.may_join,
                faults[1]);
    END IF;
    RETURN good;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.set_aside(record, bigint[], timestamptz) IS
'Tries tickets that the caller has locked, each alone, ends with a warning those that raise an error
of data, and returns the others. Error 22023 if all raise the same one.';

CREATE FUNCTION skillrating_queue.end_broken(q record, tickets bigint[], at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    b record;
BEGIN
    FOR b IN
        SELECT t.ticket, format('%s players of %s, where a team has room for %s', count(p.ticket),
            t.size, q.team_size) AS fault
        FROM ticket AS t LEFT JOIN player AS p ON p.ticket = t.ticket
        WHERE t.ticket = ANY (tickets) GROUP BY t.ticket
        HAVING count(p.ticket) <> t.size OR t.size > q.team_size ORDER BY t.ticket
    LOOP
        PERFORM skillrating_queue.end_broken_ticket(q.queue, b.ticket, b.fault, at);
        tickets := array_remove(tickets, b.ticket);
    END LOOP;
    RETURN tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_broken(record, bigint[], timestamptz) IS
'Ends, with a warning, tickets that the caller has locked and that have not the players that they
say, or more than a team; returns the others.';

CREATE FUNCTION skillrating_queue.find_matches(
    q record,
    tickets bigint[],
    max_matches bigint,
    explain boolean,
    at timestamptz)
RETURNS skillrating_queue.found[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    p skillrating_queue.queued;
    e skillrating.lobby;
    unfit record;
    unwanted text[];
    done bigint[] := '{}';
    found_players skillrating_queue.found[];
BEGIN
    LOOP
        p := skillrating_queue.players_of(tickets, at);
        IF p.players IS NULL THEN
            RETURN '{}';
        END IF;
        e := skillrating_queue.lobby_of(q, p.players, at, p.party, p.commander);
        unwanted := skillrating_queue.not_admitted(q, p.players);
        -- What has become of accounts since they joined.
        FOR unfit IN
            SELECT array_agg(DISTINCT u.ticket) AS tickets, u.reason
            FROM (
                SELECT u.ticket, CASE WHEN u.excluded THEN 'excluded'
                    WHEN u.counted <> u.counts_as THEN 'merged' ELSE 'not_admitted' END AS reason
                FROM unnest(p.tickets, e.counts_as, p.counts_as, e.excluded, p.players)
                    AS u(ticket, counted, counts_as, excluded, player)
                WHERE u.excluded OR u.counted <> u.counts_as OR u.player = ANY (unwanted)) AS u
            GROUP BY u.reason
        LOOP
            PERFORM skillrating_queue.end_tickets(unfit.tickets, unfit.reason, at);
            done := done || unfit.tickets;
        END LOOP;
        EXIT WHEN NOT tickets && done;
        tickets := ARRAY(SELECT u.t FROM unnest(tickets) AS u(t) WHERE u.t <> ALL (done));
    END LOOP;
    SELECT array_agg(ROW(m.match_number, u.player, m.team, u.ticket, u.waited, u.pool, m.region,
        m.win_probability, m.quality, m.difference, m.commands, m.why)::skillrating_queue.found
        ORDER BY m.match_number, m.n)
    INTO found_players
    FROM skillrating.pair_queue(e, waited => p.waited, region => p.region, pool => p.pool,
        teams => q.teams, team_size => q.team_size, initial_window => q.initial_window,
        widening => q.widening, max_window => q.max_window, min_quality => q.min_quality,
        explain => explain) WITH ORDINALITY AS m(match_number, player, team, difference,
            win_probability, quality, region, commands, why, n)
    JOIN unnest(e.players, p.players, p.tickets, p.waited, p.pool)
        AS u(id, player, ticket, waited, pool) ON u.id = m.player
    WHERE m.match_number <= max_matches;
    RETURN coalesce(found_players, '{}');
END
$function$;

COMMENT ON FUNCTION skillrating_queue.find_matches(record, bigint[], bigint, boolean, timestamptz) IS
'The matches of pair_queue() among tickets that the caller has locked. Tickets end if a player of
theirs is excluded by now, merged, or may not join any more.';

CREATE FUNCTION skillrating_queue.write_proposals(
    q record,
    seats skillrating_queue.found[],
    request bigint,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    made constant boolean := q.accept_within IS NULL;
    numbers constant regclass := pg_get_serial_sequence('proposal', 'proposal');
    sessions uuid[];
    proposals bigint[];
BEGIN
    IF q.needs_instance AND request IS NULL THEN
        sessions := skillrating_queue.take_instances(seats, at);
        seats := ARRAY(
            SELECT f FROM unnest(seats) AS f WHERE sessions[f.match_number] IS NOT NULL);
    END IF;
    WITH f AS MATERIALIZED (
        SELECT f.* FROM unnest(seats) AS f
    ), n AS MATERIALIZED (
        SELECT nextval(numbers) AS proposal, n.*
        FROM (
            SELECT f.match_number, min(f.pool) AS pool, min(f.region) AS region,
                min(f.quality) AS quality, min(f.difference) AS difference,
                (array_agg(f.why ORDER BY f.why IS NULL))[1] AS why
            FROM f GROUP BY f.match_number ORDER BY f.match_number) AS n
    ), p AS (
        INSERT INTO proposal (proposal, queue, backfill, pool, region, status, proposed_at,
            accept_by, ended_at, quality, difference, why)
        SELECT n.proposal, q.queue, request, n.pool, n.region,
            CASE WHEN made THEN 'made' ELSE 'open' END, at, at + q.accept_within,
            CASE WHEN made THEN at END, n.quality, n.difference, n.why
        FROM n
    ), s AS (
        INSERT INTO seat (proposal, player_id, team, ticket, waited, win_probability, commands)
        SELECT n.proposal, f.player_id, f.team, f.ticket, f.waited, f.win_probability, f.commands
        FROM f JOIN n ON n.match_number = f.match_number
    ), k AS (
        UPDATE ticket AS k
        SET status = CASE WHEN made THEN 'matched' ELSE 'proposed' END, proposal = n.proposal,
            ended_at = CASE WHEN made THEN at END
        FROM (SELECT DISTINCT f.ticket, f.match_number FROM f) AS f
        JOIN n ON n.match_number = f.match_number
        WHERE k.ticket = f.ticket
    ), d AS (
        DELETE FROM player AS p WHERE made AND p.ticket IN (SELECT f.ticket FROM f)
    ), b AS (
        INSERT INTO present (backfill, player_id, team, proposal)
        SELECT request, f.player_id, f.team, n.proposal
        FROM f JOIN n ON n.match_number = f.match_number WHERE request IS NOT NULL
    ), r AS (
        UPDATE backfill AS r SET status = r.status WHERE r.backfill = request
    ), x AS (
        INSERT INTO session (session, proposal, instance, address, created_at)
        SELECT i.session, n.proposal, i.instance, i.address, at
        FROM n JOIN instance AS i ON i.session = sessions[n.match_number]
    )
    SELECT coalesce(array_agg(n.proposal ORDER BY n.proposal), '{}') INTO proposals FROM n;
    IF made AND request IS NOT NULL THEN
        PERFORM skillrating_queue.close_full_backfills(proposals, at);
    END IF;
    PERFORM skillrating_queue.notify_proposals(proposals);
    RETURN proposals;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.write_proposals(record, skillrating_queue.found[], bigint, timestamptz) IS
'Writes the matches that a tick has found, or players for a running match (request), of tickets that
it has locked, and returns their numbers. In a queue that needs instances a match without one is not
made.';

CREATE FUNCTION skillrating_queue.make_matches(
    q record,
    max_matches bigint,
    explain boolean,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    tickets bigint[];
    good bigint[];
    seats skillrating_queue.found[];
    failure text;
    failure_code text;
BEGIN
    IF max_matches <= 0 THEN
        RETURN '{}';
    END IF;
    tickets := skillrating_queue.end_broken(q, skillrating_queue.slice(q, at), at);
    BEGIN
        seats := skillrating_queue.find_matches(q, tickets, max_matches, explain, at);
    EXCEPTION
        WHEN data_exception OR raise_exception THEN
            failure := SQLERRM;
            failure_code := SQLSTATE;
    END;
    IF failure IS NOT NULL THEN
        good := skillrating_queue.set_aside(q, tickets, at);
        IF cardinality(good) = cardinality(tickets) THEN
            RAISE USING ERRCODE = failure_code, MESSAGE = failure;
        END IF;
        seats := skillrating_queue.find_matches(q, good, max_matches, explain, at);
    END IF;
    RETURN CASE WHEN seats = '{}' THEN '{}'
        ELSE skillrating_queue.write_proposals(q, seats, NULL, at) END;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.make_matches(record, bigint, boolean, timestamptz) IS
'A part of tick(): makes matches of a part of the queue and returns the numbers of their proposals.
Tickets that cannot be rated end, and do not keep the others from their matches.';

CREATE FUNCTION skillrating_queue.end_overdue(q record, at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    lost bigint;
BEGIN
    PERFORM skillrating_queue.cancel_late_proposals(ARRAY(
        SELECT p.proposal FROM proposal AS p
        WHERE p.queue = q.queue AND p.status = 'open' AND p.accept_by <= at
        FOR UPDATE SKIP LOCKED), at);
    PERFORM skillrating_queue.end_tickets(ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'waiting' AND t.expires_at <= at
        FOR UPDATE SKIP LOCKED), 'expired', at);
    UPDATE backfill AS b SET status = 'ended', reason = 'expired', ended_at = at
    WHERE b.backfill IN (
        SELECT o.backfill FROM backfill AS o
        WHERE o.queue = q.queue AND o.status = 'open' AND o.expires_at <= at
        FOR UPDATE SKIP LOCKED);
    -- A proposal that somebody is answering is left to the next tick.
    PERFORM skillrating_queue.cancel_proposals(ARRAY(
        SELECT p.proposal FROM proposal AS p JOIN backfill AS b ON b.backfill = p.backfill
        WHERE p.queue = q.queue AND p.status = 'open' AND b.status = 'ended'
        ORDER BY p.proposal FOR UPDATE OF p SKIP LOCKED), 'expired', '{}', at);
    FOR lost IN
        SELECT t.ticket FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'proposed' AND NOT EXISTS (
            SELECT FROM proposal AS p WHERE p.proposal = t.proposal AND p.status = 'open')
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM skillrating_queue.end_broken_ticket(q.queue, lost, 'its proposal is not open', at);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_overdue(record, timestamptz) IS
'A part of tick(): ends what has waited too long: proposals for players to accept, and tickets and
backfills for a match, with the open proposals of these; and tickets in proposals that do not
exist.';

CREATE FUNCTION skillrating_queue.trim(q record, at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    -- So many at a time, to keep ticks short.
    most constant integer := 2000;
BEGIN
    IF q.keep IS NULL THEN
        RETURN;
    END IF;
    DELETE FROM ticket AS t WHERE t.ticket = ANY (ARRAY(
        SELECT o.ticket FROM ticket AS o WHERE o.queue = q.queue AND o.ended_at < at - q.keep
        LIMIT most FOR UPDATE SKIP LOCKED));
    DELETE FROM proposal AS p WHERE p.proposal = ANY (ARRAY(
        SELECT o.proposal FROM proposal AS o WHERE o.queue = q.queue AND o.ended_at < at - q.keep
        LIMIT most FOR UPDATE SKIP LOCKED));
    DELETE FROM backfill AS b WHERE b.backfill = ANY (ARRAY(
        SELECT o.backfill FROM backfill AS o WHERE o.queue = q.queue AND o.ended_at < at - q.keep
        LIMIT most FOR UPDATE SKIP LOCKED));
END
$function$;

COMMENT ON FUNCTION skillrating_queue.trim(record, timestamptz) IS
'A part of tick(): deletes tickets, proposals and backfills that have ended longer ago than they are
to be kept, some at a time.';

CREATE FUNCTION skillrating_queue.tick(
    home regclass,
    queue text,
    max_matches integer DEFAULT NULL,
    explain boolean DEFAULT false,
    at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    proposal bigint,
    backfill bigint,
    status text,
    player_id text,
    team integer,
    ticket bigint,
    waited float8,
    win_probability float8,
    quality float8,
    difference float8,
    region bigint,
    commands boolean,
    why jsonb)
LANGUAGE plpgsql VOLATILE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    q record;
    most constant bigint := coalesce(max_matches, 2147483647);
    made bigint[];
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, queue IS NOT NULL, explain IS NOT NULL);
    IF max_matches < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('max_matches must not be negative, not %s', max_matches);
    END IF;
    q := skillrating_queue.settings(queue);
    PERFORM skillrating_queue.end_overdue(q, at), skillrating_queue.trim(q, at);
    made := skillrating_queue.fill_backfills(q, most, at);
    made := made || skillrating_queue.make_matches(q, most - cardinality(made), explain, at);
    RETURN QUERY
    SELECT p.proposal, p.backfill, p.status, s.player_id, s.team, s.ticket, s.waited,
        s.win_probability, p.quality, p.difference, p.region, s.commands,
        CASE WHEN row_number() OVER (
            PARTITION BY p.proposal ORDER BY s.team, s.player_id COLLATE "C") = 1 THEN p.why END
    FROM proposal AS p JOIN seat AS s ON s.proposal = p.proposal
    WHERE p.proposal = ANY (made)
    ORDER BY p.proposal, s.team, s.player_id COLLATE "C";
END
$function$;

COMMENT ON FUNCTION skillrating_queue.tick(regclass, text, integer, boolean, timestamptz) IS
'Does what is due for a queue, in one transaction: ends tickets and proposals whose time is over,
finds players for running matches that ask for some, and then makes matches of those who wait, as
pair_queue() does, of their ratings now. Several workers can do that at the same time: what one has
locked the others leave alone.  A ticket or a request that is broken ends with a warning.

Result: a row for each player who got a seat, by match and team.
proposal: the match.  backfill: the running match that the player joins, or null.  status: made, or
open where the queue has accept_within: accept() and decline() follow.
ticket, waited: of the player, and its seconds in the queue.
win_probability, quality, difference, region, commands, why: as for pair_queue(), by the model of
the ladder.

max_matches: at most so many, null for no limit.  explain: says why, as in pair_queue().

With more tickets than max_tickets of the queue, a call looks at a part of them, and the next one at
another: call it while it returns rows, and again a moment later.
Errors: 42704 for an unknown queue or ladder, 22004 for nulls, 22023 for a negative max_matches.';
