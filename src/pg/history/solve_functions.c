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

#include "core/solve/frag_graph.h"
#include "core/solve/solvers.h"
#include "pg/formulas/model_functions.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_solvers);
SKILLRATING_FUNCTION(skillrating_solver_parameters);
SKILLRATING_FUNCTION(skillrating_solve_transition);
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

Datum
skillrating_solver_parameters(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

	/* An aggregate of its own, with parameters like those of a solver. */
	if (strcmp(name, frag_graph_params.name) == 0)
		return_parameters(fcinfo, &frag_graph_params);
	else
		return_parameters(fcinfo, &get_solver(name)->params);
	return (Datum) 0;
}

/*
 * The arguments of solve(): of three forms, where the params are always the last but
 * come with the inputs or without.
 */
enum
{
	ARG_STATE,
	ARG_SOLVER,
	ARG_MATCH,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_BEHIND_RANK				/* see last_arguments() */
};

/* solve(solver, match_id, player_id, team, rank [[, inputs], params]) */
Datum
skillrating_solve_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "solve");
	MemoryContext old;
	SolveState *state;

	old = MemoryContextSwitchTo(context);
	if (PG_ARGISNULL(ARG_STATE))
	{
		LastArguments last = last_arguments(fcinfo, ARG_BEHIND_RANK);

		if (PG_ARGISNULL(ARG_SOLVER))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("solver must not be null")));
		state = palloc_object(SolveState);
		solve_state_init(state, text_to_cstring(PG_GETARG_TEXT_PP(ARG_SOLVER)),
						 last.options >= 0 ? PG_GETARG_JSONB_P_COPY(last.options) : NULL);
		history_builder_begin_rows(&state->builder, fcinfo, "solve", ARG_MATCH,
								   last.inputs, !solve_state_needs_order(state), false);
		solve_state_judge(state, last.strict);
	}
	else
		state = (SolveState *) PG_GETARG_POINTER(ARG_STATE);
	history_builder_read_row(&state->builder, fcinfo);
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
