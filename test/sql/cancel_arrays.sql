-- Whatever reads an array can be cancelled while it reads.  All functions that take arrays are
-- called with long ones, by statements that cancel themselves once the arguments are known: the
-- function itself has to notice, as nothing else looks until it has returned.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE SCHEMA cancel_arrays;
CREATE SEQUENCE cancel_arrays.finished;
DO $$ BEGIN PERFORM skillrating.create_ladder('cancel_ladder', 'elo'); END $$;
-- An argument: a long array, or a constant that has a chance to be accepted.
CREATE FUNCTION cancel_arrays.argument(type text, name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN type ~ 'array$' AND name = 'at' THEN 'array_fill(1::float8, ARRAY[100000])'
        WHEN type ~ 'array$' THEN 'array_fill(1::bigint, ARRAY[100000])'
        WHEN type ~ '^(integer|bigint|double precision|boolean|text)\[\]$' THEN format('array_fill(%L::%s, ARRAY[100000])', '1', left(type, -2))
        WHEN type = 'timestamp with time zone[]' THEN 'array_fill(''2024-01-01''::timestamptz, ARRAY[100000])'
        WHEN type LIKE '%[]' THEN format('%L::%s', '{}', type)
        WHEN type = 'text' THEN quote_literal(CASE name WHEN 'model' THEN 'elo' WHEN 'variant' THEN 'plackett_luce' WHEN 'ladder' THEN 'cancel_ladder' ELSE '1' END)
        WHEN type = 'skillrating.linear_model' THEN '(SELECT skillrating.linear_fit(g, ARRAY[g], 1, 0) FROM generate_series(1, 3) AS g)'
        WHEN type = 'skillrating.lobby' THEN '(SELECT skillrating.lobby(players => array_agg(g::text), mu => array_agg(g::float8)) FROM generate_series(1, 100000) AS g)'
        WHEN type = 'jsonb' THEN '''{}''::jsonb'
        WHEN type = 'interval' THEN '''1 day''::interval'
        WHEN type LIKE 'timestamp%' THEN '''2024-01-01''::timestamptz'
        WHEN type IN ('integer', 'bigint', 'boolean', 'double precision') THEN format('%L::%s', '1', type)
        WHEN type LIKE 'any%' THEN '1::bigint'
        ELSE 'NULL::' || type END
$$;
-- Each with the arguments that have no default, and with all arrays besides.
CREATE TABLE cancel_arrays.call (function regprocedure, arguments text, outcome text);
INSERT INTO cancel_arrays.call
SELECT p.oid, string_agg(format('%I => %s', a.name, CASE WHEN a.n = f.first THEN format('CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN %s END', v.value) ELSE v.value END), ', ' ORDER BY a.n)
FROM pg_proc AS p
CROSS JOIN (VALUES (true), (false)) AS k(all_arrays)
CROSS JOIN LATERAL (SELECT min(u.n) AS first FROM unnest(p.proargtypes) WITH ORDINALITY AS u(t, n) WHERE format_type(u.t, NULL) ~ 'array$|\[\]$') AS f
CROSS JOIN LATERAL (SELECT u.n, format_type(u.t, NULL) AS type, p.proargnames[u.n] AS name FROM unnest(p.proargtypes) WITH ORDINALITY AS u(t, n)) AS a
CROSS JOIN LATERAL cancel_arrays.argument(a.type, a.name) AS v(value)
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prokind = 'f' AND (a.n <= p.pronargs - p.pronargdefaults OR k.all_arrays AND a.type ~ 'array$|\[\]$')
GROUP BY p.oid, k.all_arrays, f.first HAVING bool_or(a.n = f.first);
-- "finished" is what has not noticed; an error of another kind is "refused".
CREATE FUNCTION cancel_arrays.attempt(function regproc, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint := nextval('cancel_arrays.finished');
    outcome text := 'refused';
BEGIN
    BEGIN
        EXECUTE format('SELECT %s(%s), nextval(''cancel_arrays.finished'')', function, arguments);
    EXCEPTION
        WHEN query_canceled THEN outcome := 'cancelled';
        -- What is cancelled then is the next statement here.
        WHEN OTHERS THEN NULL;
    END;
    PERFORM pg_sleep(0);
    RAISE query_canceled;
EXCEPTION WHEN query_canceled THEN
    RETURN CASE nextval('cancel_arrays.finished') - before WHEN 1 THEN outcome ELSE 'finished' END;
END
$$;
CREATE FUNCTION cancel_arrays.reason(function regproc, arguments text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT %s(%s)', function, replace(arguments, 'pg_cancel_backend(pg_backend_pid())', 'true'));
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END
$$;
\set ECHO all
UPDATE cancel_arrays.call SET outcome = cancel_arrays.attempt(function, arguments);
SELECT count(*) >= 30 AS many FROM cancel_arrays.call WHERE outcome = 'cancelled';
-- What makes a row of its arguments reads no array.
SELECT function::regproc AS unnoticed FROM cancel_arrays.call WHERE outcome = 'finished' AND function::regproc::text <> 'skillrating.starting_rating';
-- The others know at once that there are too many elements.
SELECT function::regproc, reason
FROM (SELECT function, cancel_arrays.reason(function, arguments) AS reason FROM cancel_arrays.call WHERE outcome = 'refused') AS c
WHERE reason !~ 'too many participants|more than 1000|has 100000 elements, not 1$|must have 2 to 1000 players';
SELECT skillrating.drop_ladder('cancel_ladder') IS NOT NULL AS dropped;
DROP SCHEMA cancel_arrays CASCADE;
