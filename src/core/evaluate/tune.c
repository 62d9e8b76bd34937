/*
 * tune.c
 *		Parameters of a model as the variables of a likelihood.
 */
#include "core/evaluate/tune.h"

#include <math.h>
#include <string.h>

#include "core/math/cholesky.h"
#include "core/math/elementary.h"
#include "core/math/square.h"
#include "core/util/extremes.h"

/* A variable within this share of its range from a bound is at the bound. */
#define BOUND_TOLERANCE 1e-3

/* Steps of finite differences change the likelihood by about so many nats. */
#define STEP_NATS 0.5

/*
 * With a deviation above this share of the prior's, the matches tell less of a variable than
 * the prior does: 1 / sqrt(2), and a bit less for what rounding adds where only a ratio counts.
 */
#define PRIOR_SHARE 0.7

/* A range that no spec describes is so many times the start, either way. */
#define RANGE_FACTOR 100.0

/* The log-odds of a side are searched up to 10 to 1. */
#define MAX_LOG_ODDS 2.302585092994046

double
tune_variable(const TuneParam *param, double value)
{
	switch (param->scale)
	{
		case TUNE_LINEAR:
			return value;
		case TUNE_LOG:
			return portable_log(value);
		case TUNE_LOG_FROM_ZERO:
			return portable_log(value + param->smallest);
	}
	return NAN;
}

double
tune_value(const TuneParam *param, double variable)
{
	double		value = variable;

	if (param->scale != TUNE_LINEAR)
		value = portable_exp(variable);
	if (param->scale == TUNE_LOG_FROM_ZERO)
	{
		/* The end of the scale is 0 itself, whatever the rounding. */
		if (variable <= portable_log(param->smallest))
			value = 0;
		else
			value -= param->smallest;
	}
	return smaller(larger(value, param->low), param->high);
}

double
tune_slope(const TuneParam *param, double value)
{
	switch (param->scale)
	{
		case TUNE_LINEAR:
			return 1;
		case TUNE_LOG:
			return value;
		case TUNE_LOG_FROM_ZERO:
			return value + param->smallest;
	}
	return NAN;
}

/* Whether 0 is a value of the parameter, and the limit of small ones. */
static bool
ends_at_zero(const ParamSpec *spec)
{
	return spec->min == 0 && !spec->above_min && !spec->zero_is_other;
}

void
tune_set_prior(TuneParam *param, double center)
{
	double		low = tune_variable(param, param->low);
	double		high = tune_variable(param, param->high);

	param->center = (low + high) / 2;
	if (isfinite(center))
		param->center = tune_variable(param, smaller(larger(center, param->low),
													 param->high));
	param->width = larger(param->center - low, high - param->center) /
		TUNE_PRIOR_DEVIATIONS;
}

TuneParam
tune_param(const ParamSpec *spec, int index, double start)
{
	TuneParam	param = {index, TUNE_LINEAR, spec->search[0], spec->search[1], 0, 0, 0};

	/* A spec without a range to search has one around the start. */
	if (param.low == 0 && param.high == 0)
	{
		double		center = start > 0 && isfinite(start) ? start : spec->default_value;

		param.low = center / RANGE_FACTOR;
		param.high = center * RANGE_FACTOR;
	}
	if (param.low > 0)
	{
		if (start > 0 && isfinite(start))
		{
			if (start < param.low)
				param.low = start / RANGE_FACTOR;
			if (start > param.high)
				param.high = start * RANGE_FACTOR;
		}
		param.scale = TUNE_LOG;
		param.low = larger(param.low, spec->min);
		if (ends_at_zero(spec))
		{
			param.scale = TUNE_LOG_FROM_ZERO;
			param.smallest = param.low;
			param.low = 0;
		}
	}
	else if (isfinite(start))
	{
		param.low = smaller(param.low, start);
		param.high = larger(param.high, start);
	}
	param.low = larger(param.low, spec->min);
	param.high = smaller(param.high, spec->max);
	tune_set_prior(&param, start);
	return param;
}

TuneParam
tune_bounded_param(const ParamSpec *spec, int index, double low, double high,
				   double start)
{
	TuneParam	param = {index, low > 0 ? TUNE_LOG : TUNE_LINEAR, low, high, 0, 0, 0};
	TuneParam	usual = tune_param(spec, index, start);

	if (low == 0 && ends_at_zero(spec))
	{
		param.scale = TUNE_LOG_FROM_ZERO;
		param.smallest = smaller(spec->search[0] > 0 ? spec->search[0] :
								 spec->default_value / RANGE_FACTOR, high / RANGE_FACTOR);
		if (!(param.smallest > 0))
			param.smallest = high / RANGE_FACTOR;
	}
	tune_set_prior(&param, start);
	if ((param.scale == TUNE_LINEAR) == (usual.scale == TUNE_LINEAR))
		param.width = larger(param.width, usual.width);
	return param;
}

TuneParam
tune_log_odds_param(void)
{
	TuneParam	param = {TUNE_LOG_ODDS, TUNE_LINEAR, -MAX_LOG_ODDS, MAX_LOG_ODDS, 0, 0, 0};

	tune_set_prior(&param, 0);
	return param;
}

double
tune_get(const TuneProblem *problem, int index)
{
	return index == TUNE_LOG_ODDS ? problem->work->side_log_odds :
		problem->params[index].number;
}

void
tune_set(TuneProblem *problem, int index, double value)
{
	if (index == TUNE_LOG_ODDS)
		problem->work->side_log_odds = value;
	else
		problem->params[index].number = value;
}

/* Put the values of a point in use. */
static void
set_point(TuneProblem *problem, const double *variable)
{
	int			i;

	for (i = 0; i < problem->n; i++)
		tune_set(problem, problem->param[i].index,
				 tune_value(&problem->param[i], variable[i]));
}

/* Rate under the values in use; how many matches could not be. */
static int64_t
replay(TuneProblem *problem, HistoryScore *score)
{
	HistoryWork *work = problem->work;
	int64_t    *counts = work->left_out;
	int64_t		left_out[MATCH_NSTATUSES] = {0};
	int64_t		total = 0;
	size_t		match;
	int			offender;
	int			i;

	work->left_out = left_out;
	(void) history_replay(problem->history, problem->model, problem->params, work,
						  problem->bound, 1, score, problem->interrupt, &match,
						  &offender);
	work->left_out = counts;
	for (i = 0; i < MATCH_NSTATUSES; i++)
		total += left_out[i];
	return total;
}

int64_t
tune_count_unrated(TuneProblem *problem)
{
	HistoryScore score;

	return replay(problem, &score);
}

/* The negative logarithm of the density of the priors, up to a constant. */
static double
prior_nats(const TuneProblem *problem, const double *variable)
{
	double		nats = 0;
	int			i;

	/*
	 * Wide normal priors on the variables keep a parameter that the matches
	 * tell nothing of from running to a bound.
	 */
	for (i = 0; i < problem->n && problem->priors; i++)
		nats += square((variable[i] - problem->param[i].center) /
					   problem->param[i].width) / 2;
	return nats;
}

double
tune_objective(TuneProblem *problem, const double *variable)
{
	HistoryScore score;
	double		objective;
	int64_t		unrated;

	set_point(problem, variable);
	problem->evaluations++;
	unrated = replay(problem, &score) - problem->unrated;
	objective = sum_value(&score.log_loss);
	if (unrated > 0)
		objective += TUNE_UNRATED_NATS * (double) unrated;
	if (problem->on_evaluation != NULL)
		problem->on_evaluation(problem, objective, problem->argument);
	return objective + prior_nats(problem, variable);
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

static double
variable_range(const TuneParam *param)
{
	return tune_variable(param, param->high) - tune_variable(param, param->low);
}

/* The square roots of the diagonal of an inverse; NaN where there is none. */
static void
invert_information(const double *information, int n, double *deviation)
{
	double		factor[TUNE_MAX_PARAMS * TUNE_MAX_PARAMS];
	bool		curves;
	int			i;

	if (n == 0)
		return;
	memcpy(factor, information, n * n * sizeof(double));

	/*
	 * Not positive definite is no minimum, or one that is flat: no error is
	 * better than a wrong one.
	 */
	curves = cholesky_factor(factor, n, 1e-10) < 0;
	for (i = 0; i < n; i++)
	{
		double		column[TUNE_MAX_PARAMS] = {0};

		column[i] = 1;
		if (curves)
			cholesky_solve(factor, n, column);
		deviation[i] = curves ? sqrt(column[i]) : NAN;
	}
}

void
tune_errors(TuneProblem *problem, const double *minimum, double *error,
			bool *at_bound)
{
	double		hessian[TUNE_MAX_PARAMS * TUNE_MAX_PARAMS] = {0};
	double		step[TUNE_MAX_PARAMS];
	double		second[TUNE_MAX_PARAMS];
	double		deviation[TUNE_MAX_PARAMS];
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

			/*
			 * Mixed second differences need two evaluations for each pair, as
			 * the single ones are known.
			 */
			hessian[i * n + j] =
				(beside(problem, minimum, inner[i], step[i], inner[j], step[j]) +
				 beside(problem, minimum, inner[i], -step[i], inner[j], -step[j]) -
				 second[i] - second[j] - 2 * at_minimum) /
				(2 * step[i] * step[j]);
	}

	invert_information(hessian, n, deviation);
	for (i = 0; i < n; i++)
	{
		const TuneParam *param = &problem->param[inner[i]];
		double		most = problem->priors ? PRIOR_SHARE * param->width :
			variable_range(param) / 2;

		if (deviation[i] < most)
			error[inner[i]] = deviation[i];
	}
	set_point(problem, minimum);
}
