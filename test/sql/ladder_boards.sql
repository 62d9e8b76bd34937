-- What boards show beside ratings (marks, peaks, streaks, last changes, percentiles), tables of
-- seasons, states in histories, and the journal of a match: against plain SQL over the tables,
-- after random lives with corrections, resets, seasons, merges and excluded players.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SET timezone = 'UTC';
SET client_min_messages = warning;
SET check_function_bodies = off;
-- Of each life; the environment can ask for longer ones.
\set steps 60
\getenv steps LIFE_STEPS

-- A random step in the life of ladder life at hour n.
CREATE FUNCTION board_step(n int, first_column text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    what float8 := random();
    some_match bigint := (SELECT match_id FROM life.match ORDER BY random() LIMIT 1);
    hour timestamptz := '2024-01-01'::timestamptz + n * interval '1 hour';
    someone int := 1 + floor(random() * 7)::int;
BEGIN
    IF what < 0.66 OR some_match IS NULL THEN
        INSERT INTO life.match (match_id, played_at, pool)
        VALUES (n, hour - floor(random() * random() * 30) * interval '1 hour', CASE WHEN random() < 0.3 THEN 'b' ELSE '' END);
        INSERT INTO life.match_player (match_id, player_id, team, weight)
        SELECT n, p, 1 + row_number() OVER (ORDER BY random()) % 2, CASE WHEN random() < 0.2 THEN 0.5 END
        FROM generate_series(1, 7) AS p ORDER BY random() LIMIT 2 + floor(random() * 2);
        UPDATE life.match_player SET rank = CASE WHEN n % 5 = 0 THEN 1 ELSE team END WHERE match_id = n;
    ELSIF what < 0.72 THEN
        UPDATE life.match_player SET rank = 3 - rank WHERE match_id = some_match;
    ELSIF what < 0.75 THEN
        DELETE FROM life.match WHERE match_id = some_match;
    ELSIF what < 0.78 THEN
        PERFORM skillrating.void_match('life', match_id) FROM life.rated_match WHERE match_id = some_match AND void_reason IS NULL;
    ELSIF what < 0.80 THEN
        PERFORM skillrating.exclude_player('life', someone, hour - interval '20 hours', hour + interval '5 hours', reason => 'cheat');
    ELSIF what < 0.82 THEN
        BEGIN
            PERFORM skillrating.merge_players('life', someone, 1 + floor(random() * 7)::int);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.84 THEN
        PERFORM skillrating.undo_operation('life', operation)
        FROM (SELECT operation FROM life.operation WHERE undone_at IS NULL ORDER BY random() LIMIT 1) AS o;
    ELSIF what < 0.86 THEN
        PERFORM skillrating.new_season('life', n::text, 0.75, pool => CASE WHEN random() < 0.5 THEN 'b' END, at => hour);
    ELSIF what < 0.88 THEN
        PERFORM skillrating.decay('life', grace => '5 hours', rate => 12, floor => -1e6, at => hour);
    ELSIF what < 0.90 THEN
        BEGIN
            PERFORM skillrating.set_rating('life', someone, jsonb_build_object(first_column, round(1000 * random()) / 8), at => hour);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSIF what < 0.93 THEN
        BEGIN
            PERFORM skillrating.reset_rating('life', someone, CASE WHEN random() < 0.5 THEN 'b' END, at => hour);
        EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN
        END;
    ELSIF what < 0.94 THEN
        PERFORM skillrating.settle('life', hour) WHERE hour >= coalesce((SELECT max(at) FROM life.operation WHERE kind = 'settle' AND undone_at IS NULL), '-infinity');
    ELSIF what < 0.95 THEN
        BEGIN
            PERFORM skillrating.exclude_player('life', someone, hour - interval '60 hours', policy => 'refund', at => hour);
        EXCEPTION WHEN invalid_parameter_value THEN
        END;
    ELSE
        PERFORM FROM skillrating.catch_up('life');
    END IF;
END
$$;

-- The displayed rating of a row of event, as JSON, by the textbook.
CREATE FUNCTION displayed(e jsonb, moment text) RETURNS float8 LANGUAGE sql AS $$
    SELECT CASE WHEN e ? ('rating_' || moment) THEN (e->>('rating_' || moment))::float8
        WHEN e ? 'base_mu_after' THEN (e->>('mu_' || moment))::float8 + (e->>('base_mu_' || moment))::float8
        ELSE (e->>('mu_' || moment))::float8 - 3 * (e->>('sigma_' || moment))::float8 END
$$;

-- Statistics by window functions over all events of a pool, up to the last one by a time.
CREATE FUNCTION expected_statistics(of_pool text, at timestamptz)
RETURNS TABLE (player_id bigint, peak float8, peak_at timestamptz, streak int, last_change float8) LANGUAGE sql AS $$
    WITH upto AS (
        SELECT e.*, max(e.seq) FILTER (WHERE at IS NULL OR e.played_at <= at) OVER (PARTITION BY e.player_id) AS last
        FROM board_event AS e WHERE e.pool = of_pool
    ), lives AS (
        SELECT u.*, count(*) FILTER (WHERE u.kind = 'reset') OVER (PARTITION BY u.player_id ORDER BY u.seq DESC) AS resets_behind
        FROM upto AS u WHERE u.seq <= u.last
    ), now AS (
        SELECT l.* FROM lives AS l WHERE l.resets_behind = 0
    ), runs AS (
        SELECT n.*, row_number() OVER (PARTITION BY n.player_id ORDER BY n.seq)
                - row_number() OVER (PARTITION BY n.player_id, n.score ORDER BY n.seq) AS run,
            row_number() OVER (PARTITION BY n.player_id ORDER BY n.seq DESC) AS back
        FROM now AS n WHERE n.score IS NOT NULL
    )
    SELECT p.player_id, h.became, h.played_at,
        coalesce((SELECT (2 * (r.score - 0.5))::int * count(*) FROM runs AS r JOIN runs AS l USING (player_id, score, run)
            WHERE l.back = 1 AND r.player_id = p.player_id GROUP BY r.score), 0)::int,
        (SELECT r.became - r.was FROM runs AS r WHERE r.player_id = p.player_id AND r.back = 1)
    FROM (SELECT DISTINCT u.player_id FROM upto AS u) AS p
    LEFT JOIN (
        SELECT DISTINCT ON (n.player_id) n.* FROM now AS n
        ORDER BY n.player_id, n.became DESC, n.seq) AS h USING (player_id)
$$;

-- Differences between a board and what is expected; ratings at a time can be above all events.
CREATE FUNCTION wrong_statistics(pool text, at timestamptz) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (
        SELECT b.*, x.player_id AS expected, x.peak AS x_peak, x.peak_at AS x_peak_at, x.streak AS x_streak, x.last_change AS x_last_change,
            100 * (rank() OVER (ORDER BY b.rating) - 1 + (count(*) OVER (PARTITION BY b.rating) - 1) / 2.0) / nullif(count(*) OVER () - 1, 0) AS x_percentile
        FROM skillrating.leaderboard('life', 100, pool, 0, at => at, statistics => '{peak,streak,last_change,percentile}') AS b
        LEFT JOIN expected_statistics(pool, at) AS x
            ON x.player_id = b.player_id::bigint) AS q
    WHERE q.streak IS DISTINCT FROM coalesce(q.x_streak, 0) OR q.last_change IS DISTINCT FROM q.x_last_change
        OR q.peak IS DISTINCT FROM CASE WHEN q.x_peak IS NOT NULL THEN greatest(q.x_peak, q.rating) END
        OR q.peak_at IS DISTINCT FROM CASE WHEN q.rating > q.x_peak THEN at ELSE q.x_peak_at END
        OR abs(q.percentile - q.x_percentile) > 1e-9 OR (q.percentile IS NULL) <> (q.x_percentile IS NULL)
$$;

-- The same boards without statistics, and around() with them.
CREATE FUNCTION other_boards(pool text, at timestamptz) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM skillrating.leaderboard('life', 100, pool, 0, at => at, statistics => '{peak,streak,percentile}') AS b
    LEFT JOIN LATERAL skillrating.around('life', b.player_id, 0, pool, 0, at => at, statistics => '{peak,streak,percentile}') AS a ON true
    FULL JOIN skillrating.leaderboard('life', 100, pool, 0, at => at) AS p ON p.player_id = b.player_id
    WHERE a IS DISTINCT FROM b OR ROW(b.place, b.rating, b.games, b.wins, b.draws, b.losses, b.last_played)
        IS DISTINCT FROM ROW(p.place, p.rating, p.games, p.wins, p.draws, p.losses, p.last_played)
$$;

-- Whom an account counts as.
CREATE FUNCTION counts_as(account bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    into_player bigint;
BEGIN
    LOOP
        SELECT into_id INTO into_player FROM life.operation WHERE kind = 'merge' AND undone_at IS NULL AND player_id = account;
        EXIT WHEN into_player IS NULL;
        account := into_player;
    END LOOP;
    RETURN account;
END
$$;

-- The tables of all seasons of a pool, from the events between their operations.
CREATE FUNCTION wrong_seasons(of_pool text) RETURNS bigint LANGUAGE sql AS $$
    WITH bounds AS (
        SELECT s.name, s.seq, lead(s.seq, 1, 9223372036854775807) OVER (ORDER BY s.seq) AS next
        FROM (SELECT params->>'name' AS name, seq FROM life.operation
              WHERE kind = 'season' AND undone_at IS NULL AND coalesce(pool, of_pool) = of_pool
              UNION ALL SELECT '', 0) AS s
    ), expected AS (
        SELECT b.name, e.player_id, count(*) FILTER (WHERE e.kind = 'match' AND e.seq > b.seq) AS games,
            count(*) FILTER (WHERE e.score = 1 AND e.seq > b.seq) AS wins,
            max(e.played_at) FILTER (WHERE e.kind = 'match' AND e.seq > b.seq) AS last_played,
            (array_agg(e.became ORDER BY e.seq DESC))[1] AS rating,
            (array_agg(CASE WHEN e.seq = b.seq THEN e.became ELSE e.was END ORDER BY e.seq))[1] AS start_rating,
            max(e.became) AS peak,
            (array_agg(e.played_at ORDER BY e.became DESC, e.seq))[1] AS peak_at
        FROM bounds AS b JOIN board_event AS e ON e.pool = of_pool AND e.seq >= b.seq AND e.seq < b.next
        GROUP BY b.name, e.player_id
    ), is_now AS (
        SELECT b.name, t.* FROM bounds AS b
        CROSS JOIN LATERAL skillrating.season_table('life', b.name, 100, of_pool) AS t
    ), ends AS (
        -- Where a season follows, idle time up to then counts.
        SELECT b.name, e.player_id, e.was AS rating FROM bounds AS b JOIN board_event AS e ON e.seq = b.next AND e.pool = of_pool
    )
    SELECT (SELECT count(*) FROM is_now AS t
        FULL JOIN (SELECT * FROM expected WHERE games > 0) AS x ON x.name = t.name AND x.player_id = t.player_id::bigint
        LEFT JOIN ends ON ends.name = x.name AND ends.player_id = x.player_id
        WHERE ROW(t.rating, t.games, t.wins, t.last_played, t.start_rating, t.peak, t.peak_at)
            IS DISTINCT FROM ROW(coalesce(ends.rating, x.rating), x.games, x.wins, x.last_played, x.start_rating, x.peak, x.peak_at))
        + (SELECT count(*) FROM is_now AS t WHERE t.place <> 1 + (SELECT count(*) FROM is_now AS u WHERE u.name = t.name AND u.rating > t.rating))
        + (SELECT count(*) FROM skillrating.season_table('life', pool => of_pool) AS t
            FULL JOIN (SELECT * FROM is_now WHERE name = (SELECT name FROM bounds ORDER BY seq DESC LIMIT 1)) AS u USING (player_id)
            WHERE t.place IS DISTINCT FROM u.place)
        -- Places, and pages after each player, also of those with more matches only.
        + (SELECT count(*) FROM is_now AS t WHERE (SELECT t.place FROM skillrating.season_table('life', player => t.player_id::bigint, season => t.name, pool => of_pool) AS t)
            IS DISTINCT FROM (SELECT u.place FROM is_now AS u WHERE u.name = t.name AND u.player_id = counts_as(t.player_id::bigint)::text))
        + (SELECT count(*) FROM (SELECT t.*, row_number() OVER (PARTITION BY t.name ORDER BY t.rating DESC, t.player_id::bigint) AS n FROM is_now AS t) AS t
            WHERE ARRAY(SELECT (u.place, u.player_id, u.rating, u.games)::text
                FROM (SELECT u.*, row_number() OVER (ORDER BY u.rating DESC, u.player_id::bigint) AS n FROM is_now AS u WHERE u.name = t.name) AS u
                WHERE u.n > t.n ORDER BY u.n LIMIT 2)
            IS DISTINCT FROM ARRAY(SELECT (a.place, a.player_id, a.rating, a.games)::text
                FROM skillrating.season_table('life', t.name, 2, of_pool, after_player => t.player_id::bigint) AS a))
        + (SELECT count(*) FROM bounds AS b CROSS JOIN LATERAL skillrating.season_table('life', b.name, 100, of_pool, 3) AS t
            WHERE t.place IS DISTINCT FROM (SELECT 1 + count(*) FROM is_now AS u WHERE u.name = b.name AND u.games >= 3 AND u.rating > t.rating)
                OR t.player_id::bigint = counts_as(t.player_id::bigint) AND t.place IS DISTINCT FROM (SELECT u.place FROM skillrating.season_table('life', b.name, pool => of_pool, min_games => 3, player => t.player_id::bigint) AS u))
$$;
\set ECHO all

-- The journals of all matches, once nothing waits.
\set ECHO none
CREATE FUNCTION wrong_journals() RETURNS bigint LANGUAGE sql AS $$
    WITH journal AS (
        SELECT m.match_id, j.* FROM (SELECT match_id FROM life.match UNION SELECT match_id FROM life.rated_match) AS m
        CROSS JOIN LATERAL skillrating.match_journal('life', m.match_id) AS j
    ), expected AS (
        SELECT p.match_id, p.player_id::text AS account, counts_as(p.player_id)::text AS player_id, p.team, p.rank, coalesce(p.weight, 1) AS weight,
            m.status, m.reason, m.detail, m.seq, m.corrections, s.played_at, s.pool,
            b.was, b.became, e.win_probability, e.score, to_jsonb(e) AS event
        FROM life.match_player AS p JOIN life.match AS s USING (match_id) JOIN life.rated_match AS m USING (match_id)
        LEFT JOIN life.event AS e ON e.seq = m.seq AND e.player_id = counts_as(p.player_id)
        LEFT JOIN board_event AS b ON b.seq = e.seq AND b.player_id = e.player_id AND b.pool = e.pool
    )
    SELECT (SELECT count(*) FROM (SELECT * FROM journal WHERE account IS NOT NULL) AS j FULL JOIN expected AS x USING (match_id, account)
            WHERE ROW(j.player_id, j.team, j.rank, j.weight, j.status, j.reason, j.detail, j.seq, j.corrections, j.played_at, j.pool,
                    j.rating_before, j.rating_after, j.rating_change, j.win_probability, j.score)
                IS DISTINCT FROM ROW(x.player_id, x.team, x.rank, x.weight, x.status, x.reason, x.detail, x.seq, x.corrections, x.played_at, x.pool,
                    x.was, x.became, x.became - x.was, x.win_probability, x.score)
                OR j.waiting <> '[]'
                OR (j.state_after IS NULL) <> (x.was IS NULL)
                OR EXISTS (SELECT FROM jsonb_each(j.state_after) AS s WHERE s.value <> x.event->(s.key || '_after'))
                OR EXISTS (SELECT FROM jsonb_each(j.state_before) AS s WHERE s.value <> x.event->(s.key || '_before')))
        -- Rows without a player are of matches that are gone.
        + (SELECT count(*) FROM journal AS j WHERE j.account IS NULL AND (j.player_id IS NOT NULL OR j.status = 'rated'
            OR EXISTS (SELECT FROM life.match AS m WHERE m.match_id = j.match_id)))
        -- Each is excluded by an operation that is there, and merged as long as it counts as another.
        + (SELECT count(*) FROM journal AS j WHERE (j.reason = 'excluded_player')
                <> (j.status = 'unrated' AND j.reason = 'excluded_player' AND EXISTS (
                    SELECT FROM journal AS k WHERE k.match_id = j.match_id AND k.operations @> '[{"kind": "exclude", "reason": "cheat"}]')))
        + (SELECT count(*) FROM journal AS j WHERE (j.player_id <> j.account) <> (j.operations @> jsonb_build_array(jsonb_build_object('kind', 'merge', 'player_id', j.account))))
        + (SELECT count(*) FROM life.operation AS o CROSS JOIN jsonb_array_elements_text(o.params->'matches') AS id
            WHERE o.kind = 'refund' AND o.undone_at IS NULL AND EXISTS (SELECT FROM life.event AS e WHERE e.match_id::text = id AND e.player_id = o.player_id AND e.pool = o.pool)
                AND NOT EXISTS (SELECT FROM journal AS j WHERE j.match_id::text = id AND j.player_id = o.player_id::text
                    AND j.operations @> jsonb_build_array(jsonb_build_object('kind', 'refund', 'operation', o.operation))))
$$;

CREATE FUNCTION live_and_look(model text, params jsonb, late text, steps int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    first_column text := (SELECT state_columns[1] FROM skillrating.models() WHERE name = model);
    wrong bigint[];
    looks int := 0;
    what record;
BEGIN
    PERFORM setseed(0.3141), skillrating.create_ladder('life', model, params, late => late);
    EXECUTE 'CREATE VIEW public.board_event AS
        SELECT e.player_id, e.pool, e.seq, e.kind, e.score, e.played_at, e.games_before,
            public.displayed(to_jsonb(e), ''before'') AS was, public.displayed(to_jsonb(e), ''after'') AS became
        FROM life.event AS e';
    FOR n IN 1 .. steps LOOP
        PERFORM board_step(n, first_column);
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
        CONTINUE WHEN n % 30 <> 0;
        -- With corrections that wait, and without.
        IF n % 60 = 0 THEN
            PERFORM FROM skillrating.catch_up('life');
            wrong := ARRAY[wrong_seasons(''), wrong_seasons('b'), wrong_journals()];
            IF wrong <> '{0,0,0}' THEN
                RAISE '%', format('%s %s after %s steps: %s wrong lines of seasons and journals', model, late, n, wrong);
            END IF;
        END IF;
        FOR what IN
            SELECT p AS pool, '2024-01-01'::timestamptz + n * a * interval '1 hour' AS at
            FROM (VALUES ('', NULL), ('b', NULL), ('', 0.6), ('b', 1)) AS v(p, a)
        LOOP
            wrong := ARRAY[wrong_statistics(what.pool, what.at), other_boards(what.pool, what.at)];
            looks := looks + 1;
            IF wrong <> '{0,0}' THEN
                RAISE '%', format('%s %s after %s steps, %s: %s wrong lines', model, late, n, what, wrong);
            END IF;
        END LOOP;
    END LOOP;
    DROP VIEW public.board_event;
    PERFORM skillrating.drop_ladder('life');
    RETURN CASE looks WHEN steps / 30 * 4 THEN format('%s %s', model, late) END;
END
$$;
\set ECHO all
SELECT string_agg(live_and_look(model, params::jsonb, late, :steps), ', ')
FROM (VALUES ('elo', '{}'), ('glicko2', '{}'), ('trueskill', '{"drift": 1}'), ('frag', '{"decay": 24, "decay_floor": 990}'),
    ('trueskill2', '{"drift": 1, "initial_base_sigma": 3, "base_drift": 0.5}')) AS m(model, params)
CROSS JOIN (VALUES ('append'), ('reorder')) AS l(late);
DROP FUNCTION live_and_look, wrong_journals, counts_as, wrong_seasons, other_boards, wrong_statistics, expected_statistics, displayed, board_step;

-- Marks, by the stored states: the default is half of the initial deviation.
SELECT skillrating.create_ladder('arena', 'glicko') \gset
\set ECHO none
INSERT INTO arena.match (match_id, played_at) SELECT g, '2024-01-01'::timestamptz + g * interval '1 day' FROM generate_series(1, 60) AS g;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT g, CASE p WHEN 1 THEN 1 + g % 4 ELSE 1 + g % 4 + 1 + g / 31 END, p, 1 + (p * g) % 3 FROM generate_series(1, 60) AS g, generate_series(1, 2) AS p;
INSERT INTO arena.match (match_id, played_at) VALUES (61, '2024-03-01');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (61, 7, 1, 1), (61, 8, 2, 2);
\set ECHO all
SELECT count(*) FILTER (WHERE b.provisional) BETWEEN 1 AND count(*) - 1 AS some, bool_and(b.provisional = (r.deviation >= 175)) AS right
FROM skillrating.leaderboard('arena', 100) AS b JOIN arena.rating AS r ON r.player_id::text = b.player_id;
BEGIN;
INSERT INTO arena.match (match_id, played_at) VALUES (100, '2024-03-02');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (100, 50, 1, 1), (100, 51, 2, 2);
SET CONSTRAINTS ALL IMMEDIATE;
-- Nothing since a reset.
SELECT ratings FROM skillrating.reset_rating('arena', 50);
SELECT provisional, peak, peak_at, streak, last_change FROM skillrating.around('arena', 50, 0, min_games => 0, statistics => '{peak,streak,last_change}');
ROLLBACK;
-- Models without a deviation go by the games, those with a parameter of it by that.
SELECT skillrating.create_ladder('plain', 'elo', apply_at => 'statement'), skillrating.create_ladder('rounds', 'synelo', '{"shadow_games": 3}') \gset
SELECT count(*) FROM generate_series(1, 10) AS g, skillrating.report_match('plain', g, ARRAY[1, 1 + g], '{1,2}', '{1,2}', '2024-01-01');
SELECT count(*) FROM generate_series(1, 3) AS g, skillrating.report_match('rounds', g, ARRAY[1, 1 + g], '{1,2}', '{1,2}', '2024-01-01');
SELECT l, array_agg(b.player_id ORDER BY b.player_id) FILTER (WHERE NOT b.provisional) AS settled, count(*) FROM unnest('{plain,rounds}'::text[]) AS l, skillrating.leaderboard(l, 100) AS b GROUP BY l ORDER BY l;
-- Only what is asked for; a win, a loss and a player alone.
SELECT place, player_id, provisional, round(peak) AS peak, streak, percentile FROM skillrating.leaderboard('plain', 2, statistics => '{peak,streak}');
SELECT player_id, streak, round(last_change) AS last_change, percentile FROM skillrating.leaderboard('plain', 1, min_games => 10, statistics => '{streak,last_change,percentile}');
SELECT player_id, streak, peak = rating AS peak FROM skillrating.around('plain', 3, 0, statistics => '{peak,streak}');
SELECT count(*), count(provisional) AS provisional, count(peak) AS peak, count(percentile) AS percentile FROM skillrating.leaderboard('plain', statistics => '{}');
-- Pages go on as without.
SELECT a.place, a.player_id, a.percentile = (skillrating.place_of('plain', a.player_id)).percentile AS same
FROM skillrating.leaderboard('plain', 3, after_player => (SELECT player_id FROM skillrating.leaderboard('plain', 3) OFFSET 2), statistics => '{percentile}') AS a;
\set ECHO none
CREATE PROCEDURE refusals(ladder text, statistics text[]) LANGUAGE plpgsql AS $$
DECLARE
    s text;
    hint text;
BEGIN
    FOREACH s IN ARRAY statistics LOOP
        BEGIN
            PERFORM FROM skillrating.leaderboard(ladder, statistics => s::text[]);
            RAISE INFO 'done: %', s;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
            RAISE INFO '% % %', SQLSTATE, SQLERRM, hint;
        END;
    END LOOP;
END
$$;
\set ECHO all
CALL refusals('plain', ARRAY['{peek}', '{peak,NULL}', '{inactive}']);

-- The states in a history are all columns of the model, as set_rating() takes them.
\set ECHO none
CREATE FUNCTION states_of(model text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    columns text[] := (SELECT state_columns FROM skillrating.models() WHERE name = model);
    found record;
BEGIN
    PERFORM skillrating.create_ladder('any', model);
    PERFORM skillrating.report_match('any', g, ARRAY[1, 2], '{1,2}', ARRAY[1, 1 + g % 2], '2024-01-01'::timestamptz + g * interval '1 day', team_score => ARRAY[2, 2 - g % 2]) FROM generate_series(1, 5) AS g;
    SELECT count(*) AS lines, bool_and((SELECT array_agg(k ORDER BY k) FROM jsonb_object_keys(h.state_after) AS k) = (SELECT array_agg(c ORDER BY c) FROM unnest(columns) AS c)
        AND (SELECT bool_and((h.state_after->>c)::float8 = (to_jsonb(e)->>(c || '_after'))::float8 AND (h.state_before->>c)::float8 = (to_jsonb(e)->>(c || '_before'))::float8) FROM unnest(columns) AS c)
        AND skillrating.state_rating(model, ARRAY(SELECT (h.state_after->>c.c)::float8 FROM unnest(columns) WITH ORDINALITY AS c(c, n) ORDER BY c.n)) = h.rating_after) AS same
    INTO found FROM skillrating.history('any', 1) AS h JOIN "any".event AS e ON e.seq = h.seq AND e.player_id = 1;
    PERFORM skillrating.set_rating('any', 2, (SELECT state_after FROM skillrating.history('any', 1, 1)));
    RETURN format('%s: %s lines of %s columns, %s, %s', model, found.lines, cardinality(columns), found.same,
        (SELECT (a.state_after = b.state_after)::text FROM skillrating.history('any', 1, 1) AS a, skillrating.history('any', 2, 1) AS b));
END
$$;
\set ECHO all
DO $$
DECLARE
    model text;
BEGIN
    FOR model IN SELECT name FROM skillrating.models() LOOP
        RAISE INFO '%', states_of(model);
        PERFORM skillrating.drop_ladder('any');
    END LOOP;
END
$$;

-- A season towards solved skills is two operations, and begins behind both.
SELECT count(*) FROM skillrating.solve_ladder('arena');
SELECT operation > 0 AS begun, players FROM skillrating.new_season('arena', 'spring', 0.5, toward => 'bradley_terry', at => '2024-06-01');
SELECT count(*) FROM skillrating.report_match('arena', 200, ARRAY[1, 2, 90], '{1,1,2}', '{1,1,2}', '2024-06-02');
SELECT t.player_id, t.games, t.start_rating = CASE t.player_id WHEN '90' THEN 1500 ELSE e.rating_after END AS start, t.peak = t.rating AS peak, t.peak_at
FROM skillrating.season_table('arena') AS t LEFT JOIN arena.event AS e ON e.player_id::text = t.player_id AND e.kind = 'seed' ORDER BY t.player_id;
SELECT * FROM skillrating.season_table('arena', 'autumn');
SELECT * FROM skillrating.season_table('arena', n => NULL);
SELECT * FROM skillrating.season_table('arena', n => -1);

-- The journal of a match that is corrected again and again.
\set ECHO none
CREATE VIEW journal AS
SELECT j.status, j.reason, j.detail, j.player_id, j.account, j.team, j.rank, j.score, j.rating_change > 0 AS rose, j.corrections,
    (SELECT array_agg(w.w->>'kind' ORDER BY w.w->>'kind') FROM jsonb_array_elements(j.waiting) AS w(w) WHERE (w.w->>'own')::boolean) AS own,
    (SELECT array_agg(w.w->>'kind') FROM jsonb_array_elements(j.waiting) AS w(w) WHERE NOT (w.w->>'own')::boolean) AS before,
    (SELECT array_agg(o.o->>'kind') FROM jsonb_array_elements(j.operations) AS o(o)) AS operations
FROM skillrating.match_journal('plain', 5) AS j;
\set ECHO all
SELECT * FROM journal;
UPDATE plain.match_player SET rank = 3 - rank WHERE match_id = 5;
SELECT skillrating.void_match('plain', 5, 'a bug') \gset
SELECT skillrating.void_match('plain', 2, 'another') \gset
SELECT * FROM journal;
SELECT count(*) > 0 FROM skillrating.catch_up('plain');
SELECT * FROM journal;
SELECT skillrating.restore_match('plain', 5) \gset
SELECT count(*) > 0 FROM skillrating.catch_up('plain');
SELECT * FROM journal;
SELECT skillrating.exclude_player('plain', 6, reason => 'cheat') > 0, skillrating.merge_players('plain', 7, 6) > 0;
SELECT count(*) > 0 FROM skillrating.catch_up('plain');
SELECT * FROM journal;
-- Who is merged into somebody excluded; and matches that do not count.
SELECT player_id, account, reason, (SELECT array_agg(o.o->>'kind' ORDER BY o.o->>'kind') FROM jsonb_array_elements(operations) AS o(o)) AS operations FROM skillrating.match_journal('plain', 6);
DELETE FROM plain.match WHERE match_id = 5;
SELECT * FROM journal;
SELECT count(*) >= 0 FROM skillrating.catch_up('plain');
SELECT * FROM journal;
INSERT INTO plain.match (match_id, unrated_reason) VALUES (20, 'friendly'), (21, NULL), (22, NULL);
INSERT INTO plain.match_player (match_id, player_id, stint, team, rank, weight)
VALUES (20, 1, 1, 1, 1, 0.25), (20, 1, 2, 1, 1, 0.5), (20, 2, 1, 2, 3, NULL), (21, 1, 1, 1, 1, 0.7), (21, 2, 1, 2, 2, NULL), (22, 1, 1, 1, NULL, NULL), (22, 2, 1, 2, NULL, NULL);
SELECT m.match_id, j.status, j.reason, j.detail, j.player_id, j.team, j.rank, j.weight, round(j.win_probability::numeric, 3) AS p FROM generate_series(20, 22) AS m(match_id) CROSS JOIN LATERAL skillrating.match_journal('plain', m.match_id) AS j;
UPDATE plain.ladder SET apply_at = 'manual';
INSERT INTO plain.match (match_id) VALUES (30);
INSERT INTO plain.match_player (match_id, player_id, team, rank) VALUES (30, 1, 1, 1), (30, 2, 2, 2);
SELECT status, reason, player_id, rank FROM skillrating.match_journal('plain', '30');
SELECT * FROM skillrating.match_journal('plain', 31);
-- A match whose rows cannot be read, and a late one.
\set ECHO none
CREATE TABLE public.raw (match_id text, played_at timestamptz, player_id text, team int, rank text);
CREATE VIEW public.raw_source AS SELECT match_id, played_at, player_id, team, rank::int AS rank FROM raw;
SELECT skillrating.create_ladder('sourced', 'weng_lin', source => 'public.raw_source', late => 'reorder'), skillrating.attach('sourced', 'public.raw') \gset
INSERT INTO raw VALUES ('a', '2024-01-02', 'ann', 1, '1'), ('a', '2024-01-02', 'bob', 2, '2'), ('b', '2024-01-03', 'ann', 1, 'first'), ('b', '2024-01-03', 'bob', 2, '2');
INSERT INTO raw VALUES ('c', '2024-01-01', 'ann', 1, '1'), ('c', '2024-01-01', 'bob', 2, '2');
\set ECHO all
SELECT m AS match_id, j.status, j.reason, j.player_id, j.rank, j.weight, j.seq IS NOT NULL AS placed, j.corrections, jsonb_array_length(j.waiting) AS waiting FROM unnest('{a,b,c}'::text[]) AS m, skillrating.match_journal('sourced', m) AS j;
SELECT count(*) FROM skillrating.catch_up('sourced');
SELECT m AS match_id, j.status, j.reason, j.player_id, j.rank, j.weight, j.seq IS NOT NULL AS placed, j.corrections, jsonb_array_length(j.waiting) AS waiting FROM unnest('{a,b,c}'::text[]) AS m, skillrating.match_journal('sourced', m) AS j;
-- Another formula corrects nothing.
SELECT skillrating.shadow_ladder('sourced', 'again', 'elo');
SELECT sum(corrections) FROM again.rated_match;

-- What a reader needs.
CREATE ROLE regress_boards;
GRANT USAGE ON SCHEMA arena TO regress_boards;
GRANT SELECT ON arena.rating TO regress_boards;
SET ROLE regress_boards;
SELECT count(percentile) > 0 AS read FROM skillrating.leaderboard('arena', statistics => '{percentile}');
CALL refusals('arena', ARRAY['{peak}', '{streak}', '{last_change}']);
SELECT * FROM skillrating.match_journal('arena', 1);
RESET ROLE;
GRANT SELECT ON arena.event, arena.operation TO regress_boards;
SET ROLE regress_boards;
SELECT count(peak) > 0 AS read FROM skillrating.leaderboard('arena', statistics => '{peak}');
SELECT * FROM skillrating.match_journal('arena', 1);
RESET ROLE;
GRANT SELECT ON arena.rated_match, arena.correction, arena.source TO regress_boards;
SET ROLE regress_boards;
SELECT count(*) FROM skillrating.match_journal('arena', 1);
RESET ROLE;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{again,arena,plain,rounds,sourced}'::text[]) AS l;
\set ECHO none
DROP ROLE regress_boards;
DROP VIEW journal, raw_source;
DROP TABLE raw;
DROP FUNCTION states_of;
DROP PROCEDURE refusals;
\set ECHO all
