/*
 * normal.c
 *		The normal distribution function, also far out in its tails.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/math/normal.h"
#include "core/math/elementary.h"
#include "core/math/quadrature.h"
#include "core/math/square.h"
#include "core/util/extremes.h"

#define SQRT_HALF		0.70710678118654752440
#define LN_SQRT_2PI		0.91893853320467274178

/* Beyond so many deviations nothing is left that counts. */
#define REACH			8.5

double
normal_density(double x)
{
	return portable_exp(-0.5 * x * x - LN_SQRT_2PI);
}

double
normal_cdf(double x)
{
	return 0.5 * portable_erfc(-x * SQRT_HALF);
}

double
normal_band(double mean, double margin)
{
	return normal_cdf(margin - fabs(mean)) - normal_cdf(-margin - fabs(mean));
}

double
normal_log_cdf(double x)
{
	double		x2,
				fraction;
	int			k;

	if (x > -10)
		return x > 0 ? portable_log1p(-normal_cdf(-x)) : portable_log(normal_cdf(x));

	/*
	 * Mills' ratio as Laplace's continued fraction, x + 1/(x + 2/(x + ...)),
	 * which has converged after 40 terms from |x| = 10 on.
	 */
	x = -x;
	x2 = x * x;
	if (isinf(x2))
		return -x2;
	fraction = x;
	for (k = 40; k > 0; k--)
		fraction = x + k / fraction;
	return -0.5 * x2 - LN_SQRT_2PI - portable_log(fraction);
}

double
normal_log_band(double t, double e)
{
	double		outer = -fabs(t) - e;
	double		inner = e - fabs(t);
	double		whole = normal_log_cdf(inner);

	/* A narrow band is its density times its width. */
	if (e == 0)
		return -INFINITY;
	if (e * (1 + fabs(t)) < 1e-5)
		return portable_log(2 * e / sqrt(2 * M_PI)) - 0.5 * square(t);
	if (inner > -5)
		return portable_log(normal_cdf(inner) - normal_cdf(outer));
	return whole + portable_log(-portable_expm1(normal_log_cdf(outer) - whole));
}

/*
 * Newton's method for ln Phi(x) = ln p, in the lower half by symmetry.  Ln Phi
 * is concave, so that from the first step on the iterates rise to the root.
 */
double
normal_quantile(double p)
{
	double		x;
	double		ln_p;
	int			i;

	if (p > 0.5)
		return -normal_quantile(1 - p);
	if (p == 0)
		return -INFINITY;

	ln_p = portable_log(p);
	x = -sqrt(larger(-2 * ln_p - 1.4, 0));
	for (i = 0; i < 50; i++)
	{
		double		ln_cdf = normal_log_cdf(x);
		double		step = (ln_p - ln_cdf) *
			portable_exp(ln_cdf + 0.5 * x * x + LN_SQRT_2PI);

		x += step;
		if (fabs(step) <= 1e-15 * fabs(x) + DBL_MIN)
			break;
	}
	return x;
}

/* What the integrands over the value of variable i know. */
typedef struct Places
{
	const double *mean;
	const double *deviation;
	const double *margin;		/* NULL: none */
	int			n;
	int			i;
	bool		only_win;		/* leave out the places */
	InterruptCheck check;
} Places;

/*
 * At a value of i, in its deviations from the mean, the density times the
 * probability to beat all others and, behind it, that of each place: the
 * number of others above is a sum of independent Bernoulli variables, whose
 * distribution grows by one of them at a time.
 */
static void
places_at(void *argument, double z, double *value)
{
	const Places *p = argument;
	double		x = p->mean[p->i] + p->deviation[p->i] * z;
	double		density = normal_density(z);
	double	   *place = value + 1;
	int			j,
				k,
				others = 0;

	if (p->check != NULL)
		p->check();
	value[0] = density;
	if (!p->only_win)
		place[0] = density;
	for (j = 0; j < p->n; j++)
	{
		double		margin = p->margin ? p->margin[j] : 0;
		double		above;

		if (j == p->i)
			continue;
		value[0] *= normal_cdf((x - p->mean[j] - margin) / p->deviation[j]);
		if (p->only_win)
			continue;
		above = normal_cdf((p->mean[j] - x - margin) / p->deviation[j]);
		others++;
		place[others] = place[others - 1] * above;
		for (k = others - 1; k > 0; k--)
			place[k] = place[k] * (1 - above) + place[k - 1] * above;
		place[0] *= 1 - above;
	}
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/*
 * Integrates places_at().  Another variable makes a step there, or two with a
 * margin, as wide as its deviation is to that of i; a step that is narrow gets
 * a piece of its own.  False if the integrals are not exact.
 */
static bool
integrate_places(Places *p, double *result, double *work)
{
	const int	pieces = 8;
	double		reach = REACH;
	double	   *end = work + 4 * (p->n + 1);
	int			nends = 0;
	int			j,
				k;

	for (j = 0; j <= pieces; j++)
		end[nends++] = reach * (2.0 * j / pieces - 1);
	for (j = 0; j < p->n; j++)
	{
		double		width = p->deviation[j] / p->deviation[p->i];
		double		margin = p->margin ? p->margin[j] : 0;
		int			steps = margin > 0 && !p->only_win ? 2 : 1;

		if (j == p->i || width > 0.25)
			continue;
		for (k = 0; k < steps; k++)
		{
			double		step = (p->mean[j] - p->mean[p->i] +
								(k == 0 ? margin : -margin)) /
				p->deviation[p->i];

			if (step - reach * width > -reach && step - reach * width < reach)
				end[nends++] = step - reach * width;
			if (step + reach * width > -reach && step + reach * width < reach)
				end[nends++] = step + reach * width;
		}
	}
	qsort(end, nends, sizeof(double), compare_doubles);
	return integrate(places_at, p, p->only_win ? 1 : p->n + 1, end, nends, 1e-10,
					 result, work);
}

double
normal_places(const double *mean, const double *deviation,
			  const double *margin, int n, int i, double *place, double *work,
			  InterruptCheck check)
{
	Places		p = {mean, deviation, margin, n, i, false, check};
	double	   *result = work + 3 * (n + 1);
	bool		sound = integrate_places(&p, result, work);
	int			k;

	for (k = 0; k < n; k++)
		place[k] = sound ? result[k + 1] : NAN;
	return sound ? result[0] : NAN;
}

/* Variables in an array of structures, or with a stride of 1 in arrays of numbers. */
typedef struct NormalVariables
{
	const double *mean;
	const double *deviation;
	double	   *best;
	double	   *cdf;			/* two numbers to work in */
	double	   *others;
	int			n;
	int			stride;
	double		least;			/* of the deviations; smaller ones count as
								 * that */
	double		most;
	InterruptCheck check;
} NormalVariables;

/*
 * Find the extremes of the deviations, and clear the results.  Returns whether
 * integrals can be taken.
 */
static bool
begin_best_of(NormalVariables *v)
{
	bool		sound = true;
	int			i;

	v->least = v->most = v->deviation[0];
	for (i = 0; i < v->n * v->stride; i += v->stride)
	{
		double		deviation = v->deviation[i];

		v->least = smaller(v->least, deviation);
		v->most = larger(v->most, deviation);
		v->best[i] = 0;
		sound = sound && deviation > 0 && isfinite(deviation) && isfinite(v->mean[i]);
	}
	return sound;
}

/*
 * What the rules leave out, and the factors all terms share, cancel.  What no
 * integral can be taken of is no probability.
 */
static void
end_best_of(const NormalVariables *v, bool sound)
{
	double		total = sound ? 0 : NAN;
	int			i;

	for (i = 0; i < v->n * v->stride; i += v->stride)
		total += v->best[i];
	for (i = 0; i < v->n * v->stride; i += v->stride)
		v->best[i] /= total;
}

/*
 * Add to the results what variables contribute at x as seen from origin: the
 * density of each times the product of all other distribution functions.
 */
static void
add_best_at(const NormalVariables *v, double origin, double x)
{
	double		product = 1;
	int			i;

	/*
	 * The products of all before i, and then of all behind.  Where hardly any
	 * value of all lies, there is nothing to add.
	 */
	for (i = 0; i < v->n * v->stride; i += v->stride)
	{
		v->cdf[i] = normal_cdf((x + (origin - v->mean[i])) /
							   larger(v->deviation[i], v->least));
		v->others[i] = product;
		product *= v->cdf[i];
		if (product < 1e-250)
			return;
	}
	product = 1;
	for (i = (v->n - 1) * v->stride; i >= 0; i -= v->stride)
	{
		double		deviation = larger(v->deviation[i], v->least);
		double		z = (x + (origin - v->mean[i])) / deviation;

		v->best[i] += v->others[i] * product * portable_exp(-0.5 * z * z) / deviation;
		product *= v->cdf[i];
	}
}

/*
 * Variable i is the largest at x with its density times the product of all other
 * distribution functions.  These integrands are analytic and fall off like a
 * Gaussian, for which the trapezoidal rule converges geometrically: a quarter of
 * the least deviation as the step is enough for a few variables and an eighth
 * for the steep product of many, from nine deviations below the largest mean,
 * where hardly ever all values lie, to nine above all.  Returns false where the
 * numbers are too large for all this.
 */
static bool
best_of_by_trapezoids(const NormalVariables *v)
{
	const double reach = 9.0;
	double		origin = v->mean[0];
	double		low = -INFINITY;
	double		high = -INFINITY;
	double		step = (v->n <= 16 ? 0.25 : 0.125) * v->least;
	int			steps,
				s,
				i;

	/* From the largest mean, so that no digits are lost where it is huge. */
	for (i = 0; i < v->n * v->stride; i += v->stride)
		origin = larger(origin, v->mean[i]);
	for (i = 0; i < v->n * v->stride; i += v->stride)
	{
		double		deviation = larger(v->deviation[i], v->least);

		low = larger(low, v->mean[i] - origin - reach * deviation);
		high = larger(high, v->mean[i] - origin + reach * deviation);
	}

	/* Else there are some thousand steps at most. */
	if (!((high - low) / step < 1e6))
		return false;
	steps = (int) ((high - low) / step);
	for (s = 0; s <= steps; s++)
	{
		if (v->check != NULL)
			v->check();
		add_best_at(v, origin, low + s * step);
	}
	return true;
}

void
normal_best_of(const double *mean, const double *deviation, int n,
			   double *best, double *work, InterruptCheck check)
{
	NormalVariables v = {mean, deviation, best, work, work + n, n, 1, 0, 0, check};
	bool		sound = begin_best_of(&v);
	int			i;

	if (sound && v.most <= 8 * v.least)
		sound = best_of_by_trapezoids(&v);
	else if (sound)
		for (i = 0; i < n; i++)
		{
			Places		p = {mean, deviation, NULL, n, i, true, check};

			sound = integrate_places(&p, &best[i], work) && sound;
		}
	end_best_of(&v, sound);
}

void
normal_best_of_strided(const double *mean, const double *deviation, int n,
					   int stride, double *best, double *work, InterruptCheck check)
{
	NormalVariables v = {mean, deviation, best, work, work + 1, n, stride, 0, 0, check};
	bool		sound = begin_best_of(&v);

	v.least = larger(v.least, v.most / 100);
	end_best_of(&v, sound && best_of_by_trapezoids(&v));
}
