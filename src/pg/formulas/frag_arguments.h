/*
 * frag_arguments.h
 *		Rows of a frag log, as arguments (state, killer_id, victim_id, ...) of aggregates.
 */
#ifndef FRAG_ARGUMENTS_H
#define FRAG_ARGUMENTS_H

#include "pg/sql/glue.h"

/* Errors if a row has no victim. */
static inline void
check_victim(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("victim_id must not be null"),
				 errhint("Leave rows that are no frags out with FILTER (WHERE ...).")));
}

#endif							/* FRAG_ARGUMENTS_H */
