/*
 * axis.h
 *		Round numbers for the axes and the bins of a plot.
 */
#ifndef CORE_UTIL_AXIS_H
#define CORE_UTIL_AXIS_H

/*
 * The least step of 1, 2 or 5 times a power of ten by which at most max steps
 * cover range > 0.
 */
extern double axis_step(double range, int max);

/* The digits behind the point that multiples of a step need, 0 to 12. */
extern int	axis_digits(double step);

/* The multiples of step at or below, and at or above, x. */
extern double axis_floor(double x, double step);
extern double axis_ceiling(double x, double step);

/* The most ticks of an axis. */
#define AXIS_MAX_TICKS 100

/* Ticks at multiples of a step, of which those at each stride have room for a label. */
typedef struct AxisTicks
{
	double		step;
	double		first;
	int			n;
	int			stride;
} AxisTicks;

/* The room that the label of a value takes along the axis, among multiples of a step. */
typedef double (*AxisLabel) (double value, double step);

/*
 * The ticks of an axis from low to high, of that length, whose labels stand beside each other: at
 * most so many steps, at least two labels if there is any way, and none with less room than least.
 */
extern AxisTicks axis_across(double low, double high, double length, int most, double least,
							 AxisLabel label);

/* The same where labels stand one above the other: about as many steps, and at least two ticks. */
extern AxisTicks axis_up(double low, double high, int most);

/*
 * How many ticks further the next of n is drawn, from the first to the last of which it is so
 * far, for labels that take that room each.  Ticks are nearly, but not always exactly, equally
 * far apart.
 */
extern int	axis_stride(double extent, int n, double room);

#endif							/* CORE_UTIL_AXIS_H */
