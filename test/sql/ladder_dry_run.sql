-- What catch_up() returns, and what it would do.
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';

-- Everybody whose row changes, once, before and after the whole call: those whom only a match that
-- waited has changed, and those whom a correction has changed again.
SELECT skillrating.create_ladder('rows', 'elo', '{"k": 32}', apply_at => 'manual') \gset
INSERT INTO rows.match (match_id, played_at) VALUES (1, '2026-01-01');
INSERT INTO rows.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
SELECT player_id, rating_before, rating_after, games_before, games_after
FROM skillrating.catch_up('rows') ORDER BY player_id;
INSERT INTO rows.match (match_id, played_at, pool) VALUES (2, '2026-01-02', ''), (3, '2026-01-03', 'b');
INSERT INTO rows.match_player (match_id, player_id, team, rank)
VALUES (2, 1, 1, 1), (2, 3, 2, 2), (3, 1, 1, 1), (3, 2, 2, 2);
SELECT player_id, pool, round(rating_before::numeric, 2) AS rating_before,
    round(rating_after::numeric, 2) AS rating_after, games_before, games_after
FROM skillrating.catch_up('rows') ORDER BY pool, player_id;
SELECT * FROM skillrating.catch_up('rows');
-- Match 1 goes while match 4 comes: player 1 has lost one game, and won another.
SELECT skillrating.void_match('rows', 1) \gset
INSERT INTO rows.match (match_id, played_at) VALUES (4, '2026-01-04');
INSERT INTO rows.match_player (match_id, player_id, team, rank) VALUES (4, 1, 1, 1), (4, 4, 2, 2);
SELECT player_id, pool, round(rating_before::numeric, 2) AS rating_before,
    round(rating_after::numeric, 2) AS rating_after, games_before, games_after
FROM skillrating.catch_up('rows') ORDER BY pool, player_id;
-- What is undone again changes nothing.
SELECT skillrating.restore_match('rows', 1), skillrating.void_match('rows', 1) \gset
SELECT * FROM skillrating.catch_up('rows');
-- A late match takes room for its players at once, which is no rating yet.
UPDATE rows.ladder SET late = 'reorder';
INSERT INTO rows.match (match_id, played_at) VALUES (5, '2025-01-01');
INSERT INTO rows.match_player (match_id, player_id, team, rank) VALUES (5, 1, 1, 1), (5, 5, 2, 2);
SELECT player_id, rating_before, games_before, games_after
FROM skillrating.catch_up('rows') WHERE player_id = '5';
SELECT bool_and(ok) FROM skillrating.verify('rows');
SELECT skillrating.drop_ladder('rows') \gset

-- A dry run shows what the run after it does, with places, and leaves no trace of its own.
\set ECHO none
CREATE FUNCTION traces(ladder text) RETURNS TABLE (relation text, content text) LANGUAGE plpgsql AS $$
BEGIN
    FOREACH relation IN ARRAY '{rating,event,rated_match,pending,correction,operation}'::text[] LOOP
        EXECUTE format('SELECT coalesce(md5(string_agg(format(''%%s %%s %%s'', t.ctid, t.xmin, t), '';'' ORDER BY t.ctid)), ''empty'') FROM %I.%I AS t', ladder, relation)
        INTO content;
        RETURN NEXT;
    END LOOP;
END
$$;
CREATE FUNCTION fill(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO %1$I.match (match_id, played_at, pool)
        SELECT i, '2024-01-01'::timestamptz + i * interval '1 hour', CASE WHEN i %% 7 = 0 THEN 'b' ELSE '' END
        FROM generate_series(1, 200) AS i;
        INSERT INTO %1$I.match_player (match_id, player_id, team, rank)
        SELECT i, (i * 7 + i / 20 + p * (1 + i %% 5)) %% 30, 1 + p, 1 + (p + i %% 2) %% 2
        FROM generate_series(1, 200) AS i, generate_series(0, 1) AS p$q$, ladder);
END
$$;
-- As place_of(), but of the row that an account has, also if it is merged.
CREATE FUNCTION place_on_board(ladder text, player text, pool text) RETURNS bigint LANGUAGE sql
RETURN (SELECT b.place FROM skillrating.leaderboard(ladder, 1000000, pool) AS b WHERE b.player_id = player);
CREATE FUNCTION compare(ladder text, search boolean DEFAULT false, rebuild boolean DEFAULT false)
RETURNS TABLE (changed boolean, leaves_traces boolean, differs boolean, places_before boolean, places_after boolean)
LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE trace AS SELECT * FROM traces(ladder);
    CREATE TEMP TABLE dry AS SELECT * FROM skillrating.catch_up(ladder, search, rebuild, true);
    leaves_traces := EXISTS (SELECT * FROM traces(ladder) EXCEPT TABLE trace);
    places_before := (SELECT bool_and(d.place_before IS NOT DISTINCT FROM place_on_board(ladder, d.player_id, d.pool)) FROM dry AS d);
    CREATE TEMP TABLE wet AS SELECT * FROM skillrating.catch_up(ladder, search, rebuild);
    changed := EXISTS (SELECT FROM dry);
    UPDATE wet AS w SET place_before = d.place_before,
        place_after = place_on_board(ladder, w.player_id, w.pool)
    FROM dry AS d WHERE d.player_id = w.player_id AND d.pool = w.pool;
    differs := EXISTS ((TABLE dry EXCEPT ALL TABLE wet) UNION ALL (TABLE wet EXCEPT ALL TABLE dry));
    places_after := (SELECT bool_and(w.place_after IS NOT DISTINCT FROM place_on_board(ladder, w.player_id, w.pool)) FROM wet AS w);
    DROP TABLE trace, dry, wet;
    RETURN NEXT;
END
$$;
\set ECHO all
SELECT skillrating.create_ladder('append', 'glicko2', apply_at => 'manual'),
    skillrating.create_ladder('reorder', 'trueskill2', '{"initial_base_sigma": 3}', apply_at => 'manual', late => 'reorder') \gset
SELECT l, fill(l) FROM unnest('{append,reorder}'::text[]) AS l;
-- Matches that wait.
SELECT l, c.* FROM unnest('{append,reorder}'::text[]) AS l, compare(l) AS c;
-- Corrections; in one of them, of another order.
SELECT l, skillrating.void_match(l, 20), skillrating.exclude_player(l, 3) > 0, skillrating.merge_players(l, 4, 5) > 0
FROM unnest('{append,reorder}'::text[]) AS l;
UPDATE append.match_player SET rank = 3 - rank WHERE match_id IN (30, 31);
UPDATE reorder.match SET played_at = '2024-01-01' WHERE match_id = 90;
DELETE FROM append.match WHERE match_id = 40;
SELECT l, c.* FROM unnest('{append,reorder}'::text[]) AS l, compare(l, search => true) AS c;
SELECT l, c.* FROM unnest('{append,reorder}'::text[]) AS l, compare(l, rebuild => true) AS c;
SELECT l, bool_and(ok) FROM unnest('{append,reorder}'::text[]) AS l, skillrating.verify(l) GROUP BY l ORDER BY l;

-- Corrections that are tried and taken back, in a transaction.
CREATE TEMP TABLE trace AS SELECT * FROM traces('append');
BEGIN;
SELECT skillrating.exclude_player('append', 7) > 0 AS excluded;
SELECT count(*) > 1 AS several, bool_or(player_id = '7' AND rating_after IS NULL AND place_after IS NULL) AS gone
FROM skillrating.catch_up('append', dry_run => true);
ROLLBACK;
SELECT relation FROM (SELECT * FROM traces('append') EXCEPT TABLE trace) AS d;
DROP TABLE trace;

-- Matches of the same transaction are rated when it ends, as if nothing had happened.
UPDATE append.ladder SET apply_at = 'commit';
BEGIN;
INSERT INTO append.match (match_id, played_at) VALUES (201, '2024-02-01');
INSERT INTO append.match_player (match_id, player_id, team, rank) VALUES (201, 101, 1, 1), (201, 102, 2, 2);
SELECT player_id, games_before, games_after FROM skillrating.catch_up('append', dry_run => true) ORDER BY player_id;
SELECT count(*) FROM append.pending;
COMMIT;
SELECT player_id, games FROM append.rating WHERE player_id > 100 ORDER BY player_id;

-- Triggers of the user fire, and are rolled back as well; matches that they insert are not rated.
\set ECHO none
CREATE TABLE heard (player_id bigint);
CREATE FUNCTION hear() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE 'heard';
    INSERT INTO public.heard VALUES (OLD.player_id);
    INSERT INTO append.match (match_id, played_at) VALUES (300 + OLD.player_id, '2024-02-03');
    INSERT INTO append.match_player (match_id, player_id, team, rank)
    VALUES (300 + OLD.player_id, OLD.player_id, 1, 1), (300 + OLD.player_id, 200, 2, 2);
    RETURN NULL;
END
$$;
CREATE TRIGGER hear AFTER DELETE ON append.rating FOR EACH ROW WHEN (OLD.player_id = 101)
EXECUTE FUNCTION hear();
\set ECHO all
SELECT skillrating.void_match('append', 201) \gset
SELECT player_id, games_before, games_after FROM skillrating.catch_up('append', dry_run => true) ORDER BY player_id;
SELECT count(*) FROM heard;
SELECT count(*) FROM append.match WHERE match_id > 300;
DROP TRIGGER hear ON append.rating;
-- The error of one leaves everything as it was, too, whoever catches it.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE check_violation USING MESSAGE = 'refused'; END $$;
CREATE TRIGGER refuse BEFORE DELETE ON append.rating FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TEMP TABLE trace AS SELECT * FROM traces('append');
DO $$
BEGIN
    PERFORM skillrating.catch_up('append', dry_run => true);
EXCEPTION WHEN check_violation THEN
    RAISE NOTICE 'caught %', SQLERRM;
END
$$;
SELECT relation FROM (SELECT * FROM traces('append') EXCEPT TABLE trace) AS d;
DROP TRIGGER refuse ON append.rating;
SELECT player_id, rating_after, games_after FROM skillrating.catch_up('append') ORDER BY player_id;
SELECT bool_and(ok) FROM skillrating.verify('append');

-- Within the work on another ladder, matches that wait in memory are rated after a dry run.
SELECT skillrating.create_ladder('outer', 'elo'), skillrating.create_ladder('inner', 'elo') \gset
\set ECHO none
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "inner".match (match_id, played_at) VALUES (NEW.player_id, '2024-01-01');
    INSERT INTO "inner".match_player (match_id, player_id, team, rank)
    VALUES (NEW.player_id, NEW.player_id, 1, 1), (NEW.player_id, 9, 2, 2);
    RAISE NOTICE 'would rate %', (SELECT string_agg(player_id, ', ' ORDER BY player_id) FROM skillrating.catch_up('inner', dry_run => true));
    RETURN NULL;
END
$$;
CREATE TRIGGER look AFTER INSERT ON "outer".event FOR EACH ROW WHEN (NEW.player_id = 1) EXECUTE FUNCTION look();
INSERT INTO "outer".match (match_id, played_at) VALUES (1, '2024-01-01');
\set ECHO all
INSERT INTO "outer".match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2);
SELECT player_id, games FROM "inner".rating ORDER BY player_id;

-- What triggers touch in a dry run is taken back with it, also matches of other ladders.
DROP TRIGGER look ON "outer".event;
SELECT skillrating.create_ladder('other', 'elo') \gset
\set ECHO none
INSERT INTO "inner".match (match_id, finished) VALUES (100, false);
INSERT INTO "inner".match_player (match_id, player_id, team, rank) VALUES (100, 3, 1, 1), (100, 4, 2, 2);
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "inner".match SET log_odds = 1 WHERE match_id = 100;
    UPDATE other.match SET log_odds = 1 WHERE match_id = 5;
    RETURN NULL;
END
$$;
CREATE TRIGGER touch AFTER DELETE ON "inner".rating FOR EACH ROW EXECUTE FUNCTION touch();
SET session_replication_role = replica;
UPDATE "inner".match SET finished = true WHERE match_id = 100;
RESET session_replication_role;
SELECT skillrating.void_match('inner', 1) \gset
BEGIN;
INSERT INTO other.match (match_id) VALUES (5);
INSERT INTO other.match_player (match_id, player_id, team, rank) VALUES (5, 3, 1, 1), (5, 4, 2, 2);
\set ECHO all
SELECT count(*) FROM skillrating.catch_up('inner', dry_run => true);
SELECT count(*) AS rated FROM other.rated_match;
COMMIT;
SELECT count(*) AS rated FROM other.rated_match;
SELECT count(*) AS rated FROM "inner".rated_match WHERE match_id = 100;
SELECT count(*) FROM skillrating.catch_up('inner');
SELECT match_id, status FROM "inner".rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('inner');

SELECT count(skillrating.drop_ladder(l)) FROM unnest('{append,reorder,outer,inner,other}'::text[]) AS l;
DROP TABLE heard;
DROP FUNCTION traces, fill, compare, hear, refuse, look, touch;
