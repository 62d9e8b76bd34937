-- What detached partitions and horizons meet later: a swap, a reset, the end of the ladder.
SET timezone = 'UTC';
\set SHOW_CONTEXT never

CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at)
        SELECT i, timestamptz ''2024-01-01'' + i * interval ''1 day'' FROM generate_series($1, $2) AS i', ladder)
    USING first, last;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank)
        SELECT i, (i + t * (1 + i %% 3)) %% 7, t, 1 + (i + t) %% 2
        FROM generate_series($1, $2) AS i, generate_series(1, 2) AS t', ladder)
    USING first, last;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;
CREATE FUNCTION sound(ladder text) RETURNS boolean LANGUAGE sql AS
$$ SELECT bool_and(v.ok) FROM skillrating.verify(ladder) AS v $$;
CREATE FUNCTION relations(ladder text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT c.relname || CASE WHEN c.relispartition THEN '' ELSE ' (detached)' END FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace(ladder) AND c.relkind = 'r' AND c.relname ~ '^event_[0-9]'
    ORDER BY length(c.relname), c.relname COLLATE "C"
$$;

-- Detached partitions keep their names, and those of their indexes, when others come by a swap.
SELECT skillrating.create_ladder('d', 'elo');
SELECT play('d', 1, 40);
SELECT skillrating.partition_history('d', 10);
SELECT * FROM skillrating.detach_history('d', '2024-01-25');
SELECT count(*) > 0 AS shadowed FROM skillrating.shadow_ladder('d', 'd2', 'elo', '{"k": 16}');
SELECT skillrating.promote_ladder('d2', 'former');
ALTER SCHEMA former RENAME TO d2;
SELECT sound('d'), sound('d2');
SELECT relations('d');
SELECT relations('d2');
SELECT play('d', 41, 45);
SELECT skillrating.promote_ladder('d2', 'former');
ALTER SCHEMA former RENAME TO d2;
SELECT sound('d'), sound('d2'), (SELECT count(*) FROM d.event_0) AS kept;
SELECT relations('d');
SELECT relations('d2');
SELECT skillrating.drop_ladder('d');
SELECT skillrating.drop_ladder('d2');
-- So do those that a reset leaves.
SELECT matches FROM skillrating.reset_ladder('d');
SELECT play('d', 1, 40);
SELECT relations('d');
SELECT count(*) > 0 AS shadowed FROM skillrating.shadow_ladder('d', 'd2', 'elo', '{"k": 16}');
SELECT skillrating.promote_ladder('d2', 'former');
ALTER SCHEMA former RENAME TO d2;
SELECT sound('d'), sound('d2');
SELECT skillrating.drop_ladder('d2');

-- What has to go first is named: ladders of the same source, detached partitions, and all else.
SELECT count(*) > 0 AS shadowed FROM skillrating.shadow_ladder('d', 'd2', 'elo', '{"k": 16}');
SELECT skillrating.drop_ladder('d');
SELECT skillrating.drop_ladder('d2');
SELECT skillrating.drop_ladder('d');
SELECT format('DROP TABLE d.%I', split_part(r, ' ', 1)) FROM relations('d') AS r WHERE r ~ 'detached' \gexec
CREATE TABLE d.note (id bigint);
SELECT skillrating.drop_ladder('d');
DROP TABLE d.note;
SELECT skillrating.drop_ladder('d');

-- Horizons of both ladders change places, again and again, with the names of their indexes.
SELECT skillrating.create_ladder('h', 'state_space');
SELECT play('h', 1, 40);
SELECT * FROM skillrating.set_horizon('h', '2024-01-11');
SELECT count(*) > 0 AS shadowed FROM skillrating.shadow_ladder('h', 'h2', 'state_space', '{"drift": 0.05}');
CREATE INDEX late ON h.horizon (as_of);
SELECT skillrating.promote_ladder('h2', 'former');
ALTER SCHEMA former RENAME TO h2;
SELECT * FROM skillrating.set_horizon('h', '2024-01-21');
SELECT skillrating.promote_ladder('h2', 'former');
ALTER SCHEMA former RENAME TO h2;
SELECT l.horizon, m.horizon FROM h.ladder AS l, h2.ladder AS m;
SELECT skillrating.promote_ladder('h2', 'former');
ALTER SCHEMA former RENAME TO h2;
SELECT l.horizon, m.horizon FROM h.ladder AS l, h2.ladder AS m;
SELECT schemaname, indexname FROM pg_indexes WHERE tablename ~ 'horizon$' AND schemaname IN ('h', 'h2')
ORDER BY schemaname, indexname COLLATE "C";
SELECT sound('h'), sound('h2');

-- A horizon is not ahead of time, for it never moves back; nor null.
SELECT skillrating.set_horizon('h', '2962-01-10');
SELECT skillrating.partition_history('h', 10) > 3 AS partitioned;
SELECT skillrating.detach_history('h', '2962-01-10');
SELECT skillrating.set_horizon('h', NULL);
SELECT skillrating.set_horizon(NULL, '2024-01-21');
SELECT skillrating.detach_history('h', NULL);
SELECT horizon FROM skillrating.set_horizon('h', '2024-02-10');

-- Whom a horizon keeps from being merged, no time helps.
SELECT skillrating.merge_players('h', 1, 2);
SELECT skillrating.exclude_player('h', 1);


-- Matches that are dated ahead may have one, those that count.
INSERT INTO h.match (match_id, played_at) VALUES (100, now() + interval '1 hour'), (101, '2961-12-01');
INSERT INTO h.match_player (match_id, player_id, team, rank) VALUES (100, 1, 1, 1), (100, 2, 2, 2), (101, 1, 1, 1), (101, 2, 2, 2);
\set VERBOSITY terse
SELECT skillrating.set_horizon('h', '2961-12-01');
\set VERBOSITY default
SELECT horizon FROM skillrating.set_horizon('h', (SELECT played_at FROM h.match WHERE match_id = 100));
SELECT skillrating.drop_ladder('h2');
SELECT skillrating.drop_ladder('h');
DROP FUNCTION play, sound, relations;
