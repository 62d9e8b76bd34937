/*
 * square.h
 *		The square.
 */
#ifndef SQUARE_H
#define SQUARE_H

/* x * x: one multiplication, rounded once. */
static inline double
square(double x)
{
	return x * x;
}

#endif							/* SQUARE_H */
