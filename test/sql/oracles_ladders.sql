-- What a ladder says, against a loop over its matches and formulas in SQL.  Each column names the
-- functions that it is about; see test/oracles.sh.
\set ECHO none
\pset format unaligned
CREATE SCHEMA oracles_ladders;
SET search_path = oracles_ladders;
SET extra_float_digits = 1;
SET timezone = 'UTC';
SET client_min_messages = warning;

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION curve(ahead float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + power(10, -ahead / 400)) $$;
\set ECHO all

-- Duels of nine players, a few of them drawn; the stronger ones win more.
\set ECHO none
CREATE TABLE duel AS
SELECT i AS match_id, timestamptz '2024-01-01 00:00 UTC' + i * interval '7 hours' AS played_at, a, b,
    CASE WHEN i % 9 = 0 THEN 0.5 WHEN mod(i * 0.569840291, 1) < 1 / (1 + exp((a - b) / 3.0)) THEN 1 ELSE 0 END::float8 AS score
FROM generate_series(1, 200) AS i, LATERAL (SELECT i * i % 9 AS a, (i * i + 1 + i / 9 % 8) % 9 AS b) AS p;
CREATE FUNCTION elo_by_duel() RETURNS TABLE (match_id int, played_at timestamptz, player int, before float8, after float8, games int, p float8, score float8) LANGUAGE plpgsql AS $$
DECLARE
    d record;
    r float8[] := array_fill(1500::float8, ARRAY[9]);
    n int[] := array_fill(0, ARRAY[9]);
    e float8;
BEGIN
    FOR d IN SELECT * FROM duel ORDER BY duel.match_id LOOP
        e := 1 / (1 + power(10, (r[d.b + 1] - r[d.a + 1]) / 400));
        RETURN QUERY VALUES (d.match_id, d.played_at, d.a, r[d.a + 1], r[d.a + 1] + 32 * (d.score - e), n[d.a + 1], e, d.score),
            (d.match_id, d.played_at, d.b, r[d.b + 1], r[d.b + 1] - 32 * (d.score - e), n[d.b + 1], 1 - e, 1 - d.score);
        r[d.a + 1] := r[d.a + 1] + 32 * (d.score - e);
        r[d.b + 1] := r[d.b + 1] - 32 * (d.score - e);
        n[d.a + 1] := n[d.a + 1] + 1;
        n[d.b + 1] := n[d.b + 1] + 1;
    END LOOP;
END
$$;
CREATE TABLE elo AS SELECT * FROM elo_by_duel();
CREATE VIEW board AS
SELECT e.player, e.after AS rating, s.*, rank() OVER (ORDER BY e.after DESC) AS place
FROM (SELECT DISTINCT ON (player) * FROM elo ORDER BY player, match_id DESC) AS e
JOIN LATERAL (SELECT count(*) AS games, count(*) FILTER (WHERE score = 1) AS wins, count(*) FILTER (WHERE score = 0.5) AS draws, count(*) FILTER (WHERE score = 0) AS losses, max(played_at) AS last_played, max(after) AS peak,
    (SELECT count(*) FROM elo AS l WHERE l.player = e.player AND l.score <> 0.5 AND NOT EXISTS (SELECT FROM elo AS o WHERE o.player = e.player AND o.match_id > l.match_id AND o.score <> l.score)) AS streak FROM elo AS o WHERE o.player = e.player) AS s ON true;

CREATE FUNCTION fill(ladder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I.match (match_id, played_at) SELECT match_id, played_at FROM duel ORDER BY match_id', ladder);
    EXECUTE format('INSERT INTO %I.match_player (match_id, player_id, team, rank, side)
        SELECT match_id, player, team, CASE WHEN score = 0.5 OR (score = 1) = (team = 1) THEN 1 ELSE 2 END, team FROM duel, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team)', ladder);
END
$$;
\set ECHO all
SELECT skillrating.create_ladder('oracle_arena', 'elo', player_type => 'int', match_type => 'int'), skillrating.create_ladder('oracle_space', 'state_space', player_type => 'int', match_type => 'int') \gset
SELECT fill('oracle_arena'), fill('oracle_space') \gset

-- Boards.
SELECT count(*) = 9 AND bool_and(l.place = b.place AND near(l.rating, b.rating) AND l.games = b.games AND l.wins = b.wins AND l.draws = b.draws AND l.losses = b.losses AND l.last_played = b.last_played
    AND near(l.peak, b.peak) AND abs(l.streak) = b.streak AND near(l.percentile, 100 * (9 - b.place) / 8.0)
    AND l.provisional = (l.games < 10)
    AND near(l.last_change, (SELECT after - before FROM elo WHERE player = b.player ORDER BY match_id DESC LIMIT 1))) AS "leaderboard: other implementation"
FROM skillrating.leaderboard('oracle_arena', statistics => '{peak,streak,last_change,percentile}') AS l JOIN board AS b ON b.player::text = l.player_id;
SELECT count(*) = 9 AND bool_and(near(rating, after) AND l.games = e.games + 1) AS "leaderboard: other implementation"
FROM skillrating.leaderboard('oracle_arena', at => '2024-01-31 12:00') AS l JOIN (SELECT DISTINCT ON (player) * FROM elo WHERE played_at <= '2024-01-31 12:00' ORDER BY player, match_id DESC) AS e ON e.player::text = l.player_id;
SELECT bool_and((skillrating.place_of('oracle_arena', player)).place = place) AS "place_of: other implementation", bool_and(near((skillrating.place_of('oracle_arena', player)).percentile, 100 * (9 - place) / 8.0)) AS "place_of: other implementation" FROM board;
SELECT count(*) = 3 AND bool_and(a.place = b.place AND near(a.rating, b.rating) AND a.games = b.games AND a.wins = b.wins AND a.draws = b.draws AND a.losses = b.losses AND near(a.peak, b.peak) AND abs(a.streak) = b.streak
    AND near(a.percentile, 100 * (9 - b.place) / 8.0) AND near(a.last_change, (SELECT after - before FROM elo WHERE player = b.player ORDER BY match_id DESC LIMIT 1)))
    AND array_agg(a.place ORDER BY a.place) = '{3,4,5}' AS "around: other implementation"
FROM skillrating.around('oracle_arena', (SELECT player FROM board WHERE place = 4), 1, statistics => '{peak,streak,last_change,percentile}') AS a JOIN board AS b ON b.player::text = a.player_id;
SELECT count(*) = 400 AND bool_and(near(h.rating_before, e.before) AND near(h.rating_after, e.after) AND near(h.win_probability, e.p) AND h.score = e.score AND h.games_before = e.games AND near((h.state_before->>'rating')::float8, e.before) AND near((h.state_after->>'rating')::float8, e.after)
    AND h.seq = e.match_id AND h.team = CASE WHEN d.a = who THEN 1 ELSE 2 END AND coalesce(h.rest_change, 0) = 0) AS "history: other implementation"
FROM generate_series(0, 8) AS who CROSS JOIN LATERAL skillrating.history('oracle_arena', who) AS h JOIN elo AS e ON e.match_id::text = h.match_id AND e.player = who JOIN duel AS d ON d.match_id = e.match_id;
SELECT bool_and(near(skillrating.rating_at('oracle_arena', player, played_at), after)) AS "rating_at: other implementation" FROM elo WHERE match_id % 10 = 0;
SELECT count(*) = 400 AND bool_and(near(j.rating_before, e.before) AND near(j.rating_after, e.after) AND near(j.rating_change, e.after - e.before) AND near(j.win_probability, e.p) AND j.score = e.score AND j.corrections = 0
    AND j.seq = e.match_id AND j.team = CASE WHEN d.a = e.player THEN 1 ELSE 2 END AND j.rank = CASE WHEN e.score = 0 THEN 2 ELSE 1 END AND coalesce(j.weight, 1) = 1
    AND near((j.state_before->>'rating')::float8, e.before) AND near((j.state_after->>'rating')::float8, e.after)) AS "match_journal: other implementation"
FROM duel AS d, skillrating.match_journal('oracle_arena', d.match_id) AS j JOIN elo AS e ON e.player::text = j.player_id WHERE e.match_id = d.match_id;
SELECT count(*) = 9 AND bool_and(near(s.rating, b.rating) AND s.games = b.games) AS "player_status: other implementation" FROM skillrating.player_status('oracle_arena') AS s JOIN board AS b ON b.player::text = s.player_id;
SELECT count(*) = 9 AND bool_and(s.games = e.games AND near(s.expected, e.expected) AND near(s.scored, e.scored) AND near(s.mean_surprise, (e.scored - e.expected) / e.games) AND near(s.surprise, (e.scored - e.expected) / sqrt(e.variance))) AS "surprising_players: closed form"
FROM skillrating.surprising_players('oracle_arena') AS s JOIN (SELECT player, count(*) AS games, sum(p) AS expected, sum(score) AS scored, sum(p * (1 - p)) AS variance FROM elo GROUP BY player) AS e ON e.player::text = s.player_id;
-- One forecast a match, that of its first team.
WITH month AS (
    SELECT date_trunc('month', played_at, 'UTC') AS period, count(*) AS matches, avg(power(p - d.score, 2)) AS brier, -avg(d.score * ln(p) + (1 - d.score) * ln(1 - p)) AS loss,
        sum((1 - 2 * p) * (d.score - p)) / sqrt(sum(power((1 - 2 * p) * (d.score - p), 2))) AS z
    FROM duel AS d JOIN elo AS e USING (match_id, played_at) WHERE e.player = d.a GROUP BY 1
), player AS (
    SELECT period, count(*) AS active, avg(after) AS mean, stddev_samp(after) AS spread, avg((games >= 9)::int) AS established
    FROM (SELECT DISTINCT ON (player, date_trunc('month', played_at, 'UTC')) *, date_trunc('month', played_at, 'UTC') AS period FROM elo ORDER BY player, date_trunc('month', played_at, 'UTC'), match_id DESC) AS l GROUP BY period
)
SELECT count(*) = 2 AND bool_and(q.matches = m.matches AND near(q.brier_score, brier) AND near(q.log_loss, loss) AND near(calibration_z, z) AND q.active_players = active AND near(mean_rating, mean) AND near(rating_spread, spread) AND near(q.established, p.established)) AS "pool_quality: closed form"
FROM skillrating.pool_quality('oracle_arena') AS q JOIN month AS m USING (period) JOIN player AS p USING (period);

-- Before a match.
CREATE VIEW lobby AS SELECT a, b, p.rating AS ra, q.rating AS rb FROM board AS p JOIN board AS q ON p.player < q.player, LATERAL (SELECT p.player AS a, q.player AS b) AS n;
SELECT bool_and(near(w.win_probability, curve((3 - 2 * w.team) * (ra - rb)))) AS "win_probability: closed form" FROM lobby, skillrating.win_probability('oracle_arena', ARRAY[a, b], '{1,2}') AS w;
SELECT bool_and(near(w.rating, CASE w.team WHEN 1 THEN ra ELSE rb END) AND near(w.win_probability, e) AND near(w.win_change, 32 * (1 - e)) AND near(w.draw_change, 32 * (0.5 - e)) AND near(w.loss_change, -32 * e)) AS "preview: closed form"
FROM lobby, skillrating.preview('oracle_arena', ARRAY[a, b], '{1,2}') AS w, LATERAL (SELECT curve((3 - 2 * w.team) * (ra - rb)) AS e) AS f;
-- The most even opponents first.
SELECT count(*) = 8 AND bool_and(near(o.rating, b.rating) AND o.games = b.games AND near(o.win_probability, curve(me - b.rating)) AND o.n = b.n) AS "find_opponents: brute force"
FROM (SELECT rating AS me FROM board WHERE player = 4) AS m, skillrating.find_opponents('oracle_arena', 4) WITH ORDINALITY AS o(player_id, rating, games, win_probability, why, n)
JOIN (SELECT b.*, row_number() OVER (ORDER BY abs(b.rating - m.rating)) AS n FROM board AS b, (SELECT rating FROM board WHERE player = 4) AS m WHERE player <> 4) AS b ON b.player::text = o.player_id;
-- Of all splits of eight players none is more even.
CREATE VIEW halves AS
SELECT abs(sum(CASE WHEN code >> player & 1 = 1 THEN rating ELSE -rating END)) / 4 AS ahead FROM board, generate_series(0, 255) AS code WHERE player < 8 AND bit_count(code::bit(8)) = 4 GROUP BY code;
SELECT count(*) = 8 AND bool_and(near(l.mu[b.player + 1], b.rating) AND near(s.win_probability, curve((3 - 2 * s.team) * s.difference)) AND near(abs(s.difference), (SELECT min(ahead) FROM halves)))
    AND near(min(s.difference), sum((3 - 2 * s.team) * b.rating) / 4) AS "split_teams: brute force" FROM skillrating.lobby('oracle_arena', '{0,1,2,3,4,5,6,7}'::int[]) AS l, skillrating.split_teams(l) AS s JOIN board AS b ON b.player::text = s.player_id;
SELECT count(*) = 8 AND bool_and(near(e.mu[p + 1], b.rating) AND near(e.state[p + 1], b.rating) AND e.counts_as[p + 1] = p::text AND NOT e.excluded[p + 1] AND e.params = (SELECT params FROM oracle_arena.ladder)) AND bool_and(cardinality(e.state) = 8) AS "lobby: invariant"
FROM skillrating.lobby('oracle_arena', '{0,1,2,3,4,5,6,7}'::int[]) AS e, generate_series(0, 7) AS p JOIN board AS b ON b.player = p;

-- Components and solutions are those of the functions over a history.
CREATE VIEW game AS SELECT match_id, played_at, player, team, CASE WHEN score = 0.5 OR (score = 1) = (team = 1) THEN 1 ELSE 2 END AS rank FROM duel, LATERAL (VALUES (a, 1), (b, 2)) AS p(player, team);
SELECT count(*) = 1 AND bool_and(near(c.mu, f.mu) AND near(c.deviation, f.deviation) AND c.games = 200 AND near(c.state[1], f.mu)) AS "final_components: other implementation"
FROM oracle_space.components AS c,
    (SELECT f.* FROM (SELECT skillrating.final_components('state_space', match_id, player, team, rank, skillrating.inputs(side => team, played_at => played_at), NULL ORDER BY match_id) AS fs FROM game) AS q, unnest(fs) AS f) AS f WHERE f.kind = 'home' AND c.kind = 'home';
SELECT (s).matches = 200 AND (s).players = 9 AND (s).components = 1 AND near((s).log_posterior, (t).log_posterior) AS "solve_ladder: other implementation"
FROM skillrating.solve_ladder('oracle_arena', params => '{"side_deviation": 0}') AS s, (SELECT skillrating.solve_summary('bradley_terry', match_id, player, team, rank, NULL, '{"side_deviation": 0}') AS t FROM game) AS q;

-- Another formula on the same matches, and what the difference is.
SELECT skillrating.shadow_ladder('oracle_arena', 'oracle_rival', 'elo', '{"k": 16}') = (SELECT count(*) FROM duel) AS "shadow_ladder: invariant";
WITH forecast AS (
    SELECT x.match_id, x.win_probability AS p, y.win_probability AS q, x.score, row_number() OVER (ORDER BY x.seq) AS k FROM oracle_arena.event AS x JOIN oracle_rival.event AS y USING (match_id, player_id) JOIN duel AS d ON d.match_id = x.match_id AND d.a = x.player_id
), player AS (
    SELECT rank() OVER (ORDER BY x.rating DESC) AS p, rank() OVER (ORDER BY y.rating DESC) AS q FROM oracle_arena.rating AS x JOIN oracle_rival.rating AS y USING (player_id)
), scored AS (
    SELECT count(*) AS n, avg(power(p - score, 2)) AS brier_a, avg(power(q - score, 2)) AS brier_b, -avg(score * ln(p) + (1 - score) * ln(1 - p)) AS loss_a, -avg(score * ln(q) + (1 - score) * ln(1 - q)) AS loss_b,
        avg(score * ln(p / q) + (1 - score) * ln((1 - p) / (1 - q))) AS loss_difference FROM forecast
), block AS (
    -- Up to 40 blocks of matches, of ten or more each.
    SELECT sum(power(f.q - f.score, 2) - power(f.p - f.score, 2) - (s.brier_b - s.brier_a)) AS brier, sum(f.score * ln(f.p / f.q) + (1 - f.score) * ln((1 - f.p) / (1 - f.q)) - s.loss_difference) AS loss
    FROM forecast AS f, scored AS s GROUP BY (f.k - 1) * least(s.n / 10, 40) / s.n
), error AS (
    SELECT sqrt(sum(power(b.brier, 2)) * count(*) / (count(*) - 1)) AS brier, sqrt(sum(power(b.loss, 2)) * count(*) / (count(*) - 1)) AS loss FROM block AS b
)
SELECT c.matches = n AND near(c.brier_a, s.brier_a) AND near(c.brier_b, s.brier_b) AND near(brier_difference, s.brier_b - s.brier_a) AND near(log_loss_a, loss_a) AND near(log_loss_b, loss_b) AND near(log_loss_difference, loss_b - loss_a)
    AND near(c.brier_error, e.brier / n) AND near(log_loss_error, e.loss / n) AND c.players = 9 AND c.same_top_ten = 9 AND near(rank_correlation, (SELECT corr(p, q) FROM player)) AND near(mean_place_change, (SELECT avg(abs(p - q)) FROM player)) AND max_place_change = (SELECT max(abs(p - q)) FROM player) AS "compare_ladders: closed form"
FROM skillrating.compare_ladders('oracle_arena', 'oracle_rival') AS c, scored AS s, error AS e;

-- Two more matches, reported.
\set ECHO none
CREATE TABLE reported AS SELECT 1 AS n, r.rating_before, r.rating_after, r.win_probability, r.score, r.state_before, r.state_after, r.player_id FROM skillrating.report_match('oracle_arena', 1001, '{0,8}'::int[], '{1,2}', '{2,1}', '2024-06-01') AS r;
INSERT INTO reported SELECT 2, r.rating_before, r.rating_after, r.win_probability, r.score, r.state_before, r.state_after, r.player_id
FROM skillrating.report_match('oracle_arena', 1002, '{3,5}'::int[], '{1,2}', '{1,2}', '2024-06-02') AS r;
CREATE VIEW expected AS
SELECT r.*, near(r.rating_before, me.rating) AND near(r.win_probability, curve(me.rating - other.rating)) AND r.score = won AND near(r.rating_after, me.rating + 32 * (won - curve(me.rating - other.rating)))
    AND near(r.state_before[1], me.rating) AND near(r.state_after[1], r.rating_after) AS right
FROM reported AS r JOIN board AS me ON me.player::text = r.player_id JOIN board AS other ON other.player = CASE me.player WHEN 0 THEN 8 WHEN 8 THEN 0 WHEN 3 THEN 5 ELSE 3 END, LATERAL (SELECT (me.player IN (8, 3))::int AS won) AS w;
\set ECHO all
SELECT count(*) = 4 AND bool_and("right") AS "report_match: closed form" FROM expected;
SELECT skillrating.drop_ladder(l) FROM unnest('{oracle_rival,oracle_arena,oracle_space}'::text[]) AS l;
DROP SCHEMA oracles_ladders CASCADE;
