/*
 * counts.h
 *		How many players have which rating: what makes ranks quick.
 *
 * A ladder whose ranks are "counted" counts the rows of table rating with rated matches, by
 * ranges of the displayed rating (core/util/number_order.h).  The number of players above a
 * rating is the sum over the ranges above its own, and the few in its own range come from the
 * index on the rating.
 *
 * Table rating_count has the counts as they were at some time.  A row of level 0 is about
 * COUNT_RANGES ranges next to each other, with the count of each.  A row of level 1 is the sum of
 * 64 of these.  Table rating_count_delta has what has changed since: each piece of work appends
 * rows with the net changes of its ranges, in the transaction in which it writes the ratings.  So
 * the sum of both tables is exact under any snapshot, nobody waits for anybody, and readers write
 * nothing.
 * Now and then a writer folds rows of the second table into the first, unless another one is
 * at it.
 */
#ifndef PG_LADDER_RANKS_COUNTS_H
#define PG_LADDER_RANKS_COUNTS_H

#include "pg/sql/glue.h"

#include "pg/ladder/ladder.h"

/* The ranges of a row of rating_count of level 0 are those that differ in so many bits. */
#define COUNT_RANGE_BITS 6
#define COUNT_RANGES (1 << COUNT_RANGE_BITS)

/* What changes in a range of displayed ratings, as number_range() counts them. */
typedef struct CountChange
{
	const char *pool;
	int32		range;
	int32		net;
} CountChange;

/* Any number of changes, in no order, of any pools. */
typedef struct CountChanges
{
	MemoryContext context;		/* of all of it */
	CountChange *change;
	int64		n;
	int64		max;
	const char **pool;			/* the names that occur */
	int			npools;
} CountChanges;

/* In the current context. */
extern void count_changes_init(CountChanges *changes);

/* Add one; the name of the pool is copied. */
extern void count_changes_add(CountChanges *changes, const char *pool, int32 range,
							  int32 net);

/* Sort them by pool and range, and leave one for each range, none where nothing changes. */
extern void count_changes_sum(CountChanges *changes);

/* Error 55000: somebody has written what work on the ladder does not write. */
pg_noreturn extern void report_foreign_counts(const Ladder *ladder);

/*
 * The elements, whose number is *n, of an array in one of the tables, in place.  Users can
 * write there, so that the error above is for an array that is null, has nulls or more
 * dimensions than one; whether the number is right is the caller's to see.
 */
extern const void *count_elements(const Ladder *ladder, Datum array, bool isnull, int *n);

/*
 * The ranges and net changes of a row of rating_count_delta, in place; returns how many.  Error
 * as above for arrays that do not go together, and for a range that no rating has.
 */
extern int	count_delta_row(const Ladder *ladder, Datum ranges, Datum nets,
							const int32 **range, const int32 **net);

#endif							/* PG_LADDER_RANKS_COUNTS_H */
