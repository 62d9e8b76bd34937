-- What a source costs: tables that it reads from end to end for each match; and what feeds it.

CREATE FUNCTION skillrating_internal.error_is_bearable(sqlstate text)
RETURNS boolean
AS 'MODULE_PATHNAME', 'skillrating_error_is_bearable'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.error_is_bearable(text) IS
'Whether a transaction can go on after an error: not after one that asks for another attempt, nor for
a lack of resources, nor with damaged data. Code that takes all errors over raises those again.
Error 22023 if it is no SQLSTATE.';

CREATE FUNCTION skillrating_internal.tables_read_whole(source regclass)
RETURNS text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
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
BEGIN
    -- Planning may call functions of a view, with the rights of whoever asks.
    IF match_type IS NULL OR NOT EXISTS (
        SELECT FROM pg_class AS c WHERE c.oid = source AND pg_get_userbyid(c.relowner) = current_user)
    THEN
        RETURN NULL;
    END IF;
    EXECUTE format(
        'EXPLAIN (FORMAT JSON, VERBOSE) SELECT s.* FROM %1$s AS s
        WHERE s.match_id %2$s ANY ((SELECT NULL::%3$s[])::%3$s[])',
        source, skillrating_internal.identifier_equals(match_type::regtype, 'match_id'), match_type)
    INTO plan;
    -- A scan for single matches has an index condition with the parameter, or with a column of
    -- another relation: what is left of any other has neither $ nor a dot.
    RETURN (
        WITH RECURSIVE node AS (
            SELECT plan #> '{0,Plan}' AS n
            UNION ALL
            SELECT child.n FROM node, jsonb_array_elements(node.n -> 'Plans') AS child(n)
        ), scan AS (
            SELECT to_regclass(format('%I.%I', n ->> 'Schema', n ->> 'Relation Name')) AS relation,
                regexp_replace(coalesce(n ->> 'Index Cond', n ->> 'Recheck Cond', ''),
                    format(own, n ->> 'Alias'), '', 'g') AS condition
            FROM node
            WHERE n ->> 'Node Type' IN (
                'Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan')
        )
        SELECT string_agg(DISTINCT scan.relation::text, ', ')
        FROM scan
        WHERE scan.condition !~ '[$.]|InitPlan|SubPlan'
            AND pg_relation_size(scan.relation) >= min_size);
EXCEPTION
    -- What cannot be planned is not for us to say.
    WHEN OTHERS THEN
        IF NOT skillrating_internal.error_is_bearable(SQLSTATE) THEN
            RAISE;
        END IF;
        RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tables_read_whole(regclass) IS
'A part of describe_source(): the tables, from half a megabyte on, that a source of the current
role reads from end to end for a single match, whatever the planner tries; null if there are none.
Volatile because EXPLAIN is refused elsewhere.';

CREATE FUNCTION skillrating_internal.warn_of_slow_source(source regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    tables text := skillrating_internal.tables_read_whole(source);
BEGIN
    IF tables IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('source %s reads all rows of %s for each match', source, tables),
            HINT = 'Each table needs an index on its column (or expression) of the match; for '
                'totals, PARTITION BY the column that the view calls match_id, or compare with it. '
                'See "Totals" in docs/ladders.md.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.warn_of_slow_source(regclass) IS
'A part of describe_source(): a warning that names the tables that a source reads from end to end
for each match.';

CREATE FUNCTION skillrating_internal.collect_kinds(
    relation regclass,
    replica boolean)
RETURNS text[]
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    -- A match of another ladder's own changes nothing without its participants, see
    -- create_own_triggers(); and a transaction that inserts both is to come to that ladder first.
    SELECT CASE WHEN NOT replica AND c.relname = 'match' AND EXISTS (
            SELECT FROM pg_class AS p WHERE p.relnamespace = c.relnamespace AND p.relname = 'rated_match')
        THEN '{update,truncate}'::text[] ELSE '{insert,update,delete,truncate}' END
    FROM pg_class AS c WHERE c.oid = relation
$function$;

COMMENT ON FUNCTION skillrating_internal.collect_kinds(regclass, boolean) IS
'A part of attach() and restore_triggers(): for which statements a table has triggers.';
