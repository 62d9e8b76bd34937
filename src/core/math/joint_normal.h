/*
 * joint_normal.h
 *		Normal variables with a joint distribution, and what observations of
 *		linear combinations of them tell.
 */
#ifndef CORE_MATH_JOINT_NORMAL_H
#define CORE_MATH_JOINT_NORMAL_H

typedef struct JointNormal
{
	int			n;
	double	   *mean;			/* n numbers */
	double	   *covariance;		/* n rows of n numbers, symmetric */
} JointNormal;

/*
 * The mean and the variance of the combination x (n coefficients), and its
 * covariances with the variables into slope (n numbers).
 */
extern void joint_normal_project(const JointNormal *joint, const double *x,
								 double *slope, double *mean,
								 double *variance);

/*
 * Multiply by a normal likelihood of that combination, given as its precision
 * and as precision times mean; either may be a change of an earlier one, and
 * then negative.  slope, mean and variance are what joint_normal_project() gives.
 */
extern void joint_normal_observe(JointNormal *joint, const double *slope,
								 double mean, double variance,
								 double precision, double shift);

#endif							/* CORE_MATH_JOINT_NORMAL_H */
