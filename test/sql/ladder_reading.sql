-- Reading a ladder, another formula for its matches, and ratings in a table of one's own.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
SET timezone = 'UTC';
SELECT skillrating.create_ladder('arena', 'glicko', player_type => 'text', match_type => 'int') \gset
BEGIN;
INSERT INTO arena.match (match_id, played_at, pool) SELECT g, '2024-01-01'::timestamptz + g * interval '7 hours', CASE WHEN g % 10 = 0 THEN 'cup' ELSE '' END FROM generate_series(1, 500) AS g;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT g, 'p' || (g * 7 + p * 3 + g / 40) % 23, p, 1 + ((g * 7 + p * 3 + g / 40) % 23 < 12 AND g % 3 > 0)::int FROM generate_series(1, 500) AS g, generate_series(1, 2) AS p;
COMMIT;
INSERT INTO arena.match (match_id, played_at) VALUES (1000, '2024-05-30');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1000, 'a', 1, 1), (1000, 'b', 2, 1), (1000, 'c', 3, 1);
\set ECHO all

-- The leaderboard by pages is the leaderboard, whatever the conditions; so are places and neighbours.
\set ECHO none
CREATE FUNCTION pages(size int, min_games bigint, active_since timestamptz, max_deviation float8) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    page record;
    last text;
    n int;
BEGIN
    LOOP
        n := 0;
        FOR page IN SELECT * FROM skillrating.leaderboard('arena', size, '', min_games, last, active_since, max_deviation) LOOP
            RETURN NEXT page.place || ' ' || page.player_id;
            last := page.player_id;
            n := n + 1;
        END LOOP;
        EXIT WHEN n < size;
    END LOOP;
END
$$;
\set ECHO all
SELECT min_games, active_since, max_deviation, count(*) AS players,
    array_agg(place || ' ' || player_id ORDER BY row) = ARRAY(SELECT pages(1, min_games, active_since, max_deviation)) AS page_1,
    array_agg(place || ' ' || player_id ORDER BY row) = ARRAY(SELECT pages(3, min_games, active_since, max_deviation)) AS page_3,
    bool_and(place = (skillrating.place_of('arena', player_id, '', min_games, active_since, max_deviation)).place) AS place_of,
    bool_and((SELECT array_agg(a.place || ' ' || a.player_id) FROM skillrating.around('arena', player_id, 2, '', min_games, active_since, max_deviation) AS a)
        = (SELECT array_agg(b.place || ' ' || b.player_id ORDER BY b.n) FROM (
            SELECT l.*, row_number() OVER () AS n FROM skillrating.leaderboard('arena', 100, '', min_games, NULL, active_since, max_deviation) AS l) AS b
            WHERE b.n BETWEEN row - 2 AND row + 2)) AS around
FROM (VALUES (1, NULL::timestamptz, NULL::float8), (5, NULL, NULL), (1, '2024-05-23', NULL), (1, NULL, 90), (0, '2024-05-23', 90), (99, NULL, NULL)) AS c(min_games, active_since, max_deviation)
CROSS JOIN LATERAL (SELECT l.*, row_number() OVER () AS row FROM skillrating.leaderboard('arena', 100, '', min_games, NULL, active_since, max_deviation) AS l) AS l
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
-- Places are those of the whole table.
SELECT bool_and(l.place = r.place) FROM skillrating.leaderboard('arena', 100, pool => '') AS l
JOIN (SELECT player_id, rank() OVER (ORDER BY rating DESC) AS place FROM arena.rating WHERE pool = '') AS r USING (player_id);
SELECT place, player_id, round(rating::numeric, 3) AS rating, games FROM skillrating.leaderboard('arena', 5, pool => '');
SELECT place, player_id FROM skillrating.leaderboard('arena', 2, pool => 'cup');
SELECT (skillrating.place_of('arena', 'nobody', pool => '')).place, (skillrating.place_of('arena', 'nobody', pool => '')).percentile, (skillrating.place_of('arena', 'a', min_games => 2, pool => '')).place;
-- No player is nobody, as in an outer join.
SELECT p.place FROM (VALUES (NULL::text)) AS v(id) LEFT JOIN LATERAL skillrating.place_of('arena', v.id, pool => '') AS p ON true;
SELECT count(*) FROM skillrating.around('arena', 'nobody', pool => '');
SELECT skillrating.leaderboard('arena', after_player => 'nobody', pool => '');
SELECT skillrating.leaderboard('arena', n => -1, pool => '');
\set VERBOSITY terse
SELECT skillrating.leaderboard('nowhere');
-- It reads no more than it shows.
BEGIN;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT r.* FROM arena.rating AS r WHERE r.pool = '' AND r.games >= 1 AND r.rating <= 1500 AND (r.rating < 1500 OR 'p3' < r.player_id) ORDER BY r.rating DESC, r.player_id LIMIT 10;
ROLLBACK;
-- Percentiles.
SELECT bool_and(abs((skillrating.place_of('arena', player_id, pool => '')).percentile - p) < 1e-9) FROM (
    SELECT player_id, 100 * (rank() OVER (ORDER BY rating) - 1 + (count(*) OVER (PARTITION BY rating) - 1) / 2.0) / (count(*) OVER () - 1) AS p
    FROM arena.rating WHERE pool = '') AS r;

-- History, and the rating of a time.
SELECT seq, kind, match_id, team, score, round(rating_before::numeric, 3) AS before, round(rating_after::numeric, 3) AS after, games_before FROM skillrating.history('arena', 'p3', n => 3, pool => '');
SELECT count(*) FROM skillrating.history('arena', 'p3', since => '2024-02-01', until => '2024-03-01', pool => '');
SELECT bool_and(skillrating.rating_at('arena', player_id, played_at, pool => '') = rating_after AND
    skillrating.rating_at('arena', player_id, played_at - interval '1 second', pool => '') IS NOT DISTINCT FROM CASE WHEN games_before > 0 THEN (SELECT b.rating_after FROM arena.event AS b WHERE b.player_id = e.player_id AND b.pool = '' AND b.seq < e.seq ORDER BY seq DESC LIMIT 1) END)
FROM arena.event AS e WHERE player_id IN ('p3', 'p20') AND pool = '';
SELECT team, round(win_probability::numeric, 4) AS p FROM skillrating.win_probability('arena', '{p3,p4,new}'::text[], '{1,1,2}', pool => '');

-- A season, its table, and a correction that reaches it.
SELECT * FROM skillrating.new_season('arena', 'spring', keep => 0.5, at => '2024-06-01');
SELECT place, player_id, round(rating::numeric, 3) AS rating, games, wins, draws, losses FROM skillrating.season_table('arena', '', 3, pool => '');
SELECT skillrating.void_match('arena', (SELECT max(match_id) FROM arena.event WHERE player_id = 'p20' AND score = 1 AND kind = 'match' AND pool = '')) \gset
SELECT count(*) > 0 FROM skillrating.catch_up('arena');
SELECT place, player_id, round(rating::numeric, 3) AS rating, games, wins, draws, losses FROM skillrating.season_table('arena', '', 3, pool => '');
-- A season that has not ended, in which nobody has played; and one that there is not.
SELECT count(*) FROM skillrating.season_table('arena', 'spring', pool => '');
SELECT place = 1 AS first, games FROM skillrating.season_table('arena', 'spring', 1, min_games => 0, pool => '');
SELECT * FROM skillrating.season_table('arena', 'winter', pool => '');
\set VERBOSITY default
SELECT * FROM skillrating.new_season('arena', '');
SELECT status, count(*) FROM skillrating.player_status('arena', at => '2024-06-20', pool => '') GROUP BY status ORDER BY status;
SELECT status, count(*) FROM skillrating.player_status('arena', at => '2024-06-25', shadow_games => 30, stale_days => 31, pool => '') GROUP BY status ORDER BY status;

-- Who is better than predicted: a player who wins all.
INSERT INTO arena.match (match_id, played_at) SELECT 2000 + g, '2024-06-02'::timestamptz + g * interval '1 hour' FROM generate_series(1, 6) AS g;
INSERT INTO arena.match_player (match_id, player_id, team, rank) SELECT 2000 + g, CASE p WHEN 1 THEN 'smurf' ELSE 'p' || g END, p, p FROM generate_series(1, 6) AS g, generate_series(1, 2) AS p;
SELECT player_id, games, round(expected::numeric, 3) AS expected, scored, round(mean_surprise::numeric, 3) AS mean_surprise, round(surprise::numeric, 2) AS surprise FROM skillrating.surprising_players('arena', since => '2024-06-01', pool => '') LIMIT 2;
-- The scores are those of the events.
SELECT period, matches, round(brier_score::numeric, 4) AS brier, round(log_loss::numeric, 4) AS log_loss, round(calibration_z::numeric, 2) AS z, active_players AS active, round(mean_rating::numeric, 1) AS mean, round(rating_spread::numeric, 1) AS spread, round(established::numeric, 3) AS established
FROM skillrating.pool_quality('arena', pool => '');
SELECT (SELECT sum(brier_score * matches) / sum(matches) FROM skillrating.pool_quality('arena', pool => '', step => 'week')) - (SELECT avg((win_probability - score) ^ 2) FROM (
    SELECT DISTINCT ON (seq) * FROM arena.event WHERE kind = 'match' AND pool = '' ORDER BY seq, team) AS e) < 1e-12 AS same;
SELECT * FROM skillrating.pool_quality('arena', pool => '', step => 'decade');
-- Periods are those of the calendar, each with the matches in it.
SELECT v.step, count(*) > 0 AS periods, sum(q.matches) = (SELECT count(DISTINCT seq) FROM arena.event WHERE kind = 'match' AND pool = '') AS all, bool_and(q.matches = own.matches) AS whole,
    bool_and(q.period = date_trunc(v.step, q.period, 'UTC')) AS grid
FROM (VALUES ('day', interval '1 day'), ('week', '7 days'), ('month', '1 month'), ('quarter', '3 months'), ('year', '1 year')) AS v(step, length), LATERAL skillrating.pool_quality('arena', pool => '', step => v.step) AS q,
    LATERAL (SELECT count(DISTINCT seq) AS matches FROM arena.event WHERE kind = 'match' AND pool = '' AND played_at >= q.period AND played_at < (q.period AT TIME ZONE 'UTC' + v.length) AT TIME ZONE 'UTC') AS own
GROUP BY v.step, v.length ORDER BY v.length;

-- Another formula: built beside, compared, promoted, and the first one promoted again.
CREATE ROLE regress_reader;
GRANT USAGE ON SCHEMA arena TO regress_reader;
GRANT SELECT ON arena.rating TO regress_reader;
SELECT skillrating.shadow_ladder('arena', 'trial', 'elo', '{"k": 20}');
SELECT bool_and(ok) FROM skillrating.verify('trial');
SELECT skillrating.shadow_ladder('arena', NULL);
-- The same formula gives the same.
SELECT skillrating.shadow_ladder('arena', 'same');
SELECT count(*) FROM ((TABLE arena.rating EXCEPT TABLE same.rating) UNION ALL (TABLE same.rating EXCEPT TABLE arena.rating)) AS d;
SELECT count(*) FROM ((TABLE arena.event EXCEPT TABLE same.event) UNION ALL (TABLE same.event EXCEPT TABLE arena.event)) AS d;
SELECT matches, brier_a = brier_b AS equal, brier_difference, players, rank_correlation, max_place_change, same_top_ten FROM skillrating.compare_ladders('arena', 'same', pool => '');
SELECT matches, round(brier_a::numeric, 4) AS brier_a, round(brier_b::numeric, 4) AS brier_b, round(log_loss_difference::numeric, 4) AS difference, round(log_loss_error::numeric, 4) AS error,
    players, round(rank_correlation::numeric, 3) AS correlation, round(mean_place_change::numeric, 2) AS mean_change, max_place_change, same_top_ten
FROM skillrating.compare_ladders('arena', 'trial', pool => '');
-- It reads both histories once, also without statistics of them.
BEGIN;
SELECT skillrating.shadow_ladder('arena', 'fresh', 'elo', '{"k": 30}') IS NULL AS failed;
SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS read FROM pg_stat_xact_user_tables WHERE relid IN ('arena.event'::regclass, 'fresh.event'::regclass) \gset before_
SELECT matches > 400 AS compared FROM skillrating.compare_ladders('arena', 'fresh', pool => '');
SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) - :before_read <= 2 * (SELECT count(*) FROM arena.event) AS once
FROM pg_stat_xact_user_tables WHERE relid IN ('arena.event'::regclass, 'fresh.event'::regclass);
ROLLBACK;
INSERT INTO arena.match (match_id, played_at) VALUES (3000, '2024-06-10');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (3000, 'p1', 1, 1), (3000, 'p2', 2, 2);
SELECT skillrating.promote_ladder('arena', 'former');
SELECT skillrating.promote_ladder('trial', 'former');
ALTER SCHEMA former RENAME TO trial;
SELECT (SELECT model FROM arena.ladder) AS arena, (SELECT model FROM trial.ladder) AS trial, has_table_privilege('regress_reader', 'arena.rating', 'SELECT') AS may_read;
SELECT l, bool_and(ok) FROM unnest('{arena,trial}'::text[]) AS l, skillrating.verify(l) GROUP BY l ORDER BY l;
INSERT INTO arena.match (match_id, played_at) VALUES (3001, '2024-06-11');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (3001, 'p1', 1, 1), (3001, 'p2', 2, 2);
SELECT rating_after > rating_before AS won FROM skillrating.history('arena', 'p1', n => 1, pool => '');
SELECT skillrating.promote_ladder('trial', 'former');
ALTER SCHEMA former RENAME TO trial;
SELECT (SELECT model FROM arena.ladder) AS arena, l, bool_and(ok) FROM unnest('{arena,trial}'::text[]) AS l, skillrating.verify(l) GROUP BY l ORDER BY l;
SELECT players FROM skillrating.set_rating('arena', 'p1', '{"rating": 1500}', '', '2024-06-12');
SELECT skillrating.shadow_ladder('arena', 'other', 'hive') > 0;
SELECT skillrating.drop_ladder('other'), skillrating.drop_ladder('same'), skillrating.drop_ladder('trial') \gset

-- A ladder by time, with a late match and a change that wait: the second one has them.
SELECT skillrating.create_ladder('timed', 'elo', late => 'reorder') \gset
INSERT INTO timed.match (match_id, played_at) SELECT g, '2024-01-01'::timestamptz + g * interval '1 day' FROM generate_series(1, 20) AS g WHERE g <> 7;
INSERT INTO timed.match_player (match_id, player_id, team, rank) SELECT match_id, (match_id + p) % 5, p, p FROM timed.match, generate_series(1, 2) AS p;
INSERT INTO timed.match (match_id, played_at) VALUES (7, '2024-01-08');
INSERT INTO timed.match_player (match_id, player_id, team, rank) VALUES (7, 1, 1, 1), (7, 2, 2, 2);
UPDATE timed.match_player SET rank = 3 - rank WHERE match_id = 3;
SELECT (skillrating.match_outcome('timed', 7)).*, skillrating.shadow_ladder('timed', 'timed_again');
SELECT bool_and(ok) FROM skillrating.verify('timed_again');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('timed');
SELECT count(*) FROM ((TABLE timed.rating EXCEPT TABLE timed_again.rating) UNION ALL (TABLE timed_again.rating EXCEPT TABLE timed.rating)) AS d;
SELECT skillrating.drop_ladder('timed_again'), skillrating.drop_ladder('timed') \gset

-- A mirror: only rows that change are written, and none of a player whom it lacks.
\set ECHO none
CREATE TABLE person (name text PRIMARY KEY, elo float8, played bigint, cup float8, writes int DEFAULT 0);
CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.writes := OLD.writes + 1; RETURN NEW; END';
CREATE TRIGGER count_write BEFORE UPDATE ON person FOR EACH ROW EXECUTE FUNCTION count_write();
INSERT INTO person (name) SELECT 'p' || g FROM generate_series(0, 21) AS g;
INSERT INTO person (name) VALUES ('stranger');
\set ECHO all
SELECT skillrating.mirror_rating('arena', 'person', 'name', '{"elo": "rating", "played": "games"}', '');
SELECT skillrating.mirror_rating('arena', 'person', 'name', '{"cup": "rating"}', pool => 'cup');
CREATE VIEW differing AS SELECT p.name FROM person AS p LEFT JOIN arena.rating AS r ON r.player_id = p.name AND r.pool = '' LEFT JOIN arena.rating AS c ON c.player_id = p.name AND c.pool = 'cup'
WHERE (p.elo, p.played, p.cup) IS DISTINCT FROM (r.rating, r.games, c.rating);
SELECT count(*) FROM differing;
CREATE TEMP TABLE before AS SELECT name, writes FROM person;
INSERT INTO arena.match (match_id, played_at) VALUES (4000, '2024-07-10'), (4001, '2024-07-11');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (4000, 'p1', 1, 1), (4000, 'p2', 2, 2), (4001, 'p1', 1, 1), (4001, 'p22', 2, 2);
SELECT name, p.writes - b.writes AS writes FROM person AS p JOIN before AS b USING (name) WHERE p.writes <> b.writes ORDER BY name;
SELECT count(*) FROM differing;
SELECT (skillrating.new_season('arena', 'summer')).players, skillrating.void_match('arena', 4000), skillrating.merge_players('arena', 'p5', 'p6') > 0;
SELECT place, player_id, round(rating::numeric, 3) AS rating, games, wins FROM skillrating.season_table('arena', 'spring', 3, pool => '');
SELECT count(*) > 0 FROM skillrating.catch_up('arena');
SELECT count(*) FROM differing;
SELECT name, elo FROM person WHERE name = 'p5';
SELECT skillrating.mirror_rating('arena', 'person', 'played', '{"elo": "rating"}', '');
SELECT skillrating.mirror_rating('arena', 'person', 'name', '{"elo": "skill"}', '');
SELECT skillrating.mirror_rating('arena', 'person', 'name', '{"skill": "rating"}', '');
SELECT skillrating.mirror_rating('arena', 'person', 'name', '{}', '');
SELECT skillrating.unmirror_rating('arena', 'person', ''), skillrating.unmirror_rating('arena', 'person', 'cup') \gset
SELECT skillrating.unmirror_rating('arena', 'person');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'arena.rating'::regclass AND NOT tgisinternal;
-- A table of another role is not written with the owner's rights.
ALTER TABLE person OWNER TO regress_reader;
SELECT skillrating.mirror_rating('arena', 'person', 'name', '{"elo": "rating"}', '');
\set ECHO none
DROP VIEW differing;
DROP TABLE person;
SELECT skillrating.drop_ladder('arena') \gset
DROP FUNCTION count_write, pages;
DROP ROLE regress_reader;
\set ECHO all
