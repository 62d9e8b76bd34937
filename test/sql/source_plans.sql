-- A source that reads all of a large table for each match is recognised from its plan, whatever the
-- statistics say, and one that does not is left alone.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE SCHEMA plans;
SET search_path = plans;
CREATE TABLE game (id bigint PRIMARY KEY, ended_at timestamptz, state text);
CREATE TABLE game_player (game_id bigint, player_id bigint, team int, score int, PRIMARY KEY (game_id, player_id));
INSERT INTO game SELECT g, timestamptz '2025-01-01' + g * interval '1 min', 'finished' FROM generate_series(1, 12000) AS g;
INSERT INTO game_player SELECT g, 1 + (g * 7 + p * 13) % 500, 1 + p % 2, (g + p) % 9 FROM generate_series(1, 12000) AS g, generate_series(1, 2) AS p;
CREATE TABLE tiny (LIKE game_player INCLUDING ALL);
CREATE TABLE heap (game_id bigint, player_id bigint, team int, score int);
INSERT INTO heap TABLE game_player;
\set ECHO all

-- Slow: the total is that of the wrong column, of a subquery that is joined, or of a table without
-- index; the match is an expression without index.
CREATE VIEW slow_window AS SELECT g.id AS match_id, g.ended_at AS played_at, p.player_id, p.team, sum(p.score) OVER (PARTITION BY p.game_id, p.team) AS team_score FROM game AS g JOIN game_player AS p ON p.game_id = g.id WHERE g.state = 'finished';
CREATE VIEW slow_join AS SELECT g.id AS match_id, g.ended_at AS played_at, p.player_id, p.team, t.score AS team_score FROM game AS g JOIN game_player AS p ON p.game_id = g.id JOIN (SELECT game_id, team, sum(score) AS score FROM game_player GROUP BY game_id, team) AS t ON t.game_id = g.id AND t.team = p.team;
CREATE VIEW slow_heap AS SELECT g.id AS match_id, g.ended_at AS played_at, p.player_id, p.team, p.score AS team_score FROM game AS g JOIN heap AS p ON p.game_id = g.id;
CREATE VIEW slow_expression AS SELECT 'eu:' || id AS match_id, ended_at AS played_at, t AS player_id, t AS team, t AS rank FROM game, generate_series(1, 2) AS t;
-- The planner would begin with the state of all matches, by an index that is no help.
CREATE INDEX game_state ON game (state);

-- Fast: the total by the column that is match_id, or compared with it; lateral; both sides of a
-- union; a small table without anything.
\set ECHO none
CREATE VIEW fast_window AS SELECT g.id AS match_id, g.ended_at AS played_at, p.player_id, p.team, sum(p.score) OVER (PARTITION BY g.id, p.team) AS team_score FROM game AS g JOIN game_player AS p ON p.game_id = g.id WHERE g.state = 'finished';
CREATE VIEW fast_subselect AS SELECT g.id AS match_id, g.ended_at AS played_at, p.player_id, p.team, (SELECT sum(t.score) FROM game_player AS t WHERE t.game_id = g.id AND t.team = p.team) AS team_score FROM game AS g JOIN game_player AS p ON p.game_id = g.id;
CREATE VIEW fast_lateral AS SELECT g.id AS match_id, g.ended_at AS played_at, p.player_id, p.team, t.score AS team_score FROM game AS g JOIN game_player AS p ON p.game_id = g.id CROSS JOIN LATERAL (SELECT sum(u.score) AS score FROM game_player AS u WHERE u.game_id = g.id AND u.team = p.team) AS t;
CREATE VIEW fast_union AS SELECT id AS match_id, ended_at AS played_at, id AS player_id, 1 AS team, true AS won FROM game UNION ALL SELECT id, ended_at, -id, 2, false FROM game;
CREATE VIEW fast_tiny AS SELECT g.id AS match_id, g.ended_at AS played_at, p.player_id, p.team, sum(p.score) OVER (PARTITION BY p.game_id, p.team) AS team_score FROM tiny AS p JOIN LATERAL (SELECT * FROM game AS g WHERE g.id = p.game_id OFFSET 0) AS g ON true;

CREATE VIEW look AS
    SELECT c.source, d.description, d.remedy FROM pg_class AS v
    CROSS JOIN LATERAL (SELECT v.oid::regclass) AS c(source)
    LEFT JOIN LATERAL skillrating.describe_source(c.source) AS d ON d.kind = 'query'
    WHERE v.relnamespace = 'plans'::regnamespace AND v.relname ~ '^(slow|fast)_' ORDER BY v.relname;
\set ECHO all
TABLE look;
ANALYZE game, game_player, heap;
SELECT source, description FROM look;
DROP INDEX game_state;
SELECT source, description FROM look WHERE source::text IN ('slow_window', 'fast_window');
-- What an index mends.
CREATE INDEX ON heap (game_id);
CREATE INDEX ON game (('eu:' || id));
SELECT source, description FROM look WHERE source::text IN ('slow_heap', 'slow_expression');

-- Who makes a ladder is told, once.
\set VERBOSITY default
SELECT skillrating.create_ladder('slow', 'elo', source => 'slow_window') \gset
-- A view of another role is not planned, because that can call its functions.
CREATE FUNCTION tell(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE INFO 'called'; RETURN $1; END $$;
CREATE VIEW telling AS SELECT id AS match_id, ended_at AS played_at, id AS player_id, 1 AS team, 1 AS rank FROM game WHERE id > tell(0);
SELECT kind, bool_and(ok) FROM skillrating.describe_source('telling') GROUP BY 1 ORDER BY 1;
CREATE ROLE regress_teller;
ALTER VIEW telling OWNER TO regress_teller;
SELECT kind, bool_and(ok) FROM skillrating.describe_source('telling', 'elo') GROUP BY 1 ORDER BY 1;
SELECT (skillrating_internal.source_cost('telling')).tables;
-- What cannot be planned is described all the same.
CREATE VIEW unplannable AS SELECT id AS match_id, ended_at AS played_at, id AS player_id, 1 AS team, 1 AS rank FROM game WHERE id > 1 / 0;
SELECT kind, bool_and(ok) FROM skillrating.describe_source('unplannable', 'elo') GROUP BY 1 ORDER BY 1;
SHOW enable_seqscan;
-- Errors that ask for another attempt, or are about a lack of resources, are passed on.
\set ECHO none
CREATE FUNCTION fail(code text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE 'not now' USING ERRCODE = code; END $$;
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
CREATE FUNCTION make_failing(code text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE OR REPLACE VIEW failing AS SELECT id AS match_id, id AS player_id FROM game WHERE id > fail(%L)', code);
    RETURN code;
END
$$;
\set ECHO all
SELECT make_failing(c.code) AS raised, outcome('SELECT (skillrating_internal.source_cost(''failing'')).tables') AS planned,
    outcome('SELECT skillrating_internal.note_waiting(''failing'', ''slow'')') AS noted
FROM unnest(ARRAY['40001', '40P01', '55P03', '53200', '58030', '22012', 'P0001']) WITH ORDINALITY AS c(code, n) ORDER BY c.n;
-- A role with a name that needs quotes is told as much.
\set ECHO none
CREATE ROLE "regress_Mixed Case";
GRANT USAGE ON SCHEMA plans TO "regress_Mixed Case";
GRANT SELECT ON ALL TABLES IN SCHEMA plans TO "regress_Mixed Case";
SELECT format('GRANT CREATE ON DATABASE %I TO "regress_Mixed Case"', current_database()) AS statement \gset
:statement;
ALTER VIEW slow_join OWNER TO "regress_Mixed Case";
SET ROLE "regress_Mixed Case";
SET client_min_messages = warning;
\set ECHO all
SELECT skillrating.create_ladder('mixed', 'elo', source => 'slow_join', attach => false) \gset
RESET client_min_messages;
SELECT skillrating_internal.note_waiting('slow_join', 'mixed', 's.match_id <= 3');
RESET ROLE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM "regress_Mixed Case"', current_database()) AS statement \gset
:statement;

-- A plan made for small tables reads a match, and not the index of one from end to end.
\set ECHO none
CREATE TABLE round (id bigint PRIMARY KEY, ended_at timestamptz);
CREATE TABLE round_player (round bigint, player bigint, won boolean, PRIMARY KEY (round, player));
INSERT INTO round SELECT i, '2024-01-01' FROM generate_series(1, 700) AS i;
INSERT INTO round_player SELECT r.id, p, p < 7 FROM round AS r, generate_series(1, 12) AS p;
ANALYZE round, round_player;
CREATE VIEW small AS SELECT round AS match_id, ended_at AS played_at, player AS player_id, CASE WHEN won THEN 1 ELSE 2 END AS team, won
FROM round JOIN round_player ON round = id;
SET client_min_messages = warning;
SELECT skillrating.create_ladder('small_tables', 'elo', source => 'small') \gset
RESET client_min_messages;
\set ECHO all
-- What this session has counted so far goes to the server's totals.
SELECT pg_stat_force_next_flush();
BEGIN;
INSERT INTO round VALUES (701, '2024-01-02');
INSERT INTO round_player SELECT 701, p, p < 7 FROM generate_series(1, 12) AS p;
SET CONSTRAINTS ALL IMMEDIATE;
SELECT relname, seq_scan, idx_tup_fetch <= 24 AS reads_one FROM pg_stat_xact_user_tables
WHERE relid IN ('round'::regclass, 'round_player'::regclass) ORDER BY relname;
COMMIT;
SELECT count(*) FROM small_tables.event;

SET client_min_messages = warning;
SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['slow', 'mixed', 'small_tables']) AS l;
DROP SCHEMA plans CASCADE;
DROP ROLE regress_teller, "regress_Mixed Case";
