-- Forecasts that a model corrects itself: rate() and ladders say what recalibrate() makes of the model's own.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
SET extra_float_digits = 1;
CREATE SCHEMA recalibrated;
SET search_path = recalibrated;

-- 240 matches in two pools, of two teams and now and then of three; the first side is at home.
CREATE TABLE played AS
SELECT m AS match_id, '2024-01-01'::timestamptz + m * interval '7 hours' AS played_at, CASE WHEN m % 4 = 0 THEN 'blitz' ELSE '' END AS pool,
    (m * 11 + t * (1 + m % 6)) % 14 AS player_id, t AS team, (m * 11 + t * (1 + m % 6)) % 14 / 4 + (m * 13 + t * 5 + m / 7) % 4 AS score,
    CASE WHEN m % 6 > 0 AND m % 5 > 0 THEN t END AS side
FROM generate_series(1, 240) AS m, generate_series(1, 3) AS t WHERE t < 3 OR m % 6 = 0;

-- What each model says by itself, with a correction, and with one that knows of sides.
CREATE TABLE rules (model text, own jsonb, corrected jsonb, sided jsonb);
INSERT INTO rules
SELECT m.name, own, own || corrected, own || corrected || '{"recalibration_side_deviation": 0.3}'
FROM skillrating.models() AS m, LATERAL (SELECT CASE m.name WHEN 'state_space' THEN '{"drift": 0.02}' ELSE '{}' END::jsonb) AS o(own),
    (VALUES ('{"recalibration_deviation": 0.4, "recalibration_half_life_matches": 60, "recalibration_half_life_days": 40}'::jsonb)) AS c(corrected)
WHERE m.name <> 'frag';
CREATE FUNCTION rated(model text, params jsonb) RETURNS TABLE (match_id int, player_id int, r skillrating.rated) LANGUAGE sql AS $$
    SELECT match_id, player_id, skillrating.rate(model, player_id, team, team_score => score, side => side, played_at => played_at, pool => pool, options => params)
        OVER (ORDER BY played_at, match_id) FROM recalibrated.played
$$;
CREATE TABLE forecast AS
SELECT model, p.*, own.r AS own, corrected.r AS corrected, sided.r AS sided
FROM rules AS u, rated(model, u.own) AS own
JOIN played AS p USING (match_id, player_id), rated(model, u.corrected) AS corrected, rated(model, u.sided) AS sided
WHERE (corrected.match_id, corrected.player_id) = (p.match_id, p.player_id) AND (sided.match_id, sided.player_id) = (p.match_id, p.player_id)
    AND (own.r).score IS NOT NULL;
\set ECHO all

-- Ratings have no part in it, and nothing but forecasts differs.
SELECT string_agg(model, ' ' ORDER BY model), rated, other_states, other_forecasts FROM (
SELECT model, count(*) > 300 AS rated, count(*) FILTER (WHERE (own).state_after <> (sided).state_after OR (own).state_before <> (sided).state_before) AS other_states,
    count(*) FILTER (WHERE (own).win_probability <> (sided).win_probability) > 200 AS other_forecasts
FROM forecast GROUP BY model
) AS q GROUP BY rated, other_states, other_forecasts ORDER BY 1;

-- Models of two teams: the same as recalibrate() over the model's own forecasts.
SELECT model, count(*) > 100 AS matches, max(abs(q - c)) < 1e-12 AS same FROM (
    SELECT model, (sided).win_probability AS c, skillrating.recalibrate((own).win_probability, (own).score, played_at => played_at, side => side,
            deviation => 0.4, side_deviation => 0.3, half_life_matches => 60, half_life_days => 40) OVER (PARTITION BY model, pool ORDER BY played_at, match_id) AS q
    FROM forecast WHERE team = 1 AND model IN ('hive', 'synelo')) AS f GROUP BY model ORDER BY model;
-- Of two and three teams: as alternatives, without sides.
SELECT string_agg(model, ' ' ORDER BY model), matches, same FROM (
SELECT model, count(*) > 100 AS matches, max(abs(q[1] - c[1])) < 1e-12 AS same FROM (
    SELECT model, c, skillrating.stack(ARRAY[p], y, played_at => played_at, deviation => 0.4, half_life_matches => 60, half_life_days => 40)
        OVER (PARTITION BY model, pool ORDER BY played_at, match_id) AS q
    FROM (SELECT model, pool, played_at, match_id, array_agg((own).win_probability ORDER BY team) AS p, array_agg((corrected).win_probability ORDER BY team) AS c,
            array_agg(CASE WHEN (own).score > 0 THEN 1.0 / winners ELSE 0 END ORDER BY team) AS y
        FROM (SELECT *, count(*) FILTER (WHERE (own).score > 0) OVER (PARTITION BY model, match_id) AS winners FROM forecast) AS f
        GROUP BY model, pool, played_at, match_id) AS f) AS f GROUP BY model
) AS q GROUP BY matches, same ORDER BY 1;

-- A match without a result is forecast as it is with one, and teaches nothing.
SELECT bool_and((f.sided).win_probability = (w.r).win_probability) AS same, count(*) FILTER (WHERE f.match_id = 150) AS asked
FROM (SELECT match_id, player_id, skillrating.rate('elo', player_id, team, team_score => CASE WHEN match_id <> 150 THEN score END, side => side, played_at => played_at, pool => pool,
        options => (SELECT u.sided FROM rules AS u WHERE model = 'elo')) OVER (ORDER BY played_at, match_id) AS r
    FROM played WHERE match_id <= 150) AS w
JOIN forecast AS f USING (match_id, player_id) WHERE f.model = 'elo';

-- What tune() scores are the corrected forecasts; it warns of a search that was cut off.
SET client_min_messages = error;
SELECT abs(((t).matches * (t).log_loss + (t).held_out_matches * (t).held_out_log_loss) / 200 - l) < 1e-9 AS same FROM (
    SELECT skillrating.tune('elo', match_id, player_id, team, NULL, skillrating.inputs(team_score => score, side => side, played_at => played_at, pool => pool),
        '{"fit": ["k"], "params": {"recalibration_deviation": 0.4}, "burn_in": 0, "max_evaluations": 1}' ORDER BY played_at, match_id) AS t
    FROM played WHERE match_id % 6 > 0) AS t,
    LATERAL (SELECT skillrating.log_loss((r).win_probability, (r).score) AS l FROM (
        SELECT team, skillrating.rate('elo', player_id, team, team_score => score, side => side, played_at => played_at, pool => pool, options => (t).params) OVER (ORDER BY played_at, match_id) AS r
        FROM played WHERE match_id % 6 > 0) AS f WHERE team = 1) AS l;
RESET client_min_messages;

-- Ladders of all models: the window function to the bit, and verified.
\set ECHO none
CREATE FUNCTION faults(ladder text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT check_name || ': ' || detail FROM skillrating.verify(ladder) WHERE NOT ok
$$;
CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at, pool) SELECT DISTINCT match_id, played_at, pool FROM recalibrated.played WHERE match_id BETWEEN $1 AND $2', ladder) USING first, last;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score, side)
        SELECT match_id, player_id, team, score, side FROM recalibrated.played WHERE match_id BETWEEN $1 AND $2', ladder) USING first, last;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END $$;
CREATE FUNCTION compare(model text) RETURNS TABLE (rated boolean, differ bigint, faults bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT count(*) > 300, count(*) FILTER (WHERE (f.sided).win_probability IS DISTINCT FROM e.win_probability),
            (SELECT count(*) FROM recalibrated.faults(%L))
        FROM recalibrated.forecast AS f JOIN %I.event AS e USING (match_id, player_id, pool) WHERE f.model = %L', 'all_' || model, 'all_' || model, model);
END $$;
\set ECHO all
SELECT count(skillrating.create_ladder('all_' || model, model, sided, late => 'reorder')) FROM rules;
SELECT count(play('all_' || model, 1, 100)), count(play('all_' || model, 101, 101)), count(play('all_' || model, 102, 240)) FROM rules;
SELECT string_agg(model, ' ' ORDER BY model), c FROM rules, compare(model) AS c GROUP BY c;
SELECT kind, pool, key, player_id, games > 50 AS games, cardinality(state) AS columns FROM all_elo.component;

-- Who would win: the same from a window, from win_probability() and from preview(), with the draw where a model has one.
SELECT string_agg(model, ' ' ORDER BY model), forecast, draws, same FROM (
SELECT u.model, bool_and((f.r).unrated_reason = 'no_result') AS forecast, bool_and(w.draw_probability > 0) AS draws,
    bool_and((w.win_probability, w.draw_probability) IS NOT DISTINCT FROM ((f.r).win_probability, (f.r).draw_probability)
        AND (v.win_probability, v.draw_probability) IS NOT DISTINCT FROM (w.win_probability, w.draw_probability)) AS same
FROM rules AS u,
    LATERAL (SELECT match_id, player_id, team, skillrating.rate(u.model, player_id, team, team_score => score, side => side, played_at => played_at, pool => pool, options => u.sided)
            OVER (ORDER BY played_at, match_id) AS r
        FROM (TABLE played UNION ALL SELECT 300, '2024-04-01', '', t, t, NULL, t FROM generate_series(1, 2) AS t) AS s) AS f,
    LATERAL skillrating.win_probability('all_' || u.model, '{1,2}'::bigint[], '{1,2}', side => '{1,2}', at => '2024-04-01', pool => '') AS w,
    LATERAL skillrating.preview('all_' || u.model, '{1,2}'::bigint[], '{1,2}', side => '{1,2}', at => '2024-04-01', pool => '') AS v
WHERE f.match_id = 300 AND w.team = f.team AND v.team = f.team
GROUP BY u.model
) AS q GROUP BY forecast, draws, same ORDER BY 1;
SELECT count(*) AS teams, count(draw_probability) AS draws FROM skillrating.win_probability('all_trueskill', '{1,2,3}'::bigint[], '{1,2,3}', at => '2024-04-01', pool => '');

-- What a preview says is what the report brings.
CREATE TABLE foretold AS SELECT * FROM skillrating.preview('all_elo', '{1,2}'::bigint[], '{1,2}', side => '{1,2}', at => '2024-04-01', pool => '');
SELECT r.player_id, r.win_probability = f.win_probability AS foretold, r.win_probability = w.win_probability AS asked
FROM skillrating.win_probability('all_elo', '{1,2}'::bigint[], '{1,2}', side => '{1,2}', at => '2024-04-01', pool => '') AS w,
    skillrating.report_match('all_elo', 301, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-04-01', side => '{1,2}') AS r
JOIN foretold AS f USING (player_id) WHERE w.team = f.team ORDER BY player_id;

-- Corrections: another result, a match that comes late, one that is void; then again what a window says.
UPDATE all_elo.match_player SET team_score = 9 - team_score WHERE match_id = 50;
SELECT count(*) > 0 AS late FROM skillrating.report_match('all_elo', 302, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-01-20', side => '{1,2}');
SELECT skillrating.void_match('all_elo', 77) \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('all_elo');
SELECT * FROM faults('all_elo');
SELECT count(*) > 300 AS rated, count(*) FILTER (WHERE (w.r).win_probability IS DISTINCT FROM e.win_probability) AS differ
FROM (SELECT match_id, player_id, pool, skillrating.rate('elo', player_id, team, team_score => score, side => side, played_at => played_at, pool => pool,
        options => (SELECT u.sided FROM rules AS u WHERE model = 'elo')) OVER (ORDER BY played_at, match_id) AS r
    FROM (SELECT m.match_id, m.played_at, m.pool, p.player_id, p.team, coalesce(p.team_score, -p.rank) AS score, p.side
        FROM all_elo.match AS m JOIN all_elo.match_player AS p USING (match_id) WHERE m.match_id <> 77) AS s) AS w
JOIN all_elo.event AS e USING (match_id, player_id, pool);

-- Switched on and off by shadows; a ladder without it has nothing of it.
SELECT skillrating.shadow_ladder('all_elo', 'off', 'elo', '{}') IS NOT NULL AS made;
SELECT count(*) FROM "off".component;
SELECT count(*) > 300 AS rated, count(*) FILTER (WHERE e.rating_after <> o.rating_after) AS other_ratings, count(*) FILTER (WHERE e.win_probability <> o.win_probability) > 200 AS other_forecasts
FROM all_elo.event AS e JOIN "off".event AS o USING (match_id, player_id, pool);
SELECT * FROM faults('off');
SELECT skillrating.forget_players('all_elo', ARRAY[3], '{99}') IS NOT NULL AS forgotten;
SELECT * FROM faults('all_elo');
SELECT skillrating.drop_ladder('off') \gset
SELECT count(skillrating.drop_ladder('all_' || model)) FROM rules;
DROP SCHEMA recalibrated CASCADE;
