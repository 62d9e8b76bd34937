/*
 * cholesky.h
 *		Linear systems with a symmetric positive definite matrix.
 */
#ifndef CORE_MATH_CHOLESKY_H
#define CORE_MATH_CHOLESKY_H

/*
 * Factor the n x n matrix a (row by row; only its lower half is read) into L L',
 * with L in its place.  Returns -1, or the first row that depends on those
 * before it: whose pivot is at most tolerance times its diagonal element.
 */
extern int	cholesky_factor(double *a, int n, double tolerance);

/* Solve L L' x = b, x in the place of b. */
extern void cholesky_solve(const double *l, int n, double *b);

#endif							/* CORE_MATH_CHOLESKY_H */
