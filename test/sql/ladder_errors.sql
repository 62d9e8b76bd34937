-- Bad input is a clear error that leaves the database as it was.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('arena', 'elo', apply_at => 'statement') \gset
SELECT skillrating.create_ladder('rounds', 'hive') \gset

-- Making a ladder.
SELECT skillrating.create_ladder('arena', 'elo');
SELECT skillrating.create_ladder('public', 'elo');
SELECT skillrating.create_ladder('other', 'glicko9');
SELECT skillrating.create_ladder('other', 'elo', '{"kk": 1}');
SELECT skillrating.create_ladder('other', 'elo', '{"k": -1}');
SELECT skillrating.create_ladder('other', 'elo', apply_at => 'whenever');
SELECT skillrating.create_ladder('pg_other', 'elo');
SELECT skillrating.create_ladder(repeat('x', 64), 'elo');
SELECT skillrating.drop_ladder('other');
\set VERBOSITY terse
SELECT skillrating.drop_ladder('public');
SELECT * FROM skillrating.leaderboard('other');
SELECT * FROM skillrating.leaderboard('arena', -1);
-- Every function that takes the least number of matches of a player.
SELECT format($$SELECT %L AS function, count(*) FROM skillrating.%I(ladder => 'arena', %s min_games => -1)$$, p.proname, p.proname,
    concat(CASE WHEN 'player_id' = ANY (p.proargnames[:p.pronargs]) THEN 'player_id => 1, ' END,
        CASE WHEN 'season' = ANY (p.proargnames[:p.pronargs]) THEN 'season => NULL,' END))
FROM pg_proc AS p
WHERE p.pronamespace = 'skillrating'::regnamespace AND 'min_games' = ANY (p.proargnames[:p.pronargs])
ORDER BY p.proname \gexec
SELECT * FROM skillrating.verify('other');
SELECT * FROM skillrating.preview('other', ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('other', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
\set VERBOSITY default

-- Arrays: nulls, lengths, shapes, emptiness, limits.
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, NULL], ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, NULL], ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], weight => ARRAY[1.0]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], NULL, team_score => ARRAY[1.0]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], NULL, team_score => ARRAY[1.0, NULL]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], NULL);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[[1, 2]], ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[]::int[], ARRAY[]::int[], ARRAY[]::int[]);
SELECT * FROM skillrating.report_match('arena', NULL::int, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('arena', 1, NULL::int[], ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], NULL, ARRAY[1, 2]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY['x', 'y'], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.preview('arena', players, players)
FROM (SELECT array_agg(i) AS players FROM generate_series(1, 10001) AS i) AS a;
SELECT skillrating.preview('arena', players, players)
FROM (SELECT array_agg(i) AS players FROM generate_series(1, 1001) AS i) AS a;
-- Bounds of an array are of no account.
SELECT player_id, rating FROM skillrating.preview('arena', '[5:6]={1,2}'::int[], '[-1:0]={1,2}'::int[]);

-- Numbers: out of range, not finite, against each other.
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[0, 1]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], weight => ARRAY[1, -1]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], weight => '{1,NaN}');
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], weight => '{1,Infinity}');
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], joined => ARRAY[0, 0]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], joined => ARRAY[0, 9], left_at => ARRAY[5, 5]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], log_odds => 'NaN');
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], log_odds => 'Infinity');
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], gain => -1);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2, 3], ARRAY[1, 2, 3], ARRAY[1, 2, 3], log_odds => 1);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 2, 3], ARRAY[1, 1, 2], ARRAY[1, 2, 2]);
SELECT * FROM skillrating.report_match('arena', 1, ARRAY[1, 1], ARRAY[1, 2], ARRAY[1, 2], side => ARRAY[1, 3], log_odds => 1);
SELECT * FROM skillrating.report_match('rounds', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], side => ARRAY[1, 1]);
SELECT * FROM skillrating.report_match('rounds', 1, ARRAY[1, 2, 3], ARRAY[1, 1, 2], ARRAY[1, 1, 2], side => ARRAY[1, 2, 2]);
SELECT * FROM skillrating.report_match('rounds', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], commanding => ARRAY[2, 0]);
-- One team, or too many for the model, is no error to report and one to preview.
SELECT * FROM skillrating.report_match('rounds', 2, ARRAY[1, 2, 3], ARRAY[1, 2, 3], ARRAY[1, 2, 3]);
SELECT match_id, status, reason, detail FROM rounds.rated_match;
SELECT * FROM skillrating.preview('rounds', ARRAY[1, 2, 3], ARRAY[1, 2, 3]);
SELECT * FROM skillrating.preview('arena', ARRAY[1, 2], ARRAY[1, 1]);

-- Rows: what is in them is no error, and keeps their match from being rated.
INSERT INTO arena.match (match_id, log_odds) VALUES (1, 0), (11, 0), (12, 0), (13, 0), (14, 1);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (11, 1, 1, 0), (11, 2, 2, 1);
INSERT INTO arena.match_player (match_id, player_id, team, team_score) VALUES (12, 1, 1, 'NaN'), (12, 2, 2, 1);
INSERT INTO arena.match_player (match_id, player_id, team, team_score) VALUES (13, 1, 1, 'Infinity'), (13, 2, 2, 1);
INSERT INTO arena.match_player (match_id, player_id, team, rank, side) VALUES (14, 1, 1, 1, 3), (14, 2, 2, 1, 1);
SELECT match_id, status, reason, detail, played_at IS NOT NULL AS has_time FROM arena.rated_match ORDER BY match_id;
DELETE FROM arena.match WHERE match_id > 1;
-- What the tables do not take takes the statement back.
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (2, 1, 1, 1);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 1, NULL, 1);
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 1, 2, 2);
SELECT (SELECT count(*) FROM arena.match_player) AS participants, (SELECT count(*) FROM arena.rating) AS players,
    (SELECT count(*) FROM arena.rated_match) AS matches;

-- States that somebody broke are noticed before they spread.
SELECT count(*) FROM skillrating.report_match('arena', 5, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
BEGIN;
UPDATE arena.rating SET rating = 'NaN' WHERE player_id = 1;
SELECT * FROM skillrating.report_match('arena', 6, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT * FROM skillrating.match_outcome('arena', 6);
ROLLBACK;
BEGIN;
UPDATE arena.rating SET rating = 1e150;
SELECT rating_after FROM skillrating.report_match('arena', 6, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], gain => 1e149);
SELECT * FROM skillrating.match_outcome('arena', 6);
ROLLBACK;
-- So is a table that does not take its rows, or does not show them.
BEGIN;
CREATE RULE lost AS ON INSERT TO arena.rated_match DO INSTEAD NOTHING;
SELECT * FROM skillrating.report_match('arena', 6, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
ROLLBACK;
BEGIN;
DELETE FROM arena.ladder;
SELECT * FROM skillrating.report_match('arena', 6, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
ROLLBACK;
BEGIN;
UPDATE arena.ladder SET format_version = 2;
SELECT * FROM skillrating.verify('arena');
ROLLBACK;
BEGIN;
-- That comes first, whatever else is not as expected.
UPDATE arena.ladder SET format_version = 2;
ALTER TABLE arena.event RENAME COLUMN score TO result;
SELECT * FROM skillrating.verify('arena');
ROLLBACK;
BEGIN;
UPDATE arena.ladder SET params = '{"k": "much"}';
SELECT * FROM skillrating.verify('arena');
ROLLBACK;
BEGIN;
DROP TABLE arena.pending;
SELECT * FROM skillrating.verify('arena');
ROLLBACK;
BEGIN;
ALTER VIEW arena.source RENAME COLUMN team TO group_of_players;
SELECT * FROM skillrating.report_match('arena', 6, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
ROLLBACK;

-- The trigger functions know where they belong.
CREATE TABLE stray (match_id bigint);
CREATE TRIGGER stray AFTER INSERT ON stray REFERENCING NEW TABLE AS n
    FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.collect_matches();
INSERT INTO stray VALUES (1);
DROP TRIGGER stray ON stray;
CREATE TRIGGER stray AFTER INSERT ON stray FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.collect_matches();
INSERT INTO stray VALUES (1);
DROP TRIGGER stray ON stray;
CREATE TRIGGER stray AFTER INSERT ON stray FOR EACH ROW EXECUTE FUNCTION skillrating_internal.collect_matches();
INSERT INTO stray VALUES (1);
DROP TRIGGER stray ON stray;
CREATE TRIGGER stray AFTER INSERT ON stray FOR EACH ROW EXECUTE FUNCTION skillrating_internal.apply_pending();
INSERT INTO stray VALUES (1);
DROP TRIGGER stray ON stray;
CREATE TRIGGER stray BEFORE INSERT ON stray FOR EACH ROW EXECUTE FUNCTION skillrating_internal.apply_pending();
INSERT INTO stray VALUES (1);
DROP TABLE stray;
SELECT skillrating_internal.collect_matches();

-- The codes that programs go by.
DO $$
DECLARE
    code text;
    statement text;
BEGIN
    FOREACH statement IN ARRAY ARRAY[
        'SELECT skillrating.create_ladder(''x'', ''glicko9'')',
        'SELECT skillrating.create_ladder(''x'', ''elo'', ''{"k": -1}'')',
        'SELECT skillrating.create_ladder(''arena'', ''elo'')',
        'SELECT skillrating.create_ladder(''x'', ''elo'', player_type => ''point'')',
        'SELECT skillrating.verify(''x'')',
        'SELECT skillrating.elo_win_probability(''NaN'', 0)',
        'SELECT skillrating.preview(''arena'', ARRAY[1, NULL], ARRAY[1, 2])',
        'SELECT skillrating.preview(''arena'', ARRAY[1, 2], ARRAY[1])',
        'SELECT skillrating.preview(''arena'', ARRAY[1, 2], ARRAY[1, 1])',
        'SELECT skillrating.preview(''arena'', array_agg(i), array_agg(i)) FROM generate_series(1, 1001) AS i',
        'SELECT skillrating.report_match(''arena'', 5, ARRAY[1, 2], ARRAY[1, 2], ARRAY[2, 1])',
        'TRUNCATE arena.match_player']
    LOOP
        BEGIN
            EXECUTE statement;
            code := 'none';
        EXCEPTION WHEN OTHERS THEN
            code := SQLSTATE;
        END;
        RAISE NOTICE '% %', code, statement;
    END LOOP;
END $$;

SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT skillrating.drop_ladder('arena'), skillrating.drop_ladder('rounds') \gset

-- A state that an operation could not take is refused where it enters: its square is no number.
-- What is accepted can be done again in the order of time, before the matches that came first.
SELECT skillrating.create_ladder('far', 'glicko2', late => 'reorder', apply_at => 'manual') \gset
SELECT skillrating.set_rating('far', 4, '{"deviation": 1e308}', at => '2024-01-01');
SELECT skillrating.import_ratings('far', ARRAY[4], '[{"deviation": 1e151}]', at => '2024-01-01');
SELECT skillrating.rate('glicko2', p, p, p, start => ARRAY[skillrating.starting_rating(1, 1500, 1e308)]) OVER (ORDER BY 1) FROM generate_series(1, 2) AS p;
SELECT skillrating.predict('glicko2', '{1500,1e308,0.06,1500,350,0.06}', '{1,2}');
SELECT skillrating.trueskill_quality('{1,2}', '{25,25}', '{8,1e308}');
SELECT players FROM skillrating.set_rating('far', 4, '{"rating": -1e150, "deviation": 1e150}', at => '2024-01-01');
SELECT count(*) FROM skillrating.report_match('far', 9, ARRAY[4, 5], ARRAY[1, 2], ARRAY[1, 2], played_at => '2024-03-01');
SELECT count(*) FROM skillrating.catch_up('far');
SELECT players FROM skillrating.new_season('far', 's', keep => 1, at => '2024-02-01');
SELECT count(*) FROM skillrating.catch_up('far');
SELECT bool_and(ok) FROM skillrating.verify('far');
SELECT skillrating.drop_ladder('far') \gset

-- Sums over rounds begin anew with a state that is set.
SELECT skillrating.create_ladder('sums', 'synelo', '{"strict": true, "team_size_max": 1}') \gset
SELECT skillrating.set_rating('sums', 1, '{"rating": 1200, "rounds": 3, "rating_sum": 40}');
SELECT skillrating.import_ratings('sums', ARRAY[1], '[{"rating": 1200, "surprise_sum": 0.5}]');
SELECT ratings FROM skillrating.import_ratings('sums', ARRAY[1], '[{"rating": 1200, "rounds": 0}]');
SELECT skillrating.drop_ladder('sums') \gset

-- Functions that change a ladder refuse nulls, and so do those that take a ladder alone: no call succeeds without an effect.
SELECT skillrating.create_ladder('told', 'elo') \gset
\set ECHO none
CREATE FUNCTION code_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
CREATE VIEW needed AS
SELECT p.oid, p.proname, p.pronargs, p.pronargdefaults, replace(format_type(p.proargtypes[0], -1), 'anyelement', 'bigint') AS first,
    array_agg(CASE t.type::regtype::text WHEN 'anycompatible' THEN 'bigint' WHEN 'anycompatiblearray' THEN 'bigint[]' WHEN 'anyelement' THEN 'bigint' ELSE t.type::regtype::text END ORDER BY t.n) AS types
FROM pg_proc AS p JOIN skillrating_internal.ladder_entries() AS e ON e.function = p.proname, unnest(p.proargtypes::oid[]) WITH ORDINALITY AS t(type, n)
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.prokind = 'f' AND (p.provolatile = 'v' OR p.pronargs = 1) AND p.proargnames[1] = 'ladder' GROUP BY p.oid;
\set ECHO all
SELECT count(*) > 30 AS many, string_agg(f.proname, ' ') FILTER (WHERE code <> '22004') AS silent
FROM needed AS f, code_of(format('SELECT skillrating.%I(%s)', f.proname, (SELECT string_agg('NULL::' || t, ', ') FROM unnest(f.types) AS t))) AS code;
SELECT count(*) > 20 AS many, string_agg(f.proname, ' ') FILTER (WHERE code <> '22004') AS silent
FROM needed AS f, code_of(format('SELECT skillrating.%I(''told''%s)', f.proname, (SELECT string_agg(', NULL::' || t, '') FROM unnest(f.types[2:]) AS t))) AS code
WHERE f.pronargs - f.pronargdefaults > 1;
SELECT skillrating.void_match('told', 1, NULL);
-- Operations refuse a time before which matches of today would come.
SELECT c.call, code_of(format('SELECT skillrating.' || c.call, '''told''', 'at => now() + interval ''25 hours''')) AS code
FROM unnest(ARRAY['new_season(%s, ''s'', %s)', 'decay(%s, %s)', 'settle(%s, %s)', 'set_rating(%s, 1, ''{}'', %s)', 'reset_rating(%s, 1, %s)', 'set_fixed(%s, 1, %s)',
    'import_ratings(%s, ARRAY[1], ''[{}]'', %s)', 'exclude_player(%s, 1, %s)']) AS c(call);
SELECT skillrating.seed_from('told', 'told', at => '2206-01-01 00:00Z');
SELECT players FROM skillrating.settle('told', at => now() + interval '23 hours');
-- What is undone already says so.
SELECT operation FROM skillrating.set_rating('told', 1, '{"rating": 1600}') \gset
SELECT skillrating.undo_operation('told', :operation) \gset
SELECT skillrating.undo_operation('told', :operation);
SELECT skillrating.undo_operation('told', 99);
-- A ladder on which something of the user's depends stays.
CREATE VIEW my_board AS SELECT place, player_id FROM told.leaderboard;
SELECT skillrating.drop_ladder('told');
DROP VIEW my_board, needed;
SELECT skillrating.drop_ladder('told') \gset
DROP FUNCTION code_of;
