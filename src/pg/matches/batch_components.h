/*
 * batch_components.h
 *		The part of a batch that is about components, meetings, and rows of its steps, for batch.c.
 */
#ifndef PG_MATCHES_BATCH_COMPONENTS_H
#define PG_MATCHES_BATCH_COMPONENTS_H

#include "pg/sql/glue.h"

#include "pg/matches/batch.h"

/*
 * The next five are called where there are components: kinds in use, or some in the batch or the
 * match.
 *
 * Room for the components of a match of n participants, before it is built.
 */
extern void components_reserve(Batch *batch, int n);

/* Find those of the match that was built of a source. */
extern void components_find(Batch *batch, const SourceMatch *source);

/*
 * Give the match the states before it, as of its time and after the operation before it, and
 * room for those after.  MATCH_OK, or MATCH_OVERFLOW if the operation leads out of range.
 */
extern MatchStatus components_prepare(Batch *batch, const SourceMatch *source);

/* Make the states after those of the components, with rows in batch->step, which has none yet. */
extern void components_commit(Batch *batch, const SourceMatch *source);

/*
 * Do an operation to the components that it is about: all of a pool or of all pools, or, if it
 * names players, those of its players.  batch->step has begun, without rows of components.
 */
extern void components_operate(Batch *batch, const LadderOperation *operation,
							   BatchPlayer *const *player, int nplayers);

/* Room for n rows in the step, which has none then, and for the states of an operation in them. */
extern void batch_reserve_rows(Batch *batch, RowsOf of, int n, bool states);

/* Add one, of what has that record before. */
extern EventRow *batch_add_row(EventRows *rows, const PlayerRecord *record,
							   const double *before, const double *after);

/*
 * In how many rated matches, at most so many seconds before or after that time, all
 * opponents of the match that was built were opponents; counted up to a limit.  0 if
 * nobody has opponents in it.
 */
extern int64 batch_count_meetings(const Batch *batch, TimestampTz played_at,
								  double window, double limit);

/* The record of who has never played. */
extern const PlayerRecord no_record;

#endif							/* PG_MATCHES_BATCH_COMPONENTS_H */
