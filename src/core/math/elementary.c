/*
 * elementary.c
 *		Exponential, logarithm, power and error function, alike everywhere.
 *
 * The exponential and the logarithm follow P. T. P. Tang, "Table-driven
 * implementation of the exponential function in IEEE floating-point arithmetic"
 * and "... of the logarithm function ...", ACM Transactions on Mathematical
 * Software 15 and 16 (1989 and 1990): an argument is reduced to a point of a
 * table, and a short polynomial does the rest.  What is rounded while reducing is
 * kept as a second number, so that little more than the last addition rounds.
 * Exact sums and products are those of T. J. Dekker, "A floating-point technique
 * for extending the available precision", Numerische Mathematik 18 (1971).
 *
 * elementary.py makes the constants.
 */
#include "core/math/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/math/elementary_tables.h"

/* Each operation must round to double at once; the x87 would not. */
#if FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "results must be the same everywhere: compile with -msse2 -mfpmath=sse"
#endif

/* Adding and subtracting it rounds what is below 2^51 to an integer. */
#define ROUNDER 6755399441055744.0

/* The steps of ln 2 / 128 to a factor of 2. */
#define STEPS 128

/* Beyond these, e^x is infinite or 0; both leave room for rounding errors. */
#define EXP_HIGHEST 710.0
#define EXP_LOWEST (-746.0)

/* The bits of the least number of log_table's intervals, about sqrt(1/2). */
#define LOG_LOWEST UINT64_C(0x3fe6a00000000000)
#define LOG_POINTS 128

/* The bits of a number below its place among 128 of its binade, or among 8. */
#define LOG_SHIFT 45
#define ERFC_SHIFT 49

static inline uint64_t
to_bits(double x)
{
	uint64_t	bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double
from_bits(uint64_t bits)
{
	double		x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* 2^n for -1022 <= n <= 1023. */
static inline double
power_of_two(int n)
{
	return from_bits((uint64_t) (n + 1023) << 52);
}

/* x * 2^n, rounded once, for |n| up to 1100 and x not far from 1. */
static inline double
scale(double x, int n)
{
	if (n > 1000)
		return x * power_of_two(1000) * power_of_two(n - 1000);
	if (n < -900)
		return x * power_of_two(-900) * power_of_two(n + 900);
	return x * power_of_two(n);
}

/*
 * The first 26 bits of a number: products of two such are exact, and so is what
 * is left of the number.
 */
static inline double
first_half(double x)
{
	return from_bits(to_bits(x) & ~UINT64_C(0x7ffffff));
}

/* What a * b lacks when rounded to product. */
static inline double
product_error(double a, double b, double product)
{
	double		a1 = first_half(a);
	double		b1 = first_half(b);
	double		a2 = a - a1;
	double		b2 = b - b1;

	return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}

/*
 * ---- Exponentials ----
 */

/* 2^exponent * power * (1 + rest), with power of exp_table and |rest| < 0.003. */
typedef struct Exponential
{
	double		power;
	double		rest;
	int			exponent;
} Exponential;

/* e^(n * ln 2 / 128 + r) for |r| < ln 2 / 256. */
static inline Exponential
exp_of_steps(int n, double r)
{
	int			i = (int) ((unsigned int) n % STEPS);
	double		r2 = r * r;
	double		low = exp_polynomial[0] + r * exp_polynomial[1];
	double		high = exp_polynomial[2] + r * exp_polynomial[3];
	Exponential e;

	e.power = exp_table[i][0];
	e.rest = exp_table[i][1] + (r + r2 * (low + r2 * high));
	e.exponent = (n - i) / STEPS;
	return e;
}

/* e^(x + low) for EXP_LOWEST <= x <= EXP_HIGHEST and low far smaller than 1. */
static inline Exponential
exp_of_sum(double x, double low)
{
	double		n = x * STEPS_PER_UNIT + ROUNDER - ROUNDER;

	/* The first difference is exact. */
	return exp_of_steps((int) n, (x - n * STEP_HIGH) - (n * STEP_LOW - low));
}

static inline double
exp_value(Exponential e)
{
	return scale(e.power + e.power * e.rest, e.exponent);
}

double
portable_exp(double x)
{
	/* Neither holds for NaN. */
	if (x >= EXP_LOWEST && x <= EXP_HIGHEST)
		return exp_value(exp_of_sum(x, 0));
	if (x < 0)
		return 0;
	return x > 0 ? INFINITY : NAN;
}

double
portable_exp2(double x)
{
	if (x >= -1076 && x <= 1025)
	{
		double		n = x * STEPS + ROUNDER - ROUNDER;

		return exp_value(exp_of_steps((int) n, (x - n / STEPS) * LN2));
	}
	if (x < 0)
		return 0;
	return x > 0 ? INFINITY : NAN;
}

double
portable_expm1(double x)
{
	const double *c = expm1_polynomial;
	Exponential e;
	double		x2,
				x4,
				power,
				difference,
				error;

	if (fabs(x) < 0.25)
	{
		/* Neither must -0 become 0, nor the square of little underflow. */
		if (fabs(x) < DBL_EPSILON / 4)
			return x;
		x2 = x * x;
		x4 = x2 * x2;
		return x + (0.5 * x2 +
					x * x2 * (((c[0] + x * c[1]) + x2 * (c[2] + x * c[3])) +
							  x4 * (((c[4] + x * c[5]) + x2 * (c[6] + x * c[7])) +
									x4 * (c[8] + x * c[9]))));
	}
	if (isnan(x))
		return NAN;
	if (x < -40)
		return -1;
	if (x > 40)
		return portable_exp(x);

	/* 2^exponent * power - 1, and what this lacks. */
	e = exp_of_sum(x, 0);
	power = e.power * power_of_two(e.exponent);
	difference = power - 1;
	error = power > 1 ? (power - difference) - 1 : power - (difference + 1);
	return difference + (power * e.rest + error);
}

/*
 * ---- Logarithms ----
 */

/*
 * A number as 2^k * c * (1 + r + r_rest), with ln(2^k * c) = ln + ln_rest and
 * |r| <= 2^-7.  The sums of two are as if exact.  Near 1 both logarithms are 0.
 */
typedef struct Logarithm
{
	double		ln;
	double		ln_rest;
	double		r;
	double		r_rest;
} Logarithm;

/* A positive finite number taken apart. */
static inline Logarithm
log_reduce(double x)
{
	int			raised = x < DBL_MIN ? 54 : 0;
	uint64_t	bits = to_bits(raised ? x * power_of_two(54) : x);
	uint64_t	offset = bits - LOG_LOWEST;
	const double *point = log_table[(offset >> LOG_SHIFT) % LOG_POINTS];
	double		k,
				first,
				high,
				low;
	Logarithm	l;

	/* The upper twelve bits of the offset are the exponent, with its sign. */
	k = (((int) (offset >> 52) ^ 0x800) - 0x800) - raised;
	bits -= offset & UINT64_C(0xfff0000000000000);

	/* 1 / c has ten bits, so that nothing is rounded but in the sums. */
	first = from_bits(bits & UINT64_C(0xffffffff00000000));
	high = first * point[0] - 1;
	low = (from_bits(bits) - first) * point[0];
	l.r = high + low;
	l.r_rest = (high - l.r) + low;
	l.ln = k * LN2_HIGH + point[1];
	l.ln_rest = k * LN2_LOW + point[2];
	return l;
}

/* (ln(1 + r) - r + r^2 / 2) / r^3 */
static inline double
log_tail(double r)
{
	const double *c = log_polynomial;
	double		r2 = r * r;

	return (c[0] + r * c[1]) + r2 * ((c[2] + r * c[3]) +
									 r2 * ((c[4] + r * c[5]) + r2 * c[6]));
}

static inline double
log_value(Logarithm l)
{
	double		sum = l.ln + l.r;
	double		rest = (l.ln - sum) + l.r;

	rest += l.ln_rest + l.r_rest;
	return sum + (rest + l.r * l.r * (l.r * log_tail(l.r) - 0.5));
}

double
portable_log(double x)
{
	if (x > 0 && x <= DBL_MAX)
		return log_value(log_reduce(x));
	if (x == 0)
		return -INFINITY;
	return x > 0 ? INFINITY : NAN;
}

double
portable_log1p(double x)
{
	Logarithm	l = {0, 0, x, 0};
	double		sum;

	if (fabs(x) < 1.0 / 256)
	{
		/* Neither must -0 become 0, nor the square of little underflow. */
		return fabs(x) < DBL_EPSILON / 4 ? x : log_value(l);
	}
	if (!(x > -1 && x <= DBL_MAX))
	{
		if (x == -1)
			return -INFINITY;
		return x > 0 ? INFINITY : NAN;
	}

	/* What the sum lacks changes its logarithm by so much divided by it. */
	sum = 1 + x;
	l = log_reduce(sum);
	l.r_rest += (x < 1 ? x - (sum - 1) : 1 - (sum - x)) / sum;
	return log_value(l);
}

/*
 * ---- Powers ----
 */

/*
 * ln x of a positive finite number, to about 66 bits: the result and what it
 * lacks.
 */
static inline double
log_with_rest(double x, double *rest)
{
	Logarithm	l = log_reduce(x);
	double		half = -0.5 * l.r;
	double		square = half * l.r;
	double		first = l.ln + l.r;
	double		second = first + square;
	double		low = ((l.ln - first) + l.r) + ((first - second) + square);
	double		sum;

	low += product_error(half, l.r, square);
	low += l.ln_rest + (l.r_rest - l.r * l.r_rest) +
		l.r * l.r * l.r * log_tail(l.r);
	sum = second + low;
	*rest = (second - sum) + low;
	return sum;
}

/* x^y for positive finite x and finite y. */
static double
positive_pow(double x, double y)
{
	double		rest;
	double		ln = log_with_rest(x, &rest);
	double		exponent = y * ln;

	if (exponent > EXP_HIGHEST)
		return INFINITY;
	if (exponent < EXP_LOWEST)
		return 0;
	/* Products of little underflow. */
	if (fabs(exponent) < DBL_EPSILON / 4)
		return 1;
	return exp_value(exp_of_sum(exponent, product_error(y, ln, exponent) + y * rest));
}

double
portable_pow(double x, double y)
{
	double		size = fabs(x);
	double		result;
	bool		integer,
				odd;

	if (x == 1 || y == 0)
		return 1;
	if (isnan(x) || isnan(y))
		return NAN;
	if (isinf(y))
	{
		if (size == 1)
			return 1;
		return (size > 1) == (y > 0) ? INFINITY : 0;
	}

	/* From 2^53 on all numbers are even. */
	integer = floor(y) == y;
	odd = integer && fabs(y) < power_of_two(53) && floor(0.5 * y) != 0.5 * y;
	if (size == 0 || isinf(size))
		result = (size == 0) == (y < 0) ? INFINITY : 0;
	else if (x < 0 && !integer)
		return NAN;
	else
		result = positive_pow(size, y);
	return signbit(x) && odd ? -result : result;
}

/*
 * ---- The error function ----
 */

/* erf(x) - x for |x| < 1/2. */
static inline double
erf_excess(double x)
{
	const double *c = erf_polynomial;
	double		x2 = x * x;
	double		x4 = x2 * x2;
	double		x8 = x4 * x4;

	return x * (((c[0] + x2 * c[1]) + x4 * (c[2] + x2 * c[3])) +
				x8 * (((c[4] + x2 * c[5]) + x4 * (c[6] + x2 * c[7])) +
					  x8 * (c[8] + x2 * c[9])));
}

/*
 * erfc(x) for 1/2 <= x < 28, as e^(-x^2) times a function that varies slowly,
 * with a polynomial in t around the middle of each eighth of a binade.
 */
static double
erfc_tail(double x)
{
	uint64_t	bits = to_bits(x);
	const double *c = erfc_table[(bits >> ERFC_SHIFT) - (to_bits(0.5) >> ERFC_SHIFT)];
	double		t = x - from_bits(((bits >> ERFC_SHIFT) << ERFC_SHIFT) +
								  (UINT64_C(1) << (ERFC_SHIFT - 1)));
	double		t2 = t * t;
	double		t4 = t2 * t2;
	double		low = (c[2] + t * c[3]) + t2 * (c[4] + t * c[5]);
	double		middle = (c[6] + t * c[7]) + t2 * (c[8] + t * c[9]);
	double		high = (c[10] + t * c[11]) + t2 * c[12];
	double		factor = c[1] + t * (low + t4 * (middle + t4 * high));
	double		square = x * x;
	Exponential e = exp_of_sum(-square, -product_error(x, x, square));

	/*
	 * The factor is c[0] + factor: the product with what is largest stands
	 * alone.
	 */
	return scale(e.power * c[0] +
				 e.power * (factor + (c[0] + factor) * e.rest), e.exponent);
}

double
portable_erfc(double x)
{
	if (fabs(x) < 0.5)
	{
		if (x < 0.25)
			return 1 - (x + erf_excess(x));
		return 0.5 - ((x - 0.5) + erf_excess(x));
	}
	if (isnan(x))
		return NAN;
	if (x < -6)
		return 2;
	if (x >= 28)
		return 0;
	return x < 0 ? 2 - erfc_tail(-x) : erfc_tail(x);
}
