/*
 * constraints.h
 *		The constraints of a lobby in words, and errors that name them.
 */
#ifndef PG_TEAMS_CONSTRAINTS_H
#define PG_TEAMS_CONSTRAINTS_H

#include "core/split/constraints.h"
#include "pg/teams/lobby.h"

/* The difference that a constraint makes, in words: "player x is not locked". */
extern char *describe_without(const Lobby *lobby, const TeamConstraint *constraint);

/*
 * Report (54000) that the constraints tie too many players to one another for a split
 * whose status is SPLIT_GROUP_TOO_LARGE.
 */
pg_noreturn extern void report_large_group(const Lobby *lobby, const SplitProblem *problem);

/*
 * Report that there is no such split, naming the constraints in the way: 22023, or
 * 54000 if the search was too large to tell.
 */
pg_noreturn extern void report_no_split(const Lobby *lobby, const SplitRequest *request,
										const Split *split);

#endif							/* PG_TEAMS_CONSTRAINTS_H */
