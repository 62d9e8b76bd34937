/*
 * normal_order.h
 *		The probability of an order of independent normal variables.
 */
#ifndef CORE_MATH_NORMAL_ORDER_H
#define CORE_MATH_NORMAL_ORDER_H

#include <stdbool.h>

#include "core/math/normal_tie.h"
#include "core/util/interrupt.h"

/*
 * Where a variable lies if all conditions hold: about its mean and deviation then, and
 * the slope at that mean of the logarithm of what the conditions on variables before it
 * say of it.  Approximations, such as those of expectation propagation, do: they
 * decide where the integrand is looked at, and how closely.
 */
typedef struct NormalOrderPlace
{
	double		mean;
	double		deviation;
	double		slope;
} NormalOrderPlace;

/*
 * A variable, and what is asked of it: to be larger than the next one by more than a margin
 * of at least 0 or, if within, to differ by no more than that.  Of the last one nothing is
 * asked.
 */
typedef struct NormalOrderVariable
{
	double		mean;			/* of a normal variable, with a deviation
								 * above 0; */
	double		deviation;
	const TiedNormal *tied;		/* or a level of ntied normal variables, or NULL */
	int			ntied;
	double		margin;
	bool		within;
	NormalOrderPlace place;
} NormalOrderVariable;

/*
 * The logarithm of the probability of all that is asked of n >= 1 variables, where a level
 * has the density 1 anywhere; -INFINITY for what is impossible.
 *
 * Relative error of the probability below 1e-8 where no deviation of a place is more
 * than 10 times another.  Takes some hundred evaluations of a density for each
 * variable, and check (or NULL) is called for each.
 */
extern double normal_order_log_probability(const NormalOrderVariable *variable, int n,
										   InterruptCheck check);

#endif							/* CORE_MATH_NORMAL_ORDER_H */
