-- The views of a ladder: its boards with its own types of identifiers, to be joined and published.

CREATE FUNCTION skillrating_internal.provisional_expression(
    model text,
    params jsonb)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE WHEN m.deviation_column IS NULL
        THEN format('r.games < %s', coalesce((params->>'shadow_games')::numeric::bigint, 10))
        ELSE format('NOT r.%I < %L::float8', m.deviation_column, (skillrating.initial_state(model, params))[
            array_position(m.state_columns, m.deviation_column)] / 2) END
    FROM skillrating.models(model, params) AS m
$function$;

COMMENT ON FUNCTION skillrating_internal.provisional_expression(text, jsonb) IS
'Whether a row r of table rating is provisional, as SQL, of a model with complete parameters: its
deviation is not below half of the initial one, as pool_quality() has it, or, under models without,
it has fewer games than the parameter shadow_games, or else 10.';

CREATE FUNCTION skillrating_internal.create_views(
    ladder text,
    model text,
    params jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    deviation text;
    described record;
    kinds text[];
BEGIN
    SELECT coalesce('r.' || quote_ident(m.deviation_column), 'NULL::float8') INTO deviation
    FROM skillrating.models(model, params) AS m;
    -- Players without a match are hidden, also from functions that a reader puts into a condition.
    EXECUTE format(
        'CREATE VIEW %1$I.leaderboard WITH (security_barrier) AS
        SELECT r.pool, rank() OVER (PARTITION BY r.pool ORDER BY r.rating DESC) AS place, r.player_id,
            r.rating, %2$s AS deviation, r.games, r.wins, r.draws, r.losses, r.last_played,
            %3$s AS provisional, r.fixed
        FROM %1$I.rating AS r WHERE r.games > 0', ladder, deviation,
        skillrating_internal.provisional_expression(model, params));
    EXECUTE format(
        'CREATE VIEW %1$I.history AS
        SELECT e.pool, e.player_id, e.seq, e.kind, e.match_id, e.played_at, e.games_before, e.team, e.score,
            e.win_probability, %2$s AS rating_before, %3$s AS rating_after, e.reason
        FROM %1$I.event AS e', ladder, skillrating_internal.display_columns(model, params, 'e.', '_before'),
        skillrating_internal.display_columns(model, params, 'e.', '_after'));
    SELECT coalesce(array_agg(c.kind), '{}') INTO kinds
    FROM skillrating.models(model, params) AS m, unnest(m.components) AS c WHERE c.state_columns[2] IN ('deviation', 'sigma');
    EXECUTE format(
        'CREATE VIEW %1$I.components WITH (security_barrier) AS
        SELECT c.kind, c.pool, nullif(c.key, '''') AS key, c.player_id, c.state[1] AS mu, CASE WHEN c.kind = ANY (%2$L) THEN c.state[2] END AS deviation,
            c.games, c.last_played, c.as_of, c.state
        FROM %1$I.component AS c WHERE c.games > 0', ladder,
        kinds);
    FOR described IN
        SELECT v.name, e.key, e.value
        FROM (VALUES ('leaderboard', '{
        "": "Players by their ratings: a row for each player with a rated match in a pool, as leaderboard() has it.",
        "pool": "The rating pool.",
        "place": "The place in the pool: 1 is first, and equal ratings share a place.",
        "player_id": "The player.",
        "rating": "The displayed rating, as stored: as of the last match or operation.",
        "deviation": "The deviation of the rating; null under a model that has none.",
        "games": "How many rated matches the player has played.",
        "wins": "How many of them the player has won: was sole first.",
        "draws": "How many of them the player has drawn: shared the first place.",
        "losses": "How many of them the player has lost.",
        "last_played": "When the last one was played.",
        "provisional": "Whether the rating still has to settle: the deviation is not below half of the initial one; under a model that has none, there are fewer games than the parameter shadow_games, or else 10.",
        "fixed": "Whether the player is fixed, as bots and puzzles are: see set_fixed()."}'), ('history', '{
        "": "What has happened to players: a row for each player and rated match, and for each player whom an operation changed, as history() has it.",
        "pool": "The rating pool.",
        "player_id": "The player.",
        "seq": "The place in the order of rating, which all rows of a match or operation share.",
        "kind": "match, or the kind of the operation.",
        "match_id": "The match; null for an operation.",
        "played_at": "When the match was played, or the time of the operation.",
        "games_before": "How many rated matches the player had played before.",
        "team": "The team of the player, the one on which most was played.",
        "score": "1 for a win, 0.5 for a draw, 0 for a loss.",
        "win_probability": "The probability of a win that was predicted, a draw counted half.",
        "rating_before": "The displayed rating before, as of played_at.",
        "rating_after": "The displayed rating after.",
        "reason": "Why the operation was made."}'), ('components', '{
        "": "What the ladder has learned of home advantage, maps, clubs, players on a map, or whatever its model has: a row for each that was in a rated match.",
        "kind": "The kind of component, see models().",
        "pool": "The rating pool.",
        "key": "The context or the club; null for a kind without.",
        "player_id": "The player whose it is; null for what is nobody''s.",
        "mu": "The mean, in units of the rating or of whatever the model says of the kind.",
        "deviation": "The deviation of the mean, as of as_of; null for a kind without.",
        "games": "In how many rated matches it was.",
        "last_played": "When the last one was played.",
        "as_of": "The time as of which the state is.",
        "state": "All state columns of the kind, mu among them."}')) AS v(name, comments), jsonb_each_text(v.comments::jsonb) AS e
    LOOP
        EXECUTE format('COMMENT ON %s %I.%I%s IS %L', CASE described.key WHEN '' THEN 'VIEW' ELSE 'COLUMN' END, ladder, described.name,
            '.' || quote_ident(nullif(described.key, '')), described.value);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_views(text, text, jsonb) IS
'A part of create_ladder(): the views leaderboard, history and components. They read with the rights
of the ladder''s owner, so that whoever may read them needs no privilege on a table.';
