/*
 * match_locks.h
 *		Locks on matches: their rows in rated_match.
 *
 * Of several transactions that each bring a part of a match, the last one has to see
 * all parts, and a match must not be rated twice.  So whoever rates matches first writes
 * their rows, in the order of their identifiers: a new one inserts a row without content,
 * an existing one is updated and stays what it is.  Either waits for every other transaction
 * that has done so, and above READ COMMITTED fails with 40001 if one has committed since the
 * snapshot.
 *
 * A row that was only inserted is deleted again where the source has nothing of the match.
 * Others wait for that as well, but above READ COMMITTED they do not see it: there the source
 * itself is compared, see check_source_is_current() in apply.c.
 *
 * Whoever holds the ladder (hold.h) is alone, and needs no locks on matches.
 */
#ifndef PG_LADDER_RATE_MATCH_LOCKS_H
#define PG_LADDER_RATE_MATCH_LOCKS_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

#include "pg/ladder/entry/ladder.h"

/* The row of a match in rated_match. */
typedef struct LockedMatch
{
	Datum		id;
	bool		placed;			/* it has a place in the order: */
	int64		seq;
	int64		digest;
	TimestampTz played_at;		/* DT_NOBEGIN if that is not known, */
	TimestampTz arrived_at;		/* and likewise */
	char	   *void_reason;	/* or NULL */
} LockedMatch;

/*
 * Lock n distinct matches, whether the ladder has them or not; queries from here on see what
 * others have committed about them.  *nrecorded is how many of them had a row, and these are
 * returned.  *inserted says whether the others have got one.
 */
extern LockedMatch *lock_matches(Ladder *ladder, const Datum *ids, int n,
								 int *nrecorded, bool *inserted);

/* Delete the rows of n matches that lock_matches() has inserted. */
extern void forget_locked_matches(Ladder *ladder, Datum *ids, int n);

#endif							/* PG_LADDER_RATE_MATCH_LOCKS_H */
