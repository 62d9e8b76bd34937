-- frag_scores(): scores from who killed whom.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SELECT name, default_value, choices FROM skillrating.parameters('frag_scores');

-- Each beats the next by 3 : 1, and the document's average forgets whom.
CREATE TABLE chain AS
SELECT 'p' || k AS killer, 'p' || v AS victim, n::float8 AS frags
FROM generate_series(1, 5) AS i, LATERAL (VALUES (i, i + 1, 3), (i + 1, i, 1)) AS f(k, v, n);
SELECT l.player_id, round(l.score::numeric, 6) AS least_squares, round(a.score::numeric, 6) AS average, l.frags, l.deaths, l.opponents, l.component, round(l.cyclic_share::numeric, 6) + 0 AS cyclic
FROM (SELECT skillrating.frag_scores(killer, victim, frags, false, '{"shrinkage": 0}') AS x, skillrating.frag_scores(killer, victim, frags, false, '{"shrinkage": 0, "method": "average"}') AS y FROM chain) AS q,
    unnest(x) AS l JOIN unnest(y) AS a USING (player_id) ORDER BY l.player_id;
-- A log of single frags is the same as counts.
SELECT count(*) AS differ FROM (
    SELECT (unnest(skillrating.frag_scores(killer, victim, frags, NULL, NULL))).* FROM chain
    EXCEPT SELECT (unnest(skillrating.frag_scores(killer, victim, 1, false, NULL))).* FROM chain, generate_series(1, frags::int)) AS d;
-- On a complete graph with equal weights both are one.
CREATE TABLE everybody AS SELECT k AS killer, v AS victim, 1 + abs(hashint4(k * 100 + v)) % 9 AS frags FROM generate_series(1, 12) AS k, generate_series(1, 12) AS v WHERE k <> v;
SELECT max(abs(l.score - a.score)) < 1e-12 AS same, bool_and(l.cyclic_share BETWEEN 0 AND 1) AS share
FROM (SELECT skillrating.frag_scores(killer, victim, frags, false, '{"shrinkage": 0, "weight": "equal"}') AS x, skillrating.frag_scores(killer, victim, frags, false, '{"shrinkage": 0, "weight": "equal", "method": "average"}') AS y FROM everybody) AS q,
    unnest(x) AS l JOIN unnest(y) AS a USING (player_id);
-- Rock, paper, scissors.
SELECT player_id, round(score::numeric, 9) + 0 AS score, round(cyclic_share::numeric, 9) AS cyclic
FROM (SELECT (unnest(skillrating.frag_scores(k, v, 5, false, NULL))).* FROM (VALUES ('rock', 'scissors'), ('scissors', 'paper'), ('paper', 'rock')) AS f(k, v)) AS s ORDER BY player_id;
-- Log-odds: three of four frags are ln 3.
SELECT round((max(score) - min(score))::numeric, 4) AS ln_3
FROM (SELECT (unnest(skillrating.frag_scores(k, v, n, false, '{"method": "logistic", "shrinkage": 0, "prior_deviation": 1000000}'))).* FROM (VALUES ('a', 'b', 30), ('b', 'a', 10)) AS f(k, v, n)) AS s;

-- Suicides, by oneself or by nobody: ignored, subtracted, distributed. Kills of team mates say nothing.
CREATE TABLE log AS SELECT * FROM (VALUES ('a', 'b', 6, false), ('b', 'a', 4, false), ('a', 'c', 5, false), ('c', 'a', 5, NULL), ('a', 'a', 3, false), (NULL, 'a', 1, false), ('c', 'b', 50, true)) AS f(killer, victim, frags, team_kill);
SELECT how, s.player_id, round(s.score::numeric, 4) AS score, s.frags, s.deaths, s.suicides
FROM unnest(ARRAY['ignore', 'subtract', 'distribute']) AS how, LATERAL (SELECT (unnest(skillrating.frag_scores(killer, victim, frags, team_kill, jsonb_build_object('suicides', how, 'shrinkage', 0)))).* FROM log) AS s
ORDER BY how, s.player_id;

-- Those with too few opponents are left out; who is not connected is told.
SELECT player_id, component, opponents FROM (SELECT (unnest(skillrating.frag_scores(k, v, 5, false, '{"core_opponents": 2}'))).* FROM (VALUES (1, 2), (2, 3), (3, 1), (4, 1), (5, 4), (11, 12), (12, 13), (13, 14), (14, 11)) AS f(k, v)) AS s ORDER BY component, player_id;
SELECT player_id, component, score IS NOT NULL AS scored FROM (SELECT (unnest(skillrating.frag_scores(k, v, 1, false, NULL))).* FROM (VALUES (1, 2), (2, 3), (4, 5), (NULL, 6)) AS f(k, v)) AS s ORDER BY component, player_id;

-- Groups, nothing, and mistakes.
-- The largest component first, and in it the highest score.
SELECT f.player, f.component FROM (SELECT skillrating.frag_scores(k, v, 1, false, NULL ORDER BY k, v) AS scores FROM (VALUES (9, 8), (3, 1), (1, 2)) AS f(k, v)) AS q, unnest(scores) WITH ORDINALITY AS f(player, score, standard_error, frags, deaths, suicides, opponents, component, cyclic, n) ORDER BY n;
SELECT killer > 'p3' AS high, cardinality(skillrating.frag_scores(killer, victim, 1, false, NULL)) FROM chain GROUP BY high ORDER BY high;
SELECT skillrating.frag_scores(killer, victim, 1, false, NULL) FROM chain WHERE false;
SELECT skillrating.frag_scores(killer, NULL, 1, false, NULL) FROM chain;
SELECT skillrating.frag_scores(killer, victim, -1, false, NULL) FROM chain;
SELECT skillrating.frag_scores(killer, victim, 'NaN', false, NULL) FROM chain;
SELECT skillrating.frag_scores(killer, victim, 1, false, '{"method": "magic"}') FROM chain;
SELECT skillrating.frag_scores(killer, victim, 1, false, '{"k": 1}') FROM chain;
SELECT skillrating.frag_scores(point(1, 1), point(1, 2), 1, false, NULL);
SELECT skillrating.frag_scores(i, i + 1 + i % 100, 1, false, '{"memory": 1}') FROM generate_series(1, 30000) AS i;
DROP TABLE chain, everybody, log;
