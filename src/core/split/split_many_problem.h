/*
 * split_many_problem.h
 *		The problem of splitting players into more than two teams and a bench.
 */
#ifndef CORE_SPLIT_SPLIT_MANY_PROBLEM_H
#define CORE_SPLIT_SPLIT_MANY_PROBLEM_H

#include "core/split/split_problem.h"

#define SPLIT_MAX_TEAMS 10

typedef enum SplitObjective
{
	SPLIT_SQUARES,				/* sum of squared deviations from the mean
								 * strength */
	SPLIT_RANGE					/* the strongest team less the weakest */
} SplitObjective;

typedef struct SplitManyProblem
{
	int			n;
	const double *value;		/* of each player */
	const int  *party;			/* as in SplitProblem; a party is at most a
								 * team */
	const int  *allowed_teams;	/* where each may be: SPLIT_MAY(), teams from
								 * 1 on */
	const SplitPair *apart;
	int			napart;
	int			nteams;
	int			size[SPLIT_MAX_TEAMS];
	double		factor[SPLIT_MAX_TEAMS];	/* strength of a team for its sum */
	double		share;			/* mean strength for the sum of all who play */
	SplitObjective objective;
	double		max_work;		/* steps of about a nanosecond */
	InterruptCheck interrupt;
} SplitManyProblem;

#endif							/* CORE_SPLIT_SPLIT_MANY_PROBLEM_H */
