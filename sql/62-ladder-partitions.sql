-- Tables event and component_event of a ladder in partitions: ranges of places in the order.

CREATE FUNCTION skillrating_internal.has_components(ladder text)
RETURNS boolean
AS 'MODULE_PATHNAME', 'skillrating_has_components'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.has_components(text) IS
'Whether the model and the parameters of a ladder make states of components. Error 55000 unless the
door to the ladder is open.';

CREATE FUNCTION skillrating_internal.last_events_from(
    ladder text,
    player_id text,
    pool text,
    n bigint)
RETURNS bigint
AS 'MODULE_PATHNAME', 'skillrating_last_events_from'
LANGUAGE C STABLE STRICT;

COMMENT ON FUNCTION skillrating_internal.last_events_from(text, text, text, bigint) IS
'The first place of the last n events of a player in a pool, or 0 if it cannot be told, for queries
that are to read no more partitions than have them. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.event_partitions(
    ladder text,
    relation text,
    OUT partition oid,
    OUT name name,
    OUT lower bigint,
    OUT upper bigint,
    OUT fault text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT c.oid, c.relname,
        CASE WHEN b.part[1] <> 'MINVALUE' THEN b.part[1]::bigint END,
        CASE WHEN b.part[2] <> 'MAXVALUE' THEN b.part[2]::bigint END,
        CASE WHEN b.part IS NULL THEN 'is a default partition'
            WHEN b.part[2] = 'MAXVALUE' THEN 'has no upper bound'
            WHEN i.inhdetachpending THEN 'is being detached'
            WHEN c.relkind <> 'r' THEN 'is not a table' END
    FROM pg_inherits AS i
    JOIN pg_class AS c ON c.oid = i.inhrelid
    LEFT JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid),
        '^FOR VALUES FROM \(''?(-?[0-9]+|MINVALUE)''?\) TO \(''?(-?[0-9]+|MAXVALUE)''?\)$')
        AS b(part) ON true
    WHERE i.inhparent = to_regclass(format('%I.%I', ladder, relation))
    ORDER BY 4 NULLS LAST
$function$;

COMMENT ON FUNCTION skillrating_internal.event_partitions(text, text) IS
'The partitions of table event or component_event of a ladder in their order: rows of places from
lower (null: from the first one on) to before upper; and what is wrong with one, null for nothing.';

CREATE FUNCTION skillrating_internal.partitioned_tables(ladder text)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT c.relname::text
    FROM pg_partitioned_table AS p
    JOIN pg_class AS c ON c.oid = p.partrelid
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder))
        AND c.relname IN ('event', 'component_event')
        AND p.partstrat = 'r' AND p.partnatts = 1 AND a.attname = 'seq'
    ORDER BY c.relname DESC
$function$;

COMMENT ON FUNCTION skillrating_internal.partitioned_tables(text) IS
'Which of the tables event and component_event of a ladder are partitioned by ranges of seq.';

CREATE FUNCTION skillrating_internal.unused_name(
    schema text,
    name text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    longest constant integer := 63;
    base text := name;
    underscores text := '';
BEGIN
    WHILE to_regclass(format('%I.%I', schema, name)) IS NOT NULL LOOP
        underscores := underscores || '_';
        WHILE octet_length(base) + length(underscores) > longest LOOP
            base := left(base, -1);
        END LOOP;
        name := base || underscores;
    END LOOP;
    RETURN name;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.unused_name(text, text) IS
'A name, with underscores added, in place of its end if it is long, until no relation of a schema
has it.';

CREATE FUNCTION skillrating_internal.revoke_defaults(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    grantee oid;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR grantee IN
        SELECT DISTINCT x.grantee
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
        WHERE c.oid = to_regclass(format('%I.%I', ladder, relation)) AND x.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON TABLE %I.%I FROM %s', ladder, relation,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.revoke_defaults(text, text) IS
'Takes back what ALTER DEFAULT PRIVILEGES has given to others on a new table of a ladder: a
partition is read through the table above it, and a table that replaces another one has the
privileges of that.
Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.storage_clauses(
    ladder text,
    relation text)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT concat(
        ' WITH (' || array_to_string(c.reloptions, ', ') || ')',
        ' TABLESPACE ' || quote_ident(t.spcname))
    FROM coalesce(
        (SELECT p.partition
        FROM skillrating_internal.event_partitions(ladder, relation) AS p
        ORDER BY p.upper DESC LIMIT 1),
        to_regclass(format('%I.%I', ladder, relation))) AS pattern(oid)
    JOIN pg_class AS c ON c.oid = pattern.oid
    LEFT JOIN pg_tablespace AS t
        ON t.oid = c.reltablespace AND has_tablespace_privilege(t.oid, 'CREATE')
$function$;

COMMENT ON FUNCTION skillrating_internal.storage_clauses(text, text) IS
'A part of partition_history(): the end of a CREATE TABLE for a table that is stored like another
one of a ladder, or like its last partition: storage parameters, and the tablespace if the owner may
use it. A superuser can have moved the table where the owner may not create any: partitions then go
to the default tablespace, so that matches go on being rated.';

CREATE FUNCTION skillrating_internal.make_partition(
    ladder text,
    relation text,
    lower bigint,
    upper bigint,
    pattern text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name text := skillrating_internal.unused_name(ladder,
        format('%s_%s', relation, coalesce(lower, 0)));
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- A table that comes into being beside the others: whoever rates or reads does not notice.
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL)%4$s', ladder, name,
        relation, skillrating_internal.storage_clauses(ladder, pattern));
    PERFORM skillrating_internal.revoke_defaults(ladder, name);
    IF relation = 'component_event' THEN
        EXECUTE format('ALTER TABLE %I.%I REPLICA IDENTITY FULL', ladder, name);
    END IF;
    EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I FOR VALUES FROM (%4$s) TO (%5$s)',
        ladder, relation, name, coalesce(lower::text, 'MINVALUE'), upper);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_partition(text, text, bigint, bigint, text) IS
'A part of make_partitions() and partition_history(): a new partition of table event or
component_event of a ladder for places from lower (null: from the first one on) to before upper,
which is stored like the table pattern, or like the last partition of that.';

CREATE FUNCTION skillrating_internal.make_partitions(
    ladder text,
    seq bigint,
    ahead integer)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    most constant bigint := 1000;
    size bigint;
    relation text;
    last bigint;
    next bigint;
    made bigint := 0;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    -- Of all who make partitions, one at a time; nobody who rates or reads waits.
    EXECUTE format('LOCK TABLE ONLY %I.event IN SHARE UPDATE EXCLUSIVE MODE', ladder);
    EXECUTE format('SELECT l.partition_rows FROM %I.ladder AS l', ladder) INTO size;
    FOR relation IN SELECT * FROM skillrating_internal.partitioned_tables(ladder) LOOP
        SELECT max(p.upper) INTO last
        FROM skillrating_internal.event_partitions(ladder, relation) AS p
        HAVING NOT coalesce(bool_or(p.fault IN ('is a default partition', 'has no upper bound')), false);
        CONTINUE WHEN NOT FOUND OR size IS NULL;
        WHILE coalesce(last, 0) < (seq / size + 1 + ahead) * size LOOP
            next := (coalesce(last, 0) / size + 1) * size;
            -- Where so many places have been passed over, one range takes them all in.
            IF (seq - coalesce(last, 0)) / size > most THEN
                next := seq / size * size;
            END IF;
            PERFORM skillrating_internal.make_partition(ladder, relation, last, next, relation);
            last := next;
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_partitions(text, bigint, integer) IS
'Makes those partitions of event and component_event of a ladder that places up to seq need, and so
many more; returns how many. Nothing for a ladder whose tables partition_history() has not
partitioned, or that have a partition for everything else. Takes SHARE UPDATE EXCLUSIVE on event,
which neither reading nor rating waits for. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.make_partitions_ahead(ladder text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    last bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT s.last_value FROM %I.event_seq AS s', ladder) INTO last;
    RETURN skillrating_internal.make_partitions(ladder, last, 2);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_partitions_ahead(text) IS
'A part of work_step(): makes partitions of event and component_event of a ladder until two are
behind that of the last place, and returns how many. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.make_room_to_move(
    ladder text,
    from_seq bigint,
    last_seq bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    places bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF EXISTS (SELECT FROM skillrating_internal.partitioned_tables(ladder)) THEN
        EXECUTE format(
            'SELECT (SELECT count(*) FROM %1$I.rated_match AS m WHERE m.seq >= $1 OR m.seq IS NULL)
                + (SELECT count(*) FROM %1$I.operation AS o WHERE o.seq >= $1)', ladder)
        INTO places USING from_seq;
        PERFORM skillrating_internal.make_partitions(ladder, last_seq + places, 0);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_room_to_move(text, bigint, bigint) IS
'A part of resequence(): partitions for all that has a place from from_seq on, or has none yet, in
case it gets one behind last_seq.';

CREATE FUNCTION skillrating_internal.hold_tables(
    ladder text,
    tables text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    attempt constant text := '50ms';
    between_attempts constant float8 := 0.05;
    lock_timeout text := current_setting('lock_timeout');
    patience interval := least(nullif(lock_timeout, '0')::interval, '30 seconds');
    begun timestamptz := clock_timestamp();
    last boolean := false;
    ladder_first boolean := true;
    relation text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    LOOP
        BEGIN
            last := clock_timestamp() >= begun + patience;
            PERFORM set_config('lock_timeout', CASE WHEN last THEN lock_timeout ELSE attempt END, true);
            IF ladder_first THEN
                PERFORM skillrating_internal.hold_ladder(ladder, true);
            END IF;
            FOREACH relation IN ARRAY tables LOOP
                -- LOCK TABLE would lock what a view selects from, too; this changes nothing of it,
                -- because views of ladders have no such option.
                EXECUTE format(CASE WHEN relation = 'source' THEN 'ALTER VIEW %I.%I RESET (check_option)'
                    ELSE 'LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE' END, ladder, relation);
            END LOOP;
            PERFORM skillrating_internal.hold_ladder(ladder, true);
            PERFORM set_config('lock_timeout', lock_timeout, true);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            IF last THEN
                RAISE;
            END IF;
        END;
        -- Whoever rates has the ladder first, and whoever reads a table and then rates has that: each
        -- gets out of the way of the one order, and into that of the other.
        ladder_first := NOT ladder_first;
        PERFORM pg_sleep(between_attempts);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.hold_tables(text, text[]) IS
'A part of what changes tables of a ladder that others read, whose door is open to read: locks the
ladder and these tables, or its view source, so that nobody uses them. Others may have a table
already, from a query of their own, and then come to rate: so both locks are had, or none. An
attempt waits for a moment, in which those wait who come behind, and gives back what it has; after
half a minute, or lock_timeout if that is shorter, one waits in the ordinary way. Errors: 55P03
after lock_timeout, 40001 for an old snapshot.';

CREATE FUNCTION skillrating_internal.check_partitionable(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    followers text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT string_agg(f.what, ', ' ORDER BY f.what) INTO followers
    FROM pg_class AS c CROSS JOIN LATERAL (
        SELECT DISTINCT coalesce(pg_describe_object('pg_class'::regclass, w.ev_class, 0),
            pg_describe_object(d.classid, d.objid, 0))
        FROM pg_depend AS d
        LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND d.deptype = 'n'
            AND d.classid <> 'pg_attrdef'::regclass
            AND NOT (d.classid = 'pg_constraint'::regclass AND EXISTS (
                SELECT FROM pg_constraint AS k
                WHERE k.oid = d.objid AND k.conrelid = c.oid AND k.contype <> 'f'))
        UNION
        -- Functions and columns of the type of its rows.
        SELECT pg_describe_object(d.classid, d.objid, d.objsubid)
        FROM pg_type AS y
        JOIN pg_depend AS d ON d.refclassid = 'pg_type'::regclass AND d.refobjid IN (y.oid, y.typarray)
        WHERE y.oid = c.reltype AND d.deptype = 'n'
        UNION
        SELECT pg_describe_object('pg_trigger'::regclass, g.oid, 0) FROM pg_trigger AS g
        WHERE g.tgrelid = c.oid AND NOT g.tgisinternal
        UNION
        SELECT pg_describe_object('pg_policy'::regclass, p.oid, 0) FROM pg_policy AS p
        WHERE p.polrelid = c.oid
        UNION
        SELECT 'row-level security' WHERE c.relrowsecurity
        UNION
        SELECT pg_describe_object('pg_constraint'::regclass, k.oid, 0) FROM pg_constraint AS k
        WHERE c.oid IN (k.conrelid, k.confrelid) AND k.contype = 'f'
        UNION
        SELECT 'publication ' || quote_ident(b.pubname) FROM pg_publication_rel AS r
        JOIN pg_publication AS b ON b.oid = r.prpubid
        WHERE r.prrelid = c.oid
        UNION
        SELECT pg_describe_object('pg_class'::regclass, i.inhparent, 0) FROM pg_inherits AS i
        WHERE i.inhrelid = c.oid
        UNION
        SELECT pg_describe_object('pg_class'::regclass, i.inhrelid, 0) FROM pg_inherits AS i
        WHERE i.inhparent = c.oid AND c.relkind = 'r') AS f(what)
    WHERE c.oid = to_regclass(format('%I.%I', ladder, relation));
    IF followers IS NOT NULL THEN
        RAISE dependent_objects_still_exist USING
            MESSAGE = format('other objects depend on table %I.%I', ladder, relation),
            DETAIL = format('These would stay behind: %s.', followers),
            HINT = 'Drop them, and make them again afterwards.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_partitionable(text, text) IS
'A part of partition_history(), which replaces a table by another one: error 2BP01 if users have
hung anything on it but privileges, comments, indexes, constraints and statistics.';

CREATE FUNCTION skillrating_internal.put_aside(
    ladder text,
    relation text,
    name text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    index record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('ALTER TABLE %I.%I RENAME TO %I', ladder, relation, name);
    FOR index IN
        SELECT c.relname, skillrating_internal.unused_name(ladder,
            left(name || substr(c.relname, CASE WHEN starts_with(c.relname, relation || '_')
                THEN length(relation) + 1 ELSE 1 END), 60)) AS new_name
        FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
        WHERE x.indrelid = to_regclass(format('%I.%I', ladder, name))
    LOOP
        EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', ladder, index.relname, index.new_name);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.put_aside(text, text, text) IS
'A part of partition_history(): renames a table and its indexes, so that another one can have their
names.';

CREATE FUNCTION skillrating_internal.take_over(
    ladder text,
    relation text,
    old text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    statement text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.revoke_defaults(ladder, relation);
    FOR statement IN
        WITH c AS (
            SELECT c.* FROM pg_class AS c WHERE c.oid = to_regclass(format('%I.%I', ladder, old))
        ), given AS (
            SELECT x.privilege_type AS privilege, x.grantee, x.is_grantable
            FROM c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
            WHERE x.grantee <> c.relowner
            UNION ALL
            SELECT format('%s (%I)', x.privilege_type, a.attname), x.grantee, x.is_grantable
            FROM c JOIN pg_attribute AS a ON a.attrelid = c.oid AND NOT a.attisdropped
            CROSS JOIN LATERAL aclexplode(a.attacl) AS x
            WHERE x.grantee <> c.relowner
        ), role AS (
            SELECT g.*, CASE g.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS name
            FROM given AS g)
        SELECT format('GRANT %s ON TABLE %I.%I TO %s%s', r.privilege, ladder, relation, r.name,
            CASE WHEN r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM role AS r
        UNION ALL
        -- Whoever may read reads through the table above.
        SELECT DISTINCT format('REVOKE ALL ON TABLE %I.%I FROM %s CASCADE', ladder, old, r.name)
        FROM role AS r
        UNION ALL
        SELECT format('COMMENT ON TABLE %I.%I IS %L', ladder, relation,
            obj_description(c.oid, 'pg_class'))
        FROM c WHERE obj_description(c.oid, 'pg_class') IS NOT NULL
        UNION ALL
        SELECT format('ALTER TABLE %I.%I REPLICA IDENTITY FULL', ladder, relation)
        FROM c WHERE c.relreplident = 'f'
        UNION ALL
        SELECT format('ALTER SEQUENCE %1$I.event_seq OWNED BY %1$I.event.seq', ladder)
        WHERE relation = 'event'
    LOOP
        EXECUTE statement;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.take_over(text, text, text) IS
'A part of partition_history(): gives the table that takes the place of another one its privileges,
its comment, its replica identity and the sequence of places.';

CREATE FUNCTION skillrating_internal.insert_all(
    ladder text,
    relation text,
    old text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    columns text := (
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
        FROM pg_attribute AS a
        WHERE a.attrelid = to_regclass(format('%I.%I', ladder, old)) AND a.attnum > 0
            AND NOT a.attisdropped AND a.attgenerated = '');
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('INSERT INTO %1$I.%2$I (%4$s) SELECT %4$s FROM %1$I.%3$I ORDER BY seq',
        ladder, relation, old, columns);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.insert_all(text, text, text) IS
'A part of partition_history(): copies all rows of a table into the one that takes its place.';

CREATE FUNCTION skillrating_internal.partition_table(
    ladder text,
    relation text,
    rows bigint,
    move boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    lowest bigint;
    last bigint;
    upper bigint;
    old text;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.check_partitionable(ladder, relation);
    EXECUTE format(
        'SELECT coalesce(min(e.seq), s.last_value), greatest(s.last_value, max(e.seq))
        FROM %1$I.event_seq AS s LEFT JOIN %1$I.%2$I AS e ON true
        GROUP BY s.last_value', ladder, relation)
    INTO lowest, last;
    upper := ((CASE WHEN move THEN lowest ELSE last END) / rows + 1) * rows;
    old := skillrating_internal.unused_name(ladder,
        relation || CASE WHEN move AND last >= upper THEN '_old' ELSE '_0' END);
    PERFORM skillrating_internal.put_aside(ladder, relation, old);
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL) PARTITION BY RANGE (seq)',
        ladder, relation, old);
    PERFORM skillrating_internal.take_over(ladder, relation, old);
    IF NOT move OR last < upper THEN
        EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I FOR VALUES FROM (MINVALUE) TO (%4$s)',
            ladder, relation, old, upper);
    ELSE
        PERFORM skillrating_internal.make_partition(ladder, relation, NULL, upper, old);
        WHILE upper <= last LOOP
            PERFORM skillrating_internal.make_partition(ladder, relation, upper, upper + rows, old);
            upper := upper + rows;
        END LOOP;
        PERFORM skillrating_internal.insert_all(ladder, relation, old);
        EXECUTE format('DROP TABLE %I.%I', ladder, old);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.partition_table(text, text, bigint, boolean) IS
'A part of partition_history(): replaces table event or component_event of a ladder by a partitioned
one, into whose partitions its rows go; or whose first partition it becomes, if they are not to
move.
Error 2BP01 for what users have hung on it.';

CREATE FUNCTION skillrating_internal.join_partitions(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    old text := skillrating_internal.unused_name(ladder, relation || '_old');
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    PERFORM skillrating_internal.check_partitionable(ladder, relation);
    PERFORM skillrating_internal.put_aside(ladder, relation, old);
    EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL)%4$s', ladder, relation, old,
        skillrating_internal.storage_clauses(ladder, old));
    PERFORM skillrating_internal.take_over(ladder, relation, old);
    PERFORM skillrating_internal.insert_all(ladder, relation, old);
    EXECUTE format('DROP TABLE %I.%I', ladder, old);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.join_partitions(text, text) IS
'A part of partition_history(): replaces a partitioned table by one that is not. Error 2BP01 for
what users have hung on it.';

CREATE FUNCTION skillrating_internal.partition_history(
    ladder text,
    rows bigint,
    move boolean DEFAULT true,
    OUT partitions bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    relation text;
    partitioned text[];
    wanted text[];
BEGIN
    IF ladder IS NULL OR move IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and move must not be null';
    END IF;
    IF rows < 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('rows must be 1 or more, not %s', rows);
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder),
        skillrating_internal.hold_tables(ladder, '{event,component_event}');
    partitioned := ARRAY(SELECT skillrating_internal.partitioned_tables(ladder));
    wanted := CASE WHEN rows IS NULL THEN '{}'
        WHEN skillrating_internal.has_components(ladder) THEN '{event,component_event}'
        ELSE '{event}' END;
    FOREACH relation IN ARRAY '{event,component_event}'::text[] LOOP
        IF rows IS NULL AND relation = ANY (partitioned) THEN
            PERFORM skillrating_internal.join_partitions(ladder, relation);
        ELSIF relation = ANY (wanted) AND relation <> ALL (partitioned) THEN
            PERFORM skillrating_internal.partition_table(ladder, relation, rows, move);
        END IF;
    END LOOP;
    EXECUTE format('UPDATE %I.ladder AS l SET partition_rows = $1', ladder) USING rows;
    PERFORM skillrating_internal.renew_ladder_cache(ladder);
    IF rows IS NOT NULL THEN
        PERFORM skillrating_internal.make_partitions_ahead(ladder);
    END IF;
    SELECT count(*) INTO partitions FROM skillrating_internal.event_partitions(ladder, 'event');
END
$function$;

SELECT skillrating_internal.create_entry('partition_history');

COMMENT ON FUNCTION skillrating.partition_history(text, bigint, boolean) IS
'Has the table event of a ladder, and component_event if the model has components, be partitioned by
seq, in ranges of so many places each, of which every match and operation takes one; null for rows
makes tables of them again that are not partitioned. If they are partitioned already, partitions to
come have the new size. Returns how many partitions table event has.
move: rows that exist go into ranges too, which copies them; without, they stay where they are, in
one first partition, and are only read once.
Two partitions are made ahead, and from then on by the task make_partitions of work(), see
schedule_work(); if half of the last one is used up, by whoever rates. Nobody waits for that.
detach_history() takes partitions off. The ladder is held meanwhile, readers too. Errors: 42704 for
an unknown ladder, 42501 unless the caller owns it, 22004 for nulls, 22023 for rows below 1, 2BP01
if views, triggers, policies, foreign keys or publications are about the tables, 55006 while the
transaction uses one of them, 55P03 if lock_timeout ends the wait for those who do.';

CREATE FUNCTION skillrating_internal.warn_of_repeats(
    ladder text,
    detached text[],
    at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    since timestamptz;
    name text;
    is_needed boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT $1 - max(coalesce((o.params->>''repeat_window'')::float8, 86400)) * interval ''1 second''
        FROM %I.operation AS o
        WHERE o.kind = ''eligibility'' AND o.undone_at IS NULL AND o.params ? ''max_repeats''', ladder)
    INTO since USING at;
    FOREACH name IN ARRAY detached LOOP
        CONTINUE WHEN starts_with(name, 'component_event');
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %I.%I AS e WHERE e.played_at >= $1 AND e.match_id IS NOT NULL)',
            ladder, name)
        INTO is_needed USING since;
        IF is_needed THEN
            RAISE WARNING USING
                MESSAGE = format('rule max_repeats of ladder "%s" does not see the matches in %I.%I any more',
                    ladder, ladder, name),
                DETAIL = format('Matches behind the horizon look back on those since %s.', since),
                HINT = 'Detach history up to a time that is earlier by repeat_window, or attach the '
                    'table again, before matches near the horizon are corrected.';
            RETURN;
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.warn_of_repeats(text, text[], timestamptz) IS
'A part of detach_history(): a warning if one of the detached tables has matches that the rule
max_repeats still asks for behind a horizon at that time.';

CREATE FUNCTION skillrating_internal.detach_history(
    ladder text,
    at timestamptz,
    OUT horizon bigint,
    OUT players bigint,
    OUT detached text[])
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    relation text;
    name text;
    last bigint;
BEGIN
    IF ladder IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    IF NOT EXISTS (SELECT FROM skillrating_internal.partitioned_tables(ladder)) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('table event of ladder "%s" is not partitioned by seq', ladder),
            HINT = format('SELECT skillrating.partition_history(%L, rows => ...) does that.', ladder);
    END IF;
    PERFORM skillrating_internal.hold_tables(ladder, '{event,component_event}');
    SELECT s.horizon, s.players INTO horizon, players
    FROM skillrating_internal.set_horizon(ladder, at) AS s;
    detached := '{}';
    EXECUTE format('SELECT l.horizon FROM %I.ladder AS l', ladder) INTO last;
    FOR relation, name IN
        SELECT t.relation, p.name
        FROM skillrating_internal.partitioned_tables(ladder) AS t(relation)
        CROSS JOIN skillrating_internal.event_partitions(ladder, t.relation) AS p
        WHERE p.upper <= last + 1 AND p.fault IS NULL
        ORDER BY t.relation DESC, p.upper
    LOOP
        EXECUTE format('ALTER TABLE %1$I.%2$I DETACH PARTITION %1$I.%3$I', ladder, relation, name);
        detached := detached || name;
    END LOOP;
    PERFORM skillrating_internal.warn_of_repeats(ladder, detached, at);
END
$function$;

SELECT skillrating_internal.create_entry('detach_history');

COMMENT ON FUNCTION skillrating.detach_history(text, timestamptz) IS
'set_horizon(), and then detaches those partitions of event and component_event that have nothing
but places up to the horizon. They stay in the schema of the ladder as tables of their own, whose
names it returns (detached) beside what set_horizon() returns, for the owner to move, archive or
drop; and ALTER TABLE ... ATTACH PARTITION brings one back for those who read. A warning says if
rule max_repeats still needs matches in one of them. Waits for whoever reads or rates, for moments
at a time, and then keeps them waiting to the end of the transaction: a call of set_horizon() before
it, in a transaction of its own, makes that short. Errors: those of set_horizon(), 55000 if event is
not partitioned by partition_history(), 55006 while the transaction uses it, 55P03 if lock_timeout
ends the wait.';

CREATE FUNCTION skillrating_internal.fill_gaps(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    gap record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    FOR gap IN
        SELECT g.* FROM (
            SELECT t.relation, lag(p.upper) OVER (PARTITION BY t.relation ORDER BY p.upper) AS lower,
                p.lower AS upper
            FROM skillrating_internal.partitioned_tables(ladder) AS t(relation)
            CROSS JOIN skillrating_internal.event_partitions(ladder, t.relation) AS p
            WHERE p.fault IS NULL) AS g
        WHERE g.lower IS DISTINCT FROM g.upper AND g.upper IS NOT NULL
    LOOP
        PERFORM skillrating_internal.make_partition(ladder, gap.relation, gap.lower, gap.upper,
            gap.relation);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.fill_gaps(text) IS
'A part of reset_ladder(), after which places are given anew from the first one on: partitions in
place of those that were detached. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.first_place(ladder text)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    first bigint;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT coalesce(l.horizon, 0) + 1 FROM %I.ladder AS l', ladder) INTO first;
    RETURN first;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.first_place(text) IS
'The first place in the order of a ladder that a match or an operation can have behind its horizon.';

CREATE FUNCTION skillrating_internal.wrong_partitions(
    ladder text,
    OUT examined bigint,
    OUT faults bigint,
    OUT first_fault text)
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT count(w.name), count(w.fault), (array_agg(w.fault ORDER BY w.n) FILTER (WHERE w.fault IS NOT NULL))[1]
    FROM (
        SELECT p.name, row_number() OVER (ORDER BY t.relation DESC, p.upper) AS n,
            CASE
                WHEN p.name IS NULL THEN format('table %s has no partition', t.relation)
                WHEN p.fault IS NOT NULL THEN format('partition %s %s', p.name, p.fault)
                WHEN p.lower > greatest(lag(p.upper) OVER same, h.first)
                    THEN format('places %s to %s have no partition',
                        greatest(lag(p.upper) OVER same, h.first), p.lower - 1)
            END AS fault
        FROM skillrating_internal.partitioned_tables(ladder) AS t(relation)
        LEFT JOIN LATERAL skillrating_internal.event_partitions(ladder, t.relation) AS p ON true
        CROSS JOIN skillrating_internal.first_place(ladder) AS h(first)
        WINDOW same AS (PARTITION BY t.relation ORDER BY p.upper)) AS w
$function$;

COMMENT ON FUNCTION skillrating_internal.wrong_partitions(text) IS
'A part of verify(): how many partitions event and component_event of a ladder have, how many of
them are wrong or come behind a gap, and the first fault in words. Places up to the horizon need
none.';
