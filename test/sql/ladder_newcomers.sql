-- Who has a row in rating has a rating: matches that are not rated leave none behind.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SET timezone = 'UTC';
CREATE SCHEMA regress_ladder_newcomers;
SET search_path = regress_ladder_newcomers;
CREATE FUNCTION play(ladder text, id int, at date, winner bigint, loser bigint, gain float8 DEFAULT 1, pool text DEFAULT '') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at, gain, pool) VALUES ($1, $2, $3, $4)', ladder) USING id, at, gain, pool;
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank) VALUES ($1, $2, 1, 1), ($1, $3, 2, 2)', ladder) USING id, winner, loser;
END
$$;
CREATE TABLE rows_seen (action text, player_id bigint);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO regress_ladder_newcomers.rows_seen SELECT TG_OP, r.player_id FROM changed AS r;
    RETURN NULL;
END
$$;
\set ECHO all

-- States out of range: nobody is rated, at once, by catch_up(), or in a replay from the start.
SELECT skillrating.create_ladder('at_once', 'elo', apply_at => 'statement'), skillrating.create_ladder('later', 'elo', apply_at => 'manual') \gset
SELECT l.ladder, play(l.ladder, 1, '2024-01-01', 1, 2), play(l.ladder, 2, '2024-01-02', 3, 4, 1e308), play(l.ladder, 3, '2024-01-03', 1, 5, 1e308)
FROM unnest('{at_once,later}'::text[]) AS l(ladder) ORDER BY l.ladder;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('later', dry_run => true) ORDER BY 1;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('later') ORDER BY 1;
SELECT l.ladder, c.* FROM unnest('{at_once,later}'::text[]) AS l(ladder), skillrating.catch_up(l.ladder, rebuild => true, dry_run => true) AS c;
SELECT l.ladder, c.* FROM unnest('{at_once,later}'::text[]) AS l(ladder), skillrating.catch_up(l.ladder, rebuild => true) AS c;
SELECT match_id, status, reason FROM at_once.rated_match ORDER BY match_id;
SELECT l.ladder, b.player_id, b.games FROM unnest('{at_once,later}'::text[]) AS l(ladder), skillrating.leaderboard(l.ladder, min_games => 0) AS b ORDER BY 1, b.place;
SELECT (skillrating.place_of('at_once', 3, min_games => 0)).place, (skillrating.place_of('at_once', 3, min_games => 0)).percentile, (SELECT count(*) FROM skillrating.around('at_once', 3, min_games => 0)) AS around,
    (SELECT array_agg(player_id ORDER BY player_id) FROM skillrating.find_opponents('at_once', 1)) AS opponents, (SELECT count(*) FROM skillrating.season_table('at_once', '', min_games => 0)) AS season;
SELECT (SELECT count(*) FROM at_once.rating) AS rows, (SELECT bool_and(ok) FROM skillrating.verify('at_once')) AND (SELECT bool_and(ok) FROM skillrating.verify('later')) AS ok;

-- They can be seeded, whom only a match without rating knows, and do not seed anybody.
SELECT skillrating.create_ladder('seeds', 'elo', apply_at => 'statement') \gset
SELECT players FROM skillrating.set_rating('seeds', 3, '{"rating": 1700}', at => '2024-01-01');
SELECT players FROM skillrating.seed_from('at_once', 'seeds', at => '2024-02-01');
SELECT rating FROM at_once.rating WHERE player_id = 3;
SELECT players FROM skillrating.seed_from('seeds', 'at_once', at => '2024-02-01');
SELECT player_id FROM seeds.rating ORDER BY 1;

-- Late matches, in some pools of several, beside one that is rated; a batch with both makes one row.
SELECT skillrating.create_ladder('late', 'elo', apply_at => 'commit', late => 'reorder') \gset
CREATE TRIGGER see_insert AFTER INSERT ON late.rating REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION see();
CREATE TRIGGER see_delete AFTER DELETE ON late.rating REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION see();
SELECT play('late', 1, '2024-01-05', 1, 2) \gset
BEGIN;
SELECT play('late', 2, '2024-01-01', 1, 3), play('late', 3, '2024-01-06', 3, 4), play('late', 4, '2024-01-02', 2, 5), play('late', 5, '2024-01-02', 1, 5, 1, 'b') \gset
COMMIT;
SELECT player_id, pool, games FROM late.rating ORDER BY 1, 2;
SELECT action, count(*), array_agg(DISTINCT player_id) FROM rows_seen GROUP BY action ORDER BY action;
SELECT count(*) FROM skillrating.catch_up('late');
SELECT player_id, pool, games FROM late.rating ORDER BY 1, 2;
-- What pools share is no rating of somebody who has none.
SELECT skillrating.create_ladder('shared', 'trueskill2', '{"initial_base_sigma": 3}', apply_at => 'statement', late => 'reorder') \gset
SELECT play('shared', 1, '2024-01-05', 1, 2, 1, 'a'), play('shared', 2, '2024-01-02', 1, 3, 1, 'b') \gset
SELECT player_id, pool FROM shared.rating ORDER BY 1, 2;
SELECT count(*) FROM skillrating.catch_up('shared');
SELECT player_id, pool FROM shared.rating ORDER BY 1, 2;
SELECT bool_and(ok) FROM unnest('{late,shared}'::text[]) AS l(ladder), skillrating.verify(l.ladder);
-- Whose only match is taken out has no row any more; who was reset has.
SELECT skillrating.void_match('late', 3), ratings FROM skillrating.reset_rating('late', 5, at => '2024-02-01');
SELECT player_id, pool, games_before, games_after FROM skillrating.catch_up('late') ORDER BY 1, 2;
SELECT player_id, pool, games FROM late.rating ORDER BY 1, 2;
SELECT player_id, games FROM skillrating.leaderboard('late', pool => '', min_games => 0) ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('late');

-- A typing error is no ban and no merger: the player must be known, by a match, rated or not, or an operation.
SELECT skillrating.exclude_player('late', 999);
SELECT skillrating.exclude_player('late', 999, policy => 'refund');
SELECT skillrating.merge_players('late', 999, 1);
SELECT skillrating.merge_players('late', 1, 999);
SELECT (SELECT count(*) FROM late.operation) AS operations, (SELECT count(*) FROM late.correction) AS corrections;
SELECT skillrating.exclude_player('late', 999, allow_unknown => true) IS NOT NULL AND skillrating.merge_players('late', 997, 996, allow_unknown => true) IS NOT NULL AS before_the_first_match;
SELECT play('late', 20, '2024-03-01', 999, 1) \gset
SELECT skillrating.match_outcome('late', 20);
SELECT skillrating.exclude_player('late', 1, allow_unknown => NULL);
SELECT skillrating.exclude_player('at_once', 4) IS NOT NULL AS of_an_unrated_match;
SELECT players FROM skillrating.set_rating('late', 998, '{"rating": 1700}', pool => '', at => '2024-03-01');
SELECT skillrating.merge_players('late', 998, 1) IS NOT NULL AS of_an_operation;
CREATE TABLE game (match_id text, played_at timestamptz, player_id text, team int, rank int, unrated_reason text);
INSERT INTO game VALUES ('m', '2024-01-01', 'ada', 1, 1, 'friendly'), ('m', '2024-01-01', 'ben', 2, 2, 'friendly');
SELECT skillrating.create_ladder('games', 'elo', source => 'game') \gset
SELECT skillrating.exclude_player('games', 'bne');
SELECT skillrating.exclude_player('games', 'ben') IS NOT NULL AS of_the_source;
SELECT skillrating.drop_ladder('games') \gset

SELECT count(skillrating.drop_ladder(l)) FROM unnest('{at_once,later,seeds,late,shared}'::text[]) AS l;
DROP SCHEMA regress_ladder_newcomers CASCADE;
