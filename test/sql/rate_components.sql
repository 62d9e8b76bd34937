-- Components in queries: contexts, clubs and sides in rate(), final_ratings(),
-- final_components() and tune().
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse

-- What kinds there are.
SELECT kind, scope, key, used, state_columns, description
FROM unnest((SELECT components FROM skillrating.models('state_space', '{"club_sigma": 0}'))) WHERE scope <> 'match';
SELECT kind, initial_state
FROM unnest((SELECT components FROM skillrating.models('state_space', '{"club_sigma": 0, "home_sigma": 0.5}')))
WHERE scope <> 'match';
SELECT kind, scope FROM unnest((SELECT components FROM skillrating.models('elo'))) WHERE used;
SELECT count(*) FROM unnest((SELECT components FROM skillrating.models('elo', '{"size_advantage": "none"}'))) WHERE used;
SELECT name FROM skillrating.models()
WHERE supports @> ARRAY['context', 'club'] AND name = 'state_space';
SELECT column_name, type, needed FROM skillrating.source_columns() WHERE column_name IN ('context', 'club');

--
-- A small history, against a filter in plain SQL
--
\set ECHO none
CREATE TEMP TABLE duel (
    id integer, at timestamptz, home text, away text, home_score float8, away_score float8,
    map text, home_map text, away_map text, home_club text, away_club text);
INSERT INTO duel VALUES
    (1, '2020-01-01', 'a', 'b', 3, 1, 'x', 'x', 'x', 'red', 'blue'),
    (2, '2020-01-03', 'b', 'c', 0, 2, 'x', 'x', 'y', 'blue', 'blue'),
    (3, '2020-01-07', 'c', 'a', 5, 1, 'y', 'y', NULL, 'blue', NULL),
    (4, '2020-02-07', 'a', 'b', 2, 1, 'x', 'x', 'x', 'green', 'blue'),
    (5, '2020-02-08', 'b', 'a', 4, 1, NULL, NULL, NULL, 'blue', 'red'),
    (6, '2020-02-08', 'c', 'b', 3, 2, 'y', 'x', 'x', 'red', 'green'),
    (7, '2020-05-08', 'a', 'c', 1, 3, 'x', 'y', 'y', 'red', 'blue');

CREATE TEMP TABLE duel_row AS
SELECT id, at, 1 AS team, 1.0 AS side, home AS player, home_score AS team_score, home_map AS context,
    home_club AS club FROM duel
UNION ALL
SELECT id, at, 2, 2, away, away_score, away_map, away_club FROM duel;
\set ECHO all

-- Its parameters: prior deviation, drift a match and drift a day of each kind of unknown.
CREATE TEMP TABLE prior (kind text, deviation float8, tau float8, drift float8);
INSERT INTO prior VALUES
    ('player', 1.2, 0.1, 0.02), ('home', 0.5, 0, 0.03), ('home_context', 0.3, 0, 0),
    ('player_context', 0.4, 0, 0), ('club', 0.6, 0.05, 0.01);
SELECT '{"initial_mu": 2, "initial_sigma": 1.2, "beta": 0.9, "tau": 0.1, "drift": 0.02,
    "draw_probability": 0, "margin": 0.7, "margin_exponent": 1, "home_sigma": 0.5, "home_drift": 0.03,
    "home_context_sigma": 0.3, "player_context_sigma": 0.4, "club_sigma": 0.6, "club_tau": 0.05,
    "club_drift": 0.01}' AS params \gset

-- The unknowns of a match, with what each counts in the difference of the two players.
\set ECHO none
CREATE FUNCTION pg_temp.part(d duel) RETURNS TABLE (kind text, name text, coefficient float8)
LANGUAGE sql AS $$
    SELECT p.kind, p.name, sum(p.coefficient)
    FROM (VALUES
        ('player', d.home, 1), ('player', d.away, -1),
        ('home', '', 1),
        ('player_context', d.home || '@' || d.home_map, 1),
        ('player_context', d.away || '@' || d.away_map, -1),
        ('club', d.home_club, 1), ('club', d.away_club, -1)) AS p (kind, name, coefficient)
    WHERE p.name IS NOT NULL GROUP BY p.kind, p.name
    UNION ALL
    -- A context is worth what the share of it in the match is.
    SELECT 'home_context', c.map, count(*) / 2.0
    FROM unnest(ARRAY[d.home_map, d.away_map]) AS c (map) WHERE c.map IS NOT NULL GROUP BY c.map
$$;

CREATE TEMP TABLE unknown_at (
    kind text, name text, mu float8, variance float8, at timestamptz, games integer,
    PRIMARY KEY (kind, name));
CREATE TEMP TABLE forecast (id integer, d float8, c float8);

DO $$
DECLARE
    match duel;
    total float8;
    observed float8;
    size float8;
BEGIN
    FOR match IN SELECT * FROM duel ORDER BY at, id LOOP
        INSERT INTO unknown_at
        SELECT kind, name, CASE kind WHEN 'player' THEN 2 ELSE 0 END, deviation ^ 2, NULL, 0
        FROM pg_temp.part(match) JOIN prior USING (kind)
        ON CONFLICT DO NOTHING;
        -- Idle time, up to the prior; then the match itself.
        UPDATE unknown_at AS u
        SET variance = least(u.variance + p.drift ^ 2 * coalesce(extract(epoch FROM match.at - u.at), 0)
                / 86400, greatest(u.variance, p.deviation ^ 2)) + p.tau ^ 2,
            at = match.at, games = games + 1
        FROM prior AS p, pg_temp.part(match) AS m
        WHERE (u.kind, u.name) = (m.kind, m.name) AND p.kind = u.kind;
        SELECT sum(coefficient * mu), sum(coefficient ^ 2 * variance) + 2 * 0.9 ^ 2
        INTO observed, total
        FROM unknown_at JOIN pg_temp.part(match) USING (kind, name);
        INSERT INTO forecast VALUES (match.id, observed, sqrt(total));
        observed := 0.7 * (match.home_score - match.away_score) - observed;
        UPDATE unknown_at AS u
        SET mu = mu + m.coefficient * variance / total * observed,
            variance = variance * (1 - m.coefficient ^ 2 * variance / total)
        FROM pg_temp.part(match) AS m WHERE (u.kind, u.name) = (m.kind, m.name);
    END LOOP;
END $$;
\set ECHO all

SELECT f.kind, count(*) AS components, bool_and(abs(f.mu - u.mu) < 1e-12) AS mu,
    bool_and(abs(f.deviation ^ 2 - u.variance) < 1e-12) AS deviation,
    bool_and(f.games = u.games) AS games, bool_and(f.last_played = u.at) AS last_played,
    bool_and(f.state = ARRAY[f.mu, f.deviation]) AS state
FROM (SELECT skillrating.final_components('state_space', id, player, team, NULL,
        skillrating.inputs(played_at => at, team_score => team_score, side => side, context => context,
            club => club), :'params' ORDER BY at, id) AS components FROM duel_row) AS q,
    unnest(q.components) AS f
FULL JOIN (SELECT * FROM unknown_at WHERE kind <> 'player') AS u
    ON u.kind = f.kind AND u.name =
        concat_ws('@', f.player_id, CASE WHEN f.kind = 'home' THEN '' ELSE f.key END)
GROUP BY f.kind ORDER BY f.kind;
SELECT count(*) AS players, bool_and(abs(f.mu - u.mu) < 1e-12) AS mu,
    bool_and(abs(f.deviation ^ 2 - u.variance) < 1e-12) AS deviation
FROM (SELECT skillrating.final_ratings('state_space', id, player, team, NULL,
        skillrating.inputs(played_at => at, team_score => team_score, side => side, context => context,
            club => club), :'params' ORDER BY at, id) AS ratings FROM duel_row) AS q,
    unnest(q.ratings) AS f
FULL JOIN (SELECT * FROM unknown_at WHERE kind = 'player') AS u ON u.name = f.player_id;

-- The forecasts: which way, and how sure, by the quantile of the normal distribution.
SELECT id, round(d::numeric, 3) AS ahead, abs(win - skillrating.elo_win_probability(d, 0, c * sqrt(2), 'normal')) < 1e-12 AS win
FROM forecast JOIN (
    SELECT id, team, (r).win_probability AS win
    FROM (SELECT id, team, skillrating.rate('state_space', player, team, team_score => team_score,
        played_at => at, side => side, context => context, club => club, options => :'params')
        OVER (ORDER BY at, id) AS r FROM duel_row) AS q) AS q USING (id)
WHERE team = 1 ORDER BY id;

--
-- A history whose truth is known
--
-- Skills, what the first side is worth, by map, what clubs are worth and how a hero suits a
-- player are normal numbers, made of hashes.
CREATE FUNCTION pg_temp.uniform(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x' || substr(md5(what), 1, 12))::bit(48)::bigint + 0.5) / 2.0 ^ 48 $$;
CREATE FUNCTION pg_temp.normal(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT sqrt(-2 * ln(pg_temp.uniform(what || ' r'))) * cos(2 * pi() * pg_temp.uniform(what)) $$;

-- Teams of two.  Contexts are heroes in pool h, else maps.
\set ECHO none
CREATE TEMP TABLE lineup AS
SELECT m AS id, timestamptz '2020-01-01 UTC' + m * interval '3 hours' AS at, team,
    CASE WHEN m % 3 = 0 THEN 'h' ELSE '' END AS pool,
    1 + (31 * m + 7 * (m / 41) * seat + 13 * seat) % 41 AS player, seat,
    CASE WHEN m % 3 = 0 THEN 'hero ' || (m / 3 + 5 * seat + m / 7) % 6
        ELSE 'map ' || m % 4 END AS context,
    'club ' || (m + 3 * team + m / 5) % 5 AS club
FROM generate_series(1, 4500) AS m, (VALUES (1, 1), (1, 2), (2, 3), (2, 4)) AS s (team, seat);
\set ECHO all
DELETE FROM lineup AS a USING lineup AS b
WHERE a.id = b.id AND a.player = b.player AND a.seat > b.seat;

\set ECHO none
CREATE TEMP TABLE result AS
SELECT id, 0.4 * count(DISTINCT team)
    + sum((3 - 2 * team) * (pg_temp.normal('player ' || player)
        + CASE pool WHEN 'h' THEN 0.5 * pg_temp.normal(context || ' ' || player) ELSE 0 END
        + pg_temp.normal('noise ' || id || ' ' || seat)))
    + 0.8 * sum((3 - 2 * team) * pg_temp.normal(club))
        FILTER (WHERE seat IN (1, 3))
    + CASE min(context) WHEN 'map 1' THEN 0.9 WHEN 'map 2' THEN -0.9 ELSE 0 END AS lead
FROM lineup GROUP BY id, pool HAVING count(DISTINCT team) = 2;

CREATE TEMP TABLE game AS
SELECT l.*, CASE WHEN (r.lead > 0) = (team = 1) THEN 1 ELSE 2 END::float8 AS rank, r.lead
FROM lineup AS l JOIN result AS r USING (id);
\set ECHO all
SELECT '{"initial_mu": 0, "beta": 1, "tau": 0.01, "draw_probability": 0, "strength": "sum",
    "home_sigma": 1, "home_context_sigma": 0.6, "player_context_sigma": 0.4, "club_sigma": 0.8,
    "club_tau": 0}' AS full_params,
    '{"initial_mu": 0, "beta": 1, "tau": 0.01, "draw_probability": 0, "strength": "sum",
    "home_sigma": 0, "home_context_sigma": 0, "player_context_sigma": 0,
    "club_sigma": 0}' AS plain_params \gset

\set ECHO none
CREATE TEMP TABLE learned AS
SELECT c.* FROM (SELECT skillrating.final_components('state_space', id, player, team, rank,
        skillrating.inputs(side => team, context => context, club => club, pool => pool),
        :'full_params' ORDER BY at, id) AS components FROM game) AS q,
    unnest(q.components) AS c;
\set ECHO all
SELECT kind, pool, count(*), count(player_id) > 0 AS of_players, count(key) > 0 AS keyed
FROM learned GROUP BY kind, pool ORDER BY kind, pool;

-- What is learned is the truth, within its errors; a match of four plays for twice as much.
SELECT kind, key, abs(sqrt(2) * mu - truth) < 3 * sqrt(2) * deviation AS near_truth,
    round(truth::numeric, 1) AS truth, deviation < 0.3 * prior AS sure
FROM (SELECT kind, key, deviation, mu + CASE kind WHEN 'home_context'
            THEN (SELECT mu FROM learned WHERE kind = 'home' AND pool = '') ELSE 0 END AS mu,
        CASE kind WHEN 'home' THEN 1 WHEN 'home_context' THEN 0.6 END AS prior,
        0.8 + CASE key WHEN 'map 1' THEN 0.9 WHEN 'map 2' THEN -0.9 ELSE 0 END AS truth
    FROM learned WHERE kind = 'home_context' AND pool = '') AS l ORDER BY kind, key;
SELECT corr(mu, pg_temp.normal(key)) > 0.95 AS clubs FROM learned WHERE kind = 'club' AND pool = '';
SELECT corr(mu, pg_temp.normal(key || ' ' || player_id)) > 0.5 AS heroes
FROM learned WHERE kind = 'player_context' AND pool = 'h';

-- Forecasts gain by it.
\set ECHO none
CREATE TEMP TABLE rated AS
SELECT *, skillrating.rate('state_space', player, team, rank, side => team, context => context,
        club => club, pool => pool, options => :'full_params') OVER w AS full_model,
    skillrating.rate('state_space', player, team, rank, side => team, context => context,
        club => club, pool => pool, options => :'plain_params') OVER w AS plain_model
FROM game WINDOW w AS (ORDER BY at, id);
\set ECHO all
SELECT round((avg(-ln(CASE WHEN rank = 1 THEN (plain_model).win_probability
        ELSE 1 - (plain_model).win_probability END))
    - avg(-ln(CASE WHEN rank = 1 THEN (full_model).win_probability
        ELSE 1 - (full_model).win_probability END)))::numeric, 2) AS gain
FROM rated WHERE seat = 1 AND id > 2000;

--
-- rate(), final_ratings() and tune() agree
--
SELECT count(*) AS players, bool_and(f.state = r.state_after) AS equal
FROM (SELECT skillrating.final_ratings('state_space', id, player, team, rank,
        skillrating.inputs(side => team, context => context, club => club, pool => pool),
        :'full_params' ORDER BY at, id) AS ratings FROM game) AS q,
    unnest(q.ratings) AS f
JOIN (SELECT DISTINCT ON (player, pool) player, pool, (full_model).state_after
    FROM rated ORDER BY player, pool, at DESC, id DESC) AS r
    ON f.player_id = r.player::text AND f.pool = r.pool;
-- One evaluation says what the parameters are worth as they are.
SET client_min_messages = error;
SELECT t.matches, abs(t.log_loss - l.log_loss) < 1e-13 AS equal
FROM (SELECT (skillrating.tune('state_space', id, player, team, rank,
        skillrating.inputs(side => team, context => context, club => club, pool => pool),
        '{"fit": ["beta"], "params": {"initial_mu": 0, "beta": 1, "tau": 0.01, "draw_probability": 0,
        "strength": "sum", "home_sigma": 1, "home_context_sigma": 0.6, "player_context_sigma": 0.4,
        "club_sigma": 0.8, "club_tau": 0}, "burn_in": 0, "holdout": 0, "max_evaluations": 1}'
        ORDER BY at, id)).* FROM game) AS t,
    (SELECT avg(-ln(CASE WHEN rank = 1 THEN (full_model).win_probability
        ELSE 1 - (full_model).win_probability END)) AS log_loss FROM rated WHERE seat = 1) AS l;
RESET client_min_messages;

-- predict() says of the states and components before a match what rate() says of it.
SELECT m, count(*) AS teams, bool_and(p.win_probability = r.win_probability) AS equal
FROM (VALUES (1000), (1001), (2002)) AS chosen (m),
    LATERAL (SELECT array_agg((full_model).state_before ORDER BY seat) AS state,
        array_agg(team ORDER BY seat) AS team, array_agg(context ORDER BY seat) AS context,
        array_agg(club ORDER BY seat) AS club, array_agg(player::text ORDER BY seat) AS player,
        min(pool) AS pool FROM rated WHERE id = m) AS s,
    LATERAL (SELECT skillrating.final_components('state_space', id, player, team, rank,
        skillrating.inputs(side => team, context => context, club => club, pool => pool),
        :'full_params' ORDER BY at, id) AS components FROM game WHERE id < m) AS c,
    LATERAL skillrating.predict('state_space', s.state, s.team, side => s.team,
        context => s.context, club => s.club, player_id => s.player, pool => s.pool,
        components => c.components, params => :'full_params') AS p
    JOIN (SELECT DISTINCT id, team, (full_model).win_probability FROM rated) AS r ON p.team = r.team
WHERE r.id = m GROUP BY m ORDER BY m;
SELECT skillrating.predict('state_space', '{{3,1,0,0,3,0},{3,1,0,0,3,0}}', '{1,2}', player_id => '{a,a}');
SELECT skillrating.predict('state_space', '{{3,1,0,0,3,0},{3,1,0,0,3,0}}', '{1,1}', player_id => '{a,a}');
SELECT skillrating.predict('state_space', '{{3,1,0,0,3,0},{3,1,0,0,3,0}}', '{1,2}', context => '{x}');
SELECT skillrating.predict('state_space', '{{3,1,0,0,3,0},{3,1,0,0,3,0}}', '{1,2}',
    components => ARRAY[ROW('maps', '', 'x', NULL, 1, 1, 0, NULL, NULL, NULL)::skillrating.final_component]);

--
-- Names and the order of rows have no part in it
--
CREATE TEMP TABLE disguised AS
SELECT *, md5('p' || player) AS who, md5('c' || context) AS place, md5('k' || club) AS side_of
FROM game ORDER BY md5(id || ' ' || seat);
SELECT count(*) FILTER (WHERE (full_model).state_before IS DISTINCT FROM (r).state_before
        OR (full_model).state_after IS DISTINCT FROM (r).state_after
        OR (full_model).win_probability IS DISTINCT FROM (r).win_probability) AS different, count(*)
FROM rated JOIN (SELECT id, seat, skillrating.rate('state_space', who, team, rank, side => team,
        context => place, club => side_of, pool => pool, options => :'full_params')
        OVER (ORDER BY at, id) AS r FROM disguised) AS d USING (id, seat);

--
-- No forecast looks ahead: with other results after a match, or none, all up to it are the same
--
SELECT cut, count(*) FILTER (WHERE (full_model).win_probability
        IS DISTINCT FROM (r).win_probability) AS different, count(*) > cut AS all_rows
FROM (SELECT cut, id, seat, skillrating.rate('state_space', player, team,
            CASE WHEN id > cut AND id % 5 < 3 THEN 3 - rank ELSE rank END, side => team,
            context => CASE WHEN id > cut + 1 THEN club ELSE context END, club => club, pool => pool,
            options => :'full_params') OVER (PARTITION BY cut ORDER BY at, id) AS r
        FROM game, (VALUES (17), (500), (1203)) AS c (cut) WHERE id < 1300) AS q
    JOIN rated USING (id, seat)
WHERE id <= cut + 1 GROUP BY cut ORDER BY cut;
SELECT cut, count(*) FILTER (WHERE (full_model).win_probability
        IS DISTINCT FROM (r).win_probability) AS different
FROM (SELECT cut, id, seat, skillrating.rate('state_space', player, team, rank, side => team,
            context => context, club => club, pool => pool, options => :'full_params')
            OVER (PARTITION BY cut ORDER BY at, id) AS r
        FROM game, (VALUES (17), (500), (1203)) AS c (cut) WHERE id <= cut) AS q
    JOIN rated USING (id, seat)
GROUP BY cut ORDER BY cut;

--
-- Rows that have no context or club, or several of them
--
-- A match that does not count leaves no components behind.
SELECT c.kind, c.key, c.player_id, c.games
FROM (SELECT skillrating.final_components('state_space', id, player, team, rank,
        skillrating.inputs(context => context, club => club, weight => weight), NULL
        ORDER BY id) AS components
    FROM (VALUES (1, 'a', 1, 1, 'x', 'red', 1), (1, 'b', 2, 1, 'x', NULL, 1),
        (2, 'a', 1, 1, 'y', 'red', 1), (2, 'a', 1, 1, 'z', 'red', 1),
        (3, 'a', 1, 1, 'x', '', 0.5), (3, 'a', 1, 1, 'y', 'red', 0.5), (3, 'c', 2, 2, NULL, NULL, 1))
        AS m (id, player, team, rank, context, club, weight)) AS q,
    unnest(q.components) AS c
WHERE c.kind IN ('player_context', 'club');
-- An empty text is a name; no rows make no array; a model without components an empty one.
SELECT skillrating.final_components('elo', id, player, team, rank,
    skillrating.inputs(context => 'x'), NULL ORDER BY id)
FROM (VALUES (1, 'a', 1, 1), (1, 'b', 2, 2)) AS m (id, player, team, rank);
SELECT skillrating.final_components('state_space', id, player, team, rank, NULL, NULL ORDER BY id)
FROM (VALUES (1, 'a', 1, 1)) AS m (id, player, team, rank) WHERE false;
-- As many contexts as a match can have.
SELECT count(*), count(DISTINCT c.key)
FROM (SELECT skillrating.final_components('state_space', 1, i, i % 2, 1 + i % 2,
        skillrating.inputs(context => 'c' || i), NULL ORDER BY 1, i % 7) AS components
    FROM generate_series(1, 9999) AS i) AS q, unnest(q.components) AS c
WHERE c.kind = 'player_context';
-- More than two teams.
SELECT c.kind, c.key, count(*), sum(c.games) AS games
FROM (SELECT skillrating.final_components('state_space', id, player, team, rank,
        skillrating.inputs(context => context, club => club), NULL ORDER BY id) AS components
    FROM (SELECT id, id * 3 + i AS player, i AS team, i AS rank, 'm' || id % 2 AS context,
        CASE WHEN i < 3 THEN 'k' || i END AS club
        FROM generate_series(1, 4) AS id, generate_series(1, 3) AS i) AS m) AS q,
    unnest(q.components) AS c
WHERE c.key IS NOT NULL GROUP BY c.kind, c.key ORDER BY c.kind, c.key;

-- Errors name the aggregate that is called.
SELECT skillrating.final_components('state_space', id, player, team, rank, NULL, NULL)
FROM game;
SELECT skillrating.final_components('state_space', id, player, team, -1, NULL, '{"strict_rows": true}' ORDER BY id)
FROM game;
SELECT components FROM skillrating.models('chess');

--
-- Memory does not grow from call to call
--
\set ECHO none
CREATE FUNCTION pg_temp.used_after(calls integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..calls LOOP
        PERFORM count(r) FROM (SELECT skillrating.rate('state_space', player, team, rank,
            side => team, context => context, club => club, pool => pool) OVER (ORDER BY at, id) AS r
            FROM game WHERE id < 300) AS q;
        PERFORM skillrating.final_components('state_space', id, player, team, rank,
            skillrating.inputs(context => context, club => club), NULL ORDER BY id)
        FROM game WHERE id < 300;
    END LOOP;
    RETURN (SELECT sum(used_bytes) FROM pg_catalog.pg_backend_memory_contexts);
END $$;
\set ECHO all
SELECT pg_temp.used_after(3) > 0 AS warm;
SELECT pg_temp.used_after(10) - pg_temp.used_after(1) < 20000 AS steady;
