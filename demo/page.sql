-- What demo/report.sql makes its page of: statements with their results, and sentences about
-- forecasts.

CREATE FUNCTION demo.escape(t text)
RETURNS text
LANGUAGE sql IMMUTABLE
RETURN replace(replace(replace(t, '&', '&amp;'), '<', '&lt;'), '>', '&gt;');

COMMENT ON FUNCTION demo.escape(text) IS
'A text as HTML.';

CREATE FUNCTION demo.unbroken(t text)
RETURNS text
LANGUAGE sql IMMUTABLE
RETURN replace(replace(t, ' %', U&'\00A0%'), '–', U&'–\2060');

COMMENT ON FUNCTION demo.unbroken(text) IS
'A text whose ranges and percentages no line break divides.';

CREATE FUNCTION demo.statement(statement text)
RETURNS text
LANGUAGE sql IMMUTABLE
RETURN '<pre tabindex="0"><code>' || demo.escape(btrim(statement, E'\n')) || ';</code></pre>';

COMMENT ON FUNCTION demo.statement(text) IS
'A statement of SQL as HTML.';

CREATE FUNCTION demo.result(query text, caption text)
RETURNS text
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    fields json;
    head text;
    body text := '';
BEGIN
    FOR fields IN EXECUTE format('SELECT row_to_json(q) FROM (%s) AS q', query) LOOP
        head := coalesce(head, (SELECT string_agg(format('<th scope="col"%s>%s</th>',
                CASE WHEN json_typeof(f.value) = 'number' THEN ' class="n"' ELSE '' END,
                demo.escape(replace(f.key, '_', ' '))), '' ORDER BY f.n)
            FROM json_each(fields) WITH ORDINALITY AS f(key, value, n)));
        body := body || '<tr>' || (SELECT string_agg(format('<td%s>%s</td>',
                CASE WHEN json_typeof(f.value) = 'number' THEN ' class="n"' ELSE '' END,
                demo.escape(CASE json_typeof(f.value) WHEN 'null' THEN '' ELSE f.value #>> '{}' END)), '' ORDER BY f.n)
            FROM json_each(fields) WITH ORDINALITY AS f(key, value, n)) || E'</tr>\n';
    END LOOP;
    IF head IS NULL THEN
        RAISE EXCEPTION 'no rows for "%"', caption;
    END IF;
    RETURN format(E'<figure class="table">\n<figcaption>%s</figcaption>\n<div class="scroll" tabindex="0"><table>\n<thead><tr>%s</tr></thead>\n<tbody>\n%s</tbody></table></div>\n</figure>',
        demo.escape(caption), head, body);
END
$function$;

COMMENT ON FUNCTION demo.result(text, text) IS
'The rows of a query as an HTML table with a caption, numbers to the right. Error P0001 without rows.';

CREATE FUNCTION demo.shown(query text, caption text)
RETURNS text
LANGUAGE sql VOLATILE
RETURN demo.statement(query) || E'\n' || demo.result(query, caption);

COMMENT ON FUNCTION demo.shown(text, text) IS
'A query and its result as HTML: the page shows what was run.';

CREATE FUNCTION demo.figure(svg text)
RETURNS text
LANGUAGE sql IMMUTABLE
RETURN E'<figure>\n' || svg || '</figure>';

COMMENT ON FUNCTION demo.figure(text) IS
'A picture in a page, whose title is in the picture. Null for null.';

CREATE FUNCTION demo.calibration_sentence(model text, c skillrating.calibration)
RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    -- Of ten groups of calibrated forecasts, the furthest is beyond this with a chance of 3 %.
    limit_errors CONSTANT float8 := 3;
    -- In smaller groups, a single match decides.
    least_variance CONSTANT float8 := 3;
    furthest record;
    typical record;
    off_slope boolean := coalesce(abs(c.slope - 1) > limit_errors * c.slope_error, false);
    beyond boolean;
BEGIN
    SELECT b.*, (b.mean_outcome - b.mean_probability) / sqrt(b.mean_probability * (1 - b.mean_probability) / b.forecasts) AS errors
    INTO STRICT furthest
    FROM unnest(c.bins) AS b
    WHERE b.forecasts * b.mean_probability * (1 - b.mean_probability) >= least_variance
    ORDER BY abs(b.mean_outcome - b.mean_probability) / sqrt(b.mean_probability * (1 - b.mean_probability) / b.forecasts) DESC, b.low
    LIMIT 1;
    SELECT b.* INTO STRICT typical FROM unnest(c.bins) AS b WHERE b.forecasts > 0 ORDER BY abs((b.low + b.high) / 2 - 0.65) LIMIT 1;
    beyond := abs(furthest.errors) > limit_errors;
    RETURN format('The forecasts of %s are %s calibrated: of the %s matches given %s–%s %%, %s %% were won. ',
            model, CASE WHEN beyond OR off_slope THEN 'not well' ELSE 'well' END, typical.forecasts,
            round(100 * typical.low), round(100 * typical.high), round(100 * typical.mean_outcome::numeric, 1))
        || CASE WHEN beyond THEN 'The largest deviation beyond chance is in the group ' ELSE 'No group deviates beyond chance; the largest deviation is in the group ' END
        || format('%s–%s %%, where %s %% were won instead of %s %%, which is %s standard errors%s.',
            round(100 * furthest.low), round(100 * furthest.high), round(100 * furthest.mean_outcome::numeric, 1),
            round(100 * furthest.mean_probability::numeric, 1), round(abs(furthest.errors)::numeric, 1),
            CASE WHEN beyond THEN '' ELSE format(' (the limit is %s)', limit_errors) END)
        || CASE WHEN off_slope THEN format(' A slope of %s ± %s, where 1 is right, shows that they are too %s.',
            round(c.slope::numeric, 2), round(c.slope_error::numeric, 2), CASE WHEN c.slope < 1 THEN 'confident' ELSE 'cautious' END) ELSE '' END;
END
$function$;

COMMENT ON FUNCTION demo.calibration_sentence(text, skillrating.calibration) IS
'Whether forecasts of a model are calibrated, in words: of the matches given 60–70 %, how many were won, and which group of forecasts is off by the most standard errors. Well calibrated: no group is off by more than 3 of them, and neither is the slope of the recalibration. Groups too small to tell are left out.';
