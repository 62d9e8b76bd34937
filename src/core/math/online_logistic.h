/*
 * online_logistic.h
 *		Logistic regression that is refitted with every outcome and forgets old ones.
 *
 * The log-odds of an outcome are a linear form of its features.  The coefficients have
 * independent normal priors.  After each moment (one or more outcomes at once) they
 * are at the mode of the posterior, which goes on as the normal distribution with the
 * same mode and curvature (Laplace's approximation; Spiegelhalter and Lauritzen,
 * Networks 20, 1990).  The outcomes of one moment are fitted jointly and exactly.
 *
 * To forget is to keep a share of what the outcomes have taught, in natural parameters:
 * the posterior becomes proportional to posterior^share prior^(1 - share).  The prior
 * itself is never forgotten, so that nothing explodes in a long silence (stabilized
 * forgetting; Kulhavy and Zarrop, International Journal of Control 58, 1993).
 */
#ifndef CORE_MATH_ONLINE_LOGISTIC_H
#define CORE_MATH_ONLINE_LOGISTIC_H

#include <stdbool.h>

#include "core/math/elementary.h"
#include "core/util/interrupt.h"

/* The most coefficients. */
#define ONLINE_LOGISTIC_MAX 17

/* The priors of n coefficients; one of deviation 0 is fixed at its mean. */
typedef struct LogisticPrior
{
	int			n;				/* 1 .. ONLINE_LOGISTIC_MAX */
	const double *mean;
	const double *deviation;	/* each at least 0 and finite */
} LogisticPrior;

/*
 * An observation of one of several alternatives, each with its own features: row i of x
 * has those of alternative i.  The probability of an alternative is proportional to
 * e^(linear form) (the conditional logit; McFadden, 1974).  A single alternative is
 * something that happens or not, and its linear form is the log-odds that it does.
 */
typedef struct LogisticOutcome
{
	int			alternatives;	/* at least 1 */
	const double *x;			/* alternatives * n features */
	const double *y;			/* share of each, 0 to 1; of several they add
								 * up to 1 */
	double		weight;			/* how often it counts, at least 0 */
} LogisticOutcome;

/*
 * What is learned is an array: the n coefficients, then the lower half, row by row, of
 * the information that the outcomes have about them (without that of the prior).
 */
#define ONLINE_LOGISTIC_SIZE(n) ((n) + (n) * ((n) + 1) / 2)

/* The share that is left of something after a time, both in the unit of its half-life. */
static inline double
half_life_share(double time, double half_life)
{
	return portable_exp2(-time / half_life);
}

/* Begin with nothing learned: coefficients at the means of their priors. */
extern void online_logistic_init(const LogisticPrior *prior, double *state);

/*
 * Keep a share, from 0 to 1, of what was learned; 1 changes no bit.  False if the numbers
 * are too large to compute with, and then the state is as it was.
 */
extern bool online_logistic_forget(const LogisticPrior *prior, double share, double *state);

/*
 * Learn from n outcomes of one moment.  Their order has an influence on the last bits
 * alone.  Calls interrupt now and then, unless it is NULL; false as above, also where the
 * mode is too far away to be found.
 */
extern bool online_logistic_learn(const LogisticPrior *prior, const LogisticOutcome *outcome,
								  int n, double *state, InterruptCheck interrupt);

/* The linear form of n features. */
extern double online_logistic_value(int n, const double *state, const double *x);

/*
 * The probabilities of the alternatives of an outcome (of a single one, that it happens),
 * into probability.
 */
extern void online_logistic_predict(int n, const double *state,
									const LogisticOutcome *outcome, double *probability);

/*
 * The log likelihood of outcomes, at most 0, with its gradient by the n coefficients and its
 * information: the lower half, row by row, of minus the second derivatives.
 */
extern double online_logistic_likelihood(int n, const LogisticOutcome *outcome, int noutcomes,
										 const double *coefficient, double *gradient,
										 double *information, InterruptCheck interrupt);

#endif							/* CORE_MATH_ONLINE_LOGISTIC_H */
