/*
 * stack.h
 *		Forecasts of several models combined into one, or those of a single model
 *		corrected, by what earlier outcomes have taught.
 *
 *		log-odds' = intercept + sum of b_k log-odds_k
 *
 * The coefficients are refitted online (online_logistic.h).  Before any outcome b_k is 1 / k
 * for k models, and the intercept 0.  It is in favour of a side, so that forecasts for both
 * of two opponents, without sides, stay complementary.  Of an outcome with several
 * alternatives the b_k multiply the logarithms of their probabilities, which then add up to
 * 1 again, and there is no intercept.
 *
 * D. H. Wolpert, Neural Networks 5 (1992), for the idea; D. R. Cox, Biometrika 45 (1958),
 * for intercept and slope of a single forecaster.
 */
#ifndef CORE_EVALUATE_STACK_H
#define CORE_EVALUATE_STACK_H

#include <stdbool.h>

#include "core/math/online_logistic.h"
#include "core/util/interrupt.h"

#define STACK_MAX_MODELS (ONLINE_LOGISTIC_MAX - 1)

/* How forecasts are combined. */
typedef struct StackRules
{
	int			models;			/* 1 .. STACK_MAX_MODELS */
	double		deviation;		/* prior deviations: of each b_k, */
	double		side_deviation; /* and of the intercept; 0: fixed */
	double		half_life_matches;	/* in units of the outcomes' weight; 0:
									 * never */
	double		half_life_days; /* 0: never */
} StackRules;

/* The coefficients are the intercept and then those of the models. */
#define STACK_COEFFICIENTS(models) ((models) + 1)
#define STACK_SIZE(models) ONLINE_LOGISTIC_SIZE(STACK_COEFFICIENTS(models))
#define STACK_MAX_SIZE STACK_SIZE(STACK_MAX_MODELS)

/* Begin with nothing learned. */
extern void stack_init(const StackRules *rules, double *state);

/*
 * Let idle seconds pass; no bit changes without half_life_days, or without time.  False if
 * the numbers are too large to compute with, here and below; then the state is as it was.
 */
extern bool stack_age(const StackRules *rules, double seconds, double *state);

/*
 * The features of a forecast: of each alternative STACK_COEFFICIENTS() numbers, into x.
 * probability has those of all alternatives (a single one: that it happens) of the first
 * model, then of the next.  side is 1, 2, or 0 for none.
 */
extern void stack_features(const StackRules *rules, const double *probability,
						   int alternatives, int side, double *x);

/*
 * The combined probabilities of the alternatives, into result.  Those of a single model
 * from which nothing was learned keep their bits.
 */
extern void stack_predict(const StackRules *rules, const double *state,
						  const double *probability, int alternatives, const double *x,
						  double *result);

/*
 * Forget as much as the weight of n outcomes of one moment says, and learn from them.  They are
 * sorted by what they are, and so give the same bits however they came.
 */
extern bool stack_learn(const StackRules *rules, LogisticOutcome *outcome, int n,
						double *state, InterruptCheck interrupt);

#endif							/* CORE_EVALUATE_STACK_H */
