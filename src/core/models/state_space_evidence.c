/*
 * state_space_evidence.c
 *		How probable the result of a match is under the state-space model.
 */
#include "core/models/state_space.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/normal_order.h"
#include "core/math/square.h"
#include "core/math/sum.h"

#define LOG_2_PI 1.8378770664093453

/* By how much a performance changes from half a point below a difference to half above. */
static double
log_point(const StateSpace *model, double difference)
{
	return portable_log(state_space_score(model, difference + 0.5) -
						state_space_score(model, difference - 0.5));
}

/*
 * Of many teams each has its own from their mean, and one of them, whichever, is what the
 * others are compared with: that is where the share comes from.
 */
double
state_space_log_points(const StateSpace *model, const Match *match, const double *size)
{
	double		n = match->nteams;
	Sum			mean = {0, 0};
	Sum			points = {0, 0};
	int			i;

	if (match->nteams == 2)
		return log_point(model, match->team[0].score - match->team[1].score) +
			portable_log(size[0]);
	for (i = 0; i < match->nteams; i++)
		sum_add(&mean, match->team[i].score / n);
	for (i = 0; i < match->nteams; i++)
		sum_add(&points, portable_log(size[i]) + (model->exponent - 1) * portable_log(2) +
				log_point(model, match->team[i].score - sum_value(&mean)));
	return (n - 1) / n * sum_value(&points);
}

static double
log_evidence_of_two(const StateSpaceMatch *m, const int *order)
{
	const Match *match = m->match;
	StateSpaceDifference d = state_space_difference(m);
	const MatchTeam *first = &match->team[match_first_side(match)];
	const MatchTeam *second = &match->team[1 - match_first_side(match)];
	double		lead = second->rank - first->rank;
	double		c = d.deviation;

	if (state_space_scores_count(m->model, match, order))
	{
		double		observed = d.size * state_space_score(m->model,
														  first->score - second->score);

		return state_space_log_points(m->model, match, &d.size) -
			(LOG_2_PI + square((observed - d.mean) / c)) / 2 - portable_log(c);
	}
	if (lead == 0)
		return normal_log_band(d.mean / c, d.margin / c);
	return normal_log_cdf(((lead > 0 ? d.mean : -d.mean) - d.margin) / c);
}

/* The density of scores, but for the level that is common to all. */
static double
log_evidence_of_scores(const StateSpaceMatch *m, const StateSpaceTeams *teams)
{
	double		performance[MATCH_MAX_TEAMS];
	int			n = m->match->nteams;
	double		level;
	Sum			precisions = {0, 0};
	Sum			weighted = {0, 0};
	Sum			sum = {0, 0};
	int			i;

	state_space_scores(m->model, m->match, teams->size, performance);
	for (i = 0; i < n; i++)
	{
		sum_add(&precisions, 1 / teams->variance[i]);
		sum_add(&weighted, (performance[i] - teams->mean[i]) / teams->variance[i]);
	}
	level = sum_value(&weighted) / sum_value(&precisions);
	sum_add(&sum, (n - 1) * LOG_2_PI + portable_log(sum_value(&precisions)));
	for (i = 0; i < n; i++)
		sum_add(&sum, portable_log(teams->variance[i]) +
				square(performance[i] - teams->mean[i] - level) / teams->variance[i]);
	return state_space_log_points(m->model, m->match, teams->size) - sum_value(&sum) / 2;
}

/*
 * The order of performances, of which the chain tells where they are.  What is asked of a
 * tie is a level, of a density that is the inverse of the draw margin between two teams of
 * that size: so the narrow margin of a tie of two is as probable as that of a draw.
 */
static double
log_evidence_of_order(const TeamChain *chain)
{
	NormalOrderVariable variable[MATCH_MAX_TEAMS];
	Sum			levels = {0, 0};
	int			i = 0;

	do
	{
		const ChainLink *link = &chain->link[i];
		double		precision = 1 / link->variance + link->above.precision +
			link->below.precision;
		NormalOrderVariable *v = &variable[i];
		bool		last = i + 1 == chain->nlinks;

		v->mean = link->mean;
		v->deviation = sqrt(link->variance);
		v->tied = link->n > 1 ? &chain->tied[link->first] : NULL;
		v->ntied = link->n;
		v->place.mean = (link->mean / link->variance + link->above.shift +
						 link->below.shift) / precision;
		v->place.deviation = 1 / sqrt(precision);
		v->place.slope = link->above.shift - link->above.precision * v->place.mean;
		v->within = !last && link->rank == link[1].rank;
		v->margin = last ? 0 : team_chain_margin(chain, i);
		if (link->n > 1 && chain->per_size == 0)
			return -INFINITY;
		if (link->n > 1)
			sum_add(&levels, portable_log(chain->per_size * sqrt(2 * link->size)));
	} while (++i < chain->nlinks);
	return normal_order_log_probability(variable, chain->nlinks, chain->interrupt) -
		sum_value(&levels);
}

/*
 * The logarithm of the integral of a normal density times a message, which is
 * exp(shift x - precision x^2 / 2), and the density of both.
 */
static double
log_product(double *mean, double *variance, Message message)
{
	double		both = 1 / *variance + message.precision;
	double		pull = message.shift - message.precision * *mean;
	double		overlap = (*mean * (2 * message.shift - message.precision * *mean) +
						   pull * pull / both - portable_log(both * *variance)) / 2;

	*mean += pull / both;
	*variance = 1 / both;
	return overlap;
}

/*
 * What expectation propagation makes of the probability of the order: the integral of all
 * messages, in which each pair is put for what its messages stand for.
 */
static double
log_evidence_of_chain(const TeamChain *chain)
{
	Sum			sum = {0, 0};
	const ChainLink *link = chain->link;
	int			n = chain->nlinks;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		mean = link[i].mean;
		double		variance = link[i].variance;

		sum_add(&sum, log_product(&mean, &variance, link[i].above));
		sum_add(&sum, log_product(&mean, &variance, link[i].below));
	}
	for (i = 0; i + 1 < n; i++)
	{
		const ChainLink *upper = &link[i];
		const ChainLink *lower = &link[i + 1];
		double		mean[2] = {upper->mean, lower->mean};
		double		variance[2] = {upper->variance, lower->variance};
		double		margin = team_chain_margin(chain, i);
		double		c,
					d;

		(void) log_product(&mean[0], &variance[0], upper->above);
		(void) log_product(&mean[1], &variance[1], lower->below);
		c = sqrt(variance[0] + variance[1]);
		d = mean[0] - mean[1];
		sum_add(&sum, upper->rank == lower->rank ? normal_log_band(d / c, margin / c) :
				normal_log_cdf((d - margin) / c));
		sum_add(&sum, -log_product(&mean[0], &variance[0], upper->below));
		sum_add(&sum, -log_product(&mean[1], &variance[1], lower->above));
	}
	return sum_value(&sum);
}

double
state_space_order_excess(const StateSpace *model, Match *match)
{
	StateSpaceMatch m;
	StateSpaceTeams teams;
	TeamChain	chain;

	state_space_begin(model, match, &m);
	state_space_teams(&m, &teams);
	state_space_order(&m, &teams, &chain);
	return log_evidence_of_order(&chain) - log_evidence_of_chain(&chain);
}

double
state_space_log_evidence(const StateSpace *model, Match *match)
{
	StateSpaceMatch m;
	StateSpaceTeams teams;
	TeamChain	chain;
	int			order[MATCH_MAX_TEAMS];

	state_space_begin(model, match, &m);
	match_teams_by_rank(match, order);
	if (match->nteams == 2)
		return log_evidence_of_two(&m, order);
	state_space_teams(&m, &teams);
	if (state_space_scores_count(model, match, order))
		return log_evidence_of_scores(&m, &teams);
	state_space_order(&m, &teams, &chain);
	return log_evidence_of_order(&chain);
}
