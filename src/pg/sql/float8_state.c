/*
 * float8_state.c
 *		Aggregate states that are float8 arrays.
 */
#include "pg/sql/float8_state.h"

#include "catalog/pg_type.h"

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

ArrayType *
float8_state_arg(FunctionCallInfo fcinfo, int arg, int n)
{
	ArrayType  *state;

	if (AggCheckCallContext(fcinfo, NULL))
		state = PG_GETARG_ARRAYTYPE_P(arg);
	else
		state = PG_GETARG_ARRAYTYPE_P_COPY(arg);
	(void) float8_state(state, n);
	return state;
}
