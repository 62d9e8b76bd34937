/*
 * through_time_solver.c
 *		The parameters of the solver through_time.
 */
#include "core/solve/through_time.h"

#include "core/math/elementary.h"
#include "core/math/square.h"
#include "core/models/registry.h"
#include "core/solve/solver.h"
#include "core/util/extremes.h"

enum
{
	THROUGH_TIME_MAX_ITERATIONS,
	THROUGH_TIME_TOLERANCE,
	THROUGH_TIME_MEMORY,
	THROUGH_TIME_ERRORS,
	THROUGH_TIME_EVIDENCE,
	THROUGH_TIME_NOWN,
	THROUGH_TIME_NPARAMS = THROUGH_TIME_NOWN + STATE_SPACE_OWN_PARAMS
};

enum
{
	ERRORS_MESSAGES,
	ERRORS_JOINT
};

static const char *const errors_choices[] = {"messages", "joint", NULL};
static const char *const evidence_choices[] = {"auto", "messages", "joint", NULL};

static const ParamSpec through_time_params[] = {
	{.name = "max_iterations",.type = PARAM_NUMBER,.default_value = 200,
		.min = 1,.max = 1e9,.unit = "passes",
	.description = "after which the search gives up"},
	{.name = "tolerance",.type = PARAM_NUMBER,.default_value = 1e-4,
		.min = 0,.above_min = true,.max = 1,.unit = "deviations",
	.description = "change of every skill, in its deviations, below which it is done"},
	{.name = "memory",.type = PARAM_NUMBER,.default_value = 4096,
		.min = 1,.max = 1e9,.unit = "MB",
	.description = "most that the problem may take, which is known before it is made"},
	{.name = "errors",.type = PARAM_CHOICE,.default_value = ERRORS_MESSAGES,
		.choices = errors_choices,
	.description = "skills and errors from messages, which take others to be independent, or from the joint distribution of all"},
	{.name = "evidence",.type = PARAM_CHOICE,.default_value = THROUGH_TIME_AUTO,
		.choices = evidence_choices,
	.description = "log_evidence from messages, from the joint distribution, or from that unless it takes too long"},
};

const Solver through_time_solver = {
	.name = "through_time",
	.summary = "TrueSkill Through Time: a skill at each appearance, from all matches before and after",
	.source = "Dangauthier, Herbrich, Minka and Graepel (2007)",
	.params = PARAM_SET_BEHIND("solver", "through_time", through_time_params, THROUGH_TIME_NOWN,
							   state_space_params, THROUGH_TIME_NPARAMS),

	/* Those of the model state_space, by whose rules its matches are built. */
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_SIDE |
	MODEL_COMMANDING | MODEL_LOG_ODDS | MODEL_GAIN | MODEL_SCORE | MODEL_CONTEXT | MODEL_CLUB,
};

/* A parameter of the model. */
static double *
number(const ThroughTime *tt, ParamValue *params, const char *name)
{
	return &params[param_find(&tt->model->params, name)].number;
}

/* How an unknown with the prior deviation of one parameter and the drifts of others varies. */
static ChainPrior
chain_prior(const ThroughTime *tt, ParamValue *params, const char *mean,
			const char *deviation, const char *tau, const char *drift, const char *reversion)
{
	return (ChainPrior)
	{
		.mean = mean == NULL ? 0 : *number(tt, params, mean),
			.variance = square(*number(tt, params, deviation)),
			.step = tau == NULL ? 0 : square(*number(tt, params, tau)),
			.drift = drift == NULL ? 0 : square(*number(tt, params, drift)),
			.reversion = reversion == NULL ? 0 : *number(tt, params, reversion)
	};
}

/* The chains of all kinds but that of draws, whose margin is a parameter here. */
static void
set_priors(ThroughTime *tt, ParamValue *params)
{
	ChainPrior *component = tt->prior + PLAYER_UNKNOWNS;

	tt->prior[UNKNOWN_SKILL] = chain_prior(tt, params, "initial_mu", "initial_sigma", "tau",
										   "drift", "reversion");
	tt->prior[UNKNOWN_SIDE] = chain_prior(tt, params, NULL, "initial_side_sigma", NULL, NULL,
										  NULL);
	tt->prior[UNKNOWN_COMMAND] = chain_prior(tt, params, "initial_command_mu",
											 "initial_command_sigma", "tau", "drift",
											 "reversion");
	component[STATE_SPACE_HOME] = chain_prior(tt, params, NULL, "home_sigma", NULL,
											  "home_drift", NULL);
	component[STATE_SPACE_HOME_CONTEXT] = chain_prior(tt, params, NULL, "home_context_sigma",
													  NULL, NULL, NULL);
	component[STATE_SPACE_PLAYER_CONTEXT] = chain_prior(tt, params, NULL,
														"player_context_sigma", NULL, NULL,
														NULL);
	component[STATE_SPACE_CLUB] = chain_prior(tt, params, NULL, "club_sigma", "club_tau",
											  "club_drift", NULL);
}

void
through_time_configure(ThroughTime *tt, const ParamValue *params,
					   ParamValue *model_params)
{
	int			i;

	tt->model = model_find("state_space");

	/*
	 * Common parameters of models have no part here: they stay at their
	 * defaults, or, as the advantage of a larger team, are turned off.
	 */
	param_defaults(&tt->model->params, model_params);
	model_params[SIZE_ADVANTAGE].choice = SIZE_ADVANTAGE_NONE;
	for (i = 0; i < STATE_SPACE_OWN_PARAMS; i++)
		model_params[MODEL_COMMON_PARAMS + i] = params[THROUGH_TIME_NOWN + i];
	set_priors(tt, model_params);

	/*
	 * The messages have the drift and the newcomers; a match must not add
	 * them again.
	 */
	tt->newcomer_offset = *number(tt, model_params, "newcomer_offset");
	tt->newcomer_company = *number(tt, model_params, "newcomer_company");
	*number(tt, model_params, "tau") = 0;
	*number(tt, model_params, "club_tau") = 0;
	*number(tt, model_params, "newcomer_offset") = 0;
	*number(tt, model_params, "newcomer_company") = 0;
	*number(tt, model_params, "draw_sigma") = 0;
	tt->params = model_params;
	tt->space = state_space_from_params(model_params);
}

void
through_time_set_model_params(ParamValue *params, const ParamValue *model_params)
{
	int			i;

	for (i = 0; i < STATE_SPACE_OWN_PARAMS; i++)
		params[THROUGH_TIME_NOWN + i] = model_params[MODEL_COMMON_PARAMS + i];
}

/*
 * A margin of exp(10) deviations makes everything a draw; beyond it nothing changes but that
 * numbers overflow.
 */
void
through_time_set_log_margin(ThroughTime *tt, double log_margin)
{
	const double largest = 10;

	tt->space.margin = portable_exp(smaller(log_margin, largest));
}

double
through_time_tolerance(const ParamValue *params)
{
	return params[THROUGH_TIME_TOLERANCE].number;
}

int
through_time_max_passes(const ParamValue *params)
{
	return (int) params[THROUGH_TIME_MAX_ITERATIONS].number;
}

ThroughTimeMethod
through_time_errors(const ParamValue *params)
{
	return params[THROUGH_TIME_ERRORS].choice == ERRORS_JOINT ? THROUGH_TIME_JOINT :
		THROUGH_TIME_MESSAGES;
}

ThroughTimeMethod
through_time_evidence(const ParamValue *params)
{
	return (ThroughTimeMethod) params[THROUGH_TIME_EVIDENCE].choice;
}
