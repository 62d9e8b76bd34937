/*
 * row_reader.h
 *		The rows of a query on a ladder, one after another.
 */
#ifndef PG_LADDER_ENTRY_ROW_READER_H
#define PG_LADDER_ENTRY_ROW_READER_H

#include "pg/sql/glue.h"

#include "executor/tuptable.h"
#include "tcop/dest.h"
#include "utils/portal.h"

#include "pg/ladder/entry/plans.h"

/*
 * Rows that a query has just returned, as values and not as tuples: most columns of a source
 * are null, and to form a tuple of them and take it apart again costs more than the query.
 */
typedef struct RowChunk
{
	DestReceiver receiver;		/* that the portal sends them to; first */
	int			natts;
	bool	   *byval;			/* of each column, */
	int16	   *length;			/* and how long its values are */
	Datum	   *values;			/* of one row after another */
	bool	   *nulls;
	int			nrows;
	MemoryContext context;		/* of the values that are not their own datums */
} RowChunk;

/*
 * A row is in slot while have_row, until the next one is asked for.  The query
 * runs as the rows are read, so that there is no limit to their number.
 */
typedef struct RowReader
{
	Portal		portal;
	RowChunk   *chunk;			/* fetched, and not all read */
	int			next;
	TupleTableSlot *slot;
	bool		have_row;
} RowReader;

/* Run a query and read its first row. */
extern void row_reader_open(RowReader *reader, Ladder *ladder,
							LadderQuery *query, const Datum *values);
extern void row_reader_next(RowReader *reader);
extern void row_reader_close(RowReader *reader);

/* Whether the next row is to be fetched first. */
static inline bool
row_reader_is_drained(const RowReader *reader)
{
	return reader->next == reader->chunk->nrows;
}

/* The columns of the row. */
static inline QueryRow
reader_row(RowReader *reader)
{
	return (QueryRow) {reader->slot->tts_values, reader->slot->tts_isnull};
}

/* A column of a key, which the table would not leave null. */
extern Datum row_key_column(RowReader *reader, int attnum);

#endif							/* PG_LADDER_ENTRY_ROW_READER_H */
