-- An administrator's reset: whatever a model remembers of a player is gone.
\pset format unaligned
\pset tuples_only on

-- The same matches in two ladders, but for one player: one of them has others instead of player 1
-- from match 61 on. From a common pool of players, in two pools, with idle days between.
\set ECHO none
CREATE FUNCTION play(ladder text, first int, last int, instead bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO %1$I.match (match_id, played_at, pool)
        SELECT i, ''2024-01-01''::timestamptz + i * i * interval ''1 hour'', CASE WHEN i %% 3 = 0 THEN ''b'' ELSE '''' END
        FROM generate_series($1, $2) AS i;
        ', ladder) USING first, last;
    EXECUTE format(
        'INSERT INTO %1$I.match_player (match_id, player_id, team, rank, weight)
        SELECT i, CASE WHEN p.id = 1 THEN $3 ELSE p.id END, 1 + p.n %% 2, 1 + (p.n + i / 2) %% 2, CASE WHEN (i + p.n) %% 5 = 0 THEN 0.5 ELSE 1 END
        FROM generate_series($1, $2) AS i
        CROSS JOIN LATERAL (
            SELECT 1 + (i * 5 + k * (1 + i %% 2)) %% 7 AS id, k AS n FROM generate_series(0, 1 + 2 * (i %% 2)) AS k) AS p', ladder)
    USING first, last, instead;
END
$$;
CREATE FUNCTION differences(a text, b text, instead bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    renamed constant text := 'to_jsonb(r) || CASE WHEN r.player_id = %s THEN ''{"player_id": 1}''::jsonb ELSE ''{}'' END';
    n bigint;
BEGIN
    -- A newcomer to a pool has no row there, and who was put back has one without games.
    EXECUTE format(
        'WITH a AS (SELECT to_jsonb(r) AS r FROM %1$I.rating AS r WHERE r.games > 0),
            b AS (SELECT %3$s AS r FROM %2$I.rating AS r WHERE r.games > 0 AND (r.player_id <> 1 OR %4$s = 1))
        SELECT count(*) FROM ((TABLE a EXCEPT ALL TABLE b) UNION ALL (TABLE b EXCEPT ALL TABLE a)) AS d',
        a, b, format(renamed, instead), instead)
    INTO n;
    RETURN n;
END
$$;
CREATE FUNCTION try_reset(model text, params jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
    n bigint;
BEGIN
    PERFORM skillrating.create_ladder(l, model, params, apply_at => 'statement') FROM unnest('{was_reset,newcomer,kept}'::text[]) AS l;
    PERFORM play('was_reset', 1, 60, 1), play('newcomer', 1, 60, 1), play('kept', 1, 60, 1);
    SELECT operation, ratings INTO number, n FROM skillrating.reset_rating('was_reset', 1, at => '2024-12-31', reason => 'smurf');
    IF n <> (SELECT count(*) FROM newcomer.rating WHERE player_id = 1) THEN
        RAISE '%', format('%s: reset %s ratings', model, n);
    END IF;
    -- Of the very next match, and of many.
    FOR upto IN 0 .. 1 LOOP
        PERFORM play('was_reset', 61 + upto * 3, 63 + upto * 57, 1), play('newcomer', 61 + upto * 3, 63 + upto * 57, 101), play('kept', 61 + upto * 3, 63 + upto * 57, 1);
        n := differences('was_reset', 'newcomer', 101);
        IF n > 0 THEN
            RAISE '%', format('%s: %s differences after %s matches', model, n, 3 + upto * 57);
        END IF;
    END LOOP;
    IF NOT (SELECT bool_and(ok) FROM skillrating.verify('was_reset')) THEN
        RAISE '%', format('%s does not verify', model);
    END IF;
    -- Corrections before and behind it.
    FOREACH n IN ARRAY '{10,55,62,64,30}'::bigint[] LOOP
        PERFORM skillrating.void_match(l, n) FROM unnest('{was_reset,newcomer}'::text[]) AS l;
        PERFORM skillrating.catch_up('was_reset'), skillrating.catch_up('newcomer');
        IF differences('was_reset', 'newcomer', 101) > 0 OR NOT (SELECT bool_and(ok) FROM skillrating.verify('was_reset')) THEN
            RAISE '%', format('%s differs after a correction', model);
        END IF;
        PERFORM skillrating.restore_match(l, n) FROM unnest('{was_reset,newcomer}'::text[]) AS l;
        PERFORM skillrating.catch_up('was_reset'), skillrating.catch_up('newcomer');
    END LOOP;
    PERFORM skillrating.shadow_ladder('was_reset', 'again');
    IF differences('was_reset', 'again', 1) > 0 THEN
        RAISE '%', format('%s: another ladder of the same is another', model);
    END IF;
    PERFORM skillrating.promote_ladder('again', 'former'), skillrating.drop_ladder('former');
    PERFORM skillrating.undo_operation('was_reset', number);
    PERFORM skillrating.catch_up('was_reset');
    IF differences('was_reset', 'kept', 1) > 0 OR NOT (SELECT bool_and(ok) FROM skillrating.verify('was_reset')) THEN
        RAISE '%', format('%s cannot be undone', model);
    END IF;
    PERFORM skillrating.drop_ladder(l) FROM unnest('{was_reset,newcomer,kept}'::text[]) AS l;
    RETURN format('%s: as a newcomer', model);
END
$$;
\set ECHO all
SELECT string_agg(try_reset(name, '{}'), ', ' ORDER BY name) FROM skillrating.models() WHERE name NOT IN ('elo');
SELECT try_reset(model, params) FROM (VALUES ('elo', '{"k_by_games": [[5, 60], [20, 30]]}'::jsonb), ('trueskill2', '{"initial_base_sigma": 3}'),
    ('synelo', '{"strict": true}'), ('elo', '{}')) AS v(model, params);

-- One pool, or all; what is left to see.
SELECT skillrating.create_ladder('arena', 'elo', '{"k": 32}', player_type => 'text', apply_at => 'statement') \gset
INSERT INTO arena.match (match_id, played_at, pool)
SELECT i, '2024-01-01'::timestamptz + i * interval '1 day', CASE WHEN i > 3 THEN 'b' ELSE '' END FROM generate_series(1, 5) AS i;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT i, p, CASE p WHEN 'ann' THEN 1 ELSE 2 END, CASE p WHEN 'ann' THEN 1 ELSE 2 END FROM generate_series(1, 5) AS i, unnest('{ann,bob}'::text[]) AS p;
SELECT ratings FROM skillrating.reset_rating('arena', 'ann', 'b', at => '2024-02-01', reason => 'bought');
SELECT player_id, pool, rating = 1500 AS initial, games, wins, last_played IS NULL AS never FROM arena.rating ORDER BY player_id, pool;
SELECT ratings FROM skillrating.reset_rating('arena', 'ann', at => '2024-02-02');
SELECT player_id, pool, rating = 1500 AS initial, games FROM arena.rating WHERE player_id = 'ann' ORDER BY pool;
SELECT kind, games_before, rating_after = 1500 AS initial, reason FROM skillrating.history('arena', 'ann', pool => 'b') ORDER BY seq;
SELECT player_id FROM skillrating.leaderboard('arena', pool => 'b');
SELECT kind, pool, player_id, params, reason FROM arena.operation ORDER BY seq;
-- Whose matches come back before it has something to be reset all the same.
SELECT skillrating.exclude_player('arena', 'ann') > 0 AS excluded;
SELECT player_id, rating_after, games_after FROM skillrating.catch_up('arena') ORDER BY player_id, pool;
SELECT skillrating.undo_operation('arena', max(operation)) FROM arena.operation \gset
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT player_id, pool, rating = 1500 AS initial, games FROM arena.rating ORDER BY player_id, pool;
SELECT check_name, ok FROM skillrating.verify('arena') WHERE NOT ok;
-- Forgotten with the player.
SELECT found FROM skillrating.forget_players('arena', '{ann}', '{x1}');
SELECT kind, player_id FROM arena.operation WHERE undone_at IS NULL ORDER BY seq;
-- Errors
\set VERBOSITY terse
SELECT skillrating.reset_rating('arena', 'zoe');
SELECT skillrating.reset_rating('arena', 'bob', 'c');
SELECT skillrating.reset_rating('arena', NULL);
SELECT skillrating.reset_rating('arena', 'bob', at => 'infinity');
SELECT skillrating.merge_players('arena', 'bob', 'x1') > 0;
SELECT skillrating.reset_rating('arena', 'bob');
SELECT skillrating.reset_rating('nowhere', 'bob');
INSERT INTO arena.operation (operation, seq, kind) SELECT n, n, 'reset' FROM nextval('arena.event_seq') AS n;
INSERT INTO arena.correction (seq, kind) SELECT max(seq), 'carried' FROM arena.operation;
SELECT skillrating.catch_up('arena');

SELECT skillrating.drop_ladder('arena') \gset
DROP FUNCTION play, differences, try_reset;
