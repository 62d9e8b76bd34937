-- FIDE's rules under elo: the lead that counts, K 10 for life, members who bring their games along.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SET search_path = public, skillrating;
SELECT '{"k": 20, "k_by_games": [[30, 40]], "k_by_rating": [[2400, 10]], "k_for_life": true, "max_lead": 400}' AS fide \gset

--
-- The lead that counts
--
-- 700 points count as 400, which is ten to one: +10/11 at K 10, -20/11 at K 20; 400 count in full, and so do they the other way.
SELECT player, (r).rating_before AS before, round(((r).rating_after - (r).rating_before)::numeric, 3) AS change, round((r).win_probability::numeric, 5) AS p
FROM (SELECT player, rate('elo', player, n, n, options => '{"k": 20, "k_by_rating": [[2400, 10]], "max_lead": 400}',
        start => (SELECT array_agg(starting_rating(x, y)) FROM (VALUES ('strong', 2700.0), ('weak', 2000.0)) v(x, y))) OVER (ORDER BY 1) AS r
    FROM (VALUES ('strong', 1), ('weak', 2)) AS g(player, n)) AS q;
-- Every model with a scale of points: beyond the limit all leads are one, up to it nothing changes to the bit, and forecasts and ratings agree.
\set ECHO none
CREATE TABLE capped AS SELECT * FROM (VALUES ('elo', '{}'::jsonb, 1.0), ('elo', '{"form": "normal"}', 1), ('elo', '{"strength": "sum"}', 1), ('frag', '{}', 1), ('glicko', '{}', 1), ('glicko2', '{}', 1), ('synelo', '{}', 1)) AS v(model, params, unit);
CREATE FUNCTION near(a float8[], b float8[]) RETURNS boolean LANGUAGE sql AS 'SELECT bool_and(abs(x - y) < 1e-14) FROM unnest(a, b) AS u(x, y)';
CREATE FUNCTION lead_of(model text, params jsonb, rating float8[]) RETURNS float8[] LANGUAGE sql AS $$
    SELECT array_agg(p.win_probability ORDER BY p.team) FROM predict(model,
        (SELECT array_agg(state ORDER BY n) FROM (SELECT n, (SELECT array_agg(CASE WHEN i = 1 THEN r WHEN c = 'deviation' THEN 50.0 WHEN c = 'volatility' THEN 0.06 WHEN c = 'rating_variance' OR c = 'surprise' THEN 0 ELSE r END ORDER BY i)
            FROM (SELECT unnest(state_columns) AS c, generate_subscripts(state_columns, 1) AS i FROM models() AS m WHERE m.name = model) AS m) AS state
            FROM unnest(rating) WITH ORDINALITY AS u(r, n)) AS s),
        (SELECT array_agg(n) FROM generate_series(1, cardinality(rating)) AS n)::integer[], params => params) AS p
$$;
\set ECHO all
SELECT model, params, lead_of(model, params || '{"max_lead": 300}', '{2100,1500}') = lead_of(model, params || '{"max_lead": 300}', '{2100,1700}') AS same_beyond,
    near(lead_of(model, params || '{"max_lead": 300}', '{2100,1500}'), lead_of(model, params, '{1800,1500}')) AS the_limit,
    near(lead_of(model, params || '{"max_lead": 300}', '{1500,2100}'), lead_of(model, params, '{1500,1800}')) AS behind,
    lead_of(model, params || '{"max_lead": 300}', '{1700,1500}') = lead_of(model, params || '{"max_lead": null}', '{1700,1500}') AS below
FROM capped ORDER BY 1, 2::text;
-- Of three, nobody counts as further behind the best than that.
SELECT model, params, near(lead_of(model, params || '{"max_lead": 300}', '{2100,1900,1000}'), lead_of(model, params, '{2100,1900,1800}')) AS as_limited
FROM capped WHERE model <> 'synelo' ORDER BY 1, 2::text;
-- The change is what a lead of 300 brings: under a model whose update goes by the difference alone.
SELECT model, params, (SELECT array_agg(round(((r).rating_after - (r).rating_before)::numeric, 9) ORDER BY n) FROM (SELECT n, rate(model, n, n, n, options => params || '{"max_lead": 300}', start => ARRAY[starting_rating('1', 2100), starting_rating('2', 1500)]) OVER (ORDER BY 1) AS r FROM generate_series(1, 2) AS n) AS q)
    = (SELECT array_agg(round(((r).rating_after - (r).rating_before)::numeric, 9) ORDER BY n) FROM (SELECT n, rate(model, n, n, n, options => params, start => ARRAY[starting_rating('1', 1800), starting_rating('2', 1500)]) OVER (ORDER BY 1) AS r FROM generate_series(1, 2) AS n) AS q) AS as_limited
FROM capped WHERE model <> 'synelo' ORDER BY 1, 2::text;
\set VERBOSITY terse
SELECT predict('elo', '{{1500},{1400}}'::float8[], '{1,2}', params => '{"max_lead": 0}');
SELECT create_ladder('no', 'glicko', '{"max_lead": -5}');

--
-- Twenty games by hand: expected score, K and change in numeric, by FIDE's text
--
\set ECHO none
CREATE TABLE member (id text, rating numeric, games integer);
INSERT INTO member VALUES ('ann', 2700, 200), ('ben', 2000, 28), ('cat', 1500, 0), ('dan', 2395, 25), ('eve', 2120, 400), ('fay', 2404, 90);
CREATE TABLE game (n integer, white text, black text, score numeric);
INSERT INTO game VALUES (1, 'ann', 'ben', 1), (2, 'fay', 'dan', 0), (3, 'cat', 'ann', 0.5), (4, 'eve', 'cat', 1), (5, 'dan', 'eve', 1),
    (6, 'ben', 'eve', 0.5), (7, 'fay', 'eve', 0), (8, 'dan', 'ann', 0), (9, 'cat', 'ben', 1), (10, 'dan', 'ben', 0.5), (11, 'fay', 'ben', 1), (12, 'dan', 'cat', 0),
    (13, 'ben', 'cat', 0), (14, 'ann', 'fay', 1), (15, 'dan', 'fay', 0.5), (16, 'eve', 'ann', 0), (17, 'cat', 'dan', 0.5), (18, 'ben', 'fay', 0.5), (19, 'eve', 'dan', 1), (20, 'ann', 'cat', 0.5);
CREATE FUNCTION by_hand() RETURNS TABLE (n integer, id text, k numeric, rating numeric) LANGUAGE plpgsql AS $$
DECLARE
    g game;
    w record;
    b record;
    d numeric;
    e numeric;
BEGIN
    CREATE TEMP TABLE list AS SELECT m.id, m.rating, m.games, m.rating >= 2400 AS was_2400 FROM member AS m;
    FOR g IN SELECT * FROM game ORDER BY 1 LOOP
        SELECT l.*, CASE WHEN l.games < 30 THEN 40 WHEN l.was_2400 THEN 10 ELSE 20 END AS k INTO w FROM list AS l WHERE l.id = g.white;
        SELECT l.*, CASE WHEN l.games < 30 THEN 40 WHEN l.was_2400 THEN 10 ELSE 20 END AS k INTO b FROM list AS l WHERE l.id = g.black;
        d := greatest(least(w.rating - b.rating, 400), -400);
        e := 1 / (1 + power(10::numeric, -d / 400));
        UPDATE list AS l SET rating = l.rating + c.k * c.surprise, games = l.games + 1, was_2400 = l.was_2400 OR l.rating + c.k * c.surprise >= 2400
        FROM (VALUES (w.id, w.k, g.score - e), (b.id, b.k, e - g.score)) AS c(id, k, surprise) WHERE l.id = c.id;
        RETURN QUERY SELECT g.n, c.id, c.k::numeric, l.rating FROM (VALUES (w.id, w.k), (b.id, b.k)) AS c(id, k) JOIN list AS l USING (id);
    END LOOP;
    DROP TABLE list;
END
$$;
CREATE TABLE hand AS SELECT * FROM by_hand();
\set ECHO all
-- They meet every K, leads beyond the limit, and K 10 below 2400.
SELECT array_agg(DISTINCT k ORDER BY k) AS ks, count(*) FILTER (WHERE k = 10 AND rating < 2395) > 3 AS for_life, count(*) AS changes FROM hand;
SELECT n, id, k, round(rating, 3) AS rating FROM hand WHERE n IN (1, 2, 3, 20) ORDER BY n, id;

-- On a ladder whose members bring their games along.
SELECT create_ladder('fide', 'elo', :'fide', player_type => 'text') \gset
SELECT i.ratings FROM (SELECT array_agg(id ORDER BY id) AS players, jsonb_agg(jsonb_build_object('rating', rating, 'earlier_games', games) ORDER BY id) AS states FROM member) AS m,
    import_ratings('fide', m.players, m.states, at => '2026-01-01') AS i;
SELECT player_id, rating, games, highest_rating, earlier_games FROM fide.rating ORDER BY 1;
SELECT count(r.*) FROM (SELECT * FROM game ORDER BY n) AS g,
    LATERAL report_match('fide', g.n, ARRAY[g.white, g.black], '{1,2}', CASE g.score WHEN 1 THEN '{1,2}'::integer[] WHEN 0 THEN '{2,1}' ELSE '{1,1}' END, '2026-01-02'::timestamptz + g.n * interval '1 hour') AS r;
SELECT count(*) AS events, count(*) FILTER (WHERE abs(e.rating_after - h.rating) > 1e-9) AS wrong
FROM hand AS h JOIN fide.event AS e ON e.match_id = h.n AND e.player_id = h.id;
SELECT count(*) AS faults FROM verify('fide') WHERE NOT ok;
-- In a query, where starting_rating() takes the games: the same bits.
SELECT count(*) AS rows, count(*) FILTER (WHERE (q.r).rating_after = e.rating_after) AS same
FROM (SELECT n, id, rate('elo', id, team, team_score => score, options => :'fide', start => (SELECT array_agg(starting_rating(id, rating::float8, games => games)) FROM member)) OVER (ORDER BY n) AS r
    FROM (SELECT n, white AS id, 1 AS team, score::float8 FROM game UNION ALL SELECT n, black, 2, 1 - score::float8 FROM game) AS s) AS q
JOIN fide.event AS e ON e.match_id = q.n AND e.player_id = q.id;

-- A correction: the fifth game was a draw; everybody is replayed with what they had reached by then.
UPDATE fide.match_player SET rank = 1 WHERE match_id = 5;
UPDATE game SET score = 0.5 WHERE n = 5;
SELECT count(*) > 0 AS replayed FROM catch_up('fide');
SELECT count(*) AS events, count(*) FILTER (WHERE abs(e.rating_after - h.rating) > 1e-9) AS wrong
FROM by_hand() AS h JOIN fide.event AS e ON e.match_id = h.n AND e.player_id = h.id;
SELECT count(*) AS faults FROM verify('fide') WHERE NOT ok;

--
-- Operations
--
-- Once reached, 2400 counts after a rating is set, after a season and after decay; given explicitly, it is corrected; a reset forgets it.
CREATE FUNCTION highest(player text) RETURNS TABLE (rating numeric, highest numeric, earlier numeric) LANGUAGE sql AS
$$SELECT round(r.rating::numeric, 3), round(highest_rating::numeric, 3), earlier_games::numeric FROM fide.rating AS r WHERE player_id = player$$;
SELECT set_rating('fide', 'cat', '{"rating": 2450}', at => '2026-02-01') IS NOT NULL AS set;
SELECT * FROM highest('cat');
SELECT set_rating('fide', 'cat', '{"rating": 2300}', at => '2026-02-02') IS NOT NULL AS set;
SELECT * FROM highest('cat');
SELECT new_season('fide', '2027', 0.5, at => '2026-02-03') IS NOT NULL AS season;
SELECT * FROM highest('cat');
SELECT set_rating('fide', 'cat', '{"highest_rating": 1900}', at => '2026-02-04') IS NOT NULL AS set;
SELECT * FROM highest('cat');
SELECT set_rating('fide', 'cat', '{"earlier_games": 12}', at => '2026-02-05') IS NOT NULL AS set;
SELECT reset_rating('fide', 'ann', at => '2026-02-06') IS NOT NULL AS reset;
SELECT * FROM highest('ann');
SELECT count(*) AS faults FROM verify('fide') WHERE NOT ok;

-- Other parameters have other columns: of what operations set, those in common.
SELECT shadow_ladder('fide', 'plain', 'elo', '{"k": 20}');
SELECT p.player_id, (SELECT count(*) FROM plain.event AS e WHERE e.kind = 'seed' AND e.player_id = p.player_id) AS seeded FROM plain.rating AS p WHERE p.player_id IN ('ann', 'cat') ORDER BY 1;
SELECT count(*) AS faults FROM verify('plain') WHERE NOT ok;
SELECT shadow_ladder('plain', 'again', 'elo', :'fide');
SELECT count(*) AS faults FROM verify('again') WHERE NOT ok;
SELECT import_ratings('plain', '{zoe}'::text[], '[{"rating": 1800, "earlier_games": 60}]');
SELECT import_ratings('fide', '{zoe}'::text[], '[{"rating": 1800, "earlier_games": "many"}]');
SELECT import_ratings('fide', '{zoe}'::text[], '[{"rating": 1800, "earlier_games": -1}]');

SELECT drop_ladder('again'), drop_ladder('plain'), drop_ladder('fide') \gset
SET client_min_messages = warning;
DROP TABLE capped, member, game, hand;
DROP FUNCTION near, lead_of, by_hand, highest;
