/*
 * square.h
 *		The square.
 */
#ifndef CORE_MATH_SQUARE_H
#define CORE_MATH_SQUARE_H

/* x * x: one multiplication, rounded once. */
static inline double
square(double x)
{
	return x * x;
}

#endif							/* CORE_MATH_SQUARE_H */
