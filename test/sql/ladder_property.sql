-- Random lives of ladders: whatever is inserted, changed, removed, voided, merged, excluded, forgotten,
-- set, reset, refunded and ruled out, and in whatever order it comes, after catch_up() the ladder is what a new one would be that got
-- what is left in the right order, one match after another, bit for bit.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 1;
SELECT setseed(0.2718);

-- Random rules of eligibility.
CREATE FUNCTION random_rules() RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE WHEN random() < 0.6 THEN jsonb_build_object('max_newcomer_share', 0.7, 'newcomer_games', 1 + floor(random() * 3)) ELSE '{}' END
        || CASE WHEN random() < 0.6 THEN jsonb_build_object('max_repeats', 1 + floor(random() * 2), 'repeat_window', 18000 * (1 + floor(random() * 5))) ELSE '{}' END
$$;

-- A random step in the life of ladder life at hour n of a made-up calendar.
\set ECHO none
CREATE FUNCTION random_step(n int, model text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    what float8 := random();
    some_match bigint := (SELECT match_id FROM life.match ORDER BY random() LIMIT 1);
    hour timestamptz := '2024-01-01'::timestamptz + n * interval '1 hour';
    first_column text := (SELECT state_columns[1] FROM skillrating.models() WHERE name = model);
BEGIN
    IF what < 0.55 OR some_match IS NULL THEN
        -- Of the last hours, on the hour: so some are late, and some simultaneous.
        INSERT INTO life.match (match_id, played_at, pool, context, finished)
        VALUES (n, hour - floor(random() * random() * 30) * interval '1 hour', CASE WHEN random() < 0.3 THEN 'b' ELSE '' END, CASE WHEN n % 5 > 0 THEN 'map ' || n % 5 END, random() < 0.9);
        -- Some come with games from elsewhere: among newcomers alone nobody could ever become another.
        INSERT INTO life.match_player (match_id, player_id, team, rank, weight, experience)
        SELECT n, d.p, 1 + row_number() OVER (ORDER BY d.place) % 2, NULL,
            CASE WHEN d.play < 0.1 THEN 0 WHEN d.play < 0.3 THEN 0.5 ELSE 1 END,
            CASE WHEN d.p <= 4 THEN 50 END
        -- Drawn below, because calls of random() beside one that sorts would all be that one.
        FROM (SELECT p, random() AS place, random() AS play FROM generate_series(1, 9) AS p) AS d
        ORDER BY d.place LIMIT 2 + floor(random() * 3);
        UPDATE life.match_player SET rank = team, side = CASE WHEN n % 3 > 0 THEN team END, club = CASE WHEN player_id > 2 THEN 'club ' || player_id % 3 END
        WHERE match_id = n;
    ELSIF what < 0.62 THEN
        UPDATE life.match_player SET rank = 3 - rank, player_gain = CASE WHEN player_id % 3 = 0 THEN n % 4 END,
            context = CASE WHEN n % 2 = 0 THEN 'map 1' END
        WHERE match_id = some_match;
    ELSIF what < 0.66 THEN
        DELETE FROM life.match WHERE match_id = some_match;
    ELSIF what < 0.70 THEN
        UPDATE life.match SET played_at = played_at + (floor(random() * 21) - 10) * interval '1 hour', finished = true WHERE match_id = some_match;
    ELSIF what < 0.74 THEN
        PERFORM skillrating.void_match('life', match_id) FROM life.rated_match WHERE match_id = some_match AND void_reason IS NULL;
    ELSIF what < 0.77 THEN
        PERFORM skillrating.restore_match('life', match_id) FROM (SELECT match_id FROM life.rated_match WHERE void_reason IS NOT NULL LIMIT 1) AS v;
    ELSIF what < 0.79 THEN
        -- Not if points of these matches were given back.
        BEGIN
            PERFORM skillrating.exclude_player('life', 1 + floor(random() * 9)::int, hour - interval '20 hours', hour + interval '5 hours', allow_unknown => true);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.81 THEN
        BEGIN
            PERFORM skillrating.merge_players('life', 1 + floor(random() * 9)::int, 1 + floor(random() * 9)::int, allow_unknown => true);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.84 THEN
        PERFORM skillrating.undo_operation('life', operation)
        FROM (SELECT operation FROM life.operation WHERE undone_at IS NULL AND kind <> 'decay' ORDER BY random() LIMIT 1) AS o;
    ELSIF what < 0.86 THEN
        PERFORM skillrating.new_season('life', n::text, 0.75, pool => CASE WHEN random() < 0.5 THEN 'b' END, at => hour,
            keep_deviations => random() < 0.3, only_played => random() < 0.5);
    ELSIF what < 0.88 THEN
        PERFORM skillrating.decay('life', grace => '5 hours', rate => 12, floor => -1e6, at => hour);
    ELSIF what < 0.90 THEN
        BEGIN
            PERFORM skillrating.set_rating('life', 1 + floor(random() * 9)::int, jsonb_build_object(first_column, round(1000 * random()) / 8), '', hour);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.91 THEN
        BEGIN
            PERFORM skillrating.reset_rating('life', 1 + floor(random() * 9)::int, CASE WHEN random() < 0.5 THEN 'b' END, at => hour);
        EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN
        END;
    ELSIF what < 0.92 THEN
        PERFORM skillrating.settle('life', hour + floor(random() * 5) * interval '1 hour')
        WHERE hour >= coalesce((SELECT max(at) FROM life.operation WHERE kind = 'settle' AND undone_at IS NULL), '-infinity');
    ELSIF what < 0.93 THEN
        BEGIN
            PERFORM skillrating.exclude_player('life', 1 + floor(random() * 9)::int, hour - interval '60 hours', policy => 'refund', allow_unknown => true,
                at => hour, cap_at_peak => random() < 0.5);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.94 THEN
        -- Who is forgotten plays on as somebody new.
        PERFORM skillrating.forget_players('life', ARRAY[1 + floor(random() * 9)::bigint], ARRAY[(n * 100)::text]);
    ELSIF what < 0.95 THEN
        -- Matches of the last two days that no trigger has reported: live() calls backfill().
        SET LOCAL session_replication_role = replica;
        INSERT INTO life.match (match_id, played_at) SELECT -5 * n - m, hour - floor(random() * 50) * interval '1 hour' FROM generate_series(0, 2) AS m;
        INSERT INTO life.match_player (match_id, player_id, team, rank)
        SELECT -5 * n - m, 1 + (n + 2 * m + t) % 9, t, 1 + (n + m + t) % 2 FROM generate_series(0, 2) AS m, generate_series(1, 2) AS t;
        SET LOCAL session_replication_role = origin;
    ELSIF what < 0.965 THEN
        PERFORM skillrating.set_eligibility('life', random_rules(),
            CASE WHEN random() < 0.1 THEN '-infinity' ELSE hour - interval '20 hours' END);
    ELSE
        -- What a dry run shows is what comes.
        CREATE TEMP TABLE shown AS SELECT * FROM skillrating.catch_up('life', dry_run => true);
        IF EXISTS (
            (SELECT player_id, pool, rating_before, rating_after, games_before, games_after FROM shown)
            EXCEPT ALL (SELECT player_id, pool, rating_before, rating_after, games_before, games_after FROM skillrating.catch_up('life')))
        THEN
            RAISE 'a dry run shows something else';
        END IF;
        DROP TABLE shown;
    END IF;
END
$$;

-- What is left, one after another, in the order of time or in which it came.
CREATE FUNCTION relive(by_time boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    step record;
BEGIN
    PERFORM skillrating.set_eligibility('again', params, since)
    FROM (SELECT * FROM life.operation WHERE kind = 'eligibility' AND undone_at IS NULL ORDER BY operation) AS o;
    PERFORM CASE kind WHEN 'merge' THEN skillrating.merge_players('again', player_id, into_id, allow_unknown => true)
        ELSE skillrating.exclude_player('again', player_id, since, until, allow_unknown => true) END
    FROM (SELECT * FROM life.operation WHERE kind IN ('merge', 'exclude') AND undone_at IS NULL ORDER BY seq) AS o;
    FOR step IN EXECUTE format(
        'SELECT * FROM (
            SELECT m.seq, m.played_at AS at, m.match_id, ''match'' AS kind, NULL AS pool, NULL::bigint AS player_id, NULL::float8[] AS state, NULL::jsonb AS params, NULL AS reason
            FROM life.rated_match AS m WHERE m.void_reason IS NULL
            UNION ALL
            SELECT o.seq, o.at, NULL, o.kind, o.pool, o.player_id, o.state, o.params, o.reason
            FROM life.operation AS o
            WHERE o.undone_at IS NULL AND o.kind NOT IN (''merge'', ''exclude'', ''refund'', ''eligibility'')
                AND NOT EXISTS (SELECT FROM life.operation AS m WHERE m.kind = ''merge'' AND m.undone_at IS NULL AND m.player_id = o.player_id)
            UNION ALL
            SELECT DISTINCT o.seq, o.at, NULL::bigint, o.kind, NULL, NULL::bigint, NULL::float8[], NULL::jsonb, NULL
            FROM life.operation AS o WHERE o.undone_at IS NULL AND o.kind = ''refund''
        ) AS s ORDER BY %s', CASE WHEN by_time THEN 'at, match_id IS NOT NULL, match_id, seq' ELSE 'seq' END)
    LOOP
        IF step.kind = 'match' THEN
            INSERT INTO again.match SELECT * FROM life.match WHERE match_id = step.match_id;
            INSERT INTO again.match_player SELECT * FROM life.match_player WHERE match_id = step.match_id;
        ELSIF step.kind = 'season' THEN
            PERFORM skillrating.new_season('again', step.params->>'name', (step.params->>'keep')::float8, pool => step.pool, at => step.at, reason => step.reason,
                keep_deviations => step.params ? 'keep_deviations', only_played => step.params ? 'only_played');
            -- Who has played since a season that was undone later is who had then.
            UPDATE again.operation AS o SET params = step.params WHERE o.seq = (SELECT max(seq) FROM again.operation) AND o.params <> step.params;
            IF FOUND THEN
                INSERT INTO again.correction (seq, kind) SELECT max(seq), 'carried' FROM again.operation;
                PERFORM skillrating.catch_up('again');
            END IF;
        ELSIF step.kind = 'decay' THEN
            PERFORM skillrating.decay('again', (step.params->>'grace_days')::float8 * interval '1 day', (step.params->>'rate')::float8,
                (step.params->>'floor')::float8, pool => step.pool, at => step.at, reason => step.reason);
        ELSIF step.kind = 'settle' THEN
            PERFORM skillrating.settle('again', step.at, step.reason);
        ELSIF step.kind = 'reset' THEN
            -- Whose matches all went has nothing to be reset.
            BEGIN
                PERFORM skillrating.reset_rating('again', step.player_id, step.pool, step.at, step.reason);
            EXCEPTION WHEN undefined_object THEN
            END;
        ELSIF step.kind = 'refund' THEN
            -- The amounts are those that it had.
            INSERT INTO again.operation (operation, seq, kind, pool, player_id, into_id, at, params, reason)
            SELECT n.n, n.n, o.kind, o.pool, o.player_id, o.into_id, o.at, o.params, o.reason
            FROM (SELECT nextval('again.event_seq') AS n) AS n, life.operation AS o WHERE o.seq = step.seq;
            INSERT INTO again.correction (seq, kind) SELECT max(seq), 'carried' FROM again.operation;
            PERFORM skillrating.catch_up('again');
        ELSE
            PERFORM skillrating.set_rating('again', step.player_id,
                (SELECT jsonb_build_object(state_columns[1], step.state[1]) FROM skillrating.models() AS m JOIN life.ladder AS l ON l.model = m.name),
                step.pool, step.at, step.reason);
        END IF;
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
    END LOOP;
END
$$;

-- A copy of table rating, by triggers for statements, which see each change once: it begins where the
-- last one of the row ended.
CREATE TABLE followed (player_id text, pool text, rating text, PRIMARY KEY (player_id, pool));
CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        IF EXISTS (SELECT FROM old_rows AS o LEFT JOIN public.followed AS f ON f.player_id = o.player_id::text AND f.pool = o.pool
            WHERE f.rating IS DISTINCT FROM o::text) THEN
            RAISE 'the copy had other ratings';
        END IF;
        DELETE FROM public.followed AS f USING old_rows AS o WHERE f.player_id = o.player_id::text AND f.pool = o.pool;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO public.followed SELECT n.player_id::text, n.pool, n::text FROM new_rows AS n;
    END IF;
    RETURN NULL;
END
$$;

-- The rows of rating that are not in the copy, and those that it has beside.
CREATE FUNCTION followed_wrongly() RETURNS bigint LANGUAGE plpgsql SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
BEGIN
    RETURN (SELECT count(*) FROM (
        (SELECT r.player_id::text, r.pool, r::text FROM life.rating AS r EXCEPT ALL TABLE followed)
        UNION ALL (TABLE followed EXCEPT ALL SELECT r.player_id::text, r.pool, r::text FROM life.rating AS r)) AS d);
END
$$;

CREATE PROCEDURE live(model text, params jsonb, late text, steps int, INOUT result text) LANGUAGE plpgsql AS $$
DECLARE
    ok boolean;
    fault text;
    different bigint;
    matches bigint;
    late_matches bigint;
    unrated bigint;
BEGIN
    PERFORM skillrating.create_ladder('life', model, params, late => late), skillrating.create_ladder('again', model, params);
    TRUNCATE followed;
    CREATE TRIGGER follow_insert AFTER INSERT ON life.rating REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION follow();
    CREATE TRIGGER follow_update AFTER UPDATE ON life.rating REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION follow();
    CREATE TRIGGER follow_delete AFTER DELETE ON life.rating REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION follow();
    COMMIT;
    FOR n IN 1 .. steps LOOP
        PERFORM random_step(n, model);
        COMMIT;
        IF EXISTS (SELECT FROM life.match WHERE match_id = -5 * n) THEN
            -- Of the whole ladder it would tell what does not count.
            SET client_min_messages = error;
            CALL skillrating.backfill('life', 2, 'reorder', false, matches, late_matches, unrated);
            SET client_min_messages = warning;
        END IF;
        IF followed_wrongly() > 0 THEN
            result := format('%s %s: the copy has other ratings after step %s', model, late, n);
            RETURN;
        END IF;
    END LOOP;
    PERFORM skillrating.catch_up('life');
    COMMIT;
    IF followed_wrongly() > 0 THEN
        result := format('%s %s: the copy has other ratings at the end', model, late);
        RETURN;
    END IF;
    SELECT bool_and(v.ok), string_agg(v.detail, '; ') FILTER (WHERE NOT v.ok) INTO ok, fault FROM skillrating.verify('life') AS v;
    IF NOT ok THEN
        result := format('%s %s does not verify: %s', model, late, fault);
        RETURN;
    END IF;
    -- A rebuild changes nothing.
    SELECT count(*) INTO different FROM skillrating.catch_up('life', search => true, rebuild => true);
    IF different > 0 THEN
        result := format('%s %s has %s other ratings after a rebuild', model, late, different);
        RETURN;
    END IF;
    PERFORM relive(late = 'reorder');
    SELECT count(*) INTO different FROM (
        (TABLE life.rating EXCEPT ALL TABLE again.rating) UNION ALL (TABLE again.rating EXCEPT ALL TABLE life.rating)) AS d;
    IF different > 0 THEN
        result := format('%s %s has %s other ratings than a new ladder', model, late, different);
        RETURN;
    END IF;
    SELECT count(*) INTO different FROM (
        (SELECT to_jsonb(e) - 'seq' FROM life.event AS e EXCEPT ALL SELECT to_jsonb(e) - 'seq' FROM again.event AS e)
        UNION ALL (SELECT to_jsonb(e) - 'seq' FROM again.event AS e EXCEPT ALL SELECT to_jsonb(e) - 'seq' FROM life.event AS e)) AS d;
    IF different > 0 THEN
        result := format('%s %s has %s other events than a new ladder', model, late, different);
        RETURN;
    END IF;
    SELECT count(*) INTO different FROM (
        (TABLE life.component EXCEPT ALL TABLE again.component) UNION ALL (TABLE again.component EXCEPT ALL TABLE life.component)) AS d;
    IF different > 0 THEN
        result := format('%s %s has %s other components than a new ladder', model, late, different);
        RETURN;
    END IF;
    SELECT count(*) INTO different FROM (
        (SELECT to_jsonb(e) - 'seq' FROM life.component_event AS e EXCEPT ALL SELECT to_jsonb(e) - 'seq' FROM again.component_event AS e)
        UNION ALL (SELECT to_jsonb(e) - 'seq' FROM again.component_event AS e EXCEPT ALL SELECT to_jsonb(e) - 'seq' FROM life.component_event AS e)) AS d;
    IF different > 0 THEN
        result := format('%s %s has %s other events of components than a new ladder', model, late, different);
        RETURN;
    END IF;
    SELECT count(*) INTO matches FROM life.rated_match WHERE status = 'rated';
    PERFORM skillrating.drop_ladder('life'), skillrating.drop_ladder('again');
    result := format('%s %s: as new, %s', model, late, CASE WHEN matches > steps / 8 THEN 'with many matches' ELSE 'with few matches' END);
END
$$;
\set ECHO all

-- A season of a pool without ratings is a notice.
\set ECHO none
SET client_min_messages = warning;
CREATE TABLE lives (n int GENERATED ALWAYS AS IDENTITY, result text);
DO $$
DECLARE
    life record;
    result text;
BEGIN
    FOR life IN
        SELECT model, params::jsonb, late
        FROM (VALUES ('elo', '{"k_by_games": [[5, 20]]}'), ('frag', '{"decay": 24, "decay_floor": 990}'), ('glicko', '{"c": 90}'), ('glicko2', '{}'), ('hive', '{}'), ('weng_lin', '{"drift": 1}'), ('elo_mmr', '{"drift": 1}'),
            ('trueskill', '{"drift": 1}'), ('trueskill2', '{"drift": 1, "initial_base_sigma": 3, "base_drift": 0.5}'), ('synelo', '{}'), ('synelo', '{"strict": true, "window": 5}'),
            ('hive', '{"context_deviation": 0.5, "recalibration_deviation": 0.3}'),
            ('elo', '{"recalibration_deviation": 0.5, "recalibration_side_deviation": 0.3, "recalibration_half_life_days": 0.1}'),
            ('state_space', '{}'), ('state_space', '{"drift": 0.5, "draw_sigma": 0.5, "home_drift": 0.1, "club_drift": 0.2, "initial_side_sigma": 0.5, "reversion": 0.01}')) AS m(model, params)
        CROSS JOIN (VALUES ('append'), ('reorder')) AS l(late)
    LOOP
        CALL live(life.model, life.params, life.late, 180, result);
        INSERT INTO lives (result) VALUES (result);
        COMMIT;
    END LOOP;
END
$$;
RESET client_min_messages;
\set ECHO all
SELECT string_agg(split_part(result, ': ', 1), ', ' ORDER BY n), split_part(result, ': ', 2) AS result FROM lives GROUP BY 2;

DROP TABLE lives, followed;
DROP PROCEDURE live;
DROP FUNCTION relive, random_step, random_rules, follow, followed_wrongly;
