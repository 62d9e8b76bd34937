/*
 * test_joint_posterior.c
 *		Sparse matrices and joint posteriors, against dense ones and quadrature.
 */
#include <stdlib.h>

#include "test.h"

#include "core/math/normal.h"
#include "core/solve/joint_posterior.h"

#define MAX_UNKNOWNS 60
#define MAX_ROWS 300
#define MAX_ENTRIES 2000

typedef struct Box
{
	JointPosterior joint;
	size_t		first[MAX_ROWS + 1];
	uint32_t	unknown[MAX_ENTRIES];
	double		coefficient[MAX_ENTRIES];
	double		weight[MAX_ROWS];
	JointSite	site[MAX_ROWS];
	double		mean[MAX_UNKNOWNS];
	double		sum[MAX_UNKNOWNS];
	void	   *block[2];
} Box;

static Box *
box_make(uint32_t n)
{
	Box		   *box = calloc(1, sizeof(Box));
	SparseRows *rows = &box->joint.rows;

	rows->n = n;
	rows->first = box->first;
	rows->unknown = box->unknown;
	rows->coefficient = box->coefficient;
	rows->weight = box->weight;
	box->joint.site = box->site;
	box->joint.mean = box->mean;
	box->joint.sum = box->sum;
	return box;
}

static void
box_free(Box *box)
{
	free(box->block[0]);
	free(box->block[1]);
	free(box);
}

/* Begin a row; entries are added in the order of their unknowns. */
static uint32_t
box_row(Box *box, double weight)
{
	SparseRows *rows = &box->joint.rows;

	assert_true(rows->nrows < MAX_ROWS);
	box->weight[rows->nrows] = weight;
	rows->first[rows->nrows + 1] = rows->first[rows->nrows];
	return rows->nrows++;
}

static void
box_entry(Box *box, uint32_t unknown, double coefficient)
{
	size_t		place = box->first[box->joint.rows.nrows]++;

	assert_true(place < MAX_ENTRIES);
	box->unknown[place] = unknown;
	box->coefficient[place] = coefficient;
}

static void
box_prepare(Box *box)
{
	SparseCholesky *s = &box->joint.cholesky;

	box->block[0] = malloc(sparse_analysis_size(&box->joint.rows));
	sparse_analyze(s, &box->joint.rows, box->block[0], NULL);
	box->block[1] = malloc(sparse_factor_size(s) + 1);
	sparse_factor_init(s, box->block[1]);
}

/* The inverse of A' W A by Gauss and Jordan; returns the logarithm of its determinant. */
static double
dense_inverse(const SparseRows *rows, double inverse[MAX_UNKNOWNS][MAX_UNKNOWNS])
{
	static double a[MAX_UNKNOWNS][MAX_UNKNOWNS];
	double		log_determinant = 0;
	uint32_t	n = rows->n;
	uint32_t	r,
				i,
				j,
				k;
	size_t		e,
				f;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
		{
			a[i][j] = 0;
			inverse[i][j] = i == j;
		}
	for (r = 0; r < rows->nrows; r++)
		for (e = rows->first[r]; e < rows->first[r + 1]; e++)
			for (f = rows->first[r]; f < rows->first[r + 1]; f++)
				a[rows->unknown[e]][rows->unknown[f]] += rows->weight[r] *
					rows->coefficient[e] * rows->coefficient[f];
	for (k = 0; k < n; k++)
	{
		double		pivot = a[k][k];

		log_determinant += log(pivot);
		for (j = 0; j < n; j++)
		{
			a[k][j] /= pivot;
			inverse[k][j] /= pivot;
		}
		for (i = 0; i < n; i++)
		{
			double		factor = a[i][k];

			if (i == k)
				continue;
			for (j = 0; j < n; j++)
			{
				a[i][j] -= factor * a[k][j];
				inverse[i][j] -= factor * inverse[k][j];
			}
		}
	}
	return log_determinant;
}

/* Random rows: the factor, what it solves, and its inverse where it is known. */
static void
test_sparse(void **state)
{
	static double inverse[MAX_UNKNOWNS][MAX_UNKNOWNS];
	Random		random = {3};
	int			round;

	(void) state;
	for (round = 0; round < 50; round++)
	{
		uint32_t	n = (uint32_t) (1 + random_below(&random, MAX_UNKNOWNS));
		Box		   *box = box_make(n);
		SparseCholesky *s = &box->joint.cholesky;
		uint32_t	i,
					j,
					r;
		size_t		e,
					f,
					p;

		for (i = 0; i < n; i++)
		{
			(void) box_row(box, random_between(&random, 0.1, 2));
			box_entry(box, i, 1);
		}
		for (r = 0; r < 100; r++)
		{
			(void) box_row(box, random_between(&random, 0, 3));
			for (i = 0; i < n; i++)
				if (random_below(&random, (int) n) < 3 && r % 4 < 3)
					box_entry(box, i, random_between(&random, -2, 2));
		}
		box_prepare(box);
		assert_near(sparse_factor(s), dense_inverse(&box->joint.rows, inverse), 1e-9);
		for (i = 0; i < n; i++)
			box->mean[i] = box->sum[i] = random_between(&random, -1, 1);
		sparse_solve(s, box->mean);
		sparse_invert(s);
		for (i = 0; i < n; i++)
		{
			double		x = 0;

			for (j = 0; j < n; j++)
				x += inverse[i][j] * box->sum[j];
			assert_near(box->mean[i], x, 1e-10);
			assert_near(s->inverse_diagonal[i], inverse[i][i], 1e-10);
			for (p = s->column[i]; p < s->column[i + 1]; p++)
				assert_near(s->inverse[p], inverse[i][s->index[p]], 1e-10);
		}
		for (r = 0; r < box->joint.rows.nrows; r++)
		{
			double		variance = 0;

			for (e = box->first[r]; e < box->first[r + 1]; e++)
				for (f = box->first[r]; f < box->first[r + 1]; f++)
					variance += box->coefficient[e] * box->coefficient[f] *
						inverse[box->unknown[e]][box->unknown[f]];
			assert_near(sparse_row_variance(s, r), variance, 1e-9);
		}
		box_free(box);
	}
}

/* A row that observes the difference of two unknowns. */
static void
box_difference(Box *box, uint32_t ahead, uint32_t behind, JointSite site)
{
	uint32_t	row = box_row(box, 0);

	box_entry(box, ahead < behind ? ahead : behind, ahead < behind ? 1 : -1);
	box_entry(box, ahead < behind ? behind : ahead, ahead < behind ? -1 : 1);
	box->site[row - box->joint.nfixed] = site;
}

static Box *
box_of_players(uint32_t n, const double *deviation)
{
	Box		   *box = box_make(n);
	uint32_t	i;

	for (i = 0; i < n; i++)
	{
		(void) box_row(box, 1 / (deviation[i] * deviation[i]));
		box_entry(box, i, 1);
	}
	box->joint.nfixed = n;
	return box;
}

/* Numbers alone: a multivariate normal density, and one iteration. */
static void
test_numbers(void **state)
{
	static const double deviation[4] = {1, 2, 0.5, 1.5};
	static double covariance[MAX_UNKNOWNS][MAX_UNKNOWNS];
	Box		   *box = box_of_players(4, deviation);
	Box		   *dense = box_make(5);
	Random		random = {9};
	double		residual[5];
	double		log_density = 0;
	JointResult result;
	int			pair[5][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 2}, {1, 0}};
	int			i,
				j,
				k;

	(void) state;
	for (i = 0; i < 5; i++)
	{
		JointSite	site = {.kind = JOINT_OBSERVED,.offset = random_between(&random, -1, 1),
			.noise = random_between(&random, 0.2, 2),
		.observed = random_between(&random, -3, 3),.gain = i == 4 ? 2.5 : 1};

		box_difference(box, (uint32_t) pair[i][0], (uint32_t) pair[i][1], site);
		residual[i] = site.observed - site.offset;
	}
	box_prepare(box);
	joint_begin(&box->joint);
	result = joint_solve(&box->joint, 1e-10, 100);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_int_equal(result.iterations, 1);

	/*
	 * The covariances of what is observed, as the inverse of a matrix of unit
	 * rows.
	 */
	for (i = 0; i < 5; i++)
		for (j = 0; j < 5; j++)
		{
			double		cov = i == j ? box->site[i].noise / box->site[i].gain : 0;

			for (k = 0; k < 4; k++)
				cov += ((pair[i][0] == k) - (pair[i][1] == k)) *
					((pair[j][0] == k) - (pair[j][1] == k)) * deviation[k] * deviation[k];
			if (i == j)
			{
				(void) box_row(dense, cov);
				box_entry(dense, (uint32_t) i, 1);
			}
			else if (i < j)
			{
				/*
				 * Products off the diagonal, as the difference of two
				 * squares.
				 */
				(void) box_row(dense, cov / 2);
				box_entry(dense, (uint32_t) i, 1);
				box_entry(dense, (uint32_t) j, 1);
				(void) box_row(dense, -cov / 2);
				box_entry(dense, (uint32_t) i, 1);
				box_entry(dense, (uint32_t) j, -1);
			}
		}
	log_density = dense_inverse(&dense->joint.rows, covariance) + 5 * log(2 * M_PI);
	for (i = 0; i < 5; i++)
		for (j = 0; j < 5; j++)
			log_density += residual[i] * covariance[i][j] * residual[j];
	log_density /= -2;

	/*
	 * One of gain g is as g of noise noise: its density is that of their
	 * mean, and more.
	 */
	log_density += -1.5 / 2 * log(2 * M_PI * box->site[4].noise) - log(2.5) / 2;
	assert_near(result.log_evidence, log_density, 1e-10);
	box_free(box);
	box_free(dense);
}

/* Orders and draws among three players, with Simpson's rule over all three. */
static void
test_orders(void **state)
{
	static const double deviation[3] = {1, 1.5, 0.7};
	const int	steps = 120;
	Box		   *box = box_of_players(3, deviation);
	double		total = 0;
	double		moment[3] = {0, 0, 0},
				square_moment[3] = {0, 0, 0};
	JointResult result;
	uint32_t	pair[5][2] = {{0, 1}, {0, 1}, {1, 2}, {2, 0}, {0, 2}};
	int			at[3];
	int			i;

	(void) state;
	for (i = 0; i < 5; i++)
	{
		JointSite	site = {.kind = i == 3 ? JOINT_WITHIN : JOINT_ABOVE,.offset = 0.1 * i,
		.noise = 2,.margin = 0.4,.gain = i == 1 ? 2 : 1};

		box_difference(box, pair[i][0], pair[i][1], site);
	}
	box_prepare(box);
	joint_begin(&box->joint);
	result = joint_solve(&box->joint, 1e-10, 100);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	for (at[0] = 0; at[0] <= steps; at[0]++)
		for (at[1] = 0; at[1] <= steps; at[1]++)
			for (at[2] = 0; at[2] <= steps; at[2]++)
			{
				double		x[3];
				double		value = pow(16.0 / steps / 3, 3);

				for (i = 0; i < 3; i++)
				{
					x[i] = -8 + 16.0 * at[i] / steps;
					value *= normal_density(x[i]) * (at[i] == 0 || at[i] == steps ? 1 :
													 at[i] % 2 ? 4 : 2);
					x[i] *= deviation[i];
				}
				for (i = 0; i < 5; i++)
				{
					double		d = x[pair[i][0]] - x[pair[i][1]] + 0.1 * i;
					double		p = i == 3 ?
						normal_cdf((d + 0.4) / sqrt(2)) - normal_cdf((d - 0.4) / sqrt(2)) :
						normal_cdf((d - 0.4) / sqrt(2));

					value *= i == 1 ? p * p : p;
				}
				total += value;
				for (i = 0; i < 3; i++)
				{
					moment[i] += x[i] * value;
					square_moment[i] += x[i] * x[i] * value;
				}
			}
	print_message("%d iterations: %.9g, exactly %.9g\n", result.iterations,
				  result.log_evidence, log(total));
	assert_near(result.log_evidence, log(total), 5e-3);
	for (i = 0; i < 3; i++)
	{
		moment[i] /= total;
		square_moment[i] = square_moment[i] / total - moment[i] * moment[i];
		assert_near(box->mean[i], moment[i], 2e-3);
		assert_near(joint_variance(&box->joint, (uint32_t) i), square_moment[i], 5e-3);
	}
	box_free(box);
}

/* A single order is exact; one that is impossible is that; sums without noise are ranks. */
static void
test_single(void **state)
{
	static const double deviation[2] = {3, 4};
	int			kind;

	(void) state;
	for (kind = 0; kind < 3; kind++)
	{
		Box		   *box = box_of_players(2, deviation);
		JointSite	site = {.kind = kind == 0 ? JOINT_ABOVE : JOINT_WITHIN,.offset = 1,
		.margin = kind == 2 ? 0 : 2,.shift = kind == 0 ? 0.25 : 0,.gain = 1};
		JointResult result;

		box_difference(box, 0, 1, site);
		box_prepare(box);
		joint_begin(&box->joint);
		result = joint_solve(&box->joint, 1e-9, 100);
		assert_near(result.log_evidence,
					kind == 0 ? log(normal_cdf(-0.2 + 0.25)) :
					kind == 1 ? log(normal_cdf(0.6) - normal_cdf(-0.2)) : -INFINITY, 1e-9);
		box_free(box);
	}
}

/* Many matches of two of few players settle. */
static void
test_many(void **state)
{
	static const double deviation[4] = {8, 8, 8, 8};
	Box		   *box = box_of_players(4, deviation);
	Random		random = {77};
	JointResult result;
	int			i;

	(void) state;
	for (i = 0; i < 290; i++)
	{
		JointSite	site = {.kind = random_below(&random, 5) == 0 ? JOINT_WITHIN : JOINT_ABOVE,
		.noise = 30,.margin = 1,.gain = 1};
		uint32_t	a = (uint32_t) random_below(&random, 4);

		box_difference(box, a, (a + 1 + (uint32_t) random_below(&random, 3)) % 4, site);
	}
	box_prepare(box);
	joint_begin(&box->joint);
	result = joint_solve(&box->joint, 1e-9, 200);
	print_message("%d iterations, %g\n", result.iterations, result.log_evidence);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	box_free(box);
}

/* Priors that differ by orders of magnitude settle; what does not is said. */
static void
test_extremes(void **state)
{
	static const double deviation[4] = {1e-5, 1, 1e3, 1e6};
	Random		random = {78};
	JointResult result;
	int			i;
	int			kind;

	(void) state;
	for (kind = 0; kind < 3; kind++)
	{
		Box		   *box = box_of_players(4, deviation);

		for (i = 0; i < 40; i++)
		{
			JointSite	site = {.kind = JOINT_ABOVE,.noise = kind == 2 ? NAN : 30,
			.margin = 1,.gain = 1};
			uint32_t	a = (uint32_t) random_below(&random, 4);

			box_difference(box, a, (a + 1 + (uint32_t) random_below(&random, 3)) % 4, site);
		}
		box_prepare(box);
		joint_begin(&box->joint);
		result = joint_solve(&box->joint, 1e-9, kind == 1 ? 2 : 1000);
		assert_int_equal(result.status, kind == 0 ? SOLVE_CONVERGED :
						 kind == 1 ? SOLVE_MAX_ITERATIONS : SOLVE_NOT_FINITE);
		if (kind == 1)
			assert_int_equal(result.iterations, 2);
		box_free(box);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
