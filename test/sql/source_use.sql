-- Which columns of a source a model makes use of, and who says so.
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE TABLE use_row AS
SELECT m AS match_id, timestamptz '2024-01-01' + m * interval '1 day' AS played_at, 1 + p % 2 AS team, p AS player_id,
    1 + (m + p) % 2 AS rank, CASE WHEN (m + p) % 2 = 0 THEN 5 + m % 3 ELSE m % 4 END AS team_score, (m + p) % 2 = 0 AS won,
    1 - (m * p % 3) / 4.0 AS weight, (m + p) % 2 / 5.0 AS commanding, 1 + p % 2 AS side, m + p % 2 AS squad,
    m % 7 AS kills, (m + p) % 5 AS deaths, (m + p) % 9 = 0 AS quit, p * 10 AS experience, 1 - m % 2 / 2.0 AS player_gain,
    'map ' || m % 3 AS context, 'club ' || p % 2 AS club, 'cup ' || m / 5 AS tournament
FROM generate_series(1, 30) AS m, generate_series(0, 3) AS p;
ALTER TABLE use_row ALTER rank TYPE float8, ALTER team_score TYPE float8, ALTER weight TYPE float8, ALTER commanding TYPE float8, ALTER side TYPE float8,
    ALTER squad TYPE float8, ALTER kills TYPE float8, ALTER deaths TYPE float8, ALTER experience TYPE float8, ALTER player_gain TYPE float8;

CREATE VIEW use_source AS SELECT * FROM use_row;
\set ECHO all

SELECT name, skillrating_internal.unused_columns('use_source', name, '{}') FROM skillrating.models();

\set ECHO none
CREATE TABLE use_model AS
SELECT name AS model, jsonb '{}' AS params FROM skillrating.models()
UNION ALL VALUES ('elo', jsonb '{"margin": "log"}'), ('frag', '{"points": 3}'), ('glicko2', '{"period": "tournament"}'),
    ('hive', '{"context_deviation": 0}'), ('weng_lin', '{"recalibration_side_deviation": 0.5}'),
    ('trueskill2', '{"kill_variance": 3, "kill_self": 0.1, "quit_related": 0.1}'),
    ('state_space', '{"home_sigma": 0, "home_context_sigma": 0, "player_context_sigma": 0, "club_sigma": 0}');
\set ECHO all

-- What is on counts.
SELECT model, params, skillrating_internal.unused_columns('use_source', model, params) FROM use_model WHERE params <> '{}';

-- One mistake a match, in what is said of player 1; some tell a number and some do not.
\set ECHO none
CREATE TABLE use_mistake (match_id, column_name, value) AS VALUES
    (3, 'context', repeat('x', 1001)), (4, 'club', repeat('x', 1001)), (5, 'tournament', 'another'), (6, 'weight', '-1'),
    (7, 'commanding', '-1'), (8, 'commanding', 'NaN'), (9, 'side', '3'), (10, 'side', NULL), (11, 'squad', 'Infinity'), (12, 'squad', 'NaN'),
    (13, 'kills', '-1'), (14, 'kills', 'NaN'), (15, 'deaths', 'Infinity'), (16, 'player_gain', '-1'), (17, 'experience', '-1'), (18, 'team_score', 'Infinity');
DO $$
DECLARE
    m record;
BEGIN
    FOR m IN SELECT * FROM use_mistake LOOP
        EXECUTE format('UPDATE use_row SET %I = %L WHERE match_id = %s AND player_id = 1', m.column_name, m.value, m.match_id);
    END LOOP;
END
$$;
\set ECHO all

-- A mistake in a column without use is none for rate(), final_ratings() and a ladder with triggers, and any other one is the same for
-- them. A ladder without these columns has the same ratings, bit for bit.
\set ECHO none
CREATE FUNCTION use_compare(model text, params jsonb)
RETURNS TABLE (rated bigint, reasons text, as_expected boolean, same_reasons boolean, same_finals boolean, same_without boolean)
LANGUAGE plpgsql
AS $$
DECLARE
    unused text[] := skillrating_internal.unused_columns('use_source', model, params);
    inputs text := 'weight => weight, played_at => played_at, team_score => team_score, won => won, commanding => commanding, side => side, squad => squad,
        kills => kills, deaths => deaths, quit => quit, experience => experience, player_gain => player_gain, context => context, club => club, tournament => tournament';
BEGIN
    EXECUTE (SELECT format('CREATE VIEW use_less AS SELECT %s FROM use_source', string_agg(
            CASE WHEN a.attname = ANY (unused) AND a.attname <> 'team_score' THEN format('CASE WHEN false THEN %1$I END AS %1$I', a.attname) ELSE quote_ident(a.attname) END,
            ', ' ORDER BY a.attnum))
        FROM pg_attribute AS a WHERE a.attrelid = 'use_source'::regclass AND a.attnum > 0);
    PERFORM skillrating.create_ladder('use_all', model, params, apply_at => 'statement', source => 'use_source');
    PERFORM skillrating.create_ladder('use_few', model, params, source => 'use_less', attach => false);
    UPDATE use_row SET rank = rank;
    PERFORM FROM skillrating.catch_up('use_few', search => true);
    SELECT count(*) FILTER (WHERE r.status = 'rated'), string_agg(format('%s %s', r.match_id, r.reason), ', ' ORDER BY r.match_id) FILTER (WHERE r.status <> 'rated'),
        bool_and((r.status = 'rated') = (m.match_id IS NULL OR m.column_name = ANY (unused) AND m.column_name <> 'team_score'))
    INTO rated, reasons, as_expected
    FROM use_all.rated_match AS r LEFT JOIN use_mistake AS m USING (match_id);
    EXECUTE format('SELECT count(*) = 30 AND bool_and(q.reason IS NOT DISTINCT FROM r.reason)
        FROM (SELECT q.match_id, min((q.r).unrated_reason) AS reason FROM (
            SELECT match_id, skillrating.rate($1, player_id, team, rank, %s, options => $2) OVER (ORDER BY match_id) AS r FROM use_row) AS q GROUP BY 1) AS q
        JOIN use_all.rated_match AS r USING (match_id)', inputs) INTO same_reasons USING model, params;
    EXECUTE format('SELECT (SELECT array_agg((f.player_id, f.pool, f.rating, f.games)::text ORDER BY f.player_id, f.pool)
            FROM unnest((SELECT skillrating.final_ratings($1, match_id, player_id, team, rank, skillrating.inputs(%s), $2 ORDER BY match_id) FROM use_row)) AS f
            WHERE f.games > 0)
        = (SELECT array_agg((r.player_id, r.pool, r.rating, r.games)::text ORDER BY r.player_id, r.pool) FROM use_all.rating AS r WHERE r.games > 0)', inputs)
    INTO same_finals USING model, params;
    same_without := (SELECT array_agg(e::text ORDER BY e.seq, e.player_id) FROM use_all.history AS e)
        = (SELECT array_agg(e::text ORDER BY e.seq, e.player_id) FROM use_few.history AS e);
    PERFORM skillrating.drop_ladder('use_all'), skillrating.drop_ladder('use_few');
    DROP VIEW use_less;
    RETURN NEXT;
END
$$;

SET client_min_messages = error;
\set ECHO all
SELECT m.model, m.params, c.* FROM use_model AS m, use_compare(m.model, m.params) AS c;
RESET client_min_messages;

-- Such columns are not even read, and their changes are no corrections.
CREATE TABLE use_read AS SELECT m AS match_id, timestamptz '2024-01-01' + m * interval '1 day' AS played_at, t AS team, t AS player_id,
    1 + (m + t) % 2 AS rank, 0 AS deaths, 'map ' || t AS context, 3 AS side FROM generate_series(1, 4) AS m, generate_series(1, 2) AS t;
CREATE VIEW use_fails AS SELECT *, 1 / deaths AS kills FROM use_read;
SELECT skillrating.create_ladder('use_read_ladder', 'elo', source => 'use_fails') \gset
SELECT count(*) FROM skillrating.catch_up('use_read_ladder', search => true);
SELECT kind, name, ok, description FROM skillrating.describe_source('use_fails', 'elo') WHERE kind = 'match';
SELECT kind, name, ok, description FROM skillrating.describe_source('use_fails', 'trueskill2', '{"kill_variance": 3, "kill_self": 0.1}') WHERE kind = 'match';
UPDATE use_read SET deaths = -1, context = repeat('x', 1001) WHERE match_id = 2;
SELECT status, reason, corrections FROM use_read_ladder.rated_match WHERE match_id = 2;
SELECT count(*) FROM skillrating.catch_up('use_read_ladder', search => true);
SELECT * FROM skillrating.verify('use_read_ladder');
-- With log-odds a side is of use.
SELECT n, (skillrating.rate_match('elo', ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], side => ARRAY[3, 1], log_odds => n) OVER (ORDER BY n)).unrated_reason
FROM (VALUES (0), (1)) AS v(n);
-- Solvers look at a match in their own way.
UPDATE use_read SET deaths = 1, side = team, context = 'map ' || match_id % 2;
SELECT s.matches, cardinality(s.contexts) AS contexts, s.contexts = (
        SELECT (skillrating.solve_summary('hive', match_id, player_id, team, rank, skillrating.inputs(side => side, context => context), '{}' ORDER BY match_id)).contexts
        FROM use_read) AS as_solve
FROM skillrating.solve_ladder('use_read_ladder', 'hive') AS s;
SELECT skillrating.drop_ladder('use_read_ladder') \gset
DROP TABLE use_read CASCADE;

-- Those who make or change a source read it.
CREATE VIEW use_kills AS SELECT match_id, played_at, team, player_id, rank, kills FROM use_row WHERE false;
SELECT skillrating.create_ladder('use_said', 'elo', source => 'use_kills', attach => false) \gset

CREATE OR REPLACE VIEW use_kills AS SELECT match_id, played_at, team, player_id, rank, kills, deaths, player_gain FROM use_row WHERE false;
SELECT skillrating.refresh_source('use_said') \gset

SELECT name, ok, description FROM skillrating.describe_source('use_kills', 'elo') WHERE ok IS NULL;
SELECT name, ok, description FROM skillrating.describe_source('use_kills') WHERE name = 'kills';

-- Of these all are of use: log-odds favour a side, and where there is no rank team_score decides.
\set ECHO none
CREATE VIEW use_plain AS SELECT match_id, played_at, team, player_id, team_score, side, 0 AS log_odds, experience FROM use_row WHERE false;
SELECT skillrating.create_ladder('use_silent', 'elo', source => 'use_plain', attach => false) \gset

SELECT skillrating.drop_ladder('use_said'), skillrating.drop_ladder('use_silent') \gset
DROP FUNCTION use_compare;
DROP TABLE use_model, use_mistake;
DROP VIEW use_source, use_kills, use_plain;
DROP TABLE use_row;
\set ECHO all
