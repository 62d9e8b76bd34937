-- Idle time: what boards, predictions, history and mirrors show of it, and settle(), which counts it.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SET timezone = 'UTC';

-- 240 matches of 12 players in two pools, some players idle for long; with all matches up to a time.
CREATE FUNCTION fill(ladder text, until timestamptz DEFAULT 'infinity', since timestamptz DEFAULT '-infinity') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at, pool)
        SELECT g, t, CASE WHEN g %% 3 = 0 THEN ''duel'' ELSE '''' END
        FROM generate_series(1, 240) AS g, LATERAL (SELECT ''2023-01-01''::timestamptz + g * interval ''1 day 7 hours 11.000017 seconds'') AS p(t)
        WHERE t <= $1 AND t > $2', ladder) USING until, since;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank, team_score)
        SELECT m.match_id, 1 + (m.match_id * 5 + p + m.match_id / 60 * 3) %% (6 + m.match_id / 60 * 2), p, NULL, (m.match_id * p * 7) %% 11
        FROM %1$I.match AS m, generate_series(1, 2) AS p WHERE m.played_at > $1', ladder) USING since;
END
$$;
\set ECHO all

-- With frag's decay the board and predictions agree at the settled time, whoever was idle.
SELECT skillrating.create_ladder('duels', 'frag', '{"decay": 0.5, "decay_floor": 500}') \gset
INSERT INTO duels.match (match_id, played_at) VALUES (1, '2020-01-01'), (2, '2020-01-02'), (3, '2022-09-27');
INSERT INTO duels.match_player (match_id, player_id, team, team_score) VALUES (1, 1, 1, 10), (1, 2, 2, 0), (2, 1, 1, 10), (2, 3, 2, 0), (3, 2, 1, 10), (3, 3, 2, 5);
CREATE TABLE shown (player bigint PRIMARY KEY, rating float8);
INSERT INTO shown SELECT generate_series(1, 3);
SELECT skillrating.mirror_rating('duels', 'shown', 'player', '{"rating": "rating"}') AS mirrored;
SELECT player_id FROM skillrating.leaderboard('duels');
SELECT player_id FROM skillrating.leaderboard('duels', at => '2022-09-28');
SELECT (SELECT max(at) FROM duels.operation WHERE kind = 'settle' AND undone_at IS NULL) IS NULL AS never;
CREATE TABLE stored AS TABLE duels.rating;
SELECT operation > 0 AS operation, players FROM skillrating.settle('duels', '2022-09-28');
SELECT (SELECT max(at) FROM duels.operation WHERE kind = 'settle' AND undone_at IS NULL);
SELECT r.player_id, r.as_of, r.games = s.games AND r.last_played = s.last_played AS as_it_was,
    abs(r.rating - greatest(s.rating - extract(epoch FROM '2022-09-28' - s.as_of) / 86400 * 0.5, 500)) < 1e-9 AS decayed
FROM duels.rating AS r JOIN stored AS s USING (player_id) ORDER BY player_id;
SELECT player_id FROM skillrating.leaderboard('duels');
SELECT bool_and(b.rating = w.rating) AND bool_and(b.rating = r.rating) AND bool_and(b.rating = h.rating_after) AND bool_and(b.rating = skillrating.rating_at('duels', b.player_id, '2022-09-28')) AS agree
FROM skillrating.leaderboard('duels') AS b
JOIN skillrating.preview('duels', '{1,2,3}'::bigint[], '{1,2,3}', at => (SELECT max(at) FROM duels.operation WHERE kind = 'settle' AND undone_at IS NULL)) AS w USING (player_id)
JOIN shown AS r ON r.player::text = b.player_id
CROSS JOIN LATERAL skillrating.history('duels', b.player_id, 1) AS h;
-- For any time a win is as probable as Elo's curve has it between the two on the board of that time.
SELECT bool_and(abs(w.win_probability - skillrating.elo_win_probability(a.rating, b.rating)) < 1e-12) AS as_on_the_board
FROM unnest('{2022-09-28,2022-12-01,2024-01-01}'::timestamptz[]) AS at,
    skillrating.win_probability('duels', '{1,2}'::bigint[], '{1,2}', at => at) AS w,
    skillrating.leaderboard('duels', at => at) AS a, skillrating.leaderboard('duels', at => at) AS b
WHERE w.team = 1 AND a.player_id = '1' AND b.player_id = '2';
-- What was counted is not counted again.
INSERT INTO duels.match (match_id, played_at) VALUES (4, '2022-10-08');
INSERT INTO duels.match_player (match_id, player_id, team, team_score) VALUES (4, 1, 1, 3), (4, 2, 2, 1);
SELECT seq, kind, played_at, last_played_before, as_of_before FROM duels.event WHERE player_id = 1 ORDER BY seq;
SELECT kind, round(rating_before::numeric, 4) AS before, round(rating_after::numeric, 4) AS after, round(rest_change::numeric, 4) AS rest_change FROM skillrating.history('duels', 1);
-- Settling again at the same time, at an earlier one, and at none.
SELECT * FROM skillrating.settle('duels', '2022-11-01');
SELECT * FROM skillrating.settle('duels', '2022-11-01');
INSERT INTO duels.match (match_id, played_at) VALUES (5, '2022-10-20');
INSERT INTO duels.match_player (match_id, player_id, team, team_score) VALUES (5, 3, 1, 3), (5, 4, 2, 1);
SELECT players FROM skillrating.settle('duels', '2022-11-01');
SELECT count(*), count(DISTINCT seq) FROM duels.operation;
SELECT * FROM skillrating.settle('duels', '2022-10-31');
SELECT skillrating.settle('duels', 'infinity');
SELECT skillrating.settle('duels', NULL);
SELECT skillrating.settle('nowhere');
SELECT skillrating.leaderboard('duels', at => 'infinity');
SELECT skillrating.rating_at('duels', 1, '-infinity');
SELECT skillrating.preview('duels', '{1,2}'::bigint[], '{1,2}', at => 'infinity');
-- A time of null is now, as drivers send an argument that they have not.
BEGIN;
SELECT count(*) FROM skillrating.preview('duels', '{1,2}'::bigint[], '{1,2}', at => NULL) AS p JOIN skillrating.preview('duels', '{1,2}'::bigint[], '{1,2}') AS q ON p = q;
SELECT count(*) FROM skillrating.win_probability('duels', '{1,2}'::bigint[], '{1,2}', at => NULL) AS p JOIN skillrating.win_probability('duels', '{1,2}'::bigint[], '{1,2}') AS q ON p = q;
COMMIT;
-- Corrections go through it, and it can be undone.
SELECT skillrating.void_match('duels', 3) \gset
SELECT count(*) FROM skillrating.catch_up('duels');
SELECT bool_and(ok) FROM skillrating.verify('duels');
SELECT skillrating.undo_operation('duels', max(operation)) FROM duels.operation WHERE kind = 'settle' AND undone_at IS NULL \gset
SELECT skillrating.undo_operation('duels', max(operation)) FROM duels.operation WHERE kind = 'settle' AND undone_at IS NULL \gset
SELECT (SELECT max(at) FROM duels.operation WHERE kind = 'settle' AND undone_at IS NULL);
SELECT count(*) > 0 FROM skillrating.catch_up('duels');
SELECT bool_and(ok) FROM skillrating.verify('duels');
SELECT skillrating.undo_operation('duels', max(operation)) FROM duels.operation WHERE kind = 'settle' AND undone_at IS NULL \gset
SELECT count(*) > 0 FROM skillrating.catch_up('duels');
SELECT count(*) FROM duels.event WHERE kind <> 'match' OR as_of_before IS NOT NULL;
SELECT bool_and(s.rating = r.rating) FROM shown AS s JOIN duels.rating AS r ON r.player_id = s.player;
-- A state that is set by hand is as of then, and rests from then on.
SELECT players FROM skillrating.set_rating('duels', 1, '{"rating": 1500}', at => '2023-01-01');
SELECT round(skillrating.rating_at('duels', 1, '2023-01-11')) AS after_ten_days, round(rating) AS predicted
FROM skillrating.preview('duels', '{1,2}'::bigint[], '{1,2}', at => '2023-01-11') WHERE player_id = '1';
SELECT skillrating.drop_ladder('duels') \gset
DROP TABLE shown, stored;

-- A deviation that grows: who was idle no longer passes, by the textbook.
SELECT skillrating.create_ladder('games', 'glicko', '{"c": 63.2, "period_days": 30}') \gset
SELECT fill('games') \gset
CREATE TABLE stored AS SELECT * FROM games.rating WHERE pool = '';
CREATE VIEW textbook AS
SELECT player_id, at, least(sqrt(deviation ^ 2 + 63.2 ^ 2 * extract(epoch FROM at - as_of)::float8 / 86400 / 30), 350) AS deviation
FROM stored, unnest('{2024-06-01,2026-01-01}'::timestamptz[]) AS at;
SELECT t.at, t.most, count(*) FILTER (WHERE t.deviation <= most) > 0 AS some, count(*) FILTER (WHERE t.deviation > most) > 0 AS not_all,
    array_agg(player_id::text ORDER BY player_id) FILTER (WHERE t.deviation <= most)
        IS NOT DISTINCT FROM (SELECT array_agg(b.player_id ORDER BY b.player_id::bigint) FROM skillrating.leaderboard('games', 100, max_deviation => t.most, at => t.at, pool => '') AS b) AS as_textbook
FROM (SELECT t.*, most FROM textbook AS t, unnest('{200,250,340,350}'::float8[]) AS most) AS t GROUP BY t.at, t.most ORDER BY t.at, t.most;
SELECT count(*) > 0 FROM skillrating.leaderboard('games', 100, max_deviation => 200, pool => '');
SELECT players FROM skillrating.settle('games', '2026-01-01');
SELECT count(*) FROM skillrating.leaderboard('games', 100, max_deviation => 200, pool => '');
SELECT bool_and(abs(r.deviation - t.deviation) < 1e-9) FROM games.rating AS r JOIN textbook AS t USING (player_id) WHERE r.pool = '' AND t.at = '2026-01-01';
-- Those at the limit have nothing left to count.
SELECT players, (SELECT count(*) FROM games.rating) AS all FROM skillrating.settle('games', '2026-04-01');
SELECT players FROM skillrating.settle('games', '2026-05-01');
SELECT bool_and(ok) FROM skillrating.verify('games');
SELECT skillrating.drop_ladder('games') \gset
DROP VIEW textbook;
DROP TABLE stored;

-- A ladder that is settled every day has the ratings of one that never was; under any model.
\set ECHO none
CREATE FUNCTION settled_often(model text, params jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    far float8;
    ok boolean;
    settles bigint;
BEGIN
    PERFORM skillrating.create_ladder('daily', model, params), skillrating.create_ladder('never', model, params);
    FOR day IN 0 .. 33 LOOP
        -- Ten days of matches, then a settle.
        EXECUTE 'INSERT INTO daily.match (match_id, played_at, pool)
            SELECT g, t, CASE WHEN g % 3 = 0 THEN ''duel'' ELSE '''' END FROM generate_series(1, 240) AS g,
                LATERAL (SELECT ''2023-01-01''::timestamptz + g * interval ''1 day 7 hours 11.000017 seconds'') AS p(t)
            WHERE t > ''2023-01-01''::timestamptz + $1 * interval ''10 days'' AND t <= ''2023-01-01''::timestamptz + ($1 + 1) * interval ''10 days''' USING day;
        EXECUTE 'INSERT INTO daily.match_player (match_id, player_id, team, rank, team_score)
            SELECT m.match_id, 1 + (m.match_id * 5 + p + m.match_id / 60 * 3) % (6 + m.match_id / 60 * 2), p, NULL, (m.match_id * p * 7) % 11
            FROM daily.match AS m, generate_series(1, 2) AS p WHERE m.match_id NOT IN (SELECT match_id FROM daily.match_player)';
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
        PERFORM skillrating.settle('daily', '2023-01-01'::timestamptz + (day + 1) * interval '10 days');
    END LOOP;
    PERFORM fill('never');
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    SELECT max(coalesce(abs(rating_a - rating_b), 'Infinity')) INTO far
    FROM unnest('{"",duel}'::text[]) AS pool CROSS JOIN LATERAL (
        SELECT a.rating AS rating_a, b.rating AS rating_b
        FROM skillrating.leaderboard('daily', 100, pool, at => '2024-06-01') AS a
        FULL JOIN skillrating.leaderboard('never', 100, pool, at => '2024-06-01') AS b USING (player_id, games, wins, draws, losses, last_played)) AS q;
    SELECT bool_and(v.ok) INTO ok FROM skillrating.verify('daily') AS v;
    SELECT count(*) INTO settles FROM daily.event WHERE kind = 'settle';
    PERFORM skillrating.drop_ladder('daily'), skillrating.drop_ladder('never');
    RETURN format('%s: %s, %s, %s', model, CASE WHEN far < 1e-7 THEN 'the same' ELSE 'off by ' || far END, CASE WHEN ok THEN 'verified' ELSE 'wrong' END,
        CASE WHEN settles > 0 THEN 'with events' ELSE 'without events' END);
END
$$;
\set ECHO all
SELECT settled_often(model, params::jsonb)
FROM (VALUES ('elo', '{}'), ('frag', '{"decay": 0.5, "decay_floor": 800}'), ('glicko', '{"c": 63.2}'), ('glicko2', '{}'), ('weng_lin', '{"drift": 0.2}'),
    ('trueskill', '{"drift": 0.2}'), ('trueskill2', '{"drift": 0.2, "initial_base_sigma": 3, "base_drift": 0.1}')) AS m(model, params);

-- The same with two players who are put back to newcomers on the way, one of them in one pool.
\set ECHO none
CREATE FUNCTION fill_with_resets(ladder text, until timestamptz DEFAULT 'infinity') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    reset_at constant timestamptz := '2023-06-01';
BEGIN
    PERFORM fill(ladder, least(until, reset_at));
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    IF until >= reset_at THEN
        PERFORM skillrating.reset_rating(ladder, 3, at => reset_at), skillrating.reset_rating(ladder, 4, 'duel', at => reset_at);
    END IF;
    PERFORM fill(ladder, until, reset_at);
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;
\set ECHO all

-- The board of any time is that of a ladder that got no more matches and was settled then, to the last bit;
-- before its first match nobody is on it.
\set ECHO none
CREATE FUNCTION board_of(model text, params jsonb, at timestamptz) RETURNS TABLE (players bigint, different bigint, places bigint, rating_at bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.create_ladder('part', model, params), fill_with_resets('part', at);
    PERFORM skillrating.settle('part', at);
    FOR players, different, places, rating_at IN
        SELECT sum(b.players), sum(b.different), sum(b.places), sum(b.rating_at)
        FROM unnest('{"",duel}'::text[]) AS p, LATERAL (
            SELECT count(*) AS players, count(*) FILTER (WHERE w IS DISTINCT FROM s) AS different,
                count(*) FILTER (WHERE w.place IS DISTINCT FROM (skillrating.place_of('whole', coalesce(w.player_id, '0')::bigint, p, 0, at => board_of.at)).place) AS places,
                count(*) FILTER (WHERE w.rating IS DISTINCT FROM skillrating.rating_at('whole', coalesce(w.player_id, '0')::bigint, board_of.at, p)) AS rating_at
            FROM skillrating.leaderboard('whole', 100, p, 0, at => board_of.at) AS w
            FULL JOIN skillrating.leaderboard('part', 100, p, 0) AS s USING (player_id)) AS b
    LOOP
        RETURN NEXT;
    END LOOP;
    PERFORM skillrating.drop_ladder('part');
END
$$;
CREATE FUNCTION boards(model text, params jsonb) RETURNS TABLE (name text, board int, players bigint, different bigint, places bigint, rating_at bigint) LANGUAGE plpgsql AS $$
BEGIN
    name := model;
    PERFORM skillrating.create_ladder('whole', model, params), fill_with_resets('whole');
    FOR board, players, different, places, rating_at IN
        SELECT n, b.* FROM unnest('{2022-12-31,2023-02-01 12:00,2023-05-20 00:00:00.000001,2023-06-01,2023-11-30,2024-06-01}'::timestamptz[]) WITH ORDINALITY AS t(at, n), board_of(model, params, t.at) AS b
    LOOP
        RETURN NEXT;
    END LOOP;
    PERFORM skillrating.drop_ladder('whole');
END
$$;
\set ECHO all
SELECT b.name, string_agg(concat_ws('/', players, different, places, rating_at), ', ' ORDER BY board) FROM (VALUES ('frag', '{"decay": 0.5, "decay_floor": 800}'), ('glicko2', '{}'), ('trueskill2', '{"drift": 0.2, "initial_base_sigma": 3, "base_drift": 0.1}')) AS m(model, params),
    boards(model, params::jsonb) AS b GROUP BY b.name ORDER BY b.name;

-- History has no jump that it does not tell, and tells of idle time what a state says after it.
SELECT skillrating.create_ladder('whole', 'trueskill', '{"drift": 0.3}') \gset
SELECT fill('whole') \gset
\set VERBOSITY terse
SELECT bool_and(ok) FROM (SELECT (skillrating.new_season('whole', 'next', at => '2024-01-01')).players > 0,
    (skillrating.settle('whole', '2024-02-01')).players > 0) AS q(a, b), LATERAL (SELECT a AND b AS ok) AS o;
SELECT count(*) > 200 AS many, bool_and(rest_change < 0 OR kind = 'settle') AS idle, bool_or(kind = 'settle' AND rating_after < rating_before) AS settled,
    bool_and(abs(rating_before - coalesce(last_after + rest_change, rating_before)) < 1e-9) AS told,
    bool_and(coalesce(abs(rest_change - CASE WHEN kind = 'settle' THEN 0 ELSE
        skillrating.state_rating('trueskill', skillrating.idle_state('trueskill', last_state, played_at - last_time, '{"drift": 0.3}')) - last_after END) < 1e-9, true)) AS by_the_model
FROM (SELECT h.*, lag(h.rating_after) OVER p AS last_after, lag(h.played_at) OVER p AS last_time, lag(ARRAY[e.mu_after, e.sigma_after]) OVER p AS last_state
    FROM whole.rating AS r, skillrating.history('whole', r.player_id, pool => '') AS h JOIN whole.event AS e ON e.seq = h.seq
    WHERE e.player_id = r.player_id AND e.pool = '' AND r.pool = ''
    WINDOW p AS (PARTITION BY r.player_id ORDER BY h.seq)) AS q
WHERE last_after IS NOT NULL OR rest_change IS NULL;
-- With fewer rows the first one still knows what was before.
SELECT (SELECT rest_change FROM skillrating.history('whole', 1, 1, pool => '')) = (SELECT rest_change FROM skillrating.history('whole', 1, pool => '') OFFSET (SELECT count(*) - 1 FROM skillrating.history('whole', 1, pool => ''))) AS same;
-- find_opponents at a time: among the ratings of then, by the prediction for then.
SELECT bool_and(o.rating = b.rating AND o.win_probability = w.win_probability AND o.why->'terms'->>'rating' = m.rating::text)
FROM skillrating.find_opponents('whole', 1, 3, at => '2025-01-01', explain => true, pool => '') AS o
JOIN skillrating.leaderboard('whole', 100, at => '2025-01-01', pool => '') AS b USING (player_id)
CROSS JOIN LATERAL skillrating.win_probability('whole', ARRAY[1, o.player_id::bigint], '{1,2}', at => '2025-01-01', pool => '') AS w
JOIN skillrating.leaderboard('whole', 100, at => '2025-01-01', pool => '') AS m ON m.player_id = '1' WHERE w.team = 1;
SELECT skillrating.drop_ladder('whole') \gset

-- Where time makes the order, a settle of an earlier time takes its place; one of the same time has nothing to do.
SELECT skillrating.create_ladder('timed', 'frag', '{"decay": 0.5, "decay_floor": 800}', late => 'reorder'), skillrating.create_ladder('other', 'frag', '{"decay": 0.5, "decay_floor": 800}', late => 'reorder') \gset
SELECT fill('timed') \gset
SELECT (skillrating.settle('timed', '2024-03-01')).players > 0 AS late, (skillrating.settle('timed', '2023-06-01')).operation > 0 AS earlier, (skillrating.settle('timed', '2023-06-01')).operation IS NULL AS same;
SELECT count(*) > 0 AS waits FROM timed.correction;
SELECT count(*) > 0 FROM skillrating.catch_up('timed');
SELECT bool_and(ok) FROM skillrating.verify('timed');
SELECT fill('other', '2023-06-01') \gset
SELECT (skillrating.settle('other', '2023-06-01')).players > 0;
INSERT INTO other.match SELECT * FROM timed.match AS m WHERE m.played_at > '2023-06-01';
INSERT INTO other.match_player SELECT p.* FROM timed.match_player AS p JOIN timed.match AS m USING (match_id) WHERE m.played_at > '2023-06-01';
SELECT (skillrating.settle('other', '2024-03-01')).players > 0;
SELECT count(*) FROM ((TABLE timed.rating EXCEPT ALL TABLE other.rating) UNION ALL (TABLE other.rating EXCEPT ALL TABLE timed.rating)) AS d;
-- Another formula for the same history, with its settles.
SELECT skillrating.shadow_ladder('timed', 'again', 'glicko2') > 0;
SELECT count(*), bool_and(players > 0) FROM (SELECT seq, count(*) AS players FROM again.event WHERE kind = 'settle' GROUP BY seq) AS e;
SELECT (SELECT max(at) FROM again.operation WHERE kind = 'settle' AND undone_at IS NULL), bool_and(ok) FROM skillrating.verify('again');
SELECT skillrating.promote_ladder('again', 'former');
ALTER SCHEMA former RENAME TO again;
SELECT (SELECT max(at) FROM timed.operation WHERE kind = 'settle' AND undone_at IS NULL), bool_and(ok) FROM skillrating.verify('timed');
SELECT skillrating.drop_ladder('again'), skillrating.drop_ladder('timed'), skillrating.drop_ladder('other') \gset

-- What pools share is counted once, for all of them: also of who was set by hand and has not played.
SELECT skillrating.create_ladder('modes', 'trueskill2', '{"drift": 0.2, "initial_base_sigma": 3, "base_drift": 0.1}') \gset
SELECT fill('modes') \gset
SELECT (skillrating.set_rating('modes', 99, '{"mu": 1}', pool => 'duel', at => '2024-01-01')).players;
SELECT pool, last_played, as_of, games FROM modes.rating WHERE player_id = 99 ORDER BY pool COLLATE "C";
SELECT (skillrating.settle('modes', '2024-06-01')).players = (SELECT count(*) FROM modes.rating WHERE player_id <> 99) AS all_who_played;
SELECT count(*) FILTER (WHERE (r.base_mu, r.base_sigma, r.as_of) IS DISTINCT FROM (s.base_mu, s.base_sigma, s.as_of)) AS apart, array_agg(DISTINCT r.player_id) FILTER (WHERE r.as_of <> '2024-06-01') AS at_limits
FROM modes.rating AS r JOIN modes.rating AS s USING (player_id) WHERE s.pool = '*';
SELECT bool_and(ok) FROM skillrating.verify('modes');
SELECT count(*) FROM skillrating.catch_up('modes', rebuild => true);
SELECT skillrating.void_match('modes', 200), skillrating.void_match('modes', 7) \gset
SELECT count(*) > 0 FROM skillrating.catch_up('modes');
SELECT bool_and(ok) FROM skillrating.verify('modes');
SELECT skillrating.drop_ladder('modes') \gset

-- Under a model without idle time only the settled time advances.
SELECT skillrating.create_ladder('plain', 'elo') \gset
SELECT fill('plain') \gset
CREATE TABLE stored AS TABLE plain.rating;
SELECT operation > 0 AS noted, players FROM skillrating.settle('plain', '2024-06-01');
SELECT (SELECT max(at) FROM plain.operation WHERE kind = 'settle' AND undone_at IS NULL), count(*) FROM ((TABLE plain.rating EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE plain.rating)) AS d;
DROP TABLE stored;

-- A board of a time needs events, too.
CREATE ROLE regress_rester;
GRANT USAGE ON SCHEMA plain TO regress_rester;
GRANT SELECT ON plain.rating TO regress_rester;
SET ROLE regress_rester;
SELECT count(*) FROM skillrating.leaderboard('plain', 1, pool => '');
SELECT count(*) FROM skillrating.leaderboard('plain', 1, at => '2024-01-01', pool => '');
SELECT count(*) FROM skillrating.around('plain', 1, at => '2024-01-01', pool => '');
SELECT (skillrating.place_of('plain', 1, at => '2024-01-01', pool => '')).place;
SELECT count(*) FROM skillrating.find_opponents('plain', 1, at => '2024-01-01', pool => '');
\set VERBOSITY default
SELECT (SELECT max(at) FROM plain.operation WHERE kind = 'settle' AND undone_at IS NULL);
SELECT skillrating.settle('plain');
RESET ROLE;
GRANT SELECT ON plain.event TO regress_rester;
SET ROLE regress_rester;
SELECT count(*) FROM skillrating.leaderboard('plain', 1, at => '2024-01-01', pool => '');
SELECT (skillrating.place_of('plain', 1, at => '2024-01-01', pool => '')).percentile IS NOT NULL;
RESET ROLE;
SELECT skillrating.drop_ladder('plain') \gset
DROP ROLE regress_rester;

-- States after idle time, as plain functions have them.
SELECT skillrating.idle_state('frag', '{1200}', '30 days 12 hours', '{"decay": 2, "decay_floor": 1000}') = ARRAY[1200 - 30.5 * 2]::float8[] AS frag,
    abs((skillrating.idle_state('glicko', '{1500,50}', '2 months', '{"c": 34.6, "period_days": 30}'))[2] - sqrt(50 ^ 2 + 2 * 34.6 ^ 2)) < 1e-9 AS glicko,
    skillrating.idle_state('elo', '{1500}', '99 years') AS elo, skillrating.idle_state('frag', NULL, '1 day') AS unknown,
    skillrating.idle_state('glicko', '{1500,50}', '178000000 years') AS limited;
-- Shared columns come from the shared state, age by its own idle time, and stay without one.
SELECT (SELECT array_agg(state_columns[n] ORDER BY n) FROM skillrating.models() AS m, generate_subscripts(m.state_columns, 1) AS n
        WHERE name = 'trueskill2' AND aged[n] <> alone[n]) AS differ,
    abs(aged[array_position(columns, 'base_sigma')] - sqrt(1 + 0.01 * 10)) < 1e-12 AS base, abs(aged[array_position(columns, 'sigma')] - sqrt(4 + 0.04 * 25)) < 1e-12 AS own
FROM (SELECT state_columns AS columns, ARRAY(SELECT CASE c WHEN 'sigma' THEN 2 WHEN 'base_sigma' THEN 1.5 ELSE 0 END FROM unnest(state_columns) AS c)::float8[] AS state,
        ARRAY(SELECT CASE c WHEN 'base_mu' THEN 3 WHEN 'base_sigma' THEN 1 ELSE 9 END FROM unnest(state_columns) AS c)::float8[] AS shared
    FROM skillrating.models() WHERE name = 'trueskill2') AS m,
    LATERAL (SELECT '{"drift": 0.2, "initial_sigma": 6, "initial_base_sigma": 3, "base_drift": 0.1}'::jsonb AS params) AS p,
    LATERAL (SELECT skillrating.idle_state('trueskill2', state, '25 days', params, shared, '10 days') AS aged, skillrating.idle_state('trueskill2', state, '25 days', params) AS alone) AS a;
SELECT skillrating.idle_state('frag', '{1200}', '-1 day');
SELECT skillrating.idle_state('frag', '{1200,1}', '1 day');
SELECT skillrating.idle_state('none', '{1200}', '1 day');

DROP FUNCTION fill, fill_with_resets, settled_often, board_of, boards;
