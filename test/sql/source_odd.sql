-- Odd views as sources: what is attached notices every change, and what is not is named.  The oracle
-- compares a ladder that was fed by triggers with one that has looked at all matches.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA odd;
\set SHOW_CONTEXT never
SET search_path = odd, skillrating;
SET client_min_messages = warning;
CREATE TABLE game (id bigint PRIMARY KEY, code text, num numeric, at timestamptz NOT NULL DEFAULT '2026-01-01Z', parent bigint, day date DEFAULT '2026-01-01');
CREATE TABLE player (game_id bigint, game_code text, user_id bigint, team int, score int);
CREATE TABLE map (game_id bigint, name text);
CREATE TABLE bonus (game_id bigint, other_id bigint, points int);

CREATE FUNCTION traced(query text) RETURNS TABLE (relation text, match_id text, fault text, remedy text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'CREATE VIEW odd.probe AS ' || query;
    RETURN QUERY SELECT f.relation::text, f.match_id, f.fault, f.remedy FROM skillrating_internal.feeding_tables('odd.probe', 'arena') AS f ORDER BY f.relation::text COLLATE "C";
    DROP VIEW odd.probe;
END
$$;
-- The columns of a view besides the match.
CREATE FUNCTION rest(p text DEFAULT 'p') RETURNS text LANGUAGE sql AS $$
    SELECT replace(' AS match_id, timestamptz ''2026-01-01Z'' AS played_at, p.user_id AS player_id, p.team, p.score AS team_score ', 'p.', p || '.')
$$;
\set ECHO all

-- The condition of an outer join holds for its nullable side only: a bonus with another other_id is read too.
SELECT * FROM traced('SELECT g.id' || rest() || 'FROM (game AS g JOIN player AS p ON p.game_id = g.id CROSS JOIN bonus AS b) LEFT JOIN map AS m ON m.game_id = g.id AND b.other_id = g.id');
SELECT * FROM traced('SELECT g.id' || rest() || 'FROM (game AS g JOIN player AS p ON p.game_id = g.id CROSS JOIN bonus AS b) LEFT JOIN map AS m ON m.game_id = g.id AND m.game_id = b.other_id');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM player AS p FULL JOIN bonus AS b ON p.game_id = b.game_id AND b.game_id = b.other_id');
SELECT * FROM traced('SELECT g.id' || rest() || 'FROM game AS g JOIN player AS p ON p.game_id = g.id LEFT JOIN bonus AS b ON b.game_id = g.id AND b.other_id = g.id');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM game AS g LEFT JOIN player AS p ON p.game_id = g.id');
SELECT * FROM traced('SELECT b.game_id' || rest() || 'FROM player AS p RIGHT JOIN bonus AS b ON p.game_id = b.game_id AND b.game_id = b.other_id');
SELECT * FROM traced('SELECT coalesce(g.id, p.game_id)' || rest() || 'FROM game AS g FULL JOIN player AS p ON p.game_id = g.id');
SELECT * FROM traced('SELECT game_id' || rest() || 'FROM bonus AS b FULL JOIN player AS p USING (game_id) WHERE p.team > 0');

-- Casts that lose something.
SELECT * FROM traced('SELECT g.code::varchar(3)::text' || rest() || 'FROM game AS g JOIN player AS p ON p.game_code = g.code');
SELECT * FROM traced('SELECT g.num::int::numeric' || rest() || 'FROM game AS g JOIN player AS p ON p.game_id = g.num::int');
SELECT * FROM traced('SELECT p.game_code' || rest() || 'FROM game AS g JOIN player AS p ON p.game_code::int = g.id');
SELECT * FROM traced('SELECT g.id' || rest() || 'FROM game AS g JOIN player AS p ON p.game_code::int = g.id');
SELECT * FROM traced('SELECT g.id::varchar(40)' || rest() || 'FROM game AS g JOIN player AS p ON p.game_code = g.id::text');
SELECT * FROM traced('SELECT g.at::date' || rest() || 'FROM game AS g JOIN player AS p ON p.game_id = g.id');
SELECT * FROM traced('SELECT g.day::timestamp' || rest() || 'FROM game AS g JOIN player AS p ON p.game_id = g.id JOIN game AS h ON h.at::date = g.day');

-- Rows that depend on other matches: LIMIT, DISTINCT ON, windows, unless they are about one match.
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM (SELECT * FROM player ORDER BY score DESC LIMIT 10) AS p');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM (SELECT DISTINCT ON (user_id) * FROM player ORDER BY user_id, game_id) AS p');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM (SELECT DISTINCT ON (game_id, user_id) * FROM player ORDER BY game_id, user_id, score) AS p');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM (SELECT game_id, user_id, team, lag(score) OVER (PARTITION BY user_id ORDER BY game_id) AS score FROM player) AS p');
SELECT * FROM traced('SELECT g.id' || rest() || 'FROM game AS g, LATERAL (SELECT user_id, team, rank() OVER (ORDER BY score) AS score FROM player WHERE game_id = g.id LIMIT 2) AS p');
SELECT * FROM traced('(SELECT p.game_id' || rest() || 'FROM player AS p UNION ALL SELECT id, at, 1, 1, 1 FROM game) LIMIT 10');

-- Aggregates are no expression over a row.
SELECT * FROM traced('SELECT min(p.game_id) AS match_id, timestamptz ''2026-01-01Z'' AS played_at, p.user_id AS player_id, 1 AS team, sum(p.score) AS team_score FROM player AS p GROUP BY p.user_id');
SELECT * FROM traced('SELECT p.game_id AS match_id, timestamptz ''2026-01-01Z'' AS played_at, p.user_id AS player_id, 1 AS team, sum(p.score) AS team_score
    FROM player AS p GROUP BY GROUPING SETS ((p.game_id, p.user_id), (p.game_id), ())');

-- The same table twice, UNION ALL under other names, VALUES, TABLESAMPLE, rows from functions, recursion.
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM player AS p JOIN player AS o ON o.game_id = p.game_id AND o.user_id <> p.user_id');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM player AS p JOIN player AS o ON o.user_id = p.user_id');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM player AS p UNION ALL SELECT other_id, now(), game_id, 1, points FROM bonus');
SELECT * FROM traced('SELECT v.id' || rest() || 'FROM (VALUES (1::bigint), (2)) AS v(id) JOIN player AS p ON p.game_id = v.id');
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM player AS p TABLESAMPLE SYSTEM (100)');
SELECT * FROM traced('SELECT g.id' || rest() || 'FROM game AS g, LATERAL jsonb_to_recordset(to_jsonb(ARRAY[g])) AS p(user_id bigint, team int, score int)');
SELECT * FROM traced('SELECT i' || rest() || 'FROM generate_series(1, 3) AS i JOIN player AS p ON p.game_id = i');
SELECT * FROM traced('WITH RECURSIVE up AS (SELECT id, parent FROM game UNION ALL SELECT u.id, g.parent FROM up AS u JOIN game AS g ON g.id = u.parent)
    SELECT up.id' || rest() || 'FROM up JOIN player AS p ON p.game_id = up.id');

-- Functions behind operators, casts and windows may read tables, too.
CREATE FUNCTION plus_all(bigint, bigint) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT $1 + $2 + count(*) FROM odd.bonus';
CREATE OPERATOR +! (FUNCTION = plus_all, LEFTARG = bigint, RIGHTARG = bigint);
SELECT * FROM traced('SELECT p.game_id AS match_id, timestamptz ''2026-01-01Z'' AS played_at, p.user_id AS player_id, p.team, p.score::bigint +! 1::bigint AS team_score FROM player AS p');

-- Who inserts into a table that inherits fires no trigger of its parent.
\set ECHO none
CREATE TABLE base (score int, game_id bigint, dropped int, user_id bigint, team int);
ALTER TABLE base DROP COLUMN dropped;
CREATE TABLE first_kind () INHERITS (base);
CREATE TABLE second_kind (team int, game_id bigint, user_id bigint, score int);
ALTER TABLE second_kind INHERIT base;
CREATE VIEW inherited AS SELECT p.game_id AS match_id, timestamptz '2026-01-01Z' AS played_at, p.user_id AS player_id, p.team, p.score AS team_score FROM base AS p;
\set ECHO all
SELECT * FROM traced('SELECT p.game_id' || rest() || 'FROM ONLY base AS p');

-- Names with quotes, of 63 bytes, and in other letters; columns that were dropped; generated ones.
\set ECHO none
CREATE TABLE "Ga""me ⚔" (gone int, "a""b ü; --" int, "Das längste Wort einer Spalte hat dreiundsechzig Zeichen oder s" bigint PRIMARY KEY);
ALTER TABLE "Ga""me ⚔" DROP COLUMN gone;
CREATE TABLE "pl'ayer" (x text, user_id bigint, team int, score int, "$1" bigint GENERATED ALWAYS AS (length(x)) STORED);
CREATE VIEW "View "" ⚔" AS SELECT g."Das längste Wort einer Spalte hat dreiundsechzig Zeichen oder s" AS match_id, timestamptz '2026-01-01Z' AS played_at, p.user_id AS player_id, p.team, p.score AS team_score
    FROM "Ga""me ⚔" AS g JOIN "pl'ayer" AS p ON p."$1" = g."Das längste Wort einer Spalte hat dreiundsechzig Zeichen oder s";

-- Views of views, with a barrier, with rules, with options, and over partitions.
CREATE TABLE part (game_id bigint, user_id bigint, team int, score int) PARTITION BY HASH (game_id);
CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE VIEW inner_view WITH (security_barrier) AS SELECT game_id AS g, user_id AS u, team AS t, score AS s FROM part WHERE team > 0;
CREATE RULE into_inner AS ON INSERT TO inner_view DO INSTEAD INSERT INTO part VALUES (NEW.g, NEW.u, NEW.t, NEW.s);
CREATE RULE note AS ON UPDATE TO inner_view DO ALSO NOTHING;
CREATE VIEW barrier AS SELECT g AS match_id, timestamptz '2026-01-01Z' AS played_at, u AS player_id, t AS team, s AS team_score FROM inner_view;

-- Players of odd types: an enum, char(n), numeric(10, 0), domains over text, and a row with forced row-level security.
CREATE TYPE hero AS ENUM ('zeus', 'ares', 'hera');
CREATE DOMAIN lower_text AS text COLLATE "C" CHECK (VALUE = lower(VALUE));
CREATE TABLE typed (g numeric(10, 0), h hero, c char(8), n numeric(10, 0), l lower_text, team int, score int);
ALTER TABLE typed ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE VIEW of_enum AS SELECT g AS match_id, timestamptz '2026-01-01Z' AS played_at, h AS player_id, team, score AS team_score FROM typed;
CREATE VIEW of_char AS SELECT g AS match_id, timestamptz '2026-01-01Z' AS played_at, c AS player_id, team, score AS team_score FROM typed;
CREATE VIEW of_numeric AS SELECT g AS match_id, timestamptz '2026-01-01Z' AS played_at, n AS player_id, team, score AS team_score FROM typed;
CREATE VIEW of_domain AS SELECT l AS match_id, timestamptz '2026-01-01Z' AS played_at, n AS player_id, team, score AS team_score FROM typed;
\set ECHO all

-- Each lives through inserts, corrections and deletions, in each of its tables.
SELECT count(create_ladder(l, 'elo', source => v)) FROM (VALUES ('odd_inherited', 'inherited'::regclass), ('odd_names', '"View "" ⚔"'), ('odd_barrier', 'barrier'),
    ('odd_enum', 'of_enum'), ('odd_char', 'of_char'), ('odd_numeric', 'of_numeric'), ('odd_domain', 'of_domain')) AS v(l, v);
SELECT l, string_agg(format('%s (%s)', a.relation, a.match_id), ', ' ORDER BY a.relation::text COLLATE "C")
FROM (SELECT 'inherited' AS l, * FROM odd_inherited.attached UNION ALL SELECT 'names', * FROM odd_names.attached UNION ALL SELECT 'barrier', * FROM odd_barrier.attached
    UNION ALL SELECT 'enum', * FROM odd_enum.attached) AS a GROUP BY l ORDER BY l;
\set ECHO none
INSERT INTO base (game_id, user_id, team, score) SELECT 1, i, i, i FROM generate_series(1, 2) AS i;
INSERT INTO first_kind (game_id, user_id, team, score) SELECT 2 + i / 3, i % 3, i, i FROM generate_series(1, 4) AS i;
INSERT INTO second_kind SELECT i, 5, i, i FROM generate_series(1, 2) AS i;
UPDATE base SET score = 3 - score WHERE game_id IN (1, 2);
DELETE FROM first_kind WHERE game_id = 3;
INSERT INTO "Ga""me ⚔" SELECT 1, i FROM generate_series(1, 3) AS i;
INSERT INTO "pl'ayer" SELECT repeat('x', 1 + i / 2), i % 2, i % 2, i % 2 FROM generate_series(0, 5) AS i;
UPDATE "pl'ayer" SET x = x || 'x' WHERE length(x) = 3;
INSERT INTO inner_view SELECT 1 + i / 2, i % 2, 1 + i % 2, i % 2 FROM generate_series(0, 7) AS i;
UPDATE part SET game_id = game_id + 10 WHERE game_id = 2;
DELETE FROM part WHERE game_id = 3;
INSERT INTO typed SELECT 1 + i / 2, (enum_range(NULL::hero))[1 + i % 3], 'c' || i % 3, i % 3, 'm' || i / 2, 1 + i % 2, i % 5 FROM generate_series(0, 11) AS i;
\set ECHO all
UPDATE typed SET score = 9 - score, h = 'zeus', c = 'c0' WHERE g = 3 AND team = 1;
DELETE FROM typed WHERE g = 4;
-- Nothing is found by a search that the triggers have not reported.
\set ECHO none
CREATE FUNCTION unreported(ladder text) RETURNS TABLE (rated bigint, changed bigint, differ bigint, verified boolean) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count(*) FROM skillrating.catch_up(ladder);
    EXECUTE format('SELECT count(*) FROM %I.rated_match WHERE status = ''rated''', ladder) INTO rated;
    EXECUTE format('CREATE TEMP TABLE before AS SELECT match_id, status, digest FROM %I.rated_match', ladder);
    changed := (SELECT count(*) FROM skillrating.catch_up(ladder, search => true, rebuild => true));
    EXECUTE format('SELECT count(*) FROM before AS b FULL JOIN %I.rated_match AS m USING (match_id) WHERE (b.status, b.digest) IS DISTINCT FROM (m.status, m.digest)', ladder) INTO differ;
    DROP TABLE before;
    verified := (SELECT bool_and(v.ok) FROM skillrating.verify(ladder) AS v);
    RETURN NEXT;
END
$$;
\set ECHO all
SELECT l AS ladder, u.* FROM unnest('{odd_inherited,odd_names,odd_barrier,odd_enum,odd_char,odd_numeric,odd_domain}'::text[]) AS l, unreported(l) AS u;

-- Views of the session's own, and columns of the wrong kind.
CREATE TEMP VIEW passing AS SELECT * FROM barrier;
SELECT create_ladder('odd_temp', 'elo', source => 'passing');
CREATE VIEW of_arrays AS SELECT ARRAY[g] AS match_id, timestamptz '2026-01-01Z' AS played_at, h AS player_id, team, score AS team_score FROM typed;
SELECT create_ladder('odd_arrays', 'elo', source => 'of_arrays');

-- Functions, operators and casts of the caller's search_path with the names of the server's.
CREATE ROLE regress_odd;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_odd', current_database()) \gexec
\set ECHO none
CREATE SCHEMA regress_odd AUTHORIZATION regress_odd;
SET ROLE regress_odd;
CREATE TABLE regress_odd.game (id int, user_id int, team int, score int);
CREATE FUNCTION regress_odd.trap(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'trapped as %', current_user; RETURN true; END $$;
CREATE OPERATOR regress_odd.= (FUNCTION = regress_odd.trap, LEFTARG = int, RIGHTARG = int);
CREATE FUNCTION regress_odd.format(text, VARIADIC text[]) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'trapped as %', current_user; RETURN $1; END $$;
CREATE VIEW regress_odd.source WITH (security_barrier) AS SELECT id AS match_id, timestamptz '2026-01-01Z' AS played_at, user_id AS player_id, team, score AS team_score FROM regress_odd.game;
RESET ROLE;
SET search_path = regress_odd, pg_catalog, skillrating;
SET client_min_messages = notice;
\set ECHO all
SELECT create_ladder('odd_trap', 'elo', source => 'regress_odd.source');
SET ROLE regress_odd;
SELECT create_ladder('odd_trap', 'elo', source => 'regress_odd.source') \gset
RESET ROLE;
INSERT INTO regress_odd.game SELECT 1, i, i, i FROM generate_series(1, 2) AS i;
SELECT count(*) FROM odd_trap.event;
SELECT drop_ladder('odd_trap') \gset
SET client_min_messages = warning;

SET search_path = odd, skillrating;
SELECT count(drop_ladder(l)) FROM unnest('{odd_inherited,odd_names,odd_barrier,odd_enum,odd_char,odd_numeric,odd_domain}'::text[]) AS l;
SELECT count(*) AS left_behind FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid WHERE c.relnamespace = 'odd'::regnamespace AND NOT t.tgisinternal;
DROP SCHEMA regress_odd, odd CASCADE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_odd', current_database()) \gexec
DROP ROLE regress_odd;
