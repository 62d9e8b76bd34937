-- Seasons in rate() and final_ratings(), and what they need for published ratings.
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';
SELECT setseed(0.1618);
\set ECHO none
CREATE TABLE results AS
SELECT i AS match_id, '2020-01-01'::timestamptz + i * interval '5 days' AS played_at, CASE WHEN i < 50 THEN 10 WHEN i < 110 THEN 11 WHEN i < 115 THEN 15 ELSE 16 END AS season,
    CASE WHEN random() < 0.3 THEN 'b' ELSE 'a' END AS pool, t AS team, 'player ' || (t * 7 + n * 5 + i * (1 + n)) % 23 AS player_id,
    1 + (t + i) % 2 + (i % 9 = 0)::int * (1 - (t + i) % 2) AS rank, (1 + (t + i / 3) % 2)::float8 AS side, 'map ' || i % 3 AS context, 'club ' || (t + i) % 5 AS club
FROM generate_series(1, 170) AS i, generate_series(1, 2) AS t, generate_series(1, 2) AS n;
\set ECHO all
UPDATE results AS r SET pool = (SELECT min(pool) FROM results AS f WHERE f.match_id = r.match_id);
-- Some only come every other season.
DELETE FROM results WHERE match_id IN (SELECT match_id FROM results WHERE player_id IN ('player 1', 'player 2', 'player 3') AND season IN (11, 15));
DELETE FROM results WHERE match_id IN (SELECT match_id FROM results GROUP BY match_id HAVING count(DISTINCT player_id) < 4);
CREATE TABLE trial(model text, params jsonb);
INSERT INTO trial VALUES ('glicko', '{"c": 20, "period_days": 1}'), ('trueskill', '{"drift": 0.2}'), ('trueskill', '{"recalibration_deviation": 0.5, "recalibration_side_deviation": 0.3, "recalibration_half_life_days": 200}'), ('trueskill2', '{}'), ('trueskill2', '{"initial_base_sigma": 3}'), ('synelo', '{"strict": true}');
INSERT INTO trial VALUES ('state_space', '{"drift": 0.1, "home_drift": 0.1, "club_drift": 0.1, "initial_side_sigma": 0.3}');
INSERT INTO trial SELECT name, '{}' FROM skillrating.models() WHERE name NOT IN ('glicko', 'trueskill', 'trueskill2');

-- (What pools share moves on with matches in the other pool.)
-- The same, to the last bit, as a ladder that calls new_season() when the first match of each comes.
\set ECHO none
CREATE TABLE cut(season int);
CREATE VIEW mapping AS SELECT match_id, played_at, team, player_id, pool, side, context, club, rank::float8 AS rank FROM results WHERE season <= (SELECT c.season FROM cut AS c);
CREATE FUNCTION season_ladder(model text, params jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s record;
BEGIN
    DELETE FROM cut;
    INSERT INTO cut VALUES (0);
    SET LOCAL client_min_messages = warning;
    PERFORM skillrating.create_ladder('twin', model, params, source => 'mapping', attach => false);
    FOR s IN SELECT season, min(played_at) AS at FROM results GROUP BY season ORDER BY season LOOP
        IF s.season > 10 THEN
            PERFORM skillrating.new_season('twin', s.season::text, keep => 0.6, at => s.at);
        END IF;
        UPDATE cut SET season = s.season;
        PERFORM count(*) FROM skillrating.catch_up('twin', search => true);
    END LOOP;
END
$$;
CREATE FUNCTION compare(model text, params jsonb, OUT rated bigint, OUT differ bigint, OUT finals_differ bigint) LANGUAGE plpgsql AS $$
DECLARE
    before text;
    after text;
BEGIN
    PERFORM season_ladder(model, params);
    SELECT string_agg(quote_ident(c || '_before'), ', '), string_agg(quote_ident(c || '_after'), ', ') INTO before, after
    FROM skillrating.models(model, params) AS m, unnest(m.state_columns) AS c;
    EXECUTE format('
        WITH w AS MATERIALIZED (
            SELECT match_id, player_id, (r).state_before, (r).state_after, (r).games_before, (r).win_probability
            FROM (SELECT *, skillrating.rate($1, player_id, team, rank, played_at => played_at, pool => pool, side => side, context => context, club => club, season => season, options => $2 || ''{"season_keep": 0.6}'') OVER (ORDER BY match_id) AS r
                FROM (SELECT * FROM results ORDER BY md5(player_id || match_id)) AS s) AS q WHERE (r).unrated_reason IS NULL
        ), e AS MATERIALIZED (
            SELECT match_id, player_id, ARRAY[%s], ARRAY[%s], games_before, win_probability FROM twin.event WHERE kind = ''match''
        )
        SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM ((TABLE w EXCEPT ALL TABLE e) UNION ALL (TABLE e EXCEPT ALL TABLE w)) AS d)', before, after)
    INTO rated, differ USING model, params;
    EXECUTE format('
        WITH f AS (
            SELECT f.* FROM (SELECT skillrating.final_ratings($1, match_id, player_id, team, rank, skillrating.inputs(played_at => played_at, pool => pool, side => side, context => context, club => club, season => season), $2 || ''{"strict_rows": true, "season_keep": 0.6}'' ORDER BY match_id) AS ratings FROM results) AS q, unnest(ratings) AS f
        )
        SELECT count(*) FROM f FULL JOIN (SELECT * FROM twin.rating WHERE pool <> ''*'') AS r ON r.player_id = f.player_id AND r.pool = f.pool
        WHERE (r.games, r.wins, r.draws, r.losses, r.last_played) IS DISTINCT FROM (f.games, f.wins, f.draws, f.losses, f.last_played) OR f.as_of_season <> 16
            OR r.rating <> f.rating AND NOT $2 ? ''initial_base_sigma''')
    INTO finals_differ USING model, params;
    PERFORM skillrating.drop_ladder('twin');
END
$$;
\set ECHO all
SELECT string_agg(concat(t.model, nullif(t.params, '{}')), ' ' ORDER BY t.model, t.params::text), c.rated > 400 AS many, c.differ, c.finals_differ FROM trial AS t, compare(t.model, t.params) AS c GROUP BY 2, 3, 4;

-- One player in numbers: keep a half of the distance to 1600, in each season that is played, whoever
-- plays in it; what is absent takes the steps, too, and a newcomer none.
CREATE TABLE bout(match_id int PRIMARY KEY, season int, winner text, loser text);
INSERT INTO bout VALUES (1, 1, 'ann', 'bob'), (2, 2, 'cid', 'dan'), (3, 5, 'cid', 'dan'), (4, 5, 'ann', 'eve'), (5, 5, 'ann', 'bob');
CREATE VIEW bouts AS SELECT match_id, season, player_id, team, team AS rank FROM bout, LATERAL (VALUES (winner, 1), (loser, 2)) AS s(player_id, team);
SELECT match_id, season, player_id, round((r).rating_before::numeric, 3) AS before, round((r).rating_after::numeric, 3) AS after
FROM (SELECT *, skillrating.rate('elo', player_id, team, rank, season => season, options => '{"season_mean": 1600}') OVER (ORDER BY match_id) AS r FROM bouts) AS q ORDER BY match_id, player_id;
-- By default towards the initial rating; to keep everything, or nothing.
SELECT keep, array_agg(round((r).rating_before::numeric, 2) ORDER BY match_id) AS before
FROM (SELECT *, skillrating.rate('elo', player_id, team, rank, season => season, options => jsonb_build_object('season_keep', keep)) OVER (PARTITION BY keep ORDER BY match_id) AS r FROM bouts, (VALUES (0), (0.5), (1), (NULL)) AS k(keep)) AS q WHERE player_id = 'ann' GROUP BY keep ORDER BY keep;
-- A season begins with its first rated match: not with one that does not count, nor with a forecast,
-- which is one of that season all the same.
SELECT match_id, season, player_id, round((r).rating_before::numeric, 3) AS before, (r).unrated_reason, round((r).win_probability::numeric, 3) AS expected
FROM (SELECT *, skillrating.rate('elo', player_id, team, CASE WHEN match_id <> 4 THEN rank END, season => season + (match_id = 4)::int, unrated_reason => CASE WHEN match_id IN (2, 3) THEN 'called off' END) OVER (ORDER BY match_id) AS r FROM bouts) AS q ORDER BY match_id, player_id;
-- Where no season is said, it is the last one.
SELECT match_id, round((r).rating_before::numeric, 2) AS before FROM (SELECT *, skillrating.rate('elo', player_id, team, rank, season => CASE WHEN match_id IN (1, 4) THEN match_id END) OVER (ORDER BY match_id) AS r FROM bouts) AS q WHERE player_id = 'ann' ORDER BY match_id;
-- A season that has ended does not come back, and a match has one.
SELECT match_id, player_id, (r).unrated_reason, (r).unrated_detail, (r).win_probability IS NULL AS nothing_predicted
FROM (SELECT *, skillrating.rate('elo', player_id, team, CASE WHEN match_id < 5 THEN rank END, season => CASE match_id WHEN 3 THEN 1 WHEN 4 THEN team WHEN 5 THEN 1 ELSE season END) OVER (ORDER BY match_id) AS r FROM bouts) AS q WHERE (r).unrated_reason IS NOT NULL ORDER BY match_id, player_id;
\set VERBOSITY terse
SELECT skillrating.rate('elo', player_id, team, rank, season => -season, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, season => team, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, season => season, options => '{"season_keep": 1.1}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, season => season, options => jsonb_build_object('season_keep', 'NaN')) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, season => season, options => jsonb_build_object('season_mean', 'infinity')) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, skillrating.inputs(season => season), '{"season_keep": -1}' ORDER BY match_id) FROM bouts;
\set VERBOSITY default

-- FiveThirtyEight's NFL ratings as one query, and by recursion in plain SQL: K 20, 65 points at home,
-- ln(|points| + 1) * 2.2 / (2.2 + .001 * lead of the winner), a third of the way back to 1505.  Eight
-- teams, of which the last begins later, with 1300, neutral games and draws, five seasons.
CREATE TABLE nfl_game AS
SELECT g, 1990 + g / 60 AS season, 1 + (g * 3 + g / 8) % (7 + (g > 150)::int) AS home, 1 + (g * 3 + g / 8 + 1 + g % 5) % (7 + (g > 150)::int) AS away, g % 17 = 0 AS neutral, (g * 7919 + g * g * 31) % 41 AS home_points, (g * 104729 + g * g * 17) % 38 AS away_points
FROM generate_series(0, 299) AS g;
SELECT count(*) FILTER (WHERE home_points = away_points) > 3 AS draws, count(*) FILTER (WHERE home = away) AS impossible, count(*) FILTER (WHERE neutral) AS neutral FROM nfl_game;
\set ECHO none
CREATE VIEW one_query AS
SELECT g, side, (r).rating_before AS before, (r).rating_after AS after, (r).win_probability AS p
FROM (SELECT g, side, skillrating.rate('elo', team_id, side, team_score => points, season => season, options => jsonb_build_object('k', 20, 'initial_rating', 1300, 'margin', 'ln', 'margin_autocorrelation', 0.001 / 2.2, 'margin_draw', 2.2 * ln(2), 'season_mean', 1505, 'season_keep', 2.0 / 3), log_odds => CASE WHEN neutral THEN 0 ELSE 65 * ln(10) / 400 END::float8,
        start => (SELECT array_agg(skillrating.starting_rating(t, 1490 + t)) FROM generate_series(1, 7) AS t)) OVER (ORDER BY g) AS r
    FROM nfl_game, LATERAL (VALUES (1, home, home_points::float8), (2, away, away_points)) AS s(side, team_id, points)) AS q;
CREATE VIEW by_recursion AS
WITH RECURSIVE rated AS (
    SELECT -1 AS g, 1990 AS season, ARRAY[1491, 1492, 1493, 1494, 1495, 1496, 1497, 1300]::float8[] AS rating, ARRAY[true, true, true, true, true, true, true, false] AS known, NULL::float8 AS home_before, NULL::float8 AS away_before, NULL::float8 AS p, 1 AS home, 2 AS away
    UNION ALL
    SELECT c.g, c.season, (SELECT array_agg(CASE t WHEN c.home THEN c.h + c.change WHEN c.away THEN c.a - c.change ELSE c.reverted[t] END ORDER BY t) FROM generate_series(1, 8) AS t),
        (SELECT array_agg(c.known[t] OR t IN (c.home, c.away) ORDER BY t) FROM generate_series(1, 8) AS t), c.h, c.a, c.p, c.home, c.away
    FROM (
        SELECT e.*, 20 * CASE WHEN result = 0.5 THEN ln(2) * 2.2 ELSE ln(points + 1) * 2.2 / (2.2 + 0.001 * CASE result WHEN 1 THEN lead ELSE -lead END) END * (result - p) AS change
        FROM (
            SELECT n.*, 1 / (1 + 10 ^ (-lead / 400)) AS p
            FROM (
                SELECT v.*, abs(home_points - away_points)::float8 AS points, (1 + sign(home_points - away_points)) / 2 AS result, reverted[home] AS h, reverted[away] AS a, reverted[home] - reverted[away] + CASE WHEN neutral THEN 0 ELSE 65 END AS lead
                FROM (
                    SELECT g.*, r.known, CASE WHEN g.season > r.season THEN (SELECT array_agg(CASE WHEN r.known[t] THEN r.rating[t] * 2 / 3 + 1505.0 / 3 ELSE r.rating[t] END ORDER BY t) FROM generate_series(1, 8) AS t) ELSE r.rating END AS reverted
                    FROM rated AS r JOIN nfl_game AS g ON g.g = r.g + 1) AS v) AS n) AS e) AS c
)
SELECT g, s.side, CASE s.side WHEN 1 THEN home_before ELSE away_before END AS before, rating[CASE s.side WHEN 1 THEN home ELSE away END] AS after, CASE s.side WHEN 1 THEN p ELSE 1 - p END AS p FROM rated, generate_series(1, 2) AS s(side) WHERE g >= 0;
\set ECHO all
SELECT count(*) AS rows, max(greatest(abs(q.before - r.before), abs(q.after - r.after))) < 1e-8 AS same_ratings, max(abs(q.p - r.p)) < 1e-11 AS same_forecasts, max(abs(q.after - q.before)) > 40 AS some_jump FROM one_query AS q JOIN by_recursion AS r USING (g, side);

DROP VIEW one_query, by_recursion, bouts, mapping;
DROP FUNCTION compare, season_ladder;
DROP TABLE nfl_game, bout, cut, results, trial;
