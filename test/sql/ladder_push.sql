-- Ratings in tables that push() writes to, in transactions of its own.
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text');
CREATE FUNCTION play(a text, b text, pool text DEFAULT '') RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM skillrating.report_match('arena', (SELECT count(*) + 1 FROM arena.match), ARRAY[a, b], '{1,2}', '{1,2}', '2024-01-01', pool => pool)
$$;
CREATE TABLE target (player text, mode text, elo float8 NOT NULL, played int CHECK (played < 5), position bigint, PRIMARY KEY (player, mode));
CREATE INDEX ON target (position);
CREATE VIEW target_view AS SELECT * FROM target;
CREATE VIEW difference AS
    SELECT count(*) AS different FROM (
        (SELECT player, mode, elo, played FROM target EXCEPT SELECT player_id, pool, rating, games FROM arena.rating)
        UNION ALL (SELECT player_id, pool, rating, games FROM arena.rating EXCEPT SELECT player, mode, elo, played FROM target)) AS d;
CREATE VIEW status AS SELECT relation, phase, "position", attempts, pushed, refused, error, due_at > now() AS waits FROM skillrating.push_status('arena');

-- What is refused.
\set columns '{"player": "player_id", "mode": "pool", "elo": "rating", "played": "games"}'
SELECT skillrating.push_rating('arena', 'target', :'columns');
SELECT skillrating.keep_changes('arena');
SELECT skillrating.push_rating('arena', 'target_view', :'columns');
SELECT skillrating.push_rating('arena', 'target', '[]');
SELECT skillrating.push_rating('arena', 'target', '{"player": 1}');
SELECT skillrating.push_rating('arena', 'target', '{"elo": "rating"}');
SELECT skillrating.push_rating('arena', 'target', '{"player": "player_id"}');
SELECT skillrating.push_rating('arena', 'target', '{"player": "player_id", "mode": "pool", "elo": "pool"}');
SELECT skillrating.push_rating('arena', 'target', '{"player": "player_id", "elo": "skill"}');
SELECT skillrating.push_rating('arena', 'target', '{"player": "player_id", "skill": "rating"}');
SELECT skillrating.push_rating('arena', 'target', '{"played": "player_id", "elo": "rating"}');
SELECT skillrating.push_rating('arena', 'target', '{"player": "player_id", "elo": "last_played"}');
SELECT skillrating.push_rating('arena', 'target', :'columns', position_column => 'played');
SELECT skillrating.push_rating('arena', 'target', :'columns', position_column => 'nothing');
SELECT skillrating.push_rating('arena', 'target', :'columns', every => '0');
SELECT skillrating.push_rating('arena', 'target', NULL);
SELECT skillrating.push_rating('arena', 'arena.rating', '{"player_id": "player_id", "rating": "rating"}');
SELECT skillrating.push_rating('nowhere', 'target', :'columns');
SELECT skillrating.unpush_rating('arena', 'target');
SELECT skillrating.push_status('arena');
CALL skillrating.push('arena');

-- The first push compares all rows: what the table had is updated, inserted and deleted.
SELECT play('ada', 'ben'), play('ben', 'cleo'), play('ada', 'cleo', 'cup');
INSERT INTO target VALUES ('ada', '', 1, 1, NULL), ('zoe', '', 1000, 1, NULL);
SELECT skillrating.push_rating('arena', 'target', :'columns', every => '1 hour');
TABLE status;
CALL skillrating.push('arena');
TABLE difference;
SELECT player, mode, round(elo) AS elo, played, position FROM target ORDER BY player, mode;
TABLE status;
CALL skillrating.push('arena');

-- Then it follows changes, with each position above the last.
SELECT play('ada', 'dan');
CALL skillrating.push('arena');
SELECT player, mode, position FROM target ORDER BY player, mode;
TABLE difference;
-- Corrections, and players who have no rating any more; a push that only deletes leaves a trace.
SELECT skillrating.void_match('arena', 4);
SELECT count(*) FROM skillrating.catch_up('arena');
CALL skillrating.push('arena');
TABLE difference;
SELECT skillrating.void_match('arena', 3);
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT max(position) FROM target;
CALL skillrating.push('arena');
SELECT player, mode, position FROM target ORDER BY player, mode;
TABLE difference;
SELECT count(*) FROM skillrating.forget_player('arena', 'cleo', 'nobody');
CALL skillrating.push('arena');
TABLE difference;

-- A table that went back in time gets again what it has lost; so does one that somebody wrote to.
CREATE TABLE backup AS TABLE target;
SELECT play('ada', 'eve'), play('ben', 'eve');
CALL skillrating.push('arena');
BEGIN;
DELETE FROM target;
INSERT INTO target TABLE backup;
COMMIT;
CALL skillrating.push('arena');
TABLE difference;
SELECT phase FROM status;
UPDATE target SET elo = 0, position = 1000 WHERE player = 'ada';
CALL skillrating.push('arena');
TABLE difference;
SELECT max(position) > 1000 AS later FROM target;
DELETE FROM target;
CALL skillrating.push('arena');
TABLE difference;
-- One more than the last is a push whose end was not noted: it is repeated, and nothing more.
SELECT play('ada', 'fay');
CREATE TABLE noted AS TABLE arena.push;
CALL skillrating.push('arena');
DELETE FROM arena.push;
INSERT INTO arena.push TABLE noted;
CALL skillrating.push('arena');
SELECT phase FROM status;
TABLE difference;
-- Trimmed changes, or a cursor of another server: all rows are compared.
UPDATE target SET elo = 1 WHERE player = 'ada';
UPDATE arena.push SET cursor = (SELECT next_cursor FROM skillrating.changes('arena') WHERE next_cursor IS NOT NULL);
SELECT play('ben', 'fay');
SELECT skillrating.trim_changes('arena', 'infinity') > 0;
CALL skillrating.push('arena');
TABLE difference;

-- A row that the table refuses keeps no other, and is tried again.
SELECT play('gus', 'hal') FROM generate_series(1, 5);
SELECT play('gus', 'ida');
CALL skillrating.push('arena');
SELECT player_id, attempts, error FROM arena.push_failure ORDER BY player_id;
SELECT refused, error FROM status;
SELECT player FROM target WHERE player IN ('gus', 'hal', 'ida');
SELECT retry_at - failed_at > interval '0.9 s' AS later FROM arena.push_failure;
UPDATE arena.push_failure SET retry_at = now() + interval '1 hour';
CALL skillrating.push('arena');
SELECT player_id, attempts FROM arena.push_failure ORDER BY player_id;
ALTER TABLE target DROP CONSTRAINT target_played_check;
UPDATE arena.push_failure SET retry_at = now();
CALL skillrating.push('arena');
SELECT refused FROM status;
TABLE difference;

-- A table that takes nothing is noted, and waits longer each time; everything else goes on.
CREATE TABLE other_target (player text PRIMARY KEY, elo real, position bigint);
SELECT skillrating.push_rating('arena', 'other_target', '{"player": "player_id", "elo": "rating"}', every => NULL);
CALL skillrating.push('arena');
SELECT count(*) = (SELECT count(*) FROM arena.rating WHERE pool = '') AS one_pool FROM other_target;
ALTER TABLE target RENAME elo TO skill;
SELECT play('ada', 'ben');
CALL skillrating.push('arena');
SELECT relation, attempts, error FROM status;
SELECT due_at - failed_at > interval '0.5 second' AS delayed FROM arena.push WHERE relation = 'target'::regclass;
CALL skillrating.push('arena');
SELECT relation, attempts FROM status;
SELECT due_at - failed_at > interval '1 second' AS delayed FROM arena.push WHERE relation = 'target'::regclass;
ALTER TABLE target RENAME skill TO elo;
UPDATE arena.push SET due_at = now() + interval '1 hour';
-- work() leaves a table alone that is not due, or has no interval.
CALL skillrating.work('arena');
UPDATE arena.push SET due_at = now();
SELECT play('ada', 'ben');
CALL skillrating.work('arena');
SELECT relation, attempts, error FROM status;
TABLE difference;
SELECT elo = (SELECT rating::real FROM arena.rating WHERE player_id = 'ada' AND pool = '') AS other_is_up_to_date FROM other_target WHERE player = 'ada';

-- As whom it runs: the owner of the ladder, whose table it must be; nothing of others is deferred.
CREATE ROLE regress_push_owner;
CREATE ROLE regress_push_guest;
ALTER TABLE other_target OWNER TO regress_push_guest;
CALL skillrating.push('arena', 'other_target');
SELECT error FROM status WHERE relation = 'other_target'::regclass;
SET ROLE regress_push_guest;
CALL skillrating.push('arena');
SELECT skillrating.push_rating('arena', 'other_target', '{"player": "player_id", "elo": "rating"}');
RESET ROLE;
SELECT skillrating.unpush_rating('arena', 'other_target');
BEGIN;
CALL skillrating.push('arena');
ROLLBACK;
CALL skillrating.push('arena', run_for => '-1 s');
CALL skillrating.push('nowhere');
CALL skillrating.push('arena', run_for => '0.2 s');

-- For another role than the owner it works restricted: what is deferred on the table would run with
-- the rights of the caller at commit, and so fails; the owner can do it.
SELECT format('GRANT CREATE ON DATABASE %I TO regress_push_owner', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_push_owner;
SET ROLE regress_push_owner;
CREATE TABLE account (id bigint PRIMARY KEY);
CREATE TABLE account_rating (id bigint PRIMARY KEY REFERENCES account DEFERRABLE INITIALLY DEFERRED, elo float8, position bigint);
INSERT INTO account VALUES (1), (2);
SELECT skillrating.create_ladder('theirs', 'elo'), skillrating.keep_changes('theirs');
SELECT skillrating.push_rating('theirs', 'account_rating', '{"id": "player_id", "elo": "rating"}');
SELECT count(*) FROM skillrating.report_match('theirs', 1, '{1,2}'::bigint[], '{1,2}', '{1,2}');
RESET ROLE;
CALL skillrating.push('theirs');
SELECT count(*) FROM account_rating;
SET ROLE regress_push_owner;
CALL skillrating.push('theirs');
SELECT count(*) FROM account_rating;
-- A violation that is found at the end is a failure of the table, and not of the procedure.
SELECT count(*) FROM skillrating.report_match('theirs', 2, '{1,3}'::bigint[], '{1,2}', '{1,2}');
CALL skillrating.push('theirs');
SELECT phase, attempts, error FROM skillrating.push_status('theirs');
INSERT INTO account VALUES (3);
CALL skillrating.push('theirs');
SELECT attempts, error FROM skillrating.push_status('theirs');
SELECT count(*) FROM account_rating;
SELECT skillrating.drop_ladder('theirs');
DROP TABLE account_rating, account;
RESET ROLE;
SELECT format('REVOKE ALL ON DATABASE %I FROM regress_push_owner', current_database()) \gexec
REVOKE ALL ON SCHEMA public FROM regress_push_owner;

-- A swap, a reset, and the end.
SET client_min_messages = warning;
SELECT skillrating.rerate('arena', 'glicko', "into" => 'next');
SELECT skillrating.swap_ladders('arena', 'next');
CALL skillrating.push('arena');
TABLE difference;
SELECT skillrating.drop_ladder('next');
SELECT count(*) FROM skillrating.reset_ladder('arena');
CALL skillrating.push('arena');
RESET client_min_messages;
SELECT count(*) FROM target;
SELECT skillrating.keep_changes('arena', false);
SELECT count(*) FROM arena.push;
CALL skillrating.push('arena');
-- The tables must be the owner's, and both there.
BEGIN;
ALTER TABLE arena.push OWNER TO regress_push_guest;
SELECT count(*) FROM skillrating.push_status('arena');
ROLLBACK;
BEGIN;
DROP TABLE arena.push_failure;
SELECT count(*) FROM skillrating.push_status('arena');
ROLLBACK;
-- In a schedule an error of the whole ladder is a warning, so that other ladders have their turn.
CALL skillrating.push('nobody', scheduled => true);
DROP VIEW difference, status, target_view;
SELECT skillrating.drop_ladder('arena');
DROP FUNCTION play(text, text, text);
DROP TABLE target, other_target, backup, noted;
DROP ROLE regress_push_owner, regress_push_guest;
