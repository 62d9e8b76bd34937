/*
 * hook.h
 *		What the rest of a ladder calls where it counts players by their ratings.
 *
 * A ladder whose ranks are "counted" counts the rows of table rating with rated matches, by
 * ranges of the displayed rating (core/util/number_order.h).  The number of players above a
 * rating is the sum over the ranges above its own, and the few in its own range come from the
 * index on the rating.  Otherwise ranks are counted over that index, and nothing of this folder
 * takes part in rating.
 *
 * Table rating_count has the counts as they were at some time: a row of level 0 those of 64 ranges
 * next to each other, and one of level 1 the sum of 64 of these.  Table rating_count_delta has what has changed since: each
 * piece of work appends rows with the changes of its players, in the transaction in which it
 * writes the ratings.  So the sum of both tables is exact under any snapshot, nobody waits for
 * anybody, and readers write nothing.  Now and then a writer folds rows of the second table into
 * the first, unless another one is at it.
 */
#ifndef PG_LADDER_RANKS_HOOK_H
#define PG_LADDER_RANKS_HOOK_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/batch.h"

/* The changes of one piece of work. */
typedef struct CountWriter CountWriter;

/* Before work changes rows of rating, of a ladder that counts; in the current context. */
extern CountWriter *counts_begin(Ladder *ladder);

/*
 * Such a row, of a pool whose name lives as long as the writer, is as follows before the work
 * (net -1), or after it (net 1).
 */
extern void counts_put(CountWriter *writer, int32 net, const char *pool,
					   const PlayerRecord *record, const double *state);

/* Write the changes, in the transaction that writes the rows, and free the writer. */
extern void counts_end(CountWriter *writer);

/* catch_up() has done its work: tidy the tables, or count anew, while nobody else rates. */
extern void counts_catch_up(Ladder *ladder, bool rebuild);

#endif							/* PG_LADDER_RANKS_HOOK_H */
