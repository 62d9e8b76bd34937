-- Running matches that have lost players, and whom a tick finds for their seats.

CREATE FUNCTION skillrating_internal.backfill_candidates(
    ladder text,
    q skillrating_internal.queue_settings,
    backfill bigint,
    mean float8,
    free integer,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- More would only make the search for teams longer.
    most constant integer := 16;
    t record := skillrating_internal.ladder_types(ladder);
    tickets bigint[];
BEGIN
    EXECUTE format(
        'SELECT array_agg(t.ticket) FROM (
            SELECT t.ticket
            FROM %1$I.queue_backfill AS b
            JOIN %1$I.queue_ticket AS t ON t.queue = b.queue AND t.pool = b.pool
            WHERE b.backfill = $1 AND t.status = ''waiting'' AND t.size <= $2
                AND (t.region IS NULL OR b.region IS NULL OR t.region & b.region <> 0)
                AND abs(t.mu - $3) <= least(coalesce($6, ''Infinity''), $4
                    + $5 * greatest(0, extract(epoch FROM $7 - t.joined_at)::float8))
                AND NOT EXISTS (
                    SELECT FROM %1$I.queue_player AS p
                    JOIN %1$I.queue_backfill_player AS o ON o.counts_as %2$s p.counts_as
                    WHERE p.ticket = t.ticket AND o.backfill = b.backfill)
            ORDER BY t.joined_at, abs(t.mu - $3), (
                SELECT p.player_id FROM %1$I.queue_player AS p WHERE p.ticket = t.ticket
                ORDER BY p.player_id %4$s LIMIT 1) %4$s
            LIMIT %3$s FOR UPDATE OF t SKIP LOCKED) AS t',
        ladder, t.player_equals, most, t.player_order)
    INTO tickets
    USING backfill, free, mean, q.initial_window, q.widening,
        coalesce(q.max_window, 'Infinity'), at;
    RETURN tickets;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.backfill_candidates(text, skillrating_internal.queue_settings, bigint, float8, integer, timestamptz) IS
'A part of queue_tick(): locks tickets of at most so many players who may join a running match with
that mean estimate, the longest waiting first; null if there are none. Error 55000 unless the door
to the ladder is open.';

CREATE FUNCTION skillrating_internal.fill_evenly(
    ladder text,
    q skillrating_internal.queue_settings,
    present text[],
    teams integer[],
    p skillrating_internal.queued_players,
    size integer,
    at timestamptz)
RETURNS skillrating_internal.queue_found[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n integer := cardinality(present);
    states float8[];
    e record;
    found_players skillrating_internal.queue_found[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    states := skillrating_internal.queue_states(ladder, q, present || p.players, at);
    e := skillrating_internal.queue_estimates(q, states);
    SELECT array_agg(ROW(1, u.player, s.team, u.ticket, u.waited, u.pool, NULL, s.win_probability,
        s.quality, s.difference, NULL, NULL)::skillrating_internal.queue_found ORDER BY u.place)
    INTO found_players
    FROM (
        SELECT s.*, q.teams * min(s.win_probability) OVER () AS quality
        FROM skillrating_internal.split_states(
            ARRAY(SELECT generate_series(1, n + cardinality(p.players))), e.mu, e.mu_2,
            party => array_fill(NULL::integer, ARRAY[n]) || p.party,
            locked => fill_evenly.teams || array_fill(NULL::integer, ARRAY[cardinality(p.players)]),
            teams => q.teams, team_size => size, log_odds => q.log_odds, model => q.model,
            params => q.params, budget => 20, state => states) AS s) AS s
    JOIN unnest(p.players, p.tickets, p.waited, p.pool) WITH ORDINALITY
        AS u(player, ticket, waited, pool, place) ON u.place + n = s.player_id
    WHERE s.team IS NOT NULL;
    RETURN found_players;
EXCEPTION
    -- Parties may not fit, or the search ends before it has found how.
    WHEN invalid_parameter_value OR program_limit_exceeded THEN
        RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_evenly(text, skillrating_internal.queue_settings, text[], integer[], skillrating_internal.queued_players, integer, timestamptz) IS
'A part of queue_tick(): of those who wait, the ones who make the teams of a running match as even
as can be, with so many players in each; null if they cannot. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.fill_smallest(
    ladder text,
    q skillrating_internal.queue_settings,
    present text[],
    teams integer[],
    p skillrating_internal.queued_players,
    at timestamptz)
RETURNS skillrating_internal.queue_found[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    smallest record;
    joiners skillrating_internal.queue_found[];
    players text[];
    in_team integer[];
    found_players skillrating_internal.queue_found[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT s.team, max(s.n) OVER () - s.n AS lack INTO smallest
    FROM (
        SELECT g.team, count(u.team) AS n
        FROM generate_series(1, q.teams) AS g(team)
        LEFT JOIN unnest(teams) AS u(team) ON u.team = g.team
        GROUP BY g.team) AS s
    ORDER BY s.n, s.team LIMIT 1;
    -- All of the ticket that has waited longest of those who fit.
    SELECT array_agg(ROW(1, u.player, smallest.team, u.ticket, u.waited, u.pool, NULL, NULL, NULL,
        NULL, NULL, NULL)::skillrating_internal.queue_found ORDER BY u.n)
    INTO joiners
    FROM (
        SELECT u.*, min(u.n) OVER (PARTITION BY u.ticket) AS first
        FROM unnest(p.players, p.tickets, p.waited, p.pool) WITH ORDINALITY
            AS u(player, ticket, waited, pool, n)) AS u
    WHERE u.first = (
        SELECT min(o.n)
        FROM (
            SELECT o.n, count(*) OVER (PARTITION BY o.ticket) AS size
            FROM unnest(p.tickets) WITH ORDINALITY AS o(ticket, n)) AS o
        WHERE o.size <= smallest.lack);
    IF joiners IS NULL THEN
        RETURN NULL;
    END IF;
    players := present || ARRAY(SELECT j.player_id FROM unnest(joiners) AS j);
    in_team := teams || array_fill(smallest.team, ARRAY[cardinality(joiners)]);
    SELECT array_agg(ROW(1, j.player_id, j.team, j.ticket, j.waited, j.pool, NULL,
        w.win_probability, w.quality, 0, NULL, NULL)::skillrating_internal.queue_found ORDER BY w.n)
    INTO found_players
    FROM (
        SELECT w.player_id, w.win_probability, w.n,
            q.teams * min(w.win_probability) OVER () AS quality
        FROM skillrating.preview(ladder, players, in_team, pool => q.rating_pool,
            log_odds => q.log_odds, at => fill_smallest.at) WITH ORDINALITY
            AS w(player_id, team, rating, win_probability, win_change, draw_change, loss_change,
                draw_probability, n)) AS w
    JOIN unnest(joiners) AS j ON j.player_id = w.player_id;
    RETURN found_players;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_smallest(text, skillrating_internal.queue_settings, text[], integer[], skillrating_internal.queued_players, timestamptz) IS
'A part of queue_tick(): the ticket that has waited longest, of those who fit, for the smallest team
of a running match whose teams cannot be made equal; null if there is none. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.fill_seats(
    ladder text,
    q skillrating_internal.queue_settings,
    backfill bigint,
    at timestamptz)
RETURNS skillrating_internal.queue_found[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    present text[];
    teams integer[];
    smallest integer;
    largest integer;
    mean float8;
    tickets bigint[];
    p skillrating_internal.queued_players;
    found_players skillrating_internal.queue_found[];
    longest float8;
BEGIN
    EXECUTE format(
        'SELECT array_agg(p.player_id::text ORDER BY p.team, p.player_id %2$s),
            array_agg(p.team ORDER BY p.team, p.player_id %2$s)
        FROM %1$I.queue_backfill_player AS p WHERE p.backfill = $1', ladder, t.player_order)
    INTO present, teams USING backfill;
    SELECT min(s.n), max(s.n) INTO smallest, largest
    FROM (
        SELECT count(u.team) AS n
        FROM generate_series(1, q.teams) AS g(team)
        LEFT JOIN unnest(teams) AS u(team) ON u.team = g.team
        GROUP BY g.team) AS s;
    SELECT avg(u.mu) INTO mean
    FROM skillrating_internal.queue_estimates(q,
        skillrating_internal.queue_states(ladder, q, present, at)) AS e, unnest(e.mu) AS u(mu);
    tickets := skillrating_internal.backfill_candidates(ladder, q, backfill, mean,
        q.team_size - smallest, at);
    -- In a statement of its own, whose snapshot is not older than the locks.
    p := skillrating_internal.queued_players(ladder, tickets, at);
    IF p.players IS NULL THEN
        RETURN NULL;
    END IF;
    -- As large as those who wait can make the teams, and equal; or else less unequal.
    FOR size IN REVERSE q.team_size .. largest LOOP
        CONTINUE WHEN q.teams * size <= cardinality(present)
            OR q.teams * size > cardinality(present) + cardinality(p.players);
        found_players := skillrating_internal.fill_evenly(ladder, q, present, teams, p, size, at);
        EXIT WHEN found_players IS NOT NULL;
    END LOOP;
    IF found_players IS NULL AND smallest < largest THEN
        found_players := skillrating_internal.fill_smallest(ladder, q, present, teams, p, at);
    END IF;
    -- A match that is short of players on one side gets some in any case.
    IF smallest = largest AND found_players IS NOT NULL THEN
        SELECT max(f.waited) INTO longest FROM unnest(found_players) AS f;
        IF found_players[1].quality * greatest(q.initial_window, least(q.max_window,
            q.initial_window + q.widening * longest)) < q.min_quality * q.initial_window
        THEN
            RETURN NULL;
        END IF;
    END IF;
    RETURN found_players;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_seats(text, skillrating_internal.queue_settings, bigint, timestamptz) IS
'A part of queue_tick(): whom a running match gets for its free seats, of those who wait; null for
nobody. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.fill_backfills(
    ladder text,
    q skillrating_internal.queue_settings,
    max_matches bigint,
    at timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    b record;
    f skillrating_internal.queue_found;
    found_players skillrating_internal.queue_found[];
    made bigint[] := '{}';
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR b IN EXECUTE format(
        'SELECT b.backfill, b.region FROM %1$I.queue_backfill AS b
        WHERE b.queue = $1 AND b.status = ''open''
            AND $2 * $3 > (
                SELECT count(*) FROM %1$I.queue_backfill_player AS p WHERE p.backfill = b.backfill)
        ORDER BY b.asked_at, b.backfill LIMIT 100
        FOR UPDATE OF b SKIP LOCKED', ladder)
    USING q.queue, q.teams, q.team_size
    LOOP
        EXIT WHEN cardinality(made) >= max_matches;
        found_players := skillrating_internal.fill_seats(ladder, q, b.backfill, at);
        CONTINUE WHEN found_players IS NULL;
        -- They play where the others do.
        FOR i IN 1 .. cardinality(found_players) LOOP
            f := found_players[i];
            f.region := b.region;
            found_players[i] := f;
        END LOOP;
        made := made
            || skillrating_internal.write_proposals(ladder, q, found_players, b.backfill, at);
    END LOOP;
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_backfills(text, skillrating_internal.queue_settings, bigint, timestamptz) IS
'A part of queue_tick(): finds players for running matches, those that have asked first coming
first, and returns the numbers of the proposals. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.check_present(
    ladder text,
    q skillrating_internal.queue_settings,
    players text[],
    team integer[])
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    wrong record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF cardinality(players) = 0 THEN
        RAISE array_subscript_error USING
            MESSAGE = 'array players must not be empty',
            HINT = 'A match that asks for players has at least one.';
    END IF;
    IF cardinality(players) <> cardinality(team) THEN
        RAISE array_subscript_error USING
            MESSAGE = format('array team must have %s elements, not %s', cardinality(players),
                cardinality(team));
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
    PERFORM skillrating_internal.queue_states(ladder, q, players, now());
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_present(text, skillrating_internal.queue_settings, text[], integer[]) IS
'A part of queue_backfill(): errors 2202E and 22023 for players and teams that no match of the queue
has.';

CREATE FUNCTION skillrating_internal.replace_backfill(
    ladder text,
    queue text,
    proposal bigint,
    at timestamptz,
    OUT pool text,
    OUT region bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT p.pool, p.region FROM %I.queue_proposal AS p
        WHERE p.proposal = $1 AND p.queue = $2 AND p.status = ''made'' FOR UPDATE', ladder)
    INTO pool, region USING proposal, queue;
    IF pool IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('queue "%s" has made no match %s', queue, proposal);
    END IF;
    EXECUTE format(
        'SELECT skillrating_internal.end_backfill($1, b.backfill, ''replaced'', $4)
        FROM %I.queue_backfill AS b
        WHERE b.queue = $2 AND b.proposal = $3 AND b.status = ''open''', ladder)
    USING ladder, queue, proposal, at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.replace_backfill(text, text, bigint, timestamptz) IS
'A part of queue_backfill(): ends the request of a match that has one, and returns the pool and
region of the match. Error 42704 for a match that the queue has not made, 55000 unless the door to
the ladder is open.';

CREATE FUNCTION skillrating_internal.end_backfill(
    ladder text,
    backfill bigint,
    reason text,
    at timestamptz)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    proposals bigint[];
    n bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- No tick finds any more players from here on, and nobody who accepts takes the last seat.
    EXECUTE format(
        'UPDATE %I.queue_backfill AS b SET status = ''ended'', reason = $2, ended_at = $3
        WHERE b.backfill = $1 AND b.status = ''open''', ladder)
    USING backfill, reason, at;
    GET DIAGNOSTICS n = ROW_COUNT;
    EXECUTE format(
        'SELECT coalesce(array_agg(p.proposal), ''{}'') FROM (
            SELECT p.proposal FROM %1$I.queue_proposal AS p
            WHERE p.queue = (SELECT b.queue FROM %1$I.queue_backfill AS b WHERE b.backfill = $1)
                AND p.status = ''open'' AND p.backfill = $1
            ORDER BY p.proposal FOR UPDATE) AS p', ladder)
    INTO proposals USING backfill;
    -- Those who have not accepted yet wait again.
    PERFORM skillrating_internal.cancel_proposals(ladder, proposals, reason, '{}', at);
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_backfill(text, bigint, text, timestamptz) IS
'Ends the request of a running match for players, and cancels proposals for it that are open;
returns whether it was open. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.queue_backfill(
    ladder text,
    queue text,
    players anycompatiblearray,
    team integer[],
    proposal bigint DEFAULT NULL,
    pool text DEFAULT NULL,
    region bigint DEFAULT NULL,
    lifetime interval DEFAULT NULL,
    at timestamptz DEFAULT NULL,
    OUT backfill bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record;
    q skillrating_internal.queue_settings;
    asked_at timestamptz := coalesce(at, clock_timestamp());
    ids text[];
    teams integer[];
    old record;
BEGIN
    IF ladder IS NULL OR queue IS NULL OR players IS NULL OR team IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, queue, players and team must not be null';
    END IF;
    t := skillrating_internal.ladder_types(ladder);
    q := skillrating_internal.queue_settings(ladder, queue);
    PERFORM skillrating_internal.check_queue_time('at', asked_at),
        skillrating_internal.check_every('lifetime', lifetime);
    ids := skillrating_internal.id_texts(ARRAY(SELECT unnest(players)::text), t.player_type,
        'players');
    teams := ARRAY(SELECT unnest(team));
    PERFORM skillrating_internal.check_present(ladder, q, ids, teams);
    SELECT r.pool, r.region INTO old
    FROM skillrating_internal.replace_backfill(ladder, queue, proposal, asked_at) AS r;
    EXECUTE format(
        'INSERT INTO %I.queue_backfill (queue, proposal, pool, region, asked_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $5 + $6) RETURNING backfill', ladder)
    INTO backfill
    USING queue, proposal, coalesce(pool, old.pool, ''), nullif(coalesce(region, old.region), 0),
        asked_at, coalesce(lifetime, q.ticket_lifetime);
    EXECUTE format(
        'INSERT INTO %1$I.queue_backfill_player (backfill, player_id, counts_as, team)
        SELECT $1, CAST(u.id AS %2$s), CAST(skillrating_internal.counted_player(%3$L, u.id) AS %2$s),
            u.team
        FROM unnest($2, $3) AS u(id, team)',
        ladder, t.player_type, ladder)
    USING backfill, ids, teams;
END
$function$;

SELECT skillrating_internal.create_entry('queue_backfill');

COMMENT ON FUNCTION skillrating.queue_backfill(text, text, anycompatiblearray, integer[], bigint, text, bigint, interval, timestamptz) IS
'Asks for players for a running match that has free seats, and returns the number of the request in
table queue_backfill.  Ticks of the queue seat those who wait there before they make new matches: as
many as leave the teams equal in number, and of those within each other''s windows the ones who make
the match most even; or, where too few wait for that, whoever has waited longest on the smallest
team. It asks until all seats are taken, queue_cancel_backfill() is called, or its time is over.

players, team: who is there, and on which team, from 1 on.
proposal: the match, if this queue has made it; it then has one request at most, and a new one takes
the place of the old.  pool, region: who may join, by default those of the proposal, or '''' and
null.
lifetime: as for queue_join().  at: now by default.

Takes INSERT on table queue_ticket and SELECT on rating and component, see grant_matchmaker().
Errors: 42704 for an unknown ladder, queue or proposal, 22023 for players or teams that no match of
the queue has, 2202E for arrays of different lengths, 22004 for nulls, 22008 for an infinite time.';

CREATE FUNCTION skillrating_internal.queue_cancel_backfill(
    ladder text,
    backfill bigint,
    at timestamptz DEFAULT NULL,
    OUT cancelled boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF ladder IS NULL OR backfill IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and backfill must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    at := coalesce(at, clock_timestamp());
    PERFORM skillrating_internal.check_queue_time('at', at);
    cancelled := skillrating_internal.has_queue_tables(ladder)
        AND skillrating_internal.end_backfill(ladder, backfill, 'cancelled', at);
END
$function$;

SELECT skillrating_internal.create_entry('queue_cancel_backfill');

COMMENT ON FUNCTION skillrating.queue_cancel_backfill(text, bigint, timestamptz) IS
'Asks for no more players for a running match, because it ends or has enough, and returns whether it
still asked. Players who have not accepted yet wait again. at: now by default. Takes INSERT on table
queue_ticket, see grant_matchmaker(). Errors: 42704 for an unknown ladder, 22004 for nulls, 22008
for an infinite time.';
