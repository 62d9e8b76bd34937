/*
 * rows.h
 *		Results that are a row, or an array of rows.
 */
#ifndef ROWS_H
#define ROWS_H

#include "glue.h"

#include "access/tupdesc.h"

/* A row of the function's result type, with as many values as that has columns. */
extern Datum return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

/* The same of n numbers; one that is not finite is reported as an overflow. */
extern Datum return_numbers(FunctionCallInfo fcinfo, const double *number, int n);

/* Rows of the element type of the function's result. */
typedef struct RowArray
{
	Oid			type;
	TupleDesc	desc;
	Datum	   *row;
	int			n;
} RowArray;

/* An array in the making, with room for so many rows, and another row of it. */
extern RowArray row_array_make(FunctionCallInfo fcinfo, int room);
extern void row_array_add(RowArray *array, Datum *values, bool *nulls);

/* The array as a result; nothing can be added any more. */
extern Datum return_row_array(RowArray *array);

#endif							/* ROWS_H */
