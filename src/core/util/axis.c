/*
 * axis.c
 *		Round numbers for the axes and the bins of a plot.
 */
#include "core/util/axis.h"

#include <math.h>

/* Rounding errors of a few units in the last place are no further step. */
#define SLACK 1e-9

/*
 * The greatest power of ten that is at most x, or about 10^-308 or 10^308.  Powers
 * are products of tens, exact up to 10^22, because those of the C library differ
 * between its versions.
 */
static double
power_of_ten_below(double x)
{
	double		power = 1;
	int			i;

	if (x >= 1)
	{
		for (i = 0; i < 308 && power * 10 <= x; i++)
			power *= 10;
		return power;
	}
	for (i = 0; i < 308 && 1 / power > x; i++)
		power *= 10;
	return 1 / power;
}

double
axis_step(double range, int max)
{
	double		power = power_of_ten_below(range / max);

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
	double		power = 1;
	int			digits;

	for (digits = 0; digits < 12 && step * power < 1 - SLACK; digits++)
		power *= 10;
	return digits;
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
