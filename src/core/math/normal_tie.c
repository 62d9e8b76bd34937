/*
 * normal_tie.c
 *		What a tie of several teams says about each of them.
 */
#include "core/math/normal_tie.h"

#include <math.h>
#include <stdbool.h>

#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/util/extremes.h"

/* The least margin, in deviations, as that of truncated_draw(). */
#define LEAST_MARGIN 2e-15

/*
 * The level is looked at where the logarithm of its density is at most about so much below
 * that of the mode: what is left out is less than rounding.
 */
#define DEPTH 40

/*
 * Beyond this size of the logarithm its differences are lost in rounding.  So far out
 * every factor is next to a normal density, and so is their product.
 */
#define TOO_DEEP 1e9

static inline double
relative_margin(const TiedNormal *tied)
{
	return larger(tied->margin / tied->deviation, LEAST_MARGIN);
}

/* How many teams from this one on are equal to it. */
static int
equals(const TiedNormal *tied, int n)
{
	int			i = 1;

	while (i < n && tied[i].mean == tied->mean && tied[i].deviation == tied->deviation &&
		   tied[i].margin == tied->margin)
		i++;
	return i;
}

double
normal_tie_log_probability(const TiedNormal *tied, int n, double level)
{
	double		sum = 0;
	int			i,
				count;

	for (i = 0; i < n; i += count)
	{
		count = equals(&tied[i], n - i);
		sum += count * normal_log_band((tied[i].mean - level) / tied[i].deviation,
									   relative_margin(&tied[i]));
	}
	return sum;
}

/* What others prefer for the level; 0 if nothing. */
static inline double
preferred(Message others)
{
	return others.precision > 0 ? others.shift / others.precision : 0;
}

/* The logarithm of the level's density, up to a constant. */
static double
log_density(const TiedNormal *tied, int n, Message others, double level)
{
	return normal_tie_log_probability(tied, n, level) -
		0.5 * others.precision * square(level - preferred(others));
}

/* Its slope, and the curvature with the opposite sign. */
static void
slopes(const TiedNormal *tied, int n, Message others, double level,
	   double *slope, double *curvature)
{
	int			i,
				count;

	*slope = others.precision * (preferred(others) - level);
	*curvature = others.precision;
	for (i = 0; i < n; i += count)
	{
		double		s = tied[i].deviation;
		Truncation	truncation = truncated_draw((tied[i].mean - level) / s,
												relative_margin(&tied[i]));

		count = equals(&tied[i], n - i);
		*slope -= count * (truncation.v / s);
		*curvature += count * (truncation.w / square(s));
	}
}

/*
 * The mode, by Newton's steps within a bracket that is halved where they leave it: the slope
 * falls from the lowest to the highest of what each factor prefers.
 */
static double
find_mode(const TiedNormal *tied, int n, Message others, double *curvature)
{
	const int	max_steps = 200;
	double		low = tied[0].mean;
	double		high = tied[0].mean;
	double		level;
	double		slope;
	int			i;

	for (i = 1; i < n; i++)
	{
		low = smaller(low, tied[i].mean);
		high = larger(high, tied[i].mean);
	}
	if (others.precision > 0)
	{
		low = smaller(low, preferred(others));
		high = larger(high, preferred(others));
	}
	level = low + (high - low) / 2;
	for (i = 0; i < max_steps; i++)
	{
		double		next;

		slopes(tied, n, others, level, &slope, curvature);
		if (slope > 0)
			low = level;
		else
			high = level;
		next = level + slope / *curvature;

		/* A tenth of a deviation is close enough to look around. */
		if (square(slope) < 0.01 * *curvature || !(high > low))
			break;
		if (!(next > low && next < high) || i % 4 == 3)
			next = low + (high - low) / 2;
		if (next == level)
			break;
		level = next;
	}
	return level;
}

/* How far from the mode, in the direction of the step, the density is low enough. */
static double
find_end(const TiedNormal *tied, int n, Message others, double mode, double top, double step)
{
	const int	max_steps = 100;
	double		low = 0;
	double		high = 0;
	int			i;

	for (i = 0; i < max_steps; i++)
	{
		double		depth = top - log_density(tied, n, others, mode + step);

		if (depth < 0.8 * DEPTH)
			low = step;
		else if (depth > 1.5 * DEPTH)
			high = step;
		else
			break;
		step = high == 0 ? 2 * step : low + (high - low) / 2;
	}
	return step;
}

/* The points of one half of the level, with weights that have no scale yet. */
static void
add_half(const TiedNormal *tied, int n, Message others, double mode, double top, double end,
		 TiedLevel *level)
{
	int			i;

	for (i = 0; i < TIED_HALF; i++)
	{
		const QuadratureNode *node = &gauss_legendre[i / 2];
		double		x = mode + end * (0.5 + (i % 2 ? 0.5 : -0.5) * node->x);

		level->at[level->n] = x;
		level->weight[level->n] = node->weight * fabs(end) *
			portable_exp(log_density(tied, n, others, x) - top);
		level->n++;
	}
}

/* Scale the weights, and find the moments.  Returns false if there is nothing to scale. */
static bool
finish_level(double mode, TiedLevel *level)
{
	double		total = 0;
	double		mean = 0;
	double		variance = 0;
	int			i;

	for (i = 0; i < level->n; i++)
		total += level->weight[i];
	if (!(total > 0 && isfinite(total)))
		return false;
	for (i = 0; i < level->n; i++)
	{
		level->weight[i] /= total;
		mean += level->weight[i] * (level->at[i] - mode);
	}
	for (i = 0; i < level->n; i++)
		variance += level->weight[i] * square(level->at[i] - mode - mean);
	level->mean = mode + mean;
	level->variance = variance;
	return variance > 0;
}

/* A normal density, as two points. */
static void
normal_level(double mode, double deviation, TiedLevel *level)
{
	level->n = 2;
	level->at[0] = mode - deviation;
	level->at[1] = mode + deviation;
	level->weight[0] = level->weight[1] = 0.5;
	level->mean = mode;
	level->variance = square(deviation);
}

void
normal_tie_level(const TiedNormal *tied, int n, Message others, TiedLevel *level)
{
	double		curvature;
	double		mode = find_mode(tied, n, others, &curvature);
	double		top = log_density(tied, n, others, mode);
	double		step = sqrt(2 * DEPTH / curvature);
	int			i;

	/* Where all margins are wide there is hardly a curvature. */
	for (i = 0; i < n; i++)
		step = smaller(step, tied[i].margin + sqrt(2 * DEPTH) * tied[i].deviation);
	level->n = 0;
	if (fabs(top) < TOO_DEEP)
	{
		double		down = find_end(tied, n, others, mode, top, -step);
		double		up = find_end(tied, n, others, mode, top, step);

		add_half(tied, n, others, mode, top, down, level);
		add_half(tied, n, others, mode, top, up, level);
		if (finish_level(mode, level))
			return;
	}
	normal_level(mode, step / sqrt(2 * DEPTH), level);
}

void
normal_tie_evidence(const TiedNormal *tied, const TiedLevel *level, double *gradient, double *rest)
{
	Truncation	truncation[2 * TIED_HALF];
	double		v = 0;
	double		left = 0;
	int			i;

	for (i = 0; i < level->n; i++)
	{
		truncation[i] = truncated_draw((tied->mean - level->at[i]) / tied->deviation,
									   relative_margin(tied));
		v += level->weight[i] * truncation[i].v;
	}

	/* What is left given the level, and what the level itself leaves open. */
	for (i = 0; i < level->n; i++)
		left += level->weight[i] * (truncation[i].rest + square(truncation[i].v - v));
	*gradient = v / tied->deviation;
	*rest = smaller(left, 1);
}
