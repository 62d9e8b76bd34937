-- A correction that changes many ratings: rows and their index entries, whatever indexes there are.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SELECT skillrating.create_ladder('arena', 'elo') \gset
ALTER TABLE arena.rating ADD note text;
INSERT INTO arena.match (match_id, played_at)
SELECT n, timestamptz '2024-01-01' + n * interval '1 minute' FROM generate_series(1, 2000) AS n;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT n, (n * 37 + t * (1 + n * n % 599)) % 600, 1 + t, 1 + (n + t) % 2
FROM generate_series(1, 2000) AS n, generate_series(0, 1) AS t;
\set ECHO all
UPDATE arena.rating SET note = 'of ' || player_id WHERE player_id % 2 = 0;
ANALYZE arena.rating;

-- Whether a correction changes most ratings, everything verifies, notes stay, and each index leads to
-- every row.  Rows are many enough for the table to be read from one end to the other, and not.
\set ECHO none
CREATE FUNCTION correct(match bigint, index_condition text DEFAULT 'rating > -1e9',
    OUT many boolean, OUT verified boolean, OUT noted boolean, OUT scanned boolean, OUT complete boolean)
LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
    plan json;
BEGIN
    UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = match;
    many := (SELECT count(*) > 100 FROM skillrating.catch_up('arena'));
    verified := (SELECT bool_and(ok) FROM skillrating.verify('arena'));
    noted := (SELECT bool_and(note IS NOT DISTINCT FROM CASE WHEN player_id % 2 = 0 THEN 'of ' || player_id END) FROM arena.rating);
    EXECUTE format('SELECT count(*) FROM (SELECT (r).* FROM arena.rating AS r OFFSET 0) AS r WHERE %s', index_condition) INTO n;
    PERFORM set_config('enable_seqscan', 'off', true);
    EXECUTE format('EXPLAIN (FORMAT json) SELECT count(*) FROM arena.rating AS r WHERE %s', index_condition) INTO plan;
    scanned := plan::text !~ 'Seq Scan';
    EXECUTE format('SELECT count(*) = $1 AND $1 > 0 FROM arena.rating AS r WHERE %s', index_condition) INTO complete USING n;
    PERFORM set_config('enable_seqscan', 'on', true);
END
$$;
\set ECHO all
SELECT * FROM correct(1, 'player_id >= 0');
SELECT * FROM correct(2, 'pool = '''' AND rating > -1e9');
-- Few of them.
SELECT * FROM correct(1990, 'pool = '''' AND rating > -1e9');
CREATE UNIQUE INDEX at_most_one ON arena.rating (games, rating, player_id);
SELECT * FROM correct(3, 'games >= 0');
-- Entries that cannot wait: those of other kinds of indexes come with their rows.
CREATE INDEX partial ON arena.rating (wins) WHERE wins >= 0;
SELECT * FROM correct(4, 'wins >= 0');
CREATE INDEX expression ON arena.rating ((rating - 1500));
SELECT * FROM correct(5, 'rating - 1500 > -1e9');
CREATE INDEX hashed ON arena.rating USING hash (games);
SELECT * FROM correct(6, 'games = (SELECT min(games) FROM arena.rating)');
CREATE INDEX ranges ON arena.rating USING brin (losses);
SELECT * FROM correct(7, 'losses >= 0');
DROP INDEX arena.partial, arena.expression, arena.hashed, arena.ranges;
SELECT * FROM correct(8, 'games >= 0');
-- A constraint refuses a row as ever, and leaves everything as it was.
\set ECHO none
CREATE TABLE before AS TABLE arena.rating;
ALTER TABLE arena.rating ADD CHECK (player_id <> 8 OR losses > 0) NOT VALID;
UPDATE arena.match_player SET rank = CASE WHEN player_id = 8 THEN 1 ELSE 2 END
WHERE match_id IN (SELECT match_id FROM arena.match_player WHERE player_id = 8);
\set VERBOSITY terse
\set ECHO all
SELECT count(*) FROM skillrating.catch_up('arena');
\set VERBOSITY default
SELECT count(*) AS different FROM ((TABLE before EXCEPT TABLE arena.rating) UNION ALL (TABLE arena.rating EXCEPT TABLE before)) AS d;
ALTER TABLE arena.rating DROP CONSTRAINT rating_check;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
-- With a trigger of the user's on ratings they are written by a query, and it fires.
CREATE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'many: %', (SELECT count(*) > 100 FROM new_rows); RETURN NULL; END $$;
CREATE TRIGGER counted AFTER UPDATE ON arena.rating REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
SELECT * FROM correct(9, 'pool = '''' AND rating > -1e9');
SELECT skillrating.drop_ladder('arena') \gset
DROP TABLE before;
DROP FUNCTION correct(bigint, text), count_rows();
