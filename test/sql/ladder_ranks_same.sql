-- Every function that reads a ladder returns the same rows where ranks are counted and where they are
-- indexed: of two ladders with the same matches and operations, one of each.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET client_min_messages = warning;

-- The same life for a ladder: pools, ties, late and corrected matches, operations, and players merged,
-- excluded, fixed and forgotten.
CREATE PROCEDURE live(ladder text, model text, ranks text) LANGUAGE plpgsql AS $$
DECLARE
    first_column text := (SELECT state_columns[1] FROM skillrating.models() WHERE name = model);
    start timestamptz := '2024-01-01';
BEGIN
    PERFORM skillrating.create_ladder(ladder, model, late => 'reorder', ranks => ranks);
    FOR n IN 1..12 LOOP
        EXECUTE format(
            'INSERT INTO %1$I.match (match_id, played_at, pool)
            SELECT 100 * $1 + i, $2 + interval ''1 hour'' * (200 * $1 - 7 * i), CASE WHEN mod(i, 4) = 0 THEN ''b'' ELSE '''' END
            FROM generate_series(1, 20) AS i', ladder)
        USING n, start;
        EXECUTE format(
            'INSERT INTO %1$I.match_player (match_id, player_id, team, rank)
            SELECT m.match_id, mod(m.match_id * 13 + p * (1 + mod(m.match_id, 5)), 60), p, CASE WHEN mod(m.match_id, 6) = 0 THEN 1 ELSE p END
            FROM %1$I.match AS m, generate_series(1, 2) AS p WHERE m.match_id / 100 = $1', ladder)
        USING n;
        EXECUTE format('UPDATE %I.match_player SET rank = 3 - rank WHERE match_id = $1', ladder) USING 100 * n + 10;
        PERFORM FROM skillrating.catch_up(ladder);
        IF n = 4 THEN
            PERFORM skillrating.merge_players(ladder, 7, 8), skillrating.exclude_player(ladder, 9, start, start + interval '500 hours');
        ELSIF n = 6 THEN
            PERFORM skillrating.new_season(ladder, 'second', 0.8, at => start + interval '1200 hours');
        ELSIF n = 8 THEN
            PERFORM skillrating.set_rating(ladder, p, jsonb_build_object(first_column, 25), '', start + interval '1600 hours')
            FROM generate_series(20, 40) AS p;
            PERFORM skillrating.reset_rating(ladder, 41, at => start + interval '1600 hours');
        ELSIF n = 9 THEN
            PERFORM FROM skillrating.set_fixed(ladder, 25, at => start + interval '1800 hours');
        ELSIF n = 10 THEN
            PERFORM skillrating.forget_players(ladder, ARRAY[15::bigint], '{1015}'), skillrating.void_match(ladder, 1001);
            PERFORM skillrating.settle(ladder, start + interval '2100 hours');
        END IF;
    END LOOP;
    PERFORM FROM skillrating.catch_up(ladder);
END
$$;

-- Calls on ladder %1$L, about player %2$s.
CREATE TABLE reading (call text);
INSERT INTO reading
SELECT replace(f.call, '...', c.conditions)
FROM (VALUES
        ('leaderboard(%1$L, 7, ...)'),
        ('leaderboard(%1$L, 100, ...)'),
        ('leaderboard(%1$L, 5, after_player => %2$s, ...)'),
        ('leaderboard(%1$L, 9, ..., statistics => ''{peak,streak,last_change,percentile}'')'),
        ('around(%1$L, %2$s, 3, ...)'),
        ('around(%1$L, %2$s, 3, ..., statistics => ''{percentile}'')'),
        ('place_of(%1$L, %2$s, ...)'),
        ('find_opponents(%1$L, %2$s, 6, ...)')) AS f(call),
    (VALUES
        ('pool => '''''),
        ('pool => ''b'''),
        ('pool => ''nowhere'''),
        ('min_games => 0, pool => '''''),
        ('min_games => 7, pool => '''''),
        ('active_since => ''2024-03-20'', pool => '''''),
        ('active_since => ''2024-03-20'', min_games => 5, pool => '''''),
        ('active_since => ''2100-01-01'', pool => '''''),
        ('active_since => ''-infinity'', pool => '''''),
        ('max_deviation => 6, pool => '''''),
        ('at => ''2024-02-10'', pool => '''''),
        ('at => ''2025-02-10'', active_since => ''2024-03-20'', pool => ''''')) AS c(conditions);
INSERT INTO reading
SELECT replace(f.call, '...', c.condition)
FROM (VALUES ('leaderboard(%1$L, 7, ...)'), ('around(%1$L, %2$s, ...)'), ('place_of(%1$L, %2$s, ...)')) AS f(call),
    (VALUES ('fixed => false, pool => '''''), ('fixed => true, pool => ''''')) AS c(condition);
INSERT INTO reading VALUES
    ('season_table(%1$L, pool => '''')'), ('season_table(%1$L, '''', 30, pool => '''')'), ('season_table(%1$L, '''', 5, after_player => %2$s, pool => '''')'),
    ('season_table(%1$L, ''second'', 5, min_games => 2, pool => '''')'), ('season_table(%1$L, '''', player => %2$s, pool => '''')'),
    ('season_table(%1$L, player => %2$s, pool => '''')'), ('player_status(%1$L, at => ''2024-05-01'', pool => '''')'),
    ('player_status(%1$L, player => %2$s, at => ''2024-05-01'', pool => '''')'),
    ('history(%1$L, %2$s, pool => '''')'), ('rating_at(%1$L, %2$s, ''2024-02-20'', pool => '''')'), ('surprising_players(%1$L, min_games => 2, pool => '''')'),
    ('pool_quality(%1$L, pool => '''')'), ('eligibility(%1$L)'), ('match_outcome(%1$L, 1001)'), ('verify(%1$L)'), ('ladder_status(%1$L)'),
    ('win_probability(%1$L, ARRAY[1, %2$s + 100], ARRAY[1, 2], at => ''2024-05-01'', pool => '''')'),
    ('preview(%1$L, ARRAY[1, %2$s + 100], ARRAY[1, 2], at => ''2024-05-01'', pool => '''')'),
    ('lobby(%1$L, ARRAY[1, 2, 3, %2$s + 100], at => ''2024-05-01'', pool => '''')');
\set ECHO all

-- Stable functions of a ladder that are not among them read no ratings.
SELECT p.proname FROM pg_proc AS p
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.provolatile = 's' AND p.proargnames[1] = 'ladder'
    AND NOT EXISTS (SELECT FROM reading AS c WHERE c.call LIKE p.proname || '(%')
ORDER BY 1;

-- The rows of a call, or its error.
\set ECHO none
CREATE FUNCTION rows_of(ladder text, call text, player bigint) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    EXECUTE format('SELECT array_agg(r::text) FROM (SELECT * FROM skillrating.' || call || ') AS r', ladder, player) INTO result;
    RETURN result;
EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN
    RETURN ARRAY['error ' || SQLSTATE];
END
$$;
CREATE FUNCTION compare(model text) RETURNS TABLE (many_calls boolean, most_return_rows boolean, different bigint) LANGUAGE plpgsql AS $$
BEGIN
    CALL live('by_count', model, 'counted');
    CALL live('by_index', model, 'indexed');
    CREATE TABLE compared AS
    SELECT c.call, p.player, rows_of('by_count', c.call, p.player) AS counted, rows_of('by_index', c.call, p.player) AS indexed
    FROM reading AS c CROSS JOIN LATERAL (
        SELECT * FROM unnest('{1,7,9,25,41,59,5000}'::bigint[]) WITH ORDINALITY AS p(player, n)
        WHERE p.n = 1 OR c.call LIKE '%$s%') AS p;
    RETURN QUERY SELECT count(*) > 500, count(*) FILTER (WHERE c.counted[1] NOT LIKE 'error %') > 300,
        count(*) FILTER (WHERE c.counted IS DISTINCT FROM c.indexed) FROM compared AS c;
    PERFORM skillrating.drop_ladder('by_count'), skillrating.drop_ladder('by_index');
END
$$;
\set ECHO all
SELECT * FROM compare('trueskill');
SELECT call, player, counted, indexed FROM compared WHERE counted IS DISTINCT FROM indexed ORDER BY 1, 2 LIMIT 3;
DROP TABLE compared;
-- Elo has no deviation, and many equal ratings.
SELECT * FROM compare('elo');
SELECT call, player, counted, indexed FROM compared WHERE counted IS DISTINCT FROM indexed ORDER BY 1, 2 LIMIT 3;
DROP TABLE compared, reading;
DROP FUNCTION compare, rows_of;
DROP PROCEDURE live;
