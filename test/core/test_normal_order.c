/*
 * test_normal_order.c
 *		Orders of normal variables: what adds up to 1, closed forms, brute force.
 */
#include <stdlib.h>

#include "test.h"

#include "core/math/normal.h"
#include "core/math/normal_order.h"
#include "core/models/state_space.h"
#include "core/util/extremes.h"

/* A match of single players, of whom n performances have these moments. */
typedef struct Contest
{
	StateSpace	model;
	Match		match;
	MatchTeam	team[1000];
	MatchPlayer player[1000];
	MatchEntry	entry[1000];
	double		state[1000][STATE_SPACE_NSTATE];
} Contest;

#define BETA 0.05

/* The margin is given in deviations of the noise of two players. */
static double
log_evidence_by(Contest *contest, const double *mean, const double *deviation,
				const double *rank, int n, double margin, Ties ties)
{
	Match	   *match = &contest->match;
	int			i;

	memset(contest, 0, sizeof(Contest));
	contest->model.beta = BETA;
	contest->model.margin = margin / sqrt(2) / BETA;
	contest->model.strength = STATE_SPACE_SUM;
	contest->model.ties = ties;
	match->team = contest->team;
	match->player = contest->player;
	match->entry = contest->entry;
	match->nteams = match->nplayers = match->nentries = n;
	for (i = 0; i < n; i++)
	{
		contest->team[i].number = i;
		contest->team[i].rank = rank[i];
		contest->entry[i] = (MatchEntry)
		{
			.player = i,.team = i,.previous = -1,.weight = 1
		};
		contest->state[i][STATE_SPACE_MU] = mean[i];
		contest->state[i][STATE_SPACE_SIGMA] = sqrt(deviation[i] * deviation[i] - BETA * BETA);
		contest->player[i].before = contest->state[i];
		contest->player[i].gain = contest->player[i].weight = 1;
		contest->player[i].last_entry = i;
	}
	return state_space_log_evidence(&contest->model, match);
}

/* The same with ties as a chain, one order of variables. */
static double
log_evidence(Contest *contest, const double *mean, const double *deviation,
			 const double *rank, int n, double margin)
{
	return log_evidence_by(contest, mean, deviation, rank, n, margin, TIES_CHAIN);
}

/*
 * Two variables: a tail, or a band, of their difference, however far out, in closed form
 * and by quadrature.
 */
static void
test_two(void **state)
{
	const double deviation[2] = {1.5, 0.7};
	const double margin = 0.4;
	double		c = sqrt(1.5 * 1.5 + 0.7 * 0.7);
	double		lead;
	Contest    *contest = malloc(sizeof(Contest));

	(void) state;
	for (lead = -20; lead <= 20; lead += 0.7)
	{
		double		mean[2] = {30 + lead, 30};
		int			drew;

		for (drew = 0; drew < 2; drew++)
		{
			NormalOrderVariable v[2] = {0};
			double		exact = drew ? normal_log_band(lead / c, 0.4 / c) :
				normal_log_cdf((lead - 0.4) / c);
			double		gap = drew ? smaller(larger(lead, -0.4), 0.4) : larger(lead, 0.4);
			int			i;

			/*
			 * Where they are if the difference is next to what the condition
			 * wants.
			 */
			for (i = 0; i < 2; i++)
			{
				v[i].mean = mean[i];
				v[i].deviation = deviation[i];
				v[i].place.mean = mean[i] + (i == 0 ? 1 : -1) * (gap - lead) *
					(deviation[i] * deviation[i]) / (c * c);
				v[i].place.deviation = deviation[i];
				v[i].place.slope = i == 0 ? 0 : (gap - lead) / (c * c);
			}
			v[0].margin = margin;
			v[0].within = drew == 1;
			assert_near(normal_order_log_probability(v, 2, NULL), exact, 1e-9 * (1 + fabs(exact)));
		}
	}

	/* The same through a match. */
	for (lead = -20; lead <= 20; lead += 0.7)
	{
		const double mean[2] = {30 + lead, 30};
		const double won[2] = {1, 2};
		const double drawn[2] = {1, 1};

		assert_near(log_evidence(contest, mean, deviation, won, 2, 0.1),
					normal_log_cdf((lead - 0.1) / c), 1e-9 * (1 + lead * lead));
		assert_near(log_evidence(contest, mean, deviation, drawn, 2, 0.1),
					normal_log_band(lead / c, 0.1 / c), 1e-9 * (1 + lead * lead));
	}
	free(contest);
}

/* A band from its tails, from its density, and beyond what a double can hold. */
static void
test_band(void **state)
{
	double		t;

	(void) state;
	for (t = -6; t <= 6; t += 0.25)
		assert_near(normal_log_band(t, 0.3),
					log(normal_cdf(0.3 - fabs(t)) - normal_cdf(-0.3 - fabs(t))), 1e-10);
	assert_near(normal_log_band(1, 1e-7), log(2e-7 * normal_density(1)), 1e-9);
	assert_near(normal_log_band(0, 1e-3), log(erf(1e-3 / sqrt(2))), 1e-12);
	assert_near(normal_log_band(50, 1), normal_log_cdf(-49), 1e-9);
	assert_true(normal_log_band(0.3, 0) == -INFINITY);
	assert_near(normal_log_band(2, 100), 0, 1e-15);
}

/* One of all orders occurs. */
static void
test_orders_add_up(void **state)
{
	static const int order[24][4] = {
		{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1},
		{1, 0, 2, 3}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 2, 3, 0}, {1, 3, 0, 2}, {1, 3, 2, 0},
		{2, 0, 1, 3}, {2, 0, 3, 1}, {2, 1, 0, 3}, {2, 1, 3, 0}, {2, 3, 0, 1}, {2, 3, 1, 0},
		{3, 0, 1, 2}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}, {3, 2, 1, 0},
	};
	Random		random = {51};
	Contest    *contest = malloc(sizeof(Contest));
	int			round;

	(void) state;
	for (round = 0; round < 20; round++)
	{
		double		mean[4],
					deviation[4];
		double		sum = 0;
		int			o,
					i;

		for (i = 0; i < 4; i++)
		{
			mean[i] = random_between(&random, -4, 4);
			deviation[i] = pow(10, random_between(&random, -0.5, 0.5));
		}
		for (o = 0; o < 24; o++)
		{
			double		rank[4];

			for (i = 0; i < 4; i++)
				rank[order[o][i]] = i + 1;
			sum += exp(log_evidence(contest, mean, deviation, rank, 4, 0));
		}
		assert_near(sum, 1, 1e-8);
	}
	free(contest);
}

/* Equals come in any order. */
static void
test_equals(void **state)
{
	static const int sizes[] = {2, 3, 7, 20, 100, 1000};
	static double mean[1000];
	static double deviation[1000];
	static double rank[1000];
	Contest    *contest = malloc(sizeof(Contest));
	size_t		s;
	int			i;

	(void) state;
	for (i = 0; i < 1000; i++)
	{
		mean[i] = 25;
		deviation[i] = 9;
		rank[i] = i + 1;
	}
	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		assert_near(log_evidence(contest, mean, deviation, rank, sizes[s], 0),
					-lgamma(sizes[s] + 1), 1e-8 * sizes[s]);
	free(contest);
}

/*
 * Three variables with margins by brute force: the middle one on a fine grid, and the
 * two conditions given it.
 */
static void
test_three(void **state)
{
	Random		random = {53};
	Contest    *contest = malloc(sizeof(Contest));
	int			round;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		double		mean[3],
					deviation[3],
					rank[3] = {1, 1, 1};
		double		margin = random_between(&random, 0.02, 0.3);
		bool		within[2];
		double		sum = 0;
		int			i;
		const double h = 0.005;

		for (i = 0; i < 3; i++)
		{
			mean[i] = random_between(&random, -5, 5);
			deviation[i] = random_between(&random, 0.5, 3);
		}
		for (i = 0; i < 2; i++)
		{
			within[i] = random_between(&random, 0, 1) < 0.5;
			rank[i + 1] = within[i] ? rank[i] : i + 2;
		}
		for (i = -2000; i <= 2000; i++)
		{
			double		x = mean[1] + i * h * deviation[1];
			double		above = within[0] ?
				exp(normal_log_band((x - mean[0]) / deviation[0], margin / deviation[0])) :
				normal_cdf((mean[0] - x - margin) / deviation[0]);
			double		below = within[1] ?
				exp(normal_log_band((x - mean[2]) / deviation[2], margin / deviation[2])) :
				normal_cdf((x - margin - mean[2]) / deviation[2]);

			sum += h * normal_density(i * h) * above * below;
		}
		assert_near(log_evidence(contest, mean, deviation, rank, 3, margin), log(sum), 1e-8);
	}
	free(contest);
}

/*
 * Three variables, of which two or all tied, by brute force: the level on a fine grid, each
 * within its part of the margin of it, and the third above or below the level.
 */
static void
test_tied(void **state)
{
	Random		random = {57};
	Contest    *contest = malloc(sizeof(Contest));
	int			round;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		static const double ranks[3][3] = {{1, 2, 2}, {1, 1, 2}, {1, 1, 1}};
		const double *rank = ranks[round % 3];
		const double step = 0.002;
		double		mean[3],
					deviation[3];
		double		margin = random_between(&random, 0.02, 2);
		double		sum = 0;
		double		x;
		int			i;

		for (i = 0; i < 3; i++)
		{
			mean[i] = random_between(&random, -3, 3);
			deviation[i] = random_between(&random, 0.5, 3);
		}
		for (x = -25; x <= 25; x += step)
		{
			double		value = step / margin;

			for (i = 0; i < 3; i++)
				value *= rank[i] == rank[1] ? normal_band((mean[i] - x) / deviation[i],
														  margin / sqrt(2) / deviation[i]) :
					normal_cdf(((rank[i] < rank[1] ? mean[i] - x : x - mean[i]) - margin) /
							   deviation[i]);
			sum += value;
		}
		assert_near(log_evidence_by(contest, mean, deviation, rank, 3, margin, TIES_ALIKE),
					log(sum), 1e-7);
	}

	/* A tie is impossible without a margin, and nearly certain if it is as wide as all. */
	{
		const double mean[3] = {1, 2, 3};
		const double deviation[3] = {1, 1, 1};
		const double rank[3] = {1, 1, 1};

		assert_true(log_evidence_by(contest, mean, deviation, rank, 3, 0, TIES_ALIKE) ==
					-INFINITY);
		assert_near(log_evidence_by(contest, mean, deviation, rank, 3, 1e3, TIES_ALIKE),
					log(2 / sqrt(2)), 0.02);
	}
	free(contest);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_band),
		cmocka_unit_test(test_orders_add_up),
		cmocka_unit_test(test_equals),
		cmocka_unit_test(test_three),
		cmocka_unit_test(test_tied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
