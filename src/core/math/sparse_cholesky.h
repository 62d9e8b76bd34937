/*
 * sparse_cholesky.h
 *		Sparse symmetric positive definite matrices of the form A' W A.
 *
 * A row of A has a few coefficients of unknowns and a weight: an observation of their
 * sum, and how precise it is.  The unknowns are eliminated in the order of their numbers,
 * so that their order decides how many entries the factor has.
 */
#ifndef CORE_MATH_SPARSE_CHOLESKY_H
#define CORE_MATH_SPARSE_CHOLESKY_H

#include <stddef.h>
#include <stdint.h>

#include "core/util/interrupt.h"

/* The rows of A; all arrays are the caller's. */
typedef struct SparseRows
{
	uint32_t	n;				/* unknowns */
	uint32_t	nrows;
	size_t	   *first;			/* by row, with one more behind the last: its
								 * first entry */
	uint32_t   *unknown;		/* by entry: ascending within a row, each once */
	double	   *coefficient;
	double	   *weight;			/* by row, at least 0 */
} SparseRows;

/* The factor L, of which A' W A is L L'. */
typedef struct SparseCholesky
{
	const SparseRows *rows;
	InterruptCheck interrupt;	/* or NULL */

	/* By unknown, with one more behind the last: the rows that have it. */
	size_t	   *first_row;
	uint32_t   *row;
	uint32_t   *parent;			/* the next unknown of its column of L */
	size_t	   *column;			/* with one more: its entries below the
								 * diagonal, */
	size_t	   *filled;			/* and how far they are there */
	double	   *diagonal;
	double	   *inverse_diagonal;
	uint32_t   *stack;			/* room */
	uint32_t   *mark;
	double	   *dense;
	double	   *other;

	/* By entry of L. */
	uint32_t   *index;			/* its row, ascending in a column */
	double	   *value;
	double	   *inverse;		/* the same entry of the inverse of A' W A */
} SparseCholesky;

/*
 * The bytes of the first part, which says where L has entries, and its making, in a block
 * of so many bytes.  It does not depend on weights.
 */
extern size_t sparse_analysis_size(const SparseRows *rows);
extern void sparse_analyze(SparseCholesky *s, const SparseRows *rows, void *block,
						   InterruptCheck interrupt);

/* About how many products a factor takes. */
extern double sparse_products(const SparseCholesky *s);

/* The bytes of the second part, L itself, and the pointers into a block of so many. */
extern size_t sparse_factor_size(const SparseCholesky *s);
extern void sparse_factor_init(SparseCholesky *s, void *block);

/*
 * Compute L from the weights as they are now.  Returns the logarithm of the determinant of
 * A' W A, or NaN if it is not positive definite.
 */
extern double sparse_factor(SparseCholesky *s);

/* Solve A' W A x = b, x in the place of b. */
extern void sparse_solve(const SparseCholesky *s, double *b);

/*
 * Compute the inverse of A' W A where L has entries, which is wherever A' W A has some (K.
 * Takahashi, J. Fagan and M. Chin, "Formation of a sparse bus impedance matrix", 1973).
 */
extern void sparse_invert(SparseCholesky *s);

/* From that: the variance of the sum of a row, a (A' W A)^-1 a'. */
extern double sparse_row_variance(SparseCholesky *s, uint32_t row);

#endif							/* CORE_MATH_SPARSE_CHOLESKY_H */
