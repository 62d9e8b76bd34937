/*
 * test_minimize.c
 *		The search for a minimum within bounds.
 *
 * The functions are the usual ones for such searches: Rosenbrock's valley, sums of squares
 * that are ill-conditioned, minima at bounds, in flat places, and a function with kinks,
 * which no quadratic model fits.
 */
#include <stdlib.h>

#include "test.h"

#include "core/evaluate/minimize.h"

#define MAX_N MINIMIZE_MAX_VARIABLES

/* All small numbers of variables, and some large ones, whose models take long to solve. */
#define NEXT_N(n) ((n) < 8 ? (n) + 1 : (n) + 4)

/* What a function under test is called with, and how often that was. */
typedef struct Trial
{
	double		(*function) (int n, const double *x);
	int			n;
	int			evaluations;
	double		low[MAX_N];
	double		high[MAX_N];
	double		step[MAX_N];
	double		tolerance[MAX_N];
	double		x[MAX_N];
	double		minimum;
} Trial;

/* Its values are of points within the bounds only. */
static double
evaluate(const double *x, void *argument)
{
	Trial	   *trial = argument;
	int			i;

	for (i = 0; i < trial->n; i++)
		assert_true(x[i] >= trial->low[i] && x[i] <= trial->high[i]);
	trial->evaluations++;
	return trial->function(trial->n, x);
}

static Trial
make_trial(double (*function) (int, const double *), int n)
{
	Trial		trial = {.function = function,.n = n};
	int			i;

	for (i = 0; i < n; i++)
	{
		trial.low[i] = -4.6;
		trial.high[i] = 4.6;
		trial.step[i] = 0.4;
		trial.tolerance[i] = 1e-4;
		trial.x[i] = i % 2 == 0 ? 1.2 : -1;
	}
	return trial;
}

static MinimizeStatus
run(Trial *trial, int max_evaluations)
{
	MinimizeProblem problem = {
		.n = trial->n,
		.low = trial->low,
		.high = trial->high,
		.step = trial->step,
		.tolerance = trial->tolerance,
		.max_evaluations = max_evaluations,
		.function = evaluate,
		.argument = trial
	};
	MinimizeWork *work = malloc(sizeof(MinimizeWork));
	MinimizeStatus status;

	/* Whatever is in the memory. */
	memset(work, 0x5a, sizeof(*work));
	trial->evaluations = 0;
	status = minimize(&problem, work, trial->x, &trial->minimum);
	free(work);
	assert_true(trial->evaluations <= max_evaluations);
	assert_same(trial->function(trial->n, trial->x), trial->minimum);
	return status;
}

static double
squares(int n, const double *x)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += (i + 1) * (x[i] - 0.3 * i) * (x[i] - 0.3 * i);
	return sum;
}

/* Sums of variables, with weights from 1 to 1000. */
static double
ill_conditioned(int n, const double *x)
{
	double		sum = 0;
	double		y = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		y += x[i] - 0.1 * i;
		sum += pow(1000, n > 1 ? (double) i / (n - 1) : 0) * y * y;
	}
	return sum;
}

static double
rosenbrock(int n, const double *x)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n - 1; i++)
		sum += 100 * (x[i + 1] - x[i] * x[i]) * (x[i + 1] - x[i] * x[i]) +
			(1 - x[i]) * (1 - x[i]);
	return sum;
}

/* A flat minimum. */
static double
quartic(int n, const double *x)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += pow(x[i] - 0.5, 4);
	return sum;
}

static double
kinks(int n, const double *x)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += fabs(x[i] - 0.37);
	return sum;
}

/* Lowest in the corner where odd variables are low and the others high. */
static double
slope(int n, const double *x)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += (i % 2 == 1 ? 1 : -1) * x[i] + 0.01 * x[i] * x[(i + 1) % n];
	return sum;
}

/* The likelihood of a scale that is known to one percent, as tune() has it. */
static double
likelihood(int n, const double *x)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += 1e4 * cosh(0.5 * (x[i] - 0.7 + (i > 0 ? 0.3 * x[i - 1] : 0)));
	return sum;
}

/* Nothing below 0 can be rated with. */
static double
partly_defined(int n, const double *x)
{
	(void) n;
	if (x[0] < 0)
		return -x[0] > 2 ? NAN : INFINITY;
	return (x[0] - 0.5) * (x[0] - 0.5);
}

/* So flat that the values do not tell. */
static double
constant(int n, const double *x)
{
	(void) n;
	(void) x;
	return 42;
}

/* Quadratic functions are found exactly, with few evaluations. */
static void
test_quadratic(void **state)
{
	int			n,
				i;

	(void) state;
	for (n = 1; n <= MAX_N; n = NEXT_N(n))
	{
		Trial		trial = make_trial(squares, n);

		assert_int_equal(run(&trial, 1000), MINIMIZE_CONVERGED);
		for (i = 0; i < n; i++)
			assert_near(trial.x[i], 0.3 * i, 1e-9);
		assert_true(trial.evaluations <= 10 * (n + 1));

		trial = make_trial(ill_conditioned, n);
		assert_int_equal(run(&trial, 1000), MINIMIZE_CONVERGED);

		/*
		 * Of many variables the valley is so flat along its floor that values
		 * decide.
		 */
		assert_near(trial.minimum, 0, 1e-5);
		for (i = 0; i < n && n <= 8; i++)
			assert_near(trial.x[i], 0.1 * i, 1e-6);
	}
}

/*
 * Others to within the tolerance or, where they are flat, nearly so.  Of more variables each
 * evaluation takes milliseconds.
 */
static void
test_others(void **state)
{
	int			n,
				i;

	(void) state;
	for (n = 1; n <= 12; n = NEXT_N(n))
	{
		Trial		trial = make_trial(likelihood, n);

		assert_int_equal(run(&trial, 1000), MINIMIZE_CONVERGED);
		assert_near(trial.minimum, 1e4 * n, 1e-4);
		trial = make_trial(quartic, n);
		assert_int_equal(run(&trial, 5000), MINIMIZE_CONVERGED);
		assert_near(trial.minimum, 0, 1e-6);
		trial = make_trial(kinks, n);
		assert_int_equal(run(&trial, 5000), MINIMIZE_CONVERGED);
		assert_near(trial.minimum, 0, 1e-3);
		if (n == 1)
			continue;
		trial = make_trial(rosenbrock, n);
		assert_int_equal(run(&trial, 5000), MINIMIZE_CONVERGED);
		for (i = 0; i < n; i++)
			assert_near(trial.x[i], 1, 2e-2);
		assert_near(trial.minimum, 0, 1e-5);
	}
}

/* Minima at bounds are at the bounds, exactly, wherever the search starts. */
static void
test_bounds(void **state)
{
	int			n,
				i;

	(void) state;
	for (n = 1; n <= MAX_N; n = NEXT_N(n))
	{
		Trial		trial = make_trial(slope, n);

		if (n % 2 == 0)
		{
			/* From the other corner; starts outside are moved to the bound. */
			for (i = 0; i < n; i++)
				trial.x[i] = i % 2 == 0 ? -100 : 4.6;
		}
		assert_int_equal(run(&trial, 1000), MINIMIZE_CONVERGED);
		for (i = 0; i < n; i++)
			assert_same(trial.x[i], i % 2 == 0 ? 4.6 : -4.6);
	}
}

/* A search that may not go on returns the best point that it has seen. */
static void
test_limits(void **state)
{
	int			most;

	(void) state;
	for (most = 1; most < 30; most++)
	{
		Trial		trial = make_trial(rosenbrock, 3);
		double		start = rosenbrock(3, trial.x);

		assert_int_equal(run(&trial, most), MINIMIZE_MAX_EVALUATIONS);
		assert_int_equal(trial.evaluations, most);
		assert_true(trial.minimum <= start);
	}
}

static double scale;

static double
scaled_rosenbrock(int n, const double *x)
{
	return scale * rosenbrock(n, x);
}

/* The size of the values does not matter. */
static void
test_scales(void **state)
{
	static const double scales[] = {1e-100, 1e-10, 1e10, 1e100};
	int			i;

	(void) state;
	for (i = 0; i < 4; i++)
	{
		Trial		trial = make_trial(scaled_rosenbrock, 2);

		scale = scales[i];
		assert_true(run(&trial, 10000) != MINIMIZE_MAX_EVALUATIONS);
		assert_near(trial.minimum / scale, 0, 1e-6);
	}
}

/* Values that are no numbers are kept away from, and values that are all the same end it. */
static void
test_bad_values(void **state)
{
	static const double starts[] = {-0.2, 0.1, 0.7, 2, 4.6};
	Trial		trial;
	size_t		i;

	(void) state;
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
	{
		trial = make_trial(partly_defined, 1);
		trial.x[0] = starts[i];
		assert_int_equal(run(&trial, 1000), MINIMIZE_CONVERGED);
		assert_near(trial.x[0], 0.5, 1e-4);
	}
	trial = make_trial(constant, 3);
	assert_true(run(&trial, 10000) != MINIMIZE_MAX_EVALUATIONS);
	assert_same(trial.minimum, 42);
}

/* The same call gives the same bits. */
static void
test_deterministic(void **state)
{
	Trial		one = make_trial(likelihood, 5);
	Trial		other = make_trial(likelihood, 5);
	int			i;

	(void) state;
	(void) run(&one, 1000);
	(void) run(&other, 1000);
	assert_int_equal(one.evaluations, other.evaluations);
	for (i = 0; i < 5; i++)
		assert_same(one.x[i], other.x[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quadratic),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_scales),
		cmocka_unit_test(test_deterministic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
