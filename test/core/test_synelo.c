/*
 * test_synelo.c
 *		SynElo's formulas, its moving averages, and the source to the letter.
 */
#include "test.h"

#include "core/models/synelo.h"
#include "core/rating/operation.h"

enum
{
	RATING,
	RATING_MEAN,
	RATING_RECENT,
	RATING_VARIANCE,
	SURPRISE
};

static void
test_theta(void **state)
{
	(void) state;
	/* The medians of 1..k are 1, 1.5, 2, 6.5 and 16.5. */
	assert_same(synelo_theta(1), 400);
	assert_same(synelo_theta(2), 400);
	assert_same(synelo_theta(3), 800);
	assert_same(synelo_theta(12), 2400);
	assert_same(synelo_theta(32), 6400);
}

static void
test_win_probability(void **state)
{
	(void) state;
	assert_same(synelo_win_probability(0, 2400), 0.5);
	assert_near(synelo_win_probability(400, 400), 1 / (1 + exp(-1)), 1e-15);
}

/* F3 by hand: ratings 1000, 1010, 1030, 1060; expected .5, outcomes 1, 1, 1, 0. */
static void
test_convergence(void **state)
{
	static const double rating[4] = {1000, 1010, 1030, 1060};
	static const double surprise[4] = {0.5, 0.5, 0.5, -0.5};
	SynEloWeights weights = {0.25, 0.25, 0.5, false};
	SynEloSignals s = synelo_signals(rating, surprise, 4, 72, NULL);

	(void) state;
	/* Halves 1005 and 1045; mean 1025, squares 625 + 225 + 25 + 1225 = 2100. */
	assert_near(s.velocity, 40.0 / 72, 1e-14);
	assert_near(s.surprise, 2.5, 1e-13);
	assert_near(s.volatility, sqrt(525) / 72, 1e-14);
	assert_near(synelo_convergence(&s, &weights),
				0.25 * 40 / 72 + 0.25 * 2.5 + 0.5 * sqrt(525) / 72, 1e-14);
	weights.saturate = true;
	assert_near(synelo_convergence(&s, &weights),
				0.25 * 40 / 72 + 0.25 + 0.5 * sqrt(525) / 72, 1e-14);
	weights.velocity = 100;
	assert_same(synelo_convergence(&s, &weights), 1);

	/* An odd window leaves the middle out of both halves; one has no halves. */
	s = synelo_signals(rating, surprise, 3, 72, NULL);
	assert_near(s.velocity, 30.0 / 72, 1e-14);
	s = synelo_signals(rating, surprise, 1, 72, NULL);
	assert_same(s.velocity, 0);
	assert_same(s.volatility, 0);
	assert_near(s.surprise, 5, 1e-14);
	s = synelo_signals(rating, surprise, 0, 72, NULL);
	assert_same(s.surprise, 0);
}

static void
test_k(void **state)
{
	(void) state;
	assert_same(synelo_k(1000, 1, 2, 72, 1000, 400), 72);
	assert_same(synelo_k(1700, 0, 2, 72, 1000, 400), 2);
	assert_near(synelo_k(1400, 0.5, 2, 72, 1000, 400), 2 + 35 * exp(-0.5), 1e-13);
	/* The source's compression at 2200 and at 100. */
	assert_near(synelo_k(2200, 1, 2, 72, 1000, 400), 2.8, 0.03);
	assert_near(synelo_k(100, 1, 2, 72, 1000, 400), 7.6, 0.05);
}

static void
test_round_half_even(void **state)
{
	(void) state;
	assert_same(round_half_even(2.5), 2);
	assert_same(round_half_even(3.5), 4);
	assert_same(round_half_even(-2.5), -2);
	assert_same(round_half_even(-3.5), -4);
	assert_same(round_half_even(2.5000000000000004), 3);
	assert_same(round_half_even(2.4999999999999996), 2);
	assert_same(round_half_even(-0.2), -1 + 1);
	assert_same(round_half_even(1e300), 1e300);
}

/* Up to the window the moving averages are the plain ones. */
static void
test_moving_averages(void **state)
{
	Random		random = {90};
	Fixture		f;
	double		rating[200];
	double		surprise[200];
	int			n;

	(void) state;
	fixture_init(&f, "synelo");
	fixture_param(&f, "window")->number = 100;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	for (n = 0; n < 200; n++)
	{
		double		mean = 0;
		double		variance = 0;
		double		mean_surprise = 0;
		int			i;

		f.row[0].rank = 1 + random_below(&random, 2);
		f.row[1].rank = 3 - f.row[0].rank;
		f.player[0].games = f.player[1].games = n;
		fixture_rate(&f);
		rating[n] = f.after[0][RATING];
		surprise[n] = (f.row[0].rank == 1) - f.team[0].win;
		fixture_advance(&f);
		if (n >= 100)
		{
			/* Then older ones fade, and nothing runs away. */
			assert_true(fabs(f.after[0][RATING_MEAN] - 1000) < 500);
			continue;
		}
		for (i = 0; i <= n; i++)
		{
			mean += rating[i] / (n + 1);
			mean_surprise += surprise[i] / (n + 1);
		}
		for (i = 0; i <= n; i++)
			variance += (rating[i] - mean) * (rating[i] - mean) / (n + 1);
		assert_near(f.after[0][RATING_MEAN], mean, 1e-9);
		assert_near(f.after[0][RATING_VARIANCE], variance, 1e-7);
		assert_near(f.after[0][SURPRISE], mean_surprise, 1e-12);
	}
}

/* A steady climb is seen as one: the newer mean leads the mean of all. */
static void
test_velocity(void **state)
{
	Fixture		f;
	int			n;

	(void) state;
	fixture_init(&f, "synelo");
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	for (n = 0; n < 40; n++)
	{
		f.player[0].games = f.player[1].games = n;
		fixture_rate(&f);
		fixture_advance(&f);
	}
	assert_true(f.after[0][RATING_RECENT] > f.after[0][RATING_MEAN] + 10);
	assert_true(f.after[1][RATING_RECENT] < f.after[1][RATING_MEAN] - 10);
}

static void
test_expected_change_is_zero(void **state)
{
	Random		random = {91};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "synelo");
	for (round = 0; round < 500; round++)
	{
		double		change[6];
		double		p;

		fixture_clear(&f);
		for (i = 0; i < 6; i++)
		{
			f.before[i][RATING] = random_between(&random, 600, 1600);
			f.before[i][RATING_VARIANCE] = random_between(&random, 0, 5000);
			f.player[i].games = random_below(&random, 100);
			fixture_add(&f, i, i / 3, 1 + i / 3)->weight =
				random_between(&random, 0.1, 1);
		}
		f.match.log_odds = random_between(&random, -1, 1);
		fixture_rate(&f);
		p = f.team[0].win;
		for (i = 0; i < 6; i++)
			change[i] = p * (f.after[i][RATING] - f.before[i][RATING]);
		for (i = 0; i < 6; i++)
			f.row[i].rank = 2 - i / 3;
		fixture_rate(&f);
		for (i = 0; i < 6; i++)
			assert_near(change[i] + (1 - p) *
						(f.after[i][RATING] - f.before[i][RATING]), 0, 1e-10);
	}
}

/* The default scale is Elo's on the means of the teams, whatever their size. */
static void
test_default_scale_is_elo(void **state)
{
	Fixture		f;
	int			size,
				i;

	(void) state;
	for (size = 1; size <= 8; size++)
	{
		fixture_init(&f, "synelo");
		for (i = 0; i < 2 * size; i++)
		{
			f.before[i][RATING] = i < size ? 1400 : 1000;
			fixture_add(&f, i, i / size, 1 + i / size);
		}
		fixture_rate(&f);
		assert_near(f.team[0].win, 10.0 / 11, 1e-14);
	}
	/* A player more of average strength is worth nothing by the origin. */
	fixture_init(&f, "synelo");
	for (i = 0; i < 23; i++)
		fixture_add(&f, i, i / 12, 1 + i / 12);
	fixture_rate(&f);
	assert_near(f.team[0].win, 0.5, 1e-14);
	/* As the source has it. */
	fixture_param(&f, "strict")->flag = true;
	fixture_rate(&f);
	assert_near(f.team[0].win, 1 / (1 + exp(-1000.0 / 2400)), 1e-14);
}

static void
test_warm_up_and_floor(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "synelo");
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	assert_near(f.after[0][RATING], 1036, 1e-12);
	fixture_param(&f, "warm_up")->number = 0;
	fixture_rate(&f);
	assert_near(f.after[0][RATING], 1001, 1e-12);

	f.before[1][RATING] = 100.1;
	f.before[0][RATING] = 100.1;
	fixture_rate(&f);
	assert_same(f.after[1][RATING], 100);
	f.before[1][RATING] = 50;
	f.before[0][RATING] = 50;
	fixture_rate(&f);
	assert_same(f.after[1][RATING], 50);
	assert_true(f.after[0][RATING] > 50);
}

/* F3 of the rounds from first to below n. */
static double
letter_convergence(const double *rating, const double *expected, const double *outcome,
				   int first, int n)
{
	int			size = n - first;
	double		mean = 0;
	double		variance = 0;
	double		surprise = 0;
	double		velocity = 0;
	double		c;
	int			j;

	for (j = first; j < n; j++)
	{
		mean += rating[j] / size;
		surprise += (outcome[j] - expected[j]) / size;
	}
	for (j = first; j < n; j++)
		variance += (rating[j] - mean) * (rating[j] - mean) / size;
	for (j = 0; j < size / 2; j++)
		velocity += (rating[n - 1 - j] - rating[first + j]) / (size / 2);
	c = 0.25 * fabs(velocity) / 72 + 0.25 * fabs(surprise) / 0.10 + 0.5 * sqrt(variance) / 72;
	return c < 0 ? 0 : c > 1 ? 1 : c;
}

/* The most rounds of a strict history, and players. */
#define STRICT_ROUNDS 300
#define STRICT_PLAYERS 4

/*
 * The source to the letter, computed from scratch each round over a window that fills
 * and moves on, against the model: the same ratings, all of them integers.  Before round
 * set_at the rating of the first player is set, which begins the window anew.
 */
static void
check_strict(int window, int rounds, int set_at)
{
	Random		random = {92};
	Fixture		f;
	static double past[STRICT_PLAYERS][STRICT_ROUNDS * MODEL_MAX_STATE];
	int			npast[STRICT_PLAYERS] = {0};
	double		rating[STRICT_PLAYERS][STRICT_ROUNDS];
	double		expected[STRICT_PLAYERS][STRICT_ROUNDS];
	double		outcome[STRICT_PLAYERS][STRICT_ROUNDS];
	double		now[STRICT_PLAYERS] = {1000, 1000, 1000, 1000};
	int			n,
				i;

	fixture_init(&f, "synelo");
	fixture_param(&f, "strict")->flag = true;
	fixture_param(&f, "team_size_max")->number = 3;
	fixture_param(&f, "window")->number = window;
	f.model = model_variant(f.model, f.params);
	assert_non_null(f.model->look_back);
	for (i = 0; i < STRICT_PLAYERS; i++)
	{
		f.model->init(f.params, f.before[i]);
		fixture_add(&f, i, i / 2, 1);
	}
	for (n = 0; n < rounds; n++)
	{
		double		p;
		double		score = random_below(&random, 3) / 2.0;

		if (n == set_at)
		{
			double		value[MODEL_MAX_STATE] = {1100, 7, 7, 7, 7};
			Operation	operation = {.kind = OPERATION_SET,.value = value};

			/* Whatever it says of the rounds. */
			assert_status(operation_apply(&operation, f.model, f.params, 0, f.before[0]), MATCH_OK);
			now[0] = 1100;
		}
		p = 1 / (1 + exp(-(now[0] + now[1] - now[2] - now[3]) / 800));

		/* The first team is the better one. */
		if (random_below(&random, 2))
			score = 1;
		for (i = 0; i < STRICT_PLAYERS; i++)
		{
			int			begun = i == 0 && n >= set_at ? set_at : 0;
			double		c = letter_convergence(rating[i], expected[i], outcome[i],
											   n - begun > window ? n - window : begun, n);
			double		k;

			k = 2 + 70 * c * exp(-(now[i] - 1000) * (now[i] - 1000) / (2 * 400.0 * 400));
			expected[i][n] = i < 2 ? p : 1 - p;
			outcome[i][n] = i < 2 ? score : 1 - score;
			rating[i][n] = nearbyint(now[i] + k * (outcome[i][n] - expected[i][n]));
			if (n + 1 == 50 && rating[i][n] > 2200)
				rating[i][n] = 2200;
			if (rating[i][n] < 100)
				rating[i][n] = 100;
		}
		for (i = 0; i < STRICT_PLAYERS; i++)
		{
			f.row[i].rank = score == 0.5 ? 1 : 1 + ((score == 1) != (i < 2));
			f.player[i].games = n;
		}
		assert_status(fixture_build(&f), MATCH_OK);
		for (i = 0; i < STRICT_PLAYERS; i++)
			model_look_back(f.model, f.params, past[i], npast[i], &f.player[i]);
		assert_status(model_rate(f.model, f.params, &f.match), MATCH_OK);
		assert_near(f.team[0].win, p, 1e-12);
		for (i = 0; i < STRICT_PLAYERS; i++)
		{
			assert_same(f.after[i][RATING], rating[i][n]);
			now[i] = rating[i][n];
			npast[i] = model_remember(f.model, f.after[i], past[i], npast[i]);
			assert_int_equal(npast[i], n + 1 - (i == 0 && n >= set_at ? set_at : 0));
		}
		fixture_advance(&f);
	}
}

static void
test_strict(void **state)
{
	static const int window[] = {2, 3, 4, 5, 20, 121, 299, 300, 301};
	size_t		i;

	(void) state;
	for (i = 0; i < sizeof(window) / sizeof(window[0]); i++)
	{
		check_strict(window[i], STRICT_ROUNDS, STRICT_ROUNDS);
		check_strict(window[i], STRICT_ROUNDS, 1);
		check_strict(window[i], STRICT_ROUNDS, 150);
	}
}

/* What a strict state looks back on, by hand; a round that is not known leaves no signal. */
static void
test_look_back(void **state)
{
	/* Rounds, window; the begin, the end of the older half, the begin of the newer one. */
	static const double trial[][5] = {
		{0, 2, 0, 0, 0}, {1, 2, 0, 0, 1}, {2, 2, 0, 1, 1}, {3, 2, 1, 2, 2},
		{1, 3, 0, 0, 1}, {2, 3, 0, 1, 1}, {3, 3, 0, 1, 2}, {4, 3, 1, 2, 3},
		{499, 500, 0, 249, 250}, {500, 500, 0, 250, 250}, {501, 500, 1, 251, 251},
		{16000, 500, 15500, 15750, 15750}
	};
	Fixture		f;
	double		number[MATCH_MAX_PAST];
	double		last[MATCH_MAX_PAST] = {0};
	double		rounds[MODEL_MAX_STATE] = {1000};
	int			i,
				j;

	(void) state;
	fixture_init(&f, "synelo");
	fixture_param(&f, "strict")->flag = true;
	f.model = model_variant(f.model, f.params);
	for (i = 0; i < (int) (sizeof(trial) / sizeof(trial[0])); i++)
	{
		rounds[1] = trial[i][0];
		fixture_param(&f, "window")->number = trial[i][1];
		f.model->look_back(f.params, rounds, number);
		for (j = 0; j < MATCH_MAX_PAST; j++)
			assert_same(number[j], trial[i][2 + j]);
	}
	/* Numbers never fall. */
	for (i = 0; i < 100; i++)
	{
		rounds[1] = i;
		fixture_param(&f, "window")->number = 11;
		f.model->look_back(f.params, rounds, number);
		for (j = 0; j < MATCH_MAX_PAST; j++)
		{
			assert_true(number[j] >= last[j] && (j == 0 || number[j] >= number[j - 1]));
			last[j] = number[j];
		}
	}
	/* Without the past K is the smallest. */
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	f.before[0][1] = f.before[1][1] = 100;
	f.before[0][3] = 1e6;
	f.before[1][2] = f.before[1][4] = f.before[1][3] = 0;
	fixture_rate(&f);
	assert_same(f.after[0][RATING], 1001);
}

/* The sums are those at the start of the round, whoever comes or goes. */
static void
test_late_participants(void **state)
{
	static const double rating[5] = {1300, 900, 1000, 1100, 1500};
	Fixture		f;
	int			strict,
				i;

	(void) state;
	for (strict = 0; strict < 2; strict++)
	{
		double		at_start;
		double		change;

		fixture_init(&f, "synelo");
		fixture_param(&f, "strict")->flag = strict;
		f.model = model_variant(f.model, f.params);
		fixture_param(&f, "theta")->number = 800;
		for (i = 0; i < 4; i++)
		{
			f.before[i][RATING] = rating[i];
			fixture_add(&f, i, i / 2, 1 + i / 2);
		}
		fixture_rate(&f);
		at_start = f.team[0].win;
		change = f.after[0][RATING] - f.before[0][RATING];
		if (strict)
			assert_near(at_start, 1 / (1 + exp(-100.0 / 800)), 1e-14);

		/* One of the second team leaves early, and one joins the first late. */
		fixture_clear(&f);
		for (i = 0; i < 2; i++)
			fixture_add(&f, i, 0, 1);
		f.before[4][RATING] = rating[4];
		fixture_add(&f, 4, 0, 1);
		for (i = 2; i < 4; i++)
			fixture_add(&f, i, 1, 2);
		for (i = 0; i < 5; i++)
		{
			f.row[i].joined = i == 2 ? 300 : 0;
			f.row[i].left = i == 4 ? 100 : 400;
		}
		fixture_rate(&f);
		assert_near(f.team[0].win, at_start, 1e-15);
		assert_near(f.after[0][RATING] - f.before[0][RATING], change, 1e-12);

		/* A part of the change, or by the source all of it. */
		assert_near(f.player[4].gradient, (strict ? 1 : 0.25) * (1 - at_start), 1e-14);
		assert_near(f.player[3].gradient, (strict ? 1 : 0.25) * (at_start - 1), 1e-14);

		/* By play the late one counts a quarter of what he has. */
		fixture_param(&f, "sums")->choice = 1;
		fixture_rate(&f);
		if (strict)
			assert_near(f.team[0].win, at_start, 1e-15);
		else
			assert_true(fabs(f.team[0].win - at_start) > 1e-3);

		/* Nobody was there when it began: all count by what they played. */
		fixture_param(&f, "sums")->choice = 0;
		for (i = 0; i < 5; i++)
			f.row[i].joined += 10;
		f.row[3].left = f.row[4].left = 400;
		fixture_rate(&f);
		assert_true(f.team[0].win > 0 && f.team[0].win < 1);
	}
}

static void
test_graduation(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "synelo");
	fixture_param(&f, "graduation_cap")->number = 2200;
	f.before[0][RATING] = f.before[1][RATING] = 2300;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	f.player[0].games = 48;
	f.player[1].games = 49;
	fixture_rate(&f);
	assert_true(f.after[0][RATING] > 2300);
	assert_same(f.after[1][RATING], 2200);
	f.player[1].games = 50;
	fixture_rate(&f);
	assert_true(f.after[1][RATING] > 2200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_theta),
		cmocka_unit_test(test_win_probability),
		cmocka_unit_test(test_convergence),
		cmocka_unit_test(test_k),
		cmocka_unit_test(test_round_half_even),
		cmocka_unit_test(test_moving_averages),
		cmocka_unit_test(test_velocity),
		cmocka_unit_test(test_expected_change_is_zero),
		cmocka_unit_test(test_default_scale_is_elo),
		cmocka_unit_test(test_warm_up_and_floor),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_look_back),
		cmocka_unit_test(test_late_participants),
		cmocka_unit_test(test_graduation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
