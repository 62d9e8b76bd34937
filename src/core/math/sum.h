/*
 * sum.h
 *		Sums that do not depend on the order of their terms.
 *
 * A sum is kept as an unevaluated pair of doubles (Knuth's two-sum), about 32
 * digits, so that a parallel plan rounds to the same result as a serial one.
 */
#ifndef CORE_MATH_SUM_H
#define CORE_MATH_SUM_H

typedef struct Sum
{
	double		high;
	double		low;			/* what high could not hold */
} Sum;

/* Add a term. */
static inline void
sum_add(Sum *sum, double x)
{
	double		high = sum->high + x;
	double		part = high - sum->high;

	sum->low += (sum->high - (high - part)) + (x - part);
	sum->high = high;
}

/* Add another sum, of a parallel worker for example. */
static inline void
sum_merge(Sum *sum, const Sum *other)
{
	sum_add(sum, other->high);
	sum->low += other->low;
}

/* The sum as one number. */
static inline double
sum_value(const Sum *sum)
{
	/* An infinite sum has a low part of NaN, which says nothing more. */
	if (sum->high - sum->high != 0)
		return sum->high;
	return sum->high + sum->low;
}

/*
 * The same for a sum in two words of an array, such as an aggregate's state.
 */

/* Add a term. */
static inline void
sum_words_add(double *word, double x)
{
	Sum			sum = {word[0], word[1]};

	sum_add(&sum, x);
	word[0] = sum.high;
	word[1] = sum.low;
}

/* Add another sum. */
static inline void
sum_words_merge(double *word, const double *other)
{
	Sum			sum = {word[0], word[1]};
	Sum			more = {other[0], other[1]};

	sum_merge(&sum, &more);
	word[0] = sum.high;
	word[1] = sum.low;
}

/* The sum as one number. */
static inline double
sum_words_value(const double *word)
{
	Sum			sum = {word[0], word[1]};

	return sum_value(&sum);
}

#endif							/* CORE_MATH_SUM_H */
