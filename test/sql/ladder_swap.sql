-- Nothing is lost in a swap: whatever happens to a ladder between rerate() and swap_ladders(), the new
-- one is what rerate() would make at that moment, bit for bit, and so is the old one when it comes back.
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SET client_min_messages = error;
SELECT setseed(0.1618);

-- Counts, of one ladder with some of each.
SELECT skillrating.create_ladder('arena', 'elo');
INSERT INTO arena.match (match_id) SELECT generate_series(1, 20);
INSERT INTO arena.match_player (match_id, player_id, team, rank) SELECT g, (g + i) % 6, i + 1, i + 1 FROM generate_series(1, 20) AS g, generate_series(0, 1) AS i;
SELECT skillrating.rerate('arena', 'elo', '{"k": 16}', 'trial');
SELECT skillrating.exclude_player('arena', 5::bigint, reason => 'cheat');
SELECT skillrating.void_match('arena', 3::bigint, 'x');
SELECT skillrating.merge_players('arena', 4::bigint, 2::bigint);
SELECT skillrating.set_rating('arena', 1::bigint, '{"rating": 1700}');
SELECT skillrating.new_season('arena', 'summer', at => now() + interval '1 hour');
SELECT count(*) FROM skillrating.catch_up('arena');
CREATE FUNCTION counts(OUT operations bigint[], OUT void bigint, OUT rating float8, OUT ok boolean) LANGUAGE sql AS $$
    SELECT (SELECT array_agg(operation ORDER BY operation) FROM arena.operation), (SELECT count(*) FROM arena.rated_match WHERE void_reason IS NOT NULL),
        (SELECT rating FROM arena.rating WHERE player_id = 1), (SELECT bool_and(v.ok) FROM skillrating.verify('arena') AS v)
$$;
SELECT * FROM counts();
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT * FROM counts();
SELECT count(*) FROM skillrating.catch_up('arena', search => true, rebuild => true);
SELECT * FROM counts();
SELECT skillrating.drop_ladder('trial'), skillrating.drop_ladder('arena');
DROP FUNCTION counts;

-- A change of that kind in the life of ladder arena, the n-th.
CREATE FUNCTION change(kind text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hour timestamptz := '2024-01-01'::timestamptz + n * interval '1 hour';
    late interval := CASE kind WHEN 'late' THEN floor(random() * 20) * interval '1 hour' ELSE '0' END;
    some_match bigint := (SELECT match_id FROM arena.match ORDER BY random() LIMIT 1);
    player bigint := 1 + floor(random() * 9)::int;
    first_column text := (SELECT state_columns[1] FROM skillrating.models() JOIN arena.ladder ON model = name);
BEGIN
    CASE
    WHEN kind IN ('match', 'late') THEN
        INSERT INTO arena.match (match_id, played_at, pool) VALUES (n, hour - late, CASE WHEN random() < 0.2 THEN 'b' ELSE '' END);
        INSERT INTO arena.match_player (match_id, player_id, team, rank)
        SELECT n, p, row_number() OVER (), row_number() OVER ()
        FROM (SELECT p FROM generate_series(1, 9) AS p ORDER BY random() LIMIT 2) AS p;
    WHEN kind = 'changed' THEN UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = some_match;
    WHEN kind = 'removed' THEN DELETE FROM arena.match WHERE match_id = some_match;
    WHEN kind = 'moved' THEN UPDATE arena.match SET played_at = played_at - interval '7 hours' WHERE match_id = some_match;
    WHEN kind = 'unseen' THEN
        -- No trigger tells of it.
        SET LOCAL session_replication_role = replica;
        PERFORM change('match', n);
        RESET session_replication_role;
    WHEN kind = 'void' THEN PERFORM skillrating.void_match('arena', some_match, 'reason ' || n) FROM arena.rated_match WHERE match_id = some_match;
    WHEN kind = 'restored' THEN PERFORM skillrating.restore_match('arena', match_id) FROM arena.rated_match WHERE void_reason IS NOT NULL AND match_id IN (SELECT match_id FROM arena.match);
    WHEN kind = 'exclude' THEN PERFORM skillrating.exclude_player('arena', player, hour - interval '20 hours', hour + interval '5 hours', allow_unknown => true);
    WHEN kind = 'merge' THEN
        IF NOT EXISTS (SELECT FROM arena.operation WHERE operation.kind = 'merge' AND undone_at IS NULL AND (player IN (player_id, into_id) OR into_id = player % 9 + 1 OR player_id = player % 9 + 1)) THEN
            PERFORM skillrating.merge_players('arena', player, player % 9 + 1, allow_unknown => true);
        END IF;
    WHEN kind = 'season' THEN PERFORM skillrating.new_season('arena', n::text, 0.75, at => hour);
    WHEN kind = 'decay' THEN PERFORM skillrating.decay('arena', grace => '5 hours', rate => 12, floor => -1e6, at => hour);
    WHEN kind = 'set' THEN
        IF NOT EXISTS (SELECT FROM arena.operation WHERE operation.kind = 'merge' AND undone_at IS NULL AND player_id = player) THEN
            PERFORM skillrating.set_rating('arena', player, jsonb_build_object(first_column, round(1000 * random()) / 8), at => hour);
        END IF;
    WHEN kind = 'seed' THEN PERFORM skillrating.seed_from('arena', 'elsewhere', overwrite => true, at => hour);
    WHEN kind = 'undone' THEN
        PERFORM skillrating.undo_operation('arena', operation)
        FROM (SELECT DISTINCT operation FROM arena.operation WHERE undone_at IS NULL AND operation.kind <> 'decay' ORDER BY operation DESC LIMIT 1) AS o;
    WHEN kind = 'forgotten' THEN PERFORM skillrating.forget_player('arena', player, 1000 + n::bigint);
    WHEN kind = 'caught up' THEN PERFORM skillrating.catch_up('arena');
    WHEN kind = 'taken over' THEN PERFORM skillrating.catch_up('trial', search => true);
    END CASE;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;

-- Rows of one query that the other does not return, either way.
CREATE FUNCTION differences(query text, other text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) AS d', query, other) INTO n;
    RETURN n;
END
$$;

-- Swap, and say in which way the ladder is not what rerate() makes of it.
CREATE FUNCTION swap_and_compare() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    -- A void match can leave a row of somebody who has not played.
    played constant text := 'SELECT r.* FROM %1$I.rating AS r WHERE EXISTS (SELECT FROM %1$I.event AS e WHERE (e.player_id, e.pool) = (r.player_id, r.pool))';
    faults text;
BEGIN
    PERFORM skillrating.rerate('arena', model, params, 'fresh') FROM trial.ladder;
    PERFORM skillrating.catch_up('fresh', search => true);
    PERFORM skillrating.swap_ladders('arena', 'trial');
    SELECT string_agg(name, ', ') INTO faults
    FROM (
        SELECT 'verify: ' || v.detail FROM skillrating.verify('arena') AS v WHERE NOT v.ok
        UNION ALL SELECT 'rating' WHERE differences(format(played, 'arena'), format(played, 'fresh')) > 0
        UNION ALL SELECT 'event' WHERE differences('SELECT to_jsonb(e) - ''seq'' FROM arena.event AS e', 'SELECT to_jsonb(e) - ''seq'' FROM fresh.event AS e') > 0
        UNION ALL SELECT 'operation' WHERE differences('SELECT to_jsonb(o) - ''seq'' FROM arena.operation AS o', 'SELECT to_jsonb(o) - ''seq'' FROM fresh.operation AS o') > 0
        UNION ALL SELECT 'match' WHERE differences('SELECT match_id, status, reason, regexp_replace(detail, ''[0-9]+'', ''''), digest, played_at, void_reason FROM arena.rated_match', 'SELECT match_id, status, reason, regexp_replace(detail, ''[0-9]+'', ''''), digest, played_at, void_reason FROM fresh.rated_match') > 0
        UNION ALL SELECT 'order' FROM arena.ladder WHERE late = 'append' AND differences('SELECT match_id, row_number() OVER (ORDER BY seq) FROM arena.rated_match WHERE seq IS NOT NULL', 'SELECT match_id, row_number() OVER (ORDER BY seq) FROM fresh.rated_match WHERE seq IS NOT NULL') > 0
        UNION ALL SELECT 'place taken twice' WHERE EXISTS (
            SELECT FROM (SELECT seq FROM arena.rated_match UNION ALL SELECT DISTINCT seq FROM arena.operation) AS p WHERE seq IS NOT NULL GROUP BY seq HAVING count(*) > 1)
        UNION ALL SELECT 'number to be given again' FROM arena.event_seq WHERE last_value < (SELECT max(greatest(operation, seq)) FROM arena.operation)
    ) AS f(name);
    PERFORM skillrating.drop_ladder('fresh');
    RETURN coalesce(faults, 'as new');
END
$$;

-- Ladders of thirty matches and what may happen to them, before and after the second one is made.
CREATE FUNCTION begin_life(model text, params jsonb, late text, other_model text, other_params jsonb, apply_at text DEFAULT 'commit') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.create_ladder('elsewhere', model, params);
    PERFORM skillrating.report_match('elsewhere', 1, ARRAY[3, 4], ARRAY[1, 2], ARRAY[1, 2]);
    PERFORM skillrating.create_ladder('arena', model, params, late => late, apply_at => apply_at);
    FOR n IN 1 .. 30 LOOP
        PERFORM change('match', n);
    END LOOP;
    PERFORM skillrating.catch_up('arena');
    PERFORM change('void', 31), change('season', 32), change('merge', 33);
    PERFORM skillrating.rerate('arena', other_model, other_params, 'trial');
END
$$;

CREATE FUNCTION end_life() RETURNS void LANGUAGE sql AS $$
    SELECT skillrating.drop_ladder(l) FROM unnest('{trial,arena,elsewhere}'::text[]) AS l
$$;

-- One change of each kind, then back.
CREATE FUNCTION one_change(kind text, late text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    there text;
    back text;
BEGIN
    PERFORM begin_life('elo', '{}', late, 'elo', '{"k": 16}');
    PERFORM change('match', 41), change(kind, 42), change('match', 43);
    there := swap_and_compare();
    PERFORM change('match', 51), change(kind, 52), change('match', 53);
    back := swap_and_compare();
    PERFORM end_life();
    RETURN there || ', ' || back;
END
$$;

-- A transaction each, because every ladder that is made in one holds its locks.
SELECT format('SELECT %L AS kind, one_change(%1$L, %L) AS %2$I', kind, late)
FROM unnest('{match,late,changed,removed,moved,unseen,void,restored,exclude,merge,season,decay,set,seed,undone,forgotten,caught up,taken over}'::text[]) AS kind,
    unnest('{append,reorder}'::text[]) AS late \gexec

-- Many at random, also where matches wait for a worker.
CREATE FUNCTION many_changes(model text, params jsonb, late text, other_model text, other_params jsonb, apply_at text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    -- States of another model would stay where they belong, and rerate() would not take them along.
    kinds text[] := '{match,match,match,match,match,match,late,late,changed,removed,moved,void,restored,exclude,merge,season,decay,undone,forgotten,caught up}'
        -- Matches that arena has not placed are in the order in which trial has met them.
        || ARRAY[CASE apply_at WHEN 'manual' THEN 'unseen' ELSE 'taken over' END]
        || CASE WHEN model = other_model THEN '{set,seed}'::text[] ELSE '{}' END;
    outcomes text[];
BEGIN
    PERFORM begin_life(model, params, late, other_model, other_params, apply_at);
    FOR n IN 1 .. 60 LOOP
        PERFORM change(kinds[1 + floor(random() * cardinality(kinds))::int], 40 + n);
        IF n % 20 = 0 THEN
            outcomes := outcomes || swap_and_compare();
        END IF;
    END LOOP;
    PERFORM end_life();
    RETURN array_to_string(outcomes, ', ');
END
$$;

SELECT format('SELECT %L, %L, %L, %L, many_changes(%1$L, %5$L, %3$L, %2$L, %6$L, %4$L)', model, other_model, late, apply_at, params, other_params)
FROM (VALUES ('elo', '{}', 'elo', '{"k_by_games": [[5, 20]]}'), ('elo', '{}', 'glicko', '{}'), ('trueskill', '{}', 'weng_lin', '{}'), ('trueskill2', '{"initial_base_sigma": 3}', 'trueskill2', '{}'), ('synelo', '{}', 'hive', '{}'), ('synelo', '{}', 'synelo', '{"strict": true, "window": 5}'))
    AS m(model, params, other_model, other_params)
CROSS JOIN (VALUES ('append', 'commit'), ('append', 'manual'), ('reorder', 'commit')) AS l(late, apply_at)
WHERE apply_at = 'commit' OR model <> other_model \gexec

DROP FUNCTION change, differences, swap_and_compare, begin_life, end_life, one_change, many_changes;
RESET client_min_messages;

-- Between models: states of the other one are left out and named, and are there again after swapping back.
CREATE FUNCTION play(first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO arena.match (match_id, played_at) SELECT g, '2024-01-01'::timestamptz + g * interval '1 hour' FROM generate_series(first, last) AS g;
    INSERT INTO arena.match_player (match_id, player_id, team, rank) SELECT g, (g + i) % 6, i, i FROM generate_series(first, last) AS g, generate_series(1, CASE WHEN g % 5 = 0 THEN 3 ELSE 2 END) AS i;
END
$$;
CREATE FUNCTION well(ladder text) RETURNS boolean LANGUAGE sql AS $$ SELECT bool_and(ok) FROM skillrating.verify(ladder) $$;
SELECT skillrating.create_ladder('arena', 'hive');
SELECT play(1, 10);
SELECT operation FROM skillrating.set_rating('arena', 1, '{"skill": 2}');
SELECT skillrating.rerate('arena', 'elo', NULL, 'trial');
-- Matches that only the second one can rate have places there, behind those that both rate.
SELECT match_id, status, seq FROM trial.rated_match ORDER BY seq;
SELECT well('trial');
SELECT operation FROM skillrating.set_rating('arena', 2, '{"skill": 1}');
SELECT play(11, 20);
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT (SELECT model FROM arena.ladder), (SELECT count(*) FROM arena.operation), count(*) FILTER (WHERE status = 'rated'), well('arena') FROM arena.rated_match;
SELECT operation FROM skillrating.set_rating('arena', 2, '{"rating": 2000}');
SELECT play(21, 22);
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT (SELECT model FROM arena.ladder), count(*) FILTER (WHERE status = 'rated'), well('arena') FROM arena.rated_match;
SELECT operation, seq, kind, player_id, state[1] FROM arena.operation ORDER BY seq;
-- In their places among the matches.
SELECT array_agg(match_id ORDER BY seq) FILTER (WHERE seq < 9) AS before, array_agg(match_id ORDER BY seq) FILTER (WHERE seq > 9 AND status = 'rated') AS after FROM arena.rated_match;
SELECT skillrating.drop_ladder('trial'), skillrating.drop_ladder('arena');

-- What was done to the second ladder stays; what has the same place or number as something else gets others.
SELECT skillrating.create_ladder('arena', 'elo');
SELECT play(1, 20);
SELECT skillrating.void_match('arena', 1), skillrating.void_match('arena', 2);
SELECT skillrating.rerate('arena', "into" => 'trial');
SELECT skillrating.void_match('trial', 7, 'trial'), skillrating.restore_match('trial', 1), skillrating.restore_match('arena', 2), skillrating.void_match('arena', 8, 'arena');
SELECT operation FROM skillrating.set_rating('trial', 1, '{"rating": 1800}', reason => 'trial');
SELECT operation FROM skillrating.exclude_player('trial', 3, '-infinity', '2024-01-01 05:00', reason => 'trial');
SELECT operation FROM skillrating.exclude_player('arena', 4, '-infinity', '2024-01-01 05:00', reason => 'arena');
SELECT play(21, 23);
SELECT operation FROM skillrating.new_season('arena', 'spring', reason => 'arena');
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT operation, seq, kind, player_id, reason FROM arena.operation ORDER BY seq;
SELECT match_id, void_reason FROM arena.rated_match WHERE void_reason IS NOT NULL ORDER BY match_id;
SELECT well('arena');
SELECT operation FROM skillrating.set_rating('arena', 5, '{"rating": 1900}', reason => 'again');
SELECT skillrating.undo_operation('arena', operation) FROM arena.operation WHERE kind = 'season';
-- Back: the other one gets what this one had of its own.
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT operation, seq, kind, player_id, reason, undone_at IS NOT NULL AS undone FROM arena.operation ORDER BY seq;
SELECT match_id, void_reason FROM arena.rated_match WHERE void_reason IS NOT NULL ORDER BY match_id;
SELECT well('arena'), (SELECT last_value FROM arena.event_seq) >= max(operation) AS behind FROM arena.operation;
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT well('arena'), well('trial'), count(*) FROM (TABLE arena.operation EXCEPT TABLE trial.operation) AS d;
-- Operations that cannot stand side by side are named, and nothing is swapped.
SELECT operation FROM skillrating.merge_players('trial', 5, 4) AS m(operation);
SELECT skillrating.merge_players('arena', 4, 5) > 0;
SELECT operation FROM skillrating.new_season('trial', 'summer');
SELECT operation > 0 FROM skillrating.new_season('arena', 'summer');
SELECT operation FROM skillrating.decay('trial', '0', at => now() + interval '1 day');
SELECT operation > 0 FROM skillrating.decay('arena', '0', at => now() + interval '1 day');
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT skillrating.undo_operation('trial', operation) FROM trial.operation WHERE kind IN ('merge', 'season') AND undone_at IS NULL;
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT skillrating.undo_operation('trial', operation) FROM trial.operation WHERE kind = 'decay' AND undone_at IS NULL;
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT well('arena');

-- What changes in the one is found in the other by a search, and by verify().
UPDATE arena.match_player SET rank = 3 - rank WHERE match_id = 12 AND team < 3;
DELETE FROM arena.match WHERE match_id = 13;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('trial', search => true);
SELECT well('trial'), count(*) AS gone FROM trial.rated_match WHERE match_id = 13;
UPDATE arena.match SET unrated_reason = 'test' WHERE match_id = 14;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
INSERT INTO arena.match (match_id, unrated_reason) VALUES (24, 'test');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (24, 1, 1, 1), (24, 2, 2, 2);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('trial', search => true);
UPDATE arena.match SET unrated_reason = NULL WHERE match_id = 24;
SELECT detail FROM skillrating.verify('trial') WHERE NOT ok;
SELECT count(*) FROM skillrating.catch_up('trial', search => true);
SELECT count(*) FROM skillrating.verify('trial') WHERE NOT ok;
SELECT skillrating.drop_ladder('trial'), skillrating.drop_ladder('arena');

-- In the transaction that inserts, and with matches that wait in it.
SELECT skillrating.create_ladder('arena', 'elo');
SELECT play(1, 4);
SELECT skillrating.rerate('arena', 'elo', '{"k": 16}', 'trial');
BEGIN;
SELECT play(5, 6);
SELECT skillrating.swap_ladders('arena', 'trial');
SELECT play(7, 8);
COMMIT;
SELECT count(*), well('arena') FROM arena.rated_match;

-- What belongs to a table stays with its name: privileges, policies and comments.
CREATE ROLE regress_swap_reader;
CREATE ROLE regress_swap_tester;
GRANT SELECT ON arena.rating TO regress_swap_reader WITH GRANT OPTION;
GRANT SELECT (seq, kind) ON arena.event TO regress_swap_reader;
GRANT USAGE ON SEQUENCE arena.event_seq TO PUBLIC;
GRANT SELECT ON trial.rating, trial.event TO regress_swap_tester;
GRANT UPDATE (games) ON trial.rating TO regress_swap_tester;
ALTER TABLE arena.rating ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON arena.rating AS RESTRICTIVE FOR SELECT TO regress_swap_reader USING (games > (SELECT count(*) FROM arena.operation));
COMMENT ON TABLE arena.rating IS 'What players see';
COMMENT ON COLUMN arena.rating.games IS 'How many';
CREATE INDEX arena_rating_games ON arena.rating (games);
SET client_min_messages = error;
CREATE PUBLICATION regress_swap FOR TABLE arena.rating;
RESET client_min_messages;
ALTER TABLE arena.event SET (fillfactor = 90);
CREATE TABLE follower (player_id bigint, pool text, FOREIGN KEY (player_id, pool) REFERENCES arena.rating);
CREATE VIEW best AS SELECT * FROM arena.rating;
CREATE FUNCTION belongings(ladder text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('%s: %s', c.relname, x.acl) FROM pg_class AS c CROSS JOIN LATERAL unnest(c.relacl) AS x(acl)
    WHERE c.relnamespace = ladder::regnamespace AND c.relname IN ('rating', 'event', 'event_seq') AND x.acl::text ~ '^(=|regress)'
    UNION ALL SELECT format('%s.%s: %s', c.relname, a.attname, a.attacl) FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.relnamespace = ladder::regnamespace AND a.attacl IS NOT NULL AND c.relkind = 'r'
    UNION ALL SELECT format('%s: %s %s %s %s %s', p.tablename, p.policyname, p.permissive, p.roles, p.cmd, substring(p.qual, '[a-z]+\.operation')) FROM pg_policies AS p WHERE p.schemaname = ladder
    UNION ALL SELECT format('%s: %s', c.relname, 'row security') FROM pg_class AS c WHERE c.relnamespace = ladder::regnamespace AND c.relrowsecurity
    UNION ALL SELECT format('%s: %s', d.objoid::regclass, d.description) FROM pg_description AS d WHERE d.objoid = format('%I.rating', ladder)::regclass AND d.description !~ 'state under'
    UNION ALL SELECT obj_description(ladder::regnamespace)
$$;
\set belongings 'SELECT ladder, replace(belongings(ladder), current_user, ''owner'') FROM unnest(''{arena,trial}''::text[]) AS ladder ORDER BY 1, 2'
:belongings;
SELECT skillrating.rerate('arena', 'glicko', NULL, 'third');
SELECT skillrating.swap_ladders('arena', 'trial');
:belongings;
SELECT skillrating.swap_ladders('arena', 'third');
:belongings;
SELECT obj_description('third'::regnamespace);
DROP VIEW best;
DROP TABLE follower;
DROP PUBLICATION regress_swap;
SELECT skillrating.drop_ladder(l) FROM unnest('{third,trial,arena}'::text[]) AS l;
DROP ROLE regress_swap_reader, regress_swap_tester;
DROP FUNCTION belongings;

-- One role owns both, and the types are the same.
SELECT skillrating.create_ladder('arena', 'elo');
SELECT skillrating.create_ladder('other', 'elo', source => 'arena.source', player_type => 'numeric');
SELECT skillrating.swap_ladders('arena', 'other');
SELECT skillrating.swap_ladders('arena', 'arena');
SELECT skillrating.swap_ladders('arena', 'nowhere');
SELECT skillrating.drop_ladder('other'), skillrating.drop_ladder('arena');

-- Wherever ranks come from, when the other ladder is made and after, and made anew.
CREATE FUNCTION change_ranks(first text, second text, model text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.create_ladder('arena', 'elo', ranks => first);
    PERFORM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
    PERFORM skillrating.rerate('arena', model, "into" => 'trial');
    PERFORM skillrating.set_ranks('arena', second), skillrating.swap_ladders('arena', 'trial');
    IF NOT (well('arena') AND well('trial')) THEN
        RETURN 'swapped';
    END IF;
    PERFORM skillrating.swap_ladders('arena', 'trial'), skillrating.set_ranks('arena', first);
    PERFORM skillrating.rerate('arena', model, "into" => 'last'), skillrating.swap_ladders('arena', 'last');
    IF NOT (well('arena') AND well('last') AND well('trial')) THEN
        RETURN 'made anew';
    END IF;
    PERFORM skillrating.drop_ladder(l) FROM unnest('{trial,last,arena}'::text[]) AS l;
    RETURN 'well';
END
$$;
SELECT change_ranks('counted', 'indexed', 'trueskill');
SELECT change_ranks('indexed', 'counted', 'glicko2');
SELECT change_ranks('counted', 'counted', 'elo');
DROP FUNCTION change_ranks;

-- Names as long as they can be, also of several bytes a character, and a schema in the way.
CREATE SCHEMA skillrating_swap;
SELECT skillrating.create_ladder(l, 'elo'), skillrating.rerate(l, "into" => 'trial'), skillrating.swap_ladders(l, 'trial'), well(l), skillrating.drop_ladder('trial'), skillrating.drop_ladder(l)
FROM unnest(ARRAY[repeat('b', 63), repeat('試', 21), '"']) AS l;
DROP SCHEMA skillrating_swap;
DROP FUNCTION play, well;
