/*
 * huge.h
 *		Arrays that may be larger than 1 GB, which palloc() refuses.
 */
#ifndef PG_SQL_HUGE_H
#define PG_SQL_HUGE_H

#include "pg/sql/glue.h"

#include "pg/sql/memory_limit.h"

/*
 * Memory for n elements in the current context, of which pfree() is the end.  An array
 * of none has an address too.  Error 53200 beyond skillrating.memory_limit.
 */
#define huge_array(type, n) ((type *) limited_array(sizeof(type), n, 0))

/* The same, all zero. */
#define huge_array0(type, n) \
	((type *) limited_array(sizeof(type), n, MCXT_ALLOC_ZERO))

/* The same in another context. */
#define huge_array_in(context, type, n) \
	((type *) limited_alloc(context, sizeof(type), n, 0))

/*
 * Room for n elements where there was room for fewer, which are kept.  The array stays
 * in the context that it is in; NULL begins in the current one.
 */
#define huge_array_grow(array, type, n) \
	((array) = (type *) limited_realloc(array, sizeof(type), n))

#endif							/* PG_SQL_HUGE_H */
