/*
 * memory_limit.h
 *		The memory that this extension may hold in a process: skillrating.memory_limit.
 *
 * Arrays are allocated here and nowhere else: palloc_array() and its like, which this
 * header replaces, lead to limited_alloc().  A large one registers its
 * memory context; what all registered contexts hold by themselves, and the new array, must
 * be within the limit, or error 53200 is raised before anything is allocated.  A context
 * leaves the register when it is reset or deleted, also after an error.  Small pieces
 * count from the next large array in their context on; what makes many of them, such as
 * a table of identifiers, calls memory_limit_reserve() now and then.
 *
 * Not counted is what the server allocates on its own account: arguments and results,
 * which are up to 1 GB, and sorts and tuplestores, which go to temporary files beyond
 * work_mem.
 */
#ifndef PG_SQL_MEMORY_LIMIT_H
#define PG_SQL_MEMORY_LIMIT_H

#include "postgres.h"

#include "utils/memutils.h"

/* Arrays of fewer bytes are not looked at, so that they cost nothing. */
#define MEMORY_LIMIT_GRAIN 8192

/* What is allocated in small pieces is checked whenever there are so many more of them. */
#define MEMORY_LIMIT_PIECES 1024

/* Define the setting; for _PG_init(). */
extern void memory_limit_define(void);

/*
 * Error (53200) unless so many bytes, a number that may be beyond any size, may be allocated in the
 * context besides what is held.  With 0 it is only asked whether what is held is within the limit.
 */
extern void memory_limit_reserve(MemoryContext context, double size);

/*
 * Memory for n elements in a context, of which pfree() is the end; flags are those of
 * MemoryContextAllocExtended().  An array of none has an address too.  Error 53200 beyond
 * the limit.
 */
extern void *limited_alloc(MemoryContext context, Size element, Size n, int flags);

/*
 * Room for n elements where there was room for fewer, which are kept.  The array stays
 * in the context that it is in; NULL begins in the current one.  The same error, after
 * which the array is as it was.
 */
extern void *limited_realloc(void *array, Size element, Size n);

/* What a sort or a tuplestore may take, in kB: work_mem, or less if the limit is low. */
extern int	memory_limit_work_mem(void);

/* An array in the current context. */
static inline void *
limited_array(Size element, Size n, int flags)
{
	if (likely(n < MEMORY_LIMIT_GRAIN / element))
		return palloc_extended(element * n, flags);
	return limited_alloc(CurrentMemoryContext, element, n, flags);
}

#undef palloc_object
#undef palloc0_object
#undef palloc_array
#undef palloc0_array
#undef repalloc_array
#define palloc_object(type) ((type *) palloc(sizeof(type)))
#define palloc0_object(type) ((type *) palloc0(sizeof(type)))
#define palloc_array(type, count) \
	((type *) limited_array(sizeof(type), count, 0))
#define palloc0_array(type, count) \
	((type *) limited_array(sizeof(type), count, MCXT_ALLOC_ZERO))
#define repalloc_array(pointer, type, count) \
	((type *) limited_realloc(pointer, sizeof(type), count))

/*
 * The same, for arrays that may be larger than 1 GB, for an array of NULL or one with room for so
 * many, where one more is to come behind n, and with a context.
 */
#define huge_array(type, n) palloc_array(type, n)
#define huge_array0(type, n) palloc0_array(type, n)
#define huge_array_in(context, type, n) \
	((type *) limited_alloc(context, sizeof(type), n, 0))
#define huge_array_grow(array, type, n) ((array) = repalloc_array(array, type, n))
#define huge_array_grow_for_next(array, type, n, room) \
	do { \
		if ((n) == (room)) \
		{ \
			(room) = Max(2 * (room), 16); \
			huge_array_grow(array, type, room); \
		} \
	} while (0)
#define huge_array_grow_in(context, array, type, n) \
	((array) = (array) == NULL ? huge_array_in(context, type, n) : repalloc_array(array, type, n))

#endif							/* PG_SQL_MEMORY_LIMIT_H */
