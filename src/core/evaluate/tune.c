/*
 * tune.c
 *		Parameters of a model as the variables of a likelihood.
 */
#include "core/evaluate/tune.h"

#include <math.h>
#include <string.h>

#include "core/math/cholesky.h"
#include "core/math/elementary.h"
#include "core/util/extremes.h"

/* A variable within this share of its range from a bound is at the bound. */
#define BOUND_TOLERANCE 1e-3

/* Steps of finite differences change the likelihood by about so many nats. */
#define STEP_NATS 0.5

double
tune_variable(const TuneParam *param, double value)
{
	return param->log_scale ? portable_log(value) : value;
}

double
tune_value(const TuneParam *param, double variable)
{
	double		value = param->log_scale ? portable_exp(variable) : variable;

	return smaller(larger(value, param->low), param->high);
}

double
tune_objective(TuneProblem *problem, const double *variable)
{
	HistoryScore score;
	MatchStatus status;
	size_t		match;
	int			offender;
	int			i;

	for (i = 0; i < problem->n; i++)
		problem->params[problem->param[i].index].number =
			tune_value(&problem->param[i], variable[i]);
	problem->evaluations++;
	status = history_replay(problem->history, problem->model, problem->params,
							problem->work, problem->bound, 1, &score,
							problem->interrupt, &match, &offender);
	return status == MATCH_OK ? sum_value(&score.log_loss) : problem->worst;
}

/* The objective beside a point, by steps of one or two variables. */
static double
beside(TuneProblem *problem, const double *point, int i, double step_i,
	   int j, double step_j)
{
	double		variable[TUNE_MAX_PARAMS];

	memcpy(variable, point, problem->n * sizeof(double));
	variable[i] += step_i;
	if (j >= 0)
		variable[j] += step_j;
	return tune_objective(problem, variable);
}

/*
 * A step that changes the likelihood by about STEP_NATS, and the second
 * difference over it: large enough to rise above rounding, and as small as what
 * the data can tell apart.  The room is the distance to the next bound.
 */
static double
curvature_step(TuneProblem *problem, const double *point, double at_minimum,
			   int i, double room, double *second)
{
	double		step = smaller(0.05, room);
	int			attempt;

	for (attempt = 0; attempt < 8; attempt++)
	{
		double		next;

		*second = beside(problem, point, i, step, -1, 0) +
			beside(problem, point, i, -step, -1, 0) - 2 * at_minimum;
		if (*second > STEP_NATS / 2 && *second < 8 * STEP_NATS)
			break;
		next = step * (*second > 0 ?
					   smaller(larger(sqrt(2 * STEP_NATS / *second), 0.05), 8) : 4);
		if (next > room)
		{
			if (step == room)
				break;
			next = room;
		}
		step = next;
	}
	return step;
}

void
tune_errors(TuneProblem *problem, const double *minimum, double *error,
			bool *at_bound)
{
	double		hessian[TUNE_MAX_PARAMS * TUNE_MAX_PARAMS];
	double		step[TUNE_MAX_PARAMS];
	double		second[TUNE_MAX_PARAMS];
	int			inner[TUNE_MAX_PARAMS]; /* the variables at no bound */
	int			n = 0;
	double		at_minimum = tune_objective(problem, minimum);
	int			i,
				j;

	for (i = 0; i < problem->n; i++)
	{
		const TuneParam *param = &problem->param[i];
		double		low = tune_variable(param, param->low);
		double		high = tune_variable(param, param->high);
		double		room = smaller(minimum[i] - low, high - minimum[i]);

		error[i] = NAN;
		at_bound[i] = room < BOUND_TOLERANCE * (high - low);
		if (at_bound[i])
			continue;
		inner[n] = i;
		step[n] = curvature_step(problem, minimum, at_minimum, i, room,
								 &second[n]);
		n++;
	}
	for (i = 0; i < n; i++)
	{
		hessian[i * n + i] = second[i] / (step[i] * step[i]);
		for (j = 0; j < i; j++)
			hessian[i * n + j] =
				(beside(problem, minimum, inner[i], step[i], inner[j], step[j]) +
				 beside(problem, minimum, inner[i], -step[i], inner[j], -step[j]) -
				 beside(problem, minimum, inner[i], step[i], inner[j], -step[j]) -
				 beside(problem, minimum, inner[i], -step[i], inner[j], step[j])) /
				(4 * step[i] * step[j]);
	}

	/* The inverse of the information, column by column. */
	if (n > 0 && cholesky_factor(hessian, n, 1e-10) < 0)
		for (i = 0; i < n; i++)
		{
			double		column[TUNE_MAX_PARAMS] = {0};

			column[i] = 1;
			cholesky_solve(hessian, n, column);
			error[inner[i]] = sqrt(column[i]);
		}

	/* The parameters are those of the minimum again. */
	for (i = 0; i < problem->n; i++)
		problem->params[problem->param[i].index].number =
			tune_value(&problem->param[i], minimum[i]);
}
