/*
 * weng_lin_functions.c
 *		Weng and Lin's models for one match given as arrays.
 */
#include "pg/sql/arrays.h"

#include "funcapi.h"
#include "utils/builtins.h"

#include "core/models/weng_lin.h"
#include "pg/sql/composite.h"

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
	ARG_SPAN,
	ARG_PREVENT_SIGMA_INCREASE,
	ARG_EPSILON,
	ARG_WEIGHTS
};

/*
 * weng_lin_update(variant, team, rank, mu, sigma, weight, beta, kappa, tau,
 *				   span, prevent_sigma_increase, epsilon, weights)
 */
SQL_FUNCTION(skillrating_weng_lin_update)
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

	/* Sums of members, as in the paper and the libraries. */
	param_defaults(&model->params, params);
	params[WENG_LIN_STRENGTH].choice = WENG_LIN_SUM;
	choice_argument(model, params, WENG_LIN_VARIANT, PG_GETARG_TEXT_PP(ARG_VARIANT));
	number_argument(model, params, WENG_LIN_BETA, PG_GETARG_FLOAT8(ARG_BETA));
	number_argument(model, params, WENG_LIN_KAPPA, PG_GETARG_FLOAT8(ARG_KAPPA));
	number_argument(model, params, WENG_LIN_TAU, PG_GETARG_FLOAT8(ARG_TAU));
	number_argument(model, params, WENG_LIN_SPAN, PG_GETARG_INT32(ARG_SPAN));
	params[WENG_LIN_PREVENT_SIGMA_INCREASE].flag = PG_GETARG_BOOL(ARG_PREVENT_SIGMA_INCREASE);
	number_argument(model, params, WENG_LIN_EPSILON, PG_GETARG_FLOAT8(ARG_EPSILON));
	choice_argument(model, params, WENG_LIN_WEIGHTS, PG_GETARG_TEXT_PP(ARG_WEIGHTS));

	match = match_from_arrays(fcinfo, model, params, &arguments);
	weng_lin_update(params, match);
	return_states_after(fcinfo, model, match);
	return (Datum) 0;
}

/* The arguments of weng_lin_win_probability(). */
enum
{
	WIN_ARG_TEAM,
	WIN_ARG_MU,
	WIN_ARG_SIGMA,
	WIN_ARG_BETA,
	WIN_ARG_CURVE,
	WIN_ARG_VARIANT,
	WIN_ARG_EPSILON
};

/*
 * weng_lin_win_probability(team, mu, sigma, beta, curve, variant, epsilon)
 */
SQL_FUNCTION(skillrating_weng_lin_win_probability)
{
	static const MatchArguments arguments = {
		.team = WIN_ARG_TEAM,.rank = -1,.state = WIN_ARG_MU,.weight = -1
	};
	const Model *model = get_model("weng_lin");
	ParamValue	params[WENG_LIN_NPARAMS];
	MatchStatus status;
	Match	   *match;
	double	   *win;
	int			i;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);

	/* Sums of members, as in the paper and the libraries. */
	param_defaults(&model->params, params);
	params[WENG_LIN_STRENGTH].choice = WENG_LIN_SUM;
	params[WENG_LIN_TAU].number = 0;
	number_argument(model, params, WENG_LIN_BETA, PG_GETARG_FLOAT8(WIN_ARG_BETA));
	choice_argument(model, params, WENG_LIN_VARIANT, PG_GETARG_TEXT_PP(WIN_ARG_VARIANT));
	number_argument(model, params, WENG_LIN_EPSILON, PG_GETARG_FLOAT8(WIN_ARG_EPSILON));

	match = match_from_arrays(fcinfo, model, params, &arguments);
	win = palloc_array(double, match->nteams);
	weng_lin_pairwise_win(match, params[WENG_LIN_BETA].number,
						  is_logistic(PG_GETARG_DATUM(WIN_ARG_CURVE)), win);
	status = model_predict(model, params, match);
	if (status != MATCH_OK)
		report_match_status(status, NAN, NULL);
	for (i = 0; i < match->nteams; i++)
	{
		ResultRow	row = {0};

		put_int32(&row, match->team[i].number);
		put_number(&row, check_result(win[i]));
		put_number(&row, match->team[i].win);
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}

/* weng_lin_draw_probability(team, mu, sigma, beta) */
SQL_FUNCTION(skillrating_weng_lin_draw_probability)
{
	static const MatchArguments arguments = {
		.team = 0,.rank = -1,.state = 1,.weight = -1
	};
	const Model *model = get_model("weng_lin");
	float8		beta = check_positive("beta", PG_GETARG_FLOAT8(3));

	PG_RETURN_FLOAT8(check_result(weng_lin_pairwise_draw(match_from_arrays(fcinfo, model,
																		   NULL, &arguments),
														 beta)));
}
