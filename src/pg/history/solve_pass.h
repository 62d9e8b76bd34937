/*
 * solve_pass.h
 *		One pass over matches, of those that it takes to solve them where they lie.
 */
#ifndef PG_HISTORY_SOLVE_PASS_H
#define PG_HISTORY_SOLVE_PASS_H

#include "pg/sql/glue.h"

#include "core/solve/solver.h"

/* The keys of a plan, a jsonb object that says what is solved. */
#define PLAN_SOLVER "solver"
#define PLAN_PARAMS "params"
#define PLAN_CONTEXTS "contexts"
#define PLAN_DRAW "draw"
#define PLAN_SIDES "sides"
#define PLAN_STRICT "strict"

/* The columns of the type survey. */
enum
{
	SURVEY_PLAYERS,
	SURVEY_GAMES,
	SURVEY_COMPONENT,
	SURVEY_CONTEXTS,
	SURVEY_MATCHES,
	SURVEY_ROWS,
	SURVEY_SIDES,
	SURVEY_UNRATED,
	SURVEY_NCOLUMNS
};

/* The columns of the type pass. */
enum
{
	PASS_OBJECTIVE,
	PASS_GRADIENT,
	PASS_CURVATURE,
	PASS_PRODUCT,
	PASS_DRAWS,
	PASS_DRAWS_SLOPE,
	PASS_NCOLUMNS
};

/* Errors unless the solver can do with passes. */
extern void check_can_pass(const Solver *solver);

#endif							/* PG_HISTORY_SOLVE_PASS_H */
