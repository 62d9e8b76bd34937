/*
 * failures.h
 *		Matches that could not be rated because of an error that is not about their data.
 */
#ifndef PG_LADDER_ARRIVE_FAILURES_H
#define PG_LADDER_ARRIVE_FAILURES_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/ladder.h"

/* A match, and why it waits. */
typedef struct Failure
{
	Datum		match_id;
	int			sqlerrcode;
	char	   *message;
	char	   *hint;			/* of an error about rights, or NULL */
} Failure;

/* All of a piece of work; all zero but for the context there are none. */
typedef struct Failures
{
	Failure    *failure;
	int			n;
	int			room;
	MemoryContext context;		/* of the array and what it leads to */
} Failures;

extern void failures_add(Failures *failures, Ladder *ladder, Datum match_id, int sqlerrcode,
						 const char *message, const char *hint);

/*
 * Have the matches wait in pending with the cause, and warn: once a session and cause, or in any
 * case (loud).
 */
extern void failures_send(Ladder *ladder, const Failures *failures, bool loud);

/* Whether a role may see the message of such an error, and not the SQLSTATE alone. */
extern bool may_see_message(const Ladder *ladder, const char *sqlstate, Oid role);

/*
 * Rows that were inserted into a mirrored table have kept their values because of an error.  Such a
 * table belongs to the ladder's owner, and few rows come, so that each time is worth a warning.
 */
extern void warn_of_unfilled_mirror(const Ladder *ladder, const char *table,
									const ErrorData *error);

#endif							/* PG_LADDER_ARRIVE_FAILURES_H */
