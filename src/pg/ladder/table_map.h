/*
 * table_map.h
 *		Where the columns of a ladder's tables are, and which tables are plain.
 *
 * A ladder is plain if no table that a batch writes has a trigger, a foreign key, a rule,
 * row-level security, a partition or another access method, and the owner has not given up
 * a privilege on it.  Its rows are read and written without queries (direct.h).  All others, and
 * columns of the user's with defaults that call functions of the user's, take the queries of
 * outbox.c and states.c, which do the same.  Events in partitions by seq (partitions.h) are
 * written to the partitions, if all of this is true of those.
 */
#ifndef PG_LADDER_TABLE_MAP_H
#define PG_LADDER_TABLE_MAP_H

#include "pg/ladder/ladder.h"

#include "access/tupdesc.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/row_rules.h"

/* Where the columns of a LadderTable are in the table of a ladder; kept in its cache. */
typedef struct TableMap
{
	LadderRelation relation;
	Oid			relid;			/* of the table, or of a partition of it */
	const LadderTable *columns; /* as columns.h has them */
	const Model *model;			/* that the columns are for */
	TupleDesc	desc;			/* as table_desc() makes it, */
	AttrNumber *attnum;			/* and for each column its place in the table */
	bool	   *ours;			/* for each column of the table whether it is
								 * one of them */
	bool		writable;		/* rows can be written directly: columns of
								 * the user's take no default that the rules
								 * do not know */
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
 * The same of rows that are to be inserted, of places from first to last: also whether there
 * are partitions for them, if the table has any, which can be written directly.
 */
extern bool can_insert_directly(Ladder *ladder, const TableMap *map, int64 first, int64 last);

/* Whether the rows of a table are in partitions. */
extern bool is_map_of_partitions(const TableMap *map);

/*
 * The map of a partition, whose columns may be in other places than those of the table; it is
 * writable only if the partition is plain.  Any change to a partition makes the cache invalid.
 */
extern const TableMap *partition_map(Ladder *ladder, const TableMap *map, Oid partition);

#endif							/* PG_LADDER_TABLE_MAP_H */
