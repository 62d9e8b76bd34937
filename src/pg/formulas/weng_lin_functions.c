/*
 * weng_lin_functions.c
 *		Weng and Lin's models for one match given as arrays.
 */
#include "pg/sql/arrays.h"

#include "funcapi.h"

#include "core/models/weng_lin.h"

SKILLRATING_FUNCTION(skillrating_weng_lin_update);

/* The arguments of weng_lin_update(). */
enum
{
	ARG_VARIANT,
	ARG_TEAM,
	ARG_RANK,
	ARG_MU,
	ARG_SIGMA,
	ARG_WEIGHT,
	ARG_BETA,
	ARG_KAPPA,
	ARG_TAU,
	ARG_WINDOW,
	ARG_PREVENT_SIGMA_INCREASE,
	ARG_EPSILON,
	ARG_WEIGHTS
};

/*
 * weng_lin_update(variant, team, rank, mu, sigma, weight, beta, kappa, tau,
 *				   window, prevent_sigma_increase, epsilon, weights)
 */
Datum
skillrating_weng_lin_update(PG_FUNCTION_ARGS)
{
	static const MatchArguments arguments = {
		.team = ARG_TEAM,.rank = ARG_RANK,.state = ARG_MU,.weight = ARG_WEIGHT
	};
	const Model *model = get_model("weng_lin");
	ParamValue	params[WENG_LIN_NPARAMS];
	Match	   *match;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (argument_is_null(fcinfo, arguments.weight))
		return (Datum) 0;

	param_defaults(&model->params, params);
	choice_argument(model, params, WENG_LIN_VARIANT, PG_GETARG_TEXT_PP(ARG_VARIANT));
	number_argument(model, params, WENG_LIN_BETA, PG_GETARG_FLOAT8(ARG_BETA));
	number_argument(model, params, WENG_LIN_KAPPA, PG_GETARG_FLOAT8(ARG_KAPPA));
	number_argument(model, params, WENG_LIN_TAU, PG_GETARG_FLOAT8(ARG_TAU));
	number_argument(model, params, WENG_LIN_WINDOW, PG_GETARG_INT32(ARG_WINDOW));
	params[WENG_LIN_PREVENT_SIGMA_INCREASE].flag = PG_GETARG_BOOL(ARG_PREVENT_SIGMA_INCREASE);
	number_argument(model, params, WENG_LIN_EPSILON, PG_GETARG_FLOAT8(ARG_EPSILON));
	choice_argument(model, params, WENG_LIN_WEIGHTS, PG_GETARG_TEXT_PP(ARG_WEIGHTS));

	match = match_from_arrays(fcinfo, model, params, &arguments);
	weng_lin_update(params, match);
	return_states_after(fcinfo, model, match);
	return (Datum) 0;
}
