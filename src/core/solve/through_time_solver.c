/*
 * through_time_solver.c
 *		The parameters of the solver through_time.
 */
#include "core/solve/through_time.h"

#include "core/math/square.h"
#include "core/models/registry.h"
#include "core/models/state_space_params.h"
#include "core/solve/solver.h"

enum
{
	THROUGH_TIME_MAX_ITERATIONS,
	THROUGH_TIME_TOLERANCE,
	THROUGH_TIME_MEMORY,
	THROUGH_TIME_ERRORS,
	THROUGH_TIME_EVIDENCE,
	THROUGH_TIME_NOWN,
	THROUGH_TIME_NPARAMS = THROUGH_TIME_NOWN + STATE_SPACE_NPARAMS
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
	STATE_SPACE_PARAMS(25, 25.0 / 3, 25.0 / 6, 25.0 / 300)
};

const Solver through_time_solver = {
	.name = "through_time",
	.summary = "TrueSkill Through Time: a skill at each appearance, from all matches before and after",
	.source = "Dangauthier, Herbrich, Minka and Graepel (2007)",
	.params = PARAM_SET("solver", "through_time", through_time_params, THROUGH_TIME_NPARAMS),

	/* Those of the model state_space, by whose rules its matches are built. */
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_SIDE |
	MODEL_COMMANDING | MODEL_LOG_ODDS | MODEL_GAIN | MODEL_SCORE | MODEL_CONTEXT | MODEL_CLUB,
};

/* How an unknown with the prior deviation of one parameter and the drifts of others varies. */
static ChainPrior
chain_prior(const ParamValue *params, double mean, int deviation, int tau, int drift,
			int reversion)
{
	return (ChainPrior)
	{
		.mean = mean,
			.variance = square(params[deviation].number),
			.step = tau < 0 ? 0 : square(params[tau].number),
			.drift = drift < 0 ? 0 : square(params[drift].number),
			.reversion = reversion < 0 ? 0 : params[reversion].number
	};
}

void
through_time_configure(ThroughTime *tt, const ParamValue *params,
					   ParamValue *model_params)
{
	const ParamValue *p = params + THROUGH_TIME_NOWN;
	double		mu = p[PARAM_INITIAL_MU].number;
	double		command_mu = p[PARAM_INITIAL_COMMAND_MU].number;
	int			i;

	tt->model = model_find("state_space");
	tt->prior[UNKNOWN_SKILL] = chain_prior(p, mu, PARAM_INITIAL_SIGMA, PARAM_TAU,
										   PARAM_DRIFT, PARAM_REVERSION);
	tt->prior[UNKNOWN_SIDE] = chain_prior(p, 0, PARAM_INITIAL_SIDE_SIGMA, -1, -1, -1);
	tt->prior[UNKNOWN_COMMAND] = chain_prior(p, command_mu, PARAM_INITIAL_COMMAND_SIGMA,
											 PARAM_TAU, PARAM_DRIFT, PARAM_REVERSION);
	tt->prior[PLAYER_UNKNOWNS + STATE_SPACE_HOME] =
		chain_prior(p, 0, PARAM_HOME_SIGMA, -1, PARAM_HOME_DRIFT, -1);
	tt->prior[PLAYER_UNKNOWNS + STATE_SPACE_HOME_CONTEXT] =
		chain_prior(p, 0, PARAM_HOME_CONTEXT_SIGMA, -1, -1, -1);
	tt->prior[PLAYER_UNKNOWNS + STATE_SPACE_PLAYER_CONTEXT] =
		chain_prior(p, 0, PARAM_PLAYER_CONTEXT_SIGMA, -1, -1, -1);
	tt->prior[PLAYER_UNKNOWNS + STATE_SPACE_CLUB] =
		chain_prior(p, 0, PARAM_CLUB_SIGMA, PARAM_CLUB_TAU, PARAM_CLUB_DRIFT, -1);

	/* The messages have the drift and the newcomers; a match must not add them again. */
	for (i = 0; i < STATE_SPACE_NPARAMS; i++)
		model_params[i] = p[i];
	model_params[PARAM_TAU].number = model_params[PARAM_CLUB_TAU].number = 0;
	tt->newcomer_offset = p[PARAM_NEWCOMER_OFFSET].number;
	tt->newcomer_company = p[PARAM_NEWCOMER_COMPANY].number;
	model_params[PARAM_NEWCOMER_OFFSET].number = 0;
	model_params[PARAM_NEWCOMER_COMPANY].number = 0;
	tt->params = model_params;
	tt->space = state_space_from_params(model_params);
}

void
through_time_set_model_params(ParamValue *params, const ParamValue *model_params)
{
	int			i;

	for (i = 0; i < STATE_SPACE_NPARAMS; i++)
		params[THROUGH_TIME_NOWN + i] = model_params[i];
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
