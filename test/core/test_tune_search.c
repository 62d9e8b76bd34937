/*
 * test_tune_search.c
 *		Searches from several starts, forward selection of parts, and paired differences.
 */
#include "simulation.h"

#include "core/evaluate/tune_parts.h"

/*
 * ---- Ranges ----
 */

/* Whether a match of two can be rated when a parameter has a value. */
static bool
can_rate(const Model *model, int param, double value)
{
	Fixture		f;

	fixture_init(&f, model->name);
	f.params[param].number = value;
	f.model->init(f.params, f.before[0]);
	f.model->init(f.params, f.before[1]);
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	return fixture_build(&f) == MATCH_OK &&
		model_rate(model, f.params, &f.match) == MATCH_OK;
}

/* Every number of every model has a range to search that is sound, and its start in it. */
static void
test_ranges(void **state)
{
	int			m,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (i = 0; i < model_registry[m]->params.count; i++)
		{
			const Model *model = model_registry[m];
			const ParamSpec *spec = param_spec(&model->params, i);
			TuneParam	param;
			double		low;
			double		high;
			double		middle;

			if (spec->type != PARAM_NUMBER)
				continue;
			param = tune_param(spec, i, spec->default_value);
			low = tune_variable(&param, param.low);
			high = tune_variable(&param, param.high);
			middle = tune_value(&param, (low + high) / 2);

			/* The farther end is four deviations of the prior away. */
			assert_true(param.center >= low && param.center <= high);
			assert_relative(fmax(high - param.center, param.center - low),
							4 * param.width, 1e-12);
			if (isfinite(spec->default_value) && spec->default_value != 0)
				assert_near(tune_value(&param, param.center), spec->default_value,
							1e-9 * fabs(spec->default_value));
			if (!(isfinite(low) && isfinite(high) && low < high &&
				  param_in_range(spec, param.low) && param_in_range(spec, param.high) &&
				  param.low < middle && middle < param.high))
				fail_msg("%s.%s is searched from %g to %g", model->name, spec->name,
						 param.low, param.high);

			/* The default is inside, unless it stands for something else. */
			if (isfinite(spec->default_value) &&
				!(spec->zero_is_other && spec->default_value == 0))
				assert_true(param.low <= spec->default_value &&
							spec->default_value <= param.high);

			/* What may be 0 can be found to be 0, exactly. */
			if (spec->min == 0 && !spec->above_min && !spec->zero_is_other)
				assert_same(tune_value(&param, low), 0.0);
			assert_near(tune_value(&param, tune_variable(&param, middle)), middle,
						1e-12 * fabs(middle));
			if (!can_rate(model, i, param.low) || !can_rate(model, i, param.high) ||
				!can_rate(model, i, middle))
				fail_msg("%s cannot rate with %s = %g, %g or %g", model->name, spec->name,
						 param.low, middle, param.high);
		}
}

/* Every model has parameters that are searched by default, and parts that are off. */
static void
test_parts_of_models(void **state)
{
	int			m,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		ParamValue	params[TEST_MAX_PARAMS];
		TuneSpace	space = {0};
		int			searched = 0;

		param_defaults(&model->params, params);
		for (i = 0; i < model->params.count; i++)
			searched += param_spec(&model->params, i)->searched;
		if (searched == 0)
			fail_msg("%s has nothing to search", model->name);
		assert_true(model->nparts <= MODEL_MAX_PARTS);
		for (i = 0; i < model->nparts; i++)
		{
			const PartParam *first = &model->part[i].param[0];
			TunePart	part;

			/* Those that are on by default are turned off to be tried. */
			if (param_spec(&model->params, first->param)->type == PARAM_NUMBER)
				params[first->param].number = first->off;
			else if (param_spec(&model->params, first->param)->type == PARAM_CHOICE)
				params[first->param].choice = (int) first->off;
			if (!tune_model_part(model, params, &space, &model->part[i], &part))
				fail_msg("part %s of %s is not off", model->part[i].name, model->name);
			assert_true(part.space.nparams + part.space.nchoices ==
						model->part[i].nparams);
			for (j = 0; j < part.space.nparams; j++)
				assert_true(part.value[j] >= part.space.param[j].low &&
							part.value[j] <= part.space.param[j].high);
			for (j = 0; j < i; j++)
				assert_string_not_equal(model->part[i].name, model->part[j].name);

			/*
			 * What waits for another part waits for one of the same model,
			 * before it.
			 */
			for (j = 0; j < i && model->part[i].beside != NULL; j++)
				if (strcmp(model->part[j].name, model->part[i].beside) == 0)
					break;
			if (model->part[i].beside != NULL && j == i)
				fail_msg("part %s of %s waits for none", model->part[i].name, model->name);
		}
	}
}

/* Given bounds are kept to; from 0 on the scale is logarithmic all the same. */
static void
test_given_bounds(void **state)
{
	const Model *trueskill = model_find("trueskill");
	int			drift = param_find(&trueskill->params, "drift");
	const ParamSpec *spec = param_spec(&trueskill->params, drift);
	TuneParam	param = tune_bounded_param(spec, drift, 0, 2, 0);

	(void) state;
	assert_same(tune_value(&param, tune_variable(&param, 0)), 0.0);
	assert_same(tune_value(&param, 100), 2.0);
	assert_true(tune_value(&param, (tune_variable(&param, 0) + tune_variable(&param, 2)) / 2) < 0.1);
	assert_near(tune_slope(&param, 0.5),
				(tune_value(&param, tune_variable(&param, 0.5) + 1e-6) - 0.5) / 1e-6, 1e-5);
	param = tune_bounded_param(spec, drift, 0.5, 2, 1);
	assert_int_equal(param.scale, TUNE_LOG);
	assert_same(tune_value(&param, -100), 0.5);
	param = tune_bounded_param(param_spec(&model_find("elo")->params, 0), 0, -1, 2, 1);
	assert_int_equal(param.scale, TUNE_LINEAR);

	/*
	 * Bounds that are given make no prior narrower, and move it where they
	 * are.
	 */
	param = tune_bounded_param(spec, drift, 0.5, 2, 0.1);
	assert_near(param.center, log(0.5), 1e-12);
	assert_same(param.width, tune_param(spec, drift, 0.1).width);

	/* A start outside of the range widens it. */
	param = tune_param(spec, drift, 1e4);
	assert_true(param.high > 1e4);
}

/* The prior of a number that is 0 by default is around what its part begins with. */
static void
test_prior_of_parts(void **state)
{
	const Model *model = model_find("state_space");
	int			side = param_find(&model->params, "initial_side_sigma");
	ParamValue	params[TEST_MAX_PARAMS];
	TuneSpace	space = {0};
	TuneParam	log_odds = tune_log_odds_param();

	(void) state;
	param_defaults(&model->params, params);
	assert_same(params[side].number, 0.0);
	assert_true(tune_space_add(&space, model, params, side, 0, 0));
	assert_near(tune_value(&space.param[0], space.param[0].center), 0.3, 1e-12);
	params[side].number = 0.7;
	assert_true(tune_space_add(&space, model, params, side, 0, 0));
	assert_near(tune_value(&space.param[1], space.param[1].center), 0.7, 1e-12);

	/* Neither side is favoured. */
	assert_same(log_odds.center, 0.0);
}

/*
 * ---- A model with valleys ----
 *
 * Its forecasts depend on parameters alone: those of x have a valley near 0.4, where a search
 * from the default ends, and a deeper one near 40; those of kind have their own depth.
 */
enum
{
	VALLEY_X,
	VALLEY_KIND,
	VALLEY_SCALE,
	VALLEY_NPARAMS
};

static const char *const valley_kinds[] = {"poor", "fair", "good", NULL};

static const ParamSpec valley_params[] = {
	{.name = "x",.type = PARAM_NUMBER,.default_value = 1,.min = 0,.above_min = true,.max = 1e9,
	.description = "where"},
	{.name = "kind",.type = PARAM_CHOICE,.choices = valley_kinds,.description = "which"},
	{.name = "scale",.type = PARAM_NUMBER,.default_value = 0,.min = 0,.max = 1e9,
		.search = {0.1, 10},.zero_is_other = true,
	.description = "0 is as good as 3, and small numbers are bad"},
};

static void
valley_init(const ParamValue *params, double *state)
{
	(void) params;
	state[0] = 0;
}

static double
valley_depth(const ParamValue *params)
{
	double		y = log(params[VALLEY_X].number);
	double		near = y - log(0.4);
	double		far = y - log(40);
	double		p = 0.3 + 0.1 * exp(-near * near) + 0.25 * exp(-far * far) +
		0.05 * params[VALLEY_KIND].choice;

	if (params[VALLEY_SCALE].number != 0)
		p -= 0.1 * fabs(log(params[VALLEY_SCALE].number / 3)) - 0.05;
	return fmin(fmax(p, 0.01), 0.99);
}

static MatchStatus
valley_predict(const ParamValue *params, Match *match)
{
	match->team[0].win = valley_depth(params);
	match->team[1].win = 1 - match->team[0].win;
	return MATCH_OK;
}

static MatchStatus
valley_rate(const ParamValue *params, Match *match)
{
	int			i;

	for (i = 0; i < match->nplayers; i++)
	{
		match->player[i].after[0] = match->player[i].before[0];
		match->player[i].gradient = 0;
	}
	return valley_predict(params, match);
}

static const StateSpec valley_state[] = {
	{.name = "nothing",.min = -INFINITY,.description = "nothing"}
};

static const Model valley_model = {
	.name = "valley",
	.params = PARAM_SET("model", "valley", valley_params, VALLEY_NPARAMS),
	.state = valley_state,
	.nstate = 1,
	.init = valley_init,
	.predict = valley_predict,
	.rate = valley_rate
};

/* A problem of fitting the model with valleys to matches that the first team wins. */
static void
valley_problem(Simulation *s, TuneProblem *problem)
{
	size_t		i;

	simulation_init(s, "elo");
	simulate(s, 3, 400, 10, 1);
	for (i = 0; i < s->history.nparticipants; i++)
		s->history.number[0][i] = 1 + i % 2;
	s->model = &valley_model;
	param_defaults(&valley_model.params, s->params);
	memset(problem, 0, sizeof(*problem));
	problem->model = s->model;
	problem->params = s->params;
	problem->history = &s->history;
	problem->work = &s->work;
	problem->bound[1] = 400;
}

/* One start ends in the nearest valley; several find the deepest one, and say so. */
static void
test_valleys(void **state)
{
	TuneWork   *work = malloc(sizeof(TuneWork));
	Simulation	s;
	TuneProblem problem;
	TuneSpace	space = {0};
	TuneEffort	effort = {.starts = 1,.max_evaluations = 500,.tolerance = 1e-4};
	TuneReport	report;
	TunePoint	point;
	TunePoint	again;
	int			starts;

	(void) state;
	valley_problem(&s, &problem);
	assert_true(tune_space_add(&space, s.model, s.params, VALLEY_X, 0, 0));
	tune_point(&problem, &space, &point);
	tune_search(&problem, &space, &effort, work, &point, &report);
	assert_relative(point.value[0], 0.4, 0.05);
	assert_int_equal(report.starts, 1);
	assert_int_equal(report.agreeing, 1);

	for (starts = 3; starts <= 5; starts++)
	{
		s.params[VALLEY_X].number = 1;
		effort.starts = starts;
		tune_point(&problem, &space, &point);
		memset(work, 0x5a, sizeof(*work));
		tune_search(&problem, &space, &effort, work, &point, &report);
		assert_relative(point.value[0], 40, 0.05);
		assert_int_equal(report.starts, starts);

		/* The default is among the starts, and ends elsewhere. */
		assert_true(report.agreeing >= 1 && report.elsewhere >= 1);
		assert_int_equal(report.agreeing + report.elsewhere, starts);
		assert_int_equal(report.status, MINIMIZE_CONVERGED);
		assert_same(s.params[VALLEY_X].number, point.value[0]);
	}

	/* Again the same, whatever was in the memory; nothing is left in params. */
	s.params[VALLEY_X].number = 1;
	tune_point(&problem, &space, &again);
	memset(work, 0xa5, sizeof(*work));
	tune_search(&problem, &space, &effort, work, &again, &report);
	assert_same(again.value[0], point.value[0]);
	assert_same(again.objective, point.objective);
	free(work);
	simulation_free(&s);
}

/* Of all choices, and of 0 and the numbers that it is no limit of, the best are found. */
static void
test_choices(void **state)
{
	TuneWork   *work = malloc(sizeof(TuneWork));
	Simulation	s;
	TuneProblem problem;
	TuneSpace	space = {0};
	TuneEffort	effort = {.starts = 4,.max_evaluations = 1000,.tolerance = 1e-4};
	TuneReport	report;
	TunePoint	point;
	int			i;

	(void) state;
	valley_problem(&s, &problem);
	for (i = 0; i < VALLEY_NPARAMS; i++)
		assert_true(tune_space_add(&space, s.model, s.params, i, 0, 0));
	assert_int_equal(tune_combinations(&space), 6);
	tune_point(&problem, &space, &point);
	tune_search(&problem, &space, &effort, work, &point, &report);
	assert_int_equal(s.params[VALLEY_KIND].choice, 2);
	assert_relative(s.params[VALLEY_X].number, 40, 0.05);
	assert_relative(s.params[VALLEY_SCALE].number, 3, 0.01);
	assert_int_equal(report.combinations, 6);

	/* Where it is the other way round, the switch stays off. */
	s.params[VALLEY_SCALE].number = 0;
	space.param[1].low = 0.1;
	space.param[1].high = 0.5;
	tune_point(&problem, &space, &point);
	tune_search(&problem, &space, &effort, work, &point, &report);
	assert_same(s.params[VALLEY_SCALE].number, 0.0);
	assert_int_equal(s.params[VALLEY_KIND].choice, 2);

	/*
	 * However few evaluations there are, the result is no worse than the
	 * start.
	 */
	for (i = 1; i < 60; i++)
	{
		double		variable[TUNE_MAX_PARAMS];
		double		before;

		param_defaults(&s.model->params, s.params);
		tune_point(&problem, &space, &point);
		tune_use(&problem, &space, &point, variable);
		before = tune_objective(&problem, variable);
		effort.max_evaluations = i;
		tune_search(&problem, &space, &effort, work, &point, &report);
		assert_true(point.objective <= before);
	}
	free(work);
	simulation_free(&s);
}

/*
 * ---- Parts ----
 */

static void
parts_problem(Simulation *s, TuneProblem *problem, TunePartsWork *work)
{
	int			i;

	memset(problem, 0, sizeof(*problem));
	problem->model = s->model;
	problem->params = s->params;
	problem->history = &s->history;
	problem->work = &s->work;
	problem->bound[0] = s->history.nmatches / 10;
	problem->bound[1] = s->history.nmatches;
	for (i = 0; i < 2; i++)
		work->loss[i] = malloc(s->history.nmatches * sizeof(double));
	work->off = malloc(s->model->params.count * sizeof(ParamValue));
}

static void
free_parts_work(TunePartsWork *work)
{
	int			i;

	for (i = 0; i < 2; i++)
		free(work->loss[i]);
	free(work->off);
	free(work);
}

/* A side that is worth something is found, with its worth, and one that is not is left. */
static void
check_log_odds(double truth, uint64_t seed, int matches, bool taken)
{
	TunePartsWork *work = malloc(sizeof(TunePartsWork));
	Simulation	s;
	TuneProblem problem;
	TuneSpace	space = {0};
	TuneEffort	effort = {.starts = 4,.max_evaluations = 2000,.tolerance = 1e-4};
	TunePart	part[3];
	TuneReport	report;
	TunePoint	point;
	double		error = 2 / sqrt(0.9 * matches);
	int			i;

	simulation_init(&s, "elo");
	s.side_log_odds = truth;
	simulate(&s, seed, matches, 50, 1);
	parts_problem(&s, &problem, work);
	assert_true(tune_space_add(&space, s.model, s.params,
							   param_find(&s.model->params, "k"), 0, 0));
	tune_log_odds_part(&part[0]);
	assert_true(tune_model_part(s.model, s.params, &space, &s.model->part[1], &part[1]));
	assert_string_equal(part[1].name, "normal");
	assert_true(tune_model_part(s.model, s.params, &space, &s.model->part[2], &part[2]));
	assert_string_equal(part[2].name, "sum");
	tune_point(&problem, &space, &point);
	assert_true(tune_select_parts(&problem, &space, part, 3, NULL, &effort, work,
								  &point).complete);
	print_message("log-odds %g on %d matches: gain %.5f +- %.5f, form %.5f +- %.5f\n", truth,
				  matches, part[0].gain.mean, part[0].gain.error, part[1].gain.mean,
				  part[1].gain.error);
	assert_true(part[0].judged && part[1].judged && part[2].judged);
	assert_int_equal(part[0].taken, taken);
	assert_false(part[2].taken);
	assert_same(part[2].gain.mean, 0.0);

	/*
	 * Only the blocks behind the first third are judged; the first of them if
	 * nothing comes of the log-odds there, which have no value without a fit.
	 */
	assert_true(part[0].gain.matches >= matches * 9 / 10 / 9);
	for (i = taken ? 0 : 1; i < 3; i++)
		assert_int_equal(part[i].gain.matches, matches * 9 / 10 - matches * 9 / 10 / 3);
	tune_search(&problem, &space, &effort, &work->search, &point, &report);
	assert_near(s.work.side_log_odds, taken ? truth : 0, 3 * error);
	assert_true(taken || s.work.side_log_odds == 0);
	free_parts_work(work);
	simulation_free(&s);
}

static void
test_parts(void **state)
{
	(void) state;
	check_log_odds(0.4, 1, 4000, true);
	check_log_odds(0.4, 2, 4000, true);
	check_log_odds(1e-9, 4, 4000, false);
	check_log_odds(1e-9, 5, 1000, false);
}

/*
 * A gain that is within its error is enough for a choice, which has no simpler side, and not
 * for a part; nor is a loss for either.
 */
static void
test_choice_parts(void **state)
{
	int			within = 0;
	int			lost = 0;
	uint64_t	seed;

	(void) state;
	for (seed = 1; seed <= 12; seed++)
	{
		PairedDifference gain[2];
		bool		taken[2];
		int			choice;

		for (choice = 0; choice < 2; choice++)
		{
			TunePartsWork *work = malloc(sizeof(TunePartsWork));
			Simulation	s;
			TuneProblem problem;
			TuneSpace	space = {0};
			TuneEffort	effort = {.starts = 1,.max_evaluations = 600,.tolerance = 1e-3};
			TunePart	part[1];
			TunePoint	point;

			simulation_init(&s, "elo");
			s.side_log_odds = 0.1;
			simulate(&s, seed, 1000, 30, 1);
			parts_problem(&s, &problem, work);
			assert_true(tune_space_add(&space, s.model, s.params,
									   param_find(&s.model->params, "k"), 0, 0));
			tune_log_odds_part(&part[0]);
			part[0].kind = choice ? PART_CHOICE : PART_OF_MODEL;
			tune_point(&problem, &space, &point);
			assert_true(tune_select_parts(&problem, &space, part, 1, NULL, &effort, work,
										  &point).complete);
			gain[choice] = part[0].gain;
			taken[choice] = part[0].taken;
			free_parts_work(work);
			simulation_free(&s);
		}
		assert_same(gain[0].mean, gain[1].mean);
		assert_int_equal(taken[1], gain[1].mean * (double) gain[1].matches > 0.5);
		assert_true(taken[1] || !taken[0]);
		within += taken[1] && !taken[0];
		lost += !taken[1];
		assert_true(!taken[0] || gain[0].mean > gain[0].error);
	}
	print_message("within errors: %d, lost: %d\n", within, lost);
	assert_true(within > 0 && lost > 0);
}

/* Fit tau and initial_sigma of trueskill to a simulation in which skills hardly drift. */
static void
fit_still_skills(uint64_t seed, int matches, int players, bool priors, double *value,
				 double *likelihood, bool *at_bound)
{
	TuneWork   *work = malloc(sizeof(TuneWork));
	Simulation	s;
	TuneProblem problem = {0};
	TuneSpace	space = {0};
	TuneEffort	effort = {.starts = 2,.max_evaluations = 400,.tolerance = 1e-4};
	TuneReport	report;
	TunePoint	point;
	double		variable[TUNE_MAX_PARAMS];
	int			i;

	simulation_init(&s, "trueskill");
	set_param(&s, "draw_probability", 0);
	set_param(&s, "tau", 0.04);
	simulate(&s, seed, matches, players, 1);
	problem.model = s.model;
	problem.params = s.params;
	problem.history = &s.history;
	problem.work = &s.work;
	problem.bound[1] = matches;
	problem.priors = priors;
	set_param(&s, "tau", 25.0 / 300);
	assert_true(tune_space_add(&space, s.model, s.params,
							   param_find(&s.model->params, "initial_sigma"), 0, 0));
	assert_true(tune_space_add(&space, s.model, s.params,
							   param_find(&s.model->params, "tau"), 0, 0));
	tune_point(&problem, &space, &point);
	tune_search(&problem, &space, &effort, work, &point, &report);
	*at_bound = false;
	tune_use(&problem, &space, &point, variable);
	for (i = 0; i < 2; i++)
	{
		const TuneParam *param = &space.param[i];
		double		low = tune_variable(param, param->low);
		double		high = tune_variable(param, param->high);

		value[i] = variable[i];
		*at_bound = *at_bound || variable[i] < low + 1e-3 * (high - low) ||
			variable[i] > high - 1e-3 * (high - low);
	}
	problem.priors = false;
	*likelihood = tune_objective(&problem, variable);
	free(work);
	simulation_free(&s);
}

/*
 * A small sample runs to a bound without priors and not with them, at a cost in likelihood of
 * less than two nats; a large one hardly moves.
 */
static void
test_small_and_large_samples(void **state)
{
	double		value[2][2];
	double		likelihood[2];
	bool		at_bound[2];
	int			at_bounds[2] = {0, 0};
	uint64_t	seed;
	int			i;

	(void) state;
	for (seed = 1; seed <= 10; seed++)
	{
		for (i = 0; i < 2; i++)
		{
			fit_still_skills(seed, 150, 5, i == 1, value[i], &likelihood[i], &at_bound[i]);
			at_bounds[i] += at_bound[i];
		}
		assert_true(likelihood[1] > likelihood[0] - 0.01 &&
					likelihood[1] < likelihood[0] + 2);
	}
	print_message("of 10 small samples at a bound: %d without priors, %d with them\n",
				  at_bounds[0], at_bounds[1]);
	assert_true(at_bounds[0] >= 3);
	assert_int_equal(at_bounds[1], 0);
	for (i = 0; i < 2; i++)
		fit_still_skills(11, 20000, 60, i == 1, value[i], &likelihood[i], &at_bound[i]);
	print_message("20000 matches: %.3f and %.3f without priors, %.3f and %.3f with them\n",
				  value[0][0], value[0][1], value[1][0], value[1][1]);
	assert_near(value[0][0], value[1][0], 0.01);
	assert_near(value[0][1], value[1][1], 0.05);
	assert_true(likelihood[1] < likelihood[0] + 0.1);
}

/* What is behind the bounds has no influence, whatever happens there. */
static void
test_unseen(void **state)
{
	double		value[2][2];
	int			run;

	(void) state;
	for (run = 0; run < 2; run++)
	{
		TunePartsWork *work = malloc(sizeof(TunePartsWork));
		Simulation	s;
		TuneProblem problem;
		TuneSpace	space = {0};
		TuneEffort	effort = {.starts = 3,.max_evaluations = 600,.tolerance = 1e-3};
		TunePart	part[1];
		TuneReport	report;
		TunePoint	point;
		size_t		i;

		simulation_init(&s, "elo");
		s.side_log_odds = 0.5;
		simulate(&s, 7, 2000, 30, 1);
		parts_problem(&s, &problem, work);
		problem.bound[1] = 1600;
		for (i = 2 * problem.bound[1]; run == 1 && i < s.history.nparticipants; i++)
			s.history.number[0][i] = 3 - s.history.number[0][i];
		assert_true(tune_space_add(&space, s.model, s.params,
								   param_find(&s.model->params, "k"), 0, 0));
		tune_log_odds_part(&part[0]);
		tune_point(&problem, &space, &point);
		(void) tune_select_parts(&problem, &space, part, 1, NULL, &effort, work, &point);
		tune_search(&problem, &space, &effort, &work->search, &point, &report);
		assert_true(part[0].taken);
		value[run][0] = point.value[0];
		value[run][1] = point.value[1];
		free_parts_work(work);
		simulation_free(&s);
	}
	assert_same(value[0][0], value[1][0]);
	assert_same(value[0][1], value[1][1]);
}

/*
 * ---- Paired differences ----
 */

/* The mean, and the error by blocks as the textbook has it. */
static void
test_paired_difference(void **state)
{
	double		a[1000];
	double		b[1000];
	Random		random = {11};
	PairedDifference d;
	double		mean = 0;
	double		squares = 0;
	int			i,
				j;

	(void) state;
	for (i = 0; i < 1000; i++)
	{
		a[i] = random_between(&random, 0, 1);
		b[i] = random_between(&random, 0, 0.9);
	}
	d = paired_difference(a, b, 200, 1000);
	for (i = 200; i < 1000; i++)
		mean += (a[i] - b[i]) / 800;
	for (i = 0; i < 40; i++)
	{
		double		block = 0;

		for (j = 0; j < 20; j++)
			block += a[200 + 20 * i + j] - b[200 + 20 * i + j] - mean;
		squares += block * block;
	}
	assert_int_equal(d.matches, 800);
	assert_near(d.mean, mean, 1e-14);
	assert_near(d.error, sqrt(squares * 40 / 39) / 800, 1e-14);

	/* What either has not forecast is left out. */
	a[300] = NAN;
	b[301] = NAN;
	assert_int_equal(paired_difference(a, b, 200, 1000).matches, 798);
	d = paired_difference(a, b, 0, 19);
	assert_int_equal(d.matches, 19);
	assert_true(isfinite(d.mean) && isnan(d.error));
	d = paired_difference(a, b, 5, 5);
	assert_true(d.matches == 0 && isnan(d.mean));

	/* Runs of equal differences count as few, not as many. */
	for (i = 0; i < 1000; i++)
	{
		b[i] = 0;
		a[i] = (i / 25) % 2;
	}
	assert_near(paired_difference(a, b, 0, 1000).error, sqrt(0.25 / 39), 1e-12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_parts_of_models),
		cmocka_unit_test(test_given_bounds),
		cmocka_unit_test(test_prior_of_parts),
		cmocka_unit_test(test_valleys),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_choice_parts),
		cmocka_unit_test(test_small_and_large_samples),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_paired_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
