/*
 * convergence.h
 *		When an iteration has come as near to its limit as rounding lets it.
 */
#ifndef CORE_MATH_CONVERGENCE_H
#define CORE_MATH_CONVERGENCE_H

#include <stdbool.h>

/* Changes below this, in deviations of what changes, may be rounding. */
#define CONVERGENCE_SMALL 1e-4

/* They are if so many rounds in a row bring no smaller one. */
#define CONVERGENCE_IDLE_ROUNDS 10

/* The smallest change so far, and for how many rounds; begins cleared. */
typedef struct Convergence
{
	double		smallest;		/* 0: none below CONVERGENCE_SMALL yet */
	int			idle_rounds;
} Convergence;

/* Takes the change of another round; true if changes have been small and shrink no more. */
static inline bool
convergence_ended(Convergence *convergence, double change)
{
	if (change < (convergence->smallest > 0 ? convergence->smallest : CONVERGENCE_SMALL))
	{
		convergence->smallest = change;
		convergence->idle_rounds = 0;
		return change == 0;
	}
	return convergence->smallest > 0 && ++convergence->idle_rounds >= CONVERGENCE_IDLE_ROUNDS;
}

#endif							/* CORE_MATH_CONVERGENCE_H */
