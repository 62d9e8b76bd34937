/*
 * huge.h
 *		Arrays that may be larger than 1 GB, which palloc() refuses.
 */
#ifndef PG_SQL_HUGE_H
#define PG_SQL_HUGE_H

#include "pg/sql/glue.h"

#include "utils/memutils.h"

/*
 * Memory for n elements in the current context, of which pfree() is the end.  An array
 * of none has an address too.
 */
static inline void *
huge_alloc(Size element, Size n, int flags)
{
	return palloc_extended(mul_size(element, Max(n, 1)), MCXT_ALLOC_HUGE | flags);
}

#define huge_array(type, n) ((type *) huge_alloc(sizeof(type), n, 0))

/* The same, all zero. */
#define huge_array0(type, n) \
	((type *) huge_alloc(sizeof(type), n, MCXT_ALLOC_ZERO))

/*
 * Room for n elements where there was room for fewer, which are kept.  The array stays
 * in the context that it is in; NULL begins in the current one.
 */
static inline void *
huge_realloc(void *array, Size element, Size n)
{
	if (array == NULL)
		return huge_alloc(element, n, 0);
	return repalloc_huge(array, mul_size(element, Max(n, 1)));
}

#define huge_array_grow(array, type, n) \
	((array) = (type *) huge_realloc(array, sizeof(type), n))

#endif							/* PG_SQL_HUGE_H */
