-- Parts of swap_ladders(): what happened to ladder a since rerate() made ladder b of it.
--
-- The history of a counts, because a is the one in use: b gets its places, its operations by their
-- numbers and its void matches.  What b alone has stays.  An operation is the same in both if
-- number and made_at are: of numbers both may have given one.  Each part notes in table correction
-- of b from where on history is out of date; catch_up(b) replays it from there.
--
-- Ladder b is locked, and a goes on meanwhile.  So one statement, survey(), copies what a has
-- otherwise than b into tables of ours in the schema of b, and everything else goes by these.
-- What comes to a after that is for the next survey, which looks only at rows that have changed
-- since; the last one, when a is locked as well, finds what came in the moment before.

CREATE FUNCTION skillrating_internal.origin(ladder text)
RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT n.nspname::text
    FROM pg_class AS source
    JOIN pg_rewrite AS w ON w.ev_class = source.oid
    JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
    JOIN pg_class AS c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_class AS l
        ON l.relnamespace = n.oid AND l.relname = 'ladder' AND l.relowner = source.relowner
    WHERE source.oid = to_regclass(format('%I.source', ladder))
        AND c.relname = 'source' AND c.oid <> source.oid AND c.relowner = source.relowner
    LIMIT 1
$function$;

COMMENT ON FUNCTION skillrating_internal.origin(text) IS
'The ladder that a ladder shares its matches with, because rerate() made it of that one: null if
there is none, or if it belongs to another role.';

CREATE FUNCTION skillrating_internal.note_changed_matches(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    origin text := skillrating_internal.origin(ladder);
    t record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF origin IS NULL THEN
        RETURN;
    END IF;
    -- Triggers report to the origin only.
    t := skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_pending(ladder);
    EXECUTE format(
        'INSERT INTO %1$I.pending (match_id, xact, fires, since)
        SELECT m.match_id, pg_current_xact_id(), false, now()
        FROM %1$I.rated_match AS m
        LEFT JOIN %2$I.rated_match AS n ON n.match_id %3$s m.match_id
        WHERE n.digest IS DISTINCT FROM m.digest
        UNION ALL
        SELECT p.match_id, pg_current_xact_id(), false, now() FROM %2$I.pending AS p
        UNION ALL
        SELECT c.match_id, pg_current_xact_id(), false, now() FROM %2$I.correction AS c
        WHERE c.match_id IS NOT NULL', ladder, origin, t.match_equals);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_changed_matches(text) IS
'A part of catch_up() with search: puts into pending the matches of which the ladder''s origin has
seen other content, or has none, and those that wait there.';

CREATE FUNCTION skillrating_internal.own_operations(
    a text,
    b text)
RETURNS bigint[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    own bigint[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    EXECUTE format(
        'SELECT array_agg(DISTINCT o.operation) FROM %2$I.operation AS o
        WHERE NOT EXISTS (
            SELECT FROM %2$I.carried_operation AS n
            WHERE n.operation = o.operation AND n.kind = o.kind AND n.made_at = o.made_at)', a, b)
    INTO own;
    RETURN coalesce(own, '{}');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.own_operations(text, text) IS
'A part of swap_ladders(): the numbers of the operations that ladder b has and ladder a has not.';

CREATE FUNCTION skillrating_internal.make_room(
    a text,
    b text,
    whole boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
    own bigint[] := skillrating_internal.own_operations(a, b);
    sequence constant text := format('%I.event_seq', b);
    own_places constant text := format(
        'SELECT m.seq, m.played_at AS at FROM %1$I.rated_match AS m
        JOIN %1$I.carried_own AS n ON n.match_id %2$s m.match_id
        WHERE m.seq IS NOT NULL
        UNION
        SELECT o.seq, o.at FROM %1$I.operation AS o WHERE o.operation = ANY ($1)',
        b, t.match_equals);
    place bigint;
    since timestamptz;
    first_taken bigint;
    behind bigint;
    moved bigint[];
BEGIN
    EXECUTE format(
        'SELECT setval(%L, greatest(x.last_value, y.last_value))
        FROM %I.event_seq AS x, %I.event_seq AS y', sequence, a, b)
    INTO behind;
    EXECUTE format(
        'SELECT min(p.seq) FROM (%s) AS p
        WHERE p.seq IN (SELECT n.seq FROM %2$I.carried_match AS n WHERE n.seq IS NOT NULL
            UNION ALL SELECT n.seq FROM %2$I.carried_operation AS n)', own_places, b)
    INTO first_taken USING own;
    EXECUTE format('SELECT min(p.seq), min(p.at) FROM (%s) AS p WHERE $2 OR p.seq >= $3', own_places)
    INTO place, since USING own, whole, first_taken;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => since);
    EXECUTE format(
        'WITH place AS MATERIALIZED (
            SELECT p.seq, $3 + row_number() OVER (ORDER BY p.seq) AS new_seq
            FROM (SELECT DISTINCT p.seq FROM (%1$s) AS p) AS p WHERE p.seq >= $2
        ), matches AS (
            UPDATE %2$I.rated_match AS m SET seq = p.new_seq FROM place AS p WHERE m.seq = p.seq
        ), operations AS (
            UPDATE %2$I.operation AS o SET seq = p.new_seq FROM place AS p
            WHERE o.seq = p.seq AND o.operation = ANY ($1) RETURNING o.operation, o.undone_at
        )
        SELECT setval(%3$L, $3 + (SELECT count(*) FROM place)),
            (SELECT array_agg(DISTINCT o.operation ORDER BY o.operation)
             FROM operations AS o WHERE o.undone_at IS NULL)',
        own_places, b, sequence)
    INTO behind, moved USING own, first_taken, behind;
    IF moved IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format(
                'operations of ladder "%s" now come after all matches and operations of ladder "%s": %s',
                b, a, array_to_string(moved, ', '));
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.make_room(text, text, boolean) IS
'A part of swap_ladders(): gives what ladder b alone has new places behind everything, from the
first place on that ladder a has given to something else, and says so in a notice. The sequence of b
goes on behind both.';

CREATE FUNCTION skillrating_internal.renumber_operations(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    number bigint;
    next_number bigint;
    active boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    FOR number IN EXECUTE format(
        'SELECT DISTINCT n.operation FROM %I.carried_operation AS n
        WHERE n.operation = ANY ($1) ORDER BY n.operation', b)
    USING skillrating_internal.own_operations(a, b)
    LOOP
        next_number := nextval(format('%I.event_seq', b));
        EXECUTE format(
            'WITH renumbered AS (
                UPDATE %1$I.operation AS o SET operation = $2 WHERE o.operation = $1
                RETURNING o.undone_at
            ), standings AS (
                UPDATE %1$I.standing AS s SET operation = $2 WHERE s.operation = $1)
            SELECT bool_or(r.undone_at IS NULL) FROM renumbered AS r', b)
        INTO active USING number, next_number;
        IF active THEN
            RAISE NOTICE USING
                MESSAGE = format('operation %s of ladder "%s" now has number %s',
                    number, b, next_number),
                DETAIL = format('Ladder "%s" has another operation of that number.', a);
        END IF;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.renumber_operations(text, text) IS
'A part of swap_ladders(): gives new numbers to operations of ladder b''s own whose number ladder a
has given to another one, which notices say. The sequence of b is behind both, see make_room().';

CREATE FUNCTION skillrating_internal.carry_matches(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
    place bigint;
    since timestamptz;
BEGIN
    -- By way of negative places, because a place is taken until its match has left it.
    EXECUTE format(
        'WITH moved AS MATERIALIZED (
            SELECT m.match_id, m.seq, n.seq AS new_seq, n.played_at
            FROM %1$I.rated_match AS m JOIN %1$I.carried_match AS n ON n.match_id %2$s m.match_id
            WHERE n.seq IS NOT NULL AND m.seq IS DISTINCT FROM n.seq
        ), placed AS (
            UPDATE %1$I.rated_match AS m SET seq = -v.new_seq FROM moved AS v
            WHERE m.match_id %2$s v.match_id
        )
        SELECT min(least(v.seq, v.new_seq)), min(v.played_at) FROM moved AS v',
        b, t.match_equals)
    INTO place, since;
    EXECUTE format('UPDATE %I.rated_match AS m SET seq = -m.seq WHERE m.seq < 0', b);
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => since);

    -- Later decisions count.
    EXECUTE format(
        'WITH decided AS (
            UPDATE %1$I.rated_match AS m SET void_reason = n.void_reason, decided_at = n.decided_at
            FROM %1$I.carried_match AS n
            WHERE n.match_id %2$s m.match_id AND n.known AND n.void_reason IS DISTINCT FROM m.void_reason
                AND coalesce(n.decided_at, ''-infinity'') >= coalesce(m.decided_at, ''-infinity'')
            RETURNING m.seq, m.played_at)
        SELECT min(d.seq), min(d.played_at) FROM decided AS d', b, t.match_equals)
    INTO place, since;
    PERFORM skillrating_internal.note_correction(b, 'carried_match', place, played_at => since);

    PERFORM skillrating_internal.check_pending(b);
    EXECUTE format(
        'INSERT INTO %1$I.pending (match_id, xact, fires, since)
        SELECT n.match_id, pg_current_xact_id(), false, now()
        FROM %1$I.carried_match AS n JOIN %1$I.rated_match AS m ON n.match_id %2$s m.match_id
        WHERE n.digest IS DISTINCT FROM m.digest
        UNION ALL
        SELECT w.match_id, pg_current_xact_id(), false, now() FROM %1$I.carried_waiting AS w',
        b, t.match_equals);
    PERFORM skillrating_internal.copy_matches(format('%I.carried_match', b), b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_matches(text, text) IS
'A part of swap_ladders(): gives the matches of ladder b the places that they have in ladder a, the
later of what void_match() and restore_match() said in either, and the matches that only a knows.
Nothing else of b may be at a place of a, see make_room().';

CREATE FUNCTION skillrating_internal.copy_matches(
    known text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(b);
    place bigint;
    since timestamptz;
BEGIN
    EXECUTE format(
        'WITH copied AS (
            INSERT INTO %2$I.rated_match (match_id, status, reason, detail, digest, seq, played_at,
                arrived_at, void_reason, decided_at)
            SELECT n.match_id, n.status, n.reason, n.detail,
                CASE WHEN n.seq IS NULL THEN ~n.digest ELSE n.digest END, n.seq, n.played_at,
                n.arrived_at, n.void_reason, n.decided_at
            FROM %1$s AS n
            WHERE n.status IS NOT NULL AND NOT EXISTS (SELECT FROM %2$I.rated_match AS m WHERE m.match_id %3$s n.match_id)
            RETURNING match_id, seq, played_at
        ), unplaced AS (
            INSERT INTO %2$I.pending (match_id, xact, fires, since)
            SELECT c.match_id, pg_current_xact_id(), false, now() FROM copied AS c WHERE c.seq IS NULL
        )
        SELECT min(c.seq), min(c.played_at) FROM copied AS c WHERE c.seq IS NOT NULL',
        known, b, t.match_equals)
    INTO place, since;
    PERFORM skillrating_internal.note_correction(b, 'carried_match', place, played_at => since);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.copy_matches(text, text) IS
'A part of rerate() and swap_ladders(): takes matches that ladder b does not know over to it, at
their places, from a table like rated_match, given as SQL. Matches that have not been rated there
have none; what b makes of them is to be seen, so that they go into pending and have a digest that
is none of theirs.';

CREATE FUNCTION skillrating_internal.note_accounts(
    ladder text,
    operations bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    place bigint;
    since timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'WITH RECURSIVE account(id) AS (
            SELECT i.id FROM %1$I.operation AS o
            CROSS JOIN LATERAL unnest(ARRAY[o.player_id, o.into_id]) AS i(id)
            WHERE o.operation = ANY ($1) AND o.kind IN (''exclude'', ''merge'') AND i.id IS NOT NULL
            UNION
            SELECT i.id FROM account AS a
            JOIN %1$I.operation AS o
                ON o.kind = ''merge'' AND (o.player_id %2$s a.id OR o.into_id %2$s a.id)
            CROSS JOIN LATERAL unnest(ARRAY[o.player_id, o.into_id]) AS i(id)
        ), place(seq, at) AS (
            SELECT m.seq, m.played_at
            FROM account AS a
            JOIN %1$I.source AS s ON s.player_id %2$s a.id
            JOIN %1$I.rated_match AS m ON m.match_id %3$s s.match_id
            UNION ALL
            SELECT e.seq, e.played_at
            FROM account AS a JOIN %1$I.event AS e ON e.player_id %2$s a.id
            UNION ALL
            SELECT o.seq, o.at
            FROM account AS a JOIN %1$I.operation AS o ON o.player_id %2$s a.id
            WHERE o.kind IN (''set'', ''seed'', ''reset'', ''refund'', ''fix'', ''unfix''))
        SELECT min(p.seq), min(p.at) FROM place AS p', ladder, t.player_equals, t.match_equals)
    INTO place, since USING operations;
    PERFORM skillrating_internal.note_correction(ladder, 'carried', place, played_at => since);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_accounts(text, bigint[]) IS
'A part of swap_ladders(): of operations that exclude or merge players, now or before, notes that
history is out of date from the first match, event or state on of whoever may count as one of
them.';

CREATE FUNCTION skillrating_internal.note_rules(
    ladder text,
    operations bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    first_since timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT min(o.since) FROM %I.operation AS o
        WHERE o.operation = ANY ($1) AND o.kind = ''eligibility''', ladder)
    INTO first_since USING operations;
    PERFORM skillrating_internal.note_eligibility(ladder, first_since, 'carried');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_rules(text, bigint[]) IS
'A part of swap_ladders(): of operations that declare rules of eligibility, now or before, notes
that history is out of date from the first match on that they judge.';

CREATE FUNCTION skillrating_internal.check_operations(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(b);
    own bigint[] := skillrating_internal.own_operations(a, b);
    faults bigint[];
BEGIN
    EXECUTE format(
        'WITH RECURSIVE active AS (
            SELECT true AS own, true AS new, o.operation, o.kind, o.player_id, o.into_id, o.pool,
                o.params
            FROM %2$I.operation AS o WHERE o.operation = ANY ($1) AND o.undone_at IS NULL
            UNION ALL
            SELECT false, o.operation IS NULL, n.operation, n.kind, n.player_id, n.into_id, n.pool,
                n.params
            FROM %2$I.carried_operation AS n
            LEFT JOIN (SELECT DISTINCT o.operation, o.undone_at FROM %2$I.operation AS o
                WHERE NOT o.operation = ANY ($1)) AS o ON o.operation = n.operation
            WHERE n.undone_at IS NULL AND o.undone_at IS NULL
        ), path(operation, first_id, id, steps) AS (
            SELECT m.operation, m.player_id, m.into_id, 1 FROM active AS m
            WHERE m.kind = ''merge'' AND m.own
            UNION ALL
            SELECT p.operation, p.first_id, m.into_id, p.steps + 1
            FROM path AS p JOIN active AS m ON m.kind = ''merge'' AND m.player_id %3$s p.id
            WHERE NOT p.id %3$s p.first_id
                AND p.steps < (SELECT count(*) FROM active AS m WHERE m.kind = ''merge'')
        )
        SELECT array_agg(DISTINCT f.operation ORDER BY f.operation) FROM (
            SELECT p.operation FROM path AS p WHERE p.id %3$s p.first_id
            UNION ALL
            SELECT y.operation
            FROM active AS y JOIN active AS x ON y.own AND NOT x.own AND x.kind = y.kind
            WHERE CASE y.kind
                WHEN ''merge'' THEN x.player_id %3$s y.player_id AND NOT x.into_id %3$s y.into_id
                WHEN ''season'' THEN x.params->>''name'' = y.params->>''name''
                    AND coalesce(x.pool = y.pool, true)
                WHEN ''decay'' THEN x.new AND coalesce(x.pool = y.pool, true)
                WHEN ''eligibility'' THEN x.new
                WHEN ''refund'' THEN x.player_id %3$s y.player_id AND x.pool = y.pool
                    AND EXISTS (
                        SELECT FROM jsonb_array_elements_text(x.params->''matches'') AS k(id)
                        WHERE y.params->''matches'' ? k.id) END
        ) AS f', a, b, t.player_equals)
    INTO faults USING own;
    IF faults IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('operations of ladder "%s" contradict those of ladder "%s": %s',
                b, a, array_to_string(faults, ', ')),
            DETAIL = 'They merge players in another way, begin a season of the same name, count '
                'idle time that the other ladder has counted, give back points of a match twice, '
                'or declare rules of eligibility where the other ladder has new ones.',
            HINT = format('Undo them first, as in SELECT skillrating.undo_operation(%L, %s).',
                b, faults[1]);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_operations(text, text) IS
'A part of swap_ladders(): error 55000 that names operations of ladder b''s own that cannot stand
beside those of ladder a: merges of one player into two or in a circle, seasons of one name in a
pool, and decay and rules of eligibility if both have some since they parted.';

CREATE FUNCTION skillrating_internal.carry_operations(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    columns constant text := 'operation, seq, kind, pool, player_id, into_id, since, until, at, '
        'state, params, reason, made_by, made_at';
    wanted text;
    same_model boolean;
    undone bigint[];
    undone_at timestamptz[];
    carried bigint[];
    left_out bigint[];
    place bigint;
    first_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    EXECUTE format('SELECT x.model = y.model FROM %I.ladder AS x, %I.ladder AS y', a, b)
    INTO same_model;
    -- What is undone in one of them is undone.
    EXECUTE format(
        'SELECT array_agg(o.operation), array_agg(o.undone_at) FROM %I.operation AS o
        WHERE o.undone_at IS NOT NULL AND NOT o.operation = ANY ($1)', b)
    INTO undone, undone_at USING skillrating_internal.own_operations(a, b);
    wanted := format(
        'SELECT %s, coalesce((SELECT min(u.at) FROM unnest($1, $2) AS u(operation, at)
            WHERE u.operation = n.operation), n.undone_at)
        FROM %I.carried_operation AS n WHERE $3 OR n.kind NOT IN (''set'', ''seed'', ''refund'')',
        'n.' || replace(columns, ', ', ', n.'), b);
    EXECUTE format(
        'SELECT coalesce(array_agg(DISTINCT w.operation), ''{}'')
        FROM (%s EXCEPT SELECT %s, o.undone_at FROM %I.operation AS o) AS w',
        wanted, 'o.' || replace(columns, ', ', ', o.'), b)
    INTO carried USING undone, undone_at, same_model;

    PERFORM skillrating_internal.note_accounts(b, carried);
    PERFORM skillrating_internal.note_rules(b, carried);
    EXECUTE format(
        'WITH removed AS (
            DELETE FROM %I.operation AS o WHERE o.operation = ANY ($1)
            RETURNING o.kind, o.seq, o.at)
        SELECT min(r.seq), min(r.at) FROM removed AS r
        WHERE r.kind NOT IN (''exclude'', ''merge'', ''eligibility'')', b)
    INTO place, first_at USING carried;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => first_at);
    EXECUTE format(
        'WITH added AS (
            INSERT INTO %I.operation (%s, undone_at)
            SELECT * FROM (%s) AS w WHERE w.operation = ANY ($4) RETURNING kind, seq, at)
        SELECT min(d.seq), min(d.at) FROM added AS d
        WHERE d.kind NOT IN (''exclude'', ''merge'', ''eligibility'')', b, columns, wanted)
    INTO place, first_at USING undone, undone_at, same_model, carried;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => first_at);
    PERFORM skillrating_internal.note_accounts(b, carried);
    PERFORM skillrating_internal.note_rules(b, carried);

    EXECUTE format(
        'SELECT array_agg(DISTINCT n.operation ORDER BY n.operation) FROM %1$I.carried_operation AS n
        WHERE n.undone_at IS NULL
            AND NOT EXISTS (SELECT FROM %1$I.operation AS o WHERE o.operation = n.operation)', b)
    INTO left_out;
    PERFORM skillrating_internal.warn_of_states(a, b, left_out);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_operations(text, text) IS
'A part of swap_ladders(): gives ladder b the operations of ladder a, by their numbers and at their
places, and undoes what has been undone in either. States that were set by hand or seeded and points
that were given back under another model are left out, with a warning.';

CREATE FUNCTION skillrating_internal.warn_of_states(
    a text,
    b text,
    operations bigint[])
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    models text[];
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF operations IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT ARRAY[x.model, y.model] FROM %I.ladder AS x, %I.ladder AS y', a, b)
    INTO models;
    RAISE WARNING USING
        MESSAGE = format('operations of ladder "%s" that set, seed or refund are left out: %s',
            a, array_to_string(operations, ', ')),
        DETAIL = format('They are states or points of model "%s", and those of model "%s" are others.',
            models[1], models[2]);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.warn_of_states(text, text, bigint[]) IS
'A part of rerate() and swap_ladders(): the warning that names operations of ladder a that mean
nothing under the model of ladder b; none if operations is null.';

CREATE FUNCTION skillrating_internal.begin_carrying(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    EXECUTE format(
        'CREATE UNLOGGED TABLE %2$I.carried_match AS
        SELECT m.match_id, m.status, m.reason, m.detail, m.digest, m.seq, m.played_at, m.arrived_at,
            m.void_reason, m.decided_at, true AS known
        FROM %1$I.rated_match AS m WITH NO DATA', a, b);
    EXECUTE format('CREATE UNLOGGED TABLE %2$I.carried_own AS SELECT m.match_id
        FROM %1$I.rated_match AS m WITH NO DATA', a, b);
    EXECUTE format('CREATE UNLOGGED TABLE %2$I.carried_waiting AS SELECT m.match_id
        FROM %1$I.rated_match AS m WITH NO DATA', a, b);
    EXECUTE format(
        'CREATE UNLOGGED TABLE %2$I.carried_operation AS
        SELECT o.operation, o.seq, o.kind, o.pool, o.player_id, o.into_id, o.since, o.until, o.at,
            o.state, o.params, o.reason, o.made_by, o.made_at, o.undone_at
        FROM %1$I.operation AS o WITH NO DATA', a, b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.begin_carrying(text, text) IS
'A part of swap_ladders(): makes the tables for survey() in the schema of ladder b, which nobody
else ever sees: carried_match has the rows of rated_match of ladder a that b has otherwise or not,
and matches that a does not know (not known); carried_own the matches that b alone has placed, as
far as they may be in the way; carried_waiting what waits in a; carried_operation the operations of
a.';

CREATE FUNCTION skillrating_internal.end_carrying(b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(b);
    EXECUTE format('DROP TABLE %1$I.carried_match, %1$I.carried_own, %1$I.carried_waiting,
        %1$I.carried_operation', b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.end_carrying(text) IS
'A part of swap_ladders(): drops what begin_carrying() has made.';

CREATE FUNCTION skillrating_internal.survey(
    a text,
    b text,
    since xid8,
    OUT changes bigint,
    OUT operations boolean,
    OUT first_place bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(b);
BEGIN
    EXECUTE format('TRUNCATE %1$I.carried_match, %1$I.carried_own, %1$I.carried_waiting', b);
    EXECUTE format(
        'SELECT $1 OR n <> o FROM (SELECT count(*), count(o.undone_at), sum(o.seq) FROM %I.operation AS o) AS o,
            (SELECT count(*), count(n.undone_at), sum(n.seq) FROM %I.carried_operation AS n) AS n', a, b)
    INTO operations USING since IS NULL;
    IF operations THEN
        EXECUTE format('TRUNCATE %I.carried_operation', b);
    END IF;
    -- All of it under one snapshot.
    EXECUTE format(
        'WITH horizon AS (
            SELECT x.horizon AS a, y.horizon AS b FROM %1$I.ladder AS x, %2$I.ladder AS y
        ), differing AS MATERIALIZED (
            SELECT coalesce(n.match_id, o.match_id) AS match_id, n.status, n.reason, n.detail, n.digest,
                n.seq, n.played_at, n.arrived_at, n.void_reason, n.decided_at, n.match_id IS NOT NULL AS known,
                least(n.seq, o.seq) AS place
            FROM %1$I.rated_match AS n
            FULL JOIN %2$I.rated_match AS o ON o.match_id %3$s n.match_id
            CROSS JOIN horizon AS h
            WHERE (n.match_id IS NULL OR o.match_id IS NULL OR n.seq IS DISTINCT FROM o.seq
                    OR n.void_reason IS DISTINCT FROM o.void_reason OR n.digest <> o.digest)
                -- What has gone from the source stays only in the one that has it before its horizon.
                AND (CASE WHEN o.match_id IS NULL THEN n.seq <= h.a
                        WHEN n.match_id IS NULL THEN o.seq <= h.b END
                    AND NOT EXISTS (SELECT FROM %2$I.source AS s
                        WHERE s.match_id %3$s coalesce(n.match_id, o.match_id))) IS NOT TRUE
        ), matches AS (
            INSERT INTO %2$I.carried_match
            SELECT d.match_id, d.status, d.reason, d.detail, d.digest, d.seq, d.played_at,
                d.arrived_at, d.void_reason, d.decided_at, d.known
            FROM differing AS d
        ), own AS (
            INSERT INTO %2$I.carried_own SELECT m.match_id FROM %2$I.rated_match AS m
            CROSS JOIN horizon AS h
            WHERE m.seq IS NOT NULL
                AND NOT EXISTS (
                    SELECT FROM %1$I.rated_match AS n
                    WHERE n.match_id %3$s m.match_id AND n.seq IS NOT NULL)
                AND (m.seq > h.b OR h.b IS NULL
                    OR EXISTS (SELECT FROM %2$I.source AS s WHERE s.match_id %3$s m.match_id)
                    OR EXISTS (SELECT FROM %1$I.rated_match AS n WHERE n.seq = m.seq))
        ), waiting AS (
            INSERT INTO %2$I.carried_waiting
            SELECT p.match_id FROM %1$I.pending AS p
            UNION
            SELECT c.match_id FROM %1$I.correction AS c WHERE c.match_id IS NOT NULL
        ), operations AS (
            INSERT INTO %2$I.carried_operation
            SELECT o.operation, o.seq, o.kind, o.pool, o.player_id, o.into_id, o.since, o.until, o.at,
                o.state, o.params, o.reason, o.made_by, o.made_at, o.undone_at
            FROM %1$I.operation AS o WHERE $1
        )
        SELECT count(*), min(d.place) FROM differing AS d', a, b, t.match_equals)
    INTO changes, first_place USING operations;
    IF operations THEN
        PERFORM skillrating_internal.arrange_states(b, 'carried_operation', a);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.survey(text, text, xid8) IS
'A part of swap_ladders(): copies what ladder a has otherwise than ladder b into the tables of
begin_carrying(). Returns how many matches differ, whether operations may, and the smallest place of
a match that does.';

CREATE FUNCTION skillrating_internal.carry_over(
    a text,
    b text,
    operations boolean,
    whole boolean)
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    last_place bigint;
    reordered boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(a), skillrating_internal.check_inside(b);
    IF operations THEN
        PERFORM skillrating_internal.check_operations(a, b);
    END IF;
    PERFORM skillrating_internal.forget_vanished(a, b);
    PERFORM skillrating_internal.make_room(a, b, whole);
    IF operations THEN
        PERFORM skillrating_internal.renumber_operations(a, b);
    END IF;
    PERFORM skillrating_internal.carry_matches(a, b);
    IF operations THEN
        PERFORM skillrating_internal.carry_operations(a, b);
    END IF;
    EXECUTE format('SELECT s.last_value FROM %I.event_seq AS s', b) INTO last_place;
    PERFORM skillrating_internal.catch_up(b, search => whole);
    EXECUTE format(
        'SELECT l.late = ''reorder'' AND s.last_value > $1 FROM %1$I.ladder AS l, %1$I.event_seq AS s', b)
    INTO reordered USING last_place;
    RETURN reordered;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.carry_over(text, text, boolean, boolean) IS
'A part of swap_ladders(): brings ladder b, which was made of ladder a, to the history of a as
survey() has found it, with what b alone has: places, void matches, the content of matches and, if
they may have changed, operations. If whole, it also looks for what no trigger has reported. Returns
whether b may have put matches into the order that wait in a, so that those behind have other places
than in a, where nothing has changed. Ladder b is locked. Error 55000 if operations of b''s own
contradict those of a.';

CREATE FUNCTION skillrating_internal.forget_vanished(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(a);
    place bigint;
    since timestamptz;
BEGIN
    EXECUTE format(
        'WITH gone AS (
            DELETE FROM %1$I.rated_match AS m USING %1$I.carried_match AS n
            WHERE n.match_id %2$s m.match_id AND NOT n.known
                AND NOT EXISTS (
                    SELECT FROM %1$I.source AS s WHERE s.match_id %2$s m.match_id)
            RETURNING m.seq, m.played_at)
        SELECT min(g.seq), min(g.played_at) FROM gone AS g', b, t.match_equals)
    INTO place, since;
    PERFORM skillrating_internal.note_correction(b, 'carried', place, played_at => since);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.forget_vanished(text, text) IS
'A part of swap_ladders(): takes matches out of ladder b that neither ladder a nor the source has
any more, so that their places are free.';
