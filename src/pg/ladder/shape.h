/*
 * shape.h
 *		Whether the tables of a ladder have the columns that queries rely on.
 */
#ifndef PG_LADDER_SHAPE_H
#define PG_LADDER_SHAPE_H

#include "pg/sql/glue.h"

#include "pg/ladder/cache.h"

/*
 * Error 42703, 42804 or 55000 unless every column whose value is read by its type is
 * there, of that type, and not null where no null is expected.  The owner of a ladder
 * can alter its tables, and a value that is taken for one of another type is an
 * address of the owner's choosing.  ladder_open() locks all of the relations, so that
 * no other session alters them before the transaction ends, and plans.c has them
 * checked again when this one has.
 */
extern void check_ladder_shape(const LadderCache *cache);

/* The same of the state columns of a model in rating and event. */
extern void check_state_columns(const LadderCache *cache, const Model *model);

#endif							/* PG_LADDER_SHAPE_H */
