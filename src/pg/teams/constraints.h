/*
 * constraints.h
 *		The constraints of a lobby, one by one: what would be without them, and which
 *		are in the way.
 */
#ifndef PG_TEAMS_CONSTRAINTS_H
#define PG_TEAMS_CONSTRAINTS_H

#include "pg/teams/lobby.h"

typedef struct TeamConstraint
{
	enum
	{
		CONSTRAINT_LOCK,
		CONSTRAINT_PARTY,
		CONSTRAINT_APART,
		CONSTRAINT_EVENLY,
		CONSTRAINT_PRIORITY
	}			kind;
	int			number;			/* the player, the first of the party or
								 * group, or the pair */
} TeamConstraint;

/* The constraints of a lobby; returns their number. */
extern int	list_constraints(const Lobby *lobby, TeamConstraint **constraints);

/*
 * A copy of a lobby with these n constraints, without those that are dropped.  It takes
 * as much memory as all constraints: whoever tries many does so in a context to reset.
 */
extern Lobby drop_constraints(const Lobby *lobby, const TeamConstraint *constraint,
							  const bool *dropped, int n);

/* The difference that a constraint makes, in words: "player x is not locked". */
extern char *describe_without(Lobby *lobby, const TeamConstraint *constraint);

/*
 * Report that there is no such split, naming the constraints in the way: 22023, or
 * 54000 if the search was too large to tell.
 */
pg_noreturn extern void report_no_split(Lobby *lobby, const SplitRequest *request,
										const Split *split);

#endif							/* PG_TEAMS_CONSTRAINTS_H */
