/*
 * whole_history_solver.c
 *		Whole-History Rating: a skill for each day that a player played.
 *
 * R. Coulom, "Whole-History Rating: A Bayesian rating system for players of
 * time-varying strength" (2008).  Solved for all players together to the maximum,
 * where the paper and its libraries sweep from player to player.
 */
#include <math.h>
#include <stddef.h>

#include "core/solve/team_rows.h"

enum
{
	WHOLE_HISTORY_DRIFT = TEAM_ROWS_NPARAMS,
	WHOLE_HISTORY_PRIOR_GAMES,
	WHOLE_HISTORY_PRIOR_DEVIATION,
	WHOLE_HISTORY_NPARAMS
};

/* The square root of 300 Elo points, as in the paper's experiments, in log-odds. */
#define DEFAULT_DRIFT 0.0997048592454099

static const ParamSpec whole_history_params[] = {
	SOLVER_COMMON_PARAMS,
	TEAM_ROWS_PARAMS,
	{.name = "drift",.type = PARAM_NUMBER,.default_value = DEFAULT_DRIFT,
		.min = 0,.above_min = true,.max = 1e9,.unit = "log-odds per square root of a day",
	.description = "drift of a skill in idle time; 1 is 400 / ln 10 Elo points"},
	{.name = "prior_games",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.max = 1e9,.unit = "games",
	.description = "games won and lost against a player of skill 0 on the first day, as a prior"},
	{.name = "prior_deviation",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "log-odds",
	.description = "standard deviation of a Gaussian prior around 0 on the first day; 0: none"},
};

static void
whole_history_virtual_rows(SolverTask *task, struct SolverRows *rows)
{
	team_rows_virtual(task, task->params[WHOLE_HISTORY_PRIOR_GAMES].number, false,
					  rows);
}

static void
whole_history_priors(SolverTask *task)
{
	const SolverLayout *layout = &task->layout;
	LogitPrior *prior = &task->problem.prior;
	double		drift = task->params[WHOLE_HISTORY_DRIFT].number;
	double		deviation = task->params[WHOLE_HISTORY_PRIOR_DEVIATION].number;
	int32_t		i;

	team_rows_priors(task);
	for (i = 0; i < task->history->nplayers; i++)
	{
		uint32_t	u = layout->first_skill[i];

		if (deviation > 0 && u < layout->first_skill[i + 1])
			prior->precision[u] = 1 / (deviation * deviation);
		for (; u + 1 < layout->first_skill[i + 1]; u++)
			prior->link[u] = 1 / (drift * drift * (layout->day[u + 1] - layout->day[u]));
	}
	if (deviation > 0)
		task->anchored = true;
}

const Solver whole_history_solver = {
	.name = "whole_history",
	.summary = "a skill for each player and day, which drifts",
	.source = "Coulom, Whole-History Rating (2008)",
	.params = PARAM_SET("solver", "whole_history", whole_history_params, WHOLE_HISTORY_NPARAMS),
	.rules.supports = TEAM_ROWS_SUPPORTS,
	.by_day = true,
	.contexts = true,
	.rows = team_rows_pairs,
	.virtual_rows = whole_history_virtual_rows,
	.priors = whole_history_priors,
	.sides = team_rows_sides,
};
