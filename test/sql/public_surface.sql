-- What a user can call and use, in full: whatever is added, renamed or taken away
-- shows here.  The rest is in skillrating_internal.
\pset format unaligned
\pset tuples_only on
\set members 'pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = \'skillrating\' AND d.deptype = \'e\''

-- Functions, procedures, aggregates and window functions.
SELECT format('%s %s(%s)%s',
    CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'w' THEN 'window' WHEN 'p' THEN 'procedure' ELSE 'function' END,
    p.proname, pg_get_function_arguments(p.oid), ' -> ' || pg_get_function_result(p.oid))
FROM :members JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
WHERE p.pronamespace = 'skillrating'::regnamespace
ORDER BY p.proname COLLATE "C", pg_get_function_arguments(p.oid) COLLATE "C";

-- Composite types.
SELECT format('%s (%s)', t.typname,
    string_agg(format('%s %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum))
FROM pg_type AS t JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0
WHERE t.typnamespace = 'skillrating'::regnamespace AND t.typtype = 'c'
GROUP BY t.typname
ORDER BY t.typname COLLATE "C";

-- All other members: operators, casts, domains, tables, views and whatever else there is.
SELECT pg_describe_object(d.classid, d.objid, d.objsubid)
FROM :members
CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS i
LEFT JOIN pg_type AS t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
WHERE d.classid <> 'pg_proc'::regclass AND t.typtype IS DISTINCT FROM 'c'
    AND t.typcategory IS DISTINCT FROM 'A'  -- which are members from version 17 on
    AND i.schema IS DISTINCT FROM 'skillrating_internal'
ORDER BY pg_describe_object(d.classid, d.objid, d.objsubid) COLLATE "C";

-- All members are in the two schemas, and all that a user calls says what it is.
SELECT DISTINCT p.pronamespace::regnamespace
FROM :members JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid ORDER BY 1;
SELECT pg_describe_object(d.classid, d.objid, d.objsubid)
FROM :members
WHERE obj_description(d.objid, d.classid::regclass::name) IS NULL AND d.classid IN ('pg_proc'::regclass, 'pg_namespace'::regclass);
SELECT t.typname FROM pg_type AS t
WHERE t.typnamespace IN ('skillrating'::regnamespace, 'skillrating_internal'::regnamespace) AND t.typtype = 'c'
    AND obj_description(t.oid, 'pg_type') IS NULL AND obj_description(t.typrelid, 'pg_class') IS NULL;
SELECT a.attrelid::regclass, a.attname FROM pg_attribute AS a
JOIN pg_type AS t ON t.typrelid = a.attrelid AND t.typnamespace = 'skillrating'::regnamespace
WHERE col_description(a.attrelid, a.attnum) IS NULL;

-- What they say of themselves fits a terminal.
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS object, l.line
FROM :members
CROSS JOIN LATERAL regexp_split_to_table(obj_description(d.objid, d.classid::regclass::name), E'\n') AS l(line)
WHERE length(l.line) > 100;

-- Nothing that a user calls takes or gives a type of the other schema.
SELECT p.oid::regprocedure
FROM pg_proc AS p, unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]) || p.prorettype) AS used
JOIN pg_type AS t ON t.oid = used
WHERE p.pronamespace = 'skillrating'::regnamespace AND t.typnamespace = 'skillrating_internal'::regnamespace;

-- How many names and forms there are; a name has one form, but for these.
SELECT format('%s names, %s forms', count(DISTINCT p.proname), count(*)) FROM pg_proc AS p WHERE p.pronamespace = 'skillrating'::regnamespace;
SELECT p.proname, count(*) AS forms
FROM pg_proc AS p WHERE p.pronamespace = 'skillrating'::regnamespace
GROUP BY p.proname HAVING count(*) > 1 ORDER BY p.proname COLLATE "C";

-- More than twelve arguments are the facts of a match, or of a lobby, or make a ladder.
SELECT p.proname, p.pronargs AS arguments
FROM pg_proc AS p WHERE p.pronamespace = 'skillrating'::regnamespace AND p.pronargs > 12
ORDER BY p.proname COLLATE "C", p.pronargs;

-- Names that need quotes, because the language has the word: of arguments, and of columns of types,
-- results and the tables of a ladder.
SELECT skillrating.create_ladder('surface_ladder', 'state_space') \gset
SELECT word, string_agg(place, ', ' ORDER BY place COLLATE "C") AS places
FROM pg_get_keywords() AS k JOIN (
    SELECT DISTINCT p.proname || '()', u.name FROM pg_proc AS p, unnest(p.proargnames) AS u(name) WHERE p.pronamespace = 'skillrating'::regnamespace
    UNION ALL
    SELECT c.relname, a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relnamespace IN ('skillrating'::regnamespace, 'surface_ladder'::regnamespace)
    UNION ALL
    SELECT 'source_columns()', column_name FROM skillrating.source_columns()) AS n(place, name) ON n.name = k.word
WHERE k.catcode IN ('R', 'T') GROUP BY word ORDER BY word COLLATE "C";
SET client_min_messages = warning;

-- All tables and views of a ladder say what they and their columns are: of one with matches of its
-- own, of one over a source with all that a ladder can have, and of its shadow.
\set ECHO none
CREATE TABLE surface_game (match_id int, player_id int, team int, rank int, played_at timestamptz);
CREATE VIEW surface_games AS SELECT * FROM surface_game;
CREATE TABLE surface_player (id int PRIMARY KEY, skill float8);
SELECT skillrating.create_ladder('surface_full', 'trueskill', source => 'surface_games',
    ranks => 'counted', ratings_to => 'surface_player', key => 'id', columns => '{"skill": "rating"}', pool => '') \gset
INSERT INTO surface_game SELECT m, p, p, p, timestamptz '2024-01-01' + m * interval '1 day' FROM generate_series(1, 3) AS m, generate_series(1, 2) AS p;
\set ECHO all
SELECT skillrating.new_season('surface_full', 'first', at => '2024-01-03');
SELECT skillrating.attach('surface_full', 'surface_game', replica => true) \gset
SELECT matches FROM skillrating.solve_ladder('surface_full');
ALTER VIEW surface_games RENAME COLUMN team TO side_number;
CREATE OR REPLACE VIEW surface_games AS SELECT *, side_number AS team, 0.5::float8 AS weight FROM surface_game AS g(match_id, player_id, side_number, rank, played_at);
SELECT skillrating.refresh_source('surface_full') \gset
SELECT count(*) > 0 AS corrected FROM skillrating.catch_up('surface_full');
SELECT skillrating.shadow_ladder('surface_full', 'surface_shadow', 'trueskill2');
SELECT skillrating.set_horizon('surface_full', '2024-01-03 12:00');
\set ECHO none
CREATE VIEW undescribed AS
SELECT c.oid::regclass AS relation, nullif(a.name, '') AS name
FROM pg_class AS c
CROSS JOIN LATERAL (
    SELECT 0, ''
    UNION ALL SELECT t.attnum, t.attname FROM pg_attribute AS t WHERE t.attrelid = c.oid AND t.attnum > 0) AS a(number, name)
LEFT JOIN pg_description AS d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = a.number
WHERE c.relnamespace::regnamespace::text ~ '^surface_' AND c.relkind IN ('r', 'v') AND d.description IS NULL;
\set ECHO all
SELECT * FROM undescribed;
SELECT string_agg(c.relname, ' ' ORDER BY c.relname COLLATE "C") FROM pg_class AS c WHERE c.relnamespace = 'surface_full'::regnamespace AND c.relkind = 'r';
-- A promotion keeps what the user has said, and not what the model of the former ladder said.
COMMENT ON COLUMN surface_full.rating.games IS 'Ours.';
SELECT skillrating.promote_ladder('surface_shadow', former => 'surface_former');
SELECT a.attname, col_description(a.attrelid, a.attnum) FROM pg_attribute AS a
WHERE a.attrelid = 'surface_full.rating'::regclass AND a.attname IN ('games', 'mu', 'rating') ORDER BY a.attname COLLATE "C";
SELECT * FROM undescribed;
SELECT ladder, skillrating.drop_ladder(ladder) IS NOT NULL AS dropped FROM unnest('{surface_former,surface_full,surface_ladder}'::text[]) AS ladder;

-- A transition, final or combine function, or that of a trigger, is not for a user to call.
SELECT p.oid::regprocedure
FROM pg_proc AS p
WHERE p.pronamespace = 'skillrating'::regnamespace
    AND (p.prorettype IN ('trigger'::regtype, 'internal'::regtype) OR EXISTS (
        SELECT FROM pg_aggregate AS a WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn)));
