-- rate() and final_ratings() from given states, rows without a result, and no look ahead: for all
-- models, with everything that a source can say.
\pset format unaligned
\pset tuples_only on
SELECT setseed(0.2718);
\set ECHO none
CREATE TABLE results AS
WITH m AS MATERIALIZED (
    SELECT i AS match_id, '2021-01-01'::timestamptz + i / 3 * interval '31 hours' AS played_at, 2020 + i / 60 + (i >= 180)::int * 4 AS season,
        CASE WHEN random() < 0.15 THEN 3 + (random() < 0.5)::int ELSE 2 END AS teams,
        1 + floor(random() * 3)::int AS size, random() < 0.3 AS stints, random() < 0.3 AS sides, random() < 0.5 AS by_score,
        random() < 0.2 AS drawn, CASE WHEN random() < 0.3 THEN 'b' ELSE 'a' END AS pool,
        CASE WHEN random() < 0.3 THEN random() - 0.5 END AS log_odds, CASE WHEN random() < 0.05 THEN 'a test match' END AS unrated_reason
    FROM generate_series(1, 240) AS i
), p AS MATERIALIZED (
    SELECT m.*, t AS team, 'player ' || ((t * m.size + n) * 7 + m.match_id * 13 + floor(random() * 2)::int) % 29 AS player_id, n,
        random() AS luck, random() AS other
    FROM m, generate_series(1, m.teams) AS t, generate_series(1, m.size) AS n
)
SELECT match_id, played_at, season, player_id, team, pool,
    CASE WHEN NOT by_score THEN (CASE WHEN drawn THEN 1 ELSE 1 + (team + match_id) % teams END)::float8 END AS rank,
    CASE WHEN by_score THEN (CASE WHEN drawn THEN 3 ELSE (team * 5 + match_id) % 4 END)::float8 END AS score,
    CASE WHEN NOT stints AND luck < 0.3 THEN 0.5 END AS weight,
    CASE WHEN stints THEN floor(luck * 200) END AS joined, CASE WHEN stints THEN 300 + floor(other * 300) END AS left_at,
    CASE WHEN n = 1 AND sides THEN 0.75 END AS commanding, CASE WHEN sides AND teams = 2 THEN team::float8 END AS side,
    CASE WHEN size > 1 AND n < 3 AND luck < 0.8 THEN team::float8 END AS squad,
    CASE WHEN other < 0.8 THEN floor(other * 20) END AS kills, CASE WHEN other < 0.8 THEN floor(luck * 20) END AS deaths,
    CASE WHEN teams = 2 THEN log_odds END AS log_odds, CASE WHEN (n + team + match_id) % 4 = 0 THEN n - 0.5 END AS gain,
    CASE WHEN other < 0.9 THEN 'map ' || match_id % 5 END AS context, CASE WHEN n = 1 THEN 'club ' || team * match_id % 4 END AS club, unrated_reason
FROM p;
CREATE TABLE trial(model text, params jsonb);
INSERT INTO trial VALUES ('elo', '{}'), ('elo', '{"k_by_games": [[5, 60]], "margin": "ln", "margin_autocorrelation": 0.0005, "strength": "sum"}'), ('frag', '{}'), ('glicko', '{}'),
    ('glicko2', '{"tau": 0.8}'), ('elo_mmr', '{"form": "logistic"}'), ('hive', '{}'), ('synelo', '{}'), ('trueskill', '{"beta": 3}'), ('trueskill', '{"recalibration_deviation": 0.5, "recalibration_side_deviation": 0.3, "recalibration_half_life_days": 200}'), ('trueskill2', '{}'), ('trueskill2', '{"initial_base_sigma": 3}'),
    ('weng_lin', '{}'), ('weng_lin', '{"variant": "thurstone_mosteller_full"}'), ('state_space', '{}'),
    ('state_space', '{"drift": 0.1, "home_drift": 0.1, "club_drift": 0.1, "margin": 1, "initial_side_sigma": 0.3, "newcomer_company": 0.2}');
\set ECHO all
-- Those of the registry that are not in the list take part as they are.
INSERT INTO trial SELECT name, '{}' FROM skillrating.models() WHERE name NOT IN (SELECT model FROM trial);

-- A history with all arguments, of which some may be changed or left out.
\set ECHO none
CREATE TYPE seen AS (match_id int, player_id text, team int, r skillrating.rated);
CREATE FUNCTION history(matches results[], model text, params jsonb, start skillrating.final_rating[] DEFAULT NULL, components skillrating.final_component[] DEFAULT NULL) RETURNS SETOF seen LANGUAGE sql AS $$
    SELECT match_id, player_id, team, skillrating.rate(model, player_id, team, rank, weight, played_at, score, NULL, joined, left_at, commanding, side, squad,
        kills, deaths, NULL, NULL, pool, log_odds, gain, unrated_reason, context => context, club => club, season => season, options => params || '{"season_keep": 0.7, "season_mean": 3}', start => start, start_components => components)
        OVER (ORDER BY played_at, match_id)
    FROM unnest(matches) AS s
$$;
CREATE TYPE ends AS (ratings skillrating.final_rating[], components skillrating.final_component[]);
CREATE FUNCTION finals(matches results[], model text, params jsonb, start ends DEFAULT NULL) RETURNS ends LANGUAGE sql AS $$
    SELECT skillrating.final_ratings(model, match_id, player_id, team, rank, i, params || '{"season_keep": 0.7, "season_mean": 3}', (start).ratings, (start).components ORDER BY played_at, match_id),
        skillrating.final_components(model, match_id, player_id, team, rank, i, params || '{"season_keep": 0.7, "season_mean": 3}', (start).ratings, (start).components ORDER BY played_at, match_id)
    FROM unnest(matches) AS s, LATERAL (SELECT skillrating.inputs(weight, played_at, score, NULL, joined, left_at, commanding, side, squad,
        kills, deaths, NULL, NULL, pool, log_odds, gain, unrated_reason, context => context, club => club, season => season) AS i) AS i
$$;
CREATE FUNCTION matches(condition text) RETURNS results[] LANGUAGE plpgsql AS $$
DECLARE
    found results[];
BEGIN
    EXECUTE format('SELECT array_agg(r ORDER BY md5(player_id || match_id)) FROM results AS r WHERE %s', condition) INTO found;
    RETURN found;
END
$$;
\set ECHO all

-- To go on is to rate the whole, to the last bit: in the middle of a season, between two, and with
-- the results of others; the final ratings with all counts, and each row.
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), cuts, final_ratings, rows FROM (
WITH found AS MATERIALIZED (
    SELECT t.model, t.params, cut, finals(matches('true'), model, params) AS whole, finals(matches('match_id <= ' || cut), model, params) AS half
    FROM trial AS t, (VALUES (59), (100), (180)) AS c(cut)
)
SELECT model, params, count(*) AS cuts, bool_and(finals(matches('match_id > ' || cut), model, params, half) = whole) AS final_ratings,
    bool_and(NOT EXISTS (SELECT h FROM history(matches('match_id > ' || cut), model, params, (half).ratings, (half).components) AS h EXCEPT SELECT h FROM history(matches('true'), model, params) AS h)) AS rows
FROM found GROUP BY model, params
) AS q GROUP BY cuts, final_ratings, rows ORDER BY 1;
-- Synelo under strict looks back on matches that no state has.
SELECT (SELECT count(*) FROM (SELECT h FROM history(matches('match_id > 100'), 'synelo', '{"strict": true}', (finals(matches('match_id <= 100'), 'synelo', '{"strict": true}')).ratings) AS h
    EXCEPT SELECT h FROM history(matches('true'), 'synelo', '{"strict": true}') AS h) AS d) > 0 AS differs;

-- The last rows of rate() do as well, where no season begins, pools share nothing and there are no
-- components: no contexts for hive, here.
CREATE VIEW plain AS SELECT model, params || '{"size_advantage": "none"}' AS params FROM trial;
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), many, same FROM (
WITH q AS (
    SELECT t.model, t.params, s.*, skillrating.rate(t.model, player_id, team, rank, weight, played_at, score, pool => pool, options => t.params) OVER (PARTITION BY t.model, t.params ORDER BY played_at, match_id) AS r
    FROM plain AS t, results AS s WHERE NOT params ? 'initial_base_sigma' AND joined IS NULL AND (t.model = 'hive' OR NOT EXISTS (SELECT FROM unnest((SELECT components FROM skillrating.models(t.model, t.params))) WHERE used))
), s AS (
    SELECT model, params, array_agg(skillrating.starting_rating(player_id, state => (r).state_after, pool => pool, games => (r).games_before + 1, last_played => played_at)) AS start
    FROM (SELECT DISTINCT ON (model, params, player_id, pool) * FROM q WHERE match_id <= 100 AND (r).unrated_reason IS NULL ORDER BY model, params, player_id, pool, match_id DESC) AS l GROUP BY model, params
), g AS (
    SELECT t.model, t.params, match_id, player_id, team, skillrating.rate(t.model, player_id, team, rank, weight, played_at, score, pool => pool, options => t.params, start => t.start) OVER (PARTITION BY t.model, t.params ORDER BY played_at, match_id) AS r
    FROM s AS t, results AS s WHERE match_id > 100 AND joined IS NULL
)
SELECT model, params - 'size_advantage' AS params, count(*) > 200 AS many, bool_and(g.r = q.r) AS same FROM g JOIN q USING (model, params, match_id, player_id, team) GROUP BY model, params
) AS q GROUP BY many, same ORDER BY 1;

-- Matches without a result get a forecast, and change nothing: as if they were not there.
CREATE FUNCTION without_results(matches results[], divisor int) RETURNS results[] LANGUAGE sql AS $$
    SELECT array_agg((match_id, played_at, season, player_id, team, pool, CASE WHEN match_id % divisor > 0 THEN rank END, CASE WHEN match_id % divisor > 0 THEN score END, weight, joined, left_at, commanding, side, squad,
        kills, deaths, log_odds, gain, context, club, unrated_reason)::results) FROM unnest(matches) AS m
$$;
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), final_ratings, rows, forecasts FROM (
SELECT model, params, finals(without_results(matches('true'), 6), model, params) = finals(matches('match_id % 6 > 0'), model, params) AS final_ratings,
    NOT EXISTS ((SELECT h FROM history(without_results(matches('true'), 6), model, params) AS h WHERE match_id % 6 > 0) EXCEPT (SELECT h FROM history(matches('match_id % 6 > 0'), model, params) AS h)) AS rows,
    (SELECT bool_and((f.r).unrated_reason = 'no_result' AND (f.r).state_after = (f.r).state_before AND (f.r).score IS NULL AND (f.r).win_probability BETWEEN 0 AND 1)
        FROM history(without_results(matches('true'), 6), model, params) AS f JOIN history(matches('true'), model, params) AS h USING (match_id, player_id, team)
        WHERE match_id % 6 = 0 AND (h.r).unrated_reason IS NULL) AS forecasts
FROM trial
) AS q GROUP BY final_ratings, rows, forecasts ORDER BY 1;
-- What is forecast is what rating says it was: the states, the games, and all probabilities.  Match
-- 60 and match 180 begin seasons.
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), matches, same FROM (
SELECT t.model, t.params, count(DISTINCT last) AS matches, bool_and(((f.r).state_before, (f.r).games_before, (f.r).win_probability, (f.r).sole_win_probability, (f.r).draw_probability, (f.r).loss_probability, (f.r).first_probability)
    IS NOT DISTINCT FROM ((h.r).state_before, (h.r).games_before, (h.r).win_probability, (h.r).sole_win_probability, (h.r).draw_probability, (h.r).loss_probability, (h.r).first_probability)) AS same
FROM trial AS t, (VALUES (60), (141), (180), (240)) AS c(last), history(matches('match_id <= ' || last), t.model, t.params) AS h,
    history(without_results(matches('match_id <= ' || last), last), t.model, t.params) AS f
WHERE h.match_id = last AND f.match_id = last AND h.player_id = f.player_id AND h.team = f.team AND (h.r).unrated_reason IS NULL
GROUP BY t.model, t.params
) AS q GROUP BY matches, same ORDER BY 1;

-- No look ahead: whatever the results behind match i are, or whether there are any, all that is said
-- before they are known stays the same, and for match i + 1 all that is known before it.
\set ECHO none
CREATE FUNCTION other_results(matches results[], last int, way int) RETURNS results[] LANGUAGE sql AS $$
    SELECT array_agg(CASE WHEN match_id <= last THEN m ELSE (match_id, played_at, season, player_id, team, pool, CASE way WHEN 1 THEN 1 + (team * 7 + match_id) % 3 + 0 * rank WHEN 2 THEN NULL ELSE 1 + 0 * rank END,
        CASE way WHEN 1 THEN 30 * team + 0 * score WHEN 2 THEN NULL ELSE 0 * score END, weight, joined, left_at, commanding, side, squad, CASE way WHEN 1 THEN 99 - kills ELSE kills END, CASE way WHEN 1 THEN deaths * 5 ELSE deaths END, log_odds, gain, context, club, unrated_reason)::results END)
    FROM unnest(matches) AS m
$$;
\set ECHO all
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), many, same FROM (
WITH cuts AS MATERIALIZED (
    SELECT t.model, t.params, last, way, finals(matches('match_id <= 30'), t.model, t.params) AS start FROM trial AS t, (VALUES (45, 1), (119, 1), (119, 2), (137, 3), (200, 2)) AS c(last, way)
)
SELECT c.model, c.params, count(*) > 1000 AS many, bool_and(CASE WHEN h.match_id <= last THEN h.r IS NOT DISTINCT FROM o.r
    ELSE ((h.r).state_before, (h.r).win_probability, (h.r).sole_win_probability, (h.r).draw_probability, (h.r).loss_probability, (h.r).first_probability) IS NOT DISTINCT FROM
        ((o.r).state_before, (o.r).win_probability, (o.r).sole_win_probability, (o.r).draw_probability, (o.r).loss_probability, (o.r).first_probability) END) AS same
FROM cuts AS c, LATERAL (SELECT h.* FROM history(matches('match_id > 30'), c.model, c.params, (c.start).ratings, (c.start).components) AS h) AS h
    JOIN LATERAL (SELECT o.* FROM history(other_results(matches('match_id > 30'), last, way), c.model, c.params, (c.start).ratings, (c.start).components) AS o) AS o USING (match_id, player_id, team)
WHERE match_id <= last + 1 GROUP BY c.model, c.params
) AS q GROUP BY many, same ORDER BY 1;

-- Probabilities of the outcomes: of two teams under models that know draws, as predict() has them,
-- and of the first place among more.
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), knows_draws, adds_up, first, draws_of_many FROM (
SELECT t.model, t.params, count((h.r).draw_probability) > 0 AS knows_draws,
    bool_and(abs((h.r).sole_win_probability + (h.r).draw_probability + (h.r).loss_probability - 1) < 1e-12 AND abs((h.r).sole_win_probability + (h.r).draw_probability / 2 - (h.r).win_probability) < 1e-12) AS adds_up,
    bool_and(((h.r).first_probability IS NULL) = (teams = 2)) AS first, bool_or(teams > 2 AND (h.r).draw_probability IS NOT NULL) AS draws_of_many
FROM trial AS t, history(matches('unrated_reason IS NULL'), t.model, t.params) AS h JOIN (SELECT match_id, max(team) AS teams FROM results GROUP BY match_id) AS m USING (match_id)
WHERE (h.r).unrated_reason IS NULL GROUP BY t.model, t.params
) AS q GROUP BY knows_draws, adds_up, first, draws_of_many ORDER BY 1;
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), many, as_predicted FROM (
WITH q AS (
    SELECT t.model, t.params, match_id, player_id, team, skillrating.rate(t.model, player_id, team, rank, team_score => score, options => t.params) OVER (PARTITION BY t.model, t.params ORDER BY match_id) AS r
    FROM plain AS t, results WHERE joined IS NULL
), d AS (
    SELECT model, params, match_id, min((r).draw_probability) AS draw, min((r).win_probability) FILTER (WHERE team = 1) AS win, array_agg((r).state_before ORDER BY player_id, team) AS state, array_agg(team ORDER BY player_id, team) AS team
    FROM q WHERE (r).draw_probability IS NOT NULL AND (r).unrated_reason IS NULL AND NOT EXISTS (SELECT FROM unnest((SELECT components FROM skillrating.models(model, params))) WHERE used) GROUP BY model, params, match_id HAVING count(DISTINCT player_id) = count(*)
)
SELECT d.model, d.params - 'size_advantage' AS params, count(*) > 50 AS many, bool_and(p.draw_probability = d.draw AND p.win_probability = d.win) AS as_predicted
FROM d, skillrating.predict(d.model, d.state, d.team, params => d.params) AS p WHERE p.team = 1 GROUP BY d.model, d.params
) AS q GROUP BY many, as_predicted ORDER BY 1;

-- Identifiers are of the type of the history, whatever that is.
CREATE VIEW bouts AS SELECT * FROM (VALUES (1, 7, 1), (1, 8, 2), (2, 8, 1), (2, 9, 2)) AS v(match_id, player_id, team);
SELECT match_id, player_id, round((r).rating_before::numeric, 2) AS before, (r).games_before
FROM (SELECT *, skillrating.rate('elo', player_id, team, team, start => (SELECT array_agg(skillrating.starting_rating(id, elo, games => 12)) FROM (VALUES (7, 1600), (9, 1450.5), (10, 1700)) AS s(id, elo))) OVER (ORDER BY match_id) AS r FROM bouts) AS q ORDER BY match_id, player_id;
SELECT f.player_id, round(f.rating::numeric, 2) AS rating, f.deviation IS NULL AS no_deviation, f.games, f.wins, f.losses, f.as_of_season FROM (SELECT skillrating.final_ratings('elo', match_id, player_id, team, team, NULL, NULL, ARRAY[skillrating.starting_rating('7', 1600), skillrating.starting_rating(10, 1700, as_of_season => 5)], NULL ORDER BY match_id) AS ratings FROM bouts) AS q, unnest(ratings) AS f;
SELECT (r).state_before FROM (SELECT skillrating.rate('glicko', md5(player_id::text)::uuid, team, team, start => ARRAY[skillrating.starting_rating(md5('7')::uuid, 1600, 80), skillrating.starting_rating(md5('8')::uuid, state => '{1650}'), skillrating.starting_rating(md5('9')::uuid, state => '{NULL,60}')]) OVER (ORDER BY match_id) AS r FROM bouts) AS q;
-- Partitions start as their first row says, and idle time counts from the last match.
SELECT s, (r).state_before FROM (SELECT s, skillrating.rate('glicko', player_id, team, team, played_at => '2024-03-01', options => '{"c": 10, "period_days": 1}', start => ARRAY[skillrating.starting_rating(7, 1500 + s, 50, last_played => '2024-02-01')]) OVER (PARTITION BY s ORDER BY match_id) AS r, player_id FROM bouts, generate_series(1, 2) AS s) AS q WHERE player_id = 7 ORDER BY s;
-- Components, too: an edge that is known, and of what there is no state it is that of the first match.
WITH q AS (
    SELECT n, skillrating.rate('state_space', player_id, team, team, side => team, context => 'here', start_components => CASE n WHEN 1 THEN ARRAY[('home', '', NULL, NULL, 0.5, 0.01, 40, NULL, NULL, NULL)]::skillrating.final_component[]
        WHEN 2 THEN ARRAY[('player_context', NULL, 'here', 7, NULL, NULL, NULL, NULL, '{0.25}', NULL), ('player_context', NULL, 'there', 7, 9, NULL, NULL, NULL, NULL, NULL)]::skillrating.final_component[] END) OVER (PARTITION BY n ORDER BY match_id) AS r, match_id, player_id
    FROM bouts, generate_series(0, 2) AS n
)
SELECT n, (r).win_probability > 0.5 AS ahead FROM q WHERE match_id = 1 AND player_id = 7 ORDER BY n;
-- From skills that were solved: in units of the model.
SELECT player_id, round((r).rating_before::numeric, 1) AS rating FROM (SELECT *, skillrating.rate('elo', player_id, team, team, start => (SELECT array_agg(skillrating.starting_rating(e.player_id, 1500 + e.mu * (SELECT log_odds_unit FROM skillrating.models('elo'))))
    FROM (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, team) AS skills FROM bouts) AS s, unnest(s.skills) AS e)) OVER (ORDER BY match_id) AS r FROM bouts) AS q ORDER BY match_id, player_id;

-- What cannot be is an error.
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, 1600, games => -1)]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[('club', '', NULL, NULL, 1, 1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
\set VERBOSITY terse
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating('ann', 1600)]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(NULL::int, 1600)]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[NULL::skillrating.final_rating]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, 1600), skillrating.starting_rating('07', 1500)]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, 1600, 50)]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, state => '{1600,50}')]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, 'NaN')]) OVER (ORDER BY match_id) FROM bouts;
\echo :SQLSTATE
SELECT skillrating.rate('glicko', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, 1600, -1)]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, 1600, games => -1)]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, team, start => ARRAY[skillrating.starting_rating(7, 1600, last_played => 'infinity')]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('trueskill2', player_id, team, team, options => '{"initial_base_sigma": 3}', start => ARRAY[skillrating.starting_rating(7, 25, pool => '*')]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, team, NULL, NULL, ARRAY[skillrating.starting_rating(7, 'infinity')], NULL ORDER BY match_id) FROM bouts;

SELECT skillrating.rate('elo', player_id, team, team, start_components => ARRAY[('home', '', NULL, NULL, 1, 1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[(NULL, '', NULL, NULL, 1, 1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[NULL]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[('home', '', 'map', NULL, 1, 1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[('club', '', 'x', 7, 1, 1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[('club', '', 'x', NULL, 1, 1, 1, NULL, NULL, NULL), ('club', '', 'x', NULL, 1, 1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[('club', '', 'x', NULL, 1, -1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('state_space', player_id, team, team, start_components => ARRAY[('player_context', '', 'x', 'ann', 1, 1, 1, NULL, NULL, NULL)]::skillrating.final_component[]) OVER (ORDER BY match_id) FROM bouts;

\set ECHO none
DROP VIEW bouts;
DROP FUNCTION other_results, without_results, matches, finals, history;
DROP TYPE seen, ends;
DROP VIEW plain;
DROP TABLE results, trial;
\set ECHO all
