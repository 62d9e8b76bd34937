/*
 * operation.c
 *		What is done to states other than by matches.
 */
#include "core/rating/operation.h"

#include <math.h>

#include "core/rating/display.h"
#include "core/util/extremes.h"

/*
 * A soft reset: every column moves towards its initial value, deviations so
 * that variances do, or not at all; what has been reached or counted stays.
 */
static void
move_towards(const Operation *season, const double *initial, const StateSpec *column, int n,
			 double *state)
{
	int			i;

	for (i = 0; i < n; i++)
		if (column[i].role == ROLE_DEVIATION && !season->keep_deviations)
			state[i] = season_deviation(state[i], initial[i], season->keep);
		else if (column[i].role != ROLE_DEVIATION && column[i].role != ROLE_PERIOD &&
				 column[i].role != ROLE_HIGHEST && column[i].role != ROLE_GAMES)
			state[i] = season_rating(state[i], initial[i], season->keep);
}

/* A soft reset of a player, whose first column may move towards a mean that was given. */
static void
new_season(const Operation *operation, const Model *model,
		   const ParamValue *params, double *state)
{
	double		initial[MODEL_MAX_STATE];

	model->init(params, initial);
	if (operation->has_mean)
		initial[0] = operation->mean;
	move_towards(operation, initial, model->state, model->nstate, state);
}

/* Move the first column so that the displayed rating changes by so much. */
static void
shift_display(const Model *model, const ParamValue *params, double change,
			  double *state)
{
	double		coefficient[MODEL_MAX_STATE + 1];

	model->display(params, coefficient);
	if (change != 0 && coefficient[0] != 0)
		state[0] += change / coefficient[0];
}

/*
 * The highest rating is one that a rating has been set to, as well, and no operation but one
 * that sets it, or makes a newcomer, takes it back.
 */
static void
keep_highest(const Model *model, double *state)
{
	int			column = model_state_column(model, ROLE_HIGHEST);

	if (column >= 0)
		state[column] = larger(state[column], state[0]);
}

bool
operation_leaves_fixed(OperationKind kind)
{
	return kind != OPERATION_SET && kind != OPERATION_RESET && kind != OPERATION_FIX;
}

bool
operation_is_on_components(OperationKind kind)
{
	return kind == OPERATION_SEASON || kind == OPERATION_SETTLE || kind == OPERATION_RESET;
}

MatchStatus
operation_apply(const Operation *operation, const Model *model,
				const ParamValue *params, double idle_days, double *state)
{
	double		rating;
	int			i;

	if (operation->kind == OPERATION_FIX)
		return MATCH_OK;

	/* What is done is done to the games of a period so far, too. */
	if (operation->kind != OPERATION_SETTLE)
		period_settle(model, params, state);
	rating = model_display(model, params, state);
	switch (operation->kind)
	{
		case OPERATION_SEASON:
			new_season(operation, model, params, state);
			break;
		case OPERATION_DECAY:
			shift_display(model, params,
						  inactivity_decay(rating, idle_days, 0,
										   operation->rate,
										   operation->floor) - rating,
						  state);
			break;
		case OPERATION_REGRESSION:
			shift_display(model, params,
						  inactivity_regression(rating, idle_days, 0,
												operation->mean,
												operation->half_life_days) - rating,
						  state);
			break;
		case OPERATION_SET:
			for (i = 0; i < model->nstate; i++)
				if (!isnan(operation->value[i]))
					state[i] = operation->value[i];
			break;
		case OPERATION_SETTLE:
		case OPERATION_FIX:
			break;
		case OPERATION_RESET:
			model->init(params, state);
			break;
		case OPERATION_REFUND:
			/* Who is above the peak by now loses nothing. */
			shift_display(model, params,
						  larger(smaller(operation->amount, operation->peak - rating), 0),
						  state);
			break;
	}
	if (operation->kind != OPERATION_SET)
		state_bound(model->state, model->nstate, state);
	keep_highest(model, state);
	if (operation->kind == OPERATION_SEASON || operation->kind == OPERATION_SET)
		model_begin_rounds(model, params, state);
	return model_state_valid(model, state) ? MATCH_OK : MATCH_OVERFLOW;
}

MatchStatus
operation_apply_to_component(const Operation *operation, const ComponentSpec *spec,
							 const ParamValue *params, double *state)
{
	double		initial[COMPONENT_MAX_STATE];

	switch (operation->kind)
	{
		case OPERATION_SEASON:
			spec->init(params, initial);
			move_towards(operation, initial, spec->state, spec->nstate, state);
			break;
		case OPERATION_RESET:
			spec->init(params, state);
			break;
		case OPERATION_DECAY:
		case OPERATION_REGRESSION:
		case OPERATION_SET:
		case OPERATION_SETTLE:
		case OPERATION_REFUND:
		case OPERATION_FIX:
			break;
	}
	state_bound(spec->state, spec->nstate, state);
	return component_state_valid(spec, state) ? MATCH_OK : MATCH_OVERFLOW;
}
