/*
 * test_stack.c
 *		Forecasts combined online: features, priors, forgetting by weight and by days, the
 *		order of outcomes, and what the corrected forecasts of matches have in common.
 */
#include <stdlib.h>

#include "test.h"

#include "core/evaluate/stack.h"
#include "core/rating/recalibration.h"

#define MAX_ROWS 200

typedef struct Rows
{
	int			n;
	double		p[MAX_ROWS][STACK_MAX_MODELS];
	double		y[MAX_ROWS];
	int			side[MAX_ROWS];
	double		x[MAX_ROWS][STACK_COEFFICIENTS(STACK_MAX_MODELS)];
	LogisticOutcome outcome[MAX_ROWS];
} Rows;

static Rows rows;

static const StackRules three_models = {.models = 3,.deviation = 0.5,.side_deviation = 0.5,
.half_life_matches = 30};

static void
random_rows(Random *random, const StackRules *rules, int n)
{
	int			i,
				j;

	rows.n = n;
	for (i = 0; i < n; i++)
	{
		for (j = 0; j < rules->models; j++)
			rows.p[i][j] = random_between(random, 0, 1);
		rows.y[i] = random_below(random, 3) / 2.0;
		rows.side[i] = random_below(random, 3);
		stack_features(rules, rows.p[i], 1, rows.side[i], rows.x[i]);
		rows.outcome[i].alternatives = 1;
		rows.outcome[i].x = rows.x[i];
		rows.outcome[i].y = &rows.y[i];
		rows.outcome[i].weight = random_between(random, 0.5, 1.5);
	}
}

static void
test_features(void **state)
{
	static const double p[] = {0, 0.25, 1};
	static const double choice[] = {0.5, 0.3, 0.2, 1, 0, 0};
	StackRules	rules = {.models = 3};
	double		x[3 * STACK_COEFFICIENTS(3)];
	int			i;

	(void) state;
	stack_features(&rules, p, 1, 1, x);
	assert_same(x[0], 1);
	assert_same(x[1], -32);
	assert_near(x[2], -log(3), 1e-15);
	assert_same(x[3], 32);
	stack_features(&rules, p, 1, 2, x);
	assert_same(x[0], -1);
	stack_features(&rules, p, 1, 0, x);
	assert_same(x[0], 0);

	rules.models = 2;
	stack_features(&rules, choice, 3, 1, x);
	for (i = 0; i < 3; i++)
	{
		assert_same(x[3 * i], 0);
		assert_near(x[3 * i + 1], log(choice[i]), 1e-15);
		assert_near(x[3 * i + 2], i == 0 ? 0 : -32, 1e-15);
	}
}

/* Models count alike before any outcome; a single one keeps its bits. */
static void
test_nothing_learned(void **state)
{
	Random		random = {1};
	int			models,
				i,
				j;

	(void) state;
	for (models = 1; models <= STACK_MAX_MODELS; models++)
	{
		StackRules	rules = {.models = models,.deviation = 0.5,.side_deviation = 0.5};
		double		learned[STACK_MAX_SIZE];

		stack_init(&rules, learned);
		random_rows(&random, &rules, 20);
		for (i = 0; i < rows.n; i++)
		{
			double		log_odds = 0;
			double		result;

			stack_predict(&rules, learned, rows.p[i], 1, rows.x[i], &result);
			for (j = 0; j < models; j++)
				log_odds += log(rows.p[i][j] / (1 - rows.p[i][j])) / models;
			assert_near(result, 1 / (1 + exp(-log_odds)), 1e-13);
			if (models == 1)
				assert_same(result, rows.p[i][0]);
		}
	}
}

/* The outcomes of a moment teach the same bits in whatever order they came. */
static void
test_order_of_outcomes(void **state)
{
	Random		random = {2};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 50; round++)
	{
		double		first[STACK_MAX_SIZE];
		double		second[STACK_MAX_SIZE];

		random_rows(&random, &three_models, MAX_ROWS);

		/* Some differ in what did not count for the others alone. */
		rows.x[1][2] = rows.x[0][2];
		memcpy(rows.x[2], rows.x[3], sizeof(rows.x[2]));
		memcpy(rows.x[4], rows.x[5], sizeof(rows.x[4]));
		rows.y[4] = rows.y[5];
		stack_init(&three_models, first);
		stack_init(&three_models, second);
		assert_true(stack_learn(&three_models, rows.outcome, MAX_ROWS, first, NULL));
		for (i = MAX_ROWS - 1; i > 0; i--)
		{
			int			j = random_below(&random, i + 1);
			LogisticOutcome swap = rows.outcome[i];

			rows.outcome[i] = rows.outcome[j];
			rows.outcome[j] = swap;
		}
		assert_true(stack_learn(&three_models, rows.outcome, MAX_ROWS, second, NULL));
		assert_memory_equal(first, second, (size_t) STACK_SIZE(3) * sizeof(double));
	}
}

/* Forgetting counts by weight, and by days; nothing of either changes no bit. */
static void
test_half_lives(void **state)
{
	StackRules	rules = {.models = 2,.deviation = 0.5,.side_deviation = 0.5,
	.half_life_matches = 30,.half_life_days = 7};
	LogisticOutcome nothing = {.alternatives = 1,.weight = 0};
	Random		random = {3};
	double		learned[STACK_MAX_SIZE];
	double		saved[STACK_MAX_SIZE];
	size_t		size = (size_t) STACK_SIZE(2) * sizeof(double);
	int			i;

	(void) state;
	random_rows(&random, &rules, 100);
	stack_init(&rules, learned);
	assert_true(stack_learn(&rules, rows.outcome, 100, learned, NULL));
	memcpy(saved, learned, size);
	assert_true(stack_age(&rules, 0, learned));
	assert_true(stack_learn(&rules, &nothing, 1, learned, NULL));
	assert_true(stack_learn(&rules, NULL, 0, learned, NULL));
	assert_memory_equal(saved, learned, size);

	/*
	 * A week, or twenty half-weighted outcomes and forty of a quarter that
	 * say nothing.
	 */
	assert_true(stack_age(&rules, 7 * 86400.0, learned));
	for (i = 3; i < STACK_SIZE(2); i++)
		assert_relative(learned[i], saved[i] / 2, 1e-13);
	memcpy(learned, saved, size);
	for (i = 0; i < 60; i++)
	{
		static const double zero[] = {0, 0, 0};
		static const double drew[] = {0.5};
		LogisticOutcome empty = {1, zero, drew, i < 20 ? 1 : 0.25};

		assert_true(stack_learn(&rules, &empty, 1, learned, NULL));
	}
	for (i = 3; i < STACK_SIZE(2); i++)
		assert_relative(learned[i], saved[i] / 2, 1e-12);

	rules.half_life_days = 0;
	memcpy(saved, learned, size);
	assert_true(stack_age(&rules, 1e9, learned));
	assert_memory_equal(saved, learned, size);
}

/*
 * The correction that a model has built in is that of a stack of one, bit for bit: of
 * duels, with sides and without, with forgetting of both kinds.
 */
static void
test_stack_is_what_models_do(void **state)
{
	StackRules	rules = {.models = 1,.deviation = 0.4,.side_deviation = 0.3,
	.half_life_matches = 40,.half_life_days = 50};
	Random		random = {4};
	Fixture		f;
	double		learned[STACK_MAX_SIZE];
	double		before[COMPONENT_MAX_STATE];
	double		after[COMPONENT_MAX_STATE];
	int			round;

	(void) state;
	fixture_init(&f, "glicko2");
	fixture_param(&f, "recalibration_deviation")->number = rules.deviation;
	fixture_param(&f, "recalibration_side_deviation")->number = rules.side_deviation;
	fixture_param(&f, "recalibration_half_life_matches")->number = rules.half_life_matches;
	fixture_param(&f, "recalibration_half_life_days")->number = rules.half_life_days;
	stack_init(&rules, learned);
	recalibration_init(f.params, after);
	for (round = 0; round < 1000; round++)
	{
		double		seconds = random_below(&random, 1000) * 1000.0;
		int			sided = random_below(&random, 2);
		double		p,
					q,
					y;
		double		x[2];
		LogisticOutcome outcome = {1, x, &y, 1};

		fixture_clear(&f);
		f.before[0][0] = random_between(&random, 1000, 2000);
		f.before[1][0] = random_between(&random, 1000, 2000);
		fixture_add(&f, 0, 1, 1 + random_below(&random, 3))->side = sided ? 1 : NAN;
		fixture_add(&f, 1, 2, 2)->side = sided ? 2 : NAN;
		f.match.component = NULL;
		fixture_rate(&f);
		p = f.team[0].win;
		y = f.team[0].rank == f.team[1].rank ? 0.5 : f.team[0].rank < f.team[1].rank;

		stack_features(&rules, &p, 1, sided, x);
		assert_true(stack_age(&rules, seconds, learned));
		stack_predict(&rules, learned, &p, 1, x, &q);
		assert_true(stack_learn(&rules, &outcome, 1, learned, NULL));

		f.match.component = f.component;
		assert_status(fixture_build(&f), MATCH_OK);
		assert_int_equal(f.match.ncomponents, 1);
		component_state_before(f.component[0].spec, f.params, after, seconds, before);
		f.component[0].before = before;
		f.component[0].after = after;
		assert_status(model_rate(f.model, f.params, &f.match), MATCH_OK);
		assert_same(f.team[0].win, q);
		assert_memory_equal(after, learned, RECALIBRATION_NSTATE * sizeof(double));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_nothing_learned),
		cmocka_unit_test(test_order_of_outcomes),
		cmocka_unit_test(test_half_lives),
		cmocka_unit_test(test_stack_is_what_models_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
