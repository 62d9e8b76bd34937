/*
 * split_second.h
 *		Of the splits that are even enough, the one that is best in something else.
 */
#ifndef CORE_SPLIT_SPLIT_SECOND_H
#define CORE_SPLIT_SPLIT_SECOND_H

#include "core/split/split_problem.h"

/*
 * The bytes that split_second() takes for the options as they are; half of what size_t
 * can say if there are more sums than fit into problem->max_room.
 */
extern size_t split_second_room(const SplitProblem *problem);

/*
 * Of all splits of the first size whose difference is within allowed of its target, find
 * the one whose teams are nearest in a second value: the sums of second[0] of the players
 * on the first team and of second[1] of those on the second.  split_choose() must have
 * been called.  The answer is as that of split_solve(); *second_difference is the
 * distance of the second sums, and *proven says that no split has less.
 */
extern void split_second(const SplitProblem *problem, const double *const *second,
						 double allowed, void *room, SplitAnswer *answer,
						 double *second_difference, bool *proven);

#endif							/* CORE_SPLIT_SPLIT_SECOND_H */
