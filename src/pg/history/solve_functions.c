/*
 * solve_functions.c
 *		Ratings that all matches together imply: the aggregates solve() and
 *		solve_summary(), and their result as a relation.
 */
#include "pg/history/solve_state.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/queryenvironment.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "pg/sql/arrays.h"

/* The arguments of solve(), which has them up to rank, or all. */
enum
{
	ARG_SOLVER = 1,
	ARG_MATCH,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_INPUTS,
	ARG_OPTIONS
};

/* Begin in the memory of the aggregate; the options last as long. */
static SolveState *
begin_state(FunctionCallInfo fcinfo, const char *solver, Jsonb *options)
{
	SolveState *state = palloc_object(SolveState);

	solve_state_init(state, solver, OPTION_STRICT | OPTION_EXACT_FOR, options);
	state->head.options = options;
	history_builder_begin_rows(&state->builder, fcinfo, "solve", ARG_MATCH,
							   !is_through_time(state), false);
	solve_state_judge(state);
	return state;
}

static void *
solve_begin(FunctionCallInfo fcinfo, Jsonb *options)
{
	return begin_state(fcinfo, text_argument(fcinfo, ARG_SOLVER, "solver"), options);
}

/* solve(solver, match_id, player_id, team, rank [, inputs, options]) */
SQL_FUNCTION(skillrating_solve_transition)
{
	SolveState *state = options_state(fcinfo, "solve", ARG_OPTIONS, solve_begin);
	MemoryContext old = MemoryContextSwitchTo(aggregate_context(fcinfo, "solve"));

	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * ---- Parallel workers ----
 *
 * A worker only collects rows, as a match may have some of its rows in another one, and hands them
 * over in the order of matches (see match_rows.h).  Combining merges them.  Matches are made of
 * them in the end, so that nothing depends on who had which row.
 */

/* What a worker hands over: this, the options, if there are any, the solver, and the rows. */
typedef struct WorkerHeader
{
	uint32		options_size;
	uint32		solver_size;
} WorkerHeader;

/* solve_serial(state) */
SQL_FUNCTION(skillrating_solve_serial)
{
	SolveState *state = aggregate_state(fcinfo, "solve");
	const char *solver = state->task.solver->name;
	const Jsonb *options = state->head.options;
	WorkerHeader header = {options != NULL ? VARSIZE(options) : 0, strlen(solver)};
	StringInfoData bytes;

	/* The rows were bounded as they came, so that all fits into 1 GB. */
	pq_begintypsend(&bytes);
	appendBinaryStringInfo(&bytes, (char *) &header, sizeof(header));
	if (options != NULL)
		appendBinaryStringInfo(&bytes, (const char *) options, header.options_size);
	appendBinaryStringInfo(&bytes, solver, header.solver_size);
	match_rows_write(state->builder.unordered, &bytes);
	PG_RETURN_BYTEA_P(pq_endtypsend(&bytes));
}

/* solve_deserial(bytes, internal): the bytes stay as they are, until they are combined. */
SQL_FUNCTION(skillrating_solve_deserial)
{
	(void) aggregate_context(fcinfo, "solve");
	PG_RETURN_POINTER(PG_GETARG_BYTEA_PP(0));
}

/* solve_combine(state, state of a worker) */
SQL_FUNCTION(skillrating_solve_combine)
{
	MemoryContext context = aggregate_context(fcinfo, "solve");
	SolveState *state = (SolveState *) aggregate_state(fcinfo, "solve");
	const bytea *worker;
	const char *from;
	WorkerHeader header;
	const char *solver;
	Jsonb	   *options = NULL;
	MemoryContext old;

	if (PG_ARGISNULL(1))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	worker = (const bytea *) PG_GETARG_POINTER(1);
	from = VARDATA_ANY(worker);
	memcpy(&header, from, sizeof(header));
	from += sizeof(header);
	old = MemoryContextSwitchTo(context);

	/* A copy that is aligned. */
	if (header.options_size > 0)
		options = memcpy(palloc(header.options_size), from, header.options_size);
	from += header.options_size;
	solver = pnstrdup(from, header.solver_size);
	from += header.solver_size;
	if (state == NULL)
		state = begin_state(fcinfo, solver, options);

	/* Each worker has read them from a first row of its own. */
	else if (strcmp(state->task.solver->name, solver) != 0 ||
			 !same_options(state->head.options, options))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("solver and options of solve() differ from row to row")));
	match_rows_take(state->builder.unordered, from,
					VARDATA_ANY(worker) + VARSIZE_ANY_EXHDR(worker) - from);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * The state at the end; of the aggregates that share it the first one solves, and says whether
 * it returns estimates.
 */
static SolveState *
final_state(FunctionCallInfo fcinfo, bool returns_estimates)
{
	SolveState *state = aggregate_state(fcinfo, "solve");
	MemoryContext old;

	if (state == NULL)
		return NULL;
	old = MemoryContextSwitchTo(aggregate_context(fcinfo, "solve"));
	if (!state->solved)
	{
		state->returns_estimates = returns_estimates;
		history_builder_end_rows(&state->builder);
		solve_state_run(state);
	}
	MemoryContextSwitchTo(old);
	return state;
}

SQL_FUNCTION(skillrating_solve_final)
{
	SolveState *state = final_state(fcinfo, true);
	RowArray	rows;

	if (state == NULL)
		PG_RETURN_NULL();

	/* There are not more. */
	rows = row_array_make(fcinfo, is_through_time(state) ? (int64) state->tt.tt.appearances :
						  (int64) state->task.layout.skills);
	solve_state_add_estimates(state, &rows);
	return return_row_array(&rows);
}

SQL_FUNCTION(skillrating_solve_components_final)
{
	SolveState *state = final_state(fcinfo, false);
	RowArray	rows;

	if (state == NULL)
		PG_RETURN_NULL();

	/* Only states through time have any. */
	rows = row_array_make(fcinfo, (int64) state->tt.tt.appearances);
	if (is_through_time(state))
		through_time_state_add_components(&state->tt, &rows);
	return return_row_array(&rows);
}

SQL_FUNCTION(skillrating_solve_summary_final)
{
	SolveState *state = final_state(fcinfo, false);

	if (state == NULL)
		PG_RETURN_NULL();
	return solve_state_summary(state, fcinfo);
}

/*
 * ---- The solution as the rows of a relation ----
 */

/* What queries know the rows by. */
#define SOLUTION "solution"

/* Have the queries of the current SPI connection find the rows. */
static void
register_rows(Tuplestorestate *store, TupleDesc desc, int64 nrows)
{
	EphemeralNamedRelation enr = palloc0_object(EphemeralNamedRelationData);

	enr->md.name = pstrdup(SOLUTION);
	enr->md.reliddesc = InvalidOid;
	enr->md.tupdesc = desc;
	enr->md.enrtype = ENR_NAMED_TUPLESTORE;

	/* For the planner. */
	enr->md.enrtuples = (double) nrows;
	enr->reldata = store;
	if (SPI_register_relation(enr) != SPI_OK_REL_REGISTER)
		elog(ERROR, "could not register \"%s\"", SOLUTION);
}

void
solution_write(SolveState *state, ArrayType *queries)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid			type;
	TupleDesc	desc;
	Tuplestorestate *store;
	RowArray	rows;
	Datum	   *query;
	int			n;
	int			i;

	SPI_connect();
	if (array_contains_nulls(queries))
		report_null("queries");
	deconstruct_array(queries, TEXTOID, -1, false, TYPALIGN_INT, &query, NULL, &n);
	type = DatumGetObjectId(DirectFunctionCall1(regtypein, CStringGetDatum("skillrating.estimate")));
	desc = lookup_rowtype_tupdesc_copy(type, -1);

	/*
	 * The rows may be more than memory holds: they spill to disk, and every
	 * query reads them from the start.
	 */
	store = tuplestore_begin_heap(false, false, memory_limit_work_mem());
	rows = row_array_into(store, desc);
	solve_state_add_estimates(state, &rows);
	(void) return_row_array(&rows);
	register_rows(store, desc, rows.n);
	for (i = 0; i < n; i++)
	{
		/* As the current user, under its search_path and row security. */
		char	   *statement = TextDatumGetCString(query[i]);
		int			code = SPI_execute(statement, false, 0);

		if (code < 0)
			elog(ERROR, "could not run \"%s\": %s", statement, SPI_result_code_string(code));
	}

	/* The relation goes with the connection. */
	tuplestore_end(store);
	SPI_finish();
	MemoryContextSwitchTo(caller);
}
