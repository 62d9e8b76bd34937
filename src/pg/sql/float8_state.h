/*
 * float8_state.h
 *		Aggregate states that are float8 arrays: visible in SQL, so that they
 *		can be stored, merged and sent to other servers.
 */
#ifndef FLOAT8_STATE_H
#define FLOAT8_STATE_H

#include "pg/sql/glue.h"

#include "utils/array.h"

/*
 * The elements of a state of n numbers.  As anybody can call a transition
 * function with anything, the shape is checked.
 */
extern float8 *float8_state(ArrayType *array, int n);

/*
 * The state given as argument arg, to be modified: in place inside an
 * aggregate, in a copy elsewhere.
 */
extern ArrayType *float8_state_arg(FunctionCallInfo fcinfo, int arg, int n);

#endif							/* FLOAT8_STATE_H */
