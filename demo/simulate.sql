-- A simulated game of two sides whose players' true skill is known.
--
-- The game is in the manner of Natural Selection 2: two sides that play
-- differently, one commander on each, public servers where people come late,
-- leave early and change sides, and maps that favour a side.  The winner of a
-- match is drawn with the probability that the Hive model gives to the true
-- skills, so the best forecast that anybody could make is known as well.
--
--     SELECT demo.simulate_matches();
--
-- fills the tables of schema demo below, where demo.match_player has columns of
-- a ladder's table of that name.

CREATE SCHEMA IF NOT EXISTS demo;

CREATE EXTENSION IF NOT EXISTS skillrating;

CREATE TABLE demo.player (
    player_id bigint PRIMARY KEY,
    skill float8 NOT NULL,
    side_offset float8 NOT NULL,
    command_skill float8 NOT NULL
);

COMMENT ON TABLE demo.player IS
'The truth about each player: skill, how much better than that on side 1 (and worse on side 2), and skill as a commander, all in log-odds.';

CREATE TABLE demo.map (
    map_id integer PRIMARY KEY,
    name text NOT NULL,
    log_odds float8 NOT NULL
);

COMMENT ON TABLE demo.map IS
'The maps, and the true log-odds by which each favours side 1 when skills are equal.';

CREATE TABLE demo.match (
    match_id bigint PRIMARY KEY,
    played_at timestamptz NOT NULL,
    map_id integer NOT NULL REFERENCES demo.map,
    team_size integer NOT NULL,
    seconds float8 NOT NULL,
    first_team integer NOT NULL,
    stacking float8 NOT NULL,
    luck float8 NOT NULL,
    true_probability float8,
    winner integer
);

COMMENT ON TABLE demo.match IS
'The matches: which team (1 or 2) was side 1, how much the division of players went by skill (stacking; 0 is a random one), the true probability that side 1 wins, the random number below which it does (luck), and the team that won.';

CREATE TABLE demo.match_player (
    match_id bigint NOT NULL REFERENCES demo.match,
    player_id bigint NOT NULL REFERENCES demo.player,
    stint smallint NOT NULL,
    team integer NOT NULL,
    rank integer,
    joined float8 NOT NULL,
    left_at float8 NOT NULL,
    side smallint NOT NULL,
    commanding float8,
    PRIMARY KEY (match_id, player_id, stint)
);

COMMENT ON TABLE demo.match_player IS
'Who played from when to when (in seconds) on which team and side, the share of that time spent commanding, and how the match ended for the team.';

CREATE FUNCTION demo.normal()
RETURNS float8
LANGUAGE sql VOLATILE
RETURN sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random());

COMMENT ON FUNCTION demo.normal() IS
'A random number with the standard normal distribution.';

CREATE FUNCTION demo.simulate_matches(
    players integer DEFAULT 400,
    matches integer DEFAULT 4000,
    median_round float8 DEFAULT 1200,
    seed float8 DEFAULT 0.25)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    names CONSTANT text[] := ARRAY[
        'Atrium', 'Basin', 'Cinder', 'Delta', 'Ember', 'Foundry', 'Glacier', 'Harbour'];
    -- How many names are drawn for each match, of which the first different
    -- ones play; the frequent players are drawn again and again.
    draws CONSTANT integer := 80;
BEGIN
    IF players < 100 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('players must be at least 100, not %s', players),
            HINT = 'The largest matches have 20 players, who are drawn with very different frequency.';
    END IF;
    DELETE FROM demo.match_player;
    DELETE FROM demo.match;
    DELETE FROM demo.map;
    DELETE FROM demo.player;

    -- Random numbers are only drawn in the target list of a scan of
    -- generate_series(), at most one such query in a statement, so that no
    -- choice of the planner can change who gets which of them.
    PERFORM setseed(seed);

    -- The sum of four exponential variables has the Gamma(4, 1) distribution:
    -- mean 4, standard deviation 2, never negative.
    INSERT INTO demo.player (player_id, skill, side_offset, command_skill)
    SELECT i,
        -ln((1 - random()) * (1 - random()) * (1 - random()) * (1 - random())),
        demo.normal(),
        4 + demo.normal()
    FROM generate_series(1, players) AS i;

    INSERT INTO demo.map (map_id, name, log_odds)
    SELECT i, names[i], 0.4 * demo.normal()
    FROM generate_series(1, cardinality(names)) AS i;

    INSERT INTO demo.match (match_id, played_at, map_id, team_size, seconds,
        first_team, stacking, luck)
    SELECT i,
        timestamptz '2025-01-01 00:00:00+00' + i * interval '40 minutes',
        1 + floor(random() * cardinality(names)),
        6 + floor(random() * 5),
        round(greatest(median_round * exp(0.5 * demo.normal()), median_round / 5)),
        1 + floor(random() * 2),
        0.1 * (2 * random() - 1),
        random()
    FROM generate_series(1, matches) AS i;

    INSERT INTO demo.match_player (match_id, player_id, stint, team, joined, left_at,
        side, commanding)
    WITH draw AS MATERIALIZED (
        -- Activity falls exponentially, down to 1/400 of the most active player.
        SELECT 1 + i / draws AS match_id, i AS draw,
            1 + floor(-ln(1 - random()) * players / 6) AS player_id,
            random() AS team_luck, random() AS join_luck, random() AS join_share,
            random() AS leave_luck, random() AS leave_share, random() AS switch_luck,
            random() AS switch_share, random() AS command_luck, random() AS command_share
        FROM generate_series(0, matches * draws - 1) AS i
    ), different AS (
        SELECT DISTINCT ON (d.match_id, d.player_id) d.*
        FROM draw AS d
        WHERE d.player_id <= players
        ORDER BY d.match_id, d.player_id, d.draw
    ), queue AS (
        SELECT d.*, row_number() OVER (PARTITION BY d.match_id ORDER BY d.draw) AS place
        FROM different AS d
    ), divided AS (
        SELECT q.*, m.seconds, m.first_team,
            CASE
                WHEN row_number() OVER (
                    PARTITION BY m.match_id
                    ORDER BY q.team_luck + m.stacking * p.skill, q.draw) <= m.team_size
                THEN 1
                ELSE 2
            END AS team
        FROM queue AS q
        JOIN demo.match AS m ON m.match_id = q.match_id
        JOIN demo.player AS p ON p.player_id = q.player_id
        WHERE q.place <= 2 * m.team_size
    ), timed AS (
        -- A quarter comes late, mostly not by much, and a sixth leaves early.
        SELECT d.*,
            round(CASE WHEN d.join_luck < 0.25 THEN d.seconds * d.join_share ^ 2 ELSE 0 END)
                AS joined
        FROM divided AS d
    ), present AS (
        SELECT t.*,
            CASE
                WHEN t.leave_luck < 0.17
                THEN round(t.joined + (t.seconds - t.joined) * sqrt(t.leave_share))
                ELSE t.seconds
            END AS gone
        FROM timed AS t
    ), led AS (
        -- Whoever commands is there from start to end and stays on the side,
        -- as long as the team has anybody of whom that is true.
        SELECT p.*,
            row_number() OVER (
                PARTITION BY p.match_id, p.team
                ORDER BY p.joined > 0 OR p.gone < p.seconds, p.command_luck, p.draw) = 1
                AS commands
        FROM present AS p
    ), stint AS (
        SELECT l.*,
            CASE
                WHEN l.switch_luck < 0.02 AND NOT l.commands
                THEN round(l.joined + (l.gone - l.joined) * l.switch_share)
            END AS switched
        FROM led AS l
    )
    SELECT s.match_id, s.player_id, n,
        CASE n WHEN 1 THEN s.team ELSE 3 - s.team END,
        CASE n WHEN 1 THEN s.joined ELSE s.switched END,
        CASE n WHEN 1 THEN coalesce(s.switched, s.gone) ELSE s.gone END,
        CASE WHEN (n = 1) = (s.team = s.first_team) THEN 1 ELSE 2 END,
        -- Three in ten commanders leave the chair for a part of the match.
        CASE
            WHEN s.commands AND s.command_share < 0.3
            THEN round((0.5 + s.command_share)::numeric, 2)
            WHEN s.commands
            THEN 1
        END
    FROM stint AS s
    CROSS JOIN generate_series(1, 2) AS n
    WHERE n = 1 OR s.switched IS NOT NULL;

    UPDATE demo.match AS m
    SET true_probability = t.probability,
        winner = CASE WHEN m.luck < t.probability THEN m.first_team ELSE 3 - m.first_team END
    FROM (
        SELECT p.match_id,
            skillrating.hive_win_probability(
                skillrating.hive_state(
                    skill => player.skill,
                    side_offset => player.side_offset,
                    command_skill => player.command_skill),
                p.side,
                skillrating.inputs(
                    weight => w.weight,
                    commanding => p.commanding,
                    log_odds => map.log_odds)
                -- The order of a floating-point sum decides about its last bit.
                ORDER BY p.side, p.player_id, p.stint) AS probability
        FROM demo.match_player AS p
        JOIN demo.player USING (player_id)
        JOIN demo.match USING (match_id)
        JOIN demo.map USING (map_id)
        CROSS JOIN LATERAL skillrating.hive_weight(p.joined, p.left_at, median_round) AS w (weight)
        GROUP BY p.match_id
    ) AS t
    WHERE t.match_id = m.match_id;

    UPDATE demo.match_player AS p
    SET rank = CASE WHEN p.team = m.winner THEN 1 ELSE 2 END
    FROM demo.match AS m
    WHERE m.match_id = p.match_id;

    -- Autovacuum may not have come by when the tables are read next.
    ANALYZE demo.player, demo.map, demo.match, demo.match_player;
END
$function$;

COMMENT ON FUNCTION demo.simulate_matches(integer, integer, float8, float8) IS
'Replaces the contents of the simulated tables by so many matches, of 6 to 10 players a team and of a length around the median round in seconds. The same arguments give the same matches. Error 22023 for fewer than 100 players.';
