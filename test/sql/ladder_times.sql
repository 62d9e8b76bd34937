-- As of when each function has the ratings that it shows: stored, or at a time, and the same everywhere.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SET timezone = 'UTC';
CREATE SCHEMA regress_ladder_times;
SET search_path = regress_ladder_times;

-- Twelve players, some idle for long, of whom the last has never played in the pool.
CREATE FUNCTION fill(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at) SELECT g, ''2023-01-01''::timestamptz + g * interval ''1 day 7 hours 11.000017 seconds'' FROM generate_series(1, 120) AS g', ladder);
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score)
        SELECT m.match_id, 1 + (m.match_id * 5 + p + m.match_id / 40 * 3) %% (6 + m.match_id / 40 * 2), p, (m.match_id * p * 7) %% 11 FROM %I.match AS m, generate_series(1, 2) AS p', ladder, ladder);
END
$$;

-- What each function says of each player, as stored or at a time.
CREATE FUNCTION said(ladder text, t timestamptz) RETURNS TABLE (as_of text, by_whom text, player bigint, rating float8) LANGUAGE plpgsql AS $$
DECLARE
    players bigint[];
BEGIN
    EXECUTE format('SELECT array_agg(player_id ORDER BY player_id) FROM %I.rating WHERE pool = ''''', ladder) INTO players;
    RETURN QUERY EXECUTE format('SELECT ''stored'', ''rating'', r.player_id, r.rating FROM %I.rating AS r', ladder);
    RETURN QUERY EXECUTE format('SELECT ''stored'', ''mirror'', m.player_id, m.shown FROM %I AS m', ladder || '_mirror');
    RETURN QUERY SELECT 'stored', 'leaderboard', b.player_id::bigint, b.rating FROM skillrating.leaderboard(ladder, 100) AS b;
    RETURN QUERY SELECT 'stored', 'around', b.player_id::bigint, b.rating FROM skillrating.around(ladder, players[3], 100) AS b;
    RETURN QUERY SELECT 'stored', 'player_status', b.player_id::bigint, b.rating FROM skillrating.player_status(ladder) AS b;
    RETURN QUERY SELECT 'stored', 'find_opponents', b.player_id::bigint, b.rating FROM skillrating.find_opponents(ladder, players[3], 100) AS b;
    RETURN QUERY SELECT 'stored', 'season_table', b.player_id::bigint, b.rating FROM skillrating.season_table(ladder, '', 100) AS b;
    RETURN QUERY SELECT 'stored', 'history', u.p, h.rating_after FROM unnest(players) AS u(p), skillrating.history(ladder, u.p, 1) AS h;
    RETURN QUERY SELECT 'at', 'rating_at', u.p, skillrating.rating_at(ladder, u.p, t) FROM unnest(players) AS u(p);
    RETURN QUERY SELECT 'at', 'leaderboard', b.player_id::bigint, b.rating FROM skillrating.leaderboard(ladder, 100, at => t) AS b;
    RETURN QUERY SELECT 'at', 'around', b.player_id::bigint, b.rating FROM skillrating.around(ladder, players[3], 100, at => t) AS b;
    RETURN QUERY SELECT 'at', 'player_status', b.player_id::bigint, b.rating FROM skillrating.player_status(ladder, at => t) AS b;
    RETURN QUERY SELECT 'at', 'find_opponents', b.player_id::bigint, b.rating FROM skillrating.find_opponents(ladder, players[3], 100, at => t) AS b;
    RETURN QUERY SELECT 'at', 'preview', b.player_id::bigint, b.rating FROM skillrating.preview(ladder, players, ARRAY(SELECT 1 + i % 2 FROM generate_subscripts(players, 1) AS i), at => t) AS b;
    RETURN QUERY SELECT 'at', 'lobby', u.p::bigint, u.mu FROM skillrating.lobby(ladder, players, at => t) AS l, unnest(l.players, l.mu) AS u(p, mu);
    PERFORM skillrating.create_ladder('heir', l.model, l.params) FROM (SELECT (xpath('/row/model/text()', x))[1]::text, (xpath('/row/params/text()', x))[1]::text::jsonb FROM query_to_xml(format('SELECT model, params FROM %I.ladder', ladder), false, true, '') AS x) AS l(model, params);
    PERFORM skillrating.seed_from('heir', ladder, at => t);
    RETURN QUERY SELECT 'at', 'seed_from', r.player_id, r.rating FROM heir.rating AS r;
    PERFORM skillrating.drop_ladder('heir');
END
$$;
\set ECHO all

SELECT skillrating.create_ladder('shooter', 'frag', '{"decay": 0.5, "decay_floor": 500}', apply_at => 'statement'), skillrating.create_ladder('chess', 'glicko2', apply_at => 'statement') \gset
\set ECHO none
CREATE TABLE shooter_mirror (player_id bigint PRIMARY KEY, shown float8);
CREATE TABLE chess_mirror (player_id bigint PRIMARY KEY, shown float8);
SELECT fill('shooter'), fill('chess') \gset
INSERT INTO shooter_mirror SELECT player_id FROM shooter.rating;
INSERT INTO chess_mirror SELECT player_id FROM chess.rating;
\set ECHO all
SELECT skillrating.mirror_rating('shooter', 'shooter_mirror', 'player_id', '{"shown": "rating"}') > 8 AS shooter, skillrating.mirror_rating('chess', 'chess_mirror', 'player_id', '{"shown": "rating"}') > 8 AS chess;
-- Before the ladder is settled those of one group agree to the bit, and under frag's decay the groups differ;
-- afterwards all do.
CREATE TABLE heard AS SELECT l.ladder, false AS settled, s.* FROM unnest('{shooter,chess}'::text[]) AS l(ladder), said(l.ladder, '2024-01-15') AS s;
SELECT l.ladder, (skillrating.settle(l.ladder, '2024-01-15')).players > 8 AS settled FROM unnest('{shooter,chess}'::text[]) AS l(ladder);
INSERT INTO heard SELECT l.ladder, true, s.* FROM unnest('{shooter,chess}'::text[]) AS l(ladder), said(l.ladder, '2024-01-15') AS s;
SELECT as_of, players, times, string_agg(by_whom, ' ' ORDER BY by_whom)
FROM (SELECT as_of, by_whom, min(n) AS players, count(*) AS times FROM (SELECT ladder, settled, as_of, by_whom, count(rating) AS n FROM heard GROUP BY 1, 2, 3, 4) AS q GROUP BY 1, 2) AS q GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3;
SELECT settled, as_of, bool_and(n = 1) AS agree FROM (SELECT settled, as_of, ladder, player, count(DISTINCT rating) AS n FROM heard GROUP BY 1, 2, 3, 4) AS q GROUP BY 1, 2 ORDER BY 1, 2;
SELECT ladder, settled, count(*) FILTER (WHERE n > 1) > 0 AS groups_differ FROM (SELECT ladder, settled, player, count(DISTINCT rating) AS n FROM heard GROUP BY 1, 2, 3) AS q GROUP BY 1, 2 ORDER BY 1, 2;
-- Deviations are seeded as of the time, too.
SELECT skillrating.create_ladder('heir', 'glicko2'), players > 8 AS seeded FROM skillrating.settle('chess', '2024-06-01') AS s;
SELECT players > 8 AS seeded FROM skillrating.seed_from('heir', 'chess', at => '2024-09-01');
SELECT bool_and(h.deviation = s.state[2] AND h.volatility = s.state[3]) AND bool_or(h.deviation > c.deviation) AS aged
FROM heir.rating AS h JOIN chess.rating AS c USING (player_id), chess.ladder AS l,
    LATERAL (SELECT skillrating.idle_state(l.model, ARRAY[c.rating, c.deviation, c.volatility], '2024-09-01' - c.as_of, l.params) AS state) AS s;
-- At an earlier time, those who had played by then, with what they had.
SELECT skillrating.create_ladder('past', 'frag', '{"decay": 0.5, "decay_floor": 500}') \gset
SELECT players > 4 AS seeded FROM skillrating.seed_from('past', 'shooter', at => '2023-02-01');
SELECT bool_and(h.rating = skillrating.rating_at('shooter', h.player_id, '2023-02-01')) AS as_then, count(*) < (SELECT count(*) FROM shooter.rating) AS fewer FROM past.rating AS h;
-- A match at a time before the last one finds the states as they are.
SELECT bool_and(w.rating = r.rating) AS as_stored FROM skillrating.preview('shooter', '{1,2}'::bigint[], '{1,2}', at => '2023-02-01') AS w JOIN shooter.rating AS r ON r.player_id::text = w.player_id;
SELECT bool_and(l.mu[r.player_id] = r.rating) AS as_stored FROM skillrating.lobby('shooter', '{1,2}'::bigint[], at => '2023-02-01') AS l JOIN shooter.rating AS r ON r.player_id IN (1, 2);
SELECT skillrating.lobby('chess', '{1,2}'::bigint[], at => 'infinity');
SELECT skillrating.player_status('chess', at => 'infinity');

-- Every function on a ladder that takes a time: which it is by default.
SELECT (regexp_match(pg_get_function_arguments(p.oid), '\mat timestamp with time zone(?: DEFAULT ([^,]*))?'))[1] AS default_at, string_agg(p.proname, ' ' ORDER BY p.proname) AS functions
FROM pg_proc AS p WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proname IN (SELECT e.function FROM skillrating_internal.ladder_entries() AS e)
    AND pg_get_function_arguments(p.oid) ~ '\mat timestamp with time zone' GROUP BY 1 ORDER BY 1;

SELECT count(skillrating.drop_ladder(l)) FROM unnest('{shooter,chess,heir,past}'::text[]) AS l;
DROP SCHEMA regress_ladder_times CASCADE;
