-- behaviour_score(): the share of good evidence, which is forgotten by time and by games.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
CREATE TABLE conduct AS
SELECT player, g AS game, '2026-01-01'::timestamptz + make_interval(secs => 40000 * g + abs(hashint8extended(g, player) % 30000)) AS played_at,
    (CASE WHEN hashint8extended(g, player + 100) % 7 = 0 THEN abs(hashint8extended(g, player + 200) % 50) / 10.0 ELSE 0 END)::float8 AS reports,
    (abs(hashint8extended(g, player + 300)) % 3)::float8 AS commends, (hashint8extended(g, player + 400) % 11 = 0)::int::float8 AS quits
FROM generate_series(1, 8) AS player, generate_series(1, 60) AS g;
\set ECHO all
-- The formula in SQL: the weight of each game at the time, from the days and the games since.
WITH setting(params) AS (VALUES ('{}'::jsonb), ('{"half_life_days": 0}'), ('{"half_life_games": 0, "max_reports": 1}'), ('{"half_life_days": 3, "half_life_games": 5, "prior_score": 0.5, "prior_games": 2, "report_weight": 0.3, "commend_weight": 2, "quit_weight": 7}')),
    p AS (SELECT params, coalesce((params ->> 'half_life_days')::float8, 90) AS days, coalesce((params ->> 'half_life_games')::float8, 50) AS games, coalesce((params ->> 'prior_score')::float8, 0.9) AS score, coalesce((params ->> 'prior_games')::float8, 10) AS prior,
        coalesce((params ->> 'report_weight')::float8, 1) AS report, coalesce((params ->> 'max_reports')::float8, 3) AS most, coalesce((params ->> 'commend_weight')::float8, 0.25) AS commend, coalesce((params ->> 'quit_weight')::float8, 2) AS quit FROM setting),
    weighted AS (SELECT p.*, c.*, t.as_of, CASE WHEN days = 0 THEN 1 ELSE 0.5 ^ (extract(epoch FROM t.as_of - played_at) / 86400 / days) END * CASE WHEN p.games = 0 THEN 1 ELSE 0.5 ^ ((count(*) OVER later - 1) / p.games) END AS w
        FROM p, conduct AS c, (VALUES ('2026-01-20'::timestamptz), ('2026-03-01')) AS t(as_of) WHERE played_at <= t.as_of WINDOW later AS (PARTITION BY params, player, t.as_of ORDER BY played_at DESC)),
    expected AS (SELECT params, player, as_of, (min(score) * min(prior) + sum(w * (1 + commend * commends))) / (min(prior) + sum(w * (1 + commend * commends + quit * quits + report * least(reports, most)))) AS score FROM weighted GROUP BY params, player, as_of),
    found AS (SELECT params, player, as_of, skillrating.behaviour_score(played_at, reports, commends, quits, as_of, params ORDER BY played_at) AS score FROM conduct, setting, (VALUES ('2026-01-20'::timestamptz), ('2026-03-01')) AS t(as_of) GROUP BY params, player, as_of)
SELECT params, count(*) AS players, bool_and(abs(e.score - f.score) < 1e-12) AS as_computed FROM expected AS e JOIN found AS f USING (params, player, as_of) GROUP BY params ORDER BY params;
-- The short form is that after the last game; a window has the score after each.
SELECT bool_and(a = b) AS same FROM (SELECT skillrating.behaviour_score(played_at, reports, commends, quits, NULL, NULL ORDER BY played_at) AS a, skillrating.behaviour_score(played_at, reports, commends, quits, NULL, '{}' ORDER BY played_at) AS b FROM conduct GROUP BY player) AS s;
SELECT bool_and(s = (SELECT skillrating.behaviour_score(played_at, reports, commends, quits, NULL, NULL ORDER BY played_at) FROM conduct AS c WHERE c.player = w.player AND c.game <= w.game)) AS same FROM (SELECT player, game, skillrating.behaviour_score(played_at, reports, commends, quits, NULL, NULL) OVER (PARTITION BY player ORDER BY played_at) AS s FROM conduct WHERE player < 3) AS w;
-- A report and a quit lower it, a commend raises it; a report of half the credibility counts half; games and days forgive; nothing leaves the open interval.
WITH s(name, score) AS (SELECT name, skillrating.behaviour_score('2026-01-01'::timestamptz + make_interval(days => g), CASE WHEN g = 1 THEN r ELSE 0 END, CASE WHEN g = 1 THEN c ELSE 0 END, CASE WHEN g = 1 THEN q ELSE 0 END, at, '{"half_life_days": 30}' ORDER BY g)
    FROM (VALUES ('clean', 0, 0, 0, 1, '2026-01-02'::timestamptz), ('reported', 1, 0, 0, 1, '2026-01-02'), ('half', 0.5, 0, 0, 1, '2026-01-02'), ('quit', 0, 0, 1, 1, '2026-01-02'), ('commended', 0, 1, 0, 1, '2026-01-02'), ('by games', 1, 0, 0, 200, '2026-07-21'), ('by days', 1, 0, 0, 1, '2036-01-01'), ('worst', 1e6, 0, 1e6, 1, '2026-01-02'), ('best', 0, 1e6, 0, 1, '2026-01-02')) AS v(name, r, c, q, n, at), generate_series(1, n) AS g GROUP BY name, at)
SELECT a.score > b.score AND b.score > half.score AND half.score > r.score AND r.score > q.score AS ordered, abs(d.score - 0.9) < 1e-9 AS forgotten_by_days, g.score > 0.95 AS forgiven_by_games, w.score > 0 AND w.score < 1e-5 AND best.score < 1 AS within
FROM s AS a, s AS b, s AS half, s AS r, s AS q, s AS d, s AS g, s AS w, s AS best WHERE a.name = 'commended' AND b.name = 'clean' AND half.name = 'half' AND r.name = 'reported' AND q.name = 'quit' AND d.name = 'by days' AND g.name = 'by games' AND w.name = 'worst' AND best.name = 'best';
SELECT skillrating.behaviour_score(played_at, reports, commends, quits, NULL, NULL) IS NULL AS no_rows FROM conduct WHERE false;
SELECT skillrating.behaviour_score(now(), NULL, NULL, NULL, NULL, NULL) = (9.0 + 1) / 11 AS nulls_are_none;
SELECT skillrating.behaviour_score(played_at, 0, 0, 0, NULL, NULL ORDER BY played_at DESC) FROM conduct;
SELECT skillrating.behaviour_score(NULL, 0, 0, 0, NULL, NULL);
SELECT skillrating.behaviour_score('infinity', 0, 0, 0, NULL, NULL);
SELECT skillrating.behaviour_score(now(), -1, 0, 0, NULL, NULL);
SELECT skillrating.behaviour_score(now(), 0, 'NaN', 0, NULL, NULL);
SELECT skillrating.behaviour_score(now(), 0, 0, 0, NULL, '{"half_life": 3}');
SELECT skillrating.behaviour_score(now(), 0, 0, 0, NULL, '{"prior_score": 1}');
SELECT name, default_value FROM skillrating.parameters('behaviour_score');
SELECT skillrating.parameters('chess');
DROP TABLE conduct;
