/*
 * composite.h
 *		Results that are a row, or an array of rows.
 */
#ifndef PG_SQL_COMPOSITE_H
#define PG_SQL_COMPOSITE_H

#include "pg/sql/glue.h"

#include "access/htup.h"
#include "access/tupdesc.h"

/* A row of the function's result type, with as many values as that has columns. */
extern Datum return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

/* The same of n numbers; one that is not finite is reported as an overflow. */
extern Datum return_numbers(FunctionCallInfo fcinfo, const double *number, int n);

/* The columns of a composite, of which desc is the description. */
extern void row_columns(HeapTupleHeader row, TupleDesc desc, Datum *values,
						bool *nulls);

/*
 * The n columns of a composite argument.  Its description is looked up once and
 * kept in *desc, at first NULL, in that memory.
 */
extern void composite_columns(Datum composite, TupleDesc *desc,
							  MemoryContext memory, int n, Datum *values,
							  bool *nulls);

/* The element type of the array in a column, from 0, of that row. */
extern Oid	result_column_element_type(FunctionCallInfo fcinfo, int column);

/* Rows of the element type of the function's result. */
typedef struct RowArray
{
	Oid			type;
	TupleDesc	desc;
	Datum	   *row;
	int			n;
} RowArray;

/*
 * An array in the making, with room for so many rows, as the function's result
 * or of a row type; and another row of it.
 */
extern RowArray row_array_make(FunctionCallInfo fcinfo, int room);
extern RowArray row_array_of(Oid row_type, int room);
extern void row_array_add(RowArray *array, Datum *values, bool *nulls);

/* The array as a result; nothing can be added any more. */
extern Datum return_row_array(RowArray *array);

#endif							/* PG_SQL_COMPOSITE_H */
