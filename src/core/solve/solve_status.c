/*
 * solve_status.c
 *		Why a solver stopped.
 */
#include "core/solve/solve_status.h"

const char *
solve_status_message(SolveStatus status)
{
	switch (status)
	{
		case SOLVE_CONVERGED:
			return "converged";
		case SOLVE_NO_MAXIMUM:
			return "there is no maximum";
		case SOLVE_NOT_FINITE:
			return "numbers out of range";
		case SOLVE_NO_PROGRESS:
			return "no further progress";
		case SOLVE_MAX_ITERATIONS:
			return "max_iterations reached";
	}
	return "unknown status";
}
