/*
 * final_ratings.h
 *		The state of final_ratings(), of which other aggregates make other results.
 */
#ifndef PG_HISTORY_FINAL_RATINGS_H
#define PG_HISTORY_FINAL_RATINGS_H

#include "pg/sql/glue.h"

#include "pg/matches/participant_arguments.h"
#include "pg/matches/rater.h"

typedef struct FinalRatings
{
	ParticipantArguments rows;
	Jsonb	   *options;		/* as given, or NULL */
	Rater	   *rater;
} FinalRatings;

/* Rate the match whose rows have all been read. */
extern void final_ratings_rate(FinalRatings *state);

#endif							/* PG_HISTORY_FINAL_RATINGS_H */
