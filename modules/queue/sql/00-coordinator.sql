-- skillrating_queue: queues of players in tables, workers that make matches, and game servers.
--
-- A coordinator is a schema of the user's, with tables and functions that its owner owns.  Those
-- functions are SECURITY DEFINER and only call the one of the same name here, with the oid of
-- their table queue (home).  So roles need EXECUTE on functions and no right on any table, and
-- dumps, renames, DROP SCHEMA and REASSIGN OWNED do what they do to any schema.
--
-- Functions here that take a home begin with enter(), which puts the schema of the coordinator
-- first in the search_path until the function returns; statements name its tables alone.  Those
-- that take none are parts of the others, and find the tables in the same way.
\echo Use "CREATE EXTENSION skillrating_queue" to load this file. \quit

CREATE SCHEMA skillrating_queue;

COMMENT ON SCHEMA skillrating_queue IS
'Queues beside ladders: create_coordinator(), and what the functions of coordinators call.';

GRANT USAGE ON SCHEMA skillrating_queue TO PUBLIC;

CREATE TYPE skillrating_queue.found AS (
    match_number integer,
    player_id text,
    team integer,
    ticket bigint,
    waited float8,
    pool text,
    region bigint,
    win_probability float8,
    quality float8,
    difference float8,
    commands boolean,
    why jsonb);

COMMENT ON TYPE skillrating_queue.found IS
'A player for whom a tick has found a seat: columns of pair_queue() and of the player''s ticket.';

CREATE TYPE skillrating_queue.queued AS (
    players text[],
    counts_as text[],
    tickets bigint[],
    waited float8[],
    party integer[],
    region bigint[],
    pool text[],
    commander boolean[]);

COMMENT ON TYPE skillrating_queue.queued IS
'The players of some tickets, an element of each array for each, as pair_queue() takes them.';

CREATE FUNCTION skillrating_queue.enter(home regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    c record;
BEGIN
    SELECT n.nspname, r.relowner INTO c
    FROM pg_catalog.pg_class AS r JOIN pg_catalog.pg_namespace AS n ON n.oid = r.relnamespace
    WHERE r.oid = home AND r.relname = 'queue';
    IF c.nspname IS NULL THEN
        RAISE undefined_table USING
            MESSAGE = pg_catalog.format('%s is no table queue of a coordinator', home);
    END IF;
    -- The tables may have triggers: whoever calls with other rights would run them.
    IF c.relowner <> CAST(current_user AS pg_catalog.regrole) THEN
        RAISE insufficient_privilege USING
            MESSAGE = pg_catalog.format('coordinator "%s" belongs to another role', c.nspname),
            HINT = pg_catalog.format('Call the functions of schema %I.', c.nspname);
    END IF;
    PERFORM pg_catalog.set_config('search_path', pg_catalog.quote_ident(c.nspname) || ', pg_temp',
        true);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.enter(regclass) IS
'Puts the schema of a coordinator first in the search_path, until the calling function, which sets a
search_path of its own, returns. Error 42501 unless the current role owns the coordinator.';

CREATE FUNCTION skillrating_queue.create_queue_table()
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
        channel text CHECK (channel <> '' AND octet_length(channel) < 64),
        CHECK (teams * team_size <= 128),
        CHECK (team_size * max_tickets <= 100000),
        CHECK (teams = 2 OR NOT sides AND NOT commanders AND log_odds = 0),
        CHECK ((accounts IS NULL) = (may_join IS NULL)));
    COMMENT ON TABLE queue IS
        'Queues, a row for each, which the owner writes: the ladder, its rating_pool and a context; what a match is (teams to log_odds) and whom players may meet (initial_window to min_quality), as for pair_queue(); how long a ticket waits and a match is open for accepting; how many tickets a tick looks at; how long what has ended is kept; who may join: rows of the view accounts that meet the condition may_join; whether a match needs a game server; and the channel that is notified.';
    CREATE TABLE ticket (
        ticket bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        queue text NOT NULL REFERENCES queue ON UPDATE CASCADE ON DELETE CASCADE,
        pool text NOT NULL DEFAULT '',
        region bigint CHECK (region <> 0),
        size integer NOT NULL CHECK (size >= 1),
        mu float8 NOT NULL CHECK (abs(mu) < 'Infinity'),
        joined_at timestamptz NOT NULL CHECK (isfinite(joined_at)),
        expires_at timestamptz,
        tried_at timestamptz NOT NULL,
        status text NOT NULL DEFAULT 'waiting'
            CHECK (status IN ('waiting', 'proposed', 'matched', 'ended')),
        reason text CHECK (reason IS NOT NULL OR status <> 'ended'),
        detail text,
        proposal bigint CHECK (proposal IS NOT NULL OR status NOT IN ('proposed', 'matched')),
        ended_at timestamptz CHECK (ended_at IS NOT NULL OR status NOT IN ('matched', 'ended')))
    WITH (fillfactor = 50);
    CREATE INDEX ON ticket (queue, pool, mu) WHERE status = 'waiting';
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
END
$function$;

COMMENT ON FUNCTION skillrating_queue.create_queue_table() IS
'A part of create_coordinator(): the tables queue, ticket and player.';

CREATE FUNCTION skillrating_queue.create_proposal_tables()
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
        ended_at timestamptz CHECK (ended_at IS NOT NULL OR status = 'open'),
        quality float8 NOT NULL,
        difference float8 NOT NULL,
        why jsonb)
    WITH (fillfactor = 80);
    CREATE INDEX ON proposal (queue, accept_by) WHERE status = 'open';
    CREATE INDEX ON proposal (queue, ended_at);
    CREATE INDEX ON proposal (backfill) WHERE backfill IS NOT NULL;
    COMMENT ON TABLE proposal IS
        'Matches that ticks have made, or players for the free seats of one that is running (backfill). status: open until all have accepted, made, or cancelled, with the reason. quality, difference and why are those of pair_queue(), region the one that all have in common.';
    CREATE TABLE seat (
        proposal bigint NOT NULL REFERENCES proposal ON DELETE CASCADE,
        player_id text NOT NULL,
        team integer NOT NULL,
        ticket bigint NOT NULL,
        waited float8 NOT NULL,
        win_probability float8,
        commands boolean,
        accepted_at timestamptz,
        PRIMARY KEY (proposal, player_id));
    COMMENT ON TABLE seat IS
        'The players of proposals: the team, the ticket, the seconds waited until then, the probability that the own team wins, whether the player commands it, and when the player accepted.';
    CREATE TABLE backfill (
        backfill bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        queue text NOT NULL REFERENCES queue ON UPDATE CASCADE ON DELETE CASCADE,
        proposal bigint,
        pool text NOT NULL,
        region bigint CHECK (region <> 0),
        status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'filled', 'ended')),
        reason text CHECK (reason IS NOT NULL OR status <> 'ended'),
        detail text,
        asked_at timestamptz NOT NULL CHECK (isfinite(asked_at)),
        expires_at timestamptz,
        ended_at timestamptz CHECK (ended_at IS NOT NULL OR status = 'open'));
    CREATE INDEX ON backfill (queue, asked_at) WHERE status = 'open';
    CREATE INDEX ON backfill (queue, ended_at);
    CREATE INDEX ON backfill (proposal);
    COMMENT ON TABLE backfill IS
        'Running matches that ask for players: in which queue, whom they take (pool) and where they run (region), since when and until when, and the proposal that they began as.';
    CREATE TABLE present (
        backfill bigint NOT NULL REFERENCES backfill ON DELETE CASCADE,
        player_id text NOT NULL,
        team integer NOT NULL CHECK (team >= 1),
        proposal bigint,
        PRIMARY KEY (backfill, player_id));
    COMMENT ON TABLE present IS
        'Who is in a running match that asks for players, on which team, and by which proposal, null for those who were there when it asked.';
    CREATE TABLE instance (
        instance text PRIMARY KEY,
        address text NOT NULL,
        region bigint CHECK (region <> 0),
        free_since timestamptz NOT NULL,
        free_until timestamptz NOT NULL,
        session uuid);
    COMMENT ON TABLE instance IS
        'Game servers, or places on them: the address that clients connect to, the region (a set of bits, null for all), since when it has been free and until when the offer stands, and the session that it has, null for a free one.';
    CREATE TABLE session (
        session uuid PRIMARY KEY,
        proposal bigint NOT NULL UNIQUE REFERENCES proposal ON DELETE CASCADE,
        instance text NOT NULL,
        address text NOT NULL,
        created_at timestamptz NOT NULL,
        ended_at timestamptz);
    COMMENT ON TABLE session IS
        'Matches on game servers: the instance, its address at that time, and since when and until when.';
END
$function$;

COMMENT ON FUNCTION skillrating_queue.create_proposal_tables() IS
'A part of create_coordinator(): the tables proposal, seat, backfill, present, instance and session.';

CREATE FUNCTION skillrating_queue.create_coordinator(name text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    f record;
BEGIN
    IF name IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'name must not be null';
    END IF;
    EXECUTE format('CREATE SCHEMA %I', name);
    PERFORM set_config('search_path', quote_ident(name) || ', pg_temp', true);
    PERFORM skillrating_queue.create_queue_table(), skillrating_queue.create_proposal_tables();
    -- One function for each here that takes a home, without its home and its time.
    FOR f IN
        SELECT p.proname, obj_description(p.oid, 'pg_proc') AS comment,
            array_to_string(ARRAY(
                SELECT '$' || n FROM generate_series(1, p.pronargs - 2) AS n), ', ') AS call,
            substring(pg_get_function_arguments(p.oid) FROM '^home regclass(?:, )?(.*?)(?:, )?at timestamp') AS arguments,
            pg_get_function_result(p.oid) AS result, p.provolatile = 's' AS is_stable
        FROM pg_proc AS p
        WHERE p.pronamespace = to_regnamespace('skillrating_queue') AND p.proargnames[1] = 'home'
            AND p.proargnames[p.pronargs] = 'at'
        ORDER BY p.proname
    LOOP
        EXECUTE format(
            'CREATE FUNCTION %1$I.%2$I(%3$s) RETURNS %4$s LANGUAGE sql %5$s SECURITY DEFINER
            SET search_path = pg_catalog, pg_temp
            BEGIN ATOMIC
                SELECT * FROM skillrating_queue.%2$I(%6$L::regclass%7$s);
            END', name, f.proname, f.arguments, f.result,
            CASE WHEN f.is_stable THEN 'STABLE' ELSE 'VOLATILE' END,
            format('%I.queue', name), ', ' || nullif(f.call, ''));
        EXECUTE format('REVOKE ALL ON FUNCTION %I.%I FROM PUBLIC', name, f.proname);
        EXECUTE format('COMMENT ON FUNCTION %I.%I IS %L', name, f.proname, f.comment);
    END LOOP;
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', name,
        'Queues of players, made by skillrating_queue.create_coordinator(): write rows of table queue, and call the functions.');
END
$function$;

COMMENT ON FUNCTION skillrating_queue.create_coordinator(text) IS
'Makes a schema of that name with the tables and functions of queues, which the caller owns.

A queue is a row of its table queue, which the owner inserts, changes and deletes.  All else goes
through the functions of the schema, which run with the rights of their owner: GRANT EXECUTE on
them, and USAGE on the schema, to those who may call them.  The owner has to be able to read the
ladders of the queues, see skillrating.grant_ladder().  DROP SCHEMA ... CASCADE removes it.
Errors: 22004 for null, 42P06 if the schema exists, 42501 without CREATE on the database.';
