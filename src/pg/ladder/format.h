/*
 * format.h
 *		The format of a ladder's tables: which one this library knows.
 *
 * Each ladder has a number, format_version in table ladder, which a dump, a copy and a
 * replica take along.  It rises with a change that another library must not work past: a table
 * that whoever rates has to write, say.
 */
#ifndef PG_LADDER_FORMAT_H
#define PG_LADDER_FORMAT_H

#include "pg/ladder/cache.h"

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

#endif							/* PG_LADDER_FORMAT_H */
