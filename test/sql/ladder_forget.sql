-- Erasure: persons are forgotten, and nothing is replayed.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;

-- What was found wrong, or nothing.
CREATE FUNCTION faults(ladder text)
RETURNS TABLE (check_name text, detail text)
LANGUAGE sql
AS 'SELECT v.check_name, v.detail FROM skillrating.verify(ladder) AS v WHERE NOT v.ok';

-- The columns of a schema, of tables and views, in which any of these words occurs.
\set ECHO none
CREATE FUNCTION occurrences(schema text, words text[])
RETURNS TABLE (relation name, attribute name, n bigint)
LANGUAGE plpgsql
AS $function$
BEGIN
    FOR relation, attribute IN
        SELECT c.relname, a.attname
        FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = schema::regnamespace AND c.relkind IN ('r', 'v')
        ORDER BY c.relname, a.attname
    LOOP
        -- In each row, the words that are a part of it; the rest is the same in each.
        EXECUTE format(
            'SELECT count(*) FROM (SELECT DISTINCT t.%I::text AS value FROM %I.%I AS t) AS t
            WHERE t.value ~ $2 AND EXISTS (
                SELECT FROM regexp_split_to_table(t.value, $3) AS w(word) WHERE w.word = ANY ($1))',
            attribute, schema, relation)
        INTO n USING words, '[0-9a-z]{6}', '[^0-9a-z]+';
        IF n > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$function$;

-- A history that any model takes: teams of three, draws, weights, stints, kills, a squad.
CREATE FUNCTION play(ladder text, players integer, matches integer, base bigint DEFAULT 70000000)
RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
    EXECUTE format(
        'INSERT INTO %I.match (match_id, played_at)
        SELECT m, ''2024-01-01''::timestamptz + m * interval ''7 hours'' FROM generate_series(1, $1) AS m', ladder)
    USING matches;
    EXECUTE format(
        'INSERT INTO %I.match_player (match_id, player_id, stint, team, rank, joined, left_at, squad, kills, deaths, quit)
        SELECT m, $3 + ((m * 7919 + p * (1 + m %% 13)) %% $2), s, 1 + p %% 2,
            CASE m %% 5 WHEN 0 THEN 1 ELSE 1 + (p + m / 3) %% 2 END, (s - 1) * 500, (s - 1) * 500 + 100 + 30 * ((m + p) %% 7),
            p / 4, (m + p) %% 6, (m * p) %% 5, (m + p) %% 11 = 0
        FROM generate_series(1, $1) AS m, generate_series(0, 5) AS p, generate_series(1, 1 + (m + p) %% 2) AS s
        ON CONFLICT DO NOTHING', ladder)
    USING matches, players, base;
END
$function$;
\set ECHO all

-- Whatever the model: all are forgotten, and every bit stays.
\set ECHO none
CREATE TABLE outcome (model text, wrong bigint, corrections bigint, forgotten bigint, left_over bigint, moved bigint);
DO $do$
DECLARE
    model record;
    ids bigint[] := ARRAY(SELECT 70000000 + g FROM generate_series(0, 39) AS g);
    before text;
    after text;
    o outcome;
BEGIN
    FOR model IN SELECT m.name FROM skillrating.models() AS m ORDER BY m.name LOOP
        PERFORM skillrating.create_ladder('every', model.name, CASE model.name WHEN 'trueskill2' THEN
            '{"kill_self": 1, "kill_opponent": -1, "kill_variance": 4, "death_self": -1, "death_opponent": 1,
            "death_variance": 4, "quit_related": 0.5, "squad_offset": [[2, 0.1]], "initial_base_sigma": 1}'::jsonb ELSE '{}' END,
            apply_at => 'manual');
        PERFORM play('every', 40, 120);
        PERFORM skillrating.catch_up('every');
        o.model := model.name;
        SELECT string_agg(r.rating::text, ' ' ORDER BY r.rating) INTO before FROM every.rating AS r;
        SELECT count(*) INTO o.forgotten FROM skillrating.forget_players('every', ids) AS f WHERE f.found;
        PERFORM skillrating.catch_up('every');
        SELECT string_agg(r.rating::text, ' ' ORDER BY r.rating) INTO after FROM every.rating AS r;
        SELECT count(*) INTO o.wrong FROM faults('every');
        SELECT count(*) INTO o.corrections FROM every.correction;
        SELECT count(*) INTO o.left_over FROM occurrences('every', ids::text[]);
        -- A replay from the start finds nothing to change either.
        SELECT count(*) INTO o.moved FROM skillrating.catch_up('every', rebuild => true);
        o.moved := o.moved + (before <> after)::integer;
        INSERT INTO outcome VALUES (o.*);
        PERFORM skillrating.drop_ladder('every');
    END LOOP;
END
$do$;
\set ECHO all
SELECT string_agg(model, ' ' ORDER BY model), wrong, corrections, forgotten, left_over, moved FROM outcome GROUP BY 2, 3, 4, 5, 6;

-- A thousand at once, with all that can name them.
SELECT skillrating.create_ladder('arena', 'elo') \gset
SELECT play('arena', 1500, 1500);
SELECT count(*) FROM arena.rating;
CREATE TABLE account (id bigint PRIMARY KEY, elo float8, played bigint);
INSERT INTO account SELECT DISTINCT player_id FROM arena.rating;
SELECT skillrating.mirror_rating('arena', 'account', 'id', '{"elo": "rating", "played": "games"}');
SELECT converged FROM skillrating.solve_ladder('arena');
SELECT players FROM skillrating.new_season('arena', 'summer');
SELECT players FROM skillrating.set_rating('arena', 70000001, '{"rating": 1700}', reason => 'as 70000001 asked, with 70000002');
SELECT operation > 0 AS done FROM skillrating.exclude_player('arena', 70000003, since => '2025-01-01', reason => '70000003 cheats');
SELECT operation > 0 AS done FROM skillrating.merge_players('arena', 70000004, 70000005, '(70000004)');
SELECT skillrating.void_match('arena', 7, 'spoilt by 70000006, and 700000061 saw it') \gset
UPDATE arena.match SET unrated_reason = 'no show: player_70000007, 70000007.' WHERE match_id = 8;
INSERT INTO arena.match (match_id, unrated_reason) VALUES (9001, 'a test by 70000008');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (9001, 70000008, 1, 1), (9001, 70000009, 2, 2);
INSERT INTO arena.match (match_id, finished) VALUES (9002, false);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (9002, 70000010, 1, 1), (9002, 70001400, 2, 2);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT * FROM faults('arena');
CREATE TABLE old_state AS SELECT player_id, pool, rating FROM arena.rating;
CREATE TABLE name AS
SELECT player_id::bigint, pseudonym::bigint, found
FROM skillrating.forget_players('arena', ARRAY(SELECT 70000000 + g FROM generate_series(0, 999) AS g));
SELECT count(*), count(DISTINCT pseudonym), bool_and(found), max(pseudonym) < -1e9 AS unlike_any FROM name;
SELECT * FROM faults('arena');
SELECT count(*) FROM arena.correction;
SELECT * FROM skillrating.catch_up('arena');
SELECT * FROM occurrences('arena', ARRAY(SELECT player_id::text FROM name));
SELECT count(*) FROM old_state AS o LEFT JOIN name AS n USING (player_id)
LEFT JOIN arena.rating AS r ON r.player_id = coalesce(n.pseudonym, o.player_id) AND r.pool = o.pool
WHERE r.rating IS DISTINCT FROM o.rating;
-- Pseudonyms are in no order, which would be that of the players.
SELECT abs(corr(player_id, pseudonym)) < 0.2 AS unlinked FROM name;
SELECT kind, reason FROM arena.operation WHERE kind <> 'seed' ORDER BY seq;
SELECT kind, reason, count(*) FROM arena.event WHERE kind <> 'match' GROUP BY kind, reason ORDER BY kind;
SELECT match_id, status, reason, detail, void_reason FROM arena.rated_match WHERE match_id IN (7, 8, 9001) ORDER BY match_id;
SELECT match_id, unrated_reason FROM arena.match WHERE unrated_reason IS NOT NULL ORDER BY match_id;
-- The table of the user still has the keys, but no ratings under them.
SELECT count(elo), count(played), count(*) FROM account WHERE id < 70001000;
SELECT count(elo), count(played), count(*) FROM account WHERE id >= 70001000;
-- They can come back as somebody new.
INSERT INTO arena.match (match_id) VALUES (9003);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (9003, 70000001, 1, 1), (9003, 70001400, 2, 2);
SELECT player_id, games FROM arena.rating WHERE player_id = 70000001;
SELECT * FROM faults('arena');
SELECT skillrating.drop_ladder('arena') \gset
DROP TABLE account, name, old_state;

-- Tables of one's own: whether they are changed before or after, at commit or at once.
\set ECHO none
CREATE TABLE game (id bigint PRIMARY KEY, played_at timestamptz);
CREATE TABLE seat (game bigint REFERENCES game, player text, team integer, rank integer, reason text);
CREATE VIEW seats AS
SELECT g.id AS match_id, g.played_at, s.player AS player_id, s.team, s.rank, s.reason AS unrated_reason
FROM game AS g JOIN seat AS s ON s.game = g.id;
\set ECHO all
SELECT skillrating.create_ladder('own', 'glicko2', source => 'seats') \gset
SELECT skillrating.attach('own', 'seat', 'game') \gset
INSERT INTO game SELECT g, '2024-01-01'::timestamptz + g * interval '1 day' FROM generate_series(1, 300) AS g;
INSERT INTO seat SELECT g, 'person' || 1000 + (g * 31 + p * 7) % 60, 1 + p % 3, 1 + (p + g) % 3, CASE g % 50 WHEN 0 THEN 'friendly' END
FROM generate_series(1, 300) AS g, generate_series(0, 5) AS p;
SELECT status, count(*) FROM own.rated_match GROUP BY status ORDER BY status;
-- One that was looked at, and has no place.
SELECT skillrating.exclude_player('own', 'person1007', '2024-10-01') > 0 AS done;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('own');
CREATE FUNCTION old_names(first integer)
RETURNS text[]
LANGUAGE sql AS 'SELECT array_agg(''person'' || n) FROM generate_series(first, first + 9) AS n';
-- After, by what the function returns.
BEGIN;
CREATE TEMPORARY TABLE name AS SELECT * FROM skillrating.forget_players('own', old_names(1000));
UPDATE seat SET player = n.pseudonym FROM name AS n WHERE player = n.player_id;
COMMIT;
SELECT count(*), bool_and(pseudonym ~ '^[0-9a-f]{32}$') FROM name;
SELECT n.player_id, count(*) > 0 AS excluded
FROM own.rated_match AS m JOIN name AS n ON m.reason = 'excluded_player' AND m.detail = format('player %s is excluded', n.pseudonym)
GROUP BY n.player_id;
SELECT * FROM faults('own');
SELECT * FROM occurrences('own', old_names(1000));
-- Before, in several statements.
BEGIN;
UPDATE seat SET player = replace(player, 'person', 'nobody') WHERE player = ANY (old_names(1010)) AND game % 2 = 0;
UPDATE seat SET player = replace(player, 'person', 'nobody') WHERE player = ANY (old_names(1010));
SELECT count(*) FROM skillrating.forget_players('own', old_names(1010), ARRAY(SELECT replace(u, 'person', 'nobody') FROM unnest(old_names(1010)) AS u));
COMMIT;
SELECT * FROM faults('own');
SELECT * FROM occurrences('own', old_names(1010));
-- In one statement with the function.
WITH f AS MATERIALIZED (SELECT * FROM skillrating.forget_players('own', old_names(1020)))
UPDATE seat SET player = f.pseudonym FROM f WHERE seat.player = f.player_id;
SELECT * FROM faults('own');
SELECT * FROM occurrences('own', old_names(1020));
-- At once after each statement.
UPDATE own.ladder SET apply_at = 'statement';
BEGIN;
UPDATE seat SET player = replace(player, 'person', 'nobody') WHERE player = 'person1030';
UPDATE seat SET player = replace(player, 'person', 'nobody') WHERE player = ANY (old_names(1030));
SELECT count(*) > 0 AS noticed FROM own.correction;
SELECT count(*) FROM skillrating.forget_players('own', old_names(1030), ARRAY(SELECT replace(u, 'person', 'nobody') FROM unnest(old_names(1030)) AS u));
COMMIT;
SELECT * FROM faults('own');
SELECT * FROM occurrences('own', old_names(1030));
BEGIN;
SELECT count(*) FROM skillrating.forget_players('own', old_names(1040), ARRAY(SELECT replace(u, 'person', 'nobody') FROM unnest(old_names(1040)) AS u));
UPDATE seat SET player = replace(player, 'person', 'nobody') WHERE player = ANY (old_names(1040));
COMMIT;
SELECT * FROM faults('own');
SELECT * FROM occurrences('own', old_names(1040));
-- By catch_up().
UPDATE own.ladder SET apply_at = 'manual';
UPDATE seat SET player = replace(player, 'person', 'nobody') WHERE player = ANY (old_names(1050));
SELECT count(*) FROM skillrating.forget_players('own', old_names(1050), ARRAY(SELECT replace(u, 'person', 'nobody') FROM unnest(old_names(1050)) AS u));
SELECT * FROM skillrating.catch_up('own');
SELECT * FROM faults('own');
SELECT * FROM occurrences('own', old_names(1050));
SELECT count(*) FROM seat WHERE player ~ 'person';
-- A match that has really changed is corrected all the same.
UPDATE own.ladder SET apply_at = 'commit';
BEGIN;
UPDATE seat SET rank = 4 - rank WHERE game = 299;
SELECT count(*) FROM skillrating.forget_players('own', '{nobody1050}', '{another}');
UPDATE seat SET player = 'another' WHERE player = 'nobody1050';
COMMIT;
SELECT match_id, kind FROM own.correction;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('own');
SELECT * FROM faults('own');
-- A second ladder of the same matches has names of its own.
SELECT matches FROM skillrating.shadow_ladder('own', 'second', 'elo');
BEGIN;
SELECT count(*) FROM skillrating.forget_players('own', '{nobody1051}', '{other1}') AS f;
SELECT count(*) FROM skillrating.forget_players('second', '{nobody1051}', '{other1}') AS f;
UPDATE seat SET player = 'other1' WHERE player = 'nobody1051';
COMMIT;
SELECT * FROM skillrating.catch_up('second', search => true);
SELECT * FROM faults('own') UNION ALL SELECT * FROM faults('second');
SELECT skillrating.drop_ladder('second') \gset
SELECT skillrating.drop_ladder('own') \gset
DROP TABLE seat, game CASCADE;
DROP TABLE name;

-- Whatever the type: random values of it where they can be made.
\set ECHO none
CREATE DOMAIN positive_id AS integer CHECK (VALUE > 0);
CREATE DOMAIN short_name AS text CHECK (length(VALUE) < 40 AND VALUE !~ '-');
CREATE TYPE colour AS ENUM ('red', 'green', 'blue');
CREATE FUNCTION forget_of_type(type regtype, one text, two text)
RETURNS TABLE (player text, known boolean, like_it boolean, ok boolean)
LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM skillrating.create_ladder('typed', 'elo', player_type => type, apply_at => 'statement');
    INSERT INTO typed.match (match_id) VALUES (1);
    EXECUTE format('INSERT INTO typed.match_player (match_id, player_id, team, rank) VALUES (1, $1::%1$s, 1, 1), (1, $2::%1$s, 2, 2)', type)
    USING one, two;
    EXECUTE format(
        'SELECT f.player_id, f.found, CASE WHEN $2 < %L THEN f.pseudonym::numeric < 0 ELSE f.pseudonym ~ $3 END
        FROM skillrating.forget_players(%L, ARRAY[CAST($1 AS %s)]) AS f', 'a', 'typed', type)
    INTO player, known, like_it USING one, one, '[0-9a-f]{8}';
    ok := NOT EXISTS (SELECT FROM skillrating.verify('typed') AS v WHERE NOT v.ok)
        AND EXISTS (SELECT FROM typed.rating AS r WHERE r.player_id::text = two)
        AND NOT EXISTS (SELECT FROM typed.rating AS r WHERE r.player_id::text = one);
    PERFORM skillrating.drop_ladder('typed');
    RETURN NEXT;
END
$function$;
\set ECHO all
SELECT t.type::regtype, f.* FROM (VALUES ('int2', '1', '2'), ('int4', '1', '2'), ('int8', '1', '2'), ('numeric', '1', '2'),
    ('text', 'ann', 'bob'), ('varchar', 'ann', 'bob'), ('short_name', 'ann', 'bob'),
    ('uuid', 'aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002')) AS t(type, one, two)
CROSS JOIN LATERAL forget_of_type(t.type::regtype, t.one, t.two) AS f;
-- Those of a domain that wants them so are positive, and of an enum there are none to be made.
SELECT skillrating.create_ladder('typed', 'elo', player_type => 'positive_id') \gset
SELECT player_id, pseudonym::integer > 0 AS positive, found FROM skillrating.forget_players('typed', ARRAY[1, 2]);
SELECT skillrating.drop_ladder('typed') \gset
SELECT skillrating.create_ladder('typed', 'elo', player_type => 'colour') \gset
\set VERBOSITY terse
SELECT * FROM skillrating.forget_players('typed', '{red}'::colour[]);
SELECT * FROM skillrating.forget_players('typed', '{red}'::colour[], '{blue}');
SELECT skillrating.drop_ladder('typed') \gset
-- There are not so many.
SELECT skillrating.create_ladder('typed', 'elo', player_type => 'int2') \gset
SELECT count(*) FROM skillrating.forget_players('typed', ARRAY(SELECT g::int2 FROM generate_series(1, 20000) AS g));
SELECT skillrating.drop_ladder('typed') \gset

-- What is wrong is an error, and changes nothing.
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text') \gset
SELECT count(*) FROM skillrating.report_match('arena', 1, '{ann,bob}'::text[], '{1,2}', '{1,2}');
SELECT * FROM skillrating.forget_players('nowhere', '{ann}');
SELECT * FROM skillrating.forget_players('arena', NULL::text[]);
SELECT * FROM skillrating.forget_players('arena', ARRAY['ann', NULL]);
SELECT * FROM skillrating.forget_players('arena', ARRAY['ann', 'ann']);
SELECT * FROM skillrating.forget_players('arena', ARRAY['ann', 'bob'], ARRAY['x']);
SELECT * FROM skillrating.forget_players('arena', ARRAY['ann', 'bob'], ARRAY['x', 'x']);
SELECT * FROM skillrating.forget_players('arena', '{ann}', '{bob}');
SELECT * FROM skillrating.forget_players('arena', ARRAY['ann', 'carol'], ARRAY['carol', 'dave']);
SELECT * FROM skillrating.forget_players('arena', '{}'::text[]);
-- A message of an error may name the person too.
INSERT INTO arena.pending (match_id, xact, fires, since, sqlstate, message, failed_at) VALUES (2, pg_current_xact_id(), false, now(), 'P0001', 'ann has no account', now());
SELECT * FROM skillrating.forget_players('arena', ARRAY['carol', 'ann'], ARRAY['x', 'y']);
DELETE FROM arena.pending RETURNING message;
SELECT player_id, games FROM arena.rating ORDER BY player_id;
SELECT * FROM faults('arena');
SELECT skillrating.drop_ladder('arena') \gset

-- Words are whole ones; the longest counts, and what they stand in stays.
SELECT skillrating_internal.replace_words(t, '{7,ann,ann lee,@bob,ö,a.b}', '*')
FROM unnest('{7,"17 7 71 7.",_7 p7,"ann lee, ann. anna","x@bob @bobby @bob","möp ö","a.b a.bc ca.b",""}'::text[]) AS t;
SELECT skillrating_internal.replace_words('a b', '{}', '*'), skillrating_internal.replace_words('a b', '{""}', '*');
DROP FUNCTION faults, occurrences, play, old_names, forget_of_type;
DROP TABLE outcome;
DROP DOMAIN positive_id, short_name;
DROP TYPE colour;

-- A match whose rows are of several times, with another one between, keeps nobody from
-- being forgotten.
CREATE TABLE torn (match_id bigint, played_at timestamptz, player_id bigint, team int, rank int);
CREATE VIEW torn_source AS SELECT * FROM torn;
INSERT INTO torn VALUES (1, '2024-01-01', 1, 1, 1), (1, '2024-02-15', 2, 2, 2), (2, '2024-02-01', 1, 1, 1), (2, '2024-02-01', 2, 2, 2),
    (3, '2024-03-01', 1, 1, 1), (3, '2024-03-01', 2, 2, 2);
SELECT skillrating.create_ladder('torn_ladder', 'elo', source => 'torn_source') \gset
SELECT skillrating.attach('torn_ladder', 'torn') \gset
SELECT count(*) FROM skillrating.catch_up('torn_ladder', search => true);
BEGIN;
SELECT pseudonym, found FROM skillrating.forget_players('torn_ladder', ARRAY[1::bigint], '{77}');
UPDATE torn SET player_id = 77 WHERE player_id = 1;
COMMIT;
SELECT count(*) FROM torn_ladder.correction;
SELECT match_id, status, reason, detail FROM torn_ladder.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('torn_ladder');
SELECT skillrating.drop_ladder('torn_ladder') \gset
DROP VIEW torn_source;
DROP TABLE torn;

-- Words that change from call to call.
\set ECHO none
CREATE FUNCTION words_in_turn() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    word text;
    words text[];
BEGIN
    FOREACH word IN ARRAY ARRAY['a', 'b', 'ab'] LOOP
        words := ARRAY[word];
        RETURN NEXT skillrating_internal.replace_words('a b', words, 'X');
    END LOOP;
END $$;
\set ECHO all
SELECT * FROM words_in_turn();
DROP FUNCTION words_in_turn;
