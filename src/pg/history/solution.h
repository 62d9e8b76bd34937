/*
 * solution.h
 *		The solution of all matches as the rows of a relation, for queries that store it.
 */
#ifndef PG_HISTORY_SOLUTION_H
#define PG_HISTORY_SOLUTION_H

#include "pg/history/solve_state.h"

#include "utils/array.h"

/*
 * Run queries, an array of texts without nulls, as the current user.  They read the
 * estimates of a state that has been solved as relation "solution", which has the columns
 * of type estimate.  Its rows lie in a tuplestore: beyond work_mem in a temporary file, so
 * that their number and size have no bound but the disk.
 */
extern void solution_write(SolveState *state, ArrayType *queries);

#endif							/* PG_HISTORY_SOLUTION_H */
