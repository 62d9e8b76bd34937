-- skillrating_queue: queues of players in tables, workers that make matches, and game servers.
--
-- A coordinator is a schema of the user's, with tables and functions that its owner owns.  Those
-- functions are SECURITY DEFINER: they call enter() with the oid of their table queue, which puts
-- the schema first in the search_path until they return, and then the function of the same name
-- here.  So roles need EXECUTE on functions and no right on any table, and dumps, renames, DROP
-- SCHEMA and REASSIGN OWNED do what they do to any schema.  Functions here name tables alone.
\echo Use "CREATE EXTENSION skillrating_queue" to load this file. \quit

CREATE SCHEMA skillrating_queue;

COMMENT ON SCHEMA skillrating_queue IS
'Queues beside ladders: create_coordinator(), and what the functions of coordinators call.';

GRANT USAGE ON SCHEMA skillrating_queue TO PUBLIC;

CREATE FUNCTION skillrating_queue.enter(home regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    c record;
BEGIN
    SELECT r.relnamespace::pg_catalog.regnamespace AS schema, r.relowner,
        (SELECT pg_catalog.min(CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE a.grantee::pg_catalog.regrole::pg_catalog.text END)
            FROM pg_catalog.aclexplode(
                coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) AS a
            LEFT JOIN pg_catalog.pg_roles AS s ON s.oid = a.grantee
            WHERE a.privilege_type = 'CREATE' AND a.grantee <> r.relowner
                AND s.rolsuper IS NOT TRUE) AS creator
    INTO STRICT c
    FROM pg_catalog.pg_class AS r JOIN pg_catalog.pg_namespace AS n ON n.oid = r.relnamespace
    WHERE r.oid = home;
    -- The tables may have triggers: a function of another owner would run them.
    IF c.relowner <> CAST(current_user AS pg_catalog.regrole) THEN
        RAISE insufficient_privilege USING
            MESSAGE = pg_catalog.format('the tables of schema %s belong to another role', c.schema),
            HINT = 'One role has to own the schema''s tables and its functions.';
    END IF;
    -- Names are looked up in this schema: a function put there would run as the owner.
    IF c.creator IS NOT NULL THEN
        RAISE insufficient_privilege USING
            MESSAGE = pg_catalog.format('%s can create objects in schema %s', c.creator, c.schema),
            HINT = pg_catalog.format('REVOKE CREATE ON SCHEMA %s FROM %s.', c.schema, c.creator);
    END IF;
    PERFORM pg_catalog.set_config('search_path', c.schema || ', pg_temp', true);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.enter(regclass) IS
'Puts the schema of a coordinator first in the search_path, until the calling function, which sets a
search_path of its own, returns. Error 42501 unless the current role owns the tables, and nobody
else but superusers can create objects in the schema.';

CREATE FUNCTION skillrating_queue.create_queue_tables()
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    CREATE TABLE queue (
        queue text PRIMARY KEY CHECK (queue <> ''),
        ladder text NOT NULL,
        rating_pool text NOT NULL DEFAULT '',
        context text,
        teams integer NOT NULL DEFAULT 2 CHECK (teams BETWEEN 2 AND 10),
        team_size integer NOT NULL DEFAULT 1 CHECK (team_size >= 1),
        sides boolean NOT NULL DEFAULT false,
        commanders boolean NOT NULL DEFAULT false,
        caution float8 NOT NULL DEFAULT 0 CHECK (abs(caution) < 'Infinity'),
        log_odds float8 NOT NULL DEFAULT 0 CHECK (abs(log_odds) < 'Infinity'),
        initial_window float8 CHECK (initial_window >= 0 AND initial_window < 'Infinity'),
        widening float8 CHECK (widening >= 0 AND widening < 'Infinity'),
        max_window float8 CHECK (max_window >= 0 AND max_window < 'Infinity'),
        min_quality float8 NOT NULL DEFAULT 0 CHECK (min_quality BETWEEN 0 AND 1),
        ticket_lifetime interval DEFAULT '10 minutes' CHECK (ticket_lifetime > '0'),
        accept_within interval CHECK (accept_within > '0'),
        max_tickets integer NOT NULL DEFAULT 1000 CHECK (max_tickets BETWEEN 2 AND 10000),
        keep interval DEFAULT '1 day' CHECK (keep >= '0'),
        accounts text,
        may_join text,
        needs_instance boolean NOT NULL DEFAULT false,
        CHECK (teams * team_size <= 128),
        CHECK (team_size * max_tickets <= 100000),
        CHECK (teams = 2 OR NOT sides AND NOT commanders AND log_odds = 0),
        CHECK ((accounts IS NULL) = (may_join IS NULL)));
    COMMENT ON TABLE queue IS
        'Queues, a row for each, which the owner writes: the ladder, its rating_pool and a context; what a match is (teams to log_odds) and whom players may meet (initial_window to min_quality), as for pair_queue(); how long a ticket waits and a match is open for accepting; how many tickets a tick looks at; how long what has ended is kept; who may join: rows of the view accounts that meet the condition may_join; and whether a match needs a game server.';
    CREATE TABLE ticket (
        ticket bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        queue text NOT NULL REFERENCES queue ON UPDATE CASCADE ON DELETE CASCADE,
        pool text NOT NULL DEFAULT '',
        region bigint CHECK (region <> 0),
        size integer NOT NULL CHECK (size >= 1),
        mu float8 NOT NULL CHECK (abs(mu) < 'Infinity'),
        joined_at timestamptz NOT NULL CHECK (isfinite(joined_at)),
        expires_at timestamptz CHECK (expires_at > joined_at),
        tried_at timestamptz NOT NULL,
        status text NOT NULL DEFAULT 'waiting'
            CHECK (status IN ('waiting', 'proposed', 'matched', 'ended')),
        reason text CHECK (reason IS NOT NULL OR status <> 'ended'),
        detail text,
        proposal bigint CHECK (proposal IS NOT NULL OR status NOT IN ('proposed', 'matched')),
        ended_at timestamptz CHECK ((ended_at IS NULL) = (status IN ('waiting', 'proposed'))))
    WITH (fillfactor = 50);
    CREATE INDEX ON ticket (queue) WHERE status = 'waiting';
    CREATE INDEX ON ticket (queue) WHERE status = 'proposed';
    CREATE INDEX ON ticket (queue, ended_at);
    COMMENT ON TABLE ticket IS
        'Tickets of players who queue together, or of one alone: the queue; who meets (pool) and where (region, a set of bits, null for everywhere); how many they are and their mean estimate when they joined, by which a tick finds neighbours; since when they wait and until when, and when a tick has looked at them last. status: waiting; proposed, in a match that has not been accepted by all; matched; or ended, with the reason, and with a detail where a row was broken.';
    -- Nobody has two tickets, under whatever account.
    CREATE TABLE player (
        counts_as text PRIMARY KEY,
        player_id text NOT NULL,
        ticket bigint NOT NULL REFERENCES ticket ON DELETE CASCADE,
        commander boolean NOT NULL DEFAULT true);
    CREATE INDEX ON player (ticket);
    COMMENT ON TABLE player IS
        'The players of all tickets that are waiting or proposed: the account that joined (player_id), the player whom it counts as, who has no other ticket, and whether the player may command.';
    CREATE TABLE instance (
        instance text PRIMARY KEY,
        address text NOT NULL,
        region bigint CHECK (region <> 0),
        free_since timestamptz NOT NULL,
        free_until timestamptz NOT NULL,
        session uuid);
    CREATE INDEX ON instance (session);
    COMMENT ON TABLE instance IS
        'Game servers, or places on them: the address that clients connect to, the region (a set of bits, null for all), since when it has been free and until when the offer stands, and the session that it has, null for a free one.';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.create_queue_tables() IS
'A part of create_coordinator(): the tables queue, ticket, player and instance.';

CREATE FUNCTION skillrating_queue.create_match_tables()
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
    CREATE TABLE proposal (
        proposal bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        queue text NOT NULL REFERENCES queue ON UPDATE CASCADE ON DELETE CASCADE,
        backfill bigint,
        pool text NOT NULL,
        region bigint,
        status text NOT NULL CHECK (status IN ('open', 'made', 'cancelled')),
        reason text CHECK (reason IS NOT NULL OR status <> 'cancelled'),
        proposed_at timestamptz NOT NULL,
        accept_by timestamptz CHECK (accept_by IS NOT NULL OR status <> 'open'),
        ended_at timestamptz CHECK ((ended_at IS NULL) = (status = 'open')),
        quality float8 NOT NULL,
        difference float8,
        why jsonb,
        session uuid UNIQUE,
        address text,
        session_ended_at timestamptz)
    WITH (fillfactor = 80);
    CREATE INDEX ON proposal (queue, ended_at);
    CREATE INDEX ON proposal (backfill) WHERE backfill IS NOT NULL;
    COMMENT ON TABLE proposal IS
        'Matches that ticks have made, or players for the free seats of one that is running (backfill). status: open until all have accepted, made, or cancelled, with the reason. quality, difference and why are those of pair_queue(), region the one that all have in common. A match on a game server is a session there, at the address that the server had, until it ends.';
    CREATE TABLE seat (
        proposal bigint NOT NULL REFERENCES proposal ON DELETE CASCADE,
        player_id text NOT NULL,
        team integer NOT NULL,
        ticket bigint NOT NULL,
        win_probability float8,
        commands boolean,
        accepted_at timestamptz,
        PRIMARY KEY (proposal, player_id));
    COMMENT ON TABLE seat IS
        'The players of proposals: the team, the ticket, the probability that the own team wins, whether the player commands it, and when the player accepted.';
    CREATE TABLE backfill (
        backfill bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        queue text NOT NULL REFERENCES queue ON UPDATE CASCADE ON DELETE CASCADE,
        proposal bigint,
        pool text NOT NULL,
        region bigint CHECK (region <> 0),
        status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'ended')),
        reason text CHECK ((reason IS NULL) = (status = 'open')),
        detail text,
        asked_at timestamptz NOT NULL CHECK (isfinite(asked_at)),
        expires_at timestamptz CHECK (expires_at > asked_at),
        ended_at timestamptz CHECK ((ended_at IS NULL) = (status = 'open')));
    CREATE INDEX ON backfill (queue, ended_at);
    CREATE INDEX ON backfill (proposal);
    COMMENT ON TABLE backfill IS
        'Running matches that ask for players: in which queue, whom they take (pool) and where they run (region), since when and until when, the proposal that they began as, and why they ask no more.';
    CREATE TABLE present (
        backfill bigint NOT NULL REFERENCES backfill ON DELETE CASCADE,
        player_id text NOT NULL,
        team integer NOT NULL CHECK (team >= 1),
        proposal bigint,
        PRIMARY KEY (backfill, player_id));
    COMMENT ON TABLE present IS
        'Who is in a running match that asks for players, on which team, and by which proposal, null for those who were there when it asked.';
    CREATE VIEW status AS
    SELECT q.queue, t.*, p.*
    FROM queue AS q, LATERAL (
        SELECT count(*) FILTER (WHERE t.status = 'waiting') AS waiting_tickets,
            coalesce(sum(t.size) FILTER (WHERE t.status = 'waiting'), 0) AS waiting_players,
            clock_timestamp() - min(t.joined_at) FILTER (WHERE t.status = 'waiting')
                AS longest_wait,
            count(*) FILTER (WHERE t.status = 'matched') AS matched_tickets,
            count(*) FILTER (WHERE t.status = 'ended') AS ended_tickets,
            percentile_cont('{0.5, 0.9, 0.99}'::float8[])
                WITHIN GROUP (ORDER BY t.ended_at - t.joined_at)
                FILTER (WHERE t.status = 'matched') AS waits
        FROM ticket AS t WHERE t.queue = q.queue) AS t, LATERAL (
        SELECT count(*) FILTER (WHERE p.status = 'open') AS open_proposals,
            count(*) FILTER (WHERE p.status = 'made' AND p.backfill IS NULL) AS matches,
            count(*) FILTER (WHERE p.status = 'cancelled') AS cancelled,
            avg(p.quality) FILTER (WHERE p.status = 'made') AS quality
        FROM proposal AS p WHERE p.queue = q.queue) AS p;
    COMMENT ON VIEW status IS
        'How each queue does: who waits, and for how long; what has become of the tickets and proposals that are kept; the median and the 90th and 99th percentiles of the time from joining to a match (waits), and the mean quality of matches.';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.create_match_tables() IS
'A part of create_coordinator(): the tables proposal, seat, backfill and present, and the view
status.';

CREATE FUNCTION skillrating_queue.create_coordinator(name text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    now_argument constant text := 'at timestamp with time zone DEFAULT clock_timestamp()';
    f record;
BEGIN
    IF name IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'name must not be null';
    END IF;
    EXECUTE format('CREATE SCHEMA %I', name);
    PERFORM set_config('search_path', quote_ident(name) || ', pg_temp', true);
    PERFORM skillrating_queue.create_queue_tables(), skillrating_queue.create_match_tables();
    -- One function for each here that takes the time, without it.
    FOR f IN
        SELECT p.proname, obj_description(p.oid, 'pg_proc') AS comment, p.provolatile,
            rtrim(replace(pg_get_function_arguments(p.oid), now_argument, ''), ', ') AS arguments,
            (SELECT string_agg('$' || n, ', ')
                FROM generate_series(1, p.pronargs - 1) AS n) AS call,
            pg_get_function_result(p.oid) AS result
        FROM pg_proc AS p
        WHERE p.pronamespace = to_regnamespace('skillrating_queue')
            AND right(pg_get_function_arguments(p.oid), length(now_argument)) = now_argument
        ORDER BY p.proname
    LOOP
        EXECUTE format(
            'CREATE FUNCTION %1$I.%2$I(%3$s) RETURNS %4$s LANGUAGE sql %5$s SECURITY DEFINER
            SET search_path = pg_catalog, pg_temp
            BEGIN ATOMIC
                SELECT skillrating_queue.enter(%6$L::regclass);
                SELECT * FROM skillrating_queue.%2$I(%7$s);
            END', name, f.proname, f.arguments, f.result,
            CASE f.provolatile WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END,
            format('%I.queue', name), f.call);
        EXECUTE format('REVOKE ALL ON FUNCTION %I.%I FROM PUBLIC', name, f.proname);
        EXECUTE format('COMMENT ON FUNCTION %I.%I IS %L', name, f.proname, f.comment);
    END LOOP;
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', name,
        'Queues of players, made by skillrating_queue.create_coordinator(): write rows of table queue, and call the functions.');
END
$function$;

COMMENT ON FUNCTION skillrating_queue.create_coordinator(text) IS
'Makes a schema of that name with the tables and functions of queues, which the caller owns. A queue
is a row of its table queue, which the owner writes. All else goes through the functions of the
schema, which run with the rights of their owner: GRANT EXECUTE on them, and USAGE on the schema, to
those who may call them. The owner has to be able to read the ladders of the queues, see
skillrating.grant_ladder(). DROP SCHEMA ... CASCADE removes it. Errors: 22004 for null, 42P06 if the
schema exists, 42501 without CREATE on the database.';
