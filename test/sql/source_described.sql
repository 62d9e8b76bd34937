-- What describe_source() shows of a source, without making a ladder.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA described;
SET search_path = described, skillrating;
CREATE TABLE game (id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2026-01-01Z', map_id int);
CREATE TABLE map (id int PRIMARY KEY, name text);
CREATE TABLE player (game_id bigint REFERENCES game, user_id bigint, team int, score int);
CREATE TABLE round (id int PRIMARY KEY, game_id bigint);
CREATE TABLE kill (round_id int, killer bigint);
CREATE VIEW source AS
    SELECT g.id AS match_id, g.at AS played_at, p.user_id AS player_id, p.team, p.score + (
            SELECT count(*) FROM round AS r JOIN kill AS k ON k.round_id = r.id WHERE r.game_id = g.id AND k.killer = p.user_id) AS team_score,
        m.name AS map
    FROM game AS g JOIN player AS p ON p.game_id = g.id LEFT JOIN map AS m ON m.id = g.map_id;
\set ECHO all
SELECT * FROM describe_source('source', 'trueskill');
INSERT INTO game SELECT g, CASE g WHEN 5 THEN timestamptz '2206-01-01' ELSE '2026-01-01Z' END FROM generate_series(1, 12) AS g;
INSERT INTO player SELECT g, g + t, t, CASE WHEN g > 2 THEN t END FROM generate_series(1, 12) AS g, generate_series(1, 2) AS t WHERE g <> 11 OR t < 2;
SELECT name, ok, description, remedy FROM describe_source('source', 'trueskill') WHERE kind = 'match';
SELECT DISTINCT kind FROM describe_source('source') ORDER BY kind;
-- The ladder is told the same, and says the same of its matches.
SELECT create_ladder('judged', 'trueskill', source => 'source') \gset
CREATE TEMPORARY TABLE told AS SELECT name, split_part(description, ' ', 1)::bigint AS n FROM skillrating.describe_source('source', 'trueskill') WHERE kind = 'match';
SET client_min_messages = warning;
CALL backfill('judged');
SELECT coalesce(t.n, 0) = coalesce(l.n, 0) AS "as a ladder says", coalesce(t.name, l.name) AS name
FROM told AS t FULL JOIN (SELECT coalesce(m.reason, 'rated') AS name, count(*) AS n FROM judged.rated_match AS m GROUP BY 1) AS l USING (name) ORDER BY name;
SELECT drop_ladder('judged') \gset

-- Types of all kinds, and those that are none.
CREATE VIEW kinds AS SELECT 'm'::varchar(3) AS match_id, date '2026-01-01' AS played_at, t::numeric AS player_id, t::smallint AS team, (t = 1)::int AS won, t = 1 AS squad,
    t = 2 AS rank, 1::numeric AS weight, NULL::text AS pool, 0 AS quit, false AS fixed, 1.5::real AS kills, interval '1 s' AS joined, interval '1 h' AS left_at FROM generate_series(1, 2) AS t;
SELECT kind, name, ok, description FROM describe_source('kinds', 'hive') WHERE kind <> 'table';
CREATE VIEW wrong AS SELECT point(1, 1) AS match_id, interval '1 s' AS played_at, t AS player_id, 'a'::text AS team, t AS "Other" FROM generate_series(1, 2) AS t;
SELECT * FROM describe_source('wrong', 'elo');
SELECT * FROM describe_source(NULL, 'elo');
SELECT * FROM describe_source('source', 'elo', '{"no": 1}');
SELECT * FROM describe_source('source', 'none');

-- Errors of a source, one of them of a function that writes, which nothing does here: no row, no
-- sequence, and no lock stays.
\set ECHO none
CREATE SEQUENCE steps;
CREATE TABLE traces (n int);
CREATE FUNCTION trace(bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO described.traces VALUES (1); RETURN true; END $$;
CREATE VIEW failing AS SELECT match_id, played_at, player_id, team, 1 / (match_id - match_id) AS team_score FROM source;
CREATE VIEW stepping AS SELECT match_id, played_at, player_id, team, team_score + 0 * nextval('described.steps') AS team_score FROM source;
CREATE VIEW tracing AS SELECT match_id, played_at, player_id, team, team_score FROM source WHERE trace(match_id);
\set ECHO all
BEGIN;
SELECT v.source, d.* FROM unnest('{failing,stepping,tracing}'::regclass[]) AS v(source), LATERAL (SELECT name, ok, description, remedy FROM describe_source(v.source, 'elo') WHERE kind = 'match') AS d;
SHOW transaction_read_only;
SELECT l.relation::regclass, l.mode FROM pg_locks AS l WHERE l.relation IN ('game'::regclass, 'kill'::regclass, 'source'::regclass);
COMMIT;
SELECT is_called FROM steps;
SELECT count(*) FROM traces;
BEGIN READ ONLY;
SELECT count(*) > 0 AS described FROM describe_source('source', 'elo');
COMMIT;

-- A view of another role is described, and not read.
CREATE ROLE regress_describer;
GRANT USAGE ON SCHEMA described TO regress_describer;
GRANT SELECT ON ALL TABLES IN SCHEMA described TO regress_describer;
SET ROLE regress_describer;
SELECT kind, name, ok, description, remedy FROM describe_source('tracing', 'elo') WHERE kind <> 'column';
RESET ROLE;
SELECT count(*) FROM traces;
DROP OWNED BY regress_describer;
DROP ROLE regress_describer;
-- A source that is replaced: what it reads now is attached, and what it reads no more is named.
\set ECHO none
CREATE TABLE seat (game_id bigint, user_id bigint, team int, place int);
CREATE TABLE forfeit (game_id bigint, user_id bigint);
CREATE VIEW changing AS SELECT g.id AS match_id, g.at AS played_at, p.user_id AS player_id, p.team, p.score AS rank FROM game AS g JOIN player AS p ON p.game_id = g.id WHERE p.score > 0;
SELECT create_ladder('changing', 'elo', source => 'changing') \gset
SELECT attach('changing', 'kill', '(SELECT t.game_id FROM described.round AS t WHERE t.id = round_id)') \gset
SET client_min_messages = warning;
\set ECHO all
CALL backfill('changing');
RESET client_min_messages;
CREATE OR REPLACE VIEW changing AS SELECT g.id AS match_id, g.at AS played_at, s.user_id AS player_id, s.team, s.place AS rank FROM game AS g JOIN seat AS s ON s.game_id = g.id
    WHERE NOT EXISTS (SELECT FROM forfeit AS f WHERE f.game_id = g.id) AND s.user_id NOT IN (SELECT m.id FROM map AS m);
SELECT refresh_source('changing', attach => false) \gset
SELECT relation, match_id FROM changing.attached ORDER BY relation;
SELECT refresh_source('changing') \gset
SELECT relation, match_id FROM changing.attached ORDER BY relation;
SELECT detach('changing', 'player'), detach('changing', 'kill') \gset
-- Nothing is said twice of what is attached.
SELECT refresh_source('changing') \gset
INSERT INTO seat SELECT 1, t, t, t FROM generate_series(1, 2) AS t;
SELECT match_id, status FROM changing.rated_match WHERE match_id = 1;
SELECT count(*) > 0 AS corrected FROM catch_up('changing', search => true, rebuild => true);
SELECT bool_and(ok) FROM verify('changing');
-- Another column leads to the match now.
ALTER TABLE game ADD number bigint;
UPDATE game SET number = 100 + id;
CREATE VIEW renumbered AS SELECT g.number AS match_id, g.at AS played_at, s.user_id AS player_id, s.team, s.place AS rank FROM game AS g JOIN seat AS s ON s.game_id = g.id;
SELECT refresh_source('changing', 'renumbered') \gset
-- A partition that is attached by hand is below the table that the source reads.
CREATE TABLE parted (id bigint, player bigint, place int) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE VIEW of_parted AS SELECT id AS match_id, timestamptz '2026-01-01Z' AS played_at, player AS player_id, place AS team, place AS rank FROM parted;
SELECT attach('changing', 'parted_1', 'id') \gset
SELECT refresh_source('changing', 'of_parted') \gset
SELECT drop_ladder('changing') \gset

-- A table that a subscription fills feeds nothing unless it is attached for that. The catalog has
-- the row that REFRESH PUBLICATION would put there.
\set ECHO none
SET client_min_messages = error;
CREATE SUBSCRIPTION regress_described CONNECTION 'dbname=nowhere' PUBLICATION nothing WITH (connect = false, slot_name = NONE, enabled = false);
RESET client_min_messages;
INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate) SELECT s.oid, r.oid, 'r' FROM pg_subscription AS s, pg_class AS r
WHERE s.subname = 'regress_described' AND r.oid IN ('parted_1'::regclass, 'seat'::regclass);
\set ECHO all
SELECT create_ladder('told', 'elo', source => 'of_parted', attach => false) \gset
SELECT attach('told', 'parted', 'id') \gset
SELECT attach('told', 'parted', 'id', replica => true) \gset
SELECT refresh_source('told', 'renumbered') \gset
SELECT relation, match_id, replica FROM told.attached ORDER BY relation;
CREATE ROLE regress_subscriber;
SET ROLE regress_subscriber;
SELECT c.relname, skillrating_internal.is_subscribed(c.oid) FROM pg_class AS c WHERE c.relname IN ('parted', 'seat', 'forfeit') ORDER BY c.relname;
RESET ROLE;
\set ECHO none
DROP ROLE regress_subscriber;
SELECT drop_ladder('told') \gset
DROP SUBSCRIPTION regress_described;
SET client_min_messages = warning;
DROP SCHEMA described CASCADE;
\set ECHO all
