/*
 * test_display.c
 *		Divisions, placement, seasons, and linear regression.
 */
#include "test.h"

#include "core/evaluate/regression.h"
#include "core/math/cholesky.h"
#include "core/rating/display.h"

static void
test_division(void **state)
{
	static const double cut[3] = {1000, 1200, 1500};

	(void) state;
	assert_int_equal(division_number(999.9, cut, 3), 0);
	assert_int_equal(division_number(1000, cut, 3), 1);
	assert_int_equal(division_number(1199.9, cut, 3), 1);
	assert_int_equal(division_number(1500, cut, 3), 3);
	assert_int_equal(division_number(-1e300, cut, 3), 0);
	assert_int_equal(division_number(5, cut, 0), 0);
}

/* Up at a cut, down at 50 below it; and several at once. */
static void
test_division_with_hysteresis(void **state)
{
	static const double cut[3] = {1000, 1200, 1500};

	(void) state;
	assert_int_equal(division_next(1200, cut, 3, 1, 50, 0), 2);
	assert_int_equal(division_next(1199, cut, 3, 2, 50, 0), 2);
	assert_int_equal(division_next(1150, cut, 3, 2, 50, 0), 2);
	assert_int_equal(division_next(1149.9, cut, 3, 2, 50, 0), 1);
	assert_int_equal(division_next(900, cut, 3, 3, 50, 0), 0);
	assert_int_equal(division_next(1600, cut, 3, 0, 50, 0), 3);
	/* Promotion at 20 above. */
	assert_int_equal(division_next(1219, cut, 3, 1, 50, 20), 1);
	assert_int_equal(division_next(1220, cut, 3, 1, 50, 20), 2);
	/* Nothing is moved up by a fall. */
	assert_int_equal(division_next(1210, cut, 3, 3, 50, 20), 2);
}

/* With certain results the search closes in on the player's rank. */
static void
test_placement(void **state)
{
	double		rank;

	(void) state;
	for (rank = 3; rank < 1000; rank += 47)
	{
		double		low = 0;
		double		high = 1024;
		int			i;

		for (i = 0; i < 10; i++)
			placement_step(&low, &high, rank > (low + high) / 2, 1);
		assert_near(high - low, 1, 1e-12);
		assert_true(low <= rank && rank <= high);
	}
	{
		double		low = 0;
		double		high = 1000;

		placement_step(&low, &high, 0.5, 1);
		assert_same(low, 250);
		assert_same(high, 750);
		placement_step(&low, &high, 1, 0);
		assert_same(low, 250);
		assert_same(high, 750);
		placement_step(&low, &high, 0, 0.5);
		assert_same(high, 625);
	}
}

static void
test_gain_and_seasons(void **state)
{
	(void) state;
	assert_same(placement_gain(0, 3, 10), 3);
	assert_same(placement_gain(5, 3, 10), 2);
	assert_same(placement_gain(10, 3, 10), 1);
	assert_same(placement_gain(1000, 3, 10), 1);
	assert_same(placement_gain(0, 3, 0), 1);
	assert_same(season_rating(2000, 1500, 0.25), 1625);
	assert_same(season_deviation(50, 350, 1), 50);
	assert_same(season_deviation(50, 350, 0), 350);
	assert_near(season_deviation(350, 350, 0.3), 350, 1e-12);
	assert_near(season_deviation(60, 80, 0.6), sqrt(0.36 * 3600 + 0.64 * 6400), 1e-12);
	assert_same(inactivity_decay(1000, 29, 30, 2, 0), 1000);
	assert_same(inactivity_decay(1000, 40, 30, 2, 0), 980);
	assert_same(inactivity_decay(1000, 4000, 30, 2, 500), 500);
	assert_same(inactivity_decay(400, 4000, 30, 2, 500), 400);
	assert_same(inactivity_regression(2000, 30, 30, 1500, 90), 2000);
	assert_same(inactivity_regression(2000, 120, 30, 1500, 90), 1750);
	assert_same(inactivity_regression(1000, 210, 30, 1500, 90), 1375);
}

/* A = L L' of random L: the factor comes back, and A x = b is solved. */
static void
test_cholesky(void **state)
{
	Random		random = {98};
	int			round;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		int			n = 1 + random_below(&random, 12);
		double		l[144] = {0};
		double		a[144];
		double		copy[144];
		double		b[12];
		double		x[12];
		int			i,
					j,
					k;

		for (i = 0; i < n; i++)
			for (j = 0; j <= i; j++)
				l[i * n + j] = j == i ? random_between(&random, 0.5, 2) :
					random_between(&random, -1, 1);
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
			{
				a[i * n + j] = 0;
				for (k = 0; k < n; k++)
					a[i * n + j] += l[i * n + k] * l[j * n + k];
			}
		memcpy(copy, a, sizeof(a));
		for (i = 0; i < n; i++)
			b[i] = x[i] = random_between(&random, -5, 5);
		assert_int_equal(cholesky_factor(a, n, 1e-12), -1);
		for (i = 0; i < n; i++)
			for (j = 0; j <= i; j++)
				assert_near(a[i * n + j], l[i * n + j], 1e-9);
		cholesky_solve(a, n, x);
		for (i = 0; i < n; i++)
		{
			double		sum = 0;

			for (j = 0; j < n; j++)
				sum += copy[i * n + j] * x[j];
			assert_near(sum, b[i], 1e-8);
		}
	}
	{
		double		singular[9] = {1, 0, 0, 2, 4, 0, 1, 2, 3};
		double		negative[1] = {-1};
		double		unsound[1] = {NAN};

		assert_int_equal(cholesky_factor(singular, 3, 1e-12), 1);
		assert_int_equal(cholesky_factor(negative, 1, 1e-12), 0);
		assert_int_equal(cholesky_factor(unsound, 1, 1e-12), 0);
	}
}

/* y = 2 + 3 a - b, exactly; then with a row off by 7. */
static void
test_regression_by_hand(void **state)
{
	static const double rows[5][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 1}};
	double		sums[REGRESSION_STATE_SIZE(2)];
	double		coefficient[2];
	double		work[4];
	Regression	fit;
	int			i;

	(void) state;
	regression_begin(sums, 2, 0);
	for (i = 0; i < 5; i++)
		regression_add(sums, 2 + 3 * rows[i][0] - rows[i][1], rows[i], 1);
	assert_int_equal(regression_solve(sums, coefficient, &fit, work), -1);
	assert_near(fit.intercept, 2, 1e-12);
	assert_near(coefficient[0], 3, 1e-12);
	assert_near(coefficient[1], -1, 1e-12);
	assert_near(fit.r_squared, 1, 1e-12);
	assert_near(fit.residual_deviation, 0, 1e-6);

	/* One feature: 1, 2, 3 against 1, 2, 4; slope 1.5, intercept -2/3. */
	regression_begin(sums, 1, 0);
	for (i = 1; i <= 3; i++)
	{
		double		x = i;

		regression_add(sums, i == 3 ? 4 : i, &x, 1);
	}
	assert_int_equal(regression_solve(sums, coefficient, &fit, work), -1);
	assert_near(coefficient[0], 1.5, 1e-12);
	assert_near(fit.intercept, -2.0 / 3, 1e-12);
	/* Residuals 1/6, -1/3, 1/6: squares 1/6, of 14/3. */
	assert_near(fit.residual_deviation, sqrt(1.0 / 6), 1e-12);
	assert_near(fit.r_squared, 1 - (1.0 / 6) / (14.0 / 3), 1e-12);

	/* A ridge of 1 halves the slope of a single feature. */
	sums[REGRESSION_RIDGE] = 1;
	assert_int_equal(regression_solve(sums, coefficient, &fit, work), -1);
	assert_near(coefficient[0], 0.75, 1e-12);
}

/* The order of rows and merges matters only to the last digits. */
static void
test_regression_merges(void **state)
{
	Random		random = {99};
	int			round;

	(void) state;
	for (round = 0; round < 50; round++)
	{
		static double rows[300][4];
		double		whole[REGRESSION_STATE_SIZE(3)];
		double		part[3][REGRESSION_STATE_SIZE(3)];
		double		a[3],
					b[3];
		double		work[9];
		Regression	fit_a,
					fit_b;
		int			i;

		regression_begin(whole, 3, 0.01);
		for (i = 0; i < 3; i++)
			regression_begin(part[i], 3, 0.01);
		for (i = 0; i < 300; i++)
		{
			double		weight = random_between(&random, 0.1, 2);

			/* Offsets that would cost plain sums of squares all digits. */
			rows[i][1] = 1e9 + random_between(&random, -1, 1);
			rows[i][2] = random_between(&random, -1, 1);
			rows[i][3] = -1e6 + 1000 * rows[i][2] + random_between(&random, -500, 500);
			rows[i][0] = 5 * (rows[i][1] - 1e9) - rows[i][2] +
				random_between(&random, -0.1, 0.1);
			regression_add(whole, rows[i][0], rows[i] + 1, weight);
			regression_add(part[random_below(&random, 3)], rows[i][0], rows[i] + 1, weight);
		}
		regression_merge(part[2], part[1]);
		regression_merge(part[2], part[0]);
		regression_begin(part[0], 3, 0.01);
		regression_merge(part[2], part[0]);
		assert_int_equal(regression_solve(whole, a, &fit_a, work), -1);
		assert_int_equal(regression_solve(part[2], b, &fit_b, work), -1);
		assert_same(whole[REGRESSION_COUNT], part[2][REGRESSION_COUNT]);
		for (i = 0; i < 3; i++)
			assert_near(a[i], b[i], 1e-6);
		assert_near(a[0], 5, 0.3);
		assert_relative(fit_a.r_squared, fit_b.r_squared, 1e-6);
	}
}

static void
test_regression_refuses(void **state)
{
	double		sums[REGRESSION_STATE_SIZE(3)];
	double		coefficient[3];
	double		work[9];
	Regression	fit;
	int			i;

	(void) state;
	regression_begin(sums, 3, 0);
	for (i = 0; i < 10; i++)
	{
		double		x[3] = {i, i * i, 2 * i + 3 * i * i};

		regression_add(sums, i, x, 1);
	}
	assert_int_equal(regression_solve(sums, coefficient, &fit, work), 2);
	/* A ridge makes it a matter of taste. */
	sums[REGRESSION_RIDGE] = 0.1;
	assert_int_equal(regression_solve(sums, coefficient, &fit, work), -1);

	regression_begin(sums, 2, 0.1);
	for (i = 0; i < 10; i++)
	{
		double		x[2] = {i, 7};

		regression_add(sums, i, x, 1);
	}
	assert_int_equal(regression_solve(sums, coefficient, &fit, work), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_division),
		cmocka_unit_test(test_division_with_hysteresis),
		cmocka_unit_test(test_placement),
		cmocka_unit_test(test_gain_and_seasons),
		cmocka_unit_test(test_cholesky),
		cmocka_unit_test(test_regression_by_hand),
		cmocka_unit_test(test_regression_merges),
		cmocka_unit_test(test_regression_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
