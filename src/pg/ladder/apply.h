/*
 * apply.h
 *		Rating the matches of a ladder.
 */
#ifndef PG_LADDER_APPLY_H
#define PG_LADDER_APPLY_H

#include "pg/ladder/ladder.h"
#include "pg/ladder/plans.h"

/* What became of the matches of a batch. */
typedef struct Applied
{
	int			looked_at;		/* that were new, had changed or are gone */
	int			late;			/* of these, that wait for their place */
	int			unrated;		/* of these, that are not late and do not
								 * count, nor are void */
} Applied;

/*
 * Rate the matches with these n distinct identifiers, as far as the source has
 * them finished and they are not rated yet; its door is open to rate.
 *
 * A match that is rated with the same content is left alone; one that does not
 * count is recorded with the reason.  Where a rated one has changed or is gone,
 * history is out of date from there: that is noted for catch_up.
 */
extern Applied apply_matches(Ladder *ladder, Datum *ids, int n);

/* The same for the matches in the one column of a query's rows; returns how many. */
extern int	apply_query(Ladder *ladder, LadderQuery *query);

/*
 * Take this transaction's matches, or all, out of pending, and apply them with those
 * that wait in memory; they go on waiting there if a door further out is at work.
 */
extern void apply_pending(Ladder *ladder, bool of_all);

/* Apply the matches that wait in memory. */
extern void apply_waiting(Ladder *ladder);

#endif							/* PG_LADDER_APPLY_H */
