-- The functions of the schema skillrating that enter a ladder, with the arguments and the
-- comment of the body of the same name in skillrating_internal, where there is one.
--
-- Identifiers are of the type anycompatible or anycompatiblearray, which take parameters without a
-- type as text.  Where a function has identifiers of two kinds, of matches and of players, that of the
-- match is anyelement, which would refuse such a parameter: the same body then gets a second entry,
-- with text in its place.
DO LANGUAGE plpgsql
$do$
DECLARE
    body record;
    entry text;
BEGIN
    FOR body IN
        SELECT p.oid, p.proname, p.pronargs, p.provolatile, p.proisstrict, p.proretset, p.prorows,
            p.prosrc, p.pronamespace = 'skillrating'::regnamespace AS is_entry,
            pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
            pg_get_function_identity_arguments(p.oid) AS signature, obj_description(p.oid, 'pg_proc') AS comment
        FROM pg_proc AS p
        JOIN skillrating_internal.ladder_entries() AS e ON e.function = p.proname
        WHERE p.pronamespace = 'skillrating_internal'::regnamespace
            OR p.pronamespace = 'skillrating'::regnamespace AND e.lock IS NOT NULL AND p.proargnames[1] = 'ladder'
        ORDER BY p.oid
    LOOP
        entry := format(
            'CREATE FUNCTION skillrating.%I(%%s) RETURNS %s AS ''MODULE_PATHNAME'', %L
            LANGUAGE C %s %s %s',
            body.proname, replace(body.result, '%', '%%'), CASE WHEN body.is_entry THEN body.prosrc ELSE 'skillrating_enter' END,
            CASE body.provolatile WHEN 'v' THEN 'VOLATILE' ELSE 'STABLE' END,
            -- A function that reads returns null for null, but for a null ladder alone.  All others raise an
            -- error, so that no call succeeds without an effect.
            CASE WHEN body.proisstrict AND body.provolatile <> 'v' AND body.pronargs > 1 AND body.arguments !~ ' DEFAULT NULL::' THEN 'STRICT' END,
            CASE WHEN body.proretset THEN format('ROWS %s', body.prorows) END);
        IF NOT body.is_entry THEN
            EXECUTE format(entry, body.arguments);
            EXECUTE format('COMMENT ON FUNCTION skillrating.%I(%s) IS %L', body.proname, body.signature, body.comment);
            EXECUTE format('COMMENT ON FUNCTION %s IS %L', body.oid::regprocedure,
                format('The body of skillrating.%s(), called once the ladder has been entered.', body.proname));
        END IF;

        -- A parameter without a type is no anyelement; beside one of type text it is that.
        IF body.signature ~ '\manyelement\M' THEN
            EXECUTE format(entry, regexp_replace(body.arguments, '\manyelement\M', 'text'));
            EXECUTE format('COMMENT ON FUNCTION skillrating.%I(%s) IS %L', body.proname,
                regexp_replace(body.signature, '\manyelement\M', 'text'), format(
'skillrating.%1$s() for an identifier that is a text, a literal or an untyped
parameter. Arguments, result and errors are those of skillrating.%1$s()
with anyelement; a text that the ladder''s type cannot read is error 22P02.',
                body.proname));
        END IF;
    END LOOP;
END
$do$;

-- A part of preview(), which enters the ladder.
CREATE FUNCTION skillrating.win_probability(
    ladder text,
    players anycompatiblearray,
    team integer[],
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    left_at float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    at timestamptz DEFAULT now(),
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    tournament text DEFAULT NULL,
    OUT team integer,
    OUT win_probability float8,
    OUT draw_probability float8)
RETURNS SETOF record
LANGUAGE sql STABLE ROWS 2
AS $function$
    SELECT p.team, min(p.win_probability), min(p.draw_probability)
    FROM skillrating.preview($1, $2, $3, weight => $4, joined => $5, left_at => $6,
        commanding => $7, side => $8, squad => $9, pool => $10, log_odds => $11, at => $12,
        context => $13, club => $14, tournament => $15) AS p
    GROUP BY p.team
    ORDER BY p.team
$function$;

COMMENT ON FUNCTION skillrating.win_probability(text, anycompatiblearray, integer[], float8[], float8[], float8[], float8[], integer[], bigint[], text, float8, timestamptz, text[], text[], text) IS
'The probability that each team of a match at a time wins, a draw counted half, and that of a draw
of two teams, where the model has one; a part of preview(), with the same arguments but for gains,
which change no prediction, and the same errors.';

-- Columns that mean what others do are described as these.
DO LANGUAGE plpgsql
$do$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT format('COMMENT ON COLUMN skillrating.%I.%I IS %L', t.typname, a.attname, coalesce(d.comment, r.comment,
            upper(left(s.description, 1)) || substr(s.description, 2) || '.'))
        FROM (VALUES ('rated_participants', 'rated'), ('hive_rating', 'hive_state'), ('frag_score', 'frag_rating'),
            ('final_component', 'final_rating'), ('component_estimate', 'final_component'), ('model_suggestion', 'tuning'),
            ('solve_summary', 'tuning'), ('inputs', NULL), ('ranked_player', 'leaderboard'), ('opponent', 'leaderboard')) AS same(name, described_as)
        JOIN pg_type AS t ON t.typnamespace = 'skillrating'::regnamespace AND t.typname = same.name
        JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND col_description(a.attrelid, a.attnum) IS NULL
        LEFT JOIN skillrating.source_columns() AS s ON same.described_as IS NULL AND s.column_name = a.attname
        LEFT JOIN skillrating_internal.relation_columns AS r
            ON same.described_as = 'leaderboard' AND r.relation IN ('leaderboard', '') AND r.column_name = a.attname
        LEFT JOIN LATERAL (
            SELECT col_description(b.attrelid, b.attnum) FROM pg_attribute AS b
            JOIN pg_type AS u ON u.typrelid = b.attrelid
            WHERE u.typnamespace = t.typnamespace AND u.typname = same.described_as AND b.attname = a.attname
        ) AS d(comment) ON true
    LOOP
        EXECUTE statement;
    END LOOP;
END
$do$;

-- Functions of aggregates, but for those whose comment says what a state consists of.
DO LANGUAGE plpgsql
$do$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT format('COMMENT ON FUNCTION %s IS %L', f.oid::regprocedure, format('%s function of%s%s.', f.kind,
            CASE WHEN count(DISTINCT p.proname) > 3 THEN E'\n' ELSE ' ' END, string_agg(DISTINCT p.proname || '()', ', ')))
        FROM pg_aggregate AS a JOIN pg_proc AS p ON p.oid = a.aggfnoid,
            LATERAL (VALUES ('Transition', a.aggtransfn), ('Final', a.aggfinalfn), ('Combine', a.aggcombinefn),
                ('Serialization', a.aggserialfn), ('Deserialization', a.aggdeserialfn)) AS f(kind, oid)
        WHERE p.pronamespace = 'skillrating'::regnamespace AND f.oid <> 0 AND obj_description(f.oid, 'pg_proc') IS NULL
        GROUP BY f.kind, f.oid
    LOOP
        EXECUTE statement;
    END LOOP;
END
$do$;

DROP FUNCTION skillrating_internal.make_type, skillrating_internal.make_aggregate, skillrating_internal.make_function;

-- What is in SQL or PL/pgSQL is parsed when it runs, and by this path whoever calls it.  What was
-- parsed here (BEGIN ATOMIC, RETURN) needs none for its names; starting_rating() is inlined, can have
-- none, and qualifies its names.
DO LANGUAGE plpgsql
$do$
DECLARE
    function regprocedure;
BEGIN
    FOR function IN
        SELECT p.oid FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
        WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace)
            AND p.proname <> 'starting_rating' AND l.lanname IN ('sql', 'plpgsql') AND p.prosqlbody IS NULL
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', function);
    END LOOP;
END
$do$;
