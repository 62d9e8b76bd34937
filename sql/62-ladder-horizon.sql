-- The horizon of a ladder: the place in the order where its history begins.

CREATE FUNCTION skillrating_internal.horizon_relation(
    ladder text,
    at timestamptz)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    horizon_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.horizon_at FROM %I.ladder AS l', ladder) INTO horizon_at;
    IF at < horizon_at THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('history of ladder "%s" begins at %s, and %s is before', ladder,
                horizon_at, at),
            HINT = 'See the columns horizon and horizon_at of its table ladder, and set_horizon().';
    END IF;
    RETURN CASE WHEN horizon_at IS NOT NULL THEN format('%I.horizon', ladder)
        ELSE format('(SELECT r.* FROM %I.rating AS r WHERE false)', ladder) END;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.horizon_relation(text, timestamptz) IS
'A part of past_board(): the rows of the horizon of a ladder as SQL, none where it has no horizon.
Error 55000 for a time before it.';

CREATE FUNCTION skillrating_internal.check_behind_horizon(
    ladder text,
    kind text,
    seq bigint,
    match_id text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.horizon, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    IF seq <= w.horizon AND starts_with(kind, 'carried') THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('history of ladder "%s" has changed before its horizon, from place %s on',
                ladder, seq),
            DETAIL = format('Ladder "%s" has corrected or ordered what lies before place %s of this one.',
                skillrating_internal.origin(ladder), w.horizon),
            HINT = 'Make this ladder anew by skillrating.rerate().';
    ELSIF seq <= w.horizon THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = CASE
                WHEN match_id IS NOT NULL THEN
                    format('match %s of ladder "%s" lies before its horizon', match_id, ladder)
                ELSE format('%s concerns ladder "%s" before its horizon, from place %s on', kind,
                    ladder, seq) END,
            DETAIL = format(
                'History can be corrected behind place %s, for matches played from %s on.',
                w.horizon, w.horizon_at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_behind_horizon(text, text, bigint, text) IS
'A part of what corrects history: error 55000 for a place in the order that lies before the horizon
of the ladder; it names the match, if there is one.';

CREATE FUNCTION skillrating_internal.check_operation_behind_horizon(
    ladder text,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format('SELECT l.late, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    IF w.late = 'reorder' AND at < w.horizon_at THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('operation at %s lies before the horizon of ladder "%s"', at, ladder),
            DETAIL = format('History can be corrected from %s on.', w.horizon_at);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_operation_behind_horizon(text, timestamptz) IS
'A part of what writes operations: error 55000 for one whose time gives it a place before the
horizon.';

CREATE FUNCTION skillrating_internal.check_player_behind_horizon(
    ladder text,
    player_id text,
    since timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    w record;
    known boolean;
BEGIN
    EXECUTE format('SELECT l.horizon, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    IF w.horizon IS NULL OR since >= w.horizon_at THEN
        RETURN;
    END IF;
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I.horizon AS h WHERE h.player_id %s CAST($1 AS %s))',
        ladder, t.player_equals, t.player_type)
    INTO known USING player_id;
    IF known THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('matches of player %s lie before the horizon of ladder "%s"',
                player_id, ladder),
            DETAIL = format(
                'History can be corrected behind place %s, for matches played from %s on.',
                w.horizon, w.horizon_at),
            HINT = CASE WHEN since IS NOT NULL
                THEN format('exclude_player() can begin since %s.', w.horizon_at)
                ELSE 'Only players who came after the horizon can be merged.' END;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_player_behind_horizon(text, text, timestamptz) IS
'A part of exclude_player() and merge_players(): error 55000 if a player has played before the
horizon of the ladder, unless only matches since a time from it on are meant; null where all are.';

CREATE FUNCTION skillrating_internal.write_horizon(ladder text, seq bigint)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_write_horizon'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.write_horizon(text, bigint) IS
'A part of set_horizon(): puts into the tables horizon and component_horizon of a ladder how players
and components were behind a place in the order. Error 55000 unless the door to the ladder is
open.';

CREATE FUNCTION skillrating_internal.create_horizon_tables(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    l record;
BEGIN
    EXECUTE format('SELECT l.model, l.params FROM %I.ladder AS l', ladder) INTO l;
    EXECUTE format('CREATE TABLE %I.horizon (%s, PRIMARY KEY (player_id, pool))', ladder,
        skillrating_internal.ladder_columns('rating', l.model, t.player_type::regtype,
            t.match_type::regtype, skillrating_internal.display_expression(l.model, l.params)));
    EXECUTE format('COMMENT ON TABLE %I.horizon IS %L', ladder,
        'The rows that table rating had at the horizon, see set_horizon(): history begins with them.');
    EXECUTE format(
        'CREATE TABLE %I.component_horizon (%s, UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key))',
        ladder, skillrating_internal.ladder_columns('component', l.model, t.player_type::regtype,
            t.match_type::regtype, ''));
    EXECUTE format('ALTER TABLE %I.component_horizon REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.component_horizon IS %L', ladder,
        'The rows that table component had at the horizon, see set_horizon(): history begins with them.');
    PERFORM skillrating_internal.renew_ladder_cache(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_horizon_tables(text) IS
'A part of set_horizon(): the tables horizon and component_horizon.';

CREATE FUNCTION skillrating_internal.last_place_before(
    ladder text,
    at timestamptz,
    OUT seq bigint,
    OUT first_behind bigint,
    OUT first_at timestamptz)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'WITH place AS MATERIALIZED (
            SELECT m.seq, m.played_at AS at FROM %1$I.rated_match AS m WHERE m.seq IS NOT NULL
            UNION ALL
            SELECT o.seq, o.at FROM %1$I.operation AS o
            WHERE o.kind NOT IN (''exclude'', ''merge'', ''eligibility'') AND o.undone_at IS NULL
        ), last(seq) AS (
            SELECT coalesce((SELECT min(p.seq) FROM place AS p WHERE p.at >= $1) - 1,
                (SELECT max(p.seq) FROM place AS p), 0))
        SELECT l.seq, min(p.seq), min(p.at)
        FROM last AS l LEFT JOIN place AS p ON p.seq > l.seq AND p.at < $1
        GROUP BY l.seq', ladder)
    INTO seq, first_behind, first_at USING at;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.last_place_before(text, timestamptz) IS
'A part of set_horizon(): the last place in the order before all matches and operations of a time
and later, and of what is earlier and nevertheless comes behind, the first place and the first
time.';

CREATE FUNCTION skillrating_internal.check_nothing_waits(ladder text, horizon bigint)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    waits boolean;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %1$I.correction AS c WHERE c.seq IS NULL OR c.seq <= $1)
            OR EXISTS (SELECT FROM %1$I.pending)', ladder)
    INTO waits USING horizon;
    IF waits THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('corrections of ladder "%s" wait for catch_up()', ladder),
            DETAIL = 'Before the horizon they could not be made any more.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_nothing_waits(text, bigint) IS
'A part of set_horizon(): error 55000 if corrections up to a place in the order, or matches, wait
for catch_up().';

CREATE FUNCTION skillrating_internal.check_not_ahead(
    ladder text,
    at timestamptz)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    last_at timestamptz;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    IF at <= clock_timestamp() THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT max(m.played_at) FROM %I.rated_match AS m WHERE m.seq IS NOT NULL', ladder)
    INTO last_at;
    IF at <= last_at THEN
        RETURN;
    END IF;
    RAISE invalid_parameter_value USING
        MESSAGE = format('the horizon of ladder "%s" cannot lie ahead of its matches, at %s', ladder, at),
        DETAIL = concat('A horizon never moves back, and matches to come would lie before it.',
            format(' The last match was played at %s.', last_at)),
        HINT = 'Name a time that has passed, or that of the last match.';
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_not_ahead(text, timestamptz) IS
'A part of set_horizon(): error 22023 for a time later than now and than all matches that have a place
in the order.';

CREATE FUNCTION skillrating_internal.set_horizon(
    ladder text,
    at timestamptz,
    OUT horizon bigint,
    OUT players bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    w record;
    place record;
BEGIN
    IF ladder IS NULL OR at IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder and at must not be null';
    END IF;
    PERFORM skillrating_internal.ladder_types(ladder);
    PERFORM skillrating_internal.check_operation_time(at);
    PERFORM skillrating_internal.check_not_ahead(ladder, at);
    EXECUTE format('SELECT l.late, l.horizon, l.horizon_at FROM %I.ladder AS l', ladder) INTO w;
    place := skillrating_internal.last_place_before(ladder, at);
    horizon := place.seq;
    IF horizon < w.horizon OR at < w.horizon_at THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('the horizon of ladder "%s" cannot move back', ladder),
            DETAIL = format('It is at %s, behind place %s.', w.horizon_at, w.horizon);
    END IF;
    PERFORM skillrating_internal.check_nothing_waits(ladder, horizon);
    -- What has no players in common needs no order, and may lie behind although it was played before:
    -- by time, where that makes the order, it goes before the horizon as well.
    IF w.late = 'reorder' AND place.first_behind IS NOT NULL THEN
        PERFORM skillrating_internal.note_correction(ladder, 'reorder', place.first_behind,
            played_at => place.first_at);
        PERFORM skillrating_internal.catch_up(ladder);
        SELECT p.seq INTO horizon FROM skillrating_internal.last_place_before(ladder, at) AS p;
        PERFORM skillrating_internal.check_nothing_waits(ladder, horizon);
    END IF;
    IF to_regclass(format('%I.horizon', ladder)) IS NULL THEN
        PERFORM skillrating_internal.create_horizon_tables(ladder);
    END IF;
    PERFORM skillrating_internal.write_horizon(ladder, horizon);
    EXECUTE format('UPDATE %I.ladder AS l SET horizon = $1, horizon_at = $2', ladder)
    USING horizon, at;
    EXECUTE format('SELECT count(DISTINCT h.player_id) FROM %I.horizon AS h', ladder) INTO players;
END
$function$;

SELECT skillrating_internal.create_entry('set_horizon');

COMMENT ON FUNCTION skillrating.set_horizon(text, timestamptz) IS
'Has the history of a ladder begin at a time: keeps, in its tables horizon and component_horizon,
how everybody was behind the last place in the order before all matches and operations of that time
and later. catch_up(), with rebuild too, and verify() start from there, bit for bit as without a
horizon, and rows of event and component_event up to that place, and matches of the source, may be
deleted, detached or moved. What would correct history before it is refused, by name; a match of it
that changes or goes stays as it was rated, with a warning. A later call moves the horizon on.
Returns the place, and how many players were there. Errors: 42704 for an unknown ladder, 42501
unless the caller owns it, 22004 for nulls, 22008 for an infinite time, 22023 for one before the
horizon that there is or later than now and the last match, 55000 if corrections wait for catch_up(),
or if events of before are gone already.';

CREATE FUNCTION skillrating_internal.swap_horizons(
    a text,
    b text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    name text;
    has_a boolean;
    has_b boolean;
    of_a oid[];
    names name[];
    i integer;
BEGIN
    FOREACH name IN ARRAY '{horizon,component_horizon}'::text[] LOOP
        has_a := to_regclass(format('%I.%I', a, name)) IS NOT NULL;
        has_b := to_regclass(format('%I.%I', b, name)) IS NOT NULL;
        -- A table and its indexes have names of the way, while those of the other table are the same.
        SELECT array_agg(c.oid), array_agg(c.relname) INTO of_a, names
        FROM pg_class AS c
        WHERE c.oid = to_regclass(format('%I.%I', a, name))
            OR c.oid IN (SELECT x.indexrelid FROM pg_index AS x
                WHERE x.indrelid = to_regclass(format('%I.%I', a, name)));
        FOR i IN 1 .. coalesce(cardinality(of_a), 0) LOOP
            PERFORM skillrating_internal.rename_relation(a, of_a[i],
                CASE names[i] WHEN name THEN 'skillrating_' || name ELSE 'skillrating_' || of_a[i] END);
        END LOOP;
        IF has_a THEN
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', a, 'skillrating_' || name, b);
        END IF;
        IF has_b THEN
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', b, name, a);
        END IF;
        FOR i IN 1 .. coalesce(cardinality(of_a), 0) LOOP
            PERFORM skillrating_internal.rename_relation(b, of_a[i], names[i]);
        END LOOP;
    END LOOP;
    PERFORM skillrating_internal.renew_ladder_cache(a), skillrating_internal.renew_ladder_cache(b);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.swap_horizons(text, text) IS
'A part of swap_ladders(): gives each of two ladders the tables of the other''s horizon.';
