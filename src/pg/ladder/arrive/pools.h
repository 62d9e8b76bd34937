/*
 * pools.h
 *		The rating pool that a function is about.
 */
#ifndef PG_LADDER_ARRIVE_POOLS_H
#define PG_LADDER_ARRIVE_POOLS_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/entry.h"

/*
 * The pool for a use other than POOL_AS_GIVEN, in a ladder that was entered: the one that is given,
 * or, where that is null, the only one of the ladder, or that of matches without one ('') if it has
 * none.
 * Errors: 22023 for null if it has several, 42704 on a board for one that it has not, unless it has
 * none; a forecast has a notice instead.  Both name the pools.
 */
extern Datum ladder_pool(const Ladder *inside, PoolUse use, NullableDatum given);

#endif							/* PG_LADDER_ARRIVE_POOLS_H */
