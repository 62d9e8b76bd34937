/*
 * quadrature.h
 *		Numerical integration of functions with several values.
 */
#ifndef CORE_MATH_QUADRATURE_H
#define CORE_MATH_QUADRATURE_H

#include <stdbool.h>

/* Half of the nodes and weights of Gauss and Legendre's rule of order 32. */
#define GAUSS_LEGENDRE_HALF 16

typedef struct QuadratureNode
{
	double		x;				/* from 0 to 1; -x is a node too */
	double		weight;
} QuadratureNode;

extern const QuadratureNode gauss_legendre[GAUSS_LEGENDRE_HALF];

/* Writes the n values of the function at x into value. */
typedef void (*Integrand) (void *argument, double x, double *value);

/*
 * The integrals of n functions from end[0] to end[nends - 1] into result, by
 * bisection of the pieces between the ends (ascending) until the rules of Gauss
 * and of Kronrod (7 and 15 nodes) agree within tolerance on every piece.  The
 * ends must be such that no piece has a feature much narrower than itself, which
 * both rules could miss.  work has room for 3 * n numbers.  False if they do not agree
 * after many bisections, or the integrals are no numbers.
 */
extern bool integrate(Integrand integrand, void *argument, int n,
					  const double *end, int nends, double tolerance,
					  double *result, double *work);

#endif							/* CORE_MATH_QUADRATURE_H */
