/*
 * hive_solver.c
 *		The Hive model, solved over all matches at once.
 *
 * The document of the Hive system (the section on fully solving) maximises the
 * likelihood of all results under Gamma priors of the skills.  Its unit step leaves
 * the positive numbers or swings for ever, see logit_solver.c; docs/solve.md has
 * the other departures.
 */
#include <math.h>
#include <stddef.h>

#include "core/math/square.h"
#include "core/models/hive.h"
#include "core/solve/solver.h"

enum
{
	HIVE_MEDIAN_ROUND = SOLVER_NCOMMON,
	HIVE_PRIOR_SHAPE,
	HIVE_PRIOR_RATE,
	HIVE_OFFSET_DEVIATION,
	HIVE_COMMAND,
	HIVE_COMMAND_SHAPE,
	HIVE_COMMAND_RATE,
	HIVE_CONTEXT_DEVIATION,
	HIVE_NPARAMS
};

static const ParamSpec hive_params[] = {
	SOLVER_COMMON_PARAMS,
	{.name = "median_round",.type = PARAM_NUMBER,.default_value = 1200,
		.min = 0,.above_min = true,.max = 1e9,.unit = "seconds",
	.description = "median length of a match; a stint weighs half as much every half of it"},
	{.name = "prior_shape",.type = PARAM_NUMBER,.default_value = 4,
		.min = 1,.above_min = true,.max = 1e9,
	.description = "shape of the Gamma prior of skills; with 1 or less it has no maximum above 0"},
	{.name = "prior_rate",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "1 / log-odds",
	.description = "rate of that prior, whose mean is shape / rate"},
	{.name = "offset_deviation",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "log-odds",
	.description = "standard deviation of side offsets; 0: there are none"},
	{.name = "command",.type = PARAM_FLAG,.default_value = 0,
	.description = "whether commanders have a skill of their own; else their time counts as play"},
	{.name = "command_shape",.type = PARAM_NUMBER,.default_value = 4,
		.min = 1,.above_min = true,.max = 1e9,
	.description = "shape of the Gamma prior of command skills"},
	{.name = "command_rate",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "1 / log-odds",
	.description = "rate of that prior"},
	{.name = "context_deviation",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "log-odds",
	.description = "standard deviation of what contexts are worth to the first side"},
};

static double
hive_solver_stint_weight(const ParamValue *params, double joined, double left)
{
	return hive_weight(joined, left, params[HIVE_MEDIAN_ROUND].number);
}

static bool
hive_offsets(const ParamValue *params)
{
	return params[HIVE_OFFSET_DEVIATION].number > 0;
}

static bool
hive_commands(const ParamValue *params)
{
	return params[HIVE_COMMAND].flag;
}

/*
 * A match: the log-odds of the first side are the weighted mean of its players'
 * skills less that of the others, over all the weight there is.
 */
static void
hive_rows(SolverTask *task, const Match *match, struct SolverRows *rows)
{
	int			first = match_first_side(match);
	bool		sides = match->team[0].side != 0;
	bool		commands = hive_commands(task->params);
	double		play = 0;
	double		command = 0;
	int			i;

	for (i = 0; i < match->nentries; i++)
	{
		play += match->entry[i].weight;
		if (commands)
			command += match->entry[i].command_weight;
		else
			play += match->entry[i].command_weight;
	}
	solver_row(rows, match_outcome(match, first) / 2.0, match_mean_gain(match),
			   match->log_odds);
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		double		weight = e->weight + (commands ? 0 : e->command_weight);

		if (play > 0)
			solver_entry(rows, sides ? SOLVER_SKILL_ON_SIDE : SOLVER_SKILL, e->player,
						 weight / play, e->team != first);
		if (commands && command > 0)
			solver_entry(rows, SOLVER_COMMAND, e->player,
						 e->command_weight / command, e->team != first);
	}
	if (task->context_of != NULL && task->context_of[task->match] >= 0)
		solver_entry(rows, SOLVER_CONTEXT, 0, 1, false);
}

static void
hive_priors(SolverTask *task)
{
	const SolverLayout *layout = &task->layout;
	LogitPrior *prior = &task->problem.prior;
	uint32_t	i;

	prior->gamma[0] = (LogitGamma)
	{
		0, layout->skills,
			task->params[HIVE_PRIOR_SHAPE].number,
			task->params[HIVE_PRIOR_RATE].number
	};
	prior->gamma[1] = (LogitGamma)
	{
		layout->command, layout->ncommands,
			task->params[HIVE_COMMAND_SHAPE].number,
			task->params[HIVE_COMMAND_RATE].number
	};
	prior->ngammas = 2;
	for (i = 0; i < layout->noffsets; i++)
		prior->precision[layout->offset + i] =
			1 / square(task->params[HIVE_OFFSET_DEVIATION].number);
	for (i = 0; i < layout->ncontexts; i++)
		prior->precision[layout->context + i] =
			1 / square(task->params[HIVE_CONTEXT_DEVIATION].number);
	task->anchored = true;
}

const Solver hive_solver = {
	.name = "hive",
	.summary = "skills, side offsets, command skills and contexts of the Hive model, jointly",
	.source = "the skill system of Natural Selection 2, section on fully solving",
	.params = PARAM_SET("solver", "hive", hive_params, HIVE_NPARAMS),
	.rules.supports = MODEL_DRAWS | MODEL_WEIGHT | MODEL_SIDE | MODEL_COMMANDING |
	MODEL_LOG_ODDS | MODEL_GAIN,
	.rules.stint_weight = hive_solver_stint_weight,
	.contexts = true,
	.rows = hive_rows,
	.priors = hive_priors,
	.offsets = hive_offsets,
	.commands = hive_commands,
};
