/*
 * sum.h
 *		Sums that do not depend on the order of their terms.
 *
 * A sum is kept as an unevaluated pair of doubles (Knuth's two-sum), about 32
 * digits, so that a parallel plan rounds to the same result as a serial one.
 */
#ifndef SUM_H
#define SUM_H

typedef struct Sum
{
	double		high;
	double		low;			/* what high could not hold */
} Sum;

static inline void
sum_add(Sum *sum, double x)
{
	double		high = sum->high + x;
	double		part = high - sum->high;

	sum->low += (sum->high - (high - part)) + (x - part);
	sum->high = high;
}

static inline void
sum_merge(Sum *sum, const Sum *other)
{
	sum_add(sum, other->high);
	sum->low += other->low;
}

static inline double
sum_value(const Sum *sum)
{
	/* An infinite sum has a low part of NaN, which says nothing more. */
	if (sum->high - sum->high != 0)
		return sum->high;
	return sum->high + sum->low;
}

#endif							/* SUM_H */
