/*
 * composite.c
 *		Results that are a row, or an array of rows.
 */
#include "pg/sql/composite.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* The rows of an array lie in blocks of so many bytes, except for those of a small one. */
#define ROW_BLOCK (1024 * 1024)

/* Up to so many bytes an array is returned as it is stored, in one piece. */
#define LARGEST_FLAT (1024 * 1024)

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

/* Columns are put in order, so that one that was forgotten shows in their number. */
static void
check_columns(const ResultRow *row, TupleDesc desc)
{
	if (row->n != desc->natts)
		elog(ERROR, "row has %d columns, not %d", row->n, desc->natts);
}

Datum
return_result_row(FunctionCallInfo fcinfo, ResultRow *row)
{
	TupleDesc	desc = result_desc(fcinfo);

	check_columns(row, desc);
	return HeapTupleGetDatum(heap_form_tuple(desc, row->values, row->nulls));
}

void
add_result_row(FunctionCallInfo fcinfo, ResultRow *row)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	check_columns(row, rsinfo->setDesc);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, row->values, row->nulls);
}

Datum
return_numbers(FunctionCallInfo fcinfo, const double *number, int n)
{
	ResultRow	row = {0};
	int			i;

	for (i = 0; i < n; i++)
		put_number(&row, check_result(number[i]));
	return return_result_row(fcinfo, &row);
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
next_element_type(FunctionCallInfo fcinfo, const ResultRow *row)
{
	return get_element_type(TupleDescAttr(result_desc(fcinfo), row->n)->atttypid);
}

/*
 * ---- Arrays of rows ----
 */

RowArray
row_array_make(FunctionCallInfo fcinfo, int64 room)
{
	return row_array_of(get_element_type(get_fn_expr_rettype(fcinfo->flinfo)),
						room);
}

/* An array cannot have more elements, whatever their size: the server's own functions say so. */
static void
check_row_count(int64 rows)
{
	if (rows > (int64) MaxArraySize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("result of " INT64_FORMAT " rows exceeds the maximum of %d rows of an array",
						rows, (int) MaxArraySize)));
}

RowArray
row_array_of(Oid row_type, int64 room)
{
	RowArray	array = {0};

	if (!OidIsValid(row_type))
		elog(ERROR, "could not determine the result type");
	check_row_count(room);
	array.type = row_type;
	array.desc = lookup_rowtype_tupdesc(array.type, -1);
	array.room = room;
	return array;
}

RowArray
row_array_into(Tuplestorestate *store, TupleDesc desc)
{
	RowArray	array = {.desc = desc,.store = store};

	return array;
}

void
row_array_reserve(int64 rows, Size width)
{
	check_row_count(rows);
	memory_limit_reserve(CurrentMemoryContext,
						 mul_size((Size) rows, width + sizeof(Datum)));
}

void
row_array_begin_row(RowArray *array)
{
	if (array->scratch == NULL)
		array->scratch = AllocSetContextCreate(CurrentMemoryContext,
											   "skillrating row",
											   ALLOCSET_SMALL_SIZES);
	array->caller = MemoryContextSwitchTo(array->scratch);
}

/* A copy of a row in the blocks of the array. */
static Datum
store_row(RowArray *array, HeapTuple tuple)
{
	Size		size = MAXALIGN(tuple->t_len);
	char	   *row;

	if (size > array->left)
	{
		array->left = Max(size, array->size < ROW_BLOCK ? 8192 : ROW_BLOCK);
		array->block = huge_array_in(array->array->hdr.eoh_context, char, array->left);
	}
	row = array->block;
	memcpy(row, tuple->t_data, tuple->t_len);
	array->block += size;
	array->left -= size;
	array->size += size;

	/*
	 * None of our rows has a toasted column, so that this only sets the
	 * header.
	 */
	return HeapTupleHeaderGetDatum((HeapTupleHeader) row);
}

void
row_array_add(RowArray *array, ResultRow *row)
{
	HeapTuple	tuple = NULL;

	check_columns(row, array->desc);
	if (array->store != NULL)
		tuplestore_putvalues(array->store, array->desc, row->values, row->nulls);
	else
		tuple = heap_form_tuple(array->desc, row->values, row->nulls);
	if (array->caller != NULL)
		MemoryContextSwitchTo(array->caller);
	if (tuple != NULL)
	{
		/* Below the caller's context, when the first row is known. */
		if (array->array == NULL)
		{
			array->array = construct_empty_expanded_array(array->type, CurrentMemoryContext, NULL);
			array->row = huge_array_in(array->array->hdr.eoh_context, Datum, array->room);
		}
		Assert(array->n < array->room);
		array->row[array->n] = store_row(array, tuple);
		heap_freetuple(tuple);
	}
	array->n++;
	if (array->caller != NULL)
		MemoryContextReset(array->scratch);
	array->caller = NULL;
}

/* The flat size that an array does not have; see return_row_array(). */
static Size
refuse_flat_size(ExpandedObjectHeader *header)
{
	const ExpandedArrayHeader *array = (const ExpandedArrayHeader *) header;

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("array of %d rows exceeds the maximum of %d bytes", array->nelems,
					(int) MaxAllocSize),
			 errhint("Let unnest() read it row by row, in the select list: SELECT unnest(f(...)) FROM ..., or in FROM: FROM (SELECT f(...) AS a FROM ...) AS q, unnest(q.a).")));
}

static const ExpandedObjectMethods too_large_methods = {
	.get_flat_size = refuse_flat_size,
	.flatten_into = NULL
};

/* What makes an array of its rows that lie in memory. */
static Datum
return_expanded(RowArray *rows)
{
	ExpandedArrayHeader *array = rows->array;
	MemoryContext context = array->hdr.eoh_context;
	Size		pointer = EXPANDED_POINTER_SIZE;
	char	   *result = palloc(pointer);

	/* Of the empty array that it was made of nothing counts any more. */
	array->fvalue = NULL;
	array->fstartptr = array->fendptr = NULL;
	array->flat_size = 0;
	array->ndims = 1;
	array->dims = MemoryContextAlloc(context, sizeof(int));
	array->lbound = MemoryContextAlloc(context, sizeof(int));
	array->dims[0] = array->nelems = array->dvalueslen = (int) rows->n;
	array->lbound[0] = 1;
	array->dvalues = rows->row;
	array->dnulls = NULL;
	if (!AllocSizeIsValid(ARR_OVERHEAD_NONULLS(1) + rows->size))
		array->hdr.eoh_methods = &too_large_methods;

	/*
	 * A pointer to it of our own: before version 16 the executor copies, and
	 * so flattens, the result of an aggregate that is no chunk of the current
	 * context.
	 */
	memcpy(result, DatumGetPointer(EOHPGetRODatum(&array->hdr)), pointer);
	return PointerGetDatum(result);
}

Datum
return_row_array(RowArray *array)
{
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum		result;

	ReleaseTupleDesc(array->desc);
	if (array->scratch != NULL)
		MemoryContextDelete(array->scratch);
	if (array->store != NULL)
		return (Datum) 0;
	if (array->size > LARGEST_FLAT)
		return return_expanded(array);
	get_typlenbyvalalign(array->type, &typlen, &typbyval, &typalign);
	result = PointerGetDatum(construct_array(array->row, (int) array->n, array->type,
											 typlen, typbyval, typalign));
	if (array->array != NULL)
		DeleteExpandedObject(EOHPGetRWDatum(&array->array->hdr));
	return result;
}
