/*
 * histogram.c
 *		Values in bins of equal width, and what describes them in numbers.
 */
#include "core/math/histogram.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/math/elementary.h"
#include "core/util/axis.h"
#include "core/util/extremes.h"

/* Between two checks for an interrupt. */
#define VALUES_BETWEEN_CHECKS 65536

static void
check_at(int i, InterruptCheck interrupt)
{
	if (i % VALUES_BETWEEN_CHECKS == 0 && interrupt != NULL)
		interrupt();
}

double
sorted_quantile(const double *value, int n, double share)
{
	double		place = share * (n - 1);
	int			below = (int) place;

	if (below >= n - 1)
		return value[n - 1];
	return value[below] + (place - below) * (value[below + 1] - value[below]);
}

double
mean_and_deviation(const double *value, int n, InterruptCheck interrupt, double *deviation)
{
	double		mean = 0;
	double		squares = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		/*
		 * The updating formulas of Welford: one pass, and no cancellation of
		 * large sums of squares.
		 */
		double		part = value[i] - mean;

		check_at(i, interrupt);
		mean += part / (i + 1);
		squares += part * (value[i] - mean);
	}
	*deviation = n > 1 ? sqrt(squares / (n - 1)) : 0.0;
	return mean;
}

static double
bin_width(const double *value, int n, double range)
{
	double		width = 2 * (sorted_quantile(value, n, 0.75) - sorted_quantile(value, n, 0.25)) /
		portable_pow(n, 1.0 / 3);
	double		wide;
	double		narrow;

	/* More than half of the values are equal. */
	if (!(width > 0))
		width = range / 20;
	width = smaller(larger(width, range / 60), range / 8);
	wide = axis_step(width, 1);
	narrow = axis_step(wide / 2.5, 1);
	return width * width < narrow * wide ? narrow : wide;
}

static bool
are_multiples(const double *value, int n, double step)
{
	int			i;

	for (i = 0; i < n; i++)
		if (!(fabs(value[i] / step - rint(value[i] / step)) < 1e-9))
			return false;
	return true;
}

Histogram
histogram_bins(const double *value, int n, double low, double high)
{
	Histogram	histogram = {.step = bin_width(value, n, high - low)};
	double		end = axis_floor(high, histogram.step) + histogram.step;

	histogram.low = axis_floor(low, histogram.step);
	histogram.bins = (int) larger((double) lround((end - histogram.low) / histogram.step), 1);
	if (are_multiples(value, n, histogram.step))
		histogram.low -= histogram.step / 2;
	return histogram;
}

int
histogram_count(const Histogram *histogram, const double *value, int n,
				InterruptCheck interrupt, int *count)
{
	int			most = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		place = (value[i] - histogram->low) / histogram->step + 1e-9;
		int			bin = (int) smaller(larger(place, 0), histogram->bins - 1);

		check_at(i, interrupt);
		if (++count[bin] > most)
			most = count[bin];
	}
	return most;
}
