/*
 * absent.c
 *		Functions of the server for which there is nothing in their place.
 *
 * Those that read and write rows without a query are never called, because HAVE_DIRECT_ROWS is
 * false.  The others, about generated columns and exclusion constraints, are called by swap_ladders()
 * alone, where the tables of the two ladders have different columns, or such constraints.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/tableam.h"
#include "catalog/heap.h"
#include "catalog/pg_attrdef.h"
#include "commands/copy.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "fmgr.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/lsyscache.h"
#include "utils/relcache.h"
#include "utils/tuplesort.h"

pg_noreturn static void
absent(const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("PGlite does not offer what this takes"),
			 errdetail_internal("It does not export %s().", function),
			 errhint("Do it on a server, and load its data into PGlite.")));
}

/* Arguments without a use are the point here. */
#pragma clang diagnostic ignored "-Wunused-parameter"

List *
AddRelationNewConstraints(Relation rel, List *newColDefaults, List *newConstraints, bool
		allow_merge, bool is_local, bool is_internal, const char *queryString)
{
	absent("AddRelationNewConstraints");
}

RTEPermissionInfo *
addRTEPermissionInfo(List **rteperminfos, RangeTblEntry *rte)
{
	absent("addRTEPermissionInfo");
}

void
AfterTriggerBeginQuery(void)
{
	absent("AfterTriggerBeginQuery");
}

void
AfterTriggerEndQuery(EState *estate)
{
	absent("AfterTriggerEndQuery");
}

void
CheckCmdReplicaIdentity(Relation rel, CmdType cmd)
{
	absent("CheckCmdReplicaIdentity");
}

uint64
CopyFrom(CopyFromState cstate)
{
	absent("CopyFrom");
}

ProjectionInfo *
ExecBuildProjectionInfo(List *targetList, ExprContext *econtext, TupleTableSlot *slot,
		PlanState *parent, TupleDesc inputDesc)
{
	absent("ExecBuildProjectionInfo");
}

bool
ExecCheck(ExprState *state, ExprContext *econtext)
{
	absent("ExecCheck");
}

void
ExecComputeStoredGenerated(ResultRelInfo *resultRelInfo, EState *estate, TupleTableSlot
		*slot, CmdType cmdtype)
{
	absent("ExecComputeStoredGenerated");
}

void
ExecResetTupleTable(List *tupleTable, bool shouldFree)
{
	absent("ExecResetTupleTable");
}

void
ExecSimpleRelationInsert(ResultRelInfo *resultRelInfo, EState *estate, TupleTableSlot *slot)
{
	absent("ExecSimpleRelationInsert");
}

Oid
GetAttrDefaultOid(Oid relid, AttrNumber attnum)
{
	absent("GetAttrDefaultOid");
}

void
IncrBufferRefCount(Buffer buffer)
{
	absent("IncrBufferRefCount");
}

Size
PageGetHeapFreeSpace(const PageData *page)
{
	absent("PageGetHeapFreeSpace");
}

void
RelationGetExclusionInfo(Relation indexRelation, Oid **operators, Oid **procs, uint16
		**strategies)
{
	absent("RelationGetExclusionInfo");
}

void
RemoveAttrDefault(Oid relid, AttrNumber attnum, DropBehavior behavior, bool complain, bool
		internal)
{
	absent("RemoveAttrDefault");
}

bytea *
SendFunctionCall(FmgrInfo *flinfo, Datum val)
{
	absent("SendFunctionCall");
}

int
get_op_opfamily_strategy(Oid opno, Oid opfamily)
{
	absent("get_op_opfamily_strategy");
}

TargetEntry *
get_tle_by_resno(List *tlist, AttrNumber resno)
{
	absent("get_tle_by_resno");
}

bool
heap_hot_search_buffer(ItemPointer tid, Relation relation, Buffer buffer, Snapshot snapshot,
		HeapTuple heapTuple, bool *all_dead, bool first_call)
{
	absent("heap_hot_search_buffer");
}

void
heap_page_prune_opt(Relation relation, Buffer buffer)
{
	absent("heap_page_prune_opt");
}

ItemPointer
index_getnext_tid(IndexScanDesc scan, ScanDirection direction)
{
	absent("index_getnext_tid");
}

bool
index_insert(Relation indexRelation, Datum *values, bool *isnull, ItemPointer heap_t_ctid,
		Relation heapRelation, IndexUniqueCheck checkUnique, bool indexUnchanged, struct IndexInfo
		*indexInfo)
{
	absent("index_insert");
}

void
simple_table_tuple_delete(Relation rel, ItemPointer tid, Snapshot snapshot)
{
	absent("simple_table_tuple_delete");
}

void
simple_table_tuple_update(Relation rel, ItemPointer otid, TupleTableSlot *slot, Snapshot
		snapshot, TU_UpdateIndexes *update_indexes)
{
	absent("simple_table_tuple_update");
}

void
table_tuple_get_latest_tid(TableScanDesc scan, ItemPointer tid)
{
	absent("table_tuple_get_latest_tid");
}

Tuplesortstate *
tuplesort_begin_index_btree(Relation heapRel, Relation indexRel, bool enforceUnique, bool
		uniqueNullsNotDistinct, int workMem, SortCoordinate coordinate, int sortopt)
{
	absent("tuplesort_begin_index_btree");
}

IndexTuple
tuplesort_getindextuple(Tuplesortstate *state, bool forward)
{
	absent("tuplesort_getindextuple");
}

void
tuplesort_putindextuplevalues(Tuplesortstate *state, Relation rel, ItemPointer self, const
		Datum *values, const bool *isnull)
{
	absent("tuplesort_putindextuplevalues");
}
