/*
 * display.c
 *		From ratings to what players see, and where newcomers start.
 */
#include "core/rating/display.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/util/extremes.h"

int
division_number(double rating, const double *cut, int n)
{
	int			low = 0;
	int			high = n;

	while (low < high)
	{
		/* The number of cuts at or below the rating, by bisection. */
		int			middle = low + (high - low) / 2;

		if (rating >= cut[middle])
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Up by one margin and down by another, so that a rating near a cut does not go back and forth.
 */
int
division_next(double rating, const double *cut, int n, int current,
			  double margin, double promotion_margin)
{
	int			up = division_number(rating - promotion_margin, cut, n);
	int			down = division_number(rating + margin, cut, n);

	if (up > current)
		return up;
	return down < current ? down : current;
}

void
placement_step(double *low, double *high, double score, double shrink)
{
	double		half = (*high - *low) / 2;

	*low += shrink * score * half;
	*high -= shrink * (1 - score) * half;
}

double
placement_gain(double games, double boost, double over)
{
	return games >= over ? 1 : 1 + (boost - 1) * (1 - games / over);
}

double
season_rating(double rating, double mean, double keep)
{
	return mean + keep * (rating - mean);
}

double
season_deviation(double deviation, double initial, double keep)
{
	/*
	 * Variances add up: keep of what was known, and the rest anew from the
	 * prior.
	 */
	return sqrt(keep * keep * deviation * deviation +
				(1 - keep * keep) * initial * initial);
}

double
inactivity_decay(double rating, double idle_days, double grace_days,
				 double rate, double floor)
{
	double		decayed = rating - rate * larger(idle_days - grace_days, 0);

	/* Nobody is lifted. */
	return larger(decayed, smaller(rating, floor));
}

double
inactivity_regression(double rating, double idle_days, double grace_days,
					  double mean, double half_life_days)
{
	return mean + (rating - mean) *
		portable_exp2(-larger(idle_days - grace_days, 0) / half_life_days);
}
