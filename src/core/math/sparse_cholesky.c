/*
 * sparse_cholesky.c
 *		Sparse symmetric positive definite matrices of the form A' W A.
 *
 * The structure of L follows from the elimination tree (J. Liu, "The role of elimination
 * trees in sparse factorization", 1990; T. Davis, "Direct Methods for Sparse Linear
 * Systems", 2006): row j of L has the unknowns on the paths of the tree from the first
 * unknowns of all rows of A that have j, up to j.
 */
#include "core/math/sparse_cholesky.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/math/square.h"
#include "core/math/sum.h"
#include "core/util/block.h"

#define NONE UINT32_MAX

/* After how many unknowns there may be an interrupt. */
#define UNKNOWNS_BETWEEN_CHECKS 64

static void
check(const SparseCholesky *s, uint32_t j)
{
	if (s->interrupt != NULL && j % UNKNOWNS_BETWEEN_CHECKS == 0)
		s->interrupt();
}

static size_t
lay_out_analysis(SparseCholesky *s, char *block, const SparseRows *rows)
{
	size_t		n = rows->n;
	size_t		total = 0;

#define TAKE(array, count) \
	s->array = block_take(&block, &total, sizeof(*s->array), count)

	TAKE(first_row, n + 1);
	TAKE(row, rows->first[rows->nrows]);
	TAKE(parent, n);
	TAKE(column, n + 1);
	TAKE(filled, n);
	TAKE(diagonal, n);
	TAKE(inverse_diagonal, n);
	TAKE(stack, n);
	TAKE(mark, n);
	TAKE(dense, n);
	TAKE(other, n);
#undef TAKE
	return total;
}

size_t
sparse_analysis_size(const SparseRows *rows)
{
	SparseCholesky s;

	return lay_out_analysis(&s, NULL, rows);
}

/* List the rows of each unknown. */
static void
list_rows(SparseCholesky *s)
{
	const SparseRows *rows = s->rows;
	size_t		k;
	uint32_t	j,
				r;

	for (j = 0; j <= rows->n; j++)
		s->first_row[j] = 0;
	for (k = 0; k < rows->first[rows->nrows]; k++)
		s->first_row[rows->unknown[k] + 1]++;
	for (j = 0; j < rows->n; j++)
	{
		/*
		 * Counts become places, and filled[] says where the next row of an
		 * unknown goes.
		 */
		s->first_row[j + 1] += s->first_row[j];
		s->filled[j] = s->first_row[j];
	}
	for (r = 0; r < rows->nrows; r++)
		for (k = rows->first[r]; k < rows->first[r + 1]; k++)
			s->row[s->filled[rows->unknown[k]]++] = r;
}

/*
 * The elimination tree.  The unknowns of a row are all connected, but it is enough to
 * connect each with the one before it.
 */
static void
make_tree(SparseCholesky *s)
{
	const SparseRows *rows = s->rows;
	uint32_t   *ancestor = s->mark;
	uint32_t	j;
	size_t		k;

	for (j = 0; j < rows->n; j++)
	{
		s->parent[j] = ancestor[j] = NONE;
		for (k = s->first_row[j]; k < s->first_row[j + 1]; k++)
		{
			size_t		entry = rows->first[s->row[k]];
			uint32_t	i;

			if (rows->unknown[entry] == j)
				continue;

			/*
			 * Paths from all unknowns of the row lead through the last before
			 * j.
			 */
			i = rows->unknown[entry];
			while (i != NONE && i != j)
			{
				uint32_t	next = ancestor[i];

				ancestor[i] = j;
				if (next == NONE)
					s->parent[i] = j;
				i = next;
			}
		}
	}
}

/*
 * The unknowns before j in row j of L, each behind those that it depends on, from the
 * return value on to the end of the stack.
 */
static uint32_t
row_of_factor(SparseCholesky *s, uint32_t j)
{
	const SparseRows *rows = s->rows;
	uint32_t	top = rows->n;
	size_t		k;

	/*
	 * mark[] is j for what is in the row already; a path stops there, because
	 * the rest of it has been taken.
	 */
	s->mark[j] = j;
	for (k = s->first_row[j]; k < s->first_row[j + 1]; k++)
	{
		uint32_t	i = rows->unknown[rows->first[s->row[k]]];
		uint32_t	length = 0;

		for (; s->mark[i] != j; i = s->parent[i])
		{
			s->stack[length++] = i;
			s->mark[i] = j;
		}
		while (length > 0)
			s->stack[--top] = s->stack[--length];
	}
	return top;
}

void
sparse_analyze(SparseCholesky *s, const SparseRows *rows, void *block,
			   InterruptCheck interrupt)
{
	uint32_t	n = rows->n;
	size_t		total = 0;
	uint32_t	j,
				k;

	s->rows = rows;
	s->interrupt = interrupt;
	lay_out_analysis(s, block, rows);
	list_rows(s);
	make_tree(s);
	for (j = 0; j < n; j++)
	{
		s->filled[j] = 0;
		s->mark[j] = NONE;
		s->dense[j] = s->other[j] = 0;
	}
	for (j = 0; j < n; j++)
	{
		check(s, j);
		for (k = row_of_factor(s, j); k < n; k++)
			s->filled[s->stack[k]]++;
	}
	for (j = 0; j < n; j++)
	{
		s->column[j] = total;
		total += s->filled[j];
	}
	s->column[n] = total;
}

/* How many entries L has below its diagonal. */
static size_t
sparse_entries(const SparseCholesky *s)
{
	return s->column[s->rows->n];
}

double
sparse_products(const SparseCholesky *s)
{
	double		products = 0;
	uint32_t	j;

	for (j = 0; j < s->rows->n; j++)

		/*
		 * The products of a factorization, without the space for it: callers
		 * decide by it whether to begin.
		 */
		products += square((double) (s->column[j + 1] - s->column[j]));
	return products;
}

static size_t
lay_out_factor(SparseCholesky *s, char *block)
{
	size_t		entries = sparse_entries(s);
	size_t		total = 0;

	s->index = block_take(&block, &total, sizeof(uint32_t), entries);
	s->value = block_take(&block, &total, sizeof(double), entries);
	s->inverse = block_take(&block, &total, sizeof(double), entries);
	return total;
}

size_t
sparse_factor_size(const SparseCholesky *s)
{
	SparseCholesky copy = *s;

	return lay_out_factor(&copy, NULL);
}

void
sparse_factor_init(SparseCholesky *s, void *block)
{
	lay_out_factor(s, block);
}

/* Add row j of A' W A, up to its diagonal, to s->dense. */
static void
add_row(SparseCholesky *s, uint32_t j)
{
	const SparseRows *rows = s->rows;
	size_t		k,
				e;

	for (k = s->first_row[j]; k < s->first_row[j + 1]; k++)
	{
		uint32_t	r = s->row[k];
		double		weighted;

		/* The unknowns of a row ascend, and j is one of them. */
		for (e = rows->first[r]; rows->unknown[e] != j; e++)
			;
		weighted = rows->weight[r] * rows->coefficient[e];
		for (e = rows->first[r]; e < rows->first[r + 1] && rows->unknown[e] <= j; e++)
			s->dense[rows->unknown[e]] += weighted * rows->coefficient[e];
	}
}

double
sparse_factor(SparseCholesky *s)
{
	uint32_t	n = s->rows->n;
	Sum			log_determinant = {0, 0};
	uint32_t	j,
				k;
	size_t		p;

	for (j = 0; j < n; j++)
	{
		s->filled[j] = s->column[j];
		s->mark[j] = NONE;
		s->dense[j] = 0;
	}
	for (j = 0; j < n; j++)
	{
		double		rest;

		check(s, j);
		k = row_of_factor(s, j);
		add_row(s, j);
		rest = s->dense[j];
		s->dense[j] = 0;
		for (; k < n; k++)
		{
			uint32_t	i = s->stack[k];
			double		value = s->dense[i] / s->diagonal[i];

			s->dense[i] = 0;
			for (p = s->column[i]; p < s->filled[i]; p++)
				s->dense[s->index[p]] -= s->value[p] * value;
			rest -= value * value;
			s->index[s->filled[i]] = j;
			s->value[s->filled[i]++] = value;
		}

		/*
		 * Not positive definite within rounding; written so that NaN fails
		 * too.
		 */
		if (!(rest > 0) || isinf(rest))
			return NAN;
		s->diagonal[j] = sqrt(rest);
		sum_add(&log_determinant, portable_log(rest));
	}
	return sum_value(&log_determinant);
}

void
sparse_solve(const SparseCholesky *s, double *b)
{
	uint32_t	n = s->rows->n;
	uint32_t	j;
	size_t		p;

	for (j = 0; j < n; j++)
	{
		b[j] /= s->diagonal[j];
		for (p = s->column[j]; p < s->column[j + 1]; p++)
			b[s->index[p]] -= s->value[p] * b[j];
	}
	for (j = n; j-- > 0;)
	{
		for (p = s->column[j]; p < s->column[j + 1]; p++)
			b[j] -= s->value[p] * b[s->index[p]];
		b[j] /= s->diagonal[j];
	}
}

void
sparse_invert(SparseCholesky *s)
{
	uint32_t	n = s->rows->n;
	uint32_t	j;
	size_t		p,
				q;

	for (j = 0; j < n; j++)
		s->mark[j] = NONE;
	for (j = n; j-- > 0;)
	{
		double		inverse;

		check(s, j);
		for (p = s->column[j]; p < s->column[j + 1]; p++)
		{
			s->mark[s->index[p]] = j;
			s->dense[s->index[p]] = s->value[p];
			s->other[s->index[p]] = 0;
		}

		/* The inverse among the unknowns of this column, times the column. */
		for (p = s->column[j]; p < s->column[j + 1]; p++)
		{
			uint32_t	i = s->index[p];
			double		sum = s->inverse_diagonal[i] * s->value[p];

			for (q = s->column[i]; q < s->column[i + 1]; q++)
			{
				uint32_t	r = s->index[q];

				if (s->mark[r] != j)
					continue;
				sum += s->inverse[q] * s->dense[r];
				s->other[r] += s->inverse[q] * s->value[p];
			}
			s->other[i] += sum;
		}
		inverse = 1 / s->diagonal[j];
		for (p = s->column[j]; p < s->column[j + 1]; p++)
		{
			s->inverse[p] = -s->other[s->index[p]] / s->diagonal[j];
			inverse -= s->value[p] * s->inverse[p];
			s->dense[s->index[p]] = 0;
		}
		s->inverse_diagonal[j] = inverse / s->diagonal[j];
	}
}

double
sparse_row_variance(SparseCholesky *s, uint32_t row)
{
	const SparseRows *rows = s->rows;
	double		variance = 0;
	size_t		e,
				p;

	for (e = rows->first[row]; e < rows->first[row + 1]; e++)
		s->dense[rows->unknown[e]] = rows->coefficient[e];
	for (e = rows->first[row]; e < rows->first[row + 1]; e++)
	{
		uint32_t	i = rows->unknown[e];
		double		sum = 0;

		for (p = s->column[i]; p < s->column[i + 1]; p++)
			sum += s->inverse[p] * s->dense[s->index[p]];
		variance += rows->coefficient[e] *
			(rows->coefficient[e] * s->inverse_diagonal[i] + 2 * sum);
	}
	for (e = rows->first[row]; e < rows->first[row + 1]; e++)
		s->dense[rows->unknown[e]] = 0;
	return variance;
}
