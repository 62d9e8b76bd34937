-- Scores of players make the score of their team; and other shapes of results: who won, ranks of
-- any number, stints as intervals.
\set ECHO none
\pset format unaligned
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA scores;
SET search_path = scores, public;
\set ECHO all

-- Teams of one to three, of which a third drew, with fractions that no sum rounds.
\set ECHO none
CREATE TABLE game AS
    SELECT m AS match_id, timestamptz '2024-01-01' + m * interval '1 hour' AS played_at,
        t AS team, p AS place, ((m * 7 + t * 5 + p * 3) % 5 - 1) / 4.0::float8 AS points
    FROM generate_series(1, 80) AS m, generate_series(1, 2) AS t, generate_series(1, 3) AS p
    WHERE p <= 1 + m % 3;
CREATE VIEW played AS
    SELECT match_id, played_at, (match_id * 3 + team * 4 + place * 2) % 23 * 10 + team AS player_id, team, points,
        sum(points) OVER (PARTITION BY match_id, team) AS total
    FROM game;
CREATE VIEW by_player AS SELECT match_id, played_at, player_id, team, points AS player_score FROM played;
CREATE VIEW by_team AS SELECT match_id, played_at, player_id, team, total AS team_score FROM played;
CREATE VIEW renamed AS SELECT match_id, played_at, 1000 - player_id AS player_id, team, points AS player_score FROM played;
\set ECHO all
SELECT count(DISTINCT match_id) > 10 AS drawn, min(team_score) < 0 AS negative
FROM by_team AS t JOIN played AS o USING (match_id) WHERE o.team <> t.team AND o.total = t.team_score;

-- A ladder is bit for bit that of the sums, also where scores are margins, and whoever the players are.
\set ECHO none
CREATE FUNCTION same(model text, params jsonb, view text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    PERFORM skillrating.create_ladder('of_teams', model, params, source => 'by_team', attach => false);
    PERFORM skillrating.create_ladder('of_players', model, params, source => view::regclass, attach => false);
    PERFORM skillrating.catch_up('of_teams', search => true), skillrating.catch_up('of_players', search => true);
    IF view = 'renamed' THEN
        UPDATE of_players.rating SET player_id = 1000 - player_id;
    END IF;
    EXECUTE 'SELECT (SELECT count(*) FROM of_teams.rated_match WHERE status = ''rated'') = 80 AND NOT EXISTS (
        (TABLE of_teams.rating EXCEPT TABLE of_players.rating) UNION ALL (TABLE of_players.rating EXCEPT TABLE of_teams.rating))' INTO same;
    PERFORM skillrating.drop_ladder('of_teams'), skillrating.drop_ladder('of_players');
    RETURN same;
END $$;
\set ECHO all
SELECT model, same(model, params::jsonb, view) AS "as the sums"
FROM (VALUES ('elo', '{}', 'by_player'), ('elo', '{"margin": "log"}', 'by_player'), ('weng_lin', '{"margin": 1}', 'by_player'),
    ('trueskill', '{}', 'renamed'), ('state_space', '{"margin": 1}', 'by_player'), ('weng_lin', '{"margin": 1}', 'renamed')) AS m(model, params, view);

-- So are queries over a history.
SELECT bool_and(p.r = t.r) AS "rate: other implementation"
FROM (SELECT player_id, match_id, skillrating.rate('weng_lin', player_id, team, player_score => player_score) OVER (ORDER BY played_at, match_id) AS r FROM by_player) AS p
JOIN (SELECT player_id, match_id, skillrating.rate('weng_lin', player_id, team, team_score => team_score) OVER (ORDER BY played_at, match_id) AS r FROM by_team) AS t USING (match_id, player_id);
SELECT bool_and(p.r = t.r) AS "rate_match: other implementation"
FROM (SELECT match_id, skillrating.rate_match('weng_lin', array_agg(player_id ORDER BY player_id), array_agg(team ORDER BY player_id), player_score => array_agg(player_score ORDER BY player_id)) OVER (ORDER BY match_id) AS r FROM by_player GROUP BY match_id) AS p
JOIN (SELECT match_id, skillrating.rate_match('weng_lin', array_agg(player_id ORDER BY player_id), array_agg(team ORDER BY player_id), team_score => array_agg(team_score ORDER BY player_id)) OVER (ORDER BY match_id) AS r FROM by_team GROUP BY match_id) AS t USING (match_id);
SELECT (SELECT skillrating.final_ratings('elo', match_id, player_id, team, NULL, skillrating.inputs(player_score => player_score), '{"margin": "log"}' ORDER BY match_id) FROM by_player)
    = (SELECT skillrating.final_ratings('elo', match_id, player_id, team, NULL, skillrating.inputs(team_score => team_score), '{"margin": "log"}' ORDER BY match_id) FROM by_team) AS "final_ratings: other implementation",
    (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, NULL, skillrating.inputs(player_score => player_score), NULL ORDER BY match_id) FROM by_player)
    = (SELECT skillrating.solve('bradley_terry', match_id, player_id, team, NULL, skillrating.inputs(team_score => team_score), NULL ORDER BY match_id) FROM by_team) AS "solve: other implementation";

-- report_match() takes them, and says who won, and ranks of any number: each with the ratings of
-- the same ranks.
SELECT skillrating.create_ladder('ranks', 'elo'), skillrating.create_ladder('shapes', 'elo') \gset
\set ECHO none
CREATE FUNCTION report(ladder text, match bigint, given text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT string_agg(DISTINCT outcome || coalesce('': '' || reason, ''''), '', '')
        FROM skillrating.report_match(%L, %s, ''{1,2,3,4}''::bigint[], ''{1,1,2,2}'', %s, played_at => ''2024-01-01'')', ladder, match, given)
    INTO result;
    RETURN result;
EXCEPTION
    WHEN OTHERS THEN
        RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE shape (match_id bigint, given text, rank text);
INSERT INTO shape VALUES
    (1, 'won => ''{t,t,f,f}''', '{1,1,2,2}'), (2, 'won => ''{f,f,t,t}''', '{2,2,1,1}'), (3, 'won => ''{f,f,f,f}''', '{1,1,1,1}'), (4, 'won => ''{t,t,t,t}''', '{1,1,1,1}'),
    (5, 'player_score => ''{3,4,6,0}''', '{1,1,2,2}'), (6, 'player_score => ''{3,4,7,0}''', '{1,1,1,1}'), (7, 'player_score => ''{-3,4,7,-2}''', '{2,2,1,1}'),
    (8, 'player_score => ''{1e300,1e300,-1e300,1}''', '{1,1,2,2}'), (9, 'rank => ''{1.5,1.5,2,2}''', '{1,1,2,2}'), (10, 'rank => ''{2.5,2.5,1,1}''::numeric[]', '{2,2,1,1}'),
    (11, 'rank => ''{2,2,1,1}''::smallint[]', '{2,2,1,1}'), (12, 'rank => ''{7,7,9,9}''::bigint[]', '{1,1,2,2}'), (13, 'won => ''{t,t,f,f}'', player_score => ''{1,1,1,2}''', '{2,2,1,1}');
\set ECHO all
SELECT match_id, given, report('shapes', match_id, given) AS outcome, report('ranks', match_id, 'rank => ' || quote_literal(rank)) AS by_rank,
    report('shapes', match_id, given) AS again FROM shape ORDER BY match_id;
SELECT count(*) = 4 AND bool_and(a.rating = b.rating AND a.wins = b.wins AND a.draws = b.draws) AS "report_match: other implementation"
FROM ranks.rating AS a JOIN shapes.rating AS b USING (player_id);
SELECT match_id, player_id, rank, won, team_score, player_score FROM shapes.match_player WHERE match_id IN (1, 5, 10) ORDER BY 1, 2;

-- The rows can be corrected, and reported otherwise.
UPDATE shapes.match_player SET player_score = 2 WHERE match_id = 5 AND player_id = 2;
SELECT report('ranks', 5, 'rank => ''{2,2,1,1}''') AS by_rank, report('shapes', 6, 'player_score => ''{3,4,7,1}''') AS otherwise, report('ranks', 6, 'rank => ''{2,2,1,1}''') AS otherwise;
SELECT count(*) FROM skillrating.catch_up('shapes') UNION ALL SELECT count(*) FROM skillrating.catch_up('ranks');
SELECT count(*) = 4 AND bool_and(a.rating = b.rating) AS corrected FROM ranks.rating AS a JOIN shapes.rating AS b USING (player_id);
SELECT bool_and(ok) FROM skillrating.verify('shapes');

-- What is no result.
SELECT given, report('shapes', 99, given) FROM unnest(ARRAY['rank => NULL', 'rank => ''{1,1,2,2}'', won => ''{t,t,f,f}''', 'won => ''{t,t,f}''', 'won => ''{t,t,f,null}''', 'won => ''{t,f,f,f}''',
    'team_score => ''{3,3,2,2}'', player_score => ''{1,2,1,1}''', 'player_score => ''{1,2,1,null}''', 'player_score => ''{1,2,1,nan}''', 'player_score => ''{1,2,1,infinity}''',
    'player_score => ''{1,2,1,-2e300}''']) AS given;

-- The same in a source leaves the match unrated, with a reason that says what to do.
CREATE TABLE entry (match_id bigint, player_id bigint, team integer, rank float8, team_score numeric, won boolean, player_score float8, joined interval, left_at interval, quit boolean, PRIMARY KEY (match_id, player_id));
CREATE VIEW entries AS SELECT *, timestamptz '2024-01-01' AS played_at FROM entry;
SELECT name, ok, description FROM skillrating.describe_source('entries', 'elo') WHERE name IN ('player_score', 'joined', 'left_at', 'quit');
SELECT skillrating.create_ladder('kept', 'elo', source => 'entries') \gset
\set ECHO none
INSERT INTO entry (match_id, player_id, team, rank, team_score, won, player_score) VALUES
    (1, 1, 1, NULL, NULL, NULL, 5), (1, 2, 2, NULL, NULL, NULL, 4), (1, 3, 2, NULL, NULL, NULL, 2),
    (2, 1, 1, NULL, NULL, NULL, 5), (2, 2, 2, NULL, NULL, NULL, 4), (2, 3, 2, NULL, NULL, NULL, NULL),
    (3, 1, 1, NULL, NULL, true, 5), (3, 2, 2, NULL, NULL, false, NULL), (3, 3, 2, NULL, NULL, false, NULL),
    (4, 1, 1, NULL, 5, NULL, 5), (4, 2, 2, NULL, 4, NULL, 4),
    (5, 1, 1, 1, 5, NULL, NULL), (5, 2, 2, 2, NULL, NULL, 7),
    (6, 1, 1, 1, NULL, NULL, 3), (6, 2, 2, 2, NULL, NULL, 7), (6, 3, 2, 2, NULL, NULL, 7),
    (7, 1, 1, NULL, NULL, NULL, 'NaN'), (7, 2, 2, NULL, NULL, NULL, 1), (8, 1, 1, NULL, NULL, NULL, '-infinity'), (8, 2, 2, NULL, NULL, NULL, 1),
    (9, 1, 1, NULL, NULL, NULL, 1), (9, 2, 2, NULL, NULL, NULL, 1e308), (9, 3, 2, NULL, NULL, NULL, 1e308),
    (10, 1, 1, NULL, 1, NULL, NULL), (10, 2, 2, NULL, 2, NULL, NULL), (10, 3, 2, NULL, 3, NULL, NULL);
\set ECHO all
SELECT match_id, status, reason, detail, remedy FROM kept.rated_match LEFT JOIN skillrating.reasons() USING (reason) ORDER BY match_id;
SELECT match_id, player_id, score, wins, losses FROM kept.event JOIN kept.rating USING (player_id) ORDER BY 1, 2;

-- Reading a match again is no correction, whatever the order of its rows; another score is one.
UPDATE entry SET quit = NULL WHERE player_id = 3;
SELECT count(*) FROM kept.correction;
UPDATE entry SET player_score = 0 WHERE match_id = 1 AND player_id = 3;
SELECT match_id, kind FROM kept.correction;
SELECT count(*) FROM skillrating.catch_up('kept');
SELECT bool_and(ok) FROM skillrating.verify('kept');

-- Stints as intervals are those of as many seconds.
\set ECHO none
CREATE TABLE stint AS SELECT m AS match_id, timestamptz '2024-01-01' + m * interval '1 day' AS played_at, t * 10 + p AS player_id, t AS team,
    1 + (m + t) % 2 AS rank, p * 60.5 AS joined, 1800 - (m * p + t) % 5 * 90 AS left_at
    FROM generate_series(1, 20) AS m, generate_series(1, 2) AS t, generate_series(1, 3) AS p;
CREATE VIEW in_seconds AS SELECT match_id, played_at, player_id, team, rank, joined, left_at FROM stint;
CREATE DOMAIN span AS interval;
CREATE VIEW in_intervals AS SELECT match_id, played_at, player_id, team, rank::numeric AS rank, (joined * interval '1 second')::span AS joined, left_at * interval '1 second' AS left_at FROM stint;
\set ECHO all
SELECT skillrating.create_ladder('seconds', 'hive', source => 'in_seconds', attach => false), skillrating.create_ladder('intervals', 'hive', source => 'in_intervals', attach => false) \gset
SELECT count(*) FROM skillrating.catch_up('seconds', search => true) UNION ALL SELECT count(*) FROM skillrating.catch_up('intervals', search => true);
SELECT count(*) = 6 AND bool_and(s = i) AS same, count(DISTINCT s.rating) > 2 AS weighed FROM seconds.rating AS s JOIN intervals.rating AS i USING (player_id);
SELECT s.digest = i.digest AS same FROM seconds.rated_match AS s JOIN intervals.rated_match AS i USING (match_id) GROUP BY 1;

SELECT skillrating.drop_ladder(l) FROM unnest('{ranks,shapes,kept,seconds,intervals}'::text[]) AS l;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA scores CASCADE;
