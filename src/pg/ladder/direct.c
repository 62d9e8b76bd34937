/*
 * direct.c
 *		Rows of a plain ladder, read and written without a query.
 */
#include "pg/ladder/direct.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/partitions.h"

/* So many rows are inserted at a time. */
#define MAX_SLOTS 64

/*
 * ---- Which tables are plain ----
 */

/* Whether a table runs nothing of the user's when the ladder's owner writes it. */
static bool
runs_nothing(Relation table)
{
	static const AclMode rights = ACL_SELECT | ACL_INSERT | ACL_UPDATE;

	return table->trigdesc == NULL && table->rd_rules == NULL &&
		!table->rd_rel->relrowsecurity &&
		pg_class_aclmask(RelationGetRelid(table), GetUserId(), rights, ACLMASK_ALL) == rights;
}

/* Whether the rows of a table are in a heap of its own. */
static bool
is_plain_heap(Relation table)
{
	return table->rd_rel->relkind == RELKIND_RELATION && !table->rd_rel->relhassubclass &&
		table->rd_rel->relam == HEAP_TABLE_AM_OID;
}

/*
 * Whether rows can be written to a table directly, or to those of its partitions of which
 * partition_map() says so.
 */
static bool
is_plain_table(Oid relid)
{
	Relation	table = table_open(relid, AccessShareLock);
	bool		plain = !table->rd_rel->relispartition && runs_nothing(table) &&
		(is_plain_heap(table) || is_partitioned_by_seq(table));

	table_close(table, NoLock);
	return plain;
}

/*
 * Whether all tables are that a batch writes: a trigger on one of them could change the rows
 * of another, which the batch has in memory.
 */
static bool
is_plain(Ladder *ladder)
{
	static const LadderRelation written[] = {
		LADDER_RATING, LADDER_EVENT, LADDER_COMPONENT, LADDER_COMPONENT_EVENT,
		LADDER_RATED_MATCH, LADDER_CORRECTION, LADDER_CHANGE
	};
	LadderCache *cache = ladder->cache;
	int			i;

	if (cache->plain_known)
		return cache->plain;
	cache->plain = true;
	for (i = 0; i < (int) lengthof(written); i++)
		if (OidIsValid(ladder->relation[written[i]]))
			cache->plain = cache->plain && is_plain_table(ladder->relation[written[i]]);
	cache->plain_known = true;
	return cache->plain;
}

/*
 * ---- Columns ----
 */

/* Whether a column that is not one of ours keeps rows from being written directly. */
static bool
is_in_the_way(Form_pg_attribute column)
{
	return (column->atthasdef && column->attgenerated == '\0') ||
		column->attidentity != '\0' || get_typtype(column->atttypid) == TYPTYPE_DOMAIN;
}

/* Find the columns of a map in its table. */
static void
find_columns(TableMap *map, Relation table)
{
	TupleDesc	desc = RelationGetDescr(table);
	bool	   *ours = palloc0_array(bool, desc->natts);
	int			i;

	for (i = 0; i < map->desc->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(map->desc, i)->attname);
		AttrNumber	attnum = get_attnum(RelationGetRelid(table), name);

		if (attnum <= InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("table \"%s\" has no column \"%s\"",
							RelationGetRelationName(table), name)));
		map->attnum[i] = attnum;
		ours[attnum - 1] = true;

		/* Nothing would make a value one of a narrower type, as timestamptz(0) is. */
		if (TupleDescAttr(desc, attnum - 1)->attgenerated != '\0' ||
			TupleDescAttr(desc, attnum - 1)->attidentity != '\0' ||
			TupleDescAttr(desc, attnum - 1)->atttypmod != -1)
			map->writable = false;
	}
	for (i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (ours[i] || column->attisdropped)
			continue;
		if (is_in_the_way(column))
			map->writable = false;
		if (column->attgenerated == '\0')
			map->has_others = true;
	}
	pfree(ours);
}

/* The map of columns to a table, which is open, in the current memory context. */
static TableMap *
make_map(Ladder *ladder, LadderRelation relation, TupleDesc desc, Relation table)
{
	TableMap   *map = palloc0_object(TableMap);

	map->relation = relation;
	map->relid = RelationGetRelid(table);
	map->model = ladder->model;
	map->desc = desc;
	map->attnum = palloc_array(AttrNumber, desc->natts);
	map->writable = true;
	find_columns(map, table);
	return map;
}

const TableMap *
ladder_table_map(Ladder *ladder, LadderRelation relation, const LadderTable *table)
{
	LadderCache *cache;
	Relation	rel;
	MemoryContext old;

	ladder_cache_recheck(ladder);
	cache = ladder->cache;
	if (cache->map[relation] != NULL && cache->map[relation]->model == ladder->model)
		return cache->map[relation];

	/*
	 * One for another model that the ladder had is left to those who work
	 * with it.
	 */
	rel = table_open(ladder->relation[relation], AccessShareLock);
	old = MemoryContextSwitchTo(cache->context);
	cache->map[relation] = make_map(ladder, relation, table_desc(table, ladder), rel);
	MemoryContextSwitchTo(old);
	table_close(rel, NoLock);
	return cache->map[relation];
}

bool
can_go_direct(Ladder *ladder, const TableMap *map)
{
	LockRelationOid(ladder->relation[map->relation], RowExclusiveLock);
	ladder_cache_recheck(ladder);
	return map == ladder->cache->map[map->relation] && map->writable && is_plain(ladder);
}

/*
 * ---- Partitions ----
 */

/*
 * The map of a partition, whose columns may be in other places than those of the table; it is
 * writable only if the partition is plain.  Any change to a partition makes the cache invalid.
 */
static const TableMap *
partition_map(Ladder *ladder, const TableMap *map, Oid partition)
{
	LadderCache *cache = ladder->cache;
	TableMap   *found;
	Relation	table;
	MemoryContext old;
	ListCell   *lc;

	foreach(lc, cache->partition_map)
	{
		found = lfirst(lc);
		if (found->relid == partition && found->desc == map->desc)
			return found;
	}
	table = table_open(partition, RowExclusiveLock);
	old = MemoryContextSwitchTo(cache->context);
	found = make_map(ladder, map->relation, map->desc, table);
	found->writable = found->writable && is_plain_heap(table) && runs_nothing(table);
	cache->partition_map = lappend(cache->partition_map, found);
	MemoryContextSwitchTo(old);
	table_close(table, NoLock);
	return found;
}

bool
can_insert_directly(Ladder *ladder, const TableMap *map, int64 first, int64 last)
{
	Relation	table;
	bool		direct = can_go_direct(ladder, map);

	if (!direct || get_rel_relkind(map->relid) != RELKIND_PARTITIONED_TABLE)
		return direct;
	table = table_open(map->relid, NoLock);
	while (direct && first <= last)
	{
		Oid			partition = partition_of_seq(table, first, &first);

		direct = OidIsValid(partition) && partition_map(ladder, map, partition)->writable;
	}
	table_close(table, NoLock);
	return direct;
}

/*
 * ---- Writing ----
 */

/* A table that is open to be written. */
typedef struct Writer
{
	const TableMap *map;
	Relation	table;
	EState	   *estate;
	ResultRelInfo *result;
} Writer;

/* The range table of a command on nothing but this table, which all of our columns change. */
static void
make_range_table(Writer *writer)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	Bitmapset  *columns = NULL;
	int			i;

	for (i = 0; i < writer->map->desc->natts; i++)
		columns = bms_add_member(columns, writer->map->attnum[i] -
								 FirstLowInvalidHeapAttributeNumber);
	entry->rtekind = RTE_RELATION;
	entry->relid = RelationGetRelid(writer->table);
	entry->relkind = writer->table->rd_rel->relkind;
	entry->rellockmode = RowExclusiveLock;
#if PG_VERSION_NUM >= 160000
	{
		List	   *permissions = NIL;
		RTEPermissionInfo *permission = addRTEPermissionInfo(&permissions, entry);

		permission->insertedCols = columns;
		permission->updatedCols = columns;
#if PG_VERSION_NUM >= 180000
		ExecInitRangeTable(writer->estate, list_make1(entry), permissions,
						   bms_make_singleton(1));
#else
		ExecInitRangeTable(writer->estate, list_make1(entry), permissions);
#endif
	}
#else
	entry->insertedCols = columns;
	entry->updatedCols = columns;
	ExecInitRangeTable(writer->estate, list_make1(entry));
#endif
}

static void
open_writer(Writer *writer, const TableMap *map)
{
	MemoryContext old;

	writer->map = map;
	writer->table = table_open(map->relid, RowExclusiveLock);
	writer->estate = CreateExecutorState();
	old = MemoryContextSwitchTo(writer->estate->es_query_cxt);
	make_range_table(writer);
	writer->estate->es_snapshot = GetActiveSnapshot();
	writer->estate->es_output_cid = GetCurrentCommandId(true);
	writer->result = makeNode(ResultRelInfo);
	InitResultRelInfo(writer->result, writer->table, 1, NULL, 0);
	ExecOpenIndices(writer->result, false);
	MemoryContextSwitchTo(old);
}

static void
close_writer(Writer *writer)
{
	ExecCloseIndices(writer->result);
	FreeExecutorState(writer->estate);
	table_close(writer->table, NoLock);
	CommandCounterIncrement();
}

/* A slot for the rows of a tuplestore. */
static TupleTableSlot *
make_row(const TableMap *map)
{
	return MakeSingleTupleTableSlot(map->desc, &TTSOpsMinimalTuple);
}

/* Read the next row; false at the end. */
static bool
next_row(TupleTableSlot *row, Tuplestorestate *rows)
{
	CHECK_FOR_INTERRUPTS();
	return tuplestore_gettupleslot(rows, true, false, row);
}

/* Make a slot a row of the table without values. */
static void
clear_row(TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
}

/* Put the values that were read into a row that has others, or none. */
static void
fill_row(Writer *writer, TupleTableSlot *row, TupleTableSlot *slot)
{
	const TableMap *map = writer->map;
	int			i;

	slot_getallattrs(row);
	for (i = 0; i < map->desc->natts; i++)
	{
		slot->tts_values[map->attnum[i] - 1] = row->tts_values[i];
		slot->tts_isnull[map->attnum[i] - 1] = row->tts_isnull[i];
	}
	ExecStoreVirtualTuple(slot);
	slot->tts_tableOid = RelationGetRelid(writer->table);
}

/* Compute and check what depends on the other columns of a row to be inserted. */
static void
complete_row(Writer *writer, TupleTableSlot *slot)
{
	const TupleConstr *constraints = RelationGetDescr(writer->table)->constr;

	if (constraints == NULL)
		return;
	if (constraints->has_generated_stored)
		ExecComputeStoredGenerated(writer->result, writer->estate, slot, CMD_INSERT);
	ExecConstraints(writer->result, slot, writer->estate);
}

/* Rows on their way into one table or partition. */
typedef struct Inserter
{
	Writer		writer;
	TupleTableSlot *slot[MAX_SLOTS];
	int			nslots;			/* that have been made */
	int			n;				/* that have rows */
	int64		first;			/* of a partition, the places that are for it: */
	int64		next;			/* at least from first, up to before next */
} Inserter;

/* Insert the rows that wait, and their entries of indexes. */
static void
insert_rows(Inserter *inserter)
{
	Writer	   *writer = &inserter->writer;
	EState	   *estate = writer->estate;
	MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(estate));
	int			i;

	table_multi_insert(writer->table, inserter->slot, inserter->n, estate->es_output_cid, 0,
					   NULL);
	MemoryContextSwitchTo(old);
	for (i = 0; i < inserter->n && writer->result->ri_NumIndices > 0; i++)
		(void) ExecInsertIndexTuples(writer->result, inserter->slot[i], estate, false, false,
									 NULL,
#if PG_VERSION_NUM >= 160000
									 NIL, false);
#else
									 NIL);
#endif
	ResetPerTupleExprContext(estate);
	inserter->n = 0;
}

/* Take a row, which is inserted when there are enough. */
static void
insert_row(Inserter *inserter, TupleTableSlot *row)
{
	TupleTableSlot *slot;

	if (inserter->n == inserter->nslots)
		inserter->slot[inserter->nslots++] = table_slot_create(inserter->writer.table, NULL);
	slot = inserter->slot[inserter->n++];
	clear_row(slot);
	fill_row(&inserter->writer, row, slot);
	complete_row(&inserter->writer, slot);

	/* The values are the tuplestore's, until the next row. */
	ExecMaterializeSlot(slot);
	if (inserter->n == MAX_SLOTS)
		insert_rows(inserter);
}

static void
begin_insertion(Inserter *inserter, const TableMap *map)
{
	inserter->nslots = inserter->n = 0;
	open_writer(&inserter->writer, map);
}

static void
end_insertion(Inserter *inserter)
{
	int			i;

	if (inserter->n > 0)
		insert_rows(inserter);
	for (i = 0; i < inserter->nslots; i++)
		ExecDropSingleTupleTableSlot(inserter->slot[i]);
	close_writer(&inserter->writer);
}

/* Go on with the partition that a row is for, if it is another one. */
static void
follow_row(Inserter *inserter, Ladder *ladder, const TableMap *map, Relation table,
		   TupleTableSlot *row)
{
	bool		isnull;
	int64		seq = DatumGetInt64(slot_getattr(row, EVENT_SEQ, &isnull));
	bool		is_open = inserter->writer.table != NULL;
	int64		next;
	Oid			partition;

	if (is_open && seq < inserter->next && seq >= inserter->first)
		return;
	partition = partition_of_seq(table, seq, &next);
	if (!OidIsValid(partition))
		elog(ERROR, "no partition of table \"%s\" for place " INT64_FORMAT,
			 RelationGetRelationName(table), seq);
	if (is_open)
		end_insertion(inserter);
	begin_insertion(inserter, partition_map(ladder, map, partition));
	inserter->first = seq;
	inserter->next = next;
}

uint64
direct_insert(Ladder *ladder, const TableMap *map, Tuplestorestate *rows)
{
	bool		partitioned = get_rel_relkind(map->relid) == RELKIND_PARTITIONED_TABLE;
	Relation	table = table_open(map->relid, RowExclusiveLock);
	TupleTableSlot *row = make_row(map);
	Inserter	inserter = {0};
	uint64		total = 0;

	if (!partitioned)
		begin_insertion(&inserter, map);
	for (; next_row(row, rows); total++)
	{
		if (partitioned)
			follow_row(&inserter, ladder, map, table, row);
		insert_row(&inserter, row);
	}
	if (inserter.writer.table != NULL)
		end_insertion(&inserter);
	ExecDropSingleTupleTableSlot(row);
	table_close(table, NoLock);
	return total;
}

uint64
direct_update(const TableMap *map, Tuplestorestate *rows, ItemPointerData *place)
{
	Writer		writer;
	TupleTableSlot *row = make_row(map);
	TupleTableSlot *before;
	TupleTableSlot *after;
	EPQState	unused = {0};	/* only triggers need it */
	uint64		total = 0;

	open_writer(&writer, map);
	before = table_slot_create(writer.table, NULL);
	after = table_slot_create(writer.table, NULL);
	for (; next_row(row, rows); total++)
	{
		clear_row(after);
		if (map->has_others)
		{
			int			natts = before->tts_tupleDescriptor->natts;

			if (!table_tuple_fetch_row_version(writer.table, &place[total], SnapshotAny,
											   before))
				elog(ERROR, "failed to fetch a row of table \"%s\" that is locked",
					 RelationGetRelationName(writer.table));
			slot_getallattrs(before);
			memcpy(after->tts_values, before->tts_values, natts * sizeof(Datum));
			memcpy(after->tts_isnull, before->tts_isnull, natts * sizeof(bool));
		}
		fill_row(&writer, row, after);
		before->tts_tid = place[total];
		ExecSimpleRelationUpdate(writer.result, writer.estate, &unused, before, after);
		ResetPerTupleExprContext(writer.estate);
	}
	ExecDropSingleTupleTableSlot(row);
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(after);
	close_writer(&writer);
	return total;
}
