-- What a worker does for a queue: a tick ends tickets whose time is over, finds players for the
-- free seats of running matches, and makes matches.

CREATE FUNCTION skillrating_internal.pair_states(
    players anycompatiblearray,
    mu float8[],
    mu_2 float8[],
    deviation float8[],
    weight float8[],
    waited float8[],
    party integer[],
    region bigint[],
    pool text[],
    command_mu float8[],
    commander boolean[],
    teams integer,
    team_size integer,
    log_odds float8,
    model text,
    params jsonb,
    initial_window float8,
    widening float8,
    max_window float8,
    min_quality float8,
    explain boolean,
    state float8[])
RETURNS TABLE (
    match_number integer,
    player_id anycompatible,
    team integer,
    difference float8,
    win_probability float8,
    quality float8,
    region bigint,
    commands boolean,
    why jsonb)
AS 'MODULE_PATHNAME', 'skillrating_pair_queue'
LANGUAGE C STABLE PARALLEL SAFE ROWS 1000;

COMMENT ON FUNCTION skillrating_internal.pair_states(anycompatiblearray, float8[], float8[], float8[], float8[], float8[], integer[], bigint[], text[], float8[], boolean[], integer, integer, float8, text, jsonb, float8, float8, float8, float8, boolean, float8[]) IS
'pair_queue() of players whose whole states are known: state has all state columns of the model for
each player, one player after another.  mu and the other arrays take the place of their columns.';

CREATE FUNCTION skillrating_internal.queued_players(
    ladder text,
    tickets bigint[],
    at timestamptz)
RETURNS skillrating_internal.queued_players
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    result skillrating_internal.queued_players;
BEGIN
    -- In an order that does not depend on who has come first to the table.
    EXECUTE format(
        'WITH p AS (
            SELECT p.player_id::text AS player, coalesce(p.commander, true) AS commander, t.*,
                row_number() OVER (ORDER BY t.joined_at, p.player_id %2$s)::integer AS n
            FROM %1$I.queue_ticket AS t JOIN %1$I.queue_player AS p ON p.ticket = t.ticket
            WHERE t.ticket = ANY ($1)
        ), o AS (
            SELECT p.*, min(p.n) OVER (PARTITION BY p.ticket) AS party FROM p
        )
        SELECT array_agg(o.player ORDER BY o.n), array_agg(o.ticket ORDER BY o.n),
            array_agg(greatest(0, extract(epoch FROM $2 - o.joined_at))::float8 ORDER BY o.n),
            array_agg(CASE WHEN o.size > 1 THEN o.party END ORDER BY o.n),
            array_agg(o.region ORDER BY o.n), array_agg(o.pool ORDER BY o.n),
            array_agg(o.commander ORDER BY o.n)
        FROM o', ladder, t.player_order)
    INTO result USING tickets, at;
    RETURN result;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queued_players(text, bigint[], timestamptz) IS
'The players of tickets, the longest waiting first. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.queue_slice(
    ladder text,
    q skillrating_internal.queue_settings,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    waiting constant text := format(' FROM %I.queue_ticket AS t
        WHERE t.queue = $1 AND t.status = ''waiting''', ladder);
    n bigint;
    anchor record;
    tickets bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE 'SELECT count(*)' || waiting INTO n USING q.queue;
    IF n <= q.max_tickets THEN
        EXECUTE 'SELECT array_agg(s.ticket) FROM (SELECT t.ticket' || waiting
            || ' FOR UPDATE SKIP LOCKED) AS s'
        INTO tickets USING q.queue;
        RETURN coalesce(tickets, '{}');
    END IF;
    -- The one whom no tick has looked at for longest, and the nearest who may meet.
    EXECUTE 'SELECT t.ticket, t.pool, t.region, t.mu' || waiting
        || ' ORDER BY t.tried_at, t.joined_at, t.mu, t.ticket LIMIT 1 FOR UPDATE SKIP LOCKED'
    INTO anchor USING q.queue;
    IF anchor.ticket IS NULL THEN
        RETURN '{}';
    END IF;
    EXECUTE format(
        'WITH above AS MATERIALIZED (
            %1$s AND t.mu >= $3 ORDER BY t.mu LIMIT $5 FOR UPDATE SKIP LOCKED
        ), below AS MATERIALIZED (
            %1$s AND t.mu < $3 ORDER BY t.mu DESC LIMIT $5 FOR UPDATE SKIP LOCKED
        ), near AS (
            SELECT a.ticket FROM above AS a UNION SELECT b.ticket FROM below AS b UNION SELECT $6
        ), tried AS (
            UPDATE %2$I.queue_ticket AS t SET tried_at = $7 FROM near AS n WHERE t.ticket = n.ticket
        )
        SELECT array_agg(n.ticket) FROM near AS n',
        'SELECT t.ticket' || waiting || ' AND t.pool = $2 AND ($4 IS NULL OR t.region IS NULL
            OR t.region & $4 <> 0)', ladder)
    INTO tickets
    USING q.queue, anchor.pool, anchor.mu, anchor.region, q.max_tickets / 2, anchor.ticket, at;
    RETURN tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.queue_slice(text, skillrating_internal.queue_settings, timestamptz) IS
'Locks the tickets that a tick looks at, and that no other session is at work on: all that wait, or
if these are more than max_tickets, those nearest in skill to the one that has not been looked at
for longest, in its pool and regions. So workers at the same time have different parts of the range
of skills, in each of which there are neighbours. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.write_proposals(
    ladder text,
    q skillrating_internal.queue_settings,
    seats skillrating_internal.queue_found[],
    backfill bigint,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    made boolean := q.accept_within IS NULL;
    proposals bigint[];
BEGIN
    EXECUTE format(
        'WITH f AS MATERIALIZED (
            SELECT f.* FROM unnest($1) AS f
        ), n AS MATERIALIZED (
            SELECT nextval(%3$L) AS proposal, n.*
            FROM (
                SELECT f.match_number, min(f.pool) AS pool, min(f.region) AS region,
                    min(f.quality) AS quality, min(f.difference) AS difference,
                    (array_agg(f.why ORDER BY f.why IS NULL))[1] AS why
                FROM f GROUP BY f.match_number ORDER BY f.match_number) AS n
        ), p AS (
            INSERT INTO %1$I.queue_proposal (proposal, queue, backfill, pool, region, status,
                proposed_at, accept_by, ended_at, quality, difference, why)
            SELECT n.proposal, $2, $3, n.pool, n.region,
                CASE WHEN $5 THEN ''made'' ELSE ''open'' END, $4, $4 + $6, CASE WHEN $5 THEN $4 END,
                n.quality, n.difference, n.why
            FROM n
        ), s AS (
            INSERT INTO %1$I.queue_seat (proposal, player_id, team, ticket, waited, win_probability,
                commands)
            SELECT n.proposal, CAST(f.player_id AS %2$s), f.team, f.ticket, f.waited,
                f.win_probability, f.commands
            FROM f JOIN n ON n.match_number = f.match_number
        ), k AS (
            UPDATE %1$I.queue_ticket AS k
            SET status = CASE WHEN $5 THEN ''matched'' ELSE ''proposed'' END, proposal = n.proposal,
                ended_at = CASE WHEN $5 THEN $4 END
            FROM (SELECT DISTINCT f.ticket, f.match_number FROM f) AS f
            JOIN n ON n.match_number = f.match_number
            WHERE k.ticket = f.ticket
        ), d AS (
            DELETE FROM %1$I.queue_player AS p
            WHERE $5 AND p.ticket IN (SELECT f.ticket FROM f)
        ), b AS (
            INSERT INTO %1$I.queue_backfill_player (backfill, player_id, counts_as, team, proposal)
            SELECT $3, p.player_id, p.counts_as, f.team, n.proposal
            FROM f JOIN n ON n.match_number = f.match_number
            JOIN %1$I.queue_player AS p ON p.ticket = f.ticket
                AND p.player_id %4$s CAST(f.player_id AS %2$s)
            WHERE $3 IS NOT NULL
        ), r AS (
            UPDATE %1$I.queue_backfill AS r SET status = r.status WHERE r.backfill = $3
        )
        SELECT coalesce(array_agg(n.proposal ORDER BY n.proposal), ''{}'') FROM n',
        ladder, t.player_type,
        pg_get_serial_sequence(format('%I.queue_proposal', ladder), 'proposal'), t.player_equals)
    INTO proposals USING seats, q.queue, backfill, at, made, q.accept_within;
    IF made AND backfill IS NOT NULL THEN
        PERFORM skillrating_internal.close_full_backfills(ladder, proposals, at);
    END IF;
    PERFORM skillrating_internal.notify_proposals(ladder, proposals);
    RETURN proposals;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_proposals(text, skillrating_internal.queue_settings, skillrating_internal.queue_found[], bigint, timestamptz) IS
'Writes the matches that a tick has found, or players for a running match (backfill), of tickets
that it has locked, and returns their numbers. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.make_matches(
    ladder text,
    q skillrating_internal.queue_settings,
    max_matches bigint,
    explain boolean,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    tickets bigint[];
    p skillrating_internal.queued_players;
    e record;
    states float8[];
    found_players skillrating_internal.queue_found[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF max_matches <= 0 THEN
        RETURN '{}';
    END IF;
    tickets := skillrating_internal.queue_slice(ladder, q, at);
    IF tickets = '{}' THEN
        RETURN '{}';
    END IF;
    p := skillrating_internal.queued_players(ladder, tickets, at);
    states := skillrating_internal.queue_states(ladder, q, p.players, at);
    e := skillrating_internal.queue_estimates(q, states);
    -- With the number of each player in the place of the name, planned for as many as there are.
    EXECUTE
        'SELECT array_agg(ROW(m.match_number, u.player, m.team, u.ticket, u.waited, u.pool,
            m.region, m.win_probability, m.quality, m.difference, m.commands, m.why)
            ::skillrating_internal.queue_found ORDER BY m.match_number, m.n)
        FROM skillrating_internal.pair_states(ARRAY(SELECT generate_series(1, cardinality($1))), $2,
            $3, NULL, NULL, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20) WITH ORDINALITY AS m(match_number, player, team, difference, win_probability,
                quality, region, commands, why, n)
        JOIN unnest($1, $21, $4, $7) WITH ORDINALITY AS u(player, ticket, waited, pool, n)
            ON u.n = m.player
        WHERE m.match_number <= $22'
    INTO found_players
    USING p.players, e.mu, e.mu_2, p.waited, p.party, p.region, p.pool, e.command_mu,
        CASE WHEN q.commanders THEN p.commander END, q.teams, q.team_size, q.log_odds, q.model,
        q.params, q.initial_window, q.widening, q.max_window, q.min_quality, explain, states,
        p.tickets, max_matches;
    RETURN CASE WHEN found_players IS NULL THEN '{}'
        ELSE skillrating_internal.write_proposals(ladder, q, found_players, NULL, at) END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_matches(text, skillrating_internal.queue_settings, bigint, boolean, timestamptz) IS
'A part of queue_tick(): makes matches of a part of the queue, by pair_queue(), and returns the
numbers of their proposals. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.end_overdue(
    ladder text,
    q skillrating_internal.queue_settings,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    overdue bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT coalesce(array_agg(p.proposal), ''{}'') FROM (
            SELECT p.proposal FROM %I.queue_proposal AS p
            WHERE p.queue = $1 AND p.status = ''open'' AND p.accept_by <= $2
            FOR UPDATE SKIP LOCKED) AS p', ladder)
    INTO overdue USING q.queue, at;
    PERFORM skillrating_internal.cancel_late_proposals(ladder, overdue, at);
    EXECUTE format(
        'SELECT array_agg(t.ticket) FROM (
            SELECT t.ticket FROM %I.queue_ticket AS t
            WHERE t.queue = $1 AND t.status = ''waiting'' AND t.expires_at <= $2
            FOR UPDATE SKIP LOCKED) AS t', ladder)
    INTO overdue USING q.queue, at;
    PERFORM skillrating_internal.end_tickets(ladder, overdue, 'expired', at);
    EXECUTE format(
        'UPDATE %1$I.queue_backfill AS b SET status = ''ended'', reason = ''expired'', ended_at = $2
        WHERE b.backfill IN (
            SELECT o.backfill FROM %1$I.queue_backfill AS o
            WHERE o.queue = $1 AND o.status = ''open'' AND o.expires_at <= $2
            FOR UPDATE SKIP LOCKED)', ladder)
    USING q.queue, at;
    -- A proposal that somebody is answering is left to the next tick.
    EXECUTE format(
        'SELECT coalesce(array_agg(p.proposal), ''{}'') FROM (
            SELECT p.proposal FROM %1$I.queue_proposal AS p
            JOIN %1$I.queue_backfill AS b ON b.backfill = p.backfill
            WHERE p.queue = $1 AND p.status = ''open'' AND b.status = ''ended''
            ORDER BY p.proposal FOR UPDATE OF p SKIP LOCKED) AS p', ladder)
    INTO overdue USING q.queue;
    PERFORM skillrating_internal.cancel_proposals(ladder, overdue, 'expired', '{}', at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_overdue(text, skillrating_internal.queue_settings, timestamptz) IS
'A part of queue_tick(): ends what has waited too long: proposals for players to accept, and tickets
and backfills for a match, with the open proposals of these. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.trim_queue(
    ladder text,
    q skillrating_internal.queue_settings,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- So many at a time, to keep ticks short.
    most constant integer := 2000;
    old constant text := format(' AS o WHERE o.queue = $1 AND o.ended_at < $2 LIMIT %s
        FOR UPDATE SKIP LOCKED', most);
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF q.keep IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'DELETE FROM %1$I.queue_ticket AS t
        WHERE t.ticket = ANY (ARRAY(SELECT o.ticket FROM %1$I.queue_ticket%2$s))', ladder, old)
    USING q.queue, at - q.keep;
    EXECUTE format(
        'WITH o AS MATERIALIZED (SELECT o.proposal FROM %1$I.queue_proposal%2$s),
        s AS (DELETE FROM %1$I.queue_seat AS s USING o WHERE s.proposal = o.proposal)
        DELETE FROM %1$I.queue_proposal AS p USING o WHERE p.proposal = o.proposal',
        ladder, old)
    USING q.queue, at - q.keep;
    EXECUTE format(
        'WITH o AS MATERIALIZED (SELECT o.backfill FROM %1$I.queue_backfill%2$s),
        p AS (DELETE FROM %1$I.queue_backfill_player AS p USING o WHERE p.backfill = o.backfill)
        DELETE FROM %1$I.queue_backfill AS b USING o WHERE b.backfill = o.backfill',
        ladder, old)
    USING q.queue, at - q.keep;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.trim_queue(text, skillrating_internal.queue_settings, timestamptz) IS
'A part of queue_tick(): deletes tickets, proposals and backfills that have ended longer ago than
they are to be kept, some at a time. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.queue_tick(
    ladder text,
    queue text,
    max_matches integer DEFAULT NULL,
    explain boolean DEFAULT false,
    at timestamptz DEFAULT NULL)
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
DECLARE
    t record;
    q skillrating_internal.queue_settings;
    tick_at timestamptz := coalesce(at, clock_timestamp());
    most bigint := coalesce(max_matches, 2147483647);
    made bigint[];
BEGIN
    IF ladder IS NULL OR queue IS NULL OR explain IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, queue and explain must not be null';
    END IF;
    IF max_matches < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('max_matches must not be negative, not %s', max_matches);
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_queue_time('at', tick_at);
    q := skillrating_internal.queue_settings(ladder, queue);
    PERFORM skillrating_internal.end_overdue(ladder, q, tick_at),
        skillrating_internal.trim_queue(ladder, q, tick_at);
    made := skillrating_internal.fill_backfills(ladder, q, most, tick_at);
    made := made || skillrating_internal.make_matches(ladder, q, most - cardinality(made), explain,
        tick_at);
    RETURN QUERY EXECUTE format(
        'SELECT p.proposal, p.backfill, p.status, s.player_id::text, s.team, s.ticket, s.waited,
            s.win_probability, p.quality, p.difference, p.region, s.commands,
            CASE WHEN row_number() OVER (
                PARTITION BY p.proposal ORDER BY s.team, s.player_id %2$s) = 1 THEN p.why END
        FROM %1$I.queue_proposal AS p JOIN %1$I.queue_seat AS s ON s.proposal = p.proposal
        WHERE p.proposal = ANY ($1)
        ORDER BY p.proposal, s.team, s.player_id %2$s', ladder, t.player_order)
    USING made;
END
$function$;

SELECT skillrating_internal.create_entry('queue_tick');

COMMENT ON FUNCTION skillrating.queue_tick(text, text, integer, boolean, timestamptz) IS
'Does what is due for a queue, in one transaction: ends tickets and proposals whose time is over,
finds players for running matches that ask for some (queue_backfill()), and then makes matches of
those who wait, as pair_queue() does, of their ratings now. Several workers can do that at the same
time: what one has locked the others leave alone.

Result: a row for each player who got a seat, by match and team.
proposal: the match, in tables queue_proposal and queue_seat.  backfill: the running match that the
player joins, or null.  status: made, or open where the queue has accept_within: queue_accept() and
queue_decline() follow.
ticket, waited: of the player, and its seconds in the queue.
win_probability, quality, difference, region, commands, why: as for pair_queue(), by the model of
the ladder and all that it knows of each player, but not of sides, maps and clubs: see preview().

max_matches: at most so many, null for no limit.  explain: says why, as in pair_queue().
at: the time, now by default.

With more tickets than max_tickets of the queue, a call looks at a part of them, and the next one at
another: call it while it returns rows, and again a moment later.

Takes INSERT on table queue_ticket and SELECT on rating and component, see grant_matchmaker().
Errors: 42704 for an unknown ladder or queue, 22004 for nulls, 22023 for a negative max_matches,
22008 for an infinite time, and those of pair_queue().';
