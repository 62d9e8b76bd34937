/*
 * test_iterations.c
 *		Whatever iterates, where it is hardest: huge and tiny numbers, systems that
 *		determine nothing, and limits that are reached.
 *
 * The tests of each part are elsewhere; docs/architecture.md lists them.
 */
#include <stdlib.h>

#include "test.h"

#include "core/math/conjugate_gradients.h"
#include "core/math/normal.h"
#include "core/math/online_logistic.h"
#include "core/math/quadrature.h"
#include "core/solve/logit_solver.h"

/*
 * A field of n newcomers to each other.  Whatever the order says, it says of differences
 * alone, so that the gradients of all add up to nothing.  Returns how far they are from
 * that, as a share of the largest.
 */
static double
rate_field(Fixture *f, int n)
{
	double		sum = 0;
	double		largest = 0;
	int			i;

	fixture_rate(f);
	for (i = 0; i < n; i++)
	{
		assert_true(isfinite(f->after[i][0]) && f->after[i][1] > 0);
		sum += f->player[i].gradient;
		largest = fmax(largest, fabs(f->player[i].gradient));
	}
	return largest > 0 ? fabs(sum) / largest : 0;
}

/* Deviations from 1e-10 to 1e10 in one field settle, in a fraction of the sweeps allowed. */
static void
test_fields(void **state)
{
	Random		random = {90};
	double		worst = 0;
	int			round;

	(void) state;
	for (round = 0; round < 400; round++)
	{
		bool		wild = round % 2 == 1;
		double		decades = wild ? 10 : 3;
		double		spread = random_magnitude(&random, wild ? 8 : 3);
		int			n = 3 + random_below(&random, 38);
		Fixture		f;
		int			i;

		fixture_init(&f, "trueskill");
		fixture_param(&f, "draw_probability")->number = round % 4 < 2 ? 0 : 0.2;
		for (i = 0; i < n; i++)
		{
			f.before[i][0] = random_between(&random, -spread, spread);
			f.before[i][1] = random_magnitude(&random, decades);
			fixture_add(&f, i, i, 1 + i);
		}
		worst = fmax(worst, rate_field(&f, n));
	}
	assert_true(worst < 1e-10);
}

/* All that trueskill2 knows of a match at once, with one deviation or many. */
static void
test_performances(void **state)
{
	Random		random = {91};
	int			round;

	(void) state;
	for (round = 0; round < 1000; round++)
	{
		double		decades = round % 4;
		int			nteams = 2 + random_below(&random, 7);
		int			size = 1 + random_below(&random, 4);
		Fixture		f;
		int			i;

		fixture_init(&f, "trueskill2");
		f.match.length = 600;
		for (i = 0; i < nteams * size && i < 30; i++)
		{
			Participant *row;

			f.before[i][0] = random_between(&random, -1, 1) * random_magnitude(&random, decades);
			f.before[i][1] = random_magnitude(&random, decades);
			row = fixture_add(&f, i, i / size, 1 + i / size / (1 + round % 2));
			row->kills = random_below(&random, 3) * random_below(&random, 30);
			row->deaths = random_below(&random, 3) * random_below(&random, 30);
			row->quit = random_below(&random, 8) == 0;
		}
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
			assert_true(isfinite(f.after[i][0]) && f.after[i][1] > 0 &&
						f.after[i][1] < f.before[i][1] + 1);
	}
}

/*
 * ---- Linear systems ----
 */

#define SIZE 60

/* The matrix of a chain of that many, with so much more on the diagonal. */
static void
multiply_chain(void *arg, const double *v, double *product)
{
	const double *more = arg;
	int			i;

	for (i = 0; i < SIZE; i++)
		product[i] = *more * v[i] + (i > 0 ? v[i] - v[i - 1] : 0) +
			(i + 1 < SIZE ? v[i] - v[i + 1] : 0);
}

static void
precondition_nothing(void *arg, const double *residual, double *z)
{
	(void) arg;
	memcpy(z, residual, SIZE * sizeof(double));
}

/* Solve with right-hand sides scale * (1, -1, 0, ...); returns whether it converged. */
static bool
solve_chain(double more, double scale, int max_products, double *u)
{
	double		diagonal[SIZE];
	double		direction[SIZE];
	double		product[SIZE];
	double		b[SIZE] = {scale, -scale};
	LinearSystem system = {SIZE, &more, multiply_chain, precondition_nothing,
	diagonal, direction, product};
	bool		converged;
	int			i;

	for (i = 0; i < SIZE; i++)
		diagonal[i] = 2 + fabs(more);
	assert_true(conjugate_gradients(&system, b, u, 1e-12, max_products, &converged) <=
				max_products);
	return converged;
}

static void
test_conjugate_gradients(void **state)
{
	static const double scales[] = {1e-140, 1, 1e140};
	double		u[SIZE];
	double		product[SIZE];
	double		more = 0.01;
	int			i;

	(void) state;
	for (i = 0; i < 3; i++)
	{
		assert_true(solve_chain(more, scales[i], 1000, u));
		multiply_chain(&more, u, product);
		assert_relative(product[0], scales[i], 1e-10);
		assert_relative(product[1], -scales[i], 1e-10);
		assert_near(product[SIZE - 1], 0, 1e-10 * scales[i]);
	}

	/* Only differences are determined, and asked for: u[0] - u[1] is 1. */
	assert_true(solve_chain(0, 1, 1000, u));
	assert_near(u[0] - u[1], 1, 1e-10);
	assert_near(u[1], u[SIZE - 1], 1e-10);
	assert_true(solve_chain(more, 0, 1000, u));
	assert_same(u[0], 0);

	/* Too few products, no such matrix, and no such numbers. */
	assert_false(solve_chain(more, 1, 5, u));
	assert_false(solve_chain(-5, 1, 1000, u));
	assert_false(solve_chain(NAN, 1, 1000, u));
	assert_false(solve_chain(more, NAN, 1000, u));
	assert_false(solve_chain(more, 1e300, 1000, u));
}

/*
 * A ring, half of which beats the next one and half of which loses to it, so that the
 * second derivatives know of the far side through all between.
 */
static void
test_long_ring(void **state)
{
	enum
	{
		N = 2000
	};
	static size_t first[N + 1];
	static uint32_t pro[N];
	static uint32_t unknown[2 * N];
	static double amount[2 * N];
	static double outcome[N];
	static double weight[N];
	static double known[N];
	static double precision[N];
	static double x[N];
	LogitProblem problem = {0};
	LogitResult result;
	void	   *block = malloc(logit_work_size(N, N));
	uint32_t	i;

	(void) state;
	problem.n = N;
	problem.rows = (LogitRows)
	{
		.first = first,.pro = pro,.unknown = unknown,.amount = amount,.outcome = outcome,
			.weight = weight,.known = known
	};
	problem.prior.precision = precision;
	problem.options.max_iterations = 100;
	problem.options.tolerance = 1e-10;
	for (i = 0; i < N; i++)
	{
		precision[i] = 1e-12;
		logit_add_row(&problem.rows, i < N / 2 ? 0.6 : 0.4, 1, 0);
		logit_add_entry(&problem.rows, i, 1, false);
		logit_add_entry(&problem.rows, (i + 1) % N, 1, true);
	}
	logit_work_init(&problem, block);
	logit_start(&problem, x);
	result = logit_solve(&problem, x);
	assert_int_equal(result.status, SOLVE_CONVERGED);

	/* But for the prior each difference is that of its only match. */
	assert_near(x[0] - x[N / 2], N / 2 * log(1.5), 1e-3);
	assert_near(x[10] - x[11], log(1.5), 1e-5);

	/* No larger gradient than rounding, by the prior and the matches of player 7. */
	assert_near(precision[7] * x[7] + 1 / (1 + exp(x[8] - x[7])) - 0.6 -
				(1 / (1 + exp(x[7] - x[6])) - 0.6), 0, 1e-10);
	free(block);
}

/*
 * ---- Integrals and inverses ----
 */

static void
step_at(void *argument, double x, double *value)
{
	*value = x < *(double *) argument ? 0 : 1;
}

static void
pole_at(void *argument, double x, double *value)
{
	*value = 1 / fabs(x - *(double *) argument);
}

/* Whatever lies beside it, another number. */
static void
noise(void *argument, double x, double *value)
{
	Random		random = {0};

	(void) argument;
	memcpy(&random.state, &x, sizeof(x));
	*value = random_between(&random, 0, 1);
}

static void
test_integrals(void **state)
{
	static const double ends[] = {0, 1};
	double		at = 1 / M_PI;
	double		result;
	double		work[3];

	(void) state;
	assert_true(integrate(step_at, &at, 1, ends, 2, 1e-9, &result, work));
	assert_near(result, 1 - 1 / M_PI, 1e-9);
	assert_false(integrate(pole_at, &at, 1, ends, 2, 1e-9, &result, work));
	assert_false(integrate(noise, NULL, 1, ends, 2, 1e-9, &result, work));
	at = NAN;
	assert_false(integrate(pole_at, &at, 1, ends, 2, 1e-9, &result, work));
}

static void
test_quantiles(void **state)
{
	double		p;

	(void) state;
	for (p = 5e-324; p < 0.5; p *= 7)
	{
		double		x = normal_quantile(p);

		/* As near as the logarithm can tell. */
		assert_near(normal_log_cdf(x), log(p), 1e-15 * fabs(log(p)) + 1e-15);
	}
	for (p = 0.3; p > 1e-17; p /= 7)
		assert_same(normal_quantile(1 - p), -normal_quantile(1 - (1 - p)));
	assert_same(normal_quantile(0.5), 0);
	assert_same(normal_quantile(0), -INFINITY);
	assert_same(normal_quantile(1), INFINITY);
	assert_true(isnan(normal_quantile(NAN)));
	assert_true(isnan(normal_quantile(-1e-300)) && isnan(normal_quantile(1.1)));
}

/*
 * ---- Online regression ----
 */

/* The mode is where the pull of the prior and that of the outcomes are equal, or is refused. */
static void
test_online_modes(void **state)
{
	Random		random = {92};
	int			learned = 0;
	int			round;

	(void) state;
	for (round = 0; round < 20000; round++)
	{
		double		decades = round % 5 == 4 ? 30 : 2 * (round % 5 + 1);
		double		mean = random_between(&random, -1, 1) * random_magnitude(&random, 2);
		double		deviation = random_magnitude(&random, decades);
		double		x = random_magnitude(&random, decades);
		double		y = random_below(&random, 3) / 2.0;
		LogisticPrior prior = {1, &mean, &deviation};
		LogisticOutcome outcome = {1, &x, &y, random_magnitude(&random, decades)};
		double		numbers[ONLINE_LOGISTIC_SIZE(1)];
		double		p,
					q,
					pull,
					push,
					scale;

		online_logistic_init(&prior, numbers);
		if (!online_logistic_learn(&prior, &outcome, 1, numbers, NULL))
			continue;
		learned++;
		p = 1 / (1 + exp(-numbers[0] * x));
		q = 1 / (1 + exp(numbers[0] * x));
		pull = (numbers[0] - mean) / deviation;
		push = outcome.weight * x * deviation * (y * q - (1 - y) * p);

		/* In deviations of the posterior, but for rounding of y - p and of the mode. */
		scale = sqrt(1 + outcome.weight * p * q * x * x * deviation * deviation);
		if (decades < 30)
			assert_near(pull, push, 1e-5 * scale +
						2e-16 * (outcome.weight * x * deviation +
								 scale * scale * fabs(mean) / deviation));
		assert_true(isfinite(numbers[0]) && numbers[1] >= 0);
	}
	assert_true(learned > 19000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_performances),
		cmocka_unit_test(test_conjugate_gradients),
		cmocka_unit_test(test_long_ring),
		cmocka_unit_test(test_integrals),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_online_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
