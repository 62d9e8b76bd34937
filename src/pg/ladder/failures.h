/*
 * failures.h
 *		Matches that could not be rated because of an error that is not about their data.
 */
#ifndef PG_LADDER_FAILURES_H
#define PG_LADDER_FAILURES_H

#include "pg/sql/glue.h"

#include "pg/ladder/ladder.h"

/* A match, and why it waits. */
typedef struct Failure
{
	Datum		match_id;
	int			sqlerrcode;
	char	   *message;
} Failure;

/* All of a piece of work, in the memory context that was current when it was made. */
typedef struct Failures
{
	Failure    *failure;
	int			n;
	int			room;
	MemoryContext context;
} Failures;

extern Failures failures_make(void);
extern void failures_add(Failures *failures, Ladder *ladder, Datum match_id, int sqlerrcode,
						 const char *message);

/*
 * Whether an error ends the transaction, because to rate the match later would not make it
 * good: those that tell an application to try again, a lack of resources, and damage.
 */
extern bool error_ends_transaction(int sqlerrcode);

/*
 * Have the matches wait in pending with the cause, and warn: once a session and cause, or in any
 * case (loud).
 */
extern void failures_send(Ladder *ladder, const Failures *failures, bool loud);

#endif							/* PG_LADDER_FAILURES_H */
