-- The first match that comes in a session and does not count for a reason raises a notice, unless
-- somebody has decided so or a setting turns it off.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP on
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE ROLE regress_notice_app;
CREATE TABLE game (id bigint, player bigint, team int, points int, weight float8 DEFAULT 1, friendly boolean DEFAULT false);
GRANT ALL ON game TO regress_notice_app;
CREATE VIEW game_source AS
SELECT id AS match_id, timestamptz '2024-01-01 UTC' + id * interval '1 hour' AS played_at, player AS player_id, team, points AS team_score, weight,
    CASE WHEN friendly THEN 'friendly' END AS unrated_reason
FROM game;
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo', source => 'game_source') \gset
-- Teams of two, or duels.
CREATE FUNCTION play(first bigint, last bigint, points int[], weight float8 DEFAULT 1, friendly boolean DEFAULT false) RETURNS void LANGUAGE sql AS
$$INSERT INTO public.game SELECT i, (i + p) % 7, CASE WHEN cardinality(points) = 4 THEN (p + 1) / 2 ELSE p END, points[p], weight, friendly
FROM generate_series(first, last) AS i, generate_series(1, cardinality(points)) AS p$$;

-- A score for each player is the usual mistake.  The match that is named is the first of them in
-- the order of time; further ones are silent, as are those that count.
SELECT play(1, 3, '{5,5,1,1}') \gset
BEGIN;
SELECT play(12, 13, '{5,4,1,1}') \gset
SELECT play(10, 11, '{5,4,1,1}') \gset
COMMIT;
SELECT play(14, 14, '{5,4,1,1}') \gset
-- Another reason is another notice; two reasons in one transaction are two.
SELECT play(20, 20, '{1}') \gset
BEGIN;
SELECT play(21, 22, '{1,2}', weight => 'NaN') \gset
SELECT play(23, 23, '{1,NULL}') \gset
COMMIT;

-- What somebody has decided is no news: the source, an operation or a rule.  Nor what is rated later.
SELECT play(30, 30, '{2,1}', friendly => true) \gset
SELECT operation IS NOT NULL AS excluded FROM skillrating.exclude_player('arena', '4', reason => 'cheats');
SELECT operation IS NOT NULL AS merged FROM skillrating.merge_players('arena', '5', '6');
SELECT play(31, 31, '{2,1}'), play(32, 32, '{2,1}') \gset
SELECT operation IS NOT NULL AS ruled FROM skillrating.set_eligibility('arena', '{"max_newcomer_share": 0.1}');
INSERT INTO game VALUES (33, 101, 1, 1), (33, 102, 2, 2);
SELECT match_id, reason FROM arena.rated_match WHERE match_id BETWEEN 30 AND 39 ORDER BY match_id;
SELECT mistake, string_agg(reason, ' ' ORDER BY reason COLLATE "C") FROM skillrating.reasons() WHERE NOT notice GROUP BY mistake;

-- Who may not read rated_match is told no values.  Each ladder tells its own, and once: also after
-- RESET ALL.
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT skillrating.create_ladder('other', 'elo', source => 'game_source') \gset
\set VERBOSITY default
RESET client_min_messages;
SET ROLE regress_notice_app;
INSERT INTO game VALUES (41, 1, 1, 1, -5), (41, 2, 2, 2, 1);
RESET ROLE;
RESET ALL;
INSERT INTO game VALUES (42, 1, 1, 1, -6), (42, 2, 2, 2, 1);

-- What was told in a transaction that is aborted has been told.
SELECT skillrating.drop_ladder('other') \gset
BEGIN;
INSERT INTO game VALUES (50, 1, 1, 1), (50, 1, 2, 2);
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
INSERT INTO game VALUES (50, 1, 1, 1), (50, 1, 2, 2);

-- A new session is told again, unless the setting is off; a session may set it at any time.
\c -
SET skillrating.unrated_notices = off;
SELECT play(60, 60, '{5,4,1,1}', weight => -6) \gset
SET skillrating.unrated_notices = on;
SELECT play(61, 61, '{5,4,1,1}') \gset
\c -
SELECT play(62, 62, '{5,4,1,1}', weight => -6) \gset
SHOW skillrating.unrated_notices;

-- A match of the ladder's own tables, at each statement, and one that is reported.
\c -
SELECT skillrating.create_ladder('own', 'elo', apply_at => 'statement') \gset
INSERT INTO own.match (match_id, played_at) VALUES (1, '2024-01-01');
INSERT INTO own.match_player (match_id, player_id, team, rank) VALUES (1, 101, '1', 1);
INSERT INTO own.match_player (match_id, player_id, team, rank) VALUES (1, 102, '2', 2);
SELECT status, reason FROM own.rated_match;
SELECT player_id, outcome, reason FROM skillrating.report_match('own', 2, ARRAY[101, 102], ARRAY[1, 2], ARRAY[1, 2], weight => ARRAY[0, 1]::float8[]);

-- backfill() and catch_up() count reasons, and raise no notice of each.
\c -
SET client_min_messages = error;
SELECT skillrating.create_ladder('late', 'elo', source => 'game_source', apply_at => 'manual') \gset
RESET client_min_messages;
CALL skillrating.backfill('late');
SELECT play(70, 70, '{5,4,1,1}') \gset
SELECT count(*) FROM skillrating.catch_up('late');
SELECT reason FROM late.rated_match WHERE match_id = 70;
SET client_min_messages = warning;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{arena,own,late}'::text[]) AS l;
DROP TABLE game CASCADE;
DROP FUNCTION play;
DROP ROLE regress_notice_app;
