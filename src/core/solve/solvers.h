/*
 * solvers.h
 *		The registry of solvers.
 */
#ifndef CORE_SOLVE_SOLVERS_H
#define CORE_SOLVE_SOLVERS_H

#include "core/solve/solver.h"

/* All solvers, by name. */
extern const Solver *const solver_registry[];
extern const int solver_count_registered;

/* The solver of that name, or NULL. */
extern const Solver *solver_find(const char *name);

#endif							/* CORE_SOLVE_SOLVERS_H */
