-- Team makers take identifiers as drivers send them: as parameters and literals without a type,
-- which are texts, and as arrays of any type that can serve, also of domains, that a lobby takes as
-- texts.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE DOMAIN team_number AS integer CHECK (VALUE > 0);
CREATE DOMAIN team_name AS text CHECK (VALUE <> '');
CREATE DOMAIN team_numbers AS integer[];
\set ECHO all

-- A call of each maker: its arguments, all of them parameters, and their values behind players.
\set ECHO none
CREATE TABLE team_call (maker text PRIMARY KEY, id_column text DEFAULT 'player_id', arguments text, given text[]);
INSERT INTO team_call (maker, arguments, given) VALUES
    ('split_teams', 'skillrating.lobby($1, mu => $2, party => $3, locked => $4, avoid => $5, log_odds => $7, model => $8, params => $9), team_size => $6, seed => $10',
        '{"{1700,1650,1600,1550,1500}","{7,7,NULL,NULL,NULL}","{1,NULL,NULL,NULL,NULL}","{$1,$3}",2,0.25,glicko2,"{}",7}'),
    ('split_all_sizes', 'skillrating.lobby($1, mu => $2, avoid => $3, strength => $4), explain => $5', '{"{1700,1650,1600,1550,1500}","{$1,$3}",sum,true}'),
    ('suggest_transfers', 'skillrating.lobby($1, mu => $2, current => $3, avoid => $4), max_lead => $5, budget => $6', '{"{1700,1650,1600,1550,1500}","{1,1,1,1,2}","{$1,$3}",1,100}'),
    ('place_joiner', 'skillrating.lobby($1, mu => $2, current => $3, sigma => $4, model => $5)', '{"{1700,1650,1600,1550,1500}","{1,1,2,2,NULL}","{90,80,70,60,50}",glicko}'),
    ('pair_queue', 'skillrating.lobby($1, mu => $2), waited => $3, region => $4, pool => $5, team_size => $6, initial_window => $7, explain => $8',
        '{"{1700,1650,1600,1550,1500}","{5,4,3,2,1}","{1,1,3,3,1}","{eu,eu,NULL,eu,eu}",2,500,true}');
INSERT INTO team_call (maker, arguments, given) VALUES ('split_teams of arrays', '$1, mu => $2, team_size => $3', '{"{1700,1650,1600,1550,1500}",2}');
INSERT INTO team_call VALUES
    ('suggest_swaps', 'player_id_a', 'skillrating.lobby($1, mu => $2, current => $3), max_swaps => $4, method => $5, explain => $6', '{"{1700,1650,1600,1550,1500}","{1,1,1,2,2}",2,greedy,true}');
\set ECHO all
-- Nothing else takes an array of any type but what has a ladder, or rates a history, lobby() and a plot.
SELECT p.proname FROM pg_proc AS p
WHERE p.pronamespace = 'skillrating'::regnamespace AND p.proargtypes::oid[] && '{anyarray,anycompatiblearray}'::regtype[]::oid[] AND p.proargnames[1] <> 'ladder' AND p.proname <> 'plot_history' AND p.prokind <> 'w'
EXCEPT SELECT split_part(maker, ' ', 1) FROM team_call;

\set ECHO none
CREATE TABLE team_identifiers (type text, given text);
INSERT INTO team_identifiers VALUES ('smallint[]', '{1,2,3,4,5}'), ('integer[]', '{1,2,3,4,5}'), ('bigint[]', '{1,2,3,4,50000000000}'),
    ('text[]', '{ann,bob,"c,d",dan,"e ve"}'), ('character varying[]', '{ann,bob,cid,dan,eve}'), ('varchar(8)[]', '{ann,bob,cid,dan,eve}'), ('name[]', '{ann,bob,cid,dan,eve}'),
    ('uuid[]', '{a0000000-0000-0000-0000-000000000001,a0000000-0000-0000-0000-000000000002,a0000000-0000-0000-0000-000000000003,a0000000-0000-0000-0000-000000000004,a0000000-0000-0000-0000-000000000005}'),
    ('team_number[]', '{1,2,3,4,5}'), ('team_name[]', '{ann,bob,cid,dan,eve}'), ('team_numbers', '{1,2,3,4,5}'), ('numeric[]', '{1,2.5,3,4,5}');
\set ECHO all

-- The rows of a call as text, and the type of the identifiers in them.
\set ECHO none
CREATE FUNCTION team_rows(call team_call, players text, given text, OUT answer text, OUT type text) LANGUAGE plpgsql AS $$
DECLARE
    id text[] := given::text[];
BEGIN
    EXECUTE format('PREPARE team_statement AS SELECT string_agg(r::text, E''\n'' ORDER BY r::text), min(pg_typeof(r.%I)::text) FROM skillrating.%I(%s) AS r',
        call.id_column, split_part(call.maker, ' ', 1), replace(call.arguments, '$1,', players || CASE WHEN call.arguments LIKE 'skillrating.lobby(%' THEN '::text[],' ELSE ',' END));
    EXECUTE format('EXECUTE team_statement(%L, %s)', given,
        (SELECT string_agg(quote_literal(CASE WHEN g = '{$1,$3}' THEN ARRAY[id[1], id[3]]::text ELSE g END), ', ' ORDER BY n) FROM unnest(call.given) WITH ORDINALITY AS u(g, n))) INTO answer, type;
    DEALLOCATE team_statement;
END $$;
-- Bare and typed parameters give the same rows; those of two arrays have identifiers of the type that
-- was given.
CREATE TABLE team_found AS
SELECT c.maker, t.type, bare.answer AS bare, bare.type AS bare_type, typed.answer AS typed, typed.type AS typed_type
FROM team_call AS c, team_identifiers AS t, LATERAL team_rows(c, '$1', t.given) AS bare, LATERAL team_rows(c, '$1::' || t.type, t.given) AS typed;
\set ECHO all
SELECT type, count(*) AS makers, bool_and(bare = typed) AS same, string_agg(DISTINCT bare_type, ' ') AS bare, string_agg(DISTINCT typed_type, ' ') FILTER (WHERE maker <> 'split_teams of arrays') AS typed, min(typed_type) FILTER (WHERE maker = 'split_teams of arrays') AS of_arrays
FROM team_found GROUP BY type ORDER BY type;
SELECT maker, count(DISTINCT typed) AS answers FROM team_found WHERE type = 'integer[]' GROUP BY maker ORDER BY maker;
-- Literals are as bare parameters.
SELECT player_id, team, pg_typeof(player_id) FROM skillrating.split_teams('{ann,bob,cid,dan}', mu => '{1700,1600,1500,1400}');
SELECT player_id, team, pg_typeof(player_id) FROM skillrating.place_joiner(skillrating.lobby('{1,2,3}', mu => '{1700,1600,1500}', current => '{1,2,NULL}'));
SELECT count(*) FROM skillrating.split_teams(NULL, mu => NULL) AS a, skillrating.split_teams(NULL::skillrating.lobby) AS b;
-- Estimates of any type of numbers.
SELECT count(DISTINCT s.difference) AS differences FROM skillrating.split_teams(skillrating.lobby('{a,b}'::text[], ARRAY[1, 3])) AS s, skillrating.split_teams(skillrating.lobby('{a,b}'::text[], ARRAY[1.0, 3])) AS t,
    skillrating.split_teams(skillrating.lobby('{a,b}'::text[], '{1,3}')) AS u WHERE s.difference = t.difference AND t.difference = u.difference;
-- What cannot serve is named.
SELECT * FROM skillrating.split_teams(ARRAY[point(1, 2), point(3, 4)], '{1,2}');
SELECT * FROM skillrating.split_teams('ann', mu => '{1,2}');

DROP FUNCTION team_rows;
DROP TABLE team_call, team_identifiers, team_found;
DROP DOMAIN team_number, team_name, team_numbers;
