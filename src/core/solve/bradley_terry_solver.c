/*
 * bradley_terry_solver.c
 *		Bradley-Terry over all matches at once.
 *
 * R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs",
 * Biometrika 39 (1952); draws as in R. R. Davidson, Journal of the American
 * Statistical Association 65 (1970).
 */
#include <math.h>
#include <stddef.h>

#include "core/solve/team_rows.h"

enum
{
	BRADLEY_TERRY_PRIOR_DEVIATION = TEAM_ROWS_NPARAMS,
	BRADLEY_TERRY_PRIOR_GAMES,
	BRADLEY_TERRY_DRAWS,
	BRADLEY_TERRY_DRAW,
	BRADLEY_TERRY_NPARAMS
};

enum
{
	DRAWS_HALVES,
	DRAWS_DAVIDSON
};

static const char *const draws_choices[] = {"halves", "davidson", NULL};

static const ParamSpec bradley_terry_params[] = {
	SOLVER_COMMON_PARAMS,
	TEAM_ROWS_PARAMS,
	{.name = "prior_deviation",.type = PARAM_NUMBER,.default_value = 2,
		.min = 0,.max = 1e9,.unit = "log-odds",
	.description = "standard deviation of a Gaussian prior around 0; 0: none"},
	{.name = "prior_games",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "games",
	.description = "so many games won and so many lost against a player of skill 0, as a prior"},
	{.name = "draws",.type = PARAM_CHOICE,.default_value = DRAWS_HALVES,
		.choices = draws_choices,
	.description = "draws are half a win and half a loss, or an outcome of their own"},
	{.name = "draw",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e6,
	.description = "Davidson's parameter of draws; 0: from the data"},
};

static void
bradley_terry_virtual_rows(SolverTask *task, struct SolverRows *rows)
{
	team_rows_virtual(task, task->params[BRADLEY_TERRY_PRIOR_GAMES].number, false,
					  rows);
}

static void
bradley_terry_priors(SolverTask *task)
{
	double		deviation = task->params[BRADLEY_TERRY_PRIOR_DEVIATION].number;
	uint32_t	i;

	team_rows_priors(task);
	if (deviation == 0)
		return;
	for (i = 0; i < task->layout.skills; i++)
		task->problem.prior.precision[i] = 1 / (deviation * deviation);
	task->anchored = true;
}

static double
bradley_terry_draw(const ParamValue *params, bool *fit)
{
	*fit = false;
	if (params[BRADLEY_TERRY_DRAWS].choice == DRAWS_HALVES)
		return 0;
	*fit = params[BRADLEY_TERRY_DRAW].number == 0;
	return *fit ? 1 : params[BRADLEY_TERRY_DRAW].number;
}

const Solver bradley_terry_solver = {
	.name = "bradley_terry",
	.summary = "one skill for each player, the same over all matches",
	.source = "Bradley and Terry, Biometrika 39 (1952); Davidson (1970)",
	.params = PARAM_SET("solver", "bradley_terry", bradley_terry_params, BRADLEY_TERRY_NPARAMS),
	.rules.supports = TEAM_ROWS_SUPPORTS,
	.contexts = true,
	.rows = team_rows_pairs,
	.virtual_rows = bradley_terry_virtual_rows,
	.priors = bradley_terry_priors,
	.sides = team_rows_sides,
	.draw = bradley_terry_draw,
};
