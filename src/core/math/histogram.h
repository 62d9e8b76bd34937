/*
 * histogram.h
 *		Values in bins of equal width, and what describes them in numbers.
 */
#ifndef CORE_MATH_HISTOGRAM_H
#define CORE_MATH_HISTOGRAM_H

#include "core/util/interrupt.h"

/* The quantile of n > 0 sorted values, between two of them if need be. */
extern double sorted_quantile(const double *value, int n, double share);

/* The mean of n > 0 values, and their standard deviation, 0 of one. */
extern double mean_and_deviation(const double *value, int n, InterruptCheck interrupt,
								 double *deviation);

/* Bins, which are half open: bin i is from low + i * step to below the next one. */
typedef struct Histogram
{
	double		low;
	double		step;
	int			bins;
} Histogram;

/*
 * Bins for n > 0 sorted values in a range.  Their width is the one of 1, 2 and 5 times powers of
 * ten that is nearest, by ratio, to what Freedman and Diaconis (1981) advise, but there are about 8
 * to 60 bins.  Values that are multiples of it, such as counts, stand in the middle of theirs.
 */
extern Histogram histogram_bins(const double *value, int n, double low, double high);

/* Count the values in each bin, into count, which is zero; returns the most in one. */
extern int	histogram_count(const Histogram *histogram, const double *value, int n,
							InterruptCheck interrupt, int *count);

#endif							/* CORE_MATH_HISTOGRAM_H */
