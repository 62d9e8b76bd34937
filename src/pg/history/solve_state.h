/*
 * solve_state.h
 *		A solver at work on a history: the problem, its memory, what comes out.
 */
#ifndef SOLVE_STATE_H
#define SOLVE_STATE_H

#include "pg/matches/history_builder.h"

#include "utils/jsonb.h"

#include "core/solve/solver.h"
#include "core/solve/through_time.h"
#include "pg/sql/composite.h"

typedef struct SolveState
{
	HistoryBuilder builder;
	ParamValue *params;
	char	  **exact_for;		/* players as text */
	int			nexact_for;
	bool		solved;
	Datum		start;			/* an array of estimates to begin with, or 0 */
	const char *pool;			/* of the matches, for that */
	SolverTask	task;

	/*
	 * Where all matches are, if not in the builder, and how many of them and
	 * of rows; the players are in the builder, their games and components in
	 * the task's layout.
	 */
	LogitElsewhere *elsewhere;
	int64		matches_elsewhere;
	int64		rows_elsewhere;
	LogitResult result;
	double	   *x;
	double	   *error;
	Size		memory;			/* of the problem */
	int32	   *component;		/* numbers, by the player who stands for one */
	int			ncomponents;

	/* Of solver through_time, in place of the task. */
	ThroughTime tt;
	ThroughTimeResult tt_result;
	ParamValue	tt_params[THROUGH_TIME_MODEL_PARAMS];
} SolveState;

/* The columns of the type solve_summary, and which of them is an array of rows. */
#define SUMMARY_NCOLUMNS 15
#define SUMMARY_CONTEXTS 14

/* The solver of that name, or an error that lists them. */
extern const Solver *get_solver(const char *name);

/*
 * Begin, with memory from the current context: the solver and its parameters, which
 * may be NULL.  The builder is the caller's to fill; contexts last as long.
 */
extern void solve_state_init(SolveState *state, const char *solver,
							 Jsonb *params);

/* Whether matches have to come in the order in which they were played. */
extern bool solve_state_needs_order(const SolveState *state);

/* Solve what the builder has, once, in the same context. */
extern void solve_state_run(SolveState *state);

/* What came out, as an array of type estimate[], whose element type is given. */
extern Datum solve_state_estimates(SolveState *state, Oid estimate_type);

/* And as the columns of solve_summary; the type is that of context_estimate. */
extern void solve_state_summary(SolveState *state, Oid context_type,
								Datum *values, bool *nulls);

/* Both as the row (estimates, summary), the result of a function. */
extern Datum return_solution(FunctionCallInfo fcinfo, SolveState *state);

#endif							/* SOLVE_STATE_H */
