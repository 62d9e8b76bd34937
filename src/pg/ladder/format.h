/*
 * format.h
 *		The format of a ladder's tables: which ones this library knows.
 *
 * Each ladder has a number, format_version in table ladder, which a dump, a copy and a
 * replica take along.  Format 1 is that of version 0.9.  The number rises with a change that
 * an older library, in a session that goes on after an update, must not work past: a table
 * that whoever rates has to write, say.  It rises for the ladders that have such a thing, and
 * for new ones, and an older library refuses these.  What it can work past, such as a
 * column that only a new function reads, needs no number.
 */
#ifndef PG_LADDER_FORMAT_H
#define PG_LADDER_FORMAT_H

#include "pg/ladder/cache.h"

/*
 * The formats that this library works with.  create_rating_tables() gives new ladders the
 * newest; older ones are brought there by upgrade_ladder().
 */
#define OLDEST_LADDER_FORMAT 1
#define NEWEST_LADDER_FORMAT 1

/* Error 0A000 unless a ladder of that name has a format that this library works with. */
extern void check_ladder_format(const char *ladder, int32 format);

/*
 * The same for the format that is stored in the tables of a ladder that is being looked up,
 * before anything is expected of these.  Says nothing of one that stores none in its place:
 * the shape of the tables is checked next.  Reads under the active snapshot.
 */
extern void check_stored_format(const LadderCache *cache);

#endif							/* PG_LADDER_FORMAT_H */
