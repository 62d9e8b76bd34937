-- Running matches that have lost players, and whom a tick finds for their seats.

CREATE FUNCTION skillrating_queue.window_after(q record, unit float8, waited float8)
RETURNS float8
LANGUAGE plpgsql IMMUTABLE
AS $function$
DECLARE
    -- Defaults of pair_queue(): half a log-odds, and as much more in 30 seconds.
    initial constant float8 := coalesce(q.initial_window, 0.5 * unit);
BEGIN
    RETURN least(q.max_window,
        initial + coalesce(q.widening, initial / 30) * greatest(0, waited));
END
$function$;

COMMENT ON FUNCTION skillrating_queue.window_after(record, float8, float8) IS
'The window of a ticket that has waited so many seconds, as pair_queue() has it; unit is a log-odds
of the model.';

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
    unit constant float8 := skillrating.log_odds_unit(e.model, e.params);
    mean constant float8 := (SELECT avg(u.mu) FROM unnest(e.mu) AS u(mu));
BEGIN
    -- More than 16 would only make the search for teams longer.
    RETURN ARRAY(
        SELECT t.ticket FROM ticket AS t
        WHERE t.queue = q.queue AND t.status = 'waiting' AND t.pool = request.pool
            AND t.size <= free
            AND (t.region IS NULL OR request.region IS NULL OR t.region & request.region <> 0)
            AND abs(t.mu - mean) <= skillrating_queue.window_after(q, unit,
                extract(epoch FROM at - t.joined_at)::float8)
            AND NOT EXISTS (
                SELECT FROM player AS p
                WHERE p.ticket = t.ticket AND p.counts_as = ANY (e.counts_as))
        ORDER BY t.joined_at, abs(t.mu - mean), (
            SELECT min(p.player_id COLLATE "C") FROM player AS p WHERE p.ticket = t.ticket)
        LIMIT 16 FOR UPDATE OF t SKIP LOCKED);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.backfill_candidates(record, record, record, integer, timestamptz) IS
'A part of tick(): locks tickets of at most so many players who may join a running match with these
estimates, the longest waiting first.';

CREATE FUNCTION skillrating_queue.fill_evenly(
    q record,
    present text[],
    teams integer[],
    p skillrating_queue.queued,
    size integer,
    at timestamptz)
RETURNS skillrating_queue.found[]
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    there constant integer := cardinality(present);
    waiting constant integer := cardinality(p.players);
BEGIN
    RETURN nullif(ARRAY(
        SELECT ROW(1, u.player, s.team, u.ticket, u.waited, u.pool, NULL, s.win_probability,
            s.quality, s.difference, NULL, NULL)::skillrating_queue.found
        FROM (
            SELECT s.*, q.teams * min(s.win_probability) OVER () AS quality
            FROM skillrating.split_teams(skillrating_queue.lobby_of(q, present || p.players, at,
                    array_fill(NULL::integer, ARRAY[there]) || p.party,
                    locked => fill_evenly.teams || array_fill(NULL::integer, ARRAY[waiting])),
                teams => q.teams, team_size => size, budget => 20)
                WITH ORDINALITY AS s(player, team, difference, win_probability, exact, bound,
                    commands, why, n)
            WHERE s.team IS NOT NULL) AS s
        JOIN unnest(p.players, p.tickets, p.waited, p.pool) WITH ORDINALITY
            AS u(player, ticket, waited, pool, place) ON u.place + there = s.n
        ORDER BY u.place), '{}');
EXCEPTION
    -- Parties may not fit, or the search ends before it has found how.
    WHEN invalid_parameter_value OR program_limit_exceeded THEN
        RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fill_evenly(record, text[], integer[], skillrating_queue.queued, integer, timestamptz) IS
'A part of tick(): of those who wait, the ones who make the teams of a running match as even as can
be, with so many players in each; null if they cannot.';

CREATE FUNCTION skillrating_queue.fill_smallest(
    q record,
    present text[],
    teams integer[],
    p skillrating_queue.queued,
    at timestamptz)
RETURNS skillrating_queue.found[]
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    smallest record;
    joining bigint;
    joiners text[];
BEGIN
    SELECT s.team, max(s.n) OVER () - s.n AS lack INTO smallest
    FROM (
        SELECT g.team, count(u.team) AS n
        FROM generate_series(1, q.teams) AS g(team)
        LEFT JOIN unnest(teams) AS u(team) ON u.team = g.team
        GROUP BY g.team) AS s
    ORDER BY s.n, s.team LIMIT 1;
    -- All of the ticket that has waited longest of those who fit.
    SELECT u.ticket, array_agg(u.player ORDER BY u.n) INTO joining, joiners
    FROM unnest(p.players, p.tickets) WITH ORDINALITY AS u(player, ticket, n)
    GROUP BY u.ticket HAVING count(*) <= smallest.lack ORDER BY min(u.n) LIMIT 1;
    IF joining IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN ARRAY(
        SELECT ROW(1, u.player, smallest.team, u.ticket, u.waited, u.pool, NULL, w.p, w.quality, 0,
            NULL, NULL)::skillrating_queue.found
        FROM (
            SELECT w.player_id, w.win_probability AS p,
                q.teams * min(w.win_probability) OVER () AS quality
            FROM skillrating.preview(q.ladder, present || joiners,
                teams || array_fill(smallest.team::integer, ARRAY[cardinality(joiners)]),
                pool => q.rating_pool, log_odds => q.log_odds, at => fill_smallest.at,
                context => CASE WHEN q.context IS NOT NULL THEN ARRAY[q.context] END) AS w) AS w
        JOIN unnest(p.players, p.tickets, p.waited, p.pool) WITH ORDINALITY
            AS u(player, ticket, waited, pool, n) ON u.player = w.player_id
        WHERE u.ticket = joining ORDER BY u.n);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fill_smallest(record, text[], integer[], skillrating_queue.queued, timestamptz) IS
'A part of tick(): the ticket that has waited longest, of those who fit, for the smallest team of a
running match whose teams cannot be made equal; null if there is none.';

CREATE FUNCTION skillrating_queue.fill_seats(q record, request record, at timestamptz)
RETURNS skillrating_queue.found[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    players text[];
    teams integer[];
    smallest integer;
    largest integer;
    e record;
    unit float8;
    p skillrating_queue.queued;
    found_players skillrating_queue.found[];
BEGIN
    SELECT array_agg(r.player_id ORDER BY r.team, r.player_id COLLATE "C"),
        array_agg(r.team ORDER BY r.team, r.player_id COLLATE "C")
    INTO players, teams FROM present AS r WHERE r.backfill = request.backfill;
    IF players IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'nobody is in it';
    END IF;
    SELECT min(s.n), max(s.n) INTO smallest, largest
    FROM (
        SELECT count(u.team) AS n
        FROM generate_series(1, q.teams) AS g(team)
        LEFT JOIN unnest(teams) AS u(team) ON u.team = g.team
        GROUP BY g.team) AS s;
    e := skillrating_queue.lobby_of(q, players, at);
    IF cardinality(players) > (SELECT count(DISTINCT u.id) FROM unnest(e.counts_as) AS u(id)) THEN
        RAISE invalid_parameter_value USING MESSAGE = 'two accounts in it are of one player';
    END IF;
    unit := skillrating.log_odds_unit(e.model, e.params);
    -- In a statement of its own, whose snapshot is not older than the locks.
    p := skillrating_queue.players_of(skillrating_queue.end_broken(q,
        skillrating_queue.backfill_candidates(q, request, e, q.team_size - smallest, at), at), at);
    IF p.players IS NULL THEN
        RETURN NULL;
    END IF;
    -- As large as those who wait can make the teams, and equal; or else less unequal.
    FOR size IN REVERSE q.team_size .. largest LOOP
        CONTINUE WHEN q.teams * size <= cardinality(players)
            OR q.teams * size > cardinality(players) + cardinality(p.players);
        found_players := skillrating_queue.fill_evenly(q, players, teams, p, size, at);
        EXIT WHEN found_players IS NOT NULL;
    END LOOP;
    IF found_players IS NULL AND smallest < largest THEN
        found_players := skillrating_queue.fill_smallest(q, players, teams, p, at);
    END IF;
    -- A match that is short of players on one side gets some in any case.
    IF smallest = largest AND found_players[1].quality * skillrating_queue.window_after(q, unit, (
            SELECT max(f.waited) FROM unnest(found_players) AS f))
        < q.min_quality * coalesce(q.initial_window, 0.5 * unit)
    THEN
        RETURN NULL;
    END IF;
    -- They play where the others do.
    RETURN ARRAY(
        SELECT ROW(f.match_number, f.player_id, f.team, f.ticket, f.waited, f.pool, request.region,
            f.win_probability, f.quality, f.difference, f.commands, f.why)::skillrating_queue.found
        FROM unnest(found_players) WITH ORDINALITY AS f ORDER BY f.ordinality);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fill_seats(record, record, timestamptz) IS
'A part of tick(): whom a running match gets for its free seats, of those who wait.';

CREATE FUNCTION skillrating_queue.fill_backfills(q record, max_matches bigint, at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    request record;
    seats skillrating_queue.found[];
    made bigint[] := '{}';
BEGIN
    FOR request IN
        SELECT b.* FROM backfill AS b
        WHERE b.queue = q.queue AND b.status = 'open' AND q.teams * q.team_size > (
            SELECT count(*) FROM present AS r WHERE r.backfill = b.backfill)
        ORDER BY b.asked_at, b.backfill LIMIT 100
        FOR UPDATE OF b SKIP LOCKED
    LOOP
        EXIT WHEN cardinality(made) >= max_matches;
        BEGIN
            seats := skillrating_queue.fill_seats(q, request, at);
        EXCEPTION
            WHEN data_exception THEN
                RAISE WARNING 'backfill % of queue "%" is broken, and ends: %', request.backfill,
                    q.queue, SQLERRM;
                PERFORM skillrating_queue.end_backfill(request.backfill, 'broken', at, SQLERRM);
                CONTINUE;
        END;
        CONTINUE WHEN seats IS NULL OR seats = '{}';
        made := made || skillrating_queue.write_proposals(q, seats, request.backfill, at);
    END LOOP;
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.fill_backfills(record, bigint, timestamptz) IS
'A part of tick(): finds players for running matches, those that have asked first coming first, and
returns the numbers of the proposals. A request that cannot be rated ends with a warning.';

CREATE FUNCTION skillrating_queue.end_backfill(
    wanted bigint,
    cause text,
    at timestamptz,
    explanation text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    ended bigint;
BEGIN
    -- No tick finds any more players from here on, and nobody who accepts takes the last seat.
    UPDATE backfill AS b SET status = 'ended', reason = cause, detail = explanation, ended_at = at
    WHERE b.backfill = wanted AND b.status = 'open';
    GET DIAGNOSTICS ended = ROW_COUNT;
    -- Those who have not accepted yet wait again.
    PERFORM skillrating_queue.cancel_proposals(ARRAY(
        SELECT p.proposal FROM proposal AS p WHERE p.status = 'open' AND p.backfill = wanted
        ORDER BY p.proposal FOR UPDATE), cause, '{}', at);
    RETURN ended > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.end_backfill(bigint, text, timestamptz, text) IS
'Ends the request of a running match for players, and cancels proposals for it that are open;
returns whether it was open.';

CREATE FUNCTION skillrating_queue.check_present(
    q record,
    players text[],
    team integer[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    wrong record;
    e record;
BEGIN
    IF cardinality(players) = 0 OR cardinality(players) <> cardinality(team) THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array team must have an element for each of the players, 1 or more, not %s for %s',
                cardinality(team), cardinality(players));
    END IF;
    SELECT u.team, count(*) AS n INTO wrong
    FROM unnest(team) AS u(team)
    GROUP BY u.team
    HAVING u.team IS NULL OR u.team NOT BETWEEN 1 AND q.teams OR count(*) > q.team_size
    ORDER BY u.team LIMIT 1;
    IF wrong.n IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('queue "%s" has no match with %s players in team %s', q.queue, wrong.n,
                coalesce(wrong.team::text, 'null')),
            HINT = format('Its matches have %s teams of %s.', q.teams, q.team_size);
    END IF;
    -- So that no tick fails by it.
    e := skillrating_queue.lobby_of(q, players, at);
    IF (SELECT count(DISTINCT u.id) FROM unnest(e.counts_as) AS u(id)) < cardinality(players) THEN
        RAISE invalid_parameter_value USING MESSAGE = 'array players contains a player twice';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.check_present(record, text[], integer[], timestamptz) IS
'A part of ask_backfill(): errors 2202E and 22023 for players and teams that no match of the queue
has.';

CREATE FUNCTION skillrating_queue.ask_backfill(
    home regclass,
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
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_variable
DECLARE
    asked_at constant timestamptz := at;
    here constant text[] := ARRAY(SELECT unnest(players));
    q record;
    old record;
    made bigint;
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, queue IS NOT NULL, players IS NOT NULL,
            team IS NOT NULL, array_position(players, NULL) IS NULL);
    q := skillrating_queue.settings(queue);
    PERFORM skillrating_queue.check_present(q, here, ARRAY(SELECT unnest(team)), at);
    SELECT p.pool, p.region INTO old FROM proposal AS p
    WHERE p.proposal = ask_backfill.proposal AND p.queue = q.queue AND p.status = 'made' FOR UPDATE;
    IF proposal IS NOT NULL AND old.pool IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('queue "%s" has made no match %s', queue, proposal);
    END IF;
    PERFORM skillrating_queue.end_backfill(b.backfill, 'replaced', asked_at)
    FROM backfill AS b WHERE b.proposal = ask_backfill.proposal AND b.status = 'open';
    INSERT INTO backfill AS b (queue, proposal, pool, region, asked_at, expires_at)
    VALUES (q.queue, proposal, coalesce(pool, old.pool, ''),
        nullif(coalesce(region, old.region), 0), asked_at,
        asked_at + coalesce(lifetime, q.ticket_lifetime))
    RETURNING b.backfill INTO made;
    INSERT INTO present (backfill, player_id, team)
    SELECT made, u.id, u.team FROM unnest(here, ask_backfill.team) AS u(id, team);
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_queue.ask_backfill(regclass, text, text[], integer[], bigint, text, bigint, interval, timestamptz) IS
'Asks for players for a running match that has free seats, and returns the number of the request.
Ticks of the queue seat those who wait there before they make new matches: as many as leave the
teams equal in number, and of those within each other''s windows the ones who make the match most
balanced; or, where too few wait for that, whoever has waited longest on the smallest team. It asks
until all seats are taken, cancel_backfill() is called, or its time is over.

players, team: who is there, and on which team, from 1 on.
proposal: the match, if this queue has made it; it then has one request at most, and a new one takes
the place of the old.  pool, region: who may join, by default those of the proposal, or '''' and
null.
lifetime: as for join().

Errors: 42704 for an unknown queue or proposal, 22023 for players or teams that no match of the
queue has, 2202E for arrays of different lengths, 22004 for nulls.';

CREATE FUNCTION skillrating_queue.cancel_backfill(
    home regclass,
    backfill bigint,
    at timestamptz DEFAULT clock_timestamp())
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_queue.enter(home),
        skillrating_queue.check_arguments(at, backfill IS NOT NULL);
    RETURN skillrating_queue.end_backfill(backfill, 'cancelled', at);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.cancel_backfill(regclass, bigint, timestamptz) IS
'Asks for no more players for a running match, because it ends or has enough, and returns whether it
still asked. Players who have not accepted yet wait again. Error 22004 for nulls.';
