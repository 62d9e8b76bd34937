/*
 * row_reader.h
 *		The rows of a query on a ladder, one after another.
 */
#ifndef PG_LADDER_ENTRY_ROW_READER_H
#define PG_LADDER_ENTRY_ROW_READER_H

#include "pg/sql/glue.h"

#include "tcop/dest.h"
#include "utils/portal.h"

#include "pg/ladder/entry/plans.h"

/*
 * The row that is read stays in place until the next one is asked for.  The query runs as the rows
 * are read, so that there is no limit to their number.  Some are fetched at once, as values and not
 * as tuples: most columns of a source are null, and to form a tuple of them and take it apart again
 * costs more than the query.
 */
typedef struct RowReader
{
	DestReceiver receiver;		/* that the portal sends them to; first */
	Portal		portal;
	Datum	   *values;			/* of one row after another */
	bool	   *nulls;
	int			nrows;			/* fetched, */
	int			nread;			/* and read, with the current one */
	MemoryContext context;		/* of the values that are not their own datums */
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
	return reader->nread == reader->nrows;
}

/* The columns of the row. */
extern QueryRow reader_row(const RowReader *reader);

/* A column of a key, which the table would not leave null. */
extern Datum row_key_column(const RowReader *reader, int attnum);

#endif							/* PG_LADDER_ENTRY_ROW_READER_H */
