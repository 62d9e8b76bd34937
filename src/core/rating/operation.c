/*
 * operation.c
 *		What is done to states other than by matches.
 */
#include "core/rating/operation.h"

#include <math.h>

#include "core/rating/display.h"
#include "core/util/extremes.h"

/*
 * A soft reset: every column moves towards its initial value, or the first one towards
 * a mean that was given; deviations so that variances do.
 */
static void
new_season(const Operation *operation, const Model *model,
		   const ParamValue *params, double *state)
{
	double		initial[MODEL_MAX_STATE];
	int			i;

	model->init(params, initial);
	if (operation->has_mean)
		initial[0] = operation->mean;
	for (i = 0; i < model->nstate; i++)
		state[i] = model->state[i].role == ROLE_DEVIATION ?
			season_deviation(state[i], initial[i], operation->keep) :
			season_rating(state[i], initial[i], operation->keep);
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

MatchStatus
operation_apply(const Operation *operation, const Model *model,
				const ParamValue *params, double idle_days, double *state)
{
	double		rating = model_display(model, params, state);
	int			i;

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
	return model_state_valid(model, state) ? MATCH_OK : MATCH_OVERFLOW;
}
