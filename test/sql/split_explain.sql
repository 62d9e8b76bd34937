-- explain: what a split consists of, the best other one, and the tie that costs most.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE TABLE why_lobby AS
SELECT lobby, array_agg(i ORDER BY i) AS players, array_agg((1000 + abs(hashint8extended(lobby, i)) % 1000)::float8 ORDER BY i) AS rating FROM generate_series(1, 12) AS lobby, generate_series(1, 7) AS i GROUP BY lobby;
-- All splits there are, with who is where.
CREATE TABLE why_all AS
SELECT lobby, code, array_agg(team ORDER BY i) AS team, count(*) FILTER (WHERE team = 1) AS n1, count(*) FILTER (WHERE team = 2) AS n2, count(*) FILTER (WHERE team = 3) AS n3,
    avg(rating[i]) FILTER (WHERE team = 1) AS s1, avg(rating[i]) FILTER (WHERE team = 2) AS s2, avg(rating[i]) FILTER (WHERE team = 3) AS s3
FROM why_lobby, generate_series(0, (4 ^ 7)::int - 1) AS code, LATERAL (SELECT i, code / (4 ^ (i - 1))::int % 4 AS team FROM unnest(players) AS i) AS p WHERE lobby <= 6 GROUP BY lobby, code;
CREATE INDEX ON why_all (lobby);
\set ECHO all

-- Terms are what they are called.
SELECT bool_and(abs((why -> 'terms' -> 'teams' -> 0 ->> 'strength')::float8 - s1) < 1e-9 AND abs((why -> 'terms' -> 'teams' -> 1 ->> 'strength')::float8 - s2) < 1e-9) AS strength,
    bool_and((why -> 'terms' -> 'teams' -> 0 ->> 'players')::int = n1 AND abs((why -> 'terms' ->> 'difference')::float8 - d) < 1e-9 AND abs((why -> 'terms' ->> 'off')::float8 - abs(d)) < 1e-9) AS difference,
    bool_and((why -> 'terms' -> 'teams' -> 1 ->> 'best')::float8 = best AND abs((why -> 'terms' -> 'teams' -> 1 ->> 'spread')::float8 - spread) < 1e-9) AS others
FROM (SELECT lobby, (array_agg(why) FILTER (WHERE why IS NOT NULL))[1] AS why, count(*) FILTER (WHERE why IS NOT NULL) AS whys, avg(rating[player_id::int]) FILTER (WHERE team = 1) AS s1, avg(rating[player_id::int]) FILTER (WHERE team = 2) AS s2, count(*) FILTER (WHERE team = 1) AS n1, max(difference) AS d,
        max(rating[player_id::int]) FILTER (WHERE team = 2) AS best, sqrt(avg((rating[player_id::int] - (SELECT avg(r) FROM unnest(rating) AS r)) ^ 2) FILTER (WHERE team = 2)) AS spread
    FROM why_lobby, skillrating.split_teams(skillrating.lobby(players::text[], rating), team_size => CASE lobby % 2 WHEN 0 THEN 3 END, explain => true) GROUP BY lobby, rating) AS s WHERE whys = 1;
-- The alternative is the second best of all splits; of teams that are alike it does not matter which is which.
SELECT kind, count(*) AS lobbies, bool_and(abs((why -> 'alternative' ->> 'off')::float8 - second) < 1e-9) AS second, bool_and(abs((why -> 'terms' ->> 'off')::float8 - best) < 1e-9) AS best
FROM (
    SELECT f.lobby, kind, why, (SELECT min(o) FROM (SELECT DISTINCT ON (CASE WHEN kind = 'advantage' THEN a.team ELSE least(a.team, ARRAY(SELECT (ARRAY[0, 2, 1])[t + 1] FROM unnest(a.team) AS t)) END) abs(s1 - s2 + advantage) AS o, a.team
            FROM why_all AS a WHERE a.lobby = f.lobby AND n3 = 0 AND n1 = sizes[1] AND n2 = sizes[2]) AS x WHERE NOT (x.team = found OR kind <> 'advantage' AND x.team = ARRAY(SELECT (ARRAY[0, 2, 1])[t + 1] FROM unnest(found) AS t))) AS second,
        (SELECT min(abs(s1 - s2 + advantage)) FROM why_all AS a WHERE a.lobby = f.lobby AND n3 = 0 AND n1 = sizes[1] AND n2 = sizes[2]) AS best
    FROM (SELECT lobby, kind, sizes, advantage, (array_agg(why) FILTER (WHERE why IS NOT NULL))[1] AS why, array_agg(coalesce(team, 0) ORDER BY player_id) AS found
        FROM why_lobby, (VALUES ('everybody', '{4,3}'::int[], NULL::int, 0::float8), ('bench', '{3,3}', 3, 0), ('advantage', '{3,3}', 3, 80)) AS k(kind, sizes, team_size, advantage),
            LATERAL skillrating.split_teams(skillrating.lobby(players::text[], rating, log_odds_unit => 100, log_odds => k.advantage / 100), team_size => k.team_size, explain => true) WHERE lobby <= 6 GROUP BY lobby, kind, sizes, advantage) AS f) AS q GROUP BY kind ORDER BY kind;
-- So it is of three teams, whichever of them is which.
SELECT count(*) AS lobbies, bool_and(abs((why -> 'alternative' ->> 'off')::float8 - second) < 1e-9) AS second
FROM (SELECT f.lobby, why, (SELECT o FROM (SELECT DISTINCT round(sqrt(((s1 - m) ^ 2 + (s2 - m) ^ 2 + (s3 - m) ^ 2) / 3)::numeric, 9)::float8 AS o FROM why_all AS a, LATERAL (SELECT (s1 + s2 + s3) / 3 AS m) AS m
        WHERE a.lobby = f.lobby AND n1 = 2 AND n2 = 2 AND n3 = 2) AS x ORDER BY o OFFSET 1 LIMIT 1) AS second
    FROM (SELECT lobby, (array_agg(why) FILTER (WHERE why IS NOT NULL))[1] AS why FROM why_lobby, skillrating.split_teams(skillrating.lobby(players::text[], rating), teams => 3, team_size => 2, explain => true) WHERE lobby <= 6 GROUP BY lobby) AS f) AS q;
-- The constraint is the tie without which the split is most even, and costs what that saves.
SELECT bool_and(abs(coalesce((why -> 'constraint' ->> 'off')::float8, off) - least(off, no_party, no_lock, no_pair)) < 1e-9) AS costliest, bool_and(why -> 'constraint' = 'null' OR abs((why -> 'constraint' ->> 'cost')::float8 - (off - least(no_party, no_lock, no_pair))) < 1e-9) AS cost, count(DISTINCT why -> 'constraint' ->> 'if') AS kinds
FROM (SELECT lobby, max(abs(s.difference)) AS off, (array_agg(why) FILTER (WHERE why IS NOT NULL))[1] AS why, (SELECT max(abs(difference)) FROM skillrating.split_teams(skillrating.lobby(players::text[], rating, party => NULL, locked => '{1,NULL,NULL,NULL,NULL,NULL,NULL}', avoid => '{{2,6}}'), team_size => 3)) AS no_party,
        (SELECT max(abs(difference)) FROM skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{NULL,NULL,1,1,NULL,NULL,NULL}', locked => NULL, avoid => '{{2,6}}'), team_size => 3)) AS no_lock, (SELECT max(abs(difference)) FROM skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{NULL,NULL,1,1,NULL,NULL,NULL}', locked => '{1,NULL,NULL,NULL,NULL,NULL,NULL}'), team_size => 3)) AS no_pair
    FROM why_lobby, skillrating.split_teams(skillrating.lobby(players::text[], rating, party => '{NULL,NULL,1,1,NULL,NULL,NULL}', locked => '{1,NULL,NULL,NULL,NULL,NULL,NULL}', avoid => '{{2,6}}'), team_size => 3, explain => true) AS s GROUP BY lobby, players, rating) AS q;
SELECT why -> 'constraint' ->> 'if' AS without FROM skillrating.split_teams(skillrating.lobby('{1,2,3,4}'::text[], '{1000,1100,2000,2100}', priority => '{1,3,2,4}'), team_size => 1, explain => true) WHERE why IS NOT NULL;

-- The same of all sizes, of moves, of those who join, and of matches; only where it is asked for, and once.
SELECT team_size, count(*) FILTER (WHERE a.why IS NOT NULL) AS whys, (array_agg(a.why) FILTER (WHERE a.why IS NOT NULL))[1] = (SELECT why FROM skillrating.split_teams(skillrating.lobby(players::text[], rating), team_size => a.team_size, explain => true) WHERE why IS NOT NULL) AS same
FROM why_lobby, skillrating.split_all_sizes(skillrating.lobby(players::text[], rating), explain => true) AS a WHERE lobby = 1 GROUP BY players, rating, team_size ORDER BY team_size;
SELECT swaps, player_id_a, player_id_b, difference, jsonb_path_query_first(why, '$.terms.off') AS off, why -> 'alternative' -> 'teams' AS teams, why -> 'alternative' -> 'difference' AS then, why -> 'constraint' ->> 'if' AS without, why -> 'constraint' ->> 'cost' AS cost
FROM skillrating.suggest_swaps(skillrating.lobby('{ann,bob,cid,dan,eve,fay,gus,hal}'::text[], '{1500,1720,1610,1400,1555,1333,1444,1234}', current => '{1,1,1,2,2,2,1,NULL}', party => '{1,1,NULL,NULL,NULL,NULL,NULL,NULL}', locked => '{NULL,NULL,1,NULL,NULL,NULL,NULL,NULL}'), explain => true);
SELECT swaps, count(why) FROM skillrating.suggest_swaps(skillrating.lobby('{ann,bob,cid,dan}'::text[], '{1500,1720,1610,1400}', current => '{1,1,2,2}'), method => 'greedy', explain => true) GROUP BY swaps ORDER BY swaps;
SELECT player_id, difference, (why -> 'terms') - 'teams' AS terms, why -> 'alternative' AS alternative, why -> 'constraint' AS "constraint"
FROM skillrating.suggest_transfers(skillrating.lobby('{ann,bob,cid,dan,eve,fay,gus,hal}'::text[], '{1500,1720,1610,1400,1555,1333,1444,1234}', current => '{1,1,1,2,2,1,1,1}', locked => '{NULL,NULL,1,NULL,NULL,NULL,NULL,NULL}'), explain => true);
SELECT player_id, team, why -> 'alternative' -> 'teams' AS teams, why -> 'alternative' -> 'off' AS off FROM skillrating.place_joiner(skillrating.lobby('{ann,bob,cid,dan,eve,fay,gus,hal}'::text[], '{1500,1720,1610,1400,1555,1333,1444,1234}', current => '{1,1,1,2,2,2,NULL,NULL}'), explain => true);
SELECT match_number, player_id, team, why -> 'match' AS match, why -> 'terms' -> 'difference' AS difference, why -> 'alternative' -> 'teams' AS teams, why -> 'alternative' ->> 'off' AS off, why -> 'constraint' ->> 'if' AS without
FROM skillrating.pair_queue(skillrating.lobby('{ann,bob,cid,dan,eve,fay,gus,hal}'::text[], '{1500,1720,1610,1400,1555,1333,1444,1234}', party => '{NULL,1,1,NULL,NULL,NULL,NULL,NULL}'), waited => '{0,30,0,0,10,0,0,0}', team_size => 2, initial_window => 300, widening => 5, min_quality => 0.5, explain => true);
SELECT skillrating.create_ladder('why_elo', 'elo', player_type => 'text') \gset
SELECT count(*) FROM generate_series(1, 40) AS m, skillrating.report_match('why_elo', m, ARRAY['p' || m % 7, 'p' || (m % 7 + 1 + m % 5) % 7], ARRAY[1, 2], ARRAY[1 + (m % 3)::int / 2, 2 - (m % 3)::int / 2]);
SELECT count(why) AS whys, min(why -> 'constraint' ->> 'if') AS without FROM skillrating.split_teams(skillrating.lobby('why_elo', ARRAY['p0', 'p1', 'p2', 'p3', 'p4', 'p5'], party => '{1,NULL,NULL,NULL,NULL,1}'), explain => true);
SELECT player_id, round((why -> 'terms' ->> 'rating')::numeric, 4) AS rating, round((why -> 'terms' ->> 'difference')::numeric, 4) AS difference, round((why -> 'terms' ->> 'off')::numeric, 4) AS off, why ->> 'alternative' AS next, why -> 'constraint' ->> 'if' AS without
FROM skillrating.find_opponents('why_elo', 'p5', 3, min_games => 12, explain => true);
SELECT player_id, why FROM skillrating.find_opponents('why_elo', 'p3', 2);
SELECT skillrating.drop_ladder('why_elo') \gset
SELECT count(why) FROM why_lobby, skillrating.split_teams(players, rating) WHERE lobby = 1;
-- Names are escaped.
SELECT why -> 'alternative' -> 'teams' AS teams FROM skillrating.split_teams(skillrating.lobby(ARRAY['a"b', E'c\\d', E'e\nf', 'g']::text[], '{1,2,3,5}'), explain => true) WHERE why IS NOT NULL;
-- A team of nobody has no best player and no spread; JSON has no infinities, so that what is none is null.
SELECT why FROM skillrating.suggest_swaps(skillrating.lobby('{1,2}'::text[], '{1,2}', current => '{2,2}'), explain => true);
SELECT why FROM skillrating.place_joiner(skillrating.lobby('{1}'::text[], '{1}', current => '{NULL}'), explain => true);
SELECT (why -> 'terms') - 'teams' AS terms FROM skillrating.suggest_transfers(skillrating.lobby('{1,2}'::text[], '{1,2}', current => '{2,2}'), explain => true);
SELECT why -> 'terms' -> 'off' AS off FROM skillrating.split_teams(skillrating.lobby('{1,2}'::text[], '{1e12,-1e12}', log_odds_unit => 1e-300), explain => true) WHERE why IS NOT NULL;
-- A pair is one constraint however often it is given, either way round: these would be twenty thousand.
SELECT swaps, player_id_a, player_id_b, difference, count(*) AS answers, why -> 'constraint' ->> 'if' AS without
FROM (SELECT array_agg(CASE i % 2 WHEN 0 THEN '{bob,cid}' ELSE '{cid,bob}' END::text[]) AS many FROM generate_series(0, 20000) AS i) AS m, unnest(ARRAY['{{bob,cid}}', many::text]) AS pairs,
    skillrating.suggest_swaps(skillrating.lobby('{ann,bob,cid,dan,eve,fay}'::text[], '{10,5,6,2,4,4}', current => '{1,1,2,2,1,2}', avoid => pairs::text[]), max_swaps => 1, explain => true) GROUP BY swaps, player_id_a, player_id_b, difference, why ORDER BY swaps;
-- Many suggestions share the work of one explanation: the first are compared with others, of the rest there are only terms.
CREATE TABLE why_teams AS SELECT array_agg(i ORDER BY i) AS players, array_agg((1000 + (hashint4(i) & 1023) + i * sqrt(2))::float8 ORDER BY i) AS rating, array_agg(1 + i / 31 ORDER BY i) AS team FROM generate_series(1, 60) AS i;
SELECT budget, row_number() OVER w AS suggestion, why ? 'terms' AS terms, why ? 'alternative' AS alternative, why ? 'constraint' AS "constraint"
FROM why_teams, unnest('{1,1000}'::float8[]) AS budget, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team), budget => budget, explain => true) WHERE why IS NOT NULL AND swaps > 0 WINDOW w AS (PARTITION BY budget ORDER BY swaps) ORDER BY budget, swaps;
SELECT max(swaps) AS swaps, count(why) AS whys, count(why) FILTER (WHERE why ? 'alternative') AS compared FROM why_teams, skillrating.suggest_swaps(skillrating.lobby(players::text[], rating, current => team), method => 'greedy', budget => 1, explain => true);
DROP TABLE why_teams;
DROP TABLE why_lobby, why_all;

-- The budget holds for the explanation, too: where each split takes long, because many players are to be divided evenly, only the first constraint is tried.
SELECT budget, s.why -> 'constraint' ->> 'if' AS without, s.why -> 'alternative' ->> 'off' IS NOT NULL AS alternative
FROM unnest('{1,1000}'::float8[]) AS budget, (SELECT array_agg(i) AS p, array_agg(CASE WHEN i > 38 THEN 90 ELSE 20 + i * 7 % 13 + i / 64.0 END::float8) AS mu, array_agg(CASE WHEN i = 1 THEN 2 WHEN i > 38 THEN 1 END) AS locked, array_agg(i % 6) AS evenly FROM generate_series(1, 40) AS i) AS a,
    skillrating.split_teams(skillrating.lobby(p::text[], mu, locked => locked, split_evenly => evenly::text[]), team_size => 16, budget => budget, explain => true) AS s WHERE why IS NOT NULL ORDER BY budget;
