/*
 * truncated.c
 *		Moments of normal variables that are cut off, safe for any argument.
 */
#include <math.h>

#include "core/math/truncated.h"
#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/quadrature.h"
#include "core/util/extremes.h"

/* From here on Mills' ratio comes from its continued fraction. */
#define FRACTION_FROM 10.0

/* Variance is never cut down to nothing, so that it can be divided by. */
#define MIN_REST 1e-30

/*
 * The tails k1 and k2 of Laplace's continued fraction for the inverse of Mills'
 * ratio, x + k1 with k1 = 1 / (x + k2) and k2 = 2 / (x + 3 / (x + ...)).
 */
static void
mills_fraction(double x, double *k1, double *k2)
{
	double		fraction = x;
	int			k;

	for (k = 40; k > 2; k--)
		fraction = x + k / fraction;
	*k2 = 2 / fraction;
	*k1 = 1 / (x + *k2);
}

double
normal_hazard(double x)
{
	double		k1,
				k2;

	if (x > -FRACTION_FROM)
		return normal_density(x) / normal_cdf(x);
	mills_fraction(-x, &k1, &k2);
	return -x + k1;
}

Truncation
truncated_win(double x)
{
	Truncation	result;

	if (x > -FRACTION_FROM)
	{
		result.v = normal_hazard(x);
		result.w = result.v * (result.v + x);
		result.rest = 1 - result.w;
	}
	else
	{
		double		k1,
					k2;

		/*
		 * Far out v + x and 1 - w are small differences of large numbers, but
		 * the fraction has both without subtracting: v + x = k1, and 1 - w =
		 * k1 (k2 - k1), where k2 is about twice k1.
		 */
		mills_fraction(-x, &k1, &k2);
		result.v = -x + k1;
		result.w = k1 * result.v;
		result.rest = k1 * (k2 - k1);
	}
	result.rest = larger(result.rest, MIN_REST);
	return result;
}

/*
 * Within a narrow interval the density is a smooth function, whose mean and
 * variance about that mean are sums of positive terms.
 */
static Truncation
draw_by_quadrature(double t, double e)
{
	double		density[2 * GAUSS_LEGENDRE_HALF];
	double		mass = 0;
	double		mean = 0;
	double		variance = 0;
	Truncation	result;
	int			i;

	for (i = 0; i < 2 * GAUSS_LEGENDRE_HALF; i++)
	{
		const QuadratureNode *node = &gauss_legendre[i / 2];
		double		x = i % 2 ? e * node->x : -e * node->x;

		density[i] = node->weight * portable_exp(t * x - 0.5 * x * x);
		mass += density[i];
		mean += density[i] * x;
	}
	mean /= mass;
	for (i = 0; i < 2 * GAUSS_LEGENDRE_HALF; i++)
	{
		const QuadratureNode *node = &gauss_legendre[i / 2];
		double		x = i % 2 ? e * node->x : -e * node->x;

		variance += density[i] * (x - mean) * (x - mean);
	}
	result.v = mean - t;
	result.rest = variance / mass;
	result.w = 1 - result.rest;
	return result;
}

Truncation
truncated_draw(double t, double e)
{
	Truncation	result;
	double		distance = fabs(t);

	/* The least interval, whose variance is e^2 / 3. */
	e = larger(e, 2e-15);

	if (distance * e > 20)
	{
		/* The far end has less than e^-40 of the density at the near one. */
		result = truncated_win(e - distance);
		result.v = -result.v;
	}
	else if (e <= 6)
		result = draw_by_quadrature(distance, e);
	else
	{
		/* Hardly anything is cut off. */
		double		above = normal_density(e - distance);
		double		below = normal_density(e + distance);
		double		mass = normal_cdf(e - distance) - normal_cdf(-e - distance);

		result.v = (below - above) / mass;
		result.w = result.v * result.v + ((e - distance) * above +
										  (e + distance) * below) / mass;
		result.rest = 1 - result.w;
	}
	result.rest = larger(result.rest, MIN_REST);
	if (t < 0)
		result.v = -result.v;
	return result;
}
