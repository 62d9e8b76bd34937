-- Seasons go on showing the same when the history that they began in is deleted, comes back or
-- is deleted further: a ladder with a horizon is compared with one that has all its events.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE SCHEMA regress_season_horizon;
SET search_path = regress_season_horizon;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO %I.match (match_id, played_at, pool)
        SELECT i, timestamptz ''2024-01-01'' + i * interval ''1 hour'', CASE WHEN i %% 5 = 0 THEN ''other'' ELSE '''' END
        FROM generate_series($1, $2) AS i', ladder) USING first, last;
    EXECUTE format(
        'INSERT INTO %I.match_player (match_id, player_id, team, rank)
        SELECT i, 1 + (i * 7 + t * (1 + i %% 3)) %% (5 + i / 20), t,
            CASE WHEN i %% 11 = 0 THEN 1 WHEN i %% 2 = 0 THEN t ELSE 3 - t END
        FROM generate_series($1, $2) AS i, generate_series(1, 2) AS t', ladder) USING first, last;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;

-- All that seasons show, with conditions on games, pages and places.
CREATE FUNCTION names(ladder text, pool text) RETURNS TABLE (season text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT o.name FROM (
        SELECT o.params->>''name'' AS name, o.seq FROM %I.operation AS o
        WHERE o.kind = ''season'' AND o.undone_at IS NULL AND (o.pool IS NULL OR o.pool = $1)
        UNION ALL SELECT '''', 0) AS o ORDER BY o.seq', ladder) USING pool;
END
$$;
CREATE FUNCTION shown(ladder text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    rows text[] := '{}';
    s record;
BEGIN
    FOR s IN SELECT p.pool, x.* FROM unnest('{"",other}'::text[]) AS p(pool)
        CROSS JOIN LATERAL names(ladder, p.pool) AS x
    LOOP
        rows := rows || s.season
            || ARRAY(SELECT g.n || t::text FROM unnest('{0,1,3}'::int[]) AS g(n)
                CROSS JOIN LATERAL skillrating.season_table(ladder, s.season, 1000, s.pool, g.n) AS t ORDER BY g.n, t.place, t.player_id)
            || ARRAY(SELECT t::text FROM skillrating.season_table(ladder, s.season, 3, s.pool, 2, after_player => (
                    SELECT x.player_id::bigint FROM skillrating.season_table(ladder, s.season, 2, s.pool, 2) AS x
                    ORDER BY x.place DESC, x.player_id DESC LIMIT 1)) AS t)
            || ARRAY(SELECT (SELECT t.place FROM skillrating.season_table(ladder, player => p.id, season => s.season, pool => s.pool, min_games => g.n) AS t)::text
                FROM generate_series(1, 40, 13) AS p(id), unnest('{1,3}'::int[]) AS g(n));
    END LOOP;
    RETURN rows;
END
$$;
CREATE FUNCTION compare() RETURNS TABLE (same boolean, rows int, sound boolean) LANGUAGE sql AS $$
    SELECT a = b, cardinality(a), (SELECT bool_and(v.ok) FROM skillrating.verify('cut') AS v)
    FROM shown('whole') AS a, shown('cut') AS b
$$;
CREATE FUNCTION in_both(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    ladder text;
    result text;
BEGIN
    FOREACH ladder IN ARRAY '{whole,cut}'::text[] LOOP
        EXECUTE replace(statement, '$', ladder) INTO result;
        RETURN NEXT result;
    END LOOP;
END
$$;
\set ECHO all

SELECT in_both($$SELECT skillrating.create_ladder('$', 'elo')$$);
SELECT in_both($$SELECT play('$', 1, 200)$$);
CREATE TABLE gone AS TABLE cut.event WITH NO DATA;

-- In the time before the first season, which then ends.
SELECT horizon FROM skillrating.set_horizon('cut', '2024-01-07') \gset
WITH e AS (DELETE FROM cut.event WHERE seq <= :horizon RETURNING *) INSERT INTO gone SELECT * FROM e;
SELECT * FROM compare();
SELECT in_both($$SELECT players FROM skillrating.new_season('$', 'two', 0.8, at => '2024-01-10')$$);
SELECT * FROM compare();

-- In a season, with one of a single pool behind it; and again in the same season.
SELECT in_both($$SELECT play('$', 240, 400)$$);
SELECT in_both($$SELECT players FROM skillrating.new_season('$', 'three', 0.5, pool => 'other', at => '2024-01-18')$$);
SELECT in_both($$SELECT play('$', 420, 430)$$);
SELECT horizon FROM skillrating.set_horizon('cut', '2024-01-13') \gset
WITH e AS (DELETE FROM cut.event WHERE seq <= :horizon RETURNING *) INSERT INTO gone SELECT * FROM e;
SELECT * FROM compare();
SELECT horizon FROM skillrating.set_horizon('cut', '2024-01-15') \gset
WITH e AS (DELETE FROM cut.event WHERE seq <= :horizon RETURNING *) INSERT INTO gone SELECT * FROM e;
SELECT * FROM compare();
SELECT in_both($$SELECT play('$', 440, 500)$$);
SELECT horizon FROM skillrating.set_horizon('cut', '2024-01-19 12:00') \gset
WITH e AS (DELETE FROM cut.event WHERE seq <= :horizon RETURNING *) INSERT INTO gone SELECT * FROM e;
SELECT * FROM compare();

-- Corrections behind the horizon, a further season, and what comes back.
SELECT in_both($$SELECT players FROM skillrating.new_season('$', 'four', 0.5, at => '2024-01-25')$$);
SELECT in_both($$SELECT play('$', 600, 620)$$);
SELECT in_both($$WITH m AS (UPDATE $.match_player SET rank = 3 - rank WHERE match_id = 490 RETURNING 1) SELECT count(*) FROM m$$);
SELECT in_both($$SELECT count(*) > 0 FROM skillrating.catch_up('$')$$);
SELECT * FROM compare();
INSERT INTO cut.event TABLE gone;
SELECT * FROM compare();
SELECT count(*) FROM skillrating.catch_up('cut', rebuild => true);
SELECT * FROM compare();
SELECT in_both($$SELECT skillrating.undo_operation('$', o.operation) IS NOT NULL FROM $.operation AS o WHERE o.params->>'name' = 'four'$$);
SELECT in_both($$SELECT count(*) > 0 FROM skillrating.catch_up('$')$$);
SELECT * FROM compare();
SELECT in_both($$SELECT (skillrating.forget_players('$', ARRAY[8], '{10008}')).found$$);
SELECT * FROM compare();

-- What is reported anew before the horizon is not written.
SET client_min_messages = notice;
SELECT DISTINCT outcome, reason, detail FROM skillrating.report_match('cut', 101, '{1,2}', '{1,2}', '{2,1}');
SELECT count(*) FILTER (WHERE c IS DISTINCT FROM w) AS changed
FROM cut.match_player AS c FULL JOIN whole.match_player AS w USING (match_id, player_id, team, rank) WHERE match_id = 101;
SET client_min_messages = warning;

SELECT skillrating.season_table('cut', min_games => -1, pool => '');
SELECT (SELECT t.place FROM skillrating.season_table('cut', player => 1, min_games => -1, pool => '') AS t);

-- A season does not begin before the last one of its pools; a pool without that one may have it.

SELECT skillrating.new_season('whole', 'early', at => '2024-01-12');
SELECT players FROM skillrating.new_season('whole', 'early', pool => '', at => '2024-01-12');

SELECT count(skillrating.drop_ladder(l)) FROM unnest('{whole,cut}'::text[]) AS l;
DROP SCHEMA regress_season_horizon CASCADE;
