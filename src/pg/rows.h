/*
 * rows.h
 *		Results that are one row.
 */
#ifndef ROWS_H
#define ROWS_H

#include "glue.h"

/* A row of the function's result type, with as many values as that has columns. */
extern Datum return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

/* The same of n numbers; one that is not finite is reported as an overflow. */
extern Datum return_numbers(FunctionCallInfo fcinfo, const double *number, int n);

#endif							/* ROWS_H */
