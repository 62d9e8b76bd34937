-- Formats of ladders, and ladders that an earlier version has made.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE ROLE regress_upgrade_owner;
CREATE ROLE regress_upgrade_reader;
CREATE ROLE regress_upgrade_reporter;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_upgrade_owner', current_database()) \gexec
SELECT current_database() AS database \gset
SET ROLE regress_upgrade_owner;

-- A ladder that is made now lacks nothing, whatever it is and whatever was switched on.
CREATE SCHEMA regress_upgrade;
CREATE TABLE regress_upgrade.game (id integer PRIMARY KEY, home text, away text, diff integer);
CREATE VIEW regress_upgrade.game_source AS
SELECT id AS match_id, '2024-01-01'::timestamptz AS played_at, home AS player_id, 1 AS team, diff AS score FROM regress_upgrade.game
UNION ALL SELECT id, '2024-01-01', away, 2, -diff FROM regress_upgrade.game;
INSERT INTO regress_upgrade.game SELECT m, 'h' || m % 4, 'a' || m % 3, m % 3 - 1 FROM generate_series(1, 12) AS m;
SELECT skillrating.create_ladder('arena', 'elo');
SELECT skillrating.create_ladder('shares', 'trueskill2', player_type => 'uuid', match_type => 'text', leaderboard => 'none', strict => true);
SELECT skillrating.create_ladder('league', 'state_space', late => 'reorder', leaderboard => 'bands');
SELECT skillrating.create_ladder('games', 'glicko', source => 'regress_upgrade.game_source', apply_at => 'manual');
SELECT skillrating.attach('games', 'regress_upgrade.game', 'id');
SELECT count(*) > 0 AS rated FROM skillrating.catch_up('games', search => true);
SELECT matches FROM skillrating.rerate('games', 'hive', '{}', 'Games of "Hive"');
SELECT count(*) FROM generate_series(1, 2) AS n,
    LATERAL skillrating.report_match('league', n, ARRAY[n, 4], ARRAY[1, 2], ARRAY[1, 2], played_at => '2024-01-01'::timestamptz + n * interval '1 day');
SELECT FROM skillrating.partition_history('league', 10);
SELECT FROM skillrating.set_horizon('league', '2024-01-02 12:00');
SELECT FROM skillrating.keep_changes('league');
SELECT FROM skillrating.schedule_work('league', 'catch_up', '1 hour');
SELECT FROM skillrating.create_queue('league', 'duel');
CREATE TABLE regress_upgrade.target (player bigint PRIMARY KEY, elo float8, position bigint);
SELECT FROM skillrating.push_rating('league', 'regress_upgrade.target', '{"player": "player_id", "elo": "rating"}');
SELECT l.ladder, u.statement
FROM unnest(ARRAY['arena', 'shares', 'league', 'games', 'Games of "Hive"']) AS l(ladder)
CROSS JOIN LATERAL skillrating.upgrade_ladder(l.ladder) AS u(statement);
-- What was switched on is compared, too.
BEGIN;
SELECT FROM skillrating.grant_matchmaker('league', 'regress_upgrade_reader');
DROP TABLE league.queue_seat, league.push_failure;
ALTER TABLE league.queue_backfill DROP COLUMN expires_at;
SELECT skillrating.upgrade_ladder('league');
SELECT count(*) FROM skillrating.queue_tick('league', 'duel');
ROLLBACK;
-- Nothing is left of what it compares with.
SELECT nspname FROM pg_namespace WHERE nspname = 'skillrating_upgrade';

-- As if an earlier version had made it: without a table, a column that is read by the way, an index
-- and the last column of the source, and with fewer kinds of operations.
SELECT skillrating.grant_reader('arena', 'regress_upgrade_reader'), skillrating.grant_reporter('arena', 'regress_upgrade_reporter');
SELECT count(*) FROM generate_series(1, 6) AS n, LATERAL skillrating.report_match('arena', n, ARRAY[n % 3, 3 + n % 2], ARRAY[1, 2], ARRAY[1, 2]);
BEGIN;
DROP TABLE arena.solved, arena.standing;
ALTER TABLE arena.rated_match DROP COLUMN corrections;
ALTER TABLE arena.operation DROP CONSTRAINT operation_kind_check;
ALTER TABLE arena.operation ADD CONSTRAINT operation_kind_check CHECK (kind IN ('season', 'decay'));
ALTER TABLE arena.mirror DROP CONSTRAINT mirror_pkey;
DROP INDEX arena.event_seq_idx;
DROP VIEW arena.source;
ALTER TABLE arena.match_player DROP COLUMN bot;
CREATE VIEW arena.source AS
SELECT m.match_id, m.played_at, m.pool, m.log_odds, m.gain * coalesce(p.gain, 1) AS gain, m.unrated_reason, m.duration, m.surrendered,
    p.player_id, p.team, p.rank, p.score, p.won, p.weight, p.joined, p."left", p.commanding, p.side,
    coalesce(p.context, m.context) AS context, p.club, p.squad, p.kills, p.deaths, p.quit, p.experience
FROM arena.match AS m JOIN arena.match_player AS p ON p.match_id = m.match_id
WHERE m.finished;
-- What users have made of it.
COMMENT ON TABLE arena.rating IS 'Ours.';
ALTER TABLE arena.match ADD COLUMN venue text, ALTER pool SET DEFAULT 'home';
CREATE INDEX ours ON arena.event (match_id);
COMMIT;
\set VERBOSITY terse
SELECT count(*) FROM skillrating.leaderboard('arena');
SELECT left(split_part(u, E'\n', 1), 70) AS statement FROM skillrating.upgrade_ladder('arena') AS u;
SELECT * FROM skillrating.upgrade_ladder('arena');
SELECT * FROM skillrating.verify('arena') WHERE NOT ok;
SELECT obj_description('arena.rating'::regclass) AS comment, count(*) FILTER (WHERE a.attname = 'venue') AS venue, to_regclass('arena.ours') AS index
FROM pg_attribute AS a WHERE a.attrelid = 'arena.match'::regclass;
SELECT obj_description('arena.solved'::regclass) IS NOT NULL AS described,
    has_table_privilege('regress_upgrade_reader', 'arena.solved', 'SELECT') AS readable,
    has_table_privilege('regress_upgrade_reporter', 'arena.solved', 'SELECT') AS readable_by_others;
SELECT rating_after > 0 AS rated FROM skillrating.report_match('arena', 7, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], bot => ARRAY[false, true]);
SELECT * FROM skillrating.verify('arena') WHERE NOT ok;

-- Of a ladder with a horizon, what events before it say of seasons.
CREATE TEMP TABLE kept AS TABLE league.season_horizon;
DROP TABLE league.season_horizon;
SELECT left(split_part(u, E'\n', 1), 70) AS statement FROM skillrating.upgrade_ladder('league') AS u;
SELECT count(*) AS kept FROM kept;
(TABLE kept EXCEPT ALL TABLE league.season_horizon) UNION ALL (TABLE league.season_horizon EXCEPT ALL TABLE kept);
SELECT * FROM skillrating.verify('league') WHERE NOT ok;

-- A ladder of a later version: what has loaded this library does not work on it, in whatever way.
UPDATE arena.ladder SET format_version = 2;
\c
SET client_min_messages = warning;
SET ROLE regress_upgrade_owner;
\set SHOW_CONTEXT never
\set VERBOSITY sqlstate
SELECT skillrating.report_match('arena', 8, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
\set VERBOSITY default
SELECT count(*) FROM skillrating.leaderboard('arena');
SELECT * FROM skillrating.verify('arena');
SELECT * FROM skillrating.catch_up('arena');
SELECT skillrating.grant_reader('arena', 'regress_upgrade_reader');
BEGIN;
INSERT INTO arena.match (match_id) VALUES (9);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (9, 1, 1, 1), (9, 2, 2, 2);
COMMIT;
SELECT * FROM skillrating.upgrade_ladder('arena');
-- Its tables may be of any shape.
BEGIN;
ALTER TABLE arena.rated_match DROP COLUMN corrections;
SELECT * FROM skillrating.verify('arena');
ROLLBACK;
-- Also if the row changes while it is known.
UPDATE arena.ladder SET format_version = 1;
SELECT * FROM skillrating.verify('arena') WHERE NOT ok;
UPDATE arena.ladder SET format_version = 2;
SELECT * FROM skillrating.verify('arena') WHERE NOT ok;
-- One of an earlier version that is not understood any more is upgraded first.
UPDATE arena.ladder SET format_version = 0;
SELECT * FROM skillrating.verify('arena');
SELECT * FROM skillrating.upgrade_ladder('arena');
SELECT * FROM skillrating.verify('arena') WHERE NOT ok;
UPDATE arena.ladder SET format_version = NULL;
-- It can be dropped.
UPDATE arena.ladder SET format_version = 2;
BEGIN;
SELECT skillrating.drop_ladder('arena');
ROLLBACK;
UPDATE arena.ladder SET format_version = 1;

-- Whose it is, and what it takes.
\set VERBOSITY terse
SELECT * FROM skillrating.upgrade_ladder('nowhere');
SELECT * FROM skillrating.upgrade_ladder(NULL);
SET ROLE regress_upgrade_reader;
SELECT * FROM skillrating.upgrade_ladder('arena');
RESET ROLE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_upgrade_owner', :'database') \gexec
SET ROLE regress_upgrade_owner;
SELECT * FROM skillrating.upgrade_ladder('arena');
SELECT * FROM skillrating_internal.upgrade_ladder('arena');
-- A view in the place of a table, whoever has put it there.
BEGIN;
ALTER TABLE arena.rated_match RENAME TO elsewhere;
CREATE VIEW arena.rated_match AS SELECT * FROM arena.elsewhere;
SELECT * FROM skillrating.upgrade_ladder('arena');
ROLLBACK;
BEGIN;
DROP VIEW "Games of ""Hive""".source, games.source CASCADE;
SELECT * FROM skillrating.upgrade_ladder('games');
ROLLBACK;

RESET ROLE;
SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['Games of "Hive"', 'arena', 'shares', 'league', 'games']) AS l;
DROP SCHEMA regress_upgrade CASCADE;
DROP OWNED BY regress_upgrade_owner, regress_upgrade_reader, regress_upgrade_reporter;
DROP ROLE regress_upgrade_owner, regress_upgrade_reader, regress_upgrade_reporter;
