/*
 * starting_columns.c
 *		The columns of rows that say where a history starts.
 */
#include "pg/matches/starting_columns.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/timestamp.h"

int
row_elements(Datum array, const char *name, Datum **element)
{
	ArrayType  *rows = DatumGetArrayTypeP(array);
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(rows, ARR_ELEMTYPE(rows), -1, false, TYPALIGN_DOUBLE, element,
					  &null, &n);

	/*
	 * A null row has no player to name, so that the message names the array
	 * alone.
	 */
	for (i = 0; i < n; i++)
		if (null[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("array %s must not contain nulls", name)));
	return n;
}

void
state_column(Datum array, int nstate, double *state)
{
	ArrayType  *columns = DatumGetArrayTypeP(array);
	Datum	   *column;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(columns, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &column, &null, &n);
	if (n > nstate || ARR_NDIM(columns) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("state must have at most %d columns, and not %d", nstate, n),
				 errhint("They are the state columns of the model or the component, see models().")));

	/* A null, and a column beyond the array, keep the initial value. */
	for (i = 0; i < n; i++)
		if (!null[i])
			state[i] = DatumGetFloat8(column[i]);
}

int64
count_column(Datum value, bool isnull, const char *name)
{
	int64		count = isnull ? 0 : DatumGetInt64(value);

	if (count < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s must not be negative: " INT64_FORMAT, name, count)));
	return count;
}

TimestampTz
time_column(Datum value, bool isnull, const char *name, TimestampTz otherwise)
{
	TimestampTz at = isnull ? otherwise : DatumGetTimestampTz(value);

	if (!isnull && TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("%s must be finite, not %s", name, timestamptz_to_str(at))));
	return at;
}
