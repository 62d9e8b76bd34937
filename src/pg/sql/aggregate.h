/*
 * aggregate.h
 *		Calls as an aggregate: its memory, its state, and states that are float8
 *		arrays, visible in SQL, so that they can be stored, merged and sent to other
 *		servers.  And what window functions need to know of their window.
 */
#ifndef PG_SQL_AGGREGATE_H
#define PG_SQL_AGGREGATE_H

#include "pg/sql/glue.h"

#include "utils/array.h"
#include "windowapi.h"

/*
 * The memory context that a group's state lives in.  An internal error unless the
 * function is called by an aggregate, whose name is for the message: only there does a
 * state last from row to row.
 */
extern MemoryContext aggregate_context(FunctionCallInfo fcinfo, const char *name);

/*
 * The state of type internal, which is the first argument; NULL before the first row,
 * when it is SQL null.  The same error.
 */
extern void *aggregate_state(FunctionCallInfo fcinfo, const char *name);

/* A text in an argument; error 22004, with its name, for null. */
extern char *text_argument(FunctionCallInfo fcinfo, int arg, const char *name);

/* The head of a state that options decide: those of the first row, or NULL. */
typedef struct OptionsState
{
	Jsonb	   *options;
} OptionsState;

/*
 * The state of an aggregate whose options are argument arg, which may be missing.  The first row
 * begins it with a copy of these, in the memory of the aggregate.  Error 22023 for a row with other
 * ones.
 */
extern void *options_state(FunctionCallInfo fcinfo, const char *function, int arg,
						   void *(*begin) (FunctionCallInfo fcinfo, Jsonb *options));

/* Whether options are the same, of which either may be NULL. */
extern bool same_options(const Jsonb *a, const Jsonb *b);

/*
 * The array state given as argument arg, to be modified: in place inside an aggregate,
 * in a copy elsewhere, as anybody can call such a function with an array of a table.
 */
extern ArrayType *array_state_arg(FunctionCallInfo fcinfo, int arg);

/*
 * The elements of a state of n numbers; error 2202E if the array has another shape,
 * as anybody can call a transition function with anything.
 */
extern float8 *float8_state(ArrayType *array, int n);

/*
 * The elements of a state that says itself how large it is, which the core knows one by; NULL for
 * an empty array, before the first row.  Error 2202E for any other array: see above.
 */
extern float8 *checked_state(ArrayType *array, bool (*is_state) (const double *state, int n),
							 const char *function);

/*
 * ---- Window functions ----
 */

/*
 * Error 42P20 unless the window has an order and no frame clause: without an order all rows
 * are one moment, and a frame would promise what a function over a whole history does not
 * do.
 */
extern void check_window(WindowObject window, const char *function);

#endif							/* PG_SQL_AGGREGATE_H */
