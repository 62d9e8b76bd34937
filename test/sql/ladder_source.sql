-- Ladders on tables of the user, through a source view.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
SELECT * FROM skillrating.source_columns();

-- What a view lacks is said.
CREATE TABLE result (id bigint, at timestamptz, winner text, note point);
CREATE VIEW bad AS SELECT id AS match_id, note AS played_at, winner AS player_id, note FROM result;
SELECT name, ok, description FROM skillrating.describe_source('bad');
SELECT skillrating.create_ladder('l', 'elo', source => 'bad');
SELECT skillrating.create_ladder('l', 'elo', source => 'result');
SELECT skillrating.create_ladder('l', NULL);

-- One row a duel.
\set ECHO none
CREATE TABLE duel (id bigint GENERATED ALWAYS AS IDENTITY, played_at timestamptz NOT NULL, player1 text, player2 text, winner text);
CREATE VIEW duel_source AS
    SELECT id AS match_id, played_at, player1 AS player_id, 1 AS team, winner IS NOT DISTINCT FROM player1 AS won FROM duel WHERE winner IS NOT NULL
    UNION ALL
    SELECT id, played_at, player2, 2, winner IS NOT DISTINCT FROM player2 FROM duel WHERE winner IS NOT NULL;
\set ECHO all
SELECT kind, name, ok, description FROM skillrating.describe_source('duel_source', 'elo');
SELECT skillrating.create_ladder('duels', 'elo', source => 'duel_source') \gset
SELECT skillrating.attach('duels', 'duel', 'id') \gset
INSERT INTO duel (played_at, player1, player2, winner) VALUES
    ('2024-01-01', 'ann', 'bob', 'ann'), ('2024-01-02', 'bob', 'cid', 'bob'), ('2024-01-03', 'ann', 'cid', NULL);
SELECT player_id, rating, games FROM duels.rating ORDER BY rating DESC, player_id;
UPDATE duel SET winner = 'cid' WHERE winner IS NULL;
SELECT player_id, round(rating::numeric, 6) AS rating, games FROM duels.rating ORDER BY rating DESC, player_id;
SELECT bool_and(ok) FROM skillrating.verify('duels');
-- What is rated may change and go, but the table cannot be emptied.
UPDATE duel SET winner = 'bob' WHERE id = 1;
DELETE FROM duel WHERE id = 2;
SELECT seq, match_id, kind FROM duels.correction ORDER BY seq;
SELECT player_id, round(rating_before::numeric, 4) AS before, round(rating_after::numeric, 4) AS after, games_before, games_after
FROM skillrating.catch_up('duels') ORDER BY player_id;
SELECT bool_and(ok) FROM skillrating.verify('duels');
TRUNCATE duel;
SELECT skillrating.report_match('duels', 9, '{ann,bob}'::text[], '{1,2}', '{1,2}');
-- A forecast needs no table.
SELECT player_id, round(win_probability::numeric, 6) AS p FROM skillrating.preview('duels', '{ann,cid}'::text[], '{1,2}');

-- Arrays of players a team, under ids of a server: the match is an expression.
\set ECHO none
CREATE TABLE lobby (server int, id int, at timestamp NOT NULL DEFAULT '2024-01-01', red uuid[], blue uuid[], red_score int, blue_score int, state text,
    PRIMARY KEY (server, id));
CREATE VIEW lobby_source AS
    SELECT l.server || ':' || l.id AS match_id, l.at AS played_at, t.team, p AS player_id, t.team_score
    FROM lobby AS l CROSS JOIN LATERAL (VALUES (0, l.red, l.red_score), (1, l.blue, l.blue_score)) AS t(team, players, team_score) CROSS JOIN unnest(t.players) AS p
    WHERE l.state = 'finished';
\set ECHO all
SELECT skillrating.create_ladder('lobbies', 'trueskill', source => 'lobby_source', apply_at => 'statement') \gset
SELECT skillrating.attach('lobbies', 'lobby', 'nothing');
SELECT skillrating.attach('lobbies', 'lobby', $$server || ':' || id$$) \gset
SELECT skillrating.attach('lobbies', 'lobby', $$server || ':' || id$$) \gset
INSERT INTO lobby (server, id, red, blue, state) SELECT s, 7, ARRAY[md5('a')::uuid, md5('b')::uuid], ARRAY[md5('c')::uuid], 'running' FROM generate_series(1, 2) AS s;
SELECT count(*) FROM lobbies.rated_match;
UPDATE lobby SET state = 'finished', red_score = 3, blue_score = server WHERE id = 7;
SELECT match_id, status FROM lobbies.rated_match ORDER BY match_id;
SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'lobbies.rating'::regclass AND attname = 'player_id';
SELECT bool_and(ok) FROM skillrating.verify('lobbies');

-- A row a player, in two tables, one of them partitioned; one statement at a time in one transaction.
\set ECHO none
CREATE TABLE game (id uuid PRIMARY KEY, ended timestamptz, mode text);
CREATE TABLE game_player (game_id uuid, player_id int, team smallint, rank smallint, PRIMARY KEY (game_id, player_id)) PARTITION BY HASH (game_id);
CREATE TABLE game_player_0 PARTITION OF game_player FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE game_player_1 PARTITION OF game_player FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE VIEW game_source AS
    SELECT g.id AS match_id, g.ended AS played_at, g.mode AS pool, p.player_id, p.team, p.rank
    FROM game AS g JOIN game_player AS p ON p.game_id = g.id WHERE g.ended IS NOT NULL;
\set ECHO all
SELECT skillrating.create_ladder('games', 'glicko2', source => 'game_source') \gset
SELECT skillrating.attach('games', 'game', 'id'), skillrating.attach('games', 'game_player', 'game_id') \gset
\set ECHO none
BEGIN;
INSERT INTO game VALUES (md5('1')::uuid, NULL, 'solo');
INSERT INTO game_player VALUES (md5('1')::uuid, 10, 1, 1);
INSERT INTO game_player VALUES (md5('1')::uuid, 20, 2, 2);
SAVEPOINT s;
INSERT INTO game_player VALUES (md5('1')::uuid, 30, 3, 3);
\set ECHO all
ROLLBACK TO s;
UPDATE game SET ended = '2024-01-01' WHERE id = md5('1')::uuid;
COMMIT;
SELECT player_id, pool, round(rating::numeric, 4) AS rating, round(deviation::numeric, 4) AS deviation, games FROM games.rating ORDER BY player_id;
SELECT count(*) FROM games.pending;
SELECT bool_and(ok) FROM skillrating.verify('games');

-- Rows that are put into a partition directly are seen if that is attached as well.
SELECT tableoid::regclass AS partition FROM game_player LIMIT 1 \gset
SELECT skillrating.attach('games', :'partition', 'game_id') \gset
INSERT INTO :partition (game_id, player_id, team, rank) SELECT md5('1')::uuid, 40, 4, 4;
SELECT kind FROM games.correction;
SELECT count(*) FROM skillrating.catch_up('games');
SELECT bool_and(ok) FROM skillrating.verify('games');
SELECT skillrating.detach('games', :'partition') \gset

-- A trigger alone gives no right, and detach() takes the triggers away.
CREATE TABLE stranger (match_id uuid);
CREATE TRIGGER t AFTER INSERT ON stranger REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.collect_matches('games');
INSERT INTO stranger VALUES (md5('1')::uuid);
SELECT skillrating.detach('games', 'stranger');
SELECT skillrating.detach('games', 'game') \gset
SELECT tgname FROM pg_trigger WHERE tgrelid = 'game'::regclass AND NOT tgisinternal;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{duels,lobbies,games}'::text[]) AS l;
SELECT count(*) FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE tgfoid = 'skillrating_internal.collect_matches'::regproc AND c.relnamespace = 'public'::regnamespace AND tgrelid <> 'stranger'::regclass;
TRUNCATE duel;

-- Roles: who makes a ladder must own the view, and an expression needs the table.
CREATE ROLE regress_source_owner;
CREATE ROLE regress_source_other;
GRANT CREATE ON SCHEMA public TO regress_source_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_source_owner', current_database()) \gexec
GRANT ALL ON duel, duel_source TO regress_source_owner, regress_source_other;
SET ROLE regress_source_owner;
SELECT skillrating.create_ladder('mine', 'elo', source => 'duel_source');
CREATE VIEW my_source AS SELECT * FROM duel_source;
SELECT skillrating.create_ladder('mine', 'elo', source => 'my_source') \gset
SELECT skillrating.attach('mine', 'game', 'hashtext(id::text)');
SELECT skillrating.attach('mine', 'duel', 'id') \gset
RESET ROLE;
SET ROLE regress_source_other;
INSERT INTO duel (played_at, player1, player2, winner) VALUES ('2024-01-01', 'ann', 'bob', 'ann');
SELECT * FROM mine.rating;
RESET ROLE;
SELECT player_id, rating FROM mine.rating ORDER BY player_id;
-- Nobody else can replace the view, or the ladder's own.
SET ROLE regress_source_other;
CREATE OR REPLACE VIEW my_source AS SELECT * FROM duel_source WHERE false;
CREATE OR REPLACE VIEW mine.source AS SELECT * FROM duel_source WHERE false;
RESET ROLE;
-- A view that has become another role's is not read with the owner's rights.
ALTER VIEW my_source OWNER TO regress_source_other;
INSERT INTO duel (played_at, player1, player2, winner) VALUES ('2024-01-01', 'ann', 'bob', 'ann');
SELECT * FROM skillrating.verify('mine');
ALTER VIEW my_source OWNER TO regress_source_owner;
UPDATE mine.attached SET match_id = 'id + 0' WHERE relation = 'duel'::regclass;
INSERT INTO duel (played_at, player1, player2, winner) VALUES ('2024-01-01', 'ann', 'bob', 'ann');
SELECT skillrating.drop_ladder('mine') \gset
DROP OWNED BY regress_source_owner, regress_source_other;
DROP ROLE regress_source_owner, regress_source_other;
