/*
 * solve_status.h
 *		Why a solver stopped.
 */
#ifndef CORE_SOLVE_SOLVE_STATUS_H
#define CORE_SOLVE_SOLVE_STATUS_H

/*
 * Only the first is a solution.  A solver that stops for two reasons at once reports
 * the one that is listed first.
 */
typedef enum SolveStatus
{
	SOLVE_CONVERGED,			/* within the tolerance */
	SOLVE_NO_MAXIMUM,			/* some unknowns grow for ever */
	SOLVE_NOT_FINITE,			/* a sum or a derivative has overflowed */
	SOLVE_NO_PROGRESS,			/* no step, however short, improves anything */
	SOLVE_MAX_ITERATIONS		/* as many iterations as are allowed */
} SolveStatus;

/* The status as a user reads it; tests of SQL and solve_hint() know these texts. */
extern const char *solve_status_message(SolveStatus status);

#endif							/* CORE_SOLVE_SOLVE_STATUS_H */
