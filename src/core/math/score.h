/*
 * score.h
 *		Proper scores of one forecast: the smaller, the better.
 */
#ifndef CORE_MATH_SCORE_H
#define CORE_MATH_SCORE_H

#include <math.h>

#include "core/math/elementary.h"
#include "core/math/logistic.h"

/*
 * Squared distance of a probability from the outcome (1 won, 0 lost, 0.5
 * drew).  Brier, Monthly Weather Review 78 (1950), in the one-sided form.
 */
static inline double
brier_score(double probability, double outcome)
{
	return (probability - outcome) * (probability - outcome);
}

/*
 * Negative log likelihood in nats; infinite when the impossible happened.  A
 * term of weight zero is zero whatever its logarithm.
 */
static inline double
log_loss(double probability, double outcome)
{
	double		loss = 0;

	if (outcome > 0)
		loss -= outcome * portable_log(probability);
	if (outcome < 1)
		loss -= (1.0 - outcome) * portable_log1p(-probability);
	return loss;
}

/*
 * The same of log-odds, finite whatever they are.
 */
static inline double
logit_log_loss(double logit, double outcome)
{
	return outcome * softplus(-logit) + (1.0 - outcome) * softplus(logit);
}

/*
 * How much of the outcome was on the side of the forecast: 1, 0, or 0.5 where
 * either had no favourite.
 */
static inline double
accuracy(double probability, double outcome)
{
	if (probability > 0.5)
		return outcome;
	return probability < 0.5 ? 1.0 - outcome : 0.5;
}

/*
 * Half the squared distance of the cumulative probabilities of win, draw and
 * loss from the outcome: an error by two steps counts more than by one.
 * Epstein, Journal of Applied Meteorology 8 (1969).
 */
static inline double
ranked_probability_score(double win, double draw, double outcome)
{
	return 0.5 * (brier_score(win, outcome == 1) +
				  brier_score(win + draw, outcome >= 0.5));
}

#endif							/* CORE_MATH_SCORE_H */
