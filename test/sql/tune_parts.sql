-- tune() beyond numbers: parts, choices, flags, the log-odds of a side, and what it warns of.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SELECT setseed(0.2718);

-- Duels at home of side 1, where any is worth something; the margin of victory tells of skill.
\set ECHO none
CREATE TABLE simulated(history text, match_id int, played_at timestamptz, home int, away int, home_wins boolean, margin int);
CREATE FUNCTION simulate(history text, matches int, players int, home_advantage float8, margin_tells boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    skill float8[] := (SELECT array_agg(1.5 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())) FROM generate_series(1, players));
    a int;
    b int;
    d float8;
    wins boolean;
BEGIN
    FOR i IN 1 .. matches LOOP
        a := 1 + floor(random() * players)::int;
        b := 1 + (a + floor(random() * (players - 1))::int) % players;
        d := skill[a] - skill[b] + home_advantage + ln(1 / (1 - random()) - 1);
        wins := d > 0;
        INSERT INTO simulated VALUES (simulate.history, i, '2024-01-01'::timestamptz + i * interval '1 hour', a, b, wins,
            CASE WHEN margin_tells THEN 1 + floor(3 * abs(d)) ELSE 1 + floor(5 * random()) END);
    END LOOP;
END
$$;
\set ECHO all
SELECT simulate('plenty', 5000, 250, 0.6, true), simulate('noise', 5000, 40, 0, false), simulate('few', 14, 4, 0.6, true) \gset
CREATE VIEW history AS
SELECT history, match_id, played_at, player_id, side, CASE WHEN (side = 1) = home_wins THEN 1 ELSE 2 END AS rank,
    CASE WHEN (side = 1) = home_wins THEN margin ELSE 0 END AS score
FROM simulated, LATERAL (VALUES (home, 1), (away, 2)) AS s(player_id, side);

-- Parts that there are.
SELECT m.name AS model, p.* FROM skillrating.models() AS m, unnest(m.parts) AS p WHERE m.name IN ('elo', 'trueskill2', 'weng_lin');

-- A part is taken where matches show it, and not where they do not.
CREATE TABLE fit AS
SELECT history, skillrating.tune('elo', match_id, player_id, side, NULL::float8, skillrating.inputs(played_at => played_at, side => side, team_score => score),
    '{"parts": ["margin", "normal", "sum", "log_odds"]}' ORDER BY match_id) AS t
FROM history WHERE history IN ('plenty', 'noise') GROUP BY history;
SELECT history, p.name, p.taken, p.gain > 2 * p.standard_error AS gains, p.gain > 0.005 AS much, p.matches
FROM fit, unnest((t).parts) AS p ORDER BY history, p.name;
SELECT history, f.name, f.choice_start, f.choice, f.value > 0.3 AND f.low < 0.6 AND f.high > 0.6 AS truth_in_interval
FROM fit, unnest((t).fitted) AS f WHERE f.name IN ('log_odds', 'margin', 'form') ORDER BY history, f.name;
SELECT history, (t).held_out_gain > 2 * (t).held_out_gain_error AS gains, (t).held_out_gain > 0.01 AS much,
    (t).held_out_gain = (t).held_out_log_loss_before - (t).held_out_log_loss OR
        abs((t).held_out_gain - (t).held_out_log_loss_before + (t).held_out_log_loss) < 1e-12 AS same,
    (t).params ->> 'margin' AS margin, (t).log_odds <> 0 AS has_log_odds, (t).converged, (t).warnings
FROM fit ORDER BY history;

-- The held-out score is that of rate() with what was found, where the side's log-odds are given.
SELECT abs((t).held_out_log_loss - held_out) < 1e-12 AS same
FROM fit, LATERAL (
    SELECT skillrating.log_loss((r).win_probability, (r).score) FILTER (WHERE match_id > 4000) AS held_out
    FROM (SELECT match_id, side, skillrating.rate('elo', player_id, side, team_score => score, side => side,
            log_odds => (t).log_odds, options => (t).params) OVER (ORDER BY match_id) AS r
        FROM history AS h WHERE h.history = fit.history) AS q
    WHERE side = 1) AS s
WHERE history = 'plenty';

-- What is held out is never seen: with other results there all that is found has the same bits.
SELECT (other).params = (t).params AND (other).log_odds = (t).log_odds AND (other).parts = (t).parts AND (other).fitted = (t).fitted AS same_fit,
    (other).log_loss = (t).log_loss AS same_score, (other).held_out_log_loss <> (t).held_out_log_loss AS other_score
FROM fit, LATERAL (
    SELECT skillrating.tune('elo', match_id, player_id, side, NULL::float8,
        skillrating.inputs(played_at => played_at, side => side, team_score => CASE WHEN match_id > 4000 THEN -score ELSE score END), '{"parts": ["margin", "normal", "sum", "log_odds"]}' ORDER BY match_id) AS other
    FROM history AS h WHERE h.history = fit.history) AS o
WHERE history = 'plenty';

-- Only parts that are named.
SELECT (p).name, (p).taken FROM (
    SELECT unnest((skillrating.tune('elo', match_id, player_id, side, rank, skillrating.inputs(side => side), '{"fit": ["k"], "parts": ["log_odds", "sum"]}' ORDER BY match_id)).parts) AS p
    FROM history WHERE history = 'plenty' AND match_id <= 1000) AS q ORDER BY 1;
-- None for which there is nothing: no scores, no sides, no times.
SELECT (skillrating.tune('weng_lin', match_id, player_id, side, rank, NULL, '{"fit": ["tau"], "parts": ["margin", "drift", "log_odds"]}' ORDER BY match_id)).parts
FROM history WHERE history = 'plenty' AND match_id <= 500;

-- Where nobody has drawn no draws are expected, unless params say so; draws held out do not count.
SELECT drawn, options, (t).params ->> 'draw_probability' AS draw_probability, (t).params ->> 'draw_sigma' AS draw_sigma, ARRAY(SELECT p.name FROM unnest((t).parts) AS p) AS parts
FROM (VALUES ('none'), ('last'), ('some')) AS d(drawn), (VALUES ('{"parts": ["draw"]}'::jsonb), ('{"parts": ["draw"], "params": {"draw_probability": 0.05}}')) AS o(options),
    LATERAL (SELECT skillrating.tune('state_space', match_id, player_id, side,
        CASE WHEN match_id % 5 = 0 AND (drawn = 'some' OR drawn = 'last' AND match_id > 450) THEN 1 ELSE rank END, NULL, options || '{"fit": ["initial_sigma"]}' ORDER BY match_id) AS t
    FROM history WHERE history = 'plenty' AND match_id <= 500) AS q WHERE drawn <> 'some' OR NOT options ? 'params' ORDER BY drawn, options;
-- Numbers whose default is 0 are fitted without bounds; there is no drift, and 0 is found.  The prior keeps it from 0 itself, where 4000 matches speak against all that is large.
SELECT options, f.name, f.start, f.value = 0 AS is_zero, f.value < 0.05 AS is_small, f.at_bound, t.held_out_gain > 0 AS gains, t.warnings FROM (VALUES ('{}'::jsonb), ('{"priors": false}')) AS o(options), LATERAL (
    SELECT (skillrating.tune('trueskill', match_id, player_id, side, rank, skillrating.inputs(played_at => played_at),
        '{"params": {"draw_probability": 0, "tau": 0}}' || options || '{"fit": ["initial_sigma", "drift"]}' ORDER BY match_id)).* FROM history WHERE history = 'plenty') AS t, unnest(t.fitted) AS f WHERE f.name = 'drift';
-- Without priors the likelihood can only be better, and what few matches run away with shows; both give the likelihood, and 4000 matches move little.
SELECT matches, p.name, round(abs(ln(p.value / f.value))::numeric, 1) AS moved, (q.t).log_loss BETWEEN (o.t).log_loss - 1e-9 AND (o.t).log_loss + 2.0 / matches AS costs_little
FROM (VALUES (60), (4000)) AS m(matches),
    LATERAL (SELECT skillrating.tune('elo', match_id, player_id, side, rank, NULL, '{"fit": ["k"], "holdout": 0}' ORDER BY match_id) AS t FROM history WHERE history = 'plenty' AND match_id <= matches) AS q,
    LATERAL (SELECT skillrating.tune('elo', match_id, player_id, side, rank, NULL, '{"fit": ["k"], "holdout": 0, "priors": false}' ORDER BY match_id) AS t FROM history WHERE history = 'plenty' AND match_id <= matches) AS o,
    unnest((q.t).fitted) AS p, unnest((o.t).fitted) AS f ORDER BY matches;
-- Choices and flags, and a number for which 0 stands for something else.
SELECT f.name, f.choice_start, f.choice, f.value FROM (
    SELECT skillrating.tune('elo', match_id, player_id, side, NULL::float8, skillrating.inputs(team_score => score), '{"fit": ["margin", "strength", "k"]}' ORDER BY match_id) AS t
    FROM history WHERE history = 'plenty') AS q, unnest((t).fitted) AS f WHERE f.choice IS NOT NULL ORDER BY f.name;
SELECT f.name, f.start, f.value > 0 AS is_on, f.choice_start, f.choice FROM (
    SELECT skillrating.tune('weng_lin', match_id, player_id, side, NULL::float8, skillrating.inputs(team_score => score), '{"fit": ["margin", "balance"], "params": {"tau": 0}}' ORDER BY match_id) AS t
    FROM history WHERE history = 'plenty') AS q, unnest((t).fitted) AS f ORDER BY f.name;
-- The log-odds of a side alone.
SELECT f.name, f.low < 0.6 AND f.high > 0.6 AS truth_in_interval, f.value = (t).log_odds AS same FROM (
    SELECT skillrating.tune('glicko', match_id, player_id, side, rank, skillrating.inputs(side => side), '{"fit": ["log_odds", "initial_deviation"], "params": {"c": 0}}' ORDER BY match_id) AS t
    FROM history WHERE history = 'plenty') AS q, unnest((t).fitted) AS f WHERE f.name = 'log_odds';

-- Too few matches for so many parameters, and for parts; without priors they run to bounds.
SELECT options, (t).warnings FROM (VALUES ('{"parts": true}'::jsonb), ('{"parts": true, "priors": false}')) AS o(options), LATERAL (
    SELECT skillrating.tune('trueskill', match_id, player_id, side, rank,
        skillrating.inputs(played_at => played_at), options || '{"fit": ["initial_sigma", "beta", "tau", "drift", "draw_probability", "initial_mu"]}' ORDER BY match_id) AS t
    FROM history WHERE history = 'few') AS q;
SELECT (t).warnings FROM (
    SELECT skillrating.tune('elo', match_id, player_id, side, rank, skillrating.inputs(side => side), '{"fit": ["k"], "parts": true, "max_evaluations": 100}' ORDER BY match_id) AS t
    FROM history WHERE history = 'noise') AS q;

-- Parts that are on by default are judged first where evaluations are short, and the fit is not worse than the start, which has them.
SELECT model, p.name, p.taken, p.gain > 2 * p.standard_error AS gains, (t).held_out_gain > -0.001 AS not_worse, (t).warnings
FROM (SELECT 'state_space' AS model, skillrating.tune('state_space', match_id, player_id, side, rank, skillrating.inputs(played_at => played_at, side => side, team_score => score),
        '{"fit": ["initial_sigma"], "parts": true, "max_evaluations": 150}' ORDER BY match_id) AS t FROM history WHERE history = 'plenty' AND match_id <= 3000) AS q, unnest((t).parts) AS p
WHERE p.taken ORDER BY p.name;
-- They stay on where matches are too few to judge any.
SELECT p.name, p.taken, p.gain IS NULL AS unjudged, (t).params -> 'home_sigma' = (SELECT parameters FROM skillrating.models('state_space', '{}')) -> 'home_sigma' AS same
FROM (SELECT skillrating.tune('state_space', match_id, player_id, side, rank, skillrating.inputs(side => side), '{"fit": ["initial_sigma"], "parts": ["home", "newcomer_offset"]}' ORDER BY match_id) AS t
    FROM history WHERE history = 'plenty' AND match_id <= 90) AS q, unnest((t).parts) AS p ORDER BY p.name;
-- A game that was chance until it changed: what fits the earlier matches forecasts the later ones worse than the start does, which is kept as it is.
SELECT (t).params = (SELECT parameters FROM skillrating.models('elo', '{}')) AS same, (t).held_out_gain, (t).log_loss = (t).log_loss_before AS same_score, f.name, f.value = f.start AS is_start, f.low IS NULL AS no_interval,
    (t).converged, (t).stopped, (t).starts, split_part((t).warnings[1], ',', 1) AS warning
FROM (SELECT skillrating.tune('elo', match_id, player_id, side, CASE WHEN match_id < 2700 THEN 1 + (side + match_id * (match_id + 1) / 2) % 2 ELSE rank END, NULL, '{"fit": ["k"], "parts": ["normal"]}' ORDER BY match_id) AS t
    FROM history WHERE history = 'plenty') AS q, unnest((t).fitted) AS f;

-- Mistakes.
\set ECHO none
CREATE FUNCTION try(model text, fit text[], options jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    PERFORM skillrating.tune(try.model, match_id, player_id, side, rank, NULL, coalesce(options, '{}') || jsonb_build_object('fit', fit) ORDER BY match_id) FROM history AS h WHERE h.history = 'few';
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', sqlstate, sqlerrm, nullif(hint, ''));
END
$$;
\set ECHO all
SELECT try(model, fit, options::jsonb) FROM (VALUES
    ('elo', '{k_by_games}'::text[], '{}'), ('elo', '{log_odds}', '{}'), ('elo', '{log_odds,log_odds}', '{}'), ('elo', '{margin}', '{"bounds": {"margin": [1, 2]}}'),
    ('elo', '{k}', '{"parts": ["home"]}'), ('glicko', '{c}', '{"parts": ["home"]}'), ('elo', '{k}', '{"parts": "all"}'), ('elo', '{k}', '{"priors": 1}'), ('elo', '{k}', '{"starts": 0}'), ('elo', '{k}', '{"starts": 17}'),
    ('weng_lin', '{variant,gamma,strength,margin_form,weights}', '{}'), ('elo', '{form,form}', '{}')) AS m(model, fit, options);

DROP FUNCTION simulate, try;
DROP VIEW history;
DROP TABLE simulated, fit;
