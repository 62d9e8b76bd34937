-- Histories solved where they lie, in partitions and on other servers.

CREATE TYPE skillrating_internal.survey AS (
    players text[],
    games bigint[],
    component integer[],
    contexts text[],
    matches bigint,
    observations bigint,
    sides boolean,
    unrated jsonb,
    packed bytea,
    kept integer);

COMMENT ON TYPE skillrating_internal.survey IS
'Result of solve_survey().
players: as text.  games: of each player, the matches that count.
component: of each player, the position in the array of the player who represents all those whom
matches connect.
contexts: those that occur.  matches: their number.
observations: comparisons or rankings of teams, which are the terms of the likelihood.
sides: whether those of a match differ.
unrated: how many matches do not count, by the codes of unrated_reasons().
packed: the rows that another process is to keep, from a parallel worker or where home is another
process; otherwise null.
kept: the number of the key under which this process keeps the rows, if the plan has a token;
otherwise null.';

CREATE FUNCTION skillrating_internal.solve_survey_transition(internal, jsonb, anycompatible, anyelement, integer, float8, skillrating.inputs)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_survey_transition'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_survey_transition(internal, jsonb, anycompatible, anyelement, integer, float8, skillrating.inputs) IS
'Transition function of solve_survey().';

CREATE FUNCTION skillrating_internal.solve_survey_final(internal)
RETURNS skillrating_internal.survey
AS 'MODULE_PATHNAME', 'skillrating_solve_survey_final'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_survey_final(internal) IS
'Final function of solve_survey().';

CREATE AGGREGATE skillrating_internal.solve_survey(plan jsonb, match_id anycompatible, player_id anyelement, team integer, rank float8, inputs skillrating.inputs) (
    SFUNC = skillrating_internal.solve_survey_transition,
    STYPE = internal,
    FINALFUNC = skillrating_internal.solve_survey_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE skillrating_internal.solve_survey(jsonb, anycompatible, anyelement, integer, float8, skillrating.inputs) IS
'The first pass over matches: who plays; called by solve_distributed().
plan: {"solver": ..., "params": {...}}, the solver bradley_terry, hive or plackett_luce, and with
"strict": true a mistake in a match is an error.  With "keep", a key in hex, the process keeps rows
of the solver made of the matches, for solve_pass(), up to the end of the transaction. With a token,
the first 32 digits, each group has a key of its own, and processes other than "home" hand the rows
over.  With
"lasting": true rows are kept until a transaction ends that has not used them.
The rows are those of solve(), in any order; inputs may be null.
Matches are forgotten as soon as they are counted; sorting takes work_mem, or disk.  What is kept
takes 8 to 40 bytes a participant, of skillrating.memory_limit up to the half and of a temporary
file beyond.
Null without rows.  Errors: 0A000 for a solver that cannot be distributed, 22023 for anything else
in the plan, and those of solve().';

CREATE FUNCTION skillrating_internal.solve_near(plan jsonb)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'skillrating_solve_near'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_near(jsonb) IS
'The plan as it is.
Stable, so that postgres_fdw, which sends only what is immutable, fetches rows in place of having an
unknown server hand over what solve_distributed() believes.';

CREATE FUNCTION skillrating_internal.solve_reads_support(internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'skillrating_solve_reads_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION skillrating_internal.solve_reads_support(internal) IS
'Planner support of solve_reads().';

CREATE FUNCTION skillrating_internal.solve_reads(key bytea, if_not_kept boolean, team integer)
RETURNS boolean
AS 'MODULE_PATHNAME', 'skillrating_solve_reads'
LANGUAGE C IMMUTABLE PARALLEL RESTRICTED
SUPPORT skillrating_internal.solve_reads_support;

COMMENT ON FUNCTION skillrating_internal.solve_reads(bytea, boolean, integer) IS
'Whether a query of solve_distributed() has to read the rows of a partition: only if_not_kept, and
if this process keeps nothing under the key.
team: a column, so that the question goes to the server that has the rows; has no influence.
Where key and if_not_kept are known in advance, the planner leaves out a scan that is not needed.
Immutable for postgres_fdw, which sends nothing else.';

CREATE FUNCTION skillrating_internal.solve_kept(key bytea, survey skillrating_internal.survey)
RETURNS skillrating_internal.survey
AS 'MODULE_PATHNAME', 'skillrating_solve_kept'
LANGUAGE C IMMUTABLE PARALLEL RESTRICTED;

COMMENT ON FUNCTION skillrating_internal.solve_kept(bytea, skillrating_internal.survey) IS
'The survey, or in place of null the one of the rows that this process keeps under the key, if these
are lasting.
Immutable for postgres_fdw, which sends nothing else.';

CREATE FUNCTION skillrating_internal.solve_pass(key bytea, request bytea, rows bigint)
RETURNS bytea
AS 'MODULE_PATHNAME', 'skillrating_solve_pass'
LANGUAGE C IMMUTABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION skillrating_internal.solve_pass(bytea, bytea, bigint) IS
'One of the passes over matches that solving them takes: what the results say of the unknowns at a
point, without the prior; called by solve_distributed().
key: of the rows that this process keeps for the user, see solve_survey().
request: what is asked, and a number for each unknown: the skills of the players in the order of the
survey, then, under hive, their side offsets if offset_deviation is not 0 and their command skills
if command is true; the advantage of the first side if side_deviation is not 0; those of contexts.
rows: a count of rows, so that the pass goes to the server that has them; has no influence.
Result: null if nothing is kept under the key.  Both are bytes, see solve_pass.h; passes over
different matches add up.
Immutable for postgres_fdw, which sends nothing else.
Errors: 22023 for a key or a request that is none, 2202E for another number of unknowns, 55000 for
a product before derivatives.';

CREATE FUNCTION skillrating_internal.solve_relation(
    relation regclass,
    solver text,
    params jsonb,
    columns jsonb,
    start text,
    start_contexts skillrating.context_estimate[],
    strict boolean,
    token bytea,
    write text[])
RETURNS skillrating.solve_summary
AS 'MODULE_PATHNAME', 'skillrating_solve_relation'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.solve_relation(regclass, text, jsonb, jsonb, text, skillrating.context_estimate[], boolean, bytea, text[]) IS
'Solves as solve() does, and returns what solve_summary() does, for the matches in a table, a view
or all partitions of a table, which are read once and kept as rows where they were read; called by
solve_distributed(), where errors are listed.
start: a query of the estimates to begin with, or null; start_contexts: the same of contexts, an
array.  strict: make a mistake in a match an error.
write: queries that run in the end, as the caller, and read the estimates as relation "solution"; or
null.
token: from solve_token(), under which rows are kept beyond the transaction, and found if they are
kept already; null to keep them no longer than this call.
Each partition is read in one snapshot.  Needs the right to read the partitions themselves.';

CREATE FUNCTION skillrating_internal.solve_token()
RETURNS bytea
AS 'MODULE_PATHNAME', 'skillrating_solve_token'
LANGUAGE C VOLATILE;

COMMENT ON FUNCTION skillrating_internal.solve_token() IS
'Random bytes that name the rows of one call of solve_distributed() to those who keep them.';

CREATE FUNCTION skillrating_internal.solve_release(relation regclass, columns jsonb, token bytea)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_solve_release'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.solve_release(regclass, jsonb, bytea) IS
'Frees the rows that solve_relation() has kept under a token, here and on all servers.';

CREATE FUNCTION skillrating_internal.solve_hold(relation regclass, columns jsonb, token bytea)
RETURNS void
AS 'MODULE_PATHNAME', 'skillrating_solve_hold'
LANGUAGE C VOLATILE STRICT;

COMMENT ON FUNCTION skillrating_internal.solve_hold(regclass, jsonb, bytea) IS
'Has everybody who keeps rows of solve_relation() under a token keep them even if this transaction
is aborted.';

CREATE FUNCTION skillrating_internal.solve_retry(relation regclass, columns jsonb, token bytea, failures integer, message text)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    part regclass;
BEGIN
    RAISE NOTICE USING
        MESSAGE = format('lost a server, trying again: %s', message);
    FOR part IN
        SELECT c.oid FROM pg_partition_tree(relation) AS t JOIN pg_class AS c ON c.oid = t.relid
        WHERE c.relkind <> 'p'
        UNION ALL
        SELECT c.oid FROM pg_class AS c
        WHERE c.oid = relation AND NOT c.relispartition AND c.relkind <> 'p'
    LOOP
        BEGIN
            PERFORM skillrating_internal.solve_hold(part, columns, token);
        EXCEPTION WHEN connection_exception OR admin_shutdown OR crash_shutdown THEN
            NULL;  -- Here are no rows any more.
        END;
    END LOOP;
    PERFORM pg_sleep(0.2 * failures);
    RETURN failures + 1;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.solve_retry(regclass, jsonb, bytea, integer, text) IS
'What solve_distributed() does with commits when a server is lost, before it rolls back and tries
again: has the others hold their rows, and waits a moment.
failures: so many in a row before this one.  Returns one more.';

CREATE FUNCTION skillrating_internal.check_result(result regclass, type regclass)
RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    missing text;
BEGIN
    PERFORM skillrating_internal.check_relation(result);
    IF EXISTS (
        SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE c.oid = result AND (c.relkind NOT IN ('r', 'p') OR pg_is_other_temp_schema(n.oid)
            OR n.nspname IN ('pg_catalog', 'information_schema', 'pg_toast')))
    THEN
        RAISE wrong_object_type USING
            MESSAGE = format('relation %s cannot store the solution', result),
            DETAIL = 'It is not a table, or it is a system table or a temporary table of another session.',
            HINT = format('CREATE TABLE ... (LIKE %s) creates a suitable table.', type);
    END IF;
    SELECT string_agg(format('"%s"', e.attname), ', ' ORDER BY e.attnum) INTO missing
    FROM pg_attribute AS e
    WHERE e.attrelid = type AND e.attnum > 0 AND NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = result AND a.attname = e.attname AND NOT a.attisdropped);
    IF missing IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has no column %s', result, missing),
            HINT = format('CREATE TABLE ... (LIKE %s) creates a table with all of them.', type);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.check_result(regclass, regclass) IS
'A part of solve_distributed(), which replaces all rows of a result: error 42809 unless that is a
table that is none of the system or of another session, 42703 unless it has the columns of the
type, 42P01 if there is none.  Checks nothing for a null.';

CREATE FUNCTION skillrating_internal.solve_distributed_step(
    relation regclass,
    result regclass,
    solver text,
    params jsonb,
    columns jsonb,
    warm boolean,
    commits boolean,
    strict boolean,
    contexts regclass,
    before skillrating.solve_summary,
    token bytea,
    OUT summary skillrating.solve_summary,
    OUT done boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    start text;
    start_contexts skillrating.context_estimate[] := before.contexts;
    most float8;
    write text[] := ARRAY[
        format('DELETE FROM %s', result),
        format('INSERT INTO %s (player_id, at, mu, standard_error, side_offset, command_skill, games, component)
            SELECT player_id, at, mu, standard_error, side_offset, command_skill, games, component FROM solution', result)];
BEGIN
    IF relation IS NULL OR result IS NULL OR solver IS NULL OR params IS NULL OR columns IS NULL OR warm IS NULL OR commits IS NULL OR strict IS NULL THEN
        RAISE null_value_not_allowed USING
            MESSAGE = 'relation, result, solver, params, columns, warm, commits and strict must not be null';
    END IF;
    PERFORM skillrating_internal.check_result(r.relation, r.type)
    FROM (VALUES (result, 'skillrating.estimate'::regclass), (contexts, 'skillrating.context_estimate')) AS r(relation, type);
    IF result = contexts THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('result and contexts are both %s', result),
            HINT = 'The skills and the advantages of contexts go into tables of their own.';
    END IF;
    -- One after another; reading goes on.
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', concat_ws(', ', result, contexts));
    IF warm OR before.iterations IS NOT NULL THEN
        start := format(
            'SELECT player_id::text, at::timestamptz, mu::float8, standard_error::float8, side_offset::float8, command_skill::float8, games::bigint, component::integer FROM %s',
            result);
    END IF;
    IF warm AND before.iterations IS NULL AND contexts IS NOT NULL THEN
        EXECUTE format('SELECT array_agg(ROW(context, log_odds, standard_error)::skillrating.context_estimate) FROM %s', contexts)
        INTO start_contexts;
    END IF;
    IF NOT commits THEN
        summary := skillrating_internal.solve_relation(relation, solver, params, columns, start, start_contexts, strict, NULL, write);
        done := true;
    ELSE
        -- An iteration at a time, and errors that cost something only at the end.
        summary := skillrating_internal.solve_relation(relation, solver, params - 'exact_for' || '{"max_iterations": 1, "errors": "bound"}', columns, start, start_contexts, strict, token, write);
        SELECT coalesce((params ->> p.name)::float8, p.default_value::float8) INTO STRICT most
        FROM skillrating.solver_parameters(solver) AS p WHERE p.name = 'max_iterations';
        summary.iterations := summary.iterations + coalesce(before.iterations, 0);
        summary.products := summary.products + coalesce(before.products, 0);
        done := (summary.status <> 'max_iterations reached' OR summary.iterations >= most) IS NOT FALSE;
        IF summary.converged AND (params ? 'exact_for' OR params ->> 'errors' <> 'bound') THEN
            -- It begins with what has just been written.
            PERFORM skillrating_internal.solve_relation(relation, solver, params, columns, start, summary.contexts, strict, token, write);
        END IF;
        RAISE NOTICE USING
            MESSAGE = format('iteration %s: log posterior %s, largest derivative %s', summary.iterations, round(summary.log_posterior::numeric, 6), to_char(summary.gradient, '9.9EEEE'));
    END IF;
    IF contexts IS NOT NULL THEN
        EXECUTE format('DELETE FROM %s', contexts);
        EXECUTE format(
            'INSERT INTO %s (context, log_odds, standard_error) SELECT context, log_odds, standard_error FROM unnest($1)', contexts)
        USING summary.contexts;
    END IF;
    IF done AND commits THEN
        PERFORM skillrating_internal.solve_release(relation, columns, token);
    END IF;
    IF done AND NOT summary.converged THEN
        RAISE WARNING USING
            MESSAGE = format('solver "%s" has not converged: %s', solver, summary.status),
            HINT = skillrating_internal.solve_hint(summary.status);
    END IF;
END
$function$;

COMMENT ON FUNCTION skillrating_internal.solve_distributed_step(regclass, regclass, text, jsonb, jsonb, boolean, boolean, boolean, regclass, skillrating.solve_summary, bytea) IS
'All of solve_distributed(), or, with commits, one iteration of it.
before: the summary of the iterations before, or null.  token: under which rows are kept from one
iteration to the next.';

CREATE PROCEDURE skillrating.solve_distributed(
    relation regclass,
    result regclass,
    solver text DEFAULT 'bradley_terry',
    params jsonb DEFAULT '{}',
    columns jsonb DEFAULT '{}',
    warm boolean DEFAULT true,
    commits boolean DEFAULT false,
    strict boolean DEFAULT false,
    contexts regclass DEFAULT NULL,
    INOUT summary skillrating.solve_summary DEFAULT NULL)
LANGUAGE plpgsql
AS $procedure$
DECLARE
    step pg_catalog.record;
    token pg_catalog.bytea;
    lost pg_catalog.bool;
    failures pg_catalog.int4 := 0;
BEGIN
    -- No operators or bare names here: what commits cannot have a search_path of its own.
    summary := NULL;
    IF commits IS NOT TRUE THEN
        SELECT * INTO step
        FROM skillrating_internal.solve_distributed_step(relation, result, solver, params, columns, warm, commits, strict, contexts, NULL, NULL) AS s;
        summary := step.summary;
        RETURN;
    END IF;
    token := skillrating_internal.solve_token();
    LOOP
        BEGIN
            SELECT * INTO step
            FROM skillrating_internal.solve_distributed_step(relation, result, solver, params, columns, warm, commits, strict, contexts, summary, token) AS s;
            lost := false;
            failures := 0;
        EXCEPTION WHEN connection_exception OR admin_shutdown OR crash_shutdown THEN
            IF failures OPERATOR(pg_catalog.=) 10 THEN
                RAISE;
            END IF;
            lost := true;
            failures := skillrating_internal.solve_retry(relation, columns, token, failures, SQLERRM);
        END;
        IF lost THEN
            ROLLBACK;
        ELSE
            summary := step.summary;
            EXIT WHEN step.done;
            COMMIT;
        END IF;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE skillrating.solve_distributed(regclass, regclass, text, jsonb, jsonb, boolean, boolean, boolean, regclass, skillrating.solve_summary) IS
'Solves matches where they are stored, without collecting them in one place.
relation: a table, a view, or a partitioned table.  Each partition is read on its own, by a
parallel worker or, if it is a foreign table of a server with the extension (postgres_fdw with
extensions ''skillrating''), on that server.  All rows of a match must be in one partition.
A row is a participant.  The columns are those of source_columns() by name: match_id, player_id,
team and one of rank, score and won, and optionally weight, joined, left, commanding, side,
log_odds, gain, unrated_reason and context.
result: a table with the columns of the type estimate, made by
CREATE TABLE skills (LIKE skillrating.estimate); the solution replaces all its rows.
solver: bradley_terry, hive or plackett_luce.  params: its parameters.
columns: which columns have other names: {"match_id": "game"}.  With {"part": "season"} each value
of that column is a partition, and one query that is grouped by it reads all; where Citus
distributes the table by it, the workers read, and hand over the rows that passes need.  All rows of
a match must be in one part.
warm: begin the search with the rows of result and of contexts; a search from its own solution takes
one iteration.
commits: make each iteration a transaction of its own, which keeps what has been found and holds
no snapshot for longer.  A server that is lost in between is connected to again, up to ten times in
a row, and reads its partitions again.
strict: make a mistake in a match an error; otherwise the match is left out, and counted in summary.
contexts: a table with the columns of the type context_estimate, or null; the advantages of the
first side, in all matches and in each context, replace all its rows.  Without it the next search
has to find those of contexts again.
summary: returns how it went; a value given in the call is ignored.  A warning if the search has
not converged.
The solution equals that of solve() to about ten digits.  Each partition is read once, in one
snapshot; matches that come later do not count.  What passes need of it is kept where it was read: 8
to 40 bytes a participant, of skillrating.memory_limit up to the half and of a temporary file
beyond.
Needs the right to read the partitions and to change result.
Errors: 0A000 for other solvers, 42P01 for unknown relations, 42809 for a result or contexts that
are no table, or one of the system or of another session, 42703 for missing columns, 22023 for
unknown columns, for a table that is partitioned by player, team or rank, for a part by one of
these, and for one table as both result and contexts, 2D000 for commits within a transaction block,
P0002 if no match counts, as where parts divide them, unless the source says so of each, 54000 for
more than 16000 partitions or 4000 parts, and for more than 268 MB that another process has to hand
over of a part, and those of solve().';
