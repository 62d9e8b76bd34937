-- The tables below a source, found by its definition, and attached with the ladder.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA found;
SET search_path = found, skillrating;
SET client_min_messages = warning;
CREATE TABLE game (id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2026-01-01Z', mode text, map_id int);
CREATE TABLE map (id int PRIMARY KEY, name text);
CREATE TABLE player (game_id bigint REFERENCES game, user_id bigint, team int, score int, PRIMARY KEY (game_id, user_id));
CREATE TABLE round (id int PRIMARY KEY, game_id bigint);
CREATE TABLE kill (round_id int, killer bigint);
CREATE TABLE old_game (old_id int, user_id bigint, team int, score int);
CREATE TABLE fixture (number int, home bigint, away bigint, home_goals int, away_goals int);
CREATE TABLE wide (week date, left_game bigint, right_game bigint);
CREATE TABLE part (game_id bigint, user_id bigint, team int, score int) PARTITION BY RANGE (game_id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (1000);
CREATE MATERIALIZED VIEW best AS SELECT game_id, max(score) AS score FROM player GROUP BY game_id;
CREATE FUNCTION season() RETURNS int LANGUAGE sql STABLE AS 'SELECT count(*)::int FROM found.map';
CREATE FUNCTION double(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * $1';
\set ECHO all

-- Each view, and what is known of what it reads: the column that is match_id, and whether changes matter.
CREATE TABLE known (source regclass, relation text, match_id text, watched boolean);

-- Joins by equality and USING, outer ones, a lookup, and a column that a join has merged.
\set ECHO none
CREATE VIEW joined AS
    SELECT g.id AS match_id, g.at AS played_at, p.user_id AS player_id, p.team, p.score AS team_score
    FROM game AS g JOIN player AS p ON p.game_id = g.id LEFT JOIN map AS m ON m.id = g.map_id;
CREATE VIEW merged AS
    SELECT game_id AS match_id, g.at AS played_at, p.user_id AS player_id, p.team, p.score AS team_score
    FROM (SELECT id AS game_id, at FROM game) AS g FULL JOIN player AS p USING (game_id);
CREATE VIEW compared AS
    SELECT p.game_id AS match_id, g.at AS played_at, p.user_id AS player_id, p.team, p.score AS team_score
    FROM game AS g, player AS p, round AS r WHERE p.game_id = g.id AND (r.game_id = g.id AND p.team > 0);
INSERT INTO known VALUES ('joined', 'game', 'id', true), ('joined', 'player', 'game_id', true), ('joined', 'map', NULL, false),
    ('merged', 'game', 'id', true), ('merged', 'player', 'game_id', true),
    ('compared', 'game', 'id', true), ('compared', 'player', 'game_id', true), ('compared', 'round', 'game_id', true);
\set ECHO all

-- A condition that need not hold says nothing.
CREATE VIEW either AS
    SELECT p.game_id AS match_id, timestamptz '2026-01-01' AS played_at, p.user_id AS player_id, p.team, p.score AS team_score
    FROM player AS p, round AS r WHERE r.game_id = p.game_id OR p.team = 1;
INSERT INTO known VALUES ('either', 'player', 'game_id', true), ('either', 'round', NULL, false);

-- Casts, GROUP BY, DISTINCT, windows, and branches of UNION ALL.
\set ECHO none
CREATE VIEW cast_to_text AS
    SELECT game_id::text AS match_id, timestamptz '2026-01-01' AS played_at, user_id AS player_id, team, sum(score) OVER (PARTITION BY game_id, team) AS team_score
    FROM player
    UNION ALL (SELECT DISTINCT old_id::text, timestamptz '2026-01-01', user_id, team, score FROM old_game)
    UNION ALL SELECT p.game_id::varchar(20)::text, '2026-01-01', p.user_id, p.team, max(p.score) FROM part AS p GROUP BY p.game_id::varchar(20)::text, p.user_id, p.team;
CREATE VIEW grouped AS
    SELECT game_id AS match_id, timestamptz '2026-01-01' AS played_at, user_id AS player_id, team, max(score) AS team_score
    FROM player GROUP BY game_id, user_id, team HAVING (SELECT count(*) FROM round AS r WHERE r.game_id = player.game_id) >= 0;
INSERT INTO known VALUES ('cast_to_text', 'player', 'game_id', true), ('cast_to_text', 'old_game', 'old_id', true), ('cast_to_text', 'part', 'game_id', true),
    ('grouped', 'player', 'game_id', true), ('grouped', 'round', 'game_id', true);

-- Views of views, subqueries in expressions and IN, common table expressions, LATERAL.
CREATE VIEW nested AS SELECT j.* FROM joined AS j WHERE j.match_id IN (SELECT game_id FROM round) AND NOT EXISTS (SELECT FROM kill WHERE killer = j.player_id);
CREATE VIEW with_kills AS
    WITH k AS (SELECT r.game_id, kill.killer, count(*) AS n FROM round AS r JOIN kill ON kill.round_id = r.id GROUP BY 1, 2)
    SELECT j.match_id, j.played_at, j.player_id, j.team, j.team_score + coalesce(k.n, 0) AS team_score
    FROM joined AS j LEFT JOIN k ON k.game_id = j.match_id AND k.killer = j.player_id;
CREATE VIEW lateral_rows AS
    SELECT f.number AS match_id, timestamptz '2026-01-01' AS played_at, x.player_id, x.team, x.team_score
    FROM fixture AS f, LATERAL (SELECT f.home, 1, f.home_goals UNION ALL SELECT f.away, 2, f.away_goals + (SELECT count(*) FROM round AS r WHERE r.game_id = f.number)) AS x(player_id, team, team_score);
INSERT INTO known VALUES ('nested', 'game', 'id', true), ('nested', 'player', 'game_id', true), ('nested', 'map', NULL, false), ('nested', 'round', 'game_id', true), ('nested', 'kill', NULL, false),
    ('with_kills', 'game', 'id', true), ('with_kills', 'player', 'game_id', true), ('with_kills', 'map', NULL, false), ('with_kills', 'round', 'game_id', true), ('with_kills', 'kill', NULL, true),
    ('lateral_rows', 'fixture', 'number', true), ('lateral_rows', 'round', 'game_id', true);
\set ECHO all

-- What cannot be followed: expressions, recursion, two ways, functions, materialized views.
\set ECHO none
CREATE VIEW computed AS SELECT g.id + 1 AS match_id, g.at AS played_at, p.user_id AS player_id, p.team, p.score AS team_score FROM game AS g JOIN player AS p ON p.game_id = g.id;
CREATE VIEW recursive_rows AS
    WITH RECURSIVE c AS (SELECT id FROM game UNION SELECT c.id + 1 FROM c JOIN round AS r ON r.game_id = c.id WHERE c.id < 3)
    SELECT c.id AS match_id, timestamptz '2026-01-01' AS played_at, p.user_id AS player_id, p.team, p.score AS team_score FROM c JOIN player AS p ON p.game_id = c.id;
CREATE VIEW recursive_within AS
    WITH RECURSIVE c AS (SELECT id FROM game UNION SELECT c.id + 1 FROM c JOIN round AS r ON r.game_id = c.id WHERE c.id < 3)
    SELECT p.game_id AS match_id, timestamptz '2026-01-01' AS played_at, p.user_id AS player_id, p.team, p.score AS team_score
    FROM player AS p JOIN (SELECT c.id FROM c) AS s ON s.id = p.game_id;
CREATE VIEW two_ways AS
    SELECT left_game AS match_id, week AS played_at, 1 AS player_id, 1 AS team, 1 AS rank FROM wide
    UNION ALL SELECT right_game, week, 2, 2, 2 FROM wide;
CREATE VIEW with_functions AS SELECT p.game_id AS match_id, timestamptz '2026-01-01' AS played_at, p.user_id AS player_id, p.team, double(p.score) + season() + b.score AS team_score
    FROM player AS p JOIN best AS b ON b.game_id = p.game_id;
CREATE VIEW twice AS SELECT p.game_id AS match_id, timestamptz '2026-01-01' AS played_at, p.user_id AS player_id, p.team, p.score AS team_score FROM player AS p
    WHERE NOT EXISTS (SELECT FROM player AS o WHERE o.user_id = p.user_id AND o.score > 1000);
INSERT INTO known VALUES ('twice', 'player', 'game_id', true), ('computed', 'game', NULL, true), ('computed', 'player', NULL, false),
    ('recursive_rows', 'game', NULL, false), ('recursive_rows', 'round', NULL, false), ('recursive_rows', 'player', 'game_id', true),
    ('recursive_within', 'game', NULL, false), ('recursive_within', 'round', NULL, false), ('recursive_within', 'player', 'game_id', true),
    ('two_ways', 'wide', NULL, true), ('with_functions', 'player', 'game_id', true), ('with_functions', 'best', NULL, false), ('with_functions', NULL, NULL, false);

CREATE VIEW traced AS
    SELECT s.source, f.relation::text, f.match_id, f.watched
    FROM (SELECT DISTINCT source FROM known) AS s, skillrating_internal.feeding_tables(s.source, 'LADDER') AS f;
\set ECHO all
SELECT count(*) AS views FROM (SELECT DISTINCT source FROM known) AS s;
(TABLE known EXCEPT ALL TABLE traced) UNION ALL (TABLE traced EXCEPT ALL TABLE known);
SELECT f.relation, f.match_id, f.fault, f.remedy FROM known AS k, skillrating_internal.feeding_tables(k.source, 'LADDER') AS f
WHERE f.fault IS NOT NULL AND k.source <> 'nested'::regclass GROUP BY 1, 2, 3, 4 ORDER BY 1, 3;

-- From tables of one's own to rated players in two statements.
\set ECHO none
INSERT INTO game (id) SELECT generate_series(1, 6);
INSERT INTO player SELECT g, 1 + (g + p) % 3, p, p FROM generate_series(1, 6) AS g, generate_series(1, 2) AS p;
CREATE TABLE account (id bigint PRIMARY KEY, name text, skill float8, games bigint);
INSERT INTO account SELECT i, 'p' || i FROM generate_series(1, 4) AS i;
SET client_min_messages = notice;
\set ECHO all
SELECT create_ladder('road', 'elo', source => 'joined', ratings_to => 'account', key => 'id', columns => '{"skill": "rating", "games": "games"}') \gset
CALL backfill('road');
SET client_min_messages = warning;
SELECT count(*) AS differ FROM account AS a FULL JOIN road.rating AS r ON r.player_id = a.id
WHERE (a.skill, a.games) IS DISTINCT FROM (r.rating, r.games);
BEGIN;
INSERT INTO game (id) VALUES (7);
INSERT INTO player VALUES (7, 3, 1, 1), (7, 4, 2, 2);
COMMIT;
SELECT count(*) FILTER (WHERE a.games > 0) AS rated, count(*) FILTER (WHERE (a.skill, a.games) IS DISTINCT FROM (r.rating, r.games)) AS differ
FROM account AS a LEFT JOIN road.rating AS r ON r.player_id = a.id;
SELECT bool_and(ok) FROM verify('road');

-- A detail that leads to its match by another table, attached as the warning says.
SELECT create_ladder('killers', 'elo', source => 'with_kills') \gset
SELECT attach('killers', 'found.kill', '(SELECT t.game_id FROM found.round AS t WHERE t.id = round_id)') \gset
SELECT count(*) FROM catch_up('killers', search => true);
INSERT INTO round VALUES (1, 3);
INSERT INTO kill SELECT 1, user_id FROM player, generate_series(1, 5) WHERE game_id = 3 AND team = 1;
SELECT match_id, kind FROM killers.correction ORDER BY match_id, kind;
SELECT count(*) > 0 AS corrected FROM catch_up('killers');
SELECT bool_and(ok) FROM verify('killers');
-- Two ways.
SELECT create_ladder('doubles', 'elo', source => 'two_ways') \gset
SELECT attach('doubles', 'wide', 'unnest(ARRAY[left_game, right_game])') \gset
INSERT INTO wide VALUES ('2026-01-01', 1, 2);
SELECT match_id, status, reason FROM doubles.rated_match ORDER BY match_id;
-- Attached again, as the last call says, with one set of triggers.
SELECT attach('doubles', 'wide', 'right_game') \gset
SELECT relation, match_id FROM doubles.attached;
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'wide'::regclass;
-- An expression over the columns of one table.
SELECT create_ladder('none', 'elo', source => 'computed') \gset
SELECT create_ladder('asked', 'elo', source => 'joined', attach => false) \gset
SELECT count(*) FROM asked.attached;

-- Several rating pools for one row of a player.
CREATE VIEW in_pools AS SELECT g.id AS match_id, g.at AS played_at, g.mode AS pool, p.user_id AS player_id, p.team, p.score AS team_score FROM game AS g JOIN player AS p ON p.game_id = g.id;
UPDATE game SET mode = CASE id % 2 WHEN 0 THEN 'casual' ELSE 'ranked' END;
SELECT create_ladder('pools', 'elo', source => 'in_pools', ratings_to => 'account', key => 'id', columns => '{"skill": "rating"}');
ALTER TABLE account ADD ranked float8, ADD casual bigint;
SELECT create_ladder('pools', 'elo', source => 'in_pools', ratings_to => 'account', key => 'id', columns => '{"ranked": "rating"}', pool => 'ranked') \gset
SELECT pool FROM pools.mirror;
-- Without a match the pools are not known either.
CREATE VIEW in_no_pool AS SELECT * FROM in_pools WHERE match_id < 0;
SELECT create_ladder('no_pool', 'elo', source => 'in_no_pool', ratings_to => 'account', key => 'id', columns => '{"skill": "rating"}', attach => false);
UPDATE game SET mode = 'casual';
SELECT create_ladder('one_pool', 'elo', source => 'in_pools', ratings_to => 'account', key => 'id', columns => '{"casual": "games"}') \gset
SELECT pool FROM one_pool.mirror;
SELECT create_ladder('half', 'elo', source => 'joined', ratings_to => 'account', key => 'id');

-- Tables of another role: without the right to make triggers they are named.
CREATE ROLE regress_found;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_found', current_database()) \gexec
\set ECHO none
GRANT USAGE, CREATE ON SCHEMA found TO regress_found;
GRANT SELECT ON game, player TO regress_found;
GRANT TRIGGER ON player TO regress_found;
SET ROLE regress_found;
CREATE VIEW theirs AS SELECT g.id AS match_id, g.at AS played_at, p.user_id AS player_id, p.team, p.score AS team_score FROM game AS g JOIN player AS p ON p.game_id = g.id;
\set ECHO all
SELECT create_ladder('theirs', 'elo', source => 'theirs') \gset
CREATE VIEW as_text AS SELECT match_id::text, played_at, player_id, team, team_score FROM theirs;
SELECT create_ladder('as_text', 'elo', source => 'as_text') \gset
SELECT l.name, a.* FROM (SELECT 'theirs' AS name, a.* FROM theirs.attached AS a) AS l, LATERAL (SELECT l.relation, l.match_id) AS a;
SELECT count(drop_ladder(l)) FROM unnest('{theirs,as_text}'::text[]) AS l;
RESET ROLE;

SELECT count(drop_ladder(l)) FROM unnest('{road,killers,doubles,none,asked,pools,one_pool}'::text[]) AS l;
DROP SCHEMA found CASCADE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_found', current_database()) \gexec
DROP ROLE regress_found;
