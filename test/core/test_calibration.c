/*
 * test_calibration.c
 *		Calibration: parts of the Brier score, recalibration and its errors,
 *		merging.
 */
#include <stdlib.h>

#include "test.h"

#include "core/evaluate/calibration.h"
#include "core/math/logistic.h"

#define ROWS 20000
#define BINS 10

typedef struct Forecasts
{
	int			n;
	double		p[ROWS];
	double		y[ROWS];
} Forecasts;

static Forecasts forecasts;

/* A state with all cells, so that none has to grow. */
static double *
new_state(int bins)
{
	double	   *narrow = calloc(CALIBRATION_STATE_SIZE(bins, 0), sizeof(double));
	double	   *state = calloc(CALIBRATION_STATE_SIZE(bins, CALIBRATION_MAX_CELLS),
							   sizeof(double));

	calibration_begin(narrow, bins);
	calibration_widen(narrow, state, 0, CALIBRATION_MAX_CELLS);
	free(narrow);
	return state;
}

/* Outcomes with log-odds intercept + slope logit(p), p of any size. */
static void
make_forecasts(uint64_t seed, int n, double intercept, double slope)
{
	Random		random = {seed};
	int			i;

	forecasts.n = n;
	for (i = 0; i < n; i++)
	{
		double		logit = random_between(&random, -4, 4);

		forecasts.p[i] = logistic(logit);
		forecasts.y[i] = random_between(&random, 0, 1) <
			logistic(intercept + slope * logit);
	}
}

static double *
state_of_forecasts(int bins)
{
	double	   *state = new_state(bins);
	int			i;

	for (i = 0; i < forecasts.n; i++)
		calibration_add(state, forecasts.p[i], forecasts.y[i]);
	return state;
}

/* Plain logistic regression over all rows, by Newton's method. */
static void
dense_recalibration(double *a, double *b, double *a_error, double *b_error)
{
	int			step;

	*a = *b = 0;				/* from where it converges */
	for (step = 0; step < 50; step++)
	{
		double		ga = 0,
					gb = 0,
					aa = 0,
					ab = 0,
					bb = 0,
					determinant;
		int			i;

		for (i = 0; i < forecasts.n; i++)
		{
			double		m = log(forecasts.p[i] / (1 - forecasts.p[i]));
			double		p = logistic(*a + *b * m);

			ga += forecasts.y[i] - p;
			gb += (forecasts.y[i] - p) * m;
			aa += p * (1 - p);
			ab += p * (1 - p) * m;
			bb += p * (1 - p) * m * m;
		}
		determinant = aa * bb - ab * ab;
		*a += (bb * ga - ab * gb) / determinant;
		*b += (aa * gb - ab * ga) / determinant;
		*a_error = sqrt(bb / determinant);
		*b_error = sqrt(aa / determinant);
	}
}

static void
test_recalibration(void **state)
{
	static const double truth[][2] = {
		{0, 1}, {0.5, 1}, {-1, 0.5}, {0, 2}, {0.3, -0.7}, {0, 0}
	};
	size_t		i;

	(void) state;
	for (i = 0; i < sizeof(truth) / sizeof(truth[0]); i++)
	{
		Calibration c;
		double	   *sums;
		double		a,
					b,
					a_error,
					b_error;

		make_forecasts(i + 1, ROWS, truth[i][0], truth[i][1]);
		sums = state_of_forecasts(BINS);
		calibration_solve(sums, &c);
		dense_recalibration(&a, &b, &a_error, &b_error);
		assert_near(c.intercept, a, 1e-6);
		assert_near(c.slope, b, 1e-6);
		assert_relative(c.intercept_error, a_error, 1e-4);
		assert_relative(c.slope_error, b_error, 1e-4);
		assert_near(c.intercept, truth[i][0], 4 * c.intercept_error);
		assert_near(c.slope, truth[i][1], 4 * c.slope_error);
		free(sums);
	}
}

/* The parts against their definitions, over all rows. */
static void
test_parts(void **state)
{
	Calibration c;
	double	   *sums;
	double		brier = 0,
				loss = 0,
				excess = 0,
				variance = 0,
				outcomes = 0,
				reliability = 0,
				resolution = 0,
				error = 0,
				base;
	int			bin,
				i;

	(void) state;
	make_forecasts(7, ROWS, 0.2, 0.8);
	forecasts.y[3] = 0.5;		/* a draw or two */
	forecasts.y[4] = 0.5;
	sums = state_of_forecasts(BINS);
	calibration_solve(sums, &c);
	for (i = 0; i < ROWS; i++)
	{
		double		p = forecasts.p[i];
		double		y = forecasts.y[i];

		brier += (p - y) * (p - y) / ROWS;
		loss -= (y * log(p) + (1 - y) * log(1 - p)) / ROWS;
		excess += (1 - 2 * p) * (y - p);
		variance += p * (1 - p) * (1 - 2 * p) * (1 - 2 * p);
		outcomes += y;
	}
	base = outcomes / ROWS;
	for (bin = 0; bin < BINS; bin++)
	{
		double		n = 0,
					p = 0,
					y = 0;

		for (i = 0; i < ROWS; i++)
			if (forecasts.p[i] * BINS >= bin && forecasts.p[i] * BINS < bin + 1)
			{
				n++;
				p += forecasts.p[i];
				y += forecasts.y[i];
			}
		reliability += n / ROWS * (p / n - y / n) * (p / n - y / n);
		resolution += n / ROWS * (y / n - base) * (y / n - base);
		error += fabs(p - y) / ROWS;
		assert_near(calibration_bin(sums, bin).count, n, 0);
		assert_near(calibration_bin(sums, bin).mean_probability, p / n, 1e-12);
		assert_near(calibration_bin(sums, bin).mean_outcome, y / n, 1e-12);
	}
	assert_near(c.count, ROWS, 0);
	assert_near(c.base_rate, base, 1e-12);
	assert_near(c.brier_score, brier, 1e-12);
	assert_near(c.log_loss, loss, 1e-12);
	assert_near(c.z, excess / sqrt(variance), 1e-9);
	assert_near(c.reliability, reliability, 1e-12);
	assert_near(c.resolution, resolution, 1e-12);
	assert_near(c.expected_error, error, 1e-12);
	assert_near(c.reliability - c.resolution + c.uncertainty + c.within_bins,
				brier, 1e-12);
	free(sums);
}

/* Too sure: slope below 1 and z above 0; too timid: the other way round. */
static void
test_too_sure_and_too_timid(void **state)
{
	Calibration c;
	double	   *sums;

	(void) state;
	make_forecasts(11, ROWS, 0, 0.5);
	sums = state_of_forecasts(BINS);
	calibration_solve(sums, &c);
	assert_true(c.slope < 0.6 && c.z > 5);
	free(sums);
	make_forecasts(12, ROWS, 0, 2);
	sums = state_of_forecasts(BINS);
	calibration_solve(sums, &c);
	assert_true(c.slope > 1.8 && c.z < -5);
	free(sums);
}

/* However rows are split among states, the result is the same to the last bit. */
static void
test_merges_to_the_same(void **state)
{
	double	   *whole;
	double	   *parts[3];
	Calibration a,
				b;
	int			i;

	(void) state;
	make_forecasts(21, ROWS, 0.1, 1.1);
	whole = state_of_forecasts(BINS);
	for (i = 0; i < 3; i++)
		parts[i] = new_state(BINS);
	for (i = ROWS - 1; i >= 0; i--)
		calibration_add(parts[i % 3], forecasts.p[i], forecasts.y[i]);
	calibration_merge(parts[2], parts[0]);
	calibration_merge(parts[2], parts[1]);
	calibration_solve(whole, &a);
	calibration_solve(parts[2], &b);
	assert_memory_equal(&a, &b, sizeof(a));
	free(whole);
	for (i = 0; i < 3; i++)
		free(parts[i]);
}

/* A state with only the cells that it needs says the same. */
static void
test_widens_to_the_same(void **state)
{
	double	   *whole;
	double	   *narrow;
	double	   *wide;
	Calibration a,
				b;
	int			first = CALIBRATION_MAX_CELLS;
	int			last = 0;
	int			i;

	(void) state;
	make_forecasts(22, ROWS, 0.1, 1.1);
	whole = state_of_forecasts(BINS);
	for (i = 0; i < ROWS; i++)
	{
		int			cell = calibration_cell(forecasts.p[i]);

		first = cell < first ? cell : first;
		last = cell > last ? cell : last;
	}
	narrow = calloc(CALIBRATION_STATE_SIZE(BINS, 0), sizeof(double));
	calibration_begin(narrow, BINS);
	wide = calloc(CALIBRATION_STATE_SIZE(BINS, last - first + 1), sizeof(double));
	calibration_widen(narrow, wide, first, last - first + 1);
	for (i = 0; i < ROWS; i++)
		calibration_add(wide, forecasts.p[i], forecasts.y[i]);
	calibration_solve(whole, &a);
	calibration_solve(wide, &b);
	assert_memory_equal(&a, &b, sizeof(a));
	free(whole);
	free(narrow);
	free(wide);
}

/* Where there is no fit, it is not a number, and the rest still is. */
static void
test_undetermined(void **state)
{
	static const double cases[][3][2] = {
		{{0.6, 1}, {0.7, 1}, {0.8, 1}}, /* all won */
		{{0.6, 0}, {0.7, 1}, {0.8, 1}}, /* told apart by a threshold */
		{{0.6, 0}, {0.6, 1}, {0.6, 1}}, /* always the same forecast */
		{{0, 0}, {1, 1}, {1, 1}},	/* certain */
	};
	size_t		i,
				j;

	(void) state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		double	   *sums = new_state(BINS);
		Calibration c;

		for (j = 0; j < 3; j++)
			calibration_add(sums, cases[i][j][0], cases[i][j][1]);
		calibration_solve(sums, &c);
		assert_true(isnan(c.intercept) && isnan(c.slope));
		assert_true(isnan(c.intercept_error) && isnan(c.slope_error));
		assert_true(c.brier_score >= 0 && isfinite(c.reliability));
		free(sums);
	}
}

static void
test_cells(void **state)
{
	(void) state;
	assert_int_equal(calibration_cell(0), 0);
	assert_int_equal(calibration_cell(1e-300), 0);
	assert_int_equal(calibration_cell(0.5), CALIBRATION_MAX_CELLS / 2);
	assert_int_equal(calibration_cell(1), CALIBRATION_MAX_CELLS - 1);
}

/* The error of a binomial share after half a win and half a loss more, and the curve of Cox. */
static void
test_drawn(void **state)
{
	(void) state;
	assert_near(calibration_bin_error(0, 3), sqrt(0.125 * 0.875 / 3), 1e-15);
	assert_near(calibration_bin_error(0.25, 1e8), sqrt(0.25 * 0.75 / 1e8), 1e-11);
	assert_near(calibration_recalibrated(0, 1, 0.3), 0.3, 1e-15);
	assert_near(calibration_recalibrated(log(3), 0, 0.9), 0.75, 1e-15);
	assert_near(calibration_recalibrated(0, 2, 0.75), 0.9, 1e-15);
}

/* A state grows by half of its cells on the side where a cell is missing, within the ends. */
static void
test_growth(void **state)
{
	static double sums[CALIBRATION_STATE_SIZE(5, 40)];
	int			first = 700;
	int			last = 700;

	(void) state;
	calibration_begin(sums, 5);
	assert_true(calibration_grows(sums, &first, &last));
	assert_true(first == 700 && last == 700);
	sums[CALIBRATION_FIRST_CELL] = 10;
	sums[CALIBRATION_CELLS] = 40;
	first = 10;
	last = 49;
	assert_false(calibration_grows(sums, &first, &last));
	last = 52;
	assert_true(calibration_grows(sums, &first, &last));
	assert_true(first == 10 && last == 72);
	first = last = 9;
	assert_true(calibration_grows(sums, &first, &last));
	assert_true(first == 0 && last == 49);
	first = last = CALIBRATION_MAX_CELLS - 1;
	assert_true(calibration_grows(sums, &first, &last));
	assert_true(first == 10 && last == CALIBRATION_MAX_CELLS - 1);

	/* And has the size that it says itself. */
	assert_true(calibration_is_state(sums, CALIBRATION_STATE_SIZE(5, 40)));
	assert_false(calibration_is_state(sums, CALIBRATION_STATE_SIZE(5, 39)));
	assert_false(calibration_is_state(sums, 1));
	sums[CALIBRATION_FIRST_CELL] = 0.5;
	assert_false(calibration_is_state(sums, CALIBRATION_STATE_SIZE(5, 40)));
	sums[CALIBRATION_FIRST_CELL] = CALIBRATION_MAX_CELLS - 39;
	assert_false(calibration_is_state(sums, CALIBRATION_STATE_SIZE(5, 40)));
	sums[CALIBRATION_FIRST_CELL] = CALIBRATION_MAX_CELLS - 40;
	assert_true(calibration_is_state(sums, CALIBRATION_STATE_SIZE(5, 40)));
	sums[CALIBRATION_BINS] = 0;
	assert_false(calibration_is_state(sums, CALIBRATION_STATE_SIZE(0, 40)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recalibration),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_too_sure_and_too_timid),
		cmocka_unit_test(test_merges_to_the_same),
		cmocka_unit_test(test_widens_to_the_same),
		cmocka_unit_test(test_undetermined),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_drawn),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
