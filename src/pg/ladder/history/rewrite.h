/*
 * rewrite.h
 *		Writing what a replay makes of a ladder's history where it comes out otherwise.
 *
 * Events and matches are collected while a replay goes on, in rows that spill to disk; rows
 * of rating and component are compared with those that were stored when it is done.  Nothing
 * is written before rewrite_send_events() and its like, and nothing that comes out the same.
 */
#ifndef PG_LADDER_HISTORY_REWRITE_H
#define PG_LADDER_HISTORY_REWRITE_H

#include "pg/sql/glue.h"

#include "pg/ladder/history/replay.h"
#include "pg/ladder/rate/outbox.h"

/* What a replay finds to be written. */
typedef struct Rewrite
{
	ReplaySink	sink;
	Ladder	   *ladder;
	MemoryContext context;
	Outbox	   *events[NROWS_OF];	/* of the part that is being replayed */
	Outbox	   *matches;
	IdTable    *removed;		/* matches whose removal was noticed */
	IdTable    *gone;			/* those of them that the source still lacks */
	IdTable    *looked_at;		/* all that are to be written or are gone */
	int64		missing_seq;	/* the last place of a match that is missing,
								 * or 0 */
	char	   *missing;		/* which match that is */
	int64		misplaced_seq;	/* where time makes the order, the first place
								 * in the part of a match that comes behind a
								 * later one, or 0, */
	TimestampTz misplaced_at;	/* and the earliest time of one */
} Rewrite;

/* A table of matches whose removal a trigger, or a search, has noticed. */
extern IdTable *read_removed(Ladder *ladder);

/*
 * Begin to collect, for one part of a replay after another: each begins with
 * rewrite_begin_part(), and ends with rewrite_send_events() or, if nothing of it is to be
 * written, with rewrite_discard_part(), after which only the first part may be begun again.
 * If rewrite->missing is set at its end, a rated match is missing from the source, and
 * nothing behind the place before it can be replayed.
 */
extern void rewrite_begin(Rewrite *rewrite, Ladder *ladder);
extern void rewrite_begin_part(Rewrite *rewrite, IdTable *removed);
extern void rewrite_send_events(Rewrite *rewrite);
extern void rewrite_discard_part(Rewrite *rewrite);

/*
 * Write the matches of the parts so far, and take those that are gone out of
 * rated_match; begins anew with matches.
 */
extern void rewrite_send_matches(Rewrite *rewrite);

/* End it; matches that were not sent are not written. */
extern void rewrite_end(Rewrite *rewrite);

/*
 * Write and log the rows of rating and component that come out otherwise, where nobody else
 * writes them.
 */
extern void rewrite_states(Replay *replay);

#endif							/* PG_LADDER_HISTORY_REWRITE_H */
