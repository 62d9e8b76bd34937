-- What becomes of tickets when accounts are merged, excluded or forgotten.

CREATE FUNCTION skillrating_internal.drop_tickets(
    ladder text,
    tickets bigint[],
    reason text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    proposals bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT t.proposal), ''{}'') FROM %I.queue_ticket AS t
        WHERE t.ticket = ANY ($1) AND t.status = ''proposed''', ladder)
    INTO proposals USING tickets;
    PERFORM skillrating_internal.cancel_proposals(ladder, proposals, reason, tickets,
        clock_timestamp());
    PERFORM skillrating_internal.end_tickets(ladder, tickets, reason, clock_timestamp());
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_tickets(text, bigint[], text) IS
'Ends tickets that are waiting or proposed, on a ladder that the caller has for itself. Error 55000
unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.recount_backfills(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    backfills bigint[];
BEGIN
    EXECUTE format(
        'UPDATE %1$I.queue_backfill_player AS p SET counts_as = a.counts_as
        FROM (
            SELECT o.backfill, o.player_id,
                coalesce(CAST(m.into_id AS %2$s), o.player_id) AS counts_as
            FROM %1$I.queue_backfill_player AS o
            LEFT JOIN skillrating_internal.merged_accounts(%4$L) AS m
                ON CAST(m.player_id AS %2$s) %3$s o.player_id) AS a
        WHERE a.backfill = p.backfill AND a.player_id %3$s p.player_id
            AND NOT a.counts_as %3$s p.counts_as', ladder, t.player_type, t.player_equals, ladder);
    EXECUTE format(
        'SELECT array_agg(DISTINCT p.backfill)
        FROM %1$I.queue_backfill_player AS p JOIN %1$I.queue_backfill_player AS o
            ON o.backfill = p.backfill AND o.counts_as %2$s p.counts_as
        WHERE NOT o.player_id %2$s p.player_id', ladder, t.player_equals)
    INTO backfills;
    PERFORM skillrating_internal.end_backfill(ladder, b.backfill, 'merged', clock_timestamp())
    FROM unnest(backfills) AS b(backfill);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.recount_backfills(text) IS
'A part of recount_queues(): a running match in which one player has two accounts now asks for
nobody any more, because no model knows such a match. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.recount_queues(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    accounts text;
    tickets bigint[];
BEGIN
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    accounts := format(
        'WITH account AS (
            SELECT p.player_id, k.ticket, k.joined_at,
                coalesce(CAST(m.into_id AS %2$s), p.player_id) AS counts_as
            FROM %1$I.queue_player AS p
            JOIN %1$I.queue_ticket AS k ON k.ticket = p.ticket
            LEFT JOIN skillrating_internal.merged_accounts(%4$L) AS m
                ON CAST(m.player_id AS %2$s) %3$s p.player_id)',
        ladder, t.player_type, t.player_equals, ladder);
    -- Of two tickets of one player the older one stays.
    EXECUTE accounts || format(
        'SELECT array_agg(DISTINCT a.ticket)
        FROM account AS a JOIN account AS o ON o.counts_as %1$s a.counts_as
        WHERE NOT o.player_id %1$s a.player_id
            AND (o.ticket = a.ticket OR (o.joined_at, o.ticket) < (a.joined_at, a.ticket))',
        t.player_equals)
    INTO tickets;
    PERFORM skillrating_internal.drop_tickets(ladder, tickets, 'merged');
    EXECUTE accounts || format(
        'UPDATE %I.queue_player AS p SET counts_as = a.counts_as FROM account AS a
        WHERE a.player_id %2$s p.player_id AND NOT a.counts_as %2$s p.counts_as',
        ladder, t.player_equals);
    EXECUTE format(
        'SELECT array_agg(DISTINCT p.ticket)
        FROM %1$I.queue_player AS p
        JOIN %1$I.operation AS o ON o.player_id %2$s p.player_id OR o.player_id %2$s p.counts_as
        WHERE o.kind = ''exclude'' AND o.undone_at IS NULL AND o.since <= clock_timestamp()
            AND o.until > clock_timestamp()', ladder, t.player_equals)
    INTO tickets;
    PERFORM skillrating_internal.drop_tickets(ladder, tickets, 'excluded');
    PERFORM skillrating_internal.recount_backfills(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.recount_queues(text) IS
'A part of merge_players() and all that changes which account counts as which player, on a ladder
that the caller has for itself: no player has two tickets after that, and none who is excluded has
one. Error 55000 unless the door to the ladder is open.';

CREATE FUNCTION skillrating_internal.forget_in_queues(
    ladder text,
    players text[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    tickets bigint[];
BEGIN
    IF NOT skillrating_internal.has_queue_tables(ladder) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT array_agg(DISTINCT p.ticket) FROM %1$I.queue_player AS p
        WHERE EXISTS (
            SELECT FROM unnest(CAST($1 AS %2$s[])) AS u(id)
            WHERE u.id %3$s p.player_id OR u.id %3$s p.counts_as)',
        ladder, t.player_type, t.player_equals)
    INTO tickets USING players;
    PERFORM skillrating_internal.drop_tickets(ladder, tickets, 'forgotten');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_in_queues(text, text[]) IS
'A part of forget_player(): ends the tickets of players, before they are renamed. Error 55000 unless
the door to the ladder is open.';
