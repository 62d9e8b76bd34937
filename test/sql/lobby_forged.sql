-- A lobby is a value that anybody can write: whatever is in it, the team makers answer or say what
-- is wrong, and do not read what is not there.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
\set SHOW_CONTEXT never
SELECT skillrating.create_ladder('forged', 'hive', player_type => 'text') \gset
SELECT count(*) FROM generate_series(1, 20) AS m, skillrating.report_match('forged', m, ARRAY['p' || m % 5, 'p' || (m + 1) % 5], '{1,2}', '{1,2}', side => '{1,2}', context => ARRAY['map ' || m % 2], club => '{red,blue}') AS r;
\set ECHO none
CREATE TABLE good (name text, lobby skillrating.lobby);
INSERT INTO good VALUES
    ('plain', skillrating.lobby('{a,b,c,d,e,f}', mu => '{1700,1650,1600,1550,1500,1450}', party => '{x,x,NULL,NULL,NULL,NULL}', locked => '{NULL,NULL,1,NULL,NULL,NULL}', avoid => '{{d,e}}', current => '{1,1,1,2,2,2}', priority => '{1,2,3,4,5,6}')),
    ('model', skillrating.lobby('{a,b,c,d,e,f}', mu => '{25,24,23,22,21,20}', sigma => '{8,7,6,5,4,3}', weight => '{1,1,0.5,1,1,1}', current => '{1,1,1,2,2,2}', model => 'trueskill')),
    ('ladder', skillrating.lobby('forged', '{p0,p1,p2,p3,p4,new}', party => '{x,x,NULL,NULL,NULL,NULL}', current => '{1,1,2,2,1,2}', commanders => '{t}', context => '{map 0,map 1,NULL,map 0,map 1,map 0}', club => '{red,red,blue,NULL,blue,red}', sides => true, log_odds => 0.1));
CREATE TABLE maker (name text, call text);
INSERT INTO maker VALUES ('split_teams', 'split_teams($1, explain => true)'), ('split_teams of three', 'split_teams($1, teams => 3)'), ('split_teams, near', 'split_teams($1, team_size => 2, tolerance => 10, secondary => ''spread'')'),
    ('split_all_sizes', 'split_all_sizes($1)'), ('suggest_swaps', 'suggest_swaps($1)'), ('suggest_swaps, greedy', 'suggest_swaps($1, method => ''greedy'')'),
    ('suggest_transfers', 'suggest_transfers($1)'), ('place_joiner', 'place_joiner($1)'), ('pair_queue', 'pair_queue($1, team_size => 2, initial_window => 1e9)');
CREATE FUNCTION answer(maker text, lobby skillrating.lobby) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rows integer;
BEGIN
    EXECUTE format('SELECT count(*) FROM skillrating.%s', (SELECT m.call FROM maker AS m WHERE m.name = maker)) INTO rows USING lobby;
    RETURN CASE WHEN rows > 0 THEN 'rows' ELSE 'no rows' END;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
\set ECHO all
-- As they are.
SELECT g.name, answer(m.name, g.lobby), string_agg(m.name, ' ' ORDER BY m.name COLLATE "C") FROM good AS g, maker AS m GROUP BY 1, 2 ORDER BY g.name COLLATE "C", 2;

-- Every column of each replaced by something else of its type.
\set ECHO none
CREATE TABLE wrong (type text, value text);
INSERT INTO wrong SELECT t, v FROM (VALUES
    ('text[]', '{NULL,"{}","{a}","{a,b,c,d,e,f,g}","{a,a,a,a,a,a}","{NULL,NULL,NULL,NULL,NULL,NULL}","{{a,b,c},{d,e,f}}","{{a},{b},{c},{d},{e},{f}}","[7:12]={a,b,c,d,e,f}"}'::text[]),
    ('double precision[]', '{NULL,"{}","{1}","{1,2,3,4,5,6,7}","{NaN,NaN,NaN,NaN,NaN,NaN}","{1,2,3,Infinity,5,6}","{1,2,3,-Infinity,5,6}","{1e300,1,1,1,1,-1e300}","{NULL,1,1,1,1,1}","{{1,2,3},{4,5,6}}","{-1,-1,-1,-1,-1,-1}","{0,0,0,0,0,0}","[0:5]={1,2,3,4,5,6}"}'),
    ('integer[]', '{NULL,"{}","{1}","{1,2,3,4,5,6,7}","{-1,0,0,0,0,0}","{2147483647,-2147483648,0,0,0,0}","{NULL,NULL,NULL,NULL,NULL,NULL}","{0,0,0,0,0,0}","{1,1,1,1,1,1}","{{1,2,1},{2,1,2}}"}'),
    ('boolean[]', '{NULL,"{}","{t}","{f,f,f,f,f,f}","{NULL,t,t,t,t,t}","{t,t,t,t,t,t}","{t,t,t,t,t,t,t}"}'),
    ('double precision', '{NULL,NaN,Infinity,-Infinity,-1,0,1e300,1e-320}'), ('text', '{NULL,"",sum,elo,trueskill2,none}'), ('jsonb', '{NULL,"null","[]","{}","{\"k\": 20}","{\"no\": 1}","7"}')) AS w(t, vs), unnest(vs) AS v;
CREATE TABLE tried AS
SELECT g.name AS lobby, a.attname AS column, w.value, m.name AS maker,
    answer(m.name, jsonb_populate_record(g.lobby, jsonb_build_object(a.attname, CASE WHEN w.type = 'jsonb' THEN w.value::jsonb ELSE to_jsonb(w.value) END))) AS answer
FROM good AS g CROSS JOIN maker AS m, pg_attribute AS a JOIN wrong AS w ON w.type = format_type(a.atttypid, NULL)
WHERE a.attrelid = 'skillrating.lobby'::regclass AND a.attnum > 0;
\set ECHO all
SELECT count(*) > 5000 AS many, count(DISTINCT "column") AS columns, count(*) FILTER (WHERE answer = 'rows') > 1000 AS some_do FROM tried;
-- Errors of data, limits and features; none of the server's.
SELECT left(answer, 5) AS state, count(DISTINCT answer) > 0 AS any FROM tried WHERE answer !~ '^(rows|no rows)' GROUP BY 1 ORDER BY left(answer, 5) COLLATE "C";
SELECT * FROM tried WHERE answer !~ '^(rows|no rows|2202E |22004 |22003 |22023 |54000 |22P02 )' LIMIT 5;
-- Each column, and what some are told.
SELECT "column", string_agg(DISTINCT answer, E'\n' ORDER BY answer) AS told FROM tried
WHERE lobby = 'ladder' AND maker IN ('split_teams', 'suggest_swaps') AND value IN ('{1}', '{a}', '{t}', '{NaN,NaN,NaN,NaN,NaN,NaN}', '{NULL,1,1,1,1,1}', '{2147483647,-2147483648,0,0,0,0}', 'NaN') GROUP BY "column" ORDER BY "column" COLLATE "C";

-- What a maker cannot keep is no silent loss; what says nothing to it is.
SELECT m.name, answer(m.name, skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,2,2}', split_evenly => '{x,x,NULL,NULL}')) AS evenly,
    answer(m.name, skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,2,2}', avoid => '{a,b}')) AS avoid,
    answer(m.name, skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,2,2}', locked => '{1,NULL,NULL,NULL}')) AS locked,
    answer(m.name, skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', priority => '{1,1,2,2}')) AS no_current
FROM maker AS m WHERE m.name IN ('split_teams', 'suggest_swaps', 'pair_queue') ORDER BY m.name;
SELECT answer('suggest_swaps', skillrating.lobby('{a,b,c,d}', mu => '{1,2,3,4}', current => '{1,1,2,0}'));
SELECT c AS "column", n, answer('split_teams', jsonb_populate_record(lobby, jsonb_build_object(c, array_fill(n, ARRAY[CASE c WHEN 'state' THEN cardinality((lobby).state) ELSE cardinality((lobby).component) END])::text)))
FROM good, unnest('{state,component}'::text[]) AS c, unnest('{NaN,1e300}'::float8[]) AS n WHERE name = 'ladder' ORDER BY c, n;
-- A row of another shape is none.
SELECT skillrating.split_teams(ROW('{a,b}', '{1,2}')::skillrating.lobby);
-- They depend on nothing but the value.
SELECT p.proname, p.provolatile, p.proparallel FROM pg_proc AS p WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proargnames[1] = 'lobby' ORDER BY 1;
SELECT skillrating.drop_ladder('forged') \gset
DROP FUNCTION answer;
DROP TABLE good, maker, wrong, tried;
