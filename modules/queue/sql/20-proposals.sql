-- Players accept matches or decline them.

CREATE FUNCTION skillrating_queue.close_full_backfills(proposals bigint[], at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
AS $function$
    UPDATE backfill AS b SET status = 'filled', ended_at = at
    FROM queue AS q
    WHERE b.backfill IN (SELECT p.backfill FROM proposal AS p WHERE p.proposal = ANY (proposals))
        AND b.status = 'open' AND q.queue = b.queue
        AND q.teams * q.team_size <= (
            SELECT count(*) FROM present AS r WHERE r.backfill = b.backfill)
        AND NOT EXISTS (
            SELECT FROM proposal AS p WHERE p.backfill = b.backfill AND p.status = 'open')
$function$;

COMMENT ON FUNCTION skillrating_queue.close_full_backfills(bigint[], timestamptz) IS
'Of the running matches that proposals are for, those without a free seat ask for nobody any more.';

CREATE FUNCTION skillrating_queue.cancel_late_proposals(proposals bigint[], at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE
AS $function$
    -- Where nobody has answered, perhaps nobody was asked.
    SELECT skillrating_queue.cancel_proposals(proposals, 'not_accepted', ARRAY(
        SELECT DISTINCT s.ticket FROM seat AS s
        WHERE s.proposal = ANY (proposals) AND s.accepted_at IS NULL AND EXISTS (
            SELECT FROM seat AS o WHERE o.proposal = s.proposal AND o.accepted_at IS NOT NULL)), at)
$function$;

COMMENT ON FUNCTION skillrating_queue.cancel_late_proposals(bigint[], timestamptz) IS
'Cancels open proposals that the caller has locked, because their time is over. Tickets with a
player who has not accepted end, unless nobody in the match has.';

CREATE FUNCTION skillrating_queue.lock_proposal(wanted bigint, players text[], at timestamptz)
RETURNS text
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    found record;
    stranger text;
BEGIN
    -- The last seat of a running match ends its request, whose lock comes first.
    PERFORM FROM backfill AS b
    WHERE b.backfill = (SELECT p.backfill FROM proposal AS p WHERE p.proposal = wanted) FOR UPDATE;
    UPDATE proposal AS p SET status = p.status WHERE p.proposal = wanted
    RETURNING p.status, p.accept_by INTO found;
    IF found.status IS NULL THEN
        RAISE undefined_object USING MESSAGE = format('there is no proposal %s', wanted);
    END IF;
    SELECT min(u.id) INTO stranger FROM unnest(players) AS u(id)
    WHERE NOT EXISTS (SELECT FROM seat AS s WHERE s.proposal = wanted AND s.player_id = u.id);
    IF stranger IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('player %s has no seat in proposal %s', stranger, wanted);
    END IF;
    IF found.status = 'open' AND found.accept_by <= at THEN
        PERFORM skillrating_queue.cancel_late_proposals(ARRAY[wanted], at);
        RETURN 'cancelled';
    END IF;
    RETURN found.status;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.lock_proposal(bigint, text[], timestamptz) IS
'A part of accept() and decline(): locks a proposal, which is cancelled if its time is over, and
returns what it is. Errors: 42704 for an unknown proposal, 22023 for a player without a seat in it.';

CREATE FUNCTION skillrating_queue.accept(
    home regclass,
    proposal bigint,
    players text[] DEFAULT NULL,
    at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant bigint := proposal;
    answered_at constant timestamptz := at;
    found_status text;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, wanted IS NOT NULL);
    found_status := skillrating_queue.lock_proposal(wanted, players, at);
    IF found_status <> 'open' THEN
        RETURN found_status;
    END IF;
    UPDATE seat AS s SET accepted_at = answered_at
    WHERE s.proposal = wanted AND s.accepted_at IS NULL
        AND (players IS NULL OR s.player_id = ANY (players));
    IF EXISTS (SELECT FROM seat AS s WHERE s.proposal = wanted AND s.accepted_at IS NULL) THEN
        RETURN 'open';
    END IF;
    UPDATE proposal AS p SET status = 'made', ended_at = answered_at WHERE p.proposal = wanted;
    UPDATE ticket AS t SET status = 'matched', ended_at = answered_at
    WHERE t.ticket IN (SELECT s.ticket FROM seat AS s WHERE s.proposal = wanted);
    DELETE FROM player AS p
    WHERE p.ticket IN (SELECT s.ticket FROM seat AS s WHERE s.proposal = wanted);
    PERFORM skillrating_queue.close_full_backfills(ARRAY[wanted], answered_at),
        skillrating_queue.notify_proposals(ARRAY[wanted]);
    RETURN 'made';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.accept(regclass, bigint, text[], timestamptz) IS
'Notes that players accept a match that a tick has proposed, or with a null in players that all do,
and returns what the proposal is now: open while others have not accepted, made, or cancelled, also
because its time is over. Errors: 42704 for an unknown proposal, 22004 for nulls, 22023 for a player
without a seat in it.';

CREATE FUNCTION skillrating_queue.decline(
    home regclass,
    proposal bigint,
    players text[] DEFAULT NULL,
    at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    wanted constant bigint := proposal;
    found_status text;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, wanted IS NOT NULL);
    found_status := skillrating_queue.lock_proposal(wanted, players, at);
    IF found_status <> 'open' OR players = '{}' THEN
        RETURN found_status;
    END IF;
    PERFORM skillrating_queue.cancel_proposals(ARRAY[wanted], 'declined', ARRAY(
        SELECT DISTINCT s.ticket FROM seat AS s
        WHERE s.proposal = wanted AND s.player_id = ANY (players)), at);
    RETURN 'cancelled';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.decline(regclass, bigint, text[], timestamptz) IS
'Cancels a match that not all have accepted, because players decline it: their tickets end, with all
of their parties, and the others wait again, since when they did. With a null in players nobody is
to blame, and all wait again. Returns what the proposal is: cancelled, or made if it was too late.
Errors as for accept().';
