-- Helpers of this script, which the last part drops.

-- A type of the schema skillrating.  A line of columns has the name and the type of one and, behind a
-- colon, its comment; those without are described where the last part says as what.
CREATE FUNCTION skillrating_internal.make_type(name text, comment text, columns text)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
    part text[];
BEGIN
    EXECUTE format('CREATE TYPE skillrating.%I AS (%s)', name, (
        SELECT string_agg(format('%I %s', m.part[1], m.part[2]), ', ' ORDER BY m.n)
        FROM regexp_matches(columns, '^(\w+) ([^:\n]+)', 'gn') WITH ORDINALITY AS m(part, n)));
    EXECUTE format('COMMENT ON TYPE skillrating.%I IS %L', name, comment);
    FOR part IN SELECT regexp_matches(columns, '^(\w+) [^:\n]+: (.*)$', 'gn') LOOP
        EXECUTE format('COMMENT ON COLUMN skillrating.%I.%I IS %L', name, part[1], part[2]);
    END LOOP;
END
$function$;

-- An aggregate is in C, and so are its functions in skillrating_internal: NAME_transition and
-- NAME_final.  Where several aggregates share one, transition and final say by whose name; combine
-- says that states can be merged, by NAME_combine.  A state is internal or, where the options give an
-- initial condition, a float8[] in which rows with nulls do not count, and which can be stored.  In
-- arguments PARTICIPANT and FACTS are what histories are made of.
CREATE FUNCTION skillrating_internal.make_aggregate(
    name text,
    arguments text,
    result text,
    comment text,
    options text DEFAULT 'FINALFUNC_MODIFY = READ_WRITE',
    transition text DEFAULT NULL,
    final text DEFAULT NULL,
    combine text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
    state text := CASE WHEN options ~ 'INITCOND' THEN 'float8[]' ELSE 'internal' END;
    functions text[] := ARRAY[coalesce(transition, name) || '_transition', coalesce(final, name) || '_final',
        combine || '_combine', combine || '_serial', combine || '_deserial'];
    support record;
BEGIN
    arguments := replace(replace(arguments, 'PARTICIPANT', 'match_id anycompatible, player_id anyelement, team integer, rank float8'),
        'FACTS', 'inputs skillrating.inputs, options jsonb');
    FOR support IN
        SELECT f.name, f.takes, f.gives, f.parameter
        FROM (VALUES
            (functions[1], state || ', ' || regexp_replace(arguments, '\w+ ([^,]+)', '\1', 'g'), state, 'SFUNC'),
            (functions[2], state, result, 'FINALFUNC'),
            (functions[3], state || ', ' || state, state, 'COMBINEFUNC'),
            (functions[4], 'internal', 'bytea', 'SERIALFUNC'),
            (functions[5], 'bytea, internal', 'internal', 'DESERIALFUNC')) AS f(name, takes, gives, parameter)
        WHERE f.name IS NOT NULL AND (state = 'internal' OR f.parameter !~ 'SERIAL')
    LOOP
        IF to_regprocedure(format('skillrating_internal.%I(%s)', support.name, support.takes)) IS NULL THEN
            EXECUTE format('CREATE FUNCTION skillrating_internal.%I(%s) RETURNS %s AS ''MODULE_PATHNAME'', %L
                LANGUAGE C IMMUTABLE PARALLEL SAFE %s',
                support.name, support.takes, support.gives, 'skillrating_' || support.name,
                CASE WHEN state <> 'internal' OR support.parameter ~ 'SERIAL' THEN 'STRICT' END);
        END IF;
        options := format('%s, %s = skillrating_internal.%I', options, support.parameter, support.name);
    END LOOP;
    EXECUTE format('CREATE AGGREGATE skillrating.%I(%s) (STYPE = %s, PARALLEL = SAFE, %s)', name, arguments, state, options);
    EXECUTE format('COMMENT ON AGGREGATE skillrating.%I(%s) IS %L', name, arguments, comment);
END
$function$;

-- A function in C, by its name with the schema, as the arguments of CREATE FUNCTION have them, with its
-- result (null: that of its OUT arguments) and what PostgreSQL may assume of it.  The symbol is the name
-- with a prefix unless it is given.
CREATE FUNCTION skillrating_internal.make_function(
    name text,
    arguments text,
    result text,
    properties text,
    comment text,
    symbol text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
    EXECUTE format('CREATE FUNCTION %s(%s) %s AS ''MODULE_PATHNAME'', %L LANGUAGE C %s', name, arguments,
        'RETURNS ' || result, coalesce(symbol, 'skillrating_' || split_part(name, '.', 2)), properties);
    EXECUTE format('COMMENT ON FUNCTION %s IS %L', (
        SELECT p.oid::regprocedure FROM pg_proc AS p
        WHERE p.pronamespace = split_part(name, '.', 1)::regnamespace AND p.proname = split_part(name, '.', 2)
            AND obj_description(p.oid, 'pg_proc') IS NULL), comment);
END
$function$;
