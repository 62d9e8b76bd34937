/*
 * shape.h
 *		Whether the tables of a ladder have the format and the columns that queries rely on.
 *
 * Each ladder has a number of its format, format_version in table ladder, which a dump, a copy and a
 * replica take along.  It rises with a change that another library must not work past: a table
 * that whoever rates has to write, say.
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

/* What create_rating_tables() gives new ladders. */
#define LADDER_FORMAT 1

/* Error 0A000 unless a ladder of that name has the format that this library works with. */
extern void check_ladder_format(const char *ladder, int32 format);

/*
 * The same for the format that is stored in the tables of a ladder that is being looked up,
 * before anything is expected of these.  Says nothing of one that stores none in its place:
 * the shape of the tables is checked next.  Reads under the active snapshot.
 */
extern void check_stored_format(const LadderCache *cache);

#endif							/* PG_LADDER_SHAPE_H */
