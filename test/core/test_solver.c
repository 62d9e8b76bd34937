/*
 * test_solver.c
 *		Histories as problems of the logistic solver: golden values of Bradley-Terry
 *		and Whole-History Rating, the Hive model's rows, components, errors.
 */
#include <stdlib.h>

#include "csv.h"
#include "solver_box.h"
#include "test.h"

#include "core/math/logistic.h"

#define ELO (400 / 2.302585092994046)

/* The skill of a player on a day. */
static double
skill_on(const Box *box, int32_t player, int32_t day)
{
	uint32_t	u;

	for (u = box->first_skill[player]; u < box->first_skill[player + 1]; u++)
		if (box->day[u] == day)
			return box->x[u];
	return NAN;
}

/* Golden values of the library choix: pairwise results. */
static void
test_bradley_terry_golden(void **state)
{
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	char		name[CSV_MAX_LINE] = "";
	Box		   *box = NULL;
	FILE	   *expected = csv_open("bradley_terry_expected.csv", line, sizeof(line));
	int			compared = 0;

	(void) state;
	while (fgets(line, sizeof(line), expected) != NULL)
	{
		double		alpha,
					value,
					tolerance;
		int			item;

		(void) csv_split(line, field);
		if (strcmp(field[1], "ml") != 0 && strncmp(field[1], "map", 3) != 0)
			continue;
		alpha = csv_number(field[2]);
		item = atoi(field[3]);
		value = csv_number(field[4]);
		tolerance = csv_number(field[5]);
		if (strcmp(name, field[0]) != 0)
		{
			char		row[CSV_MAX_LINE];
			char	   *part[CSV_MAX_FIELDS];
			FILE	   *data = csv_open("bradley_terry_data.csv", row, sizeof(row));

			if (box != NULL)
				box_free(box);
			box = box_make("bradley_terry");
			snprintf(name, sizeof(name), "%s", field[0]);

			/*
			 * The library penalises alpha |x|^2, that is a precision of 2
			 * alpha.
			 */
			*box_param(box, "prior_deviation") = alpha > 0 ? 1 / sqrt(2 * alpha) : 0;
			while (fgets(row, sizeof(row), data) != NULL)
			{
				int			winner,
							loser;

				(void) csv_split(row, part);
				if (strcmp(part[0], name) == 0 && strcmp(part[2], "pairwise") == 0 &&
					sscanf(part[3], "%d %d", &winner, &loser) == 2)
					box_duel(box, 0, winner, loser, 1);
			}
			fclose(data);
			if (box->history.nmatches > 0)
				assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		}
		if (box->history.nmatches == 0)
			continue;			/* rankings and choices are another model */
		assert_near(box->x[item], value, tolerance);
		compared++;
	}
	fclose(expected);
	box_free(box);
	assert_true(compared >= 14);
}

/*
 * Golden values of libraries of Whole-History Rating, as far as those have
 * converged.
 */
static void
test_whole_history_golden(void **state)
{
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	char		name[CSV_MAX_LINE] = "";
	Box		   *box = NULL;
	FILE	   *expected = csv_open("whr_expected.csv", line, sizeof(line));
	int			compared = 0;

	(void) state;
	while (fgets(line, sizeof(line), expected) != NULL)
	{
		(void) csv_split(line, field);
		if (strcmp(name, field[0]) != 0)
		{
			char		row[CSV_MAX_LINE];
			char	   *part[CSV_MAX_FIELDS];
			FILE	   *games = csv_open("whr_games.csv", row, sizeof(row));

			if (box != NULL)
				box_free(box);
			box = box_make("whole_history");
			snprintf(name, sizeof(name), "%s", field[0]);
			while (fgets(row, sizeof(row), games) != NULL)
			{
				HistoryMatch *match;

				(void) csv_split(row, part);
				if (strcmp(part[0], name) != 0)
					continue;

				/* Players are called p1, p2, ... */
				match = box_duel(box, atoi(part[2]) * DAY, atoi(part[3] + 1),
								 atoi(part[4] + 1), csv_number(part[5]));
				match->log_odds = csv_number(part[6]) / ELO;
				*box_param(box, "drift") = sqrt(csv_number(part[7])) / ELO;
				*box_param(box, "prior_games") = csv_number(part[8]);
			}
			fclose(games);
			assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		}
		if (strstr(field[6], "stops after") != NULL)
		{
			/* The paper's sweeps were not done yet: near, and no nearer. */
			assert_near(ELO * skill_on(box, atoi(field[1] + 1), atoi(field[2])),
						csv_number(field[3]), 15);
			continue;
		}
		assert_near(ELO * skill_on(box, atoi(field[1] + 1), atoi(field[2])),
					csv_number(field[3]), csv_number(field[5]));
		compared++;
	}
	fclose(expected);
	box_free(box);
	assert_true(compared >= 14);
}

/* Teams of any size and free-for-alls: the derivatives vanish at the maximum. */
static void
test_teams_of_any_size(void **state)
{
	Box		   *box = box_make("bradley_terry");
	Random		random = {7};
	LogitResult result;
	int			m,
				i;

	(void) state;
	for (m = 0; m < 500; m++)
	{
		HistoryMatch *match = box_match(box, 0);
		int			teams = 2 + m % 3;

		for (i = 0; i < teams * 2; i++)
			box_add(box, match, (m * 7 + i * 3 + random_below(&random, 3)) % 31,
					box_participant(1 + i / 2, 1 + (i / 2 + m) % teams));
	}
	result = box_solve(box);
	assert_int_equal(result.status, SOLVE_CONVERGED);
	assert_true(result.gradient < 1e-8);
	assert_int_equal(box->task.layout.nrows, 167 * 1 + 167 * 3 + 166 * 6);
	box_free(box);
}

/* Davidson's parameter from the data: as many draws expected as there were. */
static void
test_davidson_from_data(void **state)
{
	Box		   *box = box_make("bradley_terry");
	Random		random = {9};
	double		expected = 0;
	int			draws = 0;
	int			m;
	double		draw;

	(void) state;
	box_choice(box, "draws", 1);
	for (m = 0; m < 3000; m++)
	{
		int32_t		a = (int32_t) random_between(&random, 0, 20);
		int32_t		b = (a + 1 + (int32_t) random_between(&random, 0, 19)) % 20;
		double		score = random_between(&random, 0, 1) < 0.3 ? 0.5 :
			random_between(&random, 0, 1) < logistic((a - b) / 10.0) ? 1 : 0;

		draws += score == 0.5;
		box_duel(box, 0, a, b, score);
	}
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	draw = box->task.problem.options.draw;
	for (m = 0; m < 3000; m++)
	{
		double		t = exp(-0.5 * fabs(box->x[box->player[2 * m]] -
										box->x[box->player[2 * m + 1]]));

		expected += draw * t / (1 + t * t + draw * t);
	}
	assert_near(expected, draws, 1e-6);
	box_free(box);
}

/* Without a draw, or without anything else, the parameter ends at its bounds. */
static void
test_davidson_bounds(void **state)
{
	static const double scores[] = {1, 0.5};
	static const double bounds[] = {1e-6, 1e6};
	int			i;

	(void) state;
	for (i = 0; i < 2; i++)
	{
		Box		   *box = box_make("bradley_terry");

		box_choice(box, "draws", 1);
		box_duel(box, 0, 0, 1, scores[i]);
		box_duel(box, 0, 1, 2, scores[i]);
		assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
		assert_near(box->task.problem.options.draw / bounds[i], 1, 1e-9);
		box_free(box);
	}
}

/* A match under hive: who counts how much, for and against, where sides differ. */
static void
test_hive_rows(void **state)
{
	Box		   *box = box_make("hive");
	HistoryMatch *match = box_match(box, 0);
	LogitRows  *rows;
	Participant p;
	int			command = param_find(&box->task.solver->params, "command");

	(void) state;
	*box_param(box, "offset_deviation") = 0.5;
	box->params[command].flag = true;
	box->task.context_of = box->context_of;
	box->task.ncontexts = 1;
	match->log_odds = 0.25;
	p = box_participant(1, 2);
	p.side = 2;
	p.weight = 0.75;
	box_add(box, match, 0, p);
	p.weight = 0.5;
	p.commanding = 0.5;
	box_add(box, match, 1, p);
	p = box_participant(2, 1);
	p.side = 1;
	p.weight = 0.75;
	box_add(box, match, 2, p);
	p.weight = 0.25;
	box_add(box, match, 0, p);	/* changed sides */
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	rows = &box->task.problem.rows;
	assert_int_equal(box->task.layout.n, 3 + 3 + 3 + 1);
	assert_int_equal(rows->nrows, 1);
	assert_int_equal(rows->first[1], 6);
	assert_near(rows->outcome[0], 1, 0);	/* team 2 is on side 1, and won */
	assert_near(rows->known[0], 0.25, 0);
	assert_int_equal(rows->pro[0], 3);
	assert_int_equal(rows->unknown[0], 2 | LOGIT_OFFSET);
	assert_near(rows->amount[0], 0.75 / 2, 1e-15);
	assert_int_equal(rows->unknown[1], 0 | LOGIT_OFFSET);
	assert_near(rows->amount[1], 0.25 / 2, 1e-15);
	assert_int_equal(rows->unknown[2], 9);
	assert_near(rows->amount[2], 1, 0);
	assert_int_equal(rows->unknown[3], 0 | LOGIT_OFFSET);
	assert_near(rows->amount[3], 0.75 / 2, 1e-15);
	assert_int_equal(rows->unknown[4], 1 | LOGIT_OFFSET);
	assert_near(rows->amount[4], 0.25 / 2, 1e-15);
	assert_int_equal(rows->unknown[5], 6 + 1);
	assert_near(rows->amount[5], 1, 1e-15);
	box_free(box);
}

/*
 * What the Hive system is simulated from comes back: skills, offsets, what contexts
 * are worth.
 */
static void
test_hive_recovers(void **state)
{
	Box		   *box = box_make("hive");
	Random		random = {13};
	double		skill[200];
	double		offset[200];
	double		context[3] = {-0.6, 0, 0.8};
	double		level = 0,
				squares = 0;
	int			m,
				i;

	(void) state;
	*box_param(box, "offset_deviation") = 0.5;
	box->task.context_of = box->context_of;
	box->task.ncontexts = 3;
	for (i = 0; i < 200; i++)
	{
		skill[i] = 4 - 2 * log(random_between(&random, 0.01, 1));
		offset[i] = random_between(&random, -0.8, 0.8);
	}
	for (m = 0; m < 20000; m++)
	{
		HistoryMatch *match = box_match(box, 0);
		double		logit = context[m % 3];
		int32_t		who[8];
		bool		won;

		box->context_of[m] = m % 3;
		for (i = 0; i < 8; i++)
		{
			who[i] = (int32_t) ((int) random_between(&random, 0, 25) * 8 + i);
			logit += ((i % 2 == 0 ? skill[who[i]] : -skill[who[i]]) +
					  offset[who[i]]) / 8;
		}
		won = random_between(&random, 0, 1) < logistic(logit);
		/* By team, as histories have them. */
		for (i = 0; i < 8; i++)
		{
			int			team = 1 + i / 4;
			Participant p = box_participant(team, (team == 1) == won ? 1 : 2);

			p.side = team;
			box_add(box, match, who[i % 4 * 2 + team - 1], p);
		}
	}
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	solver_errors(&box->task, box->x, box->error, box->room);
	for (i = 0; i < 3; i++)
		assert_near(box->x[box->task.layout.context + i], context[i],
					4 * box->error[box->task.layout.context + i] + 0.1);

	/* Even teams say nothing of the level, which is the prior's. */
	for (i = 0; i < 200; i++)
		level += (box->x[i] - skill[i]) / 200;
	for (i = 0; i < 200; i++)
		squares += pow((box->x[i] - skill[i] - level) / box->error[i], 2) / 200;

	/* About as far off as the errors say, which are a little too small. */
	print_message("mean square of errors: %.2f\n", squares);
	assert_true(squares > 0.5 && squares < 2);
	box_free(box);
}

/* Two worlds that never met, and somebody whose only match does not count. */
static void
test_components(void **state)
{
	Box		   *box = box_make("bradley_terry");
	HistoryMatch *match;

	(void) state;
	*box_param(box, "prior_deviation") = 0;
	box_duel(box, 0, 0, 1, 1);
	box_duel(box, 0, 0, 1, 0);
	box_duel(box, 0, 2, 3, 1);
	box_duel(box, 0, 3, 2, 1);
	box_duel(box, 0, 3, 4, 0.5);
	match = box_match(box, 0);
	box_add(box, match, 5, box_participant(1, 1));
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	assert_int_equal(box->component[0], box->component[1]);
	assert_int_equal(box->component[2], box->component[3]);
	assert_int_equal(box->component[2], box->component[4]);
	assert_true(box->component[0] != box->component[2]);
	assert_int_equal(box->games[3], 3);
	assert_int_equal(box->games[5], 0);
	assert_near(box->x[2] + box->x[3] + box->x[4], 0, 1e-12);
	assert_near(box->x[0] + box->x[1], 0, 1e-12);
	box_free(box);
}

/* Who always loses has no skill; the others have theirs. */
static void
test_no_maximum(void **state)
{
	Box		   *box = box_make("bradley_terry");
	LogitResult result;
	int			i;

	(void) state;
	*box_param(box, "prior_deviation") = 0;
	for (i = 0; i < 4; i++)
	{
		box_duel(box, 0, 0, 1, i < 3);
		box_duel(box, 0, 1, 2, 1);
	}
	result = box_solve(box);
	assert_true(result.status == SOLVE_NO_MAXIMUM);
	assert_true(solver_determined(&box->task, &result, 0));
	assert_true(solver_determined(&box->task, &result, 1));
	assert_false(solver_determined(&box->task, &result, 2));
	assert_near(box->x[0] - box->x[1], log(3), 1e-6);

	/*
	 * A prior, or won and lost games against somebody average, give everybody
	 * one.
	 */
	*box_param(box, "prior_games") = 0.5;
	result = box_solve(box);
	assert_true(result.status == SOLVE_CONVERGED);
	box_free(box);
}

/* Bound, probes and exact errors agree as far as they should. */
static void
test_errors(void **state)
{
	Box		   *box = box_make("bradley_terry");
	Random		random = {3};
	double		exact[60];
	double		probes[60];
	double		ratio = 0;
	int			m;

	(void) state;
	for (m = 0; m < 1500; m++)
	{
		int32_t		a = (int32_t) random_between(&random, 0, 60);
		int32_t		b = (a + 1 + (int32_t) random_between(&random, 0, 59)) % 60;

		box_duel(box, 0, a, b, random_between(&random, 0, 1) < 0.5);
	}
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	box_choice(box, "errors", SOLVER_ERRORS_EXACT);
	solver_errors(&box->task, box->x, exact, box->room);
	box_choice(box, "errors", SOLVER_ERRORS_PROBES);
	*box_param(box, "probes") = 200;
	solver_errors(&box->task, box->x, probes, box->room);
	box_choice(box, "errors", SOLVER_ERRORS_BOUND);
	solver_errors(&box->task, box->x, box->error, box->room);
	for (m = 0; m < 60; m++)
	{
		assert_near(solver_exact_error(&box->task, box->x, m, box->room), exact[m], 1e-9);
		assert_true(box->error[m] <= exact[m] * (1 + 1e-9));
		assert_true(box->error[m] > 0.6 * exact[m]);
		assert_relative(probes[m], exact[m], 0.4);
		ratio += probes[m] / exact[m] / 60;
	}
	assert_near(ratio, 1, 0.05);
	box_free(box);
}

/* Without a prior: two players are half of their distance from the mean each. */
static void
test_errors_without_prior(void **state)
{
	Box		   *box = box_make("bradley_terry");
	int			i;
	double		distance;

	(void) state;
	*box_param(box, "prior_deviation") = 0;
	for (i = 0; i < 10; i++)
		box_duel(box, 0, 0, 1, i < 6);
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	distance = 1 / sqrt(10 * 0.6 * 0.4);
	assert_near(solver_exact_error(&box->task, box->x, 0, box->room), distance / 2, 1e-7);
	assert_near(solver_exact_error(&box->task, box->x, 1, box->room), distance / 2, 1e-7);
	box_free(box);
}

/*
 * With opponents that are known for certain the error of a chain is exact: that of
 * the inverse of its tridiagonal matrix.
 */
static void
test_chain_errors(void **state)
{
	Box		   *box = box_make("whole_history");
	int			d;

	(void) state;
	for (d = 0; d < 12; d++)
		box_duel(box, (d * d) * DAY, 0, 1 + d, d % 3 == 0);
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);
	solver_errors(&box->task, box->x, box->error, box->room);

	/* Nobody else's skill moves while it is looked at. */
	for (d = 0; d < 12; d++)
		assert_true(box->error[d] > 0 &&
					box->error[d] <= solver_exact_error(&box->task, box->x, d, box->room) * (1 + 1e-9));
	assert_int_equal(box->first_skill[1], 12);
	box_free(box);
}

/* Days do not have to come in order. */
static void
test_days_in_any_order(void **state)
{
	Box		   *ordered = box_make("whole_history");
	Box		   *shuffled = box_make("whole_history");
	Random		random = {4};
	int			m;
	uint32_t	u;

	(void) state;
	for (m = 0; m < 300; m++)
	{
		int			day = m / 10;

		box_duel(ordered, day * DAY, m * 7 % 11, (m * 7 + 1 + m % 9) % 11, m % 2);
	}
	for (m = 0; m < 300; m++)
	{
		int			n = (m * 107) % 300;

		box_duel(shuffled, (n / 10) * DAY, n * 7 % 11, (n * 7 + 1 + n % 9) % 11, n % 2);
	}
	(void) random;
	assert_int_equal(box_solve(ordered).status, SOLVE_CONVERGED);
	assert_int_equal(box_solve(shuffled).status, SOLVE_CONVERGED);
	assert_int_equal(ordered->task.layout.n, shuffled->task.layout.n);
	for (u = 0; u < ordered->task.layout.n; u++)
		assert_near(ordered->x[u], shuffled->x[u], 1e-9);
	box_free(ordered);
	box_free(shuffled);
}

static void
test_registry(void **state)
{
	int			i;

	(void) state;
	assert_true(solver_count_registered >= 2);
	for (i = 0; i < solver_count_registered; i++)
	{
		const Solver *solver = solver_registry[i];

		assert_true(solver->summary[0] != '\0');
		assert_true(solver->source[0] != '\0');
		assert_ptr_equal(solver_find(solver->name), solver);
		assert_string_equal(solver->params.kind, "solver");
		assert_string_equal(solver->params.name, solver->name);
		assert_true(solver->params.count >= 1);
	}
	assert_null(solver_find("none"));
	assert_null(solver_find(""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_bradley_terry_golden),
		cmocka_unit_test(test_whole_history_golden),
		cmocka_unit_test(test_teams_of_any_size),
		cmocka_unit_test(test_davidson_from_data),
		cmocka_unit_test(test_davidson_bounds),
		cmocka_unit_test(test_hive_rows),
		cmocka_unit_test(test_hive_recovers),
		cmocka_unit_test(test_components),
		cmocka_unit_test(test_no_maximum),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_errors_without_prior),
		cmocka_unit_test(test_chain_errors),
		cmocka_unit_test(test_days_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
