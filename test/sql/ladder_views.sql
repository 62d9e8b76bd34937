-- The views of a ladder: what they show is what leaderboard(), history() and the tables say, under
-- every model; how many tables an empty ladder has; who may read them.
\set ECHO none
\pset format unaligned
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET client_min_messages = warning;
CREATE SCHEMA regress_views;
SET search_path = regress_views;
\set ECHO all

-- Tables, views and sequences of an empty ladder, with matches of its own and over a user's view.
CREATE TABLE game (id uuid, p text, team int, rank int, at timestamptz);
CREATE VIEW game_source AS SELECT id AS match_id, p AS player_id, team, rank, at AS played_at FROM game;
SELECT skillrating.create_ladder('empty', 'elo') \gset
SELECT skillrating.create_ladder('over', 'elo', source => 'game_source', attach => false) \gset
\set ECHO none
CREATE FUNCTION kept(ladder text) RETURNS TABLE (kind text, n bigint, names text) LANGUAGE sql AS $$
    SELECT CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' ELSE 'sequence' END, count(*),
        string_agg(relname, ' ' ORDER BY relname COLLATE "C")
    FROM pg_class WHERE relnamespace = ladder::regnamespace AND relkind IN ('r', 'v', 'S') GROUP BY 1 ORDER BY 1
$$;
\set ECHO all
SELECT * FROM kept('empty');
SELECT * FROM kept('over');

-- Types are the ladder's own, and every column says what it is.
SELECT a.attrelid::regclass AS view, string_agg(format('%s %s', a.attname, a.atttypid::regtype), ', ' ORDER BY a.attnum) AS columns,
    count(*) FILTER (WHERE col_description(a.attrelid, a.attnum) IS NULL) AS undescribed,
    obj_description(a.attrelid, 'pg_class') IS NOT NULL AS described
FROM pg_attribute AS a
WHERE a.attrelid IN ('over.leaderboard'::regclass, 'over.history'::regclass, 'over.components'::regclass) AND a.attnum > 0
GROUP BY a.attrelid ORDER BY 1;

-- What is made when it is first needed: by a match nothing, by a season, a mirror and a solution.
INSERT INTO game SELECT gen_random_uuid(), 'x' || p, p, p, '2024-01-01' FROM generate_series(1, 2) AS p;
UPDATE game SET id = (SELECT min(id::text)::uuid FROM game);
SELECT count(*) FROM skillrating.catch_up('over', search => true);
SELECT n FROM kept('over') WHERE kind = 'table';
SELECT skillrating.new_season('over', 'first', at => '2024-02-01');
CREATE TABLE member (name text PRIMARY KEY, elo float8);
SELECT skillrating.mirror_rating('over', 'member', 'name', '{"elo": "rating"}');
SELECT matches FROM skillrating.solve_ladder('over');
SELECT * FROM kept('over') WHERE kind = 'table';
SELECT bool_and(ok) FROM skillrating.verify('over');
SELECT skillrating.unmirror_rating('over', 'member') \gset
SELECT skillrating.unmirror_rating('over', 'member');
SELECT skillrating.unmirror_rating('empty', 'member');
SELECT skillrating.new_season('empty', 'next', toward => 'bradley_terry');
SELECT place, player_id FROM skillrating.season_table('over', '');
SELECT player_id, found FROM skillrating.forget_players('empty', ARRAY[1]::bigint[]);
SELECT matches, players FROM skillrating.reset_ladder('over');
SELECT count(*) FROM over.solved;
-- Without its row, what verify() says of the table of a season that is gone.
SELECT count(*) FROM skillrating.report_match('empty', 1, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-01-01');
SELECT skillrating.new_season('empty', 'first', at => '2024-02-01');
DROP TABLE empty.standing;
SELECT detail FROM skillrating.verify('empty') WHERE check_name = 'events';
SELECT count(*) FROM skillrating.catch_up('empty', rebuild => true);
SELECT detail FROM skillrating.verify('empty') WHERE check_name = 'events';
SELECT count(*) FROM empty.standing;

-- A life under each model, with draws, teams of unequal size, two pools, fixed players, players who
-- have not played, merged and excluded ones, operations, and corrections.
\set ECHO none
CREATE FUNCTION live(model text, ladder text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hour timestamptz;
BEGIN
    PERFORM setseed(0.25), skillrating.create_ladder(ladder, model, player_type => 'text');
    FOR n IN 1 .. 40 LOOP
        hour := timestamptz '2024-01-01' + n * interval '7 hours';
        EXECUTE format('INSERT INTO %I.match (match_id, played_at, pool, context) VALUES ($1, $2, $3, ''map'')', ladder)
        USING n, hour, CASE WHEN n % 3 = 0 THEN 'b' ELSE '' END;
        EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank, kills, deaths)
            SELECT $1, ''p'' || p, 1 + row_number() OVER (ORDER BY random()) %% 2, CASE WHEN $1 %% 5 = 0 THEN 1 ELSE 1 + row_number() OVER (ORDER BY random()) %% 2 END, 3, 2
            FROM generate_series(1, 12) AS p ORDER BY random() LIMIT 2 + $1 %% 2', ladder)
        USING n;
        EXECUTE format('UPDATE %I.match_player SET rank = CASE WHEN $1 %% 5 = 0 THEN 1 ELSE team END WHERE match_id = $1', ladder) USING n;
    END LOOP;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
    PERFORM skillrating.set_fixed(ladder, 'p1', true, at => hour);
    PERFORM skillrating.set_rating(ladder, 'nobody', (SELECT jsonb_build_object(m.state_columns[1], 9000) FROM skillrating.models() AS m WHERE m.name = model), '', hour);
    PERFORM skillrating.reset_rating(ladder, 'p2', at => hour);
    PERFORM skillrating.merge_players(ladder, 'p3'::text, 'p4'::text);
    PERFORM skillrating.exclude_player(ladder, 'p5', '-infinity', 'infinity');
    PERFORM skillrating.new_season(ladder, 'second', 0.75, at => hour);
    PERFORM FROM skillrating.catch_up(ladder);
END
$$;
\set ECHO all

-- Differences between the views and what the functions say, and between both and the tables.
\set ECHO none
CREATE FUNCTION differences(model text, ladder text) RETURNS TABLE (
    shown bigint, fixed bigint, hidden bigint, board bigint, status bigint, deviations bigint, events bigint, histories bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMP TABLE board AS SELECT * FROM %I.leaderboard', ladder);
    EXECUTE format('CREATE TEMP TABLE past AS SELECT * FROM %I.history', ladder);
    EXECUTE format('CREATE TEMP TABLE rated AS SELECT r.*, to_jsonb(r) AS doc FROM %I.rating AS r', ladder);
    RETURN QUERY SELECT (SELECT count(*) FROM board), (SELECT count(*) FROM board AS b WHERE b.fixed),
        (SELECT count(*) FROM rated AS r WHERE NOT EXISTS (SELECT FROM board AS b WHERE b.player_id = r.player_id AND b.pool = r.pool)),
        (SELECT count(*) FROM board AS b FULL JOIN (
            SELECT p.pool, l.* FROM (SELECT DISTINCT r.pool FROM rated AS r) AS p
            CROSS JOIN LATERAL skillrating.leaderboard(ladder, 1000, p.pool) AS l) AS l
            ON l.player_id = b.player_id AND l.pool = b.pool
            WHERE ROW(b.place, b.rating, b.games, b.wins, b.draws, b.losses, b.last_played, b.provisional)
                IS DISTINCT FROM ROW(l.place, l.rating, l.games, l.wins, l.draws, l.losses, l.last_played, l.provisional)),
        (SELECT count(*) FROM board AS b FULL JOIN (
            SELECT p.pool, l.* FROM (SELECT DISTINCT r.pool FROM rated AS r) AS p
            CROSS JOIN LATERAL skillrating.player_status(ladder, p.pool) AS l) AS l
            ON l.player_id = b.player_id AND l.pool = b.pool
            WHERE ROW(b.rating, b.games, b.last_played) IS DISTINCT FROM ROW(l.rating, l.games, l.last_played)),
        (SELECT count(*) FROM board AS b JOIN rated AS r USING (player_id, pool), skillrating.models() AS m
            WHERE m.name = model AND (ROW(b.deviation, b.fixed) IS DISTINCT FROM ROW((r.doc->>m.deviation_column)::float8, r.fixed)
                OR b.place <> 1 + (SELECT count(*) FROM rated AS u WHERE u.pool = b.pool AND u.games > 0 AND u.rating > b.rating))),
        (SELECT count(*) FROM past),
        (SELECT count(*) FROM past AS h FULL JOIN (
            SELECT r.player_id, r.pool, f.* FROM rated AS r
            CROSS JOIN LATERAL skillrating.history(ladder, r.player_id, pool => r.pool) AS f
            -- An account that was merged answers with the player's.
            WHERE r.player_id <> 'p3') AS f USING (player_id, pool, seq)
            WHERE ROW(h.kind, h.match_id::text, h.played_at, h.games_before, h.team, h.score, h.win_probability, h.rating_before, h.rating_after, h.reason)
                IS DISTINCT FROM ROW(f.kind, f.match_id, f.played_at, f.games_before, f.team, f.score, f.win_probability, f.rating_before, f.rating_after, f.reason));
    DROP TABLE board, past, rated;
END
$$;
\set ECHO all
SELECT count(live(m.name, 'view_' || m.name)) AS models FROM skillrating.models() AS m;
SELECT bool_and(d.shown > 10) AS shown, bool_and(d.fixed > 0) AS fixed, bool_and(d.hidden > 0) AS hidden,
    bool_and(d.events > 80) AS events,
    bool_and(ROW(d.board, d.status, d.deviations, d.histories) = ROW(0, 0, 0, 0)) AS "leaderboard, history: other implementation"
FROM skillrating.models() AS m
CROSS JOIN LATERAL differences(m.name, 'view_' || m.name) AS d;
SELECT m.name, d.* FROM skillrating.models() AS m CROSS JOIN LATERAL differences(m.name, 'view_' || m.name) AS d
WHERE d.board + d.status + d.deviations + d.histories > 0;

-- Components, against the table.
SELECT skillrating.create_ladder('tennis', 'state_space', player_type => 'text') \gset
SELECT count(*) FROM generate_series(1, 3) AS m, skillrating.report_match('tennis', m, '{ada,ben}', '{1,2}', '{1,2}', '2024-05-05'::date + m::integer,
    side => '{1,2}', context => '{clay}', club => '{north,south}');
SELECT count(*), count(*) FILTER (WHERE c.mu = t.state[1] AND c.deviation = t.state[2] AND c.state = t.state AND c.games = t.games
    AND c.last_played = t.last_played AND c.as_of = t.as_of) AS right, bool_or(c.key IS NULL) AS without_key, count(c.player_id) AS of_players
FROM tennis.components AS c FULL JOIN tennis.component AS t
    ON t.kind = c.kind AND t.pool = c.pool AND t.key = coalesce(c.key, '') AND t.player_id IS NOT DISTINCT FROM c.player_id;

-- A page reads its rows in the order of an index, and a join needs no cast.
CREATE TABLE account (id text PRIMARY KEY, nick text);
INSERT INTO account SELECT 'p' || n, 'nick ' || n FROM generate_series(1, 12) AS n;
SELECT b.place = p.place AS place, a.nick FROM view_elo.leaderboard AS b JOIN account AS a ON a.id = b.player_id
CROSS JOIN LATERAL (SELECT (skillrating.place_of('view_elo', b.player_id, pool => '')).place AS place) AS p
WHERE b.pool = '' ORDER BY b.rating DESC, b.player_id LIMIT 3;
\set ECHO none
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT string_agg(n #>> '{}', ' < ') FROM jsonb_path_query(plan, 'strict $.**."Node Type"') AS n);
END
$$;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
\set ECHO all
SELECT nodes($$SELECT * FROM view_elo.leaderboard WHERE pool = '' ORDER BY rating DESC LIMIT 20$$);
SELECT nodes($$SELECT * FROM view_elo.history WHERE pool = '' AND player_id = 'p1' ORDER BY seq DESC LIMIT 20$$);
RESET enable_bitmapscan;
RESET enable_seqscan;

-- Counts by hand from the events of two-sided matches, of players whom nothing but matches has changed.
\set ECHO none
CREATE FUNCTION miscounted(ladder text) RETURNS TABLE (players bigint, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT count(*), count(*) FILTER (WHERE (b.games, b.wins, b.draws, b.losses, b.last_played)
            IS DISTINCT FROM (e.games, e.wins, e.draws, e.losses, e.last_played))
        FROM %1$I.leaderboard AS b FULL JOIN (
            SELECT player_id, pool, count(*) AS games, count(*) FILTER (WHERE score = 1) AS wins, count(*) FILTER (WHERE score = 0.5) AS draws,
                count(*) FILTER (WHERE score = 0) AS losses, max(played_at) AS last_played
            FROM %1$I.event WHERE kind = ''match'' GROUP BY player_id, pool) AS e USING (player_id, pool)
        WHERE player_id <> ''p2''', ladder);
END
$$;
\set ECHO all
SELECT bool_and(c.players > 10 AND c.wrong = 0) AS "leaderboard as counted by hand"
FROM skillrating.models() AS m CROSS JOIN LATERAL miscounted('view_' || m.name) AS c;

-- Identifiers of other types: a table joins by its key, without a cast.
\set ECHO none
CREATE TYPE hero AS ENUM ('zeus', 'ares', 'hera');
CREATE DOMAIN code AS text CHECK (VALUE ~ '^[a-z]+$');
CREATE TABLE typed (g numeric(10, 0), u uuid, i int, h hero, c code, n numeric(10, 0), team int);
INSERT INTO typed SELECT m, md5(p::text)::uuid, p, (enum_range(NULL::hero))[p], repeat('x', p), p, p FROM generate_series(1, 3) AS m, generate_series(1, 3) AS p;
CREATE FUNCTION joined(attribute text) RETURNS TABLE (type regtype, board regtype, past regtype, players bigint, by_indexes boolean) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE VIEW typed_source AS SELECT g AS match_id, timestamptz ''2026-01-01Z'' + g::int * interval ''1 hour'' AS played_at, %I AS player_id, team, team AS rank FROM typed', attribute);
    EXECUTE format('CREATE TABLE owner AS SELECT %1$I AS id, format(''player %%s'', i) AS name FROM typed GROUP BY 1, 2; ALTER TABLE owner ADD PRIMARY KEY (id)', attribute);
    PERFORM skillrating.create_ladder('typed', 'elo', source => 'typed_source');
    PERFORM count(*) FROM skillrating.catch_up('typed', search => true);
    RETURN QUERY SELECT (SELECT a.atttypid::regtype FROM pg_attribute AS a WHERE a.attrelid = 'owner'::regclass AND a.attname = 'id'),
        (SELECT a.atttypid::regtype FROM pg_attribute AS a WHERE a.attrelid = 'typed.leaderboard'::regclass AND a.attname = 'player_id'),
        (SELECT a.atttypid::regtype FROM pg_attribute AS a WHERE a.attrelid = 'typed.history'::regclass AND a.attname = 'player_id'),
        (SELECT count(*) FROM typed.leaderboard AS b JOIN owner AS o ON o.id = b.player_id),
        nodes('SELECT o.name, r.rating FROM owner AS o JOIN typed.leaderboard AS r ON r.player_id = o.id WHERE r.pool = '''' ORDER BY r.rating DESC LIMIT 2') ~ 'Index.*Index';
    PERFORM skillrating.drop_ladder('typed');
    DROP VIEW typed_source;
    DROP TABLE owner;
END
$$;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
\set ECHO all
SELECT t.* FROM unnest('{u,i,h,c,n}'::text[]) AS a, joined(a) AS t;
RESET enable_mergejoin;
RESET enable_hashjoin;
RESET enable_bitmapscan;
RESET enable_seqscan;

-- A page of 50 of 100 000 players, with the names of an account, reads as many rows.
SELECT skillrating.create_ladder('wide', 'elo') \gset
INSERT INTO wide.rating (player_id, rating, games, last_played) SELECT p, 1500 + (p * 7919) % 100003 / 100.0, 1, '2026-01-01Z' FROM generate_series(1, 100000) AS p;
CREATE TABLE users (id bigint PRIMARY KEY, name text);
INSERT INTO users SELECT p, 'user ' || p FROM generate_series(1, 100000) AS p;
VACUUM ANALYZE wide.rating, users;
\set ECHO none
CREATE FUNCTION most_rows(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT max(n::float8) FROM jsonb_path_query(plan, 'strict $.**."Actual Rows"') AS n);
END
$$;
\set ECHO all
SELECT most_rows($$SELECT b.place, u.name, b.rating, b.deviation, b.games, b.wins, b.losses, b.draws, b.last_played, b.provisional
    FROM wide.leaderboard AS b JOIN users AS u ON u.id = b.player_id WHERE b.pool = '' ORDER BY b.rating DESC LIMIT 50$$) <= 100 AS page,
    most_rows($$SELECT u.name, r.rating, r.games FROM users AS u JOIN wide.rating AS r ON r.player_id = u.id AND r.pool = '' WHERE u.id = 77$$) = 1 AS one_player,
    most_rows($$SELECT u.name, h.rating_after FROM users AS u JOIN wide.history AS h ON h.player_id = u.id AND h.pool = '' WHERE u.id = 77 ORDER BY h.seq DESC LIMIT 5$$) <= 1 AS past;
SELECT skillrating.drop_ladder('wide') \gset

-- A reader may read them, and a role with SELECT on a view needs nothing on a table, but sees no
-- player whom it hides, whatever the condition.
CREATE ROLE regress_board_reader;
CREATE ROLE regress_board_site;
GRANT USAGE ON SCHEMA regress_views TO regress_board_site;
SELECT skillrating.grant_ladder('view_elo', 'regress_board_reader', 'reader') \gset
\set ECHO none
GRANT USAGE ON SCHEMA view_elo TO regress_board_site;
GRANT SELECT ON view_elo.leaderboard, view_elo.history TO regress_board_site;
CREATE FUNCTION tell(id text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
BEGIN
    IF id = 'nobody' THEN
        RAISE NOTICE '% is told', id;
    END IF;
    RETURN true;
END
$$;
SET client_min_messages = notice;
\set ECHO all
SET ROLE regress_board_reader;
SELECT count(*) > 0 AS board FROM view_elo.leaderboard;
SELECT count(*) > 0 AS events FROM view_elo.history;
SELECT count(*) FROM view_elo.components;
SET ROLE regress_board_site;
SELECT count(*) > 0 AS board FROM view_elo.leaderboard WHERE tell(player_id);
SELECT count(*) FROM view_elo.rating;
SELECT count(*) FROM view_elo.components;
RESET ROLE;
SET client_min_messages = warning;
SELECT skillrating.revoke_ladder('view_elo', 'regress_board_reader', 'reader') \gset
SELECT has_table_privilege('regress_board_reader', 'view_elo.leaderboard', 'SELECT');
-- Whom the owner lets see the configuration sees the solution, too.
SELECT skillrating.grant_ladder('view_elo', 'regress_board_reader', 'reader') \gset
SELECT matches > 0 AS solved FROM skillrating.solve_ladder('view_elo', pool => '');
SELECT has_table_privilege('regress_board_reader', 'view_elo.solved', 'SELECT'), has_table_privilege('regress_board_reader', 'view_elo.solved_context', 'SELECT'),
    has_table_privilege('regress_board_site', 'view_elo.solved', 'SELECT');

-- A shadow has views of its own, which follow its name; those over them are named.
CREATE VIEW top_three AS SELECT nick, place FROM view_elo.leaderboard JOIN account ON id = player_id WHERE pool = '' ORDER BY rating DESC LIMIT 3;
SELECT skillrating.shadow_ladder('view_elo', 'view_next', 'glicko2') IS NOT NULL AS shadowed;
SELECT skillrating.promote_ladder('view_next', former => 'view_before');
DROP VIEW top_three;
SELECT skillrating.promote_ladder('view_next', former => 'view_before') IS NOT NULL AS promoted;
SELECT * FROM differences('glicko2', 'view_elo');
SELECT has_table_privilege('regress_board_site', 'view_elo.leaderboard', 'SELECT') AS site;
SELECT count(*) FILTER (WHERE deviation IS NULL) AS without, count(*) > 0 AS shown FROM view_elo.leaderboard;

-- Nothing is left.
DROP SCHEMA regress_views CASCADE;
SELECT count(skillrating.drop_ladder(n.nspname)) FROM pg_namespace AS n
WHERE n.nspname IN ('empty', 'over', 'tennis', 'view_before') OR n.nspname LIKE 'view\_%';
SELECT count(*) FROM pg_namespace WHERE nspname IN ('empty', 'over', 'tennis') OR nspname LIKE 'view\_%';
DROP ROLE regress_board_reader, regress_board_site;
