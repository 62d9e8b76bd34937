/*
 * split_many.h
 *		Players split into more than two teams, and a bench, as evenly as can be.
 *
 * Those of a party are one unit.  A draft gives a first split, whose teams are split
 * again two at a time until no two of them can be made more even; for few units all
 * splits are then ruled out that are no better, by dynamic programming over sets of
 * units or by going through them.
 */
#ifndef SPLIT_MANY_H
#define SPLIT_MANY_H

#include "core/split/split_many_problem.h"

/* What is known of an answer. */
typedef enum SplitProof
{
	SPLIT_NONE_FOUND,			/* and whether there is one is not known */
	SPLIT_IMPOSSIBLE,			/* no split keeps the constraints */
	SPLIT_FOUND,				/* but others may be better */
	SPLIT_PROVEN				/* none is better */
} SplitProof;

/*
 * The bytes that split_many() takes.  Who may only be on the bench should not be among
 * the players; if others are left over, all teams must be of one size.
 */
extern size_t split_many_room(const SplitManyProblem *problem);

/* Split them in a block of that room; teams by player, and the objective that is left. */
extern SplitProof split_many(const SplitManyProblem *problem, void *room, int *team,
							 double *objective);

#endif							/* SPLIT_MANY_H */
