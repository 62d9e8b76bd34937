/*
 * careful.h
 *		Reading from a source where the rows of some matches raise errors.
 *
 * A source is a view of the user, which can divide by zero in one row.  That
 * match is to stay unrated, and all others go on.
 */
#ifndef PG_LADDER_CAREFUL_H
#define PG_LADDER_CAREFUL_H

#include "pg/sql/glue.h"

#include "pg/ladder/plans.h"

/*
 * The error about data that reading a match has raised: a data exception (SQLSTATE class
 * 22), or a violated constraint (class 23), as of a domain.
 */
typedef struct SourceError
{
	Datum		match_id;
	char	   *sqlstate;
	char	   *message;		/* with the SQLSTATE */
} SourceError;

/*
 * Do some work in a subtransaction.  False if it raised such an error, which is then in
 * *error, in the current memory context, without a match; what the work did to the
 * database is undone.  All other errors go on: they say nothing of the match, as a
 * serialization failure (40001), a deadlock, a cancelled query or a full disk.
 */
extern bool careful_do(void (*work) (void *), void *arg, SourceError *error);

/*
 * Find out of n matches those that a query of one parameter, an array of matches,
 * cannot read, by halves.  The errors need room for n; returns how many there are.
 */
extern int	careful_find(Ladder *ladder, LadderQuery *query, Datum *ids, int n,
						 SourceError *errors);

#endif							/* PG_LADDER_CAREFUL_H */
