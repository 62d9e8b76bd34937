/*
 * careful.h
 *		Reading from a source where the rows of some matches raise errors.
 *
 * A source is a view of the user, which can divide by zero in one row.  That
 * match is to stay unrated, and all others go on.
 */
#ifndef PG_LADDER_ENTRY_CAREFUL_H
#define PG_LADDER_ENTRY_CAREFUL_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/plans.h"
#include "pg/sql/subtransaction.h"

/* Whether an error is about data: an exception (class 22) or a violated constraint (class 23). */
extern bool error_is_about_data(int sqlerrcode);

/*
 * Whether a transaction can go on after an error: not after those that tell an application to try
 * again, nor for a lack of resources, nor with damaged data.
 */
extern bool error_is_bearable(int sqlerrcode);

/* The error that reading a match has raised. */
typedef struct SourceError
{
	Datum		match_id;
	int			sqlerrcode;
	char	   *message;
} SourceError;

/*
 * Find out of n matches those that a query of one parameter, an array of matches,
 * cannot read, by halves.  The errors need room for n; returns how many there are.
 */
extern int	careful_find(Ladder *ladder, LadderQuery *query, Datum *ids, int n,
						 TakesError takes, SourceError *errors);

#endif							/* PG_LADDER_ENTRY_CAREFUL_H */
