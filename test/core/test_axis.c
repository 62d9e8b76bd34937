/*
 * test_axis.c
 *		Round numbers for axes.
 */
#include "test.h"

#include "core/util/axis.h"

static void
test_steps(void **state)
{
	static const struct
	{
		double		range;
		int			max;
		double		step;
		int			digits;
	}			cases[] = {
		{1, 5, 0.2, 1}, {1, 10, 0.1, 1}, {1, 9, 0.2, 1}, {1000, 7, 200, 0},
		{550, 17, 50, 0}, {0.003, 5, 0.001, 3}, {7e9, 8, 1e9, 0}, {12, 4, 5, 0},
		{1e-12, 5, 2e-13, 12}
	};
	size_t		i;

	(void) state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		assert_relative(axis_step(cases[i].range, cases[i].max), cases[i].step, 1e-12);
		assert_int_equal(axis_digits(cases[i].step), cases[i].digits);
	}
}

/* Never more steps than allowed, and never less than a fifth of them. */
static void
test_number_of_steps(void **state)
{
	Random		random = {3};
	int			i;

	(void) state;
	for (i = 0; i < 100000; i++)
	{
		double		range = random_magnitude(&random, 12);
		int			max = 1 + (int) random_between(&random, 0, 60);
		double		steps = range / axis_step(range, max);

		assert_true(steps <= max * (1 + 1e-8));
		assert_true(steps > max / 2.51);
	}
}

static void
test_multiples(void **state)
{
	(void) state;
	assert_near(axis_floor(0.3, 0.1), 0.3, 1e-15);
	assert_near(axis_ceiling(0.3, 0.1), 0.3, 1e-15);
	assert_near(axis_floor(-7, 5), -10, 0);
	assert_near(axis_ceiling(-7, 5), -5, 0);
	assert_near(axis_floor(1499, 50), 1450, 0);
	assert_near(axis_ceiling(1451, 50), 1500, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_number_of_steps),
		cmocka_unit_test(test_multiples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
