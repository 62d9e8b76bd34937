-- The life of a ladder: made, fed in every way, read, dropped.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
SET timezone = 'UTC';
\set ECHO all

SELECT skillrating.create_ladder('arena', 'elo', params => '{"k": 40, "size_advantage": "none"}') \gset
SELECT c.relkind, string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class AS c
WHERE c.relnamespace = 'arena'::regnamespace AND c.relkind IN ('r', 'v', 'S')
GROUP BY 1 ORDER BY 1;
-- Every table of it says what it is, and stores all parameters.
SELECT c.relname FROM pg_class AS c
WHERE c.relnamespace = 'arena'::regnamespace AND c.relkind IN ('r', 'v') AND obj_description(c.oid) IS NULL;
SELECT model, params, apply_at, late, format_version FROM arena.ladder;

-- A match needs no more than its participants with team and result.
INSERT INTO arena.match (match_id, played_at) VALUES (1, '2024-01-01');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 10, 1, 1), (1, 20, 2, 2);
SELECT player_id, pool, rating, games, wins, draws, losses, last_played FROM arena.rating ORDER BY player_id;
SELECT seq, player_id, match_id, kind, played_at, score, win_probability, rating_before, rating_after, reason
FROM arena.event ORDER BY seq, player_id;
SELECT match_id, status, reason, detail, seq FROM arena.rated_match;
SELECT count(*) FROM arena.pending;

-- Several statements in a transaction, in any order of the players, are one
-- match; until the end it waits.
\set ECHO none
BEGIN;
INSERT INTO arena.match (match_id, played_at) VALUES (2, '2024-01-02');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (2, 30, 2, 1);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (2, 10, 1, 2);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (2, 20, 1, 2);
\set ECHO all
SELECT match_id, fires FROM arena.pending;
SELECT count(*) FROM arena.rated_match WHERE match_id = 2;
COMMIT;
SELECT match_id, status, seq FROM arena.rated_match ORDER BY match_id;
SELECT count(*) FROM arena.event WHERE match_id = 2;

-- A rolled-back savepoint takes its matches along, and SET CONSTRAINTS rates now.
\set ECHO none
BEGIN;
INSERT INTO arena.match (match_id, played_at) VALUES (3, '2024-01-03'), (4, '2024-01-04');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (3, 10, 1, 1), (3, 40, 2, 2);
SAVEPOINT before_four;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (4, 10, 1, 1), (4, 50, 2, 2);
\set ECHO all
ROLLBACK TO before_four;
SET CONSTRAINTS ALL IMMEDIATE;
SELECT match_id, status FROM arena.rated_match WHERE match_id > 2;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (4, 10, 1, 2), (4, 50, 2, 1);
SELECT match_id, status FROM arena.rated_match WHERE match_id > 2 ORDER BY 1;
COMMIT;
-- A rolled-back transaction leaves nothing.
BEGIN;
INSERT INTO arena.match (match_id, played_at) VALUES (5, '2024-01-05');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (5, 10, 1, 1), (5, 60, 2, 2);
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
SELECT player_id, games FROM arena.rating ORDER BY player_id;

-- A match inserted at its start is rated when it is finished.
INSERT INTO arena.match (match_id, played_at, finished) VALUES (6, '2024-01-06', false);
INSERT INTO arena.match_player (match_id, player_id, team) VALUES (6, 10, 1), (6, 20, 2);
SELECT match_id, status FROM arena.rated_match WHERE match_id = 6;
BEGIN;
UPDATE arena.match_player SET team_score = player_id WHERE match_id = 6;
UPDATE arena.match SET finished = true WHERE match_id = 6;
COMMIT;
SELECT match_id, status FROM arena.rated_match WHERE match_id = 6;
SELECT player_id, score FROM arena.event WHERE match_id = 6 ORDER BY 1;

-- Results as score or won; scores and draws.
\set ECHO none
INSERT INTO arena.match (match_id, played_at) SELECT i, '2024-01-07'::timestamptz + i * interval '1 hour' FROM generate_series(7, 9) AS i;
INSERT INTO arena.match_player (match_id, player_id, team, team_score, won) VALUES
    (7, 10, 1, 2.5, NULL), (7, 20, 2, 2.5, NULL),
    (8, 10, 1, NULL, true), (8, 20, 2, NULL, false),
    (9, 10, 1, -3, NULL), (9, 20, 2, -1, NULL), (9, 30, 3, -2, NULL);
\set ECHO all
SELECT match_id, player_id, score, round(win_probability::numeric, 6) AS p, round((rating_after - rating_before)::numeric, 6) AS change
FROM arena.event WHERE match_id >= 7 ORDER BY match_id, player_id;

-- What does not count is kept, with the reason, and may count later.
INSERT INTO arena.match (match_id, played_at, unrated_reason) VALUES
    (10, '2024-02-01', NULL), (11, '2024-02-02', NULL), (12, '2024-02-03', NULL), (13, '2024-02-04', 'friendly game');
\set VERBOSITY terse
INSERT INTO arena.match_player (match_id, player_id, team, rank, weight) VALUES
    (10, 10, 1, 1, 1), (10, 70, 1, 1, 1),
    (11, 10, 1, NULL, 1), (11, 70, 2, NULL, 1),
    (12, 10, 1, 1, 1), (12, 70, 2, 2, 0),
    (13, 10, 1, 1, 1), (13, 70, 2, 2, 1);
SELECT match_id, status, reason, detail, seq FROM arena.rated_match WHERE match_id >= 10 ORDER BY match_id;
SELECT count(*) FROM arena.rating WHERE player_id = 70;
UPDATE arena.match_player SET rank = team WHERE match_id = 11;
SELECT match_id, status, reason, detail FROM arena.rated_match WHERE match_id = 11;
DELETE FROM arena.match WHERE match_id = 10;
SELECT count(*) FROM arena.rated_match WHERE match_id = 10;

-- The same again is nothing new, and a column that is no content may change.
UPDATE arena.match_player SET rank = rank;
UPDATE arena.match SET finished = true;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT match_id, player_id, team, rank FROM arena.match_player ON CONFLICT DO NOTHING;
SELECT * FROM skillrating.verify('arena');

-- Whatever is done to a rated match is noticed, whether by one statement or by many.
\set ECHO none
CREATE TEMP TABLE change (n serial, statement text);
INSERT INTO change (statement) VALUES
    ('UPDATE arena.match_player SET rank = 1 WHERE match_id = 1'),
    ('UPDATE arena.match SET played_at = ''2025-01-01'' WHERE match_id = 1'),
    ('UPDATE arena.match SET finished = false WHERE match_id = 1'),
    ('UPDATE arena.match SET unrated_reason = ''cheating'' WHERE match_id = 1'),
    ('INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 99, 1, 1)'),
    ('DELETE FROM arena.match_player WHERE match_id = 1 AND player_id = 10'),
    ('DELETE FROM arena.match WHERE match_id = 1'),
    ('DELETE FROM arena.match WHERE match_id = 1; SELECT 1'),
    ('UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1; UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 1');
\set ECHO all
DO $$
DECLARE
    c record;
    corrections text;
    before_catch_up boolean;
    after_catch_up boolean;
BEGIN
    FOR c IN SELECT * FROM change ORDER BY n LOOP
        BEGIN
            EXECUTE c.statement;
            SET CONSTRAINTS ALL IMMEDIATE;
            SELECT string_agg(format('%s %s %s', seq, match_id, kind), ', ') INTO corrections FROM arena.correction;
            SELECT bool_and(ok) INTO before_catch_up FROM skillrating.verify('arena');
            PERFORM skillrating.catch_up('arena');
            SELECT bool_and(ok) INTO after_catch_up FROM skillrating.verify('arena');
            RAISE NOTICE '%: %; verify % and then %', c.statement, corrections, before_catch_up, after_catch_up;
            RAISE division_by_zero;
        EXCEPTION WHEN division_by_zero THEN
        END;
    END LOOP;
END
$$;
TRUNCATE arena.match_player;

-- Reading.
SELECT place, player_id, round(rating::numeric, 6) AS rating, games, wins, draws, losses FROM skillrating.leaderboard('arena', 3);
SELECT player_id FROM skillrating.leaderboard('arena', min_games => 3);
SELECT count(*) FROM skillrating.leaderboard('arena', pool => 'nowhere');
SELECT player_id, team, round(rating::numeric, 6) AS rating, round(win_probability::numeric, 6) AS p,
    round(win_change::numeric, 6) AS win, round(draw_change::numeric, 6) AS draw, round(loss_change::numeric, 6) AS loss
FROM skillrating.preview('arena', ARRAY[10, 20, 999], ARRAY[1, 2, 2]);
-- What is previewed is what comes.
CREATE TEMP TABLE foreseen AS
SELECT * FROM skillrating.preview('arena', ARRAY[10, 20, 30, 888], ARRAY[1, 2, 2, 1], weight => ARRAY[1, 1, 0.5, 0.25], log_odds => 0.4);
SELECT f.player_id, f.win_probability = r.win_probability AS same_probability,
    r.rating_after - r.rating_before = CASE f.team WHEN 1 THEN f.win_change ELSE f.loss_change END AS same_change
FROM skillrating.report_match('arena', 20, ARRAY[10, 20, 30, 888], ARRAY[1, 2, 2, 1], ARRAY[1, 2, 2, 1],
    weight => ARRAY[1, 1, 0.5, 0.25], log_odds => 0.4) AS r
JOIN foreseen AS f USING (player_id) ORDER BY 1;

-- Reporting is idempotent, whatever the type of the identifiers.
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after,
    round(win_probability::numeric, 6) AS p, score, array_length(state_after, 1) AS states
FROM skillrating.report_match('arena', '21', ARRAY['10', '20'], ARRAY[1, 2], ARRAY[1, 1], '2024-03-01');
SELECT count(*) FROM arena.event;
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after
FROM skillrating.report_match('arena', 21::smallint, ARRAY[20, 10], ARRAY[2, 1], ARRAY[1, 1]);
SELECT count(*) FROM arena.event;
SELECT * FROM skillrating.report_match('arena', 21, ARRAY[10, 20], ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('arena', 21, ARRAY[10, 20], ARRAY[1, 2], ARRAY[1, 1], '2024-03-02');
\set VERBOSITY default
SELECT player_id, games_before, games_after FROM skillrating.catch_up('arena') ORDER BY player_id;
SELECT * FROM skillrating.report_match('arena', 21, ARRAY[10, 20], ARRAY[1, 2], ARRAY[1, 1], '2024-03-02');
SELECT count(*) FROM skillrating.report_match('arena', 22, ARRAY[10, 20], ARRAY[1, 1], ARRAY[1, 1]);
SELECT status, reason, detail FROM arena.rated_match WHERE match_id = 22;
INSERT INTO arena.match (match_id, finished) VALUES (23, false);
SELECT * FROM skillrating.report_match('arena', 23, ARRAY[10, 20], ARRAY[1, 2], ARRAY[1, 1]);
SELECT * FROM skillrating.verify('arena');

-- Verify finds what was tampered with.
BEGIN;
UPDATE arena.rating SET rating = rating + 1e-9 WHERE player_id = 10;
UPDATE arena.rating SET wins = wins + 1 WHERE player_id = 20;
UPDATE arena.event SET win_probability = 0.5 WHERE match_id = 20 AND player_id = 30;
SELECT * FROM skillrating.verify('arena');
ROLLBACK;
BEGIN;
DELETE FROM arena.event WHERE match_id = 9 AND player_id = 30;
DELETE FROM arena.rating WHERE player_id = 30;
DELETE FROM arena.rated_match WHERE match_id = 22;
SET LOCAL session_replication_role = replica;
DELETE FROM arena.match_player WHERE match_id = 2;
SELECT * FROM skillrating.verify('arena');
ROLLBACK;

-- Rows are in the order of the players, who count where they first occur.
SELECT player_id, team FROM skillrating.preview('arena', ARRAY[30, 999, 10, 30, 20], ARRAY[7, 5, 5, 7, 7], weight => ARRAY[0.3, 1, 1, 0.4, 1]);
SELECT player_id, score FROM skillrating.report_match('arena', 24, ARRAY[30, 999, 10, 30, 20], ARRAY[7, 5, 5, 7, 7], ARRAY[2, 1, 1, 2, 2], '2024-03-03', weight => ARRAY[0.3, 1, 1, 0.4, 1]);
SELECT player_id, score FROM skillrating.report_match('arena', 24, ARRAY[10, 30, 20, 999, 30], ARRAY[5, 7, 7, 5, 7], ARRAY[1, 2, 2, 1, 2], '2024-03-03', weight => ARRAY[1, 0.3, 1, 1, 0.4]);

-- Pools are rated apart.
SELECT skillrating.create_ladder('modes', 'elo', apply_at => 'statement') \gset
INSERT INTO modes.match (match_id, pool) VALUES (1, 'duel'), (2, 'clan');
INSERT INTO modes.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2), (2, 1, 1, 2), (2, 2, 2, 1);
SELECT player_id, pool, rating, games FROM modes.rating ORDER BY pool, player_id;
SELECT place, player_id, rating, games, last_played IS NOT NULL AS played FROM skillrating.leaderboard('modes', pool => 'clan');
SELECT bool_and(ok) FROM skillrating.verify('modes');
-- At once: within the transaction and after the statement.
BEGIN;
INSERT INTO modes.match (match_id, pool) VALUES (3, 'duel');
INSERT INTO modes.match_player (match_id, player_id, team, rank) VALUES (3, 1, 1, 1), (3, 2, 2, 2);
SELECT games FROM modes.rating WHERE player_id = 1 AND pool = 'duel';
COMMIT;

-- A ladder can be renamed like any schema, and has what a schema has.
ALTER SCHEMA modes RENAME TO "odd ""name";
INSERT INTO "odd ""name".match (match_id, pool) VALUES (4, 'duel');
INSERT INTO "odd ""name".match_player (match_id, player_id, team, rank) VALUES (4, 1, 1, 1), (4, 2, 2, 2);
SELECT bool_and(ok) FROM skillrating.verify('odd "name');
CREATE TABLE "odd ""name".mine ();
SELECT skillrating.drop_ladder('odd "name');
DROP TABLE "odd ""name".mine;
SELECT skillrating.drop_ladder('odd "name') \gset
SELECT skillrating.drop_ladder('arena') \gset
SELECT count(*) FROM pg_namespace WHERE nspname IN ('arena', 'odd "name');
