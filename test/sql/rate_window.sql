-- rate() over a window: what it gives is what a ladder makes of the same matches.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

-- Matches with everything that a source can say: two to four teams, stints, players who change
-- sides, sides, commanders, squads, counts, contexts, gains, simultaneous matches, some that do not
-- count.
SELECT setseed(0.31415);
\set ECHO none
CREATE TABLE results AS
WITH m AS MATERIALIZED (
    SELECT i AS match_id, '2024-01-01'::timestamptz + i / 3 * interval '7 hours' AS played_at,
        CASE WHEN random() < 0.15 THEN 3 + (random() < 0.5)::int ELSE 2 END AS teams,
        1 + floor(random() * 3)::int AS size, random() < 0.3 AS stints, random() < 0.3 AS sides, random() < 0.5 AS by_score,
        random() < 0.2 AS drawn, CASE WHEN random() < 0.3 THEN 'b' ELSE 'a' END AS pool,
        CASE WHEN random() < 0.3 THEN random() - 0.5 END AS log_odds, CASE WHEN random() < 0.2 THEN 0.5 END AS player_gain,
        CASE WHEN random() < 0.05 THEN 'a test match' END AS unrated_reason
    FROM generate_series(1, 400) AS i
), p AS MATERIALIZED (
    SELECT m.*, t AS team, 'player ' || ((t * m.size + n) * 7 + m.match_id * 13 + floor(random() * 2)::int) % 29 AS player_id, n,
        random() AS luck, random() AS other
    FROM m, generate_series(1, m.teams) AS t, generate_series(1, m.size) AS n
)
SELECT match_id, played_at, player_id, team, pool,
    CASE WHEN NOT by_score THEN (CASE WHEN drawn THEN 1 ELSE 1 + (team + match_id) % teams END)::float8 END AS rank,
    CASE WHEN by_score THEN (CASE WHEN drawn THEN 3 ELSE (team * 5 + match_id) % 4 END)::float8 END AS team_score,
    CASE WHEN NOT stints AND luck < 0.3 THEN 0.5 END AS weight,
    CASE WHEN stints THEN floor(luck * 200) END AS joined,
    CASE WHEN stints THEN 300 + floor(other * 300) END AS left_at,
    CASE WHEN n = 1 AND sides THEN 0.75 END AS commanding,
    CASE WHEN sides AND teams = 2 THEN team::float8 END AS side,
    CASE WHEN size > 1 AND n < 3 AND luck < 0.8 THEN team::float8 END AS squad,
    CASE WHEN other < 0.8 THEN floor(other * 20) END AS kills, CASE WHEN other < 0.8 THEN floor(luck * 20) END AS deaths,
    (luck < 0.1) AS quit, CASE WHEN other < 0.5 THEN match_id::float8 END AS experience,
    CASE WHEN teams = 2 THEN log_odds END AS log_odds,
    CASE WHEN (n + team + match_id) % 4 = 0 THEN n - 0.5 ELSE player_gain END AS player_gain, unrated_reason,
    CASE WHEN match_id % 3 = 0 THEN 'map ' || match_id % 4 WHEN match_id % 3 = 1 THEN 'hero ' || (n + team * 2 + match_id) % 5 END AS context,
    CASE WHEN (match_id + team) % 5 > 0 THEN 'club ' || (match_id + team * 2 + n / 2) % 6 END AS club
FROM p;
-- Some play on with the other side after a while, or twice on the same.
INSERT INTO results
SELECT match_id, played_at, player_id, 3 - team, pool, 3 - rank, NULL, weight, joined + 100, left_at, NULL, 3 - side, squad, kills, deaths, quit, experience, log_odds,
    CASE WHEN match_id % 3 = 0 THEN 1.5 ELSE player_gain END, unrated_reason, 'hero ' || match_id % 5, club
FROM results WHERE match_id % 10 = 0 AND team < 3 AND team_score IS NULL AND rank < 3 AND side IS NULL
    AND match_id NOT IN (SELECT match_id FROM results GROUP BY match_id HAVING max(team) > 2 OR min(rank) = max(rank)) AND player_id LIKE '%1';
\set ECHO all

-- For each model, with parameters that make it use more than by default.
CREATE TABLE trial(model text, params jsonb);
INSERT INTO trial VALUES ('elo', '{}'), ('elo', '{"k_by_games": [[5, 60]], "margin": "goals", "strength": "sum"}'), ('frag', '{}'), ('glicko', '{}'),
    ('glicko2', '{"tau": 0.8}'), ('elo_mmr', '{"form": "logistic"}'), ('hive', '{}'), ('synelo', '{}'), ('trueskill', '{"beta": 3}'), ('trueskill2', '{}'), ('trueskill2', '{"initial_base_sigma": 3}'), ('weng_lin', '{}'),
    ('state_space', '{}'), ('state_space', '{"margin": 0.4, "draw_sigma": 0.5, "home_drift": 0.1, "club_drift": 0.1, "initial_side_sigma": 0.3, "initial_command_sigma": 0.5}');
SELECT name FROM skillrating.models() EXCEPT SELECT model FROM trial;

\set ECHO none
CREATE FUNCTION compare(model text, params jsonb) RETURNS TABLE (rated bigint, unrated bigint, differ bigint) LANGUAGE plpgsql AS $$
DECLARE
    before text;
    after text;
BEGIN
    -- A ladder learns the advantage of the larger team only if told to.
    params := '{"size_advantage": "learned"}' || params;
    CREATE VIEW mapping AS SELECT * FROM results;
    SET LOCAL client_min_messages = warning;
    PERFORM skillrating.create_ladder('twin', model, params, source => 'mapping');
    SET LOCAL client_min_messages = notice;
    PERFORM count(*) FROM skillrating.catch_up('twin', search => true);
    SELECT string_agg(quote_ident(c || '_before'), ', '), string_agg(quote_ident(c || '_after'), ', ') INTO before, after
    FROM skillrating.models(compare.model, compare.params) AS m, unnest(m.state_columns) AS c;
    RETURN QUERY EXECUTE format('
        WITH q AS (
            SELECT s.*, skillrating.rate($1, player_id, team, rank, weight, played_at, team_score, NULL, joined, left_at, commanding, side, squad,
                kills, deaths, quit, experience, pool, log_odds, player_gain, unrated_reason, context => context, club => club, options => $2) OVER (ORDER BY played_at, match_id) AS r
            FROM (SELECT * FROM results ORDER BY md5(player_id || match_id)) AS s
        ), w AS (
            SELECT DISTINCT match_id, player_id, pool, (r).state_before, (r).state_after, (r).games_before FROM q WHERE (r).unrated_reason IS NULL
        ), wt AS (
            SELECT DISTINCT match_id, player_id, team, (r).win_probability, (r).score FROM q WHERE (r).unrated_reason IS NULL
        ), e AS (
            SELECT match_id, player_id, pool, ARRAY[%s] AS state_before, ARRAY[%s] AS state_after, games_before AS games, team, win_probability, score FROM twin.event
        )
        SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM q WHERE (r).unrated_reason IS NOT NULL),
            (SELECT count(*) FROM (
                (SELECT match_id, player_id, pool, state_before, state_after, games FROM e EXCEPT ALL TABLE w)
                UNION ALL (TABLE w EXCEPT ALL SELECT match_id, player_id, pool, state_before, state_after, games FROM e)
            ) AS d) +
            (SELECT count(*) FROM (SELECT match_id, player_id, team, win_probability, score FROM e EXCEPT ALL TABLE wt) AS d) +
            (SELECT count(*) FROM q JOIN twin.rated_match AS m USING (match_id) WHERE ((r).unrated_reason, (r).unrated_detail) IS DISTINCT FROM (m.reason, m.detail))', before, after)
    USING model, params;
    PERFORM skillrating.drop_ladder('twin');
    DROP VIEW mapping;
END
$$;
\set ECHO all
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), c.rated > 500 AS many, c.unrated > 20 AS some_do_not_count, c.differ FROM trial, compare(model, params) AS c GROUP BY 2, 3, 4;

-- The order of the rows of a match changes nothing, to the last bit; nor does a spill to disk.
\set ECHO none
CREATE FUNCTION digest(model text, params jsonb, seed text) RETURNS text LANGUAGE sql AS $$
    SELECT md5(string_agg(concat(match_id, player_id, team, r), ',' ORDER BY match_id, player_id, team))
    FROM (SELECT s.*, skillrating.rate(model, player_id, team, rank, weight, played_at, team_score, joined => joined, left_at => left_at, side => side,
            commanding => commanding, squad => squad, kills => kills, deaths => deaths, quit => quit, experience => experience, pool => pool,
            log_odds => log_odds, player_gain => player_gain, unrated_reason => unrated_reason, context => context, club => club, options => params) OVER (ORDER BY played_at, match_id) AS r
        FROM (SELECT * FROM results ORDER BY md5(player_id || team || match_id || seed)) AS s) AS q
$$;
CREATE TABLE digests AS SELECT t.*, digest(model, params, '1') AS was FROM trial AS t;
\set ECHO all
SELECT bool_and(digest(model, params, '2') = was) AS same FROM digests;
SET work_mem = '64kB';
SELECT bool_and(digest(model, params, '3') = was) AS same FROM digests;
RESET work_mem;

-- The simplest form, and what is in the result.
CREATE TABLE bout(match_id int PRIMARY KEY, winner text, loser text);
INSERT INTO bout VALUES (1, 'ann', 'bob'), (2, 'ann', 'cid'), (3, 'bob', 'ann'), (4, 'cid', 'bob');
CREATE VIEW bouts AS SELECT match_id, player_id, team, team AS rank FROM bout, LATERAL (VALUES (winner, 1), (loser, 2)) AS s(player_id, team);
SELECT match_id, player_id, round((r).rating_before::numeric, 3) AS before, round((r).rating_after::numeric, 3) AS after, (r).games_before, (r).score,
    round((r).win_probability::numeric, 4) AS expected, (r).deviation_before AS deviation
FROM (SELECT *, skillrating.rate('elo', player_id, team, rank) OVER (ORDER BY match_id) AS r FROM bouts) AS q;
SELECT player_id, round((r).deviation_after::numeric, 3) AS sigma, round((r).rating_after::numeric, 3) AS rating, round((r).mu_after::numeric, 3) AS mu, array_length((r).state_after, 1) AS columns
FROM (SELECT *, skillrating.rate('trueskill', player_id, team, won => team = 1) OVER (ORDER BY match_id) AS r FROM bouts) AS q;

-- Any type that can be hashed and ordered.
SELECT round((r).rating_after::numeric, 2) FROM (SELECT skillrating.rate('elo', ascii(player_id), team, rank) OVER (ORDER BY match_id) AS r FROM bouts) AS q ORDER BY 1 LIMIT 1;
SELECT round((r).rating_after::numeric, 2) FROM (SELECT skillrating.rate('elo', md5(player_id)::uuid, team, rank) OVER (ORDER BY match_id) AS r FROM bouts) AS q ORDER BY 1 LIMIT 1;
SELECT round((r).rating_after::numeric, 2) FROM (SELECT skillrating.rate('elo', player_id COLLATE "C", team, rank) OVER (ORDER BY match_id) AS r FROM bouts) AS q ORDER BY 1 LIMIT 1;
SELECT skillrating.rate('elo', point(match_id, 1), team, rank) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', NULL, team, rank, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;

-- Partitions start afresh, each under its own model and parameters; pools within one do not meet.
SELECT model, params, player_id, round((r).rating_after::numeric, 2) AS rating
FROM (SELECT *, skillrating.rate(model, player_id, team, rank, options => params) OVER (PARTITION BY model, params ORDER BY match_id) AS r
    FROM bouts, (VALUES ('elo', '{}'::jsonb), ('elo', '{"k": 10}'), ('glicko', NULL)) AS m(model, params)) AS q
WHERE match_id = 4 ORDER BY model, params, player_id;
SELECT match_id, player_id, (r).games_before FROM (SELECT *, skillrating.rate('elo', player_id, team, rank, pool => (match_id % 2)::text) OVER (ORDER BY match_id) AS r FROM bouts) AS q
WHERE player_id = 'ann';
-- Idle time counts where it is given.
SELECT round((r).deviation_before::numeric, 1) AS deviation
FROM (SELECT *, skillrating.rate('glicko', player_id, team, rank, played_at => '2024-01-01'::timestamptz + match_id * interval '100 days') OVER (ORDER BY match_id) AS r FROM bouts) AS q
WHERE player_id = 'ann' ORDER BY match_id;
SELECT count(*) FROM (SELECT skillrating.rate('elo', player_id, team, rank, played_at => NULL) OVER (ORDER BY match_id) AS r FROM bouts) AS q WHERE (r).unrated_reason IS NULL;

-- What does not count says so, and changes nothing; without a result there is a forecast.
SELECT match_id, player_id, (r).rating_before = (r).rating_after AS unchanged, round((r).win_probability::numeric, 4) AS expected, (r).games_before, (r).unrated_reason, (r).unrated_detail
FROM (SELECT *, skillrating.rate('elo', player_id, CASE match_id WHEN 2 THEN 1 ELSE team END, CASE match_id WHEN 3 THEN NULL ELSE rank - (match_id = 2 AND team = 2)::int END,
        unrated_reason => CASE match_id WHEN 4 THEN 'called off' END) OVER (ORDER BY match_id) AS r FROM bouts) AS q;

-- Windows that would rate nonsense.
SELECT skillrating.rate('elo', player_id, team, rank) OVER () FROM bouts;
\set VERBOSITY terse
SELECT skillrating.rate('elo', player_id, team, rank) OVER (PARTITION BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank) OVER (ORDER BY match_id ROWS UNBOUNDED PRECEDING) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank) OVER (ORDER BY match_id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM bouts;
\set VERBOSITY default
SELECT skillrating.rate('elo', player_id, team, rank) FROM bouts;
-- Other functions may share the window, and rate() may stand in it twice.
SELECT match_id, n, round((a).rating_after::numeric, 1) AS elo, round((b).rating_after::numeric, 1) AS glicko
FROM (SELECT match_id, row_number() OVER w AS n, skillrating.rate('elo', player_id, team, rank) OVER w AS a, skillrating.rate('glicko', player_id, team, rank) OVER w AS b
    FROM bouts WINDOW w AS (ORDER BY match_id)) AS q WHERE match_id = 2;

-- Mistakes in the call, and, with strict_rows, in a match.
SELECT skillrating.rate('chess', player_id, team, rank) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate(NULL, player_id, team, rank) OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, options => '{"kay": 3}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, NULL, rank, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank - 1, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, weight => 'NaN', options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, log_odds => team, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, pool => team::text, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('elo', player_id, team, rank, played_at => now() + team * interval '1 day', options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM bouts;
SELECT skillrating.rate('trueskill2', player_id, team, rank, pool => '*', options => '{"strict_rows": true, "initial_base_sigma": 3}') OVER (ORDER BY match_id) FROM bouts;
-- A peer group that is no match any more.
SELECT skillrating.rate('elo', i, i, 1, options => '{"strict_rows": true}') OVER (ORDER BY i / 20000) FROM generate_series(1, 30000) AS i;
SELECT (r).unrated_reason, (r).unrated_detail, (r).rating_after, count(*)
FROM (SELECT skillrating.rate('elo', i, i, 1) OVER (ORDER BY i / 20000) AS r FROM generate_series(1, 30000) AS i) AS q GROUP BY 1, 2, 3 ORDER BY 1;
-- No rows, no partition.
SELECT skillrating.rate('elo', player_id, team, rank) OVER (ORDER BY match_id) FROM bouts WHERE false;

-- A long query can be cancelled, wherever it is.
\set SHOW_CONTEXT never
SET statement_timeout = '100ms';
SELECT count(r) FROM (SELECT skillrating.rate('trueskill', 1 + i % 4, i % 4, 1 + i % 4) OVER (ORDER BY i / 4) AS r FROM generate_series(1, 300000) AS i) AS q;
RESET statement_timeout;
\set SHOW_CONTEXT errors

-- final_ratings(): where each player's last row leads, in groups if need be.
\set ECHO none
CREATE FUNCTION final_differs(model text, params jsonb) RETURNS bigint LANGUAGE sql AS $$
    WITH q AS (
        SELECT s.*, skillrating.rate(model, player_id, team, rank, weight, played_at, team_score, NULL, joined, left_at, commanding, side, squad,
            kills, deaths, quit, experience, pool, log_odds, player_gain, unrated_reason, options => params) OVER (ORDER BY played_at, match_id) AS r FROM results AS s
    ), w AS (
        SELECT DISTINCT ON (player_id, pool) player_id, pool, (r).rating_after, (r).mu_after, (r).deviation_after, (r).games_before + 1, (r).state_after
        FROM q WHERE (r).unrated_reason IS NULL ORDER BY player_id, pool, played_at DESC, match_id DESC
    ), f AS (
        SELECT f.* FROM (
            SELECT skillrating.final_ratings(model, match_id, player_id, team, rank,
                skillrating.inputs(weight, played_at, team_score, NULL, joined, left_at, commanding, side, squad, kills, deaths, quit, experience, pool, log_odds, player_gain, unrated_reason),
                params ORDER BY played_at, match_id) AS ratings
            FROM (SELECT * FROM results ORDER BY md5(match_id || player_id)) AS s) AS a, unnest(a.ratings) AS f
    )
    SELECT count(*) FROM (
        (SELECT player_id, pool, rating, mu, deviation, games, state FROM f EXCEPT ALL TABLE w)
        UNION ALL (TABLE w EXCEPT ALL SELECT player_id, pool, rating, mu, deviation, games, state FROM f)) AS d
$$;
\set ECHO all
-- (What pools share moves on with matches in the other pool.)
SELECT string_agg(concat(model, nullif(params, '{}')), ' ' ORDER BY model, params::text), final_differs(model, params) FROM trial WHERE params <> '{"initial_base_sigma": 3}' GROUP BY 2;
SELECT f.player_id, round(f.rating::numeric, 2) AS rating, f.games, f.wins, f.draws, f.losses, f.last_played
FROM (SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank ORDER BY match_id) AS ratings FROM bouts) AS a, unnest(a.ratings) AS f;
SELECT season, f.player_id, round(f.rating::numeric, 2) AS rating, round(f.deviation::numeric, 1) AS deviation, f.games, f.last_played
FROM (SELECT match_id % 2 AS season,
        skillrating.final_ratings('glicko', match_id, player_id, team, rank, skillrating.inputs(played_at => '2024-01-01'), '{"initial_rating": 1000}' ORDER BY match_id) AS ratings
    FROM bouts GROUP BY season) AS a, unnest(a.ratings) AS f ORDER BY season, rating DESC, player_id;
SELECT array_length(skillrating.final_ratings('elo', match_id, player_id, team, rank, NULL, '{"k": 20}' ORDER BY match_id) FILTER (WHERE match_id < 2), 1) AS players FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank ORDER BY match_id) FROM bouts WHERE false;
SELECT skillrating.final_ratings('elo', match_id, player_id, 1, rank ORDER BY match_id) AS nobody FROM bouts WHERE rank = 1;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank ORDER BY player_id) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank) OVER () FROM bouts;
SELECT skillrating.final_ratings('elo', nullif(match_id, 3), player_id, team, rank ORDER BY nullif(match_id, 3)) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, nullif(rank, match_id) - 1, NULL, '{"strict_rows": true}' ORDER BY match_id) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, NULL, '{"strict_rows": null}' ORDER BY match_id) FROM bouts;
SELECT skillrating.final_ratings(NULL, match_id, player_id, team, rank ORDER BY match_id) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, NULL, '{"k": -1}' ORDER BY match_id) FROM bouts;
-- Options are an object with known keys, the same in all rows of a group; no parameter has the name of an option.
SELECT skillrating.final_ratings('frag', match_id, player_id, team, rank, NULL, '{"K": 1}' ORDER BY match_id) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, NULL, '[]' ORDER BY match_id) FROM bouts;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, NULL, '{"exact_for": ["ann"]}' ORDER BY match_id) FROM bouts;
\set ECHO none
CREATE FUNCTION differing(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT skillrating.' || call || ' FROM bouts', 'match_id, player_id, team, rank, NULL', 'ORDER BY match_id');
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END
$$;
\set ECHO all
SELECT options, left(call, strpos(call, '(')) AS aggregate, differing(replace(call, '#', options)) AS error
FROM unnest(ARRAY['''{}''', 'CASE WHEN match_id > 1 THEN jsonb ''{}'' END', 'jsonb_build_object(''strict_rows'', match_id > 1)']) AS options, unnest(ARRAY[
    'final_ratings(''elo'', %1$s, # %2$s)', 'final_ratings(''elo'', %1$s, #, NULL, NULL %2$s)', 'final_components(''elo'', %1$s, # %2$s)', 'solve(''bradley_terry'', %1$s, #)',
    'solve_summary(''bradley_terry'', %1$s, # %2$s)', 'tune(''elo'', %1$s, (#)::jsonb || ''{"fit": ["k"], "max_evaluations": 1, "holdout": 0, "burn_in": 0}'' %2$s)',
    'hive_update(player_id, skillrating.hive_state(), 1 + team %% 2, team %% 2, NULL, #)']) AS call
ORDER BY options, call;
SELECT count(*) AS matches, every((r).games > 0) AS rated
FROM (SELECT unnest(skillrating.final_ratings('elo', match_id, player_id, team, rank, NULL, jsonb_build_object('k', match_id) ORDER BY match_id)) AS r FROM bouts GROUP BY match_id) AS q;
SELECT count(*) AS parameters, count(*) FILTER (WHERE name IN ('strict_rows', 'season_keep', 'season_mean', 'exact_for', 'refit_matches', 'refit_days')) AS options
FROM (SELECT p.name FROM skillrating.models() AS m, skillrating.parameters(m.name) AS p UNION SELECT p.name FROM skillrating.solvers() AS s, skillrating.parameters(s.name) AS p) AS p;
DROP FUNCTION differing;

-- Ordinals in place of times: a day each to the parameters, in rate(), final_ratings() and tune().
CREATE VIEW seasons AS
SELECT s AS season, 2 * s + half AS match_id, player_id, team, 1 + abs(team + s + half) % 2 AS rank, '2000-01-01 00:00+00'::timestamptz + s * interval '1 day' AS played_at
FROM (VALUES (-3), (0), (1), (2), (5), (26)) AS v(s), generate_series(0, 1) AS half, LATERAL (VALUES ('ann', 1), ('bob', 2)) AS p(player_id, team);
WITH rated AS (
    SELECT m.name, season, match_id, player_id,
        skillrating.rate(m.name, player_id, team, rank, period => season, options => m.params) OVER w AS by_period,
        skillrating.rate(m.name, player_id, team, rank, played_at => played_at, options => m.params) OVER w AS by_time,
        skillrating.rate(m.name, player_id, team, rank, options => m.params) OVER w AS untimed
    FROM (VALUES ('glicko', '{"period_days": 1}'::jsonb), ('glicko2', '{"period_days": 1}'), ('trueskill', '{"drift": 0.5}'), ('frag', '{"decay": 2}')) AS m(name, params), seasons
    WINDOW w AS (PARTITION BY m.name ORDER BY match_id)
)
SELECT name, count(*) AS rows, bool_and(by_period = by_time) AS as_times, bool_or(by_period <> untimed) AS ages FROM rated GROUP BY name ORDER BY name;
-- A season without a match adds c^2, as the next one does.
SELECT player_id, round((r).deviation_before::numeric, 6) = round(sqrt(least(350 ^ 2, lag((r).deviation_after) OVER (PARTITION BY player_id ORDER BY match_id) ^ 2
        + 100 * (season - lag(season) OVER (PARTITION BY player_id ORDER BY match_id))))::numeric, 6) AS as_computed
FROM (SELECT *, skillrating.rate('glicko', player_id, team, rank, period => season, options => '{"period_days": 1, "c": 10}') OVER (ORDER BY match_id) AS r FROM seasons) AS q ORDER BY player_id, match_id LIMIT 6;
SELECT skillrating.final_ratings('glicko', match_id, player_id, team, rank, skillrating.inputs(period => season), '{"period_days": 1}' ORDER BY match_id)
    = skillrating.final_ratings('glicko', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{"period_days": 1}' ORDER BY match_id) AS final_ratings,
    skillrating.tune('glicko', match_id, player_id, team, rank, skillrating.inputs(period => season), '{"fit": ["c"], "params": {"period_days": 1}}' ORDER BY match_id)
    = skillrating.tune('glicko', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), '{"fit": ["c"], "params": {"period_days": 1}}' ORDER BY match_id) AS tune,
    skillrating.solve('through_time', match_id, player_id, team, rank, skillrating.inputs(period => season), NULL ORDER BY match_id)
    = skillrating.solve('through_time', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), NULL ORDER BY match_id) AS solve
FROM seasons;
-- Without times, what acts by time alone is named as such.
SELECT w FROM (SELECT skillrating.tune('glicko', match_id, player_id, team, rank, NULL, '{"fit": ["c"]}' ORDER BY match_id) AS t FROM seasons) AS q, unnest((t).warnings) AS w WHERE w ~ 'times';
-- Literals stay unambiguous.
SELECT count(*) FROM (SELECT skillrating.rate('glicko', player_id, team, rank, played_at => '2024-01-01') OVER w AS a, skillrating.rate('glicko', player_id, team, rank, period => '7') OVER w AS b FROM seasons WINDOW w AS (ORDER BY match_id)) AS q
WHERE (a).unrated_reason IS NULL AND (b).unrated_reason IS NULL;
-- Not both, be it in a row or among matches.
SELECT skillrating.rate('elo', player_id, team, rank, played_at => '2024-01-01', period => 1) OVER (ORDER BY match_id) FROM seasons;
SELECT skillrating.rate('elo', player_id, team, rank, played_at => CASE WHEN season < 5 THEN played_at END, period => CASE WHEN season >= 5 THEN season END) OVER (ORDER BY match_id) FROM seasons;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at, period => season), NULL ORDER BY match_id) FROM seasons;
SELECT skillrating.final_ratings('elo', match_id, player_id, team, rank, skillrating.inputs(played_at => CASE WHEN season < 5 THEN played_at END, period => CASE WHEN season >= 5 THEN season END), NULL ORDER BY match_id) FROM seasons;
-- A match without one after others is a mistake, and so is one that is no time; players of a match have the same.
SELECT match_id, player_id, (r).unrated_reason, (r).unrated_detail FROM (SELECT *, skillrating.rate('elo', player_id, team, rank,
    period => CASE match_id WHEN 1 THEN NULL WHEN 2 THEN 9223372036854775807 WHEN 4 THEN -2451600 WHEN 5 THEN team ELSE season END) OVER (ORDER BY match_id) AS r FROM seasons) AS q
WHERE (r).unrated_reason IS NOT NULL ORDER BY match_id, player_id;
SELECT skillrating.rate('elo', player_id, team, rank, period => 9223372036854775807, options => '{"strict_rows": true}') OVER (ORDER BY match_id) FROM seasons;

DROP VIEW seasons;
DROP FUNCTION compare, digest, final_differs;
DROP VIEW bouts;
DROP TABLE results, trial, digests, bout;
