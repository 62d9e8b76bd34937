/*
 * split_second.h
 *		Of the splits that are even enough, the one that is best in something else.
 */
#ifndef SPLIT_SECOND_H
#define SPLIT_SECOND_H

#include "core/split/split_problem.h"

/* The bytes that split_second() takes, for the options as they are. */
extern size_t split_second_room(const SplitProblem *problem);

/*
 * Of all splits of the first size that differ from its target by at most so much, the
 * one whose teams are nearest in something else: the sums of second[] by player, on
 * either team.  All options are to be made, and the method chosen.  The answer is
 * as that of split_solve(); what is left of the second difference comes besides,
 * and *proven says that no split has less.
 */
extern void split_second(const SplitProblem *problem, const double *const *second,
						 double allowed, void *room, SplitAnswer *answer,
						 double *second_difference, bool *proven);

#endif							/* SPLIT_SECOND_H */
