/*
 * pool_locks.h
 *		Locks on all matches of a ladder, or on those of some pools.
 *
 * A batch of few matches locks each of them (match_locks.h); one of many cannot, because a
 * transaction may hold only so many locks.  It locks the pools of its matches instead, to
 * the end of the transaction, and batches of few matches share the locks on theirs.
 *
 * While no large batch is there, pools are of no concern: small batches share one lock on
 * the whole ladder, which a large batch waits for before it looks at pools.  Once it is
 * there, they do not get that lock at once, and only then find out which pools they have.
 * So the lock on the ladder has four modes:
 *
 *		RowExclusiveLock	few matches, of any pools
 *		RowShareLock		few matches, of pools that are locked as well (ShareLock)
 *		ShareLock			many matches, of pools that are locked as well (ExclusiveLock)
 *		ExclusiveLock		many matches, of any pools
 *
 * of which the first conflicts with the last two, and the last with all.
 *
 * Two transactions that look at the same match must have a lock in common whatever either
 * has done to it: so the pools of a match are the one that this transaction sees and the
 * one that others see, without what this transaction has changed.  Who moves a match to
 * another pool holds both until the move is committed.  Where a match is in neither view,
 * or where the pools are too many for one transaction, the lock is that on the ladder.
 *
 * Which pools these are is read under the locks on the pools that it was thought to be; if
 * there are more, these locks are released, and those on all are taken.  So nobody waits
 * for the lock on a pool with that on a later one, by their keys, from the same batch.
 */
#ifndef PG_LADDER_POOL_LOCKS_H
#define PG_LADDER_POOL_LOCKS_H

#include "pg/ladder/ladder.h"

/* What the fourth field of the tags of our advisory locks says. */
enum
{
	LOCK_TAG_MATCH = 3,			/* SQL functions use 1 and 2 */
	LOCK_TAG_ALL_MATCHES,
	LOCK_TAG_POOL
};

/*
 * Lock n matches against batches of many, or as one of them (many), to the end of the
 * transaction, and wait for those that are there.  Queries from here on see what these have
 * committed.
 */
extern void lock_pools(Ladder *ladder, Datum *ids, int n, bool many);

#endif							/* PG_LADDER_POOL_LOCKS_H */
