-- An account that is merged into another counts as that player in every function that takes one.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE SCHEMA regress_ladder_accounts;
SET search_path = regress_ladder_accounts;
\set ECHO all

-- a and b have played, old for a long time, main but once.
\set ECHO none
CREATE FUNCTION begin_ladder(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.create_ladder(ladder, 'elo', player_type => 'text', apply_at => 'statement');
    PERFORM skillrating.report_match(ladder, i, CASE WHEN i < 9 THEN ARRAY['old', 'a'] ELSE ARRAY['main', 'b'] END,
        ARRAY[1, 2], rank => ARRAY[1, 2], played_at => timestamptz '2024-01-01' + i * interval '1 day')
    FROM generate_series(1, 9) AS i;
    PERFORM skillrating.set_rating(ladder, p.id, jsonb_build_object('rating', p.rating), at => '2024-02-01')
    FROM (VALUES ('c', 1600), ('d', 1500)) AS p(id, rating);
END
$$;
\set ECHO all
SELECT begin_ladder('arena') \gset
SELECT skillrating.merge_players('arena', 'old', 'main') IS NOT NULL AS merged;

-- It counts from when it is declared, with the rating that main has; catch_up() changes the rating.
-- With itself as main a function says the same, but for the identifier that it was given.
\set ECHO none
CREATE FUNCTION compare(ladder text) RETURNS TABLE (what text, same boolean, is_there boolean) LANGUAGE plpgsql AS $$
DECLARE
    query record;
    answers text[];
BEGIN
    FOR query IN
        SELECT * FROM (VALUES
            ('preview', 'SELECT * FROM skillrating.preview($1, ARRAY[$2, ''a''], ARRAY[1, 2])'),
            ('win_probability', 'SELECT * FROM skillrating.win_probability($1, ARRAY[$2, ''a''], ARRAY[1, 2])'),
            ('split_teams', 'SELECT * FROM skillrating.split_teams(skillrating.lobby($1, ARRAY[$2, ''a'', ''c'', ''d'']), seed => 1)'),
            ('find_opponents', 'SELECT * FROM skillrating.find_opponents($1, $2)'),
            ('find_opponents, explain', 'SELECT * FROM skillrating.find_opponents($1, $2, explain => true)'),
            ('find_opponents, at', 'SELECT * FROM skillrating.find_opponents($1, $2, at => ''2024-03-01'')'),
            ('place_of', 'SELECT (skillrating.place_of($1, $2)).place'),
            ('place_of, at', 'SELECT (skillrating.place_of($1, $2, at => ''2024-01-20'')).place'),
            ('around', 'SELECT * FROM skillrating.around($1, $2)'),
            ('rating_at', 'SELECT skillrating.rating_at($1, $2, ''2024-01-20'')'),
            ('history', 'SELECT * FROM skillrating.history($1, $2)')) AS q(what, text)
    LOOP
        SELECT array_agg(a.answer ORDER BY p.n) INTO answers
        FROM unnest('{main,old}'::text[]) WITH ORDINALITY AS p(id, n), LATERAL (
            SELECT answer_of(query.text, ladder, p.id) AS answer) AS a;
        RETURN QUERY SELECT query.what, replace(answers[2], '"old"', '"main"') = replace(answers[1], '"old"', '"main"'),
            answers[2] ~ '[0-9]';
    END LOOP;
END
$$;
CREATE FUNCTION answer_of(query text, ladder text, player text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE format('SELECT string_agg(to_json(q)::text, '' '' ORDER BY n) FROM (SELECT q.*, row_number() OVER () AS n FROM (%s) AS q) AS q', query)
    INTO answer USING ladder, player;
    RETURN answer;
END
$$;
\set ECHO all
SELECT * FROM compare('arena');
-- The row that the other account still has is no opponent.
SELECT array_agg(o.player_id ORDER BY o.player_id) FROM skillrating.find_opponents('arena', 'c') AS o;
SELECT array_agg(o.player_id ORDER BY o.player_id) FROM skillrating.find_opponents('arena', 'main') AS o;
-- A page begins behind the row that it still has.
SELECT player_id FROM skillrating.leaderboard('arena', 1);
SELECT player_id FROM skillrating.leaderboard('arena', 1, after_player => 'old');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT * FROM compare('arena');
SELECT player_id, l.mu[1] = (SELECT rating FROM arena.rating AS r WHERE r.player_id = 'main' AND s.player_id = 'old') AS mu_of_main, exact
FROM skillrating.lobby('arena', '{old,b,c,d}'::text[]) AS l, skillrating.split_teams(l, seed => 1) AS s;
SELECT array_agg(o.player_id ORDER BY o.player_id) FROM skillrating.find_opponents('arena', 'old') AS o;
SELECT p.player_id, o.player_id FROM skillrating.leaderboard('arena', min_games => 0, after_player => 'main') AS p
FULL JOIN skillrating.leaderboard('arena', min_games => 0, after_player => 'old') AS o USING (place) ORDER BY place, 1;

-- Rows come back under the identifiers that were given, in the order of players.
SELECT player_id FROM skillrating.preview('arena', '{c,old,a}'::text[], '{1,1,2}');
SELECT player_id FROM skillrating.split_teams(skillrating.lobby('arena', '{d,old,a,c}'::text[]));
SELECT player_id FROM skillrating.preview('arena', '{c,old,old,a}'::text[], '{1,1,1,2}', weight => '{1,0.5,0.25,1}');

-- Two accounts of one player are an error that says so.
SELECT player_id FROM skillrating.preview('arena', '{main,old}'::text[], '{1,2}');
SELECT player_id FROM skillrating.preview('arena', '{old,c,main,a}'::text[], '{1,1,1,2}');
SELECT team FROM skillrating.win_probability('arena', '{old,main}'::text[], '{1,2}');
SELECT player_id FROM skillrating.split_teams(skillrating.lobby('arena', '{a,old,c,main}'::text[]));
SELECT outcome, detail FROM skillrating.report_match('arena', 20, '{main,old}'::text[], '{1,2}', rank => '{1,2}');
-- One account twice, on several teams, is what it was.
SELECT player_id FROM skillrating.preview('arena', '{old,old}'::text[], '{1,2}');

-- Accounts of accounts, and an exclusion, which a merge does not lift but which keeps nobody from being looked at.
SELECT skillrating.merge_players('arena', 'older', 'old', allow_unknown => true) IS NOT NULL AS merged;
SELECT (skillrating.place_of('arena', 'older')).place = (skillrating.place_of('arena', 'main')).place AS same;
SELECT player_id FROM skillrating.preview('arena', '{older,old}'::text[], '{1,2}');
SELECT skillrating.exclude_player('arena', 'old') IS NOT NULL AS excluded;
SELECT player_id FROM skillrating.preview('arena', '{older,a}'::text[], '{1,2}');

-- What is done to an account that does not count says who does.
SELECT skillrating.set_rating('arena', 'older', '{"rating": 1}');
SELECT skillrating.reset_rating('arena', 'old');
-- Undone, they are two again.
SELECT count(skillrating.undo_operation('arena', o.operation)) FROM arena.operation AS o WHERE o.kind IN ('merge', 'exclude');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('arena');
SELECT (skillrating.place_of('arena', 'old')).place <> (skillrating.place_of('arena', 'main')).place AS two, (skillrating.place_of('arena', 'older')).place IS NULL AS unknown;
SELECT player_id FROM skillrating.preview('arena', '{main,old}'::text[], '{1,2}');
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Identifiers of another type, and one that equals another in another form.
SELECT skillrating.create_ladder('numbers', 'glicko2', player_type => 'numeric', apply_at => 'statement') \gset
SELECT count(*) FROM generate_series(1, 4) AS i,
    skillrating.report_match('numbers', i, ARRAY[i, i + 1]::numeric[], '{1,2}', rank => '{1,2}', played_at => timestamptz '2024-01-01' + i * interval '1 day');
SELECT skillrating.merge_players('numbers', 1.0, 4.00) IS NOT NULL AS merged;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('numbers');
SELECT (skillrating.place_of('numbers', 1.000)).place = (skillrating.place_of('numbers', 4)).place AS same, count(*) AS opponents FROM skillrating.find_opponents('numbers', '1');
SELECT player_id FROM skillrating.preview('numbers', ARRAY[1.0, 3], '{1,2}');
SELECT player_id FROM skillrating.preview('numbers', ARRAY[1.0, 4], '{1,2}');

-- A page of the leaderboard can begin behind a player of any type that reads as one.
PREPARE page AS SELECT player_id FROM skillrating.leaderboard('numbers', 2, after_player => $1);
EXECUTE page ('2');
PREPARE page_of(numeric) AS SELECT player_id FROM skillrating.leaderboard('numbers', 2, after_player => $1);
EXECUTE page_of (2);
EXECUTE page_of (NULL);
SELECT player_id FROM skillrating.leaderboard('numbers', 2, after_player => 2);
SELECT player_id FROM skillrating.leaderboard('numbers', 2, after_player => NULL);
SELECT player_id FROM skillrating.leaderboard('numbers', 2);
SELECT skillrating.leaderboard('numbers', 2, after_player => 9);

\set VERBOSITY terse
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{arena,numbers}'::text[]) AS l;
DROP SCHEMA regress_ladder_accounts CASCADE;
