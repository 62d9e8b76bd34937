/*
 * test_math.c
 *		Logistic and truncated normal functions, exact sums, integrals and scores.
 *
 * Reference values were computed with mpmath at 60 digits.
 */
#include <float.h>

#include "test.h"

#include "core/math/logistic.h"
#include "core/math/normal.h"
#include "core/math/quadrature.h"
#include "core/math/score.h"
#include "core/math/sum.h"
#include "core/math/truncated.h"

typedef struct Reference
{
	double		x;
	double		y;
} Reference;

static void
test_logistic_values(void **state)
{
	static const Reference reference[] = {
		{-700, 9.8596765437597709e-305},
		{-36, 2.3195228302435689e-16},
		{-5, 0.0066928509242848556},
		{-1, 0.26894142136999512},
		{-1e-8, 0.4999999975},
		{0, 0.5},
		{0.5, 0.62245933120185456},
		{3, 0.95257412682243322},
		{36, 0.99999999999999977},
	};
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(reference); i++)
		assert_relative(logistic(reference[i].x), reference[i].y, 4e-16);
}

static void
test_logistic_reflection(void **state)
{
	Random		random = {1};
	int			i;

	(void) state;
	for (i = 0; i < 100000; i++)
	{
		double		x = random_between(&random, -1, 1) *
			random_magnitude(&random, 3);

		assert_near(logistic(x) + logistic(-x), 1, DBL_EPSILON);
	}
}

static void
test_logistic_tails(void **state)
{
	(void) state;
	assert_same(logistic(1e308), 1);
	assert_same(logistic(INFINITY), 1);
	assert_same(logistic(-1e308), 0);
	assert_same(logistic(-INFINITY), 0);
	/* Where e^x is still a number, so is the probability. */
	assert_true(logistic(-745) > 0);
}

static void
test_logistic_is_monotone(void **state)
{
	double		x[1000];
	int			n = ascending_arguments(x);
	double		y;
	int			i;

	(void) state;
	for (i = 1; i < n; i++)
		assert_true(logistic(x[i - 1]) <= logistic(x[i]));
	for (y = -40; y < 25; y += 0.001)
		assert_true(logistic(y) < logistic(y + 0.001));
}

static void
test_softplus_values(void **state)
{
	static const Reference reference[] = {
		{-700, 9.8596765437597709e-305},
		{-40, 4.248354255291589e-18},
		{-5, 0.0067153484891180686},
		{-1, 0.31326168751822283},
		{0, 0.69314718055994531},
		{1e-9, 0.69314718105994531},
		{0.5, 0.97407698418010668},
		{3, 3.0485873515737421},
		{40, 40},
		{800, 800},
	};
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(reference); i++)
		assert_relative(softplus(reference[i].x), reference[i].y, 4e-16);
}

/* ln(1 + e^x) - ln(1 + e^-x) = x. */
static void
test_softplus_reflection(void **state)
{
	Random		random = {2};
	int			i;

	(void) state;
	for (i = 0; i < 100000; i++)
	{
		double		x = random_between(&random, -1, 1) *
			random_magnitude(&random, 3);

		assert_near(softplus(x) - softplus(-x), x,
					2 * DBL_EPSILON * (1 + fabs(x)));
	}
}

static void
test_softplus_tails(void **state)
{
	(void) state;
	assert_same(softplus(1e308), 1e308);
	assert_same(softplus(INFINITY), INFINITY);
	assert_same(softplus(-1e308), 0);
	assert_same(softplus(-INFINITY), 0);
}

static void
test_softplus_is_monotone(void **state)
{
	double		x[1000];
	int			n = ascending_arguments(x);
	int			i;

	(void) state;
	for (i = 1; i < n; i++)
		assert_true(softplus(x[i - 1]) <= softplus(x[i]));
}

/* What both are for: softplus is minus the logarithm of the other's chance. */
static void
test_softplus_is_the_log_likelihood(void **state)
{
	double		x;

	(void) state;
	for (x = -30; x <= 30; x += 0.125)
	{
		assert_near(softplus(-x), -log(logistic(x)),
					1e-15 * (1 + fabs(x)));
		assert_near((softplus(x + 1e-4) - softplus(x - 1e-4)) / 2e-4,
					logistic(x), 1e-9);
	}
}

static void
test_shrunk_log_odds_values(void **state)
{
	(void) state;
	/* Jeffreys' prior, 3 of 3: ln(3.5 / 0.5). */
	assert_near(shrunk_log_odds(3, 3, 0.5, 1), 1.9459101490553133051, 1e-15);
	/* 20 games at 0.55 before, 3 of 3: ln(14 / 9). */
	assert_near(shrunk_log_odds(3, 3, 0.55, 20), 0.44183275227903923173, 1e-15);
	/* No games leave the prior rate, whatever its weight. */
	assert_near(shrunk_log_odds(0, 0, 0.75, 7), log(3), 1e-15);
	/* No prior leaves the rate itself. */
	assert_near(shrunk_log_odds(3, 4, 0.5, 0), log(3), 1e-15);
}

static void
test_shrunk_log_odds_is_finite(void **state)
{
	double		games;

	(void) state;
	for (games = 0; games <= 1e15; games = 10 * games + 1)
	{
		assert_true(isfinite(shrunk_log_odds(0, games, 0.5, 1)));
		assert_true(isfinite(shrunk_log_odds(games, games, 0.5, 1)));
		assert_true(isfinite(shrunk_log_odds(0, games, 0.001, 0.001)));
		assert_near(shrunk_log_odds(0, games, 0.5, 1) +
					shrunk_log_odds(games, games, 0.5, 1), 0, 0);
	}
}

/*
 * Ten million times 0x1.999999999999ap-4 is 1000000.00000000005551...; the
 * nearest double is one million, half a unit in the last place being 5.8e-11.
 */
static void
test_sum_of_tenths(void **state)
{
	Sum			sum = {0, 0};
	int			i;

	(void) state;
	for (i = 0; i < 10000000; i++)
		sum_add(&sum, 0.1);
	assert_same(sum_value(&sum), 1000000);
}

/*
 * Terms of up to 2^61 that are whole multiples of 2^-20 and cancel almost
 * entirely, so that their sum is known exactly from integers.  Returns it.
 */
static double
ill_conditioned_terms(Random *random, double *x, int n)
{
	int64_t		total = 0;
	int			i;

	for (i = 0; i + 2 < n; i += 3)
	{
		int64_t		digits = (int64_t) (random_bits(random) >> 11);
		int			shift = random_below(random, 29);
		int64_t		rest = (int64_t) (random_bits(random) >> 40);

		x[i] = ldexp((double) digits, shift - 20);
		x[i + 1] = -ldexp((double) (digits + 1), shift - 20);
		x[i + 2] = ldexp((double) rest, -20);
		total += rest - ((int64_t) 1 << shift);
	}
	for (; i < n; i++)
		x[i] = 0;
	return ldexp((double) total, -20);
}

static void
shuffle(Random *random, double *x, int n)
{
	int			i;

	for (i = n - 1; i > 0; i--)
	{
		int			j = random_below(random, i + 1);
		double		swap = x[i];

		x[i] = x[j];
		x[j] = swap;
	}
}

static void
test_sum_is_exact_in_any_order(void **state)
{
	Random		random = {4};
	double		x[1000];
	int			plain_sums_off = 0;
	int			round,
				order,
				i;

	(void) state;
	for (round = 0; round < 100; round++)
	{
		double		expected = ill_conditioned_terms(&random, x, LENGTH(x));

		for (order = 0; order < 10; order++)
		{
			Sum			sum = {0, 0};
			double		plain = 0;

			shuffle(&random, x, LENGTH(x));
			for (i = 0; i < LENGTH(x); i++)
			{
				sum_add(&sum, x[i]);
				plain += x[i];
			}
			assert_same(sum_value(&sum), expected);
			plain_sums_off += (plain != expected);
		}
	}
	/* Or the terms would show nothing. */
	assert_true(plain_sums_off > 900);
}

/* Parts of any size, added up in any order, as parallel workers do. */
static void
test_sum_merges_to_the_same(void **state)
{
	Random		random = {5};
	double		x[1000];
	int			round,
				i;

	(void) state;
	for (round = 0; round < 1000; round++)
	{
		double		expected = ill_conditioned_terms(&random, x, LENGTH(x));
		Sum			part[5] = {{0, 0}};
		int			first = random_below(&random, LENGTH(part));

		for (i = 0; i < LENGTH(x); i++)
			sum_add(&part[random_below(&random, LENGTH(part))], x[i]);
		for (i = 0; i < LENGTH(part); i++)
			if (i != first)
				sum_merge(&part[first], &part[i]);
		assert_same(sum_value(&part[first]), expected);
	}
}

static void
test_sum_of_infinities(void **state)
{
	Sum			sum = {0, 0};
	Sum			other = {0, 0};

	(void) state;
	assert_same(sum_value(&sum), 0);
	sum_add(&sum, 1);
	sum_add(&sum, INFINITY);
	sum_add(&sum, 1);
	assert_true(sum_value(&sum) == INFINITY);
	sum_add(&other, -1);
	sum_merge(&other, &sum);
	assert_true(sum_value(&other) == INFINITY);
	sum_add(&sum, -INFINITY);
	assert_true(isnan(sum_value(&sum)));
}

static void
test_scores(void **state)
{
	(void) state;
	assert_near(brier_score(0.7, 1), 0.09, 1e-16);
	assert_near(brier_score(0.7, 0), 0.49, 1e-16);
	assert_same(brier_score(0.5, 0.5), 0);
	assert_near(log_loss(0.8, 1), -log(0.8), 1e-16);
	assert_near(log_loss(0.8, 0), -log(0.2), 1e-15);
	assert_near(log_loss(0.25, 0.5), -0.5 * log(0.1875), 1e-15);
	/* A sure forecast that was right costs nothing, not 0 * infinity. */
	assert_same(log_loss(1, 1), 0);
	assert_same(log_loss(0, 0), 0);
	assert_true(log_loss(0, 1) == INFINITY);
	assert_true(log_loss(1, 0) == INFINITY);
	assert_true(log_loss(1, 0.5) == INFINITY);
	/* The smallest doubt is not lost. */
	assert_relative(log_loss(1e-300, 0), 1e-300, 1e-15);
}

/* That a score is proper: no forecast beats the probability itself. */
static void
test_scores_are_proper(void **state)
{
	double		truth,
				forecast;

	(void) state;
	for (truth = 0.05; truth < 1; truth += 0.05)
		for (forecast = 0.01; forecast < 1; forecast += 0.01)
		{
			assert_true(truth * brier_score(truth, 1) +
						(1 - truth) * brier_score(truth, 0) <=
						truth * brier_score(forecast, 1) +
						(1 - truth) * brier_score(forecast, 0) + 1e-15);
			assert_true(log_loss(truth, truth) <=
						log_loss(forecast, truth) + 1e-15);
		}
}

static void
two_functions(void *argument, double x, double *value)
{
	double		step = *(double *) argument;

	value[0] = exp(-x);
	value[1] = x > step;
}

static void
test_integrate(void **state)
{
	double		step;

	(void) state;
	for (step = 0.01; step < 2.9; step += 0.173)
	{
		double		end[5] = {0, step - 0.01, step + 0.01, 2.99, 3.5};
		double		result[2];
		double		work[3 * 2];

		integrate(two_functions, &step, 2, end, 5, 1e-10, result, work);
		assert_near(result[0], 1 - exp(-3.5), 1e-13);
		assert_near(result[1], 3.5 - step, 1e-9);
	}
}

static void
test_gauss_legendre(void **state)
{
	int			power;

	(void) state;
	for (power = 0; power < 64; power += 2)
	{
		double		sum = 0;
		int			i;

		for (i = 0; i < GAUSS_LEGENDRE_HALF; i++)
			sum += 2 * gauss_legendre[i].weight *
				pow(gauss_legendre[i].x, power);
		assert_near(sum, 2.0 / (power + 1), 1e-15);
	}
}

/* Against the definitions in the extended range and precision. */
static void
test_truncated_win(void **state)
{
	double		x;

	(void) state;
	for (x = -30; x <= 37; x += 0.0625)
	{
		Truncation	result = truncated_win(x);
		long double density = expl(-0.5L * x * x) / sqrtl(8 * atanl(1));
		long double v = density / (0.5L * erfcl(-x / sqrtl(2)));
		long double rest = 1 - v * (v + x);

		assert_relative(result.v, (double) v, 1e-12);
		assert_relative(result.w, (double) (v * (v + x)), 1e-11);
		assert_relative(result.rest, (double) rest, 1e-9);
	}
}

/* Far out both are asymptotic series in 1 / x^2. */
static void
test_truncated_win_far_out(void **state)
{
	double		x;

	(void) state;
	for (x = -100; x > -1e14; x *= 1.7)
	{
		Truncation	result = truncated_win(x);

		double		y = 1 / (x * x);

		assert_relative(result.v, -x * (1 + y * (1 - y * (2 - y * 10))), 1e-13);
		assert_relative(result.rest,
						y * (1 - y * (6 - y * (50 - y * 518))), 1e-11);
	}
	for (x = -1e308; x <= 1e308; x = x < -1 ? x / 1e4 : x < 0 ? 1 : x * 1e4)
	{
		Truncation	result = truncated_win(x);

		assert_true(result.v >= 0 && isfinite(result.v));
		assert_true(result.w >= 0 && result.w <= 1);
		assert_true(result.rest > 0 && result.rest <= 1);
	}
}

/*
 * Mean and variance on [-e, e] by Simpson's rule in extended precision, on so
 * much of the interval as counts, with the density relative to its largest.
 */
static Truncation
simpson_draw(double t, double e)
{
	const int	intervals = 20000;
	long double peak = fminl(fmaxl(t, -e), e);
	long double width = fminl(2 * e, 60 / (fabsl(t - peak) + 2));
	long double low = fmaxl(-e, peak - width);
	long double high = fminl(e, peak + width);
	long double moment[3] = {0, 0, 0};
	Truncation	result;
	int			pass,
				k;

	for (pass = 0; pass < 2; pass++)
		for (k = 0; k <= intervals; k++)
		{
			long double x = low + (high - low) * k / intervals;
			long double density = expl(-0.5L * (x - t) * (x - t) +
									   0.5L * (peak - t) * (peak - t)) *
				(k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2);

			if (pass == 0)
			{
				moment[0] += density;
				moment[1] += density * x;
			}
			else
				moment[2] += density * (x - moment[1] / moment[0]) *
					(x - moment[1] / moment[0]);
		}
	result.v = moment[1] / moment[0] - t;
	result.rest = moment[2] / moment[0];
	result.w = 1 - result.rest;
	return result;
}

static void
test_truncated_draw(void **state)
{
	static const double margins[] = {1e-9, 1e-4, 0.02, 0.5, 1, 3, 5.9, 6.1, 9, 40};
	int			i;
	double		t;

	(void) state;
	for (i = 0; i < 10; i++)
		for (t = -120; t <= 120; t += 1.7)
		{
			Truncation	result = truncated_draw(t, margins[i]);
			Truncation	expected = simpson_draw(t, margins[i]);

			assert_near(result.v, expected.v, 1e-11 * (1 + fabs(t)));
			assert_near(result.w, expected.w, 1e-11);
			assert_relative(result.rest, expected.rest, 1e-7);
			assert_same(truncated_draw(-t, margins[i]).v, -result.v);
			assert_same(truncated_draw(-t, margins[i]).w, result.w);
		}
}

static void
test_truncated_draw_any_number(void **state)
{
	Random		random = {23};
	int			round;

	(void) state;
	for (round = 0; round < 100000; round++)
	{
		double		t = random_magnitude(&random, 150) *
			(random_below(&random, 2) ? 1 : -1);
		double		e = random_below(&random, 10) == 0 ? 0 :
			random_magnitude(&random, 150);
		Truncation	result = truncated_draw(t, e);

		assert_true(isfinite(result.v));
		assert_true(result.w >= 0 && result.w <= 1);
		assert_true(result.rest > 0 && result.rest <= 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logistic_values),
		cmocka_unit_test(test_logistic_reflection),
		cmocka_unit_test(test_logistic_tails),
		cmocka_unit_test(test_logistic_is_monotone),
		cmocka_unit_test(test_softplus_values),
		cmocka_unit_test(test_softplus_reflection),
		cmocka_unit_test(test_softplus_tails),
		cmocka_unit_test(test_softplus_is_monotone),
		cmocka_unit_test(test_softplus_is_the_log_likelihood),
		cmocka_unit_test(test_shrunk_log_odds_values),
		cmocka_unit_test(test_shrunk_log_odds_is_finite),
		cmocka_unit_test(test_integrate),
		cmocka_unit_test(test_gauss_legendre),
		cmocka_unit_test(test_truncated_win),
		cmocka_unit_test(test_truncated_win_far_out),
		cmocka_unit_test(test_truncated_draw),
		cmocka_unit_test(test_truncated_draw_any_number),
		cmocka_unit_test(test_sum_of_tenths),
		cmocka_unit_test(test_sum_is_exact_in_any_order),
		cmocka_unit_test(test_sum_merges_to_the_same),
		cmocka_unit_test(test_sum_of_infinities),
		cmocka_unit_test(test_scores),
		cmocka_unit_test(test_scores_are_proper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
