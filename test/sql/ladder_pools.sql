-- The rating pool of a function on a ladder: the only one by default.
\pset format unaligned
\pset tuples_only on
SELECT count(skillrating.create_ladder(name, 'glicko2', late => 'reorder'))
FROM unnest(ARRAY['pools_none', 'pools_one', 'pools_two', 'pools_many']) AS name;

\set ECHO none
CREATE FUNCTION pools_play(ladder text, match_id bigint, pool text)
RETURNS bigint
LANGUAGE sql
AS $$
    SELECT count(*) FROM skillrating.report_match(ladder, match_id, ARRAY[1, 2], ARRAY[1, 2],
        ARRAY[1, 2], timestamptz '2024-01-01' + match_id * interval '1 day', pool => pool)
$$;
\set ECHO all

SELECT pools_play('pools_one', 1, 'duel') AS one, pools_play('pools_two', 1, '') AS two,
    pools_play('pools_two', 2, 'ctf') AS two_more;

SELECT sum(pools_play('pools_many', n, 'mode ' || n)) AS many FROM generate_series(1, 12) AS n;

-- All functions on ladders with an argument pool, but for those that write to pools, which may be
-- new, or for which null is all of them.
\set ECHO none
CREATE TABLE pools_call AS
SELECT p.proname AS function,
    pg_get_function_arguments(p.oid) ~ '\mpool text DEFAULT NULL::text' AS optional,
    string_agg(format('%s => %s', i.name, i.value), ', ' ORDER BY i.n) FILTER (WHERE i.value IS NOT NULL) AS arguments
FROM pg_proc AS p
JOIN skillrating_internal.ladder_entries() AS e ON e.function = p.proname
CROSS JOIN LATERAL (
    SELECT a.name, a.n, CASE a.name
        WHEN 'ladder' THEN '%1$L' WHEN 'a' THEN '%1$L' WHEN 'b' THEN '%1$L'
        WHEN 'player_id' THEN '1' WHEN 'players' THEN 'ARRAY[1, 2]' WHEN 'team' THEN 'ARRAY[1, 2]'
        WHEN 'warm' THEN 'false' WHEN 'at' THEN '''2024-06-01''' END AS value
    FROM unnest(p.proargnames[:p.pronargs]) WITH ORDINALITY AS a(name, n)) AS i
WHERE p.pronamespace = 'skillrating'::regnamespace
    AND p.proname NOT IN ('report_match', 'new_season', 'set_rating', 'reset_rating', 'set_fixed',
        'seed_from', 'import_ratings', 'mirror_rating', 'unmirror_rating', 'decay', 'create_ladder')
GROUP BY p.oid, p.proname
HAVING bool_or(i.name = 'pool');

CREATE FUNCTION pools_try(arguments text, function text, ladder text, pool text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
    result text;
    message text;
    hint text;
BEGIN
    EXECUTE format('SELECT coalesce(jsonb_agg(to_jsonb(f)), ''[]'')::text FROM skillrating.%I(%s%s) AS f', function,
        format(arguments, ladder), CASE WHEN pool IS NOT NULL THEN format(', pool => %L', pool) ELSE '' END)
    INTO result;
    RETURN result;
EXCEPTION
    WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
        RETURN format('%s: %s. %s', SQLSTATE, message, hint);
END
$$;
\set ECHO all

-- A ladder without a match has no pool to mistake another for.
SELECT function, optional,
    pools_try(arguments, function, 'pools_none') = pools_try(arguments, function, 'pools_none', '')
        AND pools_try(arguments, function, 'pools_none', 'ctf') ~ '^\[' AS none,
    pools_try(arguments, function, 'pools_one') = pools_try(arguments, function, 'pools_one', 'duel')
        AND pools_try(arguments, function, 'pools_one') ~ '^\[' AS one,
    pools_try(arguments, function, 'pools_two', '') ~ '^\['
        AND pools_try(arguments, function, 'pools_two', 'ctf') ~ '^\[' AS given
FROM pools_call ORDER BY function;

SELECT pools_try(arguments, function, 'pools_two') AS several, count(*) FROM pools_call GROUP BY 1;

SELECT pools_try(arguments, function, 'pools_many') AS many, count(*) FROM pools_call GROUP BY 1;

-- A pool that is not there is an error, and a notice where a match may be the first in it.
SELECT function, CASE WHEN result ~ '^\[' THEN 'a result' ELSE result END AS unknown
FROM (
    SELECT function, pools_try(arguments, function, 'pools_two', 'cft') AS result
    FROM (SELECT * FROM pools_call ORDER BY function) AS c OFFSET 0) AS c;

SELECT pools_try(arguments, function, 'pools_one', 'cft') AS one FROM pools_call WHERE function = 'leaderboard';

SELECT pools_try(arguments, function, 'pools_many', 'cft') AS many FROM pools_call WHERE function = 'leaderboard';

-- Once, also where others are asked on the way.
SELECT count(*) FROM skillrating.find_opponents('pools_two', 1, pool => 'cft', min_games => 1, explain => true);

-- The row of what pools share is no pool.
SELECT skillrating.create_ladder('pools_shared', 'trueskill2', '{"initial_base_sigma": 5}') \gset

SELECT pools_play('pools_shared', 1, 'duel') AS shared;

SELECT (SELECT array_agg(DISTINCT pool ORDER BY pool) FROM pools_shared.rating) AS pools,
    (SELECT count(*) FROM skillrating.leaderboard('pools_shared')) AS players;

-- Nulls that are not the pool make nothing, as before any function that is strict.
SELECT skillrating.rating_at('pools_one', NULL::bigint, '2024-06-01') AS rating_at,
    (SELECT count(*) FROM skillrating.pool_quality('pools_one', step => NULL)) AS pool_quality,
    (SELECT count(*) FROM skillrating.surprising_players(NULL)) AS surprising_players;

DROP FUNCTION pools_try, pools_play;
DROP TABLE pools_call;
SELECT count(skillrating.drop_ladder(name))
FROM unnest(ARRAY['pools_none', 'pools_one', 'pools_two', 'pools_many', 'pools_shared']) AS name;
