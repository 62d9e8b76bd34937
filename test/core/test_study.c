/*
 * test_study.c
 *		Studies of a model, what they warn of, and contests of several.
 */
#include <stdio.h>

#include "simulation.h"

#include "core/evaluate/contest.h"

#define MAX_WARNINGS 20
#define MATCHES 2000

/* A study of duels under elo, with what it says. */
typedef struct Subject
{
	Simulation	simulation;
	StudyOptions options;
	Study	   *study;
	ParamValue	start[TEST_MAX_PARAMS];
	ParamValue	off[TEST_MAX_PARAMS];
	double		loss_before[MATCHES];
	double		loss[MATCHES];
	double		accuracy[MATCHES];
	char		warning[MAX_WARNINGS][200];
	int			nwarnings;
} Subject;

static Subject subject;

static void
note_warning(void *argument, const char *format,...)
{
	Subject    *s = (Subject *) argument;
	va_list		args;

	assert_true(s->nwarnings < MAX_WARNINGS);
	va_start(args, format);
	vsnprintf(s->warning[s->nwarnings++], sizeof(s->warning[0]), format, args);
	va_end(args);
}

static void
begin(double side_log_odds, double k)
{
	Study	   *study = calloc(1, sizeof(Study));

	memset(&subject, 0, sizeof(subject));
	simulation_init(&subject.simulation, "elo");
	subject.simulation.side_log_odds = side_log_odds;
	set_param(&subject.simulation, "k", k);
	simulate(&subject.simulation, 11, MATCHES, 40, 1);
	set_param(&subject.simulation, "k", 20);
	subject.options = (StudyOptions)
	{
		.burn_in = 0.1,.holdout = 0.2,.tolerance = 1e-3,.starts = 2,.priors = true
	};
	subject.study = study;
	study->model = subject.simulation.model;
	study->options = &subject.options;
	study->history = &subject.simulation.history;
	study->work = &subject.simulation.work;
	study->params = subject.simulation.params;
	study->start = subject.start;
	study->loss_before = subject.loss_before;
	study->loss = subject.loss;
	study->accuracy = subject.accuracy;
	study->warn = note_warning;
	study->argument = &subject;
	study_begin(study);
	assert_true(tune_space_add(&study->space, study->model, study->params,
							   param_find(&study->model->params, "k"), 0, 0));
}

static void
fit(void)
{
	TunePartsWork *work = malloc(sizeof(TunePartsWork));

	work->off = subject.off;
	study_fit(subject.study, work);
	study_errors(subject.study);
	free(work);
}

static void
end(void)
{
	free(subject.study);
	simulation_free(&subject.simulation);
}

/* The spans are shares of the matches, and their losses at the start those of a replay. */
static void
test_spans(void **state)
{
	size_t		bound[3] = {200, 1600, 2000};
	HistoryScore score[2];
	size_t		match;
	int			offender;
	int64_t		matches;
	int			i;

	(void) state;
	begin(0, 40);
	for (i = 0; i < 3; i++)
		assert_int_equal(subject.study->bound[i], bound[i]);
	assert_status(history_replay(subject.study->history, subject.study->model,
								 subject.simulation.params, &subject.simulation.work,
								 bound, 2, score, NULL, &match, &offender), MATCH_OK);
	for (i = 0; i < STUDY_NSPANS; i++)
	{
		assert_near(study_mean(subject.study, subject.loss_before, i, &matches),
					sum_value(&score[i].log_loss) / (double) score[i].matches, 1e-14);
		assert_int_equal(matches, score[i].matches);
	}
	subject.loss_before[1700] = NAN;
	(void) study_mean(subject.study, subject.loss_before, STUDY_HELD_OUT, &matches);
	assert_int_equal(matches, 399);
	end();

	/* Spans that overlap: nothing is fitted. */
	begin(0, 40);
	subject.options.burn_in = 0.9;
	subject.options.holdout = 0.9;
	study_begin(subject.study);
	assert_int_equal(subject.study->bound[STUDY_FITTED], 1800);
	assert_int_equal(subject.study->bound[STUDY_HELD_OUT], 1800);
	assert_true(isnan(study_mean(subject.study, subject.loss_before, STUDY_FITTED, &matches)));
	assert_int_equal(matches, 0);
	end();
}

/* Parts need what the matches have, and those that are named and cannot be tried are told. */
static void
test_needs(void **state)
{
	static char *names[] = {"margin", "log_odds", "size_advantage", "normal"};
	double	   *score;

	(void) state;
	begin(0, 40);
	subject.options.parts = names;
	subject.options.nparts = 4;
	study_add_parts(subject.study);
	assert_int_equal(subject.study->nparts, 1);
	assert_string_equal(subject.study->part[0].name, "normal");
	assert_int_equal(subject.nwarnings, 3);
	assert_string_equal(subject.warning[0], "part \"margin\" was not tried: no match has scores");
	assert_string_equal(subject.warning[1],
						"part \"size_advantage\" was not tried: no match has teams of different sizes");
	assert_string_equal(subject.warning[2], "part \"log_odds\" was not tried: no match has sides");
	end();

	/* With sides and scores; nothing is said of others where all are wanted. */
	begin(0.5, 40);
	subject.options.all_parts = true;
	score = calloc(2 * MATCHES, sizeof(double));
	subject.simulation.history.number[1] = score;
	study_add_parts(subject.study);
	assert_int_equal(subject.nwarnings, 0);
	assert_string_equal(subject.study->part[subject.study->nparts - 1].name, "log_odds");
	assert_string_equal(subject.study->part[0].name, "margin");
	assert_true(model_has_part(subject.study->model, "log_odds"));
	assert_false(model_has_part(subject.study->model, "home"));
	assert_false(model_takes_log_odds(model_find("state_space")));
	end();
	free(score);
}

/* Where nobody has drawn a model expects no draws, unless somebody insists on it. */
static void
test_no_draws(void **state)
{
	static char *names[] = {"draw"};
	const Model *model = model_find("state_space");
	bool		given[TEST_MAX_PARAMS] = {false};
	int			draw = param_find(&model->params, "draw_probability");
	int			run;

	(void) state;
	for (run = 0; run < 2; run++)
	{
		ParamValue	params[TEST_MAX_PARAMS];

		begin(0, 40);
		param_defaults(&model->params, params);
		assert_true(params[draw].number > 0);
		subject.study->model = model;
		subject.study->params = params;
		subject.study->space.nparams = 0;
		given[draw] = run == 1;
		subject.study->given = given;
		subject.options.parts = names;
		subject.options.nparts = 1;
		study_add_parts(subject.study);
		assert_int_equal(subject.study->nparts, 0);
		assert_true((params[draw].number > 0) == (run == 1));
		end();
	}
}

/* A search finds the truth within its error, and has nothing to warn of. */
static void
test_fit(void **state)
{
	double		k;

	(void) state;
	begin(0.5, 60);
	assert_int_equal(study_evaluations(subject.study), 500);
	assert_int_equal(study_effort(subject.study), 2);
	tune_log_odds_part(&subject.study->part[subject.study->nparts++]);
	assert_int_equal(study_evaluations(subject.study), 200 * 3 + 200);
	assert_int_equal(study_effort(subject.study), 3);
	fit();
	assert_int_equal(subject.nwarnings, 0);
	assert_string_equal(study_stopped(subject.study), "tolerance reached");
	assert_string_equal(study_name(subject.study, 0), "k");
	assert_string_equal(study_name(subject.study, 1), "log_odds");
	k = subject.simulation.params[param_find(&subject.study->model->params, "k")].number;
	assert_true(fabs(log(k / 60)) < 3 * subject.study->error[0]);
	assert_near(subject.simulation.work.side_log_odds, 0.5, 3 * subject.study->error[1]);
	assert_false(study_is_undetermined(subject.study, 0) || study_is_of_time(subject.study, 0));
	assert_int_equal(paired_difference(subject.loss, subject.loss_before, 200, 2000).matches, 1800);
	end();
}

/* What gives reason not to trust a result. */
static void
test_warnings(void **state)
{
	(void) state;

	/* A bound that is none of the parameter's, few matches, and few evaluations. */
	begin(0, 60);
	subject.study->space.nparams = 0;
	assert_true(tune_space_add(&subject.study->space, subject.study->model,
							   subject.simulation.params,
							   param_find(&subject.study->model->params, "k"), 4, 30));
	fit();
	assert_int_equal(subject.nwarnings, 1);
	assert_string_equal(subject.warning[0], "parameter \"k\" ended at its upper bound 30");
	assert_true(subject.study->at_bound[0] && !study_is_undetermined(subject.study, 0));
	end();

	begin(0, 60);
	subject.options.burn_in = 0.79;
	subject.options.max_evaluations = 3;
	study_begin(subject.study);
	tune_log_odds_part(&subject.study->part[subject.study->nparts++]);
	fit();
	assert_int_equal(subject.nwarnings, 3);
	assert_string_equal(subject.warning[0], "too few matches: 20 for 1 parameter");
	assert_string_equal(subject.warning[1], "the search was cut off after its evaluations: 3");
	assert_string_equal(subject.warning[2], "too few matches to judge parts: 20");
	assert_string_equal(study_stopped(subject.study), "max_evaluations reached");
	end();
}

/*
 * ---- Contests ----
 */

#define ROUNDS 400
#define MODELS 5

/* Losses of hand-made studies: fitted up to match 200, then held out. */
static double losses[MODELS][ROUNDS];
static double before[MODELS][ROUNDS];
static double hits[MODELS][ROUNDS];
static Study *studies[MODELS];
static Candidate candidate[MODELS];

static void
begin_contest(int n)
{
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		studies[i] = calloc(1, sizeof(Study));
		studies[i]->loss = losses[i];
		studies[i]->loss_before = before[i];
		studies[i]->accuracy = hits[i];
		studies[i]->bound[STUDY_HELD_OUT] = ROUNDS / 2;
		studies[i]->bound[STUDY_NSPANS] = ROUNDS;
		studies[i]->selection.complete = true;
		candidate[i] = (Candidate)
		{
			.model = model_registry[i],.study = studies[i]
		};
		for (j = 0; j < ROUNDS; j++)
			losses[i][j] = before[i][j] = hits[i][j] = 0.5;
	}
}

static void
end_contest(int n)
{
	while (n-- > 0)
		free(studies[n]);
}

/* Whoever rates less than 95 % of what another one does is left out, or nothing held out. */
static void
test_admission(void **state)
{
	int			i;

	(void) state;
	begin_contest(4);
	for (i = 0; i < 20; i++)
		before[1][10 * i] = before[2][10 * i] = NAN;
	before[2][200] = NAN;
	for (i = 200; i < ROUNDS; i++)
		before[3][i] = NAN;
	assert_true(contest_admit(candidate, 4));
	assert_non_null(candidate[0].study);
	assert_non_null(candidate[1].study);	/* 380 of 400 */
	assert_null(candidate[2].study);	/* 379 */
	assert_null(candidate[3].study);
	end_contest(4);

	/* Nothing to fit to, or to judge by. */
	begin_contest(1);
	for (i = 0; i < 200; i++)
		before[0][i] = NAN;
	assert_false(contest_admit(candidate, 1));
	end_contest(1);
}

/* Shares are in proportion to the efforts, 1 + parameters + parts again and again. */
static void
test_shares(void **state)
{
	(void) state;
	begin_contest(3);
	studies[0]->space.nparams = 1;	/* 2 */
	studies[1]->nparts = 4;		/* 1 + 4 * 6 / 2 = 13 */
	studies[2]->space.nparams = 4;	/* 5 */
	assert_int_equal(contest_share(candidate, 3, 0, 1000, 0), 100);
	assert_int_equal(contest_share(candidate, 3, 1, 1000, 100), 650);

	/* What one has left is for the others, in proportion; what it took more is not theirs. */
	assert_int_equal(contest_share(candidate, 3, 1, 1000, 10), 990 * 13 / 18);
	assert_int_equal(contest_share(candidate, 3, 2, 1000, 900), 250);
	assert_int_equal(contest_share(candidate, 3, 2, 1000, 500), 500);
	candidate[1].study = NULL;
	assert_int_equal(contest_share(candidate, 3, 2, 7, 2), 5);
	assert_int_equal(contest_share(candidate, 3, 0, 1, 0), 1);
	end_contest(3);
}

/* All are judged on what all have forecast, the best first, by differences from it. */
static void
test_judgement(void **state)
{
	const char *addition;
	int64_t		matches;
	int			i;

	(void) state;
	begin_contest(MODELS);
	for (i = 200; i < ROUNDS; i++)
	{
		losses[0][i] = 0.6 + (i % 2) / 10.0;	/* much worse */
		losses[1][i] = 0.5 + 0.4 * (i / 10 % 2) - 0.18;	/* a bit worse, by chance */
		losses[2][i] = 0.5;		/* best */
		losses[3][i] = 0.5;		/* the same; its name is behind */
	}
	losses[2][300] = NAN;
	losses[0][300] = 100;
	candidate[4].study = NULL;
	contest_judge(candidate, MODELS);
	assert_ptr_equal(candidate[0].study, studies[2]);
	assert_ptr_equal(candidate[1].study, studies[3]);
	assert_ptr_equal(candidate[2].study, studies[1]);
	assert_ptr_equal(candidate[3].study, studies[0]);
	assert_null(candidate[4].study);
	assert_near(candidate[3].behind.mean, 0.15 + 0.05 / 199, 1e-12);
	assert_int_equal(candidate[3].behind.matches, 199);
	(void) study_mean(studies[1], hits[1], STUDY_HELD_OUT, &matches);
	assert_int_equal(matches, 199);
	assert_string_equal(contest_verdict(&candidate[0], 0, &addition), "best");
	assert_string_equal(contest_verdict(&candidate[1], 1, &addition), "as good, as far as the matches tell");
	assert_string_equal(contest_verdict(&candidate[2], 2, &addition), "as good, as far as the matches tell");
	assert_string_equal(contest_verdict(&candidate[3], 3, &addition), "worse");
	assert_string_equal(addition, "");
	assert_string_equal(contest_verdict(&candidate[4], 4, &addition), "cannot rate these matches");

	/* One and a half standard errors, and more than a nat; then a study that was cut short. */
	candidate[2].behind = (PairedDifference)
	{
		200, 0.015, 0.01
	};
	studies[1]->report.status = MINIMIZE_MAX_EVALUATIONS;
	assert_string_equal(contest_verdict(&candidate[2], 2, &addition), "worse, within two standard errors");
	assert_string_equal(addition, ", but its search was cut off");
	studies[1]->selection.complete = false;
	candidate[2].behind.error = NAN;
	assert_string_equal(contest_verdict(&candidate[2], 2, &addition), "worse, on too few matches to tell");
	assert_string_equal(addition, ", but not all of its parts were tried");
	end_contest(MODELS);

	/* No match that all have forecast. */
	begin_contest(2);
	for (i = 200; i < ROUNDS; i++)
		losses[i % 2][i] = NAN;
	contest_judge(candidate, 2);
	assert_string_equal(contest_verdict(&candidate[0], 0, &addition),
						"not judged: no match held out that all models forecast");
	end_contest(2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_no_draws),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_admission),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_judgement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
