-- Changes of ratings, for readers who follow them.
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text');
SELECT (skillrating.report_match('arena', 1, '{ada,ben}'::text[], '{1,2}', '{1,2}')).outcome;
-- From when on is asked for.
SELECT * FROM skillrating.changes('arena');
SELECT skillrating.trim_changes('arena', now());
SELECT skillrating.keep_changes('arena', false);
SELECT skillrating.keep_changes('arena');
SELECT skillrating.keep_changes('arena');
SELECT skillrating.keep_changes(NULL) IS NULL AS nothing;
SELECT * FROM skillrating.changes(NULL);

-- A start has all that is there, and the end of what is returned the cursor.
CREATE VIEW shown AS SELECT NULL::text AS player_id, NULL::text AS pool, NULL::text AS kind, NULL::text AS match_id, NULL::bigint AS operation,
    NULL::bigint AS games_before, NULL::bigint AS games_after, NULL::int AS rating_before, NULL::int AS rating_after, NULL::int[] AS state, NULL::boolean AS has_cursor;
CREATE TABLE reader (name text, cursor text);
CREATE FUNCTION show(since text, max_changes bigint DEFAULT NULL) RETURNS SETOF shown LANGUAGE sql AS $$
    SELECT player_id, pool, kind, match_id, operation, games_before, games_after, rating_before::int, rating_after::int, state::int[], next_cursor IS NOT NULL
    FROM skillrating.changes('arena', since, max_changes)
    ORDER BY next_cursor IS NOT NULL, changed_at, player_id, pool
$$;
SELECT * FROM show(NULL);
SELECT * FROM show(NULL, 1);
INSERT INTO reader SELECT 'a', next_cursor FROM skillrating.changes('arena') WHERE next_cursor IS NOT NULL;
SELECT cursor AS a FROM reader \gset
SELECT * FROM show(:'a');

-- Why something changed, and who is new.
SELECT (skillrating.report_match('arena', 2, '{ada,cleo}'::text[], '{1,2}', '{1,2}')).outcome;
SELECT skillrating.new_season('arena', 'second', 0.5) IS NOT NULL AS operation;
SELECT skillrating.set_rating('arena', 'dan', '{"rating": 1700}') IS NOT NULL AS operation;
SELECT skillrating.reset_rating('arena', 'dan') IS NOT NULL AS operation;
SELECT * FROM show(:'a');
INSERT INTO reader SELECT 'b', next_cursor FROM skillrating.changes('arena', :'a') WHERE next_cursor IS NOT NULL;
SELECT cursor AS b FROM reader WHERE name = 'b' \gset
SELECT skillrating.void_match('arena', 2);
SELECT * FROM show(:'b');
SELECT count(*) FROM skillrating.catch_up('arena', dry_run => true);
SELECT * FROM show(:'b');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT * FROM show(:'b');
-- The same content is no change, and neither is a catch_up that finds nothing.
INSERT INTO reader SELECT 'c', next_cursor FROM skillrating.changes('arena', :'b') WHERE next_cursor IS NOT NULL;
SELECT cursor AS c FROM reader WHERE name = 'c' \gset
SELECT (skillrating.report_match('arena', 1, '{ada,ben}'::text[], '{1,2}', '{1,2}')).outcome;
SELECT count(*) FROM skillrating.catch_up('arena', search => true, rebuild => true);
SELECT * FROM show(:'c');

-- Whoever is forgotten is forgotten in what is kept, but for the row that says so.
SELECT found FROM skillrating.forget_player('arena', 'ada'::text, 'x1'::text);
SELECT * FROM show(:'b');
SELECT count(*) AS rows_with_the_name FROM arena.change WHERE 'ada' = ANY (player_id);

-- Pieces: none is larger, and together they are what comes at once; also in a batch of more than a row of change has.
INSERT INTO reader SELECT 'd', next_cursor FROM skillrating.changes('arena', :'c') WHERE next_cursor IS NOT NULL;
SELECT cursor AS d FROM reader WHERE name = 'd' \gset
BEGIN;
INSERT INTO arena.match (match_id, pool) SELECT i, CASE WHEN i % 2 = 0 THEN 'b' ELSE '' END FROM generate_series(1001, 1400) AS i;
INSERT INTO arena.match_player (match_id, player_id, team, rank) SELECT 1000 + i, i * 3 % (99 + n), n, n FROM generate_series(1, 400) AS i, generate_series(1, 2) AS n WHERE i * 3 % 100 <> i * 3 % 101;
COMMIT;
CREATE FUNCTION in_pieces(since text, size bigint) RETURNS TABLE (n bigint, player_id text, pool text, games_after bigint, last_match text) LANGUAGE plpgsql AS $$
DECLARE
    c record;
    total bigint := 0;
    piece bigint;
BEGIN
    LOOP
        piece := 0;
        FOR c IN SELECT * FROM skillrating.changes('arena', since, size) LOOP
            IF c.next_cursor IS NOT NULL THEN
                since := c.next_cursor;
                CONTINUE;
            END IF;
            piece := piece + 1;
            total := total + 1;
            RETURN QUERY SELECT total, c.player_id, c.pool, c.games_after, c.match_id;
        END LOOP;
        IF piece > size THEN
            RAISE 'a piece of %', piece;
        END IF;
        EXIT WHEN piece = 0;
    END LOOP;
END
$$;
SELECT count(*), count(DISTINCT (player_id, pool)), sum(games_after) > 700 AS many, (SELECT count(*) FROM arena.change) > 3 AS several FROM in_pieces(:'d', NULL);
SELECT size, (SELECT count(*) FROM (
    (SELECT * FROM in_pieces(:'d', size) EXCEPT SELECT * FROM in_pieces(:'d', NULL)) UNION ALL
    (SELECT * FROM in_pieces(:'d', NULL) EXCEPT SELECT * FROM in_pieces(:'d', size))) AS e) AS different
FROM unnest('{1,7,64,65,1000}'::bigint[]) AS size;
-- The last match of the batch in which the player took part.
SELECT count(*) AS wrong FROM in_pieces(:'d', NULL) AS p
WHERE p.last_match IS DISTINCT FROM (SELECT e.match_id::text FROM arena.event AS e WHERE e.player_id = p.player_id AND e.pool = p.pool ORDER BY e.seq DESC LIMIT 1);

-- A late match changes nothing before catch_up(), not even for a player who is new.
SELECT skillrating.create_ladder('roomy', 'elo', params => '{}', late => 'reorder');
SELECT skillrating.keep_changes('roomy');
INSERT INTO roomy.match (match_id, played_at) VALUES (1, '2024-01-05');
INSERT INTO roomy.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
INSERT INTO reader SELECT 'r', next_cursor FROM skillrating.changes('roomy') WHERE next_cursor IS NOT NULL;
SELECT cursor AS r FROM reader WHERE name = 'r' \gset
INSERT INTO roomy.match (match_id, played_at) VALUES (2, '2024-01-01');
INSERT INTO roomy.match_player (match_id, player_id, team, rank) VALUES (2, 1, 1, 1), (2, 3, 2, 2);
SELECT player_id, games_before, games_after, rating_after FROM skillrating.changes('roomy', :'r') WHERE next_cursor IS NULL;
UPDATE roomy.match_player SET player_id = 2 WHERE match_id = 2 AND player_id = 3;
SELECT count(*) FROM skillrating.catch_up('roomy');
SELECT player_id, kind, games_before, games_after FROM skillrating.changes('roomy', :'r') WHERE player_id = '3';

-- What this transaction does comes after it, and a start waits for that.
BEGIN;
SELECT (skillrating.report_match('roomy', 3, '{1,2}'::bigint[], '{1,2}', '{1,2}', played_at => '2024-02-01')).outcome;
SELECT count(*) FROM skillrating.changes('roomy', :'r') WHERE match_id = '3';
SAVEPOINT s;
SELECT count(*) FROM skillrating.changes('roomy');
ROLLBACK TO s;
INSERT INTO reader SELECT 'own', next_cursor FROM skillrating.changes('roomy', :'r') WHERE next_cursor IS NOT NULL;
COMMIT;
SELECT player_id, match_id, games_after FROM reader, skillrating.changes('roomy', cursor) WHERE name = 'own' AND next_cursor IS NULL ORDER BY 1;

-- Another formula.
SELECT skillrating.shadow_ladder('roomy', 'better', 'glicko');
INSERT INTO reader SELECT 's', next_cursor FROM skillrating.changes('roomy') WHERE next_cursor IS NOT NULL;
SELECT cursor AS s FROM reader WHERE name = 's' \gset
SELECT skillrating.promote_ladder('better', 'former');
ALTER SCHEMA former RENAME TO better;
SELECT count(*) AS wrong FROM (
    (SELECT player_id, pool, rating_after, games_after, wins, draws, losses, last_played, as_of, array_send(state) FROM skillrating.changes('roomy', :'s') WHERE next_cursor IS NULL
    EXCEPT ALL SELECT player_id::text, pool, rating, games, wins, draws, losses, last_played, as_of, array_send(ARRAY[rating, deviation]) FROM roomy.rating) UNION ALL
    (SELECT player_id::text, pool, rating, games, wins, draws, losses, last_played, as_of, array_send(ARRAY[rating, deviation]) FROM roomy.rating
    EXCEPT ALL SELECT player_id, pool, rating_after, games_after, wins, draws, losses, last_played, as_of, array_send(state) FROM skillrating.changes('roomy', :'s') WHERE next_cursor IS NULL)) AS d;
SELECT DISTINCT kind, cardinality(state) FROM skillrating.changes('roomy', :'s') WHERE next_cursor IS NULL;
SELECT count(*) FROM skillrating.changes('better');
SELECT skillrating.promote_ladder('better', 'former');
ALTER SCHEMA former RENAME TO better;
SELECT kind, count(*) FROM skillrating.changes('roomy', :'s') WHERE next_cursor IS NULL AND cardinality(state) = 1 GROUP BY kind;

-- States of another ladder.
SELECT skillrating.seed_from('roomy', 'better', overwrite => true) IS NOT NULL AS seeded;
SELECT player_id, kind, operation IS NOT NULL AS operation, games_after, rating_after = (SELECT rating FROM roomy.rating AS r WHERE r.player_id::text = c.player_id) AS same
FROM skillrating.changes('roomy', :'s') AS c WHERE kind = 'seed' ORDER BY 1;

-- A ladder that is emptied: who reads on from before, at each step, has what rating has, to the bit.
SELECT skillrating.create_ladder('emptied', 'glicko');
SELECT skillrating.keep_changes('emptied');
CREATE TABLE copied (LIKE emptied.rating INCLUDING DEFAULTS);
CREATE FUNCTION play(first int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO emptied.match (match_id, played_at, pool)
    SELECT i, '2024-01-01'::timestamptz + i * interval '1 day', CASE WHEN i % 4 = 0 THEN 'b' ELSE '' END FROM generate_series(first, first + 80) AS i;
    INSERT INTO emptied.match_player (match_id, player_id, team, rank)
    SELECT i, (first + i * n) % (90 + n), n, n FROM generate_series(first, first + 80) AS i, generate_series(1, 2) AS n WHERE (first + i) % 91 <> (first + 2 * i) % 92
$$;
CREATE FUNCTION copy_on(OUT changes bigint, OUT gone bigint, OUT different bigint) LANGUAGE plpgsql AS $$
DECLARE
    c record;
    since text := (SELECT r.cursor FROM reader AS r WHERE r.name = 'copy');
BEGIN
    changes := 0;
    gone := 0;
    FOR c IN SELECT * FROM skillrating.changes('emptied', since) LOOP
        IF c.next_cursor IS NULL THEN
            DELETE FROM copied AS r WHERE r.player_id = c.player_id::bigint AND r.pool = c.pool;
            changes := changes + 1;
            gone := gone + (c.games_after IS NULL)::int;
            IF c.games_after IS NOT NULL THEN
                INSERT INTO copied (player_id, pool, games, wins, draws, losses, last_played, as_of, rating, deviation)
                VALUES (c.player_id::bigint, c.pool, c.games_after, c.wins, c.draws, c.losses, c.last_played, c.as_of, c.state[1], c.state[2]);
            END IF;
        ELSE
            DELETE FROM reader WHERE name = 'copy';
            INSERT INTO reader VALUES ('copy', c.next_cursor);
        END IF;
    END LOOP;
    SELECT count(*) INTO different FROM ((TABLE copied EXCEPT ALL TABLE emptied.rating) UNION ALL (TABLE emptied.rating EXCEPT ALL TABLE copied)) AS d;
END
$$;
SELECT play(1);
SELECT changes > 64 AS started, gone, different FROM copy_on();
SELECT skillrating.reset_ladder('emptied') IS NOT NULL AS emptied;
SELECT changes > 64 AS changed, changes = gone AS all_gone, different FROM copy_on();
SELECT (SELECT count(*) FROM copied) AS rows, (SELECT count(*) FROM emptied.rating) AS ratings;
-- With what came before and comes after in one go, and in one transaction; nothing is there to be told of the second time.
SELECT play(2);
BEGIN;
SELECT skillrating.reset_ladder('emptied') IS NOT NULL AS emptied, skillrating.reset_ladder('emptied') IS NOT NULL AS emptied;
SELECT play(3);
COMMIT;
SELECT changes > 192 AS changed, gone > 64 AS gone, different FROM copy_on();
SELECT (SELECT count(*) > 64 FROM copied) AS many;
SELECT bool_and(ok) AS verified FROM skillrating.verify('emptied');
BEGIN;
SELECT skillrating.reset_ladder('emptied') IS NOT NULL AS emptied;
ROLLBACK;
SELECT * FROM copy_on();
SELECT skillrating.drop_ladder('emptied');
DROP TABLE copied;
DROP FUNCTION play, copy_on;

-- Removing what is old: who has had it reads on.
INSERT INTO reader SELECT 'e', next_cursor FROM skillrating.changes('arena') WHERE next_cursor IS NOT NULL;
SELECT cursor AS e FROM reader WHERE name = 'e' \gset
SELECT skillrating.trim_changes('arena', now() - interval '1 day');
SELECT count(*) > 1 AS still FROM skillrating.changes('arena', :'a');
SELECT skillrating.trim_changes('arena', now()) > 0 AS removed, skillrating.trim_changes('arena', now()) AS again;
SELECT count(*) FROM skillrating.changes('arena', :'e');
SELECT count(*) FROM skillrating.changes('arena', :'a');
CREATE FUNCTION state_of(ladder text, since text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.changes(ladder, since);
    RETURN 'reads';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
SELECT state_of('arena', :'e') AS e, state_of('arena', :'a') AS a, state_of('arena', :'s') AS of_another, state_of('better', NULL) AS kept_by_none;

-- What is no cursor, or of another timeline, or of a time to come.
SELECT n, state_of('arena', c) FROM unnest(ARRAY['', '1', 'x', '2' || substr(:'e', 2), :'e' || '/', :'e' || '/1:1:/1/1', :'e' || '/1:1:/1/1/-1', :'e' || '/1:1:/1/1/1/1', repeat('/', 100),
    regexp_replace(:'e', '[0-9]+:[0-9]+:', '9:8:'), regexp_replace(:'e', '[0-9]+:[0-9]+:', '8:9:8,'), regexp_replace(:'e', '[0-9]+:[0-9]+:', '8:9:7'),
    regexp_replace(:'e', '[0-9]+:[0-9]+:', '99999999999999999999999:1:')]) WITH ORDINALITY AS u(c, n) ORDER BY n;
SELECT n, state_of('arena', c) FROM unnest(ARRAY[regexp_replace(:'e', '^(1/[0-9a-f]+)/[0-9]+', '\1/77'), regexp_replace(:'e', '[0-9]+:[0-9]+:', '8000000000:8000000000:'),
    regexp_replace(:'e', '^1/................', '1/0123456789abcdef')]) WITH ORDINALITY AS u(c, n) ORDER BY n;
SELECT count(*) FROM skillrating.changes('arena', 'nonsense');
SELECT count(*) FROM skillrating.changes('arena', :'e', 0);
SELECT count(*) FROM skillrating.changes('nowhere');
SELECT skillrating.keep_changes('nowhere');
SELECT skillrating.trim_changes('nowhere', now());

-- What others have written into the table.
INSERT INTO arena.change (origin, xact, kind, player_id, pool, counts, times, numbers) VALUES (1, '18446744073709551615', 'match', '{zoe}', '{""}', '{1,1,1,1,1}', '{-infinity,-infinity}', '{1,1,1}');
SELECT count(*) FROM skillrating.changes('arena', :'e');
INSERT INTO arena.change (origin, xact, kind, player_id, pool, counts, times, numbers)
SELECT o.origin, pg_current_xact_id(), 'match', '{zoe}', '{""}', '{1,1,1,1}', '{-infinity,-infinity}', '{1,1,1}'
FROM arena.change AS o WHERE o.number = 0;
SELECT state_of('arena', :'e');
DELETE FROM arena.change WHERE player_id = '{zoe}';
ALTER TABLE arena.change ALTER counts TYPE text USING counts::text;
SELECT count(*) FROM skillrating.changes('arena', :'e');
SELECT (skillrating.report_match('arena', 3, '{ben,cleo}'::text[], '{1,2}', '{1,2}')).outcome;
ALTER TABLE arena.change ALTER counts TYPE bigint[] USING counts::bigint[];
SELECT (skillrating.report_match('arena', 3, '{ben,cleo}'::text[], '{1,2}', '{1,2}')).outcome;
SELECT count(*) FROM skillrating.changes('arena', :'e');

-- A plan from when the table was small does not go over all of it when it is large.
SELECT skillrating.create_ladder('grown', 'elo');
SELECT skillrating.keep_changes('grown');
ALTER TABLE grown.change SET (autovacuum_enabled = off);
SELECT next_cursor AS grown FROM skillrating.changes('grown') WHERE next_cursor IS NOT NULL \gset
SELECT count(*) FROM skillrating.changes('grown', :'grown');
SELECT count(*) FROM generate_series(1, 500) AS g, skillrating.report_match('grown', g, '{1,2}'::bigint[], '{1,2}', '{1,2}');
SELECT next_cursor AS grown FROM skillrating.changes('grown') WHERE next_cursor IS NOT NULL \gset
BEGIN;
SELECT count(*) FROM skillrating.changes('grown', :'grown');
SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) < 10 AS reads_little FROM pg_stat_xact_all_tables WHERE relid = 'grown.change'::regclass;
COMMIT;
SELECT skillrating.drop_ladder('grown');

-- Rights: of who reads rating and event.
CREATE ROLE changes_reader;
GRANT USAGE ON SCHEMA arena TO changes_reader;
SET ROLE changes_reader;
SELECT count(*) FROM skillrating.changes('arena');
RESET ROLE;
GRANT SELECT ON arena.rating, arena.event TO changes_reader;
SET ROLE changes_reader;
SELECT count(*) > 1 AS reads FROM skillrating.changes('arena');
SELECT count(*) > 1 AS reads FROM skillrating.changes('arena', :'e');
SELECT count(*) FROM arena.change;
SELECT skillrating.trim_changes('arena', now());
SELECT skillrating.keep_changes('arena', false);
RESET ROLE;

-- A cursor from before it was taken back leads nowhere.
SELECT skillrating.keep_changes('arena', false), skillrating.keep_changes('arena');
SELECT state_of('arena', :'e');
SELECT skillrating.drop_ladder('arena'), skillrating.drop_ladder('better'), skillrating.drop_ladder('roomy');
DROP FUNCTION show, in_pieces, state_of;
DROP VIEW shown;
DROP TABLE reader;
DROP ROLE changes_reader;
