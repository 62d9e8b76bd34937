/*
 * conjugate_gradients.c
 *		Solves large symmetric linear systems of which only products are known.
 */
#include "core/math/conjugate_gradients.h"

#include <math.h>
#include <string.h>

#include "core/math/dot.h"

/* What curves less than this share of its diagonal curves by rounding only. */
#define CURVATURE_NOISE 1e-13

static double
diagonal_form(const double *diagonal, const double *v, uint32_t n)
{
	double		sum = 0;
	uint32_t	i;

	for (i = 0; i < n; i++)
		sum += diagonal[i] * v[i] * v[i];
	return sum;
}

int
conjugate_gradients(const LinearSystem *system, double *b, double *u, double tolerance,
					int max_products, bool *converged)
{
	uint32_t	n = system->n;
	double	   *direction = system->direction;
	double	   *product = system->product;
	double		rz,
				first;
	int			products = 0;
	uint32_t	i;

	memset(u, 0, n * sizeof(double));
	system->precondition(system->arg, b, direction);
	rz = first = dot(b, direction, n);
	while (products < max_products && rz > tolerance * tolerance * first)
	{
		double		curvature,
					noise,
					alpha,
					next;

		system->multiply(system->arg, direction, product);
		products++;
		curvature = dot(direction, product, n);

		/*
		 * Along a direction that nothing curves there is nothing to gain; what
		 * curves downward, or is no number, is no such system.
		 */
		noise = CURVATURE_NOISE * diagonal_form(system->diagonal, direction, n);
		if (!(curvature > noise))
		{
			*converged = curvature >= -noise;
			return products;
		}
		alpha = rz / curvature;
		for (i = 0; i < n; i++)
		{
			u[i] += alpha * direction[i];
			b[i] -= alpha * product[i];
		}
		system->precondition(system->arg, b, product);
		next = dot(b, product, n);
		for (i = 0; i < n; i++)
			direction[i] = product[i] + next / rz * direction[i];
		rz = next;
	}
	*converged = rz <= tolerance * tolerance * first && isfinite(first);
	return products;
}
