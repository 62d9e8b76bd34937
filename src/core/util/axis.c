/*
 * axis.c
 *		Round numbers for the axes and the bins of a plot.
 */
#include "core/util/axis.h"

#include <math.h>

#include "core/util/extremes.h"

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

/* The multiples of a step from low to high. */
static AxisTicks
multiples(double low, double high, double step)
{
	AxisTicks	ticks = {step, axis_ceiling(low, step), 0, 1};

	/* A step may be lost in rounding, so count. */
	while (ticks.n < AXIS_MAX_TICKS && ticks.first + ticks.n * step <= high + step * 1e-6)
		ticks.n++;
	return ticks;
}

/* The room of the longer one of two labels. */
static double
longer_label(double a, double b, double step, AxisLabel label)
{
	return larger(label(a, step), label(b, step));
}

int
axis_stride(double extent, int n, double room)
{
	return n < 2 ? 1 : (int) larger(ceil(room * (n - 1) / extent - 0.05), 1);
}

AxisTicks
axis_across(double low, double high, double length, int most, double least, AxisLabel label)
{
	double		range = high - low;
	double		room;
	double		needed = least;
	AxisTicks	ticks;
	int			steps;

	/* Steps whose labels, which are longer for small ones, fit beside each other. */
	do
	{
		room = needed;
		ticks = multiples(low, high, axis_step(range, (int) smaller(larger(length / room, 1), most)));
		needed = longer_label(ticks.first, axis_floor(high, ticks.step), ticks.step, label);
	} while (needed > room);

	/* Where labels leave room for one tick alone, some of those of shorter steps. */
	for (steps = 2; ticks.n <= ticks.stride && steps < AXIS_MAX_TICKS; steps++)
	{
		double		extent;

		ticks = multiples(low, high, axis_step(range, steps));
		extent = (ticks.n - 1) * ticks.step;
		ticks.stride = axis_stride(extent / range * length, ticks.n,
								   longer_label(ticks.first, ticks.first + extent, ticks.step, label));
	}
	return ticks;
}

AxisTicks
axis_up(double low, double high, int most)
{
	AxisTicks	ticks;

	/* For two ticks two and a half steps are enough. */
	do
		ticks = multiples(low, high, axis_step(high - low, most++));
	while (ticks.n < 2 && most < AXIS_MAX_TICKS);
	return ticks;
}
