/*
 * row_log.h
 *		Rows in the order in which they came, to be read once more.
 *
 * A log is what work needs that hopes to be done after one reading of its rows: writing
 * one takes a fraction of what sorting them would.  Up to work_mem they stay in memory, and what
 * goes beyond that goes to a temporary file.
 */
#ifndef PG_SQL_ROW_LOG_H
#define PG_SQL_ROW_LOG_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"

typedef struct RowLog RowLog;

/* An empty log of rows of at most 8 columns, with memory from the current context. */
extern RowLog *row_log_create(TupleDesc desc);

/* Add a row. */
extern void row_log_add(RowLog *log, const NullableDatum *row);

/*
 * Read the next row, from the first one on; false if there is none.  After the first call nothing
 * can be added.  Values that are passed by reference come from the current context.
 */
extern bool row_log_read(RowLog *log, NullableDatum *row);

/* Free the memory and remove the file. */
extern void row_log_end(RowLog *log);

#endif							/* PG_SQL_ROW_LOG_H */
