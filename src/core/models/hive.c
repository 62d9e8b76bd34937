/*
 * hive.c
 *		The logistic model of Natural Selection 2's Hive, online form.
 *
 * "A Skill Ranking System for Natural Selection 2" (of build 267).  The
 * log-odds of side 1 are the difference of the sides' skills, each weighted by
 * play time, over the total time, plus a like term for the commanders and the
 * log-odds of the context; every player's skill follows the gradient of the
 * log likelihood at a rate that AdaGrad and a constant share.  The log-odds of
 * the context are given with the match, learnt from earlier ones, or both.
 *
 * Where the source slips, this departs from it (docs/models/hive.md):
 * AdaGrad sums squared gradients; the offset accumulates; its sign goes by the
 * side and not by the order of the teams; commanding is not counted as play
 * too; and skills do not fall below a minimum.
 */
#include <math.h>

#include "core/models/hive.h"
#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/math/square.h"
#include "core/models/deviation.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	HIVE_A = MODEL_COMMON_PARAMS,
	HIVE_C,
	HIVE_EPSILON,
	HIVE_MEDIAN_ROUND,
	HIVE_INITIAL_SKILL,
	HIVE_INITIAL_COMMAND_SKILL,
	HIVE_MIN_SKILL,
	HIVE_CONTEXT_DEVIATION,
	HIVE_NPARAMS
};

static const ParamSpec hive_params[] = {
	{.name = "a",.type = PARAM_NUMBER,.default_value = 0.5,
		.min = 0,.max = 1e6,.unit = "skill",
		.searched = true,
	.description = "AdaGrad part of the learning rate"},
	{.name = "c",.type = PARAM_NUMBER,.default_value = 0.5,
		.min = 0,.max = 1e6,.unit = "skill",
		.searched = true,
	.description = "constant part of the learning rate, and all of it for side offsets"},
	{.name = "epsilon",.type = PARAM_NUMBER,.default_value = 0.001,
		.min = 0,.above_min = true,.max = 1e6,.unit = "squared gradient",
	.description = "sum of squared gradients that a new player starts from"},
	{.name = "median_round",.type = PARAM_NUMBER,.default_value = 1200,
		.min = 0,.above_min = true,.max = 1e9,.unit = "seconds",
	.description = "median length of a match; its first half has half of all weight, its second a quarter"},
	{.name = "initial_skill",.type = PARAM_NUMBER,.default_value = 4,
		.min = -1e6,.max = 1e6,.unit = "skill",
	.description = "skill of a player who has not played"},
	{.name = "initial_command_skill",.type = PARAM_NUMBER,.default_value = 4,
		.min = -1e6,.max = 1e6,.unit = "skill",
	.description = "commander skill of a player who has not played"},
	{.name = "min_skill",.type = PARAM_NUMBER,.default_value = 0,
		.min = -INFINITY,.max = 1e6,.unit = "skill",
		.search = {-100, 100},
	.description = "smallest skill: below zero the smaller team would be favoured"},
	{.name = "context_deviation",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e6,.unit = "log-odds",
		.search = {0.01, 10},
	.description = "deviation of the log-odds of a context before the first match; 0: contexts count for nothing"},
};

static const StateSpec hive_state[] = {
	{.name = "skill",.min = -INFINITY,
	.description = "mean of the skills on both sides, in log-odds"},
	{.name = "skill_squares",.min = 0,
	.description = "sum of the squared gradients of skill"},
	{.name = "side_offset",.min = -INFINITY,.role = ROLE_SIDE,
	.description = "skill on side 1 above the mean, and below it on side 2"},
	{.name = "command_skill",.min = -INFINITY,.role = ROLE_COMMAND,
	.description = "skill as a commander, in log-odds"},
	{.name = "command_squares",.min = 0,
	.description = "sum of the squared gradients of command_skill"},
};

static void
hive_init(const ParamValue *params, double *state)
{
	state[HIVE_SKILL] = params[HIVE_INITIAL_SKILL].number;
	state[HIVE_SKILL_SQUARES] = 0;
	state[HIVE_SIDE_OFFSET] = 0;
	state[HIVE_COMMAND_SKILL] = params[HIVE_INITIAL_COMMAND_SKILL].number;
	state[HIVE_COMMAND_SQUARES] = 0;
}

/* The difference a^-joined - a^-left, a = 2^(2 / r), without cancellation. */
double
hive_weight(double joined, double left, double median_round)
{
	return portable_exp(-2 * M_LN2 * (joined / median_round)) *
		-portable_expm1(-2 * M_LN2 * ((left - joined) / median_round));
}

static double
hive_stint_weight(const ParamValue *params, double joined, double left)
{
	return hive_weight(joined, left, params[HIVE_MEDIAN_ROUND].number);
}

void
hive_sums_add(HiveSums *sums, double sign,
			  double weight, double skill, double side_offset,
			  double command_weight, double command_skill)
{
	sums->weight += weight;
	sums->skill += sign * weight * skill;
	sums->side_offset += weight * side_offset;
	sums->command_weight += command_weight;
	sums->command_skill += sign * command_weight * command_skill;
}

double
hive_sums_log_odds(const HiveSums *sums, double log_odds)
{
	if (sums->weight > 0)
		log_odds += (sums->skill + sums->side_offset) / sums->weight;
	if (sums->command_weight > 0)
		log_odds += sums->command_skill / sums->command_weight;
	return log_odds;
}

/*
 * ---- Contexts ----
 *
 * What a context is worth to side 1, in log-odds, is known by a normal distribution, whose
 * mean counts in a match, and which takes a step of Newton's method in each, given the
 * skills.  The source fits it together with them, as the solver of the same name does.
 */

enum
{
	CONTEXT_LOG_ODDS,
	CONTEXT_DEVIATION,
	CONTEXT_NSTATE
};

static const StateSpec context_state[] = {
	{.name = "log_odds",.min = -INFINITY,.description = "mean of the log-odds"},
	{.name = "deviation",.min = 0,.role = ROLE_DEVIATION,
	.description = "deviation of the log-odds"},
};

static bool
context_used(const ParamValue *params)
{
	return params[HIVE_CONTEXT_DEVIATION].number > 0;
}

static void
context_init(const ParamValue *params, double *state)
{
	state[CONTEXT_LOG_ODDS] = 0;
	state[CONTEXT_DEVIATION] = params[HIVE_CONTEXT_DEVIATION].number;
}

/*
 * The first of the kinds of components; others belong to all models.  The larger team is
 * favoured by the formula itself.
 */
#define HIVE_CONTEXT 0

static const ComponentSpec hive_components[] = {
	[HIVE_CONTEXT] = {.name = "context",
		.description = "log-odds of side 1 in a context",
		.scope = COMPONENT_OF_SIDE,.key = COMPONENT_BY_CONTEXT,
		.state = context_state,.nstate = CONTEXT_NSTATE,
	.used = context_used,.init = context_init},
	MODEL_COMMON_COMPONENTS(size_advantage_learned_if_asked)
};

/* The log-odds of the contexts of a match, each by its share. */
static double
context_log_odds(const Match *match)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < match->nshares; i++)
	{
		const MatchShare *share = &match->share[i];
		const MatchComponent *component = &match->component[share->component];

		if (component->number == HIVE_CONTEXT)
			sum += share->weight * component->before[CONTEXT_LOG_ODDS];
	}
	return sum;
}

/* What the match, with that probability of side 1 and that residual, says of its contexts. */
static void
update_contexts(Match *match, double win, double residual)
{
	double		gain = match_mean_gain(match);
	int			i;

	for (i = 0; i < match->nshares; i++)
	{
		const MatchShare *share = &match->share[i];
		MatchComponent *component = &match->component[share->component];
		double		variance;
		double		growth;

		if (component->number != HIVE_CONTEXT)
			continue;

		/* The precision after, in terms of that before. */
		variance = square(component->before[CONTEXT_DEVIATION]);
		growth = 1 + variance * square(share->weight) * (win * (1 - win));
		component->after[CONTEXT_LOG_ODDS] = component->before[CONTEXT_LOG_ODDS] +
			gain * variance / growth * share->weight * residual;
		component->after[CONTEXT_DEVIATION] =
			deviation_updated(component->before[CONTEXT_DEVIATION], 1 / sqrt(growth), gain, 0);
	}
}

/*
 * ---- Matches ----
 */

/* The sums of a match; an offset means nothing where sides do not differ. */
static HiveSums
hive_sums(const Match *match)
{
	HiveSums	sums = {0, 0, 0, 0, 0};
	int			first = match_first_side(match);
	int			i;

	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const double *state = match->player[e->player].before;
		bool		sided = match->team[e->team].side != 0;

		hive_sums_add(&sums, e->team == first ? 1 : -1,
					  e->weight, state[HIVE_SKILL],
					  sided ? state[HIVE_SIDE_OFFSET] : 0,
					  e->command_weight, state[HIVE_COMMAND_SKILL]);
	}
	return sums;
}

static void
hive_win_probabilities(Match *match, const HiveSums *sums)
{
	int			first = match_first_side(match);
	double		p = logistic(hive_sums_log_odds(sums, match->log_odds +
												context_log_odds(match)));

	match->team[first].win = p;
	match->team[1 - first].win = 1 - p;
}

static MatchStatus
hive_predict(const ParamValue *params, Match *match)
{
	HiveSums	sums = hive_sums(match);

	(void) params;
	hive_win_probabilities(match, &sums);
	return match_check_predictions(match);
}

/*
 * One step of AdaGrad, whose sum of squares comes first, with a constant rate
 * added.  A step never carries a skill below the minimum, and one that is
 * already there never further down.
 */
static void
hive_step(const ParamValue *params, double gain, double gradient,
		  double *skill, double *squares)
{
	double		floor = smaller(*skill, params[HIVE_MIN_SKILL].number);
	double		rate;

	/* A match of no gain teaches nothing, not even how sure a skill is. */
	if (gain == 0)
		return;
	*squares += gradient * gradient;
	rate = params[HIVE_C].number +
		params[HIVE_A].number / sqrt(*squares + params[HIVE_EPSILON].number);
	*skill += gain * rate * gradient;

	/* Not larger(), which would hide a NaN. */
	if (*skill < floor)
		*skill = floor;
}

static MatchStatus
hive_rate(const ParamValue *params, Match *match)
{
	HiveSums	sums = hive_sums(match);
	int			first = match_first_side(match);
	double		residual;
	int			i;

	hive_win_probabilities(match, &sums);

	residual = 0.5;
	if (match->team[first].rank != match->team[1 - first].rank)
		residual = match->team[first].rank < match->team[1 - first].rank;
	residual -= match->team[first].win;

	/*
	 * A player may have an entry on either team, and the gradient is that of
	 * both together: the states after first gather the derivatives of the
	 * log-odds, x, z and c of the docs.
	 */
	for (i = 0; i < match->nplayers; i++)
	{
		double	   *slope = match->player[i].after;

		slope[HIVE_SKILL] = slope[HIVE_SIDE_OFFSET] = slope[HIVE_COMMAND_SKILL] = 0;
	}
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		double	   *slope = match->player[e->player].after;
		double		sign = e->team == first ? 1 : -1;

		if (sums.weight > 0)
		{
			slope[HIVE_SKILL] += sign * e->weight / sums.weight;
			if (match->team[e->team].side != 0)
				slope[HIVE_SIDE_OFFSET] += e->weight / sums.weight;
		}
		if (sums.command_weight > 0)
			slope[HIVE_COMMAND_SKILL] += sign * e->command_weight /
				sums.command_weight;
	}
	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];
		double	   *after = player->after;
		double		skill_gradient = after[HIVE_SKILL] * residual;
		double		offset_gradient = after[HIVE_SIDE_OFFSET] * residual;
		double		command_gradient = after[HIVE_COMMAND_SKILL] * residual;
		int			j;

		for (j = 0; j < HIVE_NSTATE; j++)
			after[j] = player->before[j];

		hive_step(params, player->gain, skill_gradient,
				  &after[HIVE_SKILL], &after[HIVE_SKILL_SQUARES]);
		hive_step(params, player->gain, command_gradient,
				  &after[HIVE_COMMAND_SKILL], &after[HIVE_COMMAND_SQUARES]);
		after[HIVE_SIDE_OFFSET] += player->gain * params[HIVE_C].number *
			offset_gradient;
		player->gradient = skill_gradient;
	}
	update_contexts(match, match->team[first].win, residual);
	return match_check_predictions(match);
}

static void
hive_display(const ParamValue *params, double *coefficient)
{
	int			i;

	(void) params;
	for (i = 0; i <= HIVE_NSTATE; i++)
		coefficient[i] = (i == HIVE_SKILL);
}

static TeamStrength
hive_team_strength(const ParamValue *params)
{
	(void) params;
	return TEAM_STRENGTH_SHARE;
}

static const ModelPart hive_parts[] = {
	{.name = "context",.description = "log-odds of contexts, learnt from matches",
	.needs = MODEL_SIDE | MODEL_CONTEXT,.param = {{HIVE_CONTEXT_DEVIATION, 0, 0.5}},.nparams = 1},
	MODEL_COMMON_PARTS_WITH(SIZE_ADVANTAGE_AUTO, SIZE_ADVANTAGE_LEARNED)
};

extern const Model hive_model;
const Model hive_model = {
	.name = "hive",
	.summary = "logistic model with time weights, side offsets and commanders, for two teams",
	.source = "A Skill Ranking System for Natural Selection 2 (build 267)",
	.params = MODEL_PARAMS("hive", hive_params, HIVE_NPARAMS),
	.state = hive_state,
	.nstate = HIVE_NSTATE,
	.part = hive_parts,
	.nparts = sizeof(hive_parts) / sizeof(hive_parts[0]),
	.rules.supports = MODEL_DRAWS | MODEL_WEIGHT | MODEL_SIDE | MODEL_COMMANDING |
	MODEL_LOG_ODDS | MODEL_GAIN | MODEL_CONTEXT,
	.rules.component = hive_components,
	.rules.ncomponents = sizeof(hive_components) / sizeof(hive_components[0]),
	.rules.stint_weight = hive_stint_weight,
	.init = hive_init,
	.team_strength = hive_team_strength,
	.predict = hive_predict,
	.rate = hive_rate,
	.display = hive_display,
};
