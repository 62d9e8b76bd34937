-- reset_ladder(): an empty ladder again, which rates as a new one does.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE ROLE regress_fixtures_reader;
CREATE SCHEMA regress_ladder_fixtures;
SET search_path = regress_ladder_fixtures;
CREATE TABLE plan (match_id bigint, played_at timestamptz, pool text, player_id bigint, team int, rank int, score float8);
INSERT INTO plan SELECT g, '2024-01-01'::timestamptz + g * interval '7 hours', CASE WHEN g % 4 = 0 THEN 'b' ELSE '' END, 1 + (g * 5 + p * (1 + g % 3)) % 11, p, 1 + (g + p * 3) % 2, NULL
FROM generate_series(1, 60) AS g, generate_series(1, 2) AS p;
DELETE FROM plan WHERE match_id IN (SELECT match_id FROM plan GROUP BY match_id HAVING count(DISTINCT player_id) < 2);
CREATE FUNCTION feed(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at, pool) SELECT DISTINCT match_id, played_at, pool FROM plan ORDER BY 1', ladder);
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM plan', ladder);
END
$$;
CREATE FUNCTION life(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.new_season(ladder, 'spring', at => '2024-03-01');
    PERFORM skillrating.settle(ladder, '2024-04-01');
    PERFORM skillrating.set_rating(ladder, 3, jsonb_build_object((SELECT m.state_columns[1] FROM skillrating.models() AS m WHERE m.name = replace(ladder, 'new_', '')), 30), '', '2024-04-02');
    PERFORM skillrating.exclude_player(ladder, 5, since => '2024-01-05');
    PERFORM skillrating.merge_players(ladder, 7, 8);
    PERFORM count(*) FROM skillrating.catch_up(ladder);
END
$$;
-- All that a ladder has, but for times of the clock.
CREATE FUNCTION all_rows(ladder text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    relation text;
    part text;
    rows text := '';
BEGIN
    FOREACH relation IN ARRAY '{rating,event,rated_match,pending,correction,operation,solved,match,match_player,ladder,mirror,attached}'::text[] LOOP
        CONTINUE WHEN relation IN ('solved', 'mirror') AND to_regclass(format('%I.%I', ladder, relation)) IS NULL;
        EXECUTE format('SELECT string_agg(t.j::text, E''\n'' ORDER BY t.j::text) FROM (SELECT to_jsonb(r) - ''{rated_at,made_at,decided_at,noticed_at,undone_at}''::text[] AS j FROM %I.%I AS r) AS t', ladder, relation) INTO part;
        rows := rows || coalesce(relation || E'\n' || part || E'\n', '');
    END LOOP;
    EXECUTE format('SELECT last_value || '' '' || is_called FROM %I.event_seq', ladder) INTO part;
    RETURN rows || part;
END
$$;
\set ECHO all

-- Under every model, whatever came before: the same rows and places as in a new ladder.
CREATE TABLE tried AS SELECT m.name AS ladder FROM skillrating.models() AS m;
SELECT count(skillrating.create_ladder(l, t.ladder, apply_at => 'statement')) > 10 AS made FROM tried AS t, unnest(ARRAY[t.ladder, 'new_' || t.ladder]) AS l;
SELECT count(feed(ladder)) > 5 AS fed FROM tried;
\set VERBOSITY terse
SELECT count(life(ladder)) > 5 AS lived FROM tried;
\set VERBOSITY default
SELECT count(skillrating.solve_ladder(ladder, 'bradley_terry', pool => '')) > 5 AS solved FROM tried;
SELECT DISTINCT r.matches > 40 AS matches, r.players > 7 AS players FROM tried AS t, skillrating.reset_ladder(t.ladder) AS r;
SELECT bool_and(all_rows(ladder) = all_rows('new_' || ladder)) AS empty_as_new, bool_and(v.ok) AS ok FROM tried, skillrating.verify(ladder) AS v;
SELECT count(feed(ladder)), count(feed('new_' || ladder)) = count(*) AS fed FROM tried;
SELECT ladder FROM tried WHERE all_rows(ladder) <> all_rows('new_' || ladder);
SET client_min_messages = warning;
SELECT count(life(ladder)), count(life('new_' || ladder)) = count(*) AS lived FROM tried;
RESET client_min_messages;
SELECT ladder FROM tried WHERE all_rows(ladder) <> all_rows('new_' || ladder);
SELECT bool_and(v.ok) AS ok FROM tried, skillrating.verify(ladder) AS v;
SELECT count(skillrating.drop_ladder(l)) > 10 AS dropped FROM tried AS t, unnest(ARRAY[t.ladder, 'new_' || t.ladder]) AS l;

-- What is set up around it stays: configuration, mirrors, privileges, policies, triggers, objects of the user.
SELECT skillrating.create_ladder('arena', 'elo', '{"k": 20}', late => 'reorder', strict => true) \gset
CREATE TABLE person (id bigint PRIMARY KEY, elo float8 DEFAULT 1000, games int);
INSERT INTO person SELECT generate_series(1, 4);
SELECT skillrating.mirror_rating('arena', 'person', 'id', '{"elo": "rating", "games": "games"}');
SELECT skillrating.grant_ladder('arena', 'regress_fixtures_reader', 'reader') \gset
CREATE INDEX mine ON arena.event (played_at);
CREATE TABLE replay (match_id bigint REFERENCES arena.match ON DELETE CASCADE, file text);
INSERT INTO arena.match (played_at) VALUES ('2024-01-01'), ('2024-01-02') RETURNING match_id;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2), (2, 1, 1, 2), (2, 3, 2, 1);
INSERT INTO replay VALUES (1, 'a'), (2, 'b');
SELECT id, elo <> 1000 AS mirrored, games FROM person ORDER BY id;
CREATE TABLE was AS SELECT (SELECT to_jsonb(l) FROM arena.ladder AS l) AS config, (SELECT array_agg(c.relacl::text ORDER BY c.relname) FROM pg_class AS c WHERE c.relnamespace = 'arena'::regnamespace) AS acls,
    (SELECT array_agg(t.tgname ORDER BY t.oid) FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid WHERE c.relnamespace = 'arena'::regnamespace OR c.oid = 'person'::regclass) AS triggers;
TRUNCATE arena.match CASCADE;
SELECT * FROM skillrating.reset_ladder('arena');
SELECT * FROM skillrating.reset_ladder('arena');
SELECT * FROM person ORDER BY id;
SELECT count(*) FROM replay;
SELECT w = (SELECT w FROM (SELECT (SELECT to_jsonb(l) FROM arena.ladder AS l) AS config, (SELECT array_agg(c.relacl::text ORDER BY c.relname) FROM pg_class AS c WHERE c.relnamespace = 'arena'::regnamespace) AS acls,
    (SELECT array_agg(t.tgname ORDER BY t.oid) FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid WHERE c.relnamespace = 'arena'::regnamespace OR c.oid = 'person'::regclass) AS triggers) AS w) AS as_it_was FROM was AS w;
INSERT INTO arena.match (played_at) VALUES ('2024-01-01') RETURNING match_id;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 4, 2, 2);
SELECT id, elo <> 1000 AS mirrored, games FROM person ORDER BY id;
-- Taken back with its transaction, sequences too.
BEGIN;
SELECT matches FROM skillrating.reset_ladder('arena');
INSERT INTO arena.match (played_at) VALUES ('2024-02-01') RETURNING match_id;
ROLLBACK;
SELECT count(*) FROM arena.event;
INSERT INTO arena.match (match_id, played_at) VALUES (DEFAULT, '2024-01-03') RETURNING match_id;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (2, 1, 1, 1), (2, 4, 2, 2);
SELECT bool_and(ok) FROM skillrating.verify('arena');
-- In one transaction with what waits for its end, before and after; and in a savepoint.
BEGIN;
INSERT INTO arena.match (played_at) VALUES ('2024-01-04') RETURNING match_id;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (3, 1, 1, 1), (3, 4, 2, 2);
SELECT matches FROM skillrating.reset_ladder('arena');
SAVEPOINT s;
INSERT INTO arena.match (played_at) VALUES ('2024-01-05') RETURNING match_id;
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 3, 1, 1), (1, 4, 2, 2);
SELECT matches FROM skillrating.reset_ladder('arena');
ROLLBACK TO s;
INSERT INTO arena.match (played_at) VALUES ('2024-01-06') RETURNING match_id;
INSERT INTO arena.match_player (match_id, player_id, team, rank) SELECT max(match_id), p, p, p FROM arena.match, generate_series(1, 2) AS p GROUP BY p;
COMMIT;
SELECT player_id, games FROM arena.rating ORDER BY player_id;
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT count(*) FROM arena.pending;
-- A table of the user in the place of a view of the ladder keeps its rows.
BEGIN;
DROP VIEW arena.history;
CREATE TABLE arena.history AS SELECT 1 AS kept;
SELECT matches > 0 AS emptied FROM skillrating.reset_ladder('arena');
SELECT kept FROM arena.history;
ROLLBACK;
-- Rows of the user that refer to a match and do not go with it are in the way.
ALTER TABLE replay DROP CONSTRAINT replay_match_id_fkey, ADD FOREIGN KEY (match_id) REFERENCES arena.match;
INSERT INTO replay SELECT match_id FROM arena.match LIMIT 1;
SELECT skillrating.reset_ladder('arena');
SELECT count(*) FROM arena.rating;
DROP TABLE replay;
-- A trigger of the ladder cannot empty it under the work.
CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM skillrating.reset_ladder('arena'); RETURN NULL; END $$;
CREATE TRIGGER undo AFTER INSERT ON arena.event FOR EACH STATEMENT EXECUTE FUNCTION undo();
INSERT INTO arena.match (match_id, played_at) VALUES (70, '2024-01-07');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (70, 1, 1, 1), (70, 4, 2, 2);
SELECT skillrating.reset_ladder('nowhere');
SET ROLE regress_fixtures_reader;
SELECT skillrating.reset_ladder('arena');
RESET ROLE;
SELECT skillrating.drop_ladder('arena') \gset

-- Rules of eligibility stay, each for its time.
SELECT skillrating.create_ladder('arena', 'elo', eligibility => '{"max_repeats": 60}') \gset
SELECT skillrating.set_eligibility('arena', '{"max_repeats": 90}', '2024-02-01', 'longer') > 0 AS declared, skillrating.set_eligibility('arena', '{}', '2024-03-01') > 0 AS declared;
SELECT skillrating.undo_operation('arena', max(operation)) FROM arena.operation \gset
SELECT skillrating.set_eligibility('arena', '{"max_repeats": 120}', '2024-01-15') > 0 AS declared, skillrating.set_eligibility('arena', '{"max_newcomer_share": 0.8}', '2024-02-01', 'less') > 0 AS declared;
CREATE TABLE rules AS SELECT since, until, rules, reason FROM skillrating.eligibility('arena');
SELECT skillrating.reset_ladder('arena') IS NOT NULL AS emptied;
SELECT count(*) AS rules, count(*) FILTER (WHERE (r.since, r.until, r.rules, r.reason) IS NOT DISTINCT FROM (e.since, e.until, e.rules, e.reason)) AS same FROM rules AS r FULL JOIN skillrating.eligibility('arena') AS e USING (since);
SELECT operation, seq, rules FROM skillrating.eligibility('arena') AS e JOIN arena.operation AS o USING (operation) ORDER BY operation;
SELECT outcome, reason FROM skillrating.report_match('arena', 1, '{1,2}'::bigint[], '{1,2}', '{1,2}', '2024-02-02') AS r LIMIT 1;
SELECT skillrating.drop_ladder('arena') \gset
DROP TABLE rules;

-- With a source of one's own: what was rated is forgotten, and the source stays.
CREATE TABLE game (match_id text, played_at timestamptz, player_id text, team int, rank int);
CREATE VIEW game_source AS TABLE game;
SELECT skillrating.create_ladder('games', 'trueskill', source => 'game_source'), skillrating.create_ladder('fresh', 'trueskill', source => 'game_source', attach => false) \gset
SELECT skillrating.attach('games', 'game', match_id => 'match_id') \gset
INSERT INTO game SELECT 'm' || match_id, played_at, 'p' || player_id, team, rank FROM plan WHERE match_id <= 30;
CREATE TABLE before AS TABLE games.rating;
SELECT matches > 20 AS matches, players > 7 AS players FROM skillrating.reset_ladder('games');
SELECT (SELECT count(*) FROM games.rating) AS ratings, (SELECT count(*) > 40 FROM game) AS games, (SELECT count(*) FROM games.attached) AS attached;
SELECT check_name, ok FROM skillrating.verify('games') WHERE NOT ok;
SELECT count(*) > 7 AS rated FROM skillrating.catch_up('games', search => true);
SELECT count(*) AS differ FROM (TABLE games.rating EXCEPT TABLE before) AS d;
-- New rows are rated as ever.
SELECT matches > 20 AS matches FROM skillrating.reset_ladder('games');
INSERT INTO game SELECT 'm' || match_id, played_at, 'p' || player_id, team, rank FROM plan WHERE match_id > 30;
SELECT count(*) BETWEEN 20 AND 30 AS rated FROM games.rated_match;
SELECT skillrating.reset_ladder('games') IS NOT NULL AS reset;
DELETE FROM game;
INSERT INTO game SELECT 'm' || match_id, played_at, 'p' || player_id, team, rank FROM plan;
SELECT count(*) > 7 AS rated FROM skillrating.catch_up('fresh', search => true);
SELECT count(*) AS differ FROM (TABLE games.rating EXCEPT TABLE fresh.rating) AS d;
SELECT bool_and(ok) FROM unnest('{games,fresh}'::text[]) AS l(ladder), skillrating.verify(l.ladder);
TRUNCATE game;
-- A shadow is emptied alone.
SELECT skillrating.shadow_ladder('games', 'other', 'elo') > 20 AS shadowed;
SELECT matches > 20 AS matches FROM skillrating.reset_ladder('other');
SELECT count(*) > 7 AS rated FROM games.rating;
SELECT count(*) > 7 AS rated FROM skillrating.catch_up('other', search => true);
SELECT bool_and(ok) FROM skillrating.verify('other');
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{other,fresh,games}'::text[]) AS l;
DROP SCHEMA regress_ladder_fixtures CASCADE;
DROP ROLE regress_fixtures_reader;
