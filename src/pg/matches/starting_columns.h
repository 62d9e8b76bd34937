/*
 * starting_columns.h
 *		The columns of rows that say where a history starts, for starting_ratings.c and
 *		starting_components.c, which say in an error context whose they are.
 */
#ifndef PG_MATCHES_STARTING_COLUMNS_H
#define PG_MATCHES_STARTING_COLUMNS_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

/*
 * The elements of an array of rows, and their number; error 22004, which names the argument,
 * if one is null.
 */
extern int	row_elements(Datum array, const char *name, Datum **element);

/*
 * Put the columns of a state, an array, into one of nstate columns, of which those that are
 * null or missing at the end stay as they are.  Error 2202E if there are more.
 */
extern void state_column(Datum array, int nstate, double *state);

/* A count, 0 if it is null; error 22003 if it is negative. */
extern int64 count_column(Datum value, bool isnull, const char *name);

/* A time, or another one if it is null; error 22008 if it is infinite. */
extern TimestampTz time_column(Datum value, bool isnull, const char *name,
							   TimestampTz otherwise);

#endif							/* PG_MATCHES_STARTING_COLUMNS_H */
