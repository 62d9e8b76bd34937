/*
 * arrays.c
 *		Parallel arrays as arguments.
 *
 * They are not copied unless TOAST takes it: pointers to their elements are good for the length of
 * the call.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

/* Any lower bound is accepted: elements are counted from the first one. */
void
check_array(ArrayType *array, const char *name, int n, bool nulls)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array %s must have one dimension, not %d",
						name, ARR_NDIM(array))));
	if (n >= 0 && array_size(array) != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array %s has %d elements, not %d", name,
						array_size(array), n),
				 errhint("All arrays have the same number of elements.")));

	/*
	 * The flag alone may be a leftover of an array whose nulls were replaced.
	 */
	if (!nulls && ARR_HASNULL(array) && array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array %s must not contain nulls", name)));
}

ArrayType *
array_with_nulls_argument(FunctionCallInfo fcinfo, int arg, const char *name,
						  int n)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(arg);

	check_array(array, name, n, true);
	return array;
}

Datum
text_array(const char *const *strings, int n)
{
	Datum	   *elements = huge_array(Datum, n);
	Datum		array;
	int			i;

	for (i = 0; i < n; i++)
		elements[i] = CStringGetTextDatum(strings[i]);
	array = PointerGetDatum(construct_array(elements, n, TEXTOID, -1, false, TYPALIGN_INT));
	for (i = 0; i < n; i++)
		pfree(DatumGetPointer(elements[i]));
	pfree(elements);
	return array;
}

ArrayType *
number_array_make(Oid type, int n, int columns)
{
	int			ndim = columns > 0 ? 2 : 1;
	Size		size = ARR_OVERHEAD_NONULLS(ndim) + (Size) n * Max(columns, 1) * sizeof(float8);
	ArrayType  *array = (ArrayType *) palloc0_array(char, size);
	int			i;

	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = type;
	for (i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = i == 0 ? n : columns;
		ARR_LBOUND(array)[i] = 1;
	}
	return array;
}

ArrayType *
float8_array_make(int n)
{
	return number_array_make(FLOAT8OID, n, 0);
}

Datum
float8_array(const double *element, int n)
{
	ArrayType  *array = float8_array_make(n);

	memcpy(ARR_DATA_PTR(array), element, n * sizeof(float8));
	return PointerGetDatum(array);
}

ArrayType *
array_argument(FunctionCallInfo fcinfo, int arg, const char *name, int n)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(arg);

	check_array(array, name, n, false);
	return array;
}

int
array_size(ArrayType *array)
{
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

const float8 *
float8_array_argument(FunctionCallInfo fcinfo, int arg, const char *name,
					  int n)
{
	ArrayType  *array = array_argument(fcinfo, arg, name, n);

	return (const float8 *) ARR_DATA_PTR(array);
}

void
check_finite_elements(const char *name, const float8 *element, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		check_interrupts_at(i);
		if (isnan(element[i]) || isinf(element[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("%s must be finite, not %g", name, element[i]),
					 errdetail("It is element %d of the array.", i + 1)));
	}
}

const float8 *
finite_array_argument(FunctionCallInfo fcinfo, int arg, const char *name, int *n)
{
	ArrayType  *array = array_argument(fcinfo, arg, name, *n);
	const float8 *element = (const float8 *) ARR_DATA_PTR(array);

	*n = array_size(array);
	check_finite_elements(name, element, *n);
	return element;
}

bool
argument_is_null(FunctionCallInfo fcinfo, int but)
{
	int			i;

	for (i = 0; i < PG_NARGS(); i++)
		if (i != but && PG_ARGISNULL(i))
			return true;
	return false;
}
