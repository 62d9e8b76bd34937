-- States of a ladder that belong to something else than a player alone: home advantage, a map, a
-- club, a player on a map.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
SET extra_float_digits = 1;
\pset null -

-- 300 matches of 14 players, in two pools, in no order of time, some at the same time.
CREATE TABLE played AS
SELECT m AS match_id, '2024-01-01'::timestamptz + (m * 37 % 150) * interval '5 hours' AS played_at,
    CASE WHEN m % 4 = 0 THEN 'blitz' ELSE '' END AS pool, CASE WHEN m % 5 > 0 THEN 'map ' || m % 3 END AS context,
    (m * 11 + t * (1 + m % 6)) % 14 AS player_id, t AS team, (m * 13 + t * 5 + m / 7) % 4 AS team_score,
    CASE WHEN m % 3 > 0 THEN t END AS side, CASE WHEN (m + t) % 6 > 0 THEN 'club ' || (m * 11 + t) % 4 END AS club
FROM generate_series(1, 300) AS m, generate_series(1, 2) AS t;

CREATE FUNCTION play(ladder text, first int DEFAULT 1, last int DEFAULT 300) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at, pool, context)
        SELECT DISTINCT match_id, played_at, pool, context FROM played WHERE match_id BETWEEN $1 AND $2', ladder) USING first, last;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, team_score, side, club)
        SELECT match_id, player_id, team, team_score, side, club FROM played WHERE match_id BETWEEN $1 AND $2', ladder) USING first, last;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END $$;

-- Whether two ladders have the same rows, but for seq.
CREATE FUNCTION differences(a text, b text) RETURNS TABLE (relation text, differences bigint) LANGUAGE plpgsql AS $$
BEGIN
    FOREACH relation IN ARRAY '{rating,event,component,component_event}'::text[] LOOP
        RETURN QUERY EXECUTE format(
            'WITH a AS (SELECT to_jsonb(r) - ''seq'' AS r FROM %1$I.%3$I AS r), b AS (SELECT to_jsonb(r) - ''seq'' AS r FROM %2$I.%3$I AS r)
            SELECT %3$L, count(*) FROM ((TABLE a EXCEPT ALL TABLE b) UNION ALL (TABLE b EXCEPT ALL TABLE a)) AS d', a, b, relation);
    END LOOP;
END $$;
CREATE FUNCTION faults(ladder text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT check_name || ': ' || detail FROM skillrating.verify(ladder) WHERE NOT ok
$$;
\set ECHO all

-- Every ladder has the tables.
SELECT skillrating.create_ladder('bit', 'state_space', '{"drift": 0.02, "home_drift": 0.01, "club_drift": 0.03, "draw_sigma": 0}', late => 'reorder'),
    skillrating.create_ladder('plain', 'elo') \gset
SELECT a.attrelid::regclass, a.attnotnull, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
FROM pg_attribute AS a WHERE a.attrelid IN ('plain.component'::regclass, 'plain.component_event'::regclass) AND a.attnum > 0
GROUP BY 1, 2 ORDER BY a.attrelid::regclass::text, 2;
SELECT kind, count(*) FROM plain.components GROUP BY kind;
SELECT check_name FROM skillrating.verify('plain');

-- Late matches find their place, by components as well as by players.
SELECT play('bit', 1, 150), play('bit', 151, 299), play('bit', 300) \gset
SELECT status, reason, count(*) > 0 FROM bit.rated_match GROUP BY status, reason ORDER BY 1, 2;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('bit');
SELECT faults('bit');
SELECT kind, pool, count(*), min(games), max(games) FROM bit.component GROUP BY kind, pool ORDER BY kind, pool;

-- The ladder is the window function, to the bit: states of players, and forecasts, which components have a part in.
SELECT count(*) AS rows, count(*) FILTER (WHERE r.state_before = ARRAY[e.mu_before, e.sigma_before, e.side_offset_before, e.side_sigma_before, e.command_mu_before, e.command_sigma_before]
    AND r.state_after = ARRAY[e.mu_after, e.sigma_after, e.side_offset_after, e.side_sigma_after, e.command_mu_after, e.command_sigma_after]
    AND r.win_probability = e.win_probability) AS same
FROM (
    SELECT match_id, player_id, pool, (skillrating.rate('state_space', player_id, team, team_score => team_score, side => side, played_at => played_at, pool => pool,
        context => context, club => club, options => '{"drift": 0.02, "home_drift": 0.01, "club_drift": 0.03, "draw_sigma": 0}') OVER (ORDER BY played_at, match_id)).*
    FROM played) AS r
JOIN bit.event AS e USING (match_id, player_id, pool);

-- What a preview says is what the report brings; contexts and clubs make the difference.
\set ECHO none
CREATE TABLE foretold AS
SELECT * FROM skillrating.preview('bit', '{1,2}'::bigint[], '{1,2}', side => '{1,2}', context => '{map 1}', club => '{club 1,club 2}', pool => '', at => '2024-03-01');
CREATE TABLE chances AS
SELECT w.team, w.win_probability AS same_map, o.win_probability AS other_map
FROM skillrating.win_probability('bit', '{1,2}'::bigint[], '{1,2}', side => '{1,2}', context => '{map 1}', club => '{club 1,club 2}', pool => '', at => '2024-03-01') AS w
JOIN skillrating.win_probability('bit', '{1,2}'::bigint[], '{1,2}', side => '{1,2}', context => '{map 2}', club => '{club 1,club 2}', pool => '', at => '2024-03-01') AS o USING (team);
\set ECHO all
SELECT r.player_id, r.outcome, r.win_probability = f.win_probability AS foretold,
    r.rating_after - r.rating_before = CASE r.score WHEN 1 THEN f.win_change ELSE f.loss_change END AS change,
    c.same_map = f.win_probability AS same_map, c.other_map = f.win_probability AS other_map
FROM skillrating.report_match('bit', 301, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-03-01', side => '{1,2}',
    context => '{map 1,map 1}', club => '{club 1,club 2}') AS r
JOIN foretold AS f USING (player_id) JOIN chances AS c USING (team);
-- Another context is another match, and so is another club; one context may stand for that of all.
SELECT r.player_id, r.outcome FROM skillrating.report_match('bit', 301, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-03-01', side => '{1,2}',
    context => '{map 1}', club => '{club 1,club 2}') AS r;
\set VERBOSITY terse
SELECT r.player_id, r.outcome FROM skillrating.report_match('bit', 301, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-03-01', side => '{1,2}',
    context => '{map 2}', club => '{club 1,club 2}') AS r;
SELECT r.player_id, r.outcome FROM skillrating.report_match('bit', 301, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-03-01', side => '{1,2}',
    context => '{map 2}', club => '{club 1,NULL}') AS r;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('bit');
SELECT faults('bit');
SELECT kind, key, player_id, match_id FROM bit.component_event WHERE match_id = 301 ORDER BY kind, key, player_id;

-- A match is late by a component alone: that of a map, of a club or of home, and one at the same time goes by its identifier.
CREATE FUNCTION late(match_id bigint, played_at timestamptz, players bigint[], side int[] DEFAULT NULL, context text[] DEFAULT NULL, club text[] DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
    SELECT min(outcome) FROM skillrating.report_match('bit', match_id, players, '{1,2}', '{1,2}', played_at, side => side, context => context, club => club)
$$;
SELECT late(400, '2024-05-02', '{101,102}', '{1,2}', '{moon}', '{x,y}') AS first,
    late(401, '2024-05-01', '{103,104}') AS none_in_common, late(402, '2024-05-01', '{105,106}', '{2,1}') AS home,
    late(403, '2024-05-01', '{107,108}', NULL, '{moon}') AS players_of_a_map, late(404, '2024-05-01', '{109,110}', club => '{z,x}') AS club,
    late(405, '2024-05-02', '{111,112}', '{1,2}') AS same_time_behind, late(399, '2024-05-02', '{113,114}', '{1,2}') AS same_time_before;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('bit');
SELECT faults('bit');

-- What is out of date is put right as far as it is: any match, any operation.
SELECT (skillrating.new_season('bit', 'spring', 0.5, pool => '', at => '2024-06-01')).players > 0,
    (skillrating.settle('bit', '2024-06-20')).players > 0, (skillrating.reset_rating('bit', 1, at => '2024-06-21')).ratings;
SELECT cause, count(*) > 0 FROM bit.component_event GROUP BY cause ORDER BY cause;
SELECT kind, key, games, last_played, as_of, state[1] FROM bit.component WHERE player_id = 1 ORDER BY pool, key;
SELECT faults('bit');
UPDATE bit.match_player SET team_score = 3 - team_score WHERE match_id = 120;
UPDATE bit.match SET context = 'map 7' WHERE match_id IN (10, 200);
DELETE FROM bit.match WHERE match_id = 33;
SELECT skillrating.void_match('bit', 77), skillrating.exclude_player('bit', 5, '2024-01-05', '2024-01-10') > 0, skillrating.merge_players('bit', 3, 4) > 0;
CREATE TABLE component_before AS TABLE bit.component;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('bit', dry_run => true);
SELECT count(*) FROM (TABLE component_before EXCEPT TABLE bit.component) AS d;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('bit');
SELECT faults('bit');
SELECT count(*) AS of_the_merged FROM bit.component WHERE player_id = 3;
TRUNCATE component_before;
INSERT INTO component_before TABLE bit.component;
SELECT count(*) FROM skillrating.catch_up('bit', rebuild => true);
SELECT count(*) FROM ((TABLE component_before EXCEPT TABLE bit.component) UNION ALL (TABLE bit.component EXCEPT TABLE component_before)) AS d;

-- Nobody is found by an old name.
SELECT p.found FROM skillrating.forget_players('bit', ARRAY[7], '{7000}') AS p;
SELECT count(*) FROM bit.component AS c FULL JOIN bit.component_event AS e USING (player_id) WHERE player_id = 7;
SELECT count(*) > 0 AS anonymous FROM bit.components WHERE player_id = 7000;
SELECT faults('bit');

-- Whatever is not what a replay gives, verify() finds, and a rebuild puts right.
\set ECHO none
CREATE PROCEDURE tamper(what text, INOUT fault text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE what;
    SELECT string_agg(faults, '; ') INTO fault FROM faults('bit');
    PERFORM skillrating.catch_up('bit', rebuild => true);
    IF EXISTS (SELECT FROM faults('bit')) THEN
        RAISE '% was not put right', what;
    END IF;
END $$;
\set ECHO all
CALL tamper($$ UPDATE bit.component SET state = ARRAY[state[1] + 1e-15, state[2]] WHERE kind = 'home' AND pool = '' $$, NULL);
CALL tamper($$ UPDATE bit.component SET state = '{0}' WHERE kind = 'home' AND pool = '' $$, NULL);
CALL tamper($$ UPDATE bit.component SET games = games + 1 WHERE kind = 'club' AND key = 'x' $$, NULL);
CALL tamper($$ DELETE FROM bit.component WHERE kind = 'player_context' AND player_id = 2 AND key = 'map 1' AND pool = '' $$, NULL);
CALL tamper($$ INSERT INTO bit.component (kind, key, state) VALUES ('club', 'made up', '{1,1}') $$, NULL);
CALL tamper($$ UPDATE bit.component_event SET after = '{0,1}' WHERE match_id = 121 AND kind = 'home' $$, NULL);
CALL tamper($$ DELETE FROM bit.component_event WHERE match_id = 400 AND kind = 'home' $$, NULL);
CALL tamper($$ INSERT INTO bit.component_event (seq, kind, key, games_before, played_at, before, after) VALUES (1, 'club', 'made up', 0, '2024-01-01', '{0,1}', '{1,1}') $$, NULL);

-- The same for what no kind of the model is, or of one that is not in use.
CALL tamper($$ INSERT INTO bit.component (kind, key, state) VALUES ('weather', '', '{1,1}') $$, NULL);
CALL tamper($$ INSERT INTO bit.component (player_id, kind, key, state) VALUES (1, 'home', '', '{1,1}') $$, NULL);
CALL tamper($$ INSERT INTO bit.component_event (player_id, seq, kind, key, games_before, played_at, before, after) VALUES (1, 1, 'weather', '', 0, '2024-01-01', '{0,1}', '{1,1}') $$, NULL);
INSERT INTO plain.component (kind, state) VALUES ('home', '{1,1}'), ('recalibration', '{0,1,0,0,0}');
SELECT faults('plain');
SELECT count(*) FROM skillrating.catch_up('plain', rebuild => true);
SELECT faults('plain');

-- Which a replay of less leaves.
INSERT INTO plain.component (kind, key, state) VALUES ('home', '', '{1,1}');
SELECT faults('plain');
DELETE FROM plain.component;
INSERT INTO bit.component (kind, key, state) VALUES ('weather', '', '{1,1}');
SELECT faults('bit');
DELETE FROM bit.component WHERE kind = 'weather';

-- Rated one way or another it is the same.
SELECT skillrating.create_ladder('single', 'state_space', apply_at => 'statement'), skillrating.create_ladder('once', 'state_space', apply_at => 'manual'),
    skillrating.create_ladder('large', 'state_space') \gset
SELECT count(play('single', m, m)) FROM (SELECT DISTINCT match_id::int AS m, played_at FROM played ORDER BY played_at, m) AS p;
SELECT play('once') \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('once');
SELECT * FROM differences('single', 'once');
INSERT INTO large.match (match_id, played_at, pool, context)
SELECT DISTINCT match_id + 300 * n, played_at + n * interval '40 days', pool, context FROM played, generate_series(0, 3) AS n;
INSERT INTO large.match_player (match_id, player_id, team, team_score, side, club)
SELECT match_id + 300 * n, player_id + n, team, team_score, side, club FROM played, generate_series(0, 3) AS n;
SELECT count(*) FROM large.rated_match WHERE status = 'rated';
SELECT faults('large');

-- Another formula, and back.
SELECT skillrating.shadow_ladder('single', 'other', 'state_space', '{"club_sigma": 0, "home_sigma": 1}');
SELECT faults('other');
SELECT DISTINCT kind FROM other.component ORDER BY kind;
SELECT skillrating.promote_ladder('other', 'former');
ALTER SCHEMA former RENAME TO other;
SELECT DISTINCT kind FROM single.component ORDER BY kind;
INSERT INTO single.match (match_id, played_at) VALUES (500, '2025-01-01');
INSERT INTO single.match_player (match_id, player_id, team, rank, side, context, club) VALUES (500, 1, 1, 1, 1, 'map 1', 'club 1'), (500, 2, 2, 2, 2, 'map 2', 'club 2');
SELECT skillrating.promote_ladder('other', 'former');
ALTER SCHEMA former RENAME TO other;
SELECT faults('single'), faults('other');
SELECT kind, key, player_id FROM single.component_event WHERE match_id = 500 ORDER BY kind, key, player_id;

-- Without a part in use there are no components of its kind.
SELECT skillrating.create_ladder('bare', 'state_space', '{"home_sigma": 0, "home_context_sigma": 0, "player_context_sigma": 0, "club_sigma": 0, "draw_sigma": 0}') \gset
SELECT play('bare') \gset
SELECT count(*) FROM bare.component;
SELECT faults('bare');

-- A source brings contexts and clubs in its columns.
CREATE VIEW mine AS SELECT * FROM played;
SELECT name, ok, description FROM skillrating.describe_source('mine') WHERE name IN ('context', 'club');
SELECT skillrating.create_ladder('sourced', 'state_space', source => 'mine') \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('sourced', search => true);
SELECT * FROM differences('sourced', 'once');

-- Names of any length: one that no index takes keeps its own match from being rated, and no other.
\set ECHO none
INSERT INTO once.match (match_id, played_at) SELECT m, '2025-02-01'::timestamptz + m * interval '1 hour' FROM generate_series(600, 604) AS m;
INSERT INTO once.match_player (match_id, player_id, team, rank, side, context, club)
SELECT m, t, t, t, t, CASE m WHEN 601 THEN n.long WHEN 603 THEN repeat('x', 1000) END,
    CASE m WHEN 602 THEN n.long WHEN 604 THEN repeat('y', 1001) END
FROM generate_series(600, 604) AS m, generate_series(1, 2) AS t,
    (SELECT string_agg(md5(i::text), '') AS long FROM generate_series(1, 100) AS i) AS n;
\set ECHO all
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('once');
SELECT match_id, status, reason, detail FROM once.rated_match WHERE match_id >= 600 ORDER BY match_id;
SELECT faults('once');
-- Put right, it counts.
UPDATE once.match_player SET context = NULL WHERE match_id = 601;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('once');
SELECT match_id, status, reason FROM once.rated_match WHERE match_id IN (601, 602) ORDER BY match_id;
SELECT faults('once');
\set ON_ERROR_STOP off
SELECT skillrating.report_match('once', 605, '{1,2}'::bigint[], '{1,2}', '{1,2}', context => ARRAY[repeat('x', 1001)]);
SELECT skillrating.preview('once', '{1,2}'::bigint[], '{1,2}', pool => '', club => ARRAY[repeat('x', 1001), NULL]);
\set ON_ERROR_STOP on

-- Hive keeps the log-odds of contexts, which all matches together give nearly the same; here of a side that wins two
-- times in three on one map, and one in three on the other.
SELECT skillrating.create_ladder('hive', 'hive', '{"context_deviation": 1}') \gset
INSERT INTO hive.match (match_id, played_at, context)
SELECT m, '2024-01-01'::timestamptz + m * interval '1 hour', 'map ' || m % 2 FROM generate_series(1, 900) AS m;
INSERT INTO hive.match_player (match_id, player_id, team, rank, side)
SELECT m, 1 + (m * 5 + 3 * t) % 9, t, CASE WHEN (m % 3 = 0) = (m % 2 = 0) THEN 3 - t ELSE t END, t FROM generate_series(1, 900) AS m, generate_series(1, 2) AS t;
SELECT key, round(mu::numeric, 1) AS log_odds, deviation < 0.15 AS known, games FROM hive.components ORDER BY kind, key;
SELECT s.matches, c.context, round(c.log_odds::numeric, 1) AS log_odds FROM skillrating.solve_ladder('hive', 'hive') AS s, unnest(s.contexts) AS c ORDER BY 2;
SELECT c.context, abs(c.log_odds - k.mu) < 0.1 AS near FROM hive.solved_context AS c JOIN hive.components AS k ON k.key = c.context ORDER BY 1;
-- Warm, the search is over at once.
SELECT iterations FROM skillrating.solve_ladder('hive', 'hive');
SELECT faults('hive');

-- Team makers count what players have in a context, and say the probability that preview() says.
SELECT bool_and(l.mu[s.n] = e.mu[s.n] + k.mu) AS in_context, bool_and(s.win_probability = p.win_probability) AS as_previewed
FROM skillrating.lobby('once', '{1,2,3,4}'::bigint[], pool => '', at => '2024-04-01', context => '{map 1}', club => '{club 1,club 2,NULL,club 1}') AS l
CROSS JOIN skillrating.lobby('once', '{1,2,3,4}'::bigint[], pool => '', at => '2024-04-01') AS e
CROSS JOIN LATERAL (SELECT array_agg(s.team) AS team FROM skillrating.split_teams(l) AS s) AS g
CROSS JOIN skillrating.preview('once', l.players, g.team, pool => '', at => '2024-04-01', context => '{map 1}', club => '{club 1,club 2,NULL,club 1}') AS p
JOIN skillrating.split_teams(l) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, commands, broken, why, n) ON s.player_id = p.player_id
JOIN once.components AS k ON k.player_id::text = p.player_id AND k.kind = 'player_context' AND k.pool = '' AND k.key = 'map 1';
-- So do those that adjust teams, of the teams after the moves; caution is for the search alone.
SELECT maker, count(*) > 0 AS any, bool_and(abs(found.p - (SELECT w.win_probability FROM skillrating.win_probability('once', '{1,2,3,4}'::bigint[], found.team, pool => '', at => '2024-04-01', context => '{map 1,map 1,NULL,map 2}', club => '{club 1,club 2,NULL,club 1}') AS w WHERE w.team = 1)) < 1e-12) AS as_previewed
FROM unnest('{0,1}'::float8[]) AS caution, skillrating.lobby('once', '{1,2,3,4}'::bigint[], pool => '', at => '2024-04-01', caution => caution, context => '{map 1,map 1,NULL,map 2}', club => '{club 1,club 2,NULL,club 1}', current => '{1,1,2,2}') AS l,
    skillrating.lobby('once', '{1,2,3,4}'::bigint[], pool => '', at => '2024-04-01', caution => caution, context => '{map 1,map 1,NULL,map 2}', club => '{club 1,club 2,NULL,club 1}', current => '{1,1,NULL,NULL}') AS j,
    LATERAL (SELECT 'suggest_swaps' AS maker, s.win_probability AS p, ARRAY(SELECT CASE WHEN i.id = ANY (array_agg(s.player_id_a) || array_agg(s.player_id_b)) THEN 3 - i.team ELSE i.team END FROM unnest(l.players, l.current) AS i(id, team)) AS team
            FROM skillrating.suggest_swaps(l) AS s GROUP BY s.swaps, s.win_probability
        UNION ALL SELECT 'place_joiner', s.win_probability, '{1,1}' || array_agg(s.team ORDER BY s.player_id) FROM skillrating.place_joiner(j) AS s GROUP BY s.win_probability
        UNION ALL SELECT 'split_all_sizes', s.win_probability, array_agg(s.team ORDER BY s.player_id) FROM (SELECT s.player_id, s.team, max(s.win_probability) FILTER (WHERE s.team = 1) OVER () AS win_probability FROM skillrating.split_all_sizes(l) AS s) AS s GROUP BY s.win_probability) AS found
GROUP BY maker ORDER BY maker;
SELECT bool_and(o.win_probability = w.win_probability) AS as_previewed
FROM skillrating.find_opponents('once', 1, pool => '', at => '2024-04-01', context => 'map 1') AS o
CROSS JOIN LATERAL skillrating.win_probability('once', ARRAY[1, o.player_id::bigint], '{1,2}', pool => '', at => '2024-04-01', context => '{map 1}') AS w WHERE w.team = 1;

-- Who reads.
CREATE ROLE regress_components_guest;
SELECT skillrating.grant_ladder('bit', 'regress_components_guest', 'reader');
SET ROLE regress_components_guest;
SELECT count(*) > 0 AS any FROM bit.components WHERE kind = 'club' AND pool = 'blitz';
SELECT count(*) FROM skillrating.preview('bit', '{1,2}'::bigint[], '{1,2}', side => '{1,2}', pool => '');
SELECT faults('bit');
RESET ROLE;
REVOKE SELECT ON bit.component FROM regress_components_guest;
SET ROLE regress_components_guest;
\set ON_ERROR_STOP off
SELECT count(*) FROM skillrating.preview('bit', '{1,2}'::bigint[], '{1,2}', side => '{1,2}', pool => '');
SELECT count(*) FROM skillrating.verify('bit');
\set SHOW_CONTEXT never
-- Forecasts tell of components too: to nobody who may not read them, with contexts or without.
SELECT count(*) FROM skillrating.split_teams(skillrating.lobby('bit', '{1,2}'::bigint[], club => '{club 1,club 2}', pool => ''));
SELECT count(*) FROM skillrating.split_teams(skillrating.lobby('bit', '{1,2}'::bigint[], pool => ''));
SELECT count(*) FROM skillrating.find_opponents('bit', 1, context => 'map 1', pool => '');
SELECT count(*) FROM skillrating.find_opponents('bit', 1, explain => true, pool => '');
RESET ROLE;
-- Nor around row security; where a model has no components, nobody needs a right.
GRANT SELECT ON bit.component TO regress_components_guest;
ALTER TABLE bit.component ENABLE ROW LEVEL SECURITY;
SELECT skillrating.create_ladder('partless', 'elo', '{"size_advantage": "none"}') \gset
SELECT skillrating.grant_ladder('partless', 'regress_components_guest', 'reader');
REVOKE SELECT ON partless.component FROM regress_components_guest;
SET ROLE regress_components_guest;
SELECT count(*) FROM skillrating.split_teams(skillrating.lobby('bit', '{1,2}'::bigint[], club => '{club 1,club 2}', pool => ''));
SELECT count(*) FROM skillrating.find_opponents('bit', 1, context => 'map 1', pool => '');
SELECT count(*) FROM skillrating.split_teams(skillrating.lobby('partless', '{1,2}'::bigint[]));
SELECT count(*) FROM skillrating.find_opponents('partless', 1);
RESET ROLE;
ALTER TABLE bit.component DISABLE ROW LEVEL SECURITY;
SELECT skillrating.drop_ladder('partless') \gset
\set SHOW_CONTEXT errors
SELECT skillrating.preview('bit', '{1,2}'::bigint[], '{1,2}', club => '{a}', pool => '');
\set ON_ERROR_STOP on
-- Rating a match looks up its own components, however many clubs there are.
SELECT skillrating.create_ladder('many', 'state_space') \gset
BEGIN;
\set ECHO none
INSERT INTO many.match (match_id, played_at)
SELECT m, '2024-01-01'::timestamptz + m * interval '1 hour' FROM generate_series(1, 100) AS m;
INSERT INTO many.match_player (match_id, player_id, team, rank, side, club)
SELECT m, 2 * m + t, t, t, t, 'club ' || 2 * m + t
FROM generate_series(1, 100) AS m, generate_series(1, 2) AS t;
\set ECHO all
COMMIT;
SELECT count(*) FROM many.component WHERE kind = 'club';
\set ECHO none
ANALYZE many.component;
BEGIN;
SELECT seq_tup_read + idx_tup_fetch AS before
FROM pg_stat_xact_user_tables WHERE schemaname = 'many' AND relname = 'component' \gset
INSERT INTO many.match (match_id, played_at) VALUES (101, '2024-02-01');
INSERT INTO many.match_player (match_id, player_id, team, rank, side, club)
VALUES (101, 3, 1, 1, 1, 'club 3'), (101, 4, 2, 2, 2, 'club 4');
\set ECHO all
SET CONSTRAINTS ALL IMMEDIATE;
SELECT seq_tup_read + idx_tup_fetch - :before <= 20 AS few
FROM pg_stat_xact_user_tables WHERE schemaname = 'many' AND relname = 'component';
COMMIT;

-- Nothing is left behind.
SELECT skillrating.reset_ladder('bit');
SELECT (SELECT count(*) FROM bit.component), (SELECT count(*) FROM bit.component_event);
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{bit,many,plain,other,single,once,large,bare,sourced,hive}'::text[]) AS l;
\set ECHO none
DROP VIEW mine;
DROP TABLE played, component_before, foretold, chances;
DROP FUNCTION play, differences, faults, late;
DROP PROCEDURE tamper;
DROP ROLE regress_components_guest;
\set ECHO all
