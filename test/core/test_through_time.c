/*
 * test_through_time.c
 *		TrueSkill Through Time: golden values, the filter, what is known in closed
 *		form, warm restarts.
 */
#include "csv.h"
#include "through_time_box.h"

/* Everybody beat one and lost to the other: all equal, and the published deviation. */
static void
test_cycle(void **state)
{
	Box		   *box = box_make();
	ThroughTimeResult result;
	size_t		a;

	(void) state;
	box_duel(box, 0, 0, 1);
	box_duel(box, 0, 1, 2);
	box_duel(box, 0, 2, 0);
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_int_equal(box->tt.appearances, 6);
	for (a = 0; a < 6; a++)
	{
		double		mu,
					sigma;

		through_time_skill(&box->tt, a, &mu, &sigma);
		assert_near(mu, 25, 1e-6);
		assert_near(sigma, 5.41921, 1e-5);
	}
	box_free(box);
}

/* The players of a golden case by name. */
typedef struct Names
{
	char		name[MAX_PLAYERS][32];
	int			n;
} Names;

static int32_t
number_of(Names *names, const char *name)
{
	int			i;

	for (i = 0; i < names->n; i++)
		if (strcmp(names->name[i], name) == 0)
			return i;
	snprintf(names->name[names->n], sizeof(names->name[0]), "%s", name);
	return names->n++;
}

static void
load_case(Box *box, Names *names, const char *name)
{
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *events = csv_open("ttt_events.csv", line, sizeof(line));
	char		event[32] = "";
	int			first = 0;
	int			row;

	box_param(box, "strength")->choice = STATE_SPACE_SUM;
	while (fgets(line, sizeof(line), events) != NULL)
	{
		bool		timed;

		(void) csv_split(line, field);
		if (strcmp(field[0], name) != 0)
			continue;
		timed = *field[2] != '\0';
		if (strcmp(event, field[1]) != 0)
		{
			snprintf(event, sizeof(event), "%s", field[1]);
			box_begin(box, timed ? (int64_t) (csv_number(field[2]) * DAY) : NEVER_PLAYED);
			first = (int) box->history.nparticipants;
		}
		box_add(box, number_of(names, field[4]), atoi(field[3]),
				-csv_number(field[5]));
		box_number(box, weight, box->history.nparticipants - 1) = csv_number(field[6]);
		box_param(box, "initial_mu")->number = csv_number(field[7]);
		box_param(box, "initial_sigma")->number = csv_number(field[8]);
		box_param(box, "beta")->number = csv_number(field[9]);
		box_param(box, "tau")->number = timed ? 0 : csv_number(field[10]);
		box_param(box, "drift")->number = timed ? csv_number(field[10]) : 0;
		box_param(box, "draw_probability")->number = csv_number(field[11]);

		/* High results are best, and ranks are at least 1. */
		for (row = first; row < (int) box->history.nparticipants; row++)
			if (box_number(box, rank, row) <= 0)
				box_number(box, rank, row) += 1000;
	}
	fclose(events);
}

static void
test_golden(void **state)
{
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	char		name[32] = "";
	char		stage[32] = "";
	Box		   *box = NULL;
	Names	   *names = NULL;
	FILE	   *expected = csv_open("ttt_expected.csv", line, sizeof(line));
	int			compared = 0;

	(void) state;
	while (fgets(line, sizeof(line), expected) != NULL)
	{
		int32_t		player;
		size_t		a;
		double		mu = NAN,
					sigma = NAN;

		(void) csv_split(line, field);
		if (strcmp(name, field[0]) != 0 || strcmp(stage, field[1]) != 0)
		{
			if (box != NULL)
				box_free(box);
			free(names);
			box = box_make();
			names = calloc(1, sizeof(Names));
			snprintf(name, sizeof(name), "%.31s", field[0]);
			snprintf(stage, sizeof(stage), "%s", field[1]);
			load_case(box, names, name);
			box_link(box);
			(void) through_time_solve(&box->tt, false, 1e-9,
									  strcmp(stage, "filter") == 0 ? 1 : 1000);
		}

		/*
		 * That of the last appearance at that time; of the filter, up to
		 * there.
		 */
		player = number_of(names, field[2]);
		for (a = 0; a < box->tt.appearances; a++)
		{
			const HistoryMatch *match = &box->match[box->match_of[a]];
			size_t		place = a - box->first[box->match_of[a]];

			if (box->player[match->first + place] != player)
				continue;
			if (*field[3] != '\0' &&
				(box_param(box, "drift")->number > 0 || box_param(box, "tau")->number == 0) &&
				match->played_at != (int64_t) (csv_number(field[3]) * DAY))
				continue;
			/* Without times the column has the number of the match. */
			if (box_param(box, "tau")->number > 0 && *field[3] != '\0' &&
				box->match_of[a] + 1 != (uint32_t) csv_number(field[3]))
				continue;
			if (strcmp(stage, "filter") == 0)
			{
				Belief		m = {box->forward[a].precision + box->site[a].precision,
				box->forward[a].weighted + box->site[a].weighted};

				mu = m.weighted / m.precision;
				sigma = 1 / sqrt(m.precision);
			}
			else
				through_time_skill(&box->tt, a, &mu, &sigma);
		}
		if (isnan(mu))
			print_message("%s %s %s %s not found\n", name, stage, field[2], field[3]);
		assert_near(mu, csv_number(field[4]), csv_number(field[6]));
		assert_near(sigma, csv_number(field[5]), csv_number(field[6]));
		compared++;
	}
	fclose(expected);
	box_free(box);
	free(names);
	print_message("%d golden values\n", compared);
	assert_true(compared > 20);
}

/* One match, and then nothing: the filter and the smoother are TrueSkill. */
static void
test_one_match(void **state)
{
	Box		   *box = box_make();
	double		mu,
				sigma;
	ThroughTimeResult result;

	(void) state;
	box_duel(box, 0, 0, 1);
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	through_time_skill(&box->tt, 0, &mu, &sigma);
	assert_near(mu, 29.2052209, 1e-6);
	assert_near(sigma, 7.1944814, 1e-6);
	assert_near(through_time_log_evidence(&box->tt), log(0.5), 1e-12);
	assert_near(box_joint_evidence(box), log(0.5), 1e-12);
	assert_int_equal(result.matches, 1);
	box_free(box);
}

/*
 * Without drift a player's skill is one number, and the same at every appearance;
 * with it those near in time are nearer.
 */
static void
test_drift(void **state)
{
	Box		   *box = box_make();
	double		mu[3],
				sigma[3];
	int			i;
	uint32_t	a;

	(void) state;
	for (i = 0; i < 20; i++)
		box_duel(box, i * DAY, i < 10 ? 0 : 1 + i, i < 10 ? 1 + i : 0);
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	through_time_skill(&box->tt, 0, &mu[0], &sigma[0]);
	through_time_skill(&box->tt, box->first[9], &mu[1], &sigma[1]);
	assert_near(mu[0], mu[1], 1e-6);
	assert_near(sigma[0], sigma[1], 1e-6);
	box_param(box, "drift")->number = 0.5;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	for (i = 0, a = 0; i < 3; i++, a = i == 1 ? (uint32_t) box->first[9] : box->last[0])
		through_time_skill(&box->tt, a, &mu[i], &sigma[i]);
	assert_true(mu[0] > mu[1] && mu[1] > mu[2]);

	/* A quarter of a day is a quarter of the variance. */
	for (i = 0; i < 20; i++)
		box->match[i].played_at /= 4;
	box_param(box, "drift")->number *= 2;
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	for (i = 0, a = 0; i < 3; i++, a = i == 1 ? (uint32_t) box->first[9] : box->last[0])
	{
		double		same,
					unused;

		through_time_skill(&box->tt, a, &same, &unused);
		assert_near(same, mu[i], 1e-9);
	}
	box_free(box);
}

/* The evidence of results of two players, by Simpson's rule over both skills. */
static double
evidence_by_quadrature(const double *rank_of_second, int n, double margin, double beta)
{
	const int	steps = 400;
	double		sum = 0;
	int			i,
				j,
				k;

	for (i = 0; i <= steps; i++)
		for (j = 0; j <= steps; j++)
		{
			double		x = -8 + 16.0 * i / steps;
			double		y = -8 + 16.0 * j / steps;
			double		lead = (x - y) * 25.0 / 3 / (sqrt(2) * beta);
			double		e = margin / beta / sqrt(2);
			double		value = normal_density(x) * normal_density(y);
			double		weight = (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) *
				(j == 0 || j == steps ? 1 : j % 2 ? 4 : 2);

			for (k = 0; k < n; k++)
				value *= rank_of_second[k] > 1 ? normal_cdf(lead - e) :
					rank_of_second[k] < 1 ? normal_cdf(-lead - e) :
					normal_cdf(e - lead) - normal_cdf(-e - lead);
			sum += weight * value;
		}
	return log(sum * pow(16.0 / steps / 3, 2));
}

/* One match is exact; several of the same two at one time are near, in any order. */
static void
test_evidence_of_two(void **state)
{
	const double ranks[5] = {2, 1, 2, 0.5, 2};
	double		beta = 25.0 / 6;
	double		margin = normal_quantile(0.65) * sqrt(2) * beta;
	double		evidence[2];
	int			n,
				order,
				i;

	(void) state;
	for (n = 1; n <= 5; n++)
	{
		double		exact = evidence_by_quadrature(ranks, n, margin, beta);

		for (order = 0; order < 2; order++)
		{
			Box		   *box = box_make();
			ThroughTimeResult result;

			box_param(box, "draw_probability")->number = 0.3;
			for (i = 0; i < n; i++)
			{
				double		rank = ranks[order == 0 ? i : n - 1 - i];

				box_begin(box, DAY);
				box_add(box, 0, 1, rank < 1 ? 2 : 1);
				box_add(box, 1, 2, rank < 1 ? 1 : rank);
			}
			box_param(box, "tau")->number = 2;	/* not between matches of one
												 * time */
			result = box_solve(box);
			assert_int_equal(result.status, SOLVE_CONVERGED);
			assert_int_equal(result.matches, n);
			evidence[order] = box_joint_evidence(box);
			box_free(box);
		}
		assert_near(evidence[0], evidence[1], 1e-9);
		for (order = 0; order < 2; order++)
			assert_near(evidence[order], exact, n == 1 ? 1e-9 : 5e-4 * n);
	}
}

/*
 * Whatever the order of rows and the numbers of players, simultaneous matches have one
 * evidence: few of two teams, which are taken together, and many or with rankings, which
 * are not.
 */
static void
test_evidence_in_any_order(void **state)
{
	static const int matches[3] = {12, 100, 12};
	Random		random = {21};
	int			kind,
				round,
				i;

	(void) state;
	for (kind = 0; kind < 3; kind++)
	{
		int			n = matches[kind];
		int			row[100][3];
		int			drawn[100];
		int			order[100];
		int			name[12];
		double		evidence[2] = {0, 0};

		for (i = 0; i < n; i++)
		{
			row[i][0] = random_below(&random, 12);
			row[i][1] = (row[i][0] + 1 + random_below(&random, 5)) % 12;
			row[i][2] = (row[i][1] + 1 + random_below(&random, 5)) % 12;
			drawn[i] = random_below(&random, 4) == 0;
			order[i] = i;
		}
		for (i = 0; i < 12; i++)
			name[i] = i;
		for (round = 0; round < 6; round++)
		{
			Box		   *box = box_make();
			ThroughTimeResult result;

			box_param(box, "draw_probability")->number = 0.2;
			box_param(box, "tau")->number = 0.5;
			for (i = 0; i < n; i++)
			{
				const int  *who = row[order[i]];

				box_begin(box, DAY);
				box_add(box, name[who[0]], 1, 1);
				box_add(box, name[who[1]], 2, drawn[order[i]] ? 1 : 2);
				if (kind == 2 && order[i] % 3 == 0)
					box_add(box, name[who[2]], 3, 3);
			}
			result = box_solve(box);
			assert_int_equal(result.status, SOLVE_CONVERGED);
			for (i = 0; i < 2; i++)
			{
				double		now = i == 0 ? through_time_log_evidence(&box->tt) :
					box_joint_evidence(box);

				if (round == 0)
					evidence[i] = now;
				assert_near(now, evidence[i], 1e-6);
			}
			box_free(box);
			for (i = n - 1; i > 0; i--)
			{
				int			j = random_below(&random, i + 1);
				int			swap = order[i];

				order[i] = order[j];
				order[j] = swap;
			}
			for (i = 11; i > 0; i--)
			{
				int			j = random_below(&random, i + 1);
				int			swap = name[i];

				name[i] = name[j];
				name[j] = swap;
			}
		}
	}
}

/* Three players who all met one another, by Simpson's rule over all skills. */
static void
test_evidence_of_three(void **state)
{
	static const int pair[5][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 1}, {1, 0}};
	const int	steps = 80;
	Box		   *box = box_make();
	double		sum = 0;
	ThroughTimeResult result;
	int			at[3];
	int			i;

	(void) state;
	for (at[0] = 0; at[0] <= steps; at[0]++)
		for (at[1] = 0; at[1] <= steps; at[1]++)
			for (at[2] = 0; at[2] <= steps; at[2]++)
			{
				double		x[3];
				double		value = 1;

				for (i = 0; i < 3; i++)
				{
					x[i] = -6 + 12.0 * at[i] / steps;
					value *= normal_density(x[i]) * (at[i] == 0 || at[i] == steps ? 1 :
													 at[i] % 2 ? 4 : 2);
				}
				for (i = 0; i < 5; i++)
					value *= normal_cdf((x[pair[i][0]] - x[pair[i][1]]) * sqrt(2));
				sum += value;
			}
	for (i = 0; i < 5; i++)
		box_duel(box, DAY, pair[i][0], pair[i][1]);
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	sum = log(sum * pow(12.0 / steps / 3, 3));
	print_message("%g, by messages %g, exactly %g\n", box_joint_evidence(box),
				  through_time_log_evidence(&box->tt), sum);
	assert_near(box_joint_evidence(box), sum, 2e-3);
	box_free(box);
}

/* A standard normal number, by the method of Box and Muller. */
static double
random_normal(Random *random)
{
	return sqrt(-2 * log(random_between(random, 1e-300, 1))) *
		cos(2 * M_PI * random_between(random, 0, 1));
}

/*
 * Rankings: of one match the messages have the probability of the order; of two matches of the same
 * three the joint distribution is near what random skills and performances say.
 */
static void
test_evidence_of_rankings(void **state)
{
	static const int order[2][3] = {{1, 2, 3}, {3, 1, 2}};
	const int	n = 2000000;
	int			rounds;

	(void) state;
	for (rounds = 1; rounds <= 2; rounds++)
	{
		Box		   *box = box_make();
		Random		random = {5};
		int			held = 0;
		int			i,
					j,
					k;

		for (i = 0; i < rounds; i++)
		{
			box_begin(box, i * 5 * DAY);
			for (j = 0; j < 3; j++)
				box_add(box, j, j, order[i][j]);
		}
		*box_param(box, "drift") = (ParamValue)
		{
			.number = 2
		};
		box_param(box, "tau")->number = 0;
		box_param(box, "draw_probability")->number = 0;
		assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		if (rounds == 1)
			assert_near(through_time_log_evidence(&box->tt), -log(6), 1e-8);
		for (i = 0; i < n; i++)
		{
			double		skill[3];
			bool		holds = true;

			for (j = 0; j < 3; j++)
				skill[j] = random_normal(&random) * 25 / 3;
			for (k = 0; k < rounds && holds; k++)
			{
				double		performance[3];

				for (j = 0; j < 3; j++)
				{
					if (k == 1)
						skill[j] += random_normal(&random) * 2 * sqrt(5);
					performance[order[k][j] - 1] = skill[j] + random_normal(&random) * 25 / 6;
				}
				holds = performance[0] > performance[1] && performance[1] > performance[2];
			}
			held += holds;
		}
		print_message("%g, by messages %g, by chance %g\n", box_joint_evidence(box),
					  through_time_log_evidence(&box->tt), log((double) held / n));
		assert_near(box_joint_evidence(box), log((double) held / n), 0.03);
		box_free(box);
	}
}

/*
 * Matches of one time are one batch: the skill of a player there is one, whichever
 * row it is read from, and all orders of the matches give the same.
 */
static void
test_simultaneous(void **state)
{
	static const int order[3][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
	static const int pair[4][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 0}};
	double		mu[3][4],
				sigma[3][4];
	int			o,
				i;

	(void) state;
	for (o = 0; o < 3; o++)
	{
		Box		   *box = box_make();
		size_t		a;
		double		unused;

		box_duel(box, 0, 0, 1);
		for (i = 0; i < 4; i++)
			box_duel(box, 3 * DAY, pair[order[o][i]][0], pair[order[o][i]][1]);
		box_duel(box, 4 * DAY, 2, 3);
		box_param(box, "tau")->number = 1;
		box_param(box, "drift")->number = 0.5;
		assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		for (a = box->first[1]; a < box->first[5]; a++)
		{
			int32_t		player = box->player[a];
			double		at[2];

			through_time_skill(&box->tt, a, &at[0], &at[1]);
			if (box->next[a] != NO_APPEARANCE && box->next[a] < box->first[5])
			{
				double		next;

				through_time_skill(&box->tt, box->next[a], &next, &unused);
				assert_near(at[0], next, 1e-6);
				assert_near(at[1], unused, 1e-6);
			}
			mu[o][player] = at[0];
			sigma[o][player] = at[1];
		}
		for (i = 0; i < 4; i++)
		{
			assert_near(mu[o][i], mu[0][i], 1e-6);
			assert_near(sigma[o][i], sigma[0][i], 1e-6);
		}
		box_free(box);
	}
}

/* Log-odds that no double can bear are reported as such; impossible draws, too. */
static void
test_overflow(void **state)
{
	Box		   *box = box_make();
	ThroughTimeResult result;

	(void) state;
	box_begin(box, 0);
	box_add(box, 0, 1, 1);
	box_add(box, 1, 2, 1);
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_true(through_time_log_evidence(&box->tt) == -INFINITY);
	assert_true(box_joint_evidence(box) == -INFINITY);
	box->match[0].log_odds = 1.7e308;
	assert_int_equal(box_solve(box).status, SOLVE_NOT_FINITE);
	box_free(box);
}

/* A cycle of three takes some passes; fewer are said to be too few. */
static void
test_limits(void **state)
{
	int			passes;

	(void) state;
	for (passes = 1; passes < 6; passes++)
	{
		Box		   *box = box_make();
		ThroughTimeResult result;
		int			i;

		for (i = 0; i < 3; i++)
		{
			box_begin(box, i * MICROSECONDS_PER_DAY);
			box_add(box, i, 1, 1);
			box_add(box, (i + 1) % 3, 2, 2);
		}
		box_link(box);
		result = through_time_solve(&box->tt, false, 1e-9, passes);
		assert_int_equal(result.status, SOLVE_MAX_ITERATIONS);
		assert_int_equal(result.passes, passes);
		assert_true(result.change > 1e-9);
		box_free(box);
	}
}

/* After more matches it goes on from where it was, and comes to the same. */
static void
test_warm_restart(void **state)
{
	Box		   *cold = box_make();
	Box		   *warm = box_make();
	Random		random = {8};
	ThroughTimeResult first,
				again;
	size_t		match;
	size_t		a;
	int			offender;
	int			i;

	(void) state;
	for (i = 0; i < 3000; i++)
	{
		int32_t		x = (int32_t) random_between(&random, 0, 100);
		int32_t		y = (x + 1 + (int32_t) random_between(&random, 0, 99)) % 100;

		box_duel(cold, NEVER_PLAYED, x, y);
		box_duel(warm, NEVER_PLAYED, x, y);
	}
	first = box_solve(cold);
	warm->history.nmatches -= 10;
	(void) box_solve(warm);
	warm->history.nmatches += 10;
	assert_status(through_time_count(&warm->tt, &match, &offender), MATCH_OK);
	through_time_link(&warm->tt);
	again = through_time_solve(&warm->tt, true, 1e-6, 1000);
	print_message("%d passes, %d from the solution without the last ten matches\n",
				  first.passes, again.passes);
	assert_true(again.status == SOLVE_CONVERGED && again.passes < first.passes);
	assert_int_equal(warm->tt.appearances, cold->tt.appearances);
	for (a = 0; a < cold->tt.appearances; a += 97)
	{
		double		mu[2],
					sigma[2];

		through_time_skill(&cold->tt, a, &mu[0], &sigma[0]);
		through_time_skill(&warm->tt, a, &mu[1], &sigma[1]);
		assert_near(mu[0], mu[1], 1e-4);
		assert_near(sigma[0], sigma[1], 1e-4);
	}
	box_free(cold);
	box_free(warm);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_one_match),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_evidence_of_two),
		cmocka_unit_test(test_evidence_in_any_order),
		cmocka_unit_test(test_evidence_of_three),
		cmocka_unit_test(test_evidence_of_rankings),
		cmocka_unit_test(test_simultaneous),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_warm_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
