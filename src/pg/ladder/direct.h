/*
 * direct.h
 *		Rows of a plain ladder, read and written without a query.
 *
 * A query on a dozen rows spends most of its time on beginning and ending.  Where nothing of
 * the user's could notice the difference, a batch goes to the tables as COPY and logical
 * replication do: the server's own functions insert and update rows, compute generated
 * columns, check constraints, and keep indexes, publications and the WAL in order.  table_map.h says which ladders are plain.
 */
#ifndef PG_LADDER_DIRECT_H
#define PG_LADDER_DIRECT_H

#include "pg/ladder/ladder.h"

#include "storage/itemptr.h"
#include "utils/tuplestore.h"

#include "pg/ladder/table_map.h"

/*
 * Insert the rows of a tuplestore, with the columns of the map, of which seq is the first one if
 * the table has partitions; returns how many.  Errors are those of an INSERT.  Later queries see
 * the rows.
 */
extern uint64 direct_insert(Ladder *ladder, const TableMap *map, Tuplestorestate *rows);

/*
 * The same row by row: rows are written 64 at a time, and all of them at the end.  Between
 * begin and end nothing but the owner's rights is needed, so that queries may run; they see
 * rows once the command counter has advanced.  The memory of a row is the caller's again after
 * each call.  Memory is that of the context at the beginning; it is freed at the end.
 */
typedef struct DirectInsert DirectInsert;

extern DirectInsert *direct_insert_begin(Ladder *ladder, const TableMap *map);
extern void direct_insert_row(DirectInsert *insert, const Datum *values, const bool *nulls);
extern uint64 direct_insert_end(DirectInsert *insert);

/*
 * Put such rows into the places of rows that this transaction has locked and not changed
 * since, which are given in the same order; keys stay.
 */
extern uint64 direct_update(const TableMap *map, Tuplestorestate *rows, ItemPointerData *place);

/*
 * The same with many rows of rating, which this transaction has not locked, and whose places
 * are those in which a snapshot saw them that is still registered or active.  A row that is not
 * there any more, whose place is invalid, or that somebody else is changing, is left: it goes
 * into another tuplestore, for a query to look for it or to wait.  Returns how many were
 * written.
 */
extern uint64 direct_rewrite(const TableMap *map, Tuplestorestate *rows, ItemPointerData *place,
							 Tuplestorestate *left);

#endif							/* PG_LADDER_DIRECT_H */
