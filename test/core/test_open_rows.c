/*
 * test_open_rows.c
 *		Rows of solvers that are made match by match, before all players and contexts are
 *		known.
 */
#include <string.h>

#include "solver_box.h"

/*
 * Rows that are made before all players and contexts are known, and then moved, are those of
 * the whole problem, but that a part always has the advantage of the first side.
 */
static void
check_rows_in_part(const char *solver, bool sides)
{
	Box		   *box = box_make(solver);
	SolverTask	task;
	SolverLayout part;
	LogitRows  *whole = &box->task.problem.rows;
	LogitRows	rows;
	LogitShape	shape;
	char	   *block;
	char	   *moved;
	uint32_t	shift;
	int			m;
	size_t		e;

	if (strcmp(solver, "hive") == 0)
	{
		*box_param(box, "offset_deviation") = 0.5;
		box->params[param_find(&box->task.solver->params, "command")].flag = true;
	}
	box->task.context_of = box->context_of;
	box->task.ncontexts = 2;
	for (m = 0; m < 20; m++)
	{
		HistoryMatch *added = box_match(box, 0);
		int			t;

		box->context_of[m] = m % 3 - 1;
		for (t = 0; t < 2; t++)
		{
			Participant p = box_participant(t + 1, 1 + (m / 2 + t) % 2);

			if (sides)
				p.side = 2 - t;
			p.commanding = t * 0.25;
			box_add(box, added, (3 * m + t) % 7, p);
		}
	}
	assert_int_equal(box_solve(box).status, SOLVE_CONVERGED);

	task = box->task;
	task.share = SOLVER_MATCHES;
	task_count(&task);
	solver_lay_out_open(&task);
	shape = solver_rows_shape(&task);
	block = task_add_rows(&task);
	moved = malloc(solver_rows_size(&task));
	logit_rows_copy(&task.problem.rows, moved, shape);
	free(block);
	logit_rows_attach(&rows, moved, shape);
	solver_lay_out_part(task.solver, task.params, box->history.nplayers, 2, &part);
	solver_close_rows(&part, &rows);

	shift = part.nsides - box->task.layout.nsides;
	assert_int_equal(shift, strcmp(solver, "hive") != 0 && !sides);
	assert_int_equal(part.n, box->task.layout.n + shift);
	assert_int_equal(rows.nrows, whole->nrows);
	assert_int_equal(rows.offset, whole->offset);
	for (e = 0; e < whole->first[whole->nrows]; e++)
	{
		uint32_t	u = whole->unknown[e];

		if ((u & LOGIT_UNKNOWN) >= box->task.layout.context)
			u += shift;
		assert_int_equal(rows.unknown[e], u);
	}
	assert_memory_equal(rows.outcome, whole->outcome, sizeof(double) * whole->nrows);
	free(moved);
	box_free(box);
}

static void
test_rows_in_parts(void **state)
{
	(void) state;
	check_rows_in_part("hive", true);
	check_rows_in_part("hive", false);
	check_rows_in_part("bradley_terry", true);
	check_rows_in_part("bradley_terry", false);
	check_rows_in_part("plackett_luce", true);
}

/* Room for the amounts of rows that begin even. */
static double open_amount[MAX_PARTICIPANTS];

/* Count a match and add its rows, which are no longer even after some matches. */
static void
add_open(SolverTask *task, const Match *match, const int32_t *player)
{
	LogitRows  *rows = &task->problem.rows;

	solver_count_match(task, match, player);
	if (!task->layout.even && rows->amount == NULL)
	{
		assert_true(rows->nrows > 0);
		rows->amount = open_amount;
		logit_rows_spread(rows);
	}
	solver_add_match(task, match, player);
}

/* Rows that were added match by match give the bits of those that a history was turned into. */
static void
check_open_rows(const char *solver)
{
	Box		   *box = box_make(solver);
	SolverTask *task = &box->task;
	int			prior_games = param_find(&task->solver->params, "prior_games");
	double		x[7 + 7 + 2 + 1];
	void	   *block;
	LogitShape	shape;
	LogitResult whole;
	int			m;

	if (prior_games >= 0)
		box->params[prior_games].number = 0.5;
	else
		*box_param(box, "offset_deviation") = 0.5;
	task->context_of = box->context_of;
	task->ncontexts = 2;
	for (m = 0; m < 40; m++)
	{
		HistoryMatch *added = box_match(box, 0);
		int			i;

		box->context_of[m] = m > 25 ? m % 3 - 1 : -1;
		for (i = 0; i < 4; i++)
		{
			Participant p = box_participant(1 + i / 2, 1 + (m / 2 + i / 2) % 2);

			if (m > 20)
				p.side = 2 - i / 2;
			if (m > 30 && i == 3)
				p.weight = 0.5;
			box_add(box, added, (3 * m + 2 * i) % 7, p);
		}
	}
	whole = box_solve(box);
	assert_int_equal(whole.status, SOLVE_CONVERGED);
	assert_true(task->layout.n >= 1 && task->layout.n <= sizeof(x) / sizeof(x[0]));
	memcpy(x, box->x, sizeof(x));

	shape = solver_rows_shape(task);
	assert_false(shape.even);
	shape.even = true;
	block = malloc(logit_rows_size(shape));
	logit_rows_init(&task->problem.rows, block, shape);
	solver_count_begin(task);
	solver_count_players(task, 0);
	solver_lay_out_open(task);
	task_each_match(task, add_open);
	solver_count_end(task);
	assert_int_equal(task->layout.nrows, shape.nrows);
	assert_int_equal(task->layout.nentries, shape.nentries);
	assert_ptr_equal(task->problem.rows.amount, open_amount);
	solver_lay_out(task);
	free(box->blocks[1]);
	box->blocks[1] = malloc(solver_problem_size(task) - solver_rows_size(task));
	solver_fill_open(task, box->blocks[1]);
	logit_start(&task->problem, box->x);
	assert_int_equal(solver_run(task, box->x).products, whole.products);
	assert_memory_equal(box->x, x, sizeof(double) * task->layout.n);
	free(block);
	box_free(box);
}

static void
test_open_rows(void **state)
{
	(void) state;
	check_open_rows("hive");
	check_open_rows("bradley_terry");
	check_open_rows("plackett_luce");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_in_parts),
		cmocka_unit_test(test_open_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
