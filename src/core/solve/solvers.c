/*
 * solvers.c
 *		The registry of solvers.
 *
 * A new solver is a file of its own, a declaration in solver.h and one name here.
 */
#include "core/solve/solvers.h"

#include <string.h>

const Solver *const solver_registry[] = {
	&bradley_terry_solver, &hive_solver, &plackett_luce_solver,
	&through_time_solver, &whole_history_solver
};

const int	solver_count_registered = sizeof(solver_registry) / sizeof(solver_registry[0]);

const Solver *
solver_find(const char *name)
{
	int			i;

	for (i = 0; i < solver_count_registered; i++)
		if (strcmp(solver_registry[i]->name, name) == 0)
			return solver_registry[i];
	return NULL;
}
