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

/* The options that an aggregate is given, a copy in the current context; NULL for none. */
extern Jsonb *options_argument(FunctionCallInfo fcinfo, int arg);

/*
 * Errors (22023) unless a row of an aggregate has the options that the first row gave.  The
 * argument may be missing.
 */
extern void check_options_stay(FunctionCallInfo fcinfo, int arg, const Jsonb *given,
							   const char *function);

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
