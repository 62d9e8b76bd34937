/*
 * calibration.h
 *		Whether what is forecast with a probability happens that often, from
 *		sums that can be merged.
 */
#ifndef CORE_EVALUATE_CALIBRATION_H
#define CORE_EVALUATE_CALIBRATION_H

#include <stdbool.h>

#include "core/math/logistic.h"
#include "core/math/sum.h"

#define CALIBRATION_MAX_BINS 1000

/*
 * Log-odds are recorded in cells so wide, beyond the ends in the last ones: with
 * the mean and the variance within a cell, what recalibration finds is exact to
 * about 1e-7.
 */
#define CALIBRATION_CELLS_PER_LOGIT 32
#define CALIBRATION_MAX_LOGIT ((int) MAX_LOG_ODDS)
#define CALIBRATION_MAX_CELLS \
	(2 * CALIBRATION_MAX_LOGIT * CALIBRATION_CELLS_PER_LOGIT)

/*
 * A state is an array of numbers: these, then for each bin of probabilities and
 * each cell of log-odds as below, cells from the first one that is recorded on.
 * All sums are in two words, so that they do not depend on the order of the rows.
 */
enum
{
	CALIBRATION_BINS,
	CALIBRATION_FIRST_CELL,
	CALIBRATION_CELLS,
	CALIBRATION_COUNT,
	CALIBRATION_BRIER,			/* squared distances */
	CALIBRATION_LOG_LOSS = CALIBRATION_BRIER + 2,
	CALIBRATION_SQUARE = CALIBRATION_LOG_LOSS + 2,	/* squared outcomes */
	CALIBRATION_EXCESS = CALIBRATION_SQUARE + 2,	/* of Brier score */
	CALIBRATION_VARIANCE = CALIBRATION_EXCESS + 2,	/* of that */
	CALIBRATION_PRODUCT = CALIBRATION_VARIANCE + 2, /* outcome times log-odds */
	CALIBRATION_HEADER = CALIBRATION_PRODUCT + 2
};

enum
{
	CALIBRATION_BIN_COUNT,
	CALIBRATION_BIN_PROBABILITY,
	CALIBRATION_BIN_OUTCOME = CALIBRATION_BIN_PROBABILITY + 2,
	CALIBRATION_BIN_SIZE = CALIBRATION_BIN_OUTCOME + 2
};

enum
{
	CALIBRATION_CELL_COUNT,
	CALIBRATION_CELL_OFFSET,	/* of log-odds from the cell's middle */
	CALIBRATION_CELL_SQUARE = CALIBRATION_CELL_OFFSET + 2,
	CALIBRATION_CELL_SIZE = CALIBRATION_CELL_SQUARE + 2
};

#define CALIBRATION_STATE_SIZE(bins, cells) \
	(CALIBRATION_HEADER + CALIBRATION_BIN_SIZE * (bins) + \
	 CALIBRATION_CELL_SIZE * (cells))

/* The cell, 0 to CALIBRATION_MAX_CELLS - 1, of a probability. */
extern int	calibration_cell(double probability);

/* Whether an array of n > 0 numbers has the shape of a state: anybody may have made it. */
extern bool calibration_is_state(const double *state, int n);

/* Begin with no rows and no cells. */
extern void calibration_begin(double *state, int bins);

/*
 * Whether a state lacks any of the cells from first to last, which then become those that it is to
 * grow to: with room on the side that grew, so that copies take linear time in all.
 */
extern bool calibration_grows(const double *state, int *first, int *last);

/*
 * Copy a state into one with more cells, from first on, which has room for them
 * and includes those that were there.
 */
extern void calibration_widen(const double *state, double *wider, int first,
							  int cells);

/* Add a forecast; the state has its cell. */
extern void calibration_add(double *state, double probability,
							double outcome);

/* Add the rows of another state with as many bins; the state has its cells. */
extern void calibration_merge(double *state, const double *other);

/* Where a number is not determined it is NaN. */
typedef struct Calibration
{
	double		count;
	double		base_rate;		/* mean outcome */
	double		mean_probability;
	double		brier_score;
	double		log_loss;

	/*
	 * brier_score = reliability - resolution + uncertainty + within_bins.
	 * Murphy, Journal of Applied Meteorology 12 (1973); the last term is what
	 * forecasts of a bin differ among themselves.
	 */
	double		reliability;
	double		resolution;
	double		uncertainty;
	double		within_bins;
	double		expected_error; /* mean distance of a bin's two means */

	/*
	 * The maximum likelihood fit of outcomes by logistic(intercept + slope
	 * log-odds), with standard errors; 0 and 1 for calibrated forecasts, and
	 * a slope below 1 for those that are too sure.  Cox, Biometrika 45
	 * (1958).
	 */
	double		intercept;
	double		intercept_error;
	double		slope;
	double		slope_error;

	/*
	 * How many standard deviations the Brier score lies above what the
	 * probabilities expect of themselves.  Spiegelhalter, Statistics in
	 * Medicine 5 (1986).
	 */
	double		z;
} Calibration;

/* Fill in all of *calibration from a state with at least one row. */
extern void calibration_solve(const double *state, Calibration *calibration);

/* The sums of a bin, as their values. */
typedef struct CalibrationBin
{
	double		low;
	double		high;
	double		count;
	double		mean_probability;	/* NaN without forecasts */
	double		mean_outcome;
} CalibrationBin;

/* The sums of bin number bin, from 0 on. */
extern CalibrationBin calibration_bin(const double *state, int bin);

/*
 * The standard error of a bin's mean outcome, as after half a win and half a loss more, so that 0 of
 * 3 has an error.
 */
extern double calibration_bin_error(double mean_outcome, double count);

/* What a recalibration makes of a probability between 0 and 1. */
extern double calibration_recalibrated(double intercept, double slope, double probability);

#endif							/* CORE_EVALUATE_CALIBRATION_H */
