/*
 * score.h
 *		Proper scores of one forecast: the smaller, the better.
 */
#ifndef SCORE_H
#define SCORE_H

#include <math.h>

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
		loss -= outcome * log(probability);
	if (outcome < 1)
		loss -= (1.0 - outcome) * log1p(-probability);
	return loss;
}

#endif							/* SCORE_H */
