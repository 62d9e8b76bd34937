/*
 * online_logistic.c
 *		Logistic regression that is refitted with every outcome and forgets old ones.
 *
 * Newton's steps and forgetting work in units of the prior deviations, where the prior
 * has the identity as its information.  So a coefficient of deviation 0 needs no case of
 * its own, and no matrix is worse conditioned than the features make it.
 */
#include "core/math/online_logistic.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/math/cholesky.h"
#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/math/score.h"
#include "core/util/extremes.h"

/* After how many alternatives there may be an interrupt. */
#define ALTERNATIVES_BETWEEN_CHECKS 1000

#define MAX_NEWTON_STEPS 100

/*
 * A step that gains less than this is the last: steps converge quadratically, so that
 * what remains is below rounding.
 */
#define LAST_GAIN 1e-12

/*
 * A step must bring this share of what the gradient promises.  Where all outcomes are all
 * but certain there is hardly any curvature, and steps are far too long: what is left of
 * one with half of that gain does not leap across the mode to as far behind it.
 */
#define SUFFICIENT_GAIN 0.25

/* What rounding may take from a sum of many terms, as a share of it. */
#define ROUNDING 1e-13

#define MAX_MATRIX (ONLINE_LOGISTIC_MAX * ONLINE_LOGISTIC_MAX)
#define MAX_HALF (ONLINE_LOGISTIC_MAX * (ONLINE_LOGISTIC_MAX + 1) / 2)

void
online_logistic_init(const LogisticPrior *prior, double *state)
{
	int			i;

	for (i = 0; i < ONLINE_LOGISTIC_SIZE(prior->n); i++)
		state[i] = i < prior->n ? prior->mean[i] : 0;
}

double
online_logistic_value(int n, const double *state, const double *x)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += state[i] * x[i];
	return sum;
}

/* The largest linear form of the alternatives. */
static double
largest_value(int n, const double *coefficient, const LogisticOutcome *outcome)
{
	double		best = online_logistic_value(n, coefficient, outcome->x);
	int			i;

	for (i = 1; i < outcome->alternatives; i++)
		best = larger(best, online_logistic_value(n, coefficient, outcome->x + i * n));
	return best;
}

/* Add factor times the lower half of the product of a vector with itself. */
static void
add_product(int n, const double *x, double factor, double *half)
{
	int			i,
				j;

	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++)
			*half++ += factor * x[i] * x[j];
}

/* The log likelihood of something that happens or not, with its derivatives added up. */
static double
single_likelihood(int n, const LogisticOutcome *outcome, const double *coefficient,
				  double *gradient, double *information)
{
	double		value = online_logistic_value(n, coefficient, outcome->x);
	double		p = logistic(value);
	int			i;

	for (i = 0; i < n; i++)
		gradient[i] += outcome->weight * (outcome->y[0] - p) * outcome->x[i];
	add_product(n, outcome->x, outcome->weight * p * logistic(-value), information);
	return -outcome->weight * logit_log_loss(value, outcome->y[0]);
}

/*
 * The same of several alternatives.  The information is the covariance of the features
 * under the forecast.
 */
static double
choice_likelihood(int n, const LogisticOutcome *outcome, const double *coefficient,
				  double *gradient, double *information)
{
	double		best = largest_value(n, coefficient, outcome);
	double		mean[ONLINE_LOGISTIC_MAX] = {0};
	double		total = 0;
	double		happened = 0;
	int			i,
				j;

	for (i = 0; i < outcome->alternatives; i++)
	{
		const double *x = outcome->x + i * n;
		double		above = online_logistic_value(n, coefficient, x) - best;
		double		e = portable_exp(above);

		total += e;
		for (j = 0; j < n; j++)
			mean[j] += e * x[j];
		happened += outcome->y[i] * above;
	}
	for (j = 0; j < n; j++)
		mean[j] /= total;
	for (i = 0; i < outcome->alternatives; i++)
	{
		const double *x = outcome->x + i * n;
		double		p = portable_exp(online_logistic_value(n, coefficient, x) - best) / total;
		double		difference[ONLINE_LOGISTIC_MAX];

		for (j = 0; j < n; j++)
		{
			difference[j] = x[j] - mean[j];
			gradient[j] += outcome->weight * outcome->y[i] * difference[j];
		}
		add_product(n, difference, outcome->weight * p, information);
	}
	return outcome->weight * (happened - portable_log(total));
}

double
online_logistic_likelihood(int n, const LogisticOutcome *outcome, int noutcomes,
						   const double *coefficient, double *gradient,
						   double *information, InterruptCheck interrupt)
{
	double		sum = 0;
	int			unchecked = 0;
	int			i;

	memset(gradient, 0, n * sizeof(double));
	memset(information, 0, n * (n + 1) / 2 * sizeof(double));
	for (i = 0; i < noutcomes; i++)
	{
		unchecked += outcome[i].alternatives;
		if (interrupt != NULL && unchecked >= ALTERNATIVES_BETWEEN_CHECKS)
		{
			interrupt();
			unchecked = 0;
		}
		if (outcome[i].weight == 0)
			continue;
		sum += outcome[i].alternatives == 1 ?
			single_likelihood(n, &outcome[i], coefficient, gradient, information) :
			choice_likelihood(n, &outcome[i], coefficient, gradient, information);
	}
	return sum;
}

void
online_logistic_predict(int n, const double *state, const LogisticOutcome *outcome,
						double *probability)
{
	double		best;
	double		total = 0;
	int			i;

	if (outcome->alternatives == 1)
	{
		probability[0] = logistic(online_logistic_value(n, state, outcome->x));
		return;
	}
	best = largest_value(n, state, outcome);
	for (i = 0; i < outcome->alternatives; i++)
	{
		probability[i] = portable_exp(online_logistic_value(n, state, outcome->x + i * n) - best);
		total += probability[i];
	}
	for (i = 0; i < outcome->alternatives; i++)
		probability[i] /= total;
}

/*
 * The information in units of the prior deviations, share times that of the outcomes and
 * the prior's own, as the lower half of a matrix.
 */
static void
whole_information(const LogisticPrior *prior, const double *half, double share, double *matrix)
{
	int			i,
				j;

	for (i = 0; i < prior->n; i++)
		for (j = 0; j <= i; j++)
			matrix[i * prior->n + j] = share * *half++ * prior->deviation[i] *
				prior->deviation[j] + (i == j);
}

static bool
all_finite(const double *x, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

bool
online_logistic_forget(const LogisticPrior *prior, double share, double *state)
{
	int			n = prior->n;
	double		matrix[MAX_MATRIX];
	double		step[ONLINE_LOGISTIC_MAX];
	int			i;

	if (share == 1)
		return true;

	/*
	 * What moves the coefficients back: (I + share J)^-1 of their distance
	 * from the prior.
	 */
	whole_information(prior, state + n, share, matrix);
	for (i = 0; i < n; i++)
		step[i] = prior->deviation[i] > 0 ? (state[i] - prior->mean[i]) / prior->deviation[i] : 0;
	if (cholesky_factor(matrix, n, 0) >= 0)
		return false;
	cholesky_solve(matrix, n, step);
	if (!all_finite(step, n))
		return false;
	for (i = 0; i < n; i++)
		state[i] -= (1 - share) * prior->deviation[i] * step[i];
	for (i = n; i < ONLINE_LOGISTIC_SIZE(n); i++)
		state[i] *= share;
	return true;
}

/* What is fitted: the outcomes of a moment, and what was known when it began. */
typedef struct Moment
{
	const LogisticPrior *prior;
	const LogisticOutcome *outcome;
	int			noutcomes;
	const double *state;
	InterruptCheck interrupt;
	double		information[MAX_MATRIX];	/* with the prior, in its units */
} Moment;

/* Where Newton's method is. */
typedef struct Position
{
	double		moved[ONLINE_LOGISTIC_MAX]; /* in units of the prior
											 * deviations */
	double		value;			/* of the log posterior there */
	double		gradient[ONLINE_LOGISTIC_MAX];	/* in the same units */
	double		coefficient[ONLINE_LOGISTIC_MAX];
	double		information[MAX_HALF];	/* of the outcomes there */
} Position;

/* Look at the posterior a step from a position: share of it is taken. */
static void
newton_look(const Moment *moment, const Position *from, const double *step, double share,
			Position *to)
{
	const LogisticPrior *prior = moment->prior;
	int			n = prior->n;
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		to->moved[i] = from->moved[i] + share * step[i];
		to->coefficient[i] = moment->state[i] + prior->deviation[i] * to->moved[i];
	}
	to->value = online_logistic_likelihood(n, moment->outcome, moment->noutcomes,
										   to->coefficient, to->gradient, to->information,
										   moment->interrupt);
	for (i = 0; i < n; i++)
	{
		double		pull = 0;

		for (j = 0; j < n; j++)
			pull += moment->information[i >= j ? i * n + j : j * n + i] * to->moved[j];
		to->value -= pull * to->moved[i] / 2;
		to->gradient[i] = prior->deviation[i] * to->gradient[i] - pull;
	}
}

/* Newton's step from there, and what it should gain twice over; false if there is none. */
static bool
newton_step(const Moment *moment, const Position *at, double *step, double *gain)
{
	const LogisticPrior *prior = moment->prior;
	const double *half = at->information;
	int			n = prior->n;
	double		matrix[MAX_MATRIX];
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		for (j = 0; j <= i; j++)
			matrix[i * n + j] = moment->information[i * n + j] +
				*half++ * prior->deviation[i] * prior->deviation[j];
		step[i] = at->gradient[i];
	}
	if (cholesky_factor(matrix, n, 0) >= 0)
		return false;
	cholesky_solve(matrix, n, step);
	*gain = 0;
	for (i = 0; i < n; i++)
		*gain += step[i] * at->gradient[i];
	return isfinite(*gain) && all_finite(step, n);
}

bool
online_logistic_learn(const LogisticPrior *prior, const LogisticOutcome *outcome, int n,
					  double *state, InterruptCheck interrupt)
{
	int			size = ONLINE_LOGISTIC_SIZE(prior->n);
	double		after[ONLINE_LOGISTIC_SIZE(ONLINE_LOGISTIC_MAX)];
	double		step[ONLINE_LOGISTIC_MAX] = {0};
	double		gain = INFINITY;
	bool		last = false;
	Moment		moment;
	Position	position[2];	/* not cleared, as they are large */
	Position   *at = &position[0];
	Position   *next = &position[1];
	int			steps;
	int			i;

	moment.prior = prior;
	moment.outcome = outcome;
	moment.noutcomes = n;
	moment.state = state;
	moment.interrupt = interrupt;
	whole_information(prior, state + prior->n, 1, moment.information);
	memset(at->moved, 0, sizeof(at->moved));
	newton_look(&moment, at, step, 0, at);
	for (steps = 0; steps < MAX_NEWTON_STEPS && !last; steps++)
	{
		Position   *swap = at;
		double		noise = ROUNDING * fabs(at->value);
		double		last_gain = gain;
		double		share = 1;

		if (!newton_step(&moment, at, step, &gain))
			return false;
		newton_look(&moment, at, step, share, next);

		/*
		 * The posterior is concave: a step that is short enough gains, but
		 * for rounding.
		 */
		while (!(next->value >= at->value + SUFFICIENT_GAIN * share * gain - noise))
		{
			share /= 2;
			if (share < DBL_MIN)
				return false;
			newton_look(&moment, at, step, share, next);
		}
		at = next;
		next = swap;
		last = gain <= LAST_GAIN || (gain <= noise && gain >= last_gain);
	}
	if (!last)
		return false;
	for (i = 0; i < size; i++)
		after[i] = i < prior->n ? at->coefficient[i] :
			state[i] + at->information[i - prior->n];
	if (!all_finite(after, size))
		return false;
	memcpy(state, after, size * sizeof(double));
	return true;
}
