-- What goes wrong between a view, its ladder and a table of users is said at once, with the remedy.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE SCHEMA mistakes;
SET search_path = mistakes;
CREATE TABLE users (id int PRIMARY KEY, skill float8, other float8);
CREATE TABLE games (id int PRIMARY KEY, ended_at timestamptz, mode text);
CREATE TABLE game_players (game_id int, user_id int, team int, rank int, PRIMARY KEY (game_id, user_id));
CREATE TABLE badges (user_id int, badge text);
CREATE TABLE odd (game_id point);
INSERT INTO users SELECT i FROM generate_series(1, 6) AS i;
INSERT INTO games SELECT i, '2026-01-01Z'::timestamptz + i * interval '1 hour', CASE i % 2 WHEN 0 THEN 'casual' ELSE 'ranked' END FROM generate_series(1, 20) AS i;
INSERT INTO game_players SELECT g, 1 + (g + p) % 6, p, 1 + (p + g / 3) % 2 FROM generate_series(1, 20) AS g, generate_series(1, 2) AS p;
\set ECHO all

-- A join that repeats the rows of a player.
INSERT INTO badges VALUES (1, 'gold'), (1, 'silver'), (2, 'gold');
CREATE VIEW joined AS
    SELECT g.id AS match_id, g.ended_at AS played_at, p.user_id AS player_id, p.team, p.rank
    FROM games AS g JOIN game_players AS p ON p.game_id = g.id LEFT JOIN badges AS b ON b.user_id = p.user_id;
SELECT name, ok, description, remedy FROM skillrating.describe_source('joined', 'elo') WHERE kind = 'match';
SELECT skillrating.create_ladder('repeated', 'elo', source => 'joined') \gset
CALL skillrating.backfill('repeated');
SELECT reason, count(*) AS matches, count(*) = (SELECT count(DISTINCT p.game_id) FROM game_players AS p WHERE p.user_id = 1) AS those_of_the_player
FROM repeated.rated_match WHERE reason IS NOT NULL GROUP BY reason;

-- Names of columns that are no source's, misspelled or not.
CREATE VIEW misspelled AS SELECT j.*, 1 AS log_ods, 'x' AS mode, j.team AS teamscore, 1 AS score, 2 AS gain, 3 AS "left", j.player_id AS player FROM joined AS j WHERE match_id < 1;
SELECT name, ok, description FROM skillrating.describe_source('misspelled') WHERE ok IS NULL AND kind = 'column';
\set VERBOSITY default
SELECT skillrating.create_ladder('misspelled_ladder', 'elo', source => 'misspelled') \gset
\set VERBOSITY terse

CREATE VIEW mistyped AS SELECT match_id, point(1, 2) AS player_id, team::text AS team, 'x'::text AS rank FROM joined;
SELECT name, description, remedy FROM skillrating.describe_source('mistyped') WHERE NOT ok ORDER BY name;

-- Attaching: a type that is no match, and a table that the view does not read.
SELECT skillrating.attach('repeated', 'odd', 'game_id');
CREATE TABLE apart (match_id int);
SELECT skillrating.attach('repeated', 'apart') \gset

-- Pools of mirrors.
CREATE VIEW plain AS
    SELECT g.id AS match_id, g.ended_at AS played_at, p.user_id AS player_id, p.team, p.rank
    FROM games AS g JOIN game_players AS p ON p.game_id = g.id;
\set VERBOSITY default
SELECT skillrating.create_ladder('played', 'elo', source => 'plain', ratings_to => 'users', key => 'id');
SELECT skillrating.create_ladder('played', 'elo', source => 'plain', ratings_to => 'users', key => 'id', columns => '{"skill": "rating"}', pool => 'rnaked') \gset
SELECT skillrating.drop_ladder('played') \gset
\set VERBOSITY terse
SELECT skillrating.create_ladder('played', 'elo', source => 'plain', ratings_to => 'users', key => 'id', columns => '{"skill": "rating"}') \gset
CALL skillrating.backfill('played');
SELECT count(skill) = 6 AS mirrored FROM users;
CREATE OR REPLACE VIEW plain AS
    SELECT g.id AS match_id, g.ended_at AS played_at, p.user_id AS player_id, p.team, p.rank, g.mode AS pool
    FROM games AS g JOIN game_players AS p ON p.game_id = g.id;
SELECT skillrating.refresh_source('played') \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('played', rebuild => true);
SELECT count(skill) AS mirrored FROM users;
SELECT skillrating.unmirror_rating('played', 'users') \gset
SELECT skillrating.unmirror_rating('played', 'users');
SELECT skillrating.mirror_rating('played', 'users', 'id', '{"skill": "rating"}');
SELECT skillrating.mirror_rating('played', 'users', 'id', '{"skill": "rating"}', 'ranked') > 0 AS mirrored;
CREATE TABLE standings (player int, pool text, elo float8);
\set VERBOSITY default
SELECT skillrating.mirror_rating('played', 'standings', 'player', '{"elo": "rating"}', pool_key => 'pool');
SELECT skillrating.mirror_rating('played', 'standings', 'player', '{"elo": "ratnig"}', pool_key => 'pool');
\set VERBOSITY terse
INSERT INTO standings SELECT r.player_id, r.pool FROM played.rating AS r;
SELECT bool_and(s.elo = r.rating) AS mirrored FROM standings AS s JOIN played.rating AS r ON (r.player_id, r.pool) = (s.player, s.pool);
-- No two mirrors write one column.
\set VERBOSITY default
SELECT skillrating.mirror_rating('played', 'users', 'id', '{"skill": "rating"}', 'casual');
SELECT skillrating.mirror_rating('repeated', 'users', 'id', '{"skill": "rating"}');
\set VERBOSITY terse
SELECT skillrating.mirror_rating('played', 'users', 'id', '{"other": "rating"}', 'casual') > 0 AS mirrored;
SELECT skillrating.mirror_rating('played', 'users', 'id', '{"skill": "rating"}', 'ranked') AS again;
SELECT skillrating.unmirror_rating('played', 'users');
SELECT skillrating.unmirror_rating('played', 'users', 'none');

-- Operations on ratings of one pool.
SELECT skillrating.set_rating('played', 1, '{"rating": 1700}');
SELECT (skillrating.set_rating('played', 1, '{"rating": 1700}', pool => 'rnaked')).players;
SELECT skillrating.import_ratings('played', '{7}', '[{"rating": 1700}]');
SELECT skillrating.seed_from('played', 'repeated');
SELECT skillrating.seed_from('repeated', 'played');
SELECT (skillrating.seed_from('repeated', 'played', other_pool => 'ranked')).players > 0 AS seeded;

-- A match that has changed waits for its correction.
SELECT outcome, reason, detail FROM skillrating.match_outcome('played', 5);
UPDATE game_players SET rank = 3 - rank WHERE game_id = 5;
SELECT outcome, reason, detail FROM skillrating.match_outcome('played', 5);
DELETE FROM game_players WHERE game_id = 6;
SELECT outcome, reason, detail FROM skillrating.match_outcome('played', 6);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('played');
SELECT m.id, o.outcome, o.reason FROM unnest('{5,6}'::int[]) AS m(id), skillrating.match_outcome('played', m.id) AS o;

SELECT skillrating.drop_ladder('played') \gset

-- A source that cannot be one says what its other columns may stand for.
CREATE VIEW named AS SELECT 1 AS match_id, now() AS played_at, t AS player_id, t AS team, t AS score FROM generate_series(1, 2) AS t;
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('named', 'elo', source => 'named');
SET client_min_messages = warning;
SELECT skillrating.drop_ladder('repeated'), skillrating.drop_ladder('misspelled_ladder') \gset
DROP SCHEMA mistakes CASCADE;
