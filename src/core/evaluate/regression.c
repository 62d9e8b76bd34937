/*
 * regression.c
 *		Linear regression on several features from sums that can be merged.
 *
 * Means and products of deviations are updated row by row (Welford) and merged
 * pairwise (Chan, Golub and LeVeque, 1979), so that large offsets of the
 * features cost no digits.
 */
#include "core/evaluate/regression.h"

#include <math.h>

#include "core/math/cholesky.h"
#include "core/util/extremes.h"

static int
features_of(const double *state)
{
	return (int) state[REGRESSION_FEATURES];
}

static double *
means_of(double *state)
{
	return state + REGRESSION_MEANS;
}

/* The sum of products of variables i >= j, where y is variable 0. */
static double *
product_of(double *state, int i, int j)
{
	return state + REGRESSION_MEANS + features_of(state) + 1 +
		i * (i + 1) / 2 + j;
}

bool
regression_is_state(const double *state, int n)
{
	return n >= REGRESSION_MEANS &&
		state[REGRESSION_FEATURES] >= 1 &&
		state[REGRESSION_FEATURES] <= REGRESSION_MAX_FEATURES &&
		n == REGRESSION_STATE_SIZE((int) state[REGRESSION_FEATURES]);
}

void
regression_begin(double *state, int features, double ridge)
{
	int			i;

	for (i = 0; i < REGRESSION_STATE_SIZE(features); i++)
		state[i] = 0;
	state[REGRESSION_FEATURES] = features;
	state[REGRESSION_RIDGE] = ridge;
}

void
regression_add(double *state, double y, const double *x, double weight)
{
	int			n = features_of(state) + 1;
	double	   *mean = means_of(state);
	double		total = state[REGRESSION_WEIGHT] + weight;
	double		share = weight / total;
	double		factor = state[REGRESSION_WEIGHT] * share;
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		/* From the old means, for all products, before any mean moves. */
		double		difference = (i == 0 ? y : x[i - 1]) - mean[i];

		for (j = 0; j <= i; j++)
			*product_of(state, i, j) += factor * difference *
				((j == 0 ? y : x[j - 1]) - mean[j]);
	}
	for (i = 0; i < n; i++)
		mean[i] += share * ((i == 0 ? y : x[i - 1]) - mean[i]);
	state[REGRESSION_COUNT] += 1;
	state[REGRESSION_WEIGHT] = total;
}

void
regression_merge(double *state, const double *other)
{
	int			n = features_of(state) + 1;
	double	   *mean = means_of(state);
	double	   *other_mean = means_of((double *) other);
	double		total = state[REGRESSION_WEIGHT] + other[REGRESSION_WEIGHT];
	double		share = other[REGRESSION_WEIGHT] / total;
	double		factor = state[REGRESSION_WEIGHT] * share;
	int			i,
				j;

	if (other[REGRESSION_COUNT] == 0)
		return;
	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++)
			*product_of(state, i, j) += *product_of((double *) other, i, j) +
				factor * (other_mean[i] - mean[i]) * (other_mean[j] - mean[j]);
	for (i = 0; i < n; i++)
		mean[i] += share * (other_mean[i] - mean[i]);
	state[REGRESSION_COUNT] += other[REGRESSION_COUNT];
	state[REGRESSION_WEIGHT] = total;
}

int
regression_solve(const double *const_state, double *coefficient,
				 Regression *fit, double *work)
{
	double	   *state = (double *) const_state;
	int			n = features_of(state);
	double	   *mean = means_of(state);
	double		total = *product_of(state, 0, 0);
	double		explained = 0;
	double		residual;
	double		freedom = state[REGRESSION_COUNT] - n - 1;
	int			bad;
	int			i,
				j;

	/* Squares overflow from 1.3e154 on, and comparisons say nothing of NaN. */
	for (i = REGRESSION_WEIGHT; i < REGRESSION_STATE_SIZE(n); i++)
		if (!isfinite(state[i]))
			return REGRESSION_OVERFLOW;

	/* Correlations, so that the units of the features do not matter. */
	for (i = 0; i < n; i++)
	{
		double		deviation_i = sqrt(*product_of(state, i + 1, i + 1));

		/* A constant feature has no correlation. */
		if (!(deviation_i > 0))
			return i;
		for (j = 0; j <= i; j++)
			work[i * n + j] = *product_of(state, i + 1, j + 1) / deviation_i /
				sqrt(*product_of(state, j + 1, j + 1));
		work[i * n + i] += state[REGRESSION_RIDGE];
		coefficient[i] = *product_of(state, i + 1, 0) / deviation_i;
	}
	bad = cholesky_factor(work, n, 1e-12);
	if (bad >= 0)
		return bad;
	cholesky_solve(work, n, coefficient);

	fit->intercept = mean[0];
	for (i = 0; i < n; i++)
	{
		coefficient[i] /= sqrt(*product_of(state, i + 1, i + 1));
		fit->intercept -= coefficient[i] * mean[i + 1];
	}

	/* The sum of squared residuals, from the products alone. */
	for (i = 0; i < n; i++)
	{
		double		slope = 0;

		for (j = 0; j < n; j++)
			slope += coefficient[j] * (i >= j ? *product_of(state, i + 1, j + 1) :
									   *product_of(state, j + 1, i + 1));
		explained += coefficient[i] * (2 * *product_of(state, i + 1, 0) - slope);
	}
	for (i = 0; i < n; i++)
		if (!isfinite(coefficient[i]))
			return REGRESSION_OVERFLOW;
	if (!isfinite(fit->intercept) || !isfinite(explained))
		return REGRESSION_OVERFLOW;
	residual = larger(total - explained, 0);
	fit->r_squared = total > 0 ? 1 - residual / total : NAN;

	/* Weights count as they are relative to their mean. */
	fit->residual_deviation = freedom > 0 ?
		sqrt(residual / state[REGRESSION_WEIGHT] *
			 (state[REGRESSION_COUNT] / freedom)) : NAN;
	return REGRESSION_SOLVED;
}
