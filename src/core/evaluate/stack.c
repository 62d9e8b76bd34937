/*
 * stack.c
 *		Forecasts of several models combined into one.
 *
 * A state is an array of the caller's, of STACK_SIZE() numbers, which begins with the coefficients;
 * online_logistic.h has the rest.  Nothing is allocated.  Functions that can fail change the state
 * at the end or not at all.
 */
#include "core/evaluate/stack.h"

#include <string.h>

#include "core/math/logistic.h"
#include "core/util/shell_sort.h"

#define SECONDS_PER_DAY 86400.0

/* Numbers that a LogisticPrior points at. */
typedef struct StackPrior
{
	double		mean[ONLINE_LOGISTIC_MAX];
	double		deviation[ONLINE_LOGISTIC_MAX];
} StackPrior;

/* The prior of the coefficients; it points into numbers, which must outlive it. */
static LogisticPrior
prior_of(const StackRules *rules, StackPrior *numbers)
{
	LogisticPrior prior = {STACK_COEFFICIENTS(rules->models), numbers->mean, numbers->deviation};
	int			i;

	numbers->mean[0] = 0;
	numbers->deviation[0] = rules->side_deviation;
	for (i = 1; i < prior.n; i++)
	{
		numbers->mean[i] = 1.0 / rules->models;
		numbers->deviation[i] = rules->deviation;
	}
	return prior;
}

void
stack_init(const StackRules *rules, double *state)
{
	StackPrior	numbers;
	LogisticPrior prior = prior_of(rules, &numbers);

	online_logistic_init(&prior, state);
}

bool
stack_age(const StackRules *rules, double seconds, double *state)
{
	StackPrior	numbers;
	LogisticPrior prior;

	if (rules->half_life_days == 0 || seconds == 0)
		return true;
	prior = prior_of(rules, &numbers);
	return online_logistic_forget(&prior, half_life_share(seconds / SECONDS_PER_DAY,
														  rules->half_life_days), state);
}

void
stack_features(const StackRules *rules, const double *probability, int alternatives,
			   int side, double *x)
{
	int			n = STACK_COEFFICIENTS(rules->models);
	int			i,
				j;

	/*
	 * The intercept; with several alternatives it would be the same for all.
	 */
	for (i = 0; i < alternatives; i++)
		x[i * n] = 0;
	if (alternatives == 1)
		x[0] = side == 1 ? 1 : side == 2 ? -1 : 0;
	for (j = 0; j < rules->models; j++)
		for (i = 0; i < alternatives; i++)
		{
			double		p = probability[j * alternatives + i];

			x[i * n + 1 + j] = alternatives == 1 ? bounded_log_odds(p) : bounded_log(p);
		}
}

void
stack_predict(const StackRules *rules, const double *state, const double *probability,
			  int alternatives, const double *x, double *result)
{
	LogisticOutcome outcome = {.alternatives = alternatives,.x = x};

	/* The logarithm and back would cost the last bits. */
	if (rules->models == 1 && state[1] == 1 && state[0] * x[0] == 0)
		memcpy(result, probability, alternatives * sizeof(double));
	else
		online_logistic_predict(STACK_COEFFICIENTS(rules->models), state, &outcome, result);
}

static int
compare_numbers(const double *a, const double *b, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int
compare_outcomes(const void *context, const void *p, const void *q)
{
	const StackRules *rules = (const StackRules *) context;
	const LogisticOutcome *a = (const LogisticOutcome *) p;
	const LogisticOutcome *b = (const LogisticOutcome *) q;
	int			result = a->alternatives - b->alternatives;

	if (result == 0)
		result = compare_numbers(a->x, b->x,
								 a->alternatives * STACK_COEFFICIENTS(rules->models));
	if (result == 0)
		result = compare_numbers(a->y, b->y, a->alternatives);
	return result != 0 ? result : compare_numbers(&a->weight, &b->weight, 1);
}

bool
stack_learn(const StackRules *rules, LogisticOutcome *outcome, int n, double *state,
			InterruptCheck interrupt)
{
	LogisticOutcome spare;
	StackPrior	numbers;
	LogisticPrior prior = prior_of(rules, &numbers);
	double		learned[STACK_MAX_SIZE];
	double		weight = 0;
	int			i;

	shell_sort(outcome, n, sizeof(LogisticOutcome), &spare, compare_outcomes, rules);
	for (i = 0; i < n; i++)
		weight += outcome[i].weight;
	if (weight == 0)
		return true;

	/* A copy, so that a failure leaves the state as it was. */
	memcpy(learned, state, STACK_SIZE(rules->models) * sizeof(double));
	if (rules->half_life_matches > 0 &&
		!online_logistic_forget(&prior, half_life_share(weight, rules->half_life_matches),
								learned))
		return false;
	if (!online_logistic_learn(&prior, outcome, n, learned, interrupt))
		return false;
	memcpy(state, learned, STACK_SIZE(rules->models) * sizeof(double));
	return true;
}
