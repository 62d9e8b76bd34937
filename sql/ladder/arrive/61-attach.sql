-- What feeds a ladder: its triggers, tables of the user that are attached, and its source.
--
-- A trigger on a table of the user depends on the view source of its ladder, which its WHEN
-- condition names. It goes when the view is dropped with CASCADE, and nothing of a ladder that is
-- gone keeps users from writing to their tables.

CREATE FUNCTION skillrating_internal.create_collect_triggers(
    ladder text,
    relation regclass,
    match_id text,
    replica boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    t record;
BEGIN
    FOR t IN
        SELECT v.*, free.name
        FROM (VALUES
            (false, 'insert', 'AFTER INSERT', 'REFERENCING NEW TABLE AS new_rows', 'collect_matches'),
            (false, 'update', 'AFTER UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows', 'collect_matches'),
            (false, 'delete', 'AFTER DELETE', 'REFERENCING OLD TABLE AS old_rows', 'collect_matches'),
            (false, 'truncate', 'BEFORE TRUNCATE', '', 'collect_matches'),
            (true, 'insert', 'AFTER INSERT', 'FOR EACH ROW', 'enqueue_matches'),
            (true, 'update', 'AFTER UPDATE', 'FOR EACH ROW', 'enqueue_matches'),
            (true, 'delete', 'AFTER DELETE', 'FOR EACH ROW', 'enqueue_matches'),
            (true, 'truncate', 'AFTER TRUNCATE', '', 'enqueue_matches'),
            (NULL, 'mirror', 'AFTER INSERT', 'REFERENCING NEW TABLE AS inserted', 'fill_mirror')
        ) AS v(replica, kind, event, rest, trigger_function)
        -- A table may belong to several ladders. Nothing is found by these names.
        CROSS JOIN LATERAL (
            SELECT c.name
            FROM generate_series(1, 1000) AS s(i)
            CROSS JOIN LATERAL (SELECT format('skillrating_%s%s', v.kind, '_' || nullif(s.i, 1))) AS c(name)
            WHERE NOT EXISTS (SELECT FROM pg_trigger AS g WHERE g.tgrelid = relation AND g.tgname = c.name)
            ORDER BY s.i LIMIT 1) AS free
        WHERE v.replica IS NOT DISTINCT FROM create_collect_triggers.replica
            AND (v.replica IS NULL OR v.kind = ANY (skillrating_internal.collect_kinds(relation, v.replica)))
    LOOP
        EXECUTE format('CREATE TRIGGER %I %s ON %s %s WHEN (%L::regclass IS NOT NULL)
            EXECUTE FUNCTION skillrating_internal.%I()', t.name, t.event, relation, t.rest,
            format('%I.source', ladder)::regclass, t.trigger_function);
        -- A worker of logical replication fires no others.
        IF replica THEN
            EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation, t.name);
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_collect_triggers(text, regclass, text, boolean) IS
'Makes the triggers of attach(), whose arguments these are, or, where replica is null, of
mirror_rating(), with the rights of the caller.';

CREATE FUNCTION skillrating_internal.create_triggers(ladder text, tables text DEFAULT '%')
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    mirrored constant boolean := skillrating_internal.has_table(ladder, 'mirror')
        AND EXISTS (SELECT FROM skillrating_internal.mirrors(ladder));
    t record;
    unfilled regclass;
    n bigint := 0;
BEGIN
    -- Participants cannot exist before their match, so that inserting a match alone changes
    -- nothing, and deleting one deletes its participants.
    FOR t IN
        SELECT v.*, format('%I.%I', ladder, v.table_name) AS relation, g.oid IS NOT NULL AS is_there
        FROM (VALUES
            ('pending', 'apply_pending', 'AFTER INSERT', 'DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.fires)', 'apply_pending'),
            ('match_player', 'collect_insert', 'AFTER INSERT', 'REFERENCING NEW TABLE AS new_rows', 'collect_matches'),
            ('match_player', 'collect_update', 'AFTER UPDATE',
                'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows', 'collect_matches'),
            ('match_player', 'collect_delete', 'AFTER DELETE', 'REFERENCING OLD TABLE AS old_rows', 'collect_matches'),
            ('match', 'collect_update', 'AFTER UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows', 'collect_matches'),
            ('match', 'refuse_truncate', 'BEFORE TRUNCATE', '', 'collect_matches'),
            ('match_player', 'refuse_truncate', 'BEFORE TRUNCATE', '', 'collect_matches'),
            ('rating', 'mirror_insert', 'AFTER INSERT', 'REFERENCING NEW TABLE AS changed', 'update_mirrors'),
            ('rating', 'mirror_update', 'AFTER UPDATE', 'REFERENCING NEW TABLE AS changed', 'update_mirrors'),
            ('rating', 'mirror_delete', 'AFTER DELETE', 'REFERENCING OLD TABLE AS changed', 'update_mirrors')
        ) AS v(table_name, trigger_name, event, rest, trigger_function)
        LEFT JOIN pg_trigger AS g
            ON g.tgrelid = to_regclass(format('%I.%I', ladder, v.table_name)) AND g.tgname = v.trigger_name
        WHERE v.table_name LIKE tables AND skillrating_internal.has_table(ladder, v.table_name)
            AND (g.oid IS NULL) = (v.table_name <> 'rating' OR mirrored)
    LOOP
        IF t.is_there THEN
            EXECUTE format('DROP TRIGGER %I ON %s', t.trigger_name, t.relation);
            CONTINUE;
        END IF;
        EXECUTE format('CREATE %s TRIGGER %I %s ON %s %s EXECUTE FUNCTION skillrating_internal.%I()',
            CASE t.table_name WHEN 'pending' THEN 'CONSTRAINT' END, t.trigger_name, t.event, t.relation, t.rest, t.trigger_function);
        n := n + 1;
    END LOOP;
    IF mirrored THEN
        FOR unfilled IN
            SELECT DISTINCT m.relation FROM skillrating_internal.mirrors(ladder) AS m
            JOIN pg_class AS c ON c.oid = m.relation
            JOIN pg_class AS r ON r.oid = to_regclass(format('%I.rating', ladder)) AND r.relowner = c.relowner
            WHERE NOT EXISTS (
                SELECT FROM skillrating_internal.ladder_triggers(ladder) AS g
                WHERE g.relation = m.relation AND g.function = 'fill_mirror')
            ORDER BY m.relation
        LOOP
            PERFORM skillrating_internal.create_collect_triggers(ladder, unfilled, NULL, NULL);
            n := n + 1;
        END LOOP;
    END IF;
    RETURN n;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_triggers(text, text) IS
'Makes the missing triggers of a ladder''s own tables like the pattern, which the caller has locked,
and of mirrored tables, and returns how many; drops those of rating that no mirror needs.';

CREATE FUNCTION skillrating_internal.attach(
    ladder text,
    relation regclass,
    match_id text DEFAULT 'match_id',
    replica boolean DEFAULT false)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(ladder);
    own boolean := replica AND coalesce(relation IN (to_regclass(format('%I.match', ladder)),
        to_regclass(format('%I.match_player', ladder))), false);
    is_strict boolean;
    touched text;
    is_column boolean;
    n bigint;
BEGIN
    IF skillrating_internal.has_table(ladder, 'match') AND NOT own THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" rates matches of its own', ladder),
            HINT = 'Make one with create_ladder(..., source => ...) to rate those of other tables.';
    END IF;
    EXECUTE format('SELECT l.strict FROM %I.ladder AS l', ladder) INTO is_strict;
    IF replica AND is_strict THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" is strict, and cannot refuse matches that a publisher has committed',
                ladder),
            HINT = format('UPDATE %I.ladder SET strict = false leaves matches with mistakes unrated.',
                ladder);
    END IF;
    -- The same text will be an expression over the rows that a statement touched, which have no
    -- system columns. It is tried on a row like them, because to plan a query of the relation itself,
    -- which may be a view of another role, can run that role's code.
    SELECT string_agg(format('NULL::%s AS %I', format_type(a.atttypid, a.atttypmod), a.attname), ', '),
        coalesce(bool_or(a.attname = match_id), false)
    INTO touched, is_column
    FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped;
    BEGIN
        EXECUTE format('SELECT CAST((%s) AS %s) FROM (SELECT %s OFFSET 0) AS r LIMIT 0',
            CASE WHEN is_column THEN quote_ident(match_id) ELSE match_id END, t.match_type, touched);
    EXCEPTION WHEN undefined_column OR undefined_function OR syntax_error OR cannot_coerce THEN
        RAISE EXCEPTION USING
            ERRCODE = SQLSTATE,
            MESSAGE = SQLERRM,
            HINT = format('Pass attach() the column with the identifier of the match, or an expression '
                'over the row that can be cast to %s, as match_id.', t.match_type);
    END;
    IF NOT EXISTS (
        SELECT FROM skillrating_internal.source_tables(format('%I.source', ladder), 'match_id') AS s
        LEFT JOIN pg_class AS c ON c.oid = s.relation
        WHERE coalesce(c.relkind NOT IN ('r', 'p'), true) OR s.relation = attach.relation
            OR s.relation IN (SELECT p.relid FROM pg_partition_ancestors(attach.relation) AS p UNION ALL SELECT p.relid FROM pg_partition_tree(attach.relation) AS p))
        AND NOT own
    THEN
        RAISE NOTICE USING
            MESSAGE = format('the source of ladder "%s" does not read table %s', ladder, relation),
            HINT = format('If its rows change no match, SELECT skillrating.detach(%L, %L).', ladder, relation);
    END IF;
    EXECUTE format(
        'INSERT INTO %I.attached (relation, match_id, replica) VALUES ($1, $2, $3)
        ON CONFLICT (relation) DO UPDATE SET match_id = excluded.match_id, replica = excluded.replica', ladder)
    USING relation, match_id, replica;
    -- Those of before, if it was attached.
    PERFORM skillrating_internal.drop_source_triggers(format('%I.source', ladder), relation, false);
    IF replica THEN
        PERFORM skillrating_internal.create_tables(ladder, '{replica_note}');
    ELSIF skillrating_internal.is_subscribed(relation) THEN
        RAISE WARNING USING
            MESSAGE = format('table %s is filled by a subscription, and ladder "%s" will not rate the rows that it brings', relation, ladder),
            HINT = format('SELECT skillrating.attach(%L, %L, %L, replica => true) has them rated by catch_up().', ladder, relation, match_id);
    END IF;
    PERFORM skillrating_internal.rate_failed(ladder);
    IF own THEN
        RETURN;
    END IF;
    -- Of the tables behind a new ladder the first one says it for all.
    EXECUTE format('SELECT FROM %1$I.rated_match UNION ALL
        (SELECT FROM %1$I.attached HAVING count(*) = 1) LIMIT 1', ladder);
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        PERFORM skillrating_internal.note_waiting(format('%I.source', ladder), ladder, format(
            'NOT EXISTS (SELECT FROM %I.rated_match AS m WHERE m.match_id %s s.match_id)',
            ladder, t.match_equals));
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.attach(text, regclass, text, boolean) IS
'Lets a table feed a ladder that has a source: rows that are inserted, updated or deleted there have
their matches looked at, at commit or after the statement as the ladder''s apply_at says. match_id
is the column with the match, or an expression over the row''s columns that gives what the source
calls match_id; an expression, or a column of another type, needs the table and the ladder to
belong to one role. Attach each table whose rows make a match; a partitioned one as a whole, and a
partition too if rows are written to it directly. A notice says how many matches of the source are
not rated yet, which backfill() does; of several tables behind a new ladder the first one says so.
TRUNCATE of an attached table is refused: use DELETE, or detach() the table first. A table that is
attached already is from now on as this call says.
replica: the table is filled by logical replication, of which only triggers for each row that are
enabled always notice anything. They put the matches into table pending, whoever changes a row, and
catch_up() rates them; what has no match that can be told is noted in table replica_note, and so is
TRUNCATE, after which catch_up() has to search, see ladder_status(). Tables match and match_player
of a ladder without a source can be attached so too, and go on to rate what ordinary sessions store.
A warning says so if the table is filled by a subscription and replica is false.
The triggers depend on the view source of the ladder: they go when it is dropped, and follow when
its schema is renamed. Errors: 42704 for an unknown ladder, 42P01 for an unknown table, 55000 if the
ladder has matches of its own or, with replica, is strict, 42501 unless the caller owns the ladder
and may create triggers on the table, or with replica owns it, and those of the expression, as
42846. A notice says so if the source does not read the table.';

CREATE FUNCTION skillrating_internal.detach(ladder text, relation regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    source regclass := to_regclass(format('%I.source', ladder));
    n bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.attached', ladder)) IS NOT NULL THEN
        EXECUTE format('DELETE FROM %I.attached AS a WHERE a.relation = $1', ladder) USING relation;
        GET DIAGNOSTICS n = ROW_COUNT;
    ELSIF source IS NULL THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    IF n + skillrating_internal.drop_source_triggers(source, relation, false) = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('table %s is not attached to ladder "%s"', relation, ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.detach(text, regclass) IS
'Undoes attach(): the table no longer feeds the ladder, which keeps what it has rated; match and
match_player of a ladder feed it as they did before. Works as well if the table has been dropped
(give its OID) or is another role''s by now, and if parts of the ladder are gone. Errors: 42704 for
an unknown ladder or table, 42501 unless the caller owns it.';

CREATE FUNCTION skillrating_internal.restore_sequences(ladder text, OUT sequences bigint)
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    s record;
    n bigint;
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    sequences := 0;
    FOR s IN
        SELECT d.objid::regclass AS sequence, format('%I.%I', ladder, c.relname) AS relation,
            c.relname = 'event' AS is_order, a.attname AS attribute
        FROM pg_depend AS d
        JOIN pg_class AS q ON q.oid = d.objid AND q.relkind = 'S'
        JOIN pg_class AS c ON c.oid = d.refobjid
        JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
            AND c.relnamespace = to_regnamespace(quote_ident(ladder))
            AND q.relnamespace = c.relnamespace
        ORDER BY q.relname
    LOOP
        -- Places in the order of a ladder are in more tables than the one that has the sequence.
        EXECUTE format(
            'SELECT setval(%1$L, u.used)
            FROM %1$s AS q CROSS JOIN (SELECT max(t.used) AS used FROM (' || CASE WHEN s.is_order THEN
                'SELECT max(e.seq) FROM %2$I.event AS e
                UNION ALL SELECT max(e.seq) FROM %2$I.component_event AS e
                UNION ALL SELECT max(m.seq) FROM %2$I.rated_match AS m
                UNION ALL SELECT max(greatest(o.operation, o.seq)) FROM %2$I.operation AS o
                UNION ALL SELECT max(c.seq) FROM %2$I.correction AS c'
                ELSE 'SELECT max(t.%4$I) FROM %3$s AS t' END || ') AS t(used)) AS u
            WHERE u.used > CASE WHEN q.is_called THEN q.last_value ELSE 0 END', s.sequence, ladder, s.relation, s.attribute);
        GET DIAGNOSTICS n = ROW_COUNT;
        sequences := sequences + n;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.restore_sequences(text) IS
'Moves the sequences of a ladder behind the numbers in its tables, and returns how many were behind.';

CREATE FUNCTION skillrating_internal.ladder_triggers(
    ladder text,
    OUT relation regclass,
    OUT name name,
    OUT function name,
    OUT idle boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
AS $function$
    -- Those of a replica are fired by its worker alone, if need be.
    SELECT t.tgrelid, t.tgname, p.proname,
        t.tgenabled <> 'A' AND t.tgenabled <> CASE p.proname WHEN 'enqueue_matches' THEN 'R' ELSE 'O' END
    FROM pg_trigger AS t
    JOIN pg_proc AS p ON p.oid = t.tgfoid
    JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE p.pronamespace = 'skillrating_internal'::regnamespace
        AND (c.relnamespace = to_regnamespace(quote_ident(ladder)) OR EXISTS (
            SELECT FROM pg_depend AS d
            WHERE d.classid = 'pg_trigger'::regclass AND d.objid = t.oid
                AND d.refobjid = to_regclass(format('%I.source', ladder))))
$function$;

COMMENT ON FUNCTION skillrating_internal.ladder_triggers(text) IS
'The triggers of a ladder, also on tables of the user, and whether they do not fire as they have to.';

CREATE FUNCTION skillrating_internal.restore_triggers(
    ladder text,
    OUT triggers bigint,
    OUT sequences bigint)
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    list text;
    tables oid[];
    t record;
BEGIN
    PERFORM skillrating_internal.ladder_facts(ladder);
    -- All or none: who has written to one of them and then rates is not to be in a deadlock with this.
    EXECUTE format(
        'SELECT array_agg(c.oid) FROM pg_class AS c
        WHERE has_table_privilege(c.oid, ''TRIGGER'') AND (
            c.oid IN (SELECT a.relation FROM %I.attached AS a
                UNION ALL SELECT m.relation FROM skillrating_internal.mirrors($1) AS m
                UNION ALL SELECT i.relation FROM skillrating_internal.ladder_triggers($1) AS i WHERE i.idle)
            OR c.relnamespace = to_regnamespace(quote_ident($1))
                AND c.relname IN (''pending'', ''rating'', ''match'', ''match_player''))', ladder)
    INTO tables USING ladder;
    PERFORM skillrating_internal.hold_objects(ladder, tables, ARRAY[to_regnamespace(quote_ident(ladder))], '{}', cardinality(tables)),
        skillrating_internal.hold_ladder(ladder, true);
    triggers := 0;
    -- On tables of others they are made anew below.
    FOR t IN
        SELECT i.* FROM skillrating_internal.ladder_triggers(ladder) AS i
        JOIN pg_class AS c ON c.oid = i.relation WHERE i.idle AND pg_has_role(c.relowner, 'USAGE')
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE %s TRIGGER %I', t.relation,
            CASE t.function WHEN 'enqueue_matches' THEN 'ALWAYS' END, t.name);
        triggers := triggers + 1;
    END LOOP;
    -- A table that was dropped feeds nothing.
    FOREACH list IN ARRAY ARRAY['attached', 'mirror'] LOOP
        CONTINUE WHEN NOT skillrating_internal.has_table(ladder, list);
        EXECUTE format(
            'DELETE FROM %I.%I AS l
            WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = l.relation)', ladder, list);
    END LOOP;
    triggers := triggers + skillrating_internal.create_triggers(ladder);
    FOR t IN EXECUTE format(
        'SELECT w.* FROM (
            SELECT a.relation, a.replica, cardinality(skillrating_internal.collect_kinds(a.relation, a.replica)) - (
                SELECT count(*) FROM skillrating_internal.ladder_triggers($1) AS t
                WHERE t.relation = a.relation AND NOT t.idle AND t.function <> ''fill_mirror''
                    AND (t.function = ''enqueue_matches'') = a.replica) AS lacking
            FROM %I.attached AS a) AS w
        WHERE w.lacking <> 0 ORDER BY w.relation', ladder)
    USING ladder
    LOOP
        PERFORM skillrating_internal.drop_source_triggers(format('%I.source', ladder), t.relation, false),
            skillrating_internal.create_collect_triggers(ladder, t.relation, '', t.replica);
        triggers := triggers + t.lacking;
    END LOOP;
    sequences := skillrating_internal.restore_sequences(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.restore_triggers(text) IS
'Puts back the triggers of a ladder that are gone, as after DROP EXTENSION ... CASCADE, or disabled:
of its own tables, attached ones and mirrors; and moves its sequences, which logical replication
does not copy, behind the numbers in its tables: a subscriber that takes over calls it before the
first match. Returns how many triggers were missing or disabled, and how many sequences were behind.
No trigger has reported the matches that came meanwhile: catch_up(search => true, rebuild => true)
finds them and what has changed. Errors: 42704 for an unknown ladder, 42501 unless the caller owns
the ladder and may create triggers on the attached tables, 55000 if it has no source, 55P03 if
tables cannot be locked within 30 s or lock_timeout.';

CREATE FUNCTION skillrating_internal.source_relation(source regclass, OUT relation regclass, OUT unread text)
LANGUAGE sql STABLE STRICT
AS $function$
    SELECT r.relation, (
        SELECT string_agg(c.column_name, ', ' ORDER BY c.n)
        FROM skillrating.source_columns() WITH ORDINALITY AS c(column_name, type, needed, description, n)
        WHERE c.column_name IN (
            SELECT a.attname::text FROM pg_attribute AS a WHERE a.attrelid = r.relation AND NOT a.attisdropped
            EXCEPT SELECT a.attname::text FROM pg_attribute AS a WHERE a.attrelid = source AND NOT a.attisdropped))
    FROM (
        SELECT CASE WHEN count(DISTINCT d.refobjid) = 1 THEN min(d.refobjid)::regclass END AS relation
        FROM pg_rewrite AS w
        JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        WHERE w.ev_class = source AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> w.ev_class) AS r
$function$;

COMMENT ON FUNCTION skillrating_internal.source_relation(regclass) IS
'The one relation of the user that a view source selects from, or null; and the known columns that
this has and the view has not, or null.';

CREATE FUNCTION skillrating_internal.refresh_source(
    ladder text,
    source regclass DEFAULT NULL,
    attach boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    old_view regclass := to_regclass(format('%I.source', ladder));
    new_source regclass := coalesce(source, (skillrating_internal.source_relation(old_view)).relation);
    columns text;
    relations oid[];
    t record;
    place bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF to_regclass(format('%I.rated_match', ladder)) IS NULL
        OR to_regclass(format('%I.ladder', ladder)) IS NULL
    THEN
        RAISE undefined_object USING
            MESSAGE = format('ladder "%s" does not exist', ladder),
            HINT = 'Ladders are made by skillrating.create_ladder().';
    END IF;
    IF skillrating_internal.has_table(ladder, 'match') THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('ladder "%s" rates matches of its own', ladder),
            HINT = 'Its source is the view of its tables match and match_player.';
    END IF;
    IF new_source IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = format('source must not be null for ladder "%s"', ladder),
            HINT = 'Its view source is gone, or selects from several relations.';
    END IF;
    PERFORM skillrating_internal.check_source(new_source);
    EXECUTE format('SELECT l.model, l.params FROM %I.ladder AS l', ladder) INTO t;
    PERFORM skillrating_internal.tell_judgement(new_source, t.model, t.params);
    IF EXISTS (SELECT FROM skillrating_internal.mirrors(ladder)) THEN
        PERFORM skillrating_internal.tell_mirrors(ladder, NULL, skillrating_internal.known_pools(ladder, new_source));
    END IF;
    IF attach THEN
        relations := (skillrating_internal.new_tables(ladder, new_source)).relations;
    END IF;
    -- Whoever waits to rate has the view already, and has written to the tables before.
    PERFORM skillrating_internal.hold_objects(ladder, coalesce(relations, '{}'), ARRAY[to_regnamespace(quote_ident(ladder))],
            array_remove(ARRAY[old_view], NULL), coalesce(cardinality(relations), 0)),
        skillrating_internal.hold_ladder(ladder, true);
    -- A view that is replaced keeps its columns in their order, and gets others behind them.
    SELECT string_agg(format('s.%I', c.column_name), ', ' ORDER BY a.attnum, c.n) INTO columns
    FROM skillrating.source_columns()
        WITH ORDINALITY AS c(column_name, type, needed, description, n)
    LEFT JOIN pg_attribute AS a
        ON a.attrelid = old_view AND a.attname = c.column_name AND NOT a.attisdropped
    WHERE a.attname IS NOT NULL OR EXISTS (
        SELECT FROM pg_attribute AS n
        WHERE n.attrelid = new_source AND n.attname = c.column_name AND NOT n.attisdropped);
    EXECUTE format('CREATE OR REPLACE VIEW %I.source AS SELECT %s FROM %s AS s', ladder, columns,
        new_source);
    EXECUTE format('COMMENT ON VIEW %I.source IS %L', ladder,
        format('What the ladder rates, from %s.', new_source));
    PERFORM skillrating_internal.create_comments(ladder, '{source}');
    -- Identifiers must compare with those of the ladder.
    t := skillrating_internal.ladder_facts(ladder);
    EXECUTE format(
        'SELECT FROM %1$I.source AS s, %1$I.rated_match AS m, %1$I.rating AS r
        WHERE s.match_id %2$s m.match_id AND s.player_id %3$s r.player_id LIMIT 0',
        ladder, t.match_equals, t.player_equals);
    EXECUTE format('SELECT min(m.seq) FROM %I.rated_match AS m', ladder) INTO place;
    PERFORM skillrating_internal.note_correction(ladder, 'source', place);
    PERFORM skillrating_internal.restore_triggers(ladder);
    IF attach THEN
        PERFORM skillrating_internal.attach_tables(ladder, new_source, '{}', true);
    END IF;
    PERFORM skillrating_internal.rate_failed(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.refresh_source(text, regclass, boolean) IS
'Takes up the columns that the source of a ladder has got since create_ladder(), or another source,
which has all the columns of the one before; if the view source is gone, with the triggers of
attached tables, it makes both again. Whatever differs counts with catch_up(), which with search and
rebuild also finds matches that rated otherwise or not at all. Matches that wait because of an error
are tried again. Tables below the source that feed the ladder not yet are attached, all or none,
unless attach is false, and told as by create_ladder(); so are those that feed it although the
source no longer reads them, for you to detach. A source without a column that the one before has
needs DROP VIEW ... CASCADE of the view source first. Errors: 42704 for an unknown ladder, 42P01 for
an unknown relation, 55000 for a ladder with matches of its own, 42703 for columns that the new
source lacks, 42883 or 42P16 for identifiers of another type, 22004 if it does not know which
source, 55P03 if tables cannot be locked within 30 s, 22023 and 42501 as for create_ladder().';
