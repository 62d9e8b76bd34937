-- Game servers, sessions on them, and the answers to clients and servers.

CREATE FUNCTION skillrating_queue.offer_instance(
    instance text,
    address text,
    region bigint DEFAULT NULL,
    valid_for interval DEFAULT '1 minute',
    at timestamptz DEFAULT clock_timestamp())
RETURNS uuid
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_variable
DECLARE
    running uuid;
BEGIN
    INSERT INTO instance AS i (instance, address, region, free_since, free_until)
    VALUES (instance, address, region, at, at + valid_for)
    ON CONFLICT ON CONSTRAINT instance_pkey DO UPDATE
    SET address = excluded.address, region = excluded.region, free_until = excluded.free_until,
        free_since = CASE WHEN i.free_until < at THEN at ELSE i.free_since END
    RETURNING i.session INTO running;
    RETURN running;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.offer_instance(text, text, bigint, interval, timestamptz) IS
'Says that a game server, or a place on one, is there for a match, and returns the session that it
has, or null while it is free. A server calls it again and again: an offer that is not repeated
within valid_for counts no more, as that of a server that has crashed. One that starts anew ends the
session that it had by end_session(). address: what clients connect to. region: a set of bits, null
for all: an instance gets matches whose players all have one of them.';

CREATE FUNCTION skillrating_queue.end_session(
    session uuid,
    at timestamptz DEFAULT clock_timestamp())
RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_variable
DECLARE
    ended bigint;
BEGIN
    UPDATE proposal AS p SET session_ended_at = at
    WHERE p.session = end_session.session AND p.session_ended_at IS NULL
    RETURNING p.proposal INTO ended;
    PERFORM skillrating_queue.end_backfill(b.backfill, 'cancelled', at)
    FROM backfill AS b WHERE b.proposal = ended AND b.status = 'open';
    UPDATE instance AS i SET session = NULL, free_since = at WHERE i.session = end_session.session;
    RETURN ended IS NOT NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_session(uuid, timestamptz) IS
'Ends a session and its requests for players: its instance is free again, as long as what it offered
last stands. Returns whether it was running.';

CREATE FUNCTION skillrating_queue.session_seats(
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
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant uuid := session;
BEGIN
    RETURN QUERY
    SELECT p.proposal, p.queue, q.ladder, s.player_id, s.team, s.commands
    FROM proposal AS x
    JOIN proposal AS p ON p.status = 'made' AND (p.proposal = x.proposal OR p.backfill IN (
        SELECT b.backfill FROM backfill AS b WHERE b.proposal = x.proposal))
    JOIN queue AS q ON q.queue = p.queue
    JOIN seat AS s ON s.proposal = p.proposal
    WHERE x.session = wanted
    ORDER BY p.proposal, s.team, s.player_id COLLATE "C";
END
$function$;

COMMENT ON FUNCTION skillrating_queue.session_seats(uuid, timestamptz) IS
'Who plays in a session, for its server: the players of its match once all have accepted, and of
proposals that filled its seats, with their teams, and the ladder to report to. at has no meaning.';

CREATE FUNCTION skillrating_queue.answer(
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
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant bigint := ticket;
    asked_at constant timestamptz := at;
BEGIN
    RETURN QUERY
    SELECT t.status, t.reason, t.queue,
        greatest(0, extract(epoch FROM coalesce(t.ended_at, asked_at) - t.joined_at))::float8,
        p.proposal, p.accept_by,
        (SELECT min(s.team) FROM seat AS s WHERE s.proposal = p.proposal AND s.ticket = t.ticket),
        x.session, x.address
    FROM ticket AS t
    LEFT JOIN proposal AS p ON p.proposal = t.proposal
    LEFT JOIN backfill AS b ON b.backfill = p.backfill
    LEFT JOIN proposal AS x ON x.proposal = coalesce(b.proposal, p.proposal) AND p.status = 'made'
        AND x.session_ended_at IS NULL
    WHERE t.ticket = wanted;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.answer(bigint, timestamptz) IS
'What to tell the client of a ticket: its status (waiting, proposed, matched or ended, with the
reason), the seconds that it has waited, the proposal and until when it can be accepted, the team,
and once the match is made the session and the address to join. No row for an unknown ticket.';
