/*
 * elo.h
 *		Elo's formulas for two players, as functions of their own.
 */
#ifndef CORE_MODELS_ELO_H
#define CORE_MODELS_ELO_H

/*
 * Expected score of a rating that leads by difference, with log_odds more in
 * its favour.  Logistic: odds of 10 to 1 at a lead of scale.  Normal: each
 * performance has the standard deviation beta.  Both are exact 0 or 1 only
 * where double precision ends, and never NaN for finite arguments.
 */
extern double elo_logistic(double difference, double scale, double log_odds);
extern double elo_normal(double difference, double beta, double log_odds);

#endif							/* CORE_MODELS_ELO_H */
