/*
 * test_state_space_many.c
 *		The state-space model in matches of many teams: linear algebra, quadrature, sampling.
 */
#include "state_space_oracle.h"

/*
 * Scores of many teams by linear algebra: the differences from the last team are observed,
 * and whichever team is the last, the posterior is the same.
 */
static void
check_scores(Fixture *f, const Oracle *o, const double *value)
{
	int			n = o->nteams - 1;
	double		a[MAX_TEAMS][MAX_TEAMS + 1];
	int			k,
				i,
				j,
				l;

	for (k = 0; k < o->n; k++)
	{
		const Unknown *u = &o->unknown[k];
		double		seen[MAX_TEAMS];
		double		mean = u->mean;
		double		variance = u->variance;
		int			column;

		/* Two systems: of the residuals, and of what the unknown counts. */
		for (column = 0; column < 2; column++)
		{
			for (i = 0; i < n; i++)
			{
				seen[i] = u->coefficient[i] - u->coefficient[n];
				for (j = 0; j < n; j++)
					a[i][j] = (i == j ? team_covariance(o, i, i) : 0) +
						team_covariance(o, n, n);
				a[i][n] = column == 1 ? seen[i] :
					value[i] - value[n] - (team_mean(o, i) - team_mean(o, n));
			}
			for (i = 0; i < n; i++)
				for (j = 0; j < n; j++)
				{
					double		factor = a[j][i] / a[i][i];

					for (l = i; l <= n && j != i; l++)
						a[j][l] -= factor * a[i][l];
				}
			for (i = 0; i < n; i++)
				if (column == 0)
					mean += u->variance * seen[i] * (a[i][n] / a[i][i]);
				else
					variance -= square(u->variance) * seen[i] * (a[i][n] / a[i][i]);
		}
		assert_near(u->after[0], mean, 1e-10);
		assert_near(u->after[1], sqrt(variance), 1e-10);
	}
	(void) f;
}

/* No club on two teams, which are then independent. */
static void
separate_clubs(Fixture *f)
{
	int			i;

	for (i = 0; i < f->n; i++)
		f->row[i].club = f->row[i].club < 0 ? -1 : f->row[i].team;
}

static void
test_scores_of_many_teams(void **state)
{
	Random		random = {75};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 300; round++)
	{
		int			nteams = 3 + random_below(&random, MAX_TEAMS - 2);
		double		score[MAX_TEAMS];
		double		value[MAX_TEAMS];
		double		mean = 0;
		double		exponent = round % 2 ? 1 : random_between(&random, 0.3, 1.5);
		Oracle		o;

		random_full_match(&random, &f, nteams);
		separate_clubs(&f);
		for (i = 0; i < nteams; i++)
			mean += (score[i] = random_below(&random, 7)) / nteams;
		set_scores(&f, score, nteams);
		set_number(&f, "margin", random_between(&random, 0.1, 1));
		set_number(&f, "margin_exponent", exponent);
		fixture_rate(&f);
		find_oracle(&f, &o);

		/*
		 * Two teams that are alike would differ by as much as in a match of
		 * two.
		 */
		for (i = 0; i < nteams; i++)
			value[i] = sqrt(o.noise[i]) / number(&f, "beta") * number(&f, "margin") *
				copysign(pow(2 * fabs(score[i] - mean), exponent) / 2, score[i] - mean);
		check_scores(&f, &o, value);
	}
}

/* A third team of which nothing is known says nothing about the other two. */
static void
test_many_teams_agree_with_two(void **state)
{
	Random		random = {76};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 100; round++)
	{
		double		mu[2] = {random_between(&random, -1, 1), random_between(&random, -1, 1)};
		double		two[2][2];
		int			teams,
					i;

		set_number(&f, "margin", 0.5);
		set_number(&f, "margin_exponent", 1);
		for (teams = 2; teams <= 3; teams++)
		{
			fixture_clear(&f);
			for (i = 0; i < teams; i++)
			{
				f.model->init(f.params, f.before[i]);
				f.before[i][STATE_SPACE_MU] = i < 2 ? mu[i] : 0;
				f.before[i][STATE_SPACE_SIGMA] = i < 2 ? 0.5 : 1e6;
				f.player[i].games = 1;
				fixture_add(&f, i, i + 1, i + 1)->score = 10 - i;
			}
			fixture_rate(&f);
			for (i = 0; i < 2 && teams == 2; i++)
				memcpy(two[i], f.after[i], sizeof(two[i]));
		}
		for (i = 0; i < 2; i++)
		{
			assert_near(f.after[i][0], two[i][0], 1e-9);
			assert_near(f.after[i][1], two[i][1], 1e-9);
		}
	}
}

/*
 * With nothing but players the order is TrueSkill's, whose chain is checked against
 * published values, at the same draw margin.
 */
static void
test_order_of_many_teams_is_that_of_trueskill(void **state)
{
	Random		random = {77};
	static Fixture f;
	static Fixture trueskill;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	fixture_init(&trueskill, "trueskill");
	for (round = 0; round < 1000; round++)
	{
		int			nteams = 2 + random_below(&random, 4);
		int			strength = random_below(&random, 2);
		int			player = 0;
		int			team;

		fixture_clear(&f);
		fixture_clear(&trueskill);
		set_number(&f, "draw_sigma", 0);
		set_number(&f, "beta", 25.0 / 6);
		set_number(&f, "tau", 25.0 / 300);
		fixture_param(&f, "strength")->choice = strength;
		fixture_param(&trueskill, "strength")->choice = strength;
		fixture_param(&trueskill, "draw_margin")->choice = 1;
		for (team = 1; team <= nteams; team++)
		{
			double		rank = 1 + random_below(&random, nteams);
			int			members = 1 + random_below(&random, 3);

			for (i = 0; i < members; i++)
			{
				double		weight = random_between(&random, 0.2, 1);

				f.before[player][0] = trueskill.before[player][0] =
					random_between(&random, 10, 40);
				f.before[player][1] = trueskill.before[player][1] =
					random_between(&random, 0.5, 9);
				f.player[player].games = 1;
				fixture_add(&f, player, team, rank)->weight = weight;
				fixture_add(&trueskill, player++, team, rank)->weight = weight;
			}
		}
		fixture_rate(&f);
		fixture_rate(&trueskill);
		for (i = 0; i < nteams; i++)
			assert_near(f.team[i].win, trueskill.team[i].win, 1e-12);
		for (i = 0; i < player; i++)
		{
			assert_near(f.after[i][0], trueskill.after[i][0], 1e-10);
			assert_near(f.after[i][1], trueskill.after[i][1], 1e-10);
			assert_near(f.player[i].gradient, trueskill.player[i].gradient, 1e-10);
		}
	}
}

/*
 * Three teams in a row, the one in the middle exactly: the posterior of its performance is
 * its prior times both likelihoods.  Propagation is close to it.
 */
static void
test_order_of_three_against_integration(void **state)
{
	Random		random = {78};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 100; round++)
	{
		double		moment[3] = {0, 0, 0};
		double		deviation[3];
		Oracle		o;
		int			i,
					k;

		random_full_match(&random, &f, 3);
		separate_clubs(&f);
		fixture_rate(&f);
		find_oracle(&f, &o);
		for (i = 0; i < 3; i++)
			deviation[i] = sqrt(team_covariance(&o, i, i));
		for (k = 0; k <= 4000; k++)
		{
			double		z = -10 + 20.0 * k / 4000;
			double		x = team_mean(&o, 1) + deviation[1] * z;
			double		weight = normal_density(z) *
				normal_cdf((team_mean(&o, 0) - x -
							o.margin * sqrt(o.noise[0] + o.noise[1])) / deviation[0]) *
				normal_cdf((x - team_mean(&o, 2) -
							o.margin * sqrt(o.noise[1] + o.noise[2])) / deviation[2]);

			moment[0] += weight;
			moment[1] += weight * z;
			moment[2] += weight * z * z;
		}
		moment[1] /= moment[0];
		moment[2] = moment[2] / moment[0] - square(moment[1]);
		for (i = 0; i < o.n; i++)
		{
			const Unknown *u = &o.unknown[i];
			double		share = u->coefficient[1] * sqrt(u->variance) / deviation[1];

			if (share == 0 || u->coefficient[0] != 0 || u->coefficient[2] != 0)
				continue;
			assert_near(u->after[0], u->mean + share * sqrt(u->variance) * moment[1],
						0.03 * sqrt(u->variance));
			assert_near(square(u->after[1]), u->variance * (1 - square(share) * (1 - moment[2])),
						0.03 * u->variance);
		}
	}
}

/* A standard normal variable, by Box and Muller's method. */
static double
random_normal(Random *random)
{
	return sqrt(-2 * log(random_between(random, 1e-300, 1))) *
		cos(2 * M_PI * random_between(random, 0, 1));
}

/*
 * Moments of all unknowns by importance sampling: draws from the prior, each weighted by
 * the likelihood of the result, which for orders is that of the noise alone drawn too.
 */
static void
check_by_sampling(Random *random, const Oracle *o, double tolerance)
{
	const int	draws = 200000;
	static double sum[MAX_UNKNOWNS];
	static double squares[MAX_UNKNOWNS];
	double		value[MAX_UNKNOWNS];
	double		total = 0;
	int			d,
				i,
				j;

	memset(sum, 0, sizeof(sum));
	memset(squares, 0, sizeof(squares));
	for (d = 0; d < draws; d++)
	{
		double		performance[MAX_TEAMS];
		double		weight = 1;

		for (j = 0; j < o->nteams; j++)
			performance[j] = sqrt(o->noise[j]) * random_normal(random);
		for (i = 0; i < o->n; i++)
		{
			value[i] = random_normal(random);
			for (j = 0; j < o->nteams; j++)
				performance[j] += o->unknown[i].coefficient[j] *
					(o->unknown[i].mean + sqrt(o->unknown[i].variance) * value[i]);
		}
		for (j = 1; j < o->nteams; j++)
			if (performance[j - 1] - performance[j] <=
				o->margin * sqrt(o->noise[j - 1] + o->noise[j]))
				weight = 0;
		if (weight == 0)
			continue;
		total += weight;
		for (i = 0; i < o->n; i++)
		{
			sum[i] += weight * value[i];
			squares[i] += weight * square(value[i]);
		}
	}
	assert_true(total > 2000);
	for (i = 0; i < o->n; i++)
	{
		const Unknown *u = &o->unknown[i];
		double		deviation = sqrt(u->variance);
		double		mean = sum[i] / total;
		double		error = tolerance + 5 / sqrt(total);

		assert_near((u->after[0] - u->mean) / deviation, mean, error);
		assert_near(square(u->after[1]) / u->variance, squares[i] / total - square(mean),
					2 * error);
	}
}

static void
test_moments_by_sampling(void **state)
{
	Random		random = {79};
	Fixture		f;
	int			round;

	(void) state;
	fixture_init(&f, "state_space");
	for (round = 0; round < 8; round++)
	{
		Oracle		o;

		random_full_match(&random, &f, round % 2 ? 3 : 2);
		if (round % 2)
			separate_clubs(&f);
		fixture_rate(&f);
		find_oracle(&f, &o);
		check_by_sampling(&random, &o, round % 2 ? 0.02 : 0);
	}
}

/* As many teams as there may be, by order and by scores. */
static void
test_large_free_for_all(void **state)
{
	static Participant row[MATCH_MAX_TEAMS];
	static MatchTeam team[MATCH_MAX_TEAMS];
	static MatchPlayer player[MATCH_MAX_TEAMS];
	static MatchEntry entry[MATCH_MAX_TEAMS];
	static double before[MATCH_MAX_TEAMS][STATE_SPACE_NSTATE];
	static double after[MATCH_MAX_TEAMS][STATE_SPACE_NSTATE];
	Fixture		f;
	Match		match = {.nplayers = MATCH_MAX_TEAMS,.team = team,.player = player,
	.entry = entry};
	int			scores,
				offender,
				i;

	(void) state;
	fixture_init(&f, "state_space");
	set_number(&f, "margin", 0.01);
	for (scores = 0; scores < 2; scores++)
	{
		for (i = 0; i < MATCH_MAX_TEAMS; i++)
		{
			row[i] = participant_default;
			row[i].player = row[i].team = i;
			row[i].rank = i + 1;
			row[i].score = scores ? -i : NAN;
			f.model->init(f.params, before[i]);
			before[i][STATE_SPACE_MU] = 0.003 * i;
			player[i].before = before[i];
			player[i].after = after[i];
			player[i].games = 1;
		}
		assert_status(match_build(&f.model->rules, f.params, row, MATCH_MAX_TEAMS, &match,
								  &offender), MATCH_OK);
		assert_status(model_rate(f.model, f.params, &match), MATCH_OK);
		for (i = 0; i < MATCH_MAX_TEAMS; i++)
			assert_true(after[i][STATE_SPACE_SIGMA] > 0 &&
						after[i][STATE_SPACE_SIGMA] < before[i][STATE_SPACE_SIGMA]);
		assert_true(after[0][STATE_SPACE_MU] > before[0][STATE_SPACE_MU]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scores_of_many_teams),
		cmocka_unit_test(test_many_teams_agree_with_two),
		cmocka_unit_test(test_order_of_many_teams_is_that_of_trueskill),
		cmocka_unit_test(test_order_of_three_against_integration),
		cmocka_unit_test(test_moments_by_sampling),
		cmocka_unit_test(test_large_free_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
