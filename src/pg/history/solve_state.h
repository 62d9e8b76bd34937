/*
 * solve_state.h
 *		A solver at work on a history: the problem, its memory, what comes out.
 */
#ifndef PG_HISTORY_SOLVE_STATE_H
#define PG_HISTORY_SOLVE_STATE_H

#include "pg/matches/history_builder.h"

#include "utils/jsonb.h"

#include "core/solve/solver.h"
#include "pg/history/options.h"
#include "pg/history/through_time_state.h"
#include "pg/sql/composite.h"

/* Rows of the problem, which grow match by match: what there is room for; all 0 at first. */
typedef struct OpenRows
{
	int32		nplayers;		/* whose games and components the layout has, */
	int32		max_players;	/* and for how many it has room */
	size_t		max_rows;
	size_t		max_entries;
	double	   *amount;			/* of the rows, also while they are even, or
								 * NULL */
} OpenRows;

typedef struct SolveState
{
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
	OpenRows	open;

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

/* Whether matches have to come in the order in which they were played. */
extern bool solve_state_needs_order(const SolveState *state);

/*
 * Have the builder, which has begun, leave out what the solver has no use for, and count
 * it; where the options are strict a mistake in a match is an error.
 */
extern void solve_state_judge(SolveState *state);

/* Solve what the builder has, once, in the same context. */
extern void solve_state_run(SolveState *state);

/*
 * What came out, as an array of type estimate[], whose element type is given; or the rows
 * of such an array, at the end of others.
 */
extern Datum solve_state_estimates(SolveState *state, Oid estimate_type);
extern void solve_state_add_estimates(SolveState *state, RowArray *rows);

/*
 * The same of components, as an array of component_estimate; empty for a solver without
 * any.
 */
extern Datum solve_state_components(SolveState *state, Oid row_type);

/* And as a row of solve_summary, the result of a function. */
extern Datum solve_state_summary(SolveState *state, FunctionCallInfo fcinfo);

#endif							/* PG_HISTORY_SOLVE_STATE_H */
