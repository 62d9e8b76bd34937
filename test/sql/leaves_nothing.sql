-- No function changes the user, a setting or anything else for the next statement: not if it
-- succeeds, not if it fails, and not if only its first row is fetched.  All functions of both
-- schemas are called, by a superuser, by the owner of the ladders and by a guest (what is immutable
-- by one of them).
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE ROLE regress_leaves_owner;
CREATE ROLE regress_leaves_guest;
\set ECHO all
SELECT format('GRANT CREATE ON DATABASE %I TO regress_leaves_owner, regress_leaves_guest', current_database()) \gexec
CREATE SCHEMA leaves;
GRANT ALL ON SCHEMA leaves TO PUBLIC;

-- What the next statement finds.  Setting the role to what it is fails within a restricted
-- operation, and within a change of the user that C made.
\set ECHO none
CREATE FUNCTION leaves.state() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    fixed text;
BEGIN
    BEGIN
        PERFORM set_config('role', current_setting('role'), true);
    EXCEPTION WHEN OTHERS THEN
        fixed := SQLERRM;
    END;
    RETURN (SELECT array_agg(s.name || ' = ' || s.setting) FROM pg_show_all_settings() AS s) || ARRAY[
        'current user = ' || current_user, 'session user = ' || session_user, 'role = ' || current_setting('role'), fixed,
        (SELECT 'temporary relation ' || string_agg(c.relname, ' ') FROM pg_class AS c WHERE c.relnamespace = pg_my_temp_schema()),
        (SELECT 'prepared statement ' || string_agg(p.name, ' ') FROM pg_prepared_statements AS p),
        (SELECT 'cursor ' || string_agg(c.name, ' ') FROM pg_cursors AS c WHERE c.name !~ '^<unnamed'),
        (SELECT 'channel ' || string_agg(c, ' ') FROM pg_listening_channels() AS c)];
END
$$;
-- Locks of a transaction stay until its end.
CREATE FUNCTION leaves.locks() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid()
$$;
CREATE FUNCTION leaves.difference(was text[], now text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    IF was <> now THEN
        RETURN QUERY SELECT 'was ' || unnest(was) EXCEPT ALL SELECT 'was ' || unnest(now);
        RETURN QUERY SELECT 'is ' || unnest(now) EXCEPT ALL SELECT 'is ' || unnest(was);
    END IF;
END
$$;

-- Two ladders, of which the second is a shadow, one with a source, and a table to mirror to.
CREATE FUNCTION leaves.make_ladders() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ladder text;
BEGIN
    CREATE TABLE leaves.games (match_id bigint, played_at timestamptz DEFAULT '2024-01-01', player_id bigint, team integer, rank integer);
    INSERT INTO leaves.games SELECT m, '2024-01-01', (m + t) % 4 + 1, t, t FROM generate_series(1, 4) AS m, generate_series(1, 2) AS t;
    CREATE VIEW leaves.results AS SELECT * FROM leaves.games;
    CREATE TABLE leaves.more (LIKE leaves.games);
    CREATE TABLE leaves.person (id bigint, elo float8);
    PERFORM skillrating.create_ladder('leaves_ladder', 'elo', apply_at => 'manual');
    INSERT INTO leaves_ladder.match (match_id, played_at) SELECT m, '2024-01-01' FROM generate_series(1, 4) AS m;
    INSERT INTO leaves_ladder.match_player (match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM leaves.games;
    PERFORM skillrating.catch_up('leaves_ladder');
    UPDATE leaves_ladder.ladder SET apply_at = 'commit';
    PERFORM skillrating.new_season('leaves_ladder', 'first'), skillrating.void_match('leaves_ladder', 4),
        skillrating.solve_ladder('leaves_ladder', 'bradley_terry');
    PERFORM skillrating.shadow_ladder('leaves_ladder', 'leaves_second');
    PERFORM skillrating.create_ladder('leaves_sourced', 'glicko', source => 'leaves.results');
    PERFORM skillrating.attach('leaves_sourced', 'leaves.games');
    PERFORM skillrating.mirror_rating('leaves_sourced', 'leaves.person', 'id', '{"elo": "rating"}');
    GRANT ALL ON leaves.games, leaves.results, leaves.more, leaves.person TO regress_leaves_guest;
    FOREACH ladder IN ARRAY ARRAY['leaves_ladder', 'leaves_second', 'leaves_sourced'] LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO regress_leaves_guest', ladder);
        EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %I TO regress_leaves_guest', ladder);
        EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO regress_leaves_guest', ladder);
    END LOOP;
END
$$;
\set ECHO all

-- A value for an argument: null, a likely one, one that is wrong, or one that is wrong unless it is
-- the name of a ladder.
\set ECHO none
CREATE FUNCTION leaves.value(type text, name text, kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN kind = 'null' THEN format('NULL::%s', t)
        WHEN kind = 'wrong' OR kind = 'inside' AND name NOT IN ('ladder', 'a', 'b', 'other') THEN CASE t WHEN 'text' THEN '''no such thing''::text' WHEN 'jsonb' THEN '''[1]''::jsonb'
            WHEN 'double precision' THEN '''NaN''::float8' WHEN 'timestamp with time zone' THEN '''infinity''::timestamptz'
            WHEN 'regclass' THEN '''leaves.more''::regclass' WHEN 'regtype' THEN '''point''::regtype'
            WHEN 'integer' THEN '-1' WHEN 'bigint' THEN '-1::bigint' WHEN 'boolean' THEN 'false'
            WHEN 'interval' THEN '''-1 day''::interval'
            WHEN 'skillrating.lobby' THEN '(ROW(''{NULL}'', ''{NULL}'', '|| array_to_string(array_fill('NULL'::text, '{24}'), ', ') || ')::skillrating.lobby)'
            ELSE format('%L::%s', CASE WHEN t LIKE '%[]' THEN '{NULL}' END, t) END
        WHEN t = 'text' THEN format('%L::text', CASE name WHEN 'ladder' THEN 'leaves_ladder' WHEN 'a' THEN 'leaves_ladder'
            WHEN 'b' THEN 'leaves_second' WHEN 'other' THEN 'leaves_sourced' WHEN 'model' THEN 'elo' WHEN 'solver' THEN 'bradley_terry'
            WHEN 'season' THEN 'first' ELSE '' END)
        ELSE format('%L::%s', CASE WHEN t = 'double precision[]' THEN '{0.25,1}' WHEN t LIKE '%[]' THEN '{1,2}' WHEN t LIKE 'timestamp%' THEN '2024-01-01' WHEN t = 'interval' THEN '1 day'
            WHEN t = 'jsonb' THEN '{}' WHEN t = 'regclass' THEN 'leaves.games' WHEN t = 'regtype' THEN 'bigint'
            WHEN t = 'double precision' AND name <> 'rank' THEN '0.5'
            WHEN t IN ('integer', 'bigint', 'double precision', 'boolean') THEN '1' END, t) END
    FROM (SELECT regexp_replace(regexp_replace(type, '^any(element|compatible|nonarray|compatiblenonarray)$', 'bigint'),
        '^any(array|compatiblearray)$', 'bigint[]')) AS r(t)
$$;
-- A call with n arguments of a kind.
CREATE FUNCTION leaves.statement(function oid, n integer, kind text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format(CASE p.prokind WHEN 'p' THEN 'CALL %s(%s)' WHEN 'a' THEN 'SELECT %s(%s) FROM generate_series(1, 2)'
            WHEN 'w' THEN 'SELECT %s(%s) OVER (ORDER BY g) FROM generate_series(1, 2) AS g' ELSE 'SELECT %s(%s)' END,
        p.oid::regproc,
        (SELECT string_agg(leaves.value(format_type(a.type, NULL), a.name, kind), ', ' ORDER BY a.n)
        FROM (
            SELECT row_number() OVER (ORDER BY u.n) AS n, u.type, p.proargnames[u.n] AS name
            FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY AS u(type, n)
            WHERE coalesce(p.proargmodes[u.n], 'i') IN ('i', 'b', 'v')) AS a
        WHERE a.n <= statement.n))
    FROM pg_proc AS p WHERE p.oid = function
$$;
CREATE TABLE leaves.calls (call integer GENERATED ALWAYS AS IDENTITY, function text, public boolean, kind text, statement text, volatility "char", rows boolean);
INSERT INTO leaves.calls (function, public, kind, statement, volatility, rows)
SELECT p.proname, p.pronamespace = 'skillrating'::regnamespace, k.kind, leaves.statement(p.oid, n, k.kind), p.provolatile, p.proretset
FROM pg_proc AS p
CROSS JOIN (VALUES ('null'), ('likely'), ('wrong'), ('inside')) AS k(kind)
CROSS JOIN LATERAL (SELECT p.pronargs UNION SELECT p.pronargs - p.pronargdefaults WHERE p.provolatile <> 'i') AS a(n)
WHERE p.pronamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace)
    AND NOT (p.proargtypes::oid[] || p.prorettype) && '{internal, cstring, trigger, event_trigger}'::regtype[]::oid[]
ORDER BY p.oid::regprocedure::text COLLATE "C", k.kind, n;
-- Those that take something else to succeed.
INSERT INTO leaves.calls (function, public, kind, statement, volatility, rows)
SELECT e.function, true, 'likely', e.statement, c.volatility, c.rows
FROM (VALUES
    ('attach', $$SELECT skillrating.attach('leaves_sourced', 'leaves.more')$$),
    ('catch_up', $$SELECT skillrating.catch_up('leaves_sourced', search => true)$$),
    ('create_ladder', $$SELECT skillrating.create_ladder('leaves_newest', 'elo')$$),
    ('detach', $$SELECT skillrating.detach('leaves_sourced', 'leaves.games')$$),
    ('division', $$SELECT skillrating.division(1, '{1,2}', '{a,b,c}')$$),
    ('drop_ladder', $$SELECT skillrating.drop_ladder('leaves_sourced')$$),
    ('elo_mmr_update', $$SELECT skillrating.elo_mmr_update('{1,2}', '{1,2}', '{1500,1500}', '{350,350}')$$),
    ('elo_win_probability', $$SELECT skillrating.elo_win_probability(1, 2)$$),
    ('trueskill_update', $$SELECT skillrating.trueskill_update('{1,2}', '{1,2}', '{25,25}', '{8,8}')$$),
    ('set_eligibility', $$SELECT skillrating.set_eligibility('leaves_ladder', '{"max_repeats": 60}')$$),
    ('set_horizon', $$SELECT skillrating.set_horizon('leaves_ladder', now() - interval '1 year')$$),
    ('set_ranks', $$SELECT skillrating.set_ranks('leaves_ladder', 'counted')$$),
    ('exclude_player', $$SELECT skillrating.exclude_player('leaves_ladder', 4)$$),
    ('final_components', $$SELECT skillrating.final_components('state_space', m, m + t, t, t, skillrating.inputs(side => t, context => 'x'), NULL ORDER BY m) FROM generate_series(1, 2) AS m, generate_series(1, 2) AS t$$),
    ('final_ratings', $$SELECT skillrating.final_ratings('elo', m, m + t, t, t ORDER BY m) FROM generate_series(1, 2) AS m, generate_series(1, 2) AS t$$),
    ('forget_players', $$SELECT skillrating.forget_players('leaves_ladder', ARRAY[1], '{99}')$$),
    ('idle_state', $$SELECT skillrating.idle_state('elo', '{1}', '1 day')$$),
    ('import_ratings', $$SELECT skillrating.import_ratings('leaves_ladder', ARRAY[901], '[{"rating": 1600}]')$$),
    ('lobby', $$SELECT skillrating.lobby('leaves_ladder', ARRAY[1, 2])$$),
    ('pair_queue', $$SELECT skillrating.pair_queue(skillrating.lobby('leaves_ladder', ARRAY[1, 2]))$$),
    ('split_teams', $$SELECT skillrating.split_teams('{1,2}'::bigint[], '{1500,1600}')$$),
    ('hive_update', $$SELECT skillrating.hive_update(t, ROW(10, 0, 0, 0, 0)::skillrating.hive_state, t, t % 2) FROM generate_series(1, 2) AS t$$),
    ('linear_fit', $$SELECT skillrating.linear_fit(t * t, ARRAY[t], 1, 0) FROM generate_series(1, 4) AS t$$),
    ('merge_players', $$SELECT skillrating.merge_players('leaves_ladder', 3, 2)$$),
    ('mirror_rating', $$SELECT skillrating.mirror_rating('leaves_sourced', 'leaves.person', 'id', '{"elo": "games"}')$$),
    ('new_season', $$SELECT skillrating.new_season('leaves_ladder', 'second', toward => 'bradley_terry')$$),
    ('plot_calibration', $$SELECT skillrating.plot_calibration(skillrating.calibration(0.5, 1, 10)) FROM generate_series(1, 2)$$),
    ('plot_distribution', $$SELECT skillrating.plot_distribution('{1,2}')$$),
    ('plot_history', $$SELECT skillrating.plot_history('{a,b}', '{1,2}'::float8[], '{1,2}')$$),
    ('predict', $$SELECT * FROM skillrating.predict('elo', '{1500,1600}', '{1,2}')$$),
    ('rate', $$SELECT skillrating.rate('elo', t, t, t) OVER (ORDER BY m) FROM generate_series(1, 2) AS m, generate_series(1, 2) AS t$$),
    ('rate_match', $$SELECT skillrating.rate_match('elo', ARRAY[m, m + 1], ARRAY[1, 2], ARRAY[1, 2]) OVER (ORDER BY m) FROM generate_series(1, 2) AS m$$),
    ('rate_through_time', $$SELECT skillrating.rate_through_time('state_space', t, t, t, options => '{"refit_matches": 1}') OVER (ORDER BY m) FROM generate_series(1, 2) AS m, generate_series(1, 2) AS t$$),
    ('recalibrate', $$SELECT skillrating.recalibrate(0.8, t % 2) OVER (ORDER BY t) FROM generate_series(1, 4) AS t$$),
    ('stack', $$SELECT skillrating.stack('{0.8,0.5}', ARRAY[t % 2]) OVER (ORDER BY t) FROM generate_series(1, 4) AS t$$),
    ('report_match', $$SELECT skillrating.report_match('leaves_ladder', 10, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2])$$),
    ('refresh_source', $$SELECT skillrating.refresh_source('leaves_sourced')$$),
    ('shadow_ladder', $$SELECT skillrating.shadow_ladder('leaves_ladder', 'leaves_new', 'glicko')$$),
    ('promote_ladder', $$SELECT skillrating.promote_ladder('leaves_second', 'leaves_former', hanging => 'keep')$$),
    ('reset_rating', $$SELECT skillrating.reset_rating('leaves_ladder', 3)$$),
    ('restore_match', $$SELECT skillrating.restore_match('leaves_ladder', 4)$$),
    ('parameters', $$SELECT skillrating.parameters('behaviour_score')$$),
    ('scramble_due', $$SELECT skillrating.scramble_due('arena', '{1,1,1}')$$),
    ('season_state', $$SELECT skillrating.season_state('elo', '{1}')$$),
    ('set_rating', $$SELECT skillrating.set_rating('leaves_ladder', 3, '{"rating": 1600}')$$),
    ('state_rating', $$SELECT skillrating.state_rating('elo', '{1}')$$),
    ('suggest_model', $$SELECT skillrating.suggest_model(m, m + t, t, t, NULL, '{"budget": 20}' ORDER BY m) FROM generate_series(1, 10) AS m, generate_series(1, 2) AS t$$),
    ('tune', $$SELECT skillrating.tune('elo', m, m + t, t, t, NULL, '{"fit": ["k"]}' ORDER BY m) FROM generate_series(1, 4) AS m, generate_series(1, 2) AS t$$),
    ('undo_operation', $$SELECT skillrating.undo_operation('leaves_ladder', 5)$$),
    ('unmirror_rating', $$SELECT skillrating.unmirror_rating('leaves_sourced', 'leaves.person')$$),
    ('grant_ladder', $$SELECT skillrating.grant_ladder('leaves_ladder', 'public', 'reader')$$),
    ('grant_ladder', $$SELECT skillrating.grant_ladder('leaves_ladder', 'public', 'reporter')$$),
    ('revoke_ladder', $$SELECT skillrating.revoke_ladder('leaves_ladder', 'public', 'reader')$$),
    ('revoke_ladder', $$SELECT skillrating.revoke_ladder('leaves_ladder', 'public', 'reporter')$$),
    ('elo_contest_update', $$SELECT skillrating.elo_contest_update('{1500,1400}', '{1,2}')$$),
    ('weng_lin_win_probability', $$SELECT skillrating.weng_lin_win_probability('{1,2}', '{25,25}', '{8,8}')$$),
    ('weng_lin_draw_probability', $$SELECT skillrating.weng_lin_draw_probability('{1,2}', '{25,25}', '{8,8}')$$),
    ('weng_lin_update', $$SELECT skillrating.weng_lin_update('plackett_luce', '{1,2}', '{1,2}', '{25,25}', '{8,8}')$$)) AS e(function, statement)
CROSS JOIN LATERAL (SELECT max(c.volatility) AS volatility, bool_or(c.rows) AS rows FROM leaves.calls AS c WHERE c.function = e.function) AS c;
\set ECHO all

-- Each call in a subtransaction: what it leaves when it is done, and after it has been taken back.
\set ECHO none
CREATE TABLE leaves.outcomes (caller text, call integer, sqlstate text, message text);
CREATE FUNCTION leaves.try(caller text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    c record;
    was text[];
    done text[];
    first_row refcursor;
    it record;
    locks bigint;
BEGIN
    PERFORM set_config('role', caller, true);
    was := leaves.state();
    FOR c IN
        SELECT s.*, f.first FROM leaves.calls AS s CROSS JOIN (VALUES (false), (true)) AS f(first)
        WHERE (s.kind = 'likely' AND s.rows OR NOT f.first) AND (s.volatility <> 'i' OR caller = session_user)
        ORDER BY s.call, f.first
    LOOP
        done := was;
        locks := leaves.locks();
        BEGIN
            IF c.first THEN
                OPEN first_row FOR EXECUTE c.statement;
                FETCH first_row INTO it;
            ELSE
                EXECUTE c.statement;
            END IF;
            done := leaves.state();
            RAISE EXCEPTION USING ERRCODE = '00001';
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO leaves.outcomes VALUES (caller, c.call, SQLSTATE, SQLERRM);
        END;
        RETURN QUERY SELECT format('%s, as %s: %s', c.statement, caller, d) FROM leaves.difference(was, done) AS d;
        RETURN QUERY SELECT format('%s, as %s, taken back: %s', c.statement, caller, d) FROM leaves.difference(was, leaves.state()) AS d
            UNION ALL SELECT format('%s, as %s: advisory locks', c.statement, caller) WHERE locks <> leaves.locks();
    END LOOP;
END
$$;
GRANT ALL ON leaves.calls, leaves.outcomes TO PUBLIC;
\set ECHO all
SET ROLE regress_leaves_owner;
SELECT leaves.make_ladders() \gset
RESET ROLE;
SELECT leaves.try(session_user::text);
SELECT leaves.try('regress_leaves_owner');
SELECT leaves.try('regress_leaves_guest');
-- Each function that users call has succeeded at least once; procedures, which commit, do below.
SELECT c.function AS never_succeeded
FROM leaves.calls AS c JOIN leaves.outcomes AS o USING (call)
WHERE c.public AND c.function <> 'backfill' GROUP BY c.function HAVING count(*) FILTER (WHERE c.kind = 'likely' AND o.sqlstate = '00001') = 0 ORDER BY c.function;

-- What changes something, and is committed, one after another on the same ladders.
\set ECHO none
CREATE TABLE leaves.commits (call integer GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO leaves.commits (statement) VALUES
    ('WITH m AS (INSERT INTO leaves_ladder.match (match_id) VALUES (10))
    INSERT INTO leaves_ladder.match_player (match_id, player_id, team, rank) VALUES (10, 1, 1, 1), (10, 2, 2, 2)'),
    ('UPDATE leaves_ladder.match_player SET rank = 3 - rank WHERE match_id = 1'),
    ('DELETE FROM leaves_ladder.match WHERE match_id = 1'),
    ('TRUNCATE leaves_ladder.match_player'),
    ('INSERT INTO leaves.games VALUES (10, ''2024-01-02'', 1, 1, 1), (10, ''2024-01-02'', 2, 2, 2)');
INSERT INTO leaves.commits (statement)
SELECT c.statement
FROM (
    SELECT DISTINCT ON (c.function) c.* FROM leaves.calls AS c
    WHERE c.public AND c.volatility = 'v' AND c.kind = 'likely' AND c.function <> 'backfill'
    ORDER BY c.function, c.call DESC) AS c
ORDER BY c.function IN ('drop_ladder', 'detach', 'reset_ladder'), c.function;
CREATE TABLE leaves.left_behind (statement text, caller text, difference text);
GRANT ALL ON leaves.commits, leaves.left_behind TO PUBLIC;
CREATE PROCEDURE leaves.commit_all(caller text) LANGUAGE plpgsql AS $$
DECLARE
    c record;
    was text[];
BEGIN
    DROP SCHEMA IF EXISTS leaves_ladder, leaves_second, leaves_sourced, leaves_new, leaves_newest, leaves_former, "no such thing" CASCADE;
    DROP TABLE IF EXISTS leaves.games, leaves.more, leaves.person CASCADE;
    PERFORM set_config('role', 'regress_leaves_owner', false);
    PERFORM leaves.make_ladders();
    PERFORM set_config('role', caller, false);
    COMMIT;
    was := leaves.state();
    FOR c IN SELECT * FROM leaves.commits ORDER BY call LOOP
        BEGIN
            EXECUTE c.statement;
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
        COMMIT;
        INSERT INTO leaves.left_behind SELECT c.statement, caller, d FROM leaves.difference(was, leaves.state()) AS d
        UNION ALL SELECT c.statement, caller, 'advisory locks' WHERE leaves.locks() > 0;
    END LOOP;
    PERFORM set_config('role', 'none', false);
END
$$;
\set ECHO all
CALL leaves.commit_all(session_user::text);
CALL leaves.commit_all('regress_leaves_guest');
SELECT * FROM leaves.left_behind;

-- What commits within, and errors that nobody catches, most of them after work on a ladder has begun.
\set ECHO none
CREATE TABLE leaves.before (state text[]);
CREATE PROCEDURE leaves.check() LANGUAGE plpgsql AS $$
DECLARE
    difference text;
BEGIN
    FOR difference IN SELECT leaves.difference(b.state, leaves.state()) FROM leaves.before AS b LOOP
        RAISE WARNING '%', difference;
    END LOOP;
    IF leaves.locks() > 0 THEN
        RAISE WARNING 'advisory locks';
    END IF;
END
$$;
\set VERBOSITY sqlstate
INSERT INTO leaves.before SELECT leaves.state();
\set ECHO all
\o /dev/null
CALL skillrating.backfill('leaves_sourced', 1);
CALL leaves.check();
CALL skillrating.backfill('leaves_sourced', 1, late => 'never');
CALL leaves.check();
SELECT DISTINCT ON (c.function) c.statement, 'CALL leaves.check()'
FROM leaves.calls AS c WHERE c.public AND c.kind = 'inside' AND c.volatility <> 'i'
ORDER BY c.function, c.call \gexec
\o
\set VERBOSITY default

SET client_min_messages = warning;
DROP SCHEMA IF EXISTS leaves, leaves_ladder, leaves_second, leaves_sourced, leaves_new, leaves_newest, leaves_former, "no such thing" CASCADE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_leaves_owner, regress_leaves_guest', current_database()) \gexec
DROP ROLE regress_leaves_owner;
DROP ROLE regress_leaves_guest;
