-- A call as one JSON document, and the JSON Schema of it.
--
-- A document has what the function takes as arguments: arrays with an element for each player
-- become keys of the players, those about teams keys of the teams.  It is turned into the arrays,
-- so that there is one implementation.  Which keys there are is read from the function itself: an
-- argument that is added to it comes along.  That is done when the functions are made, so that a
-- call need not read the catalogs.

CREATE FUNCTION skillrating_internal.document_base(function text)
RETURNS SETOF pg_proc
LANGUAGE sql STABLE STRICT ROWS 1
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT p.* FROM pg_proc AS p
    WHERE p.proname = function AND p.pronamespace IN (
        'skillrating_internal'::regnamespace, 'skillrating'::regnamespace)
    ORDER BY p.pronamespace = 'skillrating'::regnamespace LIMIT 1
$function$;

COMMENT ON FUNCTION skillrating_internal.document_base(text) IS
'The function that a document is for: the body behind the door, of one on ladders.';

CREATE FUNCTION skillrating_internal.document_in_teams(function text)
RETURNS boolean
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT 'team' = ANY (p.proargnames[1:p.pronargs])
    FROM skillrating_internal.document_base(function) AS p
$function$;

COMMENT ON FUNCTION skillrating_internal.document_in_teams(text) IS
'Whether the document of a function has its players in teams, and not in one list.';

CREATE FUNCTION skillrating_internal.document_keys(
    function text,
    OUT n bigint,
    OUT level text,
    OUT key text,
    OUT argument text,
    OUT type text,
    OUT needed boolean,
    OUT default_value text,
    OUT description text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT ROWS 20
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH a AS (
        SELECT u.n, u.name, u.n <= p.pronargs - p.pronargdefaults AS needed,
            pg_get_function_arg_default(p.oid, u.n::integer) AS default_value,
            t.typcategory IN ('A', 'P') AND u.name NOT IN ('avoid', 'match_id') AS of_players,
            skillrating_internal.document_in_teams(function) AS in_teams,
            CASE WHEN u.name IN ('match_id', 'players') THEN 'identifier'
                WHEN u.name = 'avoid' THEN 'pairs'
                ELSE format_type(coalesce(nullif(t.typelem, 0), t.oid), NULL) END AS type,
            CASE u.name WHEN 'players' THEN 'id' WHEN 'team_score' THEN 'score'
                WHEN 'player_gain' THEN 'gain' ELSE u.name END AS key
        FROM skillrating_internal.document_base(function) AS p
        CROSS JOIN unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs])
            WITH ORDINALITY AS u(type, name, n)
        JOIN pg_type AS t ON t.oid = u.type
        WHERE u.name <> 'ladder'
    )
    SELECT a.n, CASE WHEN NOT a.of_players THEN 'document'
            WHEN a.in_teams AND a.name IN ('rank', 'team_score', 'side') THEN 'team'
            ELSE 'player' END,
        a.key, a.name, a.type, a.needed, a.default_value,
        CASE WHEN a.name = 'gain' AND NOT a.of_players
                THEN 'how much the match counts for all players, 1 by default'
            WHEN a.name = 'pool' AND a.of_players
                THEN 'a label; only players with the same one, or none, meet'
            WHEN a.key = 'id' THEN 'the player' ELSE s.description END
    FROM a LEFT JOIN skillrating.source_columns() AS s ON s.column_name = a.key
    -- Of teams the place in the document is the number.
    WHERE NOT (a.in_teams AND a.name = 'team')
    ORDER BY a.n
$function$;

COMMENT ON FUNCTION skillrating_internal.document_keys(text) IS
'The keys of the document of a function, with the argument that each becomes and the place of that.
level: where the key stands, document, team or player.
type: that of an element, as SQL has it; identifier; or pairs, of players.
needed: the argument has no default; default_value: that, as SQL.
description: that of source_columns(), where a column of a source is called so and means that.';

CREATE FUNCTION skillrating_internal.document_type(
    type text,
    OUT name text,
    OUT schema jsonb)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT t.name, t.schema FROM (VALUES
        ('identifier', 'a string or an integer', '{"type": ["string", "integer"]}'::jsonb),
        ('filled', 'an array that is not empty', '{"type": "array", "minItems": 1}'),
        ('pairs', 'an array of pairs of identifiers', '{"type": "array", "items": {"type": "array",
            "minItems": 2, "maxItems": 2, "items": {"type": ["string", "integer"]}}}'),
        ('integer', 'an integer',
            '{"type": "integer", "minimum": -2147483648, "maximum": 2147483647}'),
        ('bigint', 'an integer', '{"type": "integer"}'),
        ('double precision', 'a number', '{"type": "number"}'),
        ('boolean', 'true or false', '{"type": "boolean"}'),
        ('text', 'a string', '{"type": "string"}'),
        ('jsonb', 'an object', '{"type": "object"}'),
        ('timestamp with time zone',
            'a time with its offset from UTC, such as "2024-05-05T20:15:00Z"',
            '{"type": "string", "format": "date-time"}')) AS t(type, name, schema)
    WHERE t.type = document_type.type
$function$;

COMMENT ON FUNCTION skillrating_internal.document_type(text) IS
'What the values of a key of this type are in a document: in words, and as a JSON Schema.';

CREATE FUNCTION skillrating_internal.document_value_fits(value jsonb, type text)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    found text := jsonb_typeof(value);
BEGIN
    RETURN CASE type
        WHEN 'identifier' THEN CASE found WHEN 'string' THEN true
            WHEN 'number' THEN value::numeric = trunc(value::numeric) ELSE false END
        WHEN 'double precision' THEN found = 'number'
        WHEN 'text' THEN found = 'string'
        WHEN 'integer' THEN CASE found WHEN 'number' THEN value::numeric = trunc(value::numeric)
            ELSE false END
        WHEN 'bigint' THEN CASE found WHEN 'number' THEN value::numeric = trunc(value::numeric)
            ELSE false END
        WHEN 'boolean' THEN found = 'boolean'
        WHEN 'jsonb' THEN found = 'object'
        WHEN 'filled' THEN found = 'array' AND value <> '[]'
        WHEN 'timestamp with time zone' THEN found = 'string' AND value #>> '{}'
            ~* '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
        WHEN 'pairs' THEN CASE found WHEN 'array' THEN NOT EXISTS (
                SELECT FROM jsonb_array_elements(value) AS p(pair)
                WHERE CASE jsonb_typeof(p.pair)
                    WHEN 'array' THEN jsonb_array_length(p.pair) <> 2
                        OR NOT skillrating_internal.document_value_fits(p.pair->0, 'identifier')
                        OR NOT skillrating_internal.document_value_fits(p.pair->1, 'identifier')
                    ELSE true END) ELSE false END
        END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.document_value_fits(jsonb, text) IS
'Whether a value in a document is one of this type, as document_type() says.';

-- The planner takes each array in a document for one of a hundred elements, and compiling the query
-- for a million of them would take longer than all else.
CREATE FUNCTION skillrating_internal.check_document(keys jsonb, document jsonb)
RETURNS void
LANGUAGE plpgsql STABLE
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    fault record;
    place text;
    wanted text;
    whole text;
BEGIN
    IF document IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'document must not be null';
    END IF;
    WITH team AS MATERIALIZED (
        SELECT t.n, format('teams[%s]', t.n - 1) AS path, t.value
        FROM jsonb_array_elements(
            CASE WHEN keys ? 'team' AND jsonb_typeof(document->'teams') = 'array'
                THEN document->'teams' ELSE '[]' END) WITH ORDINALITY AS t(value, n)
    ), object AS MATERIALIZED (
        SELECT 0 AS team, 0 AS n, '' AS path, 'document' AS level, document AS value
        UNION ALL
        SELECT t.n, 0, t.path, 'team', t.value FROM team AS t
        UNION ALL
        SELECT l.n, p.n, format('%splayers[%s]', l.path, p.n - 1), 'player', p.value
        FROM (
            SELECT 0 AS n, '' AS path, document->'players' AS players WHERE NOT keys ? 'team'
            UNION ALL
            SELECT t.n, t.path || '.', t.value->'players' FROM team AS t
        ) AS l, jsonb_array_elements(
            CASE jsonb_typeof(l.players) WHEN 'array' THEN l.players ELSE '[]' END)
            WITH ORDINALITY AS p(value, n)
    )
    SELECT f.* INTO fault FROM (
        SELECT o.team, o.n, o.path, o.level, NULL AS key, o.value, '' AS kind
        FROM object AS o WHERE jsonb_typeof(o.value) <> 'object'
        UNION ALL
        SELECT o.team, o.n, o.path, o.level, e.key, e.value,
            CASE WHEN keys->o.level ? e.key THEN 'type' ELSE 'invalid' END
        FROM object AS o
        CROSS JOIN jsonb_each(
            CASE jsonb_typeof(o.value) WHEN 'object' THEN o.value ELSE '{}' END) AS e
        WHERE NOT (keys->o.level ? e.key) OR CASE
            WHEN e.value = 'null' THEN keys->'needed'->o.level ? e.key
            ELSE NOT skillrating_internal.document_value_fits(e.value, keys->o.level->>e.key) END
        UNION ALL
        SELECT o.team, o.n, o.path, o.level, k.key, NULL, 'missing'
        FROM object AS o
        CROSS JOIN jsonb_array_elements_text(keys->'needed'->o.level) AS k(key)
        WHERE jsonb_typeof(o.value) = 'object' AND NOT o.value ? k.key) AS f
    ORDER BY f.team, f.n, f.kind COLLATE "C", f.key COLLATE "C" LIMIT 1;
    IF fault.kind IS NULL THEN
        RETURN;
    END IF;
    place := coalesce(nullif(fault.path, ''), 'document');
    whole := coalesce(nullif(concat_ws('.', nullif(fault.path, ''), fault.key), ''), place);
    wanted := CASE WHEN fault.key IS NULL THEN 'an object'
        ELSE (skillrating_internal.document_type(keys->fault.level->>fault.key)).name END;
    RAISE invalid_parameter_value USING
        MESSAGE = CASE fault.kind
            WHEN 'invalid' THEN format('invalid key "%s" in %s', fault.key, place)
            WHEN 'missing' THEN format('key "%s" is missing in %s', fault.key, place)
            ELSE format('%s must be %s, not %s', whole, wanted, left(fault.value::text, 100)) END,
        HINT = CASE fault.kind
            WHEN 'missing' THEN format('It is %s.', wanted)
            ELSE format('Valid keys are %s.', (
                SELECT string_agg(k.key, ', ' ORDER BY k.key COLLATE "C")
                FROM jsonb_object_keys(keys->fault.level) AS k(key))) END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_document(jsonb, jsonb) IS
'Error 22023, or 22004 for null, unless the document has these keys, with where the fault stands: a
key that does not exist, with a hint that names those that do, one that is missing, or a value of
another type. keys is what document_check_keys() makes.';

CREATE FUNCTION skillrating_internal.document_check_keys(function text)
RETURNS jsonb
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH k AS (
        SELECT k.level, k.key, k.type, k.needed
        FROM skillrating_internal.document_keys(function) AS k
        UNION ALL
        SELECT l.level, l.key, 'filled', true
        FROM (VALUES (true, 'document', 'teams'), (true, 'team', 'players'),
            (false, 'document', 'players')) AS l(in_teams, level, key)
        WHERE l.in_teams = skillrating_internal.document_in_teams(function)
    ), l AS (
        SELECT k.level, jsonb_object_agg(k.key, k.type) AS types,
            coalesce(jsonb_agg(k.key ORDER BY k.key) FILTER (WHERE k.needed), '[]') AS needed
        FROM k GROUP BY k.level
    )
    SELECT jsonb_object_agg(l.level, l.types)
        || jsonb_build_object('needed', jsonb_object_agg(l.level, l.needed))
    FROM l
$function$;

COMMENT ON FUNCTION skillrating_internal.document_check_keys(text) IS
'The keys of the document of a function, for check_document(): an object of types for each level,
and needed, those that must be there. There are teams if the players are in teams.';

CREATE FUNCTION skillrating_internal.document_call(function text, schema text, on_ladder boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    in_teams boolean := skillrating_internal.document_in_teams(function);
    arrays text;
    arguments text;
BEGIN
    -- An array of which nobody has the key is null; a scalar without the key is as by default.
    SELECT string_agg(format(
            ', CASE WHEN bool_or(jsonb_typeof(%1$s.value->%2$L) <> ''null'')
                THEN array_agg(%3$s ORDER BY t.n, p.n) END AS %4$I',
            left(k.level, 1), k.key,
            format(CASE WHEN k.type IN ('integer', 'bigint')
                    THEN 'CAST(CAST(%s.value->>%L AS numeric) AS %s)'
                    ELSE 'CAST(%s.value->>%L AS %s)' END,
                left(k.level, 1), k.key,
                CASE k.type WHEN 'identifier' THEN 'text' ELSE k.type END),
            k.argument), '' ORDER BY k.n) FILTER (WHERE k.level <> 'document'),
        string_agg(format(
            CASE WHEN k.level <> 'document' THEN ', %1$I => a.%1$I'
                WHEN k.needed THEN ', %1$I => %2$s'
                ELSE ', %1$I => coalesce(%2$s, %3$s)' END,
            k.argument,
            format(CASE k.type
                WHEN 'identifier' THEN 'document->>%1$L'
                WHEN 'jsonb' THEN 'nullif(document->%1$L, ''null'')'
                WHEN 'pairs' THEN '(SELECT array_agg(ARRAY[i.pair->>0, i.pair->>1])
                    FROM jsonb_array_elements(nullif(document->%1$L, ''null'')) AS i(pair))'
                WHEN 'integer' THEN 'CAST(CAST(document->>%1$L AS numeric) AS integer)'
                WHEN 'bigint' THEN 'CAST(CAST(document->>%1$L AS numeric) AS bigint)'
                ELSE 'CAST(document->>%1$L AS %2$s)' END, k.key, k.type),
            k.default_value), '' ORDER BY k.n)
    INTO arrays, arguments
    FROM skillrating_internal.document_keys(function) AS k;
    RETURN format(
        'SELECT r.* FROM (
            SELECT array_agg(CAST(t.n AS integer) ORDER BY t.n, p.n) AS team%s
            FROM %s, jsonb_array_elements(t.value->''players'')
                WITH ORDINALITY AS p(value, n)) AS a,
        %I.%I(%s) AS r',
        arrays,
        CASE WHEN in_teams
            THEN 'jsonb_array_elements(document->''teams'') WITH ORDINALITY AS t(value, n)'
            ELSE '(SELECT document AS value, 1 AS n) AS t' END,
        schema, function,
        substr(CASE WHEN on_ladder THEN ', ladder => ladder' ELSE '' END
            || CASE WHEN in_teams THEN ', team => a.team' ELSE '' END || arguments, 3));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.document_call(text, text, boolean) IS
'A part of create_document_function(): the query that calls a function of a schema with what is in a
document.';

CREATE FUNCTION skillrating_internal.create_document_function(function text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    on_ladder boolean := EXISTS (
        SELECT FROM skillrating_internal.ladder_entries() AS e
        WHERE e.function = create_document_function.function);
    schema text := CASE WHEN on_ladder THEN 'skillrating_internal' ELSE 'skillrating' END;
    unknown text;
    result record;
BEGIN
    SELECT k.type INTO unknown
    FROM skillrating_internal.document_keys(function) AS k
    CROSS JOIN skillrating_internal.document_type(k.type) AS t
    WHERE t.name IS NULL;
    IF unknown IS NOT NULL THEN
        RAISE feature_not_supported USING
            MESSAGE = format('arguments of type %s are not supported in a document', unknown);
    END IF;
    SELECT p.provolatile, p.prorows, string_agg(format('%I %s', u.name, regexp_replace(
            format_type(u.type, NULL), '^any(element|compatible)$', 'text')), ', ' ORDER BY u.n)
        AS columns
    INTO STRICT result
    FROM skillrating_internal.document_base(function) AS p
    CROSS JOIN unnest(p.proallargtypes, p.proargnames, p.proargmodes)
        WITH ORDINALITY AS u(type, name, mode, n)
    WHERE u.mode IN ('o', 't')
    GROUP BY p.provolatile, p.prorows;
    EXECUTE format(
        'CREATE FUNCTION %I.%I(%s) RETURNS TABLE (%s) LANGUAGE plpgsql %s ROWS %s SET jit = off
        SET search_path = pg_catalog, pg_temp AS %L',
        schema, function || '_document',
        CASE WHEN on_ladder THEN 'ladder text, document jsonb' ELSE 'document jsonb' END,
        result.columns,
        CASE result.provolatile WHEN 'v' THEN 'VOLATILE' ELSE 'STABLE' END, result.prorows,
        format('
#variable_conflict use_column
DECLARE
    keys CONSTANT jsonb := %L;
BEGIN%s
    PERFORM skillrating_internal.check_document(keys, document);
    RETURN QUERY %s;
END
',
            skillrating_internal.document_check_keys(function),
            CASE WHEN on_ladder THEN '
    PERFORM skillrating_internal.ladder_types(ladder);' ELSE '' END,
            skillrating_internal.document_call(function, schema, on_ladder)));
    IF on_ladder THEN
        PERFORM skillrating_internal.create_entry(function || '_document');
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_document_function(text) IS
'A part of the install script, for superusers: makes the function that takes the arguments of
another one as a document, and returns the same rows, with identifiers as text.';

SELECT skillrating_internal.create_document_function(f)
FROM unnest(ARRAY['report_match', 'preview', 'win_probability', 'split_ladder', 'pair_queue']) AS f;

COMMENT ON FUNCTION skillrating.report_match_document(text, jsonb) IS
'report_match() with its arguments as one document, and the same result:

    {"match_id": "final", "played_at": "2024-05-05T20:15:00Z", "teams": [
        {"rank": 1, "players": [{"id": "ada"}, {"id": "ben", "weight": 0.5}]},
        {"rank": 2, "players": [{"id": "cleo"}, {"id": "dan"}]}]}

Teams are numbered in their order, from 1 on. rank and side, and score (the argument team_score),
are keys of a team; weight, joined, left, commanding, squad, kills, deaths, quit, experience,
gain (the argument player_gain), bot, context and club of a player; the other arguments of the
document. Identifiers are strings or integers. Null is as if the key were not there.
document_schema() has all of it as a JSON Schema.
Errors: 22023 for a key that does not exist or is missing, or for a value of another type, with
where it stands, 22004 for a null document, and those of report_match(), without that place.';

COMMENT ON FUNCTION skillrating.preview_document(text, jsonb) IS
'preview() with its arguments as one document, and the same result: as for report_match_document(),
without a result of the teams. Errors as there, and those of preview().';

COMMENT ON FUNCTION skillrating.win_probability_document(text, jsonb) IS
'win_probability() with its arguments as one document, and the same result: as for
preview_document(), without gains. Errors as there.';

COMMENT ON FUNCTION skillrating.split_ladder_document(text, jsonb) IS
'split_ladder() with its arguments as one document, and the same result, with identifiers as text:

    {"players": [{"id": "ada"}, {"id": "ben", "party": 1}, {"id": "cleo", "party": 1},
                 {"id": "dan"}],
     "teams": 2, "avoid": [["ada", "dan"]]}

weight, party, locked, split_evenly, priority, current and commander are keys of a player. Errors as
for report_match_document(), and those of split_ladder().';

COMMENT ON FUNCTION skillrating.pair_queue_document(jsonb) IS
'pair_queue() with its arguments as one document, and the same result, with identifiers as text:

    {"players": [{"id": "ada", "mu": 1510, "waited": 3}, {"id": "ben", "mu": 1490, "waited": 12}],
     "team_size": 1}

mu, deviation, waited, party, region and pool, a label that keeps players apart, are keys of a
player. Errors as for report_match_document(), and those of pair_queue().';

CREATE FUNCTION skillrating_internal.document_object_schema(
    function text,
    level text,
    more jsonb,
    needed text[])
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT jsonb_build_object('type', 'object', 'additionalProperties', false,
        'required', to_jsonb(document_object_schema.needed || ARRAY(
            SELECT k.key FROM skillrating_internal.document_keys(function) AS k
            WHERE k.level = document_object_schema.level AND k.needed ORDER BY k.n)),
        'properties', more || coalesce(jsonb_object_agg(k.key,
            CASE WHEN k.description IS NULL THEN '{}'
                ELSE jsonb_build_object('description', k.description) END
            || t.schema || CASE WHEN k.needed THEN '{}'
                ELSE jsonb_build_object('type',
                    CASE jsonb_typeof(t.schema->'type') WHEN 'array' THEN t.schema->'type'
                        ELSE jsonb_build_array(t.schema->'type') END || '["null"]') END), '{}'))
    FROM skillrating_internal.document_keys(function) AS k
    CROSS JOIN skillrating_internal.document_type(k.type) AS t
    WHERE k.level = document_object_schema.level
$function$;

COMMENT ON FUNCTION skillrating_internal.document_object_schema(text, text, jsonb, text[]) IS
'A part of document_schema(): the objects of a level, with more properties and needed keys besides
those of document_keys(). A key that is not needed can be null.';

CREATE FUNCTION skillrating_internal.document_result_schema(function text)
RETURNS jsonb
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT jsonb_build_object('anyOf', jsonb_agg(a.of_all ORDER BY k.n),
        'allOf', jsonb_agg(
            jsonb_build_object('anyOf', jsonb_build_array(a.of_all, a.of_none)) ORDER BY k.n))
    FROM skillrating_internal.document_keys(function) AS k
    CROSS JOIN LATERAL (VALUES (
        jsonb_build_object('type', 'object', 'required', jsonb_build_array(k.key),
            'properties', jsonb_build_object(k.key, '{"not": {"type": "null"}}'::jsonb)),
        jsonb_build_object('type', 'object',
            'properties', jsonb_build_object(k.key, '{"type": "null"}'::jsonb)))) AS t(has, lacks)
    CROSS JOIN LATERAL (VALUES (
        jsonb_build_object('properties', jsonb_build_object('teams',
            jsonb_build_object('type', 'array', 'items', t.has))),
        jsonb_build_object('properties', jsonb_build_object('teams',
            jsonb_build_object('type', 'array', 'items', t.lacks))))) AS a(of_all, of_none)
    WHERE k.level = 'team' AND k.key IN ('rank', 'score')
    HAVING count(*) > 0
$function$;

COMMENT ON FUNCTION skillrating_internal.document_result_schema(text) IS
'A part of document_schema(): that all teams have a rank, or all a score, or both, and that it is
never some of them only. No row for a function that takes no result.';

CREATE FUNCTION skillrating.document_schema(function text DEFAULT 'report_match_document')
RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    base text := regexp_replace(function, '_document$', '');
    valid text[] := ARRAY(
        SELECT p.proname::text FROM pg_proc AS p
        WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname LIKE '%\_document'
        ORDER BY p.proname COLLATE "C");
    players jsonb;
    schema jsonb;
BEGIN
    IF NOT function = ANY (valid) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('no function "%s" takes a document', function),
            HINT = format('Functions that take a document are %s.', array_to_string(valid, ', '));
    END IF;
    players := jsonb_build_object('players', jsonb_build_object('type', 'array', 'minItems', 1,
        'items', skillrating_internal.document_object_schema(base, 'player', '{}', '{}')));
    IF skillrating_internal.document_in_teams(base) THEN
        schema := skillrating_internal.document_object_schema(base, 'document',
            jsonb_build_object('teams', jsonb_build_object('type', 'array', 'minItems', 1,
                'description', 'the teams, numbered from 1 on',
                'items', skillrating_internal.document_object_schema(
                    base, 'team', players, '{players}'))), '{teams}')
            || coalesce(skillrating_internal.document_result_schema(base), '{}');
    ELSE
        schema := skillrating_internal.document_object_schema(
            base, 'document', players, '{players}');
    END IF;
    RETURN jsonb_build_object('$schema', 'https://json-schema.org/draft/2020-12/schema',
        'title', function) || schema;
END
$function$;

COMMENT ON FUNCTION skillrating.document_schema(text) IS
'The JSON Schema (draft 2020-12) of the document that a function takes, such as
report_match_document, with the keys of this version and what source_columns() says of them. A
document that it allows has the right keys and types; what values make sense, the function says.
Errors: 22023 for a function that takes no document.';
