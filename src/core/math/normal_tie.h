/*
 * normal_tie.h
 *		Normal variables that are all close to one level.
 *
 * The level is unknown, and each variable lies within a margin of its own of it.  Given the
 * level the variables are independent, so that all moments are integrals over the level
 * alone, whose density is a product of log-concave functions: it has one mode.
 */
#ifndef CORE_MATH_NORMAL_TIE_H
#define CORE_MATH_NORMAL_TIE_H

#include "core/math/quadrature.h"

/* A message about a normal variable: precision, and precision times mean. */
typedef struct Message
{
	double		precision;
	double		shift;
} Message;

/*
 * A variable, from its moments before anything is known of the level.  A margin of 0 stands
 * for the least that there is.
 */
typedef struct TiedNormal
{
	double		mean;
	double		deviation;
	double		margin;
} TiedNormal;

/* So many points on each side of its mode stand for the level. */
#define TIED_HALF (2 * GAUSS_LEGENDRE_HALF)

/* The distribution of the level, as points with weights that add up to 1. */
typedef struct TiedLevel
{
	int			n;
	double		at[2 * TIED_HALF];
	double		weight[2 * TIED_HALF];
	double		mean;
	double		variance;
} TiedLevel;

/*
 * The level of n >= 1 variables, given what others say of it, which may be nothing: a
 * message of precision 0.  Equal variables that stand one behind the other cost no more
 * than one.  Moments have a relative error below 1e-10 where no margin is more than ten of
 * its variable's deviations.
 */
extern void normal_tie_level(const TiedNormal *tied, int n, Message others,
							 TiedLevel *level);

/* The logarithm of the probability that all are close to a level. */
extern double normal_tie_log_probability(const TiedNormal *tied, int n, double level);

/*
 * What that says of a variable: the gradient of the log likelihood by its mean, and the
 * share that is left of its variance.
 */
extern void normal_tie_evidence(const TiedNormal *tied, const TiedLevel *level,
								double *gradient, double *rest);

#endif							/* CORE_MATH_NORMAL_TIE_H */
