/*
 * test_elo_free_for_all.c
 *		Elo's system in matches of more than two teams, and against published ones.
 */
#include "csv.h"
#include "elo_matches.h"

#include "core/math/logistic.h"
#include "core/math/normal.h"
#include "core/models/elo.h"

static void
test_free_for_all_win_probabilities(void **state)
{
	Random		random = {14};
	Fixture		f;
	int			round,
				i,
				j;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 1000; round++)
	{
		int			n = 3 + random_below(&random, 6);
		double		rating[8];
		double		rank[8];
		double		deviation[8];
		double		work[NORMAL_WORK(8)];
		double		best[8];
		double		total = 0;

		for (i = 0; i < n; i++)
		{
			rating[i] = random_between(&random, 1000, 2000);
			rank[i] = i + 1;
			deviation[i] = 200;
		}
		free_for_all(&f, n, rating, rank);

		fixture_param(&f, "form")->choice = LOGISTIC;
		fixture_rate(&f);
		for (i = 0; i < n; i++)
			total += f.team[i].win;
		assert_near(total, 1, 1e-14);
		/* Luce: among any two, the odds do not depend on the others. */
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				if (i != j)
					assert_near(f.team[i].win / (f.team[i].win + f.team[j].win),
								elo_logistic(rating[i] - rating[j], 400, 0),
								1e-14);

		fixture_param(&f, "form")->choice = NORMAL;
		fixture_rate(&f);
		normal_best_of(rating, deviation, n, best, work, NULL);
		for (i = 0; i < n; i++)
			assert_near(f.team[i].win, best[i], 1e-15);
	}
}

/* Of three, one out of reach leaves the curve of the other two. */
static void
test_free_for_all_marginal_of_a_pair(void **state)
{
	static const double rating[3] = {1600, 1450, -20000};
	static const double rank[3] = {1, 2, 3};
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	free_for_all(&f, 3, rating, rank);
	fixture_rate(&f);
	assert_near(f.team[0].win, elo_logistic(150, 400, 0), 1e-14);
	fixture_param(&f, "form")->choice = NORMAL;
	fixture_rate(&f);
	assert_near(f.team[0].win, elo_normal(150, 200, 0), 1e-13);
}

static void
test_free_for_all_is_zero_sum(void **state)
{
	Random		random = {15};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "elo");
	for (round = 0; round < 2000; round++)
	{
		int			n = 3 + random_below(&random, 10);
		double		rating[12];
		double		rank[12];
		double		total = 0;

		for (i = 0; i < n; i++)
		{
			rating[i] = random_between(&random, 1000, 2000);
			rank[i] = 1 + random_below(&random, n);
		}
		free_for_all(&f, n, rating, rank);
		fixture_param(&f, "form")->choice = random_below(&random, 2);
		fixture_rate(&f);
		for (i = 0; i < n; i++)
			total += change(&f, i);
		assert_near(total, 0, 1e-11);
	}
}

/* Every pair is a game, and the change is the mean over the games. */
static void
test_many_teams_are_the_mean_of_pairs(void **state)
{
	Random		random = {16};
	Fixture		f;
	Fixture		pair;
	int			round,
				a,
				b,
				i;

	(void) state;
	fixture_init(&f, "elo");
	fixture_init(&pair, "elo");
	for (round = 0; round < 500; round++)
	{
		int			nteams = 3 + random_below(&random, 4);
		double		total[TEST_MAX_ROWS] = {0};

		fixture_param(&f, "form")->choice = random_below(&random, 2);
		fixture_param(&f, "strength")->choice = random_below(&random, 2);
		memcpy(pair.params, f.params, sizeof(f.params));
		random_teams(&random, &f, nteams, 300);
		fixture_rate(&f);

		memcpy(pair.before, f.before, sizeof(f.before));
		for (a = 0; a < nteams; a++)
			for (b = a + 1; b < nteams; b++)
			{
				fixture_clear(&pair);
				for (i = 0; i < f.n; i++)
				{
					const Participant *row = &f.row[i];

					if (row->team == a || row->team == b)
						fixture_add(&pair, row->player, row->team,
									row->rank)->weight = row->weight;
				}
				/* Players of other teams are known to the match but absent. */
				pair.match.nplayers = f.match.nplayers;
				fixture_rate(&pair);
				for (i = 0; i < f.match.nplayers; i++)
					total[i] += change(&pair, i);
			}
		for (i = 0; i < f.match.nplayers; i++)
			assert_near(change(&f, i), total[i] / (nteams - 1), 1e-11);
	}
}

/* The match of a fixture as the published function rates it. */
static void
check_contest(Fixture *f, double k, double base, const double *share, const double *after,
			  double tolerance)
{
	double		rating[TEST_MAX_ROWS];
	double		rank[TEST_MAX_ROWS];
	double		our_share[TEST_MAX_ROWS];
	double		our_after[TEST_MAX_ROWS];
	int			i;

	for (i = 0; i < f->n; i++)
	{
		rating[i] = f->before[i][0];
		rank[i] = f->row[i].rank;
	}
	elo_contest(rating, rank, f->n, k, fixture_param(f, "scale")->number, base, our_share,
				our_after);
	for (i = 0; i < f->n; i++)
	{
		assert_near(our_share[i], share[i], tolerance);
		assert_near(our_after[i], after[i], tolerance);
	}
}

/*
 * Published free-for-alls of one K in n (n - 1) / 2 games, of which each player
 * has a share: K (n - 1) (score share - expected share).  That is our mean over
 * the opponents with 2 K (n - 1) / n for K.  Scores that are not linear in the
 * place are not ours, except for two players, where all are the same.
 */
static void
test_published_free_for_alls(void **state)
{
	enum
	{
		CASE, PLAYER, PLACE, RATING, K, D, SCORE_BASE, EXP_RATING, EXP_SHARE,
		TOL, NCOLUMNS = 11
	};
	char		line[1024];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *file = csv_open("elo_multiplayer.csv", line, sizeof(line));
	Fixture		f;
	char		current[16] = "";
	double		exp_rating[TEST_MAX_ROWS];
	double		exp_share[TEST_MAX_ROWS];
	double		tolerance = 0;
	double		k = 0;
	double		base = 1;
	int			shares = 0;
	int			ratings = 0;
	int			more,
				i;

	(void) state;
	fixture_init(&f, "elo");
	do
	{
		more = fgets(line, sizeof(line), file) != NULL;
		if (more)
			assert_int_equal(csv_split(line, field), NCOLUMNS);

		/* At the end of a case, rate it. */
		if (f.n > 0 && (!more || strcmp(field[CASE], current) != 0))
		{
			int			n = f.n;

			check_contest(&f, k, base, exp_share, exp_rating, tolerance);
			fixture_param(&f, "k")->number = 2 * k * (n - 1) / n;
			fixture_rate(&f);
			for (i = 0; i < n; i++)
			{
				double		above = n - f.row[i].rank;
				double		expected = above - (n - 1) * f.player[i].gradient;

				assert_near(expected / (n * (n - 1) / 2), exp_share[i],
							tolerance);
				shares++;
				if (base == 1 || n == 2)
				{
					assert_near(f.after[i][0], exp_rating[i], tolerance);
					ratings++;
				}
			}
			fixture_clear(&f);
		}
		if (more)
		{
			snprintf(current, sizeof(current), "%.15s", field[CASE]);
			k = csv_number(field[K]);
			base = csv_number(field[SCORE_BASE]);
			tolerance = csv_number(field[TOL]);
			fixture_param(&f, "scale")->number = csv_number(field[D]);
			f.before[f.n][0] = csv_number(field[RATING]);
			exp_rating[f.n] = csv_number(field[EXP_RATING]);
			exp_share[f.n] = csv_number(field[EXP_SHARE]);
			fixture_add(&f, f.n, f.n, csv_number(field[PLACE]));
		}
	} while (more);
	fclose(file);
	assert_int_equal(shares, 37);
	assert_int_equal(ratings, 24);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_for_all_win_probabilities),
		cmocka_unit_test(test_free_for_all_marginal_of_a_pair),
		cmocka_unit_test(test_free_for_all_is_zero_sum),
		cmocka_unit_test(test_many_teams_are_the_mean_of_pairs),
		cmocka_unit_test(test_published_free_for_alls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
