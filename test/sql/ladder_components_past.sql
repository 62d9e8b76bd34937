-- components() at a time of the past: as a ladder has them that got no matches after it.
\set SHOW_CONTEXT never
CREATE SCHEMA regress_components_past;
SET search_path = regress_components_past;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE FUNCTION play(ladder text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO %I.match (match_id, played_at, context)
        SELECT i, timestamptz ''2024-01-01'' + i * interval ''1 hour'', ''map '' || i %% 3
        FROM generate_series($1, $2) AS i', ladder) USING first, last;
    EXECUTE format(
        'INSERT INTO %I.match_player (match_id, player_id, team, side, rank, club)
        SELECT i, 1 + (i * 7 + t * (1 + i %% 3)) %% 13, t, t, CASE WHEN i %% 2 = 0 THEN t ELSE 3 - t END,
            ''club '' || (i + t) %% 2
        FROM generate_series($1, $2) AS i, generate_series(1, 2) AS t', ladder) USING first, last;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
END
$$;
CREATE FUNCTION same(at timestamptz) RETURNS TABLE (same boolean, n bigint) LANGUAGE sql AS $$
    SELECT array_agg(a::text) = (SELECT array_agg(b::text) FROM skillrating.components('went_on', at => same.at) AS b), count(*)
    FROM skillrating.components('ended', at => same.at) AS a
$$;

SELECT skillrating.create_ladder(l, 'state_space', '{"home_sigma": 0.5, "club_sigma": 0.4, "player_context_sigma": 0.3}')
FROM unnest('{ended,went_on}'::text[]) AS l;
SELECT play(l, 1, 100) FROM unnest('{ended,went_on}'::text[]) AS l;
SELECT players FROM unnest('{ended,went_on}'::text[]) AS l, skillrating.new_season(l, 'first', 0.5, at => '2024-01-05 12:00');
SELECT players FROM unnest('{ended,went_on}'::text[]) AS l, skillrating.reset_rating(l, 3, at => '2024-01-05 13:00');
SELECT play('went_on', 115, 150);
SELECT * FROM same('2024-01-05 14:00');
SELECT sum(games) FILTER (WHERE kind = 'context') AS now, (SELECT sum(games) FILTER (WHERE kind = 'context')
    FROM skillrating.components('went_on', at => '2024-01-05 14:00')) AS then
FROM skillrating.components('went_on');
SELECT count(*) FROM skillrating.components('went_on', at => '2023-01-01');

-- Of one player and kind.
SELECT count(*) > 0 AS any, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS other
FROM skillrating.components('ended', 4, 'player_context', '', '2024-01-05 14:00') AS a
FULL JOIN skillrating.components('went_on', 4, 'player_context', '', '2024-01-05 14:00') AS b USING (key);

-- Behind a horizon, without the events of before, and not before it.
SELECT horizon > 0 AS set FROM skillrating.set_horizon('went_on', '2024-01-04');
DELETE FROM went_on.event WHERE seq <= (SELECT horizon FROM went_on.ladder);
DELETE FROM went_on.component_event WHERE seq <= (SELECT horizon FROM went_on.ladder);
SELECT * FROM same('2024-01-05 14:00');
SELECT * FROM skillrating.components('went_on', at => '2024-01-03');

-- The past takes the right to read events.
CREATE ROLE regress_components_reader;
GRANT USAGE ON SCHEMA went_on TO regress_components_reader;
GRANT SELECT ON went_on.component, went_on.ladder TO regress_components_reader;
SET ROLE regress_components_reader;
SELECT count(*) > 0 AS any FROM skillrating.components('went_on');
SELECT count(*) FROM skillrating.components('went_on', at => '2024-01-05 14:00');
RESET ROLE;

SELECT skillrating.drop_ladder(l) FROM unnest('{ended,went_on}'::text[]) AS l;
DROP ROLE regress_components_reader;
DROP SCHEMA regress_components_past CASCADE;
