/*
 * composite.c
 *		Results that are a row, or an array of rows.
 */
#include "pg/sql/composite.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

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
		values[i] = Float8GetDatum(check_result(number[i]));
	return return_row(fcinfo, values, nulls);
}

void
row_columns(HeapTupleHeader row, TupleDesc desc, Datum *values, bool *nulls)
{
	HeapTupleData tuple;

	tuple.t_len = HeapTupleHeaderGetDatumLength(row);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = row;
	heap_deform_tuple(&tuple, desc, values, nulls);
}

void
composite_columns(Datum composite, TupleDesc *desc, MemoryContext memory, int n,
				  Datum *values, bool *nulls)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(composite);

	if (*desc == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(memory);

		*desc = lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(header),
											HeapTupleHeaderGetTypMod(header));
		MemoryContextSwitchTo(old);
	}
	if ((*desc)->natts != n)
		elog(ERROR, "composite has %d columns, not %d", (*desc)->natts, n);
	row_columns(header, *desc, values, nulls);
}

Oid
result_column_element_type(FunctionCallInfo fcinfo, int column)
{
	return get_element_type(TupleDescAttr(result_desc(fcinfo), column)->atttypid);
}

RowArray
row_array_make(FunctionCallInfo fcinfo, int room)
{
	return row_array_of(get_element_type(get_fn_expr_rettype(fcinfo->flinfo)),
						room);
}

RowArray
row_array_of(Oid row_type, int room)
{
	RowArray	array;

	if (!OidIsValid(row_type))
		elog(ERROR, "could not determine the result type");
	array.type = row_type;
	array.desc = lookup_rowtype_tupdesc(array.type, -1);
	array.row = palloc_array(Datum, room);
	array.n = 0;
	return array;
}

void
row_array_add(RowArray *array, Datum *values, bool *nulls)
{
	array->row[array->n++] =
		HeapTupleGetDatum(heap_form_tuple(array->desc, values, nulls));
}

Datum
return_row_array(RowArray *array)
{
	int16		typlen;
	bool		typbyval;
	char		typalign;

	ReleaseTupleDesc(array->desc);
	get_typlenbyvalalign(array->type, &typlen, &typbyval, &typalign);
	return PointerGetDatum(construct_array(array->row, array->n, array->type,
										   typlen, typbyval, typalign));
}
