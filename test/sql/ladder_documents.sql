-- A call as one document: the same rows as with arrays, and errors that say where the fault is.
-- test/documents.sh compares them with what a validator of JSON Schema says.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SELECT skillrating.create_ladder('arena', 'hive', player_type => 'text', match_type => 'bigint');
CREATE FUNCTION mentions(document jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM skillrating.report_match_document('arena', document);
    RETURN 'taken';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;

-- All keys that there are, and the same with arrays: the second is a repetition of the first.
SELECT player_id, outcome
FROM skillrating.report_match_document('arena', '{"match_id": 1, "played_at": "2024-05-05T22:15:00.5+02:00", "pool": "five", "log_odds": 0.25, "gain": 2,
    "teams": [
        {"rank": 1, "score": 16, "side": 2, "players": [
            {"id": "ada", "joined": 0, "left": 1200, "commanding": 1, "squad": 7, "kills": 9, "deaths": 1, "quit": false, "experience": 3, "gain": 0.5},
            {"id": 5, "weight": 0.5, "squad": 7}]},
        {"rank": 2, "score": 9, "side": 1, "players": [
            {"id": "cleo", "commanding": 1, "kills": 2, "quit": true},
            {"id": "dan", "gain": null}]}]}');
SELECT player_id, outcome
FROM skillrating.report_match('arena', 1, '{ada,5,cleo,dan}', '{1,1,2,2}', '{1,1,2,2}', '2024-05-05 20:15:00.5+00', team_score => '{16,16,9,9}',
    weight => '{NULL,0.5,NULL,NULL}', joined => '{0,NULL,NULL,NULL}', "left" => '{1200,NULL,NULL,NULL}', commanding => '{1,NULL,1,NULL}', side => '{2,2,1,1}',
    squad => '{7,7,NULL,NULL}', kills => '{9,NULL,2,NULL}', deaths => '{1,NULL,NULL,NULL}', quit => '{false,NULL,true,NULL}', experience => '{3,NULL,NULL,NULL}',
    player_gain => '{0.5,NULL,NULL,NULL}', pool => 'five', log_odds => 0.25, gain => 2);
SELECT * FROM arena.match;
SELECT player_id, team, rank, score, weight, joined, "left", commanding, side, squad, kills, deaths, quit, experience, gain FROM arena.match_player ORDER BY team, player_id;
-- Every argument has a key, and what is said of it is what source_columns() says of a column.
SELECT p.function, p.argument AS without_key
FROM (SELECT f.function, unnest(p.proargnames[1:p.pronargs]) AS argument
    FROM unnest('{report_match,preview,win_probability,split_ladder}'::text[]) AS f(function)
    JOIN pg_proc AS p ON p.proname = f.function AND p.pronamespace = 'skillrating_internal'::regnamespace) AS p
WHERE p.argument NOT IN ('ladder', 'team') AND NOT EXISTS (
    SELECT FROM skillrating_internal.document_keys(p.function) AS k WHERE k.argument = p.argument);
SELECT level, key, argument, type, needed, description FROM skillrating_internal.document_keys('report_match') ORDER BY n;

-- The other functions, with the same rows as theirs.
SELECT count(*) AS same
FROM skillrating.preview_document('arena', '{"pool": "five", "at": "2024-06-01T00:00:00Z", "teams": [{"side": 1, "players": [{"id": "ada"}, {"id": "dan", "weight": 0.5}]}, {"side": 2, "players": [{"id": "cleo", "gain": 3}]}]}') AS d
JOIN skillrating.preview('arena', '{ada,dan,cleo}', '{1,1,2}', side => '{1,1,2}', weight => '{NULL,0.5,NULL}', player_gain => '{NULL,NULL,3}', pool => 'five', at => '2024-06-01 00:00+00') AS a
    ON d = a;
SELECT count(*) AS same
FROM skillrating.win_probability_document('arena', '{"pool": "five", "at": "2024-06-01T00:00:00Z", "log_odds": 1, "teams": [{"side": 1, "players": [{"id": "ada"}]}, {"side": 2, "players": [{"id": "cleo"}]}]}') AS d
JOIN skillrating.win_probability('arena', '{ada,cleo}', '{1,2}', side => '{1,2}', log_odds => 1, pool => 'five', at => '2024-06-01 00:00+00') AS a ON d = a;
SELECT count(*) AS same
FROM skillrating.split_ladder_document('arena', '{"pool": "five", "sides": true, "players": [{"id": "ada"}, {"id": "5", "party": 1}, {"id": "cleo", "party": 1}, {"id": "dan", "locked": 2}, {"id": 6}, {"id": 7}],
    "avoid": [["ada", "dan"], [6, "5"]], "seed": 12345678901, "explain": true}') AS d
JOIN skillrating.split_ladder('arena', '{ada,5,cleo,dan,6,7}', party => '{NULL,1,1,NULL,NULL,NULL}', locked => '{NULL,NULL,NULL,2,NULL,NULL}',
    avoid => '{{ada,dan},{6,5}}', pool => 'five', sides => true, seed => 12345678901, explain => true) AS a ON d IS NOT DISTINCT FROM a;
SELECT count(*) AS same
FROM skillrating.pair_queue_document('{"model": "glicko2", "params": {"initial_deviation": 300}, "initial_window": 300, "max_window": 500, "players": [{"id": 1, "mu": 1500, "waited": 1, "pool": "a"}, {"id": 2, "mu": 1600, "waited": 2},
    {"id": 3, "mu": 1700, "waited": 3}, {"id": "4", "mu": 1450, "waited": 4, "region": 3}]}') AS d
JOIN skillrating.pair_queue('{1,2,3,4}'::text[], '{1500,1600,1700,1450}', waited => '{1,2,3,4}', pool => '{a,NULL,NULL,NULL}', region => '{NULL,NULL,NULL,3}', model => 'glicko2',
    params => '{"initial_deviation": 300}', initial_window => 300, max_window => 500) AS a ON d IS NOT DISTINCT FROM a;

-- Faults, with their place; unknown keys name those that are valid.
SELECT * FROM skillrating.report_match_document('arena', '{"match_id": 2, "teams": [{"rank": 1, "players": [{"id": "ada"}]}, {"rank": 2, "players": [{"id": "dan"}, {"id": "cleo", "wieght": 1}]}]}');
SELECT * FROM skillrating.report_match_document('arena', '{"match_id": 2, "result": "1:0", "teams": [{"rank": 1, "players": [{"id": "ada"}]}]}');
SELECT * FROM skillrating.report_match_document('arena', '{"match_id": 2, "teams": [{"Rank": 1, "players": [{"id": "ada"}]}]}');
SELECT * FROM skillrating.preview_document('arena', '{"teams": [{"rank": 1, "players": [{"id": "ada"}]}]}');
SELECT * FROM skillrating.split_ladder_document('arena', '{"players": [{"id": "ada", "mu": 1}]}');
SELECT * FROM skillrating.report_match_document('arena', '{"teams": [{"rank": 1, "players": [{"id": "ada"}]}]}');
SELECT mentions(d) FROM unnest(ARRAY['[]', 'null', '"x"', '{}', '{"match_id": 2, "teams": []}', '{"match_id": 2, "teams": {}}', '{"match_id": 2, "teams": [1]}', '{"match_id": 2, "teams": [{}]}',
    '{"match_id": 2, "teams": [{"players": []}]}', '{"match_id": 2, "teams": [{"players": [7]}]}', '{"match_id": 2, "teams": [{"players": [{}]}]}',
    '{"match_id": 2, "teams": [{"players": [{"id": null}]}]}', '{"match_id": 2, "teams": [{"players": [{"id": 1.5}]}]}', '{"match_id": true, "teams": [{"players": [{"id": 1}]}]}',
    '{"match_id": 2, "played_at": "yesterday", "teams": [{"players": [{"id": 1}]}]}', '{"match_id": 2, "played_at": "2024-05-05T20:15:00", "teams": [{"players": [{"id": 1}]}]}',
    '{"match_id": 2, "teams": [{"rank": 1.5, "players": [{"id": 1}]}]}', '{"match_id": 2, "teams": [{"rank": "1", "players": [{"id": 1}]}]}', '{"match_id": 2, "teams": [{"rank": 3000000000, "players": [{"id": 1}]}]}',
    '{"match_id": 2, "teams": [{"rank": 1, "players": [{"id": 1, "quit": 1}]}]}', '{"match_id": 2, "teams": [{"players": [{"id": 1}]}, {"players": [{"id": 2}]}]}',
    '{"match_id": 2, "teams": [{"rank": 1, "players": [{"id": 1}]}, {"players": [{"id": 2}]}]}', '{"match_id": "two", "teams": [{"rank": 1, "players": [{"id": 1}]}]}']::jsonb[]) AS d;
SELECT * FROM skillrating.report_match_document('arena', NULL);
SELECT * FROM skillrating.report_match_document('nowhere', '{}');
PREPARE report AS SELECT player_id, outcome, reason FROM skillrating.report_match_document($1, $2);
EXECUTE report('arena', '{"match_id": "9007199254740993", "teams": [{"score": 1.0, "players": [{"id": "ada"}, {"id": 9007199254740993}]}]}');
SELECT match_id FROM arena.match ORDER BY match_id;
-- A parameter without a type is a jsonb, and a json needs a cast.
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'report';
PREPARE typed(json) AS SELECT player_id, outcome FROM skillrating.report_match_document('arena', $1);
PREPARE typed(json) AS SELECT player_id, outcome FROM skillrating.report_match_document('arena', $1::jsonb);
EXECUTE typed('{"match_id": "9007199254740993", "teams": [{"score": 1.0, "players": [{"id": "ada"}, {"id": 9007199254740993}]}]}');

-- The schema of a document, whose checks by a validator are elsewhere.
SELECT jsonb_pretty(skillrating.document_schema('win_probability_document'));
SELECT skillrating.document_schema() = skillrating.document_schema('report_match_document') AS by_default;
-- A pool is whose ratings count, but in a queue a label.
SELECT f, skillrating.document_schema(f) #>> path::text[] AS pool
FROM (VALUES ('preview_document', '{properties,pool,description}'), ('pair_queue_document', '{properties,players,items,properties,pool,description}')) AS v(f, path);
SELECT skillrating.document_schema('report_match');
SELECT skillrating.document_schema('lobby_document');

-- It takes what the function takes, of whoever calls it.
CREATE ROLE regress_documents;
GRANT USAGE ON SCHEMA arena TO regress_documents;
GRANT SELECT ON arena.rating TO regress_documents;
SET ROLE regress_documents;
SELECT count(*) FROM skillrating.preview_document('arena', '{"teams": [{"side": 1, "players": [{"id": "ada"}]}, {"side": 2, "players": [{"id": "dan"}]}]}');
SELECT * FROM skillrating.report_match_document('arena', '{"match_id": 2, "teams": [{"rank": 1, "players": [{"id": "ada"}]}]}');
RESET ROLE;

SELECT skillrating.drop_ladder('arena');
DROP FUNCTION mentions;
DROP ROLE regress_documents;
