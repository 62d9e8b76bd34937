/*
 * test_online_logistic.c
 *		Online logistic regression: derivatives, the joint mode of a moment, forgetting in
 *		natural parameters, and invariances.
 */
#include "test.h"

#include "core/math/online_logistic.h"

/* The most coefficients, outcomes and alternatives of a random problem. */
#define MAX_N 4
#define MAX_OUTCOMES 400
#define MAX_ALTERNATIVES 5

typedef struct Problem
{
	int			n;
	double		mean[MAX_N];
	double		deviation[MAX_N];
	LogisticPrior prior;
	int			noutcomes;
	LogisticOutcome outcome[MAX_OUTCOMES];
	double		x[MAX_OUTCOMES][MAX_ALTERNATIVES * MAX_N];
	double		y[MAX_OUTCOMES][MAX_ALTERNATIVES];
} Problem;

static Problem problem;
static Problem other;

/* Plain logistic function of libm, so that nothing is taken from what is tested. */
static double
plain_logistic(double x)
{
	return 1 / (1 + exp(-x));
}

static void
random_problem(Random *random, Problem *p, int n, int noutcomes, int max_alternatives)
{
	int			i,
				j;

	p->n = n;
	p->noutcomes = noutcomes;
	p->prior.n = n;
	p->prior.mean = p->mean;
	p->prior.deviation = p->deviation;
	for (i = 0; i < n; i++)
	{
		p->mean[i] = random_between(random, -1, 1);
		p->deviation[i] = random_between(random, 0.1, 2);
	}
	for (i = 0; i < noutcomes; i++)
	{
		LogisticOutcome *o = &p->outcome[i];
		double		total = 0;

		o->alternatives = 1 + random_below(random, max_alternatives);
		o->weight = random_between(random, 0.2, 2);
		o->x = p->x[i];
		o->y = p->y[i];
		for (j = 0; j < o->alternatives * n; j++)
			p->x[i][j] = random_between(random, -3, 3);
		for (j = 0; j < o->alternatives; j++)
			total += p->y[i][j] = random_between(random, 0, 1);
		if (o->alternatives == 1)
			p->y[i][0] = random_below(random, 3) / 2.0;
		else
			for (j = 0; j < o->alternatives; j++)
				p->y[i][j] /= total;
	}
}

static void
random_coefficients(Random *random, int n, double *coefficient)
{
	int			i;

	for (i = 0; i < n; i++)
		coefficient[i] = random_between(random, -2, 2);
}

static double
likelihood(const Problem *p, const double *coefficient, double *gradient, double *information)
{
	return online_logistic_likelihood(p->n, p->outcome, p->noutcomes, coefficient, gradient,
									  information, NULL);
}

/* The log likelihood from its definition. */
static double
plain_likelihood(const Problem *p, const double *coefficient)
{
	double		sum = 0;
	int			i,
				j,
				k;

	for (i = 0; i < p->noutcomes; i++)
	{
		const LogisticOutcome *o = &p->outcome[i];
		double		total = o->alternatives == 1 ? 1 : 0;
		double		happened = 0;

		for (j = 0; j < o->alternatives; j++)
		{
			double		value = 0;

			for (k = 0; k < p->n; k++)
				value += coefficient[k] * o->x[j * p->n + k];
			total += exp(value);
			happened += o->y[j] * value;
		}
		sum += o->weight * (happened - log(total));
	}
	return sum;
}

static void
test_derivatives(void **state)
{
	Random		random = {1};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 300; round++)
	{
		double		at[MAX_N];
		double		gradient[MAX_N];
		double		information[MAX_N * (MAX_N + 1) / 2];

		random_problem(&random, &problem, 1 + random_below(&random, MAX_N), 5, MAX_ALTERNATIVES);
		random_coefficients(&random, problem.n, at);
		assert_relative(likelihood(&problem, at, gradient, information),
						plain_likelihood(&problem, at), 1e-12);
		for (i = 0; i < problem.n; i++)
		{
			double		h = 1e-5;
			double		moved[MAX_N];
			double		high[MAX_N];
			double		low[MAX_N];
			double		unused[MAX_N * (MAX_N + 1) / 2];
			double		above,
						below;

			memcpy(moved, at, sizeof(at));
			moved[i] = at[i] + h;
			above = plain_likelihood(&problem, moved);
			likelihood(&problem, moved, high, unused);
			moved[i] = at[i] - h;
			below = plain_likelihood(&problem, moved);
			likelihood(&problem, moved, low, unused);
			assert_near(gradient[i], (above - below) / (2 * h), 1e-7);
			for (j = 0; j <= i; j++)
				assert_near(information[i * (i + 1) / 2 + j], -(high[j] - low[j]) / (2 * h), 1e-7);
		}
	}
}

/* Solve a small dense system by elimination with pivots. */
static void
eliminate(int n, double a[MAX_N][MAX_N], double *b)
{
	int			i,
				j,
				k;

	for (i = 0; i < n; i++)
	{
		int			best = i;

		for (j = i + 1; j < n; j++)
			if (fabs(a[j][i]) > fabs(a[best][i]))
				best = j;
		for (k = 0; k < n; k++)
		{
			double		swap = a[i][k];

			a[i][k] = a[best][k];
			a[best][k] = swap;
		}
		{
			double		swap = b[i];

			b[i] = b[best];
			b[best] = swap;
		}
		for (j = 0; j < n; j++)
			if (j != i)
			{
				double		factor = a[j][i] / a[i][i];

				for (k = 0; k < n; k++)
					a[j][k] -= factor * a[i][k];
				b[j] -= factor * b[i];
			}
	}
	for (i = 0; i < n; i++)
		b[i] /= a[i][i];
}

/*
 * The batch fit: penalised maximum likelihood by plain Newton's method in the coefficients
 * themselves, and its information.
 */
static void
batch_fit(const Problem *p, double *coefficient, double info[MAX_N][MAX_N])
{
	int			steps;

	memcpy(coefficient, p->mean, sizeof(p->mean));
	for (steps = 0; steps < 200; steps++)
	{
		double		a[MAX_N][MAX_N] = {{0}};
		double		b[MAX_N] = {0};
		int			i,
					j,
					k,
					l;

		for (i = 0; i < p->noutcomes; i++)
		{
			const LogisticOutcome *o = &p->outcome[i];
			double		q[MAX_ALTERNATIVES];
			double		mean[MAX_N] = {0};
			double		total = o->alternatives == 1 ? 1 : 0;

			for (j = 0; j < o->alternatives; j++)
			{
				double		value = 0;

				for (k = 0; k < p->n; k++)
					value += coefficient[k] * o->x[j * p->n + k];
				total += q[j] = exp(value);
			}
			for (j = 0; j < o->alternatives; j++)
			{
				q[j] /= total;
				for (k = 0; k < p->n; k++)
				{
					mean[k] += q[j] * o->x[j * p->n + k];
					b[k] += o->weight * (o->y[j] - q[j]) * o->x[j * p->n + k];
					for (l = 0; l < p->n; l++)
						a[k][l] += o->weight * q[j] * o->x[j * p->n + k] * o->x[j * p->n + l];
				}
			}
			for (k = 0; k < p->n; k++)
				for (l = 0; l < p->n; l++)
					a[k][l] -= o->weight * mean[k] * mean[l];
		}
		if (info != NULL)
			memcpy(info, a, sizeof(a));
		for (k = 0; k < p->n; k++)
		{
			double		precision = 1 / (p->deviation[k] * p->deviation[k]);

			b[k] -= (coefficient[k] - p->mean[k]) * precision;
			a[k][k] += precision;
		}
		eliminate(p->n, a, b);

		/*
		 * Short steps at first, as nothing else keeps them from going too
		 * far.
		 */
		for (k = 0; k < p->n; k++)
			coefficient[k] += (steps < 100 ? 0.3 : 1) * b[k];
	}
}

/* The outcomes of one moment are fitted as a batch is. */
static void
test_moment_is_batch_fit(void **state)
{
	Random		random = {2};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 100; round++)
	{
		double		learned[ONLINE_LOGISTIC_SIZE(MAX_N)];
		double		expected[MAX_N];
		double		info[MAX_N][MAX_N];

		random_problem(&random, &problem, 1 + random_below(&random, MAX_N),
					   1 + random_below(&random, 60), MAX_ALTERNATIVES);
		batch_fit(&problem, expected, info);
		online_logistic_init(&problem.prior, learned);
		assert_true(online_logistic_learn(&problem.prior, problem.outcome, problem.noutcomes,
										  learned, NULL));
		for (i = 0; i < problem.n; i++)
		{
			assert_near(learned[i], expected[i], 1e-12 * (1 + fabs(expected[i])));
			for (j = 0; j <= i; j++)
				assert_near(learned[problem.n + i * (i + 1) / 2 + j], info[i][j],
							1e-9 * (1 + fabs(info[i][j])));
		}
	}
}

/*
 * One outcome after the other, of one coefficient: each time the root of the derivative,
 * found by bisection, and curvature added up; forgetting in natural parameters.
 */
static void
test_sequence_against_bisection(void **state)
{
	Random		random = {3};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 50; round++)
	{
		double		share = round % 2 ? 1 : random_between(&random, 0.5, 1);
		double		learned[2];
		double		w,
					j_data = 0;
		double		precision;

		random_problem(&random, &problem, 1, 200, 1);
		online_logistic_init(&problem.prior, learned);
		w = problem.mean[0];
		precision = 1 / (problem.deviation[0] * problem.deviation[0]);
		for (i = 0; i < problem.noutcomes; i++)
		{
			const LogisticOutcome *o = &problem.outcome[i];
			double		eta = share * ((precision + j_data) * w - precision * problem.mean[0]);
			double		low = -50,
						high = 50;
			double		q;

			j_data *= share;
			w = (precision * problem.mean[0] + eta) / (precision + j_data);
			for (j = 0; j < 200; j++)
			{
				double		middle = (low + high) / 2;

				if ((precision + j_data) * (w - middle) +
					o->weight * (o->y[0] - plain_logistic(middle * o->x[0])) * o->x[0] > 0)
					low = middle;
				else
					high = middle;
			}
			w = low;
			q = plain_logistic(w * o->x[0]);
			j_data += o->weight * q * (1 - q) * o->x[0] * o->x[0];

			assert_true(online_logistic_forget(&problem.prior, share, learned));
			assert_true(online_logistic_learn(&problem.prior, o, 1, learned, NULL));
			assert_near(learned[0], w, 1e-11);
			assert_near(learned[1], j_data, 1e-9 * (1 + j_data));
		}
	}
}

/* Learned one by one, the coefficients are close to the batch fit: within a standard error. */
static void
test_sequence_comes_close_to_batch(void **state)
{
	Random		random = {4};
	double		truth[3] = {0.3, 0.7, -0.4};
	int			round,
				i,
				k;

	(void) state;
	for (round = 0; round < 20; round++)
	{
		double		learned[ONLINE_LOGISTIC_SIZE(3)];
		double		expected[MAX_N];
		double		info[MAX_N][MAX_N];

		random_problem(&random, &problem, 3, MAX_OUTCOMES, 1);
		for (k = 0; k < 3; k++)
		{
			problem.mean[k] = 0;
			problem.deviation[k] = 1;
		}
		for (i = 0; i < MAX_OUTCOMES; i++)
		{
			double		value = 0;

			for (k = 0; k < 3; k++)
				value += truth[k] * problem.x[i][k];
			problem.y[i][0] = random_between(&random, 0, 1) < plain_logistic(value);
		}
		batch_fit(&problem, expected, info);
		online_logistic_init(&problem.prior, learned);
		for (i = 0; i < MAX_OUTCOMES; i++)
			assert_true(online_logistic_learn(&problem.prior, &problem.outcome[i], 1, learned, NULL));
		for (k = 0; k < 3; k++)
		{
			double		error = 1 / sqrt(info[k][k]);

			/*
			 * The first outcomes are judged from where the prior is, not from
			 * the fit.
			 */
			assert_near(learned[k], expected[k], error);
			assert_near(1 / sqrt(learned[3 + k * (k + 1) / 2 + k]), error, error / 5);
		}
	}
}

/* To forget is to scale what was learned in natural parameters. */
static void
test_forgetting(void **state)
{
	Random		random = {5};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		double		first = random_between(&random, 0, 1);
		double		second = random_between(&random, 0, 1);
		double		learned[ONLINE_LOGISTIC_SIZE(MAX_N)];
		double		kept[ONLINE_LOGISTIC_SIZE(MAX_N)];
		double		twice[ONLINE_LOGISTIC_SIZE(MAX_N)];
		double		a[MAX_N][MAX_N];
		double		b[MAX_N];
		int			n;

		random_problem(&random, &problem, 1 + random_below(&random, MAX_N), 20, 3);
		n = problem.n;
		online_logistic_init(&problem.prior, learned);
		assert_true(online_logistic_learn(&problem.prior, problem.outcome, 20, learned, NULL));

		memcpy(kept, learned, sizeof(kept));
		assert_true(online_logistic_forget(&problem.prior, 1, kept));
		assert_memory_equal(kept, learned, (size_t) ONLINE_LOGISTIC_SIZE(n) * sizeof(double));

		assert_true(online_logistic_forget(&problem.prior, first * second, kept));
		memcpy(twice, learned, sizeof(twice));
		assert_true(online_logistic_forget(&problem.prior, first, twice));
		assert_true(online_logistic_forget(&problem.prior, second, twice));

		/* (P + share J) w = P mean + share ((P + J) w - P mean) */
		for (i = 0; i < n; i++)
		{
			double		precision = 1 / (problem.deviation[i] * problem.deviation[i]);

			b[i] = precision * problem.mean[i] +
				first * second * precision * (learned[i] - problem.mean[i]);
			for (j = 0; j < n; j++)
			{
				double		element = j <= i ? learned[n + i * (i + 1) / 2 + j] :
					learned[n + j * (j + 1) / 2 + i];

				a[i][j] = first * second * element + (i == j) * precision;
				b[i] += first * second * element * learned[j];
			}
		}
		eliminate(n, a, b);
		for (i = 0; i < n; i++)
		{
			assert_near(kept[i], b[i], 1e-10);
			assert_near(twice[i], kept[i], 1e-10);
		}
		assert_true(online_logistic_forget(&problem.prior, 0, kept));
		for (i = 0; i < ONLINE_LOGISTIC_SIZE(n); i++)
			assert_near(kept[i], i < n ? problem.mean[i] : 0, 1e-12);
	}
}

/* What both have learned is the same but for rounding. */
static void
check_learns_the_same(const Problem *a, const Problem *b)
{
	double		x[ONLINE_LOGISTIC_SIZE(MAX_N)];
	double		y[ONLINE_LOGISTIC_SIZE(MAX_N)];
	int			i;

	assert_int_equal(a->n, b->n);
	online_logistic_init(&a->prior, x);
	online_logistic_init(&b->prior, y);
	assert_true(online_logistic_learn(&a->prior, a->outcome, a->noutcomes, x, NULL));
	assert_true(online_logistic_learn(&b->prior, b->outcome, b->noutcomes, y, NULL));
	for (i = 0; i < ONLINE_LOGISTIC_SIZE(a->n); i++)
		assert_near(x[i], y[i], 1e-10 * (1 + fabs(x[i])));
}

/* A copy that points at its own arrays. */
static void
copy_problem(void)
{
	int			i;

	other = problem;
	other.prior.mean = other.mean;
	other.prior.deviation = other.deviation;
	for (i = 0; i < other.noutcomes; i++)
	{
		other.outcome[i].x = other.x[i];
		other.outcome[i].y = other.y[i];
	}
}

static void
test_invariances(void **state)
{
	Random		random = {6};
	int			round,
				i,
				j,
				k;

	(void) state;
	for (round = 0; round < 100; round++)
	{
		int			n = 1 + random_below(&random, MAX_N);

		/* Of something that happens or not, the other side of it. */
		random_problem(&random, &problem, n, 30, 1);
		copy_problem();
		for (i = 0; i < 30; i++)
		{
			other.y[i][0] = 1 - problem.y[i][0];
			for (k = 0; k < n; k++)
				other.x[i][k] = -problem.x[i][k];
		}
		check_learns_the_same(&problem, &other);

		/* Two alternatives, of which only the difference counts. */
		for (i = 0; i < 30; i++)
		{
			other.outcome[i].alternatives = 2;
			other.y[i][0] = problem.y[i][0];
			other.y[i][1] = 1 - problem.y[i][0];
			for (k = 0; k < n; k++)
			{
				other.x[i][n + k] = random_between(&random, -3, 3);
				other.x[i][k] = other.x[i][n + k] + problem.x[i][k];
			}
		}
		check_learns_the_same(&problem, &other);

		/* Both sides with half the weight. */
		copy_problem();
		other.noutcomes = 60;
		for (i = 0; i < 30; i++)
		{
			other.outcome[i].weight /= 2;
			other.outcome[30 + i] = other.outcome[i];
			other.outcome[30 + i].x = other.x[30 + i];
			other.outcome[30 + i].y = other.y[30 + i];
			other.y[30 + i][0] = 1 - problem.y[i][0];
			for (k = 0; k < n; k++)
				other.x[30 + i][k] = -problem.x[i][k];
		}
		check_learns_the_same(&problem, &other);

		/*
		 * Alternatives in another order, and all moved alike; outcomes
		 * backwards.
		 */
		random_problem(&random, &problem, n, 30, MAX_ALTERNATIVES);
		copy_problem();
		for (i = 0; i < 30; i++)
		{
			int			count = problem.outcome[i].alternatives;

			for (j = 0; j < count && count > 1; j++)
			{
				other.y[29 - i][j] = problem.y[i][count - 1 - j];
				for (k = 0; k < n; k++)
					other.x[29 - i][j * n + k] = problem.x[i][(count - 1 - j) * n + k] + k - 1;
			}
			if (count == 1)
			{
				other.y[29 - i][0] = problem.y[i][0];
				memcpy(other.x[29 - i], problem.x[i], sizeof(problem.x[i]));
			}
			other.outcome[29 - i].alternatives = count;
			other.outcome[29 - i].weight = problem.outcome[i].weight;
		}
		check_learns_the_same(&problem, &other);
	}
}

/* A deviation of 0 fixes a coefficient; a weight of 0 teaches nothing. */
static void
test_fixed_coefficients_and_no_weight(void **state)
{
	Random		random = {7};
	double		learned[ONLINE_LOGISTIC_SIZE(MAX_N)];
	double		before[ONLINE_LOGISTIC_SIZE(MAX_N)];
	int			i;

	(void) state;
	random_problem(&random, &problem, 3, 30, 3);
	problem.deviation[1] = 0;
	online_logistic_init(&problem.prior, learned);
	for (i = 0; i < 30; i++)
	{
		assert_true(online_logistic_learn(&problem.prior, &problem.outcome[i], 1, learned, NULL));
		assert_true(online_logistic_forget(&problem.prior, 0.9, learned));
		assert_same(learned[1], problem.mean[1]);
		assert_true(learned[0] != problem.mean[0] && learned[2] != problem.mean[2]);
	}
	memcpy(before, learned, sizeof(before));
	problem.outcome[0].weight = 0;
	assert_true(online_logistic_learn(&problem.prior, problem.outcome, 1, learned, NULL));
	assert_memory_equal(before, learned, (size_t) ONLINE_LOGISTIC_SIZE(3) * sizeof(double));
	assert_true(online_logistic_learn(&problem.prior, problem.outcome, 0, learned, NULL));
	assert_memory_equal(before, learned, (size_t) ONLINE_LOGISTIC_SIZE(3) * sizeof(double));
}

/* The forecasts are probabilities, and the ones of the likelihood. */
static void
test_forecasts(void **state)
{
	Random		random = {8};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		double		coefficient[MAX_N];
		double		probability[MAX_ALTERNATIVES];
		double		total = 0;
		LogisticOutcome *o = &problem.outcome[0];

		random_problem(&random, &problem, 2, 1, MAX_ALTERNATIVES);
		o->weight = 1;
		random_coefficients(&random, 2, coefficient);
		online_logistic_predict(2, coefficient, o, probability);
		for (i = 0; i < o->alternatives; i++)
		{
			int			j;

			for (j = 0; j < o->alternatives; j++)
				problem.y[0][j] = i == j;
			assert_near(probability[i], exp(plain_likelihood(&problem, coefficient)), 1e-13);
			total += probability[i];
		}
		if (o->alternatives > 1)
			assert_near(total, 1, 1e-14);
	}
}

/* What was thought certain and does not happen, over and over, and a very long silence. */
static void
test_nothing_explodes(void **state)
{
	static const double mean[] = {0, 1};
	static const double deviation[] = {1, 1};
	static const double x[] = {1, 32};
	static const double lost[] = {0};
	LogisticPrior prior = {2, mean, deviation};
	LogisticOutcome outcome = {1, x, lost, 1};
	static const double wide[] = {1e200, 1e200};
	double		learned[ONLINE_LOGISTIC_SIZE(2)];
	double		saved[ONLINE_LOGISTIC_SIZE(2)];
	int			i;

	(void) state;
	online_logistic_init(&prior, learned);
	for (i = 0; i < 100000; i++)
	{
		double		before = learned[1];

		assert_true(online_logistic_forget(&prior, 0.99, learned));
		assert_true(online_logistic_learn(&prior, &outcome, 1, learned, NULL));
		assert_true(learned[1] < (i < 10 ? before : 0));
		assert_true(isfinite(learned[0]) && fabs(learned[1]) < 3);
	}
	for (i = 0; i < 100000; i++)
		assert_true(online_logistic_forget(&prior, 0.5, learned));
	assert_near(learned[0], 0, 1e-12);
	assert_near(learned[1], 1, 1e-12);
	assert_true(learned[2] == 0 && learned[3] == 0 && learned[4] == 0);

	/* Too much to compute with is said, and leaves all as it was. */
	outcome.weight = 1e300;
	prior.deviation = wide;
	online_logistic_init(&prior, learned);
	memcpy(saved, learned, sizeof(saved));
	assert_false(online_logistic_learn(&prior, &outcome, 1, learned, NULL));
	assert_memory_equal(saved, learned, sizeof(saved));
}

static int	interrupts;

static void
count_interrupt(void)
{
	interrupts++;
}

static void
test_interrupts(void **state)
{
	Random		random = {9};
	double		learned[ONLINE_LOGISTIC_SIZE(MAX_N)];
	int			round;

	(void) state;
	random_problem(&random, &problem, 2, MAX_OUTCOMES, MAX_ALTERNATIVES);
	online_logistic_init(&problem.prior, learned);
	for (round = 0; round < 10; round++)
		assert_true(online_logistic_learn(&problem.prior, problem.outcome, MAX_OUTCOMES, learned,
										  count_interrupt));
	assert_true(interrupts >= 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derivatives),
		cmocka_unit_test(test_moment_is_batch_fit),
		cmocka_unit_test(test_sequence_against_bisection),
		cmocka_unit_test(test_sequence_comes_close_to_batch),
		cmocka_unit_test(test_forgetting),
		cmocka_unit_test(test_invariances),
		cmocka_unit_test(test_fixed_coefficients_and_no_weight),
		cmocka_unit_test(test_forecasts),
		cmocka_unit_test(test_nothing_explodes),
		cmocka_unit_test(test_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
