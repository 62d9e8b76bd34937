-- One bad match never aborts others: it is kept unrated or left out, with a reason that is the same
-- everywhere, and where strict it is an error.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE SCHEMA unrated;
SET search_path = unrated;
\set ECHO all

-- Codes are words, and none is there twice.
SELECT count(*) > 30 AS many, count(DISTINCT reason) = count(*) AS unique_codes, count(DISTINCT description) = count(*) AS unique_descriptions,
    bool_and(reason ~ '^[a-z]+(_[a-z]+)*$') AS words, bool_and(remedy ~ '^\w.*\.$') AS sentences
FROM skillrating.reasons();

-- A history, and matches that do not count, each of one kind.
\set ECHO none
CREATE TABLE played AS
SELECT 10 * m AS match_id, timestamptz '2024-01-01' + m * interval '1 day' AS played_at,
    1 + (m * (7 + 4 * t)) % 6 + 6 * (t - 1) AS player_id, t AS team, CASE WHEN (m * 5) % 7 < 3 THEN t ELSE 3 - t END AS rank
FROM generate_series(1, 60) AS m, generate_series(1, 2) AS t;
ALTER TABLE played ALTER rank TYPE float8, ADD team_score float8, ADD weight float8, ADD joined float8, ADD left_at float8, ADD commanding float8,
    ADD side float8, ADD squad float8, ADD kills float8, ADD deaths float8, ADD quit boolean, ADD experience float8,
    ADD pool text, ADD log_odds float8, ADD player_gain float8, ADD unrated_reason text, ADD player_score float8;
CREATE TABLE spoiler (reason text, n integer, changes text);
INSERT INTO spoiler VALUES
    ('one_team', 1, 'team = 1, rank = 1'), ('no_result', 2, 'rank = CASE team WHEN 1 THEN 1 END'), ('no_play_time', 3, 'weight = team - 1'),
    ('unfinished', 4, 'joined = CASE team WHEN 1 THEN 0 END'), ('bad_rank', 5, 'rank = team - 1'), ('bad_score', 6, 'team_score = ''infinity'''),
    ('result_differs', 7, 'team = 1'), ('bad_weight', 8, 'weight = -1'), ('bad_stint', 9, 'joined = 10, left_at = 5'),
    ('half_stint', 10, 'left_at = 5'), ('bad_side', 12, 'side = 3, log_odds = 1'),
    ('side_differs', 13, 'side = CASE team WHEN 1 THEN 1 END, log_odds = 1'), ('side_taken', 14, 'side = 1, log_odds = 1'), ('bad_log_odds', 15, 'log_odds = ''infinity'''),
    ('bad_gain', 16, 'player_gain = -1'),
    ('bad_experience', 20, 'experience = -1'), ('self_match', 21, 'player_id = 1'), ('by_source', 22, 'unrated_reason = ''a test'''),
    ('null_value', 23, 'player_id = nullif(player_id, 1 + (player_id - 1) % 6)'), ('nan_value', 24, 'rank = ''NaN'''),
    ('column_differs', 25, 'log_odds = team'),
    ('null_value', 27, 'team = NULL'), ('column_differs', 28, 'pool = player_id::text'), ('nan_value', 29, 'player_gain = ''NaN'''), ('long_name', 30, 'pool = repeat(''x'', 1001)'),
    ('two_scores', 31, 'team_score = team, player_score = CASE team WHEN 1 THEN 1 END'),
    ('listed_twice', 32, 'player_id = 1, team = 1, rank = 1');
-- Player 1 is on both teams, and the match would be fine without.
CREATE TABLE spoilt AS TABLE played;
DO $$
DECLARE
    s record;
BEGIN
    FOR s IN SELECT * FROM spoiler LOOP
        INSERT INTO spoilt (match_id, played_at, player_id, team, rank)
        SELECT 10 * s.n + 5, timestamptz '2024-01-01 12:00' + s.n * interval '1 day', p.player_id, p.team, p.team
        FROM (VALUES (1, 1), (8, 2)) AS p(player_id, team);
        EXECUTE format('UPDATE spoilt SET %s WHERE match_id = %s', s.changes, 10 * s.n + 5);
    END LOOP;
    -- Times, which are missing or infinite at the end.
    INSERT INTO spoilt (match_id, played_at, player_id, team, rank)
    SELECT m.match_id, m.played_at, t, t, t FROM (VALUES (1005, NULL), (1015, timestamptz 'infinity')) AS m(match_id, played_at), generate_series(1, 2) AS t;
END $$;
INSERT INTO spoiler VALUES ('null_value', 100, ''), ('infinite_time', 101, '');
CREATE VIEW spoilt_source AS TABLE spoilt;
\set ECHO all

-- rate() says which is which, and all others come out as without them.
\set ECHO none
CREATE FUNCTION rated(which regclass, model text, strict boolean DEFAULT false)
RETURNS TABLE (match_id integer, player_id integer, r skillrating.rated) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT match_id, player_id, skillrating.rate($1, player_id, team, rank, weight, played_at, team_score, NULL, joined, left_at, commanding,
        side, squad, kills, deaths, quit, experience, pool, log_odds, player_gain, unrated_reason, player_score => player_score, options => jsonb_build_object(''strict_rows'', $2)) OVER (ORDER BY played_at, match_id) FROM %s', which)
    USING model, strict;
END $$;
CREATE FUNCTION same_ratings(model text) RETURNS boolean LANGUAGE sql AS $$
    SELECT NOT EXISTS (
        SELECT match_id, player_id, (r).state_before, (r).state_after FROM rated('spoilt', model) WHERE (r).unrated_reason IS NULL
        EXCEPT SELECT match_id, player_id, (r).state_before, (r).state_after FROM rated('played', model))
        AND (SELECT count(*) FROM rated('spoilt', model) WHERE (r).unrated_reason IS NULL) = (SELECT count(*) FROM played)
$$;
\set ECHO all
SELECT s.n, s.reason, (q.r).unrated_reason AS found, (q.r).unrated_detail AS detail, count(*) AS rows
FROM spoiler AS s JOIN rated('spoilt', 'elo') AS q ON q.match_id = 10 * s.n + 5 GROUP BY 1, 2, 3, 4 ORDER BY s.n;
SELECT count(*) AS otherwise FROM spoiler AS s JOIN rated('spoilt', 'elo') AS q ON q.match_id = 10 * s.n + 5 WHERE (q.r).unrated_reason IS DISTINCT FROM s.reason;
SELECT string_agg(m.name, ' ' ORDER BY m.name), same_ratings(m.name) FROM skillrating.models() AS m GROUP BY 2;
-- A row of a player shows the state, one without a player nothing.
SELECT player_id, round((r).rating_before::numeric, 2) = round((r).rating_after::numeric, 2) AS unchanged, (r).games_before, (r).score, (r).win_probability
FROM rated('spoilt', 'glicko2') WHERE match_id = 235 ORDER BY player_id;

-- final_ratings(), tune() and solve() leave them out, and count them.
\set ECHO none
CREATE FUNCTION finals(which regclass, strict boolean DEFAULT false) RETURNS SETOF skillrating.final_rating LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT f.* FROM (SELECT skillrating.final_ratings(''glicko'', match_id, player_id, team, rank, skillrating.inputs(weight, played_at, team_score, NULL,
        joined, left_at, commanding, side, squad, kills, deaths, quit, experience, pool, log_odds, player_gain, unrated_reason, player_score => player_score), jsonb_build_object(''strict_rows'', $1) ORDER BY played_at, match_id) AS x FROM %s) AS q, unnest(x) AS f', which)
    USING strict;
END $$;
\set ECHO all
SELECT count(*) AS differ FROM (SELECT * FROM finals('played') EXCEPT ALL SELECT * FROM finals('spoilt')) AS d;
\set ECHO none
CREATE FUNCTION outcome(what text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE what;
    SET CONSTRAINTS ALL IMMEDIATE;
    RETURN 'none';
EXCEPTION WHEN query_canceled OR OTHERS THEN
    RETURN sqlstate;
END $$;
CREATE FUNCTION tuned(which regclass, strict boolean DEFAULT false) RETURNS skillrating.tuning LANGUAGE plpgsql AS $$
DECLARE
    result skillrating.tuning;
BEGIN
    EXECUTE format('SELECT (x).* FROM (SELECT skillrating.tune(''elo'', match_id, player_id, team, rank, skillrating.inputs(weight, played_at, team_score, NULL,
        joined, left_at, commanding, side, squad, kills, deaths, quit, experience, pool, log_odds, player_gain, unrated_reason, player_score => player_score), jsonb_build_object(''fit'', ''{k}''::text[], ''max_evaluations'', 20, ''strict_rows'', $1) ORDER BY played_at, match_id) AS x FROM %s OFFSET 0) AS q', which)
    INTO result USING strict;
    RETURN result;
END $$;
CREATE FUNCTION solved(which regclass, solver text, strict boolean DEFAULT false) RETURNS TABLE (estimates skillrating.estimate[], summary skillrating.solve_summary) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT skillrating.solve($1, match_id, player_id, team, rank, i, jsonb_build_object(''strict_rows'', $2) ORDER BY played_at, match_id),
            skillrating.solve_summary($1, match_id, player_id, team, rank, i, jsonb_build_object(''strict_rows'', $2) ORDER BY played_at, match_id)
        FROM (SELECT *, skillrating.inputs(weight, played_at, team_score, NULL, joined, left_at, commanding, side, squad, kills, deaths, quit, experience,
            pool, log_odds, player_gain, unrated_reason, player_score => player_score) AS i FROM %s) AS q', which)
    USING solver, strict;
END $$;
-- (Times do not matter to bradley_terry and hive.)
CREATE TABLE counted AS SELECT reason, count(*) AS n FROM spoiler GROUP BY reason;
\set ECHO all
SELECT s.unrated, s.unrated = (SELECT sum(n) FROM counted) AS all_of_them,
    (SELECT count(*) FROM counted AS c FULL JOIN jsonb_each_text(s.unrated_reasons) AS u ON u.key = c.reason WHERE c.n IS DISTINCT FROM u.value::bigint) AS differ,
    (s).matches = (t).matches AND (s).log_loss = (t).log_loss AND (s).params = (t).params AND t.unrated = 0 AND t.unrated_reasons = '{}' AS as_without
FROM tuned('spoilt') AS s, tuned('played') AS t;
INSERT INTO spoilt (match_id, played_at, player_id, team, rank, player_gain) SELECT 265, '2024-01-26 12:00', t, t, t, 1e308 FROM generate_series(1, 2) AS t;
SELECT DISTINCT (r).unrated_reason, (r).unrated_detail FROM rated('spoilt', 'elo') WHERE match_id = 265;
SELECT t.unrated, t.unrated_reasons -> 'overflow' AS overflow FROM tuned('spoilt') AS t;
DELETE FROM spoilt WHERE match_id = 265;
DELETE FROM spoilt WHERE match_id = 1005;
UPDATE counted SET n = n - 1 WHERE reason = 'null_value';
SELECT v.solver, (s.summary).matches, (s.summary).unrated,
    (SELECT count(*) FROM counted AS c FULL JOIN jsonb_each_text((s.summary).unrated_reasons) AS u ON u.key = c.reason WHERE coalesce(c.n, 0) IS DISTINCT FROM coalesce(u.value::bigint, 0)) AS differ,
    (SELECT count(*) FROM (SELECT * FROM unnest(s.estimates) EXCEPT ALL SELECT * FROM unnest(t.estimates)) AS d) AS other_estimates, (t.summary).unrated AS without
FROM unnest(ARRAY['bradley_terry', 'hive', 'whole_history', 'through_time']) AS v(solver), solved('spoilt', v.solver) AS s, solved('played', v.solver) AS t;
-- A history by days leaves out what has no time; through time, from the first time on.
INSERT INTO spoilt (match_id, played_at, player_id, team, rank) SELECT 1005, NULL, t, t, t FROM generate_series(1, 2) AS t;
SELECT v.solver, (s.summary).matches, (s.summary).unrated_reasons -> 'null_value' AS null_values
FROM unnest(ARRAY['bradley_terry', 'whole_history', 'through_time']) AS v(solver), solved('spoilt', v.solver) AS s;
SELECT outcome('SELECT skillrating.solve(''whole_history'', match_id, player_id, team, rank) FROM played');
SELECT outcome('SELECT skillrating.solve(''whole_history'', match_id, player_id, team, rank, skillrating.inputs(played_at => played_at), ''{"strict_rows": true}'') FROM spoilt WHERE match_id > 1000 OR match_id % 10 = 0');
\set VERBOSITY terse

-- Ladders, whichever way the matches come.
SELECT skillrating.create_ladder('at_once', 'elo', source => 'spoilt_source'), skillrating.create_ladder('later', 'elo', source => 'spoilt_source', apply_at => 'manual') \gset
SELECT skillrating.attach('at_once', 'spoilt', 'match_id') \gset
UPDATE spoilt SET match_id = match_id;
SELECT count(*) FROM skillrating.catch_up('later', search => true);
SELECT count(*) FILTER (WHERE m.status = 'rated') AS rated, count(*) FILTER (WHERE m.status <> 'rated') AS unrated,
    count(*) FILTER (WHERE m.reason IS DISTINCT FROM s.reason) AS otherwise,
    count(*) FILTER (WHERE (m.reason, m.detail) IS DISTINCT FROM (l.reason, l.detail)) AS other_later
FROM at_once.rated_match AS m JOIN later.rated_match AS l USING (match_id) LEFT JOIN spoiler AS s ON m.match_id = 10 * s.n + 5;
SELECT bool_and(ok) FROM skillrating.verify('at_once');
SELECT bool_and(ok) FROM skillrating.verify('later');

-- Strict: every mistake is an error wherever it is met, and what only does not count is none.
\set ECHO none
CREATE TABLE one AS SELECT * FROM spoilt LIMIT 0;
CREATE VIEW one_source AS TABLE one;
CREATE FUNCTION strict_outcomes(n integer, OUT rate text, OUT final_ratings text, OUT tune text, OUT solve text, OUT ladder text) LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE one;
    INSERT INTO one SELECT * FROM played UNION ALL SELECT * FROM spoilt WHERE match_id = 10 * n + 5;
    rate := outcome('SELECT count(q) FROM rated(''one'', ''elo'', true) AS q');
    final_ratings := outcome('SELECT count(q) FROM finals(''one'', true) AS q');
    tune := outcome('SELECT tuned(''one'', true)');
    solve := outcome('SELECT count(s) FROM solved(''one'', ''hive'', true) AS s');
    PERFORM skillrating.create_ladder('no_mistakes', 'elo', source => 'one_source', apply_at => 'manual', strict => true);
    ladder := outcome('SELECT count(*) FROM skillrating.catch_up(''no_mistakes'', search => true)');
    PERFORM skillrating.drop_ladder('no_mistakes');
END $$;
\set ECHO all
SELECT s.n, s.reason, o.*, (o.rate <> 'none') = u.mistake AND o.rate = o.ladder AS as_listed
FROM spoiler AS s JOIN skillrating.reasons() AS u USING (reason), strict_outcomes(s.n) AS o ORDER BY s.n;

-- The statement or commit that brings a mistake fails as a whole.
SELECT skillrating.create_ladder('careful', 'elo', strict => true) \gset
BEGIN;
INSERT INTO careful.match (match_id) VALUES (1), (2);
INSERT INTO careful.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2), (2, 1, 1, 1), (2, 2, 2, 0);
COMMIT;
SELECT count(*) FROM careful.match;
INSERT INTO careful.match (match_id) VALUES (1), (2), (3);
INSERT INTO careful.match_player (match_id, player_id, team, rank) VALUES (1, 1, 1, 1), (1, 2, 2, 2), (2, 1, 1, 1);
INSERT INTO careful.match_player (match_id, player_id, stint, team, rank) VALUES (3, 1, 1, 1, 1), (3, 2, 1, 2, 2), (3, 1, 2, 2, 2);
UPDATE careful.match_player SET rank = -1 WHERE match_id = 1;
SELECT match_id, status, reason FROM careful.rated_match ORDER BY match_id;
UPDATE careful.ladder SET strict = false;
UPDATE careful.match_player SET rank = -1 WHERE match_id = 1;
UPDATE careful.ladder SET strict = true;
SELECT count(*) FROM skillrating.catch_up('careful');
SELECT match_id, status, reason, detail FROM careful.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('careful');
SELECT matches FROM skillrating.shadow_ladder('careful', 'careful_too', 'glicko');
SELECT strict FROM careful_too.ladder;
SELECT skillrating.create_ladder('neither', 'elo', strict => NULL);

-- Nobody plays against oneself: twenty such matches say nothing of a player.
WITH q AS (
    SELECT model, m, skillrating.rate(model, player_id, team, team) OVER (PARTITION BY model ORDER BY m) AS r
    FROM unnest(ARRAY['glicko2', 'trueskill']) AS model, generate_series(1, 20) AS m, (VALUES (1, 1), (1, 2), (2, 2)) AS p(player_id, team)
)
SELECT model, count(*), array_agg(DISTINCT (r).unrated_reason) AS reasons, bool_and((r).state_after = skillrating.initial_state(model)) AS unchanged FROM q GROUP BY model ORDER BY model;
-- Those who change sides play on both.
SELECT stints, array_agg(DISTINCT (r).unrated_reason) AS reasons
FROM (SELECT s.stints, skillrating.rate('trueskill', p.player_id, p.team, p.team, joined => p.joined, left_at => p.left_at) OVER (PARTITION BY s.stints ORDER BY 1) AS r
    FROM (VALUES ('one after the other', 600), ('with a second on both', 601)) AS s(stints, until),
        LATERAL (VALUES (1, 1, 0, s.until), (1, 2, 600, 1200), (2, 1, 0, 1200), (3, 2, 0, 1200), (3, 2, 0, 500)) AS p(player_id, team, joined, left_at)) AS q
GROUP BY stints ORDER BY stints;
-- A call that says so is told.
SELECT skillrating.report_match('careful', 9, ARRAY[1, 1, 2], ARRAY[1, 2, 2], ARRAY[1, 2, 2]);
SELECT skillrating.preview('careful', ARRAY[1, 1, 2], ARRAY[1, 2, 2]);
SELECT skillrating.win_probability('careful', ARRAY[1, 1, 2], ARRAY[1, 2, 2]);

-- Errors of a source: what its data violate keeps only their matches; all others get through, and
-- leave nothing half written.
\set ECHO none
CREATE DOMAIN small AS integer CHECK (VALUE < 1000);
CREATE TABLE game (id integer, player integer, points integer);
CREATE FUNCTION raised(points integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF points BETWEEN -99 AND -1 THEN
        RAISE 'points are %', points USING ERRCODE = (ARRAY['40001', '40P01', '57014', '53100', '53200', '42P01', 'P0001', '22012', '23505', '23514'])[-points];
    END IF;
    RETURN points;
END $$;
CREATE VIEW game_source AS SELECT id AS match_id, timestamptz '2024-01-01' AS played_at, player AS player_id, player AS team, CAST(CAST(raised(points) AS small) AS integer) AS team_score FROM game;
\set ECHO all
SELECT skillrating.create_ladder('games', 'elo', source => 'game_source', on_error => 'raise') \gset
SELECT skillrating.attach('games', 'game', 'id') \gset
INSERT INTO game SELECT id, player, CASE WHEN id % 50 = 0 THEN 1000 ELSE player END FROM generate_series(1, 200) AS id, generate_series(1, 2) AS player;
SELECT status, reason, detail, count(*) FROM games.rated_match GROUP BY 1, 2, 3 ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('games');
SELECT n AS points, outcome(format('INSERT INTO game SELECT id, player, CASE WHEN id = 1001 THEN %s ELSE player END FROM generate_series(1000, 1002) AS id, generate_series(1, 2) AS player', n)) AS outcome,
    (SELECT count(*) FROM game WHERE id >= 1000) + (SELECT count(*) FROM games.rated_match WHERE match_id >= 1000) + (SELECT count(*) FROM games.pending) AS left_behind
FROM generate_series(-7, -1) AS n ORDER BY n;
INSERT INTO game SELECT id, player, CASE WHEN id <= 1000 THEN 990 - id ELSE player END FROM generate_series(998, 1001) AS id, generate_series(1, 2) AS player;
SELECT match_id, status, reason, detail FROM games.rated_match WHERE match_id >= 990 ORDER BY match_id;
UPDATE game SET points = player WHERE id >= 990 OR id % 50 = 0;
SELECT status, count(*) FROM games.rated_match GROUP BY status;
SELECT bool_and(ok) FROM skillrating.verify('games');
-- In a strict ladder they are errors.
UPDATE games.ladder SET strict = true;
INSERT INTO game SELECT 2000, player, 1000 FROM generate_series(1, 2) AS player;
SELECT count(*) FROM game WHERE id = 2000;

SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['games', 'careful_too', 'careful', 'later', 'at_once']) AS l;
RESET search_path;
DROP SCHEMA unrated CASCADE;
