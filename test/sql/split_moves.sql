-- Existing teams: suggest_swaps(), suggest_transfers(), place_joiner(), scramble_due().
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
\set SHOW_CONTEXT never

-- Four against four, and all swaps there are of them, by brute force.
\set ECHO none
CREATE TABLE move_players AS SELECT i, 'p' || i AS player, 1000.0 + (hashint4(i) & 1023) AS rating, 1000.0 + (hashint4(i + 50) & 1023) AS other, 1 + (i - 1) / 4 AS team FROM generate_series(1, 8) AS i;
CREATE VIEW move_arrays AS SELECT array_agg(player ORDER BY i) AS players, array_agg(rating::float8 ORDER BY i) AS rating, array_agg(other::float8 ORDER BY i) AS other, array_agg(team ORDER BY i) AS team FROM move_players;
CREATE VIEW move_swaps AS
SELECT a, b, bit_count(a::bit(4)) AS swaps, (SELECT sum(CASE WHEN (team = 1) = ((CASE team WHEN 1 THEN a ELSE b END >> (i - 1) % 4 & 1) = 0) THEN rating ELSE -other END) / 4 FROM move_players) AS difference
FROM generate_series(0, 15) AS a, generate_series(0, 15) AS b WHERE bit_count(a::bit(4)) = bit_count(b::bit(4));
\set ECHO all
-- Each number of swaps has the best there is, if it is better than fewer.
WITH best AS (SELECT swaps, min(abs(difference)) AS difference FROM move_swaps GROUP BY swaps),
    frontier AS (SELECT swaps, difference FROM (SELECT swaps, difference, min(difference) OVER (ORDER BY swaps ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS fewer FROM best) AS b WHERE difference < fewer OR fewer IS NULL),
    suggested AS (SELECT swaps, abs(max(s.difference)) AS difference, count(*) FILTER (WHERE player_id_a IS NOT NULL) AS pairs FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, mu_2 => other)) AS s GROUP BY swaps)
SELECT swaps, round(f.difference::numeric, 6) AS best, round(s.difference::numeric, 6) AS suggested, pairs FROM frontier AS f FULL JOIN suggested AS s USING (swaps) ORDER BY swaps;
SELECT swaps, player_id_a, player_id_b, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, mu_2 => other)) AS s;
-- The document's way takes the best pair first, and may end farther off.
SELECT swaps, player_id_a, player_id_b, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, mu_2 => other), method => 'greedy') AS s;
SELECT max(swaps), count(*) FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, mu_2 => other), max_swaps => 1);
-- Parties move together, and some players not at all.
SELECT swaps, player_id_a, player_id_b, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, mu_2 => other, party => '{NULL,NULL,1,1,2,2,NULL,NULL}', locked => '{1,NULL,NULL,NULL,NULL,NULL,NULL,NULL}')) AS s;
-- Who has no team comes first.
SELECT swaps, player_id_a, player_id_b, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => '{1,1,1,NULL,2,2,NULL,2}')) AS s;
SELECT player_id, s.team, round(s.difference::numeric, 6) AS difference, round(win_probability::numeric, 6) AS p, exact FROM move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => '{1,1,1,NULL,2,2,NULL,2}')) AS s;
SELECT player_id, s.team, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => '{1,1,1,1,1,2,NULL,2}')) AS s;
SELECT player_id, s.team, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => '{1,1,1,2,2,2,2,NULL}', party => '{7,NULL,NULL,NULL,NULL,NULL,NULL,7}'), max_lead => 2) AS s;

-- Transfers: those of the larger team who leave the smallest difference, all pairs considered, with the sign.
WITH t AS (SELECT player_id, from_team, to_team, s.difference FROM move_arrays, skillrating.suggest_transfers(skillrating.lobby(players::text[], rating, current => '{1,1,1,1,1,1,2,2}', strength => 'sum')) AS s),
    every AS (SELECT a.player AS a, b.player AS b, (SELECT sum(CASE WHEN i < 7 AND i NOT IN (a.i, b.i) THEN rating ELSE -rating END) FROM move_players) AS difference FROM move_players AS a, move_players AS b WHERE a.i < b.i AND b.i < 7)
SELECT string_agg(player_id || ' ' || from_team || ' ' || to_team, ', ') AS transfers, max(t.difference) AS difference, (SELECT min(abs(difference)) FROM every) AS best FROM t;
-- A lead of one stays, also with swaps allowed; max_lead => 0 cannot undo that of an odd number.
SELECT player_id, from_team, to_team, round(s.difference::numeric, 6) AS difference, round(win_probability::numeric, 6) AS p, exact FROM move_arrays, skillrating.suggest_transfers(skillrating.lobby(players::text[], rating, current => '{1,1,2,2,1,2,2,2}', strength => 'sum')) AS s;
SELECT player_id, from_team, to_team FROM skillrating.suggest_transfers(skillrating.lobby('{a,b,c}'::text[], '{1500,1500,3000}', current => '{1,1,2}', strength => 'sum'));
SELECT player_id, from_team, to_team, difference FROM skillrating.suggest_transfers(skillrating.lobby('{a,b,c,d}'::text[], '{1500,1600,1550,1390}', current => '{1,1,2,2}', strength => 'sum'), max_swaps => 1);
SELECT max_lead, count(s.player_id) AS moved, max(s.from_team) AS of_team FROM generate_series(0, 1) AS max_lead LEFT JOIN LATERAL skillrating.suggest_transfers(skillrating.lobby('{a,b,c}'::text[], '{1500,1500,3000}', current => '{1,1,2}'), max_swaps => 1, max_lead => max_lead) AS s ON true GROUP BY max_lead ORDER BY 1;
-- From any lead that is too large the fewest players move, those who leave the match most even: by brute force, with both sums.
CREATE TABLE transfer_lobby AS
SELECT lobby, n, larger, lead, max_lead, strength, (SELECT array_agg(i ORDER BY i) FROM generate_series(1, n) AS i) AS players, (SELECT array_agg((hashint8extended(i, lobby) & 1023)::float8 ORDER BY i) FROM generate_series(1, n) AS i) AS mu,
    (SELECT array_agg((CASE WHEN i <= (n + lead) / 2 THEN larger ELSE 3 - larger END)::int ORDER BY i) FROM generate_series(1, n) AS i) AS team
FROM (SELECT row_number() OVER () AS lobby, 8 - lead % 2 AS n, lead, max_lead, strength, 1 + again % 2 AS larger FROM (VALUES (0), (1), (2), (3), (4), (5), (7)) AS v(lead), generate_series(0, 3) AS max_lead, unnest('{mean,sum}'::text[]) AS strength, generate_series(1, 4) AS again) AS q;
WITH after_moves AS (
    SELECT l.lobby, code, bit_count(code::bit(8)) AS moved, sum(CASE WHEN now = 1 THEN 1 ELSE -1 END) AS lead_after,
        CASE max(strength) WHEN 'sum' THEN sum(CASE WHEN now = 1 THEN mu[i] ELSE -mu[i] END) ELSE avg(mu[i]) FILTER (WHERE now = 1) - avg(mu[i]) FILTER (WHERE now = 2) END AS difference
    FROM transfer_lobby AS l, generate_series(0, 255) AS code, generate_series(1, n) AS i, LATERAL (SELECT CASE WHEN code >> (i - 1) & 1 = 1 THEN 3 - team[i] ELSE team[i] END AS now) AS t
    WHERE code < (1 << n) AND NOT EXISTS (SELECT FROM generate_series(1, n) AS j WHERE code >> (j - 1) & 1 = 1 AND team[j] <> larger) GROUP BY l.lobby, code
), best AS (
    SELECT DISTINCT ON (l.lobby) l.lobby, moved, difference FROM transfer_lobby AS l JOIN after_moves USING (lobby) WHERE abs(lead_after) <= greatest(max_lead, n % 2) ORDER BY l.lobby, moved, abs(difference)
), suggested AS (
    SELECT lobby, count(s.player_id) AS moved, max(abs(s.difference)) AS difference, coalesce(bool_and(s.exact AND s.from_team = larger AND s.to_team = 3 - larger), true) AS sound
    FROM transfer_lobby LEFT JOIN LATERAL skillrating.suggest_transfers(skillrating.lobby(players::text[], mu, current => team, strength => strength), max_lead => max_lead) AS s ON true GROUP BY lobby
)
SELECT lead, max_lead, count(*) AS lobbies, max(s.moved) AS moved, bool_and(s.moved = b.moved AND s.sound AND (s.moved = 0 OR abs(s.difference - abs(b.difference)) < 1e-9)) AS as_best
FROM transfer_lobby JOIN suggested AS s USING (lobby) JOIN best AS b USING (lobby) GROUP BY lead, max_lead ORDER BY lead, max_lead;
DROP TABLE transfer_lobby;
-- More than the fewest move where a party leaves no other way.
SELECT player_id, from_team FROM skillrating.suggest_transfers(skillrating.lobby('{a,b,c,d,e}'::text[], '{1,2,3,4,5}', current => '{1,1,1,1,2}', party => '{1,1,2,2,NULL}'));
-- The document moves the strong player of the larger team, though it is the weaker one.
SELECT player_id, difference FROM skillrating.suggest_transfers(skillrating.lobby('{a,b,c,d}'::text[], '{500,300,200,2000}', current => '{1,1,1,2}', strength => 'sum'));

-- Pairs who avoid each other: among all swaps that do not bring a pair together, the best of each number.
WITH pairs(x, y) AS (VALUES (1, 5), (2, 6)),
    allowed AS (SELECT s.* FROM move_swaps AS s WHERE NOT EXISTS (SELECT FROM pairs WHERE (s.a >> (x - 1) & 1) <> (s.b >> (y - 5) & 1))),
    best AS (SELECT swaps, min(abs(difference)) AS difference FROM allowed GROUP BY swaps),
    frontier AS (SELECT swaps, difference FROM (SELECT swaps, difference, min(difference) OVER (ORDER BY swaps ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS fewer FROM best) AS b WHERE difference < fewer OR fewer IS NULL),
    suggested AS (SELECT swaps, abs(max(s.difference)) AS difference FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, mu_2 => other, avoid => '{{p1,p5},{p2,p6}}')) AS s GROUP BY swaps)
SELECT swaps, round(f.difference::numeric, 6) AS best, round(s.difference::numeric, 6) AS suggested FROM frontier AS f FULL JOIN suggested AS s USING (swaps) ORDER BY swaps;
-- A pair that is in one team already may stay there.
SELECT count(*) FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, avoid => '{{p1,p2},{p3,p4}}')) WHERE swaps = 0;
SELECT swaps, why -> 'constraint' ->> 'if' AS without FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, mu_2 => other, avoid => '{{p1,p8}}'), explain => true) WHERE why IS NOT NULL;
-- Rows of one number of swaps come in the order of the players, whatever the seed.
SELECT bool_and(sorted) FROM (SELECT array_agg(array_position(p, player_id_a::int) ORDER BY n) = array_agg(array_position(p, player_id_a::int) ORDER BY array_position(p, player_id_a::int)) AS sorted
    FROM generate_series(1, 5) AS seed, (SELECT array_agg(i ORDER BY hashint4(i)) AS p, array_agg(hashint4(i + 7)::float8 / 1e6 ORDER BY hashint4(i)) AS r, array_agg(1 + i % 2 ORDER BY hashint4(i)) AS t FROM generate_series(1, 14) AS i) AS a,
        skillrating.suggest_swaps(skillrating.lobby(p::text[], r, current => t), seed => seed) WITH ORDINALITY AS s(swaps, player_id_a, player_id_b, difference, win_probability, exact, bound, why, n) WHERE player_id_a IS NOT NULL GROUP BY seed, swaps) AS q;
-- Who moves, and who is placed, too.
SELECT bool_and(sorted) FROM (SELECT array_agg(player_id ORDER BY n) = array_agg(player_id ORDER BY array_position(p, player_id::int)) AS sorted
    FROM generate_series(1, 5) AS seed, (SELECT array_agg(i ORDER BY hashint4(i)) AS p, array_agg(hashint4(i + 7)::float8 / 1e6 ORDER BY hashint4(i)) AS r FROM generate_series(1, 14) AS i) AS a,
        LATERAL (SELECT 1, player_id, n FROM skillrating.suggest_transfers(skillrating.lobby(p::text[], r, current => array_fill(1, '{14}')), seed => seed) WITH ORDINALITY AS s(player_id, from_team, to_team, difference, win_probability, exact, bound, why, n)
            UNION ALL SELECT 2, player_id, n FROM skillrating.place_joiner(skillrating.lobby(p::text[], r, current => array_fill(NULL::int, '{14}')), seed => seed) WITH ORDINALITY AS s(player_id, team, difference, win_probability, exact, bound, why, n)) AS m(kind, player_id, n) GROUP BY seed, kind, p) AS q;
-- A player without a team is placed where locked says, and apart from whom they avoid.
SELECT player_id, s.team, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => '{1,1,1,NULL,2,2,NULL,2}', locked => '{NULL,NULL,NULL,2,NULL,NULL,1,NULL}')) AS s;
SELECT player_id, s.team, round(s.difference::numeric, 6) AS difference FROM move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => '{1,1,1,NULL,2,2,NULL,2}', avoid => '{{p4,p1},{p7,p8},{p1,p2}}')) AS s;
SELECT swaps, player_id_a, player_id_b FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => '{1,1,1,NULL,2,2,NULL,2}', locked => '{1,NULL,NULL,2,NULL,NULL,1,NULL}'), max_swaps => 0);
SELECT t AS lock, player_id, s.team, why -> 'constraint' ->> 'if' AS without FROM unnest('{1,2}'::int[]) AS t, move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => '{1,1,NULL,NULL,2,2,NULL,2}', locked => ARRAY[1, NULL, NULL, t, NULL, NULL, NULL, NULL]), explain => true) AS s;

-- What is refused.
SELECT * FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => '{1,1,1,1,1,2,3,2}'));
SELECT * FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team), max_swaps => -1);
SELECT * FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team), method => 'best');
SELECT * FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => '{1,2}'));
SELECT * FROM move_arrays, skillrating.suggest_transfers(skillrating.lobby(players::text[], rating, current => '{1,1,1,1,1,1,1,NULL}'));
SELECT * FROM move_arrays, skillrating.suggest_transfers(skillrating.lobby(players::text[], rating, current => '{1,1,1,1,1,1,2,2}', locked => '{1,1,1,1,1,NULL,NULL,NULL}'));
SELECT * FROM move_arrays, skillrating.suggest_transfers(skillrating.lobby(players::text[], rating, current => team), max_swaps => -1);
SELECT * FROM move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => team), max_lead => -1);
SELECT * FROM move_arrays, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team, locked => '{2,NULL,NULL,NULL,NULL,NULL,NULL,NULL}'));
SELECT * FROM move_arrays, skillrating.suggest_transfers(skillrating.lobby(players::text[], rating, current => team, locked => '{0,NULL,NULL,NULL,NULL,NULL,NULL,NULL}'));
SELECT * FROM move_arrays, skillrating.place_joiner(skillrating.lobby(players::text[], rating, current => '{1,1,1,NULL,2,2,NULL,2}', party => '{1,NULL,NULL,1,NULL,NULL,NULL,NULL}', avoid => '{{p1,p4}}'));
SELECT count(*) FROM (SELECT array_agg(i) AS p, array_agg(1.0::float8) AS r, array_agg(1 + i % 2) AS t, array_agg(ARRAY[i, i % 40 + 1]::text[]) AS v FROM generate_series(1, 40) AS i) AS a, skillrating.suggest_swaps(skillrating.lobby(p::text[], r, current => t, avoid => v));
SELECT count(*) FROM skillrating.suggest_swaps(skillrating.lobby(NULL::text[], NULL::float8[], current => NULL)), skillrating.suggest_transfers(skillrating.lobby('{}'::text[], '{}', current => '{}')), skillrating.place_joiner(skillrating.lobby('{1}'::text[], '{1}', current => NULL));

-- By a model with a handicap, too, swaps of any number reach what it finds fairest of all splits.
SELECT model, count(*) AS lobbies, bool_and(abs(swapped - split) < 1e-9) AS as_split, bool_and(exact) AS exact
FROM unnest('{trueskill,glicko2,weng_lin,elo}'::text[]) AS model, unnest('{-1.5,0,0.5}'::float8[]) AS handicap, generate_series(1, 4) AS seed,
    LATERAL (SELECT array_agg(i::text ORDER BY i) AS p, array_agg(1500 + (hashint8extended(i, seed) & 1023)::float8 ORDER BY i) AS r, array_agg(1 + i % 2 ORDER BY i) AS t FROM generate_series(1, 10) AS i) AS a,
    LATERAL (SELECT min(abs(win_probability - 0.5)) AS swapped, bool_and(s.exact) AS exact FROM skillrating.suggest_swaps(skillrating.lobby(p, r, current => t, model => model, log_odds => handicap)) AS s) AS s,
    LATERAL (SELECT min(abs(win_probability - 0.5)) AS split FROM skillrating.split_teams(skillrating.lobby(p, r, model => model, log_odds => handicap))) AS o GROUP BY model ORDER BY model;

-- Where the work does not suffice for all numbers of swaps, the last suggestion is not proven, as more swaps might do more.
SELECT budget, max(swaps) AS swaps, min(difference) AS difference, string_agg(DISTINCT swaps::text, ' ') FILTER (WHERE NOT exact) AS unproven
FROM (SELECT array_agg(i) AS p, array_agg((i <= 31)::int::float8) AS r, array_agg(1 + i / 31) AS t FROM generate_series(1, 60) AS i) AS a, unnest('{0.1,1000}'::float8[]) AS budget, skillrating.suggest_swaps(skillrating.lobby(p::text[], r, current => t, strength => 'sum'), budget => budget) GROUP BY budget ORDER BY budget;

-- When to scramble.
SELECT mode, winner, c1, c2, scrambled, due, reason FROM (VALUES
    ('arena', '{1}'::int[], NULL::int[], NULL::int[], 0), ('arena', '{1,2}', NULL, NULL, 1), ('arena', '{2,1,1,1}', NULL, NULL, 1), ('arena', '{1,1,1,1}', NULL, NULL, 2), ('arena', '{1,1,NULL}', NULL, NULL, 0), ('arena', '{NULL,NULL,NULL}', NULL, NULL, 0), ('arena', '{}', NULL, NULL, 0),
    ('payload', '{2}', '{0}', '{0}', 0), ('payload', '{2}', '{1}', '{0}', 0), ('attack_defend', '{1,2}', '{1,2}', '{0,0}', 0), ('attack_defend', '{1,2}', '{1,2}', '{0,0}', 1), ('payload', '{1,2}', NULL, NULL, 0),
    ('koth', '{1}', '{1}', '{0}', 0), ('koth', '{1}', '{1}', '{1}', 0), ('ctf', '{2}', '{0}', '{3}', 0), ('5cp', '{NULL}', '{0}', '{0}', 0)) AS v(mode, winner, c1, c2, scrambled), skillrating.scramble_due(mode, winner, c1, c2, scrambled) AS s;
SELECT * FROM skillrating.scramble_due('arena', '{2,2}', scrambled => 0, streak => 2);
SELECT * FROM skillrating.scramble_due('koth', '{}', waiting_over => true);
-- Sessions of 20 rounds, with the bookkeeping that the comment asks for: what the rules of the source come to.
\set ECHO none
CREATE FUNCTION scrambles_of(mode text, winners int[], captured_1 int[], captured_2 int[]) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
    scrambled int := 0;
    due boolean;
    after_rounds int[] := '{}';
BEGIN
    FOR i IN 1 .. cardinality(winners) LOOP
        SELECT s.due INTO due FROM skillrating.scramble_due(mode, winners[:i], captured_1[:i], captured_2[:i], scrambled => scrambled) AS s;
        IF due THEN
            scrambled := i;
            after_rounds := after_rounds || i;
        END IF;
    END LOOP;
    RETURN after_rounds;
END $$;
\set ECHO all
SELECT mode, session, scrambles_of(mode, (SELECT array_agg(CASE session WHEN 'alternating' THEN 1 + i % 2 WHEN 'one team' THEN 1 WHEN 'two each' THEN 1 + i / 2 % 2 END ORDER BY i) FROM generate_series(1, 20) AS i),
    (SELECT array_agg((i % 5)::int ORDER BY i) FROM generate_series(1, 20) AS i), array_fill(0, '{20}')) AS scrambled_after
FROM unnest('{arena,attack_defend,payload,koth,5cp,ctf}'::text[]) WITH ORDINALITY AS m(mode, n), unnest('{alternating,one team,two each,draws}'::text[]) WITH ORDINALITY AS s(session, k) ORDER BY n, k;
DROP FUNCTION scrambles_of;
SELECT skillrating.scramble_due('deathmatch', '{1}');
SELECT skillrating.scramble_due('arena', NULL);
SELECT skillrating.scramble_due('arena', '{1}', streak => 0);
SELECT skillrating.scramble_due('arena', '{1,3}');
SELECT skillrating.scramble_due('koth', '{1,2}', '{1,2}', '{1}');
SELECT skillrating.scramble_due('koth', '{1}', '{-1}', '{1}');
SELECT skillrating.scramble_due('arena', '{1}', scrambled => 2);
SELECT skillrating.scramble_due('arena', '{1}', scrambled => -1);
SELECT skillrating.scramble_due('arena', '{1}', scrambled => NULL);

-- Integers at the ends of their range: what has no limit takes them, and errors name them.
\set ECHO none
CREATE FUNCTION state_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE query INTO result;
    RETURN coalesce(result, 'nothing');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE VIEW ends AS SELECT e.number FROM unnest(ARRAY['(-2147483648)', '2147483647']) AS e(number);
\set ECHO all
SELECT e.number, f.argument, state_of(format('SELECT s::text FROM skillrating.scramble_due(''arena'', ''{1,2,2}'', %s => %s) AS s', f.argument, e.number)) AS scramble
FROM ends AS e, unnest('{scrambled,streak,rounds}'::text[]) AS f(argument) ORDER BY 2, e.number COLLATE "C";
SELECT e.number, f.argument, state_of(format('SELECT string_agg(concat_ws('' to '', t.player_id, t.to_team), '', '') FROM skillrating.suggest_transfers(skillrating.lobby(ARRAY[1, 2, 3, 4, 5]::text[], ARRAY[5, 4, 3, 2, 1]::float8[], current => ARRAY[1, 1, 1, 1, 2]' || CASE WHEN f.of_lobby THEN ', ' || f.argument || ')' ELSE '), ' || f.argument END || ') AS t', e.number)) AS transfer
FROM ends AS e, (SELECT a, a ~ '^(party|locked)' FROM unnest(ARRAY['max_lead => %s', 'max_swaps => %s', 'max_lead => 2, max_swaps => %s', 'seed => %s', 'party => ARRAY[%s, %1$s, 0, 0, 0]::text[]', 'locked => ARRAY[%s, 0, 0, 0, 0]']) AS a) AS f(argument, of_lobby) ORDER BY 2, e.number COLLATE "C";
SELECT e.number, f.argument, state_of(format('SELECT string_agg(concat_ws('' in '', t.player_id, t.team), '', '') FROM skillrating.place_joiner(skillrating.lobby(ARRAY[1, 2, 3, 4, 5]::text[], ARRAY[5, 4, 3, 2, 1]::float8[], current => ARRAY[1, 1, 1, NULL, NULL]' || CASE WHEN f.of_lobby THEN ', ' || f.argument || ')' ELSE '), ' || f.argument END || ') AS t', e.number)) AS placed
FROM ends AS e, (SELECT a, a ~ '^(party|locked)' FROM unnest(ARRAY['max_lead => %s', 'seed => %s', 'party => ARRAY[0, 0, 0, %s, %1$s]::text[]', 'locked => ARRAY[0, 0, 0, %s, 0]']) AS a) AS f(argument, of_lobby) ORDER BY 2, e.number COLLATE "C";
SELECT e.number, f.argument, state_of(format('SELECT string_agg(DISTINCT s.swaps::text, '', '') FROM skillrating.suggest_swaps(skillrating.lobby(ARRAY[1, 2, 3, 4]::text[], ARRAY[5, 4, 3, 1]::float8[], current => ARRAY[1, 1, 2, 2]' || CASE WHEN f.of_lobby THEN ', ' || f.argument || ')' ELSE '), ' || f.argument END || ') AS s', e.number)) AS swaps
FROM ends AS e, (SELECT a, a ~ '^(party|locked)' FROM unnest(ARRAY['max_swaps => %s', 'max_swaps => %s, method => ''greedy''', 'seed => %s', 'party => ARRAY[%s, %1$s, 0, 0]::text[]', 'locked => ARRAY[%s, 0, 0, 0]']) AS a) AS f(argument, of_lobby) ORDER BY 2, e.number COLLATE "C";
SELECT e.number, state_of(format('SELECT count(*) FROM skillrating.suggest_swaps(skillrating.lobby(ARRAY[1, 2]::text[], ARRAY[5, 4]::float8[], current => ARRAY[1, %s]))', e.number)) AS team FROM ends AS e ORDER BY e.number COLLATE "C";
DROP VIEW ends;
DROP FUNCTION state_of;

DROP VIEW move_swaps, move_arrays;
DROP TABLE move_players;
