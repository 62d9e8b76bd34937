-- Identifiers come from clients as parameters without a type, as literals, and as values of
-- whatever type the client has for them.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;
SET datestyle = iso;
CREATE SCHEMA untyped;
\set ECHO all

-- Every function that takes polymorphic arguments can be prepared with parameters of no type: with
-- all arguments, and with those only that it has no default for.  Aggregates and window functions
-- read columns of tables, which have types.
\set ECHO none
CREATE FUNCTION untyped.prepared(function oid, n integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    types text;
BEGIN
    -- Where two forms differ in the second argument only, it is given by name.
    EXECUTE format('PREPARE untyped_call AS SELECT * FROM %s(%s)', function::regproc::text,
        (SELECT string_agg(CASE WHEN p.proname IN ('split_teams', 'lobby') AND i > 1 THEN format('%I => ', p.proargnames[i]) ELSE '' END || '$' || i, ', ' ORDER BY i) FROM pg_proc AS p, generate_series(1, n) AS i WHERE p.oid = function));
    SELECT string_agg(s.parameter_types[u.i]::text, ', ' ORDER BY u.i) INTO types
    FROM pg_prepared_statements AS s, pg_proc AS p, unnest(p.proargtypes::oid[]) WITH ORDINALITY AS u(type, i)
    WHERE s.name = 'untyped_call' AND p.oid = function AND u.i <= n
        AND u.type IN ('anyelement'::regtype, 'anynonarray'::regtype, 'anyarray'::regtype, 'anycompatible'::regtype,
            'anycompatiblenonarray'::regtype, 'anycompatiblearray'::regtype);
    DEALLOCATE untyped_call;
    RETURN types;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;
CREATE FUNCTION untyped.public_functions(OUT function oid, OUT name text, OUT n integer) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT p.oid, p.proname, p.pronargs
    FROM pg_proc AS p
    WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prokind = 'f'
        AND EXISTS (SELECT FROM unnest(p.proargtypes::oid[]) AS t WHERE t::regtype::text LIKE 'any%')
$$;
\set ECHO all
SELECT untyped.prepared(f.function, f.n) AS with_all, untyped.prepared(f.function, (f.n - p.pronargdefaults)::integer) AS with_few,
    string_agg(f.name, ' ' ORDER BY f.function::regprocedure::text COLLATE "C") AS functions
FROM untyped.public_functions() AS f JOIN pg_proc AS p ON p.oid = f.function GROUP BY 1, 2 ORDER BY 3;

-- Types of identifiers, with those of two players, and the types in which a client may have them.
\set ECHO none
CREATE TYPE untyped.colour AS ENUM ('red', 'blue', 'green');
CREATE DOMAIN untyped.account AS bigint;
CREATE TABLE untyped.kind (type regtype, a text, b text, c text, others text[]);
INSERT INTO untyped.kind VALUES
    ('int8', '1', '2', '3', '{int2,int4,numeric,oid}'), ('int4', '1', '2', '3', '{int2,int8,numeric}'), ('int2', '1', '2', '3', '{int4,int8}'),
    ('numeric', '1', '2', '3', '{int2,int4,int8}'), ('untyped.account', '1', '2', '3', '{int4,int8}'),
    ('text', 'ann', 'o''bob "b", {c}', 'new', '{bpchar,name}'), ('varchar', 'ann', 'bob', 'new', '{bpchar}'), ('bpchar', 'ann', 'bob', 'new', '{name}'),
    ('uuid', '5d8b7b52-0000-0000-0000-00000000000a', '5d8b7b52-0000-0000-0000-00000000000b', '5d8b7b52-0000-0000-0000-00000000000c', '{}'),
    ('date', '2024-01-01', '2024-01-02', '2024-01-03', '{}'), ('inet', '10.0.0.1', '10.0.0.2', '10.0.0.3', '{}'), ('untyped.colour', 'red', 'blue', 'green', '{}');

-- The calls: %1$s is a match, %2$s a player, %3$s an array of two, %4$s the other of them, %5$s a new one,
-- %6$s an array of the player, %7$L one of the new one.  The match is reported before, so that reporting it again changes nothing.
CREATE TABLE untyped.call (n integer GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO untyped.call (call) VALUES
    ('report_match(''untyped_ladder'', %1$s, %3$s, ''{1,2}'', ''{1,2}'')'),
    ('report_match(''untyped_ladder'', %1$s, %3$s, ''{1,2}'', team_score => ''{2,1}'', rank => ''{1,2}'', weight => ''{1,1}'')'),
    ('preview(''untyped_ladder'', %3$s, ''{1,2}'')'),
    ('win_probability(''untyped_ladder'', %3$s, ''{1,2}'')'),
    ('lobby(''untyped_ladder'', %3$s)'),
    ('split_teams(skillrating.lobby(''untyped_ladder'', %3$s))'),
    ('find_opponents(''untyped_ladder'', %2$s)'),
    ('place_of(''untyped_ladder'', %2$s)'),
    ('season_table(''untyped_ladder'', player => %2$s, min_games => 0)'),
    ('season_table(''untyped_ladder'', min_games => 0, after_player => %2$s)'),
    ('leaderboard(''untyped_ladder'', after_player => %2$s)'),
    ('around(''untyped_ladder'', %2$s)'),
    ('history(''untyped_ladder'', %2$s)'),
    ('rating_at(''untyped_ladder'', %2$s, ''2100-01-01'')'),
    ('match_outcome(''untyped_ladder'', %1$s)'),
    ('void_match(''untyped_ladder'', %1$s)'),
    ('match_outcome(''untyped_ladder'', %1$s)'),
    ('restore_match(''untyped_ladder'', %1$s)'),
    ('merge_players(''untyped_ladder'', %2$s, %4$s)'),
    ('undo_operation(''untyped_ladder'', (SELECT max(operation) FROM untyped_ladder.operation))'),
    ('exclude_player(''untyped_ladder'', %2$s)'),
    ('undo_operation(''untyped_ladder'', (SELECT max(operation) FROM untyped_ladder.operation))'),
    ('set_rating(''untyped_ladder'', %2$s, ''{"rating": 1700}'')'),
    ('reset_rating(''untyped_ladder'', %2$s)'),
    ('forget_players(''untyped_ladder'', %6$s, %7$L)');
\set ECHO all

-- The rows of a call whose identifiers are in a form: of a type, as literals, or as parameters
-- without a type.
\set ECHO none
CREATE FUNCTION untyped.answer(call text, form text, a text, b text, c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    value text[] := ARRAY[a, a, ARRAY[a, b]::text, b, c, ARRAY[a]::text];
    shown text[];
    used integer[];
    rows text := '';
    r record;
BEGIN
    IF form = 'parameters' THEN
        used := ARRAY(SELECT i FROM generate_series(1, 6) AS i WHERE call LIKE '%\%' || i || '$s%');
        shown := ARRAY(SELECT '$' || coalesce(array_position(used, i), 1) FROM generate_series(1, 6) AS i);
    ELSE
        shown := ARRAY(SELECT quote_literal(value[i]) || CASE WHEN form = 'literals' THEN '' ELSE format('::%s%s', form, CASE WHEN i IN (3, 6) THEN '[]' END) END
            FROM generate_series(1, 6) AS i);
    END IF;
    call := format('SELECT * FROM skillrating.' || call, VARIADIC shown || ARRAY[c]::text);
    IF form = 'parameters' AND used <> '{}' THEN
        EXECUTE 'PREPARE untyped_call AS ' || call;
        call := format('EXECUTE untyped_call(%s)', (SELECT string_agg(quote_literal(value[i]), ', ' ORDER BY n) FROM unnest(used) WITH ORDINALITY AS u(i, n)));
    END IF;
    FOR r IN EXECUTE call LOOP
        rows := rows || r::text;
    END LOOP;
    IF form = 'parameters' AND used <> '{}' THEN
        DEALLOCATE untyped_call;
    END IF;
    RETURN rows;
END
$$;
-- All calls one after another, and what is then in the table rating; it is all taken back.
CREATE FUNCTION untyped.answers(kind untyped.kind, form text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    answers text[];
BEGIN
    -- A sequence does not go back.
    PERFORM setval('untyped_ladder.event_seq', 1);
    BEGIN
        SELECT array_agg(c.call || ': ' || untyped.answer(c.call, coalesce(form, format_type(kind.type, -1)), kind.a, kind.b, kind.c) ORDER BY c.n) INTO answers
        FROM untyped.call AS c;
        EXECUTE 'SELECT $1 || array_agg(row_to_json(r)::text ORDER BY r.player_id::text) FROM untyped_ladder.rating AS r' INTO answers USING answers;
        RAISE EXCEPTION 'taken back' USING ERRCODE = 'UN001';
    EXCEPTION WHEN SQLSTATE 'UN001' THEN
        RETURN answers;
    END;
END
$$;
CREATE FUNCTION untyped.make_ladder(kind untyped.kind) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.create_ladder('untyped_ladder', 'elo', player_type => kind.type, match_type => kind.type);
    EXECUTE format('SELECT FROM skillrating.report_match(''untyped_ladder'', %1$L::%3$s, ARRAY[%1$L, %2$L]::%3$s[], ''{1,2}'', ''{1,2}'', ''2024-01-01'')',
        kind.a, kind.b, format_type(kind.type, -1));
END
$$;
-- Whatever the form, the answers are those that values of the ladder's own type get.
CREATE TABLE untyped.answered (type regtype, form text, answers text[]);
CREATE DOMAIN untyped.words AS text;
\o /dev/null
SELECT format('CREATE DOMAIN untyped.of_%s AS %s', row_number() OVER (ORDER BY a, type), format_type(type, -1)) FROM untyped.kind \gexec
SELECT format('SELECT untyped.make_ladder(k) FROM untyped.kind AS k WHERE k.type = %L::regtype', k.type),
    format('INSERT INTO untyped.answered SELECT k.type, f.form, untyped.answers(k, f.name)
        FROM untyped.kind AS k CROSS JOIN LATERAL (
            SELECT u.form, u.form FROM unnest(''{literals,parameters,text,varchar}'' || k.others) AS u(form)
            UNION ALL VALUES (''own'', NULL), (''domain'', ''untyped.of_%s''), (''domain over text'', ''untyped.words'')) AS f(form, name)
        WHERE k.type = %L::regtype', row_number() OVER (ORDER BY k.a, k.type), k.type),
    'SELECT skillrating.drop_ladder(''untyped_ladder'')'
FROM untyped.kind AS k \gexec
\o
\set ECHO all
SELECT o.type, (SELECT count(*) FROM unnest(o.answers) AS a(answer) WHERE a.answer ~ '\): .') AS answered, cardinality(o.answers) AS answers,
    string_agg(a.form, ', ' ORDER BY a.form COLLATE "C") FILTER (WHERE a.answers = o.answers) AS the_same,
    string_agg(a.form, ', ' ORDER BY a.form COLLATE "C") FILTER (WHERE a.answers <> o.answers) AS others
FROM untyped.answered AS o JOIN untyped.answered AS a USING (type)
WHERE o.form = 'own'
GROUP BY o.type, o.answers
ORDER BY o.type::text COLLATE "C";

-- Arrays in parameters without a type are arrays of texts.
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text', match_type => 'text') \gset
SELECT player_id, rating_after FROM skillrating.report_match('arena', 'm1', '{ann,bob}', '{1,2}', team_score => '{3,1}');
PREPARE forget_all AS SELECT * FROM skillrating.forget_players('arena', $1, $2);
EXECUTE forget_all('{ann,bob}', '{x,y}');

-- Two identifiers of the same function may differ in type where they are of matches and players.
SELECT skillrating.create_ladder('mixed', 'elo', player_type => 'uuid') \gset
PREPARE report AS SELECT player_id, round(rating_after) AS after FROM skillrating.report_match($1, $2, $3, $4, $5);
EXECUTE report('mixed', '1', '{5d8b7b52-0000-0000-0000-00000000000a,5d8b7b52-0000-0000-0000-00000000000b}', '{1,2}', '{1,2}');
SELECT count(*) FROM skillrating.report_match('mixed', 2, '{5d8b7b52-0000-0000-0000-00000000000a,5d8b7b52-0000-0000-0000-00000000000b}'::uuid[], '{1,2}', '{1,2}');
PREPARE named AS SELECT player_id, round(rating_after) AS after FROM skillrating.report_match(ladder => $1, match_id => $2, players => $3, team => $4, team_score => $5);
EXECUTE named('mixed', '3', '{5d8b7b52-0000-0000-0000-00000000000a,5d8b7b52-0000-0000-0000-00000000000b}', '{1,2}', '{1,2}');

-- What is no identifier of the ladder stays an error.
CREATE TYPE untyped.pair AS (x bigint, y bigint);
SELECT * FROM skillrating.report_match('mixed', 'four', '{5d8b7b52-0000-0000-0000-00000000000a}', '{1}', '{1}');
SELECT * FROM skillrating.report_match('mixed', 4.5, '{5d8b7b52-0000-0000-0000-00000000000a}', '{1}', '{1}');
-- The context names the argument.
\set VERBOSITY default
\set SHOW_CONTEXT errors
SELECT * FROM skillrating.report_match('mixed', 'four', '{5d8b7b52-0000-0000-0000-00000000000a}', '{1}', '{1}');
SELECT * FROM skillrating.report_match('mixed', 4, '{1,2}', '{1,2}', '{1,2}');
\set SHOW_CONTEXT never
\set VERBOSITY terse
SELECT * FROM skillrating.report_match('mixed', 4, '{1,2}', '{1,2}', '{1,2}');
SELECT * FROM skillrating.report_match('mixed', 4, ARRAY[1, 2], '{1,2}', '{1,2}');
SELECT * FROM skillrating.report_match('mixed', ROW(1, 2)::untyped.pair, '{}', '{}', '{}');
SELECT * FROM skillrating.report_match('mixed', 'red'::untyped.colour, '{}', '{}', '{}');
SELECT * FROM skillrating.preview('mixed', ARRAY['red']::untyped.colour[], '{1}');
SELECT (skillrating.place_of('mixed', 'red'::untyped.colour)).place;
SELECT * FROM skillrating.report_match('mixed', NULL, '{}', '{}', '{}');
SELECT * FROM skillrating.report_match('mixed', 4, NULL, '{}', '{}');
SELECT * FROM skillrating.report_match('mixed', 4, '{5d8b7b52-0000-0000-0000-00000000000a,NULL}', '{1,2}', '{1,2}');
SELECT * FROM skillrating.report_match('mixed', 4, '{5d8b7b52-0000-0000-0000-00000000000a,5d8b7b52-0000-0000-0000-00000000000b}', '{1,2}');

-- What the forecast of win_probability() takes is what preview() takes.
SELECT skillrating.create_ladder('squads', 'hive', player_type => 'text', match_type => 'text') \gset
SELECT count(*) FROM skillrating.report_match('squads', 'm1', '{a,b,c,d}', '{1,1,2,2}', '{1,1,2,2}', weight => '{1,0.5,1,1}', side => '{1,1,2,2}', commanding => '{1,0,1,0}', squad => '{7,7,8,9}');
SELECT w.team, w.win_probability = p.win_probability AS same, w.win_probability <> n.win_probability AS tells
FROM skillrating.win_probability('squads', '{a,b,c,d}', '{1,1,2,2}', weight => '{1,0.5,1,1}', joined => NULL, left_at => NULL,
    commanding => '{1,0,0,1}', side => '{2,2,1,1}', squad => '{7,7,8,9}', log_odds => 0.1) AS w
JOIN (SELECT p.team, min(p.win_probability) AS win_probability
    FROM skillrating.preview('squads', '{a,b,c,d}', '{1,1,2,2}', weight => '{1,0.5,1,1}',
        commanding => '{1,0,0,1}', side => '{2,2,1,1}', squad => '{7,7,8,9}', log_odds => 0.1) AS p GROUP BY p.team) AS p USING (team)
JOIN skillrating.win_probability('squads', '{a,b,c,d}', '{1,1,2,2}', side => '{2,2,1,1}') AS n USING (team)
ORDER BY w.team;

SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['arena', 'mixed', 'squads']) AS l;
SET client_min_messages = error;
DROP SCHEMA untyped CASCADE;
