/*
 * order_end.h
 *		Where the order of a ladder has got to, for work that leaves it as it was.
 */
#ifndef PG_LADDER_ORDER_END_H
#define PG_LADDER_ORDER_END_H

#include "pg/ladder/ladder.h"

/* The state of the sequence that places are drawn from. */
typedef struct OrderEnd
{
	int64		place;
	bool		is_taken;
} OrderEnd;

extern OrderEnd read_order_end(Ladder *ladder);

/*
 * A sequence does not roll back.  Put it back to where it was if it is where the work left it,
 * so that all places between were drawn by that work; the ladder is held.
 */
extern void restore_order_end(Ladder *ladder, const OrderEnd *before, const OrderEnd *after);

#endif							/* PG_LADDER_ORDER_END_H */
