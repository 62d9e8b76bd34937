/*
 * split.h
 *		Players split into two teams and a bench as evenly as can be.
 *
 * The caller provides all memory, and fills in a problem in this order:
 * split_group(), which finds the groups; split_make_options(); split_choose(), which
 * chooses the method and says what room it takes; then split_solve().
 */
#ifndef SPLIT_H
#define SPLIT_H

#include "core/split/split_problem.h"

/*
 * Find groups, and how many options each has, for which option[] needs room.  With an
 * error at_fault is the group that has it.
 */
extern SplitStatus split_group(SplitProblem *problem);

/* Fill in the options: those that no constraint forbids. */
extern void split_make_options(SplitProblem *problem);

/* Choose the method and find the room that it takes. */
extern void split_choose(SplitProblem *problem);

/* Solve it in a block of that room: an answer for each size, or none found. */
extern void split_solve(SplitProblem *problem, void *room, SplitAnswer *answer);

/* The steps, of about a nanosecond, that split_solve() takes by the method chosen. */
extern double split_work(const SplitProblem *problem);

#endif							/* SPLIT_H */
