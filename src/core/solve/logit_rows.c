/*
 * logit_rows.c
 *		Results whose log-odds are sums of a few unknowns: comparisons and rankings.
 *
 * Rows are written once, row by row, and then only read.  The entries of a row lie together, those
 * for its first side first, so that loops over a side have neither branches nor signs in them.
 *
 * The loops over all rows may be ended by the interrupt, which does not return then.  What they add
 * to (gradient, diagonal, product) is half done in that case, and must not be used.
 */
#include "core/solve/logit_rows.h"

#include <math.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/math/sum.h"
#include "core/solve/ranking.h"
#include "core/util/block.h"

/* After how many entries there may be an interrupt. */
#define ENTRIES_BETWEEN_CHECKS 100000

/*
 * Cut a block into the arrays of rows of a shape, or with NULL only count its bytes.
 */
static size_t
lay_out_rows(LogitRows *rows, char *block, LogitShape shape)
{
	size_t		nrows = shape.nrows;
	size_t		nentries = shape.nentries;
	size_t		total = 0;

	rows->first = block_take(&block, &total, sizeof(size_t), nrows + 1);
	rows->pro = block_take(&block, &total, sizeof(uint32_t), nrows);
	rows->unknown = block_take(&block, &total, sizeof(uint32_t), nentries);
	rows->amount = NULL;
	rows->side_amount = NULL;
	if (shape.even)
		rows->side_amount = block_take(&block, &total, 2 * sizeof(double), nrows);
	else
		rows->amount = block_take(&block, &total, sizeof(double), nentries);
	rows->outcome = block_take(&block, &total, sizeof(double), nrows);
	rows->weight = block_take(&block, &total, sizeof(double), nrows);
	rows->known = block_take(&block, &total, sizeof(double), nrows);
	rows->behind = NULL;
	if (shape.ranked)
		rows->behind = block_take(&block, &total, sizeof(uint32_t), nrows);
	return total;
}

size_t
logit_rows_size(LogitShape shape)
{
	LogitRows	rows;

	return lay_out_rows(&rows, NULL, shape);
}

void
logit_rows_init(LogitRows *rows, void *block, LogitShape shape)
{
	(void) lay_out_rows(rows, block, shape);
	rows->nrows = 0;
	rows->first[0] = 0;
	rows->offset = 0;
}

void
logit_rows_spread(LogitRows *rows)
{
	size_t		r;
	size_t		e = 0;

	for (r = 0; r < rows->nrows; r++)
		for (; e < rows->first[r + 1]; e++)
			rows->amount[e] = rows->side_amount[r][e - rows->first[r] >= rows->pro[r]];
}

void
logit_add_row(LogitRows *rows, double outcome, double weight, double known)
{
	size_t		r = rows->nrows++;

	rows->first[r + 1] = rows->first[r];
	rows->pro[r] = 0;
	if (rows->amount == NULL)
		rows->side_amount[r][false] = rows->side_amount[r][true] = 0;
	rows->outcome[r] = outcome;
	rows->weight[r] = weight;
	rows->known[r] = known;
}

void
logit_add_ranked_row(LogitRows *rows, uint32_t place, uint32_t behind, double weight,
					 double known)
{
	logit_add_row(rows, place, weight, known);
	rows->behind[rows->nrows - 1] = behind;
}

void
logit_add_entry(LogitRows *rows, uint32_t unknown, double amount, bool against)
{
	size_t		r = rows->nrows - 1;
	size_t		e = rows->first[rows->nrows]++;

	if (!against)
	{
		/*
		 * It takes the place of the first one against, which goes to the end.
		 */
		size_t		place = rows->first[r] + rows->pro[r]++;

		rows->unknown[e] = rows->unknown[place];
		if (rows->amount != NULL)
			rows->amount[e] = rows->amount[place];
		e = place;
	}
	rows->unknown[e] = unknown;
	if (rows->amount != NULL)
		rows->amount[e] = amount;
	else
		rows->side_amount[r][against] = amount;
}

/*
 * The entries of a row for or against its first side.  Where they are even their
 * amounts are no part of the loops, which then take half as long: most of it is
 * reading from memory.
 */
typedef struct RowSide
{
	const uint32_t *unknown;
	const double *amount;		/* NULL where they are even */
	size_t		n;
	double		factor;			/* of all, negative if against */
} RowSide;

static inline RowSide
row_side(const LogitRows *rows, size_t r, bool against)
{
	size_t		from = rows->first[r] + (against ? rows->pro[r] : 0);
	size_t		to = against ? rows->first[r + 1] : rows->first[r] + rows->pro[r];
	double		factor = rows->amount == NULL ? rows->side_amount[r][against] : 1;

	return (RowSide)
	{
		rows->unknown + from, rows->amount == NULL ? NULL : rows->amount + from,
			to - from, against ? -factor : factor
	};
}

static inline double
side_dot(const LogitRows *rows, RowSide side, const double *x)
{
	double		sum = 0;
	double		offsets = 0;
	size_t		e;

	/*
	 * Offsets are added apart, because they count for whichever side has
	 * them.
	 */
	if (side.amount == NULL)
		for (e = 0; e < side.n; e++)
			sum += x[side.unknown[e] & LOGIT_UNKNOWN];
	else
		for (e = 0; e < side.n; e++)
			sum += side.amount[e] * x[side.unknown[e] & LOGIT_UNKNOWN];
	if (rows->offset != 0)
		for (e = 0; e < side.n; e++)
			if (side.unknown[e] & LOGIT_OFFSET)
				offsets += (side.amount != NULL ? side.amount[e] : 1) *
					x[rows->offset + (side.unknown[e] & LOGIT_UNKNOWN)];
	return side.factor * sum + fabs(side.factor) * offsets;
}

/* The transpose of side_dot(): add a number to all unknowns of a side, as they count. */
static inline void
side_add(const LogitRows *rows, RowSide side, double number, double *y)
{
	double		part = side.factor * number;
	size_t		e;

	if (side.amount == NULL)
		for (e = 0; e < side.n; e++)
			y[side.unknown[e] & LOGIT_UNKNOWN] += part;
	else
		for (e = 0; e < side.n; e++)
			y[side.unknown[e] & LOGIT_UNKNOWN] += side.amount[e] * part;
	if (rows->offset != 0)
		for (e = 0; e < side.n; e++)
			if (side.unknown[e] & LOGIT_OFFSET)
				y[rows->offset + (side.unknown[e] & LOGIT_UNKNOWN)] +=
					(side.amount != NULL ? side.amount[e] : 1) * fabs(side.factor) *
					number;
}

/* As side_add(), but of the squares of amounts. */
static inline void
side_add_squares(const LogitRows *rows, RowSide side, double number, double *y)
{
	size_t		e;

	for (e = 0; e < side.n; e++)
	{
		uint32_t	u = side.unknown[e] & LOGIT_UNKNOWN;
		double		amount = side.amount != NULL ? side.amount[e] : side.factor;

		y[u] += amount * amount * number;
		if (side.unknown[e] & LOGIT_OFFSET)
			y[rows->offset + u] += amount * amount * number;
	}
}

/* The log-odds that a row's entries give to unknowns x. */
static inline double
row_dot(const LogitRows *rows, size_t r, const double *x)
{
	return side_dot(rows, row_side(rows, r, false), x) +
		side_dot(rows, row_side(rows, r, true), x);
}

/* Add a number to what a row's unknowns have in y, as its entries count. */
static inline void
row_add(const LogitRows *rows, size_t r, double number, double *y)
{
	side_add(rows, row_side(rows, r, false), number, y);
	side_add(rows, row_side(rows, r, true), number, y);
}

/* The same of squares, for the diagonal. */
static inline void
row_add_squares(const LogitRows *rows, size_t r, double number, double *y)
{
	side_add_squares(rows, row_side(rows, r, false), number, y);
	side_add_squares(rows, row_side(rows, r, true), number, y);
}

/* The log-odds of a row, all told. */
static inline double
row_log_odds(const LogitRows *rows, size_t r, const double *x)
{
	return row_dot(rows, r, x) + rows->known[r];
}

/*
 * The likelihood of a result at log-odds m, where y is the outcome less a half: its
 * negative logarithm is A(m) - y m with A(m) = ln(e^(m/2) + e^(-m/2) + draw).
 * Without a draw parameter that is the logistic one, and a draw half of a win and
 * of a loss; with it Davidson's (Journal of the American Statistical Association
 * 65 (1970)), up to a constant.
 */
typedef struct Likelihood
{
	double		value;
	double		slope;			/* of A */
	double		curvature;
	double		drawn;			/* probability of a draw, if draw > 0 */
} Likelihood;

static inline Likelihood
likelihood(double m, double draw)
{
	/*
	 * By the distance from 0, so that nothing overflows and both signs round
	 * alike.
	 */
	double		t = portable_exp(-0.5 * fabs(m));
	double		total = 1 + t * t + draw * t;
	Likelihood	l;

	l.value = 0.5 * fabs(m) + portable_log(total);
	l.slope = 0.5 * (1 - t * t) / total;
	if (m < 0)
		l.slope = -l.slope;
	l.curvature = 0.25 * (4 * t * t + draw * t * (1 + t * t)) / (total * total);
	l.drawn = draw * t / total;
	return l;
}

/* Give an interrupt its chance after so many entries, having done with a row. */
static inline void
check_interrupt(const LogitRows *rows, size_t r, InterruptCheck interrupt,
				size_t *unchecked)
{
	*unchecked += rows->first[r + 1] - rows->first[r] + 1;
	if (*unchecked >= ENTRIES_BETWEEN_CHECKS && interrupt != NULL)
	{
		interrupt();
		*unchecked = 0;
	}
}

/*
 * Comparisons.  The objective is summed with compensation, in the order of the rows: searches
 * compare values that differ in their last digits.
 */
static void
evaluate_comparisons(const LogitRows *rows, double draw, const double *x,
					 LogitSums *sums, double *gradient, double *diagonal,
					 double *curvature, InterruptCheck interrupt)
{
	Sum			objective = {sums->objective, 0};
	size_t		unchecked = 0;
	size_t		r;

	for (r = 0; r < rows->nrows; r++)
	{
		double		m = row_log_odds(rows, r, x);
		double		weight = rows->weight[r];
		double		y = rows->outcome[r] - 0.5;
		Likelihood	l = likelihood(m, draw);

		sum_add(&objective, weight * (l.value - y * m));
		sums->draws += weight * (l.drawn - (y == 0));
		sums->draws_slope += weight * l.drawn * (1 - l.drawn);
		row_add(rows, r, weight * (l.slope - y), gradient);
		if (diagonal != NULL)
		{
			curvature[r] = weight * l.curvature;
			row_add_squares(rows, r, curvature[r], diagonal);
		}
		check_interrupt(rows, r, interrupt, &unchecked);
	}
	sums->objective = sum_value(&objective);
}

/* The rows of the ranking that begins with row r. */
static inline int
ranking_size(const LogitRows *rows, size_t r)
{
	return (int) rows->behind[r] + 1;
}

/* The ranking that begins with row r, with the shares of its rows at unknowns x. */
static double
make_ranking(const LogitRows *rows, size_t r, const double *x, double *share,
			 Ranking *ranking)
{
	double		strength[LOGIT_MAX_RANKING];
	int			n = ranking_size(rows, r);
	int			i;

	for (i = 0; i < n; i++)
		strength[i] = row_log_odds(rows, r + i, x);
	*ranking = (Ranking)
	{
		n, rows->outcome + r, share
	};
	return ranking_shares(n, ranking->place, strength, share);
}

/*
 * Rankings.  Their shares go where the curvature is to be, which multiply_rankings() reads, or
 * nowhere if nobody asks for it.
 */
static void
evaluate_rankings(const LogitRows *rows, const double *x, LogitSums *sums,
				  double *gradient, double *diagonal, double *curvature,
				  InterruptCheck interrupt)
{
	Sum			objective = {sums->objective, 0};
	size_t		unchecked = 0;
	size_t		r;
	int			n;

	for (r = 0; r < rows->nrows; r += n)
	{
		double		room[LOGIT_MAX_RANKING];
		double		slope[LOGIT_MAX_RANKING];
		double		own[LOGIT_MAX_RANKING];
		double		weight = rows->weight[r];
		Ranking		ranking;
		int			i;

		n = ranking_size(rows, r);
		sum_add(&objective, weight *
				make_ranking(rows, r, x, diagonal != NULL ? curvature + r : room,
							 &ranking));
		ranking_derivatives(&ranking, slope, own);
		for (i = 0; i < n; i++)
		{
			row_add(rows, r + i, weight * slope[i], gradient);
			if (diagonal != NULL)
				row_add_squares(rows, r + i, weight * own[i], diagonal);
			check_interrupt(rows, r + i, interrupt, &unchecked);
		}
	}
	sums->objective = sum_value(&objective);
}

/* The product with the second derivative, which members of a ranking have in common. */
static void
multiply_rankings(const LogitRows *rows, const double *curvature, const double *v,
				  double *product, InterruptCheck interrupt)
{
	size_t		unchecked = 0;
	size_t		r;
	int			n;

	for (r = 0; r < rows->nrows; r += n)
	{
		double		along[LOGIT_MAX_RANKING];
		double		change[LOGIT_MAX_RANKING];
		Ranking		ranking;
		int			i;

		n = ranking_size(rows, r);
		ranking = (Ranking)
		{
			n, rows->outcome + r, curvature + r
		};
		for (i = 0; i < n; i++)
			along[i] = row_dot(rows, r + i, v);
		ranking_multiply(&ranking, along, change);
		for (i = 0; i < n; i++)
		{
			row_add(rows, r + i, rows->weight[r] * change[i], product);
			check_interrupt(rows, r + i, interrupt, &unchecked);
		}
	}
}

void
logit_rows_evaluate(const LogitRows *rows, double draw, const double *x,
					LogitSums *sums, double *gradient, double *diagonal,
					double *curvature, InterruptCheck interrupt)
{
	if (rows->behind != NULL)
		evaluate_rankings(rows, x, sums, gradient, diagonal, curvature, interrupt);
	else
		evaluate_comparisons(rows, draw, x, sums, gradient, diagonal, curvature,
							 interrupt);
}

void
logit_rows_multiply(const LogitRows *rows, const double *curvature,
					const double *v, double *product, InterruptCheck interrupt)
{
	size_t		unchecked = 0;
	size_t		r;

	if (rows->behind != NULL)
	{
		multiply_rankings(rows, curvature, v, product, interrupt);
		return;
	}

	for (r = 0; r < rows->nrows; r++)
	{
		row_add(rows, r, curvature[r] * row_dot(rows, r, v), product);
		check_interrupt(rows, r, interrupt, &unchecked);
	}
}
