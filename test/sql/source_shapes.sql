-- The views of docs/shapes.md over 100 000 matches: a ladder's query for some of them reads no table
-- from end to end, and no window function sees rows of other matches. Views with a trap fail the
-- same check.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE SCHEMA shapes;
SET search_path = shapes, pg_catalog;
SET default_statistics_target = 10;

CREATE UNLOGGED TABLE game (id bigint PRIMARY KEY, ended_at timestamptz);
CREATE UNLOGGED TABLE game_player (game_id bigint, user_id bigint, team int, score int, PRIMARY KEY (game_id, user_id));
CREATE VIEW game_source AS
    SELECT g.id AS match_id, g.ended_at AS played_at, p.user_id AS player_id, p.team, p.score AS player_score
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id
    WHERE g.ended_at IS NOT NULL;
CREATE UNLOGGED TABLE heat (id bigint PRIMARY KEY, ended_at timestamptz);
CREATE UNLOGGED TABLE heat_player (heat_id bigint, name text, team int, rank int, PRIMARY KEY (heat_id, name));
CREATE VIEW heat_source AS
    SELECT h.id AS match_id, h.ended_at AS played_at, p.name AS player_id, p.team, p.rank
    FROM heat AS h JOIN heat_player AS p ON p.heat_id = h.id;
CREATE UNLOGGED TABLE race (id bigint PRIMARY KEY, at timestamptz);
CREATE UNLOGGED TABLE finisher (race_id bigint, name text, place int, PRIMARY KEY (race_id, name));
CREATE VIEW race_source AS
    SELECT r.id AS match_id, r.at AS played_at, f.name AS player_id,
        row_number() OVER (PARTITION BY r.id ORDER BY f.name) AS team, f.place AS rank
    FROM race AS r JOIN finisher AS f ON f.race_id = r.id;
CREATE UNLOGGED TABLE bout (id bigint PRIMARY KEY, at timestamptz, winner text, loser text);
CREATE VIEW bout_source AS
    SELECT id AS match_id, at AS played_at, winner AS player_id, 1 AS team, true AS won FROM bout
    UNION ALL
    SELECT id, at, loser, 2, false FROM bout;
CREATE UNLOGGED TABLE fixture (id bigint PRIMARY KEY, kickoff timestamptz, home text, away text, home_goals int, away_goals int);
CREATE VIEW fixture_source AS
    SELECT f.id AS match_id, f.kickoff AS played_at, s.club AS player_id, s.team, s.team AS side, s.goals AS team_score
    FROM fixture AS f CROSS JOIN LATERAL (VALUES (1, f.home, f.home_goals), (2, f.away, f.away_goals)) AS s(team, club, goals)
    WHERE f.home_goals IS NOT NULL;
CREATE UNLOGGED TABLE lobby (id bigint PRIMARY KEY, ended_at timestamptz, red text[], blue text[], red_score int, blue_score int);
CREATE VIEW lobby_source AS
    SELECT l.id AS match_id, l.ended_at AS played_at, t.team, t.team_score, player_id
    FROM lobby AS l
    CROSS JOIN LATERAL (VALUES (1, l.red, l.red_score), (2, l.blue, l.blue_score)) AS t(team, players, team_score)
    CROSS JOIN unnest(t.players) AS player_id;
CREATE UNLOGGED TABLE report (id bigint PRIMARY KEY, body jsonb);
CREATE VIEW report_source AS
    SELECT r.id AS match_id, (r.body ->> 'ended')::timestamptz AS played_at, p ->> 'name' AS player_id,
        (p ->> 'team')::int AS team, (r.body -> 'score' ->> ((p ->> 'team')::int - 1))::int AS team_score
    FROM report AS r CROSS JOIN jsonb_array_elements(r.body -> 'players') AS p;
CREATE UNLOGGED TABLE series (id bigint PRIMARY KEY, ended_at timestamptz, red text, blue text);
CREATE UNLOGGED TABLE series_game (series_id bigint, number int, winner text, PRIMARY KEY (series_id, number));
CREATE VIEW series_source AS
    SELECT s.id AS match_id, s.ended_at AS played_at, t.player_id, t.team,
        (SELECT count(*) FROM series_game AS g WHERE g.series_id = s.id AND g.winner = t.player_id) AS team_score
    FROM series AS s CROSS JOIN LATERAL (VALUES (1, s.red), (2, s.blue)) AS t(team, player_id)
    WHERE s.ended_at IS NOT NULL;
CREATE UNLOGGED TABLE pairing (id bigint PRIMARY KEY, at timestamptz, white text, black text, result text);
CREATE VIEW pairing_source AS
    SELECT p.id AS match_id, p.at AS played_at, s.player_id, s.team, s.team_score,
        CASE WHEN p.result IN ('+:-', '-:+', '-:-') THEN 'forfeit' END AS unrated_reason
    FROM pairing AS p CROSS JOIN LATERAL (VALUES
        (1, p.white, CASE p.result WHEN '1:0' THEN 1 WHEN '0:1' THEN 0 ELSE 0.5 END),
        (2, p.black, CASE p.result WHEN '0:1' THEN 1 WHEN '1:0' THEN 0 ELSE 0.5 END)) AS s(team, player_id, team_score)
    WHERE p.black IS NOT NULL AND p.result IS NOT NULL;
CREATE UNLOGGED TABLE kill (id bigint PRIMARY KEY, at timestamptz, killer text, victim text);
CREATE VIEW kill_source AS
    SELECT k.id AS match_id, k.at AS played_at, s.player_id, s.team, s.team_score
    FROM kill AS k CROSS JOIN LATERAL (VALUES (1, k.killer, 1), (2, k.victim, 0)) AS s(team, player_id, team_score)
    WHERE k.killer <> k.victim;
CREATE UNLOGGED TABLE battle (id bigint PRIMARY KEY, ended_at timestamptz);
CREATE UNLOGGED TABLE battle_player (battle_id bigint, user_id bigint, team int, PRIMARY KEY (battle_id, user_id));
CREATE UNLOGGED TABLE round (battle_id bigint, number int, won_by int, PRIMARY KEY (battle_id, number));
CREATE VIEW battle_source AS
    SELECT b.id AS match_id, b.ended_at AS played_at, p.user_id AS player_id, p.team,
        (SELECT count(*) FROM round AS r WHERE r.battle_id = b.id AND r.won_by = p.team) AS team_score
    FROM battle AS b JOIN battle_player AS p ON p.battle_id = b.id
    WHERE b.ended_at IS NOT NULL;
CREATE UNLOGGED TABLE skirmish (id bigint PRIMARY KEY, ended_at timestamptz);
CREATE UNLOGGED TABLE skirmish_player (skirmish_id bigint, seat int, account text, is_bot boolean, team int, score int, PRIMARY KEY (skirmish_id, seat));
CREATE VIEW skirmish_source AS
    SELECT s.id AS match_id, s.ended_at AS played_at, p.team, p.score AS team_score, p.is_bot AS bot,
        coalesce(p.account, 'guest ' || s.id || ' ' || p.seat) AS player_id, p.is_bot OR p.account IS NULL AS fixed
    FROM skirmish AS s JOIN skirmish_player AS p ON p.skirmish_id = s.id;
CREATE UNLOGGED TABLE session (id bigint PRIMARY KEY, started_at timestamptz, ended_at timestamptz, red_score int, blue_score int);
CREATE UNLOGGED TABLE stint (session_id bigint, name text, team int, came_at timestamptz, went_at timestamptz, PRIMARY KEY (session_id, name, came_at));
CREATE VIEW stint_source AS
    SELECT s.id AS match_id, s.ended_at AS played_at, t.name AS player_id, t.team,
        CASE t.team WHEN 1 THEN s.red_score ELSE s.blue_score END AS team_score,
        t.came_at - s.started_at AS joined, coalesce(t.went_at, s.ended_at) - s.started_at AS left_at
    FROM session AS s JOIN stint AS t ON t.session_id = s.id
    WHERE s.ended_at IS NOT NULL;
CREATE UNLOGGED TABLE contest (id bigint PRIMARY KEY, at timestamptz, mode text, winner text, loser text);
CREATE VIEW contest_source AS
    SELECT c.id AS match_id, c.at AS played_at, c.mode AS pool, s.player_id, s.team, s.won
    FROM contest AS c CROSS JOIN LATERAL (VALUES (1, c.winner, true), (2, c.loser, false)) AS s(team, player_id, won);
CREATE UNLOGGED TABLE server_match (server int, number int, at timestamptz, winner text, loser text);
CREATE UNIQUE INDEX ON server_match ((server || ':' || number));
CREATE VIEW server_source AS
    SELECT m.server || ':' || m.number AS match_id, m.at AS played_at, s.player_id, s.team, s.won
    FROM server_match AS m CROSS JOIN LATERAL (VALUES (1, m.winner, true), (2, m.loser, false)) AS s(team, player_id, won);

-- Each match has two to four players, of whom each plays in many.
INSERT INTO game SELECT g, timestamptz '2026-01-01' + g * interval '1 min' FROM generate_series(1, 100000) AS g;
INSERT INTO heat TABLE game;
INSERT INTO race TABLE game;
INSERT INTO battle TABLE game;
INSERT INTO skirmish TABLE game;
INSERT INTO game_player SELECT g, (g * 7 + p) % 9973, 1 + p % 2, p FROM generate_series(1, 100000) AS g, generate_series(1, 2) AS p;
INSERT INTO heat_player SELECT game_id, 'u' || user_id, team, team FROM game_player;
INSERT INTO finisher SELECT game_id, 'u' || user_id, team FROM game_player;
INSERT INTO battle_player SELECT game_id, user_id, team FROM game_player;
INSERT INTO skirmish_player SELECT game_id, team, 'u' || user_id, false, team, score FROM game_player;
INSERT INTO round SELECT g, n, 1 + (g + n) % 2 FROM generate_series(1, 100000) AS g, generate_series(1, 2) AS n;
INSERT INTO bout SELECT id, ended_at, 'u' || id * 7 % 9973, 'u' || (id * 7 + 1) % 9973 FROM game;
INSERT INTO kill TABLE bout;
INSERT INTO contest SELECT id, at, 'blitz', winner, loser FROM bout;
INSERT INTO server_match SELECT id % 10, id, at, winner, loser FROM bout;
INSERT INTO pairing SELECT id, at, winner, loser, '1:0' FROM bout;
INSERT INTO fixture SELECT id, at, winner, loser, 2, 1 FROM bout;
INSERT INTO lobby SELECT id, at, ARRAY[winner], ARRAY[loser], 2, 1 FROM bout;
INSERT INTO report SELECT id, jsonb_build_object('ended', at, 'score', '[3, 1]'::jsonb, 'players',
    jsonb_build_array(jsonb_build_object('name', winner, 'team', 1), jsonb_build_object('name', loser, 'team', 2))) FROM bout;
INSERT INTO series SELECT id, at, winner, loser FROM bout;
INSERT INTO series_game SELECT id, 1, winner FROM bout;
INSERT INTO session SELECT id, at, at + interval '1 h', 2, 1 FROM bout;
INSERT INTO stint SELECT b.id, p.name, p.team, b.at, NULL FROM bout AS b CROSS JOIN LATERAL (VALUES (1, b.winner), (2, b.loser)) AS p(team, name);

-- Traps: the window of another column than match_id, a join with the totals of all matches, an
-- expression and a table without index.
CREATE VIEW other_column AS
    SELECT g.id AS match_id, g.ended_at AS played_at, p.user_id AS player_id, p.team,
        sum(p.score) OVER (PARTITION BY p.game_id, p.team) AS team_score
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
CREATE VIEW joined_totals AS
    SELECT b.id AS match_id, b.ended_at AS played_at, p.user_id AS player_id, p.team, r.won AS team_score
    FROM battle AS b JOIN battle_player AS p ON p.battle_id = b.id
    JOIN (SELECT battle_id, won_by, count(*) AS won FROM round GROUP BY battle_id, won_by) AS r ON r.battle_id = b.id AND r.won_by = p.team;
CREATE VIEW document_key AS SELECT (body ->> 'ended')::text AS match_id, body ->> 'ended' AS played_at, 1 AS team, 1 AS player_id, 1 AS rank FROM report;
CREATE UNLOGGED TABLE heap AS TABLE game_player;
CREATE VIEW no_index AS
    SELECT g.id AS match_id, g.ended_at AS played_at, p.user_id AS player_id, p.team, p.score AS team_score
    FROM game AS g JOIN heap AS p ON p.game_id = g.id;
ANALYZE;
\set ECHO all

-- Runs the ladder's query for three matches, whose number the planner does not know. read_whole are
-- the tables with a sequential scan, or of which more rows came from a scan than twenty a match;
-- other_rows says whether a window function, or an aggregate, got more rows than that.
\set ECHO none
CREATE FUNCTION plan_of(source regclass, OUT rows bigint, OUT read_whole text, OUT other_rows boolean)
LANGUAGE plpgsql SET search_path = shapes, pg_catalog AS $$
DECLARE
    type text := (SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = source AND attname = 'match_id');
    ids text[];
    plan jsonb;
BEGIN
    EXECUTE format('SELECT array_agg(q.id) FROM (SELECT DISTINCT match_id::text AS id FROM (SELECT match_id FROM %s LIMIT 12) AS s ORDER BY id LIMIT 3) AS q', source) INTO ids;
    EXECUTE format('EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT * FROM %s WHERE match_id = ANY ((SELECT %L::%s[])::%3$s[])', source, ids, type) INTO plan;
    WITH RECURSIVE node AS (
        SELECT plan #> '{0,Plan}' AS n
        UNION ALL
        SELECT child.n FROM node, jsonb_array_elements(node.n -> 'Plans') AS child(n)
    ), seen AS (
        SELECT n, (n ->> 'Actual Rows')::numeric * (n ->> 'Actual Loops')::numeric AS rows FROM node
    )
    SELECT (plan #>> '{0,Plan,Actual Rows}')::numeric::bigint,
        string_agg(DISTINCT n ->> 'Relation Name', ', ') FILTER (WHERE n ->> 'Node Type' = 'Seq Scan' OR (n ? 'Relation Name' AND seen.rows > 60)),
        coalesce(bool_or(n ->> 'Node Type' IN ('WindowAgg', 'Aggregate') AND seen.rows > 60), false)
    INTO rows, read_whole, other_rows FROM seen;
END
$$;
\set ECHO all
SELECT v.name, p.* FROM unnest(ARRAY['game', 'heat', 'race', 'bout', 'fixture', 'lobby', 'report', 'series', 'pairing', 'kill', 'battle', 'skirmish', 'stint', 'contest', 'server']) WITH ORDINALITY AS v(name, n), plan_of((v.name || '_source')::regclass) AS p ORDER BY v.n;
SELECT v.name, p.* FROM unnest(ARRAY['other_column', 'joined_totals', 'document_key', 'no_index']) WITH ORDINALITY AS v(name, n), plan_of(v.name::regclass) AS p ORDER BY v.n;

SET client_min_messages = warning;
DROP SCHEMA shapes CASCADE;
