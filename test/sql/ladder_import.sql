-- Ratings of another system: import_ratings().
\set ECHO none
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
SET timezone = 'UTC';
\set ECHO all

-- From a table of another system, in one query.
CREATE TABLE old_rating (player text PRIMARY KEY, mu float8, sigma float8);
INSERT INTO old_rating SELECT 'p' || g, 20 + g * 1.25, 1 + g / 8.0 FROM generate_series(1, 200) AS g;
SELECT skillrating.create_ladder('arena', 'trueskill', player_type => 'text') \gset
SELECT i.operation IS NOT NULL AS noted, i.ratings
FROM (SELECT array_agg(player) AS players, jsonb_agg(jsonb_build_object('mu', mu, 'sigma', sigma)) AS states FROM old_rating) AS o,
    skillrating.import_ratings('arena', players, states, at => '2024-01-01', reason => 'from the old system') AS i;
SELECT count(*), bool_and((r.mu, r.sigma) = (o.mu, o.sigma) AND r.games = 0 AND r.last_played IS NULL) AS same
FROM old_rating AS o JOIN arena.rating AS r ON r.player_id = o.player;
SELECT kind, count(*), min(params::text) AS params, min(reason) AS reason, count(DISTINCT operation) AS operations FROM arena.operation GROUP BY kind;

-- The next match starts from them.
INSERT INTO arena.match (match_id, played_at) VALUES (1, '2024-01-01');
INSERT INTO arena.match_player (match_id, player_id, team, rank) VALUES (1, 'p8', 1, 2), (1, 'p24', 2, 1), (1, 'new', 3, 3);
SELECT player_id, mu_before, sigma_before FROM arena.event WHERE match_id = 1 ORDER BY player_id;
SELECT * FROM skillrating.verify('arena') WHERE NOT ok;

-- Once more, it changes nothing; somebody new comes in, and a column that is not given has its initial value.
SELECT * FROM skillrating.import_ratings('arena', ARRAY['p8', 'p24'], '[{"mu": 1, "sigma": 1}, {"mu": 2}]');
SELECT ratings FROM skillrating.import_ratings('arena', ARRAY['p8', 'half'], '[{"mu": 1, "sigma": 1}, {"mu": 31.5}]');
SELECT player_id, mu, sigma = 25 / 3.0::float8 AS initial_sigma FROM arena.rating WHERE player_id = 'half';
-- Those who have a rating take the imported one if asked to, and what is not given stays.
CREATE TABLE before AS SELECT player_id, sigma, games FROM arena.rating WHERE player_id IN ('p8', 'p24');
SELECT ratings FROM skillrating.import_ratings('arena', ARRAY['p8', 'p24'], '[{"mu": 40}, {"mu": 41}]', overwrite => true);
SELECT r.player_id, r.mu, r.sigma = b.sigma AS kept, r.games FROM arena.rating AS r JOIN before AS b USING (player_id) ORDER BY 1;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- It is taken back as one.
SELECT operation FROM arena.operation WHERE reason = 'from the old system' LIMIT 1 \gset
SELECT skillrating.undo_operation('arena', :operation) \gset
SELECT count(*) > 190 AS caught_up FROM skillrating.catch_up('arena');
SELECT count(*), count(*) FILTER (WHERE r.games > 0) AS played FROM arena.rating AS r;
SELECT player_id, mu_before, sigma_before FROM arena.event WHERE match_id = 1 ORDER BY player_id;
SELECT bool_and(ok) FROM skillrating.verify('arena');

-- From a program: parameters without a type, and a pool of its own.
PREPARE import AS SELECT ratings FROM skillrating.import_ratings($1, $2, $3, pool => $4);
EXECUTE import('arena', '{a,b}', '[{"mu": 26}, {"mu": 27.5, "sigma": 2}]', 'duel');
DEALLOCATE import;
SELECT player_id, pool, mu FROM arena.rating WHERE pool = 'duel' ORDER BY 1;
SELECT * FROM skillrating.import_ratings('arena', ARRAY[]::text[], '[]', pool => '');

-- What does not fit is refused, with the player and the value.
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '[{"mu": 26}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY[['a', 'b']], '[{"mu": 26}, {"mu": 26}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '{"mu": [26, 27]}', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '[{"mu": 26}, 27]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '[{"mu": 26}, null]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '[{"mu": 26}, {}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '[{"mu": 26}, {"mu": "27"}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '[{"mu": 26}, {"mu": null}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['a', 'b'], '[{"mu": 26}, {"rating": 27}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c', 'd'], '[{"mu": 26}, {"sigma": -2}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c', 'd'], '[{"mu": 26}, {"mu": 1e400}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c', 'd'], '[{"mu": 26}, {"sigma": -1e-400}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c', 'd'], '[{"mu": 26}, {"mu": "NaN"}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c', 'c', 'd'], '[{"mu": 26}, {"mu": 26}, {"mu": 26}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c', NULL], '[{"mu": 26}, {"mu": 26}]', pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c'], NULL, pool => '');
SELECT skillrating.import_ratings('arena', ARRAY['c'], '[{"mu": 26}]', at => 'infinity', pool => '');
SELECT skillrating.import_ratings('nowhere', ARRAY['c'], '[{"mu": 26}]');
SELECT count(*) FROM arena.rating WHERE player_id IN ('c', 'd');
SELECT operation IS NOT NULL AS merged FROM skillrating.merge_players('arena', 'new', 'p8') AS operation;
SELECT skillrating.import_ratings('arena', ARRAY['c', 'new'], '[{"mu": 26}, {"mu": 26}]', pool => '');
-- Integers are compared as what they are, not as they are written.
SELECT skillrating.create_ladder('numbers', 'glicko2', late => 'reorder') \gset
SELECT skillrating.import_ratings('numbers', ARRAY['7', '07'], '[{"rating": 1600}, {"rating": 1700}]');
SELECT skillrating.import_ratings('numbers', ARRAY['7', 'x'], '[{"rating": 1600}, {"rating": 1700}]');

-- Where time makes the order, it has its place there.
INSERT INTO numbers.match (match_id, played_at) SELECT g, '2024-01-01'::timestamptz + g * interval '1 day' FROM generate_series(1, 10) AS g;
INSERT INTO numbers.match_player (match_id, player_id, team, rank) SELECT g, p, p, 1 + (g + p) % 3 FROM generate_series(1, 10) AS g, generate_series(1, 2) AS p;
SELECT ratings FROM skillrating.import_ratings('numbers', ARRAY[1, 2, 3], '[{"rating": 1900, "deviation": 50, "volatility": 0.05}, {"rating": 1800, "deviation": 60}, {"rating": 1700}]',
    at => '2024-01-05 12:00', overwrite => true);
SELECT count(*) > 0 AS caught_up FROM skillrating.catch_up('numbers');
SELECT match_id, player_id, round(rating_before) AS rating, round(deviation_before) AS deviation FROM numbers.event WHERE match_id IN (4, 5) ORDER BY 1, 2;
SELECT bool_and(ok) FROM skillrating.verify('numbers');
-- Before the horizon, no state can be set, by import_ratings() and by seed_from().
SELECT skillrating.set_horizon('numbers', '2024-01-08') IS NOT NULL AS set;
SELECT skillrating.import_ratings('numbers', ARRAY[9], '[{"rating": 1900}]', at => '2024-01-02');
SELECT skillrating.create_ladder('others', 'glicko2') \gset
SELECT skillrating.import_ratings('others', ARRAY[9], '[{"rating": 1900}]', at => '2024-01-01') IS NOT NULL AS imported;
SELECT skillrating.seed_from('numbers', 'others', at => '2024-01-02');

-- Only the owner of a ladder imports.
CREATE ROLE regress_importer;
SELECT skillrating.grant_ladder('arena', 'regress_importer', 'reporter') \gset
SET ROLE regress_importer;
SELECT skillrating.import_ratings('arena', ARRAY['mine'], '[{"mu": 50}]', pool => '');
RESET ROLE;
SELECT count(skillrating.drop_ladder(l)) FROM unnest(ARRAY['arena', 'numbers', 'others']) AS l;
DROP ROLE regress_importer;
DROP TABLE old_rating, before;
