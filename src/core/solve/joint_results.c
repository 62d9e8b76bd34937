/*
 * joint_results.c
 *		The probability of results that depend on one another.
 */
#include "core/solve/joint_results.h"

#include <math.h>
#include <stddef.h>

#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/normal_order.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/util/extremes.h"

/* The approximation has converged when no precision changes by more, as a share. */
#define TOLERANCE 1e-11
#define MAX_PASSES 1000

/* What stands for a result: exp(weighted e - precision e^2 / 2), with e from the mean. */
typedef struct Site
{
	double		precision;
	double		weighted;
} Site;

/* The approximation: deviations from the means, and the covariances in the results. */
typedef struct Approximation
{
	JointResults *results;
	Site		site[MAX_JOINT_RESULTS];
	double		offset[MAX_JOINT_RESULTS];	/* the means of deviations */
	double		log_determinant;	/* of 1 + covariances times precisions */
} Approximation;

/* A result given all others: what is left of the approximation without its site. */
static Site
cavity_of(const Approximation *a, int i)
{
	double		variance = a->results->covariance[i][i];

	return (Site)
	{
		1 / variance - a->site[i].precision,
			a->offset[i] / variance - a->site[i].weighted
	};
}

/* What the result itself makes of the difference, which has this mean and deviation. */
static Truncation
truncated(const JointResults *r, int i, double mean, double deviation)
{
	Truncation	truncation;

	if (r->outcome[i] == 0)
		return truncated_draw(mean / deviation, r->margin[i] / deviation);
	truncation = truncated_win((r->outcome[i] * mean - r->margin[i]) / deviation);
	truncation.v *= r->outcome[i];
	return truncation;
}

static double
log_probability_of_one(const JointResults *r, int i, double mean, double deviation)
{
	if (r->outcome[i] == 0)
		return normal_log_band(mean / deviation, r->margin[i] / deviation);
	return normal_log_cdf((r->outcome[i] * mean - r->margin[i]) / deviation);
}

/* Take a result in anew; returns by how much its site has changed, as a share. */
static double
update_site(Approximation *a, int i)
{
	JointResults *r = a->results;
	Site		cavity = cavity_of(a, i);
	double		deviation = 1 / sqrt(cavity.precision);
	double		mean = cavity.weighted / cavity.precision;
	Truncation	truncation = truncated(r, i, r->mean[i] + mean, deviation);
	double		precision = cavity.precision / truncation.rest;
	double		variance = r->covariance[i][i];
	double		more = larger(precision - cavity.precision, 0) - a->site[i].precision;
	double		weighted = precision * (mean + deviation * truncation.v) -
		cavity.weighted - a->site[i].weighted;
	double		share = 1 / (1 + more * variance);
	double		pull = share * (weighted - more * a->offset[i]);
	double		column[MAX_JOINT_RESULTS];
	int			j,
				k;

	for (j = 0; j < r->n; j++)
		column[j] = r->covariance[j][i];
	for (j = 0; j < r->n; j++)
	{
		a->offset[j] += column[j] * pull;
		for (k = 0; k < r->n; k++)
			r->covariance[j][k] -= more * share * column[j] * column[k];
	}
	a->site[i].precision += more;
	a->site[i].weighted += weighted;
	a->log_determinant += portable_log(1 + more * variance);
	return larger(fabs(more) * variance, fabs(pull) * sqrt(variance));
}

/* The logarithm of the integral of a normal density of this precision times a site. */
static double
log_overlap(Site density, Site site)
{
	double		both = density.precision + site.precision;

	return (square(density.weighted + site.weighted) / both -
			square(density.weighted) / density.precision -
			portable_log(both / density.precision)) / 2;
}

double
joint_log_probability(JointResults *results, InterruptCheck check)
{
	Approximation a = {.results = results};
	double		change = INFINITY;
	double		sum = 0;
	int			pass;
	int			i;

	for (pass = 0; pass < MAX_PASSES && change > TOLERANCE; pass++)
	{
		if (check != NULL)
			check();
		change = 0;
		for (i = 0; i < results->n; i++)
			change = larger(change, update_site(&a, i));
	}
	for (i = 0; i < results->n; i++)
	{
		Site		cavity = cavity_of(&a, i);

		sum += a.site[i].weighted * a.offset[i] / 2 - log_overlap(cavity, a.site[i]) +
			log_probability_of_one(results, i,
								   results->mean[i] + cavity.weighted / cavity.precision,
								   1 / sqrt(cavity.precision));
	}
	return sum - a.log_determinant / 2;
}
