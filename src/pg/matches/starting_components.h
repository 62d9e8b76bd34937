/*
 * starting_components.h
 *		Components that a history finds in a state: rows of the type final_component, as
 *		final_components() makes them.
 */
#ifndef PG_MATCHES_STARTING_COMPONENTS_H
#define PG_MATCHES_STARTING_COMPONENTS_H

#include "pg/sql/glue.h"

#include "pg/matches/batch.h"

/* The columns of the type final_component (sql/history/40-rate.sql). */
enum
{
	FINAL_COMPONENT_KIND,
	FINAL_COMPONENT_POOL,
	FINAL_COMPONENT_KEY,
	FINAL_COMPONENT_PLAYER,
	FINAL_COMPONENT_MU,
	FINAL_COMPONENT_DEVIATION,
	FINAL_COMPONENT_GAMES,
	FINAL_COMPONENT_LAST_PLAYED,
	FINAL_COMPONENT_STATE,
	FINAL_COMPONENT_AS_OF,
	FINAL_COMPONENT_NCOLUMNS
};

/*
 * Put the components of an array of final_component, the argument of that name, into a batch
 * that has rated nothing yet.  Those of kinds that the parameters do not use take part in nothing.
 *
 * Errors: 22004 for a null row, or for a kind, key or player_id that is null and must not
 * be; 22023 for a kind that the model does not have, a key or player_id of a kind without,
 * and a component that occurs twice; the others of rater_start().
 */
extern void batch_start_components(Batch *batch, Datum components, const char *argument);

#endif							/* PG_MATCHES_STARTING_COMPONENTS_H */
