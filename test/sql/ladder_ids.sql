-- Identifiers of any type that can be hashed and ordered.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 0;

SELECT skillrating.create_ladder('by_uuid', 'hive', player_type => 'text', match_type => 'uuid') \gset
\set ECHO none
INSERT INTO by_uuid.match (match_id) VALUES ('5d8b7b52-0000-0000-0000-000000000001');
INSERT INTO by_uuid.match_player (match_id, player_id, team, won, side, joined, left_at, commanding) VALUES
    ('5d8b7b52-0000-0000-0000-000000000001', 'Ümlaut', 7, true, 2, 0, 1200, 1),
    ('5d8b7b52-0000-0000-0000-000000000001', 'a ''quote"', 7, true, 2, 0, 600, NULL),
    ('5d8b7b52-0000-0000-0000-000000000001', 'late', 9, false, 1, 600, 1200, 0.5),
    ('5d8b7b52-0000-0000-0000-000000000001', 'Late', 9, false, 1, 0, 1200, 300);
\set ECHO all
SELECT player_id, round(skill::numeric, 6) AS skill, round(side_offset::numeric, 6) AS side_offset,
    round(command_skill::numeric, 6) AS command_skill, rating = skill AS displayed, wins
FROM by_uuid.rating ORDER BY player_id COLLATE "C";
-- The identifier of a match can make itself.
INSERT INTO by_uuid.match DEFAULT VALUES;
SELECT count(*) FROM by_uuid.match;
-- Several stints, on either side.
\set ECHO none
INSERT INTO by_uuid.match (match_id) VALUES ('5d8b7b52-0000-0000-0000-000000000002');
INSERT INTO by_uuid.match_player (match_id, player_id, stint, team, won, side, joined, left_at) VALUES
    ('5d8b7b52-0000-0000-0000-000000000002', 'late', 1, 1, true, 1, 0, 300),
    ('5d8b7b52-0000-0000-0000-000000000002', 'late', 2, 2, false, 2, 300, 1500),
    ('5d8b7b52-0000-0000-0000-000000000002', 'Late', 1, 1, true, 1, 0, 1500),
    ('5d8b7b52-0000-0000-0000-000000000002', 'Ümlaut', 1, 2, false, 2, 0, 100),
    ('5d8b7b52-0000-0000-0000-000000000002', 'Ümlaut', 2, 2, false, 2, 200, 1500);
\set ECHO all
SELECT player_id, score, round(win_probability::numeric, 6) AS p, round((skill_after - skill_before)::numeric, 6) AS change
FROM by_uuid.event WHERE match_id = '5d8b7b52-0000-0000-0000-000000000002' ORDER BY player_id COLLATE "C";
SELECT player_id, round(rating_after::numeric, 6) AS after
FROM skillrating.report_match('by_uuid', '5d8b7b52-0000-0000-0000-000000000003', ARRAY['late', 'Ümlaut'], ARRAY[1, 2], ARRAY[2, 1]);
SELECT * FROM skillrating.report_match('by_uuid', 'not a uuid', ARRAY['late', 'Ümlaut'], ARRAY[1, 2], ARRAY[2, 1]);
SELECT bool_and(ok) FROM skillrating.verify('by_uuid');

SELECT skillrating.create_ladder('by_int', 'elo', player_type => 'int', match_type => 'int') \gset
INSERT INTO by_int.match DEFAULT VALUES RETURNING match_id;
INSERT INTO by_int.match_player (match_id, player_id, team, rank) VALUES (1, -5, 1, 1), (1, 2147483647, 2, 2);
SELECT player_id, rating FROM by_int.rating ORDER BY 1;
SELECT * FROM skillrating.preview('by_int', ARRAY[2147483648], ARRAY[1]);

-- A type from elsewhere.
\set ECHO none
CREATE SCHEMA elsewhere;
CREATE TYPE elsewhere.hero AS ENUM ('axe', 'bane', 'chen');
SELECT skillrating.create_ladder('by_enum', 'elo', player_type => 'elsewhere.hero', match_type => 'timestamptz') \gset
INSERT INTO by_enum.match (match_id) VALUES ('2024-01-01');
INSERT INTO by_enum.match_player (match_id, player_id, team, rank) VALUES ('2024-01-01', 'chen', 1, 1), ('2024-01-01', 'axe', 2, 2);
\set ECHO all
SELECT player_id, rating FROM skillrating.leaderboard('by_enum');
SELECT bool_and(ok) FROM skillrating.verify('by_enum');

-- Types that will not do.
SELECT skillrating.create_ladder('by_point', 'elo', player_type => 'point');
SELECT skillrating.create_ladder('by_json', 'elo', match_type => 'json');
SELECT count(*) FROM pg_namespace WHERE nspname IN ('by_point', 'by_json');

SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['by_uuid', 'by_int', 'by_enum']) AS l;
SET client_min_messages = warning;
DROP SCHEMA elsewhere CASCADE;

-- The columns that create_ladder() gives the tables.
SELECT relation, skillrating_internal.ladder_columns(relation, model, '{}', 'uuid', 'text', 'mu - 3 * sigma') AS definitions
FROM (VALUES ('rating', 'trueskill'), ('rating', 'elo'), ('event', 'trueskill')) AS t(relation, model);
SELECT skillrating_internal.ladder_columns('rated_match', 'elo', '{}', 'uuid', 'text', 'rating');
SELECT skillrating_internal.ladder_columns('rating', 'chess', '{}', 'uuid', 'text', 'rating');
