/*
 * attempts.h
 *		Rating the matches of a ladder so that errors do not stop those who brought them.
 *
 * An error about the data of a match makes it unrated.  Any other error of the source, of a
 * mirror, or of whatever hangs on the tables of the ladder has the match wait in pending, unless
 * it ends the transaction (careful.h) or the ladder raises errors (on_error).  A batch is rated
 * in a subtransaction; only where that fails its matches are tried in parts.
 */
#ifndef PG_LADDER_ARRIVE_ATTEMPTS_H
#define PG_LADDER_ARRIVE_ATTEMPTS_H

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/apply.h"

/* Why matches are rated now, which decides what the client is told of those that are not. */
typedef enum Occasion
{
	MATCHES_COME,				/* the first in the session that does not
								 * count for a reason, or fails for a cause */
	MATCHES_BACKFILLED,			/* only the latter: backfill() counts reasons */
	MATCHES_RETRIED				/* each cause of failure, and no reasons */
} Occasion;

/*
 * Rate n distinct matches, as apply_batch() does; none is no work.  has_failed: pending may have rows
 * of them that have failed before.
 */
extern Applied apply_matches(Ladder *ladder, Datum *ids, int n, bool has_failed, Occasion occasion);

/*
 * Take this transaction's matches, or all, out of pending, and apply them with those
 * that wait in memory; they go on waiting there if a frame further out is at work.  If all are
 * meant, those that have failed before are tried again.  Whether there were any in pending.
 */
extern bool apply_pending(Ladder *ladder, bool of_all);

/*
 * Enter the ladder in a schema to rate n distinct matches, or with NULL those that wait in memory; and
 * how it is entered for that.
 */
extern void rate_now(Oid schema, Datum *ids, int n);
extern const LadderEntry rating_entry;

/* Try matches again that wait because of an error. */
extern void apply_failed(Ladder *ladder);

#endif							/* PG_LADDER_ARRIVE_ATTEMPTS_H */
