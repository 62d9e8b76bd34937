/*
 * direct.h
 *		Rows of a plain ladder, read and written without a query.
 *
 * A query on a dozen rows spends most of its time on beginning and ending.  Where nothing of
 * the user's could notice the difference, a batch goes to the tables as COPY and logical
 * replication do: the server's own functions insert and update rows, compute generated
 * columns, check constraints, and keep indexes, publications and the WAL in order.
 *
 * A ladder is plain if no table that a batch writes has a trigger, a foreign key, a rule,
 * row-level security, a partition or another access method, and the owner has not given up
 * a privilege on it.  All others, and columns of the user's with defaults that call functions
 * of the user's, take the queries of outbox.c and states.c, which do the same.
 */
#ifndef PG_LADDER_DIRECT_H
#define PG_LADDER_DIRECT_H

#include "pg/ladder/ladder.h"

#include "access/tupdesc.h"
#include "storage/itemptr.h"
#include "utils/tuplestore.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/row_rules.h"

/* Where the columns of a LadderTable are in the table of a ladder; kept in its cache. */
typedef struct TableMap
{
	LadderRelation relation;
	const Model *model;			/* that the columns are for */
	TupleDesc	desc;			/* as table_desc() makes it, */
	AttrNumber *attnum;			/* and for each column its place in the table */
	bool	   *ours;			/* for each column of the table whether it is
								 * one of them */
	bool		writable;		/* rows can be written directly: columns of
								 * the user's take no default that the rules do
								 * not know */
	bool		has_others;		/* columns of the user's, which an UPDATE
								 * leaves */
	RowRules   *rules;			/* or NULL: the executor's */
	List	   *key_indexes;	/* OIDs of those on nothing but the key, which
								 * an update leaves */
} TableMap;

/*
 * The columns of one of the tables; errors if one is missing.  It stays in place until the
 * ladder is closed.
 */
extern const TableMap *ladder_table_map(Ladder *ladder, LadderRelation relation,
										const LadderTable *table);

/*
 * Whether rows of a table can be read and written directly: those of event, component_event,
 * rated_match and rating.  Locks the table to be written.
 */
extern bool can_go_direct(Ladder *ladder, const TableMap *map);

/*
 * Insert the rows of a tuplestore, with the columns of the map; returns how many.  Errors
 * are those of an INSERT.  Later queries see the rows.
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
extern uint64 direct_update(Ladder *ladder, const TableMap *map, Tuplestorestate *rows,
							ItemPointerData *place);

/*
 * The same with many rows of rating, which this transaction has not locked, and whose places
 * are those in which a snapshot saw them that is still registered or active.  A row that is not
 * there any more, whose place is invalid, or that somebody else is changing, is left: it goes
 * into another tuplestore, for a query to look for it or to wait.  Returns how many were
 * written.
 */
extern uint64 direct_rewrite(Ladder *ladder, const TableMap *map, Tuplestorestate *rows,
							 ItemPointerData *place, Tuplestorestate *left);

#endif							/* PG_LADDER_DIRECT_H */
