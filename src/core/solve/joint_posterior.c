/*
 * joint_posterior.c
 *		The joint normal distribution of all unknowns of a history, and its evidence.
 */
#include "core/solve/joint_posterior.h"

#include <math.h>
#include <stdbool.h>

#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/math/sum.h"
#include "core/math/truncated.h"
#include "core/util/extremes.h"

#define LOG_2_PI 1.8378770664093453

/* Where changes do not shrink, sites move by a part of them, of which this is the least. */
#define LEAST_STEP 0.125

/*
 * The least band that a site stands for, in deviations of the sum: a narrower one leaves so
 * little variance of the sum that rounding errors of those of the unknowns hide it.
 */
#define LEAST_BAND 1e-3

/* A sum of unknowns as all but one time of its site says it is. */
typedef struct Cavity
{
	double		mean;			/* from the offset */
	double		variance;
} Cavity;

static inline double
site_precision(const JointPosterior *joint, uint32_t i)
{
	return joint->rows.weight[joint->nfixed + i] / joint->site[i].gain;
}

void
joint_begin(JointPosterior *joint)
{
	uint32_t	i;

	for (i = 0; i < joint->rows.nrows - joint->nfixed; i++)
	{
		JointSite  *site = &joint->site[i];
		bool		observed = site->kind == JOINT_OBSERVED;

		joint->rows.weight[joint->nfixed + i] = observed ? site->gain / site->noise : 0;
		site->weighted = observed ? (site->observed - site->offset) / site->noise : 0;
	}
}

/* The means of all unknowns, by the sites as they are; returns the product of both sides. */
static double
find_means(JointPosterior *joint)
{
	const SparseRows *rows = &joint->rows;
	Sum			product = {0, 0};
	uint32_t	i;
	size_t		e;

	for (i = 0; i < rows->n; i++)
		joint->sum[i] = 0;
	for (i = joint->nfixed; i < rows->nrows; i++)
	{
		const JointSite *site = &joint->site[i - joint->nfixed];

		for (e = rows->first[i]; e < rows->first[i + 1]; e++)
			joint->sum[rows->unknown[e]] += site->gain * site->weighted *
				rows->coefficient[e];
	}
	for (i = 0; i < rows->n; i++)
		joint->mean[i] = joint->sum[i];
	sparse_solve(&joint->cholesky, joint->mean);
	for (i = 0; i < rows->n; i++)
		sum_add(&product, joint->sum[i] * joint->mean[i]);
	return sum_value(&product);
}

static double
row_mean(const JointPosterior *joint, uint32_t row)
{
	const SparseRows *rows = &joint->rows;
	double		mean = 0;
	size_t		e;

	for (e = rows->first[row]; e < rows->first[row + 1]; e++)
		mean += rows->coefficient[e] * joint->mean[rows->unknown[e]];
	return mean;
}

/* What an order makes of a sum: its site, and the logarithm of its probability. */
static double
tilt(const JointSite *site, Cavity cavity, double *precision, double *weighted)
{
	double		variance = cavity.variance + site->noise;
	double		deviation = sqrt(variance);
	double		mean = (site->offset + cavity.mean) / deviation + site->shift;
	double		margin = site->margin / deviation;
	bool		above = site->kind == JOINT_ABOVE;
	Truncation	truncation = above ? truncated_win(mean - margin) :
		truncated_draw(mean, larger(margin, LEAST_BAND));

	*precision = truncation.w / (site->noise + cavity.variance * truncation.rest);
	*weighted = *precision * cavity.mean +
		truncation.v / deviation * (1 + *precision * cavity.variance);
	return above ? normal_log_cdf(mean - margin) : normal_log_band(mean, margin);
}

/*
 * The logarithm of the integral of the cavity times the site of one time, given the sum's
 * mean and variance with it.
 */
static double
log_overlap(Cavity cavity, double mean, double variance)
{
	return (square(mean) / variance - square(cavity.mean) / cavity.variance +
			portable_log(variance / cavity.variance)) / 2;
}

/*
 * The likelihood of a number without the exponential that is its site, where the mean of
 * the sum is higher by a shift.
 */
static double
log_number(const JointSite *site, double shift)
{
	return -site->gain / 2 *
		(LOG_2_PI + portable_log(site->noise) +
		 square(site->observed - site->offset - shift) / site->noise);
}

/*
 * Look at a site: adds what it contributes to the evidence, and moves it by a share of its
 * change, of which it returns how large it is.
 */
static double
visit_site(JointPosterior *joint, uint32_t i, double step, Sum *evidence)
{
	JointSite  *site = &joint->site[i];
	uint32_t	row = joint->nfixed + i;
	double		now = site_precision(joint, i);
	double		variance,
				mean,
				precision,
				weighted,
				change;
	Cavity		cavity;

	if (site->kind == JOINT_OBSERVED && site->shift == 0)
	{
		sum_add(evidence, log_number(site, 0));
		return 0;
	}
	variance = sparse_row_variance(&joint->cholesky, row);
	mean = row_mean(joint, row);
	cavity.variance = variance / larger(1 - now * variance, 1e-12);
	cavity.mean = variance == 0 ? 0 :
		cavity.variance * (mean / variance - site->weighted);
	if (site->kind == JOINT_OBSERVED)
	{
		double		shift = site->shift * sqrt(cavity.variance + site->noise);

		sum_add(evidence, log_number(site, shift));
		weighted = (site->observed - site->offset - shift) / site->noise;
		change = fabs(weighted - site->weighted) * sqrt(variance);
		site->weighted = weighted;
		return isfinite(weighted) ? change : NAN;
	}
	sum_add(evidence, site->gain * tilt(site, cavity, &precision, &weighted));
	if (variance == 0)
		return 0;
	sum_add(evidence, -site->gain * log_overlap(cavity, mean, variance));
	change = larger(fabs(precision - now) * variance,
					fabs(weighted - site->weighted) * sqrt(variance));
	joint->rows.weight[row] = site->gain * (now + step * (precision - now));
	site->weighted += step * (weighted - site->weighted);
	return isfinite(precision) && isfinite(weighted) ? change : NAN;
}

/* Of the unknowns before anything is observed: how many are flat, and the determinant. */
static double
log_prior(const JointPosterior *joint)
{
	Sum			sum = {0, 0};
	uint32_t	i;

	for (i = 0; i < joint->nfixed; i++)
		sum_add(&sum, portable_log(joint->rows.weight[i]));
	sum_add(&sum, (joint->rows.n - joint->nfixed) * LOG_2_PI);
	return sum_value(&sum);
}

JointResult
joint_solve(JointPosterior *joint, double tolerance, int max_iterations)
{
	JointResult result = {.status = SOLVE_MAX_ITERATIONS,.change = INFINITY};
	double		prior = log_prior(joint);
	double		step = 1;

	while (result.status == SOLVE_MAX_ITERATIONS && result.iterations < max_iterations)
	{
		Sum			evidence = {0, 0};
		double		log_determinant = sparse_factor(&joint->cholesky);
		double		last = result.change;
		uint32_t	i;

		result.iterations++;
		result.change = 0;
		sum_add(&evidence, (prior - log_determinant + find_means(joint)) / 2);
		sparse_invert(&joint->cholesky);
		for (i = 0; i < joint->rows.nrows - joint->nfixed; i++)
		{
			double		change = visit_site(joint, i, step, &evidence);

			result.change = isnan(change) || change > result.change ? change : result.change;
			if (isnan(change))
				break;
		}
		result.log_evidence = sum_value(&evidence);
		if (isnan(result.change) || isnan(log_determinant))
			result.status = SOLVE_NOT_FINITE;
		else if (result.change < tolerance)
			result.status = SOLVE_CONVERGED;
		else if (result.change > last && step > LEAST_STEP)
			step /= 2;
	}
	return result;
}
