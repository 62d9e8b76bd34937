/*
 * team_rows.h
 *		What solvers share that know teams by their strengths, compared in pairs or
 *		ranked.
 */
#ifndef CORE_SOLVE_TEAM_ROWS_H
#define CORE_SOLVE_TEAM_ROWS_H

#include "core/solve/solver.h"

/* The strength of a team, in log-odds: the mean of its players' skills, or their sum. */
enum TeamRowsStrength
{
	TEAM_ROWS_MEAN,
	TEAM_ROWS_SUM
};

/* The words of these, for a parameter. */
extern const char *const team_rows_strengths[];

/* The parameters that these solvers have after the common ones, and their declaration. */
enum
{
	TEAM_ROWS_STRENGTH = SOLVER_NCOMMON,
	TEAM_ROWS_SIDE_DEVIATION,
	TEAM_ROWS_CONTEXT_DEVIATION,
	TEAM_ROWS_NPARAMS
};

#define TEAM_ROWS_PARAMS \
	{.name = "strength",.type = PARAM_CHOICE,.default_value = TEAM_ROWS_MEAN, \
		.choices = team_rows_strengths, \
	.description = "strength of a team: weighted mean or sum of its members"}, \
	{.name = "side_deviation",.type = PARAM_NUMBER,.default_value = 1, \
		.min = 0,.max = 1e9,.unit = "log-odds", \
	.description = "standard deviation of the advantage of the first side, where sides differ; 0: it has none"}, \
	{.name = "context_deviation",.type = PARAM_NUMBER,.default_value = 1, \
		.min = 0,.above_min = true,.max = 1e9,.unit = "log-odds", \
	.description = "standard deviation of the advantage of the first side in a context"}

/* What a match may have for these solvers. */
#define TEAM_ROWS_SUPPORTS \
	(MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_SIDE | MODEL_LOG_ODDS | \
	 MODEL_GAIN)

/* Whether the first side has an advantage. */
extern bool team_rows_sides(const ParamValue *params);

/*
 * A row for each two teams of a match: that one beat the other, or drew.  Of two
 * teams it has the advantages of the first side, too.
 */
extern void team_rows_pairs(SolverTask *task, const Match *match,
							struct SolverRows *rows);

/* The same as a ranking, with a row for each team, best first. */
extern void team_rows_ranking(SolverTask *task, const Match *match,
							  struct SolverRows *rows);

/*
 * So many won and lost games of each player against one of skill 0; compared, or as
 * rankings of two.
 */
extern void team_rows_virtual(SolverTask *task, double games, bool ranked,
							  struct SolverRows *rows);

/* The priors of the advantages, by the parameters. */
extern void team_rows_priors(SolverTask *task);

#endif							/* CORE_SOLVE_TEAM_ROWS_H */
