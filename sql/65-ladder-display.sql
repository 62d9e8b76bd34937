-- What a leaderboard shows in the place of ratings: points, levels, divisions, placement games.

CREATE AGGREGATE skillrating_internal.last_division(
    rating float8, cuts float8[], margin float8, promotion_margin float8
) (
    SFUNC = skillrating_internal.next_division,
    STYPE = integer
);

COMMENT ON AGGREGATE skillrating_internal.last_division(float8, float8[], float8, float8) IS
'The division that a player is in after all these ratings, given in order: the first one by the
cuts, each further one with the margins of division().';

CREATE FUNCTION skillrating_internal.check_display_number(
    key text,
    number text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM number::float8;
EXCEPTION
    WHEN numeric_value_out_of_range THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('%s in display is out of range for type double precision', key);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_display_number(text, text) IS
'A part of check_display(): error 22003 that names the key unless a number fits into double
precision.';

CREATE FUNCTION skillrating_internal.level_cuts(display jsonb)
RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    levels numeric := (display->>'levels')::numeric;
    low numeric := (display->>'low')::numeric;
    high numeric := (display->>'high')::numeric;
    cuts float8[];
BEGIN
    -- As numeric, because high - low may be beyond double precision; the digits that the division
    -- needs come from the scale of the factor.
    cuts := ARRAY(
        SELECT ((low * (levels - k) + high * k) * 1.00000000000000000000 / levels)::float8
        FROM generate_series(1, levels - 1) AS k
        ORDER BY k);
    IF (SELECT count(DISTINCT c) FROM unnest(cuts) AS c) < cardinality(cuts) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s levels in display do not fit between low %s and high %s',
                display->'levels', display->'low', display->'high'),
            HINT = 'Give fewer levels, or low and high that differ by more.';
    END IF;
    RETURN cuts;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.level_cuts(jsonb) IS
'A part of display_query(): the ratings at which the levels of a display begin, but for the first;
null without levels. Error 22023 if two of them are equal in double precision.';

CREATE FUNCTION skillrating_internal.check_display(display jsonb)
RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    numbers constant text[] := '{placement_games,factor,shift,floor,levels,low,high,margin,promotion_margin}';
    wrong text;
BEGIN
    IF jsonb_typeof(display) <> 'object' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('display must be an object, not %s', display),
            HINT = 'As in {"levels": 50, "low": 0, "high": 50, "placement_games": 10}.';
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(display) AS k
    WHERE NOT k = ANY (numbers || '{cuts,labels}'::text[]) LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('invalid key "%s" in display', wrong),
            HINT = format('Valid keys are %s, cuts and labels.', array_to_string(numbers, ', '));
    END IF;
    SELECT k INTO wrong FROM jsonb_object_keys(display) AS k
    WHERE jsonb_typeof(display->k) <> CASE WHEN k = ANY (numbers) THEN 'number' ELSE 'array' END
        OR k = 'cuts' AND jsonb_path_exists(display, '$.cuts[*] ? (@.type() != "number")')
        OR k = 'labels' AND jsonb_path_exists(display, '$.labels[*] ? (@.type() != "string")') LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = CASE wrong
                WHEN 'cuts' THEN format('cuts in display must be an array of numbers, not %s', display->wrong)
                WHEN 'labels' THEN format('labels in display must be an array of texts, not %s', display->wrong)
                ELSE format('%s in display must be a number, not %s', wrong, display->wrong) END;
    END IF;
    PERFORM skillrating_internal.check_display_number(n.key, n.number)
    FROM (
        SELECT k, display->>k FROM unnest(numbers) AS k
        UNION ALL
        SELECT 'cuts', c FROM jsonb_array_elements_text(coalesce(display->'cuts', '[]')) AS c
    ) AS n(key, number);
    SELECT k INTO wrong FROM unnest('{placement_games,levels}'::text[]) AS k
    WHERE (display->>k)::numeric <> trunc((display->>k)::numeric)
        OR NOT (display->>k)::numeric BETWEEN CASE k WHEN 'levels' THEN 2 ELSE 0 END
            AND CASE k WHEN 'levels' THEN 1000 ELSE 1000000 END LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = CASE wrong
                WHEN 'levels' THEN format('levels in display must be an integer from 2 to 1000, not %s', display->wrong)
                ELSE format('%s in display must be an integer from 0 to 1000000, not %s', wrong, display->wrong) END;
    END IF;
    IF (display->>'factor')::numeric <= 0 THEN
        RAISE numeric_value_out_of_range USING
            MESSAGE = format('factor in display must be positive, not %s', display->'factor');
    END IF;
    IF display ? 'levels' AND NOT coalesce((display->>'low')::numeric < (display->>'high')::numeric, false)
        OR NOT display ? 'levels' AND display ?| '{low,high}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'levels in display takes low and high, with low below high',
            HINT = 'The levels divide the ratings between them evenly.';
    END IF;
    IF display ? 'cuts' <> (display ? 'labels')
        OR jsonb_array_length(display->'labels') <> jsonb_array_length(display->'cuts') + 1 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'cuts in display takes labels, one more than there are cuts';
    END IF;
    -- Ascending cuts and margins that are not negative, also where the board is empty.
    PERFORM skillrating.division(0,
        ARRAY(SELECT c::float8 FROM jsonb_array_elements_text(coalesce(display->'cuts', '[]')) AS c),
        NULL, 0, coalesce((display->>'margin')::float8, 0), coalesce((display->>'promotion_margin')::float8, 0));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_display(jsonb) IS
'Error 22023 or 22003 that says what is wrong with the argument display of leaderboard().';

CREATE FUNCTION skillrating_internal.division_expression(
    ladder text,
    display jsonb,
    cuts float8[],
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    s record := skillrating_internal.state_expressions(ladder);
    margin float8 := coalesce((display->>'margin')::float8, 0);
    promotion_margin float8 := coalesce((display->>'promotion_margin')::float8, 0);
BEGIN
    IF margin = 0 AND promotion_margin = 0 THEN
        RETURN format('skillrating_internal.next_division(NULL, r.rating, %L, 0, 0)', cuts);
    END IF;
    PERFORM skillrating_internal.check_readable(ladder, 'event');
    -- From the end of placement on, with the rating of the board behind the last event.
    RETURN format(
        '(SELECT skillrating_internal.last_division(u.rating, %1$L, %2$L, %3$L ORDER BY u.seq)
        FROM (
            SELECT e.seq, skillrating.state_rating(l.model, %4$s, l.params) AS rating
            FROM %5$I.ladder AS l CROSS JOIN %5$I.event AS e
            WHERE e.player_id %6$s r.player_id AND e.pool = r.pool
                AND e.games_before + (e.score IS NOT NULL)::integer >= %7$L
                AND e.seq > coalesce((
                    SELECT max(n.seq) FROM %5$I.event AS n
                    WHERE n.player_id %6$s r.player_id AND n.pool = r.pool AND n.kind = ''reset''
                        AND (%8$L::timestamptz IS NULL OR n.played_at <= %8$L)), 0)
                AND (%8$L::timestamptz IS NULL OR e.seq <= (
                    SELECT max(x.seq) FROM %5$I.event AS x
                    WHERE x.player_id %6$s r.player_id AND x.pool = r.pool AND x.played_at <= %8$L))
            UNION ALL
            SELECT 9223372036854775807, r.rating) AS u)',
        cuts, margin, promotion_margin, s.after, ladder, t.player_equals,
        coalesce((display->>'placement_games')::numeric::bigint, 10), at);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.division_expression(text, jsonb, float8[], timestamptz) IS
'A part of display_query(): the number of the division of a row r of the board at a time, by these
cuts. With margins it depends on the way there, which the events tell. Errors: 22003 for a negative
margin, 42501 unless the caller may read table event too where there are margins.';

CREATE FUNCTION skillrating_internal.display_query(
    ladder text,
    display jsonb,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    level text := 'NULL::integer';
    division text := 'NULL::text';
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    IF ladder IS NULL OR display IS NULL THEN
        RETURN 'SELECT NULL::float8 AS shown, NULL::integer AS level, NULL::text AS division, '
            'NULL::bigint AS placement_left';
    END IF;
    PERFORM skillrating_internal.check_display(display);
    IF display ? 'levels' THEN
        level := '1 + ' || skillrating_internal.division_expression(ladder, display,
            skillrating_internal.level_cuts(display), at);
    END IF;
    IF display ? 'cuts' THEN
        division := format('(%L::text[])[1 + %s]', ARRAY(SELECT jsonb_array_elements_text(display->'labels')),
            skillrating_internal.division_expression(ladder, display,
                ARRAY(SELECT c::float8 FROM jsonb_array_elements_text(display->'cuts') AS c), at));
    END IF;
    RETURN format(
        'SELECT CASE WHEN p.left = 0 THEN skillrating.display_rating(r.rating, 0, 0, %1$L, %2$L, %3$L) END AS shown,
            CASE WHEN p.left = 0 THEN %4$s END AS level, CASE WHEN p.left = 0 THEN %5$s END AS division,
            p.left AS placement_left
        FROM (SELECT greatest(%6$L - r.games, 0)) AS p("left")',
        coalesce((display->>'factor')::float8, 1), coalesce((display->>'shift')::float8, 0),
        coalesce((display->>'floor')::float8, '-Infinity'), level, division,
        coalesce((display->>'placement_games')::numeric::bigint, 10));
END
$function$;

COMMENT ON FUNCTION skillrating_internal.display_query(text, jsonb, timestamptz) IS
'A part of leaderboard() and around(): the query of the columns that the argument display adds to a
row r of the board at a time, nulls without it. Errors as for check_display() and
division_expression().';
