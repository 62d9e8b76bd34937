/*
 * starting_ratings.h
 *		Players whom a history finds in a state: rows of the type final_rating, as
 *		final_ratings() and starting_rating() make them.
 */
#ifndef PG_MATCHES_STARTING_RATINGS_H
#define PG_MATCHES_STARTING_RATINGS_H

#include "pg/sql/glue.h"

#include "pg/matches/rater.h"

/* The columns of the type final_rating (sql/history/40-rate.sql). */
enum
{
	FINAL_PLAYER,
	FINAL_POOL,
	FINAL_RATING,
	FINAL_MU,
	FINAL_DEVIATION,
	FINAL_GAMES,
	FINAL_WINS,
	FINAL_DRAWS,
	FINAL_LOSSES,
	FINAL_LAST_PLAYED,
	FINAL_STATE,
	FINAL_AS_OF,
	FINAL_AS_OF_SEASON,
	FINAL_FIXED,
	FINAL_NCOLUMNS
};

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

#endif							/* PG_MATCHES_STARTING_RATINGS_H */
