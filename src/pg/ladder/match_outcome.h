/*
 * match_outcome.h
 *		What has become of a match that was reported.
 */
#ifndef PG_LADDER_MATCH_OUTCOME_H
#define PG_LADDER_MATCH_OUTCOME_H

#include "pg/sql/glue.h"

#include "pg/ladder/match_arrays.h"

/* Whether rated_match has a row of the match. */
extern bool match_is_recorded(Ladder *ladder, const MatchArrays *arrays);

/*
 * Return the outcome of a match, a row for each player in the order in which these
 * first occur in the arrays.  arrays->digest is that of the content reported, and
 * is_new tells whether the ladder had not looked at that before.
 */
extern void return_outcome(FunctionCallInfo fcinfo, Ladder *ladder,
						   const MatchArrays *arrays, bool is_new);

#endif							/* PG_LADDER_MATCH_OUTCOME_H */
