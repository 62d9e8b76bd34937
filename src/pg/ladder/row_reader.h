/*
 * row_reader.h
 *		The rows of a query on a ladder, one after another.
 */
#ifndef PG_LADDER_ROW_READER_H
#define PG_LADDER_ROW_READER_H

#include "pg/sql/glue.h"

#include "executor/tuptable.h"
#include "utils/portal.h"

#include "pg/ladder/plans.h"

/*
 * A row is in slot while have_row, until the next one is asked for.  The query
 * runs as the rows are read, so that there is no limit to their number.
 */
typedef struct RowReader
{
	Portal		portal;
	SPITupleTable *rows;		/* fetched, and not all read */
	uint64		next;
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
	return reader->rows == NULL || reader->next == reader->rows->numvals;
}

/* The values of all columns, from 0, and whether they are null. */
static inline const Datum *
row_values(RowReader *reader)
{
	slot_getallattrs(reader->slot);
	return reader->slot->tts_values;
}

static inline const bool *
row_nulls(RowReader *reader)
{
	slot_getallattrs(reader->slot);
	return reader->slot->tts_isnull;
}

/* A column of a key, which the table would not leave null. */
extern Datum row_key_column(RowReader *reader, int attnum);

#endif							/* PG_LADDER_ROW_READER_H */
