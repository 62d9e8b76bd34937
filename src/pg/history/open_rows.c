/*
 * open_rows.c
 *		Rows of a solver that grow with each match that a builder has judged.
 *
 * The builder has built the match to judge it.  That its rows are made at once saves building it
 * twice more, to count its rows and to fill them in, and the history in between.
 */
#include "pg/history/open_rows.h"

/* The fewest rows and entries that there is room for. */
#define MIN_ROWS 1024

/*
 * Room in a layout for the games and the components of so many players, of whom *room have some;
 * it becomes twice what is needed.  At first *room is 0, and both arrays begin in the current
 * context.  What is new is not initialized.
 */
static void
reserve_players(SolverLayout *layout, int32 nplayers, int32 *room)
{
	if (nplayers <= *room)
		return;
	if (nplayers > PG_INT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many players: more than %d", PG_INT32_MAX / 2)));
	*room = 2 * nplayers;
	huge_array_grow(layout->games, int64_t, *room);
	huge_array_grow(layout->component, int32_t, *room);
}

void
open_rows_begin(OpenRows *open, SolverTask *task)
{
	LogitRows  *rows = &task->problem.rows;

	solver_count_begin(task);
	rows->nrows = 0;
	rows->amount = NULL;
	open_rows_reserve(open, task);
	rows->first[0] = 0;
}

/* Room for what is by row. */
static void
reserve_rows(OpenRows *open, SolverTask *task)
{
	LogitRows  *rows = &task->problem.rows;
	size_t		n = Max(2 * task->layout.nrows, MIN_ROWS);

	huge_array_grow(rows->first, size_t, n + 1);
	huge_array_grow(rows->pro, uint32_t, n);
	rows->side_amount = (double (*)[2]) limited_realloc(rows->side_amount,
														sizeof(*rows->side_amount), n);
	huge_array_grow(rows->outcome, double, n);
	huge_array_grow(rows->weight, double, n);
	huge_array_grow(rows->known, double, n);
	if (task->solver->ranked)
		huge_array_grow(rows->behind, uint32_t, n);
	open->max_rows = n;
}

/* Room for what is by entry. */
static void
reserve_entries(OpenRows *open, SolverTask *task)
{
	LogitRows  *rows = &task->problem.rows;
	size_t		n = Max(2 * task->layout.nentries, MIN_ROWS);

	huge_array_grow(rows->unknown, uint32_t, n);
	if (open->amount != NULL)
		huge_array_grow(open->amount, double, n);
	if (rows->amount != NULL)
		rows->amount = open->amount;
	open->max_entries = n;
}

void
open_rows_reserve(OpenRows *open, SolverTask *task)
{
	const SolverLayout *layout = &task->layout;
	LogitRows  *rows = &task->problem.rows;

	if (layout->nrows > open->max_rows || open->max_rows == 0)
		reserve_rows(open, task);
	if (layout->nentries > open->max_entries || open->max_entries == 0)
		reserve_entries(open, task);
	if (layout->even || rows->amount != NULL)
		return;
	if (open->amount == NULL)
		huge_array_grow(open->amount, double, open->max_entries);
	rows->amount = open->amount;
	logit_rows_spread(rows);
}

void
open_rows_add(OpenRows *open, SolverTask *task, const HistoryBuilder *builder,
			  const Match *match, const int32 *player)
{
	int32		nplayers = builder->history.nplayers;

	if (nplayers > open->nplayers)
	{
		reserve_players(&task->layout, nplayers, &open->max_players);
		solver_count_players(task, open->nplayers);
		open->nplayers = nplayers;
	}
	task->context_of = builder->context_of;
	task->match = builder->history.nmatches - 1;
	solver_count_match(task, match, player);
	if (task->solver->by_day)
		return;
	open_rows_reserve(open, task);
	solver_add_match(task, match, player);
}
