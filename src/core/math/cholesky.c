/*
 * cholesky.c
 *		Linear systems with a symmetric positive definite matrix.
 */
#include "core/math/cholesky.h"

#include <math.h>

int
cholesky_factor(double *a, int n, double tolerance)
{
	int			i,
				j,
				k;

	for (i = 0; i < n; i++)
	{
		double	   *row = a + i * n;
		double		pivot = row[i];

		for (j = 0; j < i; j++)
		{
			const double *other = a + j * n;
			double		sum = row[j];

			for (k = 0; k < j; k++)
				sum -= row[k] * other[k];
			row[j] = sum / other[j];
			pivot -= row[j] * row[j];
		}
		/* Also if it is NaN. */
		if (!(pivot > tolerance * row[i]))
			return i;
		row[i] = sqrt(pivot);
	}
	return -1;
}

void
cholesky_solve(const double *l, int n, double *b)
{
	int			i,
				k;

	for (i = 0; i < n; i++)
	{
		for (k = 0; k < i; k++)
			b[i] -= l[i * n + k] * b[k];
		b[i] /= l[i * n + i];
	}
	for (i = n - 1; i >= 0; i--)
	{
		for (k = i + 1; k < n; k++)
			b[i] -= l[k * n + i] * b[k];
		b[i] /= l[i * n + i];
	}
}
