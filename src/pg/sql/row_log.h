/*
 * row_log.h
 *		Rows in the order in which they came, to be read once more.
 *
 * A log is what work needs that hopes to be done after one reading of its rows: writing
 * one takes a fraction of what sorting them would.  Up to a size they stay in memory, and what
 * goes beyond that goes to a temporary file.
 */
#ifndef PG_SQL_ROW_LOG_H
#define PG_SQL_ROW_LOG_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"

typedef struct RowLog RowLog;

/* The bits of a byte say which columns of a row are null. */
#define ROW_LOG_MAX_COLUMNS 8

/*
 * An empty log of rows of at most ROW_LOG_MAX_COLUMNS columns, with memory from the current context,
 * of which it takes about max_memory.
 */
extern RowLog *row_log_create(TupleDesc desc, Size max_memory);

/* Add a row; and the bytes that one takes at most. */
extern void row_log_add(RowLog *log, const NullableDatum *row);
extern Size row_log_row_size(TupleDesc desc, const NullableDatum *row);

/*
 * The bytes of all rows, and write them, as another process of the same server can take them over
 * into an empty log, whose rows have the same types; row_log_take() returns how many of them are
 * in memory then.  An error instead of reading beyond the bytes if they are no rows.
 */
extern Size row_log_size(const RowLog *log);
extern void row_log_write(RowLog *log, char *to);
extern Size row_log_take(RowLog *log, const char *bytes, Size size);

/*
 * Read the next row, from the first one on; false if there is none.  After the first call nothing
 * can be added.  Values that are passed by reference come from the current context.
 */
extern bool row_log_read(RowLog *log, NullableDatum *row);

/* Free the memory and remove the file. */
extern void row_log_end(RowLog *log);

#endif							/* PG_SQL_ROW_LOG_H */
