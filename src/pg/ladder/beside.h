/*
 * beside.h
 *		Changing the history of a ladder beside those who rate it.
 *
 * History is replayed in parts.  For each the ladder is held for a moment, so that nobody is
 * rating, and a snapshot is taken: all places that it sees are complete, because whoever rates
 * later draws larger ones.  The first part goes from the first place that is out of date to
 * the end as of its snapshot.  Its events are written in place at once, which keeps nobody
 * waiting: those who rate insert new ones, and nobody but maintenance, whose turn this is
 * (hold.h), writes events that are there.  Each part after it replays what has been rated
 * meanwhile, from states that were not corrected, until little is left.
 *
 * The last step holds the ladder to the end of the transaction.  It writes what became of
 * matches, replays what is left, and writes the rows of rating and component that come out
 * otherwise.  These must not be written before, because whoever rates one of their players
 * waits for them.  So that step takes as long as it takes to write these rows.
 *
 * What comes meanwhile and changes what has been replayed is noted in table correction as
 * ever, and stays there.
 */
#ifndef PG_LADDER_BESIDE_H
#define PG_LADDER_BESIDE_H

#include "pg/sql/glue.h"

#include "pg/ladder/ladder.h"
#include "pg/ladder/order_end.h"

/* Work beside rating that has begun. */
typedef struct Beside Beside;

/* How work beside rating has ended. */
typedef enum BesideResult
{
	BESIDE_IDLE,				/* nothing waited; the ladder is not held */
	BESIDE_IMPOSSIBLE,			/* it cannot be done so; likewise */
	BESIDE_DONE,				/* and the ladder is held */
	BESIDE_MISPLACED			/* likewise, and the order by time is to be
								 * made anew, as corrections say */
} BesideResult;

/*
 * Whether nothing waits that only work on a ladder that is held can see to: matches in pending,
 * among which there may be corrections, and a rebuild where time makes the order.
 */
extern bool can_catch_up_beside(Ladder *ladder, bool rebuild);

/*
 * Replay from the first correction on, or everything; corrections that are done with are gone
 * then.  The ladder's door is open to work beside rating (ladder_works_beside()).  If anything
 * turns up that only work on a ladder that is held can see to, nothing remains of it.  *held is
 * where the order had got to when the ladder was held.  If the order is to be made anew,
 * corrections from the place *left on are left; those before it came meanwhile, and can wait.
 *
 * Errors as those of a replay.  Warns of rated matches that are missing from the source, by
 * report_missing().
 */
extern BesideResult catch_up_beside(Ladder *ladder, bool rebuild,
									void (*report_missing) (int level, Ladder *ladder,
															const char *match),
									OrderEnd *held, int64 *left);

/*
 * Those of n distinct matches that the source has with another content than they were looked at
 * with, or that only one of the source and rated_match has; returns how many.
 */
extern int	find_differing(Ladder *ladder, const Datum *ids, int n, Datum *differ);

/*
 * Do the operation on all players that has the last place, which it has taken while the ladder
 * was held, in this subtransaction; it is let go, and matches that are rated from here on come
 * behind the operation.  *nchanged is how many states it changes.  finish_operation() holds the
 * ladder again and writes them; error 55000 if a match behind the operation is missing from the
 * source.
 */
extern Beside *operate_beside(Ladder *ladder, const char *kind, int64 seq, int *nchanged);
extern void finish_operation(Beside *beside);

#endif							/* PG_LADDER_BESIDE_H */
