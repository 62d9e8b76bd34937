/*
 * dot.h
 *		The inner product of two vectors.
 */
#ifndef CORE_MATH_DOT_H
#define CORE_MATH_DOT_H

#include <stdint.h>

/* In the order of the elements, so that equal vectors give equal bits. */
static inline double
dot(const double *a, const double *b, uint32_t n)
{
	double		sum = 0;
	uint32_t	i;

	for (i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

#endif							/* CORE_MATH_DOT_H */
