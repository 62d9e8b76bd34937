/*
 * states.h
 *		What a batch takes from a ladder: states of players, and operations.
 */
#ifndef PG_LADDER_STATES_H
#define PG_LADDER_STATES_H

#include "pg/ladder/ladder.h"
#include "pg/ladder/row_reader.h"
#include "pg/matches/batch.h"

/* A batch that rates by a ladder's model. */
extern Batch *ladder_batch(Ladder *ladder);

/*
 * The operations from a seq on, in order; those with the same seq are the same
 * operation on several players.
 */
extern LadderOperation *read_operations(Ladder *ladder, int64 from, int *n);

/* Load all players whom an operation may be about. */
extern void batch_load_all(Batch *batch, Ladder *ladder);

/* Of them, those with n identifiers, with their rows in all pools. */
extern void batch_load_some(Batch *batch, Ladder *ladder, Datum *ids, int n);

/*
 * Load the states of the players that are wanted.  To lock them also makes
 * rows for those who have none: first these, then the locks, each in the order
 * of the identifiers, so that batches that overlap never deadlock.
 */
extern void batch_load(Batch *batch, Ladder *ladder, bool lock);

/* Put players in the order of their identifiers and pools. */
extern void sort_players(Ladder *ladder, BatchPlayer **player, int n);

/* Read all rows of rating, with the columns of RatingColumn. */
extern void all_ratings_open(RowReader *reader, Ladder *ladder);

/* The player of the batch whose row of rating a reader has. */
extern BatchPlayer *rating_player(RowReader *reader, Batch *batch);

#endif							/* PG_LADDER_STATES_H */
