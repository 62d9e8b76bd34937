/*
 * joint_normal.h
 *		Normal variables with a joint distribution, and what observations of
 *		linear combinations of them tell.
 */
#ifndef CORE_MATH_JOINT_NORMAL_H
#define CORE_MATH_JOINT_NORMAL_H

/*
 * The covariance is kept as a root of it, so that no variance is the small difference of
 * large ones: it is root times its transpose, and its precision is that of deviations.
 */
typedef struct JointNormal
{
	int			n;
	double	   *mean;			/* n numbers */
	double	   *root;			/* n rows of n numbers; of independent
								 * variables a diagonal of deviations */
} JointNormal;

/* A combination of the variables: its moments, and what else an observation of it takes. */
typedef struct Projection
{
	double		mean;
	double		variance;
	double	   *factor;			/* n numbers: the combination by columns of root */
	double	   *slope;			/* n numbers: covariances with the variables */
} Projection;

/* The combination x (n coefficients), with room for factor and slope given. */
extern void joint_normal_project(const JointNormal *joint, const double *x,
								 Projection *projection);

/*
 * Multiply by a normal likelihood of that combination, given as its precision and as
 * precision times mean; either may be a change of an earlier one, and then negative, as long
 * as 1 + precision times variance is positive.
 */
extern void joint_normal_observe(JointNormal *joint, const Projection *projection,
								 double precision, double shift);

/* The variance of one of the variables. */
extern double joint_normal_variance(const JointNormal *joint, int variable);

#endif							/* CORE_MATH_JOINT_NORMAL_H */
