/*
 * frag_arguments.h
 *		Rows of a frag log, as arguments (state, killer_id, victim_id, ...) of aggregates.
 */
#ifndef PG_FORMULAS_FRAG_ARGUMENTS_H
#define PG_FORMULAS_FRAG_ARGUMENTS_H

#include "pg/sql/glue.h"

/* The arguments; those from the score on may be null. */
enum
{
	FRAG_ARG_STATE,
	FRAG_ARG_KILLER,
	FRAG_ARG_VICTIM,
	FRAG_ARG_SCORE,				/* of frag_scores(): how many frags */
	FRAG_ARG_TEAM_KILL,
	FRAG_ARG_OPTIONS
};

/* Errors if a row has no victim. */
static inline void
check_victim(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(FRAG_ARG_VICTIM))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("victim_id must not be null"),
				 errhint("Leave rows that are no frags out with FILTER (WHERE ...).")));
}

#endif							/* PG_FORMULAS_FRAG_ARGUMENTS_H */
