/*
 * solve_state.h
 *		A solver at work on a history: the problem, its memory, what comes out.
 */
#ifndef PG_HISTORY_SOLVE_STATE_H
#define PG_HISTORY_SOLVE_STATE_H

#include "pg/matches/history_builder.h"

#include "utils/array.h"

#include "core/solve/solver.h"
#include "pg/history/options.h"
#include "pg/history/through_time_state.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"

typedef struct SolveState
{
	OptionsState head;			/* of an aggregate */
	HistoryBuilder builder;
	HistoryOptions options;
	ParamValue *params;
	bool		returns_estimates;	/* solve_state_estimates() is to come:
									 * what does not fit is an error before
									 * the work */
	bool		solved;
	const char *start;			/* a query of the estimates to begin with, or
								 * NULL, */
	Datum		start_contexts; /* and an array of context estimates, or 0 */
	const char *pool;			/* of the matches, for that */
	SolverTask	task;

	/* Of rows of the problem, which grow match by match; all 0 at first. */
	int32		nplayers;		/* whose games and components the layout has, */
	int32		max_players;	/* and for how many it has room */
	size_t		max_rows;
	size_t		max_entries;

	LogitResult result;
	double	   *x;
	double	   *error;
	Size		memory;			/* of the problem */
	int32	   *component;		/* numbers, by the player who stands for one */
	int			ncomponents;

	/* Of solver through_time, in place of the task. */
	ThroughTimeState tt;
} SolveState;

/*
 * Begin, with memory from the current context: the solver and its options, of these sets besides
 * its parameters, which may be NULL.  The builder is the caller's to fill; contexts last as long.
 */
extern void solve_state_init(SolveState *state, const char *solver, unsigned valid,
							 Jsonb *options);

/*
 * Whether the solver is not a problem for the logistic one, and matches have to come in the order in
 * which they were played.
 */
static inline bool
is_through_time(const SolveState *state)
{
	return state->task.solver->rows == NULL;
}

/*
 * Have the builder, which has begun, leave out what the solver has no use for, and count
 * it; where the options are strict a mistake in a match is an error.
 */
extern void solve_state_judge(SolveState *state);

/* Solve what the builder has, once, in the same context. */
extern void solve_state_run(SolveState *state);

/* Add what came out, as rows of type estimate. */
extern void solve_state_add_estimates(SolveState *state, RowArray *rows);

/* And as a row of solve_summary, the result of a function. */
extern Datum solve_state_summary(SolveState *state, FunctionCallInfo fcinfo);

/*
 * Run queries, an array of texts without nulls, as the current user.  They read the
 * estimates of a state that has been solved as relation "solution", which has the columns
 * of type estimate.  Its rows lie in a tuplestore: beyond work_mem in a temporary file, so
 * that their number and size have no bound but the disk.
 */
extern void solution_write(SolveState *state, ArrayType *queries);

#endif							/* PG_HISTORY_SOLVE_STATE_H */
