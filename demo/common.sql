-- What all parts of the demo use: how to score forecasts, and how to stop when
-- a ladder is not sound.

CREATE SCHEMA IF NOT EXISTS demo;

CREATE EXTENSION IF NOT EXISTS skillrating;

CREATE OR REPLACE FUNCTION demo.forecasts(ladder text)
RETURNS TABLE (played_at timestamptz, probability float8, outcome float8)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- The history has a row for each player, but players of a team share their
    -- forecast, and that of the other team says the same again.  Hence one row
    -- for each match, of the team with the lowest number.
    RETURN QUERY EXECUTE format(
        'SELECT DISTINCT ON (e.seq) e.played_at, e.win_probability, e.score
        FROM %1$I.event AS e
        JOIN (SELECT p.match_id
              FROM %1$I.match_player AS p
              GROUP BY p.match_id
              HAVING min(p.team) <> max(p.team) AND count(DISTINCT p.team) = 2) AS two_teams
            ON two_teams.match_id = e.match_id
        ORDER BY e.seq, e.team', ladder);
END
$function$;

COMMENT ON FUNCTION demo.forecasts(text) IS
'One row for each rated match between two teams of a ladder: the probability that the team with the lower number wins, as it was predicted before the match, and what that team scored (1 won, 0.5 drew, 0 lost).';

CREATE OR REPLACE FUNCTION demo.require_sound(ladder text)
RETURNS void
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    failed text;
BEGIN
    SELECT string_agg(format('%s (%s)', v.check_name, v.detail), ', ') INTO failed
    FROM skillrating.verify(ladder) AS v
    WHERE v.ok IS NOT TRUE;
    IF failed IS NOT NULL THEN
        RAISE EXCEPTION 'ladder "%" does not verify: %', ladder, failed;
    END IF;
END
$function$;

COMMENT ON FUNCTION demo.require_sound(text) IS
'Error P0001 unless every check of skillrating.verify() is true.';
