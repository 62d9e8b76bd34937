/*
 * direct.c
 *		Rows of a plain ladder, read and written without a query.
 */
#include "pg/ladder/direct.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/itup.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"

#include "pg/ladder/partitions.h"
#include "pg/sql/memory_limit.h"
#include "pg/sql/progress.h"

/* So many rows are inserted at a time. */
#define MAX_SLOTS 64

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
	ExprState **predicate;		/* of partial indexes, once they are needed */
	bool		plain_indexes;	/* none needs more than to be given the entry */
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

/* Whether no index has constraints that only the executor can check. */
static bool
has_plain_indexes(const ResultRelInfo *result)
{
	int			i;

	for (i = 0; i < result->ri_NumIndices; i++)
	{
		const IndexInfo *info = result->ri_IndexRelationInfo[i];

		if (info->ii_ExclusionOps != NULL ||
			(info->ii_Unique && !result->ri_IndexRelationDescs[i]->rd_index->indimmediate))
			return false;
	}
	return true;
}

/* The rules that are kept, made anew where functions have changed. */
static void
refresh_rules(Writer *writer)
{
	TableMap   *map = unconstify(TableMap *, writer->map);
	MemoryContext context = GetMemoryChunkContext(map);
	MemoryContext old;
	RowRules   *outdated = map->rules;

	if (outdated == NULL || row_rules_are_current(outdated))
		return;
	old = MemoryContextSwitchTo(context);
	map->rules = row_rules_make(writer->table, map->ours);
	MemoryContextSwitchTo(old);
	if (map->rules == NULL)
		elog(ERROR, "rules of table \"%s\" are not what they were",
			 RelationGetRelationName(writer->table));
	row_rules_free(outdated);
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
	writer->predicate = palloc0_array(ExprState *, writer->result->ri_NumIndices + 1);
	writer->plain_indexes = has_plain_indexes(writer->result);
	refresh_rules(writer);
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

/* Read the next row, all of it; false at the end. */
static bool
next_row(TupleTableSlot *row, Tuplestorestate *rows)
{
	CHECK_FOR_INTERRUPTS();
	if (!tuplestore_gettupleslot(rows, true, false, row))
		return false;
	slot_getallattrs(row);
	return true;
}

/* Make a slot a row of the table without values. */
static void
clear_row(TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
}

/* Put values, in the order of the map, into a row that has others, or none. */
static void
fill_row(Writer *writer, TupleTableSlot *slot, const Datum *values, const bool *nulls)
{
	const TableMap *map = writer->map;
	int			i;

	for (i = 0; i < map->desc->natts; i++)
	{
		slot->tts_values[map->attnum[i] - 1] = values[i];
		slot->tts_isnull[map->attnum[i] - 1] = nulls[i];
	}
	ExecStoreVirtualTuple(slot);
	slot->tts_tableOid = RelationGetRelid(writer->table);
}

/* Compute and check what depends on the other columns of a row, as the executor does. */
static void
complete_by_executor(Writer *writer, TupleTableSlot *slot, CmdType command)
{
	const TupleConstr *constraints = RelationGetDescr(writer->table)->constr;

	if (constraints == NULL)
		return;
	if (constraints->has_generated_stored)
		ExecComputeStoredGenerated(writer->result, writer->estate, slot, command);
	ExecConstraints(writer->result, slot, writer->estate);
}

/* Do the same by the rules that are kept; the executor words the error. */
static void
complete_row(Writer *writer, TupleTableSlot *slot, CmdType command)
{
	RowRules   *rules = writer->map->rules;

	if (rules == NULL)
	{
		complete_by_executor(writer, slot, command);
		return;
	}
	if (command == CMD_INSERT)
		row_rules_default(rules, slot);
	if (!row_rules_apply(rules, slot))
	{
		complete_by_executor(writer, slot, command);
		elog(ERROR, "row breaks a rule of table \"%s\" that it does not break",
			 RelationGetRelationName(writer->table));
	}
}

/* What complete_row() has computed is not needed any more. */
static void
end_row(Writer *writer)
{
	if (writer->map->rules != NULL)
		row_rules_reset(writer->map->rules);
	ResetPerTupleExprContext(writer->estate);
}

/* Whether a row belongs into the i-th index. */
static bool
is_in_index(Writer *writer, int i, TupleTableSlot *slot)
{
	const IndexInfo *info = writer->result->ri_IndexRelationInfo[i];
	ExprContext *context;

	if (!info->ii_ReadyForInserts)
		return false;
	if (info->ii_Predicate == NIL)
		return true;
	context = GetPerTupleExprContext(writer->estate);
	context->ecxt_scantuple = slot;
	if (writer->predicate[i] == NULL)
		writer->predicate[i] = ExecPrepareQual(info->ii_Predicate, writer->estate);
	return ExecQual(writer->predicate[i], context);
}

/*
 * Add a row to the indexes.  Where only its key is in one, and it is another version of a
 * row, there is no other row with this key, nor can there be one while it is locked: nobody
 * has to look for it among the versions that there were.
 */
static void
insert_entries(Writer *writer, TupleTableSlot *slot, bool is_version)
{
	ResultRelInfo *result = writer->result;
	int			i;

	GetPerTupleExprContext(writer->estate)->ecxt_scantuple = slot;
	for (i = 0; i < result->ri_NumIndices; i++)
	{
		Relation	index = result->ri_IndexRelationDescs[i];
		IndexInfo  *info = result->ri_IndexRelationInfo[i];
		bool		unchanged = is_version &&
			list_member_oid(writer->map->key_indexes, RelationGetRelid(index));
		Datum		values[INDEX_MAX_KEYS];
		bool		isnull[INDEX_MAX_KEYS];

		if (!is_in_index(writer, i, slot))
			continue;
		FormIndexDatum(info, slot, writer->estate, values, isnull);
		(void) index_insert(index, values, isnull, &slot->tts_tid, writer->table,
							info->ii_Unique && !unchanged ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
							unchanged, info);
	}
}

/* Rows that are being inserted into a table, or into one of its partitions at a time. */
struct DirectInsert
{
	Ladder	   *ladder;
	const TableMap *map;
	Relation	partitioned;	/* the table, if it has partitions, or NULL */
	bool		is_open;		/* there is a writer, of the table or of */
	int64		first;			/* a partition for places from the first one
								 * on, */
	int64		next;			/* up to before the next */
	Writer		writer;
	BulkInsertState bulk;
	TupleTableSlot *slot[MAX_SLOTS];
	int			nslots;			/* that were made, */
	int			n;				/* and that have a row */
	uint64		total;
};

/* Insert the rows that have come, and their entries of indexes. */
static void
insert_rows(DirectInsert *insert)
{
	Writer	   *writer = &insert->writer;
	EState	   *estate = writer->estate;
	MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(estate));
	int			i;

	/*
	 * By the command of now, so that no query that was begun before sees the
	 * rows.
	 */
	estate->es_output_cid = GetCurrentCommandId(true);
	table_multi_insert(writer->table, insert->slot, insert->n, estate->es_output_cid, 0,
					   insert->bulk);
	for (i = 0; i < insert->n && writer->result->ri_NumIndices > 0; i++)
		if (writer->plain_indexes)
			insert_entries(writer, insert->slot[i], false);
		else
			insert_index_entries(writer->result, insert->slot[i], estate, false, false);
	MemoryContextSwitchTo(old);
	ResetPerTupleExprContext(estate);
	insert->n = 0;
}

/* Begin with a table or partition. */
static void
open_insert(DirectInsert *insert, const TableMap *map)
{
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(insert));

	open_writer(&insert->writer, map);

	/*
	 * A few rows go to wherever there is room, and leave the buffers to
	 * others.
	 */
	if (insert->ladder->large)
		insert->bulk = GetBulkInsertState();
	insert->nslots = 0;
	insert->is_open = true;
	MemoryContextSwitchTo(old);
}

static void
close_insert(DirectInsert *insert)
{
	int			i;

	if (!insert->is_open)
		return;
	if (insert->n > 0)
		insert_rows(insert);
	for (i = 0; i < insert->nslots; i++)
		ExecDropSingleTupleTableSlot(insert->slot[i]);
	if (insert->bulk != NULL)
		FreeBulkInsertState(insert->bulk);
	insert->bulk = NULL;
	close_writer(&insert->writer);
	insert->is_open = false;
}

/* Go on with the partition for a place, if it is another one. */
static void
follow_place(DirectInsert *insert, int64 seq)
{
	int64		next;
	Oid			partition;

	if (insert->is_open && seq >= insert->first && seq < insert->next)
		return;
	close_insert(insert);
	partition = partition_of_seq(insert->partitioned, seq, &next);
	if (!OidIsValid(partition))
		elog(ERROR, "no partition of table \"%s\" for place " INT64_FORMAT,
			 RelationGetRelationName(insert->partitioned), seq);
	open_insert(insert, partition_map(insert->ladder, insert->map, partition));
	insert->first = seq;
	insert->next = next;
}

DirectInsert *
direct_insert_begin(Ladder *ladder, const TableMap *map)
{
	DirectInsert *insert = palloc0_object(DirectInsert);

	insert->ladder = ladder;
	insert->map = map;
	if (is_map_of_partitions(map))
		insert->partitioned = table_open(map->relid, RowExclusiveLock);
	else
		open_insert(insert, map);
	return insert;
}

void
direct_insert_row(DirectInsert *insert, const Datum *values, const bool *nulls)
{
	Writer	   *writer = &insert->writer;
	TupleTableSlot *slot;

	StaticAssertStmt((int) EVENT_SEQ == (int) COMPONENT_EVENT_SEQ,
					 "the place is the same column of both tables of events");
	if (insert->partitioned != NULL)
		follow_place(insert, DatumGetInt64(values[EVENT_SEQ - 1]));
	if (insert->n == insert->nslots)
	{
		MemoryContext old = MemoryContextSwitchTo(writer->estate->es_query_cxt);

		insert->slot[insert->nslots++] = table_slot_create(writer->table, NULL);
		MemoryContextSwitchTo(old);
	}
	slot = insert->slot[insert->n];
	clear_row(slot);
	fill_row(writer, slot, values, nulls);
	complete_row(writer, slot, CMD_INSERT);

	/* The values are the caller's. */
	ExecMaterializeSlot(slot);
	end_row(writer);
	insert->total++;
	if (++insert->n == MAX_SLOTS)
		insert_rows(insert);
}

uint64
direct_insert_end(DirectInsert *insert)
{
	uint64		total = insert->total;

	close_insert(insert);
	if (insert->partitioned != NULL)
		table_close(insert->partitioned, NoLock);
	pfree(insert);
	return total;
}

/*
 * Make the next version of the row in a place, of which columns that are not ours are kept;
 * false if there is none.
 */
static bool
make_next_version(Writer *writer, ItemPointer place, TupleTableSlot *row,
				  TupleTableSlot *before, TupleTableSlot *after)
{
	clear_row(after);
	if (writer->map->has_others)
	{
		int			natts = before->tts_tupleDescriptor->natts;

		if (!table_tuple_fetch_row_version(writer->table, place, SnapshotAny, before))
			return false;
		slot_getallattrs(before);
		memcpy(after->tts_values, before->tts_values, natts * sizeof(Datum));
		memcpy(after->tts_isnull, before->tts_isnull, natts * sizeof(bool));
	}
	fill_row(writer, after, row->tts_values, row->tts_isnull);
	complete_row(writer, after, CMD_UPDATE);
	return true;
}

/* Add the next version of a row to the indexes that need it. */
static void
insert_entries_of_version(Writer *writer, TupleTableSlot *slot, NeededEntries entries)
{
	MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(writer->estate));

	if (writer->plain_indexes && !only_summarizing(entries))
		insert_entries(writer, slot, true);
	else
		insert_index_entries(writer->result, slot, writer->estate, true,
							 only_summarizing(entries));
	MemoryContextSwitchTo(old);
}

/* Put a row into a place, with its entries of indexes unless it has those that there are. */
static void
update_row(Writer *writer, ItemPointer place, TupleTableSlot *slot)
{
	NeededEntries entries;

	simple_table_tuple_update(writer->table, place, slot, writer->estate->es_snapshot, &entries);
	if (needs_entries(entries))
		insert_entries_of_version(writer, slot, entries);
}

uint64
direct_insert(Ladder *ladder, const TableMap *map, Tuplestorestate *rows)
{
	DirectInsert *insert = direct_insert_begin(ladder, map);
	TupleTableSlot *row = make_row(map);

	while (next_row(row, rows))
	{
		direct_insert_row(insert, row->tts_values, row->tts_isnull);
		if (ladder->large)
			progress_done((int64) insert->total);
	}
	ExecDropSingleTupleTableSlot(row);
	return direct_insert_end(insert);
}

uint64
direct_update(const TableMap *map, Tuplestorestate *rows, ItemPointerData *place)
{
	Writer		writer;
	TupleTableSlot *row = make_row(map);
	TupleTableSlot *before;
	TupleTableSlot *after;
	uint64		total = 0;

	open_writer(&writer, map);
	CheckCmdReplicaIdentity(writer.table, CMD_UPDATE);
	before = table_slot_create(writer.table, NULL);
	after = table_slot_create(writer.table, NULL);
	for (; next_row(row, rows); total++)
	{
		if (!make_next_version(&writer, &place[total], row, before, after))
			elog(ERROR, "failed to fetch a row of table \"%s\" that is locked",
				 RelationGetRelationName(writer.table));
		update_row(&writer, &place[total], after);
		end_row(&writer);
	}
	ExecDropSingleTupleTableSlot(row);
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(after);
	close_writer(&writer);
	return total;
}

/*
 * ---- Rewriting ----
 *
 * Most of an update is its entries of indexes: each goes to a page of its own.  Where rows
 * are many, their entries wait until all are there, and come in the order of the index.
 */

/* Entries of an index that wait. */
typedef struct WaitingEntries
{
	Relation	index;
	IndexInfo  *info;
	bool		unchanged;		/* it is on nothing that a rewrite changes */
	Tuplesortstate *entries;
} WaitingEntries;

/* Whether entries of an index may come after those of others, and in any order. */
static bool
can_wait(Relation index, const IndexInfo *info)
{
	return index->rd_rel->relam == BTREE_AM_OID && index->rd_index->indimmediate &&
		info->ii_ReadyForInserts && info->ii_Expressions == NIL && info->ii_Predicate == NIL &&
		info->ii_ExclusionOps == NULL;
}

/* For each index of the table; NULL if they do not all take part. */
static WaitingEntries *
open_entries(Writer *writer)
{
	const ResultRelInfo *result = writer->result;
	WaitingEntries *waiting = palloc0_array(WaitingEntries, result->ri_NumIndices + 1);
	int			i;

	for (i = 0; i < result->ri_NumIndices; i++)
		if (!can_wait(result->ri_IndexRelationDescs[i], result->ri_IndexRelationInfo[i]))
			return NULL;
	for (i = 0; i < result->ri_NumIndices; i++)
	{
		waiting[i].index = result->ri_IndexRelationDescs[i];
		waiting[i].info = result->ri_IndexRelationInfo[i];
		waiting[i].unchanged = list_member_oid(writer->map->key_indexes,
											   RelationGetRelid(waiting[i].index));
		waiting[i].entries = tuplesort_begin_index_btree(writer->table, waiting[i].index, false,
														 false, memory_limit_work_mem(), NULL,
														 TUPLESORT_NONE);
	}
	return waiting;
}

/* Have the entries of a row wait. */
static void
put_entries(Writer *writer, WaitingEntries *waiting, TupleTableSlot *row)
{
	int			i;

	for (i = 0; i < writer->result->ri_NumIndices; i++)
	{
		Datum		values[INDEX_MAX_KEYS];
		bool		nulls[INDEX_MAX_KEYS];

		FormIndexDatum(waiting[i].info, row, writer->estate, values, nulls);
		tuplesort_putindextuplevalues(waiting[i].entries, waiting[i].index, &row->tts_tid,
									  values, nulls);
	}
}

/*
 * Make the entries that wait.  Whether those of a key that stays are unique was looked at when
 * the row came that is rewritten: it keeps all others of its key out until we commit.  That
 * nothing changes is no hint for the server: before it splits a page it would look in the
 * table for row versions that nobody sees any more, in vain, because the snapshot of this long
 * work sees them.
 */
static void
insert_waiting_entries(Writer *writer, WaitingEntries *waiting)
{
	IndexTuple	entry;

	tuplesort_performsort(waiting->entries);
	while ((entry = tuplesort_getindextuple(waiting->entries, true)) != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(writer->estate));
		Datum		values[INDEX_MAX_KEYS];
		bool		nulls[INDEX_MAX_KEYS];

		CHECK_FOR_INTERRUPTS();
		index_deform_tuple(entry, RelationGetDescr(waiting->index), values, nulls);
		(void) index_insert(waiting->index, values, nulls, &entry->t_tid, writer->table,
							waiting->index->rd_index->indisunique && !waiting->unchanged ?
							UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
							false, waiting->info);
		MemoryContextSwitchTo(old);
		ResetPerTupleExprContext(writer->estate);
	}
	tuplesort_end(waiting->entries);
}

/* Put a row into a place; false if another row is there, or somebody is changing it. */
static bool
rewrite_row(Writer *writer, WaitingEntries *waiting, ItemPointer place, TupleTableSlot *row,
			TupleTableSlot *before, TupleTableSlot *after)
{
	TM_FailureData failure;
	LockTupleMode lockmode;
	NeededEntries entries;

	if (!make_next_version(writer, place, row, before, after))
		return false;
	if (table_tuple_update(writer->table, place, after, writer->estate->es_output_cid,
						   writer->estate->es_snapshot, InvalidSnapshot, false, &failure,
						   &lockmode, &entries) != TM_Ok)
		return false;
	if (!needs_entries(entries) || writer->result->ri_NumIndices == 0)
		return true;
	if (waiting != NULL)
		put_entries(writer, waiting, after);
	else
		insert_entries_of_version(writer, after, entries);
	return true;
}

uint64
direct_rewrite(const TableMap *map, Tuplestorestate *rows, ItemPointerData *place,
			   Tuplestorestate *left)
{
	Writer		writer;
	WaitingEntries *waiting;
	TupleTableSlot *row = make_row(map);
	TupleTableSlot *before;
	TupleTableSlot *after;
	uint64		total = 0;
	uint64		n;
	int			i;

	Assert(map->relation == LADDER_RATING);
	open_writer(&writer, map);
	CheckCmdReplicaIdentity(writer.table, CMD_UPDATE);
	waiting = open_entries(&writer);
	before = table_slot_create(writer.table, NULL);
	after = table_slot_create(writer.table, NULL);
	for (n = 0; next_row(row, rows); n++)
	{
		if (ItemPointerIsValid(&place[n]) &&
			rewrite_row(&writer, waiting, &place[n], row, before, after))
			total++;
		else
			tuplestore_puttupleslot(left, row);
		end_row(&writer);
	}
	for (i = 0; waiting != NULL && i < writer.result->ri_NumIndices; i++)
		insert_waiting_entries(&writer, &waiting[i]);
	ExecDropSingleTupleTableSlot(row);
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(after);
	close_writer(&writer);
	return total;
}
