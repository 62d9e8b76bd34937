/*
 * test_histogram.c
 *		Values in bins, and what describes them in numbers.
 */
#include "test.h"

#include "core/math/histogram.h"

#define MOST 500

static double value[MOST];

/* Random values, sorted: of a grid, or of none. */
static int
random_values(Random *random, bool whole)
{
	int			n = 1 + random_below(random, MOST);
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		double		x = random_between(random, -30, 70);

		if (whole)
			x = floor(x);
		for (j = i; j > 0 && value[j - 1] > x; j--)
			value[j] = value[j - 1];
		value[j] = x;
	}
	return n;
}

/* By hand, as percentile_cont(), avg() and stddev_samp() have them. */
static void
test_numbers(void **state)
{
	static const double some[] = {1, 2, 2, 3, 3, 3, 4, 4, 5, 23};
	static const double shifted[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
	double		deviation;

	(void) state;
	assert_near(sorted_quantile(some, 10, 0.5), 3, 1e-15);
	assert_near(sorted_quantile(some, 10, 0.25), 2.25, 1e-15);
	assert_near(sorted_quantile(some, 10, 1), 23, 0);
	assert_near(sorted_quantile(some, 10, 0), 1, 0);
	assert_near(sorted_quantile(some, 1, 0.7), 1, 0);
	assert_near(mean_and_deviation(some, 10, NULL, &deviation), 5, 1e-14);

	/* Squares of 4, 3, 3, 2, 2, 2, 1, 1, 0 and 18. */
	assert_near(deviation, sqrt(372 / 9.0), 1e-13);
	assert_near(mean_and_deviation(shifted, 3, NULL, &deviation), 1e9 + 2, 0);
	assert_near(deviation, 1, 1e-9);
	assert_near(mean_and_deviation(some, 1, NULL, &deviation), 1, 0);
	assert_near(deviation, 0, 0);
}

/* Bins cover the values, each of which is counted once, where it lies. */
static void
test_bins(void **state)
{
	Random		random = {7};
	int			round;

	(void) state;
	for (round = 0; round < 2000; round++)
	{
		int			n = random_values(&random, round % 2 == 0);
		double		low = value[0] - 0.5;
		double		high = value[n - 1] + 0.5;
		Histogram	h = histogram_bins(value, n, low, high);
		int			count[MOST] = {0};
		int			expected[MOST] = {0};
		int			most = 0;
		int			total = 0;
		int			i,
					b;

		assert_in_range(h.bins, 1, 100);
		assert_true(h.low <= value[0] + 1e-9 * h.step);
		assert_true(h.low + h.bins * h.step > value[n - 1]);
		for (i = 0; i < n; i++)
			for (b = 0; b < h.bins; b++)
				if (value[i] >= h.low + b * h.step - 1e-9 * h.step &&
					value[i] < h.low + (b + 1) * h.step - 1e-9 * h.step)
					expected[b]++;
		for (b = 0; b < h.bins; b++)
			most = expected[b] > most ? expected[b] : most;
		assert_int_equal(histogram_count(&h, value, n, NULL, count), most);
		for (b = 0; b < h.bins; b++)
		{
			assert_int_equal(count[b], expected[b]);
			total += count[b];
		}
		assert_int_equal(total, n);

		/* Whole numbers stand in the middle of bins of 1. */
		if (round % 2 == 0 && h.step == 1)
			assert_near(h.low, floor(h.low) + 0.5, 0);
	}
}

/* The rule of Freedman and Diaconis, rounded: 1000 values evenly from 0 to 100. */
static void
test_width(void **state)
{
	static double even[1000];
	static double equal[1000];
	int			i;

	(void) state;
	for (i = 0; i < 1000; i++)
		even[i] = 0.05 + i / 10.0;

	/* 2 * 50 / 10 = 10; nobody is a multiple of it. */
	assert_near(histogram_bins(even, 1000, even[0], even[999]).step, 10, 0);
	assert_near(histogram_bins(even, 1000, even[0], even[999]).low, 0, 0);
	assert_int_equal(histogram_bins(even, 1000, even[0], even[999]).bins, 10);

	/* Without a spread of the middle half, a twentieth of the range. */
	assert_near(histogram_bins(equal, 1000, -1, 1).step, 0.1, 1e-15);
	assert_near(histogram_bins(equal, 1000, -1, 1).low, -1.05, 1e-12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
