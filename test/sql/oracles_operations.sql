-- What operations on a ladder do and count, against a loop over its matches and counts of rows.
-- Each column names the functions that it is about; see test/oracles.sh.
\set ECHO none
\pset format unaligned
CREATE SCHEMA oracles_operations;
SET search_path = oracles_operations;
SET extra_float_digits = 1;
SET timezone = 'UTC';
SET client_min_messages = warning;

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;

-- Duels of nine players, the rows of which a ladder reads; a match that is not to be rated is left out of the loop.
CREATE TABLE duel (match_id int PRIMARY KEY, played_at timestamptz, a int, b int, score float8);
CREATE FUNCTION play(first int, last int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO duel SELECT i, timestamptz '2024-01-01 00:00 UTC' + i * interval '7 hours', a, b, CASE WHEN i % 9 = 0 THEN 0.5 WHEN mod(i * 0.569840291, 1) < 1 / (1 + exp((a - b) / 3.0)) THEN 1 ELSE 0 END
    FROM generate_series(first, last) AS i, LATERAL (SELECT i * i % 9 AS a, (i * i + 1 + i / 9 % 8) % 9 AS b) AS p
$$;
CREATE VIEW source AS
SELECT match_id, played_at, player AS player_id, team, CASE WHEN score = 0.5 OR (score = 1) = (team = 1) THEN 1 ELSE 2 END AS rank FROM duel, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team);
-- Ratings after all matches but some, where given players are somebody else, or nobody.
CREATE FUNCTION by_duel(skipped int[] DEFAULT '{}', old int DEFAULT NULL, new int DEFAULT NULL, start float8[] DEFAULT array_fill(1500::float8, ARRAY[9])) RETURNS TABLE (player int, rating float8, games int) LANGUAGE plpgsql AS $$
DECLARE
    d record;
    r float8[] := start;
    n int[] := array_fill(0, ARRAY[9]);
    e float8;
BEGIN
    FOR d IN SELECT CASE WHEN a = old THEN new ELSE a END AS a, CASE WHEN b = old THEN new ELSE b END AS b, score FROM duel WHERE match_id <> ALL (skipped) ORDER BY match_id LOOP
        CONTINUE WHEN d.a = d.b;
        e := 1 / (1 + power(10, (r[d.b + 1] - r[d.a + 1]) / 400));
        r[d.a + 1] := r[d.a + 1] + 32 * (d.score - e);
        r[d.b + 1] := r[d.b + 1] - 32 * (d.score - e);
        n[d.a + 1] := n[d.a + 1] + 1;
        n[d.b + 1] := n[d.b + 1] + 1;
    END LOOP;
    RETURN QUERY SELECT i - 1, r[i], n[i] FROM generate_subscripts(r, 1) AS i WHERE n[i] > 0;
END
$$;
-- Whether a ladder has the ratings of a table of players.
CREATE FUNCTION has(ladder text, expected text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    found boolean;
BEGIN
    EXECUTE format('SELECT count(*) > 0 AND bool_and(coalesce(near(r.rating, e.rating), false)) FROM %I.rating AS r FULL JOIN (%s) AS e ON e.player = r.player_id', ladder, expected) INTO found;
    RETURN found;
END
$$;
\set ECHO all

-- Existing matches: as many as there are, in batches of what was asked.
SELECT play(1, 45) \gset
SELECT skillrating.create_ladder('oracle_ops', 'elo', player_type => 'int', match_type => 'int', source => 'source', late => 'reorder') \gset
CALL skillrating.backfill('oracle_ops', 20) \gset
SELECT array_agg(n ORDER BY n) = '{5,20,20}' AS "backfill: invariant" FROM (SELECT count(*) AS n FROM oracle_ops.rated_match GROUP BY xmin::text) AS b;
SELECT :matches = 45 AND :late_matches = 0 AND :unrated = 0 AND has('oracle_ops', 'SELECT * FROM by_duel()') AS "backfill: other implementation";
SELECT skillrating.attach('oracle_ops', 'duel') \gset

-- Voided matches, corrections: catch_up() says from what to what, and without doing it the places, too.
CREATE TABLE before AS SELECT player_id, rating, games, rank() OVER (ORDER BY rating DESC) AS place FROM oracle_ops.rating;
SELECT skillrating.void_match('oracle_ops', 20) \gset
SELECT bool_and(c.place_before = b.place AND c.place_after = d.place AND near(c.rating_after, d.rating)) AND count(*) > 3 AS "catch_up: other implementation"
FROM skillrating.catch_up('oracle_ops', dry_run => true) AS c JOIN before AS b ON b.player_id::text = c.player_id JOIN (SELECT *, rank() OVER (ORDER BY rating DESC) AS place FROM by_duel('{20}')) AS d ON d.player = b.player_id;
CREATE TABLE caught AS SELECT * FROM skillrating.catch_up('oracle_ops');
SELECT count(*) > 3 AND bool_and(near(rating_before, b.rating) AND games_before = b.games AND near(rating_after, d.rating) AND games_after = d.games)
    AND count(*) = (SELECT count(*) FROM before AS b JOIN by_duel('{20}') AS d ON d.player = b.player_id WHERE b.rating <> d.rating) AS "catch_up: other implementation"
FROM caught AS c JOIN before AS b ON b.player_id::text = c.player_id JOIN by_duel('{20}') AS d ON d.player = b.player_id;
SELECT skillrating.restore_match('oracle_ops', 20) \gset
SELECT count(*) > 3 AS more FROM skillrating.catch_up('oracle_ops');

-- Two accounts of one person, and a player whose matches do not count; each is undone.
CREATE FUNCTION last_operation(OUT operation bigint) LANGUAGE plpgsql AS $$ BEGIN SELECT max(o.operation) INTO operation FROM oracle_ops.operation AS o; END $$;
CREATE TABLE number AS SELECT skillrating.merge_players('oracle_ops', 8, 7) AS operation;
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('oracle_ops');
SELECT operation = last_operation() AND has('oracle_ops', 'SELECT * FROM by_duel(old => 8, new => 7)') AS "merge_players: other implementation" FROM number;
SELECT skillrating.undo_operation('oracle_ops', operation) FROM number \gset
UPDATE number SET operation = skillrating.exclude_player('oracle_ops', 3);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('oracle_ops');
SELECT operation = last_operation() AND has('oracle_ops', 'SELECT * FROM by_duel(ARRAY(SELECT match_id FROM duel WHERE 3 IN (a, b)))') AS "exclude_player: other implementation" FROM number;
SELECT skillrating.undo_operation('oracle_ops', operation) FROM number \gset
-- Rules: what they may be, what holds since when.  No draws of the last days count.
UPDATE number SET operation = skillrating.set_eligibility('oracle_ops', '{"max_repeats": 1, "repeat_window": 3600000}', since => '2024-01-06');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('oracle_ops');
SELECT n.operation = last_operation() AND has('oracle_ops', 'SELECT * FROM by_duel(ARRAY(SELECT match_id FROM duel AS d WHERE played_at >= ''2024-01-06''
    AND EXISTS (SELECT FROM duel AS o WHERE o.match_id < d.match_id AND o.played_at > d.played_at - interval ''3600000 seconds'' AND least(o.a, o.b) = least(d.a, d.b) AND greatest(o.a, o.b) = greatest(d.a, d.b))))') AS "set_eligibility: other implementation" FROM number AS n;
SELECT count(*) = 1 AND bool_and(e.operation = n.operation AND (e.rules->>'max_repeats')::int = 1 AND (e.rules->>'repeat_window')::int = 3600000) AS "eligibility: invariant" FROM number AS n, skillrating.eligibility('oracle_ops') AS e WHERE e.since = '2024-01-06';
SELECT skillrating.undo_operation('oracle_ops', operation) FROM number \gset
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('oracle_ops');
SELECT has('oracle_ops', 'SELECT * FROM by_duel()') AS undone;
\set ECHO none
CREATE FUNCTION takes(rule text, value float8, beside text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM skillrating.set_eligibility('oracle_ops', jsonb_build_object(rule, value) || CASE WHEN beside IS NULL THEN '{}' ELSE jsonb_build_object(beside, 1) END, since => '2030-01-01');
    RETURN true;
EXCEPTION WHEN invalid_parameter_value OR numeric_value_out_of_range OR datatype_mismatch THEN
    RETURN false;
END
$$;
\set ECHO all
SELECT count(*) = 4 AND bool_and((takes(rule, min, beside) OR takes(rule, min + 1e-6, beside)) AND takes(rule, max, beside) AND NOT takes(rule, min - 0.001, beside) AND NOT takes(rule, max + 1, beside)) AS "parameters: brute force",
    bool_and(CASE rule WHEN 'newcomer_games' THEN default_value = '10' WHEN 'repeat_window' THEN default_value = '86400' WHEN 'max_repeats' THEN default_value = '0' ELSE default_value = '1' END) AS "parameters: published"
FROM skillrating.parameters('eligibility') AS r, LATERAL (SELECT name AS rule, CASE name WHEN 'newcomer_games' THEN 'max_newcomer_share' WHEN 'repeat_window' THEN 'max_repeats' END AS beside) AS b WHERE r.max IS NOT NULL;

-- A season: a quarter of the distance to 1500 stays.
CREATE TABLE ended AS SELECT player_id, rating, games, rank() OVER (ORDER BY rating DESC) AS place FROM oracle_ops.rating;
SELECT operation, players FROM skillrating.new_season('oracle_ops', 'second', 0.25, at => '2024-01-14 05:00') \gset
SELECT :players = (SELECT count(*) FROM ended WHERE rating <> 1500) AND :operation = last_operation() AND has('oracle_ops', 'SELECT player_id AS player, 1500 + 0.25 * (rating - 1500) AS rating FROM ended') AS "new_season: closed form";
SELECT play(46, 60) \gset
CREATE TABLE played AS SELECT p AS player_id, count(*) AS games, count(*) FILTER (WHERE s = 1) AS wins, count(*) FILTER (WHERE s = 0.5) AS draws FROM (SELECT a AS p, score AS s, match_id FROM duel UNION ALL SELECT b, 1 - score, match_id FROM duel) AS d WHERE match_id > 45 GROUP BY p;
SELECT count(*) = 9 AND bool_and(t.place = e.place AND near(t.rating, e.rating) AND t.games = e.games AND near(t.start_rating, 1500) AND t.peak >= t.rating) AS "season_table: other implementation"
FROM skillrating.season_table('oracle_ops', '') AS t JOIN ended AS e ON e.player_id::text = t.player_id;
SELECT count(*) > 5 AND bool_and(t.place = r.place AND near(t.rating, r.rating) AND t.games = p.games AND t.wins = p.wins AND t.draws = p.draws AND t.losses = p.games - p.wins - p.draws AND near(t.start_rating, 1500 + 0.25 * (e.rating - 1500))) AS "season_table: other implementation"
FROM skillrating.season_table('oracle_ops') AS t JOIN played AS p ON p.player_id::text = t.player_id JOIN ended AS e ON e.player_id = p.player_id
    JOIN (SELECT player_id, rating, rank() OVER (ORDER BY rating DESC) AS place FROM oracle_ops.rating JOIN played USING (player_id)) AS r ON r.player_id = p.player_id;
SELECT bool_and((SELECT t.place FROM skillrating.season_table('oracle_ops', player => player_id, season => '') AS t) = place) AS "season_table: other implementation" FROM ended;

-- Idle players lose a point a day after ten days, down to 1480.
CREATE TABLE idle AS SELECT player_id AS player, rating, rating AS was, extract(epoch FROM timestamptz '2024-02-20' - last_played) / 86400 - 10 AS days FROM oracle_ops.rating;
SELECT operation, players FROM skillrating.decay('oracle_ops', grace => '10 days', floor => 1480, at => '2024-02-20') \gset
SELECT :players = (SELECT count(*) FROM idle WHERE days > 0 AND rating > 1480) AND :operation = last_operation()
    AND has('oracle_ops', 'SELECT player, CASE WHEN days > 0 THEN greatest(least(was, 1480), was - days) ELSE was END AS rating FROM idle') AS "decay: closed form";

-- States by hand.
CREATE TABLE hand AS SELECT player_id AS player, rating FROM oracle_ops.rating;
SELECT operation, ratings FROM skillrating.set_fixed('oracle_ops', 2, at => '2024-03-01') \gset
SELECT :ratings = 1 AND :operation = last_operation() AND has('oracle_ops', 'SELECT player, rating FROM hand') AND (SELECT string_agg(player_id::text, ',') = '2' FROM oracle_ops.rating WHERE fixed) AS "set_fixed: invariant";
SELECT ratings = 1 AS freed FROM skillrating.set_fixed('oracle_ops', 2, false, at => '2024-03-01');
SELECT operation, players FROM skillrating.set_rating('oracle_ops', 2, '{"rating": 1777}', at => '2024-03-01') \gset
SELECT :players = 1 AND :operation = last_operation() AND has('oracle_ops', 'SELECT player, CASE player WHEN 2 THEN 1777 ELSE rating END AS rating FROM hand') AS "set_rating: invariant";
SELECT operation, ratings FROM skillrating.reset_rating('oracle_ops', 2, at => '2024-03-02') \gset
SELECT :ratings = 1 AND :operation = last_operation() AND has('oracle_ops', 'SELECT player, CASE player WHEN 2 THEN 1500 ELSE rating END AS rating FROM hand') AND (SELECT games = 0 FROM oracle_ops.rating WHERE player_id = 2) AS "reset_rating: invariant";
UPDATE hand SET rating = 1500 WHERE player = 2;
SELECT operation, ratings FROM skillrating.import_ratings('oracle_ops', '{101,102}'::int[], '[{"rating": 1601}, {"rating": 1399.5}]', at => '2024-03-03') \gset
SELECT :ratings = 2 AND :operation = last_operation() AND has('oracle_ops', 'TABLE hand UNION ALL VALUES (101, 1601), (102, 1399.5)') AS "import_ratings: invariant";
SELECT skillrating.create_ladder('oracle_other', 'elo', player_type => 'int', match_type => 'int') \gset
SELECT operation, players FROM skillrating.seed_from('oracle_other', 'oracle_ops') \gset
SELECT :players = 11 AND :operation = (SELECT max(operation) FROM oracle_other.operation) AND has('oracle_other', 'SELECT player_id AS player, rating FROM oracle_ops.rating') AS "seed_from: invariant";
-- Idle time under Glicko: 40 points a root of 30 days.
SELECT skillrating.create_ladder('oracle_glicko', 'glicko', '{"c": 40}', player_type => 'int', match_type => 'int') \gset
INSERT INTO oracle_glicko.match (match_id, played_at) SELECT match_id, played_at FROM duel;
INSERT INTO oracle_glicko.match_player (match_id, player_id, team, rank) SELECT match_id, player_id, team, rank FROM source;
CREATE TABLE rested AS SELECT player_id, sqrt(deviation ^ 2 + 40 ^ 2 * extract(epoch FROM timestamptz '2024-03-01' - last_played) / 86400 / 30) AS deviation FROM oracle_glicko.rating;
SELECT operation, players FROM skillrating.settle('oracle_glicko', '2024-03-01') \gset
SELECT :players = 9 AND :operation = (SELECT max(operation) FROM oracle_glicko.operation) AND (SELECT bool_and(near(r.deviation, least(350, x.deviation))) FROM oracle_glicko.rating AS r JOIN rested AS x USING (player_id)) AS "settle: closed form";

-- A table that follows; history that begins later.
CREATE TABLE profile AS SELECT player_id, 0::float8 AS elo FROM oracle_ops.rating WHERE player_id < 6;
SELECT skillrating.mirror_rating('oracle_ops', 'profile', 'player_id', '{"elo": "rating"}') = 6 AS "mirror_rating: invariant";
SELECT horizon, players FROM skillrating.set_horizon('oracle_glicko', '2024-01-10') \gset
SELECT :horizon = (SELECT max(seq) FROM oracle_glicko.event WHERE played_at < '2024-01-10') AND :players = (SELECT count(DISTINCT player_id) FROM oracle_glicko.event WHERE played_at < '2024-01-10') AS "set_horizon: invariant";

-- What is gone comes back: a trigger, and sequences that are behind.
DROP TRIGGER skillrating_insert ON duel;
SELECT triggers = 1 AS "restore_triggers: invariant" FROM skillrating.restore_triggers('oracle_ops');
SELECT triggers = 0 AS "restore_triggers: invariant" FROM skillrating.restore_triggers('oracle_ops');
SELECT count(*) > 0 AS moved FROM (SELECT setval(pg_get_serial_sequence('oracle_other.match', 'match_id'), 1)) AS s;
INSERT INTO oracle_other.match (match_id, played_at) VALUES (77, '2024-04-01');
INSERT INTO oracle_other.match_player (match_id, player_id, team, rank) VALUES (77, 1, 1, 1), (77, 2, 2, 2);
SELECT sequences = 1 AS "restore_triggers: invariant" FROM skillrating.restore_triggers('oracle_other');
SELECT nextval(pg_get_serial_sequence('oracle_other.match', 'match_id')) = 78 AS "restore_triggers: invariant";
SELECT matches, players FROM skillrating.reset_ladder('oracle_other') \gset
SELECT :matches = 1 AND :players = 11 AND (SELECT count(*) = 0 FROM oracle_other.rating) AS "reset_ladder: invariant";
DROP TABLE oracle_glicko.event_0, oracle_glicko.event_20;
SELECT skillrating.drop_ladder(l) FROM unnest('{oracle_ops,oracle_other,oracle_glicko}'::text[]) AS l;
DROP SCHEMA oracles_operations CASCADE;
