-- The schema bent: a double of each public function and procedure, whose results have other
-- numbers; and bent.number(), for the results of aggregates and window functions.  See
-- test/oracles.sh.
CREATE SCHEMA bent;

CREATE FUNCTION bent.document(j jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE jsonb_typeof(j)
        WHEN 'number' THEN CASE WHEN j::numeric = trunc(j::numeric) THEN to_jsonb(j::numeric + 1) ELSE to_jsonb(j::numeric::float8 * 1.01 + 0.01) END
        WHEN 'object' THEN (SELECT coalesce(jsonb_object_agg(k, bent.document(v)), '{}') FROM jsonb_each(j) AS e(k, v))
        WHEN 'array' THEN (SELECT coalesce(jsonb_agg(bent.document(v) ORDER BY n), '[]') FROM jsonb_array_elements(j) WITH ORDINALITY AS a(v, n))
        ELSE j END
$$;

CREATE FUNCTION bent.number(x anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    element regtype := (SELECT typelem FROM pg_type WHERE oid = pg_typeof(x) AND typcategory = 'A');
BEGIN
    IF element > 0 THEN
        EXECUTE 'SELECT array_agg(bent.number($1[i]) ORDER BY i) FROM generate_subscripts($1, 1) AS i' INTO x USING x;
    ELSIF pg_typeof(x) IN ('float8'::regtype, 'numeric') THEN
        x := x * 1.01 + 0.01;
    ELSIF pg_typeof(x) IN ('integer'::regtype, 'bigint') THEN
        x := x + 1;
    ELSIF pg_typeof(x) = 'jsonb'::regtype THEN
        x := bent.document(x);
    ELSIF (SELECT typtype = 'c' FROM pg_type WHERE oid = pg_typeof(x)) THEN
        x := jsonb_populate_record(x, bent.document(to_jsonb(x)));
    END IF;
    RETURN x;
END
$$;

DO $do$
DECLARE
    p record;
    call text;
    columns text;
    names text;
    body text;
BEGIN
    FOR p IN SELECT *, pg_get_function_arguments(oid) AS arguments, pg_get_function_result(oid) AS result FROM pg_proc WHERE pronamespace = 'skillrating'::regnamespace AND prokind IN ('f', 'p') LOOP
        call := format('skillrating.%I(%s)', p.proname, (SELECT string_agg('$' || i, ', ' ORDER BY i) FROM generate_series(1, p.pronargs) AS i));
        SELECT string_agg(CASE WHEN t.typtype = 'p' THEN format('t.%I', n) ELSE format('bent.number(t.%I)', n) END, ', ' ORDER BY i), string_agg(quote_ident(n), ', ' ORDER BY i)
        INTO columns, names
        FROM unnest(p.proallargtypes, p.proargmodes, p.proargnames) WITH ORDINALITY AS a(type, mode, n, i) JOIN pg_type AS t ON t.oid = a.type WHERE mode IN ('o', 't', 'b');
        IF p.prokind = 'p' THEN
            call := format('skillrating.%I(%s)', p.proname, (SELECT string_agg(quote_ident(n), ', ' ORDER BY i) FROM unnest(p.proargnames) WITH ORDINALITY AS a(n, i)));
            body := format('BEGIN CALL %s; %s END', call, (SELECT string_agg(format('%I := bent.number(%1$I);', n), ' ') FROM unnest(p.proargmodes, p.proargnames) AS a(mode, n) WHERE mode = 'b'));
            EXECUTE format('CREATE PROCEDURE bent.%I(%s) LANGUAGE plpgsql AS %L', p.proname, p.arguments, body);
            CONTINUE;
        ELSIF p.proname ~ '^plot_' THEN
            body := format('SELECT translate(%s, %L, %L)', call, '123456789', '234567891');
        ELSIF columns IS NOT NULL THEN
            body := format('SELECT %s FROM %s AS t(%s)', columns, call, names);
        ELSIF p.prorettype = 'void'::regtype THEN
            body := 'SELECT ' || call;
        ELSE
            body := format('SELECT bent.number(t) FROM %s AS t', call);
        END IF;
        EXECUTE format('CREATE FUNCTION bent.%I(%s) RETURNS %s LANGUAGE sql AS %L', p.proname, p.arguments, p.result, body);
    END LOOP;
END
$do$;
