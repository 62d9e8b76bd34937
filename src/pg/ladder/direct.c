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

/* So many rows are inserted at a time. */
#define MAX_SLOTS 64

/*
 * ---- Which tables are plain ----
 */

/* Whether a table runs nothing of the user's when the ladder's owner writes it. */
static bool
is_plain_table(Oid relid)
{
	static const AclMode rights = ACL_SELECT | ACL_INSERT | ACL_UPDATE;
	Relation	table = table_open(relid, AccessShareLock);
	Form_pg_class form = table->rd_rel;
	bool		plain = form->relkind == RELKIND_RELATION && !form->relispartition &&
		!form->relhassubclass && form->relam == HEAP_TABLE_AM_OID &&
		table->trigdesc == NULL && table->rd_rules == NULL && !form->relrowsecurity &&
		pg_class_aclmask(relid, GetUserId(), rights, ACLMASK_ALL) == rights;

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

const TableMap *
ladder_table_map(Ladder *ladder, LadderRelation relation, const LadderTable *table)
{
	LadderCache *cache;
	TableMap   *map;
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
	map = palloc0_object(TableMap);
	map->relation = relation;
	map->model = ladder->model;
	map->desc = table_desc(table, ladder);
	map->attnum = palloc_array(AttrNumber, map->desc->natts);
	map->writable = true;
	find_columns(map, rel);
	MemoryContextSwitchTo(old);
	table_close(rel, NoLock);
	cache->map[relation] = map;
	return map;
}

bool
can_go_direct(Ladder *ladder, const TableMap *map)
{
	LockRelationOid(ladder->relation[map->relation], RowExclusiveLock);
	ladder_cache_recheck(ladder);
	return map == ladder->cache->map[map->relation] && map->writable && is_plain(ladder);
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
	TupleTableSlot *from;		/* of the tuplestore */
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
	init_written_table(writer->estate, entry, columns);
}

static void
open_writer(Writer *writer, Ladder *ladder, const TableMap *map)
{
	MemoryContext old;

	writer->map = map;
	writer->table = table_open(ladder->relation[map->relation], RowExclusiveLock);
	writer->estate = CreateExecutorState();
	old = MemoryContextSwitchTo(writer->estate->es_query_cxt);
	make_range_table(writer);
	writer->estate->es_snapshot = GetActiveSnapshot();
	writer->estate->es_output_cid = GetCurrentCommandId(true);
	writer->result = makeNode(ResultRelInfo);
	InitResultRelInfo(writer->result, writer->table, 1, NULL, 0);
	ExecOpenIndices(writer->result, false);
	writer->from = MakeSingleTupleTableSlot(map->desc, &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

static void
close_writer(Writer *writer)
{
	ExecDropSingleTupleTableSlot(writer->from);
	ExecCloseIndices(writer->result);
	FreeExecutorState(writer->estate);
	table_close(writer->table, NoLock);
	CommandCounterIncrement();
}

/* Read the next row; false at the end. */
static bool
next_row(Writer *writer, Tuplestorestate *rows)
{
	CHECK_FOR_INTERRUPTS();
	return tuplestore_gettupleslot(rows, true, false, writer->from);
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
fill_row(Writer *writer, TupleTableSlot *slot)
{
	const TableMap *map = writer->map;
	int			i;

	slot_getallattrs(writer->from);
	for (i = 0; i < map->desc->natts; i++)
	{
		slot->tts_values[map->attnum[i] - 1] = writer->from->tts_values[i];
		slot->tts_isnull[map->attnum[i] - 1] = writer->from->tts_isnull[i];
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

/* Insert n rows, and their entries of indexes. */
static void
insert_rows(Writer *writer, TupleTableSlot **slot, int n)
{
	EState	   *estate = writer->estate;
	MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(estate));
	int			i;

	table_multi_insert(writer->table, slot, n, estate->es_output_cid, 0, NULL);
	MemoryContextSwitchTo(old);
	for (i = 0; i < n && writer->result->ri_NumIndices > 0; i++)
		insert_index_entries(writer->result, slot[i], estate);
	ResetPerTupleExprContext(estate);
}

uint64
direct_insert(Ladder *ladder, const TableMap *map, Tuplestorestate *rows)
{
	Writer		writer;
	TupleTableSlot *slot[MAX_SLOTS];
	int			nslots = 0;
	int			n = 0;
	uint64		total = 0;
	bool		more = true;
	int			i;

	open_writer(&writer, ladder, map);
	while (more)
	{
		more = next_row(&writer, rows);
		if (more)
		{
			if (n == nslots)
				slot[nslots++] = table_slot_create(writer.table, NULL);
			clear_row(slot[n]);
			fill_row(&writer, slot[n]);
			complete_row(&writer, slot[n]);

			/* The values are the tuplestore's, until the next row. */
			ExecMaterializeSlot(slot[n++]);
			total++;
		}
		if (n > 0 && (n == MAX_SLOTS || !more))
		{
			insert_rows(&writer, slot, n);
			n = 0;
		}
	}
	for (i = 0; i < nslots; i++)
		ExecDropSingleTupleTableSlot(slot[i]);
	close_writer(&writer);
	return total;
}

uint64
direct_update(Ladder *ladder, const TableMap *map, Tuplestorestate *rows,
			  ItemPointerData *place)
{
	Writer		writer;
	TupleTableSlot *before;
	TupleTableSlot *after;
	EPQState	unused = {0};	/* only triggers need it */
	uint64		total = 0;

	open_writer(&writer, ladder, map);
	before = table_slot_create(writer.table, NULL);
	after = table_slot_create(writer.table, NULL);
	for (; next_row(&writer, rows); total++)
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
		fill_row(&writer, after);
		before->tts_tid = place[total];
		ExecSimpleRelationUpdate(writer.result, writer.estate, &unused, before, after);
		ResetPerTupleExprContext(writer.estate);
	}
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(after);
	close_writer(&writer);
	return total;
}
