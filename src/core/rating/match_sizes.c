/*
 * match_sizes.c
 *		Teams of different sizes, and what teams have in advance.
 */
#include "core/rating/match.h"

#include <math.h>

#include "core/util/extremes.h"

double
match_log_odds_for(const Match *match, int team)
{
	return team == match_first_side(match) ? match->log_odds : -match->log_odds;
}

double
match_log_odds_between(const Match *match, int team, int other)
{
	if (match->nteams == 2)
		return match_log_odds_for(match, team);
	return match->team[team].advantage - match->team[other].advantage;
}

void
match_add_log_odds(const Match *match, double unit, double *rating)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		if (match->team[i].advantage != 0)
			rating[i] += unit * match->team[i].advantage;
}

void
match_add_advantages(const Match *match, const double *variance, double *mean)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < match->nteams; i++)
		sum += variance[i];
	match_add_log_odds(match, sqrt(M_PI / 8) * sqrt(2 * (sum / match->nteams)), mean);
}

double
match_mean_size(const Match *match)
{
	double		sum = 0;
	int			i;

	/* In parts, so that no sum of finite sizes overflows. */
	for (i = 0; i < match->nteams; i++)
		sum += match->team[i].size / match->nteams;
	return sum;
}

bool
match_is_uneven(const Match *match)
{
	const double rounding = 1e-9;
	double		least = INFINITY;
	double		most = 0;
	int			i;

	/* A team without a size has none to compare, and does not play either. */
	for (i = 0; i < match->nteams; i++)
	{
		least = smaller(least, match->team[i].size);
		most = larger(most, match->team[i].size);
	}
	return match->nteams > 1 && isfinite(most) && least > 0 && most - least > rounding * most;
}
