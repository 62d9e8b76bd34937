-- Game servers, sessions on them, and the answers to clients and servers.

CREATE FUNCTION skillrating_queue.take_instances(seats skillrating_queue.found[], at timestamptz)
RETURNS uuid[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    m record;
    taken uuid;
    result uuid[] := '{}';
BEGIN
    FOR m IN
        SELECT f.match_number, bit_and(t.region) AS region
        FROM unnest(seats) AS f JOIN ticket AS t ON t.ticket = f.ticket
        GROUP BY f.match_number ORDER BY f.match_number
    LOOP
        taken := NULL;
        UPDATE instance AS i SET session = gen_random_uuid()
        WHERE i.instance = (
            SELECT o.instance FROM instance AS o
            WHERE o.session IS NULL AND o.free_until > at
                AND (o.region IS NULL OR m.region IS NULL OR o.region & m.region <> 0)
            ORDER BY o.free_since, o.instance LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING i.session INTO taken;
        result[m.match_number] := taken;
    END LOOP;
    RETURN result;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.take_instances(skillrating_queue.found[], timestamptz) IS
'A part of tick(): takes a free instance for each match, in a region that all of its players have,
the one that has been free for longest, and returns the new sessions, null where there was none.';

CREATE FUNCTION skillrating_queue.free_instances(sessions uuid[], at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
AS $function$
    WITH s AS (
        UPDATE session AS s SET ended_at = at
        WHERE s.session = ANY (sessions) AND s.ended_at IS NULL)
    UPDATE instance AS i SET session = NULL, free_since = at WHERE i.session = ANY (sessions)
$function$;

COMMENT ON FUNCTION skillrating_queue.free_instances(uuid[], timestamptz) IS
'Ends sessions, and frees their instances as long as what they offered last stands.';

CREATE FUNCTION skillrating_queue.offer_instance(
    home regclass,
    instance text,
    address text,
    region bigint DEFAULT NULL,
    valid_for interval DEFAULT '1 minute',
    at timestamptz DEFAULT clock_timestamp())
RETURNS uuid
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_variable
DECLARE
    running uuid;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, instance IS NOT NULL, address IS NOT NULL,
            valid_for IS NOT NULL);
    INSERT INTO instance AS i (instance, address, region, free_since, free_until)
    VALUES (instance, address, region, at, at + valid_for)
    ON CONFLICT ON CONSTRAINT instance_pkey DO UPDATE
    SET address = excluded.address, region = excluded.region, free_until = excluded.free_until,
        free_since = CASE WHEN i.free_until < at THEN at ELSE i.free_since END
    RETURNING i.session INTO running;
    RETURN running;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.offer_instance(regclass, text, text, bigint, interval, timestamptz) IS
'Says that a game server, or a place on one, is there for a match, and returns the session that it
has, or null while it is free.  A server calls it again and again: an offer that is not repeated
within valid_for counts no more, as that of a server that has crashed.
address: what clients connect to.  region: a set of bits, null for all: an instance gets matches
whose players all have one of them.
A server that starts anew ends the session that it had by end_session(). Error 22004 for nulls.';

CREATE FUNCTION skillrating_queue.end_session(
    home regclass,
    session uuid,
    at timestamptz DEFAULT clock_timestamp())
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_variable
DECLARE
    ended record;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, session IS NOT NULL);
    SELECT s.proposal INTO ended FROM session AS s
    WHERE s.session = end_session.session AND s.ended_at IS NULL FOR UPDATE;
    PERFORM skillrating_queue.end_backfill(b.backfill, 'cancelled', at)
    FROM backfill AS b WHERE b.proposal = ended.proposal AND b.status = 'open';
    PERFORM skillrating_queue.free_instances(ARRAY[session], at);
    RETURN ended.proposal IS NOT NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_session(regclass, uuid, timestamptz) IS
'Ends a session and its requests for players: its instance is free again. Returns whether it was
running. Error 22004 for null.';

CREATE FUNCTION skillrating_queue.session_seats(
    home regclass,
    session uuid,
    at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    proposal bigint,
    queue_name text,
    ladder text,
    player_id text,
    team integer,
    commands boolean)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant uuid := session;
BEGIN
    PERFORM skillrating_queue.enter(home);
    RETURN QUERY
    SELECT p.proposal, p.queue, q.ladder, s.player_id, s.team, s.commands
    FROM session AS x
    JOIN proposal AS p ON p.status = 'made' AND (p.proposal = x.proposal OR p.backfill IN (
        SELECT b.backfill FROM backfill AS b WHERE b.proposal = x.proposal))
    JOIN queue AS q ON q.queue = p.queue
    JOIN seat AS s ON s.proposal = p.proposal
    WHERE x.session = wanted
    ORDER BY p.proposal, s.team, s.player_id COLLATE "C";
END
$function$;

COMMENT ON FUNCTION skillrating_queue.session_seats(regclass, uuid, timestamptz) IS
'Who plays in a session, for its server: the players of its match once all have accepted, and of
proposals that filled its seats, with their teams, and the ladder to report to. at has no meaning.';

CREATE FUNCTION skillrating_queue.answer(
    home regclass,
    ticket bigint,
    at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    status text,
    reason text,
    queue_name text,
    waited float8,
    proposal bigint,
    accept_by timestamptz,
    team integer,
    session uuid,
    address text)
LANGUAGE plpgsql STABLE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant bigint := ticket;
    asked_at constant timestamptz := at;
BEGIN
    PERFORM skillrating_queue.enter(home);
    RETURN QUERY
    SELECT t.status, t.reason, t.queue,
        greatest(0, extract(epoch FROM coalesce(t.ended_at, asked_at) - t.joined_at))::float8,
        p.proposal, p.accept_by,
        (SELECT min(s.team) FROM seat AS s WHERE s.proposal = p.proposal AND s.ticket = t.ticket),
        x.session, x.address
    FROM ticket AS t
    LEFT JOIN proposal AS p ON p.proposal = t.proposal
    LEFT JOIN backfill AS b ON b.backfill = p.backfill
    LEFT JOIN session AS x ON x.proposal = coalesce(b.proposal, p.proposal) AND p.status = 'made'
        AND x.ended_at IS NULL
    WHERE t.ticket = wanted;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.answer(regclass, bigint, timestamptz) IS
'What to tell the client of a ticket: its status (waiting, proposed, matched or ended, with the
reason), the seconds that it has waited, the proposal and until when it can be accepted, the team,
and once the match is made the session and the address to join. No row for an unknown ticket, or one
that has ended longer ago than the queue keeps them.';
