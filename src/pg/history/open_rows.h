/*
 * open_rows.h
 *		Rows of a solver that grow with each match that a builder has judged.
 */
#ifndef PG_HISTORY_OPEN_ROWS_H
#define PG_HISTORY_OPEN_ROWS_H

#include "pg/sql/glue.h"

#include "core/solve/solver.h"
#include "pg/matches/history_builder.h"

/* What there is room for; all 0 at first. */
typedef struct OpenRows
{
	int32		nplayers;		/* whose games and components the layout has, */
	int32		max_players;	/* and for how many it has room */
	size_t		max_rows;
	size_t		max_entries;
	double	   *amount;			/* of the rows, also while they are even, or
								 * NULL */
} OpenRows;

/*
 * Begin: nothing is counted, and task->problem.rows are empty.  Their arrays are NULL in a task
 * that is new.
 */
extern void open_rows_begin(OpenRows *open, SolverTask *task);

/*
 * Count a match as a builder shows it by on_match, and unless the solver has skills by day add its
 * rows to task->problem.rows.  Arrays grow in the context that they are in, at first the current
 * one; error 53200 beyond skillrating.memory_limit.
 */
extern void open_rows_add(OpenRows *open, SolverTask *task, const HistoryBuilder *builder,
						  const Match *match, const int32 *player);

/* Room in the rows for all that has been counted. */
extern void open_rows_reserve(OpenRows *open, SolverTask *task);

#endif							/* PG_HISTORY_OPEN_ROWS_H */
