-- The tables of docs/prediction.md, as Markdown.

\pset format unaligned
\pset tuples_only on
\pset footer off

CREATE TEMP VIEW shown AS
SELECT d.name, d.id, r.forecaster, r.failure, r.seconds, r.params, s.n, s.missing, s.log_loss, s.error, s.difference, s.difference_error,
    s.best, s.brier, s.accuracy, s.slope, s.slope_error, s.p_corrected
FROM predict.data_set AS d JOIN predict.run AS r ON r.data_set = d.id
LEFT JOIN predict.score AS s ON (s.data_set, s.forecaster) = (d.id, r.forecaster);
CREATE FUNCTION pg_temp.figure(x float8, digits integer) RETURNS text LANGUAGE sql AS
$$ SELECT coalesce(regexp_replace(round(x::numeric, digits)::text, '^(-?)0\.', '\1.'), '') $$;
CREATE FUNCTION pg_temp.p_value(p float8) RETURNS text LANGUAGE sql AS
$$ SELECT CASE WHEN p < 0.001 THEN '< .001' ELSE pg_temp.figure(p, 3) END $$;

-- Log losses of all, the best of a set in bold, * for those that are not sure to be worse.
SELECT '| forecaster | ' || string_agg(name, ' | ' ORDER BY id) || ' |' FROM predict.data_set;
SELECT '|---' || repeat('|---:', count(*)::int) || '|' FROM predict.data_set;
SELECT '| ' || f.forecaster || ' | ' || string_agg(
        CASE WHEN s.failure IS NOT NULL OR s.log_loss IS NULL THEN '' WHEN s.missing = s.n THEN '–'
            WHEN s.best THEN '**' || pg_temp.figure(s.log_loss, 4) || '**'
            ELSE pg_temp.figure(s.log_loss, 4) || CASE WHEN s.p_corrected >= 0.05 THEN ' \*' ELSE '' END END, ' | ' ORDER BY d.id) || ' |'
FROM (SELECT DISTINCT forecaster FROM predict.run) AS f CROSS JOIN predict.data_set AS d LEFT JOIN shown AS s ON (s.id, s.forecaster) = (d.id, f.forecaster)
GROUP BY f.forecaster
ORDER BY avg(s.log_loss - (SELECT min(b.log_loss) FROM predict.score AS b WHERE b.data_set = d.id)) NULLS LAST, f.forecaster COLLATE "C";

SELECT CASE line
    WHEN 1 THEN E'\n### ' || d.name || E'\n'
    WHEN 2 THEN format('%s matches are judged, in %s series, after %s that parameters are fitted to; %s of the file do not count. Columns: %s. SHA-256 %s.',
        d.matches - d.train, (SELECT count(DISTINCT series) FROM predict.team WHERE data_set = d.id AND match > d.train), d.train, d.left_out, d.columns, left(d.sha256, 16)) || E'\n'
    WHEN 3 THEN '| forecaster | log loss | ± | to the best | ± | p | Brier | accuracy | slope | ± | silent | seconds |'
    WHEN 4 THEN '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
    ELSE '| ' || concat_ws(' | ', s.forecaster, pg_temp.figure(s.log_loss, 4), pg_temp.figure(s.error, 4),
            CASE WHEN s.best THEN 'best' ELSE pg_temp.figure(s.difference, 4) END, CASE WHEN s.best THEN '' ELSE pg_temp.figure(s.difference_error, 4) END,
            coalesce(pg_temp.p_value(s.p_corrected), ''), pg_temp.figure(s.brier, 4), pg_temp.figure(s.accuracy, 3), pg_temp.figure(s.slope, 2), pg_temp.figure(s.slope_error, 2),
            s.missing, pg_temp.figure(s.seconds, 1)) || ' |' END
FROM predict.data_set AS d CROSS JOIN generate_series(1, 5) AS line LEFT JOIN shown AS s ON line = 5 AND s.id = d.id AND s.failure IS NULL AND s.missing < s.n
WHERE line < 5 OR s.id IS NOT NULL
ORDER BY d.id, line, s.log_loss, s.forecaster COLLATE "C";

SELECT E'\n### Refused and failed\n' WHERE EXISTS (SELECT FROM shown WHERE failure IS NOT NULL OR missing = n);
SELECT format('- %s on %s: %s', forecaster, name, coalesce(failure, 'no forecast of any match')) FROM shown
WHERE failure IS NOT NULL OR missing = n ORDER BY id, forecaster COLLATE "C";

SELECT E'\n### Warnings of tune()\n' WHERE EXISTS (SELECT FROM shown WHERE params ? 'warnings');
SELECT format('- %s, %s: %s', name, forecaster, w) FROM shown, jsonb_array_elements_text(params -> 'warnings') AS w
WHERE failure IS NULL AND params ? 'warnings' ORDER BY id, forecaster COLLATE "C", w;

SELECT E'\n### What was chosen\n';
SELECT format('- %s, %s: `%s`', name, forecaster, regexp_replace(q.differing::text, '(\.0*[1-9]\d{3})\d+', '\1', 'g'))
FROM shown AS s, LATERAL (
    SELECT coalesce((SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each(CASE WHEN jsonb_typeof(s.params -> 'params') = 'object' THEN s.params -> 'params' ELSE s.params END) AS e
        WHERE s.params ->> 'model' IS NULL OR e.value IS DISTINCT FROM (SELECT parameters FROM skillrating.models(s.params ->> 'model', '{}')) -> e.key), '{}')
    || CASE WHEN (s.params ->> 'log_odds')::float8 <> 0 THEN jsonb_build_object('log_odds', s.params -> 'log_odds') ELSE '{}' END AS differing) AS q
WHERE failure IS NULL AND missing < n AND q.differing <> '{}' ORDER BY id, forecaster COLLATE "C";
