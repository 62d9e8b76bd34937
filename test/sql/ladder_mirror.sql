-- Tables of the user that mirror ratings: what they keep, and when they get what.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SET timezone = 'UTC';
CREATE SCHEMA regress_ladder_mirror;
SET search_path = regress_ladder_mirror;
CREATE FUNCTION play(ladder text, id int, winner bigint, loser bigint, at timestamptz DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at) VALUES ($1, coalesce($2, ''2024-01-01''::timestamptz + $1 * interval ''1 day''))', ladder) USING id, at;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) VALUES ($1, $2, 1, 1), ($1, $3, 2, 2)', ladder) USING id, winner, loser;
END
$$;
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo', '{"k": 32}', apply_at => 'statement', late => 'reorder') \gset

-- Values stay until a player is rated; columns that may not be null are no matter.
CREATE TABLE person (id bigint PRIMARY KEY, elo int NOT NULL DEFAULT 1000, played bigint NOT NULL, peak float8, seen timestamptz NOT NULL DEFAULT '2000-01-01');
INSERT INTO person SELECT i, 900 + i, -1, 7 FROM generate_series(1, 6) AS i;
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{"elo": "rating", "played": "games", "peak": "rating", "seen": "last_played"}');
SELECT play('arena', 10, 1, 2) \gset
TABLE person ORDER BY id;
-- A late match leaves no row for a player who has no rating yet, and a mirror as it is, even where
-- it says what newcomers have.
UPDATE person SET elo = 1500, played = 0, peak = 1500 WHERE id = 3;
SELECT play('arena', 1, 1, 3) \gset
SELECT count(*) FROM arena.rating WHERE player_id = 3;
SELECT * FROM person WHERE id = 3;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT p.id, p.elo = round(r.rating) AS rounded, p.played = r.games AND p.peak = r.rating AND p.seen = r.last_played AS same
FROM person AS p JOIN arena.rating AS r ON r.player_id = p.id ORDER BY id;

-- A rating that goes: the default of the column, or null, or what was there, if it may be neither.
SELECT skillrating.void_match('arena', 1) \gset
SELECT player_id FROM skillrating.catch_up('arena', dry_run => true) ORDER BY player_id;
SELECT elo, played, peak IS NULL AS no_peak FROM person WHERE id = 3;
SELECT count(*) FROM skillrating.catch_up('arena');
TABLE person ORDER BY id;
-- Who was set by hand only is rated, too, and has not played: that time stays.
SELECT players FROM skillrating.set_rating('arena', 4, '{"rating": 1600}', at => '2024-03-01');
SELECT * FROM person WHERE id = 4;
SELECT skillrating.undo_operation('arena', max(operation)) FROM arena.operation \gset
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT * FROM person WHERE id = 4;
SELECT play('arena', 70, 5, 6) \gset
SELECT ratings FROM skillrating.reset_rating('arena', 5, at => '2024-04-01');
SELECT * FROM person WHERE id = 5;
SELECT found FROM skillrating.forget_players('arena', '{2,4}'::bigint[], '{102,104}');
SELECT * FROM person WHERE id IN (2, 4) ORDER BY id;

-- Rows that are inserted get their ratings at once, whatever they say, however they come.
DELETE FROM person;
INSERT INTO person (id, elo, played) VALUES (1, 7, 7), (99, 7, 7);
COPY person (id, played) FROM stdin;
102	7
98	7
\.
INSERT INTO person (id, played) VALUES (1, 8), (6, 8) ON CONFLICT (id) DO UPDATE SET played = 9;
SELECT p.id, p.elo, p.played, p.elo = round(r.rating) AND p.peak = r.rating AS mirrored FROM person AS p LEFT JOIN arena.rating AS r ON r.player_id = p.id ORDER BY id;
CREATE TABLE parted (id bigint, elo float8) PARTITION BY LIST (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1, 2);
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
SELECT skillrating.mirror_rating('arena', 'parted', 'id', '{"elo": "rating"}');
INSERT INTO parted VALUES (1), (6), (99), (NULL);
SELECT id, elo IS NOT NULL AS mirrored FROM parted ORDER BY id;
-- As of players whose rows come after their matches.
SELECT play('arena', 80, 201, 202, '2024-04-20') \gset
INSERT INTO parted VALUES (201);
SELECT p.elo = r.rating AS mirrored FROM parted AS p JOIN arena.rating AS r ON r.player_id = p.id WHERE id = 201;

-- What does not fit names the table; and nothing is rated then.
CREATE DOMAIN percent AS float8 CHECK (VALUE < 1550);
CREATE TABLE narrow (id bigint, level numeric(6, 2), share percent, label varchar(4));
INSERT INTO narrow SELECT i FROM generate_series(1, 9) AS i;
SELECT skillrating.mirror_rating('arena', 'narrow', 'id', '{"level": "rating"}');
SELECT skillrating.set_rating('arena', 7, '{"rating": 123456}', at => '2024-05-01') IS NOT NULL;
SELECT skillrating.mirror_rating('arena', 'narrow', 'id', '{"level": "rating", "share": "rating"}');
SELECT skillrating.set_rating('arena', 7, '{"rating": 1551}', at => '2024-05-01') IS NOT NULL;
SELECT skillrating.mirror_rating('arena', 'narrow', 'id', '{"label": "rating"}');
SELECT columns FROM arena.mirror WHERE relation = 'narrow'::regclass;
INSERT INTO narrow (id) VALUES (1);
SELECT skillrating.unmirror_rating('arena', 'narrow') \gset
SELECT skillrating.set_rating('arena', 7, '{"rating": 123456}', at => '2024-05-01') IS NOT NULL;
SELECT skillrating.mirror_rating('arena', 'narrow', 'id', '{"level": "rating", "share": "games"}');
INSERT INTO narrow (id) SELECT i FROM generate_series(1, 20) AS i;
DROP TABLE narrow;

-- What cannot be a mirror.
CREATE TABLE other_kinds (id bigint, flag boolean, twice float8 GENERATED ALWAYS AS (1) STORED, document json, number bigint GENERATED ALWAYS AS IDENTITY);
SELECT skillrating.mirror_rating('arena', 'other_kinds', 'id', '{"flag": "rating"}');
SELECT skillrating.mirror_rating('arena', 'other_kinds', 'id', '{"twice": "rating"}');
SELECT skillrating.mirror_rating('arena', 'other_kinds', 'id', '{"number": "games"}');
SELECT skillrating.mirror_rating('arena', 'other_kinds', 'id', '{"document": "rating"}');
SELECT skillrating.mirror_rating('arena', 'other_kinds', 'id', '{"elo": "rating"}');
CREATE VIEW persons AS SELECT * FROM person;
SELECT skillrating.mirror_rating('arena', 'persons', 'id', '{"elo": "rating"}');
DROP VIEW persons;
DROP TABLE other_kinds;
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{"elo": "rating", "peak": null}');
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{"elo": 7}');
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{}');
-- A column that goes later has matches wait, with its name, until the mirror is another.
ALTER TABLE person DROP COLUMN peak;
SELECT play('arena', 81, 1, 6, '2024-05-10') \gset
SELECT outcome, reason, detail FROM skillrating.match_outcome('arena', 81);
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{"elo": "rating", "played": "games"}');
SELECT outcome, reason FROM skillrating.match_outcome('arena', 81);

-- The triggers of mirrored tables: found by what they depend on, and not by their names.
\set ECHO none
CREATE VIEW fills AS
SELECT t.tgrelid::regclass AS relation, t.tgname, n.nspname AS ladder
FROM pg_trigger AS t JOIN pg_depend AS d ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> t.tgrelid
JOIN pg_class AS c ON c.oid = d.refobjid JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE t.tgfoid = 'skillrating_internal.fill_mirror'::regproc;
\set ECHO all
SELECT skillrating.create_ladder('second', 'glicko', apply_at => 'statement') \gset
SELECT skillrating.mirror_rating('second', 'person', 'id', '{"played": "games"}', pool => 'b');
SELECT skillrating.mirror_rating('second', 'person', 'id', '{"seen": "last_played"}', pool => 'b');
ALTER TABLE person ADD elsewhere float8;
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{"elsewhere": "rating"}', pool => 'b');
SELECT * FROM fills ORDER BY relation::text, ladder;
SELECT skillrating.unmirror_rating('arena', 'person', 'b') \gset
ALTER TABLE person DROP elsewhere;
SELECT count(*) FROM fills WHERE ladder = 'arena';
ALTER SCHEMA arena RENAME TO place;
DELETE FROM person;
INSERT INTO person (id, played) VALUES (1, 0);
SELECT p.elo = round(r.rating) AS mirrored FROM person AS p JOIN place.rating AS r ON r.player_id = p.id;
ALTER SCHEMA place RENAME TO arena;
-- Names are followed: of the ladder, of the table, also where another gets its name, and of its schema.
\set ECHO none
CREATE VIEW wrong AS SELECT p.id FROM person AS p LEFT JOIN arena.rating AS r ON r.player_id = p.id AND r.pool = '' WHERE p.elo IS DISTINCT FROM coalesce(round(r.rating), 1000);
SELECT play('arena', 90, 1, 6, '2024-05-20') \gset
ALTER TABLE person RENAME TO human;
CREATE TABLE person (LIKE human INCLUDING ALL);
INSERT INTO person (id, played) VALUES (1, 0);
\set ECHO all
SELECT play('arena', 91, 1, 6, '2024-05-21') \gset
SELECT count(*) AS wrong FROM wrong;
SELECT elo FROM person;
\set ECHO none
DROP TABLE person;
ALTER TABLE human RENAME TO person;
ALTER SCHEMA regress_ladder_mirror RENAME TO regress_ladder_mirror_2;
SELECT regress_ladder_mirror_2.play('arena', 92, 1, 6, '2024-05-22') \gset
ALTER SCHEMA regress_ladder_mirror_2 RENAME TO regress_ladder_mirror;
\set ECHO all
SELECT count(*) AS wrong FROM wrong;
-- Of a column they are not: matches wait until the mirror has the new name.
ALTER TABLE person RENAME COLUMN elo TO points;
SELECT play('arena', 93, 1, 6, '2024-05-23') \gset
SELECT waiting, last_error FROM skillrating.ladder_status('arena');
ALTER TABLE person RENAME COLUMN points TO elo;
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{"elo": "rating", "played": "games"}') IS NOT NULL AS mirrored;
SELECT count(*) AS wrong FROM wrong;
-- A column that changes its type is no matter to later matches.
DROP VIEW wrong;
ALTER TABLE person ALTER COLUMN elo TYPE float8;
SELECT play('arena', 94, 1, 6, '2024-05-24') \gset
SELECT p.elo = r.rating AS mirrored FROM person AS p JOIN arena.rating AS r ON r.player_id = p.id;
ALTER TABLE person ALTER COLUMN elo TYPE int;
-- One that is missing is noticed, and put back.
DROP TRIGGER skillrating_mirror ON person;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT skillrating.restore_triggers('arena'), skillrating.restore_triggers('arena');
SELECT count(*) FROM skillrating.catch_up('arena');
DROP TRIGGER mirror_update ON arena.rating;
SELECT skillrating.restore_triggers('arena');
-- Another formula: those whom it does not rate get what is for the unrated.
INSERT INTO person (id, played) VALUES (6, 0), (201, 0), (99, 5);
SELECT skillrating.shadow_ladder('arena', 'glicko', 'glicko') > 0 AS shadowed;
SELECT skillrating.unmirror_rating('arena', 'parted') \gset
SELECT players FROM skillrating.set_rating('arena', 99, '{"rating": 1700}', at => '2024-06-01');
SELECT id, elo FROM person WHERE id = 99;
SELECT skillrating.promote_ladder('glicko', 'former');
ALTER SCHEMA former RENAME TO glicko;
SELECT p.id, p.elo = round(r.rating) AS mirrored, CASE WHEN p.id = 99 THEN p.elo END AS elo FROM person AS p LEFT JOIN arena.rating AS r ON r.player_id = p.id ORDER BY p.id;
DELETE FROM person WHERE id = 1;
INSERT INTO person (id, played) VALUES (1, 0);
SELECT p.elo = round(r.rating) AS mirrored FROM person AS p JOIN arena.rating AS r ON r.player_id = p.id WHERE p.id = 1;
-- Without the view that they name they are gone; a ladder in pieces keeps nobody from inserting.
BEGIN;
DROP TABLE arena.event CASCADE;
INSERT INTO person (id, played) VALUES (301, 0);
ROLLBACK;
BEGIN;
DROP VIEW arena.source CASCADE;
INSERT INTO person (id, played) VALUES (301, 0);
SELECT count(*) FROM fills WHERE ladder = 'arena';
ROLLBACK;
SELECT skillrating.drop_ladder('second') \gset
SELECT ladder, count(*) FROM fills GROUP BY ladder;
SELECT skillrating.unmirror_rating('arena', 'person') \gset
SELECT count(*) FROM fills;

-- Whoever may insert needs no right on ratings, and lends none.
CREATE ROLE regress_mirror_owner;
CREATE ROLE regress_mirror_clerk;
GRANT CREATE, USAGE ON SCHEMA regress_ladder_mirror TO regress_mirror_owner, regress_mirror_clerk;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_mirror_owner', current_database()) \gexec
SET ROLE regress_mirror_owner;
SELECT skillrating.create_ladder('owned', 'elo', '{"k": 32}', apply_at => 'statement') \gset
CREATE TABLE account (id bigint PRIMARY KEY, elo float8, by_whom text);
GRANT INSERT ON account TO regress_mirror_clerk;
SELECT skillrating.mirror_rating('owned', 'account', 'id', '{"elo": "rating"}');
\set ECHO none
INSERT INTO owned.match (match_id) VALUES (1);
INSERT INTO owned.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
CREATE FUNCTION whom() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.by_whom := current_user;
    BEGIN
        CREATE TEMP TABLE lure ();
    EXCEPTION WHEN insufficient_privilege THEN
        NEW.by_whom := NEW.by_whom || ', restricted';
    END;
    RETURN NEW;
END
$$;
CREATE TRIGGER whom BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION regress_ladder_mirror.whom();
SET ROLE regress_mirror_clerk;
INSERT INTO account (id) VALUES (1);
\set ECHO all
-- A trigger of one's own gives no right.
CREATE TABLE mine (id bigint, elo float8);
CREATE TRIGGER mine AFTER INSERT ON mine REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.fill_mirror();
INSERT INTO mine VALUES (1);
CREATE TRIGGER named AFTER INSERT ON mine REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT WHEN ('owned.source'::regclass IS NOT NULL) EXECUTE FUNCTION skillrating_internal.fill_mirror();
RESET ROLE;
GRANT USAGE ON SCHEMA owned TO regress_mirror_clerk;
SET ROLE regress_mirror_clerk;
CREATE TRIGGER named AFTER INSERT ON mine REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT WHEN ('owned.source'::regclass IS NOT NULL) EXECUTE FUNCTION skillrating_internal.fill_mirror();
DROP TRIGGER mine ON mine;
INSERT INTO mine VALUES (1);
RESET ROLE;
SELECT id, elo, by_whom FROM account;
SELECT skillrating.mirror_rating('owned', 'mine', 'id', '{"elo": "rating"}');
-- A mirror that has become another role's runs none of that role's code as the owner: matches wait,
-- and say so, until it is given back or is no mirror any more.
DROP TRIGGER whom ON account;
ALTER TABLE account OWNER TO regress_mirror_clerk;
SET ROLE regress_mirror_clerk;
\set ECHO none
CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE 'trap run by %', current_user;
END
$$;
CREATE TRIGGER trap BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION regress_ladder_mirror.trap();
\set ECHO all
INSERT INTO account (id) VALUES (2);
SET ROLE regress_mirror_owner;
INSERT INTO owned.match (match_id) VALUES (2);
INSERT INTO owned.match_player (match_id, player_id, team, rank) VALUES (2, 1, 1, 1), (2, 2, 2, 2);
SELECT count(*) FROM skillrating.catch_up('owned', rebuild => true);
SELECT waiting, last_error FROM skillrating.ladder_status('owned');
SELECT skillrating.forget_players('owned', ARRAY[1], '{3}');
SELECT skillrating.mirror_rating('owned', 'account', 'id', '{"elo": "rating"}');
RESET ROLE;
SELECT m.status, (SELECT count(*) FROM owned.rating WHERE games = 2) AS players FROM owned.rated_match AS m WHERE match_id = 2;
SELECT id, elo FROM account ORDER BY id;
-- Given back it is a mirror as before, and called again it has what has waited rated.
DROP TRIGGER trap ON account;
ALTER TABLE account OWNER TO regress_mirror_owner;
SET ROLE regress_mirror_owner;
SELECT skillrating.mirror_rating('owned', 'account', 'id', '{"elo": "rating"}');
SELECT a.id, a.elo = r.rating AS mirrored, r.games FROM account AS a LEFT JOIN owned.rating AS r ON r.player_id = a.id ORDER BY id;
SELECT waiting FROM skillrating.ladder_status('owned');
-- Or it is no mirror any more.
RESET ROLE;
ALTER TABLE account OWNER TO regress_mirror_clerk;
SET ROLE regress_mirror_owner;
SELECT skillrating.unmirror_rating('owned', 'account') \gset
INSERT INTO owned.match (match_id) VALUES (3);
INSERT INTO owned.match_player (match_id, player_id, team, rank) VALUES (3, 3, 1, 1), (3, 2, 2, 2);
RESET ROLE;
SELECT count(*) FROM fills WHERE ladder = 'owned';
SELECT skillrating.drop_ladder('owned') \gset
SELECT count(*) FROM fills;
-- Called otherwise.
CREATE TRIGGER wrong BEFORE INSERT ON person FOR EACH ROW EXECUTE FUNCTION skillrating_internal.fill_mirror();
INSERT INTO person (id, played) VALUES (401, 0);
DROP TRIGGER wrong ON person;
CREATE TRIGGER wrong AFTER INSERT ON person FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.fill_mirror();
INSERT INTO person (id, played) VALUES (401, 0);

SELECT skillrating.drop_ladder('glicko'), skillrating.drop_ladder('arena') \gset
-- A type with the name of a column of rating, where a rating goes.
CREATE SCHEMA regress_player;
CREATE DOMAIN regress_player.rating AS numeric(8, 2);
CREATE TABLE named_account (id bigint PRIMARY KEY, rating regress_player.rating);
INSERT INTO named_account VALUES (1), (2);
SELECT skillrating.create_ladder('named', 'elo', '{"k": 32}', apply_at => 'statement') \gset
SELECT skillrating.mirror_rating('named', 'named_account', 'id', '{"rating": "rating"}');
INSERT INTO named.match (match_id) VALUES (1);
INSERT INTO named.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
SELECT * FROM named_account ORDER BY id;
SELECT skillrating.merge_players('named', 2, 3, allow_unknown => true) > 0 AS merged;
SELECT count(*) FROM skillrating.catch_up('named');
SELECT * FROM named_account ORDER BY id;
-- The ladder's own tables, and the key, are no mirrors; nor is a table with a partition of somebody else.
SELECT skillrating.mirror_rating('named', 'named.rating', 'player_id', '{"games": "wins"}');
SELECT skillrating.mirror_rating('named', 'named_account', 'id', '{"id": "games"}');
CREATE ROLE regress_mirror_other;
CREATE TABLE mixed (id bigint, elo integer) PARTITION BY LIST (id);
CREATE TABLE mixed_1 PARTITION OF mixed FOR VALUES IN (1);
ALTER TABLE mixed_1 OWNER TO regress_mirror_other;
SELECT skillrating.mirror_rating('named', 'mixed', 'id', '{"elo": "rating"}');
SELECT skillrating.drop_ladder('named') \gset
-- A row for each player and pool: the key has two columns.
\set ECHO none
CREATE TYPE mode AS ENUM ('ranked', 'casual');
CREATE TABLE game (id bigint PRIMARY KEY, mode mode, winner bigint, loser bigint);
CREATE VIEW games AS
    SELECT id AS match_id, timestamptz '2026-01-01' + id * interval '1 day' AS played_at, mode::text AS pool, winner AS player_id, 1 AS team, true AS won FROM game
    UNION ALL SELECT id, timestamptz '2026-01-01' + id * interval '1 day', mode::text, loser, 2, false FROM game;
CREATE TABLE standing (player bigint, queue mode, skill float8 DEFAULT 0, games bigint, UNIQUE NULLS NOT DISTINCT (player, queue));
INSERT INTO standing SELECT p, m, 5 FROM generate_series(1, 3) AS p, unnest('{NULL,ranked,casual}'::mode[]) AS m;
INSERT INTO game SELECT g, (ARRAY['ranked', 'casual', NULL]::mode[])[1 + g % 3], 1 + g % 2, 2 + g % 2 FROM generate_series(1, 8) AS g;
-- Compared with rating below.
CREATE FUNCTION differ(OUT differ bigint, OUT rated bigint) LANGUAGE plpgsql AS $$ BEGIN EXECUTE '
    SELECT count(*) FILTER (WHERE (s.skill, s.games) IS DISTINCT FROM (r.rating, r.games)), count(*)
    FROM pooled.rating AS r LEFT JOIN standing AS s ON s.player = r.player_id AND coalesce(s.queue::text, '''') = r.pool' INTO differ, rated; END $$;
SET client_min_messages = warning;
\set ECHO all
SELECT skillrating.create_ladder('pooled', 'elo', source => 'games', ratings_to => 'standing', key => 'player', pool_key => 'queue', columns => '{"skill": "rating", "games": "games"}') \gset
CALL skillrating.backfill('pooled');
SELECT pool, pool_key FROM pooled.mirror;
SELECT * FROM differ();
INSERT INTO game SELECT g, 'ranked', 3, 1 FROM generate_series(9, 10) AS g;
SELECT * FROM differ();
-- A row that comes later, another name of the table, and a rating that goes.
INSERT INTO game VALUES (11, 'casual', 4, 1), (12, NULL, 4, 3);
SELECT * FROM differ();
INSERT INTO standing (player, queue) VALUES (4, 'ranked'), (4, 'casual'), (4, NULL);
SELECT s.queue, s.games FROM standing AS s WHERE s.player = 4 ORDER BY s.queue;
ALTER TABLE standing RENAME TO standing_of_season;
CREATE VIEW standing AS SELECT * FROM standing_of_season;
INSERT INTO game VALUES (13, 'casual', 3, 1);
SELECT skillrating.void_match('pooled', 11::bigint), skillrating.merge_players('pooled', 3, 2) > 0 AS merged;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('pooled');
SELECT * FROM differ();
SELECT s.player, s.queue, s.skill, s.games FROM standing AS s WHERE s.player = 3 OR s.player = 4 AND s.queue = 'casual' ORDER BY s.player, s.queue;
-- The column of the pool under another name, as any other.
ALTER TABLE standing_of_season RENAME queue TO kind;
INSERT INTO game VALUES (14, 'casual', 2, 1);
SELECT message FROM pooled.pending;
-- However the columns of the key are looked up.
SET enable_nestloop = off;
SELECT skillrating.mirror_rating('pooled', 'standing_of_season', 'player', '{"skill": "rating", "games": "games"}', pool_key => 'kind');
RESET enable_nestloop;
SELECT * FROM differ();
-- Another formula, and names that are forgotten.
SELECT skillrating.shadow_ladder('pooled', 'pooled_k', 'elo', '{"k": 40}');
SELECT count(*) > 0 AS promoted FROM skillrating.promote_ladder('pooled_k', 'pooled_before', hanging => 'keep');
SELECT * FROM differ();
SELECT count(*) FROM skillrating.forget_players('pooled', ARRAY[4]::bigint[], ARRAY['-4']);
SELECT s.kind, s.skill, s.games FROM standing_of_season AS s WHERE s.player = 4 ORDER BY s.kind;
-- Mistakes.
SELECT skillrating.mirror_rating('pooled', 'standing_of_season', 'player', '{"skill": "rating"}', pool => 'ranked', pool_key => 'kind');
SELECT skillrating.mirror_rating('pooled', 'standing_of_season', 'player', '{"skill": "rating"}', pool_key => 'nothing');
SELECT skillrating.mirror_rating('pooled', 'standing_of_season', 'player', '{"kind": "pool"}', pool_key => 'kind');
SELECT skillrating.unmirror_rating('pooled', 'standing_of_season') \gset
SELECT count(*) FROM pooled.mirror;
SELECT skillrating.drop_ladder('pooled'), skillrating.drop_ladder('pooled_before') \gset
RESET client_min_messages;

DROP TABLE mixed, named_account;
DROP ROLE regress_mirror_other;
DROP SCHEMA regress_player CASCADE;
DROP SCHEMA regress_ladder_mirror CASCADE;
SELECT format('REVOKE ALL ON DATABASE %I FROM regress_mirror_owner', current_database()) \gexec
DROP ROLE regress_mirror_owner, regress_mirror_clerk;
