/*
 * test_tune.c
 *		Histories that are rated over and over, and what their likelihood says of
 *		the parameters.
 */
#include "simulation.h"

#include "core/evaluate/tune.h"

static MatchStatus
replay(Simulation *s, const size_t *bound, int nscores, HistoryScore *score)
{
	size_t		match;
	int			offender;

	return history_replay(&s->history, s->model, s->params, &s->work, bound,
						  nscores, score, NULL, &match, &offender);
}

/* Rating a history again gives the same predictions, to the last bit. */
static void
test_replay_is_the_simulation(void **state)
{
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		Simulation	s;
		HistoryScore score[3];
		size_t		bound[4] = {0, 500, 500, 3000};

		simulation_init(&s, model_registry[m]->name);
		simulate(&s, 42 + m, 3000, 40, 0.3);
		assert_status(replay(&s, &bound[2], 1, score), MATCH_OK);
		assert_int_equal(score[0].matches, 2500);
		bound[2] = 0;
		assert_status(replay(&s, &bound[2], 1, score), MATCH_OK);
		assert_int_equal(score[0].matches, 3000);
		assert_same(sum_value(&score[0].log_loss), s.log_loss);

		/* The same in parts, of which one is empty. */
		bound[2] = 500;
		assert_status(replay(&s, bound, 3, score), MATCH_OK);
		assert_int_equal(score[0].matches, 500);
		assert_int_equal(score[1].matches, 0);
		assert_int_equal(score[2].matches, 2500);
		assert_near(sum_value(&score[0].log_loss) + sum_value(&score[2].log_loss),
					s.log_loss, 1e-9);
		simulation_free(&s);
	}
}

/* Matches that do not count are passed over, mistakes are told. */
static void
test_replay_of_what_does_not_count(void **state)
{
	Simulation	s;
	HistoryScore score[1];
	size_t		bound[2] = {0, 10};
	size_t		match;
	int			offender;

	(void) state;
	simulation_init(&s, "elo");
	simulate(&s, 1, 10, 4, 1);
	s.history.team[2 * 3] = s.history.team[2 * 3 + 1] = 1;
	s.history.number[0][2 * 3] = s.history.number[0][2 * 3 + 1] = 1;
	assert_status(replay(&s, bound, 1, score), MATCH_OK);
	assert_int_equal(score[0].matches, 9);
	s.history.number[0][2 * 7 + 1] = 0;
	assert_status(history_replay(&s.history, s.model, s.params, &s.work, bound, 1,
								 score, NULL, &match, &offender), MATCH_BAD_RANK);
	assert_int_equal(match, 7);
	assert_int_equal(offender, 1);
	simulation_free(&s);
}

/* Draws of two are halves, first places shared by several are shared. */
static void
test_scores_of_draws(void **state)
{
	History		h = {0};
	HistoryMatch match[1] = {{.n = 2}};
	int32_t		player[4] = {0, 1, 2, 3};
	int32_t		team[4] = {1, 2, 3, 4};
	double		rank[4] = {1, 1, 3, 4};
	const Model *elo = model_find("elo");
	ParamValue	params[TEST_MAX_PARAMS];
	HistoryWork work;
	HistoryScore score[1];
	size_t		bound[2] = {0, 1};
	size_t		where;
	int			offender;
	void	   *block;

	(void) state;
	param_defaults(&elo->params, params);
	h.nmatches = 1;
	h.match = match;
	h.nparticipants = 4;
	h.player = player;
	h.team = team;
	h.number[0] = rank;
	h.nplayers = 4;
	h.max_participants = 4;
	block = malloc(history_work_size(&h, elo->nstate));
	history_work_init(&work, block, &h, elo->nstate);
	assert_status(history_replay(&h, elo, params, &work, bound, 1, score, NULL,
								 &where, &offender), MATCH_OK);
	assert_near(sum_value(&score[0].log_loss), log(2), 1e-15);
	match[0].n = 4;
	assert_status(history_replay(&h, elo, params, &work, bound, 1, score, NULL,
								 &where, &offender), MATCH_OK);
	assert_near(sum_value(&score[0].log_loss), log(4), 1e-12);
	free(block);
}

/* The lowest point of the objective along one variable. */
static double
golden_section(TuneProblem *problem, double low, double high)
{
	const double ratio = 0.6180339887498949;

	while (high - low > 1e-5)
	{
		double		a = high - ratio * (high - low);
		double		b = low + ratio * (high - low);

		if (tune_objective(problem, &a) < tune_objective(problem, &b))
			high = b;
		else
			low = a;
	}
	return (low + high) / 2;
}

/* What a parameter is estimated at, in standard errors from the truth. */
static void
check_recovery(const char *model, const char *param, double truth,
			   double start, uint64_t seed, int matches, int players, double days,
			   double largest_error)
{
	Simulation	s;
	TuneProblem problem = {0};
	double		minimum;
	double		error;
	bool		at_bound;

	simulation_init(&s, model);
	if (strcmp(model, "glicko2") == 0)
		set_param(&s, "initial_volatility", 0.3);
	set_param(&s, param, truth);
	simulate(&s, seed, matches, players, days);
	set_param(&s, param, start);

	problem.model = s.model;
	problem.params = s.params;
	problem.history = &s.history;
	problem.work = &s.work;
	problem.bound[0] = 0;
	problem.bound[1] = matches;
	problem.n = 1;
	problem.param[0].index = param_find(&s.model->params, param);
	problem.param[0].scale = TUNE_LOG;
	problem.param[0].low = truth / 50;
	problem.param[0].high = truth * 50;
	minimum = golden_section(&problem, log(truth / 50), log(truth * 50));
	tune_errors(&problem, &minimum, &error, &at_bound);
	assert_false(at_bound);
	print_message("%s.%s: %g, estimated %.4g, %.2f standard errors of %.1f %%\n",
				  model, param, truth, exp(minimum),
				  (minimum - log(truth)) / error, 100 * error);
	assert_true(error < largest_error);
	assert_near(minimum, log(truth), 3 * error);
	assert_near(get_param(&s, param), exp(minimum), 1e-12 * exp(minimum));
	simulation_free(&s);
}

static void
test_recovery(void **state)
{
	(void) state;
	check_recovery("elo", "k", 24, 32, 6, 30000, 200, 0.1, 0.1);
	check_recovery("glicko2", "tau", 1, 0.5, 8, 60000, 60, 0.11, 0.3);
	check_recovery("trueskill", "initial_sigma", 4, 8, 9, 30000, 300, 0.1, 0.1);
	check_recovery("trueskill", "tau", 0.2, 0.08, 10, 30000, 100, 0.1, 0.1);
}

/* The error from the curvature is that of a plain second difference. */
static void
test_errors(void **state)
{
	Simulation	s;
	TuneProblem problem = {0};
	double		variable[2];
	double		error[2];
	bool		at_bound[2];
	double		h = 0.03;
	double		f[3][3];
	double		aa,
				ab,
				bb;
	int			i,
				j;

	(void) state;
	simulation_init(&s, "trueskill");
	set_param(&s, "initial_sigma", 4);
	set_param(&s, "tau", 0.3);
	simulate(&s, 5, 30000, 150, 0.1);
	problem.model = s.model;
	problem.params = s.params;
	problem.history = &s.history;
	problem.work = &s.work;
	problem.bound[1] = 30000;
	problem.n = 2;
	problem.param[0] = (TuneParam)
	{
		param_find(&s.model->params, "initial_sigma"), TUNE_LOG, 0.1, 100, 0, 0, 0
	};
	problem.param[1] = (TuneParam)
	{
		param_find(&s.model->params, "tau"), TUNE_LOG, 0.01, 10, 0, 0, 0
	};
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++)
		{
			variable[0] = log(4) + (i - 1) * h;
			variable[1] = log(0.3) + (j - 1) * h;
			f[i][j] = tune_objective(&problem, variable);
		}
	aa = (f[2][1] - 2 * f[1][1] + f[0][1]) / (h * h);
	bb = (f[1][2] - 2 * f[1][1] + f[1][0]) / (h * h);
	ab = (f[2][2] + f[0][0] - f[2][0] - f[0][2]) / (4 * h * h);
	variable[0] = log(4);
	variable[1] = log(0.3);
	tune_errors(&problem, variable, error, at_bound);
	assert_relative(error[0], sqrt(bb / (aa * bb - ab * ab)), 0.05);
	assert_relative(error[1], sqrt(aa / (aa * bb - ab * ab)), 0.05);

	/* At a bound nothing is said of one, and the other is as if alone. */
	problem.param[1].high = 0.3;
	tune_errors(&problem, variable, error, at_bound);
	assert_true(at_bound[1] && isnan(error[1]));
	assert_false(at_bound[0]);
	assert_relative(error[0], 1 / sqrt(aa), 0.05);
	simulation_free(&s);
}

/* Two parameters of which only the ratio counts have no errors. */
static void
test_errors_undetermined(void **state)
{
	Simulation	s;
	TuneProblem problem = {0};
	double		variable[2];
	double		error[2];
	bool		at_bound[2];

	(void) state;
	simulation_init(&s, "elo");
	simulate(&s, 5, 5000, 50, 0.1);
	problem.model = s.model;
	problem.params = s.params;
	problem.history = &s.history;
	problem.work = &s.work;
	problem.bound[1] = 5000;
	problem.n = 2;
	problem.param[0] = (TuneParam)
	{
		param_find(&s.model->params, "k"), TUNE_LOG, 1, 1000, 0, log(32), 1
	};
	problem.param[1] = (TuneParam)
	{
		param_find(&s.model->params, "scale"), TUNE_LOG, 10, 10000, 0, log(400), 1
	};
	variable[0] = log(32);
	variable[1] = log(400);
	tune_errors(&problem, variable, error, at_bound);
	assert_true(isnan(error[0]) && isnan(error[1]));
	assert_false(at_bound[0] || at_bound[1]);

	/* Priors do not make them determined. */
	problem.priors = true;
	tune_errors(&problem, variable, error, at_bound);
	assert_true(isnan(error[0]) && isnan(error[1]));
	simulation_free(&s);
}

/*
 * Priors add what normal densities say to the objective, and their information to that of
 * the likelihood; the likelihood that is reported remains one.
 */
static void
note_nats(const TuneProblem *problem, double nats, void *argument)
{
	(void) problem;
	*(double *) argument = nats;
}

static void
test_priors(void **state)
{
	Simulation	s;
	TuneProblem problem = {0};
	double		reported = 0;
	double		variable;
	double		plain;
	double		error[2];
	bool		at_bound;

	(void) state;
	simulation_init(&s, "elo");
	simulate(&s, 6, 500, 30, 0.1);
	problem.model = s.model;
	problem.params = s.params;
	problem.history = &s.history;
	problem.work = &s.work;
	problem.bound[1] = 500;
	problem.n = 1;
	problem.param[0] = tune_param(param_spec(&s.model->params, param_find(&s.model->params, "k")),
								  param_find(&s.model->params, "k"), 20);
	problem.on_evaluation = note_nats;
	problem.argument = &reported;
	assert_near(problem.param[0].center, tune_variable(&problem.param[0], 20), 1e-12);
	variable = tune_variable(&problem.param[0], 50);
	plain = tune_objective(&problem, &variable);
	tune_errors(&problem, &variable, &error[0], &at_bound);
	problem.priors = true;
	assert_near(tune_objective(&problem, &variable) - plain,
				0.5 * pow((variable - problem.param[0].center) / problem.param[0].width, 2), 1e-9);
	assert_same(reported, plain);
	tune_errors(&problem, &variable, &error[1], &at_bound);
	assert_relative(pow(error[1], -2), pow(error[0], -2) + pow(problem.param[0].width, -2),
					0.02);

	/* In the middle of the prior it costs nothing, and switched off never. */
	variable = problem.param[0].center;
	plain = tune_objective(&problem, &variable);
	assert_same(reported, plain);
	problem.priors = false;
	assert_same(tune_objective(&problem, &variable), plain);
	simulation_free(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay_is_the_simulation),
		cmocka_unit_test(test_replay_of_what_does_not_count),
		cmocka_unit_test(test_scores_of_draws),
		cmocka_unit_test(test_recovery),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_errors_undetermined),
		cmocka_unit_test(test_priors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
