/*
 * shape.h
 *		Whether the tables of a ladder have the columns that queries rely on.
 */
#ifndef PG_LADDER_ENTRY_SHAPE_H
#define PG_LADDER_ENTRY_SHAPE_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/cache.h"

/*
 * The ladder in a schema, up to date.  The caller holds a lock on the schema, so that no promotion
 * puts other relations in their places; plans.c notices what else does.  Errors if one of the
 * relations is missing (one of another role's is for ladder_check_owners()); and 42703, 42804 or
 * 55000 unless every column whose value is read by its type is there, of that type, and not null
 * where no null is expected.  The owner of a ladder can alter its tables, and a value that is taken
 * for one of another type is an address of the owner's choosing.  ladder_open() locks all of the
 * relations, so that no other session alters them before the transaction ends, and plans.c has them
 * checked again when this one has.
 *
 * The result and all that it leads to stay in place until the current memory context is
 * reset or deleted, which also happens after an error.  So the context must be that of
 * the work on the ladder, and no longer-lived one.
 */
extern void ladder_cache_check(LadderCache *cache);

static inline LadderCache *
ladder_cache_open(Oid schema)
{
	LadderCache *cache = ladder_cache_look_up(schema);

	if (!cache->checked)
		ladder_cache_check(cache);
	return cache;
}

/*
 * If the cache of a ladder that is open is not valid any more: take its successor, for as long as
 * the work on the ladder lasts, and look whether its relations are still those that it was opened
 * with: code of the user that ran meanwhile may have altered them.  Error 40001, or those of
 * ladder_cache_open() and, unless the ladder bears other owners, of ladder_check_owners().
 */
extern void ladder_cache_recheck(Ladder *ladder);

/* The same errors for the state columns of a model in rating and event. */
extern void check_state_columns(const LadderCache *cache, const Model *model);

/*
 * The format of a ladder's tables, format_version in table ladder, which a dump, a copy and a replica
 * take along.  It rises with a change that another library must not work past: a table that whoever
 * rates has to write, say.
 */
#define LADDER_FORMAT 1

/* Error 0A000 unless a ladder of that name has the format that this library works with. */
extern void check_ladder_format(const char *ladder, int32 format);

#endif							/* PG_LADDER_ENTRY_SHAPE_H */
