/*
 * source_names.h
 *		Names that the rows of a match have, such as contexts, as numbers.
 */
#ifndef PG_MATCHES_SOURCE_NAMES_H
#define PG_MATCHES_SOURCE_NAMES_H

#include "pg/sql/glue.h"

/*
 * The different names in a match: 0 .. n - 1 in the order of their first rows.  The arrays
 * are used again for the next match; names are the caller's.  All zero but for the context
 * there are none.
 */
typedef struct SourceNames
{
	MemoryContext context;		/* of the arrays */
	int			n;
	const char **name;
	int		   *place;			/* of each name among the buckets */
	int			max;			/* room for so many */
	int		   *bucket;			/* 2 * max: a name's number plus one, or 0 */
} SourceNames;

/* Forget all names, but keep the room. */
extern void source_names_clear(SourceNames *names);

/*
 * The number of a name, which the caller keeps until names are cleared, if it was not
 * there before.
 */
extern int	source_names_enter(SourceNames *names, const char *name);

#endif							/* PG_MATCHES_SOURCE_NAMES_H */
