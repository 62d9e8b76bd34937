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
 * a privilege on it.  All others, and columns of the user's with defaults, take the queries
 * of outbox.c and states.c, which do the same.  Events in partitions by seq (partitions.h)
 * are written to the partitions, if all of this is true of those.
 */
#ifndef PG_LADDER_DIRECT_H
#define PG_LADDER_DIRECT_H

#include "pg/ladder/ladder.h"

#include "access/tupdesc.h"
#include "storage/itemptr.h"
#include "utils/tuplestore.h"

#include "pg/ladder/columns.h"

/* Where the columns of a LadderTable are in the table of a ladder; kept in its cache. */
typedef struct TableMap
{
	LadderRelation relation;
	Oid			relid;			/* of the table, or of a partition of it */
	const Model *model;			/* that the columns are for */
	TupleDesc	desc;			/* as table_desc() makes it, */
	AttrNumber *attnum;			/* and for each column its place in the table */
	bool		writable;		/* rows can be written directly: columns of
								 * the user's take no default */
	bool		has_others;		/* columns of the user's, which an UPDATE
								 * leaves */
} TableMap;

/*
 * The columns of one of the tables; errors if one is missing.  It stays in place until the
 * ladder is closed.
 */
extern const TableMap *ladder_table_map(Ladder *ladder, LadderRelation relation,
										const LadderTable *table);

/*
 * Whether rows of a table can be read and written directly: those of event, component_event
 * and rating.  Locks the table to be written.
 */
extern bool can_go_direct(Ladder *ladder, const TableMap *map);

/*
 * The same of rows that are to be inserted, of places from first to last: also whether there
 * are partitions for them, if the table has any, which can be written directly.
 */
extern bool can_insert_directly(Ladder *ladder, const TableMap *map, int64 first, int64 last);

/*
 * Insert the rows of a tuplestore, with the columns of the map, of which seq is the first one;
 * returns how many.  Errors are those of an INSERT.  Later queries see the rows.
 */
extern uint64 direct_insert(Ladder *ladder, const TableMap *map, Tuplestorestate *rows);

/*
 * Put such rows into the places of rows that this transaction has locked and not changed
 * since, which are given in the same order; keys stay.
 */
extern uint64 direct_update(const TableMap *map, Tuplestorestate *rows, ItemPointerData *place);

#endif							/* PG_LADDER_DIRECT_H */
