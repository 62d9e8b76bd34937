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

CREATE FUNCTION skillrating.find_opponents(
    ladder text,
    player_id anycompatible,
    n integer DEFAULT 10,
    pool text DEFAULT '',
    min_games bigint DEFAULT 0,
    active_since timestamptz DEFAULT NULL,
    max_deviation float8 DEFAULT NULL,
    OUT opponent_id text,
    OUT rating float8,
    OUT games bigint,
    OUT win_probability float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating.ladder_types(ladder);
    eligible text := skillrating.eligible_players(ladder, max_deviation);
    player_rating float8;
BEGIN
    IF n IS NULL OR n < 0 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('n must not be negative or null, not %s', n);
    END IF;
    IF player_id IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT coalesce((SELECT r.rating FROM %1$I.rating AS r WHERE r.pool = $1 AND r.player_id %2$s CAST($2 AS %3$s)),
            skillrating.state_rating(l.model, skillrating.initial_state(l.model, l.params), l.params)) FROM %1$I.ladder AS l', ladder, t.player_equals, t.player_type)
    INTO player_rating USING pool, player_id::text;
    -- Twice as many as are wanted on either side by the index, of whom the model then has its say.
    RETURN QUERY EXECUTE format(
        'WITH near AS (
            (SELECT r.* FROM %1$I.rating AS r WHERE %2$s AND r.rating >= $5 AND NOT r.player_id %3$s CAST($6 AS %4$s) ORDER BY r.rating, r.player_id DESC LIMIT 2 * $7)
            UNION ALL
            (SELECT r.* FROM %1$I.rating AS r WHERE %2$s AND r.rating < $5 AND NOT r.player_id %3$s CAST($6 AS %4$s) ORDER BY r.rating DESC, r.player_id LIMIT 2 * $7)
        )
        SELECT n.player_id::text, n.rating, n.games, w.win_probability
        FROM near AS n, skillrating.win_probability($8, ARRAY[CAST($6 AS %4$s), n.player_id], ARRAY[1, 2], $1) AS w WHERE w.team_number = 1
        ORDER BY abs(w.win_probability - 0.5), n.rating DESC, n.player_id LIMIT $7', ladder, eligible, t.player_equals, t.player_type)
    USING pool, min_games, active_since, max_deviation, player_rating, player_id::text, n, ladder;
END
$function$;

COMMENT ON FUNCTION skillrating.find_opponents(text, anycompatible, integer, text, bigint, timestamptz, float8) IS
'The n opponents with whom a match of two would be most even, the most even first: of the 2 n players above and the 2 n below in the leaderboard with the same conditions (see leaderboard()), those whose win probability by the ladder''s model is nearest to one half; win_probability is that of the player. Somebody new is taken for what newcomers are. No rows for a null player. Errors: 42704 for an unknown ladder, 22023 for a negative n.';
