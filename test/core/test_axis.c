/*
 * test_axis.c
 *		Round numbers for axes.
 */
#include "test.h"

#include "core/util/axis.h"
#include "core/util/extremes.h"

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

/* A label of seven pixels a digit, and ten between two. */
static double
digits_label(double value, double step)
{
	int			digits = axis_digits(step) + (axis_digits(step) > 0);
	double		whole;

	for (whole = fabs(value); whole >= 10; whole /= 10)
		digits++;
	return 10 + 7 * (digits + 1 + (value < 0));
}

/* Labels across have room, and there are two at least, wherever a range begins. */
static void
test_labels(void **state)
{
	Random		random = {5};
	int			round;

	(void) state;
	for (round = 0; round < 100000; round++)
	{
		double		low = random_between(&random, -1000, 1000);
		double		range = random_magnitude(&random, 3);
		double		length = random_between(&random, 200, 900);
		AxisTicks	ticks = axis_across(low, low + range, length, 8, 31, digits_label);
		double		last = ticks.first + (ticks.n - 1) * ticks.step;
		double		room = larger(digits_label(ticks.first, ticks.step),
								  digits_label(last, ticks.step));

		assert_true(ticks.first >= low - 1e-6 * ticks.step &&
					last <= low + range + 1e-6 * ticks.step);
		assert_true(ticks.n > ticks.stride);
		assert_true(ticks.stride * ticks.step / range * length >= room * 0.95 - 1e-6);

		ticks = axis_up(low, low + range, 2 + random_below(&random, 10));
		assert_true(ticks.n >= 2 && ticks.stride == 1);
		assert_true(ticks.first >= low - 1e-6 * ticks.step &&
					ticks.first + ticks.n * ticks.step > low + range);
	}
}

/* From 0 to 10 in 300 pixels there are at most 300 / 31 = 9 labels, and at most 8: steps of 2. */
static void
test_ticks_by_hand(void **state)
{
	AxisTicks	ticks = axis_across(0, 10, 300, 8, 31, digits_label);

	(void) state;
	assert_near(ticks.step, 2, 0);
	assert_near(ticks.first, 0, 0);
	assert_int_equal(ticks.n, 6);
	assert_int_equal(ticks.stride, 1);

	/* Two steps of 100 have one tick, 1500; three of 50 have three. */
	ticks = axis_up(1449, 1551, 2);
	assert_near(ticks.step, 50, 0);
	assert_near(ticks.first, 1450, 0);
	assert_int_equal(ticks.n, 3);
	assert_int_equal(axis_stride(90, 10, 10), 1);
	assert_int_equal(axis_stride(90, 10, 11), 2);
	assert_int_equal(axis_stride(90, 10, 25), 3);
	assert_int_equal(axis_stride(0, 1, 25), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_number_of_steps),
		cmocka_unit_test(test_multiples),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_ticks_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
