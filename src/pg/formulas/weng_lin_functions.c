/*
 * weng_lin_functions.c
 *		Weng and Lin's models for one match given as arrays.
 */
#include "pg/sql/arrays.h"

#include "funcapi.h"
#include "utils/builtins.h"

#include "core/models/weng_lin.h"

SKILLRATING_FUNCTION(skillrating_weng_lin_update);

/* A parameter of the model as an argument, within the parameter's range. */
static void
number_argument(const Model *model, ParamValue *params, int index, double value)
{
	const ParamSpec *spec = &model->params.spec[index];

	if (!param_in_range(spec, value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s is out of range: %g", spec->name, value),
				 errhint("It must be %s %g and at most %g.",
						 spec->above_min ? "above" : "at least",
						 spec->min, spec->max)));
	params[index].number = value;
}

static void
choice_argument(const Model *model, ParamValue *params, int index, text * value)
{
	const ParamSpec *spec = &model->params.spec[index];
	char	   *word = text_to_cstring(value);
	StringInfoData words;
	int			i;

	initStringInfo(&words);
	for (i = 0; spec->choices[i] != NULL; i++)
	{
		if (strcmp(word, spec->choices[i]) == 0)
		{
			params[index].choice = i;
			return;
		}
		appendStringInfo(&words, "%s\"%s\"", i > 0 ? ", " : "",
						 spec->choices[i]);
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown %s \"%s\"", spec->name, word),
			 errhint("It must be one of %s.", words.data)));
}

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

	/* Sums of members, as in the paper and the libraries. */
	param_defaults(&model->params, params);
	params[WENG_LIN_STRENGTH].choice = WENG_LIN_SUM;
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
