/*
 * settling.h
 *		When an iteration has come as near to its limit as rounding lets it.
 */
#ifndef CORE_MATH_SETTLING_H
#define CORE_MATH_SETTLING_H

#include <stdbool.h>

/* Changes below this, in deviations of what changes, may be rounding. */
#define SETTLING_SMALL 1e-4

/* They are if so many rounds in a row bring no smaller one. */
#define SETTLING_IDLE_ROUNDS 10

/* The smallest change so far, and for how many rounds; begins cleared. */
typedef struct Settling
{
	double		smallest;		/* 0: none below SETTLING_SMALL yet */
	int			idle_rounds;
} Settling;

/* Takes the change of another round; true if changes have been small and shrink no more. */
static inline bool
settling_ended(Settling *settling, double change)
{
	if (change < (settling->smallest > 0 ? settling->smallest : SETTLING_SMALL))
	{
		settling->smallest = change;
		settling->idle_rounds = 0;
		return change == 0;
	}
	return settling->smallest > 0 && ++settling->idle_rounds >= SETTLING_IDLE_ROUNDS;
}

#endif							/* CORE_MATH_SETTLING_H */
