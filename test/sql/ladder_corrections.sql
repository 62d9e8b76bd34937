-- What changes history: corrections, operations, and bringing a ladder up to date.
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
SET timezone = 'UTC';
\set ECHO all
SELECT skillrating.create_ladder('arena', 'elo', player_type => 'text') \gset
SELECT skillrating.create_ladder('mirror', 'elo', player_type => 'text') \gset

-- 60 duels of six players, an hour apart; the second ladder gets what the first should be like.
\set ECHO none
CREATE TABLE duel AS
SELECT g AS match_id, '2024-01-01'::timestamptz + g * interval '1 hour' AS played_at,
    'p' || g % 6 AS a, 'p' || (g + 1 + g / 6 % 5) % 6 AS b, 1 + g % 3 AS rank_a, 1 + g / 2 % 3 AS rank_b
FROM generate_series(1, 60) AS g;
CREATE FUNCTION play(ladder text, condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at) SELECT match_id, played_at FROM duel WHERE %s', ladder, condition);
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank)
        SELECT match_id, a, 1, rank_a FROM duel WHERE %2$s UNION ALL SELECT match_id, b, 2, rank_b FROM duel WHERE %2$s', ladder, condition);
END
$$;
-- Rows of one ladder that the other does not have, but for places in the order.
CREATE FUNCTION difference(a text, b text, OUT ratings bigint, OUT events bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT count(*) FROM ((TABLE %1$I.rating EXCEPT TABLE %2$I.rating) UNION ALL (TABLE %2$I.rating EXCEPT TABLE %1$I.rating)) AS d', a, b) INTO ratings;
    EXECUTE format('SELECT count(*) FROM (
        SELECT to_jsonb(e) - ''seq'' FROM (TABLE %1$I.event) AS e EXCEPT SELECT to_jsonb(e) - ''seq'' FROM (TABLE %2$I.event) AS e
        UNION ALL (SELECT to_jsonb(e) - ''seq'' FROM (TABLE %2$I.event) AS e EXCEPT SELECT to_jsonb(e) - ''seq'' FROM (TABLE %1$I.event) AS e)) AS d', a, b) INTO events;
END
$$;
\set ECHO all
SELECT play('arena', 'true') \gset
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- A void match is as if it had never been.
SELECT skillrating.void_match('arena', 7, 'server crash') \gset
SELECT skillrating.match_outcome('arena', 7), skillrating.match_outcome('arena', 8), skillrating.match_outcome('arena', 99);
SELECT seq, match_id, kind FROM arena.correction;
SELECT player_id, round(rating_before::numeric, 3) AS before, round(rating_after::numeric, 3) AS after, games_before, games_after
FROM skillrating.catch_up('arena') ORDER BY player_id;
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT m.status, m.reason, m.detail, w.* FROM arena.rated_match AS m, skillrating.match_outcome('arena', 7) AS w WHERE m.match_id = 7;
SELECT play('mirror', 'match_id <> 7') \gset
SELECT * FROM difference('arena', 'mirror');
-- It stays void when its rows change, and can come back.
UPDATE arena.match_player SET rank = 1 WHERE match_id = 7;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT skillrating.restore_match('arena', 7) \gset
SELECT skillrating.restore_match('arena', 7);
UPDATE arena.match_player AS p SET rank = CASE team WHEN 1 THEN rank_a ELSE rank_b END FROM duel AS d WHERE p.match_id = 7 AND d.match_id = 7;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT skillrating.drop_ladder('mirror'), skillrating.create_ladder('mirror', 'elo', player_type => 'text') \gset
SELECT play('mirror', 'true') \gset
SELECT * FROM difference('arena', 'mirror');
SELECT skillrating.void_match('arena', 99);
SELECT skillrating.void_match('nowhere', 1);

-- Only what comes out otherwise is written.
CREATE TEMP TABLE version AS SELECT player_id, seq, ctid AS at FROM arena.event;
UPDATE arena.match_player SET rank = 9 WHERE match_id = 58 AND team = 1;
SELECT player_id, games_before, games_after FROM skillrating.catch_up('arena') ORDER BY player_id;
SELECT count(*), min(e.seq) FROM arena.event AS e LEFT JOIN version AS v ON (v.player_id, v.seq, v.at) = (e.player_id, e.seq, e.ctid) WHERE v.seq IS NULL;
SELECT bool_and(ok) FROM skillrating.verify('arena');
UPDATE arena.match_player AS p SET rank = rank_a FROM duel AS d WHERE p.match_id = 58 AND d.match_id = 58 AND p.team = 1;
SELECT count(*) FROM skillrating.catch_up('arena');

-- Matches with a cheater do not count from some time on, and do again.
SELECT skillrating.exclude_player('arena', 'p3', '2024-01-02', reason => 'aim bot') AS operation \gset
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT DISTINCT status, reason, detail FROM arena.rated_match ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT skillrating.drop_ladder('mirror'), skillrating.create_ladder('mirror', 'elo', player_type => 'text') \gset
SELECT play('mirror', $$played_at < '2024-01-02' OR 'p3' NOT IN (a, b)$$) \gset
SELECT * FROM difference('arena', 'mirror');
-- Those to come neither.
INSERT INTO duel VALUES (61, '2024-01-04', 'p3', 'newcomer', 1, 2);
SELECT play('arena', 'match_id = 61') \gset
SELECT skillrating.match_outcome('arena', 61);
SELECT * FROM difference('arena', 'mirror');
SELECT skillrating.undo_operation('arena', :operation) \gset
SELECT skillrating.undo_operation('arena', :operation);
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT skillrating.drop_ladder('mirror'), skillrating.create_ladder('mirror', 'elo', player_type => 'text') \gset
SELECT play('mirror', 'match_id <= 60') \gset
SELECT play('mirror', 'match_id > 60') \gset
SELECT * FROM difference('arena', 'mirror');
SELECT skillrating.exclude_player('arena', 'p3', '2024-01-02', '2024-01-02');

-- Two accounts of one player count as one. Where they met, the match does not count.
SELECT skillrating.merge_players('arena', 'p5', 'p0', reason => 'second account') AS operation \gset
SELECT skillrating.merge_players('arena', 'p0', 'p5');
\set VERBOSITY terse
SELECT skillrating.merge_players('arena', 'p5', 'p1');
SELECT skillrating.merge_players('arena', 'p4', 'p4');
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT count(*) FILTER (WHERE player_id = 'p5') AS p5, count(*) FILTER (WHERE player_id = 'p0') AS p0 FROM arena.rating;
SELECT status, reason, detail, count(*) FROM arena.rated_match GROUP BY 1, 2, 3 ORDER BY 1;
SELECT skillrating.drop_ladder('mirror'), skillrating.create_ladder('mirror', 'elo', player_type => 'text') \gset
CREATE TEMP TABLE duel_before AS TABLE duel;
UPDATE duel SET a = 'p0' WHERE a = 'p5';
UPDATE duel SET b = 'p0' WHERE b = 'p5';
SELECT play('mirror', 'a <> b AND match_id <= 60') \gset
SELECT play('mirror', 'match_id > 60') \gset
SELECT * FROM difference('arena', 'mirror');
TRUNCATE duel;
INSERT INTO duel TABLE duel_before;
SELECT skillrating.undo_operation('arena', :operation) \gset
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Operations take their place in the order, and matches before them are replayed without.
SELECT players FROM skillrating.new_season('arena', '2024', 0.25, at => '2024-01-05');
SELECT skillrating.new_season('arena', '2024');
\set VERBOSITY default
SELECT skillrating.new_season('arena', '2025', 1.5);
SELECT operation FROM skillrating.set_rating('arena', 'p1', '{"rating": 1700}', at => '2024-01-05 01:00', reason => 'champion elsewhere') \gset
SELECT skillrating.set_rating('arena', 'p1', '{"skill": 1700}');
SELECT skillrating.set_rating('arena', 'p1', '{"rating": "high"}');
SELECT skillrating.set_rating('arena', 'p1', '[]');
INSERT INTO duel VALUES (62, '2024-01-06', 'p1', 'p2', 2, 1);
SELECT play('arena', 'match_id = 62') \gset
SELECT players FROM skillrating.decay('arena', grace => '10 days', rate => 2, floor => 1490, at => '2024-02-01');
SELECT players FROM skillrating.decay('arena', grace => '10 days', rate => 2, floor => 1490, at => '2024-02-02');
SELECT players FROM skillrating.decay('arena', grace => '10 days', half_life => '20 days', at => '2024-02-22');
SELECT skillrating.decay('arena', grace => '-1 day');
SELECT skillrating.decay('arena', half_life => '0');
SELECT skillrating.decay('arena', rate => 'NaN');
SELECT seq, kind, played_at, games_before AS games, last_played_before AS last_played, round(rating_before::numeric, 3) AS before, round(rating_after::numeric, 3) AS after, reason
FROM arena.event WHERE player_id = 'p1' AND seq > 61 ORDER BY seq;
SELECT bool_and(ok) FROM skillrating.verify('arena');
UPDATE arena.match_player SET rank = 5 WHERE match_id = 30 AND team = 2;
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');
SELECT skillrating.undo_operation('arena', :operation) \gset
SELECT count(*) FROM skillrating.catch_up('arena');
SELECT seq, kind, round(rating_before::numeric, 3) AS before, round(rating_after::numeric, 3) AS after
FROM arena.event WHERE player_id = 'p1' AND seq > 61 ORDER BY seq;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Another ladder starts where this one is.
SELECT skillrating.create_ladder('next', 'elo', player_type => 'text') \gset
SELECT skillrating.create_ladder('other', 'hive', player_type => 'text') \gset
SELECT operation IS NOT NULL AS noted, players FROM skillrating.seed_from('next', 'arena');
SELECT operation IS NOT NULL AS noted, players FROM skillrating.seed_from('next', 'arena');
SELECT skillrating.seed_from('other', 'arena');
SELECT count(*) FROM arena.rating AS a FULL JOIN next.rating AS n USING (player_id) WHERE a.rating IS DISTINCT FROM n.rating;
SELECT play('next', 'match_id <= 20') \gset
SELECT count(*) FROM skillrating.catch_up('next', rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('next');

-- A person is forgotten, and the arithmetic stays.
SELECT skillrating.forget_players('arena', '{p2}', '{p4}');
SELECT * FROM skillrating.forget_players('arena', '{p2}', '{somebody}');
SELECT count(*) FROM arena.correction;
SELECT count(*) FROM (
    SELECT player_id FROM arena.match_player UNION ALL SELECT player_id FROM arena.event
    UNION ALL SELECT player_id FROM arena.rating UNION ALL SELECT player_id FROM arena.operation) AS everywhere WHERE player_id = 'p2';
SELECT * FROM skillrating.catch_up('arena');
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- Manual: matches wait for a worker.
SELECT skillrating.create_ladder('queue', 'elo', player_type => 'text', apply_at => 'manual') \gset
SELECT play('queue', 'match_id <= 10') \gset
SELECT count(*) FROM queue.pending;
SELECT count(*) FROM queue.rated_match;
SELECT outcome, reason, detail, sqlstate, since IS NOT NULL AS since FROM skillrating.match_outcome('queue', 3);
SELECT count(*) FROM skillrating.catch_up('queue');
SELECT (SELECT count(*) FROM queue.pending), (SELECT count(*) FROM queue.rated_match), (SELECT count(*) FROM queue.event);
SELECT count(*) FROM skillrating.report_match('queue', 11, '{p1,p2}'::text[], '{1,2}', '{1,2}');
SELECT bool_and(ok) FROM skillrating.verify('queue');
-- What no trigger saw is found by search, and a change or loss by rebuild.
\set ECHO none
SET session_replication_role = replica;
SELECT play('queue', 'match_id BETWEEN 12 AND 20') \gset
DELETE FROM queue.match_player WHERE match_id = 3;
UPDATE queue.match_player SET rank = 7 WHERE match_id = 4 AND team = 1;
RESET session_replication_role;
\set ECHO all
SELECT check_name, ok FROM skillrating.verify('queue');
SELECT skillrating.match_outcome('queue', 15);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('queue', search => true, rebuild => true);
SELECT check_name, ok FROM skillrating.verify('queue');
SELECT count(*) FROM skillrating.catch_up('queue', search => true, rebuild => true);
-- Broken tables are mended by a rebuild.
UPDATE queue.event SET rating_after = 1 WHERE match_id = 5;
DELETE FROM queue.event WHERE match_id = 6;
UPDATE queue.rating SET rating = 3, games = 99 WHERE player_id = 'p1';
DELETE FROM queue.rating WHERE player_id = 'p2';
SELECT bool_and(ok) FROM skillrating.verify('queue');
SELECT count(*) FROM skillrating.catch_up('queue', rebuild => true);
SELECT bool_and(ok) FROM skillrating.verify('queue');

-- An ORM: one statement at a time, in one transaction; one match, rated once.
SELECT skillrating.create_ladder('orm', 'trueskill') \gset
\set ECHO none
BEGIN;
INSERT INTO orm.match (match_id) VALUES (1);
INSERT INTO orm.match_player (match_id, player_id, team) VALUES (1, 1, 1);
INSERT INTO orm.match_player (match_id, player_id, team) VALUES (1, 2, 1);
INSERT INTO orm.match_player (match_id, player_id, team) VALUES (1, 3, 2);
SAVEPOINT wrong;
INSERT INTO orm.match_player (match_id, player_id, team) VALUES (1, 9, 2);
ROLLBACK TO wrong;
INSERT INTO orm.match_player (match_id, player_id, team) VALUES (1, 4, 2);
\set ECHO all
UPDATE orm.match_player SET rank = 1 WHERE match_id = 1 AND team = 1;
UPDATE orm.match_player SET rank = 2 WHERE match_id = 1 AND team = 2;
COMMIT;
SELECT player_id, games, round(mu::numeric, 3) AS mu FROM orm.rating ORDER BY player_id;
SELECT count(*) FROM orm.correction;
-- Or each statement a transaction of its own: right after catch_up.
INSERT INTO orm.match (match_id) VALUES (2);
INSERT INTO orm.match_player (match_id, player_id, team, rank) VALUES (2, 1, 1, 1);
INSERT INTO orm.match_player (match_id, player_id, team, rank) VALUES (2, 3, 2, 2);
INSERT INTO orm.match_player (match_id, player_id, team, rank) VALUES (2, 2, 1, 1);
INSERT INTO orm.match_player (match_id, player_id, team, rank) VALUES (2, 4, 2, 2);
SELECT seq, match_id, kind FROM orm.correction;
SELECT count(*) FROM skillrating.catch_up('orm');
SELECT bool_and(ok) FROM skillrating.verify('orm');

-- Players who come and go: the match counts once all have left.
SELECT skillrating.create_ladder('stints', 'hive') \gset
INSERT INTO stints.match (match_id) VALUES (1);
INSERT INTO stints.match_player (match_id, player_id, team, side, won, joined, left_at) VALUES (1, 1, 1, 1, true, 0, 900), (1, 2, 2, 2, false, 0, NULL);
SELECT skillrating.match_outcome('stints', 1);
UPDATE stints.match_player SET left_at = 900 WHERE player_id = 2;
SELECT status FROM stints.rated_match;
\set VERBOSITY terse
SELECT count(*) FROM skillrating.report_match('stints', 2, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], joined => ARRAY[0, 0]);
SELECT skillrating.drop_ladder('stints') \gset

-- The number of an operation stays when a late match gives it another place.
SELECT skillrating.create_ladder('ordered', 'elo', late => 'reorder') \gset
SELECT count(*) FROM skillrating.report_match('ordered', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], '2024-01-03');
SELECT operation FROM skillrating.new_season('ordered', 'spring', at => '2024-01-04') \gset
SELECT operation AS later FROM skillrating.set_rating('ordered', 1, '{"rating": 1700}', at => '2024-01-05') \gset
SELECT count(*) FROM skillrating.report_match('ordered', 2, ARRAY[1, 2], ARRAY[1, 2], ARRAY[2, 1], '2024-01-01');
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('ordered');
SELECT operation = :operation AS number_stays, seq > :operation AS moved FROM ordered.operation WHERE kind = 'season';
SELECT skillrating.undo_operation('ordered', :operation) \gset
SELECT kind, undone_at IS NOT NULL AS undone FROM ordered.operation ORDER BY seq;
SELECT skillrating.undo_operation('ordered', :operation);
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('ordered');
SELECT bool_and(ok) FROM skillrating.verify('ordered');
SELECT skillrating.drop_ladder('ordered') \gset

-- A state that was set before the first match counts again when a merge is undone.
SELECT skillrating.create_ladder('accounts', 'elo') \gset
SELECT count(*) FROM skillrating.set_rating('accounts', 7, '{"rating": 1900}');
SELECT count(*) FROM skillrating.report_match('accounts', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2]);
SELECT count(*) FROM skillrating.report_match('accounts', 2, ARRAY[7, 1], ARRAY[1, 2], ARRAY[1, 2]);
SELECT skillrating.merge_players('accounts', 7, 2) AS operation \gset
SELECT count(*) FROM skillrating.catch_up('accounts');
SELECT skillrating.undo_operation('accounts', :operation) \gset
SELECT count(*) FROM skillrating.catch_up('accounts');
SELECT bool_and(ok) FROM skillrating.verify('accounts');
SELECT skillrating.drop_ladder('accounts') \gset

-- The first of many.
SELECT skillrating.create_ladder('many', 'glicko2'), skillrating.create_ladder('fewer', 'glicko2') \gset
\set ECHO none
CREATE TABLE big AS SELECT m AS match_id, '2024-01-01'::timestamptz + m * interval '1 minute' AS played_at, (m * 7919::bigint) % 500 AS a, 500 + (m * 104729::bigint) % 500 AS b, 1 + m % 7 % 3 AS rank_a, 1 + m % 5 % 3 AS rank_b
FROM generate_series(1, 100000) AS m;
BEGIN;
INSERT INTO many.match (match_id, played_at) SELECT match_id, played_at FROM big;
INSERT INTO many.match_player (match_id, player_id, team, rank) SELECT match_id, a, 1, rank_a FROM big UNION ALL SELECT match_id, b, 2, rank_b FROM big;
INSERT INTO fewer.match (match_id, played_at) SELECT match_id, played_at FROM big WHERE match_id > 1;
INSERT INTO fewer.match_player (match_id, player_id, team, rank) SELECT match_id, a, 1, rank_a FROM big WHERE match_id > 1 UNION ALL SELECT match_id, b, 2, rank_b FROM big WHERE match_id > 1;
\set ECHO all
COMMIT;
SELECT skillrating.void_match('many', 1) \gset
-- With little memory, so that rows come back from disk.
SET work_mem = '64kB';
SELECT count(*) > 0 AS changed FROM skillrating.catch_up('many');
SELECT count(*) FROM ((TABLE many.rating EXCEPT TABLE fewer.rating) UNION ALL (TABLE fewer.rating EXCEPT TABLE many.rating)) AS d;
SELECT count(*) FROM (SELECT player_id, match_id, games_before, last_played_before, score, win_probability, rating_before, rating_after, deviation_before, deviation_after, volatility_before, volatility_after FROM many.event
    EXCEPT SELECT player_id, match_id, games_before, last_played_before, score, win_probability, rating_before, rating_after, deviation_before, deviation_after, volatility_before, volatility_after FROM fewer.event) AS d;
SELECT (SELECT count(*) FROM many.event) = (SELECT count(*) FROM fewer.event) AS as_many;
SELECT bool_and(ok) FROM skillrating.verify('many');
DROP TABLE big, duel;
SELECT count(skillrating.drop_ladder(l)) FROM unnest('{arena,mirror,next,other,queue,orm,many,fewer}'::text[]) AS l;
DROP FUNCTION play, difference;

-- An exclusion stays when the account is merged into another, and goes with it when it is undone.
SELECT skillrating.create_ladder('accounts', 'elo') \gset
INSERT INTO accounts.match (match_id, played_at) SELECT g, '2024-01-01'::timestamptz + g * interval '1 day' FROM generate_series(1, 6) AS g;
INSERT INTO accounts.match_player (match_id, player_id, team, rank) SELECT g, CASE p WHEN 1 THEN 1 + g % 3 ELSE 9 END, p, p FROM generate_series(1, 6) AS g, generate_series(1, 2) AS p;
SELECT skillrating.exclude_player('accounts', 2) > 0 AS excluded, skillrating.merge_players('accounts', 1, 2) > 0 AS merged;
SELECT count(*) FROM skillrating.catch_up('accounts');
SELECT match_id, status, reason, detail FROM accounts.rated_match ORDER BY match_id;
SELECT skillrating.merge_players('accounts', 2, 3) > 0 AS merged_again;
SELECT count(*) FROM skillrating.catch_up('accounts');
SELECT match_id, status, reason, detail FROM accounts.rated_match ORDER BY match_id;
SELECT bool_and(ok) FROM skillrating.verify('accounts');
SELECT skillrating.undo_operation('accounts', operation) FROM accounts.operation WHERE kind = 'exclude' \gset
SELECT count(*) FROM skillrating.catch_up('accounts');
SELECT count(*) FROM accounts.rated_match WHERE status = 'rated';
SELECT bool_and(ok) FROM skillrating.verify('accounts');
SELECT skillrating.drop_ladder('accounts') \gset
