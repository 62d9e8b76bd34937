/*
 * joint_results.h
 *		The probability of results that depend on one another.
 */
#ifndef CORE_SOLVE_JOINT_RESULTS_H
#define CORE_SOLVE_JOINT_RESULTS_H

#include "core/util/interrupt.h"

/* The most results that are taken together. */
#define MAX_JOINT_RESULTS 64

/*
 * Differences of performances, jointly normal, and what came of each: 1 if it was above
 * the margin, -1 if below minus that, and 0 if it was within.
 */
typedef struct JointResults
{
	int			n;
	double		mean[MAX_JOINT_RESULTS];
	double		margin[MAX_JOINT_RESULTS];
	int			outcome[MAX_JOINT_RESULTS];
	double		covariance[MAX_JOINT_RESULTS][MAX_JOINT_RESULTS];
} JointResults;

/*
 * The logarithm of the probability of all of them, by expectation propagation with all
 * covariances (T. Minka, 2001; as for Gaussian processes, C. Rasmussen and C. Williams,
 * "Gaussian Processes for Machine Learning", 2006, section 3.6).  Exact for one; for
 * several an approximation, off by about 0.001 for each.  Their order has no influence, but
 * for rounding.  -INFINITY if one of them is impossible.  Overwrites the covariances.
 */
extern double joint_log_probability(JointResults *results, InterruptCheck check);

#endif							/* CORE_SOLVE_JOINT_RESULTS_H */
