/*
 * test_open_rows.c
 *		Rows of solvers that are made match by match, before all players and contexts are
 *		known.
 */
#include <string.h>

#include "solver_box.h"

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
		cmocka_unit_test(test_open_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
