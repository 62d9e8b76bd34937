/*
 * team_chain.c
 *		What the order of many teams says about each, by expectation propagation.
 */
#include "core/models/team_chain.h"

#include <math.h>

#include "core/math/truncated.h"
#include "core/util/extremes.h"

/* The change of a message to a team of that variance, in deviations of the team. */
static double
message_change(Message now, Message before, double variance)
{
	return larger(fabs(now.precision - before.precision) * variance,
				  fabs(now.shift - before.shift) * sqrt(variance));
}

/*
 * Let one pair of neighbours speak again: what the order of the two says about
 * either, given everything else that is known of the other.  Returns the larger
 * change of the two messages.
 */
static double
chain_step(ChainTeam *upper, ChainTeam *lower, double margin)
{
	double		upper_variance = 1 / (1 / upper->variance + upper->above.precision);
	double		lower_variance = 1 / (1 / lower->variance + lower->below.precision);
	double		upper_mean = upper_variance *
		(upper->mean / upper->variance + upper->above.shift);
	double		lower_mean = lower_variance *
		(lower->mean / lower->variance + lower->below.shift);
	double		variance = upper_variance + lower_variance;
	double		c = sqrt(variance);
	double		mean = upper_mean - lower_mean;
	Truncation	truncation = upper->rank == lower->rank ?
		truncated_draw(mean / c, margin / c) :
		truncated_win((mean - margin) / c);
	double		precision = truncation.w / (variance * truncation.rest);
	double		shift = (mean * truncation.w + c * truncation.v) /
		(variance * truncation.rest);
	Message		to_upper;
	Message		to_lower;
	double		change;

	to_upper.precision = precision / (1 + precision * lower_variance);
	to_upper.shift = (shift + precision * lower_mean) /
		(1 + precision * lower_variance);
	to_lower.precision = precision / (1 + precision * upper_variance);
	to_lower.shift = (precision * upper_mean - shift) /
		(1 + precision * upper_variance);

	upper_variance = 1 / (1 / upper_variance + to_upper.precision);
	lower_variance = 1 / (1 / lower_variance + to_lower.precision);
	change = larger(message_change(to_upper, upper->below, upper_variance),
					message_change(to_lower, lower->above, lower_variance));
	upper->below = to_upper;
	lower->above = to_lower;
	return change;
}

/*
 * Let pairs speak until no message changes.
 *
 * Down the chain and up again, but for the pairs where it turns, which have heard
 * nothing new.  Changes shrink by about the same factor each time, so that those to
 * come can be told from the last two, until rounding is all that is left of them.  If
 * variances differ by orders of magnitude that is more than the noise below; so changes
 * that have been small, and get no smaller, are the last ones too.
 */
void
team_chain_settle(ChainTeam *chain, int n, double per_size)
{
	const double tolerance = 1e-13;
	const double noise = 1e-12;
	const double least_change = 1e-4;
	const int	max_sweeps = 500;
	const int	max_idle_sweeps = 10;
	double		smallest_change = least_change;
	int			idle_sweeps = 0;
	double		last_change = 0;
	int			sweep,
				i;

	for (i = 0; i < n; i++)
	{
		chain[i].above.precision = chain[i].above.shift = 0;
		chain[i].below.precision = chain[i].below.shift = 0;
	}
	for (sweep = 0; sweep < max_sweeps; sweep++)
	{
		double		change = 0;

		for (i = sweep == 0 ? 0 : 1; i < 2 * n - 3; i++)
		{
			int			upper = i < n - 1 ? i : 2 * (n - 2) - i;
			int			lower = upper + 1;
			double		margin = per_size * sqrt(chain[upper].size +
												 chain[lower].size);

			change = larger(change, chain_step(&chain[upper], &chain[lower],
											   margin));
		}
		if (change < noise ||
			(change < 0.5 * last_change &&
			 change * (change / (last_change - change)) < tolerance))
			return;
		last_change = change;
		idle_sweeps = change < smallest_change ? 0 : idle_sweeps + 1;
		if (smallest_change < least_change && idle_sweeps >= max_idle_sweeps)
			return;
		smallest_change = smaller(smallest_change, change);
	}

	/* What has not settled is no result. */
	for (i = 0; i < n; i++)
	{
		chain[i].above.precision = chain[i].above.shift = NAN;
		chain[i].below.precision = chain[i].below.shift = NAN;
	}
}
