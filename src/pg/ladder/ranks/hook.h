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

#include "pg/ladder/ladder.h"
#include "pg/matches/batch.h"

/* The changes of one piece of work. */
typedef struct CountWriter CountWriter;

typedef struct RankHook
{
	/* Before work changes rows of rating; in the current context. */
	CountWriter *(*begin) (Ladder *ladder);

	/* Such a row is as follows before the work (net -1), or after it (net 1). */
	void		(*put) (CountWriter *writer, int32 net, const char *pool,
						const PlayerRecord *record, const double *state);

	/* Write the changes, in the transaction that writes the rows, and free the writer. */
	void		(*end) (CountWriter *writer);

	/* catch_up() has done its work: tidy the tables, or count anew, while nobody else rates. */
	void		(*catch_up) (Ladder *ladder, bool rebuild);

	/* How many counts are wrong. */
	int64		(*verify) (Ladder *ladder);
} RankHook;

/* That of a ladder, NULL if it does not count. */
extern const RankHook *rank_hook(const Ladder *ladder);

/* The same calls; where the ladder does not count there is no writer, and they do nothing. */

static inline CountWriter *
counts_begin(Ladder *ladder)
{
	const RankHook *hook = rank_hook(ladder);

	return hook != NULL ? hook->begin(ladder) : NULL;
}

static inline void
counts_put(const Ladder *ladder, CountWriter *writer, int32 net, const char *pool,
		   const PlayerRecord *record, const double *state)
{
	if (writer != NULL)
		rank_hook(ladder)->put(writer, net, pool, record, state);
}

/*
 * Players of a batch before it changes them (net -1), or after that (net 1): those who have a row
 * of rating then.  Both calls have the same players, but for rows that the batch made.
 */
static inline void
counts_put_players(const Ladder *ladder, CountWriter *writer, int32 net,
				   BatchPlayer *const *player, int n)
{
	int			i;

	for (i = 0; writer != NULL && i < n; i++)
		if ((player[i]->loaded && !player[i]->created) || (net > 0 && player[i]->touched))
			counts_put(ladder, writer, net, player[i]->pool, &player[i]->record,
					   player[i]->state);
}

static inline void
counts_end(const Ladder *ladder, CountWriter *writer)
{
	if (writer != NULL)
		rank_hook(ladder)->end(writer);
}

#endif							/* PG_LADDER_RANKS_HOOK_H */
