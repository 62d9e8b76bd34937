-- The tables of a ladder's components, and those of its matches where it has no source of the
-- user's; and the places of columns in tables that are to exchange their rows with others.

CREATE FUNCTION skillrating_internal.room_type(length smallint, alignment "char")
RETURNS text
LANGUAGE sql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE length WHEN 1 THEN 'boolean' WHEN 2 THEN 'smallint' WHEN 4 THEN 'integer'
        WHEN 8 THEN 'float8' WHEN 16 THEN 'uuid' WHEN 64 THEN 'name'
        ELSE CASE alignment WHEN 'd' THEN 'float8[]' ELSE 'text' END END
$function$;

COMMENT ON FUNCTION skillrating_internal.room_type(smallint, "char") IS
'A part of rerate() and swap_ladders(): a type whose values take the space of a column that was
dropped.';

CREATE FUNCTION skillrating_internal.arranged_columns(
    ladder text,
    relation text,
    beside text,
    columns text)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    definitions text;
BEGIN
    IF beside IS NULL THEN
        RETURN columns;
    END IF;
    -- The server reads the definitions.
    EXECUTE format('CREATE TABLE %I.skillrating_columns (%s)', ladder, columns);
    WITH wanted AS (
        SELECT t.attnum, t.attname, t.atttypid, concat_ws(' ', quote_ident(t.attname),
            format_type(t.atttypid, t.atttypmod), CASE WHEN t.attnotnull THEN 'NOT NULL' END,
            CASE WHEN t.attgenerated = '' THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)
                ELSE format('GENERATED ALWAYS AS (%s) STORED', pg_get_expr(d.adbin, d.adrelid))
            END) AS definition
        FROM pg_attribute AS t
        LEFT JOIN pg_attrdef AS d ON d.adrelid = t.attrelid AND d.adnum = t.attnum
        WHERE t.attrelid = to_regclass(format('%I.skillrating_columns', ladder)) AND t.attnum > 0
    ), place AS (
        SELECT t.attnum, t.attlen, t.attalign, w.definition,
            -- States that ladder beside lacks take the places of those that it alone has.
            CASE WHEN w.attname IS NULL AND t.attlen = 8 AND t.attalign = 'd' THEN row_number()
                OVER (PARTITION BY w.attname IS NULL AND t.attlen = 8 AND t.attalign = 'd'
                    ORDER BY t.attnum) END AS room
        FROM pg_attribute AS t
        LEFT JOIN wanted AS w ON w.attname = t.attname AND w.atttypid = t.atttypid
        WHERE t.attrelid = to_regclass(format('%I.%I', beside, relation)) AND t.attnum > 0
    ), new AS (
        SELECT w.definition, row_number() OVER (ORDER BY w.attnum) AS n
        FROM wanted AS w
        WHERE NOT EXISTS (SELECT FROM place AS p WHERE p.definition = w.definition)
    )
    SELECT string_agg(coalesce(p.definition, n.definition,
            format('skillrating_room_%s %s', p.attnum,
                skillrating_internal.room_type(p.attlen, p.attalign))), ', '
            ORDER BY p.attnum NULLS LAST, n.n)
    INTO definitions
    FROM place AS p FULL JOIN new AS n ON n.n = p.room;
    EXECUTE format('DROP TABLE %I.skillrating_columns', ladder);
    RETURN definitions;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.arranged_columns(text, text, text, text) IS
'A part of create_ladder() and rerate(): definitions of columns in the places where the table of
that name of another ladder has them, with room in the places of columns that it alone has, see
drop_room(). With null for the other ladder, the definitions as they are.';

CREATE FUNCTION skillrating_internal.drop_room(
    ladder text,
    relation text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    drops text;
BEGIN
    SELECT string_agg(format('DROP COLUMN %I', t.attname), ', ') INTO drops
    FROM pg_attribute AS t
    WHERE t.attrelid = to_regclass(format('%I.%I', ladder, relation)) AND t.attnum > 0
        AND NOT t.attisdropped AND starts_with(t.attname, 'skillrating_room_');
    IF drops IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %I.%I %s', ladder, relation, drops);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.drop_room(text, text) IS
'A part of create_ladder() and rerate(): drops the columns of a new table that only keep a place,
see arranged_columns().';

CREATE FUNCTION skillrating_internal.rounds_index(relation regclass)
RETURNS regclass
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT x.indexrelid::regclass FROM pg_index AS x
    WHERE x.indrelid = relation
        AND pg_get_indexdef(x.indexrelid) LIKE '% (player_id, pool, rounds_after, seq)'
    LIMIT 1
$function$;

COMMENT ON FUNCTION skillrating_internal.rounds_index(regclass) IS
'A part of swap_ladders(): the index of table event by which a model that looks back finds states by
their rounds, see create_rounds_index(); null if there is none.';

CREATE FUNCTION skillrating_internal.create_rounds_index(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    event regclass := to_regclass(format('%I.event', ladder));
BEGIN
    IF EXISTS (SELECT FROM pg_attribute AS t WHERE t.attrelid = event AND t.attname = 'rounds_after')
        AND skillrating_internal.rounds_index(event) IS NULL
    THEN
        EXECUTE format('CREATE INDEX ON %I.event (player_id, pool, rounds_after, seq)', ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_rounds_index(text) IS
'A part of create_ladder() and swap_ladders(): the index of table event for a model that looks back
on states by their rounds, which other models do not need.';

CREATE FUNCTION skillrating_internal.create_event_indexes(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    EXECUTE format('CREATE INDEX ON %I.event (seq)', ladder);
    PERFORM skillrating_internal.create_rounds_index(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_event_indexes(text) IS
'A part of create_ladder(): the indexes of table event beside its primary key.';

CREATE FUNCTION skillrating_internal.create_component_tables(
    ladder text,
    model text,
    player_type regtype,
    match_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.component (%s, UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key))
        WITH (fillfactor = 70)', ladder,
        skillrating_internal.ladder_columns('component', model, '{}', player_type, match_type, ''));
    EXECUTE format('ALTER TABLE %I.component REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.component IS %L', ladder,
        'States that belong to something else than a player alone, as the model has kinds of them: a side, a context, a club, a player in a context. A row for each kind, pool, key (the context or the club; empty where the kind has none) and player (null where it belongs to none), with the state, the time as of which it is (as_of), and the number and time of rated matches.');

    EXECUTE format(
        'CREATE TABLE %I.component_event (%s, UNIQUE NULLS NOT DISTINCT (player_id, kind, pool, key, seq))', ladder,
        skillrating_internal.ladder_columns('component_event', model, '{}', player_type, match_type, ''));
    EXECUTE format('CREATE INDEX ON %I.component_event (seq)', ladder);
    EXECUTE format('ALTER TABLE %I.component_event REPLICA IDENTITY FULL', ladder);
    EXECUTE format('COMMENT ON TABLE %I.component_event IS %L', ladder,
        'History of table component: a row for each component and rated match with the state before and after, games_before, last_played_before and as_of_before (null where that is last_played_before); and one without match_id for each component that a season, settle() or reset_rating() changed. All rows of a match or operation have the seq that its rows in event have; cause is the kind of these.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_component_tables(text, text, regtype, regtype) IS
'A part of create_ladder(): the tables component and component_event, which every ladder has,
whatever its model.';

CREATE FUNCTION skillrating_internal.create_match_tables(
    ladder text,
    player_type regtype,
    match_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    player text := format_type(player_type, -1);
    match text := format_type(match_type, -1);
BEGIN
    EXECUTE format(
        'CREATE TABLE %I.match (
            match_id %s PRIMARY KEY %s,
            played_at timestamptz NOT NULL DEFAULT now(),
            finished boolean NOT NULL DEFAULT true,
            pool text NOT NULL DEFAULT '''',
            log_odds float8 NOT NULL DEFAULT 0,
            gain float8 NOT NULL DEFAULT 1,
            context text,
            tournament text,
            unrated_reason text,
            duration float8,
            surrendered boolean)',
        ladder, match,
        CASE
            WHEN match_type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
                THEN 'GENERATED BY DEFAULT AS IDENTITY'
            WHEN match_type = 'uuid'::regtype THEN 'DEFAULT gen_random_uuid()'
            ELSE ''
        END);
    EXECUTE format('COMMENT ON TABLE %I.match IS %L', ladder,
        'Matches: when played, whether finished (only then rated), in which pool of ratings, with which log-odds of the context in favour of the first side, with which weight of the updates of all players (gain), where or as what all of them play (context), in which tournament, to keep one unrated, why, and for rules of eligibility how long it lasted in seconds (duration) and whether a team gave up (surrendered).');

    EXECUTE format(
        'CREATE TABLE %1$I.match_player (
            match_id %2$s NOT NULL REFERENCES %1$I.match ON DELETE CASCADE,
            player_id %3$s NOT NULL,
            stint smallint NOT NULL DEFAULT 1,
            team integer NOT NULL,
            rank integer,
            score float8,
            won boolean,
            weight float8,
            joined float8,
            "left" float8,
            commanding float8,
            side smallint,
            context text,
            club text,
            squad bigint,
            kills integer,
            deaths integer,
            quit boolean,
            experience integer,
            gain float8,
            bot boolean,
            fixed boolean,
            PRIMARY KEY (match_id, player_id, stint))', ladder, match, player);
    EXECUTE format('COMMENT ON TABLE %I.match_player IS %L', ladder,
        'Participants: the team, its result (rank, 1 is best and equal ranks are a draw; or score, high is best; or won), and optionally the share of the match played (weight, or joined and left in seconds), the side (1 or 2), where or as what this player plays (context; that of the match if null), for which group, such as a club or a country (club), and the share of the stint spent commanding (or seconds, if more than 1), the squad (the same number for all who queued together), kills and deaths, whether the player quit, how many matches the player had played elsewhere (experience), the weight of the update of this player alone (gain, times that of the match; 1 if null), whether it is a program (bot), and whether its state stays as it is from this match on (fixed; null is as before). A player with several stints has several rows.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_match_tables(text, regtype, regtype) IS
'A part of create_ladder(): the tables match and match_player of a ladder that has no source of the
user.';

CREATE FUNCTION skillrating_internal.create_own_source(
    ladder text,
    match_type regtype)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- Equality of identifiers is that of their type, wherever the type lives, and not one that
    -- somebody else has put beside the type.
    EXECUTE format(
        'CREATE VIEW %1$I.source AS
        SELECT m.match_id, m.played_at, m.pool, m.log_odds,
            m.gain * coalesce(p.gain, 1) AS gain, m.unrated_reason, m.duration, m.surrendered,
            p.player_id, p.team, p.rank, p.score, p.won,
            p.weight, p.joined, p."left", p.commanding, p.side,
            coalesce(p.context, m.context) AS context, p.club, m.tournament, p.squad, p.kills, p.deaths, p.quit, p.experience, p.bot, p.fixed
        FROM %1$I.match AS m
        JOIN %1$I.match_player AS p ON p.match_id %2$s m.match_id
        WHERE m.finished', ladder, skillrating_internal.identifier_equals(match_type, 'match_id'));
    EXECUTE format('COMMENT ON VIEW %I.source IS %L', ladder,
        'A row for each participant of every finished match: what the ladder rates.');
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_own_source(text, regtype) IS
'A part of create_ladder(): the view source over match and match_player.';

CREATE FUNCTION skillrating_internal.has_tables(
    ladder text,
    names name[])
RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    owner oid;
    relations record;
BEGIN
    PERFORM skillrating_internal.check_inside(ladder);
    SELECT c.relowner INTO owner
    FROM pg_class AS c WHERE c.oid = to_regclass(format('%I.ladder', ladder));
    SELECT array_agg(c.relname) AS names,
        min(c.relname) FILTER (WHERE c.relowner <> owner) AS foreign_one,
        min(c.relname) FILTER (WHERE c.relkind <> 'r') AS no_table
    INTO relations
    FROM pg_class AS c
    WHERE c.relnamespace = to_regnamespace(quote_ident(ladder)) AND c.relname = ANY (names);
    IF relations.foreign_one IS NOT NULL THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('relation %I.%I is not owned by the owner of the ladder', ladder,
                relations.foreign_one),
            HINT = 'Give all relations of a ladder to one role.';
    END IF;
    IF relations.no_table IS NOT NULL THEN
        RAISE wrong_object_type USING
            MESSAGE = format('relation %I.%I is not a table', ladder, relations.no_table);
    END IF;
    IF cardinality(relations.names) < cardinality(names) THEN
        RAISE undefined_table USING
            MESSAGE = format('relation %I.%I does not exist', ladder, (
                SELECT min(n.name) FROM unnest(names) AS n(name)
                WHERE n.name <> ALL (relations.names))),
            HINT = format('A ladder has all of these tables or none of them: %s.',
                array_to_string(names, ', '));
    END IF;
    RETURN relations.names IS NOT NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.has_tables(text, name[]) IS
'Whether a ladder has some tables that come together, when they are first needed. Work on them runs
as the ladder''s owner, so that nobody else may have put one there: error 42501 if one belongs to
another role, 42809 if one is no table, 42P01 if some are missing, 55000 unless the door to the
ladder is open.';
