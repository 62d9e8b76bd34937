/*
 * component_states.h
 *		What a batch takes from a ladder of components: states that belong to something
 *		else than a player alone.
 *
 * A component that has an owner, a player, and one that has none differ in that null is
 * the owner of the latter: most queries here come in two forms, which both find their
 * rows by an index.
 */
#ifndef PG_LADDER_RATE_COMPONENT_STATES_H
#define PG_LADDER_RATE_COMPONENT_STATES_H

#include "pg/ladder/entry/ladder.h"
#include "pg/ladder/entry/plans.h"
#include "pg/matches/batch.h"

/* Components as the parameters of a query: arrays with an element for each. */
#define COMPONENT_KEY_NPARAMS 4

#define COMPONENT_KEY_PARAMS \
	ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_PLAYER)

/* The values of the parameters: kinds, pools, keys and owners, which are null where there is none. */
extern void component_keys(const Ladder *ladder, const BatchComponent *const *component, int n,
						   Datum *values);

/*
 * The next three are for a batch that has components.
 *
 * Lock those of the components that are wanted that belong to nobody, which comes before players
 * are locked, and make rows for those that have none.  They are locked in the order of key, kind
 * and pool by every transaction: batches that overlap never deadlock.  What has no key comes
 * first, because it is in most matches of its pool: a batch that waits for another one waits
 * there, before it holds anything that the other transaction may want for a batch to come.
 *
 * Those that a match may be given get rows too, but nobody waits to change them.
 */
extern void components_claim(Batch *batch, Ladder *ladder);

/*
 * Load all that are wanted, once players are loaded.  What belongs to a player needs no lock of
 * its own, and has no row until it is written: a batch that rates has locked the player's row by
 * then, like any other that writes it, and what changes history has the ladder for itself.  Those
 * that a match may be given are locked unless another transaction has locked them, and else loaded
 * as they were before it (BatchComponent.taken).
 */
extern void components_load(Batch *batch, Ladder *ladder);

/* Load all that are wanted, without a lock. */
extern void components_peek(Batch *batch, Ladder *ladder);

/* Load what an operation may be about: components that belong to n players, or all if ids is NULL. */
extern void components_load_touched(Batch *batch, Ladder *ladder, Datum *ids, int n);

/*
 * Put the rows of those that are loaded, or all rows, beside their components, as player_row() does
 * (states.h), and give those of no kind that the model has to a function, with the columns of
 * ComponentColumn.  A component that is loaded without a row has none in stored.
 */
extern void components_store_rows(Batch *batch, Ladder *ladder, bool all, TakesRow surplus, void *arg);

/*
 * For a batch that has kinds in use: load components as they were before a place in the order, those
 * that have events from there on and, if all are asked for, all others; and those of the match that
 * was built.  Error 55000 if events before the place are gone.
 */
extern void components_load_at(Batch *batch, Ladder *ladder, int64 from, bool all);
extern void components_load_match(Batch *batch, Ladder *ladder, int64 from);

/* Put components where the horizon has them; they do not count as loaded. */
extern void components_load_horizon(Batch *batch, Ladder *ladder);

/*
 * The component of the batch that a row is about, whose first columns are player_id, kind, pool
 * and key; NULL if the model has no such kind, or one with another owner.
 */
extern BatchComponent *component_of_row(Batch *batch, QueryRow row);

#endif							/* PG_LADDER_RATE_COMPONENT_STATES_H */
