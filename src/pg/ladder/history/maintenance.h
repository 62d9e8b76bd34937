/*
 * maintenance.h
 *		Changing the history of a ladder while others rate it.
 *
 * There is one protocol, maintain(), for corrections and for operations on all players; they
 * differ in what is replayed first.
 *
 * 1. The ladder is held for a moment, in which nobody is rating, and a snapshot is taken.  It
 *	  is complete up to its last place, because whoever rates later draws larger ones.  Under it
 *	  the work replays its first part, while others rate.  Its events are written in place at
 *	  once, which keeps nobody waiting: others only insert new ones, and nobody but maintenance,
 *	  which has the maintenance lock (hold.h), writes existing ones.
 * 2. Matches that have been rated meanwhile, from states that were not corrected, are replayed in
 *	  the same way: MAINTENANCE_ROUNDS times at most, so that there is an end to it under any load.
 * 3. The ladder is held to the end of the transaction.  What only its holder can do is done, the
 *	  rest is replayed, and all is written that others would have had to wait for: rows of
 *	  rated_match, rating and component.
 *
 * Where the ladder is held from the beginning, all of it is step 1, but for what the holder does
 * and the matches that this rates.
 *
 * Whatever comes meanwhile and changes what has been replayed is noted in table correction as
 * ever, and stays there.
 */
#ifndef PG_LADDER_HISTORY_MAINTENANCE_H
#define PG_LADDER_HISTORY_MAINTENANCE_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/ladder/history/rewrite.h"

/*
 * So often at most is what others have rated meanwhile replayed before the ladder is held, or until
 * a round has taken fewer milliseconds than this.  Others wait for what the last round leaves: each
 * has a fraction of what the one before had, unless the machine has more to do than it can.
 */
#define MAINTENANCE_ROUNDS 10
#define SMALL_ROUND 20

typedef struct Maintenance Maintenance;

/* A piece of work. */
struct Maintenance
{
	Ladder	   *ladder;
	bool		begun;			/* others do not rate at its beginning: the
								 * operation has just taken its place */

	/*
	 * Replays the first part, under a snapshot, into replay and rewrite, and
	 * says which corrections that deals with.
	 */
	void		(*first) (Maintenance *work);

	/* What is done as soon as the ladder is held for good, or NULL. */
	void		(*when_held) (Maintenance *work);

	/* The rest is for the protocol to set. */
	Replay	   *replay;
	Rewrite		rewrite;
	int64		done_from;		/* corrections from this place on, and before */
	int64		done_before;	/* this one, go with the part; */
	bool		late_done;		/* so do those that wait for a place */
	int64		misplaced;		/* the first place behind which matches were
								 * met out of the order of time, or
								 * PG_INT64_MAX */
	int64		end;			/* the last place in the order when the ladder
								 * was held for good */
};

/*
 * Do it; the ladder is held in the end.  Error 55000 if a match that was rated meanwhile is
 * missing from the source, besides those of a replay.
 */
extern void maintain(Maintenance *work);

/* For first: replay nothing, so that the rest is what comes meanwhile. */
extern void replay_nothing(Maintenance *work);

#endif							/* PG_LADDER_HISTORY_MAINTENANCE_H */
