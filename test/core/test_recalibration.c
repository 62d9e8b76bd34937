/*
 * test_recalibration.c
 *		Corrected forecasts of every registered model: against online logistic regression
 *		over the model's own forecasts, with ratings that stay the same.
 */
#include "random_match.h"

#include "core/math/online_logistic.h"
#include "core/rating/recalibration.h"

#define ROUNDS 300

/* A match, and the states of the component that corrects its forecast. */
typedef struct Box
{
	Fixture		f;
	double		before[COMPONENT_MAX_STATE];
	double		after[COMPONENT_MAX_STATE];
} Box;

static Box	box;
static Fixture plain;

static void
set_params(Fixture *f, double deviation, double side_deviation, double half_life_matches,
		   double half_life_days)
{
	fixture_param(f, "recalibration_deviation")->number = deviation;
	fixture_param(f, "recalibration_side_deviation")->number = side_deviation;
	fixture_param(f, "recalibration_half_life_matches")->number = half_life_matches;
	fixture_param(f, "recalibration_half_life_days")->number = half_life_days;
}

/* Build the match, and give that component its states; NULL if there is none. */
static MatchComponent *
build(void)
{
	MatchComponent *found = NULL;
	int			i;

	box.f.match.component = box.f.component;
	assert_status(fixture_build(&box.f), MATCH_OK);
	for (i = 0; i < box.f.match.ncomponents; i++)
		if (strcmp(box.f.component[i].spec->name, "recalibration") == 0)
		{
			assert_null(found);
			found = &box.f.component[i];
			found->before = box.before;
			found->after = box.after;
		}
	return found;
}

/* A random match, with sides now and then also for models that do not look at them. */
static void
random_sided_match(Random *random)
{
	int			sided = random_below(random, 2);
	int			i;

	random_match(random, &box.f, ORDINARY);
	for (i = 0; i < box.f.n; i++)
		if (box.f.row[box.f.n - 1].team == 2)
			box.f.row[i].side = sided ? 3 - box.f.row[i].team : NAN;
}

/* What is common to all models, in its place. */
static void
test_every_model_has_it(void **state)
{
	int			m,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		const ComponentSpec *last = &model->rules.component[model->rules.ncomponents - 1];

		assert_int_equal(param_find(&model->params, "recalibration_deviation"),
						 RECALIBRATION_DEVIATION);
		assert_int_equal(param_find(&model->params, "recalibration_half_life_days"),
						 RECALIBRATION_HALF_LIFE_DAYS);
		assert_int_equal(model->params.ncommon, MODEL_COMMON_PARAMS);
		assert_true(model->params.count > MODEL_COMMON_PARAMS);

		/*
		 * The last kind, so that its component is the last one of a match in
		 * order.
		 */
		assert_true(model->rules.ncomponents >= 1 &&
					model->rules.ncomponents <= COMPONENT_MAX_KINDS);
		assert_string_equal(last->name, "recalibration");
		for (i = 0; i < model->rules.ncomponents - 1; i++)
			assert_string_not_equal(model->rules.component[i].name, "recalibration");

		assert_true(model->nparts >= MODEL_NCOMMON_PARTS && model->nparts <= MODEL_MAX_PARTS);
		for (i = 0; i < MODEL_NCOMMON_PARTS; i++)
			assert_string_equal(model->part[model->nparts - MODEL_NCOMMON_PARTS + i].name,
								model_common_parts[i].name);
	}
}

/* Off by default: no component, and a match without room for one does not mind. */
static void
test_off_by_default(void **state)
{
	Random		random = {1};
	int			m;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		double		win;

		fixture_init(&box.f, model_registry[m]->name);
		assert_false(recalibration_used(box.f.params));
		random_sided_match(&random);
		assert_null(build());
		box.f.match.component = NULL;
		fixture_rate(&box.f);
		win = box.f.team[0].win;

		/* Forecasts of matches that have no component are the model's own. */
		set_params(&box.f, 0.5, 0.5, 0, 0);
		assert_true(recalibration_used(box.f.params));
		fixture_rate(&box.f);
		assert_int_equal(box.f.match.ncomponents, 0);
		assert_same(box.f.team[0].win, win);
	}
}

/* The features, outcome and weight of a match as seen from its forecasts. */
typedef struct Expected
{
	double		x[MAX_TEAMS * 2];
	double		y[MAX_TEAMS];
	double		win[MAX_TEAMS];
	LogisticOutcome outcome;
} Expected;

static double
clamp(double x)
{
	return fmin(fmax(x, -32), 32);
}

static void
expect(const Match *match, Expected *e)
{
	double		best = INFINITY;
	int			winners = 0;
	int			i;

	e->outcome.x = e->x;
	e->outcome.y = e->y;
	e->outcome.weight = match_mean_gain(match);
	for (i = 0; i < match->nteams; i++)
		best = fmin(best, match->team[i].rank);
	for (i = 0; i < match->nteams; i++)
		winners += match->team[i].rank == best;
	if (match->nteams == 2)
	{
		int			first = match->team[1].side == 1;

		e->outcome.alternatives = 1;
		e->x[0] = match->team[first].side != 0;
		e->x[1] = clamp(log(match->team[first].win) - log1p(-match->team[first].win));
		e->y[0] = match->team[first].rank == best ? 1.0 / winners : 0;
		return;
	}
	e->outcome.alternatives = match->nteams;
	for (i = 0; i < match->nteams; i++)
	{
		e->x[2 * i] = 0;
		e->x[2 * i + 1] = fmax(log(match->team[i].win), -32);
		e->y[i] = match->team[i].rank == best ? 1.0 / winners : 0;
	}
}

static void
check_forecasts(const Match *match, const double *win)
{
	int			first = match->team[1].side == 1;
	int			i;

	if (match->nteams == 2)
	{
		assert_near(match->team[first].win, win[0], 1e-12);
		assert_near(match->team[1 - first].win, 1 - match->team[first].win, 1e-15);
	}
	else
		for (i = 0; i < match->nteams; i++)
			assert_near(match->team[i].win, win[i], 1e-12);
}

/* Ratings, gradients and other components have the bits that they have without. */
static void
check_ratings(void)
{
	int			i,
				j;

	for (i = 0; i < plain.match.nplayers; i++)
	{
		assert_memory_equal(box.f.after[i], plain.after[i],
							(size_t) plain.model->nstate * sizeof(double));
		assert_same(box.f.player[i].gradient, plain.player[i].gradient);
	}
	assert_int_equal(box.f.match.ncomponents, plain.match.ncomponents + 1);
	for (i = 0; i < plain.match.ncomponents; i++)
		for (j = 0; j < box.f.match.ncomponents; j++)
		{
			const MatchComponent *a = &plain.component[i];
			const MatchComponent *b = &box.f.component[j];

			if (a->number == b->number && a->player == b->player && a->key == b->key)
				assert_memory_equal(a->after, b->after, (size_t) a->spec->nstate * sizeof(double));
		}
}

/* The same match without correction. */
static void
copy_plain(void)
{
	int			i;

	plain = box.f;
	plain.match.team = plain.team;
	plain.match.player = plain.player;
	plain.match.entry = plain.entry;
	plain.match.component = plain.component;
	plain.match.share = plain.share;
	for (i = 0; i < TEST_MAX_ROWS; i++)
	{
		plain.player[i].before = plain.before[i];
		plain.player[i].after = plain.after[i];
	}
	set_params(&plain, 0, 0, 0, 0);
}

/* A history of matches, corrected as they come, with what online regression says of each. */
static void
check_history(Random *random, const char *name)
{
	double		deviation[2] = {random_below(random, 2) * 0.7, random_below(random, 4) ? 0.6 : 0};
	double		half_life = random_below(random, 2) * 50.0;
	double		half_life_days = random_below(random, 2) * 30.0;
	static const double mean[2] = {0, 1};
	LogisticPrior prior = {2, mean, deviation};
	double		expected[ONLINE_LOGISTIC_SIZE(2)];
	int			round,
				i;

	fixture_init(&box.f, name);
	set_params(&box.f, deviation[1], deviation[0], half_life, half_life_days);
	if (!recalibration_used(box.f.params))
		return;
	recalibration_init(box.f.params, box.before);
	online_logistic_init(&prior, expected);
	for (round = 0; round < ROUNDS; round++)
	{
		double		idle = random_between(random, 0, 5e5);
		Expected	e;
		MatchComponent *component;
		double		aged[COMPONENT_MAX_STATE];

		random_sided_match(random);
		copy_plain();
		fixture_rate(&plain);
		if (plain.match.nteams == 1)
			continue;
		expect(&plain.match, &e);

		component = build();
		assert_non_null(component);
		component_state_before(component->spec, box.f.params, box.before, idle, aged);
		memcpy(box.before, aged, sizeof(aged));
		if (half_life_days > 0)
			assert_true(online_logistic_forget(&prior, pow(0.5, idle / 86400 / half_life_days),
											   expected));
		online_logistic_predict(2, expected, &e.outcome, e.win);

		/* Asked before, and told afterwards. */
		assert_status(model_predict(box.f.model, box.f.params, &box.f.match), MATCH_OK);
		check_forecasts(&box.f.match, e.win);
		for (i = 0; i < box.f.match.nteams; i++)
			e.win[i] = box.f.team[i].win;
		assert_status(model_rate(box.f.model, box.f.params, &box.f.match), MATCH_OK);
		for (i = 0; i < box.f.match.nteams; i++)
			assert_same(box.f.team[i].win, e.win[i]);
		check_ratings();

		if (half_life > 0)
			assert_true(online_logistic_forget(&prior, pow(0.5, e.outcome.weight / half_life),
											   expected));
		assert_true(online_logistic_learn(&prior, &e.outcome, 1, expected, NULL));
		for (i = 0; i < RECALIBRATION_NSTATE; i++)
			assert_near(box.after[i], expected[i], 1e-9 * (1 + fabs(expected[i])));
		assert_true(component_state_valid(component->spec, box.after));
		memcpy(box.before, box.after, sizeof(box.after));
		memcpy(expected, box.after, sizeof(expected));
	}
}

static void
test_histories(void **state)
{
	Random		random = {2};
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < 12; round++)
			check_history(&random, model_registry[m]->name);
}

/* Before anything was learned, forecasts have the bits of the model's own. */
static void
test_nothing_learned_changes_nothing(void **state)
{
	Random		random = {3};
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < 100; round++)
		{
			fixture_init(&box.f, model_registry[m]->name);
			set_params(&box.f, 0.5, 0.5, 100, 100);
			random_sided_match(&random);
			copy_plain();
			fixture_rate(&plain);
			recalibration_init(box.f.params, box.before);
			assert_non_null(build());
			assert_status(model_rate(box.f.model, box.f.params, &box.f.match), MATCH_OK);
			for (i = 0; i < box.f.match.nteams; i++)
				assert_same(box.f.team[i].win, plain.team[i].win);
			check_ratings();
		}
}

/*
 * Which team is which makes no difference without sides: renumbered the other way round,
 * both learn the same and are forecast the same.  With sides the intercept follows side 1.
 */
static void
test_renumbered_teams(void **state)
{
	Random		random = {4};
	double		after[2][COMPONENT_MAX_STATE];
	double		win[2];
	int			round,
				turn,
				i;

	(void) state;
	for (round = 0; round < 500; round++)
	{
		int			sided = random_below(&random, 2);
		double		ahead = random_between(&random, -400, 400);
		int			rank = random_below(&random, 3);

		for (turn = 0; turn < 2; turn++)
		{
			fixture_init(&box.f, "elo");
			set_params(&box.f, 0.5, 0.5, 100, 100);
			box.f.before[0][0] += ahead;
			for (i = 0; i < 2; i++)
			{
				int			player = turn ? 1 - i : i;

				fixture_add(&box.f, player, i + 1, player == 0 ? 2 : 1 + rank)->side =
					sided ? player + 1 : NAN;
			}
			recalibration_init(box.f.params, box.before);
			box.before[RECALIBRATION_INTERCEPT] = 0.3;
			box.before[RECALIBRATION_SLOPE] = 0.8;
			assert_non_null(build());
			assert_status(model_rate(box.f.model, box.f.params, &box.f.match), MATCH_OK);
			memcpy(after[turn], box.after, sizeof(box.after));
			win[turn] = box.f.team[turn].win;
		}
		assert_near(win[0], win[1], 1e-14);
		assert_near(win[0], 1 / (1 + exp(-(0.8 * ahead * log(10) / 400 + 0.3 * sided))), 1e-13);
		for (i = 0; i < RECALIBRATION_NSTATE; i++)
			assert_near(after[0][i], after[1][i], 1e-12);
	}
}

/*
 * Draws: three probabilities that imply the corrected one, with odds of a win to a draw
 * changed by as much as those of a draw to a loss.
 */
static void
test_draws_are_tilted(void **state)
{
	Random		random = {5};
	int			round;

	(void) state;
	for (round = 0; round < 10000; round++)
	{
		double		won = random_between(&random, 0.001, 1);
		double		drew = random_between(&random, 0.001, 1);
		double		lost = random_between(&random, 0.001, 1);
		double		total = won + drew + lost;
		double		win = (won + drew / 2) / total;
		double		corrected = random_between(&random, 0.001, 0.999);
		double		draw = recalibration_draw(win, corrected, drew / total);
		double		tilted_win = corrected - draw / 2;
		double		tilted_loss = 1 - corrected - draw / 2;

		assert_true(draw >= 0 && tilted_win >= -1e-15 && tilted_loss >= -1e-15);
		assert_relative(tilted_win * tilted_loss / (draw * draw), won * lost / (drew * drew), 1e-6);
		assert_same(recalibration_draw(win, win, drew / total), drew / total);
		assert_near(recalibration_draw(1 - win, 1 - corrected, drew / total), draw, 1e-12);
	}
	/* Where a win or a draw is impossible or certain. */
	assert_near(recalibration_draw(0.5, 0.3, 1), 0.6, 1e-15);
	assert_near(recalibration_draw(0.5, 0.3, 0), 0, 1e-15);
	assert_near(recalibration_draw(1, 0.8, 0), 0, 1e-15);
	assert_near(recalibration_draw(0.2, 0.1, 0.4), 0.2, 1e-15);
}

/* A draw is no more than twice the smaller chance, of models that say how probable it is. */
static void
test_draws_of_models(void **state)
{
	Random		random = {6};
	int			saying = 0;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		int			said = 0;

		for (round = 0; round < 500; round++)
		{
			double		win[2];
			double		own;
			double		draw;

			fixture_init(&box.f, model_registry[m]->name);
			random_params(&random, &box.f, ORDINARY);
			set_params(&box.f, 0.5, 0.5, 100, 100);
			random_sided_match(&random);
			if (box.f.row[box.f.n - 1].team != 2)
				continue;
			copy_plain();
			assert_status(fixture_build(&plain), MATCH_OK);
			own = model_draw(plain.model, plain.params, &plain.match);
			recalibration_init(box.f.params, box.before);
			assert_non_null(build());
			box.before[RECALIBRATION_INTERCEPT] = random_between(&random, -1, 1);
			box.before[RECALIBRATION_SLOPE] = random_between(&random, 0, 2);
			assert_status(model_predict(box.f.model, box.f.params, &box.f.match), MATCH_OK);
			win[0] = box.f.team[0].win;
			win[1] = box.f.team[1].win;
			draw = model_draw(box.f.model, box.f.params, &box.f.match);
			for (i = 0; i < 2; i++)
			{
				assert_same(box.f.team[i].win, win[i]);
				assert_true(isnan(draw) || (draw >= 0 && draw <= 2 * win[i]));
			}
			assert_int_equal(isnan(draw), isnan(own));
			said += draw > 0 && draw != own;
		}
		saying += said > 50;
		assert_int_equal(said > 0, box.f.model->draw != NULL);
	}
	assert_true(saying >= 2);
}

/* A match of no gain teaches nothing, and an unsound state is refused. */
static void
test_no_gain_and_bad_states(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	int			i,
				j;

	(void) state;
	fixture_init(&box.f, "elo");
	set_params(&box.f, 0.5, 0, 10, 0);
	fixture_add(&box.f, 0, 1, 1);
	fixture_add(&box.f, 1, 2, 2);
	box.f.before[0][0] += 200;
	fixture_gain(&box.f, 0);
	recalibration_init(box.f.params, box.before);
	box.before[RECALIBRATION_SLOPE] = 0.7;
	assert_non_null(build());
	assert_status(model_rate(box.f.model, box.f.params, &box.f.match), MATCH_OK);
	assert_memory_equal(box.after, box.before, RECALIBRATION_NSTATE * sizeof(double));
	for (i = 0; i < RECALIBRATION_NSTATE; i++)
		for (j = 0; j < 3; j++)
		{
			double		saved = box.before[i];

			box.before[i] = bad[j];
			assert_status(model_rate(box.f.model, box.f.params, &box.f.match), MATCH_BAD_STATE);
			box.before[i] = saved;
		}
}

/* Whatever the numbers, the outcome is sound or refused as an overflow. */
static void
test_extreme_numbers(void **state)
{
	Random		random = {7};
	int			rated = 0;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&box.f, model_registry[m]->name);
		for (round = 0; round < 3000; round++)
		{
			MatchStatus status;

			random_params(&random, &box.f, EXTREME);
			random_match(&random, &box.f, EXTREME);
			if (!recalibration_used(box.f.params) || fixture_build(&box.f) != MATCH_OK)
				continue;
			recalibration_init(box.f.params, box.before);
			assert_non_null(build());
			for (i = 0; i < 2; i++)
				box.before[i] = random_number(&random, EXTREME);
			box.before[RECALIBRATION_INFORMATION] = fabs(random_number(&random, EXTREME));
			box.before[RECALIBRATION_NSTATE - 1] = fabs(random_number(&random, EXTREME));
			box.before[RECALIBRATION_INFORMATION + 1] =
				sqrt(box.before[RECALIBRATION_INFORMATION]) *
				sqrt(box.before[RECALIBRATION_NSTATE - 1]) * random_between(&random, -1, 1);
			status = model_rate(box.f.model, box.f.params, &box.f.match);
			if (status != MATCH_OK)
			{
				assert_status(status, MATCH_OVERFLOW);
				continue;
			}
			rated++;
			for (i = 0; i < box.f.match.nteams; i++)
				assert_true(box.f.team[i].win >= 0 && box.f.team[i].win <= 1);
			for (i = 0; i < RECALIBRATION_NSTATE; i++)
				assert_true(isfinite(box.after[i]));
		}
	}
	assert_true(rated > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_model_has_it),
		cmocka_unit_test(test_off_by_default),
		cmocka_unit_test(test_histories),
		cmocka_unit_test(test_nothing_learned_changes_nothing),
		cmocka_unit_test(test_renumbered_teams),
		cmocka_unit_test(test_draws_are_tilted),
		cmocka_unit_test(test_draws_of_models),
		cmocka_unit_test(test_no_gain_and_bad_states),
		cmocka_unit_test(test_extreme_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
