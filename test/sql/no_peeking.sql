-- No forecast knows of the result that it forecasts, nor of a later one: results after a cut are
-- changed, removed or unknown, and forecasts up to and including the match at the cut stay equal to
-- the last bit.  What is called comes from the catalogue, so that a model, a parameter, a source
-- column or a window function that is added later is tried too.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE FUNCTION chance(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
'SELECT (hashtextextended(what, 19) & 1048575) / 1048576.0::float8';

-- Matches with all that a source can say, several of them at the same time; each row has a number.
CREATE TABLE peek_row AS
WITH m AS MATERIALIZED (
    SELECT i AS match_id, '2024-01-01'::timestamptz + i / 3 * interval '31 hours' AS played_at, chance('score ' || i) < 0.5 AS by_score,
        CASE WHEN chance('teams ' || i) < 0.15 THEN 3 ELSE 2 END AS teams, 1 + floor(chance('size ' || i) * 3)::int AS size,
        chance('stints ' || i) < 0.3 AS stints, chance('sides ' || i) < 0.5 AS sides, chance('drawn ' || i) < 0.2 AS drawn
    FROM generate_series(1, 90) AS i
), p AS MATERIALIZED (
    SELECT m.*, t AS team, p AS n, row_number() OVER (ORDER BY match_id, t, p) AS row_id,
        'player ' || ((t * m.size + p) * 7 + m.match_id * 13 + floor(chance('who ' || match_id) * 2)::int) % 23 AS player_id
    FROM m, generate_series(1, m.teams) AS t, generate_series(1, m.size) AS p
)
SELECT row_id, match_id, played_at, player_id, team, n, teams,
    CASE WHEN NOT by_score THEN (CASE WHEN drawn THEN 1 ELSE 1 + (team + match_id) % teams END)::float8 END AS rank,
    CASE WHEN by_score THEN (CASE WHEN drawn THEN 3 ELSE (team * 5 + match_id) % 4 END)::float8 END AS team_score,
    CASE WHEN NOT stints AND n = 2 THEN 0.25 + chance('weight ' || row_id) / 2 END AS weight,
    CASE WHEN stints THEN floor(chance('joined ' || row_id) * 200) END AS joined,
    CASE WHEN stints THEN 300 + floor(chance('left ' || row_id) * 300) END AS left_at,
    CASE WHEN n = 1 AND sides THEN 0.75 END AS commanding,
    CASE WHEN sides AND teams = 2 THEN 1 + (team + match_id) % 2 END::float8 AS side,
    CASE WHEN size > 1 AND n < 3 AND chance('squad ' || row_id) < 0.8 THEN team END::float8 AS squad,
    floor(chance('kills ' || row_id) * 20) AS kills, floor(chance('deaths ' || row_id) * 20) AS deaths, chance('quit ' || row_id) < 0.1 AS quit,
    CASE WHEN n = 1 THEN match_id END::float8 AS experience, CASE WHEN chance('pool ' || match_id) < 0.3 THEN 'b' ELSE 'a' END AS pool,
    CASE WHEN teams = 2 AND match_id % 3 = 0 THEN chance('odds ' || match_id) - 0.5 END AS log_odds,
    CASE WHEN match_id % 5 = 0 THEN n - 0.5 END AS player_gain,
    'map ' || floor(chance('map ' || match_id) * 4) AS context, 'club ' || floor(chance('club ' || player_id) * 5) AS club
FROM p;

-- The same rows when the results of matches from the cut on are others ("changed"), when they are
-- not known ("unknown"), and without the rows behind it ("removed").
CREATE FUNCTION told(cut int, how text) RETURNS SETOF peek_row LANGUAGE sql STABLE AS $$
    SELECT row_id, match_id, played_at, player_id, team, n, teams,
        CASE WHEN NOT late THEN rank WHEN how = 'changed' AND rank IS NOT NULL THEN CASE match_id % 3 WHEN 0 THEN 1 ELSE 1 + (team + match_id + 1) % teams END END,
        CASE WHEN NOT late THEN team_score WHEN how = 'changed' AND team_score IS NOT NULL THEN (team * 2 + match_id) % 5 END,
        weight, joined, left_at, commanding, side, squad,
        CASE WHEN NOT late THEN kills WHEN how = 'changed' THEN 20 - kills END, CASE WHEN NOT late THEN deaths WHEN how = 'changed' THEN n END,
        CASE WHEN NOT late THEN quit WHEN how = 'changed' THEN n = 1 END, experience, pool, log_odds, player_gain, context, club
    FROM (SELECT p.*, match_id >= cut AND how IN ('changed', 'unknown') AS late FROM peek_row AS p) AS p
    WHERE how <> 'removed' OR match_id <= cut
    ORDER BY md5(row_id::text || how)
$$;
\set ECHO all

-- What a forecast says, of all that is told of a row: what was before, and probabilities.
CREATE FUNCTION forecast_part(r jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
'SELECT jsonb_object_agg(key, value ORDER BY key) FROM jsonb_each(r) WHERE key ~ ''(_before|probability)$'' AND value <> ''null''';

-- Parameters of a model: its defaults, and as far as they go together others at random.
\set ECHO none
CREATE FUNCTION valid(model text, params jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM skillrating.models(model, params));
EXCEPTION WHEN invalid_parameter_value OR numeric_value_out_of_range THEN
    RETURN false;
END
$$;
CREATE FUNCTION variation(model text, i int) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_object_agg(p.name, CASE p.type
        WHEN 'choice' THEN to_jsonb(p.choices[1 + floor(c.chance * cardinality(p.choices))::int])
        WHEN 'flag' THEN to_jsonb(c.chance < 0.5)
        WHEN 'table' THEN jsonb_build_array(jsonb_build_array(3, least(greatest(1 + c.chance, p.min), p.max)))
        ELSE to_jsonb(least(greatest(CASE WHEN (p.default_value)::float8 > 0 THEN (p.default_value)::float8 * (0.5 + c.chance) ELSE c.chance / 10 END, p.min), p.max)) END), '{}')
    FROM skillrating.parameters(model) AS p, LATERAL (SELECT chance(concat(model, p.name, i)) AS chance, chance(concat(model, p.name, i, 'taken')) < 0.4 AS taken) AS c
    WHERE p.kind = 'model' AND c.taken AND p.default_value <> 'null'
$$;
CREATE TABLE trial AS
SELECT m.name AS model, v.params FROM skillrating.models() AS m, LATERAL (
    SELECT '{}'::jsonb AS params UNION
    (SELECT variation(m.name, i) FROM generate_series(1, 40) AS i WHERE valid(m.name, variation(m.name, i)) ORDER BY i LIMIT 4)) AS v;
\set ECHO all
SELECT model FROM skillrating.models() AS m(model) LEFT JOIN trial USING (model) GROUP BY model HAVING count(params) < 4;

-- A call of a function with all arguments that there is something for, by name; null if an argument
-- without a default is none of these.  What corrects forecasts takes that of one team, of both, of
-- several models, or of both teams by several models.
\set ECHO none
CREATE FUNCTION forecast_argument(of_models boolean, name text, type regtype, of_both boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE name
        WHEN 'probability' THEN CASE WHEN type = 'float8'::regtype THEN 's.p' WHEN of_models AND of_both THEN 'ARRAY[[s.p, 1 - s.p], [s.q, 1 - s.q]]'
            WHEN of_models THEN 'ARRAY[s.p, s.q]' WHEN of_both THEN 'ARRAY[s.p, 1 - s.p]' END
        WHEN 'outcome' THEN CASE type WHEN 'float8'::regtype THEN 's.y' WHEN 'boolean'::regtype THEN 's.y = 1' WHEN 'float8[]'::regtype THEN 'CASE WHEN s.y IS NOT NULL THEN ARRAY[s.y, 1 - s.y] END' END
        WHEN 'half_life_matches' THEN '20' WHEN 'half_life_days' THEN '60' WHEN 'refit_matches' THEN '15' END
$$;
CREATE FUNCTION call_of(f oid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN count(*) FILTER (WHERE NOT optional AND given IS NULL) = 0
        THEN format('%s(%s)', f::regproc, string_agg(format('%I => %s', name, given), ', ' ORDER BY ordinal) FILTER (WHERE given IS NOT NULL)) END
    FROM (
        SELECT a.name, a.ordinal, a.ordinal > p.pronargs - p.pronargdefaults AS optional,
            coalesce((SELECT format('s.%I', attname) FROM pg_attribute WHERE attrelid = 'peek_row'::regclass AND attnum > 0 AND attname = a.name),
                CASE a.name WHEN 'model' THEN '$1' WHEN 'options' THEN CASE p.proname WHEN 'rate_through_time' THEN '$2 || ''{"refit_matches": 12}''' ELSE '$2' END WHEN 'season' THEN 'extract(month FROM s.played_at)::bigint' END,
                forecast_argument(p.proname ~ '^stack', a.name, a.type::regtype, 'float8[]'::regtype = ANY (SELECT t.type FROM unnest(p.proargnames, p.proargtypes::oid[]) AS t(name, type) WHERE t.name = 'outcome'))) AS given
        FROM pg_proc AS p, unnest(p.proargnames, p.proargtypes::oid[]) WITH ORDINALITY AS a(name, type, ordinal)
        WHERE p.oid = f AND a.ordinal <= p.pronargs
    ) AS a
$$;
\set ECHO all

-- Every window function of the extension is known to this test: rate() and those over its forecasts,
-- which are also tried with all matches of the same time at once.  rate_match() has the bits of
-- rate(), as test rate_match shows.
CREATE TABLE peek_function AS
SELECT p.oid::regprocedure::text AS name, call_of(p.oid) AS call, 'model' = ANY (p.proargnames) AS of_model, m.at_once
FROM pg_proc AS p, unnest('{false,true}'::boolean[]) AS m(at_once)
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prokind = 'w' AND p.proname <> 'rate_match' AND NOT (m.at_once AND 'model' = ANY (p.proargnames));
SELECT name AS unknown_function FROM peek_function WHERE call IS NULL;
SELECT call AS of_rate FROM peek_function WHERE name ~ 'skillrating.rate\(' AND NOT call ~ 'team_score => .*left_at => .*kills => .*player_gain => ';

-- Rows, of each match the forecasts of one team by two models, and what came of it.
\set ECHO none
CREATE FUNCTION outcomes(cut int, how text)
RETURNS TABLE (row_id bigint, match_id int, played_at timestamptz, p float8, q float8, weight float8, side float8, y float8) LANGUAGE sql STABLE AS $$
    SELECT min(row_id), match_id, played_at, 0.1 + 0.8 * chance('p ' || match_id), 0.2 + 0.6 * chance('q ' || match_id), 1 + match_id % 2, min(side) FILTER (WHERE team = 1),
        CASE WHEN every(coalesce(rank, team_score) IS NOT NULL) THEN CASE sign(sum((team * 2 - 3) * coalesce(rank, -team_score)) FILTER (WHERE n = 1)) WHEN 1 THEN 1 WHEN 0 THEN 0.5 ELSE 0 END END
    FROM told(cut, how) WHERE teams = 2 GROUP BY match_id, played_at
$$;
CREATE FUNCTION results_of(f peek_function, t trial, cut int, how text) RETURNS TABLE (row_id bigint, match_id int, at timestamptz, r text, forecast jsonb) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT row_id, match_id, played_at, r::text, CASE WHEN %L THEN forecast_part(to_jsonb(r)) ELSE to_jsonb(r) END
        FROM (SELECT s.row_id, s.match_id, s.played_at, %s OVER (ORDER BY s.played_at, %s) AS r FROM %s($3, $4) AS s) AS q',
        f.of_model, f.call, CASE WHEN f.at_once THEN '1' ELSE 's.match_id' END, CASE WHEN f.of_model THEN 'told' ELSE 'outcomes' END)
    USING t.model, t.params, cut, how;
END
$$;
\set ECHO all

-- Before the cut everything is the same, at the cut the forecast, and so it is for all matches of its
-- time if they are taken at once; what is behind it is another, as what was changed must matter.
-- Some functions are not for all models.
\set ECHO none
CREATE TABLE peeked (name text, model text, params jsonb, cut int, how text, before bigint, at bigint, changed bigint);
CREATE FUNCTION peek(f peek_function, t trial) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    c record;
BEGIN
    CREATE TEMP TABLE truth AS SELECT * FROM results_of(f, t, 0, 'all');
    FOR c IN SELECT h.how, m.cut FROM unnest('{changed,removed,unknown}'::text[]) AS h(how), LATERAL (
        SELECT match_id AS cut FROM truth WHERE match_id BETWEEN 2 AND 85 GROUP BY match_id ORDER BY chance(concat(f.name, t.model, t.params, h.how, match_id)) LIMIT 2) AS m
    LOOP
        INSERT INTO peeked
        SELECT f.name, t.model, t.params, c.cut, c.how,
            count(*) FILTER (WHERE match_id < c.cut AND a.r IS DISTINCT FROM b.r),
            count(*) FILTER (WHERE (match_id = c.cut OR (f.at_once AND a.at = (SELECT min(at) FROM truth WHERE match_id = c.cut))) AND CASE WHEN NOT f.of_model THEN a.r <> b.r
                WHEN a.forecast ? 'win_probability' AND b.forecast ? 'win_probability' THEN a.forecast <> b.forecast END),
            count(*) FILTER (WHERE match_id > c.cut AND a.forecast IS DISTINCT FROM b.forecast)
        FROM truth AS a FULL JOIN results_of(f, t, c.cut, c.how) AS b USING (row_id, match_id);
    END LOOP;
    DROP TABLE truth;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;
SET client_min_messages = warning;
\set ECHO all
SELECT count(peek(f, t)) > 0 AS tried FROM peek_function AS f JOIN trial AS t ON CASE WHEN f.name ~ 'rate_through_time' THEN t.model = 'state_space' ELSE f.of_model OR (t.model = 'elo' AND t.params = '{}') END WHERE f.call IS NOT NULL;
RESET client_min_messages;
SELECT name, model, params, cut, how, before, at FROM peeked WHERE before > 0 OR at > 0 ORDER BY 1, 2, 3, 4;
SELECT name, model, params FROM peeked GROUP BY 1, 2, 3 HAVING sum(changed) = 0 ORDER BY 1, 2, 3;
SELECT count(DISTINCT (model, params)) FILTER (WHERE name ~ 'skillrating.rate\(') = (SELECT count(*) FROM trial) AS all_trials, count(DISTINCT name) = (SELECT count(DISTINCT name) FROM peek_function) AS all_functions FROM peeked;

-- The test sees it where a forecast does peek: at the next match, at the match itself, or at those of
-- the same time.
SET client_min_messages = warning;
SELECT count(peek(f, ROW('elo', '{}')::trial)) AS tried
FROM (VALUES (ROW('next match', 'lead(s.y)', false, false)::peek_function), (ROW('own result', 'array_agg(s.y)', false, false)::peek_function),
    (ROW('own time', 'array_agg(s.y)', false, true)::peek_function)) AS v(f);
RESET client_min_messages;
SELECT name, sum(before) > 0 AS before, sum(at) > 0 AS at FROM peeked WHERE name IN ('next match', 'own result', 'own time') GROUP BY name ORDER BY name;

-- What fits parameters knows nothing of what is held out: everything in its result but the scores
-- of that is the same when these results are others.  It is whatever aggregate has such scores.
\set ECHO none
CREATE TABLE peek_fit AS
SELECT DISTINCT ON (p.proname) p.proname AS name, p.pronargs, (
    SELECT format('%s(%s ORDER BY s.played_at, s.match_id)', p.oid::regproc, string_agg(e.given, ', ' ORDER BY a.ordinal) || CASE WHEN bool_and(e.given IS NOT NULL) THEN '' END)
    FROM unnest(p.proargnames) WITH ORDINALITY AS a(name, ordinal), LATERAL (SELECT CASE
        WHEN a.name IN ('match_id', 'player_id', 'team', 'rank') THEN 's.' || a.name
        ELSE CASE a.name WHEN 'model' THEN '$1' WHEN 'fit' THEN '$2' WHEN 'options' THEN '$3' WHEN 'models' THEN 'ARRAY[$1]' WHEN 'strict' THEN 'false'
            WHEN 'inputs' THEN (SELECT call_of(i.oid) FROM pg_proc AS i WHERE i.oid = ANY (ARRAY(SELECT oid FROM pg_proc WHERE proname = 'inputs' AND pronamespace = 'skillrating'::regnamespace))) END END AS given) AS e
    WHERE a.ordinal <= p.pronargs) AS call
FROM pg_proc AS p JOIN pg_type AS r ON r.oid = p.prorettype JOIN pg_type AS t ON t.oid IN (r.oid, r.typelem)
JOIN pg_attribute AS c ON c.attrelid = t.typrelid AND c.attname = 'held_out_log_loss'
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prokind = 'a'
ORDER BY p.proname, p.pronargs DESC;
\set ECHO all
SELECT name FROM peek_fit WHERE call IS NULL;
-- Of one result or several, in the order of models, what does not speak of what is held out.
\set ECHO none
CREATE FUNCTION without_held_out(r jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_agg(f.found ORDER BY e.value ->> 'model')
    FROM jsonb_array_elements(CASE jsonb_typeof(r) WHEN 'array' THEN r ELSE jsonb_build_array(r) END) AS e, LATERAL (
        SELECT jsonb_object_agg(key, value) AS found FROM jsonb_each(e.value) WHERE key !~ '^(held_out|difference|verdict)') AS f
$$;
CREATE FUNCTION fit_of(f peek_fit, model text, fit text[], how text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    found jsonb;
BEGIN
    EXECUTE format('SELECT to_jsonb(%s) FROM told(72, $4) AS s', f.call) INTO found
    USING model, fit, CASE WHEN f.call ~ '\$1' THEN '{"holdout": 0.3, "max_evaluations": 40, "parts": true, "starts": 2}' ELSE '{"holdout": 0.3, "budget": 400, "starts": 1}' END::jsonb, how;
    RETURN found;
END
$$;
\set ECHO all
-- Of 90 matches, those from the 64th on are held out, and those from the 72nd on are others.  Those
-- of three teams are no matches to some models.
SET client_min_messages = error;
SELECT f.name, count(*) = CASE WHEN f.call ~ '\$1' THEN (SELECT count(*) FROM skillrating.models()) ELSE 1 END AS all_models,
    bool_and(without_held_out(a.r) = without_held_out(b.r)) AS same, bool_and(a.r <> b.r) AS held_out_differs
FROM peek_fit AS f, LATERAL (SELECT name FROM skillrating.models() WHERE f.call ~ '\$1' UNION ALL SELECT '' WHERE f.call !~ '\$1') AS m(model),
    LATERAL (SELECT fit_of(f, m.model, NULL, 'all') AS r) AS a, LATERAL (SELECT fit_of(f, m.model, NULL, 'changed') AS r) AS b
GROUP BY f.name, f.call ORDER BY f.name;

SET client_min_messages = warning;
DROP TABLE peek_row CASCADE;
DROP TABLE trial, peek_function, peeked, peek_fit CASCADE;
DROP FUNCTION chance, variation, valid, call_of, forecast_argument, forecast_part, without_held_out;
