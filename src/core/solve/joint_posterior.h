/*
 * joint_posterior.h
 *		The joint normal distribution of all unknowns of a history, and its evidence.
 *
 * Unknowns are jointly normal before anything is observed.  What is observed is a sum of a
 * few of them, as a number with normal noise or as an order.  Each order is replaced by
 * a normal site about its own sum, so that all covariances are kept: this is expectation
 * propagation as for Gaussian processes (T. Minka, "Expectation Propagation for
 * approximate Bayesian inference", 2001; C. Rasmussen and C. Williams, "Gaussian Processes
 * for Machine Learning", 2006, section 3.6), on a sparse precision matrix.
 */
#ifndef CORE_SOLVE_JOINT_POSTERIOR_H
#define CORE_SOLVE_JOINT_POSTERIOR_H

#include "core/math/sparse_cholesky.h"
#include "core/solve/solve_status.h"

typedef enum JointKind
{
	JOINT_OBSERVED,				/* the sum, with noise, is a number */
	JOINT_ABOVE,				/* it is above the margin */
	JOINT_WITHIN				/* it is at most the margin away from 0 */
} JointKind;

/* What is observed of a sum. */
typedef struct JointSite
{
	JointKind	kind;
	double		offset;			/* the mean of the sum before */
	double		noise;			/* variance of what is added to the sum; not 0
								 * where it is observed */
	double		observed;
	double		margin;
	double		shift;			/* added to the mean, in deviations of sum and
								 * noise given all else */
	double		gain;			/* it counts so many times; above 0 */
	double		weighted;		/* of the site of one time, from the offset;
								 * the row's weight is the precision of all */
} JointSite;

/*
 * Unknowns as deviations from their means before.  The first rows, of fixed weights, are
 * independent residuals of variance 1 / weight that say how unknowns follow from one
 * another: each brings in one new unknown with the coefficient 1 or -1.  The rows behind
 * them have a site each.  Unknowns that no residual brings in are flat.  All arrays are the
 * caller's; mean and sum have n numbers each.
 */
typedef struct JointPosterior
{
	SparseRows	rows;
	uint32_t	nfixed;
	JointSite  *site;			/* of row nfixed + i */
	SparseCholesky cholesky;
	double	   *mean;			/* out */
	double	   *sum;			/* room */
} JointPosterior;

typedef struct JointResult
{
	SolveStatus status;
	int			iterations;
	double		change;			/* of the last one, in deviations */
	double		log_evidence;	/* of all that was observed */
} JointResult;

/*
 * Find the sites, from those that are there on, until none changes its sum by more than
 * tolerance times the sum's deviation.  Each iteration factors the matrix once, which
 * sparse_analyze() and sparse_factor_init() have prepared.  Sites of numbers are exact, so
 * that these alone take one iteration.
 *
 * The log evidence is that of expectation propagation: exact for numbers and for a single
 * order.  A number counts with its density; a flat unknown has density 1 everywhere.
 * -INFINITY if a sum is to be within a margin of 0 and has no noise but that.
 */
extern void joint_begin(JointPosterior *joint);
extern JointResult joint_solve(JointPosterior *joint, double tolerance, int max_iterations);

/* The variance of an unknown, at the end. */
static inline double
joint_variance(const JointPosterior *joint, uint32_t unknown)
{
	return joint->cholesky.inverse_diagonal[unknown];
}

#endif							/* CORE_SOLVE_JOINT_POSTERIOR_H */
