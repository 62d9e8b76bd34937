/*
 * test_trueskill2.c
 *		TrueSkill 2 against TrueSkill, and each of its factors against integrals.
 */
#include "test.h"

#include "core/models/team_chain.h"

#include "core/math/joint_normal.h"
#include "core/math/normal.h"
#include "core/math/square.h"

enum
{
	MU,
	SIGMA,
	BASE_MU,
	BASE_SIGMA
};

/* No drift, so that a match can be compared with an integral. */
static void
init(Fixture *f)
{
	fixture_init(f, "trueskill2");
	fixture_param(f, "tau")->number = 0;
}

static void
duel(Fixture *f, double mu_a, double sigma_a, double mu_b, double sigma_b)
{
	fixture_clear(f);
	f->before[0][MU] = mu_a;
	f->before[0][SIGMA] = sigma_a;
	f->before[1][MU] = mu_b;
	f->before[1][SIGMA] = sigma_b;
	fixture_add(f, 0, 1, 1);
	fixture_add(f, 1, 2, 2);
}

static void
steps(Fixture *f, const char *name, double bound, double value)
{
	ParamSteps *table = &fixture_param(f, name)->steps;

	table->bound[table->n] = bound;
	table->value[table->n++] = value;
}

/*
 * With nothing but the order it is TrueSkill, whose chain of teams is another
 * way to the same fixed point; the margin there is per player, so each team has
 * one.
 */
static void
test_order_alone_is_trueskill(void **state)
{
	Random		random = {60};
	Fixture		plain;
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&plain, "trueskill");
	fixture_param(&plain, "beta")->number = 1;
	fixture_param(&plain, "tau")->number = 0;
	fixture_param(&plain, "ties")->choice = TIES_CHAIN;
	init(&f);
	fixture_param(&f, "draw_margin")->number =
		normal_quantile(0.55) * sqrt(2);
	for (round = 0; round < 1000; round++)
	{
		int			n = 2 + random_below(&random, 7);

		fixture_clear(&plain);
		fixture_clear(&f);
		for (i = 0; i < n; i++)
		{
			double		rank = 1 + random_below(&random, n);

			f.before[i][MU] = plain.before[i][MU] = random_between(&random, 0, 6);
			f.before[i][SIGMA] = plain.before[i][SIGMA] =
				random_between(&random, 0.1, 2);
			fixture_add(&f, i, i, rank);
			fixture_add(&plain, i, i, rank);
		}
		if (n == 2)
			f.match.log_odds = plain.match.log_odds =
				random_between(&random, -1, 1);
		fixture_rate(&f);
		fixture_rate(&plain);
		for (i = 0; i < n; i++)
		{
			assert_near(f.after[i][MU], plain.after[i][MU], 1e-8);
			assert_near(f.after[i][SIGMA], plain.after[i][SIGMA], 1e-8);
			assert_near(f.team[i].win, plain.team[i].win, 1e-12);
			assert_near(f.player[i].gradient, plain.player[i].gradient, 1e-8);
		}
	}
}

/* Teams and partial play, too, where no margin stands between. */
static void
test_teams_are_trueskill(void **state)
{
	Random		random = {61};
	Fixture		plain;
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&plain, "trueskill");
	fixture_param(&plain, "beta")->number = 1;
	fixture_param(&plain, "tau")->number = 0;
	fixture_param(&plain, "draw_probability")->number = 0;
	init(&f);
	fixture_param(&f, "draw_margin")->number = 0;
	for (round = 0; round < 1000; round++)
	{
		int			n = 4 + random_below(&random, 8);
		int			nteams = 2 + random_below(&random, 3);

		fixture_clear(&plain);
		fixture_clear(&f);
		for (i = 0; i < n; i++)
		{
			int			team = i * nteams / n;
			double		weight = random_between(&random, 0.1, i == 0 ? 0.7 : 1);

			f.before[i][MU] = plain.before[i][MU] = random_between(&random, 0, 6);
			f.before[i][SIGMA] = plain.before[i][SIGMA] =
				random_between(&random, 0.1, 2);
			fixture_add(&f, i, team, 1 + team)->weight = weight;
			fixture_add(&plain, i, team, 1 + team)->weight = weight;
		}
		/* A player on both of two teams is a difference in either. */
		if (nteams == 2)
		{
			fixture_add(&f, 0, 1, 2)->weight = 0.3;
			fixture_add(&plain, 0, 1, 2)->weight = 0.3;
		}
		fixture_rate(&f);
		fixture_rate(&plain);
		for (i = 0; i < n; i++)
		{
			assert_near(f.after[i][MU], plain.after[i][MU], 1e-8);
			assert_near(f.after[i][SIGMA], plain.after[i][SIGMA], 1e-8);
		}
	}
}

/*
 * The exact posterior of the first player's skill in a match of two, on a grid
 * of both performances, each with the likelihood of all that is known.
 */
typedef double (*Likelihood) (const Fixture *f, double a, double b);

static void
exact_posterior(const Fixture *f, Likelihood likelihood, int player,
				double *mu, double *sigma)
{
	const int	points = 600;
	const double reach = 8;
	double		deviation[2];
	double		moment[3] = {0, 0, 0};
	double		variance,
				gain;
	int			i,
				j;

	for (i = 0; i < 2; i++)
		deviation[i] = hypot(f->before[i][SIGMA], 1);
	for (i = 0; i <= points; i++)
		for (j = 0; j <= points; j++)
		{
			double		za = reach * (2.0 * i / points - 1);
			double		zb = reach * (2.0 * j / points - 1);
			double		weight = exp(-0.5 * (za * za + zb * zb)) *
				likelihood(f, f->before[0][MU] + deviation[0] * za,
						   f->before[1][MU] + deviation[1] * zb);
			double		z = player == 0 ? za : zb;

			moment[0] += weight;
			moment[1] += weight * z;
			moment[2] += weight * z * z;
		}
	moment[1] /= moment[0];
	moment[2] = moment[2] / moment[0] - moment[1] * moment[1];
	variance = f->before[player][SIGMA] * f->before[player][SIGMA];
	gain = variance / deviation[player];
	*mu = f->before[player][MU] + gain * moment[1];
	*sigma = sqrt(variance - gain * gain * (1 - moment[2]));
}

/* Kills of the first player: 4 a - 2 b and noise of variance 9, and the win. */
static double
kills_likelihood(const Fixture *f, double a, double b)
{
	double		expected = 4 * a - 2 * b;
	double		kills = f->row[0].kills;
	double		count = kills > 0 ?
		exp(-0.5 * (kills - expected) * (kills - expected) / 9) :
		normal_cdf(-expected / 3);

	/* The step of the win is smeared over a point of the grid. */
	return count * normal_cdf((a - b) / 0.02);
}

static void
test_kills_against_integration(void **state)
{
	static const double kills[] = {0, 3, 7, 15};
	Fixture		f;
	int			i,
				player;

	(void) state;
	init(&f);
	fixture_param(&f, "draw_margin")->number = 0;
	fixture_param(&f, "kill_self")->number = 4;
	fixture_param(&f, "kill_opponent")->number = -2;
	fixture_param(&f, "kill_variance")->number = 9;
	for (i = 0; i < 4; i++)
	{
		duel(&f, 3, 1.2, 3.5, 0.8);
		f.row[0].kills = kills[i];
		fixture_rate(&f);
		for (player = 0; player < 2; player++)
		{
			double		mu,
						sigma;

			exact_posterior(&f, kills_likelihood, player, &mu, &sigma);
			/* The grid is good to 1e-3; two factors are not exact either. */
			assert_near(f.after[player][MU], mu, kills[i] == 0 ? 0.02 : 4e-3);
			assert_near(f.after[player][SIGMA], sigma, kills[i] == 0 ? 0.02 : 4e-3);
		}
	}
	/* The more kills, the better. */
	duel(&f, 3, 1.2, 3.5, 0.8);
	f.row[0].kills = 5;
	fixture_rate(&f);
	{
		double		few = f.after[0][MU];

		f.row[0].kills = 12;
		fixture_rate(&f);
		assert_true(f.after[0][MU] > few);
	}
}

/*
 * One count that tells of the own performance alone, and a result that is known
 * before: the posterior of a normal mean, by hand.
 */
static void
test_deaths_by_hand(void **state)
{
	Fixture		f;
	double		variance = 1.2 * 1.2 + 1;
	double		gain;

	(void) state;
	init(&f);
	fixture_param(&f, "death_self")->number = -2;
	fixture_param(&f, "death_variance")->number = 5;
	duel(&f, 100, 1.2, 0, 1);
	f.row[0].deaths = 3;
	fixture_rate(&f);
	/* Expected -200 deaths: gain of x = -2 p, slope -2 V, noise 5. */
	gain = -2 * variance / (4 * variance + 5);
	assert_near(f.after[0][MU], 100 + 1.44 / variance * gain * (3 + 200), 1e-9);
	assert_near(f.after[0][SIGMA] * f.after[0][SIGMA],
				1.44 - 1.44 * 1.44 / variance * (4 * variance / (4 * variance + 5)),
				1e-12);

	/* Twice the time for twice the count, with twice the noise. */
	fixture_param(&f, "count_length")->number = 600;
	f.row[0].joined = f.row[1].joined = 0;
	f.row[0].left = f.row[1].left = 1200;
	fixture_rate(&f);
	gain = -4 * variance / (16 * variance + 10);
	assert_near(f.after[0][MU], 100 + 1.44 / variance * gain * (3 + 400), 1e-9);

	/* Unknown is not none. */
	f.row[0].deaths = NAN;
	fixture_rate(&f);
	assert_near(f.after[0][MU], 100, 1e-9);
}

/* Quitting at a lead of a - b, probability .1 + .9 * .5 Phi((-.3 - lead) / 2). */
static double
quit_likelihood(const Fixture *f, double a, double b)
{
	double		lead = b - a;

	(void) f;
	return (0.1 + 0.45 * normal_cdf((-0.3 - lead) / 2)) *
		normal_cdf((a - b) / 0.02);
}

static void
test_quits(void **state)
{
	Fixture		f;
	double		without;
	int			player;

	(void) state;
	init(&f);
	fixture_param(&f, "draw_margin")->number = 0;
	fixture_param(&f, "quit_margin")->number = -0.3;
	fixture_param(&f, "quit_variance")->number = 4;
	fixture_param(&f, "quit_unrelated")->number = 0.1;
	fixture_param(&f, "quit_related")->number = 0.5;
	duel(&f, 3, 1.2, 3.5, 0.8);
	fixture_rate(&f);
	without = f.after[1][MU];
	f.row[1].quit = 1;
	fixture_rate(&f);
	assert_true(f.after[1][MU] < without);
	for (player = 0; player < 2; player++)
	{
		double		mu,
					sigma;

		exact_posterior(&f, quit_likelihood, player, &mu, &sigma);
		assert_near(f.after[player][MU], mu, 4e-3);
		assert_near(f.after[player][SIGMA], sigma, 4e-3);
	}

	/* Staying tells nothing, and without the parameter quitting neither. */
	f.row[1].quit = 0;
	fixture_rate(&f);
	assert_same(f.after[1][MU], without);
	f.row[1].quit = 1;
	fixture_param(&f, "quit_related")->number = 0;
	fixture_rate(&f);
	assert_same(f.after[1][MU], without);
}

/* A squad is expected to do better, and learns less from a win. */
/* What is known of the difference of two, by its precision and that times the mean. */
typedef struct Belief
{
	double		precision;
	double		shift;
} Belief;

/* What a win, or a quit of the winner, adds to what else is known, by the formulas. */
static Belief
site_of(Fixture *f, bool quit, Belief rest)
{
	double		variance = 1 / rest.precision;
	double		mean = rest.shift * variance;
	double		unrelated = quit ? fixture_param(f, "quit_unrelated")->number : 0;
	double		from = fixture_param(f, quit ? "quit_margin" : "draw_margin")->number;
	double		c = sqrt(variance + (quit ? fixture_param(f, "quit_variance")->number : 0));
	double		sign = quit ? -1 : 1;
	double		u = sign * (mean - from) / c;
	double		density = (1 - unrelated) * exp(-u * u / 2) / sqrt(2 * M_PI);
	double		slope = sign * density / c / (unrelated + (1 - unrelated) * normal_cdf(u));
	double		after = variance - variance * variance * (slope * slope + sign * u / c * slope);

	mean += variance * slope;
	return (Belief)
	{
		1 / after - rest.precision, mean / after - rest.shift
	};
}

/*
 * Who wins and quits says what can hardly be both.  The fixed point of the two is found by
 * tenths of steps on their difference alone, ten times as many as are needed.
 */
static void
quit_fixed_point(Fixture *f, Belief prior, double *mean, double *variance)
{
	Belief		site[2] = {{0, 0}, {0, 0}};
	int			i;

	for (i = 0; i < 100000; i++)
	{
		Belief		other = site[1 - i % 2];
		Belief		now = site_of(f, i % 2 == 1, (Belief)
								  {
									  prior.precision + other.precision, prior.shift + other.shift
								  });

		site[i % 2].precision += (now.precision - site[i % 2].precision) / 10;
		site[i % 2].shift += (now.shift - site[i % 2].shift) / 10;
	}
	*variance = 1 / (prior.precision + site[0].precision + site[1].precision);
	*mean = *variance * (prior.shift + site[0].shift + site[1].shift);
}

/* Matches of hundreds of sweeps. */
static void
test_slow_quits(void **state)
{
	static const struct
	{
		double		variance;
		double		mean;
		double		draw_margin;
		double		quit_margin;
		double		quit_variance;
		double		unrelated;
	}			slow[] = {
		{144, 4, 1, -2, 1, 0.1},
		{16, 2, 1, 0, 0.1, 0.1},
		{9, 2, 0, -1, 0, 0.05},
		{25, 6, 0, -3, 0.1, 0.01}
	};
	size_t		i;

	(void) state;
	for (i = 0; i < 4; i++)
	{
		Fixture		f;
		double		half = slow[i].variance / 2;
		double		mean,
					variance;
		int			player;

		init(&f);
		fixture_param(&f, "draw_margin")->number = slow[i].draw_margin;
		fixture_param(&f, "quit_margin")->number = slow[i].quit_margin;
		fixture_param(&f, "quit_variance")->number = slow[i].quit_variance;
		fixture_param(&f, "quit_unrelated")->number = slow[i].unrelated;
		fixture_param(&f, "quit_related")->number = 1;
		duel(&f, slow[i].mean, sqrt(half - 1), 0, sqrt(half - 1));
		f.row[0].quit = 1;
		fixture_rate(&f);
		quit_fixed_point(&f, (Belief)
						 {
							 1 / slow[i].variance, slow[i].mean / slow[i].variance
						 }, &mean, &variance);
		for (player = 0; player < 2; player++)
		{
			double		share = (half - 1) / slow[i].variance;
			double		change = share * (mean - slow[i].mean);

			assert_near(f.after[player][MU], player == 0 ? slow[i].mean + change : -change, 1e-6);
			assert_near(square(f.after[player][SIGMA]),
						half - 1 - share * share * (slow[i].variance - variance), 1e-6);
		}
	}
}

static void
test_squads(void **state)
{
	Fixture		f;
	double		win,
				alone;
	int			i;

	(void) state;
	init(&f);
	steps(&f, "squad_offset", 2, 0.2);
	steps(&f, "squad_offset", 3, 0.5);
	for (i = 0; i < 8; i++)
		fixture_add(&f, i, i / 4, 1 + i / 4);
	fixture_rate(&f);
	assert_near(f.team[0].win, 0.5, 1e-12);
	alone = f.after[0][MU];

	f.row[0].squad = f.row[1].squad = 7;
	fixture_rate(&f);
	win = f.team[0].win;
	assert_near(win, normal_cdf(0.4 / sqrt(8 * (1.6 + 1))), 1e-4);
	assert_true(f.after[0][MU] < alone);
	assert_near(f.after[0][MU], f.after[2][MU], 1e-12);

	/* The same number on the other team is another squad. */
	f.row[4].squad = 7;
	fixture_rate(&f);
	assert_same(f.team[0].win, win);

	/* Larger squads than the table has are its last. */
	for (i = 0; i < 4; i++)
		f.row[i].squad = 7;
	fixture_rate(&f);
	assert_near(f.team[0].win, normal_cdf(4 * 0.5 / sqrt(8 * (1.6 + 1))), 1e-4);
}

/* Skill grows with matches played, by the source's count or the ladder's. */
static void
test_experience(void **state)
{
	Fixture		f;
	double		without[2];

	(void) state;
	init(&f);
	duel(&f, 3, 1, 3, 1);
	fixture_rate(&f);
	without[0] = f.after[0][MU];
	without[1] = f.after[1][MU];
	steps(&f, "experience_offset", 0, 0.1);
	steps(&f, "experience_offset", 10, 0.02);
	f.player[1].games = 10;
	fixture_rate(&f);
	assert_near(f.after[0][MU], without[0] + 0.1, 1e-15);
	assert_near(f.after[1][MU], without[1] + 0.02, 1e-15);
	f.row[0].experience = 500;
	f.row[1].experience = 9;
	fixture_rate(&f);
	assert_near(f.after[0][MU], without[0] + 0.02, 1e-15);
	assert_near(f.after[1][MU], without[1] + 0.1, 1e-15);
}

/* Base and offset share what a match tells in proportion to what they add. */
static void
test_base(void **state)
{
	Fixture		f;
	Fixture		sum;

	(void) state;
	init(&f);
	fixture_param(&f, "base_weight")->number = 0.5;
	fixture_param(&f, "initial_base_sigma")->number = 2;
	duel(&f, 3, 1, 2, 1);
	f.before[0][BASE_MU] = 1;
	f.before[0][BASE_SIGMA] = 2;
	f.before[1][BASE_SIGMA] = 0;
	fixture_rate(&f);

	/* Together they are a skill of mean 3.5 and variance 1 + .25 * 4 = 2. */
	init(&sum);
	duel(&sum, 3.5, sqrt(2), 2, 1);
	fixture_rate(&sum);
	assert_near(f.team[0].win, sum.team[0].win, 1e-14);
	assert_near(f.after[0][MU] + 0.5 * f.after[0][BASE_MU], sum.after[0][MU], 1e-12);
	assert_near((f.after[0][MU] - 3) / 1, (f.after[0][BASE_MU] - 1) / 2, 1e-12);
	assert_near(f.after[1][MU], sum.after[1][MU], 1e-12);
	assert_same(f.after[1][BASE_SIGMA], 0);
	assert_true(f.after[0][BASE_SIGMA] < 2 && f.after[0][SIGMA] < 1);

	fixture_param(&f, "base_tau")->number = 0.3;
	{
		double		before = f.after[0][BASE_SIGMA];

		fixture_rate(&f);
		assert_near(f.after[0][BASE_SIGMA], hypot(before, 0.3), 1e-14);
	}
}

static void
test_idle_time(void **state)
{
	Fixture		f;
	double		player[4] = {3, 0.5, 1, 0.5};

	(void) state;
	init(&f);
	fixture_param(&f, "drift")->number = 0.01;
	fixture_param(&f, "base_drift")->number = 0.02;
	fixture_param(&f, "initial_base_sigma")->number = 1;
	f.model->age(f.params, player, 86400.0 * 1000);
	assert_near(player[SIGMA], sqrt(0.25 + 0.1), 1e-14);
	assert_same(player[BASE_SIGMA], 0.5);
	f.model->age_shared(f.params, player, 86400.0 * 1000);
	assert_near(player[BASE_SIGMA], sqrt(0.25 + 0.4), 1e-14);
	f.model->age(f.params, player, 86400e9);
	f.model->age_shared(f.params, player, 86400e9);
	assert_same(player[SIGMA], f.params[param_find(&f.model->params, "initial_sigma")].number);
	assert_same(player[BASE_SIGMA], 1);
	assert_same(player[MU], 3);
	assert_true(f.model->shares(f.params));
	fixture_param(&f, "initial_base_sigma")->number = 0;
	assert_false(f.model->shares(f.params));
}

/* Projection and observation against the formulas of two variables. */
static void
test_joint_normal(void **state)
{
	double		mean[2] = {1, 2};
	/* The covariance 4, 1; 1, 9 by its Cholesky factor. */
	double		root[4] = {2, 0, 0.5, sqrt(8.75)};
	JointNormal joint = {2, mean, root};
	double		x[2] = {1, -2};
	double		factor[2];
	double		slope[2];
	Projection	p = {.factor = factor,.slope = slope};

	(void) state;
	joint_normal_project(&joint, x, &p);
	assert_near(p.mean, -3, 1e-15);
	assert_near(p.variance, 4 - 4 + 36, 1e-14);
	assert_near(slope[0], 2, 1e-14);
	assert_near(slope[1], -17, 1e-14);
	/* Seen as 5 with variance 4: gain slope / 40, surprise 8. */
	joint_normal_observe(&joint, &p, 0.25, 5 * 0.25);
	assert_near(mean[0], 1 + 2 / 40.0 * 8, 1e-14);
	assert_near(mean[1], 2 - 17 / 40.0 * 8, 1e-14);
	assert_near(joint_normal_variance(&joint, 0), 4 - 4 / 40.0, 1e-14);
	assert_near(root[0] * root[2] + root[1] * root[3], 1 + 34 / 40.0, 1e-14);
	assert_near(joint_normal_variance(&joint, 1), 9 - 289 / 40.0, 1e-13);

	/* Taken back, it is as before. */
	joint_normal_project(&joint, x, &p);
	joint_normal_observe(&joint, &p, -0.25, -5 * 0.25);
	assert_near(mean[0], 1, 1e-14);
	assert_near(mean[1], 2, 1e-14);
	assert_near(joint_normal_variance(&joint, 0), 4, 1e-13);
	assert_near(root[0] * root[2] + root[1] * root[3], 1, 1e-13);
	assert_near(joint_normal_variance(&joint, 1), 9, 1e-13);
}

/* A thing known to 1e-9 of its deviation is still known to some digits. */
static void
test_joint_normal_of_great_precision(void **state)
{
	double		mean[2] = {0, 0};
	double		root[4] = {1e9, 0, 0, 1e9};
	JointNormal joint = {2, mean, root};
	double		x[2] = {1, -1};
	double		y[2] = {1, 1};
	double		factor[2];
	double		slope[2];
	Projection	p = {.factor = factor,.slope = slope};

	(void) state;
	joint_normal_project(&joint, x, &p);
	joint_normal_observe(&joint, &p, 1, 3);
	joint_normal_project(&joint, x, &p);
	assert_relative(p.mean, 3, 1e-6);
	assert_relative(p.variance, 1, 1e-6);
	joint_normal_project(&joint, y, &p);
	assert_relative(p.variance, 2e18, 1e-9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_alone_is_trueskill),
		cmocka_unit_test(test_teams_are_trueskill),
		cmocka_unit_test(test_kills_against_integration),
		cmocka_unit_test(test_deaths_by_hand),
		cmocka_unit_test(test_quits),
		cmocka_unit_test(test_slow_quits),
		cmocka_unit_test(test_squads),
		cmocka_unit_test(test_experience),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_idle_time),
		cmocka_unit_test(test_joint_normal),
		cmocka_unit_test(test_joint_normal_of_great_precision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
