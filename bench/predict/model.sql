-- How a model of the extension is fitted and asked; see bench/predict/model.sh.
--
-- The functions read a temporary table input, which looks like this one, of their session.
SET check_function_bodies = off;

CREATE TABLE predict.input (
    match integer, at timestamptz, team integer, player integer, rank float8, score float8, side integer,
    weight float8, joined float8, "left" float8, commanding float8, squad float8, kills float8, deaths float8,
    quit boolean, context text, club text);

COMMENT ON TABLE predict.input IS 'What a forecaster is told, as bench/predict.sh writes it.';

-- What there is to choose from for models of which more is known than the defaults.
CREATE TABLE predict.search (model text, params jsonb, fit text[], bounds jsonb, needs_score boolean);
INSERT INTO predict.search VALUES
    ('elo', '{}', '{k}', '{}', false),
    ('elo', '{"margin": "log"}', '{k}', '{}', true),
    ('elo', '{"margin": "goals"}', '{k}', '{}', true),
    ('elo_mmr', '{}', '{initial_sigma,tau,drift}', '{"drift": [0, 50]}', false),
    ('frag', '{}', '{k}', '{}', false),
    ('glicko', '{}', '{initial_deviation,c}', '{"initial_deviation": [10, 350]}', false),
    ('glicko2', '{}', '{initial_deviation,initial_volatility,period}', '{"initial_deviation": [10, 350]}', false),
    ('hive', '{}', '{a,c}', '{}', false),
    ('synelo', '{}', '{k_low,k_high}', '{}', false),
    ('trueskill', '{}', '{initial_sigma,tau,drift}', '{"drift": [0, 1]}', false),
    ('trueskill2', '{}', '{initial_sigma,tau,drift}', '{}', false),
    ('weng_lin', '{"variant": "plackett_luce"}', '{initial_sigma,tau,drift}', '{"drift": [0, 1]}', false),
    ('weng_lin', '{"variant": "bradley_terry_full"}', '{initial_sigma,tau,drift}', '{"drift": [0, 1]}', false),
    ('weng_lin', '{"variant": "thurstone_mosteller_full"}', '{initial_sigma,tau,drift}', '{"drift": [0, 1]}', false);

CREATE FUNCTION predict.candidates(model text)
RETURNS SETOF predict.search
LANGUAGE sql STABLE
AS $function$
    SELECT s.* FROM predict.search AS s
    WHERE s.model = $1 AND (NOT s.needs_score OR EXISTS (SELECT FROM input WHERE score IS NOT NULL))
    UNION ALL
    -- Of any other model, the first numbers that are no matter of scale or display.
    SELECT $1, '{}', ARRAY(
        SELECT p.name FROM skillrating.model_parameters($1) WITH ORDINALITY AS p
        WHERE p.type = 'number' AND p.default_value <> 'null' AND p.default_value::text::float8 > 0
            AND p.name !~ '^(initial_(rating|mu|skill)|scale$|beta$|display|floor|period)|_(min|max)$'
        ORDER BY p.ordinality LIMIT 4), '{}', false
    WHERE NOT EXISTS (SELECT FROM predict.search AS s WHERE s.model = $1)
$function$;

COMMENT ON FUNCTION predict.candidates(text) IS
'The variants of a model that are tried, each with the parameters that are fitted.';

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

CREATE FUNCTION predict.home_log_odds(train integer)
RETURNS float8
LANGUAGE sql STABLE
AS $function$
    SELECT CASE WHEN count(*) >= 20 THEN ln((1 + sum(won)) / (1 + count(*) - sum(won))) ELSE 0 END
    FROM (
        SELECT DISTINCT a.match, (1 + sign(b.rank - a.rank)) / 2 AS won
        FROM input AS a JOIN input AS b USING (match) WHERE a.match <= train AND a.side = 1 AND b.side = 2 AND a.team <> b.team) AS s
$function$;

COMMENT ON FUNCTION predict.home_log_odds(integer) IS
'How much side 1 has in advance by the outcomes of the first part; 0 where sides are unknown.';

CREATE FUNCTION predict.tune(c predict.search, train integer, log_odds float8, holdout float8, evaluations integer)
RETURNS skillrating.tuning
LANGUAGE plpgsql
AS $function$
DECLARE
    found skillrating.tuning;
BEGIN
    EXECUTE format('SELECT (q.t).* FROM (
        SELECT skillrating.tune($1, $2, match, player, team, rank, skillrating.inputs(%s), $3 ORDER BY match) AS t
        FROM (SELECT *, $5 AS log_odds FROM input WHERE match <= $4) AS i) AS q', predict.arguments('inputs'))
    INTO found
    USING c.model, c.fit, jsonb_build_object('params', c.params, 'bounds', c.bounds, 'holdout', holdout, 'max_evaluations', evaluations), train,
        nullif(log_odds, 0);
    RETURN found;
END
$function$;

COMMENT ON FUNCTION predict.tune(predict.search, integer, float8, float8, integer) IS
'tune() of a variant on the first matches.';

CREATE FUNCTION predict.fit(model text, train integer, evaluations integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $function$
DECLARE
    log_odds float8 := predict.home_log_odds(train);
    candidates bigint := (SELECT count(*) FROM predict.candidates(model));
    each integer := greatest(8, evaluations / (candidates + CASE WHEN candidates > 1 THEN 1 ELSE 0 END));
    best skillrating.tuning;
    chosen predict.search;
    last skillrating.tuning;
    found skillrating.tuning;
    c predict.search;
    spent bigint := 0;
BEGIN
    -- Variants are compared on the last fifth of the first part, which their fits have not seen.
    FOR c IN SELECT * FROM predict.candidates(model) LOOP
        IF candidates > 1 THEN
            found := predict.tune(c, train, log_odds, 0.2, each);
            spent := spent + found.evaluations;
        END IF;
        IF chosen IS NULL OR found.held_out_log_loss < best.held_out_log_loss THEN
            best := found;
            chosen := c;
        END IF;
    END LOOP;
    chosen.params := coalesce(best.params, chosen.params);
    last := predict.tune(chosen, train, log_odds, 0, each);
    RETURN jsonb_strip_nulls(jsonb_build_object('model', model, 'params', last.params, 'log_odds', log_odds, 'evaluations', spent + last.evaluations));
END
$function$;

COMMENT ON FUNCTION predict.fit(text, integer, integer) IS
'What forecasts are made with: the variant and parameters of a model by the first part alone.';

CREATE FUNCTION predict.forecasts(plan jsonb)
RETURNS TABLE (match integer, team integer, p float8)
LANGUAGE plpgsql
AS $function$
BEGIN
    RETURN QUERY EXECUTE format('SELECT DISTINCT q.match, q.team, (q.r).win_probability
        FROM (SELECT i.match, i.team, skillrating.rate($1, i.player, i.team, i.rank, params => $2, %s) OVER (ORDER BY i.match) AS r
            FROM (SELECT *, $3 AS log_odds FROM input) AS i) AS q
        WHERE (q.r).win_probability IS NOT NULL ORDER BY 1, 2', predict.arguments('rate'))
    USING plan ->> 'model', plan -> 'params', nullif((plan ->> 'log_odds')::float8, 0);
END
$function$;

COMMENT ON FUNCTION predict.forecasts(jsonb) IS
'The forecasts of all matches, each from those before it.';
