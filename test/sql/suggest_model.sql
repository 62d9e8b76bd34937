-- suggest_model(): every model is studied, and the right family comes first.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SELECT setseed(0.5772);

-- Two worlds.  In one, ratings follow Elo's rule, whoever plays; in the other, skills are settled, and newcomers come
-- all the time, so that it pays to know how well a player is known.
\set ECHO none
CREATE TABLE simulated(world text, match_id int, winner int, loser int);
CREATE FUNCTION simulate_elo(matches int, players int, k float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    rating float8[] := array_fill(1500::float8, ARRAY[players]);
    a int;
    b int;
    p float8;
BEGIN
    FOR i IN 1 .. matches LOOP
        a := 1 + floor(random() * players)::int;
        b := 1 + (a + floor(random() * (players - 1))::int) % players;
        p := skillrating.elo_win_probability(rating[a], rating[b]);
        IF random() >= p THEN
            SELECT b, a, 1 - p INTO a, b, p;
        END IF;
        INSERT INTO simulated VALUES ('elo', i, a, b);
        rating[a] := rating[a] + k * (1 - p);
        rating[b] := rating[b] - k * (1 - p);
    END LOOP;
END
$$;
CREATE FUNCTION simulate_newcomers(matches int, active int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    skill float8[] := '{}';
    a int;
    b int;
BEGIN
    FOR i IN 1 .. matches LOOP
        -- Somebody comes every tenth match; the last comers play, and the first ten always.
        IF i % 10 = 1 OR i <= 20 THEN
            skill := skill || 2.5 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random());
        END IF;
        CONTINUE WHEN cardinality(skill) < 20;
        a := CASE WHEN random() < 0.5 THEN 1 + floor(random() * 10)::int ELSE cardinality(skill) - floor(random() * least(active, cardinality(skill) - 10))::int END;
        b := cardinality(skill) - floor(random() * least(active, cardinality(skill) - 10))::int;
        CONTINUE WHEN a = b;
        IF random() >= 1 / (1 + exp(skill[b] - skill[a])) THEN
            SELECT b, a INTO a, b;
        END IF;
        INSERT INTO simulated VALUES ('newcomers', i, a, b);
    END LOOP;
END
$$;
\set ECHO all
SELECT simulate_elo(4000, 60, 60), simulate_newcomers(4000, 40) \gset
\set ECHO none
CREATE VIEW history AS
SELECT world, match_id, player_id, team FROM simulated, LATERAL (VALUES (winner, 1), (loser, 2)) AS s(player_id, team);

CREATE TABLE found AS
SELECT world, s.* FROM (
    SELECT world, skillrating.suggest_model(match_id, player_id, team, team, NULL, '{"budget": 1500, "parts": false}' ORDER BY match_id) AS found FROM history GROUP BY world) AS q,
    unnest(found) WITH ORDINALITY AS s(model, params, log_odds, parts, matches, held_out_matches, held_out_log_loss_before, held_out_log_loss, held_out_accuracy, difference, difference_error, verdict, warnings, place);
\set ECHO all
SELECT world, count(*) = (SELECT count(*) FROM skillrating.models()) AS all_models, count(DISTINCT held_out_matches) = 1 AND min(held_out_matches) > 780 AS same_matches,
    bool_and(held_out_accuracy BETWEEN 0.5 AND 0.9) AS sound_accuracy, count(*) FILTER (WHERE verdict = 'best') AS best FROM found GROUP BY world ORDER BY world;
-- Elo is right where ratings are Elo's, and models that become sure of a skill are wrong; where newcomers come, it is the other way round.
SELECT world, model, difference > 2 * difference_error AS worse, difference > 0.02 AS much_worse FROM found WHERE model IN ('elo', 'glicko') ORDER BY world, model;
SELECT (SELECT deviation_column IS NOT NULL FROM skillrating.models() AS m WHERE m.name = f.model) AS best_has_deviation FROM found AS f WHERE world = 'newcomers' AND place = 1;
-- Sorted, and compared to the best.
SELECT world, array_agg(model ORDER BY held_out_log_loss, model) = array_agg(model ORDER BY place) AS sorted,
    bool_and(abs(difference - held_out_log_loss + least) < 1e-12) AS differences, bool_and((difference_error > 0) = (place > 1)) AS errors
FROM (SELECT *, min(held_out_log_loss) OVER (PARTITION BY world) AS least FROM found) AS f GROUP BY world ORDER BY world;
-- Scores and accuracy are those of rate() with the parameters found.
SELECT model, abs(held_out_log_loss - loss) < 1e-12 AS same_loss, abs(held_out_accuracy - hits) < 1e-12 AS same_accuracy, abs(held_out_log_loss_before - before) < 1e-12 AS same_before
FROM found, LATERAL (
    SELECT skillrating.log_loss((r).win_probability, (r).score), skillrating.accuracy((r).win_probability, (r).score), skillrating.log_loss((d).win_probability, (d).score)
    FROM (SELECT match_id, team, skillrating.rate(model, player_id, team, team, options => found.params) OVER w AS r, skillrating.rate(model, player_id, team, team) OVER w AS d
        FROM history AS h WHERE h.world = found.world WINDOW w AS (ORDER BY match_id)) AS q
    WHERE team = 1 AND match_id > 3200) AS s(loss, hits, before)
WHERE world = 'elo' AND model IN ('elo', 'glicko', 'trueskill2') ORDER BY model;
-- Twice the same.
SELECT bool_and(f.params = s.params AND f.held_out_log_loss = s.held_out_log_loss) AS same FROM found AS f, unnest((
    SELECT skillrating.suggest_model(match_id, player_id, team, team, NULL, '{"budget": 1500, "parts": false}' ORDER BY match_id) FROM history WHERE world = 'elo')) AS s
WHERE f.world = 'elo' AND f.model = s.model;

-- Some models only, and those that cannot rate: with three teams.
SELECT s.model, s.verdict, s.params IS NULL AS nothing, s.held_out_matches FROM unnest((
    SELECT skillrating.suggest_model(m, m % 20 + 20 * t, t, 1 + (m + t * t) % 3, NULL, '{"budget": 60, "models": ["synelo", "elo", "hive"], "parts": false}' ORDER BY m)
    FROM generate_series(1, 300) AS m, generate_series(1, 3) AS t)) AS s;
-- Parts: a side that wins more often than not, whoever plays.
SELECT s.model, s.parts, s.log_odds > 0.2 AS has_log_odds, s.held_out_log_loss < s.held_out_log_loss_before AS better FROM unnest((
    SELECT skillrating.suggest_model(match_id, player_id, team, team, skillrating.inputs(side => CASE WHEN match_id % 10 < 7 THEN team ELSE 3 - team END),
        '{"budget": 1200, "models": ["elo", "state_space"], "holdout": 0.3, "parts": ["log_odds", "home"]}' ORDER BY match_id)
    FROM history WHERE world = 'elo')) AS s ORDER BY s.model;

-- A verdict says where a model's study was cut short, and so does a warning; a part that is named and cannot be tried is one, too.
SELECT s.model, s.verdict IN ('best', 'worse, but not all of its parts were tried') AS says, s.warnings FROM unnest((
    SELECT skillrating.suggest_model(match_id, player_id, team, team, NULL, '{"budget": 40, "models": ["elo", "glicko"]}' ORDER BY match_id) FROM history WHERE world = 'elo')) AS s ORDER BY s.model;
SELECT s.model, s.parts, s.warnings FROM unnest((
    SELECT skillrating.suggest_model(match_id, player_id, team, team, NULL, '{"budget": 1000, "models": ["elo", "glicko"], "parts": ["margin"]}' ORDER BY match_id) FROM history WHERE world = 'elo')) AS s ORDER BY s.model;

-- A model that can forecast nothing of what is held out, here a match of three teams, does not keep others from being judged.
SELECT (s).model, (s).held_out_matches, (s).held_out_log_loss IS NOT NULL AS judged, (s).verdict
FROM (SELECT unnest(skillrating.suggest_model(m, t, t, 1 + m * t % 3, NULL, '{"models": ["elo", "hive"], "budget": 20, "holdout": 0.01}' ORDER BY m))
    FROM generate_series(1, 100) AS m, generate_series(1, 3) AS t WHERE t < 3 OR m = 100) AS q(s);

-- Mistakes.
\set ECHO none
CREATE FUNCTION try(options jsonb, strict boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    PERFORM skillrating.suggest_model(match_id, player_id, team, CASE WHEN match_id = 30 THEN -1 ELSE team END, NULL, options || jsonb_build_object('strict_rows', strict) ORDER BY match_id)
    FROM history WHERE world = 'elo' AND match_id <= 100;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', sqlstate, sqlerrm, nullif(hint, ''));
END
$$;
\set ECHO all
SELECT try(options::jsonb) FROM (VALUES ('3'), ('{"max_evaluations": 5}'), ('{"budget": 0}'), ('{"models": ["chess"]}'), ('{"models": 1}'), ('{"models": []}'), ('{"models": ["elo", "glicko"], "parts": ["home"]}'), ('{"holdout": 0}'), ('{"budget": 10}')) AS m(options);
SELECT try('{"budget": 10}', true);
SELECT skillrating.suggest_model(match_id, player_id, team, team) FROM history;
SELECT skillrating.suggest_model(match_id, player_id, team, team ORDER BY match_id) FROM history WHERE false;
-- Teams numbered from 0 are no sides: nothing can be rated, and why is said.  Some mistakes are a warning.
SELECT skillrating.suggest_model(match_id, player_id, team, team, skillrating.inputs(side => team - 1), '{}' ORDER BY match_id) FROM history WHERE world = 'elo';
SELECT skillrating.tune('elo', match_id, player_id, team, team, skillrating.inputs(side => team - 1), '{}' ORDER BY match_id) FROM history WHERE world = 'elo';
SELECT s.model, s.warnings[1] AS warning
FROM (SELECT skillrating.suggest_model(match_id, player_id, team, CASE WHEN match_id > 5 THEN team END, skillrating.inputs(side => CASE WHEN match_id % 50 = 0 THEN team - 1 END),
    '{"models": ["elo", "frag"], "budget": 20}' ORDER BY match_id) AS found FROM history WHERE world = 'elo') AS q, unnest(q.found) AS s ORDER BY s.model;
SELECT (t).warnings, (t).unrated_reasons
FROM (SELECT skillrating.tune('elo', match_id, player_id, team, team, skillrating.inputs(side => CASE WHEN match_id % 50 = 0 THEN team - 1 END), '{}' ORDER BY match_id) AS t
    FROM history WHERE world = 'elo') AS q;
SET statement_timeout = '300ms';
SELECT skillrating.suggest_model(match_id, player_id, team, team, NULL, '{"budget": 100000}' ORDER BY match_id) FROM history WHERE world = 'elo';
RESET statement_timeout;

DROP FUNCTION simulate_elo, simulate_newcomers, try;
DROP VIEW history;
DROP TABLE simulated, found;
