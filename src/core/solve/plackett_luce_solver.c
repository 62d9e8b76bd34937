/*
 * plackett_luce_solver.c
 *		Plackett-Luce over all rankings at once.
 *
 * R. L. Plackett, "The analysis of permutations", Applied Statistics 24 (1975);
 * D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
 * Statistics 32 (2004), whose maximum this is, found by Newton's method.  Ties are those
 * of ranking.h.
 */
#include <math.h>
#include <stddef.h>

#include "core/solve/team_rows.h"

enum
{
	PLACKETT_LUCE_PRIOR_DEVIATION = TEAM_ROWS_NPARAMS,
	PLACKETT_LUCE_PRIOR_GAMES,
	PLACKETT_LUCE_NPARAMS
};

static const ParamSpec plackett_luce_params[] = {
	SOLVER_COMMON_PARAMS,
	TEAM_ROWS_PARAMS,
	{.name = "prior_deviation",.type = PARAM_NUMBER,.default_value = 2,
		.min = 0,.max = 1e9,.unit = "log-odds",
	.description = "standard deviation of a Gaussian prior around 0; 0: none"},
	{.name = "prior_games",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "games",
	.description = "so many games won and so many lost against a player of skill 0, as a prior"},
};

static void
plackett_luce_virtual_rows(SolverTask *task, struct SolverRows *rows)
{
	team_rows_virtual(task, task->params[PLACKETT_LUCE_PRIOR_GAMES].number, true, rows);
}

static void
plackett_luce_priors(SolverTask *task)
{
	double		deviation = task->params[PLACKETT_LUCE_PRIOR_DEVIATION].number;
	uint32_t	i;

	team_rows_priors(task);
	if (deviation == 0)
		return;
	for (i = 0; i < task->layout.skills; i++)
		task->problem.prior.precision[i] = 1 / (deviation * deviation);
	task->anchored = true;
}

const Solver plackett_luce_solver = {
	.name = "plackett_luce",
	.summary = "one skill for each player, from rankings of any number of players or teams",
	.source = "Plackett, Applied Statistics 24 (1975); Hunter (2004)",
	.params = PARAM_SET("solver", "plackett_luce", plackett_luce_params, PLACKETT_LUCE_NPARAMS),
	.rules.supports = TEAM_ROWS_SUPPORTS,
	.contexts = true,
	.ranked = true,
	.rows = team_rows_ranking,
	.virtual_rows = plackett_luce_virtual_rows,
	.priors = plackett_luce_priors,
	.sides = team_rows_sides,
};
