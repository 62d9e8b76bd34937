-- Players of the ladder of a queue.

CREATE FUNCTION skillrating_queue.lobby_of(
    q record,
    players text[],
    at timestamptz,
    party integer[] DEFAULT NULL,
    commanders boolean[] DEFAULT NULL,
    locked integer[] DEFAULT NULL)
RETURNS skillrating.lobby
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
    RETURN skillrating.lobby(q.ladder, players, party => party::text[], locked => locked,
        commanders => CASE WHEN q.commanders THEN commanders END,
        context => CASE WHEN q.context IS NOT NULL THEN ARRAY[q.context] END,
        pool => q.rating_pool, sides => q.sides, caution => q.caution, log_odds => q.log_odds,
        at => lobby_of.at);
END
$function$;

COMMENT ON FUNCTION skillrating_queue.lobby_of(record, text[], timestamptz, integer[], boolean[], integer[]) IS
'Players as a lobby of the ladder of a queue, at a time.';
