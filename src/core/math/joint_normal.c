/*
 * joint_normal.c
 *		Normal variables with a joint distribution, and what observations of
 *		linear combinations of them tell.
 *
 * J. E. Potter's update of the root of a covariance (R. H. Battin, "Astronautical Guidance",
 * 1964), which never makes a variance negative, however much an observation takes away.
 */
#include "core/math/joint_normal.h"

#include <math.h>

void
joint_normal_project(const JointNormal *joint, const double *x, Projection *projection)
{
	int			n = joint->n;
	int			i,
				j;

	projection->mean = projection->variance = 0;
	for (i = 0; i < n; i++)
		projection->factor[i] = 0;
	for (j = 0; j < n; j++)
	{
		const double *row = joint->root + j * n;

		/* Most combinations are of a few variables. */
		if (x[j] == 0)
			continue;
		projection->mean += x[j] * joint->mean[j];
		for (i = 0; i < n; i++)
			projection->factor[i] += x[j] * row[i];
	}
	for (j = 0; j < n; j++)
	{
		const double *row = joint->root + j * n;

		projection->variance += projection->factor[j] * projection->factor[j];
		projection->slope[j] = 0;
		for (i = 0; i < n; i++)
			projection->slope[j] += row[i] * projection->factor[i];
	}
}

void
joint_normal_observe(JointNormal *joint, const Projection *projection, double precision,
					 double shift)
{
	int			n = joint->n;
	double		rest = 1 / (1 + precision * projection->variance);
	double		move = (shift - precision * projection->mean) * rest;
	double		taken;
	int			i,
				j;

	/* Nothing can be learnt of what is known. */
	if (projection->variance == 0)
		return;
	taken = (1 - sqrt(rest)) / projection->variance;
	for (i = 0; i < n; i++)
	{
		double	   *row = joint->root + i * n;

		joint->mean[i] += projection->slope[i] * move;
		for (j = 0; j < n; j++)
			row[j] -= taken * projection->slope[i] * projection->factor[j];
	}
}

double
joint_normal_variance(const JointNormal *joint, int variable)
{
	const double *row = joint->root + variable * joint->n;
	double		variance = 0;
	int			i;

	for (i = 0; i < joint->n; i++)
		variance += row[i] * row[i];
	return variance;
}
