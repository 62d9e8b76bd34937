/*
 * solve_functions.c
 *		Ratings that all matches together imply: the aggregates solve() and
 *		solve_summary().
 */
#include "pg/history/solve_state.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/solve/frag_graph.h"

SKILLRATING_FUNCTION(skillrating_solvers);
SKILLRATING_FUNCTION(skillrating_solver_parameters);
SKILLRATING_FUNCTION(skillrating_solve_transition);
SKILLRATING_FUNCTION(skillrating_solve_final);
SKILLRATING_FUNCTION(skillrating_solve_summary_final);

Datum
skillrating_solvers(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < solver_count_registered; i++)
	{
		const Model *model = solver_registry[i]->model;
		Datum		values[3];
		bool		nulls[3] = {false};

		values[0] = CStringGetTextDatum(model->name);
		values[1] = CStringGetTextDatum(model->summary);
		values[2] = CStringGetTextDatum(model->source);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

Datum
skillrating_solver_parameters(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

	/* An aggregate of its own, with parameters like those of a solver. */
	if (strcmp(name, frag_graph_model.name) == 0)
		return_parameters(fcinfo, &frag_graph_model);
	else
		return_parameters(fcinfo, get_solver(name)->model);
	return (Datum) 0;
}

/* solve(solver, match, player, team, rank [[, inputs], params]) */
Datum
skillrating_solve_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	MemoryContext old;
	SolveState *state;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	old = MemoryContextSwitchTo(context);
	if (PG_ARGISNULL(0))
	{
		int			nargs = PG_NARGS();
		int			params = nargs > 6 ? nargs - 1 : -1;	/* always the last */

		if (PG_ARGISNULL(1))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("solver must not be null")));
		state = palloc_object(SolveState);
		solve_state_init(state, text_to_cstring(PG_GETARG_TEXT_PP(1)),
						 params < 0 || PG_ARGISNULL(params) ? NULL :
						 PG_GETARG_JSONB_P_COPY(params));
		history_builder_begin_rows(&state->builder, fcinfo, "solve", 2,
								   nargs > 7 ? 6 : -1,
								   !solve_state_needs_order(state), false);
	}
	else
		state = (SolveState *) PG_GETARG_POINTER(0);
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/* The state at the end; of the aggregates that share it the first one solves. */
static SolveState *
final_state(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	MemoryContext old;
	SolveState *state;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(0))
		return NULL;
	state = (SolveState *) PG_GETARG_POINTER(0);
	old = MemoryContextSwitchTo(context);
	if (!state->solved)
	{
		history_builder_end_rows(&state->builder);
		solve_state_run(state);
	}
	MemoryContextSwitchTo(old);
	return state;
}

Datum
skillrating_solve_final(PG_FUNCTION_ARGS)
{
	SolveState *state = final_state(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	return solve_state_estimates(state,
								 get_element_type(get_fn_expr_rettype(fcinfo->flinfo)));
}

Datum
skillrating_solve_summary_final(PG_FUNCTION_ARGS)
{
	SolveState *state = final_state(fcinfo);
	Datum		values[SUMMARY_NCOLUMNS];
	bool		nulls[SUMMARY_NCOLUMNS];

	if (state == NULL)
		PG_RETURN_NULL();
	solve_state_summary(state,
						result_column_element_type(fcinfo, SUMMARY_CONTEXTS),
						values, nulls);
	return return_row(fcinfo, values, nulls);
}
