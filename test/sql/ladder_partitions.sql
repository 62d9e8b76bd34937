-- A partitioned table as the source of a ladder: rows that no trigger reports, and partitions that
-- go.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA regress_partitions;
SET search_path = regress_partitions;
SET timezone = 'UTC';
SET extra_float_digits = 0;
CREATE TABLE result (id bigint, winner bigint, loser bigint, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE result_2025 PARTITION OF result FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE result_2026 PARTITION OF result FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE VIEW result_source AS
    SELECT id AS match_id, at AS played_at, winner AS player_id, 1 AS team, true AS won FROM result
    UNION ALL SELECT id, at, loser, 2, false FROM result;
\set ECHO all
SELECT skillrating.create_ladder('season', 'elo', source => 'result_source', late => 'reorder') \gset
SELECT skillrating.attach('season', 'result', 'id') \gset
INSERT INTO result VALUES (1, 1, 2, '2025-05-01'), (2, 3, 4, '2026-05-01');
-- Written into a partition, or attached with rows: found by search.
INSERT INTO result_2025 VALUES (100, 5, 6, '2025-06-01');
CREATE TABLE result_2024 (LIKE result);
INSERT INTO result_2024 VALUES (200, 1, 3, '2024-05-01');
ALTER TABLE result ATTACH PARTITION result_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
SELECT check_name, detail FROM skillrating.verify('season') WHERE NOT ok;
SELECT player_id, games_after FROM skillrating.catch_up('season', search => true) ORDER BY player_id;
SELECT match_id, status FROM season.rated_match ORDER BY seq;
SELECT bool_and(ok) FROM skillrating.verify('season');
-- A partition that is attached to the ladder as well reports what is written to it, once.
SELECT skillrating.attach('season', 'result_2026', 'id') \gset
INSERT INTO result_2026 VALUES (3, 1, 2, '2026-06-01');
INSERT INTO result VALUES (4, 1, 2, '2026-06-02');
SELECT count(*) FROM season.event WHERE match_id IN (3, 4);

-- Retention: a partition goes, and ratings stay. What comes later is rated and corrected on.
ALTER TABLE result DETACH PARTITION result_2025;
SELECT check_name, detail FROM skillrating.verify('season') WHERE NOT ok AND check_name = 'content';
INSERT INTO result VALUES (5, 3, 4, '2026-07-01');
UPDATE result SET winner = 2, loser = 1 WHERE id = 4;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('season') ORDER BY player_id;
SELECT player_id, games FROM season.rating ORDER BY player_id;
-- A correction from before cannot be replayed without it, and waits; those of later matches do not.
UPDATE result SET winner = 3, loser = 1 WHERE id = 200;
UPDATE result SET winner = 4, loser = 3 WHERE id = 5;
SELECT match_id, kind FROM season.correction ORDER BY seq;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('season') ORDER BY player_id;
SELECT match_id, kind FROM season.correction ORDER BY seq;
\set VERBOSITY terse
SELECT * FROM skillrating.catch_up('season');
SELECT * FROM skillrating.catch_up('season', rebuild => true);
SELECT count(*) FROM season.correction;
-- Nor does it keep a worker from rating.
UPDATE season.ladder SET apply_at = 'manual';
INSERT INTO result VALUES (6, 1, 2, '2026-08-01');
SELECT count(*) FROM skillrating.catch_up('season');
SELECT status FROM season.rated_match WHERE match_id = 6;
-- The partition comes back, and history is as it was.
ALTER TABLE result ATTACH PARTITION result_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('season');
SELECT bool_and(ok) FROM skillrating.verify('season');
-- Or goes for good, on purpose; a match that was deleted needs no such word.
DELETE FROM result WHERE id = 1;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('season');
DROP TABLE result_2025;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('season', search => true) ORDER BY player_id;
SELECT bool_and(ok) FROM skillrating.verify('season');
SELECT match_id FROM season.rated_match ORDER BY seq;
SELECT * FROM skillrating.catch_up('season', search => true);
-- A void match that is gone keeps nobody from correcting others, and stays void if it comes back.
SELECT skillrating.void_match('season', 200) \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('season');
ALTER TABLE result DETACH PARTITION result_2024;
SELECT * FROM skillrating.catch_up('season', rebuild => true);
ALTER TABLE result ATTACH PARTITION result_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
SELECT * FROM skillrating.catch_up('season', search => true, rebuild => true);
SELECT match_id, status FROM season.rated_match WHERE match_id = 200;
-- Another formula can only rate what is left.
SELECT skillrating.restore_match('season', 200) \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('season');
ALTER TABLE result DETACH PARTITION result_2024;
SELECT * FROM skillrating.shadow_ladder('season', 'other', 'glicko');
SELECT bool_and(ok) FROM skillrating.verify('other');
SELECT count(*) FROM season.rated_match;
SELECT skillrating.drop_ladder('other'), skillrating.drop_ladder('season') \gset
SET client_min_messages = warning;
DROP SCHEMA regress_partitions CASCADE;
