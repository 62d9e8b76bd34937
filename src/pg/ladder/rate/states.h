/*
 * states.h
 *		What a batch takes from a ladder: states of players, and operations.
 */
#ifndef PG_LADDER_RATE_STATES_H
#define PG_LADDER_RATE_STATES_H

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/batch.h"
#include "pg/sql/composite.h"

/* A batch that rates by a ladder's model. */
static inline Batch *
ladder_batch(Ladder *ladder)
{
	return batch_create(ladder->model, ladder->params, ladder->player_type);
}

/*
 * The operations from a seq on, in order; those with the same seq are the same
 * operation on several players.
 */
extern LadderOperation *read_operations(Ladder *ladder, int64 from, int *n);

/*
 * Load the players whom an operation may be about: those with n identifiers, with their rows in all
 * pools, or all of them if ids is NULL.
 */
extern void batch_load_touched(Batch *batch, Ladder *ladder, Datum *ids, int n);

/*
 * A row of rating as it was found: that of a player who is loaded lies beside the player, in a
 * replay, and where somebody asks for what a batch changes.
 */
typedef struct StoredRow
{
	bool		found;
	PlayerRecord record;
	double		state[FLEXIBLE_ARRAY_MEMBER];
} StoredRow;

/* The row beside a player, to be filled. */
extern StoredRow *player_row(Batch *batch, BatchPlayer *player);

/* What the players who are loaded have is what their rows have. */
extern void store_loaded_rows(Batch *batch);

/* Whether a row that was found, or not, is this one, to the bit; or none, if it does not exist. */
extern bool same_row(const StoredRow *row, bool exists, const PlayerRecord *record,
					 const double *state, int nstate);

/* Load the states of the players that are wanted. */
extern void batch_load(Batch *batch, Ladder *ladder);

/*
 * The same, and lock their rows in the order of the identifiers, so that batches that overlap
 * never deadlock.  Who inserts a row for a newcomer must hold no lock on another one, for which
 * somebody may wait who has inserted the same one.  So false if only some players have rows: then
 * the subtransaction is to be undone, which gives up the locks, and the next attempt is told of
 * newcomers, who get their rows before any is locked.
 */
extern bool batch_lock(Batch *batch, Ladder *ladder, bool newcomers);

/*
 * The players whose states are wanted, which are those of the matches at hand: the batch may hold
 * players of earlier ones.
 */
extern BatchPlayer **wanted_players(const Batch *batch, int *n);

/* The identifiers and pools of players as arrays, for queries: two values. */
extern void player_arrays(Ladder *ladder, BatchPlayer *const *player, int n, Datum *values);

/* Put players in the order of their identifiers and pools. */
extern void sort_players(Ladder *ladder, BatchPlayer **player, int n);

/* Error 55000: events before a place are gone, of a player or a component that is named. */
pg_noreturn extern void report_missing_events(const Ladder *ladder, int64 from, const char *whose);

/* The player of the batch whose row of rating these are; error 22004 if a column of the key is null. */
extern BatchPlayer *rating_player(Batch *batch, QueryRow row);

#endif							/* PG_LADDER_RATE_STATES_H */
