/*
 * logistic.h
 *		The logistic function and its relatives, safe for any argument.
 */
#ifndef CORE_MATH_LOGISTIC_H
#define CORE_MATH_LOGISTIC_H

#include <math.h>

#include "core/math/elementary.h"
#include "core/util/extremes.h"

/* 1 / (1 + e^-x): exact 0 and 1 in the tails, and no overflow on the way. */
static inline double
logistic(double x)
{
	double		e;

	if (x >= 0)
		return 1.0 / (1.0 + portable_exp(-x));
	e = portable_exp(x);
	return e / (1.0 + e);
}

/* Log-odds beyond these, and logarithms of probabilities below, count as those. */
#define MAX_LOG_ODDS 32.0

/* The log-odds of a probability, finite for 0 and 1 as well. */
static inline double
bounded_log_odds(double probability)
{
	double		log_odds = portable_log(probability) - portable_log1p(-probability);

	return smaller(larger(log_odds, -MAX_LOG_ODDS), MAX_LOG_ODDS);
}

/* The logarithm of a probability, finite for 0 as well. */
static inline double
bounded_log(double probability)
{
	return larger(portable_log(probability), -MAX_LOG_ODDS);
}

/* ln(1 + e^x), the negative log likelihood of a loss at log-odds x. */
static inline double
softplus(double x)
{
	return (x > 0 ? x : 0.0) + portable_log1p(portable_exp(-fabs(x)));
}

/*
 * Luce's choice rule: each of n is chosen with probability proportional to
 * e^(rating / unit).  As seen from the best, so that nothing overflows.
 */
static inline void
luce_choice(const double *rating, double unit, int n, double *probability)
{
	double		best = rating[0];
	double		total = 0;
	int			i;

	for (i = 1; i < n; i++)
		best = larger(best, rating[i]);
	for (i = 0; i < n; i++)
	{
		probability[i] = portable_exp((rating[i] - best) / unit);
		total += probability[i];
	}
	for (i = 0; i < n; i++)
		probability[i] /= total;
}

/*
 * Log-odds of a win rate, shrunk towards prior_rate as if prior_weight more
 * games had been seen at that rate: finite for 0 of n and n of n.  With rate
 * 1/2 and weight 1 this is the estimate of Jeffreys' prior.
 */
static inline double
shrunk_log_odds(double wins, double games, double prior_rate,
				double prior_weight)
{
	return portable_log(wins + prior_weight * prior_rate) -
		portable_log(games - wins + prior_weight * (1.0 - prior_rate));
}

#endif							/* CORE_MATH_LOGISTIC_H */
