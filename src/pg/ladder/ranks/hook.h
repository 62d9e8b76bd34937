/*
 * hook.h
 *		What the rest of a ladder calls where it counts players by their ratings.
 *
 * Without counts ranks are counted over the index on the rating, and nothing of this folder
 * takes part in rating.
 */
#ifndef PG_LADDER_RANKS_HOOK_H
#define PG_LADDER_RANKS_HOOK_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

#include "pg/ladder/ladder.h"

/* The changes of one piece of work. */
typedef struct CountWriter CountWriter;

typedef struct RankHook
{
	/* Before work changes rows of rating; in the current context. */
	CountWriter *(*begin) (Ladder *ladder);

	/*
	 * Such a row was as follows before the work, or is now (net -1 or 1): its number of rated
	 * matches, displayed rating and time of the last match, DT_NOBEGIN for none.
	 */
	void		(*put) (CountWriter *writer, const char *pool, int32 net, int64 games,
						double rating, TimestampTz last_played);

	/* Write the changes, in the transaction that writes the rows, and free the writer. */
	void		(*end) (CountWriter *writer);

	/* catch_up() has done its work: tidy the tables, or count anew, while nobody else rates. */
	void		(*catch_up) (Ladder *ladder, bool rebuild);

	/* How many counts are wrong. */
	int64		(*verify) (Ladder *ladder);
} RankHook;

/* That of a ladder, NULL if it does not count. */
extern const RankHook *rank_hook(const Ladder *ladder);

#endif							/* PG_LADDER_RANKS_HOOK_H */
