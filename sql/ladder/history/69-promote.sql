-- A shadow takes the place of its ladder: two schemas get other names.

CREATE FUNCTION skillrating_internal.hold_pair(ladder text, shadow text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    own boolean := skillrating_internal.has_table(ladder, 'match');
    mirrors regclass[];
    before regclass[] := '{}';
    behind regclass[] := '{}';
    schemas oid[] := ARRAY[to_regnamespace(quote_ident(ladder)), to_regnamespace(quote_ident(shadow))];
    held oid[] := schemas;
BEGIN
    PERFORM skillrating_internal.check_inside(shadow);
    IF skillrating_internal.has_table(ladder, 'mirror') THEN
        EXECUTE format(
            'SELECT array_agg(DISTINCT m.relation) FROM %I.mirror AS m JOIN pg_class AS c ON c.oid = m.relation
            JOIN pg_class AS r ON r.oid = $1 AND r.relowner = c.relowner', ladder)
        INTO mirrors USING format('%I.rating', ladder)::regclass;
    END IF;
    -- As in a transaction that rates: first the tables of matches, then the ladders, then mirrors.
    IF own THEN
        before := ARRAY[format('%I.match', ladder), format('%I.match_player', ladder)]::regclass[];
        behind := ARRAY[format('%I.source', shadow), format('%I.source', ladder),
            format('%I.attached', ladder), format('%I.attached', shadow)]::regclass[];
    ELSIF (
        WITH feeding AS (
            SELECT d.refobjid::regclass AS source, g.tgrelid, min(g.tgname COLLATE "C") AS name
            FROM pg_depend AS d JOIN pg_trigger AS g ON g.oid = d.objid
            WHERE d.classid = 'pg_trigger'::regclass AND d.refclassid = 'pg_class'::regclass
                AND d.refobjid IN (format('%I.source', ladder)::regclass, format('%I.source', shadow)::regclass)
                AND g.tgfoid = 'skillrating_internal.collect_matches'::regproc
            GROUP BY d.refobjid, g.tgrelid)
        SELECT bool_and(l.name > s.name) FROM feeding AS l JOIN feeding AS s USING (tgrelid)
        WHERE l.source = format('%I.source', ladder)::regclass AND s.source = format('%I.source', shadow)::regclass)
    THEN
        -- The ladder whose triggers fire first is locked first: after a promotion the former one.
        held := ARRAY[schemas[2], schemas[1]];
    END IF;
    -- Triggers of these are dropped and made.
    IF mirrors IS NOT NULL THEN
        behind := behind || mirrors || ARRAY[format('%I.rating', ladder), format('%I.rating', shadow)]::regclass[];
    END IF;
    PERFORM skillrating_internal.hold_objects(ladder, before, held, behind, 0);
    IF schemas <> ARRAY[to_regnamespace(quote_ident(ladder)), to_regnamespace(quote_ident(shadow))]::oid[] THEN
        RAISE serialization_failure USING
            MESSAGE = format('ladder "%s" or "%s" was renamed meanwhile', ladder, shadow),
            HINT = 'Try again.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hold_pair(text, text) IS
'Locks a ladder and its shadow, with the tables that move, in the order in which transactions that
rate do.';

CREATE FUNCTION skillrating_internal.check_operations_agree(ladder text, shadow text, voids boolean)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    foreign_relation record;
    differing text[];
BEGIN
    PERFORM skillrating_internal.check_inside(shadow);
    -- Whatever has these names is read as the owner.
    SELECT format('%I.%I', ladder, l.relname) AS name, pg_get_userbyid(s.relowner) AS owner INTO foreign_relation
    FROM pg_class AS l JOIN pg_class AS s ON s.relname = l.relname AND s.relowner <> l.relowner
    WHERE l.relnamespace = to_regnamespace(quote_ident(ladder)) AND s.relnamespace = to_regnamespace(quote_ident(shadow))
        AND l.relname IN ('ladder', 'operation', 'rated_match', 'attached')
    LIMIT 1;
    IF foreign_relation.name IS NOT NULL THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('relation %s is not owned by the owner of the ladder', foreign_relation.name),
            HINT = format('Give all relations of a ladder to one role: ALTER TABLE %s OWNER TO %I.',
                foreign_relation.name, foreign_relation.owner);
    END IF;
    -- Operations by what they do: each ladder has its own numbers. States and points of another
    -- model do not count.
    EXECUTE format(
        'SELECT array_agg(format(''%%s ladder "%%s"'', d.what, CASE WHEN d.side > 0 THEN $1 ELSE $2 END)) FROM (
            SELECT format(''%%s %%s of'', o.kind, min(o.operation)) AS what, sum(o.side) AS side
            FROM (SELECT o.*, 1 AS side FROM %1$I.operation AS o UNION ALL SELECT o.*, -1 FROM %2$I.operation AS o) AS o
            WHERE o.undone_at IS NULL AND (o.kind NOT IN (''set'', ''seed'', ''refund'')
                OR (SELECT l.model = s.model FROM %1$I.ladder AS l, %2$I.ladder AS s))
            GROUP BY o.kind, o.pool, o.player_id, o.into_id, o.since, o.until, o.params HAVING sum(o.side) <> 0
            UNION ALL
            SELECT format(''void match %%s of'', m.match_id), sum(m.side)
            FROM (SELECT l.match_id, l.void_reason, 1 AS side FROM %1$I.rated_match AS l
                UNION ALL SELECT s.match_id, s.void_reason, -1 FROM %2$I.rated_match AS s) AS m
            WHERE $3 AND m.void_reason IS NOT NULL GROUP BY m.match_id HAVING sum(m.side) <> 0
            UNION ALL
            SELECT format(''table %%s attached to'', a.relation), sum(a.side)
            FROM (SELECT l.relation, 1 AS side FROM %1$I.attached AS l
                UNION ALL SELECT s.relation, -1 FROM %2$I.attached AS s) AS a
            WHERE to_regclass(%3$L) IS NULL GROUP BY a.relation HAVING sum(a.side) <> 0
            LIMIT 20) AS d', ladder, shadow, format('%I.match', ladder))
    INTO differing USING ladder, shadow, voids;
    IF differing IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('operations of ladder "%s" and "%s" differ', ladder, shadow),
            DETAIL = format('Only one of them has %s.', array_to_string(differing, ', ')),
            HINT = 'Call for the other ladder what is missing there, or undo it.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_operations_agree(text, text, boolean) IS
'Error 42501 for relations of another role, 55000 that names the operations that count in a ladder
and not in its shadow, or the other way round, the attached tables, and, if asked for, void
matches.';

CREATE FUNCTION skillrating_internal.rename_ladders(ladder text, shadow text, former text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
-- A mirror is made anew at once: nothing that it keeps is to be told.
SET client_min_messages = warning
AS $function$
DECLARE
    t record := skillrating_internal.ladder_facts(shadow);
    own boolean := skillrating_internal.has_table(ladder, 'match');
    mirror record;
    other name;
    statement text;
BEGIN
    -- The server tells others to forget names in portions, in the order of these statements. Match
    -- tables of the ladder's own, the view over them and the list of attached tables follow the name,
    -- so that a session that has got but a portion must find a match table all the same. Therefore it
    -- first forgets that the shadow has none, then which schema the name is, and only then where the
    -- match tables were.
    FOREACH statement IN ARRAY CASE WHEN own THEN ARRAY[
            'ALTER VIEW %2$I.source RENAME TO match_player',
            'ALTER VIEW %2$I.match_player RENAME TO match',
            'ALTER VIEW %1$I.source SET SCHEMA %2$I',
            'ALTER VIEW %2$I.match RENAME TO former_source',
            'ALTER VIEW %2$I.former_source SET SCHEMA %1$I',
            'ALTER VIEW %1$I.former_source RENAME TO source',
            'ALTER TABLE %2$I.attached RENAME TO former_attached',
            'ALTER INDEX %2$I.attached_pkey RENAME TO former_attached_pkey',
            'ALTER TABLE %1$I.attached SET SCHEMA %2$I',
            'ALTER TABLE %2$I.former_attached SET SCHEMA %1$I',
            'ALTER TABLE %1$I.former_attached RENAME TO attached',
            'ALTER INDEX %1$I.former_attached_pkey RENAME TO attached_pkey'] END
        || ARRAY['ALTER SCHEMA %1$I RENAME TO %3$I', 'ALTER SCHEMA %2$I RENAME TO %1$I']
        || CASE WHEN own THEN ARRAY['ALTER TABLE %3$I.match_player SET SCHEMA %1$I', 'ALTER TABLE %3$I.match SET SCHEMA %1$I'] END
    LOOP
        EXECUTE format(statement, ladder, shadow, former);
    END LOOP;
    -- Rows are written behind the renames: a subscriber gets them under the names of the moment, and
    -- cannot have both.
    -- The former ladder and its other shadows become shadows of the new one, which is as strict as that
    -- was. New rows of table ladder also tell transactions at higher isolation levels that their
    -- snapshot is older.
    EXECUTE format('UPDATE %I.ladder AS l SET shadow_of = NULL, strict = f.strict, on_error = f.on_error FROM %I.ladder AS f',
        ladder, former);
    FOR other IN
        SELECT n.nspname
        FROM pg_class AS l
        JOIN pg_class AS c ON c.relname = 'ladder' AND c.relkind = 'r' AND c.relowner = l.relowner
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'shadow_of'
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE l.oid = to_regclass(format('%I.ladder', former))
    LOOP
        EXECUTE format('UPDATE %I.ladder AS l SET shadow_of = $1, strict = false, on_error = ''wait'' WHERE $3 OR l.shadow_of = $2', other)
        USING format('%I.ladder', ladder)::regclass, format('%I.ladder', former)::regclass, other = former;
    END LOOP;
    IF NOT skillrating_internal.has_table(former, 'mirror') THEN
        RETURN;
    END IF;
    FOR mirror IN EXECUTE format(
        'SELECT m.* FROM %I.mirror AS m JOIN pg_class AS c ON c.oid = m.relation ORDER BY m.relation, m.pool', former)
    LOOP
        PERFORM skillrating.unmirror_rating(former, mirror.relation, mirror.pool);
        PERFORM skillrating.mirror_rating(ladder, mirror.relation, mirror.key, mirror.columns, mirror.pool, mirror.pool_key);
        -- Those whose rating goes.
        statement := skillrating_internal.mirror_statement(
            ladder, mirror.relation, mirror.pool, mirror.key, mirror.columns, 'gone', mirror.pool_key,
            format('SELECT r.player_id, r.pool FROM %1$I.rating AS r WHERE r.games > 0 OR EXISTS (
                SELECT FROM %1$I.event AS e WHERE e.player_id %2$s r.player_id AND e.pool = r.pool)', former, t.player_equals));
        IF statement IS NOT NULL THEN
            EXECUTE statement;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.rename_ladders(text, text, text) IS
'A part of promote_ladder(): gives the shadow the name of the ladder, and that one the former name,
notes which is a shadow of which, and makes the mirrors anew.';

CREATE FUNCTION skillrating_internal.promote_ladder(
    shadow text,
    former text,
    hanging text DEFAULT 'refuse',
    OUT ladder text)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    first_schema oid;
    held_schema oid;
    waiting bigint;
    hung record;
    statements text[];
    statement text;
    published record;
BEGIN
    PERFORM skillrating_internal.check_inside(shadow),
        skillrating_internal.check_choice('hanging', hanging, 'refuse', 'keep');
    -- Whoever waits for the maintenance lock of the ladder must not have a lock on any of its tables, and
    -- afterwards another one may be in its place.
    LOOP
        EXECUTE format(
            'SELECT n.oid, n.nspname FROM %I.ladder AS s
            JOIN pg_class AS c ON c.oid = s.shadow_of JOIN pg_namespace AS n ON n.oid = c.relnamespace', shadow)
        INTO first_schema, ladder;
        IF ladder IS NULL THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('ladder "%s" is no shadow of another one', shadow),
                HINT = 'Shadows are made by skillrating.shadow_ladder().';
        END IF;
        EXIT WHEN first_schema = held_schema;
        PERFORM skillrating_internal.lock_maintenance(first_schema);
        held_schema := first_schema;
    END LOOP;
    -- Whatever is wrong is said before anybody has to wait.
    IF former <> former::name::text THEN
        RAISE name_too_long USING MESSAGE = format('name of a ladder is too long: "%s"', former);
    END IF;
    IF to_regnamespace(quote_ident(former)) IS NOT NULL THEN
        RAISE duplicate_schema USING
            MESSAGE = format('schema "%s" already exists', former),
            HINT = 'Give a name that no schema has, so that nobody takes one ladder for the other.';
    END IF;
    PERFORM skillrating_internal.check_operations_agree(ladder, shadow, true);
    EXECUTE format('SELECT count(*) FROM %I.correction', shadow) INTO waiting;
    IF waiting > 0 THEN
        RAISE NOTICE 'ladder "%" is promoted while corrections wait: %', shadow, waiting
            USING HINT = format('SELECT skillrating.catch_up(%L) counts them.', ladder);
    END IF;
    SELECT string_agg(h.what, ', ') AS objects, string_agg(h.statement || ';', E'\n') AS statements INTO hung
    FROM skillrating_internal.hanging_objects(ladder, shadow, former) AS h WHERE hanging = 'refuse';
    IF hung.objects IS NOT NULL THEN
        RAISE dependent_objects_still_exist USING
            MESSAGE = format('objects would go on meaning the former ladder "%s": %s', ladder, hung.objects),
            DETAIL = hung.statements,
            HINT = format('Run these statements after SELECT skillrating.promote_ladder(%L, former => %L, hanging => ''keep''), in the same transaction.',
                shadow, former);
    END IF;
    statements := ARRAY(SELECT skillrating_internal.dress_statements(ladder, shadow));
    PERFORM skillrating_internal.hold_pair(ladder, shadow);
    -- From here on nobody else is at work on either.
    PERFORM skillrating_internal.check_operations_agree(ladder, shadow, false);
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM skillrating_internal.rename_ladders(ladder, shadow, former);
    -- PostgreSQL 15 tells subscribers the name of a schema again only if a table changes, too. A row of
    -- each published table of the former ladder is written as it is, so that a subscriber that lacks
    -- the name stops here, and not after rows of the new ladder.
    FOR published IN
        SELECT DISTINCT p.schemaname = former AS is_former, c.oid::regclass AS relation, a.attname,
            coalesce(a.attstattarget, -1) AS statistics
        FROM pg_publication_tables AS p
        JOIN pg_class AS c ON c.oid = to_regclass(format('%I.%I', p.schemaname, p.tablename)) AND c.relkind = 'r'
            AND skillrating_internal.has_table(p.schemaname, p.tablename)
        CROSS JOIN LATERAL (
            SELECT b.* FROM pg_attribute AS b
            WHERE b.attrelid = c.oid AND b.attnum > 0 AND NOT b.attisdropped AND b.attgenerated = '' AND b.attidentity = ''
            ORDER BY b.attnum LIMIT 1) AS a
        WHERE p.schemaname IN (ladder, former)
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', published.relation, published.attname, published.statistics);
        IF published.is_former THEN
            EXECUTE format('UPDATE %1$s SET %2$I = %2$I WHERE ctid = (SELECT t.ctid FROM %1$s AS t LIMIT 1)', published.relation, published.attname);
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.promote_ladder(text, text, text) IS
'Puts a shadow in the place of the ladder that it was made of, which gets the name former and goes on
as the shadow of the new one: two schemas are renamed, with tables of matches and mirrors following
the name. Before, the shadow gets the columns, indexes, policies, comments and privileges that the
ladder has. It refuses (2BP01) where objects of the user, such as views, foreign keys, triggers or
publications, would go on meaning the former ladder: the detail has the statements that make them
again, to be run after it in the same transaction with hanging => keep. Subscribers need the same
names. Whoever rates or calls functions of the ladder meanwhile waits, for tens of milliseconds, or
with mirrors as long as their rows take to write; queries of the tables go on. Returns the name that
the shadow has from now on. Errors: 42704 for an unknown ladder, 22023 for one that is no shadow,
42P06 if a schema is called former, 55000 if operations or void matches of one are not in the other,
0A000 above READ COMMITTED, 42501 unless the caller owns both ladders, 55P03, naming who is in the
way, if they cannot be held within 30 s or lock_timeout, 40001 if another session has renamed one of
them meanwhile, and whatever keeps the shadow from getting a column, an index or a check that the
ladder has.';
