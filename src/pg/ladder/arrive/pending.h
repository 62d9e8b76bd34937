/*
 * pending.h
 *		The table pending of a ladder: matches that wait for the end of the
 *		transaction that touched them, or for catch_up().
 */
#ifndef PG_LADDER_ARRIVE_PENDING_H
#define PG_LADDER_ARRIVE_PENDING_H

#include "pg/ladder/arrive/failures.h"
#include "pg/ladder/entry/ladder.h"
#include "pg/ladder/entry/plans.h"

/*
 * Write matches into pending, where a deferred trigger has them rated at commit if
 * apply_at says so.  Error 55000 if code of the user hangs on the table.
 */
extern void write_pending(Ladder *ladder, Datum *ids, int n);

/*
 * Write a match into pending to wait for catch_up(), whatever apply_at says: no trigger event is
 * queued, so that an apply worker of logical replication can do it, restricted or not.  The
 * ladder has been entered, and nothing else is needed.  Errors as for write_pending(); none of them is about the
 * match.
 */
extern void enqueue_match(Ladder *ladder, Datum id);

/* The source is about to be searched: TRUNCATE of tables that a publisher fills needs it no more. */
extern void forget_truncations(Ladder *ladder);

/*
 * Take this transaction's matches, or all, out of pending, and add them to a table of
 * identifiers.  Those that have failed stay; their identifiers are added if all are meant.
 * Returns whether there may be rows for take_failed().
 */
extern bool drain_pending(Ladder *ladder, bool of_all, IdTable *ids);

/*
 * Take the rows of n matches that have failed out of pending, because they are about to be rated;
 * rows that another transaction holds stay, which does no harm.
 */
extern void take_failed(Ladder *ladder, Datum *ids, int n);

/* Add the identifiers of all matches that have failed. */
extern void add_failed(Ladder *ladder, IdTable *ids);

/* Have n matches wait because of errors; where one has already, since then. */
extern void write_failed(Ladder *ladder, const Failure *failure, int n);

#endif							/* PG_LADDER_ARRIVE_PENDING_H */
