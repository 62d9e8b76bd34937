/*
 * solve_functions.c
 *		Ratings that all matches together imply: the aggregates solve() and
 *		solve_summary().
 */
#include "pg/history/solution.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/solve/solvers.h"
#include "pg/formulas/catalogue_functions.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_solvers);
SKILLRATING_FUNCTION(skillrating_solve_transition);
SKILLRATING_FUNCTION(skillrating_solve_combine);
SKILLRATING_FUNCTION(skillrating_solve_serial);
SKILLRATING_FUNCTION(skillrating_solve_deserial);
SKILLRATING_FUNCTION(skillrating_solve_final);
SKILLRATING_FUNCTION(skillrating_solve_components_final);
SKILLRATING_FUNCTION(skillrating_solve_summary_final);

Datum
skillrating_solvers(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < solver_count_registered; i++)
	{
		const Solver *solver = solver_registry[i];
		const char *supports[MAX_SUPPORT_NAMES + 2];
		int			n = support_words(solver->rules.supports, supports);
		Datum		values[4];
		bool		nulls[4] = {false};

		if (solver->contexts)
			supports[n++] = "context";
		if (solver->by_day || solver->rows == NULL)
			supports[n++] = "played_at";
		values[0] = CStringGetTextDatum(solver->name);
		values[1] = CStringGetTextDatum(solver->summary);
		values[2] = CStringGetTextDatum(solver->source);
		values[3] = text_array(supports, n);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* The arguments of solve(), which has them up to rank, or all. */
enum
{
	ARG_STATE,
	ARG_SOLVER,
	ARG_MATCH,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_INPUTS,
	ARG_OPTIONS
};

/* Begin in the memory of the aggregate; the options must last as long. */
static SolveState *
begin_state(FunctionCallInfo fcinfo, const char *solver, Jsonb *options)
{
	SolveState *state = palloc_object(SolveState);

	solve_state_init(state, solver, OPTION_STRICT | OPTION_EXACT_FOR, options);
	history_builder_begin_rows(&state->builder, fcinfo, "solve", ARG_MATCH,
							   !solve_state_needs_order(state), false);
	solve_state_judge(state);
	return state;
}

/* solve(solver, match_id, player_id, team, rank [, inputs, options]) */
Datum
skillrating_solve_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "solve");
	MemoryContext old;
	SolveState *state;

	if (!PG_ARGISNULL(ARG_STATE))
		check_options_stay(fcinfo, ARG_OPTIONS,
						   ((SolveState *) PG_GETARG_POINTER(ARG_STATE))->options.given, "solve");
	old = MemoryContextSwitchTo(context);
	if (PG_ARGISNULL(ARG_STATE))
	{
		if (PG_ARGISNULL(ARG_SOLVER))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("solver must not be null")));
		state = begin_state(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(ARG_SOLVER)),
							options_argument(fcinfo, ARG_OPTIONS));
	}
	else
		state = (SolveState *) PG_GETARG_POINTER(ARG_STATE);
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

/* What a worker hands over: this, the solver, the options, and the rows. */
typedef struct WorkerHeader
{
	uint32		magic;
	uint32		solver_size;
	uint32		options_size;	/* 0: there are none */
} WorkerHeader;

#define WORKER_MAGIC 0x736F6C76

/* The same, taken apart. */
typedef struct WorkerState
{
	WorkerHeader header;
	const char *solver;			/* not terminated */
	const char *options;
	const char *rows;
	Size		rows_size;
} WorkerState;

/* solve_serial(state) */
Datum
skillrating_solve_serial(PG_FUNCTION_ARGS)
{
	SolveState *state = aggregate_state(fcinfo, "solve");
	const char *solver = state->task.solver->name;
	const Jsonb *options = state->options.given;
	WorkerHeader header = {
		.magic = WORKER_MAGIC,.solver_size = strlen(solver),
		.options_size = options != NULL ? VARSIZE(options) : 0
	};
	Size		rows_size = history_builder_rows_size(&state->builder);
	Size		size = VARHDRSZ + sizeof(header) + header.solver_size + header.options_size +
		rows_size;
	bytea	   *result;
	char	   *to;

	/* The rows were bounded as they came, and the rest is small. */
	memory_limit_reserve(CurrentMemoryContext, size);
	result = (bytea *) palloc(size);
	SET_VARSIZE(result, size);
	to = VARDATA(result);
	memcpy(to, &header, sizeof(header));
	to += sizeof(header);
	memcpy(to, solver, header.solver_size);
	to += header.solver_size;
	if (options != NULL)
		memcpy(to, options, header.options_size);
	to += header.options_size;
	history_builder_write_rows(&state->builder, to);
	PG_RETURN_BYTEA_P(result);
}

/* solve_deserial(bytes, internal): the bytes stay where they are, until they are combined. */
Datum
skillrating_solve_deserial(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	const char *from = VARDATA_ANY(bytes);
	Size		size = VARSIZE_ANY_EXHDR(bytes);
	WorkerState *worker = palloc_object(WorkerState);
	WorkerHeader *header = &worker->header;

	(void) aggregate_context(fcinfo, "solve");
	if (size < sizeof(WorkerHeader))
		elog(ERROR, "state of solve() has %zu bytes", size);
	memcpy(header, from, sizeof(WorkerHeader));
	size -= sizeof(WorkerHeader);
	if (header->magic != WORKER_MAGIC ||
		(Size) header->solver_size + (Size) header->options_size > size)
		elog(ERROR, "state of solve() is damaged");
	worker->solver = from + sizeof(WorkerHeader);
	worker->options = worker->solver + header->solver_size;
	worker->rows = worker->options + header->options_size;
	worker->rows_size = size - header->solver_size - header->options_size;
	PG_RETURN_POINTER(worker);
}

/* The options of a worker, a copy that is aligned; NULL for none. */
static Jsonb *
worker_options(const WorkerState *worker)
{
	Size		size = worker->header.options_size;

	return size == 0 ? NULL : (Jsonb *) memcpy(palloc(size), worker->options, size);
}

/* Each worker has read the solver and the options from a first row of its own. */
static void
check_worker(const SolveState *state, const char *solver, const Jsonb *options)
{
	if (strcmp(state->task.solver->name, solver) != 0 ||
		!same_options(state->options.given, options))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("solver and options of solve() differ from row to row")));
}

/* solve_combine(state, state of a worker) */
Datum
skillrating_solve_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "solve");
	SolveState *state = (SolveState *) aggregate_state(fcinfo, "solve");
	const WorkerState *worker;
	const char *solver;
	Jsonb	   *options;
	MemoryContext old;

	if (PG_ARGISNULL(1))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	worker = (const WorkerState *) PG_GETARG_POINTER(1);
	if (worker->header.magic != WORKER_MAGIC)
		elog(ERROR, "state of solve() is not that of a worker");
	old = MemoryContextSwitchTo(context);
	solver = pnstrdup(worker->solver, worker->header.solver_size);
	options = worker_options(worker);
	if (state == NULL)
		state = begin_state(fcinfo, solver, options);
	else
		check_worker(state, solver, options);
	history_builder_take_rows(&state->builder, worker->rows, worker->rows_size);
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

Datum
skillrating_solve_final(PG_FUNCTION_ARGS)
{
	SolveState *state = final_state(fcinfo, true);

	if (state == NULL)
		PG_RETURN_NULL();
	return solve_state_estimates(state,
								 get_element_type(get_fn_expr_rettype(fcinfo->flinfo)));
}

Datum
skillrating_solve_components_final(PG_FUNCTION_ARGS)
{
	SolveState *state = final_state(fcinfo, false);

	if (state == NULL)
		PG_RETURN_NULL();
	return solve_state_components(state,
								  get_element_type(get_fn_expr_rettype(fcinfo->flinfo)));
}

Datum
skillrating_solve_summary_final(PG_FUNCTION_ARGS)
{
	SolveState *state = final_state(fcinfo, false);

	if (state == NULL)
		PG_RETURN_NULL();
	return solution_summary(fcinfo, state);
}
