-- What is done beside rating: notifications, and whatever else a schedule asks for.

CREATE FUNCTION skillrating_internal.newest_cursor(ladder text)
RETURNS text
AS 'MODULE_PATHNAME', 'skillrating_newest_cursor'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.newest_cursor(text) IS
'The cursor of a reader of changes() who has had all that is committed, without reading it. Error
55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.note_task(ladder text, task text)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_note_task'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.note_task(text, text) IS
'A part of work_step(): has progress() show the task that begins. Error 55000 unless the door to the
ladder is open.';

CREATE FUNCTION skillrating_internal.create_work_table(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Of two who both find no table, the second one waits and then finds that of the first.
    IF NOT skillrating_internal.has_tables(ladder, '{work}') THEN
        EXECUTE format('LOCK TABLE %I.ladder IN SHARE UPDATE EXCLUSIVE MODE', ladder);
    END IF;
    IF skillrating_internal.has_tables(ladder, '{work}') THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I.work (
            task text PRIMARY KEY,
            every interval CHECK (every > ''0''),
            due_at timestamptz,
            keep interval,
            channel text,
            players boolean,
            cursor text,
            done_at timestamptz,
            done bigint,
            failed_at timestamptz,
            error text)', ladder);
    EXECUTE format('COMMENT ON TABLE %I.work IS %L', ladder,
        'What skillrating.work() does for the ladder, a row for each task: how often (every; null for notifications at commit) and when next (due_at); for trim_changes how long changes are kept (keep); for notify the channel, whether payloads name players, and how far it is (cursor). done_at and done say when it was done last and how much that was, failed_at and error what has failed since.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_work_table(text) IS
'Creates the table work of a ladder unless it has one. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.end_task(ladder text, task text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF skillrating_internal.has_tables(ladder, '{work}') THEN
        EXECUTE format('DELETE FROM %I.work AS w WHERE w.task = $1', ladder) USING task;
        GET DIAGNOSTICS n = ROW_COUNT;
    END IF;
    RETURN n > 0;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_task(text, text) IS
'Takes a task from the table work of a ladder; false if it was not there. Waits for whoever is doing
it. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.check_every(name text, every interval)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF every <= '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s must be positive, not %s', name, every);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_every(text, interval) IS
'Error 22023 for an interval of 0 or less, in an argument of that name.';

CREATE FUNCTION skillrating_internal.check_short_name(name text, value text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF value = '' OR value <> value::name::text THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s must be a name of 1 to 63 bytes, not "%s"', name, value);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_short_name(text, text) IS
'Error 22023 for a text that cannot be the name of a channel or a queue, in an argument of that
name. A null is none.';

CREATE FUNCTION skillrating_internal.schedule_work(
    ladder text,
    task text,
    every interval,
    keep interval DEFAULT NULL,
    starting_at timestamptz DEFAULT now())
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF ladder IS NULL OR task IS NULL OR starting_at IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, task and starting_at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF task NOT IN ('drain', 'catch_up', 'settle', 'trim_changes', 'make_partitions')
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('task must be "drain", "catch_up", "settle", "trim_changes" '
                'or "make_partitions", not "%s"', task),
            HINT = 'skillrating.notify_changes() begins and ends notifications, and push_rating() '
                'has ratings written to other tables.';
    END IF;
    IF NOT isfinite(starting_at) THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('starting_at must be finite, not %s', starting_at);
    END IF;
    IF every IS NULL THEN
        PERFORM skillrating_internal.end_task(ladder, task);
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_every('every', every);
    IF (task = 'trim_changes') <> (keep IS NOT NULL) OR keep < '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE WHEN keep < '0' THEN format('keep must be 0 or more, not %s', keep)
                WHEN keep IS NULL
                    THEN 'task "trim_changes" needs keep, the time for which changes are kept'
                ELSE format('keep is for task "trim_changes", not for "%s"', task) END;
    END IF;
    IF task = 'trim_changes' THEN
        PERFORM skillrating_internal.check_changes_kept(ladder);
    END IF;
    IF task = 'make_partitions'
        AND NOT EXISTS (SELECT FROM skillrating_internal.partitioned_tables(ladder))
    THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table event of ladder "%s" is not partitioned by seq', ladder),
            HINT = format('SELECT skillrating.partition_history(%L, rows => ...) does that.', ladder);
    END IF;
    PERFORM skillrating_internal.create_work_table(ladder);
    EXECUTE format(
        'INSERT INTO %I.work AS w (task, every, keep, due_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (task) DO UPDATE
        SET every = excluded.every, keep = excluded.keep, due_at = excluded.due_at', ladder)
    USING task, every, keep, starting_at;
END
$function$;

SELECT skillrating_internal.create_entry('schedule_work');

COMMENT ON FUNCTION skillrating.schedule_work(text, text, interval, interval, timestamptz) IS
'Has work() do a task for a ladder from now on, in place of what was said of it before; with a null
in every no more.
task: drain (at most 10 000 rows of the queue at a time, see attach() with replica), catch_up (if
matches wait in pending or corrections in correction, or many changes of counts), settle (idle time
up to then), trim_changes (of changes from before now() - keep), or make_partitions (two ahead, of
tables that partition_history() has partitioned).
every: at the least so much time lies between; keep: for trim_changes only, how long changes are
kept; starting_at: when it is due first, now by default, and from then on at the same time of day if
every is 1 day.
Nothing happens without calls of work(). Errors: 42704 for an unknown ladder, 42501 unless the
caller owns it, 22004 for nulls, 22023 for another task, an interval that is not positive, or keep
where it does not belong, 22008 for an infinite time, 55000 if there are to be changes and the
ladder does not keep them, or partitions and its table event has none.';

CREATE FUNCTION skillrating_internal.check_changes_kept(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF skillrating_internal.change_origin(ladder) IS NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" does not keep its changes', ladder),
            HINT = format('SELECT skillrating.keep_changes(%L) begins to keep them.', ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_changes_kept(text) IS
'Error 55000 if a ladder does not keep its changes, or the door to it is not open.';

CREATE FUNCTION skillrating_internal.notification(
    name text,
    changes bigint,
    players text[],
    number bigint DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    max_bytes constant integer := 7999;
    head jsonb := jsonb_strip_nulls(jsonb_build_object('ladder', name, 'changes', changes,
        'number', number, 'start_again', CASE WHEN changes IS NULL THEN true END));
    whole text := head || jsonb_build_object('players', players);
BEGIN
    RETURN CASE WHEN players IS NULL OR octet_length(whole) > max_bytes THEN head::text
        ELSE whole END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.notification(text, bigint, text[], bigint) IS
'The payload of a notification: a JSON object with the name of a ladder, how many changes there
were, the players if they are given and it stays below 8000 bytes, and a number that makes it
different from others; with null for changes one that says start_again.';

CREATE FUNCTION skillrating_internal.notify_of_changes()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint;
    number bigint;
    players text[];
BEGIN
    IF TG_TABLE_NAME <> 'change' OR TG_NARGS <> 2 OR TG_LEVEL <> 'STATEMENT' OR TG_OP <> 'INSERT'
    THEN
        RAISE trigger_protocol_violated USING
            MESSAGE = 'skillrating_internal.notify_of_changes() is attached by '
                'skillrating.notify_changes()';
    END IF;
    SELECT sum(cardinality(c.pool)), max(c.number) INTO n, number FROM changed AS c;
    IF n > 0 THEN
        IF TG_ARGV[1]::boolean THEN
            players := ARRAY(
                SELECT DISTINCT u.player::text FROM changed AS c, unnest(c.player_id) AS u(player)
                ORDER BY 1);
        END IF;
        PERFORM pg_notify(TG_ARGV[0],
            skillrating_internal.notification(TG_TABLE_SCHEMA, n, players, number));
    END IF;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.notify_of_changes() IS
'Trigger function on the table change of a ladder, after rows are inserted: notifies the channel of
the first argument at commit, with players if the second one is true. Error 39P01 if it is attached
otherwise.';

CREATE FUNCTION skillrating_internal.drop_notify_triggers(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name name;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR name IN
        SELECT t.tgname FROM pg_trigger AS t
        WHERE t.tgrelid = to_regclass(format('%I.change', ladder))
            AND t.tgfoid = 'skillrating_internal.notify_of_changes'::regproc
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %I.change', name, ladder);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_notify_triggers(text) IS
'A part of notify_changes(): no transaction that rates notifies any more. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.notify_changes(
    ladder text,
    channel text,
    notify_interval interval DEFAULT '1 second',
    at_commit boolean DEFAULT false,
    players boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
BEGIN
    IF ladder IS NULL OR notify_interval IS NULL OR at_commit IS NULL OR players IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ladder, notify_interval, at_commit and players must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_every('notify_interval', notify_interval);
    IF channel IS NULL THEN
        PERFORM skillrating_internal.end_task(ladder, 'notify'),
            skillrating_internal.drop_notify_triggers(ladder);
        RETURN;
    END IF;
    PERFORM skillrating_internal.check_short_name('channel', channel);
    PERFORM skillrating_internal.check_changes_kept(ladder);
    PERFORM skillrating_internal.create_work_table(ladder);
    -- What waits for work() is told now, if nobody will come back to it.
    IF at_commit THEN
        EXECUTE format(
            'SELECT w.channel, w.players, w.cursor FROM %I.work AS w
            WHERE w.task = ''notify'' AND w.cursor IS NOT NULL FOR UPDATE', ladder)
        INTO w;
        IF w.cursor IS NOT NULL THEN
            PERFORM FROM skillrating_internal.send_notification(ladder, w.channel, w.players,
                w.cursor);
        END IF;
    END IF;
    -- Who listens from now on has missed nothing: changes of this transaction come later.
    EXECUTE format(
        'INSERT INTO %I.work AS w (task, every, due_at, channel, players, cursor)
        VALUES (''notify'', $1, clock_timestamp(), $2, $3, $4)
        ON CONFLICT (task) DO UPDATE
        SET every = excluded.every, due_at = excluded.due_at, channel = excluded.channel,
            players = excluded.players,
            cursor = CASE WHEN excluded.every IS NOT NULL
                THEN coalesce(w.cursor, excluded.cursor) END',
        ladder)
    USING CASE WHEN NOT at_commit THEN notify_interval END, channel, players,
        CASE WHEN NOT at_commit THEN skillrating_internal.newest_cursor(ladder) END;
    PERFORM skillrating_internal.drop_notify_triggers(ladder);
    IF at_commit THEN
        EXECUTE format(
            'CREATE TRIGGER skillrating_notify AFTER INSERT ON %I.change
            REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
            EXECUTE FUNCTION skillrating_internal.notify_of_changes(%L, %L)',
            ladder, channel, players);
    END IF;
END
$function$;

SELECT skillrating_internal.create_entry('notify_changes');

COMMENT ON FUNCTION skillrating.notify_changes(text, text, interval, boolean, boolean) IS
'Has listeners on a channel notified that ratings of a ladder have changed, from now on; with a null
channel no more. The ladder must keep its changes, see keep_changes().
A payload is a JSON object below 8000 bytes: {"ladder": ..., "changes": how many, "players": [...]},
without players if they do not fit; {"ladder": ..., "start_again": true} says that nobody knows how
many changes there were, as after a restore.
notify_interval: work() sends one notification for all changes since the last one, when at least so
much time has passed. Nothing is sent without calls of work(); nothing is lost between them.
at_commit: the transaction that changes ratings notifies itself instead, once for up to 64 changes.
Transactions that notify commit one after another, which costs throughput, and cannot be prepared
(PREPARE TRANSACTION gives error 0A000).
players: whether payloads name players; any role that may connect can listen. Waits until nobody
rates. Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023
for a channel that is no name or an interval that is not positive, 55000 if the ladder does not keep
its changes.';

CREATE FUNCTION skillrating_internal.send_notification(
    ladder text,
    channel text,
    with_players boolean,
    INOUT cursor text,
    OUT changes bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    max_changes constant bigint := 10000;
    max_players constant integer := 2000;    -- no more can fit: each takes 4 bytes at least
    since text := cursor;
    players text[] := CASE WHEN with_players THEN '{}'::text[] END;
    who text[];
    n bigint := max_changes;
BEGIN
    changes := 0;
    WHILE n >= max_changes LOOP
        SELECT count(*) FILTER (WHERE c.next_cursor IS NULL), max(c.next_cursor),
            array_agg(DISTINCT c.player_id) FILTER (WHERE c.next_cursor IS NULL)
        INTO n, since, who
        FROM skillrating_internal.changes(ladder, since, max_changes) AS c;
        changes := changes + n;
        players := ARRAY(
            SELECT DISTINCT u.player FROM unnest(players || who) AS u(player) ORDER BY 1);
        IF NOT with_players OR cardinality(players) > max_players THEN
            players := NULL;
            with_players := false;
        END IF;
    END LOOP;
    cursor := since;
    IF changes > 0 THEN
        PERFORM pg_notify(channel, skillrating_internal.notification(ladder, changes, players));
    END IF;
EXCEPTION
    WHEN invalid_cursor_state THEN
        changes := 0;
        cursor := skillrating_internal.newest_cursor(ladder);
        PERFORM pg_notify(channel, skillrating_internal.notification(ladder, NULL, NULL));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.send_notification(text, text, boolean, text) IS
'A part of work_step(): notifies a channel of what has changed since a cursor, if anything, and
returns the next one and how many changes it were. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.catch_up_if_any(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    waiting boolean;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    -- Nobody is kept from rating for nothing.
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %1$I.pending) OR EXISTS (SELECT FROM %1$I.correction)', ladder)
    INTO waiting;
    IF NOT waiting AND skillrating_internal.ranks(ladder) = 'counted' THEN
        -- So many are there only where all transactions are serializable, which do not tidy them.
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.rating_count_delta OFFSET 10000)', ladder)
        INTO waiting;
    END IF;
    RETURN CASE WHEN waiting THEN (SELECT count(*) FROM skillrating.catch_up(ladder)) ELSE 0 END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.catch_up_if_any(text) IS
'A part of work_step(): catch_up(), if anything waits for it, and how many rows of rating it
changed. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.work_step(
    ladder text,
    task text,
    failure text DEFAULT NULL,
    OUT done bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
    next_cursor text;
    drained record;
    again boolean := false;
BEGIN
    IF ladder IS NULL OR task IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and task must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_tables(ladder, '{work}') THEN
        RETURN;
    END IF;
    -- Another session may be doing it, or have done it. The lock on the row is taken before
    -- any that rating waits for, and nobody waits for it who holds one of these.
    EXECUTE format(
        'SELECT w.task, w.channel, w.players, w.cursor, w.keep FROM %I.work AS w
        WHERE w.task = $1 AND w.every IS NOT NULL AND w.due_at <= clock_timestamp()
        FOR UPDATE SKIP LOCKED', ladder)
    INTO w USING task;
    IF w.task IS NULL THEN
        RETURN;
    END IF;
    IF failure IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %I.work AS w SET failed_at = clock_timestamp(), error = $2,
                due_at = clock_timestamp() + least(w.every, interval ''1 minute'')
            WHERE w.task = $1', ladder)
        USING task, failure;
        RETURN;
    END IF;
    PERFORM skillrating_internal.note_task(ladder, task);
    CASE task
        WHEN 'drain' THEN
            drained := skillrating_internal.drain_batch(ladder);
            done := drained.looked_at;
            again := drained.taken > 0;
        WHEN 'catch_up' THEN
            done := skillrating_internal.catch_up_if_any(ladder);
        WHEN 'settle' THEN
            done := (
                SELECT s.players FROM skillrating.settle(ladder, clock_timestamp(), 'work') AS s);
        WHEN 'trim_changes' THEN
            done := skillrating_internal.trim_changes(ladder, now() - w.keep);
        WHEN 'make_partitions' THEN
            done := skillrating_internal.make_partitions_ahead(ladder);
        WHEN 'notify' THEN
            SELECT s.cursor, s.changes INTO next_cursor, done
            FROM skillrating_internal.send_notification(ladder, w.channel, w.players, w.cursor)
                AS s;
        ELSE
            RAISE invalid_parameter_value USING
                MESSAGE = format('unknown task "%s" in table work of ladder "%s"', task, ladder);
    END CASE;
    EXECUTE format(
        'UPDATE %I.work AS w
        SET done_at = clock_timestamp(), done = $2, failed_at = NULL, error = NULL, cursor = $3,
            due_at = CASE WHEN $4 THEN w.due_at ELSE greatest(clock_timestamp(),
                w.due_at + w.every * (1 + floor(
                    extract(epoch FROM clock_timestamp() - w.due_at)
                    / extract(epoch FROM w.every))::float8)) END
        WHERE w.task = $1', ladder)
    USING task, done, next_cursor, again;
END
$function$;

SELECT skillrating_internal.create_entry('work_step');

COMMENT ON FUNCTION skillrating.work_step(text, text, text) IS
'A step of work(): does a task of a ladder if it is due and nobody else is doing it, and returns how
much that was, null if it did nothing: for drain matches that were looked at (it stays due while
rows wait), for notify changes that were notified of, for catch_up and settle rows of rating that
changed, for trim_changes rows of change, for make_partitions partitions.
With a failure it notes that in table work instead, and the task is due again in a minute, or sooner
if it is to be done more often.
Errors: 42704 for an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023 for a
task in table work that is none, and those of the function that does the task.';

CREATE FUNCTION skillrating_internal.scheduled_work(
    ladder text,
    OUT task text,
    OUT every interval,
    OUT due_at timestamptz,
    OUT keep interval,
    OUT channel text,
    OUT players boolean,
    OUT done_at timestamptz,
    OUT done bigint,
    OUT failed_at timestamptz,
    OUT error text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT ROWS 4
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT skillrating_internal.has_tables(ladder, '{work}') THEN
        RETURN;
    END IF;
    -- Listeners are told what those before have changed, and that is trimmed afterwards.
    RETURN QUERY EXECUTE format(
        'SELECT w.task, w.every, w.due_at, w.keep, w.channel, w.players, w.done_at, w.done,
            w.failed_at, w.error
        FROM %I.work AS w
        ORDER BY array_position(ARRAY[''make_partitions'', ''drain'', ''catch_up'',
            ''settle'', ''notify'', ''trim_changes''], w.task)',
        ladder);
END
$function$;

SELECT skillrating_internal.create_entry('scheduled_work');

COMMENT ON FUNCTION skillrating.scheduled_work(text) IS
'What work() does for a ladder, a row for each task, in the order in which they are done: how often
(every, null for notifications at commit), when next (due_at), and what schedule_work() or
notify_changes() was given besides; when it was done last, and how much that was, as work_step()
returns it; and, if it has failed since, when and by what error. Errors: 42704 for an unknown
ladder, 42501 unless the caller owns it.';

CREATE FUNCTION skillrating_internal.check_work(run_for interval, ladder text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_run_for(run_for);
    PERFORM FROM skillrating.scheduled_work(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_work(interval, text) IS
'A part of work(): error 22004 or 22023 for a run_for that will not do, and if a ladder is given,
those of scheduled_work().';

CREATE FUNCTION skillrating_internal.ladders_with_work(ladder text)
RETURNS text[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT coalesce(array_agg(n.nspname::text ORDER BY n.nspname), '{}')
    FROM pg_namespace AS n
    JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'ladder' AND c.relkind = 'r'
    WHERE (n.nspname = ladder OR ladder IS NULL) AND pg_has_role(c.relowner, 'USAGE')
        AND has_schema_privilege(n.oid, 'USAGE')
        AND EXISTS (
            SELECT FROM pg_class AS w
            WHERE w.relnamespace = n.oid AND w.relname IN ('work', 'push') AND w.relkind = 'r')
        AND EXISTS (
            SELECT FROM pg_class AS r WHERE r.relnamespace = n.oid AND r.relname = 'rated_match')
$function$;

COMMENT ON FUNCTION skillrating_internal.ladders_with_work(text) IS
'A part of work(): the ladder of that name, or with null all ladders that the caller owns, as a
member of the owner too, if anything is scheduled for them. It reads the catalogs only.';

CREATE FUNCTION skillrating_internal.due_tasks(ladder text)
RETURNS text[]
LANGUAGE sql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT coalesce(array_agg(s.task), '{}') FROM skillrating.scheduled_work(ladder) AS s
    WHERE s.every IS NOT NULL AND s.due_at <= clock_timestamp()
$function$;

COMMENT ON FUNCTION skillrating_internal.due_tasks(text) IS
'A part of work(): the tasks of a ladder that are due, in order.';

CREATE FUNCTION skillrating_internal.push_is_due(ladder text)
RETURNS boolean
LANGUAGE sql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (
        SELECT FROM skillrating.push_status(ladder) AS s
        WHERE s.every IS NOT NULL AND s.due_at <= clock_timestamp())
$function$;

COMMENT ON FUNCTION skillrating_internal.push_is_due(text) IS
'A part of work(): whether ratings of a ladder are due to be written to a table.';

CREATE FUNCTION skillrating_internal.idle_seconds(ladder text, seconds float8)
RETURNS float8
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN d.rest IS NULL THEN seconds ELSE
        least(seconds, CASE WHEN d.rest > 0 THEN greatest(0.01, d.rest) ELSE 0.1 END) END
    FROM (
        SELECT extract(epoch FROM min(s.due_at) - clock_timestamp())::float8 AS rest
        FROM (
            SELECT w.due_at FROM skillrating.scheduled_work(ladder) AS w WHERE w.every IS NOT NULL
            UNION ALL
            SELECT p.due_at FROM skillrating.push_status(ladder) AS p WHERE p.every IS NOT NULL
        ) AS s) AS d
$function$;

COMMENT ON FUNCTION skillrating_internal.idle_seconds(text, float8) IS
'A part of work(): for how long nothing is due on a ladder, at most so many seconds, and at least
one hundredth. What is due by now another session is doing: then a tenth.';

CREATE FUNCTION skillrating_internal.add_done(
    done jsonb,
    ladder text,
    task text,
    n bigint)
RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN n IS NULL THEN done ELSE done || jsonb_build_object(ladder,
        coalesce(done -> ladder, '{}') || jsonb_build_object(task,
            coalesce((done -> ladder ->> task)::bigint, 0) + n)) END
$function$;

COMMENT ON FUNCTION skillrating_internal.add_done(jsonb, text, text, bigint) IS
'A part of work(): adds to a list of what was done, by ladder and task, how much it was.';

CREATE PROCEDURE skillrating.work(
    ladder text DEFAULT NULL,
    run_for interval DEFAULT '0',
    INOUT done jsonb DEFAULT NULL,
    INOUT failures bigint DEFAULT NULL)
LANGUAGE plpgsql
AS $procedure$
DECLARE
    until pg_catalog.timestamptz;
    name pg_catalog.text;
    task pg_catalog.text;
    tasks pg_catalog.text[];
    n pg_catalog.int8;
    idle pg_catalog.float8;
    failure pg_catalog.text;
    pushes pg_catalog.bool;
    push_failures pg_catalog.int8;
BEGIN
    -- As in backfill(), no bare operators or names here. Whatever works on a ladder checks the
    -- rights of the caller.
    COMMIT;
    -- Of two at once the later must see what the first has done; COMMIT AND CHAIN keeps that.
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    PERFORM skillrating_internal.check_work(run_for, ladder);
    until := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) run_for;
    done := '{}';
    failures := 0;
    LOOP
        idle := 1;
        FOREACH name IN ARRAY skillrating_internal.ladders_with_work(ladder) LOOP
            tasks := '{}';
            pushes := false;
            BEGIN
                tasks := skillrating_internal.due_tasks(name);
                pushes := skillrating_internal.push_is_due(name);
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                RAISE WARNING 'skipping ladder "%": %', name, SQLERRM;
                failures := failures OPERATOR(pg_catalog.+) 1;
            END;
            FOREACH task IN ARRAY tasks LOOP
                COMMIT AND CHAIN;
                failure := NULL;
                BEGIN
                    n := skillrating.work_step(name, task);
                    -- What is deferred fails here rather than at the commit.
                    SET CONSTRAINTS ALL IMMEDIATE;
                EXCEPTION WHEN OTHERS OR assert_failure THEN
                    failure := SQLERRM;
                    RAISE WARNING 'task "%" of ladder "%" failed: %', task, name, failure;
                    failures := failures OPERATOR(pg_catalog.+) 1;
                END;
                IF failure IS NULL THEN
                    done := skillrating_internal.add_done(done, name, task, n);
                    CONTINUE;
                END IF;
                -- A connection that is lost keeps the transaction from being committed.
                ROLLBACK AND CHAIN;
                BEGIN
                    PERFORM FROM skillrating.work_step(name, task, failure);
                EXCEPTION WHEN OTHERS OR assert_failure THEN
                    NULL;
                END;
            END LOOP;
            IF pushes THEN
                COMMIT AND CHAIN;
                CALL skillrating.push(name, scheduled => true, pushed => n,
                    failures => push_failures);
                done := skillrating_internal.add_done(done, name, 'push', n);
                failures := failures OPERATOR(pg_catalog.+) push_failures;
            END IF;
            COMMIT AND CHAIN;
            BEGIN
                idle := skillrating_internal.idle_seconds(name, idle);
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                NULL;
            END;
        END LOOP;
        COMMIT AND CHAIN;
        EXIT WHEN pg_catalog.clock_timestamp()
            OPERATOR(pg_catalog.+) pg_catalog.make_interval(secs => idle)
            OPERATOR(pg_catalog.>=) until;
        PERFORM pg_catalog.pg_sleep(idle);
        COMMIT AND CHAIN;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.work(text, interval, jsonb, bigint) IS
'Does what is due: what schedule_work(), notify_changes() and push_rating() have asked for, on a
ladder, or on all that the caller owns, as a member of the owner too. Each task of each ladder is a
transaction. Whatever ends it, what was done before stays, and the next call goes on there. Two
calls at once are harmless: what one is doing the other leaves alone. A task that fails is a
warning, and keeps no other task or ladder waiting; it is noted in table work, see scheduled_work(),
and tried again after a minute, or sooner if it is to be done more often. progress() shows what it
is doing.
run_for: go on for so long, sleeping while nothing is due.
done: returns what was done, as {"ladder": {"task": how much}}; failures: how many tasks have
failed. Values given in the call are ignored.
Errors: 2D000 within a transaction block, 22004 or 22023 for a run_for that is null or less than 0,
and for a ladder that is named 42704 if it does not exist and 42501 unless the caller owns it.';
