/*
 * copy_file.h
 *		Rows of events in a temporary file, which COPY inserts.
 *
 * COPY inserts many rows at a time into any table, also one with triggers, which no query does.
 * It is for large batches of events that cannot go to their table directly (direct.h).
 */
#ifndef PG_LADDER_COPY_FILE_H
#define PG_LADDER_COPY_FILE_H

#include "pg/ladder/table_map.h"
#include "pg/matches/batch.h"

typedef struct CopyFile CopyFile;

/*
 * Whether COPY may insert into a table: rights, policies and rules are checked by
 * who calls it, and identifiers need a binary form.
 */
extern bool can_copy(const Ladder *ladder, LadderRelation relation);

/* Begin a file of rows of event or component_event, in memory of the current context. */
extern CopyFile *copy_file_begin(Ladder *ladder, const TableMap *map);

/* Write a row to the file. */
extern void copy_file_event(CopyFile *copy, const BatchStep *step, const EventRow *row);
extern void copy_file_component_event(CopyFile *copy, const BatchStep *step,
									  const ComponentRow *row);

/* Insert the rows; returns how many.  Later queries see them. */
extern uint64 copy_file_insert(CopyFile *copy);

/* Free it all, after an insertion or without one. */
extern void copy_file_close(CopyFile *copy);

#endif							/* PG_LADDER_COPY_FILE_H */
