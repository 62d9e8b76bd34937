/*
 * test_regression.c
 *		Linear regression from sums: shapes of states, and a fit in closed form.
 */
#include "test.h"

#include "core/evaluate/regression.h"

/* A plane through its points is found, also from two halves. */
static void
test_plane(void **state)
{
	double		sums[2][REGRESSION_STATE_SIZE(2)];
	double		coefficient[2];
	double		work[4];
	Regression	fit;
	Random		random = {4};
	int			i;

	(void) state;
	regression_begin(sums[0], 2, 0);
	regression_begin(sums[1], 2, 0);
	for (i = 0; i < 200; i++)
	{
		double		x[2];

		x[0] = random_between(&random, -5, 5);
		x[1] = random_between(&random, 100, 200);
		regression_add(sums[i % 2], 7 + 3 * x[0] - 0.25 * x[1], x, random_between(&random, 0.5, 2));
	}
	regression_merge(sums[0], sums[1]);
	assert_int_equal(regression_solve(sums[0], coefficient, &fit, work), REGRESSION_SOLVED);
	assert_near(fit.intercept, 7, 1e-9);
	assert_near(coefficient[0], 3, 1e-11);
	assert_near(coefficient[1], -0.25, 1e-11);
	assert_near(fit.r_squared, 1, 1e-12);
}

/* A state has the size that it says itself, and features from 1 to the most. */
static void
test_shapes(void **state)
{
	static double sums[REGRESSION_STATE_SIZE(REGRESSION_MAX_FEATURES + 1)];

	(void) state;
	regression_begin(sums, 3, 0);
	assert_true(regression_is_state(sums, REGRESSION_STATE_SIZE(3)));
	assert_false(regression_is_state(sums, REGRESSION_STATE_SIZE(3) + 1));
	assert_false(regression_is_state(sums, 1));
	sums[REGRESSION_FEATURES] = 0;
	assert_false(regression_is_state(sums, REGRESSION_STATE_SIZE(0)));
	sums[REGRESSION_FEATURES] = REGRESSION_MAX_FEATURES + 1;
	assert_false(regression_is_state(sums, REGRESSION_STATE_SIZE(REGRESSION_MAX_FEATURES + 1)));
	sums[REGRESSION_FEATURES] = NAN;
	assert_false(regression_is_state(sums, REGRESSION_STATE_SIZE(3)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plane),
		cmocka_unit_test(test_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
