/*
 * state_space_teams.c
 *		What everybody's part in a match counts under the state-space model.
 */
#include "core/models/state_space.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/util/extremes.h"

/*
 * What a unit of weight counts of each team, given the weights of all.  A weight of 0 has
 * nobody to whom its factor matters, but leaves no mean either.
 */
static void
strength_factors(StateSpaceStrength strength, const double *weight, int n,
				 double *factor)
{
	double		sum = 0;
	bool		all = true;
	int			i;

	for (i = 0; i < n; i++)
	{
		factor[i] = 1;
		sum += weight[i];
		all = all && weight[i] > 0;
	}
	switch (strength)
	{
		case STATE_SPACE_CENTERED:
			if (all)
				match_center(weight, n, factor);
			break;
		case STATE_SPACE_SUM:
			break;
		case STATE_SPACE_MEAN:
			for (i = 0; i < n; i++)
				if (weight[i] > 0)
					factor[i] = 1 / weight[i];
			break;
		case STATE_SPACE_SHARE:
			for (i = 0; i < n && sum > 0; i++)
				factor[i] = n / sum;
			break;
	}
}

/* Whether a player has played before, or somebody has said how good the player is. */
static bool
is_known(const StateSpace *model, const MatchPlayer *player)
{
	return player->games > 0 || player->before[STATE_SPACE_MU] != model->initial_mu ||
		player->before[STATE_SPACE_SIGMA] < model->initial_sigma;
}

/* What newcomers are better than the prior, by the company that they keep. */
static double
company_shift(const StateSpace *model, const Match *match)
{
	double		sum = 0;
	double		weight = 0;
	int			i;

	if (model->newcomer_company == 0)
		return model->newcomer_offset;
	for (i = 0; i < match->nplayers; i++)
	{
		const MatchPlayer *player = &match->player[i];

		if (!is_known(model, player))
			continue;

		/* Both teams count, because match making brings equals together. */
		sum += player->weight * (player->before[STATE_SPACE_MU] - model->initial_mu);
		weight += player->weight;
	}
	return model->newcomer_offset +
		(weight > 0 ? model->newcomer_company * (sum / weight) : 0);
}

double
state_space_shift(const StateSpaceMatch *m, const MatchPlayer *player)
{
	return m->shift != 0 && !is_known(m->model, player) ? m->shift : 0;
}

/* The component that learns the draw margin has its logarithm. */
static double
draw_margin(const StateSpace *model, const Match *match)
{
	const double largest = 10;
	int			i;

	for (i = 0; i < match->ncomponents; i++)
		if (match->component[i].number == STATE_SPACE_DRAW)
			return portable_exp(smaller(match->component[i].before[0], largest));
	return model->margin;
}

void
state_space_begin(const StateSpace *model, Match *match, StateSpaceMatch *m)
{
	double		play[MATCH_MAX_TEAMS];
	double		command[MATCH_MAX_TEAMS];
	int			i;

	m->model = model;
	m->match = match;
	m->first = match_first_side(match);
	m->shift = company_shift(model, match);
	m->margin = draw_margin(model, match);
	for (i = 0; i < match->nteams; i++)
		play[i] = command[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		if (model->commands)
		{
			/*
			 * Where commanders are a skill of their own, their time is not
			 * play.
			 */
			play[e->team] += e->weight;
			command[e->team] += e->command_weight;
		}
		else
			play[e->team] += e->weight + e->command_weight;
	}
	strength_factors(model->strength, play, match->nteams, m->factor);
	if (model->commands)
		strength_factors(model->strength, command, match->nteams, m->command_factor);
}

void
state_space_entry(const StateSpaceMatch *m, const MatchEntry *e, double *coefficient)
{
	int			side = m->match->team[e->team].side;
	double		play = m->model->commands ? e->weight : e->weight + e->command_weight;

	coefficient[UNKNOWN_SKILL] = m->factor[e->team] * play;
	coefficient[UNKNOWN_SIDE] = !m->model->sides || side == 0 ? 0 :
		side == 1 ? coefficient[UNKNOWN_SKILL] : -coefficient[UNKNOWN_SKILL];
	coefficient[UNKNOWN_COMMAND] = m->model->commands ?
		m->command_factor[e->team] * e->command_weight : 0;
}

double
state_space_score(const StateSpace *model, double difference)
{
	double		size = model->exponent == 1 ? fabs(difference) :
		portable_pow(fabs(difference), model->exponent);

	return model->unit * copysign(size, difference);
}

double
state_space_component_drift(const StateSpace *model, const MatchComponent *component)
{
	return component->number == STATE_SPACE_CLUB ? model->club_drift : 0;
}
