-- One bad row never blocks a ladder: its match stays unrated, with the reason, and the rest goes on.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA bad_rows;
SET search_path = bad_rows, public;

-- Every column of a source with every value that is bad for its type, in the row of one participant
-- or of both; each case is a match with players of its own.
CREATE TABLE bad_case AS
SELECT row_number() OVER (ORDER BY c.n, v.n, b.both_rows) AS id, c.column_name, v.value, b.both_rows
FROM skillrating.source_columns() WITH ORDINALITY AS c(column_name, type, needed, description, n)
CROSS JOIN LATERAL unnest(CASE
    WHEN c.type LIKE '%number' THEN ARRAY[NULL, 'NaN', 'Infinity', '-Infinity', '-1', '1e308']
    WHEN c.type = 'time' THEN ARRAY[NULL, 'infinity', '-infinity']
    WHEN c.type = 'text' THEN ARRAY['*']
    ELSE ARRAY[NULL] END) WITH ORDINALITY AS v(value, n)
CROSS JOIN (VALUES (false), (true)) AS b(both_rows)
WHERE c.column_name <> 'match_id';

-- What is right instead.
CREATE FUNCTION good_value(name text, player integer) RETURNS text LANGUAGE sql AS $$
    SELECT CASE name
        WHEN 'played_at' THEN '2024-01-01 12:00:00+00'
        WHEN 'team' THEN player::text WHEN 'rank' THEN player::text
        WHEN 'log_odds' THEN '0.1' WHEN 'player_gain' THEN '1' WHEN 'pool' THEN ''
        WHEN 'joined' THEN '0' WHEN 'left_at' THEN '600' WHEN 'commanding' THEN '0.5'
        WHEN 'side' THEN player::text WHEN 'squad' THEN '7' WHEN 'kills' THEN '3' WHEN 'deaths' THEN '2'
        WHEN 'quit' THEN '0' WHEN 'experience' THEN '9' END
$$;
\set ECHO all

-- Tables as users have them, without any constraint, for four ladders.
\set ECHO none
CREATE FUNCTION make_source(name text, apply_at text, late text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (%s)', name || '_rows', (
        SELECT string_agg(format('%I %s', column_name, CASE WHEN type LIKE '%number' THEN 'float8' WHEN type = 'time' THEN 'timestamptz' ELSE 'text' END), ', ')
        FROM skillrating.source_columns()));
    EXECUTE format('CREATE VIEW %I AS SELECT * FROM %I', name || '_source', name || '_rows');
    PERFORM skillrating.create_ladder(name, 'trueskill2', '{"kill_variance": 3, "kill_self": 0.1, "quit_related": 0.1}', apply_at => apply_at, late => late,
        source => (name || '_source')::regclass);
    PERFORM skillrating.attach(name, (name || '_rows')::regclass);
END $$;
\set ECHO all
SELECT make_source('at_commit', 'commit', 'append'), make_source('at_statement', 'statement', 'append'),
    make_source('by_hand', 'manual', 'append'), make_source('in_order', 'commit', 'reorder') \gset

-- One statement brings all matches, each between two good ones.
\set ECHO none
CREATE FUNCTION fill_source(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    columns text := (SELECT string_agg(quote_ident(column_name), ', ') FROM skillrating.source_columns() WHERE column_name NOT IN ('match_id', 'player_id'));
BEGIN
    EXECUTE format('INSERT INTO %I (match_id, player_id, %s) SELECT m.id, m.id || ''-'' || p, %s FROM (
            SELECT id || kind AS id FROM bad_case, unnest(ARRAY[''a'', ''b'', ''c'']) AS kind) AS m, generate_series(1, 2) AS p',
        name || '_rows', columns, (
            SELECT string_agg(format('good_value(%L, p)::%s', column_name, CASE WHEN type LIKE '%number' THEN 'float8' WHEN type = 'time' THEN 'timestamptz' ELSE 'text' END), ', ')
            FROM skillrating.source_columns() WHERE column_name NOT IN ('match_id', 'player_id')));
END $$;
CREATE FUNCTION spoil(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT * FROM bad_case LOOP
        EXECUTE format('UPDATE %I SET %I = %L WHERE match_id = %L %s', name || '_rows', c.column_name, c.value, c.id || 'b',
            CASE WHEN NOT c.both_rows THEN 'AND player_id LIKE ''%-1''' END);
    END LOOP;
END $$;
CREATE FUNCTION mend(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT * FROM bad_case LOOP
        IF c.column_name = 'player_id' THEN
            EXECUTE format('UPDATE %I SET player_id = match_id || ''-'' || team WHERE match_id = %L', name || '_rows', c.id || 'b');
        ELSE
            EXECUTE format('UPDATE %1$I SET %2$I = good_value(%3$L, right(player_id, 1)::integer)::%4$s WHERE match_id = %5$L',
                name || '_rows', c.column_name, c.column_name,
                (SELECT CASE WHEN type LIKE '%number' THEN 'float8' WHEN type = 'time' THEN 'timestamptz' ELSE 'text' END
                 FROM skillrating.source_columns() AS s WHERE s.column_name = c.column_name), c.id || 'b');
        END IF;
    END LOOP;
END $$;

-- The verdict on each case, and what is wrong with the ladder.
CREATE FUNCTION verdicts(name text) RETURNS TABLE (column_name text, value text, both_rows boolean, verdict text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT c.column_name, c.value, c.both_rows, coalesce(m.reason || '': '' || m.detail, m.status, ''not there'')
        FROM bad_case AS c LEFT JOIN %I.rated_match AS m ON m.match_id = c.id || ''b'' ORDER BY c.id', name);
END $$;
CREATE FUNCTION faults(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    good bigint;
    result text;
BEGIN
    EXECUTE format('SELECT count(*) FROM %I.rated_match WHERE match_id !~ ''b$'' AND status = ''rated''', name) INTO good;
    SELECT string_agg(v.check_name || ': ' || v.detail, ', ') INTO result FROM skillrating.verify(name) AS v WHERE NOT v.ok;
    RETURN coalesce(result, 'none') || CASE WHEN good <> (SELECT 2 * count(*) FROM bad_case) THEN ', but only ' || good || ' good matches' ELSE '' END;
END $$;
CREATE FUNCTION all_ratings(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT md5(string_agg(r::text, '';'' ORDER BY r.player_id, r.pool)) FROM %I.rating AS r WHERE r.games > 0', name) INTO result;
    RETURN result;
END $$;
\set ECHO all

-- Bad when they come.
\set ECHO none
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order'] LOOP
        EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', name || '_rows');
        PERFORM fill_source(name), spoil(name);
        EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', name || '_rows');
        EXECUTE format('UPDATE %I SET match_id = match_id', name || '_rows');
    END LOOP;
END $$;
\set ECHO all
SELECT count(*) FROM skillrating.catch_up('by_hand');
SELECT column_name, verdict, string_agg(coalesce(value, 'null') || CASE WHEN both_rows THEN ' twice' ELSE '' END, ', ' ORDER BY n)
FROM verdicts('at_commit') WITH ORDINALITY AS v(column_name, value, both_rows, verdict, n) GROUP BY 1, 2 ORDER BY min(n);
CREATE TABLE first_verdict AS SELECT * FROM verdicts('at_commit');
SELECT name, faults(name), (SELECT count(*) FROM (SELECT * FROM verdicts(name) EXCEPT SELECT * FROM first_verdict) AS v) AS other_verdicts
FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order']) AS name ORDER BY name;

-- The same content again is nothing new; nor does a search find more.
UPDATE at_commit_rows SET match_id = match_id;
SELECT count(*) FROM skillrating.catch_up('at_commit', search => true);
SELECT count(*) FROM at_commit.correction;
-- Who asks is told, and may void them or bring them back.
SELECT w.* FROM bad_case, skillrating.match_outcome('at_commit', id || 'b') AS w WHERE column_name = 'weight' AND value = 'NaN' AND both_rows;
SELECT skillrating.void_match('at_commit', id || 'b', 'bad weight'), skillrating.restore_match('at_commit', id || 'b')
FROM bad_case WHERE column_name = 'weight' AND value = 'NaN' AND both_rows \gset

-- Mended, they count.
SELECT count(mend(name)) FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order']) AS name;
SELECT (SELECT count(*) >= 0 FROM skillrating.catch_up(name)) AS caught_up, name, faults(name),
    (SELECT count(*) FROM verdicts(name) WHERE verdict <> 'rated') AS unrated
FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order']) AS name ORDER BY name;
CREATE TABLE mended AS SELECT name, all_ratings(name) AS ratings FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order']) AS name;

-- Bad when they are rated already, and mended again: all is as it was.
SELECT count(spoil(name)) FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order']) AS name;
SELECT (SELECT count(*) >= 0 FROM skillrating.catch_up(name)) AS caught_up, name, faults(name),
    (SELECT count(*) FROM (SELECT * FROM verdicts(name) EXCEPT SELECT * FROM first_verdict) AS v) AS other_verdicts,
    (SELECT count(*) > 50 FROM verdicts(name) WHERE verdict <> 'rated') AS unrated
FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order']) AS name ORDER BY name;
SELECT count(*) AS placed_without_time FROM in_order.rated_match WHERE seq IS NOT NULL AND played_at IS NULL;
SELECT count(*) >= 0 AS rebuilt FROM skillrating.catch_up('in_order', rebuild => true);
SELECT count(mend(name)) FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order']) AS name;
SELECT (SELECT count(*) >= 0 FROM skillrating.catch_up(m.name)) AS caught_up, m.name, faults(m.name), all_ratings(m.name) = m.ratings AS as_before
FROM mended AS m ORDER BY m.name;

-- What the tables of a ladder take is judged alike; what they do not take is an error of theirs.
\set ECHO none
CREATE FUNCTION own_ladder(name text, apply_at text) RETURNS TABLE (refused bigint, taken bigint, otherwise bigint) LANGUAGE plpgsql AS $$
DECLARE
    c record;
    of_match boolean;
BEGIN
    PERFORM skillrating.create_ladder(name, 'trueskill2', '{"kill_variance": 3, "kill_self": 0.1, "quit_related": 0.1}', player_type => 'text', apply_at => apply_at);
    CREATE TEMP TABLE case_taken (id bigint) ON COMMIT DROP;
    FOR c IN SELECT * FROM bad_case LOOP
        of_match := c.column_name IN ('played_at', 'pool', 'log_odds', 'unrated_reason', 'tournament');
        CONTINUE WHEN of_match AND NOT c.both_rows;
        BEGIN
            EXECUTE format('INSERT INTO %I.match (match_id, played_at, log_odds) VALUES ($1, ''2024-01-01 12:00:00+00'', 0.1)', name) USING c.id;
            IF of_match THEN
                EXECUTE format('UPDATE %I.match SET %I = %L WHERE match_id = $1', name, c.column_name, c.value) USING c.id;
            END IF;
            EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank, joined, left_at, commanding, side, squad, kills, deaths, quit, experience)
                SELECT $1, $1 || ''-'' || p, p, p, 0, 600, 0.5, p, 7, 3, 2, false, 9 FROM generate_series(1, 2) AS p', name) USING c.id;
            IF NOT of_match THEN
                EXECUTE format('UPDATE %I.match_player SET %I = %L WHERE match_id = $1 %s', name, c.column_name, c.value,
                    CASE WHEN NOT c.both_rows THEN 'AND player_id LIKE ''%-1''' END) USING c.id;
            END IF;
            INSERT INTO case_taken VALUES (c.id);
        EXCEPTION
            WHEN not_null_violation OR invalid_text_representation OR numeric_value_out_of_range THEN
                refused := coalesce(refused, 0) + 1;
        END;
    END LOOP;
    SET CONSTRAINTS ALL IMMEDIATE;
    PERFORM skillrating.catch_up(name);
    SELECT count(*) INTO taken FROM case_taken;
    EXECUTE format('SELECT count(*) FROM case_taken AS t JOIN bad_case AS c USING (id) JOIN %I.rated_match AS m ON m.match_id = t.id
        LEFT JOIN first_verdict AS v ON v.column_name = c.column_name AND v.value IS NOT DISTINCT FROM c.value AND v.both_rows = c.both_rows
        WHERE coalesce(m.reason || '': '' || m.detail, m.status) IS DISTINCT FROM v.verdict', name) INTO otherwise;
    RETURN NEXT;
END $$;
\set ECHO all
SELECT * FROM own_ladder('own_commit', 'commit');
SELECT * FROM own_ladder('own_statement', 'statement');
SELECT * FROM own_ladder('own_manual', 'manual');
SELECT bool_and(v.ok) FROM unnest(ARRAY['own_commit', 'own_statement', 'own_manual']) AS name, skillrating.verify(name) AS v;

-- Errors of the source itself: only in class 22 are they the data's, and only their matches suffer.
\set ECHO none
CREATE TABLE game (id integer, player integer, points integer, rounds integer, played_at timestamptz DEFAULT '2024-01-01');
CREATE FUNCTION careless(integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$ BEGIN IF $1 = 13 THEN RAISE 'thirteen'; END IF; RETURN $1; END $$;
CREATE VIEW game_source AS SELECT id AS match_id, played_at, player AS player_id, player AS team, careless(points) / rounds AS team_score FROM game;
SELECT skillrating.create_ladder('games', 'elo', source => 'game_source') \gset
SELECT skillrating.attach('games', 'game', 'id') \gset
INSERT INTO game SELECT id, player, player, CASE WHEN id % 7 = 0 THEN 0 ELSE 1 END FROM generate_series(1, 3000) AS id, generate_series(1, 2) AS player;
\set ECHO all
SELECT status, reason, detail, count(*) FROM games.rated_match GROUP BY 1, 2, 3 ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('games');
UPDATE game SET rounds = 1 - rounds WHERE id IN (1, 7, 2999);
SELECT count(*) FROM skillrating.catch_up('games');
SELECT status, reason, detail, count(*) FROM games.rated_match GROUP BY 1, 2, 3 ORDER BY 1;
SELECT match_id, status, seq IS NOT NULL AS placed FROM games.rated_match WHERE match_id IN (1, 7, 2999) ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('games');
SELECT converged FROM skillrating.solve_ladder('games');
SELECT max(games) FROM games.solved;
SELECT count(*) FROM skillrating.catch_up('games', rebuild => true);
INSERT INTO game VALUES (4000, 1, 13, 1), (4000, 2, 2, 1);
SELECT outcome, reason, detail FROM skillrating.match_outcome('games', 4000);
DELETE FROM game WHERE id = 4000;
UPDATE game SET rounds = 1;
SELECT count(*) FROM skillrating.catch_up('games');
SELECT status, reason, detail, count(*) FROM games.rated_match GROUP BY 1, 2, 3 ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('games');

-- What is bad only after what was before takes its place, and counts once that is corrected.
SELECT skillrating.create_ladder('states', 'elo', apply_at => 'statement') \gset
SELECT count(*) FROM skillrating.report_match('states', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], gain => 5.5e148);
SELECT count(*) FROM skillrating.report_match('states', 2, ARRAY[3, 4], ARRAY[1, 2], ARRAY[1, 2], gain => 5.5e148);
SELECT count(*) FROM skillrating.report_match('states', 3, ARRAY[1, 3], ARRAY[1, 2], ARRAY[1, 2], gain => 2.8e148);
SELECT match_id, status, reason, detail, seq FROM states.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('states');
UPDATE states.match SET gain = 1 WHERE match_id = 1;
SELECT count(*) FROM skillrating.catch_up('states');
SELECT match_id, status, reason, detail, seq FROM states.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('states');

-- What is wrong in a call is an error of the caller.
SELECT skillrating.report_match('states', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], 'infinity');
SELECT skillrating.report_match('states', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], '-infinity');
SELECT skillrating.report_match('states', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], weight => '{NaN,1}');
SELECT count(*) FROM states.match WHERE match_id = 4;
SELECT skillrating.rate('glicko', 1, 1, 1, played_at => 'infinity', options => '{"strict_rows": true}') OVER (ORDER BY 1);
SELECT skillrating.rate('glicko', 1, 1, 1, played_at => '-infinity', options => '{"strict_rows": true}') OVER (ORDER BY 1);
SELECT skillrating.final_ratings('glicko', m, p, p, p, skillrating.inputs(played_at => 'infinity'), '{"strict_rows": true}' ORDER BY m) FROM (VALUES (1, 1), (1, 2)) AS r(m, p);
SELECT skillrating.set_rating('states', 1, '{"rating": 1600}', at => 'infinity');
SELECT skillrating.new_season('states', 'never', at => '-infinity');
SELECT skillrating.decay('states', at => 'infinity');
SELECT skillrating.seed_from('states', 'own_commit', at => 'infinity');
SELECT count(*) FROM states.operation;

SELECT count(skillrating.drop_ladder(name))
FROM unnest(ARRAY['at_commit', 'at_statement', 'by_hand', 'in_order', 'own_commit', 'own_statement', 'own_manual', 'games', 'states']) AS name;
RESET search_path;
DROP SCHEMA bad_rows CASCADE;
