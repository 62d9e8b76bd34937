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

#endif							/* CORE_UTIL_AXIS_H */
