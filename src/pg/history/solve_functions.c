/*
 * solve_functions.c
 *		Ratings that all matches together imply: the aggregates solve() and
 *		solve_summary().
 */
#include "pg/history/solve_state.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"

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
SQL_FUNCTION(skillrating_solve_transition)
{
	MemoryContext context = aggregate_context(fcinfo, "solve");
	MemoryContext old;
	SolveState *state;

	if (!PG_ARGISNULL(ARG_STATE))
		check_options_stay(fcinfo, ARG_OPTIONS,
						   ((SolveState *) PG_GETARG_POINTER(ARG_STATE))->options.given, "solve");
	old = MemoryContextSwitchTo(context);
	if (PG_ARGISNULL(ARG_STATE))
		state = begin_state(fcinfo, text_argument(fcinfo, ARG_SOLVER, "solver"),
							options_argument(fcinfo, ARG_OPTIONS));
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
	const Jsonb *options = state->options.given;
	WorkerHeader header = {options != NULL ? VARSIZE(options) : 0, strlen(solver)};
	StringInfoData bytes;

	/* The rows were bounded as they came, so that all fits into 1 GB. */
	pq_begintypsend(&bytes);
	enlargeStringInfo(&bytes, sizeof(header) + header.options_size + header.solver_size +
					  match_rows_size(state->builder.unordered));
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
	else
		check_worker(state, solver, options);
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

	if (state == NULL)
		PG_RETURN_NULL();
	return solve_state_estimates(state,
								 get_element_type(get_fn_expr_rettype(fcinfo->flinfo)));
}

SQL_FUNCTION(skillrating_solve_components_final)
{
	SolveState *state = final_state(fcinfo, false);

	if (state == NULL)
		PG_RETURN_NULL();
	return solve_state_components(state,
								  get_element_type(get_fn_expr_rettype(fcinfo->flinfo)));
}

SQL_FUNCTION(skillrating_solve_summary_final)
{
	SolveState *state = final_state(fcinfo, false);

	if (state == NULL)
		PG_RETURN_NULL();
	return solve_state_summary(state, fcinfo);
}
