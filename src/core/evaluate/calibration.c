/*
 * calibration.c
 *		Whether what is forecast with a probability happens that often.
 */
#include "core/evaluate/calibration.h"

#include <math.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/math/score.h"
#include "core/util/extremes.h"

#define MAX_NEWTON_STEPS 100

/* A coefficient that is known no better than that is not known. */
#define MAX_ERROR 1e3

static int
cell_of(double logit)
{
	int			cell = (int) floor((logit + CALIBRATION_MAX_LOGIT) *
								   CALIBRATION_CELLS_PER_LOGIT);

	/* The largest log-odds fall on the upper end of the last cell. */
	return cell < CALIBRATION_MAX_CELLS ? cell : CALIBRATION_MAX_CELLS - 1;
}

int
calibration_cell(double probability)
{
	return cell_of(bounded_log_odds(probability));
}

static double
cell_middle(int cell)
{
	return (cell + 0.5) / CALIBRATION_CELLS_PER_LOGIT - CALIBRATION_MAX_LOGIT;
}

static int
bins_of(const double *state)
{
	return (int) state[CALIBRATION_BINS];
}

static double *
bin_at(const double *state, int bin)
{
	return (double *) state + CALIBRATION_HEADER + CALIBRATION_BIN_SIZE * bin;
}

/* A cell by its number among those that are recorded. */
static double *
cell_at(const double *state, int index)
{
	return bin_at(state, bins_of(state)) + CALIBRATION_CELL_SIZE * index;
}

static bool
is_count(double value, double max)
{
	return value >= 0 && value <= max && value == floor(value);
}

bool
calibration_is_state(const double *state, int n)
{
	return n >= CALIBRATION_HEADER &&
		is_count(state[CALIBRATION_BINS], CALIBRATION_MAX_BINS) &&
		state[CALIBRATION_BINS] >= 1 &&
		is_count(state[CALIBRATION_FIRST_CELL], CALIBRATION_MAX_CELLS) &&
		is_count(state[CALIBRATION_CELLS],
				 CALIBRATION_MAX_CELLS - state[CALIBRATION_FIRST_CELL]) &&
		n == CALIBRATION_STATE_SIZE((int) state[CALIBRATION_BINS],
									(int) state[CALIBRATION_CELLS]);
}

void
calibration_begin(double *state, int bins)
{
	memset(state, 0, CALIBRATION_STATE_SIZE(bins, 0) * sizeof(double));
	state[CALIBRATION_BINS] = bins;
}

bool
calibration_grows(const double *state, int *first, int *last)
{
	int			cells = (int) state[CALIBRATION_CELLS];
	int			had_first = (int) state[CALIBRATION_FIRST_CELL];
	int			had_last = had_first + cells - 1;

	if (cells == 0)
		return true;
	if (*first >= had_first && *last <= had_last)
		return false;

	/* Half as many cells again on the side that grew. */
	*first = *first < had_first ? (int) larger(*first - cells / 2, 0) : had_first;
	*last = *last > had_last ?
		(int) smaller(*last + cells / 2, CALIBRATION_MAX_CELLS - 1) : had_last;
	return true;
}

void
calibration_widen(const double *state, double *wider, int first, int cells)
{
	int			bins = bins_of(state);
	int			had = (int) state[CALIBRATION_CELLS];

	memcpy(wider, state, CALIBRATION_STATE_SIZE(bins, 0) * sizeof(double));
	wider[CALIBRATION_FIRST_CELL] = first;
	wider[CALIBRATION_CELLS] = cells;
	memset(cell_at(wider, 0), 0, cells * CALIBRATION_CELL_SIZE * sizeof(double));
	if (had > 0)
		memcpy(cell_at(wider, (int) state[CALIBRATION_FIRST_CELL] - first),
			   cell_at(state, 0), had * CALIBRATION_CELL_SIZE * sizeof(double));
}

void
calibration_add(double *state, double probability, double outcome)
{
	double		logit = bounded_log_odds(probability);
	int			number = cell_of(logit);
	double	   *cell = cell_at(state,
							   number - (int) state[CALIBRATION_FIRST_CELL]);
	double		offset = logit - cell_middle(number);
	int			bins = bins_of(state);
	int			b = (int) (probability * bins);
	double	   *bin = bin_at(state, b < bins ? b : bins - 1);

	/*
	 * The terms of z: the weights 1 - 2p make it the test of Spiegelhalter
	 * (1986), for which excess and variance add up over forecasts.
	 */
	state[CALIBRATION_COUNT] += 1;
	sum_words_add(state + CALIBRATION_BRIER, brier_score(probability, outcome));
	sum_words_add(state + CALIBRATION_LOG_LOSS, log_loss(probability, outcome));
	sum_words_add(state + CALIBRATION_SQUARE, outcome * outcome);
	sum_words_add(state + CALIBRATION_EXCESS,
				  (1 - 2 * probability) * (outcome - probability));
	sum_words_add(state + CALIBRATION_VARIANCE,
				  (1 - 2 * probability) * (1 - 2 * probability) *
				  probability * (1 - probability));
	sum_words_add(state + CALIBRATION_PRODUCT, outcome * logit);

	bin[CALIBRATION_BIN_COUNT] += 1;
	sum_words_add(bin + CALIBRATION_BIN_PROBABILITY, probability);
	sum_words_add(bin + CALIBRATION_BIN_OUTCOME, outcome);

	cell[CALIBRATION_CELL_COUNT] += 1;
	sum_words_add(cell + CALIBRATION_CELL_OFFSET, offset);
	sum_words_add(cell + CALIBRATION_CELL_SQUARE, offset * offset);
}

void
calibration_merge(double *state, const double *other)
{
	int			shift = (int) other[CALIBRATION_FIRST_CELL] -
		(int) state[CALIBRATION_FIRST_CELL];
	int			i;

	state[CALIBRATION_COUNT] += other[CALIBRATION_COUNT];

	/* All sums of the header have two words and stand side by side. */
	for (i = CALIBRATION_BRIER; i < CALIBRATION_HEADER; i += 2)
		sum_words_merge(state + i, other + i);
	for (i = 0; i < bins_of(state); i++)
	{
		double	   *bin = bin_at(state, i);
		const double *more = bin_at(other, i);

		bin[CALIBRATION_BIN_COUNT] += more[CALIBRATION_BIN_COUNT];
		sum_words_merge(bin + CALIBRATION_BIN_PROBABILITY,
						more + CALIBRATION_BIN_PROBABILITY);
		sum_words_merge(bin + CALIBRATION_BIN_OUTCOME,
						more + CALIBRATION_BIN_OUTCOME);
	}
	for (i = 0; i < (int) other[CALIBRATION_CELLS]; i++)
	{
		double	   *cell = cell_at(state, i + shift);
		const double *more = cell_at(other, i);

		cell[CALIBRATION_CELL_COUNT] += more[CALIBRATION_CELL_COUNT];
		sum_words_merge(cell + CALIBRATION_CELL_OFFSET,
						more + CALIBRATION_CELL_OFFSET);
		sum_words_merge(cell + CALIBRATION_CELL_SQUARE,
						more + CALIBRATION_CELL_SQUARE);
	}
}

CalibrationBin
calibration_bin(const double *state, int bin)
{
	const double *sums = bin_at(state, bin);
	CalibrationBin result;

	result.low = (double) bin / bins_of(state);
	result.high = (double) (bin + 1) / bins_of(state);
	result.count = sums[CALIBRATION_BIN_COUNT];
	result.mean_probability = result.mean_outcome = NAN;
	if (result.count > 0)
	{
		result.mean_probability =
			sum_words_value(sums + CALIBRATION_BIN_PROBABILITY) / result.count;
		result.mean_outcome =
			sum_words_value(sums + CALIBRATION_BIN_OUTCOME) / result.count;
	}
	return result;
}

/* The log likelihood of a recalibration, with its derivatives. */
typedef struct Likelihood
{
	double		value;
	double		gradient[2];	/* by intercept and slope */
	double		information[3]; /* negative second: aa, ab, bb */
} Likelihood;

/*
 * Outcomes enter through two sums; the rest, the sum of softplus(a + b logit),
 * is expanded to the second order around the middle of each cell.
 */
static void
recalibration_likelihood(const double *state, double outcomes, double a,
						 double b, Likelihood *l)
{
	int			first = (int) state[CALIBRATION_FIRST_CELL];
	double		products = sum_words_value(state + CALIBRATION_PRODUCT);
	int			i;

	memset(l, 0, sizeof(Likelihood));
	l->value = a * outcomes + b * products;
	l->gradient[0] = outcomes;
	l->gradient[1] = products;
	for (i = 0; i < (int) state[CALIBRATION_CELLS]; i++)
	{
		const double *cell = cell_at(state, i);
		double		n = cell[CALIBRATION_CELL_COUNT];
		double		offset = sum_words_value(cell + CALIBRATION_CELL_OFFSET);
		double		square = sum_words_value(cell + CALIBRATION_CELL_SQUARE);
		double		m = cell_middle(first + i);
		double		p = logistic(a + b * m);
		double		q = logistic(-a - b * m);
		double		second = p * q;
		double		third = second * (q - p);

		if (n == 0)
			continue;

		/* The derivatives of the expansion itself, so that they fit it. */
		l->value -= n * softplus(a + b * m) + b * p * offset +
			b * b * second * square / 2;
		l->gradient[0] -= n * p + b * second * offset +
			b * b * third * square / 2;
		l->gradient[1] -= n * p * m + (p + b * second * m) * offset +
			(b * second + b * b * third * m / 2) * square;
		l->information[0] += n * second + b * third * offset;
		l->information[1] += n * second * m + (second + b * third * m) * offset +
			b * third * square;
		l->information[2] += n * second * m * m +
			(2 * second * m + b * third * m * m) * offset +
			(second + 2 * b * third * m) * square;
	}
}

/*
 * Newton's method with halved steps where a whole one does not improve.  Without
 * a maximum (all outcomes alike, or told apart by a threshold) the fit is NaN.
 */
static void
recalibrate(const double *state, double outcomes, Calibration *calibration)
{
	double		a = 0;
	double		b = 1;
	Likelihood	now;
	int			step;

	calibration->intercept = calibration->slope = NAN;
	calibration->intercept_error = calibration->slope_error = NAN;
	recalibration_likelihood(state, outcomes, a, b, &now);
	for (step = 0; step < MAX_NEWTON_STEPS; step++)
	{
		double		aa = now.information[0];
		double		ab = now.information[1];
		double		bb = now.information[2];
		double		determinant = aa * bb - ab * ab;
		double		da,
					db,
					gain;
		double		share = 1;
		Likelihood	next;

		/* All forecasts alike leave the slope open. */
		if (!(aa > 0 && determinant > 1e-12 * aa * bb))
			return;
		da = (bb * now.gradient[0] - ab * now.gradient[1]) / determinant;
		db = (aa * now.gradient[1] - ab * now.gradient[0]) / determinant;
		gain = da * now.gradient[0] + db * now.gradient[1];
		if (gain < 1e-18 * calibration->count)
		{
			if (!(bb < MAX_ERROR * MAX_ERROR * determinant &&
				  aa < MAX_ERROR * MAX_ERROR * determinant))
				return;
			calibration->intercept = a;
			calibration->slope = b;
			calibration->intercept_error = sqrt(bb / determinant);
			calibration->slope_error = sqrt(aa / determinant);
			return;
		}
		recalibration_likelihood(state, outcomes, a + da, b + db, &next);

		/*
		 * Rounding of the sum may take that much off a likelihood that did
		 * not fall.
		 */
		while (!(next.value >= now.value - 1e-13 * fabs(now.value)) && share > 1e-6)
		{
			share /= 2;
			recalibration_likelihood(state, outcomes, a + share * da,
									 b + share * db, &next);
		}
		a += share * da;
		b += share * db;
		now = next;
	}
}

void
calibration_solve(const double *state, Calibration *calibration)
{
	double		n = state[CALIBRATION_COUNT];
	double		outcomes = 0;
	double		probabilities = 0;
	double		variance = sum_words_value(state + CALIBRATION_VARIANCE);
	int			bins = bins_of(state);
	int			i;

	for (i = 0; i < bins; i++)
	{
		const double *bin = bin_at(state, i);

		outcomes += sum_words_value(bin + CALIBRATION_BIN_OUTCOME);
		probabilities += sum_words_value(bin + CALIBRATION_BIN_PROBABILITY);
	}
	memset(calibration, 0, sizeof(Calibration));
	calibration->count = n;
	calibration->base_rate = outcomes / n;
	calibration->mean_probability = probabilities / n;
	calibration->brier_score = sum_words_value(state + CALIBRATION_BRIER) / n;
	calibration->log_loss = sum_words_value(state + CALIBRATION_LOG_LOSS) / n;
	calibration->uncertainty = larger(sum_words_value(state + CALIBRATION_SQUARE) / n -
									  calibration->base_rate * calibration->base_rate,
									  0);
	for (i = 0; i < bins; i++)
	{
		CalibrationBin bin = calibration_bin(state, i);
		double		error,
					excess;

		if (bin.count == 0)
			continue;
		error = bin.mean_probability - bin.mean_outcome;
		excess = bin.mean_outcome - calibration->base_rate;
		calibration->reliability += bin.count / n * error * error;
		calibration->resolution += bin.count / n * excess * excess;
		calibration->expected_error += bin.count / n * fabs(error);
	}
	calibration->within_bins = calibration->brier_score -
		(calibration->reliability - calibration->resolution +
		 calibration->uncertainty);
	calibration->z = variance > 0 ?
		sum_words_value(state + CALIBRATION_EXCESS) / sqrt(variance) : NAN;
	recalibrate(state, outcomes, calibration);
}

double
calibration_bin_error(double mean_outcome, double count)
{
	double		share = (mean_outcome * count + 0.5) / (count + 1);

	return sqrt(share * (1 - share) / count);
}

double
calibration_recalibrated(double intercept, double slope, double probability)
{
	return logistic(intercept + slope * portable_log(probability / (1 - probability)));
}
