-- Frag ranking: duels, events, suicides, logs of frags, and ladders of them.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

SELECT skillrating.frag_share(15, 5) AS share, skillrating.frag_share(0, 0) AS nothing, skillrating.frag_share(6, -2) AS eight_to_none,
    skillrating.frag_share(-3, -5) AS five_to_three, skillrating.frag_share(-1, 0) AS suicide;
SELECT round(skillrating.frag_win_share(1400, 1000)::numeric, 9) AS ten_elevenths;
-- A win that was not high enough costs points.
SELECT round(new_rating_a::numeric, 6) AS a, round(new_rating_b::numeric, 6) AS b FROM skillrating.frag_update(1400, 1000, 6, 5);
SELECT * FROM skillrating.frag_update(1000, 1000, 15, 5);
SELECT * FROM skillrating.frag_update(1000, 1000, 15, 5, points => 1);
SELECT * FROM skillrating.frag_update(1000, 10, 1, 0, floor => 0);
SELECT skillrating.frag_suicide(1000) AS suicide, skillrating.frag_suicide(1000, frags => 3, points => 1) AS three, skillrating.frag_suicide(10, floor => 0) AS floor;
-- A capture is worth seven frags against the mean of the other team.
SELECT skillrating.frag_event(1000, '{900,1100}', event_points => 7, k => 10) AS capture, skillrating.frag_event(1000, '{1000}', k => 10) AS frag;
SELECT skillrating.idle_state('frag', '{1000}', '10 days', '{"decay": 3}') AS ten_days, skillrating.idle_state('frag', '{20}', '10 days', '{"decay": 3}') AS floor, skillrating.idle_state('frag', '{100}', '10 days', '{"decay": 3, "decay_floor": 500}') AS below;

-- Mistakes.
SELECT skillrating.frag_share('NaN', 1);
SELECT skillrating.frag_win_share(1, 2, 0);
SELECT skillrating.frag_update(1000, 1000, 'infinity', 0);
SELECT skillrating.frag_update(1000, 1000, 1, 0, k => -1);
SELECT skillrating.frag_update(1000, 1000, 1, 0, floor => 'NaN');
SELECT skillrating.frag_update(1e308, -1e308, 1, 0, k => 1e308, points => 1e-300);
SELECT skillrating.frag_suicide(1000, frags => -1);
SELECT skillrating.frag_event(1000, '{}');
SELECT skillrating.frag_event(1000, '{1000,NULL}');
SELECT skillrating.idle_state('frag', '{1000}', '-1 day', '{"decay": 3}');

-- A log in the order of time: frags, a fall, a team kill, a flag.
CREATE TEMP TABLE frag_log (at int, killer text, victim text, score float8, team_kill boolean);
INSERT INTO frag_log VALUES
    (3, 'ann', 'bob', NULL, NULL), (1, 'bob', 'ann', 1, false), (2, 'ann', 'cat', 1, NULL),
    (4, NULL, 'bob', 1, false), (5, 'cat', 'cat', NULL, false), (6, 'ann', 'dan', 1, true), (7, 'dan', 'bob', 7, false);
SELECT player_id, round(rating::numeric, 6) AS rating, frags, deaths, suicides, team_kills
FROM unnest((SELECT skillrating.frag_ratings(killer, victim, score, team_kill, '{}' ORDER BY at) FROM frag_log));
-- The order is that of the call, and the forms are one.
SELECT skillrating.frag_ratings(killer, victim, 1, false, '{}' ORDER BY at) = skillrating.frag_ratings(killer, victim, NULL, NULL, '{}' ORDER BY at) AS same,
    skillrating.frag_ratings(killer, victim, 1, false, '{}' ORDER BY at) = skillrating.frag_ratings(killer, victim, 1, false, '{}' ORDER BY at DESC) AS backwards
FROM frag_log;
SELECT player_id, round(rating::numeric, 6) AS rating
FROM unnest((SELECT skillrating.frag_ratings(killer, victim, score, team_kill, '{"k": 10, "initial_rating": 0, "floor": 0}' ORDER BY at) FROM frag_log));
SELECT skillrating.frag_ratings(killer, victim, 1, false, '{}') FROM frag_log WHERE false;
SELECT skillrating.frag_ratings(victim, killer, 1, false, '{}') FROM frag_log;
SELECT skillrating.frag_ratings(killer, victim, -1, false, '{}') FROM frag_log;
SELECT skillrating.frag_ratings(killer, victim, 1, false, '{"kk": 1}') FROM frag_log;
SELECT skillrating.frag_ratings(point(1, 2), point(1, 2), 1, false, '{}');

-- A larger log of uuids, against a ladder in which each frag is a match and a
-- suicide a match of one with a score of -1.
CREATE TEMP TABLE long_log AS
SELECT i AS at, md5((i * 7 % 13)::text)::uuid AS killer, md5((i * i % 11 + i % 3)::text)::uuid AS victim
FROM generate_series(1, 2000) AS i;
SELECT skillrating.create_ladder('frags', 'frag', '{"k": 8}', player_type => 'uuid') \gset
\set ECHO none
INSERT INTO frags.match (match_id, played_at) SELECT at, '2026-01-01'::timestamptz + at * interval '1 second' FROM long_log;
INSERT INTO frags.match_player (match_id, player_id, team, team_score)
SELECT at, killer, 1, 1 FROM long_log WHERE killer <> victim
UNION ALL SELECT at, victim, 2, 0 FROM long_log WHERE killer <> victim
UNION ALL SELECT at, victim, 2, -1 FROM long_log WHERE killer = victim;
\set ECHO all
SELECT status, count(*) FROM frags.rated_match GROUP BY status;
SELECT count(*), bool_and(l.rating = r.rating) AS same_bits,
    bool_and(r.wins = l.frags AND r.losses = l.deaths + l.suicides) AS same_counts, sum(l.suicides) > 0 AS suicides
FROM frags.rating AS r
JOIN unnest((SELECT skillrating.frag_ratings(killer, victim, 1, false, '{"k": 8}' ORDER BY at) FROM long_log)) AS l
    ON l.player_id = r.player_id::text;
SELECT bool_and(ok) FROM skillrating.verify('frags');
SELECT skillrating.drop_ladder('frags') \gset

-- Captures by score, duels by score, and time that wears ratings down.
SELECT skillrating.create_ladder('flags', 'frag', '{"points": 1, "k": 4, "decay": 2, "decay_floor": 900}') \gset
SELECT player_id, round(rating_after::numeric, 6) AS rating, score
FROM skillrating.report_match('flags', 1, ARRAY[1, 2, 3], ARRAY[1, 2, 2], NULL, '2025-01-01', team_score => '{7,0,0}');
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after
FROM skillrating.report_match('flags', 2, ARRAY[1, 2], ARRAY[1, 2], NULL, '2025-01-11', team_score => '{3,2}');
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after, score
FROM skillrating.report_match('flags', 3, ARRAY[1], ARRAY[1], NULL, '2026-01-01', team_score => '{-1}');
SELECT bool_and(ok) FROM skillrating.verify('flags');
SELECT skillrating.drop_ladder('flags') \gset
