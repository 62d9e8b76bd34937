-- What a source costs: tables that it reads from end to end for each match; and what feeds it.

CREATE FUNCTION skillrating_internal.owns_relation(relation regclass)
RETURNS boolean
LANGUAGE sql STABLE STRICT
RETURN EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND pg_get_userbyid(c.relowner) = current_user);

COMMENT ON FUNCTION skillrating_internal.owns_relation(regclass) IS
'Whether a relation belongs to the current role itself. Nobody reads a view of another role for a
notice, because its functions run with the rights of whoever reads it.';

CREATE FUNCTION skillrating_internal.is_subscribed(relation regclass)
RETURNS boolean
LANGUAGE sql STABLE STRICT
RETURN EXISTS (SELECT FROM pg_subscription_rel AS s
        WHERE s.srrelid = relation OR s.srrelid IN (SELECT p.relid FROM pg_partition_tree(relation) AS p));

COMMENT ON FUNCTION skillrating_internal.is_subscribed(regclass) IS
'Whether a subscription fills a table or a partition of it.';

CREATE FUNCTION skillrating_internal.is_quick(query text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    -- A second or so.
    max_cost constant float8 := 100000;
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN (plan #>> '{0,Plan,Total Cost}')::float8 <= max_cost;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.is_quick(text) IS
'Whether a query is estimated to take a second at most.';

CREATE FUNCTION skillrating_internal.source_cost(
    source regclass,
    OUT tables text,
    OUT description text,
    OUT remedy text)
LANGUAGE plpgsql VOLATILE STRICT
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $function$
DECLARE
    min_size constant bigint := 512 * 1024;
    match_type text := (
        SELECT format_type(a.atttypid, -1) FROM pg_attribute AS a
        WHERE a.attrelid = source AND a.attname = 'match_id' AND NOT a.attisdropped);
    -- Of a condition: constants, types of casts, and the alias of the relation itself.
    own constant text := '''(''''|[^''])*''|::[\w".]+|\m%s\.';
    plan jsonb;
    definition text;
    match_id text;
    windows text;
BEGIN
    -- Planning may call functions of a view.
    IF match_type IS NULL OR NOT skillrating_internal.owns_relation(source) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'EXPLAIN (FORMAT JSON, VERBOSE) SELECT s.* FROM %1$s AS s
        WHERE s.match_id %2$s ANY ((SELECT NULL::%3$s[])::%3$s[])',
        source, skillrating_internal.identifier_equals(match_type::regtype, 'match_id'), match_type)
    INTO plan;
    -- A scan for single matches has an index condition with the parameter, or with a column of
    -- another relation: what is left of any other has neither $ nor a dot.
    WITH RECURSIVE node AS (
        SELECT plan #> '{0,Plan}' AS n
        UNION ALL
        SELECT child.n FROM node, jsonb_array_elements(node.n -> 'Plans') AS child(n)
    ), scan AS (
        SELECT to_regclass(format('%I.%I', n ->> 'Schema', n ->> 'Relation Name')) AS relation,
            regexp_replace(coalesce(n ->> 'Index Cond', n ->> 'Recheck Cond', ''), format(own, n ->> 'Alias'), '', 'g') AS condition
        FROM node
        WHERE n ->> 'Node Type' IN ('Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan')
    )
    SELECT string_agg(DISTINCT scan.relation::text, ', ') INTO tables
    FROM scan
    WHERE scan.condition !~ '[$.]|InitPlan|SubPlan' AND pg_relation_size(scan.relation) >= min_size;
    -- A condition on match_id reaches below a window only where that is partitioned by it.
    definition := pg_get_viewdef(source, 0);
    match_id := (regexp_match(definition, '([\w."]+) AS match_id'))[1];
    SELECT string_agg(DISTINCT w.list[1], '; ') INTO windows
    FROM regexp_matches(definition, '\mOVER \(PARTITION BY ([\w.", ]+?)(?= ORDER BY | ROWS | RANGE | GROUPS |\))', 'g') AS w(list)
    WHERE match_id <> ALL (string_to_array(w.list[1], ', '));
    description := format('source %s reads all rows of ', source) || tables || ' for each match';
    remedy := CASE WHEN tables IS NULL THEN NULL WHEN windows IS NULL THEN
            'Each table needs an index on its column (or expression) of the match; for totals, PARTITION BY the column '
            'that the view calls match_id, or compare with it. See docs/shapes.md.'
        ELSE format('The window PARTITION BY %1$s spans all matches, because match_id is %2$s. Write PARTITION BY %2$s '
            'in place of the column that equals it. See docs/shapes.md.', windows, match_id) END;
EXCEPTION
    -- What cannot be planned is not for us to say.
    WHEN OTHERS THEN
        IF NOT skillrating_internal.error_is_bearable(SQLSTATE) THEN
            RAISE;
        END IF;
        tables := NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.source_cost(regclass) IS
'The tables, from half a megabyte on, that a source of the current role reads from end to end for a
single match, a sentence that names them, and a remedy; nulls if there are none.';

CREATE FUNCTION skillrating_internal.collect_kinds(relation regclass, replica boolean)
RETURNS text[]
LANGUAGE sql STABLE STRICT
-- A match of another ladder's own changes nothing without its participants, see
-- create_triggers(); and a transaction that inserts both is to come to that ladder first.
RETURN (
    SELECT CASE WHEN NOT replica AND c.relname = 'match' AND EXISTS (
            SELECT FROM pg_class AS p WHERE p.relnamespace = c.relnamespace AND p.relname = 'rated_match')
        THEN '{update,truncate}'::text[] ELSE '{insert,update,delete,truncate}' END
    FROM pg_class AS c WHERE c.oid = relation);

COMMENT ON FUNCTION skillrating_internal.collect_kinds(regclass, boolean) IS
'A part of attach() and restore_triggers(): for which statements a table has triggers.';

CREATE FUNCTION skillrating_internal.feeding_tables(
    source regclass,
    ladder text,
    OUT relation regclass,
    OUT match_id text,
    OUT fault text,
    OUT remedy text,
    OUT watched boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT ROWS 4
AS $function$
    WITH found AS (
        SELECT t.*, t.columns[1] AS first, cardinality(t.columns) AS n, c.relkind AS kind,
            CASE WHEN cardinality(t.columns) = 0 THEN t.through
                WHEN cardinality(t.columns) > 1 THEN format('unnest(ARRAY[%s])', (SELECT string_agg(quote_ident(c), ', ') FROM unnest(t.columns) AS c)) END
                AS expression,
            CASE WHEN NOT has_table_privilege(c.oid, 'TRIGGER') THEN
                    format('role %I may not create triggers on table %s', current_user, t.relation)
                WHEN NOT skillrating_internal.owns_relation(t.relation) AND skillrating_internal.is_subscribed(t.relation) THEN
                    format('table %s, of another role, is filled by a subscription', t.relation)
                WHEN a.atttypid <> m.atttypid AND NOT skillrating_internal.owns_relation(t.relation) THEN
                    format('column %I of table %s, of another role, is of type %s', t.columns[1], t.relation, format_type(a.atttypid, -1))
            END AS refusal
        FROM skillrating_internal.source_tables(source, 'match_id') AS t
        JOIN pg_attribute AS m ON m.attrelid = source AND m.attname = 'match_id'
        LEFT JOIN pg_class AS c ON c.oid = t.relation
        LEFT JOIN pg_attribute AS a ON a.attrelid = t.relation AND a.attname = t.columns[1]
        WHERE t.relation IS NULL OR c.relnamespace <> 'pg_catalog'::regnamespace
    )
    SELECT f.relation, CASE WHEN f.kind IN ('r', 'p') AND f.n = 1 AND f.refusal IS NULL THEN f.first END,
        CASE WHEN f.relation IS NULL THEN format('function %s may read tables', f.function)
            WHEN f.kind = 'm' THEN format('%s is a materialized view', f.relation)
            WHEN f.kind = 'f' THEN format('%s is a foreign table', f.relation)
            WHEN f.n = 0 AND f.through IS NULL THEN format('table %s has no column that is match_id', f.relation)
            WHEN f.n = 0 THEN format('table %s leads to its matches by an expression or another table', f.relation)
            WHEN f.n > 1 THEN format('table %s leads to matches by each of %s', f.relation, array_to_string(f.columns, ', '))
            WHEN f.refusal IS NOT NULL THEN f.refusal
            WHEN f.elsewhere THEN format('table %s is also read where none of its columns is match_id', f.relation)
            WHEN f.mixed THEN format('rows of table %s change those of other matches, by LIMIT, DISTINCT ON or a window', f.relation) END,
        CASE WHEN f.expression IS NOT NULL THEN format('SELECT skillrating.attach(%L, %L, %L);', ladder, f.relation, f.expression)
            WHEN f.n <> 1 OR f.refusal IS NULL THEN NULL
            WHEN has_table_privilege(f.relation, 'TRIGGER') THEN 'Such a table must belong to the owner of the ladder.'
            ELSE 'Have the owner of the table grant TRIGGER, and call skillrating.attach().' END,
        coalesce(f.kind IN ('r', 'p') AND (f.n > 0 OR f.through IS NOT NULL), false)
    FROM found AS f
    ORDER BY f.relation, f.function
$function$;

COMMENT ON FUNCTION skillrating_internal.feeding_tables(regclass, text) IS
'What a source reads: the column of a table that is match_id, if the current role can attach it; what
is in the way or speaks against it, and a remedy; and whether it leads to match_id (watched).';

CREATE FUNCTION skillrating_internal.new_tables(
    ladder text,
    source regclass,
    OUT relations oid[],
    OUT columns text[],
    OUT list text,
    OUT doubts text,
    OUT missing text,
    OUT calls text,
    OUT unwatched text,
    OUT faults text,
    OUT is_unfed boolean,
    OUT gone regclass[])
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    attached jsonb;
BEGIN
    EXECUTE format('SELECT coalesce(jsonb_object_agg(a.relation::oid, a.match_id), ''{}'') FROM %I.attached AS a', ladder)
    INTO attached;
    SELECT array_agg(f.relation::oid ORDER BY f.relation) FILTER (WHERE f.is_new AND f.match_id IS NOT NULL),
        array_agg(f.match_id ORDER BY f.relation) FILTER (WHERE f.is_new AND f.match_id IS NOT NULL),
        string_agg(format('%s (%I)', f.relation, f.match_id), ', ' ORDER BY f.relation) FILTER (WHERE f.is_new AND f.match_id IS NOT NULL),
        string_agg(f.fault, ', ' ORDER BY f.relation) FILTER (WHERE f.is_new AND f.match_id IS NOT NULL),
        string_agg(CASE WHEN f.is_new THEN f.fault
                ELSE format('table %s is attached by its column %I, while %I is match_id', f.relation, f.attached_by, f.match_id) END,
            ', ' ORDER BY f.relation) FILTER (WHERE f.is_other OR f.is_new AND f.match_id IS NULL AND f.watched),
        string_agg(DISTINCT CASE WHEN f.is_new THEN f.remedy
                ELSE format('SELECT skillrating.attach(%L, %L, %L);', ladder, f.relation, f.match_id) END,
            ' ') FILTER (WHERE f.is_other OR f.is_new AND f.watched),
        string_agg(f.fault, ', ' ORDER BY f.relation) FILTER (WHERE f.is_new AND NOT f.watched),
        string_agg(f.fault, ', ' ORDER BY f.relation),
        attached = '{}',
        -- Nobody knows what functions read, or what a foreign table is made of.
        CASE WHEN bool_and(f.relkind IN ('r', 'p')) THEN (
            SELECT array_agg(k.key::oid::regclass ORDER BY k.key::oid) FROM jsonb_object_keys(attached) AS k(key)
            WHERE NOT EXISTS (SELECT FROM pg_partition_ancestors(k.key::oid) AS p WHERE p.relid = ANY (array_agg(f.relation)))
                AND k.key::oid <> ALL (array_agg(f.relation::oid))) END
    INTO relations, columns, list, doubts, missing, calls, unwatched, faults, is_unfed, gone
    FROM (
        SELECT f.*, c.relkind, attached ->> f.relation::oid::text AS attached_by, attached ->> f.relation::oid::text IS NULL AS is_new,
            f.match_id <> attached ->> f.relation::oid::text AND EXISTS (
                SELECT FROM pg_attribute AS a WHERE a.attrelid = f.relation AND a.attname = attached ->> f.relation::oid::text) AS is_other
        FROM skillrating_internal.feeding_tables(source, ladder) AS f LEFT JOIN pg_class AS c ON c.oid = f.relation) AS f;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.new_tables(text, regclass) IS
'Of the tables below a source those to be attached to a ladder (relations, columns, list), sentences
about them and others, remedies (calls), and the attached ones that it does not read (gone).';

CREATE FUNCTION skillrating_internal.attach_tables(
    ladder text,
    source regclass,
    mirrors regclass[],
    inside boolean)
RETURNS integer
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    t record := skillrating_internal.new_tables(ladder, source);
    held oid[];
    a record;
BEGIN
    IF t.relations IS NOT NULL THEN
        held := t.relations || ARRAY(SELECT m.m FROM unnest(mirrors::oid[]) AS m(m) WHERE skillrating_internal.owns_relation(m.m));
        PERFORM skillrating_internal.hold_objects(ladder, held, '{}', '{}', cardinality(held));
        -- Triggers for each statement would notice nothing of what a publisher sends.
        FOR a IN SELECT r.relation::regclass, r.match_id, skillrating_internal.is_subscribed(r.relation) AS replica
            FROM unnest(t.relations, t.columns) AS r(relation, match_id)
        LOOP
            IF inside THEN
                PERFORM skillrating_internal.attach(ladder, a.relation, a.match_id, a.replica),
                    skillrating_internal.create_collect_triggers(ladder, a.relation, a.match_id, a.replica);
            ELSE
                PERFORM skillrating.attach(ladder, a.relation, a.match_id, a.replica);
            END IF;
        END LOOP;
        RAISE NOTICE USING
            MESSAGE = format('ladder "%s" is fed by %s', ladder, t.list);
    ELSIF t.is_unfed THEN
        RAISE WARNING USING
            MESSAGE = format('ladder "%s" is fed by no table', ladder),
            DETAIL = format('%s.', coalesce(t.faults, 'its source reads none')),
            HINT = CASE
                WHEN (SELECT c.relkind FROM pg_class AS c WHERE c.oid = source) = 'm'
                THEN format('Let the source be a view, or call skillrating.catch_up(%L, search => true) after each REFRESH.', ladder)
                ELSE coalesce(t.calls, 'Pass each table to skillrating.attach(), with the column or expression that is the match of its rows.') END;
        RETURN 0;
    END IF;
    IF t.unwatched IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('ladder "%s" does not notice changes of what else its source reads', ladder),
            DETAIL = format('%s.', t.unwatched);
    END IF;
    IF t.missing IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('ladder "%s" is not fed by all tables of its source', ladder),
            DETAIL = format('%s.', t.missing),
            HINT = t.calls;
    END IF;
    IF t.doubts IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('ladder "%s" may not notice all changes of its source', ladder),
            DETAIL = format('%s.', t.doubts);
    END IF;
    IF t.gone IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('ladder "%s" is fed by tables that its source does not read: %s', ladder, array_to_string(t.gone, ', ')),
            HINT = (SELECT string_agg(format('SELECT skillrating.detach(%L, %L);', ladder, g.relation), ' ') FROM unnest(t.gone) AS g(relation));
    END IF;
    RETURN coalesce(cardinality(t.relations), 0);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.attach_tables(text, regclass, regclass[], boolean) IS
'Attaches the tables below a source, all or none, locked with those that are to mirror ratings, tells
what will be noticed and what not, and returns how many. Errors: 55P03, and those of attach().';

CREATE FUNCTION skillrating_internal.known_pools(ladder text, source regclass DEFAULT NULL)
RETURNS text[]
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    pools text[];
BEGIN
    IF source IS NULL THEN
        EXECUTE format('SELECT nullif(ARRAY(SELECT DISTINCT r.pool FROM %I.rating AS r WHERE r.pool IS DISTINCT FROM $1 ORDER BY 1), ''{}'')', ladder)
        INTO pools USING (skillrating_internal.ladder_facts(ladder)).shared_pool;
        IF pools IS NOT NULL OR skillrating_internal.has_table(ladder, 'match') THEN
            RETURN pools;
        END IF;
        source := format('%I.source', ladder);
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = 'pool' AND NOT a.attisdropped) THEN
        RETURN '{""}';
    END IF;
    EXECUTE format('SELECT nullif(ARRAY(SELECT DISTINCT coalesce(s.pool::text, '''') FROM %s AS s ORDER BY 1), ''{}'')', source) INTO pools;
    RETURN pools;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.known_pools(text, regclass) IS
'The pools of a source or (null) of a ladder, before its first match those of its source; or null.';

CREATE FUNCTION skillrating_internal.only_pool(ladder text, hint text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    max_named constant integer := 10;
    pools constant text[] := skillrating_internal.known_pools(ladder);
BEGIN
    IF cardinality(pools) = 1 THEN
        RETURN pools[1];
    END IF;
    IF pools IS NULL AND skillrating_internal.has_table(ladder, 'match') THEN
        RETURN '';
    END IF;
    RAISE invalid_parameter_value USING
        MESSAGE = CASE WHEN pools IS NULL THEN format('the source of ladder "%s" has rating pools, but no match yet', ladder)
            ELSE format('ladder "%s" has several rating pools: "%s"', ladder, array_to_string(pools[1:max_named], '", "')) END,
        HINT = hint;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.only_pool(text, text) IS
'The only rating pool of a ladder, that without a name if there is none yet. Error 22023, with a
hint, if there are several, or the source has pools and no match yet.';
