-- TrueSkill 2 on ladders: kills and deaths, squads, quits, and modes that share
-- a base.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;

-- Two pairs, one of them a squad; the second of the losers leaves.  Without drift, so
-- that what a preview says does not depend on today's date.
SELECT skillrating.create_ladder('arena', 'trueskill2',
    '{"squad_offset": [[2, 0.3]], "kill_self": 2, "kill_opponent": -1, "kill_variance": 10,
      "death_self": -1, "death_opponent": 2, "death_variance": 10, "quit_related": 0.5, "drift": 0,
      "experience_offset": [[0, 0.05], [30, 0]]}') \gset
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after,
    round(win_probability::numeric, 6) AS win, score
FROM skillrating.report_match('arena', 1, ARRAY[1, 2, 3, 4], ARRAY[1, 1, 2, 2], ARRAY[1, 1, 2, 2],
    '2026-01-01 12:00+00', squad => '{7,7,NULL,NULL}'::bigint[]);
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after,
    round(win_probability::numeric, 6) AS win, score
FROM skillrating.report_match('arena', 2, ARRAY[1, 2, 3, 4], ARRAY[1, 1, 2, 2], ARRAY[1, 1, 2, 2],
    '2026-01-01 13:00+00', kills => '{10,3,5,0}', deaths => '{2,6,5,5}', quit => '{false,false,false,true}');
-- What is unknown of some is null in the table.
INSERT INTO arena.match (match_id, played_at) VALUES (3, '2026-01-01 14:00+00');
INSERT INTO arena.match_player (match_id, player_id, team, rank, kills, experience)
VALUES (3, 1, 1, 2, 4, NULL), (3, 2, 2, 1, NULL, 500);
SELECT player_id, round(rating::numeric, 6) AS rating, round(sigma::numeric, 6) AS sigma, games
FROM arena.rating ORDER BY player_id;
SELECT check_name, ok, detail FROM skillrating.verify('arena');
SELECT player_id, round(rating::numeric, 6) AS rating, round(win_probability::numeric, 6) AS alone
FROM skillrating.preview('arena', ARRAY[1, 2, 3, 4], ARRAY[1, 1, 2, 2]) ORDER BY player_id;
SELECT player_id, round(win_probability::numeric, 6) AS as_squad
FROM skillrating.preview('arena', ARRAY[1, 2, 3, 4], ARRAY[1, 1, 2, 2], squad => '{1,1,2,3}') ORDER BY player_id;

-- Counts that cannot be.
SELECT * FROM skillrating.report_match('arena', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], kills => '{1,-1}');
SELECT * FROM skillrating.report_match('arena', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], deaths => '{-1,1}');
SELECT * FROM skillrating.report_match('arena', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], experience => '{-1,1}');
SELECT * FROM skillrating.report_match('arena', 4, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], quit => '{true}');
-- More players than a joint distribution is kept of.
SELECT count(*) FROM skillrating.report_match('arena', 5, (SELECT array_agg(i) FROM generate_series(1, 201) AS i),
    (SELECT array_agg(i % 2) FROM generate_series(1, 201) AS i), (SELECT array_agg(1 + i % 2) FROM generate_series(1, 201) AS i));
SELECT status, reason, detail FROM arena.rated_match WHERE match_id = 5;
SELECT skillrating.drop_ladder('arena') \gset

-- Modes are pools. What a player has in all of them is in a row of its own.
SELECT skillrating.create_ladder('modes', 'trueskill2', '{"initial_base_sigma": 1, "initial_sigma": 0.8, "base_drift": 0.0379473}') \gset
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after
FROM skillrating.report_match('modes', 1, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], '2026-01-01 12:00+00', pool => 'slayer');
-- The winner comes to another mode with a better name.
SELECT player_id, round(rating_before::numeric, 6) AS before, round(rating_after::numeric, 6) AS after,
    round(win_probability::numeric, 6) AS win
FROM skillrating.report_match('modes', 2, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], '2026-02-01 12:00+00', pool => 'flags');
SELECT player_id, pool, round(mu::numeric, 6) AS mu, round(sigma::numeric, 6) AS sigma,
    round(base_mu::numeric, 6) AS base_mu, round(base_sigma::numeric, 6) AS base_sigma, games, wins, losses
FROM modes.rating ORDER BY player_id, pool COLLATE "C";
SELECT player_id, pool, round(base_mu_before::numeric, 6) AS base_before, round(base_mu_after::numeric, 6) AS base_after
FROM modes.event ORDER BY seq, player_id;
-- In bulk as one by one, and in one statement across modes.
\set ECHO none
INSERT INTO modes.match (match_id, played_at, pool)
SELECT m, '2026-03-01'::timestamptz + m * interval '1 hour', (ARRAY['slayer', 'flags', ''])[1 + m % 3]
FROM generate_series(3, 200) AS m;
INSERT INTO modes.match_player (match_id, player_id, team, rank)
SELECT m, 1 + (m * 5 + p * 7) % 12, p % 2, 1 + (p + m / 3) % 2
FROM generate_series(3, 200) AS m, generate_series(0, 3) AS p;
\set ECHO all
SELECT check_name, ok, detail FROM skillrating.verify('modes');
SELECT count(*) FILTER (WHERE pool = '*') AS bases, count(*) FILTER (WHERE pool <> '*') AS modes FROM modes.rating;
-- Every match counts for the base.
SELECT count(*) AS wrong FROM modes.rating AS b
WHERE pool = '*' AND games <> (SELECT sum(games) FROM modes.rating AS r WHERE r.player_id = b.player_id AND r.pool <> '*');
SELECT * FROM skillrating.report_match('modes', 999, ARRAY[1, 2], ARRAY[1, 2], ARRAY[1, 2], pool => '*');
UPDATE modes.rating SET base_mu = base_mu + 1 WHERE pool = '*' AND player_id = 1;
SELECT bool_and(ok) FROM skillrating.verify('modes');
SELECT skillrating.drop_ladder('modes') \gset
