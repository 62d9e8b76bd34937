/*
 * past.h
 *		The matches of a ladder that a model with a window looks back on.
 */
#ifndef PG_LADDER_PAST_H
#define PG_LADDER_PAST_H

#include "pg/ladder/ladder.h"
#include "pg/matches/batch.h"

/*
 * Load the last matches before a seq of the players of the match that was built, or of all
 * who are wanted, as far as that was not done; nothing for models without a window.
 * Operations that set states begin them anew, as batch_apply_operation() does.
 */
extern void load_past_of_match(Batch *batch, Ladder *ladder, int64 before);
extern void load_past_of_wanted(Batch *batch, Ladder *ladder);

#endif							/* PG_LADDER_PAST_H */
