/*
 * aggregate.c
 *		Calls as an aggregate: its memory and its state.
 */
#include "pg/sql/aggregate.h"

#include "catalog/pg_type.h"

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

ArrayType *
float8_state_arg(FunctionCallInfo fcinfo, int arg, int n)
{
	ArrayType  *state = array_state_arg(fcinfo, arg);

	(void) float8_state(state, n);
	return state;
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
