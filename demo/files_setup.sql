-- What demo/files.sh needs once.

CREATE TABLE demo.result (
    number integer,
    file text,
    model text,
    matches bigint,
    participants bigint,
    players bigint,
    unrated bigint,
    reasons text,
    seconds numeric,
    forecasts bigint,
    brier numeric,
    brier_base numeric,
    log_loss numeric,
    log_loss_base numeric,
    sound boolean
);

COMMENT ON TABLE demo.result IS
'A row for each file and model: sizes, the time to load and rate, the scores of the forecasts of matches between two teams (base: a constant forecast of the share that the first team won), and whether verify() agrees.';

CREATE FUNCTION demo.to_time(t text)
RETURNS timestamptz
LANGUAGE sql STABLE
RETURN CASE
    WHEN t ~ '^[0-9]+(\.[0-9]*)?$' THEN to_timestamp(t::float8)
    ELSE t::timestamptz
END;

COMMENT ON FUNCTION demo.to_time(text) IS
'A date or timestamp, or an ordinal number, which becomes that many seconds after the epoch.';

CREATE FUNCTION demo.rate_file(number integer, file text, model text)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
    ladder text := format('file_%s_%s', number, model);
    begun timestamptz := clock_timestamp();
    elapsed numeric;
BEGIN
    PERFORM skillrating.create_ladder(ladder, model, player_type => 'text', match_type => 'text');
    EXECUTE format(
        'INSERT INTO %I.match (match_id, played_at)
        SELECT match_id, min(played_at) FROM demo.participant GROUP BY match_id', ladder);
    EXECUTE format(
        'INSERT INTO %I.match_player (match_id, player_id, stint, team, rank, weight, joined, left_at, side, commanding)
        SELECT match_id, player, stint, team, rank, weight, joined, left_at, side, commanding FROM demo.participant', ladder);
    SET CONSTRAINTS ALL IMMEDIATE;
    elapsed := extract(epoch FROM clock_timestamp() - begun);
    EXECUTE format('ANALYZE %1$I.match_player, %1$I.event, %1$I.rated_match', ladder);
    EXECUTE format(
        'WITH forecast AS MATERIALIZED (
            SELECT * FROM demo.forecasts(%1$L)
        ), base AS (
            SELECT avg(outcome) AS rate FROM forecast
        )
        INSERT INTO demo.result
        SELECT $1, $2, $3,
            (SELECT count(*) FROM %1$I.match), (SELECT count(*) FROM %1$I.match_player),
            (SELECT count(*) FROM %1$I.rating),
            (SELECT count(*) FROM %1$I.rated_match WHERE status = ''unrated''),
            (SELECT string_agg(DISTINCT reason, '', '') FROM %1$I.rated_match),
            round($4, 2), count(*),
            round(skillrating.brier_score(probability, outcome)::numeric, 4),
            round(skillrating.brier_score(rate, outcome)::numeric, 4),
            round(skillrating.log_loss(probability, outcome)::numeric, 4),
            round(skillrating.log_loss(rate, outcome)::numeric, 4),
            (SELECT bool_and(ok) FROM skillrating.verify(%1$L))
        FROM forecast, base', ladder)
    USING number, file, model, elapsed;
    PERFORM skillrating.drop_ladder(ladder);
END
$function$;

COMMENT ON FUNCTION demo.rate_file(integer, text, text) IS
'Rates demo.participant in a ladder of its own under a model, and keeps the scores in demo.result.';
