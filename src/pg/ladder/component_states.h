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
	Datum	   *player;			/* where all have an owner */
	Datum	   *kind;
	Datum	   *pool;
	Datum	   *key;
	int			n;
	bool		owned;
} ComponentKeys;

/* None yet, with room for so many, all with an owner or all without. */
extern ComponentKeys component_keys_make(int max, bool owned);
extern void component_keys_add(ComponentKeys *keys, const BatchComponent *component);

/* The values of the parameters; the one for players is of no use where none is an owner. */
extern void component_keys_values(const ComponentKeys *keys, const Ladder *ladder,
								  Datum *values);

/*
 * Load the states of the components that are wanted, once those of players are.  To lock
 * them also makes rows for those without an owner that have none.  If all have rows, these
 * are locked at once; otherwise rows are made first, and then all are locked, each in the
 * order of kind, pool and key: who waits to make a row holds no lock on another, so that
 * batches that overlap never deadlock.  What belongs to a player is not locked, and has no
 * row until it is written, because nobody else gets that far without a lock on the player.
 */
extern void components_load(Batch *batch, Ladder *ladder, bool lock);

/* Load all components that an operation on all players may be about. */
extern void components_load_all(Batch *batch, Ladder *ladder);

/* Load those that belong to n players. */
extern void components_load_some(Batch *batch, Ladder *ladder, Datum *ids, int n);

/* Read all rows of component, with the columns of ComponentColumn. */
extern void all_components_open(RowReader *reader, Ladder *ladder);

/*
 * The component of the batch that a row is about, given the places of player_id, kind, pool
 * and key among its columns; NULL if the model has no such kind, or one with another
 * owner.
 */
extern BatchComponent *component_of_row(Batch *batch, const Datum *values, const bool *nulls,
										int player, int kind, int pool, int key);

/*
 * The state in an array, of as many numbers as the component has; false if it is none, and
 * state then stays as it is.
 */
extern bool read_component_state(const BatchComponent *component, Datum array, bool isnull,
								 double *state);

#endif							/* PG_LADDER_COMPONENT_STATES_H */
