/*
 * test_normal.c
 *		The normal distribution, and the best and the places of normal variables.
 *
 * Reference values were computed with mpmath at 60 digits.
 */
#include <float.h>

#include "test.h"

#include "core/math/normal.h"

/* For functions of up to 1000 variables. */
static double work[NORMAL_WORK(1000)];

typedef struct Reference
{
	double		x;
	double		y;
} Reference;

static void
test_normal_cdf_values(void **state)
{
	static const struct
	{
		double		x;
		double		cdf;
		double		log_cdf;
	}			reference[] = {
		{-37.5, 4.6053530095819548e-308, -707.66898931750719},
		{-30, 4.9067139271481871e-198, -454.3212439563432},
		{-20, 2.7536241186062337e-89, -203.91715537109726},
		{-10, 7.6198530241605261e-24, -53.231285150512471},
		{-8, 6.2209605742717841e-16, -35.01343715991455},
		{-5.5, 1.8989562465887719e-8, -17.779376352625261},
		{-3, 0.0013498980316300945, -6.6077262215103495},
		{-1.5, 0.066807201268858066, -2.7059444008238898},
		{-1, 0.15865525393145705, -1.8410216450092635},
		{-0.5, 0.3085375387259869, -1.1759117615936186},
		{-0.125, 0.45026177516988711, -0.79792614275302409},
		{0, 0.5, -0.69314718055994531},
		{0.125, 0.54973822483011289, -0.59831306891242499},
		{0.5, 0.6914624612740131, -0.36894641528865639},
		{1, 0.84134474606854295, -0.17275377902344989},
		{2, 0.97724986805182079, -0.023012909328963488},
		{3.25, 0.99942297495760923, -0.00057719158540995015},
		{6, 0.99999999901341235, -9.8658764552437573e-10},
		{8.125, 0.99999999999999978, -2.2368120644441053e-16},
	};
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(reference); i++)
	{
		/* The rounding of x / sqrt 2 comes back multiplied by about x^2. */
		double		condition = 1 + reference[i].x * reference[i].x;

		assert_relative(normal_cdf(reference[i].x), reference[i].cdf,
						2 * DBL_EPSILON * condition);
		assert_relative(normal_log_cdf(reference[i].x), reference[i].log_cdf,
						1e-13);
	}
}

/* Below -10, where the logarithm is that of a continued fraction. */
static void
test_normal_log_cdf_tail_values(void **state)
{
	static const Reference reference[] = {
		{-10, -53.231285150512471},
		{-10.5, -58.404187061073243},
		{-11, -63.824934094423716},
		{-12.5, -81.575967870743883},
		{-15, -116.1313848457117},
		{-38, -726.55721601882013},
		{-40, -804.60844201375379},
		{-100, -5005.5242086942051},
		{-1000, -500007.82669481218},
		{-1e6, -500000000014.73445},
		{-1e100, -5e199},
		{-1e150, -5e299},
	};
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(reference); i++)
		assert_relative(normal_log_cdf(reference[i].x), reference[i].y, 1e-15);
}

static void
test_normal_log_cdf_is_continuous(void **state)
{
	double		x;

	(void) state;
	/* Both ways to compute it meet at -10, to the precision of either. */
	assert_relative(normal_log_cdf(nextafter(-10, 0)), normal_log_cdf(-10),
					1e-14);
	for (x = -50; x < 8; x += 0.01)
		assert_true(normal_log_cdf(x) < normal_log_cdf(x + 0.01));
}

static void
test_normal_reflection_and_tails(void **state)
{
	double		x[1000];
	int			n = ascending_arguments(x);
	int			i;

	(void) state;
	for (i = 0; i < n; i++)
	{
		assert_near(normal_cdf(x[i]) + normal_cdf(-x[i]), 1, DBL_EPSILON);
		assert_true(normal_log_cdf(x[i]) <= 0);
		if (i > 0)
			assert_true(normal_log_cdf(x[i - 1]) <= normal_log_cdf(x[i]));
		if (fabs(x[i]) < 1e154)
			assert_true(isfinite(normal_log_cdf(x[i])));
	}
	assert_same(normal_cdf(-INFINITY), 0);
	assert_same(normal_cdf(INFINITY), 1);
	assert_true(normal_log_cdf(-INFINITY) == -INFINITY);
	assert_true(normal_log_cdf(INFINITY) == 0);
}

/*
 * The probability that number i of n normal variables is the largest, by
 * Simpson's rule on 16 standard deviations around its mean: the same integral
 * as that of normal_best_of(), by another rule, wider and much finer.
 */
static double
simpson_best_of(const double *mean, const double *deviation, int n, int i)
{
	const int	intervals = 1280;
	const double reach = 16;
	double		step = 2 * reach / intervals;
	double		sum = 0;
	int			k,
				j;

	for (k = 0; k <= intervals; k++)
	{
		double		z = -reach + k * step;
		double		product = exp(-0.5 * z * z) / sqrt(2 * M_PI);

		for (j = 0; j < n; j++)
			if (j != i)
				product *= 0.5 * erfc(-(z * deviation[i] + mean[i] - mean[j]) /
									  deviation[j] / sqrt(2));
		sum += product * (k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2);
	}
	return sum * step / 3;
}

static void
test_normal_best_of_two_is_the_cdf(void **state)
{
	double		lead;

	(void) state;
	for (lead = -12; lead <= 12; lead += 0.37)
	{
		double		mean[2] = {1500 + 200 * lead, 1500};
		double		deviation[2] = {120, 160};
		double		best[2];

		/* The difference has a deviation of 200. */
		normal_best_of(mean, deviation, 2, best, work, NULL);
		assert_near(best[0], normal_cdf(lead), 1e-12);
		assert_near(best[1], normal_cdf(-lead), 1e-12);
	}
}

static void
test_normal_best_of_equals_shares_alike(void **state)
{
	double		mean[20];
	double		deviation[20];
	double		best[20];
	int			n,
				i;

	(void) state;
	for (n = 2; n <= 20; n++)
	{
		for (i = 0; i < n; i++)
		{
			mean[i] = 1500;
			deviation[i] = 200;
		}
		normal_best_of(mean, deviation, n, best, work, NULL);
		for (i = 0; i < n; i++)
			assert_near(best[i], 1.0 / n, 1e-15);
	}
}

static void
test_normal_best_of_against_simpson(void **state)
{
	Random		random = {3};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 100; round++)
	{
		int			n = 3 + random_below(&random, 6);
		double		mean[8];
		double		deviation[8];
		double		best[8];
		double		total = 0;

		for (i = 0; i < n; i++)
		{
			mean[i] = random_between(&random, 1000, 2000);
			deviation[i] = round % 2 ? 200 : random_between(&random, 80, 600);
		}
		normal_best_of(mean, deviation, n, best, work, NULL);
		for (i = 0; i < n; i++)
		{
			assert_near(best[i], simpson_best_of(mean, deviation, n, i), 1e-12);
			total += best[i];
		}
		assert_near(total, 1, 1e-15 * n);
	}
}

/* The error stays below 1e-12 also where the largest of many is steep. */
static void
test_normal_best_of_many(void **state)
{
	static double mean[1000];
	static double deviation[1000];
	static double best[1000];
	double		spread;
	int			n,
				i;

	(void) state;
	for (n = 10; n <= 1000; n *= 10)
		for (spread = 0.5; spread <= 8; spread *= 4)
		{
			for (i = 0; i < n; i++)
			{
				mean[i] = spread * i / n;
				deviation[i] = 1;
			}
			normal_best_of(mean, deviation, n, best, work, NULL);
			for (i = 0; i < n; i += n / 3)
				assert_near(best[i], simpson_best_of(mean, deviation, n, i), 1e-12);
		}
}

static void
test_normal_best_of_far_apart(void **state)
{
	double		mean[3] = {1e300, -1e300, 0};
	double		best[3];
	double		tie[3] = {5, -1e300, 5};
	double		deviation[3] = {200, 200, 200};

	(void) state;
	normal_best_of(mean, deviation, 3, best, work, NULL);
	assert_same(best[0], 1);
	assert_same(best[1], 0);
	assert_same(best[2], 0);
	normal_best_of(tie, deviation, 3, best, work, NULL);
	assert_near(best[0], 0.5, 1e-15);
	assert_same(best[1], 0);
	assert_near(best[2], 0.5, 1e-15);
}

/* The same bits from an array of structures; and far beyond the stack, sane results. */
static void
test_normal_best_of_strided(void **state)
{
	static struct
	{
		int64_t		other;
		double		best;
		double		mean;
		double		deviation;
		double		work[2];
	}			variable[20000];
	Random		random = {27};
	double		mean[300];
	double		deviation[300];
	double		best[300];
	double		total = 0;
	int			stride = sizeof(variable[0]) / sizeof(double);
	int			n,
				i;

	(void) state;
	for (n = 2; n <= 300; n = 2 * n + 1)
	{
		for (i = 0; i < n; i++)
		{
			mean[i] = variable[i].mean = random_between(&random, -3, 3);
			deviation[i] = variable[i].deviation = random_between(&random, 0.5, 3);
			variable[i].other = -i;
		}
		normal_best_of(mean, deviation, n, best, work, NULL);
		normal_best_of_strided(&variable->mean, &variable->deviation, n, stride,
							   &variable->best, variable->work, NULL);
		for (i = 0; i < n; i++)
		{
			assert_same(variable[i].best, best[i]);
			assert_true(variable[i].other == -i);
		}
	}

	/* Equals, of whom one has an edge of half a deviation. */
	for (i = 0; i < LENGTH(variable); i++)
	{
		variable[i].mean = 7;
		variable[i].deviation = 1;
	}
	variable[100].mean = 7.5;
	normal_best_of_strided(&variable->mean, &variable->deviation, LENGTH(variable), stride,
						   &variable->best, variable->work, NULL);
	for (i = 0; i < LENGTH(variable); i++)
		total += variable[i].best;
	assert_near(total, 1, 1e-11);
	assert_near(variable[0].best, (1 - variable[100].best) / (LENGTH(variable) - 1), 1e-13);
	assert_true(variable[100].best > 5 * variable[0].best);

	/* One that is all but certain, and what is no variable. */
	variable[0].deviation = 1e-9;
	normal_best_of_strided(&variable->mean, &variable->deviation, 3, stride,
						   &variable->best, variable->work, NULL);
	assert_near(variable[1].best, variable[2].best, 1e-12);
	assert_near(variable[0].best, 0.25, 1e-3);
	variable[0].deviation = 0;
	normal_best_of_strided(&variable->mean, &variable->deviation, 3, stride,
						   &variable->best, variable->work, NULL);
	assert_true(isnan(variable[1].best));
}

/* Deviations that differ so much that a common grid would not do. */
static void
test_normal_best_of_unlike(void **state)
{
	static const double ratio[] = {9, 100, 1e4, 1e8};
	double		lead;
	int			i;

	(void) state;
	for (i = 0; i < 4; i++)
		for (lead = -3; lead <= 3; lead += 0.43)
		{
			double		c = hypot(ratio[i], 1);
			double		mean[2] = {c * lead, 0};
			double		deviation[2] = {ratio[i], 1};
			double		best[2];
			double		three[3] = {0, 0, -20 * ratio[i]};
			double		deviations[3] = {ratio[i], 1, 1};
			double		best_of_three[3];

			normal_best_of(mean, deviation, 2, best, work, NULL);
			assert_near(best[0], normal_cdf(lead), 1e-8);
			assert_near(best[1], normal_cdf(-lead), 1e-8);
			normal_best_of(three, deviations, 3, best_of_three, work, NULL);
			assert_near(best_of_three[0], 0.5, 1e-8);
			assert_near(best_of_three[2], 0, 1e-8);
		}
}

/* What has no probability says so. */
static void
test_normal_best_of_unsound(void **state)
{
	static const double bad[] = {0, -1, NAN, INFINITY, 1.7e308, 5e-324};
	double		mean[2] = {0, 0};
	double		best[2];
	int			i;

	(void) state;
	for (i = 0; i < 6; i++)
	{
		double		deviation[2] = {i < 4 ? 1 : bad[i], bad[i]};

		normal_best_of(mean, deviation, 2, best, work, NULL);
		assert_true(isnan(best[0]) && isnan(best[1]));
	}
}

static void
test_normal_quantile(void **state)
{
	double		x;

	(void) state;
	assert_same(normal_quantile(0.5), 0);
	assert_near(normal_quantile(0.975), 1.959963984540054, 1e-14);
	assert_near(normal_quantile(0.55), 0.12566134685507402, 1e-15);
	assert_near(normal_quantile(1e-300), -37.0471, 1e-4);
	assert_true(normal_quantile(0) == -INFINITY);
	assert_true(normal_quantile(1) == INFINITY);
	for (x = -37; x <= 6; x += 0.1)
		assert_near(normal_quantile(normal_cdf(x)), x,
					x < 0 ? 1e-13 * (1 - x) : 1e-15 / normal_density(x) + 1e-13);
}

/*
 * The chance of every place against all orders of three, each an integral of
 * its own: i is at x, and each of the others above or not.
 */
static void
test_normal_places(void **state)
{
	Random		random = {17};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		double		mean[3];
		double		deviation[3];
		double		margin[3];
		double		place[3];
		double		expected[3] = {0, 0, 0};
		double		expected_win = 0;
		double		win;
		double		x;
		int			j;

		for (j = 0; j < 3; j++)
		{
			mean[j] = random_between(&random, -2, 2);
			deviation[j] = random_between(&random, 0.3, 3);
			margin[j] = round % 2 ? random_between(&random, 0, 1) : 0;
		}
		i = round % 3;
		win = normal_places(mean, deviation, margin, 3, i, place, work, NULL);

		for (x = -9; x <= 9; x += 1.0 / 128)
		{
			int			a = (i + 1) % 3;
			int			b = (i + 2) % 3;
			double		at = mean[i] + x * deviation[i];
			double		above_a = normal_cdf((mean[a] - at - margin[a]) / deviation[a]);
			double		above_b = normal_cdf((mean[b] - at - margin[b]) / deviation[b]);
			double		density = normal_density(x) / 128;

			expected[0] += density * (1 - above_a) * (1 - above_b);
			expected[1] += density * (above_a * (1 - above_b) +
									  above_b * (1 - above_a));
			expected[2] += density * above_a * above_b;
			expected_win += density *
				normal_cdf((at - mean[a] - margin[a]) / deviation[a]) *
				normal_cdf((at - mean[b] - margin[b]) / deviation[b]);
		}
		for (j = 0; j < 3; j++)
			assert_near(place[j], expected[j], 1e-8);
		assert_near(win, expected_win, 1e-8);
		assert_near(place[0] + place[1] + place[2], 1, 1e-9);
		if (round % 2 == 0)
			assert_near(win, place[0], 1e-9);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normal_cdf_values),
		cmocka_unit_test(test_normal_log_cdf_tail_values),
		cmocka_unit_test(test_normal_log_cdf_is_continuous),
		cmocka_unit_test(test_normal_reflection_and_tails),
		cmocka_unit_test(test_normal_best_of_two_is_the_cdf),
		cmocka_unit_test(test_normal_best_of_equals_shares_alike),
		cmocka_unit_test(test_normal_best_of_against_simpson),
		cmocka_unit_test(test_normal_best_of_many),
		cmocka_unit_test(test_normal_best_of_far_apart),
		cmocka_unit_test(test_normal_best_of_strided),
		cmocka_unit_test(test_normal_best_of_unlike),
		cmocka_unit_test(test_normal_best_of_unsound),
		cmocka_unit_test(test_normal_quantile),
		cmocka_unit_test(test_normal_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
