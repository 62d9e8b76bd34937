/*
 * match_outcome.h
 *		What has become of a match that was reported.
 */
#ifndef PG_LADDER_CALLS_MATCH_OUTCOME_H
#define PG_LADDER_CALLS_MATCH_OUTCOME_H

#include "pg/sql/glue.h"

#include "pg/ladder/calls/match_arrays.h"

/* A match that was reported, and what has come of it so far. */
typedef struct ReportedMatch
{
	MatchArrays arrays;
	bool		written;		/* the tables have changed */
	bool		refused;		/* other content came too late for a place
								 * before the horizon */
	bool		is_new;			/* the ladder had not looked at this content */

	/* As the source has it: */
	bool		in_source;
	TimestampTz played_at;
	int64		digest;
	Datum	   *counted;		/* for whom each player counts, after merges */
	bool	   *absent;			/* whether it has no row of each, or NULL */
} ReportedMatch;

/* Whether rated_match has a row of the match. */
extern bool match_is_recorded(Ladder *ladder, const ReportedMatch *report);

/*
 * Return the outcome of a match, a row for each player in the order in which these first occur in
 * the arrays.
 */
extern void return_outcome(FunctionCallInfo fcinfo, Ladder *ladder,
						   const ReportedMatch *report);

#endif							/* PG_LADDER_CALLS_MATCH_OUTCOME_H */
