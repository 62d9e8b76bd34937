/*
 * test_plackett_luce.c
 *		Rankings: the likelihood against its definition, derivatives against
 *		differences, golden values, duels against Bradley-Terry.
 */
#include <stdlib.h>

#include "csv.h"
#include "solver_box.h"
#include "test.h"

#include "core/solve/ranking.h"

#define MOST 12

/*
 * The negative log likelihood by its definition: choice after choice, where those who
 * tie share theirs.
 */
static double
by_definition(const double *strength, const double *place, int n)
{
	double		value = 0;
	int			i,
				j;

	for (i = 0; i < n - 1; i++)
	{
		double		competing = 0;
		double		chosen = 0;
		int			tied = 0;
		int			first = 0;

		for (j = 0; j < n; j++)
			if (place[j] == place[i])
			{
				if (tied++ == 0)
					first = j;
				chosen += strength[j];
			}
		for (j = first; j < n; j++)
			competing += exp(strength[j]) *
				(place[j] == place[i] ? (double) (tied - (i - first)) / tied : 1);
		value += log(competing) - chosen / tied;
	}
	return value;
}

static double
value_of(const double *strength, const double *place, int n)
{
	double		share[MOST];

	return ranking_shares(n, place, strength, share);
}

/* Random strengths, and places of which so many are shared. */
static void
random_ranking(Random *random, int n, double spread, double *strength, double *place)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		strength[i] = random_between(random, -spread, spread);
		place[i] = i > 0 && random_between(random, 0, 1) < 0.4 ? place[i - 1] : i + 1;
	}
}

/* The value is that of the definition, and its derivatives those of the value. */
static void
test_derivatives(void **state)
{
	Random		random = {41};
	int			round;

	(void) state;
	for (round = 0; round < 300; round++)
	{
		int			n = 2 + round % (MOST - 1);
		double		strength[MOST],
					place[MOST],
					share[MOST],
					slope[MOST],
					own[MOST],
					v[MOST],
					product[MOST],
					sum = 0;
		Ranking		ranking = {n, place, share};
		const double h = 1e-5;
		int			i,
					j;

		random_ranking(&random, n, 3, strength, place);
		for (i = 0; i < n; i++)
			v[i] = random_between(&random, -1, 1);
		assert_near(ranking_shares(ranking.n, place, strength, share),
					by_definition(strength, place, n), 1e-11);
		ranking_derivatives(&ranking, slope, own);
		ranking_multiply(&ranking, v, product);
		for (i = 0; i < n; i++)
		{
			double		moved[2][MOST];
			double		other[MOST],
						unused[MOST],
						difference[MOST],
						back[MOST];
			Ranking		there = {n, place, other};
			int			side;

			for (side = 0; side < 2; side++)
			{
				memcpy(moved[side], strength, sizeof(strength));
				moved[side][i] += side == 0 ? h : -h;
			}
			assert_near(slope[i], (value_of(moved[0], place, n) -
								   value_of(moved[1], place, n)) / (2 * h), 1e-8);
			(void) ranking_shares(n, place, moved[0], other);
			ranking_derivatives(&there, difference, unused);
			(void) ranking_shares(n, place, moved[1], other);
			ranking_derivatives(&there, back, unused);
			assert_near(own[i], (difference[i] - back[i]) / (2 * h), 1e-8);
			sum += slope[i];
		}
		assert_near(sum, 0, 1e-12);

		/* The product is the change of the slope along v. */
		{
			double		moved[2][MOST];
			double		at[2][MOST];
			double		unused[MOST];

			for (j = 0; j < 2; j++)
			{
				Ranking		there = {n, place, unused};

				for (i = 0; i < n; i++)
					moved[j][i] = strength[i] + (j == 0 ? h : -h) * v[i];
				(void) ranking_shares(n, place, moved[j], unused);
				ranking_derivatives(&there, at[j], own);
			}
			for (i = 0; i < n; i++)
				assert_near(product[i], (at[0][i] - at[1][i]) / (2 * h), 1e-8);
		}
	}
}

/* However far strengths are apart, nothing overflows, and levels do not matter. */
static void
test_extreme_strengths(void **state)
{
	const double place[] = {1, 2, 2, 4, 5};
	const double strength[] = {-3000, 2000, -1500, 900, -4000};
	double		share[5],
				slope[5],
				own[5],
				product[5],
				raised[5];
	Ranking		ranking = {5, place, share};
	int			i;

	(void) state;

	/*
	 * Choices by the strongest still there: 2000 for the first, then two
	 * shared by (2000, -1500), with 2000 and then half of it, then 900.
	 */
	assert_near(ranking_shares(ranking.n, place, strength, share),
				(2000 + 3000) + 2 * (2000 - 250) + log(0.5) + 0, 1e-9);
	ranking_derivatives(&ranking, slope, own);
	ranking_multiply(&ranking, strength, product);
	for (i = 0; i < 5; i++)
	{
		assert_true(isfinite(slope[i]) && isfinite(product[i]) && own[i] >= 0);
		raised[i] = strength[i] + 1e5;
	}
	assert_near(slope[0], -1, 1e-12);
	assert_near(slope[1], 2, 1e-12);
	assert_near(slope[2], -1, 1e-12);
	assert_near(value_of(raised, place, 5), value_of(strength, place, 5), 1e-9);
}

/* Two who draw: half a win and half a loss.  All who draw: equal, and no more. */
static void
test_ties(void **state)
{
	const double two[] = {1, 1};
	const double strength[] = {0.7, -0.4, 0.2, 1.1};
	const double all[] = {1, 1, 1, 1};
	double		share[4],
				slope[4],
				own[4];
	Ranking		ranking = {4, all, share};
	double		sum = 0;
	int			i;

	(void) state;
	assert_near(value_of(strength, two, 2),
				0.5 * (log1p(exp(1.1)) + log1p(exp(-1.1))), 1e-14);
	(void) ranking_shares(4, all, strength, share);
	ranking_derivatives(&ranking, slope, own);
	for (i = 0; i < 4; i++)
		sum += exp(strength[i]);

	/* Three choices, each of which any of the four made. */
	for (i = 0; i < 4; i++)
		assert_near(slope[i], 3 * (exp(strength[i]) / sum - 0.25), 1e-14);
}

/* Rankings of the library choix, maximum likelihood. */
static void
test_golden(void **state)
{
	static const char *const names[] = {"bt03", "bt04"};
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	int			compared = 0;
	size_t		n;

	(void) state;
	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
	{
		Box		   *box = box_make("plackett_luce");
		FILE	   *data = csv_open("bradley_terry_data.csv", line, sizeof(line));
		FILE	   *expected;

		*box_param(box, "prior_deviation") = 0;
		while (fgets(line, sizeof(line), data) != NULL)
		{
			HistoryMatch *match;
			char	   *item;
			int			place = 1;

			(void) csv_split(line, field);
			if (strcmp(field[0], names[n]) != 0)
				continue;
			match = box_match(box, 0);
			for (item = strtok(field[3], " "); item != NULL; item = strtok(NULL, " "))
			{
				box_add(box, match, atoi(item), box_participant(place, place));
				place++;
			}
		}
		fclose(data);
		assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		expected = csv_open("bradley_terry_expected.csv", line, sizeof(line));
		while (fgets(line, sizeof(line), expected) != NULL)
		{
			(void) csv_split(line, field);
			if (strcmp(field[0], names[n]) != 0 || strcmp(field[1], "ml") != 0)
				continue;
			assert_near(box->x[atoi(field[3])], csv_number(field[4]),
						csv_number(field[5]));
			compared++;
		}
		fclose(expected);
		box_free(box);
	}
	assert_int_equal(compared, 7);
}

/* Duels, of teams and with draws, sides, contexts and all: Bradley-Terry. */
static void
test_duels(void **state)
{
	static const char *const solvers[] = {"plackett_luce", "bradley_terry"};
	Box		   *box[2];
	LogitResult result[2];
	uint32_t	u;
	int			b;

	(void) state;
	for (b = 0; b < 2; b++)
	{
		Random		random = {43};
		int			m,
					i;

		box[b] = box_make(solvers[b]);
		*box_param(box[b], "prior_games") = 0.25;
		box[b]->task.context_of = box[b]->context_of;
		box[b]->task.ncontexts = 3;
		for (m = 0; m < 400; m++)
		{
			HistoryMatch *match = box_match(box[b], 0);
			int			rank = random_between(&random, 0, 1) < 0.3 ? 1 : 2;
			bool		swap = random_between(&random, 0, 1) < 0.4;
			double		gain;

			match->log_odds = random_between(&random, -0.5, 0.5);
			gain = random_between(&random, 0.2, 2);
			box[b]->context_of[m] = m % 4 - 1;
			for (i = 0; i < 4; i++)
			{
				Participant p = box_participant(1 + i / 2, (i < 2) != swap ? 1 : rank);

				p.gain = gain;
				p.side = swap ? 2 - i / 2 : 1 + i / 2;
				p.weight = random_between(&random, 0.2, 1);
				box_add(box[b], match,
						(int32_t) random_between(&random, 0, 8) + 8 * i, p);
			}
		}
		result[b] = box_solve(box[b]);
		assert_int_equal(result[b].status, SOLVE_CONVERGED);
		solver_errors(&box[b]->task, box[b]->x, box[b]->error, box[b]->room);
	}
	assert_int_equal(box[0]->task.layout.n, 32 + 1 + 3);
	assert_near(result[0].objective, result[1].objective, 1e-9);
	for (u = 0; u < box[0]->task.layout.n; u++)
	{
		assert_near(box[0]->x[u], box[1]->x[u], 1e-9);
		assert_near(box[0]->error[u], box[1]->error[u], 1e-9);
	}
	box_free(box[0]);
	box_free(box[1]);
}

/* Of the numbers of a participant, the one that is the gain. */
#define GAIN \
	((offsetof(Participant, gain) - offsetof(Participant, rank)) / sizeof(double))

/* The objective of a box by its definition, at unknowns x, for teams of two. */
static double
objective_by_definition(const Box *box, const double *x)
{
	double		value = 0;
	size_t		m;
	int32_t		i;

	for (m = 0; m < box->history.nmatches; m++)
	{
		const HistoryMatch *match = &box->match[m];
		double		strength[MOST];
		double		place[MOST];
		int			teams = match->n / 2;
		int			order[MOST];
		int			t,
					j;

		for (t = 0; t < teams; t++)
		{
			for (j = t; j > 0 && box->number[0][match->first + 2 * order[j - 1]] >
				 box->number[0][match->first + 2 * t]; j--)
				order[j] = order[j - 1];
			order[j] = t;
		}
		for (t = 0; t < teams; t++)
		{
			size_t		p = match->first + 2 * order[t];

			strength[t] = (x[box->player[p]] + x[box->player[p + 1]]) / 2;
			place[t] = box->number[0][p];
		}
		value += box->number[GAIN][match->first] * by_definition(strength, place, teams);
	}
	for (i = 0; i < box->history.nplayers; i++)
		value += x[i] * x[i] / 8;
	return value;
}

static Box *
random_rankings(Random *random, int matches, int teams, int players)
{
	Box		   *box = box_make("plackett_luce");
	int			m,
				i;

	for (m = 0; m < matches; m++)
	{
		HistoryMatch *match = box_match(box, 0);
		int			first = (int) random_between(random, 0, players);
		double		gain = random_between(random, 0.5, 2);

		for (i = 0; i < 2 * teams; i++)
		{
			Participant p = box_participant(1 + i / 2, 1 + (i / 2 * 7 + m) % (teams - 1));

			p.gain = gain;
			box_add(box, match, (first + i * (1 + m % 3)) % players, p);
		}
	}
	return box;
}

/*
 * Teams in rankings with ties: the posterior is that of the definition, and nothing
 * near is better.
 */
static void
test_maximum(void **state)
{
	Random		random = {47};
	Box		   *box = random_rankings(&random, 60, 5, 31);
	LogitResult result = box_solve(box);
	double		x[31];
	double		exact[31];
	int			i;

	(void) state;
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_int_equal(box->task.layout.nrows, 300);
	memcpy(x, box->x, sizeof(x));
	assert_near(result.objective, objective_by_definition(box, x), 1e-9);
	for (i = 0; i < 31; i++)
	{
		const double h = 1e-3;
		double		level = x[i];
		double		there[2];

		x[i] = level + h;
		there[0] = objective_by_definition(box, x);
		x[i] = level - h;
		there[1] = objective_by_definition(box, x);
		x[i] = level;
		assert_near((there[0] - there[1]) / (2 * h), 0, 1e-6);
		assert_true(there[0] > result.objective && there[1] > result.objective);
	}
	box_choice(box, "errors", SOLVER_ERRORS_EXACT);
	solver_errors(&box->task, box->x, exact, box->room);
	box_choice(box, "errors", SOLVER_ERRORS_BOUND);
	solver_errors(&box->task, box->x, box->error, box->room);
	for (i = 0; i < 31; i++)
		assert_true(box->error[i] > 0 && box->error[i] <= exact[i] * (1 + 1e-9));
	box_free(box);
}

/*
 * Where pairs are compared one by one, as if they were independent, the maximum is
 * elsewhere.
 */
static void
test_pairs_are_not_rankings(void **state)
{
	const double place[3][3] = {{1, 2, 3}, {2, 1, 3}, {1, 3, 2}};
	double		most = 0;
	Box		   *box[2];
	int			b,
				m,
				i;

	(void) state;
	for (b = 0; b < 2; b++)
	{
		box[b] = box_make(b == 0 ? "plackett_luce" : "bradley_terry");
		*box_param(box[b], "prior_deviation") = 0;
		for (m = 0; m < 4; m++)
		{
			HistoryMatch *match = box_match(box[b], 0);

			for (i = 0; i < 3; i++)
				box_add(box[b], match, i, box_participant(i, m < 3 ? place[m][i] : 3 - i));
		}
		assert_int_equal(box_solve(box[b]).status, SOLVE_CONVERGED);
	}
	for (i = 0; i < 3; i++)
		most = fmax(most, fabs(box[0]->x[i] - box[1]->x[i]));
	assert_true(most > 0.01);
	box_free(box[0]);
	box_free(box[1]);
}

/* One who won all: no maximum without a prior, and everybody else has a skill. */
static void
test_no_maximum(void **state)
{
	Box		   *box = box_make("plackett_luce");
	LogitResult result;
	int			m,
				i;

	(void) state;
	*box_param(box, "prior_deviation") = 0;
	for (m = 0; m < 6; m++)
	{
		HistoryMatch *match = box_match(box, 0);

		box_add(box, match, 0, box_participant(0, 1));
		for (i = 1; i < 4; i++)
			box_add(box, match, i, box_participant(i, 2 + (i + m) % 3));
	}
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_NO_MAXIMUM);
	assert_false(solver_determined(&box->task, &result, 0));
	for (i = 1; i < 4; i++)
	{
		assert_true(solver_determined(&box->task, &result, i));
		assert_near(box->x[i], 0, 1e-9);
	}
	box_free(box);
}

/* Whole contests: a thousand teams in one ranking. */
static void
test_large_ranking(void **state)
{
	Box		   *box = box_make("plackett_luce");
	LogitResult result;
	int			m,
				i;

	(void) state;
	for (m = 0; m < 20; m++)
	{
		HistoryMatch *match = box_match(box, 0);

		for (i = 0; i < 1000; i++)
			box_add(box, match, i, box_participant(i, 1 + (i * (2 * m + 7) + m * 31) % 1000));
	}
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_true(result.gradient < 1e-8);
	box_free(box);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derivatives),
		cmocka_unit_test(test_extreme_strengths),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_duels),
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_pairs_are_not_rankings),
		cmocka_unit_test(test_no_maximum),
		cmocka_unit_test(test_large_ranking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
