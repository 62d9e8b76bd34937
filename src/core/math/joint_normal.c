/*
 * joint_normal.c
 *		Normal variables with a joint distribution, and what observations of
 *		linear combinations of them tell.
 */
#include "core/math/joint_normal.h"

void
joint_normal_project(const JointNormal *joint, const double *x, double *slope,
					 double *mean, double *variance)
{
	int			n = joint->n;
	int			i,
				j;

	for (i = 0; i < n; i++)
		slope[i] = 0;
	for (j = 0; j < n; j++)
	{
		const double *row = joint->covariance + j * n;

		/* Most combinations are of a few variables. */
		if (x[j] == 0)
			continue;
		for (i = 0; i < n; i++)
			slope[i] += x[j] * row[i];
	}
	*mean = *variance = 0;
	for (i = 0; i < n; i++)
	{
		*mean += x[i] * joint->mean[i];
		*variance += x[i] * slope[i];
	}
}

void
joint_normal_observe(JointNormal *joint, const double *slope, double mean,
					 double variance, double precision, double shift)
{
	int			n = joint->n;
	double		factor = 1 / (1 + precision * variance);
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		double	   *row = joint->covariance + i * n;

		joint->mean[i] += slope[i] * (shift - precision * mean) * factor;
		for (j = 0; j < n; j++)
			row[j] -= slope[i] * slope[j] * precision * factor;
	}
}
