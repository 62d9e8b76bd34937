-- A gain for each participant: it scales the update of that player, and nobody else's.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE SCHEMA regress_gain;
SET search_path = regress_gain;
\set ECHO all
SELECT skillrating.create_ladder('plain', 'elo'), skillrating.create_ladder('arena', 'elo') \gset
SELECT count(*) FROM skillrating.report_match('plain', 1, '{1,2,3,4}'::bigint[], '{1,1,2,2}', '{1,1,2,2}', '2024-01-01');
SELECT player_id, rating_after - rating_before AS change, win_probability
FROM skillrating.report_match('arena', 1, '{1,2,3,4}'::bigint[], '{1,1,2,2}', '{1,1,2,2}', '2024-01-01', player_gain => '{2,0,NULL,0.25}');
SELECT player_id, games, wins, losses FROM arena.rating ORDER BY player_id;

-- The gain of the match multiplies that of each, and the source has the product.
SELECT player_id, rating_after - rating_before AS change
FROM skillrating.report_match('arena', 2, '{5,6}'::bigint[], '{1,2}', '{1,2}', '2024-01-02', player_gain => '{3,1}', gain => 0.5);
SELECT m.gain AS of_match, p.player_id, p.player_gain, s.player_gain AS in_source
FROM arena.match AS m JOIN arena.match_player AS p USING (match_id) JOIN arena.source AS s USING (match_id, player_id) ORDER BY 2;

-- What a match would bring is what it brings; the predictions do not depend on gains.
SELECT p.player_id, p.win_change, p.win_probability = q.win_probability AS same_prediction, p.win_change = 3 * q.win_change AS three_times
FROM skillrating.preview('arena', '{7,8}'::bigint[], '{1,2}', player_gain => '{3,3}') AS p
JOIN skillrating.preview('arena', '{7,8}'::bigint[], '{1,2}') AS q USING (player_id) ORDER BY 1;
SELECT p.win_change = q.win_change AS same FROM skillrating.preview('arena', '{7,8}'::bigint[], '{1,2}', player_gain => '{3,3}') AS p
JOIN skillrating.preview('arena', '{7,8}'::bigint[], '{1,2}', gain => 3) AS q USING (player_id);

-- The same match again is nothing new, and a gain of 1 is none; another one is a correction.
SELECT digest AS before FROM plain.rated_match \gset
UPDATE plain.match_player SET player_gain = 1;
SELECT digest = :before AS same_digest, (SELECT count(*) FROM plain.correction) AS corrections FROM plain.rated_match;
UPDATE plain.match SET gain = 0.5;
UPDATE plain.match_player SET player_gain = 2;
SELECT digest = :before AS same_digest FROM plain.rated_match;
SELECT count(*) AS changed FROM skillrating.catch_up('plain');
SELECT count(*) AS corrections FROM plain.correction;
SELECT bool_and(ok) FROM skillrating.verify('plain');
SELECT count(*) FROM skillrating.report_match('arena', 1, '{1,2,3,4}'::bigint[], '{1,1,2,2}', '{1,1,2,2}', '2024-01-01', player_gain => '{2,0,1,0.25}');
SELECT count(*) AS corrections FROM arena.correction;
SELECT count(*) FROM skillrating.report_match('arena', 3, '{1,3}'::bigint[], '{1,2}', '{1,2}', '2024-01-03');
UPDATE arena.match_player SET player_gain = 1 WHERE match_id = 1 AND player_id = 1;
SELECT kind, match_id FROM arena.correction;
SELECT bool_and(ok) AS verified FROM skillrating.verify('arena');
SELECT player_id FROM skillrating.catch_up('arena') ORDER BY player_id;
SELECT count(*) AS corrections FROM arena.correction;
SELECT bool_and(ok) AS verified FROM skillrating.verify('arena');
SELECT a.player_id, a.rating_after - a.rating_before AS change FROM arena.event AS a WHERE match_id = 1 ORDER BY 1;

-- Stints: the mean of their gains, weighted by play; and what is no gain.
SELECT player_id, rating_after - rating_before AS change
FROM skillrating.report_match('arena', 10, '{21,21,22}'::bigint[], '{1,1,2}', '{1,1,2}', '2024-01-04', weight => '{0.25,0.75,1}', player_gain => '{2,4,1}');
\set VERBOSITY terse
SELECT skillrating.report_match('arena', 11, '{21,22}'::bigint[], '{1,2}', '{1,2}', player_gain => '{1,-1}');
SELECT skillrating.report_match('arena', 11, '{21,22}'::bigint[], '{1,2}', '{1,2}', player_gain => '{1,NaN}');
SELECT skillrating.report_match('arena', 11, '{21,22}'::bigint[], '{1,2}', '{1,2}', player_gain => '{1,2,3}');
SELECT skillrating.preview('arena', '{21,22}'::bigint[], '{1,2}', player_gain => '{1,Infinity}');
INSERT INTO arena.match (match_id) VALUES (11);
INSERT INTO arena.match_player (match_id, player_id, team, rank, player_gain) VALUES (11, 21, 1, 1, 'Infinity'), (11, 22, 2, 2, NULL);
SELECT * FROM skillrating.match_outcome('arena', 11);

-- Rows of a query may have gains that differ in a match, as those of a source.  Gains of 1 are as
-- none, and gains of 0 leave the initial state.
\set ECHO none
CREATE TABLE game AS
SELECT m AS match_id, (m * 5 + p * 3 + p * p) % 17 AS player_id, p % 2 AS team, (m + p % 2) % 2 + 1 AS rank, (0.5 + p / 4.0) / 2 AS weight,
    (m * 3 + p) % 7 / 2.0 AS gain
FROM generate_series(1, 120) AS m, generate_series(0, 3) AS p;
CREATE FUNCTION compare(model text, OUT with_gains bool, OUT one bigint, OUT zero bigint, OUT final bool) LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE (r).state_after IS DISTINCT FROM (none).state_after) > 100, count(*) FILTER (WHERE one IS DISTINCT FROM none),
        count(*) FILTER (WHERE (zero).state_after IS DISTINCT FROM skillrating.initial_state(model)),
        (SELECT array_agg(f.state ORDER BY f.player_id) FROM unnest((
            SELECT skillrating.final_ratings(model, match_id, player_id, team, rank, skillrating.inputs(weight, player_gain => gain), '{}' ORDER BY match_id) FROM game)) AS f)
        = (SELECT array_agg((r).state_after ORDER BY player_id::text) FROM (
            SELECT DISTINCT ON (player_id) player_id, skillrating.rate(model, player_id, team, rank, weight, player_gain => gain) OVER (ORDER BY match_id) AS r, match_id
            FROM game ORDER BY player_id, match_id DESC) AS l)
    FROM (
        SELECT skillrating.rate(model, player_id, team, rank, weight, player_gain => gain) OVER (ORDER BY match_id) AS r,
            skillrating.rate(model, player_id, team, rank, weight, player_gain => 1) OVER (ORDER BY match_id) AS one,
            skillrating.rate(model, player_id, team, rank, weight, player_gain => 0) OVER (ORDER BY match_id) AS zero,
            skillrating.rate(model, player_id, team, rank, weight) OVER (ORDER BY match_id) AS none
        FROM game) AS q
$$;
\set ECHO all
SELECT string_agg(name, ' ' ORDER BY name), c FROM skillrating.models(), compare(name) AS c GROUP BY c;

-- tune() rates with the gains, too.
SELECT (t).matches, abs((t).log_loss - s.log_loss) < 1e-12 AS same, abs((t).log_loss - s.without) > 1e-4 AS not_without
FROM (SELECT skillrating.tune('elo', match_id, player_id, team, rank, skillrating.inputs(player_gain => gain),
        '{"fit": ["k"], "burn_in": 0, "holdout": 0, "max_evaluations": 20, "bounds": {"k": [0.32, 3200]}}' ORDER BY match_id) AS t FROM game) AS q, LATERAL (
    SELECT skillrating.log_loss((r).win_probability, (r).score) AS log_loss, skillrating.log_loss((none).win_probability, (none).score) AS without
    FROM (SELECT skillrating.rate('elo', player_id, team, rank, player_gain => gain, options => (t).params) OVER (ORDER BY match_id) AS r,
            skillrating.rate('elo', player_id, team, rank, options => (t).params) OVER (ORDER BY match_id) AS none FROM game) AS g) AS s;

-- To solvers, whose likelihood belongs to all players, a match has the mean of its gains.
\set ECHO none
CREATE FUNCTION solved(solver text, OUT many bool, OUT same_as_mean bool, OUT other_than_none bool) LANGUAGE plpgsql AS $$
DECLARE
    s record;
BEGIN
    SELECT skillrating.solve(solver, match_id, player_id, team, rank, skillrating.inputs(weight, played_at => at, player_gain => gain), '{}' ORDER BY match_id) AS given,
        skillrating.solve(solver, match_id, player_id, team, rank, skillrating.inputs(weight, played_at => at, player_gain => mean), '{}' ORDER BY match_id) AS mean,
        skillrating.solve(solver, match_id, player_id, team, rank, skillrating.inputs(weight, played_at => at), '{}' ORDER BY match_id) AS none
    INTO s FROM (SELECT *, '2024-01-01'::timestamptz + match_id * interval '1 day' AS at, sum(weight * gain) OVER w / sum(weight) OVER w AS mean
        FROM game WINDOW w AS (PARTITION BY match_id)) AS g;
    SELECT count(*) > 10, bool_and(abs(g.mu - m.mu) < 1e-6), bool_or(abs(g.mu - n.mu) > 1e-3) INTO many, same_as_mean, other_than_none
    FROM unnest(s.given) WITH ORDINALITY AS g JOIN unnest(s.mean) WITH ORDINALITY AS m USING (ordinality, player_id)
    JOIN unnest(s.none) WITH ORDINALITY AS n USING (ordinality, player_id);
END $$;
\set ECHO all
SELECT name, (solved(name)).* FROM skillrating.solvers();

SELECT skillrating.drop_ladder('plain'), skillrating.drop_ladder('arena') \gset
SET client_min_messages = warning;
DROP SCHEMA regress_gain CASCADE;
