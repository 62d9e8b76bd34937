/*
 * test_ties.c
 *		Teams that tied in a field: the exact posterior by brute force, closed forms, symmetry.
 */
#include <stdlib.h>

#include "test.h"

#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/models/state_space.h"
#include "core/models/trueskill.h"
#include "core/util/extremes.h"

#define MAX_FIELD	1000

/* A field of teams with these performances. */
typedef struct Field
{
	Match		match;
	MatchTeam	team[MAX_FIELD];
	double		mean[MAX_FIELD];
	double		variance[MAX_FIELD];
	double		size[MAX_FIELD];
	double		per_size;
	bool		settled;
	TeamChain	chain;
	double		after_mean[MAX_FIELD];	/* of the performances, as solved */
	double		after_variance[MAX_FIELD];
} Field;

static Field field;

static void
solve_field(int n, Ties ties)
{
	int			i;

	field.match.nteams = n;
	field.match.team = field.team;
	team_chain_solve(&field.chain, &field.match, field.mean, field.variance, field.size,
					 field.per_size, ties);
	for (i = 0; i < n; i++)
	{
		const ChainTeam *team = &field.chain.team[i];
		int			t = team->number;

		field.settled = isfinite(team->gradient);
		assert_true(field.settled ? team->rest > 0 && team->rest <= 1 : isnan(team->rest));
		field.after_mean[t] = field.mean[t] + field.variance[t] * team->gradient;
		field.after_variance[t] = field.variance[t] * team->rest;
	}
}

/*
 * ---- The exact posterior, on a grid of levels and performances ----
 */

#define GRID	4001

/* A rank: who has it, where it is on the grid, and what is above and below of it. */
typedef struct Place
{
	int			n;
	int			member[8];
	double		size;
	double		own[GRID];
	double		above[GRID];
	double		below[GRID];
} Place;

static Place place[8];

/* What lies beyond a place, above (sign 1) or below (-1), as its neighbour sees it. */
static void
pass_on(const Place *from, const double *beyond, double *result, double margin, int sign,
		double step)
{
	static double sum[GRID];
	double		shift = margin / step;
	int			i;

	/* From the far end on, so that little of a tail is no difference. */
	sum[0] = 0;
	for (i = 1; i < GRID; i++)
	{
		int			k = sign > 0 ? GRID - 1 - i : i;

		sum[i] = sum[i - 1] + step / 2 * (from->own[k] * beyond[k] +
										  from->own[k + sign] * beyond[k + sign]);
	}
	for (i = 0; i < GRID; i++)
	{
		double		at = (sign > 0 ? GRID - 1 - i : i) - shift;
		int			k = (int) floor(at);

		result[i] = at <= 0 ? 0 : sum[k] + (at - k) * (sum[k + 1] - sum[k]);
	}
}

/* Moments of a member within its margin of a level, times their probability. */
static void
band_moments(int member, double level, double *moment)
{
	const int	steps = 60;
	double		h = field.per_size * sqrt(field.size[member]);
	double		s = sqrt(field.variance[member]);
	int			i,
				k;

	moment[0] = moment[1] = moment[2] = 0;
	for (i = 0; i <= steps; i++)
	{
		double		x = level - h + 2 * h * i / steps;
		double		p = normal_density((x - field.mean[member]) / s) / s * 2 * h / steps / 3 *
			(i == 0 || i == steps ? 1 : i % 2 ? 4 : 2);

		for (k = 0; k < 3; k++, p *= x)
			moment[k] += p;
	}
}

/* The moments of all, and the probability, into mean and variance (by team). */
static double
exact_field(int n, double from, double to, double *mean, double *variance)
{
	double		step = (to - from) / (GRID - 1);
	double		probability = 0;
	double		levels = 1;
	int			places = 0;
	int			i,
				j,
				k;

	for (i = 1; i <= n; i++)
	{
		Place	   *p = &place[places];

		p->n = 0;
		p->size = 0;
		for (j = 0; j < n; j++)
			if (field.team[j].rank == i)
			{
				p->member[p->n++] = j;
				p->size += field.size[j];
			}
		if (p->n == 0)
			continue;
		p->size /= p->n;
		places++;
		if (p->n > 1)
			levels *= field.per_size * sqrt(2 * p->size);
		for (k = 0; k < GRID; k++)
		{
			double		x = from + k * step;

			p->own[k] = p->above[k] = p->below[k] = 1;
			for (j = 0; j < p->n; j++)
			{
				int			m = p->member[j];
				double		s = sqrt(field.variance[m]);
				double		h = field.per_size * sqrt(field.size[m]);

				p->own[k] *= p->n == 1 ? normal_density((x - field.mean[m]) / s) / s :
					normal_band((x - field.mean[m]) / s, h / s);
			}
		}
	}
	for (i = 1; i < places; i++)
		pass_on(&place[i - 1], place[i - 1].above, place[i].above,
				field.per_size * sqrt(place[i - 1].size + place[i].size), 1, step);
	for (i = places - 2; i >= 0; i--)
		pass_on(&place[i + 1], place[i + 1].below, place[i].below,
				field.per_size * sqrt(place[i + 1].size + place[i].size), -1, step);
	for (i = 0; i < places; i++)
		for (j = 0; j < place[i].n; j++)
		{
			double		total[3] = {0, 0, 0};
			int			m = place[i].member[j];

			for (k = 0; k < GRID; k++)
			{
				double		x = from + k * step;
				double		weight = step * place[i].own[k] * place[i].above[k] *
					place[i].below[k];
				double		moment[3] = {1, x, x * x};
				int			r;

				if (weight == 0)
					continue;
				if (place[i].n > 1)
					band_moments(m, x, moment);
				for (r = 0; r < 3; r++)
					total[r] += weight * moment[r] / moment[0];
			}
			probability = total[0] / levels;
			mean[m] = total[1] / total[0];
			variance[m] = total[2] / total[0] - square(mean[m]);
		}
	return probability;
}

/* Performances not far from one another, and ranks with at least one tie. */
static void
random_field(Random *random, int n)
{
	int			i;
	bool		tied = false;

	field.per_size = random_between(random, 0.05, 2);
	while (!tied)
	{
		bool		taken[9] = {false};

		for (i = 0; i < n; i++)
		{
			int			rank = 1 + random_below(random, n);

			field.mean[i] = random_between(random, -2, 2);
			field.variance[i] = square(random_between(random, 1, 3));
			field.size[i] = 1 + random_below(random, 3);
			field.team[i].rank = rank;
			tied = tied || taken[rank];
			taken[rank] = true;
		}
	}
}

/*
 * Fields of three and four: expectation propagation is next to the exact posterior, and
 * exact where there is nothing but one tie.
 */
static void
test_exact_posterior(void **state)
{
	Random		random = {101};
	double		worst_mean = 0;
	double		worst_variance = 0;
	int			round,
				i;

	(void) state;
	for (round = 0; round < 150; round++)
	{
		int			n = 3 + round % 3;
		double		mean[8];
		double		variance[8];

		random_field(&random, n);
		solve_field(n, TIES_ALIKE);
		exact_field(n, -25, 25, mean, variance);
		for (i = 0; i < n; i++)
		{
			double		off = fabs(field.after_mean[i] - mean[i]) / sqrt(field.variance[i]);
			double		share = fabs(field.after_variance[i] - variance[i]) / field.variance[i];

			worst_mean = larger(worst_mean, off);
			worst_variance = larger(worst_variance, share);
			if (field.chain.nlinks == 1)
				assert_true(off < 1e-6 && share < 1e-6);
		}
	}
	print_message("means within %.2g deviations, variances within %.2g of them\n",
				  worst_mean, worst_variance);
	assert_true(worst_mean < 0.02 && worst_variance < 0.02);
}

/* A standard normal variable, by Box and Muller. */
static double
random_normal(Random *random)
{
	return sqrt(-2 * log(1 - random_between(random, 0, 1))) *
		cos(2 * M_PI * random_between(random, 0, 1));
}

/* What sampling finds: sums of weights, their squares, and moments of each team. */
typedef struct Sample
{
	double		total;
	double		squares;
	double		first[8];
	double		second[8];
} Sample;

/*
 * Sample performances, each weighted by the length of where the level of rank 2 may be, the
 * only one that is tied; ranks 1 and 3 have at most one team.
 */
static void
take_samples(Random *random, int n, double size, int samples, Sample *sample)
{
	int			i,
				k;

	memset(sample, 0, sizeof(Sample));
	for (k = 0; k < samples; k++)
	{
		double		x[8];
		double		low = -INFINITY;
		double		high = INFINITY;
		double		weight;

		for (i = 0; i < n; i++)
		{
			double		h = field.per_size * sqrt(field.size[i]);
			double		margin = field.per_size * sqrt(field.size[i] + size);
			double		rank = field.team[i].rank;

			x[i] = field.mean[i] + sqrt(field.variance[i]) * random_normal(random);
			low = larger(low, rank == 2 ? x[i] - h : rank == 3 ? x[i] + margin : -INFINITY);
			high = smaller(high, rank == 2 ? x[i] + h : rank == 1 ? x[i] - margin : INFINITY);
		}
		weight = larger(high - low, 0);
		sample->total += weight;
		sample->squares += square(weight);
		for (i = 0; i < n && weight > 0; i++)
		{
			sample->first[i] += weight * x[i];
			sample->second[i] += weight * square(x[i]);
		}
	}
}

/* The grid is right, by sampling, which knows nothing of integrals. */
static void
test_grid_by_sampling(void **state)
{
	const int	samples = 500000;
	Random		random = {103};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 6; round++)
	{
		int			n = 3 + round % 3;
		int			tied = 0;
		double		size = 0;
		double		mean[8];
		double		variance[8];
		double		exact;
		double		error;
		Sample		sample;

		random_field(&random, n);
		field.per_size = 1;
		for (i = 0; i < n; i++)
		{
			field.team[i].rank = i == 0 && n > 3 ? 1 : i == 1 ? 3 : 2;
			tied += field.team[i].rank == 2;
			size += field.team[i].rank == 2 ? field.size[i] : 0;
		}
		size /= tied;
		exact = exact_field(n, -25, 25, mean, variance);
		take_samples(&random, n, size, samples, &sample);
		error = sqrt(sample.squares) / sample.total;
		assert_true(error < 0.05);
		assert_near(sample.total / samples / (field.per_size * sqrt(2 * size)) / exact, 1,
					5 * error);
		for (i = 0; i < n; i++)
		{
			double		x = sample.first[i] / sample.total;

			assert_near(x, mean[i], 5 * error * sqrt(variance[i]));
			assert_near(sample.second[i] / sample.total - square(x), variance[i],
						8 * error * variance[i]);
		}
	}
}

/* Without a margin those who tied performed the same: a normal density of all. */
static void
test_no_margin(void **state)
{
	Random		random = {107};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 100; round++)
	{
		int			n = 3 + random_below(&random, 20);
		double		precision = 0;
		double		weighted = 0;

		field.per_size = round % 2 ? 0 : 1e-7;
		for (i = 0; i < n; i++)
		{
			field.team[i].rank = 1;
			field.mean[i] = random_between(&random, -5, 5);
			field.variance[i] = square(random_between(&random, 1, 3));
			field.size[i] = 1 + random_below(&random, 3);
			precision += 1 / field.variance[i];
			weighted += field.mean[i] / field.variance[i];
		}
		solve_field(n, TIES_ALIKE);
		for (i = 0; i < n; i++)
		{
			assert_near(field.after_mean[i], weighted / precision, 1e-8);
			assert_relative(field.after_variance[i], 1 / precision, 1e-8);
		}
	}
}

/* The other way around, a match says the same with the opposite sign. */
static void
test_mirror(void **state)
{
	Random		random = {109};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		int			n = 3 + random_below(&random, 6);
		double		mean[8];
		double		variance[8];

		random_field(&random, n);
		solve_field(n, TIES_ALIKE);
		memcpy(mean, field.after_mean, sizeof(mean));
		memcpy(variance, field.after_variance, sizeof(variance));
		for (i = 0; i < n; i++)
		{
			field.mean[i] = -field.mean[i];
			field.team[i].rank = n + 1 - field.team[i].rank;
		}
		solve_field(n, TIES_ALIKE);
		for (i = 0; i < n; i++)
		{
			assert_near(field.after_mean[i], -mean[i], 1e-8);
			assert_near(field.after_variance[i], variance[i], 1e-8);
		}
	}
}

/*
 * Two who tied, and others of whom they learn nothing: next to a draw of two, the margin of
 * which has another shape but the same variance.
 */
static void
test_two_among_others(void **state)
{
	double		p;

	(void) state;
	for (p = 0.02; p < 0.4; p += 0.02)
	{
		double		lead;

		for (lead = -10; lead <= 10; lead += 2.5)
		{
			int			i;

			field.per_size = normal_quantile((1 + p) / 2) * 25 / 6;
			for (i = 0; i < 4; i++)
			{
				field.mean[i] = i == 0 ? 300 : i == 3 ? -300 : 25 + (i == 1 ? lead : 0);
				field.variance[i] = 87 - 10 * i;
				field.size[i] = 1;
				field.team[i].rank = i == 0 ? 1 : i == 3 ? 3 : 2;
			}
			solve_field(4, TIES_ALIKE);
			for (i = 1; i < 3; i++)
			{
				double		c = sqrt(field.variance[1] + field.variance[2]);
				Truncation	draw = truncated_draw(lead / c, field.per_size * sqrt(2) / c);

				assert_near(field.after_mean[i], field.mean[i] +
							(i == 1 ? 1 : -1) * field.variance[i] / c * draw.v,
							5e-3 * square(p) * c);
				assert_relative(field.after_variance[i], field.variance[i] *
								(1 - field.variance[i] / square(c) * draw.w),
								2e-2 * square(p));
			}
		}
	}
}

static int	nchecks;

static void
count_check(void)
{
	nchecks++;
}

/*
 * Fields as large as they may be: all tied, pairs, two halves; those who are equal stay so.
 * Whoever waits may interrupt the search at every level.
 */
static void
test_large(void **state)
{
	Random		random = {113};
	int			shape,
				i;

	(void) state;
	for (shape = 0; shape < 4; shape++)
	{
		field.per_size = 0.5;
		for (i = 0; i < MAX_FIELD; i++)
		{
			bool		again = i % 2 == 1 && shape != 1;

			field.mean[i] = again ? field.mean[i - 1] : random_between(&random, -30, 30);
			field.variance[i] = again ? field.variance[i - 1] :
				random_between(&random, 50, 100);
			field.size[i] = 1;
			field.team[i].rank = shape == 0 ? 1 : shape == 1 ? i / 2 : shape == 2 ? i / 500 :
				i < 500 ? i / 2 : 600;
		}
		nchecks = 0;
		field.match.interrupt = count_check;
		solve_field(MAX_FIELD, TIES_ALIKE);
		field.match.interrupt = NULL;

		/* At the beginning, in two sweeps at least and at the end. */
		if (shape == 1)
			assert_true(nchecks >= 4 * MAX_FIELD / 2);
		for (i = 1; i < MAX_FIELD && shape != 1; i += 2)
		{
			assert_same(field.after_mean[i], field.after_mean[i - 1]);
			assert_same(field.after_variance[i], field.after_variance[i - 1]);
		}
	}
}

/*
 * Means and deviations that are as different as can be: nobody is less certain than before,
 * which solve_field() asserts, and hardly a field does not settle, which the models report.
 */
static void
test_extremes(void **state)
{
	static const double margins[] = {0, 1e-300, 1e-9, 1, 1e3, 1e9};
	static const double deviations[4] = {6e4, 9e9, 8e-12, 8e-10};
	Random		random = {127};
	int			unsettled[3] = {0, 0, 0};
	int			round,
				i;

	/* A band so flat that the level has no curvature, and so narrow that no step counts. */
	(void) state;
	field.per_size = 1e-9;
	for (i = 0; i < 4; i++)
	{
		field.mean[i] = i == 0 ? 0 : 3.6e9;
		field.variance[i] = square(deviations[i]);
		field.size[i] = i == 3 ? 4654 : 1;
		field.team[i].rank = i < 2 ? 2 : 3;
	}
	solve_field(4, TIES_ALIKE);
	for (round = 0; round < 1500; round++)
	{
		int			n = 3 + random_below(&random, 5);
		double		decades = round % 3 == 0 ? 1 : round % 3 == 1 ? 4 : 12;

		field.per_size = margins[random_below(&random, 6)];
		for (i = 0; i < n; i++)
		{
			field.mean[i] = random_below(&random, 3) == 0 ? 0 :
				(random_below(&random, 2) ? 1 : -1) * random_magnitude(&random, decades);
			field.variance[i] = square(random_magnitude(&random, decades));
			field.size[i] = random_below(&random, 4) == 0 ? random_magnitude(&random, 4) : 1;
			field.team[i].rank = 1 + random_below(&random, 3);
		}
		solve_field(n, TIES_ALIKE);
		unsettled[round % 3] += !field.settled;
	}
	print_message("not settled: %d, %d and %d of 500\n", unsettled[0], unsettled[1], unsettled[2]);
	assert_true(unsettled[0] <= 2 && unsettled[1] <= 25 && unsettled[2] <= 75);
}

/* Gaps of thousands of deviations: those who tied end next to one another. */
static void
test_gaps(void **state)
{
	static const double gaps[] = {10, 1e2, 1e4, 1e6, 1e8};
	int			g,
				i;

	(void) state;
	for (g = 0; g < 5; g++)
	{
		field.per_size = 0.1;
		for (i = 0; i < 4; i++)
		{
			field.mean[i] = gaps[g] * i;
			field.variance[i] = 1;
			field.size[i] = 1;
			field.team[i].rank = 1;
		}
		solve_field(4, TIES_ALIKE);
		for (i = 0; i < 4; i++)
		{
			assert_near(field.after_mean[i], 1.5 * gaps[g], 0.11 + 1e-9 * gaps[g]);
			assert_true(field.after_variance[i] <= 1.0 / 4 + 0.01);
		}
	}
}

/*
 * ---- Models ----
 */

static const char *const models[] = {"trueskill", "state_space"};

/* Thirty newcomers, fifteen of whom tied for the sixteenth place, the last. */
static void
test_newcomers(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "trueskill");
	for (i = 0; i < 30; i++)
		fixture_add(&f, i, i, smaller(i + 1, 16));
	fixture_rate(&f);
	for (i = 16; i < 30; i++)
	{
		assert_same(f.after[i][0], f.after[15][0]);
		assert_same(f.after[i][1], f.after[15][1]);
	}

	/* Between those who are the first and the last of a chain. */
	assert_near(f.after[15][0], 19.76, 0.005);
	fixture_param(&f, "ties")->choice = TIES_CHAIN;
	fixture_rate(&f);
	assert_near(f.after[15][0], 19.34, 0.005);
	assert_near(f.after[29][0], 20.39, 0.005);
}

/* Without ties, and with two teams, the treatment of ties changes no bit. */
static void
test_no_ties(void **state)
{
	Random		random = {131};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 400; round++)
	{
		double		after[TEST_MAX_ROWS][MODEL_MAX_STATE];
		int			n = 2 + random_below(&random, 6);
		Fixture		f;

		fixture_init(&f, models[round % 2]);
		for (i = 0; i < n; i++)
		{
			f.before[i][0] += random_between(&random, -1, 1);
			fixture_add(&f, i, i, n == 2 ? 1 : n - i);
		}
		fixture_rate(&f);
		memcpy(after, f.after, sizeof(after));
		fixture_param(&f, "ties")->choice = TIES_CHAIN;
		fixture_rate(&f);
		for (i = 0; i < n; i++)
			for (j = 0; j < f.model->nstate; j++)
				assert_same(after[i][j], f.after[i][j]);
	}
}

/*
 * Six teams of two, of which some are equal, in two groups of ties: whatever their numbers,
 * each has the same bits, and those who are equal have the same.
 */
static void
test_permutations(void **state)
{
	Random		random = {137};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 400; round++)
	{
		double		first[6][2][MODEL_MAX_STATE];
		double		mu[6][2];
		double		weight[2] = {1, round % 4 < 2 ? 1 : 0.5};
		int			turn;

		for (i = 0; i < 6; i++)
			for (j = 0; j < 2; j++)
				mu[i][j] = i % 3 == 2 ? mu[i - 1][j] : random_between(&random, -1, 1);
		for (turn = 0; turn < 6; turn++)
		{
			int			order[6] = {0, 1, 2, 3, 4, 5};
			Fixture		f;

			fixture_init(&f, models[round % 2]);
			for (i = 5; i > 0 && turn > 0; i--)
			{
				int			k = random_below(&random, i + 1);
				int			swap = order[i];

				order[i] = order[k];
				order[k] = swap;
			}
			for (i = 0; i < 6; i++)
				for (j = 0; j < 2; j++)
				{
					int			team = order[i];

					f.before[2 * i + j][0] += mu[team][j];
					fixture_add(&f, 2 * i + j, i, 1 + team / 3)->weight = weight[j];
				}
			fixture_rate(&f);
			for (i = 0; i < 6; i++)
				for (j = 0; j < 2 * f.model->nstate; j++)
				{
					double		now = f.after[2 * i + j / f.model->nstate][j % f.model->nstate];
					double	   *was = &first[order[i]][j / f.model->nstate]
						[j % f.model->nstate];

					if (turn == 0)
						*was = now;
					assert_same(now, *was);
				}
		}
		for (j = 0; j < 2; j++)
		{
			assert_same(first[1][j][0], first[2][j][0]);
			assert_same(first[1][j][1], first[2][j][1]);
			assert_same(first[4][j][0], first[5][j][0]);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grid_by_sampling),
		cmocka_unit_test(test_exact_posterior),
		cmocka_unit_test(test_no_margin),
		cmocka_unit_test(test_mirror),
		cmocka_unit_test(test_two_among_others),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_newcomers),
		cmocka_unit_test(test_no_ties),
		cmocka_unit_test(test_permutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
