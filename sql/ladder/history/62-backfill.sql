-- Existing matches: rating the history that a ladder begins with.

CREATE FUNCTION skillrating_internal.note_waiting(
    source regclass,
    ladder text,
    condition text DEFAULT 'true')
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    -- Not more rows are read, and none where that already takes long.
    max_rows constant bigint := 10000;
    rows text := format('SELECT s.match_id FROM %s AS s WHERE s.match_id IS NOT NULL AND %s LIMIT %s', source, condition, max_rows);
    n bigint;
    n_rows bigint;
BEGIN
    IF NOT skillrating_internal.owns_relation(source) THEN
        RETURN;
    END IF;
    IF skillrating_internal.is_quick(rows) THEN
        EXECUTE format('SELECT count(DISTINCT w.match_id), count(*) FROM (%s) AS w', rows) INTO n, n_rows;
        IF n = 0 THEN
            RETURN;
        END IF;
    END IF;
    RAISE NOTICE USING
        MESSAGE = CASE
            WHEN n IS NULL THEN 'existing matches are not rated yet'
            WHEN n_rows = max_rows THEN format('at least %s existing matches are not rated yet', n)
            WHEN n = 1 THEN '1 existing match is not rated yet'
            ELSE format('%s existing matches are not rated yet', n)
        END,
        HINT = format('CALL skillrating.backfill(%L) rates them.', ladder);
EXCEPTION
    -- Whatever a view of the user's does, a notice is not what it may keep a ladder from.
    WHEN OTHERS THEN
        IF NOT skillrating_internal.error_is_bearable(SQLSTATE) THEN
            RAISE;
        END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.note_waiting(regclass, text, text) IS
'A notice of how many matches of a ladder''s view source, with alias s, meet a condition and wait for
backfill(). Nothing for a view of another role. Volatile because EXPLAIN is refused elsewhere.';

CREATE FUNCTION skillrating_internal.tell_unrated(
    unrated jsonb,
    examples jsonb,
    message text,
    are_many boolean)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    max_named constant integer := 5;
    list text;
    remedies text;
BEGIN
    SELECT string_agg(format('%s %s, as match %s: %s', n.key, n.value, examples ->> n.key, n.description), '; ' ORDER BY n.place),
        string_agg(CASE WHEN n.last > 1 THEN n.key || ': ' ELSE '' END || n.remedy, ' ' ORDER BY n.place)
    INTO list, remedies
    FROM (
        SELECT u.key, u.value, r.description, r.remedy, row_number() OVER (ORDER BY u.value::bigint DESC, u.key) AS place,
            count(*) OVER () AS last
        FROM jsonb_each_text(unrated) AS u JOIN skillrating.reasons() AS r ON r.reason = u.key
    ) AS n
    WHERE n.place <= max_named;
    IF are_many THEN
        RAISE WARNING USING MESSAGE = message, DETAIL = format('%s.', list), HINT = remedies;
    ELSE
        RAISE NOTICE USING MESSAGE = message, DETAIL = format('%s.', list), HINT = remedies;
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tell_unrated(jsonb, jsonb, text, boolean) IS
'A message with the commonest reasons why matches do not count, as ladder_status() has them, with
examples and remedies; a warning if these are many, else a notice.';

CREATE FUNCTION skillrating_internal.judge_source(
    source regclass,
    model text,
    params jsonb,
    OUT reason text,
    OUT matches bigint,
    OUT example text,
    OUT failure text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    max_rows constant integer := 1000;
    max_matches constant integer := 100;
    first_rows text := format('SELECT s.match_id FROM %s AS s WHERE s.match_id IS NOT NULL LIMIT %s', source, max_rows);
    match_type text := (
        SELECT format_type(a.atttypid, -1) FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = 'match_id');
    rows text;
    inputs text;
    sample text[];
BEGIN
    IF NOT skillrating_internal.owns_relation(source) OR NOT skillrating_internal.is_quick(first_rows) THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT (array_agg(DISTINCT format(''%%s'', s.match_id)))[1:%s] FROM (%s) AS s', max_matches, first_rows) INTO sample;
    rows := format('%s AS s WHERE s.match_id %s ANY (%L::%s[])', source,
        skillrating_internal.identifier_equals(match_type::regtype, 'match_id'), sample, match_type);
    IF sample IS NULL OR NOT skillrating_internal.is_quick('SELECT FROM ' || rows) THEN
        RETURN;
    END IF;
    SELECT string_agg(format(CASE
            WHEN c.type = 'boolean or number' AND a.atttypid <> 'bool'::regtype THEN ', %1$I => CAST(s.%1$I AS float8) <> 0'
            WHEN c.type = 'interval or number' AND t.typcategory = 'T' THEN ', %1$I => date_part(''epoch'', s.%1$I)'
            WHEN c.type IN ('number', 'interval or number') AND a.atttypid = 'bool'::regtype THEN ', %1$I => CAST(CAST(s.%1$I AS int4) AS %2$s)'
            WHEN c.type = 'identifier' THEN ', %1$I => s.%1$I'
            ELSE ', %1$I => CAST(s.%1$I AS %2$s)' END, c.column_name,
            CASE WHEN c.column_name = 'team' THEN 'int4' WHEN c.type = 'time' THEN 'timestamptz'
                WHEN c.type = 'text' THEN 'text' WHEN c.type = 'boolean or number' THEN 'bool' ELSE 'float8' END), '')
    INTO inputs
    FROM skillrating.source_columns() AS c
    JOIN pg_attribute AS a ON a.attrelid = source AND a.attname = c.column_name AND NOT a.attisdropped
    JOIN pg_type AS t ON t.oid = a.atttypid
    WHERE c.column_name <> 'match_id'
        AND (c.needed = 'one' OR c.column_name <> ALL (skillrating_internal.unused_columns(source, model, params)));
    -- A ladder is what rate() says, but for what it asks of times.
    RETURN QUERY EXECUTE format(
        'SELECT m.reason, count(*), (array_agg(m.id ORDER BY m.n))[1], NULL
        FROM (
            SELECT r.id, min(r.n) AS n, min(coalesce((r.rated).unrated_reason, CASE WHEN r.at IS NULL THEN ''null_value''
                WHEN r.at > now() + interval ''1 day'' THEN ''future_time'' END)) AS reason
            FROM (
                SELECT format(''%%s'', s.match_id) AS id, CAST(s.played_at AS timestamptz) AS at,
                    skillrating.rate($1%s, options => $2) OVER (ORDER BY s.match_id) AS rated,
                    row_number() OVER (ORDER BY s.match_id) AS n
                FROM %s) AS r
            GROUP BY r.id) AS m
        GROUP BY m.reason', inputs, rows) USING model, params;
EXCEPTION
    WHEN OTHERS THEN
        IF NOT skillrating_internal.error_is_bearable(SQLSTATE) THEN
            RAISE;
        END IF;
        reason := 'source_error';
        failure := SQLERRM;
        RETURN NEXT;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.judge_source(regclass, text, jsonb) IS
'How many of up to a hundred matches of a source of the current role would count (reason is null) or
not, by reason, with an example; or the error of reading them (failure). Nothing where that is slow.';

CREATE FUNCTION skillrating_internal.tell_judgement(source regclass, model text, params jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $function$
DECLARE
    unused text[] := skillrating_internal.unused_columns(source, model, params);
    unread text;
    nearest text;
    j record;
BEGIN
    SELECT string_agg(d.name, ', '), string_agg(format('"%s" for "%s"', n.name, d.name), ', ') FILTER (WHERE n.name IS NOT NULL) INTO unread, nearest
    FROM skillrating_internal.describe_columns(source) AS d
    LEFT JOIN skillrating_internal.nearest_source_column(source, d.name) AS n(name) ON true
    WHERE d.ok IS NULL;
    IF unread IS NOT NULL THEN
        RAISE NOTICE USING
            MESSAGE = format('source %s has columns that are not read: %s', source, unread),
            HINT = concat_ws(' ', 'skillrating.source_columns() lists those that are.', 'Is it ' || nearest || '?');
    END IF;
    IF cardinality(unused) > 0 THEN
        RAISE NOTICE USING
            MESSAGE = format('model "%s" makes no use of these columns of the source: %s', model, array_to_string(unused, ', ')),
            HINT = 'skillrating.models() has what each model takes into account, and the parameters that switch parts of it on.';
    END IF;
    SELECT max(r.failure) AS failure, sum(r.matches) AS tried, sum(r.matches) FILTER (WHERE r.reason IS NOT NULL) AS unrated,
        jsonb_object_agg(r.reason, r.matches) FILTER (WHERE r.reason IS NOT NULL) AS reasons,
        jsonb_object_agg(r.reason, r.example) FILTER (WHERE r.reason IS NOT NULL) AS examples
    INTO j FROM skillrating_internal.judge_source(source, model, params) AS r;
    IF j.failure IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = format('existing matches cannot be rated: %s', j.failure);
    ELSIF j.unrated > 0 THEN
        PERFORM skillrating_internal.tell_unrated(j.reasons, j.examples,
            format('%s of %s existing matches that were tried would not count', j.unrated, j.tried),
            2 * j.unrated > j.tried);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.tell_judgement(regclass, text, jsonb) IS
'Notices of columns that no source has, of the unused_columns(), and of what judge_source() finds.';

CREATE FUNCTION skillrating.describe_source(
    source regclass,
    model text DEFAULT NULL,
    params jsonb DEFAULT '{}',
    OUT kind text,
    OUT name text,
    OUT ok boolean,
    OUT description text,
    OUT remedy text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    unused text[];
    is_whole boolean := true;
BEGIN
    IF source IS NULL THEN
        RETURN;
    END IF;
    IF model IS NOT NULL THEN
        unused := skillrating_internal.unused_columns(source, model, params);
    END IF;
    -- The functions of a view write nothing here, and no lock stays.
    BEGIN
        PERFORM set_config('transaction_read_only', 'on', true);
        kind := 'column';
        FOR name, ok, description, remedy IN SELECT c.* FROM skillrating_internal.describe_columns(source) AS c LOOP
            is_whole := is_whole AND ok IS NOT FALSE;
            IF name = ANY (unused) THEN
                ok := NULL;
                description := description || '; without effect under the model';
            END IF;
            RETURN NEXT;
        END LOOP;
        IF is_whole THEN
            RETURN QUERY SELECT 'table', f.relation::text, CASE WHEN f.watched THEN f.fault IS NULL END,
                concat_ws('; ', 'column ' || quote_ident(f.match_id) || ' is match_id', f.fault), f.remedy
            FROM skillrating_internal.feeding_tables(source, 'LADDER') AS f;
            RETURN QUERY SELECT 'query', source::text, false, c.description, c.remedy
            FROM skillrating_internal.source_cost(source) AS c WHERE c.description IS NOT NULL;
            RETURN QUERY SELECT 'match', coalesce(j.reason, 'rated'), j.reason IS NULL,
                CASE WHEN j.failure IS NOT NULL THEN j.failure
                    WHEN j.reason IS NULL THEN format('%s of %s existing matches that were tried', j.matches, sum(j.matches) OVER ())
                    ELSE format('%s of %s, as match %s: %s', j.matches, sum(j.matches) OVER (), j.example, r.description) END,
                r.remedy
            FROM skillrating_internal.judge_source(source, model, params) AS j LEFT JOIN skillrating.reasons() AS r USING (reason)
            ORDER BY j.reason IS NOT NULL, j.matches DESC, j.reason;
        END IF;
        RAISE SQLSTATE 'SR000';
    EXCEPTION
        WHEN SQLSTATE 'SR000' THEN
            NULL;
    END;
END
$function$;

COMMENT ON FUNCTION skillrating.describe_source(regclass, text, jsonb) IS
'What create_ladder() would find in a view (or table) as the source of a ladder under a model with
these parameters, without writing anything. A row for each column: that it has, with its type and
meaning, or lacks and needs (ok is null if it is not used, or has no effect under the model and its
parameters); table: below the view: ok if create_ladder() attaches it by the column given; false if
that takes what remedy says, such as a call of attach(); null if its changes are not noticed; query:
tables of half a megabyte and more that are read from end to end for a single match; match: how many
of up to a hundred existing matches would count (name is rated), and how many would not, by their
reason, with an example, if reading them is quick. The last two are for sources of the caller''s
own, and match only with a model. If ok is false for no column, create_ladder() takes it. Errors:
42P01 for an unknown relation, 22023 and 22003 for an unknown model or parameters.';

CREATE PROCEDURE skillrating.backfill(
    ladder text,
    batch_size integer DEFAULT 10000,
    late text DEFAULT 'reorder',
    catch_up boolean DEFAULT true,
    INOUT matches bigint DEFAULT NULL,
    INOUT late_matches bigint DEFAULT NULL,
    INOUT unrated bigint DEFAULT NULL)
AS 'MODULE_PATHNAME', 'skillrating_backfill' LANGUAGE C;

COMMENT ON PROCEDURE skillrating.backfill(text, integer, text, boolean, bigint, bigint, bigint) IS
'Rates the existing matches of a ladder: those of the source that nobody has looked at, and those
that wait in pending, in the order of played_at and match_id, batch_size of them in a transaction;
other sessions rate matches between these, and may run backfill() as well. Matches that come
meanwhile and rate nothing by themselves wait for the next call. Whatever ends it, the batches
before stay, and the next call goes on there. progress() shows how far it is, and a notice
every ten seconds, at the end of a batch.
late: what becomes of matches that are older than those that the ladder has rated, of the same
players. reorder: they wait until all others are rated, and catch_up() then gives each match from
the first of them on the place that its time gives it, also where the ladder appends matches that
come late. append: they get the next place, and no rating changes.
catch_up: call catch_up() at the end, in a transaction of its own, which replays what is out of date
while rating waits; otherwise that is left to you.
matches, late_matches, unrated: return how many matches this call has looked at, how many of them
were late, and how many of the others do not count, for the reasons in table rated_match. A notice
names the commonest reasons of all matches of the ladder, a warning where more than half do not
count.
Errors: 2D000 within a transaction block, 42704 for an unknown ladder, 42501 unless the caller owns
it, 22004 for nulls, 22003 for a batch_size below 1, 22023 for another late, or append where the
ladder reorders, 55000 if its triggers are gone, see restore_triggers(), and those that the source
raises.';
