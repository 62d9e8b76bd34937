-- The queue of a subscriber: matches that row triggers have put into pending wait for drain().

CREATE FUNCTION skillrating_internal.rate_taken(
    ladder text,
    matches text[],
    OUT looked_at bigint,
    OUT late_matches bigint,
    OUT unrated bigint,
    OUT set_aside bigint)
AS 'MODULE_PATHNAME', 'skillrating_rate_taken'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.rate_taken(text, text[]) IS
'A part of drain_batch(): rates matches that were taken out of the queue, and returns what
backfill_batch() does, and how many wait because of an error (set_aside). No mistake or error stops
a ladder here that is strict or raises errors. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.copied_tables(ladder text)
RETURNS regclass[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    copied regclass[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- A worker that has copied a table has caught up with the others from s on.
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT a.relation ORDER BY a.relation), ''{}'')
        FROM %I.attached AS a
        JOIN pg_subscription_rel AS s
            ON s.srrelid IN (SELECT p.relid FROM pg_partition_tree(a.relation) AS p
                UNION ALL SELECT a.relation)
        WHERE a.replica AND s.srsubstate NOT IN (''s'', ''r'')', ladder)
    INTO copied;
    RETURN copied;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.copied_tables(text) IS
'A part of drain_batch() and ladder_status(): the attached tables into which a subscription is
copying the rows that its publisher had when it began. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.search_truncated(
    ladder text,
    OUT waits boolean)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint;
BEGIN
    waits := false;
    IF NOT skillrating_internal.has_tables(ladder, '{replica_note}') THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT count(*) FROM (
            SELECT FROM %I.replica_note AS n WHERE n.event = ''truncate'' AND n.error IS NULL
            LIMIT 1) AS n', ladder)
    INTO n;
    IF n = 0 THEN
        RETURN;
    END IF;
    IF skillrating_internal.copied_tables(ladder) <> '{}' THEN
        waits := true;
        RETURN;
    END IF;
    EXECUTE format(
        'DELETE FROM %I.replica_note AS n WHERE n.event = ''truncate'' AND n.error IS NULL', ladder);
    PERFORM FROM skillrating.catch_up(ladder, search => true);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.search_truncated(text) IS
'A part of drain_batch(): after TRUNCATE nobody has said which matches are gone, and catch_up()
finds them. While a subscription copies rows anew this waits, because matches that have not come yet
would be taken for gone, and so does all that is in the queue.';

CREATE FUNCTION skillrating_internal.drain_batch(
    ladder text,
    batch_size integer DEFAULT 10000,
    OUT taken bigint,
    OUT looked_at bigint,
    OUT late_matches bigint,
    OUT unrated bigint,
    OUT set_aside bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    matches text[];
BEGIN
    PERFORM skillrating_internal.check_backfill(batch_size, true);
    taken := 0;
    looked_at := 0;
    late_matches := 0;
    unrated := 0;
    set_aside := 0;
    IF skillrating_internal.search_truncated(ladder) THEN
        RETURN;
    END IF;
    -- What another session has taken is its business; a match with a row in both is looked at
    -- twice, and rated once.
    EXECUTE format(
        'WITH taken AS (
            DELETE FROM %1$I.pending AS p
            WHERE p.ctid = ANY (ARRAY(
                SELECT q.ctid FROM %1$I.pending AS q WHERE NOT q.fires AND q.sqlstate IS NULL
                LIMIT $1 FOR UPDATE SKIP LOCKED))
            RETURNING p.match_id)
        SELECT count(*), coalesce(array_agg(DISTINCT format(''%%s'', k.match_id)), ''{}'')
        FROM taken AS k', ladder)
    INTO taken, matches USING batch_size;
    IF taken = 0 THEN
        RETURN;
    END IF;
    SELECT d.looked_at, d.late_matches, d.unrated, d.set_aside
    INTO looked_at, late_matches, unrated, set_aside
    FROM skillrating_internal.rate_taken(ladder, matches) AS d;
END
$function$;

SELECT skillrating_internal.create_entry('drain_batch');

COMMENT ON FUNCTION skillrating.drain_batch(text, integer) IS
'A step of drain(): takes at most so many rows out of the queue and rates their matches, in the
order of time. Several sessions may do so at once: each takes rows that no other has. After TRUNCATE
of an attached table it has catch_up() search the source, and does nothing while a subscription
copies the rows anew.
taken: rows; a match may have had several. looked_at: matches that were new, changed or gone;
late_matches: those of them that wait for catch_up(); unrated: those that do not count, see
rated_match; set_aside: those that wait because of an error, see ladder_status(). Errors: 42704 for
an unknown ladder, 42501 unless the caller owns it, 22003 for a batch_size below 1, 55000 if its
triggers are gone, see restore_triggers().';

CREATE FUNCTION skillrating_internal.check_run_for(run_for interval)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF run_for IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'run_for must not be null';
    END IF;
    IF run_for < '0' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('run_for must be 0 or more, not %s', run_for);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_run_for(interval) IS
'A part of work(), drain() and push(): error 22004 or 22023 for a run_for that will not do.';

CREATE PROCEDURE skillrating.drain(
    ladder text,
    run_for interval DEFAULT '0',
    batch_size integer DEFAULT 10000,
    INOUT matches bigint DEFAULT NULL,
    INOUT late_matches bigint DEFAULT NULL,
    INOUT unrated bigint DEFAULT NULL,
    INOUT set_aside bigint DEFAULT NULL)
LANGUAGE plpgsql
AS $procedure$
DECLARE
    until pg_catalog.timestamptz;
    step pg_catalog.record;
BEGIN
    -- As in backfill(), no bare operators or names here. Whatever works on a ladder checks the
    -- rights of the caller.
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    PERFORM skillrating_internal.check_run_for(run_for);
    until := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) run_for;
    matches := 0;
    late_matches := 0;
    unrated := 0;
    set_aside := 0;
    LOOP
        SELECT b.taken, b.looked_at, b.late_matches, b.unrated, b.set_aside INTO step
        FROM skillrating.drain_batch(ladder, batch_size) AS b;
        COMMIT AND CHAIN;
        matches := matches OPERATOR(pg_catalog.+) step.looked_at;
        late_matches := late_matches OPERATOR(pg_catalog.+) step.late_matches;
        unrated := unrated OPERATOR(pg_catalog.+) step.unrated;
        set_aside := set_aside OPERATOR(pg_catalog.+) step.set_aside;
        CONTINUE WHEN step.taken OPERATOR(pg_catalog.>) 0;
        EXIT WHEN pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>=) until;
        PERFORM pg_catalog.pg_sleep(0.05);
        COMMIT AND CHAIN;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.drain(text, interval, integer, bigint, bigint, bigint, bigint) IS
'Rates the matches that a publisher has sent: those that the triggers of attach() with replica =>
true have put into the queue of a ladder. It takes at most batch_size rows in a transaction, rates
their matches in the order of time, and goes on until nothing waits; whatever ends it, the batches
before stay, and no match is lost or rated twice. Matches that come late, and corrections, wait for
catch_up(). A match that cannot be rated does not count, with its reason in rated_match; one for
which that raises an error waits for catch_up(), see ladder_status(). Sessions that drain at once
share the work.
run_for: go on for so long, looking for new rows twenty times a second.
matches, late_matches, unrated, set_aside: return the sums of what drain_batch() says; values given
in the call are ignored. work() does the same, see schedule_work().
Errors: 2D000 within a transaction block, 42704 for an unknown ladder, 42501 unless the caller owns
it, 22004 for nulls in run_for, 22023 for one less than 0, 22003 for a batch_size below 1, 55000 if
its triggers are gone, see restore_triggers().';
