/*
 * arrays.h
 *		Parallel arrays as arguments, and a match made of them.
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
 * A match from the arguments team int[] and, one array of float8 for each state
 * column, the states; weight float8[], which may be null, and rank float8[], or -1
 * for none of them.  Player i of the match is element i of the arrays,
 * and its state after has room.  Without ranks all teams come first.  Without
 * params, NULL, they are the defaults.
 *
 * Errors for arrays that do not fit, and for whatever match_build() minds except,
 * between two teams, one of no weight at all.
 */
typedef struct MatchArguments
{
	int			team;
	int			rank;
	int			state;			/* the first of the state columns */
	int			weight;
} MatchArguments;

extern Match *match_from_arrays(FunctionCallInfo fcinfo, const Model *model,
								const ParamValue *params,
								const MatchArguments *arguments);

/*
 * Add the states after, as rows of (ordinal, state ...), to the materialized
 * result of the function; errors if one is not sound.
 */
extern void return_states_after(FunctionCallInfo fcinfo, const Model *model,
								const Match *match);

#endif							/* PG_SQL_ARRAYS_H */
