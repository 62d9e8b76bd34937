/*
 * test_elementary.c
 *		Exponentials, logarithms, powers and the error function: how far from
 *		the truth they are, and that their bits never change.
 */
#include "csv.h"

#include <float.h>

#include "core/math/elementary.h"
#include "core/util/extremes.h"

typedef double (*Function) (double x);

/* What elementary.h promises, in units of the last place. */
static const struct
{
	const char *name;
	Function	function;
	double		error;
}			functions[] = {
	{"exp", portable_exp, 0.51},
	{"exp2", portable_exp2, 0.51},
	{"expm1", portable_expm1, 0.65},
	{"log", portable_log, 0.51},
	{"log1p", portable_log1p, 0.51},
	{"erfc", portable_erfc, 1.6},
};

#define NFUNCTIONS (int) (sizeof(functions) / sizeof(functions[0]))
#define POW_ERROR 0.52

static uint64_t
bits_of(double x)
{
	uint64_t	bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* A unit in the last place of x. */
static double
unit_of(double x)
{
	int			exponent;

	frexp(x, &exponent);
	return ldexp(1, exponent - 53 < -1074 ? -1074 : exponent - 53);
}

static double
error_allowed(double error, double result)
{
	return fabs(result) < DBL_MIN ? error + 0.25 : error;
}

/*
 * ---- Accuracy ----
 */

/*
 * Values computed to 200 bits by elementary.py: each the nearest double and how
 * many units the truth is above it.
 */
static void
test_golden_values(void **state)
{
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *file = csv_open("elementary.csv", line, sizeof(line));
	int			count = 0;

	(void) state;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		double		x,
					expected,
					result = NAN,
					error = POW_ERROR,
					off;
		int			i;

		assert_int_equal(csv_split(line, field), 5);
		x = csv_number(field[1]);
		expected = csv_number(field[3]);
		if (strcmp(field[0], "pow") == 0)
			result = portable_pow(x, csv_number(field[2]));
		for (i = 0; i < NFUNCTIONS; i++)
			if (strcmp(field[0], functions[i].name) == 0)
			{
				result = functions[i].function(x);
				error = functions[i].error;
			}
		off = (result - expected) / unit_of(expected) - csv_number(field[4]);
		if (!(fabs(off) <= error_allowed(error, expected)))
			fail_msg("%s(%a, %s) = %a is off by %.4f units", field[0], x, field[2], result, off);
		count++;
	}
	fclose(file);
	assert_true(count > 1500);
}

/*
 * Where the C library has a wider type, many more; its own errors are about a
 * thousandth of a unit of ours.
 */
#if LDBL_MANT_DIG >= 64
#define WIDE_ERROR 0.002

static void
check_wide(const char *name, double x, double y, double result, long double exact, double error)
{
	double		off = (double) ((result - exact) / unit_of((double) exact));

	if (!(fabs(off) <= error_allowed(error, (double) exact) + WIDE_ERROR))
		fail_msg("%s(%a, %a) = %a is off by %.4f units", name, x, y, result, off);
}

static void
test_against_a_wider_type(void **state)
{
	static long double (*const wide[]) (long double) = {
		expl, exp2l, expm1l, logl, log1pl, erfcl
	};
	static const struct
	{
		int			function;
		double		low,
					high;
	}			ranges[] = {
		{0, -745, 709.7}, {0, -1, 1}, {1, -1074, 1023.9}, {1, -1, 1}, {2, -1, 1},
		{2, -40, 60}, {3, 0.98, 1.02}, {3, 0.5, 2}, {3, 1e-300, 1e300}, {4, -0.05, 0.05},
		{4, -0.999, 2}, {4, 1, 1e18}, {5, -6, 1}, {5, 0.4, 4}, {5, 4, 26.5}
	};
	Random		random = {1};
	int			i,
				round;

	(void) state;
	for (i = 0; i < (int) (sizeof(ranges) / sizeof(ranges[0])); i++)
		for (round = 0; round < 20000; round++)
		{
			int			f = ranges[i].function;
			double		x = random_between(&random, ranges[i].low, ranges[i].high);

			/* Sizes rather than numbers. */
			if (round % 4 == 0)
				x = ldexp(x, -random_below(&random, 50));
			check_wide(functions[f].name, x, 0, functions[f].function(x), wide[f] (x), functions[f].error);
		}
	for (round = 0; round < 200000; round++)
	{
		double		x = round % 2 ? random_between(&random, 0.2, 5) :
			ldexp(random_between(&random, 1, 2), random_below(&random, 80) - 40);
		double		y = round % 3 ? random_between(&random, -5, 5) :
			random_between(&random, -1070, 1020) / log2(x);

		if (x != 1)
			check_wide("pow", x, y, portable_pow(x, y), powl(x, y), POW_ERROR);
	}
}
#else
static void
test_against_a_wider_type(void **state)
{
	(void) state;
	print_message("no type is wider than double here\n");
}
#endif

/*
 * The functions of one variable rise (erfc falls) also where an interval or a
 * method ends: 1000 doubles around each such place.
 */
static void
check_monotone(int f, double around, int direction)
{
	uint64_t	bits = bits_of(fabs(around)) - 500;
	double		before = NAN;
	int			i;

	for (i = 0; i < 1000; i++)
	{
		uint64_t	at = bits + (uint64_t) i;
		double		x,
					value;

		memcpy(&x, &at, sizeof(x));
		value = functions[f].function(copysign(x, around));
		if (i > 0 && (value - before) * direction * (around < 0 ? -1 : 1) < 0)
			fail_msg("%s is not monotone at %a", functions[f].name, x);
		before = value;
	}
}

static void
test_monotone_at_breakpoints(void **state)
{
	int			i;

	(void) state;
	for (i = -1000; i <= 1000; i++)
	{
		check_monotone(0, (i + 0.5) * (M_LN2 / 128), 1);
		check_monotone(1, (i + 0.5) / 128, 1);
		check_monotone(2, (i + 0.5) * (M_LN2 / 128), 1);
		check_monotone(3, 1 + i / 1024.0, 1);
		check_monotone(3, 2048 + i, 1);
		check_monotone(4, i == 0 ? 1 : i > -1000 ? i / 1000.0 : -0.9995, 1);
		check_monotone(5, i == 0 ? 0.5 : i / 64.0, -1);
	}
	check_monotone(2, 0.25, 1);
	check_monotone(2, -0.25, 1);
	check_monotone(4, 1.0 / 256, 1);
	check_monotone(4, -1.0 / 256, 1);
}

/*
 * ---- Special cases ----
 */

static void
test_special_cases(void **state)
{
	(void) state;
	assert_same(portable_exp(0.0), 1);
	assert_same(portable_exp(-0.0), 1);
	assert_same(portable_exp(INFINITY), INFINITY);
	assert_same(portable_exp(-INFINITY), 0);
	assert_same(portable_exp(709.782712893384), 1.7976931348622732e308);
	assert_same(portable_exp(709.7827128933841), INFINITY);
	assert_same(portable_exp(-745.1332191019411), DBL_TRUE_MIN);
	assert_same(portable_exp(-745.1332191019412), 0);
	assert_same(portable_exp(1e300), INFINITY);
	assert_same(portable_exp(-1e300), 0);

	assert_same(portable_exp2(-0.0), 1);
	assert_same(portable_exp2(1024), INFINITY);
	assert_same(portable_exp2(-1075), 0);
	assert_same(portable_exp2(INFINITY), INFINITY);
	assert_same(portable_exp2(-INFINITY), 0);

	assert_same(portable_expm1(0.0), 0.0);
	assert_same(portable_expm1(-0.0), -0.0);
	assert_same(portable_expm1(-DBL_TRUE_MIN), -DBL_TRUE_MIN);
	assert_same(portable_expm1(INFINITY), INFINITY);
	assert_same(portable_expm1(-INFINITY), -1);
	assert_same(portable_expm1(710), INFINITY);

	assert_same(portable_log(1), 0.0);
	assert_same(portable_log(0.0), -INFINITY);
	assert_same(portable_log(-0.0), -INFINITY);
	assert_same(portable_log(-1), NAN);
	assert_same(portable_log(-INFINITY), NAN);
	assert_same(portable_log(INFINITY), INFINITY);

	assert_same(portable_log1p(0.0), 0.0);
	assert_same(portable_log1p(-0.0), -0.0);
	assert_same(portable_log1p(-DBL_TRUE_MIN), -DBL_TRUE_MIN);
	assert_same(portable_log1p(-1), -INFINITY);
	assert_same(portable_log1p(-1.5), NAN);
	assert_same(portable_log1p(-INFINITY), NAN);
	assert_same(portable_log1p(INFINITY), INFINITY);

	assert_same(portable_erfc(0.0), 1);
	assert_same(portable_erfc(-0.0), 1);
	assert_same(portable_erfc(INFINITY), 0);
	assert_same(portable_erfc(-INFINITY), 2);
	assert_same(portable_erfc(28), 0);
}

/* All that C99 says of pow(): NaN but for 1 and 0, and what zeros and infinities do. */
static void
test_special_powers(void **state)
{
	static const double values[] = {-INFINITY, -1e300, -3, -2, -1.5, -1, -0.5, -1e-300, -0.0,
	0.0, 1e-300, 0.5, 1, 1.5, 2, 3, 1e300, INFINITY, NAN};
	const int	n = sizeof(values) / sizeof(values[0]);
	int			i,
				j;

	(void) state;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
		{
			double		x = values[i];
			double		y = values[j];
			double		result = portable_pow(x, y);
			double		expected = pow(x, y);

			/* The sign of a NaN depends on the processor; ours is positive. */
			if (isnan(expected))
				assert_same(result, NAN);
			else if (isinf(expected) || expected == 0 || expected == 1)
				assert_same(result, expected);
			else
				assert_relative(result, expected, DBL_EPSILON);
		}
	assert_same(portable_pow(-0.0, -9007199254740991.0), -INFINITY);
	assert_same(portable_pow(-0.0, -9007199254740992.0), INFINITY);
	assert_same(portable_pow(-8, 1.0 / 3), NAN);
	assert_same(portable_pow(0.5, 1075), 0);
	assert_same(portable_pow(0.5, 1074), DBL_TRUE_MIN);
}

/* One NaN for all, whatever the sign and the payload of the argument. */
static void
test_not_a_number(void **state)
{
	static const uint64_t bits[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
	UINT64_C(0x7ff0000000000001), UINT64_C(0xffffffffffffffff)};
	int			i,
				f;

	(void) state;
	for (i = 0; i < 4; i++)
	{
		double		x;

		memcpy(&x, &bits[i], sizeof(x));
		for (f = 0; f < NFUNCTIONS; f++)
			assert_true(bits_of(functions[f].function(x)) == UINT64_C(0x7ff8000000000000));
		assert_true(bits_of(portable_pow(x, 2)) == UINT64_C(0x7ff8000000000000));
		assert_true(bits_of(portable_pow(2, x)) == UINT64_C(0x7ff8000000000000));
		assert_same(portable_pow(x, 0), 1);
		assert_same(portable_pow(1, x), 1);
	}
}

/*
 * ---- The same bits everywhere ----
 */

static uint64_t
checksum(uint64_t sum, double value)
{
	sum = (sum ^ bits_of(value)) * UINT64_C(0x9E3779B97F4A7C15);
	return sum ^ (sum >> 29);
}

/* Any sign and size that the function can take, made without the C library's own. */
static double
random_argument(Random *random, int round, double low, double high)
{
	uint64_t	bits = random_bits(random);
	double		x;

	if (round % 2 == 0)
		return random_between(random, low, high);
	memcpy(&x, &bits, sizeof(x));
	return isnan(x) ? 0 : x;
}

/* Which of two zeros comes out is not left to the processor. */
static void
test_extremes(void **state)
{
	(void) state;
	assert_same(larger(1, 2), 2);
	assert_same(larger(2, 1), 2);
	assert_same(smaller(1, 2), 1);
	assert_same(smaller(2, 1), 1);
	assert_same(larger(0.0, -0.0), -0.0);
	assert_same(larger(-0.0, 0.0), 0.0);
	assert_same(smaller(0.0, -0.0), -0.0);
	assert_same(smaller(-0.0, 0.0), 0.0);
	assert_same(larger(NAN, -INFINITY), -INFINITY);
	assert_same(larger(-INFINITY, NAN), -INFINITY);
	assert_same(smaller(NAN, INFINITY), INFINITY);
	assert_same(smaller(INFINITY, NAN), INFINITY);
	assert_true(isnan(larger(NAN, NAN)) && isnan(smaller(NAN, NAN)));
}

/*
 * Results are part of ladders, so that a changed checksum is no reason to change
 * the constants here, but a fault: of a compiler, of its options, or of a change
 * of elementary.c that must not be.
 */
static void
test_bits_never_change(void **state)
{
	static const uint64_t expected[NFUNCTIONS] = {
		UINT64_C(0x7b811491d7b1f412), UINT64_C(0x2850193e1e6e6ae1), UINT64_C(0xcffa1815572cd6b2),
		UINT64_C(0x6a92dbb5ac17dfff), UINT64_C(0x953308b33ec21d46), UINT64_C(0x281b3fbf23d7eacc)
	};
	static const double low[NFUNCTIONS] = {-750, -1080, -40, 0, -1, -6};
	static const double high[NFUNCTIONS] = {710, 1025, 60, 4, 10, 28};
	Random		random = {6};
	uint64_t	sum = 0;
	int			f,
				round;

	(void) state;
	for (f = 0; f < NFUNCTIONS; f++)
	{
		for (sum = 0, round = 0; round < 200000; round++)
			sum = checksum(sum, functions[f].function(random_argument(&random, round, low[f], high[f])));
		if (sum != expected[f])
			fail_msg("checksum of %s is 0x%016llx", functions[f].name, (unsigned long long) sum);
	}
	for (sum = 0, round = 0; round < 200000; round++)
	{
		double		x = random_argument(&random, round, 0, 4);

		sum = checksum(sum, portable_pow(x, random_between(&random, -20, 20)));
		sum = checksum(sum, portable_pow(x, random_below(&random, 41) - 20));
	}
	if (sum != UINT64_C(0xb57364eaad7e9e06))
		fail_msg("checksum of pow is 0x%016llx", (unsigned long long) sum);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_values),
		cmocka_unit_test(test_against_a_wider_type),
		cmocka_unit_test(test_monotone_at_breakpoints),
		cmocka_unit_test(test_special_cases),
		cmocka_unit_test(test_special_powers),
		cmocka_unit_test(test_not_a_number),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_bits_never_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
