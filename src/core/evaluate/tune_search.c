/*
 * tune_search.c
 *		The best values of parameters, by several searches from different starts.
 */
#include "core/evaluate/tune_search.h"

#include <math.h>
#include <string.h>

#include "core/util/extremes.h"

/* The first step of a search: on a log scale, and as a share of a range. */
#define FIRST_STEP 0.4
#define FIRST_STEP_SHARE 0.125

/* What all searches but the last ones end with instead of a smaller tolerance. */
#define COARSE_TOLERANCE 0.02

/* The last ones begin with this step. */
#define LAST_STEP 0.1

/* Ends that are farther from the best than this, in nats, are not searched further. */
#define HOPELESS_NATS 20.0

/* Screening takes the first matches: a third of them, but at least so many. */
#define SCREENED_SHARE 3
#define MIN_SCREENED_MATCHES 1000

/* Screening takes at most this share of the evaluations. */
#define SCREENING_SHARE 4

/* Searches from the best points of so many combinations decide among them. */
#define BEST_COMBINATIONS 3

/* What is below this share of the smallest value is 0, if that costs no more nats than this. */
#define ZERO_SHARE 0.5
#define ZERO_NATS 1e-3

/* Starts of one combination differ in some variable by this share of its range. */
#define APART 0.1

/*
 * ---- Spaces ----
 */

/* The middle of the prior of a number. */
static double
prior_center(const Model *model, const ParamValue *params, int index)
{
	int			i;

	for (i = 0; i < model->nparts && params[index].number == 0; i++)
		if (model->part[i].param[0].param == index && model->part[i].param[0].off == 0)
			return model->part[i].param[0].on;
	return params[index].number;
}

/* A number of a space, whose start widens its range. */
static TuneParam
space_param(const Model *model, const ParamValue *params, int index, double low,
			double high)
{
	const ParamSpec *spec = param_spec(&model->params, index);
	double		center = prior_center(model, params, index);
	TuneParam	param;

	if (low != 0 || high != 0)
		return tune_bounded_param(spec, index, low, high, center);
	param = tune_param(spec, index, params[index].number);
	tune_set_prior(&param, center);
	return param;
}

bool
tune_space_add(TuneSpace *space, const Model *model, const ParamValue *params,
			   int index, double low, double high)
{
	const ParamSpec *spec = param_spec(&model->params, index);
	TuneChoice *choice = &space->choice[space->nchoices];
	bool		bounded = low != 0 || high != 0;
	bool		is_switch = spec->type == PARAM_NUMBER && spec->zero_is_other && !bounded;
	int			i;

	if (spec->type == PARAM_STEPS ||
		(spec->type == PARAM_NUMBER && space->nparams == TUNE_MAX_PARAMS) ||
		((spec->type != PARAM_NUMBER || is_switch) &&
		 space->nchoices == TUNE_MAX_CHOICES))
		return false;
	if (spec->type != PARAM_NUMBER || is_switch)
	{
		choice->index = index;
		choice->variable = is_switch ? space->nparams : -1;
		choice->nlevels = 2;
		if (spec->type == PARAM_CHOICE)
			for (choice->nlevels = 0; spec->choices[choice->nlevels] != NULL;)
				if (++choice->nlevels == TUNE_MAX_LEVELS)
					break;
		for (i = 0; i < choice->nlevels; i++)
			choice->level[i] = i;
		space->nchoices++;
	}
	if (spec->type == PARAM_NUMBER)
		space->param[space->nparams++] = space_param(model, params, index, low, high);
	return true;
}

bool
tune_space_add_log_odds(TuneSpace *space)
{
	if (space->nparams == TUNE_MAX_PARAMS)
		return false;
	space->param[space->nparams++] = tune_log_odds_param();
	return true;
}

bool
tune_space_has(const TuneSpace *space, int index)
{
	int			i;

	for (i = 0; i < space->nparams; i++)
		if (space->param[i].index == index)
			return true;
	for (i = 0; i < space->nchoices; i++)
		if (space->choice[i].index == index)
			return true;
	return false;
}

int
tune_combinations(const TuneSpace *space)
{
	int			n = 1;
	int			i;

	for (i = 0; i < space->nchoices && n <= TUNE_MAX_COMBINATIONS; i++)
		n *= space->choice[i].nlevels;
	return n <= TUNE_MAX_COMBINATIONS ? n : TUNE_MAX_COMBINATIONS + 1;
}

/* Whether a number of the space is a variable at these levels. */
static bool
is_active(const TuneSpace *space, const int *level, int param)
{
	int			i;

	for (i = 0; i < space->nchoices; i++)
		if (space->choice[i].variable == param)
			return level[i] != 0;
	return true;
}

/* Whether a level is one of those that the space has. */
static bool
has_level(const TuneChoice *choice, int level)
{
	int			i;

	for (i = 0; i < choice->nlevels; i++)
		if (choice->level[i] == level)
			return true;
	return false;
}

void
tune_point(const TuneProblem *problem, const TuneSpace *space, TunePoint *point)
{
	int			i;

	memset(point, 0, sizeof(*point));
	for (i = 0; i < space->nparams; i++)
		point->value[i] = tune_get(problem, space->param[i].index);
	for (i = 0; i < space->nchoices; i++)
	{
		const TuneChoice *choice = &space->choice[i];
		const ParamSpec *spec = param_spec(&problem->model->params, choice->index);
		const ParamValue *value = &problem->params[choice->index];
		int			level = value->choice;

		if (choice->variable >= 0)
			level = value->number != 0;
		else if (spec->type == PARAM_FLAG)
			level = value->flag;
		point->level[i] = has_level(choice, level) ? level : choice->level[0];
	}
}

void
tune_use(TuneProblem *problem, const TuneSpace *space, const TunePoint *point,
		 double *variable)
{
	int			i;

	for (i = 0; i < space->nchoices; i++)
	{
		const TuneChoice *choice = &space->choice[i];
		ParamValue *value = &problem->params[choice->index];

		if (choice->variable >= 0)
			continue;
		if (param_spec(&problem->model->params, choice->index)->type == PARAM_FLAG)
			value->flag = point->level[i] != 0;
		else
			value->choice = point->level[i];
	}
	problem->n = 0;
	for (i = 0; i < space->nparams; i++)
	{
		const TuneParam *param = &space->param[i];

		if (!is_active(space, point->level, i))
		{
			tune_set(problem, param->index, 0);
			continue;
		}
		variable[problem->n] =
			tune_variable(param, smaller(larger(point->value[i], param->low), param->high));
		tune_set(problem, param->index, tune_value(param, variable[problem->n]));
		problem->param[problem->n++] = *param;
	}
}

/* Take the values of the variables over into a point. */
static void
take_variables(const TuneSpace *space, const double *variable, TunePoint *point)
{
	int			n = 0;
	int			i;

	for (i = 0; i < space->nparams; i++)
		point->value[i] = is_active(space, point->level, i) ?
			tune_value(&space->param[i], variable[n++]) : 0;
}

/*
 * ---- Starts ----
 */

/*
 * The step of a sequence that fills the unit cube of so many dimensions evenly, in its first
 * dimension: 1 / phi, where phi ^ (n + 1) = phi + 1; those of the others are its powers
 * (Roberts, The unreasonable effectiveness of quasirandom sequences, 2018).
 */
static double
sequence_step(int n)
{
	double		low = 1;
	double		high = 2;
	int			pass,
				i;

	for (pass = 0; pass < 60; pass++)
	{
		double		phi = (low + high) / 2;
		double		power = phi;

		for (i = 0; i < n; i++)
			power *= phi;
		if (power > phi + 1)
			high = phi;
		else
			low = phi;
	}
	return 2 / (low + high);
}

/*
 * Start number k, from 1, of a combination: all over the bounds, twice as dense in their
 * middle, which is where the first start has its value unless that is near an end.
 */
static void
make_start(const TuneSpace *space, const TuneEffort *effort, const TunePoint *first,
		   int k, TunePoint *start)
{
	double		step = sequence_step(space->nparams - effort->scattered_from);
	double		power = 1;
	int			i;

	for (i = effort->scattered_from; i < space->nparams; i++)
	{
		const TuneParam *param = &space->param[i];
		double		low = tune_variable(param, param->low);
		double		high = tune_variable(param, param->high);
		double		center =
			(tune_variable(param, smaller(larger(first->value[i], param->low),
										  param->high)) - low) / (high - low);
		double		share;
		double		t;

		power *= step;
		t = 0.5 + k * power;
		t = 2 * (t - floor(t)) - 1;
		t *= 0.5 + 0.5 * t * t;
		if (!(center > 0.1 && center < 0.9))
			center = 0.5;
		share = center + t * (t < 0 ? center : 1 - center);
		start->value[i] = tune_value(param, low + share * (high - low));
	}
}

/* The levels of a combination, by number. */
static void
combination_levels(const TuneSpace *space, int number, int *level)
{
	int			i;

	for (i = 0; i < space->nchoices; i++)
	{
		level[i] = space->choice[i].level[number % space->choice[i].nlevels];
		number /= space->choice[i].nlevels;
	}
}

/* Switches that are on and were not get a value in the middle of their bounds. */
static void
switch_on(const TuneSpace *space, TunePoint *point)
{
	int			i;

	for (i = 0; i < space->nchoices; i++)
	{
		int			variable = space->choice[i].variable;
		const TuneParam *param = &space->param[variable < 0 ? 0 : variable];

		if (variable >= 0 && point->level[i] != 0 && point->value[variable] == 0)
			point->value[variable] = tune_value(param, (tune_variable(param, param->low) +
														tune_variable(param, param->high)) / 2);
	}
}

/* How far apart two points are, as the largest share of a variable's range. */
static double
distance(const TuneSpace *space, const TunePoint *a, const TunePoint *b)
{
	double		largest = 0;
	int			i;

	for (i = 0; i < space->nparams; i++)
	{
		const TuneParam *param = &space->param[i];
		double		range = tune_variable(param, param->high) -
			tune_variable(param, param->low);

		if (is_active(space, a->level, i))
			largest = larger(largest, fabs(tune_variable(param, a->value[i]) -
										   tune_variable(param, b->value[i])) / range);
	}
	return largest;
}

/* Evaluate all candidates on the first matches, unless there is only one. */
static void
screen(TuneProblem *problem, const TuneSpace *space, TuneWork *work, int n)
{
	size_t		end = problem->bound[1];
	size_t		matches = end - problem->bound[0];
	size_t		part = matches / SCREENED_SHARE;
	double		variable[TUNE_MAX_PARAMS];
	int			i,
				j;

	if (part < MIN_SCREENED_MATCHES)
		part = matches < MIN_SCREENED_MATCHES ? matches : MIN_SCREENED_MATCHES;
	problem->bound[1] = problem->bound[0] + part;
	for (i = 0; i < n; i++)
	{
		tune_use(problem, space, &work->candidate[i], variable);
		work->candidate[i].objective = n > 1 ? tune_objective(problem, variable) : 0;
	}
	problem->bound[1] = end;

	/* Insertion sort: equal ones stay in their order. */
	for (i = 0; i < n; i++)
	{
		for (j = i; j > 0 && work->candidate[work->order[j - 1]].objective >
			 work->candidate[i].objective; j--)
			work->order[j] = work->order[j - 1];
		work->order[j] = i;
	}
}

/*
 * Make the candidates of all combinations, and screen them.  The first one is the start, if
 * its combination is one of the space.  Returns how many there are.
 */
static int
make_candidates(TuneProblem *problem, const TuneSpace *space,
				const TuneEffort *effort, TuneWork *work, const TunePoint *start)
{
	int			combinations = tune_combinations(space);
	int			most = effort->max_evaluations / SCREENING_SHARE;
	int			each = effort->starts > 1 && space->nparams > effort->scattered_from ?
		2 * effort->starts + 2 * (space->nparams - effort->scattered_from) : 1;
	int			n = 1;
	int			c,
				k;

	if (most > TUNE_MAX_SCREENED - 1)
		most = TUNE_MAX_SCREENED - 1;
	if (each > most / combinations)
		each = most / combinations > 1 ? most / combinations : 1;
	work->candidate[0] = *start;
	switch_on(space, &work->candidate[0]);
	work->combination[0] = 0;
	for (c = 0; c < combinations; c++)
		for (k = 0; k < each; k++)
		{
			TunePoint  *point = &work->candidate[n];
			bool		first;

			*point = *start;
			combination_levels(space, c, point->level);
			first = memcmp(point->level, start->level, sizeof(point->level)) == 0;
			if (first)
				work->combination[0] = c;
			if (k == 0 && first)
				continue;
			if (k > 0)
				make_start(space, effort, start, k, point);
			switch_on(space, point);
			work->combination[n++] = c;
		}
	screen(problem, space, work, n);
	return n;
}

/*
 * ---- Searches ----
 */

/* A MinimizeFunction. */
static double
objective(const double *variable, void *argument)
{
	return tune_objective(argument, variable);
}

/* Search from a point, which becomes the best one seen, with at most so many evaluations. */
static MinimizeStatus
search_from(TuneProblem *problem, const TuneSpace *space, TuneWork *work,
			TunePoint *point, double first_step, double tolerance, int max_evaluations)
{
	double		low[TUNE_MAX_PARAMS];
	double		high[TUNE_MAX_PARAMS];
	double		step[TUNE_MAX_PARAMS];
	double		last[TUNE_MAX_PARAMS];
	double		variable[TUNE_MAX_PARAMS];
	MinimizeProblem minimization = {
		.low = low,
		.high = high,
		.step = step,
		.tolerance = last,
		.max_evaluations = max_evaluations,
		.function = objective,
		.argument = problem
	};
	MinimizeStatus status = MINIMIZE_CONVERGED;
	int			i;

	tune_use(problem, space, point, variable);
	minimization.n = problem->n;
	for (i = 0; i < problem->n; i++)
	{
		const TuneParam *param = &problem->param[i];
		double		range;

		low[i] = tune_variable(param, param->low);
		high[i] = tune_variable(param, param->high);
		range = high[i] - low[i];
		step[i] = param->scale == TUNE_LINEAR ?
			range * FIRST_STEP_SHARE * first_step / FIRST_STEP :
			smaller(first_step, range / 4);
		last[i] = tolerance * (param->scale == TUNE_LINEAR ? range : 1);
	}
	if (problem->n > 0)
		status = minimize(&minimization, &work->minimize, variable, &point->objective);
	else
		point->objective = tune_objective(problem, variable);
	take_variables(space, variable, point);
	return status;
}

/* Choose a candidate as the next search. */
static void
take_candidate(TuneWork *work, int candidate)
{
	TuneRun    *run = &work->run[work->nruns++];

	run->point = run->start = work->candidate[candidate];
	run->combination = work->combination[candidate];
	run->status = MINIMIZE_MAX_EVALUATIONS;
	work->chosen[candidate] = true;
}

/*
 * Choose the first searches: from the start, and from the best point of each of the best
 * combinations.
 */
static void
choose_combinations(TuneWork *work, int ncandidates, int most)
{
	int			i,
				j;

	take_candidate(work, 0);
	for (i = 0; i < ncandidates && work->nruns < most &&
		 work->nruns <= BEST_COMBINATIONS; i++)
	{
		int			candidate = work->order[i];

		for (j = 0; j < work->nruns; j++)
			if (work->run[j].combination == work->combination[candidate])
				break;
		if (j == work->nruns)
			take_candidate(work, candidate);
	}
}

/* Choose the best candidates of a combination that are apart, up to so many searches of it. */
static void
choose_starts(const TuneSpace *space, TuneWork *work, int ncandidates,
			  int combination, int starts, int most)
{
	int			have = 0;
	int			i,
				j;

	for (i = 0; i < work->nruns; i++)
		have += work->run[i].combination == combination;
	for (i = 0; i < ncandidates && have < starts && work->nruns < most; i++)
	{
		int			candidate = work->order[i];

		if (work->combination[candidate] != combination || work->chosen[candidate])
			continue;
		for (j = 0; j < work->nruns; j++)
			if (work->run[j].combination == combination &&
				distance(space, &work->candidate[candidate], &work->run[j].start) < APART)
				break;
		if (j < work->nruns)
			continue;
		take_candidate(work, candidate);
		have++;
	}
}

/* Search from those that were chosen last, as far as a coarse tolerance. */
static void
search_runs(TuneProblem *problem, const TuneSpace *space, const TuneEffort *effort,
			TuneWork *work, int first, int each)
{
	int			i;

	for (i = first; i < work->nruns; i++)
		work->run[i].status = search_from(problem, space, work, &work->run[i].point,
										  work->first_step,
										  larger(effort->tolerance, COARSE_TOLERANCE), each);
}

/* The search that ended lowest; the first of equal ones. */
static int
best_run(const TuneWork *work)
{
	int			best = 0;
	int			i;

	for (i = 1; i < work->nruns; i++)
		if (work->run[i].point.objective < work->run[best].point.objective)
			best = i;
	return best;
}

/*
 * Go on from the best end, and from those of its combination that are neither the same nor
 * hopeless, to the tolerance, while there are evaluations left.
 */
static void
finish_runs(TuneProblem *problem, const TuneSpace *space, const TuneEffort *effort,
			TuneWork *work, int64_t last_evaluation)
{
	int			best = best_run(work);
	int			combination = work->run[best].combination;
	bool		finished[TUNE_MAX_RUNS] = {false};

	for (;;)
	{
		int64_t		left = last_evaluation - problem->evaluations;
		double		lowest = work->run[best_run(work)].point.objective;
		int			next = -1;
		int			i;

		for (i = 0; i < work->nruns; i++)
			if (work->run[i].combination == combination && !finished[i] &&
				work->run[i].point.objective < lowest + HOPELESS_NATS &&
				(i == best || work->run[i].point.objective > lowest + TUNE_SAME_NATS) &&
				(next < 0 || work->run[i].point.objective < work->run[next].point.objective))
				next = i;
		if (next < 0 || left <= 0)
			return;
		finished[next] = true;
		work->run[next].status = search_from(problem, space, work, &work->run[next].point,
											 smaller(LAST_STEP, work->first_step),
											 effort->tolerance, (int) left);
	}
}

/*
 * The only search, which goes all the way: from the candidate that was best.  The start
 * remains the result if even so it costs less.
 */
static void
search_once(TuneProblem *problem, const TuneSpace *space, const TuneEffort *effort,
			TuneWork *work, int64_t last_evaluation)
{
	double		variable[TUNE_MAX_PARAMS];

	take_candidate(work, work->order[0]);
	if (work->order[0] != 0)
	{
		take_candidate(work, 0);
		tune_use(problem, space, &work->run[1].point, variable);
		work->run[1].point.objective = tune_objective(problem, variable);
	}
	work->run[0].status =
		search_from(problem, space, work, &work->run[0].point, work->first_step,
					effort->tolerance, last_evaluation > problem->evaluations ?
					(int) (last_evaluation - problem->evaluations) : 1);
}

/*
 * A search comes as close to 0 as its tolerance: take 0 itself where it costs hardly more.
 */
static void
snap_to_zero(TuneProblem *problem, const TuneSpace *space, TunePoint *point)
{
	double		variable[TUNE_MAX_PARAMS];
	int			i;

	for (i = 0; i < space->nparams; i++)
	{
		const TuneParam *param = &space->param[i];
		TunePoint	other = *point;

		if (param->scale != TUNE_LOG_FROM_ZERO || param->low != 0 ||
			!is_active(space, point->level, i) || point->value[i] == 0 ||
			point->value[i] > ZERO_SHARE * param->smallest)
			continue;
		other.value[i] = 0;
		tune_use(problem, space, &other, variable);
		other.objective = tune_objective(problem, variable);
		if (other.objective <= point->objective + ZERO_NATS)
			*point = other;
	}
}

/* What came of the searches for the best combination. */
static void
make_report(const TuneWork *work, int best, TuneReport *report)
{
	int			i;

	report->status = work->run[best].status;
	report->starts = report->agreeing = report->elsewhere = 0;
	for (i = 0; i < work->nruns; i++)
	{
		const TuneRun *run = &work->run[i];

		if (run->combination != work->run[best].combination)
			continue;
		report->starts++;
		if (run->point.objective <= work->run[best].point.objective + TUNE_SAME_NATS)
			report->agreeing++;
		else if (run->status != MINIMIZE_MAX_EVALUATIONS)
			report->elsewhere++;
	}
}

void
tune_search(TuneProblem *problem, const TuneSpace *space, const TuneEffort *effort,
			TuneWork *work, TunePoint *point, TuneReport *report)
{
	int64_t		last_evaluation = problem->evaluations + effort->max_evaluations;
	double		variable[TUNE_MAX_PARAMS];
	int			ncandidates;
	int			most;
	int			each;
	int			left;
	int			best;

	memset(work->chosen, 0, sizeof(work->chosen));
	work->nruns = 0;
	work->first_step = effort->first_step > 0 ? effort->first_step : FIRST_STEP;
	ncandidates = make_candidates(problem, space, effort, work, point);
	report->combinations = tune_combinations(space);
	left = (int) (last_evaluation - problem->evaluations);

	/* A search that ends too early is worth nothing: rather fewer of them. */
	most = left / (4 * space->nparams + 4);
	most = most > TUNE_MAX_RUNS ? TUNE_MAX_RUNS : most;
	if (most <= 1 || (effort->starts <= 1 && report->combinations == 1))
		search_once(problem, space, effort, work, last_evaluation);
	else
	{
		int			extra = report->combinations < BEST_COMBINATIONS ?
			report->combinations : BEST_COMBINATIONS;

		each = left * 3 / 4 / (most < effort->starts + extra ? most : effort->starts + extra);
		choose_combinations(work, ncandidates, most);
		search_runs(problem, space, effort, work, 0, each);
		best = work->nruns;
		choose_starts(space, work, ncandidates, work->run[best_run(work)].combination,
					  effort->starts, most);
		search_runs(problem, space, effort, work, best, each);
		finish_runs(problem, space, effort, work, last_evaluation);
	}
	best = best_run(work);
	*point = work->run[best].point;
	make_report(work, best, report);
	snap_to_zero(problem, space, point);
	tune_use(problem, space, point, variable);
}
