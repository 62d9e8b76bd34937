/*
 * test_logit_solver.c
 *		The sparse solver against dense linear algebra, finite differences and
 *		what is known of its maxima.
 */
#include <stdlib.h>

#include "test.h"

#include "core/math/logistic.h"
#include "core/solve/logit_solver.h"

#define MAX_ROWS 20000
#define MAX_ENTRIES 100000
#define MAX_UNKNOWNS 2000

/* A problem with room for everything. */
typedef struct Box
{
	LogitProblem problem;
	size_t		first[MAX_ROWS + 1];
	uint32_t	pro[MAX_ROWS];
	uint32_t	unknown[MAX_ENTRIES];
	double		amount[MAX_ENTRIES];
	double		outcome[MAX_ROWS];
	double		weight[MAX_ROWS];
	double		known[MAX_ROWS];
	double		mean[MAX_UNKNOWNS];
	double		precision[MAX_UNKNOWNS];
	double		link[MAX_UNKNOWNS];
	double		x[MAX_UNKNOWNS];
	uint32_t	noffsets;		/* unknowns that have a side offset, too */
	void	   *block;
	void	   *even;			/* rows of their own, see test_even_rows() */
} Box;

static Box *
box_make(uint32_t n)
{
	Box		   *box = calloc(1, sizeof(Box));
	LogitProblem *p = &box->problem;
	uint32_t	u;

	p->n = n;
	p->rows.first = box->first;
	p->rows.pro = box->pro;
	p->rows.unknown = box->unknown;
	p->rows.amount = box->amount;
	p->rows.outcome = box->outcome;
	p->rows.weight = box->weight;
	p->rows.known = box->known;
	p->prior.precision = box->precision;
	for (u = 0; u < n; u++)
		box->precision[u] = 1;
	p->options.max_iterations = 100;
	p->options.tolerance = 1e-10;
	return box;
}

static void
box_free(Box *box)
{
	free(box->block);
	free(box->even);
	free(box);
}

static void
box_begin_row(Box *box, double outcome)
{
	logit_add_row(&box->problem.rows, outcome, 1, 0);
}

static void
box_entry(Box *box, uint32_t unknown, bool against, double amount)
{
	logit_add_entry(&box->problem.rows,
					unknown | (unknown < box->noffsets ? LOGIT_OFFSET : 0), amount,
					against);
}

static void
box_duel(Box *box, uint32_t winner, uint32_t loser, double outcome)
{
	box_begin_row(box, outcome);
	box_entry(box, winner, false, 1);
	box_entry(box, loser, true, 1);
}

static LogitResult
box_solve(Box *box)
{
	free(box->block);
	box->block = malloc(logit_work_size(box->problem.rows.nrows, box->problem.n));
	logit_work_init(&box->problem, box->block);
	logit_start(&box->problem, box->x);
	return logit_solve(&box->problem, box->x);
}

/* Teams of so many, drawn at random, with side offsets and stints. */
static Box *
random_box(uint64_t seed, uint32_t players, int matches, int size, bool gamma)
{
	Box		   *box = box_make(2 * players);
	LogitProblem *p = &box->problem;
	Random		random = {seed};
	double		truth[MAX_UNKNOWNS];
	uint32_t	u;
	int			m,
				i;

	box->noffsets = players;
	p->rows.offset = players;
	for (u = 0; u < players; u++)
	{
		truth[u] = random_between(&random, 0.5, 6);
		truth[players + u] = random_between(&random, -1, 1);
		box->precision[players + u] = 4;
		box->precision[u] = gamma ? 0 : 0.5;
		box->mean[u] = gamma ? 0 : 2;
	}
	p->prior.mean = box->mean;
	if (gamma)
	{
		p->prior.ngammas = 1;
		p->prior.gamma[0] = (LogitGamma)
		{
			0, players, 4, 1.5
		};
	}
	for (m = 0; m < matches; m++)
	{
		double		logit = random_between(&random, -0.5, 0.5);

		box_begin_row(box, 0);
		box->known[m] = logit;
		for (i = 0; i < 2 * size; i++)
		{
			uint32_t	who = (uint32_t) random_between(&random, 0, players);
			double		amount = random_between(&random, 0.2, 1) / size;

			box_entry(box, who, i % 2 == 1, amount);
			logit += amount * (i % 2 == 1 ? -truth[who] : truth[who]) +
				amount * truth[players + who];
		}
		box->outcome[m] = random_between(&random, 0, 1) < 0.1 ? 0.5 :
			random_between(&random, 0, 1) < logistic(logit);
		box->weight[m] = random_between(&random, 0.5, 2);
	}
	return box;
}

/* The row of an entry matrix as it counts, densely. */
static void
dense_row(const Box *box, size_t r, double *row)
{
	const LogitRows *rows = &box->problem.rows;
	size_t		e;

	memset(row, 0, box->problem.n * sizeof(double));
	for (e = rows->first[r]; e < rows->first[r + 1]; e++)
	{
		uint32_t	u = rows->unknown[e] & LOGIT_UNKNOWN;

		row[u] += e < rows->first[r] + rows->pro[r] ? rows->amount[e] : -rows->amount[e];
		if (rows->unknown[e] & LOGIT_OFFSET)
			row[rows->offset + u] += rows->amount[e];
	}
}

/*
 * The system of a Newton step from x, densely: n rows of n + 1 numbers, the last one
 * the gradient, the others the negative Hessian.  First the rows of the matches.
 */
static void
dense_matches(const Box *box, const double *x, double *a)
{
	const LogitProblem *p = &box->problem;
	int			n = (int) p->n;
	double	   *row = malloc(n * sizeof(double));
	size_t		r;
	int			i,
				j;

	memset(a, 0, (size_t) n * (n + 1) * sizeof(double));
	for (r = 0; r < p->rows.nrows; r++)
	{
		double		m = p->rows.known[r];
		double		w = p->rows.weight[r];
		double		q;

		dense_row(box, r, row);
		for (i = 0; i < n; i++)
			m += row[i] * x[i];
		q = logistic(m);
		for (i = 0; i < n; i++)
		{
			if (row[i] == 0)
				continue;
			a[i * (n + 1) + n] += w * (p->rows.outcome[r] - q) * row[i];
			for (j = 0; j < n; j++)
				a[i * (n + 1) + j] += w * q * (1 - q) * row[i] * row[j];
		}
	}
	free(row);
}

/* What the priors add to it. */
static void
dense_priors(const LogitProblem *p, const double *x, double *a)
{
	int			n = (int) p->n;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (p->prior.ngammas > 0 && i < (int) p->prior.gamma[0].n)
		{
			double		k1 = p->prior.gamma[0].shape - 1;

			a[i * (n + 1) + n] += k1 / x[i] - p->prior.gamma[0].rate;
			a[i * (n + 1) + i] += k1 / (x[i] * x[i]);
		}
		else
		{
			double		mean = p->prior.mean ? p->prior.mean[i] : 0;

			a[i * (n + 1) + n] -= p->prior.precision[i] * (x[i] - mean);
			a[i * (n + 1) + i] += p->prior.precision[i];
		}
		if (p->prior.link && p->prior.link[i] > 0)
		{
			double		l = p->prior.link[i];

			a[i * (n + 1) + n] += l * (x[i + 1] - x[i]);
			a[(i + 1) * (n + 1) + n] -= l * (x[i + 1] - x[i]);
			a[i * (n + 1) + i] += l;
			a[(i + 1) * (n + 1) + i + 1] += l;
			a[i * (n + 1) + i + 1] -= l;
			a[(i + 1) * (n + 1) + i] -= l;
		}
	}
}

/* Gaussian elimination of such a system, whose solution is then in the last column. */
static void
dense_eliminate(double *a, int n)
{
	int			i,
				j,
				k;

	for (i = 0; i < n; i++)
		for (k = i + 1; k < n; k++)
		{
			double		f = a[k * (n + 1) + i] / a[i * (n + 1) + i];

			if (f != 0)
				for (j = i; j <= n; j++)
					a[k * (n + 1) + j] -= f * a[i * (n + 1) + j];
		}
	for (i = n - 1; i >= 0; i--)
	{
		for (j = i + 1; j < n; j++)
			a[i * (n + 1) + n] -= a[i * (n + 1) + j] * a[j * (n + 1) + n];
		a[i * (n + 1) + n] /= a[i * (n + 1) + i];
	}
}

/*
 * An independent solution: Newton's method on dense matrices with Gaussian
 * elimination, damped by halving, to the last digit.
 */
static void
dense_solve(const Box *box, double *x)
{
	const LogitProblem *p = &box->problem;
	int			n = (int) p->n;
	double	   *a = malloc((size_t) n * (n + 1) * sizeof(double));
	int			iteration,
				i;

	for (i = 0; i < n; i++)
		x[i] = p->prior.ngammas > 0 && i < (int) p->prior.gamma[0].n ? 3 :
			p->prior.mean ? p->prior.mean[i] : 0;
	for (iteration = 0; iteration < 60; iteration++)
	{
		double		share = 1;

		dense_matches(box, x, a);
		dense_priors(p, x, a);
		dense_eliminate(a, n);
		for (i = 0; i < n && p->prior.ngammas > 0 && i < (int) p->prior.gamma[0].n; i++)
			while (x[i] + share * a[i * (n + 1) + n] <= 0.05 * x[i])
				share /= 2;
		for (i = 0; i < n; i++)
			x[i] += share * a[i * (n + 1) + n];
	}
	free(a);
}

static void
assert_solution(const Box *box, double tolerance)
{
	double		x[MAX_UNKNOWNS];
	uint32_t	u;

	dense_solve(box, x);
	for (u = 0; u < box->problem.n; u++)
		assert_near(box->x[u], x[u], tolerance);
}

static void
test_gamma_against_dense(void **state)
{
	uint64_t	seed;

	(void) state;
	for (seed = 1; seed <= 5; seed++)
	{
		Box		   *box = random_box(seed, 30, 300, 3, true);
		LogitResult result = box_solve(box);

		assert_true(result.status == SOLVE_CONVERGED);
		assert_true(result.iterations < 15);
		assert_true(result.gradient < 1e-9);
		assert_solution(box, 1e-9);
		box_free(box);
	}
}

static void
test_gauss_against_dense(void **state)
{
	uint64_t	seed;

	(void) state;
	for (seed = 11; seed <= 15; seed++)
	{
		Box		   *box = random_box(seed, 30, 300, 3, false);

		assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		assert_solution(box, 1e-9);
		box_free(box);
	}
}

/* Skills from day to day: the chain is in the prior and the preconditioner. */
static void
test_chain_against_dense(void **state)
{
	Box		   *box = box_make(120);
	Random		random = {5};
	LogitResult result;
	int			m;
	uint32_t	u;

	(void) state;
	box->problem.prior.link = box->link;
	for (u = 0; u < 120; u++)
	{
		box->precision[u] = u % 10 == 0 ? 1 : 0;
		box->link[u] = u % 10 == 9 ? 0 : 200;
	}
	for (m = 0; m < 400; m++)
	{
		uint32_t	a = (uint32_t) random_between(&random, 0, 12);
		uint32_t	b = (a + 1 + (uint32_t) random_between(&random, 0, 11)) % 12;
		uint32_t	day = (uint32_t) random_between(&random, 0, 10);

		box_duel(box, 10 * a + day, 10 * b + day, random_between(&random, 0, 1) < 0.5);
	}
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_solution(box, 1e-9);
	box_free(box);
}

/* First and second derivatives against differences of the objective. */
static void
test_derivatives(void **state)
{
	Box		   *box = random_box(3, 20, 200, 3, true);
	LogitProblem *p = &box->problem;
	double		gradient[MAX_UNKNOWNS];
	double		v[MAX_UNKNOWNS];
	double		product[MAX_UNKNOWNS];
	double		up[MAX_UNKNOWNS];
	double		down[MAX_UNKNOWNS];
	Random		random = {9};
	double		h = 1e-5;
	double		draw;
	uint32_t	u,
				k;

	(void) state;
	box->block = malloc(logit_work_size(p->rows.nrows, p->n));
	logit_work_init(p, box->block);
	for (draw = 0; draw < 2; draw += 0.7)
	{
		p->options.draw = draw;
		for (u = 0; u < p->n; u++)
		{
			box->x[u] = random_between(&random, 0.5, 3);
			v[u] = random_between(&random, -1, 1);
		}
		(void) logit_evaluate(p, box->x, true);
		memcpy(gradient, p->work.gradient, p->n * sizeof(double));
		logit_multiply(p, box->x, v, product);
		for (u = 0; u < p->n; u++)
		{
			double		x = box->x[u];
			double		plus,
						minus;

			box->x[u] = x + h;
			plus = logit_evaluate(p, box->x, false);
			box->x[u] = x - h;
			minus = logit_evaluate(p, box->x, false);
			box->x[u] = x;
			assert_near(gradient[u], (plus - minus) / (2 * h), 1e-7);
		}
		for (k = 0; k < p->n; k++)
		{
			up[k] = box->x[k] + h * v[k];
			down[k] = box->x[k] - h * v[k];
		}
		(void) logit_evaluate(p, up, false);
		memcpy(up, p->work.gradient, p->n * sizeof(double));
		(void) logit_evaluate(p, down, false);
		for (u = 0; u < p->n; u++)
			assert_near(product[u], (up[u] - p->work.gradient[u]) / (2 * h), 1e-6);
	}
	box_free(box);
}

/*
 * At the maximum the update that the Hive document iterates changes nothing:
 * sum of x (G - p) + (k - 1) / s - 1 / theta = 0 for every skill, where 1 / theta is
 * the rate.
 */
static void
test_fixed_point_of_the_document(void **state)
{
	Box		   *box = random_box(21, 200, 5000, 5, true);
	const LogitRows *rows = &box->problem.rows;
	double		row[MAX_UNKNOWNS];
	double		sum[MAX_UNKNOWNS] = {0};
	size_t		r;
	uint32_t	u;

	(void) state;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	for (r = 0; r < rows->nrows; r++)
	{
		double		m = box->known[r];

		dense_row(box, r, row);
		for (u = 0; u < box->problem.n; u++)
			m += row[u] * box->x[u];
		for (u = 0; u < box->problem.n; u++)
			sum[u] += box->weight[r] * row[u] * (box->outcome[r] - logistic(m));
	}
	for (u = 0; u < 200; u++)
	{
		assert_true(box->x[u] > 0);
		assert_near(sum[u] + 3 / box->x[u] - box->problem.prior.gamma[0].rate, 0, 1e-6);
	}
	box_free(box);
}

/* Two players and their results have a maximum in closed form. */
static void
test_two_players(void **state)
{
	Box		   *box = box_make(2);
	LogitResult result;
	int			i;

	(void) state;
	box->precision[0] = box->precision[1] = 0;
	for (i = 0; i < 10; i++)
		box_duel(box, 0, 1, i < 7 ? 1 : 0);
	result = box_solve(box);
	assert_true(result.status == SOLVE_CONVERGED);
	assert_near(box->x[0] - box->x[1], log(7.0 / 3), 1e-10);
	assert_near(box->x[0] + box->x[1], 0, 1e-10);
	box_free(box);
}

/* Davidson: half of the difference in strength, and draws as often as seen. */
static void
test_davidson(void **state)
{
	Box		   *box = box_make(2);
	double		a,
				z;
	int			i;

	(void) state;
	box->precision[0] = box->precision[1] = 0;
	for (i = 0; i < 10; i++)
		box_duel(box, 0, 1, i < 5 ? 1 : i < 8 ? 0.5 : 0);
	box->problem.options.draw = 0.95;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);

	/* The score of the likelihood by the difference is zero. */
	a = exp((box->x[0] - box->x[1]) / 2);
	z = a + 1 / a + 0.95;
	assert_near(0.5 * (5 - 2), 10 * 0.5 * (a - 1 / a) / z, 1e-9);
	box_free(box);
}

/* Who always loses has no maximum without a prior, and one with it. */
static void
test_no_maximum(void **state)
{
	Box		   *box = box_make(4);
	LogitResult result;
	int			i;

	(void) state;
	for (i = 0; i < 4; i++)
		box->precision[i] = 0;
	for (i = 0; i < 6; i++)
	{
		box_duel(box, 0, 1, i % 2);
		box_duel(box, 1, 2, i % 2);
		box_duel(box, 0, 3, 1);
	}
	result = box_solve(box);
	assert_true(result.status == SOLVE_NO_MAXIMUM);
	assert_true(fabs(box->problem.work.step[3]) > 0.1);

	/* Two groups of which one always wins, though none in it does. */
	box->problem.rows.nrows = 0;
	for (i = 0; i < 6; i++)
	{
		box_duel(box, 0, 1, i % 2);
		box_duel(box, 2, 3, i % 2);
		box_duel(box, 0, 2, 1);
	}
	result = box_solve(box);
	assert_true(result.status == SOLVE_NO_MAXIMUM);

	for (i = 0; i < 4; i++)
		box->precision[i] = 0.1;
	result = box_solve(box);
	assert_true(result.status == SOLVE_CONVERGED);
	box_free(box);
}

/* Plain ascent comes to the same, and does not call itself converged before. */
static void
test_gradient_method(void **state)
{
	Box		   *box = random_box(4, 20, 200, 3, true);
	double		x[MAX_UNKNOWNS];
	LogitResult result;
	uint32_t	u;

	(void) state;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	memcpy(x, box->x, sizeof(x));
	box->problem.options.gradient = true;
	box->problem.options.max_iterations = 3;
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_MAX_ITERATIONS);
	assert_int_equal(result.iterations, 3);
	box->problem.options.max_iterations = 100000;
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	for (u = 0; u < 20; u++)
		assert_near(box->x[u], x[u], 1e-4);
	box_free(box);
}

/* Each method says truly why it stopped, whichever reason that is. */
static void
test_status(void **state)
{
	int			gradient;

	(void) state;
	for (gradient = 0; gradient < 2; gradient++)
	{
		Box		   *box = box_make(3);
		LogitResult result;
		int			i;

		box->problem.options.gradient = gradient;
		box->problem.options.max_iterations = 100000;
		box_duel(box, 0, 1, 1);
		box_duel(box, 1, 2, 1);
		assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);

		/* Too early. */
		box->problem.options.max_iterations = 1;
		result = box_solve(box);
		assert_int_equal(result.status, SOLVE_MAX_ITERATIONS);
		assert_int_equal(result.iterations, 1);

		/* What rounding leaves is far above this tolerance. */
		box->problem.options.max_iterations = 100000;
		box->problem.options.tolerance = 1e-300;
		result = box_solve(box);
		assert_int_equal(result.status, SOLVE_NO_PROGRESS);
		assert_true(result.gradient < 1e-6 && result.decrement < 1e-12);
		box->problem.options.tolerance = 1e-10;

		/* Log-odds too large to be added up. */
		box->problem.rows.known[0] = box->problem.rows.known[1] = -1.7e308;
		box->problem.rows.weight[0] = box->problem.rows.weight[1] = 10;
		assert_int_equal(box_solve(box).status, SOLVE_NOT_FINITE);
		box->problem.rows.known[0] = box->problem.rows.known[1] = 0;

		/* Nobody beat the first: the ascent does not take that for a maximum. */
		for (i = 0; i < 3; i++)
			box->precision[i] = 0;
		box->problem.options.tolerance = 1e-4;
		assert_int_equal(box_solve(box).status, SOLVE_NO_MAXIMUM);
		box_free(box);
	}
}

/* From the solution on there is nothing left to do. */
static void
test_warm_start(void **state)
{
	Box		   *box = random_box(6, 100, 3000, 4, true);
	LogitResult cold = box_solve(box);
	LogitResult warm;

	(void) state;
	box->outcome[17] = 1 - box->outcome[17];
	warm = logit_solve(&box->problem, box->x);
	assert_int_equal(warm.status, SOLVE_CONVERGED);
	print_message("%d iterations, %d from a solution\n", cold.iterations, warm.iterations);
	assert_true(warm.iterations < cold.iterations);
	box_free(box);
}

/* A column of the inverse, against the matrix. */
static void
test_inverse(void **state)
{
	Box		   *box = random_box(8, 30, 400, 3, true);
	double		b[MAX_UNKNOWNS] = {0};
	double		u[MAX_UNKNOWNS];
	double		product[MAX_UNKNOWNS];
	uint32_t	i;

	(void) state;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	b[7] = 1;
	assert_true(logit_apply_inverse(&box->problem, box->x, b, u, 1e-12));
	logit_multiply(&box->problem, box->x, u, product);
	for (i = 0; i < box->problem.n; i++)
		assert_near(product[i], i == 7, 1e-9);
	assert_true(u[7] >= 1 / box->problem.work.diagonal[7]);
	box_free(box);
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
	Box		   *box = random_box(9, 200, 10000, 5, true);

	(void) state;
	box->problem.options.interrupt = count_interrupt;
	interrupts = 0;
	(void) box_solve(box);
	assert_true(interrupts > 5);
	box_free(box);
}

/* Rows whose sides count evenly are stored with less, and give the same. */
static void
test_even_rows(void **state)
{
	Random		random = {31};
	int			with_offsets;

	(void) state;
	for (with_offsets = 0; with_offsets <= 1; with_offsets++)
	{
		LogitShape	shape = {.nrows = 300,.nentries = 2100,.even = true};
		Box		   *box[2];
		uint32_t	n = 40;
		double		v[80];
		double		product[2][80];
		int			m,
					i;
		uint32_t	u;

		for (i = 0; i < 2; i++)
		{
			box[i] = box_make(2 * n);
			box[i]->noffsets = with_offsets ? n : 0;
			if (i == 1)
				logit_rows_init(&box[i]->problem.rows,
								box[i]->even = malloc(logit_rows_size(shape)), shape);
			box[i]->problem.rows.offset = with_offsets ? n : 0;
		}
		for (m = 0; m < 300; m++)
		{
			int			pro = (int) random_between(&random, 0, 4);
			int			contra = (int) random_between(&random, 1, 4);
			double		outcome = (int) random_between(&random, 0, 3) / 2.0;
			double		weight = random_between(&random, 0.5, 2);
			double		known = random_between(&random, -1, 1);

			for (i = 0; i < 2; i++)
				logit_add_row(&box[i]->problem.rows, outcome, weight, known);
			while (pro + contra > 0)
			{
				bool		against = pro == 0 ||
					(contra > 0 && random_between(&random, 0, 1) < 0.5);
				double		amount = against ? 0.3 : 0.4;

				u = (uint32_t) random_between(&random, 0, n);
				for (i = 0; i < 2; i++)
					box_entry(box[i], u, against, amount);
				if (against)
					contra--;
				else
					pro--;
			}
		}
		for (i = 0; i < 2; i++)
			assert_int_equal(box_solve(box[i]).status, SOLVE_CONVERGED);
		for (u = 0; u < 2 * n; u++)
		{
			assert_near(box[0]->x[u], box[1]->x[u], 1e-12);
			v[u] = random_between(&random, -1, 1);
		}
		for (i = 0; i < 2; i++)
		{
			for (u = 0; u < 2 * n; u++)
				box[i]->x[u] = 0.1 * u;
			(void) logit_evaluate(&box[i]->problem, box[i]->x, true);
			logit_multiply(&box[i]->problem, box[i]->x, v, product[i]);
		}
		assert_near(box[0]->problem.sums.objective, box[1]->problem.sums.objective,
					1e-10);
		for (u = 0; u < 2 * n; u++)
		{
			assert_near(product[0][u], product[1][u], 1e-12);
			assert_near(box[0]->problem.work.gradient[u],
						box[1]->problem.work.gradient[u], 1e-12);
			assert_near(box[0]->problem.work.diagonal[u],
						box[1]->problem.work.diagonal[u], 1e-12);
		}
		box_free(box[0]);
		box_free(box[1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gamma_against_dense),
		cmocka_unit_test(test_gauss_against_dense),
		cmocka_unit_test(test_chain_against_dense),
		cmocka_unit_test(test_derivatives),
		cmocka_unit_test(test_fixed_point_of_the_document),
		cmocka_unit_test(test_two_players),
		cmocka_unit_test(test_davidson),
		cmocka_unit_test(test_no_maximum),
		cmocka_unit_test(test_gradient_method),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_warm_start),
		cmocka_unit_test(test_inverse),
		cmocka_unit_test(test_even_rows),
		cmocka_unit_test(test_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
