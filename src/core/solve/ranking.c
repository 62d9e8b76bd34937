/*
 * ranking.c
 *		The likelihood of a ranking, by the strengths of those who are ranked.
 *
 * All numbers are relative to the sum of e^strength of those who did no better, so
 * that nothing overflows or vanishes, however far strengths are apart.
 */
#include "core/solve/ranking.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/math/square.h"
#include "core/solve/logit_rows.h"
#include "core/util/extremes.h"

/*
 * Those from begin to below end, who tied.  Together they have the share sum, and those
 * behind them the share rest; in so many choices they take their places.
 */
typedef struct Tie
{
	int			begin;
	int			end;
	int			choices;
	double		sum;
	double		rest;
} Tie;

static Tie
tie_between(int begin, int end, int n)
{
	return (Tie)
	{
		.begin = begin,.end = end,.choices = end - begin - (end == n ? 1 : 0)
	};
}

/* The tie that begins with i, from the shares. */
static Tie
tie_from(const Ranking *ranking, int i)
{
	int			end = i + 1;
	Tie			tie;

	while (end < ranking->n && ranking->place[end] == ranking->place[i])
		end++;
	tie = tie_between(i, end, ranking->n);
	for (; i < end; i++)
		tie.sum += ranking->share[i];
	tie.rest = end < ranking->n ? larger(1 - tie.sum, 0) : 0;
	return tie;
}

/* How much of each who tied competes in the choice c, from 0 on. */
static inline double
competing(const Tie *tie, int c)
{
	int			t = tie->end - tie->begin;

	return (double) (t - c) / t;
}

/* The sum over which that choice is made. */
static inline double
choice_sum(const Tie *tie, int c)
{
	return tie->rest + competing(tie, c) * tie->sum;
}

/* From behind: the logarithm of the sum of e^strength grows from tie to tie. */
double
ranking_shares(int n, const double *place, const double *strength, double *share)
{
	double		behind = -INFINITY;
	double		value = 0;
	int			end = n;

	while (end > 0)
	{
		double		highest = behind;
		double		total = 0;
		double		level = 0;
		int			begin = end;
		Tie			tie;
		int			i,
					c;

		while (begin > 0 && place[begin - 1] == place[end - 1])
			highest = larger(highest, strength[--begin]);
		tie = tie_between(begin, end, n);
		for (i = begin; i < end; i++)
		{
			share[i] = portable_exp(strength[i] - highest);
			tie.sum += share[i];
			level += strength[i];
		}
		tie.rest = end < n ? portable_exp(behind - highest) : 0;
		total = tie.sum + tie.rest;
		for (i = begin; i < end; i++)
			share[i] /= total;
		tie.sum /= total;
		tie.rest /= total;
		behind = highest + portable_log(total);

		value += tie.choices * (behind - level / (end - begin));
		for (c = 1; c < tie.choices; c++)
			value += portable_log(choice_sum(&tie, c));
		end = begin;
	}
	return value;
}

/*
 * In every choice the derivative is the expected number of times that one is chosen, less
 * how often that was so.  What choices before a tie expect of its members, for
 * each of their shares, is carried on, and so are the squares.
 */
void
ranking_derivatives(const Ranking *ranking, double *slope, double *curvature)
{
	double		before = 0;
	double		before_squares = 0;
	Tie			tie;
	int			i;

	for (i = 0; i < ranking->n; i = tie.end)
	{
		double		expected = before;
		double		squares = before_squares;
		double		taken;
		int			c,
					j;

		tie = tie_from(ranking, i);
		taken = (double) tie.choices / (tie.end - i);
		for (c = 0; c < tie.choices; c++)
		{
			double		each = 1 / choice_sum(&tie, c);

			expected += competing(&tie, c) * each;
			squares += square(competing(&tie, c) * each);
			before += each;
			before_squares += square(each);
		}
		for (j = i; j < tie.end; j++)
		{
			double		share = ranking->share[j];

			slope[j] = share * expected - taken;
			curvature[j] = larger(share * expected - square(share) * squares, 0);
		}
		before *= tie.rest;
		before_squares *= square(tie.rest);
	}
}

/*
 * In every choice the variance matrix of who is chosen: each one's chance times how far
 * v is there from its mean over all who compete.
 */
void
ranking_multiply(const Ranking *ranking, const double *v, double *product)
{
	double		mean[LOGIT_MAX_RANKING];	/* of v from a tie on, at its
											 * begin */
	double		behind = 0;
	double		before = 0;
	double		before_mean = 0;
	Tie			tie;
	int			i,
				j;

	for (i = ranking->n - 1; i >= 0; i = tie.begin - 1)
	{
		int			begin = i;

		while (begin > 0 && ranking->place[begin - 1] == ranking->place[i])
			begin--;
		tie = tie_from(ranking, begin);
		behind *= tie.rest;
		for (j = tie.begin; j < tie.end; j++)
			behind += ranking->share[j] * v[j];
		mean[begin] = behind;
	}
	for (i = 0; i < ranking->n; i = tie.end)
	{
		double		expected = before;
		double		expected_mean = before_mean;
		double		own = 0;
		double		others = 0;
		int			c;

		tie = tie_from(ranking, i);
		for (j = i; j < tie.end; j++)
			own += ranking->share[j] * v[j];
		if (tie.end < ranking->n)
			others = tie.rest * mean[tie.end];
		for (c = 0; c < tie.choices; c++)
		{
			double		each = 1 / choice_sum(&tie, c);
			double		chosen = (others + competing(&tie, c) * own) * each;

			expected += competing(&tie, c) * each;
			expected_mean += competing(&tie, c) * each * chosen;
			before += each;
			before_mean += each * chosen;
		}
		for (j = i; j < tie.end; j++)
			product[j] = ranking->share[j] * (expected * v[j] - expected_mean);
		before *= tie.rest;
		before_mean *= tie.rest;
	}
}
