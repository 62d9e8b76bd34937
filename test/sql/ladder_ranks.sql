-- Places, percentiles, neighbours and pages, against plain SQL over table rating, in random lives of
-- ladders with matches, corrections, operations, merged, excluded and forgotten players, ties and
-- pools, with ranks that are indexed and counted; and the counts of players by rating.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SET timezone = 'UTC';
SET client_min_messages = warning;
SET check_function_bodies = off;

-- A random step in the life of ladder life at hour n.
CREATE FUNCTION ranks_step(n int, first_column text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    what float8 := random();
    some_match bigint := (SELECT match_id FROM life.match ORDER BY random() LIMIT 1);
    hour timestamptz := '2024-01-01'::timestamptz + n * interval '50 hours';
    someone int := 1 + floor(random() * 40)::int;
BEGIN
    IF what < 0.60 OR some_match IS NULL THEN
        INSERT INTO life.match (match_id, played_at, pool)
        SELECT 10 * n + i, hour - i * interval '100 hours', CASE WHEN random() < 0.3 THEN 'b' ELSE '' END
        FROM generate_series(0, floor(random() * 6)::int) AS i;
        INSERT INTO life.match_player (match_id, player_id, team, rank)
        SELECT m.match_id, (someone + m.match_id * 7 + p * (1 + m.match_id % 3)) % 40, p, CASE WHEN m.match_id % 5 = 0 THEN 1 ELSE p END
        FROM life.match AS m, generate_series(1, 2) AS p WHERE m.match_id / 10 = n;
    ELSIF what < 0.66 THEN
        UPDATE life.match_player SET rank = 3 - rank WHERE match_id = some_match;
    ELSIF what < 0.70 THEN
        DELETE FROM life.match WHERE match_id = some_match;
    ELSIF what < 0.73 THEN
        PERFORM skillrating.exclude_player('life', someone, hour - interval '900 hours', hour, allow_unknown => true);
    ELSIF what < 0.76 THEN
        BEGIN
            PERFORM skillrating.merge_players('life', someone, 1 + floor(random() * 40)::int, allow_unknown => true);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.79 THEN
        PERFORM skillrating.undo_operation('life', operation)
        FROM (SELECT operation FROM life.operation WHERE undone_at IS NULL ORDER BY random() LIMIT 1) AS o;
    ELSIF what < 0.81 THEN
        PERFORM skillrating.new_season('life', n::text, 0.75, pool => CASE WHEN random() < 0.5 THEN 'b' END, at => hour);
    ELSIF what < 0.83 THEN
        PERFORM skillrating.decay('life', grace => '100 hours', rate => 12, floor => -1e6, at => hour);
    ELSIF what < 0.88 THEN
        -- Few values, which many share.
        BEGIN
            PERFORM skillrating.set_rating('life', p, jsonb_build_object(first_column, p % 2 * 10), '', hour)
            FROM generate_series(someone, someone + 4) AS p;
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.90 THEN
        BEGIN
            PERFORM skillrating.reset_rating('life', someone, at => hour);
        EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN
        END;
    ELSIF what < 0.92 THEN
        PERFORM skillrating.settle('life', hour) WHERE hour >= coalesce((SELECT max(at) FROM life.operation WHERE kind = 'settle' AND undone_at IS NULL), '-infinity');
    ELSIF what < 0.94 THEN
        PERFORM skillrating.forget_players('life', ARRAY[someone::bigint], ARRAY[(1000 + n)::text]);
    ELSE
        PERFORM FROM skillrating.catch_up('life', rebuild => random() < 0.2);
    END IF;
END
$$;

-- A board by the textbook.
CREATE FUNCTION textbook(of_pool text, fewest bigint, since timestamptz)
RETURNS TABLE (n bigint, place bigint, player_id bigint, rating float8, percentile float8) LANGUAGE sql AS $$
    SELECT row_number() OVER (ORDER BY r.rating DESC, r.player_id), rank() OVER (ORDER BY r.rating DESC), r.player_id, r.rating,
        100 * ((SELECT count(*) FROM life.rating AS l WHERE l.pool = of_pool AND l.games >= fewest AND (since IS NULL OR l.last_played >= since) AND l.rating < r.rating)
            + (count(*) OVER (PARTITION BY r.rating) - 1) / 2.0) / nullif(count(*) OVER () - 1, 0)
    FROM life.rating AS r WHERE r.pool = of_pool AND r.games >= fewest AND (since IS NULL OR r.last_played >= since)
$$;
\set ECHO all

-- Players who are asked about; a merged account is the other one, while it still has a row.
CREATE FUNCTION asked(of_pool text) RETURNS TABLE (player_id bigint, rating float8) LANGUAGE sql AS $$
    SELECT r.player_id, r.rating FROM life.rating AS r WHERE r.pool = of_pool AND NOT EXISTS (
        SELECT FROM life.operation AS o WHERE o.kind = 'merge' AND o.undone_at IS NULL AND o.player_id = r.player_id)
$$;

-- What is not as by the textbook.
\set ECHO none
CREATE FUNCTION wrong_boards() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    b record;
BEGIN
    FOR b IN SELECT p.pool, g.fewest, s.since FROM (VALUES (''), ('b')) AS p(pool), (VALUES (1::bigint), (4)) AS g(fewest),
        (VALUES (NULL), ((SELECT max(last_played) - interval '300 hours' FROM life.rating)), ('2024-03-01'), ('2100-01-01')) AS s(since)
    LOOP
        CREATE TEMP TABLE t AS SELECT * FROM textbook(b.pool, b.fewest, b.since);
        RETURN QUERY SELECT format('place of %s in %s', r.player_id, b) FROM asked(b.pool) AS r LEFT JOIN t USING (player_id)
        WHERE t.place IS DISTINCT FROM (skillrating.place_of('life', r.player_id, b.pool, b.fewest, b.since)).place
            OR t.percentile IS DISTINCT FROM (skillrating.place_of('life', r.player_id, b.pool, b.fewest, b.since)).percentile;
        RETURN QUERY SELECT format('around %s in %s', r.player_id, b) FROM asked(b.pool) AS r LEFT JOIN t USING (player_id)
        WHERE ARRAY(SELECT (t2.place, t2.player_id::text, t2.rating)::text FROM t AS t2 WHERE t2.n BETWEEN t.n - 3 AND t.n + 3 ORDER BY t2.n)
            IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id, a.rating)::text FROM skillrating.around('life', r.player_id, 3, b.pool, b.fewest, b.since) AS a);
        RETURN QUERY SELECT format('after %s in %s', r.player_id, b) FROM asked(b.pool) AS r
        WHERE ARRAY(SELECT (t2.place, t2.player_id::text, t2.rating, t2.percentile)::text FROM t AS t2
                WHERE t2.rating < r.rating OR t2.rating = r.rating AND t2.player_id > r.player_id ORDER BY t2.n LIMIT 4)
            IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id, a.rating, a.percentile)::text
                FROM skillrating.leaderboard('life', 4, b.pool, b.fewest, r.player_id, b.since, statistics => '{percentile}') AS a);
        RETURN QUERY SELECT format('top of %s', b)
        WHERE ARRAY(SELECT (t2.place, t2.player_id::text, t2.rating)::text FROM t AS t2 ORDER BY t2.n LIMIT 7)
            IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id, a.rating)::text FROM skillrating.leaderboard('life', 7, b.pool, b.fewest, NULL::bigint, b.since) AS a);
        DROP TABLE t;
    END LOOP;
END
$$;

-- Work on the ladder folds now and then; here often, and between its own rows.
CREATE TABLE fold ();
CREATE FUNCTION fold_now() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF random() < 0.4 THEN
        INSERT INTO public.fold SELECT WHERE skillrating_internal.fold_rating_counts('life') > 0;
    END IF;
    RETURN NULL;
END
$$;
\set ECHO all

-- Changes where ranks come from; the tables of counts are new ones then.
\set ECHO none
CREATE PROCEDURE choose_ranks(choice text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.set_ranks('life', choice);
    IF choice = 'counted' THEN
        CREATE OR REPLACE TRIGGER fold_now AFTER INSERT ON life.rating_count_delta FOR EACH STATEMENT EXECUTE FUNCTION fold_now();
    END IF;
END
$$;

CREATE FUNCTION ranks_of(model text, late text, choice text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    first_column text := (SELECT state_columns[1] FROM skillrating.models() WHERE name = model);
BEGIN
    PERFORM skillrating.create_ladder('life', model, late => late, ranks => choice);
    IF late = 'reorder' THEN
        -- The server may find active players by an index of the user's.
        CREATE INDEX ON life.rating (pool, last_played);
        SET LOCAL enable_seqscan = off;
    END IF;
    CALL choose_ranks(choice);
    FOR n IN 1..80 LOOP
        PERFORM ranks_step(n, first_column);
        IF n % 40 = 0 THEN
            RETURN QUERY SELECT w FROM wrong_boards() AS w;
            RETURN QUERY SELECT format('%s: %s', v.check_name, v.detail) FROM skillrating.verify('life') AS v
            WHERE NOT v.ok AND v.detail LIKE '%counts of players%';
        END IF;
        -- The choice changes, and comes back.
        IF n % 25 = 0 THEN
            CALL choose_ranks((ARRAY['indexed', 'counted', choice])[n / 25]);
        END IF;
    END LOOP;
    IF choice = 'counted' THEN
        RETURN QUERY SELECT 'nothing was folded' WHERE NOT EXISTS (SELECT FROM fold);
        DELETE FROM fold;
        DROP TRIGGER fold_now ON life.rating_count_delta;
    END IF;
    PERFORM FROM skillrating.catch_up('life');
    RETURN QUERY SELECT format('%s: %s', v.check_name, v.detail) FROM skillrating.verify('life') AS v WHERE NOT v.ok;
    PERFORM skillrating.drop_ladder('life');
END
$$;
\set ECHO all
SELECT setseed(0.41);
SELECT ranks_of('elo', 'append', 'counted');
SELECT ranks_of('trueskill', 'reorder', 'counted');
SELECT ranks_of('trueskill2', 'reorder', 'indexed');
SELECT ranks_of('glicko', 'append', 'indexed');
DROP TABLE fold;
DROP FUNCTION fold_now, ranks_of, wrong_boards, asked, textbook, ranks_step;
DROP PROCEDURE choose_ranks;

-- Tables of seasons with more matches than are looked at one by one.
SELECT skillrating.create_ladder('long', 'trueskill') \gset
INSERT INTO long.match (match_id, played_at) SELECT m, '2024-01-01'::timestamptz + m * interval '1 hour' FROM generate_series(1, 900) AS m;
BEGIN;
INSERT INTO long.match_player (match_id, player_id, team, rank)
SELECT m, (m * 7 + p * 13 * (1 + m % 5)) % 60, p, 1 + (m * p) % 2 FROM generate_series(1, 400) AS m, generate_series(1, 2) AS p;
COMMIT;
SELECT players FROM skillrating.new_season('long', 'second', at => '2024-01-01'::timestamptz + 400 * interval '1 hour');
BEGIN;
INSERT INTO long.match_player (match_id, player_id, team, rank)
SELECT m, (m * 7 + p * 13 * (1 + m % 5)) % 45, p, 1 + (m * p) % 2 FROM generate_series(401, 900) AS m, generate_series(1, 2) AS p;
COMMIT;
\set ECHO none
CREATE VIEW season_players AS
SELECT s.season, r.player_id, count(e.score) AS games, max(e.played_at) AS last_played,
    CASE s.season WHEN 'second' THEN r.rating
        ELSE (SELECT f.mu_before - 3 * f.sigma_before FROM long.event AS f WHERE f.player_id = r.player_id AND f.kind = 'season') END AS rating
FROM long.rating AS r CROSS JOIN (VALUES (''), ('second')) AS s(season)
LEFT JOIN long.event AS e ON e.player_id = r.player_id AND e.kind = 'match'
    AND (e.match_id > 400) = (s.season = 'second')
GROUP BY s.season, r.player_id, r.rating;
\set ECHO all
SELECT s.season, f.fewest, n.n
FROM (VALUES (''), ('second')) AS s(season), (VALUES (0::bigint), (1), (19)) AS f(fewest), (VALUES (0), (7), (100)) AS n(n)
WHERE ARRAY(SELECT (t.place, t.player_id, t.rating, t.games, t.last_played)::text FROM skillrating.season_table('long', s.season, n.n, min_games => f.fewest) AS t)
    IS DISTINCT FROM ARRAY(
        SELECT (rank() OVER (ORDER BY p.rating DESC), p.player_id::text, p.rating, p.games, p.last_played)::text FROM season_players AS p
        WHERE p.season = s.season AND p.games >= f.fewest AND (s.season = 'second' OR p.rating IS NOT NULL) ORDER BY p.rating DESC, p.player_id LIMIT n.n);
SELECT count(*) FROM season_players WHERE games >= 19;
DROP VIEW season_players;
SELECT skillrating.drop_ladder('long') \gset

-- Changes by hand: verify() tells, and set_ranks() or a rebuild mends.
SELECT skillrating.create_ladder('hand', 'elo', ranks => 'counted', on_error => 'raise') \gset
SELECT count(*) FROM skillrating.report_match('hand', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
UPDATE hand.rating_count_delta SET nets = '{1,2}';
SELECT check_name, ok, detail FROM skillrating.verify('hand') WHERE check_name = 'ratings';
SELECT skillrating.set_ranks('hand', 'counted') \gset
SELECT bool_and(ok) FROM skillrating.verify('hand');
UPDATE hand.rating SET rating = 3 WHERE player_id = 1;
SELECT check_name, ok, detail FROM skillrating.verify('hand') WHERE check_name = 'ratings';
SELECT count(*) FROM skillrating.catch_up('hand', rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('hand');
INSERT INTO hand.rating_count_delta (pool, ranges, nets) VALUES ('', '{1}', '{1,2}');
SELECT (skillrating.place_of('hand', 1)).place;
DELETE FROM hand.rating_count_delta WHERE cardinality(ranges) = 1;
INSERT INTO hand.rating_count_delta (pool, ranges, nets) VALUES ('', '{1,NULL}', '{1,2}');
SELECT (skillrating.place_of('hand', 1)).place;
DELETE FROM hand.rating_count_delta WHERE nets = '{1,2}';
SELECT skillrating.set_ranks('hand', 'counted') \gset
UPDATE hand.rating_count SET ranges = NULL WHERE level = 0;
SELECT (skillrating.place_of('hand', 1)).place;
SELECT skillrating.set_ranks('hand', 'counted') \gset
SELECT bool_and(ok) FROM skillrating.verify('hand');

-- Choices: without counts there are no tables of them.
SELECT skillrating.set_ranks('hand', 'most');
SELECT skillrating.set_ranks('hand', NULL);
SELECT skillrating.create_ladder('other', 'elo', ranks => 'quick');
SELECT skillrating.create_ladder('other', 'elo', ranks => NULL);
CREATE VIEW count_tables AS SELECT relname FROM pg_class WHERE relnamespace = 'hand'::regnamespace AND relname LIKE 'rating_count%' AND relkind = 'r' ORDER BY 1;
SELECT * FROM count_tables;
SELECT skillrating.set_ranks('hand', 'indexed') \gset
SELECT skillrating.set_ranks('hand', 'indexed') \gset
SELECT * FROM count_tables;
SELECT (skillrating.place_of('hand', 1)).place, (skillrating.place_of('hand', 1)).percentile, count(*) FROM skillrating.leaderboard('hand', active_since => '2000-01-01');
SELECT count(*) FROM skillrating.report_match('hand', 2, ARRAY[2, 3], ARRAY[1, 2], ARRAY[1, 2]);
SELECT bool_and(ok) FROM skillrating.verify('hand');
SELECT skillrating.set_ranks('hand', 'counted') \gset
SELECT sum(total) FROM hand.rating_count WHERE level = 1;
SELECT count(*) FROM skillrating.report_match('hand', 3, ARRAY[1, 4], ARRAY[1, 2], ARRAY[1, 2]);
SELECT bool_and(ok) FROM skillrating.verify('hand');
DROP VIEW count_tables;
-- A choice that is rolled back was none.
BEGIN;
SELECT skillrating.set_ranks('hand', 'indexed') \gset
SELECT count(*) FROM skillrating.report_match('hand', 4, ARRAY[1, 5], ARRAY[1, 2], ARRAY[1, 2]);
ROLLBACK;
SELECT count(*) FROM skillrating.report_match('hand', 4, ARRAY[1, 6], ARRAY[1, 2], ARRAY[1, 2]);
SELECT bool_and(ok) FROM skillrating.verify('hand');
-- A ladder that shows no boards does without the index on the rating; its boards stay the same.
CREATE TABLE shown AS SELECT * FROM skillrating.leaderboard('hand');
DROP INDEX hand.rating_pool_rating_player_id_idx;
SELECT count(*) FROM (TABLE shown EXCEPT ALL SELECT * FROM skillrating.leaderboard('hand')) AS d;
SELECT bool_and(ok) FROM skillrating.verify('hand');
DROP TABLE shown;
CREATE INDEX ON hand.rating (pool, rating DESC, player_id);

-- A shadow has the choice of its ladder, and then its own.
SELECT skillrating.shadow_ladder('hand', 'young', params => '{"k": 10}');
SELECT bool_and(ok) FROM skillrating.verify('young');
SELECT to_regclass('young.rating_count') IS NOT NULL AS counted;
SELECT skillrating.set_ranks('young', 'indexed') \gset
SELECT skillrating.promote_ladder('young', 'former');
ALTER SCHEMA former RENAME TO young;
SELECT to_regclass('hand.rating_count') IS NOT NULL AS counted, to_regclass('young.rating_count') IS NOT NULL AS young, (skillrating.place_of('hand', 2)).place, (skillrating.place_of('young', 2)).place;
SELECT count(*) FROM skillrating.report_match('hand', 5, ARRAY[2, 3], ARRAY[1, 2], ARRAY[1, 2]);
SELECT bool_and(ok) FROM skillrating.verify('hand');
SELECT count(*) FROM skillrating.catch_up('young', search => true);
SELECT bool_and(ok) FROM skillrating.verify('young');
SELECT skillrating.promote_ladder('young', 'former');
ALTER SCHEMA former RENAME TO young;
SELECT to_regclass('hand.rating_count') IS NOT NULL AS counted, to_regclass('young.rating_count') IS NOT NULL AS young;
SELECT bool_and(ok) FROM skillrating.verify('hand');
SELECT skillrating.drop_ladder('young'), skillrating.drop_ladder('hand') \gset

-- Readers of a ladder need no right on the counts.
CREATE ROLE regress_ranks_reader;
SELECT skillrating.create_ladder('hand', 'elo', ranks => 'counted') \gset
SELECT count(*) FROM skillrating.report_match('hand', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.grant_ladder('hand', 'regress_ranks_reader', 'reader') \gset
SET ROLE regress_ranks_reader;
SELECT (skillrating.place_of('hand', 2)).place, (skillrating.place_of('hand', 1)).percentile;
SELECT skillrating.set_ranks('hand', 'counted');
RESET ROLE;
SELECT skillrating.revoke_ladder('hand', 'regress_ranks_reader', 'reader'), skillrating.drop_ladder('hand') \gset
DROP ROLE regress_ranks_reader;
