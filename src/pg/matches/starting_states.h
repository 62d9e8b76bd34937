/*
 * starting_states.h
 *		Players and components whom a history finds in a state: rows of the types final_rating and
 *		final_component (sql/history/40-rate.sql), as final_ratings(), starting_rating() and
 *		final_components() make them.
 */
#ifndef PG_MATCHES_STARTING_STATES_H
#define PG_MATCHES_STARTING_STATES_H

#include "pg/sql/glue.h"

#include "pg/matches/rater.h"

/*
 * Put the players of an array of final_rating into a rater of nobody, which is in the
 * season that the latest of them has.  Rating goes on, bit for bit, as if the matches had
 * been rated by which players came into these states; but for models that look back on
 * last matches, which such a row does not have.
 *
 * Errors: 22004 for a null row or player_id, 22P02 or whatever the type of identifiers
 * raises for a text that is none, 22023 for a player who occurs twice in a pool, 2202E for
 * a state with too many columns, 22003 for one that is not sound, 22008 for infinite times,
 * 42939 for the pool that the model reserves.
 */
extern void rater_start(Rater *rater, Datum ratings);

/*
 * Put the components of an array of final_component, the argument of that name, into a batch
 * that has rated nothing yet.  Those of kinds that the parameters do not use take part in nothing.
 *
 * Errors: 22004 for a null row, or for a kind, key or player_id that is null and must not
 * be; 22023 for a kind that the model does not have, a key or player_id of a kind without,
 * and a component that occurs twice; the others of rater_start().
 */
extern void batch_start_components(Batch *batch, Datum components, const char *argument);

#endif							/* PG_MATCHES_STARTING_STATES_H */
