/*
 * rows.c
 *		Results that are one row.
 */
#include "rows.h"

#include "access/htup_details.h"
#include "funcapi.h"

#define MAX_NUMBERS 8

/*
 * Working out the row type reads the function's catalog row, which costs more
 * than any formula here, so that it is kept for the calls to come.
 */
static TupleDesc
result_desc(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
		TupleDesc	desc;

		if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		flinfo->fn_extra = BlessTupleDesc(desc);
		MemoryContextSwitchTo(caller);
	}
	return flinfo->fn_extra;
}

Datum
return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	return HeapTupleGetDatum(heap_form_tuple(result_desc(fcinfo), values, nulls));
}

Datum
return_numbers(FunctionCallInfo fcinfo, const double *number, int n)
{
	Datum		values[MAX_NUMBERS];
	bool		nulls[MAX_NUMBERS] = {false};
	int			i;

	Assert(n <= MAX_NUMBERS);
	for (i = 0; i < n; i++)
	{
		if (isnan(number[i]) || isinf(number[i]))
			report_match_status(MATCH_OVERFLOW, NAN, NULL);
		values[i] = Float8GetDatum(number[i]);
	}
	return return_row(fcinfo, values, nulls);
}
