/*
 * test_elo_mmr_teams.c
 *		Elo-MMR beyond the paper: teams, partial play, gain, context, gradients.
 */
#include "test.h"

#include "core/math/normal.h"
#include "core/models/elo_mmr.h"

static double
log_likelihood(Fixture *f)
{
	double		p;

	assert_status(fixture_build(f), MATCH_OK);
	assert_status(model_predict(f->model, f->params, &f->match), MATCH_OK);
	p = f->team[f->team[0].rank < f->team[1].rank ? 0 : 1].win;
	return log(p);
}

/*
 * Of two teams the gradient is that of the prediction's log likelihood, and its mean
 * under the prediction is zero: with any weights and context.
 */
static void
test_gradient_of_two_teams(void **state)
{
	Random		random = {24};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo_mmr");
	for (round = 0; round < 200; round++)
	{
		int			size = 1 + random_below(&random, 4);
		double		gradient[TEST_MAX_ROWS];
		double		mean[TEST_MAX_ROWS] = {0};
		int			first;

		f.params[ELO_MMR_FORM].choice = round % 2;
		fixture_clear(&f);
		for (i = 0; i < 2 * size; i++)
		{
			f.before[i][ELO_MMR_MU] = random_between(&random, 1200, 1800);
			f.before[i][ELO_MMR_SIGMA] = random_between(&random, 50, 350);
			fixture_add(&f, i, i / size, 0)->weight = random_between(&random, 0.1, 1);
		}
		f.match.log_odds = random_between(&random, -1, 1);
		for (first = 0; first < 2; first++)
		{
			for (i = 0; i < 2 * size; i++)
				f.row[i].rank = i / size == first ? 1 : 2;
			fixture_rate(&f);
			for (i = 0; i < 2 * size; i++)
			{
				gradient[i] = f.player[i].gradient;
				mean[i] += f.team[first].win * gradient[i];
			}
			for (i = 0; i < 2 * size; i++)
			{
				double		before = f.before[i][ELO_MMR_MU];
				double		above,
							below;

				f.before[i][ELO_MMR_MU] = before + 0.01;
				above = log_likelihood(&f);
				f.before[i][ELO_MMR_MU] = before - 0.01;
				below = log_likelihood(&f);
				f.before[i][ELO_MMR_MU] = before;
				assert_near(gradient[i], (above - below) / 0.02, 1e-9);
			}
		}
		for (i = 0; i < 2 * size; i++)
			assert_near(mean[i], 0, 1e-15);
	}
}

/*
 * Members are normal variables of which the team's performance observes the mean: the
 * conditional mean and variance by the textbook, with the whole matrix.
 */
static void
test_team_is_the_mean_of_its_members(void **state)
{
	Random		random = {25};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo_mmr");
	for (round = 0; round < 200; round++)
	{
		double		weight[3] = {1, 1, 1};
		double		play = 0;
		double		mean = 0;
		double		variance = 0;
		double		performance;

		fixture_clear(&f);
		for (i = 0; i < 5; i++)
		{
			Participant *row = fixture_add(&f, i, i < 3 ? 0 : i, 1 + random_below(&random, 3));

			f.before[i][ELO_MMR_MU] = random_between(&random, 1200, 1800);
			f.before[i][ELO_MMR_SIGMA] = random_between(&random, 50, 350);
			if (i < 3)
			{
				row->rank = f.row[0].rank;
				row->weight = weight[i] = random_between(&random, 0.1, 1);
				play += weight[i];
			}
		}
		for (i = 0; i < 3; i++)
		{
			mean += weight[i] / play * f.before[i][ELO_MMR_MU];
			variance += pow(weight[i] / play, 2) *
				(pow(f.before[i][ELO_MMR_SIGMA], 2) + 35 * 35);
		}
		fixture_rate(&f);
		performance = elo_mmr_performance(&f.match, 0);
		variance += 200 * 200 / play;
		for (i = 0; i < 3; i++)
		{
			double		own = pow(f.before[i][ELO_MMR_SIGMA], 2) + 35 * 35;
			double		covariance = weight[i] / play * own;

			assert_near(f.after[i][ELO_MMR_MU], f.before[i][ELO_MMR_MU] +
						covariance / variance * (performance - mean), 1e-9);
			assert_near(f.after[i][ELO_MMR_SIGMA],
						sqrt(own - covariance * covariance / variance), 1e-9);
		}
	}
}

/* A team of n equals, sure of their skill, is one player with n times the play. */
static void
test_play_averages_the_noise(void **state)
{
	Fixture		f;
	double		win[2];
	int			teams,
				i;

	(void) state;
	for (teams = 0; teams < 2; teams++)
	{
		fixture_init(&f, "elo_mmr");
		f.params[ELO_MMR_TAU].number = 0;
		for (i = 0; i < 8; i++)
		{
			f.before[i][ELO_MMR_MU] = (teams ? i / 4 : i) == 0 ? 1600 : 1500;
			f.before[i][ELO_MMR_SIGMA] = 1e-9;
		}
		/* Four members, or four stints of one. */
		for (i = 0; i < 8; i++)
			fixture_add(&f, teams ? i : i / 4, i / 4, 1 + i / 4)->weight = 1;
		fixture_rate(&f);
		win[teams] = f.team[0].win;
	}
	assert_near(win[0], win[1], 1e-15);
	assert_near(win[0], normal_cdf(100 / sqrt(2 * 200 * 200 / 4)), 1e-15);
}

/* Gain multiplies the change; the context moves two teams apart. */
static void
test_gain_and_context(void **state)
{
	Fixture		f;
	double		change;
	double		ratio;
	double		odds;

	(void) state;
	fixture_init(&f, "elo_mmr");
	f.params[ELO_MMR_TAU].number = 0;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	change = f.after[0][ELO_MMR_MU] - f.before[0][ELO_MMR_MU];
	ratio = f.after[0][ELO_MMR_SIGMA] / f.before[0][ELO_MMR_SIGMA];
	fixture_gain(&f, 2);
	fixture_rate(&f);
	assert_near(f.after[0][ELO_MMR_MU] - f.before[0][ELO_MMR_MU], 2 * change, 1e-9);
	assert_near(f.after[0][ELO_MMR_SIGMA], f.before[0][ELO_MMR_SIGMA] * ratio * ratio, 1e-9);

	/* The slope of the context between equals is that of log-odds. */
	f.match.log_odds = 1e-4;
	fixture_rate(&f);
	odds = log(f.team[0].win / f.team[1].win);
	assert_near(odds, 1e-4, 1e-9);

	/* A win that was to be expected says less. */
	fixture_gain(&f, 1);
	f.match.log_odds = 1;
	fixture_rate(&f);
	assert_true(f.after[0][ELO_MMR_MU] - f.before[0][ELO_MMR_MU] < change);
	f.match.log_odds = 0;
	fixture_rate(&f);
	assert_near(f.after[0][ELO_MMR_MU] - f.before[0][ELO_MMR_MU], change, 1e-12);
}

/* With the drift from match to match, sigma settles where the paper says. */
static void
test_sigma_settles(void **state)
{
	Fixture		f;
	double		limit;
	int			i;

	(void) state;
	fixture_init(&f, "elo_mmr");
	for (i = 0; i < 200; i++)
	{
		fixture_clear(&f);
		fixture_add(&f, 0, 1, 1 + i % 2);
		fixture_add(&f, 1, 2, 2 - i % 2);
		fixture_rate(&f);
		fixture_advance(&f);
	}

	/* 1 / s^2 = 1 / (s^2 + tau^2) + 1 / beta^2 */
	limit = sqrt((-35.0 * 35 + sqrt(pow(35, 4) + 4.0 * 35 * 35 * 200 * 200)) / 2);
	assert_near(f.before[0][ELO_MMR_SIGMA], limit, 1e-9);

	/* Idle time lets it grow again, up to that of a newcomer. */
	fixture_param(&f, "drift")->number = 10;
	f.model->age(f.params, f.before[0], 100 * 86400.0);
	assert_near(f.before[0][ELO_MMR_SIGMA], sqrt(limit * limit + 100 * 100), 1e-9);
	f.model->age(f.params, f.before[0], 1e6 * 86400.0);
	assert_same(f.before[0][ELO_MMR_SIGMA], 350);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gradient_of_two_teams),
		cmocka_unit_test(test_team_is_the_mean_of_its_members),
		cmocka_unit_test(test_play_averages_the_noise),
		cmocka_unit_test(test_gain_and_context),
		cmocka_unit_test(test_sigma_settles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
