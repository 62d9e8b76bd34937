/*
 * normal.c
 *		The normal distribution function, also far out in its tails.
 */
#include <math.h>

#include "math/normal.h"

#define SQRT_HALF		0.70710678118654752440
#define LN_SQRT_2PI		0.91893853320467274178

double
normal_cdf(double x)
{
	return 0.5 * erfc(-x * SQRT_HALF);
}

double
normal_log_cdf(double x)
{
	double		x2,
				fraction;
	int			k;

	if (x > -10)
		return x > 0 ? log1p(-normal_cdf(-x)) : log(normal_cdf(x));

	/*
	 * Mills' ratio as Laplace's continued fraction, x + 1/(x + 2/(x + ...)),
	 * which has converged after 40 terms from |x| = 10 on.
	 */
	x = -x;
	x2 = x * x;
	if (isinf(x2))
		return -x2;
	fraction = x;
	for (k = 40; k > 0; k--)
		fraction = x + k / fraction;
	return -0.5 * x2 - LN_SQRT_2PI - log(fraction);
}

/*
 * The largest value has the distribution function exp(L(x)), with L the sum of
 * all log distribution functions, and variable i contributes its density times
 * exp(L(x) - log Phi_i(x)).  These integrands are analytic and fall off like a
 * Gaussian, for which the trapezoidal rule converges geometrically: an eighth
 * of a standard deviation as the step is enough also for the steep L of many
 * variables, from nine below the largest mean, where hardly ever all values
 * lie, to nine above.
 */
void
normal_best_of(const double *mean, int n, double deviation, double *best)
{
	const double step = 0.125;
	const double reach = 9.0;
	double		largest = mean[0];
	double		total = 0;
	double		x;
	int			i;

	for (i = 0; i < n; i++)
	{
		largest = fmax(largest, mean[i]);
		best[i] = 0;
	}

	for (x = -reach; x <= reach; x += step)
	{
		double		all = 0;

		for (i = 0; i < n; i++)
			all += normal_log_cdf(x + (largest - mean[i]) / deviation);
		for (i = 0; i < n; i++)
		{
			double		z = x + (largest - mean[i]) / deviation;

			best[i] += exp(all - normal_log_cdf(z) - 0.5 * z * z);
		}
	}

	/* What the rule leaves out, and the factors all terms share, cancel. */
	for (i = 0; i < n; i++)
		total += best[i];
	for (i = 0; i < n; i++)
		best[i] /= total;
}
