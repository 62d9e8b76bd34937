/*
 * rated.h
 *		What a match has done to its participants: the columns of the type rated, for rate() and
 *		rate_match().
 */
#ifndef PG_HISTORY_RATED_H
#define PG_HISTORY_RATED_H

#include "pg/sql/glue.h"

#include "pg/matches/rater.h"

/*
 * The columns of the type rated, and of rated_participants, where all but those of the match are
 * arrays (sql/40-history-rate.sql).
 */
enum
{
	RATED_RATING_BEFORE,
	RATED_RATING_AFTER,
	RATED_MU_BEFORE,
	RATED_MU_AFTER,
	RATED_DEVIATION_BEFORE,
	RATED_DEVIATION_AFTER,
	RATED_GAMES_BEFORE,
	RATED_SCORE,
	RATED_WIN_PROBABILITY,
	RATED_SOLE_WIN_PROBABILITY,
	RATED_DRAW_PROBABILITY,
	RATED_LOSS_PROBABILITY,
	RATED_FIRST_PROBABILITY,
	RATED_STATE_BEFORE,
	RATED_STATE_AFTER,
	RATED_UNRATED_REASON,
	RATED_UNRATED_DETAIL,
	RATED_NCOLUMNS
};

/*
 * What one of them has.  The columns of states and of reasons are null: states are before and
 * after, of the rater or, of a player of a match that does not count, in state.
 */
typedef struct Rated
{
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS];
	const double *before;
	const double *after;
	double		state[MODEL_MAX_STATE];
} Rated;

/* Whether a rater's match was rated or predicted, so that participants have probabilities. */
static inline bool
is_rated(const Rater *rater)
{
	return rater->verdict == VERDICT_RATE || rater->forecast;
}

/*
 * What a participant of that match has, by the place among the sorted ones; draw is what
 * model_draw() says of it.
 */
extern void rated_participant(const Rater *rater, double draw, int place, Rated *rated);

/* What a player of a match that does not count has: the state stays as it is. */
extern void rated_bystander(const Rater *rater, Datum id, const char *pool, Rated *rated);

/* Why the match is not rated, among the columns of a result; nothing if it is. */
extern void rated_reason(const Rater *rater, Datum *values, bool *nulls);

#endif							/* PG_HISTORY_RATED_H */
