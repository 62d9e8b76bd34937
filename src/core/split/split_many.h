/*
 * split_many.h
 *		Players split into more than two teams, and a bench, as evenly as can be.
 *
 * A player without a party is a party of one.  A draft gives a first split, whose teams are split
 * again two at a time until no two of them can be made more even; for few parties all
 * splits are then ruled out that are no better, by dynamic programming over sets of
 * parties or by going through them.
 */
#ifndef CORE_SPLIT_SPLIT_MANY_H
#define CORE_SPLIT_SPLIT_MANY_H

#include "core/split/split_many_problem.h"

/* The standing of an answer. */
typedef enum SplitProof
{
	SPLIT_NONE_FOUND,			/* within the steps; there may be one */
	SPLIT_IMPOSSIBLE,			/* no split keeps the constraints */
	SPLIT_FOUND,				/* but others may be better */
	SPLIT_PROVEN				/* none is better */
} SplitProof;

/*
 * The bytes that split_many() takes.  Players who may only be on the bench should not be
 * part of the problem; if others are left over, all teams must be of one size.
 */
extern size_t split_many_room(const SplitManyProblem *problem);

/*
 * Split the players in a block of that room.  After SPLIT_FOUND and SPLIT_PROVEN team[]
 * has the team of each player, from 1 on, or SPLIT_BENCH, and *objective its value.
 */
extern SplitProof split_many(const SplitManyProblem *problem, void *room, int *team,
							 double *objective);

#endif							/* CORE_SPLIT_SPLIT_MANY_H */
