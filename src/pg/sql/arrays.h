/*
 * arrays.h
 *		Parallel arrays as arguments.
 */
#ifndef PG_SQL_ARRAYS_H
#define PG_SQL_ARRAYS_H

#include "pg/sql/glue.h"

#include "miscadmin.h"
#include "utils/array.h"

/*
 * Errors (2202E, 22004) unless an array has one dimension, n elements unless n is -1, and nulls
 * only where they are allowed.
 */
extern void check_array(ArrayType *array, const char *name, int n, bool nulls);

/*
 * An array argument of one dimension without nulls, and with n elements unless n
 * is -1; errors otherwise.  The name is that of the argument.
 */
extern ArrayType *array_argument(FunctionCallInfo fcinfo, int arg,
								 const char *name, int n);

/* The same, where a null element is one that is unknown. */
extern ArrayType *array_with_nulls_argument(FunctionCallInfo fcinfo, int arg,
											const char *name, int n);

/* Whether any argument but one is null, which makes the result null or empty. */
extern bool argument_is_null(FunctionCallInfo fcinfo, int but);

/* The elements of such an array, and their number. */
extern int	array_size(ArrayType *array);
extern const float8 *float8_array_argument(FunctionCallInfo fcinfo, int arg,
										   const char *name, int n);

/* An array of texts from n C strings. */
extern Datum text_array(const char *const *strings, int n);

/* An array of n numbers, all 0; of float8, or of a type of eight bytes, n times so many columns. */
extern ArrayType *float8_array_make(int n);
extern ArrayType *number_array_make(Oid type, int n, int columns);

/* An array of these n numbers. */
extern Datum float8_array(const double *element, int n);

/* How many elements of an array pass between two checks for an interrupt. */
#define ELEMENTS_BETWEEN_CHECKS 65536

/*
 * Called for each element in a loop over an array, which may have millions of elements: such a
 * loop can be cancelled.
 */
static inline void
check_interrupts_at(int i)
{
	if (i % ELEMENTS_BETWEEN_CHECKS == 0)
		CHECK_FOR_INTERRUPTS();
}

/* The elements are finite, else an error that names the array. */
extern void check_finite_elements(const char *name, const float8 *element,
								  int n);

/*
 * The elements of an array argument as above, all finite, and their number: that must be *n unless
 * this is -1.
 */
extern const float8 *finite_array_argument(FunctionCallInfo fcinfo, int arg, const char *name,
										   int *n);

#endif							/* PG_SQL_ARRAYS_H */
