/*
 * test_trueskill.c
 *		TrueSkill against its mathematics and against published values.
 */
#include "csv.h"
#include "test.h"

#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/models/trueskill.h"

static const TrueSkill standard = {25.0 / 6, 25.0 / 300, 0.1, false, TIES_CHAIN, false};

/* The same, and the fixture's parameters, with teams of either kind at random. */
static TrueSkill
either_strength(Random *random, Fixture *f)
{
	TrueSkill	ts = standard;

	ts.centered = random_below(random, 2);
	fixture_param(f, "strength")->choice = !ts.centered;
	fixture_param(f, "ties")->choice = ts.ties;
	return ts;
}

/* One player each, with the ranks given. */
static void
free_for_all(Fixture *f, int n, const double *mu, const double *sigma,
			 const double *rank)
{
	int			i;

	fixture_clear(f);
	for (i = 0; i < n; i++)
	{
		f->before[i][TRUESKILL_MU] = mu[i];
		f->before[i][TRUESKILL_SIGMA] = sigma[i];
		fixture_add(f, i, i, rank[i]);
	}
}

/* Teams of one to three, random skills and weights, and an order with draws. */
static void
random_teams(Random *random, Fixture *f, int nteams, bool draws)
{
	int			player = 0;
	int			i,
				j;

	fixture_clear(f);
	for (i = 0; i < nteams; i++)
	{
		int			size = 1 + random_below(random, 3);
		double		rank = draws ? 1 + random_below(random, nteams) : 1 + i;

		for (j = 0; j < size; j++)
		{
			f->before[player][TRUESKILL_MU] = random_between(random, 10, 40);
			f->before[player][TRUESKILL_SIGMA] = random_between(random, 0.5, 9);
			fixture_add(f, player++, i, rank)->weight =
				random_below(random, 2) ? 1 : random_between(random, 0.1, 1);
		}
	}
}

/*
 * The exact posterior of player a's skill in a duel by Simpson's rule: prior
 * times the likelihood of the result, given the skill.
 */
static void
exact_duel(double mu_a, double sigma_a, double mu_b, double sigma_b,
		   double rank_a, double rank_b, double *mean, double *deviation)
{
	const int	intervals = 4000;
	double		tau2 = standard.tau * standard.tau;
	double		beta2 = standard.beta * standard.beta;
	double		prior = sqrt(sigma_a * sigma_a + tau2);
	double		c = sqrt(sigma_b * sigma_b + tau2 + 2 * beta2);
	double		margin = trueskill_margin(&standard) * sqrt(2);
	double		moment[3] = {0, 0, 0};
	int			k;

	for (k = 0; k <= intervals; k++)
	{
		double		z = -10 + 20.0 * k / intervals;
		double		lead = mu_a + prior * z - mu_b;
		double		above = normal_cdf((lead - margin) / c);
		double		below = normal_cdf((-lead - margin) / c);
		double		likelihood = rank_a < rank_b ? above :
			rank_a > rank_b ? below :
			normal_cdf((lead + margin) / c) - above;
		double		weight = normal_density(z) * likelihood *
			(k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2);

		moment[0] += weight;
		moment[1] += weight * z;
		moment[2] += weight * z * z;
	}
	moment[1] /= moment[0];
	moment[2] /= moment[0];
	*mean = mu_a + prior * moment[1];
	*deviation = prior * sqrt(moment[2] - moment[1] * moment[1]);
}

static void
test_duels_against_integration(void **state)
{
	static const double ranks[3][2] = {{1, 2}, {1, 1}, {2, 1}};
	Random		random = {50};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 300; round++)
	{
		double		mu[2] = {random_between(&random, 15, 35),
		random_between(&random, 15, 35)};
		double		sigma[2] = {random_between(&random, 0.5, 9),
		random_between(&random, 0.5, 9)};
		const double *rank = ranks[round % 3];
		double		mean,
					deviation;

		free_for_all(&f, 2, mu, sigma, rank);
		fixture_rate(&f);
		exact_duel(mu[0], sigma[0], mu[1], sigma[1], rank[0], rank[1],
				   &mean, &deviation);
		assert_near(f.after[0][TRUESKILL_MU], mean, 1e-9);
		assert_near(f.after[0][TRUESKILL_SIGMA], deviation, 1e-9);
		exact_duel(mu[1], sigma[1], mu[0], sigma[0], rank[1], rank[0],
				   &mean, &deviation);
		assert_near(f.after[1][TRUESKILL_MU], mean, 1e-9);
		assert_near(f.after[1][TRUESKILL_SIGMA], deviation, 1e-9);
	}
}

/*
 * Three in a row, exactly: the posterior of the middle one's performance is its
 * prior times both likelihoods.  Propagation matches moments pair by pair and is
 * close to it, not equal.
 */
static void
test_three_against_integration(void **state)
{
	static const double rank[3] = {1, 2, 3};
	Random		random = {51};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 100; round++)
	{
		double		mu[3];
		double		sigma[3];
		double		performance[3];
		double		margin = trueskill_margin(&standard) * sqrt(2);
		double		moment[3] = {0, 0, 0};
		double		variance;
		double		gain;
		double		mean,
					deviation;
		int			i,
					k;

		for (i = 0; i < 3; i++)
		{
			mu[i] = random_between(&random, 20, 30);
			sigma[i] = random_between(&random, 1, 8);
			variance = sigma[i] * sigma[i] + standard.tau * standard.tau;
			performance[i] = sqrt(variance + standard.beta * standard.beta);
		}
		free_for_all(&f, 3, mu, sigma, rank);
		fixture_rate(&f);

		for (k = 0; k <= 4000; k++)
		{
			double		z = -10 + 20.0 * k / 4000;
			double		x = mu[1] + performance[1] * z;
			double		weight = normal_density(z) *
				normal_cdf((mu[0] - x - margin) / performance[0]) *
				normal_cdf((x - mu[2] - margin) / performance[2]);

			moment[0] += weight;
			moment[1] += weight * z;
			moment[2] += weight * z * z;
		}
		moment[1] /= moment[0];
		moment[2] = moment[2] / moment[0] - moment[1] * moment[1];
		variance = sigma[1] * sigma[1] + standard.tau * standard.tau;
		gain = variance / performance[1];
		mean = mu[1] + gain * moment[1];
		deviation = sqrt(variance - gain * gain * (1 - moment[2]));
		assert_near(f.after[1][TRUESKILL_MU], mean, 0.02 * sigma[1]);
		assert_near(f.after[1][TRUESKILL_SIGMA], deviation, 0.02 * sigma[1]);
	}
}

/* Known values: defaults, by several implementations. */
static void
test_known_values(void **state)
{
	static const double mu[5] = {25, 25, 25, 25, 25};
	static const double sigma[5] = {25.0 / 3, 25.0 / 3, 25.0 / 3, 25.0 / 3, 25.0 / 3};
	static const double order[5] = {1, 2, 3, 4, 5};
	static const double equal[5] = {1, 1, 1, 1, 1};
	static const double one_ahead[5] = {1, 2, 2, 2, 2};
	Fixture		f;

	(void) state;
	fixture_init(&f, "trueskill");
	free_for_all(&f, 2, mu, sigma, order);
	fixture_rate(&f);
	assert_near(f.after[0][TRUESKILL_MU], 29.39583, 1e-5);
	assert_near(f.after[0][TRUESKILL_SIGMA], 7.17148, 1e-5);
	assert_near(f.after[1][TRUESKILL_MU], 20.60417, 1e-5);
	free_for_all(&f, 2, mu, sigma, equal);
	fixture_rate(&f);
	assert_near(f.after[0][TRUESKILL_MU], 25, 1e-12);
	assert_near(f.after[0][TRUESKILL_SIGMA], 6.45752, 1e-5);
	free_for_all(&f, 4, mu, sigma, order);
	fixture_rate(&f);
	assert_near(f.after[0][TRUESKILL_MU], 33.20668, 1e-5);
	assert_near(f.after[0][TRUESKILL_SIGMA], 6.34811, 1e-5);
	assert_near(f.after[1][TRUESKILL_MU], 27.40146, 1e-5);
	assert_near(f.after[1][TRUESKILL_SIGMA], 5.78716, 1e-5);
	free_for_all(&f, 5, mu, sigma, one_ahead);
	fixture_param(&f, "ties")->choice = TIES_CHAIN;
	fixture_rate(&f);
	assert_near(f.after[0][TRUESKILL_MU], 30.62052, 1e-5);
	assert_near(f.after[0][TRUESKILL_SIGMA], 6.36560, 1e-5);
	assert_near(f.after[1][TRUESKILL_MU], 23.58454, 1e-5);
	assert_near(f.after[1][TRUESKILL_SIGMA], 5.10363, 1e-5);
	assert_near(f.after[2][TRUESKILL_MU], 23.59340, 1e-5);
	assert_near(f.after[3][TRUESKILL_MU], 23.59930, 1e-5);
	assert_near(f.after[4][TRUESKILL_MU], 23.60225, 1e-5);
}

/* Teams by name in any order: which player is where, and the ranks. */
static void
test_order_of_teams_does_not_matter(void **state)
{
	Random		random = {52};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 2000; round++)
	{
		int			nteams = 2 + random_below(&random, 5);
		int			number[8];
		double		after[TEST_MAX_ROWS][TRUESKILL_NSTATE];
		Participant row[TEST_MAX_ROWS];
		int			team,
					n = 0;

		random_teams(&random, &f, nteams, false);
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
			memcpy(after[i], f.after[i], sizeof(after[i]));

		for (i = 0; i < nteams; i++)
		{
			int			other = random_below(&random, i + 1);

			number[i] = i;
			number[i] = number[other];
			number[other] = i;
		}
		for (team = 0; team < nteams; team++)
			for (i = 0; i < f.n; i++)
				if (number[f.row[i].team] == team)
				{
					row[n] = f.row[i];
					row[n++].team = team;
				}
		memcpy(f.row, row, n * sizeof(Participant));
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
		{
			assert_near(f.after[i][TRUESKILL_MU], after[i][TRUESKILL_MU], 1e-12 * 40);
			assert_near(f.after[i][TRUESKILL_SIGMA], after[i][TRUESKILL_SIGMA], 1e-12 * 9);
		}
	}
}

/* Skills as such mean nothing: only differences, relative to beta, do. */
static void
test_shift_and_scale(void **state)
{
	Random		random = {53};
	Fixture		f;
	int			round,
				i,
				k;

	(void) state;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 1000; round++)
	{
		double		after[TEST_MAX_ROWS][TRUESKILL_NSTATE];
		int			nteams = 2 + random_below(&random, 4);
		double		shift = 1000;
		double		scale = 8;

		random_teams(&random, &f, nteams, true);
		/* A shift moves teams of unlike weight apart. */
		for (i = 0; i < f.n; i++)
			f.row[i].weight = 1;
		for (i = 0, k = 0; i < f.n; i++)
			if (i == 0 || f.row[i].team != f.row[i - 1].team)
				f.row[k++] = f.row[i];
		f.n = k;
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
			memcpy(after[i], f.after[i], sizeof(after[i]));
		for (i = 0; i < f.match.nplayers; i++)
			f.before[i][TRUESKILL_MU] += shift;
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
		{
			assert_near(f.after[i][TRUESKILL_MU] - shift, after[i][TRUESKILL_MU], 1e-9);
			assert_near(f.after[i][TRUESKILL_SIGMA], after[i][TRUESKILL_SIGMA], 1e-9);
		}
		for (i = 0; i < f.match.nplayers; i++)
		{
			f.before[i][TRUESKILL_MU] = (f.before[i][TRUESKILL_MU] - shift) * scale;
			f.before[i][TRUESKILL_SIGMA] *= scale;
		}
		fixture_param(&f, "beta")->number = standard.beta * scale;
		fixture_param(&f, "tau")->number = standard.tau * scale;
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
		{
			assert_near(f.after[i][TRUESKILL_MU] / scale, after[i][TRUESKILL_MU], 1e-9);
			assert_near(f.after[i][TRUESKILL_SIGMA] / scale, after[i][TRUESKILL_SIGMA], 1e-9);
		}
		fixture_param(&f, "beta")->number = standard.beta;
		fixture_param(&f, "tau")->number = standard.tau;
	}
}

/* Win, draw and loss, each by its probability, leave the mean where it was. */
static void
test_expected_change_is_zero(void **state)
{
	static const double ranks[3][2] = {{1, 2}, {1, 1}, {2, 1}};
	Random		random = {54};
	Fixture		f;
	int			round,
				i,
				k;

	(void) state;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 1000; round++)
	{
		TrueSkillTeams teams;
		double		probability[3];
		double		place[2];
		double		expected[TEST_MAX_ROWS] = {0};
		double		spread[TEST_MAX_ROWS] = {0};
		double		work[NORMAL_WORK(2)];
		TrueSkill	ts = either_strength(&random, &f);

		random_teams(&random, &f, 2, false);
		assert_status(fixture_build(&f), MATCH_OK);
		trueskill_teams(&ts, &f.match, ts.tau * ts.tau, &teams);
		trueskill_places(&ts, &teams, 2, 0, &probability[0], &probability[1],
						 place, work, NULL);
		probability[2] = place[1];
		assert_near(probability[0] + probability[1] + probability[2], 1, 1e-15);
		for (k = 0; k < 3; k++)
		{
			for (i = 0; i < f.n; i++)
				f.row[i].rank = ranks[k][f.row[i].team];
			fixture_rate(&f);
			assert_near(f.team[0].win, probability[0] + probability[1] / 2, 1e-14);
			for (i = 0; i < f.match.nplayers; i++)
			{
				double		change = f.after[i][TRUESKILL_MU] -
					f.before[i][TRUESKILL_MU];

				expected[i] += probability[k] * change;
				spread[i] += probability[k] * fabs(change);
			}
		}
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(expected[i], 0, 1e-12 + 1e-12 * spread[i]);
	}
}

/* The gradient is the slope of the log probability of what happened. */
static void
test_gradient_by_differences(void **state)
{
	const double h = 1e-4;
	Random		random = {55};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 200; round++)
	{
		double		work[NORMAL_WORK(2)];
		TrueSkill	ts = either_strength(&random, &f);

		random_teams(&random, &f, 2, true);
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
		{
			double		log_likelihood[2];
			int			k;

			for (k = 0; k < 2; k++)
			{
				TrueSkillTeams teams;
				double		win,
							draw,
							place[2];

				f.before[i][TRUESKILL_MU] += k == 0 ? -h : 2 * h;
				trueskill_teams(&ts, &f.match, ts.tau * ts.tau, &teams);
				trueskill_places(&ts, &teams, 2, 0, &win, &draw, place, work, NULL);
				log_likelihood[k] = log(f.team[0].rank < f.team[1].rank ? win :
										f.team[0].rank > f.team[1].rank ? place[1] :
										draw);
			}
			f.before[i][TRUESKILL_MU] -= h;
			assert_near(f.player[i].gradient,
						(log_likelihood[1] - log_likelihood[0]) / (2 * h), 1e-5);
		}
	}
}

/* Places of all teams: each adds up to 1, and without draws each place too. */
static void
test_places_add_up(void **state)
{
	Random		random = {56};
	TrueSkill	no_draws = standard;
	Fixture		f;
	int			round;

	(void) state;
	no_draws.draw_probability = 0;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 100; round++)
	{
		int			nteams = 2 + random_below(&random, 7);
		double		place[8][8];
		double		work[NORMAL_WORK(8)];
		double		wins = 0;
		TrueSkillTeams teams;
		int			i,
					k;

		random_teams(&random, &f, nteams, false);
		assert_status(fixture_build(&f), MATCH_OK);
		trueskill_teams(&no_draws, &f.match, 0, &teams);
		for (i = 0; i < nteams; i++)
		{
			double		win,
						draw,
						total = 0;

			trueskill_places(&standard, &teams, nteams, i, &win, &draw, place[i], work, NULL);
			for (k = 0; k < nteams; k++)
			{
				assert_true(place[i][k] >= 0 && place[i][k] <= 1 + 1e-9);
				total += place[i][k];
			}
			assert_near(total, 1, 1e-9);
			assert_near(win + draw, place[i][0], 1e-9);
			assert_true(draw > 0 || nteams > 3);

			trueskill_places(&no_draws, &teams, nteams, i, &win, &draw, place[i], work, NULL);
			assert_near(draw, 0, 1e-9);
			wins += win;
		}
		assert_near(wins, 1, 1e-8);
		for (k = 0; k < nteams; k++)
		{
			double		total = 0;

			for (i = 0; i < nteams; i++)
				total += place[i][k];
			assert_near(total, 1, 1e-8);
		}
	}
}

/* By simulation: performances, margins, and who is beaten by how many. */
static void
test_places_by_simulation(void **state)
{
	static const double mu[4] = {22, 25, 27, 31};
	static const double sigma[4] = {2, 8, 5, 1};
	static const double rank[4] = {1, 2, 3, 4};
	const int	rounds = 200000;
	Random		random = {57};
	TrueSkill	ts = standard;
	TrueSkillTeams teams;
	Fixture		f;
	double		margin;
	int			count[4][4] = {{0}};
	int			wins[4] = {0};
	int			round,
				i,
				j;

	(void) state;
	ts.draw_probability = 0.3;
	margin = trueskill_margin(&ts) * sqrt(2);
	fixture_init(&f, "trueskill");
	free_for_all(&f, 4, mu, sigma, rank);
	assert_status(fixture_build(&f), MATCH_OK);
	trueskill_teams(&ts, &f.match, 0, &teams);
	for (round = 0; round < rounds; round++)
	{
		double		performance[4];

		for (i = 0; i < 4; i++)
			performance[i] = mu[i] + sqrt(teams.variance[i]) *
				normal_quantile(random_between(&random, 1e-12, 1));
		for (i = 0; i < 4; i++)
		{
			int			above = 0;
			int			below = 0;

			for (j = 0; j < 4; j++)
			{
				above += performance[j] - performance[i] > margin;
				below += performance[i] - performance[j] > margin;
			}
			count[i][above]++;
			wins[i] += below == 3;
		}
	}
	for (i = 0; i < 4; i++)
	{
		double		win,
					draw,
					place[4];
		double		work[NORMAL_WORK(4)];

		trueskill_places(&ts, &teams, 4, i, &win, &draw, place, work, NULL);
		/* Five standard errors of a share of 200000. */
		for (j = 0; j < 4; j++)
			assert_near(place[j], (double) count[i][j] / rounds, 0.0056);
		assert_near(win, (double) wins[i] / rounds, 0.0056);
	}
}

/* The drift comes gain times to the own sigma, and once to everything else. */
static void
test_gain(void **state)
{
	Random		random = {59};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "trueskill");
	for (round = 0; round < 500; round++)
	{
		double		after[TEST_MAX_ROWS][TRUESKILL_NSTATE];
		double		tau = round % 2 ? random_between(&random, 0, 5) : 0;

		fixture_param(&f, "tau")->number = tau;

		random_teams(&random, &f, 2 + round % 3, true);
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
			memcpy(after[i], f.after[i], sizeof(after[i]));
		for (i = 0; i < f.n; i++)
			f.row[i].gain = random_between(&random, 0, 3);
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
		{
			double		variance = square(f.before[i][TRUESKILL_SIGMA]);
			double		ratio = after[i][TRUESKILL_SIGMA] / sqrt(variance + square(tau));
			double		gain = f.row[i].gain;

			assert_near(f.after[i][TRUESKILL_MU] - f.before[i][TRUESKILL_MU],
						gain * (after[i][TRUESKILL_MU] - f.before[i][TRUESKILL_MU]),
						1e-10);
			assert_near(f.after[i][TRUESKILL_SIGMA],
						sqrt(variance + gain * square(tau)) * pow(ratio, gain), 1e-10);
		}
		fixture_gain(&f, 0);
		fixture_rate(&f);
		for (i = 0; i < f.match.nplayers; i++)
		{
			assert_same(f.after[i][TRUESKILL_MU], f.before[i][TRUESKILL_MU]);
			assert_same(f.after[i][TRUESKILL_SIGMA], f.before[i][TRUESKILL_SIGMA]);
		}
	}
}

/* Half a match for either team is no evidence; a bit more for one is a bit. */
static void
test_player_on_both_teams(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "trueskill");
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 1, 1)->weight = 0.5;
	fixture_add(&f, 1, 2, 2)->weight = 0.5;
	fixture_add(&f, 2, 2, 2);
	fixture_rate(&f);
	assert_same(f.after[1][TRUESKILL_MU], 25);
	assert_true(f.after[0][TRUESKILL_MU] > 25 && f.after[2][TRUESKILL_MU] < 25);
	f.row[1].weight = 0.75;
	f.row[2].weight = 0.25;
	fixture_rate(&f);
	assert_true(f.after[1][TRUESKILL_MU] > 25);
	assert_true(f.after[1][TRUESKILL_SIGMA] < f.before[1][TRUESKILL_SIGMA]);

	/* Among three teams the entries count one by one. */
	fixture_add(&f, 3, 3, 3);
	fixture_rate(&f);
	assert_true(f.after[1][TRUESKILL_SIGMA] < f.before[1][TRUESKILL_SIGMA]);
	assert_true(f.after[0][TRUESKILL_MU] > 25 && f.after[3][TRUESKILL_MU] < 25);
}

static void
test_no_part_no_change(void **state)
{
	Fixture		f;
	int			nteams;

	(void) state;
	fixture_init(&f, "trueskill");
	for (nteams = 2; nteams <= 3; nteams++)
	{
		int			i;

		fixture_clear(&f);
		for (i = 0; i < nteams; i++)
			fixture_add(&f, i, i, 1 + i);
		fixture_add(&f, nteams, nteams - 1, nteams)->weight = 0;
		fixture_rate(&f);
		assert_same(f.after[nteams][TRUESKILL_MU], 25);
		assert_same(f.after[nteams][TRUESKILL_SIGMA], 25.0 / 3);
		assert_true(f.after[0][TRUESKILL_MU] > 25);
	}
}

/* Log-odds shift the prediction, to first order as in a logistic model. */
static void
test_log_odds(void **state)
{
	Fixture		f;
	double		change;

	(void) state;
	fixture_init(&f, "trueskill");
	fixture_param(&f, "draw_probability")->number = 0;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	assert_same(f.team[0].win, 0.5);
	change = f.after[0][TRUESKILL_MU];
	f.match.log_odds = 0.1;
	fixture_rate(&f);
	assert_near(f.team[0].win, 1 / (1 + exp(-0.1)), 1e-4);
	assert_true(f.after[0][TRUESKILL_MU] < change);

	/* In favour of side 1, whatever the teams are called. */
	f.row[0].side = 2;
	f.row[1].side = 1;
	fixture_rate(&f);
	assert_near(f.team[0].win, 1 / (1 + exp(0.1)), 1e-4);
	assert_true(f.after[0][TRUESKILL_MU] > change);
}

static void
test_age(void **state)
{
	Fixture		f;
	double		state_of_player[TRUESKILL_NSTATE] = {30, 3};

	(void) state;
	fixture_init(&f, "trueskill");
	f.model->age(f.params, state_of_player, 86400.0 * 365);
	assert_same(state_of_player[TRUESKILL_SIGMA], 3);
	fixture_param(&f, "drift")->number = 0.4;
	f.model->age(f.params, state_of_player, 86400.0 * 25 / 2);
	f.model->age(f.params, state_of_player, 86400.0 * 25 / 2);
	assert_near(state_of_player[TRUESKILL_SIGMA], sqrt(9 + 0.16 * 25), 1e-14);
	assert_same(state_of_player[TRUESKILL_MU], 30);
	f.model->age(f.params, state_of_player, 86400.0 * 36500);
	assert_same(state_of_player[TRUESKILL_SIGMA], 25.0 / 3);
	state_of_player[TRUESKILL_SIGMA] = 20;
	f.model->age(f.params, state_of_player, 86400.0);
	assert_same(state_of_player[TRUESKILL_SIGMA], 20);
}

/* As many teams as there may be, in the least expected order. */
static void
test_large_free_for_all(void **state)
{
	static MatchTeam team[MATCH_MAX_TEAMS];
	static MatchPlayer player[MATCH_MAX_TEAMS];
	static MatchEntry entry[MATCH_MAX_TEAMS];
	static double before[MATCH_MAX_TEAMS][TRUESKILL_NSTATE];
	static double after[MATCH_MAX_TEAMS][TRUESKILL_NSTATE];
	Match		match = {.nteams = MATCH_MAX_TEAMS,.nplayers = MATCH_MAX_TEAMS,
		.nentries = MATCH_MAX_TEAMS,.team = team,.player = player,
	.entry = entry};
	int			i;

	(void) state;
	for (i = 0; i < MATCH_MAX_TEAMS; i++)
	{
		team[i].number = i;
		team[i].rank = 1 + i;
		before[i][TRUESKILL_MU] = 10 + 0.03 * i;
		before[i][TRUESKILL_SIGMA] = 1;
		player[i].before = before[i];
		player[i].after = after[i];
		entry[i].player = entry[i].team = i;
		entry[i].weight = 1;
		player[i].gain = player[i].weight = 1;
	}
	trueskill_update(&standard, &match);
	for (i = 0; i < MATCH_MAX_TEAMS; i++)
	{
		assert_true(isfinite(after[i][TRUESKILL_MU]));
		assert_true(after[i][TRUESKILL_SIGMA] > 0 &&
					after[i][TRUESKILL_SIGMA] < 1.01);
	}
	assert_true(after[0][TRUESKILL_MU] > before[0][TRUESKILL_MU]);
	assert_true(after[MATCH_MAX_TEAMS - 1][TRUESKILL_MU] <
				before[MATCH_MAX_TEAMS - 1][TRUESKILL_MU]);
}

/*
 * A match of four newcomers against three who play shares of it: the closed form of the page.
 * Under "centered" a unit of play of team t counts m / w_t, in the margin too, where shares
 * count under "weights" alone.
 */
static void
test_margin_of_unequal_teams(void **state)
{
	static const double share[7] = {0.5, 1, 0.75, 1, 1, 0.25, 1};
	const double sigma2 = square(25.0 / 3) + square(25.0 / 300);
	const double beta2 = square(25.0 / 6);
	int			variant;

	(void) state;
	for (variant = 0; variant < 8; variant++)
	{
		bool		centered = variant & 1;
		bool		by_weight = variant & 2;
		double		play[2] = {0, 0};
		double		mean = 0;
		double		variance = 0;
		double		size = 0;
		double		c,
					v,
					x;
		Fixture		f;
		int			i;

		fixture_init(&f, "trueskill");
		fixture_param(&f, "size_advantage")->choice = SIZE_ADVANTAGE_NONE;
		fixture_param(&f, "strength")->choice = !centered;
		fixture_param(&f, "draw_margin")->choice = by_weight;
		for (i = 0; i < 7; i++)
		{
			double		weight = variant & 4 ? 1 : share[i];

			fixture_add(&f, i, 1 + i / 4, 1 + i / 4)->weight = weight;
			play[i / 4] += weight;
		}
		fixture_rate(&f);
		for (i = 0; i < 7; i++)
		{
			double		weight = variant & 4 ? 1 : share[i];
			double		factor = centered ? 2 / (1 / play[0] + 1 / play[1]) / play[i / 4] : 1;

			mean += (i < 4 ? 25 : -25) * factor * weight;
			variance += square(factor * weight) * (sigma2 + beta2);
			size += square(by_weight ? factor * weight : factor);
		}

		/* (0.1 + 1) / 2 of all are below this. */
		x = 0.12566134685507402 * sqrt(size * beta2);
		c = sqrt(variance);
		if (centered && variant & 4)
			assert_near(size, 6.857, 0.0005);
		v = exp(-square((mean - x) / c) / 2) / sqrt(2 * M_PI) /
			(erfc(-(mean - x) / c / sqrt(2)) / 2);
		for (i = 0; i < 7; i++)
		{
			double		weight = variant & 4 ? 1 : share[i];
			double		factor = centered ? 2 / (1 / play[0] + 1 / play[1]) / play[i / 4] : 1;

			assert_near(f.after[i][TRUESKILL_MU],
						25 + (i < 4 ? 1 : -1) * factor * weight * sigma2 / c * v, 1e-9);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duels_against_integration),
		cmocka_unit_test(test_three_against_integration),
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_order_of_teams_does_not_matter),
		cmocka_unit_test(test_shift_and_scale),
		cmocka_unit_test(test_expected_change_is_zero),
		cmocka_unit_test(test_gradient_by_differences),
		cmocka_unit_test(test_places_add_up),
		cmocka_unit_test(test_places_by_simulation),
		cmocka_unit_test(test_gain),
		cmocka_unit_test(test_player_on_both_teams),
		cmocka_unit_test(test_no_part_no_change),
		cmocka_unit_test(test_log_odds),
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_large_free_for_all),
		cmocka_unit_test(test_margin_of_unequal_teams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
