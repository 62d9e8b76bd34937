/*
 * model.c
 *		The functions common to all rating models.
 *
 * A model is a table of functions and constants (Model), some of which it need not have: the
 * functions here stand for them and say what is so without.  A match is the caller's.  Those that
 * order its participants put them back before they return, also where the model fails.
 */
#include "core/rating/model.h"

#include <math.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/rating/match_order.h"
#include "core/util/extremes.h"

const ParamSpec model_common_params[MODEL_COMMON_PARAMS] = {
	RECALIBRATION_PARAMS,
	SIZE_ADVANTAGE_PARAMS
};

const ComponentSpec model_common_components[MODEL_NCOMMON_COMPONENTS] = {
	MODEL_COMMON_COMPONENTS(size_advantage_learned)
};

const ModelPart model_common_parts[MODEL_NCOMMON_PARTS] = {MODEL_COMMON_PARTS};

double
model_display(const Model *model, const ParamValue *params,
			  const double *state)
{
	double		coefficient[MODEL_MAX_STATE + 1];
	double		sum;
	int			i;

	model->display(params, coefficient);
	sum = coefficient[model->nstate];
	for (i = 0; i < model->nstate; i++)
		if (coefficient[i] != 0)
			sum += coefficient[i] * state[i];
	return sum;
}

const Model *
model_variant(const Model *model, const ParamValue *params)
{
	return model->variant != NULL ? model->variant(params) : model;
}

static bool
learns_size_advantage(const Model *model, const ParamValue *params)
{
	int			i;

	for (i = 0; i < model->rules.ncomponents; i++)
		if (model->rules.component[i].init == size_advantage_init)
			return model->rules.component[i].used(params);
	return false;
}

int
model_idle_param(const Model *model, const ParamValue *params)
{
	int			i;

	if (params[SIZE_ADVANTAGE].choice == SIZE_ADVANTAGE_AUTO &&
		!learns_size_advantage(model, params))
		for (i = SIZE_ADVANTAGE_PARAM_RATIO; i <= SIZE_ADVANTAGE_PARAM_DIFFERENCE; i++)
			if (params[i].number != 0)
				return i;
	return param_idle(&model->params, params);
}

void
model_reset_idle_params(const Model *model, ParamValue *params)
{
	int			i;

	while ((i = model_idle_param(model, params)) >= 0)
		param_default(param_spec(&model->params, i), &params[i]);
}

bool
model_part_is_on(const Model *model, const ParamValue *params, const ModelPart *part)
{
	const PartParam *first = &part->param[0];

	return param_number(param_spec(&model->params, first->param),
						&params[first->param]) != first->off;
}

unsigned
model_uses(const Model *model, const ParamValue *params)
{
	unsigned	uses = 0;
	unsigned	off = 0;
	int			i;

	for (i = 0; i < model->nparts; i++)
	{
		const ModelPart *part = &model->part[i];

		if (model_part_is_on(model, params, part))
			uses |= part->needs;
		else if (part->kind == PART_OF_MODEL)
			off |= part->needs;
	}

	/* A state column learns also where no part needs it. */
	if (model_state_column(model, ROLE_SIDE) >= 0)
		uses |= MODEL_SIDE;
	if (model_state_column(model, ROLE_COMMAND) >= 0)
		uses |= MODEL_COMMANDING;
	return uses | (model->rules.supports & ~off);
}

TeamStrength
model_team_strength(const Model *model, const ParamValue *params)
{
	return model->team_strength != NULL ? model->team_strength(params) :
		TEAM_STRENGTH_MEAN;
}

double
model_worth(const Model *model, const ParamValue *params, const double *state, int squad)
{
	return model->worth != NULL ? model->worth(params, state, squad) : state[0];
}

void
model_begin_rounds(const Model *model, const ParamValue *params, double *state)
{
	double		initial[MODEL_MAX_STATE];
	int			i;

	model->init(params, initial);
	for (i = 0; i < model->nstate; i++)
		if (model->state[i].role == ROLE_ROUNDS)
			state[i] = initial[i];
}

/* How many of n states in the order of their rounds come before so many rounds. */
static int
states_before(const Model *model, const double *states, int n, double rounds)
{
	int			column = model_state_column(model, ROLE_ROUNDS);
	int			first = 0;

	while (first < n)
	{
		int			middle = first + (n - first) / 2;

		if (states[(size_t) middle * model->nstate + column] < rounds)
			first = middle + 1;
		else
			n = middle;
	}
	return first;
}

void
model_look_back(const Model *model, const ParamValue *params, const double *states, int n,
				MatchPlayer *p)
{
	double		number[MATCH_MAX_PAST];
	int			i;

	if (model->look_back == NULL)
		return;
	model->look_back(params, p->before, number);
	for (i = 0; i < MATCH_MAX_PAST; i++)
	{
		int			place = states_before(model, states, n, number[i]);
		const double *state = states + (size_t) place * model->nstate;

		p->past[i] = number[i] > 0 && place < n &&
			state[model_state_column(model, ROLE_ROUNDS)] == number[i] ? state : NULL;
	}
}

int
model_remember(const Model *model, const double *after, double *states, int n)
{
	int			column = model_state_column(model, ROLE_ROUNDS);

	n = states_before(model, states, n, after[column]);
	memcpy(states + (size_t) n * model->nstate, after, model->nstate * sizeof(double));
	return n + 1;
}

int
model_state_column(const Model *model, StateRole role)
{
	int			i;

	for (i = 0; i < model->nstate; i++)
		if (model->state[i].role == role)
			return i;
	return -1;
}

/* The log-odds that the model gives a player who is ahead of a newcomer. */
static double
log_odds_ahead(const Model *model, const ParamValue *params, double ahead)
{
	double		before[2][MODEL_MAX_STATE];
	double		after[2][MODEL_MAX_STATE];
	MatchTeam	team[2];
	MatchPlayer player[2];
	MatchEntry	entry[2];
	Participant participant[2];
	Match		match = {.nplayers = 2,.team = team,.player = player,
	.entry = entry};
	int			offender;
	int			i;
	int			j;

	for (i = 0; i < 2; i++)
	{
		participant[i] = participant_default;
		participant[i].player = i;
		participant[i].team = participant[i].rank = i + 1;
	}
	/* A duel without components: match.component is NULL. */
	if (match_build(&model->rules, params, participant, 2, &match, &offender) != MATCH_OK)
		return NAN;

	for (i = 0; i < 2; i++)
	{
		model->init(params, before[i]);
		for (j = 0; j < model->nstate; j++)
			if (model->state[j].role == ROLE_DEVIATION)

				/*
				 * Nearly certain, so that the unit is that of skills and not
				 * of what is known of them.
				 */
				before[i][j] = larger(before[i][j] * 1e-9, model->state[j].min);
		player[i].before = before[i];
		player[i].after = after[i];
		player[i].games = 0;
	}
	before[0][0] += ahead;
	if (model_predict(model, params, &match) != MATCH_OK)
		return NAN;
	return portable_log(team[0].win / (1 - team[0].win));
}

/* First anyhow, then with a difference that is small for the model. */
double
model_log_odds_unit(const Model *model, const ParamValue *params)
{
	double		unit = 1 / log_odds_ahead(model, params, 1);

	return 1e-4 * unit / log_odds_ahead(model, params, 1e-4 * unit);
}

double
idle_seconds(int64_t as_of, int64_t at)
{
	if (as_of == NEVER_PLAYED || at <= as_of)
		return 0;
	return (at - as_of) / 1e6;
}

void
model_state_before(const Model *model, const ParamValue *params,
				   const double *state, double idle, Period period,
				   const double *shared, double shared_idle, double *before)
{
	int			i;

	memcpy(before, state, model->nstate * sizeof(double));
	if (model->age != NULL && idle > 0)
	{
		model->age(params, before, idle);
		if (model_state_valid(model, state))
			state_bound(model->state, model->nstate, before);
	}
	if (model->period != 0)
		period_turn(model, params, period, before);
	if (shared == NULL)
		return;
	for (i = 0; i < model->nstate; i++)
		if (model->state[i].shared)
			before[i] = shared[i];
	if (shared_idle > 0)
	{
		/* A model that has shared columns has this function. */
		model->age_shared(params, before, shared_idle);
		for (i = 0; i < model->nstate; i++)
			if (model->state[i].shared && state_value_valid(&model->state[i], shared[i]))
				state_bound(&model->state[i], 1, &before[i]);
	}
}

bool
model_state_valid(const Model *model, const double *state)
{
	int			i;

	for (i = 0; i < model->nstate; i++)
		if (!state_value_valid(&model->state[i], state[i]))
			return false;
	return true;
}

void
component_state_before(const ComponentSpec *spec, const ParamValue *params,
					   const double *state, double idle, double *before)
{
	memcpy(before, state, spec->nstate * sizeof(double));
	if (spec->age != NULL && idle > 0)
	{
		spec->age(params, before, idle);
		if (component_state_valid(spec, state))
			state_bound(spec->state, spec->nstate, before);
	}
}

/*
 * ---- What all models have ----
 *
 * A model sees its own components alone, and of the advantage of the larger team no more
 * than the log-odds that it is worth.
 */

/* What was taken off a match, which is in order. */
typedef struct Common
{
	MatchComponent *recalibration;	/* or NULL */
	MatchComponent *size_advantage;
	double		log_odds;		/* of the context alone */
} Common;

/* Take the last component, if it begins like that, and its only share off the match. */
static MatchComponent *
take_component(Match *match, void (*init) (const ParamValue *params, double *state))
{
	if (match->ncomponents == 0 ||
		match->component[match->ncomponents - 1].spec->init != init)
		return NULL;
	match->ncomponents--;
	match->nshares--;
	return &match->component[match->ncomponents];
}

static void
put_component_back(Match *match, const MatchComponent *component)
{
	if (component != NULL)
	{
		match->ncomponents++;
		match->nshares++;
	}
}

static Common
take_common(const ParamValue *params, Match *match)
{
	Common		common;
	double		coefficient[2];

	/* Every model lists these kinds last. */
	common.recalibration = take_component(match, recalibration_init);
	common.size_advantage = take_component(match, size_advantage_init);
	common.log_odds = match->log_odds;
	if (size_advantage_coefficients(params, common.size_advantage == NULL ? NULL :
									common.size_advantage->before, coefficient))
		size_advantage_give(coefficient, match);
	return common;
}

static void
put_common_back(Match *match, const Common *common)
{
	int			i;

	put_component_back(match, common->size_advantage);
	put_component_back(match, common->recalibration);
	match->log_odds = common->log_odds;
	for (i = 0; i < match->nteams; i++)
		match->team[i].advantage = 0;
}

MatchStatus
model_predict(const Model *model, const ParamValue *params, Match *match)
{
	MatchOrder	order = match_order(match, model->nstate);
	Common		common = take_common(params, match);
	MatchStatus status = model->predict(params, match);
	if (status == MATCH_OK && common.recalibration != NULL)
		status = recalibration_correct(common.recalibration->before, match);
	put_common_back(match, &common);
	if (order.moved)
		match_restore_order(match);
	return status;
}

/* What correcting a forecast makes of the probability of a draw; the forecast stays. */
static double
corrected_draw(const Model *model, const ParamValue *params, Match *match,
			   const double *state, double draw)
{
	double		win[2] = {match->team[0].win, match->team[1].win};
	double		first;
	MatchStatus status = model->predict(params, match);

	first = match->team[0].win;
	if (status == MATCH_OK)
		status = recalibration_correct(state, match);
	draw = status == MATCH_OK ? recalibration_draw(first, match->team[0].win, draw) : NAN;
	match->team[0].win = win[0];
	match->team[1].win = win[1];
	return draw;
}

double
model_draw(const Model *model, const ParamValue *params, Match *match)
{
	MatchOrder	order;
	Common		common;
	double		draw;

	if (model->draw == NULL || match->nteams != 2)
		return NAN;
	order = match_order(match, model->nstate);
	common = take_common(params, match);
	draw = model->draw(params, match);
	if (common.recalibration != NULL && !isnan(draw))
		draw = corrected_draw(model, params, match, common.recalibration->before, draw);
	put_common_back(match, &common);
	if (order.moved)
		match_restore_order(match);
	return draw;
}

/* The states after of the common components, from the model's own forecast, and that corrected. */
static MatchStatus
learn_common(const ParamValue *params, Match *match, const Common *common)
{
	const MatchComponent *size_advantage = common->size_advantage;
	const MatchComponent *recalibration = common->recalibration;
	MatchStatus status = MATCH_OK;

	if (size_advantage != NULL)
		status = size_advantage_learn(params, size_advantage->before, match,
									  size_advantage->after);
	if (status == MATCH_OK && recalibration != NULL)
		status = recalibration_learn(params, recalibration->before, match,
									 recalibration->after);
	if (status == MATCH_OK && recalibration != NULL)
		status = recalibration_correct(recalibration->before, match);
	return status;
}

MatchStatus
model_rate(const Model *model, const ParamValue *params, Match *match)
{
	MatchOrder	order;
	Common		common;
	bool		has_common;
	MatchStatus status;
	int			i;

	if (model->period != 0 && match->period.key == 0)
		return MATCH_NO_PERIOD;

	/* States before come from tables that an owner can write to. */
	for (i = 0; i < match->nplayers; i++)
		if (!model_state_valid(model, match->player[i].before))
			return MATCH_BAD_STATE;
	for (i = 0; i < match->ncomponents; i++)
		if (!component_state_valid(match->component[i].spec, match->component[i].before))
			return MATCH_BAD_STATE;

	order = match_order(match, model->nstate);
	has_common = match->ncomponents > 0 ||
		params[SIZE_ADVANTAGE].choice == SIZE_ADVANTAGE_FIXED;
	if (has_common)
		common = take_common(params, match);
	status = model->rate(params, match);
	if (has_common)
	{
		if (status == MATCH_OK)
			status = learn_common(params, match, &common);
		put_common_back(match, &common);
	}

	/* While the match is in the order that the model had. */
	if (status == MATCH_OK && order.has_ties)
		match_equalize(match, model->nstate);
	if (order.moved)
		match_restore_order(match);
	if (status != MATCH_OK)
		return status;

	/*
	 * What is fixed goes out as it came in, whatever the model makes of it:
	 * players, and what is theirs.  The states after are written, but the
	 * caller takes over none if one is not sound.
	 */
	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		if (player->fixed == 1)
			memcpy(player->after, player->before, model->nstate * sizeof(double));
		if (!model_state_valid(model, player->after) || !isfinite(player->gradient))
			return MATCH_OVERFLOW;
	}
	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];

		if (component->player >= 0 && match->player[component->player].fixed == 1)
			memcpy(component->after, component->before,
				   component->spec->nstate * sizeof(double));
		if (!component_state_valid(component->spec, component->after))
			return MATCH_OVERFLOW;
	}
	return MATCH_OK;
}
