/*
 * batch_components.h
 *		The part of a batch that is about components, for batch.c.
 */
#ifndef PG_MATCHES_BATCH_COMPONENTS_H
#define PG_MATCHES_BATCH_COMPONENTS_H

#include "pg/sql/glue.h"

#include "pg/matches/batch.h"

/* Begin without any; the current context is that of the batch. */
extern void components_create(Batch *batch);

/*
 * What follows is called where there are components: kinds in use, or some in the match.
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
 * Do an operation to the components that it is about: all of a pool or of all pools, or
 * those of its player in all.  If it is the first of n that name single players, these are
 * in player[], which is NULL else.  batch->step has begun, without rows of components.
 */
extern void components_operate(Batch *batch, const LadderOperation *operation,
							   BatchPlayer *const *player, int n);

#endif							/* PG_MATCHES_BATCH_COMPONENTS_H */
