/*
 * match_rows.h
 *		Rows of matches that come in no order, to be read in the order of matches.
 *
 * A row has the match in its first column.  As long as rows ascend by match they are only written
 * to a log, and from the first one that does not they are sorted.  Both take work_mem, and disk
 * beyond.  Parallel workers write what they have taken as bytes, in the order of
 * matches; whoever reads the rows of several workers merges them.  So the order is one of matches
 * alone: rows of one match come in any order.
 */
#ifndef PG_MATCHES_MATCH_ROWS_H
#define PG_MATCHES_MATCH_ROWS_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"
#include "lib/stringinfo.h"

#include "pg/sql/ids.h"

/* The most columns of a row. */
#define MATCH_ROWS_MAX_COLUMNS 5

typedef struct MatchRows MatchRows;

/*
 * Begin, with memory from the current context, which must be current again when rows are added,
 * taken or read.  With max_size these are the rows of a worker: error 54000 beyond so many bytes,
 * and name is the function that takes them.  What is given must live as long; the caller has
 * match_rows_end() called when the context goes.
 */
extern MatchRows *match_rows_create(TupleDesc desc, const IdType *match_type, Size max_size,
									const char *name);

/* Add a row. */
extern void match_rows_add(MatchRows *rows, const NullableDatum *row);

/* Append the rows of a worker, any number of times.  No row can be added or read then. */
extern void match_rows_write(MatchRows *rows, StringInfo bytes);

/* Take over rows that were written so, instead of adding rows. */
extern void match_rows_take(MatchRows *rows, const char *bytes, Size size);

/*
 * Read the next row, from the first one on; false if there is none.  It lasts until the next call.
 * No row can be added then.
 */
extern bool match_rows_read(MatchRows *rows, NullableDatum *row);

/* Close files; the memory goes with its context. */
extern void match_rows_end(MatchRows *rows);

#endif							/* PG_MATCHES_MATCH_ROWS_H */
