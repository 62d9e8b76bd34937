/*
 * number_order.h
 *		Numbers as integers in the same order, and ranges of numbers of them.
 *
 * The bits of a double, read as an integer, grow with it; those of a negative one the other
 * way round.  With that turned, the first bits of the integer name a range of numbers: of 16
 * bits of the mantissa, between a 65 000th and a 131 000th of the number wide.  So the ranges
 * need no width that somebody would have to choose for a scale of ratings.
 */
#ifndef CORE_UTIL_NUMBER_ORDER_H
#define CORE_UTIL_NUMBER_ORDER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The bits of a number that do not tell ranges apart, and those that do. */
#define NUMBER_RANGE_SHIFT 36
#define NUMBER_RANGE_BITS 28

/* An integer that grows with the number, which is no NaN; 0 and -0 are one. */
static inline uint64_t
number_place(double number)
{
	uint64_t	bits;
	double		sum = number + 0.0;

	memcpy(&bits, &sum, sizeof(bits));
	return (bits >> 63) != 0 ? ~bits : bits | (UINT64_C(1) << 63);
}

/* The number at a place; an infinity for places beyond all numbers. */
static inline double
number_at(uint64_t place)
{
	uint64_t	bits = (place >> 63) != 0 ? place & ~(UINT64_C(1) << 63) : ~place;
	double		number;

	memcpy(&number, &bits, sizeof(number));
	if (isnan(number))
		number = (place >> 63) != 0 ? HUGE_VAL : -HUGE_VAL;
	return number;
}

/* The range that a number is in: from 0 to 2^NUMBER_RANGE_BITS - 1. */
static inline int32_t
number_range(double number)
{
	return (int32_t) (number_place(number) >> NUMBER_RANGE_SHIFT);
}

/* The least and the greatest number of a range. */
static inline double
number_range_bottom(int32_t range)
{
	return number_at((uint64_t) range << NUMBER_RANGE_SHIFT);
}

static inline double
number_range_top(int32_t range)
{
	return number_at(((uint64_t) range << NUMBER_RANGE_SHIFT) |
					 ((UINT64_C(1) << NUMBER_RANGE_SHIFT) - 1));
}

#endif							/* CORE_UTIL_NUMBER_ORDER_H */
