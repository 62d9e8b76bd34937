/*
 * test_frag.c
 *		Becker's frag ranking: his examples, and what he promises.
 */
#include "test.h"

#include "core/models/frag.h"

static const FragRules league = {40, 400, 0, -INFINITY};
static const FragRules each_frag = {40, 400, 1, -INFINITY};

static void
test_negative_scores(void **state)
{
	double		a = 6,
				b = -2;

	(void) state;
	frag_scores(&a, &b);
	assert_same(a, 8);
	assert_same(b, 0);
	a = -3;
	b = -5;
	frag_scores(&a, &b);
	assert_same(a, 5);
	assert_same(b, 3);
	a = 4;
	b = 7;
	frag_scores(&a, &b);
	assert_same(a, 4);
	assert_same(b, 7);
}

static void
test_share(void **state)
{
	(void) state;
	assert_same(frag_share(0, 0), 0.5);
	assert_same(frag_share(15, 5), 0.75);
	assert_same(frag_share(5, 15), 0.25);
	assert_same(frag_share(7, 0), 1);
	assert_same(frag_share(0, 7), 0);
	/* A suicide is lost, and not the -1 / -1 of the formula. */
	assert_same(frag_share(-1, 0), 0);
	assert_same(frag_share(6, -2), 1);
	assert_same(frag_share(-3, -5), 5.0 / 8);
	assert_same(frag_share(1e308, 1e308), 0.5);
}

/* The better one is expected more: the source has the sign reversed. */
static void
test_expected_share(void **state)
{
	(void) state;
	assert_near(frag_win_share(400, 400, 0), 10.0 / 11, 1e-15);
	assert_near(frag_win_share(-400, 400, 0), 1.0 / 11, 1e-15);
	assert_near(frag_duel(&league, 400, 10, 1), 0, 1e-13);
	/* One can win and lose points: not by enough. */
	assert_true(frag_duel(&league, 400, 6, 5) < 0);
	assert_near(frag_duel(&league, 0, 15, 5), 10, 1e-14);
}

/* Two equals do not drift apart: the feedback is negative. */
static void
test_equals_stay_together(void **state)
{
	Random		random = {95};
	double		a = 1000;
	double		b = 1000;
	int			i;

	(void) state;
	for (i = 0; i < 5000; i++)
	{
		double		change = frag_duel(&each_frag, a - b,
									   random_below(&random, 2), 0.0);

		if (change == 0)
			change = -frag_duel(&each_frag, b - a, 1, 0);
		a += change;
		b -= change;
		assert_true(fabs(a - b) < 400);
	}
	assert_near(a + b, 2000, 1e-6);
}

/* A capture of seven points is seven frags, and not one. */
static void
test_points(void **state)
{
	(void) state;
	assert_near(frag_duel(&each_frag, 100, 7, 0),
				7 * frag_duel(&each_frag, 100, 1, 0), 1e-12);
	assert_near(frag_duel(&league, 100, 7, 0), frag_duel(&league, 100, 1, 0), 1e-14);
	/* 3 : 2 is three frags won and two lost, at the ratings before. */
	assert_near(frag_duel(&each_frag, 100, 3, 2),
				3 * frag_duel(&each_frag, 100, 1, 0) -
				2 * frag_duel(&each_frag, -100, 1, 0), 1e-12);
	assert_near(frag_duel(&each_frag, 100, 0, 0), 0, 0);
	assert_same(frag_alone(&league, -1), -20);
	assert_same(frag_alone(&league, -3), -20);
	assert_same(frag_alone(&each_frag, -3), -60);
	assert_same(frag_alone(&each_frag, 2), 40);
	assert_same(frag_alone(&league, 0), 0);
}

static void
test_floor_and_decay(void **state)
{
	FragRules	floored = {40, 400, 0, 0};

	(void) state;
	assert_same(frag_apply(&floored, 10, -20), 0);
	assert_same(frag_apply(&floored, 10, 5), 15);
	assert_same(frag_apply(&floored, -30, -5), -30);
	assert_same(frag_apply(&floored, -30, 5), -25);
	assert_true(isnan(frag_apply(&floored, 10, NAN)));

	assert_same(frag_decayed(1000, 10, 3, 0), 970);
	assert_same(frag_decayed(frag_decayed(1000, 4, 3, 0), 6, 3, 0), 970);
	assert_same(frag_decayed(20, 10, 3, 0), 0);
	assert_same(frag_decayed(-20, 10, 3, 0), -20);
	assert_same(frag_decayed(20, 10, 0, 500), 20);
}

static void
duel(Fixture *f, double a, double b, double score_a, double score_b)
{
	fixture_clear(f);
	f->before[0][0] = a;
	f->before[1][0] = b;
	fixture_add(f, 0, 1, NAN)->score = score_a;
	fixture_add(f, 1, 2, NAN)->score = score_b;
}

static void
test_duels_on_a_ladder(void **state)
{
	Random		random = {96};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "frag");
	for (round = 0; round < 1000; round++)
	{
		double		a = random_between(&random, 0, 2000);
		double		b = random_between(&random, 0, 2000);
		double		score_a = random_below(&random, 30) - 5;
		double		score_b = random_below(&random, 30) - 5;

		f.params[param_find(&f.model->params, "points")].number = round % 2;
		duel(&f, a, b, score_a, score_b);
		fixture_rate(&f);
		assert_near(f.after[0][0] - a,
					frag_duel(round % 2 ? &each_frag : &league, a - b, score_a, score_b),
					1e-9);
		assert_near(f.after[0][0] + f.after[1][0], a + b, 1e-9);
	}

	/* Without scores a win is 1 : 0, and a draw 0 : 0. */
	f.params[param_find(&f.model->params, "points")].number = 0;
	duel(&f, 1000, 1000, NAN, NAN);
	f.row[0].rank = 1;
	f.row[1].rank = 2;
	fixture_rate(&f);
	assert_same(f.after[0][0], 1020);
	f.row[1].rank = 1;
	fixture_rate(&f);
	assert_same(f.after[0][0], 1000);
}

static void
test_suicide_on_a_ladder(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "frag");
	fixture_add(&f, 0, 1, NAN)->score = -1;
	fixture_rate(&f);
	assert_same(f.after[0][0], 980);
	assert_same(f.team[0].win, 0.5);
	assert_int_equal(match_outcome(&f.match, 0), MATCH_LOST);
	f.row[0].score = 7;
	fixture_rate(&f);
	assert_same(f.after[0][0], 1020);
	assert_int_equal(match_outcome(&f.match, 0), MATCH_WON);
	f.row[0].score = 0;
	fixture_rate(&f);
	assert_same(f.after[0][0], 1000);
	assert_int_equal(match_outcome(&f.match, 0), MATCH_DREW);
	/* No score, no event. */
	f.row[0].score = NAN;
	f.row[0].rank = 1;
	assert_status(fixture_build(&f), MATCH_ONE_TEAM);
}

/* One captures against four: all pay, or as the source has it nobody. */
static void
test_capture(void **state)
{
	Fixture		f;
	double		total = 0;
	double		gained;
	int			i;

	(void) state;
	fixture_init(&f, "frag");
	fixture_param(&f, "points")->number = 1;
	for (i = 0; i < 5; i++)
	{
		f.before[i][0] = 900 + 50 * i;
		fixture_add(&f, i, i == 0 ? 1 : 2, NAN)->score = i == 0 ? 7 : 0;
	}
	fixture_rate(&f);
	/* Against their mean of 1025. */
	gained = frag_duel(&each_frag, 900 - 1025, 7, 0);
	assert_near(f.after[0][0], 900 + gained, 1e-9);
	for (i = 0; i < 5; i++)
		total += f.after[i][0] - f.before[i][0];
	assert_near(total, 0, 1e-9);
	for (i = 1; i < 5; i++)
		assert_near(f.after[i][0] - f.before[i][0], -gained / 4, 1e-9);

	fixture_param(&f, "spread")->choice = 1;
	fixture_rate(&f);
	assert_near(f.after[0][0], 900 + gained, 1e-9);
	for (i = 1; i < 5; i++)
		assert_same(f.after[i][0], f.before[i][0]);
}

/* Teams of any size exchange the same points. */
static void
test_points_are_conserved(void **state)
{
	Random		random = {97};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "frag");
	for (round = 0; round < 1000; round++)
	{
		int			n = 2 + random_below(&random, 6);
		int			first = 1 + random_below(&random, n - 1);
		double		total = 0;

		fixture_clear(&f);
		for (i = 0; i < n; i++)
		{
			Participant *row = fixture_add(&f, i, i < first ? 1 : 2, NAN);

			f.before[i][0] = random_between(&random, 500, 1500);
			row->score = i < first ? round % 13 : round % 7;
			row->weight = random_between(&random, 0.2, 1);
		}
		fixture_rate(&f);
		for (i = 0; i < n; i++)
			total += f.after[i][0] - f.before[i][0];
		assert_near(total, 0, 1e-9);
	}
}

/* Each pair of a free-for-all is a duel, and the change their mean. */
static void
test_free_for_all(void **state)
{
	static const double rating[3] = {1000, 1100, 900};
	static const double score[3] = {10, 20, 5};
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "frag");
	for (i = 0; i < 3; i++)
	{
		f.before[i][0] = rating[i];
		fixture_add(&f, i, i, NAN)->score = score[i];
	}
	fixture_rate(&f);
	assert_near(f.after[0][0] - 1000,
				(frag_duel(&league, -100, 10, 20) + frag_duel(&league, 100, 10, 5)) / 2,
				1e-10);
	assert_near(f.after[0][0] + f.after[1][0] + f.after[2][0], 3000, 1e-9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_negative_scores),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_expected_share),
		cmocka_unit_test(test_equals_stay_together),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_floor_and_decay),
		cmocka_unit_test(test_duels_on_a_ladder),
		cmocka_unit_test(test_suicide_on_a_ladder),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_points_are_conserved),
		cmocka_unit_test(test_free_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
