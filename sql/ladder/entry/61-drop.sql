-- Dropping a ladder, and emptying it.

CREATE FUNCTION skillrating_internal.own_tables(ladder text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
AS $function$
    SELECT format('%I.%I', ladder, c.relation) FROM skillrating_internal.relation_columns AS c
    WHERE c.column_name = '' AND c.relation NOT IN ('source', 'leaderboard', 'history', 'components')
        AND skillrating_internal.has_table(ladder, c.relation)
    ORDER BY c.n
$function$;

COMMENT ON FUNCTION skillrating_internal.own_tables(text) IS
'The existing tables of a ladder, as they can be emptied; the last three are configuration.';

CREATE FUNCTION skillrating_internal.drop_ladder(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    mirror regclass;
    tables text;
    views text;
    message text;
    detail text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Any table that only a ladder has will do, as some may be gone.
    IF NOT EXISTS (
        SELECT
        FROM (VALUES
            ('ladder', 'format_version'), ('rated_match', 'void_reason'),
            ('event', 'last_played_before'), ('attached', 'relation')
        ) AS v(table_name, column_name)
        JOIN pg_attribute AS a
            ON a.attrelid = to_regclass(format('%I.%I', ladder, v.table_name))
                AND a.attname = v.column_name AND NOT a.attisdropped)
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    FOR mirror IN
        SELECT m.relation FROM skillrating_internal.mirrors(ladder) AS m JOIN pg_class AS c ON c.oid = m.relation
        ORDER BY m.relation::text, m.pool
    LOOP
        RAISE NOTICE USING
            MESSAGE = format('table %s keeps the ratings that it has of ladder "%s"', mirror, ladder);
    END LOOP;
    PERFORM skillrating_internal.drop_source_triggers(
        to_regclass(format('%I.source', ladder)), NULL, NULL),
        -- Without a source nobody has locked it yet.
        skillrating_internal.hold_objects(ladder, '{}', ARRAY[to_regnamespace(quote_ident(ladder))], '{}', 0);
    -- With no row left the triggers that wait for the end of the transaction, and for which the table
    -- would wait, have nothing to do.
    IF EXISTS (
        SELECT FROM pg_constraint AS c
        WHERE c.conrelid = to_regclass(format('%I.pending', ladder)) AND c.conname = 'apply_pending')
    THEN
        EXECUTE format('DELETE FROM %I.pending', ladder);
        EXECUTE format('SET CONSTRAINTS %I.apply_pending IMMEDIATE', ladder);
    END IF;
    SELECT string_agg(t, ', ') INTO tables FROM skillrating_internal.own_tables(ladder) AS t;
    SELECT string_agg(format('%I.%I', ladder, c.relname), ', ') INTO views FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relkind = 'v'
        AND c.relname IN ('source', 'leaderboard', 'history', 'components');
    BEGIN
        IF views IS NOT NULL THEN
            EXECUTE 'DROP VIEW ' || views;
        END IF;
        IF tables IS NOT NULL THEN
            EXECUTE 'DROP TABLE ' || tables;
        END IF;
        -- Goes with event, unless that is gone otherwise.
        IF to_regclass(format('%I.event_seq', ladder)) IS NOT NULL THEN
            EXECUTE format('DROP SEQUENCE %I.event_seq', ladder);
        END IF;
        EXECUTE format('DROP SCHEMA %I', ladder);
    EXCEPTION
        WHEN dependent_objects_still_exist THEN
            -- The hint of the server names an option that this function has not.
            GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            RAISE dependent_objects_still_exist USING MESSAGE = message, DETAIL = detail, HINT = 'Drop these objects first, shadows by drop_ladder().';
    END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_ladder(text) IS
'Drops a ladder with all its tables and its schema, and detaches all tables, whoever owns them,
mirrored ones too, which keep what they have, as a notice says; matches that wait for the end of
this transaction are forgotten. Works as well if some of it is gone. Errors: 42704 if there is none,
2BP01 if something else depends on it or lives in its schema, as shadows of it, 42501 unless the
caller owns it, 55006 while something else is at work on it in this session.';

CREATE FUNCTION skillrating_internal.reset_ladder(
    ladder text,
    OUT matches bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    relation text;
    sequence text;
    rules jsonb;
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder),
        -- Whoever is inserting a match has drawn its number, which is to start anew.
        skillrating_internal.hold_objects(ladder, ARRAY(
            SELECT c.oid FROM pg_class AS c
            WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relkind IN ('r', 'p')
                AND c.relname IN ('match', 'match_player') ORDER BY c.relname), ARRAY[to_regnamespace(quote_ident(ladder))], '{}', 0),
        skillrating_internal.hold_ladder(ladder, true);
    -- Which matches count is configuration, although it has its place among the operations.
    SELECT jsonb_agg(e ORDER BY e.since) INTO rules FROM skillrating_internal.eligibility(ladder) AS e;
    EXECUTE format(
        'SELECT (SELECT count(*) FROM %1$I.rated_match AS m WHERE m.status = ''rated''),
            count(DISTINCT r.player_id) FROM %1$I.rating AS r', ladder)
    INTO matches, players;
    -- Matches last: their triggers then find nothing that would have to be corrected. They are
    -- deleted and not truncated, so that rows of the user that refer to them decide for themselves.
    EXECUTE format('UPDATE %I.ladder SET horizon = NULL, horizon_at = NULL', ladder);
    FOR relation IN
        SELECT t FROM skillrating_internal.own_tables(ladder) AS t WHERE t !~ '\.(attached|mirror|ladder)$'
    LOOP
        EXECUTE 'DELETE FROM ' || relation;
    END LOOP;
    -- Nor does what triggers for each row have enqueued just now wait any more.
    EXECUTE format('DELETE FROM %I.pending', ladder);
    -- Unlike setval(), this is taken back with the transaction.
    FOR sequence IN
        SELECT s.name
        FROM (VALUES (format('%I.event_seq', ladder)), (CASE WHEN skillrating_internal.has_table(ladder, 'match') THEN
            pg_get_serial_sequence(format('%I.match', ladder), 'match_id') END)) AS s(name)
        WHERE s.name IS NOT NULL
    LOOP
        EXECUTE format('ALTER SEQUENCE %s RESTART', sequence);
    END LOOP;
    EXECUTE format(
        'INSERT INTO %I.operation (operation, seq, kind, since, params, reason)
        SELECT k.n, k.n, ''eligibility'', k.since, k.rules, k.reason
        FROM (
            SELECT nextval(%L) AS n, e.*
            FROM jsonb_to_recordset($1) AS e(since timestamptz, rules jsonb, reason text)) AS k',
        ladder, format('%I.event_seq', ladder))
    USING coalesce(rules, '[]');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.reset_ladder(text) IS
'Empties a ladder, as between tests: all ratings, history, operations, solved skills and matches
that wait are gone, and the matches in its own tables match and match_player. A ladder with a source
of your own forgets what it has rated, and the source stays as it is: its matches are rated again
when their rows are touched, or by catch_up(search => true). The configuration, mirrors, attached
tables, triggers, privileges and rules of eligibility stay; mirrored columns get their defaults, and
sequences start anew. Waits for whoever reads or rates. Returns how many matches were rated and how
many players had a rating. Errors: 42704 for an unknown ladder, 42501 unless the caller owns it,
23503 if rows of yours refer to a match, 55006 within the work on it, 55P03 if somebody keeps it
waiting for 30 s or lock_timeout.';
