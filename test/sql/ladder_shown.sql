-- What a leaderboard shows in the place of ratings: points, levels, divisions, placement games.
\set SHOW_CONTEXT never
SET extra_float_digits = 1;
SELECT skillrating.create_ladder('arena', 'trueskill', '{"drift": 0.3}');
INSERT INTO arena.match (match_id, played_at) SELECT g, '2024-01-01'::timestamptz + g * interval '9 hours' FROM generate_series(1, 400) AS g;
INSERT INTO arena.match_player (match_id, player_id, team, rank)
SELECT g, p.id, p.n, 1 + (p.id * (1 + g / 100) % 13 < p.other * (1 + g / 100) % 13)::int
FROM generate_series(1, 400) AS g, LATERAL (SELECT g * g % 17 + g / 90, (g * 5 + 3) % 16 + g / 90) AS m(a, b), LATERAL (VALUES (1, a, b), (2, b, a)) AS p(n, id, other)
WHERE a <> b;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- The same by the textbook: up at promotion_margin above a border, down below it less margin, from the end of placement on.
CREATE FUNCTION textbook(path float8[], borders float8[], margin float8, promotion_margin float8) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    place int := (SELECT count(*) FROM unnest(borders) AS b WHERE b <= path[1]);
    rating float8;
BEGIN
    FOREACH rating IN ARRAY path LOOP
        WHILE place < cardinality(borders) AND rating - promotion_margin >= borders[place + 1] LOOP
            place := place + 1;
        END LOOP;
        WHILE place > 0 AND rating + margin < borders[place] LOOP
            place := place - 1;
        END LOOP;
    END LOOP;
    RETURN place;
END
$$;
CREATE VIEW as_textbook AS
SELECT s.n, b.player_id, b.games, b.shown, b.level, b.division, b.placement_left,
    (b.shown IS NULL) = (b.games < placement_games) AND (b.level IS NULL) = (b.games < placement_games) AND (b.division IS NULL) = (b.games < placement_games)
        AND b.placement_left = greatest(placement_games - b.games, 0) AS placement,
    coalesce(abs(b.shown - greatest(100 + 20 * b.rating, 150)) < 1e-9, true) AS points,
    coalesce(b.level = 1 + textbook(path, ARRAY(SELECT k * 30 / 50.0 FROM generate_series(1, 49) AS k)::float8[], margin, promotion_margin), true) AS levels,
    coalesce(b.division = ('{wood,bronze,silver,gold}'::text[])[1 + textbook(path, '{8,14,20}', margin, promotion_margin)], true) AS divisions,
    b.level <> least(greatest(1 + floor(b.rating / 0.6), 1), 50) AS kept_level,
    b.division <> ('{wood,bronze,silver,gold}'::text[])[1 + (b.rating >= 8)::int + (b.rating >= 14)::int + (b.rating >= 20)::int] AS kept_division
FROM (VALUES (1, NULL::timestamptz, 10, 0::float8, 0::float8), (2, NULL, 10, 1, 0.5), (3, '2024-03-01', 10, 2, 0), (4, '2024-03-01', 20, 0, 2), (5, '2025-01-01', 0, 1.5, 1)) AS s(n, at, placement_games, margin, promotion_margin)
CROSS JOIN LATERAL skillrating.leaderboard('arena', 100, at => s.at, display => jsonb_build_object('placement_games', s.placement_games, 'margin', s.margin, 'promotion_margin', s.promotion_margin,
    'factor', 20, 'shift', 100, 'floor', 150, 'levels', 50, 'low', 0, 'high', 30, 'cuts', '[8, 14, 20]'::jsonb, 'labels', '["wood", "bronze", "silver", "gold"]'::jsonb)) AS b
CROSS JOIN LATERAL (
    SELECT array_agg(h.rating_after ORDER BY h.seq) FILTER (WHERE h.games_before + (h.kind = 'match')::int >= s.placement_games) || b.rating AS path
    FROM skillrating.history('arena', b.player_id, until => coalesce(s.at + interval '1 microsecond', 'infinity')) AS h) AS p;
SELECT n, count(*) > 10 AS many, bool_and(placement) AS placement, bool_and(points) AS points, bool_and(levels) AS levels, bool_and(divisions) AS divisions,
    bool_or(placement_left > 0) AS in_placement, bool_or(kept_level) AS kept_level, bool_or(kept_division) AS kept_division
FROM as_textbook GROUP BY n ORDER BY n;
-- Where seasons and settles come between, too.
SELECT (skillrating.new_season('arena', 'next', at => '2024-06-01')).players > 0 AS season, (skillrating.settle('arena', '2024-08-01')).players > 0 AS settle;
SELECT n, bool_and(levels) AS levels, bool_and(divisions) AS divisions FROM as_textbook GROUP BY n ORDER BY n;
-- Neighbours and pages have the same columns as the board.
SELECT bool_and(a = b) AND count(*) = 5 AS around
FROM skillrating.leaderboard('arena', 100, display => '{"levels": 50, "low": 0, "high": 30, "margin": 1}') AS b
JOIN skillrating.around('arena', (SELECT player_id FROM skillrating.leaderboard('arena', 7) ORDER BY place DESC LIMIT 1), 2, display => '{"levels": 50, "low": 0, "high": 30, "margin": 1}') AS a USING (player_id);
SELECT array_agg(player_id || ' ' || level ORDER BY place, player_id) = (SELECT array_agg(player_id || ' ' || level ORDER BY place, player_id) FROM (
    SELECT * FROM skillrating.leaderboard('arena', 3, display => '{"levels": 9, "low": 0, "high": 30}') UNION ALL
    SELECT * FROM skillrating.leaderboard('arena', 3, after_player => (SELECT player_id FROM skillrating.leaderboard('arena', 3) OFFSET 2), display => '{"levels": 9, "low": 0, "high": 30}')) AS p) AS pages
FROM skillrating.leaderboard('arena', 6, display => '{"levels": 9, "low": 0, "high": 30}');
-- Only what is asked for, and nothing without.
SELECT count(shown) > 0 AS shown, count(level) AS levels, count(division) AS divisions, count(placement_left) > 0 AS placement FROM skillrating.leaderboard('arena', 100, display => '{}');
SELECT count(shown) AS shown, count(placement_left) AS placement FROM skillrating.leaderboard('arena', 100);

-- What is wrong in a display is an error that says so.
CREATE FUNCTION try_display(display jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM * FROM skillrating.leaderboard('arena', display => display);
    RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || left(SQLERRM, 90);
END
$$;
SELECT try_display(d::jsonb) FROM unnest(ARRAY['[1]', '{"level": 50}', '{"levels": "50", "low": 0, "high": 1}', '{"levels": 50}', '{"levels": 50, "low": 1, "high": 1}', '{"low": 1}',
    '{"levels": 1, "low": 0, "high": 1}', '{"levels": 2.5, "low": 0, "high": 1}', '{"placement_games": -1}', '{"placement_games": null}', '{"factor": 0}', '{"cuts": [1]}',
    '{"cuts": [1], "labels": ["a"]}', '{"cuts": [2, 1], "labels": ["a", "b", "c"]}', '{"cuts": ["a"], "labels": ["a", "b"]}', '{"cuts": [1], "labels": [1, 2]}',
    '{"cuts": [1], "labels": ["a", "b"], "margin": -1}', '{"cuts": [], "labels": ["all"]}', '{"levels": 1000, "low": -1e300, "high": 1e300, "margin": 1}', '{"shift": 1e400}']) AS d;

-- Levels between any two numbers, however far or near: as borders in exact arithmetic.
SELECT (SELECT bool_and(c::numeric = (-1.7e308 + 3.4e308 * k / 7)::float8::numeric AND abs(c) < 'Infinity') AND count(*) = 6 FROM unnest(skillrating_internal.level_cuts('{"levels": 7, "low": -1.7e308, "high": 1.7e308}')) WITH ORDINALITY AS u(c, k)) AS far,
    skillrating_internal.level_cuts('{"levels": 4, "low": -2, "high": 0}') AS negative,
    skillrating_internal.level_cuts('{"levels": 10, "low": 0.1, "high": 1.1}') AS tenths;
SELECT count(*) AS rows, array_agg(DISTINCT level) AS levels
FROM skillrating.leaderboard('arena', display => '{"levels": 2, "low": -1.7e308, "high": 1.7e308, "placement_games": 0, "margin": 1e308, "promotion_margin": 1e308}');
SELECT try_display(d) FROM unnest('{"{\"levels\": 2, \"low\": 0, \"high\": 1e309}","{\"levels\": 2, \"low\": 0, \"high\": 1e-400}","{\"cuts\": [1e400], \"labels\": [\"a\", \"b\"]}","{\"levels\": 9, \"low\": 1, \"high\": 1.0000000000000002}"}'::jsonb[]) AS d;

-- Margins need the events, and so their privilege.
CREATE ROLE regress_shown;
GRANT USAGE ON SCHEMA arena TO regress_shown;
GRANT SELECT ON arena.rating TO regress_shown;
SET ROLE regress_shown;
SELECT count(level) > 0 FROM skillrating.leaderboard('arena', display => '{"levels": 50, "low": 0, "high": 30}');
SELECT count(*) FROM skillrating.leaderboard('arena', display => '{"levels": 50, "low": 0, "high": 30, "margin": 1}');
RESET ROLE;
GRANT SELECT ON arena.event TO regress_shown;
SET ROLE regress_shown;
SELECT count(level) > 0 FROM skillrating.leaderboard('arena', display => '{"levels": 50, "low": 0, "high": 30, "margin": 1}');
RESET ROLE;

-- A reset begins the way to a division anew: as for a newcomer with the same results.
SELECT skillrating.create_ladder('anew', 'elo', apply_at => 'statement');
INSERT INTO anew.match (match_id, played_at) SELECT i, '2024-01-01'::timestamptz + i * interval '1 hour' FROM generate_series(1, 12) AS i;
INSERT INTO anew.match_player (match_id, player_id, team, rank) SELECT i, p.player_id, p.team, 3 - p.team FROM generate_series(1, 12) AS i, LATERAL (VALUES (1, 1), (100 + i, 2)) AS p(player_id, team);
SELECT skillrating.reset_rating('anew', 1, at => '2024-01-03') IS NOT NULL AS reset;
INSERT INTO anew.match (match_id, played_at) SELECT i, '2024-02-01'::timestamptz + i * interval '1 hour' FROM generate_series(101, 122) AS i;
INSERT INTO anew.match_player (match_id, player_id, team, rank) SELECT i, p.player_id, p.team, p.team FROM generate_series(101, 122) AS i, LATERAL (VALUES (1 + 2 * (i % 2), 1), (200 + i, 2)) AS p(player_id, team);
SELECT player_id, games, division FROM skillrating.leaderboard('anew', 2, display => '{"cuts": [1600], "labels": ["low", "high"], "promotion_margin": 200}') ORDER BY player_id;
SELECT player_id, games, division FROM skillrating.leaderboard('anew', 2, display => '{"cuts": [1600], "labels": ["low", "high"], "promotion_margin": 200, "placement_games": 10.0}', at => '2025-01-01') ORDER BY player_id;
SELECT skillrating.drop_ladder('anew');
-- The longest time.
SELECT skillrating.behaviour_score(at, 1, 0, 0, NULL, NULL ORDER BY at) BETWEEN 0 AND 1 AS sound FROM (VALUES ('4713-01-01 BC'::timestamptz), ('294276-12-31')) AS v(at);
DROP VIEW as_textbook;
SELECT skillrating.drop_ladder('arena');
DROP ROLE regress_shown;
DROP FUNCTION textbook, try_display;
