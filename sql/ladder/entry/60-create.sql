-- Ladders: schemas of ordinary tables that keep ratings up to date.
--
-- Whatever works on a ladder enters it in C.  Here stand the bodies, in skillrating_internal, with the
-- comments of the functions to call, which 70-entries.sql makes, with the same arguments; of some in
-- C the functions themselves.
--
-- The functions in PL/pgSQL pin their search_path, and name what they make with
-- format(), so that no caller's search_path or odd name can bend them.

CREATE FUNCTION skillrating_internal.check_identifier_type(type regtype, column_name text)
RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE
    wrong text;
BEGIN
    -- What has no hash function, order or array type is refused here.
    PERFORM skillrating_internal.identifier_equals(type, column_name);
    -- A domain is what it is made of. Its CHECK is read and not called: that is somebody else's code.
    WITH RECURSIVE d AS (
        SELECT t.* FROM pg_type AS t WHERE t.oid = type
        UNION ALL
        SELECT t.* FROM d JOIN pg_type AS t ON t.oid = d.typbasetype)
    SELECT CASE
        WHEN base.typtype = 'c' THEN 'It is composite: make one value of its columns.'
        WHEN base.typcategory = 'A' THEN 'It is an array.'
        WHEN EXISTS (
            SELECT FROM pg_collation AS l
            WHERE l.oid = coalesce(r.rngcollation, own.typcollation) AND NOT l.collisdeterministic)
            THEN 'Its collation is nondeterministic, so that different values can be equal.'
        WHEN base.typnamespace = 'pg_catalog'::regnamespace AND base.typname ~ '^(name$|reg)'
            THEN 'It names objects of the database.'
        WHEN EXISTS (
            SELECT FROM d
            WHERE d.typtype = 'd' AND (d.typnotnull OR EXISTS (
                SELECT FROM pg_constraint AS c
                WHERE c.contypid = d.oid AND pg_get_constraintdef(c.oid) ~ 'IS NOT NULL')))
            THEN 'The domain does not allow null, which operations on all players need.'
        END INTO wrong
    FROM d AS base
    JOIN pg_type AS own ON own.oid = type
    LEFT JOIN pg_range AS r ON base.oid IN (r.rngtypid, r.rngmultitypid)
    WHERE base.typtype <> 'd';
    IF wrong IS NOT NULL THEN
        RAISE datatype_mismatch USING
            MESSAGE = format('type %s cannot be used for %s', format_type(type, NULL), column_name),
            DETAIL = wrong,
            HINT = 'Identifiers need a type that can be hashed and ordered, such as bigint, uuid or text.';
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_identifier_type(regtype, text) IS
'Error 42804 unless values of a type can identify players or matches, which takes a hash function,
an order and an array type, and equality of equals; 42704 for an unknown type.';

CREATE FUNCTION skillrating_internal.check_choice(argument text, value text, VARIADIC choices text[])
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
    IF value IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = format('%s must not be null', argument);
    END IF;
    IF value <> ALL (choices) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s must be %s, not "%s"', argument,
                regexp_replace('"' || array_to_string(choices, '", "') || '"', '^(.*), ', E'\\1 or '), value);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_choice(text, text, text[]) IS
'Error 22023, or 22004 for null, unless the value of an argument is one of the choices.';

SELECT skillrating_internal.make_function('skillrating.source_columns', '',
    'TABLE (column_name text, type text, needed text, description text)', 'IMMUTABLE PARALLEL SAFE ROWS 25',
'The columns that a source of matches may have, with a row for each participant: the name, the type
(identifier, time, number, interval or number, boolean or number, or text), whether it is needed
(yes, no, or one: at least one of them), and what it is.');

CREATE FUNCTION skillrating_internal.describe_columns(
    source regclass,
    OUT name text,
    OUT ok boolean,
    OUT description text,
    OUT remedy text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    source_column record;
    results integer := (
        SELECT count(*)
        FROM skillrating.source_columns() AS c
        JOIN pg_attribute AS a ON a.attname = c.column_name
        WHERE c.needed = 'one' AND a.attrelid = source AND NOT a.attisdropped);
BEGIN
    -- Known ones in their order, and then whatever else is there.
    FOR source_column IN
        SELECT coalesce(c.column_name, a.attname) AS name, c.type AS wanted, c.needed, c.description, a.atttypid AS type_oid, t.typcategory AS category,
            format_type(a.atttypid, a.atttypmod) AS type,
            NOT EXISTS (SELECT FROM pg_collation AS l WHERE l.oid = a.attcollation AND NOT l.collisdeterministic) AS deterministic
        FROM skillrating.source_columns() WITH ORDINALITY AS c(column_name, type, needed, description, n)
        FULL JOIN (SELECT a.* FROM pg_attribute AS a WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped) AS a ON a.attname = c.column_name
        LEFT JOIN pg_type AS t ON t.oid = a.atttypid
        ORDER BY c.n, a.attnum
    LOOP
        name := source_column.name;
        ok := CASE WHEN source_column.wanted IS NULL THEN NULL
            WHEN source_column.type IS NULL THEN false
            WHEN source_column.wanted = 'identifier' THEN source_column.deterministic
            WHEN source_column.wanted = 'time' THEN source_column.type_oid IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype)
            WHEN source_column.wanted = 'text' THEN true
            WHEN source_column.category = 'T' THEN source_column.wanted = 'interval or number'
            ELSE source_column.category IN ('N', 'B') END;
        IF ok AND source_column.wanted = 'identifier' THEN
            BEGIN
                PERFORM skillrating_internal.check_identifier_type(source_column.type_oid, source_column.name);
            EXCEPTION
                WHEN datatype_mismatch THEN
                    ok := false;
            END;
        END IF;
        CONTINUE WHEN source_column.type IS NULL AND (source_column.needed = 'no' OR (source_column.needed = 'one' AND results > 0));
        description := CASE WHEN ok IS NULL THEN concat_ws('; ', format('%s, not used', source_column.type),
                'is it ' || skillrating_internal.nearest_source_column(source, name) || '?')
            WHEN ok THEN format('%s: %s%s', source_column.type, source_column.description,
                CASE WHEN source_column.type_oid IN ('timestamp'::regtype, 'date'::regtype) THEN ', in UTC' END)
            WHEN source_column.type IS NULL THEN CASE source_column.needed WHEN 'one' THEN 'missing, as are its alternatives' ELSE 'missing' END
            WHEN source_column.wanted = 'identifier' THEN format('is %s, which cannot identify anything, or has a nondeterministic collation', source_column.type)
            ELSE format('is %s, not a %s', source_column.type, source_column.wanted) END;
        remedy := CASE WHEN ok IS NOT FALSE THEN NULL
            WHEN source_column.type IS NULL THEN format('Have the view return it AS %I%s.', name,
                CASE source_column.needed WHEN 'one' THEN ', or ' || (SELECT string_agg(c.column_name, ', ') FROM skillrating.source_columns() AS c
                    WHERE c.needed = 'one' AND c.column_name <> source_column.name) END)
            WHEN source_column.wanted = 'identifier' THEN 'Cast it in the view to bigint, uuid, or text COLLATE "C".'
            WHEN name = 'team' THEN 'Number the teams of a match: dense_rank() OVER (PARTITION BY match_id ORDER BY team)::integer.'
            ELSE format('Cast it in the view to %s.', CASE source_column.wanted WHEN 'time' THEN 'timestamptz' ELSE 'float8' END) END;
        RETURN NEXT;
    END LOOP;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.describe_columns(regclass) IS
'A row for each column that a source has, or lacks and needs; ok is null for one that is not used.';

CREATE FUNCTION skillrating_internal.check_source(source regclass)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
    source_list text;
    faults text;
    serves boolean;
    cost record;
BEGIN
    -- The functions of a view run with the rights of who reads it: the owner of the ladder.
    IF EXISTS (
        SELECT FROM pg_class AS c
        WHERE c.oid = source AND c.relkind = 'v' AND pg_get_userbyid(c.relowner) <> current_user)
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('source %s belongs to another role', source),
            HINT = 'The owner of a ladder must own its source view.';
    END IF;
    SELECT string_agg(format('%s (%s)', d.name, d.description), ', ') FILTER (WHERE NOT d.ok OR d.ok IS NULL AND d.description ~ '; is it '),
        string_agg(format('s.%I', d.name), ', ') FILTER (WHERE d.ok), bool_and(d.ok IS NOT FALSE)
    INTO faults, source_list, serves
    FROM skillrating_internal.describe_columns(source) AS d;
    IF NOT serves THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('%s cannot be the source of a ladder', source),
            DETAIL = format('%s.', faults),
            HINT = format('See SELECT * FROM skillrating.describe_source(%L).', source);
    END IF;
    SELECT * INTO cost FROM skillrating_internal.source_cost(source);
    IF cost.description IS NOT NULL THEN
        RAISE WARNING USING MESSAGE = cost.description, HINT = cost.remedy;
    END IF;
    RETURN source_list;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_source(regclass) IS
'The columns of a source as a select list over alias s, with a warning if it reads large tables for
each match. Errors: 42501 for a view of another role, 22023 unless all columns are in order.';

CREATE FUNCTION skillrating_internal.create_ladder_schema(
    ladder text,
    model text,
    params jsonb,
    player_type regtype,
    match_type regtype,
    apply_at text,
    source regclass,
    late text,
    strict boolean,
    eligibility jsonb,
    ranks text,
    on_error text)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    all_params jsonb;
    source_list text;
    is_distributed boolean := false;
BEGIN
    IF num_nulls(ladder, model, params, apply_at, late, strict, eligibility, on_error) > 0 THEN
        RAISE null_value_not_allowed USING MESSAGE = 'ladder, model, params, apply_at, late, strict, eligibility and on_error must not be null';
    END IF;
    all_params := (SELECT parameters FROM skillrating.models(model, params));
    PERFORM skillrating_internal.check_choice('ranks', ranks, 'indexed', 'counted'),
        skillrating_internal.check_eligibility(eligibility),
        skillrating_internal.check_choice('apply_at', apply_at, 'commit', 'statement', 'manual'),
        skillrating_internal.check_choice('late', late, 'append', 'reorder'),
        skillrating_internal.check_choice('on_error', on_error, 'wait', 'raise');
    IF ladder <> ladder::name::text THEN
        RAISE name_too_long USING
            MESSAGE = format('name of a ladder is too long: "%s"', ladder),
            HINT = format('The longest possible is "%s".', ladder::name);
    END IF;
    IF source IS NOT NULL THEN
        source_list := skillrating_internal.check_source(source);
        SELECT coalesce(player_type, a.atttypid) INTO player_type
        FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = 'player_id';
        SELECT coalesce(match_type, a.atttypid) INTO match_type
        FROM pg_attribute AS a WHERE a.attrelid = source AND a.attname = 'match_id';
    END IF;
    player_type := coalesce(player_type, 'int8'::regtype);
    match_type := coalesce(match_type, 'int8'::regtype);
    PERFORM skillrating_internal.check_identifier_type(player_type, 'player_id');
    PERFORM skillrating_internal.check_identifier_type(match_type, 'match_id');
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = ladder) THEN
        RAISE duplicate_schema USING
            MESSAGE = format('schema "%s" already exists', ladder),
            HINT = 'A ladder is a schema of its own: choose a name that is not taken.';
    END IF;

    EXECUTE format('CREATE SCHEMA %I', ladder);
    -- Triggers and sequences would not work where Citus keeps the tables of a new schema on another server.
    IF to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_schema AS d WHERE d.schemaid = $1)'
        INTO is_distributed USING to_regnamespace(quote_ident(ladder));
    END IF;
    IF is_distributed THEN
        RAISE feature_not_supported USING
            MESSAGE = format('schema "%s" would be distributed by Citus', ladder),
            HINT = 'SET citus.enable_schema_based_sharding = off before the ladder is created.';
    END IF;
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', ladder,
        format('A skillrating ladder under the model %s.', model));
    PERFORM skillrating_internal.create_tables(ladder,
        '{ladder,rating,event,rated_match,component,component_event,pending,correction,operation,attached}'::text[]
            || CASE ranks WHEN 'counted' THEN '{rating_count,rating_count_delta}'::text[] END
            || CASE WHEN source IS NULL THEN '{match,match_player}'::text[] END,
        player_type, match_type, model, all_params);
    EXECUTE format('INSERT INTO %I.ladder (model, params, apply_at, late, strict, on_error) VALUES ($1, $2, $3, $4, $5, $6)', ladder)
    USING model, all_params, apply_at, late, strict, on_error;
    IF eligibility <> '{}' THEN
        EXECUTE format(
            'INSERT INTO %I.operation (operation, seq, kind, since, params)
            SELECT n.n, n.n, ''eligibility'', ''-infinity'', $1 FROM (SELECT nextval(%L) AS n) AS n',
            ladder, format('%I.event_seq', ladder))
        USING eligibility;
    END IF;
    PERFORM skillrating_internal.create_views(ladder, model, all_params, source, source_list),
        skillrating_internal.create_triggers(ladder);
END
$function$;

COMMENT ON FUNCTION skillrating_internal.create_ladder_schema(text, text, jsonb, regtype, regtype, text, regclass, text, boolean, jsonb, text, text) IS
'create_ladder() without what feeds the ladder, and without notices.';

CREATE FUNCTION skillrating.create_ladder(
    ladder text,
    model text,
    params jsonb DEFAULT '{}',
    player_type regtype DEFAULT NULL,
    match_type regtype DEFAULT NULL,
    apply_at text DEFAULT 'commit',
    source regclass DEFAULT NULL,
    late text DEFAULT 'append',
    strict boolean DEFAULT false,
    eligibility jsonb DEFAULT '{}',
    ranks text DEFAULT 'indexed',
    on_error text DEFAULT 'wait',
    attach boolean DEFAULT true,
    ratings_to regclass DEFAULT NULL,
    key text DEFAULT NULL,
    columns jsonb DEFAULT NULL,
    pool text DEFAULT NULL,
    pool_key text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    tables integer := 0;
BEGIN
    IF num_nonnulls(ratings_to, key, columns) NOT IN (0, 3) THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'ratings_to, key and columns belong together',
            HINT = 'As in ratings_to => ''users'', key => ''id'', columns => ''{"skill": "rating"}''.';
    END IF;
    PERFORM skillrating_internal.create_ladder_schema(ladder, model, params, player_type,
        match_type, apply_at, source, late, strict, eligibility, ranks, on_error);
    IF source IS NOT NULL AND attach THEN
        tables := skillrating_internal.attach_tables(ladder, source, ARRAY[ratings_to], false);
    END IF;
    IF ratings_to IS NOT NULL THEN
        PERFORM skillrating.mirror_rating(ladder, ratings_to, key, columns, pool, coalesce(pool_key, ''));
    END IF;
    IF source IS NOT NULL THEN
        -- attach() says it as well.
        IF tables = 0 THEN
            PERFORM skillrating_internal.note_waiting(format('%I.source', ladder), ladder);
        END IF;
        PERFORM skillrating_internal.tell_judgement(source, model, params);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating.create_ladder(text, text, jsonb, regtype, regtype, text, regclass, text, boolean, jsonb, text, text, boolean, regclass, text, jsonb, text, text) IS
'Creates a ladder: a schema of that name with ordinary tables, owned by the caller. Matches that are
inserted into match and match_player are rated by the model with the parameters given (see
parameters()) at commit, or after each statement for apply_at => statement, which then must carry
whole matches, or by catch_up() for manual. A match that is older than others of its players is
rated as it arrives (late => append), or in its place, once catch_up() is called (reorder). A match
with a mistake in its rows stays unrated, with a reason of reasons(); where strict it is an error of
the statement or commit that brings it. After any other error, as of rights or of a trigger, a match
waits in table pending for catch_up(), with a warning; on_error => raise has the statement or commit
fail instead. eligibility has rules for all matches, see set_eligibility(). ranks says where ranks
come from: they are counted over the index on the rating (indexed), or from counts of players by
rating, which every match then updates (counted); set_ranks() changes it. With a source, a view on
tables of your own with a row for each participant of each finished match (see describe_source()),
there are no such tables. The tables below the view whose rows lead to match_id by a column are
attached, unless attach is false; a notice says which, and a warning names those that attach() is to
be told about. A notice says how many matches there are already, which backfill() rates; a notice or
warning how many of a hundred of them would not count, and why; a notice which columns have no
effect under the model. ratings_to, key and columns are those of mirror_rating(), for the rating
pool given, or the only one that the source has, or with pool_key for all. Players and matches are
identified by any type that can be hashed and ordered, bigint or that of the source unless it is
given; not by composites, arrays, names of objects, domains without null, or texts of a
nondeterministic collation. Errors: 42804 for such a type, 42P01 for an unknown source, 22023 for an
unknown model or parameter, a source that will not do, or several rating pools for ratings_to, 22003
for a parameter out of range, 42P06 if the schema exists, 42501 if the source view is another
role''s, 55P03 if tables cannot be locked within 30 s, and those of mirror_rating().';

SELECT skillrating_internal.make_function('skillrating.report_match', '
    ladder text,
    match_id anyelement,
    players anycompatiblearray,
    team integer[],
    rank float8[] DEFAULT NULL,
    played_at timestamptz DEFAULT NULL,
    won boolean[] DEFAULT NULL,
    team_score float8[] DEFAULT NULL,
    player_score float8[] DEFAULT NULL,
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    left_at float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    kills integer[] DEFAULT NULL,
    deaths integer[] DEFAULT NULL,
    quit boolean[] DEFAULT NULL,
    experience integer[] DEFAULT NULL,
    player_gain float8[] DEFAULT NULL,
    pool text DEFAULT '''',
    log_odds float8 DEFAULT 0,
    gain float8 DEFAULT 1,
    duration float8 DEFAULT NULL,
    surrendered boolean DEFAULT NULL,
    bot boolean[] DEFAULT NULL,
    fixed boolean[] DEFAULT NULL,
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    tournament text DEFAULT NULL',
    'TABLE (player_id text, rating_before float8, rating_after float8, win_probability float8,
        score float8, state_before float8[], state_after float8[], outcome text, reason text,
        detail text, correction text, correction_seq bigint)', 'VOLATILE ROWS 12',
'Inserts a match with its participants, an element of each array for each, and rates it at once.

Result: a row for each player, in the order of players; one who occurs several times at the first.
rating_before, rating_after: the displayed rating, and state_before, state_after the state. Where
the match has not touched a player, or not yet, both are those before it.
win_probability, score: as predicted, and 1 for a win, 0.5 for a draw, 0 for a loss; null likewise.
outcome: the same in all rows, but unrated for those of whom a changed source has no row.
  rated: the match is new, and rated.
  repeated: it was rated before with this content, and nothing has changed; or with any content
  before the horizon (reason before_horizon), and its rows and its rating stay as they are.
  corrected: it was looked at before with other content. The new content has taken its place, and
  counts from the next catch_up() on; the ratings are those of the old content.
waiting: it will be rated by catch_up() if reason is late, else when the work is done in which a
trigger reported it.
  unrated: it does not count, for the reason given.
reason, detail: a code of reasons(), and in words; null for one that counts, void for one that does
so until catch_up().
correction, correction_seq: what waits for catch_up() because of it, as table correction has it, and
the place from which history is out of date; a late match has none yet.

Without played_at it is the time of the transaction. The result is the rank of each participant''s
team, or whether it won (a match that all teams or none have won is a draw), or team_score (high is
best), or player_score, the score of each participant, which is summed for the team. Of two of them
rank decides before scores, and scores before won; models that know margins take the score besides
the rank. In the arrays from weight on an element may be null where it is unknown, or as by default.
gain weighs the updates of all players, and player_gain that of each besides. duration (in seconds),
surrendered (by a team) and bot (for each participant) are kept for sources that judge by them.
fixed says whose states stay as they are, from this match on: true for a bot, a puzzle or a course,
false for one who learns again, null as before (see set_fixed()). context is where or as what each
participant played, one element being that of all, and club the group, such as a country, that each
played for. tournament is that of the match, for models with rating periods.

Errors: 55000 if the match exists and is not finished, or the triggers of the ladder are gone (see
restore_triggers()), 22004 for nulls, 2202E for arrays that do not fit, 22023 and 22003 for values
out of range, 22008 for an infinite played_at, 42704 for an unknown ladder.');

SELECT skillrating_internal.make_function('skillrating_internal.preview', '
    ladder text,
    players anycompatiblearray,
    team integer[],
    weight float8[] DEFAULT NULL,
    joined float8[] DEFAULT NULL,
    left_at float8[] DEFAULT NULL,
    commanding float8[] DEFAULT NULL,
    side integer[] DEFAULT NULL,
    squad bigint[] DEFAULT NULL,
    player_gain float8[] DEFAULT NULL,
    pool text DEFAULT NULL,
    log_odds float8 DEFAULT 0,
    gain float8 DEFAULT 1,
    at timestamptz DEFAULT now(),
    fixed boolean[] DEFAULT NULL,
    context text[] DEFAULT NULL,
    club text[] DEFAULT NULL,
    tournament text DEFAULT NULL',
    'TABLE (player_id text, team integer, rating float8, win_probability float8,
        win_change float8, draw_change float8, loss_change float8, draw_probability float8)', 'STABLE ROWS 12',
'What a match at a time would bring, without playing it: for every player the displayed rating with
which the player goes into it, after idle time up to then, the probability that the own team wins (a
draw counts half), and the change of the rating if it wins, draws or loses against all others.
draw_probability is that of a draw of two teams, null of more and under a model that has none, as in
predict(): a win alone has win_probability less half of it. at is now by default, also where it is
null. The rows are in the order of players; one who occurs several times has a row, at the first
place. Players without a row start from the initial state. An account that is merged counts as the
player it is merged into, and its row comes back under the identifier that was given. Under a model
with components it takes SELECT on table component besides. Under rating periods players go into it
with the states at the start of that of at, or of tournament, which is an error (22023) to leave out
where tournaments are the periods. Without pool it is the only one of the ladder; in an unknown one
all players are newcomers, which a notice says, because a match may be the first of its pool. Errors
as for report_match(), 22023 if the match could not be rated, also for two accounts of one player,
or without a pool where there are several, 22008 for an infinite at.');
