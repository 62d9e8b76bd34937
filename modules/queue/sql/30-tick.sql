-- What a worker does: a tick ends what has waited too long, finds players for the free seats of
-- running matches, and makes matches.

CREATE FUNCTION skillrating_queue.players_of(
    wanted bigint[],
    at timestamptz,
    OUT players text[],
    OUT counts_as text[],
    OUT tickets bigint[],
    OUT waited float8[],
    OUT party integer[],
    OUT region bigint[],
    OUT pool text[],
    OUT commander boolean[])
LANGUAGE sql STABLE
AS $function$
    SELECT array_agg(o.player_id), array_agg(o.counts_as), array_agg(o.ticket),
        array_agg(greatest(0, extract(epoch FROM at - o.joined_at))::float8),
        array_agg(o.party::integer), array_agg(o.region), array_agg(o.pool),
        array_agg(o.commander)
    FROM (
        SELECT p.player_id, p.counts_as, p.commander, t.*,
            CASE WHEN t.size > 1 THEN dense_rank() OVER (ORDER BY t.ticket) END AS party
        FROM ticket AS t JOIN player AS p ON p.ticket = t.ticket
        WHERE t.ticket = ANY (wanted)
        -- It does not depend on who has come first to the table.
        ORDER BY t.joined_at, p.player_id COLLATE "C") AS o
$function$;

COMMENT ON FUNCTION skillrating_queue.players_of(bigint[], timestamptz) IS
'The players of tickets, an element of each array for each, as pair_queue() takes them, the longest
waiting first; nulls if there are none.';

CREATE FUNCTION skillrating_queue.slice(q record, at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    anchor record;
    tickets bigint[];
BEGIN
    SELECT t.pool, t.region, t.mu INTO anchor
    FROM ticket AS t WHERE t.queue = q.queue AND t.status = 'waiting'
    ORDER BY t.tried_at, t.joined_at, t.mu, t.ticket LIMIT 1 FOR UPDATE SKIP LOCKED;
    tickets := ARRAY(
        SELECT t.ticket FROM ticket AS t WHERE t.queue = q.queue AND t.status = 'waiting'
        ORDER BY t.pool <> anchor.pool, coalesce(t.region & anchor.region = 0, false),
            abs(t.mu - anchor.mu), t.ticket
        LIMIT q.max_tickets FOR UPDATE SKIP LOCKED);
    UPDATE ticket AS t SET tried_at = at
    WHERE t.ticket = ANY (tickets) AND cardinality(tickets) = q.max_tickets;
    RETURN tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.slice(record, timestamptz) IS
'Locks the tickets that a tick looks at, and no other session: at most max_tickets, of those that
wait, the nearest in skill to the one that has not been looked at for longest, and those in its pool
and regions first. So workers at the same time have different parts of the range of skills, in each
of which there are neighbours.';

CREATE FUNCTION skillrating_queue.fit_tickets(q record, wanted bigint[], at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    p constant record := skillrating_queue.players_of(wanted, at);
    players constant text[] := coalesce(p.players, '{}');
    e record;
    unwanted text[];
    unfit record;
    fit bigint[] := wanted;
BEGIN
    e := skillrating_queue.lobby_of(q, players, at);
    unwanted := skillrating_queue.not_admitted(q, players);
    FOR unfit IN
        SELECT t.ticket, CASE WHEN bool_or(u.excluded) THEN 'excluded'
                WHEN bool_or(u.counted <> u.counts_as) THEN 'merged'
                WHEN bool_or(u.player = ANY (unwanted)) THEN 'not_admitted'
                ELSE 'broken' END AS reason,
            CASE WHEN count(u.player) <> t.size OR t.size > q.team_size THEN
                format('%s players of %s, where a team has room for %s', count(u.player), t.size,
                    q.team_size) END AS fault
        FROM ticket AS t
        LEFT JOIN unnest(p.tickets, e.counts_as, p.counts_as, e.excluded, p.players)
            AS u(ticket, counted, counts_as, excluded, player) ON u.ticket = t.ticket
        WHERE t.ticket = ANY (wanted) GROUP BY t.ticket
        HAVING bool_or(u.excluded OR u.counted <> u.counts_as OR u.player = ANY (unwanted))
            OR count(u.player) <> t.size OR t.size > q.team_size
        ORDER BY t.ticket
    LOOP
        PERFORM skillrating_queue.end_tickets(ARRAY[unfit.ticket], unfit.reason, at, unfit.fault);
        fit := array_remove(fit, unfit.ticket);
    END LOOP;
    RETURN fit;
EXCEPTION
    WHEN data_exception OR raise_exception THEN
        IF cardinality(wanted) = 1 THEN
            PERFORM skillrating_queue.end_tickets(wanted, 'broken', at, SQLERRM);
            RETURN '{}';
        END IF;
        -- Each alone.  What is wrong with all in the same words is wrong with the queue.
        fit := ARRAY(
            SELECT f.ticket
            FROM unnest(wanted) AS w(ticket),
                unnest(skillrating_queue.fit_tickets(q, ARRAY[w.ticket], at)) AS f(ticket));
        IF NOT EXISTS (
            SELECT FROM ticket AS t
            WHERE t.ticket = ANY (wanted) AND t.detail IS DISTINCT FROM SQLERRM)
        THEN
            RAISE;
        END IF;
        RETURN fit;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fit_tickets(record, bigint[], timestamptz) IS
'Of tickets that the caller has locked, those that can play. The others end: those with a player who
is excluded by now, merged, or may not join any more; and, with a warning, those that have not the
players that they say, more than a team, or an error of data. Passes on an error that all of several
raise.';

CREATE FUNCTION skillrating_queue.write_proposals(
    q record,
    seats record,
    request bigint,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    is_made constant boolean := q.accept_within IS NULL;
    numbers constant regclass := pg_get_serial_sequence('proposal', 'proposal');
    on_server constant boolean := q.needs_instance AND request IS NULL;
    m record;
    taken uuid;
    sessions uuid[];
    proposals bigint[];
BEGIN
    -- In a region that all players have, what has been free for longest.
    FOR m IN
        SELECT u.match, bit_and(t.region) AS region
        FROM unnest(seats.match, seats.tickets) AS u(match, ticket)
        JOIN ticket AS t ON t.ticket = u.ticket
        WHERE on_server GROUP BY u.match ORDER BY u.match
    LOOP
        UPDATE instance AS i SET session = gen_random_uuid()
        WHERE i.instance = (
            SELECT o.instance FROM instance AS o
            WHERE o.session IS NULL AND o.free_until > at
                AND (o.region & m.region <> 0) IS NOT FALSE
            ORDER BY o.free_since, o.instance LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING i.session INTO taken;
        sessions[m.match] := taken;
    END LOOP;
    WITH f AS MATERIALIZED (
        SELECT u.*
        FROM unnest(seats.match, seats.players, seats.team, seats.tickets, seats.pool, seats.region,
            seats.win_probability, seats.quality, seats.difference, seats.commands, seats.why)
            AS u(match, player_id, team, ticket, pool, region, win_probability, quality, difference,
                commands, why)
        WHERE NOT on_server OR sessions[u.match] IS NOT NULL
    ), n AS MATERIALIZED (
        SELECT nextval(numbers) AS proposal, n.*
        FROM (
            SELECT f.match, min(f.pool) AS pool, min(f.region) AS region, min(f.quality) AS quality,
                min(f.difference) AS difference, (array_agg(f.why ORDER BY f.why IS NULL))[1] AS why
            FROM f GROUP BY f.match ORDER BY f.match) AS n
    ), p AS (
        INSERT INTO proposal (proposal, queue, backfill, pool, region, status, proposed_at,
            accept_by, ended_at, quality, difference, why, session, address)
        SELECT n.proposal, q.queue, request, n.pool, n.region,
            CASE WHEN is_made THEN 'made' ELSE 'open' END, at, at + q.accept_within,
            CASE WHEN is_made THEN at END, n.quality, n.difference, n.why, i.session, i.address
        FROM n LEFT JOIN instance AS i ON i.session = sessions[n.match]
    ), s AS (
        INSERT INTO seat (proposal, player_id, team, ticket, win_probability, commands)
        SELECT n.proposal, f.player_id, f.team, f.ticket, f.win_probability, f.commands
        FROM f JOIN n ON n.match = f.match
    ), k AS (
        UPDATE ticket AS k
        SET status = CASE WHEN is_made THEN 'matched' ELSE 'proposed' END, proposal = n.proposal,
            ended_at = CASE WHEN is_made THEN at END
        FROM (SELECT DISTINCT f.ticket, f.match FROM f) AS f JOIN n ON n.match = f.match
        WHERE k.ticket = f.ticket
    ), d AS (
        DELETE FROM player AS p WHERE is_made AND p.ticket IN (SELECT f.ticket FROM f)
    ), b AS (
        INSERT INTO present (backfill, player_id, team, proposal)
        SELECT request, f.player_id, f.team, n.proposal
        FROM f JOIN n ON n.match = f.match WHERE request IS NOT NULL
    ), r AS (
        UPDATE backfill AS r SET status = r.status WHERE r.backfill = request
    )
    SELECT coalesce(array_agg(n.proposal ORDER BY n.proposal), '{}') INTO proposals FROM n;
    RETURN proposals;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.write_proposals(record, record, bigint, timestamptz) IS
'Writes the matches that a tick has found, an element of each array for each player, or players for a
running match (request), of tickets that it has locked, and returns their numbers. In a queue that
needs instances each takes a free one, and a match without one is not made.';

CREATE FUNCTION skillrating_queue.make_matches(
    q record,
    max_matches bigint,
    explain boolean,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    tickets bigint[] := '{}';
    p record;
    e skillrating.lobby;
    seats record;
BEGIN
    IF max_matches > 0 THEN
        tickets := skillrating_queue.slice(q, at);
    END IF;
    IF tickets <> '{}' THEN
        tickets := skillrating_queue.fit_tickets(q, tickets, at);
    END IF;
    IF tickets = '{}' THEN
        RETURN '{}';
    END IF;
    p := skillrating_queue.players_of(tickets, at);
    e := skillrating_queue.lobby_of(q, p.players, at, p.party, p.commander);
    SELECT array_agg(r.match_number) AS match, array_agg(u.player) AS players,
        array_agg(r.team) AS team, array_agg(u.ticket) AS tickets, array_agg(u.pool) AS pool,
        array_agg(r.region) AS region, array_agg(r.win_probability) AS win_probability,
        array_agg(r.quality) AS quality, array_agg(r.difference) AS difference,
        array_agg(r.commands) AS commands, array_agg(r.why) AS why INTO seats
    FROM skillrating.pair_queue(e, waited => p.waited, region => p.region, pool => p.pool,
        teams => q.teams, team_size => q.team_size, initial_window => q.initial_window,
        widening => q.widening, max_window => q.max_window, min_quality => q.min_quality,
        explain => explain) AS r
    JOIN unnest(e.players, p.players, p.tickets, p.pool) AS u(id, player, ticket, pool)
        ON u.id = r.player_id
    WHERE r.match_number <= max_matches;
    RETURN skillrating_queue.write_proposals(q, seats, NULL, at);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.make_matches(record, bigint, boolean, timestamptz) IS
'A part of tick(): makes matches of a part of the queue, as pair_queue() does, and returns the
numbers of their proposals.';

CREATE FUNCTION skillrating_queue.end_overdue(q record, at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    late bigint[];
    -- So many rows are deleted at a time, to keep ticks short.
    most constant integer := 2000;
BEGIN
    late := ARRAY(
        SELECT p.proposal FROM proposal AS p
        WHERE p.queue = q.queue AND p.ended_at IS NULL AND p.accept_by <= at
        FOR UPDATE SKIP LOCKED);
    -- Where nobody has answered, perhaps nobody was asked.
    PERFORM skillrating_queue.cancel_proposals(late, 'not_accepted', ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.status = 'proposed' AND t.proposal = ANY (late) AND EXISTS (
                SELECT FROM seat AS s WHERE s.proposal = t.proposal AND s.accepted_at IS NOT NULL)
            AND EXISTS (
                SELECT FROM seat AS s WHERE s.ticket = t.ticket AND s.proposal = t.proposal
                    AND s.accepted_at IS NULL)
        FOR UPDATE SKIP LOCKED), at);
    PERFORM skillrating_queue.end_tickets(ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'waiting' AND t.expires_at <= at
        FOR UPDATE SKIP LOCKED), 'expired', at);
    WITH t AS (
        DELETE FROM ticket AS t WHERE t.ticket = ANY (ARRAY(
            SELECT o.ticket FROM ticket AS o WHERE o.queue = q.queue AND o.ended_at < at - q.keep
            LIMIT most FOR UPDATE SKIP LOCKED))
    ), p AS (
        DELETE FROM proposal AS p WHERE p.proposal = ANY (ARRAY(
            SELECT o.proposal FROM proposal AS o
            WHERE o.queue = q.queue AND o.ended_at < at - q.keep LIMIT most FOR UPDATE SKIP LOCKED))
    )
    DELETE FROM backfill AS b WHERE b.backfill = ANY (ARRAY(
        SELECT o.backfill FROM backfill AS o WHERE o.queue = q.queue AND o.ended_at < at - q.keep
        LIMIT most FOR UPDATE SKIP LOCKED));
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_overdue(record, timestamptz) IS
'A part of tick(): ends proposals and tickets whose time is over, and deletes rows that have ended
longer ago than they are to be kept.';

CREATE FUNCTION skillrating_queue.tick(
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
    commands boolean)
LANGUAGE plpgsql VOLATILE ROWS 100
AS $function$
#variable_conflict use_column
DECLARE
    q constant record := skillrating_queue.settings(queue);
    most constant bigint := coalesce(max_matches, 2147483647);
    made bigint[];
BEGIN
    PERFORM skillrating_queue.end_overdue(q, at);
    made := skillrating_queue.fill_backfills(q, most, at);
    made := made || skillrating_queue.make_matches(q, most - cardinality(made), explain, at);
    RETURN QUERY
    SELECT p.proposal, p.backfill, p.status, s.player_id, s.team, s.ticket,
        greatest(0, extract(epoch FROM p.proposed_at - t.joined_at))::float8, s.win_probability,
        p.quality, p.difference, p.region, s.commands
    FROM proposal AS p
    JOIN seat AS s ON s.proposal = p.proposal
    JOIN ticket AS t ON t.ticket = s.ticket
    WHERE p.proposal = ANY (made)
    ORDER BY p.proposal, s.team, s.player_id COLLATE "C";
END
$function$;

COMMENT ON FUNCTION skillrating_queue.tick(text, integer, boolean, timestamptz) IS
'Does what is due for a queue, in one transaction: ends tickets and proposals whose time is over,
finds players for running matches that ask for some, and then makes matches of those who wait, as
pair_queue() does, of their ratings now. Several workers can do that at the same time: what one has
locked the others leave alone. A ticket or a request that is broken ends with a warning.

Result: a row for each player who got a seat, by match and team. proposal: the match. backfill: the
running match that the player joins, or null. status: made, or open where the queue has
accept_within: accept() and decline() follow. ticket, waited: of the player, and its seconds in the
queue. win_probability, quality, difference, region, commands: as for pair_queue(), by the model of
the ladder; difference is null for those who join a running match.

max_matches: at most so many, null for no limit. explain: column why of table proposal says why, as
in pair_queue(). With more tickets than max_tickets of the queue, a call looks at a part of them,
and the next one at another: call it while it returns rows, and again a moment later. Error 42704
for an unknown queue or ladder.';
