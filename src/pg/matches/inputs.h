/*
 * inputs.h
 *		What functions are told of a participant besides player, team and rank:
 *		optional arguments, or a composite of the type inputs.
 */
#ifndef PG_MATCHES_INPUTS_H
#define PG_MATCHES_INPUTS_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"

#include "pg/matches/source.h"

/*
 * How many there are that a source has, too; the first is the weight.  The type has
 * the context behind them.
 */
#define INPUTS_COUNT 17

/* The place of a column among the inputs, from 0. */
extern int	source_input(SourceColumn column);

/* A row of a source of which nothing is known yet. */
extern void source_row_clear(Datum *values, bool *nulls);

/* Put an input in its place in a row; a null is nothing that is known. */
extern void source_row_set(Datum *values, bool *nulls, int input, Datum value,
						   bool null);

/*
 * Put all inputs of a composite in their places.  Its description is looked up
 * once and kept in *desc, at first NULL, in that memory.  *context is the context
 * of the match, a text.
 */
extern void source_row_set_all(Datum *values, bool *nulls, TupleDesc *desc,
							   MemoryContext memory, Datum composite,
							   Datum *context, bool *no_context);

#endif							/* PG_MATCHES_INPUTS_H */
