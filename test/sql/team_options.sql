-- The team makers have one set of options: what two of them share has the same type, the same
-- place among the others and the same default.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE TABLE team_maker (maker text PRIMARY KEY, name text, first text);
INSERT INTO team_maker SELECT format('%s(%s)', name, first), name, first
FROM (VALUES ('lobby', 'players'), ('lobby', 'ladder'), ('split_teams', 'lobby'), ('split_teams', 'players'), ('split_all_sizes', 'lobby'), ('suggest_swaps', 'lobby'),
    ('suggest_transfers', 'lobby'), ('place_joiner', 'lobby'), ('pair_queue', 'lobby'), ('find_opponents', 'ladder')) AS m(name, first);
-- What may differ, and why.
CREATE TABLE team_exception (maker text REFERENCES team_maker, option text, differs text, reason text);
INSERT INTO team_exception VALUES
    ('pair_queue(lobby)', 'pool', 'type', 'each queued player has a label; on a ladder all are of one pool'),
    ('pair_queue(lobby)', 'pool', 'default', 'likewise'),
    ('pair_queue(lobby)', 'team_size', 'default', 'a queue has no size at which all play'),
    ('lobby(ladder)', 'players', 'type', 'identifiers of a ladder have its type'),
    ('split_teams(players)', 'players', 'type', 'its result has the type of the identifiers'),
    ('lobby(players)', 'mu', 'type', 'two parameters without types are a ladder and its players'),
    ('find_opponents(ladder)', 'context', 'type', 'the two who are to meet play in one'),
    ('find_opponents(ladder)', 'context', 'default', 'likewise'),
    ('find_opponents(ladder)', 'context', 'place', 'likewise'),
    ('suggest_transfers(lobby)', 'max_swaps', 'default', 'only transfers are needed');

CREATE VIEW team_option AS
SELECT m.maker, a.option, a.place, format_type(t.type, NULL) AS type,
    pg_get_function_arg_default(p.oid, a.place::int) AS default_value
FROM team_maker AS m
JOIN pg_proc AS p ON p.proname = m.name AND p.proargnames[1] = m.first AND p.pronamespace = 'skillrating'::regnamespace,
    LATERAL unnest(p.proargnames[1:p.pronargs]) WITH ORDINALITY AS a(option, place),
    LATERAL (SELECT p.proargtypes[a.place - 1] AS type) AS t;
\set ECHO all

-- Each is there once, and every option has a default but those that say who.
SELECT maker, count(DISTINCT p.oid) AS functions, (SELECT string_agg(option, ', ' ORDER BY place)
    FROM team_option AS o WHERE o.maker = m.maker AND default_value IS NULL) AS needed
FROM team_maker AS m LEFT JOIN pg_proc AS p ON p.proname = m.name AND p.proargnames[1] = m.first AND p.pronamespace = 'skillrating'::regnamespace
GROUP BY maker ORDER BY maker;

-- What differs without a reason: nothing.
CREATE FUNCTION team_excepted(a text, b text, option text, differs text) RETURNS boolean LANGUAGE sql AS
'SELECT EXISTS (SELECT FROM team_exception AS e WHERE e.maker IN (a, b) AND e.option = $3 AND e.differs = $4)';
SELECT a.maker, b.maker, option, a.type, b.type
FROM team_option AS a JOIN team_option AS b USING (option)
WHERE a.maker < b.maker AND a.type <> b.type AND NOT team_excepted(a.maker, b.maker, option, 'type');
SELECT a.maker, b.maker, option, a.default_value, b.default_value
FROM team_option AS a JOIN team_option AS b USING (option)
WHERE a.maker < b.maker AND a.default_value IS DISTINCT FROM b.default_value
    AND NOT team_excepted(a.maker, b.maker, option, 'default');
SELECT a.maker, b.maker, a.option, a2.option
FROM team_option AS a JOIN team_option AS b ON b.option = a.option
JOIN team_option AS a2 ON a2.maker = a.maker JOIN team_option AS b2 ON b2.maker = b.maker AND b2.option = a2.option
WHERE a.maker < b.maker AND a.place < a2.place AND b.place > b2.place
    AND NOT team_excepted(a.maker, b.maker, a.option, 'place') AND NOT team_excepted(a.maker, b.maker, a2.option, 'place');
-- No reason is left over.
SELECT e.maker, e.option, e.differs FROM team_exception AS e
WHERE NOT EXISTS (SELECT FROM team_option AS a JOIN team_option AS b USING (option)
    WHERE a.maker = e.maker AND option = e.option AND b.maker <> a.maker AND CASE e.differs
        WHEN 'type' THEN a.type <> b.type
        WHEN 'default' THEN a.default_value IS DISTINCT FROM b.default_value
        ELSE EXISTS (SELECT FROM team_option AS a2 JOIN team_option AS b2 USING (option)
            WHERE a2.maker = a.maker AND b2.maker = b.maker AND (a.place < a2.place) <> (b.place < b2.place)) END);

-- explain is last, with its default; arrays come before scalars.
SELECT maker FROM team_option AS o WHERE maker <> 'split_teams(players)' AND maker NOT LIKE 'lobby%' GROUP BY maker
HAVING (array_agg(option ORDER BY place DESC))[1] <> 'explain' OR bool_or(option = 'explain' AND default_value <> 'false');
SELECT a.maker, a.option, b.option FROM team_option AS a JOIN team_option AS b USING (maker)
WHERE a.type LIKE '%[]' AND b.type NOT LIKE '%[]' AND b.default_value IS NOT NULL AND a.place > b.place;

-- Columns of results: the same name has the same type, and comes in the same order.
CREATE VIEW team_column AS
SELECT m.maker, c.name, c.place, format_type(p.proallargtypes[c.place], NULL) AS type
FROM team_maker AS m JOIN pg_proc AS p ON p.proname = m.name AND p.proargnames[1] = m.first AND p.pronamespace = 'skillrating'::regnamespace,
    LATERAL unnest(p.proargnames) WITH ORDINALITY AS c(name, place) WHERE c.place > p.pronargs AND m.first <> 'players';
SELECT a.maker, b.maker, name, a.type, b.type FROM team_column AS a JOIN team_column AS b USING (name)
WHERE a.maker < b.maker AND a.type <> b.type;
SELECT a.maker, b.maker, a.name, a2.name
FROM team_column AS a JOIN team_column AS b ON b.name = a.name
JOIN team_column AS a2 ON a2.maker = a.maker JOIN team_column AS b2 ON b2.maker = b.maker AND b2.name = a2.name
WHERE a.maker < b.maker AND a.place < a2.place AND b.place > b2.place;
SELECT maker, string_agg(name, ', ' ORDER BY place) AS columns FROM team_column GROUP BY maker ORDER BY maker;

DROP FUNCTION team_excepted;
DROP VIEW team_option, team_column;
DROP TABLE team_exception, team_maker;
