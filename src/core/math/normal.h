/*
 * normal.h
 *		The normal distribution function, also far out in its tails.
 */
#ifndef NORMAL_H
#define NORMAL_H

/* Probability that a standard normal variable is at most x. */
extern double normal_cdf(double x);

/* Its logarithm, finite as long as x * x is. */
extern double normal_log_cdf(double x);

/*
 * For n independent normal variables with the given means and one common
 * standard deviation, the probability of each to be the largest, into best[].
 * Absolute error below 1e-12; the results are scaled to add up to 1.
 */
extern void normal_best_of(const double *mean, int n, double deviation,
						   double *best);

#endif							/* NORMAL_H */
