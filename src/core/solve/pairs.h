/*
 * pairs.h
 *		What solvers share whose results are comparisons of teams in pairs.
 */
#ifndef CORE_SOLVE_PAIRS_H
#define CORE_SOLVE_PAIRS_H

#include "core/solve/solver.h"

/* The strength of a team, in log-odds: the mean of its players' skills, or their sum. */
enum PairsStrength
{
	PAIRS_MEAN,
	PAIRS_SUM
};

/* The words of these, for a parameter. */
extern const char *const pairs_strengths[];

/*
 * A row for each two teams of a match: that one beat the other, or drew.
 */
extern void pairs_rows(const Match *match, enum PairsStrength strength,
					   struct SolverRows *rows);

/*
 * So many won and lost games of each player against one of skill 0.
 */
extern void pairs_virtual_rows(SolverTask *task, double games,
							   struct SolverRows *rows);

#endif							/* CORE_SOLVE_PAIRS_H */
