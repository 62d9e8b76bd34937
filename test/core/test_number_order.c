/*
 * test_number_order.c
 *		Numbers as integers in the same order, and their ranges.
 */
#include "test.h"

#include <float.h>

#include "core/util/number_order.h"

/* A number of either sign and any size, now and then 0. */
static double
any_number(Random *random)
{
	double		number = random_magnitude(random, 300);
	double		sign = random_between(random, -1, 1);

	return sign > 0.98 ? 0 : sign > 0 ? number : -number;
}

static void
test_order(void **state)
{
	Random		random = {7};
	int			i;

	(void) state;
	for (i = 0; i < 200000; i++)
	{
		double		a = any_number(&random);
		double		b = i % 3 == 0 ? nextafter(a, 1e308) : any_number(&random);

		assert_int_equal(a < b, number_place(a) < number_place(b));
		assert_int_equal(a == b, number_place(a) == number_place(b));
		assert_true(number_at(number_place(a)) == a);
		if (a <= b)
			assert_true(number_range(a) <= number_range(b));
	}
	assert_true(number_place(-0.0) == number_place(0.0));
}

/* A range begins and ends where it says, and the next one begins there. */
static void
test_ranges(void **state)
{
	Random		random = {11};
	int			i;

	(void) state;
	for (i = 0; i < 100000; i++)
	{
		double		number = any_number(&random);
		int32_t		range = number_range(number);
		double		bottom = number_range_bottom(range);
		double		top = number_range_top(range);

		assert_true(range >= 0 && range < 1 << NUMBER_RANGE_BITS);
		assert_true(bottom <= number && number <= top);
		assert_int_equal(number_range(bottom), range);
		assert_int_equal(number_range(top), range);
		assert_int_equal(number_range(nextafter(top, INFINITY)), range + 1);
	}
	assert_true(number_range_top(number_range(1500)) - number_range_bottom(number_range(1500)) < 1.0 / 64);
	assert_true(number_range_top(number_range(1500)) - number_range_bottom(number_range(1500)) > 1.0 / 65);
	assert_true(isinf(number_range_top((1 << NUMBER_RANGE_BITS) - 1)));
	assert_true(isinf(number_range_bottom(0)));
	assert_true(number_range(DBL_MAX) < number_range(INFINITY));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
