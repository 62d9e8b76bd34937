-- rate_match(): rate() over a row a match, whose players are arrays.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA regress_rate_match;
SET search_path = regress_rate_match;
SET timezone = 'UTC';
\set ECHO all

-- Matches of two to four teams, with all that can be said of them, some of it wrong or unknown.
\set ECHO none
CREATE TABLE participant AS
SELECT m AS match_id, '2020-01-01'::timestamptz + m * interval '7 hours' AS played_at, p AS place, 'p' || (m * 31 + p * 7) % 41 AS player_id,
    p % (2 + m % 3 / 2 * (m % 2 + 1)) AS team, CASE WHEN m % 29 <> 0 THEN (1 + hashint4(m + p % (2 + m % 3 / 2 * (m % 2 + 1))) % 3 + 2)::float8 END AS rank,
    CASE WHEN m % 5 = 0 THEN 0.25 * (1 + p % 4) END AS weight, CASE WHEN m % 7 = 0 THEN p % 2 = 0 END AS won,
    CASE WHEN m % 11 = 0 THEN 1 + p % 2 END::float8 AS side, CASE WHEN m % 6 = 0 THEN p / 2 END::float8 AS squad,
    CASE WHEN m % 4 = 0 THEN p::float8 END AS kills, CASE WHEN m % 4 = 0 THEN 2::float8 END AS deaths, CASE WHEN m % 13 = 0 THEN p = 1 END AS quit,
    CASE WHEN m % 3 = 0 THEN 'solo' ELSE '' END AS pool, CASE WHEN m % 8 = 0 THEN 0.1 END AS log_odds,
    CASE WHEN m % 9 = 0 THEN 0.5 END AS gain, CASE WHEN m % 37 = 0 THEN 'abandoned' END AS unrated_reason,
    CASE WHEN p % 2 = 0 THEN 'map ' || m % 3 END AS context, m / 50 AS season
FROM generate_series(1, 160) AS m, generate_series(0, 3 + m % 4) AS p;
\set ECHO all
UPDATE participant SET player_id = 'p1' WHERE match_id = 50;
UPDATE participant SET rank = 'NaN' WHERE match_id = 60 AND place = 1;
UPDATE participant SET player_id = NULL WHERE match_id = 70 AND place = 2;
UPDATE participant SET team = 1 WHERE match_id = 80;
\set ECHO none
CREATE TABLE match AS
SELECT match_id, played_at, array_agg(player_id ORDER BY place) AS players, array_agg(team ORDER BY place) AS team, array_agg(rank ORDER BY place) AS rank,
    array_agg(weight ORDER BY place) AS weight, nullif(array_agg(won ORDER BY place), '{NULL,NULL,NULL,NULL}') AS won, array_agg(side ORDER BY place) AS side,
    array_agg(squad ORDER BY place) AS squad, array_agg(kills ORDER BY place) AS kills, array_agg(deaths ORDER BY place) AS deaths,
    array_agg(quit ORDER BY place) AS quit, min(pool) AS pool, min(log_odds) AS log_odds, array_agg(gain ORDER BY place) AS gain,
    min(unrated_reason) AS unrated_reason, array_agg(context ORDER BY place) AS context, min(season) AS season
FROM participant GROUP BY 1, 2;
\set ECHO all

-- Bit for bit the same, under every model.
\set ECHO none
CREATE FUNCTION compare(model text, params jsonb, start skillrating.final_rating[] DEFAULT NULL)
RETURNS TABLE (model text, rows bigint, rated bigint, predicted bigint, unrated bigint, same boolean) LANGUAGE sql AS $$
WITH by_row AS (
    SELECT match_id, place, player_id, skillrating.rate(compare.model, player_id, team, rank, weight, played_at, won => won, side => side, squad => squad,
        kills => kills, deaths => deaths, quit => quit, pool => pool, log_odds => log_odds, player_gain => gain, unrated_reason => unrated_reason, context => context,
        season => season, options => coalesce(compare.params, '{}') || '{"season_keep": 0.7}', start => compare.start) OVER (ORDER BY played_at, match_id) AS r
    FROM participant),
by_match AS (
    SELECT match_id, players, skillrating.rate_match(compare.model, players, team, rank, weight, played_at, won => won, side => side, squad => squad,
        kills => kills, deaths => deaths, quit => quit, pool => pool, log_odds => log_odds, player_gain => gain, unrated_reason => unrated_reason, context => context,
        season => season, options => coalesce(compare.params, '{}') || '{"season_keep": 0.7}', start => compare.start) OVER (ORDER BY played_at, match_id) AS r
    FROM match),
spread AS (
    SELECT match_id, i - 1 AS place, players[i] AS player_id, (r).rating_before[i], (r).rating_after[i], (r).mu_before[i], (r).mu_after[i], (r).deviation_before[i],
        (r).deviation_after[i], (r).games_before[i], (r).score[i], (r).win_probability[i], (r).sole_win_probability[i],
        CASE WHEN (r).win_probability IS NOT NULL THEN (r).draw_probability END AS draw_probability,
        (r).loss_probability[i], (r).first_probability[i], (SELECT array_agg(v ORDER BY c) FROM generate_subscripts((r).state_before, 2) AS c, LATERAL (SELECT (r).state_before[i][c] AS v) AS x) AS state_before,
        (SELECT array_agg(v ORDER BY c) FROM generate_subscripts((r).state_after, 2) AS c, LATERAL (SELECT (r).state_after[i][c] AS v) AS x) AS state_after,
        (r).unrated_reason, (r).unrated_detail
    FROM by_match, generate_subscripts(players, 1) AS i)
SELECT compare.model, count(*), count((b.r).score), count((b.r).win_probability) - count((b.r).score), count((b.r).unrated_reason),
    bool_and((s.rating_before, s.rating_after, s.mu_before, s.mu_after, s.deviation_before, s.deviation_after, s.games_before, s.score, s.win_probability,
        s.sole_win_probability, s.draw_probability, s.loss_probability, s.first_probability, s.state_before, s.state_after, s.unrated_reason, s.unrated_detail)
        IS NOT DISTINCT FROM ((b.r).rating_before, (b.r).rating_after, (b.r).mu_before, (b.r).mu_after, (b.r).deviation_before, (b.r).deviation_after,
        (b.r).games_before, (b.r).score, (b.r).win_probability, (b.r).sole_win_probability, (b.r).draw_probability, (b.r).loss_probability, (b.r).first_probability,
        (b.r).state_before, (b.r).state_after, (b.r).unrated_reason, (b.r).unrated_detail)
        OR b.match_id = 70)
FROM by_row AS b FULL JOIN spread AS s USING (match_id, place)
$$;
\set ECHO all
SELECT string_agg(c.model, ' ' ORDER BY c.model), c.rows, rated, predicted, unrated, same FROM skillrating.models() AS m, compare(m.name, NULL) AS c GROUP BY 2, 3, 4, 5, 6 ORDER BY 1;
-- With parameters, components, and players who start elsewhere.
SELECT c.* FROM compare('state_space', '{"player_context_sigma": 0.3, "home_sigma": 0.2}') AS c;
SELECT c.* FROM compare('elo', '{"k": 40}', ARRAY[skillrating.starting_rating('p1', 1900, pool => 'solo', games => 30)]) AS c;
-- Who is nobody: nothing is said of anyone.
SELECT r.unrated_reason, r.unrated_detail, r.rating_before IS NULL AND r.state_after IS NULL AND r.games_before IS NULL AS nothing
FROM (SELECT match_id, (skillrating.rate_match('elo', players, team, rank) OVER (ORDER BY match_id)).* FROM match) AS r WHERE match_id = 70;

-- Periods; whole numbers as players; arrays that are null or empty.
SELECT match_id, ARRAY(SELECT round(x::numeric, 3) FROM unnest((r).rating_after) AS x) AS rating_after, (r).games_before, array_dims((r).state_after) AS state_after, (r).unrated_reason FROM
    (SELECT match_id, skillrating.rate_match('elo', players, team, rank, period => match_id) OVER (ORDER BY match_id) AS r
     FROM (VALUES (1, ARRAY[7, 8], ARRAY[1, 2], ARRAY[1, 2]::float8[]), (2, ARRAY[8, 7, 9], ARRAY[1, 2, 2], ARRAY[2, 1, 1]),
        (3, '{}', '{}', '{}'), (4, NULL, NULL, NULL), (5, ARRAY[9, 7], NULL, ARRAY[1, 2]), (6, ARRAY[9, 7], ARRAY[1, 2], NULL)) AS v (match_id, players, team, rank)) AS q ORDER BY 1;
SELECT part, ARRAY(SELECT round(x::numeric, 3) FROM unnest((r).rating_after) AS x) AS rating_after FROM
    (SELECT part, skillrating.rate_match('elo', players, ARRAY[1, 2], ARRAY[1, 2]) OVER (PARTITION BY part ORDER BY match_id) AS r
     FROM (VALUES (1, 1, ARRAY['a', 'b']), (1, 2, ARRAY['a', 'b']), (2, 3, ARRAY['a', 'b'])) AS v (part, match_id, players)) AS q ORDER BY part, r;

-- An array of another length keeps its match from being rated, and no other.
SELECT match_id, ARRAY(SELECT round(x::numeric, 3) FROM unnest((r).rating_after) AS x) AS rating_after, (r).unrated_reason, (r).unrated_detail FROM
    (SELECT match_id, skillrating.rate_match('elo', players, team, rank) OVER (ORDER BY match_id) AS r
     FROM (VALUES (1, ARRAY[7, 8], ARRAY[1, 2], ARRAY[1, 2]::float8[]), (2, ARRAY[7, 8], ARRAY[1, 2, 3], ARRAY[1, 2]), (3, NULL, ARRAY[1, 2], ARRAY[1, 2]),
        (4, ARRAY[8, 7], ARRAY[1, 2], ARRAY[1]), (5, ARRAY[7, 8], ARRAY[1, 2], ARRAY[2, 1])) AS v (match_id, players, team, rank)) AS q ORDER BY 1;

-- Errors.
SELECT skillrating.rate_match('elo', players, team, rank) OVER (ORDER BY pool) FROM match;
SELECT skillrating.rate_match('elo', players, team, rank) OVER () FROM match;
SELECT skillrating.rate_match('elo', players, team, rank) OVER (ORDER BY match_id ROWS UNBOUNDED PRECEDING) FROM match;
SELECT skillrating.rate_match('elo', players, team, rank[2:], options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM match;
SELECT skillrating.rate_match('elo', players, team, ARRAY[rank, rank]) OVER (ORDER BY match_id) FROM match;
SELECT skillrating.rate_match('elo', players, team, rank, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM match WHERE match_id NOT IN (50);
SELECT skillrating.rate_match('elo', players, team, rank, options => '{"strict_rows": null}') OVER (ORDER BY match_id) FROM match;
SELECT skillrating.rate_match(NULL, players, team, rank) OVER (ORDER BY match_id) FROM match;
SELECT skillrating.rate_match('elo', ARRAY['{}'::json], ARRAY[1], ARRAY[1]) OVER (ORDER BY match_id) FROM match;

DROP SCHEMA regress_rate_match CASCADE;
