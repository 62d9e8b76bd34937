-- Ratings in a table of the user's own.

CREATE FUNCTION skillrating_internal.mirror_statement(
    ladder text,
    relation regclass,
    key text,
    pool text,
    columns jsonb,
    players text)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    owner oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = to_regclass(format('%I.rating', ladder)));
BEGIN
    -- What hangs on a table of another role would run with the rights of the ladder's owner.
    IF owner IS DISTINCT FROM (SELECT c.relowner FROM pg_class AS c WHERE c.oid = relation) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('table %s does not belong to the owner of ladder "%s"', relation, ladder);
    END IF;
    RETURN (
        SELECT format(
            'UPDATE %1$s AS u SET %2$s
            FROM (SELECT k.player_id AS mirrored_player, r.*
                  FROM (%3$s) AS k(player_id)
                  LEFT JOIN %4$I.rating AS r ON r.player_id %5$s k.player_id AND r.pool = %6$L) AS r
            WHERE u.%7$I %5$s r.mirrored_player AND (%8$s)',
            relation, string_agg(format('%I = r.%I', c.key, c.value), ', '), players, ladder, t.player_equals, pool, mirror_statement.key,
            string_agg(format('u.%I IS DISTINCT FROM r.%I', c.key, c.value), ' OR '))
        FROM jsonb_each_text(columns) AS c);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_statement(text, regclass, text, text, jsonb, text) IS
'A part of mirror_rating(): the statement that makes the columns of a table equal to those of
rating, for the players that a query gives. Error 42501 if the table is not the ladder''s owner''s.';

CREATE FUNCTION skillrating_internal.update_mirrors()
RETURNS trigger
AS 'MODULE_PATHNAME', 'skillrating_update_mirrors'
LANGUAGE C;

COMMENT ON FUNCTION skillrating_internal.update_mirrors() IS
'Trigger function on the table rating of a ladder, after each statement: opens the door to the ladder
and calls write_mirrors(). Error 39P01 if it is attached otherwise, 55000 on any other table.';

CREATE FUNCTION skillrating_internal.write_mirrors()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    m record;
BEGIN
    -- A table that was dropped keeps nobody from rating.
    FOR m IN EXECUTE format(
        'SELECT m.* FROM %I.mirror AS m JOIN pg_class AS c ON c.oid = m.relation', TG_TABLE_SCHEMA)
    LOOP
        EXECUTE skillrating_internal.mirror_statement(TG_TABLE_SCHEMA, m.relation, m.key, m.pool, m.columns,
            format('SELECT DISTINCT c.player_id FROM changed AS c WHERE c.pool = %L', m.pool));
    END LOOP;
    RETURN NULL;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.write_mirrors() IS
'The body of update_mirrors(): writes what changed to the tables that mirror_rating() has named.';

CREATE FUNCTION skillrating_internal.mirror_triggers(ladder text)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    wanted boolean;
    there boolean := EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = to_regclass(format('%I.rating', ladder)) AND tgname = 'mirror_update');
BEGIN
    -- Error unless the door to the ladder is open.
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.mirror)', ladder) INTO wanted;
    IF wanted AND NOT there THEN
        EXECUTE format(
            'CREATE TRIGGER mirror_insert AFTER INSERT ON %I.rating REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.update_mirrors()', ladder);
        EXECUTE format(
            'CREATE TRIGGER mirror_update AFTER UPDATE ON %I.rating REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.update_mirrors()', ladder);
        EXECUTE format(
            'CREATE TRIGGER mirror_delete AFTER DELETE ON %I.rating REFERENCING OLD TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION skillrating_internal.update_mirrors()', ladder);
    ELSIF there AND NOT wanted THEN
        EXECUTE format('DROP TRIGGER mirror_insert ON %I.rating', ladder);
        EXECUTE format('DROP TRIGGER mirror_update ON %I.rating', ladder);
        EXECUTE format('DROP TRIGGER mirror_delete ON %I.rating', ladder);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.mirror_triggers(text) IS
'A part of mirror_rating(): makes or drops the triggers of the table rating, as there are mirrors or
not.';

CREATE FUNCTION skillrating_internal.mirror_rating(
    ladder text,
    relation regclass,
    key text,
    columns jsonb,
    pool text DEFAULT '',
    OUT players bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    t record := skillrating_internal.ladder_types(ladder);
    rating regclass := to_regclass(format('%I.rating', ladder));
    wrong text;
    key_type regtype;
BEGIN
    PERFORM skillrating_internal.check_relation(relation);
    SELECT a.atttypid INTO key_type
    FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF key_type IS DISTINCT FROM t.player_type::regtype THEN
        RAISE datatype_mismatch USING
            MESSAGE = CASE WHEN key_type IS NULL THEN format('table %s has no column "%s"', relation, key)
                ELSE format('column "%s" of table %s is of type %s, not %s', key, relation, key_type, t.player_type::regtype) END,
            HINT = 'The key must identify players as the ladder does.';
    END IF;
    IF jsonb_typeof(columns) <> 'object' OR columns = '{}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('columns must be an object of columns and those of rating, not %s', columns),
            HINT = 'As in {"elo": "rating", "played": "games"}.';
    END IF;
    SELECT format('table %s has no column "%s"', w.relation, w.name) INTO wrong
    FROM (SELECT mirror_rating.relation, c.key AS name FROM jsonb_each_text(columns) AS c
          UNION ALL SELECT rating, c.value FROM jsonb_each_text(columns) AS c) AS w(relation, name)
    WHERE NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = w.relation AND a.attname = w.name AND a.attnum > 0 AND NOT a.attisdropped)
    LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE undefined_column USING MESSAGE = wrong;
    END IF;

    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format(
        'INSERT INTO %I.mirror (relation, pool, key, columns) VALUES ($1, $2, $3, $4)
        ON CONFLICT (relation, pool) DO UPDATE SET key = excluded.key, columns = excluded.columns', ladder)
    USING relation, pool, key, columns;
    PERFORM skillrating_internal.mirror_triggers(ladder);
    -- Players without a rating keep what the table has: it may be all that is known of them.
    EXECUTE skillrating_internal.mirror_statement(ladder, relation, key, pool, columns,
        format('SELECT r.player_id FROM %I.rating AS r WHERE r.pool = %L', ladder, pool));
    GET DIAGNOSTICS players = ROW_COUNT;
END
$function$;

SELECT skillrating_internal.create_entry('mirror_rating');

COMMENT ON FUNCTION skillrating.mirror_rating(text, regclass, text, jsonb, text) IS
'Keeps columns of a table of the user''s own equal to those of rating in a pool, from now on, in the
transaction that rates and for the rows that change only. Players who have no rating yet keep what
the table has; those whose rating goes, as by merge_players(), get null. columns maps the table''s
columns to those of rating, as in {"elo": "rating", "played": "games"}, and key is its column that
identifies players, of the ladder''s type. Called again for the same table and pool it replaces what
was. Returns the number of players whose rows it wrote at once. Errors: 42704 for an unknown ladder,
42804 for a key of another type, 42703 for an unknown column, 42501 if the table does not belong to
the ladder''s owner.';

CREATE FUNCTION skillrating_internal.unmirror_rating(
    ladder text,
    relation regclass,
    pool text DEFAULT '')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    n bigint;
BEGIN
    PERFORM skillrating_internal.ladder_types(ladder);
    EXECUTE format('DELETE FROM %I.mirror AS m WHERE m.relation = $1 AND m.pool = $2', ladder) USING relation, pool;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE undefined_object USING
            MESSAGE = format('table %s mirrors no rating of pool "%s" of ladder "%s"', relation, pool, ladder);
    END IF;
    PERFORM skillrating_internal.mirror_triggers(ladder);
END
$function$;

SELECT skillrating_internal.create_entry('unmirror_rating');

COMMENT ON FUNCTION skillrating.unmirror_rating(text, regclass, text) IS
'Undoes mirror_rating(): the table keeps what it has. Error 42704 for an unknown ladder or a table
that is no mirror.';
