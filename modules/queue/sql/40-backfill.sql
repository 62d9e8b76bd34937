-- Running matches that have lost players, and whom a tick finds for their seats.

CREATE FUNCTION skillrating_queue.backfill_candidates(
    q record,
    request record,
    e record,
    free integer,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    mean constant float8 := (SELECT avg(u.mu) FROM unnest(e.mu) AS u(mu));
    -- Defaults of pair_queue(): half a log-odds, and as much more in 30 seconds.
    initial constant float8 := coalesce(q.initial_window,
        0.5 * (SELECT m.log_odds_unit FROM skillrating.models(e.model, e.params) AS m));
    widening constant float8 := coalesce(q.widening, initial / 30);
BEGIN
    -- More than 16 would only make the search for teams longer.
    RETURN ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'waiting' AND t.pool = request.pool
            AND t.size <= free AND (t.region & request.region <> 0) IS NOT FALSE
            AND abs(t.mu - mean) <= least(q.max_window,
                initial + widening * greatest(0, extract(epoch FROM at - t.joined_at)::float8))
            AND NOT EXISTS (
                SELECT FROM player AS p
                WHERE p.ticket = t.ticket AND p.counts_as = ANY (e.counts_as))
        ORDER BY t.joined_at, abs(t.mu - mean), (
            SELECT min(p.player_id COLLATE "C") FROM player AS p WHERE p.ticket = t.ticket)
        LIMIT 16 FOR UPDATE OF t SKIP LOCKED);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.backfill_candidates(record, record, record, integer, timestamptz) IS
'A part of tick(): locks tickets of at most so many players whose windows reach the mean of a
running match with these estimates, the longest waiting first.';

CREATE FUNCTION skillrating_queue.fill_evenly(
    q record,
    here record,
    p record,
    size integer,
    at timestamptz)
RETURNS integer[]
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    there constant integer := cardinality(here.players);
    waiting constant integer := cardinality(p.players);
BEGIN
    RETURN ARRAY(
        SELECT s.team
        FROM skillrating.split_teams(skillrating_queue.lobby_of(q, here.players || p.players, at,
                array_fill(NULL::integer, ARRAY[there]) || p.party, NULL,
                here.teams || array_fill(NULL::integer, ARRAY[waiting])),
            teams => q.teams, team_size => size, budget => 20) WITH ORDINALITY AS s(player, team,
                difference, win_probability, exact, bound, commands, broken, why, n)
        WHERE s.n > there ORDER BY s.n);
EXCEPTION
    -- Parties may not fit, or the search ends before it has found how.
    WHEN invalid_parameter_value OR program_limit_exceeded THEN
        RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fill_evenly(record, record, record, integer, timestamptz) IS
'A part of tick(): the team of each player who waits, null for most, so that the teams of a running
match have so many players each and are as even as can be; null if they cannot.';

CREATE FUNCTION skillrating_queue.choose_seats(q record, here record, p record, at timestamptz)
RETURNS integer[]
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    teams integer[];
    joining bigint;
BEGIN
    -- As large as those who wait can make the teams, and equal; or else less unequal.
    FOR size IN REVERSE q.team_size .. here.largest LOOP
        CONTINUE WHEN q.teams * size <= cardinality(here.players)
            OR q.teams * size > cardinality(here.players) + cardinality(p.players);
        teams := skillrating_queue.fill_evenly(q, here, p, size, at);
        IF teams IS NOT NULL THEN
            RETURN teams;
        END IF;
    END LOOP;
    -- All of the ticket that has waited longest of those who fit.
    SELECT u.ticket INTO joining FROM unnest(p.tickets) WITH ORDINALITY AS u(ticket, n)
    GROUP BY u.ticket HAVING count(*) <= here.largest - here.smallest ORDER BY min(u.n) LIMIT 1;
    RETURN ARRAY(
        SELECT CASE WHEN u.ticket = joining THEN here.smallest_team END
        FROM unnest(p.tickets) WITH ORDINALITY AS u(ticket, n) ORDER BY u.n);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.choose_seats(record, record, record, timestamptz) IS
'A part of tick(): the team that each player who waits joins, null for those who go on waiting.';

CREATE FUNCTION skillrating_queue.fill_seats(q record, request record, at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    here record;
    p record;
    joining record;
    chances record;
    seats record;
BEGIN
    SELECT r.*, s.* INTO here
    FROM (
        SELECT array_agg(r.player_id ORDER BY r.team, r.player_id COLLATE "C") AS players,
            array_agg(r.team ORDER BY r.team, r.player_id COLLATE "C") AS teams
        FROM present AS r WHERE r.backfill = request.backfill) AS r, (
        SELECT min(t.n) AS smallest, max(t.n) AS largest,
            (array_agg(t.team ORDER BY t.n, t.team))[1] AS smallest_team
        FROM (
            SELECT g.team, count(r.team)::integer AS n
            FROM generate_series(1, q.teams) AS g(team)
            LEFT JOIN present AS r ON r.team = g.team AND r.backfill = request.backfill
            GROUP BY g.team) AS t) AS s;
    IF here.players IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'nobody is in it';
    END IF;
    -- In a statement of its own, whose snapshot is not older than the locks.
    p := skillrating_queue.players_of(skillrating_queue.fit_tickets(q,
        skillrating_queue.backfill_candidates(q, request,
            skillrating_queue.lobby_of(q, here.players, at), q.team_size - here.smallest, at),
        at), at);
    IF p.players IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(u.player ORDER BY u.n) AS players, array_agg(u.team ORDER BY u.n) AS team,
        array_agg(u.ticket ORDER BY u.n) AS tickets INTO joining
    FROM unnest(p.players, p.tickets, skillrating_queue.choose_seats(q, here, p, at))
        WITH ORDINALITY AS u(player, ticket, team, n)
    WHERE u.team IS NOT NULL;
    IF joining.players IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(w.win_probability ORDER BY w.n) FILTER (WHERE w.n > cardinality(here.players))
            AS win_probability,
        q.teams * min(w.win_probability) AS quality INTO chances
    FROM skillrating.preview(q.ladder, here.players || joining.players, here.teams || joining.team,
        pool => q.rating_pool, log_odds => q.log_odds, at => at,
        context => CASE WHEN q.context IS NOT NULL THEN ARRAY[q.context] END)
        WITH ORDINALITY AS w(player, team, rating, win_probability, win_change, draw_change,
            loss_change, draw_probability, n);
    -- A match that is short of players on one side gets some in any case.
    IF here.smallest = here.largest AND chances.quality < q.min_quality THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(1) AS match, array_agg(u.player) AS players, array_agg(u.team) AS team,
        array_agg(u.ticket) AS tickets, array_agg(request.pool) AS pool,
        array_agg(request.region) AS region, array_agg(u.win_probability) AS win_probability,
        array_agg(chances.quality) AS quality, '{}'::float8[] AS difference,
        '{}'::boolean[] AS commands, '{}'::jsonb[] AS why INTO seats
    FROM unnest(joining.players, joining.team, joining.tickets, chances.win_probability)
        AS u(player, team, ticket, win_probability);
    RETURN skillrating_queue.write_proposals(q, seats, request.backfill, at);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fill_seats(record, record, timestamptz) IS
'A part of tick(): seats some of those who wait in a running match, and returns the number of
their proposal, null for none.';

CREATE FUNCTION skillrating_queue.fill_backfills(q record, max_matches bigint, at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    request record;
    made bigint[] := '{}';
BEGIN
    FOR request IN
        SELECT b.* FROM backfill AS b
        WHERE b.queue = q.queue AND b.ended_at IS NULL AND (b.expires_at > at) IS NOT FALSE
            AND q.teams * q.team_size > (
                SELECT count(*) FROM present AS r WHERE r.backfill = b.backfill)
        ORDER BY b.asked_at, b.backfill LIMIT 100
        FOR UPDATE OF b SKIP LOCKED
    LOOP
        EXIT WHEN cardinality(made) >= max_matches;
        BEGIN
            made := made || skillrating_queue.fill_seats(q, request, at);
        EXCEPTION
            WHEN data_exception THEN
                RAISE WARNING 'backfill % is broken, and ends: %', request.backfill, SQLERRM;
                PERFORM skillrating_queue.end_backfill(request.backfill, 'broken', at, SQLERRM);
        END;
    END LOOP;
    UPDATE backfill AS b SET status = 'ended', ended_at = at,
        reason = CASE WHEN b.expires_at <= at THEN 'expired' ELSE 'filled' END
    WHERE b.backfill IN (
        SELECT o.backfill FROM backfill AS o
        WHERE o.queue = q.queue AND o.ended_at IS NULL AND (o.expires_at <= at
            OR q.teams * q.team_size <= (
                SELECT count(*) FROM present AS r WHERE r.backfill = o.backfill)
            AND NOT EXISTS (
                SELECT FROM proposal AS p WHERE p.backfill = o.backfill AND p.status = 'open'))
        FOR UPDATE SKIP LOCKED);
    -- A running match, or somebody in it, has gone while the proposal was locked.
    PERFORM skillrating_queue.cancel_proposals(ARRAY(
        SELECT p.proposal FROM proposal AS p
        WHERE p.queue = q.queue AND p.ended_at IS NULL AND (
            EXISTS (
                SELECT FROM backfill AS b WHERE b.backfill = p.backfill AND b.status = 'ended')
            OR EXISTS (
                SELECT FROM seat AS s JOIN ticket AS t ON t.ticket = s.ticket
                WHERE s.proposal = p.proposal
                    AND (t.status <> 'proposed' OR t.proposal <> p.proposal)))
        FOR UPDATE SKIP LOCKED), 'left', '{}', at);
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fill_backfills(record, bigint, timestamptz) IS
'A part of tick(): finds players for running matches, those that have asked first coming first, and
returns the numbers of the proposals. Requests end that are full or whose time is over, or with a
warning if they cannot be rated, and proposals that cannot be made any more.';

CREATE FUNCTION skillrating_queue.end_backfill(
    wanted bigint,
    cause text,
    at timestamptz,
    fault text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    ended bigint;
BEGIN
    UPDATE backfill AS b SET status = 'ended', reason = cause, detail = fault, ended_at = at
    WHERE b.backfill = wanted AND b.status = 'open';
    GET DIAGNOSTICS ended = ROW_COUNT;
    -- Those who have not accepted yet wait again.
    PERFORM skillrating_queue.cancel_proposals(ARRAY(
        SELECT p.proposal FROM proposal AS p WHERE p.backfill = wanted AND p.status = 'open'
        FOR UPDATE SKIP LOCKED), cause, '{}', at);
    RETURN ended > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_backfill(bigint, text, timestamptz, text) IS
'Ends the request of a running match for players, and cancels proposals for it that are open;
returns whether it was open.';

CREATE FUNCTION skillrating_queue.ask_backfill(
    queue text,
    players text[],
    team integer[],
    proposal bigint DEFAULT NULL,
    pool text DEFAULT NULL,
    region bigint DEFAULT NULL,
    lifetime interval DEFAULT NULL,
    at timestamptz DEFAULT clock_timestamp())
RETURNS bigint
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_variable
DECLARE
    asked_at constant timestamptz := at;
    q constant record := skillrating_queue.settings(queue);
    old_pool text;
    old_region bigint;
    made bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM unnest(players)) OR EXISTS (
        SELECT FROM unnest(players, ask_backfill.team) AS u(id, team) GROUP BY u.team
        HAVING (u.team BETWEEN 1 AND q.teams) IS NOT TRUE OR count(*) > q.team_size
            OR count(u.id) < count(*))
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('queue "%s" has no match with players %s in teams %s', q.queue,
                players, ask_backfill.team),
            HINT = format('Its matches have %s teams of %s.', q.teams, q.team_size);
    END IF;
    -- So that no tick fails by it.
    PERFORM skillrating_queue.lobby_of(q, players, at);
    IF proposal IS NOT NULL THEN
        -- One request at a time of each match.
        SELECT p.pool, p.region INTO old_pool, old_region FROM proposal AS p
        WHERE p.proposal = ask_backfill.proposal AND p.queue = q.queue AND p.status = 'made'
        FOR UPDATE;
        IF NOT FOUND THEN
            RAISE undefined_object USING
                MESSAGE = format('queue "%s" has made no match %s', queue, proposal);
        END IF;
        PERFORM skillrating_queue.end_backfill(b.backfill, 'replaced', asked_at)
        FROM backfill AS b WHERE b.proposal = ask_backfill.proposal AND b.status = 'open';
    END IF;
    INSERT INTO backfill AS b (queue, proposal, pool, region, asked_at, expires_at)
    VALUES (q.queue, proposal, coalesce(pool, old_pool, ''),
        nullif(coalesce(region, old_region), 0), asked_at,
        asked_at + coalesce(lifetime, q.ticket_lifetime))
    RETURNING b.backfill INTO made;
    INSERT INTO present (backfill, player_id, team)
    SELECT made, u.id, u.team FROM unnest(players, ask_backfill.team) AS u(id, team);
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.ask_backfill(text, text[], integer[], bigint, text, bigint, interval, timestamptz) IS
'Asks for players for a running match that has free seats, and returns the number of the request.
Ticks of the queue seat those who wait there before they make new matches: as many as leave the
teams equal in number, and of those within each other''s windows the ones who make the match most
balanced; or, where too few wait for that, whoever has waited longest on the smallest team. It asks
until all seats are taken, cancel_backfill() is called, or its time is over.

players, team: who is there, and on which team, from 1 on. proposal: the match, if this queue has
made it; a new request takes the place of the old. pool, region: who may join, by default those of
the proposal, or '''' and null. lifetime: as for join().

Errors: 42704 for an unknown queue or proposal, 22023 for players or teams that no match of the
queue has.';

CREATE FUNCTION skillrating_queue.cancel_backfill(
    backfill bigint,
    at timestamptz DEFAULT clock_timestamp())
RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    RETURN skillrating_queue.end_backfill(backfill, 'cancelled', at);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.cancel_backfill(bigint, timestamptz) IS
'Asks for no more players for a running match, because it ends or has enough, and returns whether it
still asked. Players who have not accepted yet wait again.';
