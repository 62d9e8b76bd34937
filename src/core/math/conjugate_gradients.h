/*
 * conjugate_gradients.h
 *		Solves large symmetric linear systems of which only products are known.
 */
#ifndef CORE_MATH_CONJUGATE_GRADIENTS_H
#define CORE_MATH_CONJUGATE_GRADIENTS_H

#include <stdbool.h>
#include <stdint.h>

/* A system H u = b, H positive semidefinite. */
typedef struct LinearSystem
{
	uint32_t	n;
	void	   *arg;			/* of both functions */
	void		(*multiply) (void *arg, const double *v, double *product);
	void		(*precondition) (void *arg, const double *residual, double *z);
	const double *diagonal;		/* of H */
	double	   *direction;		/* room for n each */
	double	   *product;
} LinearSystem;

/*
 * Solve it from zero until the residual, in the norm of the preconditioner, is this
 * share of b or there have been so many products; b becomes the residual.  Returns the
 * number of products; *converged says whether they sufficed, which they do not if the
 * numbers overflow or H is not as above.  (M. Hestenes and E.
 * Stiefel, "Methods of conjugate gradients for solving linear systems", Journal of
 * Research of the National Bureau of Standards 49, 1952.)
 */
extern int	conjugate_gradients(const LinearSystem *system, double *b, double *u,
								double tolerance, int max_products, bool *converged);

#endif							/* CORE_MATH_CONJUGATE_GRADIENTS_H */
