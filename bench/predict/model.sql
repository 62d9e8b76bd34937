-- How a model of the extension is fitted and asked; see bench/predict/model.sh.
--
-- The functions read a temporary table input, which looks like this one, of their session.
SET check_function_bodies = off;

CREATE TABLE predict.input (
    match integer, at timestamptz, team integer, player integer, rank float8, team_score float8, side integer,
    weight float8, joined float8, left_at float8, commanding float8, squad float8, kills float8, deaths float8,
    quit boolean, context text, club text);

COMMENT ON TABLE predict.input IS 'What a forecaster is told, as bench/predict.sh writes it.';

CREATE FUNCTION predict.arguments(function text)
RETURNS text
LANGUAGE sql STABLE
AS $function$
    SELECT string_agg(DISTINCT format('%I => i.%I', a.name, CASE a.name WHEN 'played_at' THEN 'at' ELSE a.name END), ', ')
    FROM pg_proc AS p, unnest(p.proargnames) AS a(name)
    WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname = function
        AND a.name NOT IN ('team', 'rank') AND (a.name IN ('played_at', 'log_odds') OR a.name IN (
            SELECT attname FROM pg_attribute WHERE attrelid = 'predict.input'::regclass AND attnum > 0))
$function$;

COMMENT ON FUNCTION predict.arguments(text) IS
'The arguments of rate() or inputs() for which there are columns, by name.';

CREATE FUNCTION predict.fit(model text, train integer, evaluations integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $function$
DECLARE
    rated_by text := coalesce(nullif(split_part(model, '/', 2), ''), 'rate');
    found skillrating.tuning;
BEGIN
    model := split_part(model, '/', 1);
    EXECUTE format('SELECT (q.t).* FROM (
        SELECT skillrating.tune($1, match, player, team, rank, skillrating.inputs(%s), $2 ORDER BY match) AS t
        FROM (SELECT *, NULL::float8 AS log_odds FROM input WHERE match <= $3) AS i) AS q', predict.arguments('inputs'))
    INTO found
    USING model, jsonb_build_object('parts', true, 'holdout', 0, 'max_evaluations', evaluations), train;
    RETURN jsonb_build_object('model', model, 'function', rated_by, 'params', found.params, 'log_odds', coalesce(found.log_odds, 0),
        'parts', ARRAY(SELECT p.name FROM unnest(found.parts) AS p WHERE p.taken), 'evaluations', found.evaluations)
        || CASE WHEN cardinality(found.warnings) > 0 THEN jsonb_build_object('warnings', found.warnings) ELSE '{}' END
        -- Solutions of all matches so far come after each tenth of the first part.
        || CASE WHEN rated_by = 'rate' THEN '{}' ELSE jsonb_build_object('refit_matches', greatest(50, train / 10)) END;
END
$function$;

COMMENT ON FUNCTION predict.fit(text, integer, integer) IS
'What a model forecasts with, by the first part alone: its usual parameters, and those of its parts
that tune() takes.  model: its name, and behind a slash another function than rate() if need be.';

CREATE FUNCTION predict.forecasts(plan jsonb)
RETURNS TABLE (match integer, team integer, p float8)
LANGUAGE plpgsql
AS $function$
BEGIN
    -- What a side is worth in advance is said of matches that have sides.
    RETURN QUERY EXECUTE format('SELECT DISTINCT q.match, q.team, (q.r).win_probability
        FROM (SELECT i.match, i.team, skillrating.%I($1, i.player, i.team, i.rank, options => $2, %s) OVER (ORDER BY i.match) AS r
            FROM (SELECT *, CASE WHEN count(side) OVER m = count(*) OVER m THEN $3 END AS log_odds FROM input WINDOW m AS (PARTITION BY match)) AS i) AS q
        WHERE (q.r).win_probability IS NOT NULL ORDER BY 1, 2', plan ->> 'function',
        predict.arguments(plan ->> 'function'))
    USING plan ->> 'model', plan -> 'params' || CASE WHEN plan ? 'refit_matches' THEN jsonb_build_object('refit_matches', plan -> 'refit_matches') ELSE '{}' END,
        nullif((plan ->> 'log_odds')::float8, 0);
END
$function$;

COMMENT ON FUNCTION predict.forecasts(jsonb) IS
'The forecasts of all matches, each from those before it.';
