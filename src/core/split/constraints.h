/*
 * constraints.h
 *		The constraints of a lobby, one by one: what would be without them, and which
 *		are in the way of a split.
 */
#ifndef CORE_SPLIT_CONSTRAINTS_H
#define CORE_SPLIT_CONSTRAINTS_H

#include "core/split/lobby.h"

/* The constraints of a lobby; returns their number. */
extern int	list_constraints(const Lobby *lobby, TeamConstraint **constraints);

/*
 * A copy of a lobby with these n constraints, without those that are dropped.  It takes
 * as much memory as all constraints: whoever tries many does so between begin() and end().
 */
extern Lobby drop_constraints(const Lobby *lobby, const TeamConstraint *constraint,
							  const bool *dropped, int n);

/*
 * Whether there is any split without the constraints that are dropped, however uneven; if not,
 * status says whether they tie too many players to one another.
 */
extern bool is_feasible_without(const Lobby *lobby, const SplitRequest *request,
								const TeamConstraint *constraint, const bool *dropped, int n,
								SplitStatus *status);

/*
 * Which of these n constraints are in the way of a split: returns the place of one without which
 * there is one, or -1.  Then kept[] says which cannot be kept together, if any: of these none
 * can be spared.
 */
extern int	find_conflict(const Lobby *lobby, const SplitRequest *request,
						  const TeamConstraint *constraint, int n, bool *kept);

#endif							/* CORE_SPLIT_CONSTRAINTS_H */
