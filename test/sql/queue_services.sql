-- skillrating_queue: roles that may call functions only, game servers, who may join, and rows that are
-- forged or broken.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET client_min_messages = warning;
CREATE EXTENSION skillrating_queue;
CREATE SCHEMA regress_queue;
SET search_path = regress_queue, lobby;
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo') \gset
SELECT count(skillrating.set_rating('arena', i, jsonb_build_object('rating', 1500 + 10 * i))) FROM generate_series(1, 8) AS i;
SELECT skillrating_queue.create_coordinator('lobby');
INSERT INTO lobby.queue (queue, ladder, initial_window) VALUES ('duel', 'arena', 1000);

-- Every object says what it is.  Functions of the module run as whoever calls; those of a coordinator
-- pin the search_path, run as its owner, and are for nobody else.
SELECT p.oid::regprocedure AS without_comment FROM pg_proc AS p
WHERE p.pronamespace IN ('skillrating_queue'::regnamespace, 'lobby'::regnamespace) AND obj_description(p.oid, 'pg_proc') IS NULL;
SELECT c.oid::regclass AS without_comment FROM pg_class AS c
WHERE c.relnamespace = 'lobby'::regnamespace AND c.relkind = 'r' AND obj_description(c.oid, 'pg_class') IS NULL;
SELECT t.oid::regtype AS without_comment FROM pg_type AS t
WHERE t.typnamespace = 'skillrating_queue'::regnamespace AND t.typtype = 'c' AND obj_description(t.oid, 'pg_type') IS NULL;
SELECT d.objoid::regprocedure AS wide FROM pg_description AS d, regexp_split_to_table(d.description, E'\n') AS line
WHERE d.classoid = 'pg_proc'::regclass AND d.objoid IN (SELECT oid FROM pg_proc WHERE pronamespace = 'skillrating_queue'::regnamespace) AND length(line) > 100;
SELECT count(*) > 10 AS many, bool_or(p.prosecdef) AS definer FROM pg_proc AS p WHERE p.pronamespace = 'skillrating_queue'::regnamespace;
SELECT count(*) > 10 AS many, bool_and(p.proconfig = '{"search_path=pg_catalog, pg_temp"}' AND p.prosecdef) AS pinned,
    bool_or(has_function_privilege('public', p.oid, 'EXECUTE')) AS for_all
FROM pg_proc AS p WHERE p.pronamespace = 'lobby'::regnamespace;
-- The module stands on public functions alone.
SELECT count(*) FROM pg_proc AS p WHERE p.pronamespace = 'skillrating_queue'::regnamespace AND (p.prosrc ~ 'skillrating_internal' OR p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'c'));

-- A service joins, leaves and ticks, and touches no table; nobody says what time it is.
CREATE ROLE regress_queue_service;
SET ROLE regress_queue_service;
SELECT lobby.join('duel', '{1}');
RESET ROLE;
GRANT USAGE ON SCHEMA lobby TO regress_queue_service;
GRANT EXECUTE ON FUNCTION lobby.join, lobby.leave, lobby.tick, lobby.answer TO regress_queue_service;
SET ROLE regress_queue_service;
SELECT lobby.join('duel', '{1}') AS ticket, lobby.join('duel', '{2}') AS ticket;
SELECT player_id, team, status FROM lobby.tick('duel');
SELECT status, team, proposal FROM lobby.answer(1);
SELECT lobby.join('duel', '{3}', at => '2000-01-01');
SELECT queue FROM lobby.status;
SELECT count(*) FROM lobby.ticket;
INSERT INTO lobby.player VALUES ('9', '9', 1);
SELECT skillrating_queue.join('duel', '{4}');
SELECT skillrating_queue.create_coordinator('mine');
RESET ROLE;

-- A coordinator of another role: it reads ladders with that role's rights, and what hangs on its tables
-- runs as that role, whoever calls.
CREATE ROLE regress_queue_owner;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_queue_owner', current_database()); END $$;
SET ROLE regress_queue_owner;
SELECT skillrating_queue.create_coordinator('theirs');
INSERT INTO theirs.queue (queue, ladder) VALUES ('duel', 'arena');
CREATE TABLE theirs.ran_as (role name);
CREATE FUNCTION theirs.trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO theirs.ran_as VALUES (current_user); RETURN NEW; END $$;
CREATE TRIGGER trap BEFORE INSERT ON theirs.ticket FOR EACH ROW EXECUTE FUNCTION theirs.trap();
SELECT theirs.join('duel', '{1}');
RESET ROLE;
SELECT skillrating.grant_ladder('arena', 'regress_queue_owner', 'reader') \gset
SELECT theirs.join('duel', '{1}') AS ticket;
SELECT skillrating_queue.enter('theirs.queue');
SELECT DISTINCT role FROM theirs.ran_as;
-- Who can put a function into the schema would have it run as the owner.
GRANT CREATE ON SCHEMA theirs TO regress_queue_service;
SELECT theirs.join('nowhere', '{1}');
REVOKE CREATE ON SCHEMA theirs FROM regress_queue_service;
GRANT CREATE ON SCHEMA theirs TO PUBLIC;
SELECT theirs.tick('duel');
REVOKE CREATE ON SCHEMA theirs FROM PUBLIC;
-- All of it goes to another owner, or is refused.
ALTER TABLE theirs.queue OWNER TO CURRENT_USER;
SELECT theirs.join('duel', '{2}');
ALTER TABLE theirs.queue OWNER TO regress_queue_owner;
REASSIGN OWNED BY regress_queue_owner TO CURRENT_USER;
SELECT theirs.join('duel', '{2}') AS ticket;
DROP SCHEMA theirs CASCADE;
SELECT skillrating.revoke_ladder('arena', 'regress_queue_owner', 'reader') \gset
DROP OWNED BY regress_queue_owner;
DROP ROLE regress_queue_owner;

-- Rows that no function has written: each is named and ends, and the others play.
\set ECHO none
CREATE TABLE forged (ticket bigint, fault text);
INSERT INTO lobby.queue (queue, ladder, initial_window, team_size) VALUES ('duo', 'arena', 1000, 2);
WITH t AS (INSERT INTO lobby.ticket (queue, size, mu, joined_at, tried_at) SELECT 'duo', 1, 0, now(), now() FROM generate_series(1, 3) RETURNING ticket) INSERT INTO forged SELECT ticket, NULL FROM t;
WITH t AS (INSERT INTO lobby.ticket (queue, size, mu, joined_at, tried_at, status, proposal) VALUES ('duo', 1, 0, now(), now(), 'proposed', 1000000) RETURNING ticket) INSERT INTO forged SELECT ticket, 'proposal' FROM t;
UPDATE forged SET fault = (ARRAY['nobody', 'three', 'no number'])[ticket - (SELECT min(ticket) FROM forged) + 1] WHERE fault IS NULL;
INSERT INTO lobby.player (counts_as, player_id, ticket) SELECT 'f' || i, 'f' || i, ticket FROM forged, generate_series(1, 3) AS i WHERE fault = 'three';
INSERT INTO lobby.player (counts_as, player_id, ticket) SELECT 'no number', 'no number', ticket FROM forged WHERE fault = 'no number';
\set ECHO all
SELECT count(lobby.join('duo', ARRAY[i::text])) FROM generate_series(5, 8) AS i;
\set ECHO none
WITH b AS (INSERT INTO lobby.backfill (queue, pool, asked_at) VALUES ('duo', '', now()) RETURNING backfill) INSERT INTO lobby.present (backfill, player_id, team) SELECT backfill, 'x y', 1 FROM b;
INSERT INTO lobby.backfill (queue, pool, asked_at) VALUES ('duo', '', now());
SELECT min(ticket) - 1 AS before FROM forged \gset
ALTER SEQUENCE lobby.ticket_ticket_seq RESTART 1000;
\set VERBOSITY terse
SET client_min_messages = error;
\set ECHO all
SELECT player_id FROM lobby.tick('duo') ORDER BY player_id;
SET client_min_messages = warning;
\set VERBOSITY default
SELECT f.fault, t.status, t.reason, t.detail FROM forged AS f JOIN lobby.ticket AS t USING (ticket) ORDER BY t.ticket;
SELECT status, reason, detail FROM lobby.backfill ORDER BY backfill;
SELECT count(*) AS left_over FROM lobby.player WHERE player_id !~ '^\d+$';
-- The warning has the number.
WITH t AS (INSERT INTO lobby.ticket (ticket, queue, size, mu, joined_at, tried_at) VALUES (2000, 'duo', 1, 0, now(), now()) RETURNING ticket) INSERT INTO lobby.player (counts_as, player_id, ticket) SELECT 'not a number', 'not a number', ticket FROM t;
SELECT count(*) FROM lobby.tick('duo');
-- What is not about tickets is an error.
SELECT lobby.join('duo', '{1}') > 0 AS joined;
UPDATE lobby.queue SET ladder = 'nowhere' WHERE queue = 'duo';
SELECT lobby.tick('duo');
UPDATE lobby.queue SET ladder = 'arena' WHERE queue = 'duo';
SELECT queue_name FROM lobby.leave('{1}');

-- Who may join: rows of a view that meet a condition, then and at each tick.
CREATE TABLE account (id bigint PRIMARY KEY, verified boolean NOT NULL, minutes integer NOT NULL);
INSERT INTO account SELECT i, i <> 2, 60 * i FROM generate_series(1, 8) AS i;
CREATE VIEW standing AS SELECT id AS player_id, verified, minutes / 60 AS hours FROM account;
UPDATE lobby.queue SET accounts = 'regress_queue.standing', may_join = 'verified AND hours >= 2' WHERE queue = 'duel';
SELECT lobby.join('duel', '{1}');
SELECT lobby.join('duel', '{2}');
SELECT lobby.join('duel', '{9}');
SELECT lobby.join('duel', '{3}') > 0 AS joined, lobby.join('duel', '{4}') > 0 AS joined;
UPDATE account SET verified = false WHERE id = 4;
SELECT count(*) FROM lobby.tick('duel');
SELECT p.player_id, t.status, t.reason FROM lobby.ticket AS t LEFT JOIN lobby.player AS p USING (ticket) WHERE t.queue = 'duel' ORDER BY t.ticket DESC LIMIT 2;
-- A condition that fails for one account keeps no other from its match.
UPDATE lobby.queue SET may_join = 'verified AND 10 / (hours - 5) > -100' WHERE queue = 'duel';
SELECT lobby.join('duel', '{6}') > 0 AS joined, lobby.join('duel', '{5}');
SELECT player_id FROM lobby.tick('duel') ORDER BY player_id;
SELECT lobby.join('duel', '{7}') > 0 AS joined, lobby.join('duel', '{8}') > 0 AS joined;
UPDATE account SET minutes = 300 WHERE id = 8;
SELECT lobby.join('duel', '{1}') > 0 AS joined;
SELECT player_id FROM lobby.tick('duel') ORDER BY player_id;
-- One that fails for all ends no ticket.
SELECT lobby.join('duel', '{6}') > 0 AS joined;
UPDATE lobby.queue SET may_join = '1 / (hours - hours) = 1' WHERE queue = 'duel';
SET client_min_messages = error;
SELECT lobby.tick('duel');
SET client_min_messages = warning;
SELECT status, count(*) FROM lobby.ticket WHERE queue = 'duel' AND ended_at IS NULL GROUP BY status;
SELECT count(*) FROM lobby.leave('{6,7}');
UPDATE lobby.queue SET accounts = 'regress_queue.forged' WHERE queue = 'duel';
SELECT lobby.join('duel', '{6}');
-- Functions of another role's view would run with the owner's rights.
CREATE VIEW lent AS SELECT id AS player_id, verified, minutes / 60 AS hours FROM account;
ALTER VIEW lent OWNER TO regress_queue_service;
UPDATE lobby.queue SET accounts = 'regress_queue.lent', may_join = 'verified' WHERE queue = 'duel';
SELECT lobby.join('duel', '{6}');
UPDATE lobby.queue SET accounts = NULL, may_join = NULL WHERE queue = 'duel';
DROP VIEW lent;

-- Servers: a match is made where one is free, in a region that all of its players have.
\set ECHO none
INSERT INTO lobby.queue (queue, ladder, initial_window, needs_instance) VALUES ('served', 'arena', 1000, true);
CREATE FUNCTION play(a text, b text, region_a bigint, region_b bigint) RETURNS TABLE (tick bigint, address text) LANGUAGE plpgsql AS $$
DECLARE
    ticket bigint := skillrating_queue.join('served', ARRAY[a], region => region_a, at => '2026-03-01 12:00');
BEGIN
    PERFORM skillrating_queue.join('served', ARRAY[b], region => region_b, at => '2026-03-01 12:00');
    tick := (SELECT count(*) FROM skillrating_queue.tick('served', at => '2026-03-01 12:00:01'));
    address := (SELECT n.address FROM skillrating_queue.answer(ticket, at => '2026-03-01 12:00:02') AS n);
    PERFORM FROM skillrating_queue.leave(ARRAY[a, b], at => '2026-03-01 12:00:03');
    RETURN NEXT;
END
$$;
\set ECHO all
SELECT * FROM play('1', '2', NULL, NULL);
SELECT skillrating_queue.offer_instance('east', '10.0.0.1:7777', 1, at => '2026-03-01 11:59:30');
SELECT skillrating_queue.offer_instance('west', '10.0.0.2:7777', 2, at => '2026-03-01 11:59:40');
SELECT skillrating_queue.offer_instance('gone', '10.0.0.3:7777', at => '2026-03-01 11:50');
SELECT instance FROM lobby.instance WHERE session IS NULL AND free_until > '2026-03-01 12:00' ORDER BY 1;
SELECT * FROM play('1', '2', 3, 2);
SELECT * FROM play('1', '2', 3, 2);
SELECT * FROM play('1', '2', NULL, 3);
SELECT * FROM play('1', '2', NULL, NULL);
SELECT i.instance, p.address, p.queue FROM lobby.instance AS i JOIN lobby.proposal AS p USING (session) ORDER BY 1;
SELECT skillrating_queue.offer_instance('west', '10.0.0.2:7777', 2, at => '2026-03-01 12:00:20') AS session \gset
SELECT player_id, team, ladder FROM lobby.session_seats(:'session') ORDER BY player_id;
SELECT lobby.end_session(:'session'), lobby.end_session(:'session');
SELECT * FROM play('1', '2', NULL, NULL);
-- Until all have accepted nobody knows the address; a match that is cancelled frees its server.
UPDATE lobby.queue SET accept_within = '20 seconds' WHERE queue = 'served';
DELETE FROM lobby.instance;
SELECT skillrating_queue.offer_instance('one', '10.0.0.4:7777', at => '2026-03-01 12:00');
SELECT skillrating_queue.join('served', '{1}', at => '2026-03-01 12:00') AS a, skillrating_queue.join('served', '{2}', at => '2026-03-01 12:00') AS b \gset
SELECT max(proposal) AS proposal FROM skillrating_queue.tick('served', at => '2026-03-01 12:00:05') \gset
SELECT status, accept_by, team, address FROM skillrating_queue.answer(:a);
SELECT session IS NOT NULL AS taken FROM lobby.instance;
SELECT skillrating_queue.decline(:proposal, '{2}', at => '2026-03-01 12:00:06');
SELECT session IS NOT NULL AS taken FROM lobby.instance;
SELECT status, reason, waited FROM skillrating_queue.answer(:b);
SELECT skillrating_queue.join('served', '{2}', at => '2026-03-01 12:00:07') AS b \gset
SELECT max(proposal) AS proposal FROM skillrating_queue.tick('served', at => '2026-03-01 12:00:08') \gset
SELECT skillrating_queue.accept(:proposal, '{1,2}', at => '2026-03-01 12:00:09');
SELECT status, team IS NOT NULL AS seated, address FROM skillrating_queue.answer(:b);
-- Whoever fills a seat joins the same session, and its end ends the request.
UPDATE lobby.queue SET accept_within = NULL WHERE queue = 'served';
SELECT skillrating_queue.ask_backfill('served', '{1}', '{1}', :proposal, at => '2026-03-01 12:01') > 0 AS asked;
SELECT skillrating_queue.join('served', '{3}', at => '2026-03-01 12:01') AS c \gset
SELECT player_id, team, backfill IS NOT NULL AS fills FROM skillrating_queue.tick('served', at => '2026-03-01 12:01:01');
SELECT status, team, address FROM skillrating_queue.answer(:c);
SELECT s.player_id FROM lobby.proposal AS x, lobby.session_seats(x.session) AS s WHERE x.proposal = :proposal ORDER BY 1;
SELECT skillrating_queue.ask_backfill('served', '{1}', '{1}', :proposal, at => '2026-03-01 12:02') > 0 AS asked;
SELECT lobby.end_session(session) FROM lobby.instance;
SELECT status, reason FROM lobby.backfill WHERE proposal = :proposal ORDER BY backfill;
SELECT skillrating_queue.offer_instance(NULL, '10.0.0.1:7777', at => '2026-03-01 12:02');

-- The functions of a coordinator keep the extension from going without CASCADE.
\set VERBOSITY terse
DROP EXTENSION skillrating_queue;
\set ECHO none
DROP SCHEMA lobby CASCADE;
DROP EXTENSION skillrating_queue;
SELECT skillrating.drop_ladder('arena') \gset
DROP SCHEMA regress_queue CASCADE;
DROP ROLE regress_queue_service;
\set ECHO all
