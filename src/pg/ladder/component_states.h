/*
 * component_states.h
 *		What a batch takes from a ladder of components: states that belong to something
 *		else than a player alone.
 *
 * A component that has an owner, a player, and one that has none differ in that null is
 * the owner of the latter: most queries here come in two forms, which both find their
 * rows by an index.
 */
#ifndef PG_LADDER_COMPONENT_STATES_H
#define PG_LADDER_COMPONENT_STATES_H

#include "pg/ladder/ladder.h"
#include "pg/ladder/row_reader.h"
#include "pg/matches/batch.h"

/* A row of component as it was found. */
typedef struct StoredComponent
{
	bool		found;
	ComponentRecord record;
	double		state[FLEXIBLE_ARRAY_MEMBER];
} StoredComponent;

/* Components as the parameters of a query: arrays with an element for each. */
#define COMPONENT_KEY_NPARAMS 4

typedef struct ComponentKeys
{
	const BatchComponent **component;
	int			n;
} ComponentKeys;

/* None yet, with room for so many. */
extern ComponentKeys component_keys_make(int max);
extern void component_keys_add(ComponentKeys *keys, const BatchComponent *component);

/* The values of the parameters: kinds, pools, keys and owners, which are null where there is none. */
extern void component_keys_values(const ComponentKeys *keys, const Ladder *ladder,
								  Datum *values);

/*
 * The next three are for a batch that has components.
 *
 * Lock and load those of the components that are wanted that belong to nobody, which comes
 * before players are locked.  If all have rows, these are locked at once, in the order of key,
 * kind and pool, so that those without a key come first.  Otherwise rows are made for those
 * that have none and then all are locked, first of those without a key, then of the others,
 * each in the same order: batches that overlap never deadlock.  What has no key is in most
 * matches of its pool: a batch that waits for another one waits there, before it holds
 * anything that the other transaction may want for a batch to come.
 */
extern void components_lock_unowned(Batch *batch, Ladder *ladder);

/*
 * Those that a match may be given get rows in that call, but nobody waits to change them: once
 * players are loaded, lock those that no other transaction has locked, and load the others as
 * they were before it (BatchComponent.taken).
 */
extern void components_lock_free(Batch *batch, Ladder *ladder);

/*
 * Load those that belong to players.  What belongs to a player needs no lock of its own, and
 * has no row until it is written: a batch that rates has locked the player's row by then, like
 * any other that writes it, and what changes history has the ladder for itself.
 */
extern void components_load_owned(Batch *batch, Ladder *ladder);

/* Load the components that are wanted without a lock, once players are loaded. */
extern void components_peek(Batch *batch, Ladder *ladder);

/* Load all components that an operation on all players may be about. */
extern void components_load_all(Batch *batch, Ladder *ladder);

/* Load those that belong to n players. */
extern void components_load_some(Batch *batch, Ladder *ladder, Datum *ids, int n);

/* Read all rows of component, with the columns of ComponentColumn. */
extern void all_components_open(RowReader *reader, Ladder *ladder);

/*
 * The component of the batch that a row is about, whose first columns are player_id, kind, pool
 * and key; NULL if the model has no such kind, or one with another owner.
 */
extern BatchComponent *component_of_row(Batch *batch, const Datum *values, const bool *nulls);

/* Read what a row of component has besides; false if it is not as the component's is. */
extern bool component_row_read(const BatchComponent *component, const Datum *values,
							   const bool *nulls, ComponentRecord *record, double *state);

/*
 * The state in an array, of as many numbers as the component has; false if it is none, and
 * state then stays as it is.
 */
extern bool read_component_state(const BatchComponent *component, Datum array, bool isnull,
								 double *state);

#endif							/* PG_LADDER_COMPONENT_STATES_H */
