/*
 * test_elo.c
 *		Elo's system against its mathematics and against published values.
 */
#include <float.h>

#include "csv.h"
#include "elo_matches.h"

#include "core/math/logistic.h"
#include "core/math/normal.h"
#include "core/models/elo.h"

static void
test_expected_score_logistic(void **state)
{
	(void) state;
	assert_near(elo_logistic(400, 400, 0), 10.0 / 11, 1e-15);
	assert_near(elo_logistic(-400, 400, 0), 1.0 / 11, 1e-15);
	assert_near(elo_logistic(800, 400, 0), 100.0 / 101, 1e-15);
	assert_same(elo_logistic(0, 400, 0), 0.5);
	/* Log-odds of ln 10 are worth a lead of one scale. */
	assert_near(elo_logistic(-400, 400, log(10)), 0.5, 1e-15);
	assert_near(elo_logistic(0, 400, log(3)), 0.75, 1e-15);
}

static void
test_expected_score_normal(void **state)
{
	(void) state;
	/* Phi(sqrt 2): the difference of two performances has variance 2 * 200^2. */
	assert_near(elo_normal(400, 200, 0), 0.9213503964748574, 1e-15);
	assert_near(elo_normal(-400, 200, 0), 1 - 0.9213503964748574, 1e-15);
	assert_same(elo_normal(0, 200, 0), 0.5);
	assert_near(elo_normal(0, 200, log(3)), 0.75, 1e-15);
}

/* The context adds to the logit of the normal form too, also in its tails. */
static void
test_expected_score_normal_with_log_odds(void **state)
{
	double		lead;

	(void) state;
	for (lead = -1500; lead <= 0; lead += 10)
	{
		double		p = elo_normal(lead, 200, 0);
		double		shifted = elo_normal(lead, 200, 0.7);

		assert_relative(shifted / (1 - shifted), exp(0.7) * p / (1 - p), 1e-12);
		assert_near(elo_normal(lead, 200, 1e-300), p, 1e-15);
		assert_near(elo_normal(-lead, 200, -0.7), 1 - shifted, 1e-15);
	}
	/* ln Phi(-40) = -804.60844201375379, and Phi(40) is 1. */
	assert_near(elo_normal(-8000 * sqrt(2), 200, 804.60844201375379), 0.5, 1e-10);
}

static void
test_expected_score_extremes(void **state)
{
	static const double extreme[] = {
		-INFINITY, -DBL_MAX, -1e300, -1e9, -1e-300, 0, 1e-300, 1e9, 1e300,
		DBL_MAX, INFINITY
	};
	static const double log_odds[] = {-1e308, -700, 0, 700, 1e308};
	int			n = sizeof(extreme) / sizeof(extreme[0]);
	int			i,
				j;

	(void) state;
	for (j = 0; j < 5; j++)
	{
		double		logistic_before = 0;
		double		normal_before = 0;

		for (i = 0; i < n; i++)
		{
			double		a = elo_logistic(extreme[i], 400, log_odds[j]);
			double		b = elo_normal(extreme[i], 200, log_odds[j]);

			/* Ordered comparisons, so that NaN fails them. */
			assert_true(a >= logistic_before && a <= 1);
			assert_true(b >= normal_before && b <= 1);
			logistic_before = a;
			normal_before = b;
		}
	}
	assert_same(elo_logistic(INFINITY, 400, 0), 1);
	assert_same(elo_logistic(-INFINITY, 400, 0), 0);
	assert_same(elo_normal(INFINITY, 200, 0), 1);
	assert_same(elo_normal(-INFINITY, 200, 0), 0);
}

static void
test_duel_win_loss_draw(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");

	/* K = 32, and a lead of 400 is expected to score 10/11. */
	duel(&f, 1900, 1500, 1, 2);
	fixture_rate(&f);
	assert_near(f.team[0].win, 10.0 / 11, 1e-15);
	assert_near(f.team[1].win, 1.0 / 11, 1e-15);
	assert_near(f.after[0][0], 1900 + 32.0 / 11, 1e-12);
	assert_near(f.after[1][0], 1500 - 32.0 / 11, 1e-12);

	duel(&f, 1900, 1500, 2, 1);
	fixture_rate(&f);
	assert_near(f.after[0][0], 1900 - 320.0 / 11, 1e-12);
	assert_near(f.after[1][0], 1500 + 320.0 / 11, 1e-12);

	duel(&f, 1900, 1500, 1, 1);
	fixture_rate(&f);
	assert_near(f.after[0][0], 1900 - 32 * (10.0 / 11 - 0.5), 1e-12);
	assert_near(f.after[1][0], 1500 + 32 * (10.0 / 11 - 0.5), 1e-12);

	/* A draw of equals changes nothing. */
	duel(&f, 1500, 1500, 1, 1);
	fixture_rate(&f);
	assert_same(f.after[0][0], 1500);
	assert_same(f.after[1][0], 1500);
}

/*
 * At a rating of zero the change is stored without rounding, and at others
 * the surprise that it is made of is the gradient.
 */
static void
test_two_teams_are_zero_sum_to_the_last_bit(void **state)
{
	Random		random = {10};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 10000; round++)
	{
		double		odds = random_between(&random, -3, 3);

		fixture_param(&f, "form")->choice = random_below(&random, 2);
		duel(&f, 0, 0, 1 + random_below(&random, 2), 1 + random_below(&random, 2));
		f.match.log_odds = odds;
		fixture_rate(&f);
		assert_same(f.after[1][0] + f.after[0][0], 0);

		duel(&f, random_between(&random, 0, 3000),
			 random_between(&random, 0, 3000),
			 1 + random_below(&random, 2), 1 + random_below(&random, 2));
		f.match.log_odds = odds;
		fixture_rate(&f);
		assert_same(f.player[0].gradient + f.player[1].gradient, 0);
		assert_near(change(&f, 0) + change(&f, 1), 0, 1e-12);
	}
}

/* P * (change after a win) + (1 - P) * (change after a loss) = 0. */
static void
test_expected_change_is_zero_for_two_teams(void **state)
{
	Random		random = {11};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 5000; round++)
	{
		double		won[TEST_MAX_ROWS];
		double		p;

		fixture_param(&f, "form")->choice = random_below(&random, 2);
		fixture_param(&f, "strength")->choice = random_below(&random, 2);
		random_teams(&random, &f, 2, 300);
		f.match.log_odds = random_between(&random, -2, 2);

		for (i = 0; i < f.n; i++)
			f.row[i].rank = 1 + f.row[i].team;
		fixture_rate(&f);
		p = f.team[0].win;
		for (i = 0; i < f.match.nplayers; i++)
			won[i] = change(&f, i);

		for (i = 0; i < f.n; i++)
			f.row[i].rank = 2 - f.row[i].team;
		fixture_rate(&f);
		assert_same(f.team[0].win, p);
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(p * won[i] + (1 - p) * change(&f, i), 0, 1e-11);
	}
}

/*
 * Luce's choice rule, applied again to those who remain, gives the chance of
 * every order (Plackett, 1975); over the six orders of three teams the change
 * is zero on average.
 */
static void
test_expected_change_is_zero_for_three_teams(void **state)
{
	static const int order[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}
	};
	Random		random = {12};
	Fixture		f;
	int			round,
				o,
				i;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 1000; round++)
	{
		double		mean[TEST_MAX_ROWS] = {0};
		double		total = 0;

		fixture_param(&f, "strength")->choice = random_below(&random, 2);
		random_teams(&random, &f, 3, 300);
		for (o = 0; o < 6; o++)
		{
			const double *win[3];
			double		chance;

			for (i = 0; i < f.n; i++)
			{
				int			team = f.row[i].team;

				f.row[i].rank = order[o][0] == team ? 1 :
					order[o][1] == team ? 2 : 3;
			}
			fixture_rate(&f);
			for (i = 0; i < 3; i++)
				win[i] = &f.team[order[o][i]].win;
			chance = *win[0] * *win[1] / (*win[1] + *win[2]);
			total += chance;
			for (i = 0; i < f.match.nplayers; i++)
				mean[i] += chance * change(&f, i);
		}
		assert_near(total, 1, 1e-12);
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(mean[i], 0, 1e-11);
	}
}

/* The change after a win between equals is half of K. */
static void
check_k(Fixture *f, double rating, double games, double k)
{
	f->player[0].games = games;
	duel(f, rating, rating, 1, 2);
	fixture_rate(f);
	assert_near(change(f, 0), k / 2, 1e-11);
}

static void
test_k(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	check_k(&f, 1500, 0, 32);
	fixture_param(&f, "k")->number = 10;
	check_k(&f, 1500, 0, 10);
	fixture_param(&f, "k")->number = 0;
	check_k(&f, 1500, 0, 0);
}

/* FIDE's rules of 2014: 40 for the first 30 games, 10 from 2400 on, else 20. */
static void
test_k_by_games_and_rating(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "k")->number = 20;
	fixture_param(&f, "k_by_games")->steps = (ParamSteps)
	{
		1,
		{
			30
		},
		{
			40
		}
	};
	fixture_param(&f, "k_by_rating")->steps = (ParamSteps)
	{
		1,
		{
			2400
		},
		{
			10
		}
	};

	check_k(&f, 1500, 0, 40);
	check_k(&f, 1500, 29, 40);
	check_k(&f, 1500, 30, 20);
	check_k(&f, nextafter(2400, 0), 30, 20);
	check_k(&f, 2400, 30, 10);
	/* Games come first. */
	check_k(&f, 2400, 29, 40);
}

static void
test_k_with_several_steps(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "k_by_games")->steps =
		(ParamSteps)
	{
		3,
		{
			5, 10, 30
		},
		{
			100, 64, 40
		}
	};
	fixture_param(&f, "k_by_rating")->steps =
		(ParamSteps)
	{
		3,
		{
			-100, 2100, 2400
		},
		{
			24, 16, 10
		}
	};

	check_k(&f, 2400, 4, 100);
	check_k(&f, 2400, 5, 64);
	check_k(&f, 2400, 9, 64);
	check_k(&f, 2400, 10, 40);
	check_k(&f, 2400, 29, 40);
	check_k(&f, 2400, 30, 10);
	check_k(&f, 3000, 30, 10);
	check_k(&f, nextafter(2400, 0), 30, 16);
	check_k(&f, 2100, 30, 16);
	check_k(&f, nextafter(2100, 0), 30, 24);
	check_k(&f, -100, 30, 24);
	check_k(&f, nextafter(-100, -200), 30, 32);
}

/* Each player's K is their own, so that unequal ones break conservation. */
static void
test_k_is_each_players_own(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "k_by_games")->steps = (ParamSteps)
	{
		1,
		{
			30
		},
		{
			40
		}
	};
	f.player[0].games = 100;
	duel(&f, 1500, 1500, 1, 2);
	fixture_rate(&f);
	assert_near(change(&f, 0), 16, 1e-12);
	assert_near(change(&f, 1), -20, 1e-12);
}

static void
test_floor(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "floor")->number = 100;
	/* A loss of 16 stops at the floor; the winner still gains 16. */
	duel(&f, 110, 110, 1, 2);
	fixture_rate(&f);
	assert_near(f.after[0][0], 126, 1e-12);
	assert_same(f.after[1][0], 100);
	/* A loss that stays above is not touched. */
	duel(&f, 120, 120, 1, 2);
	fixture_rate(&f);
	assert_near(f.after[1][0], 104, 1e-12);
	/* Who stands on the floor stays there. */
	duel(&f, 100, 100, 1, 2);
	fixture_rate(&f);
	assert_same(f.after[1][0], 100);
}

/*
 * "No loss takes a rating below this": it also is no gain for a rating that
 * is below already, whatever the match.
 */
static void
test_floor_does_not_lift_a_rating_below_it(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "floor")->number = 1000;
	duel(&f, 500, 500, 1, 2);
	fixture_rate(&f);
	assert_near(f.after[0][0], 516, 1e-12);
	assert_near(f.after[1][0], 500, 1e-12);
	duel(&f, 500, 500, 1, 2);
	fixture_gain(&f, 0);
	fixture_rate(&f);
	assert_same(f.after[0][0], 500);
	assert_same(f.after[1][0], 500);
}

static void
test_team_mean_and_sum(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	f.before[0][0] = 1700;
	f.before[1][0] = 1500;
	f.before[2][0] = 1300;
	f.before[3][0] = 1100;

	/* 1600 and 1200: a lead of 400. */
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 1, 1);
	fixture_add(&f, 2, 2, 2);
	fixture_add(&f, 3, 2, 2);
	fixture_rate(&f);
	assert_near(f.team[0].win, 10.0 / 11, 1e-14);
	assert_near(change(&f, 0), 32.0 / 11, 1e-12);
	assert_near(change(&f, 1), 32.0 / 11, 1e-12);
	assert_near(change(&f, 2), -32.0 / 11, 1e-12);
	assert_near(change(&f, 3), -32.0 / 11, 1e-12);

	/* 3200 and 2400: a lead of 800. */
	fixture_param(&f, "strength")->choice = SUM;
	fixture_rate(&f);
	assert_near(f.team[0].win, 100.0 / 101, 1e-14);
	assert_near(change(&f, 3), -32.0 / 101, 1e-12);
}

static void
test_weights(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	f.before[0][0] = 2100;
	f.before[1][0] = 1500;
	f.before[2][0] = 1500;

	/* (2 * 2100 + 1 * 1500) / 3 = 1900, at any common scale of the weights. */
	fixture_add(&f, 0, 1, 1)->weight = 1;
	fixture_add(&f, 1, 1, 1)->weight = 0.5;
	fixture_add(&f, 2, 2, 2)->weight = 0.25;
	fixture_rate(&f);
	assert_near(f.team[0].win, 10.0 / 11, 1e-14);
	assert_near(change(&f, 0), 32.0 / 11, 1e-12);
	assert_near(change(&f, 1), 16.0 / 11, 1e-12);
	assert_near(change(&f, 2), -8.0 / 11, 1e-12);

	/* 2100 + 750 against 375. */
	fixture_param(&f, "strength")->choice = SUM;
	fixture_rate(&f);
	assert_near(f.team[0].win, elo_logistic(2475, 400, 0), 1e-15);

	/* Who did not play at all neither counts nor changes. */
	fixture_param(&f, "strength")->choice = MEAN;
	f.row[0].weight = 0;
	fixture_rate(&f);
	assert_near(f.team[0].win, 0.5, 1e-15);
	assert_same(change(&f, 0), 0);
}

static void
test_gain_scales_the_change(void **state)
{
	Random		random = {13};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 1000; round++)
	{
		double		gain = random_between(&random, 0, 5);
		double		plain[TEST_MAX_ROWS];

		fixture_param(&f, "form")->choice = random_below(&random, 2);
		random_teams(&random, &f, 2 + random_below(&random, 4), 300);
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
			plain[i] = change(&f, i);
		fixture_gain(&f, gain);
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(change(&f, i), gain * plain[i], 1e-11);
	}
}

/* What the teams are called decides their order, and must decide no more. */
static void
test_order_of_teams_and_players_does_not_matter(void **state)
{
	Random		random = {17};
	Fixture		f;
	Fixture		reversed;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo");
	fixture_init(&reversed, "elo");
	for (round = 0; round < 2000; round++)
	{
		int			nteams = 2 + random_below(&random, 4);

		fixture_param(&f, "form")->choice = random_below(&random, 2);
		fixture_param(&f, "strength")->choice = random_below(&random, 2);
		memcpy(reversed.params, f.params, sizeof(f.params));
		random_teams(&random, &f, nteams, 300);
		fixture_rate(&f);

		memcpy(reversed.before, f.before, sizeof(f.before));
		fixture_clear(&reversed);
		for (i = f.n - 1; i >= 0; i--)
			fixture_add(&reversed, f.row[i].player, nteams - f.row[i].team,
						f.row[i].rank)->weight = f.row[i].weight;
		fixture_rate(&reversed);

		for (i = 0; i < nteams; i++)
			assert_near(reversed.team[nteams - 1 - i].win, f.team[i].win, 1e-13);
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(reversed.after[i][0], f.after[i][0], 1e-11);
	}
}

/* Only differences count: everybody may start from any rating. */
static void
test_shift_of_all_ratings(void **state)
{
	Random		random = {18};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 2000; round++)
	{
		double		win[TEST_MAX_ROWS];
		double		plain[TEST_MAX_ROWS];
		double		shift = random_between(&random, -2000, 2000);

		fixture_param(&f, "form")->choice = random_below(&random, 2);
		random_teams(&random, &f, 2 + random_below(&random, 4), 300);
		fixture_param(&f, "strength")->choice = random_below(&random, 2);
		if (fixture_param(&f, "strength")->choice == SUM)
		{
			/* Sums lead by the shift, too, unless all teams are as large. */
			fixture_clear(&f);
			for (i = 0; i < 6; i++)
				fixture_add(&f, i, i / 2, 1 + random_below(&random, 2));
			for (i = 1; i < 6; i += 2)
				f.row[i].rank = f.row[i - 1].rank;
		}
		fixture_rate(&f);
		for (i = 0; i < f.match.nteams; i++)
			win[i] = f.team[i].win;
		for (i = 0; i < f.match.nplayers; i++)
		{
			plain[i] = change(&f, i);
			f.before[i][0] += shift;
		}
		fixture_rate(&f);
		for (i = 0; i < f.match.nteams; i++)
			assert_near(f.team[i].win, win[i], 1e-13);
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(change(&f, i), plain[i], 1e-11);
	}
}

static void
test_extreme_ratings(void **state)
{
	static const double extreme[] = {-1e150, -1e18, 0, 1e-300, 1e18, 1e150};
	Random		random = {19};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 20000; round++)
	{
		int			nteams = 2 + random_below(&random, 3);
		double		total = 0;

		random_teams(&random, &f, nteams, 300);
		for (i = 0; i < f.match.nplayers; i++)
			f.before[i][0] = extreme[random_below(&random, 6)];
		if (nteams == 2)
			f.match.log_odds = random_between(&random, -1e300, 1e300);
		fixture_param(&f, "form")->choice = random_below(&random, 2);
		fixture_param(&f, "strength")->choice = random_below(&random, 2);
		fixture_rate(&f);
		for (i = 0; i < nteams; i++)
		{
			assert_true(f.team[i].win >= 0 && f.team[i].win <= 1);
			total += f.team[i].win;
		}
		assert_near(total, 1, 1e-14);
		for (i = 0; i < f.match.nplayers; i++)
			assert_true(fabs(change(&f, i)) <= 32);
	}
}

/* Who changed sides gains from the one what is lost on the other. */
static void
test_player_on_both_teams(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	f.before[0][0] = 1900;
	f.before[1][0] = 1500;
	f.before[2][0] = 1500;
	fixture_add(&f, 0, 1, 1)->weight = 0.75;
	fixture_add(&f, 1, 1, 1)->weight = 0.25;
	fixture_add(&f, 0, 2, 2)->weight = 0.25;
	fixture_add(&f, 2, 2, 2)->weight = 0.75;
	fixture_rate(&f);
	/* 0.75 * 1900 + 0.25 * 1500 = 1800 against 1600. */
	assert_near(f.team[0].win, elo_logistic(200, 400, 0), 1e-15);
	assert_near(change(&f, 0), 32 * 0.5 * (1 - f.team[0].win), 1e-12);
	assert_near(change(&f, 1), 32 * 0.25 * (1 - f.team[0].win), 1e-12);
	assert_near(change(&f, 2), -32 * 0.75 * (1 - f.team[0].win), 1e-12);
	assert_near(f.player[0].gradient, 0.5 * (1 - f.team[0].win), 1e-15);
	assert_int_equal(f.player[0].team, 0);
}

/* Two entries of the same team are one. */
static void
test_player_who_came_back(void **state)
{
	Fixture		f;
	double		plain;

	(void) state;
	fixture_init(&f, "elo");
	fixture_add(&f, 0, 1, 1)->weight = 0.5;
	fixture_add(&f, 1, 2, 2)->weight = 1;
	fixture_rate(&f);
	plain = change(&f, 0);

	fixture_clear(&f);
	fixture_add(&f, 0, 1, 1)->weight = 0.25;
	fixture_add(&f, 0, 1, 1)->weight = 0.25;
	fixture_add(&f, 1, 2, 2)->weight = 1;
	fixture_rate(&f);
	assert_int_equal(f.match.nentries, 2);
	assert_same(change(&f, 0), plain);
}

/* The context speaks of side 1, wherever that team stands in the order. */
static void
test_log_odds_favour_side_1(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "elo");
	duel(&f, 1500, 1500, 1, 2);
	f.match.log_odds = log(3);
	fixture_rate(&f);
	assert_near(f.team[0].win, 0.75, 1e-15);
	for (i = 0; i < 2; i++)
	{
		f.row[0].side = 1 + i;
		f.row[1].side = 2 - i;
		f.before[0][0] = 1500;
		fixture_rate(&f);
		assert_near(f.team[i].win, 0.75, 1e-15);
		assert_near(change(&f, 0), i == 0 ? 8 : 24, 1e-12);
		/* Odds of 10 to 1 by the ratings, times or through 3. */
		f.before[0][0] = 1900;
		fixture_rate(&f);
		assert_near(f.team[0].win, i == 0 ? 30.0 / 31 : 10.0 / 13, 1e-15);
	}
}

/*
 * A number that overflowed on the way is not hidden by the floor: the change
 * of an even draw is infinity times zero here.
 */
static void
test_floor_does_not_hide_an_overflow(void **state)
{
	Fixture		f;
	MatchStatus status;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "floor")->number = 100;
	duel(&f, 1500, 1500, 1, 1);
	fixture_gain(&f, DBL_MAX);
	fixture_param(&f, "k")->number = 1e3;
	assert_status(fixture_build(&f), MATCH_OK);
	status = model_rate(f.model, f.params, &f.match);
	if (status == MATCH_OK)
	{
		assert_same(f.after[0][0], 1500);
		assert_same(f.after[1][0], 1500);
	}
	else
		assert_status(status, MATCH_OVERFLOW);
}

/*
 * Published single games.  FIDE's own calculations, which read the expected
 * score from a table with two decimals and round the change, are not ours.
 */
static void
test_published_games(void **state)
{
	enum
	{
		CASE, KIND, RATING_A, RATING_B, SCORE_A, K, SCALE, EXP_A, EXP_B,
		EXP_PROB_A, TOL, NCOLUMNS = 13
	};
	char		line[1024];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *file = csv_open("elo.csv", line, sizeof(line));
	Fixture		f;
	int			used = 0;

	(void) state;
	fixture_init(&f, "elo");
	while (fgets(line, sizeof(line), file) != NULL)
	{
		double		score,
					tolerance;
		int			normal;

		assert_int_equal(csv_split(line, field), NCOLUMNS);
		normal = strcmp(field[KIND], "update_gaussian") == 0;
		if (!normal && strcmp(field[KIND], "update") != 0 &&
			strcmp(field[KIND], "predict") != 0)
			continue;

		/* A prediction has no score; any will do. */
		score = *field[SCORE_A] == '\0' ? 0.5 : csv_number(field[SCORE_A]);
		tolerance = csv_number(field[TOL]);
		fixture_param(&f, "form")->choice = normal ? NORMAL : LOGISTIC;
		fixture_param(&f, normal ? "beta" : "scale")->number =
			csv_number(field[SCALE]);
		fixture_param(&f, "k")->number =
			*field[K] == '\0' ? 0 : csv_number(field[K]);
		duel(&f, csv_number(field[RATING_A]), csv_number(field[RATING_B]),
			 2 - score, 1 + score);
		fixture_rate(&f);
		if (*field[EXP_A] != '\0')
			assert_near(f.after[0][0], csv_number(field[EXP_A]), tolerance);
		if (*field[EXP_B] != '\0')
			assert_near(f.after[1][0], csv_number(field[EXP_B]), tolerance);
		if (*field[EXP_PROB_A] != '\0')
			assert_near(f.team[0].win, csv_number(field[EXP_PROB_A]), tolerance);
		used++;
	}
	fclose(file);
	assert_int_equal(used, 21);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expected_score_logistic),
		cmocka_unit_test(test_expected_score_normal),
		cmocka_unit_test(test_expected_score_normal_with_log_odds),
		cmocka_unit_test(test_expected_score_extremes),
		cmocka_unit_test(test_duel_win_loss_draw),
		cmocka_unit_test(test_two_teams_are_zero_sum_to_the_last_bit),
		cmocka_unit_test(test_expected_change_is_zero_for_two_teams),
		cmocka_unit_test(test_expected_change_is_zero_for_three_teams),
		cmocka_unit_test(test_k),
		cmocka_unit_test(test_k_by_games_and_rating),
		cmocka_unit_test(test_k_with_several_steps),
		cmocka_unit_test(test_k_is_each_players_own),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_floor_does_not_lift_a_rating_below_it),
		cmocka_unit_test(test_floor_does_not_hide_an_overflow),
		cmocka_unit_test(test_team_mean_and_sum),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_gain_scales_the_change),
		cmocka_unit_test(test_order_of_teams_and_players_does_not_matter),
		cmocka_unit_test(test_shift_of_all_ratings),
		cmocka_unit_test(test_extreme_ratings),
		cmocka_unit_test(test_player_on_both_teams),
		cmocka_unit_test(test_player_who_came_back),
		cmocka_unit_test(test_log_odds_favour_side_1),
		cmocka_unit_test(test_published_games),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
