/*
 * through_time_joint.h
 *		The joint distribution of all unknowns of TrueSkill Through Time.
 *
 * Messages take the unknowns of a match to be independent given all other matches.  Here
 * all covariances are kept, so that skills, errors and the evidence are exact where scores
 * are observed, and those of expectation propagation about each result where orders are.
 */
#ifndef CORE_SOLVE_THROUGH_TIME_JOINT_H
#define CORE_SOLVE_THROUGH_TIME_JOINT_H

#include "core/solve/joint_posterior.h"
#include "core/solve/through_time.h"

typedef struct ThroughTimeJoint
{
	ThroughTime *tt;
	JointPosterior posterior;

	/*
	 * By appearance: the unknown, one for those between which nothing
	 * changes.
	 */
	uint32_t   *unknown;
	uint32_t	nextra;			/* unknowns that are none: performances of
								 * teams, levels of scores */
	size_t		nentries;
	uint32_t	nsites;
	double	   *prior_mean;		/* by unknown */
	double		constant;		/* of the log evidence */
	bool		impossible;		/* a draw without a margin has occurred */
	bool		unsupported;	/* a ranking of a gain other than 0 and 1, or
								 * with ties that are alike */
} ThroughTimeJoint;

/*
 * In four steps, between which the caller provides memory: number the unknowns, where
 * unknown has room for all appearances; lay the rows out in a block; look where the factor
 * has entries, in another; and compute, in a third.  tt must have been solved, and its
 * last results are the means of newcomers.
 */
extern void through_time_joint_begin(ThroughTimeJoint *joint, ThroughTime *tt,
									 uint32_t *unknown);
extern size_t through_time_joint_size(const ThroughTimeJoint *joint);
extern void through_time_joint_fill(ThroughTimeJoint *joint, void *block);
extern size_t through_time_joint_analysis_size(const ThroughTimeJoint *joint);
extern void through_time_joint_analyze(ThroughTimeJoint *joint, void *block);
extern size_t through_time_joint_factor_size(const ThroughTimeJoint *joint);
extern JointResult through_time_joint_solve(ThroughTimeJoint *joint, void *block,
											double tolerance, int max_iterations);

/* About how many multiplications an iteration takes, after the third step. */
extern double through_time_joint_products(const ThroughTimeJoint *joint);

/* Mean and deviation of the unknown at an appearance. */
extern void through_time_joint_skill(const ThroughTimeJoint *joint, size_t appearance,
									 double *mu, double *sigma);

#endif							/* CORE_SOLVE_THROUGH_TIME_JOINT_H */
