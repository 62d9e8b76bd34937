-- Parts of swap_ladders(): locks, checks, and what belongs to a table that cannot exchange its rows
-- with another because it is partitioned: it moves, and what can be made again stays with its name.

CREATE FUNCTION skillrating_internal.swapped_tables(
    a text,
    b text,
    OUT name name,
    OUT kept oid,
    OUT moved oid,
    OUT is_sequence boolean,
    OUT exchanged boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT x.relname, x.oid, y.oid, x.relkind = 'S',
        CASE WHEN x.relkind <> 'S' THEN x.relkind = 'r' AND y.relkind = 'r'
        -- A sequence moves with the table that owns it.
        ELSE NOT EXISTS (
            SELECT FROM pg_class AS e
            WHERE e.relname = 'event' AND e.relkind <> 'r'
                AND e.relnamespace IN (x.relnamespace, y.relnamespace)) END
    FROM unnest('{ladder,rating,rating_count,rating_count_delta,standing,event,component,component_event,rated_match,correction,operation,event_seq}'::name[])
        WITH ORDINALITY AS t(name, n)
    JOIN pg_class AS x ON x.relname = t.name AND x.relnamespace = to_regnamespace(quote_ident(a))
    JOIN pg_class AS y ON y.relname = t.name AND y.relnamespace = to_regnamespace(quote_ident(b))
    ORDER BY t.n
$function$;

COMMENT ON FUNCTION skillrating_internal.swapped_tables(text, text) IS
'A part of swap_ladders(): the relations that go from ladder b to ladder a (moved), each with the
one whose place it takes (kept). If exchanged, both stay where they are and exchange their rows,
otherwise both move, and what belongs to the place is to be kept.';

CREATE FUNCTION skillrating_internal.kept_rights(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH relation AS (
        SELECT t.*, format('%s %I.%I', CASE WHEN t.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END,
            a, t.name) AS target
        FROM skillrating_internal.swapped_tables(a, b) AS t WHERE NOT t.exchanged
    ), given(relid, relowner, privilege, grantee, is_grantable) AS (
        SELECT c.oid, c.relowner, x.privilege_type, x.grantee, x.is_grantable
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
        UNION ALL
        SELECT c.oid, c.relowner, format('%s (%I)', x.privilege_type, t.attname), x.grantee,
            x.is_grantable
        FROM relation AS r
        JOIN pg_class AS c ON c.oid IN (r.kept, r.moved)
        JOIN pg_attribute AS t ON t.attrelid = c.oid AND NOT t.attisdropped
        CROSS JOIN LATERAL aclexplode(t.attacl) AS x
        WHERE EXISTS (
            SELECT FROM pg_attribute AS o WHERE o.attrelid = r.moved AND o.attname = t.attname)
    ), role AS (
        SELECT g.*, CASE g.grantee WHEN 0 THEN 'PUBLIC'
            ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS name
        FROM given AS g WHERE g.grantee <> g.relowner
    )
    SELECT s.statement
    FROM (
        SELECT DISTINCT 1, format('REVOKE ALL ON %s FROM %s CASCADE', r.target, g.name)
        FROM relation AS r JOIN role AS g ON g.relid = r.moved
        UNION ALL
        SELECT 2, format('GRANT %s ON %s TO %s%s', g.privilege, r.target, g.name,
            CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM relation AS r JOIN role AS g ON g.relid = r.kept
    ) AS s(step, statement)
    ORDER BY s.step
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_rights(text, text) IS
'A part of swap_ladders(): statements that give what comes from ladder b into ladder a the
privileges of what it replaces, and no others; those on columns, as far as it has them.';

CREATE FUNCTION skillrating_internal.kept_policies(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT s.statement
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_class AS k ON k.oid = t.kept
    JOIN pg_class AS m ON m.oid = t.moved
    CROSS JOIN LATERAL (
        SELECT 1, format('DROP POLICY %I ON %I.%I', p.polname, a, t.name)
        FROM pg_policy AS p WHERE p.polrelid = t.moved
        UNION ALL
        SELECT 2, format('CREATE POLICY %I ON %I.%I AS %s FOR %s TO %s%s%s', p.polname, a, t.name,
            CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
            CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
            (SELECT string_agg(CASE r.oid WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(r.oid)) END, ', ')
             FROM unnest(p.polroles) AS r(oid)),
            ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
            ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
        FROM pg_policy AS p WHERE p.polrelid = t.kept
        UNION ALL
        SELECT 3, format('ALTER TABLE %I.%I %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY',
            a, t.name,
            CASE WHEN k.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
            CASE WHEN k.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
        WHERE (k.relrowsecurity, k.relforcerowsecurity)
            <> (m.relrowsecurity, m.relforcerowsecurity)
    ) AS s(step, statement)
    WHERE NOT t.exchanged
    ORDER BY s.step
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_policies(text, text) IS
'A part of swap_ladders(): statements that give the tables that come from ladder b into ladder a the
row-level security of those that they replace. A policy on a column that the new one lacks makes
the swap fail.';

CREATE FUNCTION skillrating_internal.kept_comments(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT format('COMMENT ON %s %I.%I IS %L',
        CASE WHEN t.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END, a, t.name,
        obj_description(t.kept, 'pg_class'))
    FROM skillrating_internal.swapped_tables(a, b) AS t
    WHERE NOT t.exchanged AND obj_description(t.kept, 'pg_class')
        IS DISTINCT FROM obj_description(t.moved, 'pg_class')
    UNION ALL
    SELECT format('COMMENT ON COLUMN %I.%I.%I IS %L', a, t.name, k.attname,
        col_description(t.kept, k.attnum))
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_attribute AS k ON k.attrelid = t.kept AND k.attnum > 0 AND NOT k.attisdropped
    JOIN pg_attribute AS m ON m.attrelid = t.moved AND m.attname = k.attname
    WHERE NOT t.exchanged AND col_description(t.kept, k.attnum) IS DISTINCT FROM col_description(t.moved, m.attnum)
$function$;

COMMENT ON FUNCTION skillrating_internal.kept_comments(text, text) IS
'A part of swap_ladders(): statements that give what comes from ladder b into ladder a the comments
of what it replaces.';

CREATE FUNCTION skillrating_internal.not_kept(
    a text,
    b text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH belonging(relid, kind, name) AS (
        SELECT x.indrelid, 'index', c.relname::text
        FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
        UNION ALL
        SELECT g.tgrelid, 'trigger', g.tgname FROM pg_trigger AS g
        WHERE NOT g.tgisinternal
            AND g.tgfoid <> 'skillrating_internal.update_mirrors'::regproc
        UNION ALL
        SELECT w.ev_class, 'rule', w.rulename FROM pg_rewrite AS w
        UNION ALL
        SELECT s.conrelid, 'constraint', s.conname FROM pg_constraint AS s WHERE s.contype <> 'n'
        UNION ALL
        SELECT s.confrelid, 'foreign key of ' || s.conrelid::regclass, s.conname
        FROM pg_constraint AS s WHERE s.contype = 'f'
        UNION ALL
        SELECT e.stxrelid, 'statistics', e.stxname FROM pg_statistic_ext AS e
        UNION ALL
        SELECT i.inhparent, 'child table', i.inhrelid::regclass::text FROM pg_inherits AS i
        WHERE NOT EXISTS (
            SELECT FROM pg_class AS p JOIN pg_class AS c ON c.relnamespace = p.relnamespace
            WHERE p.oid = i.inhparent AND c.oid = i.inhrelid AND c.relispartition)
        UNION ALL
        SELECT r.prrelid, 'publication', p.pubname
        FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid
        UNION ALL
        SELECT c.oid, 'storage parameters', array_to_string(c.reloptions, ', ')
        FROM pg_class AS c WHERE c.reloptions IS NOT NULL
    )
    SELECT format('%s of %I.%I: %s', k.kind, a, t.name, k.name)
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN belonging AS k ON k.relid = t.kept
    WHERE NOT t.exchanged AND NOT EXISTS (
        SELECT FROM belonging AS m
        WHERE m.relid = t.moved AND m.kind = k.kind AND m.name = k.name)
    ORDER BY 1
$function$;

COMMENT ON FUNCTION skillrating_internal.not_kept(text, text) IS
'A part of swap_ladders(): what users have added to tables of ladder a and goes with them to ladder
b, because nothing there says the same.';

CREATE FUNCTION skillrating_internal.note_not_kept(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    followers text;
    goes text;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    SELECT string_agg(DISTINCT w.ev_class::regclass::text, ', ' ORDER BY w.ev_class::regclass::text)
    INTO followers
    FROM skillrating_internal.swapped_tables(a, b) AS t
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.kept
        AND d.classid = 'pg_rewrite'::regclass
    JOIN pg_rewrite AS w ON w.oid = d.objid
    WHERE w.ev_class <> t.kept AND NOT t.exchanged;
    IF followers IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('views still read what is now in schema "%s": %s', b, followers),
            HINT = 'Create them again to read the new tables.';
    END IF;
    SELECT string_agg(n.what, '; ') INTO goes FROM skillrating_internal.not_kept(a, b) AS n(what);
    IF goes IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format(
                'additions to tables of ladder "%s" move with them to schema "%s"', a, b),
            DETAIL = goes,
            HINT = 'Add it to the new tables, too, if they need it.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_not_kept(text, text) IS
'A part of swap_ladders(): notices that name views over the tables of ladder a, and what not_kept()
finds.';

CREATE FUNCTION skillrating_internal.hold_ladder(ladder text, readers boolean)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_hold_ladder'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.hold_ladder(text, boolean) IS
'A part of swap_ladders(), whose door is open to read: from now on nobody else may write to the
ladder or, if so, read it. Error 40001 for an old snapshot.';

CREATE FUNCTION skillrating_internal.match_ranks(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    choice text := skillrating_internal.ranks(a);
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF choice <> skillrating_internal.ranks(b) THEN
        PERFORM skillrating_internal.set_ranks(b, choice);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.match_ranks(text, text) IS
'A part of swap_ladders(): has the ranks of ladder b come from where those of ladder a do, which
stays with the ladder in use, as all that belongs to its tables.';

CREATE FUNCTION skillrating_internal.hold_both(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name text;
BEGIN
    PERFORM skillrating_internal.hold_ladder(a, true), skillrating_internal.hold_ladder(b, true);
    -- No weaker lock before: two sessions that both hold one would wait for each other.
    FOREACH name IN ARRAY ARRAY(
        SELECT t.name::text FROM skillrating_internal.swapped_tables(a, b) AS t WHERE NOT t.is_sequence)
        || 'pending'::text
    LOOP
        EXECUTE format('LOCK TABLE %1$I.%3$I, %2$I.%3$I IN ACCESS EXCLUSIVE MODE',
            a, b, name);
    END LOOP;
    -- These move, and one of the ladders may have none.
    FOREACH name IN ARRAY ARRAY(
        SELECT format('%I.%I', l.ladder, t.name)
        FROM unnest('{horizon,component_horizon,season_horizon}'::text[]) AS t(name), unnest(ARRAY[a, b]) AS l(ladder)
        WHERE to_regclass(format('%I.%I', l.ladder, t.name)) IS NOT NULL)
    LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', name);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hold_both(text, text) IS
'A part of swap_ladders(): locks two ladders and their tables, so that nobody reads them.';

CREATE FUNCTION skillrating_internal.carry_and_hold(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    few constant bigint := 20;
    many constant bigint := 2000;
    first_wait constant int := 50;
    longest_wait constant int := 2000;
    lock_timeout text := current_setting('lock_timeout');
    wait int := first_wait;
    since xid8;
    snapshot xid8;
    found record;
    behind bigint;
    last_changes bigint;
    reordered boolean := false;
    tries int := 0;
BEGIN
    LOOP
        -- What differs, and what came meanwhile, until that is little; a goes on.
        LOOP
            snapshot := pg_snapshot_xmin(pg_current_snapshot());
            -- Places that b has given anew are no change of a: only all rows show them, and always
            -- many while the matches wait that b has put between.
            found := skillrating_internal.survey(a, b, CASE WHEN NOT reordered THEN since END);
            reordered := skillrating_internal.carry_over(a, b, found.operations, since IS NULL);
            EXIT WHEN since IS NOT NULL
                -- It gets no less any more.
                AND (found.changes <= few OR found.changes > 0.7 * last_changes);
            last_changes := CASE WHEN since IS NOT NULL THEN found.changes END;
            since := snapshot;
        END LOOP;
        since := snapshot;
        -- The rest when nobody else is at work.  While this waits, so do all who come behind: not for
        -- long, or long readers would keep everybody from rating.
        BEGIN
            PERFORM set_config('lock_timeout', wait::text, true);
            PERFORM skillrating_internal.hold_both(a, b);
            PERFORM set_config('lock_timeout', lock_timeout, true);
            found := skillrating_internal.survey(a, b, CASE WHEN NOT reordered THEN since END);
            EXECUTE format('SELECT s.last_value - $1 FROM %I.event_seq AS s', a)
            INTO behind USING found.first_place;
            IF (tries < 2 OR tries < 8 AND NOT reordered)
                AND (found.changes > many OR behind > 10 * many)
            THEN
                RAISE lock_not_available;
            END IF;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            -- In the end for long enough to notice who waits for this transaction.
            tries := tries + 1;
            IF tries > 8 THEN
                wait := least(4 * wait, longest_wait);
            END IF;
        END;
    END LOOP;
    PERFORM skillrating_internal.carry_over(a, b, found.operations, false);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_and_hold(text, text) IS
'A part of swap_ladders(): has ladder b catch up with ladder a in rounds, while a goes on, and then
locks both for the last one. Waits for these locks only for moments at a time, and gives them back
if too much has come meanwhile.';

CREATE FUNCTION skillrating_internal.check_swap(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    types_a record := skillrating_internal.ladder_types(a);
    types_b record := skillrating_internal.ladder_types(b);
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_rewrite AS w
        JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        WHERE w.ev_class = to_regclass(format('%I.source', b))
            AND d.refobjid = to_regclass(format('%I.source', a)))
        OR a = b OR types_a IS DISTINCT FROM types_b
    THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('ladder "%s" is not made of the source of ladder "%s"', b, a),
            HINT = 'Create it with skillrating.rerate().';
    END IF;
    IF EXISTS (
        SELECT FROM skillrating_internal.swapped_tables(a, b) AS t
        JOIN pg_class AS k ON k.oid = t.kept JOIN pg_class AS m ON m.oid = t.moved
        WHERE k.relowner <> m.relowner)
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('ladders "%s" and "%s" belong to two roles', a, b),
            HINT = 'Give both to one role.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_swap(text, text) IS
'A part of swap_ladders(): errors 22023 unless ladder b is made of the source of ladder a, with the
same types, 42501 unless they belong to one role.';

CREATE FUNCTION skillrating_internal.renew_mirrors(
    ladder text,
    other text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    mirror record;
    statement text;
BEGIN
    PERFORM skillrating_internal.mirror_triggers(ladder);
    FOR mirror IN SELECT w.* FROM skillrating_internal.working_mirrors(ladder) AS w LOOP
        PERFORM skillrating_internal.write_mirror(ladder, mirror.relation, mirror.key,
            mirror.pool, mirror.columns, NULL);
        statement := skillrating_internal.unrated_statement(ladder, mirror.relation, mirror.key,
            mirror.pool, mirror.columns,
            format('SELECT r.player_id FROM %I.rating AS r WHERE r.pool = %L AND %s', other,
                mirror.pool, skillrating_internal.rated_condition(other, 'r')));
        IF statement IS NOT NULL THEN
            EXECUTE statement;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renew_mirrors(text, text) IS
'A part of swap_ladders(): the tables that mirror_rating() has named get the ratings of the tables
that are now in the ladder, and defaults where only those that are in the other ladder have one.';

CREATE FUNCTION skillrating_internal.exchange_comments(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    comment_a text := obj_description(to_regnamespace(quote_ident(a)), 'pg_namespace');
    comment_b text := obj_description(to_regnamespace(quote_ident(b)), 'pg_namespace');
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF starts_with(comment_a, 'A skillrating ladder under the model ')
        AND starts_with(comment_b, 'A skillrating ladder under the model ')
        AND comment_a <> comment_b
    THEN
        EXECUTE format('COMMENT ON SCHEMA %I IS %L', a, comment_b);
        EXECUTE format('COMMENT ON SCHEMA %I IS %L', b, comment_a);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.exchange_comments(text, text) IS
'A part of swap_ladders(): exchanges the comments of create_ladder(), which name the models.';

CREATE FUNCTION skillrating_internal.move_tables(
    a text,
    b text,
    tables text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- Any name of a ladder may be as long as names can be.
    between text := 'skillrating_swap';
    name text;
    statement text;
    kept text[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    SELECT array_agg(k.statement) INTO kept
    FROM (
        SELECT * FROM skillrating_internal.kept_rights(a, b)
        UNION ALL SELECT * FROM skillrating_internal.kept_rights(b, a)
        UNION ALL SELECT * FROM skillrating_internal.kept_policies(a, b)
        UNION ALL SELECT * FROM skillrating_internal.kept_policies(b, a)
        UNION ALL SELECT * FROM skillrating_internal.kept_comments(a, b)
        UNION ALL SELECT * FROM skillrating_internal.kept_comments(b, a)) AS k(statement);
    PERFORM skillrating_internal.note_not_kept(a, b);
    WHILE to_regnamespace(between) IS NOT NULL LOOP
        between := between || '_';
    END LOOP;
    EXECUTE format('CREATE SCHEMA %I', between);
    FOREACH name IN ARRAY tables LOOP
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', a, name, between);
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', b, name, a);
        EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', between, name, b);
    END LOOP;
    EXECUTE format('DROP SCHEMA %I', between);
    FOREACH statement IN ARRAY coalesce(kept, '{}') LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.move_tables(text, text, text[]) IS
'A part of swap_ladders(), when both are locked: has tables that cannot exchange their rows, because
one of them is partitioned, change schemas.';
