/*
 * split.h
 *		Players split into two teams and a bench as evenly as can be.
 *
 * The caller provides all memory, and fills in a problem in this order:
 * split_group(), which finds the groups; split_make_options(); split_choose(), which
 * chooses the method and says what room it takes; then split_solve().
 */
#ifndef CORE_SPLIT_SPLIT_H
#define CORE_SPLIT_SPLIT_H

#include "core/split/split_problem.h"

/*
 * The lead of the first team, in sums of values, before anybody leaves home and with nobody
 * commanding; 0 without homes.
 */
extern double split_home_lead(const SplitProblem *problem);

/*
 * Find the groups and count their options, for noptions of which option[] needs room.
 * SPLIT_OK, or an error of which at_fault is the group.
 */
extern SplitStatus split_group(SplitProblem *problem);

/* Fill in option[], whose room the caller has provided since split_group(). */
extern void split_make_options(SplitProblem *problem);

/*
 * Choose the method within max_room and max_work, and find the room that it takes.  If
 * none is within these limits, values are rounded to a coarser quantum, and answers may
 * have a bound above 0; even then the room may be more than max_room.
 */
extern void split_choose(SplitProblem *problem);

/*
 * Solve the problem in a block of problem->room bytes: an answer for each size, whose
 * team[] the caller provides, or found is false.
 */
extern void split_solve(SplitProblem *problem, void *room, SplitAnswer *answer);

/* The steps, of about a nanosecond, that split_solve() takes with the chosen method. */
extern double split_work(const SplitProblem *problem);

#endif							/* CORE_SPLIT_SPLIT_H */
