-- Teams, by all splits, swaps, transfers and places that there are.  Each column names the
-- functions that it is about; see test/oracles.sh.
\set ECHO none
\pset format unaligned
CREATE SCHEMA oracles_teams;
SET search_path = oracles_teams;
SET extra_float_digits = 1;

CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT abs(a - b) <= 1e-9 * greatest(1, abs(b)) $$;
CREATE FUNCTION sigmoid(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT 1 / (1 + exp(-x)) $$;
\set ECHO all

-- Twelve lobbies of seven or eight, and what the mean of team 1 is ahead, where players with their bit in a are in
-- team 1, those with their bit in b in team 2, and others on the bench.
\set ECHO none
CREATE TABLE lobby AS
SELECT lobby, array_agg(i ORDER BY i) AS players, array_agg(1000 + (hashint8extended(i, lobby) & 1023)::float8 / 8 ORDER BY i) AS mu, array_agg(1 + (i > 4)::int ORDER BY i) AS team, count(*)::int AS n
FROM generate_series(1, 12) AS lobby, generate_series(1, 8 - lobby % 2) AS i GROUP BY lobby;
CREATE FUNCTION ahead(mu float8[], a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT avg(m) FILTER (WHERE a >> (i::int - 1) & 1 = 1) - avg(m) FILTER (WHERE b >> (i::int - 1) & 1 = 1) FROM unnest(mu) WITH ORDINALITY AS u(m, i)
$$;
CREATE TABLE split AS
SELECT lobby, a, b, bit_count(a::bit(8)) AS na, bit_count(b::bit(8)) AS nb, ahead(mu, a, b) AS d
FROM lobby, generate_series(1, 255) AS a, generate_series(1, 255) AS b
WHERE a & b = 0 AND a | b < 1 << n AND bit_count(a::bit(8)) = bit_count(b::bit(8)) OR a & b = 0 AND a | b = (1 << n) - 1 AND abs(bit_count(a::bit(8)) - bit_count(b::bit(8))) = 1;
\set ECHO all
-- The code of a team of a function's result.
CREATE FUNCTION bit_of(players int[], player int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 1 << (array_position(players, player) - 1) $$;

-- No split is better than the one found, which is as far ahead as it says, with the probability of Elo's curve.
CREATE TABLE found AS
SELECT lobby, mu, sum(bit_of(players, s.player_id::int)) FILTER (WHERE s.team = 1)::int AS a, sum(bit_of(players, s.player_id::int)) FILTER (WHERE s.team = 2)::int AS b,
    min(difference) AS d, max(difference) AS most, min(win_probability) FILTER (WHERE s.team = 1) AS p, min(win_probability) FILTER (WHERE s.team = 2) AS q, bool_and(exact) AS exact
FROM lobby, skillrating.split_teams(players, mu) AS s GROUP BY lobby, mu;
SELECT count(*) = 12 AND bool_and(d = most AND near(d, ahead(mu, a, b)) AND near(p, sigmoid(d * ln(10) / 400)) AND near(q, 1 - p) AND exact
    AND near(abs(d), (SELECT min(abs(s.d)) FROM split AS s WHERE s.lobby = f.lobby AND s.a | s.b = f.a | f.b))) AS "split_teams: brute force" FROM found AS f;
CREATE TABLE of_size AS
SELECT lobby, mu, s.team_size, sum(bit_of(players, s.player_id::int)) FILTER (WHERE s.team = 1)::int AS a, sum(bit_of(players, s.player_id::int)) FILTER (WHERE s.team = 2)::int AS b, min(difference) AS d, min(win_probability) FILTER (WHERE s.team = 1) AS p
FROM lobby, skillrating.split_all_sizes(skillrating.lobby(players::text[], mu)) AS s GROUP BY lobby, mu, s.team_size;
SELECT count(*) = 30 AND bool_and(team_size = bit_count(a::bit(8)) AND near(d, ahead(mu, a, b)) AND near(p, sigmoid(d * ln(10) / 400))
    AND near(abs(d), (SELECT min(abs(s.d)) FROM split AS s WHERE s.lobby = f.lobby AND s.na = team_size AND s.nb = team_size))) AS "split_all_sizes: brute force" FROM of_size AS f;
-- Of more than two teams the sum of squares is the least there is.
SELECT bool_and(near(squares, least)) AS "split_teams: brute force"
FROM (SELECT lobby, mu[1:6] AS mu, sum(power(strength - mean, 2)) AS squares FROM (SELECT lobby, mu, s.team, avg(mu[player_id]) AS strength, (SELECT avg(m) FROM unnest(mu[1:6]) AS m) AS mean
        FROM lobby, skillrating.split_teams(players[1:6], mu[1:6], teams => 3) AS s GROUP BY lobby, mu, s.team) AS t GROUP BY lobby, mu) AS f,
    LATERAL (SELECT min(power((mu[1] + mu[a]) / 2 - mean, 2) + power((mu[b] + mu[c]) / 2 - mean, 2) + power((mu[d] + mu[e]) / 2 - mean, 2)) AS least
        FROM (SELECT avg(m) AS mean FROM unnest(mu) AS m) AS m, generate_series(2, 6) AS a, generate_series(2, 6) AS b, generate_series(2, 6) AS c, generate_series(2, 6) AS d, generate_series(2, 6) AS e
        WHERE b < c AND b < d AND d < e AND cardinality(ARRAY(SELECT DISTINCT unnest(ARRAY[a, b, c, d, e]))) = 5) AS l;

-- Swaps: each number has the best there is, and is there if fewer are worse.
WITH every AS (
    SELECT lobby, na - bit_count((a & 15)::bit(8)) AS swaps, min(abs(d)) AS d FROM split WHERE lobby % 2 = 0 AND na = 4 GROUP BY lobby, na - bit_count((a & 15)::bit(8))
), frontier AS (
    SELECT lobby, swaps, d FROM (SELECT *, min(d) OVER (PARTITION BY lobby ORDER BY swaps ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS fewer FROM every) AS e WHERE fewer IS NULL OR d < fewer - 1e-9
), suggested AS (
    SELECT lobby, s.swaps, abs(min(s.difference)) AS d, bool_and(near(s.win_probability, sigmoid(s.difference * ln(10) / 400))) AS curve,
        bool_and(near(s.difference, d)) AS said
    FROM (SELECT l.lobby, s.*, (SELECT (sum(mu[i]) FILTER (WHERE i <= 4) - sum(mu[i]) FILTER (WHERE i > 4)) / 4 FROM generate_series(1, 8) AS i) + sum(mu[player_id_b::int] - mu[player_id_a::int]) OVER (PARTITION BY l.lobby, s.swaps) / 2 AS d
        FROM lobby AS l, skillrating.suggest_swaps(skillrating.lobby(players::text[], mu, current => team)) AS s WHERE l.lobby % 2 = 0) AS s WHERE s.swaps > 0 GROUP BY lobby, s.swaps
)
SELECT count(*) = 9 AND bool_and(near(s.d, f.d) AND curve AND said) AS "suggest_swaps: brute force" FROM (SELECT * FROM frontier WHERE swaps > 0) AS f FULL JOIN suggested AS s USING (lobby, swaps);
-- Transfers out of a team of six against two: of the pairs that leave, and places of a joiner.
SELECT count(*) = 6 AND bool_and(moved = 2 AND near(d, least) AND curve) AS "suggest_transfers: brute force"
FROM (SELECT lobby, count(*) AS moved, abs(min(s.difference)) AS d, bool_and(near(s.win_probability, sigmoid(s.difference * ln(10) / 400)) AND from_team = 1 AND to_team = 2) AS curve
    FROM lobby, skillrating.suggest_transfers(skillrating.lobby(players::text[], mu, current => '{1,1,1,1,1,1,2,2}'), max_lead => 0) AS s WHERE lobby % 2 = 0 GROUP BY lobby) AS f
JOIN (SELECT lobby, min(abs(d)) AS least FROM split WHERE lobby % 2 = 0 AND na = 4 AND b & 192 = 192 AND a | b = 255 GROUP BY lobby) AS e USING (lobby);
SELECT count(*) = 6 AND bool_and(near(s.difference, d) AND near(s.win_probability, sigmoid(d * ln(10) / 400)) AND s.player_id = '8' AND abs(d) <= abs(other) + 1e-9) AS "place_joiner: brute force"
FROM (SELECT * FROM lobby WHERE lobby % 2 = 0) AS l, skillrating.place_joiner(skillrating.lobby(players::text[], mu, current => '{1,1,1,2,2,2,1,NULL}'), max_lead => 2) AS s,
    LATERAL (SELECT CASE s.team WHEN 1 THEN ahead(mu, 71 + 128, 56) ELSE ahead(mu, 71, 56 + 128) END AS d, CASE s.team WHEN 2 THEN ahead(mu, 71 + 128, 56) ELSE ahead(mu, 71, 56 + 128) END AS other) AS e;

-- A queue of duels: the nearest to whoever has waited longest, as long as two are left in the window of 200.
\set ECHO none
CREATE FUNCTION pair_by_pair(mu float8[], waited float8[]) RETURNS TABLE (n int, player int, other int) LANGUAGE plpgsql AS $$
DECLARE
    waiting int[] := ARRAY(SELECT i FROM generate_subscripts(mu, 1) AS i ORDER BY waited[i] DESC);
    rest int[];
BEGIN
    n := 0;
    WHILE cardinality(waiting) > 0 LOOP
        player := waiting[1];
        waiting := waiting[2:];
        SELECT w INTO other FROM unnest(waiting) AS w WHERE abs(mu[w] - mu[player]) <= 200 ORDER BY abs(mu[w] - mu[player]) LIMIT 1;
        IF FOUND THEN
            waiting := array_remove(waiting, other);
            n := n + 1;
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
CREATE VIEW waiting AS
SELECT array_agg(i ORDER BY i) AS players, array_agg(1000 + (hashint4(i) & 1023)::float8 ORDER BY i) AS mu, array_agg((hashint4(i + 77) & 4095)::float8 ORDER BY i) AS waited FROM generate_series(1, 60) AS i;
\set ECHO all
SELECT count(*) > 20 AND bool_and(q.both = ARRAY[least(p.player, p.other), greatest(p.player, p.other)] AND near(q.quality, 2 * sigmoid(-abs(x.mu[p.player] - x.mu[p.other]) * ln(10) / 400)) AND near(abs(q.difference), abs(x.mu[p.player] - x.mu[p.other])) AND near(p1, sigmoid(q.difference * ln(10) / 400))) AS "pair_queue: brute force"
FROM waiting AS x, LATERAL (SELECT match_number, array_agg(player_id::int ORDER BY player_id::int) AS both, min(quality) AS quality, min(difference) AS difference, min(win_probability) FILTER (WHERE team = 1) AS p1
        FROM skillrating.pair_queue(skillrating.lobby(players::text[], mu), waited => waited, initial_window => 200, widening => 0) GROUP BY match_number) AS q
    FULL JOIN LATERAL (SELECT * FROM waiting AS w, pair_by_pair(w.mu, w.waited)) AS p ON p.n = q.match_number;
SET client_min_messages = warning;
DROP SCHEMA oracles_teams CASCADE;
