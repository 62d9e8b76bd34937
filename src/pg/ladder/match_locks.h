/*
 * match_locks.h
 *		Locks on matches while they are rated, and what they leave behind.
 *
 * Of several transactions that each bring a part of a match, the last one has to see
 * all parts, and a match must not be rated twice.  So whoever rates a match waits for
 * every other transaction that has looked at it and is still in progress.
 *
 * Few matches are locked one by one, with advisory locks that are held only while the
 * batch is rated: a transaction of thousands of batches would exhaust the lock table.
 * After that the lock on a match is its row in rated_match, which the batch has inserted,
 * updated or deleted.  Who gets the advisory lock next looks for such a row with a dirty
 * snapshot, and waits for its transaction.  leave_trace() is for matches of which nothing
 * is to be written.
 *
 * A match that has a place in the order and differs from what was rated needs no trace:
 * its row in correction makes catch_up() read it again, whatever others have decided
 * meanwhile, and catch_up() waits for all who have rated.
 *
 * Many matches at once are locked by their pools, to the end of the transaction, which
 * whoever locks few shares to the end too (pool_locks.h).  So a large batch waits for all
 * of them, and needs neither to look at rows nor to leave traces.  Two transactions that
 * both lock few and then many wait for each other, and one of them gets error 40P01.
 *
 * The order is: the lock on the ladder, those on pools by their keys, those on single
 * matches by theirs, transactions in progress.  Nobody waits for these with locks on single
 * matches.
 */
#ifndef PG_LADDER_MATCH_LOCKS_H
#define PG_LADDER_MATCH_LOCKS_H

#include "pg/ladder/ladder.h"

typedef struct MatchLocks
{
	Oid			relid;			/* rated_match */
	bool		many;			/* their pools are locked */
	uint32	   *key;			/* of locks that unlock_matches() releases, */
	int			nkeys;			/* in order */
} MatchLocks;

/*
 * Lock n matches, whether the ladder has them or not, and wait until no other transaction
 * has anything uncommitted about them; queries from here on see what these have committed.
 * At the higher isolation levels they cannot, which is error 40001.  An error releases the
 * locks, as the end of the subtransaction does.
 */
extern void lock_matches(MatchLocks *locks, Ladder *ladder, Datum *ids, int n);

/*
 * Make other transactions wait for this one where it has looked at a match and left it
 * alone: matches that have a row in rated_match, and that have none.  They are locked,
 * one by one.  No content changes.
 */
extern void leave_trace(Ladder *ladder, Datum *known, int nknown, Datum *unknown,
						int nunknown);

/* Release the locks that need not last, once all is written. */
extern void unlock_matches(MatchLocks *locks);

#endif							/* PG_LADDER_MATCH_LOCKS_H */
