/*
 * logit_rows.h
 *		Results whose log-odds are sums of a few unknowns: comparisons and rankings.
 *
 * Whoever fills in rows owns their arrays; nothing here allocates.
 */
#ifndef CORE_SOLVE_LOGIT_ROWS_H
#define CORE_SOLVE_LOGIT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/interrupt.h"

/*
 * Results: row r has the entries from first[r] to below first[r + 1], of which so many
 * as pro[r] says are for the row's first side and the others against it.  An entry is
 * the number of an unknown and how much of it counts, always positive.
 *
 * An entry of unknown u with the bit LOGIT_OFFSET also counts for unknown offset + u,
 * with the same amount, and never against: a side offset (see hive).
 */
#define LOGIT_OFFSET UINT32_C(0x80000000)
#define LOGIT_UNKNOWN (LOGIT_OFFSET - 1)	/* the bits of the number */

/*
 * Instead of comparisons of two sides, rows may be the members of rankings: the
 * entries give the strength of one of them, all for it.  The rows of a ranking follow
 * one another, best first, and behind[] is the number of those of the same ranking
 * that come after a row.  The outcome is then the place, equal for those who tied.
 * All rows of a ranking have its weight.
 */
#define LOGIT_MAX_RANKING 1000

typedef struct LogitRows
{
	size_t		nrows;
	size_t	   *first;			/* nrows + 1 */
	uint32_t   *pro;
	uint32_t   *unknown;
	double	   *amount;			/* of each entry, or NULL: */
	double		(*side_amount)[2];	/* of all entries of a row for and against */
	double	   *outcome;		/* 1 won, 0.5 drew, 0 lost; or its place */
	double	   *weight;			/* of the row */
	double	   *known;			/* log-odds added */
	uint32_t   *behind;			/* NULL where rows are comparisons */
	uint32_t	offset;			/* 0: no entry has one */
} LogitRows;

/* How much there is of rows. */
typedef struct LogitShape
{
	size_t		nrows;
	size_t		nentries;
	bool		even;			/* all entries of a side of a row count alike,
								 * for which there is less to store */
	bool		ranked;			/* rows are members of rankings */
} LogitShape;

/*
 * The bytes of rows of that shape; how they lie in a block of so many, as yet without
 * any; another row, or another member of the last ranking or of a new one; and another
 * entry of the last row.
 */
extern size_t logit_rows_size(LogitShape shape);
extern void logit_rows_init(LogitRows *rows, void *block, LogitShape shape);
extern void logit_add_row(LogitRows *rows, double outcome, double weight,
						  double known);
extern void logit_add_ranked_row(LogitRows *rows, uint32_t place, uint32_t behind,
								 double weight, double known);
extern void logit_add_entry(LogitRows *rows, uint32_t unknown, double amount,
							bool against);

/*
 * Rows can grow, too, in arrays that the caller makes larger: begun with nrows and first[0] 0 and
 * without amount, they are even.  Before the first row that is not, amount gets room for all
 * entries, and logit_rows_spread() gives each what its side has.
 */
extern void logit_rows_spread(LogitRows *rows);

/*
 * What evaluating results gives besides derivatives: the negative log likelihood;
 * and, where draws have a parameter, how many more of them are expected than there
 * were, and the derivative of that by the parameter's logarithm.
 */
typedef struct LogitSums
{
	double		objective;
	double		draws;
	double		draws_slope;
} LogitSums;

/*
 * The negative log likelihood of rows and its derivatives, added to what is there, but
 * for the curvature of each row; that and diagonal are NULL or not together.  The
 * curvature is what logit_rows_multiply() has to know of x: of a comparison the
 * second derivative, of a member of a ranking its share of the strengths.
 */
extern void logit_rows_evaluate(const LogitRows *rows, double draw,
								const double *x, LogitSums *sums,
								double *gradient, double *diagonal,
								double *curvature, InterruptCheck interrupt);
extern void logit_rows_multiply(const LogitRows *rows, const double *curvature,
								const double *v, double *product,
								InterruptCheck interrupt);

#endif							/* CORE_SOLVE_LOGIT_ROWS_H */
