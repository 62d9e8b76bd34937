-- Players who are fixed, in every model: bots, puzzles and courses keep their whole state.
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
SET extra_float_digits = 1;

-- Player 7 is a bot from the start, 11 becomes one with match 60 and learns again with match 200.
\set ECHO none
CREATE TABLE fixed_participant AS
SELECT m AS match_id, CASE WHEN m % 5 = 0 THEN 'other' ELSE '' END AS pool,
    '2020-01-01'::timestamptz + m * m * interval '7 minutes' AS played_at,
    CASE WHEN p = 0 AND m % 2 = 0 THEN 7 WHEN p = 1 AND m % 3 = 0 THEN 11 ELSE 100 + (m * 7 + p * 5 + p * p) % 31 END AS player_id,
    p % teams AS team, (m / 3 + p % teams) % teams * (m % 4 + 1) / 2 AS score,
    CASE WHEN m % 3 = 0 THEN 0.25 + (m + p) % 4 / 4.0 END AS weight, (m * p) % 13 AS kills, (m + 3 * p) % 11 AS deaths,
    nullif((m + p) % 5 / 2.0, 1) AS gain
FROM generate_series(1, 240) AS m, LATERAL (SELECT CASE WHEN m % 6 = 1 THEN 3 ELSE 2 END AS teams) AS t,
    generate_series(0, 1 + m % 6) AS p
WHERE p < 2 + m % 5;
ALTER TABLE fixed_participant ADD fixed boolean;
\set ECHO all
UPDATE fixed_participant SET fixed = CASE WHEN player_id = 7 THEN true WHEN match_id < 60 THEN NULL WHEN match_id < 70 THEN true WHEN match_id BETWEEN 200 AND 210 THEN false END
WHERE player_id IN (7, 11);

\set ECHO none
CREATE PROCEDURE fill(ladder text, first int, last int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, pool, played_at)
        SELECT DISTINCT match_id, pool, played_at FROM fixed_participant WHERE match_id BETWEEN $1 AND $2', ladder) USING first, last;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score, weight, kills, deaths, player_gain, fixed)
        SELECT match_id, player_id, team, score, weight, kills, deaths, gain, fixed
        FROM fixed_participant WHERE match_id BETWEEN $1 AND $2', ladder) USING first, last;
END $$;
\set ECHO all

SELECT count(skillrating.create_ladder('f_' || name, name, '{"size_advantage": "none"}')) > 9 AS ladders FROM skillrating.models();
DO $$
DECLARE
    model text;
BEGIN
    FOR model IN SELECT name FROM skillrating.models() LOOP
        FOR i IN 0 .. 7 LOOP
            CALL fill('f_' || model, 30 * i + 1, 30 * i + 30);
            SET CONSTRAINTS ALL IMMEDIATE;
            SET CONSTRAINTS ALL DEFERRED;
        END LOOP;
    END LOOP;
END $$;

-- The states of all events, whatever their columns are called.
\set ECHO none
CREATE FUNCTION states(ladder text, OUT match_id bigint, OUT player_id bigint, OUT pool text, OUT seq bigint, OUT games int, OUT team int, OUT fixed bool, OUT before float8[], OUT after float8[], OUT win float8)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    columns text[] := (SELECT m.state_columns FROM skillrating.models() AS m WHERE ladder LIKE '%\_' || m.name);
BEGIN
    RETURN QUERY EXECUTE format('SELECT match_id, player_id, pool, seq, games_before, team, fixed, ARRAY[%s]::float8[], ARRAY[%s]::float8[], win_probability FROM %I.event',
        (SELECT string_agg(quote_ident(c || '_before'), ',' ORDER BY n) FROM unnest(columns) WITH ORDINALITY AS u(c, n)),
        (SELECT string_agg(quote_ident(c || '_after'), ',' ORDER BY n) FROM unnest(columns) WITH ORDINALITY AS u(c, n)), ladder);
END $$;
\set ECHO all

-- The bot never moves in any bit, nor does 11 while it is one, idle time or not; before and after it
-- learns, and so does everybody else.
\set ECHO none
CREATE FUNCTION invariants(model text, OUT verified bool, OUT bot bool, OUT games bool, OUT while_fixed bool, OUT moves bool, OUT moved_before bool, OUT moved_after bool, OUT others bool)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT bool_and(ok) INTO verified FROM skillrating.verify('f_' || model);
    SELECT bool_and(s.before = m.initial AND s.after = m.initial AND s.fixed) INTO bot
    FROM states('f_' || model) AS s, LATERAL (SELECT skillrating.initial_state(model) AS initial) AS m WHERE s.player_id = 7;
    EXECUTE format('SELECT bool_and(r.games = (SELECT count(*) FROM f_%1$s.event AS e WHERE e.player_id = 7 AND e.pool = r.pool) AND r.fixed) FROM f_%1$s.rating AS r WHERE r.player_id = 7 AND r.pool <> ''*''', model) INTO games;
    SELECT bool_and(s.before = s.after) FILTER (WHERE s.match_id BETWEEN 60 AND 199), bool_or(s.before <> s.after) FILTER (WHERE s.match_id < 60),
        bool_or(s.before <> s.after) FILTER (WHERE s.match_id > 200), bool_and(s.fixed = (s.match_id BETWEEN 60 AND 199))
    INTO while_fixed, moved_before, moved_after, moves FROM states('f_' || model) AS s WHERE s.player_id = 11;
    SELECT bool_or(s.before <> s.after) AND NOT bool_or(s.fixed) INTO others FROM states('f_' || model) AS s WHERE s.player_id >= 100;
    RETURN;
END $$;
\set ECHO all
SELECT m.name, f.* FROM skillrating.models() AS m, invariants(m.name) AS f WHERE NOT (f.verified AND f.bot AND f.games AND f.while_fixed AND f.moves AND f.moved_before AND f.moved_after AND f.others);

-- A query says the same to the bit, by participants and by matches, and goes on from where it was.
\set ECHO none
CREATE FUNCTION differs(model text, OUT rows bigint, OUT by_match bigint, OUT final bigint, OUT continued bigint) LANGUAGE plpgsql AS $$
DECLARE
    none constant jsonb := '{"size_advantage": "none"}';
BEGIN
    SELECT count(*) INTO rows FROM (
        SELECT p.match_id, p.player_id, (p.r).state_before, (p.r).state_after, (p.r).win_probability, (p.r).unrated_reason FROM (
            SELECT *, skillrating.rate(model, player_id, team, played_at => played_at, team_score => score, weight => weight, kills => kills,
                deaths => deaths, player_gain => gain, pool => pool, fixed => fixed, options => none) OVER (ORDER BY match_id) AS r FROM fixed_participant) AS p) AS r
    FULL JOIN states('f_' || model) AS s USING (match_id, player_id)
    WHERE (r.unrated_reason IS NULL OR s.match_id IS NOT NULL)
        AND (r.state_before IS DISTINCT FROM s.before OR r.state_after IS DISTINCT FROM s.after OR r.win_probability IS DISTINCT FROM s.win);
    SELECT count(*) INTO by_match FROM (
        SELECT p.match_id, u.player, u.n, (p.r).state_after[u.n:u.n] AS after, (p.r).unrated_reason FROM (
            SELECT *, skillrating.rate_match(model, players, team, played_at => played_at, team_score => score, weight => weight, kills => kills,
                deaths => deaths, player_gain => gain, pool => pool, fixed => fixed, options => none) OVER (ORDER BY match_id) AS r
            FROM (SELECT match_id, played_at, pool, array_agg(player_id ORDER BY team, player_id) AS players, array_agg(team ORDER BY team, player_id) AS team,
                array_agg(score::float8 ORDER BY team, player_id) AS score, array_agg(weight::float8 ORDER BY team, player_id) AS weight, array_agg(kills::float8 ORDER BY team, player_id) AS kills,
                array_agg(deaths::float8 ORDER BY team, player_id) AS deaths, array_agg(gain::float8 ORDER BY team, player_id) AS gain, array_agg(fixed ORDER BY team, player_id) AS fixed
                FROM fixed_participant GROUP BY 1, 2, 3) AS m) AS p, unnest(p.players) WITH ORDINALITY AS u(player, n)) AS r
    JOIN states('f_' || model) AS s ON s.match_id = r.match_id AND s.player_id = r.player
    WHERE (SELECT array_agg(v ORDER BY o) FROM unnest(r.after) WITH ORDINALITY AS e(v, o)) IS DISTINCT FROM s.after;
    EXECUTE format('
        WITH f AS (SELECT f.* FROM unnest((SELECT skillrating.final_ratings($1, match_id, player_id, team, NULL, skillrating.inputs(played_at => played_at, team_score => score, weight => weight, kills => kills,
                deaths => deaths, player_gain => gain, pool => pool, fixed => fixed), $2 ORDER BY match_id, player_id) FROM fixed_participant)) AS f),
            c AS (SELECT c.* FROM unnest((SELECT skillrating.final_ratings($1, match_id, player_id, team, NULL, skillrating.inputs(played_at => played_at, team_score => score, weight => weight, kills => kills,
                deaths => deaths, player_gain => gain, pool => pool, fixed => fixed), $2,
                (SELECT skillrating.final_ratings($1, match_id, player_id, team, NULL, skillrating.inputs(played_at => played_at, team_score => score, weight => weight, kills => kills,
                deaths => deaths, player_gain => gain, pool => pool, fixed => fixed), $2 ORDER BY match_id, player_id) FROM fixed_participant WHERE match_id <= 120), NULL
                ORDER BY match_id, player_id) FROM fixed_participant WHERE match_id > 120)) AS c)
        SELECT (SELECT count(*) FROM f FULL JOIN f_%1$s.rating AS r ON r.player_id = f.player_id::bigint AND r.pool = f.pool
                WHERE r.pool IS DISTINCT FROM ''*'' AND (r.fixed, r.games, r.as_of) IS DISTINCT FROM (f.fixed, f.games, f.as_of)),
            (SELECT count(*) FROM f FULL JOIN c USING (player_id, pool) WHERE (f.state, f.fixed) IS DISTINCT FROM (c.state, c.fixed))', model)
    INTO final, continued USING model, none;
END $$;
\set ECHO all
SELECT m.name, d.* FROM skillrating.models() AS m, differs(m.name) AS d WHERE d.rows + d.by_match + d.final + d.continued > 0;

-- Opponents learn from the state as it is: as if the match were the only one, and nobody in it fixed.
\set ECHO none
CREATE FUNCTION unlike_free(model text, OUT compared bigint, OUT differ bigint) LANGUAGE plpgsql AS $$
DECLARE
    m record;
BEGIN
    compared := 0;
    differ := 0;
    FOR m IN SELECT s.match_id, array_agg(skillrating.starting_rating(s.player_id, state => s.before, pool => s.pool, games => s.games)) AS start
        FROM states('f_' || model) AS s GROUP BY s.match_id HAVING bool_or(s.fixed) LOOP
        SELECT compared + count(*), differ + count(*) FILTER (WHERE r.state_after IS DISTINCT FROM s.after OR r.win_probability <> s.win) INTO compared, differ
        FROM (SELECT p.player_id, (p.r).state_after, (p.r).win_probability FROM (SELECT *, skillrating.rate(model, player_id, team, team_score => score, weight => weight, kills => kills, deaths => deaths, player_gain => gain,
            pool => pool, options => '{"size_advantage": "none"}', start => m.start) OVER (ORDER BY match_id) AS r FROM fixed_participant WHERE match_id = m.match_id) AS p) AS r
        JOIN states('f_' || model) AS s ON s.match_id = m.match_id AND s.player_id = r.player_id WHERE NOT s.fixed;
    END LOOP;
END $$;
\set ECHO all
SELECT m.name, u.* FROM skillrating.models() AS m, unlike_free(m.name) AS u WHERE u.differ > 0 OR u.compared < 100;

-- By the formulas, a thousand newcomers against one who is fixed, who stays the same and ages not.
SELECT l, skillrating.create_ladder(l, split_part(l, '_', 2)) FROM unnest('{duel_elo,duel_glicko2,duel_trueskill}'::text[]) AS l;
SELECT (skillrating.set_rating('duel_elo', 7, '{"rating": 1700}', at => '2014-01-01')).players,
    (skillrating.set_rating('duel_glicko2', 7, '{"rating": 1700, "deviation": 80}', at => '2014-01-01')).players,
    (skillrating.set_rating('duel_trueskill', 7, '{"mu": 30, "sigma": 2}', at => '2014-01-01')).players;
SELECT l, (skillrating.set_fixed(l, 7, at => '2014-01-02')).ratings FROM unnest('{duel_elo,duel_glicko2,duel_trueskill}'::text[]) AS l;
\set ECHO none
DO $$
DECLARE
    l text;
BEGIN
    FOREACH l IN ARRAY '{duel_elo,duel_glicko2,duel_trueskill}'::text[] LOOP
        EXECUTE format('INSERT INTO %I.match (match_id, played_at) SELECT m, ''2014-01-02''::timestamptz + m * interval ''10 hours'' FROM generate_series(1, 1000) AS m', l);
        EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) SELECT m, p.id, p.team, CASE WHEN m %% 3 = 0 THEN 1 WHEN m %% 3 = p.team THEN 1 ELSE 2 END
            FROM generate_series(1, 1000) AS m, LATERAL (VALUES (7, 1), (7 + m, 2)) AS p(id, team)', l);
    END LOOP;
END $$;
\set ECHO all
SELECT count(*), max(abs(e.rating_after - u.new_rating_a)) < 1e-9 AS as_by_the_formula
FROM duel_elo.event AS e, skillrating.elo_update(1500, 1700, e.score) AS u WHERE e.player_id > 7;
SELECT count(*), max(abs(e.rating_after - u.new_rating) + abs(e.deviation_after - u.new_deviation) + abs(e.volatility_after - u.new_volatility)) < 1e-9 AS as_by_the_formula
FROM duel_glicko2.event AS e, skillrating.glicko2_update(1500, 350, 0.06, '{1700}', '{80}', ARRAY[e.score], elapsed => 0) AS u WHERE e.player_id > 7;
SELECT count(*), max(abs(e.mu_after - u.new_mu) + abs(e.sigma_after - u.new_sigma)) < 1e-9 AS as_by_the_formula
FROM duel_trueskill.event AS e, skillrating.trueskill_update('{1,2}', CASE e.score WHEN 0.5 THEN '{1,1}' WHEN 1 THEN '{2,1}' ELSE '{1,2}'::int[] END, '{30,25}', ARRAY[2, 25 / 3.0]) AS u
WHERE e.player_id > 7 AND u.ordinal = 2;
SELECT rating, games, fixed, as_of FROM duel_elo.rating WHERE player_id = 7;
SELECT rating, deviation, games, fixed FROM duel_glicko2.rating WHERE player_id = 7;
SELECT mu, sigma, games, fixed FROM duel_trueskill.rating WHERE player_id = 7;

-- On a ladder nothing but a decision about the player changes the state: no year, decay, season,
-- settling or points given back; all of it is the same again from the start.
\set ECHO none
CREATE FUNCTION state_of(ladder text, player bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    result jsonb;
BEGIN
    EXECUTE format('SELECT jsonb_object_agg(r.pool, to_jsonb(r) - ''{player_id,pool,games,wins,draws,losses,last_played,as_of,fixed}''::text[]) FROM %I.rating AS r WHERE r.player_id = $1 AND r.pool <> ''*''', ladder)
    INTO result USING player;
    RETURN result;
END $$;
CREATE FUNCTION lives_on(model text, OUT same bool, OUT humans bool, OUT verified bool, OUT rebuilt bigint, OUT bot bool, OUT undone bool, OUT verified_undone bool) LANGUAGE plpgsql AS $$
DECLARE
    ladder constant text := 'f_' || model;
    mark bigint;
    before jsonb;
    before_others jsonb;
BEGIN
    PERFORM skillrating.set_fixed(ladder, 105, at => '2020-12-01');
    SELECT o.operation INTO mark FROM skillrating.set_fixed(ladder, 110, at => '2020-12-01') AS o;
    before := jsonb_build_array(state_of(ladder, 7), state_of(ladder, 105), state_of(ladder, 110));
    before_others := jsonb_build_array(state_of(ladder, 102), state_of(ladder, 104));
    PERFORM skillrating.settle(ladder, at => '2021-12-01'), skillrating.decay(ladder, rate => 0.001, floor => 1, at => '2021-12-02'),
        skillrating.decay(ladder, half_life => '1 year', at => '2021-12-03'),
        skillrating.new_season(ladder, 'two', keep => 0.5, at => '2021-12-04');
    PERFORM skillrating.report_match(ladder, 1001, '{105,7,110,102}'::bigint[], '{0,1,0,1}', '{1,2,1,2}', played_at => '2022-12-05', kills => '{4,3,2,1}', deaths => '{1,2,3,4}');
    PERFORM skillrating.exclude_player(ladder, 102, since => '2022-12-01', until => '2023-01-01', policy => 'refund', at => '2023-01-02');
    same := before = jsonb_build_array(state_of(ladder, 7), state_of(ladder, 105), state_of(ladder, 110));
    humans := before_others <> jsonb_build_array(state_of(ladder, 102), state_of(ladder, 104));
    SELECT bool_and(ok) INTO verified FROM skillrating.verify(ladder);
    -- A match of long ago had another result; and all of it once more.
    EXECUTE format('UPDATE %I.match_player SET team_score = 5 - team_score WHERE match_id = 3', ladder);
    SET CONSTRAINTS ALL IMMEDIATE;
    PERFORM skillrating.catch_up(ladder);
    SELECT count(*) INTO rebuilt FROM skillrating.catch_up(ladder, rebuild => true);
    bot := before->0 = state_of(ladder, 7);
    -- Without the mark all of it counts.
    PERFORM skillrating.undo_operation(ladder, mark);
    PERFORM skillrating.catch_up(ladder);
    undone := before->2 <> state_of(ladder, 110);
    SELECT bool_and(ok) INTO verified_undone FROM skillrating.verify(ladder);
END $$;
\set ECHO all
SELECT m.name, l.* FROM skillrating.models() AS m, lives_on(m.name) AS l
WHERE NOT (l.same AND l.humans AND l.verified AND l.rebuilt = 0 AND l.bot AND l.undone AND l.verified_undone);

-- Boards show them or not, at any time, with places of their own; a state of the past has not aged.
SELECT place, player_id, rating, fixed IS NULL AS all FROM skillrating.leaderboard('duel_glicko2', 2) AS b, (SELECT NULL::bool AS fixed) AS f;
SELECT place, player_id, round(rating) FROM skillrating.leaderboard('duel_glicko2', 2, fixed => false);
SELECT place, player_id, rating FROM skillrating.leaderboard('duel_glicko2', 2, fixed => true);
SELECT (skillrating.place_of('duel_glicko2', 7)).place AS place, (skillrating.place_of('duel_glicko2', 7, fixed => false)).place AS none,
    (skillrating.place_of('duel_glicko2', 8, fixed => false)).place = (skillrating.place_of('duel_glicko2', 8)).place - 1 AS one_up,
    (skillrating.place_of('duel_glicko2', 7, fixed => true)).percentile AS alone,
    (SELECT count(*) FROM skillrating.around('duel_glicko2', 8, 2, fixed => false) WHERE player_id = '7') AS bots_around;
SELECT count(*), bool_and(b.player_id <> '7') AS humans FROM skillrating.leaderboard('duel_glicko2', 2000, at => '2020-01-01', fixed => false) AS b;
-- Boards that count find the same as those that do not.
SELECT count(*) = 1000 AND bool_and(b.place = (SELECT 1 + count(*) FROM duel_glicko2.rating AS r WHERE NOT r.fixed AND r.rating > b.rating)) AS places
FROM skillrating.leaderboard('duel_glicko2', 2000, fixed => false) AS b;
-- The deviation at a time: of who is fixed that of the mark, of the others larger by idle time.
SELECT y, (SELECT array_agg(b.player_id) FROM skillrating.leaderboard('duel_glicko2', at => y, max_deviation => 80) AS b) AS still_80
FROM unnest('{2014-01-01 01:00,2014-01-03,2014-06-01,2024-06-01}'::timestamptz[]) AS y;

-- A preview goes by the mark of the player and by that of the match, and so does the match; predict()
-- says the same of these states.
SELECT p.player_id, p.rating, round(p.win_change::numeric, 6) AS win, round(p.loss_change::numeric, 6) AS loss, p.win_probability = w.win_probability AS as_win_probability,
    p.win_probability = d.win_probability AS as_predicted
FROM skillrating.preview('duel_elo', '{7,8,2000}'::bigint[], '{1,2,2}', at => '2016-01-01', fixed => '{NULL,NULL,true}') AS p
JOIN skillrating.win_probability('duel_elo', '{7,8,2000}'::bigint[], '{1,2,2}', at => '2016-01-01') AS w USING (team)
JOIN skillrating.predict('elo', ARRAY[1700, (SELECT rating FROM duel_elo.rating WHERE player_id = 8), 1500], '{1,2,2}') AS d USING (team);
SELECT p.player_id, p.win_change <> 0 AS learns FROM skillrating.preview('duel_elo', '{7,8}'::bigint[], '{1,2}', at => '2016-01-01', fixed => '{false,true}') AS p;
SELECT player_id, rating_before = rating_after AS fixed, state_before = state_after AS state, outcome
FROM skillrating.report_match('duel_elo', 2001, '{7,8,2000}'::bigint[], '{1,2,2}', '{1,2,2}', played_at => '2016-01-01', fixed => '{NULL,NULL,true}');
SELECT player_id, fixed FROM duel_elo.rating WHERE player_id IN (7, 8, 2000) ORDER BY 1;
-- A preview of deviations: an idle year changes nothing of who is fixed, and what opponents learn.
SELECT DISTINCT p.win_probability, p.win_change FROM generate_series(timestamptz '2016-01-01', '2030-01-01', '7 years') AS y,
    skillrating.preview('duel_glicko2', '{7,3000}'::bigint[], '{1,2}', at => y) AS p WHERE p.player_id = '3000';

-- Who learns again goes on from there, and the years between do not count.
SELECT (skillrating.set_fixed('duel_glicko2', 7, false, at => '2016-11-13')).ratings;
SELECT deviation, fixed, as_of FROM duel_glicko2.rating WHERE player_id = 7;
SELECT rating_after < 1700 AS loses, state_before[2] > 80 AND state_before[2] < 82 AS a_week_older FROM skillrating.report_match('duel_glicko2', 2002, '{7,8}'::bigint[], '{1,2}', '{2,1}', played_at => '2016-11-20') LIMIT 1;
SELECT bool_and(ok) FROM skillrating.verify('duel_glicko2');

-- Mistakes, and a player before the first match.
\set ON_ERROR_STOP off
\set VERBOSITY terse
SELECT skillrating.set_fixed('duel_elo', 5000);
SELECT skillrating.set_fixed('duel_elo', 7, NULL);
SELECT skillrating.set_fixed('nowhere', 7);
SELECT skillrating.report_match('duel_elo', 2003, '{7,8}'::bigint[], '{1,2}', '{1,2}', fixed => '{true}');
\set ON_ERROR_STOP on
SELECT (skillrating.set_fixed('duel_elo', 5000, pool => '')).ratings, (skillrating.set_rating('duel_elo', 5000, '{"rating": 2000}')).players;
SELECT rating, games, fixed FROM duel_elo.rating WHERE player_id = 5000;
SELECT (skillrating.reset_rating('duel_elo', 5000)).ratings;
SELECT rating, games, fixed FROM duel_elo.rating WHERE player_id = 5000;
SELECT bool_and(ok) FROM skillrating.verify('duel_elo');

-- What pools share, what a model has of a player in a context, and what is everybody's.
SELECT skillrating.create_ladder('modes', 'trueskill2', '{"initial_base_sigma": 1, "base_tau": 0.1, "base_drift": 0.01}'),
    skillrating.create_ladder('maps', 'state_space', '{"home_drift": 0.01}') \gset
UPDATE fixed_participant SET fixed = NULL WHERE player_id = 11;
CALL fill('modes', 1, 240);
INSERT INTO maps.match (match_id, played_at, context) SELECT DISTINCT match_id, played_at, 'map ' || match_id % 3 FROM fixed_participant;
INSERT INTO maps.match_player (match_id, player_id, team, team_score, side, fixed)
SELECT match_id, player_id, team, score, CASE WHEN (SELECT count(DISTINCT team) FROM fixed_participant AS o WHERE o.match_id = p.match_id) = 2 THEN team + 1 END, fixed FROM fixed_participant AS p;
SELECT player_id = 7 AS bot, bool_and(base_mu = 0 AND base_sigma = 1 AND mu = 3) AS initial, count(*) > 2 AS several FROM modes.rating GROUP BY 1 ORDER BY 1;
SELECT c.player_id = 7 AS bot, c.kind, count(*) > 0 AS some, bool_and(c.games > 0 AND c.state = f.before) AS initial
FROM maps.component AS c, LATERAL (SELECT e.before FROM maps.component_event AS e WHERE e.kind = c.kind AND e.player_id IS NOT DISTINCT FROM c.player_id AND e.key = c.key ORDER BY seq LIMIT 1) AS f
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT l, count(*) FILTER (WHERE NOT ok) AS wrong FROM unnest('{modes,maps}'::text[]) AS l, skillrating.verify(l) GROUP BY 1 ORDER BY 1;
SELECT (skillrating.settle('modes', at => '2022-01-01')).players > 0 AS settled, (skillrating.settle('maps', at => '2022-01-01')).players > 0 AS settled;
SELECT bool_and(base_sigma = 1) AS base, bool_and(fixed) AS mark FROM modes.rating WHERE player_id = 7;
SELECT count(*) AS settled FROM maps.component_event AS e WHERE e.player_id = 7 AND e.cause <> 'match';
SELECT l, count(*) FILTER (WHERE NOT ok) AS wrong FROM unnest('{modes,maps}'::text[]) AS l, skillrating.verify(l) GROUP BY 1 ORDER BY 1;

-- Rating periods: who is fixed has none.
SELECT bool_and((r).mu_before = 1500 AND (r).mu_after = 1500 AND (r).deviation_after = 350) FILTER (WHERE player_id = 7) AS bot,
    bool_or((r).mu_after <> 1500) FILTER (WHERE player_id <> 7) AS others
FROM (SELECT *, skillrating.rate('glicko2', player_id, team, team_score => score, played_at => played_at, fixed => fixed, options => '{"period": "month"}') OVER (ORDER BY match_id) AS r FROM fixed_participant) AS p;

-- Seasons of a query and of a ladder; player 11 becomes fixed in the match that begins one.
SELECT skillrating.create_ladder('seasons', 'glicko2', '{"size_advantage": "none"}') \gset
\set ECHO none
CREATE PROCEDURE play_seasons() LANGUAGE plpgsql AS $$
BEGIN
    FOR s IN 0 .. 3 LOOP
        IF s > 0 THEN
            PERFORM skillrating.new_season('seasons', 's' || s, keep => 0.5, at => (SELECT min(played_at) FROM fixed_participant WHERE match_id = 63 * s));
        END IF;
        CALL fill('seasons', 63 * s, 63 * s + 62);
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
    END LOOP;
END $$;
\set ECHO all
UPDATE fixed_participant SET fixed = CASE WHEN match_id = 63 THEN true WHEN match_id = 150 THEN false END WHERE player_id = 11;
CALL play_seasons();
SELECT count(*) AS differ FROM (
    SELECT match_id, player_id, (r).state_before AS before, (r).state_after AS after FROM (
        SELECT *, skillrating.rate('glicko2', player_id, team, team_score => score, weight => weight, kills => kills, deaths => deaths, player_gain => gain, pool => pool, played_at => played_at,
            fixed => fixed, season => match_id / 63, options => '{"size_advantage": "none"}') OVER (ORDER BY match_id) AS r FROM fixed_participant) AS p) AS r
JOIN seasons.event AS e USING (match_id, player_id)
WHERE (r.before, r.after) IS DISTINCT FROM (ARRAY[e.rating_before, e.deviation_before, e.volatility_before], ARRAY[e.rating_after, e.deviation_after, e.volatility_after]);
SELECT count(*) FILTER (WHERE NOT ok) AS wrong FROM skillrating.verify('seasons');

-- A mark that comes late where time makes the order, and another formula.
SELECT skillrating.create_ladder('timely', 'glicko2', late => 'reorder') \gset
CALL fill('timely', 1, 240);
SELECT (skillrating.set_fixed('timely', 105, at => '2020-05-01')).ratings;
SELECT count(*) > 1 AS changed FROM skillrating.catch_up('timely');
SELECT bool_and(rating_before = rating_after AND deviation_before = deviation_after) AS since, count(*) > 3 AS some FROM timely.event WHERE player_id = 105 AND played_at >= '2020-05-01';
SELECT count(*) FILTER (WHERE NOT ok) AS wrong FROM skillrating.verify('timely');
SELECT count(*) FROM (SELECT skillrating.shadow_ladder('timely', 'timely_elo', 'elo')) AS r;
SELECT bool_and(rating_before = rating_after) AS since FROM timely_elo.event WHERE player_id = 105 AND played_at >= '2020-05-01';
SELECT count(*) FILTER (WHERE NOT ok) AS wrong FROM skillrating.verify('timely_elo');
SELECT skillrating.drop_ladder('timely_elo') \gset

-- Behind a horizon the mark is what it was there.
SELECT skillrating.set_horizon('seasons', at => '2020-06-01') IS NOT NULL AS set;
UPDATE seasons.match_player SET team_score = -team_score WHERE match_id BETWEEN 190 AND 200;
SELECT count(*) > 1 AS changed FROM skillrating.catch_up('seasons');
SELECT count(*) FILTER (WHERE NOT ok) AS wrong FROM skillrating.verify('seasons');

SELECT count(skillrating.drop_ladder(n.nspname)) > 14 AS dropped FROM pg_namespace AS n WHERE n.nspname ~ '^(f_|duel_)' OR n.nspname IN ('modes', 'maps', 'seasons', 'timely');
