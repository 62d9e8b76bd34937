/*
 * apply.h
 *		Rating the matches of a ladder, in batches.
 */
#ifndef PG_LADDER_RATE_APPLY_H
#define PG_LADDER_RATE_APPLY_H

#include "pg/ladder/entry/ladder.h"
#include "pg/ladder/rate/notices.h"

/* What became of the matches of a batch. */
typedef struct Applied
{
	int			looked_at;		/* that were new, had changed or are gone */
	int			late;			/* of these, that wait for their place */
	int			unrated;		/* of these, that are not late and do not
								 * count, nor are void */
} Applied;

/* How far a batch has got. */
typedef enum BatchPhase
{
	BATCH_LOADS,				/* and locks matches, or states of players */
	BATCH_READS,				/* the source, and judges the matches */
	BATCH_RATES,
	BATCH_WRITES
} BatchPhase;

/* How to rate a batch, and what is known after an error. */
typedef struct BatchTrial
{
	bool		careful;		/* find the matches for which the source
								 * raises errors about data, which are
								 * unrated */
	bool		newcomers;		/* some players have no row, and get one
								 * before any is locked */
	BatchPhase	phase;
	UnratedNotices *notices;	/* what to tell of matches that do not count */
} BatchTrial;

/*
 * Rate the matches with these n distinct identifiers, at least one, as far as the source has
 * them finished and they are not rated yet; it was entered to rate.
 *
 * A match that is rated with the same content is left alone; one that does not
 * count is recorded with the reason.  Where a rated one has changed or is gone,
 * history is out of date from there: that is noted for catch_up.
 *
 * False if it has to be undone, and tried again as the trial says now (batch_lock() in states.h).
 */
extern bool apply_batch(Ladder *ladder, Datum *ids, int n, BatchTrial *trial, Applied *applied);

#endif							/* PG_LADDER_RATE_APPLY_H */
