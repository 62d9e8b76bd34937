/*
 * extremes.h
 *		The larger and the smaller of two numbers.
 *
 * fmax() and fmin() of the C library may return either of 0 and -0, and do so by
 * the processor: fmax(-0.0, 0.0) is -0 on x86-64 and 0 on ARM.  Ratings are
 * compared bit for bit, so these say which: the second where both are equal.  As
 * with fmax(), a NaN counts for nothing unless both are.
 */
#ifndef CORE_UTIL_EXTREMES_H
#define CORE_UTIL_EXTREMES_H

#include <math.h>

static inline double
larger(double a, double b)
{
	return a > b || isnan(b) ? a : b;
}

static inline double
smaller(double a, double b)
{
	return a < b || isnan(b) ? a : b;
}

#endif							/* CORE_UTIL_EXTREMES_H */
