/*
 * elementary.h
 *		Exponential, logarithm, power and error function, alike everywhere.
 *
 * Ratings are recomputed years later and compared bit for bit.  The C library
 * promises no bits: its functions differ between versions, and even within one
 * it chooses code by the processor.  These functions consist of additions,
 * multiplications and divisions, which IEEE 754 rounds alike everywhere, in an
 * order that no compiler may change (see -ffp-contract=off in the Makefile).
 * Their results are part of every ladder: changing a bit makes verify() fail,
 * and a test compares checksums.
 *
 * Special cases are those of C99, annex F, without exceptions and errno.  Every
 * NaN that is returned is the same one, whatever the argument.  The error stands
 * behind each function, in units of the last place; where the result is
 * subnormal, a quarter of a unit is added.
 */
#ifndef CORE_MATH_ELEMENTARY_H
#define CORE_MATH_ELEMENTARY_H

/* e^x, 2^x, and e^x - 1 without cancellation around 0: errors below 0.51, 0.51, 0.65. */
extern double portable_exp(double x);
extern double portable_exp2(double x);
extern double portable_expm1(double x);

/* ln x, and ln(1 + x) without cancellation around 0: errors below 0.51. */
extern double portable_log(double x);
extern double portable_log1p(double x);

/* x^y: error below 0.52. */
extern double portable_pow(double x, double y);

/* The complementary error function 1 - erf(x): error below 1.6. */
extern double portable_erfc(double x);

#endif							/* CORE_MATH_ELEMENTARY_H */
