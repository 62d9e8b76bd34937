/*
 * pending.h
 *		The table pending of a ladder: matches that wait for the end of the
 *		transaction that touched them, or for catch_up().
 */
#ifndef PG_LADDER_PENDING_H
#define PG_LADDER_PENDING_H

#include "pg/ladder/ladder.h"
#include "pg/ladder/plans.h"

/*
 * Write matches into pending, where a deferred trigger has them rated at commit if
 * apply_at says so.  Error 55000 if code of the user hangs on the table.
 */
extern void write_pending(Ladder *ladder, Datum *ids, int n);

/* What takes this transaction's matches, or all, out of pending. */
extern LadderQuery drain_pending_query;
extern LadderQuery drain_all_query;

#endif							/* PG_LADDER_PENDING_H */
