/*
 * aggregate.c
 *		Calls as an aggregate: its memory and its state; and as a window function.
 */
#include "pg/sql/aggregate.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "nodes/plannodes.h"
#include "utils/builtins.h"

MemoryContext
aggregate_context(FunctionCallInfo fcinfo, const char *name)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "%s() called in non-aggregate context", name);
	return context;
}

void *
aggregate_state(FunctionCallInfo fcinfo, const char *name)
{
	(void) aggregate_context(fcinfo, name);
	return PG_ARGISNULL(0) ? NULL : (void *) PG_GETARG_POINTER(0);
}

ArrayType *
array_state_arg(FunctionCallInfo fcinfo, int arg)
{
	/*
	 * An aggregate owns its state and may change it in place.  Whoever calls
	 * the function in SQL keeps the argument.
	 */
	if (AggCheckCallContext(fcinfo, NULL))
		return PG_GETARG_ARRAYTYPE_P(arg);
	return PG_GETARG_ARRAYTYPE_P_COPY(arg);
}

/* The functions are visible in SQL, so that anybody may give them any array. */
float8 *
float8_state(ArrayType *array, int n)
{
	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != n ||
		ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("aggregate state must be an array of %d float8 values",
						n)));
	return (float8 *) ARR_DATA_PTR(array);
}

float8 *
checked_state(ArrayType *array, bool (*is_state) (const double *state, int n),
			  const char *function)
{
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	float8	   *state = (float8 *) ARR_DATA_PTR(array);

	if (n == 0)
		return NULL;
	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT8OID ||
		!is_state(state, n))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("aggregate state is not one of %s()", function)));
	return state;
}

char *
text_argument(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		report_null(name);
	return text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

bool
same_options(const Jsonb *a, const Jsonb *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

void *
options_state(FunctionCallInfo fcinfo, const char *function, int arg,
			  void *(*begin) (FunctionCallInfo fcinfo, Jsonb *options))
{
	MemoryContext context = aggregate_context(fcinfo, function);
	OptionsState *state = (OptionsState *) aggregate_state(fcinfo, function);
	bool		given = PG_NARGS() > arg && !PG_ARGISNULL(arg);

	if (state == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(context);
		Jsonb	   *options = given ? PG_GETARG_JSONB_P_COPY(arg) : NULL;

		state = begin(fcinfo, options);
		state->options = options;
		MemoryContextSwitchTo(old);
	}
	else if (!same_options(state->options, given ? PG_GETARG_JSONB_P(arg) : NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of %s() differ from row to row", function),
				 errhint("All rows of a group have the same; GROUP BY what they depend on.")));
	return state;
}

/*
 * The beginning of the server's struct, which is private there: nothing else
 * tells how the window was written.  It has begun like this since window
 * functions exist (version 8.4), and what is found is checked.
 */
typedef struct WindowObjectHead
{
	NodeTag		type;
	WindowAggState *winstate;
} WindowObjectHead;

void
check_window(WindowObject window, const char *function)
{
	WindowAggState *state = ((WindowObjectHead *) window)->winstate;

	if (state == NULL || !IsA(state, WindowAggState) ||
		!IsA(state->ss.ps.plan, WindowAgg))
		elog(ERROR, "%s() does not find its window", function);
	if (((WindowAgg *) state->ss.ps.plan)->ordNumCols == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WINDOWING_ERROR),
				 errmsg("%s() needs ORDER BY in its window", function),
				 errdetail("Results follow from the rows before."),
				 errhint("For example OVER (ORDER BY played_at, match_id).")));
	if (state->frameOptions & FRAMEOPTION_NONDEFAULT)
		ereport(ERROR,
				(errcode(ERRCODE_WINDOWING_ERROR),
				 errmsg("%s() takes no frame clause", function),
				 errdetail("Results follow from all rows before."),
				 errhint("Leave out ROWS, RANGE or GROUPS; begin anew with PARTITION BY, or choose rows in a subquery.")));
}
