-- Fair teams of a ladder's players.

CREATE FUNCTION skillrating.split_ladder(
    ladder text,
    players anyarray,
    team_size integer DEFAULT NULL,
    party integer[] DEFAULT NULL,
    locked integer[] DEFAULT NULL,
    avoid text[] DEFAULT NULL,
    pool text DEFAULT '',
    log_odds float8 DEFAULT 0,
    caution float8 DEFAULT 0,
    budget float8 DEFAULT NULL,
    seed bigint DEFAULT NULL)
RETURNS TABLE (player anyelement, team integer, rating float8, difference float8, win_probability float8, exact boolean, bound float8)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating.ladder_types(ladder);
    model record;
    ratings float8[];
    strength text;
BEGIN
    IF players IS NULL THEN
        RETURN;
    END IF;
    IF pool IS NULL OR log_odds IS NULL OR caution IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'pool, log_odds and caution must not be null';
    END IF;
    EXECUTE format(
        'SELECT m.name, m.state_columns[1] AS rating, m.deviation_column AS deviation, skillrating.initial_state(l.model, l.params) AS initial,
            array_position(m.state_columns, m.deviation_column) AS deviation_number, skillrating.log_odds_unit(l.model, l.params) AS unit, l.params ->> ''team'' AS team
        FROM %I.ladder AS l JOIN skillrating.models() AS m ON m.name = l.model', ladder)
    INTO model;
    strength := CASE WHEN model.name = 'hive' THEN 'share' WHEN model.name IN ('trueskill', 'trueskill2', 'weng_lin') THEN 'sum' ELSE coalesce(model.team, 'mean') END;
    IF caution <> 0 AND model.deviation IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('model "%s" has no deviation to be cautious about', model.name);
    END IF;
    -- Somebody new is worth what newcomers are.
    EXECUTE format(
        'SELECT array_agg(coalesce(r.%2$I, $3) - $4 * coalesce(%3$s, $5) ORDER BY p.n)
        FROM unnest($1) WITH ORDINALITY AS p(id, n) LEFT JOIN %1$I.rating AS r ON r.player_id %4$s CAST(p.id AS %5$s) AND r.pool = $2',
        ladder, model.rating, CASE WHEN model.deviation IS NULL THEN 'NULL' ELSE format('r.%I', model.deviation) END, t.player_equals, t.player_type)
    INTO ratings
    USING players, pool, model.initial[1], caution, coalesce(model.initial[model.deviation_number], 0);
    -- The probability is what the model itself says of these teams.
    RETURN QUERY
    WITH split AS MATERIALIZED (
        SELECT s.* FROM skillrating.split_teams(players, coalesce(ratings, '{}'), 2, team_size, party, locked, avoid, log_odds => log_odds, strength => strength,
            scale => CASE strength WHEN 'share' THEN 1 ELSE model.unit END, budget => budget, seed => seed) WITH ORDINALITY AS s(player, team, difference, win_probability, exact, bound, commands, n)
    ), playing AS (
        SELECT array_agg(s.player ORDER BY s.n) AS who, array_agg(s.team ORDER BY s.n) AS team FROM split AS s WHERE s.team IS NOT NULL
    )
    SELECT s.player, s.team, ratings[s.n], s.difference,
        (SELECT w.win_probability FROM playing AS p, skillrating.win_probability(ladder, p.who, p.team, pool, log_odds) AS w WHERE w.team_number = 1), s.exact, s.bound
    FROM split AS s ORDER BY s.n;
END
$function$;

COMMENT ON FUNCTION skillrating.split_ladder(text, anyarray, integer, integer[], integer[], text[], text, float8, float8, float8, bigint) IS
'split_teams() by the ratings that players have in a pool of a ladder, those of a newcomer for who has none. Teams are what the ladder''s model takes them for: means under elo (or sums, as its parameter team says), glicko, glicko2, frag and synelo, sums under trueskill, trueskill2 and weng_lin, shares under hive, without side offsets. With caution, so many deviations are taken off each rating, under models that have one, so that players who are little known count less. rating is what a player counted; difference is that of the teams'' strengths in the model''s own points, and win_probability what win_probability() says of the teams. Errors: 42704 for an unknown ladder, 22023 for caution under a model without deviations, 22004 for nulls, and as split_teams().';
