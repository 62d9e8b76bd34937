/*
 * state_space_many.c
 *		Matches of more than two teams under the state-space model.
 *
 * The teams perform as independent normal variables: one who is on two teams, or a club
 * that has two, counts as two for the forecast, and learns from both.  The order is solved
 * by expectation propagation, as TrueSkill does it.  Scores are the performances but for a
 * level that is common to all teams and unknown: with T the diagonal matrix of the teams'
 * variances, the likelihood of the rest is that of T^-1 - T^-1 1 1' T^-1 / 1' T^-1 1.
 */
#include "core/models/state_space.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/math/sum.h"
#include "core/models/deviation.h"
#include "core/models/team_chain.h"
#include "core/util/extremes.h"

/* What a share counts of its component, in favour of its team. */
double
state_space_share_coefficient(const StateSpaceMatch *m, const MatchShare *share, const double *size)
{
	const MatchComponent *component = &m->match->component[share->component];

	return share->weight *
		(component->player >= 0 ? m->factor[share->team] : size[share->team]);
}

void
state_space_teams(const StateSpaceMatch *m, StateSpaceTeams *teams)
{
	const StateSpace *model = m->model;
	const Match *match = m->match;
	int			i,
				j;

	for (i = 0; i < match->nteams; i++)
		teams->mean[i] = teams->variance[i] = teams->noise[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const MatchPlayer *player = &match->player[e->player];
		double		coefficient[PLAYER_UNKNOWNS];

		state_space_entry(m, e, coefficient);
		teams->mean[e->team] += coefficient[UNKNOWN_SKILL] * state_space_shift(m, player);
		for (j = 0; j < PLAYER_UNKNOWNS; j++)
		{
			if (coefficient[j] == 0)
				continue;
			teams->mean[e->team] += coefficient[j] * player->before[2 * j];
			teams->variance[e->team] += square(coefficient[j]) *
				(square(player->before[2 * j + 1]) + state_space_drift(model, j));
			teams->noise[e->team] += square(coefficient[j] * model->beta);
		}
	}
	for (i = 0; i < match->nteams; i++)
	{
		if (model->team_noise)
			teams->noise[i] = square(model->beta);
		teams->size[i] = sqrt(teams->noise[i]) / model->beta;
		teams->variance[i] += teams->noise[i];
	}
	for (i = 0; i < match->nshares; i++)
	{
		const MatchShare *share = &match->share[i];
		const MatchComponent *component = &match->component[share->component];
		double		coefficient;

		if (share->team < 0)
			continue;
		coefficient = state_space_share_coefficient(m, share, teams->size);
		teams->mean[share->team] += coefficient * component->before[0];
		teams->variance[share->team] += square(coefficient) *
			(square(component->before[1]) + state_space_component_drift(model, component));
	}
	match_add_advantages(match, teams->variance, teams->mean);
}

MatchStatus
state_space_predict_many(const StateSpace *model, Match *match)
{
	StateSpaceMatch m;
	StateSpaceTeams teams;
	double		deviation[MATCH_MAX_TEAMS];
	double		win[MATCH_MAX_TEAMS];
	double		work[NORMAL_WORK(MATCH_MAX_TEAMS)];
	int			i;

	state_space_begin(model, match, &m);
	state_space_teams(&m, &teams);
	for (i = 0; i < match->nteams; i++)
		deviation[i] = sqrt(teams.variance[i]);
	normal_best_of(teams.mean, deviation, match->nteams, win, work, match->interrupt);
	for (i = 0; i < match->nteams; i++)
		match->team[i].win = win[i];
	return match_check_predictions(match);
}

/* Whether there are scores that count, and that say the same as the ranks. */
bool
state_space_scores_count(const StateSpace *model, const Match *match, const int *order)
{
	int			i;

	if (!(model->unit > 0))
		return false;
	for (i = 0; i < match->nteams; i++)
		if (isnan(match->team[i].score))
			return false;
	for (i = 1; i < match->nteams; i++)
	{
		const MatchTeam *above = &match->team[order[i - 1]];
		const MatchTeam *below = &match->team[order[i]];

		if (above->rank == below->rank ? above->score != below->score :
			above->score <= below->score)
			return false;
	}
	return true;
}

/*
 * Of each score the difference from their mean is transformed, so that two teams alike would
 * differ by as much as those of a match of two.
 */
void
state_space_scores(const StateSpace *model, const Match *match, const double *size,
				   double *performance)
{
	double		scale = portable_pow(2, model->exponent - 1);
	double		mean;
	Sum			scores = {0, 0};
	int			i;

	for (i = 0; i < match->nteams; i++)
		sum_add(&scores, match->team[i].score);
	mean = sum_value(&scores) / match->nteams;
	for (i = 0; i < match->nteams; i++)
		performance[i] = size[i] * scale *
			state_space_score(model, match->team[i].score - mean);
}

/* What the scores say. */
static void
observe_scores(const StateSpace *model, const Match *match, const StateSpaceTeams *teams,
			   StateSpaceEvidence *evidence)
{
	double		residual[MATCH_MAX_TEAMS];
	double		level;
	Sum			precisions = {0, 0};
	Sum			weighted = {0, 0};
	int			i;

	state_space_scores(model, match, teams->size, residual);
	for (i = 0; i < match->nteams; i++)
	{
		residual[i] -= teams->mean[i];
		sum_add(&precisions, 1 / teams->variance[i]);
		sum_add(&weighted, residual[i] / teams->variance[i]);
	}
	level = sum_value(&weighted) / sum_value(&precisions);
	for (i = 0; i < match->nteams; i++)
	{
		evidence[i].gradient = (residual[i] - level) / teams->variance[i];
		evidence[i].rest = 1 / teams->variance[i] / sum_value(&precisions);
	}
}

/* What the order says. */
static void
observe_order(const StateSpaceMatch *m, const StateSpaceTeams *teams, const int *order,
			  StateSpaceEvidence *evidence)
{
	const Match *match = m->match;
	ChainTeam	chain[MATCH_MAX_TEAMS];
	int			i;

	for (i = 0; i < match->nteams; i++)
	{
		int			team = order[i];

		/* From one of the means, so that no digits are lost if all are huge. */
		chain[i].mean = teams->mean[team] - teams->mean[0];
		chain[i].variance = teams->variance[team];
		chain[i].size = teams->noise[team];
		chain[i].rank = match->team[team].rank;
	}
	team_chain_settle(chain, match->nteams, m->margin);
	for (i = 0; i < match->nteams; i++)
	{
		const ChainTeam *team = &chain[i];
		double		precision = team->above.precision + team->below.precision;
		double		shift = team->above.shift + team->below.shift;
		StateSpaceEvidence *e = &evidence[order[i]];

		e->rest = 1 / (1 + precision * team->variance);
		e->gradient = e->rest * (shift - precision * team->mean);
	}
}

/*
 * An unknown that learns from one team after another, whose evidence adds up as precisions
 * do.
 */
typedef struct Learning
{
	double		prior;			/* variance before the match, with drift */
	double		variance;		/* after what was learnt so far */
	double		change;			/* of the mean */
	double		gradient;
} Learning;

static void
learn_from_team(const StateSpaceEvidence *evidence, double coefficient, Learning *learning)
{
	double		gradient = coefficient * evidence->gradient;
	double		ratio;
	double		posterior;

	if (coefficient == 0 || learning->prior == 0)
		return;
	ratio = variance_ratio(square(coefficient) * learning->prior, evidence->noise,
						   evidence->variance, evidence->rest);
	posterior = learning->variance /
		(1 + (1 / ratio - 1) * (learning->variance / learning->prior));
	learning->change = posterior * (learning->change / learning->variance +
									gradient / ratio);
	learning->variance = posterior;
	learning->gradient += gradient;
}

/* The state after the match; drift is that of the prior, shift is added to the mean. */
static void
finish_learning(const Learning *learning, double drift, double shift, double gain,
				const double *before, double *after)
{
	double		start = deviation_grown(before[1], gain * drift, INFINITY);

	after[0] = before[0] + smaller(gain, 1) * shift + gain * learning->change;
	after[1] = start;
	if (learning->variance < learning->prior)
		after[1] = deviation_updated(start, sqrt(learning->variance / learning->prior),
									 gain, smaller(start, MIN_DEVIATION));
}

static void
update_player(const StateSpaceMatch *m, const StateSpaceEvidence *evidence,
			  MatchPlayer *player)
{
	int			i,
				j;

	for (j = 0; j < PLAYER_UNKNOWNS; j++)
	{
		const double *before = &player->before[2 * j];
		double		drift = state_space_drift(m->model, j);
		Learning	learning = {square(before[1]) + drift, square(before[1]) + drift, 0, 0};
		bool		part = false;

		for (i = player->last_entry; i >= 0; i = m->match->entry[i].previous)
		{
			const MatchEntry *e = &m->match->entry[i];
			double		coefficient[PLAYER_UNKNOWNS];

			state_space_entry(m, e, coefficient);
			part = part || coefficient[j] != 0;
			learn_from_team(&evidence[e->team], coefficient[j], &learning);
		}
		finish_learning(&learning, part ? drift : 0,
						j == UNKNOWN_SKILL && part ? state_space_shift(m, player) : 0,
						player->gain, before, &player->after[2 * j]);
		if (j == UNKNOWN_SKILL)
			player->gradient = learning.gradient;
	}
}

static void
update_component(const StateSpaceMatch *m, const StateSpaceEvidence *evidence,
				 const double *size, double gain, MatchComponent *component)
{
	double		drift = state_space_component_drift(m->model, component);
	double		prior = square(component->before[1]) + drift;
	Learning	learning = {prior, prior, 0, 0};
	int			i;

	for (i = component->last_share; i >= 0; i = m->match->share[i].previous)
	{
		const MatchShare *share = &m->match->share[i];

		if (share->team >= 0)
			learn_from_team(&evidence[share->team], state_space_share_coefficient(m, share, size),
							&learning);
	}
	finish_learning(&learning, drift, 0, gain, component->before, component->after);
}

void
state_space_update_many(const StateSpace *model, Match *match)
{
	StateSpaceMatch m;
	StateSpaceTeams teams;
	StateSpaceEvidence evidence[MATCH_MAX_TEAMS];
	int			order[MATCH_MAX_TEAMS];
	double		gain = match_mean_gain(match);
	int			i;

	state_space_begin(model, match, &m);
	state_space_teams(&m, &teams);
	match_teams_by_rank(match, order);
	if (state_space_scores_count(model, match, order))
		observe_scores(model, match, &teams, evidence);
	else
		observe_order(&m, &teams, order, evidence);
	for (i = 0; i < match->nteams; i++)
	{
		evidence[i].variance = teams.variance[i];
		evidence[i].noise = teams.noise[i];
	}
	for (i = 0; i < match->nplayers; i++)
		update_player(&m, evidence, &match->player[i]);
	for (i = 0; i < match->ncomponents; i++)
		update_component(&m, evidence, teams.size, gain, &match->component[i]);
}
