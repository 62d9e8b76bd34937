/*
 * axis.c
 *		Round numbers for the axes and the bins of a plot.
 */
#include "core/util/axis.h"

#include <math.h>

/* Rounding errors of a few units in the last place are no further step. */
#define SLACK 1e-9

double
axis_step(double range, int max)
{
	double		power = pow(10, floor(log10(range / max)));

	if (power * max >= range * (1 - SLACK))
		return power;
	if (2 * power * max >= range * (1 - SLACK))
		return 2 * power;
	if (5 * power * max >= range * (1 - SLACK))
		return 5 * power;
	return 10 * power;
}

int
axis_digits(double step)
{
	double		digits = ceil(-log10(step) - SLACK);

	return digits <= 0 ? 0 : digits >= 12 ? 12 : (int) digits;
}

double
axis_floor(double x, double step)
{
	return floor(x / step + SLACK) * step;
}

double
axis_ceiling(double x, double step)
{
	return ceil(x / step - SLACK) * step;
}
