/*
 * normal.h
 *		The normal distribution function, also far out in its tails.
 */
#ifndef CORE_MATH_NORMAL_H
#define CORE_MATH_NORMAL_H

#include "core/util/interrupt.h"

/* Density of a standard normal variable at x. */
extern double normal_density(double x);

/* Probability that a standard normal variable is at most x. */
extern double normal_cdf(double x);

/*
 * The probability that a normal variable of this mean and deviation 1 is within the margin,
 * which is not negative, of 0: a difference of two tails, each from its own side.
 */
extern double normal_band(double mean, double margin);

/* Its logarithm, finite as long as x * x is. */
extern double normal_log_cdf(double x);

/*
 * The logarithm of the probability that a standard normal variable is from -e - t to
 * e - t, that is that one of mean t lies within e >= 0 of 0.
 */
extern double normal_log_band(double t, double e);

/* The x for which normal_cdf(x) is p; infinite for p = 0 and p = 1. */
extern double normal_quantile(double p);

/* Room that functions of n variables below need to work in. */
#define NORMAL_WORK(n) (8 * (n) + 13)

/*
 * For n independent normal variables with the given means and standard
 * deviations, the probability of each to be the largest, into best[].  Absolute
 * error below 1e-12 where no deviation is more than 8 times another, and below
 * 1e-8 elsewhere; the results are scaled to add up to 1.  work has room for
 * NORMAL_WORK(n) numbers, here as below; check is called after n steps or so.
 */
extern void normal_best_of(const double *mean, const double *deviation, int n,
						   double *best, double *work, InterruptCheck check);

/*
 * The same for variables that lie in an array of structures: a mean, a deviation, a
 * result and the first of two numbers to work in each stand stride numbers behind
 * those of the variable before.  A deviation below a hundredth of the greatest counts
 * as that: else it is as exact, and takes at most 14400 steps through all of them.
 */
extern void normal_best_of_strided(const double *mean, const double *deviation,
								   int n, int stride, double *best, double *work,
								   InterruptCheck check);

/*
 * The place of variable i among n >= 2 such variables, where j beats i if it is
 * larger by more than margin[j] >= 0, and the place is one more than the number
 * of those that beat it: place[r - 1] is the probability of place r.  Returns
 * the probability that i beats all others.  Absolute error below 1e-8.  Takes n^2
 * steps some hundred times, and check is called each time.  NaN for what no integral
 * can be taken of, here as above.
 */
extern double normal_places(const double *mean, const double *deviation,
							const double *margin, int n, int i, double *place,
							double *work, InterruptCheck check);

#endif							/* CORE_MATH_NORMAL_H */
