/*
 * team_chain.c
 *		What the order of many teams says about each, by expectation propagation.
 */
#include "core/models/team_chain.h"

#include <math.h>

#include "core/math/convergence.h"
#include "core/math/truncated.h"
#include "core/util/extremes.h"
#include "core/util/shell_sort.h"

double
team_chain_margin(const TeamChain *chain, int link)
{
	return chain->per_size * sqrt(chain->link[link].size + chain->link[link + 1].size);
}

static void
check(const TeamChain *chain)
{
	if (chain->interrupt != NULL)
		chain->interrupt();
}

/*
 * ---- The order ----
 */

/*
 * Teams that tied stand in an order that their performances decide, and not their numbers,
 * so that sums have the same bits whoever is called what.
 */
static int
compare_teams(const void *context, const void *a, const void *b)
{
	const ChainTeam *p = a;
	const ChainTeam *q = b;

	(void) context;
	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	if (p->mean != q->mean)
		return p->mean < q->mean ? -1 : 1;
	if (p->variance != q->variance)
		return p->variance < q->variance ? -1 : 1;
	return (p->size > q->size) - (p->size < q->size);
}

/* A link for each team, or for all that tied. */
static void
make_links(TeamChain *chain, Ties ties)
{
	int			i;

	chain->nlinks = 0;
	for (i = 0; i < chain->nteams; i++)
	{
		const ChainTeam *team = &chain->team[i];
		ChainLink  *link = &chain->link[chain->nlinks];

		if (ties == TIES_ALIKE && i > 0 && team->rank == chain->team[i - 1].rank)
		{
			link[-1].n++;
			continue;
		}
		*link = (ChainLink)
		{
			.first = i,.n = 1,.rank = team->rank,
				.mean = team->mean,.variance = team->variance,.size = team->size
		};
		chain->nlinks++;
	}
}

static void
order_teams(TeamChain *chain, const Match *match, const double *mean,
			const double *variance, const double *size, Ties ties)
{
	int			order[MATCH_MAX_TEAMS];
	ChainTeam	spare;
	double		zero = mean[0];
	bool		tied = false;
	int			i;

	match_teams_by_rank(match, order);
	for (i = 1; i < match->nteams && ties == TIES_ALIKE; i++)
		tied = tied || match->team[order[i]].rank == match->team[order[i - 1]].rank;
	chain->nteams = match->nteams;
	for (i = 0; i < match->nteams; i++)
		chain->team[i] = (ChainTeam)
	{
		.number = order[i],.rank = match->team[order[i]].rank,
			.mean = mean[order[i]],.variance = variance[order[i]],.size = size[order[i]]
	};
	if (tied)
	{
		shell_sort(chain->team, chain->nteams, sizeof(spare), &spare, compare_teams, NULL);
		zero = chain->team[0].mean;
	}

	/* From one of the means, so that no digits are lost if all are huge. */
	for (i = 0; i < match->nteams; i++)
		chain->team[i].mean -= zero;
	make_links(chain, ties);
}

/*
 * ---- Messages ----
 */

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
chain_step(ChainLink *upper, ChainLink *lower, double margin)
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

/* The teams that tied, and what is not to change about their link. */
static void
begin_tie(TeamChain *chain, ChainLink *link)
{
	double		size = 0;
	int			i;

	for (i = link->first; i < link->first + link->n; i++)
	{
		const ChainTeam *team = &chain->team[i];

		chain->tied[i] = (TiedNormal)
		{
			.mean = team->mean,.deviation = sqrt(team->variance),
				.margin = chain->per_size * sqrt(team->size)
		};
		size += team->size;
	}
	link->size = size / link->n;
}

static void
find_level(const TeamChain *chain, const ChainLink *link, TiedLevel *level)
{
	Message		others = {link->above.precision + link->below.precision,
	link->above.shift + link->below.shift};

	/* There may be 500 levels to find in a sweep, or 1000 teams in one. */
	check(chain);
	normal_tie_level(&chain->tied[link->first], link->n, others, level);
}

/*
 * What a tie says of its level, given all that is known of it: the ratio of the moments with
 * the tie to the messages of the neighbours.  A tie says something, but rounding may hide it.
 */
static void
tie_step(const TeamChain *chain, ChainLink *link)
{
	const double least = 1e-14;
	double		precision;
	TiedLevel	level;

	find_level(chain, link, &level);
	precision = 1 / level.variance;
	link->variance = 1 / larger(precision - link->above.precision - link->below.precision,
								least * precision);
	link->mean = link->variance * (precision * level.mean - link->above.shift -
								   link->below.shift);
}

/*
 * Let pairs speak until no message changes.
 *
 * Down the chain and up again, but for the pairs where it turns, which have heard
 * nothing new.  Changes shrink by about the same factor each time, so that those to
 * come can be told from the last two, until rounding is all that is left of them, which
 * is more where variances differ by orders of magnitude.  Ties have more rounding, and
 * something new to say at every turn.
 */
static void
converge(TeamChain *chain)
{
	bool		ties = chain->nlinks < chain->nteams;
	const double tolerance = ties ? 1e-11 : 1e-13;
	const double noise = ties ? 1e-10 : 1e-12;
	const int	max_sweeps = 500;
	Convergence	convergence = {0};
	int			n = chain->nlinks;
	double		last_change = 0;
	int			sweep,
				i;

	for (sweep = 0; sweep < max_sweeps; sweep++)
	{
		double		change = 0;

		check(chain);
		for (i = sweep == 0 || ties ? 0 : 1; i < 2 * n - 3; i++)
		{
			int			upper = i < n - 1 ? i : 2 * (n - 2) - i;
			int			lower = upper + 1;

			/* A tie has heard something new from where the sweep comes. */
			if (i < n - 1 && chain->link[upper].n > 1)
				tie_step(chain, &chain->link[upper]);
			if (i >= n - 2 && chain->link[lower].n > 1)
				tie_step(chain, &chain->link[lower]);
			change = larger(change, chain_step(&chain->link[upper], &chain->link[lower],
											   team_chain_margin(chain, upper)));
		}
		if (change < noise ||
			(change < 0.5 * last_change &&
			 change * (change / (last_change - change)) < tolerance))
			return;
		last_change = change;
		if (convergence_ended(&convergence, change))
			return;
	}

	/* What has not converged is no result. */
	for (i = 0; i < n; i++)
	{
		chain->link[i].above.precision = chain->link[i].above.shift = NAN;
		chain->link[i].below.precision = chain->link[i].below.shift = NAN;
	}
}

/* What all this says of the teams of a link. */
static void
conclude(TeamChain *chain, const ChainLink *link)
{
	ChainTeam  *team = &chain->team[link->first];
	double		precision = link->above.precision + link->below.precision;
	double		shift = link->above.shift + link->below.shift;
	TiedLevel	level;
	int			i;

	if (isnan(precision))
		for (i = 0; i < link->n; i++)
			team[i].rest = team[i].gradient = NAN;
	else if (link->n == 1)
	{
		team->rest = 1 / (1 + precision * team->variance);
		team->gradient = team->rest * (shift - precision * team->mean);
	}
	else
	{
		find_level(chain, link, &level);
		for (i = 0; i < link->n; i++)
			normal_tie_evidence(&chain->tied[link->first + i], &level, &team[i].gradient,
								&team[i].rest);
	}
}

void
team_chain_solve(TeamChain *chain, const Match *match, const double *mean,
				 const double *variance, const double *size, double per_size, Ties ties)
{
	int			i;

	chain->per_size = per_size;
	chain->interrupt = match->interrupt;
	order_teams(chain, match, mean, variance, size, ties);
	for (i = 0; i < chain->nlinks; i++)
		if (chain->link[i].n > 1)
		{
			begin_tie(chain, &chain->link[i]);
			tie_step(chain, &chain->link[i]);
		}
	converge(chain);
	for (i = 0; i < chain->nlinks; i++)
		conclude(chain, &chain->link[i]);
}
